//! Building and running the oracle for one revision: every concrete heap and schedule, by a runtime of its own.
//!
//! `xtask/oracle` has the runtime, `bench/ssrd/oracle` what builds a structure's heaps.

use super::build::{INSTRUMENTED, compile, llvm};
use super::revisions::Revision;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use testkit::finding::{AccessKind, Race, Site};

const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle");
const PARTS: [&str; 5] = ["explore", "hooks", "main", "memory", "order"];
/// What the linker gives to the runtime.
const WRAP: &str = "__wrap_";

/// How far the oracle looks.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Objects on a chain; else as the structure's header says.
    pub(crate) depth: Option<u32>,
    /// A heap and arguments with more executions are explored within the bound on preemptions instead.
    pub(crate) executions: u64,
    pub(crate) preemptions: u32,
    pub(crate) seconds: f64,
}

/// What the oracle found.
pub(crate) struct Confirmed {
    pub(crate) races: BTreeSet<Race>,
    /// By name, as the runtime prints them.
    pub(crate) totals: BTreeMap<String, u64>,
}

impl Confirmed {
    pub(crate) fn total(&self, name: &str) -> u64 {
        self.totals.get(name).copied().unwrap_or(0)
    }

    /// Whether every heap was explored under every schedule.
    pub(crate) fn exhaustive(&self) -> bool {
        self.total("whole") == 1 && ["bounded", "beyond", "cut"].iter().all(|name| self.total(name) == 0)
    }
}

/// The runtime, compiled.
pub(crate) struct Oracle {
    folder: TempDir,
    /// The functions that the runtime takes from the program.
    wrapped: Vec<String>,
}

impl Oracle {
    /// # Errors
    /// When the runtime does not compile.
    pub(crate) fn new() -> anyhow::Result<Oracle> {
        let folder = tempfile::tempdir()?;
        for part in PARTS {
            let source = Path::new(RUNTIME).join(format!("{part}.c"));
            compile(&source, &folder.path().join(format!("{part}.o")), &["-O2", "-g", "-Wall", "-Werror", "-fno-pie"])?;
        }
        let hooks = folder.path().join("hooks.o");
        let symbols = llvm("llvm-nm", [Path::new("--defined-only"), Path::new("--format=just-symbols"), &hooks])?;
        let wrapped = symbols.lines().filter_map(|name| name.strip_prefix(WRAP)).map(str::to_owned).collect();
        Ok(Oracle { folder, wrapped })
    }

    /// Explores one revision.
    ///
    /// # Errors
    /// When it does not build, calls what the runtime does not model, or the runtime gives up.
    pub(crate) fn explore(&self, revision: &Revision, limits: Limits) -> anyhow::Result<Confirmed> {
        let program = self.link(revision)?;
        let output = Command::new(&program)
            .arg(limits.depth.unwrap_or(revision.depth).to_string())
            .arg(limits.executions.to_string())
            .arg(limits.preemptions.to_string())
            .arg(limits.seconds.to_string())
            .args(&revision.operations)
            .output()
            .context("running the oracle")?;
        if !output.status.success() {
            bail!("{}: {}: {}", revision.case.name, output.status, String::from_utf8_lossy(&output.stderr));
        }
        read(&String::from_utf8_lossy(&output.stdout), &program).with_context(|| revision.case.name.clone())
    }

    fn link(&self, revision: &Revision) -> anyhow::Result<PathBuf> {
        let (object, program) = (self.folder.path().join("structure.o"), self.folder.path().join("oracle"));
        let mut flags = INSTRUMENTED.to_vec();
        flags.extend(["-fno-pie", "-I", RUNTIME]);
        flags.extend(revision.case.clang_flags.iter().map(String::as_str));
        compile(&revision.companion("oracle", ""), &object, &flags)?;
        self.refuse_unknown(&object)?;
        let mut arguments = vec!["-no-pie".into(), "-o".into(), program.clone(), object];
        arguments.extend(PARTS.map(|part| self.folder.path().join(format!("{part}.o"))));
        arguments.extend(self.wrapped.iter().map(|name| PathBuf::from(format!("-Wl,--wrap={name}"))));
        llvm("clang", arguments)?;
        Ok(program)
    }

    /// A call that goes past the runtime would not be seen, so it must not be there.
    fn refuse_unknown(&self, object: &Path) -> anyhow::Result<()> {
        let symbols = llvm("llvm-nm", [Path::new("--undefined-only"), Path::new("--format=just-symbols"), object])?;
        let known = |name: &str| {
            name.starts_with("__tsan_") || name.starts_with("oracle_") || self.wrapped.iter().any(|known| known == name)
        };
        if let Some(unknown) = symbols.lines().find(|name| !known(name)) {
            bail!("the structure calls `{unknown}`, which the oracle does not model: see xtask/oracle/hooks.c");
        }
        Ok(())
    }
}

