//! Integers with bounds.

use std::rc::Rc;

/// An integer term of a script, and what bounds it.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// A name or a literal.
    pub(super) text: Rc<str>,
    pub(super) low: i128,
    pub(super) high: i128,
}

/// Bounds beyond this are not computed with.
const FAR: i128 = 1 << 110;

impl Number {
    pub(super) fn literal(value: i128) -> Number {
        Number { text: literal(value).into(), low: value, high: value }
    }

    /// The value, if there is only one.
    pub(super) fn value(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(super) fn within(&self, low: i128, high: i128) -> bool {
        low <= self.low && self.high <= high
    }

    pub(super) fn is_bit(&self) -> bool {
        self.within(0, 1)
    }
}

/// An integer as SMT-LIB writes it.
pub(super) fn literal(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// `low` and `high` in order, unless they are too far to be computed with.
pub(super) fn bounded(low: Option<i128>, high: Option<i128>) -> Option<(i128, i128)> {
    let (low, high) = (low?, high?);
    (low <= high && -FAR < low && high < FAR).then_some((low, high))
}

/// The values of signed or unsigned words of `width` bits.
pub(super) fn range(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}
