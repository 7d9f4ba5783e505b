//! `--violation-witness` against ThreadSanitizer: each is followed natively, by a program that is made from the source and the sequence alone.

mod follow;

use anyhow::Context;
use clap::Args;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use testkit::ui::{Case, Runner, discover};
use witness::emit::parse_report;

#[derive(Args)]
pub(crate) struct SequencesOptions {
    /// Only cases of tests/ui whose names contain this
    filter: Option<String>,
    /// How often to run each
    #[arg(long, default_value_t = 3)]
    runs: u32,
}

#[derive(Default)]
struct Tally {
    followed: u32,
    /// ThreadSanitizer cannot see the race, as the case says, or the program needs what no native run has.
    left_out: u32,
    wrong: u32,
}

/// Follows the sequence of the first finding of each case that runs a program and has a race. False when one does not lead to the race.
pub(crate) fn run(options: &SequencesOptions) -> anyhow::Result<bool> {
    let runner = Runner::from_environment(Path::new("."), None)?;
    let mut tally = Tally::default();
    for case in discover(Path::new("tests/ui"))? {
        let c = case.path.extension().is_some_and(|extension| extension == "c");
        if c && options.filter.as_ref().is_none_or(|filter| case.name.contains(filter)) {
            one(&runner, &case, options.runs, &mut tally).with_context(|| case.name.clone())?;
        }
    }
    let Tally { followed, left_out, wrong } = tally;
    println!("{followed} followed to the race in {} of {} runs, {left_out} left out, {wrong} not", options.runs, options.runs);
    Ok(wrong == 0)
}

fn one(runner: &Runner, case: &Case, runs: u32, tally: &mut Tally) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    if case.arguments.first().is_none_or(|command| command != "check") {
        return Ok(());
    }
    let (report, _) = runner.report(case, scratch.path())?;
    let Some(finding) = report.findings.first().filter(|finding| finding.kind == "data_race") else { return Ok(()) };
    let wanted: BTreeSet<usize> = finding.accesses.iter().map(|access| access.line as usize).collect();
    let file = scratch.path().join("witness.yml");
    let named = file.display().to_string();
    let (said, _) = runner.output(case, scratch.path(), &["--violation-witness", &named])?;
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("{}: no sequence: {}", case.name, said.lines().last().unwrap_or_default());
        tally.wrong += 1;
        return Ok(());
    };
    let is_narrow = case.clang_flags.iter().any(|flag| flag == "-m32");
    if is_narrow || case.tsan_silent.is_some() {
        tally.left_out += 1;
        return Ok(());
    }
    match follow(case, &text, (&wanted, scratch.path()), runs)? {
        Outcome::Followed => tally.followed += 1,
        Outcome::LeftOut(why) => {
            println!("{}: left out: {why}", case.name);
            tally.left_out += 1;
        }
        Outcome::Lost(why) => {
            println!("{}: {why}", case.name);
            tally.wrong += 1;
        }
    }
    Ok(())
}

enum Outcome {
    Followed,
    LeftOut(String),
    Lost(String),
}

/// `wanted`: the lines of the race.
fn follow(
    case: &Case,
    yaml: &str,
    (wanted, scratch): (&BTreeSet<usize>, &Path),
    runs: u32,
) -> anyhow::Result<Outcome> {
    let entries: Vec<follow::Entry> = serde_saphyr::from_str(yaml)?;
    let [entry] = entries.as_slice() else { return Ok(Outcome::Lost("not one entry".to_owned())) };
    let source = std::fs::read_to_string(&case.path)?;
    let text = match follow::instrument(&source, entry) {
        Ok(text) => text,
        Err(why) => return Ok(Outcome::Lost(format!("{why:#}"))),
    };
    let (program, built) = (scratch.join("follow.c"), scratch.join("follow"));
    std::fs::write(&program, text)?;
    let output = Command::new("clang-22")
        .args(["-g", "-O0", "-w", "-fsanitize=thread", "-pthread", "-D_GNU_SOURCE"])
        .args(&case.clang_flags)
        .arg("-iquote")
        .arg(std::path::absolute(case.directory())?)
        .arg(&program)
        .args(["-lm", "-o"])
        .arg(&built)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().find(|line| line.contains("error") || line.contains("undefined")).unwrap_or_default();
        return Ok(Outcome::LeftOut(format!("does not build: {why}")));
    }
    for run in 1..=runs {
        let output = Command::new("timeout").arg("20").arg(&built).env("TSAN_OPTIONS", "exitcode=66 halt_on_error=1").output()?;
        let reports = parse_report(&String::from_utf8_lossy(&output.stderr));
        let lines: BTreeSet<usize> = reports.first().map_or_else(BTreeSet::new, |report| {
            report.accesses.iter().filter_map(|access| Some(access.in_source()?.line as usize)).collect()
        });
        if output.status.code() != Some(66) || lines != *wanted {
            return Ok(Outcome::Lost(format!(
                "run {run}: exit {:?}, lines {lines:?} instead of {wanted:?}",
                output.status.code()
            )));
        }
    }
    Ok(Outcome::Followed)
}
