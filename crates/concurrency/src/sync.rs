//! Synchronisation objects: mutexes, spin locks, read-write locks, condition variables, once flags, semaphores, barriers
//! (POSIX.1-2017, C11 7.26).

mod atomic_block;
mod atomic_section;
mod counted;
mod robust;

pub use counted::Initial;
pub use robust::Health;

use crate::order::ClockTag;
use crate::{Place, ThreadId, VectorClock};
use memory::ObjId;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// What a mutex does when its owner locks it again (POSIX, `pthread_mutexattr_settype`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexKind {
    /// Relocking deadlocks (also `PTHREAD_MUTEX_DEFAULT` and adaptive ones).
    Normal,
    Recursive,
    ErrorCheck,
}

/// Whether others can have the lock at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LockMode {
    Exclusive,
    Shared,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Held {
    pub place: Place,
    pub mode: LockMode,
}

/// Whether two threads that hold these, named by what tells locks apart, have one in common that one of them has to itself:
/// they do not hold them at one time.
pub fn excluded<P: PartialEq>(x: &[(P, LockMode)], y: &[(P, LockMode)]) -> bool {
    x.iter().any(|(p, m)| y.iter().any(|(q, n)| p == q && [*m, *n].contains(&LockMode::Exclusive)))
}

/// How far a `pthread_once` routine is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OnceState {
    Idle,
    Running(ThreadId),
    Done,
}

/// What becomes of it if a thread asks for a lock that it has: for reading both times it has it twice in any case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relock {
    /// It has it once more.
    Nests,
    /// It is told so, and has it as before.
    Fails,
    /// It waits for itself.
    Waits,
}

/// A thread that waits on a condition variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    pub thread: ThreadId,
    /// Set by the signal that chose this waiter: what the signaller had done.
    pub signalled: Option<VectorClock>,
}

/// A synchronisation object: who has it, who waits, and the clock of what was done with it. `health` is of robust
/// mutexes only.
#[derive(Clone, Debug)]
pub enum SyncObject {
    Mutex {
        kind: MutexKind,
        owner: Option<ThreadId>,
        depth: u32,
        released: VectorClock,
        health: Option<Health>,
    },
    Spin {
        owner: Option<ThreadId>,
        released: VectorClock,
    },
    RwLock {
        writer: Option<ThreadId>,
        readers: Vec<ThreadId>,
        written: VectorClock,
        read: VectorClock,
    },
    Condition {
        waiters: Vec<Waiter>,
    },
    Once {
        state: OnceState,
        done: VectorClock,
    },
    /// `posted`: what happens before the next wait. A semaphore is a counter that is read and modified in one: what any
    /// earlier post has seen, the wait sees (C11 5.1.2.4p10, release sequences).
    Semaphore {
        value: u32,
        initial: Initial,
        posted: VectorClock,
    },
    /// `arrived`: those of the current round, in the order of their numbers.
    Barrier {
        count: Option<u32>,
        round: u32,
        arrived: Vec<counted::Arrived>,
    },
    Destroyed,
}

/// Use of a synchronisation object that POSIX leaves undefined or answers with an error that only a bug can cause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Misuse {
    UnlockNotHeld,
    UnlockOfAnothers,
    DestroyLocked,
    DestroyWaitedFor,
    DestroyBarrier,
    UseDestroyed,
    /// Neither a static initialiser nor an init call was seen.
    UseUninitialised,
    /// A mutex used as a condition variable, and the like.
    WrongKind,
    WaitWithoutMutex,
    /// Joining a thread twice, or one that was detached.
    JoinNotJoinable,
    ThreadWaitsForItself,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misuse::UnlockNotHeld => "unlock of a lock that nobody holds",
            Misuse::UnlockOfAnothers => "unlock of a lock that another thread holds",
            Misuse::DestroyLocked => "destruction of a lock that is held",
            Misuse::DestroyWaitedFor => "destruction of a condition variable that a thread waits on",
            Misuse::DestroyBarrier => "destruction of a barrier at which a thread waits",
            Misuse::UseDestroyed => "use of a destroyed synchronisation object",
            Misuse::UseUninitialised => "use of an uninitialised synchronisation object",
            Misuse::WrongKind => "use of a synchronisation object as one of another kind",
            Misuse::WaitWithoutMutex => "condition wait with a mutex that the thread does not hold",
            Misuse::JoinNotJoinable => "join of a thread that is not joinable",
            Misuse::ThreadWaitsForItself => "join of the thread itself",
        })
    }
}

