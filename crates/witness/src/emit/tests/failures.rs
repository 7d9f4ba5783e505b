//! Failures that are no data races.

use super::programs::{AFTER_FREE, DEADLOCK, LOST_UPDATE, UNSET};
use super::*;
use crate::format::{BlockedInfo, InputValue};
use StepKind::{Load, Store};

const HEADER: &str = "#include <stddef.h>\nvoid raddle_symbolic(void *, size_t, const char *);\n";

#[test]
fn assertion_after_a_lost_update() {
    let p = Program::new("assertion", LOST_UPDATE);
    let lost = [(1, Load), (2, Load), (2, Store), (1, Store)];
    let steps = |order: &[(u32, StepKind)]| {
        order
            .iter()
            .map(|&(thread, kind)| {
                let mut step = p.step(thread, kind, "count", "++");
                step.thread_name = format!("main.{thread}");
                step
            })
            .collect()
    };
    p.ends(&p.fault("assertion", "check", "assert", steps(&lost)), 66, "ThreadSanitizer");
    let in_turn = [(1, Load), (1, Store), (2, Load), (2, Store)];
    p.ends(&p.fault("assertion", "check", "assert", steps(&in_turn)), 0, "nothing happened");
}

#[test]
fn a_thread_without_a_step_stands_before_what_would_be_one() {
    let p = Program::new("unset", UNSET);
    let mut step = p.step(2, Load, "read", "where");
    step.thread_name = "main.2".to_owned();
    let mut witness = p.fault("assertion", "check", "assert", vec![step]);
    let write = p.at("write", "=");
    let access = "write".to_owned();
    witness.visible_sites = vec![AccessSite { file: write.file, line: write.line, column: write.column, access }];
    p.ends(&witness, 66, "ThreadSanitizer");
    witness.visible_sites.clear();
    p.ends(&witness, 0, "nothing happened");
}

#[test]
fn deadlock_of_an_input() {
    let p = Program::new("deadlock", DEADLOCK);
    std::fs::write(p.directory.join("raddle.h"), HEADER).expect("a header");
    let blocked = |thread: u32, mark: &str, waits_for: &str, holds: &str| BlockedInfo {
        thread,
        call: 0,
        thread_name: if thread == 0 { "main".to_owned() } else { "main.1".to_owned() },
        gpu: None,
        holds: vec![holds.to_owned()],
        waits_for: waits_for.to_owned(),
        position: p.at(mark, "pthread_mutex_lock"),
    };
    let first = vec![p.call(0, "a_first", "pthread_mutex_lock"), p.call(1, "b_first", "pthread_mutex_lock")];
    let mut witness = p.fault("deadlock", "b_second", "pthread_mutex_lock", first);
    witness.failure.blocked = vec![blocked(0, "b_second", "b", "a"), blocked(1, "a_second", "a", "b")];
    for step in &mut witness.schedule {
        step.thread_name = if step.thread == 0 { "main".to_owned() } else { "main.1".to_owned() };
    }
    witness.inputs = vec![InputValue {
        name: "k".to_owned(),
        size: 4,
        bytes: vec![77, 0, 0, 0],
        thread: 0,
        floating: false,
        at: None,
    }];
    p.ends(&witness, 66, "thread main.1 at program.c:7 waits for a, holds b");
    witness.inputs.clear();
    p.ends(&witness, 0, "nothing happened");
}

#[test]
fn use_of_freed_memory() {
    let p = Program::new("after-free", AFTER_FREE);
    let input = |name: &str, value: i32| InputValue {
        name: name.to_owned(),
        size: 4,
        bytes: value.to_le_bytes().to_vec(),
        thread: 0,
        floating: false,
        at: None,
    };
    let mut witness = p.fault("use_after_free", "use", "*p", vec![]);
    witness.inputs = vec![input("nondet", 1), input("nondet#2", -2)];
    p.ends(&witness, 66, "heap-use-after-free");
    let mut witness = p.fault("double_free", "again", "free", vec![]);
    witness.inputs = vec![input("nondet", 3)];
    p.ends(&witness, 66, "freed");
    let mut witness = p.fault("null_dereference", "null", "*null", vec![]);
    witness.inputs = vec![input("nondet", 4)];
    p.ends(&witness, 66, "SEGV");
    witness.inputs.clear();
    p.ends(&witness, 0, "nothing happened");
}
