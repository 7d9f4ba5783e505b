//! Numbers in text (C11 7.22.1.3p3-5), rounded once, to the nearest, as glibc does it.

use num_bigint::BigUint;

/// A floating-point format: the significand's bits, the exponent of the least normal number `2^least`, and of the greatest.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    precision: u64,
    least: i64,
    greatest: i64,
}

impl Format {
    pub(crate) const SINGLE: Format = Format { precision: 24, least: -126, greatest: 127 };
    pub(crate) const DOUBLE: Format = Format { precision: 53, least: -1022, greatest: 1023 };
    pub(crate) const EXTENDED: Format = Format { precision: 64, least: -16382, greatest: 16383 };
}

/// A number in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounded {
    /// `significand * 2^exponent`; the significand has at most the format's bits.
    Finite {
        significand: u64,
        exponent: i32,
    },
    Infinite,
}

/// What was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Read {
    pub(crate) value: Rounded,
    /// Too large; or too small to be exact, before its exponent is bounded. The C library says `ERANGE`.
    pub(crate) out_of_range: bool,
}

/// `digits * 10^tens * 2^twos`
struct Exact {
    digits: BigUint,
    tens: i64,
    twos: i64,
}

/// Reads a number without sign: decimal, or hexadecimal behind `0x`, with a point and an exponent or without. What follows
/// the number is ignored, and no number at all is 0.
pub(crate) fn read(text: &[u8], format: Format) -> Read {
    let exact = match text {
        [b'0', b'x' | b'X', rest @ ..] => parsed(rest, 16),
        _ => parsed(text, 10),
    };
    let count = exact.digits.bits() as i64;
    // Beyond all formats, whatever the digits.
    const FAR: i64 = 40_000;
    let (low, high) = magnitude(&exact, count);
    if count == 0 {
        return Read { value: Rounded::Finite { significand: 0, exponent: 0 }, out_of_range: false };
    }
    if low > FAR {
        return Read { value: Rounded::Infinite, out_of_range: true };
    }
    if high < -FAR {
        return Read { value: Rounded::Finite { significand: 0, exponent: 0 }, out_of_range: true };
    }
    let ten = |power: i64| BigUint::from(10u32).pow(power as u32);
    let (numerator, denominator) = match exact.tens {
        0.. => (exact.digits * ten(exact.tens), BigUint::from(1u32)),
        _ => (exact.digits, ten(-exact.tens)),
    };
    rounded(&numerator, &denominator, exact.twos, format)
}

/// Bounds of the number's binary logarithm.
fn magnitude(exact: &Exact, bits: i64) -> (i64, i64) {
    // log2(10) lies between 3 and 4.
    let (least, most) = if exact.tens >= 0 { (3, 4) } else { (4, 3) };
    let at = |factor: i64| bits.saturating_add(exact.twos).saturating_add(exact.tens.saturating_mul(factor));
    (at(least) - 1, at(most))
}

fn parsed(text: &[u8], base: u32) -> Exact {
    let mut digits = Vec::new();
    let (mut behind, mut point) = (0i64, false);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match char::from(byte).to_digit(base) {
            Some(digit) => {
                digits.push(digit as u8);
                behind += i64::from(point);
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    let marker = if base == 16 { b'p' } else { b'e' };
    let exponent = match text.get(at) {
        Some(byte) if byte.eq_ignore_ascii_case(&marker) => exponent(&text[at + 1..]),
        _ => 0,
    };
    let digits = BigUint::from_radix_be(&digits, base).unwrap_or_default();
    match base {
        16 => Exact { digits, tens: 0, twos: exponent.saturating_sub(4 * behind) },
        _ => Exact { digits, tens: exponent.saturating_sub(behind), twos: 0 },
    }
}

fn exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let size = digits.fold(0i64, |size, byte| size.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    if negative { -size } else { size }
}

/// `numerator / denominator * 2^twos`, nearest in the format, the even one of two. The numerator is not 0.
fn rounded(numerator: &BigUint, denominator: &BigUint, twos: i64, format: Format) -> Read {
    let Format { precision, least, greatest } = format;
    // The quotient gets one or two bits more than the format has.
    let shift = precision as i64 + 1 - (numerator.bits() as i64 - denominator.bits() as i64);
    let (mut above, mut below) = (numerator.clone(), denominator.clone());
    if shift >= 0 {
        above <<= shift as usize
    } else {
        below <<= (-shift) as usize
    }
    let quotient = &above / &below;
    let inexact = &quotient * &below != above;
    let quotient = u128::try_from(&quotient).unwrap_or_default();
    let bits = i64::from(128 - quotient.leading_zeros());
    let unit = twos - shift;
    // With an exponent without bounds, which decides whether the number counts as too small (IEEE 754 7.5a, "after rounding").
    let free = nearest(quotient, inexact, (bits - precision as i64).max(0) as u32);
    let free_bits = i64::from(128 - free.0.leading_zeros()) + (bits - precision as i64).max(0);
    if unit + free_bits - 1 > greatest {
        return Read { value: Rounded::Infinite, out_of_range: true };
    }
    let lowest = (unit + bits - precision as i64).max(least - precision as i64 + 1);
    let (significand, lost) = nearest(quotient, inexact, (lowest - unit).clamp(0, 127) as u32);
    let tiny = unit + free_bits - 1 < least;
    let value = Rounded::Finite { significand: significand as u64, exponent: lowest as i32 };
    // A significand that was rounded up to the next power of two has one bit more, and as many zeros.
    let value = match value {
        Rounded::Finite { .. } if significand >> precision != 0 => {
            Rounded::Finite { significand: (significand >> 1) as u64, exponent: lowest as i32 + 1 }
        }
        other => other,
    };
    Read { value, out_of_range: tiny && lost }
}

/// A number without its lowest bits, rounded, and whether anything was lost. `inexact`: there is more behind them.
fn nearest(number: u128, inexact: bool, dropped: u32) -> (u128, bool) {
    if dropped == 0 {
        return (number, inexact);
    }
    let (kept, rest, half) = (number >> dropped, number & ((1 << dropped) - 1), 1u128 << (dropped - 1));
    let up = rest > half || (rest == half && (inexact || kept & 1 == 1));
    (kept + u128::from(up), inexact || rest != 0)
}
