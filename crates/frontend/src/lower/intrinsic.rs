//! Intrinsic functions (LangRef 'Intrinsic Functions').

use super::function::Body;
use super::inst::resize;
use super::scalars::single;
use super::{float, vector};
use crate::llvm::Value;
use ir::{Argument, BinaryOp, BitOp, Callee, CastKind, FloatCast, FloatOp, Op, Operand, Order, OverflowOp, Ty};
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
        ("ptrmask", _) => pointer_mask(body, inst),
        ("threadlocal", "address") => thread_local(body, inst),
        ("thread", "pointer") => thread_pointer(body, inst),
        // Arithmetic, in `integers`: `false` if it is none of them.
        _ if integers(body, inst, first, second) => {}
        ("vector", "reduce") => match parts.next().and_then(vector::reduction) {
            Some(how) => vector::reduce(body, inst, &how),
            None => body.unsupported(inst, format!("intrinsic `llvm.{name}`")),
        },
        // Floating point, in `floating`: `false` if it is none of them.
        _ if floating(body, inst, first, second) => {}
        // Processor instructions that have a meaning between threads.
        ("x86", "sse2") if name.ends_with(".pause") => {}
        ("x86", "sse2") if name.ends_with(".mfence") => {
            body.emit(Op::Fence { order: Order::SeqCst, single_thread: false });
        }
        // Loads and stores are not reordered in a way that these would prevent, under sequential consistency.
        ("x86", "sse" | "sse2") if name.ends_with("fence") => {
            body.emit(Op::Fence { order: Order::SeqCst, single_thread: true });
        }
        ("x86", "sse2") if name.ends_with(".clflush") => {}
        ("readcyclecounter", _) | ("x86", "rdtsc") => clock(body, inst),
        // CUDA's special registers and barriers, which the machine has models for.
        ("nvvm", _) => gpu(body, inst, name),
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
        _ => body.unsupported(inst, format!("intrinsic `llvm.{name}`")),
    }
}

/// Intrinsics of integers (LangRef 'Arithmetic with Overflow Intrinsics', 'Saturation Arithmetic Intrinsics', 'Bit Manipulation
/// Intrinsics'); whether this is one.
fn integers<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, first: &str, second: &str) -> bool {
    match (first, second) {
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
        ("sadd", "sat") => saturating(body, inst, OverflowOp::SAdd),
        ("uadd", "sat") => saturating(body, inst, OverflowOp::UAdd),
        ("ssub", "sat") => saturating(body, inst, OverflowOp::SSub),
        ("usub", "sat") => saturating(body, inst, OverflowOp::USub),
        ("fshl", _) => funnel_shift(body, inst, true),
        ("fshr", _) => funnel_shift(body, inst, false),
        _ => return false,
    }
    true
}

/// Intrinsics of floating-point numbers (LangRef 'Standard C/C++ Library Intrinsics', 'Saturating floating-point to integer
/// conversions', 'Floating-Point Test Intrinsics'); whether this is one.
fn floating<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, first: &str, second: &str) -> bool {
    let op = match (first, second) {
        ("fabs", _) => FloatOp::Abs,
        ("sqrt", _) => FloatOp::Sqrt,
        ("floor", _) => FloatOp::Floor,
        ("ceil", _) => FloatOp::Ceil,
        ("trunc", _) => FloatOp::Trunc,
        ("round", _) => FloatOp::Round,
        ("rint" | "nearbyint" | "roundeven", _) => FloatOp::RoundEven,
        ("copysign", _) => FloatOp::CopySign,
        // With a signalling NaN alone these would differ.
        ("minnum" | "minimumnum", _) => FloatOp::MinNum,
        ("maxnum" | "maximumnum", _) => FloatOp::MaxNum,
        ("minimum", _) => FloatOp::Minimum,
        ("maximum", _) => FloatOp::Maximum,
        ("fma", _) => FloatOp::MulAdd,
        ("ldexp", _) if is_int(body, inst.operand(1)) => FloatOp::Scale,
        ("powi", _) if is_int(body, inst.operand(1)) => FloatOp::IntPower,
        _ => return other_floating(body, inst, first, second),
    };
    float::compute(body, inst, op);
    true
}

/// Whether an exponent is an `int`, or several.
fn is_int<'m>(body: &Body<'_, 'm>, exponent: Value<'m>) -> bool {
    vector::elements(body, exponent).is_some_and(|types| types.iter().all(|ty| *ty == Ty::Int(32)))
}

