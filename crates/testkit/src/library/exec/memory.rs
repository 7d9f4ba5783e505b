//! The heap that threads share.

use super::{MAX_NODES, MAX_OWNERS, Thread, ThreadId};
use crate::library::ast::{BYTES, CALLBACKS, MAX_LINKS, MAX_ROOTS};
use crate::library::code::PtrReg;
use crate::library::heaps::{self, Heap, Target};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Ptr {
    Undef,
    Null,
    Node(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Value {
    Undef,
    Known(heaps::Code),
}

/// Where a mark leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mark {
    Undef,
    Null,
    /// The key of a node.
    Key(u8),
    /// The integer that this owner had a mark to at first, which nothing else is.
    Own(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Life {
    Absent,
    Live,
    Freed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeCell {
    pub(super) life: Life,
    pub(super) key: Value,
    pub(super) links: [Ptr; MAX_LINKS],
    /// Whether there is a flag in the first of them.
    pub(super) flagged: bool,
    /// Which bytes of its strings are not zero.
    pub(super) bytes: [bool; BYTES],
    pub(super) owner: Option<ThreadId>,
}

/// What owners have beside the first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OwnerCell {
    pub(super) mark: Mark,
    /// See [`Mark::Own`].
    pub(super) marked: Value,
    /// Which functions of a client's it has.
    pub(super) callbacks: [bool; CALLBACKS],
}

/// The heap at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::library) struct Memory {
    pub(super) heads: [Ptr; MAX_OWNERS],
    pub(super) root_owners: [Option<ThreadId>; MAX_OWNERS],
    pub(super) owners: [OwnerCell; MAX_OWNERS],
    pub(super) nodes: [NodeCell; MAX_NODES],
}

pub(super) const ABSENT: NodeCell = NodeCell {
    life: Life::Absent,
    key: Value::Undef,
    links: [Ptr::Undef; MAX_LINKS],
    flagged: false,
    bytes: [false; BYTES],
    owner: None,
};

pub(super) const NO_MEMBERS: OwnerCell =
    OwnerCell { mark: Mark::Null, marked: Value::Undef, callbacks: [false; CALLBACKS] };

/// `values`: as many as [`Heap::values`] says.
pub(in crate::library) fn initial_memory(heap: &Heap, values: &[heaps::Code]) -> Memory {
    let pointer = |target: Target| target.map_or(Ptr::Null, Ptr::Node);
    let mut memory = Memory::empty();
    let mut values = values.iter().map(|&code| Value::Known(code));
    let mut value = || values.next().unwrap_or(Value::Undef);
    for (index, (cell, links)) in memory.nodes.iter_mut().zip(&heap.nodes).enumerate() {
        let (flagged, bytes) = (heap.flags[index], heap.bytes[index]);
        *cell = NodeCell { life: Life::Live, key: value(), links: links.map(pointer), flagged, bytes, owner: None };
    }
    memory.heads[..MAX_ROOTS].copy_from_slice(&heap.heads.map(pointer));
    for (cell, callbacks) in memory.owners.iter_mut().zip(heap.callbacks) {
        cell.callbacks = callbacks;
    }
    for (owner, (cell, mark)) in memory.owners.iter_mut().zip(heap.marks).enumerate() {
        cell.mark = match mark {
            heaps::Mark::Null => Mark::Null,
            heaps::Mark::Key(node) => Mark::Key(node),
            heaps::Mark::Own => {
                cell.marked = value();
                Mark::Own(owner as u8)
            }
        };
    }
    memory
}

impl Memory {
    /// What globals are initialised with, and no node.
    pub(in crate::library) fn empty() -> Memory {
        Memory {
            heads: [Ptr::Null; MAX_OWNERS],
            root_owners: [None; MAX_OWNERS],
            owners: [NO_MEMBERS; MAX_OWNERS],
            nodes: [ABSENT; MAX_NODES],
        }
    }

    /// A node that is all zero; none if there are too many.
    pub(in crate::library) fn zeroed(&mut self, zero: heaps::Code) -> Option<u8> {
        let index = self.nodes.iter().position(|cell| cell.life == Life::Absent)?;
        let cell = NodeCell {
            life: Life::Live,
            key: Value::Known(zero),
            links: [Ptr::Null; MAX_LINKS],
            flagged: false,
            bytes: [false; BYTES],
            owner: None,
        };
        self.nodes[index] = cell;
        Some(index as u8)
    }

    /// Whether a thread has an owner's lock.
    pub(in crate::library) fn is_locked(&self, owner: u8) -> bool {
        self.root_owners[usize::from(owner)].is_some()
    }

    pub(in crate::library) fn is_live(&self, node: u8) -> bool {
        self.nodes[usize::from(node)].life == Life::Live
    }

    /// So many nodes can still be allocated.
    pub(in crate::library) fn room(&self) -> usize {
        self.nodes.iter().filter(|cell| cell.life == Life::Absent).count()
    }

    /// The first code behind those of all keys.
    pub(in crate::library) fn first_unused(&self) -> u8 {
        let code = |cell: &NodeCell| match (cell.life, cell.key) {
            (Life::Live, Value::Known(code)) => code.0 + 1,
            _ => 0,
        };
        self.nodes.iter().map(code).max().unwrap_or(0)
    }

    /// Puts a pointer to a fresh node into `dst`. The caller sees to it that there are enough.
    pub(super) fn allocate(&mut self, thread: &mut Thread, dst: PtrReg) {
        if let Some(index) = self.nodes.iter().position(|cell| cell.life == Life::Absent) {
            self.nodes[index].life = Life::Live;
            thread.pointers[usize::from(dst.0)] = Ptr::Node(index as u8);
        }
    }
}
