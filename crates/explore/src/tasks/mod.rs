//! The search as tasks that workers carry out.
//!
//! A task ([`task`]) is a part of the tree of all executions. [`search`] explores one on an engine of its own, [`pool`] has
//! workers do so, [`gathered`] is what they come to together, and [`paused`] what another process can go on with.

pub(crate) mod gathered;
pub(crate) mod paused;
pub(crate) mod pool;
pub(crate) mod search;
pub(crate) mod task;
