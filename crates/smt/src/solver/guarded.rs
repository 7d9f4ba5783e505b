//! What a backend says is not believed where it can be checked.
//!
//! Guarantee: a model that comes out satisfies every assertion, by evaluation; a panic of the backend is a
//! [`SolverError`]. A wrong "unsatisfiable" is for [`super::checked`] to find.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Answer, Limits, Solver, SolverError, SolverStats};
use crate::eval::Evaluator;
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// A backend whose models are verified and whose panics are contained.
pub struct Guarded<S> {
    inner: S,
    /// What it died of. Its state is not to be relied on after that.
    dead: Option<String>,
}

impl<S: Solver> Guarded<S> {
    pub fn new(inner: S) -> Guarded<S> {
        Guarded { inner, dead: None }
    }
}

impl<S: Solver> Solver for Guarded<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let backend = self.inner.name();
        if let Some(message) = &self.dead {
            return Err(SolverError::Died { backend, message: message.clone() });
        }
        let answer =
            catch_unwind(AssertUnwindSafe(|| self.inner.check(terms, assertions))).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let message = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                self.dead = Some(message.clone());
                Err(SolverError::Died { backend, message })
            })?;
        if let Answer::Sat(model) = &answer {
            let mut evaluator = Evaluator::new(model.clone());
            if let Some(&wrong) = assertions.iter().find(|&&a| evaluator.eval(terms, a) != 1) {
                return Err(SolverError::WrongModel { backend, assertion: terms.display(wrong) });
            }
        }
        Ok(answer)
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
