//! `cargo xtask oracle`: which annotated pairs exist, by every concrete heap and schedule within the bounds.

use super::heaps::{Confirmed, Limits, Oracle};
use super::pairs::{Comparison, compare};
use super::revisions::{Revision, revisions};
use clap::Args;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct OracleOptions {
    /// Only this structure, or this revision of it: NAME or NAME:REVISION
    #[arg(long)]
    only: Option<String>,
    /// Objects on a chain of pointers; default: as the structure's header says
    #[arg(long)]
    depth: Option<u32>,
    #[command(flatten)]
    effort: OracleEffort,
}

/// How much the oracle does, where it cannot do everything.
#[derive(Args, Clone, Copy)]
pub(crate) struct OracleEffort {
    /// Executions of two calls on one heap; beyond these, only schedules with few preemptions are explored
    #[arg(long, default_value_t = 200)]
    executions: u64,
    /// Preemptions in a schedule, where there are too many executions
    #[arg(long, default_value_t = 2)]
    preemptions: u32,
    /// Seconds for each revision
    #[arg(long, default_value_t = 600.0)]
    seconds: f64,
}

impl OracleEffort {
    pub(crate) fn limits(self, depth: Option<u32>) -> Limits {
        Limits { depth, executions: self.executions, preemptions: self.preemptions, seconds: self.seconds }
    }
}

/// Explores each revision and compares with the annotations. False when they differ.
pub(crate) fn run(options: &OracleOptions) -> anyhow::Result<bool> {
    let oracle = Oracle::new()?;
    let limits = options.effort.limits(options.depth);
    let mut agree = true;
    let (mut confirmed, mut annotated) = (0, 0);
    for revision in revisions(options.only.as_deref())? {
        let started = Instant::now();
        let found = oracle.explore(&revision, limits)?;
        let compared = compare(&revision.annotated, &found.races);
        confirmed += compared.found.len();
        annotated += revision.annotated.len();
        agree &= compared.missed.is_empty() && compared.others.is_empty();
        print!("{}", describe(&revision, &found, &compared, limits.preemptions));
        println!("    {:.1} s", started.elapsed().as_secs_f64());
    }
    println!("{confirmed} of {annotated} annotated pairs confirmed");
    Ok(agree)
}

fn describe(revision: &Revision, found: &Confirmed, compared: &Comparison, preemptions: u32) -> String {
    let extent = if found.exhaustive() {
        "all schedules".to_owned()
    } else {
        let cut = if found.total("whole") == 1 { "" } else { "out of time; " };
        format!(
            "{cut}{} heaps within {preemptions} preemptions, {} of them not wholly; {} executions cut",
            found.total("bounded"),
            found.total("beyond"),
            found.total("cut")
        )
    };
    let mut text = format!(
        "{}:{}: {} of {} pairs confirmed; {} heaps and arguments, {} executions in the last of {} sweeps; {extent}\n",
        revision.structure,
        revision.revision,
        compared.found.len(),
        revision.annotated.len(),
        found.total("heaps"),
        found.total("executions"),
        found.total("sweeps"),
    );
    for (what, races) in [("not confirmed", &compared.missed), ("not annotated", &compared.others)] {
        for race in races {
            text.push_str(&format!("    {what}: {race}\n"));
        }
    }
    text
}
