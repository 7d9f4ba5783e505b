//! What a term is: ids, sorts, the compact stored form and the readable view.
//!
//! The stored form ([`Key`]) is 20 bytes and is its own hash-consing key. The canonical operators are few:
//! `sub`, `ne`, `ule`, `zext`, constant shifts and so on are built from the ones below (see `construct`), so
//! that each rewrite rule is written once.

use crate::float::FloatOp;
use std::fmt;

/// Widest bit-vector: constants are held in a `u128`.
pub const MAX_WIDTH: u32 = 128;

/// A term of one pool ([`crate::Terms`]).
///
/// Numbered in creation order; equal ids are equal terms. Meaningless in another pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// Position in creation order, for dense side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Display for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// The sort of a term. Booleans are bit-vectors of width 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    BitVec(u32),
    /// From bit-vectors of `index` bits to bytes.
    Array {
        index: u32,
    },
}

/// A free variable, bit-vector or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
    /// Stands for the content of storage that nobody has written.
    pub uninit: bool,
    pub term: TermId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Op {
    Const,
    Var,
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ult,
    Slt,
    Ite,
    Concat,
    Extract,
    Sext,
    ArrayVar,
    ConstArray,
    Store,
    Select,
    IteArray,
    /// Floating-point operators of one, two and three operands; which one is the key's `low` ([`FloatOp::of`]).
    Float1,
    Float2,
    Float3,
}

impl Op {
    /// How many of [`Key::args`] are terms.
    pub(crate) const fn arity(self) -> usize {
        match self {
            Op::Const | Op::Var | Op::ArrayVar => 0,
            Op::Not | Op::Neg | Op::Extract | Op::Sext | Op::ConstArray | Op::Float1 => 1,
            Op::And
            | Op::Or
            | Op::Xor
            | Op::Add
            | Op::Mul
            | Op::Udiv
            | Op::Sdiv
            | Op::Urem
            | Op::Srem
            | Op::Shl
            | Op::Lshr
            | Op::Ashr
            | Op::Eq
            | Op::Ult
            | Op::Slt
            | Op::Concat
            | Op::Select
            | Op::Float2 => 2,
            Op::Ite | Op::IteArray | Op::Store | Op::Float3 => 3,
        }
    }

    pub(crate) const fn is_array(self) -> bool {
        matches!(self, Op::ArrayVar | Op::ConstArray | Op::Store | Op::IteArray)
    }

    pub(crate) const fn commutes(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq)
    }
}

/// The stored form of a term, and its hash-consing key.
///
/// `width` is the width of the value, or for arrays the width of the index. `low` is the lowest bit of an
/// `Extract`, and of a floating-point operator which one it is. `args` are term ids, except for `Const` (the value, least significant word first) and
/// variables (the index of the variable).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    pub(crate) op: Op,
    pub(crate) width: u8,
    pub(crate) low: u8,
    pub(crate) args: [u32; 4],
}

impl Key {
    pub(crate) fn new(op: Op, width: u32, args: &[TermId]) -> Key {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "width {width}");
        let mut words = [0; 4];
        for (word, arg) in words.iter_mut().zip(args) {
            *word = arg.0;
        }
        Key { op, width: width as u8, low: 0, args: words }
    }

    pub(crate) fn constant(width: u32, value: u128) -> Key {
        let value = value & mask(width);
        let mut key = Key::new(Op::Const, width, &[]);
        for (i, word) in key.args.iter_mut().enumerate() {
            *word = (value >> (32 * i)) as u32;
        }
        key
    }

    pub(crate) fn extract(a: TermId, high: u32, low: u32) -> Key {
        let mut key = Key::new(Op::Extract, high - low + 1, &[a]);
        key.low = low as u8;
        key
    }

    /// `width` is that of the result.
    pub(crate) fn float(op: FloatOp, width: u32, args: &[TermId]) -> Key {
        debug_assert_eq!(args.len(), op.arity());
        let of = [Op::Float1, Op::Float2, Op::Float3][args.len() - 1];
        Key { low: op as u8, ..Key::new(of, width, args) }
    }

    /// The floating-point operator, if it is one.
    pub(crate) fn float_op(&self) -> Option<FloatOp> {
        matches!(self.op, Op::Float1 | Op::Float2 | Op::Float3).then(|| FloatOp::of(self.low))
    }

    pub(crate) fn value(&self) -> Option<u128> {
        (self.op == Op::Const)
            .then(|| self.args.iter().rev().fold(0u128, |value, &word| (value << 32) | u128::from(word)))
    }

    pub(crate) fn w(&self) -> u32 {
        u32::from(self.width)
    }

    pub(crate) fn a(&self) -> TermId {
        TermId(self.args[0])
    }

    pub(crate) fn b(&self) -> TermId {
        TermId(self.args[1])
    }

    pub(crate) fn c(&self) -> TermId {
        TermId(self.args[2])
    }

    pub(crate) fn low(&self) -> u32 {
        u32::from(self.low)
    }

    /// The highest bit that an `Extract` takes.
    pub(crate) fn high(&self) -> u32 {
        self.low() + self.w() - 1
    }

    pub(crate) fn operands(&self) -> impl Iterator<Item = TermId> + use<> {
        let args = self.args;
        (0..self.op.arity()).map(move |i| TermId(args[i]))
    }
}

/// All ones in the low `width` bits.
pub(crate) const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The readable view of a term. Operands of one node have the same width unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Const {
        width: u32,
        value: u128,
    },
    /// A bit-vector variable; the index is for [`crate::Terms::variable`].
    Var(usize),
    Not(TermId),
    Neg(TermId),
    /// On width 1 this is conjunction; disjunction is a negated conjunction of negations.
    And(TermId, TermId),
    Or(TermId, TermId),
    Xor(TermId, TermId),
    Add(TermId, TermId),
    Mul(TermId, TermId),
    Udiv(TermId, TermId),
    Sdiv(TermId, TermId),
    Urem(TermId, TermId),
    Srem(TermId, TermId),
    Shl(TermId, TermId),
    Lshr(TermId, TermId),
    Ashr(TermId, TermId),
    /// Equality of two bit-vectors; width 1, like `Ult` and `Slt`.
    Eq(TermId, TermId),
    Ult(TermId, TermId),
    Slt(TermId, TermId),
    Ite(TermId, TermId, TermId),
    /// The first operand holds the high bits. A zero extension is a `Concat` with a constant zero.
    Concat(TermId, TermId),
    Extract {
        term: TermId,
        high: u32,
        low: u32,
    },
    Sext {
        term: TermId,
        width: u32,
    },
    /// An array variable; the index is for [`crate::Terms::variable`].
    ArrayVar(usize),
    /// Every element is this byte.
    ConstArray(TermId),
    Store {
        array: TermId,
        index: TermId,
        value: TermId,
    },
    Select {
        array: TermId,
        index: TermId,
    },
    /// `Ite` on arrays.
    IteArray(TermId, TermId, TermId),
    /// Operands beyond the operator's arity mean nothing.
    Float(FloatOp, [TermId; 3]),
}
