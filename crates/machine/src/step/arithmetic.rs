//! Integer arithmetic, comparisons, conversions. Concrete operands touch no term.

use super::{Done, Flow, StepCx};
use crate::{Choice, FaultKind, LossKind, Observed, Stop};
use ::memory::{Binding, LazyId, Life, ObjectKind, Pointer, Value};
use ir::{BinaryOp, BitOp, CastKind, Operand, OverflowOp, PointerSize, Predicate, Reg, Ty};
use smt::TermId;

/// The low `bits` of a word.
#[inline]
pub(crate) fn truncate(word: u64, bits: u16) -> u64 {
    if bits >= 64 { word } else { word & ((1 << bits) - 1) }
}

/// LangRef 'Binary Operations', 'Bitwise Binary Operations'. Overflow wraps (clang emits it as undefined; wrapping is what
/// every machine does, and signed overflow is no finding of raddle's). Of a shift's count only the low bits matter, as on x86.
pub(super) fn binary(cx: &mut StepCx, dest: Reg, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Done {
    let (a, b) = (cx.operand(lhs, ty), cx.operand(rhs, ty));
    if let Some(value) = pointer_arithmetic(cx, op, ty, a, b).or_else(|| tagged(cx, op, ty, a, b)) {
        cx.bind(dest, value);
        return Ok(Flow::Next);
    }
    if let Some(value) = tagged_lazy(cx, op, ty, a, b)? {
        cx.bind(dest, value);
        return Ok(Flow::Next);
    }
    if op == BinaryOp::Sub
        && cx.bits(ty) == cx.pointer().bits()
        && let Some([a, b]) = offsets_in_one(cx, a, b)
    {
        let terms = &mut cx.engine.terms;
        let distance = terms.sub(a, b);
        let distance = terms.trunc(distance, u32::from(ty.bits(cx.program.module.pointer)));
        cx.bind_term(dest, distance);
        return Ok(Flow::Next);
    }
    let (a, b) = (cx.integer(a, ty)?, cx.integer(b, ty)?);
    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
    let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
    if let (Value::Int(a), Value::Int(b)) = (a, b)
        && cx.bits(ty) <= 64
    {
        if divides && b == 0 {
            return Err(cx.fault(FaultKind::DivisionByZero, "division by zero"));
        }
        if signed && ir::sign_extend(b, cx.bits(ty)) == -1 && a == 1 << (cx.bits(ty) - 1) {
            return Err(cx.fault(FaultKind::DivisionByZero, QUOTIENT_OVERFLOWS));
        }
        cx.bind(dest, Value::Int(truncate(concrete_binary(op, cx.bits(ty), a, b), cx.bits(ty))));
        return Ok(Flow::Next);
    }
    let width = u32::from(cx.bits(ty));
    let (a, mut b) = (cx.term_of(a, width)?, cx.term_of(b, width)?);
    if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
        let mask = cx.engine.terms.bv(width, u128::from(count_mask(cx.bits(ty))) & (u128::MAX >> (128 - width)));
        b = cx.engine.terms.and(b, mask);
    }
    if divides {
        cx.check_defined(b, "a divisor is uninitialised")?;
        let is_zero = cx.engine.terms.is_zero(b);
        if cx.condition(is_zero)? {
            return Err(cx.fault(FaultKind::DivisionByZero, "division by zero"));
        }
    }
    if signed {
        let terms = &mut cx.engine.terms;
        let (least, minus_one) = (terms.bv(width, 1 << (width - 1)), terms.bv(width, u128::MAX >> (128 - width)));
        let (least, minus_one) = (terms.eq(a, least), terms.eq(b, minus_one));
        let overflows = terms.and(least, minus_one);
        if cx.condition(overflows)? {
            return Err(cx.fault(FaultKind::DivisionByZero, QUOTIENT_OVERFLOWS));
        }
    }
    let term = symbolic(cx, op, a, b);
    cx.bind_term(dest, term);
    Ok(Flow::Next)
}

