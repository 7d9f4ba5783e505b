//! The backend and its decorators.

use super::cached::Cached;
use super::sliced::Sliced;
use super::solving::{Branch, Solving};
use super::z3::{Z3, Z3Options};
use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn z3() -> Z3 {
    Z3::new().expect("Z3 starts")
}

fn ask(solver: &mut impl Solver, terms: &mut Terms, assertions: &[TermId]) -> Answer {
    solver.check(terms, assertions).expect("the solver answers")
}

/// Fails if a build silently linked a system Z3, which may be far too old.
#[test]
fn the_linked_z3_is_version_5() {
    let (major, minor, build) = Z3::version();
    assert_eq!(major, 5, "linked Z3 {major}.{minor}.{build}");
}

#[test]
fn answers_follow_the_stack() {
    let t = &mut Terms::new();
    let solver = &mut z3();
    let (x, y) = (t.var("x", 32), t.var("y", 32));
    let (product, limit) = (t.mul(x, y), t.bv(32, 15));
    let (is_product, ten) = (t.eq(product, limit), t.bv(32, 10));
    let (small_x, small_y) = (t.ult(x, ten), t.ult(y, ten));
    let (one, two) = (t.bv(32, 1), t.bv(32, 2));
    let (big_x, x_is_two) = (t.ult(one, x), t.eq(x, two));

    let mut pc = vec![is_product, small_x, small_y, big_x];
    let Answer::Sat(model) = ask(solver, t, &pc) else {
        panic!("3 * 5 = 15");
    };
    assert!([(3, 5), (5, 3)].contains(&(model.value(x), model.value(y))));
    pc.push(x_is_two);
    assert_eq!(ask(solver, t, &pc), Answer::Unsat);
    // The same question in another order, and a shorter one again.
    pc.reverse();
    assert_eq!(ask(solver, t, &pc), Answer::Unsat);
    assert!(ask(solver, t, &pc[..3]).is_sat());
    assert!(ask(solver, t, &[]).is_sat());
    let stats = solver.stats();
    assert_eq!((stats.queries, stats.sat, stats.unsat), (5, 3, 2));
    // The second query shares four assertions, the fourth three.
    assert_eq!(stats.reused, 7);
}

#[test]
fn wide_and_boolean_values_are_read_back() {
    let t = &mut Terms::new();
    let solver = &mut z3();
    let (x, p) = (t.var("x", 128), t.var("p", 1));
    let value = 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef;
    let three = t.bv(128, 3);
    let scaled = t.mul(x, x);
    let target = t.bv(128, value);
    let is_value = t.eq(x, target);
    let odd = t.ult(three, scaled);
    let answer = ask(solver, t, &[is_value, odd, p]);
    let model = answer.model().expect("satisfiable");
    assert_eq!((model.value(x), model.value(p)), (value, 1));
}

#[test]
fn array_models_hold_what_is_read() {
    let t = &mut Terms::new();
    let solver = &mut z3();
    let a = t.array_var("a", 64);
    let (i, j, v) = (t.var("i", 64), t.var("j", 64), t.var("v", 8));
    let written = t.store(a, i, v);
    let (at_j, before) = (t.select(written, j), t.select(a, j));
    let seven = t.bv(8, 7);
    let (now_seven, not_before) = (t.eq(at_j, seven), t.ne(before, seven));
    let model = ask(solver, t, &[now_seven, not_before]).model().expect("satisfiable");
    assert_eq!(model.value(i), model.value(j));
    assert_eq!(model.value(v), 7);
    let different = t.ne(i, j);
    let answer = ask(solver, t, &[now_seven, not_before, different]);
    assert_eq!(answer, Answer::Unsat);
}

#[test]
fn one_solver_serves_several_pools() {
    let solver = &mut Cached::new(z3());
    for value in 1..4 {
        let t = &mut Terms::new();
        let x = t.var("x", 8);
        let c = t.bv(8, value);
        let (product, nine) = (t.mul(x, x), t.bv(8, 9));
        let (is_c, is_nine) = (t.eq(x, c), t.eq(product, nine));
        let expected = value == 3;
        assert_eq!(ask(solver, t, &[is_nine, is_c]).is_sat(), expected);
    }
}

