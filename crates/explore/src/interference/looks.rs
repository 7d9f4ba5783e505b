//! What is seen of semaphores without taking anything: what one counts (`sem_getvalue`), and that there is nothing to take (`sem_trywait` and
//! `sem_timedwait` in vain).
//!
//! A look finds what there was at first, one more for each post before it and one less for each wait that has taken something before it. Which
//! posts and waits are before it is part of a [scenario](super::scenario): all that are causally before it, and the look takes what it finds
//! from the last ones of other threads. All others of the scenario come behind it.
//!
//! In the degree a look is one read, if anything that it counts is another thread's and nothing but the schedule orders the two.

use super::forest::{Forest, Label, NodeId};
use super::scenario::{Edge, Expanded, Past, Scenario};
use super::tokens::{posted, taken};
use crate::trace::canon::Who;
use concurrency::{Action, Place, SyncOp};
use machine::Outcome;
use rustc_hash::FxHashMap;

/// The semaphore that an action asks what it counts.
pub(super) fn asked(action: &Action) -> Option<Place> {
    match *action {
        Action::Sync { op: SyncOp::SemValue, place } => Some(place),
        _ => None,
    }
}

/// Whether an action may come to nothing in a way that is a node of its own: there is nothing to take, or a thread has not ended.
pub(super) fn may_be_vain(action: &Action) -> bool {
    tries(action) || matches!(action, Action::TryJoin { .. })
}

/// Whether an action takes something from a semaphore only if there is something.
pub(super) fn tries(action: &Action) -> bool {
    matches!(action, Action::Sync { op: SyncOp::SemTryWait | SyncOp::SemTimedWait, .. })
}

/// The semaphore that a node only looks at.
pub(super) fn looked_at(label: &Label) -> Option<Place> {
    match label {
        Label::Act { action, outcome, .. } => {
            asked(action).or_else(|| taken(action).filter(|_| *outcome == Outcome::Misses))
        }
        Label::Pending { action, vain, .. } => asked(action).or_else(|| taken(action).filter(|_| *vain)),
        _ => None,
    }
}

/// What an action that was carried out does to a semaphore: the one, and whether it counts more then.
pub(super) fn changed(action: &Action, outcome: Outcome) -> Option<(Place, bool)> {
    match posted(action) {
        Some(place) => Some((place, true)),
        None => taken(action).filter(|_| outcome != Outcome::Misses).map(|place| (place, false)),
    }
}

/// A post, or a wait that takes something.
struct Change {
    place: Place,
    by: (Who, usize),
    node: NodeId,
    more: bool,
}

struct Look {
    place: Place,
    node: NodeId,
    /// What it finds, if that is told.
    found: Option<u32>,
}

/// The changes and the looks of a scenario.
#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    looks: Vec<Look>,
}

impl Found {
    fn of(forest: &Forest, expanded: &Expanded) -> Found {
        let mut found = Found::default();
        for (who, path) in expanded.paths.iter().enumerate() {
            for (at, &node) in path.nodes.iter().enumerate() {
                let label = forest.label(node);
                if let Label::Act { action, outcome, .. } = label
                    && let Some((place, more)) = changed(action, *outcome)
                {
                    found.changes.push(Change { place, by: (who, at), node, more });
                }
                if let Some(place) = looked_at(label) {
                    let counted = match path.nodes.get(at + 1).map(|&next| forest.label(next)) {
                        Some(Label::Counted(count)) => Some(*count),
                        _ => None,
                    };
                    let (Label::Act { action, .. } | Label::Pending { action, .. }) = label else { continue };
                    found.looks.push(Look {
                        place,
                        node,
                        found: if asked(action).is_some() { counted } else { Some(0) },
                    });
                }
            }
        }
        found
    }
}

/// By look, the changes of its semaphore that come behind it. `first`: what semaphores count at first.
///
/// # Errors
/// A look that finds something else than what is before it comes to.
pub(super) fn behind(
    forest: &Forest,
    expanded: &Expanded,
    first: &FxHashMap<Place, u32>,
) -> Result<Vec<(NodeId, Vec<NodeId>)>, NodeId> {
    if !forest.has_looks() {
        return Ok(Vec::new());
    }
    let Found { changes, looks } = Found::of(forest, expanded);
    let mut all = Vec::new();
    for Look { place, node: look, found } in looks {
        let past = expanded.past(forest, look, true);
        let mut count = i64::from(first.get(&place).copied().unwrap_or(0));
        let mut behind = Vec::new();
        for change in changes.iter().filter(|change| change.place == place) {
            let (who, at) = change.by;
            match (at < past[who], change.more) {
                (true, true) => count += 1,
                (true, false) => count -= 1,
                (false, _) => behind.push(change.node),
            }
        }
        if found.is_some_and(|found| i64::from(found) != count) {
            return Err(look);
        }
        all.push((look, behind));
    }
    Ok(all)
}

/// How many looks within a past count something of another thread's that nothing but the schedule orders.
pub(super) fn interfered(forest: &Forest, expanded: &Expanded, past: &Past) -> usize {
    if !forest.has_looks() {
        return 0;
    }
    let Found { changes, looks } = Found::of(forest, expanded);
    let is_interfered = |look: &&Look| {
        let (who, at) = expanded.place(forest, look.node);
        if at >= past[who] {
            return false;
        }
        let [seen, ordered] = [true, false].map(|interferes| expanded.past(forest, look.node, interferes));
        let is_of_another = |change: &Change| {
            let (other, at) = change.by;
            change.place == look.place && other != who && at < seen[other] && at >= ordered[other]
        };
        changes.iter().any(is_of_another)
    };
    looks.iter().filter(is_interfered).count()
}

/// A scenario in which a look counts one more change, and what its thread has changed before; none where it counts that already. A later
/// one stands for an earlier one of the same thread.
pub(super) fn counting(forest: &Forest, scenario: &Scenario, look: NodeId, change: NodeId) -> Option<(Scenario, Edge)> {
    let who = forest.who(change);
    let edge = Edge { reader: look, cell: who as u32, source: change };
    let expanded = Expanded::new(forest, scenario);
    if scenario.contains(forest, change) && forest.depth(change) < expanded.past(forest, look, true)[who] {
        return None;
    }
    let mut without = scenario.clone();
    if let Some(known) = scenario.source(look, edge.cell) {
        let is_behind =
            forest.depth(change) > forest.depth(known) && forest.at_depth(change, forest.depth(known)) == Some(known);
        if !is_behind {
            return None;
        }
        without.edges.retain(|other| (other.reader, other.cell) != (look, edge.cell));
    }
    Some((without, edge))
}
