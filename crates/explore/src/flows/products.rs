//! What solvers are slow to find out about products, and remainders by symbols: they are taken for symbols of their own, of which is known what
//! orders them.
//!
//! Where blocks, and rounds of loops, are as large as a symbol `s` says, a place is `x * s + y` with `y < s`, and that two such places differ
//! where the `x` do rests on this: of `x < x'` it follows that `x * s + s <= x' * s`, where nothing wraps around. The circuits of the products
//! add nothing to that, and cost all the time. Likewise a remainder is less than what it is by, and what is less than that is its own.
//!
//! Guarantee: what is said holds for all values of the symbols; so what has no answer without products has none with them.

use rustc_hash::FxHashMap;
use smt::{Node, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Products of one number that are compared: each with each.
const MOST_OF_ONE: usize = 12;

/// A product of two terms that are no constants.
#[derive(Clone, Copy)]
struct Product {
    whole: TermId,
    factors: [TermId; 2],
}

type Symbols = FxHashMap<TermId, TermId>;

/// These terms without their products, and what holds of those. None if there are no products.
pub(super) fn without(terms: &mut Terms, all: &[TermId]) -> Option<Vec<TermId>> {
    let (products, divisions) = found_in(terms, all);
    if products.is_empty() && divisions.is_empty() {
        return None;
    }
    let mut symbols = Symbols::default();
    let wholes = products.iter().map(|product| product.whole).chain(divisions.iter().map(|division| division.whole));
    for whole in wholes {
        let (width, most) = (terms.width(whole), terms.facts(whole).hi);
        let bits = (u128::BITS - most.leading_zeros()).clamp(1, width);
        let symbol = terms.var(&format!("product:{}", whole.index()), bits);
        let symbol = terms.zext(symbol, width);
        symbols.insert(whole, symbol);
    }
    let mut simpler: Vec<TermId> = all.iter().map(|&term| terms.replace(term, &symbols)).collect();
    simpler.extend(order(terms, &products, &symbols));
    simpler.extend(low_parts(terms, &products, &symbols));
    for division in &divisions {
        simpler.extend(divided(terms, division, &symbols));
    }
    simpler.extend(equal_remainders(terms, &divisions, &symbols));
    Some(simpler)
}

/// How products of one number are ordered.
fn order(terms: &mut Terms, products: &[Product], symbols: &Symbols) -> Vec<TermId> {
    let mut by_factor: BTreeMap<TermId, BTreeSet<(TermId, TermId)>> = BTreeMap::new();
    for &Product { whole, factors: [one, other] } in products {
        by_factor.entry(one).or_default().insert((other, whole));
        by_factor.entry(other).or_default().insert((one, whole));
    }
    let mut known = Vec::new();
    for (factor, products) in by_factor {
        let width = terms.width(factor);
        let products: Vec<_> = products.into_iter().take(MOST_OF_ONE).collect();
        let most_by = products.iter().map(|(by, _)| terms.facts(*by).hi).max().unwrap_or(0);
        let Some(does_not_wrap) = does_not_wrap(terms, factor, most_by) else { continue };
        let does_not_wrap = terms.replace(does_not_wrap, symbols);
        let factor = terms.replace(factor, symbols);
        let mut multiples = vec![(terms.bv(width, 0), terms.bv(width, 0)), (terms.bv(width, 1), factor)];
        multiples.extend(products.into_iter().map(|(by, whole)| (terms.replace(by, symbols), symbols[&whole])));
        for (index, &one) in multiples.iter().enumerate() {
            for &other in &multiples[index + 1..] {
                let of_two = of_two(terms, factor, one, other);
                known.extend(of_two.map(|known| terms.implies(does_not_wrap, known)));
            }
        }
    }
    known
}

/// Of two multiples of a number, each with how many times that it is.
fn of_two(terms: &mut Terms, factor: TermId, one: (TermId, TermId), other: (TermId, TermId)) -> [TermId; 3] {
    let is_before = |terms: &mut Terms, (less, multiple): (TermId, TermId), (more, larger): (TermId, TermId)| {
        let is_less = terms.ult(less, more);
        let end = terms.add(multiple, factor);
        let is_before = terms.ule(end, larger);
        terms.implies(is_less, is_before)
    };
    let (same, same_multiple) = (terms.eq(one.0, other.0), terms.eq(one.1, other.1));
    [is_before(terms, one, other), is_before(terms, other, one), terms.implies(same, same_multiple)]
}

/// Products of the low bits of what others are products of.
fn low_parts(terms: &mut Terms, products: &[Product], symbols: &Symbols) -> Vec<TermId> {
    let mut known = Vec::new();
    for narrow in products {
        let width = terms.width(narrow.whole);
        for wide in products.iter().filter(|wide| terms.width(wide.whole) > width).copied().collect::<Vec<_>>() {
            let [one, other] = wide.factors.map(|factor| terms.trunc(factor, width));
            if [[one, other], [other, one]].contains(&narrow.factors) {
                let low = terms.trunc(symbols[&wide.whole], width);
                known.push(terms.eq(symbols[&narrow.whole], low));
            }
        }
    }
    known
}

/// When `(x + 1) * s` does not wrap around, for each `x` up to `most`; none: never, as far as is known.
fn does_not_wrap(terms: &mut Terms, factor: TermId, most: u128) -> Option<TermId> {
    let width = terms.width(factor);
    let bits = u128::BITS - most.checked_add(1)?.leading_zeros();
    let left = width.checked_sub(bits).filter(|left| *left > 0)?;
    let (largest, limit) = (terms.facts(factor).hi, 1 << left);
    let limit_term = terms.bv(width, limit);
    Some(if largest < limit { terms.tru() } else { terms.ult(factor, limit_term) })
}

/// A quotient or remainder by what is no constant.
#[derive(Clone, Copy)]
struct Division {
    whole: TermId,
    of: TermId,
    by: TermId,
    is_signed: bool,
    is_rest: bool,
}

/// What holds of a quotient or a remainder (SMT-LIB: by zero, the remainder is what was divided).
fn divided(terms: &mut Terms, division: &Division, symbols: &Symbols) -> Vec<TermId> {
    let Division { is_signed, is_rest, .. } = *division;
    let (of, by) = (terms.replace(division.of, symbols), terms.replace(division.by, symbols));
    let whole = symbols[&division.whole];
    let zero = terms.bv(terms.width(whole), 0);
    // Of negative numbers nothing is said.
    let is_plain = match is_signed {
        true => terms.sle(zero, of),
        false => terms.tru(),
    };
    let by = magnitude(terms, by, is_signed);
    let (is_nonzero, is_less) = (terms.ult(zero, by), terms.ult(of, by));
    let own = if is_rest { terms.eq(whole, of) } else { terms.eq(whole, zero) };
    let mut known = vec![terms.implies(is_less, own)];
    if is_rest {
        let is_below = terms.ult(whole, by);
        known.push(terms.implies(is_nonzero, is_below));
        known.push(terms.ule(whole, of));
    }
    known.into_iter().map(|known| terms.implies(is_plain, known)).collect()
}

/// Remainders, and quotients, of what is the same by the same.
fn equal_remainders(terms: &mut Terms, divisions: &[Division], symbols: &Symbols) -> Vec<TermId> {
    let mut known = Vec::new();
    for (index, one) in divisions.iter().enumerate() {
        let alike = |other: &&Division| {
            (one.is_signed, one.is_rest, one.by) == (other.is_signed, other.is_rest, other.by)
                && terms.width(one.whole) == terms.width(other.whole)
        };
        for other in divisions[index + 1..].iter().filter(alike).copied().collect::<Vec<_>>() {
            let (of, of_other) = (terms.replace(one.of, symbols), terms.replace(other.of, symbols));
            let is_same = terms.eq(of, of_other);
            let same = terms.eq(symbols[&one.whole], symbols[&other.whole]);
            known.push(terms.implies(is_same, same));
            if one.is_rest {
                let by = terms.replace(one.by, symbols);
                known.extend(apart(terms, (of, of_other), (by, same), one.is_signed));
            }
        }
    }
    known
}

/// How far a number is from zero, as one without a sign.
fn magnitude(terms: &mut Terms, of: TermId, is_signed: bool) -> TermId {
    if !is_signed {
        return of;
    }
    let (is_negative, negated) = (terms.sign(of), terms.neg(of));
    terms.ite(is_negative, negated, of)
}

/// What leaves the same remainder is the same, or at least as far apart as what it was divided by. Of numbers that are not negative.
fn apart(
    terms: &mut Terms,
    (of, other): (TermId, TermId),
    (by, is_same_rest): (TermId, TermId),
    is_signed: bool,
) -> [TermId; 2] {
    let zero = terms.bv(terms.width(of), 0);
    let by = magnitude(terms, by, is_signed);
    let is_plain = match is_signed {
        true => {
            let (one, other) = (terms.sle(zero, of), terms.sle(zero, other));
            terms.and(one, other)
        }
        false => terms.tru(),
    };
    let applies = terms.and(is_plain, is_same_rest);
    [(of, other), (other, of)].map(|(less, more)| {
        // Neither is negative, so that this compares them either way.
        let is_less = terms.ult(less, more);
        let between = terms.sub(more, less);
        let is_far = terms.ule(by, between);
        let holds = terms.implies(is_less, is_far);
        terms.implies(applies, holds)
    })
}

/// Products, and divisions, of what is no constant: each once.
fn found_in(terms: &Terms, all: &[TermId]) -> (Vec<Product>, Vec<Division>) {
    let (mut products, mut divisions) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<TermId> = all.iter().copied().collect();
    let mut open: Vec<TermId> = seen.iter().copied().collect();
    while let Some(term) = open.pop() {
        let mut divides = |of: TermId, by: TermId, is_signed: bool, is_rest: bool| {
            if !terms.is_const(by) {
                divisions.push(Division { whole: term, of, by, is_signed, is_rest });
            }
        };
        match terms.node(term) {
            Node::Mul(one, other) if !terms.is_const(one) && !terms.is_const(other) => {
                products.push(Product { whole: term, factors: [one, other] });
            }
            Node::Udiv(of, by) => divides(of, by, false, false),
            Node::Urem(of, by) => divides(of, by, false, true),
            Node::Sdiv(of, by) => divides(of, by, true, false),
            Node::Srem(of, by) => divides(of, by, true, true),
            _ => {}
        }
        open.extend(terms.args(term).filter(|arg| seen.insert(*arg)));
    }
    (products, divisions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Model, Solving};

    /// What is said of products and divisions has to hold with their own values in place of the symbols.
    #[test]
    fn what_is_said_is_so() {
        let mut terms = Terms::new();
        let (x, y, s) = (terms.var("x", 3), terms.var("y", 3), terms.var("s", 3));
        let (wide_x, wide_y, wide_s) = (terms.zext(x, 6), terms.zext(y, 6), terms.zext(s, 6));
        let full = terms.var("full", 6);
        let mut wholes = vec![terms.mul(wide_x, wide_s), terms.mul(wide_y, wide_s), terms.mul(wide_x, full)];
        wholes.extend([
            terms.mul(x, s),
            terms.srem(full, wide_s),
            terms.urem(full, wide_s),
            terms.urem(wide_x, wide_s),
        ]);
        wholes.extend([terms.srem(wide_y, wide_s), terms.srem(wide_x, wide_s), terms.urem(wide_y, wide_s)]);
        wholes.extend([terms.srem(wide_x, full), terms.udiv(full, wide_s), terms.sdiv(full, wide_s)]);
        let symbols: Vec<TermId> = wholes.iter().map(|&whole| terms.eq(whole, whole)).collect();
        assert!(symbols.iter().all(|&term| terms.is_true(term)));
        let zeros: Vec<TermId> = wholes.iter().map(|&whole| terms.is_zero(whole)).collect();
        let simpler = without(&mut terms, &zeros).expect("there are products");
        // The first are the questions; the rest is what is said.
        let said = &simpler[zeros.len()..];
        assert!(said.len() > 20, "{}", said.len());
        let names: Vec<(TermId, TermId)> = wholes
            .iter()
            .map(|&whole| {
                let name = format!("product:{}", whole.index());
                let symbol = terms.variables().iter().find(|known| known.name == name).map(|known| known.term);
                (whole, symbol.expect("its symbol"))
            })
            .collect();
        for bits in 0..1u128 << 15 {
            let mut model = Model::new();
            for (variable, from, mask) in [(x, 0, 7), (y, 3, 7), (s, 6, 7), (full, 9, 63)] {
                model.set(variable, bits >> from & mask);
            }
            for &(whole, symbol) in &names {
                let value = terms.eval(whole, &model);
                model.set(symbol, value);
            }
            for &one in said {
                assert_eq!(terms.eval(one, &model), 1, "{} with {}", terms.display(one), model.display(&terms));
            }
        }
    }

    #[test]
    fn places_in_blocks_differ() {
        let mut terms = Terms::new();
        let mut small = |name: &str| {
            let symbol = terms.var(name, 11);
            terms.zext(symbol, 32)
        };
        let (b, other_b, t, other_t, s) = (small("b"), small("b'"), small("t"), small("t'"), small("s"));
        let mut place = |b, t| {
            let start = terms.mul(b, s);
            terms.add(start, t)
        };
        let (one, other) = (place(b, t), place(other_b, other_t));
        let mut all = vec![terms.eq(one, other), terms.ne(b, other_b), terms.ult(t, s), terms.ult(other_t, s)];
        let mut solver = Solving::z3().expect("a solver");
        let simpler = without(&mut terms, &all).expect("products");
        assert!(matches!(solver.model(&mut terms, &simpler), Ok(smt::Answer::Unsat)));
        all.truncate(3);
        let simpler = without(&mut terms, &all).expect("products");
        assert!(matches!(solver.model(&mut terms, &simpler), Ok(smt::Answer::Sat(_))));
    }
}
