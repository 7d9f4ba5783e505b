//! Critical sections in which a thread comes to no other visible action, as single steps.
//!
//! Whoever takes such a lock waits for nothing until it gives it back, so nothing is lost if nobody else does anything in
//! between (Lipton, CACM 1975: taking a lock moves to the right of what others do, giving it back to the left). And two such
//! sections of one lock that do not access the same bytes, or only read them, come to the same in either order: they are not
//! ordered by happens-before either. A race that shows only for that reason shows as such in another execution, in which
//! all that is not ordered before its two accesses is left out.
//!
//! Whether a section is one is known at its end. So what it accesses is held back until then; then the thread learns
//! what is ordered before the section, and the race check is told.
//!
//! No lock call may have a choice about being too late: where a program tries a lock, or waits for it only for a time,
//! [`Config::atomic_blocks`](crate::Config::atomic_blocks) must not be set.

use crate::access::leave_out_beginnings;
use crate::step::StepCx;
use crate::{Engine, Sighting, State, Status, Stop};
use concurrency::{Action, Footprint, LockMode, Place, Range, Record, SyncOp, ThreadId, VectorClock};
use std::rc::Rc;

/// A critical section that may become a single step.
#[derive(Clone, Debug)]
pub(crate) struct AtomicBlock {
    thread: ThreadId,
    place: Place,
    mode: LockMode,
    /// What the last owners that were no single steps have done.
    before: VectorClock,
    accesses: Vec<(Range, Record)>,
    /// Once it is one: the thread stands before giving the lock back.
    footprint: Option<Rc<Footprint>>,
}

impl State {
    /// The thread that is in a section of which it is not known whether it is a single step, and the lock's place.
    pub fn open_block(&self) -> Option<(ThreadId, Place)> {
        self.block.as_ref().filter(|block| block.footprint.is_none()).map(|block| (block.thread, block.place))
    }

    /// What the section accessed that was a single step up to where its thread stands now, before giving the lock back.
    pub fn closed_block(&self) -> Option<&Rc<Footprint>> {
        self.block.as_ref()?.footprint.as_ref()
    }
}

impl StepCx<'_> {
    /// A thread has taken a lock, and has yet to learn what was done `before`.
    pub(crate) fn enter_block(&mut self, place: Place, before: VectorClock) {
        let thread = self.thread.id;
        if self.engine.config.atomic_blocks
            && self.state.concurrent
            && self.state.block.is_none()
            && let Some(mode) = self.state.sync.held_mode(place, thread)
        {
            let block = AtomicBlock { thread, place, mode, before, accesses: Vec::new(), footprint: None };
            self.state.block = Some(Rc::new(block));
            return;
        }
        self.take_up(place, &before);
    }

    /// A thread that has taken a lock learns all that was done with it.
    pub(crate) fn take_up(&mut self, place: Place, before: &VectorClock) {
        let thread = self.thread.id;
        let mode = self.state.sync.held_mode(place, thread).unwrap_or(LockMode::Exclusive);
        let passed = self.state.sync.blocks_before(place, mode, None);
        self.state.order.acquire(thread, before);
        self.state.order.acquire(thread, &passed);
    }

    /// Holds an access of such a section back; false where there is none.
    pub(crate) fn hold_back(&mut self, range: Range, record: Record) -> bool {
        match &mut self.state.block {
            Some(block) if block.footprint.is_none() && block.thread == record.thread => {
                Rc::make_mut(block).accesses.push((range, record));
                true
            }
            _ => false,
        }
    }

    /// The section that the thread is in, if any, is no single step.
    pub(crate) fn give_up_block(&mut self) {
        let thread = self.thread.id;
        let open = |block: &mut Rc<AtomicBlock>| block.footprint.is_none() && block.thread == thread;
        let Some(block) = self.state.block.take_if(open) else { return };
        tell(self.engine, self.state, &block, None);
    }

    /// The synchronisation objects in an object are no more. What is known of a lock is needed up to the end of its section.
    pub(crate) fn forget_sync(&mut self, object: memory::ObjId) {
        if self.state.block.as_ref().is_some_and(|block| block.place.object == object) {
            self.give_up_block();
        }
        self.state.sync.forget(object);
        self.state.order.forget(object);
    }

    /// Gives back the lock of a section that was a single step; false where it was none.
    pub(crate) fn leave_block(&mut self, place: Place) -> bool {
        let thread = self.thread.id;
        let is_it =
            |block: &mut Rc<AtomicBlock>| block.footprint.is_some() && (block.thread, block.place) == (thread, place);
        let Some(block) = self.state.block.take_if(is_it) else { return false };
        let Some(footprint) = block.footprint.clone() else { return false };
        let clock = self.state.order.release(thread);
        self.state.sync.give_back_block(place, thread, footprint, clock);
        true
    }
}

impl Engine {
    /// A thread has stopped: decides about the section that it is in, if any.
    pub(crate) fn settle_block(&mut self, state: &mut State, thread: ThreadId, stop: &Stop) {
        let gives_back = |action: &Action, place: Place| match action {
            Action::Sync { op: SyncOp::Unlock | SyncOp::ReadUnlock | SyncOp::WriteUnlock, place: given } => {
                *given == place
            }
            _ => false,
        };
        if matches!(stop, Stop::Choice(_) | Stop::Wrong(_) | Stop::CallEnded | Stop::Interrupted | Stop::Failed(_)) {
            return;
        }
        let Some(mut block) = state.block.take_if(|block| block.thread == thread) else { return };
        if block.footprint.is_some() {
            // It could not give the lock back.
            return;
        }
        let is_step = matches!(&state.thread(thread).status, Status::At(action) if gives_back(action, block.place));
        if !is_step {
            tell(self, state, &block, None);
            return;
        }
        let footprint = Footprint::new(block.accesses.iter().map(|(range, record)| (*range, record.kind)));
        tell(self, state, &block, Some(&footprint));
        let closed = Rc::make_mut(&mut block);
        (closed.accesses, closed.footprint) = (Vec::new(), Some(Rc::new(footprint)));
        state.block = Some(block);
    }
}

/// Tells a thread what happens before its section, and then the race check what it has accessed there.
fn tell(engine: &mut Engine, state: &mut State, block: &AtomicBlock, footprint: Option<&Footprint>) {
    let AtomicBlock { thread, place, mode, before, accesses, .. } = block;
    state.order.acquire(*thread, before);
    state.order.acquire(*thread, &state.sync.blocks_before(*place, *mode, footprint));
    let mut races = Vec::new();
    for &(range, later) in accesses {
        if state.memory.object(range.object).ended_unknown() {
            continue;
        }
        if engine.config.open_accesses && footprint.is_none() {
            Rc::make_mut(&mut state.thread_mut(*thread).open).insert((range, later.side(), later.epoch));
        }
        state.shadow.access(&state.order, range, later, &mut races);
        leave_out_beginnings(&mut races);
        // Kernels have no critical sections that could be one.
        let sighted =
            |(earlier_range, earlier)| Sighting { earlier, earlier_range, later, later_range: range, gpu: None };
        engine.sightings.extend(races.drain(..).map(sighted));
    }
}
