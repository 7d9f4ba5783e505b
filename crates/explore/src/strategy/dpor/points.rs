//! The backtrack set of each scheduling point on the way to where the search is.

use crate::strategy::Threads;
use crate::strategy::past::{Past, PastStep, follows, join};
use crate::trace::event::Event;
use concurrency::{Action, SyncOp, ThreadId};
use smallvec::SmallVec;

/// Who can begin if all is done that was done after an action, except for what follows from it. The last of `later` comes first.
fn beginning_without<'p>(step: &PastStep, later: impl Iterator<Item = &'p PastStep>) -> SmallVec<[ThreadId; 4]> {
    // Whoever begins does so with the first of its steps, if that follows none of the others' first ones.
    let mut firsts: SmallVec<[&PastStep; 4]> = SmallVec::new();
    for other in later.filter(|other| !follows(&other.clock, step)) {
        match firsts.iter_mut().find(|first| first.thread == other.thread) {
            Some(first) => *first = other,
            None => firsts.push(other),
        }
    }
    let is_first =
        |one: &&PastStep| firsts.iter().all(|other| other.thread == one.thread || !follows(&one.clock, other));
    firsts.iter().copied().filter(is_first).map(|first| first.thread).collect()
}

/// Whether an action may be waiting for something that commutes with what it depends on: a signal with who takes the mutex, a
/// post with another post, a reader that leaves with another that comes.
fn awaits_another(action: &Action) -> bool {
    matches!(action, Action::Wake { .. } | Action::Sync { op: SyncOp::SemWait | SyncOp::WriteLock, .. })
}

/// A scheduling point, with its backtrack set.
#[derive(Debug)]
struct Point {
    /// What each thread is about to do, and whether it can.
    pending: SmallVec<[(ThreadId, Action, bool); 4]>,
    /// Those that can and are not asleep, in the order in which they are tried.
    awake: SmallVec<[(ThreadId, Action, Tried); 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tried {
    /// Nothing needs it so far.
    No,
    Wanted,
    Yes,
}

/// The scheduling points on the way to where the search is, the first first: before the n-th action of a [`Past`] is the n-th.
#[derive(Debug, Default)]
pub(super) struct Points {
    points: Vec<Point>,
}

impl Points {
    /// A thread is about to do something, or has come to know what it is about to do: notes where it has to be tried before
    /// others for that.
    pub(super) fn note(&mut self, past: &Past, thread: ThreadId, event: &Event) {
        if event.action.commutes_with_all() {
            return;
        }
        let mut known = past.before(thread);
        let mut unknown = past.unknown(thread, &known);
        for (index, step) in past.steps().enumerate() {
            if unknown.is_none() {
                break;
            }
            if !unknown.passes(&known, step) || !step.event.dependent(event) {
                continue;
            }
            let point = &mut self.points[past.length() - 1 - index];
            match point.pending.iter().find(|pending| pending.0 == thread) {
                Some((_, same, false)) if *same == event.action => {
                    if awaits_another(same) && point.has_untried() {
                        let without = beginning_without(step, past.steps().take(index));
                        point.want(|other| without.contains(&other));
                    }
                    continue;
                }
                Some((.., true)) => {
                    if point.has_untried() {
                        let without = beginning_without(step, past.steps().take(index));
                        point.want(|other| other == thread || without.contains(&other));
                    }
                }
                _ => point.want(|_| true),
            }
            join(&mut known, &step.clock);
            unknown.learn(&known);
        }
    }

    /// What was tried at the point behind these actions was explored before: all else there is to be tried. Who sleeps there
    /// is not: as where nobody can go on, it is taken to depend on all that was done with its lock.
    pub(super) fn want_others(&mut self, past: &Past) {
        let Some(point) = self.points.get_mut(past.length()) else { return };
        point.want(|_| true);
        let is_awake = |thread: ThreadId| point.awake.iter().any(|awake| awake.0 == thread);
        let asleep: Threads =
            point.pending.iter().filter(|pending| !is_awake(pending.0)).map(|pending| (pending.0, pending.1)).collect();
        for (thread, action) in asleep {
            self.note(past, thread, &Event::new(action));
        }
    }

    /// A run is cut here: everything is to be tried on the way.
    pub(super) fn want_all(&mut self) {
        self.points.iter_mut().for_each(|point| point.want(|_| true));
    }

    /// A point, behind so many actions, at which somebody can go on; the first one does.
    pub(super) fn begin(
        &mut self,
        length: usize,
        pending: impl Iterator<Item = (ThreadId, Action, bool)>,
        awake: &[(ThreadId, Action)],
    ) {
        self.points.truncate(length);
        debug_assert_eq!(self.points.len(), length);
        let tried = |index| if index == 0 { Tried::Wanted } else { Tried::No };
        let awake = awake.iter().enumerate().map(|(index, &(thread, action))| (thread, action, tried(index)));
        self.points.push(Point { pending: pending.collect(), awake: awake.collect() });
    }

    /// Who is tried next at the point behind so many actions, and who was before; what came after it is over. None ends the
    /// point.
    pub(super) fn next(&mut self, length: usize) -> Option<((ThreadId, Action), Threads)> {
        self.points.truncate(length + 1);
        debug_assert_eq!(self.points.len(), length + 1);
        let point = self.points.last_mut()?;
        let Some(next) = point.awake.iter().position(|awake| awake.2 == Tried::Wanted) else {
            self.points.pop();
            return None;
        };
        let before = point.awake.iter().filter(|awake| awake.2 == Tried::Yes).map(|awake| (awake.0, awake.1)).collect();
        point.awake[next].2 = Tried::Yes;
        Some(((point.awake[next].0, point.awake[next].1), before))
    }

    /// Ends that point: all that was not tried, each with those that come before it.
    pub(super) fn rest(&mut self, length: usize) -> Vec<((ThreadId, Action), Threads)> {
        self.points.truncate(length + 1);
        if let Some(point) = self.points.last_mut() {
            point.want(|_| true);
        }
        let mut all = Vec::new();
        while let Some(next) = self.next(length) {
            all.push(next);
        }
        all
    }
}

impl Point {
    /// Whether there is somebody of whom it does not matter so far.
    fn has_untried(&self) -> bool {
        self.awake.iter().any(|awake| awake.2 == Tried::No)
    }

    fn want(&mut self, which: impl Fn(ThreadId) -> bool) {
        for (thread, _, tried) in &mut self.awake {
            if *tried == Tried::No && which(*thread) {
                *tried = Tried::Wanted;
            }
        }
    }
}
