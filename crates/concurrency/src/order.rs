//! C11 happens-before (7.17.3, 5.1.2.4), by vector clocks.
//!
//! Edges: thread creation and join; unlock to later lock; the signal that wakes a waiter; completion of a once routine;
//! release to acquire through release sequences, as C11 5.1.2.4p10 defines them (later stores of the same thread and
//! read-modify-writes by anyone continue one); fences (7.17.4). Relaxed atomics, failed trylocks, lost signals and
//! time-outs order nothing. Streams of a GPU have clocks of their own, which operations in them leave and take up.
//!
//! On a GPU fences have scopes ([`crate::scope`]): what a fence of a block's scope orders, it orders for that block alone. A
//! second order, kept beside, takes all scopes for the widest: what only it has is lost to too narrow a scope.

use crate::{Blocks, Place, Scope, SyncTable, ThreadId, VectorClock};
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
    /// The part of it that was written by the thread's own block, which a fence of a block's scope would synchronise with.
    seen_in_block: VectorClock,
    /// As of the last release fence.
    fenced: Option<VectorClock>,
    /// As of the last one, for the thread's own block: of any scope.
    fenced_in_block: Option<VectorClock>,
}

/// The head of a release sequence.
#[derive(Clone, Debug)]
struct Head {
    thread: ThreadId,
    /// For all threads; none where only a fence of the block's scope came before.
    clock: Option<VectorClock>,
    /// For the threads of its block.
    in_block: VectorClock,
}

/// The release sequences that the last value of an atomic object belongs to.
type Heads = Vec<Head>;

/// The order of one execution so far.
#[derive(Clone, Debug, Default)]
pub struct HappensBefore {
    threads: Vec<Rc<ThreadClocks>>,
    atomics: Rc<BTreeMap<Place, Heads>>,
    /// What operations of streams come after, by the numbers of streams, and of events that were recorded in one.
    streams: Rc<BTreeMap<u64, VectorClock>>,
    blocks: Blocks,
    /// The same with all fences of the widest scope. None without a launch.
    wide: Option<Box<HappensBefore>>,
}

