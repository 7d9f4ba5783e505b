//! Parts of the search tree, and what came of them: plain data.

use crate::Completing;
use crate::budget::meter::Stopped;
use crate::budget::spent::Spent;
use crate::findings::{Difficulty, Found};
use crate::initial::alone::AloneSummary;
use crate::initial::states::InitialStatesLeft;
use crate::run::prefix::InitialPrefixes;
use crate::strategy::node::Left;
use crate::{Counts, FindingKey};
use concurrency::Site;
use machine::{FaultKind, Ledger};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Tasks that the rest of one becomes, at most.
const MOST_CHILDREN: usize = 8;

/// A task's place in the search tree: lexicographic order is the order in which one worker explores.
pub(crate) type Path = Vec<u32>;

/// Part of the search tree.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum TaskPart {
    All,
    Starts(InitialStatesLeft),
    Joint { leaves: InitialPrefixes, left: Box<Left> },
}

/// Parts that are explored one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub parts: Vec<TaskPart>,
    /// How much of the search it is taken for; see [`crate::Status::done`].
    pub weight: f64,
}

/// What was seen from one initial state, or part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskSeen {
    pub leaves: InitialPrefixes,
    pub whole: bool,
    /// By what it is, and whether it waits for a signal.
    pub found: FxHashMap<(FindingKey, bool), Found>,
    pub completed: bool,
    pub ended: bool,
    /// Some wait for what none of the others is meant to do, as they do where they are called first.
    pub unwoken: bool,
}

/// What a task came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TaskOutcome {
    pub counts: Counts,
    /// What was left out, if threads ran together.
    pub reduction: Option<String>,
    pub seen: Vec<TaskSeen>,
    pub racy: BTreeSet<Site>,
    pub first_alone: AloneSummary,
    pub races_only: u64,
    pub unlocked: u64,
    /// In the order in which it would have been explored.
    #[serde(with = "crate::run::shared::together")]
    pub left: Vec<TaskPart>,
    #[serde(skip)]
    pub stopped: Option<Stopped>,
    pub ledger: Ledger,
    pub spent: Spent,
}

impl Task {
    /// The tasks that what is `left` of this one becomes, by their places. `racy`: the sites of races that it has seen.
    pub(crate) fn children(
        &self,
        path: &Path,
        left: Vec<TaskPart>,
        racy: &BTreeSet<Site>,
        visible: &FxHashSet<Site>,
    ) -> Vec<(Path, Task)> {
        // Where the first task shows that another round is needed, the rest of this one is left out.
        if path.is_empty() && racy.iter().any(|site| !visible.contains(site)) {
            return Vec::new();
        }
        let mut weight = self.weight;
        let child = |(index, parts): (usize, Vec<TaskPart>)| {
            weight /= 2.0;
            (path.iter().copied().chain([index as u32]).collect(), Task { parts, weight })
        };
        grouped(left).into_iter().enumerate().rev().map(child).collect()
    }
}

/// What a task left becomes tasks: the last parts, which are the largest as a rule, one each.
fn grouped(mut left: Vec<TaskPart>) -> Vec<Vec<TaskPart>> {
    let alone = left.split_off(left.len().saturating_sub(MOST_CHILDREN - 1));
    let first = (!left.is_empty()).then_some(left);
    first.into_iter().chain(alone.into_iter().map(|part| vec![part])).collect()
}

impl TaskSeen {
    /// What counts of that, if it is all that can follow from the initial state.
    pub(crate) fn into_findings(self, completing: Completing) -> impl Iterator<Item = Found> {
        let TaskSeen { found, completed, ended, .. } = self;
        found.into_values().filter(move |found| counts(found, completing, completed, ended))
    }

    /// Whether a finding that was seen later of the same initial state is to be added: of equal ones the first is kept, but
    /// one that is easier to follow comes before it.
    pub(crate) fn wants(&self, what: &(FindingKey, bool), difficulty: Difficulty) -> bool {
        self.found.get(what).is_none_or(|known| difficulty < known.difficulty())
    }
}

/// Whether calls wait for a signal that none of them gives, and do so one after the other as well: who is to give it is not known.
pub(crate) fn is_unwoken(found: &Found, completing: Completing, completed: bool, ended: bool) -> bool {
    let in_doubt = match completing {
        Completing::Nothing => false,
        Completing::Waits => true,
        Completing::Everything => completed,
    };
    in_doubt && !counts(found, completing, completed, ended)
}

/// Whether a finding counts, once all that can follow from its initial state was seen. Where operations are called that
/// have preconditions, a heap on which they cannot complete is outside of them. And one that waits for a signal does so alone
/// as well: that is no failure, unless it need not wait. That locks are kept is a failure on each heap that a predicate calls valid.
pub(crate) fn counts(found: &Found, completing: Completing, completed: bool, ended: bool) -> bool {
    let need_not_wait = ended || !found.waits_for_signal;
    // No heap excuses how threads of a launch are told to meet.
    if matches!(found.key, FindingKey::Fault(FaultKind::BarrierDivergence, _)) {
        return true;
    }
    match completing {
        Completing::Nothing => true,
        Completing::Waits => need_not_wait,
        Completing::Everything => found.keeps_locks || completed && need_not_wait,
    }
}
