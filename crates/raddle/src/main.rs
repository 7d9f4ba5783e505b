//! `raddle`: the command line.
//!
//! The only crate that reads the environment, prints and sets defaults: it turns a command line and `raddle.toml` into
//! plain options ([`options`]), has the front end lower the sources ([`frontend`]), has [`analysis`] work on the result,
//! and prints the report that comes back ([`outcome`]).
//!
//! Guarantee: whatever happens, one report or one error message, and the exit code that goes with it.
//! Knows nothing of algorithms.

mod analysis;
mod budget;
mod clang_flags;
mod cli;
mod config;
mod database;
mod dispatch;
mod doctor;
mod errors;
mod files;
mod frontend;
mod generated;
mod numbers;
mod options;
mod out;
mod outcome;
mod panics;
mod progress;
mod refusal;
mod revision;
mod run;
mod runs;
mod shell;
mod signals;
mod solver;
mod sources;
mod stubs;
mod terminal;
mod unfinished;
mod whole;

use std::ffi::OsString;
use std::process::ExitCode;

/// States are forked, and what they share is given up, all the time: the C library's allocator takes a fifth of a search.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(shell::run(&arguments))
}
