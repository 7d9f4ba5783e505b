//! What the tasks of one round came to, together.
//!
//! Guarantee: it does not depend on the order in which they end. Of equal findings the first in the order of the search
//! tree is kept.

use crate::budget::spent::Spent;
use crate::findings::{Difficulty, Found};
use crate::initial::alone::AloneSummary;
use crate::parallel::task::{Path, TaskOutcome, TaskSeen, counts, is_unwoken};
use crate::run::prefix::InitialPrefixes;
use crate::{Counts, FindingKey, JointOptions};
use concurrency::Site;
use machine::Ledger;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a round came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Round {
    /// Tasks that something came of.
    pub tasks: u64,
    pub counts: Counts,
    pub reduction: Option<String>,
    pub findings: FxHashMap<FindingKey, Found>,
    pub racy: BTreeSet<Site>,
    pub first_alone: AloneSummary,
    pub races_only: u64,
    pub unlocked: u64,
    /// Initial states from which calls wait for a signal, as they do one after the other.
    pub unwoken: u64,
    /// Initial states from which all threads can come to their ends, and the others.
    pub completing: u64,
    pub others: u64,
    pub ledger: Ledger,
    pub spent: Spent,
}

/// The outcomes so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Gathered {
    round: Round,
    /// Where each finding comes from: the first in the order of the search is kept.
    ranks: FxHashMap<FindingKey, Rank>,
    /// Initial states whose exploration was divided.
    divided: FxHashMap<InitialPrefixes, Divided>,
    alone: BTreeMap<Path, AloneSummary>,
}

/// What is easier to follow comes before what comes first.
type Rank = (Difficulty, Arc<Path>, usize);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Divided {
    /// The first of each kind, and whether it waits for a signal: only the end shows whether those count.
    found: FxHashMap<(FindingKey, bool), (Rank, Found)>,
    completed: bool,
    ended: bool,
    unwoken: bool,
}

impl Divided {
    fn add(&mut self, path: &Path, index: usize, seen: TaskSeen) {
        self.completed |= seen.completed;
        self.ended |= seen.ended;
        self.unwoken |= seen.unwoken;
        let path = Arc::new(path.clone());
        for (what, found) in seen.found {
            let rank = (found.difficulty(), Arc::clone(&path), index);
            match self.found.entry(what) {
                Entry::Occupied(known) if known.get().0 <= rank => {}
                Entry::Occupied(mut later) => drop(later.insert((rank, found))),
                Entry::Vacant(vacant) => drop(vacant.insert((rank, found))),
            }
        }
    }
}

impl Gathered {
    pub(crate) fn add(&mut self, path: &Path, outcome: TaskOutcome, options: JointOptions) {
        let round = &mut self.round;
        round.tasks += 1;
        round.counts.merge(outcome.counts);
        round.reduction = round.reduction.take().or(outcome.reduction);
        round.racy.extend(outcome.racy);
        round.races_only += outcome.races_only;
        round.unlocked += outcome.unlocked;
        round.ledger.merge(&outcome.ledger);
        round.spent += outcome.spent;
        if outcome.first_alone != AloneSummary::default() {
            self.alone.insert(path.clone(), outcome.first_alone);
        }
        for (index, seen) in outcome.seen.into_iter().enumerate() {
            if seen.whole {
                self.count(seen.completed);
                self.wait(seen.found.values(), options, (seen.completed, seen.ended), seen.unwoken);
                let path = Arc::new(path.clone());
                for found in seen.into_findings(options.completing) {
                    self.keep((found.difficulty(), Arc::clone(&path), index), found);
                }
            } else {
                self.divided.entry(seen.leaves.clone()).or_default().add(path, index, seen);
            }
        }
    }

    /// Without the initial states of which a part is missing.
    pub(crate) fn so_far(&self) -> &Round {
        &self.round
    }

    /// What was found, and what will be if the heap that it was found on counts.
    pub(crate) fn found(&self) -> impl Iterator<Item = &FindingKey> {
        let pending = self.divided.values().flat_map(|divided| divided.found.keys());
        self.round.findings.keys().chain(pending.map(|(key, _)| key))
    }

    fn count(&mut self, completed: bool) {
        *(if completed { &mut self.round.completing } else { &mut self.round.others }) += 1;
    }

    /// Counts an initial state on which these were seen, if they say that calls are woken by others.
    fn wait<'f>(
        &mut self,
        mut found: impl Iterator<Item = &'f Found>,
        options: JointOptions,
        so: (bool, bool),
        waits_first: bool,
    ) {
        let is_unwoken = waits_first || found.any(|found| is_unwoken(found, options.completing, so.0, so.1));
        self.round.unwoken += u64::from(is_unwoken);
    }

    fn keep(&mut self, rank: Rank, found: Found) {
        if self.ranks.get(&found.key).is_none_or(|known| rank < *known) {
            self.ranks.insert(found.key.clone(), rank);
            self.round.findings.insert(found.key.clone(), found);
        }
    }

    /// What comes of it, once no task is left.
    pub(crate) fn into_round(mut self, options: JointOptions) -> Round {
        for (_, divided) in std::mem::take(&mut self.divided) {
            self.count(divided.completed);
            let all = divided.found.values().map(|(_, found)| found);
            self.wait(all, options, (divided.completed, divided.ended), divided.unwoken);
            let counts = |found: &Found| counts(found, options.completing, divided.completed, divided.ended);
            for (rank, found) in divided.found.into_values().filter(|(_, found)| counts(found)) {
                self.keep(rank, found);
            }
        }
        for summary in self.alone.values() {
            self.round.first_alone.merge(summary);
        }
        self.round
    }
}
