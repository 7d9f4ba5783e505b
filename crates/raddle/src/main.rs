//! `raddle`: the command line.
//!
//! The only crate that reads the environment, prints and sets defaults: it turns a command line and `raddle.toml` into
//! plain options, has [`session`] work on the request, and prints the report that comes back ([`outcome`]).
//!
//! Guarantee: whatever happens, one report or one error message, and the exit code that goes with it.
//! Knows nothing of algorithms.

mod cli;
mod cluster;
mod config;
mod database;
mod dispatch;
mod doctor;
mod files;
mod generated;
mod numbers;
mod outcome;
mod parts;
mod progress;
mod refusal;
mod shell;
mod signals;
mod stubs;
mod terminal;
mod violation;

use std::ffi::OsString;
use std::process::ExitCode;

/// States are forked, and what they share is given up, all the time: the C library's allocator takes a fifth of a search.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(shell::run(&arguments))
}
