//! When to stop before the search is complete.

use crate::Counts;
use machine::LossKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Time, memory, and the user's patience.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub deadline: Option<Instant>,
    /// Bytes of resident memory of this process.
    pub max_memory: Option<u64>,
    /// Set by a signal handler.
    pub stop: Arc<AtomicBool>,
}

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    Time,
    Memory,
    Interrupted,
}

impl Exhausted {
    pub fn loss(self) -> (LossKind, &'static str) {
        match self {
            Exhausted::Time => (LossKind::Time, "--max-time with a larger value"),
            Exhausted::Memory => (LossKind::Memory, "--max-memory with a larger value"),
            Exhausted::Interrupted => (LossKind::Interrupted, "let the run end"),
        }
    }
}

impl Budget {
    /// What has run out, if anything.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Exhausted::Interrupted);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Some(Exhausted::Time);
        }
        if self.max_memory.is_some_and(|max| resident_bytes().is_some_and(|now| now > max)) {
            return Some(Exhausted::Memory);
        }
        None
    }
}

impl Budget {
    /// Whether so much memory is in use that states are better given up, to come back to them later.
    pub(crate) fn memory_is_short(&self) -> bool {
        self.max_memory.is_some_and(|max| resident_bytes().is_some_and(|now| now > max / 8 * 7))
    }
}

/// Resident memory of this process, from `/proc`.
pub(crate) fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Told from time to time how far the search is.
pub trait Progress {
    fn tick(&mut self, counts: &Counts, findings: usize);

    /// A new part of the search begins.
    fn begin(&mut self, _what: &str) {}
}

impl Progress for () {
    fn tick(&mut self, _counts: &Counts, _findings: usize) {}
}
