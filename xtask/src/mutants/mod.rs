//! Planted bugs: each must be caught by the oracles or by the tests, or they would miss the same bug made by mistake.
//!
//! A copy of the working tree is changed in one place, built, and put before the detectors, cheapest first, until one
//! of them fails. The unchanged copy must pass them all. A mutant that hangs a detector counts as caught.

mod list;

use anyhow::{Context, bail};
use list::{Mutant, mutants};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

/// Seconds that one detector may take; the whole of `tests/ui` takes about ten minutes.
const PATIENCE: &str = "1200";

/// What may notice a bug: a name, and the command that fails then.
type Detector = (&'static str, &'static [&'static str]);

const DETECTORS: &[Detector] = &[
    ("strategies", &["cargo", "test", "-q", "--release", "-p", "explore", "--tests"]),
    ("sequential programs", &["target/release/xtask", "sequential", "--count", "30"]),
    ("random libraries", &["target/release/xtask", "libraries", "--count", "120"]),
    ("libraries in three threads", &["target/release/xtask", "libraries", "--count", "30", "--threads", "3"]),
    ("libraries with two calls", &["target/release/xtask", "libraries", "--count", "20", "--calls", "2"]),
    ("what clients build", &["target/release/xtask", "clients", "--count", "12", "--before", "2"]),
    ("random programs", &["target/release/xtask", "programs", "--count", "200"]),
    ("kernels", &["target/release/xtask", "kernels", "--count", "100"]),
    ("branches by interferences", &["target/release/xtask", "interference", "--count", "150"]),
    ("programs that never end", &["target/release/xtask", "endless", "--count", "150"]),
    ("the unfolding of those", &["target/release/xtask", "endless", "--count", "60", "--unfolding"]),
    ("what is summarised", &["target/release/xtask", "summaries", "--count", "10"]),
    ("ways that meet", &["target/release/xtask", "merging", "--count", "60"]),
    ("weak atomics", &["target/release/xtask", "weak", "--count", "200"]),
    ("floating-point inputs", &["target/release/xtask", "floating", "--count", "60"]),
    ("programs that read clocks", &["target/release/xtask", "clocks", "--count", "150"]),
    ("programs within a bound", &["target/release/xtask", "programs", "--count", "200", "--preemptions", "0"]),
    ("results of calls at once", &["target/release/xtask", "results", "--count", "150"]),
    ("results with remedies", &["target/release/xtask", "remedies", "--generated", "60"]),
    ("rewrite and solver tests", &["cargo", "test", "-q", "--release", "-p", "smt", "--lib"]),
    ("tests/ui", &["cargo", "test", "-q", "--release", "-p", "testkit", "--test", "ui"]),
    ("all other tests", ALL_OTHERS),
];

/// An engine that is built for being built again is too slow for a test of time.
#[rustfmt::skip]
const ALL_OTHERS: &[&str] = &[
    "cargo", "test", "-q", "--release", "--workspace", "--lib", "--bins", "--tests", "--", "--skip", "a_limit_on_time_holds",
];

/// Which detectors look, and at what.
#[derive(clap::Args)]
pub(crate) struct Looking {
    /// Begin with the detector with this in its name
    #[arg(long, default_value = "")]
    from: String,
    /// Go no further than the detector with this in its name, such as `clients`: a bug that only later ones notice counts as missed
    #[arg(long, default_value = "")]
    until: String,
    /// Only at libraries with an action whose name contains this, and at the cases of `tests/ui` below this folder
    #[arg(long, default_value = "")]
    only: String,
}

impl Looking {
    /// Those detectors.
    fn detectors(&self) -> anyhow::Result<&'static [Detector]> {
        let named = |text: &str| match DETECTORS.iter().position(|(name, _)| name.contains(text)) {
            Some(at) => Ok(at),
            None => bail!("no detector has {text} in its name"),
        };
        let last = if self.until.is_empty() { DETECTORS.len() - 1 } else { named(&self.until)? };
        DETECTORS.get(named(&self.from)?..=last).context("the last detector comes before the first")
    }

    /// What a detector looks at.
    fn arguments(&self, line: &'static [&'static str]) -> Vec<&str> {
        let chosen: &[&str] = match line {
            _ if self.only.is_empty() => &[],
            ["target/release/xtask", "libraries" | "clients", ..] => &["--only"],
            [.., "--test", "ui"] => &["--"],
            _ => return line.to_vec(),
        };
        let only = (!self.only.is_empty()).then_some(self.only.as_str());
        line.iter().chain(chosen).copied().chain(only).collect()
    }
}

