//! Happens-before on one execution, as an explicit graph.
//!
//! Each event keeps the set of all events that happen before it: what its direct predecessors are, and what happens
//! before those. Direct predecessors are found by reading the definitions off the list of earlier events:
//! - sequenced before: the thread's previous event; thread creation and join (POSIX);
//! - a release of a lock before each later acquisition, two read locks aside;
//! - a post of a semaphore before each later wait that takes from it; all arrivals of a barrier's round before each that
//!   goes on behind it;
//! - a signal before the wake-up that it caused; the end of the once function before each later return from `pthread_once`;
//! - synchronises-with of atomics: release sequences (C11 5.1.2.4p10) and fences (7.17.4p2 to p4).
//!
//! Under sequential consistency the modification order of an object is the order of execution, and every edge goes
//! forward, so the set is complete when the event is added.
//!
//! Invariant: events are removed only from the end.

use super::ast::{MutexId, Place, RwLockId, ThreadId};
use crate::finding::{AccessKind, Race, Site};

/// A set of events, by index.
type Set = u128;

pub(super) const MAX_EVENTS: usize = Set::BITS as usize;

/// An event's index in its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventIx(u8);

impl EventIx {
    fn set(self) -> Set {
        1 << self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    Mutex(MutexId),
    ReadWrite(RwLockId),
    Spin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Shared,
    Exclusive,
}

/// The ordering that an atomic operation or a fence asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ordering {
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// `atomic` is none for plain accesses.
    Access {
        place: Place,
        kind: AccessKind,
        atomic: Option<Ordering>,
    },
    Fence(Ordering),
    Acquire {
        lock: Lock,
        mode: Mode,
        woken_by: Option<EventIx>,
    },
    Release {
        lock: Lock,
        mode: Mode,
    },
    Create(ThreadId),
    Join(ThreadId),
    OnceDone,
    OncePassed,
    /// Orders nothing by itself; see `woken_by`.
    Signal,
    SemPost,
    SemTaken,
    /// At the barrier, in the round of this number.
    Arrive(u8),
    Passed(u8),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: ThreadId,
    action: Action,
    line: u32,
    /// All that happens before this event.
    before: Set,
}

/// The events of one execution so far, in the order in which they ran.
#[derive(Debug, Default)]
pub(super) struct Execution {
    events: Vec<Event>,
}

