//! The sources as they were in a revision of their repository.
//!
//! Guarantee: the repository stays as it is: no branch, index or file of it is touched.
//! Knows nothing of what is compared.

use crate::frontend;
use crate::run::Run;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use witness::format::SourceFlags;

/// A revision that git knows.
#[derive(Debug)]
pub struct Revision {
    pub commit: String,
    /// Of the repository's files.
    root: PathBuf,
}

/// Runs git in a directory. What it prints, or why it fails.
fn git(directory: &Path, arguments: &[&str], index: Option<&Path>) -> Result<String, String> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let output = command.output().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("git cannot be run: {e}"),
    })?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(why.lines().next().unwrap_or("git fails").trim_start_matches("fatal: ").to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
}

impl Revision {
    /// The commit that a name stands for, in the repository of a directory.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn find(name: &str, directory: &Path) -> Result<Self, String> {
        let root = PathBuf::from(git(directory, &["rev-parse", "--show-toplevel"], None)?);
        let commit = format!("{name}^{{commit}}");
        let commit = git(directory, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], None)
            .map_err(|_| format!("the repository has no revision `{name}`"))?;
        Ok(Revision { commit, root })
    }

    /// The program of a run as it was.
    ///
    /// # Errors
    /// Why there was none, in words.
    pub fn module(&self, run: &Run) -> Result<ir::Module, String> {
        let start = run.start().map_err(|e| e.to_string())?;
        let temporary = tempfile::Builder::new().prefix("raddle-").tempdir();
        let temporary = temporary.map_err(|e| format!("no temporary directory can be made: {e}"))?;
        // Names with links in them do not compare.
        let files = temporary.path().join("files");
        let (index, prefix) = (temporary.path().join("index"), format!("{}/", files.display()));
        git(&self.root, &["read-tree", &self.commit], Some(&index))?;
        git(&self.root, &["checkout-index", "--all", &format!("--prefix={prefix}")], Some(&index))?;
        let root = format!("{}/", self.root.display());
        // Also behind `-I`.
        let then = |text: &str| text.replace(&root, &prefix);
        let path = |path: &Path| PathBuf::from(then(&path.display().to_string()));
        let sources: Vec<PathBuf> = run.sources.iter().map(|source| path(source)).collect();
        let flags: Vec<String> = run.clang_flags.iter().map(|flag| then(flag)).collect();
        let own = |own: &SourceFlags| SourceFlags {
            directory: path(&Path::new(&own.directory).join("")).display().to_string(),
            flags: own.flags.iter().map(|flag| then(flag)).collect(),
        };
        let own: Vec<SourceFlags> = run.own_flags.iter().map(own).collect();
        let start = path(&start.canonicalize().unwrap_or(start).join(""));
        if !start.is_dir() {
            return Err("the directory was not there".to_owned());
        }
        let module = frontend::compile(Some(&start), &sources, &flags, &own, &run.budget);
        let mut module = module.map_err(|e| format!("it does not compile: {e}"))?;
        // As they are called now.
        for file in &mut module.files {
            file.path = file.path.replace(&prefix, &root);
        }
        Ok(module)
    }
}
