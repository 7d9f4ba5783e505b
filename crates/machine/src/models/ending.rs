//! How threads end: cleanup handlers, destructors of thread-specific data, robust mutexes that stay behind
//! (POSIX.1-2017, `pthread_exit`, `pthread_cleanup_push`; C11 7.26.5.5).
//!
//! Cleanup handlers are those that the GNU C library's macros register in C: a buffer of `__sigsetjmp`, where the thread
//! goes on when it ends, calls the handler, and calls `__pthread_unwind_next`.

use super::keys::{self, Winding};
use super::{Model, returns, succeeds};
use crate::state::OnReturn;
use crate::step::{Call, Flow, StepCx, before_leaving, end_locals_of, end_thread, enter, pop_frame};
use crate::{FaultKind, LossKind, Stop};
use concurrency::{Action, SyncOp};
use ir::{BlockId, Reg, Ty};
use memory::{ObjectKind, Pointer, Value};
use std::rc::Rc;

type Done = Result<Flow, Stop>;

/// `PTHREAD_DESTRUCTOR_ITERATIONS` of the GNU C library.
const DESTRUCTOR_ROUNDS: u32 = 4;

/// Where a thread goes on when it ends, or where it could have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cleanup {
    buffer: Pointer,
    /// Frames on the stack.
    depth: usize,
    block: BlockId,
    inst: usize,
    dest: Option<Reg>,
    /// Registered, not only prepared.
    pushed: bool,
}

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_exit" | "thrd_exit" => exit,
        "__sigsetjmp" => prepare,
        // It comes back once; jumps, after which it would come back again, are not explored.
        "setjmp" | "_setjmp" | "sigsetjmp" => |cx, call| succeeds(cx, call),
        "__pthread_register_cancel" => push,
        "__pthread_unregister_cancel" => pop,
        "__pthread_unwind_next" => unwind_next,
        "pthread_testcancel" => |cx, call| succeeds(cx, call),
        "pthread_setcancelstate" => |cx, call| set_cancel(cx, call, 0),
        "pthread_setcanceltype" => |cx, call| set_cancel(cx, call, 1),
        _ => return None,
    })
}

/// `pthread_setcancelstate`, `pthread_setcanceltype`: nobody cancels a thread but `pthread_cancel`, which is not explored.
fn set_cancel(cx: &mut StepCx, call: &Call, which: usize) -> Done {
    let value = call.concrete(cx, 0)? as u32;
    if value > 1 {
        return returns(cx, call, Value::Int(super::pthread::EINVAL));
    }
    let (out, old) = (call.arg(cx, 1)?, cx.thread.specific.cancel[which]);
    if out != Value::NULL {
        cx.store_at(out, 4, Value::Int(u64::from(old)), None, false)?;
    }
    cx.thread.specific.cancel[which] = value as u8;
    succeeds(cx, call)
}

/// `pthread_exit` and `thrd_exit` (C11 7.26.5.5)
fn exit(cx: &mut StepCx, call: &Call) -> Done {
    if cx.thread.specific.winding.is_none() {
        before_leaving(cx)?;
    }
    let result = call.arg(cx, 0)?;
    cx.thread.result = result;
    leave(cx)
}

/// Runs the next cleanup handler, or ends the thread.
fn leave(cx: &mut StepCx) -> Done {
    while let Some(&cleanup) = cx.thread.cleanups.last() {
        Rc::make_mut(&mut cx.thread.cleanups).pop();
        if cleanup.pushed && cleanup.depth <= cx.thread.frames.len() {
            while cx.thread.frames.len() > cleanup.depth {
                pop_frame(cx);
            }
            let frame = cx.thread.frame_mut();
            (frame.block, frame.inst) = (cleanup.block, cleanup.inst + 1);
            if let Some(dest) = cleanup.dest {
                cx.bind(dest, Value::Int(1));
            }
            return Ok(Flow::Elsewhere);
        }
    }
    if wind_up(cx, false)? { Err(end_thread(cx)) } else { Ok(Flow::Elsewhere) }
}

/// `__sigsetjmp`: comes back a second time when the thread ends, if the buffer is registered by then. Jumps to it are not
/// explored.
fn prepare(cx: &mut StepCx, call: &Call) -> Done {
    let buffer = call.arg(cx, 0)?;
    let buffer = cx.locate_exactly(buffer, 1, None)?;
    let frame = cx.thread.frame();
    let (block, inst, depth) = (frame.block, frame.inst, cx.thread.frames.len());
    let cleanup = Cleanup { buffer, depth, block, inst, dest: call.dests.first().copied(), pushed: false };
    let cleanups = Rc::make_mut(&mut cx.thread.cleanups);
    cleanups.retain(|other| other.pushed || other.buffer != buffer);
    cleanups.push(cleanup);
    returns(cx, call, Value::Int(0))
}