/// LangRef: overflow of a signed division is undefined; x86 traps as for a zero divisor.
const QUOTIENT_OVERFLOWS: &str = "the quotient of the least number and -1 overflows";

/// The bits that no address of a process has. System V ABI 3.3.2: on 64 bits it has 47.
fn beyond_addresses(pointer: PointerSize) -> u64 {
    u64::MAX << pointer.bits().min(47)
}

/// The bits of an object's address that are zero in every layout of memory: malloc aligns to 16 bytes, and initial
/// objects stand where malloc would put them.
fn zero_bits(cx: &StepCx, object: ::memory::ObjId) -> u64 {
    let align = match cx.state.memory.object(object).kind {
        // System V ABI 3.5.7: arguments on the stack begin at a multiple of 16.
        ObjectKind::Heap | ObjectKind::Initial | ObjectKind::Arguments => 16,
        ObjectKind::Global(id) => cx.module()[id].align.clamp(1, 16),
        ObjectKind::Function(_) | ObjectKind::Stack => 1,
    };
    (align - 1) | beyond_addresses(cx.pointer())
}

/// Taking, setting and clearing the tag bits of a pointer, which keeps its provenance.
fn tagged(cx: &StepCx, op: BinaryOp, ty: Ty, a: Value, b: Value) -> Option<Value> {
    let ((Value::Ptr(p), Value::Int(n)) | (Value::Int(n), Value::Ptr(p))) = (a, b) else { return None };
    let (address, zero) = (cx.state.memory.address(p), zero_bits(cx, p.object));
    let result = match op {
        BinaryOp::And if n & !zero == 0 => return Some(Value::Int(address & n)),
        BinaryOp::And if n | zero == u64::MAX => address & n,
        BinaryOp::Or if n & !zero == 0 => address | n,
        BinaryOp::Xor if n & !zero == 0 => address ^ n,
        _ => return None,
    };
    let moved = || cx.state.memory.moved(p, result.wrapping_sub(address) as i64);
    (cx.bits(ty) == cx.pointer().bits()).then(|| Value::Ptr(moved()))
}

/// The same of a pointer of the initial heap: wherever it leads, what is there is aligned, and beside its tag the lowest bits of its
/// address are zero.
fn tagged_lazy(cx: &mut StepCx, op: BinaryOp, ty: Ty, a: Value, b: Value) -> Result<Option<Value>, Stop> {
    let settled = (cx.state.memory.settle(a), cx.state.memory.settle(b));
    let (pointer, offset, part, n, op) = match settled {
        (Value::Lazy { pointer, offset, part }, Value::Int(n)) if op == BinaryOp::URem && n.is_power_of_two() => {
            (pointer, offset, part, n - 1, BinaryOp::And)
        }
        (Value::Lazy { pointer, offset, part }, Value::Int(n))
        | (Value::Int(n), Value::Lazy { pointer, offset, part }) => (pointer, offset, part, n, op),
        _ => return Ok(None),
    };
    let shape = cx.state.memory.shape();
    let low = u64::from(shape.bits_below(cx.module(), pointer));
    let zero = low | beyond_addresses(cx.pointer());
    let clears = n | zero == u64::MAX;
    let whole = cx.bits(ty) == cx.pointer().bits();
    let concerns = match op {
        BinaryOp::And => n & !zero == 0 || whole && clears,
        BinaryOp::Or | BinaryOp::Xor => n & !low == 0 && whole,
        _ => false,
    };
    if !concerns || low == 0 {
        return Ok(None);
    }
    need_tag(cx, pointer)?;
    let tag = i64::from(cx.state.memory.shape().pointer(pointer).decision.tag());
    let bits = offset.wrapping_add(tag);
    let result = match op {
        BinaryOp::And if n & !zero == 0 => return Ok(Some(Value::Int(bits as u64 & n & low))),
        BinaryOp::And => bits & (n | !low) as i64,
        BinaryOp::Or => bits | n as i64,
        _ => bits ^ n as i64,
    };
    let offset = cx.pointer().wrap(result.wrapping_sub(tag));
    Ok(Some(Value::Lazy { pointer, offset, part }))
}

