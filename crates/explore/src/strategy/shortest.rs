//! Each state once, the shortest runs first: for programs that never end, of which depth first one run would go through all states.
//!
//! Nobody sleeps. Sleep sets leave steps out, but no states, and would tell states apart by who sleeps. What can be reached is
//! reached from where a state was met first; nothing is put off, so nothing can be ignored (Godefroid 1996, 3.5).
//!
//! Accesses and their clocks are no part of a state as long as nobody knows anything by hearsay ([`machine::State::hearsay`]): of two
//! accesses without order that come first, all that does not happen before either of them can be left out, and then they are neighbours
//! in a state that is met; so it is enough that what threads have accessed since their last actions is part of it.
//! Of the input that counts which the rest of a run can depend on ([`machine::Engine::live_key`]).
//!
//! Guarantee: each state within the bounds is met, each race is found that some execution has, and the search comes to its end if there
//! are finitely many. Executions are not counted where states come up again.

use crate::strategy::node::{Left, Mark, Node, Turns};
use crate::strategy::sleep::SleepSets;
use crate::strategy::visited::{Part, Tally};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use concurrency::ThreadId;
use machine::{Decision, Engine, State};
use memory::Fingerprint;
use rustc_hash::FxHashMap;

/// What is left, and what was met.
#[derive(Debug)]
pub(crate) struct ShortestFirst {
    /// In which everybody is awake.
    sleep: SleepSets,
    /// By number, in the order in which they were met.
    met: FxHashMap<Fingerprint, usize>,
    /// The last state of which it was said that it may be the last.
    looked_from: Option<usize>,
}

impl ShortestFirst {
    pub(crate) fn new(sleep: SleepSets) -> Self {
        ShortestFirst { sleep: sleep.breadth_first(), met: FxHashMap::default(), looked_from: None }
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
        let from = node.mark.from;
        let mut successor = self.sleep.successor(engine, node, next, &[]);
        successor.mark.from = from;
        Some(successor)
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

    /// All, if anything is: without what was met, each part would go through all that follows.
    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        if self.is_over() { Vec::new() } else { vec![Left::all()] }
    }

    fn is_undivided(&self) -> bool {
        true
    }

    /// A thread that asks for ever what nobody notices comes to no scheduling point.
    fn known_at_branch(&mut self, engine: &mut Engine, node: &mut Node, printed: bool) -> Option<Part> {
        self.met_before(engine, node, printed)
    }

    fn known(&mut self, engine: &mut Engine, node: &mut Node, printed: bool, _: Tally) -> Option<Part> {
        self.met_before(engine, node, printed)
    }
}

impl ShortestFirst {
    /// What is known of a state; it is met now.
    fn met_before(&mut self, engine: &mut Engine, node: &mut Node, printed: bool) -> Option<Part> {
        let key = engine.live_key(&mut node.state)?;
        let key = Fingerprint::of((key, printed.then_some(&*node.state.output)));
        let next = self.met.len();
        let number = *self.met.entry(key).or_insert(next);
        let from = node.mark.from.replace(number);
        if number == next {
            return None;
        }
        // Of states that are never left again, from the one that was met last nothing leads to one that was met later.
        let may_be_last = from.is_some_and(|from| number <= from) && self.looked_from != from;
        if may_be_last {
            self.looked_from = from;
        }
        Some(if may_be_last { Part::MayBeLast } else { Part::Met })
    }
}
