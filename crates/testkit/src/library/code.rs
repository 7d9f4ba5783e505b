//! What the oracle runs: per operation a list of instructions, each with the source line it came from.
//!
//! An instruction is visible (one step: an access to shared memory or a lock operation) or local.

use super::ast::{LinkId, RootId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Pc(pub(super) u16);

/// A pointer register: the variables `p`, `q`, `t`, then scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PtrReg(pub(super) u8);

/// An integer register: `v`, then scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntReg(pub(super) u8);

pub(super) const POINTER_SCRATCH: PtrReg = PtrReg(super::ast::POINTERS as u8);
pub(super) const PTR_REGS: usize = super::ast::POINTERS + 1;
pub(super) const INT_REGS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PtrOperand {
    Null,
    Reg(PtrReg),
    Param,
    Own,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntOperand {
    K,
    Reg(IntReg),
    Const(i32),
}

/// A pointer in memory; roots lie in the owner or in a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Root(RootId),
    Field(PtrOperand, LinkId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockSlot {
    Root(RootId),
    Node(PtrOperand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    LoadPtr {
        slot: Slot,
        dst: PtrReg,
    },
    StorePtr {
        slot: Slot,
        value: PtrOperand,
    },
    LoadKey {
        node: PtrOperand,
        dst: IntReg,
    },
    StoreKey {
        node: PtrOperand,
        value: IntOperand,
    },
    LoadCount(RootId),
    StoreCount(RootId),
    Lock(LockSlot),
    Unlock(LockSlot),
    InitLock(PtrOperand),
    Free(PtrOperand),

    // Local instructions; an allocation is one because nobody else can see it.
    Allocate(PtrReg),
    Move {
        dst: PtrReg,
        value: PtrOperand,
    },
    /// Goes on behind itself where `one == other` is `equal`, else at `otherwise`.
    BranchPtr {
        one: PtrOperand,
        other: PtrOperand,
        equal: bool,
        otherwise: Pc,
    },
    BranchInt {
        one: IntOperand,
        other: IntOperand,
        equal: bool,
        otherwise: Pc,
    },
    /// Goes on behind itself where the owner parameter is null.
    BranchOwnerNull {
        otherwise: Pc,
    },
    Jump(Pc),
    Return,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instr {
    pub(super) op: Op,
    pub(super) line: u32,
}

pub(super) type Code = Vec<Instr>;
