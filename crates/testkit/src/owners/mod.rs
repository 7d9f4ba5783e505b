//! Random libraries whose objects own others, with sequential tests, for the search for racy clients.
//!
//! A library has boxes, which hold numbers, and holders, each of which leads to a box and to a peer; each object has a lock, and there are
//! global ones. Its functions read, write and set what they reach from what they are given, with one lock held or another, or none.
//! [`oracle`] says which accesses race in any client of up to so many setting calls and two at once, on any choice of objects.
//!
//! Each access stands on a line of its own, so that a race is two lines.

mod ast;
mod generate;
mod oracle;
mod render;
#[cfg(test)]
mod tests;

pub use ast::{Call, Function, Library, Step, Test};
pub use generate::generate;
pub use oracle::{TooLarge, Truth, oracle};
pub use render::{Rendered, render};
