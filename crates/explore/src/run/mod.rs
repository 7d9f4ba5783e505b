//! Running threads: the one loop, the ways to go on that are left, and how to come back to a place.

pub(crate) mod driver;
pub(crate) mod end;
pub(crate) mod follow;
pub(crate) mod frontier;
pub(crate) mod next;
pub(crate) mod prefix;
pub(crate) mod shared;
pub(crate) mod turns;
