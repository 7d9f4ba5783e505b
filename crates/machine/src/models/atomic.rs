//! The atomic library (GCC's libatomic, LLVM's 'Atomic Instructions and Concurrency Guide', "Libcalls: __atomic_*"): what
//! clang calls for objects of sizes that the processor has no instruction for.
//!
//! Each call is one atomic step on all of its bytes, whatever lock the library may take.

use super::{Model, returns};
use crate::step::{Call, Flow, StepCx, atomic, equal, range_at};
use crate::{LossKind, Stop};
use concurrency::{AccessKind, Action, Range};
use ir::{LoadOrder, Order, RmwOp, StoreOrder, Ty};
use memory::{Contents, Life, Object, ObjectKind, Pointer, Value};

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    let operation = name.strip_prefix("__atomic_")?;
    Some(match operation {
        "load" => load,
        "store" => store,
        "exchange" => exchange,
        "compare_exchange" => compare_exchange,
        "is_lock_free" => is_lock_free,
        _ => {
            let (operation, size) = operation.rsplit_once('_')?;
            if !matches!(size, "1" | "2" | "4" | "8" | "16") {
                return None;
            }
            match operation {
                "load" => load_sized,
                "store" => store_sized,
                "exchange" => |cx, call| update_sized(cx, call, RmwOp::Exchange),
                "compare_exchange" => compare_exchange_sized,
                "fetch_add" => |cx, call| update_sized(cx, call, RmwOp::Add),
                "fetch_sub" => |cx, call| update_sized(cx, call, RmwOp::Sub),
                "fetch_and" => |cx, call| update_sized(cx, call, RmwOp::And),
                "fetch_or" => |cx, call| update_sized(cx, call, RmwOp::Or),
                "fetch_xor" => |cx, call| update_sized(cx, call, RmwOp::Xor),
                "fetch_nand" => |cx, call| update_sized(cx, call, RmwOp::Nand),
                _ => return None,
            }
        }
    })
}

/// The order that a call's argument names (`__ATOMIC_RELAXED` and its like).
fn order(cx: &mut StepCx, call: &Call, index: usize) -> Result<Order, Stop> {
    Ok(match call.concrete(cx, index)? {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    })
}

fn for_load(order: Order) -> LoadOrder {
    match order {
        Order::Relaxed | Order::Release => LoadOrder::Relaxed,
        Order::Acquire | Order::AcqRel => LoadOrder::Acquire,
        Order::SeqCst => LoadOrder::SeqCst,
    }
}

fn for_store(order: Order) -> StoreOrder {
    match order {
        Order::Relaxed | Order::Acquire => StoreOrder::Relaxed,
        Order::Release | Order::AcqRel => StoreOrder::Release,
        Order::SeqCst => StoreOrder::SeqCst,
    }
}

/// The bytes that a pointer argument leads to.
fn locate(cx: &mut StepCx, call: &Call, index: usize, size: u64) -> Result<Pointer, Stop> {
    let hint = call.hint(cx, index);
    let address = call.arg(cx, index)?;
    cx.locate_exactly(address, size, hint)
}

/// Stops before the call while other threads live: for the atomic object, and for a buffer that they may know as well.
fn before(cx: &mut StepCx, object: Range, write: bool, buffers: &[Range]) -> Result<(), Stop> {
    if !cx.state.concurrent {
        return Ok(());
    }
    let shared = |range: &&Range| {
        let known = cx.state.memory.object(range.object);
        known.escaped || known.kind != ObjectKind::Stack
    };
    let shared: Vec<Range> = buffers.iter().filter(shared).copied().collect();
    if shared.len() > 1 && cx.is_visible() {
        return Err(cx.abandon(LossKind::Unsupported, "an atomic call on several objects that other threads change"));
    }
    cx.visible(Action::Access { range: object, write, also: shared.first().copied(), expects: None })?;
    // Of what else it accesses nobody knows what came before.
    cx.state.hearsay = true;
    Ok(())
}

