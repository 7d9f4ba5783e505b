//! Numbers of IEEE 754's binary32 and binary64 as bit-vectors, and what their operators yield.
//!
//! The format follows from a word's width. Rounding is to the nearest number, ties to the even one; results are those of
//! SSE2, bit by bit: the first NaN among the operands comes out quiet, a NaN that no operand is comes out negative ("real
//! indefinite"), and a conversion to an integer that does not fit yields the least one ("integer indefinite").
//! What a sign alone decides (negation, size) is built of bit-vector operators by whoever needs it.

use crate::semantics::signed;
use crate::term::mask;

/// An operator on floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum FloatOp {
    Sqrt,
    Floor,
    Ceil,
    /// Towards zero.
    Trunc,
    /// To the nearest integer, halves away from zero.
    Round,
    /// To the nearest integer, halves to the even one.
    RoundEven,
    /// The nearest number to a two's complement integer of any width.
    FromSigned,
    /// The integer part as two's complement of 32 or 64 bits; the least number where it does not fit.
    ToSigned,
    /// The nearest number of the other format.
    Resize,
    Add,
    Sub,
    Mul,
    Div,
    /// One bit: false if an operand is a NaN, as are the next two.
    Less,
    LessEqual,
    Equal,
    /// `a * b + c`, rounded once.
    MulAdd,
}

impl FloatOp {
    pub(crate) const ALL: [FloatOp; 17] = [
        FloatOp::Sqrt,
        FloatOp::Floor,
        FloatOp::Ceil,
        FloatOp::Trunc,
        FloatOp::Round,
        FloatOp::RoundEven,
        FloatOp::FromSigned,
        FloatOp::ToSigned,
        FloatOp::Resize,
        FloatOp::Add,
        FloatOp::Sub,
        FloatOp::Mul,
        FloatOp::Div,
        FloatOp::Less,
        FloatOp::LessEqual,
        FloatOp::Equal,
        FloatOp::MulAdd,
    ];

    pub(crate) fn arity(self) -> usize {
        match self {
            op if (op as u8) < FloatOp::Add as u8 => 1,
            FloatOp::MulAdd => 3,
            _ => 2,
        }
    }

    /// The operator that a term's key has in its `low`.
    pub(crate) fn of(code: u8) -> FloatOp {
        FloatOp::ALL[usize::from(code)]
    }

    pub(crate) fn is_comparison(self) -> bool {
        matches!(self, FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal)
    }

    /// Whether an operator takes operands of `from` bits to a result of `to`.
    pub(crate) fn fits(self, from: u32, to: u32) -> bool {
        let number = |width| matches!(width, 32 | 64);
        match self {
            FloatOp::FromSigned => number(to),
            FloatOp::ToSigned => number(from) && number(to),
            FloatOp::Resize => number(from) && number(to) && from != to,
            _ if self.is_comparison() => number(from) && to == 1,
            _ => number(from) && from == to,
        }
    }
}

/// What the format of a width is made of.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Bits of the exponent.
    pub(crate) exponent: usize,
    /// Bits of the significand, with the one that is not stored.
    pub(crate) precision: usize,
}

impl Format {
    pub(crate) fn of(width: u32) -> Format {
        if width == 32 { Format { exponent: 8, precision: 24 } } else { Format { exponent: 11, precision: 53 } }
    }

    /// What is added to an exponent before it is stored.
    pub(crate) fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bit that makes a NaN quiet.
    pub(crate) fn quiet(self) -> u128 {
        1 << (self.precision - 2)
    }

    pub(crate) fn width(self) -> usize {
        self.exponent + self.precision
    }

    fn infinity(self) -> u128 {
        mask(self.exponent as u32) << (self.precision - 1)
    }

    /// The NaN that comes of numbers.
    pub(crate) fn indefinite(self) -> u128 {
        1 << (self.width() - 1) | self.infinity() | self.quiet()
    }

    fn is_nan(self, bits: u128) -> bool {
        bits & mask(self.width() as u32 - 1) > self.infinity()
    }
}

