//! What a register or a memory cell holds.

use crate::Mixer;
use serde::{Deserialize, Serialize};
use smt::TermId;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

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

/// The bytes of an object that a pointer to an element of an array in a record may be moved within and lead to (C11 6.5.6p8), where
/// they are known and both numbers fit; otherwise the whole object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Part {
    start: u16,
    length: u16,
}

impl Part {
    pub const WHOLE: Part = Part { start: 0, length: 0 };

    pub fn new(bytes: Range<u64>) -> Self {
        match (u16::try_from(bytes.start), u16::try_from(bytes.end.saturating_sub(bytes.start))) {
            (Ok(start), Ok(length)) => Part { start, length },
            _ => Part::WHOLE,
        }
    }

    #[inline]
    pub fn is_whole(self) -> bool {
        self.length == 0
    }

    /// The same bytes where counting begins elsewhere; the whole object where they do not fit.
    #[must_use]
    pub fn shifted(self, by: i64) -> Self {
        let start = self.bytes().and_then(|bytes| bytes.start.checked_add_signed(by));
        start.map_or(Part::WHOLE, |start| Part::new(start..start + u64::from(self.length)))
    }

    pub fn mix(self, mixer: &mut Mixer) {
        if !self.is_whole() {
            mixer.word(u64::from(self.start) << 16 | u64::from(self.length));
        }
    }

    /// The bytes, unless it is the whole object.
    pub fn bytes(self) -> Option<Range<u64>> {
        let start = u64::from(self.start);
        (!self.is_whole()).then_some(start..start + u64::from(self.length))
    }
}

/// An address with provenance: byte `offset` of `object`, in bounds or not. Two are equal if they lead to one place, whatever part they
/// may be moved within.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Pointer {
    pub object: ObjId,
    pub offset: i64,
    /// What accesses through it are kept to.
    #[serde(skip)]
    pub part: Part,
}

impl PartialEq for Pointer {
    fn eq(&self, other: &Self) -> bool {
        (self.object, self.offset) == (other.object, other.offset)
    }
}

impl Eq for Pointer {}

impl PartialOrd for Pointer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pointer {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.object, self.offset).cmp(&(other.object, other.offset))
    }
}

impl Hash for Pointer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.object, self.offset).hash(state);
    }
}

impl Pointer {
    /// Byte `offset` of `object`.
    #[inline]
    pub fn new(object: ObjId, offset: i64) -> Self {
        Pointer { object, offset, part: Part::WHOLE }
    }

    /// The first byte of `object`.
    pub fn to(object: ObjId) -> Self {
        Pointer::new(object, 0)
    }

    /// Kept to that part of its object.
    #[must_use]
    pub fn within(self, part: Part) -> Self {
        Pointer { part, ..self }
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
        part: Part,
    },
    /// A pointer of the initial heap plus a constant, not yet looked at.
    Lazy {
        pointer: LazyId,
        offset: i64,
        /// Counted from where the pointer leads.
        part: Part,
    },
}

impl Value {
    pub const NULL: Value = Value::Int(0);

    /// What accesses through it are kept to, if it is a pointer.
    pub fn part(self) -> Part {
        match self {
            Value::Ptr(Pointer { part, .. }) | Value::Symbolic { part, .. } | Value::Lazy { part, .. } => part,
            Value::Int(_) | Value::Term(_) => Part::WHOLE,
        }
    }

    /// A pointer of the initial heap.
    pub fn lazy(pointer: LazyId) -> Self {
        Value::Lazy { pointer, offset: 0, part: Part::WHOLE }
    }
}
