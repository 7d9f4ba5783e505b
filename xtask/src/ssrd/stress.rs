//! ThreadSanitizer on random calls: what a user finds who builds a structure by hand and lets threads loose on it.

use super::build::{INSTRUMENTED, llvm};
use super::pairs::sanitized;
use super::revisions::Revision;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::finding::Race;

/// Reports go on after the first; none is left out but repetitions of both stacks.
const OPTIONS: &str = "halt_on_error=0 exitcode=0 suppress_equal_addresses=0 suppress_equal_stacks=1 history_size=7 \
                       detect_deadlocks=0 atexit_sleep_ms=0";

/// What stress testing found in its time.
pub(crate) struct Stressed {
    pub(crate) races: BTreeSet<Race>,
    pub(crate) seconds: f64,
}

/// Runs the structure's client until the time is over, again with another seed where it crashed or hung.
///
/// # Errors
/// When the client does not build or start.
pub(crate) fn stress(revision: &Revision, time: Duration) -> anyhow::Result<Stressed> {
    let folder = tempfile::tempdir()?;
    let program = build(revision, folder.path())?;
    let started = Instant::now();
    let mut races = BTreeSet::new();
    let mut seed = 1u32;
    while let Some(left) = time.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
        let log = folder.path().join("log");
        let mut child = Command::new(&program)
            .arg(left.as_secs().saturating_add(1).to_string())
            .arg(seed.to_string())
            .env("TSAN_OPTIONS", OPTIONS)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?)
            .spawn()
            .context("running the stress test")?;
        wait(&mut child, left)?;
        races.extend(sanitized(&String::from_utf8_lossy(&std::fs::read(&log)?), &revision.file()));
        seed = seed.wrapping_add(1);
    }
    Ok(Stressed { races, seconds: started.elapsed().as_secs_f64() })
}

fn build(revision: &Revision, folder: &Path) -> anyhow::Result<PathBuf> {
    let program = folder.join("stress");
    let names: Vec<String> = revision.operations.iter().map(|name| format!("client_{name}")).collect();
    let mut arguments: Vec<String> = INSTRUMENTED.map(str::to_owned).to_vec();
    arguments.extend(revision.case.clang_flags.iter().cloned());
    arguments.extend(["-DSTRESS".to_owned(), format!("-DOPERATIONS={}", names.join(","))]);
    arguments.extend(["-o".to_owned(), program.display().to_string()]);
    arguments.push(revision.companion("clients", "_client").display().to_string());
    llvm("clang", arguments)?;
    Ok(program)
}

/// Waits for the end of the process, which is brought about when the time is over.
fn wait(child: &mut Child, time: Duration) -> anyhow::Result<()> {
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > time {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
