//! POSIX threads (POSIX.1-2017, XSH chapter 3). Error numbers are Linux's.

use super::sync::{self, Expect, Locked, Patience};
use super::{Model, attributes, errors, returns, succeeds, threads};
use crate::Stop;
use crate::step::{Call, Flow, StepCx};
use concurrency::{LockMode, MutexKind, SyncOp, SyncTable};
use ir::Ty;
use memory::Value;

pub(super) const EPERM: u64 = 1;
pub(super) const EBUSY: u64 = 16;
pub(super) const EINVAL: u64 = 22;
pub(super) const EAGAIN: u64 = 11;
const EDEADLK: u64 = 35;
pub(super) const ETIMEDOUT: u64 = 110;
const EOWNERDEAD: u64 = 130;
const ENOTRECOVERABLE: u64 = 131;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_create" => create,
        "pthread_join" => |cx, call| join(cx, call, Patience::Waits),
        "pthread_tryjoin_np" => |cx, call| join(cx, call, Patience::None),
        "pthread_timedjoin_np" => |cx, call| timed_join(cx, call, 2),
        "pthread_clockjoin_np" => |cx, call| timed_join(cx, call, 3),
        "pthread_detach" => detach,
        "pthread_self" => this,
        "pthread_equal" => equal,
        "pthread_mutex_init" => mutex_init,
        "pthread_mutex_destroy" => |cx, call| destroy(cx, call, Expect::Mutex),
        "pthread_mutex_lock" => |cx, call| mutex_lock(cx, call, Patience::Waits),
        "pthread_mutex_timedlock" => |cx, call| mutex_timed_lock(cx, call, 1),
        "pthread_mutex_clocklock" => |cx, call| mutex_timed_lock(cx, call, 2),
        "pthread_mutex_trylock" => |cx, call| mutex_lock(cx, call, Patience::None),
        "pthread_mutex_consistent" => mutex_consistent,
        "pthread_spin_init" => spin_init,
        "pthread_spin_destroy" => |cx, call| destroy(cx, call, Expect::Spin),
        "pthread_spin_lock" => |cx, call| spin_lock(cx, call, Patience::Waits),
        "pthread_spin_trylock" => |cx, call| spin_lock(cx, call, Patience::None),
        "pthread_spin_unlock" => spin_unlock,
        "pthread_mutex_unlock" => mutex_unlock,
        "pthread_rwlock_init" => rwlock_init,
        "pthread_rwlock_destroy" => |cx, call| destroy(cx, call, Expect::RwLock),
        "pthread_rwlock_rdlock" => |cx, call| rwlock(cx, call, LockMode::Shared, Patience::Waits),
        "pthread_rwlock_timedrdlock" => |cx, call| rwlock_timed(cx, call, LockMode::Shared, 1),
        "pthread_rwlock_clockrdlock" => |cx, call| rwlock_timed(cx, call, LockMode::Shared, 2),
        "pthread_rwlock_wrlock" => |cx, call| rwlock(cx, call, LockMode::Exclusive, Patience::Waits),
        "pthread_rwlock_timedwrlock" => |cx, call| rwlock_timed(cx, call, LockMode::Exclusive, 1),
        "pthread_rwlock_clockwrlock" => |cx, call| rwlock_timed(cx, call, LockMode::Exclusive, 2),
        "pthread_rwlock_tryrdlock" => |cx, call| rwlock(cx, call, LockMode::Shared, Patience::None),
        "pthread_rwlock_trywrlock" => |cx, call| rwlock(cx, call, LockMode::Exclusive, Patience::None),
        "pthread_rwlock_unlock" => rwlock_unlock,
        "pthread_cond_init" => cond_init,
        "pthread_cond_destroy" => |cx, call| destroy(cx, call, Expect::Condition),
        "pthread_cond_wait" => |cx, call| cond_wait(cx, call, None),
        "pthread_cond_timedwait" => |cx, call| cond_wait(cx, call, Some(2)),
        "pthread_cond_clockwait" => |cx, call| cond_wait(cx, call, Some(3)),
        "pthread_cond_signal" => |cx, call| cond_wake(cx, call, false),
        "pthread_cond_broadcast" => |cx, call| cond_wake(cx, call, true),
        "pthread_once" => once,
        _ => return None,
    })
}

