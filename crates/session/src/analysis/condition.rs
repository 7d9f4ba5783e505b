//! `raddle gpu --infer-launch`: under which launches the kernel is free of races ([`explore::infer_launch`]), and launches that race where a
//! comparison of the condition is left out.

use super::Ticker;
use super::gpu::{self, LaunchSearch};
use super::session::{STEPS_PER_SECOND, Session};
use crate::errors::UsageError;
use crate::options::{GpuOptions, InferOptions};
use explore::{Inferred, InferredOutcome, LaunchesWithin, MOST_GRID, MayRace, Needed};
use ir::{FuncId, Module};
use machine::{Config, Launch, Ledger, Repeats, Summaries};
use report::{ConditionComparison, ConditionOutcome, GivenNumber, LaunchCondition, ShownLaunch};
use std::time::Duration;

/// The largest grid, where nobody says: in the only dimension, and in each of several.
const GRID: u32 = 65535;
const GRID_OF_SEVERAL: u32 = 1023;
/// Products of two sizes stay below this.
const MOST_PRODUCT: u64 = 1 << 31;
/// How long one launch is looked at that may race: five seconds, counted in steps.
const SHOWING: u64 = 5 * STEPS_PER_SECOND;
/// Of what is left of the time, for looking for conditions.
const SHARE: u32 = 2;
const MOST_TIME: Duration = Duration::from_secs(120);

/// Which launches are looked at.
///
/// # Errors
/// When no device has such launches, or flows do not compute with such sizes.
pub(super) fn within(
    options: &GpuOptions,
    infer: &InferOptions,
    (module, kernel): (&Module, FuncId),
) -> Result<LaunchesWithin, UsageError> {
    let refuse = |why: String| Err(UsageError::new("launch", why));
    if options.valid.is_some() {
        return refuse(
            "--infer-launch looks at all that a kernel may be given: it does not go with --valid".to_owned(),
        );
    }
    let fits = module[kernel].most_threads.unwrap_or(gpu::MOST_IN_BLOCK).min(gpu::MOST_IN_BLOCK);
    // Dimensions that the launch has at all.
    let is_open = [0, 1, 2].map(|at| at == 0 || options.block[at] > 1 || options.grid[at] > 1);
    let several = is_open[1] || is_open[2];
    let most_of = |at: usize| {
        if !is_open[at] {
            1
        } else if several {
            GRID_OF_SEVERAL
        } else {
            GRID
        }
    };
    let grid = infer.most_grid.unwrap_or_else(|| [0, 1, 2].map(most_of));
    let threads = fits as u32;
    let block = infer
        .most_block
        .unwrap_or_else(|| [0, 1, 2].map(|at| if is_open[at] { threads.min(gpu::MOST_IN_DIMENSION[at]) } else { 1 }));
    if grid.iter().chain(&block).any(|&size| size == 0) {
        return refuse("each dimension of --max-grid and --max-block is at least 1".to_owned());
    }
    if let Some(at) = (0..3).find(|&at| block[at] > gpu::MOST_IN_DIMENSION[at]) {
        let (given, most) = (block[at], gpu::MOST_IN_DIMENSION[at]);
        return refuse(format!("--max-block has {given} threads in dimension {}, a device {most} at the most", at + 1));
    }
    if let Some(at) = (0..3).find(|&at| grid[at] > MOST_GRID.min(gpu::MOST_BLOCKS[at])) {
        let (given, most) = (grid[at], MOST_GRID.min(gpu::MOST_BLOCKS[at]));
        return refuse(format!("--max-grid has {given} blocks in dimension {}: {most} at the most here", at + 1));
    }
    // By the bits that a symbol of them has.
    let sizes: Vec<u64> = grid.iter().chain(&block).map(|&size| u64::from(size + 1).next_power_of_two()).collect();
    let is_large = |(at, &one): (usize, &u64)| sizes[at + 1..].iter().any(|&other| one * other > MOST_PRODUCT);
    if sizes.iter().enumerate().any(is_large) {
        return refuse(
            "the product of two sizes of --max-grid and --max-block is too large: give smaller ones".to_owned(),
        );
    }
    let most = Launch { grid, block, warp: options.warp, shared: options.shared, sched: options.sched };
    Ok(LaunchesWithin { most, in_block: fits })
}

