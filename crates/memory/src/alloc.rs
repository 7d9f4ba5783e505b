//! Addresses.
//!
//! Repeatable allocation (SPOE, section 4.3): each thread allocates from an arena of its own, chosen by the thread's
//! name, so an address does not depend on what other threads did in between. A slot is reused only by the thread whose
//! arena it lies in, and only when that thread itself freed it, or what it does comes after that it was freed, for the same reason.
//!
//! Where pointers have 32 bits, there is room for a few large arenas and for many small ones, and it may run out.

use crate::Fingerprint;
use ir::PointerSize;
use std::collections::{BTreeMap, BTreeSet};

ir::entity_id!(
    /// An arena of addresses.
    ArenaId, "arena"
);

/// How arenas lie in the address space, by the size of pointers: all of one size, and large ones apart from them.
struct Plan {
    first: u64,
    bits: u32,
    count: u64,
    first_large: u64,
    large_bits: u32,
    large_count: u64,
}

/// Arenas of 1 GiB, more than there are threads.
const WIDE: Plan = Plan { first: 1 << 40, bits: 30, count: 1 << 15, first_large: 0, large_bits: 0, large_count: 0 };

/// Five arenas of 512 MiB from 16 MiB on, and arenas of 4 MiB behind them, more than there are threads.
const NARROW: Plan =
    Plan { first: 0xa100_0000, bits: 22, count: 376, first_large: 0x0100_0000, large_bits: 29, large_count: 5 };

impl Plan {
    fn of(pointer: PointerSize) -> &'static Plan {
        match pointer {
            PointerSize::Four => &NARROW,
            PointerSize::Eight => &WIDE,
        }
    }
}

/// Objects keep this distance, so that a pointer one past the end belongs to its own object only.
const GAP: u64 = 16;

#[derive(Clone, Debug, Default)]
struct Arena {
    base: u64,
    heap: u64,
    /// Where the part for the stack begins.
    middle: u64,
    stack: u64,
    end: u64,
    /// Freed heap slots by size class and address. The lowest is used first: the order in which they were freed is no part of the state.
    free: BTreeSet<(u64, u64)>,
    /// Slots that others have freed, by size class and address.
    freed_by_others: BTreeMap<(u64, u64), Stamp>,
}

/// When somebody did something, by his own count. Who knows of it is not known here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    pub who: usize,
    pub when: u32,
}

/// Hands out addresses.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    arenas: Vec<Arena>,
    pointer: PointerSize,
}

impl Allocator {
    /// Nothing handed out yet, for addresses of this size.
    pub fn new(pointer: PointerSize) -> Self {
        Allocator { arenas: Vec::new(), pointer }
    }

    /// Opens the arena of the thread or purpose named `name`.
    pub fn open(&mut self, name: &str) -> ArenaId {
        let plan = Plan::of(self.pointer);
        let start = Fingerprint::of(name).0 as u64 % plan.count;
        let base = |slot: u64| plan.first + (slot << plan.bits);
        let free = (0..plan.count)
            .map(|step| base((start + step) % plan.count))
            .find(|base| self.arenas.iter().all(|a| a.base != *base));
        // Without a slot, an arena with no room.
        match free {
            Some(base) => self.add(base, plan.bits),
            None => self.add(base(plan.count), 0),
        }
    }

    /// [`Allocator::open`] for what may need much room.
    pub fn open_large(&mut self, name: &str) -> ArenaId {
        let plan = Plan::of(self.pointer);
        let free = (0..plan.large_count)
            .map(|slot| plan.first_large + (slot << plan.large_bits))
            .find(|base| self.arenas.iter().all(|a| a.base != *base));
        match free {
            Some(base) => self.add(base, plan.large_bits),
            None => self.open(name),
        }
    }

    fn add(&mut self, base: u64, bits: u32) -> ArenaId {
        let (middle, end) = if bits == 0 { (base, base) } else { (base + (1 << (bits - 1)), base + (1 << bits)) };
        self.arenas.push(Arena { base, heap: base, middle, stack: middle, end, ..Arena::default() });
        ArenaId::new(self.arenas.len() - 1)
    }

    /// Whether addresses are so few that they may run out.
    fn is_narrow(&self) -> bool {
        self.pointer == PointerSize::Four
    }

    /// The size class that a heap block of `size` bytes falls into: only blocks of one class may share an address.
    pub fn size_class(size: u64) -> u64 {
        (size.max(1) + GAP).next_multiple_of(16)
    }

