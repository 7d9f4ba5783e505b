//! What an execution was, apart from the order of what is independent.

pub(crate) mod canonical;
