//! Whom threads of an execution meet at barriers.

use super::Execution;
use crate::interference::barriers::arrives;
use crate::interference::forest::Label;
use crate::interference::trace::At;
use crate::trace::canon::Who;
use concurrency::{Action, Place};

/// A barrier.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    /// Arrivals that nothing has let through yet.
    arrived: Vec<At>,
}

impl Execution<'_> {
    /// Where a thread stands before an arrival: for how many threads the barrier is. `real`: as the machine has it.
    pub(super) fn note_barrier(&mut self, real: &Action, action: &Action) {
        let (Action::Arrive { barrier: there, .. }, Action::Arrive { barrier, .. }) = (real, action) else { return };
        let count = self.state.sync.barrier_count(*there).unwrap_or(0);
        if count == 0 || *self.known.barriers.entry(*barrier).or_insert(count) != count {
            self.note_unfollowed("a barrier that is made anew for other numbers of threads");
        }
    }

    /// A thread has arrived: where enough have, each of them has met the others.
    pub(super) fn note_arrival(&mut self, place: Place, arrival: At) {
        let count = self.known.barriers.get(&place).copied().unwrap_or(0) as usize;
        let barrier = self.barriers.entry(place).or_default();
        barrier.arrived.push(arrival);
        if barrier.arrived.len() >= count {
            let mut all = std::mem::take(&mut barrier.arrived);
            all.sort_unstable();
            for &(who, _) in &all {
                let others = all.iter().copied().filter(|(other, _)| *other != who).collect();
                self.met.insert(who, others);
            }
        }
    }

    /// The others' arrivals, of a thread that passes.
    pub(super) fn take_met(&mut self, who: Who) -> Vec<(u32, At, bool)> {
        let others = self.met.remove(&who).unwrap_or_default();
        (0..).zip(others).map(|(cell, arrival)| (cell, arrival, false)).collect()
    }

    /// The barrier of which a thread that was the last to arrive is to choose the serial thread.
    pub(super) fn arrived_last(&self, at: usize) -> Option<Place> {
        self.last_granted(at).and_then(|action| arrives(&action))
    }

    /// Which of those that are let through ([`machine::State::let_through`]) is to be the serial one: who is foreseen; or one that is
    /// not followed further.
    pub(super) fn chosen_to_be_serial(&self, at: usize, barrier: Place) -> u32 {
        let members = self.state.let_through(barrier, self.threads[at].id);
        // Behind the arrival, which is there, or about to be.
        let foreseen = |id: &concurrency::ThreadId| {
            let who = self.threads.iter().find(|thread| thread.id == *id)?.who;
            let nodes = self.expected.get(who)?.nodes.iter().skip(self.done.trace.threads[who].len());
            let mut labels = nodes.map(|&node| self.known.forest.label(node));
            match (labels.next(), labels.next()) {
                (Some(Label::Act { action: Action::Pass(_), .. }), Some(Label::Serial(is))) => Some(*is),
                _ => None,
            }
        };
        let is_foreseen = members.iter().position(|id| foreseen(id) == Some(true));
        is_foreseen.or_else(|| members.iter().position(|id| foreseen(id).is_none())).unwrap_or(0) as u32
    }
}
