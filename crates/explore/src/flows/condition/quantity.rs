//! What conditions compare: sizes, numbers that the kernel is given, products of two, constants of its code; and how that is written in CUDA.
//!
//! A comparison means what its text means to a C++ compiler: where the usual conversions would make a negative number a large one, the text has a
//! cast, so that both sides are compared as the numbers that they are. Sizes and their products are below two to the power of 31.

use super::Number;
use crate::model::operation::Operation;
use ir::{BinaryOp, Callee, DebugType, FuncId, IntKind, Module, Op, Operand, Ty};
use machine::{Engine, SIZES, Sizes};
use memory::Value;
use smt::{Model, TermId, Terms};
use std::collections::BTreeSet;

/// Numbers of a kernel that conditions are about, and constants of its code.
const MOST_NUMBERS: usize = 4;
const MOST_CONSTANTS: usize = 10;
const LARGEST_CONSTANT: u64 = 1 << 20;

/// What sizes and numbers are in one launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Values {
    pub sizes: [i128; 6],
    pub numbers: Vec<i128>,
}

impl Values {
    pub(super) fn threads(&self) -> i128 {
        self.sizes.iter().product()
    }
}

/// An integer's type, after promotion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    /// Anything that is not negative and fits all the others.
    Constant,
    /// `unsigned`, below two to the power of 31.
    Size,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Factor {
    Constant(u64),
    Size(usize),
    Number(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Quantity {
    factors: Vec<Factor>,
    text: String,
    ty: Type,
    /// 64 bits.
    term: TermId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    AtMost,
    AtLeast,
    Below,
    Above,
}

const RELATIONS: [Relation; 5] =
    [Relation::Equal, Relation::AtMost, Relation::AtLeast, Relation::Below, Relation::Above];

/// A comparison that a condition may consist of.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    left: Quantity,
    relation: Relation,
    right: Quantity,
    pub term: TermId,
}

#[derive(Clone, Debug)]
struct Given {
    name: String,
    index: usize,
    ty: Type,
    bits: u32,
    term: TermId,
}

/// All that there is to compare.
pub(super) struct Quantities {
    numbers: Vec<Given>,
    sizes: Sizes,
    pub constants: BTreeSet<u64>,
    all: Vec<Quantity>,
}

impl Quantities {
    pub(super) fn of(engine: &mut Engine, kernel: &Operation, arguments: &[Value], sizes: &Sizes, warp: u32) -> Self {
        let program = std::sync::Arc::clone(&engine.program);
        let module = &program.module;
        let numbers = numbers(module, kernel, arguments);
        let mut constants = constants(module, kernel.function);
        constants.extend([0, 1, u64::from(warp)]);
        let terms = &mut engine.terms;
        let mut all = Vec::new();
        all.extend(numbers.iter().enumerate().map(|(index, given)| Quantity {
            factors: vec![Factor::Number(index)],
            text: given.name.clone(),
            ty: given.ty,
            term: wide(terms, given.term, given.ty),
        }));
        all.extend(products_of_numbers(terms, &numbers));
        let open: Vec<usize> = (0..6).filter(|&index| sizes.most()[index] > 1).collect();
        for (place, &one) in open.iter().enumerate().rev() {
            // As threads of all blocks are mostly written: `gridDim.x * blockDim.x`.
            for &other in open[..place].iter().rev() {
                let term = terms.mul(sizes.all()[one], sizes.all()[other]);
                all.push(Quantity {
                    factors: vec![Factor::Size(one), Factor::Size(other)],
                    text: format!("{} * {}", SIZES[one], SIZES[other]),
                    ty: Type::Size,
                    term: wide(terms, term, Type::Size),
                });
            }
        }
        all.extend(open.iter().map(|&index| Quantity {
            factors: vec![Factor::Size(index)],
            text: SIZES[index].to_owned(),
            ty: Type::Size,
            term: wide(terms, sizes.all()[index], Type::Size),
        }));
        all.extend(constants.iter().map(|&constant| Quantity {
            factors: vec![Factor::Constant(constant)],
            text: constant.to_string(),
            ty: Type::Constant,
            term: terms.bv(64, u128::from(constant)),
        }));
        Quantities { numbers, sizes: sizes.clone(), constants, all }
    }

    /// Of any two, in each way.
    pub(super) fn comparisons(&self, terms: &mut Terms) -> Vec<Comparison> {
        let mut found = Vec::new();
        for (index, left) in self.all.iter().enumerate() {
            for right in &self.all[index + 1..] {
                let are_constant = left.ty == Type::Constant && right.ty == Type::Constant;
                if are_constant || !comparable(left.ty, right.ty) {
                    continue;
                }
                found.extend(RELATIONS.iter().map(|&relation| Comparison {
                    left: left.clone(),
                    relation,
                    right: right.clone(),
                    term: compared(terms, left, relation, right),
                }));
            }
        }
        found
    }

    /// What a model says of them.
    pub(super) fn values(&self, terms: &Terms, model: &Model) -> Values {
        let sizes = self.sizes.all().map(|size| terms.eval(size, model) as i128);
        let number = |given: &Given| signed(terms.eval(given.term, model), given.bits, given.ty);
        Values { sizes, numbers: self.numbers.iter().map(number).collect() }
    }

    pub(super) fn named(&self, values: &Values) -> Vec<Number> {
        let named = self.numbers.iter().zip(&values.numbers);
        named.map(|(given, &value)| Number { parameter: given.name.clone(), index: given.index, value }).collect()
    }

    /// The least and the largest value of each number.
    pub(super) fn ranges(&self) -> Vec<(i128, i128)> {
        let range = |given: &Given| match given.ty {
            Type::Int | Type::Long if given.is_signed() => (-(1 << (given.bits - 1)), (1 << (given.bits - 1)) - 1),
            _ => (0, (1 << given.bits) - 1),
        };
        self.numbers.iter().map(range).collect()
    }

    /// That no more threads than these are in a launch, and that no number is further from 0.
    pub(super) fn small(&self, terms: &mut Terms, threads: u32, number: u32) -> Vec<TermId> {
        let most = terms.bv(32, u128::from(threads));
        let mut all: Vec<TermId> = self.sizes.all().iter().map(|&size| terms.ule(size, most)).collect();
        let product = self.sizes.all().iter().fold(terms.bv(64, 1), |product, &size| {
            let size = terms.zext(size, 64);
            terms.mul(product, size)
        });
        let most = terms.bv(64, u128::from(threads));
        all.push(terms.ule(product, most));
        let (least, most) = (terms.bv(64, u128::from(u64::MAX - u64::from(number) + 1)), terms.bv(64, number.into()));
        for given in &self.numbers {
            let value = wide(terms, given.term, given.ty);
            all.push(terms.sle(value, most));
            all.push(terms.sle(least, value));
        }
        all
    }
}

impl Given {
    fn is_signed(&self) -> bool {
        // What is narrower than `int` and unsigned becomes one.
        self.ty == Type::Long || self.ty == Type::Int && self.bits == 32
    }
}

fn signed(value: u128, bits: u32, ty: Type) -> i128 {
    let is_negative = matches!(ty, Type::Int | Type::Long) && value >> (bits - 1) & 1 == 1;
    value as i128 - if is_negative { 1 << bits } else { 0 }
}

/// Numbers that the kernel is given, where their types tell what they are.
fn numbers(module: &Module, kernel: &Operation, arguments: &[Value]) -> Vec<Given> {
    let mut found = Vec::new();
    for (index, (given, argument)) in module.given(kernel.function).into_iter().zip(arguments).enumerate() {
        let (Some(Ty::Int(bits)), Some(source), &Value::Term(term)) = (given.ty, given.source, argument) else {
            continue;
        };
        let DebugType::Int { kind, .. } = module[module.strip(source.ty)] else { continue };
        let ty = match (kind, bits) {
            (IntKind::Signed, 32) => Type::Int,
            (IntKind::Unsigned, 32) => Type::Unsigned,
            (IntKind::Signed, 64) => Type::Long,
            (IntKind::Unsigned, 64) => Type::UnsignedLong,
            // Characters, truth values, and what is narrower than `int`.
            _ => continue,
        };
        found.push(Given { name: source.name.clone(), index, ty, bits: u32::from(bits), term });
    }
    found.truncate(MOST_NUMBERS);
    found
}

fn wide(terms: &mut Terms, term: TermId, ty: Type) -> TermId {
    match ty {
        Type::Int => terms.sext(term, 64),
        _ => terms.zext(term, 64),
    }
}

/// Products of two numbers of 32 bits, as 64.
fn products_of_numbers(terms: &mut Terms, numbers: &[Given]) -> Vec<Quantity> {
    let mut found = Vec::new();
    for (index, one) in numbers.iter().enumerate() {
        for (place, other) in numbers.iter().enumerate().skip(index + 1) {
            let is_short = |given: &Given| matches!(given.ty, Type::Int | Type::Unsigned);
            if !is_short(one) || !is_short(other) {
                continue;
            }
            let (x, y) = (wide(terms, one.term, one.ty), wide(terms, other.term, other.ty));
            let is_unsigned = one.ty == Type::Unsigned && other.ty == Type::Unsigned;
            let (ty, cast) =
                if is_unsigned { (Type::UnsignedLong, "unsigned long long") } else { (Type::Long, "long long") };
            found.push(Quantity {
                factors: vec![Factor::Number(index), Factor::Number(place)],
                text: format!("({cast}){} * {}", one.name, other.name),
                ty,
                term: terms.mul(x, y),
            });
        }
    }
    found
}

/// Whether a comparison can be written in which both are the numbers that they are.
fn comparable(left: Type, right: Type) -> bool {
    let is_negative = |ty| matches!(ty, Type::Int | Type::Long);
    let is_large = |ty| ty == Type::UnsignedLong;
    !(is_negative(left) && is_large(right) || is_large(left) && is_negative(right))
}

fn compared(terms: &mut Terms, left: &Quantity, relation: Relation, right: &Quantity) -> TermId {
    let is_large = [left, right].iter().any(|side| side.ty == Type::UnsignedLong);
    let (x, y) = match relation {
        Relation::AtLeast | Relation::Above => (right.term, left.term),
        _ => (left.term, right.term),
    };
    match relation {
        Relation::Equal => terms.eq(x, y),
        Relation::AtMost | Relation::AtLeast if is_large => terms.ule(x, y),
        Relation::AtMost | Relation::AtLeast => terms.sle(x, y),
        _ if is_large => terms.ult(x, y),
        _ => terms.slt(x, y),
    }
}

impl Quantity {
    fn value(&self, of: &Values) -> i128 {
        let factor = |factor: &Factor| match *factor {
            Factor::Constant(constant) => i128::from(constant),
            Factor::Size(index) => of.sizes[index],
            Factor::Number(index) => of.numbers[index],
        };
        self.factors.iter().map(factor).product()
    }

    /// Beside another in a comparison.
    fn beside(&self, other: &Quantity) -> String {
        match (self.ty, other.ty) {
            (Type::Size, Type::Int) if self.factors.len() > 1 => format!("(int)({})", self.text),
            (Type::Size, Type::Int) => format!("(int){}", self.text),
            (Type::Int, Type::Unsigned) => format!("(long long){}", self.text),
            _ => self.text.clone(),
        }
    }

    fn weight(&self) -> usize {
        self.factors.iter().filter(|factor| !matches!(factor, Factor::Constant(_))).count()
    }
}

impl Comparison {
    pub(super) fn holds(&self, of: &Values) -> bool {
        let (x, y) = (self.left.value(of), self.right.value(of));
        match self.relation {
            Relation::Equal => x == y,
            Relation::AtMost => x <= y,
            Relation::AtLeast => x >= y,
            Relation::Below => x < y,
            Relation::Above => x > y,
        }
    }

    /// As in CUDA.
    pub(super) fn text(&self) -> String {
        let relation = match self.relation {
            Relation::Equal => "==",
            Relation::AtMost => "<=",
            Relation::AtLeast => ">=",
            Relation::Below => "<",
            Relation::Above => ">",
        };
        format!("{} {relation} {}", self.left.beside(&self.right), self.right.beside(&self.left))
    }

    /// What there is to read.
    pub(super) fn weight(&self) -> usize {
        self.left.weight() + self.right.weight()
    }
}

/// Constants that a kernel, and what it calls, computes and compares with.
fn constants(module: &Module, kernel: FuncId) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([kernel]);
    let mut open = vec![kernel];
    while let Some(function) = open.pop() {
        if module[function].library {
            continue;
        }
        for inst in module[function].blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                // As a factor.
                Op::Binary {
                    op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr,
                    rhs: Operand::Int(by @ 0..20),
                    ..
                } => {
                    found.insert(1 << by);
                }
                Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } => {
                    let constants = [lhs, rhs].into_iter().filter_map(|operand| match operand {
                        Operand::Int(constant) => Some(*constant),
                        _ => None,
                    });
                    found.extend(constants.filter(|constant| *constant <= LARGEST_CONSTANT));
                }
                Op::Call { callee: Callee::Direct(callee), .. } if seen.insert(*callee) => open.push(*callee),
                _ => {}
            }
        }
    }
    found.into_iter().take(MOST_CONSTANTS).collect()
}
