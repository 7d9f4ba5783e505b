//! The allocation family (C11 7.22.3). Allocation succeeds, unless failing ones are explored as well.

use super::errors::{self, ENOMEM};
use super::pthread::EINVAL;
use super::{Model, returns, succeeds, symbolic};
use crate::host::Side;
use crate::step::{Call, Flow, StepCx, copy_bytes, range_at};
use crate::{FaultKind, LossKind, PathEnd, Remedy, Stop};
use concurrency::{AccessKind, Range};
use ir::{Ty, TypeId};
use memory::{Contents, Home, Object, ObjectKind, Pointer, Value};
use smt::{TermId, Tri};

type Done = Result<Flow, Stop>;

/// Bytes that an allocation may ask for however much the initial heap is bounded, if it can ask for no more.
const SMALL_SIZE: u64 = 4096;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "malloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "aligned_alloc" | "memalign" => aligned_alloc,
        "posix_memalign" => posix_memalign,
        "free" => free,
        _ => return None,
    })
}

/// Whether a call that allocates fails, where that is explored: the environment's choice. To be asked when nothing is left
/// that the call could stop for.
pub(super) fn fails(cx: &mut StepCx) -> Result<bool, Stop> {
    if !cx.engine.config.fail_alloc {
        return Ok(false);
    }
    // An input of the program's, so that a test can ask for it in the same way.
    let name = symbolic::unique_name(cx, "allocation fails");
    let symbol = cx.engine.terms.var(&name, 8);
    let zero = cx.engine.terms.bv(8, 0);
    let fails = cx.engine.terms.ne(symbol, zero);
    let fails = cx.condition(fails)?;
    cx.add_input(name, 1, vec![symbol]);
    Ok(fails)
}

/// As [`allocate`]; none where the call fails, and the reason in `errno`.
fn try_allocate(cx: &mut StepCx, call: &Call, size: u64, align: u64, zero: bool) -> Result<Option<Pointer>, Stop> {
    cx.check_size(size)?;
    if fails(cx)? {
        errors::set(cx, ENOMEM)?;
        return Ok(None);
    }
    allocate(cx, call, size, align, zero).map(Some)
}

fn block_or_null(block: Option<Pointer>) -> Value {
    block.map_or(Value::NULL, Value::Ptr)
}

fn allocate(cx: &mut StepCx, call: &Call, size: u64, align: u64, zero: bool) -> Result<Pointer, Stop> {
    cx.check_allocation()?;
    cx.check_size(size)?;
    let ty = block_type(cx, call, size);
    let address = cx.heap_address(size, align)?;
    let contents = if zero { Contents::zero(size as usize) } else { Contents::undefined(size as usize) };
    let block = cx.state.memory.insert(Object::new(ObjectKind::Heap, address, ty, "", contents));
    if cx.thread.side == Side::Device {
        cx.state.memory.object_mut(block).home = Home::DeviceHeap;
    }
    if size > 0 {
        cx.record_beginning(Range { object: block, offset: 0, size });
    }
    Ok(Pointer::to(block))
}

/// What the block is for, if the pointer that gets it is declared to point to something of which a whole number fits.
fn block_type(cx: &StepCx, call: &Call, size: u64) -> Option<TypeId> {
    let function = &cx.module()[cx.thread.frame().function];
    let ty = function.register(*call.dests.first()?).points_to?;
    let element = cx.module().size_of(ty).filter(|&element| element > 0)?;
    let whole = size.is_multiple_of(element) || cx.program.facts.has_tail(cx.module(), ty);
    (size > 0 && whole).then_some(ty)
}

/// What the pointer is declared to point to that gets the block: as much as anything may be aligned to, where it does not say.
fn element(cx: &StepCx, call: &Call) -> u64 {
    let function = &cx.module()[cx.thread.frame().function];
    let ty = call.dests.first().and_then(|&dest| function.register(dest).points_to);
    ty.and_then(|ty| cx.module().size_of(ty)).filter(|&size| size > 0).unwrap_or(16)
}

