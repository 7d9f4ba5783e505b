//! Random multithreaded programs: findings, deadlocks and outputs, against brute force.
//!
//! With a bound on preemptions both sides keep to it, and must find the same as well. Brute force may preempt a thread
//! before each of its steps, raddle only before visible actions. That is the same: what a thread does between a
//! preemption and its next visible action can be done before the preemption, for nobody notices, else it would race and
//! be visible. And each run of raddle's is one of the program with as many preemptions, for it runs a thread only when
//! it is scheduled, also to begin and to return from a join.

use crate::engine::{
    OPTIONS, STRATEGIES, TINY_SHARES, check_in_hands, check_in_pieces, check_with, deadlocks, divided_differs, engine,
    lower, race, strategy_differs,
};
use anyhow::Context;
use explore::{
    Exploration, FindingKey, JointOptions, Likely, Por, SHARES, Sampler, Sampling, Schedules, SearchOrder,
    UnfoldingOptions,
};
use machine::FaultKind;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use testkit::program::{Config, Expectation, Semantics, generate, render};

/// Random walks through each program.
const WALKS: u32 = 20;

/// Brute force takes no longer executions, so none has as many preemptions.
const MAX_STEPS: u32 = 128;

/// What the campaign saw.
#[derive(Default)]
struct Figures {
    compared: u64,
    too_large: u64,
    racy: u64,
    deadlocking: u64,
    races: u64,
    /// Found before all was explored.
    likely: u64,
    /// Shown to have no race without being run.
    proved: u64,
    executions: u64,
    interleavings: u64,
    different: u64,
}

/// Compares programs until `count` were compared. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path, preemptions: Option<u32>) -> anyhow::Result<bool> {
    let semantics = Semantics { preemptions, ..Semantics::default() };
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let program = generate(seed, &Config::default());
        let this = seed;
        seed += 1;
        let Ok(expected) = testkit::program::explore(&program, &semantics) else {
            figures.too_large += 1;
            continue;
        };
        let source = render(&program);
        let module = lower(&source, scratch.path())?;
        let explored = check(module.clone(), JointOptions { schedules: Schedules::within(preemptions), ..OPTIONS })?;
        if explored.exhausted.is_some() {
            figures.too_large += 1;
            continue;
        }
        figures.compared += 1;
        figures.racy += u64::from(!expected.races.is_empty());
        figures.deadlocking += u64::from(expected.deadlock());
        figures.races += expected.races.len() as u64;
        figures.executions += explored.counts.executions;
        figures.interleavings += expected.interleavings;
        let reached = lines_reached(&module, &explored)?;
        let mut difference = compare(&source, &expected, (&explored, &reached));
        let is_proved = is_proved(&module);
        figures.proved += u64::from(is_proved && expected.races.is_empty());
        if is_proved && !expected.races.is_empty() {
            difference.push_str("locksets show that nothing races\n");
        }
        if preemptions.is_none() {
            difference.push_str(&in_other_ways((&source, &module), &explored, this, &mut figures)?);
        }
        if preemptions.is_some_and(|bound| bound >= MAX_STEPS) {
            let (bounded, all) = (explored.counts.executions, check(module, OPTIONS)?.counts.executions);
            if bounded != all {
                let _ = writeln!(difference, "executions: {bounded} within a bound that excludes none, {all} without");
            }
        }
        if !difference.is_empty() {
            figures.different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("{this}.c")), &source)?;
            std::fs::write(keep.join(format!("{this}.txt")), format!("{difference}\nexpected:\n{expected}"))?;
            eprintln!("seed {this}: {difference}");
        }
    }
    println!(
        "{} programs compared ({} too large), seeds {first} to {}: {} differ",
        figures.compared,
        figures.too_large,
        seed - 1,
        figures.different
    );
    println!(
        "{} race ({} races, {} of them found first), {} were shown to have none by locksets, {} deadlock; {} interleavings by brute force, {} executions by raddle; {:.1} s",
        figures.racy,
        figures.races,
        figures.likely,
        figures.proved,
        figures.deadlocking,
        figures.interleavings,
        figures.executions,
        started.elapsed().as_secs_f64()
    );
    Ok(figures.different == 0)
}

