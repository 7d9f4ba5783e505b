//! Wide words, where the answers are known. Narrow ones are compared with trying all values (`cargo xtask arithmetic`).

use crate::solver::arithmetic::Arithmetic;
use crate::solver::bits::Bits;
use crate::solver::guarded::Guarded;
use crate::{Answer, Solver, TermId, Terms};

fn holds(terms: &mut Terms, assertions: &[TermId]) -> bool {
    let mut solver = Guarded::new(Arithmetic::new(Bits::new(), None).by_integers_alone());
    match solver.check(terms, assertions).expect("an answer") {
        // The model has been verified.
        Answer::Sat(_) => true,
        Answer::Unsat => false,
        Answer::Unknown(reason) => panic!("{reason:?}"),
    }
}

fn number(terms: &mut Terms, value: u128) -> TermId {
    terms.bv(64, value)
}

/// `name`, not negative and below `most`.
fn below(terms: &mut Terms, name: &str, most: u128, assertions: &mut Vec<TermId>) -> TermId {
    let x = terms.var(name, 64);
    let (zero, most) = (number(terms, 0), number(terms, most));
    let negative = terms.slt(x, zero);
    assertions.push(terms.not(negative));
    assertions.push(terms.slt(x, most));
    x
}

#[test]
fn a_time_in_microseconds_gives_its_seconds_back() {
    for (limit, same) in [(253_402_300_800, true), (1 << 62, false)] {
        let terms = &mut Terms::new();
        let mut assertions = Vec::new();
        let seconds = below(terms, "s", limit, &mut assertions);
        let part = below(terms, "n", 1_000_000_000, &mut assertions);
        let (million, thousand) = (number(terms, 1_000_000), number(terms, 1000));
        let (whole, part) = (terms.mul(seconds, million), terms.sdiv(part, thousand));
        let time = terms.add(whole, part);
        let back = terms.sdiv(time, million);
        let differs = terms.ne(back, seconds);
        assertions.push(differs);
        // Times that do not fit into 64 bits wrap around.
        assert_eq!(holds(terms, &assertions), !same);
    }
}

#[test]
fn the_slot_behind_the_last_is_the_first_unless_the_count_wraps() {
    for bounded in [true, false] {
        let terms = &mut Terms::new();
        let mut assertions = Vec::new();
        let head = terms.var("head", 32);
        if bounded {
            let most = terms.bv(32, 1 << 31);
            assertions.push(terms.ult(head, most));
        }
        let (one, size, last, zero) = (terms.bv(32, 1), terms.bv(32, 1000), terms.bv(32, 999), terms.bv(32, 0));
        let next = terms.add(head, one);
        let (slot, behind) = (terms.urem(head, size), terms.urem(next, size));
        assertions.push(terms.eq(behind, zero));
        assertions.push(terms.ne(slot, last));
        assert_eq!(holds(terms, &assertions), !bounded);
    }
}

#[test]
fn quotients_are_rounded_towards_zero() {
    let terms = &mut Terms::new();
    let x = terms.var("x", 64);
    let (zero, seven) = (number(terms, 0), number(terms, 7));
    for divisor in [seven, number(terms, 7u128.wrapping_neg())] {
        let (quotient, rest) = (terms.sdiv(x, divisor), terms.srem(x, divisor));
        let product = terms.mul(quotient, divisor);
        let whole = terms.add(product, rest);
        let differs = terms.ne(whole, x);
        assert!(!holds(terms, &[differs]));
        let (negative, positive) = (terms.slt(x, zero), terms.slt(zero, rest));
        assert!(!holds(terms, &[negative, positive]));
        let size = terms.slt(rest, seven);
        let too_large = terms.not(size);
        assert!(!holds(terms, &[too_large]));
        let below = terms.slt(rest, zero);
        assert!(holds(terms, &[negative, below]));
    }
}

#[test]
fn bits_are_cut_out_of_what_has_wrapped() {
    let terms = &mut Terms::new();
    let x = terms.var("x", 64);
    let (factor, divisor) = (number(terms, 0x9e37_79b9), number(terms, 10));
    let product = terms.mul(x, factor);
    let low = terms.extract(product, 31, 0);
    let wide = terms.zext(low, 64);
    let digit = terms.urem(wide, divisor);
    let (nine, ten) = (number(terms, 9), number(terms, 10));
    let is_nine = terms.eq(digit, nine);
    assert!(holds(terms, &[is_nine]));
    let less = terms.ult(digit, ten);
    let not_less = terms.not(less);
    assert!(!holds(terms, &[not_less]));
}
