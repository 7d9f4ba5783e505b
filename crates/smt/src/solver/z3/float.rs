//! Floating-point operators by Z3's own theory of them.
//!
//! Z3 has one NaN; which bits come out of several is said here.

use z3_sys::*;

use super::Context;
use crate::float::{FloatOp, Format};
use crate::pool::Terms;
use crate::solver::SolverError;
use crate::term::{Key, TermId};

impl Context {
    fn float_sort(&mut self, width: u32) -> Result<Z3_sort, SolverError> {
        let format = Format::of(width);
        // SAFETY: the context is alive; a sort is a term to Z3's reference counting.
        unsafe {
            let sort = Z3_mk_fpa_sort(self.raw, format.exponent as u32, format.precision as u32);
            let sort = sort.ok_or_else(|| self.error())?;
            let ast = Z3_sort_to_ast(self.raw, sort).ok_or_else(|| self.error())?;
            Z3_inc_ref(self.raw, ast);
            Ok(sort)
        }
    }

    /// A term that is counted: the next one made would take its place otherwise.
    fn counted(&mut self, ast: Option<Z3_ast>) -> Result<Z3_ast, SolverError> {
        let ast = ast.ok_or_else(|| self.error())?;
        self.keep(ast);
        Ok(ast)
    }

    /// A word read as a number.
    fn read_as_float(&mut self, word: Z3_ast, width: u32) -> Result<Z3_ast, SolverError> {
        let sort = self.float_sort(width)?;
        // SAFETY: a bit-vector of the sort's width, of this context.
        let number = unsafe { Z3_mk_fpa_to_fp_bv(self.raw, word, sort) };
        self.counted(number)
    }

    /// `condition ? a : b`
    fn either(&mut self, condition: Z3_ast, a: Z3_ast, b: Z3_ast) -> Result<Z3_ast, SolverError> {
        // SAFETY: a Boolean and two terms of one sort, of this context.
        let chosen = unsafe { Z3_mk_ite(self.raw, condition, a, b) };
        self.counted(chosen)
    }

    fn is_nan(&mut self, number: Z3_ast) -> Result<Z3_ast, SolverError> {
        // SAFETY: a number of this context.
        let is_nan = unsafe { Z3_mk_fpa_is_nan(self.raw, number) };
        self.counted(is_nan)
    }

    fn counted_numeral(&mut self, width: u32, value: u128) -> Result<Z3_ast, SolverError> {
        let numeral = self.numeral(width, value)?;
        self.counted(Some(numeral))
    }

    fn with_bits_set(&mut self, word: Z3_ast, width: u32, bits: u128) -> Result<Z3_ast, SolverError> {
        let bits = self.counted_numeral(width, bits)?;
        // SAFETY: two bit-vectors of one width, of this context.
        let word = unsafe { Z3_mk_bvor(self.raw, word, bits) };
        self.counted(word)
    }

    /// A comparison, as a Boolean.
    pub(super) fn build_float_comparison(&mut self, terms: &Terms, key: &Key) -> Result<Z3_ast, SolverError> {
        let width = terms.width(key.a());
        let (x, y) = (self.bv_of(terms, key.a())?, self.bv_of(terms, key.b())?);
        let (x, y) = (self.read_as_float(x, width)?, self.read_as_float(y, width)?);
        // SAFETY: two numbers of one sort, of this context.
        unsafe {
            match FloatOp::of(key.low) {
                FloatOp::Less => Z3_mk_fpa_lt(self.raw, x, y),
                FloatOp::LessEqual => Z3_mk_fpa_leq(self.raw, x, y),
                _ => Z3_mk_fpa_eq(self.raw, x, y),
            }
        }
        .ok_or_else(|| self.error())
    }

    /// An operator whose result is a word.
    pub(super) fn build_float(&mut self, terms: &Terms, key: &Key) -> Result<Z3_ast, SolverError> {
        let (op, to, from) = (FloatOp::of(key.low), key.w(), terms.width(key.a()));
        let operands: Vec<TermId> = key.operands().collect();
        let words = operands.iter().map(|&t| self.bv_of(terms, t)).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: the context is alive.
        let nearest = unsafe { Z3_mk_fpa_rne(self.raw) };
        let nearest = self.counted(nearest)?;
        if op == FloatOp::FromSigned {
            let sort = self.float_sort(to)?;
            // SAFETY: a rounding mode, a bit-vector and a sort of this context.
            let number = unsafe { Z3_mk_fpa_to_fp_signed(self.raw, nearest, words[0], sort) };
            let number = self.counted(number)?;
            return self.bits_of_float(number);
        }
        let numbers = words.iter().map(|&word| self.read_as_float(word, from)).collect::<Result<Vec<_>, _>>()?;
        match op {
            FloatOp::ToSigned => self.float_to_signed(numbers[0], from, to),
            FloatOp::Resize => {
                let sort = self.float_sort(to)?;
                // SAFETY: a rounding mode, a number and a sort of this context.
                let number = unsafe { Z3_mk_fpa_to_fp_float(self.raw, nearest, numbers[0], sort) };
                let number = self.counted(number)?;
                let bits = self.bits_of_float(number)?;
                let nan = self.resized_nan(words[0], from, to)?;
                let is_nan = self.is_nan(numbers[0])?;
                self.either(is_nan, nan, bits)
            }
            _ => {
                let number = self.float_result(op, nearest, &numbers)?;
                let format = Format::of(from);
                let mut nan = self.counted_numeral(from, format.indefinite())?;
                for (&word, &operand) in words.iter().zip(&numbers).rev() {
                    let quiet = self.with_bits_set(word, from, format.quiet())?;
                    let is_nan = self.is_nan(operand)?;
                    nan = self.either(is_nan, quiet, nan)?;
                }
                let bits = self.bits_of_float(number)?;
                let is_nan = self.is_nan(number)?;
                self.either(is_nan, nan, bits)
            }
        }
    }

