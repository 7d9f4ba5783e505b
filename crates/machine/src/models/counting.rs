//! Semaphores and barriers (POSIX.1-2017).

use super::errors;
use super::pthread::{EAGAIN, EINVAL, ETIMEDOUT};
use super::sync::{self, Expect, Patience, begin, synchronise};
use super::{Model, returns, succeeds};
use crate::step::{Call, Flow, StepCx, misuse_at, others_live};
use crate::{LossKind, Stop};
use concurrency::{AccessKind, Acquire, Action, Initial, Place, SyncOp, SyncTable};
use ir::{Operand, Reg};
use memory::Value;
use std::rc::Rc;

type Done = Result<Flow, Stop>;

/// `PTHREAD_BARRIER_SERIAL_THREAD`
const SERIAL_THREAD: u64 = -1i64 as u64;
const SEM_VALUE_MAX: u64 = i32::MAX as u64;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "sem_init" => sem_init,
        "sem_destroy" => sem_destroy,
        "sem_wait" => |cx, call| sem_wait(cx, call, Patience::Waits),
        "sem_timedwait" => |cx, call| sem_timed_wait(cx, call, 1),
        "sem_clockwait" => |cx, call| sem_timed_wait(cx, call, 2),
        "sem_trywait" => |cx, call| sem_wait(cx, call, Patience::None),
        "sem_post" => sem_post,
        "sem_getvalue" => sem_getvalue,
        "pthread_barrier_init" => barrier_init,
        "pthread_barrier_destroy" => |cx, call| super::pthread::destroy(cx, call, Expect::Barrier),
        "pthread_barrier_wait" => barrier_wait,
        _ => return None,
    })
}

/// `sem_init`. EINVAL for more than `SEM_VALUE_MAX`.
fn sem_init(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.concrete(cx, 2)? & 0xffff_ffff;
    if value > SEM_VALUE_MAX {
        return errors::fails(cx, call, EINVAL);
    }
    let place = sync::place(cx, call, 0, Expect::Semaphore)?;
    sync::init(cx, place, Expect::Semaphore, SyncTable::semaphore(value as u32, Initial::Known))?;
    succeeds(cx, call)
}

/// `sem_destroy`
fn sem_destroy(cx: &mut StepCx, call: &Call) -> Done {
    super::pthread::destroy(cx, call, Expect::Semaphore)
}

/// `sem_wait` and its kin. What a semaphore of the initial heap begins with is found out where it matters.
fn sem_wait(cx: &mut StepCx, call: &Call, patience: Patience) -> Done {
    let op = match patience {
        Patience::Waits => SyncOp::SemWait,
        Patience::Timed => SyncOp::SemTimedWait,
        Patience::None => SyncOp::SemTryWait,
    };
    let place = sync::place(cx, call, 0, Expect::Semaphore)?;
    synchronise(cx, op, place)?;
    let known = cx.state.sync.semaphore_value(place).map_err(|m| cx.misuse(m))?;
    cx.engine.assumed.counts |= known.1.is_open();
    if known.0 == 0 && known.1.is_open() && cx.pick(2)? == 1 {
        cx.state.sync.close_semaphore(place, 0);
        if patience == Patience::Waits {
            // It has only been found out that there is nothing to take: the call waits, as it would have done.
            cx.thread.granted = false;
            return Err(Stop::Visible(Action::Sync { op, place }));
        }
    }
    let result = cx.state.sync.semaphore_take(place).map_err(|m| cx.misuse(m))?;
    match result {
        Acquire::Taken(clock) => {
            cx.state.order.acquire(cx.thread.id, &clock);
            succeeds(cx, call)
        }
        _ if patience == Patience::Timed => errors::fails(cx, call, ETIMEDOUT),
        _ => errors::fails(cx, call, EAGAIN),
    }
}

/// `sem_timedwait`, `sem_clockwait`. EINVAL where the limit is no time, before anything is taken, as in glibc.
fn sem_timed_wait(cx: &mut StepCx, call: &Call, limit: usize) -> Done {
    let place = sync::place(cx, call, 0, Expect::Semaphore)?;
    synchronise(cx, SyncOp::SemTimedWait, place)?;
    if !errors::is_time(cx, call, limit)? {
        return errors::fails(cx, call, EINVAL);
    }
    sem_wait(cx, call, Patience::Timed)
}

/// `sem_post`
fn sem_post(cx: &mut StepCx, call: &Call) -> Done {
    let place = sync::place(cx, call, 0, Expect::Semaphore)?;
    synchronise(cx, SyncOp::SemPost, place)?;
    let (value, _) = cx.state.sync.semaphore_value(place).map_err(|m| cx.misuse(m))?;
    if u64::from(value) >= SEM_VALUE_MAX {
        // Which of several posts fails would depend on their order.
        return Err(cx.abandon(LossKind::Unsupported, "a semaphore has reached its largest value"));
    }
    let clock = cx.state.order.release(cx.thread.id);
    cx.state.sync.semaphore_post(place, &clock).map_err(|m| cx.misuse(m))?;
    succeeds(cx, call)
}

