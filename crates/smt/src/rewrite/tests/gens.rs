//! Random operands for the examples of rules.

use crate::pool::Terms;
use crate::term::{Key, Op, TermId, mask};

/// SplitMix64: small, seeded, good enough to pick examples.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// A value of `width` bits, extremes and powers of two often.
    pub(crate) fn value(&mut self, width: u32) -> u128 {
        let raw = (u128::from(self.next()) << 64) | u128::from(self.next());
        let value = match self.below(6) {
            0 => 0,
            1 => 1,
            2 => u128::MAX,
            3 => 1 << self.below(width),
            4 => mask(self.below(width) + 1) << self.below(width),
            _ => raw,
        };
        value & mask(width)
    }
}

/// A source of operands; most are of `width` bits.
pub(crate) struct Gen {
    pub(crate) terms: Terms,
    pub(crate) width: u32,
    pub(crate) rng: Rng,
}

impl Gen {
    pub(crate) fn new(width: u32, seed: u64) -> Gen {
        Gen { terms: Terms::new(), width, rng: Rng::new(seed) }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.rng.coin()
    }

    // Nodes.

    pub(crate) fn key(&mut self, op: Op, args: &[TermId]) -> Key {
        let width = match op {
            Op::Eq | Op::Ult | Op::Slt => 1,
            Op::Ite | Op::IteArray => self.terms.width(args[1]),
            Op::Concat => self.terms.width(args[0]) + self.terms.width(args[1]),
            Op::Select => 8,
            Op::ConstArray => self.index_width(),
            _ => self.terms.width(args[0]),
        };
        let mut key = Key::new(op, width, args);
        let rank = |t: TermId| (self.terms.is_const(t), t);
        if op.commutes() && rank(key.a()) > rank(key.b()) {
            key.args.swap(0, 1);
        }
        key
    }

    pub(crate) fn make(&mut self, op: Op, args: &[TermId]) -> TermId {
        let key = self.key(op, args);
        self.terms.make(key)
    }

    pub(crate) fn one(&mut self, op: Op, a: impl Fn(&mut Gen) -> TermId) -> Key {
        let a = a(self);
        self.key(op, &[a])
    }

    pub(crate) fn two(&mut self, op: Op, a: impl Fn(&mut Gen) -> TermId, b: impl Fn(&mut Gen) -> TermId) -> Key {
        let (a, b) = (a(self), b(self));
        self.key(op, &[a, b])
    }

    pub(crate) fn three(
        &mut self,
        op: Op,
        a: impl Fn(&mut Gen) -> TermId,
        b: impl Fn(&mut Gen) -> TermId,
        c: impl Fn(&mut Gen) -> TermId,
    ) -> Key {
        let (a, b, c) = (a(self), b(self), c(self));
        self.key(op, &[a, b, c])
    }

    // Constants.

    pub(crate) fn c(&mut self, value: u128) -> TermId {
        self.terms.bv(self.width, value)
    }

    pub(crate) fn any_const(&mut self) -> TermId {
        let value = self.rng.value(self.width);
        self.c(value)
    }

    pub(crate) fn ones(&mut self) -> TermId {
        self.c(u128::MAX)
    }

    /// 0, 1, all ones, or another.
    pub(crate) fn extreme(&mut self) -> TermId {
        match self.rng.below(4) {
            0 => self.c(0),
            1 => self.c(1),
            2 => self.ones(),
            _ => self.any_const(),
        }
    }

    pub(crate) fn power(&mut self) -> TermId {
        let n = self.rng.below(self.width);
        self.c(1 << n)
    }

    /// A shift amount, sometimes too large.
    pub(crate) fn amount(&mut self) -> TermId {
        let n = self.rng.below(self.width + 2);
        self.c(u128::from(n))
    }

    pub(crate) fn bit(&mut self) -> TermId {
        let bit = self.rng.coin();
        self.terms.bool(bit)
    }

    // Variables.

    pub(crate) fn x(&mut self) -> TermId {
        self.terms.var("x", self.width)
    }

    pub(crate) fn y(&mut self) -> TermId {
        self.terms.var("y", self.width)
    }

    pub(crate) fn z(&mut self) -> TermId {
        self.terms.var("z", self.width)
    }

    pub(crate) fn p(&mut self) -> TermId {
        self.terms.var("p", 1)
    }

    pub(crate) fn q(&mut self) -> TermId {
        self.terms.var("q", 1)
    }

    pub(crate) fn wide(&mut self) -> TermId {
        self.terms.var("wide", self.width + 3)
    }

    // Bitwise.

    pub(crate) fn not_x(&mut self) -> TermId {
        let x = self.x();
        self.terms.not(x)
    }

    pub(crate) fn not_p(&mut self) -> TermId {
        let p = self.p();
        self.terms.not(p)
    }

    pub(crate) fn not_q(&mut self) -> TermId {
        let q = self.q();
        self.terms.not(q)
    }