    fn float_result(&mut self, op: FloatOp, nearest: Z3_ast, numbers: &[Z3_ast]) -> Result<Z3_ast, SolverError> {
        let cx = self.raw;
        let (a, b, c) = (numbers[0], numbers.get(1), numbers.get(2));
        // SAFETY: rounding modes and numbers of one sort, of this context; the mode made last is used at once.
        let result = unsafe {
            match (op, b, c) {
                (FloatOp::Add, Some(&b), _) => Z3_mk_fpa_add(cx, nearest, a, b),
                (FloatOp::Sub, Some(&b), _) => Z3_mk_fpa_sub(cx, nearest, a, b),
                (FloatOp::Mul, Some(&b), _) => Z3_mk_fpa_mul(cx, nearest, a, b),
                (FloatOp::Div, Some(&b), _) => Z3_mk_fpa_div(cx, nearest, a, b),
                (FloatOp::MulAdd, Some(&b), Some(&c)) => Z3_mk_fpa_fma(cx, nearest, a, b, c),
                (FloatOp::Sqrt, ..) => Z3_mk_fpa_sqrt(cx, nearest, a),
                _ => {
                    let mode = match op {
                        FloatOp::Floor => Z3_mk_fpa_rtn(cx),
                        FloatOp::Ceil => Z3_mk_fpa_rtp(cx),
                        FloatOp::Trunc => Z3_mk_fpa_rtz(cx),
                        FloatOp::Round => Z3_mk_fpa_rna(cx),
                        _ => Some(nearest),
                    };
                    mode.and_then(|mode| Z3_mk_fpa_round_to_integral(cx, mode, a))
                }
            }
        };
        self.counted(result)
    }

    fn bits_of_float(&mut self, number: Z3_ast) -> Result<Z3_ast, SolverError> {
        // SAFETY: a number of this context.
        let bits = unsafe { Z3_mk_fpa_to_ieee_bv(self.raw, number) };
        self.counted(bits)
    }

    /// Z3 leaves open what a number becomes that does not fit.
    fn float_to_signed(&mut self, number: Z3_ast, from: u32, to: u32) -> Result<Z3_ast, SolverError> {
        let limit = 2f64.powi(to as i32 - 1);
        // Numbers between the least integer and the one below are cut off and fit, where there are such.
        let (lowest, open) = if from == 64 && to == 32 { (-limit - 1.0, true) } else { (-limit, false) };
        let sort = self.float_sort(from)?;
        let least = self.counted_numeral(to, 1 << (to - 1))?;
        // SAFETY: the sort is one of numbers, of this context.
        let low = unsafe { Z3_mk_fpa_numeral_double(self.raw, lowest, sort) };
        let low = self.counted(low)?;
        // SAFETY: as before.
        let high = unsafe { Z3_mk_fpa_numeral_double(self.raw, limit, sort) };
        let high = self.counted(high)?;
        // SAFETY: two numbers of one sort, of this context.
        let above =
            unsafe { if open { Z3_mk_fpa_lt(self.raw, low, number) } else { Z3_mk_fpa_leq(self.raw, low, number) } };
        let above = self.counted(above)?;
        // SAFETY: as before.
        let below = unsafe { Z3_mk_fpa_lt(self.raw, number, high) };
        let both = [above, self.counted(below)?];
        // SAFETY: two Booleans of this context.
        let fits = unsafe { Z3_mk_and(self.raw, 2, both.as_ptr()) };
        let fits = self.counted(fits)?;
        // SAFETY: a rounding mode, which is used at once, and a number of this context.
        let value =
            unsafe { Z3_mk_fpa_rtz(self.raw).and_then(|to_zero| Z3_mk_fpa_to_sbv(self.raw, to_zero, number, to)) };
        let value = self.counted(value)?;
        self.either(fits, value, least)
    }

    /// The sign and the upper bits of the fraction, quiet.
    fn resized_nan(&mut self, word: Z3_ast, from: u32, to: u32) -> Result<Z3_ast, SolverError> {
        let (of, format) = (Format::of(from), Format::of(to));
        let (stored, kept) = (of.precision as u32 - 1, format.precision as u32 - 1);
        let ones = self.counted_numeral(format.exponent as u32, crate::term::mask(format.exponent as u32))?;
        let low = stored.saturating_sub(kept);
        // SAFETY: bits of a word of this context.
        let sign = unsafe { Z3_mk_extract(self.raw, from - 1, from - 1, word) };
        let sign = self.counted(sign)?;
        // SAFETY: as before.
        let fraction = unsafe { Z3_mk_extract(self.raw, stored - 1, low, word) };
        let mut fraction = self.counted(fraction)?;
        if kept > stored {
            let zeros = self.counted_numeral(kept - stored, 0)?;
            fraction = self.joined(fraction, zeros)?;
        }
        let head = self.joined(sign, ones)?;
        let bits = self.joined(head, fraction)?;
        self.with_bits_set(bits, to, format.quiet())
    }

    fn joined(&mut self, high: Z3_ast, low: Z3_ast) -> Result<Z3_ast, SolverError> {
        // SAFETY: two bit-vectors of this context.
        let joined = unsafe { Z3_mk_concat(self.raw, high, low) };
        self.counted(joined)
    }
}