/// Whether locksets show that a program has no race.
pub(crate) fn is_proved(module: &ir::Module) -> bool {
    module.functions_named("main").next().is_some_and(|main| locksets::prove(module, main).is_ok())
}

/// What is different where other ways come first. Where runs are cut because they repeat themselves, it depends on the order how many are
/// completed.
fn in_other_orders(module: &ir::Module, explored: &Exploration, seed: u64) -> anyhow::Result<String> {
    let cutoffs = Por::Unfolding(UnfoldingOptions { cutoffs: true, ..UnfoldingOptions::default() });
    let mut difference = String::new();
    for order in [SearchOrder::Random(seed), SearchOrder::Coverage, SearchOrder::NewEvents] {
        for por in STRATEGIES.into_iter().chain([Por::ShortestFirst, cutoffs]) {
            let other = check(module.clone(), JointOptions { por: Some(por), order, ..OPTIONS })?;
            let is_counted = STRATEGIES.contains(&por) && [explored, &other].iter().all(|one| one.counts.repeated == 0);
            let executions = [explored, &other].map(|one| one.counts.executions);
            let found = [explored, &other].map(keys);
            let outputs = [explored, &other].map(|one| &one.counts.outputs);
            if is_counted && executions[0] != executions[1] {
                let _ = writeln!(
                    difference,
                    "{por:?} in the order {order:?}: {} executions, else {}",
                    executions[1], executions[0]
                );
            }
            if found[0] != found[1] || outputs[0] != outputs[1] {
                let _ = writeln!(difference, "{por:?} in the order {order:?}: {:?} {:?}", found[1], outputs[1]);
            }
        }
    }
    Ok(difference)
}

/// What is different where the search is divided, in pieces, by another strategy, or comes behind likely races.
fn in_other_ways(
    (source, module): (&str, &ir::Module),
    explored: &Exploration,
    seed: u64,
    figures: &mut Figures,
) -> anyhow::Result<String> {
    let mut difference = String::new();
    let divided = check_divided(module.clone())?;
    let redundant = [explored, &divided].map(|explored| explored.counts.redundant);
    if redundant[0] != redundant[1] {
        let _ = writeln!(difference, "redundant runs, whole and divided: {redundant:?}");
    }
    difference.push_str(&divided_differs(&explored.counts, &divided.counts));
    if keys(explored) != keys(&divided) {
        let _ = writeln!(difference, "findings when divided: {:?}", keys(&divided));
    }
    let guided = check_guided(module.clone())?;
    figures.likely += guided.guided.as_ref().map_or(0, |guided| guided.confirmed);
    if keys(explored) != keys(&guided) {
        let _ = writeln!(difference, "findings where likely races come first: {:?}", keys(&guided));
    }
    let counts = [explored, &guided].map(|explored| (explored.counts.executions, &explored.counts.outputs));
    if counts[0] != counts[1] {
        let _ = writeln!(difference, "executions and outputs, and where likely races come first: {counts:?}");
    }
    for por in STRATEGIES {
        let options = JointOptions { por: Some(por), ..OPTIONS };
        difference.push_str(&strategy_differs(por, explored, &check(module.clone(), options)?));
    }
    let cutoffs = Por::Unfolding(UnfoldingOptions { cutoffs: true, ..UnfoldingOptions::default() });
    difference.push_str(&in_other_orders(module, explored, seed)?);
    for por in [Por::ShortestFirst, cutoffs] {
        let other = check(module.clone(), JointOptions { por: Some(por), ..OPTIONS })?;
        if keys(explored) != keys(&other) || explored.counts.outputs != other.counts.outputs {
            let (have, printed) = (keys(&other), &other.counts.outputs);
            let _ = writeln!(difference, "{por:?}: {have:?}, printed {printed:?}");
        }
    }
    // There, who waits by looking again and again does so for ever.
    if !source.contains("while (") {
        let por = Por::Unfolding(UnfoldingOptions::default());
        let unfolding = check(module.clone(), JointOptions { por: Some(por), ..OPTIONS })?;
        difference.push_str(&strategy_differs(por, explored, &unfolding));
        if unfolding.counts.redundant != 0 {
            let _ = writeln!(difference, "unfolding: {} redundant", unfolding.counts.redundant);
        }
    }
    for sampler in SAMPLERS {
        let schedules = Schedules::Random(Sampling { sampler, count: WALKS, seed });
        let walked = check(module.clone(), JointOptions { schedules, ..OPTIONS })?;
        difference.push_str(&walks_differ(explored, &walked));
    }
    let pieces = check_pieces(module.clone())?;
    difference.push_str(&divided_differs(&explored.counts, &pieces.counts));
    if keys(explored) != keys(&pieces) || divided.spent.statistics != pieces.spent.statistics {
        let (have, want) = (pieces.spent.statistics, divided.spent.statistics);
        let _ = writeln!(difference, "in pieces: {:?}, {have:?}, without interruption {want:?}", keys(&pieces));
    }
    let hands = check_hands(module.clone(), seed)?;
    difference.push_str(&divided_differs(&explored.counts, &hands.counts));
    let figures = |o: &Exploration| (o.counts.redundant, o.spent.statistics, o.ledger.clone(), o.exhausted.is_some());
    if keys(explored) != keys(&hands) || figures(&divided) != figures(&hands) {
        let (have, want) = (figures(&hands), figures(&divided));
        let _ = writeln!(difference, "in several hands: {:?}, {have:?}, in two {want:?}", keys(&hands));
    }
    Ok(difference)
}

