//! Vectors (clang's `vector_size`, and what it makes of small structures of floats), element by element.
//!
//! A vector in registers is its elements; an instruction on vectors is one instruction for each. Elements that are no
//! whole bytes (`<4 x i1>`, the result of a comparison) lie in memory as one integer.

use super::function::Body;
use super::inst::refuse_type;
use super::scalars::single;
use crate::llvm::Value;
use ir::{BinaryOp, BitOp, CastKind, FloatOp, Op, Operand, Predicate, Reg, Ty};
use llvm_sys::LLVMTypeKind;

/// Emits one instruction for each element of a value of scalar or vector type. `make` gets the register to define, the
/// type of an element of the result and of the first operand, and an element of each operand.
pub(super) fn each<'m>(
    body: &mut Body<'_, 'm>,
    inst: Value<'m>,
    operands: &[Value<'m>],
    make: impl Fn(Reg, Ty, Ty, &[Operand]) -> Op,
) {
    let Some(types) = elements(body, inst) else { return refuse_type(body, inst, inst) };
    let mut from = types.clone();
    let mut columns = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        match elements(body, *operand) {
            Some(found) if found.len() == types.len() => {
                if index == 0 {
                    from = found;
                }
                columns.push(body.operands(*operand));
            }
            _ => return refuse_type(body, inst, *operand),
        }
    }
    let mut results = Vec::new();
    for (index, (ty, from)) in types.into_iter().zip(from).enumerate() {
        let row: Vec<Operand> = columns.iter().map(|c| c.get(index).copied().unwrap_or(Operand::Undef)).collect();
        let dest = body.define(ty);
        body.emit(make(dest, ty, from, &row));
        results.push(Operand::Reg(dest));
    }
    body.bind(inst, results);
}

/// The types of a scalar's or vector's elements.
pub(super) fn elements<'m>(body: &Body<'_, 'm>, value: Value<'m>) -> Option<Vec<Ty>> {
    let ty = value.ty();
    let scalars = body.cx.scalars(ty);
    let plain = single(ty).is_some() || ty.kind() == LLVMTypeKind::LLVMVectorTypeKind;
    (plain && scalars.exotic.is_none()).then(|| scalars.types().collect())
}

fn emit(body: &mut Body<'_, '_>, ty: Ty, make: impl FnOnce(Reg) -> Op) -> Operand {
    let dest = body.define(ty);
    body.emit(make(dest));
    Operand::Reg(dest)
}

/// `extractelement`. LangRef: an index beyond the end gives poison.
pub(super) fn extract<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (vector, position) = (inst.operand(0), inst.operand(1));
    let (Some(types), Some(index_ty)) = (elements(body, vector), single(position.ty())) else {
        return refuse_type(body, inst, vector);
    };
    let (all, index) = (body.operands(vector), body.operand(position));
    if let Operand::Int(index) = index {
        let element = usize::try_from(index).ok().and_then(|i| all.get(i)).copied().unwrap_or(Operand::Undef);
        return body.bind(inst, vec![element]);
    }
    let mut chosen = Operand::Undef;
    for (number, (element, ty)) in (0u64..).zip(all.into_iter().zip(types)) {
        chosen = if number == 0 { element } else { choose(body, (index, index_ty), number, ty, element, chosen) };
    }
    body.bind(inst, vec![chosen]);
}

/// `insertelement`
pub(super) fn insert<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (vector, position) = (inst.operand(0), inst.operand(2));
    let (Some(types), Some(index_ty)) = (elements(body, vector), single(position.ty())) else {
        return refuse_type(body, inst, vector);
    };
    let (mut all, element, index) = (body.operands(vector), body.operand(inst.operand(1)), body.operand(position));
    match index {
        Operand::Int(index) => {
            if let Some(target) = usize::try_from(index).ok().and_then(|i| all.get_mut(i)) {
                *target = element;
            }
        }
        _ => {
            for (number, (target, ty)) in (0u64..).zip(all.iter_mut().zip(types)) {
                *target = choose(body, (index, index_ty), number, ty, element, *target);
            }
        }
    }
    body.bind(inst, all);
}

