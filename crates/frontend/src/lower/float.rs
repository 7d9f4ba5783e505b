//! Floating-point instructions and intrinsics.

use super::function::Body;
use super::scalars::single;
use super::vector::{each, elements};
use crate::llvm::Value;
use ir::{Argument, Callee, FloatCast, FloatOp, FloatPredicate, Op, Operand, Ty};
use llvm_sys::LLVMRealPredicate as P;

/// `fneg`, `fadd`, ... with the operands that the operation takes.
pub(super) fn compute<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, op: FloatOp) {
    if !is_float(body, inst) {
        return super::inst::refuse_type(body, inst, inst);
    }
    let operands: Vec<Value<'m>> = inst.operands().take(op.arity()).collect();
    each(body, inst, &operands, |dest, ty, _, row| Op::Float { dest, op, ty, operands: row.to_vec() });
}

fn is_float<'m>(body: &Body<'_, 'm>, value: Value<'m>) -> bool {
    elements(body, value).is_some_and(|types| types.iter().all(|ty| ty.is_float()))
}

/// `fcmp`
pub(super) fn compare<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let predicate = match inst.float_predicate() {
        P::LLVMRealPredicateFalse => FloatPredicate::False,
        P::LLVMRealOEQ => FloatPredicate::Oeq,
        P::LLVMRealOGT => FloatPredicate::Ogt,
        P::LLVMRealOGE => FloatPredicate::Oge,
        P::LLVMRealOLT => FloatPredicate::Olt,
        P::LLVMRealOLE => FloatPredicate::Ole,
        P::LLVMRealONE => FloatPredicate::One,
        P::LLVMRealORD => FloatPredicate::Ord,
        P::LLVMRealUEQ => FloatPredicate::Ueq,
        P::LLVMRealUGT => FloatPredicate::Ugt,
        P::LLVMRealUGE => FloatPredicate::Uge,
        P::LLVMRealULT => FloatPredicate::Ult,
        P::LLVMRealULE => FloatPredicate::Ule,
        P::LLVMRealUNE => FloatPredicate::Une,
        P::LLVMRealUNO => FloatPredicate::Uno,
        P::LLVMRealPredicateTrue => FloatPredicate::True,
    };
    let operands = [inst.operand(0), inst.operand(1)];
    if !is_float(body, operands[0]) {
        return super::inst::refuse_type(body, inst, operands[0]);
    }
    each(body, inst, &operands, |dest, _, ty, row| Op::FloatCompare { dest, predicate, ty, lhs: row[0], rhs: row[1] });
}

/// `fptosi`, `sitofp`, `fpext`, ...
pub(super) fn convert<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, kind: FloatCast) {
    each(body, inst, &[inst.operand(0)], |dest, to, from, row| Op::FloatCast { dest, kind, from, to, value: row[0] });
}

/// `llvm.is.fpclass`
pub(super) fn class<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let classes = u16::try_from(inst.operand(1).zero_extended() & 0x3ff).unwrap_or_default();
    each(body, inst, &[inst.operand(0)], |dest, _, ty, row| Op::FloatClass { dest, ty, value: row[0], classes });
}

/// `llvm.fmuladd`: fused where the function is compiled for a processor that does it, and else in two steps.
pub(super) fn multiply_add<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    if body.function.features().split(',').any(|feature| feature == "+fma") {
        return compute(body, inst, FloatOp::MulAdd);
    }
    let Some(types) = elements(body, inst) else { return super::inst::refuse_type(body, inst, inst) };
    let columns: Vec<Vec<Operand>> = (0..3).map(|i| body.operands(inst.operand(i))).collect();
    let mut results = Vec::new();
    for (index, ty) in types.into_iter().enumerate() {
        let at = |column: usize| columns[column].get(index).copied().unwrap_or(Operand::Undef);
        let product = float(body, FloatOp::Mul, ty, vec![at(0), at(1)]);
        results.push(float(body, FloatOp::Add, ty, vec![product, at(2)]));
    }
    body.bind(inst, results);
}

fn float(body: &mut Body<'_, '_>, op: FloatOp, ty: Ty, operands: Vec<Operand>) -> Operand {
    let dest = body.define(ty);
    body.emit(Op::Float { dest, op, ty, operands });
    Operand::Reg(dest)
}

/// `llvm.frexp`: fraction and exponent.
pub(super) fn frexp<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let types: Vec<Ty> = body.cx.scalars(inst.ty()).types().collect();
    let (Some(from), &[_, to]) = (single(inst.operand(0).ty()), types.as_slice()) else {
        return super::inst::refuse_type(body, inst, inst);
    };
    let value = body.operand(inst.operand(0));
    let fraction = float(body, FloatOp::FrexpFraction, from, vec![value]);
    let dest = body.define(to);
    body.emit(Op::FloatCast { dest, kind: FloatCast::FrexpExponent, from, to, value });
    body.bind(inst, vec![fraction, Operand::Reg(dest)]);
}

/// `llvm.modf`: fraction and whole part.
pub(super) fn modf<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let Some(ty) = single(inst.operand(0).ty()) else { return super::inst::refuse_type(body, inst, inst) };
    let value = body.operand(inst.operand(0));
    let fraction = float(body, FloatOp::ModfFraction, ty, vec![value]);
    let whole = float(body, FloatOp::Trunc, ty, vec![value]);
    body.bind(inst, vec![fraction, whole]);
}

/// `llvm.lrint`, `llvm.lround`: rounded, then converted.
pub(super) fn to_integer<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, rounding: FloatOp) {
    let (Some(from), Some(to)) = (single(inst.operand(0).ty()), single(inst.ty())) else {
        return super::inst::refuse_type(body, inst, inst);
    };
    let value = body.operand(inst.operand(0));
    let value = float(body, rounding, from, vec![value]);
    let dest = body.fresh_one(inst, to);
    body.emit(Op::FloatCast { dest, kind: FloatCast::ToSigned, from, to, value });
}

/// An intrinsic that stands for a function of the mathematical library (LangRef 'Standard C/C++ Library Intrinsics'): a
/// call of that function.
pub(super) fn library<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, name: &str) {
    let Some(ty) = single(inst.ty()).filter(|ty| ty.is_float()) else {
        return super::inst::refuse_type(body, inst, inst);
    };
    let mut args = Vec::new();
    for argument in inst.arguments() {
        let Some(ty) = single(argument.ty()) else { return super::inst::refuse_type(body, inst, argument) };
        args.push(Argument { value: body.operand(argument), ty, by_value: None });
    }
    let result = called(body, name, ty, args);
    body.bind(inst, vec![result]);
}

/// `llvm.sincos`: both.
pub(super) fn sine_and_cosine<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let Some(ty) = single(inst.operand(0).ty()).filter(|ty| ty.is_float()) else {
        return super::inst::refuse_type(body, inst, inst);
    };
    let value = body.operand(inst.operand(0));
    let results = ["sin", "cos"].map(|name| called(body, name, ty, vec![Argument { value, ty, by_value: None }]));
    body.bind(inst, results.to_vec());
}

/// The result of a function of the mathematical library, of the version for a type.
fn called(body: &mut Body<'_, '_>, name: &str, ty: Ty, args: Vec<Argument>) -> Operand {
    let suffix = match ty {
        Ty::F32 => "f",
        Ty::F80 => "l",
        _ => "",
    };
    let callee = body.cx.library_function(&format!("{name}{suffix}"), ty, args.iter().map(|a| a.ty));
    let dest = body.define(ty);
    body.emit(Op::Call { dests: vec![dest], callee: Callee::Direct(callee), args });
    Operand::Reg(dest)
}
