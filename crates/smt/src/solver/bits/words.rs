//! Arithmetic on words of literals, the least significant first: one circuit for each operator of the terms.

use super::gates::{Clauses, FALSE, Gates, Lit, TRUE};

pub(super) type Word = Vec<Lit>;

pub(super) fn constant(width: u32, value: u128) -> Word {
    (0..width).map(|i| if value >> i & 1 == 1 { TRUE } else { FALSE }).collect()
}

impl<C: Clauses> Gates<C> {
    pub(super) fn zip(&mut self, a: &[Lit], b: &[Lit], gate: impl Fn(&mut Self, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    /// `a + b + carry`, and the carry out.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Word, Lit) {
        let mut sum = Word::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    pub(super) fn negate(&mut self, a: &[Lit]) -> Word {
        let inverted: Word = a.iter().map(|l| -l).collect();
        let zero = vec![FALSE; a.len()];
        self.add(&inverted, &zero, TRUE).0
    }

    /// One of two words.
    pub(super) fn choose(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Word {
        self.zip(a, b, |gates, x, y| gates.mux(condition, x, y))
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = self.zip(a, b, Self::same);
        self.and_all(same)
    }

    /// `a < b`, unsigned: from the least significant bit up, the last difference decides.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(FALSE, |less, (&x, &y)| self.majority(-x, y, less))
    }

    pub(super) fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flipped = |word: &[Lit]| -> Word {
            let top = word.len() - 1;
            word.iter().enumerate().map(|(i, &l)| if i == top { -l } else { l }).collect()
        };
        self.less(&flipped(a), &flipped(b))
    }

    /// Shift and add; the terms have a constant factor second.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len();
        let mut product = vec![FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == FALSE {
                continue;
            }
            let row: Word = a[..width - shift].iter().map(|&x| self.and(x, bit)).collect();
            let (sum, _) = self.add(&product[shift..], &row, FALSE);
            product[shift..].copy_from_slice(&sum);
        }
        product
    }

    /// Quotient and remainder, unsigned, by restoring division; as SMT-LIB has it for a zero divisor: all ones, and the
    /// dividend.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        // Where the divisor has zeros at the top, so has every remainder.
        let used = b.iter().rposition(|&l| l != FALSE).map_or(1, |top| top + 1);
        let mut quotient = vec![FALSE; width];
        // One bit wider than the divisor, which the remainder may exceed before it is reduced.
        let divisor: Word = b[..used].iter().copied().chain([FALSE]).collect();
        let minus: Word = divisor.iter().map(|l| -l).collect();
        let mut remainder = vec![FALSE; used + 1];
        for i in (0..width).rev() {
            remainder.rotate_right(1);
            remainder[0] = a[i];
            // No borrow: it fits.
            let (difference, fits) = self.add(&remainder, &minus, TRUE);
            quotient[i] = fits;
            remainder = self.choose(fits, &difference, &remainder);
        }
        remainder.truncate(used);
        remainder.resize(width, FALSE);
        if used < width {
            let zero = vec![FALSE; used];
            let by_zero = self.equal(&b[..used], &zero);
            remainder = self.choose(by_zero, a, &remainder);
        }
        (quotient, remainder)
    }

    /// Towards zero; the remainder has the dividend's sign.
    pub(super) fn signed_divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let top = a.len() - 1;
        let (sign_a, sign_b) = (a[top], b[top]);
        let (minus_a, minus_b) = (self.negate(a), self.negate(b));
        let (size_a, size_b) = (self.choose(sign_a, &minus_a, a), self.choose(sign_b, &minus_b, b));
        let (quotient, remainder) = self.divide(&size_a, &size_b);
        let signs_differ = self.xor(sign_a, sign_b);
        let (minus_q, minus_r) = (self.negate(&quotient), self.negate(&remainder));
        let quotient = self.choose(signs_differ, &minus_q, &quotient);
        (quotient, self.choose(sign_a, &minus_r, &remainder))
    }

    /// Shifts towards the least significant end by a variable count; what comes in from the top is `fill`.
    pub(super) fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut oversize = FALSE;
        for (stage, &bit) in by.iter().enumerate() {
            if stage >= 31 || 1 << stage >= width {
                oversize = self.or(oversize, bit);
                continue;
            }
            let shifted: Word = (0..width).map(|i| word.get(i + (1 << stage)).copied().unwrap_or(fill)).collect();
            word = self.choose(bit, &shifted, &word);
        }
        let all_gone = vec![fill; width];
        self.choose(oversize, &all_gone, &word)
    }

    pub(super) fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let mut reversed: Word = a.iter().rev().copied().collect();
        reversed = self.shift_right(&reversed, by, FALSE);
        reversed.reverse();
        reversed
    }
}
