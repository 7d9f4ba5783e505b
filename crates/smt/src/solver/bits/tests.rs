//! Every circuit against evaluation and against Z3.

use super::*;
use crate::float::FloatOp;
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

/// Words that are numbers of all kinds: zeros, subnormal ones, neighbours of powers, integers and halves, infinities, NaNs.
fn number(g: &mut Gen, width: u32) -> u128 {
    let (fraction, exponent) = if width == 32 { (23, 8) } else { (52, 11) };
    let sign = u128::from(g.coin()) << (width - 1);
    let bias = (1u128 << (exponent - 1)) - 1;
    let some = g.rng.value(fraction);
    let field = match g.rng.below(9) {
        0 => 0,
        1 => (1 << exponent) - 1,
        2 => (1 << exponent) - 2,
        3 => 1,
        // Around one, so that sums cancel and integers are near.
        4 | 5 => bias + u128::from(g.rng.below(4)),
        6 => bias - 1 - u128::from(g.rng.below(4)),
        7 => bias + u128::from(g.rng.below(70)),
        _ => g.rng.value(exponent),
    };
    sign | field << fraction | some
}

/// Operators with the widths of their operands and of their results.
fn float_forms() -> Vec<(FloatOp, u32, u32)> {
    let mut forms = Vec::new();
    for op in FloatOp::ALL {
        for from in [1, 8, 32, 33, 64, 128] {
            forms.extend([1, 32, 64].into_iter().filter(|&to| op.fits(from, to)).map(|to| (op, from, to)));
        }
    }
    forms
}

/// A term of an operator with operands that are variables, their values, and what says so.
fn float_case(g: &mut Gen, (op, from, to): (FloatOp, u32, u32)) -> (TermId, Vec<TermId>, u128, String) {
    let (mut variables, mut inputs, mut values) = (Vec::new(), Vec::new(), [0; 3]);
    let near = number(g, from.max(32)) & crate::term::mask(from);
    for index in 0..op.arity() {
        let value = match g.rng.below(4) {
            0 if index > 0 => near ^ g.rng.value(2),
            1 if from != 32 && from != 64 => g.rng.value(from),
            _ if from != 32 && from != 64 => near,
            _ if index == 0 => near,
            _ => number(g, from),
        };
        values[index] = value;
        let variable = g.terms.var(["x", "y", "z"][index], from);
        let constant = g.terms.bv(from, value);
        variables.push(variable);
        inputs.push(g.terms.eq(variable, constant));
    }
    let term = g.terms.float(op, to, &variables);
    let value = crate::float::apply(op, from, to, values);
    (term, inputs, value, format!("{op:?} of {values:x?} with {from} bits to {to}"))
}

/// Circuits, Z3's theory and the processor agree on every operator, bit by bit.
#[test]
fn floating_point_circuits_are_exact() {
    let mut z3 = Z3::new().expect("Z3 starts");
    for (number, form) in float_forms().into_iter().enumerate() {
        let mut g = Gen::new(8, number as u64);
        g.terms = Terms::without_rewriting();
        let mut bits = Bits::new();
        for round in 0..60 {
            let (term, inputs, value, what) = float_case(&mut g, form);
            assert_value(&mut bits, &mut g.terms, &inputs, term, value, &what);
            if round % 6 == 0 {
                let constant = g.terms.bv(form.2, value);
                let differs = g.terms.ne(term, constant);
                let query: Vec<TermId> = inputs.iter().copied().chain([differs]).collect();
                assert!(ask(&mut z3, &mut g.terms, &query).is_unsat(), "Z3: {what} is not {value:x}");
            }
        }
    }
}

/// The text for other solvers means the same.
#[test]
fn floating_point_scripts_are_exact() {
    for (number, form) in float_forms().into_iter().enumerate() {
        let mut g = Gen::new(8, 1000 + number as u64);
        for _ in 0..4 {
            let (term, inputs, value, what) = float_case(&mut g, form);
            let constant = g.terms.bv(form.2, value);
            for (wrong, expected) in [(g.terms.ne(term, constant), false), (g.terms.eq(term, constant), true)] {
                let query: Vec<TermId> = inputs.iter().copied().chain([wrong]).collect();
                let script = crate::to_smtlib(&g.terms, &query);
                let answer = Z3::new().expect("Z3 starts").run_script(&script);
                assert_eq!(answer, if expected { "sat" } else { "unsat" }, "{what}\n{script}");
            }
        }
    }
}

/// Questions about numbers that nothing is known of: both backends answer alike, and models are models.
#[test]
fn questions_about_numbers_have_one_answer() {
    let mut z3 = Z3::new().expect("Z3 starts");
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..60 {
        let mut g = Gen::new(8, seed);
        let mut bits = Bits::new();
        let (c, d) = (number(&mut g, 32), number(&mut g, 32));
        let choice = g.rng.below(6);
        let t = &mut g.terms;
        let (x, y) = (t.var("x", 32), t.var("y", 32));
        let (c, d) = (t.bv(32, c), t.bv(32, d));
        let op = [FloatOp::Add, FloatOp::Sub, FloatOp::Add, FloatOp::Floor, FloatOp::RoundEven, FloatOp::Sub]
            [choice as usize];
        let result = if op.arity() == 1 { t.float(op, 32, &[x]) } else { t.float(op, 32, &[x, y]) };
        let less = t.float(FloatOp::Less, 1, &[result, c]);
        let above = t.float(FloatOp::LessEqual, 1, &[d, x]);
        let below = t.float(FloatOp::Less, 1, &[result, x]);
        let query = [less, above, below];
        let (ours, theirs) = (ask(&mut bits, t, &query), ask(&mut z3, t, &query));
        assert_eq!(ours.is_sat(), theirs.is_sat(), "seed {seed}");
        for (who, answer) in [("bits", ours), ("Z3", theirs)] {
            match answer.model() {
                Some(model) => {
                    sat += 1;
                    let values = query.map(|q| t.eval(q, &model));
                    assert_eq!(
                        values,
                        [1; 3],
                        "seed {seed}, {who}: {} {} {}: {model:?}",
                        t.display(less),
                        t.display(above),
                        t.display(below)
                    );
                }
                None => unsat += 1,
            }
        }
    }
    assert!(sat > 20 && unsat > 20, "{sat} sat, {unsat} unsat");
}