/// An argument that is a size in bytes.
fn size_of(cx: &mut StepCx, call: &Call, index: usize) -> Result<u64, Stop> {
    let (value, element) = (call.arg(cx, index)?, element(cx, call));
    concrete_size(cx, (value, call.ty(index)), 1, element)
}

/// The concrete size of an allocation, in units of `unit` bytes; stops when it is open.
///
/// A size that cannot be large is tried value by value. One that may be anything is bounded like the arrays of the initial
/// heap, with room for one to be doubled: `element` bytes for each element.
fn concrete_size(cx: &mut StepCx, (value, ty): (Value, Ty), unit: u64, element: u64) -> Result<u64, Stop> {
    let Value::Term(term) = cx.integer(value, ty)? else { return cx.concrete(value, ty) };
    if cx.engine.terms.as_const(term).or_else(|| cx.state.path.value(term)).is_some() {
        return cx.concrete(value, ty);
    }
    cx.check_defined(term, "a size or an address depends on an uninitialised value")?;
    let unit = unit.max(1);
    let elements = cx.state.memory.shape().limits.array.saturating_mul(2).max(1);
    let most = (elements.saturating_mul(element) / unit).max(1);
    let (few, small) = (no_more(cx, term, most), no_more(cx, term, SMALL_SIZE / unit));
    let large = cx.engine.terms.not(small);
    let answer = cx.engine.solver.may_be_true(&mut cx.engine.terms, cx.state.path.terms(), large);
    let may_be_large = answer.map_err(crate::EngineError::from)? != Tri::No;
    if !may_be_large || cx.condition(few)? {
        return cx.concrete(value, ty);
    }
    if cx.engine.config.bounded_sizes {
        cx.engine.assumed.sizes = true;
        return Err(Stop::End(PathEnd::Infeasible));
    }
    Err(cx.abandon(LossKind::Concretized, Remedy::Array { beyond: most.saturating_mul(unit) }))
}

fn no_more(cx: &mut StepCx, term: TermId, most: u64) -> TermId {
    let terms = &mut cx.engine.terms;
    let width = terms.width(term);
    let greatest = if width < 64 { (1 << width) - 1 } else { u64::MAX };
    let most = terms.bv(width, u128::from(most.min(greatest)));
    terms.ule(term, most)
}

/// `malloc`
fn malloc(cx: &mut StepCx, call: &Call) -> Done {
    let size = size_of(cx, call, 0)?;
    malloc_of(cx, call, size)
}

/// `calloc`. A product that overflows gives a null pointer.
fn calloc(cx: &mut StepCx, call: &Call) -> Done {
    let [first, second] = [call.arg(cx, 0)?, call.arg(cx, 1)?];
    // The one that is known is the unit of the other.
    let unit = |value: Value| if let Value::Int(size) = value { size } else { 1 };
    let (of_first, of_second) = (unit(second), unit(first));
    // `calloc(1, n * sizeof(T))` is `malloc(n * sizeof(T))`.
    let element = element(cx, call);
    let count = concrete_size(cx, (first, call.ty(0)), of_first, of_first.max(element))?;
    let size = concrete_size(cx, (second, call.ty(1)), of_second, of_second.max(element))?;
    let product = count.checked_mul(size).filter(|size| *size <= cx.pointer().mask());
    let Some(size) = product else {
        errors::set(cx, ENOMEM)?;
        return returns(cx, call, Value::NULL);
    };
    let Some(block) = try_allocate(cx, call, size, 16, true)? else { return returns(cx, call, Value::NULL) };
    // Setting the bytes to zero is a write like any other to those who see the block without an order.
    if size > 0 {
        cx.record(Range { object: block.object, offset: 0, size }, AccessKind::Write, false);
    }
    returns(cx, call, Value::Ptr(block))
}

