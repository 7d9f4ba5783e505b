//! Numbers on the command line, refused in words that say what is wanted.

use std::num::{NonZeroU32, NonZeroU64};

/// For bounds: none is no bound.
pub(crate) fn positive_u32(text: &str) -> Result<NonZeroU32, String> {
    let number = whole(text, 1, u32::MAX.into())?;
    u32::try_from(number).ok().and_then(NonZeroU32::new).ok_or_else(|| at_least(1))
}

/// As [`positive_u32`], for larger numbers.
pub(crate) fn positive_u64(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(whole(text, 1, u64::MAX)?).ok_or_else(|| at_least(1))
}

/// For counts of what need not happen at all.
pub(crate) fn natural_u32(text: &str) -> Result<u32, String> {
    u32::try_from(whole(text, 0, u32::MAX.into())?).map_err(|_| at_most(u32::MAX.into()))
}

/// As [`natural_u32`], for larger numbers.
pub(crate) fn natural_u64(text: &str) -> Result<u64, String> {
    whole(text, 0, u64::MAX)
}

fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number".to_owned());
    }
    match (text.starts_with('-'), digits.parse::<u64>()) {
        (true, Ok(0)) if least == 0 => Ok(0),
        (true, _) => Err(at_least(least)),
        (false, Ok(number)) if number < least => Err(at_least(least)),
        (false, Ok(number)) if number <= most => Ok(number),
        (false, _) => Err(at_most(most)),
    }
}

fn at_least(least: u64) -> String {
    format!("must be at least {least}")
}

fn at_most(most: u64) -> String {
    format!("must be at most {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_said() {
        assert_eq!(positive_u32("4294967295").map(NonZeroU32::get), Ok(u32::MAX));
        assert_eq!(natural_u32("0"), Ok(0));
        assert_eq!(natural_u64("-0"), Ok(0));
        assert_eq!(natural_u64("18446744073709551615"), Ok(u64::MAX));
        for text in ["0", "-1", "-99999999999999999999999"] {
            assert_eq!(positive_u32(text), Err("must be at least 1".to_owned()), "{text}");
            assert_eq!(positive_u64(text), Err("must be at least 1".to_owned()), "{text}");
        }
        assert_eq!(natural_u32("-1"), Err("must be at least 0".to_owned()));
        assert_eq!(natural_u32("4294967296"), Err("must be at most 4294967295".to_owned()));
        assert_eq!(positive_u32("99999999999999999999999"), Err("must be at most 4294967295".to_owned()));
        for text in ["", "-", "x", "1.5", "1e3", "--1", "0x10"] {
            assert_eq!(positive_u64(text), Err("not a whole number".to_owned()), "{text}");
        }
    }
}
