//! Floating-point numbers as `printf` writes them (C11 7.21.6.1p8), exactly and rounded to even, as glibc does.

use ir::Ty;
use num_bigint::BigUint;

/// A conversion specification for a number.
#[derive(Default)]
pub(crate) struct Shape {
    /// One of `fFeEgGaA`.
    pub conversion: u8,
    pub precision: Option<usize>,
    /// `#`
    pub alternate: bool,
    /// `+`
    pub plus: bool,
    /// A space in front of what has no sign.
    pub space: bool,
    /// The least width, to be reached by zeros; 0 where blanks fill the field.
    pub zeros_to: usize,
}

/// A number in pieces.
struct Written {
    negative: bool,
    /// Neither infinite nor a NaN: those are not padded with zeros.
    finite: bool,
    /// Without the sign; with `0x` for `%a`.
    text: String,
}

/// `significand * 2^exponent`
struct Binary {
    significand: u64,
    exponent: i32,
}

/// Writes a `double` or `long double`; filling the field with blanks is left to the caller.
pub(crate) fn format(ty: Ty, bits: u128, shape: &Shape) -> String {
    let Written { negative, finite, text } = written(ty, bits, shape);
    let sign = match (negative, shape.plus, shape.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    };
    // Zeros go between the sign, or `0x`, and the digits.
    let hexadecimal = shape.conversion.eq_ignore_ascii_case(&b'a') && finite;
    let (prefix, digits) = text.split_at(if hexadecimal { 2 } else { 0 });
    let zeros = if finite { shape.zeros_to.saturating_sub(sign.len() + text.len()) } else { 0 };
    format!("{sign}{prefix}{}{digits}", "0".repeat(zeros))
}

fn written(ty: Ty, bits: u128, shape: &Shape) -> Written {
    let (fraction_bits, bias) = if ty == Ty::F80 { (63, 16383) } else { (52, 1023) };
    let negative = bits & super::sign_bit(ty) != 0;
    let stored_bits = if ty == Ty::F80 { 64 } else { 52 };
    let stored = (bits & ((1 << stored_bits) - 1)) as u64;
    let biased = ((bits & (super::sign_bit(ty) - 1)) >> stored_bits) as i32;
    let lower = shape.conversion.is_ascii_lowercase();
    let finite =
        |text: String| Written { negative, finite: true, text: if lower { text } else { text.to_uppercase() } };
    if biased == 2 * bias + 1 {
        let infinite = stored << (64 - fraction_bits) == 0;
        let text = if infinite { "inf" } else { "nan" };
        return Written { negative, finite: false, text: if lower { text.to_owned() } else { text.to_uppercase() } };
    }
    let leading = if ty == Ty::F80 || biased == 0 { 0 } else { 1 << 52 };
    let significand = stored | leading;
    let power = biased.max(1) - bias;
    let number = Binary { significand, exponent: power - fraction_bits };
    finite(match shape.conversion.to_ascii_lowercase() {
        b'a' => hexadecimal(ty, significand, power, shape),
        b'e' => {
            let (digits, exponent) = scientific(&number, shape.precision.unwrap_or(6));
            with_exponent(&digits, exponent, shape.alternate)
        }
        b'g' => general(&number, shape),
        _ => fixed(&number, shape.precision.unwrap_or(6), shape.alternate),
    })
}

impl Binary {
    /// The number as `digits / 10^places`.
    fn decimal(&self) -> (BigUint, usize) {
        let significand = BigUint::from(self.significand);
        match usize::try_from(self.exponent) {
            Ok(up) => (significand << up, 0),
            Err(_) => {
                // Fewer digits for numbers like 0.5.
                let zeros = self.significand.trailing_zeros().min(self.exponent.unsigned_abs());
                let places = self.exponent.unsigned_abs() - zeros;
                ((significand >> zeros as usize) * BigUint::from(5u32).pow(places), places as usize)
            }
        }
    }
}