/// Plants each bug whose name contains one of `filters`, or each if there are none, before the detectors. False when one was not noticed.
pub(crate) fn run(filters: &[String], looking: &Looking) -> anyhow::Result<bool> {
    let started = Instant::now();
    let wanted = |m: &&Mutant| filters.is_empty() || filters.iter().any(|filter| m.name.contains(filter.as_str()));
    let chosen: Vec<&Mutant> = mutants().filter(wanted).collect();
    if chosen.is_empty() {
        bail!("no planted bug has {} in its name", filters.join(" or "));
    }
    looking.detectors()?;
    let tree = PathBuf::from("target/mutants");
    copy_tree(&tree)?;
    build(&tree).context("the unchanged tree")?;
    if let Some(detector) = noticed(&tree, looking)? {
        bail!("the unchanged tree fails: {detector}");
    }
    let mut missed = 0;
    for mutant in &chosen {
        let (file, changed) = mutant.plant(&tree)?;
        let source = fs::read_to_string(&file)?;
        fs::write(tree.join(PLANTED), file.strip_prefix(&tree)?.to_string_lossy().as_bytes())?;
        fs::write(&file, changed)?;
        let verdict = match build(&tree) {
            Ok(()) => noticed(&tree, looking)?.map(|detector| format!("caught by {detector}")),
            Err(error) => Some(format!("invalid: {error:#}")),
        };
        fs::write(&file, source)?;
        let caught = verdict.as_ref().is_some_and(|v| v.starts_with("caught"));
        missed += u32::from(!caught);
        println!("{}: {}", mutant.name, verdict.as_deref().unwrap_or("NOT NOTICED"));
    }
    println!("{} bugs planted, {missed} not noticed; {:.0} s", chosen.len(), started.elapsed().as_secs_f64());
    Ok(missed == 0)
}

/// Where it stands which file was changed last: the copy is not built again when it is as it was.
const PLANTED: &str = "planted";

/// Copies what the build and the tests read. Times are kept, so that a second campaign builds little.
fn copy_tree(tree: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(tree)?;
    let deps = fs::canonicalize(".deps").context("run `make setup` first")?;
    let link = tree.join(".deps");
    if !link.exists() {
        std::os::unix::fs::symlink(deps, link)?;
    }
    for part in ["Cargo.toml", "Cargo.lock", ".cargo", "crates", "xtask", "tests", "examples", "bench", "scripts"] {
        let target = tree.join(part);
        if target.is_dir() {
            fs::remove_dir_all(&target)?;
        }
        let copied = Command::new("cp").arg("-a").arg(part).arg(&target).status()?;
        if !copied.success() {
            bail!("cannot copy {part} to {}", tree.display());
        }
    }
    // Its time is older than what was built of it with a bug.
    if let Ok(planted) = fs::read_to_string(tree.join(PLANTED))
        && let Ok(file) = fs::File::options().append(true).open(tree.join(planted))
    {
        file.set_modified(SystemTime::now())?;
    }
    Ok(())
}

/// A command in the copy, which has a target directory of its own and is built for being built again.
fn command(tree: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree).env_remove("CARGO_TARGET_DIR").env_remove("RADDLE").stdin(Stdio::null());
    for (setting, value) in [("INCREMENTAL", "true"), ("OPT_LEVEL", "1"), ("DEBUG", "false")] {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    command
}

fn build(tree: &Path) -> anyhow::Result<()> {
    let built = command(tree, "cargo").args(["build", "-q", "--release", "--workspace", "--bins"]).output()?;
    if !built.status.success() {
        let text = String::from_utf8_lossy(&built.stderr).into_owned();
        let error = text.lines().find(|l| l.starts_with("error")).unwrap_or("no reason given").to_owned();
        bail!("does not build: {error}");
    }
    Ok(())
}

/// The first detector that fails.
fn noticed(tree: &Path, looking: &Looking) -> anyhow::Result<Option<String>> {
    for (name, line) in looking.detectors()? {
        let output = command(tree, "timeout").arg(PATIENCE).args(looking.arguments(line)).output()?;
        match output.status.code() {
            Some(0) => {}
            // What `timeout` answers when it had to end the command.
            Some(124) => return Ok(Some(format!("{name}, which hangs"))),
            _ => return Ok(Some((*name).to_owned())),
        }
    }
    Ok(None)
}
