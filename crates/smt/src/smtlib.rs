//! A query as an SMT-LIB 2.6 script, for logs and for checks by other solvers.
//!
//! Written straight from terms, sharing no code with the Z3 backend's translation. Booleans stay bit-vectors
//! of one bit. Shared subterms are defined once.

use std::fmt::Write;

use crate::float::{FloatOp, Format};
use crate::pool::Terms;
use crate::term::{Key, Op, Sort, TermId};

/// The script that asks whether `assertions` hold together, ending with `(check-sat)`.
pub fn to_smtlib(terms: &Terms, assertions: &[TermId]) -> String {
    let mut reached = reachable(terms, assertions);
    let has_numbers = reached.iter().any(|&t| terms.key(t).float_op().is_some());
    let mut script = String::from(if has_numbers { "(set-logic ALL)\n" } else { "(set-logic QF_ABV)\n" });
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
            Op::Float1 | Op::Float2 | Op::Float3 => float(terms, t, &key),
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

/// A floating-point operator. The theory has no function from numbers to their bits, since NaNs have many: the bits are a
/// constant of which it is said what they are.
fn float(terms: &Terms, t: TermId, key: &Key) -> String {
    let (op, to, from) = (FloatOp::of(key.low), key.w(), terms.width(key.a()));
    let sort = |width: u32| if width == 32 { "8 24" } else { "11 53" };
    let read = |t: TermId| format!("((_ to_fp {}) {})", sort(from), reference(terms, t));
    let bits = |value: u128, width: u32| format!("(_ bv{value} {width})");
    let numbers: Vec<String> = match op {
        FloatOp::FromSigned => Vec::new(),
        _ => key.operands().map(read).collect(),
    };
    let of = |name: &str| format!("({name} {})", numbers.join(" "));
    let compared = |name: &str| format!("(define-fun {t} () (_ BitVec 1) (ite {} #b1 #b0))", of(name));
    let integral = |mode: &str| of(&format!("fp.roundToIntegral {mode}"));
    let result = match op {
        FloatOp::Less => return compared("fp.lt"),
        FloatOp::LessEqual => return compared("fp.leq"),
        FloatOp::Equal => return compared("fp.eq"),
        FloatOp::ToSigned => {
            let x = &numbers[0];
            let limit = |value: f64| format!("((_ to_fp 11 53) {})", bits(u128::from(value.to_bits()), 64));
            let wide = if from == 32 { format!("((_ to_fp 11 53) RNE {x})") } else { x.clone() };
            let most = 2f64.powi(to as i32 - 1);
            let whole = format!("(fp.roundToIntegral RTZ {wide})");
            let fits = format!("(and (fp.leq {} {whole}) (fp.lt {whole} {}))", limit(-most), limit(most));
            let least = bits(1 << (to - 1), to);
            return format!("(define-fun {t} () (_ BitVec {to}) (ite {fits} ((_ fp.to_sbv {to}) RTZ {x}) {least}))");
        }
        FloatOp::FromSigned => format!("((_ to_fp {}) RNE {})", sort(to), reference(terms, key.a())),
        FloatOp::Resize => format!("((_ to_fp {}) RNE {})", sort(to), numbers[0]),
        FloatOp::Add => of("fp.add RNE"),
        FloatOp::Sub => of("fp.sub RNE"),
        FloatOp::Mul => of("fp.mul RNE"),
        FloatOp::Div => of("fp.div RNE"),
        FloatOp::MulAdd => of("fp.fma RNE"),
        FloatOp::Sqrt => of("fp.sqrt RNE"),
        FloatOp::Floor => integral("RTN"),
        FloatOp::Ceil => integral("RTP"),
        FloatOp::Trunc => integral("RTZ"),
        FloatOp::Round => integral("RNA"),
        FloatOp::RoundEven => integral("RNE"),
    };
    let mut nan = bits(Format::of(to).indefinite(), to);
    if op == FloatOp::Resize {
        let word = reference(terms, key.a());
        let sign = format!("((_ extract {0} {0}) {word})", from - 1);
        let (fraction, head) = match to {
            32 => (format!("((_ extract 51 29) {word})"), "#b11111111"),
            _ => (format!("(concat ((_ extract 22 0) {word}) {})", bits(0, 29)), "#b11111111111"),
        };
        nan = format!("(bvor (concat {sign} (concat {head} {fraction})) {})", bits(Format::of(to).quiet(), to));
    } else {
        for (operand, number) in key.operands().zip(&numbers).collect::<Vec<_>>().into_iter().rev() {
            let quiet = format!("(bvor {} {})", reference(terms, operand), bits(Format::of(to).quiet(), to));
            nan = format!("(ite (fp.isNaN {number}) {quiet} {nan})");
        }
    }
    format!(
        "(declare-const {t} (_ BitVec {to}))\n(assert (let ((r {result})) (ite (fp.isNaN r) (= {t} {nan}) (= ((_ to_fp {}) {t}) r))))",
        sort(to)
    )
}

fn application(terms: &Terms, key: &Key) -> String {
    let arg = |t| reference(terms, t);
    let operator = match key.op {
        Op::Const | Op::Var | Op::ArrayVar => unreachable!("a leaf has no operator"),
        Op::Float1 | Op::Float2 | Op::Float3 => unreachable!("numbers are written by themselves"),
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
