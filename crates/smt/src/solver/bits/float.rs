//! Floating-point operators as circuits (IEEE 754-2019, section 4.3.1: ties to even).
//!
//! A number is taken apart into sign, exponent and a significand whose highest bit is set, subnormal ones too; operators
//! compute a result that is exact but for one last bit, which says whether anything was lost; one circuit rounds.

use super::gates::{Clauses, FALSE, Gates, Lit, TRUE};
use super::words::{Word, constant};
use crate::float::{FloatOp, Format};

/// A number's parts. Where it is zero its significand is, and its exponent means nothing; the significand of an infinity
/// or a NaN means nothing.
struct Parts {
    nan: Lit,
    infinite: Lit,
    zero: Lit,
    sign: Lit,
    /// Of the highest bit of the significand, as two's complement.
    exponent: Word,
    significand: Word,
}

/// A result before it is rounded: the significand's highest bit is set unless it is zero.
struct Exact {
    sign: Lit,
    exponent: Word,
    significand: Word,
}

/// The bits of exponents while one computes: sums of a few, and shifts.
fn room(format: Format) -> usize {
    format.exponent + 4
}

fn number(width: usize, value: i64) -> Word {
    constant(width as u32, value as u128)
}

/// A word of another length, as two's complement.
fn resized(word: &[Lit], width: usize) -> Word {
    let sign = word.last().copied().unwrap_or(FALSE);
    word.iter().copied().chain(std::iter::repeat(sign)).take(width).collect()
}

/// A significand with zeros below, to be at least so long.
fn padded(word: &[Lit], width: usize) -> Word {
    let zeros = width.saturating_sub(word.len());
    std::iter::repeat_n(FALSE, zeros).chain(word.iter().copied()).collect()
}

impl<C: Clauses> Gates<C> {
    /// The result of an operator, of `to` bits.
    pub(super) fn float(&mut self, op: FloatOp, to: u32, args: &[Word]) -> Word {
        let from = args[0].len() as u32;
        if op == FloatOp::FromSigned {
            return self.of_signed(&args[0], Format::of(to));
        }
        let format = Format::of(from);
        let parts: Vec<Parts> = args.iter().map(|word| self.parts(word, format)).collect();
        match op {
            FloatOp::ToSigned => return self.signed_integer(&parts[0], to as usize),
            FloatOp::Resize => return self.resize(&args[0], &parts[0], format, Format::of(to)),
            FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal => {
                return vec![self.compare_numbers(op, &parts, [&args[0], &args[1]])];
            }
            _ => {}
        }
        let (result, invalid) = match (op, parts.as_slice()) {
            (FloatOp::Add, [a, b]) => self.sum(a, b, format, FALSE),
            (FloatOp::Sub, [a, b]) => self.sum(a, b, format, TRUE),
            (FloatOp::Mul, [a, b]) => self.product(a, b, format),
            (FloatOp::Div, [a, b]) => self.quotient(a, b, format),
            (FloatOp::Sqrt, [a]) => self.root(a, format),
            (FloatOp::MulAdd, [a, b, c]) => self.product_and_sum(a, b, c, format),
            (_, [a, ..]) => (self.integral(op, &args[0], a, format), FALSE),
            (_, []) => (args[0].clone(), FALSE),
        };
        // The first NaN among the operands, else one that is made here.
        let indefinite = constant(from, format.indefinite());
        let mut result = self.choose(invalid, &indefinite, &result);
        for (word, part) in args.iter().zip(&parts).rev() {
            let quiet = quiet(word, format);
            result = self.choose(part.nan, &quiet, &result);
        }
        result
    }

    fn any(&mut self, word: &[Lit]) -> Lit {
        word.iter().fold(FALSE, |any, &l| self.or(any, l))
    }