    pub(crate) fn not_or_const(&mut self) -> TermId {
        if self.rng.coin() {
            let y = self.y();
            self.terms.not(y)
        } else {
            self.any_const()
        }
    }

    pub(crate) fn and_xy(&mut self) -> TermId {
        let (mut x, y) = (self.x(), self.y());
        if self.rng.coin() {
            x = self.terms.not(x);
        }
        self.terms.and(x, y)
    }

    pub(crate) fn not_and_xy(&mut self) -> TermId {
        let both = self.and_xy();
        self.terms.not(both)
    }

    pub(crate) fn or_xy(&mut self) -> TermId {
        let (x, y) = (self.x(), self.y());
        self.terms.or(x, y)
    }

    pub(crate) fn xor_xy(&mut self) -> TermId {
        let (x, y) = (self.x(), self.y());
        self.terms.xor(x, y)
    }

    /// `x op c`, stored as written: masks of few runs would become slices.
    pub(crate) fn masked(&mut self, op: Op) -> TermId {
        let (x, c) = (self.x(), self.any_const());
        let key = self.key(op, &[x, c]);
        self.terms.intern(key)
    }

    /// One of the bitwise operators on two terms.
    pub(crate) fn bitwise(&mut self) -> TermId {
        let (x, y) = (self.x(), self.fields());
        match self.rng.below(4) {
            0 => self.terms.and(x, y),
            1 => self.terms.or(x, y),
            2 => self.terms.xor(x, y),
            _ => self.terms.not(y),
        }
    }

    pub(crate) fn bit_or_p(&mut self) -> TermId {
        match self.rng.below(4) {
            0 => self.bit(),
            1 => self.p(),
            2 => self.not_p(),
            _ => self.q(),
        }
    }

    // Arithmetic.

    /// A sum of up to `count` scaled variables and constants.
    pub(crate) fn sum(&mut self, count: u32) -> TermId {
        let mut sum = self.any_const();
        for _ in 0..=self.rng.below(count) {
            let atom = match self.rng.below(4) {
                0 => self.x(),
                1 => self.y(),
                2 => self.z(),
                _ => {
                    let (x, y) = (self.x(), self.y());
                    self.terms.mul(x, y)
                }
            };
            let scale = self.any_const();
            let part = match self.rng.below(3) {
                0 => atom,
                1 => self.terms.neg(atom),
                _ => self.terms.mul(atom, scale),
            };
            sum = self.terms.add(sum, part);
        }
        sum
    }

    pub(crate) fn scaled(&mut self) -> TermId {
        let (x, factor) = (self.x(), self.power());
        self.terms.mul(x, factor)
    }

    /// A term whose highest bit is zero, if there is another bit.
    pub(crate) fn small(&mut self) -> TermId {
        self.topped(0)
    }

    /// A term whose highest bit is one, if there is another bit.
    pub(crate) fn large(&mut self) -> TermId {
        self.topped(1)
    }

    fn topped(&mut self, top: u128) -> TermId {
        if self.width == 1 {
            return self.terms.bv(1, top);
        }
        let name = if self.rng.coin() { "n" } else { "m" };
        let low = self.terms.var(name, self.width - 1);
        let top = self.terms.bv(1, top);
        self.terms.concat(top, low)
    }

    pub(crate) fn small_plus_const(&mut self) -> TermId {
        let (x, c) = (self.small(), self.any_const());
        self.terms.add(x, c)
    }

    /// A product that does not wrap around, if there are bits enough.
    pub(crate) fn small_times_const(&mut self) -> TermId {
        let low = self.terms.var("n", self.width.div_ceil(2));
        let (x, c) = (self.terms.zext(low, self.width), self.rng.below(3) + 2);
        let c = self.c(u128::from(c));
        self.terms.mul(x, c)
    }

    // Structure.

    /// Constants and slices of variables, one beside the other.
    pub(crate) fn fields(&mut self) -> TermId {
        let mut left = self.width;
        let mut result: Option<TermId> = None;
        while left > 0 {
            let width = self.rng.below(left) + 1;
            let piece = match self.rng.below(3) {
                0 => {
                    let value = self.rng.value(width);
                    self.terms.bv(width, value)
                }
                _ => {
                    let x = if self.rng.coin() { self.x() } else { self.y() };
                    let low = self.rng.below(self.width - width + 1);
                    self.terms.extract(x, low + width - 1, low)
                }
            };
            result = Some(match result {
                None => piece,
                Some(above) => self.terms.concat(above, piece),
            });
            left -= width;
        }
        result.expect("the width is not zero")
    }

    /// A constant above or below a variable.
    pub(crate) fn padded(&mut self) -> TermId {
        if self.width == 1 {
            return self.x();
        }
        let pad = self.rng.below(self.width - 1) + 1;
        let value = self.rng.value(pad);
        let name = if self.rng.coin() { "n" } else { "m" };
        let (constant, rest) = (self.terms.bv(pad, value), self.terms.var(name, self.width - pad));
        if self.rng.below(4) == 0 { self.terms.concat(rest, constant) } else { self.terms.concat(constant, rest) }
    }

