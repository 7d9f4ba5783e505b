//! Independence slicing.
//!
//! Two assertions are dependent if they share a variable; the classes of the transitive closure can be
//! decided one by one. A path condition is satisfiable already when a branch on it is asked about, so only the
//! class of the branch condition need be decided again.

use super::{Answer, Limits, Solver, SolverError, SolverStats};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// A solver that decides independent assertions separately.
pub struct Sliced<S> {
    inner: S,
    index: Index,
    sliced_away: u64,
    constant: u64,
}

/// Which assertions mention a variable, kept for the list of the call before.
#[derive(Default)]
struct Index {
    pool: u64,
    assertions: Vec<TermId>,
    /// By variable, the positions in `assertions`, ascending.
    users: Vec<Vec<u32>>,
    /// The search in which a variable, or a position, was reached last.
    variable_seen: Vec<u64>,
    position_seen: Vec<u64>,
    search: u64,
}

/// One class: positions in the list, ascending, and the variables, in the order found.
struct Class {
    positions: Vec<u32>,
    variables: Vec<u32>,
}

impl Index {
    /// Makes this the index of `assertions`, at the cost of where they differ from the last list.
    fn update(&mut self, terms: &Terms, assertions: &[TermId]) {
        if self.pool != terms.pool_id() {
            *self = Index { pool: terms.pool_id(), ..Index::default() };
        }
        let count = terms.variables().len();
        if self.users.len() < count {
            self.users.resize_with(count, Vec::new);
            self.variable_seen.resize(count, 0);
        }
        let pairs = self.assertions.iter().zip(assertions);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        for old in self.assertions.drain(shared..).rev() {
            for &variable in terms.vars(old) {
                self.users[variable as usize].pop();
            }
        }
        for (position, &new) in assertions.iter().enumerate().skip(shared) {
            self.assertions.push(new);
            for &variable in terms.vars(new) {
                self.users[variable as usize].push(position as u32);
            }
        }
        self.position_seen.resize(assertions.len().max(self.position_seen.len()), 0);
    }

    /// Begins a search; classes found in one search do not overlap.
    fn begin(&mut self) {
        self.search += 1;
    }

    /// The class of the variables given, less what this search has reached before.
    fn class(&mut self, terms: &Terms, roots: &[u32]) -> Class {
        let mut class = Class { positions: Vec::new(), variables: Vec::new() };
        self.reach(roots, &mut class.variables);
        let mut next = 0;
        while next < class.variables.len() {
            let variable = class.variables[next] as usize;
            next += 1;
            for i in 0..self.users[variable].len() {
                let position = self.users[variable][i];
                let seen = &mut self.position_seen[position as usize];
                if *seen != self.search {
                    *seen = self.search;
                    class.positions.push(position);
                    let assertion = self.assertions[position as usize];
                    self.reach(terms.vars(assertion), &mut class.variables);
                }
            }
        }
        class.positions.sort_unstable();
        class
    }

    fn reach(&mut self, variables: &[u32], reached: &mut Vec<u32>) {
        for &variable in variables {
            let seen = &mut self.variable_seen[variable as usize];
            if *seen != self.search {
                *seen = self.search;
                reached.push(variable);
            }
        }
    }
}

impl<S: Solver> Sliced<S> {
    pub fn new(inner: S) -> Sliced<S> {
        Sliced { inner, index: Index::default(), sliced_away: 0, constant: 0 }
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }

    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Whether `query` can hold together with `pc`, **which must be satisfiable already**.
    ///
    /// Asks only about the assertions that `query` depends on. A model returned covers their variables, laid
    /// over `known`; if `known` is a model of `pc`, so is the result. Without `known` it says nothing of the
    /// other assertions. An unsatisfiable `pc` may be answered with a model.
    pub fn check_sliced(
        &mut self,
        terms: &mut Terms,
        pc: &[TermId],
        query: TermId,
        known: Option<&Model>,
    ) -> Result<Answer, SolverError> {
        if let Some(value) = terms.as_const(query) {
            self.constant += 1;
            return Ok(match value {
                0 => Answer::Unsat,
                _ => Answer::Sat(known.cloned().unwrap_or_default()),
            });
        }
        self.index.update(terms, pc);
        self.index.begin();
        let class = self.index.class(terms, terms.vars(query));
        self.sliced_away += (pc.len() - class.positions.len()) as u64;
        let mut slice: Vec<TermId> = class.positions.iter().map(|&p| pc[p as usize]).collect();
        slice.push(query);
        let answer = self.inner.check(terms, &slice)?;
        Ok(match answer {
            Answer::Sat(found) => {
                let mut model = known.cloned().unwrap_or_default();
                model.overlay(&restrict(terms, &found, &class.variables));
                Answer::Sat(model)
            }
            other => other,
        })
    }
}

/// The part of a model that speaks of these variables; those it does not mention are set to zero.
fn restrict(terms: &Terms, model: &Model, variables: &[u32]) -> Model {
    let mut part = Model::new();
    for &variable in variables {
        let t = terms.variable(variable).term;
        match terms.sort(t) {
            crate::Sort::BitVec(_) => part.set(t, model.value(t)),
            crate::Sort::Array { .. } => {
                part.set_array(t, model.array(t).cloned().unwrap_or_default());
            }
        }
    }
    part
}

impl<S: Solver> Solver for Sliced<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    /// Decides class after class, the one of the last assertion first; assumes nothing.
    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        if assertions.iter().any(|&t| terms.is_false(t)) {
            return Ok(Answer::Unsat);
        }
        self.index.update(terms, assertions);
        self.index.begin();
        let mut classes = Vec::new();
        for &assertion in assertions.iter().rev() {
            let class = self.index.class(terms, terms.vars(assertion));
            if !class.positions.is_empty() {
                classes.push(class);
            }
        }
        let mut model = Model::new();
        let mut unknown = None;
        for class in classes {
            let part: Vec<TermId> = class.positions.iter().map(|&p| assertions[p as usize]).collect();
            match self.inner.check(terms, &part)? {
                Answer::Sat(found) => model.overlay(&restrict(terms, &found, &class.variables)),
                Answer::Unsat => return Ok(Answer::Unsat),
                // A later class may still decide the whole.
                Answer::Unknown(reason) => unknown = Some(reason),
            }
        }
        Ok(unknown.map_or(Answer::Sat(model), Answer::Unknown))
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            sliced_away: inner.sliced_away + self.sliced_away,
            trivial: inner.trivial + self.constant,
            ..inner
        }
    }
}
