//! `--violation-witness` against ThreadSanitizer: each is followed natively, by a program that is made from the source and the sequence alone.

mod follow;

use anyhow::Context;
use clap::Args;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use testkit::ui::{Case, Runner, discover};
use witness::Witness;
use witness::emit::{Report, parse_report};

#[derive(Args)]
pub(crate) struct SequencesOptions {
    /// Only cases of tests/ui whose names contain this
    filter: Option<String>,
    /// How often to run each
    #[arg(long, default_value_t = 10)]
    runs: u32,
}

#[derive(Default)]
struct Tally {
    followed: u32,
    /// In some runs: the sequence ends before one of the accesses, since it cannot tell what leads to the other.
    sometimes: u32,
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
    let Tally { followed, sometimes, left_out, wrong } = tally;
    let runs = options.runs;
    println!(
        "{followed} followed to the race in {runs} of {runs} runs, {sometimes} in some, {left_out} left out, {wrong} not"
    );
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
    let seen = finding.witness.as_ref().map(|path| case.directory().join(path));
    let seen = seen.and_then(|path| Witness::parse(&std::fs::read_to_string(path).ok()?).ok());
    let is_hidden = seen.is_none_or(|witness| witness.out_of_sight().is_some());
    let is_narrow = case.clang_flags.iter().any(|flag| flag == "-m32");
    if is_narrow || is_hidden || case.tsan_silent.is_some() {
        tally.left_out += 1;
        return Ok(());
    }
    match follow(case, &text, (&wanted, scratch.path()), runs)? {
        Outcome::Followed => tally.followed += 1,
        Outcome::Sometimes(shown) => {
            println!("{}: in {shown} of {runs} runs", case.name);
            tally.sometimes += 1;
        }
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

/// What SV-COMP's functions return where the sequence says nothing.
fn stubs_text() -> String {
    let types = [
        "int",
        "char",
        "short",
        "long",
        "unsigned char",
        "unsigned short",
        "unsigned long",
        "double",
        "float",
        "_Bool",
    ];
    let names = ["int", "char", "short", "long", "uchar", "ushort", "ulong", "double", "float", "bool"];
    let stub = |(ty, name): (&str, &str)| {
        format!("__attribute__((weak)) {ty} __VERIFIER_nondet_{name}(void) {{ return 0; }}\n")
    };
    let all = types.into_iter().zip(names).chain([("unsigned", "uint"), ("void *", "pointer")]);
    all.map(stub).collect()
}

enum Outcome {
    Followed,
    /// In so many runs.
    Sometimes(u32),
    LeftOut(String),
    Lost(String),
}

/// `wanted`: the lines of the race.
fn follow(case: &Case, yaml: &str, (wanted, scratch): (&BTreeSet<usize>, &Path), runs: u32) -> anyhow::Result<Outcome> {
    let entries: Vec<follow::Entry> = serde_saphyr::from_str(yaml)?;
    let [entry] = entries.as_slice() else { return Ok(Outcome::Lost("not one entry".to_owned())) };
    let source = std::fs::read_to_string(&case.path)?;
    let text = match follow::instrument(&source, entry) {
        Ok(text) => text,
        Err(why) => return Ok(Outcome::Lost(format!("{why:#}"))),
    };
    let (program, built) = (scratch.join("follow.c"), scratch.join("follow"));
    std::fs::write(&program, text)?;
    let stubs = scratch.join("stubs.c");
    std::fs::write(&stubs, stubs_text())?;
    let output = Command::new("clang-22")
        .args(["-g", "-O0", "-w", "-fsanitize=thread", "-pthread", "-D_GNU_SOURCE"])
        .args(&case.clang_flags)
        .arg("-iquote")
        .arg(std::path::absolute(case.directory())?)
        .args([&program, &stubs])
        .args(["-lm", "-o"])
        .arg(&built)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().find(|line| line.contains("error") || line.contains("undefined")).unwrap_or_default();
        return Ok(Outcome::LeftOut(format!("does not build: {why}")));
    }
    let mut failed = None;
    let mut shown = 0;
    for run in 1..=runs {
        let output = Command::new("timeout")
            .arg("20")
            .arg(&built)
            .env("TSAN_OPTIONS", "exitcode=66 suppress_equal_stacks=0 suppress_equal_addresses=0")
            .output()?;
        let reports = parse_report(&String::from_utf8_lossy(&output.stderr));
        // There may be others on the way.
        let lines_of = |report: &Report| -> BTreeSet<usize> {
            report.accesses.iter().filter_map(|access| Some(access.in_source()?.line as usize)).collect()
        };
        let lines: BTreeSet<BTreeSet<usize>> = reports.iter().map(lines_of).collect();
        // Programs that never end are ended.
        let is_over = matches!(output.status.code(), Some(66 | 124));
        if !is_over || !lines.contains(wanted) {
            let code = output.status.code();
            failed.get_or_insert(format!("run {run}: exit {code:?}, lines {lines:?} instead of {wanted:?}"));
        } else {
            shown += 1;
        }
    }
    Ok(match failed {
        None => Outcome::Followed,
        Some(why) if shown == 0 => Outcome::Lost(why),
        Some(_) => Outcome::Sometimes(shown),
    })
}
