//! Floating-point instructions on open operands, as terms: `float` and `double`.
//!
//! Guarantee: under each assignment a term has the value that `crate::float` computes of the operands' values, bit by bit.
//! What has no term (remainders, powers, `long double`, precision beyond the type's) is computed of each value by itself.

use super::StepCx;
use crate::float::{sign_bit, width};
use ir::{FloatCast, FloatOp, FloatPredicate, Ty};
use smt::{FloatOp as Op, TermId, Terms};

/// Whether numbers of a type have terms.
pub(super) fn are_terms(ty: Ty) -> bool {
    matches!(ty, Ty::F32 | Ty::F64)
}

/// The result of an operation on `ty`.
pub(super) fn operation(terms: &mut Terms, op: FloatOp, ty: Ty, operands: &[TermId]) -> Option<TermId> {
    let bits = u32::from(width(ty));
    let plain = match op {
        FloatOp::Add => Op::Add,
        FloatOp::Sub => Op::Sub,
        FloatOp::Mul => Op::Mul,
        FloatOp::Div => Op::Div,
        FloatOp::Sqrt => Op::Sqrt,
        FloatOp::MulAdd => Op::MulAdd,
        FloatOp::Floor => Op::Floor,
        FloatOp::Ceil => Op::Ceil,
        FloatOp::Trunc => Op::Trunc,
        FloatOp::Round => Op::Round,
        FloatOp::RoundEven => Op::RoundEven,
        _ => {
            let &[a, b] = operands else { return None };
            return extreme(terms, op, ty, a, b);
        }
    };
    Some(terms.float(plain, bits, operands))
}

/// `llvm.minnum`, `llvm.maxnum`, `llvm.minimum`, `llvm.maximum`.
fn extreme(terms: &mut Terms, op: FloatOp, ty: Ty, a: TermId, b: TermId) -> Option<TermId> {
    let (a_is_nan, b_is_nan) = (is_nan(terms, a), is_nan(terms, b));
    let is_least = matches!(op, FloatOp::MinNum | FloatOp::Minimum);
    let (less, more) = (terms.float(Op::Less, 1, &[a, b]), terms.float(Op::Less, 1, &[b, a]));
    match op {
        FloatOp::MinNum | FloatOp::MaxNum => {
            let beaten = if is_least { more } else { less };
            let second = terms.or(a_is_nan, beaten);
            Some(terms.ite(second, b, a))
        }
        FloatOp::Minimum | FloatOp::Maximum => {
            // Zeros of both signs; a NaN rather than a number, and quiet.
            let (wins, equal, negative) =
                (if is_least { less } else { more }, terms.float(Op::Equal, 1, &[a, b]), terms.sign(a));
            let has_sign = if is_least { negative } else { terms.not(negative) };
            let tie = terms.and(equal, has_sign);
            let first = terms.or(wins, tie);
            let number = terms.ite(first, a, b);
            let quiet = terms.bv(u32::from(width(ty)), quiet_bit(ty));
            let (quiet_a, quiet_b) = (terms.or(a, quiet), terms.or(b, quiet));
            let number = terms.ite(b_is_nan, quiet_b, number);
            Some(terms.ite(a_is_nan, quiet_a, number))
        }
        _ => None,
    }
}

/// The less or the greater of two numbers, where -0 is less than +0; of a number and a NaN the number (PTX ISA, `min` and `max`).
pub(super) fn extreme_on_device(terms: &mut Terms, op: FloatOp, ty: Ty, a: TermId, b: TermId) -> Option<TermId> {
    let of_numbers = if op == FloatOp::MinNum { FloatOp::Minimum } else { FloatOp::Maximum };
    let (a_is_nan, b_is_nan) = (is_nan(terms, a), is_nan(terms, b));
    let extreme = extreme(terms, of_numbers, ty, a, b)?;
    let first = terms.ite(b_is_nan, a, extreme);
    Some(terms.ite(a_is_nan, b, first))
}

/// The integer part as devices give it (PTX ISA, `cvt`): what does not fit becomes the nearest integer that does, and a NaN zero, or where
/// either type has 64 bits the highest bit alone.
pub(super) fn integer_on_device(terms: &mut Terms, kind: FloatCast, from: Ty, to: Ty, value: TermId) -> Option<TermId> {
    let kind = match kind {
        FloatCast::ToSigned => FloatCast::ToSignedSaturating,
        _ => FloatCast::ToUnsignedSaturating,
    };
    let result = conversion(terms, kind, from, to, value)?;
    let bits = u32::from(width(to));
    if from == Ty::F32 && bits < 64 {
        return Some(result);
    }
    let (nan, highest) = (is_nan(terms, value), terms.bv(bits, 1 << (bits - 1)));
    Some(terms.ite(nan, highest, result))
}