/// `pthread_create`
fn create(cx: &mut StepCx, call: &Call) -> Done {
    let attr = call.arg(cx, 1)?;
    let detached = match attr {
        Value::Int(0) => false,
        attr => attributes::load(cx, attr)? & 1 == 1,
    };
    let (routine, argument) = (call.arg(cx, 2)?, call.arg(cx, 3)?);
    let created = threads::create(cx, call, routine, argument, detached)?;
    returns(cx, call, Value::Int(if created { 0 } else { EAGAIN }))
}

/// `pthread_join` and its kin
fn join(cx: &mut StepCx, call: &Call, patience: Patience) -> Done {
    let out = call.arg(cx, 1)?;
    let Some(result) = threads::join(cx, call, patience)? else {
        return returns(cx, call, Value::Int(if patience == Patience::Timed { ETIMEDOUT } else { EBUSY }));
    };
    if out != Value::NULL {
        cx.store_at(out, cx.pointer().bytes(), result, None, false)?;
    }
    cx.thread.joined = None;
    succeeds(cx, call)
}

/// `pthread_timedjoin_np`, `pthread_clockjoin_np`. EINVAL where the limit is no time and it would have to wait; without a
/// limit it waits as long as it takes.
fn timed_join(cx: &mut StepCx, call: &Call, limit: usize) -> Done {
    let given = call.arg(cx, limit)?;
    if cx.equals_null(given)? {
        return join(cx, call, Patience::Waits);
    }
    if threads::join(cx, call, Patience::Timed)?.is_some() {
        return join(cx, call, Patience::Timed);
    }
    let error = if errors::is_time(cx, call, limit)? { ETIMEDOUT } else { EINVAL };
    returns(cx, call, Value::Int(error))
}

/// `pthread_detach` and `thrd_detach` (C11 7.26.5.3)
pub(super) fn detach(cx: &mut StepCx, call: &Call) -> Done {
    threads::detach(cx, call)?;
    succeeds(cx, call)
}

/// `pthread_self` and `thrd_current` (C11 7.26.5.2)
pub(super) fn this(cx: &mut StepCx, call: &Call) -> Done {
    let handle = threads::handle(cx.thread.id);
    returns(cx, call, handle)
}

/// `pthread_equal` and `thrd_equal` (C11 7.26.5.4). Nothing is asked of what they are given: who keeps a thread's name, and is given it as
/// an argument, compares a number that is not known.
pub(super) fn equal(cx: &mut StepCx, call: &Call) -> Done {
    let (one, other) = (call.arg(cx, 0)?, call.arg(cx, 1)?);
    let handles = Ty::Int(cx.pointer().bytes() as u16 * 8);
    let result = match crate::step::equal(cx, one, other, handles)? {
        Value::Int(bit) => Value::Int(bit),
        open => {
            let bit = cx.term_of(open, 1)?;
            let wide = cx.engine.terms.zext(bit, 32);
            cx.simplest(wide)
        }
    };
    returns(cx, call, result)
}

/// `pthread_mutex_init`
fn mutex_init(cx: &mut StepCx, call: &Call) -> Done {
    let attr = match call.arg(cx, 1)? {
        Value::Int(0) => 0,
        attr => attributes::load(cx, attr)?,
    };
    let kind = match attr & attributes::TYPE {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    };
    let robust = attr & attributes::ROBUST != 0;
    let mutex = if robust { SyncTable::robust_mutex(kind) } else { SyncTable::mutex(kind) };
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    sync::init(cx, place, Expect::Mutex, mutex)?;
    succeeds(cx, call)
}

/// The destruction of any of these objects
pub(super) fn destroy(cx: &mut StepCx, call: &Call, expect: Expect) -> Done {
    let place = sync::place(cx, call, 0, expect)?;
    let error = sync::destroy(cx, place)?;
    returns(cx, call, Value::Int(error))
}

fn error_number(locked: Locked, patience: Patience) -> Value {
    Value::Int(match locked {
        Locked::Yes => 0,
        Locked::Busy if patience == Patience::Timed => ETIMEDOUT,
        // EBUSY also where the thread itself holds an error-checking mutex that it only tries to lock.
        Locked::Busy => EBUSY,
        Locked::WouldDeadlock if patience == Patience::None => EBUSY,
        Locked::WouldDeadlock => EDEADLK,
        Locked::OwnerDead => EOWNERDEAD,
        Locked::NotRecoverable => ENOTRECOVERABLE,
    })
}

