//! Random programs with inputs: the least interferences that each way at their branches takes, against brute force.

use crate::engine::{LIMITS, engine, lower};
use anyhow::Context;
use explore::{Budget, CoverOptions, Coverage, Origin, Wanted, cover, ways};
use machine::Config;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::interference::{Degrees, Pairs, Rendered, degrees, generate, pairs, render};

/// For one program.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Figures {
    compared: u64,
    too_large: u64,
    unfinished: u64,
    different: u64,
    ways: u64,
    interfered: BTreeMap<u32, u64>,
    impossible: u64,
    pairs: u64,
    candidates: u64,
    executions: u64,
    diverged: u64,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Branches, by all optimisations.
    Plain,
    /// Pairs of a write and a read.
    DefUse,
    /// Both, each optimisation left out, candidates in random order, and bounds.
    Variants,
}

/// Compares programs until `count` were compared. False when any differed.
///
/// # Errors
/// When a program cannot be compiled, or the engine fails.
pub fn run(count: u64, first: u64, keep: &Path, how: How) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let program = generate(seed);
        let this = seed;
        seed += 1;
        let Ok(expected) = degrees(&program) else {
            figures.too_large += 1;
            continue;
        };
        let rendered = render(&program);
        if rendered.branches.is_empty() {
            continue;
        }
        let whole = CoverOptions::default();
        let options = match how {
            How::Plain => vec![("as it is", whole)],
            How::DefUse => vec![("writes and reads", CoverOptions { def_use: true, ..whole })],
            How::Variants => std::iter::once(("as it is", whole)).chain(other_options(this)).collect(),
        };
        for (name, options) in options {
            let module = lower(&rendered.source, scratch.path())?;
            let (found, lines, coverage) = covered(module, &rendered, options)?;
            if coverage.exhausted.is_some() {
                figures.unfinished += 1;
                println!("seed {this}, {name}: not finished");
                continue;
            }
            let wrong = match options.def_use {
                false => difference(&rendered, &expected, &found, &coverage, options.max_degree),
                // More writes are told apart.
                true => match pairs(&program) {
                    Ok(expected) => pairs_differ(&rendered, &expected, (&lines, &coverage), options.max_degree),
                    Err(_) => continue,
                },
            };
            if let Some(wrong) = wrong {
                figures.different += 1;
                std::fs::create_dir_all(keep)?;
                std::fs::write(keep.join(format!("interference_{this}.c")), &rendered.source)?;
                println!("seed {this}, {name}: {wrong}");
            }
            figures.candidates += coverage.degrees.values().map(|counts| counts.candidates).sum::<u64>();
            figures.executions += coverage.executions;
            figures.pairs += lines.len() as u64;
            figures.diverged += coverage.diverged;
        }
        figures.compared += 1;
        figures.ways += expected.len() as u64;
        figures.impossible += (2 * rendered.branches.len() - expected.len()) as u64;
        for degree in expected.values().filter(|degree| **degree > 0) {
            *figures.interfered.entry(*degree).or_default() += 1;
        }
    }
    let Figures {
        compared,
        too_large,
        unfinished,
        different,
        ways,
        impossible,
        pairs,
        candidates,
        executions,
        diverged,
        ..
    } = figures;
    println!(
        "{compared} programs, {too_large} too large for brute force, {unfinished} not finished, {different} differ; {:.0} s",
        started.elapsed().as_secs_f64()
    );
    println!("{ways} ways covered, {impossible} impossible, by degree: {:?}", figures.interfered);
    if how != How::Plain {
        println!("{pairs} pairs of a write and a read covered");
    }
    println!("{candidates} candidates, {executions} executions, {diverged} of them not as foreseen");
    Ok(different == 0)
}

/// Each optimisation left out, candidates in random order, and bounds.
fn other_options(seed: u64) -> Vec<(&'static str, CoverOptions)> {
    let whole = CoverOptions::default();
    vec![
        ("without guidance", CoverOptions { guidance: false, ..whole }),
        ("without priorities", CoverOptions { priorities: false, ..whole }),
        ("without subsumption", CoverOptions { subsumption: false, ..whole }),
        ("shuffled", CoverOptions { shuffle: Some(seed), ..whole }),
        ("with no interference", CoverOptions { max_degree: Some(0), ..whole }),
        ("with one interference", CoverOptions { max_degree: Some(1), ..whole }),
        ("with two interferences", CoverOptions { max_degree: Some(2), ..whole }),
        ("writes and reads", CoverOptions { def_use: true, ..whole }),
        ("writes and reads, shuffled", CoverOptions { def_use: true, shuffle: Some(seed), ..whole }),
        ("writes and reads without subsumption", CoverOptions { def_use: true, subsumption: false, ..whole }),
        ("writes and reads with one interference", CoverOptions { def_use: true, max_degree: Some(1), ..whole }),
    ]
}

/// By the lines of a write and a read: the least degree.
type ByLine = BTreeMap<(u32, u32), u32>;