/// `sem_getvalue`: reading the value is one step, storing it another. Orders nothing.
fn sem_getvalue(cx: &mut StepCx, call: &Call) -> Done {
    let out = call.arg(cx, 1)?;
    let value = match cx.thread.found {
        Some(value) => value,
        None => {
            let place = sync::place(cx, call, 0, Expect::Semaphore)?;
            synchronise(cx, SyncOp::SemValue, place)?;
            let (value, initial) = cx.state.sync.semaphore_value(place).map_err(|m| cx.misuse(m))?;
            let more = if initial.is_open() { more(cx, initial)? } else { 0 };
            cx.state.sync.close_semaphore(place, more);
            cx.thread.found = Some(u64::from(value + more));
            cx.thread.granted = false;
            u64::from(value + more)
        }
    };
    cx.store_at(out, 4, Value::Int(value), None, false)?;
    cx.thread.found = None;
    succeeds(cx, call)
}

/// How many more a semaphore of the initial heap counts than is known.
fn more(cx: &mut StepCx, initial: Initial) -> Result<u32, Stop> {
    /// What is tried where nothing bounds it.
    const MOST_TRIED: u32 = 2;
    cx.engine.assumed.counts = true;
    let most = match initial {
        Initial::Known => return Ok(0),
        Initial::UpTo(most) => most.min(MOST_TRIED),
        Initial::Any => MOST_TRIED,
    };
    let more = cx.pick(most + 1)?;
    if initial != Initial::UpTo(most) {
        cx.note(LossKind::Concretized, "the value of a semaphore of the initial heap is read, and may be larger");
    }
    Ok(more)
}

/// `pthread_barrier_init`. EINVAL for no threads.
fn barrier_init(cx: &mut StepCx, call: &Call) -> Done {
    let count = call.concrete(cx, 2)? as u32;
    if count == 0 {
        return returns(cx, call, Value::Int(EINVAL));
    }
    let place = sync::place(cx, call, 0, Expect::Barrier)?;
    sync::init(cx, place, Expect::Barrier, SyncTable::barrier(Some(count)))?;
    succeeds(cx, call)
}

/// `pthread_barrier_wait`, in its two halves: arriving, and going on once the barrier lets through.
fn barrier_wait(cx: &mut StepCx, call: &Call) -> Done {
    if !cx.thread.waiting {
        let place = sync::place(cx, call, 0, Expect::Barrier)?;
        let action = cx.state.sync.arrival(place);
        begin(cx, action, place, AccessKind::Read)?;
        arrive(cx, call, place)?;
        cx.thread.waiting = true;
        cx.thread.granted = false;
        let stops = cx.engine.config.separate_passes && others_live(cx);
        if stops || !cx.state.sync.may_pass(cx.thread.id) {
            return Err(Stop::Visible(Action::Pass(place)));
        }
    }
    let Some(through) = cx.state.sync.pass(cx.thread.id) else {
        let place = sync::place(cx, call, 0, Expect::Barrier)?;
        return Err(Stop::Visible(Action::Pass(place)));
    };
    cx.thread.waiting = false;
    cx.state.order.acquire(cx.thread.id, &through.clock);
    returns(cx, call, Value::Int(if through.serial { SERIAL_THREAD } else { 0 }))
}

/// Arrives; the last one finds out which thread is the serial one, if any looks at it: any of them may be.
fn arrive(cx: &mut StepCx, call: &Call, place: Place) -> Result<(), Stop> {
    let state = cx.state.sync.barrier_state(place);
    let (count, _) = state.map_err(|m| misuse_at(cx.program, cx.thread, m))?;
    if count.is_none() {
        // Of the initial heap: for two threads or more; for so few that those here suffice, or for more.
        cx.engine.assumed.counts = true;
        let threads = cx.state.threads.len() as u32;
        let count = cx.pick(threads)? + 2;
        cx.state.sync.set_barrier_count(place, count);
    }
    let observes = result_is_used(cx, call);
    let state = cx.state.sync.barrier_state(place);
    let (count, arrived) = state.map_err(|m| misuse_at(cx.program, cx.thread, m))?;
    let any_observes = observes || arrived.iter().any(|a| a.observes);
    let own = (Rc::clone(&cx.thread.name), cx.thread.id);
    let members = cx.state.let_through_with(own, place);
    let is_chosen = count == Some(members.len() as u32) && members.len() > 1 && any_observes;
    let chosen = if is_chosen { cx.pick(members.len() as u32)? as usize } else { 0 };
    let clock = cx.state.order.release(cx.thread.id);
    cx.state.sync.arrive(place, cx.thread.id, observes, clock, members[chosen % members.len()]);
    Ok(())
}

/// Whether anything in the function reads what the call returns.
fn result_is_used(cx: &StepCx, call: &Call) -> bool {
    let reads = |reg: Reg, operand: Operand| operand == Operand::Reg(reg);
    let Some(&dest) = call.dests.first() else { return false };
    let mut used = false;
    for block in &cx.module()[cx.thread.frame().function].blocks {
        block.insts.iter().for_each(|inst| inst.op.for_each_operand(|operand| used |= reads(dest, operand)));
        block.terminator.for_each_operand(|operand| used |= reads(dest, operand));
    }
    used
}
