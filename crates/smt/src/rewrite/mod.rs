//! The rewriter.
//!
//! A node about to be stored is folded if its operands are constants, then offered to the rules of its
//! operator, first match wins, and at last replaced by a constant if its facts leave one value. Operands are
//! already rewritten, so rules look one or two levels deep.
//!
//! Rules are tables: a rule has a name `match => result`, the rewrite, and an example generator for tests.
//! The tests walk every table, require that each rule fires on its examples, and prove each result equal to
//! its left-hand side with the solver at several widths, so a rule cannot be added unproved.
//!
//! Rules that push an operator inwards (distribution of `extract`) could blow up on shared terms; they stop
//! when the *fuel* of the outermost construction is spent. Deeper than [`MAX_DEPTH`] nothing is rewritten:
//! that would be a cycle among rules, which the tests look for.

mod array;
mod bool;
mod bv;
mod cmp;
mod extract;
#[cfg(test)]
pub(crate) mod tests;

use rustc_hash::FxHashMap;

use crate::facts;
use crate::float::{self, FloatOp};
use crate::pool::Terms;
use crate::semantics;
use crate::term::{Key, Op, TermId};

/// Rule applications allowed inside one outermost construction before distribution stops.
const FUEL: u32 = 2_000;

/// Nested constructions; each takes a few hundred bytes of stack.
const MAX_DEPTH: u32 = 256;

/// A rewrite of one operator.
pub(crate) struct Rule {
    #[cfg(test)]
    pub(crate) name: &'static str,
    /// An equal term, or `None` if the rule does not match. Must not return the node's own term.
    pub(crate) apply: fn(&mut Terms, &Key) -> Option<TermId>,
    /// A node on which the rule may fire, drawn at random.
    #[cfg(test)]
    pub(crate) example: fn(&mut tests::Gen) -> Key,
}

/// `rule!("match => result", |terms, key| rewrite, |gen| example)`.
macro_rules! rule {
    ($name:literal, $apply:expr, $example:expr $(,)?) => {
        crate::rewrite::Rule {
            #[cfg(test)]
            name: $name,
            apply: $apply,
            #[cfg(test)]
            example: $example,
        }
    };
}
pub(crate) use rule;

/// The rewriter's state inside a pool.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) enabled: bool,
    depth: u32,
    fuel: u32,
    /// Results of `extract`, the operator that is pushed inwards over shared terms.
    extracts: FxHashMap<(TermId, u8, u8), TermId>,
    /// How often the depth limit was hit; zero unless rules cycle or a term nests very deeply.
    pub(crate) depth_exceeded: u64,
    pub(crate) fuel_exhausted: u64,
}

impl State {
    pub(crate) fn new(enabled: bool) -> State {
        State { enabled, depth: 0, fuel: FUEL, extracts: FxHashMap::default(), depth_exceeded: 0, fuel_exhausted: 0 }
    }
}

impl Terms {
    /// Whether rules that push operators inwards may still do so.
    fn may_distribute(&mut self) -> bool {
        if self.rewriter.fuel == 0 {
            self.rewriter.fuel_exhausted += 1;
            return false;
        }
        true
    }
}

/// The rules of one operator, in the order in which they are tried.
pub(crate) fn rules(op: Op) -> &'static [Rule] {
    match op {
        Op::Const | Op::Var | Op::ArrayVar | Op::ConstArray => &[],
        Op::Float1 | Op::Float2 | Op::Float3 => &[],
        Op::Not => bool::NOT,
        Op::And => bool::AND,
        Op::Or => bool::OR,
        Op::Xor => bool::XOR,
        Op::Ite => bool::ITE,
        Op::Neg => bv::NEG,
        Op::Add => bv::ADD,
        Op::Mul => bv::MUL,
        Op::Udiv => bv::UDIV,
        Op::Urem => bv::UREM,
        Op::Sdiv => bv::SDIV,
        Op::Srem => bv::SREM,
        Op::Shl => bv::SHL,
        Op::Lshr => bv::LSHR,
        Op::Ashr => bv::ASHR,
        Op::Eq => cmp::EQ,
        Op::Ult => cmp::ULT,
        Op::Slt => cmp::SLT,
        Op::Concat => extract::CONCAT,
        Op::Extract => extract::EXTRACT,
        Op::Sext => extract::SEXT,
        Op::Store => array::STORE,
        Op::Select => array::SELECT,
        Op::IteArray => array::ITE,
    }
}

/// The term of a key that is not in the pool.
pub(crate) fn rewrite(terms: &mut Terms, key: Key) -> TermId {
    if let Some(value) = fold(terms, &key) {
        return terms.bv(key.w(), value);
    }
    let memo = (key.a(), key.width, key.low);
    if key.op == Op::Extract
        && let Some(&t) = terms.rewriter.extracts.get(&memo)
    {
        return t;
    }
    if terms.rewriter.depth == 0 {
        terms.rewriter.fuel = FUEL;
    }
    if terms.rewriter.depth == MAX_DEPTH {
        terms.rewriter.depth_exceeded += 1;
        return terms.intern(key);
    }
    terms.rewriter.depth += 1;
    let rewritten = first_match(terms, &key);
    terms.rewriter.depth -= 1;
    let result = rewritten.unwrap_or_else(|| {
        let facts = facts::of_key(terms, &key);
        match facts.value() {
            Some(value) if !key.op.is_array() => terms.bv(key.w(), value),
            _ => match terms.find(&key) {
                Some(t) => t,
                None => terms.intern_new(key, facts),
            },
        }
    });
    if key.op == Op::Extract && rewritten.is_some() {
        terms.rewriter.extracts.insert(memo, result);
    }
    result
}

fn first_match(terms: &mut Terms, key: &Key) -> Option<TermId> {
    for rule in rules(key.op) {
        if let Some(t) = (rule.apply)(terms, key) {
            terms.rewriter.fuel = terms.rewriter.fuel.saturating_sub(1);
            return Some(t);
        }
    }
    None
}

/// The value of a node whose operands are constants.
fn fold(terms: &Terms, key: &Key) -> Option<u128> {
    let constant = |t| terms.as_const(t);
    match key.op {
        Op::Const | Op::Var | Op::ArrayVar | Op::ConstArray => None,
        Op::Store | Op::Select | Op::IteArray | Op::Ite => None,
        Op::Not | Op::Neg => Some(semantics::unary(key.op, key.w(), constant(key.a())?)),
        Op::Extract => Some(semantics::extract(constant(key.a())?, key.w(), key.low())),
        Op::Sext => {
            let from = terms.width(key.a());
            Some(semantics::sext(constant(key.a())?, from, key.w()))
        }
        Op::Float1 | Op::Float2 | Op::Float3 => {
            let mut values = [0; 3];
            for (value, operand) in values.iter_mut().zip(key.operands()) {
                *value = constant(operand)?;
            }
            Some(float::apply(FloatOp::of(key.low), terms.width(key.a()), key.w(), values))
        }
        Op::Concat => {
            let low_width = terms.width(key.b());
            Some(semantics::concat(constant(key.a())?, constant(key.b())?, low_width))
        }
        _ => {
            let (a, b) = (constant(key.a())?, constant(key.b())?);
            Some(semantics::binary(key.op, terms.width(key.a()), a, b))
        }
    }
}
