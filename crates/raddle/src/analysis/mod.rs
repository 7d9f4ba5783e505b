//! The commands' content: from a lowered program, or a witness, to what is reported.

mod check;
mod label;
mod pairs;
mod present;
mod private;
mod races;
mod replay;
mod select;
mod session;
mod valid;

pub(crate) use replay::{emit_test, replay, witness_of};

use crate::options::{Bounds, CheckOptions, ExternMode, Globals, PrivateParameter, RacesOptions, Roots, Volatile};
use crate::progress::{Counters, Progress};
use crate::run::Run;
use report::Report;
use session::Session;
use std::num::NonZeroUsize;

/// What a search depends on, from the command line and `raddle.toml`.
#[derive(Clone, Debug)]
struct Parameters {
    depth: u32,
    array: u64,
    unroll: u32,
    preemptions: Option<u32>,
    memory_sc: bool,
    /// Calls that nothing models return any value.
    havoc: bool,
    fail_alloc: bool,
    relaxed_volatile: bool,
    spurious: u32,
    /// The user asked for this many spurious wake-ups.
    spurious_given: bool,
    roots_any: bool,
    globals_initial: bool,
    share_owners: bool,
    private: Vec<PrivateParameter>,
    valid: Option<String>,
    /// `raddle.toml` names the predicate.
    valid_configured: bool,
    operations: Vec<String>,
    workers: NonZeroUsize,
}

impl Parameters {
    fn new(bounds: &Bounds, workers: NonZeroUsize) -> Self {
        Parameters {
            depth: bounds.depth,
            array: bounds.array,
            unroll: bounds.unroll,
            preemptions: bounds.preemptions,
            memory_sc: bounds.accept_sc,
            havoc: false,
            fail_alloc: bounds.fail_alloc,
            relaxed_volatile: bounds.volatile == Volatile::Relaxed,
            spurious: bounds.spurious.unwrap_or(1),
            spurious_given: bounds.spurious.is_some(),
            roots_any: false,
            globals_initial: false,
            share_owners: false,
            private: Vec::new(),
            valid: None,
            valid_configured: false,
            operations: Vec::new(),
            workers,
        }
    }
}

/// `raddle check`
pub(crate) fn check(module: ir::Module, options: &CheckOptions, run: &Run) -> anyhow::Result<Report> {
    let havoc = options.external == ExternMode::Havoc;
    let parameters = Parameters { havoc, ..Parameters::new(&options.bounds, run.workers) };
    let session = Session::new(module, parameters, run)?;
    check::run(session, options.claim(), &mut Ticker::new(run))
}

/// `raddle races`
pub(crate) fn races(module: ir::Module, options: &RacesOptions, run: &Run) -> anyhow::Result<Report> {
    let parameters = Parameters {
        roots_any: options.roots == Roots::Any,
        globals_initial: options.globals == Globals::Initial,
        share_owners: options.share_owners,
        private: options.private.clone(),
        valid: options.valid.clone(),
        valid_configured: options.valid_configured,
        operations: options.operations.clone(),
        ..Parameters::new(&options.bounds, run.workers)
    };
    let session = Session::new(module, parameters, run)?;
    races::run(session, options.claim(), &mut Ticker::new(run))
}

/// Passes the search's counts on to the progress line.
struct Ticker<'r> {
    line: &'r dyn Progress,
    exploring: String,
    /// Pairs of operations that are done, and all of them.
    pairs: Option<(usize, usize)>,
}

impl<'r> Ticker<'r> {
    fn new(run: &'r Run) -> Self {
        Ticker { line: &*run.progress, exploring: String::new(), pairs: None }
    }

    /// So many of all pairs of operations need not be looked at again.
    fn pairs_done(&mut self, done: usize, all: usize) {
        self.pairs = Some((done, all));
    }
}

impl explore::Progress for Ticker<'_> {
    fn tick(&mut self, counts: &explore::Counts, findings: usize) {
        let exploring = &self.exploring;
        self.line.update(&Counters { executions: counts.executions, findings, exploring, pairs: self.pairs });
    }

    fn begin(&mut self, what: &str) {
        what.clone_into(&mut self.exploring);
    }
}