/// `index == number ? then : otherwise`
fn choose(
    body: &mut Body<'_, '_>,
    (index, index_ty): (Operand, Ty),
    number: u64,
    ty: Ty,
    then: Operand,
    otherwise: Operand,
) -> Operand {
    let rhs = Operand::Int(number);
    let condition =
        emit(body, Ty::Int(1), |dest| Op::Compare { dest, predicate: Predicate::Eq, ty: index_ty, lhs: index, rhs });
    emit(body, ty, |dest| Op::Select { dest, ty, condition, if_true: then, if_false: otherwise })
}

/// `shufflevector`: no instruction at all.
pub(super) fn shuffle<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let (first, second) = (inst.operand(0), inst.operand(1));
    if elements(body, first).is_none() {
        return refuse_type(body, inst, first);
    }
    let mut all = body.operands(first);
    all.extend(body.operands(second));
    let pick = |index: i32| usize::try_from(index).ok().and_then(|i| all.get(i)).copied().unwrap_or(Operand::Undef);
    let results = inst.shuffle_mask().into_iter().map(pick).collect();
    body.bind(inst, results);
}

/// `bitcast` between values of one size: elements are joined or split, the first one lowest.
pub(super) fn bit_cast<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>) {
    let source = inst.operand(0);
    let (Some(from), Some(to)) = (elements(body, source), elements(body, inst)) else {
        return refuse_type(body, inst, if elements(body, inst).is_none() { inst } else { source });
    };
    let values = body.operands(source);
    match recast(body, &values, &from, &to) {
        Some(results) => body.bind(inst, results),
        None => refuse_type(body, inst, source),
    }
}

/// `None` where neither kind of element is made of whole ones of the other.
fn recast(body: &mut Body<'_, '_>, values: &[Operand], from: &[Ty], to: &[Ty]) -> Option<Vec<Operand>> {
    let (&source, &target) = (from.first()?, to.first()?);
    if source == target {
        return Some(values.to_vec());
    }
    let (source_bits, target_bits) = (body.cx.bits(source), body.cx.bits(target));
    let (narrow, wide) = (source_bits.min(target_bits), source_bits.max(target_bits));
    if narrow == 0 || wide % narrow != 0 || (source == Ty::Ptr || target == Ty::Ptr) && from.len() + to.len() > 2 {
        return None;
    }
    let words: Vec<Operand> = values.iter().map(|v| as_integer(body, *v, source)).collect();
    let parts = usize::from(wide / narrow);
    let words = if source_bits < target_bits {
        words.chunks(parts).map(|chunk| join(body, chunk, source_bits, target_bits)).collect()
    } else {
        words.into_iter().flat_map(|word| split(body, word, source_bits, target_bits)).collect::<Vec<_>>()
    };
    Some(words.into_iter().map(|word| from_integer(body, word, target)).collect())
}

fn as_integer(body: &mut Body<'_, '_>, value: Operand, ty: Ty) -> Operand {
    let to = Ty::Int(body.cx.bits(ty));
    let kind = if ty == Ty::Ptr { CastKind::PtrToInt } else { CastKind::Copy };
    if ty == to { value } else { emit(body, to, |dest| Op::Cast { dest, kind, from: ty, to, value }) }
}

fn from_integer(body: &mut Body<'_, '_>, value: Operand, to: Ty) -> Operand {
    let from = Ty::Int(body.cx.bits(to));
    let kind = if to == Ty::Ptr { CastKind::IntToPtr } else { CastKind::Copy };
    if from == to { value } else { emit(body, to, |dest| Op::Cast { dest, kind, from, to, value }) }
}

/// One integer of `to` bits from integers of `bits` each.
pub(super) fn join(body: &mut Body<'_, '_>, words: &[Operand], bits: u16, to: u16) -> Operand {
    let ty = Ty::Int(to);
    let mut whole = Operand::Int(0);
    for (shift, word) in (0u64..).step_by(usize::from(bits)).zip(words) {
        let wide = super::inst::resize(body, *word, bits, to);
        let placed = match shift {
            0 => wide,
            _ => emit(body, ty, |dest| Op::Binary { dest, op: BinaryOp::Shl, ty, lhs: wide, rhs: Operand::Int(shift) }),
        };
        whole = match shift {
            0 => placed,
            _ => emit(body, ty, |dest| Op::Binary { dest, op: BinaryOp::Or, ty, lhs: whole, rhs: placed }),
        };
    }
    whole
}

