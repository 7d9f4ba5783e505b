//! The value of one operator on constants: SMT-LIB's theory of fixed-size bit-vectors.
//!
//! Shared by constant folding and evaluation. Arguments and results are masked to their widths.

use crate::term::{Op, mask};

/// `value` of `width` bits, read as two's complement.
pub(crate) fn signed(value: u128, width: u32) -> i128 {
    let shift = 128 - width;
    ((value << shift) as i128) >> shift
}

pub(crate) fn unary(op: Op, width: u32, a: u128) -> u128 {
    let result = match op {
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        _ => unreachable!("not a unary operator: {op:?}"),
    };
    result & mask(width)
}

/// `width` is the width of the operands; comparisons yield one bit.
pub(crate) fn binary(op: Op, width: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let oversize = b >= u128::from(width);
    let result = match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        // Division by zero: all ones; remainder by zero: the dividend.
        Op::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::Sdiv => sa.wrapping_div(sb) as u128,
        Op::Srem if b == 0 => a,
        Op::Srem => sa.wrapping_rem(sb) as u128,
        Op::Shl | Op::Lshr if oversize => 0,
        Op::Shl => a << b,
        Op::Lshr => a >> b,
        Op::Ashr => (sa >> b.min(127)) as u128,
        Op::Eq => return u128::from(a == b),
        Op::Ult => return u128::from(a < b),
        Op::Slt => return u128::from(sa < sb),
        _ => unreachable!("not a binary operator: {op:?}"),
    };
    result & mask(width)
}

pub(crate) fn concat(high: u128, low: u128, low_width: u32) -> u128 {
    // A shift by 128 cannot occur: both operands have at least one bit.
    (high << low_width) | low
}

pub(crate) fn extract(a: u128, width: u32, low: u32) -> u128 {
    (a >> low) & mask(width)
}

pub(crate) fn sext(a: u128, from: u32, to: u32) -> u128 {
    signed(a, from) as u128 & mask(to)
}
