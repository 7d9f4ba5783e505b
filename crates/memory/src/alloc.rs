//! Addresses.
//!
//! Repeatable allocation (SPOE, section 4.3): each thread allocates from an arena of its own, chosen by the thread's
//! name, so an address does not depend on what other threads did in between. A slot is reused only by the thread whose
//! arena it lies in, and only when that thread itself freed it, for the same reason.

use crate::Fingerprint;
use std::collections::BTreeMap;

ir::entity_id!(
    /// An arena of addresses.
    ArenaId, "arena"
);

const ARENA_BITS: u32 = 30;
const FIRST_ARENA: u64 = 1 << 40;
/// Objects keep this distance, so that a pointer one past the end belongs to its own object only.
const GAP: u64 = 16;

#[derive(Clone, Debug)]
struct Arena {
    slot: u64,
    heap: u64,
    stack: u64,
    /// Freed heap slots by size class, last freed first.
    free: BTreeMap<u64, Vec<u64>>,
}

/// Hands out addresses.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    arenas: Vec<Arena>,
}

impl Allocator {
    /// Opens the arena of the thread or purpose named `name`.
    pub fn open(&mut self, name: &str) -> ArenaId {
        let mut slot = Fingerprint::of(name).0 as u64 & 0x7fff;
        while self.arenas.iter().any(|a| a.slot == slot) {
            slot = (slot + 1) & 0x7fff;
        }
        let base = FIRST_ARENA + (slot << ARENA_BITS);
        let stack = base + (1 << (ARENA_BITS - 1));
        self.arenas.push(Arena { slot, heap: base, stack, free: BTreeMap::new() });
        ArenaId::new(self.arenas.len() - 1)
    }

    /// The size class that a heap block of `size` bytes falls into: only blocks of one class may share an address.
    pub fn size_class(size: u64) -> u64 {
        (size.max(1) + GAP).next_multiple_of(16)
    }

    /// An address for a heap object.
    pub fn heap(&mut self, arena: ArenaId, size: u64, align: u64) -> u64 {
        let class = Self::size_class(size);
        let arena = &mut self.arenas[arena.index()];
        if align <= 16
            && let Some(address) = arena.free.get_mut(&class).and_then(Vec::pop)
        {
            return address;
        }
        let address = arena.heap.next_multiple_of(align.max(16));
        arena.heap = address + class;
        address
    }

    /// Keeps the heap below `end` from being handed out.
    pub fn reserve_heap(&mut self, arena: ArenaId, end: u64) {
        let arena = &mut self.arenas[arena.index()];
        arena.heap = arena.heap.max(end);
    }

    /// Returns a heap slot of this arena.
    pub fn release(&mut self, arena: ArenaId, address: u64, size: u64) {
        let arena = &mut self.arenas[arena.index()];
        arena.free.entry(Self::size_class(size)).or_default().push(address);
    }

    /// An address for a stack object.
    pub fn stack(&mut self, arena: ArenaId, size: u64, align: u64) -> u64 {
        let arena = &mut self.arenas[arena.index()];
        let address = arena.stack.next_multiple_of(align.max(16));
        arena.stack = address + Self::size_class(size);
        address
    }

    /// The stack's current end, to come back to when a frame ends.
    pub fn stack_mark(&self, arena: ArenaId) -> u64 {
        self.arenas[arena.index()].stack
    }

    pub fn reset_stack(&mut self, arena: ArenaId, mark: u64) {
        self.arenas[arena.index()].stack = mark;
    }

    /// What decides which addresses are handed out next.
    pub fn fingerprint(&self) -> Fingerprint {
        let arena = |a: &Arena| Fingerprint::of((a.slot, a.heap, a.stack, &a.free));
        self.arenas.iter().map(arena).fold(Fingerprint::default(), |mut total, arena| {
            total.add(arena);
            total
        })
    }

    /// Whether `address` lies in the heap part of `arena`.
    pub fn owns(&self, arena: ArenaId, address: u64) -> bool {
        let base = FIRST_ARENA + (self.arenas[arena.index()].slot << ARENA_BITS);
        (base..base + (1 << (ARENA_BITS - 1))).contains(&address)
    }
}