/// The integers of `to` bits that one of `bits` is made of.
pub(super) fn split(body: &mut Body<'_, '_>, word: Operand, bits: u16, to: u16) -> Vec<Operand> {
    let ty = Ty::Int(bits);
    (0..bits / to)
        .map(|index| {
            let rhs = Operand::Int(u64::from(index * to));
            let moved = match index {
                0 => word,
                _ => emit(body, ty, |dest| Op::Binary { dest, op: BinaryOp::LShr, ty, lhs: word, rhs }),
            };
            super::inst::resize(body, moved, bits, to)
        })
        .collect()
}

/// All elements as one integer of at most 128 bits.
pub(super) fn packed<'m>(body: &mut Body<'_, 'm>, value: Value<'m>) -> Option<(Operand, Ty)> {
    let types = elements(body, value)?;
    let bits = types.iter().map(|ty| body.cx.bits(*ty)).sum::<u16>();
    let whole = Ty::Int(bits);
    let values = body.operands(value);
    (bits <= 128).then_some(())?;
    if types.len() == 1 {
        return Some((as_integer(body, values[0], types[0]), whole));
    }
    recast(body, &values, &types, &[whole]).and_then(|parts| parts.first().map(|part| (*part, whole)))
}

/// How `llvm.vector.reduce.*` combines two elements.
pub(super) enum Reduction {
    Binary(BinaryOp),
    Bits(BitOp),
    /// With a start value before the vector, or without.
    Float(FloatOp, bool),
}

/// The reduction of this name.
pub(super) fn reduction(name: &str) -> Option<Reduction> {
    Some(match name {
        "add" => Reduction::Binary(BinaryOp::Add),
        "mul" => Reduction::Binary(BinaryOp::Mul),
        "and" => Reduction::Binary(BinaryOp::And),
        "or" => Reduction::Binary(BinaryOp::Or),
        "xor" => Reduction::Binary(BinaryOp::Xor),
        "smax" => Reduction::Bits(BitOp::SMax),
        "smin" => Reduction::Bits(BitOp::SMin),
        "umax" => Reduction::Bits(BitOp::UMax),
        "umin" => Reduction::Bits(BitOp::UMin),
        "fadd" => Reduction::Float(FloatOp::Add, true),
        "fmul" => Reduction::Float(FloatOp::Mul, true),
        "fmax" => Reduction::Float(FloatOp::MaxNum, false),
        "fmin" => Reduction::Float(FloatOp::MinNum, false),
        "fmaximum" => Reduction::Float(FloatOp::Maximum, false),
        "fminimum" => Reduction::Float(FloatOp::Minimum, false),
        _ => return None,
    })
}

/// `llvm.vector.reduce.*`, from the first element on.
pub(super) fn reduce<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, how: &Reduction) {
    let starts = matches!(how, Reduction::Float(_, true));
    let vector = inst.operand(u32::from(starts));
    let (Some(ty), Some(_)) = (single(inst.ty()), elements(body, vector)) else {
        return refuse_type(body, inst, vector);
    };
    let mut rest = body.operands(vector).into_iter();
    let first = if starts { Some(body.operand(inst.operand(0))) } else { rest.next() };
    let mut result = first.unwrap_or(Operand::Undef);
    for element in rest {
        result = emit(body, ty, |dest| match *how {
            Reduction::Binary(op) => Op::Binary { dest, op, ty, lhs: result, rhs: element },
            Reduction::Bits(op) => Op::Bits { dest, op, ty, lhs: result, rhs: element },
            Reduction::Float(op, _) => Op::Float { dest, op, ty, operands: vec![result, element] },
        });
    }
    body.bind(inst, vec![result]);
}
