//! Whether a race shows natively, with the real functions that nothing models: its test, built and run.
//!
//! ThreadSanitizer does not see locks in code that is not instrumented, as that of the C library: that it reports a race
//! between two accesses that such a lock keeps apart proves nothing. So the test runs without a schedule, and each thread waits
//! a while before its access for the other: that both stand there at once does prove it.
//!
//! Guarantee: with a yes both threads have stood before the two accesses of the finding, to the same bytes, at one time, and
//! ThreadSanitizer has reported them. It runs in a directory of its own that is removed, without input, and not for long.
//! Not promised: that the functions themselves have no effect elsewhere. They are the program's, and do what they do.

use super::emitted;
use crate::errors::InputError;
use crate::options::Runs;
use explore::Budget;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use witness::Witness;

/// A test ends by itself after ten seconds.
const RUN: Duration = Duration::from_secs(15);
const BUILD: Duration = Duration::from_secs(60);
/// Names that an error lists.
const MOST_MISSING: usize = 5;
/// The real functions may do one thing or another.
const RUNS: u32 = 3;
/// What the test says when both threads stand before their accesses.
const MET: &str = "raddle: both threads stand before their accesses";

/// Builds a test where it lies, and runs it `times` times, each run by itself and without input.
///
/// # Errors
/// When the command does not build it.
pub fn try_out(test: &Path, build: &str, times: u32, is_over: impl Fn() -> bool) -> anyhow::Result<Runs> {
    let scratch = tempfile::tempdir()?;
    let errors = scratch.path().join("errors");
    let here = std::env::current_dir()?;
    let built = run(Command::new("sh").arg("-c").arg(build), &here, &errors, BUILD, &is_over);
    if !built.is_some_and(|status| status.success()) {
        let said = std::fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let first = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
        let why = missing(&said).unwrap_or_else(|| first.unwrap_or("it was stopped").to_owned());
        let message = format!("{} does not build: {why}", test.display());
        return Err(InputError::new("test_build", message).in_file(test).into());
    }
    let program = witness::emit::program_of(test);
    let mut runs = Runs::default();
    for _ in 0..times {
        if is_over() {
            break;
        }
        let status = run(&mut Command::new(&program), scratch.path(), &errors, RUN, &is_over);
        let is_first = runs.all() == runs.reported;
        let code = status.and_then(|status| status.code());
        *match code {
            Some(66) => &mut runs.reported,
            Some(3) => &mut runs.not_reached,
            Some(0) => &mut runs.nothing,
            _ => &mut runs.other,
        } += 1;
        if runs.said.is_none() || is_first && code != Some(66) {
            let said = std::fs::read(&errors).unwrap_or_default();
            runs.said = outcome(&String::from_utf8_lossy(&said));
        }
    }
    Ok(runs)
}

/// The lines of what a run printed that say what happened: ThreadSanitizer's summary, or the test's own words with what belongs to them.
fn outcome(said: &str) -> Option<String> {
    const MOST: usize = 6;
    let summary = said.lines().find_map(|line| line.strip_prefix("SUMMARY: "));
    let own = || {
        let mut lines = said.lines().skip_while(|line| !line.starts_with("raddle: "));
        let first = lines.next()?.strip_prefix("raddle: ")?.to_owned();
        let more = lines.take_while(|line| line.starts_with("  ")).take(MOST);
        Some(std::iter::once(first).chain(more.map(str::to_owned)).collect::<Vec<_>>().join("\n"))
    };
    summary.map(str::to_owned).or_else(own).or_else(|| said.lines().next_back().map(str::to_owned))
}

/// What the linker did not find, if that is all that was wrong.
fn missing(said: &str) -> Option<String> {
    // As GNU ld and lld have it.
    let name = |line: &str| {
        let (_, name) = line.split_once("undefined reference to ").or_else(|| line.split_once("undefined symbol: "))?;
        Some(name.trim_matches(['`', '\'', '"', ';', ' ']).to_owned())
    };
    let mut names: Vec<String> = said.lines().filter_map(name).collect();
    names.sort();
    names.dedup();
    let (shown, more) = names.split_at(names.len().min(MOST_MISSING));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let defines = "name the sources that define them, or libraries behind `--`";
    (!shown.is_empty()).then(|| format!("nothing defines {}{more}; {defines}", shown.join(", ")))
}

