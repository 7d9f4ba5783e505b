//! What an executor asks of path conditions, on the default composition of solvers.
//!
//! Every `pc` handed in here is **assumed satisfiable**: an executor only ever extends a path condition by
//! what it was told may hold. That is what lets a question look at the assertions it depends on alone, and
//! answer the second side of a branch for free when the first cannot be taken.

use super::cached::Cached;
use super::decided::Decided;
use super::setup::Setup;
use super::sliced::Sliced;
use super::z3::Z3;
use super::{Answer, Limits, Solver, SolverError, SolverStats, Tri};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// Slicing over caching over procedures of our own over a backend.
pub struct Solving {
    solver: Sliced<Box<dyn Solver>>,
    limits: Limits,
}

/// Which sides of a branch a path condition allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    pub then: Tri,
    pub otherwise: Tri,
}

/// Values that a term may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    /// Distinct, in the order found.
    pub found: Vec<u128>,
    /// Whether there are no others.
    pub complete: bool,
}

impl Solving {
    /// On Z3 with default options.
    pub fn z3() -> Result<Solving, SolverError> {
        Ok(Solving::new(Z3::new()?))
    }

    /// As set up.
    ///
    /// # Errors
    /// When a backend cannot be started, or the log not be written.
    pub fn set_up(setup: Setup) -> Result<Solving, SolverError> {
        let limits = setup.limits;
        Ok(Solving { solver: Sliced::new(setup.solver()?), limits })
    }

    pub fn new(backend: impl Solver + 'static) -> Solving {
        Solving { solver: Sliced::new(Box::new(Cached::new(Decided::new(backend)))), limits: Limits::default() }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.solver.set_limits(limits);
    }

    pub fn stats(&self) -> SolverStats {
        self.solver.stats()
    }

    /// Whether `condition` holds for some assignment that satisfies `pc`.
    pub fn may_be_true(&mut self, terms: &mut Terms, pc: &[TermId], condition: TermId) -> Result<Tri, SolverError> {
        Ok(match self.solver.check_sliced(terms, pc, condition, None)? {
            Answer::Sat(_) => Tri::Yes,
            Answer::Unsat => Tri::No,
            Answer::Unknown(reason) => Tri::Unknown(reason),
        })
    }

    /// Whether `condition` holds for every assignment that satisfies `pc`.
    pub fn must_be_true(&mut self, terms: &mut Terms, pc: &[TermId], condition: TermId) -> Result<Tri, SolverError> {
        let negation = terms.not(condition);
        Ok(match self.may_be_true(terms, pc, negation)? {
            Tri::Yes => Tri::No,
            Tri::No => Tri::Yes,
            unknown => unknown,
        })
    }

    /// Which sides of a branch on `condition` can be taken. At least one side is not `No`.
    pub fn branch(&mut self, terms: &mut Terms, pc: &[TermId], condition: TermId) -> Result<Branch, SolverError> {
        let then = self.may_be_true(terms, pc, condition)?;
        let otherwise = match then {
            // The path condition is satisfiable, so one side must be.
            Tri::No => Tri::Yes,
            _ => {
                let negation = terms.not(condition);
                self.may_be_true(terms, pc, negation)?
            }
        };
        let then = match (then, otherwise) {
            (Tri::Unknown(_), Tri::No) => Tri::Yes,
            _ => then,
        };
        Ok(Branch { then, otherwise })
    }

    /// A model of a path condition. Assumes nothing: this may also be used to find out whether it has one.
    pub fn model(&mut self, terms: &mut Terms, pc: &[TermId]) -> Result<Answer, SolverError> {
        self.solver.check(terms, pc)
    }

    /// A model of `pc` and `condition` together.
    ///
    /// `known`, if given, must be a model of `pc`; it provides the values that `condition` does not touch.
    pub fn model_with(
        &mut self,
        terms: &mut Terms,
        pc: &[TermId],
        condition: TermId,
        known: Option<&Model>,
    ) -> Result<Answer, SolverError> {
        if known.is_some() {
            return self.solver.check_sliced(terms, pc, condition, known);
        }
        let mut assertions = pc.to_vec();
        assertions.push(condition);
        self.solver.check(terms, &assertions)
    }

    /// Up to `limit` values of `t` under `pc`. Not complete if the limit or a solver limit was reached.
    pub fn values(&mut self, terms: &mut Terms, pc: &[TermId], t: TermId, limit: usize) -> Result<Values, SolverError> {
        let mut found = Vec::new();
        if let Some(value) = terms.as_const(t) {
            found.push(value);
            return Ok(Values { found, complete: true });
        }
        let width = terms.width(t);
        // Later models are laid over this one, so that they too are models of all of `pc`.
        let first = self.solver.check(terms, pc)?;
        let known = first.clone().model();
        let mut answer = first;
        let mut different = terms.tru();
        loop {
            let complete = match answer {
                Answer::Sat(model) if found.len() < limit => {
                    let value = terms.eval(t, &model);
                    found.push(value);
                    let constant = terms.bv(width, value);
                    let other = terms.ne(t, constant);
                    different = terms.and(different, other);
                    answer = self.solver.check_sliced(terms, pc, different, known.as_ref())?;
                    continue;
                }
                Answer::Sat(_) | Answer::Unknown(_) => false,
                Answer::Unsat => true,
            };
            return Ok(Values { found, complete });
        }
    }
}
