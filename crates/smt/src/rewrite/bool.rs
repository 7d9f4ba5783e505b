//! Rules for bitwise operators, which on one bit are the boolean ones, and for `ite`.
//!
//! On one bit disjunction is written with conjunction and negation, so rules about conjunctions serve both.

use super::{Rule, rule};
use crate::pool::Terms;
use crate::term::{Key, Op, TermId, mask};

/// A bitwise operator becomes a concatenation of slices only if it has at most this many.
const MAX_SLICES: usize = 8;

/// Nodes of a conjunction that are searched for a literal.
const MAX_CONJUNCTS: usize = 16;

fn is_zero(t: &Terms, x: TermId) -> bool {
    t.as_const(x) == Some(0)
}

fn is_ones(t: &Terms, x: TermId) -> bool {
    t.as_const(x) == Some(mask(t.width(x)))
}

fn negates(t: &Terms, x: TermId, y: TermId) -> bool {
    let (kx, ky) = (t.key(x), t.key(y));
    (kx.op == Op::Not && kx.a() == y) || (ky.op == Op::Not && ky.a() == x)
}

/// What `x` negates, if it is a negation.
fn negated(t: &Terms, x: TermId) -> Option<TermId> {
    let key = t.key(x);
    (key.op == Op::Not).then(|| key.a())
}

/// Where the bits of `x op y` come from: a bit may be in several of the sets.
struct Sources {
    known: u128,
    value: u128,
    from_x: u128,
    from_y: u128,
}

fn sources(t: &Terms, k: &Key) -> Sources {
    let (x, y) = (t.facts(k.a()), t.facts(k.b()));
    match k.op {
        Op::And => Sources {
            known: x.zeros | y.zeros | (x.ones & y.ones),
            value: x.ones & y.ones,
            from_x: y.ones,
            from_y: x.ones,
        },
        Op::Or => Sources {
            known: x.ones | y.ones | (x.zeros & y.zeros),
            value: x.ones | y.ones,
            from_x: y.zeros,
            from_y: x.zeros,
        },
        _ => Sources {
            known: (x.zeros | x.ones) & (y.zeros | y.ones),
            value: x.ones ^ y.ones,
            from_x: y.zeros,
            from_y: x.zeros,
        },
    }
}

/// `x op y` where each bit is a constant or a bit of one side: the concatenation of those slices.
fn slice(t: &mut Terms, k: &Key) -> Option<TermId> {
    let w = k.w();
    let s = sources(t, k);
    if s.known | s.from_x | s.from_y != mask(w) {
        return None;
    }
    // Slices as (high, low, which), from the top; `which` is the set of sources valid for all of it.
    let mut slices: Vec<(u32, u32, u8)> = Vec::new();
    for bit in (0..w).rev() {
        let has = |set: u128| (set >> bit & 1) as u8;
        let here = has(s.from_x) | has(s.from_y) << 1 | has(s.known) << 2;
        match slices.last_mut() {
            Some((_, low, which)) if *which & here != 0 => {
                *low = bit;
                *which &= here;
            }
            _ => slices.push((bit, bit, here)),
        }
        if slices.len() > MAX_SLICES {
            return None;
        }
    }
    let mut result = None;
    for (high, low, which) in slices {
        let piece = if which & 4 != 0 {
            t.bv(high - low + 1, s.value >> low)
        } else {
            let source = if which & 1 != 0 { k.a() } else { k.b() };
            t.extract(source, high, low)
        };
        result = Some(match result {
            None => piece,
            Some(above) => t.concat(above, piece),
        });
    }
    result
}

/// `(x op c) op d => x op (c op d)`.
fn reassociate(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if inner.op != k.op || !t.is_const(k.b()) || !t.is_const(inner.b()) {
        return None;
    }
    let constant = t.make(Key::new(k.op, k.w(), &[inner.b(), k.b()]));
    Some(t.make(Key::new(k.op, k.w(), &[inner.a(), constant])))
}

/// Tries a rule with the operands in either order.
fn either(k: &Key, mut rule: impl FnMut(TermId, TermId) -> Option<TermId>) -> Option<TermId> {
    rule(k.a(), k.b()).or_else(|| rule(k.b(), k.a()))
}