/// Stops for the lowest bits of a lazy pointer's address, if the program keeps marks there and nobody has asked.
pub(super) fn need_tag(cx: &StepCx, pointer: LazyId) -> Result<(), Stop> {
    match cx.state.memory.shape().open_tag(cx.module(), &cx.program.facts, pointer) {
        0 => Ok(()),
        mask => Err(Stop::Choice(Choice::Tag(pointer, mask))),
    }
}

/// Sums and differences that keep a pointer's provenance through integer registers.
fn pointer_arithmetic(cx: &StepCx, op: BinaryOp, ty: Ty, a: Value, b: Value) -> Option<Value> {
    let bits = cx.bits(ty);
    if bits != cx.pointer().bits() {
        return None;
    }
    let moved = |p: Pointer, by: i64| Some(Value::Ptr(cx.state.memory.moved(p, by)));
    let distance = |m: i64, n: i64| Some(Value::Int(truncate(m.wrapping_sub(n) as u64, bits)));
    match (op, a, b) {
        (BinaryOp::Add, Value::Ptr(p), Value::Int(n)) | (BinaryOp::Add, Value::Int(n), Value::Ptr(p)) => {
            moved(p, n as i64)
        }
        (BinaryOp::Sub, Value::Ptr(p), Value::Int(n)) => moved(p, (n as i64).wrapping_neg()),
        (BinaryOp::Sub, Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => distance(p.offset, q.offset),
        (BinaryOp::Sub, Value::Lazy { pointer: p, offset: m, .. }, Value::Lazy { pointer: q, offset: n, .. })
            if p == q =>
        {
            distance(m, n)
        }
        _ => None,
    }
}

/// Neither a zero divisor nor a quotient that overflows; the result may have bits above the width.
#[inline]
pub(super) fn concrete_binary(op: BinaryOp, bits: u16, a: u64, b: u64) -> u64 {
    let (sa, sb) = (ir::sign_extend(a, bits), ir::sign_extend(b, bits));
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::SDiv => sa.wrapping_div(sb) as u64,
        BinaryOp::URem => a % b,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u64,
        BinaryOp::Shl => a << (b & count_mask(bits)),
        BinaryOp::LShr => a >> (b & count_mask(bits)),
        BinaryOp::AShr => (sa >> (b & count_mask(bits))) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }
}

/// The bits of a shift's count that x86 looks at: 5 of them, 6 or 7 for the wider types.
fn count_mask(bits: u16) -> u64 {
    u64::from(bits).next_power_of_two().max(32) - 1
}

fn symbolic(cx: &mut StepCx, op: BinaryOp, a: TermId, b: TermId) -> TermId {
    let terms = &mut cx.engine.terms;
    match op {
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::UDiv => terms.udiv(a, b),
        BinaryOp::SDiv => terms.sdiv(a, b),
        BinaryOp::URem => terms.urem(a, b),
        BinaryOp::SRem => terms.srem(a, b),
        BinaryOp::Shl => terms.shl(a, b),
        BinaryOp::LShr => terms.lshr(a, b),
        BinaryOp::AShr => terms.ashr(a, b),
        BinaryOp::And => terms.and(a, b),
        BinaryOp::Or => terms.or(a, b),
        BinaryOp::Xor => terms.xor(a, b),
    }
}

