//! Narada (Samak, Ramanathan, Jagannathan, PLDI 2015): racy clients of a library, from the sequential tests that it has.
//!
//! A test is run once, and each call that it makes of the library is kept with the heap before and after it ([`trace`]). From what
//! calls access, and with which locks, it is seen which of them may race if what they access were one object ([`conflict`]); from
//! what they leave behind, which calls make it one ([`settings`]). Then the calls of the tests are put together anew, with nothing
//! shared but that ([`script`], [`client`], [`plan`]); or any two calls are put behind what a test does up to some point ([`heaps`]).
//!
//! Guarantee: none that a client races. Whoever runs it sees.
//! Knows nothing of how clients are run, or written to files.

pub mod client;
pub mod conflict;
mod heaps;
pub mod numbers;
pub mod paths;
pub mod plan;
pub mod script;
mod search;
pub mod settings;
pub mod trace;

use machine::Program;
use script::Script;
use std::sync::Arc;
use trace::Trace;

/// A test that was run.
#[derive(Debug)]
pub struct Test {
    pub program: Arc<Program>,
    pub trace: Trace,
    pub script: Script,
}
