//! Every lemma on every value of small widths; questions at widths that enumeration cannot reach.

use super::lemmas::{self, Division, Product};
use super::*;
use crate::eval::Evaluator;
use crate::semantics;
use crate::solver::bits::Bits;
use crate::solver::fallback::Fallback;
use crate::solver::z3::Z3;
use crate::term::Op;

/// Solves without and with what comes before lemmas.
fn arithmetic() -> Arithmetic<Fallback<Bits, Z3>> {
    let mut solver = Arithmetic::new(Fallback::new(Bits::new(), Z3::new), None);
    solver.set_limits(Limits { steps: Some(30_000), ..Limits::default() });
    solver
}

/// Variables of a division, and the values of its operands and results.
struct Case {
    division: Division,
    name: &'static str,
}

impl Case {
    fn new(t: &mut Terms, name: &'static str, width: u32) -> Case {
        let [dividend, divisor, quotient, remainder] =
            ["x", "c", "q", "r"].map(|part| t.var(&format!("{name}.{part}"), width));
        Case { division: Division { dividend, divisor, quotient, remainder }, name }
    }

    fn set(&self, model: &mut Model, width: u32, x: u128, c: u128) {
        model.set(self.division.dividend, x);
        model.set(self.division.divisor, c);
        model.set(self.division.quotient, semantics::binary(Op::Udiv, width, x, c));
        model.set(self.division.remainder, semantics::binary(Op::Urem, width, x, c));
    }
}

fn assert_holds(t: &Terms, lemma: TermId, model: &Model, what: &str) {
    assert_eq!(Evaluator::new(model.clone()).eval(t, lemma), 1, "`{what}` fails for {}", model.display(t));
}

fn pairs(width: u32) -> impl Iterator<Item = (u128, u128)> {
    (0..1u128 << width).flat_map(move |a| (0..1u128 << width).map(move |b| (a, b)))
}

#[test]
fn lemmas_of_one_division_hold() {
    for width in 1..=6 {
        let t = &mut Terms::new();
        let case = Case::new(t, "a", width);
        let mut all: Vec<(String, TermId)> = Vec::new();
        for (name, lemma) in lemmas::ALWAYS.iter().chain(lemmas::SINGLE) {
            all.push(((*name).to_owned(), lemma(t, &case.division)));
        }
        for bits in 0..width {
            all.push((format!("magnitude {bits}"), lemmas::magnitude(t, &case.division, bits)));
        }
        for value in 0..1 << width {
            all.push((format!("divisor {value}"), lemmas::divisor_is(t, &case.division, value)));
        }
        all.push(("circuit".to_owned(), lemmas::all(t, &case.division)));
        for (x, c) in pairs(width) {
            let mut model = Model::new();
            case.set(&mut model, width, x, c);
            for (name, lemma) in &all {
                assert_holds(t, *lemma, &model, name);
            }
        }
    }
}

#[test]
fn lemmas_of_two_and_three_divisions_hold() {
    for width in 1..=4 {
        let t = &mut Terms::new();
        let [a, b, sum] = ["a", "b", "s"].map(|name| Case::new(t, name, width));
        assert_eq!((a.name, sum.name), ("a", "s"));
        let of_two: Vec<(&str, TermId)> =
            lemmas::PAIRS.iter().map(|(name, lemma)| (*name, lemma(t, &a.division, &b.division))).collect();
        let of_three = lemmas::sum(t, &a.division, &b.division, &sum.division);
        for ((x, c), (y, d)) in pairs(width).flat_map(|one| pairs(width).map(move |other| (one, other))) {
            let mut model = Model::new();
            a.set(&mut model, width, x, c);
            b.set(&mut model, width, y, d);
            for (name, lemma) in &of_two {
                assert_holds(t, *lemma, &model, name);
            }
            sum.set(&mut model, width, semantics::binary(Op::Add, width, x, y), c);
            assert_holds(t, of_three, &model, "sum");
        }
    }
}

