//! What solvers are slow to find out about products of symbols, said beside a question.
//!
//! Where blocks, and rounds of loops, are as large as a symbol `s` says, a place is `x * s + y` with `y < s`, and that two such places differ
//! where the `x` do rests on this: of `x < x'` it follows that `x * s + s <= x' * s`, where nothing wraps around.
//!
//! Guarantee: what is said holds for all values of the symbols, so that it changes no answer.

use smt::{Node, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Products of one number, of one width, that are compared: each with each.
const MOST_OF_ONE: usize = 12;

/// What holds of the products in these terms.
pub(super) fn known_of(terms: &mut Terms, all: &[TermId]) -> Vec<TermId> {
    let mut by_factor: BTreeMap<TermId, BTreeSet<(TermId, TermId)>> = BTreeMap::new();
    for (product, one, other) in products(terms, all) {
        by_factor.entry(one).or_default().insert((other, product));
        by_factor.entry(other).or_default().insert((one, product));
    }
    let mut known = Vec::new();
    for (factor, products) in by_factor {
        let products: Vec<(TermId, TermId)> = products.into_iter().take(MOST_OF_ONE).collect();
        for (index, &one) in products.iter().enumerate() {
            for &other in &products[index + 1..] {
                known.extend(of_two(terms, factor, one, other));
            }
        }
    }
    known
}

fn of_two(terms: &mut Terms, factor: TermId, one: (TermId, TermId), other: (TermId, TermId)) -> Vec<TermId> {
    if !stays_within(terms, factor, one.0) || !stays_within(terms, factor, other.0) {
        return Vec::new();
    }
    let mut known = Vec::new();
    for ((less, product), (more, larger)) in [(one, other), (other, one)] {
        let is_less = terms.ult(less, more);
        let end = terms.add(product, factor);
        let is_before = terms.ule(end, larger);
        known.push(terms.implies(is_less, is_before));
    }
    let (same, same_product) = (terms.eq(one.0, other.0), terms.eq(one.1, other.1));
    known.push(terms.implies(same, same_product));
    known
}

/// Whether `(x + 1) * s` does not wrap around.
fn stays_within(terms: &Terms, factor: TermId, by: TermId) -> bool {
    let (most, most_by) = (terms.facts(factor).hi, terms.facts(by).hi);
    let end = most_by.checked_add(1).and_then(|by| by.checked_mul(most));
    end.is_some_and(|end| end >> terms.width(factor) == 0)
}

/// Products of two terms that are no constants, with both.
fn products(terms: &Terms, all: &[TermId]) -> Vec<(TermId, TermId, TermId)> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<TermId> = all.iter().copied().collect();
    let mut open: Vec<TermId> = all.to_vec();
    while let Some(term) = open.pop() {
        if let Node::Mul(one, other) = terms.node(term)
            && !terms.is_const(one)
            && !terms.is_const(other)
        {
            found.push((term, one, other));
        }
        open.extend(terms.args(term).filter(|arg| seen.insert(*arg)));
    }
    found
}
