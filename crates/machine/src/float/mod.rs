//! Floating-point arithmetic on bits, as x86-64 computes it in the default environment (round to nearest, no traps).
//!
//! Guarantee: results are those of SSE2 for `float` and `double` and of the x87 for `long double`, bit by bit; which NaN
//! comes out of several is LLVM's choice of operands, and here the first. Conversions to integers that C leaves undefined
//! (6.3.1.4p1) give what the processor's instructions give.
//! Knows nothing of terms, threads or instructions' operands.

pub(crate) mod libm;
mod number;
mod read;
mod text;
mod x87;

pub(crate) use read::{Format, Rounded, read};
pub(crate) use text::{Shape, format};

use ir::{FloatCast, FloatOp, FloatPredicate, Ty};
use number::Number;
use std::cmp::Ordering;
use x87::Extended;

/// Calls a generic function for the type that `ty` names; not a floating-point type: `$otherwise`.
macro_rules! by_type {
    ($ty:expr, $otherwise:expr, $function:ident ( $($arg:expr),* )) => {
        match $ty {
            Ty::F32 => $function::<f32>($($arg),*),
            Ty::F64 => $function::<f64>($($arg),*),
            Ty::F80 => $function::<Extended>($($arg),*),
            Ty::Int(_) | Ty::Ptr => $otherwise,
        }
    };
}

/// The result of an operation on operands of type `ty`.
pub(crate) fn compute(op: FloatOp, ty: Ty, operands: &[u128]) -> u128 {
    by_type!(ty, 0, compute_as(op, operands))
}

/// Whether the result of an operation on `float` or `double` is the same in the x87's precision, so that it does not matter
/// where it is rounded. Not a number is one result.
pub(crate) fn is_plain(op: FloatOp, ty: Ty, operands: &[u128]) -> bool {
    let widened = |value| convert(FloatCast::Resize, ty, Ty::F80, value);
    let plain = |exact: u128| {
        let rounded = widened(convert(FloatCast::Resize, Ty::F80, ty, exact));
        rounded == exact || compare(FloatPredicate::Uno, Ty::F80, exact, rounded)
    };
    let wide: Vec<u128> = operands
        .iter()
        .enumerate()
        .map(|(index, value)| if op.operand_type(index, ty) == ty { widened(*value) } else { *value })
        .collect();
    // `fma` is a function of the C library's, which rounds to its type.
    op == FloatOp::MulAdd || plain(compute(op, Ty::F80, &wide))
}

pub(crate) fn compare(predicate: FloatPredicate, ty: Ty, a: u128, b: u128) -> bool {
    let order = by_type!(ty, None, order_as(a, b));
    let (less, equal, greater) =
        (order == Some(Ordering::Less), order == Some(Ordering::Equal), order == Some(Ordering::Greater));
    let unordered = order.is_none();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => equal,
        FloatPredicate::Ogt => greater,
        FloatPredicate::Oge => greater || equal,
        FloatPredicate::Olt => less,
        FloatPredicate::Ole => less || equal,
        FloatPredicate::One => less || greater,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Ueq => unordered || equal,
        FloatPredicate::Ugt => unordered || greater,
        FloatPredicate::Uge => unordered || greater || equal,
        FloatPredicate::Ult => unordered || less,
        FloatPredicate::Ule => unordered || less || equal,
        FloatPredicate::Une => !equal,
        FloatPredicate::Uno => unordered,
        FloatPredicate::True => true,
    }
}

/// A conversion; the result has the width of `to`.
pub(crate) fn convert(kind: FloatCast, from: Ty, to: Ty, value: u128) -> u128 {
    match kind {
        FloatCast::FromSigned => {
            let value = sign_extended(value, width(from));
            by_type!(to, 0, from_integer(value < 0, value.unsigned_abs()))
        }
        FloatCast::FromUnsigned => by_type!(to, 0, from_integer(false, value)),
        FloatCast::ToSigned => low(by_type!(from, 0, to_signed(value, from, width(to))), width(to)),
        FloatCast::ToUnsigned => low(by_type!(from, 0, to_unsigned(value, from, width(to))), width(to)),
        FloatCast::ToSignedSaturating => by_type!(from, 0, to_signed_saturating(value, width(to))),
        FloatCast::ToUnsignedSaturating => by_type!(from, 0, to_unsigned_saturating(value, width(to))),
        FloatCast::Resize => by_type!(from, 0, resize(value, to)),
        FloatCast::FrexpExponent => low(by_type!(from, 0, exponent(value)), width(to)),
    }
}

