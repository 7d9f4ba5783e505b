//! What of the input the rest of a run can depend on, by names that do not say how often something was asked for before.
//!
//! A symbol is live if a term with it stands in memory or in a register that may still be read, or if a condition ties it to one that
//! is. What holds of other symbols constrains nothing that is to come: there are values for them, since the path condition can hold.
//! Live ones are numbered in the order in which they stand in the state, so that states that differ in nothing but the names of
//! symbols are equal.

use crate::key::values_of_thread;
use crate::{Engine, Program, State};
use memory::{Fingerprint, Life, ObjId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Sort, TermId};
use std::sync::Arc;

/// Terms of a state by other names.
#[derive(Debug, Default)]
pub(super) struct Live {
    renamed: FxHashMap<TermId, TermId>,
    /// Objects in which there are such terms.
    pub(super) objects: Vec<ObjId>,
    /// What holds of them.
    pub(super) conditions: Fingerprint,
}

impl Live {
    /// None where a symbol is among them whose name says more than which it is: what clocks showed, and what was derived from others.
    pub(super) fn of(engine: &mut Engine, state: &State) -> Option<Live> {
        let mut live = Live::default();
        // Nothing was ever asked for.
        if state.inputs.is_empty() && state.path.terms().is_empty() {
            return Some(live);
        }
        let mut standing = Vec::new();
        let program = Arc::clone(&engine.program);
        live.find(&program, state, &mut standing);
        let mut names = Names { engine, by: FxHashMap::default(), known: FxHashSet::default() };
        for &term in &standing {
            names.note(term)?;
        }
        let conditions = names.tied(state.path.terms())?;
        let Names { engine, by, .. } = names;
        for term in standing {
            live.renamed.entry(term).or_insert_with(|| engine.terms.substitute(term, &by));
        }
        for condition in conditions {
            live.conditions.add(Fingerprint::of(engine.terms.substitute(condition, &by)));
        }
        Some(live)
    }

    pub(super) fn value(&self, state: &State, value: Value) -> Value {
        let renamed = |term: TermId| self.renamed.get(&term).copied().unwrap_or(term);
        match state.memory.settle(value) {
            Value::Term(term) => Value::Term(renamed(term)),
            Value::Symbolic { object, offset, part } => Value::Symbolic { object, offset: renamed(offset), part },
            other => other,
        }
    }

    /// The terms that stand in a state, always in the same order.
    fn find(&mut self, program: &Program, state: &State, standing: &mut Vec<TermId>) {
        let term = |value: Value| match state.memory.settle(value) {
            Value::Term(term) | Value::Symbolic { offset: term, .. } => Some(term),
            _ => None,
        };
        for thread in &state.threads {
            standing.extend(values_of_thread(program, thread).filter_map(term));
        }
        let live = (0..state.memory.len()).map(ObjId::new).filter(|&id| state.memory.object(id).life == Life::Live);
        let mut objects: Vec<ObjId> =
            live.filter(|&id| state.memory.cells_of(id).any(|cell| term(cell).is_some())).collect();
        objects.sort_by_key(|&id| state.memory.object(id).address);
        standing.extend(objects.iter().flat_map(|&id| state.memory.cells_of(id)).filter_map(term));
        self.objects = objects;
    }
}

/// Names for symbols.
struct Names<'e> {
    engine: &'e mut Engine,
    by: FxHashMap<TermId, TermId>,
    known: FxHashSet<u32>,
}

impl Names<'_> {
    /// Names the symbols in a term that have no name yet.
    fn note(&mut self, term: TermId) -> Option<()> {
        let symbols: Vec<u32> = self.engine.terms.vars(term).to_vec();
        for symbol in symbols {
            if !self.known.insert(symbol) {
                continue;
            }
            if self.engine.shown_by_clocks.contains(&symbol) || self.engine.derived_from.contains_key(&symbol) {
                return None;
            }
            let variable = self.engine.terms.variable(symbol);
            let (known, uninit, Sort::BitVec(width)) = (variable.term, variable.uninit, variable.sort) else {
                return None;
            };
            let name = format!("~{}", self.by.len());
            let named = match uninit {
                true => self.engine.terms.uninit_var(&name, width),
                false => self.engine.terms.var(&name, width),
            };
            self.by.insert(known, named);
        }
        Some(())
    }

    /// The conditions on symbols that have names, and on all that these tie to them.
    fn tied(&mut self, conditions: &[TermId]) -> Option<Vec<TermId>> {
        let (mut tied, mut loose) = (Vec::new(), conditions.to_vec());
        loop {
            let (more, rest): (Vec<TermId>, Vec<TermId>) = loose
                .into_iter()
                .partition(|&condition| self.engine.terms.vars(condition).iter().any(|var| self.known.contains(var)));
            if more.is_empty() {
                return Some(tied);
            }
            for &condition in &more {
                self.note(condition)?;
            }
            tied.extend(more);
            loose = rest;
        }
    }
}