impl Execution {
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.events.truncate(len);
    }

    /// Adds an event and calls `race` for each earlier access that it races with. At most [`MAX_EVENTS`] events fit.
    pub(super) fn add(&mut self, thread: ThreadId, action: Action, line: u32, mut race: impl FnMut(Race)) -> EventIx {
        let direct = self.direct_predecessors(thread, action);
        let before = self.indexed().filter(|(index, _)| direct & index.set() != 0);
        let before = before.fold(direct, |all, (_, event)| all | event.before);
        let new = Event { thread, action, line, before };
        for (index, earlier) in self.indexed() {
            if before & index.set() == 0
                && let Some(found) = conflict(earlier, &new)
            {
                race(found);
            }
        }
        let index = EventIx(self.events.len() as u8);
        self.events.push(new);
        index
    }

    fn indexed(&self) -> impl DoubleEndedIterator<Item = (EventIx, &Event)> + ExactSizeIterator {
        self.events.iter().enumerate().map(|(index, event)| (EventIx(index as u8), event))
    }

    fn where_action(&self, wanted: impl Fn(&Action) -> bool) -> Set {
        self.indexed().filter(|(_, event)| wanted(&event.action)).fold(0, |set, (index, _)| set | index.set())
    }

    /// All events of a thread: for a predecessor this is as good as its last one.
    fn of_thread(&self, thread: ThreadId) -> Set {
        self.indexed().filter(|(_, event)| event.thread == thread).fold(0, |set, (index, _)| set | index.set())
    }

    fn direct_predecessors(&self, thread: ThreadId, action: Action) -> Set {
        let program_order = self.of_thread(thread) | self.where_action(|earlier| *earlier == Action::Create(thread));
        program_order
            | match action {
                Action::Access { place, kind, atomic: Some(Ordering { acquires: true, .. }) }
                    if kind != AccessKind::Write =>
                {
                    self.released_to(place, self.events.len())
                }
                Action::Fence(Ordering { acquires: true, .. }) => self.released_to_reads_of(thread),
                Action::Acquire { lock, mode, woken_by } => {
                    let released = self.where_action(|earlier| match *earlier {
                        Action::Release { lock: other, mode: other_mode } => {
                            other == lock && (mode == Mode::Exclusive || other_mode == Mode::Exclusive)
                        }
                        _ => false,
                    });
                    released | woken_by.map_or(0, EventIx::set)
                }
                // A thread that never ran any event still was created.
                Action::Join(child) => self.of_thread(child) | self.where_action(|e| *e == Action::Create(child)),
                Action::OncePassed => self.where_action(|earlier| *earlier == Action::OnceDone),
                Action::SemTaken => self.where_action(|earlier| *earlier == Action::SemPost),
                Action::Passed(round) => self.where_action(|earlier| *earlier == Action::Arrive(round)),
                Action::Access { .. }
                | Action::SemPost
                | Action::Arrive(_)
                | Action::Fence(_)
                | Action::Release { .. }
                | Action::Create(_)
                | Action::OnceDone
                | Action::Signal => 0,
            }
    }

    /// C11 7.17.4p2 and p4: an acquire fence synchronises with the releases that earlier atomic reads of its thread read from.
    fn released_to_reads_of(&self, thread: ThreadId) -> Set {
        let mut released = 0;
        for (index, event) in self.indexed().filter(|(_, event)| event.thread == thread) {
            if let Action::Access { place, kind: AccessKind::Read | AccessKind::ReadWrite, atomic: Some(_) } =
                event.action
            {
                released |= self.released_to(place, usize::from(index.0));
            }
        }
        released
    }

    /// What a read of `place` by event number `reader` may synchronise with: the heads of the release sequences
    /// that contain the last write before it (C11 5.1.2.4p10), and the release fences before heads that are no
    /// releases themselves ("hypothetical release sequence", 7.17.4p2).
    fn released_to(&self, place: Place, reader: usize) -> Set {
        let mut released = 0;
        // The threads whose stores, not read-modify-writes, lie between the head and the read. All operations of a
        // release sequence are read-modify-writes or by the head's own thread.
        let mut stored_by: Option<ThreadId> = None;
        for (index, event) in self.indexed().take(reader).rev() {
            let Action::Access { place: other, kind, atomic } = event.action else { continue };
            if other != place || kind == AccessKind::Read {
                continue;
            }
            let by_others = stored_by.is_some_and(|thread| thread != event.thread);
            match atomic {
                Some(ordering) if !by_others => {
                    released |= if ordering.releases { index.set() } else { self.release_fence_before(index) };
                }
                _ => {}
            }
            if kind != AccessKind::ReadWrite {
                if by_others {
                    break;
                }
                stored_by = Some(event.thread);
            }
        }
        released
    }

    fn release_fence_before(&self, index: EventIx) -> Set {
        let thread = self.events[usize::from(index.0)].thread;
        let earlier = self.indexed().take(usize::from(index.0)).filter(|(_, event)| {
            event.thread == thread && matches!(event.action, Action::Fence(Ordering { releases: true, .. }))
        });
        earlier.fold(0, |set, (index, _)| set | index.set())
    }
}

/// The race between two unordered events, if they conflict and are not both atomic.
fn conflict(one: &Event, other: &Event) -> Option<Race> {
    let (Action::Access { place, kind, atomic }, Action::Access { place: place2, kind: kind2, atomic: atomic2 }) =
        (one.action, other.action)
    else {
        return None;
    };
    let conflicting = place == place2 && (kind.writes() || kind2.writes()) && (atomic.is_none() || atomic2.is_none());
    conflicting.then(|| Race::new(Site { line: one.line, access: kind }, Site { line: other.line, access: kind2 }))
}
