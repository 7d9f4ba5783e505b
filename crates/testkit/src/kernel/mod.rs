//! Random CUDA kernels, and what brute force says of them.
//!
//! [`generate`] makes a kernel and a launch, [`render`] writes it as CUDA, [`enumerate`] runs all interleavings of all accesses of all
//! its threads, one at a time, and asks of each pair of accesses whether a way along the edges of the memory model leads from one to the
//! other. It knows nothing of clocks, of what commutes, or of the machine.

mod ast;
mod generate;
mod oracle;
mod render;
#[cfg(test)]
mod tests;

pub use ast::{Cell, Condition, Heap, Kernel, Scope, Space, Stmt, What};
pub use generate::generate;
pub use oracle::{Class, Expectation, KernelRace, NotJudged, enumerate};
pub use render::{host, hosts, predicate, render};
