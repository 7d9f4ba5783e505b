//! Critical sections that are one step: nobody else does anything in between.
//!
//! Two such sections of one lock come to the same in either order, unless one of them writes what the other accesses. So
//! each leaves behind what it accessed, and a later one takes up the clocks of those alone that it is ordered behind. A
//! section that is not one step is ordered with all others, as ever.

use super::{LockMode, SyncObject, SyncTable};
use crate::{Footprint, Place, ThreadId, VectorClock};
use std::rc::Rc;

/// What a section left behind: of each thread and footprint, the last.
#[derive(Clone, Debug)]
pub(super) struct GivenBack {
    thread: ThreadId,
    mode: LockMode,
    footprint: Rc<Footprint>,
    clock: VectorClock,
}

impl SyncTable {
    /// Whether a section may be one step that begins now, after `thread` has taken the lock at `place`: giving it back will
    /// be all that it takes to be as before.
    pub fn held_mode(&self, place: Place, thread: ThreadId) -> Option<LockMode> {
        match self.get(place)? {
            SyncObject::Mutex { owner, depth: 1, health: None, .. } if *owner == Some(thread) => {
                Some(LockMode::Exclusive)
            }
            SyncObject::Spin { owner, .. } if *owner == Some(thread) => Some(LockMode::Exclusive),
            SyncObject::RwLock { .. } => self.rwlock_mode(place, thread),
            _ => None,
        }
    }

    /// What happens before a section of the lock at `place`, beside what its last owners that were no single steps have
    /// done. `footprint`: of the section if it is one step.
    pub fn blocks_before(&self, place: Place, mode: LockMode, footprint: Option<&Footprint>) -> VectorClock {
        let mut clock = VectorClock::default();
        let shared = |block: &GivenBack| block.mode == LockMode::Shared && mode == LockMode::Shared;
        let ordered = |block: &&GivenBack| {
            !shared(block) && footprint.is_none_or(|footprint| footprint.conflicts(&block.footprint))
        };
        self.blocks_of(place).filter(ordered).for_each(|block| clock.join(&block.clock));
        clock
    }

    /// Forgets what sections of some locks left behind.
    pub(super) fn forget_blocks(&mut self, gone: impl Fn(Place) -> bool) {
        if self.blocks.keys().any(|place| gone(*place)) {
            Rc::make_mut(&mut self.blocks).retain(|place, _| !gone(*place));
        }
    }

    fn blocks_of(&self, place: Place) -> impl Iterator<Item = &GivenBack> {
        self.blocks.get(&place).into_iter().flatten()
    }

    /// Gives back a lock whose section was one step. `clock` is what the thread has done so far.
    pub fn give_back_block(&mut self, place: Place, thread: ThreadId, footprint: Rc<Footprint>, clock: VectorClock) {
        let Some(mode) = self.held_mode(place, thread) else { return };
        match self.get_mut(place) {
            Some(SyncObject::Mutex { owner, depth, .. }) => (*owner, *depth) = (None, 0),
            Some(SyncObject::Spin { owner, .. }) => *owner = None,
            Some(SyncObject::RwLock { writer, readers, .. }) => match mode {
                LockMode::Exclusive => *writer = None,
                LockMode::Shared => {
                    if let Some(at) = readers.iter().position(|reader| *reader == thread) {
                        readers.remove(at);
                    }
                }
            },
            _ => {}
        }
        let all = Rc::make_mut(&mut self.blocks).entry(place).or_default();
        let same = |block: &GivenBack| block.thread == thread && block.mode == mode && block.footprint == footprint;
        let known = all.iter().position(same);
        let last = GivenBack { thread, mode, footprint: Rc::clone(&footprint), clock };
        match known {
            Some(known) => drop(all.set(known, last)),
            None => all.push_back(last),
        }
    }

    /// The clocks that sections left behind, and a number for each that tells it from the others at its place.
    pub(super) fn block_clocks(&self) -> impl Iterator<Item = (Place, u64, &VectorClock)> {
        self.blocks.iter().flat_map(|(&place, all)| {
            all.iter().map(move |block| {
                let whose = memory::Fingerprint::of((block.thread, block.mode, &*block.footprint));
                (place, whose.word(), &block.clock)
            })
        })
    }
}
