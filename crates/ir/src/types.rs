//! Two notions of type: [`Ty`], what a register holds, and [`DebugType`], what the source declared.
//!
//! LLVM's pointers are opaque; which record a pointer reaches is known from debug types only. They drive the lazy heap
//! (which object a symbolic pointer may reach), tell which indices are out of bounds, and name fields in reports. They never
//! decide what an instruction computes.

use crate::{FuncId, TypeId};
use serde::{Deserialize, Serialize};

/// How wide the target's addresses are: those of `size_t` and of everything that an address is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum PointerSize {
    /// i386 and its kin (`-m32`).
    Four,
    #[default]
    Eight,
}

impl PointerSize {
    /// In bytes.
    #[inline]
    pub fn bytes(self) -> u64 {
        match self {
            PointerSize::Four => 4,
            PointerSize::Eight => 8,
        }
    }

    /// In bits.
    #[inline]
    pub fn bits(self) -> u16 {
        match self {
            PointerSize::Four => 32,
            PointerSize::Eight => 64,
        }
    }

    /// The largest address.
    #[inline]
    pub fn mask(self) -> u64 {
        match self {
            PointerSize::Four => 0xffff_ffff,
            PointerSize::Eight => u64::MAX,
        }
    }

    /// A distance in bytes as address arithmetic sees it: modulo the size of the address space, nearest to zero.
    #[inline]
    pub fn wrap(self, distance: i64) -> i64 {
        match self {
            PointerSize::Four => i64::from(distance as i32),
            PointerSize::Eight => distance,
        }
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ty {
    /// An integer of this many bits (1 to 128).
    Int(u16),
    /// A pointer; how wide it is says the module.
    Ptr,
    /// IEEE single, as 32 bits.
    F32,
    /// IEEE double, as 64 bits.
    F64,
    /// x87 extended, as 80 bits.
    F80,
}

impl Ty {
    /// Width in bits, with pointers of the target's size.
    #[inline]
    pub fn bits(self, pointer: PointerSize) -> u16 {
        self.number_bits().unwrap_or(pointer.bits())
    }

    /// Width in bits of a number; `None` for a pointer.
    #[inline]
    pub fn number_bits(self) -> Option<u16> {
        match self {
            Ty::Int(bits) => Some(bits),
            Ty::Ptr => None,
            Ty::F64 => Some(64),
            Ty::F32 => Some(32),
            Ty::F80 => Some(80),
        }
    }

    /// Whether values of the type are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64 | Ty::F80)
    }

    /// Bytes that a load or store of this type touches (LangRef: the store size).
    #[inline]
    pub fn store_size(self, pointer: PointerSize) -> u64 {
        u64::from(self.bits(pointer)).div_ceil(8)
    }
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Empty for an anonymous member.
    pub name: String,
    pub ty: TypeId,
    /// Byte offset in the record; for a bit-field, of its storage unit.
    pub offset: u64,
    /// For a bit-field: first bit, counted from the start of `offset`, and width in bits.
    pub bits: Option<(u32, u32)>,
}

/// A type of the source program (DWARF 5, chapter 5).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DebugType {
    /// `void`, or a type whose debug information is missing.
    Void,
    /// Integers, characters and `_Bool`.
    Int {
        name: String,
        size: u64,
        kind: IntKind,
    },
    /// `float`, `double`, `long double`, complex numbers.
    Float {
        name: String,
        size: u64,
    },
    Enum {
        name: String,
        size: u64,
        values: Vec<(String, i64)>,
    },
    Pointer {
        to: TypeId,
    },
    /// `struct` or `union`; `size` in bytes. Fields of a union all start at their own offset, mostly 0.
    Record {
        name: String,
        size: u64,
        union: bool,
        fields: Vec<Field>,
    },
    /// `count` is `None` for a flexible array member or an array of unknown bound.
    Array {
        of: TypeId,
        count: Option<u64>,
    },
    Function {
        ret: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    Typedef {
        name: String,
        to: TypeId,
    },
    Qualified {
        qualifier: Qualifier,
        to: TypeId,
    },
    /// A record that is declared but never defined.
    Opaque {
        name: String,
    },
}

/// How an integer type is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum IntKind {
    Bool,
    /// Plain, signed and unsigned `char`: a pointer to one may be a string.
    Char,
    Signed,
    Unsigned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Qualifier {
    Const,
    Volatile,
    Atomic,
    Restrict,
}

/// A relocation in a global's initialiser: the bytes of one pointer there hold an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Address {
    Global(crate::GlobalId, i64),
    Func(FuncId),
}