fn is_nan(terms: &mut Terms, a: TermId) -> TermId {
    let ordered = terms.float(Op::Equal, 1, &[a, a]);
    terms.not(ordered)
}

/// The bit of the fraction that makes a NaN quiet.
fn quiet_bit(ty: Ty) -> u128 {
    if ty == Ty::F32 { 1 << 22 } else { 1 << 51 }
}

pub(super) fn comparison(terms: &mut Terms, predicate: FloatPredicate, a: TermId, b: TermId) -> TermId {
    let mut of = |op, x, y| terms.float(op, 1, &[x, y]);
    // One of the two comparisons of each, and whether it is what makes the predicate false.
    let (holds, negated) = match predicate {
        FloatPredicate::False => return terms.fls(),
        FloatPredicate::True => return terms.tru(),
        FloatPredicate::Oeq => (of(Op::Equal, a, b), false),
        FloatPredicate::Ogt => (of(Op::Less, b, a), false),
        FloatPredicate::Oge => (of(Op::LessEqual, b, a), false),
        FloatPredicate::Olt => (of(Op::Less, a, b), false),
        FloatPredicate::Ole => (of(Op::LessEqual, a, b), false),
        FloatPredicate::Ugt => (of(Op::LessEqual, a, b), true),
        FloatPredicate::Uge => (of(Op::Less, a, b), true),
        FloatPredicate::Ult => (of(Op::LessEqual, b, a), true),
        FloatPredicate::Ule => (of(Op::Less, b, a), true),
        FloatPredicate::Une => (of(Op::Equal, a, b), true),
        FloatPredicate::One | FloatPredicate::Ueq => {
            let (less, more) = (of(Op::Less, a, b), of(Op::Less, b, a));
            (terms.or(less, more), predicate == FloatPredicate::Ueq)
        }
        FloatPredicate::Ord | FloatPredicate::Uno => {
            let (a_is_number, b_is_number) = (of(Op::Equal, a, a), of(Op::Equal, b, b));
            (terms.and(a_is_number, b_is_number), predicate == FloatPredicate::Uno)
        }
    };
    if negated { terms.not(holds) } else { holds }
}

/// A conversion of a value of type `from`; the result has the width of `to`.
pub(super) fn conversion(terms: &mut Terms, kind: FloatCast, from: Ty, to: Ty, value: TermId) -> Option<TermId> {
    let bits = u32::from(width(to));
    let number = if matches!(kind, FloatCast::FromSigned | FloatCast::FromUnsigned) { to } else { from };
    if !are_terms(number) || bits > 64 || bits == 0 {
        return None;
    }
    match kind {
        FloatCast::FromSigned => Some(terms.float(Op::FromSigned, bits, &[value])),
        FloatCast::FromUnsigned => {
            let wider = terms.width(value) + 1;
            let wide = (wider <= smt::MAX_WIDTH).then(|| terms.zext(value, wider))?;
            Some(terms.float(Op::FromSigned, bits, &[wide]))
        }
        FloatCast::Resize => are_terms(to).then(|| terms.float(Op::Resize, bits, &[value])),
        FloatCast::ToSigned => Some(integer(terms, value, bits)),
        FloatCast::ToUnsigned if bits < 64 => {
            Some(integer(terms, value, if bits < 32 { 32 } else { 64 })).map(|wide| terms.trunc(wide, bits))
        }
        FloatCast::ToUnsigned => Some(upper_half(terms, from, value)),
        FloatCast::ToSignedSaturating => {
            let limit = power(terms, from, bits - 1);
            let sign = terms.bv(u32::from(width(from)), sign_bit(from));
            let lowest = terms.xor(limit, sign);
            let (least, most) = (terms.bv(bits, 1 << (bits - 1)), terms.bv(bits, (1 << (bits - 1)) - 1));
            let whole = integer(terms, value, bits);
            let above = terms.float(Op::LessEqual, 1, &[limit, value]);
            let below = terms.float(Op::Less, 1, &[value, lowest]);
            let result = terms.ite(above, most, whole);
            Some(zero_of_nan(terms, value, bits, below, least, result))
        }
        FloatCast::ToUnsignedSaturating => {
            let limit = power(terms, from, bits);
            let most = terms.bv(bits, u128::MAX);
            let whole = if bits == 64 { upper_half(terms, from, value) } else { integer(terms, value, 64) };
            let whole = terms.trunc(whole, bits);
            let above = terms.float(Op::LessEqual, 1, &[limit, value]);
            let (negative, zero) = (terms.sign(value), terms.bv(bits, 0));
            let result = terms.ite(above, most, whole);
            Some(zero_of_nan(terms, value, bits, negative, zero, result))
        }
        FloatCast::FrexpExponent => None,
    }
}

