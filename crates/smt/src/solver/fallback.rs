//! A solver for what another cannot do.

use super::{Answer, Limits, Solver, SolverError, SolverStats, UnknownReason};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// Asks the second solver where the first answers [`UnknownReason::Incomplete`], query by query. It is started when it is
/// first needed: few programs need it.
pub struct Fallback<A, B> {
    first: A,
    start: Box<dyn Fn() -> Result<B, SolverError>>,
    second: Option<B>,
    second_answered: bool,
    limits: Limits,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    pub fn new(first: A, start: impl Fn() -> Result<B, SolverError> + 'static) -> Fallback<A, B> {
        Fallback { first, start: Box::new(start), second: None, second_answered: false, limits: Limits::default() }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let answer = self.first.check(terms, assertions)?;
        self.second_answered = answer == Answer::Unknown(UnknownReason::Incomplete);
        if !self.second_answered {
            return Ok(answer);
        }
        let second = match &mut self.second {
            Some(second) => second,
            none => {
                let mut second = (self.start)()?;
                second.set_limits(self.limits);
                none.insert(second)
            }
        };
        second.check(terms, assertions)
    }

    fn core(&self) -> Option<&[TermId]> {
        if self.second_answered { self.second.as_ref().and_then(B::core) } else { self.first.core() }
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.first.near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.first.set_limits(limits);
        self.limits = limits;
        if let Some(second) = &mut self.second {
            second.set_limits(limits);
        }
    }

    /// A query that both were asked counts once, with the answer of the second.
    fn stats(&self) -> SolverStats {
        let (first, second) = (self.first.stats(), self.second.as_ref().map(B::stats).unwrap_or_default());
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
