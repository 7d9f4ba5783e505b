//! Memory and string functions (C11 7.24), byte by byte: where a symbolic byte decides, the path forks.

use super::{Model, returns};
use crate::step::{Call, Flow, StepCx, block, copy_bytes, move_bytes, range_at, set_bytes};
use crate::{LossKind, Remedy, Stop};
use concurrency::{AccessKind, Range};
use ir::{Ty, TypeId};
use memory::{ObjectKind, Part, Pointer, TypeFacts, Value};

type Done = Result<Flow, Stop>;

/// Longest string that a model walks: programs with longer ones are cut by time.
const LONGEST: i64 = 1 << 20;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "memcpy" => |cx, call| copy(cx, call, false),
        "memmove" => |cx, call| copy(cx, call, true),
        "memset" => memset,
        "memcmp" => memcmp,
        "strlen" => strlen,
        "strcmp" => |cx, call| compare_strings(cx, call, None),
        "strncmp" => |cx, call| {
            let limit = call.concrete(cx, 2)?;
            compare_strings(cx, call, Some(limit))
        },
        "strcpy" => strcpy,
        _ => return None,
    })
}

/// `memcpy` (C11 7.24.2.1), `memmove` (7.24.2.2)
fn copy(cx: &mut StepCx, call: &Call, may_overlap: bool) -> Done {
    let (to_hint, from_hint) = (call.hint(cx, 0), call.hint(cx, 1));
    let (to, from, length) = (call.arg(cx, 0)?, call.arg(cx, 1)?, call.arg(cx, 2)?);
    let (start, from) = (block(to, length), block(from, length));
    let length = call.concrete(cx, 2)?;
    let (target, source) = ((start, to_hint), (from, from_hint));
    if may_overlap {
        move_bytes(cx, target, source, length)?
    } else {
        copy_bytes(cx, target, source, length)?
    }
    returns(cx, call, to)
}

fn memset(cx: &mut StepCx, call: &Call) -> Done {
    let hint = call.hint(cx, 0);
    let (to, length) = (call.arg(cx, 0)?, call.arg(cx, 2)?);
    let start = block(to, length);
    let length = call.concrete(cx, 2)?;
    let byte = call.arg(cx, 1)?;
    let byte = cx.integer(byte, call.ty(1))?;
    set_bytes(cx, start, hint, byte, length)?;
    returns(cx, call, to)
}

/// One byte with all checks.
fn byte(cx: &mut StepCx, at: Pointer) -> Result<Value, Stop> {
    let value = cx.load_at(Value::Ptr(at), 1, None, false)?;
    cx.integer(value, Ty::Int(8))
}

fn located(cx: &mut StepCx, call: &Call, index: usize) -> Result<Pointer, Stop> {
    let hint: Option<TypeId> = call.hint(cx, index);
    let value = call.arg(cx, index)?;
    cx.locate_exactly(value, 1, hint)
}

/// Where a string begins: it is kept to the array that it stands in (C11 7.1.1p1), also where all of the record would do for other uses.
fn located_string(cx: &mut StepCx, call: &Call, index: usize) -> Result<Pointer, Stop> {
    let at = located(cx, call, index)?;
    Ok(kept_to_string(cx, at))
}

/// The same of a place.
pub(super) fn kept_to_string(cx: &StepCx, at: Pointer) -> Pointer {
    let module = cx.module();
    let array = || {
        let (initial, offset) = (cx.initial(at.object)?, u64::try_from(at.offset).ok()?);
        let size = module.size_of(initial.ty).filter(|&size| size > 0 && module.holds_records(initial.ty))?;
        let around = module.scalars_around(initial.ty, offset % size).filter(|around| around.end - around.start > 1)?;
        let element = offset / size * size;
        Some(Part::new(element + around.start..element + around.end))
    };
    if at.part.is_whole() { at.within(array().unwrap_or_default()) } else { at }
}

/// All bytes that a string from there on may have.
pub(super) fn rest_from(cx: &StepCx, at: Pointer) -> Range {
    range_at(at, cx.rest_of(at).max(1))
}

/// The first difference decides; -1, 0 or 1.
fn difference(cx: &mut StepCx, a: Value, b: Value) -> Result<Option<u64>, Stop> {
    let equal = cx.bytes_equal(a, b)?;
    if equal {
        return Ok(None);
    }
    let (a, b) = (cx.term_of(a, 8)?, cx.term_of(b, 8)?);
    let less = cx.engine.terms.ult(a, b);
    Ok(Some(if cx.condition(less)? { u64::MAX } else { 1 }))
}