/// `nan ? 0 : below ? least : otherwise`
fn zero_of_nan(terms: &mut Terms, value: TermId, bits: u32, below: TermId, least: TermId, otherwise: TermId) -> TermId {
    let (nan, zero) = (is_nan(terms, value), terms.bv(bits, 0));
    let result = terms.ite(below, least, otherwise);
    terms.ite(nan, zero, result)
}

/// `2^exponent`
fn power(terms: &mut Terms, ty: Ty, exponent: u32) -> TermId {
    let value = 2f64.powi(exponent as i32);
    match ty {
        Ty::F32 => terms.bv(32, u128::from((value as f32).to_bits())),
        _ => terms.bv(64, u128::from(value.to_bits())),
    }
}

/// The low bits of the integer part, as the processor's instructions for 32 and 64 bits give it.
fn integer(terms: &mut Terms, value: TermId, bits: u32) -> TermId {
    let whole = terms.float(Op::ToSigned, if bits <= 32 { 32 } else { 64 }, &[value]);
    terms.trunc(whole, bits)
}

/// 64 bits unsigned, in two halves of the range as LLVM expands it.
fn upper_half(terms: &mut Terms, from: Ty, value: TermId) -> TermId {
    let half = power(terms, from, 63);
    let rest = terms.float(Op::Sub, u32::from(width(from)), &[value, half]);
    let (lower, upper) = (integer(terms, value, 64), integer(terms, rest, 64));
    let shift = terms.bv(64, 63);
    let mask = terms.ashr(lower, shift);
    let upper = terms.and(upper, mask);
    terms.or(lower, upper)
}

/// Whether a value is of one of `classes` (LangRef `llvm.is.fpclass`).
pub(super) fn is_of_class(terms: &mut Terms, ty: Ty, value: TermId, classes: u16) -> TermId {
    let bits = u32::from(width(ty));
    let stored = if ty == Ty::F32 { 23 } else { 52 };
    let infinity = terms.bv(bits, (sign_bit(ty) - 1) & !((1 << stored) - 1));
    let least_normal = terms.bv(bits, 1 << stored);
    let (without_sign, zero) = (terms.bv(bits, sign_bit(ty) - 1), terms.bv(bits, 0));
    let size = terms.and(value, without_sign);
    let negative = terms.sign(value);
    let nan = terms.ult(infinity, size);
    let quiet = {
        let bit = quiet_bit(ty).trailing_zeros();
        terms.extract(value, bit, bit)
    };
    let (finite, is_zero, small) = (terms.ult(size, infinity), terms.eq(size, zero), terms.ult(size, least_normal));
    let (not_zero, not_small) = (terms.not(is_zero), terms.not(small));
    let (subnormal, normal) = (terms.and(small, not_zero), terms.and(finite, not_small));
    let infinite = terms.eq(size, infinity);
    let (positive, signalling) = (terms.not(negative), terms.not(quiet));
    let kinds = [
        (nan, signalling),
        (nan, quiet),
        (infinite, negative),
        (normal, negative),
        (subnormal, negative),
        (is_zero, negative),
        (is_zero, positive),
        (subnormal, positive),
        (normal, positive),
        (infinite, positive),
    ];
    let wanted = kinds.into_iter().enumerate().filter(|(bit, _)| classes >> bit & 1 == 1);
    let wanted: Vec<TermId> = wanted.map(|(_, (a, b))| terms.and(a, b)).collect();
    terms.or_all(wanted)
}

impl StepCx<'_> {
    /// The terms of operands, of which one is open at least; `None` where all are known.
    pub(super) fn open_numbers(
        &mut self,
        values: &[(::memory::Value, Ty)],
    ) -> Result<Option<smallvec::SmallVec<[TermId; 3]>>, crate::Stop> {
        if !values.iter().any(|(value, _)| matches!(value, ::memory::Value::Term(_))) {
            return Ok(None);
        }
        let mut operands = smallvec::SmallVec::new();
        let mut is_open = false;
        for &(value, ty) in values {
            let bits = u32::from(self.bits(ty));
            let term = self.term_of(value, bits)?;
            match self.known_value(term) {
                Some(known) => operands.push(self.engine.terms.bv(bits, known)),
                None => {
                    is_open = true;
                    operands.push(term);
                }
            }
        }
        Ok(is_open.then_some(operands))
    }
}

#[cfg(test)]
mod tests;
