//! The generated test of every finding of a kernel in `tests/ui/gpu`: it compiles without a warning in what raddle wrote, raddle finds the same in it
//! from `main` on, and does not where the launch or the heap is altered.
//!
//! No device is asked for: what one shows is not looked at here.

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use testkit::ui::{Case, Runner, discover};

#[derive(Args)]
pub(crate) struct CudaTestsOptions {
    /// Only cases whose names contain this
    filter: Option<String>,
    /// Where the tests stay, to be read. Default: nowhere
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Seconds for raddle on each test
    #[arg(long, default_value_t = 60)]
    max_time: u64,
}

#[derive(Default)]
struct Tally {
    findings: u32,
    tests: u32,
    /// Why there is none.
    refused: Vec<String>,
    again: u32,
    /// Why raddle does not explore a test.
    not_explored: Vec<String>,
    /// By what was altered.
    twins: BTreeMap<&'static str, u32>,
    without_twin: Vec<String>,
    wrong: u32,
    /// Lines of the story.
    longest: usize,
}

/// Makes and looks at the test of each finding. False when one is not what it should be.
pub(crate) fn run(options: &CudaTestsOptions) -> anyhow::Result<bool> {
    let started = Instant::now();
    let runner = Runner::from_environment(Path::new("."), None)?;
    let mut tally = Tally::default();
    for case in discover(Path::new("tests/ui/gpu"))? {
        let name = &case.name;
        // What begins with `main` is its own test.
        let is_of_kernel = case.path.extension().is_some_and(|e| e == "cu") && !name.contains("host_");
        if is_of_kernel && options.filter.as_ref().is_none_or(|f| name.contains(f)) {
            tests_of(&runner, &case, options, &mut tally).with_context(|| name.clone())?;
        }
    }
    let list = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            println!("{title}:");
        }
        lines.iter().for_each(|line| println!("  {line}"));
    };
    list("no test", &tally.refused);
    list("not explored from main", &tally.not_explored);
    list("no twin", &tally.without_twin);
    let twins: Vec<String> = tally.twins.iter().map(|(what, count)| format!("{count} by {what}")).collect();
    println!(
        "{} findings of kernels: {} tests, {} refused; raddle finds {} again, does not explore {}; twins that are silent: {}; {} without a \
         twin; longest story {} lines; {} wrong; {:.1} s",
        tally.findings,
        tally.tests,
        tally.refused.len(),
        tally.again,
        tally.not_explored.len(),
        twins.join(", "),
        tally.without_twin.len(),
        tally.longest,
        tally.wrong,
        started.elapsed().as_secs_f64()
    );
    Ok(tally.wrong == 0)
}

fn tests_of(runner: &Runner, case: &Case, options: &CudaTestsOptions, tally: &mut Tally) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let (report, exit) = runner.output(case, scratch.path(), &["--format", "json"])?;
    let report: Value = serde_json::from_str(&report).with_context(|| format!("exit code {exit}"))?;
    for finding in report["findings"].as_array().into_iter().flatten() {
        tally.findings += 1;
        let name = format!("{} {}", case.name, text(&finding["id"]));
        let file_name = name.replace(['/', '#', ' '], "_").replace(".cu", "") + ".cu";
        let file = options.keep.as_deref().unwrap_or(scratch.path()).join(file_name);
        let witness = case.directory().join(text(&finding["witness"]));
        let written = raddle(case, &["test", &witness.to_string_lossy(), "-o", &file.to_string_lossy()])?;
        if let Err(why) = written {
            tally.refused.push(format!("{name}: {why}"));
            continue;
        }
        tally.tests += 1;
        let source = std::fs::read_to_string(&file)?;
        tally.longest = tally.longest.max(source.lines().take_while(|line| *line != " */").count());
        for why in warnings(&file, case)? {
            println!("{name}: {why}");
            tally.wrong += 1;
        }
        let wanted = key(finding);
        let look = Look { case, file: &file, options, wanted: &wanted };
        match look.at(&source)? {
            Seen::Same => tally.again += 1,
            Seen::NotExplored(why) => {
                tally.not_explored.push(format!("{name}: {why}"));
                continue;
            }
            Seen::Others(others) => {
                println!("{name}: wanted {wanted}, seen {others:?}");
                tally.wrong += 1;
                continue;
            }
        }
        match twin(&source, finding) {
            None => tally.without_twin.push(name),
            Some((what, altered)) => match look.at(&altered)? {
                Seen::Others(_) => *tally.twins.entry(what).or_default() += 1,
                Seen::Same => {
                    println!("{name}: shows {wanted} although altered by {what}");
                    tally.wrong += 1;
                }
                Seen::NotExplored(why) => tally.without_twin.push(format!("{name}: {what}: {why}")),
            },
        }
        std::fs::write(&file, source)?;
    }
    Ok(())
}

/// What raddle sees in a test.
enum Seen {
    Same,
    Others(BTreeSet<String>),
    NotExplored(String),
}

