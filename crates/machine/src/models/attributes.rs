//! Attribute objects, and what POSIX lets a program say about scheduling, which no verdict depends on.
//!
//! An attribute object holds a word of bit fields at its beginning; one of a thread also the size of its stack and of its
//! guard. No other code looks into them.

use super::pthread::EINVAL;
use super::{Model, returns, succeeds};
use crate::Stop;
use crate::step::{Call, Flow, StepCx, range_at};
use concurrency::AccessKind;
use memory::{Pointer, Value};

type Done = Result<Flow, Stop>;

/// A mutex's type, in the word; of a thread: whether it is detached.
pub(super) const TYPE: u64 = 3;
pub(super) const ROBUST: u64 = 1 << ROBUST_AT;

const ROBUST_AT: u32 = 8;
const SHARED_AT: u32 = 9;
const PROTOCOL_AT: u32 = 10;
const CLOCK_AT: u32 = 12;
const SCOPE_AT: u32 = 13;
const INHERIT_AT: u32 = 14;
const POLICY_AT: u32 = 15;
const PREFER_AT: u32 = 18;

/// Where an attribute object of a thread keeps numbers.
const STACK_SIZE: i64 = 8;
const GUARD_SIZE: i64 = 16;
/// The GNU C library's smallest stack.
const PTHREAD_STACK_MIN: u64 = 16384;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_attr_init" => thread_init,
        "pthread_mutexattr_init" | "pthread_condattr_init" | "pthread_rwlockattr_init" | "pthread_barrierattr_init" => init,
        "pthread_mutexattr_destroy"
        | "pthread_attr_destroy"
        | "pthread_condattr_destroy"
        | "pthread_rwlockattr_destroy"
        | "pthread_barrierattr_destroy" => |cx, call| succeeds(cx, call),
        "pthread_mutexattr_settype" => |cx, call| set(cx, call, 0, 3),
        "pthread_mutexattr_gettype" => |cx, call| get(cx, call, 0, 3),
        "pthread_mutexattr_setrobust" => |cx, call| set(cx, call, ROBUST_AT, 1),
        "pthread_mutexattr_getrobust" => |cx, call| get(cx, call, ROBUST_AT, 1),
        "pthread_mutexattr_setprotocol" => |cx, call| set(cx, call, PROTOCOL_AT, 2),
        "pthread_mutexattr_getprotocol" => |cx, call| get(cx, call, PROTOCOL_AT, 3),
        "pthread_mutexattr_setpshared"
        | "pthread_condattr_setpshared"
        | "pthread_rwlockattr_setpshared"
        | "pthread_barrierattr_setpshared" => |cx, call| set(cx, call, SHARED_AT, 1),
        "pthread_mutexattr_getpshared"
        | "pthread_condattr_getpshared"
        | "pthread_rwlockattr_getpshared"
        | "pthread_barrierattr_getpshared" => |cx, call| get(cx, call, SHARED_AT, 1),
        "pthread_condattr_setclock" => |cx, call| set(cx, call, CLOCK_AT, 1),
        "pthread_condattr_getclock" => |cx, call| get(cx, call, CLOCK_AT, 1),
        "pthread_rwlockattr_setkind_np" => |cx, call| set(cx, call, PREFER_AT, 2),
        "pthread_rwlockattr_getkind_np" => |cx, call| get(cx, call, PREFER_AT, 3),
        "pthread_attr_setdetachstate" => |cx, call| set(cx, call, 0, 1),
        "pthread_attr_getdetachstate" => |cx, call| get(cx, call, 0, 1),
        "pthread_attr_setscope" => |cx, call| set(cx, call, SCOPE_AT, 1),
        "pthread_attr_getscope" => |cx, call| get(cx, call, SCOPE_AT, 1),
        "pthread_attr_setinheritsched" => |cx, call| set(cx, call, INHERIT_AT, 1),
        "pthread_attr_getinheritsched" => |cx, call| get(cx, call, INHERIT_AT, 1),
        "pthread_attr_setschedpolicy" => |cx, call| set(cx, call, POLICY_AT, 2),
        "pthread_attr_getschedpolicy" => |cx, call| get(cx, call, POLICY_AT, 3),
        "pthread_attr_setstacksize" => |cx, call| set_size(cx, call, STACK_SIZE, PTHREAD_STACK_MIN),
        "pthread_attr_getstacksize" => |cx, call| get_size(cx, call, STACK_SIZE),
        "pthread_attr_setguardsize" => |cx, call| set_size(cx, call, GUARD_SIZE, 0),
        "pthread_attr_getguardsize" => |cx, call| get_size(cx, call, GUARD_SIZE),
        "sched_yield"
        | "pthread_yield"
        | "pthread_setname_np"
        | "pthread_setaffinity_np"
        | "pthread_attr_setaffinity_np"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_setconcurrency"
        // What it registers runs at a fork, which is reached in the ledger only.
        | "pthread_atfork"
        | "__register_atfork" => |cx, call| succeeds(cx, call),
        _ => return None,
    })
}

