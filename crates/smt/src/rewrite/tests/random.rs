//! Random expressions, built as users build them, against a reference evaluator that shares no code with the
//! crate, and against the solver.

use super::assert_equal;
use super::gens::Rng;
use crate::eval::Evaluator;
use crate::model::Model;
use crate::pool::Terms;
use crate::solver::z3::Z3;
use crate::term::{TermId, mask};

/// A public constructor.
#[derive(Clone, Copy, Debug)]
enum Build {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Shl,
    Lshr,
    Ashr,
    /// A comparison, zero-extended back.
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    UaddOver,
    UsubOver,
    SaddOver,
    SsubOver,
    UmulOver,
    SmulOver,
    /// On the sign of the first operand.
    Ite,
    /// The low half of the first operand above the high half of the second.
    Halves,
    /// A slice, zero- or sign-extended back.
    ZextSlice,
    SextSlice,
}

const ALL: [Build; 31] = [
    Build::Not,
    Build::Neg,
    Build::And,
    Build::Or,
    Build::Xor,
    Build::Add,
    Build::Sub,
    Build::Mul,
    Build::Udiv,
    Build::Sdiv,
    Build::Urem,
    Build::Srem,
    Build::Shl,
    Build::Lshr,
    Build::Ashr,
    Build::Eq,
    Build::Ne,
    Build::Ult,
    Build::Ule,
    Build::Slt,
    Build::Sle,
    Build::UaddOver,
    Build::UsubOver,
    Build::SaddOver,
    Build::SsubOver,
    Build::UmulOver,
    Build::SmulOver,
    Build::Ite,
    Build::Halves,
    Build::ZextSlice,
    Build::SextSlice,
];

/// A straight-line program: each step uses earlier values; the first are variables.
struct Program {
    width: u32,
    constants: Vec<u128>,
    steps: Vec<(Build, usize, usize, u32, u32)>,
}

const VARIABLES: usize = 3;

fn program(rng: &mut Rng, width: u32, length: usize) -> Program {
    let constants: Vec<u128> = (0..3).map(|_| rng.value(width)).collect();
    let inputs = VARIABLES + constants.len();
    let steps = (0..length)
        .map(|i| {
            // Recent values more often, so that terms grow deep.
            let pick = |rng: &mut Rng| match rng.below(3) {
                0 => rng.below(inputs as u32) as usize,
                _ => rng.below((inputs + i) as u32) as usize,
            };
            let high = rng.below(width);
            let low = rng.below(high + 1);
            let build = ALL[rng.below(ALL.len() as u32) as usize];
            (build, pick(rng), pick(rng), high, low)
        })
        .collect();
    Program { width, constants, steps }
}

fn build(terms: &mut Terms, p: &Program) -> Vec<TermId> {
    let w = p.width;
    let mut values: Vec<TermId> = (0..VARIABLES).map(|i| terms.var(&format!("v{i}"), w)).collect();
    values.extend(p.constants.iter().map(|&c| terms.bv(w, c)));
    for &(op, a, b, high, low) in &p.steps {
        let (a, b) = (values[a], values[b]);
        let value = match op {
            Build::Not => terms.not(a),
            Build::Neg => terms.neg(a),
            Build::And => terms.and(a, b),
            Build::Or => terms.or(a, b),
            Build::Xor => terms.xor(a, b),
            Build::Add => terms.add(a, b),
            Build::Sub => terms.sub(a, b),
            Build::Mul => terms.mul(a, b),
            Build::Udiv => terms.udiv(a, b),
            Build::Sdiv => terms.sdiv(a, b),
            Build::Urem => terms.urem(a, b),
            Build::Srem => terms.srem(a, b),
            Build::Shl => terms.shl(a, b),
            Build::Lshr => terms.lshr(a, b),
            Build::Ashr => terms.ashr(a, b),
            Build::Eq => terms.eq(a, b),
            Build::Ne => terms.ne(a, b),
            Build::Ult => terms.ult(a, b),
            Build::Ule => terms.ule(a, b),
            Build::Slt => terms.slt(a, b),
            Build::Sle => terms.sle(a, b),
            Build::UaddOver => terms.uadd_overflows(a, b),
            Build::UsubOver => terms.usub_overflows(a, b),
            Build::SaddOver => terms.sadd_overflows(a, b),
            Build::SsubOver => terms.ssub_overflows(a, b),
            Build::UmulOver => terms.umul_overflows(a, b),
            Build::SmulOver => terms.smul_overflows(a, b),
            Build::Ite => {
                let sign = terms.sign(a);
                terms.ite(sign, a, b)
            }
            Build::Halves if w > 1 => {
                let (top, bottom) = (terms.trunc(a, w / 2), terms.extract(b, w - 1, w / 2));
                terms.concat(top, bottom)
            }
            Build::Halves => a,
            Build::ZextSlice => {
                let slice = terms.extract(a, high, low);
                terms.zext(slice, w)
            }
            Build::SextSlice => {
                let slice = terms.extract(a, high, low);
                terms.sext(slice, w)
            }
        };
        values.push(terms.zext(value, w));
    }
    values
}

/// Two's complement, by subtraction rather than by shifts as the crate has it.
fn signed(value: u128, w: u32) -> i128 {
    if w == 128 {
        value as i128
    } else if value >= 1 << (w - 1) {
        (value as i128).wrapping_sub(1 << w)
    } else {
        value as i128
    }
}

/// Whether a signed result is outside the range of `w` bits; `None` is beyond 128 bits.
fn outside(result: Option<i128>, w: u32) -> u128 {
    let max = (mask(w) >> 1) as i128;
    u128::from(result.is_none_or(|r| r > max || r < -max - 1))
}

