//! Random multithreaded C programs and what is true of them.
//!
//! [`generate()`] draws a [`Program`] from a seed; [`render`] writes it as C11; [`explore`] runs it over all
//! interleavings of every shared access and returns the [`Expectation`]; [`shrink()`] reduces one that the engine
//! gets wrong. [`sequential`] draws single-threaded C, whose oracle is the natively compiled program.
//!
//! Guarantee: an expectation is exact for the rendered source: executions are sequentially consistent, and which of
//! their accesses race is decided by C11's happens-before, not by the order in which they ran.
//! Not promised: executions that only weak memory allows.

mod actions;
mod ast;
mod code;
mod exec;
mod expectation;
mod generate;
mod oracle;
mod order;
mod render;

pub mod sequential;
mod shrink;
#[cfg(test)]
mod tests;

pub use actions::actions;
pub use ast::*;
pub use expectation::{Deadlock, Expectation, MemoryFault, Semantics, TooLarge};
pub use generate::{Config, generate};
pub use oracle::explore;
pub use render::render;
pub use shrink::shrink;
