//! Small programs by hand, and what the generator draws.

use super::ast::Value;
use super::*;
use crate::finding::{AccessKind, Race, Site};
use std::collections::BTreeMap;

fn expected(threads: Vec<Vec<Stmt>>) -> (String, Expectation) {
    let program = Program { threads, semaphore: 0 };
    (render(&program), enumerate(&program).expect("few states"))
}

/// The line of the first thing that reads so, counted from the first one like it.
fn line(source: &str, words: &str, which: usize) -> u32 {
    let lines: Vec<usize> =
        source.lines().enumerate().filter(|(_, line)| line.trim() == words).map(|(at, _)| at + 1).collect();
    lines[which] as u32
}

fn locked(body: Vec<Stmt>) -> Vec<Stmt> {
    vec![Stmt::Section { mutex: 0, body }]
}

#[test]
fn a_lock_keeps_threads_apart() {
    let step = || vec![Stmt::Step { place: 0 }];
    let (source, bare) = expected(vec![step(), step()]);
    let at = |which, access| Site { line: line(&source, "x0 = (x0 + 1) % 3;", which), access };
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    let races = [
        Race::new(at(0, write), at(1, write)),
        Race::new(at(0, read), at(1, write)),
        Race::new(at(0, write), at(1, read)),
    ];
    assert_eq!(bare.races, races.into());
    let (_, kept) = expected(vec![locked(step()), locked(step())]);
    assert!(kept.races.is_empty() && kept.deadlocks.is_empty() && kept.starving.is_empty());
    // The lock is free or has an owner who is at one of three places; the number; who may race is known to the next one only.
    assert!(kept.states < 120, "{}", kept.states);
}

#[test]
fn what_is_published_is_known() {
    let publish = |relaxed| {
        let write = Stmt::Write { to: 0, value: Value::Constant(1) };
        let reader = vec![
            Stmt::Load { to: 0, from: 0, relaxed },
            Stmt::If { local: 0, equals: 1, then: vec![Stmt::Read { to: 1, from: 0 }], otherwise: Vec::new() },
        ];
        // It writes but once: nothing more comes after the store.
        let writer = vec![
            Stmt::Load { to: 0, from: 0, relaxed: false },
            Stmt::If {
                local: 0,
                equals: 0,
                then: vec![write, Stmt::Store { to: 0, value: Value::Constant(1) }],
                otherwise: Vec::new(),
            },
        ];
        expected(vec![writer, reader]).1.races.len()
    };
    assert_eq!([publish(false), publish(true)], [0, 1]);
}

#[test]
fn who_waits_may_wait_for_ever() {
    let wait = |again| Stmt::Wait { condition: 0, mutex: 0, place: 0, until: 1, again };
    let set = Stmt::Write { to: 0, value: Value::Constant(1) };
    let wake = Stmt::Wake { condition: 0, all: false };
    let (source, lost) = expected(vec![locked(vec![wait(true)]), locked(vec![wake.clone()])]);
    // The other one goes on for ever.
    assert!(lost.deadlocks.is_empty());
    assert!(lost.starving.is_empty(), "it is woken again and again: {source}{lost}");
    let (source, alone) = expected(vec![locked(vec![wait(true)]), locked(vec![Stmt::Step { place: 1 }])]);
    assert_eq!(alone.starving, [line(&source, "pthread_cond_wait(&c0, &m0);", 0)].into());
    let (_, told) = expected(vec![locked(vec![wait(true)]), locked(vec![set, wake])]);
    assert!(told.starving.is_empty() && told.races.is_empty());
    let (source, all) = expected(vec![locked(vec![wait(true)]), locked(vec![wait(true)])]);
    let lines = [0, 1].map(|which| line(&source, "pthread_cond_wait(&c0, &m0);", which));
    assert!(all.deadlocks.contains(lines.as_slice()), "{all}");
}

#[test]
fn locks_in_two_orders_are_a_circle() {
    let nested = |first, second| {
        let inner = Stmt::Section { mutex: second, body: vec![Stmt::Step { place: 0 }] };
        vec![Stmt::Section { mutex: first, body: vec![inner] }]
    };
    let (source, crossed) = expected(vec![nested(0, 1), nested(1, 0)]);
    let circle = vec![line(&source, "pthread_mutex_lock(&m1);", 0), line(&source, "pthread_mutex_lock(&m0);", 1)];
    assert_eq!(crossed.circles, [circle].into());
    assert!(expected(vec![nested(0, 1), nested(0, 1)]).1.circles.is_empty());
}

#[test]
fn a_failed_assertion_ends_the_process() {
    let ask = vec![Stmt::Ask { to: 0 }, Stmt::Assert { local: 0, differs: 1 }];
    let (source, asked) = expected(vec![ask, vec![Stmt::Load { to: 0, from: 0, relaxed: false }]]);
    assert_eq!(asked.assertions, [line(&source, "assert(r0 != 1);", 0)].into());
    assert!(asked.deadlocks.is_empty() && asked.starving.is_empty());
}