/// Those that are not one operation on one type.
fn other_floating<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, first: &str, second: &str) -> bool {
    match (first, second) {
        ("fmuladd", _) => float::multiply_add(body, inst),
        ("is", "fpclass") => float::class(body, inst),
        ("fptosi", "sat") => float::convert(body, inst, FloatCast::ToSignedSaturating),
        ("fptoui", "sat") => float::convert(body, inst, FloatCast::ToUnsignedSaturating),
        ("frexp", _) => float::frexp(body, inst),
        ("modf", _) => float::modf(body, inst),
        ("sincos", _) => float::sine_and_cosine(body, inst),
        ("lround" | "llround", _) => float::to_integer(body, inst, FloatOp::Round),
        ("lrint" | "llrint", _) => float::to_integer(body, inst, FloatOp::RoundEven),
        (
            "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "pow" | "exp"
            | "exp2" | "exp10" | "log" | "log2" | "log10",
            _,
        ) => float::library(body, inst, first),
        _ => return false,
    }
    true
}

/// An intrinsic of CUDA's: a call of the model that has its name.
fn gpu<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, name: &str) {
    let arguments = inst.arguments();
    let mut args = Vec::new();
    for argument in arguments {
        let Some(ty) = single(argument.ty()) else {
            return body.unsupported(inst, format!("intrinsic `llvm.{name}`"));
        };
        args.push(Argument { value: body.operand(argument), ty, by_value: None });
    }
    let returns: Vec<Ty> = body.cx.scalars(inst.ty()).types().collect();
    if returns.len() > 1 {
        return body.unsupported(inst, format!("intrinsic `llvm.{name}`"));
    }
    let types: Vec<Ty> = args.iter().map(|argument| argument.ty).collect();
    let callee = body.cx.intrinsic_function(&format!("llvm.{name}"), returns.first().copied(), types);
    let dests = body.fresh(inst);
    body.emit(Op::Call { dests, callee: Callee::Direct(callee), args });
}

fn clock<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let time = clock_value(body);
    body.bind(inst, vec![time]);
}

/// What a clock shows: any value of 64 bits.
pub(super) fn clock_value(body: &mut Body<'_, '_>) -> Operand {
    let callee = body.cx.library_function("llvm.readcyclecounter", Ty::Int(64), std::iter::empty());
    let dest = body.define(Ty::Int(64));
    body.emit(Op::Call { dests: vec![dest], callee: Callee::Direct(callee), args: Vec::new() });
    Operand::Reg(dest)
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
    let bits = single(length.ty()).map_or(64, |ty| body.cx.bits(ty));
    let length = body.operand(length);
    resize(body, length, bits, 64)
}

fn copy<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, may_overlap: bool) {
    for index in 0..2 {
        body.need_alignment(inst.operand(index), inst.argument_alignment(index));
    }
    let (to, from) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let length = length(body, inst.operand(2));
    body.emit(Op::MemCopy { to, from, length, may_overlap });
}

fn fill<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    body.need_alignment(inst.operand(0), inst.argument_alignment(0));
    let (to, byte) = (body.operand(inst.operand(0)), body.operand(inst.operand(1)));
    let length = length(body, inst.operand(2));
    body.emit(Op::MemSet { to, byte, length });
}

/// `llvm.ptrmask`: a pointer rounded down, as `va_arg` does for aligned arguments.
fn pointer_mask<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (pointer, mask) = (inst.operand(0), inst.operand(1));
    let word = body.cx.word();
    let (Some(Ty::Ptr), true) = (single(pointer.ty()), single(mask.ty()) == Some(word)) else {
        return super::inst::refuse_type(body, inst, pointer);
    };
    let (pointer, mask) = (body.operand(pointer), body.operand(mask));
    let (address, masked) = (body.define(word), body.define(word));
    body.emit(Op::Cast { dest: address, kind: CastKind::PtrToInt, from: Ty::Ptr, to: word, value: pointer });
    let lhs = Operand::Reg(address);
    body.emit(Op::Binary { dest: masked, op: BinaryOp::And, ty: word, lhs, rhs: mask });
    let dest = body.fresh_one(inst, Ty::Ptr);
    let value = Operand::Reg(masked);
    body.emit(Op::Cast { dest, kind: CastKind::IntToPtr, from: word, to: Ty::Ptr, value });
}

