//! What the three floating-point types of x86-64 have in common.

use super::x87::Extended;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use std::cmp::Ordering;

/// A floating-point number.
pub(super) trait Number: Copy {
    const BITS: u16;
    /// The bit that makes a NaN quiet.
    const QUIET: u128;

    fn from_bits(bits: u128) -> Self;
    fn to_bits(self) -> u128;
    /// The nearest number to an integer, the even one of two.
    fn from_magnitude(negative: bool, magnitude: u128) -> Self;
    /// Sign and integer part; `None` for infinities, NaNs, and what needs more than 128 bits.
    fn to_magnitude(self) -> Option<(bool, u128)>;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    fn to_extended(self) -> Extended;

    fn infinity() -> Self;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
    fn is_zero(self) -> bool;
    fn is_subnormal(self) -> bool;
    fn is_negative(self) -> bool;
    /// `None` if one is a NaN.
    fn order(self, other: Self) -> Option<Ordering>;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn round_even(self) -> Self;
    /// `self * 2^exponent`, rounded once.
    fn scale(self, exponent: i32) -> Self;
    /// `self = fraction * 2^exponent`, the fraction's size in [1/2, 1).
    fn frexp(self) -> (Self, i32);
}

macro_rules! of_the_host {
    ($float:ty, $word:ty, $soft:ty, $bits:literal, $quiet:literal) => {
        impl Number for $float {
            const BITS: u16 = $bits;
            const QUIET: u128 = 1 << $quiet;

            fn from_bits(bits: u128) -> Self {
                <$float>::from_bits(bits as $word)
            }

            fn to_bits(self) -> u128 {
                u128::from(self.to_bits())
            }

            fn from_magnitude(negative: bool, magnitude: u128) -> Self {
                let value = magnitude as $float;
                if negative { -value } else { value }
            }

            fn to_magnitude(self) -> Option<(bool, u128)> {
                // 2^128 is no f32; there every finite number is below it.
                let fits = self.is_finite() && (self.abs() as f64) < 340282366920938463463374607431768211456.0;
                fits.then(|| (self.is_sign_negative(), self.abs() as u128))
            }

            fn to_f32(self) -> f32 {
                self as f32
            }

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn to_extended(self) -> Extended {
                Extended::of(<$soft>::from_bits(Number::to_bits(self)))
            }

            fn infinity() -> Self {
                <$float>::INFINITY
            }

            fn is_nan(self) -> bool {
                <$float>::is_nan(self)
            }

            fn is_infinite(self) -> bool {
                <$float>::is_infinite(self)
            }

            fn is_zero(self) -> bool {
                self == 0.0
            }

            fn is_subnormal(self) -> bool {
                <$float>::is_subnormal(self)
            }

            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }

            fn order(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }

            fn add(self, other: Self) -> Self {
                self + other
            }

            fn sub(self, other: Self) -> Self {
                self - other
            }

            fn mul(self, other: Self) -> Self {
                self * other
            }

            fn div(self, other: Self) -> Self {
                self / other
            }

            fn rem(self, other: Self) -> Self {
                self % other
            }

            fn mul_add(self, factor: Self, addend: Self) -> Self {
                <$float>::mul_add(self, factor, addend)
            }

            fn sqrt(self) -> Self {
                <$float>::sqrt(self)
            }

            fn floor(self) -> Self {
                <$float>::floor(self)
            }

            fn ceil(self) -> Self {
                <$float>::ceil(self)
            }

            fn trunc(self) -> Self {
                <$float>::trunc(self)
            }

            fn round(self) -> Self {
                <$float>::round(self)
            }

            fn round_even(self) -> Self {
                self.round_ties_even()
            }

            fn scale(self, exponent: i32) -> Self {
                let scaled = <$soft>::from_bits(Number::to_bits(self)).scalbn(exponent);
                Number::from_bits(scaled.to_bits())
            }

            fn frexp(self) -> (Self, i32) {
                if self == 0.0 {
                    return (self, 0);
                }
                let mut exponent = 0;
                let fraction = <$soft>::from_bits(Number::to_bits(self)).frexp(&mut exponent);
                (Number::from_bits(fraction.to_bits()), exponent)
            }
        }
    };
}

of_the_host!(f32, u32, Single, 32, 22);
of_the_host!(f64, u64, Double, 64, 51);
