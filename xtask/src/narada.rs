//! `bench/narada`: `raddle synth` on nine libraries, as Tables 3 to 5 of Narada (PLDI 2015) have its figures.

use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct NaradaOptions {
    /// Where the libraries are
    #[arg(long, default_value = "bench/narada")]
    bench: PathBuf,
    /// Only libraries whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Build and run the tests that are written, too
    #[arg(long)]
    native: bool,
    /// Seconds for each library
    #[arg(long)]
    max_time: Option<u64>,
    /// Where to write the table; none: it is printed only
    #[arg(long)]
    write: Option<PathBuf>,
    /// The program
    #[arg(long, default_value = "target/release/raddle")]
    raddle: PathBuf,
}

/// A library of the benchmark.
struct Library {
    number: &'static str,
    name: &'static str,
    functions: u32,
    /// Pairs that race by reading and by running them under ThreadSanitizer, in the words of the README.
    truth: &'static str,
}

const LIBRARIES: [Library; 9] = [
    Library { number: "C1", name: "write_behind_queue", functions: 14, truth: "40 on two wrappers" },
    Library {
        number: "C2",
        name: "synchronized_collection",
        functions: 19,
        truth: "89 on two wrappers, 35 by argument",
    },
    Library { number: "C3", name: "char_array_writer", functions: 15, truth: "18" },
    Library { number: "C4", name: "dynamic_bin", functions: 38, truth: "71 ordered" },
    Library { number: "C5", name: "double_index", functions: 33, truth: "192" },
    Library { number: "C6", name: "scanner", functions: 27, truth: "177" },
    Library { number: "C7", name: "pooled_executor", functions: 14, truth: "18" },
    Library { number: "C8", name: "sequence", functions: 23, truth: "39" },
    Library { number: "C9", name: "char_array_reader", functions: 10, truth: "11" },
];

#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
    #[serde(default)]
    pairs: Vec<Pair>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Finding {
    tsan_confirmed: Option<bool>,
}

#[derive(Deserialize)]
struct Pair {
    verdict: String,
    effect: Option<Effect>,
}

#[derive(Deserialize)]
struct Effect {
    kind: String,
}

/// A row of the table.
#[derive(Default)]
struct Row {
    lines: usize,
    tests: usize,
    races: usize,
    confirmed: usize,
    verdicts: BTreeMap<String, usize>,
    /// Of exposed pairs.
    effects: BTreeMap<String, usize>,
    seconds: f64,
    /// Of all processors.
    processor: f64,
}

pub(crate) fn run(options: &NaradaOptions) -> anyhow::Result<bool> {
    let raddle = std::path::absolute(&options.raddle)?;
    let mut text = String::from(
        "| | library | functions | lines | pairs | exposed | refuted | not reached | unfinished | by reading | tests | races | \
         natively | harmful | same | not comparable | seconds | of processors |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut all, mut is_whole) = (Row::default(), true);
    for library in LIBRARIES.iter().filter(|library| library.name.contains(&options.only)) {
        let row = measure(&raddle, options, library.name)?;
        println!(
            "{}",
            line(library.number, library.name, &library.functions.to_string(), library.truth, &row, options.native)
        );
        text.push_str(&line(
            library.number,
            library.name,
            &library.functions.to_string(),
            library.truth,
            &row,
            options.native,
        ));
        text.push('\n');
        is_whole &= row.races > 0;
        all.add(row);
    }
    text.push_str(&line("", "all", "", "", &all, options.native));
    text.push('\n');
    println!("\n{text}");
    if let Some(path) = &options.write {
        let mut command = String::from("cargo xtask narada");
        if options.native {
            command.push_str(" --native");
        }
        if let Some(seconds) = options.max_time {
            let _ = write!(command, " --max-time {seconds}");
        }
        let head = format!(
            "# `raddle synth` on nine libraries\n\nAs `{command} --write {}` has written it. One run each, on whatever machine that was: \
             seconds are of the clock, and those of all processors, compilers included.\n\n",
            path.display()
        );
        std::fs::write(path, head + &text).with_context(|| path.display().to_string())?;
    }
    Ok(is_whole)
}

fn measure(raddle: &Path, options: &NaradaOptions, name: &str) -> anyhow::Result<Row> {
    let scratch = tempfile::tempdir()?;
    for file in [format!("{name}.c"), format!("{name}.h"), format!("{name}_test.c")] {
        std::fs::copy(options.bench.join(&file), scratch.path().join(&file)).with_context(|| file.clone())?;
    }
    let mut command = Command::new(raddle);
    command.current_dir(scratch.path()).args(["synth", &format!("{name}.c"), "--format", "json", "-o", "racy"]);
    if !options.native {
        command.arg("--no-native");
    }
    if let Some(seconds) = options.max_time {
        command.args(["--max-time", &seconds.to_string()]);
    }
    let (begun, earlier) = (Instant::now(), children());
    let output = command.args(["--tests", &format!("{name}_test.c")]).output()?;
    let (seconds, processor) = (begun.elapsed().as_secs_f64(), children() - earlier);
    let report: Report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{name}: no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    if let Some(error) = report.error {
        anyhow::bail!("{name}: {error}");
    }
    let mut row = Row { seconds, processor, races: report.findings.len(), ..Row::default() };
    row.lines = std::fs::read_to_string(options.bench.join(format!("{name}.c")))?.lines().count();
    row.confirmed = report.findings.iter().filter(|finding| finding.tsan_confirmed == Some(true)).count();
    for entry in std::fs::read_dir(scratch.path().join("racy"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        row.tests += usize::from(name.ends_with("_schedule.c"));
    }
    for pair in report.pairs {
        if pair.verdict == "exposed" {
            let effect = pair.effect.map_or_else(|| "shared".to_owned(), |effect| effect.kind);
            *row.effects.entry(effect).or_default() += 1;
        }
        *row.verdicts.entry(pair.verdict).or_default() += 1;
    }
    Ok(row)
}

/// Seconds that processors have spent on programs that this one has run.
fn children() -> f64 {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name of the program, which may hold anything: `cutime` and `cstime` of proc(5).
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|field| field.parse().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / TICKS
}

impl Row {
    fn add(&mut self, other: Row) {
        self.lines += other.lines;
        self.tests += other.tests;
        self.races += other.races;
        self.confirmed += other.confirmed;
        self.seconds += other.seconds;
        self.processor += other.processor;
        for (verdict, count) in other.verdicts {
            *self.verdicts.entry(verdict).or_default() += count;
        }
        for (effect, count) in other.effects {
            *self.effects.entry(effect).or_default() += count;
        }
    }
}

fn line(number: &str, name: &str, functions: &str, truth: &str, row: &Row, native: bool) -> String {
    let verdict = |name: &str| row.verdicts.get(name).copied().unwrap_or(0);
    let effect = |name: &str| row.effects.get(name).copied().unwrap_or(0);
    let pairs: usize = row.verdicts.values().sum();
    let natively = if native { row.confirmed.to_string() } else { "-".to_owned() };
    format!(
        "| {number} | `{name}` | {functions} | {} | {pairs} | {} | {} | {} | {} | {truth} | {} | {} | {natively} | {} | {} | {} | {:.1} | {:.1} |",
        row.lines,
        verdict("exposed"),
        verdict("refuted"),
        verdict("not_reached"),
        verdict("unfinished"),
        row.tests,
        row.races,
        effect("crash") + effect("unserialisable"),
        effect("same"),
        effect("not_comparable"),
        row.seconds,
        row.processor,
    )
}
