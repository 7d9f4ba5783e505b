//! What weak atomics allow, where that is all that is left open.
//!
//! A search under sequential consistency comes first: it finds what there is to find soonest. Where it is whole, finds nothing, and nothing but
//! weak orders keeps its result open, all classes of executions are explored once more, each by itself, and every atomic event is asked what
//! else it could see ([`machine::Weak::Ask`]).

use explore::{Exploration, JointOptions, Likely, Por};
use machine::{Ledger, LossKind};
use std::time::Duration;

/// The part of the time that is left in which that is asked, and the time where there is no limit.
const PART: u32 = 2;
const AT_MOST: Duration = Duration::from_secs(60);

/// The time for it.
pub(super) fn time(left: Option<Duration>) -> Duration {
    left.map_or(AT_MOST, |left| left / PART)
}

/// Whether weak orders are all that a ledger is about.
fn is_only_weak(ledger: &Ledger) -> bool {
    ledger.entries().next().is_some() && !is_about_more(ledger)
}

fn is_about_more(ledger: &Ledger) -> bool {
    ledger.entries().any(|(entry, _)| entry.kind != LossKind::WeakMemory)
}

/// Whether some weak order keeps a result open.
pub(super) fn is_open(ledger: &Ledger) -> bool {
    ledger.entries().any(|(entry, _)| entry.kind == LossKind::WeakMemory)
}

/// Whether there is something to ask.
pub(super) fn may_be_asked(explored: &Exploration, options: &JointOptions) -> bool {
    explored.exhausted.is_none()
        && explored.findings.is_empty()
        && is_only_weak(&explored.ledger)
        && options.schedules.are_divisible()
}

/// How it is explored: states that are alike have different pasts, so that none stands for another.
pub(super) fn options(options: JointOptions) -> JointOptions {
    JointOptions { por: Some(Por::SourceSets), likely: Likely::Never, atomic_blocks: false, ..options }
}

/// Takes over what was `asked`; whether nothing is open any more. What was not over says nothing.
pub(super) fn take_over(explored: &mut Exploration, asked: Exploration) -> bool {
    if asked.exhausted.is_some() || !asked.findings.is_empty() || is_about_more(&asked.ledger) {
        return false;
    }
    explored.ledger = asked.ledger;
    explored.ledger.entries().next().is_none()
}
