//! Address arithmetic, automatic objects, plain loads and stores, block operations.

use super::{Done, Flow, StepCx};
use crate::{FaultKind, Stop};
use ::memory::{Contents, Life, Object, ObjectKind, Part, Pointer, Value};
use concurrency::{AccessKind, Action, Range};
use ir::{ArrayMember, ArrayPart, GlobalId, Init, Op, Operand, PointerSize, Reg, ScaledIndex, Ty, TypeId};

/// `getelementptr`: byte arithmetic on a pointer of any kind.
pub(super) fn offset(
    cx: &mut StepCx,
    dest: Reg,
    base: Operand,
    constant: i64,
    indices: &[ScaledIndex],
    (within, array): (Option<TypeId>, Option<ArrayPart>),
) -> Done {
    let hint = within.or_else(|| cx.hint(base));
    let base = cx.operand(base, Ty::Ptr);
    let pointer = cx.pointer();
    let declared = constant;
    let mut constant = constant;
    // Of an address's width: sums and products wrap as addresses do.
    let mut variable = None;
    for scaled in indices {
        let ty = Ty::Int(scaled.bits);
        let index = cx.operand(scaled.index, ty);
        match cx.integer(index, ty)? {
            Value::Int(word) => {
                let shift = 64 - u32::from(scaled.bits.min(64));
                let index = ((word << shift) as i64) >> shift;
                constant = constant.wrapping_add(index.wrapping_mul(scaled.scale));
            }
            other => {
                let term = cx.term_of(other, u32::from(scaled.bits))?;
                let terms = &mut cx.engine.terms;
                let bits = u32::from(pointer.bits());
                let wide = if u32::from(scaled.bits) < bits { terms.sext(term, bits) } else { terms.trunc(term, bits) };
                let scale = terms.bv(bits, u128::from(scaled.scale as u64 & pointer.mask()));
                let scaled = terms.mul(wide, scale);
                variable = Some(match variable {
                    None => scaled,
                    Some(sum) => terms.add(sum, scaled),
                });
            }
        }
    }
    if let Some(record) = within.filter(|_| cx.checks_indices() && !indices.is_empty()) {
        let begins = u64::try_from(declared).ok().and_then(|at| cx.module().array_member(record, at));
        if let Some(array) = begins {
            check_index(cx, base, record, array, (constant, variable))?;
        }
    }
    let result = match variable {
        None => moved(cx, base, constant, hint)?,
        Some(variable) => {
            let terms = &mut cx.engine.terms;
            let fixed = terms.bv(u32::from(pointer.bits()), u128::from(constant as u64 & pointer.mask()));
            let by = terms.add(variable, fixed);
            moved_by_term(cx, base, by, hint)?
        }
    };
    let result = if cx.checks_indices() { kept_to(cx, result, within, array) } else { result };
    cx.bind(dest, result);
    Ok(Flow::Next)
}

impl StepCx<'_> {
    /// Whether indices of arrays in records are looked at.
    pub(super) fn checks_indices(&self) -> bool {
        self.state.library || self.engine.config.member_bounds
    }
}

/// What the result of address arithmetic may be moved within: the array that it was made for; of a member, its object; of an element,
/// what the pointer was kept to before.
fn kept_to(cx: &StepCx, result: Value, within: Option<TypeId>, array: Option<ArrayPart>) -> Value {
    let part_at = |offset: i64| match array {
        Some(array) => {
            let start = offset.checked_sub_unsigned(array.before).and_then(|start| u64::try_from(start).ok());
            start.map_or(Part::WHOLE, |start| Part::new(start..start.saturating_add(array.bytes)))
        }
        None => Part::WHOLE,
    };
    if array.is_none() && !within.is_some_and(|ty| cx.module().is_record(ty)) {
        return result;
    }
    match result {
        Value::Ptr(at) => Value::Ptr(at.within(part_at(at.offset))),
        Value::Lazy { pointer, offset, .. } => Value::Lazy { pointer, offset, part: part_at(offset) },
        Value::Symbolic { object, offset, .. } => Value::Symbolic { object, offset, part: Part::WHOLE },
        Value::Int(_) | Value::Term(_) => result,
    }
}

