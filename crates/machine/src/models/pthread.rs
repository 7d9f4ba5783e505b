//! POSIX threads (POSIX.1-2017, XSH chapter 3). Error numbers are Linux's.

use super::sync::{self, Expect, Locked};
use super::{Model, returns, succeeds, threads};
use crate::Stop;
use crate::step::{Call, Flow, StepCx, before_leaving, end_thread};
use concurrency::{LockMode, MutexKind};
use memory::Value;

const EPERM: u64 = 1;
const EDEADLK: u64 = 35;
const EBUSY: u64 = 16;
const ETIMEDOUT: u64 = 110;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_create" => create,
        "pthread_join" => join,
        "pthread_detach" => detach,
        "pthread_exit" => exit,
        "pthread_self" => this,
        "pthread_equal" => equal,
        "pthread_mutex_init" => mutex_init,
        "pthread_mutex_destroy" => |cx, call| destroy(cx, call, Expect::Mutex),
        "pthread_mutex_lock" => mutex_lock,
        "pthread_mutex_trylock" => mutex_trylock,
        "pthread_mutex_unlock" => mutex_unlock,
        "pthread_mutexattr_init" | "pthread_attr_init" => attr_init,
        "pthread_mutexattr_settype" | "pthread_attr_setdetachstate" => attr_set,
        "pthread_mutexattr_destroy"
        | "pthread_attr_destroy"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy" => |cx, call| succeeds(cx, call),
        "pthread_rwlock_init" => rwlock_init,
        "pthread_rwlock_destroy" => |cx, call| destroy(cx, call, Expect::RwLock),
        "pthread_rwlock_rdlock" => |cx, call| rwlock(cx, call, LockMode::Shared, false),
        "pthread_rwlock_wrlock" => |cx, call| rwlock(cx, call, LockMode::Exclusive, false),
        "pthread_rwlock_tryrdlock" => |cx, call| rwlock(cx, call, LockMode::Shared, true),
        "pthread_rwlock_trywrlock" => |cx, call| rwlock(cx, call, LockMode::Exclusive, true),
        "pthread_rwlock_unlock" => rwlock_unlock,
        "pthread_cond_init" => cond_init,
        "pthread_cond_destroy" => |cx, call| destroy(cx, call, Expect::Condition),
        "pthread_cond_wait" => |cx, call| cond_wait(cx, call, false),
        "pthread_cond_timedwait" => |cx, call| cond_wait(cx, call, true),
        "pthread_cond_signal" => |cx, call| cond_wake(cx, call, false),
        "pthread_cond_broadcast" => |cx, call| cond_wake(cx, call, true),
        "pthread_once" => once,
        "sched_yield" | "pthread_yield" => |cx, call| succeeds(cx, call),
        _ => return None,
    })
}

/// `pthread_create`
fn create(cx: &mut StepCx, call: &Call) -> Done {
    let attr = call.arg(cx, 1)?;
    let detached = match attr {
        Value::Int(0) => false,
        attr => attribute(cx, attr)? == 1,
    };
    let (routine, argument) = (call.arg(cx, 2)?, call.arg(cx, 3)?);
    threads::create(cx, call, routine, argument, detached)?;
    succeeds(cx, call)
}

/// The number that an attribute object holds: the kind of a mutex, or the detach state of a thread.
fn attribute(cx: &mut StepCx, attr: Value) -> Result<u64, Stop> {
    let value = cx.load_at(attr, 4, None, false)?;
    cx.concrete(value, ir::Ty::Int(32))
}

/// `pthread_join`
fn join(cx: &mut StepCx, call: &Call) -> Done {
    let out = call.arg(cx, 1)?;
    let result = threads::join(cx, call)?;
    if out != Value::NULL {
        cx.store_at(out, 8, result, None, false)?;
    }
    cx.thread.joined = None;
    succeeds(cx, call)
}

/// `pthread_detach` and `thrd_detach` (C11 7.26.5.3)
pub(super) fn detach(cx: &mut StepCx, call: &Call) -> Done {
    threads::detach(cx, call)?;
    succeeds(cx, call)
}

/// `pthread_exit` and `thrd_exit` (C11 7.26.5.5)
pub(super) fn exit(cx: &mut StepCx, call: &Call) -> Done {
    before_leaving(cx)?;
    cx.thread.result = call.arg(cx, 0)?;
    Err(end_thread(cx))
}

/// `pthread_self` and `thrd_current` (C11 7.26.5.2)
pub(super) fn this(cx: &mut StepCx, call: &Call) -> Done {
    let handle = threads::handle(cx.thread.id);
    returns(cx, call, handle)
}

