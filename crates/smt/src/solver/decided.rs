//! What is decided without a solver, by procedures of our own.
//!
//! In this order: contradictions among the comparisons of variables (`order`), conjuncts that the bounds of variables make
//! false (`interval`), and assignments found by trying: the solution of the comparisons, then the nearest known model
//! with a variable or two changed (`search`).
//!
//! Guarantee: a model satisfies every assertion, by evaluation; what is called unsatisfiable has a core that is.

use super::order::{Orders, Verdict};
use super::{Answer, Limits, Solver, SolverError, SolverStats, interval, search};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

/// A solver that asks its backend only what it cannot decide.
pub struct Decided<S> {
    inner: S,
    orders: Orders,
    near: Option<(u64, Model)>,
    core: Option<Vec<TermId>>,
    own: SolverStats,
}

impl<S: Solver> Decided<S> {
    pub fn new(inner: S) -> Decided<S> {
        Decided { inner, orders: Orders::default(), near: None, core: None, own: SolverStats::default() }
    }

    fn unsat(&mut self, assertions: &[TermId], positions: &[u32]) -> Answer {
        self.core = Some(positions.iter().map(|&p| assertions[p as usize]).collect());
        Answer::Unsat
    }

    /// The answer, where it takes no solver.
    fn decide(&mut self, terms: &Terms, assertions: &[TermId], near: Option<Model>) -> Option<Answer> {
        let start = near.clone().unwrap_or_default();
        let mut ordered = None;
        match self.orders.decide(terms, assertions) {
            Verdict::Unsat(core) => {
                self.own.ordered += 1;
                return Some(self.unsat(assertions, &core));
            }
            Verdict::Open { values, bounds, mut reasons } => {
                if !bounds.is_empty()
                    && let Some(refuted) = interval::refuted(terms, assertions, &bounds)
                {
                    self.own.intervals += 1;
                    reasons.push(refuted as u32);
                    reasons.sort_unstable();
                    reasons.dedup();
                    return Some(self.unsat(assertions, &reasons));
                }
                let model = search::with_values(terms, &start, &values);
                if search::satisfies(terms, assertions, &model) {
                    self.own.ordered += 1;
                    return Some(Answer::Sat(model));
                }
                ordered = Some(model);
            }
            Verdict::Nothing => {}
        }
        let found = search::near(terms, assertions, &start)
            .or_else(|| ordered.and_then(|model| search::near(terms, assertions, &model)));
        self.own.searched += u64::from(found.is_some());
        found.map(Answer::Sat)
    }
}

