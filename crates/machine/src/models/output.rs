//! Output functions (C11 7.21). What the program prints is kept with the state; printing an uninitialised value is a
//! fault.

use super::strings::rest_from;
use super::{Model, format, returns};
use crate::step::{Call, Flow, StepCx};
use crate::{LossKind, Stop};
use ir::Ty;
use memory::Value;
use std::rc::Rc;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "printf" => |cx, call| print(cx, call, 0, true),
        // Standard error, or a file: not part of what executions are compared by.
        "fprintf" => |cx, call| print(cx, call, 1, false),
        "puts" => puts,
        "putchar" => putchar,
        "fputs" | "fputc" | "putc" | "fflush" | "perror" => |cx, call| returns(cx, call, Value::Int(0)),
        _ => return None,
    })
}

/// Appends to what the program printed.
fn emit(cx: &mut StepCx, bytes: &[u8]) {
    Rc::make_mut(&mut cx.state.output).extend_from_slice(bytes);
}

fn print(cx: &mut StepCx, call: &Call, format_index: usize, keep: bool) -> Done {
    before_strings(cx, call, format_index)?;
    let template = call.arg(cx, format_index)?;
    let template = string(cx, template)?;
    let text = format::format(cx, call, &template, format_index + 1)?;
    if keep {
        emit(cx, &text);
    }
    returns(cx, call, Value::Int(text.len() as u64))
}

fn puts(cx: &mut StepCx, call: &Call) -> Done {
    before_strings(cx, call, 0)?;
    let text = call.arg(cx, 0)?;
    let mut text = string(cx, text)?;
    text.push(b'\n');
    emit(cx, &text);
    returns(cx, call, Value::Int(1))
}

fn putchar(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    let byte = shown_byte(cx, value)?;
    emit(cx, &[byte]);
    returns(cx, call, value)
}

fn shown_byte(cx: &mut StepCx, value: Value) -> Result<u8, Stop> {
    match cx.integer(value, Ty::Int(32))? {
        Value::Int(word) => Ok(word as u8),
        other => {
            let term = cx.term_of(other, 32)?;
            cx.check_defined(term, "an uninitialised value is printed")?;
            Ok(b'?')
        }
    }
}

/// What comes before the strings among the arguments from `first` on are read, all in one step: stops if it is visible.
fn before_strings(cx: &mut StepCx, call: &Call, first: usize) -> Result<(), Stop> {
    if !cx.is_visible() {
        return Ok(());
    }
    let mut ranges = Vec::new();
    let mut known = true;
    for index in first..call.args.len() {
        match call.arg(cx, index)? {
            Value::Ptr(at) if !cx.state.memory.object(at.object).constant => ranges.push(rest_from(cx, at)),
            Value::Lazy { .. } | Value::Symbolic { .. } => known = false,
            Value::Ptr(_) | Value::Int(_) | Value::Term(_) => {}
        }
    }
    match ranges.as_slice() {
        [] if known => Ok(()),
        [one] if known => cx.before_accesses(*one, false, None),
        [one, other] if known => cx.before_accesses(*one, false, Some(*other)),
        _ => Err(cx.abandon(LossKind::Unsupported, "a call that prints several strings that other threads change")),
    }
}

/// A string of the program's, with all checks; symbolic bytes show as `?`, and one that may be the end is a choice.
pub(super) fn string(cx: &mut StepCx, address: Value) -> Result<Vec<u8>, Stop> {
    let at = cx.locate_exactly(address, 1, None)?;
    let mut text = Vec::new();
    loop {
        let value = cx.load_at(Value::Ptr(at.plus(text.len() as i64)), 1, None, false)?;
        if cx.is_zero(value, Ty::Int(8))? {
            return Ok(text);
        }
        text.push(match value {
            Value::Int(byte) => byte as u8,
            _ => b'?',
        });
    }
}
