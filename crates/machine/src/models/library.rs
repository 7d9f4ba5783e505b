//! What raddle's own C library (the front end's `libc` folder) asks of the machine. Programs do not know these names.

use super::strings::{concrete_string, rest_from};
use super::{Model, format, output, returns, succeeds};
use crate::step::{Call, Flow, StepCx, range_at};
use crate::{LossKind, Stop};
use concurrency::{Action, Range};
use memory::Value;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__raddle_array" => array,
        "__raddle_enter" => enter,
        "__raddle_guard" => guard,
        "__raddle_is_guarded" => is_guarded,
        "__raddle_note" => note,
        "__raddle_unsupported" => unsupported,
        "__raddle_write" => write,
        "__raddle_print" => print,
        _ => return None,
    })
}

/// `size_t __raddle_array(void)`: elements of arrays of unknown length.
fn array(cx: &mut StepCx, call: &Call) -> Done {
    let bound = cx.state.memory.shape().limits.array;
    returns(cx, call, Value::Int(bound))
}

/// `void __raddle_enter(const void *state)`: a thread-safe function is about to use state that threads share. The order
/// of such calls is a matter of the schedule; that they exclude each other orders nothing else.
fn enter(cx: &mut StepCx, call: &Call) -> Done {
    if cx.state.concurrent {
        let at = call.arg(cx, 0)?;
        let at = cx.locate_exactly(at, 1, None)?;
        cx.visible(Action::Access { range: range_at(at, 1), write: true, also: None, expects: None })?;
        cx.state.hearsay = true;
    }
    succeeds(cx, call)
}

/// `void __raddle_guard(void *block)`
fn guard(cx: &mut StepCx, call: &Call) -> Done {
    if let Value::Ptr(at) = call.arg(cx, 0)? {
        cx.state.memory.object_mut(at.object).guarded = true;
    }
    succeeds(cx, call)
}

/// `int __raddle_is_guarded(const void *at)`: whether a pointer leads to guarded state. One of the initial heap does not: no
/// client has a pointer to what the library makes while the operations run. It leads to an object all the same, as for an
/// access.
fn is_guarded(cx: &mut StepCx, call: &Call) -> Done {
    let at = call.arg(cx, 0)?;
    let at = cx.locate_exactly(at, 1, None)?;
    let guarded = cx.state.memory.object(at.object).guarded;
    returns(cx, call, Value::Int(u64::from(guarded)))
}

fn text(cx: &mut StepCx, call: &Call) -> Result<String, Stop> {
    let text = call.arg(cx, 0)?;
    Ok(String::from_utf8_lossy(&concrete_string(cx, text).unwrap_or_default()).into_owned())
}

/// `void __raddle_note(const char *what)`
fn note(cx: &mut StepCx, call: &Call) -> Done {
    let text = text(cx, call)?;
    cx.note(LossKind::Concretized, text);
    succeeds(cx, call)
}

/// `_Noreturn void __raddle_unsupported(const char *what)`
fn unsupported(cx: &mut StepCx, call: &Call) -> Done {
    let text = text(cx, call)?;
    Err(cx.abandon(LossKind::Unsupported, format!("{text}, is not supported yet")))
}

/// `void __raddle_write(int console, const void *from, size_t n)`
fn write(cx: &mut StepCx, call: &Call) -> Done {
    let (console, length) = (call.concrete(cx, 0)?, call.concrete(cx, 2)?);
    let from = call.arg(cx, 1)?;
    if length > 0 {
        let at = cx.locate_exactly(from, 1, None)?;
        cx.before_accesses(range_at(at, length), false, None)?;
        let mut text = Vec::new();
        for index in 0..length as i64 {
            let byte = cx.load_at(Value::Ptr(at.plus(index)), 1, None, false)?;
            text.push(output::shown_byte(cx, byte, 8)?);
        }
        if console == 1 {
            output::emit(cx, &text);
        }
    }
    succeeds(cx, call)
}

/// `int __raddle_print(int console, const char *format, va_list *arguments)`
fn print(cx: &mut StepCx, call: &Call) -> Done {
    let console = call.concrete(cx, 0)?;
    let template = call.arg(cx, 1)?;
    let list = call.arg(cx, 2)?;
    let area = crate::step::next_extra(cx, list)?;
    let area = cx.locate_exactly(area, 0, None)?;
    let arguments = format::Arguments::List(area);
    if cx.is_visible() {
        let strings = format::strings(cx, &arguments, template)?;
        let ranges: Vec<Range> = strings.into_iter().map(|at| rest_from(cx, at)).collect();
        output::before_ranges(cx, &ranges, true)?;
    }
    let template = output::string(cx, template)?;
    let text = format::format(cx, &arguments, &template)?;
    if console == 1 {
        output::emit(cx, &text);
    }
    returns(cx, call, Value::Int(text.len() as u64))
}
