//! The order of what is `seq_cst`: RC11's `psc` has no cycle (Lahav et al. 2017, section 4).

use super::{Atomic, Event, Outcome, What, Write, count};
use concurrency::{Place, VectorClock};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// A set of events: a bit for each.
type Set = SmallVec<[u64; 2]>;

fn words(size: usize) -> usize {
    size.div_ceil(64)
}

fn set_of(size: usize, is_in: impl Fn(usize) -> bool) -> Set {
    let mut set: Set = smallvec![0; words(size)];
    (0..size).filter(|&a| is_in(a)).for_each(|a| set[a / 64] |= 1 << (a % 64));
    set
}

/// Those of a set, the first first.
fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (bit < 64).then_some(index * 64 + bit)
        })
    })
}

/// A relation between events: of each, those that it leads to.
#[derive(Clone)]
struct Relation {
    size: usize,
    /// A row of bits for each event.
    rows: SmallVec<[u64; 64]>,
}

impl Relation {
    fn none(size: usize) -> Relation {
        Relation { size, rows: smallvec![0; size * words(size)] }
    }

    /// From these events to those of which it holds.
    fn of(size: usize, from: &[u64], holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut relation = Relation::none(size);
        for a in members(from) {
            let row = relation.row_mut(a);
            (0..size).filter(|&b| holds(a, b)).for_each(|b| row[b / 64] |= 1 << (b % 64));
        }
        relation
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.rows[a * words(self.size)..(a + 1) * words(self.size)]
    }

    fn row_mut(&mut self, a: usize) -> &mut [u64] {
        let words = words(self.size);
        &mut self.rows[a * words..(a + 1) * words]
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.row(a)[b / 64] >> (b % 64) & 1 == 1
    }

    fn with(mut self, other: &Relation) -> Relation {
        self.rows.iter_mut().zip(&other.rows).for_each(|(word, more)| *word |= more);
        self
    }

    /// Itself, or nothing at all.
    fn perhaps(mut self) -> Relation {
        (0..self.size).for_each(|a| self.row_mut(a)[a / 64] |= 1 << (a % 64));
        self
    }

    /// What leads from these events.
    fn from(mut self, set: &[u64]) -> Relation {
        let others = (0..self.size).filter(|a| set[a / 64] >> (a % 64) & 1 == 0);
        others.for_each(|a| self.row_mut(a).fill(0));
        self
    }

    /// What leads to these events.
    fn to(mut self, set: &[u64]) -> Relation {
        for row in self.rows.chunks_mut(words(self.size)) {
            row.iter_mut().zip(set).for_each(|(word, kept)| *word &= kept);
        }
        self
    }

    /// One behind the other.
    fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::none(self.size);
        for a in 0..self.size {
            let row = result.row_mut(a);
            for b in members(self.row(a)) {
                row.iter_mut().zip(other.row(b)).for_each(|(word, more)| *word |= more);
            }
        }
        result
    }

    /// Any number of times, but once at least (Warshall 1962).
    fn closure(mut self) -> Relation {
        for b in 0..self.size {
            let through: Set = self.row(b).into();
            if through.iter().all(|word| *word == 0) {
                continue;
            }
            for a in 0..self.size {
                if self.has(a, b) {
                    self.row_mut(a).iter_mut().zip(&through).for_each(|(word, more)| *word |= more);
                }
            }
        }
        self
    }

    fn has_no_cycle(self) -> bool {
        let closed = self.closure();
        (0..closed.size).all(|a| !closed.has(a, a))
    }
}

/// How the last event, of which nothing is known yet, may come out.
pub(super) struct Candidate<'a> {
    pub(super) events: &'a [Rc<Event>],
    pub atomic: Atomic,
    pub outcome: Outcome,
    /// All writes to its place, the first first, and which of them it reads or comes behind.
    pub all: &'a [Write],
    pub at: usize,
}

/// What an event is for the order of what is `seq_cst`.
struct Role {
    place: Option<Place>,
    reads: bool,
    writes: bool,
    source: Write,
    is_atomic: bool,
    is_fence: bool,
    /// Where it stands in the order of writes to its place if it writes, and where that stands which it reads.
    rank: f64,
    seen: f64,
}

