//! `cargo xtask remedies`: what mends the causes of `bench/ssrd` and of the demo, each patch compiled and looked at by itself; and mutants of these
//! patches, which raddle must not take for remedies where they leave something. With `--generated`, random libraries instead.

mod generated;
mod mutants;
mod table;

use crate::ssrd;
use anyhow::{Context, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::ui::{Case, CauseRemedy, Report, Runner};

#[derive(Args)]
pub(crate) struct RemediesOptions {
    /// Only this structure, or this revision of it: NAME or NAME:REVISION; `demo` for the example
    #[arg(long)]
    only: Option<String>,
    /// Seconds for raddle on each program, of which remedies have a quarter
    #[arg(long, default_value_t = 240.0)]
    max_time: f64,
    /// Mutants of the patches as well
    #[arg(long)]
    mutants: bool,
    /// So many random libraries instead, against all interleavings of what the patches make of them
    #[arg(long)]
    generated: Option<u64>,
    /// The first seed of these
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to put libraries on which the two differ
    #[arg(long, default_value = "target/oracle")]
    keep: PathBuf,
}

/// One cause of a program.
struct Row {
    program: String,
    cause: String,
    remedies: Vec<CauseRemedy>,
    refused: Option<String>,
    /// Whether the patch, by itself, leaves nothing of the cause; none without a patch.
    verified: Option<bool>,
}

/// Seconds of CPU with remedies and without.
struct Times {
    program: String,
    with: f64,
    without: f64,
    wall: f64,
    cut: bool,
}

/// Prints the table. False where a patch leaves something of its cause, or a mutant was taken for a remedy that leaves something.
pub(crate) fn run(options: &RemediesOptions) -> anyhow::Result<bool> {
    let runner = Runner::from_environment(Path::new("."), None)?;
    if let Some(count) = options.generated {
        let with = options.mutants;
        return generated::run(runner.program(), (count, options.seed), with, &options.keep);
    }
    let limit = Duration::try_from_secs_f64(options.max_time)?;
    let (mut rows, mut times, mut tally) = (Vec::new(), Vec::new(), mutants::Tally::default());
    for Program { name, case, revision } in programs(options.only.as_deref())? {
        let started = Instant::now();
        let report = report(&runner, &case, limit, &[])?;
        let wall = started.elapsed().as_secs_f64();
        let plain = self::report(&runner, &case, limit, &["--no-remedies"])?;
        times.push(Times {
            program: name.clone(),
            with: cpu(&report),
            without: cpu(&plain),
            wall,
            cut: is_cut(&report),
        });
        for cause in report.causes.iter().filter(|cause| !cause.of_callers) {
            let field = cause.field.clone().unwrap_or_default();
            let patch = cause.remedies.first().and_then(|remedy| remedy.patch.as_ref());
            let verified = match patch {
                Some(patch) => {
                    let patched = Patched::of(&case, patch)?;
                    let left = self::report(&runner, &patched.case, limit, &["--no-remedies"])?;
                    let is_left = |other: &testkit::ui::Cause| other.kind == cause.kind && other.field == cause.field;
                    if options.mutants {
                        mutants::of(&runner, (&patched, patch, revision.as_ref()), limit, &mut tally)?;
                    }
                    Some(!is_cut(&left) && !left.causes.iter().any(is_left))
                }
                None => None,
            };
            rows.push(Row {
                program: name.clone(),
                cause: format!("{}{}{field}", cause.kind, if field.is_empty() { "" } else { ": " }),
                remedies: cause.remedies.clone(),
                refused: cause.refused.clone(),
                verified,
            });
        }
        eprintln!("{name}: {} causes", report.causes.len());
    }
    table::print(&rows, &times);
    if options.mutants {
        tally.print();
    }
    Ok(rows.iter().all(|row| row.verified != Some(false)) && tally.is_fine())
}

/// What is looked at.
struct Program {
    name: String,
    case: Case,
    /// Of a structure.
    revision: Option<ssrd::Revision>,
}

/// The demo, and all that has a mistake.
fn programs(only: Option<&str>) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    if only.is_none_or(|only| only == "demo") {
        let some = ssrd::cases()?.into_iter().next().context("bench/ssrd is empty")?;
        let path = Path::new("examples/skiplist.c").canonicalize()?;
        let arguments = ["races", "skiplist.c", "--op", "insert"].map(str::to_owned).to_vec();
        let case = Case { path, arguments, clang_flags: Vec::new(), revision: None, name: "demo".to_owned(), ..some };
        programs.push(Program { name: "demo".to_owned(), case, revision: None });
    }
    if only == Some("demo") {
        return Ok(programs);
    }
    for revision in ssrd::revisions(only)?.into_iter().filter(|revision| !revision.is_clean()) {
        let name = format!("{}:{}", revision.structure, revision.revision);
        programs.push(Program { name, case: revision.case.clone(), revision: Some(revision) });
    }
    Ok(programs)
}

fn report(runner: &Runner, case: &Case, limit: Duration, flags: &[&str]) -> anyhow::Result<Report> {
    let mut case = case.clone();
    // Tests that expect nothing of remedies are run without.
    case.arguments.retain(|argument| argument != "--no-remedies");
    case.limit(limit);
    case.arguments.extend(flags.iter().map(|&flag| flag.to_owned()));
    let out = tempfile::tempdir()?;
    let (text, exit) = runner.output(&case, out.path(), &["--format", "json"])?;
    let report: Report = serde_json::from_str(&text).with_context(|| format!("{} ended with {exit}", case.name))?;
    if let Some(error) = &report.error {
        bail!("{}: raddle ended with {exit}: {}", case.name, error.message);
    }
    Ok(report)
}

fn cpu(report: &Report) -> f64 {
    report.stats.as_ref().map_or(0.0, |stats| stats.cpu_time_s)
}

fn is_cut(report: &Report) -> bool {
    report.ledger.iter().any(|entry| entry.kind == "time")
}

/// Changes the files of a folder.
fn apply(patch: &str, folder: &Path) -> anyhow::Result<()> {
    let mut child = Command::new("patch").args(["-s", "-p0"]).current_dir(folder).stdin(Stdio::piped()).spawn()?;
    std::io::Write::write_all(&mut child.stdin.take().context("its input")?, patch.as_bytes())?;
    if !child.wait()?.success() {
        bail!("the patch does not apply:\n{patch}");
    }
    Ok(())
}

/// A program with a patch, in a folder of its own.
struct Patched {
    case: Case,
    text: String,
    _folder: tempfile::TempDir,
}

impl Patched {
    fn of(case: &Case, patch: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let name = case.path.file_name().context("a file")?;
        let path = folder.path().join(name);
        std::fs::copy(&case.path, &path)?;
        apply(patch, folder.path()).with_context(|| case.name.clone())?;
        let text = std::fs::read_to_string(&path)?;
        Ok(Patched { case: Case { path, ..case.clone() }, text, _folder: folder })
    }

    /// The same with another text.
    fn with(&self, text: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(self.case.path.file_name().context("a file")?);
        std::fs::write(&path, text)?;
        Ok(Patched { case: Case { path, ..self.case.clone() }, text: text.to_owned(), _folder: folder })
    }
}
