//! The programs that the oracle can run: at most [`MAX_THREADS`] threads over a handful of shared objects.
//!
//! Invariant ([`Program::well_formed`]): each thread is created at most once, by a statement at the top level of
//! one body; only its creator joins it, once, later, at its own top level. So every `pthread_t` is a local
//! variable, and creating and joining read and write no shared memory.
//! Everything shared starts as zero, except the heap cell, which `main` allocates and sets to zero first.

/// Threads of one program, `main` included.
pub const MAX_THREADS: usize = 5;
/// Shared integers of one program, the heap cell aside.
pub const MAX_VARS: usize = 6;
pub const MAX_MUTEXES: usize = 4;
pub const MAX_RWLOCKS: usize = 2;
/// Local integers `r0`, `r1`, ... of one thread.
pub const LOCALS: usize = 4;
/// Local integers of the function that `pthread_once` runs.
pub const ONCE_LOCALS: usize = 2;

/// A thread by its place in [`Program::threads`]; 0 is `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u8);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A shared integer by its place in [`Program::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u8);

/// A thread-local integer, `r0` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u8);

/// A mutex by its place in [`Program::mutexes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutexId(pub u8);

/// A read-write lock, below [`Program::rwlocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RwLockId(pub u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VarKind {
    /// `static int x0`, accessed plainly.
    Plain,
    /// `static int x0`, accessed plainly and by `__atomic_*` builtins. Only relaxed ones, and no fence beside
    /// them: C11 has no modification order for such an object, so whether it could synchronise is undefined.
    Mixed,
    /// `static _Atomic int a0`.
    Atomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutexKind {
    Normal,
    Recursive,
    ErrorCheck,
}

/// Where a shared integer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Global(Var),
    /// The one heap cell, `*cell`. Atomic accesses to it are relaxed, as for [`VarKind::Mixed`].
    Heap,
}

/// What `cell` points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// Allocated by `main`, freed by [`Stmt::Free`].
    Allocated,
    /// A variable of a block in `main` that [`Stmt::Free`] ends: the only one, at the top level of `main`.
    OfBlock,
}

/// What a thread does while it looks again and again, which nobody else can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounds {
    Idle,
    /// A wait with a time limit on objects of its own, around which it counts up and down.
    Sleeps,
    /// It tries a lock that `main` has taken before all else, and keeps. All that do so try the same one.
    Tries,
    /// It counts them, which decides nothing.
    Counts,
}

/// What a write stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Const(i32),
    Local(Local),
    /// `local + constant`.
    Sum(Local, i32),
}

/// Orders of an atomic load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadOrder {
    Relaxed,
    Acquire,
    SeqCst,
}

impl LoadOrder {
    pub(crate) fn acquires(self) -> bool {
        self != LoadOrder::Relaxed
    }
}

/// Orders of an atomic store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreOrder {
    Relaxed,
    Release,
    SeqCst,
}

impl StoreOrder {
    pub(crate) fn releases(self) -> bool {
        self != StoreOrder::Relaxed
    }
}