/// Whether `x` or its negation is a conjunct of `all`.
fn conjunct(t: &Terms, x: TermId, all: TermId) -> Option<bool> {
    let mut work = vec![all];
    let mut visits = 0;
    while let Some(top) = work.pop() {
        visits += 1;
        let key = t.key(top);
        if top == x {
            return Some(true);
        }
        if negates(t, top, x) {
            return Some(false);
        }
        if key.op == Op::And && visits < MAX_CONJUNCTS {
            work.extend([key.a(), key.b()]);
        }
    }
    None
}

/// A boolean that says of a term that it lies in an unsigned range, or differs from a constant.
#[derive(Clone, Copy)]
enum Bound {
    Within(u128, u128),
    Not(u128),
}

fn bound(t: &Terms, p: TermId) -> Option<(TermId, Bound)> {
    let (key, positive) = match negated(t, p) {
        Some(inner) => (t.key(inner), false),
        None => (t.key(p), true),
    };
    let c = t.as_const(TermId(key.args[1]));
    match (key.op, positive) {
        (Op::Eq, true) => Some((key.a(), Bound::Within(c?, c?))),
        (Op::Eq, false) => Some((key.a(), Bound::Not(c?))),
        (Op::Ult, true) => Some((key.a(), Bound::Within(0, c?.checked_sub(1)?))),
        (Op::Ult, false) => Some((key.a(), Bound::Within(c?, mask(t.width(key.a()))))),
        _ => None,
    }
}

/// The conjunction of two bounds on one term, where it is one bound.
fn meet(t: &mut Terms, p: TermId, q: TermId) -> Option<TermId> {
    // Only comparisons have a second operand to look at.
    let comparison = |t: &Terms, p: TermId| matches!(t.op(negated(t, p).unwrap_or(p)), Op::Eq | Op::Ult);
    if !comparison(t, p) || !comparison(t, q) {
        return None;
    }
    let ((x, first), (y, second)) = (bound(t, p)?, bound(t, q)?);
    if x != y {
        return None;
    }
    let w = t.width(x);
    match (first, second) {
        (Bound::Within(a, b), Bound::Within(c, d)) => {
            let (lo, hi) = (a.max(c), b.min(d));
            if lo > hi {
                Some(t.fls())
            } else if (lo, hi) == (a, b) {
                Some(p)
            } else if (lo, hi) == (c, d) {
                Some(q)
            } else if lo == hi {
                let point = t.bv(w, lo);
                Some(t.eq(x, point))
            } else {
                None
            }
        }
        (Bound::Within(lo, hi), Bound::Not(c)) => exclude(t, x, p, (lo, hi), c),
        (Bound::Not(c), Bound::Within(lo, hi)) => exclude(t, x, q, (lo, hi), c),
        (Bound::Not(_), Bound::Not(_)) => None,
    }
}

/// `x in lo..=hi`, which is `within`, and `x != c`.
fn exclude(t: &mut Terms, x: TermId, within: TermId, (lo, hi): (u128, u128), c: u128) -> Option<TermId> {
    let w = t.width(x);
    if c < lo || c > hi {
        Some(within)
    } else if lo == hi {
        Some(t.fls())
    } else if lo == 0 && c == hi {
        let top = t.bv(w, hi);
        Some(t.ult(x, top))
    } else if hi == mask(w) && c == lo {
        let bottom = t.bv(w, lo + 1);
        Some(t.uge(x, bottom))
    } else {
        None
    }
}

/// What a connective does to the bits beside constants, as of truth values that C has widened to `int`.
fn beside_constants(t: &mut Terms, k: &Key) -> Option<TermId> {
    let (x, y) = (t.key(k.a()), t.key(k.b()));
    let alike = x.op == Op::Concat && y.op == Op::Concat && t.width(x.a()) == t.width(y.a());
    if !alike || !t.is_const(x.a()) || !t.is_const(y.a()) {
        return None;
    }
    let (high, low) = match k.op {
        Op::And => (t.and(x.a(), y.a()), t.and(x.b(), y.b())),
        _ => (t.or(x.a(), y.a()), t.or(x.b(), y.b())),
    };
    Some(t.concat(high, low))
}

