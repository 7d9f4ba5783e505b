//! `raddle split`, `raddle work` and `raddle gather`, and `--cluster`: their arguments.

use super::{Extension, Files, search};
use crate::numbers;
use clap::{Args, ValueEnum};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct Split {
    /// The directory for witnesses of that search (its --out)
    #[arg(value_name = "SEARCH", default_value = "raddle-out")]
    pub(crate) directory: PathBuf,
    /// Into how many parts; there are fewer where there is less to do
    #[arg(short = 'n', long = "parts", value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(crate) many: NonZeroU32,
}

#[derive(Debug, Args)]
pub(crate) struct Work {
    /// A part that `raddle split` or `raddle gather` made, with the program beside it
    #[arg(value_name = "PART")]
    pub(crate) part: PathBuf,
    /// Seconds after which nothing more is begun; what was begun comes to its end. What is left takes the part's place [default: until
    /// nothing is left]
    #[arg(long = "for", value_name = "SECONDS", value_parser = search::seconds, allow_negative_numbers = true)]
    pub(crate) time: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct Gather {
    /// The directory for witnesses of that search (its --out), which gets those of this one
    #[arg(value_name = "DIR", default_value = "raddle-out")]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    pub(crate) files: Files,
}

/// An engine that has a search worked on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EngineName {
    /// HyperQueue: the server that runs (HQ_SERVER_DIR, else the usual one), or one with --workers N workers on this machine
    Hq,
}

/// Who does the work.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Cluster {
    /// Have the search worked on by an engine's workers, on this machine or many. The report is the same
    #[arg(long = "cluster", value_enum, value_name = "ENGINE")]
    pub(crate) engine: Option<EngineName>,
}
