//! What is known of quotients, remainders and products, as lemmas.
//!
//! A lemma is a term that is true of every [`Division`] whose quotient and remainder are those of its dividend and divisor
//! (or [`Product`]), for all values; it is told where a model of the question breaks it. So a lemma costs nothing until it is
//! needed, and none has to be complete. All hold for a zero divisor as well, as SMT-LIB has it: a quotient of all ones, and
//! the dividend as remainder.
//!
//! Guarantee: the tests prove each lemma on every value of small widths.

use crate::pool::Terms;
use crate::term::{TermId, mask};

/// An unsigned division and its results, which are variables of the question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) dividend: TermId,
    pub(super) divisor: TermId,
    pub(super) quotient: TermId,
    pub(super) remainder: TermId,
}

/// A product of two terms that are no constants, and its value, a variable of the question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) a: TermId,
    pub(super) b: TermId,
    pub(super) value: TermId,
}

/// Of one division.
pub(super) type OfOne = fn(&mut Terms, &Division) -> TermId;
/// Of two divisions of equal width.
pub(super) type OfTwo = fn(&mut Terms, &Division, &Division) -> TermId;
pub(super) type OfProduct = fn(&mut Terms, &Product) -> TermId;

/// Those that nearly every question needs are told from the beginning.
pub(super) const ALWAYS: &[(&str, OfOne)] = &[
    ("c = 0: q = ~0, r = x", zero_divisor),
    ("c != 0: r < c", below),
    ("x < c: q = 0, r = x", small_dividend),
    ("x >= c > 0: q > 0, r <= x - c", fits),
];

/// The cheapest first.
pub(super) const SINGLE: &[(&str, OfOne)] = &[
    ("c != 0: q <= x", quotient_at_most),
    ("r <= x", remainder_at_most),
    ("c = 1: q = x, r = 0", one),
    ("c <= x < 2c: q = 1, r = x - c", once),
    ("c > 1: q <= x / 2", half),
    ("x >= c > 0: r < x - r", below_rest),
    ("c = 2^n: r = x & (c - 1)", power),
    ("the low bits of q * c + r are those of x", low_bits),
];

pub(super) const PAIRS: &[(&str, OfTwo)] = &[
    ("equal operands: equal results", congruent),
    ("equal divisors, x <= y: q <= p", monotone),
    ("equal divisors, equal quotients: y - x = s - r", same_quotient),
    ("equal divisors, x <= y < x + c: no carry, or one", step),
    ("equal dividends, c <= d: q >= p", antitone),
    ("equal dividends, d = 2c: r = s or s - c", doubled),
];

pub(super) const PRODUCTS: &[(&str, OfProduct)] = &[
    ("a = 0 or b = 0: 0", times_zero),
    ("a = 1: b, b = 1: a", times_one),
    ("a = -1: -b, b = -1: -a", times_minus_one),
    ("the low bits are those of the low bits' product", product_low_bits),
];

/// Bits that the lemma on low bits is about.
const LOW: u32 = 4;

fn zero(t: &mut Terms, like: TermId) -> TermId {
    let width = t.width(like);
    t.bv(width, 0)
}

fn implied(t: &mut Terms, conditions: &[TermId], conclusions: &[TermId]) -> TermId {
    let (condition, conclusion) = (t.and_all(conditions.iter().copied()), t.and_all(conclusions.iter().copied()));
    t.implies(condition, conclusion)
}

fn zero_divisor(t: &mut Terms, d: &Division) -> TermId {
    let none = t.is_zero(d.divisor);
    let ones = t.bv(t.width(d.quotient), u128::MAX);
    let all = [t.eq(d.quotient, ones), t.eq(d.remainder, d.dividend)];
    implied(t, &[none], &all)
}

fn below(t: &mut Terms, d: &Division) -> TermId {
    let (some, below) = (t.is_nonzero(d.divisor), t.ult(d.remainder, d.divisor));
    t.implies(some, below)
}

fn small_dividend(t: &mut Terms, d: &Division) -> TermId {
    let small = t.ult(d.dividend, d.divisor);
    let all = [t.is_zero(d.quotient), t.eq(d.remainder, d.dividend)];
    implied(t, &[small], &all)
}

