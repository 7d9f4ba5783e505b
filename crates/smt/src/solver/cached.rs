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
    /// Unsatisfiable sets, by their newest assertion.
    cores: FxHashMap<TermId, Vec<Core>>,
    own: SolverStats,
}

/// An unsatisfiable set, ordered, and which assertions it may hold, a bit for each remainder.
struct Core {
    set: Box<[TermId]>,
    signature: u64,
}

/// What a lookup in the models found.
enum Known {
    /// It satisfies the query.
    Fits(Model),
    /// It satisfies all but the last assertion, or is the newest there is.
    Near(Option<Model>),
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

    fn remember(&mut self, set: Box<[TermId]>, answer: &Answer) {
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
                let mut core: Vec<TermId> = self.inner.core().map_or_else(|| set.to_vec(), <[TermId]>::to_vec);
                core.sort_unstable();
                core.dedup();
                if let Some(&newest) = core.last() {
                    let cores = self.cores.entry(newest).or_default();
                    if cores.len() == MAX_CORES {
                        cores.remove(0);
                    }
                    cores.push(Core { signature: signature(&core), set: core.into_boxed_slice() });
                }
                self.answers.insert(set, None);
            }
            Answer::Unknown(_) => {}
        }
    }

    fn has_core(&self, set: &[TermId]) -> bool {
        let outside = !signature(set);
        let fits = |core: &Core| core.signature & outside == 0 && is_subset(&core.set, set);
        set.iter().filter_map(|t| self.cores.get(t)).flatten().any(fits)
    }

    /// A recent model that satisfies every assertion. The last is tried first: it is the new one.
    fn fitting(&mut self, terms: &Terms, assertions: &[TermId]) -> Known {
        let Some((&last, path)) = assertions.split_last() else { return Known::Near(None) };
        let mut near = None;
        for (at, evaluator) in self.models.iter_mut().enumerate() {
            if evaluator.remembered() > MAX_VALUES {
                evaluator.forget();
            }
            let last_holds = evaluator.eval(terms, last) == 1;
            if !last_holds && near.is_some() {
                continue;
            }
            if path.iter().rev().all(|&a| evaluator.eval(terms, a) == 1) {
                if last_holds {
                    let model = evaluator.model().clone();
                    if let Some(evaluator) = self.models.remove(at) {
                        self.models.push_front(evaluator);
                    }
                    return Known::Fits(model);
                }
                near = Some(evaluator.model().clone());
            }
        }
        Known::Near(near.or_else(|| self.models.front().map(|evaluator| evaluator.model().clone())))
    }
}

fn signature(set: &[TermId]) -> u64 {
    set.iter().fold(0, |bits, t| bits | 1 << (t.index() % 64))
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
        if set.is_empty() {
            self.own.trivial += 1;
            return Ok(Answer::Sat(Model::new()));
        }
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
        match self.fitting(terms, assertions) {
            Known::Fits(model) => {
                self.own.model_hits += 1;
                return Ok(Answer::Sat(model));
            }
            Known::Near(Some(model)) => self.inner.near(terms, &model),
            Known::Near(None) => {}
        }
        let answer = self.inner.check(terms, assertions)?;
        self.remember(set.into_boxed_slice(), &answer);
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