/// Whether a value is of one of `classes` (LangRef `llvm.is.fpclass`).
pub(crate) fn is_of_class(ty: Ty, value: u128, classes: u16) -> bool {
    classes & by_type!(ty, 0, class_of(value)) != 0
}

/// Width of a number's type; no conversion is from or to pointers.
pub(crate) fn width(ty: Ty) -> u16 {
    ty.number_bits().unwrap_or_default()
}

/// The bit of the sign in a type.
pub(crate) fn sign_bit(ty: Ty) -> u128 {
    1 << (width(ty) - 1)
}

fn low(value: u128, bits: u16) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

fn sign_extended(value: u128, bits: u16) -> i128 {
    let unused = 128 - u32::from(bits);
    ((value << unused) as i128) >> unused
}

fn order_as<N: Number>(a: u128, b: u128) -> Option<Ordering> {
    N::from_bits(a).order(N::from_bits(b))
}

fn compute_as<N: Number>(op: FloatOp, operands: &[u128]) -> u128 {
    let sign = 1u128 << (N::BITS - 1);
    let bits = |index: usize| operands.get(index).copied().unwrap_or_default();
    match op {
        FloatOp::Neg => return bits(0) ^ sign,
        FloatOp::Abs => return bits(0) & !sign,
        FloatOp::CopySign => return bits(0) & !sign | bits(1) & sign,
        _ => {}
    }
    let at = |index: usize| N::from_bits(bits(index));
    let (a, b) = (at(0), at(1));
    let exponent = bits(1) as u32 as i32;
    let result = match op {
        FloatOp::MinNum => return least(a, b).to_bits(),
        FloatOp::MaxNum => return greatest(a, b).to_bits(),
        FloatOp::Neg | FloatOp::Abs | FloatOp::CopySign => a,
        FloatOp::Sqrt => a.sqrt(),
        FloatOp::Floor => a.floor(),
        FloatOp::Ceil => a.ceil(),
        FloatOp::Trunc => a.trunc(),
        FloatOp::Round => a.round(),
        FloatOp::RoundEven => a.round_even(),
        FloatOp::FrexpFraction => a.frexp().0,
        FloatOp::ModfFraction => {
            let fraction = if a.is_infinite() { N::from_bits(0) } else { a.sub(a.trunc()) };
            if !fraction.is_nan() {
                return fraction.to_bits() & !sign | bits(0) & sign;
            }
            fraction
        }
        FloatOp::Add => a.add(b),
        FloatOp::Sub => a.sub(b),
        FloatOp::Mul => a.mul(b),
        FloatOp::Div => a.div(b),
        FloatOp::Rem => a.rem(b),
        FloatOp::Minimum => ordered_extreme(a, b, Ordering::Less),
        FloatOp::Maximum => ordered_extreme(a, b, Ordering::Greater),
        FloatOp::Scale => a.scale(exponent),
        FloatOp::IntPower => power(a, exponent),
        FloatOp::MulAdd => a.mul_add(b, at(2)),
    };
    if !result.is_nan() {
        return result.to_bits();
    }
    // The first NaN among the operands, made quiet; none: the processor's own ("real indefinite"), which is negative.
    let floats = if op.operand_type(1, Ty::F64) == Ty::F64 { op.arity() } else { 1 };
    match (0..floats).map(at).find(|operand| operand.is_nan()) {
        Some(operand) => operand.to_bits() | N::QUIET,
        None => N::infinity().to_bits() | N::QUIET | sign,
    }
}

/// `minsd` with the operands and the test for NaN that LLVM puts around it for `llvm.minnum`.
fn least<N: Number>(a: N, b: N) -> N {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if b.order(a) == Some(Ordering::Less) => b,
        _ => a,
    }
}

fn greatest<N: Number>(a: N, b: N) -> N {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if b.order(a) == Some(Ordering::Greater) => b,
        _ => a,
    }
}

/// `llvm.minimum`, `llvm.maximum`: the one that comes out as `wanted` against the other.
fn ordered_extreme<N: Number>(a: N, b: N, wanted: Ordering) -> N {
    if a.is_nan() {
        return a;
    }
    match a.order(b) {
        None => b,
        // Zeros of both signs.
        Some(Ordering::Equal) if (wanted == Ordering::Less) == a.is_negative() => a,
        Some(Ordering::Equal) => b,
        Some(order) if order == wanted => a,
        Some(_) => b,
    }
}

