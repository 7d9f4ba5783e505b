//! Random libraries with sequential tests: what `raddle synth` exposes against every client of few calls.

use anyhow::{Context, bail};
use clap::Args;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use testkit::finding::{AccessKind, Race, Site};
use testkit::owners::{Truth, generate, oracle, render};

#[derive(Args)]
pub struct SynthOptions {
    /// How many libraries to compare
    #[arg(long, default_value_t = 200)]
    pub count: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Setting calls before the two at once, for brute force
    #[arg(long, default_value_t = 3)]
    pub calls: usize,
    /// Where to put libraries on which the two differ
    #[arg(long, default_value = "target/oracle")]
    pub keep: PathBuf,
    /// The program
    #[arg(long, default_value = "target/release/raddle")]
    pub raddle: PathBuf,
}

/// What the campaign saw.
#[derive(Default)]
struct Figures {
    compared: u64,
    too_large: u64,
    different: u64,
    races: usize,
    exposed: usize,
    missed: usize,
    /// That the tests' calls show with more of them than brute force made.
    beyond: usize,
    /// On paths that no test runs.
    not_run: usize,
    heaps: usize,
}

/// Compares libraries until `count` were compared. False when any differed.
///
/// # Errors
/// When raddle does not run, or reports an error.
pub fn run(options: &SynthOptions) -> anyhow::Result<bool> {
    let started = Instant::now();
    let raddle = std::path::absolute(&options.raddle)?;
    let mut figures = Figures::default();
    let mut seed = options.seed;
    while figures.compared < options.count {
        let library = generate(seed);
        let rendered = render(&library);
        let this = seed;
        seed += 1;
        let Ok(truth) = oracle(&library, &rendered.lines, options.calls) else {
            figures.too_large += 1;
            continue;
        };
        let scratch = tempfile::tempdir()?;
        let directory = scratch.path();
        std::fs::write(directory.join("lib.h"), &rendered.header)?;
        std::fs::write(directory.join("lib.c"), &rendered.library)?;
        let mut tests = Vec::new();
        for (number, test) in rendered.tests.iter().enumerate() {
            let name = format!("test{number}.c");
            std::fs::write(directory.join(&name), test)?;
            tests.push(name);
        }
        figures.compared += 1;
        figures.heaps += truth.heaps;
        let exposed = exposed(&raddle, directory, &tests)?;
        let difference = figures.compare(&truth, &exposed);
        if !difference.is_empty() {
            figures.different += 1;
            let kept = options.keep.join(format!("synth{this}"));
            std::fs::create_dir_all(&kept)?;
            for entry in std::fs::read_dir(directory)?.flatten() {
                if entry.path().is_file() {
                    std::fs::copy(entry.path(), kept.join(entry.file_name()))?;
                }
            }
            std::fs::write(kept.join("difference.txt"), &difference)?;
            eprintln!("seed {this}: {difference}");
        }
    }
    let Figures { compared, too_large, different, races, exposed, missed, beyond, not_run, heaps } = figures;
    println!(
        "{compared} libraries compared ({too_large} too large), seeds {} to {}: {different} differ; {races} races in {heaps} heaps: \
         {exposed} exposed, {missed} missed; {beyond} beyond, {not_run} on paths that no test runs; {:.1} s",
        options.seed,
        seed - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
    #[serde(default)]
    pairs: Vec<Pair>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Finding {
    id: String,
    accesses: Vec<Access>,
}

#[derive(Deserialize)]
struct Access {
    access: String,
    file: String,
    line: u32,
}

#[derive(Deserialize)]
struct Pair {
    operations: [String; 2],
    findings: Vec<String>,
}

/// By functions, what raddle exposes.
type Exposed = BTreeMap<[usize; 2], BTreeSet<Race>>;

fn exposed(raddle: &Path, directory: &Path, tests: &[String]) -> anyhow::Result<Exposed> {
    let output = Command::new(raddle)
        .current_dir(directory)
        .args(["synth", "lib.c", "--format", "json", "-o", "racy", "--no-native", "--tests"])
        .args(tests)
        .output()
        .with_context(|| format!("{} does not run", raddle.display()))?;
    let report: Report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    if let Some(error) = report.error {
        bail!("raddle failed: {error}");
    }
    let mut races: BTreeMap<&str, Race> = BTreeMap::new();
    for finding in &report.findings {
        let site = |access: &Access| {
            let kind = if access.access == "read" { AccessKind::Read } else { AccessKind::Write };
            (access.file == "lib.c").then_some(Site { line: access.line, access: kind })
        };
        if let [one, other] = finding.accesses.as_slice()
            && let (Some(one), Some(other)) = (site(one), site(other))
        {
            races.insert(&finding.id, Race::new(one, other));
        }
    }
    let mut exposed = Exposed::new();
    for pair in &report.pairs {
        let number = |name: &String| name.strip_prefix("op").and_then(|number| number.parse::<usize>().ok());
        let (Some(one), Some(other)) = (number(&pair.operations[0]), number(&pair.operations[1])) else { continue };
        let found: BTreeSet<Race> = pair.findings.iter().filter_map(|id| races.get(id.as_str()).copied()).collect();
        if !found.is_empty() {
            exposed.entry([one.min(other), one.max(other)]).or_default().extend(found);
        }
    }
    Ok(exposed)
}

impl Figures {
    /// What is missed, in words; what is exposed beyond brute force's clients is counted.
    fn compare(&mut self, truth: &Truth, exposed: &Exposed) -> String {
        let mut text = String::new();
        let none = BTreeSet::new();
        for (functions, races) in &truth.races {
            let have = exposed.get(functions).unwrap_or(&none);
            for race in races {
                self.races += 1;
                if ![race.first(), race.second()].iter().all(|site| truth.run.contains(&site.line)) {
                    self.not_run += 1;
                } else if have.contains(race) {
                    self.exposed += 1;
                } else {
                    self.missed += 1;
                    let _ = writeln!(text, "op{} with op{}: {race} is missed", functions[0], functions[1]);
                }
            }
        }
        for (functions, races) in exposed {
            let known = truth.races.get(functions).unwrap_or(&none);
            for race in races.difference(known) {
                self.beyond += 1;
                let _ = writeln!(
                    text,
                    "op{} with op{}: {race} is exposed, and no client of few calls has it",
                    functions[0], functions[1]
                );
            }
        }
        text
    }
}
