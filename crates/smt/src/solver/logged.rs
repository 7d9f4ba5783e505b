//! A record of every query that reaches the backend.

use super::trace::{QueryLog, Writer};
use super::{Answer, Limits, Solver, SolverError, SolverStats};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// A solver whose queries are written down; see [`crate::Trace`] for reading them.
pub struct Logged<S> {
    inner: S,
    writer: Writer,
}

impl<S: Solver> Logged<S> {
    pub fn new(inner: S, log: QueryLog) -> Logged<S> {
        Logged { inner, writer: Writer::new(log) }
    }
}

impl<S: Solver> Solver for Logged<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        self.writer.query(terms, assertions).map_err(|source| SolverError::Log { source })?;
        self.inner.check(terms, assertions)
    }

    fn core(&self) -> Option<&[TermId]> {
        self.inner.core()
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.inner.near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}
