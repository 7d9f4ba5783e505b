//! Spin locks, and mutexes that survive their owners (POSIX.1-2017, `pthread_spin_lock`, `pthread_mutexattr_setrobust`).

use super::{Acquire, Misuse, MutexKind, SyncObject, SyncTable, wrong};
use crate::{Place, ThreadId, VectorClock};

/// State of what a robust mutex protects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Health {
    Consistent,
    /// An owner ended without giving the mutex back, and nobody has repaired what it protects.
    OwnerDied,
    /// It was given back unrepaired: nobody gets it any more.
    Lost,
}

impl SyncTable {
    pub fn robust_mutex(kind: MutexKind) -> SyncObject {
        let (released, health) = (VectorClock::default(), Some(Health::Consistent));
        SyncObject::Mutex { kind, owner: None, depth: 0, released, health }
    }

    pub fn spin_lock() -> SyncObject {
        SyncObject::Spin { owner: None, released: VectorClock::default() }
    }

    /// Takes a spin lock. That of its own owner is as busy as any (POSIX leaves it undefined; the GNU C library spins).
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn spin_take(&mut self, place: Place, thread: ThreadId) -> Result<Acquire, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Spin { owner: Some(_), .. }) => Ok(Acquire::Busy),
            Some(SyncObject::Spin { owner, released }) => {
                *owner = Some(thread);
                Ok(Acquire::Taken(released.clone()))
            }
            other => Err(wrong(other)),
        }
    }

    /// Gives a spin lock back.
    ///
    /// # Errors
    /// When the thread does not hold it.
    pub fn spin_give(&mut self, place: Place, thread: ThreadId, clock: VectorClock) -> Result<(), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Spin { owner, released }) => match *owner {
                Some(holder) if holder == thread => {
                    *owner = None;
                    *released = clock;
                    Ok(())
                }
                Some(_) => Err(Misuse::UnlockOfAnothers),
                None => Err(Misuse::UnlockNotHeld),
            },
            other => Err(wrong(other)),
        }
    }

    /// Whether the mutex at `place` says by an error number that the thread does not hold it.
    pub fn checks_owner(&self, place: Place) -> bool {
        matches!(
            self.get(place),
            Some(SyncObject::Mutex { kind: MutexKind::ErrorCheck, .. } | SyncObject::Mutex { health: Some(_), .. })
        )
    }

    /// The robust mutexes that a thread holds.
    pub fn robust_held(&self, thread: ThreadId) -> impl Iterator<Item = Place> + '_ {
        self.objects.iter().filter_map(move |(&place, object)| match object {
            SyncObject::Mutex { owner: Some(owner), health: Some(_), .. } if *owner == thread => Some(place),
            _ => None,
        })
    }

    /// The owner of a robust mutex ends. What it did happens before the next owner goes on: recovery could not do without.
    pub fn owner_dies(&mut self, place: Place, clock: VectorClock) {
        if let Some(SyncObject::Mutex { owner, depth, released, health, .. }) = self.get_mut(place) {
            (*owner, *depth, *released, *health) = (None, 0, clock, Some(Health::OwnerDied));
        }
    }

    /// `pthread_mutex_consistent`. False where there is nothing to repair, or not by this thread.
    ///
    /// # Errors
    /// When there is no mutex at `place`.
    pub fn repair(&mut self, place: Place, thread: ThreadId) -> Result<bool, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Mutex { owner, health: health @ Some(Health::OwnerDied), .. })
                if *owner == Some(thread) =>
            {
                *health = Some(Health::Consistent);
                Ok(true)
            }
            Some(SyncObject::Mutex { .. }) => Ok(false),
            other => Err(wrong(other)),
        }
    }
}
