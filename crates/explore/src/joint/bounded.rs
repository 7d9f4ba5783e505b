//! Scheduling within a bound on preemptions.
//!
//! Sleep sets would lose executions whose equivalents exceed the bound. So all linearisations within the bound are
//! executed, and equal ones counted once. A preemption is a switch away from a thread that could go on by itself: one
//! that waits for a lock, a thread or a signal could not, even if it might time out or wake up spuriously; one whose next
//! instruction fails could. So that every run is one of the program with as many preemptions, a thread runs only when it
//! is scheduled: when a thread begins and when a join returns are scheduled too. Only *between* its visible actions is a
//! thread not preempted, which loses nothing: what is left up to the next visible action can be done before the switch,
//! at no cost.

use crate::joint::{Item, Joint};
use concurrency::ThreadId;
use machine::{EngineError, State, Status, Step};
use smallvec::SmallVec;

impl Joint<'_, '_> {
    /// Lets each thread go next that can within the bound.
    pub(crate) fn schedule_bounded(&mut self, item: &Item, bound: u32) -> Result<(), EngineError> {
        let Item { state, last, preemptions, .. } = item;
        let pending: SmallVec<[(ThreadId, bool); 4]> = state
            .thread_ids()
            .filter_map(|thread| match &state.thread(thread).status {
                Status::Running if state.is_held_back(thread) => Some((thread, false)),
                Status::Running => Some((thread, true)),
                Status::At(action) => Some((thread, state.enabled(thread, action))),
                Status::Stuck(_) | Status::Ended => None,
            })
            .collect();
        if pending.is_empty() {
            return self.all_done(state);
        }
        if state.sync.section().is_some() {
            if pending.iter().all(|p| !p.1) {
                self.held_up(state);
                return Ok(());
            }
        } else {
            self.look_for_deadlock(state, pending.iter().map(|p| p.1))?;
        }
        let left = last.filter(|&last| could_go_on(state, last));
        let spent = |thread| preemptions + u32::from(left.is_some_and(|left| left != thread));
        let next: SmallVec<[ThreadId; 4]> =
            pending.iter().filter(|p| p.1 && spent(p.0) <= bound).map(|p| p.0).collect();
        if next.is_empty() && pending.iter().any(|p| p.1) {
            // The last thread fails or spins, and there is no preemption left to run others.
            self.look_for_hang(state)?;
            self.complete(state);
        }
        for &thread in next.iter().rev() {
            let mut state = state.clone();
            match state.thread(thread).status {
                Status::At(_) => self.engine.grant(&mut state, thread),
                _ => state.trace = state.trace.then(Step::Schedule(thread)),
            }
            self.agenda.push(Item { last: Some(thread), preemptions: spent(thread), ..Item::new(state) });
        }
        Ok(())
    }

    /// Sees to it that a finding within a bound can be replayed, where every thread runs up to its next visible action at
    /// once. If a thread that is delayed here makes a difference then, this makes its sites visible, and the next round,
    /// which finds everything again, stops before them. (And if threads go in circles until a delayed one begins, the
    /// replay is cut: hence the shortest run is kept, which has no circles.)
    pub(crate) fn run_ahead(&mut self, state: &State) {
        self.agenda.push(Item { ahead: true, ..Item::new(state.clone()) });
    }
}

/// Whether a thread could go on by itself, without a time-out or a spurious wake-up.
fn could_go_on(state: &State, thread: ThreadId) -> bool {
    match state.thread(thread).status {
        // One that fails could do so, and one that spins could go on spinning.
        Status::Running | Status::Stuck(_) => true,
        Status::At(action) => state.enabled_by_itself(thread, &action),
        Status::Ended => false,
    }
}