/// The value of an operator on constants of `from` bits, the result of `to` bits.
pub(crate) fn apply(op: FloatOp, from: u32, to: u32, args: [u128; 3]) -> u128 {
    match op {
        FloatOp::FromSigned => {
            let value = signed(args[0], from);
            if to == 32 { u128::from((value as f32).to_bits()) } else { u128::from((value as f64).to_bits()) }
        }
        FloatOp::ToSigned => to_signed(number(from, args[0]), to),
        // Conversions between the formats keep what fits of a NaN, and make it quiet.
        FloatOp::Resize if to == 32 => u128::from((f64::from_bits(args[0] as u64) as f32).to_bits()),
        FloatOp::Resize => u128::from(f64::from(f32::from_bits(args[0] as u32)).to_bits()),
        FloatOp::Less => u128::from(number(from, args[0]) < number(from, args[1])),
        FloatOp::LessEqual => u128::from(number(from, args[0]) <= number(from, args[1])),
        FloatOp::Equal => u128::from(number(from, args[0]) == number(from, args[1])),
        _ => {
            let format = Format::of(from);
            if let Some(&nan) = args[..op.arity()].iter().find(|&&bits| format.is_nan(bits)) {
                return nan | format.quiet();
            }
            let result = if from == 32 { single(op, args) } else { double(op, args) };
            if format.is_nan(result) { format.indefinite() } else { result }
        }
    }
}

/// The number that a word is: `float`'s are among `double`'s.
fn number(width: u32, bits: u128) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) }
}

/// `cvttss2si`, `cvttsd2si`
fn to_signed(value: f64, width: u32) -> u128 {
    let limit = 2f64.powi(width as i32 - 1);
    let whole = value.trunc();
    let fits = whole >= -limit && whole < limit;
    (if fits { whole as i64 as u128 } else { 1 << (width - 1) }) & mask(width)
}

macro_rules! by_the_host {
    ($name:ident, $float:ty, $word:ty) => {
        fn $name(op: FloatOp, args: [u128; 3]) -> u128 {
            let [a, b, c] = args.map(|bits| <$float>::from_bits(bits as $word));
            let result = match op {
                FloatOp::Sqrt => a.sqrt(),
                FloatOp::Floor => a.floor(),
                FloatOp::Ceil => a.ceil(),
                FloatOp::Trunc => a.trunc(),
                FloatOp::Round => a.round(),
                FloatOp::RoundEven => a.round_ties_even(),
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
                FloatOp::MulAdd => a.mul_add(b, c),
                FloatOp::FromSigned | FloatOp::ToSigned | FloatOp::Resize => a,
                FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal => a,
            };
            u128::from(result.to_bits())
        }
    };
}

by_the_host!(single, f32, u32);
by_the_host!(double, f64, u64);

/// The operand that undoes an operator: `operand`th, such that the result is `wanted` as nearly as can be told, the others
/// having the values that they have.
pub(crate) fn undone(op: FloatOp, from: u32, to: u32, wanted: u128, args: [u128; 3], operand: usize) -> Option<u128> {
    let of = |op, args| Some(apply(op, from, from, args));
    let [a, b, _] = args;
    match (op, operand) {
        (FloatOp::Add, _) => of(FloatOp::Sub, [wanted, args[1 - operand], 0]),
        (FloatOp::Sub, 0) => of(FloatOp::Add, [wanted, b, 0]),
        (FloatOp::Sub, _) => of(FloatOp::Sub, [a, wanted, 0]),
        (FloatOp::Mul, _) => of(FloatOp::Div, [wanted, args[1 - operand], 0]),
        (FloatOp::Div, 0) => of(FloatOp::Mul, [wanted, b, 0]),
        (FloatOp::Div, _) => of(FloatOp::Div, [a, wanted, 0]),
        (FloatOp::Sqrt, _) => of(FloatOp::Mul, [wanted, wanted, 0]),
        (FloatOp::Floor | FloatOp::Ceil | FloatOp::Trunc | FloatOp::Round | FloatOp::RoundEven, _) => Some(wanted),
        (FloatOp::FromSigned, _) if matches!(from, 32 | 64) => Some(apply(FloatOp::ToSigned, to, from, [wanted, 0, 0])),
        (FloatOp::ToSigned, _) => Some(apply(FloatOp::FromSigned, to, from, [wanted, 0, 0])),
        (FloatOp::Resize, _) => Some(apply(FloatOp::Resize, to, from, [wanted, 0, 0])),
        _ => None,
    }
}

/// The next number above or below, as far as there is one.
pub(crate) fn neighbour(width: u32, bits: u128, up: bool) -> u128 {
    match (width, up) {
        (32, true) => u128::from(f32::from_bits(bits as u32).next_up().to_bits()),
        (32, false) => u128::from(f32::from_bits(bits as u32).next_down().to_bits()),
        (_, true) => u128::from(f64::from_bits(bits as u64).next_up().to_bits()),
        (_, false) => u128::from(f64::from_bits(bits as u64).next_down().to_bits()),
    }
}