    fn parts(&mut self, word: &[Lit], format: Format) -> Parts {
        let stored = format.precision - 1;
        let (fraction, field) = (&word[..stored], &word[stored..stored + format.exponent]);
        let (has_fraction, has_exponent) = (self.any(fraction), self.any(field));
        let special = self.and_all(field.iter().copied());
        let zero = self.and(-has_fraction, -has_exponent);
        let raw: Word = fraction.iter().copied().chain([has_exponent]).collect();
        let (significand, shift) = self.normalised(&raw);
        // Subnormal numbers have the exponent of the least normal ones.
        let wide = room(format);
        let mut exponent: Word = field.to_vec();
        exponent[0] = self.or(exponent[0], -has_exponent);
        exponent.resize(wide, FALSE);
        let exponent = self.add(&exponent, &number(wide, -format.bias()), FALSE).0;
        let exponent = self.less_by(&exponent, &shift);
        Parts {
            nan: self.and(special, has_fraction),
            infinite: self.and(special, -has_fraction),
            zero,
            sign: word[word.len() - 1],
            exponent,
            significand,
        }
    }

    /// A word shifted up until its highest bit is set, and by how much; of zero, zero.
    fn normalised(&mut self, word: &[Lit]) -> (Word, Word) {
        let mut word = word.to_vec();
        let stages = (usize::BITS - (word.len() - 1).leading_zeros()) as usize;
        let mut count = vec![FALSE; stages];
        for stage in (0..stages).rev() {
            let by = 1 << stage;
            let top = word[word.len() - by..].to_vec();
            let empty = -self.any(&top);
            let shifted: Word = std::iter::repeat_n(FALSE, by).chain(word.iter().copied()).take(word.len()).collect();
            word = self.choose(empty, &shifted, &word);
            count[stage] = empty;
        }
        (word, count)
    }

    /// `exponent - by`, the latter unsigned.
    fn less_by(&mut self, exponent: &[Lit], by: &[Lit]) -> Word {
        let mut by = by.to_vec();
        by.resize(exponent.len(), FALSE);
        let minus: Word = by.iter().map(|l| -l).collect();
        self.add(exponent, &minus, TRUE).0
    }

    /// Shifts down by an unsigned number; what is lost shows in the lowest bit.
    fn shift_and_keep(&mut self, word: &[Lit], by: &[Lit]) -> Word {
        let mut word = word.to_vec();
        let width = word.len();
        for (stage, &bit) in by.iter().enumerate() {
            let step = if stage < 31 { (1usize << stage).min(width) } else { width };
            let lost = self.any(&word[..step]);
            let mut shifted: Word = word[step..].iter().copied().chain(std::iter::repeat_n(FALSE, step)).collect();
            shifted[0] = self.or(shifted[0], lost);
            word = self.choose(bit, &shifted, &word);
        }
        word
    }

    /// The nearest number, which overflows to an infinity.
    fn rounded(&mut self, exact: &Exact, format: Format) -> Word {
        let (precision, wide) = (format.precision, room(format));
        let significand = padded(&exact.significand, precision + 2);
        let exponent = resized(&exact.exponent, wide);
        // How far below the least exponent: there numbers have fewer bits.
        let minus: Word = exponent.iter().map(|l| -l).collect();
        let below = self.add(&minus, &number(wide, 1 - format.bias()), TRUE).0;
        let none = number(wide, 0);
        let is_subnormal = self.signed_less(&none, &below);
        let below = self.choose(is_subnormal, &below, &none);
        let significand = self.shift_and_keep(&significand, &below);
        let low = significand.len() - precision;
        let (kept, half) = (&significand[low..], significand[low - 1]);
        let rest = self.any(&significand[..low - 1]);
        let inexact_up = self.or(rest, kept[0]);
        let up = self.and(half, inexact_up);
        let field = self.add(&exponent, &number(wide, format.bias()), FALSE).0;
        let field = self.choose(is_subnormal, &none, &field);
        // A carry out of the fraction raises the exponent, as it should.
        let packed: Word = kept[..precision - 1].iter().copied().chain(field).collect();
        let zero = vec![FALSE; packed.len()];
        let packed = self.add(&packed, &zero, up).0;
        let field = &packed[precision - 1..];
        let last = number(wide, (1 << format.exponent) - 1);
        let overflows = -self.less(field, &last);
        let infinity = self.infinity(exact.sign, format);
        let mut finite = packed[..format.width() - 1].to_vec();
        finite.push(exact.sign);
        self.choose(overflows, &infinity, &finite)
    }