/// Outcome of an attempt to take a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Acquire {
    /// Taken; what the clock knows happens before.
    Taken(VectorClock),
    /// Held by others: a lock call waits, a trylock fails.
    Busy,
    /// An error-checking mutex that the thread holds already (EDEADLK).
    WouldDeadlock,
    /// Taken, but its last owner ended without giving it back (EOWNERDEAD).
    TakenFromDead(VectorClock),
    /// What it protects is lost for good (ENOTRECOVERABLE).
    NotRecoverable,
}

/// All synchronisation objects of one state, by place.
#[derive(Clone, Debug, Default)]
pub struct SyncTable {
    objects: Rc<BTreeMap<Place, SyncObject>>,
    /// What sections that were single steps have left behind.
    blocks: Rc<BTreeMap<Place, imbl::Vector<atomic_block::GivenBack>>>,
    /// Threads that a barrier has let through, until they go on.
    through: Rc<BTreeMap<ThreadId, counted::Through>>,
    /// The thread in an atomic section, and how many it has entered.
    atomic_section: Option<(ThreadId, u32)>,
    /// What the atomic sections so far have seen.
    atomic_sections: VectorClock,
}

impl SyncTable {
    pub fn get(&self, place: Place) -> Option<&SyncObject> {
        self.objects.get(&place)
    }

    pub fn set(&mut self, place: Place, object: SyncObject) {
        Rc::make_mut(&mut self.objects).insert(place, object);
        self.forget_blocks(|blocks| blocks == place);
    }

    fn get_mut(&mut self, place: Place) -> Option<&mut SyncObject> {
        Rc::make_mut(&mut self.objects).get_mut(&place)
    }

    /// Forgets the objects inside a region that dies.
    pub fn forget(&mut self, object: ObjId) {
        if self.objects.keys().any(|p| p.object == object) {
            Rc::make_mut(&mut self.objects).retain(|p, _| p.object != object);
            self.forget_blocks(|place| place.object == object);
        }
    }

    pub fn mutex(kind: MutexKind) -> SyncObject {
        SyncObject::Mutex { kind, owner: None, depth: 0, released: VectorClock::default(), health: None }
    }

    pub fn rwlock() -> SyncObject {
        SyncObject::RwLock {
            writer: None,
            readers: Vec::new(),
            written: VectorClock::default(),
            read: VectorClock::default(),
        }
    }

    /// Whether a mutex or a spin lock could be taken now, or the attempt would end with an error at once.
    pub fn mutex_available(&self, place: Place, thread: ThreadId) -> bool {
        match self.get(place) {
            Some(SyncObject::Spin { owner, .. }) => owner.is_none(),
            Some(SyncObject::Mutex { kind, owner: Some(owner), .. }) => *owner == thread && *kind != MutexKind::Normal,
            _ => true,
        }
    }

    /// What becomes of it if a thread asks for a lock that it has.
    pub fn relock(&self, place: Place) -> Relock {
        match self.get(place) {
            Some(SyncObject::Mutex { kind: MutexKind::Recursive, .. }) => Relock::Nests,
            Some(SyncObject::Mutex { kind: MutexKind::ErrorCheck, .. }) => Relock::Fails,
            _ => Relock::Waits,
        }
    }

    pub fn rwlock_available(&self, place: Place, mode: LockMode) -> bool {
        match self.get(place) {
            Some(SyncObject::RwLock { writer, readers, .. }) => {
                writer.is_none() && (mode == LockMode::Shared || readers.is_empty())
            }
            _ => true,
        }
    }

