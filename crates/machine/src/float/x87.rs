//! The x87's extended format: 64 bits of significand, the leading one among them (Intel SDM volume 1, 4.2.2).

use super::number::Number;
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

const BIAS: i32 = 16383;

/// `long double`
#[derive(Clone, Copy)]
pub(super) struct Extended(X87DoubleExtended);

impl Extended {
    /// Any narrower number.
    pub(super) fn of<F: FloatConvert<X87DoubleExtended>>(number: F) -> Self {
        Extended(number.convert(&mut false).value)
    }

    fn rounded(self, mode: Round) -> Self {
        Extended(self.0.round_to_integral(mode).value)
    }

    /// A positive number as `significand * 2^exponent`, the significand's highest bit set.
    fn parts(self) -> (u64, i32) {
        let bits = Number::to_bits(self);
        let (significand, exponent) = (bits as u64, (bits >> 64) as i32 & 0x7fff);
        let shift = significand.leading_zeros();
        // Subnormal numbers have the exponent of the smallest normal ones.
        (significand << shift, exponent.max(1) - BIAS - 63 - shift as i32)
    }
}

impl Number for Extended {
    const BITS: u16 = 80;
    /// Beside the bit that makes a NaN quiet, the leading one.
    const QUIET: u128 = 3 << 62;

    fn from_bits(bits: u128) -> Self {
        Extended(X87DoubleExtended::from_bits(bits & ((1 << 80) - 1)))
    }

    fn to_bits(self) -> u128 {
        self.0.to_bits()
    }

    fn from_magnitude(negative: bool, magnitude: u128) -> Self {
        let value = X87DoubleExtended::from_u128(magnitude).value;
        Extended(if negative { -value } else { value })
    }

    fn to_magnitude(self) -> Option<(bool, u128)> {
        if self.is_nan() || self.is_infinite() {
            return None;
        }
        let negative = self.is_negative();
        if self.is_zero() {
            return Some((negative, 0));
        }
        let (significand, exponent) = self.parts();
        let magnitude = match exponent {
            65.. => return None,
            0..=64 => u128::from(significand) << exponent,
            -63..=-1 => u128::from(significand >> -exponent),
            _ => 0,
        };
        Some((negative, magnitude))
    }

    fn to_f32(self) -> f32 {
        let single: Single = self.0.convert(&mut false).value;
        f32::from_bits(single.to_bits() as u32)
    }

    fn to_f64(self) -> f64 {
        let double: Double = self.0.convert(&mut false).value;
        f64::from_bits(double.to_bits() as u64)
    }

    fn to_extended(self) -> Extended {
        self
    }

    fn infinity() -> Self {
        Extended(X87DoubleExtended::INFINITY)
    }

    fn is_nan(self) -> bool {
        self.0.is_nan()
    }

    fn is_infinite(self) -> bool {
        self.0.is_infinite()
    }

    fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    fn is_subnormal(self) -> bool {
        self.0.is_denormal()
    }

    fn is_negative(self) -> bool {
        self.0.is_negative()
    }

    fn order(self, other: Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }

    fn add(self, other: Self) -> Self {
        Extended((self.0 + other.0).value)
    }

    fn sub(self, other: Self) -> Self {
        Extended((self.0 - other.0).value)
    }

    fn mul(self, other: Self) -> Self {
        Extended((self.0 * other.0).value)
    }

    fn div(self, other: Self) -> Self {
        Extended((self.0 / other.0).value)
    }

    fn rem(self, other: Self) -> Self {
        Extended((self.0 % other.0).value)
    }

    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Extended(self.0.mul_add(factor.0, addend.0).value)
    }

    /// `fsqrt`. The root of a number of 126 to 128 bits has 64 bits; what remains says which way to round, and is never
    /// in the middle: `(r + 1/2)^2` is no integer.
    fn sqrt(self) -> Self {
        if self.is_nan() || self.is_zero() {
            return self;
        }
        if self.is_negative() {
            return Extended(X87DoubleExtended::NAN);
        }
        if self.is_infinite() {
            return self;
        }
        let (significand, exponent) = self.parts();
        let shift = if (exponent - 63) % 2 == 0 { 63 } else { 64 };
        let scaled = u128::from(significand) << shift;
        let root = scaled.isqrt();
        let rounded = root + u128::from(scaled - root * root > root);
        let value = X87DoubleExtended::from_u128(rounded).value;
        Extended(value.scalbn((exponent - shift) / 2))
    }

    fn floor(self) -> Self {
        self.rounded(Round::TowardNegative)
    }

    fn ceil(self) -> Self {
        self.rounded(Round::TowardPositive)
    }

    fn trunc(self) -> Self {
        self.rounded(Round::TowardZero)
    }

    fn round(self) -> Self {
        self.rounded(Round::NearestTiesToAway)
    }

    fn round_even(self) -> Self {
        self.rounded(Round::NearestTiesToEven)
    }

    fn scale(self, exponent: i32) -> Self {
        Extended(self.0.scalbn(exponent))
    }

    fn frexp(self) -> (Self, i32) {
        if self.is_zero() || self.is_infinite() {
            return (self, 0);
        }
        let mut exponent = 0;
        let fraction = self.0.frexp(&mut exponent);
        (Extended(fraction), exponent)
    }
}
