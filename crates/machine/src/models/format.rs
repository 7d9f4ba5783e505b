//! The directives of `printf` (C11 7.21.6.1).

use super::output::string;
use crate::step::{Call, StepCx, truncate};
use crate::{LossKind, Stop, float};
use ir::Ty;
use memory::Value;

/// A conversion specification.
#[derive(Default)]
struct Directive {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of the argument.
    bits: u16,
    conversion: u8,
}

/// Formats a call's arguments from `first` on.
pub(super) fn format(cx: &mut StepCx, call: &Call, template: &[u8], first: usize) -> Result<Vec<u8>, Stop> {
    let mut out = Vec::new();
    let mut next = first;
    let mut rest = template;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        if let Some((b'%', tail)) = rest.split_first() {
            out.push(b'%');
            rest = tail;
            continue;
        }
        let directive = parse(cx, call, &mut rest, &mut next)?;
        let text = convert(cx, call, &directive, &mut next)?;
        let padding = directive.width.saturating_sub(text.len());
        if directive.left {
            out.extend_from_slice(&text);
            out.extend(std::iter::repeat_n(b' ', padding));
        } else {
            out.extend(std::iter::repeat_n(b' ', padding));
            out.extend_from_slice(&text);
        }
    }
    Ok(out)
}

fn take(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, tail) = rest.split_first()?;
    *rest = tail;
    Some(byte)
}

fn number(rest: &mut &[u8]) -> usize {
    let mut value = 0usize;
    while let Some(digit @ b'0'..=b'9') = rest.first() {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(1 << 16);
        *rest = &rest[1..];
    }
    value
}

fn parse(cx: &mut StepCx, call: &Call, rest: &mut &[u8], next: &mut usize) -> Result<Directive, Stop> {
    let mut directive = Directive { bits: 32, ..Directive::default() };
    while let Some(flag) = rest.first() {
        match flag {
            b'-' => directive.left = true,
            b'0' => directive.zero = true,
            b'+' => directive.plus = true,
            b' ' => directive.space = true,
            b'#' => directive.alternate = true,
            _ => break,
        }
        *rest = &rest[1..];
    }
    if rest.first() == Some(&b'*') {
        take(rest);
        let width = call.concrete(cx, *next)? as i32;
        *next += 1;
        directive.left |= width < 0;
        directive.width = (width.unsigned_abs() as usize).min(1 << 16);
    } else {
        directive.width = number(rest);
    }
    if rest.first() == Some(&b'.') {
        take(rest);
        directive.precision = if rest.first() == Some(&b'*') {
            take(rest);
            let precision = call.concrete(cx, *next)? as i32;
            *next += 1;
            usize::try_from(precision).ok()
        } else {
            Some(number(rest))
        };
    }
    loop {
        match rest.first() {
            Some(b'h') => directive.bits /= 2,
            Some(b'l' | b'j' | b'z' | b't' | b'L') => directive.bits = 64,
            _ => break,
        }
        take(rest);
    }
    directive.conversion = take(rest).unwrap_or(b'%');
    Ok(directive)
}

