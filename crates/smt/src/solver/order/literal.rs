//! Conjuncts as difference constraints.

use super::Reading;
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Op, TermId, mask};

/// Wider terms are left to the solver: their sums would not fit an `i128`.
const MAX_WIDTH: u32 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// `x - y <= bound`.
    AtMost,
    /// `x - y = bound`.
    Equal,
    /// `x - y != bound`.
    Differ,
}

/// One constraint between two operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) relation: Relation,
    pub(super) x: Side,
    pub(super) y: Side,
    pub(super) bound: i128,
    /// Whether the operands are read as signed numbers.
    pub(super) signed: bool,
    /// Follows from a comparison of the other signedness.
    pub(super) derived: bool,
}

/// `reading + offset`, or a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) reading: Option<Reading>,
    pub(super) offset: i128,
    /// Where the sum may wrap around.
    pub(super) needs: Option<Needs>,
}

/// The sum of a reading and an offset does not wrap around where the reading lies within these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) least: i128,
    pub(super) most: i128,
    /// What it is off by where it does.
    pub(super) modulus: i128,
}

/// The constraints that a conjunct consists of, or implies.
pub(super) fn of(terms: &Terms, assertion: TermId) -> Vec<Literal> {
    let mut literals = Vec::new();
    let mut work = vec![assertion];
    while let Some(t) = work.pop() {
        let key = terms.key(t);
        match key.op {
            Op::And if key.w() == 1 => work.extend([key.b(), key.a()]),
            Op::Not => {
                let inner = terms.key(key.a());
                match inner.op {
                    Op::Eq => equality(terms, Relation::Differ, inner.a(), inner.b(), &mut literals),
                    // not (a < b)  <=>  b - a <= 0
                    Op::Ult | Op::Slt => {
                        let signed = inner.op == Op::Slt;
                        comparison(terms, signed, [Some(inner.b()), Some(inner.a())], 0, &mut literals);
                    }
                    _ if is_sign(terms, key.a()) => {
                        comparison(terms, true, [None, Some(inner.a())], 0, &mut literals);
                    }
                    _ => {}
                }
            }
            Op::Eq => equality(terms, Relation::Equal, key.a(), key.b(), &mut literals),
            Op::Ult | Op::Slt => {
                comparison(terms, key.op == Op::Slt, [Some(key.a()), Some(key.b())], -1, &mut literals);
            }
            _ if is_sign(terms, t) => comparison(terms, true, [Some(key.a()), None], -1, &mut literals),
            _ => {}
        }
    }
    literals
}

fn equality(terms: &Terms, relation: Relation, a: TermId, b: TermId, literals: &mut Vec<Literal>) {
    for signed in [false, true] {
        if let (Some(x), Some(y)) = (side(terms, a, signed), side(terms, b, signed)) {
            literals.push(Literal { relation, x, y, bound: 0, signed, derived: false });
        }
    }
}

/// Whether `t` is the sign of its operand.
fn is_sign(terms: &Terms, t: TermId) -> bool {
    let key = terms.key(t);
    key.op == Op::Extract && key.w() == 1 && key.low() + 1 == terms.width(key.a())
}

/// `a - b <= bound`, which is 0 or -1; what is `None` is zero.
fn comparison(terms: &Terms, signed: bool, [a, b]: [Option<TermId>; 2], bound: i128, literals: &mut Vec<Literal>) {
    let constant = |value: i128| Side { reading: None, offset: value, needs: None };
    let operand = |t: Option<TermId>, signed| t.map_or_else(|| Some(constant(0)), |t| side(terms, t, signed));
    let (Some(x), Some(y), Some(width)) = (operand(a, signed), operand(b, signed), a.or(b).map(|t| terms.width(t)))
    else {
        return;
    };
    let relation = Relation::AtMost;
    literals.push(Literal { relation, x, y, bound, signed, derived: false });
    let half = 1i128 << (width - 1);
    let mut derive = |x, y, bound| literals.push(Literal { relation, x, y, bound, signed: !signed, derived: true });
    let reread = |t| operand(t, !signed);
    match (signed, x.reading, y.reading) {
        // a <u c where c is no more than the least negative number: 0 <=s a <s c
        (false, Some(_), None) if y.offset + bound < half => {
            if let Some(x) = reread(a) {
                derive(x, y, bound);
                derive(constant(0), x, 0);
            }
        }
        // c <u b where c is negative: b <s 0, and in that half the orders agree
        (false, None, Some(_)) if x.offset - bound >= half => {
            if let Some(y) = reread(b) {
                derive(constant(x.offset - 2 * half), y, bound);
                derive(y, constant(-1), 0);
            }
        }
        // 0 <=s b: b <=u the greatest positive number
        (true, None, Some(_)) if x.offset - bound >= 0 => {
            if let Some(y) = reread(b) {
                derive(x, y, bound);
                derive(y, constant(half - 1), 0);
            }
        }
        // a <s 0
        (true, Some(_), None) if y.offset + bound < 0 => {
            if let Some(x) = reread(a) {
                derive(x, constant(y.offset + 2 * half), bound);
                derive(constant(half), x, 0);
            }
        }
        _ => {}
    }
}

/// `t` as a reading and a constant.
fn side(terms: &Terms, t: TermId, signed_reading: bool) -> Option<Side> {
    let width = terms.width(t);
    if width > MAX_WIDTH {
        return None;
    }
    if let Some(value) = terms.as_const(t) {
        let offset = if signed_reading { signed(value, width) } else { value as i128 };
        return Some(Side { reading: None, offset, needs: None });
    }
    let key = terms.key(t);
    if key.op == Op::Add
        && let Some(constant) = terms.as_const(key.b())
    {
        return sum(terms, key.a(), constant, signed_reading);
    }
    let (reading, offset) = read(terms, t, signed_reading);
    Some(Side { reading: Some(reading), offset, needs: None })
}

/// `a + constant`. Whether it may wrap around is said.
fn sum(terms: &Terms, a: TermId, constant: u128, signed_reading: bool) -> Option<Side> {
    let width = terms.width(a);
    let added = signed(constant, width);
    let (reading, offset) = read(terms, a, signed_reading);
    let (min, max) =
        if signed_reading { (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1) } else { (0, mask(width) as i128) };
    // reading + offset + added must lie within [min, max].
    let (least, most) = (min - offset - added, max - offset - added);
    let needs = Needs { least, most, modulus: 1i128 << width };
    let (lo, hi) = reading.range(terms);
    let fits = least <= lo && hi <= most;
    Some(Side { reading: Some(reading), offset: offset + added, needs: (!fits).then_some(needs) })
}

/// The integer that a term other than a constant is: what it extends, or itself, and what that is off by.
fn read(terms: &Terms, mut term: TermId, mut signed: bool) -> (Reading, i128) {
    loop {
        let key = terms.key(term);
        let zero_extends = key.op == Op::Concat && terms.as_const(key.a()) == Some(0);
        if zero_extends {
            (term, signed) = (key.b(), false);
        } else if signed && key.op == Op::Sext {
            term = key.a();
        } else {
            break;
        }
    }
    let width = terms.width(term);
    match terms.facts(term).sign(width) {
        Some(false) => (Reading { term, signed: false }, 0),
        Some(true) if signed => (Reading { term, signed: false }, -(1i128 << width)),
        _ => (Reading { term, signed }, 0),
    }
}
