//! Which executions are run, and which are left out because others stand for them.
//!
//! A [`Strategy`] owns what is still to be explored. The search tells it where threads stand, what they choose between, and
//! where a run is cut; it says where to go on. Which one it is, is one value ([`Reduction`]), chosen before the search begins
//! from what is asked for, from the program and from where it starts. Nobody outside of this folder asks which.
//!
//! Guarantee: a [`Reduction`] is a combination for which it has been argued that nothing is lost (the table in
//! [the crate's documentation](crate)); others cannot be made.

pub(crate) mod bounded;
pub(crate) mod dpor;
pub(crate) mod node;
mod past;
mod sample;
mod shortest;
pub(crate) mod sleep;
mod sleeper;
mod unfold;
pub(crate) mod visited;

use crate::run::next::runnable;
use crate::{JointOptions, KnownEvent, Por, Sampling, SamplingCounts, Schedules, UnfoldingCounts, UnfoldingOptions};
use bounded::Bounded;
use concurrency::{Action, Site, ThreadId};
use dpor::SourceSets;
use machine::{Config, Decision, Engine, LossKind, Program, Remedy, Repeats, State};
use node::{Left, Mark, Node};
use sample::Samples;
use shortest::ShortestFirst;
use sleep::SleepSets;
use smallvec::SmallVec;
use std::fmt;
use unfold::Unfolding;
use visited::{Part, Tally, Visited, VisitedStates};

/// What each thread is about to do at a scheduling point, and whether it can. Only where threads run when they are scheduled is
/// one about to run on, without an action.
pub(crate) type Pending = SmallVec<[(ThreadId, Option<Action>, bool); 4]>;

/// Threads that can go on, with their actions.
pub(crate) type Threads = SmallVec<[(ThreadId, Action); 4]>;

/// All threads stand before actions, or have ended.
pub(crate) struct SchedulingPoint<'p> {
    pub pending: &'p Pending,
    pub preference: Option<&'p dyn Preference>,
}

/// Who should go first, of those that can.
pub(crate) trait Preference {
    /// `taken`: steps since the beginning; `site`: where a thread stands.
    fn sort(&self, awake: &mut Threads, taken: u32, site: &dyn Fn(ThreadId) -> Site);
}

/// What comes of a scheduling point.
#[derive(Debug)]
pub(crate) enum Scheduled {
    /// Or nobody can.
    Somebody,
    /// All that could go on have been tried elsewhere.
    AllAsleep(Box<State>),
    /// The bound lets nobody go on who can.
    BoundReached(Box<State>),
}

/// What is still to be explored, and in what order.
pub(crate) trait Strategy: fmt::Debug {
    /// Nothing is left.
    fn is_over(&self) -> bool;

    /// Where to go on; none where something turned out to be over, which takes a step as well.
    fn next(&mut self, engine: &mut Engine) -> Option<Node>;

    /// To be explored as well.
    fn push(&mut self, node: Node);

    /// A thread has to choose: each of these is a way to go on.
    fn choice(&mut self, engine: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>);

    /// All threads have come to where somebody is to be scheduled.
    fn schedule(&mut self, engine: &mut Engine, node: Node, point: &SchedulingPoint) -> Scheduled;

    /// What is left, the next first.
    fn left(&mut self, engine: &mut Engine) -> Vec<Left>;

    /// Who runs next on the way to a scheduling point.
    fn runs(&self, engine: &mut Engine, state: &mut State, _: &Mark) -> Option<ThreadId> {
        runnable(engine, state)
    }

    /// Whether a run is only to show what races in it: its failures are found elsewhere, and it ends at the next scheduling point.
    fn is_for_races_only(&self, _: &Mark) -> bool {
        false
    }

    /// A thread has come to the end of its step. False if what follows was explored before.
    fn stepped(&mut self, _: &mut Engine, _: &mut State, _: &mut Mark, _: ThreadId) -> bool {
        true
    }

    /// What follows from a scheduling point, if it was explored before, or is being explored. `printed`: states in which something
    /// else has been printed are others; `counted`: so far.
    fn known(&mut self, _: &mut Engine, _node: &mut Node, _printed: bool, _counted: Tally) -> Option<Part> {
        None
    }