pub(super) const NOT: &[Rule] = &[
    rule!("~~x => x", |t, k| negated(t, k.a()), |g| g.one(Op::Not, |g| g.not_x())),
    rule!(
        "~(x . c) => ~x . ~c",
        |t, k| {
            let inner = t.key(k.a());
            if inner.op != Op::Concat || !(t.is_const(inner.a()) || t.is_const(inner.b())) {
                return None;
            }
            let (high, low) = (t.not(inner.a()), t.not(inner.b()));
            Some(t.concat(high, low))
        },
        |g| g.one(Op::Not, |g| g.padded())
    ),
    rule!(
        "~sext(x) => sext(~x)",
        |t, k| {
            let inner = t.key(k.a());
            if inner.op != Op::Sext {
                return None;
            }
            let low = t.not(inner.a());
            Some(t.sext(low, k.w()))
        },
        |g| g.one(Op::Not, |g| g.sext_narrow())
    ),
];

pub(super) const AND: &[Rule] =
    &[
        rule!("x & 0 => 0", |t, k| is_zero(t, k.b()).then_some(k.b()), |g| g.two(Op::And, |g| g.x(), |g| g.c(0))),
        rule!("x & ~0 => x", |t, k| is_ones(t, k.b()).then_some(k.a()), |g| g.two(Op::And, |g| g.x(), |g| g.ones())),
        rule!("x & x => x", |_, k| (k.a() == k.b()).then_some(k.a()), |g| {
            let x = g.x();
            g.key(Op::And, &[x, x])
        }),
        rule!("x & ~x => 0", |t, k| negates(t, k.a(), k.b()).then(|| t.zero(k.w())), |g| g.two(
            Op::And,
            |g| g.x(),
            |g| g.not_x()
        )),
        rule!(
            "x & (y & x) => y & x, x & (y & ~x) => 0",
            |t, k| either(k, |x, all| match conjunct(t, x, all)? {
                true => Some(all),
                false => Some(t.zero(k.w())),
            }),
            |g| g.two(Op::And, |g| g.x(), |g| g.and_xy())
        ),
        rule!(
            "x & ~(x & y) => x & ~y, x & ~(~x & y) => x",
            |t, k| either(k, |x, y| {
                let inner = t.key(negated(t, y)?);
                if inner.op != Op::And {
                    return None;
                }
                for (same, other) in [(inner.a(), inner.b()), (inner.b(), inner.a())] {
                    if same == x {
                        let not_other = t.not(other);
                        return Some(t.and(x, not_other));
                    }
                    if negates(t, same, x) {
                        return Some(x);
                    }
                }
                None
            }),
            |g| g.two(Op::And, |g| g.x(), |g| g.not_and_xy())
        ),
        rule!("(x & c) & d => x & (c & d)", reassociate, |g| g.two(Op::And, |g| g.masked(Op::And), |g| g.any_const())),
        rule!("x & y, bits from one side => slices", slice, |g| g.two(Op::And, |g| g.fields(), |g| g.any_const())),
        rule!(
            "x & (x | y) => x",
            |t, k| either(k, |x, y| {
                let inner = t.key(y);
                (inner.op == Op::Or && (inner.a() == x || inner.b() == x)).then_some(x)
            }),
            |g| g.two(Op::And, |g| g.x(), |g| g.or_xy())
        ),
        rule!("(c . x) & (d . y) => (c & d) . (x & y)", beside_constants, |g| g.padded_both(Op::And)),
        rule!("x in I && x in J => x in both", |t, k| if k.w() == 1 { meet(t, k.a(), k.b()) } else { None }, |g| g
            .two(Op::And, |g| g.bound(), |g| g.bound())),
    ];