    fn infinity(&mut self, sign: Lit, format: Format) -> Word {
        let mut word = vec![FALSE; format.precision - 1];
        word.resize(format.width() - 1, TRUE);
        word.push(sign);
        word
    }

    fn zero(&mut self, sign: Lit, format: Format) -> Word {
        let mut word = vec![FALSE; format.width() - 1];
        word.push(sign);
        word
    }

    /// The sum of two numbers whose significands are equally long, and whether it is zero.
    fn exact_sum(&mut self, a: &Parts, b: &Parts) -> (Exact, Lit) {
        let smaller = self.signed_less(&a.exponent, &b.exponent);
        let smaller = self.and(smaller, -b.zero);
        let swap = self.or(a.zero, smaller);
        let exponent = self.choose(swap, &b.exponent, &a.exponent);
        let other = self.choose(swap, &a.exponent, &b.exponent);
        let large = self.choose(swap, &b.significand, &a.significand);
        let small = self.choose(swap, &a.significand, &b.significand);
        let sign = self.mux(swap, b.sign, a.sign);
        let minus: Word = other.iter().map(|l| -l).collect();
        let apart = self.add(&exponent, &minus, TRUE).0;
        // Three bits more: one for the place that a difference may lose, one for half, one for what is lost.
        let length = large.len() + 3;
        let mut large = padded(&large, length);
        let small = padded(&small, length);
        let mut small = self.shift_and_keep(&small, &apart);
        large.push(FALSE);
        small.push(FALSE);
        let differ = self.xor(a.sign, b.sign);
        let flipped: Word = small.iter().map(|&l| self.xor(l, differ)).collect();
        let total = self.add(&large, &flipped, differ).0;
        let negative = self.and(differ, total[total.len() - 1]);
        let minus = self.negate(&total);
        let size = self.choose(negative, &minus, &total);
        let is_zero = -self.any(&size);
        let (significand, shift) = self.normalised(&size);
        let one = number(exponent.len(), 1);
        let exponent = self.add(&exponent, &one, FALSE).0;
        let exponent = self.less_by(&exponent, &shift);
        (Exact { sign: self.xor(sign, negative), exponent, significand }, is_zero)
    }

    /// What the sum of two numbers is, infinities and zeros included, and whether it is none.
    fn finished_sum(&mut self, a: &Parts, b: &Parts, format: Format) -> (Word, Lit) {
        let (exact, is_zero) = self.exact_sum(a, b);
        let rounded = self.rounded(&exact, format);
        // Zeros of one sign have it; else it is positive.
        let both = self.and(a.zero, b.zero);
        let negative = self.and_all([both, a.sign, b.sign]);
        let zero = self.zero(negative, format);
        let result = self.choose(is_zero, &zero, &rounded);
        let (of_a, of_b) = (self.infinity(a.sign, format), self.infinity(b.sign, format));
        let result = self.choose(b.infinite, &of_b, &result);
        let result = self.choose(a.infinite, &of_a, &result);
        let differ = self.xor(a.sign, b.sign);
        (result, self.and_all([a.infinite, b.infinite, differ]))
    }

    fn sum(&mut self, a: &Parts, b: &Parts, format: Format, minus: Lit) -> (Word, Lit) {
        let b = Parts {
            sign: self.xor(b.sign, minus),
            exponent: b.exponent.clone(),
            significand: b.significand.clone(),
            ..*b
        };
        self.finished_sum(a, &b, format)
    }

