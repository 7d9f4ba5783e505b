//! What a register or a memory cell holds.

use serde::{Deserialize, Serialize};
use smt::TermId;
use std::fmt;

ir::entity_id!(
    /// An object of one execution, numbered in allocation order.
    ///
    /// Never reused: a dangling pointer keeps naming the object that died.
    ObjId, "o"
);
ir::entity_id!(
    /// A pointer of the initial heap whose target may still be open, numbered in the order in which it was first read.
    LazyId, "p"
);

/// An address with provenance: byte `offset` of `object`, in bounds or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Pointer {
    pub object: ObjId,
    pub offset: i64,
}

impl Pointer {
    /// The first byte of `object`.
    pub fn to(object: ObjId) -> Self {
        Pointer { object, offset: 0 }
    }

    /// Moves by `bytes` within reach of the object; [`crate::Memory::moved`] is for distances that the program chooses.
    #[must_use]
    pub fn plus(self, bytes: i64) -> Self {
        Pointer { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:+}", self.object, self.offset)
    }
}

/// A value of up to 64 bits, or a term of any width.
///
/// Untyped on purpose: clang moves pointers through integers of their size (atomics, unions), and provenance survives that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A concrete integer, zero-extended; as a pointer, an address without provenance (0 is null).
    Int(u64),
    /// A symbolic integer; its term has the width of the register or cell.
    Term(TermId),
    Ptr(Pointer),
    /// A known object at a symbolic offset (64 bits, whatever the size of addresses).
    Symbolic {
        object: ObjId,
        offset: TermId,
    },
    /// A pointer of the initial heap plus a constant, not yet looked at.
    Lazy {
        pointer: LazyId,
        offset: i64,
    },
}

impl Value {
    pub const NULL: Value = Value::Int(0);
}