/// `icmp`. LangRef: pointers compare as their addresses. Equality of pointers is decided by object and offset.
pub(super) fn compare(cx: &mut StepCx, dest: Reg, predicate: Predicate, ty: Ty, lhs: Operand, rhs: Operand) -> Done {
    let (a, b) = (cx.operand(lhs, ty), cx.operand(rhs, ty));
    let value = match predicate {
        Predicate::Eq => equal(cx, a, b, ty)?,
        Predicate::Ne => match equal(cx, a, b, ty)? {
            Value::Int(bit) => Value::Int(bit ^ 1),
            other => {
                let term = cx.term_of(other, 1)?;
                let negated = cx.engine.terms.not(term);
                cx.simplest(negated)
            }
        },
        _ => ordered(cx, predicate, ty, a, b)?,
    };
    cx.bind(dest, value);
    Ok(Flow::Next)
}

/// The offsets of two pointers into one object (64 bits).
fn offsets_in_one(cx: &mut StepCx, a: Value, b: Value) -> Option<[TermId; 2]> {
    let mut place = |value: Value| match value {
        Value::Ptr(at) => Some((at.object, cx.engine.terms.bv(64, u128::from(at.offset as u64)))),
        Value::Symbolic { object, offset, .. } => Some((object, offset)),
        _ => None,
    };
    let ((one, a), (other, b)) = (place(a)?, place(b)?);
    (one == other).then_some([a, b])
}

fn ordered(cx: &mut StepCx, predicate: Predicate, ty: Ty, a: Value, b: Value) -> Result<Value, Stop> {
    let signed = matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
    // No object lies on both sides of where addresses change their sign, unless they are short.
    let by_offset = !signed || cx.pointer() == PointerSize::Eight;
    let (a, b) = match (a, b) {
        (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object && by_offset => {
            // Offsets may be negative; shifting both keeps their order as addresses.
            let shift = |offset: i64| Value::Int((offset as u64).wrapping_add(1 << 62));
            (shift(p.offset), shift(q.offset))
        }
        (Value::Lazy { pointer: p, offset: m, .. }, Value::Lazy { pointer: q, offset: n, .. })
            if p == q && by_offset =>
        {
            (Value::Int((m as u64).wrapping_add(1 << 62)), Value::Int((n as u64).wrapping_add(1 << 62)))
        }
        // Nor does it matter then where the object is.
        (Value::Symbolic { .. }, _) | (_, Value::Symbolic { .. })
            if by_offset && let Some(offsets) = offsets_in_one(cx, a, b) =>
        {
            let shift = cx.engine.terms.bv(64, 1 << 62);
            let [a, b] = offsets.map(|offset| Value::Term(cx.engine.terms.add(offset, shift)));
            (a, b)
        }
        // Where an open pointer leads decides how it compares.
        (Value::Lazy { pointer, .. }, _) | (_, Value::Lazy { pointer, .. }) => {
            return Err(cx.need_target(pointer, None));
        }
        _ => (cx.integer(a, ty)?, cx.integer(b, ty)?),
    };
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let bit = predicate.holds(cx.bits(ty), a, b);
        return Ok(Value::Int(u64::from(bit)));
    }
    let width = u32::from(cx.bits(ty));
    let (a, b) = (cx.term_of(a, width)?, cx.term_of(b, width)?);
    let terms = &mut cx.engine.terms;
    let term = match predicate {
        Predicate::Eq => terms.eq(a, b),
        Predicate::Ne => terms.ne(a, b),
        Predicate::Ugt => terms.ugt(a, b),
        Predicate::Uge => terms.uge(a, b),
        Predicate::Ult => terms.ult(a, b),
        Predicate::Ule => terms.ule(a, b),
        Predicate::Sgt => terms.sgt(a, b),
        Predicate::Sge => terms.sge(a, b),
        Predicate::Slt => terms.slt(a, b),
        Predicate::Sle => terms.sle(a, b),
    };
    Ok(cx.simplest(term))
}

