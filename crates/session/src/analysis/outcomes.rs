//! What all schedules of a program come to, for whoever compares them with those of another one (Narada left that to its users); and what is
//! found in some of them, for whoever wants to know whether a program is worth a closer look.

use super::parameters::Parameters;
use super::select::MAIN;
use super::session::Session;
use super::{Ticker, program};
use crate::losses;
use crate::options::{CheckOptions, SearchRequest};
use crate::run::Run;
use explore::{Enough, Exhausted, FindingKey, JointOptions, Origin, Paused, Por, SHARES, Workers, explore};
use report::LedgerLine;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How executions end.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub ends: BTreeSet<End>,
    /// What goes wrong beside races, by name and place.
    pub failures: BTreeSet<String>,
    /// These are all.
    pub is_whole: bool,
}

/// The end of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct End {
    /// It has a race.
    pub raced: bool,
    /// What there is, up to the names of addresses: equal ones may have different keys.
    pub heap: Vec<u8>,
    pub printed: Vec<u8>,
}

/// Explores a program from `main` on, each execution by itself.
///
/// # Errors
/// When the engine fails.
pub(crate) fn outcomes(module: ir::Module, options: &CheckOptions, run: &Run) -> anyhow::Result<Outcomes> {
    let parameters = Parameters::of_check(options, run);
    let request = SearchRequest::Check(options.clone());
    let mut session = Session::new(module, parameters, &request, run)?;
    let program = Arc::clone(&session.engine.program);
    let Some(main) = program.module.functions_named(MAIN).next() else { return Ok(Outcomes::default()) };
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    let origin = Origin::Main { program, main, limits, config };
    let options = JointOptions {
        schedules: session.parameters.schedules,
        keep_ends: true,
        failures: true,
        // What follows from a state that comes up again would be told without how it was come to.
        por: Some(Por::SourceSets),
        ..JointOptions::default()
    };
    let budget = session.limited_search(None);
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let explored = explore(workers, &origin, options, &budget, &mut Ticker::new(run), "outcomes", Paused::default())?;
    let end = |bytes: &Vec<u8>| {
        let (raced, rest) = bytes.split_first()?;
        let (heap, printed) = rest.split_at_checked(size_of::<u128>())?;
        Some(End { raced: *raced == 1, heap: heap.to_vec(), printed: printed.to_vec() })
    };
    Ok(Outcomes {
        ends: explored.counts.outputs.iter().filter_map(end).collect(),
        failures: explored.findings.keys().filter_map(failure).collect(),
        is_whole: explored.exhausted.is_none()
            && explored.ledger.total() == 0
            && explored.counts.outputs.iter().all(|end| end.first() != Some(&2)),
    })
}

/// A failure that is no race, by name and place.
fn failure(key: &FindingKey) -> Option<String> {
    match key {
        FindingKey::Race(..) | FindingKey::GpuRace(..) => None,
        FindingKey::Fault(kind, _) => Some(format!("{}: {}", kind.name().replace('_', " "), key.place())),
        FindingKey::Deadlock(_) => Some(format!("deadlock: {}", key.place())),
    }
}

/// What is found in a program, without proof.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub races: Vec<FindingKey>,
    pub failures: BTreeSet<String>,
    pub ledger: Vec<LedgerLine>,
    /// There was no time for all of it.
    pub is_cut: bool,
    pub executions: u64,
}

/// Explores a program from `main` on as `check` does, but shows nothing again; if there is something that is enough, until then.
///
/// # Errors
/// When the engine fails.
pub(crate) fn look(
    module: ir::Module,
    options: &CheckOptions,
    enough: Option<Enough>,
    run: &Run,
) -> anyhow::Result<Seen> {
    let parameters = Parameters::of_check(options, run);
    let request = SearchRequest::Check(options.clone());
    let session = Session::new(module, parameters, &request, run)?;
    let Some(main) = session.engine.program.module.functions_named(MAIN).next() else { return Ok(Seen::default()) };
    let explored = program::look(session, main, enough, &mut Ticker::new(run))?;
    let mut races: Vec<FindingKey> =
        explored.findings.keys().filter(|key| matches!(key, FindingKey::Race(..))).cloned().collect();
    races.sort();
    Ok(Seen {
        failures: explored.findings.keys().filter_map(failure).collect(),
        races,
        ledger: losses::lines(&explored.ledger),
        is_cut: explored.exhausted == Some(Exhausted::Time),
        executions: explored.counts.executions,
    })
}