/// An index of an array in a record of a library's heap, or in any ([`crate::Config::member_bounds`]), leads to an element (C11 6.5.6p8). Elsewhere it would be a neighbouring
/// field's, of which others may know something: that is a failure of the run alone. `to`: where the address leads from the record's
/// beginning on, in bytes: a number and a term.
fn check_index(
    cx: &mut StepCx,
    base: Value,
    record: TypeId,
    array: ArrayMember,
    (constant, variable): (i64, Option<smt::TermId>),
) -> Result<(), Stop> {
    let program = cx.program;
    let (object, from) = match base {
        Value::Ptr(at) => (Some(at.object), at.offset),
        _ => (None, 0),
    };
    let is_assumed = |object| cx.state.memory.object(object).kind == ObjectKind::Initial;
    if !cx.engine.config.member_bounds && !object.is_none_or(is_assumed) {
        return Ok(());
    }
    let declared = array.bytes.map(|bytes| array.offset + bytes);
    let size = program.module.size_of(record);
    let at_end = declared.is_none_or(|end| size.is_some_and(|size| end + array.element > size));
    let whole = object.and_then(|object| cx.initial(object)).map(|whole| whole.ty);
    let is_part = whole.is_some_and(|whole| !program.module.same_type(whole, record));
    let end = match declared.filter(|_| !at_end || array.bytes > Some(array.element)) {
        Some(end) => Some(end),
        // A part of another object has those that are declared.
        None if is_part => declared.or(size),
        // An array at the end has as many elements as its object has room for.
        None if program.facts.has_tail(&program.module, record) => {
            object.and_then(|object| cx.state.memory.object(object).size.checked_add_signed(-from))
        }
        // Where that is not known, what is beyond is a matter of the object's bounds.
        None => None,
    };
    let end = end.unwrap_or(i64::MAX as u64);
    // One past the end is no element, but an address all the same.
    let room = end.saturating_sub(array.offset) + u64::from(!is_accessed_next(cx));
    let from_start = constant.wrapping_sub(array.offset as i64);
    let is_element = match variable {
        None => (from_start as u64) < room,
        Some(variable) => {
            let terms = &mut cx.engine.terms;
            let wide = terms.sext(variable, 64);
            let start = terms.bv(64, u128::from(from_start as u64));
            let at = terms.add(wide, start);
            let room = terms.bv(64, u128::from(room));
            let inside = terms.ult(at, room);
            cx.condition(inside)?
        }
    };
    if is_element {
        return Ok(());
    }
    Err(cx.fault(FaultKind::OutOfBounds, "an index leads out of its array"))
}

/// Whether the address that the instruction computes is used for an access by the next one.
fn is_accessed_next(cx: &StepCx) -> bool {
    let frame = cx.thread.frame();
    let block = cx.module()[frame.function].block(frame.block);
    let Some(Op::Offset { dest, .. }) = block.insts.get(frame.inst).map(|inst| &inst.op) else { return false };
    let accessed = |op: &Op| match op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::AtomicRmw { address, .. }
        | Op::CompareExchange { address, .. } => *address == Operand::Reg(*dest),
        _ => false,
    };
    block.insts.get(frame.inst + 1).is_some_and(|inst| accessed(&inst.op))
}

