//! Visible actions and their dependence.

use crate::ThreadId;
use memory::ObjId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A byte of an object; where a synchronisation object stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    pub object: ObjId,
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.object, self.offset)
    }
}

/// Bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Range {
    pub object: ObjId,
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

impl Range {
    pub fn overlaps(&self, other: &Range) -> bool {
        self.object == other.object && self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }
}

/// What is done to a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum SyncOp {
    Init,
    Destroy,
    Lock,
    TryLock,
    Unlock,
    ReadLock,
    TryReadLock,
    WriteLock,
    TryWriteLock,
    /// A lock call with a time limit: enabled at any moment, for the limit may be over at any moment.
    TimedLock,
    TimedReadLock,
    TimedWriteLock,
    /// Of a read-write lock held for reading.
    ReadUnlock,
    /// Of a read-write lock held for writing, or not held.
    WriteUnlock,
    Signal,
    Broadcast,
    /// Entering `pthread_once`.
    Once,
    /// Leaving the routine that `pthread_once` ran.
    OnceDone,
    SemWait,
    SemTryWait,
    SemTimedWait,
    SemPost,
    /// Reading a semaphore's value.
    SemValue,
    /// A thread ends that holds a robust mutex.
    OwnerDies,
    /// A thread that ends looks for the destructor of a key.
    KeyEnd,
}

/// A step that other threads may notice, about to be taken by a thread. Everything in it is decided: no open pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Action {
    Sync {
        op: SyncOp,
        place: Place,
    },
    /// First half of a condition wait: releases the mutex and begins to wait.
    Wait {
        condition: Place,
        mutex: Place,
    },
    /// Second half: wakes up and takes the mutex again.
    Wake {
        condition: Place,
        mutex: Place,
        /// Ends of itself too: as long as no signal has chosen the thread, this is a [`Action::GiveUp`]. Which it is, is a matter
        /// of the moment.
        timed: bool,
    },
    /// A wait with a time limit ends without a signal: from now on a signal reaches others. The mutex is taken again by a
    /// [`SyncOp::Lock`] of its own, which others may delay (POSIX, `pthread_cond_timedwait`).
    GiveUp {
        condition: Place,
    },
    /// First half of a barrier wait.
    Arrive {
        barrier: Place,
        /// Counts the times that the barrier has let threads through. A matter of the moment, like `last`: see
        /// [`SyncTable::arrival`](crate::SyncTable::arrival).
        round: u32,
        /// This arrival lets all through.
        last: bool,
    },
    /// Second half: enabled when the barrier has let the thread through. Commutes with everything.
    Pass(Place),
    /// An atomic section begins (SV-COMP): up to its end no other thread does anything.
    AtomicBegin,
    Access {
        range: Range,
        write: bool,
        /// Bytes that are read besides: the source of a copy, the other side of a comparison.
        also: Option<Range>,
        /// Of a compare-and-exchange, the number or address that it replaces: where the bytes hold another one, it is a read
        /// (C11 7.17.7.4p3). That, and so `write`, is a matter of the moment.
        expects: Option<u64>,
    },
    /// Automatic objects end, as a function is left.
    Leave,
    /// Enabled when the other thread has ended. Commutes with everything.
    Join(ThreadId),
    /// Looks whether the other thread has ended; `timed`: waits for that as long as it likes.
    TryJoin {
        thread: ThreadId,
        timed: bool,
    },
    /// The whole process ends.
    Exit,
}

