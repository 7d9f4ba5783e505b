//! `bench/dsgen`: `raddle gpu` on four data structures, without a race, with each of 25, and with each of their mutants; beside Tables 2 to
//! 4 of DSGEN (ICS 2021).
//!
//! Guarantee: false where a structure without a race is not `safe`, a race is not found at its lines and in its class on symbolic
//! shapes, one is found or missed on the fixed shape other than the table says, more than half are found there, or a mutant
//! shows other than the table says.

use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct DsgenOptions {
    /// Where the structures are
    #[arg(long, default_value = "bench/dsgen")]
    bench: PathBuf,
    /// Only the structure of this name
    #[arg(long)]
    only: Option<String>,
    /// Without the mutants
    #[arg(long)]
    no_mutants: bool,
    /// Seconds for each run with a race or a mutant; a race has to be found by then
    #[arg(long, default_value_t = 30)]
    max_time: u64,
    /// Seconds for each structure without a race, which has to be `safe` by then
    #[arg(long, default_value_t = 300)]
    clean_time: u64,
    /// The program
    #[arg(long, default_value = "target/release/raddle")]
    raddle: PathBuf,
}

/// Of a structure, what the paper says: races that GKLEE and DSGEN found, shapes that DSGEN generated, and the seconds of both (Tables 3
/// and 4).
struct Paper {
    structure: &'static str,
    races: [u32; 2],
    shapes: u32,
    seconds: [&'static str; 2],
}

const PAPER: [Paper; 4] = [
    Paper { structure: "btree", races: [2, 10], shapes: 1629, seconds: ["4.9", "285.6"] },
    Paper { structure: "hamt", races: [2, 5], shapes: 122, seconds: ["5.9", "21.0"] },
    Paper { structure: "rrbtree", races: [3, 5], shapes: 16, seconds: ["153.0", "173.2"] },
    Paper { structure: "skiplist", races: [3, 5], shapes: 130, seconds: ["1.6", "23.3"] },
];

/// One run: the structure, which of its variants, and how it is launched.
#[derive(Clone)]
struct Case {
    structure: String,
    /// Empty, `RACE` or `MUTANT`, and its number.
    variant: (&'static str, u32),
    kernel: String,
    flags: Vec<String>,
    defines: Vec<String>,
}

/// An access: its kind and its line.
type Side = (String, u32);

/// A row of `races.tsv`.
struct Race {
    case: Case,
    class: String,
    /// What is annotated in the source.
    sides: [Side; 2],
    /// Found on the fixed shape, too.
    on_fixed: bool,
}

#[derive(Deserialize)]
struct Report {
    verdict: String,
    findings: Vec<Finding>,
    stats: Stats,
    ledger: Vec<Entry>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Finding {
    kind: String,
    class: Option<String>,
    accesses: Vec<Access>,
}

#[derive(Deserialize)]
struct Access {
    access: String,
    line: u32,
}

#[derive(Deserialize)]
struct Stats {
    paths: u64,
    executions: u64,
    shapes: u64,
}

#[derive(Deserialize)]
struct Entry {
    kind: String,
}

/// Of one structure, all its runs together.
#[derive(Default)]
struct Row {
    races: [usize; 3],
    shapes: u64,
    paths: u64,
    seconds: f64,
}

pub(crate) fn run(options: &DsgenOptions) -> anyhow::Result<bool> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut agree = run_clean(options, &mut rows)?;
    agree &= run_races(options, &mut rows)?;
    agree &= print_beside_paper(&rows, options.only.is_none());
    if !options.no_mutants {
        agree &= run_mutants(options)?;
    }
    Ok(agree)
}

impl DsgenOptions {
    fn asks_for(&self, case: &Case) -> bool {
        self.only.as_ref().is_none_or(|only| *only == case.structure)
    }
}

/// Each structure as it should be. Whether all are safe.
fn run_clean(options: &DsgenOptions, rows: &mut BTreeMap<String, Row>) -> anyhow::Result<bool> {
    let mut agree = true;
    println!("{:62} {:>11} {:>10} {:>8} {:>8}", "without a race", "paths", "executions", "shapes", "seconds");
    for case in clean(&options.bench)?.into_iter().filter(|case| options.asks_for(case)) {
        let (report, seconds) = launch(options, &case, options.clean_time)?;
        agree &= report.verdict == "safe";
        let stats = &report.stats;
        let flags: Vec<&str> = case.flags.iter().chain(&case.defines).map(String::as_str).collect();
        let what = format!("{} {} {}", case.structure, case.kernel, flags.join(" "));
        println!(
            "{what:62} {:>11} {:>10} {:>8} {seconds:>8.1} {}{}",
            stats.paths,
            stats.executions,
            stats.shapes,
            report.verdict,
            left_out(&report)
        );
        let row = rows.entry(case.structure).or_default();
        row.shapes += stats.shapes;
        row.paths += stats.paths;
        row.seconds += seconds;
    }
    Ok(agree)
}

/// Each race, on any shape and on the fixed one. Whether all are found where the table says so.
fn run_races(options: &DsgenOptions, rows: &mut BTreeMap<String, Row>) -> anyhow::Result<bool> {
    let mut agree = true;
    println!("\n{:64} {:>8} {:>8} {:>8}", "races", "symbolic", "seconds", "fixed");
    for race in races(&options.bench)?.into_iter().filter(|race| options.asks_for(&race.case)) {
        let (report, seconds) = launch(options, &race.case, options.max_time)?;
        let is_found = report.findings.iter().any(|finding| race.is(finding));
        let fixed = Case { kernel: format!("{}_fixed", race.case.kernel), ..race.case.clone() };
        let (on_fixed, _) = launch(options, &fixed, options.max_time)?;
        let is_found_on_fixed = on_fixed.findings.iter().any(|finding| race.is(finding));
        let agrees = is_found && is_found_on_fixed == race.on_fixed;
        agree &= agrees;
        let [(first, at), (second, and)] = &race.sides;
        let Case { structure, kernel, variant, .. } = &race.case;
        let what = format!("{:2} {structure} {kernel} {} {first} {at}, {second} {and}", variant.1, race.class);
        println!(
            "{what:64} {:>8} {seconds:>8.1} {:>8}{}",
            if is_found { "found" } else { "MISSED" },
            if is_found_on_fixed { "found" } else { "-" },
            if agrees { String::new() } else { format!("  not as annotated{}", left_out(&report)) }
        );
        let row = rows.entry(race.case.structure).or_default();
        for (count, found) in row.races.iter_mut().zip([true, is_found, is_found_on_fixed]) {
            *count += usize::from(found);
        }
    }
    Ok(agree)
}

/// Our figures beside those of the paper. False if more than half of all races are found on the fixed shapes.
fn print_beside_paper(rows: &BTreeMap<String, Row>, are_all: bool) -> bool {
    let line = |columns: [&str; 12]| {
        let [structure, rest @ ..] = columns;
        println!("{structure:10}{}", rest.map(|column| format!("{column:>10}")).concat());
    };
    println!();
    line(["", "races", "symbolic", "DSGEN", "fixed", "GKLEE", "shapes", "DSGEN", "paths", "seconds", "DSGEN", "GKLEE"]);
    let mut all = [0; 3];
    for (structure, row) in rows {
        let Some(paper) = PAPER.iter().find(|paper| paper.structure == structure) else { continue };
        let [races, symbolic, fixed] = row.races.map(|count| count.to_string());
        let [by_gklee, by_dsgen] = paper.races.map(|count| count.to_string());
        let [shapes, generated] = [row.shapes, paper.shapes.into()].map(|count| count.to_string());
        let (paths, seconds) = (row.paths.to_string(), format!("{:.1}", row.seconds));
        line([
            structure,
            &races,
            &symbolic,
            &by_dsgen,
            &fixed,
            &by_gklee,
            &shapes,
            &generated,
            &paths,
            &seconds,
            paper.seconds[1],
            paper.seconds[0],
        ]);
        for (sum, count) in all.iter_mut().zip(row.races) {
            *sum += count;
        }
    }
    let [races, symbolic, fixed] = all;
    line(["all", &races.to_string(), &symbolic.to_string(), "25", &fixed.to_string(), "10", "", "", "", "", "", ""]);
    let is_less = !are_all || 2 * fixed <= races;
    if !is_less {
        println!("more than half are found on the fixed shapes");
    }
    is_less
}

/// Each mutant. Whether all show as the table says.
fn run_mutants(options: &DsgenOptions) -> anyhow::Result<bool> {
    let mut agree = true;
    println!("\n{:72} {:>8} shows", "mutants", "seconds");
    for (case, what, expected) in mutants(&options.bench)?.into_iter().filter(|(case, ..)| options.asks_for(case)) {
        let (report, seconds) = launch(options, &case, options.max_time)?;
        let shown = shown(&report);
        let agrees = expected == shown;
        agree &= agrees;
        let name = format!("{} {} {what}", case.structure, case.variant.1);
        println!(
            "{name:72} {seconds:>8.1} {shown}{}",
            if agrees { String::new() } else { format!("  {expected} in the table{}", left_out(&report)) }
        );
    }
    Ok(agree)
}

/// What a mutant shows: the strongest of what was found, in the words of `mutants.tsv`.
fn shown(report: &Report) -> &'static str {
    let has = |kind: &str| report.findings.iter().any(|finding| finding.kind == kind);
    match () {
        () if has("data_race") => "race",
        () if has("scope_error") => "scope",
        () if has("barrier_divergence") => "divergence",
        () if report.verdict == "safe" => "nothing",
        () => "unknown",
    }
}

fn left_out(report: &Report) -> String {
    report.ledger.iter().map(|entry| format!(" {}", entry.kind)).collect()
}

fn launch(options: &DsgenOptions, case: &Case, max_time: u64) -> anyhow::Result<(Report, f64)> {
    let scratch = tempfile::tempdir()?;
    let mut command = Command::new(std::path::absolute(&options.raddle)?);
    command.arg("gpu").arg(options.bench.join(format!("{}.cu", case.structure)));
    command.args(["--kernel", &case.kernel, "--format", "json", "--max-time", &max_time.to_string()]);
    command.args(&case.flags).arg("--out").arg(scratch.path()).arg("--").args(&case.defines);
    if !case.variant.0.is_empty() {
        command.arg(format!("-D{}={}", case.variant.0, case.variant.1));
    }
    let begun = Instant::now();
    let output = command.output()?;
    let seconds = begun.elapsed().as_secs_f64();
    let what = || format!("{} {} {:?}", case.structure, case.kernel, case.variant);
    let report: Report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{}: no report: {}", what(), String::from_utf8_lossy(&output.stderr)))?;
    match report.error {
        Some(error) => anyhow::bail!("{}: {error}", what()),
        None => Ok((report, seconds)),
    }
}

impl Case {
    /// Of columns with the kernel, its flags, and those for the compiler.
    fn new(structure: &str, variant: (&'static str, u32), columns: [&str; 3]) -> Self {
        let [kernel, flags, defines] = columns;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let (structure, kernel) = (structure.to_owned(), kernel.to_owned());
        Case { structure, variant, kernel, flags: words(flags), defines: words(defines) }
    }
}

impl Race {
    /// Whether this is it: both accesses, at their lines, in its class.
    fn is(&self, finding: &Finding) -> bool {
        let mut seen: Vec<Side> = finding.accesses.iter().map(|access| (access.access.clone(), access.line)).collect();
        let mut wanted = self.sides.to_vec();
        seen.sort();
        wanted.sort();
        finding.kind == "data_race" && finding.class.as_ref() == Some(&self.class) && seen == wanted
    }
}

/// The rows of a table, by column, without what is commented out.
fn table<const N: usize>(path: &Path) -> anyhow::Result<Vec<[String; N]>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        columns.try_into().map_err(|_| anyhow::anyhow!("{}: not {N} columns: {line}", path.display()))
    });
    rows.collect()
}

