//! Scopes of synchronisation, of GPUs (PTX ISA, 'Memory Consistency Model', 'Scope').
//!
//! Two operations of two threads order what is around them, or are atomic with regard to each other, only if the scope of each
//! includes the other's thread ('Morally strong operations'). All threads of a CPU are in all scopes, so there no scope means
//! anything.

use crate::ThreadId;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Which threads an operation is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Scope {
    /// Those of the thread's own block (`.cta`).
    Block,
    /// Those of the device (`.gpu`), or more: one launch runs on one device, so `.sys` is the same here.
    #[default]
    Device,
}

/// Which threads belong together. Without a launch, all do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks(Rc<Vec<u32>>);

impl Blocks {
    /// By thread, the number of its block.
    pub fn new(blocks: Vec<u32>) -> Self {
        Blocks(Rc::new(blocks))
    }

    pub fn are_one(&self, x: ThreadId, y: ThreadId) -> bool {
        self.0.get(x.index()) == self.0.get(y.index())
    }

    /// Whether operations of two threads with these scopes mean each other.
    pub fn include(&self, (x, of_x): (ThreadId, Scope), (y, of_y): (ThreadId, Scope)) -> bool {
        of_x.min(of_y) == Scope::Device || self.are_one(x, y)
    }
}
