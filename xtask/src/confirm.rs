//! The generated test of every race in `tests/ui`, and of every client that leads to one, built and run: ThreadSanitizer must
//! name the same two lines.

use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use testkit::ui::{Case, Runner, discover};
use witness::Witness;
use witness::emit::parse_report;

/// Builds and runs each generated test `runs` times. False when one did not report its pair in every run, or did where
/// the case says that ThreadSanitizer cannot.
pub(crate) fn run(filter: Option<&str>, runs: u32) -> anyhow::Result<bool> {
    let started = Instant::now();
    let root = Path::new("tests/ui");
    let runner = Runner::from_environment(Path::new("."), None)?;
    let (mut races, mut clients, mut good, mut silent, mut wrong) = (0, 0, 0, 0, Vec::new());
    for case in discover(root)? {
        // A test in C needs a program in C.
        let c = case.path.extension().is_some_and(|e| e == "c");
        if !c || filter.is_some_and(|f| !case.name.contains(f)) {
            continue;
        }
        let scratch = tempfile::tempdir()?;
        let (report, _) = runner.report(&case, scratch.path())?;
        for finding in report.findings.iter().filter(|f| f.kind == "data_race") {
            let Some(path) = &finding.witness else { bail!("{}: a finding without witness", case.name) };
            let client = finding.client.as_ref().map(|client| &client.witness);
            races += 1;
            clients += u32::from(client.is_some());
            for path in std::iter::once(path).chain(client) {
                match confirm(&case, Path::new(path), scratch.path(), runs)? {
                    None if case.tsan_silent.is_some() => silent += 1,
                    None => good += 1,
                    Some(why) => {
                        let lines: Vec<String> = finding.accesses.iter().map(|a| a.line.to_string()).collect();
                        let text = format!("{} {path} (lines {}): {why}", case.name, lines.join(" and "));
                        eprintln!("{text}");
                        wrong.push(text);
                    }
                }
            }
        }
    }
    println!(
        "{races} races, {clients} clients: {good} confirmed by ThreadSanitizer in {runs} of {runs} runs, {silent} known to be out of its sight, {} not; {:.1} s",
        wrong.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(wrong.is_empty())
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
