//! What was found, and when two findings are the same.

pub(crate) mod deadlock;
pub(crate) mod guarded;
pub(crate) mod hang;
pub(crate) mod partial;
pub(crate) mod replay;
pub(crate) mod waiting;

use crate::run::prefix::{InitialPrefixes, Prefix};
use crate::{Blocked, Waiting};
use concurrency::{AccessKind, Side, Site};
use ir::LocId;
use machine::{Fault, FaultKind, GpuRace, Program, Sighting, State};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A source position, as findings are told apart by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Position {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Position {
    pub fn of(program: &Program, location: Option<LocId>) -> Self {
        match location {
            Some(location) => {
                let location = &program.module[location];
                let file = program.module[location.file].path.clone();
                Position { file, line: location.line, column: location.column }
            }
            None => Position { file: String::new(), line: 0, column: 0 },
        }
    }

    pub fn of_site(program: &Program, site: Site) -> Self {
        Position::of(program, program.site_location(site))
    }
}

/// What is wrong, with what shows it.
#[derive(Clone, Debug)]
pub enum FindingKind {
    Race(Sighting),
    Fault(Fault),
    Deadlock(Vec<Blocked>),
}

/// Something wrong, with the state that shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// The state right after; its trace leads there.
    pub state: State,
    /// A run to its end on the same heaps, where what is met behind the finding is part of the heap as well.
    pub whole: Option<State>,
    /// The sites that were visible: the trace's steps are actions at these.
    pub visible: Arc<FxHashSet<Site>>,
}

/// Something wrong, and the way to a state that shows it ([`Found::show`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    pub key: FindingKey,
    /// A deadlock in which a thread waits to be told something, as it may do for good.
    pub(crate) waits_for_signal: bool,
    /// A deadlock for locks that are kept for good by calls that otherwise give them back: no heap excuses that.
    #[serde(default)]
    pub(crate) keeps_locks: bool,
    pub(crate) leaves: InitialPrefixes,
    pub(crate) prefix: Prefix,
    /// How many sites were visible: the first of [`crate::Exploration::sites`].
    pub(crate) visible: usize,
    /// Threads ran only when they were scheduled.
    pub(crate) bounded: bool,
    /// A thread fails or spins there, so that it may not be possible to follow it natively.
    pub(crate) stuck: bool,
    /// The sites of a race that shows there only because critical sections are not ordered that come to the same in either
    /// order ([`machine::State::closed_block`]): it shows as such where one of them is left out.
    pub(crate) unordered: Option<[Site; 2]>,
    /// A race with the end of a variable: where the other access also comes after the end, that is the finding.
    #[serde(default)]
    pub(crate) with_end: bool,
    /// The function without a body and a model that it may depend on ([`machine::Engine::depends_on`]).
    pub depends_on: Option<String>,
    /// Its calls are ones that callers have to order.
    pub out_of_turn: Option<OutOfTurn>,
}

/// Of two calls, the one that fails wherever it is made after the other, with the heap and the inputs of a finding. No lock of
/// the library could keep them in order, so callers have to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutOfTurn {
    /// By index among what the threads call.
    pub first: usize,
    pub then: usize,
    /// What is wrong with the second.
    pub fails: FindingKey,
    /// The first one ends what the second is passed.
    pub ends: bool,
}

impl Found {
    /// In a whole program, at a state.
    pub(crate) fn of_program(key: FindingKey, state: &State, visible: usize) -> Self {
        Found {
            key,
            waits_for_signal: false,
            keeps_locks: false,
            leaves: InitialPrefixes::default(),
            prefix: crate::run::prefix::prefix_of(state),
            visible,
            bounded: false,
            stuck: state.is_stuck(),
            unordered: None,
            with_end: false,
            depends_on: None,
            out_of_turn: None,
        }
    }

    /// It was seen where critical sections are not ordered that come to the same in either order. Another race may be all that
    /// made it: whether it is one shows when it is gone to.
    pub fn rests_on_unordered_blocks(&self) -> bool {
        self.unordered.is_some()
    }

    /// Which client's calls it shows after, by number, if its initial state is one that clients build.
    pub fn client(&self) -> Option<usize> {
        self.leaves.first().and_then(|leaf| leaf.to_client().ok())
    }

    /// Of equal ones, those with less of it are preferred.
    pub(crate) fn difficulty(&self) -> Difficulty {
        (self.depends_on.is_some(), self.out_of_turn.is_some(), self.unordered.is_some(), self.stuck)
    }

    /// Takes another's way to the same finding if that one depends on no unknown function, or is one that careful callers go.
    pub(crate) fn rest_on_less(&mut self, other: &Found) {
        let rests = |found: &Found| (found.depends_on.is_some(), found.out_of_turn.is_some());
        if rests(other) < rests(self) {
            self.clone_from(other);
        }
    }
}

