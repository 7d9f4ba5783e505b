//! Terms as Z3 terms.
//!
//! Comparisons and connectives on one bit become Z3 Booleans, other one-bit terms bit-vectors; the other form
//! is made where a user needs it. Iterative, so deep terms do not exhaust the stack.

use z3_sys::*;

use super::Context;
use crate::pool::Terms;
use crate::solver::SolverError;
use crate::term::{Key, Op, TermId};

/// Whether a one-bit term is translated to a Z3 Boolean.
fn is_bool(key: &Key) -> bool {
    key.w() == 1
        && matches!(
            key.op,
            Op::Const
                | Op::Var
                | Op::Not
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Eq
                | Op::Ult
                | Op::Slt
                | Op::Ite
                | Op::Float2
        )
}

impl Context {
    fn bv_sort(&mut self, width: u32) -> Result<Z3_sort, SolverError> {
        if let Some(sort) = self.sorts[width as usize] {
            return Ok(sort);
        }
        // SAFETY: a sort is a term to Z3's reference counting.
        let sort = unsafe {
            let sort = Z3_mk_bv_sort(self.raw, width).ok_or_else(|| self.error())?;
            let ast = Z3_sort_to_ast(self.raw, sort).ok_or_else(|| self.error())?;
            Z3_inc_ref(self.raw, ast);
            sort
        };
        self.sorts[width as usize] = Some(sort);
        Ok(sort)
    }

    /// The one-bit vector `value`.
    fn bit(&mut self, value: bool) -> Result<Z3_ast, SolverError> {
        if let Some(bit) = self.bits[usize::from(value)] {
            return Ok(bit);
        }
        let bit = self.numeral(1, u128::from(value))?;
        self.keep(bit);
        self.bits[usize::from(value)] = Some(bit);
        Ok(bit)
    }

    pub(super) fn native_of(&self, t: TermId) -> Option<Z3_ast> {
        self.native.get(t.index()).copied().flatten()
    }

