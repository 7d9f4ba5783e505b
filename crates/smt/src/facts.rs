//! What is known of a term's value whatever the variables: constant bits and an unsigned range.
//!
//! The two domains refine each other ([`Facts::reduce`]). Transfer functions are sound for every assignment,
//! uninitialised variables included; they need not be exact.

use crate::pool::Terms;
use crate::semantics::{self, signed};
use crate::term::{Key, Op, TermId, mask};

/// Bits known to be zero or one, and the inclusive unsigned range.
///
/// Invariant: `zeros & ones == 0`, `lo <= hi`, `ones <= lo`, `hi <= !zeros` within the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    pub zeros: u128,
    pub ones: u128,
    pub lo: u128,
    pub hi: u128,
}

impl Facts {
    pub(crate) fn top(width: u32) -> Facts {
        Facts { zeros: 0, ones: 0, lo: 0, hi: mask(width) }
    }

    pub(crate) fn exact(width: u32, value: u128) -> Facts {
        Facts { zeros: !value & mask(width), ones: value, lo: value, hi: value }
    }

    pub(crate) fn range(width: u32, lo: u128, hi: u128) -> Facts {
        Facts { lo, hi, ..Facts::top(width) }.reduce(width)
    }

    pub(crate) fn bits(width: u32, zeros: u128, ones: u128) -> Facts {
        Facts { zeros: zeros & mask(width), ones: ones & mask(width), ..Facts::top(width) }.reduce(width)
    }

    /// The value, if only one is left.
    pub fn value(&self) -> Option<u128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Lets the range and the bits refine each other.
    fn reduce(mut self, width: u32) -> Facts {
        let all = mask(width);
        // Bits above the highest difference of the bounds are common to the whole range.
        let differing = self.lo ^ self.hi;
        let common = all & !mask(128 - differing.leading_zeros());
        self.ones |= self.lo & common;
        self.zeros |= !self.lo & common;
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(all & !self.zeros);
        if self.lo == self.hi {
            return Facts::exact(width, self.lo);
        }
        self
    }

    /// Both at once. Each describes the same non-empty set of values, so they cannot contradict each other.
    fn meet(self, other: Facts, width: u32) -> Facts {
        let met = Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        };
        debug_assert!(met.zeros & met.ones == 0 && met.lo <= met.hi);
        met.reduce(width)
    }

    /// What holds if both do; `None` if nothing can.
    pub(crate) fn intersection(self, other: Facts, width: u32) -> Option<Facts> {
        let met = Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        };
        if met.zeros & met.ones != 0 || met.lo > met.hi {
            return None;
        }
        let lo = met.lo.max(met.ones);
        let hi = met.hi.min(mask(width) & !met.zeros);
        (lo <= hi).then(|| Facts { lo, hi, ..met }.reduce_checked(width)).flatten()
    }

    /// As [`Facts::reduce`], for what may be contradictory.
    fn reduce_checked(self, width: u32) -> Option<Facts> {
        let reduced = self.reduce(width);
        (reduced.zeros & reduced.ones == 0 && reduced.lo <= reduced.hi).then_some(reduced)
    }

    fn join(self, other: Facts, width: u32) -> Facts {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
        .reduce(width)
    }

    /// Whether no value satisfies both.
    pub(crate) fn disjoint(&self, other: &Facts) -> bool {
        self.lo > other.hi || other.lo > self.hi || self.zeros & other.ones != 0 || self.ones & other.zeros != 0
    }

    pub(crate) fn sign(&self, width: u32) -> Option<bool> {
        let bit = 1 << (width - 1);
        if self.zeros & bit != 0 {
            Some(false)
        } else if self.ones & bit != 0 {
            Some(true)
        } else {
            None
        }
    }

    /// The signed range, inclusive.
    pub(crate) fn signed_range(&self, width: u32) -> (i128, i128) {
        match self.sign(width) {
            Some(_) => (signed(self.lo, width), signed(self.hi, width)),
            None => {
                let min = 1u128 << (width - 1);
                (signed(min, width), signed(min - 1, width))
            }
        }
    }

    /// How many low bits are known zeros.
    fn trailing_zeros(&self, width: u32) -> u32 {
        (!self.zeros).trailing_zeros().min(width)
    }
}

/// The facts of a node, from those of its operands.
pub(crate) fn of_key(terms: &Terms, key: &Key) -> Facts {
    of_operands(terms, key, |t| terms.facts(t))
}

