//! Building C for the campaigns, with the same compiler and options for all.

use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Code as it stands in the source, with a call before each access: also before a read that a write follows.
pub(crate) const INSTRUMENTED: [&str; 6] =
    ["-O0", "-g", "-w", "-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write"];

/// Runs a program of LLVM and returns what it prints.
///
/// # Errors
/// When it does not start or ends with an error.
pub(crate) fn llvm<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(program: &str, arguments: I) -> anyhow::Result<String> {
    let program = format!("{program}-22");
    let output = Command::new(&program).args(arguments).output().with_context(|| format!("running {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compiles a source.
///
/// # Errors
/// When it does not compile.
pub(crate) fn compile(source: &Path, object: &Path, flags: &[&str]) -> anyhow::Result<()> {
    let mut arguments: Vec<&OsStr> = flags.iter().map(OsStr::new).collect();
    arguments.extend([OsStr::new("-c"), OsStr::new("-o"), object.as_os_str(), source.as_os_str()]);
    llvm("clang", arguments).map(|_| ())
}
