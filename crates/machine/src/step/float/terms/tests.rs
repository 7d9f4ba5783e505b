//! Terms against the arithmetic on bits, on numbers of all kinds.

use super::*;
use crate::float;
use smt::Model;

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Zeros, subnormal numbers, numbers near one and near powers, infinities, NaNs of both kinds.
    fn number(&mut self, ty: Ty) -> u128 {
        let (stored, exponent) = if ty == Ty::F32 { (23, 8) } else { (52, 11) };
        let bias = (1u64 << (exponent - 1)) - 1;
        let field = match self.below(7) {
            0 => 0,
            1 => (1 << exponent) - 1,
            2 => bias + self.below(4),
            3 => bias - self.below(4),
            4 => bias + self.below(70),
            _ => self.below(1 << exponent),
        };
        let fraction = match self.below(4) {
            0 => 0,
            1 => 1 << self.below(stored),
            _ => self.below(1 << stored),
        };
        u128::from(self.below(2) << (stored + exponent) | field << stored | fraction)
    }

    fn integer(&mut self, bits: u16) -> u128 {
        let value = match self.below(4) {
            0 => u128::from(self.next()) << 64 | u128::from(self.next()),
            1 => u128::MAX << self.below(128),
            2 => u128::from(self.below(300)),
            _ => (1 << self.below(128)) - u128::from(self.below(2)),
        };
        if bits == 128 { value } else { value & ((1 << bits) - 1) }
    }
}

/// Variables of these values, and a model that says so.
fn variables(terms: &mut Terms, values: &[(u128, u16)]) -> (Vec<TermId>, Model) {
    let mut model = Model::new();
    let mut variables = Vec::new();
    for (index, &(value, bits)) in values.iter().enumerate() {
        let variable = terms.var(&format!("x{index}"), u32::from(bits));
        model.set(variable, value);
        variables.push(variable);
    }
    (variables, model)
}

const TYPES: [Ty; 2] = [Ty::F32, Ty::F64];

#[test]
fn operations_are_those_on_bits() {
    let ops = [
        FloatOp::Add,
        FloatOp::Sub,
        FloatOp::Mul,
        FloatOp::Div,
        FloatOp::Sqrt,
        FloatOp::MulAdd,
        FloatOp::Floor,
        FloatOp::Ceil,
        FloatOp::Trunc,
        FloatOp::Round,
        FloatOp::RoundEven,
        FloatOp::MinNum,
        FloatOp::MaxNum,
        FloatOp::Minimum,
        FloatOp::Maximum,
    ];
    let mut rng = Rng(1);
    for (op, ty) in ops.into_iter().flat_map(|op| TYPES.map(|ty| (op, ty))) {
        for _ in 0..2000 {
            let values: Vec<(u128, u16)> = (0..op.arity()).map(|_| (rng.number(ty), width(ty))).collect();
            let mut terms = Terms::new();
            let (operands, model) = variables(&mut terms, &values);
            let term = operation(&mut terms, op, ty, &operands).expect("it has a term");
            let bits: Vec<u128> = values.iter().map(|v| v.0).collect();
            assert_eq!(terms.eval(term, &model), float::compute(op, ty, &bits), "{op:?} {ty:?} {bits:x?}");
        }
    }
}

#[test]
fn comparisons_and_classes_are_those_on_bits() {
    let mut rng = Rng(2);
    let predicates = [
        FloatPredicate::False,
        FloatPredicate::Oeq,
        FloatPredicate::Ogt,
        FloatPredicate::Oge,
        FloatPredicate::Olt,
        FloatPredicate::Ole,
        FloatPredicate::One,
        FloatPredicate::Ord,
        FloatPredicate::Ueq,
        FloatPredicate::Ugt,
        FloatPredicate::Uge,
        FloatPredicate::Ult,
        FloatPredicate::Ule,
        FloatPredicate::Une,
        FloatPredicate::Uno,
        FloatPredicate::True,
    ];
    for ty in TYPES {
        for _ in 0..2000 {
            let a = rng.number(ty);
            let b = if rng.below(3) == 0 { a } else { rng.number(ty) };
            let mut terms = Terms::new();
            let (operands, model) = variables(&mut terms, &[(a, width(ty)), (b, width(ty))]);
            for predicate in predicates {
                let term = comparison(&mut terms, predicate, operands[0], operands[1]);
                let expected = float::compare(predicate, ty, a, b);
                assert_eq!(terms.eval(term, &model) == 1, expected, "{predicate:?} {ty:?} {a:x} {b:x}");
            }
            let classes = rng.below(1 << 10) as u16;
            let term = is_of_class(&mut terms, ty, operands[0], classes);
            let expected = float::is_of_class(ty, a, classes);
            assert_eq!(terms.eval(term, &model) == 1, expected, "class {classes:#x} {ty:?} {a:x}");
        }
    }
}

#[test]
fn conversions_are_those_on_bits() {
    let kinds = [
        FloatCast::FromSigned,
        FloatCast::FromUnsigned,
        FloatCast::ToSigned,
        FloatCast::ToUnsigned,
        FloatCast::ToSignedSaturating,
        FloatCast::ToUnsignedSaturating,
        FloatCast::Resize,
    ];
    let mut rng = Rng(3);
    let mut with_terms = 0;
    for (kind, number) in kinds.into_iter().flat_map(|kind| TYPES.map(|ty| (kind, ty))) {
        for other in
            [Ty::Int(1), Ty::Int(8), Ty::Int(16), Ty::Int(31), Ty::Int(32), Ty::Int(40), Ty::Int(64), Ty::Int(128)]
        {
            let other = if kind == FloatCast::Resize { TYPES[usize::from(number == Ty::F32)] } else { other };
            let from_integer = matches!(kind, FloatCast::FromSigned | FloatCast::FromUnsigned);
            let (from, to) = if from_integer { (other, number) } else { (number, other) };
            for _ in 0..300 {
                let value = if from_integer { rng.integer(width(from)) } else { rng.number(from) };
                let mut terms = Terms::new();
                let (operands, model) = variables(&mut terms, &[(value, width(from))]);
                let Some(term) = conversion(&mut terms, kind, from, to, operands[0]) else { continue };
                with_terms += 1;
                let expected = float::convert(kind, from, to, value);
                assert_eq!(terms.eval(term, &model), expected, "{kind:?} {from:?} to {to:?} of {value:x}");
            }
        }
    }
    assert!(with_terms > 28_000, "{with_terms}");
}
