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

use crate::strategy::node::{Left, Mark, Node, Siblings, Turns};
use crate::strategy::sleep::SleepSets;
use crate::strategy::visited::{Part, Tally};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use concurrency::ThreadId;
use machine::{Decision, Engine, KeyParts, Races, State};
use memory::Fingerprint;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// What is left, and what was met.
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
            (false, true) => Some(Part::Met),
            // Of states that are never left again, from the one that was met last nothing leads to one that was met later.
            (false, false) => Some(Part::Last),
        }
    }
}
