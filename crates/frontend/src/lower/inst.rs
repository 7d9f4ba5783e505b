//! Instructions without memory, in LangRef's order of chapters.

use super::function::Body;
use super::scalars::{single, skip};
use super::vector::{self, each, elements};
use super::{call, float, memory};
use crate::llvm::Value;
use ir::{BinaryOp, CastKind, FloatCast, FloatOp, Op, Operand, Predicate, Ty};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode as Opcode};

/// Lowers anything but a terminator.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    use Opcode as O;
    match inst.opcode() {
        O::LLVMAdd => binary(body, inst, BinaryOp::Add),
        O::LLVMSub => binary(body, inst, BinaryOp::Sub),
        O::LLVMMul => binary(body, inst, BinaryOp::Mul),
        O::LLVMUDiv => binary(body, inst, BinaryOp::UDiv),
        O::LLVMSDiv => binary(body, inst, BinaryOp::SDiv),
        O::LLVMURem => binary(body, inst, BinaryOp::URem),
        O::LLVMSRem => binary(body, inst, BinaryOp::SRem),
        O::LLVMShl => binary(body, inst, BinaryOp::Shl),
        O::LLVMLShr => binary(body, inst, BinaryOp::LShr),
        O::LLVMAShr => binary(body, inst, BinaryOp::AShr),
        O::LLVMAnd => binary(body, inst, BinaryOp::And),
        O::LLVMOr => binary(body, inst, BinaryOp::Or),
        O::LLVMXor => binary(body, inst, BinaryOp::Xor),
        O::LLVMFNeg => float::compute(body, inst, FloatOp::Neg),
        O::LLVMFAdd => float::compute(body, inst, FloatOp::Add),
        O::LLVMFSub => float::compute(body, inst, FloatOp::Sub),
        O::LLVMFMul => float::compute(body, inst, FloatOp::Mul),
        O::LLVMFDiv => float::compute(body, inst, FloatOp::Div),
        O::LLVMFRem => float::compute(body, inst, FloatOp::Rem),
        O::LLVMExtractElement => vector::extract(body, inst),
        O::LLVMInsertElement => vector::insert(body, inst),
        O::LLVMShuffleVector => vector::shuffle(body, inst),
        O::LLVMExtractValue => extract_value(body, inst),
        O::LLVMInsertValue => insert_value(body, inst),
        O::LLVMAlloca => memory::alloca(body, inst),
        O::LLVMLoad => memory::load(body, inst),
        O::LLVMStore => memory::store(body, inst),
        O::LLVMFence => memory::fence(body, inst),
        O::LLVMAtomicCmpXchg => memory::compare_exchange(body, inst),
        O::LLVMAtomicRMW => memory::read_modify_write(body, inst),
        O::LLVMGetElementPtr => body.get_element_pointer(inst),
        O::LLVMTrunc => cast(body, inst, CastKind::Truncate),
        O::LLVMZExt => cast(body, inst, CastKind::ZeroExtend),
        O::LLVMSExt => cast(body, inst, CastKind::SignExtend),
        O::LLVMPtrToInt | O::LLVMPtrToAddr => pointer_to_integer(body, inst),
        O::LLVMIntToPtr => integer_to_pointer(body, inst),
        O::LLVMFPTrunc | O::LLVMFPExt => float::convert(body, inst, FloatCast::Resize),
        O::LLVMFPToUI => float::convert(body, inst, FloatCast::ToUnsigned),
        O::LLVMFPToSI => float::convert(body, inst, FloatCast::ToSigned),
        O::LLVMUIToFP => float::convert(body, inst, FloatCast::FromUnsigned),
        O::LLVMSIToFP => float::convert(body, inst, FloatCast::FromSigned),
        O::LLVMBitCast => vector::bit_cast(body, inst),
        O::LLVMAddrSpaceCast => address_space_cast(body, inst),
        O::LLVMICmp => compare(body, inst),
        O::LLVMFCmp => float::compare(body, inst),
        O::LLVMPHI => body.phi(inst),
        O::LLVMSelect => select(body, inst),
        O::LLVMFreeze => freeze(body, inst),
        O::LLVMCall => call::lower(body, inst),
        other => body.unsupported(inst, name(other)),
    }
}

/// What a user calls an instruction that the lowering does not know.
fn name(opcode: Opcode) -> &'static str {
    use Opcode as O;
    match opcode {
        O::LLVMVAArg => "`va_arg` instruction",
        O::LLVMLandingPad | O::LLVMCatchPad | O::LLVMCleanupPad => "exception handling",
        _ => "an instruction that raddle does not know",
    }
}

/// Says of which type an operation is that has no scalar type.
pub(super) fn refuse_type<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, operand: Value<'m>) {
    let exotic = body.cx.scalars(operand.ty()).exotic;
    let what = exotic.unwrap_or_else(|| format!("value of type `{}`", operand.ty().printed()));
    body.unsupported(inst, format!("operation on a {what}"));
}

fn binary<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, op: BinaryOp) {
    let operands = [inst.operand(0), inst.operand(1)];
    each(body, inst, &operands, |dest, ty, _, row| Op::Binary { dest, op, ty, lhs: row[0], rhs: row[1] });
}

fn extract_value<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let aggregate = inst.operand(0);
    let place = skip(body.cx.layout, aggregate.ty(), &inst.indices());
    let count = body.cx.scalars(inst.ty()).parts.len();
    let all = body.operands(aggregate);
    match place.and_then(|(start, _)| all.get(start..start + count)) {
        Some(part) => {
            let part = part.to_vec();
            body.bind(inst, part);
        }
        None => refuse_type(body, inst, aggregate),
    }
}

