//! Rules for comparisons. Constants stand on the right; `<=` and `>` are negations.

use super::{Rule, rule};
use crate::linear::{self, Linear};
use crate::pool::Terms;
use crate::semantics;
use crate::term::{Key, Op, TermId, mask};

/// Moves all monomials to where they are positive; solves for a single one.
fn cancel(t: &mut Terms, k: &Key) -> Option<TermId> {
    if !linear::is_linear(t.op(k.a())) && !linear::is_linear(t.op(k.b())) {
        return None;
    }
    let w = t.width(k.a());
    let mut difference = Linear::of_term(t, k.a())?;
    difference.gather(t, k.b(), mask(w))?;
    match *difference.monomials() {
        [] => Some(t.bool(difference.constant() == 0)),
        // A product compared with a constant is solved already.
        [(x, 1)] if x == k.a() && t.is_const(k.b()) => None,
        [(x, coefficient)] => {
            let constant = difference.constant().wrapping_neg() & mask(w);
            Some(solve(t, x, coefficient, constant))
        }
        _ => {
            let (left, right) = difference.split();
            let (left, right) = (left.build(t), right.build(t));
            let same = [(left, right), (right, left)].contains(&(k.a(), k.b()));
            (!same).then(|| t.eq(left, right))
        }
    }
}

/// `coefficient * x == constant`, the coefficient being nonzero.
fn solve(t: &mut Terms, x: TermId, coefficient: u128, constant: u128) -> TermId {
    let w = t.width(x);
    // c = 2^s * odd: the low s bits of the constant must be zero, and the s high bits of x are free.
    let s = coefficient.trailing_zeros();
    if constant & mask(s) != 0 {
        return t.fls();
    }
    let solution = (constant >> s).wrapping_mul(inverse(coefficient >> s));
    let low = t.trunc(x, w - s);
    let solution = t.bv(w - s, solution);
    t.eq(low, solution)
}

