//! What one path needs of the heap that it begins on.

use memory::{InitialCell, InitialContent, LazyId, ObjId, Shape};
use rustc_hash::FxHashSet;
use smt::{TermId, Terms};

/// What a path of an operation needs of the heap.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Its pointer-pointee relations.
    pub shape: Shape,
    /// An object in whose place there is another by the time that the path comes to it.
    pub replaced: Option<ObjId>,
    /// Pointers that a comparison asked for: these relations are forced, others adjustable.
    pub compared: FxHashSet<LazyId>,
    /// What comparisons told apart.
    pub distinct: Vec<(ObjId, ObjId)>,
    /// Path constraints on values.
    pub conditions: Vec<TermId>,
}

impl Demand {
    /// What is left when the path meets something else in place of an object: nothing of it, nor of where it hangs.
    pub fn without(&self, terms: &Terms, object: ObjId) -> Demand {
        let symbol = |((of, _), cell): ((ObjId, u64), InitialCell)| match cell.content {
            InitialContent::Symbol(symbol) if of == object => Some(symbol),
            _ => None,
        };
        let its: FxHashSet<TermId> = self.shape.cells().filter_map(symbol).collect();
        let is_about = |&term: &TermId| terms.vars(term).iter().any(|&index| its.contains(&terms.variable(index).term));
        Demand {
            conditions: self.conditions.iter().copied().filter(|term| !is_about(term)).collect(),
            replaced: Some(object),
            ..self.clone()
        }
    }
}