pub(super) const OR: &[Rule] = &[
    rule!(
        "p || q => !(!p && !q)",
        |t, k| {
            if k.w() != 1 {
                return None;
            }
            let (p, q) = (t.not(k.a()), t.not(k.b()));
            let neither = t.and(p, q);
            Some(t.not(neither))
        },
        |g| g.two(Op::Or, |g| g.p(), |g| g.q())
    ),
    rule!("x | 0 => x", |t, k| is_zero(t, k.b()).then_some(k.a()), |g| g.two(Op::Or, |g| g.x(), |g| g.c(0))),
    rule!("x | ~0 => ~0", |t, k| is_ones(t, k.b()).then_some(k.b()), |g| g.two(Op::Or, |g| g.x(), |g| g.ones())),
    rule!("x | x => x", |_, k| (k.a() == k.b()).then_some(k.a()), |g| {
        let x = g.x();
        g.key(Op::Or, &[x, x])
    }),
    rule!("x | ~x => ~0", |t, k| negates(t, k.a(), k.b()).then(|| t.ones(k.w())), |g| g.two(
        Op::Or,
        |g| g.x(),
        |g| g.not_x()
    )),
    rule!(
        "x | (x & y) => x",
        |t, k| either(k, |x, y| {
            let inner = t.key(y);
            (inner.op == Op::And && (inner.a() == x || inner.b() == x)).then_some(x)
        }),
        |g| g.two(Op::Or, |g| g.x(), |g| g.and_xy())
    ),
    rule!(
        "x | (x | y) => x | y",
        |t, k| either(k, |x, y| {
            let inner = t.key(y);
            (inner.op == Op::Or && (inner.a() == x || inner.b() == x)).then_some(y)
        }),
        |g| g.two(Op::Or, |g| g.x(), |g| g.or_xy())
    ),
    rule!("(x | c) | d => x | (c | d)", reassociate, |g| g.two(Op::Or, |g| g.masked(Op::Or), |g| g.any_const())),
    rule!("x | y, bits from one side => slices", slice, |g| g.two(Op::Or, |g| g.fields(), |g| g.fields())),
    rule!("(c . x) | (d . y) => (c | d) . (x | y)", beside_constants, |g| g.padded_both(Op::Or)),
];

pub(super) const XOR: &[Rule] = &[
    rule!("x ^ 0 => x", |t, k| is_zero(t, k.b()).then_some(k.a()), |g| g.two(Op::Xor, |g| g.x(), |g| g.c(0))),
    rule!("x ^ ~0 => ~x", |t, k| is_ones(t, k.b()).then(|| t.not(k.a())), |g| g.two(Op::Xor, |g| g.x(), |g| g.ones())),
    rule!("x ^ x => 0", |t, k| (k.a() == k.b()).then(|| t.zero(k.w())), |g| {
        let x = g.x();
        g.key(Op::Xor, &[x, x])
    }),
    rule!(
        "~x ^ y => ~(x ^ y)",
        |t, k| either(k, |x, y| {
            let inner = negated(t, x)?;
            let xor = t.xor(inner, y);
            Some(t.not(xor))
        }),
        |g| g.two(Op::Xor, |g| g.not_x(), |g| g.y())
    ),
    rule!(
        "x ^ (x ^ y) => y",
        |t, k| either(k, |x, y| {
            let inner = t.key(y);
            match inner.op {
                Op::Xor if inner.a() == x => Some(inner.b()),
                Op::Xor if inner.b() == x => Some(inner.a()),
                _ => None,
            }
        }),
        |g| g.two(Op::Xor, |g| g.x(), |g| g.xor_xy())
    ),
    rule!("(x ^ c) ^ d => x ^ (c ^ d)", reassociate, |g| g.two(Op::Xor, |g| g.masked(Op::Xor), |g| g.any_const())),
    rule!("x ^ y, bits from one side => slices", slice, |g| g.two(Op::Xor, |g| g.fields(), |g| g.fields())),
];

