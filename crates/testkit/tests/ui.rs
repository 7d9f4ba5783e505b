//! The file-based tests: every file and revision below `tests/ui` and `tests/known-gaps` is a test of its own, and so is every
//! revision of the structures of `bench/ssrd` that take seconds.
//!
//! `cargo test -p testkit --test ui -- races/` runs those whose name contains `races/`; `BLESS=1` writes the terminal
//! reports beside the files. What a file may say is told in `testkit::ui`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use testkit::ui::{Case, Runner, discover, load};

/// Structures of `bench/ssrd`, each revision of which takes seconds: `cargo xtask tables` runs the others as well.
const STRUCTURES: [&str; 2] = ["queue.c", "unrolled.c"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> anyhow::Result<Vec<Trial>> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().context("the workspace")?;
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let runner = Runner::from_environment(&workspace, Some(cache))?;
    let mut cases = Vec::new();
    for (directory, gaps) in [("tests/ui", false), ("tests/known-gaps", true)] {
        let root = workspace.join(directory);
        if !root.is_dir() {
            continue;
        }
        for mut case in discover(&root)? {
            ensure!(case.known_gap.is_some() == gaps, "{}: `known-gap:` belongs into tests/known-gaps", case.name);
            if gaps {
                case.name.insert_str(0, "known-gaps/");
            }
            cases.push(case);
        }
    }
    let bench = workspace.join("bench");
    for structure in STRUCTURES {
        cases.extend(load(&bench, &bench.join("ssrd").join(structure))?);
    }
    Ok(cases.into_iter().map(|case| trial(runner.clone(), case)).collect())
}

fn trial(runner: Runner, case: Case) -> Trial {
    Trial::test(case.name.clone(), move || {
        let differences = runner.judge(&case).map_err(Failed::from)?;
        if differences.is_empty() {
            return Ok(());
        }
        let mut message = differences.join("\n");
        if let Some(gap) = &case.known_gap {
            message.push_str(&format!("\nknown gap: {gap}\nIf the answer is right now, move the file to tests/ui."));
        }
        message.push_str(&format!("\nin {}: raddle {}", case.directory().display(), command_line(&case)));
        Err(message.into())
    })
}

fn command_line(case: &Case) -> String {
    let mut words = case.arguments.clone();
    if !case.clang_flags.is_empty() {
        words.push("--".to_owned());
        words.extend(case.clang_flags.iter().cloned());
    }
    words.join(" ")
}