impl<S: Solver> Solver for Decided<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        self.core = None;
        let near = self.near.take().filter(|(pool, _)| *pool == terms.pool_id()).map(|(_, model)| model);
        match self.decide(terms, assertions, near) {
            Some(answer) => Ok(answer),
            None => self.inner.check(terms, assertions),
        }
    }

    fn core(&self) -> Option<&[TermId]> {
        self.core.as_deref().or_else(|| self.inner.core())
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.near = Some((terms.pool_id(), model.clone()));
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        let inner = self.inner.stats();
        SolverStats {
            ordered: inner.ordered + self.own.ordered,
            intervals: inner.intervals + self.own.intervals,
            searched: inner.searched + self.own.searched,
            ..inner
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::tests::Gen;
    use crate::solver::z3::Z3;

    /// A side of a comparison: variables of two widths, extensions, sums with constants, constants.
    fn side(g: &mut Gen) -> TermId {
        let names = ["a", "b", "c", "d"];
        let name = names[g.rng.below(4) as usize];
        let (wide, narrow) = (g.terms.var(name, 5), g.terms.var(&format!("{name}3"), 3));
        let constant = g.any_const();
        match g.rng.below(8) {
            0 => constant,
            1 => g.terms.zext(narrow, 5),
            2 => g.terms.sext(narrow, 5),
            3 => g.terms.add(wide, constant),
            4 => {
                let extended = g.terms.zext(narrow, 5);
                g.terms.add(extended, constant)
            }
            _ => wide,
        }
    }

    fn conjunct(g: &mut Gen) -> TermId {
        let (a, b, other) = (side(g), side(g), g.x());
        let t = &mut g.terms;
        let made = match g.rng.below(10) {
            9 => {
                let sign = t.extract(a, 4, 4);
                if g.rng.below(2) == 0 { sign } else { t.not(sign) }
            }
            0 => t.eq(a, b),
            1 => t.ne(a, b),
            2 => t.ult(a, b),
            3 => t.ule(a, b),
            4 | 5 => t.slt(a, b),
            6 => t.sle(a, b),
            // What the order does not decide, but its bounds may.
            7 => {
                let masked = t.and(a, other);
                t.ult(b, masked)
            }
            _ => {
                let (first, second) = (t.slt(a, b), t.ult(b, a));
                t.and(first, second)
            }
        };
        if g.terms.is_const(made) { conjunct(g) } else { made }
    }

    /// Every answer is the backend's, every core is one, every model holds.
    #[test]
    fn own_procedures_agree_with_the_backend() {
        let mut plain = Z3::new().expect("Z3 starts");
        let mut decided = Decided::new(Z3::new().expect("Z3 starts"));
        let (mut sat, mut unsat) = (0, 0);
        for seed in 0..400 {
            let mut g = Gen::new(5, seed);
            let mut query: Vec<TermId> = Vec::new();
            for _ in 0..8 {
                query.push(conjunct(&mut g));
                let answer = decided.check(&mut g.terms, &query).expect("an answer");
                let expected = plain.check(&mut g.terms, &query).expect("an answer");
                let shown = query.iter().map(|&c| g.terms.display(c)).collect::<Vec<_>>().join("; ");
                assert_eq!(answer.is_sat(), expected.is_sat(), "{shown}");
                if let Answer::Sat(model) = answer {
                    sat += 1;
                    assert!(search::satisfies(&g.terms, &query, &model), "{shown}");
                    decided.near(&g.terms, &model);
                    continue;
                }
                unsat += 1;
                if let Some(core) = decided.core() {
                    let core = core.to_vec();
                    assert!(core.iter().all(|c| query.contains(c)), "{shown}");
                    let alone = plain.check(&mut g.terms, &core).expect("an answer");
                    assert!(alone.is_unsat(), "{core:?} is no core of {shown}");
                }
                break;
            }
        }
        let stats = decided.stats();
        assert!(sat > 500 && unsat > 200, "{sat} sat, {unsat} unsat");
        assert!(stats.intervals > 0 && stats.ordered > 200 && stats.searched > 200, "{stats:?}");
        assert!(stats.queries * 8 < sat + unsat, "{stats:?} of {}", sat + unsat);
    }

    #[test]
    fn a_cycle_is_a_core() {
        let t = &mut Terms::new();
        let v: Vec<TermId> = (0..6).map(|i| t.var(&format!("v{i}"), 32)).collect();
        let mut query: Vec<TermId> = (0..5).map(|i| t.sle(v[i], v[i + 1])).collect();
        query.push(t.slt(v[3], v[1]));
        let mut decided = Decided::new(Z3::new().expect("Z3 starts"));
        assert_eq!(decided.check(t, &query).ok(), Some(Answer::Unsat));
        assert_eq!(decided.core(), Some(&[query[1], query[2], query[5]][..]));
        assert_eq!((decided.stats().ordered, decided.stats().queries), (1, 0));
    }

    /// A sum that may wrap around is not ordered like its operand, unless another conjunct keeps it from wrapping.
    #[test]
    fn sums_are_ordered_where_they_cannot_wrap() {
        let t = &mut Terms::new();
        let (x, y) = (t.var("x", 32), t.var("y", 32));
        let (one, hundred) = (t.bv(32, 1), t.bv(32, 100));
        let next = t.add(x, one);
        let mut query = vec![t.ule(next, y), t.ule(y, x)];
        let mut decided = Decided::new(Z3::new().expect("Z3 starts"));
        let model = decided.check(t, &query).ok().and_then(Answer::model).expect("x is the greatest number");
        assert_eq!(model.value(x), 0xffff_ffff);
        query.push(t.ult(x, hundred));
        assert_eq!(decided.check(t, &query).ok(), Some(Answer::Unsat));
        assert_eq!(decided.core().map(<[TermId]>::len), Some(3));
    }

    #[test]
    fn bounds_decide_other_conjuncts() {
        let t = &mut Terms::new();
        let (x, y, c) = (t.var("x", 32), t.var("y", 32), t.var("c", 8));
        let (three, ten, hundred) = (t.bv(32, 3), t.bv(32, 10), t.bv(32, 100));
        let triple = t.mul(x, three);
        let wide = t.zext(c, 32);
        let sum = t.add(triple, wide);
        let query = vec![t.ult(x, y), t.ult(y, ten), t.ult(wide, three), t.ult(hundred, sum)];
        let mut decided = Decided::new(Z3::new().expect("Z3 starts"));
        assert_eq!(decided.check(t, &query).ok(), Some(Answer::Unsat));
        assert_eq!((decided.stats().intervals, decided.stats().queries), (1, 0));
    }
}
