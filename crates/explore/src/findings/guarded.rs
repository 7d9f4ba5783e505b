//! What is held where a field is accessed, in words that do not depend on the heap.

use super::Position;
use concurrency::{AccessKind, Held, LockMode};
use machine::Program;
use memory::{Memory, ObjId, ObjectKind};
use serde::{Deserialize, Serialize};

/// A place in the source that accesses a field of what was there before, and what is held there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GuardedAccess {
    /// As [`memory::field`] has it.
    pub field: String,
    pub position: Position,
    pub function: String,
    pub access: AccessKind,
    pub atomic: bool,
    pub held: Vec<HeldLock>,
}

/// A lock, by what it belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct HeldLock {
    pub owner: LockOwner,
    /// The type of the object that it is in, in C syntax; empty for a variable, or where no type is known.
    pub object: String,
    /// In that object: `mutex`; a variable by its name: `table.lock`.
    pub member: String,
    /// Held for reading, with others.
    pub shared: bool,
}

/// What a lock that is held during an access belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LockOwner {
    /// The object that is accessed.
    Accessed,
    Variable,
    Other,
}

/// A lock that is held while an object is accessed.
pub fn held_lock(program: &Program, memory: &Memory, accessed: ObjId, held: &Held) -> HeldLock {
    let place = held.place;
    let field =
        memory::field((&program.module, &program.facts), memory, place.object, place.offset).unwrap_or_default();
    let is_variable = is_variable(program, memory, place.object);
    let member = if is_variable { 0 } else { field.find(['.', '[']).unwrap_or(field.len()) };
    let (object, member) = field.split_at(member);
    HeldLock {
        owner: match (place.object == accessed, is_variable) {
            (_, true) => LockOwner::Variable,
            (true, false) => LockOwner::Accessed,
            (false, false) => LockOwner::Other,
        },
        object: object.to_owned(),
        member: member.strip_prefix('.').unwrap_or(member).to_owned(),
        shared: held.mode == LockMode::Shared,
    }
}

/// Whether an object has a name of its own.
pub fn is_variable(program: &Program, memory: &Memory, object: ObjId) -> bool {
    let known = memory.object(object);
    match known.kind {
        ObjectKind::Global(global) => !known.name.is_empty() && !program.facts.is_object(global),
        ObjectKind::Stack => !known.name.is_empty(),
        _ => false,
    }
}
