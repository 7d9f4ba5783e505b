//! Constructors. Each masks or checks nothing at run time in release builds: operands of one operator must
//! have equal widths (a debug assertion), which the IR verifier guarantees to callers.
//!
//! Derived operators are expressed by canonical ones here, and only here.

use crate::float::FloatOp;
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Key, MAX_WIDTH, Op, Sort, TermId, mask};

impl Terms {
    fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "operands of {op:?}");
        self.make(Key::new(op, self.width(a), &[a, b]))
    }

    fn compare(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "operands of {op:?}");
        self.make(Key::new(op, 1, &[a, b]))
    }

    // Leaves.

    /// A constant; bits of `value` above `width` are dropped.
    pub fn bv(&mut self, width: u32, value: u128) -> TermId {
        self.intern(Key::constant(width, value))
    }

    pub fn tru(&mut self) -> TermId {
        self.bv(1, 1)
    }

    pub fn fls(&mut self) -> TermId {
        self.bv(1, 0)
    }

    pub fn bool(&mut self, value: bool) -> TermId {
        self.bv(1, u128::from(value))
    }

    pub(crate) fn ones(&mut self, width: u32) -> TermId {
        self.bv(width, mask(width))
    }

    pub(crate) fn zero(&mut self, width: u32) -> TermId {
        self.bv(width, 0)
    }

    /// The variable of this name and width.
    pub fn var(&mut self, name: &str, width: u32) -> TermId {
        self.intern_variable(name, Sort::BitVec(width), false)
    }

    /// A variable that stands for storage nobody wrote; see [`Terms::has_uninit`].
    pub fn uninit_var(&mut self, name: &str, width: u32) -> TermId {
        self.intern_variable(name, Sort::BitVec(width), true)
    }

    pub fn array_var(&mut self, name: &str, index_width: u32) -> TermId {
        self.intern_variable(name, Sort::Array { index: index_width }, false)
    }

    pub fn uninit_array_var(&mut self, name: &str, index_width: u32) -> TermId {
        self.intern_variable(name, Sort::Array { index: index_width }, true)
    }

    // Arrays of bytes.

    /// The array with 64-bit indices whose every element is `byte`.
    pub fn const_array(&mut self, byte: TermId) -> TermId {
        self.const_array_of(64, byte)
    }

    pub fn const_array_of(&mut self, index_width: u32, byte: TermId) -> TermId {
        debug_assert_eq!(self.width(byte), 8);
        self.make(Key::new(Op::ConstArray, index_width, &[byte]))
    }

    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        debug_assert_eq!(self.width(array), self.width(index));
        self.make(Key::new(Op::Select, 8, &[array, index]))
    }

    pub fn store(&mut self, array: TermId, index: TermId, byte: TermId) -> TermId {
        debug_assert_eq!(self.width(array), self.width(index));
        debug_assert_eq!(self.width(byte), 8);
        self.make(Key::new(Op::Store, self.width(array), &[array, index, byte]))
    }

    // Bitwise and boolean.

    pub fn not(&mut self, a: TermId) -> TermId {
        self.make(Key::new(Op::Not, self.width(a), &[a]))
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::And, a, b)
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Or, a, b)
    }

    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Xor, a, b)
    }

    /// The conjunction of booleans; true if there are none.
    pub fn and_all(&mut self, conjuncts: impl IntoIterator<Item = TermId>) -> TermId {
        let tru = self.tru();
        conjuncts.into_iter().fold(tru, |all, t| self.and(all, t))
    }

    pub fn or_all(&mut self, disjuncts: impl IntoIterator<Item = TermId>) -> TermId {
        let fls = self.fls();
        disjuncts.into_iter().fold(fls, |any, t| self.or(any, t))
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    // Arithmetic.

    pub fn neg(&mut self, a: TermId) -> TermId {
        self.make(Key::new(Op::Neg, self.width(a), &[a]))
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Add, a, b)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let minus_b = self.neg(b);
        self.add(a, minus_b)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Mul, a, b)
    }

    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Udiv, a, b)
    }

    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Sdiv, a, b)
    }

    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Urem, a, b)
    }

    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Op::Srem, a, b)
    }

    pub fn shl(&mut self, a: TermId, by: TermId) -> TermId {
        self.binary(Op::Shl, a, by)
    }

    pub fn lshr(&mut self, a: TermId, by: TermId) -> TermId {
        self.binary(Op::Lshr, a, by)
    }

    pub fn ashr(&mut self, a: TermId, by: TermId) -> TermId {
        self.binary(Op::Ashr, a, by)
    }

    // Overflow predicates: none of them needs a wider type, so they hold up to `MAX_WIDTH`.

    /// Whether the unsigned sum does not fit.
    pub fn uadd_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        // a + b > max  <=>  b > max - a = ~a
        let room = self.not(a);
        self.ult(room, b)
    }

    pub fn usub_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(a, b)
    }

    /// Whether the signed sum does not fit: both operands have the sign that the sum has not.
    pub fn sadd_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let sum = self.add(a, b);
        let (sa, sb, ss) = (self.sign(a), self.sign(b), self.sign(sum));
        let (da, db) = (self.xor(sa, ss), self.xor(sb, ss));
        self.and(da, db)
    }

    /// Whether the signed difference does not fit: `a` differs in sign from both `b` and the result.
    pub fn ssub_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let difference = self.sub(a, b);
        let (sa, sb, sd) = (self.sign(a), self.sign(b), self.sign(difference));
        let (db, dd) = (self.xor(sa, sb), self.xor(sa, sd));
        self.and(db, dd)
    }

    pub fn umul_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let w = self.width(a);
        if 2 * w <= MAX_WIDTH {
            let (wide_a, wide_b) = (self.zext(a, 2 * w), self.zext(b, 2 * w));
            let product = self.mul(wide_a, wide_b);
            let high = self.extract(product, 2 * w - 1, w);
            let zero = self.zero(w);
            return self.ne(high, zero);
        }
        // a != 0 && (a * b) / a != b
        let product = self.mul(a, b);
        let quotient = self.udiv(product, a);
        let (wrong, nonzero) = (self.ne(quotient, b), self.is_nonzero(a));
        self.and(nonzero, wrong)
    }

    pub fn smul_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let w = self.width(a);
        if 2 * w <= MAX_WIDTH {
            let (wide_a, wide_b) = (self.sext(a, 2 * w), self.sext(b, 2 * w));
            let product = self.mul(wide_a, wide_b);
            let narrow = self.extract(product, w - 1, 0);
            let back = self.sext(narrow, 2 * w);
            return self.ne(product, back);
        }
        // a != 0 && (a * b) / a != b, and a = -1 separately: min / -1 wraps.
        let product = self.mul(a, b);
        let quotient = self.sdiv(product, a);
        let (wrong, nonzero) = (self.ne(quotient, b), self.is_nonzero(a));
        let lost = self.and(nonzero, wrong);
        let (minus_one, min) = (self.ones(w), self.bv(w, 1 << (w - 1)));
        let (is_minus_one, is_min) = (self.eq(a, minus_one), self.eq(b, min));
        let wraps = self.and(is_minus_one, is_min);
        self.or(lost, wraps)
    }

    // Comparisons, one bit wide.

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(Op::Eq, a, b)
    }

    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let eq = self.eq(a, b);
        self.not(eq)
    }

    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(Op::Ult, a, b)
    }

    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(Op::Slt, a, b)
    }

    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    pub fn is_zero(&mut self, a: TermId) -> TermId {
        let zero = self.zero(self.width(a));
        self.eq(a, zero)
    }

    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let is_zero = self.is_zero(a);
        self.not(is_zero)
    }

    /// The highest bit.
    pub fn sign(&mut self, a: TermId) -> TermId {
        let top = self.width(a) - 1;
        self.extract(a, top, top)
    }

    // Floating-point numbers.

    /// `width` is that of the result; see [`FloatOp`] for the widths of operands.
    pub fn float(&mut self, op: FloatOp, width: u32, args: &[TermId]) -> TermId {
        debug_assert!(op.fits(self.width(args[0]), width), "{op:?} of {} bits to {width}", self.width(args[0]));
        self.make(Key::float(op, width, args))
    }

    // Structure.

    /// `a` if the boolean `c` holds, else `b`; also on arrays.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.width(c), 1);
        debug_assert_eq!(self.sort(a), self.sort(b), "arms of ite");
        let op = if self.op(a).is_array() { Op::IteArray } else { Op::Ite };
        self.make(Key::new(op, self.width(a), &[c, a, b]))
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        assert!(width <= MAX_WIDTH, "a concatenation of {width} bits");
        self.make(Key::new(Op::Concat, width, &[high, low]))
    }

    /// Bits `high` down to `low`, inclusive.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        debug_assert!(low <= high && high < self.width(a));
        self.make(Key::extract(a, high, low))
    }

    /// The low `width` bits.
    pub fn trunc(&mut self, a: TermId, width: u32) -> TermId {
        self.extract(a, width - 1, 0)
    }

    /// Zero extension to `width`, which may be the width that `a` has.
    pub fn zext(&mut self, a: TermId, width: u32) -> TermId {
        let from = self.width(a);
        debug_assert!(from <= width);
        if from == width {
            return a;
        }
        let zeros = self.zero(width - from);
        self.concat(zeros, a)
    }

    /// Sign extension to `width`, which may be the width that `a` has.
    pub fn sext(&mut self, a: TermId, width: u32) -> TermId {
        let from = self.width(a);
        debug_assert!(from <= width && width <= MAX_WIDTH);
        if from == width {
            return a;
        }
        self.make(Key::new(Op::Sext, width, &[a]))
    }

    /// The constant `t` read as two's complement.
    pub fn as_signed_const(&self, t: TermId) -> Option<i128> {
        self.as_const(t).map(|v| signed(v, self.width(t)))
    }
}
