//! Functions that are called once: who does.
//!
//! Who comes first runs the function; everybody else comes behind its end, which their calls take what they wait for from
//! ([`scenario`](super::scenario)).

use super::forest::{Forest, Label, NodeId};
use super::scenario::Expanded;
use concurrency::{Action, Place, SyncOp};
use rustc_hash::FxHashMap;

/// The flag of an action of this kind.
fn of(action: &Action, kind: SyncOp) -> Option<Place> {
    match *action {
        Action::Sync { op, place } if op == kind => Some(place),
        _ => None,
    }
}

/// The flag that an action looks at.
pub(super) fn called(action: &Action) -> Option<Place> {
    of(action, SyncOp::Once)
}

/// The flag that an action sets.
pub(super) fn done(action: &Action) -> Option<Place> {
    of(action, SyncOp::OnceDone)
}

/// Whether nobody runs a function that another one runs. `over`: those that were called before there were other threads.
pub(super) fn are_called_once(forest: &Forest, expanded: &Expanded, over: &FxHashMap<Place, bool>) -> bool {
    let mut first: FxHashMap<Place, NodeId> = FxHashMap::default();
    for path in &expanded.paths {
        for &node in &path.nodes {
            let (Label::Act { action, .. } | Label::Pending { action, .. }) = forest.label(node) else { continue };
            let Some(place) = called(action) else { continue };
            if over.get(&place) == Some(&true) || expanded.scenario.source(node, 0).is_some() {
                continue;
            }
            // A thread that ran it itself does not again.
            let known = *first.entry(place).or_insert(node);
            if forest.who(known) != forest.who(node) {
                return false;
            }
        }
    }
    true
}