/// `number / 10^places`, to the nearest integer, the even one of two.
fn rounded(number: &BigUint, places: usize) -> BigUint {
    let unit = BigUint::from(10u32).pow(places as u32);
    let (quotient, rest) = (number / &unit, number % &unit);
    let twice = rest * 2u32;
    if twice > unit || (twice == unit && quotient.bit(0)) { quotient + 1u32 } else { quotient }
}

fn fixed(number: &Binary, precision: usize, alternate: bool) -> String {
    let (digits, places) = number.decimal();
    let mut text = match places.checked_sub(precision) {
        Some(surplus) => rounded(&digits, surplus).to_string(),
        None => {
            let zeros = precision - places;
            if digits == BigUint::ZERO { "0".to_owned() } else { digits.to_string() + &"0".repeat(zeros) }
        }
    };
    if text.len() <= precision {
        text = "0".repeat(precision + 1 - text.len()) + &text;
    }
    let point = text.len() - precision;
    if precision > 0 || alternate {
        text.insert(point, '.');
    }
    text
}

/// `precision + 1` digits and the exponent of the first.
fn scientific(number: &Binary, precision: usize) -> (String, i64) {
    let (digits, places) = number.decimal();
    if digits == BigUint::ZERO {
        return ("0".repeat(precision + 1), 0);
    }
    let mut text = digits.to_string();
    let mut exponent = text.len() as i64 - 1 - places as i64;
    match text.len().checked_sub(precision + 1) {
        Some(surplus) => {
            text = rounded(&digits, surplus).to_string();
            if text.len() > precision + 1 {
                text.pop();
                exponent += 1;
            }
        }
        None => text += &"0".repeat(precision + 1 - text.len()),
    }
    (text, exponent)
}

fn with_exponent(digits: &str, exponent: i64, point: bool) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if point || !rest.is_empty() { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: the shorter style, without zeros at the end.
fn general(number: &Binary, shape: &Shape) -> String {
    let precision = shape.precision.unwrap_or(6).max(1);
    let (digits, exponent) = scientific(number, precision - 1);
    let fits = exponent >= -4 && exponent < precision as i64;
    if shape.alternate {
        return match fits {
            true => fixed(number, (precision as i64 - 1 - exponent) as usize, true),
            false => with_exponent(&digits, exponent, true),
        };
    }
    if fits {
        let text = fixed(number, (precision as i64 - 1 - exponent) as usize, false);
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let kept = digits.trim_end_matches('0');
    with_exponent(if kept.is_empty() { "0" } else { kept }, exponent, false)
}

/// `%a`: one hexadecimal digit before the point, four significant bits of it for `long double`.
fn hexadecimal(ty: Ty, significand: u64, power: i32, shape: &Shape) -> String {
    let (fraction_digits, mut power) = if ty == Ty::F80 { (15, power - 3) } else { (13, power) };
    if significand == 0 {
        power = 0;
    }
    let mut whole = u128::from(significand);
    let mut digits = fraction_digits;
    if let Some(precision) = shape.precision.filter(|&p| p < fraction_digits) {
        let dropped = 4 * (fraction_digits - precision);
        let (rest, half) = (whole & ((1 << dropped) - 1), 1u128 << (dropped - 1));
        whole >>= dropped;
        whole += u128::from(rest > half || (rest == half && whole & 1 == 1));
        digits = precision;
        // The digit before the point has only four bits.
        if whole >> (4 * digits) > 0xf {
            whole >>= 4;
            power += 4;
        }
    }
    let (first, rest) = (whole >> (4 * digits), whole & ((1 << (4 * digits)) - 1));
    let mut fraction = if digits == 0 { String::new() } else { format!("{rest:0digits$x}") };
    match shape.precision {
        Some(precision) => fraction += &"0".repeat(precision.saturating_sub(fraction.len())),
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let point = if shape.alternate || !fraction.is_empty() { "." } else { "" };
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x{first:x}{point}{fraction}p{sign}{}", power.unsigned_abs())
}