/// What takes a solver far longer than any limit here; all but the first are easy.
pub(super) fn hard(t: &mut Terms) -> Vec<TermId> {
    let (x, y) = (t.var("x", 64), t.var("y", 64));
    let product = t.mul(x, y);
    // A Mersenne prime: to be proved to have no factors.
    let prime = t.bv(64, (1 << 61) - 1);
    let high = t.bv(64, 1 << 32);
    let one = t.bv(64, 1);
    let mut pc = vec![t.eq(product, prime)];
    for v in [x, y] {
        pc.push(t.ult(v, high));
        pc.push(t.ult(one, v));
    }
    pc
}

#[test]
fn a_query_ends_when_it_is_told_to() {
    let t = &mut Terms::new();
    let pc = hard(t);
    let stop = Arc::new(AtomicBool::new(true));
    let mut solver = z3();
    let asked = Arc::clone(&stop);
    solver.stop_when(move || asked.load(Ordering::Relaxed));
    assert_eq!(ask(&mut solver, t, &pc), Answer::Unknown(UnknownReason::Timeout));
    // What follows, such as confirming what was found, is not affected.
    stop.store(false, Ordering::Relaxed);
    assert!(ask(&mut solver, t, &pc[1..]).is_sat());
}

/// Being told to stop is no failure of the solver, whatever it is doing: reading a large model takes time as well.
#[test]
fn a_query_may_be_told_to_stop_at_any_moment() {
    let t = &mut Terms::new();
    let five = t.bv(8, 5);
    let variables: Vec<TermId> = (0..3000).map(|i| t.var(&format!("v{i}"), 8)).collect();
    let pc: Vec<TermId> = variables.iter().map(|&v| t.eq(v, five)).collect();
    let mut solver = z3();
    solver.stop_when(|| true);
    for _ in 0..20 {
        assert_ne!(ask(&mut solver, t, &pc), Answer::Unsat);
    }
}

#[test]
fn limits_end_in_unknown() {
    let t = &mut Terms::new();
    let pc = hard(t);
    let mut solver = z3();
    solver.set_limits(Limits { steps: Some(100), ..Limits::default() });
    let answer = ask(&mut solver, t, &pc);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Steps));
    solver.set_limits(Limits { timeout: Some(Duration::from_millis(20)), ..Limits::default() });
    let answer = ask(&mut solver, t, &pc);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
    // An easy query is still answered.
    assert!(ask(&mut solver, t, &pc[1..]).is_sat());
}

#[test]
fn slices_leave_unrelated_assertions_out() {
    let t = &mut Terms::new();
    let mut sliced = Sliced::new(z3());
    let v: Vec<TermId> = (0..6).map(|i| t.var(&format!("v{i}"), 16)).collect();
    // Two chains: v0 < v1 < v2 and v3 < v4 < v5.
    let pc: Vec<TermId> = [0, 3, 1, 4].iter().map(|&i| t.ult(v[i], v[i + 1])).collect();
    let known = ask(&mut sliced, t, &pc).model().expect("satisfiable");
    let one = t.bv(16, 1);
    let before = sliced.stats();
    let query = t.eq(v[0], one);
    let model =
        sliced.check_sliced(t, &pc, query, Some(&known)).expect("the solver answers").model().expect("satisfiable");
    let after = sliced.stats();
    assert_eq!(after.sliced_away - before.sliced_away, 2);
    assert_eq!(after.queries - before.queries, 1);
    for &assertion in pc.iter().chain([&query]) {
        assert_eq!(t.eval(assertion, &model), 1);
    }
    // No room below v2 = 1.
    let query = t.eq(v[2], one);
    let answer = sliced.check_sliced(t, &pc, query, Some(&known));
    assert_eq!(answer.expect("the solver answers"), Answer::Unsat);
    // A query that ties the chains together needs all of them.
    let before = sliced.stats().sliced_away;
    let query = t.ult(v[2], v[3]);
    assert!(sliced.check_sliced(t, &pc, query, None).is_ok_and(|a| a.is_sat()));
    assert_eq!(sliced.stats().sliced_away, before);
}

#[test]
fn full_checks_decide_every_class() {
    let t = &mut Terms::new();
    let mut sliced = Sliced::new(Cached::new(z3()));
    let (x, y) = (t.var("x", 16), t.var("y", 16));
    let (square, two) = (t.mul(x, x), t.bv(16, 2));
    let impossible = t.eq(square, two);
    let possible = t.ult(y, two);
    assert_eq!(ask(&mut sliced, t, &[impossible, possible]), Answer::Unsat);
    assert_eq!(ask(&mut sliced, t, &[possible, impossible]), Answer::Unsat);
    assert!(ask(&mut sliced, t, &[possible]).is_sat());
}

