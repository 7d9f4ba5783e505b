//! Output functions (C11 7.21). What the program prints is kept with the state; printing an uninitialised value is a
//! fault.

use super::{Model, format, returns};
use crate::Stop;
use crate::step::{Call, Flow, StepCx};
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
    let template = call.arg(cx, format_index)?;
    let template = string(cx, template)?;
    let text = format::format(cx, call, &template, format_index + 1)?;
    if keep {
        emit(cx, &text);
    }
    returns(cx, call, Value::Int(text.len() as u64))
}

fn puts(cx: &mut StepCx, call: &Call) -> Done {
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
