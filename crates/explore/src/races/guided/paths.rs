//! The ways of one operation by itself: SSRD's unit testing (section 2), without summaries.
//!
//! A pointer that is followed leads to an object of its own, if the bounds allow; one that is compared may lead to any, for
//! the path depends on it. So each way comes once, with the fewest relations that it needs, and aliasing is the matter of
//! [`shapes`].

use super::guarded::Listing;
use crate::budget::meter::Meter;
use crate::initial::predicate::{accepted, predicate_call, rewound};
use crate::initial::{AloneRuns, Guide, Leaf};
use crate::model::Origin;
use crate::model::operation::{Call, start};
use concurrency::{Held, Range, Record};
use ir::TypeId;
use machine::{Choice, Decision, Engine, EngineError, Observed, State};
use memory::{ObjId, ObjectKind, Target};
use rustc_hash::FxHashSet;
use shapes::Demand;
use std::rc::Rc;

/// Heaps that a predicate accepts, of those that are looked at.
const MOST_HEAPS: usize = 200;

/// An access that a way makes.
#[derive(Clone, Debug)]
pub(crate) struct PathAccess {
    pub record: Record,
    pub range: Range,
    pub held: Rc<[Held]>,
    /// Of the object.
    pub ty: Option<TypeId>,
}

/// One way of an operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationPath {
    pub demand: Demand,
    /// Those that another thread may race with.
    pub accesses: Vec<PathAccess>,
    /// Objects that were there before any operation.
    given: Rc<[ObjId]>,
    /// It may access more.
    pub is_cut: bool,
}

impl OperationPath {
    /// Whether an object was there before any operation.
    pub(crate) fn is_given(&self, object: ObjId) -> bool {
        self.given.contains(&object)
    }

    /// How much of a heap it needs: what needs little is tried first.
    pub(crate) fn weight(&self) -> usize {
        self.demand.shape.objects().len() + self.demand.conditions.len() + self.demand.distinct.len()
    }

    /// Whether an object was made by the operation itself.
    pub(crate) fn is_own(&self, object: ObjId) -> bool {
        self.demand.shape.object(object).is_none()
    }
}

/// A pointer that is followed leads to a new object; only if none may be made, to one that is there.
#[derive(Debug)]
struct Fresh;

impl Guide for Fresh {
    fn retain(&self, _: &mut Engine, state: &State, choice: &Choice, decisions: &mut Vec<Decision>) {
        let Choice::Target(pointer) = *choice else { return };
        if matches!(state.observed.iter().next(), Some(Observed::Compared(compared)) if *compared == pointer) {
            return;
        }
        let is_new = |decision: &Decision| matches!(decision, Decision::Target(_, Target::New));
        if decisions.iter().any(is_new) {
            let leads_nowhere = |decision: &Decision| matches!(decision, Decision::Target(_, Target::Null));
            decisions.retain(|decision| is_new(decision) || leads_nowhere(decision));
        }
    }
}

/// All ways of the thread with this index on the heaps of `base`, or the first of them.
///
/// # Errors
/// When the engine fails.
pub(crate) fn operation_paths(
    engine: &mut Engine,
    origin: &Origin,
    (base, calls): (&State, &[Vec<Call>]),
    index: usize,
    most: usize,
    (meter, listing): (&mut Meter, &mut Listing),
) -> Result<Vec<OperationPath>, EngineError> {
    let given: Rc<[ObjId]> = base.memory.shape().objects().iter().map(|object| object.object).collect();
    let mut all = Vec::new();
    for mut state in heaps(engine, origin, (base, calls), meter)? {
        start(engine, &mut state, index + 1, &calls[index]);
        let mut runs = AloneRuns::new(state).along(Some(Rc::new(Fresh)));
        while all.len() < most
            && let Some(leaf) = runs.next(engine, meter)?
        {
            if leaf.is_valid() {
                let path = path_of(&leaf, Rc::clone(&given));
                path.accesses.iter().for_each(|access| listing.note(&engine.program, &leaf.state, access));
                all.push(path);
            }
        }
    }
    Ok(all)
}

/// The heaps that the predicate accepts, as far as it looks; all, if there is none.
fn heaps(
    engine: &mut Engine,
    origin: &Origin,
    (base, calls): (&State, &[Vec<Call>]),
    meter: &mut Meter,
) -> Result<Vec<State>, EngineError> {
    let Some(valid) = origin.valid() else { return Ok(vec![base.clone()]) };
    let mut state = base.clone();
    let call = predicate_call(engine, base, valid, calls);
    start(engine, &mut state, 0, &[call]);
    let mut runs = AloneRuns::new(state).along(Some(Rc::new(Fresh)));
    let mut heaps = Vec::new();
    while heaps.len() < MOST_HEAPS
        && let Some(leaf) = runs.next(engine, meter)?
    {
        let observed = leaf.state.observed.without_accesses();
        if let Some(after) = accepted(engine, valid, leaf)? {
            let mut heap = rewound(&after, base);
            heap.observed = observed;
            heaps.push(heap);
        }
    }
    Ok(heaps)
}

fn path_of(leaf: &Leaf, given: Rc<[ObjId]>) -> OperationPath {
    let state = &leaf.state;
    let (mut accesses, mut distinct, mut compared) = (Vec::new(), Vec::new(), FxHashSet::default());
    for what in state.observed.iter() {
        match what {
            Observed::Access { record, range, held, .. } => {
                let object = state.memory.object(range.object);
                if object.kind != ObjectKind::Stack {
                    let ty = state.memory.shape().object(range.object).map(|initial| initial.ty).or(object.ty);
                    accesses.push(PathAccess { record: *record, range: *range, held: Rc::clone(held), ty });
                }
            }
            Observed::Compared(pointer) => drop(compared.insert(*pointer)),
            Observed::Distinct(x, y) => distinct.push((*x, *y)),
            Observed::Created { .. }
            | Observed::Joined { .. }
            | Observed::Called { .. }
            | Observed::Fenced { .. }
            | Observed::Entered { .. }
            | Observed::Left { .. } => {}
        }
    }
    accesses.reverse();
    let shape = state.memory.shape().clone();
    distinct.retain(|&(x, y)| shape.object(x).is_some() && shape.object(y).is_some());
    OperationPath {
        demand: Demand { shape, replaced: None, compared, distinct, conditions: state.path.terms().to_vec() },
        accesses,
        given,
        is_cut: state.observed.is_full(),
    }
}
