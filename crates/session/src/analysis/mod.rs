//! The commands' content: from a lowered program, or a witness, to what is reported.

mod changed;
mod check;
mod client_program;
mod clients;
mod confirming;
mod emitted;
mod entries;
mod kept;
mod label;
mod matrix;
mod native;
mod present;
mod private;
mod program;
mod races;
mod racing;
mod replay;
mod select;
mod session;
mod stored;
mod summarize;
mod valid;
mod watch;

pub use changed::Before;
pub use kept::Kept;
pub use native::try_out;
pub use replay::{emit_test, replay, witness_of};
pub use summarize::{Trees, trees};

use crate::options::{
    Bounds, CheckOptions, Extent, ExternMode, Globals, Merge, NativeTests, PrivateParameter, RacesOptions, Required,
    Roots, SearchRequest, Summaries, Volatile,
};
use crate::progress::{Asked, Counters, Parts, Progress};
use crate::run::Run;
use explore::{Likely, RandomWalks, Schedules};
use machine::External;
use report::Report;
use session::Session;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// What a search depends on, from the command line and `raddle.toml`.
#[derive(Clone, Debug)]
struct Parameters {
    depth: u32,
    array: u64,
    unroll: u32,
    most_threads: u32,
    schedules: Schedules,
    memory_sc: bool,
    /// How calls without body and model are taken.
    external: External,
    /// What the user says about that.
    external_given: Option<ExternMode>,
    fail_alloc: bool,
    relaxed_volatile: bool,
    /// If the user says.
    merge: Option<Merge>,
    spurious: u32,
    /// The user asked for this many spurious wake-ups.
    spurious_given: bool,
    roots_any: bool,
    globals_initial: bool,
    likely: Likely,
    share_owners: bool,
    private: Vec<PrivateParameter>,
    valid: Option<String>,
    /// `raddle.toml` names the predicate.
    valid_configured: bool,
    operations: Vec<String>,
    operations_configured: bool,
    /// Of a client that leads to a race; 0: none is looked for.
    client_calls: u32,
    /// What counts.
    require: Option<report::ShapeBasis>,
    threads: u32,
    calls: u32,
    workers: NonZeroUsize,
    summaries: Summaries,
    native_tests: NativeTests,
}

impl Parameters {
    fn new(bounds: &Bounds, run: &Run) -> Self {
        Parameters {
            depth: bounds.depth,
            array: bounds.array,
            unroll: bounds.unroll,
            most_threads: bounds.most_threads,
            schedules: match bounds.random_walks {
                Some((count, seed)) => Schedules::Random(RandomWalks { count, seed }),
                None => Schedules::within(bounds.preemptions),
            },
            memory_sc: bounds.accept_sc,
            external: External::Harmless,
            external_given: None,
            fail_alloc: bounds.fail_alloc,
            relaxed_volatile: bounds.volatile == Volatile::Relaxed,
            merge: bounds.merge,
            spurious: bounds.spurious.unwrap_or(1),
            spurious_given: bounds.spurious.is_some(),
            roots_any: false,
            globals_initial: false,
            likely: Likely::Never,
            share_owners: false,
            private: Vec::new(),
            valid: None,
            valid_configured: false,
            operations: Vec::new(),
            operations_configured: false,
            client_calls: 0,
            require: None,
            threads: bounds.threads,
            calls: bounds.calls,
            workers: run.workers,
            summaries: run.summaries,
            native_tests: run.native_tests,
        }
    }
}

/// Searches, or goes on with a search. `before`: only what has changed since that version of the program.
///
/// # Errors
/// When the request does not fit the program, or the engine fails.
pub fn search(
    module: ir::Module,
    request: &SearchRequest,
    run: &Run,
    kept: Option<Kept<'static>>,
    before: Option<Before>,
) -> anyhow::Result<Report> {
    let parameters = match request {
        SearchRequest::Check(options) => of_check(options, run),
        SearchRequest::Races(options) => of_races(options, run),
    };
    let mut session = Session::new(module, parameters, request, run)?;
    let parts = kept.map_or_else(|| Ok(Vec::new()), |kept| session.resume(kept))?;
    let ticker = &mut Ticker::new(run);
    match request {
        SearchRequest::Check(options) => check::run(session, options.claim(), parts, ticker),
        SearchRequest::Races(options) => races::run(session, options.claim(), parts, before, ticker),
    }
}

fn of_check(options: &CheckOptions, run: &Run) -> Parameters {
    Parameters { external: options.external.in_program(), ..Parameters::new(&options.bounds, run) }
}

fn of_races(options: &RacesOptions, run: &Run) -> Parameters {
    Parameters {
        roots_any: options.roots == Roots::Any,
        globals_initial: options.globals == Globals::Initial,
        likely: match options.extent {
            Extent::Guided => Likely::Only,
            // Random walks have no likely races before them ([`explore::Origin`]); a whole program has its matrix all the same.
            Extent::Complete | Extent::Walk => Likely::First,
        },
        share_owners: options.share_owners,
        private: options.private.clone(),
        valid: options.valid.clone(),
        valid_configured: options.valid_configured,
        operations: options.operations.clone(),
        external: if options.external == Some(ExternMode::Fail) { External::Stop } else { External::Harmless },
        external_given: options.external,
        operations_configured: options.operations_configured,
        client_calls: options.client_calls,
        require: options.require.map(Required::basis),
        ..Parameters::new(&options.bounds, run)
    }
}

/// Passes the search's counts on to the progress line.
struct Ticker<'r> {
    line: &'r dyn Progress,
    asked: &'r Asked,
    exploring: String,
    parts: Option<Parts>,
    /// When what is being explored was how far done.
    since: (Instant, f64),
    last_done: f64,
}

/// Less tells nothing of how long the rest will take.
const LEAST_DONE: f64 = 0.01;
const LEAST_TIME: Duration = Duration::from_secs(2);

impl<'r> Ticker<'r> {
    fn new(run: &'r Run) -> Self {
        Ticker {
            line: &*run.progress,
            asked: &run.asked,
            exploring: String::new(),
            parts: None,
            since: (Instant::now(), 0.0),
            last_done: 0.0,
        }
    }

    /// What need not be looked at again, and what else there is.
    fn parts(&mut self, parts: Parts) {
        self.parts = Some(parts);
    }
}

impl Ticker<'_> {
    /// How long the round takes from now on if it goes on as it did.
    fn remaining(&self, done: f64) -> Option<Duration> {
        let (since, before) = self.since;
        let (taken, more) = (since.elapsed(), done - before);
        if taken < LEAST_TIME || more < LEAST_DONE {
            return None;
        }
        Duration::try_from_secs_f64(taken.as_secs_f64() / more * (1.0 - done)).ok()
    }
}

impl explore::Progress for Ticker<'_> {
    fn tick(&mut self, status: &explore::Pace) {
        let explore::Pace { executions, findings, done } = *status;
        if done < self.last_done {
            // Another round.
            self.since = (Instant::now(), done);
        }
        self.last_done = done;
        let asking = self.asked.place();
        let counters = Counters {
            executions,
            findings,
            exploring: &self.exploring,
            parts: self.parts,
            remaining: self.remaining(done),
            asking: asking.as_deref(),
        };
        self.line.update(&counters);
    }

    fn begin(&mut self, what: &str) {
        what.clone_into(&mut self.exploring);
        (self.since, self.last_done) = ((Instant::now(), 0.0), 0.0);
    }
}