    /// The exact product, as parts of a number of twice the precision, and whether it is none.
    fn exact_product(&mut self, a: &Parts, b: &Parts) -> (Parts, Lit) {
        let length = 2 * a.significand.len();
        let widened =
            |word: &Word| -> Word { word.iter().copied().chain(std::iter::repeat(FALSE)).take(length).collect() };
        let product = self.multiply(&widened(&a.significand), &widened(&b.significand));
        let (significand, shift) = {
            // Both highest bits are set, so that the product lacks one bit at most.
            let lacking = -product[length - 1];
            let shifted: Word = [FALSE].into_iter().chain(product.iter().copied()).take(length).collect();
            (self.choose(lacking, &shifted, &product), lacking)
        };
        let exponent = self.add(&a.exponent, &b.exponent, TRUE).0;
        let exponent = self.less_by(&exponent, &[shift]);
        let (a_none, b_none) = (self.and(a.infinite, b.zero), self.and(a.zero, b.infinite));
        let parts = Parts {
            nan: FALSE,
            infinite: self.or(a.infinite, b.infinite),
            zero: self.or(a.zero, b.zero),
            sign: self.xor(a.sign, b.sign),
            exponent,
            significand,
        };
        (parts, self.or(a_none, b_none))
    }

    fn product(&mut self, a: &Parts, b: &Parts, format: Format) -> (Word, Lit) {
        let (product, invalid) = self.exact_product(a, b);
        let Parts { sign, exponent, significand, infinite, zero, .. } = product;
        let rounded = self.rounded(&Exact { sign, exponent, significand }, format);
        (self.special(rounded, sign, zero, infinite, format), invalid)
    }

    /// A result, unless it is a zero or an infinity.
    fn special(&mut self, result: Word, sign: Lit, zero: Lit, infinite: Lit, format: Format) -> Word {
        let (nothing, infinity) = (self.zero(sign, format), self.infinity(sign, format));
        let result = self.choose(zero, &nothing, &result);
        self.choose(infinite, &infinity, &result)
    }

    fn product_and_sum(&mut self, a: &Parts, b: &Parts, c: &Parts, format: Format) -> (Word, Lit) {
        let (product, invalid) = self.exact_product(a, b);
        let c = Parts { exponent: c.exponent.clone(), significand: padded(&c.significand, 2 * format.precision), ..*c };
        // The significand of a product with zero is zero, as that of a zero is.
        let (sum, none) = self.finished_sum(&product, &c, format);
        (sum, self.or(invalid, none))
    }

    fn quotient(&mut self, a: &Parts, b: &Parts, format: Format) -> (Word, Lit) {
        let precision = format.precision;
        let mut rest = a.significand.clone();
        rest.push(FALSE);
        let mut divisor = b.significand.clone();
        divisor.push(FALSE);
        let minus: Word = divisor.iter().map(|l| -l).collect();
        // One digit before the point, and two more than are kept.
        let mut digits = Word::new();
        for _ in 0..precision + 2 {
            let (difference, fits) = self.add(&rest, &minus, TRUE);
            digits.push(fits);
            rest = self.choose(fits, &difference, &rest);
            rest.rotate_right(1);
            rest[0] = FALSE;
        }
        digits.push(self.any(&rest));
        digits.reverse();
        let lacking = -digits[digits.len() - 1];
        let shifted: Word = [FALSE].into_iter().chain(digits.iter().copied()).take(digits.len()).collect();
        let significand = self.choose(lacking, &shifted, &digits);
        let exponent = self.less_by_signed(&a.exponent, &b.exponent);
        let exponent = self.less_by(&exponent, &[lacking]);
        let sign = self.xor(a.sign, b.sign);
        let rounded = self.rounded(&Exact { sign, exponent, significand }, format);
        let (zero, infinite) = (self.or(a.zero, b.infinite), self.or(a.infinite, b.zero));
        let result = self.special(rounded, sign, zero, infinite, format);
        let (zeros, infinities) = (self.and(a.zero, b.zero), self.and(a.infinite, b.infinite));
        (result, self.or(zeros, infinities))
    }

