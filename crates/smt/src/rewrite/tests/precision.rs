//! What must become simple: bit-fields over uninitialised storage, addresses, bytes put together again.

use crate::pool::Terms;
use crate::term::TermId;

fn c(t: &mut Terms, value: u128) -> TermId {
    t.bv(32, value)
}

fn and(t: &mut Terms, x: TermId, value: u128) -> TermId {
    let m = c(t, value);
    t.and(x, m)
}

/// What clang -O0 makes of `s.field = v` for a field of `width` bits at `low` in 32 bits of storage.
fn write(t: &mut Terms, storage: TermId, v: TermId, low: u32, width: u32) -> TermId {
    let ones = (1u128 << width) - 1;
    let field = and(t, v, ones);
    let by = c(t, u128::from(low));
    let placed = t.shl(field, by);
    let rest = and(t, storage, !(ones << low));
    t.or(rest, placed)
}

/// ... and of reading it, unsigned and signed.
fn read(t: &mut Terms, storage: TermId, low: u32, width: u32) -> TermId {
    let by = c(t, u128::from(low));
    let shifted = t.lshr(storage, by);
    and(t, shifted, (1 << width) - 1)
}

fn read_signed(t: &mut Terms, storage: TermId, low: u32, width: u32) -> TermId {
    let (left, right) = (c(t, u128::from(32 - low - width)), c(t, u128::from(32 - width)));
    let shifted = t.shl(storage, left);
    t.ashr(shifted, right)
}

#[test]
fn a_bit_field_read_sees_only_writes_to_its_bits() {
    let t = &mut Terms::new();
    let u = t.uninit_var("u", 32);
    let (masked, one) = (and(t, u, 0xf8), c(t, 1));
    let set = t.or(masked, one);
    let low = and(t, set, 7);
    assert_eq!(t.as_const(low), Some(1));

    // Every field of a word, in several orders: each read is the value written, whatever was there before.
    let fields = [(0, 3), (3, 5), (8, 1), (9, 7), (16, 12), (28, 4)];
    for rotation in 0..fields.len() {
        let mut storage = u;
        for i in 0..fields.len() {
            let (low, width) = fields[(i + rotation) % fields.len()];
            let v = t.var(&format!("v{low}"), 32);
            storage = write(t, storage, v, low, width);
            let (expected, actual) = (and(t, v, (1 << width) - 1), read(t, storage, low, width));
            assert_eq!(actual, expected, "{}", t.display(actual));
        }
        for (low, width) in fields {
            let v = t.var(&format!("v{low}"), 32);
            let unsigned = read(t, storage, low, width);
            assert_eq!(unsigned, and(t, v, (1 << width) - 1));
            let (signed, slice) = (read_signed(t, storage, low, width), t.trunc(v, width));
            assert_eq!(signed, t.sext(slice, 32), "{}", t.display(signed));
        }
        assert!(!t.has_uninit(storage), "{}", t.display(storage));
    }
}

#[test]
fn an_unwritten_bit_field_stays_uninitialised() {
    let t = &mut Terms::new();
    let (u, v) = (t.uninit_var("u", 32), t.var("v", 32));
    let storage = write(t, u, v, 3, 5);
    let other = read(t, storage, 8, 4);
    assert!(t.has_uninit(other));
}

#[test]
fn bytes_of_a_value_join_to_the_value() {
    let t = &mut Terms::new();
    let x = t.var("x", 32);
    let wide = t.sext(x, 64);
    for value in [x, wide] {
        let width = t.width(value);
        let bytes: Vec<TermId> = (0..width / 8).map(|i| t.extract(value, 8 * i + 7, 8 * i)).collect();
        // From the top, from the bottom, and in halves.
        let down = bytes[..bytes.len() - 1].iter().rfold(bytes[bytes.len() - 1], |high, &low| t.concat(high, low));
        let up = bytes[1..].iter().fold(bytes[0], |low, &high| t.concat(high, low));
        assert_eq!(down, value, "{}", t.display(down));
        assert_eq!(up, value, "{}", t.display(up));
    }
}

#[test]
fn address_differences_are_constants() {
    let t = &mut Terms::new();
    let (p, i) = (t.var("p", 64), t.var("i", 32));
    let index = t.sext(i, 64);
    let (eight, four, one) = (t.bv(64, 8), t.bv(64, 4), t.bv(64, 1));
    let scaled = t.mul(index, eight);
    let element = t.add(p, scaled);
    let field = t.add(element, four);
    let next_index = t.add(index, one);
    let next_scaled = t.mul(next_index, eight);
    let next = t.add(next_scaled, p);
    let distance = t.sub(next, field);
    assert_eq!(t.as_const(distance), Some(4));
    let same = t.eq(next, field);
    assert!(t.is_false(same));
}

#[test]
fn ranges_decide_comparisons() {
    let t = &mut Terms::new();
    let b = t.var("b", 8);
    let x = t.zext(b, 32);
    let (limit, minus_one, zero) = (c(t, 256), c(t, u128::MAX), c(t, 0));
    let below = t.slt(x, limit);
    assert!(t.is_true(below));
    let above = t.sgt(x, minus_one);
    assert!(t.is_true(above));
    let negative = t.slt(x, zero);
    assert!(t.is_false(negative));
    // A comparison stored as an int and tested again is the comparison.
    let less = t.ult(b, b);
    assert!(t.is_false(less));
    let y = t.var("y", 8);
    let less = t.ult(b, y);
    let int = t.zext(less, 32);
    let (tested, not_tested) = (t.is_nonzero(int), t.is_zero(int));
    assert_eq!(tested, less);
    assert_eq!(not_tested, t.not(less));
}

#[test]
fn arithmetic_on_promoted_bytes_is_byte_arithmetic() {
    let t = &mut Terms::new();
    let b = t.var("b", 8);
    let (promoted, one) = (t.sext(b, 32), c(t, 1));
    let sum = t.add(promoted, one);
    let (back, byte_one) = (t.trunc(sum, 8), t.bv(8, 1));
    assert_eq!(back, t.add(b, byte_one));
}

/// A hash of symbolic data must not blow up the pool while slices are pushed inwards.
#[test]
fn distribution_is_bounded() {
    let t = &mut Terms::new();
    let mut hash = t.var("seed", 64);
    for round in 0..64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            let amount = t.bv(64, by);
            let shifted = if left { t.shl(hash, amount) } else { t.lshr(hash, amount) };
            hash = t.xor(hash, shifted);
        }
        assert!(t.len() < 150_000, "{} terms after round {round}", t.len());
    }
    assert_eq!(t.rewriter.depth_exceeded, 0);
}
