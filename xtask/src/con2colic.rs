//! The programs of `bench/con2colic`: what is annotated there against what raddle covers, beside the paper's Table 1.

use crate::engine::{LIMITS, engine, lower_file};
use anyhow::Context;
use explore::{Budget, CoverOptions, Coverage, Origin, cover, ways};
use machine::{Config, Program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of the paper, for programs that it has too: degrees, candidates, seconds (Table 1).
const PAPER: [(&str, &str, &str, &str); 8] = [
    ("bluetooth", "14/8/2", "282", "0.5"),
    ("sor", "37/8/0/0/3", "145", "0.6"),
    ("splay", "46/14/4", "3501", "6.2"),
    ("rbtree", "67/22/4/2", "77037", "296.3"),
    ("art2", "7/1", "80", "0.3"),
    ("art3", "10/1/1", "17942", "21.8"),
    ("art4", "13/1/1/1", "2842066", "197.1"),
    ("art5", "16/1/1/1/1", "10851573", "741.1"),
];

/// A way at a branch: file, line, and whether its condition holds.
type Place = (String, u32, bool);

/// What is annotated: the least degree, or none for what nothing covers.
type Annotated = BTreeMap<Place, Option<u32>>;

/// Covers all of them, or those of these names. False when one differs from what is annotated.
///
/// # Errors
/// When a program cannot be read, or the engine fails.
pub fn run(folder: &Path, only: &[String], options: CoverOptions, seconds: u64) -> anyhow::Result<bool> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    sources.sort();
    println!(
        "{:10} {:>8} {:20} {:20} {:>10} {:>10} {:>8} {:>8}",
        "program", "outcomes", "by degree", "paper", "tried", "paper", "time", "paper"
    );
    let mut agree = true;
    for source in sources {
        let name = source.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        let begun = Instant::now();
        let (program, coverage) = covered(&source, options, Duration::from_secs(seconds))?;
        let time = begun.elapsed().as_secs_f64();
        let degrees: Vec<String> = (0..=coverage.degrees.keys().next_back().copied().unwrap_or(0))
            .map(|k| coverage.degrees.get(&k).map_or(0, |counts| counts.covered).to_string())
            .collect();
        let degrees = degrees.join("/").trim_end_matches("/0").to_owned();
        let tried: u64 = coverage.degrees.values().map(|counts| counts.candidates).sum();
        let paper = PAPER.iter().find(|row| row.0 == name).map_or(("", "", ""), |row| (row.1, row.2, row.3));
        println!(
            "{name:10} {:>8} {degrees:20} {:20} {tried:>10} {:>10} {time:>7.2}s {:>7}s",
            coverage.ways.len(),
            paper.0,
            paper.1,
            paper.2
        );
        for wrong in differences(&program, &coverage, &annotated(folder)?) {
            agree = false;
            println!("    {wrong}");
        }
        if let Some(exhausted) = coverage.exhausted {
            println!("    not finished: {exhausted:?}; complete to {:?}", coverage.complete_to);
        }
        for (entry, count) in coverage.ledger.entries() {
            println!("    {count} of {entry:?}");
        }
        let keys: Vec<String> = coverage.findings.keys().map(explore::FindingKey::in_words).collect();
        println!(
            "    {} tests, {} executions, {} not as foreseen; meets {keys:?}",
            coverage.tests.len(),
            coverage.executions,
            coverage.diverged
        );
    }
    Ok(agree)
}

fn covered(source: &Path, options: CoverOptions, time: Duration) -> anyhow::Result<(Arc<Program>, Coverage)> {
    let mut engine = engine(lower_file(source, &["-w"])?, LIMITS.array)?;
    let program = Arc::clone(&engine.program);
    let main = program.module.functions_named("main").next().context("no main")?;
    let config = Config { spurious: 0, ..Config::default() };
    let origin = Origin::Main { program: Arc::clone(&program), main, limits: LIMITS, config };
    let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
    let all = ways(&program);
    let (coverage, fault) = cover(
        &mut engine,
        &origin,
        explore::Wanted { ways: all, ..explore::Wanted::default() },
        options,
        &budget,
        &mut (),
    );
    fault.map_or(Ok((program, coverage)), |fault| Err(fault.into()))
}

/// What stands behind `//~ degree` in the sources of a folder.
fn annotated(folder: &Path) -> anyhow::Result<Annotated> {
    let mut all = Annotated::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if !name.ends_with(".c") && !name.ends_with(".h") {
            continue;
        }
        for (number, line) in (1..).zip(std::fs::read_to_string(&path)?.lines()) {
            let Some((_, words)) = line.split_once("//~ degree ") else { continue };
            for word in words.split_whitespace() {
                let (holds, degree) = word.split_once('=').context("true=K or false=K")?;
                all.insert((name.to_owned(), number, holds == "true"), degree.parse().ok());
            }
        }
    }
    Ok(all)
}

/// Where raddle and the annotations differ.
fn differences(program: &Program, coverage: &Coverage, annotated: &Annotated) -> Vec<String> {
    let mut wrong = Vec::new();
    for &(site, way) in &coverage.ways {
        let Some(location) = program.site_location(site).map(|location| &program.module[location]) else { continue };
        let file = Path::new(&program.module[location.file].path);
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let found = coverage.covered.get(&(site, way)).map(|covered| covered.degree);
        match annotated.get(&(name.clone(), location.line, way != 0)) {
            None => wrong.push(format!("{name}:{} {}: not annotated", location.line, way != 0)),
            Some(expected) if *expected != found => {
                wrong.push(format!("{name}:{} {}: {expected:?} annotated, {found:?} found", location.line, way != 0));
            }
            Some(_) => {}
        }
    }
    wrong
}
