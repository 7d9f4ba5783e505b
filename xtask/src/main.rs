//! `cargo xtask`: campaigns that are too long for the ordinary tests. Each prints its figures.

#![expect(clippy::print_stdout, reason = "a campaign prints its figures")]

mod engine;
mod programs;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Long campaigns that check raddle against independent oracles")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Random multithreaded programs against all interleavings of every shared access
    Programs {
        /// How many programs to compare
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Programs { count, seed, keep } => programs::run(count, seed, &keep),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
