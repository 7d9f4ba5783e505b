//! The search as tasks that workers carry out.
//!
//! A task ([`task`]) is a part of the tree of all executions. [`run`] explores one on an engine of its own, [`pool`] has
//! workers do so, [`gathered`] is what they come to together, [`earlier`] what rounds before came to, and [`checkpoint`] what
//! another process can go on with; [`remaining`] says how much is left.

pub(crate) mod checkpoint;
pub(crate) mod earlier;
pub(crate) mod gathered;
pub(crate) mod pool;
pub(crate) mod remaining;
pub(crate) mod run;
pub(crate) mod task;
