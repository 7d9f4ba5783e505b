//! Orders of the steps of two threads in which both do what they do alone.
//!
//! How far both threads are is a point in a grid of so many steps by so many, and an order of their steps a path that goes
//! one step down or right. It changes nothing for either thread if
//!
//! - it passes no point at which they hold one lock that one of them has to itself,
//! - nobody reads what the other has written by then.
//!
//! (Stricter than necessary: a thread may have overwritten that itself.)

use concurrency::{LockMode, Place, Range, Record, excluded};
use memory::ObjId;
use std::collections::BTreeMap;

/// What a thread does between two visible actions. The first step is done by both before either goes on.
#[derive(Clone, Debug)]
pub(super) struct GridStep {
    /// Of objects that both threads may know.
    pub accesses: Vec<(Record, Range)>,
    /// The locks that the thread holds behind it.
    pub held: Vec<(Place, LockMode)>,
}

/// An access, for what comes of it.
#[derive(Clone, Copy, Debug)]
struct Touch {
    step: usize,
    range: Range,
    reads: bool,
    writes: bool,
}

impl Touch {
    fn new(step: usize, &(record, range): &(Record, Range)) -> Self {
        let writes = record.kind.writes();
        // What is atomic and writes may read as well.
        Touch { step, range, reads: !writes || record.atomic, writes }
    }
}

/// When a step can be taken: where the other thread is behind these of its own.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: usize,
    last: usize,
}

pub(super) struct Grid<'s> {
    steps: [&'s [GridStep]; 2],
    touched: [BTreeMap<ObjId, Vec<Touch>>; 2],
}

impl<'s> Grid<'s> {
    pub(super) fn new(steps: [&'s [GridStep]; 2]) -> Self {
        let touched = steps.map(|steps| {
            let mut all: BTreeMap<ObjId, Vec<Touch>> = BTreeMap::new();
            for (index, step) in steps.iter().enumerate() {
                for access in &step.accesses {
                    all.entry(access.1.object).or_default().push(Touch::new(index, access));
                }
            }
            all
        });
        Grid { steps, touched }
    }

    /// The sides that go on, one after the other, until each is behind its target step; none if there is no such order.
    pub(super) fn path(&self, target: [usize; 2]) -> Option<Vec<usize>> {
        let windows = [0, 1].map(|side| -> Vec<Window> {
            (0..=target[side]).map(|step| self.window(side, step, target[1 - side])).collect()
        });
        let [rows, columns] = target.map(|last| last + 1);
        // Who went on to come to each point, row by row.
        let mut came: Vec<Option<usize>> = vec![None; rows * columns];
        for i in 0..rows {
            for j in 0..columns {
                if excluded(&self.steps[0][i].held, &self.steps[1][j].held) {
                    continue;
                }
                let can = |side: usize, step: usize, other: usize| {
                    let Window { first, last } = windows[side][step];
                    (first..=last).contains(&other)
                };
                let reached = |i: usize, j: usize| came[i * columns + j].is_some();
                came[i * columns + j] = if (i, j) == (0, 0) || i > 0 && reached(i - 1, j) && can(0, i, j) {
                    Some(0)
                } else {
                    (j > 0 && reached(i, j - 1) && can(1, j, i)).then_some(1)
                };
            }
        }
        came.last().copied().flatten()?;
        let [mut i, mut j] = target;
        let mut path = Vec::with_capacity(i + j);
        while (i, j) != (0, 0) {
            let side = came[i * columns + j]?;
            path.push(side);
            *(if side == 0 { &mut i } else { &mut j }) -= 1;
        }
        path.reverse();
        Some(path)
    }

    /// When a thread can take a step, on the way to where the other one is behind its `last` step.
    fn window(&self, side: usize, step: usize, last: usize) -> Window {
        let mut window = Window { first: 0, last };
        for access in &self.steps[side][step].accesses {
            let mine = Touch::new(step, access);
            let Some(others) = self.touched[1 - side].get(&mine.range.object) else { continue };
            for other in others.iter().filter(|other| other.step <= last && other.range.overlaps(&mine.range)) {
                if mine.writes && other.reads {
                    window.first = window.first.max(other.step);
                }
                if mine.reads && other.writes {
                    match other.step.checked_sub(1) {
                        Some(before) => window.last = window.last.min(before),
                        // It is done before.
                        None => window.first = usize::MAX,
                    }
                }
            }
        }
        window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use concurrency::{AccessKind, Site, ThreadId};
    use proptest::prelude::*;

    fn steps() -> impl Strategy<Value = Vec<GridStep>> {
        let kind = prop_oneof![Just(AccessKind::Read), Just(AccessKind::Write)];
        let access = (kind, any::<bool>(), 0..4_usize, 0..2_u64).prop_map(|(kind, atomic, object, offset)| {
            let record = Record {
                thread: ThreadId::new(0),
                site: Site::new(0),
                kind,
                atomic,
                begins: false,
                scope: concurrency::Scope::Device,
                context: 0,
                epoch: 0,
                time: 0,
            };
            (record, Range { object: ObjId::new(object), offset: 4 * offset, size: 6 })
        });
        let mode = prop_oneof![Just(LockMode::Exclusive), Just(LockMode::Shared)];
        let lock = (0..3_usize, mode).prop_map(|(lock, mode)| (Place { object: ObjId::new(lock), offset: 16 }, mode));
        let accesses = prop::collection::vec(access, 0..2);
        let step =
            (accesses, prop::collection::vec(lock, 0..2)).prop_map(|(accesses, held)| GridStep { accesses, held });
        prop::collection::vec(step, 1..6)
    }

    /// Where the two are when a side has gone on, if it can.
    fn next(steps: [&[GridStep]; 2], at: [usize; 2], side: usize) -> Option<[usize; 2]> {
        let mut next = at;
        next[side] += 1;
        let step = steps[side].get(next[side])?;
        let written = |range: &Range| {
            let done = steps[1 - side][..=at[1 - side]].iter().flat_map(|step| &step.accesses);
            done.into_iter().any(|(other, its)| other.kind.writes() && its.overlaps(range))
        };
        let reads = |record: &Record| record.kind == AccessKind::Read || record.atomic;
        let sees = step.accesses.iter().any(|(record, range)| reads(record) && written(range));
        (!sees && !excluded(&steps[0][next[0]].held, &steps[1][next[1]].held)).then_some(next)
    }

    /// Whether any order of all that there are comes to the target.
    fn comes(steps: [&[GridStep]; 2], at: [usize; 2], target: [usize; 2]) -> bool {
        at == target
            || at[0] <= target[0]
                && at[1] <= target[1]
                && [0, 1].into_iter().filter_map(|side| next(steps, at, side)).any(|next| comes(steps, next, target))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_path_is_an_order_that_changes_nothing_and_is_found_if_there_is_one(x in steps(), y in steps()) {
            let steps: [&[GridStep]; 2] = [&x, &y];
            let target = [x.len() - 1, y.len() - 1];
            let start_is_possible = !excluded(&x[0].held, &y[0].held);
            let path = Grid::new(steps).path(target);
            prop_assert_eq!(path.is_some(), start_is_possible && comes(steps, [0, 0], target));
            let end = path.map(|path| path.into_iter().try_fold([0, 0], |at, side| next(steps, at, side)));
            prop_assert!(end.is_none_or(|end| end == Some(target)));
        }
    }
}