/// Whether the race of a witness shows; `None` where no test of it can be built, as where a function is not linked.
pub(super) fn shows(module: &ir::Module, witness: &Witness, shown: &Path, budget: &Budget) -> Option<bool> {
    if witness.failure.kind != "data_race" {
        return None;
    }
    let is_over = || budget.exhausted().is_some();
    let scratch = tempfile::tempdir().ok()?;
    let test = scratch.path().join("test.c");
    emitted::check(witness, &test).ok()?;
    let emitted = emitted::emit(module, witness, shown, &test).ok()?;
    std::fs::write(&test, &emitted.text).ok()?;
    let errors = scratch.path().join("errors");
    let built = run(Command::new("sh").arg("-c").arg(&emitted.build), scratch.path(), &errors, BUILD, &is_over)?;
    if !built.success() {
        return None;
    }
    let wanted: BTreeSet<u32> = witness.failure.accesses.iter().map(|access| access.position.line).collect();
    for _ in 0..RUNS {
        let mut program = Command::new(scratch.path().join("test"));
        run(program.env("RADDLE_MEET", "1"), scratch.path(), &errors, RUN, &is_over);
        let said = std::fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let reports = witness::emit::parse_report(&said);
        let lines = |report: &witness::emit::Report| -> BTreeSet<u32> {
            report.accesses.iter().filter_map(|access| access.in_source().map(|frame| frame.line)).collect()
        };
        if said.contains(MET) && reports.first().is_some_and(|first| lines(first) == wanted) {
            return Some(true);
        }
        if is_over() {
            break;
        }
    }
    Some(false)
}

/// Runs a command in a directory, with what it prints on standard error in a file. None if it cannot be run, or takes too
/// long: then it is ended, with all that it has started.
fn run(
    command: &mut Command,
    directory: &Path,
    errors: &Path,
    limit: Duration,
    is_over: &dyn Fn() -> bool,
) -> Option<ExitStatus> {
    let command = command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    let mut child = command.stderr(File::create(errors).ok()?).spawn().ok()?;
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if begun.elapsed() < limit && !is_over() => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(None) | Err(_) => break None,
        }
    };
    if ended.is_none() {
        if let Ok(group) = i32::try_from(child.id()) {
            // SAFETY: `kill` takes two numbers and touches no memory of ours. The group is ours: its first process was not
            // waited for yet, so that its number is not used again.
            unsafe {
                libc::kill(-group, libc::SIGKILL);
            }
        }
        let _ = child.wait();
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::{missing, outcome};

    #[test]
    fn of_what_a_run_prints_the_lines_that_matter_are_kept() {
        let lost = "noise\nraddle: the schedule was not reached: time is up\n  next is step 2: thread 1 locks m\n  thread 1 stands\nmore";
        let kept = "the schedule was not reached: time is up\n  next is step 2: thread 1 locks m\n  thread 1 stands";
        assert_eq!(outcome(lost).as_deref(), Some(kept));
        let summary = "WARNING: ThreadSanitizer: data race\n  x\nSUMMARY: ThreadSanitizer: data race a.c:1:2 in f\n";
        assert_eq!(outcome(summary).as_deref(), Some("ThreadSanitizer: data race a.c:1:2 in f"));
        assert_eq!((outcome(""), outcome("t: a.c:1: f: Assertion").as_deref()), (None, Some("t: a.c:1: f: Assertion")));
    }

    #[test]
    fn what_is_not_linked_is_named() {
        let said = "ld: a.o: in function `f':\na.c:4:(.text+0x1): undefined reference to `g'\nld: b.c:9: undefined reference to `g'\n\
                    ld.lld: error: undefined symbol: h\nclang: error: linker command failed with exit code 1";
        let defines = "name the sources that define them, or libraries behind `--`";
        assert_eq!(missing(said), Some(format!("nothing defines g, h; {defines}")));
        assert_eq!(missing("a.c:1:2: error: expected ';'"), None);
    }
}
