//! The programs of `bench/rc11`: what raddle says of their weak atomics against what is annotated there, and what it costs to ask.

use crate::engine::{check_within, engine, lower_file};
use anyhow::{Context, bail};
use explore::{Budget, FindingKey, JointOptions, SHARES};
use ir::Module;
use machine::{LossKind, Weak};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the weak orders of a program come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// They race under sequential consistency.
    Race,
    /// RC11 allows what no interleaving shows.
    Weak,
    Robust,
}

impl Kind {
    fn of(name: &str) -> anyhow::Result<Kind> {
        Ok(match name {
            "race" => Kind::Race,
            "weak" => Kind::Weak,
            "robust" => Kind::Robust,
            _ => bail!("`{name}` is none of race, weak, robust"),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Race => "race",
            Kind::Weak => "weak",
            Kind::Robust => "robust",
        }
    }
}

/// What a search came to.
struct Searched {
    kind: Option<Kind>,
    reason: String,
    executions: u64,
    time: Duration,
}

/// Searches each variant of each program, with and without the question. False when one differs from what is annotated.
///
/// # Errors
/// When a program cannot be read, or the engine fails.
pub fn run(folder: &Path, only: &[String], repeat: u32, seconds: u64) -> anyhow::Result<bool> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    sources.sort();
    println!(
        "{:17} {:13} {:7} {:7} {:>10} {:>9} {:>9} {:>6}  reason",
        "program", "variant", "known", "found", "executions", "without", "with", "ratio"
    );
    let mut agree = true;
    for source in sources {
        let name = source.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        for (variant, known) in variants(&source)? {
            let module = lower_file(&source, &[&format!("-D{variant}")])?;
            let mut without = searched(&module, Weak::Accept, seconds)?;
            let mut with = searched(&module, Weak::Ask, seconds)?;
            for _ in 1..repeat {
                without.time = without.time.min(searched(&module, Weak::Accept, seconds)?.time);
                with.time = with.time.min(searched(&module, Weak::Ask, seconds)?.time);
            }
            let is_same = with.kind == Some(known);
            agree &= is_same;
            println!(
                "{name:17} {variant:13} {:7} {:7} {:>10} {:>8.3}s {:>8.3}s {:>6.2}  {}{}",
                known.name(),
                with.kind.map_or("open", Kind::name),
                with.executions,
                without.time.as_secs_f64(),
                with.time.as_secs_f64(),
                with.time.as_secs_f64() / without.time.as_secs_f64(),
                with.reason,
                if is_same { "" } else { "  DIFFERS" }
            );
        }
    }
    Ok(agree)
}

/// The variants that a program says it has: names that it is compiled with, and what they come to.
fn variants(source: &Path) -> anyhow::Result<Vec<(String, Kind)>> {
    let text = std::fs::read_to_string(source)?;
    let line = text.lines().find_map(|line| line.strip_prefix("// variants: "));
    let line = line.with_context(|| format!("{}: no line `// variants:`", source.display()))?;
    line.split_whitespace()
        .map(|one| {
            let (name, kind) = one.split_once('=').with_context(|| format!("`{one}` is no `name=kind`"))?;
            Ok((name.to_owned(), Kind::of(kind)?))
        })
        .collect()
}

/// Explores all classes of executions, each by itself.
fn searched(module: &Module, weak: Weak, seconds: u64) -> anyhow::Result<Searched> {
    let mut engine = engine(module.clone(), 2)?;
    engine.config.weak = weak;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let options = JointOptions::default().by_class();
    let started = Instant::now();
    let budget = Budget { deadline: Some(started + Duration::from_secs(seconds)), ..Budget::default() };
    let explored = check_within(&mut engine, main, options, (NonZeroUsize::MIN, SHARES), budget)?;
    let time = started.elapsed();
    let races = explored.findings.keys().any(|key| matches!(key, FindingKey::Race(_)));
    let others = engine.ledger.entries().any(|(entry, _)| entry.kind != LossKind::WeakMemory);
    let first = engine.ledger.entries().next().map(|(entry, _)| entry.site.to_string());
    let (kind, reason) = match (races, first) {
        (true, _) => (Some(Kind::Race), String::new()),
        _ if explored.exhausted.is_some() || others || !explored.findings.is_empty() => (None, "not whole".to_owned()),
        (false, None) => (Some(Kind::Robust), String::new()),
        (false, Some(place)) => (Some(Kind::Weak), place),
    };
    Ok(Searched { kind, reason, executions: explored.counts.executions, time })
}