    /// An address for a heap object; `None` where there is no room. `is_past`: whether what others did comes before.
    pub fn heap(&mut self, arena: ArenaId, size: u64, align: u64, is_past: impl Fn(Stamp) -> bool) -> Option<u64> {
        let narrow = self.is_narrow();
        let class = Self::size_class(size);
        let arena = &mut self.arenas[arena.index()];
        if align <= 16 {
            let all = (class, 0)..=(class, u64::MAX);
            let own = arena.free.range(all.clone()).next().copied();
            let of_others = arena.freed_by_others.range(all).find(|(_, stamp)| is_past(**stamp));
            if let Some(slot) = own.into_iter().chain(of_others.map(|(&slot, _)| slot)).min() {
                let _ = arena.free.remove(&slot) || arena.freed_by_others.remove(&slot).is_some();
                return Some(slot.1);
            }
        }
        let address = arena.heap.next_multiple_of(align.max(16));
        if narrow && address + class > arena.middle {
            return None;
        }
        arena.heap = address + class;
        Some(address)
    }

    /// Keeps the heap below `end` from being handed out.
    pub fn reserve_heap(&mut self, arena: ArenaId, end: u64) {
        let arena = &mut self.arenas[arena.index()];
        arena.heap = arena.heap.max(end);
    }

    /// Returns a heap slot of this arena.
    pub fn release(&mut self, arena: ArenaId, address: u64, size: u64) {
        let arena = &mut self.arenas[arena.index()];
        arena.free.insert((Self::size_class(size), address));
    }

    /// Returns a heap slot that somebody else frees, to whichever arena it lies in.
    pub fn release_later(&mut self, address: u64, size: u64, freed: Stamp) {
        let of_it = |arena: &&mut Arena| (arena.base..arena.middle).contains(&address);
        if let Some(arena) = self.arenas.iter_mut().find(of_it) {
            arena.freed_by_others.insert((Self::size_class(size), address), freed);
        }
    }

    /// An address for a stack object; `None` where there is no room.
    pub fn stack(&mut self, arena: ArenaId, size: u64, align: u64) -> Option<u64> {
        let narrow = self.is_narrow();
        let arena = &mut self.arenas[arena.index()];
        let address = arena.stack.next_multiple_of(align.max(16));
        let end = address + Self::size_class(size);
        if narrow && end > arena.end {
            return None;
        }
        arena.stack = end;
        Some(address)
    }

    /// The stack's current end, to come back to when a frame ends.
    pub fn stack_mark(&self, arena: ArenaId) -> u64 {
        self.arenas[arena.index()].stack
    }

    pub fn reset_stack(&mut self, arena: ArenaId, mark: u64) {
        self.arenas[arena.index()].stack = mark;
    }

    /// What decides which addresses are handed out next. `known`: who knows what somebody did, whatever the time is called.
    pub fn fingerprint(&self, known: impl Fn(Stamp) -> Fingerprint) -> Fingerprint {
        let arena = |a: &Arena| {
            let mut of_others = Fingerprint::default();
            for (slot, stamp) in &a.freed_by_others {
                of_others.add(Fingerprint::of((slot, known(*stamp))));
            }
            Fingerprint::of((a.base, a.heap, a.stack, &a.free, of_others))
        };
        self.arenas.iter().map(arena).fold(Fingerprint::default(), |mut total, arena| {
            total.add(arena);
            total
        })
    }

    /// Whether `address` lies in the heap part of `arena`.
    pub fn owns(&self, arena: ArenaId, address: u64) -> bool {
        let arena = &self.arenas[arena.index()];
        (arena.base..arena.middle).contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_freed_is_used_again_once_that_is_past() {
        let mut allocator = Allocator::new(PointerSize::Eight);
        let arena = allocator.open("main.1");
        let first = allocator.heap(arena, 8, 16, |_| true).expect("room");
        let freed = Stamp { who: 2, when: 5 };
        allocator.release_later(first, 8, freed);
        let second = allocator.heap(arena, 8, 16, |stamp| stamp.when < 5).expect("room");
        assert_ne!(first, second, "it does not come after that yet");
        let other_size = allocator.heap(arena, 64, 16, |_| true).expect("room");
        assert_ne!(first, other_size);
        assert_eq!(allocator.heap(arena, 8, 16, |stamp| stamp == freed), Some(first));
        let third = allocator.heap(arena, 8, 16, |_| true).expect("room");
        assert!(third != first && third != second, "once");
    }

    #[test]
    fn who_knows_of_it_is_part_of_what_comes_next() {
        let after = |known: bool| {
            let mut allocator = Allocator::new(PointerSize::Eight);
            let arena = allocator.open("main.1");
            let block = allocator.heap(arena, 8, 16, |_| true).expect("room");
            allocator.release_later(block, 8, Stamp { who: 2, when: 5 });
            allocator.fingerprint(|_| Fingerprint::of(known))
        };
        assert_ne!(after(true), after(false));
        assert_eq!(after(true), after(true));
    }
}
