//! Changing a model until it satisfies a query.
//!
//! A model of the path so far often fails one conjunct only, and a change of one variable mends it: `x = c` by setting
//! `x` to `c`, `x < y` by a value at the boundary. A wanted value is pushed down through the operators that can be
//! undone. The search is bounded and its order fixed.
//!
//! Guarantee: what is returned satisfies every assertion, by evaluation. Finding nothing means nothing.

use crate::eval::Evaluator;
use crate::float::{self, FloatOp};
use crate::model::Model;
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Key, Op, TermId, mask};

/// Models evaluated for one query, and changes made to one of them.
const MAX_TRIES: u32 = 24;
const MAX_CHANGES: u32 = 3;

/// How far a wanted value is pushed down.
const MAX_DEPTH: u32 = 32;

/// A model of the assertions near `start`.
pub(super) fn near(terms: &Terms, assertions: &[TermId], start: &Model) -> Option<Model> {
    let mut tries = MAX_TRIES;
    mend(terms, assertions, start.clone(), MAX_CHANGES, &mut tries)
}

/// `start` with these terms given these values, as far as that can be done.
pub(super) fn with_values(terms: &Terms, start: &Model, values: &[(TermId, u128)]) -> Model {
    let mut model = start.clone();
    for &(t, value) in values {
        let mut evaluator = Evaluator::new(model.clone());
        if evaluator.eval(terms, t) != value {
            let mut change = Change { terms, evaluator, model: model.clone() };
            if change.set(t, value, MAX_DEPTH) {
                model = change.model;
            }
        }
    }
    model
}

/// Whether every assertion holds.
pub(super) fn satisfies(terms: &Terms, assertions: &[TermId], model: &Model) -> bool {
    let mut evaluator = Evaluator::new(model.clone());
    assertions.iter().rev().all(|&a| evaluator.eval(terms, a) == 1)
}

fn mend(terms: &Terms, assertions: &[TermId], model: Model, changes: u32, tries: &mut u32) -> Option<Model> {
    let mut evaluator = Evaluator::new(model);
    let Some(&failing) = assertions.iter().rev().find(|&&a| evaluator.eval(terms, a) != 1) else {
        return Some(evaluator.model().clone());
    };
    if changes == 0 {
        return None;
    }
    let mut wishes = Vec::new();
    wish(terms, &mut evaluator, failing, true, MAX_DEPTH, &mut wishes);
    for (t, value) in wishes {
        if *tries == 0 {
            return None;
        }
        *tries -= 1;
        let model = evaluator.model().clone();
        let mut change = Change { terms, evaluator: std::mem::take(&mut evaluator), model };
        let changed = change.set(t, value, MAX_DEPTH);
        evaluator = change.evaluator;
        if changed && let Some(found) = mend(terms, assertions, change.model, changes - 1, tries) {
            return Some(found);
        }
    }
    None
}

/// Values of terms under which the boolean `t` would be `holds`, the likeliest first.
fn wish(terms: &Terms, at: &mut Evaluator, t: TermId, holds: bool, depth: u32, wishes: &mut Vec<(TermId, u128)>) {
    let key = terms.key(t);
    let (a, b) = (key.a(), key.b());
    match key.op {
        _ if depth == 0 => {}
        Op::Not => wish(terms, at, a, !holds, depth - 1, wishes),
        Op::And => {
            for side in [a, b] {
                if at.eval(terms, side) != 1 || !holds {
                    wish(terms, at, side, holds, depth - 1, wishes);
                }
            }
        }
        Op::Eq | Op::Ult | Op::Slt => {
            let width = terms.width(a);
            let (va, vb) = (at.eval(terms, a), at.eval(terms, b));
            let (for_a, for_b) = boundary(key.op, holds, width, va, vb);
            let wanted = for_a.into_iter().map(|v| (a, v)).chain(for_b.into_iter().map(|v| (b, v)));
            wishes.extend(wanted.filter(|&(side, _)| !terms.is_const(side)));
        }
        Op::Float2 if FloatOp::of(key.low).is_comparison() => {
            let (va, vb) = (at.eval(terms, a), at.eval(terms, b));
            let (for_a, for_b) = float_boundary(FloatOp::of(key.low), holds, terms.width(a), va, vb);
            let wanted = for_a.into_iter().map(|v| (a, v)).chain(for_b.into_iter().map(|v| (b, v)));
            wishes.extend(wanted.filter(|&(side, _)| !terms.is_const(side)));
        }
        _ => wishes.push((t, u128::from(holds))),
    }
}

