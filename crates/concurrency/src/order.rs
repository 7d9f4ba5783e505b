//! C11 happens-before (7.17.3, 5.1.2.4), by vector clocks.
//!
//! Edges: thread creation and join; unlock to later lock; the signal that wakes a waiter; completion of a once routine;
//! release to acquire through release sequences, as C11 5.1.2.4p10 defines them (later stores of the same thread and
//! read-modify-writes by anyone continue one); fences (7.17.4). Relaxed atomics, failed trylocks, lost signals and
//! time-outs order nothing.

use crate::{Place, SyncTable, ThreadId, VectorClock};
use ir::{LoadOrder, Order};
use memory::{Fingerprint, ObjId};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
struct ThreadClocks {
    now: VectorClock,
    /// What relaxed loads have read from and an acquire fence would synchronise with.
    seen: VectorClock,
    /// As of the last release fence.
    fenced: Option<VectorClock>,
}

/// The release sequences that the last value of an atomic object belongs to: head's thread and clock.
type Heads = Vec<(ThreadId, VectorClock)>;

/// The order of one execution so far.
#[derive(Clone, Debug, Default)]
pub struct HappensBefore {
    threads: Vec<Rc<ThreadClocks>>,
    atomics: Rc<BTreeMap<Place, Heads>>,
}

impl HappensBefore {
    /// Adds a thread; what its creator has done so far happens before it.
    pub fn add_thread(&mut self, creator: Option<ThreadId>) -> ThreadId {
        let id = ThreadId::new(self.threads.len());
        let mut clocks = ThreadClocks::default();
        if let Some(creator) = creator {
            clocks.now.join(&self.threads[creator.index()].now);
            self.tick(creator);
        }
        clocks.now.tick(id);
        self.threads.push(Rc::new(clocks));
        id
    }

    pub fn clock(&self, thread: ThreadId) -> &VectorClock {
        &self.threads[thread.index()].now
    }

    fn thread(&mut self, thread: ThreadId) -> &mut ThreadClocks {
        Rc::make_mut(&mut self.threads[thread.index()])
    }

    fn tick(&mut self, thread: ThreadId) {
        self.thread(thread).now.tick(thread);
    }

    /// All threads that were added.
    pub(crate) fn threads(&self) -> impl Iterator<Item = ThreadId> {
        (0..self.threads.len()).map(ThreadId::new)
    }

    /// An object is no more: nobody will synchronise through what was in it.
    pub fn forget(&mut self, object: ObjId) {
        if self.atomics.keys().any(|place| place.object == object) {
            Rc::make_mut(&mut self.atomics).retain(|place, _| place.object != object);
        }
    }

    /// Everything that `thread` did so far, for a later [`HappensBefore::acquire`] by another. Begins a new epoch.
    pub fn release(&mut self, thread: ThreadId) -> VectorClock {
        let clock = self.clock(thread).clone();
        self.tick(thread);
        clock
    }

    /// What `clock` knows happens before what `thread` does from now on.
    pub fn acquire(&mut self, thread: ThreadId, clock: &VectorClock) {
        self.thread(thread).now.join(clock);
    }

    /// All that `other` did happens before what `thread` does from now on.
    pub fn join_thread(&mut self, thread: ThreadId, other: ThreadId) {
        let clock = self.clock(other).clone();
        self.acquire(thread, &clock);
    }

    /// An atomic load of the object at `place`.
    pub fn load(&mut self, thread: ThreadId, place: Place, order: LoadOrder) {
        let mut clock = VectorClock::default();
        for (_, head) in self.atomics.get(&place).into_iter().flatten() {
            clock.join(head);
        }
        let clocks = self.thread(thread);
        match order {
            LoadOrder::Relaxed => clocks.seen.join(&clock),
            LoadOrder::Acquire | LoadOrder::SeqCst => clocks.now.join(&clock),
        }
    }

    /// An atomic store; `releases` when its order is release or stronger.
    pub fn store(&mut self, thread: ThreadId, place: Place, releases: bool) {
        self.write(thread, place, releases, false);
    }

    /// The writing half of a read-modify-write; the reading one is a [`HappensBefore::load`] of [`Order::of_read`].
    pub fn update(&mut self, thread: ThreadId, place: Place, order: Order) {
        let releases = matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
        self.write(thread, place, releases, true);
    }

    fn write(&mut self, thread: ThreadId, place: Place, releases: bool, modifies: bool) {
        let clocks = &self.threads[thread.index()];
        let head = if releases { Some(clocks.now.clone()) } else { clocks.fenced.clone() };
        let heads = Rc::make_mut(&mut self.atomics).entry(place).or_default();
        if !modifies {
            // Another thread's sequences end at a plain store; one's own go on.
            heads.retain(|(owner, _)| *owner == thread);
        }
        if let Some(clock) = head {
            match heads.iter_mut().find(|(owner, _)| *owner == thread) {
                Some((_, known)) => known.join(&clock),
                None => heads.push((thread, clock)),
            }
        }
        if releases {
            self.tick(thread);
        }
    }

    /// `atomic_thread_fence`.
    pub fn fence(&mut self, thread: ThreadId, order: Order) {
        let clocks = self.thread(thread);
        if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
            let seen = clocks.seen.clone();
            clocks.now.join(&seen);
        }
        if matches!(order, Order::Release | Order::AcqRel | Order::SeqCst) {
            clocks.fenced = Some(clocks.now.clone());
            self.tick(thread);
        }
    }

    /// Which threads come after what a thread did at a time of its own, and which synchronisation objects lead to one that does.
    pub fn knowers<N: Hash>(
        &self,
        sync: &SyncTable,
        (thread, epoch): (ThreadId, u32),
        name: impl Fn(ObjId) -> N,
    ) -> Fingerprint {
        let mut all = Fingerprint::default();
        for (tag, clock) in self.clocks().chain(sync.clocks()) {
            if clock.get(thread) >= epoch {
                all.add(Fingerprint::of((tag.what, tag.place.map(|place| (name(place.object), place.offset)))));
            }
        }
        all
    }

    /// All clocks, each with a tag that says whose it is.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = (ClockTag, &VectorClock)> {
        let threads = self.threads.iter().enumerate().flat_map(|(i, t)| {
            let tag = |part: u64| ClockTag { what: (i as u64) << 8 | part, place: None };
            let fenced = t.fenced.as_ref().map(|f| (tag(2), f));
            [(tag(0), &t.now), (tag(1), &t.seen)].into_iter().chain(fenced)
        });
        let atomics = self.atomics.iter().flat_map(|(&place, heads)| {
            let tag = move |owner: ThreadId| ClockTag { what: 1 << 63 | owner.index() as u64, place: Some(place) };
            heads.iter().map(move |(owner, clock)| (tag(*owner), clock))
        });
        threads.chain(atomics)
    }
}

/// Whose a clock is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockTag {
    /// The kind of the holder, and which of its clocks.
    pub what: u64,
    /// The object that holds it.
    pub place: Option<Place>,
}
