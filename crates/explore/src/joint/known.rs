//! What has been explored before, on another way.
//!
//! Independent histories lead to equal states: two threads that add to one counter under a lock have as many traces as there
//! are orders, but only as many states as pairs of positions. What can follow from a state, with the same actions
//! asleep, is explored once; where it is met again, its executions are counted without being run.
//!
//! Guarantee: all counts are what they would be otherwise, but for that of paths where only what clocks showed tells them
//! apart. A part counts as known only when all of it was explored by
//! this task and nothing in it was cut for what had been before: because a state repeated itself, or a bound was reached.
//! Its findings and racy sites are known already: they do not depend on how the state came about.

use memory::Fingerprint;
use rustc_hash::FxHashMap;

/// What was counted by some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub executions: u64,
    pub redundant: u64,
    /// Runs that were cut for what had been before, and losses.
    pub cut: u64,
}

/// Executions and redundant runs of a part.
pub(crate) type Part = (u64, u64);

#[derive(Debug)]
struct Open {
    key: Fingerprint,
    /// Entries on the agenda below what follows.
    below: usize,
    before: Tally,
}

/// Questions after which it shows whether parts are met again.
const TRIAL: u64 = 256;

/// The parts of what follows from one initial state.
#[derive(Debug, Default)]
pub(crate) struct Known {
    parts: FxHashMap<Fingerprint, Part>,
    open: Vec<Open>,
    /// Questions, and those that were answered.
    asked: u64,
    met: u64,
    deepest: u64,
}

impl Known {
    /// Whether to go on asking: comparing states takes longer than a step, which is worth it only where enough of them are
    /// met again. None is on the first way down.
    pub(crate) fn is_worth_it(&self) -> bool {
        let asked = self.asked.saturating_sub(self.deepest);
        asked < TRIAL + 4 * self.deepest || self.met * 16 >= asked
    }

    /// What was begun is left to others.
    pub(crate) fn give_up(&mut self) {
        self.open.clear();
    }

    pub(crate) fn get(&mut self, key: Fingerprint) -> Option<Part> {
        let part = self.parts.get(&key).copied();
        self.asked += 1;
        self.met += u64::from(part.is_some());
        part
    }

    /// What follows now is this part, until there are no more than `below` entries on the agenda.
    pub(crate) fn begin(&mut self, key: Fingerprint, below: usize, before: Tally) {
        self.open.push(Open { key, below, before });
        self.deepest = self.deepest.max(self.open.len() as u64);
    }

    /// Whether a part is done, now that there are `entries` on the agenda.
    pub(crate) fn is_done(&self, entries: usize) -> bool {
        self.open.last().is_some_and(|open| open.below >= entries)
    }

    /// Closes the parts that are done.
    pub(crate) fn close(&mut self, entries: usize, now: Tally) {
        while let Some(open) = self.open.pop_if(|open| open.below >= entries) {
            if open.before.cut == now.cut {
                let part = (now.executions - open.before.executions, now.redundant - open.before.redundant);
                self.parts.insert(open.key, part);
            }
        }
    }
}
