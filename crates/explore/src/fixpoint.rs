//! The race fixpoint.
//!
//! Exploring at synchronisation is enough until a race is found: up to its first race an execution is equivalent to one
//! that switches threads only there. A race makes the sites of both accesses visible, and everything is explored again,
//! until no race is seen at a site that was invisible. Then every access that is still invisible is ordered with all
//! that it conflicts with, in every explored execution, and hence (by induction over the first access that is not) in
//! every execution.

use crate::findings::Found;
use crate::meter::{Live, Meter};
use crate::origin::Origin;
use crate::pool::{Round, Workers, round};
use crate::prefix::{follow, follow_scheduled};
use crate::search::quietly;
use crate::starts::{HeapStarts, OperationSummary};
use crate::{Budget, Counts, Exhausted, Finding, FindingKey, FindingKind, JointOptions, Progress, runnable, stuck};
use machine::{Engine, EngineError, LossKind, PathEnd, State, Stop};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What an exploration found and covered.
#[derive(Debug, Default)]
pub struct Exploration {
    pub findings: FxHashMap<FindingKey, Found>,
    /// Of the last round, in which all sites of races were visible.
    pub counts: Counts,
    pub exhausted: Option<Exhausted>,
    /// Initial states from which all threads can come to their ends, and the others.
    pub completing: u64,
    pub others: u64,
    /// What the first operation does by itself.
    pub first_alone: OperationSummary,
    /// Initial states on which the operations fail one after the other as well: only races were looked for there.
    pub races_only: u64,
}

/// Explores all initial states, round and round, until one made no other site visible. The engine's set of visible sites
/// grows; its ledger and statistics get what the workers' engines noted.
///
/// # Errors
/// When an engine fails.
pub fn explore(
    engine: &mut Engine,
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
    what: &str,
) -> Result<Exploration, EngineError> {
    let mut found: FxHashMap<FindingKey, Found> = FxHashMap::default();
    loop {
        let visible = Arc::new(engine.visible.clone());
        let mut round = round(workers, origin, options, &visible, budget, progress)?;
        engine.statistics += round.statistics;
        engine.solved_elsewhere += round.solver;
        engine.assumed |= round.assumed;
        // With more sites visible more is interleaved, and what was found before is found again, with a finer schedule.
        found.extend(std::mem::take(&mut round.findings));
        engine.visible.extend(&round.racy);
        let again = engine.visible.len() > visible.len();
        if again && round.exhausted.is_none() {
            continue;
        }
        engine.ledger.merge(&round.ledger);
        if let Some(exhausted) = round.exhausted {
            let (kind, remedy): (LossKind, &str) = exhausted.loss();
            engine.note(kind, what.to_owned(), remedy);
        }
        let Round { counts, exhausted, completing, others, first_alone, races_only, .. } = round;
        return Ok(Exploration { findings: found, counts, exhausted, completing, others, first_alone, races_only });
    }
}

impl Found {
    /// The finding with the state that shows it, in this engine; none if it does not show again.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn show(&self, engine: &mut Engine, origin: &Origin) -> Result<Option<Finding>, EngineError> {
        engine.visible.clone_from(&self.visible);
        let config = std::mem::replace(&mut engine.config, origin.together());
        let shown = quietly(engine, |engine| show(engine, origin, self));
        engine.config = config;
        Ok(shown?.map(|(kind, state)| Finding { kind, state, visible: Arc::clone(&self.visible) }))
    }
}

fn show(engine: &mut Engine, origin: &Origin, found: &Found) -> Result<Option<(FindingKind, State)>, EngineError> {
    let (live, budget) = (Live::default(), Budget::default());
    let mut meter = Meter::new(&budget, &live, None);
    let mut state = HeapStarts::new(engine, origin).start_at(engine, &found.leaves, &mut meter)?.state;
    let mut scheduled = None;
    if found.bounded {
        scheduled = follow_scheduled(engine, &mut state, &found.prefix)?;
    } else {
        follow(engine, &mut state, &found.prefix)?;
    }
    engine.sightings.clear();
    while let Some(thread) = scheduled.take().or_else(|| runnable(engine, &mut state)) {
        let stop = engine.run(&mut state, thread);
        let races = std::mem::take(&mut engine.sightings).into_iter().map(FindingKind::Race);
        let fault = match &stop {
            Stop::End(PathEnd::Fault(fault)) => Some(FindingKind::Fault(fault.clone())),
            _ => None,
        };
        let wanted = races.chain(fault).find(|kind| kind.key(&engine.program) == found.key);
        if let Some(kind) = wanted {
            return Ok(Some((kind, state)));
        }
        match stop {
            Stop::Failed(error) => return Err(error),
            Stop::Choice(_) | Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible) => return Ok(None),
            Stop::Visible(_) | Stop::ThreadEnded | Stop::End(_) | Stop::Interrupted => {}
        }
    }
    let kind = FindingKind::Deadlock(stuck(&engine.program, &state));
    Ok((kind.key(&engine.program) == found.key).then_some((kind, state)))
}
