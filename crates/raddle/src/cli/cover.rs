//! `raddle cover`: what to cover, and where the suite goes.

use super::races::REACHING_CALLS;
use super::{Extension, Files, Input, With};
use crate::config::Config;
use clap::Args;
use session::errors::UsageError;
use session::options::{CheckOptions, CoverOptions};
use std::num::NonZeroU32;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Cover {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Of a library without `main`: a function that clients call at once with itself and with the others, by its C name; once for each
    #[arg(long = "op", value_name = "FUNCTION")]
    pub(crate) operations: Vec<String>,
    /// With --op: calls of the clients, those at once included [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) client_calls: Option<NonZeroU32>,
    /// Reads that take their values from other threads' writes, at the most; 0: what each thread does by itself [default: as many
    /// as it takes]
    #[arg(long, value_name = "N")]
    pub(crate) max_k: Option<u32>,
    /// What to cover: the ways at branches, or each pair of a write and a read of another thread that finds it
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) goal: Goal,
    /// Optimisations to leave out, for comparison: guidance (unsat cores), duplicates, priorities, subsumption
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) without: Vec<Optimisation>,
    #[command(flatten)]
    pub(crate) extension: Extension,
    /// Write the suite: a C test for each execution, which follows its schedule natively, and a Makefile
    #[arg(long, value_name = "DIR")]
    pub(crate) tests: Option<PathBuf>,
    /// Write which ways are covered, as LCOV has it
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    #[command(flatten)]
    files: Files,
}

/// What is covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Goal {
    /// Each way at each branch
    #[default]
    Branch,
    /// Each pair of a write and a read of another thread that returns bytes of it
    DefUse,
}

/// Con2colic, section 7.5, and beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Optimisation {
    /// Unsat-core guidance
    Guidance,
    /// Duplication freedom
    Duplicates,
    /// Prioritised exploration
    Priorities,
    /// Scenarios for which others stand
    Subsumption,
}

impl Cover {
    /// What is written beside the report.
    pub(crate) fn files(&self) -> Files {
        let baseline = self.files.baseline.clone().filter(|_| self.suite_baseline().is_none());
        Files { lcov: self.lcov.clone(), baseline, ..self.files.clone() }
    }

    /// A folder that is given as the baseline is a suite; a file is a report.
    fn suite_baseline(&self) -> Option<PathBuf> {
        self.files.baseline.clone().filter(|path| path.is_dir())
    }
}

impl With<Cover> {
    /// # Errors
    /// When flags do not go together.
    pub(crate) fn options(&self, config: &Config) -> Result<CoverOptions, UsageError> {
        if self.own.client_calls.is_some() && self.own.operations.is_empty() {
            let message =
                "--client-calls is about the clients of a library: name its operations with --op, or leave it out";
            return Err(UsageError::new("unsupported_search", message));
        }
        if self.own.suite_baseline().is_some() && !self.own.operations.is_empty() {
            let message = "--baseline with a suite is about a program with `main`: the clients of --op are written anew; leave it out";
            return Err(UsageError::new("unsupported_search", message));
        }
        if self.own.goal == Goal::DefUse && self.own.lcov.is_some() {
            let message =
                "--lcov writes which branches are covered, and --goal def-use covers none: leave one of them out";
            return Err(UsageError::new("unsupported_search", message));
        }
        let check = CheckOptions {
            bounds: self.search.bounds(config),
            external: self.search.external.unwrap_or_default(),
            ..CheckOptions::default()
        };
        let without = |optimisation| self.own.without.contains(&optimisation);
        Ok(CoverOptions {
            check,
            tests: self.own.tests.clone(),
            operations: self.own.operations.clone(),
            client_calls: self.own.client_calls.map_or(REACHING_CALLS, NonZeroU32::get),
            max_degree: self.own.max_k,
            def_use: self.own.goal == Goal::DefUse,
            baseline: self.own.suite_baseline(),
            no_guidance: without(Optimisation::Guidance),
            duplicates: without(Optimisation::Duplicates),
            no_priorities: without(Optimisation::Priorities),
            no_subsumption: without(Optimisation::Subsumption),
        })
    }
}
