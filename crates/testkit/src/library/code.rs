//! What the oracle runs: per operation a list of instructions, each with the source line it came from.
//!
//! An instruction is visible (one step: an access to shared memory or a lock operation) or local.

use super::ast::{Callback, LinkId, RootId, Strength};

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
    /// Atomic, as all loads and stores, where there is an order.
    LoadPtr {
        slot: Slot,
        dst: PtrReg,
        order: Option<Strength>,
    },
    StorePtr {
        slot: Slot,
        value: PtrOperand,
        order: Option<Strength>,
    },
    SwapPtr {
        slot: Slot,
        value: PtrOperand,
        dst: PtrReg,
        order: Strength,
    },
    /// Goes on behind itself where exchanging is what it was to be, else at `otherwise`.
    CompareSwapPtr {
        slot: Slot,
        expected: PtrReg,
        value: PtrOperand,
        order: Strength,
        exchanged: bool,
        otherwise: Pc,
    },
    LoadKey {
        node: PtrOperand,
        dst: IntReg,
        order: Option<Strength>,
    },
    StoreKey {
        node: PtrOperand,
        value: IntOperand,
    },
    SwapKey {
        node: PtrOperand,
        value: IntOperand,
        dst: IntReg,
        order: Strength,
    },
    /// All bytes of a node.
    LoadWhole {
        node: PtrOperand,
        key: IntReg,
        next: PtrReg,
    },
    CopyWhole {
        to: PtrOperand,
        from: PtrOperand,
    },
    /// The function that an owner names, into a register of its own.
    LoadVisitor(RootId),
    /// The key's address becomes the owner's mark.
    StoreMark {
        root: RootId,
        node: PtrOperand,
    },
    /// Into a register of its own.
    LoadMark(RootId),
    /// What the mark in the register leads to.
    LoadMarked(IntReg),
    StoreMarked(IntOperand),
    /// Into a register of its own, too.
    LoadCallback {
        root: RootId,
        callback: Callback,
    },
    /// It becomes null.
    ClearCallback {
        root: RootId,
        callback: Callback,
    },
    /// Goes on behind itself where the byte is not zero, else at `otherwise`.
    LoadByte {
        node: PtrOperand,
        byte: u8,
        otherwise: Pc,
    },
    StoreByte {
        node: PtrOperand,
        byte: u8,
        sets: bool,
    },
    /// Reads a string that begins at this byte to its end.
    Length {
        node: PtrOperand,
        byte: u8,
    },
    /// A node's first link, with a flag in it or without.
    StoreFlagged {
        node: PtrOperand,
        value: PtrOperand,
        flagged: bool,
    },
    /// Reads a link; goes on behind itself where the flag in it is as it `is` to be, else at `otherwise`.
    LoadFlag {
        node: PtrOperand,
        is: bool,
        otherwise: Pc,
    },
    LoadCount(RootId),
    StoreCount(RootId),
    Lock(LockSlot),
    /// Goes on behind itself where it takes the lock, else at `otherwise`.
    TryLock {
        lock: LockSlot,
        /// It waits for a while.
        timed: bool,
        otherwise: Pc,
    },
    Unlock(LockSlot),
    InitLock(PtrOperand),
    Free(PtrOperand),
    /// Two steps: falling asleep, and going on with the lock.
    Wait(RootId),
    Signal {
        root: RootId,
        all: bool,
    },

    // Local instructions; an allocation is one because nobody else can see it.
    Allocate(PtrReg),
    Move {
        dst: PtrReg,
        value: PtrOperand,
    },
    MoveInt {
        dst: IntReg,
        value: IntOperand,
    },
    /// Goes on behind itself where the function loaded is the one that reads, at `otherwise` where it is the other one.
    BranchVisitor {
        otherwise: Pc,
    },
    /// Goes on behind itself where the mark in the register leads somewhere.
    BranchMark {
        otherwise: Pc,
    },
    /// Goes on behind itself where the client's function in the register is not null.
    BranchCallback {
        otherwise: Pc,
    },
    /// Calls it. Into the register comes what it returns.
    CallBack(Option<IntReg>),
    /// Leads out of an array: a fault.
    Stray,
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

impl Op {
    pub(super) fn is_atomic(self) -> bool {
        match self {
            Op::LoadPtr { order, .. } | Op::StorePtr { order, .. } | Op::LoadKey { order, .. } => order.is_some(),
            Op::SwapPtr { .. } | Op::CompareSwapPtr { .. } | Op::SwapKey { .. } => true,
            _ => false,
        }
    }

    /// The same so many instructions further on.
    pub(super) fn moved(mut self, by: u16) -> Op {
        if let Some(target) = self.target() {
            target.0 += by;
        }
        self
    }

    /// Where it may go on other than behind itself.
    pub(super) fn target(&mut self) -> Option<&mut Pc> {
        match self {
            Op::Jump(target)
            | Op::BranchPtr { otherwise: target, .. }
            | Op::BranchInt { otherwise: target, .. }
            | Op::BranchVisitor { otherwise: target }
            | Op::BranchMark { otherwise: target }
            | Op::BranchCallback { otherwise: target }
            | Op::LoadByte { otherwise: target, .. }
            | Op::LoadFlag { otherwise: target, .. }
            | Op::BranchOwnerNull { otherwise: target }
            | Op::CompareSwapPtr { otherwise: target, .. }
            | Op::TryLock { otherwise: target, .. } => Some(target),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instr {
    pub(super) op: Op,
    pub(super) line: u32,
}

pub(super) type Code = Vec<Instr>;
