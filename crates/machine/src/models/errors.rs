//! `errno`, and what makes a call fail before it does anything: time limits that are none.
//!
//! `errno` is a thread-local variable of raddle's C library. A program that never looks at it has none.

use super::{pthread, returns};
use crate::Stop;
use crate::step::{Call, Flow, StepCx, range_at, thread_local_object};
use concurrency::AccessKind;
use ir::Ty;
use memory::{Pointer, Value};

pub(super) const ENOMEM: u64 = 12;
const BILLION: u64 = 1_000_000_000;
const FAILED: Value = Value::Int(-1i64 as u64);

/// Sets this thread's `errno`. It is no step of its own: nobody else has the variable, unless its address was handed out,
/// which the race check then sees.
pub(super) fn set(cx: &mut StepCx, number: u64) -> Result<(), Stop> {
    let Some(global) = cx.program.errno else { return Ok(()) };
    let at = Pointer::to(thread_local_object(cx, global)?);
    cx.note_access(range_at(at, 4), AccessKind::Write);
    cx.write(at, 4, Value::Int(number))
}

/// Ends a call in the way of system calls: -1, and the reason in `errno`.
pub(super) fn fails(cx: &mut StepCx, call: &Call, number: u64) -> Result<Flow, Stop> {
    set(cx, number)?;
    returns(cx, call, FAILED)
}

/// Whether the `struct timespec` that an argument points to can be a time (POSIX: EINVAL for less than no nanoseconds, or a
/// second of them). To be asked when the call has stopped for all that it stops for.
pub(super) fn is_time(cx: &mut StepCx, call: &Call, index: usize) -> Result<bool, Stop> {
    let limit = call.arg(cx, index)?;
    // A `time_t` and a `long`, each as long as a pointer.
    let word = cx.pointer();
    let size = 2 * word.bytes();
    let at = cx.locate_exactly(limit, size, call.hint(cx, index))?;
    cx.check_access(at, size, AccessKind::Read, false)?;
    cx.note_access(range_at(at, size), AccessKind::Read);
    let nanoseconds = cx.read(at.plus(word.bytes() as i64), word.bytes())?;
    match cx.integer(nanoseconds, Ty::Int(word.bits()))? {
        Value::Int(number) => Ok(number < BILLION),
        other => {
            let width = u32::from(word.bits());
            let term = cx.term_of(other, width)?;
            let billion = cx.engine.terms.bv(width, u128::from(BILLION));
            let valid = cx.engine.terms.ult(term, billion);
            cx.condition(valid)
        }
    }
}

/// `nanosleep`: how long a thread sleeps is no part of any schedule, but there has to be a time.
pub(super) fn nanosleep(cx: &mut StepCx, call: &Call) -> Result<Flow, Stop> {
    let word = cx.pointer();
    let at = call.arg(cx, 0)?;
    let at = cx.locate_exactly(at, 2 * word.bytes(), call.hint(cx, 0))?;
    cx.before_accesses(range_at(at, 2 * word.bytes()), false, None)?;
    let mut valid = is_time(cx, call, 0)?;
    if valid {
        let (width, seconds) = (u32::from(word.bits()), cx.read(at, word.bytes())?);
        let seconds = cx.term_of(seconds, width)?;
        let zero = cx.engine.terms.bv(width, 0);
        let past = cx.engine.terms.slt(seconds, zero);
        valid = !cx.condition(past)?;
    }
    if valid { super::succeeds(cx, call) } else { fails(cx, call, pthread::EINVAL) }
}
