//! Partial order sampling (Yuan, Yang & Gu, CAV 2018): the action with the highest priority comes first, and those that depend on it, and wait
//! to come after it, get new ones. So the order of two that depend on each other does not hang on how the others before them came.

use crate::strategy::Threads;
use crate::strategy::sample::Picks;
use concurrency::ThreadId;
use fastrand::Rng;
use machine::State;
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Pos {
    /// Of the action that each thread stands before.
    priorities: FxHashMap<ThreadId, u64>,
}

impl Picks for Pos {
    fn begin(&mut self, _: &mut Rng) {
        self.priorities.clear();
    }

    fn pick(&mut self, _: &State, awake: &Threads, pending: &Threads, random: &mut Rng) -> ThreadId {
        let mut first = (0, &awake[0]);
        for entry in awake {
            let priority = *self.priorities.entry(entry.0).or_insert_with(|| random.u64(..));
            if priority >= first.0 {
                first = (priority, entry);
            }
        }
        let (_, (thread, action)) = first;
        self.priorities.remove(thread);
        for (other, _) in pending.iter().filter(|(other, later)| other != thread && later.dependent(action)) {
            self.priorities.remove(other);
        }
        *thread
    }
}
