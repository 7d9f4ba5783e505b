//! Random kernels with a number `n`: the launch condition that is inferred against all launches of few threads.

use crate::engine::{LIMITS, engine, lower_cuda};
use anyhow::Context;
use explore::{Inferred, InferredOutcome, Kernel as Launched, LaunchesWithin, MayRace, Operation};
use machine::{Config, Engine, Launch as Sizes, Repeats, Sched, Summaries};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use testkit::launches::{
    Condition, Judged, Kernel, Launch, MOST_BLOCKS, MOST_THREADS, NUMBERS, WARP, generate, judge, parse, render,
};

/// Kernels that are compiled together.
const BATCH: u64 = 20;

#[derive(Default)]
struct Figures {
    outcomes: BTreeMap<&'static str, u64>,
    /// Comparisons of conditions; those for which a launch without them is named that is counted out, and races.
    comparisons: u64,
    shown: u64,
    different: u64,
    queries: u64,
    longest: f64,
}

/// Compares so many kernels. False when any differed.
///
/// # Errors
/// When a kernel does not compile, or the engine fails.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while seed < first + count {
        let end = (seed + BATCH).min(first + count);
        let kernels: Vec<Kernel> = (seed..end).map(|seed| generate(seed, &format!("k{seed}"))).collect();
        seed = end;
        let mut engine = engine(lower_cuda(&render(&kernels), scratch.path())?, LIMITS.array)?;
        for kernel in &kernels {
            let begun = Instant::now();
            let difference = compare(&mut engine, kernel, &mut figures)?;
            figures.longest = figures.longest.max(begun.elapsed().as_secs_f64());
            if !difference.is_empty() {
                figures.different += 1;
                std::fs::create_dir_all(keep)?;
                let alone = render(std::slice::from_ref(kernel));
                std::fs::write(keep.join(format!("{}.cu", kernel.name)), format!("{alone}// {difference}\n"))?;
                eprintln!("{}: {difference}", kernel.name);
            }
        }
    }
    println!(
        "{count} kernels, seeds {first} to {}: {} differ; {:?}; {} comparisons, {} of them shown to be needed; {} queries; {:.1} s, the longest {:.1} s",
        seed - 1,
        figures.different,
        figures.outcomes,
        figures.comparisons,
        figures.shown,
        figures.queries,
        started.elapsed().as_secs_f64(),
        figures.longest,
    );
    Ok(figures.different == 0)
}

fn compare(engine: &mut Engine, kernel: &Kernel, figures: &mut Figures) -> anyhow::Result<String> {
    let inferred = infer(engine, &kernel.name)?;
    figures.queries += inferred.queries;
    let wrong = |holds: &dyn Fn(Launch) -> bool| {
        Launch::all().find(|&launch| holds(launch) && judge(kernel, launch) == Judged::Wrong)
    };
    let mut count = |outcome| *figures.outcomes.entry(outcome).or_default() += 1;
    match inferred.outcome {
        InferredOutcome::GivenUp => count("given up"),
        InferredOutcome::Interrupted => count("interrupted"),
        InferredOutcome::TooHard => count("too hard"),
        InferredOutcome::Nothing => {
            count("none");
            // It is not that none is needed.
            if wrong(&|_| true).is_none() && Launch::all().any(|launch| judge(kernel, launch) == Judged::Fine) {
                count("none, though nothing is wrong where it was counted out");
            }
        }
        InferredOutcome::NotNeeded => {
            count("not needed");
            if let Some(launch) = wrong(&|_| true) {
                return Ok(format!("nothing is said to be needed, and {launch:?} is wrong"));
            }
        }
        InferredOutcome::Sufficient(needed) => {
            count("sufficient");
            let texts: Vec<&str> = needed.iter().map(|needed| needed.text.as_str()).collect();
            let text = texts.join(" && ");
            let Some(condition) = parse(&text) else { return Ok(format!("unreadable: {text}")) };
            if let Some(launch) = wrong(&|launch| condition.holds(launch)) {
                return Ok(format!("`{text}` holds in {launch:?}, which is wrong"));
            }
            for (index, (needed, comparison)) in needed.iter().zip(condition.each()).enumerate() {
                figures.comparisons += 1;
                let others: Vec<Condition> =
                    condition.each().into_iter().enumerate().filter(|(at, _)| *at != index).map(|(_, of)| of).collect();
                let mut is_shown = false;
                for launch in needed.without.iter().filter_map(small) {
                    if comparison.holds(launch) || !others.iter().all(|other| other.holds(launch)) {
                        return Ok(format!("{launch:?} is none without `{}`, of `{text}`", needed.text));
                    }
                    match judge(kernel, launch) {
                        Judged::Wrong => is_shown = true,
                        Judged::Fails => {}
                        Judged::Fine => return Ok(format!("`{text}`: {launch:?} is not wrong")),
                    }
                }
                figures.shown += u64::from(is_shown);
            }
        }
    }
    Ok(String::new())
}

/// As one that is counted out.
fn small(may: &MayRace) -> Option<Launch> {
    let n = may.numbers.iter().find(|number| number.parameter == "n").map_or(0, |number| number.value);
    let launch = Launch {
        blocks: i64::from(may.launch.grid[0]),
        threads: i64::from(may.launch.block[0]),
        n: i64::try_from(n).ok()?,
    };
    NUMBERS.contains(&launch.n).then_some(launch)
}

fn infer(engine: &mut Engine, kernel: &str) -> anyhow::Result<Inferred> {
    let function = engine.program.module.functions_named(kernel).next().context("the kernel is not in the module")?;
    let most = Sizes {
        grid: [MOST_BLOCKS as u32, 1, 1],
        block: [MOST_THREADS as u32, 1, 1],
        warp: WARP as u32,
        shared: 0,
        sched: Sched::Independent,
    };
    let kernel = Launched {
        operation: Operation::new(function, kernel.to_owned()),
        launch: most,
        on_any_heap: false,
        globals_symbolic: false,
        valid: None,
        given: Box::default(),
    };
    let config = Config { merge: true, summaries: Summaries::Never, repeats: Repeats::Exact, ..engine.config };
    let within = LaunchesWithin { most, in_block: MOST_THREADS as u64 };
    engine.ledger = machine::Ledger::default();
    Ok(engine.with_config(config, |engine| explore::infer_launch(engine, LIMITS, &kernel, within))?)
}
