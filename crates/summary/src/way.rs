//! One way through a function, as far as it has been gone.

use concurrency::ThreadId;
use ir::LocId;
use machine::State;
use report::{Effect, Relation, TreeAccess};
use std::collections::BTreeSet;

/// Whether a way goes on behind what was noted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    GoesOn,
    Ends,
}

/// What was done since the last node.
#[derive(Clone, Debug, Default)]
pub(super) struct Since {
    pub shape: Vec<Relation>,
    pub reads: Vec<Effect>,
    pub writes: Vec<Effect>,
    pub accesses: BTreeSet<TreeAccess>,
}

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub state: State,
    pub thread: ThreadId,
    /// The last node.
    pub parent: Option<usize>,
    /// Its outcome on this way.
    pub on: Option<String>,
    pub since: Since,
    /// Places that were read or written.
    pub known: BTreeSet<String>,
    /// Locks that the function took and holds.
    pub locks: Vec<String>,
    /// How much of what the state has observed is in the tree.
    pub observed: usize,
    /// The return that it has come to.
    pub returns_at: Option<LocId>,
}

impl Path {
    pub(super) fn new(state: State, thread: ThreadId) -> Self {
        Path {
            state,
            thread,
            parent: None,
            on: None,
            since: Since::default(),
            known: BTreeSet::new(),
            locks: Vec::new(),
            observed: 0,
            returns_at: None,
        }
    }
}
