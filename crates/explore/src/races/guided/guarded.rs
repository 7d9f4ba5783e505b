//! What is held at the accesses that operations make, for what reports say about a field.

use super::paths::PathAccess;
use crate::findings::Position;
use crate::findings::guarded::{GuardedAccess, held_lock, is_variable};
use concurrency::{Held, LockMode, Side};
use ir::TypeId;
use machine::{Program, State};
use memory::{Memory, ObjId, ObjectKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// An object as far as its members' names depend on it.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Named {
    Variable(ObjId),
    Typed(Option<TypeId>),
}

/// What decides the words, so that each is put into words once.
type Alike = (Side, Named, u64, Vec<(bool, Named, u64, LockMode)>);

/// Accesses in words.
#[derive(Debug, Default)]
pub(super) struct Listing {
    seen: FxHashSet<Alike>,
    pub accesses: BTreeSet<GuardedAccess>,
}

impl Listing {
    /// Notes an access at which a way has come to this state, if others can come to the object.
    pub(super) fn note(&mut self, program: &Program, state: &State, access: &PathAccess) {
        let memory = &state.memory;
        let object = access.range.object;
        let was_there =
            memory.shape().object(object).is_some() || matches!(memory.object(object).kind, ObjectKind::Global(_));
        if !was_there || !self.seen.insert(alike(program, memory, access)) {
            return;
        }
        let types = (&program.module, &program.facts);
        let Some(field) = memory::field(types, memory, object, access.range.offset) else { return };
        let location = program.site_location(access.record.site);
        self.accesses.insert(GuardedAccess {
            field,
            position: Position::of(program, location),
            function: location.map(|at| program.module[at].function.clone()).unwrap_or_default(),
            access: access.record.kind,
            atomic: access.record.atomic,
            held: access.held.iter().map(|held| held_lock(program, memory, object, held)).collect(),
        });
    }
}

fn alike(program: &Program, memory: &Memory, access: &PathAccess) -> Alike {
    let object = access.range.object;
    let lock = |held: &Held| {
        (held.place.object == object, named(program, memory, held.place.object), held.place.offset, held.mode)
    };
    (access.record.side(), named(program, memory, object), access.range.offset, access.held.iter().map(lock).collect())
}

fn named(program: &Program, memory: &Memory, object: ObjId) -> Named {
    match memory.shape().object(object) {
        Some(initial) if !initial.global => Named::Typed(Some(initial.ty)),
        Some(_) => Named::Variable(object),
        None if is_variable(program, memory, object) => Named::Variable(object),
        None => Named::Typed(memory.object(object).ty),
    }
}
