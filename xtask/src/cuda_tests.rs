//! The generated test of every finding of a kernel in `tests/ui/gpu`, looked at ([`testkit::cuda`]).

use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use testkit::cuda::{Outcome, ValueCheck, Workshop, Zeros};
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
    /// Tests that write numbers, and those among them that show nothing with zeros instead.
    with_numbers: u32,
    silent_with_zeros: u32,
    /// Looks at what a race leaves, by what becomes of them.
    looks: BTreeMap<&'static str, u32>,
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
    list("no twin: it shows whatever is altered", &tally.without_twin);
    let twins: Vec<String> = tally.twins.iter().map(|(what, count)| format!("{count} by {what}")).collect();
    let looks: Vec<String> =
        tally.looks.iter().filter(|(_, count)| **count > 0).map(|(what, count)| format!("{count} {what}")).collect();
    println!("tests that look at what a race leaves, and whether that fails in some order: {}", looks.join(", "));
    println!(
        "{} findings of kernels: {} tests, {} refused; raddle finds {} again, does not explore {}; twins that are silent: {}; {} without a \
         twin; {} write numbers, {} of these show nothing with zeros; longest story {} lines; {} wrong; {:.1} s",
        tally.findings,
        tally.tests,
        tally.refused.len(),
        tally.again,
        tally.not_explored.len(),
        twins.join(", "),
        tally.without_twin.len(),
        tally.with_numbers,
        tally.silent_with_zeros,
        tally.longest,
        tally.wrong,
        started.elapsed().as_secs_f64()
    );
    Ok(tally.wrong == 0)
}

fn tests_of(runner: &Runner, case: &Case, options: &CudaTestsOptions, tally: &mut Tally) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let workshop = Workshop { raddle: runner.program(), workspace: Path::new("."), seconds: options.max_time };
    let (report, exit) = runner.output(case, scratch.path(), &["--format", "json"])?;
    let report: Value = serde_json::from_str(&report).with_context(|| format!("exit code {exit}"))?;
    for finding in report["findings"].as_array().into_iter().flatten() {
        tally.findings += 1;
        let name = format!("{} {}", case.name, finding["id"].as_str().unwrap_or_default());
        let file_name = name.replace(['/', '#', ' '], "_").replace(".cu", "") + ".cu";
        let file = std::path::absolute(options.keep.as_deref().unwrap_or(scratch.path()))?.join(file_name);
        let outcome = workshop.look_at(case, finding, &file)?;
        if let Outcome::Refused(why) = outcome {
            tally.refused.push(format!("{name}: {why}"));
            continue;
        }
        tally.tests += 1;
        let source = std::fs::read_to_string(&file)?;
        tally.longest = tally.longest.max(source.lines().take_while(|line| *line != " */").count());
        match outcome {
            Outcome::Again { twin, zeros, value } => {
                *tally.looks.entry(value_in_words(value)).or_default() += u32::from(value != ValueCheck::None);
                tally.again += 1;
                tally.with_numbers += u32::from(zeros != Zeros::NothingWritten);
                tally.silent_with_zeros += u32::from(zeros == Zeros::Silent);
                match twin {
                    Some(what) => *tally.twins.entry(what).or_default() += 1,
                    None => tally.without_twin.push(name),
                }
            }
            Outcome::NotExplored(why) => tally.not_explored.push(format!("{name}: {why}")),
            Outcome::Wrong(why) => {
                println!("{name}: {why}");
                tally.wrong += 1;
            }
            Outcome::Refused(_) => {}
        }
    }
    Ok(())
}

fn value_in_words(value: ValueCheck) -> &'static str {
    match value {
        ValueCheck::None => "",
        ValueCheck::Fails => "fail",
        ValueCheck::NeverFails => "never fail",
    }
}
