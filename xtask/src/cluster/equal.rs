//! The tests of `tests/ui` with `--cluster hq`, against the same without.

use crate::same::{first_difference, made};
use crate::ssrd;
use clap::Args;
use std::path::Path;
use std::time::Duration;
use testkit::ui::{Case, Runner, discover};

#[derive(Args)]
pub(crate) struct EqualOptions {
    /// Only cases whose names contain this
    #[arg(long)]
    filter: Option<String>,
    /// Workers on this machine
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// One case in so many
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Those of bench/ssrd in place of tests/ui
    #[arg(long)]
    benchmark: bool,
}

/// Commands that search, and can have it done by others.
const COMMANDS: [&str; 3] = ["check", "races", "gpu"];

/// Whether the reports are the same.
pub(crate) fn run(options: &EqualOptions) -> anyhow::Result<bool> {
    let runner = Runner::from_environment(Path::new("."), None)?;
    let mut cases = if options.benchmark { ssrd::cases()? } else { discover(Path::new("tests/ui"))? };
    let is_search = |case: &Case| case.arguments.first().is_some_and(|word| COMMANDS.contains(&word.as_str()));
    cases.retain(is_search);
    cases.retain(|case| options.filter.as_ref().is_none_or(|filter| case.name.contains(filter)));
    let workers = options.workers.to_string();
    let flags = ["--cluster", "hq", "--workers", &workers];
    let (mut compared, mut undivided, mut late, mut differ) = (0, 0, 0, 0);
    let mut times = [Duration::ZERO; 2];
    for case in cases.iter().step_by(options.every.max(1)) {
        let together = made(&runner, case, &flags)?;
        if together.texts["data"].contains("\"undivided\"") {
            undivided += 1;
            continue;
        }
        let alone = made(&runner, case, &[])?;
        if alone.cut_short || together.cut_short {
            late += 1;
            continue;
        }
        compared += 1;
        times[0] += alone.time;
        times[1] += together.time;
        let new = together.texts.keys().filter(|name| !alone.texts.contains_key(*name));
        let mut is_same = true;
        for name in alone.texts.keys().chain(new) {
            let [was, is] = [&alone, &together].map(|made| made.texts.get(name).map_or("", String::as_str));
            if let Some((number, was, is)) = first_difference(was, is) {
                println!("{}: {name}, line {number}\n- {was}\n+ {is}", case.name);
                is_same = false;
            }
        }
        differ += u32::from(!is_same);
    }
    let [alone, together] = times.map(|time| time.as_secs_f64());
    println!(
        "{compared} cases compared, {differ} differ; {undivided} are not divided, {late} came to no end; \
         {alone:.1} s alone, {together:.1} s with {workers} workers"
    );
    Ok(differ == 0 && compared > 0)
}
