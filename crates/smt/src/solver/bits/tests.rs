//! Every circuit against evaluation and against Z3.

use super::*;
use crate::model::Model;
use crate::rewrite::tests::Gen;
use crate::semantics;
use crate::solver::z3::Z3;
use crate::term::{Key, Op};

const BINARY: [Op; 15] = [
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Sdiv,
    Op::Urem,
    Op::Srem,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Eq,
    Op::Ult,
    Op::Slt,
];

fn ask(solver: &mut impl Solver, terms: &mut Terms, assertions: &[TermId]) -> Answer {
    solver.check(terms, assertions).expect("an answer")
}

/// `t` has this value and no other, when the inputs are fixed.
fn assert_value(bits: &mut Bits, terms: &mut Terms, inputs: &[TermId], t: TermId, value: u128, what: &str) {
    let constant = terms.bv(terms.width(t), value);
    let equal = terms.intern(Key::new(Op::Eq, 1, &[t, constant]));
    let differs = terms.intern(Key::new(Op::Not, 1, &[equal]));
    let mut query = inputs.to_vec();
    query.push(equal);
    assert!(ask(bits, terms, &query).is_sat(), "{what} is not {value}");
    *query.last_mut().expect("not empty") = differs;
    assert!(ask(bits, terms, &query).is_unsat(), "{what} may be other than {value}");
}

/// Operators of two operands on every pair of values, of one to four bits.
#[test]
fn binary_circuits_are_exact() {
    for width in 1..=4 {
        let t = &mut Terms::without_rewriting();
        let mut bits = Bits::new();
        let (x, y) = (t.var("x", width), t.var("y", width));
        for op in BINARY {
            let result = if matches!(op, Op::Eq | Op::Ult | Op::Slt) { 1 } else { width };
            let applied = t.intern(Key::new(op, result, &[x, y]));
            for (a, b) in (0..1u128 << width).flat_map(|a| (0..1u128 << width).map(move |b| (a, b))) {
                let (ca, cb) = (t.bv(width, a), t.bv(width, b));
                let inputs = [t.eq(x, ca), t.eq(y, cb)];
                let value = semantics::binary(op, width, a, b);
                assert_value(&mut bits, t, &inputs, applied, value, &format!("{op:?} {a} {b} of {width} bits"));
                // A constant operand is simplified, but means the same.
                let half = t.intern(Key::new(op, result, &[x, cb]));
                assert_value(&mut bits, t, &inputs[..1], half, value, &format!("{op:?} {a} {b} constant"));
            }
        }
    }
}

/// Operators of one operand, and those that change the width.
#[test]
fn other_circuits_are_exact() {
    for width in 1..=4 {
        let t = &mut Terms::without_rewriting();
        let mut bits = Bits::new();
        let (x, y, p) = (t.var("x", width), t.var("y", 2), t.var("p", 1));
        for a in 0..1u128 << width {
            let ca = t.bv(width, a);
            let fixed = t.eq(x, ca);
            for op in [Op::Not, Op::Neg] {
                let applied = t.intern(Key::new(op, width, &[x]));
                assert_value(&mut bits, t, &[fixed], applied, semantics::unary(op, width, a), "unary");
            }
            let sext = t.intern(Key::new(Op::Sext, width + 3, &[x]));
            assert_value(&mut bits, t, &[fixed], sext, semantics::sext(a, width, width + 3), "sext");
            for low in 0..width {
                for high in low..width {
                    let cut = t.intern(Key::extract(x, high, low));
                    assert_value(&mut bits, t, &[fixed], cut, semantics::extract(a, high - low + 1, low), "extract");
                }
            }
            for b in 0..4 {
                let cb = t.bv(2, b);
                let both = [fixed, t.eq(y, cb)];
                let joined = t.intern(Key::new(Op::Concat, width + 2, &[x, y]));
                assert_value(&mut bits, t, &both, joined, a << 2 | b, "concat");
            }
            let other = t.bv(width, 1);
            let chosen = t.intern(Key::new(Op::Ite, width, &[p, x, other]));
            let not_p = t.not(p);
            assert_value(&mut bits, t, &[fixed, p], chosen, a, "ite");
            assert_value(&mut bits, t, &[fixed, not_p], chosen, 1, "ite");
        }
    }
}

