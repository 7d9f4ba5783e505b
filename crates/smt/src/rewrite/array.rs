//! Rules for arrays of bytes.

use super::bool::choose;
use super::{Rule, rule};
use crate::pool::Terms;
use crate::term::{Key, Op, TermId};

/// Stores looked through for one that a new store overwrites.
const MAX_OVERWRITTEN: usize = 32;

/// Whether two indices are equal under every assignment, or under none.
fn compare(t: &mut Terms, i: TermId, j: TermId) -> Option<bool> {
    if let (Some(a), Some(b)) = (t.as_const(i), t.as_const(j)) {
        return Some(a == b);
    }
    let eq = t.eq(i, j);
    t.as_const(eq).map(|v| v == 1)
}

/// Reads through stores whose index is known to be the one read or known not to be.
fn read_through(t: &mut Terms, k: &Key) -> Option<TermId> {
    let mut array = k.a();
    loop {
        let key = t.key(array);
        match key.op {
            Op::Store => match compare(t, key.b(), k.b()) {
                Some(true) => return Some(key.c()),
                Some(false) => array = key.a(),
                None => break,
            },
            Op::ConstArray => return Some(key.a()),
            _ => break,
        }
    }
    (array != k.a()).then(|| t.select(array, k.b()))
}

/// Drops an earlier store to the same index. Sound whatever the stores between: this one comes last.
fn drop_overwritten(t: &mut Terms, k: &Key) -> Option<TermId> {
    let mut above = Vec::new();
    let mut array = k.a();
    loop {
        let key = t.key(array);
        if key.op != Op::Store || above.len() == MAX_OVERWRITTEN {
            return None;
        }
        if key.b() == k.b() {
            array = key.a();
            break;
        }
        above.push((key.b(), key.c()));
        array = key.a();
    }
    for (index, byte) in above.into_iter().rev() {
        array = t.store(array, index, byte);
    }
    Some(t.store(array, k.b(), k.c()))
}

pub(super) const SELECT: &[Rule] = &[
    rule!("store(a, i, v)[j] => v or a[j], by i == j", read_through, |g| g.two(
        Op::Select,
        |g| g.stores(2),
        |g| g.index()
    )),
    rule!(
        "(p ? a : b)[i] => p ? a[i] : b[i]",
        |t, k| {
            let array = t.key(k.a());
            if array.op != Op::IteArray {
                return None;
            }
            let (then, other) = (t.select(array.b(), k.b()), t.select(array.c(), k.b()));
            Some(t.ite(array.a(), then, other))
        },
        |g| g.two(Op::Select, |g| g.ite_array(), |g| g.index())
    ),
];

pub(super) const STORE: &[Rule] = &[
    rule!("store(store(a, i, u), i, v) => store(a, i, v)", drop_overwritten, |g| g.three(
        Op::Store,
        |g| g.stores(3),
        |g| g.index(),
        |g| g.byte()
    )),
    rule!(
        "store(a, i, a[i]) => a",
        |t, k| {
            let read = t.key(k.c());
            (read.op == Op::Select && read.a() == k.a() && read.b() == k.b()).then_some(k.a())
        },
        |g| {
            let (array, i) = (g.array(), g.index());
            let read = g.make(Op::Select, &[array, i]);
            g.key(Op::Store, &[array, i, read])
        }
    ),
    rule!(
        "store(every v, i, v) => every v",
        |t, k| {
            let array = t.key(k.a());
            (array.op == Op::ConstArray && array.a() == k.c()).then_some(k.a())
        },
        |g| {
            let v = g.byte();
            let (array, i) = (g.make(Op::ConstArray, &[v]), g.index());
            g.key(Op::Store, &[array, i, v])
        }
    ),
];

pub(super) const ITE: &[Rule] = &[
    rule!("true ? a : b => a, false ? a : b => b", |t, k| choose(t, k), |g| g.three(
        Op::IteArray,
        |g| g.bit(),
        |g| g.array(),
        |g| g.stores(1)
    )),
    rule!("p ? a : a => a", |_, k| (k.b() == k.c()).then_some(k.b()), |g| {
        let (p, array) = (g.p(), g.array());
        g.key(Op::IteArray, &[p, array, array])
    }),
];
