//! `raddle-frontend`: C and LLVM bitcode to raddle's IR.
//!
//! A program of its own, so that LLVM and the solver never share a process and a crash in LLVM is a clear error. The
//! command line is a private protocol with `raddle`:
//!
//! ```text
//! raddle-frontend compile --output FILE [--declarations] [--cuda DIR [--host]] [--cache DIR] [--beside DIR] [--include DIR]...
//!     [[--in DIR] [--own COUNT FLAG...] SOURCE]... [-- CLANG_FLAGS]
//! raddle-frontend version
//! ```
//!
//! `--cuda` accepts CUDA, of which the device's side is compiled, and says where raddle's headers for it are; with `--host` the host's side
//! as well, where there is a `main`. `--declarations` asks for the
//! types of functions that are only declared. `--own` gives the next source flags of its own, COUNT words, instead of those behind `--`;
//! `--in` the directory in which its compiler runs. `--beside` says that the first source is one of many that are compiled with the same
//! others: what clang makes of those is kept in DIR, and the module itself is not cached.
//!
//! Guarantee: exit code 0 and a whole output file, or exit code 2, no output file, and one JSON object on the last line of
//! standard error. Clang's warnings precede it.
//! Knows nothing of execution.

mod bitcode;
mod cache;
mod compile;
mod crash;
mod driver;
mod error;
mod inline;
mod library;
mod link;
mod llvm;
mod lower;

use compile::{Request, Source};
use error::{Failure, Kind};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    crash::install();
    match run(std::env::args_os().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.json());
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    let mut arguments = arguments.into_iter();
    match arguments.next().as_ref().and_then(|a| a.to_str()) {
        Some("compile") => compile::run(request(arguments)?),
        Some("version") => print_version(),
        _ => Err(Failure::new(Kind::Usage, "expected `compile` or `version`")),
    }
}

fn request(mut arguments: impl Iterator<Item = OsString>) -> Result<Request, Failure> {
    let (mut output, mut cache, mut cuda, mut beside) = (None, None, None, None);
    let (mut declarations, mut host) = (false, false);
    let (mut includes, mut sources) = (Vec::new(), Vec::new());
    let mut next = Source::default();
    while let Some(argument) = arguments.next() {
        let mut path = |flag: &str| {
            let missing = || Failure::new(Kind::Usage, format!("{flag} needs a path"));
            arguments.next().map(PathBuf::from).ok_or_else(missing)
        };
        match argument.to_str() {
            Some("--output") => output = Some(path("--output")?),
            Some("--declarations") => declarations = true,
            Some("--host") => host = true,
            Some("--cuda") => cuda = Some(path("--cuda")?),
            Some("--cache") => cache = Some(path("--cache")?),
            Some("--beside") => beside = Some(path("--beside")?),
            Some("--include") => includes.push(path("--include")?),
            Some("--in") => next.directory = Some(path("--in")?),
            Some("--own") => {
                let count = arguments.next().and_then(|count| count.to_str()?.parse().ok());
                let count = count.ok_or_else(|| Failure::new(Kind::Usage, "--own needs a number"))?;
                let words = arguments.by_ref().take(count).map(|word| word.to_string_lossy().into_owned());
                next.own = Some(words.collect());
            }
            Some("--") => break,
            Some(flag) if flag.starts_with("--") => {
                return Err(Failure::new(Kind::Usage, format!("unknown flag {flag}")));
            }
            _ => sources.push(Source { path: PathBuf::from(argument), ..std::mem::take(&mut next) }),
        }
    }
    let flags = arguments.map(|a| a.to_string_lossy().into_owned()).collect();
    let output = output.ok_or_else(|| Failure::new(Kind::Usage, "--output is missing"))?;
    Ok(Request { output, cache, cuda, host, beside, includes, sources, flags, declarations })
}

/// For `raddle doctor`: what is linked and what is found.
fn print_version() -> Result<(), Failure> {
    let (major, minor, patch) = llvm::library_version();
    let clang = driver::find_clang();
    let text = serde_json::json!({
        "raddle_frontend": env!("CARGO_PKG_VERSION"),
        "ir": ir::binary::VERSION,
        "llvm": format!("{major}.{minor}.{patch}"),
        "clang": clang.as_deref().and_then(driver::clang_version),
        "clang_path": clang,
    });
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new(Kind::Output, e.to_string()))
}
