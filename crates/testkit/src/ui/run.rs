//! Running raddle on a case and judging what came out.
//!
//! Guarantee: the process is ended when its time is over, and leaves nothing behind but a blessed snapshot.
//! A snapshot is blessed only of a run that meets its expectations: it never makes a wrong verdict pass.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::case::Case;
use super::expect::compare;
use super::observed::Report;
use super::snapshot::{difference, normalise};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("no raddle at {0}; build it (make build) or name another with the environment variable RADDLE")]
    Missing(PathBuf),
    #[error("cannot run {program}: {source}")]
    Start {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot use a temporary file: {0}")]
    Temporary(#[source] io::Error),
    #[error("ended by a signal, standard error:\n{stderr}")]
    Signal { stderr: String },
    #[error("still running after {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("exit code {exit}, and its output is no report: {source}\n{stdout}\n{stderr}")]
    NoReport {
        exit: i32,
        #[source]
        source: serde_json::Error,
        stdout: String,
        stderr: String,
    },
}

/// How cases are run.
#[derive(Debug, Clone)]
pub struct Runner {
    program: PathBuf,
    bless: bool,
    /// raddle's cache, apart from the user's.
    cache: Option<PathBuf>,
}

/// How raddle is run on a case, beside what the case says.
#[derive(Clone, Copy)]
struct Asked<'a> {
    format: Option<&'a str>,
    /// Where results go.
    out: &'a Path,
    flags: &'a [&'a str],
    /// Results are kept from one run to the next, and used.
    store: bool,
}

impl<'a> Asked<'a> {
    fn json(out: &'a Path) -> Self {
        Asked { format: Some("json"), out, flags: &[], store: true }
    }
}

/// What one process left.
struct Output {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Output {
    fn json<T: DeserializeOwned>(&self) -> Result<T, RunError> {
        serde_json::from_str(&self.stdout).map_err(|source| RunError::NoReport {
            exit: self.exit,
            source,
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
        })
    }
}

impl Runner {
    /// Takes the program from `RADDLE`, else `target/release/raddle` below `workspace`; blesses under `BLESS=1`.
    pub fn from_environment(workspace: &Path, cache: Option<PathBuf>) -> Result<Runner, RunError> {
        let program = match env::var_os("RADDLE") {
            Some(path) => PathBuf::from(path),
            None => workspace.join("target/release/raddle"),
        };
        let bless = env::var_os("BLESS").is_some_and(|value| value == "1");
        Runner::new(&program, bless, cache)
    }