fn reference(p: &Program, inputs: &[u128]) -> Vec<u128> {
    let w = p.width;
    let all = mask(w);
    let mut values = inputs.to_vec();
    values.extend(&p.constants);
    for &(op, a, b, high, low) in &p.steps {
        let (a, b) = (values[a], values[b]);
        let (sa, sb) = (signed(a, w), signed(b, w));
        let slice = (a >> low) & mask(high - low + 1);
        let value = match op {
            Build::Not => a ^ all,
            Build::Neg => 0u128.wrapping_sub(a),
            Build::And => a & b,
            Build::Or => a | b,
            Build::Xor => a ^ b,
            Build::Add => a.wrapping_add(b),
            Build::Sub => a.wrapping_sub(b),
            Build::Mul => a.wrapping_mul(b),
            Build::Udiv if b == 0 => all,
            Build::Udiv => a / b,
            Build::Sdiv if b == 0 => {
                if sa < 0 {
                    1
                } else {
                    all
                }
            }
            Build::Sdiv => sa.wrapping_div(sb) as u128,
            Build::Urem | Build::Srem if b == 0 => a,
            Build::Urem => a % b,
            Build::Srem => sa.wrapping_rem(sb) as u128,
            Build::Shl | Build::Lshr if b >= u128::from(w) => 0,
            Build::Shl => a << b,
            Build::Lshr => a >> b,
            Build::Ashr if b >= u128::from(w) => {
                if sa < 0 {
                    all
                } else {
                    0
                }
            }
            Build::Ashr => (sa >> b) as u128,
            Build::Eq => u128::from(a == b),
            Build::Ne => u128::from(a != b),
            Build::Ult => u128::from(a < b),
            Build::Ule => u128::from(a <= b),
            Build::Slt => u128::from(sa < sb),
            Build::Sle => u128::from(sa <= sb),
            Build::UaddOver => u128::from(a.checked_add(b).is_none_or(|s| s > all)),
            Build::UsubOver => u128::from(a < b),
            Build::SaddOver => outside(sa.checked_add(sb), w),
            Build::SsubOver => outside(sa.checked_sub(sb), w),
            Build::UmulOver => u128::from(a.checked_mul(b).is_none_or(|s| s > all)),
            Build::SmulOver => outside(sa.checked_mul(sb), w),
            Build::Ite => {
                if sa < 0 {
                    a
                } else {
                    b
                }
            }
            Build::Halves if w > 1 => ((a & mask(w / 2)) << (w - w / 2)) | (b >> (w / 2)),
            Build::Halves => a,
            Build::ZextSlice => slice,
            Build::SextSlice => signed(slice, high - low + 1) as u128,
        };
        values.push(value & all);
    }
    values
}

#[test]
fn random_terms_have_the_reference_value_and_lie_within_their_facts() {
    let mut rng = Rng::new(1);
    for round in 0..3_000 {
        let width = [1, 2, 3, 7, 8, 16, 32, 33, 64, 65, 127, 128][round % 12];
        let p = program(&mut rng, width, 14);
        let mut terms = Terms::new();
        let built = build(&mut terms, &p);
        for _ in 0..12 {
            let inputs: Vec<u128> = (0..VARIABLES).map(|_| rng.value(width)).collect();
            let mut model = Model::new();
            for (&t, &value) in built.iter().zip(&inputs) {
                model.set(t, value);
            }
            let mut evaluator = Evaluator::new(model);
            let expected = reference(&p, &inputs);
            for (i, (&t, &value)) in built.iter().zip(&expected).enumerate() {
                assert_eq!(
                    evaluator.eval(&terms, t),
                    value,
                    "width {width}, step {:?} of round {round}: {} on {inputs:?}",
                    i.checked_sub(VARIABLES + 3).map(|i| p.steps[i]),
                    terms.display(t)
                );
            }
            // Facts hold of every term of the pool, also of those built on the way.
            for index in 0..terms.len() {
                let t = TermId(index as u32);
                let (facts, value) = (terms.facts(t), evaluator.eval(&terms, t));
                let within = facts.lo <= value
                    && value <= facts.hi
                    && value & facts.zeros == 0
                    && value & facts.ones == facts.ones;
                assert!(within, "{facts:?} of {} = {value}", terms.display(t));
            }
        }
        assert_eq!(terms.rewriter.depth_exceeded, 0, "rules cycle");
    }
}

#[test]
fn random_terms_are_equal_to_what_was_written() {
    let mut z3 = Z3::new().expect("Z3 starts");
    let mut rng = Rng::new(2);
    for round in 0..300 {
        // Narrow: Z3 must prove products and quotients equal.
        let width = [1, 2, 3, 4][round % 4];
        let p = program(&mut rng, width, 9);
        let mut rewritten = Terms::new();
        let built = build(&mut rewritten, &p);
        let mut raw = Terms::without_rewriting();
        let written = build(&mut raw, &p);
        let (Some(&left), Some(&right)) = (written.last(), built.last()) else {
            unreachable!("a program has values");
        };
        let right = copy(&rewritten, right, &mut raw);
        let what = format!("round {round}, {:?}", p.steps);
        assert_equal(&mut z3, &mut raw, left, right, &what);
    }
}

/// `t` of another pool, node by node.
fn copy(from: &Terms, t: TermId, to: &mut Terms) -> TermId {
    if let Some(variable) = from.as_variable(t) {
        return to.intern_variable(&variable.name, variable.sort, variable.uninit);
    }
    let mut key = from.key(t);
    for i in 0..key.op.arity() {
        key.args[i] = copy(from, TermId(key.args[i]), to).0;
    }
    to.intern(key)
}
