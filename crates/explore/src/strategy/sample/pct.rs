//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte, ASPLOS 2010).
//!
//! Threads have priorities at random, and who has the highest runs. At `depth - 1` steps, chosen at random among as many as executions have
//! (`k`), the one that has just run gets a priority below all others. Of `n` threads, what shows whenever `depth` pairs of steps come in one
//! order each shows with a probability of at least `1 / (n k^(depth-1))` (Theorem 9): on the input path that the execution takes, for `k` is
//! of one program, and each path is another. `k` is the length of the longest execution so far, so the first ones only measure.

use crate::strategy::Threads;
use crate::strategy::sample::Picks;
use concurrency::ThreadId;
use fastrand::Rng;
use machine::State;
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(super) struct Pct {
    depth: u32,
    /// The most steps of an execution so far.
    longest: u32,
    /// Executions that were begun since it was found to be as long.
    informed: u64,
    steps: u32,
    /// Numbers of steps behind which the thread that ran is put below all others, the first first in the list.
    changes: Vec<u32>,
    /// The more, the sooner; those of a thread that was put below others are negative.
    priorities: FxHashMap<ThreadId, i64>,
}

impl Pct {
    pub(super) fn new(depth: u32) -> Self {
        let (changes, priorities) = (Vec::new(), FxHashMap::default());
        Pct { depth, longest: 0, informed: 0, steps: 0, changes, priorities }
    }
}

impl Picks for Pct {
    fn begin(&mut self, random: &mut Rng) {
        if self.steps > self.longest {
            self.longest = self.steps;
            self.informed = 0;
        }
        self.steps = 0;
        self.priorities.clear();
        self.changes.clear();
        if self.longest > 0 {
            self.changes.extend((1..self.depth).map(|_| random.u32(1..=self.longest)));
            self.informed += 1;
        }
    }

    fn pick(&mut self, _: &State, awake: &Threads, _: &Threads, random: &mut Rng) -> ThreadId {
        self.steps += 1;
        let mut first = (i64::MIN, awake[0].0);
        for (thread, _) in awake {
            let priority = *self.priorities.entry(*thread).or_insert_with(|| random.i64(0..));
            first = first.max((priority, *thread));
        }
        let (_, thread) = first;
        // Each change has a priority of its own (`i` in the paper), which is known before.
        if let Some(change) = self.changes.iter().position(|step| *step == self.steps) {
            self.priorities.insert(thread, -1 - change as i64);
        }
        thread
    }

    fn informed(&self) -> u64 {
        if self.steps > self.longest { 0 } else { self.informed }
    }
}
