//! Atomic operations (C11 7.17), executed under sequential consistency.

use super::weak::{Exchanged, Operation, held, is_asked, note_in_graph};
use super::{Done, Flow, StepCx, arithmetic, memory::narrowed};
use crate::{LossKind, Observed, Remedy, Stop, Weak};
use ::memory::{ObjectKind, Pointer, Value};
use concurrency::{AccessKind, Place};
use ir::{FloatOp, LoadOrder, Operand, Order, Reg, RmwOp, StoreOrder, Ty};

/// Weaker orders allow behaviour that interleaving does not show.
pub(crate) fn note_weak(cx: &mut StepCx, weak: bool) {
    if weak && cx.engine.config.weak == Weak::Note && cx.state.concurrent {
        cx.note(LossKind::WeakMemory, Remedy::SequentialConsistency);
    }
}

/// The same of an operation that has no place in the graph of its execution.
pub(crate) fn note_weak_unseen(cx: &mut StepCx, weak: bool) {
    note_weak(cx, weak);
    if is_asked(cx) {
        let remedy = "an atomic operation that the compiler leaves to a library: what weak orders allow of it was not looked for";
        cx.note(LossKind::WeakMemory, remedy);
    }
}

/// The same of an operation on one place. Of a launch only what has a result that is used, or is a store, can tell; and where all of that
/// is about one place, each order that coherence allows is one that interleaving shows (docs/soundness.md, 11b).
fn note_weak_at(cx: &mut StepCx, at: Pointer, ty: Ty, weak: bool, (writes, tells): (bool, bool)) {
    // A thread's own variables are its own (PTX ISA, `.local`).
    let is_private = cx.state.memory.object(at.object).kind == ObjectKind::Stack;
    let is_weak = match cx.is_on_device() {
        true if is_private || !cx.state.concurrent => false,
        true => cx.tells_of_several(place(at), cx.size(ty), (writes, tells)) && weak,
        // A host has nobody beside it but while the device is at work.
        false => weak && (cx.state.host.is_none() || cx.state.concurrent),
    };
    note_weak(cx, is_weak);
}

/// What is read by an order, or from a store of an order, behind which nothing happens after what was before, is known by hearsay.
fn note_hearsay(cx: &mut StepCx, relaxed: bool) {
    cx.state.hearsay |= relaxed && cx.state.concurrent;
}

pub(crate) fn place(at: Pointer) -> Place {
    Place { object: at.object, offset: at.offset.max(0) as u64 }
}

fn locate(cx: &mut StepCx, address: Operand, ty: Ty) -> Result<Pointer, Stop> {
    let hint = cx.hint(address);
    let address = cx.operand(address, Ty::Ptr);
    cx.locate_exactly(address, cx.size(ty), hint)
}

/// `load atomic`
pub(crate) fn load(cx: &mut StepCx, dest: Reg, ty: Ty, address: Operand, order: LoadOrder) -> Done {
    let at = locate(cx, address, ty)?;
    cx.touch_reading(at, cx.size(ty), AccessKind::Read, order)?;
    let value = cx.read(at, cx.size(ty))?;
    let value = narrowed(cx, value, ty)?;
    note_weak_at(cx, at, ty, order != LoadOrder::SeqCst, (false, true));
    note_hearsay(cx, order == LoadOrder::Relaxed);
    let done = Operation {
        at,
        ty,
        reads: true,
        writes: None,
        is_seq_cst: order == LoadOrder::SeqCst,
        held: Some(value),
        dest: Some(dest),
    };
    note_in_graph(cx, done, None);
    cx.bind(dest, value);
    Ok(Flow::Next)
}

/// `store atomic`
pub(crate) fn store(cx: &mut StepCx, ty: Ty, address: Operand, value: Operand, order: StoreOrder) -> Done {
    let at = locate(cx, address, ty)?;
    let value = cx.operand(value, ty);
    cx.touch(at, cx.size(ty), AccessKind::Write, true)?;
    let held = held(cx, at, ty);
    cx.write(at, cx.size(ty), value)?;
    note_weak_at(cx, at, ty, order != StoreOrder::SeqCst, (true, true));
    note_hearsay(cx, order == StoreOrder::Relaxed);
    cx.state.order.store(cx.thread.id, place(at), order != StoreOrder::Relaxed);
    let is_seq_cst = order == StoreOrder::SeqCst;
    note_in_graph(cx, Operation { at, ty, reads: false, writes: Some(value), is_seq_cst, held, dest: None }, None);
    Ok(Flow::Next)
}