    /// Translates `t` and all it contains that is not translated yet.
    pub(super) fn translate(&mut self, terms: &Terms, t: TermId) -> Result<Z3_ast, SolverError> {
        if let Some(ast) = self.native_of(t) {
            return Ok(ast);
        }
        if self.native.len() < terms.len() {
            self.native.resize(terms.len(), None);
        }
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            let pending = work.len();
            for arg in terms.args(top) {
                if self.native[arg.index()].is_none() {
                    work.push(arg);
                }
            }
            if work.len() == pending {
                work.pop();
                if self.native[top.index()].is_none() {
                    let ast = self.build(terms, top)?;
                    self.keep(ast);
                    self.native[top.index()] = Some(ast);
                }
            }
        }
        self.native_of(t).ok_or_else(|| self.error())
    }

    /// Counts a term for as long as the context lives.
    pub(super) fn keep(&mut self, ast: Z3_ast) {
        self.translated += 1;
        // SAFETY: the term was just made in this context.
        unsafe { Z3_inc_ref(self.raw, ast) };
    }

    /// `t` as a Boolean.
    pub(super) fn bool_of(&mut self, terms: &Terms, t: TermId) -> Result<Z3_ast, SolverError> {
        let native = self.translate(terms, t)?;
        if is_bool(&terms.key(t)) {
            return Ok(native);
        }
        if let Some(&ast) = self.converted.get(&t) {
            return Ok(ast);
        }
        let one = self.bit(true)?;
        // SAFETY: both operands are one-bit vectors of this context.
        let ast = unsafe { Z3_mk_eq(self.raw, native, one) }.ok_or_else(|| self.error())?;
        self.keep(ast);
        self.converted.insert(t, ast);
        Ok(ast)
    }

    /// `t` as a bit-vector.
    pub(super) fn bv_of(&mut self, terms: &Terms, t: TermId) -> Result<Z3_ast, SolverError> {
        let native = self.translate(terms, t)?;
        if !is_bool(&terms.key(t)) {
            return Ok(native);
        }
        if let Some(&ast) = self.converted.get(&t) {
            return Ok(ast);
        }
        let (one, zero) = (self.bit(true)?, self.bit(false)?);
        // SAFETY: a Boolean and two one-bit vectors of this context.
        let ast = unsafe { Z3_mk_ite(self.raw, native, one, zero) }.ok_or_else(|| self.error())?;
        self.keep(ast);
        self.converted.insert(t, ast);
        Ok(ast)
    }

    /// A constant, not counted yet.
    pub(super) fn numeral(&mut self, width: u32, value: u128) -> Result<Z3_ast, SolverError> {
        let ast = if width <= 64 {
            let sort = self.bv_sort(width)?;
            // SAFETY: the sort belongs to this context.
            unsafe { Z3_mk_unsigned_int64(self.raw, value as u64, sort) }
        } else {
            let bits: [bool; 128] = std::array::from_fn(|i| value >> i & 1 == 1);
            // SAFETY: `bits` holds at least `width` elements.
            unsafe { Z3_mk_bv_numeral(self.raw, width, bits.as_ptr()) }
        };
        ast.ok_or_else(|| self.error())
    }

    /// Translates one node whose operands are translated.
    fn build(&mut self, terms: &Terms, t: TermId) -> Result<Z3_ast, SolverError> {
        let key = terms.key(t);
        if is_bool(&key) {
            return self.build_bool(terms, &key);
        }
        match key.op {
            Op::Const => self.numeral(key.w(), key.value().unwrap_or_default()),
            Op::Var | Op::ArrayVar => self.variable(&key),
            Op::ConstArray | Op::Store | Op::IteArray | Op::Ite => self.build_wide(terms, &key),
            Op::Float1 | Op::Float2 | Op::Float3 => self.build_float(terms, &key),
            _ => self.build_bv(terms, &key),
        }
    }

    fn variable(&mut self, key: &Key) -> Result<Z3_ast, SolverError> {
        let index = i32::try_from(key.args[0]).unwrap_or(i32::MAX);
        let (own, byte) = (self.bv_sort(key.w())?, self.bv_sort(8)?);
        // SAFETY: sorts and symbols belong to this context.
        unsafe {
            let symbol = Z3_mk_int_symbol(self.raw, index).ok_or_else(|| self.error())?;
            let sort = match (key.op, key.w()) {
                (Op::ArrayVar, _) => Z3_mk_array_sort(self.raw, own, byte),
                (_, 1) => Z3_mk_bool_sort(self.raw),
                _ => Some(own),
            };
            let sort = sort.ok_or_else(|| self.error())?;
            Z3_mk_const(self.raw, symbol, sort).ok_or_else(|| self.error())
        }
    }

    fn build_bool(&mut self, terms: &Terms, key: &Key) -> Result<Z3_ast, SolverError> {
        let (a, b) = (key.a(), key.b());
        let compared = terms_are_bool(terms, key);
        let operands: [Z3_ast; 2] = match key.op {
            Op::Const => {
                let value = key.value() == Some(1);
                // SAFETY: makes a constant of this context.
                let ast = unsafe { if value { Z3_mk_true(self.raw) } else { Z3_mk_false(self.raw) } };
                return ast.ok_or_else(|| self.error());
            }
            Op::Var => return self.variable(key),
            Op::Not => {
                let a = self.bool_of(terms, a)?;
                // SAFETY: a Boolean of this context.
                return unsafe { Z3_mk_not(self.raw, a) }.ok_or_else(|| self.error());
            }
            Op::Ite => {
                let (p, then, other) =
                    (self.bool_of(terms, a)?, self.bool_of(terms, b)?, self.bool_of(terms, key.c())?);
                // SAFETY: Booleans of this context.
                return unsafe { Z3_mk_ite(self.raw, p, then, other) }.ok_or_else(|| self.error());
            }
            Op::Float2 => return self.build_float_comparison(terms, key),
            Op::Eq if compared => [self.bool_of(terms, a)?, self.bool_of(terms, b)?],
            Op::Eq | Op::Ult | Op::Slt => [self.bv_of(terms, a)?, self.bv_of(terms, b)?],
            _ => [self.bool_of(terms, a)?, self.bool_of(terms, b)?],
        };
        let [x, y] = operands;
        // SAFETY: operands of matching sorts, of this context.
        unsafe {
            match key.op {
                Op::And => Z3_mk_and(self.raw, 2, operands.as_ptr()),
                Op::Or => Z3_mk_or(self.raw, 2, operands.as_ptr()),
                Op::Xor => Z3_mk_xor(self.raw, x, y),
                Op::Ult => Z3_mk_bvult(self.raw, x, y),
                Op::Slt => Z3_mk_bvslt(self.raw, x, y),
                _ => Z3_mk_eq(self.raw, x, y),
            }
        }
        .ok_or_else(|| self.error())
    }

    /// Arrays and `ite`.
    fn build_wide(&mut self, terms: &Terms, key: &Key) -> Result<Z3_ast, SolverError> {
        let (a, b, c) = (key.a(), key.b(), key.c());
        match key.op {
            Op::ConstArray => {
                let (byte, index) = (self.bv_of(terms, a)?, self.bv_sort(key.w())?);
                // SAFETY: an index sort and a byte of this context.
                unsafe { Z3_mk_const_array(self.raw, index, byte) }
            }
            Op::Store => {
                let (array, index, byte) = (self.translate(terms, a)?, self.bv_of(terms, b)?, self.bv_of(terms, c)?);
                // SAFETY: an array of bytes, an index of its sort and a byte, of this context.
                unsafe { Z3_mk_store(self.raw, array, index, byte) }
            }
            _ => {
                let p = self.bool_of(terms, a)?;
                let (then, other) = (self.translate(terms, b)?, self.translate(terms, c)?);
                // SAFETY: a Boolean and two terms of one sort, of this context.
                unsafe { Z3_mk_ite(self.raw, p, then, other) }
            }
        }
        .ok_or_else(|| self.error())
    }

    fn build_bv(&mut self, terms: &Terms, key: &Key) -> Result<Z3_ast, SolverError> {
        let array = key.op == Op::Select;
        let x = if array { self.translate(terms, key.a())? } else { self.bv_of(terms, key.a())? };
        let y = if key.op.arity() > 1 { self.bv_of(terms, key.b())? } else { x };
        let cx = self.raw;
        // SAFETY: operands of matching sorts, of this context.
        unsafe {
            match key.op {
                Op::Not => Z3_mk_bvnot(cx, x),
                Op::Neg => Z3_mk_bvneg(cx, x),
                Op::And => Z3_mk_bvand(cx, x, y),
                Op::Or => Z3_mk_bvor(cx, x, y),
                Op::Xor => Z3_mk_bvxor(cx, x, y),
                Op::Add => Z3_mk_bvadd(cx, x, y),
                Op::Mul => Z3_mk_bvmul(cx, x, y),
                Op::Udiv => Z3_mk_bvudiv(cx, x, y),
                Op::Sdiv => Z3_mk_bvsdiv(cx, x, y),
                Op::Urem => Z3_mk_bvurem(cx, x, y),
                Op::Srem => Z3_mk_bvsrem(cx, x, y),
                Op::Shl => Z3_mk_bvshl(cx, x, y),
                Op::Lshr => Z3_mk_bvlshr(cx, x, y),
                Op::Ashr => Z3_mk_bvashr(cx, x, y),
                Op::Concat => Z3_mk_concat(cx, x, y),
                Op::Extract => Z3_mk_extract(cx, key.high(), key.low(), x),
                Op::Sext => Z3_mk_sign_ext(cx, key.w() - terms.width(key.a()), x),
                Op::Select => Z3_mk_select(cx, x, y),
                Op::Const | Op::Var | Op::ArrayVar | Op::ConstArray | Op::Store => None,
                Op::Ite | Op::IteArray | Op::Eq | Op::Ult | Op::Slt => None,
                Op::Float1 | Op::Float2 | Op::Float3 => None,
            }
        }
        .ok_or_else(|| self.error())
    }
}

/// Whether both sides of an equality are Booleans, so that it is an equivalence.
fn terms_are_bool(terms: &Terms, key: &Key) -> bool {
    key.op == Op::Eq && is_bool(&terms.key(key.a())) && is_bool(&terms.key(key.b()))
}