    /// `program` is made absolute, for each case runs in the directory of its file.
    pub fn new(program: &Path, bless: bool, cache: Option<PathBuf>) -> Result<Runner, RunError> {
        let program = fs::canonicalize(program).map_err(|_| RunError::Missing(program.to_owned()))?;
        Ok(Runner { program, bless, cache })
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Runs `case` with its results in `out`. The report comes with the process's exit code.
    pub fn report(&self, case: &Case, out: &Path) -> Result<(Report, i32), RunError> {
        let output = self.spawn(case, Asked::json(out))?;
        Ok((output.json()?, output.exit))
    }

    /// What raddle prints for `case` with more flags, with its results in `out`, and its exit code.
    pub fn output(&self, case: &Case, out: &Path, flags: &[&str]) -> Result<(String, i32), RunError> {
        let output = self.spawn(case, Asked { format: None, out, flags, store: false })?;
        Ok((output.stdout, output.exit))
    }

    /// Runs `case` and describes each difference from what it expects; no text means that it passed.
    pub fn judge(&self, case: &Case) -> Result<Vec<String>, RunError> {
        let out = tempfile::tempdir().map_err(RunError::Temporary)?;
        let output = self.spawn(case, Asked::json(out.path()))?;
        let (report, exit): (Report, i32) = (output.json()?, output.exit);
        let mut differences: Vec<String> =
            compare(&case.expectations, &report, exit).iter().map(ToString::to_string).collect();
        for finding in &report.findings {
            let written = finding.witness.as_ref().map(|witness| case.directory().join(witness));
            if !written.is_some_and(|path| path.is_file()) {
                differences.push(format!("no witness was written for {finding}"));
            }
        }
        for witness in replayed(&report) {
            let exit = self.replay(&case.directory().join(witness), case.timeout)?;
            differences.extend((exit != 10).then(|| format!("replaying {witness}: exit code {exit}")));
        }
        if is_sampled(&case.name) {
            differences.extend(self.in_other_ways(case, &output, out.path())?);
        }
        let snapshot = case.snapshot();
        if differences.is_empty() && (self.bless || snapshot.exists()) {
            let asked = Asked { format: Some("text"), ..Asked::json(out.path()) };
            let text = normalise(&self.spawn(case, asked)?.stdout, &out.path().to_string_lossy());
            if self.bless {
                fs::write(&snapshot, text).map_err(RunError::Temporary)?;
            } else {
                let blessed = fs::read_to_string(&snapshot).map_err(RunError::Temporary)?;
                differences.extend(difference(&blessed, &text));
            }
        }
        Ok(differences)
    }

    /// What is different about a run that finds the results of the first in its store, and one with summaries of all calls.
    fn in_other_ways(&self, case: &Case, first: &Output, out: &Path) -> Result<Vec<String>, RunError> {
        let json = Asked::json(out);
        let stored = self.again(case, json, first)?.map(|what| format!("with the results of the first run:\n{what}"));
        let summarised = Asked { flags: &["--summaries", "always"], store: false, ..json };
        let summarised =
            self.again(case, summarised, first)?.map(|what| format!("with summaries of all calls:\n{what}"));
        Ok(stored.into_iter().chain(summarised).collect())
    }

    /// The exit code of replaying a witness.
    fn replay(&self, witness: &Path, timeout: Duration) -> Result<i32, RunError> {
        let mut command = Command::new(&self.program);
        command.arg("replay").arg(witness).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(cache) = &self.cache {
            command.env("XDG_CACHE_HOME", cache);
        }
        let status = wait(&mut command, timeout, &self.program)?;
        status.code().ok_or_else(|| RunError::Signal { stderr: String::new() })
    }

    /// What is different about another run, which finds the results of the first in its store, or is asked to come to them in
    /// another way: nothing should be, unless there was no time for all of them.
    fn again(&self, case: &Case, asked: Asked, first: &Output) -> Result<Option<String>, RunError> {
        if case.arguments.first().is_none_or(|command| command != "races" && command != "check") {
            return Ok(None);
        }
        let second = self.spawn(case, asked)?;
        let [mut first_report, mut report]: [Value; 2] = [first.json()?, second.json()?];
        if is_cut_short(&first_report) || asked.store && report["stats"]["store"]["reused"] == 0 {
            return Ok(None);
        }
        let changed = covers_otherwise(&mut first_report, &mut report);
        let other_exit = (first.exit != second.exit).then(|| format!("exit code {}", second.exit));
        Ok(changed.or(other_exit))
    }

    fn spawn(&self, case: &Case, asked: Asked) -> Result<Output, RunError> {
        let mut command = Command::new(&self.program);
        command.current_dir(case.directory()).args(&case.arguments).args(asked.flags);
        command.args(asked.format.iter().flat_map(|format| ["--format", *format])).arg("--out").arg(asked.out);
        if !case.clang_flags.is_empty() {
            command.arg("--").args(&case.clang_flags);
        }
        if let Some(cache) = &self.cache {
            command.env("XDG_CACHE_HOME", cache);
        }
        // Each directory for results has a store of its own.
        command.env("RADDLE_STORE", if asked.store { asked.out.join("store") } else { "off".into() });
        // Files, not pipes: a full pipe would stop a child that nobody reads while its time is watched.
        let mut stdout = tempfile::tempfile().map_err(RunError::Temporary)?;
        let mut stderr = tempfile::tempfile().map_err(RunError::Temporary)?;
        command
            .stdin(Stdio::null())
            .stdout(stdout.try_clone().map_err(RunError::Temporary)?)
            .stderr(stderr.try_clone().map_err(RunError::Temporary)?);
        let status = wait(&mut command, case.timeout, &self.program)?;
        let stdout = contents(&mut stdout)?;
        let stderr = contents(&mut stderr)?;
        match status.code() {
            Some(exit) => Ok(Output { exit, stdout, stderr }),
            None => Err(RunError::Signal { stderr }),
        }
    }
}

/// Whether a case is run in other ways as well: one in six, so that all kinds are.
pub(super) fn is_sampled(name: &str) -> bool {
    // FNV-1a.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash >> 32).is_multiple_of(6)
}

/// Witnesses that are replayed: of each kind of failure the last one.
fn replayed(report: &Report) -> Vec<&str> {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.confirmed) {
        last.extend(finding.witness.as_deref().map(|witness| (&*finding.kind, witness)));
    }
    last.into_values().collect()
}

/// Whether there was not time or memory for all.
pub fn is_cut_short(report: &Value) -> bool {
    let cut_short = |line: &Value| ["time", "memory", "interrupted"].iter().any(|kind| line["kind"] == *kind);
    report["ledger"].as_array().is_some_and(|lines| lines.iter().any(cut_short))
}

/// What is different about what two reports say, other than how much work each was.
pub fn covers_otherwise(first: &mut Value, second: &mut Value) -> Option<String> {
    let text = |report: &Value| serde_json::to_string_pretty(report).unwrap_or_default();
    forget_work(first);
    forget_work(second);
    difference(&text(first), &text(second))
}

/// Takes out of a report what says how much work a run was.
fn forget_work(report: &mut Value) {
    let covered = ["paths", "executions", "shapes"];
    if let Some(stats) = report["stats"].as_object_mut() {
        stats.retain(|name, _| covered.contains(&name.as_str()));
    }
    for entry in report["matrix"].as_array_mut().into_iter().flatten() {
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("reused");
        }
    }
}

fn wait(command: &mut Command, timeout: Duration, program: &Path) -> Result<ExitStatus, RunError> {
    let failed = |source| RunError::Start { program: program.to_owned(), source };
    let mut child = command.spawn().map_err(failed)?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if start.elapsed() > timeout {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(RunError::TimedOut(timeout));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn contents(file: &mut File) -> Result<String, RunError> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(RunError::Temporary)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
