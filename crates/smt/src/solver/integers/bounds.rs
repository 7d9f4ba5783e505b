//! Bounds of variables that a path condition states outright.

use rustc_hash::FxHashMap;

use super::number::range;
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Op, TermId};

/// What is known of a variable, read as a signed and as an unsigned number.
#[derive(Clone, Copy)]
struct Both {
    signed: (i128, i128),
    unsigned: (i128, i128),
    compared_signed: bool,
    compared_unsigned: bool,
}

/// The bounds of variables, of one of the two readings each.
pub(in crate::solver) fn of(terms: &Terms, assertions: &[TermId]) -> FxHashMap<TermId, (i128, i128)> {
    let mut known: FxHashMap<TermId, Both> = FxHashMap::default();
    let mut open: Vec<(TermId, bool)> = assertions.iter().map(|&a| (a, true)).collect();
    while let Some((t, holds)) = open.pop() {
        let key = terms.key(t);
        match key.op {
            Op::Not => open.push((key.a(), !holds)),
            Op::And if holds && key.w() == 1 => open.extend([(key.a(), true), (key.b(), true)]),
            Op::Or if !holds && key.w() == 1 => open.extend([(key.a(), false), (key.b(), false)]),
            Op::Extract if key.w() == 1 && key.low() + 1 == terms.width(key.a()) => {
                let width = terms.width(key.a());
                let bound = if holds { (i128::MIN, -1) } else { (0, i128::MAX) };
                learn(terms, &mut known, key.a(), width, true, bound);
            }
            Op::Slt | Op::Ult => compared(terms, &mut known, t, holds),
            _ => {}
        }
    }
    known.into_iter().map(|(t, both)| (t, both.reading())).collect()
}

fn compared(terms: &Terms, known: &mut FxHashMap<TermId, Both>, t: TermId, holds: bool) {
    let key = terms.key(t);
    let (a, b, is_signed) = (key.a(), key.b(), key.op == Op::Slt);
    let width = terms.width(a);
    if width > 64 {
        return;
    }
    let number = |value: u128| if is_signed { signed(value, width) } else { value.cast_signed() };
    let (least, most) = range(width, is_signed);
    match (terms.as_const(a), terms.as_const(b)) {
        (None, Some(value)) => {
            let value = number(value);
            learn(terms, known, a, width, is_signed, if holds { (least, value - 1) } else { (value, most) });
        }
        (Some(value), None) => {
            let value = number(value);
            learn(terms, known, b, width, is_signed, if holds { (value + 1, most) } else { (least, value) });
        }
        _ => {}
    }
}

fn learn(
    terms: &Terms,
    known: &mut FxHashMap<TermId, Both>,
    t: TermId,
    width: u32,
    is_signed: bool,
    (low, high): (i128, i128),
) {
    if terms.op(t) != Op::Var || width > 64 {
        return;
    }
    let both = known.entry(t).or_insert_with(|| Both {
        signed: range(width, true),
        unsigned: range(width, false),
        compared_signed: false,
        compared_unsigned: false,
    });
    let (side, compared) = if is_signed {
        (&mut both.signed, &mut both.compared_signed)
    } else {
        (&mut both.unsigned, &mut both.compared_unsigned)
    };
    *side = (side.0.max(low), side.1.min(high));
    *compared = true;
    // A number that is no negative one is the same in both readings.
    let most = range(width, true).1;
    if both.signed.0 >= 0 || both.unsigned.1 <= most {
        let common = (both.signed.0.max(both.unsigned.0).max(0), both.signed.1.min(both.unsigned.1));
        (both.signed, both.unsigned) = (common, common);
    }
}

impl Both {
    fn reading(&self) -> (i128, i128) {
        if self.compared_signed || !self.compared_unsigned { self.signed } else { self.unsigned }
    }
}
