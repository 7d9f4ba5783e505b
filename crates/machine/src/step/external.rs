//! Calls of functions that have neither a body nor a model.
//!
//! Such a call may return anything, write whatever its arguments lead to, end the process, wait, or order threads: the
//! ledger has it, so no verdict is `safe`. Where the configuration lets it go on, it returns a fresh value and leaves fresh
//! contents behind, which are known for what they are. If nothing is known of the function the state is marked as well,
//! and beside other threads there is the alternative that the caller goes no further, so that what the others do without
//! it is still found. What depends on the call is told by [`crate::Engine::depends_on`].

use super::{Call, Done, Flow, StepCx, exit_process, others_live};
use crate::unmodelled::{SystemCall, may_write};
use crate::{External, LedgerEntry, LossKind, LossSite, PathEnd, Stop, is_harmless};
use ::memory::{Byte, ObjId, ObjectKind, Pointer, Value};
use ir::{FuncId, Function, Ty};
use smallvec::SmallVec;
use smt::TermId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What no source would help with.
#[rustfmt::skip]
const BEYOND: [&str; 13] = [
    "fork", "vfork", "_Fork", "clone", "sigsuspend", "pause", "alarm", "pthread_cancel",
    "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__sigsuspend",
];
/// Bytes behind the arguments of one call that get fresh contents.
const REACHED: u64 = 4096;

pub(super) fn call(cx: &mut StepCx, function: FuncId, call: &Call) -> Done {
    let module = cx.module();
    let declared = &module[function];
    if only_sleeps(cx, &declared.name, call)? {
        return super::returns(cx, call, Value::Int(0));
    }
    let beyond = BEYOND.contains(&declared.name.as_str());
    let system_call = if declared.name == "syscall" { system_call(cx, call)? } else { None };
    let harmless = is_harmless(&declared.name) || system_call.is_some();
    let abandoned = abandoned(cx, declared, (beyond, harmless));
    let goes_on = match cx.engine.config.external {
        External::Stop => false,
        External::Harmless => harmless,
        External::Havoc => true,
    };
    if beyond || !goes_on {
        return Err(Stop::End(PathEnd::Abandoned(abandoned)));
    }
    if declared.no_return {
        let end = exit_process(cx, None)?;
        cx.engine.ledger.note(*abandoned);
        // With what code the process ends is not known.
        return Err(match end {
            Stop::End(PathEnd::Exited { .. }) => Stop::End(PathEnd::Exited { code: None }),
            other => other,
        });
    }
    let silent = system_call.map_or_else(|| !may_write(&declared.name), |call| call.silent);
    let objects = if harmless && silent { Some(BTreeSet::new()) } else { reached(cx, call)? };
    let Some(objects) = objects else { return Err(Stop::End(PathEnd::Abandoned(abandoned))) };
    if !harmless {
        if others_live(cx) && cx.pick(2)? == 0 {
            return Err(Stop::End(PathEnd::Abandoned(abandoned)));
        }
        if cx.state.havocked.is_none() {
            cx.state.havocked = Some(declared.name.as_str().into());
        }
    }
    cx.engine.ledger.note(*abandoned);
    let foreign = Foreign::of(cx, &declared.name);
    for (index, object) in objects.into_iter().enumerate() {
        clobber(cx, object, index, &foreign)?;
    }
    for (index, &dest) in call.dests.iter().enumerate() {
        let width = u32::from(cx.bits(module[cx.thread.frame().function].register(dest).ty));
        let name = if index == 0 { foreign.name.clone() } else { format!("{}.{index}", foreign.name) };
        let symbol = foreign.symbol(cx, &name, width);
        if cx.result_is_used() {
            cx.add_input(name, u64::from(width).div_ceil(8), vec![symbol]);
        }
        cx.bind(dest, Value::Term(symbol));
    }
    Ok(Flow::Next)
}

/// Whether a call waits for no descriptor, but only until its time is over: that is no part of any schedule.
fn only_sleeps(cx: &mut StepCx, function: &str, call: &Call) -> Result<bool, Stop> {
    let count = match function {
        "poll" | "ppoll" | "__poll_chk" | "__ppoll_chk" => 1,
        "select" | "pselect" => 0,
        _ => return Ok(false),
    };
    Ok(call.args.len() > count && call.arg(cx, count)? == Value::Int(0))
}

/// The system call that a call of `syscall` makes, if it is known to only ask or tell.
fn system_call(cx: &mut StepCx, call: &Call) -> Result<Option<SystemCall>, Stop> {
    if call.args.is_empty() {
        return Ok(None);
    }
    let Value::Int(number) = call.arg(cx, 0)? else { return Ok(None) };
    Ok(SystemCall::of(number, cx.pointer()))
}

/// A call, for the symbols that stand for what it does.
struct Foreign {
    function: Rc<str>,
    /// Of what it returns. Threads count their own calls, so that names do not depend on the schedule.
    name: String,
}

impl Foreign {
    fn of(cx: &mut StepCx, function: &str) -> Self {
        cx.thread.unmodelled += 1;
        let who = if cx.thread.id.index() == 0 { String::new() } else { format!("{}:", cx.thread.name) };
        let number = match cx.thread.unmodelled {
            1 => String::new(),
            number => format!("#{number}"),
        };
        Foreign { function: function.into(), name: format!("{who}{function}(){number}") }
    }

    fn symbol(&self, cx: &mut StepCx, name: &str, width: u32) -> TermId {
        let symbol = cx.engine.terms.var(name, width);
        let variables: SmallVec<[u32; 1]> = cx.engine.terms.vars(symbol).into();
        for variable in variables {
            cx.engine.foreign.insert(variable, Rc::clone(&self.function));
        }
        symbol
    }
}

fn abandoned(cx: &StepCx, declared: &Function, (beyond, harmless): (bool, bool)) -> Box<LedgerEntry> {
    let name = &declared.name;
    let remedy = match (beyond, harmless) {
        (true, _) => format!("what `{name}` does cannot be explored"),
        (false, true) => {
            format!("`{name}` has no model: what it says may be anything, and what depends on that does not count")
        }
        (false, false) => format!("`{name}` has no body and no model; give its source as well"),
    };
    let site = LossSite::Call { callee: name.clone(), at: cx.backtrace().place(cx.module()) };
    Box::new(LedgerEntry { kind: LossKind::ExternalCall, site, remedy: remedy.into() })
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

/// Any contents. Pointers in there become addresses that nothing is known of. `index`: which object of the call it is.
fn clobber(cx: &mut StepCx, object: ObjId, index: usize, foreign: &Foreign) -> Result<(), Stop> {
    let size = cx.state.memory.object(object).size;
    for offset in 0..size as i64 {
        let byte = foreign.symbol(cx, &format!("{}*{index}+{offset}", foreign.name), 8);
        cx.write(Pointer::new(object, offset), 1, Value::Term(byte))?;
    }
    Ok(())
}