impl Action {
    /// Whether the order of two actions of different threads matters: whether one may enable, disable or change the
    /// effect of the other. Symmetric; errs only towards `true`.
    pub fn dependent(&self, other: &Action) -> bool {
        use Action::{Access, Arrive, AtomicBegin, Exit, GiveUp, Join, Leave, Pass, Sync, TryJoin, Wait, Wake};
        match (self, other) {
            (Exit, _) | (_, Exit) => true,
            (Join(_) | Pass(_), _) | (_, Join(_) | Pass(_)) => false,
            // What the section does is not told.
            (AtomicBegin, _) | (_, AtomicBegin) => true,
            // Any action may be the other thread's last.
            (TryJoin { .. }, _) | (_, TryJoin { .. }) => true,
            // Which objects end is not told.
            (Leave, _) | (_, Leave) => true,
            (Access { .. }, Access { .. }) => {
                self.accesses().any(|(a, wa)| other.accesses().any(|(b, wb)| (wa || wb) && a.overlaps(&b)))
            }
            (Access { range, write, .. }, sync) | (sync, Access { range, write, .. }) => {
                *write && sync.places().any(|p| range.overlaps(&Range { object: p.object, offset: p.offset, size: 1 }))
            }
            (Sync { op: a, place: p }, Sync { op: b, place: q }) => p == q && !a.commutes(*b),
            // Whoever completes a round, all of it are let through.
            (Arrive { barrier: p, round: r, last: a }, Arrive { barrier: q, round: s, last: b }) => {
                p == q && (r != s || *a && *b)
            }
            // Who else waits makes no difference to who stops waiting.
            (GiveUp { .. }, GiveUp { .. } | Wait { .. } | Wake { .. }) | (Wait { .. } | Wake { .. }, GiveUp { .. }) => {
                false
            }
            (Sync { .. } | Wait { .. } | Wake { .. } | GiveUp { .. } | Arrive { .. }, _) => {
                self.places().any(|p| other.places().any(|q| p == q))
            }
        }
    }

    /// Whether it depends on nothing but the end of the process.
    pub fn commutes_with_all(&self) -> bool {
        matches!(self, Action::Join(_) | Action::Pass(_))
    }

    /// What it accesses, and whether it writes that.
    fn accesses(&self) -> impl Iterator<Item = (Range, bool)> {
        let (one, two) = match *self {
            Action::Access { range, write, also, .. } => (Some((range, write)), also.map(|range| (range, false))),
            _ => (None, None),
        };
        one.into_iter().chain(two)
    }

    /// The synchronisation objects that the action is about.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let (one, two) = match *self {
            Action::Sync { place, .. }
            | Action::Arrive { barrier: place, .. }
            | Action::GiveUp { condition: place } => (Some(place), None),
            Action::Wait { condition, mutex } | Action::Wake { condition, mutex, .. } => (Some(condition), Some(mutex)),
            Action::Access { .. }
            | Action::Join(_)
            | Action::TryJoin { .. }
            | Action::Pass(_)
            | Action::AtomicBegin
            | Action::Leave
            | Action::Exit => (None, None),
        };
        one.into_iter().chain(two)
    }
}

impl SyncOp {
    /// Whether two operations on one object come to the same in either order: readers of a read-write lock, posts of a
    /// semaphore.
    fn commutes(self, other: SyncOp) -> bool {
        use SyncOp::{KeyEnd, ReadLock, ReadUnlock, SemPost, SemValue};
        matches!(
            (self, other),
            (ReadLock | ReadUnlock, ReadLock | ReadUnlock)
                | (SemPost, SemPost)
                | (SemValue, SemValue)
                | (KeyEnd, KeyEnd)
        )
    }

    /// Of an operation that tries, or waits only for a time: the one that waits.
    pub fn waiting(self) -> Option<SyncOp> {
        Some(match self {
            SyncOp::TryLock | SyncOp::TimedLock => SyncOp::Lock,
            SyncOp::TryReadLock | SyncOp::TimedReadLock => SyncOp::ReadLock,
            SyncOp::TryWriteLock | SyncOp::TimedWriteLock => SyncOp::WriteLock,
            SyncOp::SemTryWait | SyncOp::SemTimedWait => SyncOp::SemWait,
            _ => return None,
        })
    }

    /// The operation that waits where this one would give up in time: what decides whether a thread can go on by itself.
    pub fn untimed(self) -> SyncOp {
        let tries = matches!(self, SyncOp::TryLock | SyncOp::TryReadLock | SyncOp::TryWriteLock | SyncOp::SemTryWait);
        if tries { self } else { self.waiting().unwrap_or(self) }
    }
}