#[test]
fn known_answers_cost_no_query() {
    let t = &mut Terms::new();
    let mut cached = Cached::new(z3());
    let (x, y) = (t.var("x", 16), t.var("y", 16));
    let (sum, ten, three) = (t.add(x, y), t.bv(16, 10), t.bv(16, 3));
    let (is_ten, below, above) = (t.eq(sum, ten), t.ult(x, three), t.ult(ten, x));
    assert!(ask(&mut cached, t, &[is_ten, below]).is_sat());
    assert_eq!(cached.stats().queries, 1);
    // The same set, a subset that the model satisfies, a contradiction.
    assert!(ask(&mut cached, t, &[below, is_ten]).is_sat());
    assert!(ask(&mut cached, t, &[below]).is_sat());
    let not_ten = t.not(is_ten);
    assert!(ask(&mut cached, t, &[is_ten, below, not_ten]).is_unsat());
    let stats = cached.stats();
    assert_eq!((stats.queries, stats.query_hits, stats.model_hits, stats.trivial), (1, 1, 1, 1));
    // A superset of what is known to be unsatisfiable.
    assert!(ask(&mut cached, t, &[above, below]).is_unsat());
    assert!(ask(&mut cached, t, &[is_ten, above, below]).is_unsat());
    let stats = cached.stats();
    assert_eq!((stats.queries, stats.subset_hits), (2, 1));
    // Part of an unsatisfiable set says nothing.
    let y_is_three = t.eq(y, three);
    assert!(ask(&mut cached, t, &[above, y_is_three]).is_sat());
    assert!(ask(&mut cached, t, &[below, y_is_three]).is_sat());
}

#[test]
fn branches_and_values() {
    let t = &mut Terms::new();
    let mut solving = Solving::z3().expect("Z3 starts");
    let (x, y) = (t.var("x", 32), t.var("y", 32));
    let (four, three, zero) = (t.bv(32, 4), t.bv(32, 3), t.bv(32, 0));
    let pc = [t.ult(x, four), t.ne(x, three)];
    let (is_zero, below) = (t.eq(x, zero), t.ult(x, three));
    let ask = |solving: &mut Solving, t: &mut Terms, c| solving.branch(t, &pc, c).expect("the solver answers");
    let both = Branch { then: Tri::Yes, otherwise: Tri::Yes };
    assert_eq!(ask(&mut solving, t, is_zero), both);
    let (then, otherwise) = (Tri::Yes, Tri::No);
    assert_eq!(ask(&mut solving, t, below), Branch { then, otherwise });
    let must = solving.must_be_true(t, &pc, below);
    assert_eq!(must.expect("the solver answers"), Tri::Yes);

    let sum = t.add(x, y);
    let fixed = t.eq(y, four);
    let pc = [pc[0], pc[1], fixed];
    let mut values = solving.values(t, &pc, sum, 8).expect("the solver answers");
    values.found.sort_unstable();
    assert_eq!((values.found, values.complete), (vec![4, 5, 6], true));
    let values = solving.values(t, &pc, sum, 2).expect("the solver answers");
    assert_eq!((values.found.len(), values.complete), (2, false));
}

/// Every decorator gives the answer of the backend alone, on random path conditions.
#[test]
fn decorators_agree_with_the_backend() {
    use crate::rewrite::tests::Gen;

    let mut solving = Solving::z3().expect("Z3 starts");
    let mut plain = Z3::with_options(Z3Options { stacks: 1, ..Z3Options::default() }).expect("Z3 starts");
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..60 {
        let mut g = Gen::new(4, seed);
        let mut pc: Vec<TermId> = Vec::new();
        for _ in 0..10 {
            let (a, b) = (g.sum(2), g.fields());
            let mut condition = g.terms.ult(a, b);
            if g.coin() {
                condition = g.terms.not(condition);
            }
            let may = solving.may_be_true(&mut g.terms, &pc, condition);
            pc.push(condition);
            let alone = ask(&mut plain, &mut g.terms, &pc);
            match may.expect("the solver answers") {
                Tri::Yes => {
                    sat += 1;
                    assert!(alone.is_sat());
                    let model = solving.model(&mut g.terms, &pc).map(Answer::model);
                    let model = model.expect("the solver answers").expect("satisfiable");
                    assert!(pc.iter().all(|&c| g.terms.eval(c, &model) == 1));
                }
                Tri::No => {
                    unsat += 1;
                    assert!(alone.is_unsat());
                    pc.pop();
                }
                Tri::Unknown(reason) => panic!("{reason}"),
            }
        }
    }
    assert!(sat > 100 && unsat > 50, "{sat} sat, {unsat} unsat");
}

