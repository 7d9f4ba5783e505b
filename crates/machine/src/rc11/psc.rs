//! The order of what is `seq_cst`: RC11's `psc` has no cycle (Lahav et al. 2017, section 4).

use super::{Atomic, Event, Outcome, What, Write};
use concurrency::{Place, VectorClock};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

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

    fn of(size: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut relation = Relation::none(size);
        for (a, b) in (0..size).flat_map(|a| (0..size).map(move |b| (a, b))) {
            if holds(a, b) {
                relation.row_mut(a)[b / 64] |= 1 << (b % 64);
            }
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

    /// One behind the other.
    fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::none(self.size);
        for (a, b) in (0..self.size).flat_map(|a| (0..self.size).map(move |b| (a, b))) {
            if self.has(a, b) {
                result.row_mut(a).iter_mut().zip(other.row(b)).for_each(|(word, more)| *word |= more);
            }
        }
        result
    }

    /// Any number of times, but once at least (Warshall 1962).
    fn closure(mut self) -> Relation {
        for b in 0..self.size {
            let through: SmallVec<[u64; 4]> = self.row(b).into();
            for a in 0..self.size {
                if self.has(a, b) {
                    self.row_mut(a).iter_mut().zip(&through).for_each(|(word, more)| *word |= more);
                }
            }
        }
        self
    }

    fn is_acyclic(&self) -> bool {
        let closed = self.clone().closure();
        (0..closed.size).all(|a| !closed.has(a, a))
    }
}

fn words(size: usize) -> usize {
    size.div_ceil(64)
}

/// Whether `psc` has no cycle if the last event comes out in a way: `all` writes to its place in their order, and where it stands among them.
pub(super) fn allows(
    events: &[Rc<Event>],
    atomic: &Atomic,
    (outcome, behind): (Outcome, Write),
    all: &[Write],
) -> bool {
    let last = events.len() - 1;
    let is_atomic = |a: usize| a == last && atomic.is_seq_cst || events[a].atomic().is_some_and(|x| x.is_seq_cst);
    let is_fence = |a: usize| events[a].what == What::Fence { is_seq_cst: true };
    if (0..=last).filter(|&a| is_atomic(a) || is_fence(a)).count() < 2 {
        return true;
    }
    let size = events.len();
    let place = |a: usize| if a == last { Some(atomic.place) } else { events[a].atomic().map(|x| x.place) };
    let writes = |a: usize| match a == last {
        true => outcome != Outcome::Reads,
        false => events[a].atomic().is_some_and(|x| x.writes.is_some()),
    };
    let reads = |a: usize| match a == last {
        true => outcome != Outcome::Writes,
        false => events[a].atomic().is_some_and(|x| x.reads),
    };
    let source = |a: usize| match (&events[a].what, a == last) {
        (_, true) => behind,
        (What::Atomic { source, .. }, _) => *source,
        _ => None,
    };
    // Where a write stands in the order of its place. The last event stands between two others.
    let rank_of = |write: Write, of: Place| -> f64 {
        match write {
            None => -1.0,
            Some(a) if a == last => all.iter().position(|w| *w == behind).unwrap_or(0) as f64 - 0.5,
            Some(a) if of == atomic.place => all.iter().position(|w| *w == Some(a)).unwrap_or(0) as f64 - 1.0,
            Some(a) => a as f64,
        }
    };
    let places: Vec<Option<Place>> = (0..size).map(place).collect();
    let place = |a: usize| places[a];
    let ranks: Vec<f64> = (0..size).map(|a| place(a).map_or(0.0, |of| rank_of(Some(a), of))).collect();
    let seen: Vec<f64> = (0..size).map(|a| place(a).map_or(0.0, |of| rank_of(source(a), of))).collect();
    let same_place = |a: usize, b: usize| place(a).is_some() && place(a) == place(b);
    let sb = Relation::of(size, |a, b| events[a].thread == events[b].thread && a < b);
    // A lock acquires after it began: what comes behind it in its thread knows.
    let known: Vec<&VectorClock> = (0..size)
        .map(|b| {
            let next = || events[b + 1..].iter().find(|event| event.thread == events[b].thread);
            match events[b].what {
                _ if b == last => &events[b].before,
                What::Other => next().map_or(&events[b].after, |next| &next.before),
                _ => &events[b].after,
            }
        })
        .collect();
    let hb = Relation::of(size, |a, b| match events[a].thread == events[b].thread {
        true => a < b,
        false => events[a].is_known_to(known[b]),
    });
    let writes: Vec<bool> = (0..size).map(writes).collect();
    let reads: Vec<bool> = (0..size).map(reads).collect();
    let mo = Relation::of(size, |a, b| writes[a] && writes[b] && ranks[a] < ranks[b] && same_place(a, b));
    let fr = Relation::of(size, |a, b| reads[a] && writes[b] && a != b && seen[a] < ranks[b] && same_place(a, b));
    let rf = Relation::of(size, |a, b| writes[a] && reads[b] && a != b && source(b) == Some(a) && same_place(a, b));
    let eco = rf.with(&mo).with(&fr).closure();
    let elsewhere = Relation::of(size, |a, b| sb.has(a, b) && !same_place(a, b));
    let here = Relation::of(size, |a, b| hb.has(a, b) && same_place(a, b));
    let scb = sb.clone().with(&elsewhere.then(&hb).then(&elsewhere)).with(&here).with(&mo).with(&fr);
    let fences = Relation::of(size, |a, b| a == b && is_fence(a));
    let atomics = Relation::of(size, |a, b| a == b && is_atomic(a));
    let same = Relation::of(size, |a, b| a == b);
    let perhaps = hb.clone().with(&same);
    let from = atomics.clone().with(&fences.then(&perhaps));
    let to = atomics.with(&perhaps.then(&fences));
    let base = from.then(&scb).then(&to);
    let between_fences = fences.then(&hb.clone().with(&hb.then(&eco).then(&hb))).then(&fences);
    base.with(&between_fences).is_acyclic()
}
