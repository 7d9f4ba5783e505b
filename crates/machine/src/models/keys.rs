//! Thread-specific data (POSIX.1-2017, `pthread_key_create`; C11 7.26.6).
//!
//! A key is a number that depends on who made it, not on the schedule. Beside it there is one byte of memory, which
//! creation and deletion write and every use reads atomically: so a use that is not ordered with them is a race.

use super::{Model, returns, succeeds};
use crate::state::Key;
use crate::step::{Call, Flow, StepCx, range_at};
use crate::{FaultKind, Stop};
use concurrency::{AccessKind, Action, Place, SyncOp};
use memory::{Contents, Object, ObjectKind, Pointer, Value};
use std::rc::Rc;

type Done = Result<Flow, Stop>;

/// Keys of one thread: more than any C library gives out.
const KEYS_PER_THREAD: u64 = 1024;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_key_create" | "tss_create" => create,
        "pthread_key_delete" | "tss_delete" => delete,
        "pthread_setspecific" | "tss_set" => set,
        "pthread_getspecific" | "tss_get" => get,
        _ => return None,
    })
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