#[test]
fn lemmas_of_products_hold() {
    for width in 1..=5 {
        let t = &mut Terms::new();
        let division = Case::new(t, "d", width);
        let [p, o] = ["p", "o"].map(|name| {
            let [a, b, value] = ["a", "b", "v"].map(|part| t.var(&format!("{name}.{part}"), width));
            Product { a, b, value }
        });
        let mut all: Vec<(String, TermId)> =
            lemmas::PRODUCTS.iter().map(|(name, lemma)| ((*name).to_owned(), lemma(t, &p))).collect();
        for bits in 1..width {
            all.push((format!("bounded {bits}"), lemmas::bounded(t, &p, bits)));
        }
        for value in 0..1 << width {
            all.push((format!("factor {value}"), lemmas::factor_is(t, &p, value)));
            all.push((format!("apart {value}"), lemmas::apart(t, &p, &o, value)));
        }
        all.push(("undone".to_owned(), lemmas::undone(t, &p, &division.division)));
        all.push(("circuit".to_owned(), lemmas::all_of_product(t, &p)));
        for ((x, y), z) in pairs(width).flat_map(|one| (0..1u128 << width).map(move |z| (one, z))) {
            let times = |a, b| semantics::binary(Op::Mul, width, a, b);
            let mut model = Model::new();
            for (product, a) in [(p, x), (o, z)] {
                model.set(product.a, a);
                model.set(product.b, y);
                model.set(product.value, times(a, y));
            }
            division.set(&mut model, width, times(x, y), y);
            for (name, lemma) in &all {
                assert_holds(t, *lemma, &model, name);
            }
        }
    }
}

/// A lemma that nothing breaks would be none: each excludes some results.
#[test]
fn lemmas_exclude_wrong_results() {
    let t = &mut Terms::new();
    let (a, b) = (Case::new(t, "a", 3), Case::new(t, "b", 3));
    let mut all: Vec<(&str, TermId)> = Vec::new();
    for (name, lemma) in lemmas::ALWAYS.iter().chain(lemmas::SINGLE) {
        all.push((*name, lemma(t, &a.division)));
    }
    for (name, lemma) in lemmas::PAIRS {
        all.push((*name, lemma(t, &a.division, &b.division)));
    }
    for (name, lemma) in all {
        let mut broken = false;
        for ((x, c), (q, r)) in pairs(3).flat_map(|one| pairs(3).map(move |other| (one, other))) {
            let mut model = Model::new();
            for e in [x, (x + c) % 8, 7 - x] {
                for d in [c, c * 2 % 8] {
                    a.set(&mut model, 3, x, c);
                    b.set(&mut model, 3, e, d);
                    model.set(a.division.quotient, q);
                    model.set(a.division.remainder, r);
                    broken |= Evaluator::new(model.clone()).eval(t, lemma) == 0;
                }
            }
        }
        assert!(broken, "`{name}` excludes nothing");
    }
}

fn assert_answer(solver: &mut impl Solver, t: &mut Terms, query: &[TermId], sat: bool, what: &str) {
    match solver.check(t, query).expect("an answer") {
        Answer::Sat(model) => {
            assert!(sat, "{what}: satisfiable by {}", model.display(t));
            assert!(search::satisfies(t, query, &model), "{what}: not a model");
        }
        Answer::Unsat => {
            assert!(!sat, "{what}: unsatisfiable");
            let core = solver.core().expect("a core").to_vec();
            assert!(core.iter().all(|c| query.contains(c)), "{what}: a core of other terms");
        }
        Answer::Unknown(reason) => panic!("{what}: {reason}"),
    }
}

/// The steps of a ring buffer's index, at the widths of programs.
#[test]
fn neighbouring_remainders_are_related() {
    for width in [16, 32, 64] {
        let t = &mut Terms::new();
        let solver = &mut arithmetic();
        let (x, c) = (t.var("x", width), t.var("c", width));
        let [one, two] = [1, 2].map(|value| t.bv(width, value));
        let next = t.add(x, one);
        let (r, s) = (t.urem(x, c), t.urem(next, c));
        let mut query = vec![t.is_nonzero(c), t.is_zero(r), t.ult(x, next)];
        query.push(t.ule(two, s));
        assert_answer(solver, t, &query, false, "x % c = 0, (x + 1) % c >= 2");
        *query.last_mut().expect("not empty") = t.eq(s, one);
        assert_answer(solver, t, &query, true, "x % c = 0, (x + 1) % c = 1");
        *query.last_mut().expect("not empty") = t.is_zero(s);
        assert_answer(solver, t, &query, true, "x % c = 0, (x + 1) % c = 0: c is 1");
    }
}

