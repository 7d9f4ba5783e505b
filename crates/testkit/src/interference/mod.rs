//! Random programs with inputs, and the least interferences that each way at their branches takes.
//!
//! [`generate()`] draws a [`Program`]; [`render`] writes it as C11; [`degrees`] runs it with all inputs over all interleavings. The degree of
//! a way is the least number of reads, in what comes causally before it, whose value another thread has written, unless creation
//! or waiting for an end orders the two; a lock that is tried in vain is read from who has it, what is taken from a semaphore by who only tries
//! from its post, what a semaphore counts (or that it is 0) from all who have changed it, and that a thread has ended from its end.
//!
//! Guarantee: exact for the rendered source under sequential consistency. Knows nothing of how raddle finds out.

mod ast;
mod generate;
mod oracle;
mod render;
#[cfg(test)]
mod tests;

pub use ast::{Condition, Looks, Operand, Program, Relation, Stmt, Value, VarKind};
pub use generate::generate;
pub use oracle::{Degrees, Pairs, TooMany, degrees, pairs};
pub use render::{Rendered, render};
