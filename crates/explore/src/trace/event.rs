//! Steps of threads, and when their order matters.

use concurrency::{Action, Footprint, SyncOp};
use std::rc::Rc;
use std::sync::Arc;

/// What a thread did in one step.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub action: Action,
    /// Of a critical section that was a single step.
    pub block: Option<Arc<Footprint>>,
}

impl Event {
    pub(crate) fn new(action: Action) -> Self {
        Event { action, block: None }
    }

    /// With what was accessed in the section that the action begins, if that was a single step.
    pub(crate) fn with(action: Action, block: Option<&Rc<Footprint>>) -> Self {
        Event { action, block: block.map(|footprint| Arc::new((**footprint).clone())) }
    }

    /// Whether the order of two steps of different threads matters.
    pub(crate) fn dependent(&self, other: &Event) -> bool {
        self.action.dependent(&other.action)
            && match (&self.block, &other.block) {
                (Some(one), Some(two)) => one.conflicts(two),
                _ => true,
            }
    }
}

/// Whether an action begins a critical section, which may turn out to be a single step.
pub(crate) fn begins_block(action: &Action) -> bool {
    matches!(action, Action::Sync { op: SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock, .. })
}