/// An index that lags behind its ring's size by less than that goes round once at the most.
#[test]
fn remainders_of_sums_are_related() {
    for width in [32, 64] {
        let t = &mut Terms::new();
        let solver = &mut arithmetic();
        let [head, count, n] = ["head", "count", "n"].map(|name| t.var(name, width));
        let large = t.bv(width, 1 << (width - 2));
        let end = t.add(head, count);
        let (put, round) = (t.urem(end, n), t.sub(end, n));
        let mut query = vec![t.ult(head, n), t.ult(count, n), t.ult(n, large), t.ne(put, end)];
        query.push(t.ne(put, round));
        assert_answer(solver, t, &query, false, "neither here nor one round before");
        query.pop();
        assert_answer(solver, t, &query, true, "one round before");
        // From anywhere, the places before `head` differ from those behind it by one for one.
        let one = t.bv(width, 1);
        let next = t.add(end, one);
        let (moved, zero) = (t.urem(next, n), t.bv(width, 0));
        let step = t.add(put, one);
        let query = [t.ult(head, large), t.ult(count, large), t.ult(one, n), t.ne(moved, step), t.ne(moved, zero)];
        assert_answer(solver, t, &query, false, "one further or at the beginning");
    }
}

#[test]
fn hashes_have_small_divisors() {
    for width in [32, 64] {
        let t = &mut Terms::new();
        let solver = &mut arithmetic();
        let (n, key) = (t.var("n", width), t.var("key", 8 * width / 8));
        let (prime, basis) = (t.bv(width, 16_777_619), t.bv(width, 0x811c_9dc5));
        let mut hash = basis;
        for at in 0..4 {
            let byte = t.extract(key, 8 * at + 7, 8 * at);
            let byte = t.zext(byte, width);
            let mixed = t.xor(hash, byte);
            hash = t.mul(mixed, prime);
        }
        let slot = t.urem(hash, n);
        let (one, two) = (t.bv(width, 1), t.bv(width, 2));
        let mut query = vec![t.is_nonzero(n), t.eq(slot, one)];
        assert_answer(solver, t, &query, true, "a slot");
        query.push(t.ule(n, one));
        assert_answer(solver, t, &query, false, "more slots than there are");
        query.pop();
        query.push(t.ult(slot, two));
        let three = t.bv(width, 3);
        query.push(t.ult(three, n));
        assert_answer(solver, t, &query, true, "of four or more");
        let all = [t.is_nonzero(n), t.ule(n, slot)];
        assert_answer(solver, t, &all, false, "beyond the end");
    }
}

#[test]
fn quotients_and_products_are_related() {
    for width in [32, 64] {
        let t = &mut Terms::new();
        let solver = &mut arithmetic();
        let [x, c, n] = ["x", "c", "n"].map(|name| t.var(name, width));
        let (quotient, remainder) = (t.udiv(x, c), t.urem(x, c));
        let back = t.mul(quotient, c);
        let rest = t.sub(x, back);
        let different = t.ne(rest, remainder);
        assert_answer(solver, t, &[different], false, "x - x / c * c = x % c");
        let (product, limit) = (t.mul(n, c), t.bv(width, 1 << 12));
        let undone = t.udiv(product, c);
        let query = [t.ult(n, limit), t.ult(c, limit), t.is_nonzero(c), t.ne(undone, n)];
        assert_answer(solver, t, &query, false, "n * c / c = n");
        assert_answer(solver, t, &query[2..], true, "unless it wraps around");
        let (signed, by) = (t.srem(x, c), t.sdiv(x, c));
        let zero = t.bv(width, 0);
        let query = [t.sle(zero, x), t.slt(zero, c), t.sle(c, signed)];
        assert_answer(solver, t, &query, false, "a signed remainder below its divisor");
        let query = [t.sle(zero, x), t.slt(zero, c), t.slt(x, by)];
        assert_answer(solver, t, &query, false, "a signed quotient no greater");
    }
}

/// What is given up is unknown, soon.
#[test]
fn steps_are_a_limit() {
    let t = &mut Terms::new();
    let mut solver = arithmetic();
    solver.set_limits(Limits { steps: Some(10), ..Limits::default() });
    let [x, y, z] = ["x", "y", "z"].map(|name| t.var(name, 64));
    // A factorisation, which no small number is.
    let product = t.mul(x, y);
    let (square, large) = (t.mul(z, z), t.bv(64, 1 << 33));
    let product = t.urem(product, square);
    let wanted = t.bv(64, 0x1fff_ffff_ffff_ffe7);
    let query = [t.eq(product, wanted), t.ult(large, x), t.ult(large, y), t.ult(large, z)];
    assert_eq!(solver.check(t, &query).expect("an answer"), Answer::Unknown(UnknownReason::Steps));
    assert_eq!(solver.stats().unknown, 1);
}

