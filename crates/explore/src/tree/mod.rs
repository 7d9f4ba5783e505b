//! The tree of all executions: what is still to be explored, and how to come back to a place in it.

pub(crate) mod agenda;
pub(crate) mod follow;
pub(crate) mod next;
pub(crate) mod prefix;
pub(crate) mod shared;