/// The inverse of an odd number modulo 2^128, and so modulo any smaller power.
fn inverse(odd: u128) -> u128 {
    // Newton: each step doubles the number of correct low bits, of which there are three to begin with.
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// The halves of a concatenation or constant, the low one of `low_width` bits.
fn halves(t: &mut Terms, x: TermId, low_width: u32) -> Option<(TermId, TermId)> {
    let key = t.key(x);
    match key.op {
        Op::Concat if t.width(key.b()) == low_width => Some((key.a(), key.b())),
        Op::Const => {
            let (high, low) = (t.extract(x, key.w() - 1, low_width), t.trunc(x, low_width));
            Some((high, low))
        }
        _ => None,
    }
}

/// Applies a comparison with a constant to the arms of an `ite`, if that decides one of them.
fn into_arms(t: &mut Terms, k: &Key) -> Option<TermId> {
    let ite = t.key(k.a());
    if ite.op != Op::Ite || !t.is_const(k.b()) {
        return None;
    }
    if !t.is_const(ite.b()) && !t.is_const(ite.c()) {
        return None;
    }
    let then = t.make(Key::new(k.op, 1, &[ite.b(), k.b()]));
    let other = t.make(Key::new(k.op, 1, &[ite.c(), k.b()]));
    Some(t.ite(ite.a(), then, other))
}

/// The operand of a sign extension, with its width.
fn extended(t: &Terms, x: TermId) -> Option<(TermId, u32)> {
    let key = t.key(x);
    (key.op == Op::Sext).then(|| (key.a(), t.width(key.a())))
}

/// Both sides without a sign extension from one width; constants are shortened if they fit.
fn unextended(t: &mut Terms, k: &Key) -> Option<(TermId, TermId)> {
    let (x, from) = extended(t, k.a())?;
    if let Some(c) = t.as_const(k.b()) {
        let short = t.bv(from, c);
        let low = t.as_const(short)?;
        return (semantics::sext(low, from, t.width(k.b())) == c).then_some((x, short));
    }
    let (y, other) = extended(t, k.b())?;
    (from == other).then_some((x, y))
}

pub(super) const EQ: &[Rule] = &[
    rule!(
        "x == y, one bit => !(x ^ y)",
        |t, k| {
            if t.width(k.a()) != 1 {
                return None;
            }
            let xor = t.xor(k.a(), k.b());
            Some(t.not(xor))
        },
        |g| g.two(Op::Eq, |g| g.p(), |g| g.q())
    ),
    rule!("x == x => true", |t, k| (k.a() == k.b()).then(|| t.tru()), |g| {
        let x = g.x();
        g.key(Op::Eq, &[x, x])
    }),
    rule!("x == y, no common value => false", |t, k| t.facts(k.a()).disjoint(&t.facts(k.b())).then(|| t.fls()), |g| g
        .two(Op::Eq, |g| g.fields(), |g| g.any_const())),
    rule!("sum == sum => cancelled or solved", cancel, |g| g.two(Op::Eq, |g| g.sum(3), |g| g.sum(2))),
    rule!(
        "x . y == c . d => x == c && y == d",
        |t, k| {
            let concat = if t.op(k.a()) == Op::Concat { k.a() } else { k.b() };
            let other = if concat == k.a() { k.b() } else { k.a() };
            let key = t.key(concat);
            if key.op != Op::Concat || !matches!(t.op(other), Op::Const | Op::Concat) {
                return None;
            }
            let low_width = t.width(key.b());
            let (high, low) = (t.extract(other, t.width(other) - 1, low_width), t.trunc(other, low_width));
            let (high, low) = (t.eq(key.a(), high), t.eq(key.b(), low));
            Some(t.and(high, low))
        },
        |g| g.two(Op::Eq, |g| g.fields(), |g| g.fields())
    ),
    rule!("sext(x) == sext(y) => x == y", |t, k| unextended(t, k).map(|(x, y)| t.eq(x, y)), |g| g.two(
        Op::Eq,
        |g| g.sext_narrow(),
        |g| g.sext_or_const()
    )),
    rule!(
        "sext(x) == c, c out of range => false",
        |t, k| {
            let (_, from) = extended(t, k.a())?;
            let c = t.as_const(k.b())?;
            let back = semantics::sext(c & mask(from), from, t.width(k.b()));
            (back != c).then(|| t.fls())
        },
        |g| g.two(Op::Eq, |g| g.sext_narrow(), |g| g.any_const())
    ),
    rule!(
        "~x == ~y => x == y, ~x == c => x == ~c",
        |t, k| {
            let (x, y) = (t.key(k.a()), t.key(k.b()));
            if x.op != Op::Not || !matches!(y.op, Op::Not | Op::Const) {
                return None;
            }
            let y = t.not(k.b());
            Some(t.eq(x.a(), y))
        },
        |g| g.two(Op::Eq, |g| g.not_x(), |g| g.not_or_const())
    ),
    rule!(
        "x ^ c == d => x == c ^ d",
        |t, k| {
            let x = t.key(k.a());
            if x.op != Op::Xor || !t.is_const(x.b()) || !t.is_const(k.b()) {
                return None;
            }
            let c = t.xor(x.b(), k.b());
            Some(t.eq(x.a(), c))
        },
        |g| g.two(Op::Eq, |g| g.masked(Op::Xor), |g| g.any_const())
    ),
    rule!(
        "x ^ y == 0 => x == y",
        |t, k| {
            let x = t.key(k.a());
            (x.op == Op::Xor && t.as_const(k.b()) == Some(0)).then(|| t.eq(x.a(), x.b()))
        },
        |g| g.two(Op::Eq, |g| g.xor_xy(), |g| g.c(0))
    ),
    rule!(
        "x ^ y == x => y == 0",
        |t, k| {
            for (xor, x) in [(t.key(k.a()), k.b()), (t.key(k.b()), k.a())] {
                if xor.op == Op::Xor && (xor.a() == x || xor.b() == x) {
                    let y = if xor.a() == x { xor.b() } else { xor.a() };
                    return Some(t.is_zero(y));
                }
            }
            None
        },
        |g| g.two(Op::Eq, |g| g.xor_xy(), |g| g.x())
    ),
    rule!("(p ? x : c) == d => p ? x == d : c == d", into_arms, |g| g.two(
        Op::Eq,
        |g| g.ite_const(),
        |g| g.any_const()
    )),
];

pub(super) const ULT: &[Rule] = &[
    rule!(
        "x < y, one bit => !x & y",
        |t, k| {
            if t.width(k.a()) != 1 {
                return None;
            }
            let not_x = t.not(k.a());
            Some(t.and(not_x, k.b()))
        },
        |g| g.two(Op::Ult, |g| g.p(), |g| g.q())
    ),
    rule!("x < x => false", |t, k| (k.a() == k.b()).then(|| t.fls()), |g| {
        let x = g.x();
        g.key(Op::Ult, &[x, x])
    }),
    rule!(
        "x < y, decided by ranges => true or false",
        |t, k| {
            let (x, y) = (t.facts(k.a()), t.facts(k.b()));
            if x.hi < y.lo {
                Some(t.tru())
            } else if x.lo >= y.hi {
                Some(t.fls())
            } else {
                None
            }
        },
        |g| g.two(Op::Ult, |g| g.fields(), |g| g.any_const())
    ),
    rule!(
        "c < x => !(x < c + 1)",
        |t, k| {
            // The greatest constant is below nothing: decided by ranges.
            let next = t.as_const(k.a())?.checked_add(1)?;
            if next > mask(t.width(k.a())) {
                return None;
            }
            let next = t.bv(t.width(k.a()), next);
            let below = t.ult(k.b(), next);
            Some(t.not(below))
        },
        |g| g.two(Op::Ult, |g| g.any_const(), |g| g.x())
    ),
    rule!(
        "x < c, only the least value is => x == least",
        |t, k| {
            let (c, x) = (t.as_const(k.b())?, t.facts(k.a()));
            if x.lo + 1 != c {
                return None;
            }
            let least = t.bv(t.width(k.a()), x.lo);
            Some(t.eq(k.a(), least))
        },
        |g| g.two(Op::Ult, |g| g.small(), |g| g.c(1))
    ),
    rule!(
        "x < c, only the greatest value is not => x != greatest",
        |t, k| {
            let (c, x) = (t.as_const(k.b())?, t.facts(k.a()));
            (x.hi == c).then(|| t.ne(k.a(), k.b()))
        },
        |g| g.two(Op::Ult, |g| g.x(), |g| g.ones())
    ),
    rule!(
        "k . x < k . y => x < y",
        |t, k| {
            let key = t.key(k.a());
            if key.op != Op::Concat {
                return None;
            }
            let low_width = t.width(key.b());
            let (high, low) = halves(t, k.b(), low_width)?;
            (high == key.a()).then(|| t.ult(key.b(), low))
        },
        |g| g.two(Op::Ult, |g| g.padded(), |g| g.padded())
    ),
    rule!(
        "x . y < c . 0 => x < c",
        |t, k| {
            let key = t.key(k.a());
            if key.op != Op::Concat || !t.is_const(k.b()) {
                return None;
            }
            let low_width = t.width(key.b());
            let (high, low) = halves(t, k.b(), low_width)?;
            (t.as_const(low) == Some(0)).then(|| t.ult(key.a(), high))
        },
        |g| g.two(Op::Ult, |g| g.fields(), |g| g.power())
    ),
    rule!("sext(x) < sext(y) => x < y", |t, k| unextended(t, k).map(|(x, y)| t.ult(x, y)), |g| g.two(
        Op::Ult,
        |g| g.sext_narrow(),
        |g| g.sext_or_const()
    )),
    rule!(
        "~x < ~y => y < x, ~x < c => ~c < x",
        |t, k| {
            let (x, y) = (t.key(k.a()), t.key(k.b()));
            if x.op != Op::Not || !matches!(y.op, Op::Not | Op::Const) {
                return None;
            }
            let y = t.not(k.b());
            Some(t.ult(y, x.a()))
        },
        |g| g.two(Op::Ult, |g| g.not_x(), |g| g.not_or_const())
    ),
    rule!(
        "x + c < d, no overflow => x < d - c",
        |t, k| {
            let (sum, d) = (t.key(k.a()), t.as_const(k.b())?);
            if sum.op != Op::Add {
                return None;
            }
            let c = t.as_const(sum.b())?;
            let top = t.facts(sum.a()).hi.checked_add(c)?;
            if top > mask(sum.w()) || d < c {
                return None;
            }
            let rest = t.bv(sum.w(), d - c);
            Some(t.ult(sum.a(), rest))
        },
        |g| g.two(Op::Ult, |g| g.small_plus_const(), |g| g.any_const())
    ),
    rule!(
        "x * c < d, no overflow => x < d / c, rounded up",
        |t, k| {
            let (product, d) = (t.key(k.a()), t.as_const(k.b())?);
            if product.op != Op::Mul {
                return None;
            }
            let c = t.as_const(product.b()).filter(|&c| c > 0)?;
            let top = t.facts(product.a()).hi.checked_mul(c)?;
            if top > mask(product.w()) {
                return None;
            }
            let rounded = t.bv(product.w(), d.div_ceil(c));
            Some(t.ult(product.a(), rounded))
        },
        |g| g.two(Op::Ult, |g| g.small_times_const(), |g| g.any_const())
    ),
    rule!("(p ? x : c) < d => p ? x < d : c < d", into_arms, |g| g.two(Op::Ult, |g| g.ite_const(), |g| g.any_const())),
];

pub(super) const SLT: &[Rule] = &[
    rule!(
        "x <s y, one bit => x & !y",
        |t, k| {
            if t.width(k.a()) != 1 {
                return None;
            }
            let not_y = t.not(k.b());
            Some(t.and(k.a(), not_y))
        },
        |g| g.two(Op::Slt, |g| g.p(), |g| g.q())
    ),
    rule!("x <s x => false", |t, k| (k.a() == k.b()).then(|| t.fls()), |g| {
        let x = g.x();
        g.key(Op::Slt, &[x, x])
    }),
    rule!(
        "x <s y, decided by ranges => true or false",
        |t, k| {
            let w = t.width(k.a());
            let (x, y) = (t.facts(k.a()).signed_range(w), t.facts(k.b()).signed_range(w));
            if x.1 < y.0 {
                Some(t.tru())
            } else if x.0 >= y.1 {
                Some(t.fls())
            } else {
                None
            }
        },
        |g| g.two(Op::Slt, |g| g.fields(), |g| g.any_const())
    ),
    rule!(
        "x <s y, equal signs => x < y",
        |t, k| {
            let w = t.width(k.a());
            let sign = t.facts(k.a()).sign(w)?;
            (t.facts(k.b()).sign(w)? == sign).then(|| t.ult(k.a(), k.b()))
        },
        |g| g.two(Op::Slt, |g| g.small(), |g| g.small())
    ),
    rule!("x <s 0 => x[w-1]", |t, k| (t.as_const(k.b()) == Some(0)).then(|| t.sign(k.a())), |g| g.two(
        Op::Slt,
        |g| g.x(),
        |g| g.c(0)
    )),
    rule!(
        "c <s x => !(x <s c + 1)",
        |t, k| {
            // The greatest constant is below nothing: decided by ranges.
            let (w, c) = (t.width(k.a()), t.as_const(k.a())?);
            if c == mask(w - 1) {
                return None;
            }
            let next = t.bv(w, c.wrapping_add(1));
            let below = t.slt(k.b(), next);
            Some(t.not(below))
        },
        |g| g.two(Op::Slt, |g| g.any_const(), |g| g.x())
    ),
    rule!("sext(x) <s sext(y) => x <s y", |t, k| unextended(t, k).map(|(x, y)| t.slt(x, y)), |g| g.two(
        Op::Slt,
        |g| g.sext_narrow(),
        |g| g.sext_or_const()
    )),
    rule!(
        "sext(x) <s c, c out of range => whether c is positive",
        |t, k| {
            let (_, from) = extended(t, k.a())?;
            let (w, c) = (t.width(k.b()), t.as_const(k.b())?);
            let back = semantics::sext(c & mask(from), from, w);
            (back != c).then(|| t.bool(semantics::signed(c, w) > 0))
        },
        |g| g.two(Op::Slt, |g| g.sext_narrow(), |g| g.any_const())
    ),
    rule!("(p ? x : c) <s d => p ? x <s d : c <s d", into_arms, |g| g.two(
        Op::Slt,
        |g| g.ite_const(),
        |g| g.any_const()
    )),
];