/// Questions without such operators go where they went.
#[test]
fn other_questions_are_left_alone() {
    let t = &mut Terms::new();
    let mut solver = arithmetic();
    let (x, y) = (t.var("x", 32), t.var("y", 32));
    let three = t.bv(32, 3);
    let (scaled, sum) = (t.mul(x, three), t.add(x, y));
    let query = [t.ult(scaled, sum), t.ult(y, x)];
    assert!(solver.check(t, &query).expect("an answer").is_sat());
    assert_eq!(solver.own.queries, 0);
    assert_eq!(solver.stats().queries, 1);
}

#[test]
fn what_is_known_of_hashes_holds() {
    for (width, factor) in [(4, 7), (5, 19), (6, 44), (6, 53)] {
        let t = &mut Terms::new();
        let factor_term = t.bv(width, factor);
        let names = [["x", "p"], ["y", "q"]];
        let [one, other] = names.map(|[operand, value]| {
            let (operand, value) = (t.var(operand, width), t.var(value, width));
            mixing::Mixed { operand, factor: factor_term, value }
        });
        let lemmas = [mixing::congruent(t, &one, &other), mixing::of_zero(t, &one)];
        for (x, y) in pairs(width) {
            let mut model = Model::new();
            for (mixed, value) in [(one, x), (other, y)] {
                model.set(mixed.operand, value);
                model.set(mixed.value, semantics::binary(Op::Mul, width, value, factor));
            }
            lemmas.iter().for_each(|&lemma| assert_holds(t, lemma, &model, "of hashes"));
        }
    }
}

/// FNV-1a of a key, by bytes.
fn fnv(t: &mut Terms, key: TermId) -> TermId {
    let prime = t.bv(64, 0x0100_0000_01b3);
    let mut hash = t.bv(64, 0xcbf2_9ce4_8422_2325);
    for byte in 0..8 {
        let byte = t.extract(key, byte * 8 + 7, byte * 8);
        let byte = t.zext(byte, 64);
        let mixed = t.xor(hash, byte);
        hash = t.mul(mixed, prime);
    }
    hash
}

#[test]
fn keys_are_found_for_buckets() {
    let t = &mut Terms::new();
    let (one, other, count) = (t.var("one", 64), t.var("other", 64), t.var("count", 64));
    let [first, second] = [one, other].map(|key| {
        let hash = fnv(t, key);
        t.urem(hash, count)
    });
    let (two, four) = (t.bv(64, 2), t.bv(64, 4));
    let (differ, same, apart) = (t.ne(one, other), t.eq(first, second), t.ne(first, second));
    let (least, most, beyond) = (t.ult(two, count), t.ule(count, four), t.ule(two, first));
    let mut solver = arithmetic();
    let both = solver.check(t, &[differ, same, least, most, beyond]).expect("it is asked");
    assert!(matches!(both, Answer::Sat(_)), "{both:?}");
    let equal = t.eq(one, other);
    assert_eq!(solver.check(t, &[equal, apart]).expect("it is asked"), Answer::Unsat);
    // The hash of one key leaves nothing, so the other one is far from it.
    let (half, zero) = (t.bv(64, 1 << 60), t.bv(64, 0));
    let (far, nothing) = (t.ult(half, second), t.eq(first, zero));
    let far = solver.check(t, &[far, nothing]).expect("it is asked");
    assert!(matches!(far, Answer::Sat(_)), "{far:?}");
}

#[test]
fn tables_say_what_terms_say() {
    let t = &mut Terms::new();
    let (x, c) = (t.var("x", 5), t.var("c", 4));
    let wide = t.zext(c, 5);
    let factor = t.bv(5, 13);
    let mixed = t.mul(x, factor);
    let rest = t.urem(mixed, wide);
    let table = mixing::tabulated(t, rest).expect("it is small");
    for (vx, vc) in pairs(5).filter(|pair| pair.1 < 16) {
        let mut model = Model::new();
        model.set(x, vx);
        model.set(c, vc);
        let mut at = Evaluator::new(model);
        assert_eq!(at.eval(t, table), at.eval(t, rest), "{vx} {vc}");
    }
    let wide = t.var("wide", 32);
    assert_eq!(mixing::tabulated(t, wide), None, "there are too many values");
}
