//! What the comparisons of a path condition leave of other conjuncts.
//!
//! The order between variables bounds each of them; the bounds are carried up through the operators of a conjunct, as
//! [`Facts`], and may leave it no value but false.
//!
//! Guarantee: the conjuncts named as a core cannot hold together.

use rustc_hash::FxHashMap;

use super::order::Bound;
use crate::facts::{self, Facts};
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Op, TermId};

/// Nodes looked at for one query.
const MAX_VISITS: usize = 4096;

/// A conjunct that the bounds make false.
pub(super) fn refuted(terms: &Terms, assertions: &[TermId], bounds: &[Bound]) -> Option<usize> {
    let mut refined =
        Refined { terms, given: FxHashMap::default(), known: FxHashMap::default(), stack: Vec::new(), empty: false };
    for bound in bounds {
        refined.learn(bound.term, Facts::range(terms.width(bound.term), bound.lo, bound.hi));
        if refined.empty {
            // The bounds rest on the comparisons alone; any conjunct will do.
            return assertions.len().checked_sub(1);
        }
    }
    for (position, &assertion) in assertions.iter().enumerate().rev() {
        let facts = refined.facts(assertion)?;
        if refined.empty || facts.value() == Some(0) {
            return Some(position);
        }
    }
    None
}

struct Refined<'a> {
    terms: &'a Terms,
    /// What the path condition says of a term.
    given: FxHashMap<TermId, Facts>,
    /// That, and what follows from the operands.
    known: FxHashMap<TermId, Facts>,
    stack: Vec<TermId>,
    /// A term has no value left.
    empty: bool,
}

impl Refined<'_> {
    /// Takes down what is known of a term, and of the operands that show in it.
    fn learn(&mut self, t: TermId, facts: Facts) {
        let (mut t, mut facts) = (t, facts);
        loop {
            let key = self.terms.key(t);
            let before = self.given(t);
            let Some(both) = before.intersection(facts, key.w()) else {
                self.empty = true;
                return;
            };
            self.given.insert(t, both);
            let (a, width) = (key.a(), self.terms.width(key.a()));
            facts = match (key.op, self.terms.as_const(key.b())) {
                // Bits under a mask, and bits cut out.
                (Op::And, Some(mask)) => Facts::bits(width, both.zeros & mask, both.ones & mask),
                (Op::Or, Some(mask)) => Facts::bits(width, both.zeros & !mask, both.ones & !mask),
                (Op::Extract, _) => Facts::bits(width, both.zeros << key.low(), both.ones << key.low()),
                (Op::Not, _) => Facts::bits(width, both.ones, both.zeros),
                _ => return,
            };
            t = a;
        }
    }

    /// `None` when there is too much to look at.
    fn facts(&mut self, t: TermId) -> Option<Facts> {
        self.stack.push(t);
        while let Some(&top) = self.stack.last() {
            if self.known.len() > MAX_VISITS {
                return None;
            }
            let pending = self.stack.len();
            if !self.known.contains_key(&top) {
                let open = self.terms.args(top).filter(|a| !self.terms.is_const(*a) && !self.known.contains_key(a));
                self.stack.extend(open);
                if self.stack.len() > pending {
                    continue;
                }
                let facts = self.apply(top);
                self.known.insert(top, facts);
            }
            self.stack.pop();
        }
        self.known.get(&t).copied()
    }

    fn given(&self, t: TermId) -> Facts {
        self.given.get(&t).copied().unwrap_or_else(|| self.terms.facts(t))
    }

    fn get(&self, t: TermId) -> Facts {
        self.known.get(&t).copied().unwrap_or_else(|| self.given(t))
    }

    /// The facts of a term whose operands are known.
    fn apply(&mut self, t: TermId) -> Facts {
        let (key, before) = (self.terms.key(t), self.given(t));
        if key.op.is_array() {
            return before;
        }
        let (a, b) = (key.a(), key.b());
        let now = match key.op {
            Op::Eq | Op::Ult | Op::Slt => {
                let decided = compare(key.op, self.get(a), self.get(b), self.terms.width(a));
                decided.map_or(Facts::top(1), |holds| Facts::exact(1, u128::from(holds)))
            }
            Op::Ite if self.get(a).value() == Some(1) => self.get(b),
            Op::Ite if self.get(a).value() == Some(0) => self.get(key.c()),
            _ => facts::of_operands(self.terms, &key, |t| self.get(t)),
        };
        match before.intersection(now, key.w()) {
            Some(both) => both,
            None => {
                self.empty = true;
                before
            }
        }
    }
}

/// The value of a comparison, where the facts decide it.
fn compare(op: Op, a: Facts, b: Facts, width: u32) -> Option<bool> {
    match op {
        Op::Eq if a.disjoint(&b) => Some(false),
        Op::Eq => (a.value().is_some() && a.value() == b.value()).then_some(true),
        Op::Ult if a.hi < b.lo => Some(true),
        Op::Ult => (b.hi <= a.lo).then_some(false),
        _ => {
            let ((a_lo, a_hi), (b_lo, b_hi)) = (a.signed_range(width), b.signed_range(width));
            debug_assert!(a_lo >= signed(1 << (width - 1), width));
            if a_hi < b_lo { Some(true) } else { (b_hi <= a_lo).then_some(false) }
        }
    }
}