/// `realloc`: always moves, so that stale pointers show.
fn realloc(cx: &mut StepCx, call: &Call) -> Done {
    let old = call.arg(cx, 0)?;
    let size = size_of(cx, call, 1)?;
    let hint = call.hint(cx, 0);
    if old == Value::NULL {
        return malloc_of(cx, call, size);
    }
    let from = cx.locate_exactly(old, 0, hint).map_err(|stop| no_block(cx, stop))?;
    let kept = size.min(cx.state.memory.object(from.object).size);
    if !cx.state.memory.object(from.object).is_live() || from.offset != 0 {
        cx.free(from)?;
        return Err(cx.fault(FaultKind::InvalidFree, "memory that malloc did not return is reallocated"));
    }
    // Reading the old block and ending it are one step, like the write to all of it that the end is.
    let whole = Range { object: from.object, offset: 0, size: cx.state.memory.object(from.object).size.max(1) };
    cx.before_accesses(whole, true, None)?;
    // Which C leaves to the library (C11 7.22.3p1): that of GNU frees.
    if size == 0 {
        cx.free(from)?;
        return returns(cx, call, Value::NULL);
    }
    let Some(block) = try_allocate(cx, call, size, 16, false)? else { return returns(cx, call, Value::NULL) };
    copy_bytes(cx, (Value::Ptr(block), None), (Value::Ptr(from), hint), kept)?;
    cx.free(from)?;
    returns(cx, call, Value::Ptr(block))
}

fn malloc_of(cx: &mut StepCx, call: &Call, size: u64) -> Done {
    let block = try_allocate(cx, call, size, 16, false)?;
    returns(cx, call, block_or_null(block))
}

/// `aligned_alloc`, `memalign`
fn aligned_alloc(cx: &mut StepCx, call: &Call) -> Done {
    let (align, size) = (call.concrete(cx, 0)?, size_of(cx, call, 1)?);
    let block = try_allocate(cx, call, size, align.clamp(1, 1 << 20), false)?;
    returns(cx, call, block_or_null(block))
}

/// `posix_memalign`: EINVAL unless the alignment is a power of two that pointers fit. It leaves `errno` alone.
fn posix_memalign(cx: &mut StepCx, call: &Call) -> Done {
    let (align, size) = (call.concrete(cx, 1)?, size_of(cx, call, 2)?);
    if !align.is_power_of_two() || align % 8 != 0 {
        return returns(cx, call, Value::Int(EINVAL));
    }
    let out = call.arg(cx, 0)?;
    let word = cx.pointer().bytes();
    let out = cx.locate_exactly(out, word, None)?;
    cx.before_accesses(range_at(out, word), true, None)?;
    cx.check_size(size)?;
    if fails(cx)? {
        return returns(cx, call, Value::Int(ENOMEM));
    }
    let block = allocate(cx, call, size, align.clamp(1, 1 << 20), false)?;
    cx.store_at(Value::Ptr(out), word, Value::Ptr(block), None, false)?;
    succeeds(cx, call)
}

/// An address where no object is cannot be freed, whatever could be done with it otherwise.
fn no_block(cx: &StepCx, stop: Stop) -> Stop {
    match stop {
        Stop::End(PathEnd::Fault(fault))
            if matches!(fault.kind, FaultKind::OutOfBounds | FaultKind::NullDereference) =>
        {
            cx.fault(FaultKind::InvalidFree, "memory that malloc did not return is freed")
        }
        other => other,
    }
}

/// `free`
fn free(cx: &mut StepCx, call: &Call) -> Done {
    let hint = call.hint(cx, 0);
    let value = call.arg(cx, 0)?;
    let null = cx.equals_null(value)?;
    if !null {
        let at = cx.locate_exactly(value, 0, hint).map_err(|stop| no_block(cx, stop))?;
        cx.free(at)?;
    }
    succeeds(cx, call)
}