#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let t = &mut Terms::new();
    let mut solver = z3();
    let x = t.var("x", 4);
    let mut deep = x;
    let mut less_deep = x;
    for i in 0..50_000 {
        let y = t.var(&format!("y{}", i % 3), 4);
        deep = t.and(deep, y);
        deep = t.add(deep, y);
        if i == 2_000 {
            less_deep = deep;
        }
    }
    let mut model = Model::new();
    model.set(x, 5);
    let value = t.eval(deep, &model);
    let constant = t.bv(4, value);
    let is_value = t.eq(deep, constant);
    assert_eq!(t.eval(is_value, &model), 1);
    assert!(t.display(deep).len() < 100_000);
    assert!(crate::to_smtlib(t, &[is_value]).contains("bvand"));
    // Z3's own procedures take long on the deepest.
    let is_zero = t.is_zero(less_deep);
    assert!(ask(&mut solver, t, &[is_zero]).is_sat());
}

/// The two translations, to SMT-LIB text and to Z3 terms, share no code.
#[test]
fn scripts_have_the_answer_of_the_backend() {
    use crate::rewrite::tests::Gen;

    let mut solver = z3();
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..60 {
        let mut g = Gen::new(4, seed);
        let mut pc = Vec::new();
        for _ in 0..4 {
            let (a, b, x) = (g.sum(2), g.fields(), g.bitwise());
            let (array, index, byte) = (g.ite_array(), g.index(), g.byte());
            let t = &mut g.terms;
            let read = t.select(array, index);
            let quotient = t.sdiv(a, x);
            pc.extend([t.slt(a, b), t.ne(x, quotient), t.ule(read, byte)]);
        }
        let script = crate::to_smtlib(&g.terms, &pc);
        let printed = z3().run_script(&script);
        match ask(&mut solver, &mut g.terms, &pc) {
            Answer::Sat(_) => {
                sat += 1;
                assert_eq!(printed, "sat", "{script}");
            }
            Answer::Unsat => {
                unsat += 1;
                assert_eq!(printed, "unsat", "{script}");
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
    assert!(sat > 5 && unsat > 5, "{sat} sat, {unsat} unsat");
}

/// In a script each operator has the meaning that evaluation gives it.
#[test]
fn scripts_mean_what_evaluation_says() {
    use crate::semantics;
    use crate::term::{Key, Op};

    let ops = [
        (Op::And, 3),
        (Op::Or, 3),
        (Op::Xor, 3),
        (Op::Add, 3),
        (Op::Mul, 3),
        (Op::Udiv, 3),
        (Op::Sdiv, 3),
        (Op::Urem, 3),
        (Op::Srem, 3),
        (Op::Shl, 3),
        (Op::Lshr, 3),
        (Op::Ashr, 3),
        (Op::Eq, 1),
        (Op::Ult, 1),
        (Op::Slt, 1),
    ];
    let t = &mut Terms::without_rewriting();
    let (x, y) = (t.var("x", 3), t.var("y", 3));
    let mut wrong = t.fls();
    for (op, width) in ops {
        let applied = t.make(Key::new(op, width, &[x, y]));
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let value = semantics::binary(op, 3, a, b);
            let (a, b, value) = (t.bv(3, a), t.bv(3, b), t.bv(width, value));
            let (is_a, is_b, differs) = (t.eq(x, a), t.eq(y, b), t.ne(applied, value));
            let inputs = t.and(is_a, is_b);
            let case = t.and(inputs, differs);
            wrong = t.or(wrong, case);
        }
    }
    let script = crate::to_smtlib(t, &[wrong]);
    assert_eq!(z3().run_script(&script), "unsat", "{script}");
}
