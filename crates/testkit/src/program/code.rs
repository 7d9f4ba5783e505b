//! What the oracle runs: per thread a list of instructions, each with the source line it came from.
//!
//! An instruction is *visible* (one step of an interleaving) or *local*; local ones run together with the visible
//! one before them, which loses nothing, for no other thread can tell. What ends the whole program can be told: a
//! failing assertion is a step, and so is the print with which `main` returns while other threads live.

use super::ast::{LoadOrder, MutexId, Place, RmwOrder, RwLockId, StoreOrder, ThreadId};

/// An index into one thread's [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pc(pub(super) u16);

impl Pc {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn next(self) -> Pc {
        Pc(self.0 + 1)
    }
}

/// A register of one thread: the locals of the source, then the translation's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reg(pub(super) u8);

/// The registers one thread has: locals, the once function's locals, one scratch, two loop counters, the printed values.
pub(super) const REGS: usize = super::ast::LOCALS + super::ast::ONCE_LOCALS + 3 + super::ast::MAX_VARS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Const(i32),
    Reg(Reg),
    Sum(Reg, i32),
}

/// How a read-modify-write computes what it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    Add(i32),
    Swap(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Read {
        place: Place,
        dst: Reg,
    },
    Write {
        place: Place,
        value: Operand,
    },
    Load {
        place: Place,
        dst: Reg,
        order: LoadOrder,
    },
    Store {
        place: Place,
        value: Operand,
        order: StoreOrder,
    },
    Rmw {
        place: Place,
        dst: Reg,
        update: Update,
        order: RmwOrder,
    },
    CompareExchange {
        place: Place,
        dst: Reg,
        expected: i32,
        desired: i32,
        order: RmwOrder,
        failure: LoadOrder,
    },
    /// Waits until the place holds something else; `takes`: puts that number there then; `sleeps`: it does so meanwhile.
    SpinWhile {
        place: Place,
        equals: i32,
        takes: bool,
        sleeps: bool,
        order: RmwOrder,
    },
    Fence {
        order: RmwOrder,
    },
    Free,
    Lock(MutexId),
    Unlock(MutexId),
    /// Goes on behind itself when taken, at `busy` when not.
    TryLock {
        mutex: MutexId,
        timed: bool,
        busy: Pc,
    },
    SpinLock,
    SpinUnlock,
    TrySpin {
        busy: Pc,
    },
    SemWait,
    SemPost,
    TrySem {
        timed: bool,
        busy: Pc,
    },
    Barrier {
        dst: Option<Reg>,
    },
    ReadLock(RwLockId),
    WriteLock(RwLockId),
    RwUnlock(RwLockId),
    /// `site` numbers the waits of one thread, for their spurious wake-ups. `timed`: has a time limit, and sets this to whether
    /// it was over.
    Wait {
        mutex: MutexId,
        site: u8,
        timed: Option<Reg>,
    },
    Signal,
    Broadcast,
    /// Goes on behind itself to run the once function, at `done` when that has run.
    OnceEnter {
        done: Pc,
    },
    OnceExit,
    Create(ThreadId),
    Join(ThreadId),

    // Local instructions.
    Set {
        dst: Reg,
        value: Operand,
    },
    Jump(Pc),
    /// Goes on behind itself where `reg == constant` is `equal`, else at `otherwise`.
    Branch {
        reg: Reg,
        equal: bool,
        constant: i32,
        otherwise: Pc,
    },
    /// Fails where `reg == not`.
    Assert {
        reg: Reg,
        not: i32,
    },
    /// Prints the `count` registers from `first`.
    Print {
        first: Reg,
        count: u8,
    },
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instr {
    pub(super) op: Op,
    pub(super) line: u32,
}

pub(super) type Code = Vec<Instr>;
