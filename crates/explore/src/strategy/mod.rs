//! Which executions are left out, because others that are run stand for them.
//!
//! What holds for a search is one value, a [`Reduction`], chosen before it begins from what is asked for, from the program and
//! from where it starts. Whoever runs threads together asks it, and nobody else decides anything of this kind.
//!
//! Guarantee: a [`Reduction`] is a combination for which it has been argued that nothing is lost (the table in
//! [the crate's documentation](crate)); others cannot be made.

use crate::JointOptions;
use machine::{Program, State};
use std::fmt;

/// How all orders of the actions of threads are covered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// Sleep sets alone: each Mazurkiewicz trace is completed once.
    Sleep,
    /// Source sets on top (dynamic partial-order reduction): fewer runs are begun that come to nothing.
    Dpor,
    /// Sleep sets; what follows from a state that comes up again with the same threads asleep is counted, not run.
    Visited,
}

/// Which orders of the actions of threads are run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Order {
    /// Those that [`Strategy`] leaves over.
    All(Strategy),
    /// Every linearisation with at most so many preemptions; equal traces are counted once.
    Bounded(u32),
}

/// What is left out of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reduction {
    order: Order,
    atomic_blocks: bool,
}

impl Reduction {
    /// What is left out of what follows from an initial state.
    pub(crate) fn choose(options: JointOptions, program: &Program, start: &State) -> Self {
        let order = match (options.preemptions, options.strategy) {
            // Sleep sets would lose a trace whose only linearisation within the bound they cut.
            (Some(preemptions), _) => Order::Bounded(preemptions),
            // States of an initial heap are told apart by what was decided of it, so that hardly any comes up again. Where
            // states are visited once, what follows is not seen each time, which source sets need.
            (None, None) if start.has_initial_heap() => Order::All(Strategy::Dpor),
            (None, None) => Order::All(Strategy::Visited),
            // They are not compared.
            (None, Some(Strategy::Visited)) if start.has_initial_heap() => Order::All(Strategy::Sleep),
            (None, Some(strategy)) => Order::All(strategy),
        };
        Reduction { order, atomic_blocks: has_atomic_blocks(options, program) }
    }

    /// The bound on preemptions, if there is one.
    pub(crate) fn bound(self) -> Option<u32> {
        match self.order {
            Order::Bounded(preemptions) => Some(preemptions),
            Order::All(_) => None,
        }
    }

    /// Whether only those threads are tried at a scheduling point of which what follows shows that it matters.
    pub(crate) fn has_source_sets(self) -> bool {
        self.order == Order::All(Strategy::Dpor)
    }

    /// Whether what follows from a state is explored once.
    pub(crate) fn visits_once(self) -> bool {
        self.order == Order::All(Strategy::Visited)
    }

    /// Whether critical sections may be single steps ([`machine::State::fused`]).
    pub(crate) fn has_atomic_blocks(self) -> bool {
        self.atomic_blocks
    }
}

/// Whether critical sections may be single steps. Not where threads are preempted anywhere; and where a lock is tried, what
/// comes of it depends on whether others are in their sections at that time.
pub(crate) fn has_atomic_blocks(options: JointOptions, program: &Program) -> bool {
    options.fuse && options.preemptions.is_none() && !program.tries_locks()
}

impl fmt::Display for Reduction {
    /// As `--stats` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            Order::All(Strategy::Sleep) => f.write_str("sleep sets")?,
            Order::All(Strategy::Dpor) => f.write_str("sleep sets, source sets")?,
            Order::All(Strategy::Visited) => f.write_str("sleep sets, visited states")?,
            Order::Bounded(preemptions) => write!(f, "all linearisations within {preemptions} preemptions")?,
        }
        f.write_str(if self.atomic_blocks { ", atomic blocks" } else { "" })
    }
}
