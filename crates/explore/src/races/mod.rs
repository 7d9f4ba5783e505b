//! Races: the rounds in which they are found, in one process or several, and the searches that look for likely ones first.

pub(crate) mod apart;
pub(crate) mod directed;
pub(crate) mod fixpoint;
pub(crate) mod guided;
pub(crate) mod library;
mod predict;
mod show;
pub(crate) mod wanted;
