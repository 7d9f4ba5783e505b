//! A solver that does not answer costs an entry in the ledger, not a verdict.

use machine::{Config, Engine, LossKind, Program};
use memory::{HeapRules, Limits};
use smt::{Answer, Guarded, SolverError, SolverStats, Solving, TermId, Terms, UnknownReason};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAIN: &str = "fn f0 main() -> i32 external {\nb0:\n  return 0\n}\n";

/// Answers nothing until its time is over.
struct Hangs {
    end: Instant,
}

impl smt::Solver for Hangs {
    fn name(&self) -> &'static str {
        "hangs"
    }

    fn check(&mut self, _: &mut Terms, _: &[TermId]) -> Result<Answer, SolverError> {
        while Instant::now() < self.end {
            std::thread::yield_now();
        }
        Ok(Answer::Unknown(UnknownReason::Timeout))
    }

    fn set_limits(&mut self, _: smt::Limits) {}

    fn stats(&self) -> SolverStats {
        SolverStats::default()
    }
}

/// Panics at every query.
struct Dies;

impl smt::Solver for Dies {
    fn name(&self) -> &'static str {
        "dies"
    }

    fn check(&mut self, _: &mut Terms, _: &[TermId]) -> Result<Answer, SolverError> {
        panic!("out of luck")
    }

    fn set_limits(&mut self, _: smt::Limits) {}

    fn stats(&self) -> SolverStats {
        SolverStats::default()
    }
}

/// An engine on this solver, its initial state, and a condition that takes a solver.
fn engine(solving: Solving) -> (Engine, machine::State, TermId) {
    let module = ir::text::parse(MAIN).expect("valid IR");
    let program = Program::new(module, 2).expect("a program");
    let mut engine = Engine::new(Arc::new(program), solving, Config::default());
    let main = engine.program.module.functions_named("main").next().expect("main");
    let state = engine.main_state(Limits { depth: 3, array: 2, rules: HeapRules::default() }, main);
    let terms = &mut engine.terms;
    let (x, eight, five) = (terms.var("x", 32), terms.bv(32, 8), terms.bv(32, 5));
    let square = terms.mul(x, x);
    let rest = terms.urem(square, eight);
    let condition = terms.eq(rest, five);
    (engine, state, condition)
}

#[test]
fn a_query_without_an_answer_enters_the_ledger() {
    let end = Instant::now() + Duration::from_millis(100);
    let (mut engine, state, condition) = engine(Solving::new(Guarded::new(Hangs { end })));
    let id = state.threads[0].id;
    // No square is 5 modulo 8, but nobody said so: both ways are explored.
    assert!(engine.may_be(&state, condition, id).expect("no failure"));
    assert!(Instant::now() >= end);
    let kinds: Vec<LossKind> = engine.ledger.entries().map(|(entry, _)| entry.kind).collect();
    assert_eq!(kinds, [LossKind::SolverUnknown]);
}

#[test]
fn a_solver_that_dies_is_an_error() {
    let (mut engine, state, condition) = engine(Solving::new(Guarded::new(Dies)));
    let id = state.threads[0].id;
    let error = engine.may_be(&state, condition, id).expect_err("it died");
    assert_eq!(error.to_string(), "the solver failed");
    let cause = std::error::Error::source(&error).expect("a cause");
    assert_eq!(cause.to_string(), "dies failed: out of luck");
}
