//! Reuse of earlier answers.
//!
//! In this order: a constant or contradictory list; the same set of assertions asked before; a superset of a
//! set known to be unsatisfiable; a recent model that happens to satisfy the list (evaluation costs far less
//! than a query, and values are remembered per model, so that a path condition that grew by one assertion
//! costs one evaluation).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Answer, Limits, Solver, SolverError, SolverStats};
use crate::eval::Evaluator;
use crate::model::Model;
use crate::pool::Terms;
use crate::term::{Op, TermId};

/// Recent models tried.
const MAX_MODELS: usize = 32;

/// Values that one model remembers before it forgets all of them.
const MAX_VALUES: usize = 1 << 16;

/// Remembered queries before all of them are forgotten.
const MAX_QUERIES: usize = 1 << 17;

/// Unsatisfiable sets kept per assertion.
const MAX_CORES: usize = 8;

/// A solver that remembers answers and models.
pub struct Cached<S> {
    inner: S,
    pool: u64,
    /// Most recently useful first.
    models: VecDeque<Evaluator>,
    /// By ordered set of assertions; `None` is unsatisfiable.
    answers: FxHashMap<Box<[TermId]>, Option<Model>>,
    /// Unsatisfiable sets, by the assertion that was asked about last.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    own: SolverStats,
}

impl<S: Solver> Cached<S> {
    pub fn new(inner: S) -> Cached<S> {
        Cached {
            inner,
            pool: 0,
            models: VecDeque::new(),
            answers: FxHashMap::default(),
            cores: FxHashMap::default(),
            own: SolverStats::default(),
        }
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Offers a model found elsewhere, for instance the inputs of a concrete run.
    pub fn suggest(&mut self, terms: &Terms, model: Model) {
        self.enter(terms);
        self.remember_model(model);
    }

    /// Ids mean something else in another pool.
    fn enter(&mut self, terms: &Terms) {
        if self.pool != terms.pool_id() {
            self.pool = terms.pool_id();
            self.models.clear();
            self.answers.clear();
            self.cores.clear();
        }
    }

    fn remember_model(&mut self, model: Model) {
        if self.models.len() == MAX_MODELS {
            self.models.pop_back();
        }
        self.models.push_front(Evaluator::new(model));
    }

    fn remember(&mut self, set: Box<[TermId]>, last: TermId, answer: &Answer) {
        if self.answers.len() >= MAX_QUERIES {
            self.answers.clear();
            self.cores.clear();
        }
        match answer {
            Answer::Sat(model) => {
                self.remember_model(model.clone());
                self.answers.insert(set, Some(model.clone()));
            }
            Answer::Unsat => {
                let cores = self.cores.entry(last).or_default();
                if cores.len() == MAX_CORES {
                    cores.remove(0);
                }
                cores.push(set.clone());
                self.answers.insert(set, None);
            }
            Answer::Unknown(_) => {}
        }
    }

    fn has_core(&self, set: &[TermId]) -> bool {
        set.iter().filter_map(|t| self.cores.get(t)).flatten().any(|core| is_subset(core, set))
    }

    /// A recent model that satisfies every assertion. The last is tried first: it is the new one.
    fn fitting(&mut self, terms: &Terms, assertions: &[TermId]) -> Option<Model> {
        let at = self.models.iter_mut().position(|evaluator| {
            if evaluator.remembered() > MAX_VALUES {
                evaluator.forget();
            }
            let mut latest_first = assertions.iter().rev();
            latest_first.all(|&a| evaluator.eval(terms, a) == 1)
        })?;
        let evaluator = self.models.remove(at)?;
        let model = evaluator.model().clone();
        self.models.push_front(evaluator);
        Some(model)
    }
}

/// Whether one ordered set is contained in another.
fn is_subset(small: &[TermId], large: &[TermId]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|t| rest.by_ref().any(|u| u == t))
}

/// Whether an ordered set holds a term beside its negation.
fn contradicts(terms: &Terms, set: &[TermId]) -> bool {
    set.iter().any(|&t| {
        let key = terms.key(t);
        key.op == Op::Not && set.binary_search(&key.a()).is_ok()
    })
}

impl<S: Solver> Solver for Cached<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        self.enter(terms);
        let mut set: Vec<TermId> = assertions.iter().copied().filter(|&t| !terms.is_true(t)).collect();
        let Some(&last) = set.last() else {
            self.own.trivial += 1;
            return Ok(Answer::Sat(Model::new()));
        };
        set.sort_unstable();
        set.dedup();
        if set.iter().any(|&t| terms.is_false(t)) || contradicts(terms, &set) {
            self.own.trivial += 1;
            return Ok(Answer::Unsat);
        }
        if let Some(answer) = self.answers.get(&set[..]) {
            self.own.query_hits += 1;
            return Ok(answer.clone().map_or(Answer::Unsat, Answer::Sat));
        }
        if self.has_core(&set) {
            self.own.subset_hits += 1;
            return Ok(Answer::Unsat);
        }
        if let Some(model) = self.fitting(terms, assertions) {
            self.own.model_hits += 1;
            return Ok(Answer::Sat(model));
        }
        let answer = self.inner.check(terms, assertions)?;
        self.remember(set.into_boxed_slice(), last, &answer);
        Ok(answer)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            trivial: inner.trivial + self.own.trivial,
            model_hits: inner.model_hits + self.own.model_hits,
            query_hits: inner.query_hits + self.own.query_hits,
            subset_hits: inner.subset_hits + self.own.subset_hits,
            ..inner
        }
    }
}