/// What volatile accesses order is not said by C's model.
fn note_volatile(cx: &mut StepCx) {
    cx.engine.assumed.volatile |= cx.state.concurrent;
    if is_asked(cx) {
        let remedy =
            "a volatile access that is taken for a relaxed atomic one: what its order allows was not looked for";
        cx.note(LossKind::WeakMemory, remedy);
    }
}

/// `load volatile`, where it is taken for a relaxed atomic one.
pub(super) fn volatile_load(cx: &mut StepCx, dest: Reg, ty: Ty, address: Operand) -> Done {
    let flow = load(cx, dest, ty, address, LoadOrder::Relaxed)?;
    note_volatile(cx);
    Ok(flow)
}

/// `store volatile`, likewise.
pub(super) fn volatile_store(cx: &mut StepCx, ty: Ty, address: Operand, value: Operand) -> Done {
    let flow = store(cx, ty, address, value, StoreOrder::Relaxed)?;
    note_volatile(cx);
    Ok(flow)
}

/// `atomicrmw`
pub(crate) fn rmw(
    cx: &mut StepCx,
    dest: Reg,
    op: RmwOp,
    ty: Ty,
    address: Operand,
    value: Operand,
    order: Order,
) -> Done {
    let at = locate(cx, address, ty)?;
    let operand = cx.operand(value, ty);
    cx.touch_reading(at, cx.size(ty), AccessKind::ReadWrite, order.of_read())?;
    let old = cx.read(at, cx.size(ty))?;
    let old = narrowed(cx, old, ty)?;
    let new = updated(cx, op, ty, old, operand)?;
    cx.write(at, cx.size(ty), new)?;
    // The C library's own are how its model is written, not what the system does.
    let own = cx.state.memory.object(at.object).guarded;
    let tells = cx.is_on_device() && cx.state.concurrent && update_tells(cx, at, op, ty, order);
    note_weak_at(cx, at, ty, order != Order::SeqCst && !own, (true, tells));
    note_hearsay(cx, !matches!(order, Order::AcqRel | Order::SeqCst));
    cx.state.order.update(cx.thread.id, place(at), order);
    if !own {
        let is_seq_cst = order == Order::SeqCst;
        note_in_graph(
            cx,
            Operation { at, ty, reads: true, writes: Some(new), is_seq_cst, held: Some(old), dest: None },
            None,
        );
    }
    cx.bind(dest, old);
    Ok(Flow::Next)
}

/// Whether threads of a launch can tell by an update what others did: by its result, by what happens before it, or because it does not
/// commute with the others of its place.
fn update_tells(cx: &mut StepCx, at: Pointer, op: RmwOp, ty: Ty, order: Order) -> bool {
    let commutes_with_itself = !matches!(op, RmwOp::Exchange | RmwOp::Nand) && !op.is_float();
    let size = cx.size(ty);
    let joins_others = cx.tells_with_others(place(at), op, size);
    cx.result_is_used() || order.of_read() != LoadOrder::Relaxed || !commutes_with_itself || joins_others
}

fn updated(cx: &mut StepCx, op: RmwOp, ty: Ty, old: Value, operand: Value) -> Result<Value, Stop> {
    let address = cx.bits(ty) == cx.pointer().bits();
    match (op, old, operand) {
        (RmwOp::Exchange, ..) => return Ok(operand),
        (RmwOp::FAdd, ..) => return super::float::computed(cx, FloatOp::Add, ty, &[old, operand]),
        (RmwOp::FSub, ..) => return super::float::computed(cx, FloatOp::Sub, ty, &[old, operand]),
        (RmwOp::FMax, ..) => return super::float::computed(cx, FloatOp::MaxNum, ty, &[old, operand]),
        (RmwOp::FMin, ..) => return super::float::computed(cx, FloatOp::MinNum, ty, &[old, operand]),
        (RmwOp::Add, Value::Ptr(p), Value::Int(n)) if address => {
            return Ok(Value::Ptr(cx.state.memory.moved(p, n as i64)));
        }
        (RmwOp::Sub, Value::Ptr(p), Value::Int(n)) if address => {
            return Ok(Value::Ptr(cx.state.memory.moved(p, (n as i64).wrapping_neg())));
        }
        _ => {}
    }
    let width = u32::from(cx.bits(ty));
    let (a, b) = (cx.term_of(old, width)?, cx.term_of(operand, width)?);
    let terms = &mut cx.engine.terms;
    let term = match op {
        RmwOp::Exchange | RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => b,
        RmwOp::Add => terms.add(a, b),
        RmwOp::Sub => terms.sub(a, b),
        RmwOp::And => terms.and(a, b),
        RmwOp::Nand => {
            let both = terms.and(a, b);
            terms.not(both)
        }
        RmwOp::Or => terms.or(a, b),
        RmwOp::Xor => terms.xor(a, b),
        RmwOp::Max => {
            let less = terms.slt(a, b);
            terms.ite(less, b, a)
        }
        RmwOp::Min => {
            let less = terms.slt(a, b);
            terms.ite(less, a, b)
        }
        RmwOp::UMax => {
            let less = terms.ult(a, b);
            terms.ite(less, b, a)
        }
        RmwOp::UMin => {
            let less = terms.ult(a, b);
            terms.ite(less, a, b)
        }
    };
    Ok(cx.simplest(term))
}

