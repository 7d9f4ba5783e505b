//! The suite of an earlier version of a program: which of its tests still hold.
//!
//! A test is its inputs and the turns of its threads, by name. It holds if the program as it is now can be run by these turns; then it covers
//! what it takes now, whatever it took before. One that does not is told with the step at which it goes another way, and its place in the
//! suite is taken by what is found anew.

use super::suite::{CONTENTS, WITNESS};
use crate::errors::InputError;
use crate::run::Run;
use explore::{CoverTest, Coverage};
use report::BaselineTest;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use witness::format::Command;
use witness::{Witness, read_witness};

/// The tests of a suite.
pub(super) struct Baseline {
    /// The file, as it is shown, and what it says; or why that says nothing of this program.
    all: Vec<(String, Result<CoverTest, String>)>,
}

/// Reads a suite, if there is to be one.
///
/// # Errors
/// When there is none, or it is another program's.
pub(super) fn read(module: &ir::Module, folder: Option<&Path>, run: &Run) -> anyhow::Result<Option<Baseline>> {
    let Some(shown) = folder else { return Ok(None) };
    let refused = |why: String| InputError::new("baseline", format!("--baseline {}: {why}", shown.display()));
    let path = run.start()?.join(shown);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&path).map_err(|e| refused(e.to_string()))? {
        let entry = entry.map_err(|e| refused(e.to_string()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(&format!(".{WITNESS}")) && (CONTENTS.is_own)(&name) {
            files.push(entry.path());
        }
    }
    files.sort();
    if files.is_empty() {
        let why = format!("it has no test (t01.{WITNESS}): name the folder that `raddle cover --tests` wrote");
        return Err(refused(why).into());
    }
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().map(|name| shown.join(name)).unwrap_or_else(|| file.clone()).display().to_string();
        let text = std::fs::read_to_string(&file).map_err(|e| refused(format!("{name}: {e}")))?;
        let witness = Witness::parse(&text).map_err(|e| refused(format!("{name}: {e}")))?;
        if witness.command != Command::Cover {
            return Err(refused(format!("{name} is no test of a suite")).into());
        }
        let (theirs, ours) = (sources(witness.program.sources.iter()), sources(run.sources.iter()));
        if theirs != ours {
            let why = format!("it is a suite of {}, and this is {}", theirs.join(" and "), ours.join(" and "));
            return Err(refused(why).into());
        }
        all.push((name, test(module, &witness)));
    }
    Ok(Some(Baseline { all }))
}

/// What sources are called, wherever they are.
fn sources(of: impl Iterator<Item = impl AsRef<OsStr>>) -> Vec<String> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut all: Vec<String> = of.filter_map(|path| name(Path::new(path.as_ref()))).collect();
    all.sort();
    all
}

fn test(module: &ir::Module, witness: &Witness) -> Result<CoverTest, String> {
    let (_, concrete) = read_witness(module, witness).map_err(|e| e.to_string())?;
    let witness::Concrete { symbols, first_picks, turns, .. } = concrete;
    Ok(CoverTest { symbols, first_picks, turns, ..CoverTest::default() })
}

impl Baseline {
    /// What can be tried.
    pub(super) fn tests(&self) -> impl Iterator<Item = &CoverTest> {
        self.all.iter().filter_map(|(_, test)| test.as_ref().ok())
    }

    /// What became of each.
    pub(super) fn entries(&self, coverage: &Coverage) -> Vec<BaselineTest> {
        let mut kept = coverage.kept.iter();
        let entry = |(file, test): &(String, Result<CoverTest, String>)| {
            let outcome = match test {
                Err(why) => Err(why.clone()),
                Ok(_) => kept.next().cloned().unwrap_or_else(|| Err("there was no time to run it".to_owned())),
            };
            let covers = outcome.as_ref().ok().map(|covers| *covers as u64);
            BaselineTest { file: file.clone(), holds: outcome.is_ok(), covers, why: outcome.err() }
        };
        self.all.iter().map(entry).collect()
    }
}