/// A race as the runtime prints it: two addresses with their kinds of access.
type Addresses = [(String, AccessKind); 2];

/// Reads what the runtime printed.
fn parse(output: &str) -> anyhow::Result<(Vec<Addresses>, BTreeMap<String, u64>)> {
    let (mut races, mut totals) = (Vec::new(), BTreeMap::new());
    let kind = |name: &str| match name {
        "read" => Ok(AccessKind::Read),
        "write" => Ok(AccessKind::Write),
        "free" => Ok(AccessKind::Free),
        _ => bail!("the oracle printed an unknown access `{name}`"),
    };
    for line in output.lines() {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["race", one, one_kind, other, other_kind, _, _] => {
                races.push([((*one).to_owned(), kind(one_kind)?), ((*other).to_owned(), kind(other_kind)?)]);
            }
            [name, number] => {
                totals.insert((*name).to_owned(), number.parse().with_context(|| format!("the total `{name}`"))?);
            }
            _ => bail!("the oracle printed `{line}`"),
        }
    }
    if !totals.contains_key("whole") {
        bail!("the oracle did not print its totals");
    }
    Ok((races, totals))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Symbolized {
    #[serde(default)]
    symbol: Vec<Symbol>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Symbol {
    line: u32,
}

fn read(output: &str, program: &Path) -> anyhow::Result<Confirmed> {
    let (found, totals) = parse(output)?;
    let addresses: BTreeSet<&str> = found.iter().flatten().map(|(address, _)| address.as_str()).collect();
    let mut lines: BTreeMap<&str, u32> = BTreeMap::new();
    for address in addresses {
        let obj = format!("--obj={}", program.display());
        let text = llvm("llvm-symbolizer", [obj.as_str(), "--no-inlines", "--output-style=JSON", address])?;
        let symbolized: Vec<Symbolized> = serde_json::from_str(&text).context("reading llvm-symbolizer's output")?;
        let line = symbolized.iter().flat_map(|entry| &entry.symbol).map(|symbol| symbol.line).find(|line| *line != 0);
        lines.insert(address, line.with_context(|| format!("no line for {address}"))?);
    }
    let site = |(address, access): &(String, AccessKind)| Site { line: lines[address.as_str()], access: *access };
    let races = found.iter().map(|[one, other]| Race::new(site(one), site(other))).collect();
    Ok(Confirmed { races, totals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssrd::revisions::revisions_in;

    /// The names of the revisions in a folder on which the oracle and the annotations differ.
    fn differing(folder: &Path, only: &str, limits: Limits) -> Vec<String> {
        let oracle = Oracle::new().expect("the runtime");
        let revisions = revisions_in(folder, Some(only)).expect("annotated structures");
        let differs = |revision: &Revision| {
            let found = oracle.explore(revision, limits).expect("an exploration");
            assert_eq!(found.total("whole"), 1, "{}", revision.revision);
            found.races != revision.annotated
        };
        revisions.iter().filter(|revision| differs(revision)).map(|revision| revision.revision.clone()).collect()
    }

    const LIMITS: Limits = Limits { depth: None, executions: 1000, preemptions: 2, seconds: 60.0 };

    #[test]
    fn read_write_locks_spin_locks_and_copies() {
        let folder = Path::new(RUNTIME).join("tests");
        assert_eq!(differing(&folder, "counter", LIMITS), [""; 0]);
        // Without a preemption, none of these is to be seen.
        let one_after_the_other = Limits { executions: 0, preemptions: 0, ..LIMITS };
        assert_eq!(differing(&folder, "counter:tried", one_after_the_other), ["tried"]);
    }

    #[test]
    fn nodes_that_are_freed_while_others_stand_on_them() {
        let folder = Path::new(RUNTIME).join("../../bench/ssrd");
        assert_eq!(differing(&folder, "unrolled:hop", LIMITS), [""; 0]);
        // Some of the pairs need three nodes.
        assert_eq!(differing(&folder, "unrolled:hop", Limits { depth: Some(2), ..LIMITS }), ["hop"]);
    }

    #[test]
    fn what_the_runtime_prints() {
        let (races, totals) = parse("race 0x40 write 0x50 free insert delete\nwhole 1\nheaps 12\n").expect("output");
        assert_eq!(races, [[("0x40".to_owned(), AccessKind::Write), ("0x50".to_owned(), AccessKind::Free)]]);
        assert_eq!(totals["heaps"], 12);
    }

    #[test]
    fn output_that_stops_early_is_no_result() {
        for text in ["", "race 0x40 write 0x50 free insert delete\n", "race 0x40 write\nwhole 1\n", "whole yes\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
