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

/// Two operations, or one with itself, run together.
///
/// Invariant: `must` is a subset of `may`. The readings differ where the depth bounds the longest simple path or the
/// distance; whether a global pointer counts as an object of the chain; whether a schedule that ends in a fault
/// completes; whether freeing a locked node is a fault; and whether a lock operation and a `free` race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairResult {
    pub first: usize,
    pub second: usize,
    pub must: BTreeSet<Race>,
    pub may: BTreeSet<Race>,
    /// Heaps with integers on which the pair was run for `must` and for `may`.
    pub must_cases: u64,
    pub may_cases: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    pub operations: Vec<OperationResult>,
    /// Each unordered pair once, in order.
    pub pairs: Vec<PairResult>,
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
    /// Compares the races reported for one entry of [`Expectation::pairs`].
    pub fn check(&self, pair: &PairResult, reported: &BTreeSet<Race>) -> Result<(), Mismatch> {
        let tolerant = |site: Site| {
            let access = if self.lock_lines.contains(&site.line) { AccessKind::Sync } else { site.access };
            Site { access, ..site }
        };
        let missing: BTreeSet<Race> = pair.must.difference(reported).copied().collect();
        let unexpected: BTreeSet<Race> = reported
            .iter()
            .filter(|race| !pair.may.contains(&Race::new(tolerant(race.first()), tolerant(race.second()))))
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
        for pair in &self.pairs {
            writeln!(f, "op{} with op{}: {} to {} cases", pair.first, pair.second, pair.must_cases, pair.may_cases)?;
            for race in &pair.may {
                let certainty = if pair.must.contains(race) { "must" } else { "may" };
                writeln!(f, "  {certainty} race {race}")?;
            }
        }
        Ok(())
    }
}
