//! Output functions (C11 7.21). What the program prints is kept with the state; printing an uninitialised value is a
//! fault.

use super::strings::{kept_to_string, rest_from};
use super::{Model, format, returns};
use crate::step::{Call, Flow, StepCx};
use crate::{LossKind, Stop};
use concurrency::Range;
use ir::Ty;
use memory::Value;
use std::rc::Rc;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "printf" => printf,
        "puts" => puts,
        "putchar" => putchar,
        _ => return None,
    })
}

/// Appends to what the program printed.
pub(super) fn emit(cx: &mut StepCx, bytes: &[u8]) {
    Rc::make_mut(&mut cx.state.output).extend_from_slice(bytes);
}

fn printf(cx: &mut StepCx, call: &Call) -> Done {
    before_strings(cx, call)?;
    let template = call.arg(cx, 0)?;
    let template = string(cx, template)?;
    let text = format::format(cx, &format::Arguments::Call(call), &template)?;
    emit(cx, &text);
    returns(cx, call, Value::Int(text.len() as u64))
}

fn puts(cx: &mut StepCx, call: &Call) -> Done {
    before_strings(cx, call)?;
    let text = call.arg(cx, 0)?;
    let mut text = string(cx, text)?;
    text.push(b'\n');
    emit(cx, &text);
    returns(cx, call, Value::Int(1))
}

fn putchar(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    let byte = shown_byte(cx, value, 32)?;
    emit(cx, &[byte]);
    returns(cx, call, value)
}

pub(super) fn shown_byte(cx: &mut StepCx, value: Value, bits: u16) -> Result<u8, Stop> {
    match cx.integer(value, Ty::Int(bits))? {
        Value::Int(word) => Ok(word as u8),
        other => {
            let term = cx.term_of(other, u32::from(bits))?;
            cx.check_defined(term, "an uninitialised value is printed")?;
            Ok(b'?')
        }
    }
}

/// What comes before the strings among the arguments are read, all in one step: stops if it is visible.
fn before_strings(cx: &mut StepCx, call: &Call) -> Result<(), Stop> {
    if !cx.is_visible() {
        return Ok(());
    }
    let mut ranges = Vec::new();
    let mut known = true;
    for index in 0..call.args.len() {
        match call.arg(cx, index)? {
            Value::Ptr(at) if !cx.state.memory.object(at.object).constant => ranges.push(rest_from(cx, at)),
            Value::Lazy { .. } | Value::Symbolic { .. } => known = false,
            Value::Ptr(_) | Value::Int(_) | Value::Term(_) => {}
        }
    }
    before_ranges(cx, &ranges, known)
}

/// Stops if reading all of these in one step is visible. `known`: there are no others.
pub(super) fn before_ranges(cx: &mut StepCx, ranges: &[Range], known: bool) -> Result<(), Stop> {
    match ranges {
        [] if known => Ok(()),
        [one] if known => cx.before_accesses(*one, false, None),
        [one, other] if known => cx.before_accesses(*one, false, Some(*other)),
        _ => Err(cx.abandon(LossKind::Unsupported, "a call that prints several strings that other threads change")),
    }
}

/// A string of the program's, with all checks; symbolic bytes show as `?`, and one that may be the end is a choice.
pub(super) fn string(cx: &mut StepCx, address: Value) -> Result<Vec<u8>, Stop> {
    string_within(cx, address, None)
}

/// As [`string`], of at most `limit` bytes: no terminator is looked for behind them (C11 7.21.6.1p8).
pub(super) fn string_within(cx: &mut StepCx, address: Value, limit: Option<usize>) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    if limit == Some(0) {
        return Ok(text);
    }
    let at = cx.locate_exactly(address, 1, None)?;
    let at = kept_to_string(cx, at);
    loop {
        let value = cx.load_at(Value::Ptr(at.plus(text.len() as i64)), 1, None, false)?;
        if cx.is_zero(value, Ty::Int(8))? {
            return Ok(text);
        }
        text.push(match value {
            Value::Int(byte) => byte as u8,
            _ => b'?',
        });
        if limit == Some(text.len()) {
            return Ok(text);
        }
    }
}