/// Looks for the condition, and for what is to be shown without it.
///
/// # Errors
/// When the engine fails.
pub(super) fn infer(
    session: &mut Session,
    search: &LaunchSearch,
    within: LaunchesWithin,
    ticker: &mut Ticker,
) -> anyhow::Result<LaunchCondition> {
    let left = session.time.budget.deadline.map(|until| until.saturating_duration_since(std::time::Instant::now()));
    session.limited(Some(left.map_or(MOST_TIME, |left| left / SHARE)));
    let engine = &mut session.engine;
    let config = Config { merge: true, summaries: Summaries::Never, repeats: Repeats::Exact, ..engine.config };
    let before = std::mem::take(&mut engine.ledger);
    let limits = search.limits();
    let found = engine.with_config(config, |engine| explore::infer_launch(engine, limits, search.kernel(), within));
    let given_up = std::mem::replace(&mut engine.ledger, before);
    session.limited(None);
    let Inferred { outcome, candidates, too_hard, .. } = found?;
    let mut condition = LaunchCondition {
        kernel: search.kernel().operation.name.clone(),
        outcome: ConditionOutcome::Unknown,
        assertion: None,
        comparisons: Vec::new(),
        sufficient_only: false,
        most_grid: within.most.grid,
        most_block: within.most.block,
        most_threads: within.in_block,
        candidates,
        undecided: too_hard,
        reasons: Vec::new(),
        assumed: String::new(),
    };
    match outcome {
        InferredOutcome::GivenUp => condition.reasons = reasons(&given_up),
        InferredOutcome::Interrupted => condition.reasons = vec!["there was no more time".to_owned()],
        InferredOutcome::TooHard => {
            condition.reasons =
                vec![format!("of {too_hard} conditions the solver could not tell whether they suffice")];
        }
        InferredOutcome::Nothing => condition.outcome = ConditionOutcome::None,
        InferredOutcome::NotNeeded => condition.outcome = ConditionOutcome::NotNeeded,
        InferredOutcome::Sufficient(needed) => {
            condition.outcome = ConditionOutcome::Sufficient;
            for needed in needed {
                condition.comparisons.push(shown(session, search, needed, ticker)?);
            }
            let texts: Vec<&str> = condition.comparisons.iter().map(|comparison| comparison.text.as_str()).collect();
            condition.assertion = Some(texts.join(" && "));
            condition.sufficient_only = condition.comparisons.iter().any(|comparison| comparison.without.is_none());
        }
    }
    if matches!(condition.outcome, ConditionOutcome::Sufficient | ConditionOutcome::NotNeeded) {
        condition.assumed = ASSUMED.to_owned();
    }
    Ok(condition)
}

/// What a condition rests on, as flows do.
const ASSUMED: &str = "any two threads were looked at, with anything for what others write that they read; variables which loops move on \
    by small or unknown steps do not wrap around, accesses stay within their buffers, which do not overlap, and no pointer is null";

/// Why flows were given up.
fn reasons(given_up: &Ledger) -> Vec<String> {
    let in_words = |line: report::LedgerLine| match line.remedy.is_empty() {
        true => format!("{} ({})", line.kind, line.r#where),
        false => format!("{} ({}, {})", line.remedy, line.kind, line.r#where),
    };
    crate::losses::lines(given_up).into_iter().map(in_words).collect()
}

/// A comparison, with the first launch without it in which something is found.
fn shown(
    session: &mut Session,
    search: &LaunchSearch,
    needed: Needed,
    ticker: &mut Ticker,
) -> anyhow::Result<ConditionComparison> {
    for MayRace { launch, numbers, .. } in needed.without {
        let given = numbers.iter().map(|number| (number.index, number.value)).collect();
        let Some(finding) = search.look_at(session, launch, given, SHOWING, ticker)? else { continue };
        let numbers = numbers.into_iter().map(|number| GivenNumber { name: number.parameter, value: number.value });
        let place = |location: &report::Location| format!("{}:{}", location.file, location.line);
        let mut places: Vec<String> = finding.accesses.iter().map(|access| place(&access.location)).collect();
        if places.is_empty() {
            places.push(place(&finding.location));
        }
        let shown = ShownLaunch {
            grid: launch.grid,
            block: launch.block,
            numbers: numbers.collect(),
            kind: finding.kind,
            places,
        };
        return Ok(ConditionComparison { text: needed.text, without: Some(shown) });
    }
    Ok(ConditionComparison { text: needed.text, without: None })
}