    /// The same where a thread has to choose at a branch, on its way between two actions.
    fn known_at_branch(&mut self, _: &mut Engine, _node: &mut Node, _printed: bool) -> Option<Part> {
        None
    }

    /// A thread has come to what was assumed not to happen. Whether the others go on all the same, for what they would do is to be known:
    /// nobody counts that.
    fn goes_on_without(&mut self, _: &mut State, _: ThreadId) -> bool {
        false
    }

    /// Whether a run is one that nobody counts.
    fn is_void(&self) -> bool {
        false
    }

    /// Whether a run is only to show what is wrong in it: it counts as no execution.
    fn is_uncounted(&self) -> bool {
        self.is_void()
    }

    /// A part of which it is to be known what it came to may be over.
    fn close_parts(&mut self, _: &dyn Fn() -> Tally) {}

    /// A run ends here, for the state is the one that it was in at this time.
    fn came_round(&mut self, _: &mut Engine, _: &Mark, _since: u64) {}

    /// A run ends here, and what the others would have done is not known.
    fn cut(&mut self) {}

    /// Whether what it knows of what was met before cannot be divided: then one task does it all.
    fn is_undivided(&self) -> bool {
        false
    }

    /// Whether an execution has not come up before.
    fn is_new(&mut self, _: &mut Engine, _: &State) -> bool {
        true
    }

    /// An execution is complete.
    fn completed(&mut self, _: &State) {}

    /// What is known of the unfolding, where that is explored.
    fn unfolding(&self) -> Option<UnfoldingCounts> {
        None
    }

    /// All that is known of the unfolding, if that is kept.
    fn known_events(&self, _: &mut Engine, _initial: &State) -> Vec<KnownEvent> {
        Vec::new()
    }

    /// What is known of executions at random, where that is what they are.
    fn sampling(&self) -> Option<SamplingCounts> {
        None
    }

    /// Something was found in this state.
    fn found(&mut self, _: &State) {}

    /// Of two states that show the same, the one for which this is less is easier to replay.
    fn difficulty(&self, state: &State) -> (bool, u64) {
        (state.is_stuck(), 0)
    }

    /// What was explored, for whoever goes on from the same initial state.
    fn into_visited(self: Box<Self>) -> Visited {
        Visited::default()
    }
}

impl Schedules {
    /// Whether all there is to find is found.
    pub(crate) fn are_all(self) -> bool {
        self == Schedules::All
    }

    /// Whether the parts of a search can be explored apart, and likely races first. Not where executions are told apart by
    /// what others there were.
    pub fn are_divisible(self) -> bool {
        self == Schedules::All
    }

    /// How the orders are covered of a whole program, which begins in a state of its own: where it may never end, and the search would not
    /// either, each state is gone on from once.
    pub fn of_whole_program(self, program: &Program) -> Option<Por> {
        self.by_states(program).filter(|_| program.has_endless_loop())
    }

    /// That each state is gone on from once, where states of the program can be compared: executions are not counted then.
    pub fn by_states(self, program: &Program) -> Option<Por> {
        let begins_anywhere = program.module.globals.iter().any(|global| matches!(global.init, ir::Init::External));
        (self == Schedules::All && !begins_anywhere).then_some(Por::ShortestFirst)
    }

    /// Whether threads run only when they are scheduled, which replaying has to know.
    pub(crate) fn are_bounded(self) -> bool {
        matches!(self, Schedules::Bounded(_))
    }

    /// What is lost although the search has come to its end. A bound on preemptions is part of the claim.
    pub(crate) fn loss(self) -> Option<(LossKind, Remedy)> {
        match self {
            Schedules::All | Schedules::Bounded(_) => None,
            Schedules::Random(_) => Some((LossKind::Sampled, Remedy::NoSampling)),
        }
    }
}

/// Which orders of the actions of threads are run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Order {
    /// Those that [`Por`] leaves over.
    All(Por),
    /// Every linearisation with at most so many preemptions; equal traces are counted once.
    Bounded(u32),
    Random(Sampling),
}

/// What is left out of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reduction {
    order: Order,
    atomic_blocks: bool,
}

