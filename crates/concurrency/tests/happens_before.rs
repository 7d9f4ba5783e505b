//! Clocks and the race check against happens-before by reachability, on random executions.
//!
//! The reference keeps every event and every edge that C11 names (5.1.2.4p10 to p18, 7.17.4), and looks for a way along them.

use concurrency::{AccessKind, HappensBefore, Place, RaceShadow, Range, Record, Scope, Site, ThreadId, VectorClock};
use ir::{LoadOrder, Order};
use memory::ObjId;
use std::collections::{BTreeMap, BTreeSet};

struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        // Marsaglia, Xorshift RNGs, 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// A write of an atomic object.
#[derive(Clone, Copy)]
struct Write {
    event: usize,
    thread: usize,
    modifies: bool,
    releases: bool,
    /// The last fence before it that releases, of its thread.
    fence: Option<usize>,
}

/// Everything that happened, and what comes before what.
#[derive(Default)]
struct Events {
    edges: Vec<Vec<usize>>,
    /// The last of each thread.
    last: Vec<Option<usize>>,
    /// The last fence of each thread that releases.
    fence: Vec<Option<usize>>,
    /// What relaxed loads of each thread would synchronise with behind a fence.
    seen: Vec<BTreeSet<usize>>,
    writes: BTreeMap<usize, Vec<Write>>,
}

impl Events {
    fn thread(&mut self, creator: Option<usize>) {
        self.last.push(creator.and_then(|creator| self.last[creator]));
        self.fence.push(None);
        self.seen.push(BTreeSet::new());
    }

    fn event(&mut self, thread: usize) -> usize {
        let event = self.edges.len();
        self.edges.push(self.last[thread].into_iter().collect());
        self.last[thread] = Some(event);
        event
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        let mut left = vec![other];
        let mut known = BTreeSet::new();
        while let Some(event) = left.pop() {
            if event == one {
                return true;
            }
            if known.insert(event) {
                left.extend(&self.edges[event]);
            }
        }
        false
    }

    /// What a load of an atomic object synchronises with if it acquires: the heads of the release sequences that the last
    /// write belongs to, or the fences before those that head one only for a fence's sake.
    fn heads(&self, place: usize) -> Vec<usize> {
        let writes = self.writes.get(&place).map_or(&[][..], Vec::as_slice);
        let mut heads = Vec::new();
        for (index, head) in writes.iter().enumerate() {
            let goes_on = |write: &Write| write.modifies || write.thread == head.thread;
            if writes[index + 1..].iter().all(goes_on) {
                heads.extend(if head.releases { Some(head.event) } else { head.fence });
            }
        }
        heads
    }

    fn load(&mut self, thread: usize, place: usize, acquires: bool) {
        let event = self.event(thread);
        let heads = self.heads(place);
        if acquires {
            self.edges[event].extend(heads);
        } else {
            self.seen[thread].extend(heads);
        }
    }

    fn write(&mut self, thread: usize, place: usize, modifies: bool, releases: bool) {
        let event = self.event(thread);
        let write = Write { event, thread, modifies, releases, fence: self.fence[thread] };
        self.writes.entry(place).or_default().push(write);
    }
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

fn at(number: usize) -> Place {
    Place { object: ObjId::new(number), offset: 0 }
}

/// A load, a store, a read-modify-write or a fence of some order.
fn atomic(rng: &mut Rng, order: &mut HappensBefore, events: &mut Events, (me, thread): (usize, ThreadId)) {
    let place = rng.below(2);
    match rng.below(4) {
        0 => {
            let which = [LoadOrder::Relaxed, LoadOrder::Acquire, LoadOrder::SeqCst][rng.below(3)];
            events.load(me, place, which != LoadOrder::Relaxed);
            order.load(thread, at(place), which);
        }
        1 => {
            let releases = rng.below(2) == 0;
            events.write(me, place, false, releases);
            order.store(thread, at(place), releases);
        }
        2 => {
            let which = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst][rng.below(5)];
            events.load(me, place, acquires(which));
            events.write(me, place, true, releases(which));
            order.load(thread, at(place), which.of_read());
            order.update(thread, at(place), which);
        }
        _ => {
            let which = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst][rng.below(4)];
            let event = events.event(me);
            if acquires(which) {
                let seen = events.seen[me].clone();
                events.edges[event].extend(seen);
            }
            if releases(which) {
                events.fence[me] = Some(event);
            }
            order.fence(thread, which);
        }
    }
}

