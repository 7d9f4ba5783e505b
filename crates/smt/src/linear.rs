//! Sums as linear combinations modulo 2^w.
//!
//! Address arithmetic is sums of scaled indices; their canonical form makes differences of addresses into one
//! object cancel to constants. Canonical: monomials in the order of their atoms' ids, left-associated, the
//! constant last; coefficient 1 is bare, -1 is `Neg`, others are `Mul` by a constant.

use smallvec::SmallVec;

use crate::facts;
use crate::pool::Terms;
use crate::term::{Key, Op, TermId, mask};

/// Sums with more monomials stay as they were built, so that a long accumulation costs linear time.
const MAX_MONOMIALS: usize = 12;

/// Nodes visited before a sum counts as too long.
const MAX_VISITS: usize = 64;

/// `constant` plus the sum of coefficient times atom, all modulo 2^`width`.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    width: u32,
    /// Ordered by atom, coefficients non-zero.
    monomials: SmallVec<[(TermId, u128); MAX_MONOMIALS]>,
    constant: u128,
}

/// Whether `op` builds sums, so that an operand of this kind may have monomials of its own.
pub(crate) fn is_linear(op: Op) -> bool {
    matches!(op, Op::Add | Op::Neg | Op::Mul)
}

impl Linear {
    pub(crate) fn constant_only(width: u32) -> Linear {
        Linear { width, monomials: SmallVec::new(), constant: 0 }
    }

    /// The combination that `t` is; `None` if it is too long.
    pub(crate) fn of_term(terms: &Terms, t: TermId) -> Option<Linear> {
        let mut sum = Linear::constant_only(terms.width(t));
        sum.gather(terms, t, 1)?;
        Some(sum)
    }

    /// The combination that an `Add`, `Neg` or `Mul` node is.
    pub(crate) fn of_key(terms: &Terms, key: &Key) -> Option<Linear> {
        let mut sum = Linear::constant_only(key.w());
        match key.op {
            Op::Add => {
                sum.gather(terms, key.a(), 1)?;
                sum.gather(terms, key.b(), 1)?;
            }
            Op::Neg => sum.gather(terms, key.a(), mask(key.w()))?,
            Op::Mul => sum.gather(terms, key.a(), terms.as_const(key.b())?)?,
            _ => return None,
        }
        Some(sum)
    }

    /// Adds `scale * t`.
    pub(crate) fn gather(&mut self, terms: &Terms, t: TermId, scale: u128) -> Option<()> {
        let all = mask(self.width);
        let mut work: SmallVec<[(TermId, u128); 16]> = SmallVec::new();
        work.push((t, scale & all));
        let mut visits = 0;
        while let Some((t, scale)) = work.pop() {
            visits += 1;
            if visits > MAX_VISITS {
                return None;
            }
            let key = terms.key(t);
            match key.op {
                Op::Const => {
                    let value = key.value().unwrap_or_default();
                    self.constant = self.constant.wrapping_add(value.wrapping_mul(scale)) & all;
                }
                Op::Add => work.extend([(key.a(), scale), (key.b(), scale)]),
                Op::Neg => work.push((key.a(), scale.wrapping_neg() & all)),
                Op::Mul if terms.is_const(key.b()) => {
                    let factor = terms.as_const(key.b()).unwrap_or_default();
                    work.push((key.a(), scale.wrapping_mul(factor) & all));
                }
                _ => self.add_monomial(t, scale)?,
            }
        }
        Some(())
    }

    fn add_monomial(&mut self, atom: TermId, scale: u128) -> Option<()> {
        match self.monomials.binary_search_by_key(&atom, |m| m.0) {
            Ok(at) => {
                let sum = self.monomials[at].1.wrapping_add(scale) & mask(self.width);
                if sum == 0 {
                    self.monomials.remove(at);
                } else {
                    self.monomials[at].1 = sum;
                }
            }
            Err(at) if scale != 0 => {
                if self.monomials.len() == MAX_MONOMIALS {
                    return None;
                }
                self.monomials.insert(at, (atom, scale));
            }
            Err(_) => {}
        }
        Some(())
    }

    pub(crate) fn monomials(&self) -> &[(TermId, u128)] {
        &self.monomials
    }

    pub(crate) fn constant(&self) -> u128 {
        self.constant
    }

    /// Splits `self = 0` into `left = right`, neither side having a negative coefficient.
    ///
    /// The sign is chosen by the first monomial, so that `a = b` and `b = a` agree.
    pub(crate) fn split(mut self) -> (Linear, Linear) {
        let all = mask(self.width);
        let negative = |c: u128| c > all / 2;
        if self.monomials.first().is_some_and(|m| negative(m.1)) {
            for monomial in &mut self.monomials {
                monomial.1 = monomial.1.wrapping_neg() & all;
            }
            self.constant = self.constant.wrapping_neg() & all;
        }
        let mut left = Linear::constant_only(self.width);
        let mut right = Linear::constant_only(self.width);
        for &(atom, coefficient) in &self.monomials {
            if negative(coefficient) {
                right.monomials.push((atom, coefficient.wrapping_neg() & all));
            } else {
                left.monomials.push((atom, coefficient));
            }
        }
        right.constant = self.constant.wrapping_neg() & all;
        (left, right)
    }

    /// The canonical term.
    pub(crate) fn build(&self, terms: &mut Terms) -> TermId {
        let mut sum = None;
        for &(atom, coefficient) in &self.monomials {
            let monomial = self.monomial(terms, atom, coefficient);
            sum = Some(match sum {
                None => monomial,
                Some(sum) => finish(terms, Key::new(Op::Add, self.width, &[sum, monomial])),
            });
        }
        let Some(sum) = sum else {
            return terms.bv(self.width, self.constant);
        };
        if self.constant == 0 {
            return sum;
        }
        let constant = terms.bv(self.width, self.constant);
        finish(terms, Key::new(Op::Add, self.width, &[sum, constant]))
    }

    fn monomial(&self, terms: &mut Terms, atom: TermId, coefficient: u128) -> TermId {
        if coefficient == 1 {
            atom
        } else if coefficient == mask(self.width) {
            finish(terms, Key::new(Op::Neg, self.width, &[atom]))
        } else {
            let factor = terms.bv(self.width, coefficient);
            finish(terms, Key::new(Op::Mul, self.width, &[atom, factor]))
        }
    }
}

/// Stores a node that is canonical by construction, or the constant that its facts leave.
fn finish(terms: &mut Terms, key: Key) -> TermId {
    match facts::of_key(terms, &key).value() {
        Some(value) => terms.bv(key.w(), value),
        None => terms.intern(key),
    }
}