/// `__builtin_thread_pointer`, which is how the GNU C library tells threads apart: `pthread_self`.
fn thread_pointer<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let word = body.cx.word();
    let callee = body.cx.library_function("pthread_self", word, std::iter::empty());
    let this = body.define(word);
    body.emit(Op::Call { dests: vec![this], callee: Callee::Direct(callee), args: Vec::new() });
    let dest = body.fresh_one(inst, Ty::Ptr);
    body.emit(Op::Cast { dest, kind: CastKind::IntToPtr, from: word, to: Ty::Ptr, value: Operand::Reg(this) });
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
    let mut operands = vec![inst.operand(0)];
    operands.extend(two.then(|| inst.operand(1)));
    vector::each(body, inst, &operands, |dest, ty, _, row| {
        let rhs = row.get(1).copied().unwrap_or(Operand::Int(0));
        Op::Bits { dest, op, ty, lhs: row[0], rhs }
    });
}

/// `llvm.sadd.sat` and its like: what does not fit becomes the greatest or the least number, the first operand's sign
/// saying which.
fn saturating<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, op: OverflowOp) {
    let Some(types) = vector::elements(body, inst) else { return super::inst::refuse_type(body, inst, inst) };
    let columns = [body.operands(inst.operand(0)), body.operands(inst.operand(1))];
    let mut results = Vec::new();
    for (index, ty) in types.into_iter().enumerate() {
        let (lhs, rhs) = (columns[0][index], columns[1][index]);
        let (sum, flag) = (body.define(ty), body.define(Ty::Int(1)));
        body.emit(Op::Overflow { dest: sum, overflow: flag, op, ty, lhs, rhs });
        let bits = body.cx.bits(ty);
        let greatest = u128::MAX >> (128 - u32::from(bits));
        let limit = match op {
            OverflowOp::UAdd => body.cx.integer(greatest),
            OverflowOp::USub => Operand::Int(0),
            _ => {
                let sign = body.define(ty);
                let shift = Operand::Int(u64::from(bits - 1));
                body.emit(Op::Binary { dest: sign, op: BinaryOp::AShr, ty, lhs, rhs: shift });
                let limit = body.define(ty);
                let greatest = body.cx.integer(greatest >> 1);
                body.emit(Op::Binary { dest: limit, op: BinaryOp::Xor, ty, lhs: Operand::Reg(sign), rhs: greatest });
                Operand::Reg(limit)
            }
        };
        let dest = body.define(ty);
        let (condition, if_false) = (Operand::Reg(flag), Operand::Reg(sum));
        body.emit(Op::Select { dest, ty, condition, if_true: limit, if_false });
        results.push(Operand::Reg(dest));
    }
    body.bind(inst, results);
}

/// `fshl(a, b, n)`: the high half of `a:b << n`; `fshr` the low half of `a:b >> n`; `n` modulo the width.
///
/// With `m = n % width`: `fshl = (a << m) | ((b >> 1) >> (width - 1 - m))`, `fshr = ((a << 1) << (width - 1 - m)) | (b >> m)`;
/// shifting twice keeps each amount below the width.
fn funnel_shift<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, left: bool) {
    let Some(types) = vector::elements(body, inst) else { return super::inst::refuse_type(body, inst, inst) };
    let columns: Vec<Vec<Operand>> = (0..3).map(|i| body.operands(inst.operand(i))).collect();
    let mut results = Vec::new();
    for (index, ty) in types.into_iter().enumerate() {
        results.push(funnel_shift_one(body, ty, (columns[0][index], columns[1][index]), columns[2][index], left));
    }
    body.bind(inst, results);
}

fn funnel_shift_one(
    body: &mut Body<'_, '_>,
    ty: Ty,
    (high, low): (Operand, Operand),
    amount: Operand,
    left: bool,
) -> Operand {
    let width = u64::from(body.cx.bits(ty));
    let binary = |body: &mut Body<'_, '_>, op, lhs, rhs| {
        let dest = body.define(ty);
        body.emit(Op::Binary { dest, op, ty, lhs, rhs });
        Operand::Reg(dest)
    };
    // One bit cannot be shifted, and its width is no number of its type.
    if width == 1 {
        return if left { high } else { low };
    }
    // A width that is a power of two may itself not fit its type.
    let amount = match width.is_power_of_two() {
        true => binary(body, BinaryOp::And, amount, Operand::Int(width - 1)),
        false => binary(body, BinaryOp::URem, amount, Operand::Int(width)),
    };
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
    binary(body, BinaryOp::Or, upper, lower)
}

/// `llvm.objectsize`: unknown, which is 0 where a lower bound is asked for and all ones otherwise.
fn object_size<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let wants_minimum = inst.operand(1).zero_extended() == 1;
    let bits = single(inst.ty()).map_or(64, |ty| body.cx.bits(ty)).min(64);
    let unknown = if wants_minimum { 0 } else { u64::MAX >> (64 - bits) };
    body.bind(inst, vec![Operand::Int(unknown)]);
}
