//! Hashes: products with constants that spread every bit over all bits of the result.
//!
//! Circuits of FNV or of multiplicative hashing take a SAT solver far more than a question about a hash table is worth. What
//! such questions rest on is one of two things. Equal keys have equal hashes: so the products are variables first, of which
//! only that is known (`refine`). And some keys have the hashes that are wanted, whatever these are: so each key has one of a
//! few values then, what depends on few such keys becomes a table, and no product is left.
//!
//! Guarantee: the first question is implied by the original; a model of the second is one of the original.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::Evaluator;
use crate::model::Model;
use crate::pool::Terms;
use crate::term::{Op, TermId, mask};

/// A factor of fewer bits, but for zeros at its end, is that of an index, of a size or of a time: a day has 86,400 seconds,
/// 400 years have 146,097 days, and a second has 5^9 times 2^9 nanoseconds.
pub(super) const LEAST_BITS: u32 = 24;

/// Bits of the number of a candidate.
pub(super) const INDEX_BITS: u32 = 4;
/// The same for variables of a byte, of which a hash reads several.
pub(super) const BYTE_INDEX_BITS: u32 = 3;

/// Hashes that are tried as divisors, and of one term.
const MAX_HASHES: usize = 4;
const HASHES_OF_ONE: usize = 2;
/// Rests that are wanted of them.
const RESTS: u128 = 2;

/// What depends on variables of no more bits becomes a table.
const MAX_TABLE_BITS: u32 = 9;

/// What becomes of products with such constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mixing {
    Circuits,
    /// Those with constants of at least so many bits are variables.
    Opaque(u32),
    /// The variables in them have few values.
    Tables,
}

/// A product with a constant, and its value, a variable of the question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixed {
    pub(super) operand: TermId,
    pub(super) factor: TermId,
    pub(super) value: TermId,
}

/// Whether products with this constant mix, if those of so many bits do.
pub(super) fn mixes(factor: u128, width: u32, least: u32) -> bool {
    let size = |value: u128| 128 - value.leading_zeros() - value.trailing_zeros().min(127);
    let negative = factor.wrapping_neg() & mask(width);
    factor != 0 && size(factor).min(size(negative)) >= least
}

/// Whether a term is such a product.
pub(super) fn is_product(terms: &Terms, t: TermId, least: u32) -> bool {
    let key = terms.key(t);
    key.op == Op::Mul && terms.as_const(key.b()).is_some_and(|factor| mixes(factor, key.w(), least))
}

/// The variables in such products, by index; none if there is no such product.
pub(super) fn sources(terms: &Terms, assertions: &[TermId], least: u32) -> Vec<u32> {
    let (mut work, mut seen) = (assertions.to_vec(), FxHashSet::default());
    let mut sources = BTreeSet::new();
    while let Some(t) = work.pop() {
        if !seen.insert(t) || terms.vars(t).is_empty() {
            continue;
        }
        if is_product(terms, t, least) {
            sources.extend(terms.vars(t));
        }
        work.extend(terms.args(t));
    }
    sources.into_iter().collect()
}

/// Values to try for variables, by index.
#[derive(Clone)]
pub(super) struct Candidates(FxHashMap<u32, Vec<u128>>);

impl Candidates {
    /// For each source its value in a model, those of others, which may have to be equal, and some more.
    pub(super) fn new(terms: &Terms, sources: &[u32], model: &Model, patternless: bool) -> Candidates {
        let mut candidates = Candidates(FxHashMap::default());
        let known: Vec<u128> = sources.iter().map(|&source| model.value(terms.variable(source).term)).collect();
        for (&source, &own) in sources.iter().zip(&known) {
            let width = terms.width(terms.variable(source).term);
            let others = known.iter().copied().take((1 << index_bits(width)) / 2);
            let more = (0..).map(|n: u128| if patternless { spread(n) } else { n });
            candidates.add(terms, source, std::iter::once(own).chain(others).chain(more));
        }
        candidates
    }

    /// Divisors, too: small ones, those that most numbers are smaller than, and those that leave nothing of a hash.
    pub(super) fn with_divisors(mut self, terms: &Terms, divisions: &[(TermId, TermId)], model: &Model) -> Candidates {
        for &(_, divisor) in divisions {
            for &index in terms.vars(divisor) {
                if self.0.contains_key(&index) {
                    continue;
                }
                let of_it = divisions.iter().filter(|other| terms.vars(other.1).contains(&index));
                let hashes: Vec<u128> =
                    of_it.flat_map(|&(dividend, _)| self.values_of(terms, dividend, model)).collect();
                let variable = terms.variable(index).term;
                let most = mask(terms.width(variable));
                let more =
                    (0..).map(|n: u32| if n.is_multiple_of(2) { u128::from(n) / 2 + 1 } else { most >> (n / 2) });
                // What leaves nothing is that or divides it; the second element of an array needs a rest of one.
                let rests =
                    (0..RESTS).flat_map(|rest| hashes.iter().take(MAX_HASHES).map(move |hash| hash.wrapping_sub(rest)));
                let likely = rests.filter(|&divisor| divisor != 0);
                self.add(terms, index, std::iter::once(model.value(variable)).chain(likely).chain(more));
            }
        }
        self
    }

