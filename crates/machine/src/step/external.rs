//! Calls of functions that have neither a body nor a model.
//!
//! Such a call may return anything, write whatever its arguments lead to, end the process, wait, or order threads: the
//! ledger has it, so no verdict is `safe`. Where the configuration lets it go on ([`External::Havoc`]), it returns a fresh
//! value and leaves fresh contents behind, and the state is marked: what fails from there on is noted, never reported.
//! Beside other threads there is the alternative that the caller goes no further, so that what the others do without it
//! is still found.

use super::{Call, Done, Flow, StepCx, exit_process};
use crate::{Abandoned, External, LossKind, PathEnd, Status, Stop};
use ::memory::{Byte, ObjId, ObjectKind, Pointer, Value};
use ir::{FuncId, Function, Ty};
use std::collections::BTreeSet;

/// What no source would help with.
#[rustfmt::skip]
const BEYOND: [&str; 20] = [
    "fork", "vfork", "_Fork", "clone",
    "signal", "sigaction", "sigprocmask", "pthread_sigmask", "sigwait", "sigsuspend", "raise", "kill", "pthread_kill", "alarm",
    "pthread_cancel",
    "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__sigsuspend",
];
/// Bytes behind the arguments of one call that get fresh contents.
const REACHED: u64 = 4096;

pub(super) fn call(cx: &mut StepCx, function: FuncId, call: &Call) -> Done {
    let module = cx.module();
    let declared = &module[function];
    let beyond = BEYOND.contains(&declared.name.as_str());
    let abandoned = abandoned(cx, declared, beyond);
    if beyond || cx.engine.config.external == External::Stop {
        return Err(Stop::End(PathEnd::Abandoned(abandoned)));
    }
    if declared.no_return {
        let end = exit_process(cx, None)?;
        cx.engine.note_abandoned(&abandoned);
        // With what code the process ends is not known.
        return Err(match end {
            Stop::End(PathEnd::Exited { .. }) => Stop::End(PathEnd::Exited { code: None }),
            other => other,
        });
    }
    let Some(objects) = reached(cx, call)? else { return Err(Stop::End(PathEnd::Abandoned(abandoned))) };
    let me = cx.thread.id;
    let others = cx.state.threads.iter().any(|t| t.id != me && t.status != Status::Ended);
    if others && cx.pick(2)? == 0 {
        return Err(Stop::End(PathEnd::Abandoned(abandoned)));
    }
    cx.engine.note_abandoned(&abandoned);
    if cx.state.havocked.is_none() {
        cx.state.havocked = Some(declared.name.as_str().into());
    }
    for object in objects {
        clobber(cx, object, &declared.name)?;
    }
    for &dest in call.dests {
        let width = u32::from(cx.bits(module[cx.thread.frame().function].register(dest).ty));
        let symbol = fresh(cx, &declared.name, width);
        cx.bind(dest, symbol);
    }
    Ok(Flow::Next)
}

fn abandoned(cx: &StepCx, declared: &Function, beyond: bool) -> Abandoned {
    let name = &declared.name;
    let remedy = match beyond {
        true => format!("what `{name}` does cannot be explored"),
        false => format!("`{name}` has no body and no model; give its source as well"),
    };
    let place = format!("{name} at {}", cx.backtrace().place(cx.module()));
    Abandoned { kind: LossKind::ExternalCall, place, remedy }
}

fn fresh(cx: &mut StepCx, function: &str, width: u32) -> Value {
    let number = cx.thread.choices;
    cx.thread.choices += 1;
    let name = format!("havoc:{}:{function}#{number}", cx.thread.name);
    Value::Term(cx.engine.terms.var(&name, width))
}

/// The objects that the arguments lead to, over any number of pointers, in the order of their numbers. None where they are
/// too large, or where a pointer is still open.
fn reached(cx: &mut StepCx, call: &Call) -> Result<Option<BTreeSet<ObjId>>, Stop> {
    let mut open = Vec::new();
    for index in 0..call.args.len() {
        if call.ty(index) == Ty::Ptr {
            open.push(call.arg(cx, index)?);
        }
    }
    let (mut found, mut bytes) = (BTreeSet::new(), 0);
    while let Some(value) = open.pop() {
        let object = match cx.state.memory.settle(value) {
            Value::Ptr(at) => at.object,
            Value::Symbolic { object, .. } => object,
            Value::Lazy { .. } => return Ok(None),
            Value::Int(_) | Value::Term(_) => continue,
        };
        let known = cx.state.memory.object(object);
        if known.constant || !known.is_live() || matches!(known.kind, ObjectKind::Function(_)) || !found.insert(object)
        {
            continue;
        }
        bytes += known.size;
        if bytes > REACHED {
            return Ok(None);
        }
        for offset in 0..known.size as usize {
            match known.contents.byte(offset) {
                Byte::OfCell { value, index: 0, .. } => open.push(value),
                Byte::Initial => return Ok(None),
                Byte::OfCell { .. } | Byte::Concrete(_) | Byte::Undefined => {}
            }
        }
    }
    Ok(Some(found))
}

/// Any contents. Pointers in there become addresses that nothing is known of.
fn clobber(cx: &mut StepCx, object: ObjId, function: &str) -> Result<(), Stop> {
    let size = cx.state.memory.object(object).size;
    for offset in 0..size as i64 {
        let byte = fresh(cx, function, 8);
        cx.write(Pointer { object, offset }, 1, byte)?;
    }
    Ok(())
}
