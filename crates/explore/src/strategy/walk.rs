//! Random walks: at each scheduling point, and each choice, one of the ways on at random. Equal traces are counted once.

use crate::RandomWalks;
use crate::run::frontier::Frontier;
use crate::strategy::node::{Left, Mark, Node};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use crate::trace::canonical::fingerprint;
use concurrency::ThreadId;
use fastrand::Rng;
use machine::{Decision, Engine, State};
use memory::Fingerprint;
use rustc_hash::FxHashSet;

/// Walks from one initial state.
#[derive(Debug)]
pub(crate) struct Walk {
    /// To be begun.
    left: u32,
    initial: Option<Node>,
    /// Where the walk that was begun goes on: at most one node.
    frontier: Frontier<Node>,
    random: Rng,
    traces: FxHashSet<Fingerprint>,
}

impl Walk {
    pub(crate) fn new(walks: RandomWalks) -> Self {
        let (frontier, random) = (Frontier::new(), Rng::with_seed(walks.seed));
        Walk { left: walks.count, initial: None, frontier, random, traces: FxHashSet::default() }
    }
}

impl Strategy for Walk {
    fn is_over(&self) -> bool {
        self.left == 0 && self.frontier.is_empty()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        self.frontier.pop(engine).or_else(|| {
            self.left = self.left.saturating_sub(1);
            self.initial.clone()
        })
    }

    fn push(&mut self, node: Node) {
        if self.initial.is_none() {
            self.initial = Some(node);
        } else {
            self.frontier.push(node);
        }
    }

    fn choice(&mut self, _: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        let decision = self.random.choice(decisions);
        self.frontier.push_choice(node, thread, decision.into_iter().collect());
    }

    fn schedule(&mut self, engine: &mut Engine, node: Node, point: &SchedulingPoint) -> Scheduled {
        let enabled: Vec<ThreadId> =
            point.pending.iter().filter(|pending| pending.2).map(|pending| pending.0).collect();
        if let Some(thread) = self.random.choice(enabled) {
            let mut state = node.state;
            engine.grant(&mut state, thread);
            self.frontier.push(Node::on(state, Mark::default()));
        }
        Scheduled::Somebody
    }

    fn is_new(&mut self, engine: &mut Engine, state: &State) -> bool {
        self.traces.insert(fingerprint(engine, state))
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        Vec::new()
    }
}
