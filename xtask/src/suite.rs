//! The suites that `raddle cover` writes, natively: whether each test takes what it is for by clang's own coverage, with its schedule
//! and without.

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use testkit::interference::{generate, render};

/// Counters that are not atomic are none of the program's accesses.
const PROFILED: &str = "# +-fprofile-instr-generate +-fcoverage-mapping +-fprofile-update=single";

#[derive(Args)]
pub(crate) struct SuiteOptions {
    /// Programs; without any: random ones
    programs: Vec<PathBuf>,
    /// How many random programs
    #[arg(long, default_value_t = 20)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How often to run each test
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Where suites go that do not take their ways
    #[arg(long, default_value = "target/oracle")]
    keep: PathBuf,
    /// Seconds for raddle on each program
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

#[derive(Default)]
struct Figures {
    programs: u64,
    /// By the most interferences that a way takes which the test is for: tests, runs, and those in which all of its ways were taken.
    with_schedule: BTreeMap<u64, Tally>,
    without: BTreeMap<u64, Tally>,
    /// That ended by a failure of the program.
    failing: u64,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    tests: u64,
    /// That took their ways in each run; without the schedule: in most.
    taking: u64,
    runs: u64,
}

/// A way at a branch: its line, and whether its condition holds.
type Way = (u64, bool);

/// Builds and runs all tests. False when one did not take its ways in some run.
pub(crate) fn run(options: &SuiteOptions) -> anyhow::Result<bool> {
    let started = Instant::now();
    let mut figures = Figures::default();
    let scratch = tempfile::tempdir()?;
    if options.programs.is_empty() {
        for seed in options.seed..options.seed + options.count {
            let source = scratch.path().join(format!("random_{seed}.c"));
            std::fs::write(&source, render(&generate(seed)).source)?;
            figures.program(&source, options, scratch.path())?;
        }
    }
    for source in &options.programs {
        figures.program(&std::path::absolute(source)?, options, scratch.path())?;
    }
    println!("{} programs, {} tests of which the program fails behind their ways", figures.programs, figures.failing);
    for (name, tallies) in [("with the schedule", &figures.with_schedule), ("without", &figures.without)] {
        for (degree, Tally { tests, taking, runs }) in tallies {
            println!("{name}, degree {degree}: {tests} tests, {taking} take their ways, {runs} runs");
        }
    }
    println!("{:.1} s", started.elapsed().as_secs_f64());
    Ok(figures.with_schedule.values().all(|tally| tally.taking == tally.tests))
}

impl Figures {
    fn program(&mut self, source: &Path, options: &SuiteOptions, scratch: &Path) -> anyhow::Result<()> {
        let stem = source.file_stem().context("no name")?.to_string_lossy().into_owned();
        let suite = scratch.join(&stem);
        let raddle = std::env::current_exe()?.with_file_name("raddle");
        let output = Command::new(raddle)
            .args(["cover", "--format", "json", "--max-time", &options.seconds.to_string()])
            .arg("--tests")
            .arg(&suite)
            .arg("--out")
            .arg(scratch.join(format!("{stem}.out")))
            .arg(source)
            .output()?;
        let report: Value = serde_json::from_slice(&output.stdout).context("raddle's report")?;
        if report["error"].is_object() {
            // Nothing to cover.
            return Ok(());
        }
        self.programs += 1;
        let built = Command::new("make")
            .args(["-s", "-j2", "-C"])
            .arg(&suite)
            .env("CCC_OVERRIDE_OPTIONS", PROFILED)
            .output()?;
        if !built.status.success() {
            bail!("{stem}: {}", String::from_utf8_lossy(&built.stderr));
        }
        let before = self.untaken();
        for test in report["tests"].as_array().into_iter().flatten() {
            let (Some(file), Some(witness)) = (test["file"].as_str(), test["witness"].as_str()) else { continue };
            let witness: Value = serde_json::from_str(&std::fs::read_to_string(witness)?)?;
            let takes = witness["takes"].as_array().context("ways of a test")?;
            let way = |way: &Value| Some((way["line"].as_u64()?, way["outcome"].as_str()? == "true"));
            let ways: Vec<Way> = takes.iter().filter_map(way).collect();
            let degree = takes.iter().filter_map(|way| way["degree"].as_u64()).max().unwrap_or(0);
            self.test(&Path::new(file).with_extension(""), source, (&ways, degree), options.runs)?;
        }
        if self.untaken() > before {
            let kept = options.keep.join(format!("suite_{stem}"));
            std::fs::create_dir_all(&kept)?;
            for file in std::fs::read_dir(&suite)?.flatten().filter(|file| file.path().is_file()) {
                std::fs::copy(file.path(), kept.join(file.file_name()))?;
            }
            std::fs::copy(source, kept.join(format!("{stem}.program")))?;
        }
        Ok(())
    }

    fn untaken(&self) -> u64 {
        self.with_schedule.values().map(|tally| tally.tests - tally.taking).sum()
    }

    fn test(&mut self, program: &Path, source: &Path, (ways, degree): (&[Way], u64), runs: u32) -> anyhow::Result<()> {
        let mut failing = false;
        for free in [false, true] {
            let mut taking = 0;
            for _ in 0..runs {
                let profile = program.with_extension("profraw");
                let mut command = Command::new(program);
                command.env("LLVM_PROFILE_FILE", &profile);
                if free {
                    command.env("RADDLE_MEET", "1");
                }
                let output = command.output()?;
                failing |= !free && output.status.code() == Some(66);
                let counted = counted(program, &profile, source)?;
                // Branches that clang itself makes, such as those of an exchange, are none of its coverage.
                let is_taken = |(line, holds): &Way| {
                    let mut of_line = counted.iter().filter(|branch| branch.0 == *line).peekable();
                    of_line.peek().is_none() || of_line.any(|branch| if *holds { branch.1 } else { branch.2 } > 0)
                };
                taking += u32::from(!counted.is_empty() && ways.iter().all(is_taken));
                let _ = std::fs::remove_file(&profile);
            }
            let tally = if free { &mut self.without } else { &mut self.with_schedule }.entry(degree).or_default();
            tally.tests += 1;
            tally.runs += u64::from(runs);
            let takes = if free { 2 * taking > runs } else { taking == runs };
            tally.taking += u64::from(takes);
            if !free && !takes {
                println!("{}: takes its ways in {taking} of {runs} runs: {ways:?}", program.display());
            }
        }
        self.failing += u64::from(failing);
        Ok(())
    }
}

/// Branches, as clang counts them: line, and how often their conditions hold and do not. None where the run has left no profile.
fn counted(program: &Path, profile: &Path, source: &Path) -> anyhow::Result<Vec<(u64, u64, u64)>> {
    let data = program.with_extension("profdata");
    let merged = Command::new("llvm-profdata-22").arg("merge").arg("-o").arg(&data).arg(profile).output()?;
    if !merged.status.success() {
        return Ok(Vec::new());
    }
    let mut export = Command::new("llvm-cov-22");
    export.args(["export", "-format=text", "-instr-profile"]).arg(&data).arg(program).arg(source);
    let output = export.output()?;
    let report: Value =
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let files = report["data"].as_array().into_iter().flatten().flat_map(|data| data["files"].as_array()).flatten();
    let branches = files.flat_map(|file| file["branches"].as_array()).flatten().filter_map(Value::as_array);
    let number = |branch: &[Value], index: usize| branch.get(index).and_then(Value::as_u64).unwrap_or(0);
    Ok(branches.map(|branch| (number(branch, 0), number(branch, 4), number(branch, 5))).collect())
}
