//! Random programs whose threads go round for ever: findings against all of their states, each gone through once.

use crate::engine::{OPTIONS, check_within, deadlocks, engine, lower, patience, race};
use anyhow::Context;
use explore::{Exploration, FindingKey, JointOptions, Por, SHARES, UnfoldingOptions};
use machine::{ANY_NUMBER, FaultKind, LossKind};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use testkit::endless::{Expectation, enumerate, generate, render};

/// What the campaign saw.
#[derive(Default)]
struct Figures {
    compared: u64,
    too_large: u64,
    /// Raddle did not come to the end.
    unfinished: u64,
    with_findings: u64,
    /// A finding needs a thread that goes round a second time.
    in_second_round: u64,
    /// Somebody waits for good while others go on.
    beside_others: u64,
    states: u64,
    deepest: usize,
    different: u64,
}

/// Compares programs until `count` were compared. False when any differed, or was not finished.
pub fn run(count: u64, first: u64, keep: &Path, por: Por) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let program = generate(seed);
        let this = seed;
        seed += 1;
        // What threads choose within atomic sections the unfolding loses, and says so (`fault` in its ledger): there is nothing to compare.
        let is_lost = matches!(por, Por::Unfolding(_)) && program.actions().contains("atomic section");
        let Some(expected) = (!is_lost).then(|| enumerate(&program).ok()).flatten() else {
            figures.too_large += 1;
            continue;
        };
        let source = render(&program);
        figures.compared += 1;
        figures.with_findings += u64::from(
            !expected.races.is_empty()
                || !expected.assertions.is_empty()
                || !expected.deadlocks.is_empty()
                || !expected.after_free.is_empty()
                || !expected.circles.is_empty()
                || !expected.for_good.is_empty(),
        );
        figures.beside_others += u64::from(expected.is_partial());
        figures.in_second_round += u64::from(expected.needs_second_round(&program).unwrap_or(false));
        figures.states += expected.states as u64;
        figures.deepest = figures.deepest.max(expected.depth);
        let explored = check(lower(&source, scratch.path())?, por)?;
        // Numbers that are computed from inputs round and round are terms without end.
        let lost: Vec<_> = explored.ledger.entries().filter(|(entry, _)| entry.kind != LossKind::WeakMemory).collect();
        let is_bounded = lost.iter().any(|(entry, _)| entry.kind == LossKind::LoopBound);
        let is_complete = explored.exhausted.is_none() && !is_bounded;
        let mut difference = compare(&source, (&expected, is_complete), &explored);
        if !is_complete {
            figures.unfinished += 1;
            let why = explored.exhausted.map_or("a bound".to_owned(), |why| format!("{why:?}"));
            eprintln!("seed {this}: not finished: {why}; {} states", expected.states);
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("unfinished{this}.c")), &source)?;
        } else if !lost.is_empty() {
            let _ = writeln!(difference, "lost: {lost:?}");
        }
        if !difference.is_empty() {
            figures.different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("endless{this}.c")), &source)?;
            std::fs::write(keep.join(format!("endless{this}.txt")), format!("{difference}\nexpected:\n{expected}"))?;
            eprintln!("seed {this}: {difference}");
        }
    }
    println!(
        "{} programs that never end compared ({} too large), seeds {first} to {}: {} differ, {} not finished; {} have findings, {} \
         one that needs a second round, in {} somebody waits for good beside others; {} states, at most {} steps from the start; {:.1} s",
        figures.compared,
        figures.too_large,
        seed - 1,
        figures.different,
        figures.unfinished,
        figures.with_findings,
        figures.in_second_round,
        figures.beside_others,
        figures.states,
        figures.deepest,
        started.elapsed().as_secs_f64()
    );
    Ok(figures.different == 0)
}

/// The strategies that come to an end where states come up again.
pub fn strategies() -> [Por; 2] {
    [Por::ShortestFirst, Por::Unfolding(UnfoldingOptions { cutoffs: true, ..UnfoldingOptions::default() })]
}

/// Explores from `main` by one of those, with wake-ups for nothing whenever a thread waits.
fn check(module: ir::Module, por: Por) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    engine.config.spurious = ANY_NUMBER;
    let options = JointOptions { por: Some(por), keep_outputs: false, ..OPTIONS };
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_within(engine, main, options, (NonZeroUsize::MIN, SHARES), patience(true))
}

/// What is different, in words; empty if nothing is. Of an exploration that is not complete, what it has found has to be there.
fn compare(source: &str, (expected, is_complete): (&Expectation, bool), explored: &Exploration) -> String {
    let mut text = String::new();
    let races: BTreeSet<_> = explored.findings.keys().filter_map(race).collect();
    let words = |races: &BTreeSet<testkit::finding::Race>| races.iter().map(ToString::to_string).collect::<Vec<_>>();
    if !agree(&races, &expected.races, is_complete) {
        let _ = writeln!(text, "races: {:?}, raddle {:?}", words(&expected.races), words(&races));
    }
    let kinds = [FaultKind::Assertion, FaultKind::UseAfterFree];
    for (kind, expected) in kinds.iter().zip([&expected.assertions, &expected.after_free]) {
        let of_kind = |key: &FindingKey| match key {
            FindingKey::Fault(fault, position) if fault == kind => Some(position.line),
            _ => None,
        };
        let have: BTreeSet<u32> = explored.findings.keys().filter_map(of_kind).collect();
        if !agree(&have, expected, is_complete) {
            let _ = writeln!(text, "{kind:?}: {expected:?}, raddle {have:?}");
        }
    }
    let is_other = |key: &&FindingKey| matches!(key, FindingKey::Fault(fault, _) if !kinds.contains(fault));
    explored.findings.keys().filter(is_other).for_each(|key| _ = writeln!(text, "raddle found {key:?}"));
    let joins = |line: &u32| source.lines().nth(*line as usize - 1).is_some_and(|line| line.contains("pthread_join"));
    let own = |lines: &Vec<u32>| lines.iter().copied().filter(|line| !joins(line)).collect::<Vec<_>>();
    let have: BTreeSet<Vec<u32>> = deadlocks(explored).iter().map(own).collect();
    let all: BTreeSet<&Vec<u32>> = expected.deadlocks.iter().chain(&expected.circles).collect();
    // Threads that go round may be stuck with one that waits for good.
    let is_stuck = |lines: &Vec<u32>| all.contains(lines) || lines.iter().any(|line| expected.starving.contains(line));
    let meets = |lines: &Vec<u32>| have.iter().any(|found| found.iter().any(|line| lines.contains(line)));
    let are_there = expected.circles.is_subset(&have)
        && (expected.deadlocks.is_empty() || !have.is_empty())
        && expected.for_good.iter().all(meets);
    if is_complete && !are_there || !have.iter().all(is_stuck) {
        let _ = writeln!(
            text,
            "deadlocks: {:?} and circles {:?} (starving {:?}, for good {:?}), raddle {have:?}",
            expected.deadlocks, expected.circles, expected.starving, expected.for_good
        );
    }
    text
}

fn agree<T: Ord>(have: &BTreeSet<T>, expected: &BTreeSet<T>, is_complete: bool) -> bool {
    if is_complete { have == expected } else { have.is_subset(expected) }
}
