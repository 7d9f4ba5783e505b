//! What a run found out about what threads call together, kept for the next run.
//!
//! It is kept by all that it depends on: the part of the program that the threads can come to, what they call, within which
//! bounds, and which build of raddle looked. Only what is over is kept: what ran out of time might have come to something
//! else. What was found is kept as a concrete run, and is replayed before anything is said of it.

use super::confirming::Confirmation;
use crate::sealed::{UNKNOWN_BUILD, build};
use ::clients::{ClientOptions, Reached, Wanted};
use explore::{Exploration, Narrowed, Origin, Position, Spent};
use ir::FuncId;
use machine::{Ledger, LossKind, Program, SourceLine};
use report::TreeLocation;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use store::{Content, Key, Moved, Store};
use summary::UnitSummary;

/// Where results are kept, and under what name those of one entry of the matrix.
pub(super) struct Named {
    key: Key,
    places: Vec<SourceLine>,
}

impl Named {
    /// The name of what is found out from an origin on; none of a whole program.
    pub(super) fn of(narrowed: &Narrowed) -> Option<Self> {
        let Origin::Library { program, threads, options } = &narrowed.origin else { return None };
        let Content { hash, places } = Content::of(program);
        // All that stands in them decides what is found, so all is part of the name.
        let key = Key::default().and(build()).and("together").and(hash).and_data(&(threads, options));
        Some(Named { key, places })
    }
}

impl Named {
    /// The name of what is found out about a whole program, asked this.
    pub(super) fn of_program(program: &Program, asked: &impl Serialize) -> Self {
        let Content { hash, places } = Content::of(program);
        Named { key: Key::default().and(build()).and("program").and(hash).and_data(asked), places }
    }

    /// The name of what a function does by itself, asked this.
    pub(super) fn of_tree(program: &Program, asked: &impl Serialize) -> Self {
        let Content { hash, places } = Content::of(program);
        Named { key: Key::default().and(build()).and("tree").and(hash).and_data(asked), places }
    }

    /// Whether the same is found out of both.
    pub(super) fn is(&self, other: &Named) -> bool {
        self.key.is(&other.key)
    }
}

/// What was found out.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    /// Where the program stood in its files.
    places: Cow<'a, [SourceLine]>,
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
        explored.first_alone = explored.first_alone.moved(|place| moved.code(place))?;
        explored.ledger = explored.ledger.moved(|place| moved.code(place))?;
        ledger = ledger.moved(|place| moved.code(place))?;
        if let Some(guided) = &mut explored.guided {
            *guided = guided.moved(|position| now(&moved, position))?;
        }
        for finding in &mut confirmed {
            finding.key = finding.key.moved(|position| now(&moved, position))?;
            if let Some(order) = &mut finding.out_of_turn {
                order.fails = order.fails.moved(|position| now(&moved, position))?;
            }
        }
    }
    // What that took, this run did not take.
    let Spent { assumed, came, .. } = std::mem::take(&mut explored.spent);
    explored.spent = Spent { assumed, came, ..Spent::default() };
    Some(Reused { explored, ledger, confirmed })
}

fn now(moved: &Moved, before: &Position) -> Option<Position> {
    if before.file.is_empty() {
        return Some(before.clone());
    }
    let place = moved.place(&SourceLine { file: before.file.clone(), line: before.line })?;
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
            LossKind::Time
                | LossKind::Memory
                | LossKind::Interrupted
                | LossKind::Apart
                | LossKind::SolverUnknown
                | LossKind::NotReplayed
                | LossKind::Fault
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

/// What a function does, and where the program stood in its files.
#[derive(Serialize, Deserialize)]
struct StoredTree<'a> {
    places: Cow<'a, [SourceLine]>,
    unit: Cow<'a, UnitSummary>,
}

/// What is known of a function already.
pub(super) fn tree(store: &mut Store, named: &Named) -> Option<UnitSummary> {
    let StoredTree { places, unit } = serde_json::from_slice(&store.get(&named.key)?).ok()?;
    let moved = Moved::between(&places, &named.places)?;
    let place = |before: &TreeLocation| {
        let TreeLocation { file, line, column } = before;
        if *line == 0 {
            return Some(before.clone());
        }
        let place = moved.place(&SourceLine { file: file.clone(), line: *line })?;
        Some(TreeLocation { file: place.file.clone(), line: place.line, column: *column })
    };
    unit.into_owned().moved(place, |place| moved.code(place))
}

/// Keeps what a function does, all of it.
pub(super) fn keep_tree(store: &mut Store, named: &Named, unit: &UnitSummary) {
    let stored = StoredTree { places: Cow::Borrowed(&named.places), unit: Cow::Borrowed(unit) };
    // Not as other results are kept: its fields may be left out.
    if let Ok(bytes) = serde_json::to_vec(&stored) {
        store.put(&named.key, &bytes);
    }
}

/// Under what name what comes of looking for clients is kept: all code counts, for clients call what they like. By race.
pub(super) fn of_clients(program: &Program, public: &[FuncId], options: ClientOptions, wanted: &[Wanted]) -> Vec<Key> {
    let module = &program.module;
    let mut places: FxHashMap<(&str, u32, u32), usize> = FxHashMap::default();
    for (index, location) in module.locations.iter().enumerate() {
        places.entry((&module[location.file].path, location.line, location.column)).or_insert(index);
    }
    let base = Key::default().and(build()).and("client").and(Content::of(program).hash).and_data(&(public, options));
    let key = |race: &Wanted| {
        let Wanted { operations, key, sites, example } = race;
        // Wherever it stands.
        let key = key.moved(|position| {
            let place = places.get(&(position.file.as_str(), position.line, position.column)).copied();
            Some(Position { file: String::new(), line: place.unwrap_or(usize::MAX) as u32, column: 0 })
        });
        base.clone().and_data(&(operations, key, sites, example))
    };
    wanted.iter().map(key).collect()
}

/// What came of looking for a client.
pub(super) fn client(store: &mut Store, key: &Key) -> Option<Reached> {
    postcard::from_bytes(&store.get(key)?).ok()
}

/// Keeps what came of looking for a client, which was not cut short.
pub(super) fn keep_client(store: &mut Store, key: &Key, reached: &Reached) {
    if let Ok(bytes) = postcard::to_stdvec(reached) {
        store.put(key, &bytes);
    }
}

/// Whether what a build knows of a program can be kept: it has to know itself.
pub(super) fn open(directory: &std::path::Path) -> Option<Store> {
    (build() != UNKNOWN_BUILD).then(|| Store::open(directory, build()))
}
