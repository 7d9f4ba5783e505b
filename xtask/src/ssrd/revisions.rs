//! What stands in `bench/ssrd`: each structure under each revision.

use super::pairs::annotated;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testkit::finding::Race;
use testkit::ui::{Case, load};

/// Where the structures are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/ssrd");

/// One structure under one revision.
pub(crate) struct Revision {
    /// How raddle is run on it, as its header says.
    pub(crate) case: Case,
    /// `queue`, of `queue.c`.
    pub(crate) structure: String,
    pub(crate) revision: String,
    pub(crate) annotated: BTreeSet<Race>,
    /// As in `--op`.
    pub(crate) operations: Vec<String>,
    pub(crate) depth: u32,
}

impl Revision {
    /// Whether it has no mistake.
    pub(crate) fn is_clean(&self) -> bool {
        self.revision == "clean"
    }

    /// `queue.c`.
    pub(crate) fn file(&self) -> String {
        format!("{}.c", self.structure)
    }

    /// A source beside the structure that belongs to it.
    pub(crate) fn companion(&self, folder: &str, suffix: &str) -> PathBuf {
        self.case.directory().join(folder).join(format!("{}{suffix}.c", self.structure))
    }

    /// The unordered pairs of operations.
    pub(crate) fn operation_pairs(&self) -> Vec<[&str; 2]> {
        let names: Vec<&str> = self.operations.iter().map(String::as_str).collect();
        (0..names.len()).flat_map(|i| names[i..].iter().map(|other| [names[i], other]).collect::<Vec<_>>()).collect()
    }
}

/// All revisions, in the order of the files; only those of `NAME` or `NAME:REVISION`.
///
/// # Errors
/// When a file cannot be read or understood, or none is left.
pub(crate) fn revisions(only: Option<&str>) -> anyhow::Result<Vec<Revision>> {
    revisions_in(Path::new(FOLDER), only)
}

/// All revisions, as tests.
///
/// # Errors
/// As [`revisions`].
pub(crate) fn cases() -> anyhow::Result<Vec<Case>> {
    Ok(revisions(None)?.into_iter().map(|revision| revision.case).collect())
}

/// As [`revisions`], of the structures in some folder.
pub(crate) fn revisions_in(folder: &Path, only: Option<&str>) -> anyhow::Result<Vec<Revision>> {
    let (name, revision) = match only.map(|only| only.split_once(':').unwrap_or((only, ""))) {
        Some((name, revision)) => (Some(name), Some(revision).filter(|r| !r.is_empty())),
        None => (None, None),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "c") {
            files.push(path);
        }
    }
    files.sort();
    let mut found = Vec::new();
    for path in files {
        for case in load(folder, &path)? {
            let here = read(case)?;
            if name.is_none_or(|name| name == here.structure) && revision.is_none_or(|r| r == here.revision) {
                found.push(here);
            }
        }
    }
    if found.is_empty() {
        bail!("no structure or revision `{}` in {}", only.unwrap_or_default(), folder.display());
    }
    Ok(found)
}

fn read(case: Case) -> anyhow::Result<Revision> {
    let values = |flag: &str| -> Vec<String> {
        let pairs = case.arguments.windows(2).filter(|pair| pair[0] == flag);
        pairs.map(|pair| pair[1].clone()).collect()
    };
    let operations = values("--op");
    if operations.is_empty() {
        bail!("{}: `run:` names no operations", case.name);
    }
    let depth = match values("--depth").as_slice() {
        [depth] => depth.parse().with_context(|| format!("{}: the depth", case.name))?,
        _ => bail!("{}: `run:` names no depth", case.name),
    };
    let structure = case.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let revision = case.revision.clone().with_context(|| format!("{}: no `revisions:`", case.name))?;
    let annotated = annotated(&case.expectations).with_context(|| case.name.clone())?;
    Ok(Revision { structure, revision, annotated, operations, depth, case })
}
