//! The operations of a library, called by several threads.

use crate::model::Origin;
use crate::model::operation::{Sequence, in_words};
use crate::{Budget, Completing, Exploration, JointOptions, Paused, Progress, Workers, explore_until_fault};
use machine::{EngineError, LedgerEntry, LossKind, LossSite};

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
    let (explored, fault) = library_until_fault(workers, origin, budget, progress, paused);
    fault.map_or(Ok(explored), Err)
}

/// As [`explore_library`], but where an engine fails, with what was found until then, and what failed.
pub fn library_until_fault(
    workers: Workers,
    origin: &Origin,
    budget: &Budget,
    progress: &mut dyn Progress,
    paused: Paused<'static>,
) -> (Exploration, Option<EngineError>) {
    let what = in_words(origin.threads());
    progress.begin(&what);
    let options = joint_options(origin);
    let (mut explored, fault) = explore_until_fault(workers, origin, options, budget, progress, &what, paused);
    // Objects of their own are what is looked at beside all that the calls may take.
    let have_nothing_alone = origin.threads().iter().flat_map(Sequence::calls).all(|call| call.alone.is_empty());
    // Who is made to go on for ever has no end to come to.
    let may_end = origin.clients().iter().all(|start| start.endless.is_empty());
    // Nor has who gives back a lock that nobody can have taken for him: no client makes such calls, of which nothing is to be known.
    let is_unlocked = explored.unlocked > 0 && explored.others == 0;
    if options.completing != Completing::Nothing
        && explored.completing == 0
        && !is_unlocked
        // Of clients, starts from which no order goes well are left out.
        && (explored.others > 0 || !origin.clients().is_empty())
        && explored.exhausted.is_none()
        && have_nothing_alone
        && may_end
    {
        let remedy = match (origin.clients().is_empty(), origin.is_pair()) {
            (false, _) => {
                "no client of so many calls can make these at once so that they come to their ends".to_owned()
            }
            (true, true) => "on no heap within the bounds can both operations come to their ends".to_owned(),
            (true, false) => "on no heap within the bounds can all threads come to their ends".to_owned(),
        };
        let site = LossSite::Search(what);
        explored.ledger.note(LedgerEntry { kind: LossKind::Vacuous, site, remedy: remedy.into() });
    }
    (explored, fault)
}

/// A heap on which the threads cannot complete under any schedule is outside of the precondition; what clients build is never.
pub fn joint_options(origin: &Origin) -> JointOptions {
    let completing = match origin {
        Origin::Clients { .. } => Completing::Waits,
        Origin::Main { .. } | Origin::Library { .. } | Origin::Launch { .. } => Completing::Everything,
    };
    JointOptions { completing, ..origin.joint() }
}
