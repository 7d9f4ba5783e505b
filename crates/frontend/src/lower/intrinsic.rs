//! Intrinsic functions (LangRef 'Intrinsic Functions').

use super::function::Body;
use super::inst::resize;
use super::scalars::single;
use crate::llvm::Value;
use ir::{BinaryOp, BitOp, Callee, Op, Operand, OverflowOp, Ty};
use llvm_sys::LLVMValueKind;

/// Lowers a call of the intrinsic `name`.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, name: &str) {
    let name = name.strip_prefix("llvm.").unwrap_or(name);
    let mut parts = name.split('.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match (first, second) {
        // Variable arguments.
        ("va_start", _) => one_pointer(body, inst, |list| Op::VaStart { list }),
        ("va_end", _) => one_pointer(body, inst, |list| Op::VaEnd { list }),
        ("va_copy", _) => {
            let (to, from) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
            body.emit(Op::VaCopy { to, from });
        }
        // Memory.
        ("memcpy", "element") | ("memmove", "element") | ("memset", "element" | "pattern") => {
            body.unsupported(inst, format!("intrinsic `llvm.{name}`"));
        }
        ("memcpy", _) => copy(body, inst, false),
        ("memmove", _) => copy(body, inst, true),
        ("memset", _) => fill(body, inst),
        ("stacksave", _) => {
            let dest = body.fresh_one(inst, Ty::Ptr);
            body.emit(Op::StackSave { dest });
        }
        ("stackrestore", _) => one_pointer(body, inst, |saved| Op::StackRestore { saved }),
        ("threadlocal", "address") => thread_local(body, inst),
        // Arithmetic.
        ("sadd", "with") => overflow(body, inst, OverflowOp::SAdd),
        ("uadd", "with") => overflow(body, inst, OverflowOp::UAdd),
        ("ssub", "with") => overflow(body, inst, OverflowOp::SSub),
        ("usub", "with") => overflow(body, inst, OverflowOp::USub),
        ("smul", "with") => overflow(body, inst, OverflowOp::SMul),
        ("umul", "with") => overflow(body, inst, OverflowOp::UMul),
        ("ctpop", _) => bits(body, inst, BitOp::PopCount, false),
        ("ctlz", _) => bits(body, inst, BitOp::LeadingZeros, false),
        ("cttz", _) => bits(body, inst, BitOp::TrailingZeros, false),
        ("bswap", _) => bits(body, inst, BitOp::ByteSwap, false),
        ("bitreverse", _) => bits(body, inst, BitOp::BitReverse, false),
        ("abs", _) => bits(body, inst, BitOp::Abs, false),
        ("smax", _) => bits(body, inst, BitOp::SMax, true),
        ("smin", _) => bits(body, inst, BitOp::SMin, true),
        ("umax", _) => bits(body, inst, BitOp::UMax, true),
        ("umin", _) => bits(body, inst, BitOp::UMin, true),
        ("fshl", _) => funnel_shift(body, inst, true),
        ("fshr", _) => funnel_shift(body, inst, false),
        // Control.
        ("trap" | "debugtrap" | "ubsantrap", _) => {
            let callee = Callee::Direct(body.cx.trap());
            body.emit(Op::Call { dests: Vec::new(), callee, args: Vec::new() });
        }
        // Hints that stand for their first argument.
        ("expect" | "annotation" | "launder" | "strip" | "ssa", _) | ("ptr", "annotation") => {
            let values = body.operands(inst.operand(0));
            body.bind(inst, values);
        }
        // Questions to the optimiser, answered as without one.
        ("objectsize", _) => object_size(body, inst),
        ("is", "constant") => body.bind(inst, vec![Operand::Int(0)]),
        // Hints that stand for nothing.
        (
            "lifetime" | "assume" | "dbg" | "donothing" | "sideeffect" | "prefetch" | "var" | "pseudoprobe" | "fake",
            _,
        )
        | ("invariant", "end")
        | ("experimental", "noalias") => ignore(body, inst, name),
        ("returnaddress", _) => body.unsupported(inst, "`__builtin_return_address`"),
        ("frameaddress", _) => body.unsupported(inst, "`__builtin_frame_address`"),
        ("eh", "sjlj") => body.unsupported(inst, "`__builtin_setjmp`"),
        (
            "fabs" | "fma" | "fmuladd" | "sqrt" | "floor" | "ceil" | "pow" | "powi" | "copysign" | "minnum" | "maxnum",
            _,
        ) => {
            body.unsupported(inst, format!("floating-point function `{first}`"));
        }
        _ => body.unsupported(inst, format!("intrinsic `llvm.{name}`")),
    }
}