/// Wide words have every bit where it belongs.
#[test]
fn wide_circuits_are_exact() {
    for (seed, width) in (0..24).map(|seed| (seed, [17, 32, 64, 128][seed as usize % 4])) {
        let mut g = Gen::new(width, seed);
        let mut bits = Bits::new();
        let (a, b) = (g.rng.value(width), g.rng.value(width));
        let mut t = Terms::without_rewriting();
        let (x, y) = (t.var("x", width), t.var("y", width));
        let (ca, cb) = (t.bv(width, a), t.bv(width, b));
        let inputs = [t.eq(x, ca), t.eq(y, cb)];
        for op in BINARY {
            let result = if matches!(op, Op::Eq | Op::Ult | Op::Slt) { 1 } else { width };
            let applied = t.intern(Key::new(op, result, &[x, y]));
            let value = semantics::binary(op, width, a, b);
            assert_value(&mut bits, &mut t, &inputs, applied, value, &format!("{op:?} {a} {b} of {width} bits"));
        }
    }
}

/// Random conjuncts over arithmetic, structure and arrays, one by one: Z3's answers, and cores that are cores.
#[test]
fn answers_are_those_of_z3() {
    let mut bits = Bits::new();
    let mut z3 = Z3::new().expect("Z3 starts");
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..250 {
        let mut g = Gen::new(3 + seed as u32 % 4, seed);
        let mut query: Vec<TermId> = Vec::new();
        for _ in 0..7 {
            let (a, b, x) = (g.sum(2), g.fields(), g.bitwise());
            let (array, index, byte) = (g.ite_array(), g.index(), g.byte());
            let (stores, scaled, c) = (g.stores(3), g.scaled(), g.any_const());
            let choice = g.rng.below(7);
            let t = &mut g.terms;
            let conjunct = match choice {
                0 => t.slt(a, b),
                1 => {
                    let quotient = t.sdiv(a, x);
                    t.ne(b, quotient)
                }
                2 => {
                    let read = t.select(array, index);
                    t.ule(read, byte)
                }
                3 => {
                    let (read, other) = (t.select(stores, index), t.select(array, index));
                    t.ne(read, other)
                }
                4 => {
                    let rest = t.urem(scaled, b);
                    t.ult(rest, c)
                }
                5 => {
                    let shifted = t.shl(a, b);
                    t.eq(shifted, x)
                }
                _ => t.ult(x, scaled),
            };
            query.push(conjunct);
            let expected = ask(&mut z3, &mut g.terms, &query);
            let answer = ask(&mut bits, &mut g.terms, &query);
            assert_eq!(answer.is_sat(), expected.is_sat(), "seed {seed}");
            if answer.is_sat() {
                sat += 1;
                continue;
            }
            unsat += 1;
            let core = bits.core().expect("a core").to_vec();
            assert!(core.iter().all(|c| query.contains(c)));
            assert!(ask(&mut z3, &mut g.terms, &core).is_unsat(), "seed {seed}: {core:?}");
            query.pop();
        }
    }
    assert!(sat > 300 && unsat > 150, "{sat} sat, {unsat} unsat");
}

/// The clauses of one query's terms say nothing of another's.
#[test]
fn queries_do_not_disturb_each_other() {
    let t = &mut Terms::new();
    let mut bits = Bits::new();
    let (a, i, j) = (t.array_var("a", 64), t.var("i", 64), t.var("j", 64));
    let (at_i, at_j) = (t.select(a, i), t.select(a, j));
    let (differ, equal) = (t.ne(at_i, at_j), t.eq(i, j));
    assert!(ask(&mut bits, t, &[differ, equal]).is_unsat());
    assert!(ask(&mut bits, t, &[differ]).is_sat());
    assert!(ask(&mut bits, t, &[equal]).is_sat());
    let model = ask(&mut bits, t, &[differ]).model().unwrap_or_else(Model::new);
    assert_ne!(t.eval(at_i, &model), t.eval(at_j, &model));
}
