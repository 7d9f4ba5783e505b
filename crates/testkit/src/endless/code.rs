//! Threads as instructions.

use super::ast::Value;

/// Instructions with their lines.
pub(super) type Code = Vec<(u32, Op)>;

/// One step of a thread. Registers are its locals, and one more; targets are indices of its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Read(u8, u8),
    Write(u8, Value),
    /// Adds one, modulo three.
    Next(u8),
    Load(u8, u8, bool),
    Store(u8, Value),
    Flip(u8, u8),
    Exchange {
        to: u8,
        place: u8,
        expected: u8,
        new: u8,
    },
    /// Looks at an atomic number until it is this one.
    Await(u8, u8),
    Lock(u8),
    Unlock(u8),
    /// Begins an atomic section.
    Enter,
    Leave,
    /// Where to go on if it is not free.
    TryLock(u8, usize),
    Wait(u8, u8),
    Wake(u8, bool),
    Down,
    TryDown(usize),
    Up,
    Ask(u8),
    Branch {
        register: u8,
        equals: u8,
        otherwise: usize,
    },
    Assert(u8, u8),
    Jump(usize),
    /// A new block.
    Make,
    /// Writes to the thread's block.
    Fill(Value),
    /// Exchanges the thread's block, or none, with that in the box.
    Swap,
    /// What is in the box is the thread's block as well.
    Point,
    /// Reads the thread's block, if it has one; and it may be the last that it does with it.
    Look(u8, bool),
    /// Frees the thread's block, if it has one.
    Free,
}

impl Op {
    /// Whether no other thread can tell when it is carried out.
    pub(super) fn is_local(self) -> bool {
        matches!(self, Op::Next(_) | Op::Branch { .. } | Op::Jump(_))
    }
}