fn convert(cx: &mut StepCx, call: &Call, directive: &Directive, next: &mut usize) -> Result<Vec<u8>, Stop> {
    let index = *next;
    *next += 1;
    match directive.conversion {
        b'd' | b'i' => {
            let Some(word) = integer(cx, call, index)? else { return Ok(b"?".to_vec()) };
            let shift = 64 - u32::from(directive.bits.max(8));
            let value = ((word << shift) as i64) >> shift;
            let sign: &[u8] = match (value < 0, directive.plus, directive.space) {
                (true, ..) => b"-",
                (_, true, _) => b"+",
                (_, _, true) => b" ",
                _ => b"",
            };
            Ok(padded(directive, sign, value.unsigned_abs().to_string()))
        }
        b'u' | b'x' | b'X' | b'o' => {
            let Some(word) = integer(cx, call, index)? else { return Ok(b"?".to_vec()) };
            let value = truncate(word, directive.bits.max(8));
            let (prefix, digits): (&[u8], String) = match directive.conversion {
                b'x' => (b"0x", format!("{value:x}")),
                b'X' => (b"0X", format!("{value:X}")),
                b'o' => (b"0", format!("{value:o}")),
                _ => (b"", value.to_string()),
            };
            let prefix = if directive.alternate && value != 0 { prefix } else { b"" };
            Ok(padded(directive, prefix, digits))
        }
        b'c' => {
            let byte = integer(cx, call, index)?.map_or(b'?', |word| word as u8);
            Ok(vec![byte])
        }
        b's' => {
            let address = call.arg(cx, index)?;
            let mut text = string(cx, address)?;
            text.truncate(directive.precision.unwrap_or(usize::MAX));
            Ok(text)
        }
        b'p' => {
            let word = integer(cx, call, index)?.unwrap_or_default();
            Ok(if word == 0 { b"(nil)".to_vec() } else { format!("{word:#x}").into_bytes() })
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => floating(cx, call, index, directive),
        other => Err(cx.abandon(
            LossKind::Unsupported,
            &format!("the printf conversion `%{}` is not supported yet", char::from(other)),
        )),
    }
}

/// A `double` or, by its argument's type, a `long double`; a symbolic one shows as `?`.
fn floating(cx: &mut StepCx, call: &Call, index: usize, directive: &Directive) -> Result<Vec<u8>, Stop> {
    let ty = call.ty(index);
    if !ty.is_float() {
        return Err(cx.abandon(LossKind::Unsupported, "an argument that is no number where printf expects a double"));
    }
    let value = call.arg(cx, index)?;
    let term = cx.term_of(value, u32::from(ty.bits()))?;
    let Some(bits) = cx.engine.terms.as_const(term) else {
        cx.check_defined(term, "an uninitialised value is printed")?;
        return Ok(b"?".to_vec());
    };
    let Directive { conversion, precision, alternate, .. } = *directive;
    let written = float::format(ty, bits, &float::Shape { conversion, precision, alternate });
    let sign = match (written.negative, directive.plus, directive.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    };
    // Zeros go between the sign, or `0x`, and the digits.
    let (prefix, digits) =
        written.text.split_at(if conversion.eq_ignore_ascii_case(&b'a') && written.finite { 2 } else { 0 });
    let zeros = if directive.zero && !directive.left && written.finite {
        directive.width.saturating_sub(sign.len() + written.text.len())
    } else {
        0
    };
    Ok(format!("{sign}{prefix}{}{digits}", "0".repeat(zeros)).into_bytes())
}

fn padded(directive: &Directive, prefix: &[u8], digits: String) -> Vec<u8> {
    let mut body = digits;
    match directive.precision {
        Some(precision) => {
            if precision == 0 && body == "0" {
                body.clear();
            }
            body = format!("{}{body}", "0".repeat(precision.saturating_sub(body.len())));
        }
        None if directive.zero && !directive.left => {
            let zeros = directive.width.saturating_sub(prefix.len() + body.len());
            body = format!("{}{body}", "0".repeat(zeros));
        }
        None => {}
    }
    [prefix, body.as_bytes()].concat()
}

/// The concrete value of an integer argument, `None` for a symbolic one. An uninitialised one faults.
fn integer(cx: &mut StepCx, call: &Call, index: usize) -> Result<Option<u64>, Stop> {
    let ty: Ty = call.ty(index);
    let value = call.arg(cx, index)?;
    match cx.state.memory.settle(value) {
        Value::Int(word) => Ok(Some(word)),
        // What is printed decides nothing: any address will do.
        Value::Ptr(pointer) => Ok(Some(cx.state.memory.address(pointer))),
        other => {
            let term = cx.term_of(other, u32::from(ty.bits()))?;
            cx.check_defined(term, "an uninitialised value is printed")?;
            Ok(None)
        }
    }
}
