//! A solver for what another cannot do.

use super::{Answer, Limits, Solver, SolverError, SolverStats, UnknownReason};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// Asks the second solver where the first answers [`UnknownReason::Incomplete`], query by query.
pub struct Fallback<A, B> {
    first: A,
    second: B,
    second_answered: bool,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    pub fn new(first: A, second: B) -> Fallback<A, B> {
        Fallback { first, second, second_answered: false }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let answer = self.first.check(terms, assertions)?;
        self.second_answered = answer == Answer::Unknown(UnknownReason::Incomplete);
        if self.second_answered { self.second.check(terms, assertions) } else { Ok(answer) }
    }

    fn core(&self) -> Option<&[TermId]> {
        if self.second_answered { self.second.core() } else { self.first.core() }
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.first.near(terms, model);
        self.second.near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.first.set_limits(limits);
        self.second.set_limits(limits);
    }

    /// A query that both were asked counts once, with the answer of the second.
    fn stats(&self) -> SolverStats {
        let (first, second) = (self.first.stats(), self.second.stats());
        SolverStats {
            sat: first.sat + second.sat,
            unsat: first.unsat + second.unsat,
            unknown: (first.unknown + second.unknown).saturating_sub(second.queries),
            time: first.time + second.time,
            pushed: first.pushed + second.pushed,
            reused: first.reused + second.reused,
            ..first
        }
    }
}