fn copy(cx: &mut StepCx, to: Pointer, from: Pointer, size: u64) -> Result<(), Stop> {
    let program = cx.program;
    let copied = cx.state.memory.copy(&mut cx.engine.terms, &program.module, &program.facts, to, from, size);
    cx.decided(copied)
}

/// `void __atomic_load(size_t size, void *object, void *result, int order)`
fn load(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 0)?;
    let (object, result) = (locate(cx, call, 1, size)?, locate(cx, call, 2, size)?);
    let order = for_load(order(cx, call, 3)?);
    before(cx, range_at(object, size), false, &[range_at(result, size)])?;
    cx.touch_reading(object, size, AccessKind::Read, order)?;
    cx.touch(result, size, AccessKind::Write, false)?;
    copy(cx, result, object, size)?;
    atomic::note_weak_unseen(cx, order != LoadOrder::SeqCst);
    Ok(Flow::Next)
}

/// `void __atomic_store(size_t size, void *object, void *value, int order)`
fn store(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 0)?;
    let (object, value) = (locate(cx, call, 1, size)?, locate(cx, call, 2, size)?);
    let order = for_store(order(cx, call, 3)?);
    before(cx, range_at(object, size), true, &[range_at(value, size)])?;
    cx.touch(value, size, AccessKind::Read, false)?;
    cx.touch(object, size, AccessKind::Write, true)?;
    copy(cx, object, value, size)?;
    atomic::note_weak_unseen(cx, order != StoreOrder::SeqCst);
    cx.state.order.store(cx.thread.id, atomic::place(object), order != StoreOrder::Relaxed);
    Ok(Flow::Next)
}

/// `void __atomic_exchange(size_t size, void *object, void *value, void *result, int order)`
fn exchange(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 0)?;
    let (object, value, result) = (locate(cx, call, 1, size)?, locate(cx, call, 2, size)?, locate(cx, call, 3, size)?);
    let order = order(cx, call, 4)?;
    before(cx, range_at(object, size), true, &[range_at(value, size), range_at(result, size)])?;
    cx.touch(value, size, AccessKind::Read, false)?;
    cx.touch_reading(object, size, AccessKind::ReadWrite, order.of_read())?;
    cx.touch(result, size, AccessKind::Write, false)?;
    let contents = Contents::undefined(size as usize);
    let address = cx.stack_address(size, 16)?;
    let between = cx.state.memory.insert(Object::new(ObjectKind::Stack, address, None, "", contents));
    let old = Pointer::to(between);
    let moved = copy(cx, old, object, size)
        .and_then(|()| copy(cx, object, value, size))
        .and_then(|()| copy(cx, result, old, size));
    cx.state.memory.end(between, Life::Ended);
    moved?;
    atomic::note_weak_unseen(cx, order != Order::SeqCst);
    cx.state.order.update(cx.thread.id, atomic::place(object), order);
    Ok(Flow::Next)
}

/// What is stored by a successful exchange.
enum New {
    At(Pointer),
    Value(Value),
}

/// `bool __atomic_compare_exchange(size_t size, void *object, void *expected, void *desired, int success, int failure)`
fn compare_exchange(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 0)?;
    let (object, expected) = (locate(cx, call, 1, size)?, locate(cx, call, 2, size)?);
    let desired = locate(cx, call, 3, size)?;
    let orders = (order(cx, call, 4)?, order(cx, call, 5)?);
    exchange_if_equal(cx, call, size, object, expected, New::At(desired), orders)
}

/// `bool __atomic_compare_exchange_16(void *object, void *expected, __int128 desired, int success, int failure)`
fn compare_exchange_sized(cx: &mut StepCx, call: &Call) -> Done {
    let size = cx.size(call.ty(2));
    let (object, expected) = (locate(cx, call, 0, size)?, locate(cx, call, 1, size)?);
    let desired = call.arg(cx, 2)?;
    let orders = (order(cx, call, 3)?, order(cx, call, 4)?);
    exchange_if_equal(cx, call, size, object, expected, New::Value(desired), orders)
}

