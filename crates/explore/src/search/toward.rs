//! A search for one race: who should go first so that it shows.

use super::Sighted;
use crate::FindingKey;
use crate::strategy::{Preference, Threads};
use concurrency::{Site, ThreadId};
use machine::Decision;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::TermId;

/// Steps, once the race has shown where a thread fails or spins, for an execution in which all go on: that can be followed
/// natively.
pub(crate) const STEPS_WHERE_STUCK: u64 = 200;

/// A race that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// What it would be reported as.
    pub key: FindingKey,
    pub sites: Vec<Site>,
}

impl Goal {
    /// Whether nothing better can be found.
    pub(crate) fn shows_in(&self, findings: &FxHashMap<FindingKey, Sighted>) -> bool {
        findings.get(&self.key).is_some_and(|sighted| !sighted.state.is_stuck())
    }
}

/// Who goes first in a search for a race, which ends when it shows.
#[derive(Debug)]
pub(crate) struct Toward {
    pub goal: Goal,
    /// Followed as far as it goes.
    pub plan: Option<Prediction>,
    /// Of threads that are not held back, the last comes first: where one is held back with a lock that the other needs
    /// before it comes to its site, the other has to be there before it.
    pub reversed: bool,
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
    pub(crate) fn sort_answers(&self, decisions: &mut [Decision]) {
        let Some(plan) = &self.plan else { return };
        let is_planned = |decision: &Decision| match *decision {
            Decision::Condition { term, holds, .. } => plan.decided.contains(&(term, holds)),
            _ => false,
        };
        decisions.sort_by_key(|decision| !is_planned(decision));
    }
}

/// An execution that is predicted.
#[derive(Debug)]
pub(crate) struct Prediction {
    /// Who goes on at each moment.
    pub turns: Vec<ThreadId>,
    /// What conditions are, where they are asked for.
    pub decided: FxHashSet<(TermId, bool)>,
}