/// Equality as a one-bit value. A lazy pointer against null needs only its nullness; against anything else, its target.
pub(crate) fn equal(cx: &mut StepCx, a: Value, b: Value, ty: Ty) -> Result<Value, Stop> {
    let bit = |b: bool| Ok(Value::Int(u64::from(b)));
    let (a, b) = (cx.state.memory.settle(a), cx.state.memory.settle(b));
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => bit(a == b),
        (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => bit(p.offset == q.offset),
        (Value::Ptr(p), Value::Ptr(q)) => {
            note_dangling(cx, p, q);
            if cx.engine.config.observe {
                cx.state.observed.push(Observed::Distinct(p.object, q.object));
            }
            bit(false)
        }
        (Value::Ptr(p), Value::Int(n)) | (Value::Int(n), Value::Ptr(p)) => bit(cx.state.memory.address(p) == n),
        (Value::Lazy { pointer: p, offset: m, .. }, Value::Lazy { pointer: q, offset: n, .. }) if p == q => bit(m == n),
        (Value::Lazy { pointer, offset, .. }, Value::Int(0)) | (Value::Int(0), Value::Lazy { pointer, offset, .. }) => {
            let decision = cx.state.memory.shape().pointer(pointer).decision;
            // A member's address is not null even where the record's would be: the program has computed it.
            if offset.wrapping_add(decision.tag().into()) != 0 {
                return bit(false);
            }
            match decision {
                Binding::Open | Binding::Tagged { non_null: false, .. } => Err(Stop::Choice(Choice::Nullness(pointer))),
                _ => bit(false),
            }
        }
        (Value::Lazy { pointer, .. }, other) | (other, Value::Lazy { pointer, .. }) => {
            need_tag(cx, pointer)?;
            let hint = pointee_of(cx, other);
            Err(need_comparable(cx, pointer, hint))
        }
        (Value::Symbolic { object, .. }, Value::Ptr(p)) | (Value::Ptr(p), Value::Symbolic { object, .. })
            if p.object != object =>
        {
            bit(false)
        }
        _ => {
            let width = u32::from(cx.bits(ty));
            let (a, b) = (cx.term_of(a, width)?, cx.term_of(b, width)?);
            let term = cx.engine.terms.eq(a, b);
            Ok(cx.simplest(term))
        }
    }
}

fn need_comparable(cx: &mut StepCx, pointer: LazyId, hint: Option<ir::TypeId>) -> Stop {
    if cx.engine.config.observe {
        cx.state.observed.push(Observed::Compared(pointer));
    }
    // Nullness first: a null pointer needs no type and no object.
    match cx.state.memory.shape().pointer(pointer).decision {
        Binding::Open if cx.state.memory.shape().pointee(cx.module(), pointer).is_none() && hint.is_none() => {
            Stop::Choice(Choice::Nullness(pointer))
        }
        _ => cx.need_target(pointer, hint),
    }
}

fn pointee_of(cx: &StepCx, value: Value) -> Option<ir::TypeId> {
    match value {
        Value::Ptr(p) => cx.state.memory.object(p.object).ty,
        Value::Lazy { pointer, .. } => cx.state.memory.shape().pointee(cx.module(), pointer),
        _ => None,
    }
}

/// The address of what has ended may have been given to something newer, and then a dangling pointer compares equal (ABA): a block to
/// one of its size, a variable to one of any function or thread.
fn note_dangling(cx: &mut StepCx, p: Pointer, q: Pointer) {
    let (a, b) = (cx.state.memory.object(p.object), cx.state.memory.object(q.object));
    let (dead, live, dead_id, live_id) =
        if a.life == Life::Live { (b, a, q.object, p.object) } else { (a, b, p.object, q.object) };
    let what = match dead.life {
        Life::Live => return,
        Life::Freed => "freed memory",
        Life::Ended => "a variable that has ended",
    };
    let is_alike = match (dead.kind, live.kind) {
        (ObjectKind::Heap, ObjectKind::Heap) => {
            ::memory::Allocator::size_class(dead.size) == ::memory::Allocator::size_class(live.size)
        }
        // Of threads' own variables, one thread's against another's.
        (ObjectKind::Global(one), ObjectKind::Global(other)) => one == other,
        (ObjectKind::Stack, ObjectKind::Stack) => true,
        _ => false,
    };
    if live.life == Life::Live && live_id > dead_id && is_alike {
        let what =
            format!("a pointer to {what} is compared with one to something newer, which may have the same address");
        cx.note(LossKind::DanglingComparison, what);
    }
}