/// As the compiler's run-time library does it: by repeated squaring, and one division for a negative exponent.
fn power<N: Number>(mut base: N, exponent: i32) -> N {
    let one = N::from_magnitude(false, 1);
    let mut result = one;
    let mut rest = exponent;
    loop {
        if rest % 2 != 0 {
            result = result.mul(base);
        }
        rest /= 2;
        if rest == 0 {
            break;
        }
        base = base.mul(base);
    }
    if exponent < 0 { one.div(result) } else { result }
}

fn from_integer<N: Number>(negative: bool, magnitude: u128) -> u128 {
    N::from_magnitude(negative, magnitude).to_bits()
}

/// The integer part as a signed number, if it has `bits` or fewer.
fn signed_within<N: Number>(value: N, bits: u16) -> Option<i128> {
    let (negative, magnitude) = value.to_magnitude()?;
    let limit = 1u128 << (bits - 1);
    match negative {
        true if magnitude <= limit => Some((magnitude as i128).wrapping_neg()),
        false if magnitude < limit => Some(magnitude as i128),
        _ => None,
    }
}

/// `cvttss2si`, `cvttsd2si`, `fistp`: there are instructions for 32 and 64 bits, and for 16 on the x87. What does not fit
/// becomes the least number ("integer indefinite").
fn to_signed<N: Number>(value: u128, from: Ty, bits: u16) -> u128 {
    let narrowest = if from == Ty::F80 { 16 } else { 32 };
    let width = bits.next_power_of_two().max(narrowest);
    signed_within(N::from_bits(value), width).map_or(1 << (width - 1), |v| v as u128)
}

/// LLVM's expansions: small types by way of the next wider signed one, 64 bits in two halves of the range.
fn to_unsigned<N: Number>(value: u128, from: Ty, bits: u16) -> u128 {
    if bits < 32 {
        return to_signed::<N>(value, from, 32);
    }
    if bits < 64 {
        return to_signed::<N>(value, from, 64);
    }
    let number = N::from_bits(value);
    if bits > 64 {
        return match number.to_magnitude() {
            Some((false, magnitude)) => magnitude,
            Some((true, _)) => 0,
            None => u128::MAX,
        };
    }
    let half = N::from_magnitude(false, 1 << 63);
    let lower = to_signed::<N>(value, from, 64);
    let upper = to_signed::<N>(number.sub(half).to_bits(), from, 64);
    if from == Ty::F80 {
        let below = number.order(half) == Some(Ordering::Less);
        return if below { lower } else { upper ^ (1 << 63) };
    }
    let mask = ((lower as u64 as i64) >> 63) as u64;
    lower | (upper & u128::from(mask))
}

fn to_signed_saturating<N: Number>(value: u128, bits: u16) -> u128 {
    let number = N::from_bits(value);
    if number.is_nan() {
        return 0;
    }
    let least = low(1 << (bits - 1), bits);
    match signed_within(number, bits) {
        Some(v) => low(v as u128, bits),
        None if number.is_negative() => least,
        None => least - 1,
    }
}

fn to_unsigned_saturating<N: Number>(value: u128, bits: u16) -> u128 {
    let number = N::from_bits(value);
    match number.to_magnitude() {
        _ if number.is_nan() || number.is_negative() => 0,
        Some((_, magnitude)) if low(magnitude, bits) == magnitude => magnitude,
        _ => low(u128::MAX, bits),
    }
}

fn resize<N: Number>(value: u128, to: Ty) -> u128 {
    let number = N::from_bits(value);
    match to {
        Ty::F32 => u128::from(number.to_f32().to_bits()),
        Ty::F64 => u128::from(number.to_f64().to_bits()),
        _ => number.to_extended().to_bits(),
    }
}

fn exponent<N: Number>(value: u128) -> u128 {
    let number = N::from_bits(value);
    if number.is_nan() || number.is_infinite() { 0 } else { number.frexp().1 as u128 }
}

/// The bit of a value's class in `llvm.is.fpclass`.
fn class_of<N: Number>(value: u128) -> u16 {
    let number = N::from_bits(value);
    if number.is_nan() {
        return if value & (N::QUIET & N::QUIET.wrapping_neg()) != 0 { 2 } else { 1 };
    }
    let negative = number.is_negative();
    let (below, above) = match number {
        _ if number.is_infinite() => (1 << 2, 1 << 9),
        _ if number.is_zero() => (1 << 5, 1 << 6),
        _ if number.is_subnormal() => (1 << 4, 1 << 7),
        _ => (1 << 3, 1 << 8),
    };
    if negative { below } else { above }
}

#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod tests;