/// The operands of a compare-and-exchange.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    pub ty: Ty,
    pub address: Operand,
    pub expected: Operand,
    pub new: Operand,
    pub weak: bool,
}

/// `cmpxchg`. A failing one is a load (C11 7.17.7.4p3). A weak one may fail though the values are equal, as often per
/// place as a wait may wake spuriously.
pub(super) fn compare_exchange(
    cx: &mut StepCx,
    old_reg: Reg,
    success_reg: Reg,
    exchange: Exchange,
    success: Order,
    failure: LoadOrder,
) -> Done {
    let Exchange { ty, address, expected, new, weak } = exchange;
    let at = locate(cx, address, ty)?;
    let (expected, new) = (cx.operand(expected, ty), cx.operand(new, ty));
    let size = cx.size(ty);
    super::memory::visible_exchange(cx, at, size, expected)
        .or_else(|stop| if cx.state.concurrent { Err(stop) } else { Ok(()) })?;
    let old =
        if cx.state.memory.object(at.object).is_live() && cx.state.memory.object(at.object).contains(at.offset, size) {
            let value = cx.read(at, size)?;
            narrowed(cx, value, ty)?
        } else {
            expected
        };
    let equal = arithmetic::equal(cx, old, expected, ty)?;
    let mut equal = cx.holds(equal)?;
    if let (false, Value::Term(term), Some(number)) = (equal, old, cx.state.memory.number(expected))
        && !cx.engine.config.unfolding
    {
        cx.state.path.note_unequal(term, number);
    }
    if equal && weak && cx.thread.spurious_used() < cx.engine.config.spurious {
        // The first alternative is the ordinary one.
        if cx.pick(2)? == 1 {
            cx.thread.note_spurious(&cx.engine.config);
            equal = false;
        }
    }
    let (kind, order) = match equal {
        true => (AccessKind::ReadWrite, success.of_read()),
        false => (AccessKind::Read, failure),
    };
    cx.touch_reading(at, size, kind, order)?;
    if equal {
        cx.write(at, size, new)?;
        cx.state.order.update(cx.thread.id, place(at), success);
    }
    note_weak_at(cx, at, ty, success != Order::SeqCst || failure != LoadOrder::SeqCst, (true, true));
    note_hearsay(cx, !matches!(success, Order::AcqRel | Order::SeqCst) || failure == LoadOrder::Relaxed);
    let exchanged = Exchanged {
        expected,
        new,
        may_fail: weak && cx.engine.config.spurious > 0,
        success_seq_cst: success == Order::SeqCst,
        failure_seq_cst: failure == LoadOrder::SeqCst,
    };
    let is_seq_cst = if equal { exchanged.success_seq_cst } else { exchanged.failure_seq_cst };
    let done = Operation { at, ty, reads: true, writes: equal.then_some(new), is_seq_cst, held: Some(old), dest: None };
    note_in_graph(cx, done, Some(&exchanged));
    cx.bind(old_reg, old);
    cx.bind(success_reg, Value::Int(u64::from(equal)));
    Ok(Flow::Next)
}

/// `fence`
pub(super) fn fence(cx: &mut StepCx, order: Order, single_thread: bool) -> Done {
    if !single_thread {
        note_weak(cx, order != Order::SeqCst);
        cx.give_up_block();
        let is_asked = is_asked(cx);
        if is_asked {
            let site = cx.exact_site();
            cx.state.begin_fence(cx.thread.id, site, order == Order::SeqCst);
        }
        cx.state.order.fence(cx.thread.id, order);
        if is_asked {
            cx.state.end_fence(cx.thread.id);
        }
        if cx.engine.config.opaque {
            let site = cx.exact_site();
            cx.state.observed.push(Observed::Fenced { site, order });
        }
    }
    Ok(Flow::Next)
}
