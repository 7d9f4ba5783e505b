//! Random libraries of which callers get the operations by pointer (a table, a look-up, an object's members): what raddle says of them is
//! what it says where they call them by name. The rendered library is changed line by line, so that places stay.

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use testkit::library::{generate, render};

#[derive(Args)]
pub(crate) struct ByPointerOptions {
    /// How many libraries to compare
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to put libraries on which the two differ
    #[arg(long, default_value = "target/oracle")]
    keep: PathBuf,
    /// The program
    #[arg(long, default_value = "target/release/raddle")]
    raddle: PathBuf,
}

/// How callers come to a library's functions.
#[derive(Clone, Copy, Debug)]
enum Way {
    Table,
    LookUp,
    Members,
}

const WAYS: [Way; 3] = [Way::Table, Way::LookUp, Way::Members];

/// An operation, as the library defines it.
struct Operation {
    name: String,
    result: String,
    params: String,
}

/// What is said of operations: findings by kind and places, and verdicts by pair.
#[derive(PartialEq, Eq)]
struct Said {
    findings: BTreeSet<String>,
    pairs: BTreeSet<String>,
}

/// Compares libraries until `count` were compared. False when any differed.
///
/// # Errors
/// When raddle does not run, or reports an error.
pub(crate) fn run(options: &ByPointerOptions) -> anyhow::Result<bool> {
    let started = Instant::now();
    let scratch = tempfile::tempdir()?;
    let (mut compared, mut cut_short, mut different, mut findings) = (0, 0, 0, 0);
    let mut seed = options.seed;
    while compared < options.count {
        let source = render(&generate(seed));
        let way = WAYS[(seed % WAYS.len() as u64) as usize];
        let changed = by_pointer(&source, way)?;
        let of_library = source.lines().count() as u64;
        let said = |source: &str| said(options, scratch.path(), (source, of_library));
        let said = said(&source)?.zip(said(&changed)?);
        seed += 1;
        let Some((by_name, by_pointer)) = said else {
            cut_short += 1;
            continue;
        };
        compared += 1;
        findings += by_name.findings.len();
        if by_name != by_pointer {
            different += 1;
            std::fs::create_dir_all(&options.keep)?;
            std::fs::write(options.keep.join(format!("pointer{}.c", seed - 1)), &changed)?;
            eprintln!("seed {}, {way:?}: {}", seed - 1, differences(&by_name, &by_pointer));
        }
    }
    println!(
        "{compared} libraries compared ({cut_short} took too long), seeds {} to {}: {different} differ; {findings} findings; {:.1} s",
        options.seed,
        seed - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

/// The same library, of which no operation is visible by name.
fn by_pointer(source: &str, way: Way) -> anyhow::Result<String> {
    let (mut text, mut operations) = (String::new(), Vec::new());
    for line in source.lines() {
        match operation(line) {
            Some(operation) => {
                operations.push(operation);
                let _ = writeln!(text, "static {line}");
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    if operations.is_empty() {
        bail!("the rendered library has no operation:\n{source}");
    }
    let members: String = operations.iter().map(Operation::member).collect();
    let names: Vec<&str> = operations.iter().map(|operation| operation.name.as_str()).collect();
    match way {
        Way::Table => {
            let _ = write!(text, "const struct {{\n{members}}} table = {{ {} }};\n", names.join(", "));
        }
        Way::LookUp => {
            text.push_str("typedef void (*any)(void);\nany find(int which)\n{\n");
            for (index, name) in names.iter().enumerate() {
                let _ = writeln!(text, "    if (which == {index})\n        return (any){name};");
            }
            text.push_str("    return (any)0;\n}\n");
        }
        Way::Members => {
            let _ = write!(text, "struct methods {{\n{members}}};\nvoid methods_init(struct methods *m)\n{{\n");
            for name in names {
                let _ = writeln!(text, "    m->{name} = {name};");
            }
            text.push_str("}\n");
        }
    }
    Ok(text)
}

impl Operation {
    fn member(&self) -> String {
        format!("    {} (*{})({});\n", self.result, self.name, self.params)
    }
}

/// The operation whose definition begins on a line: `int op0(struct node *o, int k)`.
fn operation(line: &str) -> Option<Operation> {
    let (head, params) = line.split_once('(')?;
    let params = params.strip_suffix(')')?;
    let at = head.rfind(|c: char| !c.is_ascii_alphanumeric())? + 1;
    let (result, name) = head.split_at(at);
    let is_operation = name.strip_prefix("op").is_some_and(|number| number.parse::<u32>().is_ok());
    let is_definition = !line.starts_with([' ', '#', '/']) && !line.starts_with("static");
    (is_operation && is_definition).then(|| Operation {
        name: name.to_owned(),
        result: result.trim().to_owned(),
        params: params.to_owned(),
    })
}

/// What is said of so many lines; none where the time ran out.
fn said(options: &ByPointerOptions, folder: &Path, (source, lines): (&str, u64)) -> anyhow::Result<Option<Said>> {
    let file = folder.join("library.c");
    std::fs::write(&file, source)?;
    let mut raddle = Command::new(std::path::absolute(&options.raddle)?);
    raddle.args(["races", "library.c", "--no-remedies", "--client-calls", "0", "--max-time", "20", "--format", "json"]);
    let output = raddle.current_dir(folder).env("RADDLE_STORE", "off").output().context("raddle does not run")?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("raddle wrote no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    if list("ledger").iter().any(|entry| entry["kind"] == "time") {
        return Ok(None);
    }
    let is_operation = |name: &Value| name.as_str().is_some_and(|name| name.starts_with("op"));
    let place = |access: &Value| format!("{} {}:{}", access["access"], access["line"], access["column"]);
    let findings = list("findings").into_iter().filter_map(|finding| {
        let accesses = finding["accesses"].as_array()?;
        let is_about_it = accesses.iter().all(|access| access["line"].as_u64().is_some_and(|line| line <= lines));
        let mut places: Vec<String> = accesses.iter().map(place).collect();
        places.sort_unstable();
        is_about_it.then(|| format!("{} {}", finding["kind"], places.join(" against ")))
    });
    let pairs = list("matrix").into_iter().filter_map(|entry| {
        let operations = entry["operations"].as_array()?;
        let verdict = entry["verdict"].to_string();
        operations.iter().all(is_operation).then(|| format!("{operations:?} {verdict}"))
    });
    Ok(Some(Said { findings: findings.collect(), pairs: pairs.collect() }))
}

fn differences(by_name: &Said, by_pointer: &Said) -> String {
    let mut text = String::new();
    for (one, other) in [(&by_name.findings, &by_pointer.findings), (&by_name.pairs, &by_pointer.pairs)] {
        for lost in one.difference(other) {
            let _ = writeln!(text, "  by name only: {lost}");
        }
        for more in other.difference(one) {
            let _ = writeln!(text, "  by pointer only: {more}");
        }
    }
    text
}