impl Reduction {
    /// What is left out of what follows from an initial state.
    pub(crate) fn choose(options: JointOptions, program: &Program, initial: &State) -> Self {
        let order = match (options.schedules, options.por) {
            // Sleep sets would lose a trace whose only linearisation within the bound they cut.
            (Schedules::Bounded(preemptions), _) => Order::Bounded(preemptions),
            (Schedules::Random(sampling), _) => Order::Random(sampling),
            // States of an initial heap are told apart by what was decided of it, so that hardly any comes up again. Where
            // states are visited once, what follows is not seen each time, which source sets need.
            (Schedules::All, None) if initial.has_initial_heap() => Order::All(Por::SourceSets),
            (Schedules::All, None) => Order::All(Por::VisitedStates),
            // They are not compared.
            (Schedules::All, Some(Por::VisitedStates | Por::ShortestFirst | Por::Unfolding(_)))
                if initial.has_initial_heap() =>
            {
                Order::All(Por::SleepSets)
            }
            (Schedules::All, Some(por)) => Order::All(por),
        };
        // An event is one action.
        let atomic_blocks = has_atomic_blocks(options, program) && !matches!(order, Order::All(Por::Unfolding(_)));
        Reduction { order, atomic_blocks }
    }

    /// The machine's mode for it.
    pub(crate) fn config(options: JointOptions, program: &Program, together: Config) -> Config {
        let (open_accesses, are_compared) = match options.por {
            Some(Por::ShortestFirst) => (true, true),
            Some(Por::Unfolding(UnfoldingOptions { cutoffs, .. })) => (cutoffs, false),
            _ => (false, false),
        };
        // Where all states are compared, each need not be with those before it.
        let repeats = if are_compared { Repeats::Ignore } else { together.repeats };
        let config = Config { atomic_blocks: has_atomic_blocks(options, program), open_accesses, repeats, ..together };
        options.por.map_or(config, |por| por.config(config))
    }

    /// Whether a race may show only because critical sections are not ordered that come one after the other.
    pub(crate) fn leaves_orders_of_blocks_out(self) -> bool {
        self.atomic_blocks
    }

    /// A strategy that leaves this out. `visited`: by an earlier one from the same initial state.
    pub(crate) fn strategy(self, visited: Visited) -> Box<dyn Strategy> {
        let sleep = SleepSets::new(self.atomic_blocks);
        match self.order {
            Order::Bounded(preemptions) => Box::new(Bounded::new(preemptions)),
            Order::Random(sampling) => Box::new(Samples::new(sampling)),
            Order::All(Por::SleepSets) => Box::new(sleep),
            Order::All(Por::SourceSets) => Box::new(SourceSets::new(sleep)),
            Order::All(Por::VisitedStates) => Box::new(VisitedStates::new(sleep, visited)),
            Order::All(Por::ShortestFirst) => Box::new(ShortestFirst::new(sleep)),
            Order::All(Por::Unfolding(options)) => Box::new(Unfolding::new(options)),
        }
    }
}

/// Whether critical sections may be single steps ([`machine::State::closed_block`]). Not where threads are preempted anywhere; and
/// where a lock is tried, what comes of it depends on whether others are in their sections at that time.
fn has_atomic_blocks(options: JointOptions, program: &Program) -> bool {
    options.atomic_blocks && options.schedules == Schedules::All && !program.tries_locks()
}

impl fmt::Display for Reduction {
    /// As `--stats` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            Order::All(Por::SleepSets) => f.write_str("sleep sets")?,
            Order::All(Por::SourceSets) => f.write_str("sleep sets, source sets")?,
            Order::All(Por::VisitedStates) => f.write_str("sleep sets, visited states")?,
            Order::All(Por::ShortestFirst) => f.write_str("visited states, shortest runs first")?,
            Order::All(Por::Unfolding(UnfoldingOptions { cutoffs, alternatives, .. })) => {
                f.write_str("unfolding")?;
                match alternatives {
                    0 => {}
                    some => write!(f, ", alternatives to {some}")?,
                }
                f.write_str(if cutoffs { ", cutoffs" } else { "" })?;
            }
            Order::Bounded(preemptions) => write!(f, "all linearisations within {preemptions} preemptions")?,
            Order::Random(Sampling { sampler, count, seed }) => {
                write!(f, "{count} executions at random by {} with seed {seed}", sampler.name())?;
            }
        }
        f.write_str(if self.atomic_blocks { ", atomic blocks" } else { "" })
    }
}