/// C11 7.24.4.1: all bytes are compared, wherever the first difference is.
fn memcmp(cx: &mut StepCx, call: &Call) -> Done {
    let length = call.concrete(cx, 2)?;
    if length > 0 {
        let is_input = matches!(call.arg(cx, 2)?, Value::Term(_));
        let (mut p, mut q) = (located(cx, call, 0)?, located(cx, call, 1)?);
        if !is_input {
            (p, q) = (p.within(Part::WHOLE), q.within(Part::WHOLE));
        }
        cx.before_accesses(range_at(p, length), false, Some(range_at(q, length)))?;
        cx.touch(p, length, AccessKind::Read, false)?;
        cx.touch(q, length, AccessKind::Read, false)?;
        for i in 0..length as i64 {
            let (a, b) = (byte(cx, p.plus(i))?, byte(cx, q.plus(i))?);
            if let Some(sign) = difference(cx, a, b)? {
                return returns(cx, call, Value::Int(sign));
            }
        }
    }
    returns(cx, call, Value::Int(0))
}

fn strlen(cx: &mut StepCx, call: &Call) -> Done {
    let at = located_string(cx, call, 0)?;
    cx.before_accesses(rest_from(cx, at), false, None)?;
    let mut length = 0;
    while length < LONGEST {
        let value = byte(cx, at.plus(length))?;
        if cx.is_zero(value, Ty::Int(8))? {
            break;
        }
        length += 1;
    }
    returns(cx, call, Value::Int(length as u64))
}

fn compare_strings(cx: &mut StepCx, call: &Call, limit: Option<u64>) -> Done {
    let (p, q) = (located_string(cx, call, 0)?, located_string(cx, call, 1)?);
    cx.before_accesses(rest_from(cx, p), false, Some(rest_from(cx, q)))?;
    for i in 0..limit.map_or(LONGEST, |l| l.min(LONGEST as u64) as i64) {
        cx.outgrow(p, q, i);
        cx.outgrow(q, p, i);
        let (a, b) = (byte(cx, p.plus(i))?, byte(cx, q.plus(i))?);
        if let Some(sign) = difference(cx, a, b)? {
            return returns(cx, call, Value::Int(sign));
        }
        if cx.is_zero(a, Ty::Int(8))? {
            break;
        }
    }
    returns(cx, call, Value::Int(0))
}

fn strcpy(cx: &mut StepCx, call: &Call) -> Done {
    let (to, from) = (located_string(cx, call, 0)?, located_string(cx, call, 1)?);
    cx.before_accesses(rest_from(cx, to), true, Some(rest_from(cx, from)))?;
    let mut length = 0;
    while length < LONGEST {
        let value = byte(cx, from.plus(length))?;
        if cx.is_zero(value, Ty::Int(8))? {
            break;
        }
        length += 1;
    }
    copy_bytes(cx, (Value::Ptr(to), None), (Value::Ptr(from), None), length as u64 + 1)?;
    returns(cx, call, Value::Ptr(to))
}

/// A string whose bytes are all concrete, for names and messages. No access as far as the race check is concerned.
pub(super) fn concrete_string(cx: &mut StepCx, address: Value) -> Option<Vec<u8>> {
    let Value::Ptr(at) = cx.state.memory.settle(address) else { return None };
    let object = cx.state.memory.object(at.object);
    let mut text = Vec::new();
    let mut offset = at.offset;
    while object.is_live() && object.contains(offset, 1) {
        match object.contents.byte(offset as usize) {
            memory::Byte::Concrete(0) => return Some(text),
            memory::Byte::Concrete(byte) => text.push(byte),
            _ => return None,
        }
        offset += 1;
    }
    None
}

impl StepCx<'_> {
    /// A string of the callers' has as many characters as the bound on arrays says, all of which are those of one of the program's own so far,
    /// which goes on: no string within the bounds is that one.
    fn outgrow(&mut self, callers: Pointer, own: Pointer, index: i64) {
        let is_own =
            matches!(self.state.memory.object(own.object).kind, ObjectKind::Global(id) if self.module()[id].constant);
        let is_bounded =
            || self.initial(callers.object).is_some_and(|initial| TypeFacts::is_char(self.module(), initial.ty));
        if !is_own || !self.state.library || self.rest_of(callers.plus(index)) != 1 || !is_bounded() {
            return;
        }
        let length = concrete_string(self, Value::Ptr(own)).map_or(0, |text| text.len());
        if usize::try_from(index).is_ok_and(|index| index < length) {
            self.note(LossKind::ArrayBound, Remedy::Elements(length as u64));
        }
    }

    fn bytes_equal(&mut self, a: Value, b: Value) -> Result<bool, Stop> {
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return Ok(a == b);
        }
        let (a, b) = (self.term_of(a, 8)?, self.term_of(b, 8)?);
        let equal = self.engine.terms.eq(a, b);
        self.condition(equal)
    }

    /// Whether a pointer is null; stops when that is open.
    pub(crate) fn equals_null(&mut self, value: Value) -> Result<bool, Stop> {
        let bit = crate::step::equal(self, value, Value::NULL, Ty::Ptr)?;
        self.holds(bit)
    }
}
