//! What tells a race apart: places and kinds of its accesses, as reports have them.

use concurrency::AccessKind;
use explore::{FindingKey, Position};
use report::Finding;
use std::collections::BTreeSet;
use synth::plan::Candidate;

/// A race, whoever found it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Race(Vec<Side>);

type Side = (String, u32, u32, report::AccessKind);

impl Race {
    fn of(sides: impl Iterator<Item = Side>) -> Self {
        let mut sides: Vec<Side> = sides.collect();
        sides.sort();
        Race(sides)
    }

    /// The race of a report.
    pub(crate) fn reported(finding: &Finding) -> Self {
        Race::of(finding.accesses.iter().map(|access| {
            let location = &access.location;
            (location.file.clone(), location.line, location.column, access.access)
        }))
    }

    /// The race that two accesses may be.
    pub(super) fn candidate(candidate: &Candidate) -> Self {
        Race::of(candidate.sides.iter().map(|(position, kind)| side(position, *kind)))
    }

    /// The race that a search has found, if it is one.
    pub(super) fn found(key: &FindingKey) -> Option<Self> {
        match key {
            FindingKey::Race(sides) => Some(Race::of(sides.iter().map(|(position, kind, _)| side(position, *kind)))),
            FindingKey::GpuRace(..) | FindingKey::Fault(..) | FindingKey::Deadlock(_) => None,
        }
    }

    /// What its accesses are.
    pub(super) fn kinds(&self) -> impl Iterator<Item = report::AccessKind> {
        self.0.iter().map(|(.., kind)| *kind)
    }

    /// The files that its accesses lie in.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(file, ..)| file.as_str()).collect()
    }
}

fn side(position: &Position, kind: AccessKind) -> Side {
    let kind = match kind {
        AccessKind::Read => report::AccessKind::Read,
        AccessKind::Write => report::AccessKind::Write,
        AccessKind::ReadWrite => report::AccessKind::ReadWrite,
        AccessKind::Free => report::AccessKind::Free,
    };
    (position.file.clone(), position.line, position.column, kind)
}
