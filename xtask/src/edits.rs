//! Edits of libraries, one after the other, each explored with the results of earlier runs and without: both must say the same.
//!
//! Generated edits are small changes of one statement, as people make them and as they undo them, and lines and declarations
//! that change nothing but where the rest stands. The others are those that the project's history has of `bench/ssrd`.

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use testkit::rng::Rng;
use testkit::ui::{covers_otherwise, is_cut_short};

const DIRECTORY: &str = "bench/ssrd";

#[derive(Args)]
pub(crate) struct EditsOptions {
    /// How many edits are generated of each structure
    #[arg(long, default_value_t = 25)]
    count: u64,
    /// Names them
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds for each run; what takes longer is not compared
    #[arg(long, default_value_t = 60)]
    max_time: u32,
    /// Leave the history out
    #[arg(long)]
    no_history: bool,
    /// Only structures whose names contain this
    name: Option<String>,
}

/// What came of the edits of one structure.
#[derive(Default)]
struct Tally {
    compared: u64,
    differ: u64,
    /// Neither compiled nor explored to the end.
    skipped: u64,
    /// Pairs that were not explored anew, of all.
    reused: u64,
    pairs: u64,
    /// Seconds with results of earlier runs, and without.
    seconds: [f64; 2],
}

/// Whether all agree.
///
/// # Errors
/// When raddle or git does not run.
pub(crate) fn run(options: &EditsOptions) -> anyhow::Result<bool> {
    let mut all_agree = true;
    for entry in ["avl", "queue", "skiplist", "unrolled"] {
        if options.name.as_ref().is_some_and(|wanted| !entry.contains(wanted.as_str())) {
            continue;
        }
        let path = Path::new(DIRECTORY).join(format!("{entry}.c"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut campaign = Campaign::new(options)?;
        let revisions = words(&text, "//@ revisions:");
        let mut rng = Rng::new(options.seed);
        let mut now = text.clone();
        let mut before = vec![];
        campaign.explore(&text, entry, "clean", "as it is")?;
        for number in 0..options.count {
            let revision = match rng.chance(30) {
                true if !revisions.is_empty() => revisions[rng.below(revisions.len())].clone(),
                _ => "clean".to_owned(),
            };
            let (edited, what) = edit(&mut rng, &now, &mut before);
            // What does not compile is taken back.
            if campaign.explore(&edited, entry, &revision, &format!("edit {number}, {what}"))? {
                before.push(std::mem::replace(&mut now, edited));
            }
        }
        campaign.report(entry, "generated edits");
        all_agree &= campaign.tally.differ == 0;
        if options.no_history {
            continue;
        }
        let mut campaign = Campaign::new(options)?;
        for commit in history(&path)? {
            let Some(text) = shown(&commit, &path)? else { continue };
            campaign.explore(&text, entry, "clean", &commit)?;
        }
        campaign.report(entry, "versions of the history");
        all_agree &= campaign.tally.differ == 0;
    }
    Ok(all_agree)
}

/// Runs on versions of one structure, with one store for all.
struct Campaign {
    raddle: PathBuf,
    scratch: tempfile::TempDir,
    max_time: u32,
    tally: Tally,
}

impl Campaign {
    fn new(options: &EditsOptions) -> anyhow::Result<Self> {
        let raddle = std::env::current_exe()?.with_file_name("raddle");
        let (scratch, tally) = (tempfile::tempdir()?, Tally::default());
        Ok(Campaign { raddle, scratch, max_time: options.max_time, tally })
    }

    /// Compares a run with the results of earlier ones with one without. Whether the version compiles.
    fn explore(&mut self, text: &str, name: &str, revision: &str, what: &str) -> anyhow::Result<bool> {
        let file = format!("{name}.c");
        std::fs::write(self.scratch.path().join(&file), text)?;
        // The command comes first.
        let arguments = words(text, "//@ run:").into_iter().skip(1).collect::<Vec<_>>();
        let run = |store: &[&str]| -> anyhow::Result<(Option<i32>, Value, f64)> {
            let begun = Instant::now();
            let output = Command::new(&self.raddle)
                .current_dir(self.scratch.path())
                .args(["races", &file])
                .args(&arguments)
                .args(["--format", "json", "--client-calls", "0", "--max-time", &self.max_time.to_string()])
                .args(store)
                .args(["--", &format!("-D{revision}"), "-w"])
                .output()?;
            let report = serde_json::from_slice(&output.stdout)
                .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
            Ok((output.status.code(), report, begun.elapsed().as_secs_f64()))
        };
        let (code, mut cold, without) = run(&["--no-store"])?;
        if code == Some(2) {
            self.tally.skipped += 1;
            return Ok(false);
        }
        let (code_again, mut warm, with) = run(&["--store", "store"])?;
        if is_cut_short(&cold) || is_cut_short(&warm) {
            self.tally.skipped += 1;
            return Ok(true);
        }
        let tally = &mut self.tally;
        tally.compared += 1;
        tally.reused += warm["stats"]["store"]["reused"].as_u64().unwrap_or_default();
        tally.pairs += warm["stats"]["store"]["entries"].as_u64().unwrap_or_default();
        tally.seconds = [tally.seconds[0] + with, tally.seconds[1] + without];
        let other_code = (code != code_again).then(|| format!("exit codes {code:?} and {code_again:?}"));
        if let Some(difference) = other_code.or_else(|| covers_otherwise(&mut cold, &mut warm)) {
            tally.differ += 1;
            println!("{name} {revision}, {what}: differs\n{difference}");
        }
        Ok(true)
    }

    fn report(&self, name: &str, what: &str) {
        let Tally { compared, differ, skipped, reused, pairs, seconds: [with, without] } = self.tally;
        println!(
            "{name}: {compared} {what} compared ({skipped} do not compile or take too long): {differ} differ; \
             {reused} of {pairs} pairs reused; {with:.1} s with the store, {without:.1} s without"
        );
    }
}

/// What stands behind the first directive of this name.
fn words(text: &str, directive: &str) -> Vec<String> {
    let rest = text.lines().find_map(|line| line.strip_prefix(directive)).unwrap_or_default();
    rest.split_whitespace().map(str::to_owned).collect()
}

/// A version with one edit more, or one less, and what that was.
fn edit(rng: &mut Rng, text: &str, before: &mut Vec<String>) -> (String, String) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_statement = |line: &String| line.starts_with("    ") && line.trim_end().ends_with(';');
    let statements: Vec<usize> = (0..lines.len()).filter(|&at| is_statement(&lines[at])).collect();
    let functions: Vec<usize> = (1..lines.len()).filter(|&at| lines[at] == "{" || lines[at].ends_with(") {")).collect();
    if statements.is_empty() || functions.is_empty() {
        return (text.to_owned(), "nothing".to_owned());
    }
    let at = statements[rng.below(statements.len())];
    let what = match rng.below(9) {
        0 if !before.is_empty() => {
            let earlier = before.remove(rng.below(before.len()));
            return (earlier, "an earlier version".to_owned());
        }
        0 | 1 => {
            lines.insert(at, "    // a remark".to_owned());
            "a remark"
        }
        2 => {
            lines.insert(0, "// a remark at the beginning".to_owned());
            "a remark at the beginning"
        }
        3 => {
            lines.remove(at);
            "one statement less"
        }
        4 => {
            lines.insert(at, lines[at].clone());
            "a statement twice"
        }
        5 => {
            let others: Vec<usize> = statements.iter().copied().filter(|&other| other == at + 1).collect();
            if let &[next] = &others[..] {
                lines.swap(at, next);
            }
            "two statements the other way round"
        }
        6 => {
            let place = lines.iter().rposition(|line| line.starts_with("#include")).map_or(0, |at| at + 1);
            lines.insert(place, format!("static int unused_{};", rng.below(1000)));
            "another variable"
        }
        7 => {
            let place = lines.iter().rposition(|line| line.starts_with("#include")).map_or(0, |at| at + 1);
            lines.insert(place, format!("int another_{}(int *p) {{ return *p; }}", rng.below(1000)));
            "another function"
        }
        _ => {
            let changes = [("<", "<="), ("==", "!="), ("->", "-> "), (" 1", " 2"), (" 0", " 1"), ("&&", "||")];
            let (from, to) = changes[rng.below(changes.len())];
            lines[at] = lines[at].replacen(from, to, 1);
            "another operator or number"
        }
    };
    (lines.join("\n") + "\n", format!("{what} in line {}", at + 1))
}

/// The commits that changed a file, the first one first.
fn history(path: &Path) -> anyhow::Result<Vec<String>> {
    let output = Command::new("git").args(["log", "--reverse", "--format=%H", "--"]).arg(path).output()?;
    if !output.status.success() {
        bail!("git log: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// A file in a commit; none if it was not there.
fn shown(commit: &str, path: &Path) -> anyhow::Result<Option<String>> {
    let output = Command::new("git").arg("show").arg(format!("{commit}:{}", path.display())).output()?;
    Ok(output.status.success().then(|| String::from_utf8(output.stdout)).transpose()?)
}
