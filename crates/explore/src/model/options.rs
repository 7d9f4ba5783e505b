//! What is looked for, and which executions are run for it.

use crate::search::order::SearchOrder;
use machine::{Config, Repeats, Summaries};
use serde::{Deserialize, Serialize};

/// How to explore.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct JointOptions {
    pub schedules: Schedules,
    /// Keep what each execution printed.
    pub keep_outputs: bool,
    /// Keep instead how each execution ends: whether it has a race (or 2: what there is is not known), what there is (by
    /// [`machine::end_key`]), and what it printed.
    pub keep_ends: bool,
    /// Of a library: compare what calls at once come to with what they come to one after the other ([`crate::Results`]).
    pub keep_results: bool,
    /// Report faults and deadlocks too, not only races.
    pub failures: bool,
    /// Of a launch: what the heap may be to blame for is reported as well, since a predicate says which heaps are valid.
    pub valid_heaps: bool,
    pub completing: Completing,
    /// Stop where that is settled.
    pub until: Until,
    pub likely: Likely,
    /// Critical sections may be single steps ([`machine::State::closed_block`]).
    pub atomic_blocks: bool,
    /// How all orders are covered; none: as is best where the search begins.
    pub por: Option<Por>,
    /// What comes first of all that is run.
    pub order: SearchOrder,
}

/// What counts only if it is found from an initial state from which all threads can come to their ends, or wait for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Completing {
    #[default]
    Nothing,
    /// Deadlocks in which a thread waits for what another might do; and only where all can come to their ends.
    Waits,
    Everything,
}

/// What a search is over with, if it is only to see whether threads can come to their ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Until {
    /// All was explored.
    #[default]
    Never,
    /// Some execution in which all threads end, or wait for good.
    Completed,
    /// Some execution in which all threads end, and none has woken up spuriously.
    Ended,
}

/// When likely races are looked for by the guided search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Likely {
    #[default]
    Never,
    /// Before all is explored.
    First,
    /// And nothing else.
    Only,
}

/// How all orders of the actions of threads are covered (partial-order reduction).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub enum Por {
    /// Sleep sets alone: each Mazurkiewicz trace is completed once.
    SleepSets,
    /// Source sets on top (dynamic partial-order reduction): fewer runs are begun that come to nothing.
    SourceSets,
    /// Sleep sets; what follows from a state that comes up again with the same threads asleep is counted, not run.
    VisitedStates,
    /// Each state is gone on from once, the shortest runs first; executions are not counted where states come up again.
    ShortestFirst,
    /// Each maximal configuration of the unfolding is completed once: each trace with each outcome of its choices.
    Unfolding(UnfoldingOptions),
}

/// How the unfolding is explored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub struct UnfoldingOptions {
    /// Nothing follows events behind which everything is as it was behind fewer.
    pub cutoffs: bool,
    /// Of the events that were explored, to how many something else has to be an alternative; 0: to all, so that no execution is begun that
    /// was explored.
    pub alternatives: u32,
    /// All events are kept for who wants to see them.
    pub kept: bool,
}

impl Por {
    /// The machine's mode in which this is searched, and in which what was found is followed again.
    pub fn config(self, together: Config) -> Config {
        match self {
            Por::SleepSets | Por::SourceSets | Por::VisitedStates | Por::ShortestFirst => together,
            Por::Unfolding(_) => Config {
                unfolding: true,
                // An event is one action, and what a thread does between two hangs on nothing but its past.
                atomic_blocks: false,
                merge: false,
                summaries: Summaries::Never,
                repeats: Repeats::Ignore,
                ..together
            },
        }
    }
}

/// Which schedules are run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub enum Schedules {
    /// One of each Mazurkiewicz trace.
    #[default]
    All,
    /// Those with at most so many switches away from a thread that could go on.
    Bounded(u32),
    /// Some at random, which is never all there are.
    Random(Sampling),
}

/// Executions at random.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Sampling {
    pub sampler: Sampler,
    /// From each initial state.
    pub count: u32,
    pub seed: u64,
}

/// Who goes on in an execution at random, where several threads can (the table in `strategy::sample`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampler {
    /// Each is as likely as the others.
    #[default]
    Walk,
    /// Probabilistic concurrency testing, for bugs that take so many ordered pairs of steps.
    Pct { depth: u32 },
    /// Partial order sampling.
    Pos,
    /// Selectively uniform random walks.
    Surw,
}

impl Sampler {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Walk => "walk",
            Sampler::Pct { .. } => "pct",
            Sampler::Pos => "pos",
            Sampler::Surw => "surw",
        }
    }
}

impl Schedules {
    /// Those with at most so many preemptions; all, if there is no bound.
    pub fn within(preemptions: Option<u32>) -> Self {
        preemptions.map_or(Schedules::All, Schedules::Bounded)
    }
}

impl JointOptions {
    /// The same, with every class of executions explored by itself: where histories matter, no state stands for another that is like it.
    #[must_use]
    pub fn by_class(self) -> JointOptions {
        JointOptions { por: Some(Por::SourceSets), likely: Likely::Never, atomic_blocks: false, ..self }
    }
}