/// The word of an attribute object.
pub(super) fn load(cx: &mut StepCx, attr: Value) -> Result<u64, Stop> {
    let value = cx.load_at(attr, 4, None, false)?;
    cx.concrete(value, ir::Ty::Int(32))
}

fn locate(cx: &mut StepCx, call: &Call, index: usize, size: u64) -> Result<Pointer, Stop> {
    let attr = call.arg(cx, index)?;
    cx.locate_exactly(attr, size, None)
}

/// The defaults are 0.
fn init(cx: &mut StepCx, call: &Call) -> Done {
    let attr = call.arg(cx, 0)?;
    cx.store_at(attr, 4, Value::Int(0), None, false)?;
    succeeds(cx, call)
}

/// `pthread_attr_init`, with the stack of 8 MiB that is usual under Linux.
fn thread_init(cx: &mut StepCx, call: &Call) -> Done {
    let at = locate(cx, call, 0, 24)?;
    cx.touch(at, 24, AccessKind::Write, false)?;
    let word = cx.pointer().bytes();
    cx.write(at, word, Value::Int(0))?;
    cx.write(at.plus(STACK_SIZE), word, Value::Int(8 << 20))?;
    cx.write(at.plus(GUARD_SIZE), word, Value::Int(4096))?;
    succeeds(cx, call)
}

/// Sets a field of the word; EINVAL for more than `largest`.
fn set(cx: &mut StepCx, call: &Call, shift: u32, largest: u64) -> Done {
    let value = call.concrete(cx, 1)? & 0xffff_ffff;
    if value > largest {
        return returns(cx, call, Value::Int(EINVAL));
    }
    let at = locate(cx, call, 0, 4)?;
    cx.before_accesses(range_at(at, 4), true, None)?;
    let word = load(cx, Value::Ptr(at))?;
    // The field has as many bits as its largest value.
    let mask = (1 << (u64::BITS - largest.leading_zeros())) - 1;
    let word = word & !(mask << shift) | value << shift;
    cx.store_at(Value::Ptr(at), 4, Value::Int(word), None, false)?;
    succeeds(cx, call)
}

/// Stores a field of the word where the second argument points to.
fn get(cx: &mut StepCx, call: &Call, shift: u32, mask: u64) -> Done {
    let (at, out) = (locate(cx, call, 0, 4)?, locate(cx, call, 1, 4)?);
    cx.before_accesses(range_at(out, 4), true, Some(range_at(at, 4)))?;
    let word = load(cx, Value::Ptr(at))?;
    cx.store_at(Value::Ptr(out), 4, Value::Int(word >> shift & mask), None, false)?;
    succeeds(cx, call)
}

fn set_size(cx: &mut StepCx, call: &Call, offset: i64, least: u64) -> Done {
    let size = call.concrete(cx, 1)?;
    if size < least {
        return returns(cx, call, Value::Int(EINVAL));
    }
    let at = locate(cx, call, 0, 24)?;
    cx.store_at(Value::Ptr(at.plus(offset)), cx.pointer().bytes(), Value::Int(size), None, false)?;
    succeeds(cx, call)
}

fn get_size(cx: &mut StepCx, call: &Call, offset: i64) -> Done {
    let word = cx.pointer().bytes();
    let (at, out) = (locate(cx, call, 0, 24)?.plus(offset), locate(cx, call, 1, word)?);
    cx.before_accesses(range_at(out, word), true, Some(range_at(at, word)))?;
    let size = cx.load_at(Value::Ptr(at), word, None, false)?;
    cx.store_at(Value::Ptr(out), word, size, None, false)?;
    succeeds(cx, call)
}