/// LangRef 'Conversion Operations'. Pointers keep their provenance through integers of their size, and of short ones also
/// what is zero-extended.
pub(super) fn cast(cx: &mut StepCx, dest: Reg, kind: CastKind, from: Ty, to: Ty, value: Operand) -> Done {
    let value = cx.operand(value, from);
    let (from_bits, to_bits, pointer) = (cx.bits(from), cx.bits(to), cx.pointer());
    let address = |value| matches!(value, Value::Ptr(_) | Value::Symbolic { .. } | Value::Lazy { .. });
    let narrow = pointer == PointerSize::Four && to_bits <= 64;
    if kind == CastKind::Truncate {
        let lowest = Value::Int(truncate(u64::MAX, to_bits));
        if let Some(bits) = tagged_lazy(cx, BinaryOp::And, from, value, lowest)? {
            cx.bind(dest, bits);
            return Ok(Flow::Next);
        }
        if let Value::Lazy { pointer, .. } = cx.state.memory.settle(value) {
            need_tag(cx, pointer)?;
        }
    }
    let result = match kind {
        CastKind::Copy => value,
        CastKind::PtrToInt | CastKind::IntToPtr if from_bits == to_bits => value,
        // A 64-bit integer that is an address has nothing above its lower half.
        CastKind::ZeroExtend if narrow && from_bits == 32 && address(value) => value,
        CastKind::Truncate if narrow && to_bits == 32 && address(value) => value,
        CastKind::ZeroExtend | CastKind::Truncate | CastKind::PtrToInt | CastKind::IntToPtr => {
            match cx.integer(value, from)? {
                Value::Int(word) if to_bits <= 64 => Value::Int(truncate(word, to_bits)),
                other => {
                    let term = cx.term_of(other, u32::from(from_bits))?;
                    let terms = &mut cx.engine.terms;
                    let width = u32::from(to_bits);
                    let term = if to_bits < from_bits { terms.trunc(term, width) } else { terms.zext(term, width) };
                    cx.simplest(term)
                }
            }
        }
        CastKind::SignExtend => match cx.integer(value, from)? {
            Value::Int(word) if to_bits <= 64 => Value::Int(truncate(ir::sign_extend(word, from_bits) as u64, to_bits)),
            other => {
                let term = cx.term_of(other, u32::from(from_bits))?;
                let term = cx.engine.terms.sext(term, u32::from(to_bits));
                cx.simplest(term)
            }
        },
    };
    cx.bind(dest, result);
    Ok(Flow::Next)
}

/// `select`. On integers an open condition becomes an `ite` term; on pointers it is a branch.
pub(super) fn select(
    cx: &mut StepCx,
    dest: Reg,
    ty: Ty,
    condition: Operand,
    if_true: Operand,
    if_false: Operand,
) -> Done {
    let condition = cx.operand(condition, Ty::Int(1));
    let (a, b) = (cx.operand(if_true, ty), cx.operand(if_false, ty));
    let value = match (condition, a, b) {
        (Value::Int(bit), ..) => {
            if bit & 1 != 0 {
                a
            } else {
                b
            }
        }
        (_, Value::Int(_) | Value::Term(_), Value::Int(_) | Value::Term(_)) if ty != Ty::Ptr => {
            let condition = cx.term_of(condition, 1)?;
            let width = u32::from(cx.bits(ty));
            let (a, b) = (cx.term_of(a, width)?, cx.term_of(b, width)?);
            let term = cx.engine.terms.ite(condition, a, b);
            cx.simplest(term)
        }
        _ => {
            if cx.holds(condition)? {
                a
            } else {
                b
            }
        }
    };
    cx.bind(dest, value);
    Ok(Flow::Next)
}