fn insert_value<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let aggregate = inst.operand(0);
    let place = skip(body.cx.layout, aggregate.ty(), &inst.indices());
    let mut all = body.operands(aggregate);
    let part = body.operands(inst.operand(1));
    match place.and_then(|(start, _)| all.get_mut(start..start + part.len())) {
        Some(target) => {
            target.copy_from_slice(&part);
            body.bind(inst, all);
        }
        None => refuse_type(body, inst, aggregate),
    }
}

fn cast<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, kind: CastKind) {
    each(body, inst, &[inst.operand(0)], |dest, to, from, row| Op::Cast { dest, kind, from, to, value: row[0] });
}

fn pointer_to_integer<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let source = inst.operand(0);
    let (Some(Ty::Ptr), Some(to)) = (single(source.ty()), single(inst.ty())) else {
        return refuse_type(body, inst, source);
    };
    let value = body.operand(source);
    let word = body.cx.word();
    let dest = body.define(word);
    body.emit(Op::Cast { dest, kind: CastKind::PtrToInt, from: Ty::Ptr, to: word, value });
    let whole = Operand::Reg(dest);
    let (from, to) = (body.cx.bits(word), body.cx.bits(to));
    let resized = resize(body, whole, from, to);
    body.bind(inst, vec![resized]);
}

/// Memory of a GPU is one memory here, with objects of several kinds. Elsewhere other address spaces are no memory of C's.
fn address_space_cast<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let source = inst.operand(0);
    if !body.cx.is_gpu || single(source.ty()) != Some(Ty::Ptr) {
        return body.unsupported(inst, "a pointer into another address space");
    }
    let pointer = body.operand(source);
    body.bind(inst, vec![pointer]);
}

fn integer_to_pointer<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let source = inst.operand(0);
    let (Some(from), Some(Ty::Ptr)) = (single(source.ty()), single(inst.ty())) else {
        return refuse_type(body, inst, source);
    };
    let value = body.operand(source);
    let word = body.cx.word();
    let (from, to) = (body.cx.bits(from), body.cx.bits(word));
    let value = resize(body, value, from, to);
    let dest = body.fresh_one(inst, Ty::Ptr);
    body.emit(Op::Cast { dest, kind: CastKind::IntToPtr, from: word, to: Ty::Ptr, value });
}

/// Zero-extends or truncates an integer, as LangRef has pointers converted.
pub(super) fn resize(body: &mut Body<'_, '_>, value: Operand, from: u16, to: u16) -> Operand {
    let kind = match from.cmp(&to) {
        std::cmp::Ordering::Equal => return value,
        std::cmp::Ordering::Less => CastKind::ZeroExtend,
        std::cmp::Ordering::Greater => CastKind::Truncate,
    };
    // A constant within both widths is the same constant.
    if let (Operand::Int(_), CastKind::ZeroExtend) = (value, kind) {
        return value;
    }
    let dest = body.define(Ty::Int(to));
    body.emit(Op::Cast { dest, kind, from: Ty::Int(from), to: Ty::Int(to), value });
    Operand::Reg(dest)
}

fn compare<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    use LLVMIntPredicate as P;
    let predicate = match inst.predicate() {
        P::LLVMIntEQ => Predicate::Eq,
        P::LLVMIntNE => Predicate::Ne,
        P::LLVMIntUGT => Predicate::Ugt,
        P::LLVMIntUGE => Predicate::Uge,
        P::LLVMIntULT => Predicate::Ult,
        P::LLVMIntULE => Predicate::Ule,
        P::LLVMIntSGT => Predicate::Sgt,
        P::LLVMIntSGE => Predicate::Sge,
        P::LLVMIntSLT => Predicate::Slt,
        P::LLVMIntSLE => Predicate::Sle,
    };
    let operands = [inst.operand(0), inst.operand(1)];
    each(body, inst, &operands, |dest, _, ty, row| Op::Compare { dest, predicate, ty, lhs: row[0], rhs: row[1] });
}

/// Parts of an aggregate and elements of a vector are chosen one by one.
fn select<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    if body.cx.scalars(inst.ty()).exotic.is_some() || elements(body, inst.operand(0)).is_none() {
        return refuse_type(body, inst, inst);
    }
    let conditions = body.operands(inst.operand(0));
    let (if_true, if_false) = (body.operands(inst.operand(1)), body.operands(inst.operand(2)));
    let types: Vec<Ty> = body.cx.scalars(inst.ty()).types().collect();
    let mut results = Vec::new();
    for (index, ((ty, if_true), if_false)) in types.into_iter().zip(if_true).zip(if_false).enumerate() {
        // One condition for all parts, or one each.
        let condition = if conditions.len() == 1 { conditions[0] } else { conditions[index] };
        let dest = body.define(ty);
        body.emit(Op::Select { dest, ty, condition, if_true, if_false });
        results.push(Operand::Reg(dest));
    }
    body.bind(inst, results);
}

/// LangRef: one arbitrary value instead of `undef` or `poison`.
fn freeze<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let values = body.operands(inst.operand(0));
    let types: Vec<Ty> = body.cx.scalars(inst.ty()).types().collect();
    let mut results = Vec::new();
    for (ty, value) in types.into_iter().zip(values) {
        let dest = body.define(ty);
        body.emit(Op::Cast { dest, kind: CastKind::Copy, from: ty, to: ty, value });
        results.push(Operand::Reg(dest));
    }
    body.bind(inst, results);
}