/// What a finding is shown by may prove less, and be harder to follow natively.
pub(crate) type Difficulty = (bool, bool, bool, bool);

/// The identity of a finding: a race is an unordered pair of positions and kinds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FindingKey {
    Race([(Position, AccessKind, bool); 2]),
    /// One between threads of a launch.
    GpuRace(GpuRace, [(Position, AccessKind, bool); 2]),
    Fault(FaultKind, Position),
    Deadlock(Vec<Position>),
}

impl Finding {
    pub fn key(&self, program: &Program) -> FindingKey {
        self.kind.key(program)
    }
}

impl FindingKind {
    /// What tells this finding apart from others.
    pub fn key(&self, program: &Program) -> FindingKey {
        key_of(self, program)
    }
}

impl FindingKey {
    /// That of a race as it was seen.
    fn sighted(program: &Program, race: &Sighting) -> Self {
        match (FindingKey::race(program, race.earlier.side(), race.later.side()), race.gpu) {
            (FindingKey::Race(sides), Some(gpu)) => FindingKey::GpuRace(gpu, sides),
            (key, _) => key,
        }
    }

    /// Of a race, its sides.
    pub fn sides(&self) -> Option<&[(Position, AccessKind, bool); 2]> {
        match self {
            FindingKey::Race(sides) | FindingKey::GpuRace(_, sides) => Some(sides),
            FindingKey::Fault(..) | FindingKey::Deadlock(_) => None,
        }
    }

    /// That of a failure.
    pub(crate) fn fault(program: &Program, fault: &Fault) -> Self {
        FindingKey::Fault(fault.kind, Position::of(program, fault.backtrace.position()))
    }

    /// That of a race between two accesses.
    pub(crate) fn race(program: &Program, x: Side, y: Side) -> Self {
        let mut sides = [x, y].map(|(site, kind, atomic)| (Position::of_site(program, site), kind, atomic));
        sides.sort();
        FindingKey::Race(sides)
    }

    /// The same with its positions elsewhere; none where one is nowhere.
    pub fn moved(&self, mut to: impl FnMut(&Position) -> Option<Position>) -> Option<FindingKey> {
        Some(match self {
            FindingKey::Race([(x, kind_x, atomic_x), (y, kind_y, atomic_y)]) => {
                let mut sides = [(to(x)?, *kind_x, *atomic_x), (to(y)?, *kind_y, *atomic_y)];
                sides.sort();
                FindingKey::Race(sides)
            }
            FindingKey::GpuRace(race, [(x, kind_x, atomic_x), (y, kind_y, atomic_y)]) => {
                let mut sides = [(to(x)?, *kind_x, *atomic_x), (to(y)?, *kind_y, *atomic_y)];
                sides.sort();
                FindingKey::GpuRace(*race, sides)
            }
            FindingKey::Fault(kind, position) => FindingKey::Fault(*kind, to(position)?),
            FindingKey::Deadlock(positions) => {
                let mut positions: Vec<Position> = positions.iter().map(to).collect::<Option<_>>()?;
                positions.sort();
                positions.dedup();
                FindingKey::Deadlock(positions)
            }
        })
    }

    /// What it is and where, in one line.
    pub fn in_words(&self) -> String {
        let kind = match self {
            FindingKey::GpuRace(GpuRace { scope_error: true, .. }, _) => "scope error",
            FindingKey::Race(_) | FindingKey::GpuRace(..) => "data race",
            FindingKey::Fault(kind, _) => kind.name(),
            FindingKey::Deadlock(_) => "deadlock",
        };
        format!("{}: {}", kind.replace('_', " "), self.place())
    }

    /// Where it is, for notes.
    pub fn place(&self) -> String {
        let text = |p: &Position| format!("{}:{}", p.file, p.line);
        match self {
            FindingKey::Race(sides) | FindingKey::GpuRace(_, sides) => {
                format!("{} and {}", text(&sides[0].0), text(&sides[1].0))
            }
            FindingKey::Fault(_, position) => text(position),
            FindingKey::Deadlock(positions) => positions.first().map(text).unwrap_or_default(),
        }
    }
}

fn key_of(kind: &FindingKind, program: &Program) -> FindingKey {
    match kind {
        FindingKind::Race(sighting) => FindingKey::sighted(program, sighting),
        FindingKind::Fault(fault) => FindingKey::fault(program, fault),
        FindingKind::Deadlock(blocked) => {
            // Who only waits for another thread's end is stuck because of others, who tell this deadlock from others.
            let joins = |b: &&Blocked| matches!(b.waits_for, Waiting::Thread(_));
            let all_join = blocked.iter().all(|b| joins(&b));
            let mut positions: Vec<Position> = blocked
                .iter()
                .filter(|b| all_join || !joins(b))
                .map(|b| Position::of(program, b.backtrace.position()))
                .collect();
            positions.sort();
            positions.dedup();
            FindingKey::Deadlock(positions)
        }
    }
}
