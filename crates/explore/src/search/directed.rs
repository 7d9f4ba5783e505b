//! A search for one race: threads are held back where they are about to race, and released when all are (SSRD, Algorithm 2
//! with its set of postponed threads).

use super::predict::{Plan, predict};
use super::{Search, Seen, Sighted};
use crate::meter::{Live, Meter};
use crate::strategy::node::Left;
use crate::strategy::visited::Visited;
use crate::strategy::{Preference, Threads};
use crate::{Budget, FindingKey, JointOptions};
use concurrency::{Site, ThreadId};
use machine::{Decision, Engine, EngineError, State};
use rustc_hash::FxHashMap;

/// Steps beyond those of a prediction.
const MORE_STEPS: u64 = 20;

/// Steps, once the race has shown where a thread fails or spins, for an execution in which all go on: that can be followed
/// natively.
pub(super) const STEPS_WHERE_STUCK: u64 = 200;

/// A race that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// What it would be reported as.
    pub key: FindingKey,
    pub sites: Vec<Site>,
}

impl Goal {
    /// Whether nothing better can be found.
    pub(super) fn shows_in(&self, findings: &FxHashMap<FindingKey, Sighted>) -> bool {
        findings.get(&self.key).is_some_and(|sighted| !sighted.state.is_stuck())
    }
}

/// Who goes first in a search for a race, which ends when it shows.
#[derive(Debug)]
pub(crate) struct Toward {
    pub goal: Goal,
    /// Followed as far as it goes.
    plan: Option<Plan>,
    /// Of threads that are not held back, the last comes first: where one is held back with a lock that the other needs
    /// before it comes to its site, the other has to be there before it.
    reversed: bool,
}

impl Preference for Toward {
    fn sort(&self, awake: &mut Threads, taken: u32, site: &dyn Fn(ThreadId) -> Site) {
        if self.reversed {
            awake.reverse();
        }
        let planned = self.plan.as_ref().and_then(|plan| plan.turns.get(taken as usize).copied());
        awake.sort_by_key(|&(thread, _)| (planned != Some(thread), self.goal.sites.contains(&site(thread))));
    }
}

impl Toward {
    /// Sorts the answers at a choice.
    pub(super) fn sort_answers(&self, decisions: &mut [Decision]) {
        let Some(plan) = &self.plan else { return };
        let is_planned = |decision: &Decision| match *decision {
            Decision::Condition { term, holds, .. } => plan.decided.contains(&(term, holds)),
            _ => false,
        };
        decisions.sort_by_key(|decision| !is_planned(decision));
    }
}

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
    let plan = predict(engine, start, goal)?;
    let length = |plan: &Plan| (plan.turns.len() + plan.decided.len()) as u64;
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
