//! A request, carried out: from sources and options to a report.
//!
//! [`analysis`] explores what was asked for, has findings confirmed and written, and fills the report. [`runs`] is where a run leaves its
//! files, [`unfinished`] what a search that was interrupted goes on with, [`parts`] what several processes work on, [`shipping`] how an engine's workers do, [`frontend`] what
//! lowers the sources.
//!
//! Guarantee: what was found is reported or stands in the ledger, whatever ends the run.
//! Knows nothing of command lines, `raddle.toml` and terminals.

pub mod analysis;
pub mod budget;
pub mod clang_flags;
pub mod errors;
mod folder;
pub mod frontend;
mod losses;
pub mod notice;
pub mod options;
pub mod out;
pub mod panics;
pub mod parts;
pub mod progress;
pub mod revision;
pub mod run;
pub mod runs;
pub mod sealed;
pub mod shipping;
pub mod solver;
pub mod sources;
pub mod synth;
pub mod unfinished;
pub mod whole;
