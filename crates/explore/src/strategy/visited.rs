//! Visited states: what has been explored before, on another path.
//!
//! Independent histories lead to equal states: two threads that add to one counter under a lock have as many traces as there
//! are orders, but only as many states as pairs of positions. What can follow from a state, with the same actions
//! asleep, is explored once; where it is met again, its executions are counted without being run.
//!
//! Guarantee: all counts are what they would be otherwise, but for that of paths where only what clocks showed tells them
//! apart. A part counts as known only when all of it was explored by
//! this task and nothing in it was cut for what had been before: because a state repeated itself, or a bound was reached.
//! Its findings and racy sites are known already: they do not depend on how the state came about.

use crate::strategy::node::{Left, Mark, Node};
use crate::strategy::sleep::SleepSets;
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use concurrency::ThreadId;
use machine::{Decision, Engine, State};
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

/// What follows from a state that was met before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// It was explored: executions and redundant runs.
    Counted(u64, u64),
    /// It was, or is still to be, and nobody counts.
    Met,
    /// The same, and it may follow from the last state of a part of the program's states that is never left again.
    MayBeLast,
}

#[derive(Debug)]
struct Open {
    key: Fingerprint,
    /// Nodes on the frontier below what follows.
    below: usize,
    before: Tally,
}

/// Questions after which it shows whether parts are met again.
const TRIAL: u64 = 256;

/// The parts of what follows from one initial state.
#[derive(Debug, Default)]
pub(crate) struct Visited {
    parts: FxHashMap<Fingerprint, Part>,
    open: Vec<Open>,
    /// Questions, and those that were answered.
    asked: u64,
    met: u64,
    deepest: u64,
}

impl Visited {
    /// Whether to go on asking: comparing states takes longer than a step, which is worth it only where enough of them are
    /// met again. None is on the first way down.
    fn is_worth_it(&self) -> bool {
        let asked = self.asked.saturating_sub(self.deepest);
        asked < TRIAL + 4 * self.deepest || self.met * 16 >= asked
    }

    /// What was begun is left to others.
    fn give_up(&mut self) {
        self.open.clear();
    }

    fn get(&mut self, key: Fingerprint) -> Option<Part> {
        let part = self.parts.get(&key).copied();
        self.asked += 1;
        self.met += u64::from(part.is_some());
        part
    }

    /// What follows now is this part, until there are no more than `below` nodes on the frontier.
    fn begin(&mut self, key: Fingerprint, below: usize, before: Tally) {
        self.open.push(Open { key, below, before });
        self.deepest = self.deepest.max(self.open.len() as u64);
    }

    /// Whether a part is done, now that there are `entries` on the frontier.
    fn is_done(&self, entries: usize) -> bool {
        self.open.last().is_some_and(|open| open.below >= entries)
    }

    /// Closes the parts that are done.
    fn close(&mut self, entries: usize, now: Tally) {
        while let Some(open) = self.open.pop_if(|open| open.below >= entries) {
            if open.before.cut == now.cut {
                let Tally { executions, redundant, .. } = open.before;
                self.parts.insert(open.key, Part::Counted(now.executions - executions, now.redundant - redundant));
            }
        }
    }
}

/// Sleep sets, and what follows from a state that was visited with the same threads asleep is counted.
#[derive(Debug)]
pub(crate) struct VisitedStates {
    sleep: SleepSets,
    visited: Visited,
}

impl VisitedStates {
    pub(crate) fn new(sleep: SleepSets, visited: Visited) -> Self {
        VisitedStates { sleep, visited }
    }
}

impl Strategy for VisitedStates {
    fn is_over(&self) -> bool {
        self.sleep.is_over()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        self.sleep.next(engine)
    }

    fn push(&mut self, node: Node) {
        self.sleep.push(node);
    }

    fn choice(&mut self, engine: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        self.sleep.choice(engine, node, thread, decisions);
    }

    fn schedule(&mut self, engine: &mut Engine, node: Node, point: &SchedulingPoint) -> Scheduled {
        self.sleep.schedule(engine, node, point)
    }

    fn stepped(&mut self, engine: &mut Engine, state: &mut State, mark: &mut Mark, thread: ThreadId) -> bool {
        self.sleep.stepped(engine, state, mark, thread)
    }

    fn left(&mut self, engine: &mut Engine) -> Vec<Left> {
        self.sleep.left(engine)
    }

    fn known(&mut self, engine: &mut Engine, node: &mut Node, printed: bool, counted: Tally) -> Option<Part> {
        if !self.visited.is_worth_it() {
            return None;
        }
        SleepSets::bring_up_to_date(node);
        let Node { state, mark, .. } = node;
        let state_key = state.key(&engine.program)?;
        let mut asleep = Fingerprint::default();
        mark.sleep.iter().for_each(|sleeper| asleep.add(sleeper.identity(state)));
        let printed = printed.then_some(&*state.output);
        let key = Fingerprint::of((state_key, asleep, printed));
        let known = self.visited.get(key);
        if known.is_none() {
            self.visited.begin(key, self.sleep.frontier.len(), counted);
        }
        known
    }

    fn close_parts(&mut self, counted: &dyn Fn() -> Tally) {
        let nodes = self.sleep.frontier.len();
        if self.visited.is_done(nodes) {
            self.visited.close(nodes, counted());
        }
    }

    fn into_visited(self: Box<Self>) -> Visited {
        let mut visited = self.visited;
        visited.give_up();
        visited
    }
}
