//! raddle's own programs, run on one input.

use super::Seen;
use anyhow::{Context, bail};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Seconds; what takes longer hangs.
const PATIENCE: &str = "20";

/// A program beside this one, or, for tests, above.
pub(super) fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let above = own.parent().filter(|folder| folder.ends_with("deps")).map(|folder| folder.with_file_name(name));
    let path = above.unwrap_or_else(|| own.with_file_name(name));
    if path.exists() { Ok(path) } else { bail!("{} is missing: run `make build`", path.display()) }
}

/// Runs a program to its end, with a limit of time.
pub(super) fn run(program: &Path, arguments: &[&str], directory: &Path) -> anyhow::Result<Output> {
    Command::new("timeout")
        .args(["--signal=KILL", PATIENCE])
        .arg(program)
        .args(arguments)
        .current_dir(directory)
        .env("XDG_CACHE_HOME", directory.join("xdg"))
        .env_remove("RADDLE_LOG")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("running {}", program.display()))
}

/// Ended by itself with one of these codes; else what happened, in words.
pub(super) fn ended(output: &Output, codes: &[i32]) -> Result<i32, String> {
    match (output.status.code(), output.status.signal()) {
        (Some(code), _) if codes.contains(&code) => Ok(code),
        (Some(124 | 137), _) => Err(format!("hangs: not done after {PATIENCE} s")),
        (code, signal) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let last = text.lines().last().unwrap_or_default();
            Err(format!("exit code {code:?}, signal {signal:?}: {last}"))
        }
    }
}

/// What the front end made of its input: a module, or one JSON object on the last line of standard error.
pub(super) fn lowered(output: &Output) -> Seen {
    match ended(output, &[0, 2]) {
        Err(why) => Seen::Wrong(why),
        Ok(0) => Seen::Accepted,
        Ok(_) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let last = text.lines().last().unwrap_or_default();
            let is_failure = last.starts_with('{') && last.ends_with('}') && last.contains("\"kind\":");
            // A crash in LLVM is reported as one and is LLVM's; a panic is our own.
            match (is_failure, last.contains("raddle-frontend failed")) {
                (true, false) => Seen::Refused,
                _ => Seen::Wrong(format!("exit code 2 and: {last}")),
            }
        }
    }
}
