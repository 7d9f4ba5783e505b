//! Visited states: what has been explored before, on another path.
//!
//! Independent histories lead to equal states: two threads that add to one counter under a lock have as many traces as there
//! are orders, but only as many states as pairs of positions. What can follow from a state, with the same actions
//! asleep, is explored once; where it is met again, its executions are counted without being run.
//!
//! A program that goes round for ever comes back to states from which the search has not come to an end yet. What follows from
//! them is being explored, so the run is cut there: all that can be reached is reached from where the state was met first
//! (Godefroid 1996, 3.5; nothing is put off, so nothing can be ignored). How many executions there are is not known then.
//!
//! Guarantee: nothing that can follow is left out, and where no run is cut, all counts are what they would be otherwise, but for that
//! of paths where only what clocks showed tells them apart. Its findings and racy sites are known already: they do not depend on how
//! the state came about.

use crate::strategy::node::{Left, Mark, Node, Siblings, Turns};
use crate::strategy::sleep::SleepSets;
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use concurrency::ThreadId;
use machine::{Decision, Engine, KeyParts, Races, State};
use memory::Fingerprint;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// What was counted by some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub executions: u64,
    pub redundant: u64,
    /// Runs that were cut for what had been before, and losses.
    pub cut: u64,
}

/// What follows from a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// It was explored: executions and redundant runs.
    Counted(u64, u64),
    /// It is being explored, or was, and runs were cut there.
    Begun,
    /// The same, and it is not the last state of a part of the program's states that is never left again.
    BegunBeside,
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
    /// A run has come back to a state from which the search has not come to an end.
    goes_round: bool,
}

impl Visited {
    /// Whether to go on asking: comparing states takes longer than a step, which is worth it only where enough of them are
    /// met again, none of which is on the first way down; or where runs go round, which would not end otherwise.
    fn is_worth_it(&self) -> bool {
        if self.goes_round {
            return true;
        }
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
        self.goes_round |= part == Some(Part::Begun);
        part
    }

    /// What follows now is this part, until there are no more than `below` nodes on the frontier.
    fn begin(&mut self, key: Fingerprint, below: usize, before: Tally) {
        self.parts.insert(key, Part::Begun);
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

    fn choice(&mut self, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        self.sleep.choice(node, thread, decisions);
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

    fn known(
        &mut self,
        engine: &mut Engine,
        node: &mut Node,
        printed: bool,
        counted: Tally,
    ) -> Option<Part> {
        if !self.visited.is_worth_it() {
            return None;
        }
        SleepSets::bring_up_to_date(node);
        let Node { state, mark, .. } = node;
        let state_key = state.key(&engine.program, KeyParts { races: Races::All })?;
        let mut asleep = Fingerprint::default();
        mark.sleep.iter().for_each(|sleeper| asleep.add(sleeper.identity(state)));
        let key = Fingerprint::of((state_key, asleep, printed.then_some(&*state.output)));
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

/// Each state is gone on from once, by all threads that can, where it was met first: on one of the shortest ways. For programs that
/// never end, of which depth first one run would go through all states. Nobody sleeps: that would leave out steps, but no states, and
/// tell states apart by who does.
#[derive(Debug)]
pub(crate) struct ShortestFirst {
    /// In which everybody is awake.
    sleep: SleepSets,
    /// By number, in the order in which they were met.
    met: FxHashMap<Fingerprint, usize>,
}

impl ShortestFirst {
    pub(crate) fn new(sleep: SleepSets) -> Self {
        ShortestFirst { sleep: sleep.breadth_first(), met: FxHashMap::default() }
    }
}

impl Strategy for ShortestFirst {
    fn is_over(&self) -> bool {
        self.sleep.is_over()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        let mut node = self.sleep.frontier.pop(engine)?;
        let turns = match std::mem::take(&mut node.turns) {
            Turns::These(turns) => turns,
            Turns::Unknown | Turns::Backtracking => return Some(node),
        };
        let (next, _, left) = turns.take();
        if let Some(left) = left {
            self.sleep.frontier.push_next(Node { turns: Turns::These(left), ..node.clone() });
        }
        let siblings = node.mark.siblings.take();
        let mut successor = self.sleep.successor(engine, node, next, &[]);
        successor.mark.siblings = siblings;
        Some(successor)
    }

    fn push(&mut self, node: Node) {
        self.sleep.push(node);
    }

    fn choice(&mut self, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        self.sleep.choice(node, thread, decisions);
    }

    fn schedule(&mut self, engine: &mut Engine, mut node: Node, point: &SchedulingPoint) -> Scheduled {
        let from = self.met.len().saturating_sub(1);
        node.mark.siblings = Some(Rc::new(Siblings { from, lead_on: Cell::new(false) }));
        self.sleep.schedule(engine, node, point)
    }

    fn stepped(&mut self, engine: &mut Engine, state: &mut State, mark: &mut Mark, thread: ThreadId) -> bool {
        self.sleep.stepped(engine, state, mark, thread)
    }

    fn left(&mut self, engine: &mut Engine) -> Vec<Left> {
        self.sleep.left(engine)
    }

    fn is_undivided(&self) -> bool {
        true
    }

    fn known(&mut self, engine: &mut Engine, node: &mut Node, printed: bool, _: Tally) -> Option<Part> {
        let key = engine.live_key(&mut node.state, KeyParts { races: Races::Open })?;
        let key = Fingerprint::of((key, printed.then_some(&*node.state.output)));
        let next = self.met.len();
        let number = *self.met.entry(key).or_insert(next);
        let siblings = node.mark.siblings.take();
        let lead_on = siblings.is_some_and(|siblings| {
            siblings.lead_on.set(siblings.lead_on.get() || number > siblings.from);
            siblings.lead_on.get() || Rc::strong_count(&siblings) > 1
        });
        match (number == next, lead_on) {
            (true, _) => None,
            (false, true) => Some(Part::BegunBeside),
            // Of states that are never left again, from the one that was met last nothing leads to one that was met later.
            (false, false) => Some(Part::Begun),
        }
    }
}