struct Look<'a> {
    case: &'a Case,
    file: &'a Path,
    options: &'a CudaTestsOptions,
    wanted: &'a str,
}

impl Look<'_> {
    /// Has raddle look at this text by the command that the test names.
    fn at(&self, source: &str) -> anyhow::Result<Seen> {
        const BEFORE: &str = " * raddle looks at this program by: raddle ";
        std::fs::write(self.file, source)?;
        let Some(command) = source.lines().find_map(|line| line.strip_prefix(BEFORE)) else {
            let why = source.lines().find_map(|line| line.strip_prefix(" * raddle does not look at this program: "));
            return Ok(Seen::NotExplored(why.context("a test that names no command")?.to_owned()));
        };
        let out = tempfile::tempdir()?;
        let out = out.path().to_string_lossy().into_owned();
        let seconds = self.options.max_time.to_string();
        let own = ["--format", "json", "--out", &out, "--max-time", &seconds].map(str::to_owned);
        let mut words = shlex::split(command).context("a command that is none")?;
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, own);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let printed = match raddle(self.case, &words)? {
            Ok(printed) => printed,
            Err(why) => bail!("raddle {command}: {why}"),
        };
        let report: Value = serde_json::from_str(&printed)?;
        let seen: BTreeSet<String> = report["findings"].as_array().into_iter().flatten().map(key).collect();
        Ok(if seen.contains(self.wanted) { Seen::Same } else { Seen::Others(seen) })
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What makes two findings the same: kind, class, and where.
fn key(finding: &Value) -> String {
    let place = |at: &Value| {
        let file = text(&at["file"]).rsplit('/').next().unwrap_or_default().to_owned();
        format!("{file}:{} {}", at["line"], text(&at["access"]))
    };
    let several = |list: &Value, place: &dyn Fn(&Value) -> String| -> Vec<String> {
        let mut places: Vec<String> = list.as_array().into_iter().flatten().map(place).collect();
        places.sort();
        places
    };
    let mut places = several(&finding["accesses"], &place);
    if places.is_empty() {
        places = several(&finding["blocked"], &|blocked| place(&blocked["location"]));
        places.dedup();
    }
    if places.is_empty() {
        places.push(place(&finding["location"]));
    }
    format!("{} {} {places:?}", text(&finding["kind"]), text(&finding["class"]))
}

/// Runs raddle where the case's source stands. What it says where it refuses.
fn raddle(case: &Case, arguments: &[&str]) -> anyhow::Result<Result<String, String>> {
    let raddle = std::env::current_exe()?.with_file_name("raddle");
    let output = Command::new(raddle).args(arguments).current_dir(case.directory()).output()?;
    Ok(match output.status.code() {
        Some(0 | 5 | 10) => Ok(String::from_utf8(output.stdout)?),
        _ => Err(String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ")),
    })
}

/// What clang says of a test with all warnings, for both sides, in what raddle wrote.
fn warnings(file: &Path, case: &Case) -> anyhow::Result<Vec<String>> {
    const HOW: &str = "-x cuda -fsyntax-only -Wall -Wextra -fno-caret-diagnostics -nocudainc -nocudalib -fgpu-rdc -std=c++17 -Xclang \
                       -target-sdk-version=12.0 -I crates/raddle/include -I crates/raddle/include/cuda -include raddle_cuda.h";
    let mut said = Vec::new();
    for side in ["--cuda-host-only", "--cuda-device-only"] {
        let mut clang = Command::new("clang-22");
        clang.args(HOW.split_whitespace()).arg(side);
        if side == "--cuda-device-only" {
            clang.args(["--cuda-feature=+ptx70", "--offload-arch=sm_70"]);
        }
        clang.args(case.revision.iter().map(|name| format!("-D{name}"))).args(&case.clang_flags).arg(file);
        let output = clang.output().context("running clang")?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let own = file.to_string_lossy().into_owned() + ":";
        let is_own = |line: &&str| line.starts_with(&own) && (line.contains(" warning: ") || line.contains(" error: "));
        said.extend(text.lines().filter(is_own).map(str::to_owned));
        if !output.status.success() && said.is_empty() {
            said.push(text);
        }
    }
    Ok(said)
}

/// A test that does not show it, and what was altered.
fn twin(source: &str, finding: &Value) -> Option<(&'static str, String)> {
    let altered = match text(&finding["kind"]) {
        "data_race" | "scope_error" | "barrier_divergence" => ("a launch of one thread", one_thread(source)),
        "out_of_bounds" => ("longer buffers", longer(source)),
        _ => ("a launch of one thread", one_thread(source)),
    };
    (altered.1 != source).then_some(altered)
}

fn one_thread(source: &str) -> String {
    let line = source.lines().find(|line| line.trim_start().starts_with("const dim3 raddle_grid("));
    line.map_or_else(
        || source.to_owned(),
        |line| source.replace(line, "    const dim3 raddle_grid(1, 1, 1), raddle_block(1, 1, 1);"),
    )
}

fn longer(source: &str) -> String {
    source.replace(" = raddle_object(", " = raddle_object(4096 + ")
}