fn clean(bench: &Path) -> anyhow::Result<Vec<Case>> {
    let rows = table::<4>(&bench.join("clean.tsv"))?;
    let case =
        |[structure, kernel, flags, defines]: [String; 4]| Case::new(&structure, ("", 0), [&kernel, &flags, &defines]);
    Ok(rows.into_iter().map(case).collect())
}

fn races(bench: &Path) -> anyhow::Result<Vec<Race>> {
    let mut races = Vec::new();
    for [number, structure, _, _, class, kernel, flags, defines, on_fixed] in table::<9>(&bench.join("races.tsv"))? {
        let number = number.parse()?;
        let source = std::fs::read_to_string(bench.join(format!("{structure}.cu")))?;
        let sides = annotated(&source, number).with_context(|| format!("race {number} has no two accesses"))?;
        let case = Case::new(&structure, ("RACE", number), [&kernel, &flags, &defines]);
        races.push(Race { case, class, sides, on_fixed: on_fixed == "yes" });
    }
    Ok(races)
}

/// What stands behind `//~ NUMBER` in a source; one access by itself is one that races with itself.
fn annotated(source: &str, number: u32) -> Option<[Side; 2]> {
    let mut sides = Vec::new();
    for (line, text) in (1..).zip(source.lines()) {
        for note in text.split("//~ ").skip(1) {
            let mut words = note.split_whitespace();
            if words.next().and_then(|word| word.parse().ok()) == Some(number) {
                sides.extend(words.map(|access| (access.to_owned(), line)));
            }
        }
    }
    if let [one] = sides.as_slice() {
        sides.push(one.clone());
    }
    sides.try_into().ok()
}

/// The case, what is left out, and what shows.
fn mutants(bench: &Path) -> anyhow::Result<Vec<(Case, String, String)>> {
    let mut all = Vec::new();
    for [structure, number, what, kernel, flags, defines, expected] in table::<7>(&bench.join("mutants.tsv"))? {
        let case = Case::new(&structure, ("MUTANT", number.parse()?), [&kernel, &flags, &defines]);
        all.push((case, what, expected));
    }
    Ok(all)
}