/// An execution of up to five threads, in which each plain access is of one number.
fn execution(seed: u64) -> (usize, usize) {
    let mut rng = Rng((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (mut order, mut shadow, mut events) = (HappensBefore::default(), RaceShadow::default(), Events::default());
    let main = order.add_thread(None);
    events.thread(None);
    let mut threads = vec![main];
    let mut ended: Vec<usize> = Vec::new();
    let mut locks: [(VectorClock, Option<usize>); 2] = Default::default();
    let mut accesses: Vec<(usize, usize)> = Vec::new();
    let (mut races, mut ordered) = (0, 0);
    for time in 0..60 {
        let alive: Vec<usize> = (0..threads.len()).filter(|thread| !ended.contains(thread)).collect();
        let me = alive[rng.below(alive.len())];
        let thread = threads[me];
        match rng.below(10) {
            0 if threads.len() < 5 => {
                events.event(me);
                events.thread(Some(me));
                threads.push(order.add_thread(Some(thread)));
            }
            1 if alive.len() > 1 => {
                // The youngest ends, and somebody else joins it.
                let child = alive[alive.len() - 1];
                if child != me {
                    let event = events.event(me);
                    events.edges[event].extend(events.last[child]);
                    order.join_thread(thread, threads[child]);
                    ended.push(child);
                }
            }
            2 | 3 => {
                // A critical section of nothing.
                let (clock, last) = &mut locks[rng.below(2)];
                let event = events.event(me);
                events.edges[event].extend(*last);
                order.acquire(thread, clock);
                *last = Some(events.event(me));
                *clock = order.release(thread);
            }
            4..=7 => atomic(&mut rng, &mut order, &mut events, (me, thread)),
            _ => {
                let event = events.event(me);
                let (site, range) = (Site::new(event), Range { object: ObjId::new(9), offset: 0, size: 4 });
                let epoch = order.clock(thread).get(thread);
                let record = Record {
                    thread,
                    site,
                    kind: AccessKind::Write,
                    atomic: false,
                    begins: false,
                    scope: Scope::Device,
                    context: 0,
                    epoch,
                    time,
                };
                let mut found = Vec::new();
                shadow.access(&order, range, record, &mut found);
                let found: BTreeSet<usize> = found.iter().map(|(_, earlier)| earlier.site.index()).collect();
                let unordered = |&&(other, earlier): &&(usize, usize)| other != me && !events.is_before(earlier, event);
                let expected: BTreeSet<usize> = accesses.iter().filter(unordered).map(|access| access.1).collect();
                assert_eq!(found, expected, "seed {seed}, event {event} of thread {me}");
                races += found.len();
                ordered += accesses.iter().filter(|access| access.0 != me).count() - found.len();
                accesses.push((me, event));
            }
        }
    }
    (races, ordered)
}

#[test]
fn clocks_order_what_a_way_along_edges_orders() {
    let (mut races, mut ordered) = (0, 0);
    for seed in 0..2_000 {
        let (some, others) = execution(seed);
        (races, ordered) = (races + some, ordered + others);
    }
    // Both come up often enough to tell something.
    assert!(races > 10_000 && ordered > 10_000, "{races} races, {ordered} ordered");
}

/// A thread number, for reading the tests of others.
#[test]
fn threads_are_numbered_in_the_order_of_creation() {
    let mut order = HappensBefore::default();
    let main = order.add_thread(None);
    assert_eq!((main, order.add_thread(Some(main))), (ThreadId::new(0), ThreadId::new(1)));
}
