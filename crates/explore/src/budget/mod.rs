//! When to stop before the search is complete.

pub(crate) mod counts;
pub(crate) mod fault;
pub(crate) mod meter;
pub(crate) mod spent;

use crate::{FindingKey, Paused};
use machine::{LossKind, Remedy};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time, memory, and the user's patience.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub deadline: Option<Instant>,
    /// The deadline of a search that has found something, which takes time to confirm.
    pub sooner: Option<Instant>,
    /// The search has found something.
    pub found: Arc<AtomicBool>,
    /// Bytes of resident memory of this process.
    pub max_memory: Option<u64>,
    /// Set by a signal handler.
    pub stop: Arc<AtomicBool>,
    /// Steps that all searches with this budget may still take together; then their time is over. None: as many as they need.
    pub steps: Option<Arc<AtomicU64>>,
    /// Tasks after which a search is interrupted: for tests, where interruptions have to come anywhere.
    pub tasks: Option<u64>,
    /// What is enough to have found.
    pub enough: Option<Enough>,
    /// When no further task is begun. Those that were are carried out to their ends, and one is in any case.
    pub begin_until: Option<Instant>,
    /// Once it is set, as if that time had come.
    pub called_back: Arc<AtomicBool>,
    /// What is left is for others: nothing is explored.
    pub apart: bool,
}

/// A search that ends with the first finding of those that count.
#[derive(Clone)]
pub struct Enough {
    counts: Arc<dyn Fn(&FindingKey) -> bool + Send + Sync>,
    is_found: Arc<AtomicBool>,
}

impl Enough {
    pub fn new(counts: impl Fn(&FindingKey) -> bool + Send + Sync + 'static) -> Self {
        Enough { counts: Arc::new(counts), is_found: Arc::default() }
    }

    /// Whatever is found, it is enough once this is set.
    pub fn once(is_found: Arc<AtomicBool>) -> Self {
        Enough { counts: Arc::new(|_| false), is_found }
    }
}

impl fmt::Debug for Enough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Enough").field("is_found", &self.is_found).finish_non_exhaustive()
    }
}

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Exhausted {
    Time,
    Memory,
    Interrupted,
    /// Nothing did: what was found is enough.
    Enough,
    /// Nothing did: raddle itself failed.
    Fault,
    /// Nothing did: what is left is for others to explore.
    Apart,
}

impl Exhausted {
    pub fn loss(self) -> (LossKind, Remedy) {
        match self {
            Exhausted::Time => (LossKind::Time, Remedy::Time),
            Exhausted::Memory => (LossKind::Memory, Remedy::Memory),
            Exhausted::Interrupted => (LossKind::Interrupted, Remedy::NoInterrupt),
            Exhausted::Enough => (LossKind::Enough, Remedy::OnFinding),
            Exhausted::Fault => (LossKind::Fault, Remedy::BugReport),
            Exhausted::Apart => (LossKind::Apart, Remedy::Parts),
        }
    }
}

impl Budget {
    /// What has run out, if anything.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Exhausted::Interrupted);
        }
        if self.enough.as_ref().is_some_and(|enough| enough.is_found.load(Ordering::Relaxed)) {
            return Some(Exhausted::Enough);
        }
        let sooner = self.sooner.filter(|_| self.found.load(Ordering::Relaxed));
        if sooner.or(self.deadline).is_some_and(|d| Instant::now() >= d) {
            return Some(Exhausted::Time);
        }
        if self.max_memory.is_some_and(|max| resident_bytes().is_some_and(|now| now > max)) {
            return Some(Exhausted::Memory);
        }
        None
    }
}

impl Budget {
    /// Takes one of the steps that are left. False where none is.
    pub(crate) fn take_step(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        self.steps.as_ref().is_none_or(|left| left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok())
    }

    /// Notes what was found.
    pub(crate) fn note_found<'k>(&self, found: impl Iterator<Item = &'k FindingKey>) {
        for key in found {
            self.found.store(true, Ordering::Relaxed);
            self.note_enough(key);
        }
    }

    /// Ends the search if this is enough.
    pub(crate) fn note_enough(&self, found: &FindingKey) {
        if let Some(enough) = self.enough.as_ref().filter(|enough| (enough.counts)(found)) {
            enough.is_found.store(true, Ordering::Relaxed);
        }
    }

    /// Whether so much memory is in use that states are better given up, to come back to them later.
    pub(crate) fn memory_is_short(&self) -> bool {
        self.max_memory.is_some_and(|max| resident_bytes().is_some_and(|now| now > max / 8 * 7))
    }
}

/// Between two looks of a thread at how much memory is in use: each takes some 20 microseconds, and memory grows by ten
/// mebibytes at most meanwhile.
const UNCOUNTED: Duration = Duration::from_millis(4);

thread_local! {
    static COUNTED: Cell<Option<(Instant, u64)>> = const { Cell::new(None) };
}

/// Resident memory of this process, as of a moment ago.
pub(crate) fn resident_bytes() -> Option<u64> {
    let now = Instant::now();
    if let Some((_, bytes)) = COUNTED.get().filter(|(then, _)| now.duration_since(*then) < UNCOUNTED) {
        return Some(bytes);
    }
    let bytes = count_resident_bytes()?;
    COUNTED.set(Some((now, bytes)));
    Some(bytes)
}

/// From `/proc`.
fn count_resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Told from time to time how far the search is.
pub trait Progress {
    fn tick(&mut self, status: &Pace);

    /// A new part of the search begins.
    fn begin(&mut self, _what: &str) {}

    /// Whether it is time to put aside what was done so far.
    fn wants_to_keep(&self) -> bool {
        false
    }

    /// Puts it aside. Workers wait meanwhile.
    fn keep(&mut self, _so_far: &Paused<'_>) {}
}

impl Progress for () {
    fn tick(&mut self, _status: &Pace) {}
}

/// How far a round is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pace {
    pub executions: u64,
    pub findings: usize,
    /// How much of this round is done, from 0 to 1, as far as can be told: of what is left of a task, the part that is
    /// tried last is taken for half of it, the one before for half of the rest, and so on, as where each choice has two
    /// alternatives (after Knuth, Estimating the efficiency of backtrack programs, 1975).
    pub done: f64,
}
