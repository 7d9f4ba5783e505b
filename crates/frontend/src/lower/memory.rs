//! Memory access and atomics.

use super::function::Body;
use super::scalars::single;
use super::vector;
use crate::llvm::{Type, Value};
use ir::{LoadOrder, Op, Operand, Order, RmwOp, StoreOrder, Ty};
use llvm_sys::{LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as Rmw, LLVMTypeKind};

/// LLVM allows segment registers and the like as address spaces; their addresses are no addresses of C. Those of a GPU are: kinds of
/// memory.
fn is_ordinary(body: &Body<'_, '_>, address: Value<'_>) -> bool {
    address.ty().address_space() == 0 || body.cx.is_gpu
}

const OTHER_SPACE: &str = "access to another address space";

pub(super) fn alloca<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (ty, count) = (inst.allocated_type(), inst.operand(0));
    let Some(Ty::Int(bits)) = single(count.ty()).filter(|_| inst.ty().address_space() == 0) else {
        return body.unsupported(inst, "an unusual stack reservation");
    };
    let count = body.operand(count);
    let count = super::inst::resize(body, count, bits, 64);
    let variable = body.variables.storage.get(&inst).copied();
    let declared = variable.map(|v| body.cx.types.id(&mut body.cx.out, v.variable_type()));
    let size = body.cx.layout.size(ty);
    let align = inst.align().max(1);
    let dest = body.fresh_one(inst, Ty::Ptr);
    let name = variable.map(|v| v.variable_name());
    body.emit(Op::Alloca { dest, size, count, align, ty: declared, name });
}

/// The scalars of a type in memory, if all of them are known.
fn parts<'m>(body: &Body<'_, 'm>, ty: Type<'m>) -> Result<Vec<(i64, Ty)>, String> {
    let scalars = body.cx.scalars(ty);
    match scalars.exotic {
        Some(what) => Err(what),
        None => Ok(scalars.parts.into_iter().map(|(offset, ty)| (offset.cast_signed(), ty)).collect()),
    }
}

pub(super) fn load<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    if !is_ordinary(body, inst.operand(0)) {
        return body.unsupported(inst, OTHER_SPACE);
    }
    if let Some(element) = packed_element(inst.ty()) {
        return load_packed(body, inst, element);
    }
    let parts = match parts(body, inst.ty()) {
        Ok(parts) => parts,
        Err(what) => return body.unsupported(inst, format!("load of a {what}")),
    };
    let order = match inst.ordering() {
        Ordering::LLVMAtomicOrderingNotAtomic => None,
        Ordering::LLVMAtomicOrderingUnordered | Ordering::LLVMAtomicOrderingMonotonic => Some(LoadOrder::Relaxed),
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => Some(LoadOrder::SeqCst),
        _ => Some(LoadOrder::Acquire),
    };
    body.need_alignment(inst.operand(0), inst.align());
    let base = body.operand(inst.operand(0));
    let volatile = inst.is_volatile();
    let mut results = Vec::new();
    for (offset, ty) in parts {
        let address = body.displaced(base, offset);
        let dest = body.define(ty);
        body.emit(Op::Load { dest, ty, address, volatile, order });
        results.push(Operand::Reg(dest));
    }
    body.bind(inst, results);
}

pub(super) fn store<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (stored, target) = (inst.operand(0), inst.operand(1));
    if !is_ordinary(body, target) {
        return body.unsupported(inst, OTHER_SPACE);
    }
    if packed_element(stored.ty()).is_some() {
        return store_packed(body, inst);
    }
    let parts = match parts(body, stored.ty()) {
        Ok(parts) => parts,
        Err(what) => return body.unsupported(inst, format!("store of a {what}")),
    };
    let order = match inst.ordering() {
        Ordering::LLVMAtomicOrderingNotAtomic => None,
        Ordering::LLVMAtomicOrderingUnordered | Ordering::LLVMAtomicOrderingMonotonic => Some(StoreOrder::Relaxed),
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => Some(StoreOrder::SeqCst),
        _ => Some(StoreOrder::Release),
    };
    body.need_alignment(target, inst.align());
    let values = body.operands(stored);
    let base = body.operand(target);
    let volatile = inst.is_volatile();
    for ((offset, ty), value) in parts.into_iter().zip(values) {
        let address = body.displaced(base, offset);
        body.emit(Op::Store { ty, address, value, volatile, order });
    }
}