fn moved(cx: &mut StepCx, base: Value, by: i64, hint: Option<TypeId>) -> Result<Value, Stop> {
    Ok(match base {
        Value::Ptr(p) => Value::Ptr(cx.state.memory.moved(p, by)),
        Value::Int(address) => Value::Int(address.wrapping_add(by as u64) & cx.pointer().mask()),
        Value::Lazy { pointer, offset, part } => {
            // A member access says what an untyped pointer points to.
            if let Some(ty) = hint
                && cx.state.memory.shape().pointee(cx.module(), pointer).is_none()
                && cx.module().size_of(ty).is_some_and(|size| size > 0)
            {
                cx.state.memory.shape_mut().set_pointee(pointer, ty);
            }
            Value::Lazy { pointer, offset: cx.pointer().wrap(offset.wrapping_add(by)), part }
        }
        Value::Symbolic { object, offset, part } => {
            let by = cx.engine.terms.bv(64, u128::from(by as u64));
            let offset = cx.engine.terms.add(offset, by);
            Value::Symbolic { object, offset: wrapped(cx, offset), part }
        }
        Value::Term(term) => {
            let pointer = cx.pointer();
            let by = cx.engine.terms.bv(u32::from(pointer.bits()), u128::from(by as u64 & pointer.mask()));
            let sum = cx.engine.terms.add(term, by);
            cx.simplest(sum)
        }
    })
}

/// An offset of 64 bits, brought back into the address space.
fn wrapped(cx: &mut StepCx, offset: smt::TermId) -> smt::TermId {
    if cx.pointer() == PointerSize::Eight {
        return offset;
    }
    let low = cx.engine.terms.trunc(offset, 32);
    cx.engine.terms.sext(low, 64)
}

/// `by` has the width of an address.
fn moved_by_term(cx: &mut StepCx, base: Value, by: smt::TermId, hint: Option<TypeId>) -> Result<Value, Stop> {
    if let Some(known) = cx.known_value(by) {
        let known = ir::sign_extend(known as u64, cx.pointer().bits());
        return moved(cx, base, known, hint);
    }
    let terms = &mut cx.engine.terms;
    let far = terms.sext(by, 64);
    Ok(match base {
        Value::Ptr(p) => {
            let start = terms.bv(64, u128::from(p.offset as u64));
            let offset = terms.add(start, far);
            Value::Symbolic { object: p.object, offset: wrapped(cx, offset), part: p.part }
        }
        Value::Symbolic { object, offset, part } => {
            let offset = terms.add(offset, far);
            Value::Symbolic { object, offset: wrapped(cx, offset), part }
        }
        Value::Lazy { pointer, .. } => return Err(cx.need_target(pointer, hint)),
        // Wherever in an object at null: a null pointer all the same.
        Value::Int(address) if address < 4096 => Value::Int(address),
        Value::Int(address) => {
            let start = terms.bv(terms.width(by), u128::from(address));
            Value::Term(terms.add(start, by))
        }
        Value::Term(term) => Value::Term(terms.add(term, by)),
    })
}

/// `alloca`: an object that lives until the function returns.
pub(super) fn alloca(
    cx: &mut StepCx,
    dest: Reg,
    size: u64,
    count: Operand,
    align: u64,
    ty: Option<TypeId>,
    name: Option<&str>,
) -> Done {
    let count = cx.operand(count, Ty::Int(64));
    let count = cx.concrete(count, Ty::Int(64))?;
    let size = size.saturating_mul(count);
    cx.check_size(size)?;
    let address = cx.stack_address(size, align)?;
    let object = cx.state.memory.insert(Object::new(
        ObjectKind::Stack,
        address,
        ty,
        name.unwrap_or(""),
        Contents::undefined(size as usize),
    ));
    cx.thread.frame_mut().locals.push(object);
    cx.bind(dest, Value::Ptr(Pointer::to(object)));
    Ok(Flow::Next)
}

/// The size of an access, and the value as the register's type wants it.
pub(crate) fn narrowed(cx: &mut StepCx, value: Value, ty: Ty) -> Result<Value, Stop> {
    let bits = cx.bits(ty);
    if u64::from(bits) == cx.size(ty) * 8 {
        return Ok(value);
    }
    // i1 and other odd widths are stored as whole bytes with zeros above.
    match cx.integer(value, Ty::Int((cx.size(ty) * 8) as u16))? {
        Value::Int(word) => Ok(Value::Int(super::truncate(word, bits))),
        other => {
            let term = cx.term_of(other, cx.size(ty) as u32 * 8)?;
            let term = cx.engine.terms.trunc(term, u32::from(bits));
            Ok(cx.simplest(term))
        }
    }
}

