//! Reading numbers, against the standard library's.

use super::read::{Format, Read, Rounded, read};

fn value(text: &str, format: Format) -> f64 {
    match read(text.as_bytes(), format).value {
        Rounded::Infinite => f64::INFINITY,
        Rounded::Finite { significand, exponent } => {
            // In two steps: one power of two may be less than the least number.
            let half = exponent / 2;
            significand as f64 * 2f64.powi(half) * 2f64.powi(exponent - half)
        }
    }
}

fn out_of_range(text: &str, format: Format) -> bool {
    let Read { out_of_range, .. } = read(text.as_bytes(), format);
    out_of_range
}

#[test]
fn decimal_numbers_are_rounded_as_the_standard_library_rounds_them() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random(4) * random(8) {
            text.push(char::from(b'0' + random(10) as u8));
        }
        text.push('.');
        for _ in 0..=random(25) {
            text.push(char::from(b'0' + random(10) as u8));
        }
        text += &format!("e{}", random(700) as i64 - 360);
        let (double, single) = (text.parse::<f64>(), text.parse::<f32>());
        assert_eq!(Ok(value(&text, Format::DOUBLE).to_bits()), double.map(f64::to_bits), "{text}");
        assert_eq!(Ok((value(&text, Format::SINGLE) as f32).to_bits()), single.map(f32::to_bits), "{text}");
    }
}

#[test]
fn halves_go_to_the_even_neighbour() {
    assert_eq!(value("9007199254740993", Format::DOUBLE), 9007199254740992.0);
    assert_eq!(value("9007199254740995", Format::DOUBLE), 9007199254740996.0);
    assert_eq!(value("9007199254740993.000000000000000001", Format::DOUBLE), 9007199254740994.0);
    assert_eq!(value("0x1.00000000000008p0", Format::DOUBLE), 1.0);
    assert_eq!(value("0x1.000000000000080001p0", Format::DOUBLE), 1.0 + f64::EPSILON);
    let extended = read(b"18446744073709551617", Format::EXTENDED).value;
    assert_eq!(extended, Rounded::Finite { significand: 1 << 63, exponent: 1 });
}

#[test]
fn what_is_too_large_or_too_small_is_said() {
    assert!(out_of_range("1e309", Format::DOUBLE) && !out_of_range("1e308", Format::DOUBLE));
    assert!(out_of_range("1e-320", Format::DOUBLE) && !out_of_range("0x1p-1074", Format::DOUBLE));
    assert!(out_of_range("1e39", Format::SINGLE) && !out_of_range("1e39", Format::EXTENDED));
    assert!(out_of_range("1e999999999999999999999", Format::EXTENDED));
    assert!(out_of_range("1e-999999999999999999999", Format::EXTENDED));
    assert!(!out_of_range("0e999999999999999999999", Format::DOUBLE));
    // Nearest is the least normal number, but with an exponent without bounds it would not be.
    assert!(out_of_range("2.22507385850720125e-308", Format::DOUBLE));
    assert_eq!(value("2.22507385850720125e-308", Format::DOUBLE), f64::MIN_POSITIVE);
}

#[test]
fn what_is_no_number_is_read_without_harm() {
    for text in ["", ".", "x", "0x", "e5", "1e", "1e+", "0xp1", "1..2", "\u{0}"] {
        let _ = read(text.as_bytes(), Format::DOUBLE);
    }
    assert_eq!(value("1e", Format::DOUBLE), 1.0);
}
