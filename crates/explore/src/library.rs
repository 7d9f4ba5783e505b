//! The operations of a library, called by several threads.

use crate::origin::Origin;
use crate::origin::operation::in_words;
use crate::{Budget, Exploration, JointOptions, Paused, Progress, Workers, explore};
use machine::{EngineError, LedgerEntry, LossKind};

/// Explores what threads call together; what was `paused`, from there on.
///
/// # Errors
/// When an engine fails.
pub fn explore_library(
    workers: Workers,
    origin: &Origin,
    budget: &Budget,
    progress: &mut dyn Progress,
    paused: Paused<'static>,
) -> Result<Exploration, EngineError> {
    let what = in_words(origin.threads());
    progress.begin(&what);
    let mut explored = explore(workers, origin, joint_options(origin), budget, progress, &what, paused)?;
    if explored.completing == 0 && explored.others > 0 && explored.exhausted.is_none() {
        let which = if origin.is_pair() { "both operations" } else { "all threads" };
        let remedy = format!("on no heap within the bounds can {which} come to their ends");
        explored.ledger.note(LedgerEntry { kind: LossKind::Vacuous, place: what, remedy });
    }
    Ok(explored)
}

/// A heap on which the threads cannot complete under any schedule is outside of the precondition.
pub(crate) fn joint_options(origin: &Origin) -> JointOptions {
    JointOptions { completing: true, ..origin.joint() }
}