/// The facts of a node whose operands are known better than by themselves.
pub(crate) fn of_operands(terms: &Terms, key: &Key, f: impl Fn(TermId) -> Facts) -> Facts {
    let w = key.w();
    match key.op {
        Op::Const => Facts::exact(w, key.value().unwrap_or_default()),
        Op::Var | Op::Select | Op::Eq | Op::Ult | Op::Slt => Facts::top(w),
        Op::ArrayVar | Op::ConstArray | Op::Store | Op::IteArray => Facts::top(w),
        Op::Float1 | Op::Float2 | Op::Float3 => Facts::top(w),
        Op::Not => not(f(key.a()), w),
        Op::Neg => neg(f(key.a()), w),
        Op::And => and(f(key.a()), f(key.b()), w),
        Op::Or => or(f(key.a()), f(key.b()), w),
        Op::Xor => xor(f(key.a()), f(key.b()), w),
        Op::Add => sum(terms, key, f),
        Op::Mul => mul(f(key.a()), f(key.b()), w),
        Op::Udiv => udiv(f(key.a()), f(key.b()), w),
        Op::Urem => urem(f(key.a()), f(key.b()), w),
        Op::Sdiv | Op::Srem => signed_division(key.op, f(key.a()), f(key.b()), w),
        Op::Shl => shl(f(key.a()), f(key.b()), w),
        Op::Lshr => lshr(f(key.a()), f(key.b()), w),
        Op::Ashr => ashr(f(key.a()), f(key.b()), w),
        Op::Ite => f(key.b()).join(f(key.c()), w),
        Op::Concat => concat(f(key.a()), f(key.b()), w, terms.width(key.b())),
        Op::Extract => extract(f(key.a()), key),
        Op::Sext => sext(f(key.a()), terms.width(key.a()), w),
    }
}

fn not(a: Facts, w: u32) -> Facts {
    let all = mask(w);
    Facts { zeros: a.ones, ones: a.zeros, lo: all - a.hi, hi: all - a.lo }
}

fn neg(a: Facts, w: u32) -> Facts {
    let zeros = Facts::bits(w, mask(a.trailing_zeros(w)), 0);
    if a.lo == 0 {
        return zeros;
    }
    let minus = |v: u128| semantics::unary(Op::Neg, w, v);
    zeros.meet(Facts::range(w, minus(a.hi), minus(a.lo)), w)
}

fn and(a: Facts, b: Facts, w: u32) -> Facts {
    let bits = Facts::bits(w, a.zeros | b.zeros, a.ones & b.ones);
    bits.meet(Facts::range(w, 0, a.hi.min(b.hi)), w)
}

fn or(a: Facts, b: Facts, w: u32) -> Facts {
    let bits = Facts::bits(w, a.zeros & b.zeros, a.ones | b.ones);
    bits.meet(Facts::range(w, a.lo.max(b.lo), mask(w)), w)
}

fn xor(a: Facts, b: Facts, w: u32) -> Facts {
    Facts::bits(w, (a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros))
}

/// Facts of `x + y`; `x - y`, stored as `x + -y`, is recognised for a better range.
fn sum(terms: &Terms, key: &Key, f: impl Fn(TermId) -> Facts) -> Facts {
    let w = key.w();
    for (x, y) in [(key.a(), key.b()), (key.b(), key.a())] {
        let minus = terms.key(y);
        if minus.op == Op::Neg {
            let (a, b) = (f(x), f(minus.a()));
            if a.lo >= b.hi {
                let bits = add(a, f(y), w);
                return bits.meet(Facts::range(w, a.lo - b.hi, a.hi - b.lo), w);
            }
        }
    }
    add(f(key.a()), f(key.b()), w)
}

fn add(a: Facts, b: Facts, w: u32) -> Facts {
    let all = mask(w);
    // The least and the greatest sum differ from every other only where a carry may differ
    // (LLVM's `KnownBits::computeForAddCarry`).
    let most = (all & !a.zeros).wrapping_add(all & !b.zeros);
    let least = a.ones.wrapping_add(b.ones);
    let carry_zero = !(most ^ a.zeros ^ b.zeros);
    let carry_one = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zero | carry_one) & all;
    let bits = Facts::bits(w, !most & known, least & known);
    let (lo, lo_over) = wrapping_sum(a.lo, b.lo, w);
    let (hi, hi_over) = wrapping_sum(a.hi, b.hi, w);
    if lo_over == hi_over { bits.meet(Facts::range(w, lo, hi), w) } else { bits }
}

