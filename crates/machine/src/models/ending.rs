//! How threads end before they return (POSIX.1-2017, `pthread_exit`, `pthread_cleanup_push`; C11 7.26.5.5).
//!
//! Cleanup handlers are those that the GNU C library's macros register in C: a buffer of `__sigsetjmp`, where the thread
//! goes on when it ends, calls the handler, and calls `__pthread_unwind_next`.

use super::{Model, returns, succeeds};
use crate::state::Cleanup;
use crate::step::{Call, Flow, StepCx, before_leaving, end_thread, pop_frame, wind_up};
use crate::{LossKind, Stop};
use memory::Value;
use std::rc::Rc;

type Done = Result<Flow, Stop>;

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