/// Nothing to do, if nothing is asked for.
fn ignore<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, name: &str) {
    if inst.is_used() {
        body.unsupported(inst, format!("intrinsic `llvm.{name}`"));
    }
}

fn one_pointer<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, make: impl FnOnce(Operand) -> Op) {
    let pointer = body.operand(inst.operand(0));
    body.emit(make(pointer));
}

/// A length as 64 bits.
fn length<'m>(body: &mut Body<'_, 'm>, length: Value<'m>) -> Operand {
    let bits = single(length.ty()).map_or(64, Ty::bits);
    let length = body.operand(length);
    resize(body, length, bits, 64)
}

fn copy<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, may_overlap: bool) {
    let (to, from) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let length = length(body, inst.operand(2));
    body.emit(Op::MemCopy { to, from, length, may_overlap });
}

fn fill<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (to, byte) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let length = length(body, inst.operand(2));
    body.emit(Op::MemSet { to, byte, length });
}

fn thread_local<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let variable = inst.operand(0);
    if variable.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
        && let Some(&global) = body.cx.globals.get(&variable)
    {
        let dest = body.fresh_one(inst, Ty::Ptr);
        return body.emit(Op::ThreadLocal { dest, global });
    }
    // The operand is an alias: its own evaluation makes the address.
    let address = body.operand(variable);
    body.bind(inst, vec![address]);
}

fn overflow<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, op: OverflowOp) {
    let Some(ty) = single(inst.operand(0).ty()) else {
        return body.unsupported(inst, "checked arithmetic on an unusual type");
    };
    let (lhs, rhs) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let (dest, flag) = (body.define(ty), body.define(Ty::Int(1)));
    body.bind(inst, vec![Operand::Reg(dest), Operand::Reg(flag)]);
    body.emit(Op::Overflow { dest, overflow: flag, op, ty, lhs, rhs });
}

fn bits<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, op: BitOp, two: bool) {
    let Some(ty) = single(inst.ty()) else { return body.unsupported(inst, "bit operation on an unusual type") };
    let lhs = body.operand(inst.operand(0));
    let rhs = if two { body.operand(inst.operand(1)) } else { Operand::Int(0) };
    let dest = body.fresh_one(inst, ty);
    body.emit(Op::Bits { dest, op, ty, lhs, rhs });
}

/// `fshl(a, b, n)`: the high half of `a:b << n`; `fshr` the low half of `a:b >> n`; `n` modulo the width.
///
/// With `m = n % width`: `fshl = (a << m) | ((b >> 1) >> (width - 1 - m))`, `fshr = ((a << 1) << (width - 1 - m)) | (b >> m)`;
/// shifting twice keeps each amount below the width.
fn funnel_shift<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, left: bool) {
    let Some(ty) = single(inst.ty()) else { return body.unsupported(inst, "rotation of an unusual type") };
    let operands: Vec<Operand> = (0..3).map(|i| body.operand(inst.operand(i))).collect();
    let (high, low, amount) = (operands[0], operands[1], operands[2]);
    let width = u64::from(ty.bits());
    let binary = |body: &mut Body<'_, 'm>, op, lhs, rhs| {
        let dest = body.define(ty);
        body.emit(Op::Binary { dest, op, ty, lhs, rhs });
        Operand::Reg(dest)
    };
    let amount = binary(body, BinaryOp::URem, amount, Operand::Int(width));
    let rest = binary(body, BinaryOp::Sub, Operand::Int(width - 1), amount);
    let one = Operand::Int(1);
    let (upper, lower) = if left {
        let upper = binary(body, BinaryOp::Shl, high, amount);
        let lower = binary(body, BinaryOp::LShr, low, one);
        (upper, binary(body, BinaryOp::LShr, lower, rest))
    } else {
        let upper = binary(body, BinaryOp::Shl, high, one);
        (binary(body, BinaryOp::Shl, upper, rest), binary(body, BinaryOp::LShr, low, amount))
    };
    let dest = body.fresh_one(inst, ty);
    body.emit(Op::Binary { dest, op: BinaryOp::Or, ty, lhs: upper, rhs: lower });
}

/// `llvm.objectsize`: unknown, which is 0 where a lower bound is asked for and all ones otherwise.
fn object_size<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let wants_minimum = inst.operand(1).zero_extended() == 1;
    let bits = single(inst.ty()).map_or(64, Ty::bits).min(64);
    let unknown = if wants_minimum { 0 } else { u64::MAX >> (64 - bits) };
    body.bind(inst, vec![Operand::Int(unknown)]);
}
