//! What the oracle found out about a library.

use std::collections::BTreeSet;
use std::fmt;

use crate::finding::{AccessKind, Race, Site};

/// How many initial heaps satisfy an operation's precondition, and how many do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Structures of pointers, up to isomorphism, on which some integers are within the precondition.
    pub shapes_kept: u64,
    /// Structures on which none are.
    pub shapes_dropped: u64,
    /// Structures with integers, up to renaming of integers that are no constants.
    pub cases_kept: u64,
    pub cases_dropped: u64,
}

/// What is run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub threads: usize,
    /// The most that one thread makes, one after the other.
    pub calls: usize,
    /// Globals hold what they are initialised with: no node, no function, no number but zero.
    pub globals_initial: bool,
    /// The most preemptions with which races are looked for. That all can come to their ends is up to any schedule.
    pub preemptions: Option<u32>,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { threads: 2, calls: 1, globals_initial: false, preemptions: None }
    }
}

/// One operation run alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationResult {
    /// Over the heaps that are within the depth in every reading.
    pub must: Counts,
    /// Over those within it in some reading.
    pub may: Counts,
}

impl OperationResult {
    /// No heap survives in any reading: nothing can be said about the operation.
    pub fn is_vacuous(&self) -> bool {
        self.may.cases_kept == 0
    }
}

/// Threads that call operations, one after the other, run together.
///
/// Invariant: `must` is a subset of `may`. The readings differ where the depth bounds the longest simple path or the
/// distance; whether a global pointer counts as an object of the chain; whether a schedule that ends in a fault
/// completes; whether freeing a locked node is a fault; whether a lock operation and a `free` race; and whether an atomic
/// access that reads a plain store synchronises with what was before that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryResult {
    /// The operations that each thread calls.
    pub threads: Vec<Vec<usize>>,
    pub must: BTreeSet<Race>,
    pub may: BTreeSet<Race>,
    /// Of `must`, those of two calls that fail in neither order, one after the other, on some heap where they race.
    pub in_turn: BTreeSet<Race>,
    /// Heaps with integers on which they were run for `must` and for `may`.
    pub must_cases: u64,
    pub may_cases: u64,
}

impl EntryResult {
    pub(super) fn of(threads: Vec<Vec<usize>>) -> EntryResult {
        EntryResult { threads, ..EntryResult::default() }
    }

    /// `op0; op1 with op0`.
    pub fn name(&self) -> String {
        let calls = |calls: &Vec<usize>| calls.iter().map(|index| format!("op{index}")).collect::<Vec<_>>().join("; ");
        self.threads.iter().map(calls).collect::<Vec<_>>().join(" with ")
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    pub operations: Vec<OperationResult>,
    /// Each multiset of sequences once, in order.
    pub entries: Vec<EntryResult>,
    /// Some call may wait, and some does, for a lock that nobody gives back: its own, or that of a call that has returned.
    pub may_keep_locks: bool,
    /// One waits for that of a call that has returned, on a heap that is within the depth in every reading, and all operations that were
    /// called give locks back on some of their ways.
    pub must_keep_locks: bool,
    /// Lines that lock, unlock or initialise a lock. A race there is compared whatever kind it is reported as.
    pub lock_lines: BTreeSet<u32>,
}

/// Where a report leaves the bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub missing: BTreeSet<Race>,
    pub unexpected: BTreeSet<Race>,
}

impl Expectation {
    /// Compares the races reported for one of [`Expectation::entries`].
    pub fn check(&self, entry: &EntryResult, reported: &BTreeSet<Race>) -> Result<(), Mismatch> {
        let tolerant = |site: Site| {
            let access = if self.lock_lines.contains(&site.line) { AccessKind::Sync } else { site.access };
            Site { access, ..site }
        };
        let missing: BTreeSet<Race> = entry.must.difference(reported).copied().collect();
        let unexpected: BTreeSet<Race> = reported
            .iter()
            .filter(|race| !entry.may.contains(&Race::new(tolerant(race.first()), tolerant(race.second()))))
            .copied()
            .collect();
        if missing.is_empty() && unexpected.is_empty() { Ok(()) } else { Err(Mismatch { missing, unexpected }) }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for race in &self.missing {
            writeln!(f, "missing {race}")?;
        }
        for race in &self.unexpected {
            writeln!(f, "unexpected {race}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, OperationResult { must, may }) in self.operations.iter().enumerate() {
            writeln!(
                f,
                "op{index}: keeps {} of {} shapes, at most {} of {}",
                must.shapes_kept,
                must.shapes_kept + must.shapes_dropped,
                may.shapes_kept,
                may.shapes_kept + may.shapes_dropped
            )?;
        }
        for entry in &self.entries {
            writeln!(f, "{}: {} to {} cases", entry.name(), entry.must_cases, entry.may_cases)?;
            for race in &entry.may {
                let certainty = if entry.must.contains(race) { "must" } else { "may" };
                writeln!(f, "  {certainty} race {race}")?;
            }
        }
        Ok(())
    }
}
