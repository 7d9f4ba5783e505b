//! What solvers are slow to find out about products of symbols: they are taken for symbols of their own, of which is known what orders them.
//!
//! Where blocks, and rounds of loops, are as large as a symbol `s` says, a place is `x * s + y` with `y < s`, and that two such places differ
//! where the `x` do rests on this: of `x < x'` it follows that `x * s + s <= x' * s`, where nothing wraps around. The circuits of the products
//! add nothing to that, and cost all the time.
//!
//! Guarantee: what is said of products holds for all values of the symbols; so what has no answer without the products has none with them.

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
    let products = products(terms, all);
    if products.is_empty() {
        return None;
    }
    let mut symbols = Symbols::default();
    for &Product { whole, .. } in &products {
        let (width, most) = (terms.width(whole), terms.facts(whole).hi);
        let bits = (u128::BITS - most.leading_zeros()).clamp(1, width);
        let symbol = terms.var(&format!("product:{}", whole.index()), bits);
        let symbol = terms.zext(symbol, width);
        symbols.insert(whole, symbol);
    }
    let mut simpler: Vec<TermId> = all.iter().map(|&term| terms.replace(term, &symbols)).collect();
    simpler.extend(order(terms, &products, &symbols));
    simpler.extend(low_parts(terms, &products, &symbols));
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
        let within = products.into_iter().filter(|(by, _)| stays_within(terms, factor, *by));
        let within: Vec<_> = within.take(MOST_OF_ONE).collect();
        let factor = terms.replace(factor, symbols);
        let mut multiples = vec![(terms.bv(width, 0), terms.bv(width, 0)), (terms.bv(width, 1), factor)];
        multiples.extend(within.into_iter().map(|(by, whole)| (terms.replace(by, symbols), symbols[&whole])));
        for (index, &one) in multiples.iter().enumerate() {
            for &other in &multiples[index + 1..] {
                known.extend(of_two(terms, factor, one, other));
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

/// Whether `(x + 1) * s` does not wrap around.
fn stays_within(terms: &Terms, factor: TermId, by: TermId) -> bool {
    let (most, most_by) = (terms.facts(factor).hi, terms.facts(by).hi);
    let end = most_by.checked_add(1).and_then(|by| by.checked_mul(most));
    end.is_some_and(|end| end >> terms.width(factor) == 0)
}

/// Each once.
fn products(terms: &Terms, all: &[TermId]) -> Vec<Product> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<TermId> = all.iter().copied().collect();
    let mut open: Vec<TermId> = seen.iter().copied().collect();
    while let Some(term) = open.pop() {
        if let Node::Mul(one, other) = terms.node(term)
            && !terms.is_const(one)
            && !terms.is_const(other)
        {
            found.push(Product { whole: term, factors: [one, other] });
        }
        open.extend(terms.args(term).filter(|arg| seen.insert(*arg)));
    }
    found
}