fn push(cx: &mut StepCx, call: &Call) -> Done {
    let buffer = call.arg(cx, 0)?;
    let buffer = cx.locate_exactly(buffer, 1, None)?;
    let cleanups = Rc::make_mut(&mut cx.thread.cleanups);
    match cleanups.iter_mut().rev().find(|cleanup| cleanup.buffer == buffer) {
        Some(cleanup) => cleanup.pushed = true,
        None => return Err(cx.abandon(LossKind::Unsupported, "a cleanup handler is registered in an unknown way")),
    }
    succeeds(cx, call)
}

fn pop(cx: &mut StepCx, call: &Call) -> Done {
    let buffer = call.arg(cx, 0)?;
    let buffer = cx.locate_exactly(buffer, 1, None)?;
    let cleanups = Rc::make_mut(&mut cx.thread.cleanups);
    if let Some(at) = cleanups.iter().rposition(|cleanup| cleanup.buffer == buffer) {
        cleanups.truncate(at);
    }
    succeeds(cx, call)
}

/// A cleanup handler is done.
fn unwind_next(cx: &mut StepCx, _call: &Call) -> Done {
    leave(cx)
}

/// What comes between a thread's last statement and its end. False when a destructor has been entered: afterwards the
/// instruction is carried out again. `returned`: the thread's function has been left, and its variables with it.
pub(crate) fn wind_up(cx: &mut StepCx, returned: bool) -> Result<bool, Stop> {
    if cx.thread.specific.winding.is_none() {
        if cx.thread.specific.values.is_empty() && cx.state.sync.robust_held(cx.thread.id).next().is_none() {
            return Ok(true);
        }
        if returned {
            end_locals_of(cx);
        }
        cx.thread.specific.winding = Some(Rc::default());
    }
    if !destructors_done(cx)? {
        return Ok(false);
    }
    loop {
        let Some(place) = cx.state.sync.robust_held(cx.thread.id).next() else { return Ok(true) };
        if cx.state.concurrent {
            cx.visible(Action::Sync { op: SyncOp::OwnerDies, place })?;
        }
        cx.give_up_block();
        let clock = cx.state.order.release(cx.thread.id);
        cx.state.sync.owner_dies(place, clock);
        cx.thread.granted = false;
    }
}

/// Calls the next destructor; true when there is none left. Their order is the environment's choice.
fn destructors_done(cx: &mut StepCx) -> Result<bool, Stop> {
    loop {
        let mut winding = cx.thread.specific.winding.as_deref().cloned().unwrap_or_default();
        if winding.round >= DESTRUCTOR_ROUNDS {
            return Ok(true);
        }
        let unseen = cx.thread.specific.values.keys().copied().find(|key| !winding.seen.contains(key));
        if let Some((key, destructor)) = winding.next.take() {
            let entered = call_destructor(cx, key, destructor)?;
            keep(cx, winding);
            if entered {
                return Ok(false);
            }
            continue;
        }
        // All of a round are looked up before the first is called.
        if let Some(key) = unseen.filter(|_| !winding.calling) {
            let destructor = keys::look_up(cx, key)?;
            winding.seen.push(key);
            winding.due.extend(destructor.map(|destructor| (key, destructor)));
        } else if !winding.due.is_empty() {
            let count = winding.due.len();
            let index = if count > 1 { cx.pick(count as u32)? as usize % count } else { 0 };
            winding.calling = true;
            winding.next = Some(winding.due.remove(index));
        } else if winding.calling && !cx.thread.specific.values.is_empty() {
            winding = Winding { round: winding.round + 1, ..Winding::default() };
        } else {
            return Ok(true);
        }
        keep(cx, winding);
    }
}

fn keep(cx: &mut StepCx, winding: Winding) {
    cx.thread.specific.winding = Some(Rc::new(winding));
}

/// Enters a destructor with the value, which is null from here on. False where there is nothing to run.
fn call_destructor(cx: &mut StepCx, key: u32, destructor: Value) -> Result<bool, Stop> {
    let target = cx.locate_exactly(destructor, 0, None)?;
    let Some(value) = cx.thread.specific.values.get(&key).copied() else { return Ok(false) };
    let forget = |cx: &mut StepCx| Rc::make_mut(&mut cx.thread.specific.values).remove(&key);
    match cx.state.memory.object(target.object).kind {
        ObjectKind::Function(function) if !cx.module()[function].is_declaration() => {
            enter(cx, function, &[(value, Ty::Ptr, None)], OnReturn::Destructor)?;
            forget(cx);
            Ok(true)
        }
        ObjectKind::Function(function) if cx.module()[function].name == "free" => {
            let block = cx.locate_exactly(value, 0, None)?;
            cx.free(block)?;
            cx.thread.granted = false;
            forget(cx);
            Ok(false)
        }
        ObjectKind::Function(function) => {
            let remedy =
                format!("the destructor `{}` has no body; give its source as well", cx.module()[function].name);
            Err(cx.abandon(LossKind::ExternalCall, remedy))
        }
        _ => Err(cx.fault(FaultKind::OutOfBounds, "a destructor is no function")),
    }
}

/// A destructor has returned: the end of the thread goes on where it was called.
pub(crate) fn end_destructor(cx: &mut StepCx) {
    pop_frame(cx);
}
