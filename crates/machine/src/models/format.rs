//! The directives of `printf` (C11 7.21.6.1).

use super::output::{shown_byte, string_within};
use crate::step::{Call, StepCx, truncate};
use crate::{Choice, FaultKind, LossKind, Stop, float};
use ir::{PointerSize, Ty};
use memory::{Pointer, Value};

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
    long_double: bool,
    conversion: u8,
}

/// Where the arguments behind the template are.
pub(super) enum Arguments<'a> {
    /// In a call whose first argument is the template.
    Call(&'a Call<'a>),
    /// In memory, as the System V ABI puts them on the stack.
    List(Pointer),
}

impl Arguments<'_> {
    /// The index behind an argument of `bits`: arguments of a list are counted in words of the stack, of which a wide one
    /// takes several where they are short.
    fn behind(&self, cx: &StepCx, index: usize, bits: u16) -> usize {
        match self {
            Arguments::Call(_) => index + 1,
            Arguments::List(_) => index + usize::from(bits.div_ceil(cx.pointer().bits())),
        }
    }

    /// The `index`-th argument, which has `bits`.
    fn get(&self, cx: &mut StepCx, index: usize, bits: u16) -> Result<(Value, Ty), Stop> {
        match self {
            Arguments::Call(call) => Ok((call.arg(cx, index + 1)?, call.ty(index + 1))),
            Arguments::List(area) => {
                let size = u64::from(bits.max(32) / 8);
                let at = area.plus(cx.pointer().bytes() as i64 * index as i64);
                if !cx.state.memory.object(at.object).contains(at.offset, size) {
                    return Err(
                        cx.fault(FaultKind::UnreachableReached, "a library function is called with too few arguments")
                    );
                }
                Ok((cx.read(at, size)?, Ty::Int(bits.max(32))))
            }
        }
    }

    /// The `next`-th argument, a floating-point number. On x86-64 a `long double` takes 16 bytes of a list, aligned to as many
    /// (System V ABI 3.5.7), on i386 three words.
    fn floating(&self, cx: &mut StepCx, next: &mut usize, long: bool) -> Result<(Value, Ty), Stop> {
        let Arguments::List(area) = self else {
            *next += 1;
            let (value, ty) = self.get(cx, *next - 1, 64)?;
            return Ok((value, ty));
        };
        let pointer = cx.pointer();
        let ty = if long { Ty::F80 } else { Ty::F64 };
        let misaligned = pointer == PointerSize::Eight && (area.offset / 8 + *next as i64) % 2 != 0;
        let first = *next + usize::from(long && misaligned);
        *next = self.behind(cx, first, cx.bits(ty));
        let at = area.plus(pointer.bytes() as i64 * first as i64);
        if !cx.state.memory.object(at.object).contains(at.offset, cx.size(ty)) {
            return Err(cx.fault(FaultKind::UnreachableReached, "a library function is called with too few arguments"));
        }
        Ok((cx.read(at, cx.size(ty))?, ty))
    }

    fn concrete(&self, cx: &mut StepCx, index: usize) -> Result<u64, Stop> {
        let (value, ty) = self.get(cx, index, 32)?;
        cx.concrete(value, ty)
    }
}

/// The strings that are about to be read and that others might change.
pub(super) fn strings(cx: &mut StepCx, arguments: &Arguments, template: Value) -> Result<Vec<Pointer>, Stop> {
    let mut found = Vec::new();
    let changes = |cx: &StepCx, value: Value| match value {
        Value::Ptr(at) if !cx.state.memory.object(at.object).constant => Some(at),
        _ => None,
    };
    found.extend(changes(cx, template));
    if let Arguments::List(area) = arguments {
        let word = cx.pointer().bytes();
        let count = cx.state.memory.object(area.object).size.saturating_sub(area.offset.max(0) as u64) / word;
        for index in 0..count as i64 {
            let value = cx.read(area.plus(word as i64 * index), word)?;
            found.extend(changes(cx, value));
        }
    }
    Ok(found)
}