fn exchange_if_equal(
    cx: &mut StepCx,
    call: &Call,
    size: u64,
    object: Pointer,
    expected: Pointer,
    new: New,
    (success, failure): (Order, Order),
) -> Done {
    let mut buffers = vec![range_at(expected, size)];
    if let New::At(desired) = new {
        buffers.push(range_at(desired, size));
    }
    // Visible as a write: whether it will be one is known only when it happens.
    before(cx, range_at(object, size), true, &buffers)?;
    cx.check_access(object, size, AccessKind::Read, true)?;
    cx.check_access(expected, size, AccessKind::Read, false)?;
    let equal = same_bytes(cx, object, expected, size)?;
    if let New::At(desired) = new {
        cx.touch(desired, size, AccessKind::Read, false)?;
    }
    cx.touch(expected, size, if equal { AccessKind::Read } else { AccessKind::ReadWrite }, false)?;
    let (kind, order) = match equal {
        true => (AccessKind::ReadWrite, success.of_read()),
        false => (AccessKind::Read, for_load(failure)),
    };
    cx.touch_reading(object, size, kind, order)?;
    match (equal, new) {
        (true, New::At(desired)) => copy(cx, object, desired, size)?,
        (true, New::Value(value)) => cx.write(object, size, value)?,
        (false, _) => copy(cx, expected, object, size)?,
    }
    if equal {
        cx.state.order.update(cx.thread.id, atomic::place(object), success);
    }
    atomic::note_weak_unseen(cx, success != Order::SeqCst || failure != Order::SeqCst);
    returns(cx, call, Value::Int(u64::from(equal)))
}

/// Whether two places hold the same bytes; stops when that is open. Padding that was never set decides nothing that is
/// known (C11 7.17.7.4, note 3).
fn same_bytes(cx: &mut StepCx, a: Pointer, b: Pointer, size: u64) -> Result<bool, Stop> {
    let mut offset = 0;
    while offset < size {
        let rest = size - offset;
        // Pieces no longer than a pointer, so that pointers are compared as such.
        let longest = rest.min(cx.pointer().bytes());
        let length = [8, 4, 2, 1].into_iter().find(|n| *n <= longest && offset % n == 0).unwrap_or(1);
        let at = offset as i64;
        let (x, y) = (cx.read(a.plus(at), length)?, cx.read(b.plus(at), length)?);
        let same = equal(cx, x, y, Ty::Int(length as u16 * 8))?;
        let term = cx.term_of(same, 1)?;
        if cx.depends_on_uninitialised(term)? {
            return Err(cx.abandon(LossKind::Unsupported, "an atomic comparison of bytes that were never set"));
        }
        if !cx.holds(same)? {
            return Ok(false);
        }
        offset += length;
    }
    Ok(true)
}

/// `T __atomic_load_N(T *object, int order)`
fn load_sized(cx: &mut StepCx, call: &Call) -> Done {
    let order = for_load(order(cx, call, 1)?);
    let (Some(&dest), Some(object)) = (call.dests.first(), call.args.first()) else { return Ok(Flow::Next) };
    let ty = cx.module()[cx.thread.frame().function].register(dest).ty;
    atomic::load(cx, dest, ty, object.value, order)
}

/// `void __atomic_store_N(T *object, T value, int order)`
fn store_sized(cx: &mut StepCx, call: &Call) -> Done {
    let order = for_store(order(cx, call, 2)?);
    let [object, value, ..] = call.args else { return Ok(Flow::Next) };
    atomic::store(cx, value.ty, object.value, value.value, order)
}

/// `T __atomic_exchange_N(T *object, T value, int order)`, `__atomic_fetch_add_N`, ...
fn update_sized(cx: &mut StepCx, call: &Call, op: RmwOp) -> Done {
    let order = order(cx, call, 2)?;
    let (Some(&dest), [object, value, ..]) = (call.dests.first(), call.args) else { return Ok(Flow::Next) };
    atomic::rmw(cx, dest, op, value.ty, object.value, value.value, order)
}

/// `bool __atomic_is_lock_free(size_t size, void *object)`: whether it is one of the sizes of the processor's own.
fn is_lock_free(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 0)?;
    returns(cx, call, Value::Int(u64::from(matches!(size, 1 | 2 | 4 | 8))))
}
