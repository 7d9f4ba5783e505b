//! Rules for slices: `concat`, `extract`, `sext`.
//!
//! Concatenations associate to the right, adjacent slices of one term are joined, and `extract` is pushed
//! towards the leaves where that exposes a slice. Thus a field read sees only the writes to its own bits.

use super::{Rule, rule};
use crate::pool::Terms;
use crate::term::{Key, Op, TermId};

/// Levels of bitwise operators looked through for something that takes in an `extract`.
const MAX_LOOK: u32 = 6;

/// Whether an `extract` of `t` becomes a smaller slice rather than just a nested one.
fn absorbs(terms: &Terms, t: TermId, look: u32) -> bool {
    let key = terms.key(t);
    match key.op {
        Op::Const | Op::Concat | Op::Extract | Op::Sext => true,
        Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul if look > 0 => {
            absorbs(terms, key.b(), look - 1) || absorbs(terms, key.a(), look - 1)
        }
        Op::Not | Op::Neg if look > 0 => absorbs(terms, key.a(), look - 1),
        Op::Ite => terms.is_const(key.b()) || terms.is_const(key.c()),
        _ => false,
    }
}

fn extract_concat(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if inner.op != Op::Concat {
        return None;
    }
    let split = t.width(inner.b());
    Some(if k.high() < split {
        t.extract(inner.b(), k.high(), k.low())
    } else if k.low() >= split {
        t.extract(inner.a(), k.high() - split, k.low() - split)
    } else {
        let high = t.extract(inner.a(), k.high() - split, 0);
        let low = t.extract(inner.b(), split - 1, k.low());
        t.concat(high, low)
    })
}

fn extract_sext(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if inner.op != Op::Sext {
        return None;
    }
    let from = t.width(inner.a());
    Some(if k.high() < from {
        t.extract(inner.a(), k.high(), k.low())
    } else {
        let low = k.low().min(from - 1);
        let top = t.extract(inner.a(), from - 1, low);
        t.sext(top, k.w())
    })
}

fn extract_bitwise(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if !matches!(inner.op, Op::And | Op::Or | Op::Xor | Op::Not) || !absorbs(t, k.a(), MAX_LOOK) || !t.may_distribute()
    {
        return None;
    }
    let a = t.extract(inner.a(), k.high(), k.low());
    if inner.op == Op::Not {
        return Some(t.not(a));
    }
    let b = t.extract(inner.b(), k.high(), k.low());
    Some(t.make(Key::new(inner.op, k.w(), &[a, b])))
}

/// Low bits of a sum or product depend on the low bits of the operands alone.
fn extract_sum(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if !matches!(inner.op, Op::Add | Op::Mul | Op::Neg)
        || k.high() + 1 == inner.w()
        || !absorbs(t, k.a(), MAX_LOOK)
        || !t.may_distribute()
    {
        return None;
    }
    let a = t.trunc(inner.a(), k.high() + 1);
    let sum = if inner.op == Op::Neg {
        t.neg(a)
    } else {
        let b = t.trunc(inner.b(), k.high() + 1);
        t.make(Key::new(inner.op, k.high() + 1, &[a, b]))
    };
    Some(t.extract(sum, k.high(), k.low()))
}

/// `x * 2^n` shifts; its slices are slices of `x`.
fn extract_scaled(t: &mut Terms, k: &Key) -> Option<TermId> {
    let inner = t.key(k.a());
    if inner.op != Op::Mul {
        return None;
    }
    let factor = t.as_const(inner.b())?;
    let n = factor.trailing_zeros();
    if !factor.is_power_of_two() || k.low() < n {
        return None;
    }
    Some(t.extract(inner.a(), k.high() - n, k.low() - n))
}

/// Two adjacent slices of one term as one slice; the high one may be sign-extended.
fn join(t: &mut Terms, high: TermId, low: TermId) -> Option<TermId> {
    let (h, l) = (t.key(high), t.key(low));
    if h.op == Op::Sext {
        let joined = join(t, h.a(), low)?;
        return Some(t.sext(joined, h.w() + l.w()));
    }
    if h.op == Op::Const && l.op == Op::Const {
        return Some(t.concat(high, low));
    }
    // A term is its own slice from bit 0, but then nothing lies above it.
    if h.op == Op::Extract && l.op == Op::Extract && h.a() == l.a() && h.low() == l.high() + 1 {
        return Some(t.extract(h.a(), h.high(), l.low()));
    }
    None
}