/// Values of either side under which a comparison comes out as wanted, given the other side's.
fn boundary(op: Op, holds: bool, width: u32, a: u128, b: u128) -> (Vec<u128>, Vec<u128>) {
    let all = mask(width);
    let (up, down) = (|v: u128| v.wrapping_add(1) & all, |v: u128| v.wrapping_sub(1) & all);
    let (least, most) = match op {
        Op::Slt => (1u128 << (width - 1), all >> 1),
        _ => (0, all),
    };
    match (op, holds) {
        (Op::Eq, true) => (vec![b], vec![a]),
        (Op::Eq, false) => (vec![up(b), down(b)], vec![up(a), down(a)]),
        // a < b
        (_, true) => (vec![down(b), least], vec![up(a), most]),
        // b <= a
        (_, false) => (vec![b, most], vec![a, least]),
    }
}

/// As [`boundary`], for numbers. A comparison fails with a NaN, too: infinities are among what is tried first.
fn float_boundary(op: FloatOp, holds: bool, width: u32, a: u128, b: u128) -> (Vec<u128>, Vec<u128>) {
    let (up, down) = (|v| float::neighbour(width, v, true), |v| float::neighbour(width, v, false));
    match (op, holds) {
        (FloatOp::Equal, true) => (vec![b], vec![a]),
        (FloatOp::Equal, false) => (vec![up(b), down(b)], vec![up(a), down(a)]),
        (FloatOp::LessEqual, true) => (vec![b, down(b)], vec![a, up(a)]),
        (_, true) => (vec![down(b), down(down(b))], vec![up(a), up(up(a))]),
        (FloatOp::Less, false) => (vec![b, up(b)], vec![a, down(a)]),
        (_, false) => (vec![up(b), up(up(b))], vec![down(a), down(down(a))]),
    }
}

/// A model being changed, and the values before the change.
struct Change<'a> {
    terms: &'a Terms,
    evaluator: Evaluator,
    model: Model,
}