#[test]
fn who_waits_beside_others_waits_for_good() {
    let flips = || vec![Stmt::Flip { to: 0, place: 0 }];
    let (source, stuck) = expected(vec![flips(), flips(), vec![Stmt::Await { place: 1, until: 1 }]]);
    let waits = line(&source, "while (a1 != 1);", 0);
    assert_eq!(stuck.for_good, [vec![waits]].into());
    assert!(stuck.is_partial() && stuck.deadlocks.is_empty());
    let (_, told) = expected(vec![flips(), vec![Stmt::Await { place: 0, until: 1 }]]);
    assert!(told.for_good.is_empty() && told.starving.is_empty());
    let (source, alone) = expected(vec![vec![Stmt::Await { place: 1, until: 1 }], vec![Stmt::Down]]);
    let all = vec![line(&source, "while (a1 != 1);", 0), line(&source, "sem_wait(&s);", 0)];
    assert_eq!(alone.deadlocks, [all].into());
    assert!(!alone.is_partial());
}

#[test]
fn every_kind_of_statement_comes_up_and_most_programs_are_small() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut small, mut racy, mut stuck, mut beside, mut failing, mut later) = (0, 0, 0, 0, 0, 0);
    for seed in 0..300 {
        let program = generate(seed);
        program.actions().into_iter().for_each(|action| *counts.entry(action).or_default() += 1);
        let Ok(found) = enumerate(&program) else { continue };
        small += 1;
        racy += u32::from(!found.races.is_empty());
        stuck += u32::from(!found.deadlocks.is_empty() || !found.circles.is_empty());
        beside += u32::from(found.is_partial());
        failing += u32::from(!found.assertions.is_empty());
        later += u32::from(found.needs_second_round(&program) == Ok(true));
    }
    assert_eq!(counts.len(), 26, "{counts:?}");
    assert!(counts.values().all(|&count| count >= 5), "{counts:?}");
    let enough = small > 180 && racy > 50 && racy < 240 && stuck >= 5 && beside >= 5 && failing > 20 && later > 20;
    assert!(enough, "{small} {racy} {stuck} {beside} {failing} {later}");
}

#[test]
fn blocks_change_hands() {
    let give = || Stmt::Give { value: Value::Constant(1) };
    let (source, expected_of_owners) = expected(vec![vec![give()], vec![Stmt::Take { to: 0 }]]);
    assert!(expected_of_owners.races.is_empty() && expected_of_owners.after_free.is_empty(), "{source}");
    let (source, peeked) = expected(vec![vec![give()], vec![Stmt::Peek { to: 0, behind: None }]]);
    let at = |words, access| Site { line: line(&source, words, 0), access };
    let race = Race::new(at("if (p) r0 = *p;", AccessKind::Read), at("free(p);", AccessKind::Free));
    assert_eq!(peeked.races, [race].into());
    assert!(peeked.after_free.is_empty(), "{source}");
}

#[test]
fn a_read_after_the_end_of_a_block_need_not_race_with_it() {
    // The second thread may learn of the end before it reads.
    let give = vec![Stmt::Give { value: Value::Constant(1) }, Stmt::Store { to: 0, value: Value::Constant(1) }];
    let (_, unaware) = expected(vec![give.clone(), vec![Stmt::Peek { to: 0, behind: None }]]);
    assert_eq!((unaware.races.len(), unaware.after_free.len()), (1, 0));
    let (_, aware) = expected(vec![give, vec![Stmt::Peek { to: 0, behind: Some(0) }]]);
    assert_eq!((aware.races.len(), aware.after_free.len()), (1, 1));
}

#[test]
fn what_takes_two_rounds_is_told_apart() {
    // The number is 2 only behind the second step.
    let step = || locked(vec![Stmt::Step { place: 0 }]);
    let look = locked(vec![Stmt::Read { to: 0, from: 0 }, Stmt::Assert { local: 0, differs: 2 }]);
    let needs = |program: Program| enumerate(&program).and_then(|all| all.needs_second_round(&program));
    let with = |threads: Vec<Vec<Stmt>>| Program { threads, semaphore: 0 };
    assert_eq!(needs(with(vec![step(), look.clone()])), Ok(true));
    assert_eq!(needs(with(vec![step(), step(), look])), Ok(false));
}

#[test]
fn atomic_sections_are_ordered_among_each_other_only() {
    let section = || vec![Stmt::Atomic { body: vec![Stmt::Step { place: 0 }] }];
    let (_, both) = expected(vec![section(), section()]);
    assert!(both.races.is_empty() && both.deadlocks.is_empty(), "{both}");
    let (_, one) = expected(vec![section(), vec![Stmt::Step { place: 0 }]]);
    assert_eq!(one.races.len(), 3, "{one}");
}