fn fits(t: &mut Terms, d: &Division) -> TermId {
    let rest = t.sub(d.dividend, d.divisor);
    let given = [t.ule(d.divisor, d.dividend), t.is_nonzero(d.divisor)];
    let all = [t.is_nonzero(d.quotient), t.ule(d.remainder, rest)];
    implied(t, &given, &all)
}

fn quotient_at_most(t: &mut Terms, d: &Division) -> TermId {
    let (some, at_most) = (t.is_nonzero(d.divisor), t.ule(d.quotient, d.dividend));
    t.implies(some, at_most)
}

fn remainder_at_most(t: &mut Terms, d: &Division) -> TermId {
    t.ule(d.remainder, d.dividend)
}

fn one(t: &mut Terms, d: &Division) -> TermId {
    let one = t.bv(t.width(d.divisor), 1);
    let by_one = t.eq(d.divisor, one);
    let all = [t.eq(d.quotient, d.dividend), t.is_zero(d.remainder)];
    implied(t, &[by_one], &all)
}

fn once(t: &mut Terms, d: &Division) -> TermId {
    let one = t.bv(t.width(d.divisor), 1);
    let rest = t.sub(d.dividend, d.divisor);
    let given = [t.ule(d.divisor, d.dividend), t.ult(rest, d.divisor)];
    let all = [t.eq(d.quotient, one), t.eq(d.remainder, rest)];
    implied(t, &given, &all)
}

fn half(t: &mut Terms, d: &Division) -> TermId {
    let one = t.bv(t.width(d.divisor), 1);
    let (more, half) = (t.ult(one, d.divisor), t.lshr(d.dividend, one));
    let at_most = t.ule(d.quotient, half);
    t.implies(more, at_most)
}

fn below_rest(t: &mut Terms, d: &Division) -> TermId {
    let rest = t.sub(d.dividend, d.remainder);
    let given = [t.ule(d.divisor, d.dividend), t.is_nonzero(d.divisor)];
    let below = t.ult(d.remainder, rest);
    implied(t, &given, &[below])
}

fn power(t: &mut Terms, d: &Division) -> TermId {
    let minus_one = t.bv(t.width(d.divisor), u128::MAX);
    let mask = t.add(d.divisor, minus_one);
    let shared = t.and(d.divisor, mask);
    let given = [t.is_zero(shared), t.is_nonzero(d.divisor)];
    let masked = t.and(d.dividend, mask);
    let equal = t.eq(d.remainder, masked);
    implied(t, &given, &[equal])
}

fn low_bits(t: &mut Terms, d: &Division) -> TermId {
    let low = LOW.min(t.width(d.dividend));
    let [x, c, q, r] = [d.dividend, d.divisor, d.quotient, d.remainder].map(|term| t.trunc(term, low));
    let product = t.mul(q, c);
    let sum = t.add(product, r);
    t.eq(x, sum)
}

/// A divisor of so many bits or more, or of fewer, bounds the quotient. `bits` is less than the width.
pub(super) fn magnitude(t: &mut Terms, d: &Division, bits: u32) -> TermId {
    let width = t.width(d.divisor);
    let power = t.bv(width, 1 << bits);
    let (by, less) = (t.bv(width, u128::from(bits)), t.ult(d.divisor, power));
    let shifted = t.lshr(d.dividend, by);
    let (at_most, at_least) = (t.ule(d.quotient, shifted), t.ule(shifted, d.quotient));
    t.ite(less, at_least, at_most)
}

/// A divisor of this value: its circuit is far smaller than that of any divisor.
pub(super) fn divisor_is(t: &mut Terms, d: &Division, value: u128) -> TermId {
    let value = t.bv(t.width(d.divisor), value);
    let is_value = t.eq(d.divisor, value);
    let (quotient, remainder) = (t.udiv(d.dividend, value), t.urem(d.dividend, value));
    let all = [t.eq(d.quotient, quotient), t.eq(d.remainder, remainder)];
    implied(t, &[is_value], &all)
}

