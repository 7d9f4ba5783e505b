//! Rules for arithmetic and shifts.
//!
//! Shifts by constants become concatenations of slices, the form in which bytes and bit-fields meet.

use super::{Rule, rule};
use crate::linear::{self, Linear};
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Key, Op, TermId, mask};

/// The linear combination that the node is, unless it has that form already.
fn combine(t: &mut Terms, k: &Key) -> Option<TermId> {
    let plain = |t: &Terms, x| !linear::is_linear(t.op(x));
    let canonical = match k.op {
        // `x + c` and `-x` with a plain x are canonical; `x + y` may still be `x + x`.
        Op::Add => plain(t, k.a()) && plain(t, k.b()) && k.a() != k.b(),
        Op::Neg => plain(t, k.a()),
        _ => !t.is_const(k.b()) || plain(t, k.a()),
    };
    if canonical {
        return None;
    }
    let sum = Linear::of_key(t, k)?;
    let built = sum.build(t);
    (t.key(built) != *k).then_some(built)
}

fn is_const(t: &Terms, x: TermId, value: u128) -> bool {
    t.as_const(x) == Some(value)
}

pub(super) const ADD: &[Rule] = &[
    rule!("x + y, one bit => x ^ y", |t, k| (k.w() == 1).then(|| t.xor(k.a(), k.b())), |g| g.two(
        Op::Add,
        |g| g.x(),
        |g| g.y()
    )),
    rule!("x + 0 => x", |t, k| is_const(t, k.b(), 0).then_some(k.a()), |g| g.two(Op::Add, |g| g.x(), |g| g.c(0))),
    rule!("sum => linear combination", combine, |g| g.two(Op::Add, |g| g.sum(3), |g| g.sum(3))),
];

pub(super) const NEG: &[Rule] = &[
    rule!("-x, one bit => x", |_, k| (k.w() == 1).then_some(k.a()), |g| g.one(Op::Neg, |g| g.x())),
    rule!("-(sum) => linear combination", combine, |g| g.one(Op::Neg, |g| g.sum(3))),
];

pub(super) const MUL: &[Rule] = &[
    rule!("x * y, one bit => x & y", |t, k| (k.w() == 1).then(|| t.and(k.a(), k.b())), |g| g.two(
        Op::Mul,
        |g| g.x(),
        |g| g.y()
    )),
    rule!("x * 0 => 0", |t, k| is_const(t, k.b(), 0).then_some(k.b()), |g| g.two(Op::Mul, |g| g.x(), |g| g.c(0))),
    rule!("x * 1 => x", |t, k| is_const(t, k.b(), 1).then_some(k.a()), |g| g.two(Op::Mul, |g| g.x(), |g| g.c(1))),
    rule!("x * -1 => -x", |t, k| is_const(t, k.b(), mask(k.w())).then(|| t.neg(k.a())), |g| g.two(
        Op::Mul,
        |g| g.x(),
        |g| g.ones()
    )),
    rule!("sum * c => linear combination", combine, |g| g.two(Op::Mul, |g| g.sum(3), |g| g.any_const())),
];

/// The exponent, if `x` is a constant power of two.
fn log2(t: &Terms, x: TermId) -> Option<u32> {
    let value = t.as_const(x)?;
    value.is_power_of_two().then(|| value.trailing_zeros())
}

/// Whether every value of `x` is less than every value of `y`.
fn always_below(t: &Terms, x: TermId, y: TermId) -> bool {
    t.facts(x).hi < t.facts(y).lo
}

fn nonnegative(t: &Terms, x: TermId) -> bool {
    t.facts(x).sign(t.width(x)) == Some(false)
}

/// `x >> by`, logically, for `by` less than the width.
fn shift_right(t: &mut Terms, x: TermId, by: u32) -> TermId {
    let w = t.width(x);
    let high = t.extract(x, w - 1, by);
    t.zext(high, w)
}