    /// What a term is for the first candidates.
    fn values_of(&self, terms: &Terms, t: TermId, model: &Model) -> Vec<u128> {
        let sources = || terms.vars(t).iter().filter_map(|&index| Some((terms.variable(index).term, self.of(index)?)));
        let mut model = model.clone();
        let value = |at: usize| {
            sources().for_each(|(variable, values)| model.set(variable, values[at.min(values.len() - 1)]));
            Evaluator::new(model.clone()).eval(terms, t)
        };
        (0..if sources().next().is_some() { HASHES_OF_ONE } else { 0 }).map(value).collect()
    }

    fn add(&mut self, terms: &Terms, index: u32, values: impl Iterator<Item = u128>) {
        let variable = terms.variable(index).term;
        let width = terms.width(variable);
        if terms.op(variable) != Op::Var || width <= INDEX_BITS {
            return;
        }
        let mut chosen = Vec::new();
        for value in values.map(|value| value & mask(width)) {
            if !chosen.contains(&value) {
                chosen.push(value);
            }
            if chosen.len() == 1 << index_bits(width) {
                break;
            }
        }
        self.0.insert(index, chosen);
    }

    pub(super) fn of(&self, index: u32) -> Option<&[u128]> {
        self.0.get(&index).map(Vec::as_slice)
    }
}

pub(super) fn index_bits(width: u32) -> u32 {
    if width <= 8 { BYTE_INDEX_BITS } else { INDEX_BITS }
}

/// Numbers without a pattern (the finaliser of splitmix64).
fn spread(n: u128) -> u128 {
    let mut x = (n as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u128::from(x ^ (x >> 31))
}

/// One of as many values as these bits, the highest first, can say.
pub(super) fn chosen(terms: &mut Terms, bits: &[TermId], values: &[u128], width: u32) -> TermId {
    let Some((&bit, rest)) = bits.split_first() else { return terms.bv(width, values[0]) };
    if values.iter().all(|&value| value == values[0]) {
        return terms.bv(width, values[0]);
    }
    let (low, high) = values.split_at(values.len() / 2);
    let (low, high) = (chosen(terms, rest, low, width), chosen(terms, rest, high, width));
    terms.ite(bit, high, low)
}

/// The bits of a variable, the highest first.
pub(super) fn bits(terms: &mut Terms, variable: TermId) -> Vec<TermId> {
    (0..terms.width(variable)).rev().map(|bit| terms.extract(variable, bit, bit)).collect()
}

/// The term as a table, if it depends on few bits.
pub(super) fn tabulated(terms: &mut Terms, t: TermId) -> Option<TermId> {
    let variables: Vec<TermId> = terms.vars(t).iter().map(|&index| terms.variable(index).term).collect();
    let all: u32 =
        variables.iter().map(|&v| if terms.op(v) == Op::Var { terms.width(v) } else { MAX_TABLE_BITS + 1 }).sum();
    if all > MAX_TABLE_BITS || variables.is_empty() {
        return None;
    }
    let values: Vec<u128> = (0..1u128 << all)
        .map(|number| {
            let (mut model, mut left) = (Model::new(), all);
            for &variable in &variables {
                left -= terms.width(variable);
                model.set(variable, number >> left & mask(terms.width(variable)));
            }
            Evaluator::new(model).eval(terms, t)
        })
        .collect();
    let bits: Vec<TermId> = variables.iter().flat_map(|&variable| bits(terms, variable)).collect();
    let width = terms.width(t);
    Some(chosen(terms, &bits, &values, width))
}

/// Equal operands have equal products, and where the factor is odd, only they.
pub(super) fn congruent(terms: &mut Terms, one: &Mixed, other: &Mixed) -> TermId {
    let (same, equal) = (terms.eq(one.operand, other.operand), terms.eq(one.value, other.value));
    if terms.as_const(one.factor).is_some_and(|factor| factor & 1 == 1) {
        return terms.eq(same, equal);
    }
    terms.implies(same, equal)
}

/// Nothing has no product but nothing, if the factor is odd.
pub(super) fn of_zero(terms: &mut Terms, mixed: &Mixed) -> TermId {
    let zero = terms.bv(terms.width(mixed.value), 0);
    congruent(terms, mixed, &Mixed { operand: zero, value: zero, ..*mixed })
}
