//! Every rule fires on its examples and is proved there; random terms keep their values.

mod gens;
mod precision;
mod random;

use std::collections::BTreeSet;

pub(crate) use gens::Gen;

use super::{Rule, fold, rules};
use crate::pool::Terms;
use crate::solver::z3::Z3;
use crate::solver::{Answer, Solver};
use crate::term::{Key, Op, TermId};

/// Every operator, so that no table is forgotten.
const OPS: [Op; 28] = [
    Op::Const,
    Op::Var,
    Op::Not,
    Op::Neg,
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
    Op::Ite,
    Op::Concat,
    Op::Extract,
    Op::Sext,
    Op::ArrayVar,
    Op::ConstArray,
    Op::Store,
    Op::Select,
    Op::IteArray,
];

const WIDTHS: [u32; 5] = [1, 2, 3, 5, 8];
const EXAMPLES: u64 = 60;
const PROVED_PER_WIDTH: usize = 10;

/// The boolean that says that two terms differ somewhere.
pub(super) fn differ(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let (mut x, mut y) = (a, b);
    if terms.op(a).is_array() {
        let width = terms.width(a);
        let index = terms.var("any index", width);
        x = terms.intern(Key::new(Op::Select, 8, &[a, index]));
        y = terms.intern(Key::new(Op::Select, 8, &[b, index]));
    }
    let eq = terms.intern(Key::new(Op::Eq, 1, &[x, y]));
    terms.intern(Key::new(Op::Not, 1, &[eq]))
}

pub(super) fn assert_equal(z3: &mut Z3, terms: &mut Terms, a: TermId, b: TermId, what: &str) {
    let differ = differ(terms, a, b);
    match z3.check(terms, &[differ]) {
        Ok(Answer::Unsat) => {}
        Ok(Answer::Sat(model)) => {
            panic!("{what}: {} is not {} for {}", terms.display(a), terms.display(b), model.display(terms))
        }
        other => panic!("{what}: {other:?}"),
    }
}

/// Applies `rule` to examples of one width; proves what it did. Returns how often it fired.
fn prove(z3: &mut Z3, rule: &Rule, op: Op, width: u32) -> usize {
    let mut g = Gen::new(width, 0);
    let mut fired: Vec<(Key, TermId)> = Vec::new();
    for seed in 0..EXAMPLES {
        g.reseed(seed);
        let key = (rule.example)(&mut g);
        assert_eq!(key.op, op, "`{}` is in the table of {op:?}", rule.name);
        let known = fired.iter().any(|(k, _)| *k == key);
        if known || g.terms.find(&key).is_some() || fold(&g.terms, &key).is_some() {
            continue;
        }
        if let Some(result) = (rule.apply)(&mut g.terms, &key) {
            assert!(g.terms.key(result) != key, "`{}` returns its own left-hand side", rule.name);
            fired.push((key, result));
            if fired.len() == PROVED_PER_WIDTH {
                break;
            }
        }
    }
    for &(key, result) in &fired {
        let left = g.terms.intern(key);
        let what = format!("`{}` at width {width}", rule.name);
        assert_eq!(g.terms.sort(left), g.terms.sort(result), "{what}");
        assert_equal(z3, &mut g.terms, left, result, &what);
    }
    fired.len()
}

#[test]
fn every_rule_fires_and_is_proved() {
    let mut z3 = Z3::new().expect("Z3 starts");
    let mut names = BTreeSet::new();
    for op in OPS {
        for rule in rules(op) {
            assert!(names.insert((format!("{op:?}"), rule.name)), "two rules are called `{}`", rule.name);
            let fired: usize = WIDTHS.iter().map(|&width| prove(&mut z3, rule, op, width)).sum();
            assert!(fired > 0, "`{}` ({op:?}) never fires", rule.name);
        }
    }
    assert!(names.len() > 80, "{} rules", names.len());
}