/// What raddle says of the branches, and of pairs, by their lines.
fn covered(
    module: ir::Module,
    rendered: &Rendered,
    options: CoverOptions,
) -> anyhow::Result<(Degrees, ByLine, Coverage)> {
    let mut engine = engine(module, LIMITS.array)?;
    let program = Arc::clone(&engine.program);
    let main = program.module.functions_named("main").next().context("no main")?;
    let config = Config { spurious: 0, ..Config::default() };
    let origin = Origin::Main { program: Arc::clone(&program), main, limits: LIMITS, config };
    let budget = Budget { deadline: Some(Instant::now() + PATIENCE), ..Budget::default() };
    let all = if options.def_use { Vec::new() } else { ways(&program) };
    let (coverage, fault) =
        cover(&mut engine, &origin, Wanted { ways: all, ..Wanted::default() }, options, &budget, &mut ());
    fault.map_or(Ok(()), Err)?;
    let numbers: BTreeMap<u32, usize> =
        rendered.branches.iter().enumerate().map(|(number, &line)| (line, number)).collect();
    let line_of = |site| program.site_location(site).map(|location| program.module[location].line);
    let mut found = Degrees::new();
    for (&(site, way), covered) in &coverage.covered {
        if let Some(&number) = line_of(site).and_then(|line| numbers.get(&line)) {
            found.insert((number, way != 0), covered.degree);
        }
    }
    let mut lines = ByLine::new();
    for (&(write, read), known) in &coverage.pairs {
        if let (Some(write), Some(read), Some(known)) = (line_of(write), line_of(read), known) {
            let least = lines.entry((write, read)).or_insert(known.degree);
            *least = (*least).min(known.degree);
        }
    }
    Ok((found, lines, coverage))
}

/// What is wrong with pairs of a write and a read, in words: by their lines.
fn pairs_differ(
    rendered: &Rendered,
    expected: &Pairs,
    (found, coverage): (&ByLine, &Coverage),
    most: Option<u32>,
) -> Option<String> {
    if let Some(losses) = losses(coverage) {
        return Some(losses);
    }
    let by_line = |(&(write, read), &degree): (&(usize, usize), &u32)| {
        ((rendered.accesses[write], rendered.accesses[read]), degree)
    };
    let expected = expected.iter().map(by_line).filter(|(_, degree)| most.is_none_or(|most| *degree <= most));
    let expected: ByLine = expected.collect();
    (expected != *found).then(|| {
        let missing: Vec<_> = expected.iter().filter(|(pair, degree)| found.get(pair) != Some(degree)).collect();
        let other: Vec<_> = found.iter().filter(|(pair, degree)| expected.get(pair) != Some(degree)).collect();
        format!("lines of writes and reads, and degrees: {missing:?} by brute force, {other:?} by raddle")
    })
}

fn losses(coverage: &Coverage) -> Option<String> {
    let lines: Vec<String> = coverage.ledger.entries().map(|(entry, _)| format!("{entry:?}")).collect();
    (!lines.is_empty()).then(|| format!("losses: {}", lines.join("; ")))
}

/// What is wrong, in words.
fn difference(
    rendered: &Rendered,
    expected: &Degrees,
    found: &Degrees,
    coverage: &Coverage,
    most: Option<u32>,
) -> Option<String> {
    let expected: Degrees =
        expected.iter().filter(|(_, degree)| most.is_none_or(|most| **degree <= most)).map(|(w, d)| (*w, *d)).collect();
    if let Some(losses) = losses(coverage) {
        return Some(losses);
    }
    if expected == *found {
        return None;
    }
    let mut words = Vec::new();
    for number in 0..rendered.branches.len() {
        for holds in [true, false] {
            let (wanted, got) = (expected.get(&(number, holds)), found.get(&(number, holds)));
            if wanted != got {
                let line = rendered.branches[number];
                words.push(format!("line {line} {holds}: {wanted:?} by brute force, {got:?} by raddle"));
            }
        }
    }
    Some(words.join("; "))
}

/// A program whose candidates are taken in so many random orders: what differs from the first.
///
/// # Errors
/// When it cannot be compiled, or the engine fails.
pub fn in_random_orders(source: &str, orders: u64) -> anyhow::Result<Vec<Degrees>> {
    let scratch = tempfile::tempdir()?;
    let lines = (1..).zip(source.lines()).filter(|(_, line)| line.contains("if (")).map(|(number, _)| number);
    let rendered = Rendered { source: source.to_owned(), branches: lines.collect(), accesses: Vec::new() };
    let mut all: Vec<Degrees> = Vec::new();
    for seed in 0..orders {
        let options = CoverOptions { shuffle: Some(seed), ..CoverOptions::default() };
        let (degrees, ..) = covered(lower(source, scratch.path())?, &rendered, options)?;
        if !all.contains(&degrees) {
            all.push(degrees);
        }
    }
    Ok(all)
}
