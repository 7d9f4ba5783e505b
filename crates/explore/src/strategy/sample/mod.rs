//! Executions at random: at each choice one of the answers, at each scheduling point one of the threads, by a [`Sampler`]. Equal traces are
//! counted once.
//!
//! | sampler | who goes on | source |
//! |---|---|---|
//! | `walk` | one of those that can, each as likely as the others | |
//! | [`pct`] | who has the highest priority; a few times the one that runs gets the lowest | Burckhardt, Kothari, Musuvathi & Nagarakatte, ASPLOS 2010 |
//! | [`pos`] | whose action has the highest priority; those that depend on it get new ones | Yuan, Yang & Gu, CAV 2018 |
//! | [`surw`] | of the actions on one place, each order of them as likely as the others | Zhao, Wolff, Mathur & Roychoudhury, ASPLOS 2025 |
//!
//! A thread that looks again and again for what others have to do could keep them from it for ever: it steps back until somebody else has run
//! ([`Course::spins`]).

mod pct;
mod pos;
mod surw;

use crate::run::frontier::Frontier;
use crate::strategy::node::{Left, Mark, Node};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy, Threads};
use crate::trace::canonical::fingerprint;
use crate::{Sampler, Sampling, SamplingCounts};
use concurrency::{Action, SyncOp, ThreadId};
use fastrand::Rng;
use machine::{Decision, Engine, State};
use memory::Fingerprint;
use pct::Pct;
use pos::Pos;
use rustc_hash::FxHashSet;
use std::fmt;
use surw::Surw;

/// Who goes on in an execution at random.
trait Picks: fmt::Debug {
    /// An execution begins; the one before, if there was any, is over.
    fn begin(&mut self, random: &mut Rng);

    /// One of `awake`, of which there is at least one. `pending`: what all threads stand before, those included that have to wait.
    fn pick(&mut self, state: &State, awake: &Threads, pending: &Threads, random: &mut Rng) -> ThreadId;

    /// Executions so far that were begun with what they have to know of the longest.
    fn informed(&self) -> u64 {
        0
    }
}

/// One of those that can, each as likely as the others.
#[derive(Debug)]
struct Uniform;

impl Picks for Uniform {
    fn begin(&mut self, _: &mut Rng) {}

    fn pick(&mut self, _: &State, awake: &Threads, _: &Threads, random: &mut Rng) -> ThreadId {
        awake[random.usize(..awake.len())].0
    }
}

/// Of the execution that runs.
#[derive(Debug, Default)]
struct Course {
    /// Scheduling points so far.
    steps: u32,
    /// What threads did since they last did something else than to look, and how often, as long as nobody else has done what that depends
    /// on.
    again: Vec<(ThreadId, Action, u32)>,
}

/// How often a thread may look for the same in vain until others come first; and how often it may do the same otherwise (a failing
/// compare-and-exchange is no other action than one that succeeds). Both are far below the loops that are cut.
const LOOKS: u32 = 8;
const TRIES: u32 = 32;

impl Course {
    /// Whether a thread is about to do once more what it has done in vain.
    fn spins(&self, thread: ThreadId, action: &Action) -> bool {
        let patience = if only_looks(action) { LOOKS } else { TRIES };
        self.again.iter().any(|(other, done, times)| (other, done) == (&thread, action) && *times >= patience)
    }

    fn goes_on(&mut self, thread: ThreadId, action: &Action) {
        self.steps += 1;
        let kept = |other: ThreadId, done: &Action| match other == thread {
            true => only_looks(action) && only_looks(done) || done == action,
            false => !done.dependent(action),
        };
        self.again.retain(|(other, done, _)| kept(*other, done));
        match self.again.iter_mut().find(|(other, done, _)| (*other, done) == (thread, action)) {
            Some((_, _, times)) => *times += 1,
            None => self.again.push((thread, *action, 1)),
        }
    }
}

/// Whether an action changes nothing that others see, unless it takes something.
fn only_looks(action: &Action) -> bool {
    match action {
        Action::Access { write, .. } => !write,
        Action::TryJoin { .. } => true,
        Action::Sync { op, .. } => op.waiting().is_some() || *op == SyncOp::SemValue,
        _ => false,
    }
}

/// Executions at random from one initial state.
#[derive(Debug)]
pub(crate) struct Samples {
    /// To be begun.
    left: u32,
    initial: Option<Node>,
    /// Where the execution that was begun goes on: at most one node.
    frontier: Frontier<Node>,
    random: Rng,
    picks: Box<dyn Picks>,
    course: Course,
    counts: SamplingCounts,
    traces: FxHashSet<Fingerprint>,
}

impl Samples {
    pub(crate) fn new(sampling: Sampling) -> Self {
        let picks: Box<dyn Picks> = match sampling.sampler {
            Sampler::Walk => Box::new(Uniform),
            Sampler::Pct { depth } => Box::new(Pct::new(depth)),
            Sampler::Pos => Box::new(Pos::default()),
            Sampler::Surw => Box::new(Surw::default()),
        };
        Samples {
            left: sampling.count,
            initial: None,
            frontier: Frontier::new(),
            random: Rng::with_seed(sampling.seed),
            picks,
            course: Course::default(),
            counts: SamplingCounts { sampler: sampling.sampler, ..SamplingCounts::default() },
            traces: FxHashSet::default(),
        }
    }

    fn begin(&mut self) {
        self.counts.runs += 1;
        self.course = Course::default();
        self.picks.begin(&mut self.random);
    }
}

impl Strategy for Samples {
    fn is_over(&self) -> bool {
        self.left == 0 && self.frontier.is_empty()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        self.frontier.pop(engine).or_else(|| {
            self.left = self.left.checked_sub(1)?;
            self.begin();
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
        let of = |with_blocked: bool| -> Threads {
            let chosen = point.pending.iter().filter(|pending| pending.2 || with_blocked);
            chosen.filter_map(|(thread, action, _)| Some((*thread, (*action)?))).collect()
        };
        let (enabled, pending) = (of(false), of(true));
        let mut awake = enabled.clone();
        awake.retain(|(thread, action)| !self.course.spins(*thread, action));
        // All of them wait for what only the environment can bring about, or for each other.
        let awake = if awake.is_empty() { enabled } else { awake };
        if awake.is_empty() {
            return Scheduled::Somebody;
        }
        let thread = self.picks.pick(&node.state, &awake, &pending, &mut self.random);
        if let Some((_, action)) = awake.iter().find(|(other, _)| *other == thread) {
            self.course.goes_on(thread, action);
        }
        self.counts.steps = self.counts.steps.max(self.course.steps);
        self.counts.threads = self.counts.threads.max(node.state.threads.len() as u32);
        let mut state = node.state;
        engine.grant(&mut state, thread);
        self.frontier.push(Node::on(state, Mark::default()));
        Scheduled::Somebody
    }

    fn is_new(&mut self, engine: &mut Engine, state: &State) -> bool {
        self.traces.insert(fingerprint(engine, state))
    }

    fn sampling(&self) -> Option<SamplingCounts> {
        Some(SamplingCounts { informed: self.picks.informed(), ..self.counts })
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        Vec::new()
    }
}
