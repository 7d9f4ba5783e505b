//! The predicate that says which heaps are valid.

use super::AloneEnd;
use super::Leaf;
use crate::model::operation::{Call, Operation, arguments};
use machine::{Engine, EngineError, LossKind, LossSite, State};
use memory::{Territory, Value};

/// The call of the predicate: with the shared root of its parameter's type that `threads` are given.
pub fn predicate_call(engine: &Engine, base: &State, valid: &Operation, threads: &[Vec<Call>]) -> Call {
    let module = &engine.program.module;
    let function = &module[valid.function];
    let wanted = function.source_params.first().and_then(|p| module.pointee(p.ty));
    let root = arguments(threads).into_iter().find(|value| match value {
        Value::Lazy { pointer, .. } => {
            let pointer = base.memory.shape().pointer(*pointer);
            let have = pointer.pointee.filter(|_| !matches!(pointer.territory, Territory::Private(_)));
            matches!((have, wanted), (Some(have), Some(want)) if module.same_type(have, want))
        }
        _ => false,
    });
    Call { function: valid.function, arguments: root.into_iter().take(function.params.len()).collect() }
}

/// The state after a predicate said yes, if it can on that leaf.
pub(crate) fn accepted(engine: &mut Engine, valid: &Operation, leaf: Leaf) -> Result<Option<State>, EngineError> {
    let AloneEnd::Returned(Some(result)) = leaf.end else { return Ok(None) };
    let mut state = leaf.state;
    let module = &engine.program.module;
    let returned = module[valid.function].returns.first();
    let bits = returned.map_or(1, |ty| u32::from(ty.bits(module.pointer)));
    let holds = match result {
        Value::Int(word) => word != 0,
        Value::Ptr(_) | Value::Symbolic { .. } => true,
        Value::Term(term) => {
            let low = engine.terms.width(term).min(bits);
            let term = engine.terms.trunc(term, low);
            let nonzero = engine.terms.is_nonzero(term);
            match state.thread_ids().next() {
                Some(thread) if engine.may_be(&state, nonzero, thread)? => {
                    state.path.assume(nonzero);
                    true
                }
                _ => false,
            }
        }
        Value::Lazy { .. } => {
            let what = LossSite::Search(valid.name.clone());
            engine.note(LossKind::Unsupported, what, "a predicate that returns a number");
            false
        }
    };
    Ok(holds.then_some(state))
}

/// A state in which nothing has run yet, with the heap decided and the values constrained as in `after`.
pub(crate) fn rewound(after: &State, base: &State) -> State {
    let mut state = base.clone();
    state.memory = after.memory.rewound(&base.memory);
    state.path = after.path.clone();
    state.endless.clone_from(&after.endless);
    state
}