pub(super) const UDIV: &[Rule] = &[
    rule!("x / 2^n => x >> n", |t, k| log2(t, k.b()).map(|n| shift_right(t, k.a(), n)), |g| g.two(
        Op::Udiv,
        |g| g.x(),
        |g| g.power()
    )),
    rule!("x / 0 => ~0", |t, k| is_const(t, k.b(), 0).then(|| t.ones(k.w())), |g| g.two(
        Op::Udiv,
        |g| g.x(),
        |g| g.c(0)
    )),
    rule!("x / y, x below y => 0", |t, k| always_below(t, k.a(), k.b()).then(|| t.zero(k.w())), |g| g.two(
        Op::Udiv,
        |g| g.small(),
        |g| g.large()
    )),
    rule!("x / x, x nonzero => 1", |t, k| (k.a() == k.b() && t.facts(k.a()).lo > 0).then(|| t.bv(k.w(), 1)), |g| {
        let x = g.large();
        g.key(Op::Udiv, &[x, x])
    }),
];

pub(super) const UREM: &[Rule] = &[
    rule!(
        "x % 2^n => x & (2^n - 1)",
        |t, k| {
            let n = log2(t, k.b())?;
            if n == 0 {
                return Some(t.zero(k.w()));
            }
            let low = t.trunc(k.a(), n);
            Some(t.zext(low, k.w()))
        },
        |g| g.two(Op::Urem, |g| g.x(), |g| g.power())
    ),
    rule!("x % 0 => x", |t, k| is_const(t, k.b(), 0).then_some(k.a()), |g| g.two(Op::Urem, |g| g.x(), |g| g.c(0))),
    rule!("x % y, x below y => x", |t, k| always_below(t, k.a(), k.b()).then_some(k.a()), |g| g.two(
        Op::Urem,
        |g| g.small(),
        |g| g.large()
    )),
    rule!("x % x => 0", |t, k| (k.a() == k.b()).then(|| t.zero(k.w())), |g| {
        let x = g.x();
        g.key(Op::Urem, &[x, x])
    }),
];

pub(super) const SDIV: &[Rule] = &[
    rule!("x /s 1 => x", |t, k| (k.w() > 1 && is_const(t, k.b(), 1)).then_some(k.a()), |g| g.two(
        Op::Sdiv,
        |g| g.x(),
        |g| g.c(1)
    )),
    rule!("x /s -1 => -x", |t, k| is_const(t, k.b(), mask(k.w())).then(|| t.neg(k.a())), |g| g.two(
        Op::Sdiv,
        |g| g.x(),
        |g| g.ones()
    )),
    rule!(
        "x /s 0 => x <s 0 ? 1 : -1",
        |t, k| {
            if !is_const(t, k.b(), 0) {
                return None;
            }
            let (negative, one, minus_one) = (t.sign(k.a()), t.bv(k.w(), 1), t.ones(k.w()));
            Some(t.ite(negative, one, minus_one))
        },
        |g| g.two(Op::Sdiv, |g| g.x(), |g| g.c(0))
    ),
    rule!(
        "x /s y, both nonnegative => x / y",
        |t, k| (nonnegative(t, k.a()) && nonnegative(t, k.b())).then(|| t.udiv(k.a(), k.b())),
        |g| g.two(Op::Sdiv, |g| g.small(), |g| g.small())
    ),
    rule!(
        "x /s c, x nonnegative, c negative => -(x / -c)",
        |t, k| {
            let c = t.as_const(k.b())?;
            if !nonnegative(t, k.a()) || signed(c, k.w()) >= 0 {
                return None;
            }
            let magnitude = t.bv(k.w(), c.wrapping_neg());
            let quotient = t.udiv(k.a(), magnitude);
            Some(t.neg(quotient))
        },
        |g| g.two(Op::Sdiv, |g| g.small(), |g| g.any_const())
    ),
];