/// All there is to know.
pub(super) fn all(t: &mut Terms, d: &Division) -> TermId {
    let (quotient, remainder) = (t.udiv(d.dividend, d.divisor), t.urem(d.dividend, d.divisor));
    let all = [t.eq(d.quotient, quotient), t.eq(d.remainder, remainder)];
    t.and_all(all)
}

fn congruent(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let given = [t.eq(d.divisor, e.divisor), t.eq(d.dividend, e.dividend)];
    let all = [t.eq(d.quotient, e.quotient), t.eq(d.remainder, e.remainder)];
    implied(t, &given, &all)
}

fn monotone(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let given = [t.eq(d.divisor, e.divisor), t.ule(d.dividend, e.dividend)];
    let ordered = t.ule(d.quotient, e.quotient);
    implied(t, &given, &[ordered])
}

fn same_quotient(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let given = [t.eq(d.divisor, e.divisor), t.eq(d.quotient, e.quotient)];
    let (apart, remainders) = (t.sub(e.dividend, d.dividend), t.sub(e.remainder, d.remainder));
    let equal = t.eq(apart, remainders);
    implied(t, &given, &[equal])
}

fn step(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let apart = t.sub(e.dividend, d.dividend);
    let given = [t.eq(d.divisor, e.divisor), t.ule(d.dividend, e.dividend), t.ult(apart, d.divisor)];
    let zero = zero(t, d.quotient);
    let steps = carried(t, d, (zero, apart), e);
    implied(t, &given, &[steps])
}

/// `e`'s dividend is `d`'s and what divides to quotient and remainder `more`, with the same divisor, which is not zero: the
/// results are the sums, or the remainders make one more.
fn carried(t: &mut Terms, d: &Division, more: (TermId, TermId), e: &Division) -> TermId {
    let one = t.bv(t.width(d.quotient), 1);
    // Of numbers below the divisor, so nothing wraps around.
    let room = t.sub(d.divisor, more.1);
    let fits = t.ult(d.remainder, room);
    let (sum, reduced) = (t.add(d.remainder, more.1), t.sub(d.remainder, room));
    let quotient = t.add(d.quotient, more.0);
    let next = t.add(quotient, one);
    let (remainder, quotient) = (t.ite(fits, sum, reduced), t.ite(fits, quotient, next));
    let all = [t.eq(e.remainder, remainder), t.eq(e.quotient, quotient)];
    t.and_all(all)
}

/// Three divisions by one divisor: where the dividends of the first two add up to the third's.
pub(super) fn sum(t: &mut Terms, d: &Division, e: &Division, sum: &Division) -> TermId {
    let total = t.add(d.dividend, e.dividend);
    let given = [
        t.eq(d.divisor, e.divisor),
        t.eq(d.divisor, sum.divisor),
        t.is_nonzero(d.divisor),
        t.eq(total, sum.dividend),
        t.ule(d.dividend, sum.dividend),
    ];
    let carried = carried(t, d, (e.quotient, e.remainder), sum);
    implied(t, &given, &[carried])
}

fn antitone(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let given = [t.eq(d.dividend, e.dividend), t.ule(d.divisor, e.divisor)];
    let ordered = t.ule(e.quotient, d.quotient);
    implied(t, &given, &[ordered])
}

fn doubled(t: &mut Terms, d: &Division, e: &Division) -> TermId {
    let width = t.width(d.divisor);
    let (double, half) = (t.add(d.divisor, d.divisor), t.bv(width, 1 << (width - 1)));
    let given =
        [t.eq(d.dividend, e.dividend), t.eq(double, e.divisor), t.ult(d.divisor, half), t.is_nonzero(d.divisor)];
    let one = t.bv(width, 1);
    let low = t.ult(e.remainder, d.divisor);
    let rest = t.sub(e.remainder, d.divisor);
    let (even, remainder) = (t.add(e.quotient, e.quotient), t.ite(low, e.remainder, rest));
    let odd = t.add(even, one);
    let quotient = t.ite(low, even, odd);
    let all = [t.eq(d.quotient, quotient), t.eq(d.remainder, remainder)];
    implied(t, &given, &all)
}

