//! What is kept of accesses: which values were there.

use concurrency::AccessKind;
use machine::{Config, Engine, Observed, Program, Repeats, Stop};
use memory::{HeapRules, Limits, Value};
use std::sync::Arc;

/// Reads, writes and updates one number, then copies it bytewise.
const MAIN: &str = "global g0 x: 4 align 4 = zero\n\
                    fn f0 main() -> i32 external {\nb0:\n  %0 = load i32 [g0:x]\n  store i32 7, [g0:x]\n  \
                    %1 = rmw add i32 [g0:x], 5 seq_cst\n  %2 = load i8 [g0:x]\n  return %1\n}\n";

#[test]
fn an_access_carries_what_was_read_and_written() {
    let module = ir::text::parse(MAIN).expect("valid IR");
    let program = Arc::new(Program::new(module, 2).expect("a program"));
    let solver = smt::Solving::set_up(smt::Setup::default()).expect("a solver");
    let config = Config { observe: true, repeats: Repeats::Control, ..Config::default() };
    let mut engine = Engine::new(program, solver, config);
    let main = engine.program.module.functions_named("main").next().expect("main");
    let mut state = engine.main_state(Limits { depth: 3, array: 2, rules: HeapRules::default() }, main);
    let thread = state.threads[0].id;
    while !matches!(engine.run(&mut state, thread), Stop::ThreadEnded | Stop::End(_)) {}

    let mut seen: Vec<(AccessKind, u64, Option<Value>, Option<Value>)> = state
        .observed
        .iter()
        .filter_map(|what| match what {
            Observed::Access { record, range, read, written, .. } => Some((record.kind, range.size, *read, *written)),
            _ => None,
        })
        .collect();
    seen.reverse();
    let int = |n| Some(Value::Int(n));
    assert_eq!(
        seen,
        [
            (AccessKind::Read, 4, int(0), None),
            (AccessKind::Write, 4, None, int(7)),
            (AccessKind::ReadWrite, 4, int(7), int(12)),
            (AccessKind::Read, 1, int(12), None),
        ]
    );
}
