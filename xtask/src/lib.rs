//! What campaigns and benchmarks share.

pub mod engine;