/// Formats arguments.
pub(super) fn format(cx: &mut StepCx, arguments: &Arguments, template: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut out = Vec::new();
    let mut next = 0;
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
        let directive = parse(cx, arguments, &mut rest, &mut next)?;
        let text = convert(cx, arguments, &directive, &mut next)?;
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

/// Wider than a field that anybody prints; what is asked for beyond is not built.
const WIDEST: usize = 1 << 20;

fn number(rest: &mut &[u8]) -> usize {
    let mut value = 0usize;
    while let Some(digit @ b'0'..=b'9') = rest.first() {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *rest = &rest[1..];
    }
    value
}

fn parse(cx: &mut StepCx, arguments: &Arguments, rest: &mut &[u8], next: &mut usize) -> Result<Directive, Stop> {
    let mut directive = Directive { bits: 32, ..Directive::default() };
    while let Some(flag) = rest.first() {
        match flag {
            b'-' => directive.left = true,
            b'0' => directive.zero = true,
            b'+' => directive.plus = true,
            b' ' => directive.space = true,
            b'#' => directive.alternate = true,
            // Groups of digits, of which the "C" locale has none.
            b'\'' => {}
            _ => break,
        }
        *rest = &rest[1..];
    }
    if rest.first() == Some(&b'*') {
        take(rest);
        let width = arguments.concrete(cx, *next)? as i32;
        *next += 1;
        directive.left |= width < 0;
        directive.width = width.unsigned_abs() as usize;
    } else {
        directive.width = number(rest);
    }
    if rest.first() == Some(&b'.') {
        take(rest);
        directive.precision = if rest.first() == Some(&b'*') {
            take(rest);
            let precision = arguments.concrete(cx, *next)? as i32;
            *next += 1;
            usize::try_from(precision).ok()
        } else {
            Some(number(rest))
        };
    }
    loop {
        match rest.first() {
            Some(b'h') => directive.bits /= 2,
            Some(b'z' | b't') => directive.bits = cx.pointer().bits(),
            Some(b'l') if rest.get(1) != Some(&b'l') => directive.bits = directive.bits.max(cx.pointer().bits()),
            Some(b'l' | b'j' | b'q') => directive.bits = 64,
            Some(b'L') => directive.long_double = true,
            _ => break,
        }
        take(rest);
    }
    directive.conversion = take(rest).unwrap_or(b'%');
    if directive.width.max(directive.precision.unwrap_or(0)) > WIDEST {
        return Err(cx.abandon(LossKind::Unsupported, "a printed field of more than a mebibyte"));
    }
    Ok(directive)
}

fn convert(cx: &mut StepCx, arguments: &Arguments, directive: &Directive, next: &mut usize) -> Result<Vec<u8>, Stop> {
    let index = *next;
    let integer_bits = if matches!(directive.conversion, b'c' | b's' | b'p') { 32 } else { directive.bits };
    *next = arguments.behind(cx, index, integer_bits);
    match directive.conversion {
        b'd' | b'i' => {
            let Some(word) = integer(cx, arguments, index, directive.bits)? else { return Ok(b"?".to_vec()) };
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
            let Some(word) = integer(cx, arguments, index, directive.bits)? else { return Ok(b"?".to_vec()) };
            let value = truncate(word, directive.bits.max(8));
            let (prefix, digits): (&[u8], String) = match directive.conversion {
                b'x' => (b"0x", format!("{value:x}")),
                b'X' => (b"0X", format!("{value:X}")),
                b'o' => (b"", octal(directive, value)),
                _ => (b"", value.to_string()),
            };
            let prefix = if directive.alternate && value != 0 { prefix } else { b"" };
            Ok(padded(directive, prefix, digits))
        }
        b'c' => {
            let (value, _) = arguments.get(cx, index, 32)?;
            let byte = shown_byte(cx, value, 32)?;
            Ok(vec![byte])
        }
        b's' => {
            let (address, _) = arguments.get(cx, index, cx.pointer().bits())?;
            string_within(cx, address, directive.precision)
        }
        b'p' => {
            let word = integer(cx, arguments, index, cx.pointer().bits())?.unwrap_or_default();
            Ok(if word == 0 { b"(nil)".to_vec() } else { format!("{word:#x}").into_bytes() })
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            *next = index;
            floating(cx, arguments, next, directive)
        }
        other => Err(cx.abandon(
            LossKind::Unsupported,
            format!("the printf conversion `%{}` is not supported yet", char::from(other)),
        )),
    }
}

/// With `#` the precision grows as far as it takes for the first digit to be 0 (C11 7.21.6.1p6).
fn octal(directive: &Directive, value: u64) -> String {
    let digits = match (value, directive.precision) {
        (0, Some(0)) => String::new(),
        _ => format!("{value:o}"),
    };
    match directive.precision {
        Some(precision) if precision > digits.len() => digits,
        _ if directive.alternate && !digits.starts_with('0') => format!("0{digits}"),
        _ => digits,
    }
}

/// A `double` or a `long double`; a symbolic one shows as `?` unless it matters how long it is.
fn floating(cx: &mut StepCx, arguments: &Arguments, next: &mut usize, directive: &Directive) -> Result<Vec<u8>, Stop> {
    let (value, ty) = arguments.floating(cx, next, directive.long_double)?;
    if !ty.is_float() {
        return Err(cx.abandon(LossKind::Unsupported, "an argument that is no number where printf expects a double"));
    }
    let term = cx.term_of(value, u32::from(cx.bits(ty)))?;
    let bits = match cx.engine.terms.as_const(term) {
        Some(bits) => bits,
        None => {
            cx.check_defined(term, "an uninitialised value is printed")?;
            match (cx.result_is_used(), cx.state.path.value(term)) {
                (false, _) => return Ok(b"?".to_vec()),
                (true, Some(bits)) => bits,
                (true, None) => return Err(Stop::Choice(Choice::Value(term))),
            }
        }
    };
    let Directive { conversion, precision, alternate, plus, space, .. } = *directive;
    let zeros_to = if directive.zero && !directive.left { directive.width } else { 0 };
    let shape = float::Shape { conversion, precision, alternate, plus, space, zeros_to };
    Ok(float::format(ty, bits, &shape).into_bytes())
}

fn padded(directive: &Directive, prefix: &[u8], digits: String) -> Vec<u8> {
    let mut body = digits;
    match directive.precision {
        Some(precision) => {
            // A zero that no digit is asked for has none, but for the one that `#` asks for of an octal number.
            if precision == 0 && body == "0" && !(directive.alternate && directive.conversion == b'o') {
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

/// The concrete value of an integer argument, `None` for a symbolic one, which is shown as one character, unless it matters
/// how many it has. An uninitialised one faults.
fn integer(cx: &mut StepCx, arguments: &Arguments, index: usize, bits: u16) -> Result<Option<u64>, Stop> {
    let (value, ty) = arguments.get(cx, index, bits)?;
    match cx.state.memory.settle(value) {
        Value::Int(word) => Ok(Some(word)),
        // What is printed decides nothing: any address will do.
        Value::Ptr(pointer) => Ok(Some(cx.state.memory.address(pointer))),
        other => {
            let term = cx.term_of(other, u32::from(cx.bits(ty)))?;
            cx.check_defined(term, "an uninitialised value is printed")?;
            if cx.result_is_used() { cx.concrete(other, ty).map(Some) } else { Ok(None) }
        }
    }
}