fn wrapping_sum(a: u128, b: u128, w: u32) -> (u128, bool) {
    let (sum, over) = a.overflowing_add(b);
    (sum & mask(w), over || sum > mask(w))
}

fn mul(a: Facts, b: Facts, w: u32) -> Facts {
    let zeros = (a.trailing_zeros(w) + b.trailing_zeros(w)).min(w);
    let known = |x: Facts| (!(x.zeros | x.ones)).trailing_zeros().min(w);
    // The low bits of a product depend on the low bits of the factors alone.
    let low = mask(known(a).min(known(b)));
    let product = a.ones.wrapping_mul(b.ones) & low;
    let bits = Facts::bits(w, mask(zeros) | (low & !product), product);
    match a.hi.checked_mul(b.hi) {
        Some(hi) if hi <= mask(w) => bits.meet(Facts::range(w, a.lo * b.lo, hi), w),
        _ => bits,
    }
}

fn udiv(a: Facts, b: Facts, w: u32) -> Facts {
    if b.lo == 0 {
        return Facts::top(w);
    }
    Facts::range(w, a.lo / b.hi, a.hi / b.lo)
}

fn urem(a: Facts, b: Facts, w: u32) -> Facts {
    // With a zero divisor the result is the dividend.
    let hi = if b.lo == 0 { a.hi } else { a.hi.min(b.hi - 1) };
    Facts::range(w, 0, hi)
}

fn signed_division(op: Op, a: Facts, b: Facts, w: u32) -> Facts {
    match (op, a.sign(w), b.sign(w)) {
        // The rewriter turns these into their unsigned forms.
        (Op::Sdiv, Some(false), Some(false)) => udiv(a, b, w),
        (Op::Srem, Some(false), _) => Facts::range(w, 0, a.hi),
        _ => Facts::top(w),
    }
}

fn shl(a: Facts, b: Facts, w: u32) -> Facts {
    if b.lo >= u128::from(w) || a.hi == 0 {
        return Facts::exact(w, 0);
    }
    let zeros = a.trailing_zeros(w) + b.lo as u32;
    let bits = Facts::bits(w, mask(zeros.min(w)), 0);
    let spare = a.hi.leading_zeros() - (128 - w);
    if b.hi <= u128::from(spare) { bits.meet(Facts::range(w, a.lo << b.lo, a.hi << b.hi), w) } else { bits }
}

fn lshr(a: Facts, b: Facts, w: u32) -> Facts {
    let shift = |v: u128, by: u128| semantics::binary(Op::Lshr, w, v, by);
    Facts::range(w, shift(a.lo, b.hi), shift(a.hi, b.lo))
}

fn ashr(a: Facts, b: Facts, w: u32) -> Facts {
    let shift = |v: u128, by: u128| semantics::binary(Op::Ashr, w, v, by);
    match a.sign(w) {
        Some(false) => Facts::range(w, shift(a.lo, b.hi), shift(a.hi, b.lo)),
        Some(true) => Facts::range(w, shift(a.lo, b.lo), shift(a.hi, b.hi)),
        None => Facts::top(w),
    }
}

fn concat(high: Facts, low: Facts, w: u32, low_width: u32) -> Facts {
    let join = |h, l| semantics::concat(h, l, low_width);
    Facts {
        zeros: join(high.zeros, low.zeros),
        ones: join(high.ones, low.ones),
        lo: join(high.lo, low.lo),
        hi: join(high.hi, low.hi),
    }
    .reduce(w)
}

fn extract(a: Facts, key: &Key) -> Facts {
    let (w, low) = (key.w(), key.low());
    let cut = |v| semantics::extract(v, w, low);
    let bits = Facts::bits(w, cut(a.zeros), cut(a.ones));
    // The range survives if the bits cut off at the top are the same at both ends.
    let top = low + w;
    if top >= 128 || (a.lo >> top) == (a.hi >> top) {
        bits.meet(Facts::range(w, cut(a.lo), cut(a.hi)), w)
    } else {
        bits
    }
}

fn sext(a: Facts, from: u32, w: u32) -> Facts {
    let extend = |v| semantics::sext(v, from, w);
    let bits = Facts::bits(w, extend(a.zeros), extend(a.ones));
    match a.sign(from) {
        Some(_) => bits.meet(Facts::range(w, extend(a.lo), extend(a.hi)), w),
        None => bits,
    }
}
