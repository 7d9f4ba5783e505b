//! Semaphores and barriers (POSIX.1-2017, `sem_wait`, `pthread_barrier_wait`).

use super::{Acquire, Misuse, SyncObject, SyncTable, wrong};
use crate::{Action, Place, ThreadId, VectorClock};
use std::rc::Rc;

/// What is known of a semaphore's value at the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Initial {
    /// All of it is counted.
    Known,
    /// Of the initial heap: there may be up to so many more than are counted.
    UpTo(u32),
    /// Of the initial heap: there may be any number more.
    Any,
}

impl Initial {
    /// Whether there may be one more than is counted.
    pub fn is_open(self) -> bool {
        !matches!(self, Initial::Known | Initial::UpTo(0))
    }

    /// What is known once one more was there, and has been taken.
    fn after_one(self) -> Initial {
        match self {
            Initial::UpTo(most @ 2..) => Initial::UpTo(most - 1),
            Initial::Known | Initial::UpTo(_) => Initial::Known,
            Initial::Any => Initial::Any,
        }
    }
}

/// A thread that waits at a barrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrived {
    pub thread: ThreadId,
    /// The thread looks at what the wait returns.
    pub observes: bool,
    pub(super) clock: VectorClock,
}

/// What a barrier lets a thread through with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Through {
    pub serial: bool,
    /// The thread looks at what the wait returns.
    pub observes: bool,
    pub clock: VectorClock,
}

impl SyncTable {
    pub fn semaphore(value: u32, initial: Initial) -> SyncObject {
        SyncObject::Semaphore { value, initial, posted: VectorClock::default() }
    }

    pub fn barrier(count: Option<u32>) -> SyncObject {
        SyncObject::Barrier { count, round: 0, arrived: Vec::new() }
    }

    /// Whether a wait on a semaphore could go on now, or would end with an error at once.
    pub fn semaphore_available(&self, place: Place) -> bool {
        !matches!(self.get(place), Some(SyncObject::Semaphore { value: 0, initial, .. }) if !initial.is_open())
    }

    /// The value of a semaphore, as far as it is counted, and whether that is all.
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn semaphore_value(&mut self, place: Place) -> Result<(u32, Initial), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Semaphore { value, initial, .. }) => Ok((*value, *initial)),
            other => Err(wrong(other)),
        }
    }

    /// All of the semaphore's value is counted from here on: so many more.
    pub fn close_semaphore(&mut self, place: Place, more: u32) {
        if let Some(SyncObject::Semaphore { value, initial, .. }) = self.get_mut(place) {
            *value += more;
            *initial = Initial::Known;
        }
    }

    /// Takes one from a semaphore; the one that is not counted where the count is 0 and open.
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn semaphore_take(&mut self, place: Place) -> Result<Acquire, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Semaphore { value: 0, initial, .. }) if !initial.is_open() => Ok(Acquire::Busy),
            Some(SyncObject::Semaphore { value, posted, initial }) => {
                match value.checked_sub(1) {
                    Some(rest) => *value = rest,
                    None => *initial = initial.after_one(),
                }
                Ok(Acquire::Taken(posted.clone()))
            }
            other => Err(wrong(other)),
        }
    }

    /// Adds one to a semaphore.
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn semaphore_post(&mut self, place: Place, clock: &VectorClock) -> Result<(), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Semaphore { value, posted, .. }) => {
                *value += 1;
                posted.join(clock);
                Ok(())
            }
            other => Err(wrong(other)),
        }
    }

    /// The action of arriving at a barrier now.
    pub fn arrival(&self, barrier: Place) -> Action {
        match self.get(barrier) {
            Some(SyncObject::Barrier { count, round, arrived }) => {
                let last = count.is_none_or(|count| arrived.len() as u32 + 1 >= count);
                Action::Arrive { barrier, round: *round, last }
            }
            _ => Action::Arrive { barrier, round: 0, last: true },
        }
    }

    /// How many threads a barrier is for, if that is known.
    pub fn barrier_count(&self, place: Place) -> Option<u32> {
        match self.get(place) {
            Some(SyncObject::Barrier { count, .. }) => *count,
            _ => None,
        }
    }

    /// How many threads a barrier is for, if that is known, and those that wait.
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn barrier_state(&mut self, place: Place) -> Result<(Option<u32>, &[Arrived]), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Barrier { count, arrived, .. }) => Ok((*count, arrived)),
            other => Err(wrong(other)),
        }
    }

    /// Says how many threads a barrier is for.
    pub fn set_barrier_count(&mut self, place: Place, threads: u32) {
        if let Some(SyncObject::Barrier { count, .. }) = self.get_mut(place) {
            *count = Some(threads);
        }
    }

    /// A thread arrives at a barrier. Where it is the last, all are let through, and `serial` is told that it is the one.
    pub fn arrive(&mut self, place: Place, thread: ThreadId, observes: bool, clock: VectorClock, serial: ThreadId) {
        let Some(SyncObject::Barrier { count, round, arrived }) = self.get_mut(place) else { return };
        arrived.push(Arrived { thread, observes, clock });
        arrived.sort_by_key(|a| a.thread);
        if count.is_some_and(|count| arrived.len() as u32 >= count) {
            *round += 1;
            let members = std::mem::take(arrived);
            let mut clock = VectorClock::default();
            members.iter().for_each(|member| clock.join(&member.clock));
            let through = Rc::make_mut(&mut self.through);
            for member in &members {
                let serial = member.thread == serial;
                let Arrived { observes, .. } = *member;
                through.insert(member.thread, Through { serial, observes, clock: clock.clone() });
            }
        }
    }

    /// Threads that wait at a barrier.
    pub fn arrived(&self, place: Place) -> impl Iterator<Item = ThreadId> + '_ {
        let arrived = match self.get(place) {
            Some(SyncObject::Barrier { arrived, .. }) => &arrived[..],
            _ => &[],
        };
        arrived.iter().map(|a| a.thread)
    }

    /// What a barrier has let a thread through with that has not gone on yet.
    pub fn through(&self, thread: ThreadId) -> Option<&Through> {
        self.through.get(&thread)
    }

    /// Whether a barrier has let the thread through.
    pub fn may_pass(&self, thread: ThreadId) -> bool {
        self.through.contains_key(&thread)
    }

    /// The thread goes on behind a barrier.
    pub fn pass(&mut self, thread: ThreadId) -> Option<Through> {
        Rc::make_mut(&mut self.through).remove(&thread)
    }

    /// The threads that were let through and have not gone on, with whether each is the serial one.
    pub fn passing(&self) -> impl Iterator<Item = (ThreadId, bool)> + '_ {
        self.through.iter().map(|(&thread, through)| (thread, through.serial))
    }
}