/// Orders of a read-modify-write, and of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RmwOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl RmwOrder {
    pub(crate) fn acquires(self) -> bool {
        matches!(self, RmwOrder::Acquire | RmwOrder::AcqRel | RmwOrder::SeqCst)
    }

    pub(crate) fn releases(self) -> bool {
        matches!(self, RmwOrder::Release | RmwOrder::AcqRel | RmwOrder::SeqCst)
    }

    /// What of it a load has.
    pub(crate) fn of_load(self) -> LoadOrder {
        match self {
            RmwOrder::Relaxed | RmwOrder::Release => LoadOrder::Relaxed,
            RmwOrder::Acquire | RmwOrder::AcqRel => LoadOrder::Acquire,
            RmwOrder::SeqCst => LoadOrder::SeqCst,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stmt {
    /// `dst = place;`
    Read {
        dst: Local,
        from: Place,
    },
    /// `place = value;`
    Write {
        to: Place,
        value: Value,
    },
    /// `place++;`: a read and a write.
    Increment {
        place: Place,
    },
    Load {
        dst: Local,
        from: Place,
        order: LoadOrder,
    },
    Store {
        to: Place,
        value: Value,
        order: StoreOrder,
    },
    FetchAdd {
        dst: Local,
        place: Place,
        operand: i32,
        order: RmwOrder,
    },
    Exchange {
        dst: Local,
        place: Place,
        value: i32,
        order: RmwOrder,
    },
    /// Strong; `dst` becomes 1 where it succeeded.
    CompareExchange {
        dst: Local,
        place: Place,
        expected: i32,
        desired: i32,
        order: RmwOrder,
        /// Where it fails: any order of a load, weaker or stronger (C17 7.17.7.4p2).
        failure: LoadOrder,
    },
    /// `while (atomic_load(&place) == equals);`, or `while (atomic_exchange(&place, equals) == equals);` where it takes: rounds in
    /// which it goes on change nothing, so it waits as a lock does.
    SpinWhile {
        place: Place,
        equals: i32,
        takes: bool,
        rounds: Rounds,
        order: RmwOrder,
    },
    Fence {
        order: RmwOrder,
    },
    Lock(MutexId),
    Unlock(MutexId),
    /// `if (pthread_mutex_trylock(..) == 0) taken else busy`, or `pthread_mutex_timedlock`, which may time out at any
    /// moment at which the mutex is not free. `taken` unlocks by its own statement.
    TryLock {
        mutex: MutexId,
        timed: bool,
        taken: Vec<Stmt>,
        busy: Vec<Stmt>,
    },
    ReadLock(RwLockId),
    WriteLock(RwLockId),
    RwUnlock(RwLockId),
    /// `pthread_spin_lock(&s0);`
    SpinLock,
    SpinUnlock,
    TrySpin {
        taken: Vec<Stmt>,
        busy: Vec<Stmt>,
    },
    /// `sem_wait(&p0);`
    SemWait,
    SemPost,
    /// `if (sem_trywait(..) == 0) taken else busy`, or `sem_timedwait`.
    TrySem {
        timed: bool,
        taken: Vec<Stmt>,
        busy: Vec<Stmt>,
    },
    /// `pthread_barrier_wait(&b0);`; `dst` becomes 1 in the serial thread.
    Barrier {
        dst: Option<Local>,
    },
    /// `while (place == equals) pthread_cond_wait(&c0, &mutex);` with the wait on a line of its own.
    WaitWhile {
        mutex: MutexId,
        place: Place,
        equals: i32,
    },
    /// `dst = pthread_cond_timedwait(&c0, &mutex, &soon) != 0;`, which may time out at any moment, whoever holds the mutex then,
    /// and may come back with 0 though nobody has signalled.
    TimedWait {
        mutex: MutexId,
        dst: Local,
    },
    Signal,
    Broadcast,
    /// `if (local == constant) then else otherwise`, or `!=` where `equal` is false.
    If {
        local: Local,
        equal: bool,
        constant: i32,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `for (int i = 0; i < times; i++) body`, nested at most twice.
    Repeat {
        times: u8,
        body: Vec<Stmt>,
    },
    /// `assert(local != not);`
    Assert {
        local: Local,
        not: i32,
    },
    /// `pthread_once(&o0, init);`
    Once,
    /// `free(cell);`, or the end of the cell's block.
    Free,
    Create(ThreadId),
    Join(ThreadId),
}

impl Stmt {
    /// The bodies inside this statement.
    pub fn bodies(&self) -> [&[Stmt]; 2] {
        match self {
            Stmt::TryLock { taken, busy, .. } | Stmt::TrySpin { taken, busy } | Stmt::TrySem { taken, busy, .. } => {
                [taken, busy]
            }
            Stmt::If { then, otherwise, .. } => [then, otherwise],
            Stmt::Repeat { body, .. } => [body, &[]],
            _ => [&[], &[]],
        }
    }

    /// Calls `visit` for this statement and all inside it, outer ones first.
    pub fn walk(&self, visit: &mut impl FnMut(&Stmt)) {
        visit(self);
        for inner in self.bodies().into_iter().flatten() {
            inner.walk(visit);
        }
    }

    /// The shared integer that the statement accesses.
    pub fn place(&self) -> Option<Place> {
        match *self {
            Stmt::Read { from: place, .. }
            | Stmt::Write { to: place, .. }
            | Stmt::Increment { place }
            | Stmt::Load { from: place, .. }
            | Stmt::Store { to: place, .. }
            | Stmt::FetchAdd { place, .. }
            | Stmt::Exchange { place, .. }
            | Stmt::CompareExchange { place, .. }
            | Stmt::SpinWhile { place, .. }
            | Stmt::WaitWhile { place, .. } => Some(place),
            Stmt::Free => Some(Place::Heap),
            _ => None,
        }
    }
}

/// A whole program. `main` ends by reading every global and printing them all with one `printf`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program {
    pub vars: Vec<VarKind>,
    pub mutexes: Vec<MutexKind>,
    pub rwlocks: u8,
    /// What the semaphore is initialised with.
    pub semaphore: u8,
    /// How many threads the barrier is for; at least 1.
    pub barrier: u8,
    pub cell: Cell,
    /// What `pthread_once` runs: statements without bodies.
    pub once: Vec<Stmt>,
    /// The body of `main` up to the final print, then those of the other threads.
    pub threads: Vec<Vec<Stmt>>,
}

impl Program {
    /// Every statement, that of the once function included, outer ones first.
    pub fn walk(&self, mut visit: impl FnMut(&Stmt)) {
        for stmt in self.threads.iter().flatten().chain(&self.once) {
            stmt.walk(&mut visit);
        }
    }

    pub fn uses_heap(&self) -> bool {
        let mut found = false;
        self.walk(|stmt| found |= stmt.place() == Some(Place::Heap));
        found
    }

    /// Whether the module's invariant holds, and every id names something.
    pub fn well_formed(&self) -> bool {
        self.sizes_fit() && self.ids_resolve() && self.creations_are_sound() && self.cell_is_sound()
    }

    fn sizes_fit(&self) -> bool {
        (1..=MAX_THREADS).contains(&self.threads.len())
            && self.vars.len() <= MAX_VARS
            && self.mutexes.len() <= MAX_MUTEXES
            && usize::from(self.rwlocks) <= MAX_RWLOCKS
            && self.barrier > 0
            && self.threads.iter().all(|body| loop_depth(body) <= 2)
            && self.once.iter().all(|stmt| {
                let straight = stmt.bodies().iter().all(|body| body.is_empty());
                straight
                    && !matches!(
                        stmt,
                        Stmt::Once
                            | Stmt::Create(_)
                            | Stmt::Join(_)
                            | Stmt::WaitWhile { .. }
                            | Stmt::TimedWait { .. }
                            | Stmt::SpinWhile { .. }
                            | Stmt::Barrier { .. }
                    )
            })
    }

    /// Whether the cell ends where one of its kind may.
    pub(crate) fn cell_is_sound(&self) -> bool {
        let mut frees = 0;
        self.walk(|stmt| frees += usize::from(*stmt == Stmt::Free));
        self.cell == Cell::Allocated || frees == 1 && self.threads[0].contains(&Stmt::Free)
    }

    fn ids_resolve(&self) -> bool {
        let mut sound = true;
        self.walk(|stmt| {
            if let Some(Place::Global(var)) = stmt.place() {
                let kind = self.vars.get(usize::from(var.0));
                let atomic = is_atomic(stmt);
                sound &= kind.is_some_and(|kind| match kind {
                    VarKind::Plain => !atomic,
                    VarKind::Mixed => true,
                    VarKind::Atomic => atomic,
                });
            }
            sound &= match *stmt {
                Stmt::Lock(mutex)
                | Stmt::Unlock(mutex)
                | Stmt::TryLock { mutex, .. }
                | Stmt::WaitWhile { mutex, .. }
                | Stmt::TimedWait { mutex, .. } => usize::from(mutex.0) < self.mutexes.len(),
                Stmt::ReadLock(lock) | Stmt::WriteLock(lock) | Stmt::RwUnlock(lock) => lock.0 < self.rwlocks,
                _ => true,
            };
        });
        sound
    }

    fn creations_are_sound(&self) -> bool {
        let mut created = vec![false; self.threads.len()];
        let mut top_level = 0;
        for body in &self.threads {
            let mut own = vec![false; self.threads.len()];
            for stmt in body {
                match stmt {
                    Stmt::Create(thread) => match created.get_mut(thread.index()) {
                        Some(seen) if !*seen && *thread != ThreadId::MAIN => {
                            *seen = true;
                            own[thread.index()] = true;
                            top_level += 1;
                        }
                        _ => return false,
                    },
                    // Taking it out of `own` refuses a second join.
                    Stmt::Join(thread) => match own.get_mut(thread.index()) {
                        Some(mine) if *mine => {
                            *mine = false;
                            top_level += 1;
                        }
                        _ => return false,
                    },
                    _ => {}
                }
            }
        }
        let mut all = 0;
        self.walk(|stmt| all += usize::from(matches!(stmt, Stmt::Create(_) | Stmt::Join(_))));
        all == top_level
    }
}

/// Whether the statement accesses its place atomically.
pub(crate) fn is_atomic(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::FetchAdd { .. }
            | Stmt::Exchange { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::SpinWhile { .. }
    )
}

fn loop_depth(body: &[Stmt]) -> usize {
    let inner = |stmt: &Stmt| stmt.bodies().into_iter().map(loop_depth).max().unwrap_or(0);
    body.iter().map(|stmt| inner(stmt) + usize::from(matches!(stmt, Stmt::Repeat { .. }))).max().unwrap_or(0)
}