/// A device's address that has to be a multiple of `align`. All objects begin at one.
pub(super) fn aligned(cx: &mut StepCx, address: Operand, align: u64) -> Done {
    let is_right = match cx.operand(address, Ty::Ptr) {
        Value::Ptr(at) => at.offset.rem_euclid(align as i64) == 0,
        Value::Symbolic { offset, .. } => {
            let terms = &mut cx.engine.terms;
            let below = terms.bv(64, u128::from(align - 1));
            let rest = terms.and(offset, below);
            let zero = terms.bv(64, 0);
            let is_multiple = terms.eq(rest, zero);
            cx.condition(is_multiple)?
        }
        // Where that leads is asked by the access.
        Value::Int(_) | Value::Term(_) | Value::Lazy { .. } => true,
    };
    if is_right {
        return Ok(Flow::Next);
    }
    let detail = format!("an address that is no multiple of {align}, as the access needs");
    Err(cx.fault(FaultKind::MisalignedAccess, detail))
}

/// `load`, not atomic.
pub(super) fn load(cx: &mut StepCx, dest: Reg, ty: Ty, address: Operand) -> Done {
    let hint = cx.hint(address);
    let address = cx.operand(address, Ty::Ptr);
    let value = cx.load_at(address, cx.size(ty), hint, false)?;
    let value = narrowed(cx, value, ty)?;
    cx.bind(dest, value);
    Ok(Flow::Next)
}

/// `store`, not atomic. Storing an uninitialised value is silent.
pub(super) fn store(cx: &mut StepCx, ty: Ty, address: Operand, value: Operand) -> Done {
    let hint = cx.hint(address);
    let address = cx.operand(address, Ty::Ptr);
    let value = cx.operand(value, ty);
    cx.store_at(address, cx.size(ty), value, hint, false)?;
    Ok(Flow::Next)
}

/// `llvm.memcpy`, `llvm.memmove`. Both the read and the write are accesses at the call's position.
pub(super) fn copy(cx: &mut StepCx, to: Operand, from: Operand, length: Operand, may_overlap: bool) -> Done {
    let (to_hint, from_hint) = (cx.hint(to), cx.hint(from));
    let length = cx.operand(length, Ty::Int(64));
    let to = block(cx.operand(to, Ty::Ptr), length);
    let from = block(cx.operand(from, Ty::Ptr), length);
    let length = length_within(cx, length, &[to, from])?;
    let (to, from) = ((to, to_hint), (from, from_hint));
    if may_overlap {
        move_bytes(cx, to, from, length)?
    } else {
        copy_bytes(cx, to, from, length)?
    }
    Ok(Flow::Next)
}

/// Where a block of bytes begins. One whose length is no input may go over several members on purpose, as it does in much C.
pub(crate) fn block(address: Value, length: Value) -> Value {
    match (address, length) {
        (_, Value::Term(_)) => address,
        (Value::Ptr(at), _) => Value::Ptr(at.within(Part::WHOLE)),
        (Value::Lazy { pointer, offset, part }, _) if !part.is_whole() => {
            Value::Lazy { pointer, offset, part: Part::WHOLE }
        }
        _ => address,
    }
}

/// A concrete length. An open one is first decided to fit its objects or not: lengths that do not fit are explored, and
/// found wrong, however many there are that do.
fn length_within(cx: &mut StepCx, length: Value, places: &[Value]) -> Result<u64, Stop> {
    if let Value::Term(term) = length {
        for place in places {
            let Value::Ptr(at) = *place else { continue };
            let rest = cx.rest_of(at);
            let rest = cx.engine.terms.bv(64, u128::from(rest));
            let fits = cx.engine.terms.ule(term, rest);
            if !cx.condition(fits)? {
                break;
            }
        }
    }
    cx.concrete(length, Ty::Int(64))
}

/// The bytes from a pointer on.
pub(crate) fn range_at(at: Pointer, size: u64) -> Range {
    Range { object: at.object, offset: at.offset.max(0) as u64, size }
}

/// Where bytes are, or go to, and what type they have as far as declarations tell.
pub(crate) type Bytes = (Value, Option<TypeId>);