    /// A connective of two words with constants of one length above.
    pub(crate) fn padded_both(&mut self, op: Op) -> Key {
        if self.width == 1 {
            return self.two(op, |g| g.x(), |g| g.y());
        }
        let pad = self.rng.below(self.width - 1) + 1;
        let words = ["n", "m"].map(|name| {
            let value = self.rng.value(pad);
            let (constant, rest) = (self.terms.bv(pad, value), self.terms.var(name, self.width - pad));
            self.terms.concat(constant, rest)
        });
        self.key(op, &words)
    }

    pub(crate) fn sext_narrow(&mut self) -> TermId {
        let narrow = self.terms.var("s", self.width.div_ceil(2));
        self.terms.sext(narrow, self.width)
    }

    pub(crate) fn sext_or_const(&mut self) -> TermId {
        if self.rng.coin() {
            return self.any_const();
        }
        let narrow = self.terms.var("t", self.width.div_ceil(2));
        self.terms.sext(narrow, self.width)
    }

    /// Two adjacent slices of one variable, or two constants.
    pub(crate) fn adjacent(&mut self) -> (TermId, TermId) {
        if self.rng.below(3) == 0 {
            return (self.any_const(), self.any_const());
        }
        let wide = self.wide();
        let top = self.width + 2;
        let middle = self.rng.below(top) + 1;
        let mut high = self.terms.extract(wide, top, middle);
        if self.rng.coin() {
            high = self.terms.sext(high, self.width + 4);
        }
        (high, self.terms.extract(wide, middle - 1, 0))
    }

    /// A random slice of `t`, the whole of it included.
    pub(crate) fn slice_of(&mut self, t: TermId) -> Key {
        let high = self.rng.below(self.terms.width(t));
        let low = self.rng.below(high + 1);
        Key::extract(t, high, low)
    }

    pub(crate) fn extended(&mut self, t: TermId) -> Key {
        Key::new(Op::Sext, self.terms.width(t) + 2, &[t])
    }

    pub(crate) fn ite_pxy(&mut self) -> TermId {
        let (p, x, y) = (self.p(), self.x(), self.y());
        self.terms.ite(p, x, y)
    }

    pub(crate) fn ite_qxy(&mut self) -> TermId {
        let (q, x, y) = (self.q(), self.x(), self.y());
        self.terms.ite(q, x, y)
    }

    pub(crate) fn ite_const(&mut self) -> TermId {
        let (p, x, c, d) = (self.p(), self.x(), self.any_const(), self.any_const());
        match self.rng.below(3) {
            0 => self.terms.ite(p, x, c),
            1 => self.terms.ite(p, c, x),
            _ => self.terms.ite(p, c, d),
        }
    }

    pub(crate) fn eq_xy(&mut self) -> TermId {
        let (x, y) = (self.x(), self.y());
        self.terms.eq(x, y)
    }

    /// A comparison of x with a constant.
    pub(crate) fn bound(&mut self) -> TermId {
        let (x, c) = (self.x(), self.any_const());
        match self.rng.below(4) {
            0 => self.terms.eq(x, c),
            1 => self.terms.ne(x, c),
            2 => self.terms.ult(x, c),
            _ => self.terms.uge(x, c),
        }
    }

    // Arrays, with indices of few bits so that they meet.

    fn index_width(&self) -> u32 {
        3
    }

    pub(crate) fn array(&mut self) -> TermId {
        let width = self.index_width();
        self.terms.array_var("a", width)
    }

    pub(crate) fn index(&mut self) -> TermId {
        let width = self.index_width();
        let i = self.terms.var("i", width);
        let one = self.terms.bv(width, 1);
        match self.rng.below(4) {
            0 => i,
            1 => self.terms.add(i, one),
            2 => self.terms.var("j", width),
            _ => {
                let value = self.rng.value(width);
                self.terms.bv(width, value)
            }
        }
    }

    pub(crate) fn byte(&mut self) -> TermId {
        match self.rng.below(3) {
            0 => self.terms.var("u", 8),
            1 => self.terms.var("v", 8),
            _ => {
                let value = self.rng.value(8);
                self.terms.bv(8, value)
            }
        }
    }

    /// Up to `count` stores into a variable or a constant array.
    pub(crate) fn stores(&mut self, count: u32) -> TermId {
        let mut array = if self.rng.below(3) == 0 {
            let (byte, width) = (self.byte(), self.index_width());
            self.terms.const_array_of(width, byte)
        } else {
            self.array()
        };
        for _ in 0..=self.rng.below(count) {
            let (index, byte) = (self.index(), self.byte());
            array = self.terms.store(array, index, byte);
        }
        array
    }

    pub(crate) fn ite_array(&mut self) -> TermId {
        let (p, a, b) = (self.p(), self.array(), self.stores(1));
        self.terms.ite(p, a, b)
    }
}
