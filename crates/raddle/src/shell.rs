//! One run of the program: arguments in, report out, exit code back.

use crate::cli::{self, Cli};
use crate::outcome::{Outcome, present, print};
use crate::{dispatch, files, refusal, signals, terminal};
use report::{ErrorReport, Report};
use session::errors::{describe, internal_error, usage_error};
use session::notice::complain;
use session::options::Format;
use session::panics;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

/// For recursion over deep terms and data structures. Only what is used takes memory.
const STACK_BYTES: usize = 256 << 20;

/// Runs the command that `arguments` (the program's name first) ask for. Returns the exit code.
pub(crate) fn run(arguments: &[OsString]) -> u8 {
    let started = Instant::now();
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(arguments, &error),
    };
    start_log();
    panics::install();
    let (format, command) = (cli.command.common().format, cli.command.name());
    let full = cli.command.is_full();
    let written = cli.command.files().map(|(files, sources)| (files, sources.to_vec()));
    let worked = std::thread::Builder::new()
        .name("raddle".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || work(&cli, started));
    let outcome = match worked.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(outcome))) => outcome,
        Ok(Ok(Err(error))) => failed(command, describe(&error)),
        Ok(Err(_panic)) => failed(command, internal_error(&panics::take())),
        Err(error) => failed(command, internal_error(&format!("no thread can be started: {error}"))),
    };
    // First the report: whatever becomes of the files, it is not lost.
    let code = present(&outcome, format, full);
    written.map_or(code, |(files, sources)| files::write(&files, &sources, &outcome, code))
}

fn work(cli: &Cli, started: Instant) -> anyhow::Result<Outcome> {
    let stop = signals::watch()?;
    dispatch::run(cli, started, stop)
}

fn failed(command: &str, error: ErrorReport) -> Outcome {
    let report = Box::new(Report::failed(command, error));
    Outcome::Report { report, directory: PathBuf::new(), sources: Vec::new() }
}

/// A command line that does not parse, or that only asks for help.
fn refuse(arguments: &[OsString], error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        let text = error.render();
        let color = terminal::color(terminal::Stream::Stdout);
        return print(&if color { text.ansi().to_string() } else { text.to_string() }, 0);
    }
    match cli::format_of(arguments) {
        Format::Json => {
            let outcome = failed(cli::command_of(arguments), usage_error("usage", refusal::message(error)));
            present(&outcome, Format::Json, false)
        }
        Format::Text => {
            complain(&refusal::text(error, terminal::color(terminal::Stream::Stderr)));
            // Not clap's 2, which means something else here.
            1
        }
    }
}

/// Logs to standard error when asked to, in the syntax of `tracing`'s filters.
fn start_log() {
    let Some(filter) = std::env::var("RADDLE_LOG").ok().filter(|filter| !filter.is_empty()) else { return };
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