/// All of them.
const SAMPLERS: [Sampler; 4] = [Sampler::Walk, Sampler::Pct { depth: 3 }, Sampler::Pos, Sampler::Surw];

/// What executions at random show that is not there; empty if nothing is.
fn walks_differ(all: &Exploration, walked: &Exploration) -> String {
    let mut text = String::new();
    for key in walked.findings.keys().filter(|key| !all.findings.contains_key(*key)) {
        let _ = writeln!(text, "found at random alone: {key:?}");
    }
    if !walked.counts.outputs.is_subset(&all.counts.outputs) || walked.ledger.is_empty() {
        let _ = writeln!(text, "printed at random: {:?}, lost {:?}", walked.counts.outputs, walked.ledger);
    }
    text
}

/// Explores from `main`, with the search divided among two workers as finely as can be.
fn check_divided(module: ir::Module) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_with(engine, main, OPTIONS, NonZeroUsize::MIN.saturating_add(1), TINY_SHARES)
}

/// Explores from `main` when likely races were looked for.
fn check_guided(module: ir::Module) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let options = JointOptions { likely: Likely::First, ..OPTIONS };
    check_with(engine, main, options, NonZeroUsize::MIN, SHARES)
}

/// As [`check_divided`], interrupted again and again.
fn check_pieces(module: ir::Module) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_in_pieces(engine, main, OPTIONS)
}

/// As [`check_divided`], by several who know nothing of each other.
fn check_hands(module: ir::Module, seed: u64) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_in_hands(engine, main, OPTIONS, seed)
}

fn keys(explored: &Exploration) -> BTreeSet<&FindingKey> {
    explored.findings.keys().collect()
}

/// Explores from `main`.
fn check(module: ir::Module, options: JointOptions) -> anyhow::Result<Exploration> {
    let engine = &mut engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_with(engine, main, options, NonZeroUsize::MIN, SHARES)
}

