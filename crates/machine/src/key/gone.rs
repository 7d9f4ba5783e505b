//! Objects that are no more, to which pointers are left.
//!
//! An access through one fails, or races with the end of the object if it does not come after that. So who comes after what was done to
//! such objects is part of the state. To others nothing leads any more, and what was done to them is forgotten.

use crate::key::values_of_thread;
use crate::state::Status;
use crate::{Program, State};
use concurrency::ThreadId;
use memory::{Fingerprint, Life, Mixer, ObjId, Pointer, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// Those to which something was done that may race.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// Of several that were at one address, the number of each, in the order in which they are come to.
    numbers: FxHashMap<ObjId, usize>,
    /// Which pointer leads to which of them.
    pub pattern: Fingerprint,
}

impl Gone {
    pub(super) fn of(state: &mut State, program: &Program) -> Gone {
        let is_live = |state: &State, object: ObjId| state.memory.object(object).life == Life::Live;
        let all: Vec<ObjId> = state.shadow.objects().filter(|&object| !is_live(state, object)).collect();
        if all.is_empty() {
            return Gone::default();
        }
        let of = |value: Value| match state.memory.settle(value) {
            Value::Ptr(Pointer { object, .. }) | Value::Symbolic { object, .. } if !is_live(state, object) => {
                Some(object)
            }
            _ => None,
        };
        let live = (0..state.memory.len()).map(ObjId::new).filter(|&object| is_live(state, object));
        let mut holders: Vec<ObjId> =
            live.filter(|&object| state.memory.cells_of(object).any(|cell| of(cell).is_some())).collect();
        holders.sort_by_key(|&object| state.memory.object(object).address);
        let in_threads = state.threads.iter().flat_map(|thread| values_of_thread(program, thread));
        let in_memory = holders.iter().flat_map(|&object| state.memory.cells_of(object));
        let mut numbers = FxHashMap::default();
        let mut alike: FxHashMap<u64, usize> = FxHashMap::default();
        let mut pattern = Mixer::default();
        for object in in_threads.chain(in_memory).filter_map(of) {
            let address = state.memory.object(object).address;
            let number = *numbers.entry(object).or_insert_with(|| {
                let next = alike.entry(address).or_default();
                *next += 1;
                *next
            });
            (address, number).hash(&mut pattern);
        }
        all.into_iter().filter(|object| !numbers.contains_key(object)).for_each(|object| state.shadow.forget(object));
        Gone { numbers, pattern: pattern.fingerprint() }
    }

    /// What somebody does not come after yet, of what was done to these objects; or also to others, unless nothing races there.
    pub(super) fn accesses(&self, state: &State, others: Option<&Program>) -> Fingerprint {
        let globals = others.into_iter().flat_map(Program::only_atomic);
        let atomics: FxHashSet<ObjId> = globals.filter_map(|&global| state.memory.global(global)).collect();
        let name = |object| {
            let known = state.memory.object(object);
            match self.numbers.get(&object) {
                Some(&number) => Some((known.address, number)),
                None => (others.is_some() && !atomics.contains(&object)).then_some((known.address, 0)),
            }
        };
        let goes_on = |thread: ThreadId| state.threads.get(thread.index()).is_none_or(|t| t.status != Status::Ended);
        state.shadow.fingerprint_by(&state.order, &state.sync, (name, goes_on))
    }
}