pub(super) const SREM: &[Rule] = &[
    rule!("x %s 1 => 0", |t, k| (k.w() > 1 && is_const(t, k.b(), 1)).then(|| t.zero(k.w())), |g| g.two(
        Op::Srem,
        |g| g.x(),
        |g| g.c(1)
    )),
    rule!("x %s -1 => 0", |t, k| is_const(t, k.b(), mask(k.w())).then(|| t.zero(k.w())), |g| g.two(
        Op::Srem,
        |g| g.x(),
        |g| g.ones()
    )),
    rule!("x %s 0 => x", |t, k| is_const(t, k.b(), 0).then_some(k.a()), |g| g.two(Op::Srem, |g| g.x(), |g| g.c(0))),
    rule!(
        "x %s y, both nonnegative => x % y",
        |t, k| (nonnegative(t, k.a()) && nonnegative(t, k.b())).then(|| t.urem(k.a(), k.b())),
        |g| g.two(Op::Srem, |g| g.small(), |g| g.small())
    ),
    rule!(
        "x %s c, x nonnegative, c negative => x % -c",
        |t, k| {
            let c = t.as_const(k.b())?;
            if !nonnegative(t, k.a()) || signed(c, k.w()) >= 0 {
                return None;
            }
            let magnitude = t.bv(k.w(), c.wrapping_neg());
            Some(t.urem(k.a(), magnitude))
        },
        |g| g.two(Op::Srem, |g| g.small(), |g| g.any_const())
    ),
    rule!("x %s x => 0", |t, k| (k.a() == k.b()).then(|| t.zero(k.w())), |g| {
        let x = g.x();
        g.key(Op::Srem, &[x, x])
    }),
];

/// A constant shift amount: less than the width, or `None` inside if the whole value is shifted out.
fn amount(t: &Terms, k: &Key) -> Option<Option<u32>> {
    let facts = t.facts(k.b());
    if facts.lo >= u128::from(k.w()) {
        return Some(None);
    }
    facts.value().map(|by| Some(by as u32))
}

pub(super) const SHL: &[Rule] = &[
    rule!(
        "x << c => x[w-1-c:0] . 0",
        |t, k| match amount(t, k)? {
            None => Some(t.zero(k.w())),
            Some(0) => Some(k.a()),
            Some(by) => {
                let (rest, zeros) = (t.trunc(k.a(), k.w() - by), t.zero(by));
                Some(t.concat(rest, zeros))
            }
        },
        |g| g.two(Op::Shl, |g| g.x(), |g| g.amount())
    ),
    rule!("0 << y => 0", |t, k| is_const(t, k.a(), 0).then_some(k.a()), |g| g.two(Op::Shl, |g| g.c(0), |g| g.y())),
];

pub(super) const LSHR: &[Rule] = &[
    rule!(
        "x >> c => 0 . x[w-1:c]",
        |t, k| match amount(t, k)? {
            None => Some(t.zero(k.w())),
            Some(by) => Some(shift_right(t, k.a(), by)),
        },
        |g| g.two(Op::Lshr, |g| g.x(), |g| g.amount())
    ),
    rule!("0 >> y => 0", |t, k| is_const(t, k.a(), 0).then_some(k.a()), |g| g.two(Op::Lshr, |g| g.c(0), |g| g.y())),
];

pub(super) const ASHR: &[Rule] =
    &[
        rule!(
            "x >>s c => sext(x[w-1:c])",
            |t, k| {
                let by = amount(t, k)?.unwrap_or(k.w() - 1);
                let high = t.extract(k.a(), k.w() - 1, by);
                Some(t.sext(high, k.w()))
            },
            |g| g.two(Op::Ashr, |g| g.x(), |g| g.amount())
        ),
        rule!("x >>s y, x nonnegative => x >> y", |t, k| nonnegative(t, k.a()).then(|| t.lshr(k.a(), k.b())), |g| g
            .two(Op::Ashr, |g| g.small(), |g| g.y())),
        rule!("-1 >>s y => -1", |t, k| is_const(t, k.a(), mask(k.w())).then_some(k.a()), |g| g.two(
            Op::Ashr,
            |g| g.ones(),
            |g| g.y()
        )),
    ];
