//! What a run found out about what threads call together, kept for the next run.
//!
//! It is kept by all that it depends on: the part of the program that the threads can come to, what they call, within which
//! bounds, and which build of raddle looked. Only what is over is kept: what ran out of time might have come to something
//! else. What was found is kept as a concrete run, and is replayed before anything is said of it.

use super::session::Confirmation;
use crate::unfinished::build;
use explore::{Exploration, Narrowed, Origin, Position, Spent};
use machine::{Ledger, LossKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use summary::{Content, Key, Moved, Place, Store};

/// Where results are kept, and under what name those of one entry of the matrix.
pub(super) struct Named {
    key: Key,
    places: Vec<Place>,
}

impl Named {
    /// The name of what is found out from an origin on; none of a whole program.
    pub(super) fn of(narrowed: &Narrowed) -> Option<Self> {
        let Origin::Library { program, threads, options } = &narrowed.origin else { return None };
        let Content { hash, places } = Content::of(program);
        // All that stands in them decides what is found, so all is part of the name.
        let asked = format!("{threads:?} {options:?}");
        Some(Named { key: Key::default().and(build()).and("together").and(hash).and(asked), places })
    }
}

impl Named {
    /// Whether the same is found out of both.
    pub(super) fn is(&self, other: &Named) -> bool {
        self.key.is(&other.key)
    }
}

/// What was found out.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    /// Where the program stood in its files.
    places: Cow<'a, [Place]>,
    explored: Cow<'a, Exploration>,
    ledger: Cow<'a, Ledger>,
    confirmed: Cow<'a, [Confirmation]>,
}

/// What was found out before, as it is now.
pub(super) struct Reused {
    pub explored: Exploration,
    pub ledger: Ledger,
    /// To be replayed.
    pub confirmed: Vec<Confirmation>,
}

/// What is known already.
pub(super) fn reuse(store: &mut Store, named: &Named) -> Option<Reused> {
    let bytes = store.get(&named.key)?;
    let stored: Stored = postcard::from_bytes(&bytes).ok()?;
    let moved = Moved::between(&stored.places, &named.places)?;
    let (mut explored, mut ledger) = (stored.explored.into_owned(), stored.ledger.into_owned());
    let mut confirmed = stored.confirmed.into_owned();
    if !moved.is_nothing() {
        explored.first_alone = explored.first_alone.reworded(|text| moved.text(text))?;
        explored.ledger = explored.ledger.reworded(|text| moved.text(text))?;
        ledger = ledger.reworded(|text| moved.text(text))?;
        for finding in &mut confirmed {
            finding.key = finding.key.moved(|position| now(&moved, position))?;
        }
    }
    // What that took, this run did not take.
    explored.spent = Spent { assumed: explored.spent.assumed, ..Spent::default() };
    Some(Reused { explored, ledger, confirmed })
}

fn now(moved: &Moved, before: &Position) -> Option<Position> {
    if before.file.is_empty() {
        return Some(before.clone());
    }
    let place = moved.place(&Place { file: before.file.clone(), line: before.line })?;
    Some(Position { file: place.file.clone(), line: place.line, column: before.column })
}

/// Keeps what was found out, if that is all there is to find out. `confirmed`: all findings.
pub(super) fn keep(
    store: &mut Store,
    named: &Named,
    explored: &Exploration,
    ledger: &Ledger,
    confirmed: &[Confirmation],
) {
    let is_open = |kind: LossKind| {
        matches!(
            kind,
            LossKind::Time | LossKind::Memory | LossKind::Interrupted | LossKind::SolverUnknown | LossKind::NotReplayed
        )
    };
    let is_over = explored.exhausted.is_none() && explored.paused.is_none() && explored.findings.is_empty();
    if !is_over || ledger.entries().any(|(entry, _)| is_open(entry.kind)) {
        return;
    }
    let stored = Stored {
        places: Cow::Borrowed(&named.places),
        explored: Cow::Borrowed(explored),
        ledger: Cow::Borrowed(ledger),
        confirmed: Cow::Borrowed(confirmed),
    };
    if let Ok(bytes) = postcard::to_stdvec(&stored) {
        store.put(&named.key, &bytes);
    }
}

/// Whether what a build knows of a program can be kept: it has to know itself.
pub(super) fn open(directory: &std::path::Path) -> Option<Store> {
    (build() != crate::unfinished::UNKNOWN_BUILD).then(|| Store::open(directory, build()))
}