/// `pthread_equal` and `thrd_equal` (C11 7.26.5.4)
pub(super) fn equal(cx: &mut StepCx, call: &Call) -> Done {
    let equal = call.concrete(cx, 0)? == call.concrete(cx, 1)?;
    returns(cx, call, Value::Int(u64::from(equal)))
}

/// `pthread_mutexattr_init`, `pthread_attr_init`: the defaults are 0.
fn attr_init(cx: &mut StepCx, call: &Call) -> Done {
    let attr = call.arg(cx, 0)?;
    cx.store_at(attr, 4, Value::Int(0), None, false)?;
    succeeds(cx, call)
}

/// `pthread_mutexattr_settype`, `pthread_attr_setdetachstate`
fn attr_set(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.concrete(cx, 1)?;
    let attr = call.arg(cx, 0)?;
    cx.store_at(attr, 4, Value::Int(value), None, false)?;
    succeeds(cx, call)
}

/// `pthread_mutex_init`
fn mutex_init(cx: &mut StepCx, call: &Call) -> Done {
    let kind = match call.arg(cx, 1)? {
        Value::Int(0) => MutexKind::Normal,
        attr => match attribute(cx, attr)? {
            1 => MutexKind::Recursive,
            2 => MutexKind::ErrorCheck,
            _ => MutexKind::Normal,
        },
    };
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    sync::init(cx, place, sync::fresh(Expect::Mutex, kind))?;
    succeeds(cx, call)
}

/// The destruction of any of these objects
pub(super) fn destroy(cx: &mut StepCx, call: &Call, expect: Expect) -> Done {
    let place = sync::place(cx, call, 0, expect)?;
    sync::destroy(cx, place)?;
    succeeds(cx, call)
}

fn error_number(locked: Locked) -> Value {
    Value::Int(match locked {
        Locked::Yes => 0,
        Locked::Busy => EBUSY,
        Locked::WouldDeadlock => EDEADLK,
    })
}

/// `pthread_mutex_lock`
fn mutex_lock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = sync::lock(cx, place, false)?;
    returns(cx, call, error_number(locked))
}

/// `pthread_mutex_trylock`. EBUSY also where the thread itself holds an error-checking mutex.
fn mutex_trylock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = match sync::lock(cx, place, true)? {
        Locked::WouldDeadlock => Locked::Busy,
        other => other,
    };
    returns(cx, call, error_number(locked))
}

/// `pthread_mutex_unlock`
fn mutex_unlock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let unlocked = sync::unlock(cx, place)?;
    returns(cx, call, Value::Int(if unlocked { 0 } else { EPERM }))
}

/// `pthread_rwlock_init`
fn rwlock_init(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::RwLock)?;
    sync::init(cx, place, sync::fresh(Expect::RwLock, MutexKind::Normal))?;
    succeeds(cx, call)
}

/// `pthread_rwlock_rdlock` and its kin
fn rwlock(cx: &mut StepCx, call: &Call, mode: LockMode, try_only: bool) -> Done {
    let place = sync::place(cx, call, 0, Expect::RwLock)?;
    let locked = sync::rwlock_lock(cx, place, mode, try_only)?;
    returns(cx, call, error_number(locked))
}

/// `pthread_rwlock_unlock`
fn rwlock_unlock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::RwLock)?;
    sync::rwlock_unlock(cx, place)?;
    succeeds(cx, call)
}

/// `pthread_cond_init` and `cnd_init` (C11 7.26.3.3)
pub(super) fn cond_init(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Condition)?;
    sync::init(cx, place, sync::fresh(Expect::Condition, MutexKind::Normal))?;
    succeeds(cx, call)
}

/// `pthread_cond_wait`, `pthread_cond_timedwait`
fn cond_wait(cx: &mut StepCx, call: &Call, timed: bool) -> Done {
    let condition = sync::place(cx, call, 0, Expect::Condition)?;
    let mutex = sync::place(cx, call, 1, Expect::Mutex)?;
    let woken = sync::wait(cx, condition, mutex, timed)?;
    returns(cx, call, Value::Int(if woken { 0 } else { ETIMEDOUT }))
}

/// `pthread_cond_signal`, `pthread_cond_broadcast`, `cnd_signal` (C11 7.26.3.4), `cnd_broadcast` (7.26.3.1)
pub(super) fn cond_wake(cx: &mut StepCx, call: &Call, all: bool) -> Done {
    let condition = sync::place(cx, call, 0, Expect::Condition)?;
    sync::signal(cx, condition, all)?;
    succeeds(cx, call)
}

/// `pthread_once` and `call_once` (C11 7.26.2.1)
pub(super) fn once(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Once)?;
    let routine = call.arg(cx, 1)?;
    sync::once(cx, call, place, routine)
}