/// The element of a vector that lies in memory as one integer, as its elements are no whole bytes.
fn packed_element(ty: Type<'_>) -> Option<Ty> {
    let vector = ty.kind() == LLVMTypeKind::LLVMVectorTypeKind;
    single(vector.then(|| ty.element())?).filter(|element| element.number_bits().is_some_and(|bits| bits % 8 != 0))
}

fn load_packed<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, element: Ty) {
    let each = body.cx.bits(element);
    let bits = inst.ty().vector_length() * u64::from(each);
    let Some(bits) = u16::try_from(bits).ok().filter(|bits| *bits <= 128) else {
        return body.unsupported(inst, "load of a wide vector of bits");
    };
    let address = body.operand(inst.operand(0));
    let dest = body.define(Ty::Int(bits));
    body.emit(Op::Load { dest, ty: Ty::Int(bits), address, volatile: inst.is_volatile(), order: None });
    let parts = vector::split(body, Operand::Reg(dest), bits, each);
    body.bind(inst, parts);
}

fn store_packed<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let Some((value, ty)) = vector::packed(body, inst.operand(0)) else {
        return body.unsupported(inst, "store of a wide vector of bits");
    };
    let address = body.operand(inst.operand(1));
    body.emit(Op::Store { ty, address, value, volatile: inst.is_volatile(), order: None });
}

fn order(ordering: Ordering) -> Order {
    match ordering {
        Ordering::LLVMAtomicOrderingAcquire => Order::Acquire,
        Ordering::LLVMAtomicOrderingRelease => Order::Release,
        Ordering::LLVMAtomicOrderingAcquireRelease => Order::AcqRel,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => Order::SeqCst,
        _ => Order::Relaxed,
    }
}

pub(super) fn fence<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    body.emit(Op::Fence { order: order(inst.ordering()), single_thread: inst.is_single_thread() });
}

pub(super) fn compare_exchange<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let expected = inst.operand(1);
    let Some(ty) = single(expected.ty()).filter(|_| is_ordinary(body, inst.operand(0))) else {
        return body.unsupported(inst, "compare-exchange of an unusual type");
    };
    let (success, failure) = inst.exchange_orderings();
    let success_order = order(success);
    let failure_order = match failure {
        Ordering::LLVMAtomicOrderingAcquire => LoadOrder::Acquire,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => LoadOrder::SeqCst,
        _ => LoadOrder::Relaxed,
    };
    body.need_alignment(inst.operand(0), inst.align());
    let address = body.operand(inst.operand(0));
    let (expected, new) = (body.operand(expected), body.operand(inst.operand(2)));
    let weak = inst.is_weak();
    let (old, success) = (body.define(ty), body.define(Ty::Int(1)));
    body.bind(inst, vec![Operand::Reg(old), Operand::Reg(success)]);
    body.emit(Op::CompareExchange { old, success, ty, address, expected, new, weak, success_order, failure_order });
}

pub(super) fn read_modify_write<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let op = match inst.rmw_operation() {
        Rmw::LLVMAtomicRMWBinOpXchg => RmwOp::Exchange,
        Rmw::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        Rmw::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        Rmw::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        Rmw::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        Rmw::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        Rmw::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        Rmw::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        Rmw::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        Rmw::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        Rmw::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        Rmw::LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
        Rmw::LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
        Rmw::LLVMAtomicRMWBinOpFMax => RmwOp::FMax,
        Rmw::LLVMAtomicRMWBinOpFMin => RmwOp::FMin,
        _ => return body.unsupported(inst, "an atomic operation that C does not have"),
    };
    let Some(ty) = single(inst.ty()).filter(|_| is_ordinary(body, inst.operand(0))) else {
        return body.unsupported(inst, "atomic operation on an unusual type");
    };
    body.need_alignment(inst.operand(0), inst.align());
    let (address, value) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let dest = body.fresh_one(inst, ty);
    body.emit(Op::AtomicRmw { dest, op, ty, address, value, order: order(inst.ordering()) });
}