    /// Takes a mutex.
    ///
    /// # Errors
    /// When there is no mutex at `place`.
    pub fn lock(&mut self, place: Place, thread: ThreadId) -> Result<Acquire, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Mutex { health: Some(Health::Lost), .. }) => Ok(Acquire::NotRecoverable),
            Some(SyncObject::Mutex { kind, owner, depth, released, health }) => Ok(match *owner {
                None => {
                    *owner = Some(thread);
                    *depth = 1;
                    match health {
                        Some(Health::OwnerDied) => Acquire::TakenFromDead(released.clone()),
                        _ => Acquire::Taken(released.clone()),
                    }
                }
                Some(holder) if holder == thread && *kind == MutexKind::Recursive => {
                    *depth += 1;
                    Acquire::Taken(VectorClock::default())
                }
                Some(holder) if holder == thread && *kind == MutexKind::ErrorCheck => Acquire::WouldDeadlock,
                Some(_) => Acquire::Busy,
            }),
            other => Err(wrong(other)),
        }
    }

    /// Gives a mutex back; `clock` is what the thread has done so far. True when the mutex is free afterwards.
    ///
    /// # Errors
    /// When the thread does not hold it.
    pub fn unlock(&mut self, place: Place, thread: ThreadId, clock: VectorClock) -> Result<bool, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Mutex { owner, depth, released, health, .. }) => match *owner {
                Some(holder) if holder == thread => {
                    *depth -= 1;
                    let free = *depth == 0;
                    if free {
                        *owner = None;
                        *released = clock;
                        if *health == Some(Health::OwnerDied) {
                            *health = Some(Health::Lost);
                        }
                        // The thread took up what they left behind.
                        self.forget_blocks(|blocks| blocks == place);
                    }
                    Ok(free)
                }
                Some(_) => Err(Misuse::UnlockOfAnothers),
                None => Err(Misuse::UnlockNotHeld),
            },
            other => Err(wrong(other)),
        }
    }

    /// Takes a read-write lock.
    ///
    /// # Errors
    /// When there is none at `place`.
    pub fn rwlock_lock(&mut self, place: Place, thread: ThreadId, mode: LockMode) -> Result<Acquire, Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::RwLock { writer, readers, written, read }) => Ok(match mode {
                // POSIX lets the call return EDEADLK when the thread itself holds it for writing; waiting is allowed too.
                _ if writer.is_some() => Acquire::Busy,
                LockMode::Shared => {
                    readers.push(thread);
                    Acquire::Taken(written.clone())
                }
                LockMode::Exclusive if !readers.is_empty() => Acquire::Busy,
                LockMode::Exclusive => {
                    *writer = Some(thread);
                    let mut clock = written.clone();
                    clock.join(read);
                    Acquire::Taken(clock)
                }
            }),
            other => Err(wrong(other)),
        }
    }

    /// Somebody gives a lock back that is not its own. As with the GNU C library it is free then, whoever is in its section; only a
    /// recursive mutex, and readers, stay. What its owner did is ordered before nothing by that. Whether anything was done.
    pub fn force_open(&mut self, place: Place) -> bool {
        match self.get_mut(place) {
            Some(SyncObject::Mutex { kind: MutexKind::Normal, owner, depth, .. }) => (*owner, *depth) = (None, 0),
            Some(SyncObject::Spin { owner, .. }) => *owner = None,
            Some(SyncObject::RwLock { writer: writer @ Some(_), .. }) => *writer = None,
            _ => return false,
        }
        true
    }

    /// In which mode the thread holds the read-write lock.
    pub fn rwlock_mode(&self, place: Place, thread: ThreadId) -> Option<LockMode> {
        match self.get(place) {
            Some(SyncObject::RwLock { writer: Some(holder), .. }) if *holder == thread => Some(LockMode::Exclusive),
            Some(SyncObject::RwLock { readers, .. }) if readers.contains(&thread) => Some(LockMode::Shared),
            _ => None,
        }
    }

    /// Gives a read-write lock back.
    ///
    /// # Errors
    /// When the thread does not hold it.
    pub fn rwlock_unlock(&mut self, place: Place, thread: ThreadId, clock: VectorClock) -> Result<(), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::RwLock { writer, readers, written, read }) => {
                if *writer == Some(thread) {
                    *writer = None;
                    *written = clock;
                    Ok(())
                } else if let Some(at) = readers.iter().position(|r| *r == thread) {
                    readers.remove(at);
                    read.join(&clock);
                    Ok(())
                } else if writer.is_some() || !readers.is_empty() {
                    Err(Misuse::UnlockOfAnothers)
                } else {
                    Err(Misuse::UnlockNotHeld)
                }
            }
            other => Err(wrong(other)),
        }
    }

    /// The waiters of a condition variable that no signal has chosen yet.
    pub fn waiting(&self, place: Place) -> Vec<ThreadId> {
        match self.get(place) {
            Some(SyncObject::Condition { waiters }) => {
                waiters.iter().filter(|w| w.signalled.is_none()).map(|w| w.thread).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Begins to wait.
    ///
    /// # Errors
    /// When there is no condition variable at `place`.
    pub fn wait(&mut self, place: Place, thread: ThreadId) -> Result<(), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Condition { waiters }) => {
                waiters.push(Waiter { thread, signalled: None });
                waiters.sort_by_key(|w| w.thread);
                Ok(())
            }
            other => Err(wrong(other)),
        }
    }

    /// Wakes one waiter.
    pub fn signal(&mut self, place: Place, thread: ThreadId, clock: &VectorClock) {
        if let Some(SyncObject::Condition { waiters }) = self.get_mut(place)
            && let Some(waiter) = waiters.iter_mut().find(|w| w.thread == thread && w.signalled.is_none())
        {
            waiter.signalled = Some(clock.clone());
        }
    }

    /// Whether a signal has chosen the waiting thread.
    pub fn is_signalled(&self, place: Place, thread: ThreadId) -> bool {
        match self.get(place) {
            Some(SyncObject::Condition { waiters }) => {
                waiters.iter().any(|w| w.thread == thread && w.signalled.is_some())
            }
            _ => false,
        }
    }

    /// Whether the thread waits on the condition variable, and no signal has chosen it.
    pub fn awaits_signal(&self, place: Place, thread: ThreadId) -> bool {
        match self.get(place) {
            Some(SyncObject::Condition { waiters }) => {
                waiters.iter().any(|w| w.thread == thread && w.signalled.is_none())
            }
            _ => false,
        }
    }

    /// Stops waiting; the signaller's clock, unless the wake-up is spurious.
    pub fn stop_waiting(&mut self, place: Place, thread: ThreadId) -> Option<VectorClock> {
        match self.get_mut(place) {
            Some(SyncObject::Condition { waiters }) => {
                let at = waiters.iter().position(|w| w.thread == thread)?;
                waiters.remove(at).signalled
            }
            _ => None,
        }
    }

    /// Destroys whatever stands at `place`.
    ///
    /// # Errors
    /// When it is in use.
    pub fn destroy(&mut self, place: Place) -> Result<(), Misuse> {
        match self.get(place) {
            Some(
                SyncObject::Mutex { owner: Some(_), .. }
                | SyncObject::Spin { owner: Some(_), .. }
                | SyncObject::RwLock { writer: Some(_), .. },
            ) => return Err(Misuse::DestroyLocked),
            Some(SyncObject::Barrier { arrived, .. }) if !arrived.is_empty() => return Err(Misuse::DestroyBarrier),
            Some(SyncObject::RwLock { readers, .. }) if !readers.is_empty() => return Err(Misuse::DestroyLocked),
            Some(SyncObject::Condition { waiters }) if waiters.iter().any(|w| w.signalled.is_none()) => {
                return Err(Misuse::DestroyWaitedFor);
            }
            Some(SyncObject::Destroyed) => return Err(Misuse::UseDestroyed),
            _ => {}
        }
        self.set(place, SyncObject::Destroyed);
        Ok(())
    }

    /// The once flag at `place`.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn once(&mut self, place: Place) -> Result<(&mut OnceState, &mut VectorClock), Misuse> {
        match self.get_mut(place) {
            Some(SyncObject::Once { state, done }) => Ok((state, done)),
            other => Err(wrong(other)),
        }
    }

    /// The locks that a thread holds, by place.
    pub fn held(&self, thread: ThreadId) -> Vec<Held> {
        self.objects
            .iter()
            .filter_map(|(&place, object)| match object {
                SyncObject::Mutex { owner: Some(owner), .. } | SyncObject::Spin { owner: Some(owner), .. }
                    if *owner == thread =>
                {
                    Some(Held { place, mode: LockMode::Exclusive })
                }
                SyncObject::RwLock { writer: Some(writer), .. } if *writer == thread => {
                    Some(Held { place, mode: LockMode::Exclusive })
                }
                SyncObject::RwLock { readers, .. } if readers.contains(&thread) => {
                    Some(Held { place, mode: LockMode::Shared })
                }
                _ => None,
            })
            .collect()
    }

    /// The threads that hold the lock at `place`.
    pub fn holders(&self, place: Place) -> Vec<ThreadId> {
        match self.get(place) {
            Some(SyncObject::Mutex { owner, .. } | SyncObject::Spin { owner, .. }) => owner.iter().copied().collect(),
            Some(SyncObject::RwLock { writer, readers, .. }) => writer.iter().chain(readers).copied().collect(),
            Some(SyncObject::Once { state: OnceState::Running(thread), .. }) => vec![*thread],
            _ => Vec::new(),
        }
    }

    /// Everything but the clocks, for the fingerprint of a state.
    pub fn describe(&self) -> impl Iterator<Item = (Place, u8, Vec<u64>)> + '_ {
        self.objects.iter().map(|(&place, object)| {
            let thread = |t: &ThreadId| t.index() as u64 + 1;
            let (tag, words) = match object {
                SyncObject::Mutex { owner, depth, health, kind, .. } => {
                    let health = health.map_or(0, |h| 1 + h as u64);
                    (0, vec![owner.as_ref().map_or(0, thread), u64::from(*depth), health, *kind as u64])
                }
                SyncObject::Spin { owner, .. } => (7, vec![owner.as_ref().map_or(0, thread)]),
                SyncObject::Semaphore { value, initial, .. } => {
                    let more = match initial {
                        Initial::Known => 0,
                        Initial::UpTo(most) => u64::from(*most),
                        Initial::Any => u64::MAX,
                    };
                    (8, vec![u64::from(*value), more])
                }
                // How many rounds there have been makes no difference to what is to come.
                SyncObject::Barrier { count, arrived, .. } => {
                    let count = count.map_or(0, u64::from);
                    (9, std::iter::once(count).chain(arrived.iter().map(|a| thread(&a.thread))).collect())
                }
                SyncObject::RwLock { writer, readers, .. } => {
                    let mut words: Vec<u64> = readers.iter().map(thread).collect();
                    words.sort_unstable();
                    words.push(writer.as_ref().map_or(0, thread));
                    (1, words)
                }
                SyncObject::Condition { waiters } => {
                    (2, waiters.iter().map(|w| thread(&w.thread) << 1 | u64::from(w.signalled.is_some())).collect())
                }
                SyncObject::Once { state, .. } => match state {
                    OnceState::Idle => (3, vec![]),
                    OnceState::Running(t) => (4, vec![thread(t)]),
                    OnceState::Done => (5, vec![]),
                },
                SyncObject::Destroyed => (6, vec![]),
            };
            (place, tag, words)
        })
    }

    /// All clocks with a tag that says whose they are.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = (ClockTag, &VectorClock)> {
        let objects = self.objects.iter().flat_map(|(&place, object)| {
            let tag = |part: u64| ClockTag { what: 1 << 62 | part, place: Some(place) };
            let clocks: Vec<(ClockTag, &VectorClock)> = match object {
                SyncObject::Mutex { released, .. } | SyncObject::Spin { released, .. } => vec![(tag(0), released)],
                SyncObject::Semaphore { posted, .. } => vec![(tag(0), posted)],
                SyncObject::Barrier { arrived, .. } => {
                    arrived.iter().map(|a| (tag(a.thread.index() as u64), &a.clock)).collect()
                }
                SyncObject::RwLock { written, read, .. } => vec![(tag(0), written), (tag(1), read)],
                SyncObject::Condition { waiters } => {
                    waiters.iter().filter_map(|w| Some((tag(w.thread.index() as u64), w.signalled.as_ref()?))).collect()
                }
                SyncObject::Once { done, .. } => vec![(tag(0), done)],
                SyncObject::Destroyed => vec![],
            };
            clocks
        });
        let alone = |what: u64| ClockTag { what, place: None };
        let through = self.through.iter().map(move |(thread, t)| (alone(1 << 61 | thread.index() as u64), &t.clock));
        let blocks =
            self.block_clocks().map(|(place, whose, clock)| (ClockTag { what: whose, place: Some(place) }, clock));
        objects.chain(through).chain(blocks).chain([(alone(1 << 60), &self.atomic_sections)])
    }
}

fn wrong(found: Option<&mut SyncObject>) -> Misuse {
    match found {
        None => Misuse::UseUninitialised,
        Some(SyncObject::Destroyed) => Misuse::UseDestroyed,
        Some(_) => Misuse::WrongKind,
    }
}
