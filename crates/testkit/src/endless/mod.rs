//! Random C programs whose threads go round for ever, and what is true of them.
//!
//! [`generate()`] draws a [`Program`] from a seed, [`render()`] writes it as C11, and [`enumerate()`] goes through all of its states,
//! of which there are finitely many: numbers are below three, and nobody counts rounds.
//!
//! Guarantee: an expectation is exact for the rendered source. Executions are sequentially consistent; every access is a step of its own; a
//! state has what decides how it goes on, and for each access that may still race who knows of it. That is no clock, and there is
//! nothing that it forgets besides accesses that everybody knows.
//! Owes: few threads and objects; a semaphore that grows without bound makes a program too large.

mod ast;
mod code;
mod enumerate;
mod generate;
mod render;
#[cfg(test)]
mod tests;

pub use ast::{Program, Stmt};
pub use enumerate::{Expectation, TooLarge, enumerate};
pub use generate::generate;
pub use render::render;
