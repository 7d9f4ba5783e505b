//! Calls: direct, indirect, of inline assembly.

use super::function::Body;
use super::{asm, intrinsic, vector};
use crate::llvm::{LOCAL_BEGIN, LOCAL_END, UNINIT_PREFIX, Value};
use ir::{Argument, Callee, Op, Operand, Ty};
use llvm_sys::{LLVMTypeKind, LLVMValueKind};

pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let mut called = inst.called();
    while called.kind() == LLVMValueKind::LLVMGlobalAliasValueKind
        && let Some(aliasee) = called.aliasee()
    {
        called = aliasee;
    }
    if called.kind() == LLVMValueKind::LLVMInlineAsmValueKind {
        return asm::lower(body, inst, called);
    }
    if called.kind() == LLVMValueKind::LLVMFunctionValueKind {
        let name = called.name();
        if name.starts_with(UNINIT_PREFIX) {
            return uninit(body, inst);
        }
        if name == LOCAL_BEGIN || name == LOCAL_END {
            return lifetime(body, inst, name == LOCAL_BEGIN);
        }
        if name.starts_with("llvm.") && called.is_declaration() {
            return intrinsic::lower(body, inst, &name);
        }
    }
    let result = body.cx.scalars(inst.ty());
    if let Some(what) = result.exotic {
        return body.unsupported(inst, format!("call that returns a {what}"));
    }
    let mut args = Vec::new();
    for (index, argument) in inst.arguments().into_iter().enumerate() {
        let scalars = body.cx.scalars(argument.ty());
        if let Some(what) = scalars.exotic {
            return body.unsupported(inst, format!("call that passes a {what}"));
        }
        // Behind `...` arguments lie in memory, a vector in one piece (System V ABI, 3.5.7).
        let vector = argument.ty().kind() == LLVMTypeKind::LLVMVectorTypeKind;
        if vector && index >= inst.called_type().param_count() {
            match vector::packed(body, argument) {
                Some((value, ty)) => args.push(Argument { value, ty, by_value: None }),
                None => return body.unsupported(inst, "a wide vector as a variable argument"),
            }
            continue;
        }
        let by_value = inst.argument_attribute(index, "byval").map(|ty| body.cx.layout.size(ty));
        let values = body.operands(argument);
        args.extend(values.into_iter().zip(scalars.types()).map(|(value, ty)| Argument { value, ty, by_value }));
    }
    let callee = callee(body, inst, called, &args);
    let dests = body.fresh(inst);
    body.emit(Op::Call { dests, callee, args });
}

fn callee<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, called: Value<'m>, args: &[Argument]) -> Callee {
    if called.kind() == LLVMValueKind::LLVMFunctionValueKind
        && let Some(&id) = body.cx.functions.get(&called)
        && (called.value_type() == inst.called_type() || fits(body, inst, called, args))
    {
        return Callee::Direct(id);
    }
    // A call of wrong type is checked where it happens, like one through a pointer.
    Callee::Indirect(body.operand(called))
}

/// Whether a call through another function type, as of an old-style declaration (C11 6.5.2.2p6), passes and takes what
/// the function expects.
fn fits<'m>(body: &Body<'_, 'm>, inst: Value<'m>, called: Value<'m>, args: &[Argument]) -> bool {
    let params: Vec<Ty> =
        called.params().into_iter().flat_map(|p| body.cx.scalars(p.ty()).parts).map(|p| p.1).collect();
    let ty = called.value_type();
    let enough = if ty.is_variadic() { args.len() >= params.len() } else { args.len() == params.len() };
    enough
        && params.iter().zip(args).all(|(param, arg)| *param == arg.ty)
        && body.cx.scalars(ty.return_type()) == body.cx.scalars(inst.ty())
}

/// Where a variable begins or ends with its block.
fn lifetime<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, begins: bool) {
    if let Some(&argument) = inst.arguments().first()
        && let Operand::Reg(variable) = body.operand(argument)
    {
        body.emit(if begins { Op::LocalBegin { variable } } else { Op::LocalEnd { variable } });
    }
}

/// The indeterminate value of a local variable. Unused where the variable is written before it is read.
fn uninit<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    if !inst.is_used() {
        return;
    }
    for reg in body.fresh(inst) {
        let ty = body.registers[reg.index()].ty;
        body.emit(Op::Uninit { dest: reg, ty });
    }
}