/// `pthread_mutex_lock` and its kin
fn mutex_lock(cx: &mut StepCx, call: &Call, patience: Patience) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = sync::lock(cx, place, patience)?;
    returns(cx, call, error_number(locked, patience))
}

/// `pthread_mutex_timedlock`, `pthread_mutex_clocklock`. EINVAL where the limit is no time and it would have to wait: where it
/// need not, nobody looks at the limit.
fn mutex_timed_lock(cx: &mut StepCx, call: &Call, limit: usize) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let locked = sync::lock(cx, place, Patience::Timed)?;
    if locked == Locked::Busy && !errors::is_time(cx, call, limit)? {
        return returns(cx, call, Value::Int(EINVAL));
    }
    returns(cx, call, error_number(locked, Patience::Timed))
}

/// `pthread_mutex_consistent`: EINVAL where there is nothing to repair.
fn mutex_consistent(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Mutex)?;
    let repaired = cx.state.sync.repair(place, cx.thread.id).map_err(|m| cx.misuse(m))?;
    returns(cx, call, Value::Int(if repaired { 0 } else { EINVAL }))
}

/// `pthread_spin_init`
fn spin_init(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Spin)?;
    sync::init(cx, place, Expect::Spin, SyncTable::spin_lock())?;
    succeeds(cx, call)
}

/// `pthread_spin_lock`, `pthread_spin_trylock`
fn spin_lock(cx: &mut StepCx, call: &Call, patience: Patience) -> Done {
    let place = sync::place(cx, call, 0, Expect::Spin)?;
    let locked = sync::spin_lock(cx, place, patience)?;
    returns(cx, call, error_number(locked, patience))
}

/// `pthread_spin_unlock`
fn spin_unlock(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Spin)?;
    sync::spin_unlock(cx, place)?;
    succeeds(cx, call)
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
    sync::init(cx, place, Expect::RwLock, sync::fresh(Expect::RwLock, MutexKind::Normal))?;
    succeeds(cx, call)
}

/// `pthread_rwlock_rdlock` and its kin
fn rwlock(cx: &mut StepCx, call: &Call, mode: LockMode, patience: Patience) -> Done {
    let place = sync::place(cx, call, 0, Expect::RwLock)?;
    let locked = sync::rwlock_lock(cx, place, mode, patience)?;
    returns(cx, call, error_number(locked, patience))
}

/// `pthread_rwlock_timedrdlock` and its kin. EINVAL where the limit is no time, also where the lock is free, as in glibc.
fn rwlock_timed(cx: &mut StepCx, call: &Call, mode: LockMode, limit: usize) -> Done {
    let place = sync::place(cx, call, 0, Expect::RwLock)?;
    let op = match mode {
        LockMode::Shared => SyncOp::TimedReadLock,
        LockMode::Exclusive => SyncOp::TimedWriteLock,
    };
    sync::synchronise(cx, op, place)?;
    if !errors::is_time(cx, call, limit)? {
        return returns(cx, call, Value::Int(EINVAL));
    }
    rwlock(cx, call, mode, Patience::Timed)
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
    sync::init(cx, place, Expect::Condition, sync::fresh(Expect::Condition, MutexKind::Normal))?;
    succeeds(cx, call)
}

/// `pthread_cond_wait`, and with a limit `pthread_cond_timedwait` and its kin: EINVAL where that is no time, before the mutex
/// is given back.
fn cond_wait(cx: &mut StepCx, call: &Call, limit: Option<usize>) -> Done {
    let condition = sync::place(cx, call, 0, Expect::Condition)?;
    let mutex = sync::place(cx, call, 1, Expect::Mutex)?;
    if let Some(limit) = limit
        && !sync::waits_until(cx, call, condition, mutex, limit)?
    {
        return returns(cx, call, Value::Int(EINVAL));
    }
    let locked = sync::wait(cx, condition, mutex, limit.is_some())?;
    returns(cx, call, error_number(locked, Patience::Timed))
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
