//! Random small data-structure libraries and the races between their operations.
//!
//! [`generate()`] draws a [`Library`] from a seed; [`render`] writes it as C11; [`judge`] runs its operations together, in
//! every combination, on every concrete heap up to the library's depth, in every interleaving; [`shrink()`] reduces a
//! library that the engine gets wrong.
//!
//! What "up to the depth" and "completes" mean has two readings each, so the answer is a bracket: races that must
//! be reported, and races that may be. See [`EntryResult`].
//!
//! Guarantee: exact for the rendered source under sequential consistency, for the heaps enumerated.
//! Not promised: other failures than races, which on assumed shapes prove nothing.

mod actions;
mod ast;
mod caller;
mod clients;
mod code;
mod exec;
mod expectation;
mod generate;
mod heaps;
mod oracle;
mod order;
mod render;
mod shrink;
mod standstill;
#[cfg(test)]
mod tests;

pub use actions::actions;
pub use ast::*;
pub use clients::{ClientEntry, ClientExpectation, ClientExtent, Failure, judge_clients};
pub use expectation::{Counts, EntryResult, Expectation, Extent, Mismatch, OperationResult};
pub use generate::{generate, generate_for_clients};
pub use heaps::{HeapCounts, count_heaps};
pub use oracle::{Bounds, TooLarge, judge};
pub use render::render;
pub use shrink::shrink;
pub use standstill::Standstill;