/// `llvm.*.with.overflow`
pub(super) fn overflow(
    cx: &mut StepCx,
    dest: Reg,
    overflow: Reg,
    op: OverflowOp,
    ty: Ty,
    lhs: Operand,
    rhs: Operand,
) -> Done {
    let (a, b) = (cx.term(lhs, ty)?, cx.term(rhs, ty)?);
    let terms = &mut cx.engine.terms;
    let (result, flag) = match op {
        OverflowOp::SAdd => (terms.add(a, b), terms.sadd_overflows(a, b)),
        OverflowOp::UAdd => (terms.add(a, b), terms.uadd_overflows(a, b)),
        OverflowOp::SSub => (terms.sub(a, b), terms.ssub_overflows(a, b)),
        OverflowOp::USub => (terms.sub(a, b), terms.usub_overflows(a, b)),
        OverflowOp::SMul => (terms.mul(a, b), terms.smul_overflows(a, b)),
        OverflowOp::UMul => (terms.mul(a, b), terms.umul_overflows(a, b)),
    };
    cx.bind_term(dest, result);
    cx.bind_term(overflow, flag);
    Ok(Flow::Next)
}

/// Counting, reversing, and choosing bits.
pub(super) fn bits(cx: &mut StepCx, dest: Reg, op: BitOp, ty: Ty, lhs: Operand, rhs: Operand) -> Done {
    let a = cx.term(lhs, ty)?;
    let width = u32::from(cx.bits(ty));
    let term = match op {
        BitOp::SMax | BitOp::SMin | BitOp::UMax | BitOp::UMin => {
            let b = cx.term(rhs, ty)?;
            let terms = &mut cx.engine.terms;
            let less = match op {
                BitOp::SMax | BitOp::SMin => terms.slt(a, b),
                _ => terms.ult(a, b),
            };
            if matches!(op, BitOp::SMax | BitOp::UMax) { terms.ite(less, b, a) } else { terms.ite(less, a, b) }
        }
        BitOp::Abs => {
            let terms = &mut cx.engine.terms;
            let (sign, negated) = (terms.sign(a), terms.neg(a));
            terms.ite(sign, negated, a)
        }
        BitOp::PopCount => {
            let terms = &mut cx.engine.terms;
            let mut sum = terms.bv(width, 0);
            for bit in 0..width {
                let one = terms.extract(a, bit, bit);
                let one = terms.zext(one, width);
                sum = terms.add(sum, one);
            }
            sum
        }
        BitOp::LeadingZeros | BitOp::TrailingZeros => {
            let terms = &mut cx.engine.terms;
            let mut count = terms.bv(width, u128::from(width));
            for step in 0..width {
                // The bit that decides last is tested last, so that it wins.
                let (bit, zeros) = if op == BitOp::LeadingZeros {
                    (step, width - 1 - step)
                } else {
                    (width - 1 - step, width - 1 - step)
                };
                let set = terms.extract(a, bit, bit);
                let zeros = terms.bv(width, u128::from(zeros));
                count = terms.ite(set, zeros, count);
            }
            count
        }
        BitOp::ByteSwap | BitOp::BitReverse => {
            let unit = if op == BitOp::ByteSwap { 8 } else { 1 };
            let terms = &mut cx.engine.terms;
            let mut result = terms.extract(a, unit - 1, 0);
            for low in (unit..width).step_by(unit as usize) {
                let piece = terms.extract(a, low + unit - 1, low);
                result = terms.concat(result, piece);
            }
            result
        }
    };
    cx.bind_term(dest, term);
    Ok(Flow::Next)
}
