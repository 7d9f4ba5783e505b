//! Integer expressions whose value range is known, so that none of them is undefined.
//!
//! Each expression carries its C type and an interval that contains its value. An operation that could overflow a
//! signed type is done in the unsigned one and converted back (which clang defines as wrapping); divisors and shift
//! counts are confined first. So every expression is defined whatever values the variables have.

use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

use Type as T;

pub(super) const TYPES: [Type; 9] = [T::Bool, T::I8, T::U8, T::I16, T::U16, T::I32, T::U32, T::I64, T::U64];

impl Type {
    pub(super) fn name(self) -> &'static str {
        match self {
            T::Bool => "_Bool",
            T::I8 => "int8_t",
            T::U8 => "uint8_t",
            T::I16 => "int16_t",
            T::U16 => "uint16_t",
            T::I32 => "int32_t",
            T::U32 => "uint32_t",
            T::I64 => "int64_t",
            T::U64 => "uint64_t",
        }
    }

    pub(super) fn signed(self) -> bool {
        matches!(self, T::I8 | T::I16 | T::I32 | T::I64)
    }

    fn bits(self) -> u32 {
        match self {
            T::Bool => 1,
            T::I8 | T::U8 => 8,
            T::I16 | T::U16 => 16,
            T::I32 | T::U32 => 32,
            T::I64 | T::U64 => 64,
        }
    }

    pub(super) fn range(self) -> Range {
        if self.signed() {
            Range { low: -(1 << (self.bits() - 1)), high: (1 << (self.bits() - 1)) - 1 }
        } else {
            Range { low: 0, high: (1 << self.bits()) - 1 }
        }
    }

    /// C11 6.3.1.1: what an operand of this type becomes.
    fn promoted(self) -> Type {
        self.max(T::I32)
    }

    /// C11 6.3.1.8 on x86-64. The order of the variants is that of the conversions.
    fn common(self, other: Type) -> Type {
        self.promoted().max(other.promoted())
    }

    fn unsigned(self) -> Type {
        match self {
            T::I32 => T::U32,
            T::I64 => T::U64,
            other => other,
        }
    }
}

/// Values from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Range {
    fn within(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    fn hull(values: [i128; 4]) -> Range {
        Range {
            low: values.into_iter().fold(i128::MAX, i128::min),
            high: values.into_iter().fold(i128::MIN, i128::max),
        }
    }

    fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: String,
    pub(super) ty: Type,
    pub(super) range: Range,
}

pub(super) const ARITHMETIC: [&str; 3] = ["+", "-", "*"];

impl Expr {
    /// Something of this type that may have any of its values.
    pub(super) fn any(text: impl Into<String>, ty: Type) -> Expr {
        Expr { text: text.into(), ty, range: ty.range() }
    }

    pub(super) fn between(text: impl Into<String>, ty: Type, low: i128, high: i128) -> Expr {
        Expr { text: text.into(), ty, range: Range { low, high } }
    }

    pub(super) fn literal(ty: Type, value: i128) -> Expr {
        let ty = ty.promoted();
        let text = match ty {
            // The most negative numbers have no literal.
            T::I64 if value == ty.range().low => "INT64_MIN".to_owned(),
            T::I32 if value == ty.range().low => "INT32_MIN".to_owned(),
            T::I64 => format!("{value}L"),
            T::U32 => format!("{value}u"),
            T::U64 => format!("{value}ul"),
            _ => value.to_string(),
        };
        let text = if value < 0 { format!("({text})") } else { text };
        Expr { text, ty, range: Range { low: value, high: value } }
    }

    pub(super) fn cast(self, ty: Type) -> Expr {
        let text = format!("(({}){})", ty.name(), self.text);
        let range = match ty {
            T::Bool => ty.range(),
            _ if self.range.within(ty.range()) => self.range,
            _ => ty.range(),
        };
        Expr { text, ty, range }
    }

    /// The range after the conversion to `ty`.
    fn range_as(&self, ty: Type) -> Range {
        if self.range.within(ty.range()) { self.range } else { ty.range() }
    }

    /// `+`, `-` or `*` as it stands; none if it could overflow.
    pub(super) fn arithmetic(&self, sign: &str, other: &Expr) -> Option<Expr> {
        let ty = self.ty.common(other.ty);
        let (a, b) = (self.range_as(ty), other.range_as(ty));
        let exact = match sign {
            "+" => Range { low: a.low + b.low, high: a.high + b.high },
            "-" => Range { low: a.low - b.high, high: a.high - b.low },
            // Two 64-bit ranges multiply to more than 128 bits only for the unsigned, which wrap anyhow.
            _ => Range::hull([
                a.low.saturating_mul(b.low),
                a.low.saturating_mul(b.high),
                a.high.saturating_mul(b.low),
                a.high.saturating_mul(b.high),
            ]),
        };
        let fits = exact.within(ty.range());
        let range = if fits { exact } else { ty.range() };
        let text = format!("({} {sign} {})", self.text, other.text);
        (fits || !ty.signed()).then_some(Expr { text, ty, range })
    }

