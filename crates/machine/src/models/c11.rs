//! `<threads.h>` (C11 7.26). Result codes are glibc's. What POSIX calls otherwise but defines alike is in `pthread`.

use super::sync::{self, Expect, Locked, Patience};
use super::{Model, errors, pthread, returns, succeeds, threads};
use crate::Stop;
use crate::step::{Call, Flow, StepCx};
use concurrency::MutexKind;
use memory::Value;

const THRD_BUSY: u64 = 1;
const THRD_ERROR: u64 = 2;
const THRD_TIMEDOUT: u64 = 4;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "thrd_create" => create,
        "thrd_join" => join,
        "thrd_detach" => pthread::detach,
        "thrd_current" => pthread::this,
        "thrd_equal" => pthread::equal,
        "thrd_yield" | "thrd_sleep" => |cx, call| succeeds(cx, call),
        "mtx_init" => mtx_init,
        "mtx_destroy" => |cx, call| pthread::destroy(cx, call, Expect::Mutex),
        "mtx_lock" => |cx, call| mtx_lock(cx, call, Patience::Waits),
        "mtx_timedlock" => mtx_timed_lock,
        "mtx_trylock" => mtx_trylock,
        "mtx_unlock" => mtx_unlock,
        "cnd_init" => pthread::cond_init,
        "cnd_destroy" => |cx, call| pthread::destroy(cx, call, Expect::Condition),
        "cnd_wait" => |cx, call| cnd_wait(cx, call, false),
        "cnd_timedwait" => |cx, call| cnd_wait(cx, call, true),
        "cnd_signal" => |cx, call| pthread::cond_wake(cx, call, false),
        "cnd_broadcast" => |cx, call| pthread::cond_wake(cx, call, true),
        "call_once" => pthread::once,
        _ => return None,
    })
}

/// `thrd_create` (7.26.5.1)
fn create(cx: &mut StepCx, call: &Call) -> Done {
    let (routine, argument) = (call.arg(cx, 1)?, call.arg(cx, 2)?);
    let created = threads::create(cx, call, routine, argument, false)?;
    returns(cx, call, Value::Int(if created { 0 } else { THRD_ERROR }))
}

/// `thrd_join` (7.26.5.6)
fn join(cx: &mut StepCx, call: &Call) -> Done {
    let out = call.arg(cx, 1)?;
    let result = threads::join(cx, call, Patience::Waits)?.unwrap_or(Value::NULL);
    if out != Value::NULL {
        cx.store_at(out, 4, result, None, false)?;
    }
    cx.thread.joined = None;
    succeeds(cx, call)
}

/// `mtx_init` (7.26.4.2); `mtx_recursive` is 1 in glibc.
fn mtx_init(cx: &mut StepCx, call: &Call) -> Done {
    let kind = if call.concrete(cx, 1)? & 1 != 0 { MutexKind::Recursive } else { MutexKind::Normal };
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    sync::init(cx, place, Expect::Mutex, sync::fresh(Expect::Mutex, kind))?;
    succeeds(cx, call)
}

fn result(locked: Locked, patience: Patience) -> Value {
    Value::Int(match locked {
        Locked::Yes => 0,
        Locked::Busy if patience == Patience::Timed => THRD_TIMEDOUT,
        Locked::Busy => THRD_BUSY,
        Locked::WouldDeadlock | Locked::OwnerDead | Locked::NotRecoverable => THRD_ERROR,
    })
}

/// `mtx_lock` (7.26.4.3)
fn mtx_lock(cx: &mut StepCx, call: &Call, patience: Patience) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = sync::lock(cx, place, patience)?;
    returns(cx, call, result(locked, patience))
}

/// `mtx_timedlock` (7.26.4.4); glibc says `thrd_error` where the limit is no time and it would have to wait.
fn mtx_timed_lock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = sync::lock(cx, place, Patience::Timed)?;
    if locked == Locked::Busy && !errors::is_time(cx, call, 1)? {
        return returns(cx, call, Value::Int(THRD_ERROR));
    }
    returns(cx, call, result(locked, Patience::Timed))
}

/// `mtx_trylock` (7.26.4.5p3: may fail though the mutex is free), as often per place as a wait may wake spuriously.
fn mtx_trylock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let free = cx.state.sync.holders(place).is_empty();
    if free
        && (cx.thread.granted || !cx.state.concurrent)
        && cx.thread.spurious_used() < cx.engine.config.spurious
        && cx.pick(2)? == 1
    {
        cx.thread.note_spurious(&cx.engine.config);
        return returns(cx, call, Value::Int(THRD_BUSY));
    }
    let locked = sync::lock(cx, place, Patience::None)?;
    returns(cx, call, result(locked, Patience::None))
}

/// `mtx_unlock` (7.26.4.6)
fn mtx_unlock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    sync::unlock(cx, place)?;
    succeeds(cx, call)
}

/// `cnd_wait`, `cnd_timedwait` (7.26.3.6, 7.26.3.5)
fn cnd_wait(cx: &mut StepCx, call: &Call, timed: bool) -> Done {
    let condition = sync::place(cx, call, 0, Expect::Condition)?;
    let mutex = sync::place(cx, call, 1, Expect::Mutex)?;
    if timed && !sync::waits_until(cx, call, condition, mutex, 2)? {
        return returns(cx, call, Value::Int(THRD_ERROR));
    }
    let locked = sync::wait(cx, condition, mutex, timed)?;
    returns(cx, call, result(locked, Patience::Timed))
}
