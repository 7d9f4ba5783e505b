//! Random kernels that walk through arrays: where flows see nothing wrong, nothing is, for any `n` that is counted out.

use crate::engine::{LIMITS, engine, lower_cuda};
use anyhow::Context;
use explore::{FlowPairKind, FlowPairs, Kernel as Launched, Operation};
use machine::{Config, Engine, Launch, Repeats, Sched, Summaries};
use smt::Limits;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use testkit::strides::{Kernel, generate, races, render};

/// Rounds of loops in which threads meet: those of larger inputs are not counted out.
const UNROLL: u32 = 6;
/// Of the solver for one question, as on the command line.
const STEPS: u32 = 32_000;
/// Kernels that are compiled together.
const BATCH: u64 = 25;

#[derive(Default)]
struct Figures {
    compared: u64,
    not_judged: u64,
    wrong: u64,
    /// Both say that nothing is.
    agreed: u64,
    /// Flows name what is wrong, all of it.
    named: u64,
    /// Flows see something where none is up to the largest `n`, or give up.
    open: u64,
    given_up: BTreeMap<String, u64>,
    different: u64,
    queries: u64,
}

/// Compares kernels until `count` were compared. False when any differed.
///
/// # Errors
/// When a kernel does not compile, or the engine fails.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let mut kernels: Vec<Kernel> = Vec::new();
        while kernels.len() < BATCH.min(count - figures.compared) as usize {
            let kernel = generate(seed, &format!("k{seed}"));
            seed += 1;
            if races(&kernel).is_some() { kernels.push(kernel) } else { figures.not_judged += 1 }
        }
        let source = render(&mut kernels);
        let mut engine = engine(lower_cuda(&source, scratch.path())?, LIMITS.array)?;
        engine.solver.set_limits(Limits { steps: Some(STEPS), ..Limits::default() });
        for kernel in &kernels {
            let difference = compare(&mut engine, kernel, &mut figures)?;
            if !difference.is_empty() {
                figures.different += 1;
                std::fs::create_dir_all(keep)?;
                let alone = render(&mut [kernel.clone()]);
                std::fs::write(keep.join(format!("{}.cu", kernel.name)), format!("{alone}// {difference}\n"))?;
                eprintln!("{}: {difference}", kernel.name);
            }
        }
    }
    println!(
        "{} kernels compared ({} not judged), seeds {first} to {}: {} differ; {} with something wrong, of which all is named in {}; nothing wrong in {}; {} open; \
         {} queries; {:.1} s; given up: {:?}",
        figures.compared,
        figures.not_judged,
        seed - 1,
        figures.different,
        figures.wrong,
        figures.named,
        figures.agreed,
        figures.open,
        figures.queries,
        started.elapsed().as_secs_f64(),
        figures.given_up
    );
    Ok(figures.different == 0)
}

fn compare(engine: &mut Engine, kernel: &Kernel, figures: &mut Figures) -> anyhow::Result<String> {
    let Some(wrong) = races(kernel) else { return Ok(String::new()) };
    figures.compared += 1;
    figures.wrong += u64::from(!wrong.is_empty());
    let launch = Launch {
        grid: [kernel.blocks as u32, 1, 1],
        block: [kernel.threads as u32, 1, 1],
        warp: 32,
        shared: 0,
        sched: Sched::Independent,
    };
    let (found, given_up) = pairs(engine, &kernel.name, launch)?;
    figures.queries += found.queries;
    for reason in &given_up {
        *figures.given_up.entry(reason.clone()).or_default() += 1;
    }
    let line = |site| {
        let module = &engine.program.module;
        engine.program.site_location(site).map_or(0, |at| module[at].line)
    };
    let told: Vec<(u32, u32)> = found
        .pairs
        .iter()
        .filter(|pair| pair.kind != FlowPairKind::Divergence)
        .map(|pair| pair.sites.map(line))
        .map(|[one, other]| (one.min(other), one.max(other)))
        .collect();
    let diverges = found.pairs.iter().any(|pair| pair.kind == FlowPairKind::Divergence);
    if !given_up.is_empty() {
        figures.open += 1;
        return Ok(String::new());
    }
    // Behind a barrier that diverges nothing is claimed.
    let missed: Vec<_> = wrong.races.iter().filter(|race| !told.contains(race)).collect();
    if !diverges && (wrong.diverges || !missed.is_empty()) {
        return Ok(format!("missed: {missed:?}, divergence {} against {diverges}", wrong.diverges));
    }
    match (wrong.is_empty(), found.pairs.is_empty()) {
        (true, true) => figures.agreed += 1,
        (true, false) => figures.open += 1,
        (false, _) => figures.named += 1,
    }
    Ok(String::new())
}

/// What flows say of a launch, and why they do not say all.
pub(crate) fn pairs(engine: &mut Engine, kernel: &str, launch: Launch) -> anyhow::Result<(FlowPairs, Vec<String>)> {
    let function = engine.program.module.functions_named(kernel).next().context("the kernel is not in the module")?;
    let kernel = Launched {
        operation: Operation::new(function, kernel.to_owned()),
        launch,
        on_any_heap: false,
        globals_symbolic: false,
        valid: None,
        given: Box::default(),
    };
    let config =
        Config { merge: true, unroll: UNROLL, summaries: Summaries::Never, repeats: Repeats::Exact, ..engine.config };
    let before = std::mem::take(&mut engine.ledger);
    let found = engine.with_config(config, |engine| explore::flow_pairs(engine, LIMITS, &kernel))?;
    let ledger = std::mem::replace(&mut engine.ledger, before);
    Ok((found, ledger.entries().map(|(entry, _)| format!("{}: {:?}", entry.kind, entry.remedy)).collect()))
}
