//! Witnesses: a finding, made concrete, replayed, made small, written down, and turned into a C test.
//!
//! [`concrete`] takes one solution of a finding's path condition; [`steer`] runs the engine along it; [`minimise`] drops
//! what the failure does not need; [`extract`] writes the result down ([`format`]), [`read`] reads it back; [`emit`] makes a C
//! program of it that fails under ThreadSanitizer.
//!
//! Guarantee: a [`Confirmed`] run has been executed again from its concrete start, within every operation's precondition,
//! and has shown the same failure.
//! Knows nothing of how a finding was found.

pub mod arrivals;
pub mod concrete;
mod damage;
pub mod describe;
mod earlier;
pub mod emit;
pub mod extract;
pub mod format;
pub mod minimise;
pub mod read;
pub mod sequence;
pub mod steer;

pub use concrete::{Concrete, Setting, Threads, concretise};
pub use describe::Describe;
pub use extract::{program_fingerprint, witness};
pub use format::{FormatError, ProgramRef, TakenWay, Witness, input_number};
pub use minimise::{Confirmed, Modes, confirm, minimise};
pub use read::{MismatchError, read_witness};
pub use sequence::{SequenceError, Sources, violation_sequence};
pub use steer::{retake, run};
