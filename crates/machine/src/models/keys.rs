//! Thread-specific data (POSIX.1-2017, `pthread_key_create`; C11 7.26.6).
//!
//! A key is a number that depends on who made it, not on the schedule. Beside it there is one byte of memory, which
//! creation and deletion write and every use reads atomically: so a use that is not ordered with them is a race.

use super::{Model, returns, succeeds};
use crate::state::Thread;
use crate::step::{Call, Flow, StepCx, range_at};
use crate::{FaultKind, State, Stop};
use concurrency::{AccessKind, Action, Place, SyncOp};
use memory::{Contents, Mixer, ObjId, Object, ObjectKind, Pointer, Value};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

type Done = Result<Flow, Stop>;

/// Keys of one thread: more than any C library gives out.
const KEYS_PER_THREAD: u64 = 1024;

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
pub(crate) struct Keys(Rc<BTreeMap<u32, Key>>);

/// What a thread has of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specific {
    /// By key; without those that are null.
    pub values: Rc<BTreeMap<u32, Value>>,
    /// Keys that it has made.
    made: u32,
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

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_key_create" | "tss_create" => create,
        "pthread_key_delete" | "tss_delete" => delete,
        "pthread_setspecific" | "tss_set" => set,
        "pthread_getspecific" | "tss_get" => get,
        _ => return None,
    })
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

/// `pthread_key_create`, `tss_create`
fn create(cx: &mut StepCx, call: &Call) -> Done {
    let (out, destructor) = (call.arg(cx, 0)?, call.arg(cx, 1)?);
    let out = cx.locate_exactly(out, 4, None)?;
    cx.before_accesses(range_at(out, 4), true, None)?;
    let address = cx.heap_address(1, 1)?;
    let byte =
        Object::new(ObjectKind::Arguments, address, None, "a key of thread-specific data", Contents::concrete(vec![0]));
    let object = cx.state.memory.insert(byte);
    let key = cx.thread.id.index() as u64 * KEYS_PER_THREAD + u64::from(cx.thread.specific.made);
    cx.store_at(Value::Ptr(out), 4, Value::Int(key), None, false)?;
    cx.record(range_at(Pointer::to(object), 1), AccessKind::Write, false);
    cx.thread.specific.made += 1;
    Rc::make_mut(&mut cx.state.keys.0).insert(key as u32, Key { destructor, object, deleted: false });
    succeeds(cx, call)
}

/// The key that an argument names, and the place of its byte.
fn key(cx: &mut StepCx, call: &Call) -> Result<(u32, Key), Stop> {
    let number = call.concrete(cx, 0)? as u32;
    match cx.state.keys.0.get(&number) {
        Some(key) if !key.deleted => Ok((number, *key)),
        // A deletion that is not ordered with this use is a race; as for freed memory, the race is the finding.
        Some(key) => {
            let before = cx.engine.sightings.len();
            let range = range_at(Pointer::to(key.object), 1);
            cx.record(range, AccessKind::Read, true);
            if cx.engine.sightings.len() > before {
                return Err(Stop::End(crate::PathEnd::Raced));
            }
            Err(cx.fault(FaultKind::LockMisuse, "use of a key of thread-specific data that was deleted"))
        }
        None => Err(cx.fault(FaultKind::LockMisuse, "use of a key of thread-specific data that was not created")),
    }
}

/// `pthread_key_delete`, `tss_delete`: no destructor is called.
fn delete(cx: &mut StepCx, call: &Call) -> Done {
    let (number, known) = key(cx, call)?;
    let place = Place { object: known.object, offset: 0 };
    super::sync::begin(cx, Action::Sync { op: SyncOp::Destroy, place }, place, AccessKind::Write)?;
    if let Some(key) = Rc::make_mut(&mut cx.state.keys.0).get_mut(&number) {
        key.deleted = true;
    }
    succeeds(cx, call)
}

/// Notes that a key is used.
fn use_key(cx: &mut StepCx, key: Key) -> Result<(), Stop> {
    let range = range_at(Pointer::to(key.object), 1);
    cx.before_accesses(range, false, None)?;
    cx.record(range, AccessKind::Read, true);
    Ok(())
}

/// `pthread_setspecific`, `tss_set`
fn set(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 1)?;
    let null = cx.equals_null(value)?;
    let (number, key) = key(cx, call)?;
    use_key(cx, key)?;
    if let Value::Ptr(pointer) = value {
        cx.state.memory.let_escape(pointer.object);
    }
    let values = Rc::make_mut(&mut cx.thread.specific.values);
    if null {
        values.remove(&number);
    } else {
        values.insert(number, value);
    }
    succeeds(cx, call)
}

/// `pthread_getspecific`, `tss_get`
fn get(cx: &mut StepCx, call: &Call) -> Done {
    let (number, key) = key(cx, call)?;
    use_key(cx, key)?;
    let value = cx.thread.specific.values.get(&number).copied().unwrap_or(Value::NULL);
    returns(cx, call, value)
}

/// Looks up the destructor of a key on the thread's end. Which keys have been deleted by then is a matter of the schedule.
pub(super) fn look_up(cx: &mut StepCx, number: u32) -> Result<Option<Value>, Stop> {
    let Some(&key) = cx.state.keys.0.get(&number) else { return Ok(None) };
    let deletes = |name: &str| matches!(name, "pthread_key_delete" | "tss_delete");
    if cx.state.concurrent && cx.module().functions.iter().any(|function| deletes(&function.name)) {
        let place = Place { object: key.object, offset: 0 };
        cx.visible(Action::Sync { op: SyncOp::KeyEnd, place })?;
        cx.thread.granted = false;
    }
    Ok((!key.deleted && key.destructor != Value::NULL).then_some(key.destructor))
}
