//! The generated test of every race in `tests/ui`, or in `bench/ssrd`, and of every client that leads to one, built and run:
//! ThreadSanitizer must name the same two lines.

use crate::ssrd;
use anyhow::{Context, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::ui::{Case, Runner, discover};
use witness::Witness;
use witness::emit::{parse_report, readable};

#[derive(Args)]
pub(crate) struct ConfirmOptions {
    /// Only cases whose names contain this
    filter: Option<String>,
    /// How often to run each test
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Those of bench/ssrd instead of tests/ui
    #[arg(long)]
    benchmark: bool,
    /// Seconds for raddle on each case; what it has found by then is tested. Default: no limit
    #[arg(long)]
    max_time: Option<f64>,
}

/// What the generated tests came to.
#[derive(Default)]
struct Tally {
    races: u32,
    clients: u32,
    confirmed: u32,
    /// ThreadSanitizer cannot see them, as their case says.
    silent: u32,
    /// For 32 bits, for which there is no ThreadSanitizer.
    narrow: u32,
    wrong: u32,
    /// How many lines of each test are there to be read, and which it is.
    lines: Vec<(usize, String)>,
}

/// Builds and runs each generated test, `runs` times. False when one did not report its pair in every run, or did where
/// the case says that ThreadSanitizer cannot.
pub(crate) fn run(options: &ConfirmOptions) -> anyhow::Result<bool> {
    let started = Instant::now();
    let runner = Runner::from_environment(Path::new("."), None)?;
    let mut tally = Tally::default();
    let cases = if options.benchmark { ssrd::cases()? } else { discover(Path::new("tests/ui"))? };
    for mut case in cases {
        // A test in C needs a program in C.
        let c = case.path.extension().is_some_and(|e| e == "c");
        if !c || options.filter.as_ref().is_some_and(|f| !case.name.contains(f)) {
            continue;
        }
        if let Some(seconds) = options.max_time {
            case.limit(Duration::try_from_secs_f64(seconds)?);
        }
        tests_of(&runner, &case, options.runs, &mut tally)?;
    }
    lines_to_read(&mut tally.lines);
    let Tally { races, clients, confirmed, silent, narrow, wrong, lines: _ } = tally;
    println!(
        "{races} races, {clients} clients: {confirmed} confirmed by ThreadSanitizer in {runs} of {runs} runs, \
         {silent} known to be out of its sight, {narrow} for 32 bits, {wrong} not; {:.1} s",
        started.elapsed().as_secs_f64(),
        runs = options.runs
    );
    Ok(wrong == 0)
}

/// Tests that take longer to read are named.
const MOST_LINES: usize = 60;

/// Prints how long tests are for people.
fn lines_to_read(lines: &mut [(usize, String)]) {
    lines.sort();
    let Some((longest, _)) = lines.last() else { return };
    let share = |percent: usize| lines[(lines.len() - 1) * percent / 100].0;
    let long = lines.iter().filter(|(count, _)| *count > MOST_LINES);
    println!(
        "lines to read in {} tests: 10 % up to {}, half up to {}, 90 % up to {}, the longest {longest}; {} with more than {MOST_LINES}",
        lines.len(),
        share(10),
        share(50),
        share(90),
        long.clone().count()
    );
    for (count, name) in long {
        println!("  {count} lines: {name}");
    }
}

/// The tests of one case's races and clients.
fn tests_of(runner: &Runner, case: &Case, runs: u32, tally: &mut Tally) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let (report, exit) = runner.report(case, scratch.path())?;
    if let Some(error) = report.error.as_ref().filter(|_| case.expectations.verdict() != "error") {
        bail!("{}: raddle ended with {exit}: {}", case.name, error.message);
    }
    for finding in report.findings.iter().filter(|f| f.kind == "data_race") {
        let Some(path) = &finding.witness else { bail!("{}: a finding without witness", case.name) };
        let client = finding.client.as_ref().map(|client| &client.witness);
        tally.races += 1;
        tally.clients += u32::from(client.is_some());
        for path in std::iter::once(path).chain(client) {
            if case.clang_flags.iter().any(|flag| flag == "-m32") {
                tally.narrow += 1;
                continue;
            }
            let confirmed = confirm(case, Path::new(path), scratch.path(), runs)?;
            if let Ok(text) = std::fs::read_to_string(scratch.path().join("test.c")) {
                tally.lines.push((readable(&text).lines().count(), format!("{} {path}", case.name)));
            }
            match confirmed {
                None if case.tsan_silent.is_some() => tally.silent += 1,
                None => tally.confirmed += 1,
                Some(why) => {
                    let lines: Vec<String> = finding.accesses.iter().map(|a| a.line.to_string()).collect();
                    println!("{} {path} (lines {}): {why}", case.name, lines.join(" and "));
                    tally.wrong += 1;
                }
            }
        }
    }
    Ok(())
}

/// Why a witness's test does not do what it should in every run: show the race, or nothing where ThreadSanitizer cannot
/// see it.
fn confirm(case: &Case, witness: &Path, scratch: &Path, runs: u32) -> anyhow::Result<Option<String>> {
    let witness = if witness.is_absolute() { witness.to_owned() } else { case.directory().join(witness) };
    let raddle = std::env::current_exe()?.with_file_name("raddle");
    let file = scratch.join("test.c");
    let written = Command::new(raddle).arg("test").arg(&witness).arg("-o").arg(&file).output()?;
    if !written.status.success() {
        return Ok(Some(String::from_utf8_lossy(&written.stderr).into_owned()));
    }
    let witness = Witness::parse(&std::fs::read_to_string(&witness)?)?;
    let build = String::from_utf8_lossy(&written.stdout).into_owned();
    let built = Command::new("sh").arg("-c").arg(&build).current_dir(scratch).output()?;
    if !built.status.success() {
        let text = String::from_utf8_lossy(&built.stderr).into_owned();
        return Ok(Some(format!("does not build: {}", text.lines().next().unwrap_or_default())));
    }
    let wanted: BTreeSet<u32> = witness.failure.accesses.iter().map(|a| a.position.line).collect();
    for run in 1..=runs {
        let output = Command::new(scratch.join("test")).output().context("running the generated test")?;
        let code = output.status.code();
        if case.tsan_silent.is_some() {
            match code {
                // Nothing happened, or the schedule needs a step that leaves no trace natively.
                Some(0 | 3) => continue,
                _ => return Ok(Some(format!("run {run} exits with {code:?}, where ThreadSanitizer should be silent"))),
            }
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let reports = parse_report(&stderr);
        let lines: BTreeSet<u32> = reports
            .first()
            .map(|r| r.accesses.iter().filter_map(|a| a.in_source().map(|frame| frame.line)).collect())
            .unwrap_or_default();
        if code != Some(66) {
            return Ok(Some(format!("run {run} exits with {code:?}")));
        }
        if lines != wanted {
            return Ok(Some(format!("run {run} names lines {lines:?}")));
        }
    }
    Ok(None)
}