    fn less_by_signed(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let minus: Word = b.iter().map(|l| -l).collect();
        self.add(a, &minus, TRUE).0
    }

    /// Digit by digit, two bits of the radicand at a time.
    fn root(&mut self, a: &Parts, format: Format) -> (Word, Lit) {
        let precision = format.precision;
        // In [1, 4): doubled where the exponent is odd.
        let odd = a.exponent[0];
        let mut plain = a.significand.clone();
        plain.push(FALSE);
        let doubled: Word = [FALSE].into_iter().chain(a.significand.iter().copied()).collect();
        let radicand = self.choose(odd, &doubled, &plain);
        let digits = precision + 2;
        let mut source = padded(&radicand, 2 * digits);
        let width = digits + 2;
        let (mut rest, mut root) = (vec![FALSE; width], vec![FALSE; width]);
        for _ in 0..digits {
            let (high, low) = (source.pop().unwrap_or(FALSE), source.pop().unwrap_or(FALSE));
            rest.rotate_right(2);
            (rest[0], rest[1]) = (low, high);
            let mut trial: Word = [TRUE, FALSE].into_iter().chain(root.iter().copied()).take(width).collect();
            for l in &mut trial {
                *l = -*l;
            }
            let (difference, fits) = self.add(&rest, &trial, TRUE);
            rest = self.choose(fits, &difference, &rest);
            root.rotate_right(1);
            root[0] = fits;
        }
        let inexact = self.any(&rest);
        let significand: Word = [inexact].into_iter().chain(root[..digits].iter().copied()).collect();
        let exponent = resized(&a.exponent[1..], a.exponent.len());
        let rounded = self.rounded(&Exact { sign: FALSE, exponent, significand }, format);
        let zero = self.zero(a.sign, format);
        let infinity = self.infinity(FALSE, format);
        let result = self.choose(a.zero, &zero, &rounded);
        let result = self.choose(a.infinite, &infinity, &result);
        (result, self.and(a.sign, -a.zero))
    }

    /// The integral number in a direction.
    fn integral(&mut self, op: FloatOp, word: &[Lit], a: &Parts, format: Format) -> Word {
        let (precision, wide) = (format.precision, room(format));
        let minus: Word = a.exponent.iter().map(|l| -l).collect();
        let by = self.add(&minus, &number(wide, precision as i64 - 1), TRUE).0;
        let none = number(wide, 0);
        // Nothing behind the point.
        let whole = -self.signed_less(&none, &by);
        let by = self.choose(whole, &none, &by);
        let shifted = self.shift_and_keep(&padded(&a.significand, precision + 2), &by);
        let (half, rest) = (shifted[1], shifted[0]);
        let integer = &shifted[2..];
        let inexact = self.or(half, rest);
        let up = match op {
            FloatOp::Floor => self.and(a.sign, inexact),
            FloatOp::Ceil => self.and(-a.sign, inexact),
            FloatOp::Round => half,
            FloatOp::RoundEven => {
                let odd = self.or(rest, integer[0]);
                self.and(half, odd)
            }
            _ => FALSE,
        };
        let zero = vec![FALSE; precision];
        let integer = self.add(integer, &zero, up).0;
        let result = self.of_magnitude(a.sign, &integer, format);
        let unchanged = self.or(whole, a.infinite);
        self.choose(unchanged, word, &result)
    }

    /// The nearest number to an unsigned integer with a sign, which a zero keeps.
    fn of_magnitude(&mut self, sign: Lit, integer: &[Lit], format: Format) -> Word {
        let is_zero = -self.any(integer);
        let (significand, shift) = self.normalised(integer);
        let highest = number(room(format), integer.len() as i64 - 1);
        let exponent = self.less_by(&highest, &shift);
        let rounded = self.rounded(&Exact { sign, exponent, significand }, format);
        let zero = self.zero(sign, format);
        self.choose(is_zero, &zero, &rounded)
    }

