//! Figures of the engine on the programs of `bench/engine`: instructions, paths and executions a second, and what a fork
//! costs. `cargo bench -p xtask`; for a single one, `cargo bench -p xtask -- NAME`.
//!
//! The programs are compiled by the `raddle-frontend` of `make build`. One worker, no limits; start-up is not counted.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use explore::Exploration;
use machine::{Engine, State, Stop};
use std::path::Path;
use xtask::engine::{LIMITS, check, engine, lower_file};

fn main() {
    divan::main();
}

/// An engine for a program of `bench/engine`.
fn load(name: &str, flags: &[&str]) -> Engine {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/engine").join(name);
    let module = lower_file(&source, flags).expect("the program is lowered: run `make build` first");
    let mut engine = engine(module, 2).expect("an engine");
    engine.config.unroll = 1_000_000;
    engine
}

/// Explores the program from the beginning, over and over; `items` says how many of what a run has.
fn explore_from_main(bencher: Bencher, name: &str, flags: &[&str], items: fn(&Engine, &Exploration) -> u64) {
    let mut first = load(name, flags);
    let explored = check(&mut first).expect("explored");
    let count = items(&first, &explored);
    bencher.counter(ItemsCount::new(count)).with_inputs(|| load(name, flags)).bench_local_values(|mut engine| {
        check(&mut engine).expect("explored");
        engine
    });
}

#[divan::bench(sample_count = 10)]
fn conc_instructions(bencher: Bencher) {
    explore_from_main(bencher, "conc.c", &[], |engine, _| engine.statistics.instructions);
}

#[divan::bench(sample_count = 10)]
fn sym_bytes_paths(bencher: Bencher) {
    explore_from_main(bencher, "sym_bytes.c", &[], |_, explored| explored.counts.executions);
}

#[divan::bench(sample_count = 3)]
fn sym_seq_paths(bencher: Bencher) {
    explore_from_main(bencher, "sym_seq.c", &[], |_, explored| explored.counts.executions);
}

#[divan::bench(sample_count = 5, args = [2, 3, 4])]
fn locked_list_executions(bencher: Bencher, k: u32) {
    explore_from_main(bencher, "locked_list.c", &[&format!("-DK={k}")], |_, explored| explored.counts.executions);
}

/// With 1,000 objects and 10 frames, and nothing written afterwards.
#[divan::bench]
fn fork(bencher: Bencher) {
    let state = at_first_choice();
    bencher.bench_local(|| black_box(state.clone()));
}

/// `fork.c` before its only branch.
fn at_first_choice() -> State {
    let mut engine = load("fork.c", &[]);
    let main = engine.program.module.functions_named("main").next().expect("a main");
    let mut state = engine.main_state(LIMITS, main);
    let thread = state.thread_ids().next().expect("a thread");
    let stop = engine.run(&mut state, thread);
    assert!(matches!(stop, Stop::Choice(_)), "an open branch, not {stop:?}");
    assert_eq!(state.thread(thread).frames.len(), 10);
    assert!(state.memory.len() >= 1000);
    state
}
