//! A query as an SMT-LIB 2.6 script, for logs and for checks by other solvers.
//!
//! Written straight from terms, sharing no code with the Z3 backend's translation. Booleans stay bit-vectors
//! of one bit. Shared subterms are defined once.

use std::fmt::Write;

use crate::pool::Terms;
use crate::term::{Key, Op, Sort, TermId};

/// The script that asks whether `assertions` hold together, ending with `(check-sat)`.
pub fn to_smtlib(terms: &Terms, assertions: &[TermId]) -> String {
    let mut script = String::from("(set-logic QF_ABV)\n");
    let mut reached = reachable(terms, assertions);
    // Operands have smaller ids than their users.
    reached.sort_unstable();
    for t in reached {
        let key = terms.key(t);
        let sort = sort(terms, t);
        let line = match key.op {
            Op::Const => continue,
            Op::Var | Op::ArrayVar => {
                format!("(declare-const {} {sort})", name(terms, t))
            }
            _ => format!("(define-fun {t} () {sort} {})", application(terms, &key)),
        };
        script.push_str(&line);
        script.push('\n');
    }
    for &assertion in assertions {
        let text = reference(terms, assertion);
        // Writing to a `String` cannot fail.
        let _ = writeln!(script, "(assert (= {text} #b1))");
    }
    script.push_str("(check-sat)\n");
    script
}

/// Every term that the assertions contain.
pub(crate) fn reachable(terms: &Terms, assertions: &[TermId]) -> Vec<TermId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = assertions.to_vec();
    let mut reached = Vec::new();
    while let Some(t) = work.pop() {
        if seen.insert(t) {
            reached.push(t);
            work.extend(terms.args(t));
        }
    }
    reached
}

fn sort(terms: &Terms, t: TermId) -> String {
    match terms.sort(t) {
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Array { index } => format!("(Array (_ BitVec {index}) (_ BitVec 8))"),
    }
}

/// A quoted symbol; the id keeps variables of one name apart.
fn name(terms: &Terms, t: TermId) -> String {
    let name = terms.as_variable(t).map_or("", |v| v.name.as_str());
    let name: String = name.chars().map(|c| if matches!(c, '|' | '\\') { '_' } else { c }).collect();
    format!("|{name}!{}|", t.index())
}

fn reference(terms: &Terms, t: TermId) -> String {
    match terms.as_const(t) {
        Some(value) => format!("(_ bv{value} {})", terms.width(t)),
        None if terms.as_variable(t).is_some() => name(terms, t),
        None => t.to_string(),
    }
}

fn application(terms: &Terms, key: &Key) -> String {
    let arg = |t| reference(terms, t);
    let operator = match key.op {
        Op::Const | Op::Var | Op::ArrayVar => unreachable!("a leaf has no operator"),
        Op::Not => "bvnot".to_owned(),
        Op::Neg => "bvneg".to_owned(),
        Op::And => "bvand".to_owned(),
        Op::Or => "bvor".to_owned(),
        Op::Xor => "bvxor".to_owned(),
        Op::Add => "bvadd".to_owned(),
        Op::Mul => "bvmul".to_owned(),
        Op::Udiv => "bvudiv".to_owned(),
        Op::Sdiv => "bvsdiv".to_owned(),
        Op::Urem => "bvurem".to_owned(),
        Op::Srem => "bvsrem".to_owned(),
        Op::Shl => "bvshl".to_owned(),
        Op::Lshr => "bvlshr".to_owned(),
        Op::Ashr => "bvashr".to_owned(),
        Op::Concat => "concat".to_owned(),
        Op::Select => "select".to_owned(),
        Op::Store => "store".to_owned(),
        Op::Extract => format!("(_ extract {} {})", key.high(), key.low()),
        Op::Sext => format!("(_ sign_extend {})", key.w() - terms.width(key.a())),
        Op::ConstArray => format!("(as const (Array (_ BitVec {}) (_ BitVec 8)))", key.w()),
        Op::Eq | Op::Ult | Op::Slt => {
            let predicate = match key.op {
                Op::Eq => "=",
                Op::Ult => "bvult",
                _ => "bvslt",
            };
            let (a, b) = (arg(key.a()), arg(key.b()));
            return format!("(ite ({predicate} {a} {b}) #b1 #b0)");
        }
        Op::Ite | Op::IteArray => {
            let (p, a, b) = (arg(key.a()), arg(key.b()), arg(key.c()));
            return format!("(ite (= {p} #b1) {a} {b})");
        }
    };
    let mut text = format!("({operator}");
    for operand in key.operands() {
        text.push(' ');
        text.push_str(&arg(operand));
    }
    text.push(')');
    text
}