/// The lines of the program's own code that an exploration came to. Where likely races come first the program is the same.
pub(crate) fn lines_reached(module: &ir::Module, explored: &Exploration) -> anyhow::Result<BTreeSet<u32>> {
    let program = machine::Program::new(module.clone(), 2)?;
    let mut lines = BTreeSet::new();
    for (id, function) in module.functions().filter(|(_, function)| !function.library) {
        for (index, block) in function.blocks.iter().enumerate() {
            let reach = explored.spent.came.reach(&program, id, ir::BlockId::new(index));
            let all = block.insts.iter().map(|inst| inst.location).chain([block.terminator_location]);
            lines.extend(all.take(reach).flatten().map(|location| module[location].line));
        }
    }
    Ok(lines)
}

/// What is different, in words; empty if nothing is.
pub(crate) fn compare(
    source: &str,
    expected: &Expectation,
    (explored, reached): (&Exploration, &BTreeSet<u32>),
) -> String {
    let mut text = String::new();
    let mut note = |what: &str, want: String, have: String| {
        if want != have {
            let _ = writeln!(text, "{what}: brute force {want}, raddle {have}");
        }
    };
    let races: BTreeSet<_> = explored.findings.keys().filter_map(race).collect();
    note("races", format!("{:?}", list(&expected.races)), format!("{:?}", list(&races)));
    let faults = |kind: FaultKind| -> BTreeSet<u32> {
        let line = |key: &FindingKey| match key {
            FindingKey::Fault(found, position) if *found == kind => Some(position.line),
            _ => None,
        };
        explored.findings.keys().filter_map(line).collect()
    };
    note("assertions", format!("{:?}", expected.assertions), format!("{:?}", faults(FaultKind::Assertion)));
    note("lock misuse", format!("{:?}", expected.misuse), format!("{:?}", faults(FaultKind::LockMisuse)));
    // Where something fails, who goes on, and how far, is another matter.
    if expected.assertions.is_empty() && expected.misuse.is_empty() && expected.memory.is_empty() && !reached.is_empty()
    {
        let known: BTreeSet<u32> = expected.reached.union(&expected.unreached).copied().collect();
        let have: BTreeSet<u32> = reached.intersection(&known).copied().collect();
        note("lines that are reached", format!("{:?}", expected.reached), format!("{have:?}"));
    }
    let memory: BTreeSet<u32> = expected.memory.iter().map(|(line, _)| *line).collect();
    let mut found = faults(FaultKind::UseAfterFree);
    found.extend(faults(FaultKind::DoubleFree));
    note("memory faults", format!("{memory:?}"), format!("{found:?}"));
    let outputs: BTreeSet<String> =
        explored.counts.outputs.iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect();
    note("outputs", format!("{:?}", expected.outputs), format!("{outputs:?}"));
    let joins: BTreeSet<u32> = source
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("pthread_join"))
        .map(|(index, _)| index as u32 + 1)
        .collect();
    // A thread that joins is stuck because of others, who tell deadlocks apart.
    let essential = |lines: &Vec<u32>| -> Vec<u32> {
        let mut rest: Vec<u32> = lines.iter().copied().filter(|line| !joins.contains(line)).collect();
        rest.dedup();
        if rest.is_empty() { lines.clone() } else { rest }
    };
    let have: BTreeSet<Vec<u32>> = deadlocks(explored).iter().map(essential).collect();
    let all: BTreeSet<Vec<u32>> = expected.deadlocks.iter().map(|d| essential(&d.lines)).collect();
    let cycles: BTreeSet<Vec<u32>> =
        expected.deadlocks.iter().filter(|d| !d.total).map(|d| essential(&d.lines)).collect();
    if have.is_empty() != all.is_empty() || !have.is_subset(&all) || !cycles.is_subset(&have) {
        note("deadlocks", format!("{all:?}, of which cycles {cycles:?}"), format!("{have:?}"));
    }
    text
}

fn list(races: &BTreeSet<testkit::finding::Race>) -> Vec<String> {
    races.iter().map(ToString::to_string).collect()
}
