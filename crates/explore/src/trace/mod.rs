//! What an execution was: its events, by words that all executions share, and three relations over them.
//!
//! | relation | orders | where | who asks |
//! |---|---|---|---|
//! | causal order | the beginning of a thread behind its creation, its end before who waits for it | [`causality`] | likely races |
//! | dependence | steps of which one may enable, disable or change the other | [`event`] | sleep sets, source sets, traces |
//! | happens-before | what synchronises (C11 5.1.2.4) | `concurrency::HappensBefore`, as the machine runs | races |
//!
//! Causal order is part of both others; dependence orders more than happens-before does (two relaxed writes of one atomic) and
//! less (nothing orders two reads, whatever came before them).

pub(crate) mod canon;
pub(crate) mod canonical;
pub(crate) mod causality;
pub(crate) mod event;
pub(crate) mod label;