pub(super) const CONCAT: &[Rule] = &[
    rule!(
        "(x . y) . z => x . (y . z)",
        |t, k| {
            let high = t.key(k.a());
            if high.op != Op::Concat {
                return None;
            }
            let low = t.concat(high.b(), k.b());
            Some(t.concat(high.a(), low))
        },
        |g| g.two(Op::Concat, |g| g.fields(), |g| g.y())
    ),
    rule!("x[h:m+1] . x[m:l] => x[h:l], also under sext", |t, k| join(t, k.a(), k.b()), |g| {
        let (high, low) = g.adjacent();
        g.key(Op::Concat, &[high, low])
    }),
    rule!(
        "x[h:m+1] . (x[m:l] . y) => x[h:l] . y, c . (d . y) => (c . d) . y",
        |t, k| {
            let low = t.key(k.b());
            if low.op != Op::Concat {
                return None;
            }
            let high = join(t, k.a(), low.a())?;
            Some(t.concat(high, low.b()))
        },
        |g| {
            let (high, low) = g.adjacent();
            let y = g.y();
            let low = g.make(Op::Concat, &[low, y]);
            g.key(Op::Concat, &[high, low])
        }
    ),
    rule!(
        "sext(x[n-1]) . x => sext(x)",
        |t, k| {
            let high = t.key(k.a());
            if high.op != Op::Sext || t.width(high.a()) != 1 {
                return None;
            }
            let sign = t.sign(k.b());
            (sign == high.a()).then(|| t.sext(k.b(), k.w()))
        },
        |g| {
            let x = g.x();
            let sign = g.terms.sign(x);
            let high = g.terms.sext(sign, 4);
            g.key(Op::Concat, &[high, x])
        }
    ),
];

pub(super) const EXTRACT: &[Rule] = &[
    rule!("x[w-1:0] => x", |t, k| (k.w() == t.width(k.a())).then_some(k.a()), |g| {
        let x = g.x();
        Key::extract(x, g.width - 1, 0)
    }),
    rule!(
        "x[h:l][i:j] => x[l+i:l+j]",
        |t, k| {
            let inner = t.key(k.a());
            (inner.op == Op::Extract).then(|| {
                let low = inner.low();
                t.extract(inner.a(), k.high() + low, k.low() + low)
            })
        },
        |g| {
            let wide = g.wide();
            let inner = g.terms.extract(wide, g.width, 1);
            g.slice_of(inner)
        }
    ),
    rule!("(x . y)[h:l] => slices of x and y", extract_concat, |g| {
        let x = g.fields();
        g.slice_of(x)
    }),
    rule!("sext(x)[h:l] => slice of x, or sext of one", extract_sext, |g| {
        let x = g.sext_narrow();
        g.slice_of(x)
    }),
    rule!("(x op y)[h:l], op bitwise => x[h:l] op y[h:l]", extract_bitwise, |g| {
        let x = g.bitwise();
        g.slice_of(x)
    }),
    rule!("(x * 2^n)[h:l], l >= n => x[h-n:l-n]", extract_scaled, |g| {
        let x = g.scaled();
        g.slice_of(x)
    }),
    rule!("(x + y)[h:l], h < w-1 => (x[h:0] + y[h:0])[h:l]", extract_sum, |g| {
        let x = g.sum(2);
        g.slice_of(x)
    }),
    rule!(
        "(p ? x : c)[h:l] => p ? x[h:l] : c[h:l]",
        |t, k| {
            let inner = t.key(k.a());
            if inner.op != Op::Ite || !absorbs(t, k.a(), 0) || !t.may_distribute() {
                return None;
            }
            let then = t.extract(inner.b(), k.high(), k.low());
            let other = t.extract(inner.c(), k.high(), k.low());
            Some(t.ite(inner.a(), then, other))
        },
        |g| {
            let x = g.ite_const();
            g.slice_of(x)
        }
    ),
];

pub(super) const SEXT: &[Rule] = &[
    rule!(
        "sext(sext(x)) => sext(x)",
        |t, k| {
            let inner = t.key(k.a());
            (inner.op == Op::Sext).then(|| t.sext(inner.a(), k.w()))
        },
        |g| {
            let x = g.sext_narrow();
            g.extended(x)
        }
    ),
    rule!(
        "sext(x), sign known => 0 . x or ~0 . x",
        |t, k| {
            let from = t.width(k.a());
            let negative = t.facts(k.a()).sign(from)?;
            let high = k.w() - from;
            let high = if negative { t.ones(high) } else { t.zero(high) };
            Some(t.concat(high, k.a()))
        },
        |g| {
            let x = g.padded();
            g.extended(x)
        }
    ),
];
