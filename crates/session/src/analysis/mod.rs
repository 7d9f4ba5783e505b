//! The commands' content: from a lowered program, or a witness, to what is reported.

mod apart;
mod asked;
mod assumed;
mod baseline;
mod callers;
mod changed;
mod check;
mod client_program;
mod clients;
mod condition;
mod confirming;
mod contracts;
mod cover;
mod division;
mod emitted;
mod entries;
mod explain;
mod flows;
mod from_tests;
mod given;
mod gpu;
mod host;
mod interest;
mod kept;
mod label;
mod matrix;
mod native;
mod outcomes;
mod parameters;
mod present;
mod private;
mod program;
mod proof;
mod races;
mod racing;
mod reach;
mod reached;
mod remedies;
mod replay;
mod robust;
mod select;
mod session;
mod stored;
mod stronger;
mod suite;
mod summarize;
mod until_found;
mod valid;
mod watch;

pub use changed::Before;
pub use cover::covered;
pub use division::{Owner, PartBatch, PartDone, SetUp, Thing, Until, deal, work};
pub use explain::{Explained, explain, is_id, witness_named};
pub use kept::Kept;
pub(crate) use kept::as_json;
pub use native::try_out;
pub(crate) use outcomes::{End, Outcomes, look, outcomes};
pub(crate) use replay::emit_test_in;
pub use replay::{emit_test, replay, witness_of};
pub(crate) use select::may_mean;
pub(crate) use session::cpu_time;
pub use summarize::{Trees, trees};

use crate::options::SearchRequest;
use crate::progress::{Asked, Counters, Parts, Progress};
use crate::run::Run;
use parameters::Parameters;
use report::Report;
use session::Session;
use std::time::{Duration, Instant};

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
    let mut session = begin(module, request, run)?;
    let parts = kept.map_or_else(|| Ok(Vec::new()), |kept| session.resume(kept))?;
    let ticker = &mut Ticker::new(run);
    match request {
        SearchRequest::Check(options) => check::run(session, options.claim(), parts, ticker),
        SearchRequest::Races(options) => races::run(session, options.claim(), parts, before, ticker),
        SearchRequest::Gpu(options) if session.parameters.device.is_some() => {
            host::run(session, options, parts, ticker)
        }
        SearchRequest::Gpu(options) => gpu::run(session, options, parts, ticker),
    }
}

/// Sets up what a search runs on.
fn begin(mut module: ir::Module, request: &SearchRequest, run: &Run) -> anyhow::Result<Session> {
    let mut parameters = match request {
        SearchRequest::Check(options) => Parameters::of_check(options, run),
        SearchRequest::Races(options) => Parameters::of_races(options, run),
        SearchRequest::Gpu(options) => Parameters::of_gpu(options, run),
    };
    if let SearchRequest::Gpu(options) = request {
        // Before anything is set up.
        match host::device(&module, options)? {
            Some(device) => parameters.device = Some(device),
            None => {
                gpu::launch(options)?;
                gpu::kernel(&module, options.kernel.as_deref())?;
            }
        }
    }
    if matches!(request, SearchRequest::Races(_)) {
        machine::add_client_functions(&mut module);
    }
    let mut session = Session::new(module, parameters, request, run)?;
    if let SearchRequest::Races(options) = request {
        session.tests = from_tests::of(options, run)?;
    }
    Ok(session)
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
