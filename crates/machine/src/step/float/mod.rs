//! Floating-point instructions. What they compute is `crate::float`'s; here operands become bits.
//!
//! Open operands of `float` and `double` make terms (`terms`); where an operation has none, they are concretised by the
//! choice of their values, which enters the ledger where there are more values than are tried. What depends on
//! uninitialised data is uninitialised: computing with it is silent, using it counts, as for integers.

mod terms;

use super::{Done, Flow, StepCx};
use crate::{Choice, LossKind, Stop, float};
use ::memory::Value;
use ir::{FloatCast, FloatOp, FloatPredicate, Operand, Reg, Ty};

/// `fneg`, `fadd`, ..., and the intrinsics of C's mathematical functions.
pub(super) fn compute(cx: &mut StepCx, dest: Reg, op: FloatOp, ty: Ty, operands: &[Operand]) -> Done {
    let mut values = smallvec::SmallVec::<[Value; 3]>::new();
    for (index, operand) in operands.iter().enumerate() {
        values.push(cx.operand(*operand, op.operand_type(index, ty)));
    }
    let result = computed(cx, op, ty, &values)?;
    cx.bind(dest, result);
    Ok(Flow::Next)
}

/// The result of an operation; for atomic operations too.
pub(super) fn computed(cx: &mut StepCx, op: FloatOp, ty: Ty, values: &[Value]) -> Result<Value, Stop> {
    if let Some(value) = sign_operation(cx, op, ty, values)? {
        return Ok(value);
    }
    if let (FloatOp::MinNum | FloatOp::MaxNum, &[a, b], true) = (op, values, cx.is_on_device() && terms::are_terms(ty))
    {
        let bits = u32::from(cx.bits(ty));
        let (a, b) = (cx.term_of(a, bits)?, cx.term_of(b, bits)?);
        let term = terms::extreme_on_device(&mut cx.engine.terms, op, ty, a, b);
        if let Some(term) = term {
            return Ok(cx.simplest(term));
        }
    }
    if terms::are_terms(ty) && !has_excess_precision(cx, ty) && !takes_integer(op, ty) {
        let numbers: smallvec::SmallVec<[(Value, Ty); 3]> = values.iter().map(|&value| (value, ty)).collect();
        if let Some(operands) = cx.open_numbers(&numbers)?
            && let Some(term) = terms::operation(&mut cx.engine.terms, op, ty, &operands)
        {
            return Ok(cx.simplest(term));
        }
    }
    let mut bits = smallvec::SmallVec::<[u128; 3]>::new();
    for (index, value) in values.iter().enumerate() {
        match bits_of(cx, *value, op.operand_type(index, ty))? {
            Some(known) => bits.push(known),
            None => return Ok(indeterminate(cx, cx.bits(ty))),
        }
    }
    if has_excess_precision(cx, ty) && !float::is_plain(op, ty, &bits) {
        return Err(precision_shows(cx));
    }
    Ok(value_of(cx, float::compute(op, ty, &bits), cx.bits(ty)))
}

/// Whether an operand is no number of the type.
fn takes_integer(op: FloatOp, ty: Ty) -> bool {
    (0..op.arity()).any(|index| op.operand_type(index, ty) != ty)
}

/// Whether the processor computes with more precision than numbers of a type have.
fn has_excess_precision(cx: &StepCx, ty: Ty) -> bool {
    matches!(ty, Ty::F32 | Ty::F64) && cx.module()[cx.thread.frame().function].excess_precision
}

fn precision_shows(cx: &StepCx) -> Stop {
    let remedy =
        "a result that has more digits on this i386 than its type, depending on the compiler; compile with -msse2";
    cx.abandon(LossKind::Unsupported, remedy)
}

/// Negation, size and sign of terms. `None`: not such an operation, or nothing symbolic about it.
fn sign_operation(cx: &mut StepCx, op: FloatOp, ty: Ty, values: &[Value]) -> Result<Option<Value>, Stop> {
    if !values.iter().any(|v| matches!(v, Value::Term(_))) {
        return Ok(None);
    }
    let (width, sign) = (u32::from(cx.bits(ty)), float::sign_bit(ty));
    let term = match (op, values) {
        (FloatOp::Neg, &[a]) => {
            let a = cx.term_of(a, width)?;
            let sign = cx.engine.terms.bv(width, sign);
            cx.engine.terms.xor(a, sign)
        }
        (FloatOp::Abs, &[a]) => {
            let a = cx.term_of(a, width)?;
            let rest = cx.engine.terms.bv(width, sign - 1);
            cx.engine.terms.and(a, rest)
        }
        (FloatOp::CopySign, &[a, b]) => {
            let (a, b) = (cx.term_of(a, width)?, cx.term_of(b, width)?);
            let terms = &mut cx.engine.terms;
            let (sign, rest) = (terms.bv(width, sign), terms.bv(width, sign - 1));
            let (size, sign) = (terms.and(a, rest), terms.and(b, sign));
            terms.or(size, sign)
        }
        _ => return Ok(None),
    };
    Ok(Some(cx.simplest(term)))
}