    fn of_signed(&mut self, word: &[Lit], format: Format) -> Word {
        let sign = word[word.len() - 1];
        let minus = self.negate(word);
        let size = self.choose(sign, &minus, word);
        self.of_magnitude(sign, &size, format)
    }

    fn signed_integer(&mut self, a: &Parts, width: usize) -> Word {
        let wide = a.exponent.len();
        let length = width.max(a.significand.len());
        let highest = number(wide, length as i64 - 1);
        let by = self.less_by_signed(&highest, &a.exponent);
        let size = self.shift_right(&padded(&a.significand, length), &by[..wide - 1], FALSE);
        let below_one = a.exponent[wide - 1];
        let most = number(wide, width as i64 - 1);
        let beyond = self.signed_less(&most, &a.exponent);
        let nothing = vec![FALSE; width];
        let size = self.choose(below_one, &nothing, &size[..width]);
        let minus = self.negate(&size);
        let value = self.choose(a.sign, &minus, &size);
        // The least number has a size that is out of range by itself, and comes out right.
        let out = self.or(beyond, a.infinite);
        let out = self.or(out, a.nan);
        let out = self.or(out, size[width - 1]);
        let least = constant(width as u32, 1 << (width - 1));
        self.choose(out, &least, &value)
    }

    fn resize(&mut self, word: &[Lit], a: &Parts, from: Format, to: Format) -> Word {
        let wide = room(from).max(room(to));
        let exponent = resized(&a.exponent, wide);
        let exact = Exact { sign: a.sign, exponent, significand: a.significand.clone() };
        let rounded = if room(to) < wide { self.narrowed(&exact, to) } else { self.rounded(&exact, to) };
        let result = self.special(rounded, a.sign, a.zero, a.infinite, to);
        // The upper bits of the fraction stay.
        let fraction = &quiet(word, from)[..from.precision - 1];
        let kept = to.precision - 1;
        let mut nan: Word = match fraction.len() > kept {
            true => fraction[fraction.len() - kept..].to_vec(),
            false => padded(fraction, kept),
        };
        nan.resize(to.width() - 1, TRUE);
        nan.push(a.sign);
        self.choose(a.nan, &nan, &result)
    }

    /// As [`Gates::rounded`], of an exponent that the format may be too narrow for.
    fn narrowed(&mut self, exact: &Exact, format: Format) -> Word {
        let (wide, narrow) = (exact.exponent.len(), room(format));
        let limit = 1 << (narrow - 2);
        let (least, most) = (number(wide, -limit), number(wide, limit));
        let below = self.signed_less(&exact.exponent, &least);
        let above = self.signed_less(&most, &exact.exponent);
        let exponent = self.choose(below, &least, &exact.exponent);
        let exponent = self.choose(above, &most, &exponent);
        let significand = exact.significand.clone();
        self.rounded(&Exact { sign: exact.sign, exponent: resized(&exponent, narrow), significand }, format)
    }

    fn compare_numbers(&mut self, op: FloatOp, parts: &[Parts], [x, y]: [&Word; 2]) -> Lit {
        let [a, b] = parts else { return FALSE };
        let unordered = self.or(a.nan, b.nan);
        let zeros = self.and(a.zero, b.zero);
        let alike = self.equal(x, y);
        let equal = self.or(zeros, alike);
        let holds = match op {
            FloatOp::Equal => equal,
            _ => {
                let top = x.len() - 1;
                let (below, above) = (self.less(&x[..top], &y[..top]), self.less(&y[..top], &x[..top]));
                // Of one sign: by size. Of two: the negative one is less.
                let same = self.same(a.sign, b.sign);
                let by_size = self.mux(a.sign, above, below);
                let less = self.mux(same, by_size, a.sign);
                let less = self.and(less, -zeros);
                if op == FloatOp::Less { less } else { self.or(less, equal) }
            }
        };
        self.and(holds, -unordered)
    }
}

/// A NaN that is quiet.
fn quiet(word: &[Lit], format: Format) -> Word {
    let mut word = word.to_vec();
    word[format.precision - 2] = TRUE;
    word
}