impl Candidate<'_> {
    fn last(&self) -> usize {
        self.events.len() - 1
    }

    /// Whether `psc` has no cycle.
    pub(super) fn is_allowed(&self) -> bool {
        !self.may_close() || self.relation().has_no_cycle()
    }

    /// Whether there is a way back at all. What was carried out has none, so a cycle leads from the last event to the first write of those that
    /// it misses, and on to something `seq_cst` (a fence, if the event is not `seq_cst` itself) that leads to the event by its thread.
    fn may_close(&self) -> bool {
        let Some(missed) = self.all.get(self.at + 1).copied().flatten().map(|index| &self.events[index]) else {
            return true;
        };
        let led = &self.events[self.last()].led;
        self.events[..self.last()].iter().any(|event| {
            let is_seq_cst = match &event.what {
                What::Fence { is_seq_cst } => *is_seq_cst,
                What::Atomic { atomic, .. } => atomic.is_seq_cst && self.atomic.is_seq_cst,
                What::Other => false,
            };
            is_seq_cst && count(led, event.thread) >= event.number && count(&event.past, missed.thread) >= missed.number
        })
    }

    fn role(&self, index: usize) -> Role {
        let (behind, last) = (self.all[self.at], self.last());
        let (atomic, source) = match &self.events[index].what {
            _ if index == last => (Some(&self.atomic), behind),
            What::Atomic { atomic, source } => (Some(atomic), *source),
            _ => (None, None),
        };
        let is_last = index == last;
        // Where a write stands in the order of its place. The last event stands between two others.
        let rank = |write: Write| match write {
            Some(a) if is_last && a == last => self.at as f64 + 0.5,
            write if atomic.is_some_and(|atomic| atomic.place == self.atomic.place) => {
                self.all.iter().position(|other| *other == write).unwrap_or(0) as f64
            }
            write => write.map_or(-1.0, |a| a as f64),
        };
        Role {
            place: atomic.map(|atomic| atomic.place),
            reads: atomic.is_some_and(|x| if is_last { self.outcome != Outcome::Writes } else { x.reads }),
            writes: atomic.is_some_and(|x| if is_last { self.outcome != Outcome::Reads } else { x.writes.is_some() }),
            source,
            is_atomic: atomic.is_some_and(|atomic| atomic.is_seq_cst),
            is_fence: self.events[index].what == What::Fence { is_seq_cst: true },
            rank: rank(Some(index)),
            seen: rank(source),
        }
    }

    /// What an event knows of others. A lock acquires after it began: what comes behind it in its thread knows.
    fn known(&self, index: usize) -> &VectorClock {
        let event = &self.events[index];
        let next = || self.events[index + 1..].iter().find(|other| other.thread == event.thread);
        match event.what {
            _ if index == self.last() => &event.before,
            What::Other => next().map_or(&event.after, |next| &next.before),
            _ => &event.after,
        }
    }

    /// `psc` (section 4): of atomic operations, and of fences.
    fn relation(&self) -> Relation {
        let (events, size) = (self.events, self.events.len());
        let roles: SmallVec<[Role; 32]> = (0..size).map(|index| self.role(index)).collect();
        let known: SmallVec<[&VectorClock; 32]> = (0..size).map(|index| self.known(index)).collect();
        let same_place = |a: usize, b: usize| roles[a].place.is_some() && roles[a].place == roles[b].place;
        let every = set_of(size, |_| true);
        let (reads, writes) = (set_of(size, |a| roles[a].reads), set_of(size, |a| roles[a].writes));
        let sb = Relation::of(size, &every, |a, b| a < b && events[a].thread == events[b].thread);
        let hb = Relation::of(size, &every, |a, b| match events[a].thread == events[b].thread {
            true => a < b,
            false => events[a].is_known_to(known[b]),
        });
        let mo =
            Relation::of(size, &writes, |a, b| roles[b].writes && same_place(a, b) && roles[a].rank < roles[b].rank);
        let fr = Relation::of(size, &reads, |a, b| {
            roles[b].writes && a != b && same_place(a, b) && roles[a].seen < roles[b].rank
        });
        let elsewhere = Relation::of(size, &every, |a, b| sb.has(a, b) && !same_place(a, b));
        let here = Relation::of(size, &every, |a, b| same_place(a, b) && hb.has(a, b));
        let scb = sb.with(&elsewhere.then(&hb).then(&elsewhere)).with(&here).with(&mo).with(&fr);
        let atomics = set_of(size, |a| roles[a].is_atomic);
        let fences = set_of(size, |a| roles[a].is_fence);
        if fences.iter().all(|word| *word == 0) {
            return scb.from(&atomics).to(&atomics);
        }
        let rf = Relation::of(size, &writes, |a, b| roles[b].source == Some(a) && roles[b].reads && same_place(a, b));
        let eco = rf.with(&mo).with(&fr).closure();
        let itself = Relation::none(size).perhaps();
        let perhaps = hb.clone().perhaps();
        let from = itself.clone().from(&atomics).with(&perhaps.clone().from(&fences));
        let to = itself.to(&atomics).with(&perhaps.to(&fences));
        let between_fences = hb.clone().with(&hb.then(&eco).then(&hb)).from(&fences).to(&fences);
        from.then(&scb).then(&to).with(&between_fences)
    }
}
