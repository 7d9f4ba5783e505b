//! The flags that choose, watch and record the solver.

use crate::errors::InputError;
use clap::Args;
use smt::{Backend, Limits, QueryLog, Setup};
use std::fs::File;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A solver on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum SolverName {
    /// Circuits over the SAT solver CaDiCaL
    Bits,
    Z3,
}

/// Flags of the commands that search, and of replays.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Solver")]
pub struct SolverFlags {
    /// Which solver decides what raddle does not decide by itself [default: bits]
    #[arg(long, value_enum, value_name = "SOLVER", hide_possible_values = false)]
    solver: Option<SolverName>,
    /// Leave out raddle's own procedures: the solver gets every question that was not asked before
    #[arg(long)]
    solver_only: bool,
    /// Ask the other solver every question as well, and stop when the answers differ
    #[arg(long)]
    solver_check: bool,
    /// Write every question that reaches the solver to a file, for `cargo xtask solver-bench`
    #[arg(long, value_name = "FILE")]
    solver_log: Option<PathBuf>,
    /// Steps that the solver may take for one question, which is given up then; the ledger says where [default: 32000]
    #[arg(long, value_name = "N")]
    solver_steps: Option<NonZeroU32>,
    /// Say by what questions about path conditions were answered
    #[arg(long)]
    stats: bool,
}

impl SolverFlags {
    pub fn options(&self) -> SolverOptions {
        let backend = self.solver.map_or_else(Backend::default, |name| match name {
            SolverName::Bits => Backend::Bits,
            SolverName::Z3 => Backend::Z3,
        });
        SolverOptions {
            backend,
            only: self.solver_only,
            check: self.solver_check,
            log: self.solver_log.clone(),
            steps: self.solver_steps.map_or(STEPS, NonZeroU32::get),
            stages: self.stats,
        }
    }
}

/// Of the solver, for one question: some seconds.
const STEPS: u32 = 32_000;

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions { backend: Backend::default(), only: false, check: false, log: None, steps: STEPS, stages: false }
    }
}

/// How path conditions are decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    backend: Backend,
    only: bool,
    check: bool,
    log: Option<PathBuf>,
    steps: u32,
    /// The text report says by what questions were answered.
    pub stages: bool,
}

impl SolverOptions {
    /// All that a solver needs to be started, any number of times. `out`: where a query goes on which two solvers
    /// disagree.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn setup(&self, out: &Path) -> Result<Setup, InputError> {
        let log = match &self.log {
            None => None,
            Some(path) => {
                let file = File::create(path).and_then(|file| QueryLog::new(Box::new(file)));
                Some(file.map_err(|error| {
                    let message = format!("--solver-log {}: it cannot be written: {error}", path.display());
                    InputError::new("output", message).in_file(path)
                })?)
            }
        };
        let check = self.check.then(|| out.to_owned());
        let limits = Limits { steps: Some(self.steps), ..Limits::default() };
        Ok(Setup { backend: self.backend, backend_only: self.only, limits, log, check, ..Setup::default() })
    }
}
