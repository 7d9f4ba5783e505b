//! What a thread has of its own: thread-specific data (POSIX.1-2017, `pthread_key_create`; C11 7.26.6), cleanup handlers, and
//! how far its end has come.

use super::Thread;
use crate::State;
use ir::{BlockId, Reg};
use memory::{Mixer, ObjId, Pointer, Value};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

/// A key that was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub destructor: Value,
    /// The byte that stands for it.
    pub object: ObjId,
    pub deleted: bool,
}

/// All keys that were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(pub Rc<BTreeMap<u32, Key>>);

/// What a thread has of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specific {
    /// By key; without those that are null.
    pub values: Rc<BTreeMap<u32, Value>>,
    /// Keys that it has made.
    pub made: u32,
    /// How far its end has come.
    pub winding: Option<Rc<Winding>>,
    /// What it said last about being cancelled: the state, and the type.
    pub cancel: [u8; 2],
}

/// The end of a thread, in rounds of destructors.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Winding {
    pub round: u32,
    /// Keys whose destructors this round has looked up.
    pub seen: Vec<u32>,
    /// The first of them has been called.
    pub calling: bool,
    /// The one that is called next.
    pub next: Option<(u32, Value)>,
    /// Destructors to be called.
    pub due: Vec<(u32, Value)>,
}

/// Where a thread goes on when it ends, or where it could have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cleanup {
    pub buffer: Pointer,
    /// Frames on the stack.
    pub depth: usize,
    pub block: BlockId,
    pub inst: usize,
    pub dest: Option<Reg>,
    /// Registered, not only prepared.
    pub pushed: bool,
}

/// For the fingerprint of a state.
pub(crate) fn mix_specific(state: &State, thread: &Thread, named: &dyn Fn(Value) -> Value, mixer: &mut Mixer) {
    for (key, value) in &*thread.specific.values {
        key.hash(mixer);
        state.memory.mix_value(named(*value), mixer);
    }
    if let Some(winding) = &thread.specific.winding {
        (winding.round, &winding.seen, winding.calling, winding.next.is_some()).hash(mixer);
    }
    (thread.specific.cancel, thread.cleanups.len(), thread.specific.made).hash(mixer);
    state.memory.mix_value(named(thread.signal_mask), mixer);
    for Cleanup { buffer, depth, block, inst, dest, pushed } in &*thread.cleanups {
        state.memory.mix_value(named(Value::Ptr(*buffer)), mixer);
        (depth, block, inst, dest, pushed).hash(mixer);
    }
}

impl Keys {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether a thread has cleanup handlers, or is running destructors of its thread-specific data.
pub(crate) fn has_handlers(thread: &Thread) -> bool {
    !thread.cleanups.is_empty() || thread.specific.winding.is_some()
}