/// Copies between objects that do not overlap, unless they are one (C11 6.5.16.1p3: that is how compilers assign a structure to
/// itself), with all checks; for models too.
pub(crate) fn copy_bytes(cx: &mut StepCx, to: Bytes, from: Bytes, length: u64) -> Result<(), Stop> {
    if length > 0 {
        let source = cx.locate_exactly(from.0, length, from.1)?;
        let target = cx.locate_exactly(to.0, length, to.1)?;
        let apart = source.offset.abs_diff(target.offset);
        if source.object == target.object && apart > 0 && apart < length {
            let detail = format!("{length} bytes are copied to where they are themselves, {apart} bytes further");
            return Err(cx.fault(FaultKind::OverlappingCopy, detail));
        }
    }
    move_bytes(cx, to, from, length)
}

/// Copies between objects that may overlap, with all checks; for models too.
pub(crate) fn move_bytes(cx: &mut StepCx, to: Bytes, from: Bytes, length: u64) -> Result<(), Stop> {
    if length == 0 {
        return Ok(());
    }
    let from = cx.locate_exactly(from.0, length, from.1)?;
    let to = cx.locate_exactly(to.0, length, to.1)?;
    cx.before_accesses(range_at(to, length), true, Some(range_at(from, length)))?;
    cx.touch(from, length, AccessKind::Read, false)?;
    cx.touch(to, length, AccessKind::Write, false)?;
    let program = cx.program;
    let copied = cx.state.memory.copy(&mut cx.engine.terms, &program.module, &program.facts, to, from, length);
    cx.decided(copied)
}

/// `llvm.memset`
pub(super) fn set(cx: &mut StepCx, to: Operand, byte: Operand, length: Operand) -> Done {
    let hint = cx.hint(to);
    let length = cx.operand(length, Ty::Int(64));
    let to = block(cx.operand(to, Ty::Ptr), length);
    let length = length_within(cx, length, &[to])?;
    let byte = cx.operand(byte, Ty::Int(8));
    set_bytes(cx, to, hint, byte, length)?;
    Ok(Flow::Next)
}

/// Fills with all checks; for models too.
pub(crate) fn set_bytes(
    cx: &mut StepCx,
    to: Value,
    hint: Option<TypeId>,
    byte: Value,
    length: u64,
) -> Result<(), Stop> {
    if length == 0 {
        return Ok(());
    }
    let to = cx.locate_exactly(to, length, hint)?;
    cx.touch(to, length, AccessKind::Write, false)?;
    match cx.integer(byte, Ty::Int(8))? {
        Value::Int(byte) => {
            let bytes = vec![byte as u8; length as usize];
            let written = cx.state.memory.write_bytes(&mut cx.engine.terms, to, &bytes);
            cx.decided(written)
        }
        symbolic => (0..length as i64).try_for_each(|i| cx.write(to.plus(i), 1, symbolic)),
    }
}

/// The value of a local variable before it is set.
pub(super) fn uninit(cx: &mut StepCx, dest: Reg, ty: Ty) -> Done {
    let frame = cx.thread.frame();
    let mut name = format!("uninit@{}.{}.{}", cx.thread.name, cx.thread.frames.len(), cx.program.site(frame));
    if cx.engine.config.any_indeterminate {
        // Another variable each time.
        cx.thread.indeterminate += 1;
        name = format!("{name}#{}", cx.thread.indeterminate);
    }
    let term = cx.engine.terms.uninit_var(&name, u32::from(cx.bits(ty)));
    cx.bind(dest, Value::Term(term));
    Ok(Flow::Next)
}

/// This thread's instance of a thread-local variable; made at its first use.
pub(super) fn thread_local(cx: &mut StepCx, dest: Reg, global: GlobalId) -> Done {
    let object = thread_local_object(cx, global)?;
    cx.bind(dest, Value::Ptr(Pointer::to(object)));
    Ok(Flow::Next)
}