fn times_zero(t: &mut Terms, p: &Product) -> TermId {
    let none = [t.is_zero(p.a), t.is_zero(p.b)];
    let (none, nothing) = (t.or_all(none), t.is_zero(p.value));
    t.implies(none, nothing)
}

fn times_constant(t: &mut Terms, p: &Product, constant: TermId, of: fn(&mut Terms, TermId) -> TermId) -> TermId {
    let (with_b, with_a) = (of(t, p.b), of(t, p.a));
    let (a, b) = (t.eq(p.a, constant), t.eq(p.b, constant));
    let (is_b, is_a) = (t.eq(p.value, with_b), t.eq(p.value, with_a));
    let both = [t.implies(a, is_b), t.implies(b, is_a)];
    t.and_all(both)
}

fn times_one(t: &mut Terms, p: &Product) -> TermId {
    let one = t.bv(t.width(p.a), 1);
    times_constant(t, p, one, |_, other| other)
}

fn times_minus_one(t: &mut Terms, p: &Product) -> TermId {
    let minus_one = t.bv(t.width(p.a), u128::MAX);
    times_constant(t, p, minus_one, Terms::neg)
}

fn product_low_bits(t: &mut Terms, p: &Product) -> TermId {
    let low = LOW.min(t.width(p.a));
    let [a, b, value] = [p.a, p.b, p.value].map(|term| t.trunc(term, low));
    let product = t.mul(a, b);
    t.eq(value, product)
}

/// A factor below `2^bits` and another that leaves room for it: the product does not wrap around, so it is between
/// multiples of the other factor. `bits` is less than the width.
pub(super) fn bounded(t: &mut Terms, p: &Product, bits: u32) -> TermId {
    let width = t.width(p.a);
    let (power, room) = (t.bv(width, 1 << bits), t.bv(width, mask(width) >> bits));
    let by = t.bv(width, u128::from(bits));
    let given = [t.ult(p.a, power), t.ule(p.b, room)];
    let shifted = t.shl(p.b, by);
    let (some, no_more, no_less) = (t.is_nonzero(p.a), t.ule(p.value, shifted), t.ule(p.b, p.value));
    let grows = t.implies(some, no_less);
    // At least half of the power: at least half of the shifted.
    let one = t.bv(width, 1);
    let (half_power, half) = (t.bv(width, (1 << bits) >> 1), t.lshr(shifted, one));
    let (large, at_least) = (t.ule(half_power, p.a), t.ule(half, p.value));
    let large = t.implies(large, at_least);
    implied(t, &given, &[no_more, grows, large])
}

/// A factor of this value.
pub(super) fn factor_is(t: &mut Terms, p: &Product, value: u128) -> TermId {
    let value = t.bv(t.width(p.a), value);
    let (is_value, product) = (t.eq(p.a, value), t.mul(p.b, value));
    let equal = t.eq(p.value, product);
    t.implies(is_value, equal)
}

/// Two products with a factor in common differ by the product of what the others differ by, here a constant.
pub(super) fn apart(t: &mut Terms, p: &Product, o: &Product, by: u128) -> TermId {
    let by = t.bv(t.width(p.a), by);
    let difference = t.sub(o.a, p.a);
    let given = [t.eq(p.b, o.b), t.eq(difference, by)];
    let (more, values) = (t.mul(p.b, by), t.sub(o.value, p.value));
    let equal = t.eq(values, more);
    implied(t, &given, &[equal])
}

/// A product divided by a factor: where nothing wraps around, the quotient is the other factor.
pub(super) fn undone(t: &mut Terms, p: &Product, d: &Division) -> TermId {
    let width = t.width(p.a);
    let half = t.bv(width, mask(width / 2));
    let given =
        [t.eq(p.value, d.dividend), t.eq(p.b, d.divisor), t.is_nonzero(p.b), t.ule(p.a, half), t.ule(p.b, half)];
    let all = [t.eq(d.quotient, p.a), t.is_zero(d.remainder)];
    implied(t, &given, &all)
}

pub(super) fn all_of_product(t: &mut Terms, p: &Product) -> TermId {
    let product = t.mul(p.a, p.b);
    t.eq(p.value, product)
}
