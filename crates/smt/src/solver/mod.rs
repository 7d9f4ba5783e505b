//! What a solver is: the contract, its answers, its errors.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod cached;
pub(crate) mod checked;
pub(crate) mod decided;
pub(crate) mod fallback;
#[cfg(test)]
mod faults;
pub(crate) mod guarded;
mod integers;
mod interval;
pub(crate) mod logged;
mod order;
mod search;
pub(crate) mod setup;
pub(crate) mod sliced;
pub(crate) mod solving;
#[cfg(test)]
mod tests;
pub(crate) mod trace;
pub(crate) mod z3;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// Decides conjunctions of booleans.
///
/// `assertions` is a path condition: an ordered list that usually extends or shortens the one of the call
/// before, which backends exploit. A solver may be handed terms of several pools in turn; it notices.
pub trait Solver {
    /// The backend's name in logs and errors.
    fn name(&self) -> &'static str;

    /// Whether the assertions (width 1) hold together.
    ///
    /// A model satisfies every assertion, variables that it does not mention being zero.
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError>;

    /// After [`Answer::Unsat`]: some of the assertions that cannot hold together. `None`: all of them, as far as is known.
    fn core(&self) -> Option<&[TermId]> {
        None
    }

    /// Names a model, of this pool, that satisfies much of the next query.
    fn near(&mut self, _terms: &Terms, _model: &Model) {}

    /// Limits for each query from now on.
    fn set_limits(&mut self, limits: Limits);

    /// Counts since the solver was made; a decorator adds its own to those of what it decorates.
    fn stats(&self) -> SolverStats;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        (**self).check(terms, assertions)
    }

    fn core(&self) -> Option<&[TermId]> {
        (**self).core()
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        (**self).near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        (**self).set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        (**self).stats()
    }
}

/// Asked from time to time whether a query should end, from any thread.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Limits of one query. None by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall-clock time: makes answers depend on the machine.
    pub timeout: Option<Duration>,
    /// Conflicts, or as much work of a backend that counts otherwise: deterministic.
    pub steps: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat(Model),
    Unsat,
    Unknown(UnknownReason),
}

impl Answer {
    pub fn model(self) -> Option<Model> {
        match self {
            Answer::Sat(model) => Some(model),
            Answer::Unsat | Answer::Unknown(_) => None,
        }
    }

    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        *self == Answer::Unsat
    }
}

/// Why a query was given up: our limit, not the program's failure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnknownReason {
    Timeout,
    Steps,
    Memory,
    /// The backend's procedure does not decide this query.
    Incomplete,
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnknownReason::Timeout => "time limit reached",
            UnknownReason::Steps => "step limit reached",
            UnknownReason::Memory => "out of memory",
            UnknownReason::Incomplete => "not decided",
        })
    }
}

/// A yes-or-no question that may go unanswered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tri {
    Yes,
    No,
    Unknown(UnknownReason),
}

/// The solver itself failed.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error("{backend} {found} is too old: {required} or later is needed")]
    Version { backend: &'static str, found: String, required: &'static str },
    #[error("{backend} failed: {message}")]
    Died { backend: &'static str, message: String },
    #[error("{backend} did not stop within {waited:?} of its time limit")]
    Hung { backend: &'static str, waited: Duration },
    /// One of them is wrong.
    #[error("{first} says {first_answer}, {second} says {second_answer}: one of them is wrong; {query}")]
    Disagree {
        first: &'static str,
        first_answer: &'static str,
        second: &'static str,
        second_answer: &'static str,
        query: String,
    },
    #[error("queries cannot be written down")]
    Log { source: std::io::Error },
    /// The model does not satisfy what it is a model of: a fault of the backend or of its translation.
    #[error("{backend} returned a wrong model for {assertion}")]
    WrongModel { backend: &'static str, assertion: String },
}

impl AddAssign for SolverStats {
    fn add_assign(&mut self, other: SolverStats) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.time += other.time;
        self.pushed += other.pushed;
        self.reused += other.reused;
        self.trivial += other.trivial;
        self.model_hits += other.model_hits;
        self.query_hits += other.query_hits;
        self.subset_hits += other.subset_hits;
        self.ordered += other.ordered;
        self.intervals += other.intervals;
        self.searched += other.searched;
        self.sliced_away += other.sliced_away;
    }
}

/// Counts of one solver, each of which `--stats` may print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SolverStats {
    /// Queries that reached the backend.
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Time inside the backend.
    pub time: Duration,
    /// Assertions pushed, and those found on the stack.
    pub pushed: u64,
    pub reused: u64,
    /// Queries answered by a constant assertion or one listed beside its negation.
    pub trivial: u64,
    /// Queries answered by evaluating a recent model.
    pub model_hits: u64,
    /// Queries answered because the same set was asked before, or a subset known to be unsatisfiable.
    pub query_hits: u64,
    pub subset_hits: u64,
    /// Queries decided by the order between variables, and by the bounds that it sets.
    pub ordered: u64,
    pub intervals: u64,
    /// Queries answered by a known model with a variable or two changed.
    pub searched: u64,
    /// Assertions left out because they share no variable with the query.
    pub sliced_away: u64,
}