impl Change<'_> {
    fn value(&mut self, t: TermId) -> u128 {
        self.evaluator.eval(self.terms, t)
    }

    /// A variable's value as it is now; of other terms the value before the change.
    fn current(&mut self, t: TermId) -> u128 {
        if self.terms.op(t) == Op::Var { self.model.value(t) } else { self.value(t) }
    }

    /// Gives `t` a value by changing what it is made of; whether it could.
    fn set(&mut self, t: TermId, value: u128, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        if self.current(t) == value {
            return true;
        }
        let (key, depth) = (self.terms.key(t), depth - 1);
        let (w, a, b, c) = (key.w(), key.a(), key.b(), key.c());
        let all = mask(w);
        match key.op {
            Op::Var => {
                self.model.set(t, value);
                true
            }
            Op::Not => self.set(a, !value & all, depth),
            Op::Neg => self.set(a, value.wrapping_neg() & all, depth),
            Op::Add => {
                let (va, vb) = (self.value(a), self.value(b));
                self.set(a, value.wrapping_sub(vb) & all, depth) || self.set(b, value.wrapping_sub(va) & all, depth)
            }
            Op::Xor => {
                let (va, vb) = (self.value(a), self.value(b));
                self.set(a, value ^ vb, depth) || self.set(b, value ^ va, depth)
            }
            Op::And | Op::Or => self.set_masked(key, value, depth),
            Op::Mul => self.set_product(key, value, depth),
            Op::Shl | Op::Lshr => self.set_shifted(key, value, depth),
            Op::Ite => {
                let arm = if self.value(a) == 1 { b } else { c };
                self.set(arm, value, depth)
            }
            Op::Concat => {
                let low = self.terms.width(b);
                self.set(a, value >> low, depth) && self.set(b, value & mask(low), depth)
            }
            Op::Extract => {
                let kept = self.current(a) & !(all << key.low());
                self.set(a, kept | (value << key.low()), depth)
            }
            Op::Sext => {
                let narrow = self.terms.width(a);
                let fits = signed(value & mask(narrow), narrow) as u128 & all == value;
                fits && self.set(a, value & mask(narrow), depth)
            }
            Op::Eq | Op::Ult | Op::Slt => self.set_comparison(t, value, depth),
            Op::Select => self.set_element(a, b, value, depth),
            Op::Udiv | Op::Urem => self.set_division(key, value, depth),
            Op::Const | Op::Sdiv | Op::Srem | Op::Ashr => false,
            Op::ArrayVar | Op::ConstArray | Op::Store | Op::IteArray => false,
            Op::Float1 | Op::Float2 | Op::Float3 => self.set_float(t, value, depth),
        }
    }

    /// Through one operand, by the operator that undoes this one; what comes of rounding is for the evaluation to see.
    fn set_float(&mut self, t: TermId, value: u128, depth: u32) -> bool {
        let key = self.terms.key(t);
        let Some(op) = key.float_op() else { return false };
        if op.is_comparison() {
            return self.set_comparison(t, value, depth);
        }
        let from = self.terms.width(key.a());
        let mut values = [0; 3];
        for (known, operand) in values.iter_mut().zip(key.operands()) {
            *known = self.value(operand);
        }
        key.operands().enumerate().any(|(index, operand)| {
            let wanted = float::undone(op, from, key.w(), value, values, index);
            wanted.is_some_and(|wanted| !self.terms.is_const(operand) && self.set(operand, wanted, depth))
        })
    }

    fn set_comparison(&mut self, t: TermId, value: u128, depth: u32) -> bool {
        let mut wishes = Vec::new();
        wish(self.terms, &mut self.evaluator, t, value == 1, 1, &mut wishes);
        wishes.into_iter().any(|(side, value)| self.set(side, value, depth))
    }

    /// `a & m` and `a | m`: bits that the mask decides must be as wanted.
    fn set_masked(&mut self, key: Key, value: u128, depth: u32) -> bool {
        let (va, vb) = (self.current(key.a()), self.current(key.b()));
        [(key.a(), va, vb), (key.b(), vb, va)].into_iter().any(|(side, now, other)| {
            let open = if key.op == Op::And { other } else { !other & mask(key.w()) };
            let decided = if key.op == Op::And { 0 } else { other };
            value & !open == decided & !open && self.set(side, (now & !open) | (value & open), depth)
        })
    }

    /// `a * c`: odd factors have an inverse, even ones divide or do not.
    fn set_product(&mut self, key: Key, value: u128, depth: u32) -> bool {
        let all = mask(key.w());
        let (va, vb) = (self.value(key.a()), self.value(key.b()));
        [(key.a(), vb), (key.b(), va)].into_iter().any(|(side, factor)| {
            if factor == 0 || self.terms.is_const(side) {
                return false;
            }
            let twos = factor.trailing_zeros();
            if value & mask(twos) != 0 && twos > 0 {
                return false;
            }
            let odd = factor >> twos;
            // Newton: each step doubles the bits that are right.
            let inverse = (0..7)
                .fold(odd, |inverse: u128, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))));
            let wanted = (value >> twos).wrapping_mul(inverse) & (all >> twos);
            self.set(side, wanted, depth)
        })
    }

    /// By what the divisor is now: with the remainder that there is, or the quotient.
    fn set_division(&mut self, key: Key, value: u128, depth: u32) -> bool {
        let (x, c) = (self.value(key.a()), self.value(key.b()));
        if c == 0 {
            return false;
        }
        let wanted = match key.op {
            Op::Udiv => value.checked_mul(c).and_then(|multiple| multiple.checked_add(x % c)),
            _ => (value < c).then(|| x - x % c).and_then(|multiple| multiple.checked_add(value)),
        };
        wanted.is_some_and(|wanted| wanted <= mask(key.w()) && self.set(key.a(), wanted, depth))
    }

    /// Shifts by what the count is now.
    fn set_shifted(&mut self, key: Key, value: u128, depth: u32) -> bool {
        let (now, by) = (self.current(key.a()), self.value(key.b()));
        if by >= u128::from(key.w()) {
            return false;
        }
        let all = mask(key.w());
        let (wanted, kept) = match key.op {
            Op::Shl => (value >> by, now & !(all >> by)),
            _ => ((value << by) & all, now & !((all << by) & all)),
        };
        let undone = if key.op == Op::Shl { (wanted << by) & all } else { wanted >> by };
        undone == value && self.set(key.a(), wanted | kept, depth)
    }

    /// The element that is read now, in the array that it is read from.
    fn set_element(&mut self, mut array: TermId, index: TermId, value: u128, depth: u32) -> bool {
        let index = self.value(index);
        loop {
            let key = self.terms.key(array);
            array = match key.op {
                Op::Store if self.value(key.b()) == index => return self.set(key.c(), value, depth),
                Op::Store => key.a(),
                Op::IteArray if self.value(key.a()) == 1 => key.b(),
                Op::IteArray => key.c(),
                Op::ConstArray => return self.set(key.a(), value, depth),
                _ => {
                    let mut bytes = self.model.array(array).cloned().unwrap_or_default();
                    bytes.entries.insert(index, value as u8);
                    self.model.set_array(array, bytes);
                    return true;
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::tests::Gen;

    /// Whatever a change claims to have done, it did, unless one variable is set twice.
    #[test]
    fn wanted_values_are_reached() {
        let (mut reached, mut asked) = (0, 0);
        for seed in 0..400 {
            let mut g = Gen::new(6, seed);
            let (x, wide) = (g.terms.var("x", 6), g.terms.var("wide", 12));
            let constant = g.any_const();
            let t = &mut g.terms;
            let built = match seed % 12 {
                0 => t.add(x, constant),
                1 => t.xor(x, constant),
                2 => t.mul(x, constant),
                3 => t.and(x, constant),
                4 => t.or(x, constant),
                5 => t.shl(x, constant),
                6 => t.lshr(x, constant),
                7 => t.extract(wide, 8, 3),
                8 => t.sext(x, 9),
                9 => t.neg(x),
                10 => {
                    let low = t.extract(wide, 5, 0);
                    t.concat(x, low)
                }
                _ => t.zext(x, 9),
            };
            let width = t.width(built);
            // A value that the term has somewhere.
            let mut somewhere = Model::new();
            somewhere.set(x, u128::from(g.rng.below(64)));
            somewhere.set(wide, u128::from(g.rng.below(4096)));
            let value = g.terms.eval(built, &somewhere);
            let changed = with_values(&g.terms, &Model::new(), &[(built, value)]);
            asked += 1;
            reached += u32::from(g.terms.eval(built, &changed) == value);
            assert!(width >= 1);
        }
        assert_eq!(reached, asked);
    }

    #[test]
    fn one_variable_is_changed() {
        let t = &mut Terms::new();
        let (x, y) = (t.var("x", 32), t.var("y", 32));
        let (ten, twelve) = (t.bv(32, 10), t.bv(32, 12));
        let pc = [t.ult(x, ten), t.slt(x, y), t.eq(y, twelve)];
        let model = near(t, &pc, &Model::new()).expect("12 and less");
        assert!(satisfies(t, &pc, &model));
        let never = t.fls();
        assert_eq!(near(t, &[never], &Model::new()), None);
    }
}
