//! Keeps operations that run alone to one heap: pointers lead where it has them, values are those of a model.

use super::integrate::{Integrated, Link};
use crate::alone::Guide;
use machine::{Choice, Decision, Engine, State};
use memory::{Decision as Decided, InitialContent, LazyId, ObjId, Place, Shape, Target};
use smt::{Model, TermId, Terms};
use std::collections::BTreeMap;

/// A heap, and values for what it needs.
#[derive(Debug)]
pub(crate) struct Along {
    pub heap: Integrated,
    pub model: Model,
}

impl Along {
    /// Which object of the heap an object of a run is, as far as decided.
    fn correspondence(&self, shape: &Shape) -> BTreeMap<ObjId, usize> {
        let mut known: BTreeMap<ObjId, usize> = self.heap.given.iter().copied().collect();
        loop {
            let before = known.len();
            for (id, pointer) in shape.pointers() {
                if let Decided::Target(target) = pointer.decision
                    && let Some(Link::To(node, offset)) = self.link(shape, &known, id)
                    && offset == target.offset
                {
                    known.entry(target.object).or_insert(node);
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    /// Where a pointer of a run leads on the heap; none if it does not say.
    fn link(&self, shape: &Shape, known: &BTreeMap<ObjId, usize>, pointer: LazyId) -> Option<Link<usize>> {
        match shape.pointer(pointer).place {
            Place::Root => {
                let index = shape.roots().iter().position(|&root| root == pointer)?;
                self.heap.roots.get(index).copied().flatten()
            }
            Place::Cell { object, offset } => self.heap.nodes[*known.get(&object)?].links.get(&offset).copied(),
        }
    }

    fn allows(&self, state: &State, known: &BTreeMap<ObjId, usize>, link: Link<usize>, decision: &Decision) -> bool {
        match (link, decision) {
            (Link::Null, Decision::Null(_) | Decision::Target(_, Target::Null)) => true,
            (Link::Null, _) | (_, Decision::Null(_) | Decision::Target(_, Target::Null)) => false,
            (_, Decision::NonNull(_)) | (Link::Somewhere, _) => true,
            (Link::Fixed(to), Decision::Target(_, Target::Function(function))) => {
                state.memory.function_object(*function) == Some(to.object)
            }
            (Link::Fixed(to), Decision::Target(_, Target::Existing(target))) => to == *target,
            (Link::To(node, offset), Decision::Target(_, Target::Existing(target))) => {
                target.offset == offset && known.get(&target.object) == Some(&node)
            }
            (Link::To(node, 0), Decision::Target(_, Target::New)) => known.values().all(|&other| other != node),
            _ => false,
        }
    }

    /// The value of a term on this heap, if all that it depends on has one.
    fn value(&self, terms: &Terms, state: &State, known: &BTreeMap<ObjId, usize>, term: TermId) -> Option<u128> {
        let shape = state.memory.shape();
        let mut model = Model::new();
        for &index in terms.vars(term) {
            let symbol = terms.variable(index).term;
            let cell = shape.cells().find(|(_, cell)| cell.content == InitialContent::Symbol(symbol));
            let same = match cell {
                Some(((object, offset), _)) => *self.heap.nodes[*known.get(&object)?].cells.get(&offset)?,
                None => symbol,
            };
            model.set(symbol, self.model.get(same)?);
        }
        Some(terms.eval(term, &model))
    }
}

impl Guide for Along {
    fn retain(&self, engine: &mut Engine, state: &State, choice: &Choice, decisions: &mut Vec<Decision>) {
        let shape = state.memory.shape();
        let known = self.correspondence(shape);
        match *choice {
            Choice::Target(pointer) | Choice::Nullness(pointer) => {
                if let Some(link) = self.link(shape, &known, pointer) {
                    decisions.retain(|decision| self.allows(state, &known, link, decision));
                }
            }
            Choice::Condition(term) | Choice::Value(term) => {
                if let Some(wanted) = self.value(&engine.terms, state, &known, term) {
                    decisions.retain(|decision| match *decision {
                        Decision::Condition { holds, .. } => u128::from(holds) == wanted,
                        Decision::Value { value, .. } => value == wanted,
                        _ => true,
                    });
                }
            }
            Choice::Pick { .. } => {}
        }
    }
}