/// Rules on bit-vectors only; those shared with arrays are in `super::array`.
pub(super) const ITE: &[Rule] = &[
    rule!("true ? x : y => x, false ? x : y => y", |t, k| choose(t, k), |g| g.three(
        Op::Ite,
        |g| g.bit(),
        |g| g.x(),
        |g| g.y()
    )),
    rule!("p ? x : x => x", |_, k| (k.b() == k.c()).then_some(k.b()), |g| {
        let (p, x) = (g.p(), g.x());
        g.key(Op::Ite, &[p, x, x])
    }),
    rule!("!p ? x : y => p ? y : x", |t, k| negated(t, k.a()).map(|p| t.ite(p, k.c(), k.b())), |g| g.three(
        Op::Ite,
        |g| g.not_p(),
        |g| g.x(),
        |g| g.y()
    )),
    rule!(
        "p ? 1 : q => p || q, p ? 0 : q => !p && q",
        |t, k| {
            if k.w() != 1 {
                return None;
            }
            // Knowing `p` inside its own arms is the same as a constant there.
            let constant = |t: &Terms, arm: TermId, when: bool| match t.as_const(arm) {
                Some(v) => Some(v == 1),
                None if arm == k.a() => Some(when),
                None if negates(t, arm, k.a()) => Some(!when),
                None => None,
            };
            match (constant(t, k.b(), true), constant(t, k.c(), false)) {
                (Some(true), _) => Some(t.or(k.a(), k.c())),
                (Some(false), _) => {
                    let p = t.not(k.a());
                    Some(t.and(p, k.c()))
                }
                (_, Some(false)) => Some(t.and(k.a(), k.b())),
                (_, Some(true)) => Some(t.implies(k.a(), k.b())),
                (None, None) => None,
            }
        },
        |g| g.three(Op::Ite, |g| g.p(), |g| g.bit_or_p(), |g| g.bit_or_p())
    ),
    rule!(
        "p ? q : !q => !(p ^ q)",
        |t, k| {
            if k.w() != 1 || !negates(t, k.b(), k.c()) {
                return None;
            }
            let xor = t.xor(k.a(), k.b());
            Some(t.not(xor))
        },
        |g| g.three(Op::Ite, |g| g.p(), |g| g.q(), |g| g.not_q())
    ),
    rule!(
        "p ? (p ? x : y) : z => p ? x : z",
        |t, k| {
            let (then, other) = (t.key(k.b()), t.key(k.c()));
            if then.op == Op::Ite && then.a() == k.a() {
                return Some(t.ite(k.a(), then.b(), k.c()));
            }
            if other.op == Op::Ite && other.a() == k.a() {
                return Some(t.ite(k.a(), k.b(), other.c()));
            }
            None
        },
        |g| g.three(Op::Ite, |g| g.p(), |g| g.ite_pxy(), |g| g.z())
    ),
    rule!(
        "p ? (q ? x : y) : y => p && q ? x : y",
        |t, k| {
            let then = t.key(k.b());
            if then.op != Op::Ite || then.c() != k.c() {
                return None;
            }
            let both = t.and(k.a(), then.a());
            Some(t.ite(both, then.b(), k.c()))
        },
        |g| g.three(Op::Ite, |g| g.p(), |g| g.ite_qxy(), |g| g.y())
    ),
    rule!(
        "p ? 1 : 0 => zext(p), p ? -1 : 0 => sext(p)",
        |t, k| {
            let (then, other) = (t.as_const(k.b())?, t.as_const(k.c())?);
            let ones = mask(k.w());
            match (then, other) {
                (1, 0) => Some(t.zext(k.a(), k.w())),
                (0, 1) => {
                    let p = t.not(k.a());
                    Some(t.zext(p, k.w()))
                }
                (v, 0) if v == ones => Some(t.sext(k.a(), k.w())),
                (0, v) if v == ones => {
                    let p = t.not(k.a());
                    Some(t.sext(p, k.w()))
                }
                _ => None,
            }
        },
        |g| g.three(Op::Ite, |g| g.p(), |g| g.extreme(), |g| g.extreme())
    ),
    rule!(
        "x == y ? x : y => y",
        |t, k| {
            let p = t.key(k.a());
            let same = p.op == Op::Eq && ((p.a(), p.b()) == (k.b(), k.c()) || (p.b(), p.a()) == (k.b(), k.c()));
            same.then_some(k.c())
        },
        |g| g.three(Op::Ite, |g| g.eq_xy(), |g| g.x(), |g| g.y())
    ),
];

/// The arm that a constant condition chooses.
pub(super) fn choose(t: &Terms, k: &Key) -> Option<TermId> {
    let condition = t.as_const(k.a())?;
    Some(if condition == 1 { k.b() } else { k.c() })
}