    /// `+`, `-` or `*`, by way of the unsigned type where it could overflow.
    pub(super) fn wrapping(self, sign: &str, other: Expr) -> Expr {
        self.arithmetic(sign, &other).unwrap_or_else(|| {
            let ty = self.ty.common(other.ty);
            let (name, unsigned) = (ty.name(), ty.unsigned().name());
            Expr::any(format!("(({name})(({unsigned}){} {sign} ({unsigned}){}))", self.text, other.text), ty)
        })
    }

    /// `/` or `%`, by a divisor that is not zero, and not -1 where that could overflow.
    pub(super) fn divide(self, sign: &str, other: Expr, negative: bool) -> Expr {
        let divisor = if negative {
            // From -17 to -2; in a signed type, for otherwise it is a large positive number.
            Expr::between(format!("(-(int32_t)({} & 15) - 2)", other.text), T::I32, -17, -2)
        } else {
            Expr::between(format!("(({} & 15) + 1)", other.text), other.ty.promoted(), 1, 16)
        };
        let ty = self.ty.common(divisor.ty);
        let text = format!("({} {sign} {})", self.text, divisor.text);
        let (a, largest) = (self.range_as(ty), 16);
        let range = match sign {
            _ if !ty.signed() => ty.range(),
            "%" => Range { low: if a.low < 0 { -largest } else { 0 }, high: largest },
            _ => {
                let most = a.low.abs().max(a.high.abs());
                Range { low: -most, high: most }
            }
        };
        // The quotient by 1 of the smallest number is itself; by a negative divisor it is at most half.
        let range = if range.within(ty.range()) { range } else { ty.range() };
        Expr { text, ty, range }
    }

    pub(super) fn shift(self, sign: &str, other: Expr) -> Expr {
        let ty = self.ty.promoted();
        let count = format!("({} & {})", other.text, ty.bits() - 1);
        if sign == "<<" && ty.signed() {
            let (name, unsigned) = (ty.name(), ty.unsigned().name());
            let fits = self.range.low >= 0 && self.range.high <= 0xff;
            if fits {
                let text = format!("({} << ({} & 15))", self.text, other.text);
                return Expr::between(text, ty, 0, 0xff << 15);
            }
            return Expr::any(format!("(({name})(({unsigned}){} << {count}))", self.text), ty);
        }
        Expr::any(format!("({} {sign} {count})", self.text), ty)
    }

    pub(super) fn bitwise(self, sign: &str, other: Expr) -> Expr {
        let ty = self.ty.common(other.ty);
        let (a, b) = (self.range_as(ty), other.range_as(ty));
        let text = format!("({} {sign} {})", self.text, other.text);
        let range = match sign {
            "&" if a.low >= 0 && b.low >= 0 => Range { low: 0, high: a.high.min(b.high) },
            _ if a.low >= 0 && b.low >= 0 => {
                let bits = 128 - a.high.max(b.high).leading_zeros();
                Range { low: 0, high: (1 << bits) - 1 }
            }
            _ => ty.range(),
        };
        Expr { text, ty, range }
    }

    /// A comparison or `&&`, `||`.
    pub(super) fn truth(self, sign: &str, other: Expr) -> Expr {
        Expr::between(format!("({} {sign} {})", self.text, other.text), T::I32, 0, 1)
    }

    pub(super) fn not(self) -> Expr {
        Expr::between(format!("(!{})", self.text), T::I32, 0, 1)
    }

    pub(super) fn complement(self) -> Expr {
        let ty = self.ty.promoted();
        let range =
            if ty.signed() { Range { low: -self.range.high - 1, high: -self.range.low - 1 } } else { ty.range() };
        Expr { text: format!("(~{})", self.text), ty, range }
    }

    pub(super) fn negate(self) -> Expr {
        Expr::literal(T::I32, 0).wrapping("-", self)
    }

    pub(super) fn select(self, then: Expr, otherwise: Expr) -> Expr {
        let ty = then.ty.common(otherwise.ty);
        let range = then.range_as(ty).union(otherwise.range_as(ty));
        Expr { text: format!("({} ? {} : {})", self.text, then.text, otherwise.text), ty, range }
    }

    /// An index below `len`, a power of two.
    pub(super) fn index(&self, len: u32) -> String {
        if self.range.low >= 0 && self.range.high < i128::from(len) {
            return self.text.clone();
        }
        format!("{} & {}", self.text, len - 1)
    }
}

/// A constant of this type, small or at an edge.
pub(super) fn constant(rng: &mut Rng, ty: Type) -> Expr {
    let Range { low, high } = ty.range();
    let value = match rng.below(8) {
        0 => low,
        1 => high,
        2 => high / 2 + 1,
        3 => (i128::from(rng.next_u64())).rem_euclid(high - low + 1) + low,
        _ => i128::from(rng.between(-4, 20)).clamp(low, high),
    };
    Expr::literal(ty, value)
}
