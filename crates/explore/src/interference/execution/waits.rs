//! Whom threads of an execution wake, and what they wait for.

use super::Execution;
use crate::interference::once;
use crate::trace::canon::Who;
use concurrency::{Action, OnceState, Place, SyncObject, SyncOp, ThreadId};
use machine::{Outcome, Status};

impl Execution<'_> {
    /// The condition that a thread is about to signal: whom it wakes is no part of what it does itself.
    pub(super) fn signalled(&self, at: usize) -> Option<Place> {
        match self.last_granted(at)? {
            Action::Sync { op: SyncOp::Signal, place } => Some(place),
            _ => None,
        }
    }

    /// Which of those that wait ([`machine::State::waiting`]) is to be woken: who is foreseen; or who is not followed further.
    pub(super) fn chosen_to_wake(&self, at: usize, condition: Place) -> u32 {
        let waiting = self.state.waiting(condition);
        let by = self.done.trace.threads[self.threads[at].who].last().map(|step| step.node);
        let next = |id: &ThreadId| {
            let who = self.threads.iter().find(|thread| thread.id == *id)?.who;
            self.expected.get(who)?.nodes.get(self.done.trace.threads[who].len()).copied()
        };
        let is_foreseen = |id: &ThreadId| {
            let source = next(id).and_then(|node| self.plan.scenario?.source(node, 0));
            source.is_some() && source == by
        };
        let foreseen = waiting.iter().position(is_foreseen);
        foreseen.or_else(|| waiting.iter().position(|id| next(id).is_none())).unwrap_or(0) as u32
    }

    /// Where a thread stands before what is called once: whether it was called before there were other threads. `real`: as the machine
    /// has it.
    pub(super) fn note_called(&mut self, real: &Action, action: &Action) {
        let (Some(there), Some(place)) = (once::called(real), once::called(action)) else { return };
        if self.began.contains(&place) {
            return;
        }
        let is_over = matches!(self.state.sync.get(there), Some(SyncObject::Once { state: OnceState::Done, .. }));
        self.began.insert(place);
        if *self.known.called.entry(place).or_insert(is_over) != is_over {
            self.note_unfollowed("a function that is called once, and sometimes before there are other threads");
        }
    }

    /// Who has been told to wake up by a signal.
    pub(super) fn note_woken(&mut self, by: (Who, usize)) {
        for thread in &self.threads {
            let Status::At(Action::Wake { condition, .. }) = self.state.thread(thread.id).status else { continue };
            if self.state.sync.is_signalled(condition, thread.id) {
                self.woken.entry(thread.who).or_insert(by);
            }
        }
    }

    /// What a thread waits for that others have done, and whether that counts as a read.
    pub(super) fn waits_for(&mut self, who: Who, action: &Action, outcome: Outcome) -> Vec<(u32, (Who, usize), bool)> {
        match *action {
            Action::Join(other) => {
                let other = self.known.canon.who(&self.state, other);
                let end = self.done.trace.threads[other].len() - 1;
                vec![(0, (other, end), false)]
            }
            // That it has ended is an outcome.
            Action::TryJoin { thread, .. } if outcome == Outcome::Gets => {
                let other = self.known.canon.who(&self.state, thread);
                let end = self.done.trace.threads[other].len() - 1;
                vec![(0, (other, end), true)]
            }
            Action::Pass(_) => self.take_met(who),
            // That it was woken in time is an outcome.
            Action::Wake { timed, .. } => self.woken.remove(&who).map(|by| (0, by, timed)).into_iter().collect(),
            Action::Sync { op: SyncOp::Once, place } => {
                let object = self.known.canon.object(&self.state, place.object);
                let by = self.called.get(&Place { object, ..place }).copied().filter(|&(other, _)| other != who);
                by.map(|by| (0, by, !self.is_ordered(who, by))).into_iter().collect()
            }
            Action::Sync { op, place } if outcome == Outcome::Misses && op.waiting().is_some() => {
                let object = self.known.canon.object(&self.state, place.object);
                let holder = self.holders.get(&Place { object, ..place }).copied();
                holder.filter(|&(other, _)| other != who).map(|by| (0, by, true)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}