impl HappensBefore {
    /// Adds a thread; what its creator has done so far happens before it.
    pub fn add_thread(&mut self, creator: Option<ThreadId>) -> ThreadId {
        if let Some(wide) = &mut self.wide {
            wide.add_thread(creator);
        }
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

    /// Threads belong to these blocks from here on, and scopes mean something.
    pub fn in_blocks(&mut self, blocks: Blocks) {
        self.wide = Some(Box::new(HappensBefore { wide: None, ..self.clone() }));
        self.blocks = blocks;
    }

    fn is_scoped(&self) -> bool {
        self.wide.is_some()
    }

    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Whether what a thread did at a time of its own would happen before what another does now, were all scopes wide enough.
    pub fn would_precede(&self, (earlier, epoch): (ThreadId, u32), later: ThreadId) -> bool {
        self.wide.as_ref().is_some_and(|wide| wide.clock(later).get(earlier) >= epoch)
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
        if let Some(wide) = &mut self.wide {
            wide.forget(object);
        }
    }

    /// Everything that `thread` did so far, for a later [`HappensBefore::acquire`] by another. Begins a new epoch.
    pub fn release(&mut self, thread: ThreadId) -> VectorClock {
        let clock = self.clock(thread).clone();
        self.tick(thread);
        if let Some(wide) = &mut self.wide {
            wide.tick(thread);
        }
        clock
    }

    /// What `clock` knows happens before what `thread` does from now on.
    pub fn acquire(&mut self, thread: ThreadId, clock: &VectorClock) {
        self.thread(thread).now.join(clock);
        if let Some(wide) = &mut self.wide {
            wide.acquire(thread, clock);
        }
    }

    /// Threads meet: all that each has done so far happens before all that each does from now on.
    pub fn meet(&mut self, threads: &[ThreadId]) {
        let mut all = VectorClock::default();
        threads.iter().for_each(|&thread| all.join(self.clock(thread)));
        for &thread in threads {
            self.tick(thread);
            self.thread(thread).now.join(&all);
        }
        if let Some(wide) = &mut self.wide {
            wide.meet(threads);
        }
    }

    /// All that `other` did happens before what `thread` does from now on.
    pub fn join_thread(&mut self, thread: ThreadId, other: ThreadId) {
        let clock = self.clock(other).clone();
        self.acquire(thread, &clock);
    }

    /// What a stream is given from now on comes after all that `thread` has done so far. If the thread goes on, a [`HappensBefore::release`] follows.
    pub fn stream_after_thread(&mut self, stream: u64, thread: ThreadId) {
        let clock = self.clock(thread).clone();
        Rc::make_mut(&mut self.streams).entry(stream).or_default().join(&clock);
        if let Some(wide) = &mut self.wide {
            wide.stream_after_thread(stream, thread);
        }
    }

    /// What `thread` does from now on comes after all that a stream was given so far.
    pub fn thread_after_stream(&mut self, thread: ThreadId, stream: u64) {
        if let Some(clock) = self.streams.get(&stream).cloned() {
            self.thread(thread).now.join(&clock);
        }
        if let Some(wide) = &mut self.wide {
            wide.thread_after_stream(thread, stream);
        }
    }

    /// What a stream is given from now on comes after all that another was given so far.
    pub fn stream_after_stream(&mut self, later: u64, earlier: u64) {
        if let Some(clock) = self.streams.get(&earlier).cloned() {
            Rc::make_mut(&mut self.streams).entry(later).or_default().join(&clock);
        }
        if let Some(wide) = &mut self.wide {
            wide.stream_after_stream(later, earlier);
        }
    }

    /// Whether a thread comes after all that a stream was given so far.
    pub fn is_past(&self, stream: u64, thread: ThreadId) -> bool {
        self.streams.get(&stream).is_none_or(|clock| {
            let mut both = self.clock(thread).clone();
            both.join(clock);
            both == *self.clock(thread)
        })
    }

    /// Nothing comes after what was done before by way of this stream or event.
    pub fn forget_stream(&mut self, stream: u64) {
        Rc::make_mut(&mut self.streams).remove(&stream);
        if let Some(wide) = &mut self.wide {
            wide.forget_stream(stream);
        }
    }

    /// An atomic load of the object at `place`.
    pub fn load(&mut self, thread: ThreadId, place: Place, order: LoadOrder) {
        let (mut clock, mut in_block) = (VectorClock::default(), VectorClock::default());
        for head in self.atomics.get(&place).into_iter().flatten() {
            head.clock.iter().for_each(|head| clock.join(head));
            if self.is_scoped() && self.blocks.are_one(head.thread, thread) {
                in_block.join(&head.in_block);
            }
        }
        let clocks = self.thread(thread);
        match order {
            LoadOrder::Relaxed => {
                clocks.seen.join(&clock);
                clocks.seen_in_block.join(&in_block);
            }
            LoadOrder::Acquire | LoadOrder::SeqCst => {
                clocks.now.join(&clock);
                clocks.now.join(&in_block);
            }
        }
        if let Some(wide) = &mut self.wide {
            wide.load(thread, place, order);
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
        let (clock, in_block) = match releases {
            true => (Some(clocks.now.clone()), self.is_scoped().then(|| clocks.now.clone())),
            false => (clocks.fenced.clone(), clocks.fenced_in_block.clone()),
        };
        let head = (clock.is_some() || in_block.is_some()).then(|| (clock, in_block.unwrap_or_default()));
        let heads = Rc::make_mut(&mut self.atomics).entry(place).or_default();
        if !modifies {
            // Another thread's sequences end at a plain store; one's own go on.
            heads.retain(|head| head.thread == thread);
        }
        if let Some((clock, in_block)) = head {
            match heads.iter_mut().find(|head| head.thread == thread) {
                Some(known) => {
                    clock.iter().for_each(|clock| known.clock.get_or_insert_default().join(clock));
                    known.in_block.join(&in_block);
                }
                None => heads.push(Head { thread, clock, in_block }),
            }
        }
        if releases {
            self.tick(thread);
        }
        if let Some(wide) = &mut self.wide {
            wide.write(thread, place, releases, modifies);
        }
    }

    /// `atomic_thread_fence`.
    pub fn fence(&mut self, thread: ThreadId, order: Order) {
        self.fence_for(thread, order, Scope::Device);
    }

    /// A fence for threads within a scope.
    pub fn fence_for(&mut self, thread: ThreadId, order: Order, scope: Scope) {
        let is_scoped = self.is_scoped();
        let clocks = self.thread(thread);
        if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
            let mut seen = clocks.seen_in_block.clone();
            if scope == Scope::Device {
                seen.join(&clocks.seen);
            }
            clocks.now.join(&seen);
        }
        if matches!(order, Order::Release | Order::AcqRel | Order::SeqCst) {
            clocks.fenced_in_block = is_scoped.then(|| clocks.now.clone());
            if scope == Scope::Device {
                clocks.fenced = Some(clocks.now.clone());
            }
            self.tick(thread);
        }
        if let Some(wide) = &mut self.wide {
            wide.fence(thread, order);
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
            // Without scopes these are the same as the others.
            let in_block = t.fenced_in_block.as_ref().map(|f| (tag(4), f));
            let seen_in_block = self.is_scoped().then_some((tag(3), &t.seen_in_block));
            [(tag(0), &t.now), (tag(1), &t.seen)].into_iter().chain(fenced).chain(seen_in_block).chain(in_block)
        });
        let is_scoped = self.is_scoped();
        let atomics = self.atomics.iter().flat_map(move |(&place, heads)| {
            let tag = move |owner: ThreadId, part: u64| ClockTag {
                what: 1 << 63 | (owner.index() as u64) << 1 | part,
                place: Some(place),
            };
            heads.iter().flat_map(move |head| {
                let of_all = head.clock.as_ref().map(|clock| (tag(head.thread, 0), clock));
                let in_block = is_scoped.then_some((tag(head.thread, 1), &head.in_block));
                of_all.into_iter().chain(in_block)
            })
        });
        let streams = self.streams.iter().map(|(&stream, clock)| {
            let tag = ClockTag { what: 1 << 62 | stream, place: None };
            (tag, clock)
        });
        threads.chain(atomics).chain(streams)
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
