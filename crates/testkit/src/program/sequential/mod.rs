//! Random single-threaded C: richer than the multithreaded programs, without an oracle of its own.
//!
//! What such a program prints when compiled natively is what it has to print anywhere. It prints a checksum trail, so
//! that the first wrong value shows near the place where it arose.
//!
//! Guarantee: deterministic by seed; no undefined behaviour, no unspecified values, no unspecified order (calls stand
//! alone as the right-hand side of an assignment); ends after some ten thousand operations at most. Of implementation-defined
//! behaviour it uses what clang on x86-64 Linux defines: conversions wrap, `>>` of negative numbers is arithmetic,
//! `char` and bit-fields as the ABI lays them out, and floating-point numbers as the processor computes them.

mod expr;
mod function;
mod number;
mod scope;

use crate::rng::Rng;

/// The C source of this seed.
pub fn generate(seed: u64) -> String {
    let mut writer = function::Writer::new(Rng::new(seed));
    writer.program();
    writer.source
}
