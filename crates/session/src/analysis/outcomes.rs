//! What all schedules of a program come to, for whoever compares them with those of another one (Narada left that to its users).

use super::Ticker;
use super::parameters::Parameters;
use super::select::MAIN;
use super::session::Session;
use crate::options::{CheckOptions, SearchRequest};
use crate::run::Run;
use explore::{FindingKey, JointOptions, Origin, Paused, Por, SHARES, Workers, explore};
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
    let failure = |key: &FindingKey| match key {
        FindingKey::Race(..) => None,
        FindingKey::Fault(kind, _) => Some(format!("{}: {}", kind.name().replace('_', " "), key.place())),
        FindingKey::Deadlock(_) => Some(format!("deadlock: {}", key.place())),
    };
    Ok(Outcomes {
        ends: explored.counts.outputs.iter().filter_map(end).collect(),
        failures: explored.findings.keys().filter_map(failure).collect(),
        is_whole: explored.exhausted.is_none()
            && explored.ledger.total() == 0
            && explored.counts.outputs.iter().all(|end| end.first() != Some(&2)),
    })
}