/// `fcmp`
pub(super) fn compare(
    cx: &mut StepCx,
    dest: Reg,
    predicate: FloatPredicate,
    ty: Ty,
    lhs: Operand,
    rhs: Operand,
) -> Done {
    let (a, b) = (cx.operand(lhs, ty), cx.operand(rhs, ty));
    if terms::are_terms(ty)
        && let Some(operands) = cx.open_numbers(&[(a, ty), (b, ty)])?
    {
        let term = terms::comparison(&mut cx.engine.terms, predicate, operands[0], operands[1]);
        let result = cx.simplest(term);
        cx.bind(dest, result);
        return Ok(Flow::Next);
    }
    let result = match (bits_of(cx, a, ty)?, bits_of(cx, b, ty)?) {
        (Some(a), Some(b)) => Value::Int(u64::from(float::compare(predicate, ty, a, b))),
        _ => indeterminate(cx, 1),
    };
    cx.bind(dest, result);
    Ok(Flow::Next)
}

/// A conversion as devices do it; none if that is as processors do it.
fn converted_on_device(
    cx: &mut StepCx,
    kind: FloatCast,
    from: Ty,
    to: Ty,
    value: Value,
) -> Result<Option<Value>, Stop> {
    let is_integer = matches!(kind, FloatCast::ToSigned | FloatCast::ToUnsigned);
    if !cx.is_on_device() || !is_integer || !terms::are_terms(from) {
        return Ok(None);
    }
    let operand = cx.term_of(value, u32::from(cx.bits(from)))?;
    let term = terms::integer_on_device(&mut cx.engine.terms, kind, from, to, operand);
    Ok(term.map(|term| cx.simplest(term)))
}

/// `fptosi`, `sitofp`, `fpext`, ...
pub(super) fn convert(cx: &mut StepCx, dest: Reg, kind: FloatCast, from: Ty, to: Ty, value: Operand) -> Done {
    let value = cx.operand(value, from);
    if let Some(result) = converted_on_device(cx, kind, from, to, value)? {
        cx.bind(dest, result);
        return Ok(Flow::Next);
    }
    if !has_excess_precision(cx, from)
        && !has_excess_precision(cx, to)
        && let Some(operands) = cx.open_numbers(&[(value, from)])?
        && let Some(term) = terms::conversion(&mut cx.engine.terms, kind, from, to, operands[0])
    {
        let result = cx.simplest(term);
        cx.bind(dest, result);
        return Ok(Flow::Next);
    }
    let result = match bits_of(cx, value, from)? {
        Some(bits) => {
            let result = float::convert(kind, from, to, bits);
            let rounds = matches!(kind, FloatCast::FromSigned | FloatCast::FromUnsigned);
            if rounds
                && has_excess_precision(cx, to)
                && float::convert(kind, from, Ty::F80, bits) != float::convert(FloatCast::Resize, to, Ty::F80, result)
            {
                return Err(precision_shows(cx));
            }
            value_of(cx, result, cx.bits(to))
        }
        None => indeterminate(cx, cx.bits(to)),
    };
    cx.bind(dest, result);
    Ok(Flow::Next)
}

/// `llvm.is.fpclass`
pub(super) fn class(cx: &mut StepCx, dest: Reg, ty: Ty, value: Operand, classes: u16) -> Done {
    let value = cx.operand(value, ty);
    if terms::are_terms(ty)
        && let Some(operands) = cx.open_numbers(&[(value, ty)])?
    {
        let term = terms::is_of_class(&mut cx.engine.terms, ty, operands[0], classes);
        let result = cx.simplest(term);
        cx.bind(dest, result);
        return Ok(Flow::Next);
    }
    let result = match bits_of(cx, value, ty)? {
        Some(bits) => Value::Int(u64::from(float::is_of_class(ty, bits, classes))),
        None => indeterminate(cx, 1),
    };
    cx.bind(dest, result);
    Ok(Flow::Next)
}

/// The bits of an operand; stops when they are open. `None`: they depend on uninitialised data.
pub(crate) fn bits_of(cx: &mut StepCx, value: Value, ty: Ty) -> Result<Option<u128>, Stop> {
    let term = match cx.integer(value, ty)? {
        Value::Int(bits) => return Ok(Some(u128::from(bits))),
        other => cx.term_of(other, u32::from(cx.bits(ty)))?,
    };
    if let Some(known) = cx.known_value(term) {
        return Ok(Some(known));
    }
    if cx.depends_on_uninitialised(term)? {
        return Ok(None);
    }
    Err(Stop::Choice(Choice::Value(term)))
}

/// Bits as a value of a type.
pub(crate) fn value_of(cx: &mut StepCx, bits: u128, width: u16) -> Value {
    match u64::try_from(bits) {
        Ok(word) if width <= 64 => Value::Int(word),
        _ => Value::Term(cx.engine.terms.bv(u32::from(width), bits)),
    }
}

/// What is computed from uninitialised data.
pub(crate) fn indeterminate(cx: &mut StepCx, width: u16) -> Value {
    let name = format!("computed@{}.{}.{}", cx.thread.name, cx.thread.frames.len(), cx.site());
    Value::Term(cx.engine.terms.uninit_var(&name, u32::from(width)))
}
