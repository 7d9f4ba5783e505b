//! What calls of random libraries come to at once that no order of them comes to, and what they come to in each order, against all interleavings.

use crate::engine::{engine, lower_library, new_engine};
use anyhow::{Context, bail};
use explore::{
    Budget, InTurn, JointOptions, LibraryOptions, Operation, Origin, Paused, Results, RootRule, SHARES, Sequence,
    Workers, explore_library, in_turn,
};
use machine::{Config, Engine, Repeats};
use memory::{HeapRules, Limits};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use testkit::remedied::{self, generate, parse, without_a_statement};

#[derive(Default)]
struct Figures {
    pairs: u64,
    /// Come to what no order comes to, in executions without a race and in those with one.
    new: u64,
    raced: u64,
    /// Not all was compared.
    open: u64,
    /// Changed libraries that come to something else in some order; those of which it cannot be said.
    changed: u64,
    unchanged: u64,
    not_compared: u64,
    different: u64,
}

/// Compares so many libraries, from a seed on. False where something differs.
///
/// # Errors
/// When a library does not compile, or the engine fails.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let (scratch, started, mut figures) = (tempfile::tempdir()?, Instant::now(), Figures::default());
    for seed in first..first + count {
        let source = generate(seed);
        let difference = compare(seed, &source, scratch.path(), &mut figures)?;
        if !difference.is_empty() {
            figures.different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("results{seed}.c")), format!("{source}/*\n{difference}*/\n"))?;
            eprintln!("seed {seed}: {difference}");
        }
    }
    let Figures { pairs, new, raced, open, changed, unchanged, not_compared, different } = figures;
    println!(
        "{count} libraries, {pairs} pairs of calls: {different} differ; {new} pairs come to what no order comes to without a race, {raced} with one, {open} not compared; \
         of changed ones {changed} come to something else in some order, {unchanged} do not, {not_compared} not compared; {:.1} s",
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

fn compare(seed: u64, source: &str, scratch: &Path, figures: &mut Figures) -> anyhow::Result<String> {
    let read = |source: &str| parse(source).map_err(|line| anyhow::anyhow!("seed {seed}: not read: {line}"));
    let operations = read(source)?;
    let changed_source = without_a_statement(source, seed);
    let changed = read(&changed_source)?;
    let engine_of = |source: &str| engine(lower_library(source, scratch)?, 2);
    let (mut original, mut other) = (engine_of(source)?, engine_of(&changed_source)?);
    let mut text = String::new();
    for one in 0..operations.len() {
        for two in one..operations.len() {
            figures.pairs += 1;
            let names = [operations[one].name.as_str(), operations[two].name.as_str()];
            let expected = remedied::Results::of([&operations[one], &operations[two]]);
            let found = results(&original, names)?;
            figures.new += u64::from(!found.new.is_empty());
            figures.raced += u64::from(found.raced > 0);
            figures.open += u64::from(found.open > 0);
            // An execution stands for others in which sections come in another order, and a race in one of these is its race.
            let (new, raced) = (!found.new.is_empty(), found.raced > 0);
            let is_true = (!new || expected.is_new) && (!raced || expected.is_new_and_raced);
            let is_all = match (expected.is_new, expected.is_new_and_raced) {
                (_, true) => raced,
                (true, false) => new,
                (false, false) => true,
            };
            // What is not compared may be new.
            if !is_true || !is_all && found.open == 0 {
                text.push_str(&format!("{names:?}: {found:?}, expected: {expected:?}\n"));
            }
            let before = turns(&mut original, names)?.context("it is small")?;
            let after = turns(&mut other, names)?.context("it is small")?;
            let is_same = remedied::are_in_turn([&operations[one], &operations[two]], [&changed[one], &changed[two]]);
            match (before.heaps == after.heaps, before.ends == after.ends, is_same) {
                (false, ..) => figures.not_compared += 1,
                (true, true, true) => figures.unchanged += 1,
                (true, false, _) => figures.changed += 1,
                (true, true, false) => {
                    text.push_str(&format!("{names:?}: one after the other as without a statement\n"))
                }
            }
            if operations[one] == changed[one] && operations[two] == changed[two] && before != after {
                text.push_str(&format!("{names:?}: one after the other otherwise, and nothing was changed\n"));
            }
        }
    }
    Ok(text)
}

fn origin(engine: &Engine, names: [&str; 2]) -> anyhow::Result<Origin> {
    let together = Config::default();
    let options = LibraryOptions {
        limits: Limits { depth: 3, array: 2, rules: HeapRules::default() },
        globals_symbolic: true,
        roots: RootRule::Same,
        valid: None,
        joint: JointOptions { keep_results: true, failures: true, atomic_blocks: true, ..JointOptions::default() },
        alone: Config { repeats: Repeats::Control, wakes: false, quiet_steps: 200_000, ..together },
        together,
    };
    let sequence = |name: &&str| {
        let function = engine.program.module.functions_named(name).next()?;
        Some(Sequence::from(Operation::new(function, *name)))
    };
    let threads: Vec<Sequence> = names.iter().map(sequence).collect::<Option<_>>().context("it has both")?;
    let Ok(origin) = Origin::library(&engine.program, &threads, &options) else { bail!("it can be called") };
    Ok(origin.narrowed()?.origin)
}

fn results(engine: &Engine, names: [&str; 2]) -> anyhow::Result<Results> {
    let (origin, new_engine) = (origin(engine, names)?, new_engine(engine));
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    let explored = explore_library(workers, &origin, &Budget::default(), &mut (), Paused::default())?;
    Ok(explored.counts.results)
}

fn turns(engine: &mut Engine, names: [&str; 2]) -> anyhow::Result<Option<InTurn>> {
    let origin = origin(engine, names)?;
    let mut engine = new_engine(engine)(origin.program())?;
    Ok(in_turn(&mut engine, &origin, &Budget::default())?)
}
