//! A search for one race: threads are held back where they are about to race, and released when all are (SSRD, Algorithm 2
//! with its set of postponed threads).

use crate::budget::meter::{Live, Meter};
use crate::races::predict::predict;
use crate::search::toward::{Goal, Prediction, STEPS_WHERE_STUCK, Toward};
use crate::search::{Search, Seen, Sighted};
use crate::strategy::node::Left;
use crate::strategy::visited::Visited;
use crate::{Budget, FindingKey, JointOptions};
use machine::{Engine, EngineError, State};
use rustc_hash::FxHashMap;

/// Steps beyond those of a prediction.
const MORE_STEPS: u64 = 20;

/// What a directed search has seen.
#[derive(Default, Debug)]
pub(crate) struct Directed {
    pub findings: FxHashMap<FindingKey, Sighted>,
    /// Some execution came to its end.
    pub completed: bool,
    /// That was all there is.
    pub all: bool,
}

/// Looks for a race from a state on: along a prediction, then with either thread first. The race is among the findings if it
/// showed; the sites have to be visible.
///
/// # Errors
/// When the engine fails.
pub(crate) fn directed(
    engine: &mut Engine,
    start: &State,
    goal: &Goal,
    options: JointOptions,
    (steps, budget): (u64, &Budget),
) -> Result<Directed, EngineError> {
    let live = Live::default();
    let plan = match goal.key {
        FindingKey::Race(_) | FindingKey::GpuRace(..) => predict(engine, start, goal)?,
        FindingKey::Fault(..) | FindingKey::Deadlock(_) => None,
    };
    let length = |plan: &Prediction| (plan.turns.len() + plan.decided.len()) as u64;
    let predicted = plan.into_iter().map(|plan| (length(&plan) + MORE_STEPS, Some(plan), false));
    let mut seen = Directed::default();
    for (steps, plan, reversed) in predicted.chain([false, true].map(|reversed| (steps / 2, None, reversed))) {
        let stuck = seen.findings.remove(&goal.key);
        let steps = if stuck.is_some() { steps.min(STEPS_WHERE_STUCK) } else { steps };
        let mut meter = Meter::new(budget, &live, Some(steps));
        let toward = Toward { goal: goal.clone(), plan, reversed };
        let visited = Visited::default();
        let mut search = Search::new(&engine.program, options, start, visited, &mut meter).toward(toward);
        search.push(engine, start.clone(), &Left::all())?;
        search.run(engine)?;
        let Seen { mut findings, completed, .. } = search.seen;
        let completed = completed || seen.completed;
        if let Some(stuck) = stuck {
            findings.entry(goal.key.clone()).or_insert(stuck);
        }
        seen = Directed { findings, completed, all: meter.stopped().is_none() };
        if seen.all || goal.shows_in(&seen.findings) {
            break;
        }
    }
    Ok(seen)
}
