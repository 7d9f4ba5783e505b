//! Keeps operations that run alone to one heap: pointers lead where it has them, values are as both ways need them.

use crate::initial::Guide;
use machine::{Choice, Decision, Engine, State};
use memory::{Binding, InitialContent, LazyId, ObjId, PointerPlace, Shape, Target};
use shapes::{Integrated, Link};
use smt::{Answer, TermId, Terms};
use std::collections::BTreeMap;

/// A heap, and what has to hold of the values on it.
#[derive(Debug)]
pub(crate) struct HeapGuide {
    pub heap: Integrated,
    pub conditions: Vec<TermId>,
}

impl HeapGuide {
    /// Which object of the heap an object of a run is, as far as decided.
    fn correspondence(&self, shape: &Shape) -> BTreeMap<ObjId, usize> {
        let mut known: BTreeMap<ObjId, usize> = self.heap.given.iter().copied().collect();
        loop {
            let before = known.len();
            for (id, pointer) in shape.pointers() {
                if let Binding::Target(target) = pointer.decision
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
            PointerPlace::Root => {
                let index = shape.roots().iter().position(|&root| root == pointer)?;
                self.heap.roots.get(index).copied().flatten()
            }
            PointerPlace::Cell { object, offset } => self.heap.nodes[*known.get(&object)?].links.get(&offset).copied(),
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
            (Link::To(node, offset), Decision::Target(pointer, target)) => {
                let tag = i64::from(state.memory.shape().pointer(*pointer).decision.tag());
                match target {
                    Target::Existing(target) => {
                        target.offset + tag == offset && known.get(&target.object) == Some(&node)
                    }
                    Target::New => offset == tag && known.values().all(|&other| other != node),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// All that holds of the values on this heap, in the symbols of a run.
    fn conditions(&self, terms: &mut Terms, state: &State, known: &BTreeMap<ObjId, usize>) -> Vec<TermId> {
        let mut all: Vec<TermId> = state.path.terms().iter().chain(&self.conditions).copied().collect();
        for ((object, offset), cell) in state.memory.shape().cells() {
            if let InitialContent::Symbol(symbol) = cell.content
                && let Some(&node) = known.get(&object)
                && let Some(&same) = self.heap.nodes[node].cells.get(&offset)
                && same != symbol
                && terms.width(same) == terms.width(symbol)
            {
                all.push(terms.eq(same, symbol));
            }
        }
        all
    }
}

impl Guide for HeapGuide {
    fn retain(&self, engine: &mut Engine, state: &State, choice: &Choice, decisions: &mut Vec<Decision>) {
        let shape = state.memory.shape();
        let known = self.correspondence(shape);
        match *choice {
            Choice::Target(pointer) | Choice::Nullness(pointer) => {
                if let Some(link) = self.link(shape, &known, pointer) {
                    decisions.retain(|decision| self.allows(state, &known, link, decision));
                }
            }
            Choice::Condition(term) => {
                let conditions = self.conditions(&mut engine.terms, state, &known);
                let literals = [engine.terms.not(term), term];
                let may_be = literals.map(|literal| {
                    let all: Vec<TermId> = conditions.iter().copied().chain([literal]).collect();
                    !matches!(engine.solver.model(&mut engine.terms, &all), Ok(Answer::Unsat))
                });
                decisions.retain(|decision| match *decision {
                    Decision::Condition { holds, .. } => may_be[usize::from(holds)],
                    _ => true,
                });
            }
            Choice::Value(term) => {
                let conditions = self.conditions(&mut engine.terms, state, &known);
                if let Ok(Answer::Sat(model)) = engine.solver.model(&mut engine.terms, &conditions) {
                    let wanted = engine.terms.eval(term, &model);
                    decisions.retain(|decision| matches!(*decision, Decision::Value { value, .. } if value == wanted));
                }
            }
            Choice::Tag(pointer, mask) => {
                let tag = match self.link(shape, &known, pointer) {
                    Some(Link::Null) => 0,
                    Some(Link::To(_, offset)) => offset as u8 & mask,
                    _ => return,
                };
                decisions.retain(|decision| *decision == Decision::Tag(pointer, tag));
            }
            Choice::Pick { .. } => {}
        }
    }
}