pub(crate) fn thread_local_object(cx: &mut StepCx, global: GlobalId) -> Result<::memory::ObjId, Stop> {
    if cx.module()[global].space == ir::Space::Shared {
        let me = cx.thread.id;
        return match cx.gpu()?.shared(me, global) {
            Some(object) => Ok(object),
            None => Err(cx.abandon(crate::LossKind::Unsupported, "more shared memory than there is room for")),
        };
    }
    if let Some(&object) = cx.thread.thread_locals.get(&global) {
        return Ok(object);
    }
    let declared = &cx.module()[global];
    let address = cx.heap_address(declared.size, declared.align)?;
    let contents = match &declared.init {
        Init::Data { bytes, .. } => Contents::concrete(bytes.clone()),
        Init::Zero | Init::External => Contents::zero(declared.size as usize),
    };
    let kind = ObjectKind::Global(global);
    let object = cx.state.memory.insert(Object::new(kind, address, declared.ty, &declared.name, contents));
    crate::setup::relocate(cx.engine, &mut cx.state.memory, declared, object);
    cx.thread.thread_locals.insert(global, object);
    Ok(object)
}

/// A variable's block is entered. It keeps its object: what still points to the variable of an earlier round finds this one,
/// as it does natively, but never what that one held.
pub(super) fn local_begin(cx: &mut StepCx, variable: Reg) -> Done {
    if let Some(object) = local_of(cx, variable) {
        if !cx.state.memory.object(object).is_live() {
            cx.state.memory.revive(object);
        }
        cx.flow_begins(object);
    }
    Ok(Flow::Next)
}

/// A variable's block is left.
pub(super) fn local_end(cx: &mut StepCx, variable: Reg) -> Done {
    if let Some(object) = local_of(cx, variable)
        && cx.state.memory.object(object).is_live()
    {
        super::before_leaving(cx)?;
        end_local(cx, object);
    }
    Ok(Flow::Next)
}

/// The object of one of the function's own variables.
fn local_of(cx: &StepCx, variable: Reg) -> Option<::memory::ObjId> {
    match cx.thread.frame().registers[variable.index()] {
        Value::Ptr(at) => Some(at.object),
        _ => None,
    }
}

/// `llvm.stacksave`: the number of automatic objects stands for the stack pointer.
pub(super) fn stack_save(cx: &mut StepCx, dest: Reg) -> Done {
    let depth = cx.thread.frame().locals.len() as u64;
    cx.bind(dest, Value::Int(depth));
    Ok(Flow::Next)
}

/// `llvm.stackrestore`
pub(super) fn stack_restore(cx: &mut StepCx, saved: Operand) -> Done {
    super::before_leaving(cx)?;
    let saved = cx.operand(saved, Ty::Ptr);
    let Value::Int(depth) = saved else {
        return Err(cx.fault(FaultKind::UnreachableReached, "the stack is restored from something never saved"));
    };
    let frame = cx.thread.frame_mut();
    let kept = (depth as usize).min(frame.locals.len());
    let locals = frame.locals.split_off(kept);
    for local in locals {
        end_local(cx, local);
    }
    Ok(Flow::Next)
}

/// Ends an object of a thread's own. That counts as a write to every byte, as for `free`, where others may know it.
pub(crate) fn end_local(cx: &mut StepCx, object: ::memory::ObjId) {
    let known = cx.state.memory.object(object);
    // Its block is over already.
    if !known.is_live() {
        return;
    }
    if known.escaped && cx.state.concurrent {
        let range = Range { object, offset: 0, size: known.size.max(1) };
        cx.record(range, AccessKind::Free, false);
    }
    cx.forget_sync(object);
    cx.state.memory.end(object, Life::Ended);
    if cx.state.memory.object(object).ended_unknown() {
        cx.state.shadow.forget(object);
    }
}

/// A visible action on bytes that replaces what it expects there, and else only reads.
pub(crate) fn visible_exchange(cx: &mut StepCx, at: Pointer, size: u64, expected: Value) -> Result<(), Stop> {
    let expects = cx.state.memory.number(expected);
    cx.visible(Action::Access { range: range_at(at, size), write: true, also: None, expects })
}
