//! Campaigns that compare raddle with something else, and what they share with benchmarks.
//!
//! Each campaign prints its figures and says whether nothing differed. The ordinary tests run a few cases of each
//! (`tests/oracles.rs`).

#![expect(clippy::print_stdout, reason = "a campaign prints its figures")]

pub mod arithmetic;
pub mod clients;
pub mod clocks;
pub mod con2colic;
pub mod conditions;
pub mod endless;
pub mod engine;
pub mod floating;
pub mod flows;
mod hands;
pub mod interference;
pub mod kernels;
pub mod libraries;
pub mod merging;
pub mod options;
pub mod programs;
pub mod rc11;
pub mod remaining;
pub mod results;
pub mod sequential;
pub mod summaries;
pub mod synth;
pub mod weak;
