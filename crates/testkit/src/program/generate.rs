//! Draws programs.
//!
//! A program mixes two or three *ingredients* (a guarded counter, message passing, a condition variable, ...), the
//! same ones in each thread, so that threads meet. A *careful* program keeps to the rules of its ingredients and
//! mostly has no race; a *careless* one breaks them here and there (a lock left out, an order too weak, a free too
//! early). That is what holds the share of racy programs between the extremes.
//!
//! Guarantee: the same seed and configuration give the same program; every program is well formed.

use std::collections::BTreeSet;

use super::ast::*;
use crate::rng::Rng;

/// What [`generate`] may draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Threads beside `main`: 2 up to this (at most 3).
    pub max_workers: usize,
    /// Programs in a hundred that break rules.
    pub careless: u32,
    /// Programs in a hundred in which a thread may have more than one block of statements.
    pub long: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config { max_workers: 3, careless: 82, long: 40 }
    }
}

/// The program of this seed.
pub fn generate(seed: u64, config: &Config) -> Program {
    let mut rng = Rng::new(seed);
    let careless = rng.chance(config.careless);
    let recklessness = rng.between(1, 2) as u32;
    let ingredients = ingredients(&mut rng);
    let semaphore = rng.weighted(&[(5, 0), (6, 1), (3, 2)]);
    let barrier = rng.weighted(&[(1, 1), (7, 2), (4, 3)]);
    let mut generator = Generator {
        rng,
        careless,
        recklessness,
        ingredients,
        vars: Vec::new(),
        mutexes: Vec::new(),
        rwlocks: 0,
        once: Vec::new(),
        next_local: 0,
    };
    let threads = generator.threads(config);
    let vars = generator.vars.iter().map(|(_, kind)| *kind).collect();
    let mutexes = generator.mutexes.iter().map(|(_, kind)| *kind).collect();
    let Generator { rwlocks, once, .. } = generator;
    let program = Program { vars, mutexes, rwlocks, semaphore, barrier, once, threads };
    debug_assert!(program.well_formed(), "seed {seed}: {program:?}");
    program
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ingredient {
    Guarded,
    ReadWriteLock,
    Atomics,
    MessagePassing,
    Fences,
    ReleaseSequence,
    CasLock,
    Condition,
    TryLock,
    Nested,
    Recursive,
    Heap,
    Once,
    BadUnlock,
    Mixed,
    Raw,
    Loop,
    Spin,
    Semaphore,
    Queue,
    Barrier,
}

use Ingredient as I;

const WEIGHTS: [(usize, Ingredient); 21] = [
    (9, I::Guarded),
    (14, I::ReadWriteLock),
    (6, I::Atomics),
    (6, I::MessagePassing),
    (8, I::Fences),
    (5, I::ReleaseSequence),
    (5, I::CasLock),
    (15, I::Condition),
    (7, I::TryLock),
    (15, I::Nested),
    (7, I::Recursive),
    (21, I::Heap),
    (13, I::Once),
    (20, I::BadUnlock),
    (10, I::Mixed),
    (5, I::Raw),
    (7, I::Loop),
    (9, I::Spin),
    (10, I::Semaphore),
    (8, I::Queue),
    (13, I::Barrier),
];

fn ingredients(rng: &mut Rng) -> Vec<Ingredient> {
    let mut chosen = Vec::new();
    while chosen.len() < 2 {
        let next = rng.weighted(&WEIGHTS);
        // Nothing that could synchronise may stand beside atomic accesses to plain objects; see `VarKind::Mixed`.
        let plain_atomics = |i: &Ingredient| matches!(i, I::Mixed | I::Heap);
        let clash = chosen
            .iter()
            .any(|other| (plain_atomics(other) && next == I::Fences) || (plain_atomics(&next) && *other == I::Fences));
        if !clash && !chosen.contains(&next) {
            chosen.push(next);
        }
    }
    chosen
}

/// What a shared integer is for. Each is created when it is first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Guarded by [`Guard::First`].
    Data,
    /// Guarded by the read-write lock.
    Shared,
    Message,
    /// Guarded by the compare-exchange on `Spin`.
    Claimed,
    Ready,
    Initialised,
    Mixed,
    /// Guarded by the spin lock.
    Spun,
    /// Guarded by the semaphore.
    Counted,
    /// Separated by the barrier.
    Phased,
    Flag,
    Counter,
    Spin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    First,
    Second,
    Recursive,
    ErrorCheck,
}

struct Generator {
    rng: Rng,
    careless: bool,
    /// What the chances of [`Generator::slip`] are multiplied with: 1 or 2.
    recklessness: u32,
    ingredients: Vec<Ingredient>,
    vars: Vec<(Role, VarKind)>,
    mutexes: Vec<(Guard, MutexKind)>,
    rwlocks: u8,
    once: Vec<Stmt>,
    next_local: u8,
}

const FIRST_RWLOCK: RwLockId = RwLockId(0);

impl Generator {
    fn threads(&mut self, config: &Config) -> Vec<Vec<Stmt>> {
        let workers = if config.max_workers > 2 && self.rng.chance(35) { 3 } else { 2 };
        let long = workers == 2 && self.rng.chance(config.long);
        let mut threads = vec![Vec::new()];
        for thread in 1..=workers {
            let blocks = if long && self.rng.chance(60) { 2 } else { 1 };
            // With as many blocks as ingredients each comes up; else the threads share the first one mostly.
            let mut body = Vec::new();
            for block in 0..blocks {
                let index = if self.rng.chance(55) { block } else { 1 - block };
                body.extend(self.block(self.ingredients[index], thread));
            }
            threads.push(body);
        }
        self.creations(&mut threads);
        threads
    }

    /// Writes the body of `main`, and lets one thread create another now and then.
    fn creations(&mut self, threads: &mut [Vec<Stmt>]) {
        let workers = threads.len() - 1;
        let nested = self.rng.chance(15);
        let by_main = if nested { workers - 1 } else { workers };
        let last = ThreadId(workers as u8);
        if nested {
            let body = &mut threads[1];
            let at = self.rng.below(body.len() + 1);
            // Inside a critical section a join would only add deadlocks, so it comes last.
            body.insert(at, Stmt::Create(last));
            if self.rng.chance(60) {
                body.push(Stmt::Join(last));
            }
        }
        let mut main = Vec::new();
        for thread in 1..=by_main {
            main.push(Stmt::Create(ThreadId(thread as u8)));
            if self.rng.chance(12) {
                main.extend(self.short_block());
            }
        }
        let leave = if self.rng.chance(15) { Some(self.rng.below(by_main) + 1) } else { None };
        for thread in (1..=by_main).filter(|&thread| Some(thread) != leave) {
            main.push(Stmt::Join(ThreadId(thread as u8)));
        }
        if leave.is_none() && self.ingredients.contains(&I::Heap) && self.rng.chance(65) {
            main.push(Stmt::Free);
            if self.slip(30) {
                main.push(Stmt::Read { dst: Local(0), from: Place::Heap });
            }
        } else if self.rng.chance(10) {
            main.extend(self.short_block());
        }
        threads[0] = main;
    }

    /// An access that fits between `main`'s calls.
    fn short_block(&mut self) -> Vec<Stmt> {
        if self.careless && self.rng.chance(50) {
            vec![self.plain_access(Role::Data)]
        } else {
            vec![self.atomic_operation(Role::Counter)]
        }
    }

    /// Whether to break a rule here: in `percent` of the places of a careless program, in twice that of a reckless one.
    fn slip(&mut self, percent: u32) -> bool {
        self.careless && self.rng.chance(percent * self.recklessness)
    }

    fn var(&mut self, role: Role) -> Place {
        let kind = match role {
            Role::Flag | Role::Counter | Role::Spin => VarKind::Atomic,
            Role::Mixed => VarKind::Mixed,
            _ => VarKind::Plain,
        };
        let index = self.vars.iter().position(|(other, _)| *other == role).unwrap_or_else(|| {
            self.vars.push((role, kind));
            self.vars.len() - 1
        });
        Place::Global(Var(index as u8))
    }

    fn mutex(&mut self, guard: Guard) -> MutexId {
        let position = self.mutexes.iter().position(|(other, _)| *other == guard);
        let index = position.unwrap_or_else(|| {
            let kind = match guard {
                Guard::First => self.rng.weighted(&[(7, MutexKind::Normal), (3, MutexKind::ErrorCheck)]),
                Guard::Second => MutexKind::Normal,
                Guard::Recursive => MutexKind::Recursive,
                Guard::ErrorCheck => MutexKind::ErrorCheck,
            };
            self.mutexes.push((guard, kind));
            self.mutexes.len() - 1
        });
        MutexId(index as u8)
    }

    fn local(&mut self) -> Local {
        self.next_local = (self.next_local + 1) % LOCALS as u8;
        Local(self.next_local)
    }

    fn constant(&mut self) -> i32 {
        self.rng.between(1, 2) as i32
    }

    fn value(&mut self) -> Value {
        match self.rng.below(6) {
            0 => Value::Local(Local(self.next_local)),
            1 => Value::Sum(Local(self.next_local), self.constant()),
            _ => Value::Const(self.constant()),
        }
    }

    fn plain_access(&mut self, role: Role) -> Stmt {
        let place = self.var(role);
        self.plain_access_to(place)
    }

    fn plain_access_to(&mut self, place: Place) -> Stmt {
        match self.rng.below(10) {
            0..4 => Stmt::Read { dst: self.local(), from: place },
            4..8 => Stmt::Write { to: place, value: self.value() },
            _ => Stmt::Increment { place },
        }
    }

    /// One or two accesses, or a read with what is done about it.
    fn accesses(&mut self, role: Role) -> Vec<Stmt> {
        let place = self.var(role);
        match self.rng.below(8) {
            0 | 3 | 4 => {
                let dst = self.local();
                let not = self.constant();
                vec![Stmt::Read { dst, from: place }, Stmt::Assert { local: dst, not }]
            }
            1 => {
                let dst = self.local();
                let otherwise = if self.rng.chance(40) { vec![self.plain_access(role)] } else { Vec::new() };
                let then = vec![Stmt::Write { to: place, value: self.value() }];
                let (equal, constant) = (self.rng.chance(60), self.rng.between(0, 1) as i32);
                vec![Stmt::Read { dst, from: place }, Stmt::If { local: dst, equal, constant, then, otherwise }]
            }
            2 => vec![self.plain_access(role), self.plain_access(role)],
            _ => vec![self.plain_access(role)],
        }
    }

    fn rmw_order(&mut self) -> RmwOrder {
        self.rng.weighted(&[
            (5, RmwOrder::SeqCst),
            (1, RmwOrder::Relaxed),
            (1, RmwOrder::Acquire),
            (1, RmwOrder::Release),
            (2, RmwOrder::AcqRel),
        ])
    }

    /// An order strong enough to pass a message, unless the program slips.
    fn acquire(&mut self) -> LoadOrder {
        if self.slip(45) {
            LoadOrder::Relaxed
        } else {
            self.rng.weighted(&[(2, LoadOrder::SeqCst), (1, LoadOrder::Acquire)])
        }
    }

    fn release(&mut self) -> StoreOrder {
        if self.slip(40) {
            StoreOrder::Relaxed
        } else {
            self.rng.weighted(&[(2, StoreOrder::SeqCst), (1, StoreOrder::Release)])
        }
    }

    fn atomic_operation(&mut self, role: Role) -> Stmt {
        let place = self.var(role);
        let dst = self.local();
        match self.rng.below(5) {
            0 => {
                let order =
                    self.rng.pick(&[LoadOrder::SeqCst, LoadOrder::SeqCst, LoadOrder::Acquire, LoadOrder::Relaxed]);
                Stmt::Load { dst, from: place, order }
            }
            1 => {
                let value = self.value();
                let order =
                    self.rng.pick(&[StoreOrder::SeqCst, StoreOrder::SeqCst, StoreOrder::Release, StoreOrder::Relaxed]);
                Stmt::Store { to: place, value, order }
            }
            2 => Stmt::FetchAdd { dst, place, operand: self.constant(), order: self.rmw_order() },
            3 => Stmt::Exchange { dst, place, value: self.constant(), order: self.rmw_order() },
            _ => {
                let (expected, desired) = (self.rng.between(0, 1) as i32, self.constant());
                Stmt::CompareExchange { dst, place, expected, desired, order: self.rmw_order() }
            }
        }
    }

    fn block(&mut self, ingredient: Ingredient, thread: usize) -> Vec<Stmt> {
        match ingredient {
            I::Guarded => self.guarded(),
            I::ReadWriteLock => self.read_write_lock(),
            I::Atomics => self.atomics(),
            I::MessagePassing => self.message_passing(thread),
            I::Fences => self.fences(thread),
            I::ReleaseSequence => self.release_sequence(thread),
            I::CasLock => self.cas_lock(),
            I::Condition => self.condition(thread),
            I::TryLock => self.try_lock(),
            I::Nested => self.nested(),
            I::Recursive => self.recursive(),
            I::Heap => self.heap(thread),
            I::Once => self.once(),
            I::BadUnlock => self.bad_unlock(),
            I::Mixed => self.mixed(),
            I::Raw => self.raw(),
            I::Loop => self.repeat(),
            I::Spin => self.spin(),
            I::Semaphore => self.semaphore(),
            I::Queue => self.queue(thread),
            I::Barrier => self.barrier(),
        }
    }

    fn guarded(&mut self) -> Vec<Stmt> {
        let accesses = self.accesses(Role::Data);
        let mutex = self.mutex(Guard::First);
        if self.slip(40) {
            return accesses;
        }
        if self.slip(8) {
            // Relocks: a self-deadlock of a normal mutex.
            return [vec![Stmt::Lock(mutex), Stmt::Lock(mutex)], accesses, vec![Stmt::Unlock(mutex)]].concat();
        }
        self.inside(mutex, accesses)
    }

    /// `accesses` under `mutex`; a slip lets the last one out of the critical section.
    fn inside(&mut self, mutex: MutexId, mut accesses: Vec<Stmt>) -> Vec<Stmt> {
        let late = if self.slip(30) { accesses.pop() } else { None };
        let mut body = vec![Stmt::Lock(mutex)];
        body.append(&mut accesses);
        body.push(Stmt::Unlock(mutex));
        body.extend(late);
        body
    }

    fn read_write_lock(&mut self) -> Vec<Stmt> {
        self.rwlocks = 1;
        let access = self.plain_access(Role::Shared);
        let reads = matches!(access, Stmt::Read { .. });
        if self.slip(20) {
            return vec![access];
        }
        let shared = if reads { self.rng.chance(80) } else { self.slip(35) };
        let lock = if shared { Stmt::ReadLock(FIRST_RWLOCK) } else { Stmt::WriteLock(FIRST_RWLOCK) };
        vec![lock, access, Stmt::RwUnlock(FIRST_RWLOCK)]
    }

    fn atomics(&mut self) -> Vec<Stmt> {
        let mut body = vec![self.atomic_operation(Role::Counter), self.atomic_operation(Role::Counter)];
        if self.rng.chance(50) {
            let not = self.constant();
            body.push(Stmt::Assert { local: Local(self.next_local), not });
        }
        if self.slip(40) {
            body.push(self.plain_access(Role::Data));
        }
        body
    }

    /// The first thread sends; the others read the message if it has come.
    fn message_passing(&mut self, thread: usize) -> Vec<Stmt> {
        let (message, flag) = (self.var(Role::Message), self.var(Role::Flag));
        if thread == 1 {
            let value = Value::Const(self.constant());
            let order = self.release();
            return vec![Stmt::Write { to: message, value }, Stmt::Store { to: flag, value: Value::Const(1), order }];
        }
        let order = self.acquire();
        self.receive(Stmt::Load { dst: Local(0), from: flag, order }, Vec::new())
    }

    /// A load into `r0`, then `first` and a read of the message where it is not zero.
    fn receive(&mut self, load: Stmt, mut first: Vec<Stmt>) -> Vec<Stmt> {
        let message = self.var(Role::Message);
        first.push(Stmt::Read { dst: Local(1), from: message });
        if self.rng.chance(40) {
            let not = self.rng.between(0, 1) as i32;
            first.push(Stmt::Assert { local: Local(1), not });
        }
        vec![load, Stmt::If { local: Local(0), equal: false, constant: 0, then: first, otherwise: Vec::new() }]
    }

    fn fences(&mut self, thread: usize) -> Vec<Stmt> {
        let (message, flag) = (self.var(Role::Message), self.var(Role::Flag));
        let fence = |order| vec![Stmt::Fence { order }];
        if thread == 1 {
            let strong = self.rng.pick(&[RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst]);
            let between = if self.slip(40) { Vec::new() } else { fence(strong) };
            let write = Stmt::Write { to: message, value: Value::Const(self.constant()) };
            let store = Stmt::Store { to: flag, value: Value::Const(1), order: StoreOrder::Relaxed };
            return [vec![write], between, vec![store]].concat();
        }
        let strong = self.rng.pick(&[RmwOrder::Acquire, RmwOrder::AcqRel, RmwOrder::SeqCst]);
        let order = if self.slip(40) { RmwOrder::Release } else { strong };
        self.receive(Stmt::Load { dst: Local(0), from: flag, order: LoadOrder::Relaxed }, fence(order))
    }

    /// The first thread heads a sequence and may go on with it; the others go on with it, or read.
    fn release_sequence(&mut self, thread: usize) -> Vec<Stmt> {
        let (message, flag) = (self.var(Role::Message), self.var(Role::Flag));
        if thread == 1 {
            let order = self.release();
            let mut body = vec![
                Stmt::Write { to: message, value: Value::Const(1) },
                Stmt::Store { to: flag, value: Value::Const(1), order },
            ];
            if self.rng.chance(60) {
                body.push(Stmt::Store { to: flag, value: Value::Const(2), order: StoreOrder::Relaxed });
            }
            return body;
        }
        if thread == 2 && self.rng.chance(40) {
            // A store by another thread would break the sequence.
            let broken = self.slip(60);
            return vec![if broken {
                Stmt::Store { to: flag, value: Value::Const(2), order: StoreOrder::Relaxed }
            } else {
                Stmt::FetchAdd { dst: Local(2), place: flag, operand: 2, order: RmwOrder::Relaxed }
            }];
        }
        let order = self.acquire();
        let load = if self.rng.chance(70) {
            Stmt::Load { dst: Local(0), from: flag, order }
        } else {
            Stmt::FetchAdd { dst: Local(0), place: flag, operand: 1, order: RmwOrder::Acquire }
        };
        self.receive(load, Vec::new())
    }

    fn cas_lock(&mut self) -> Vec<Stmt> {
        let spin = self.var(Role::Spin);
        let access = self.plain_access(Role::Claimed);
        let weak = self.slip(45);
        let order = if weak { RmwOrder::Relaxed } else { self.rng.pick(&[RmwOrder::SeqCst, RmwOrder::Acquire]) };
        let release = self.release();
        let take = if self.rng.chance(80) {
            Stmt::CompareExchange { dst: Local(0), place: spin, expected: 0, desired: 1, order }
        } else {
            Stmt::Exchange { dst: Local(0), place: spin, value: 1, order }
        };
        let success = if matches!(take, Stmt::Exchange { .. }) { 0 } else { 1 };
        let then = vec![access, Stmt::Store { to: spin, value: Value::Const(0), order: release }];
        vec![take, Stmt::If { local: Local(0), equal: true, constant: success, then, otherwise: Vec::new() }]
    }

    /// The first thread waits; the others make it ready.
    fn condition(&mut self, thread: usize) -> Vec<Stmt> {
        let ready = self.var(Role::Ready);
        let mutex = self.mutex(Guard::First);
        if thread == 1 || (thread == 3 && self.rng.chance(50)) {
            let mut body = vec![Stmt::Lock(mutex), Stmt::WaitWhile { mutex, place: ready, equals: 0 }];
            if self.rng.chance(50) {
                body.push(self.plain_access(Role::Data));
            }
            body.push(Stmt::Unlock(mutex));
            return body;
        }
        let wake = if self.rng.chance(52) { Stmt::Signal } else { Stmt::Broadcast };
        let write = Stmt::Write { to: ready, value: Value::Const(1) };
        if self.slip(20) {
            return vec![write, wake];
        }
        if self.rng.chance(30) {
            return vec![Stmt::Lock(mutex), write, Stmt::Unlock(mutex), wake];
        }
        vec![Stmt::Lock(mutex), write, wake, Stmt::Unlock(mutex)]
    }

    fn try_lock(&mut self) -> Vec<Stmt> {
        let guard = if self.rng.chance(80) { Guard::First } else { Guard::Recursive };
        let mutex = self.mutex(guard);
        if self.rng.chance(30) {
            let access = vec![self.plain_access(Role::Data)];
            return self.inside(mutex, access);
        }
        let taken = vec![self.plain_access(Role::Data), Stmt::Unlock(mutex)];
        let busy = if self.slip(40) {
            vec![self.plain_access(Role::Data)]
        } else if self.rng.chance(40) {
            vec![self.atomic_operation(Role::Counter)]
        } else {
            Vec::new()
        };
        let timed = self.rng.chance(40);
        vec![Stmt::TryLock { mutex, timed, taken, busy }]
    }

    fn spin(&mut self) -> Vec<Stmt> {
        let accesses = self.accesses(Role::Spun);
        let unlock = vec![Stmt::SpinUnlock];
        if self.slip(20) {
            return accesses;
        }
        if self.slip(10) {
            return [vec![Stmt::SpinLock], accesses, vec![Stmt::SpinLock], unlock].concat();
        }
        if self.slip(12) {
            return [accesses, unlock].concat();
        }
        if self.rng.chance(30) {
            let busy = if self.slip(40) { vec![self.plain_access(Role::Spun)] } else { Vec::new() };
            return vec![Stmt::TrySpin { taken: [accesses, unlock].concat(), busy }];
        }
        [vec![Stmt::SpinLock], accesses, unlock].concat()
    }

    /// The semaphore as a lock.
    fn semaphore(&mut self) -> Vec<Stmt> {
        let accesses = [self.accesses(Role::Counted), vec![Stmt::SemPost]].concat();
        if self.slip(20) {
            return accesses;
        }
        if self.rng.chance(35) {
            let timed = self.rng.chance(50);
            let busy = if self.slip(40) { vec![self.plain_access(Role::Counted)] } else { Vec::new() };
            return vec![Stmt::TrySem { timed, taken: accesses, busy }];
        }
        [vec![Stmt::SemWait], accesses].concat()
    }

    /// The first thread posts what it has written; the others wait for it.
    fn queue(&mut self, thread: usize) -> Vec<Stmt> {
        let access = self.plain_access(Role::Counted);
        if thread == 1 {
            let mut body = vec![access, Stmt::SemPost];
            if self.rng.chance(50) {
                body.push(Stmt::SemPost);
            }
            return body;
        }
        let (dst, from) = (self.local(), self.var(Role::Counted));
        let read = Stmt::Read { dst, from };
        if self.slip(30) {
            return vec![Stmt::TrySem { timed: false, taken: Vec::new(), busy: Vec::new() }, read];
        }
        vec![Stmt::SemWait, read]
    }

    /// An access before the barrier, and one behind it, by the serial thread alone perhaps.
    fn barrier(&mut self) -> Vec<Stmt> {
        let before = if self.slip(25) { self.plain_access(Role::Phased) } else { self.atomic_operation(Role::Counter) };
        let access = self.plain_access(Role::Phased);
        if self.rng.chance(45) {
            let dst = Local(0);
            let mut then = vec![access];
            if self.rng.chance(30) {
                then.push(Stmt::Assert { local: dst, not: self.rng.between(0, 1) as i32 });
            }
            let choose = Stmt::If { local: dst, equal: true, constant: 1, then, otherwise: Vec::new() };
            return vec![before, Stmt::Barrier { dst: Some(dst) }, choose];
        }
        [vec![before, Stmt::Barrier { dst: None }], self.accesses(Role::Phased)].concat()
    }

    fn nested(&mut self) -> Vec<Stmt> {
        let (first, second) = (self.mutex(Guard::First), self.mutex(Guard::Second));
        let (outer, inner) = if self.slip(50) { (second, first) } else { (first, second) };
        let access = self.plain_access(Role::Data);
        if self.slip(15) {
            // Only the lock that does not guard the data.
            return vec![Stmt::Lock(second), access, Stmt::Unlock(second)];
        }
        vec![Stmt::Lock(outer), Stmt::Lock(inner), access, Stmt::Unlock(inner), Stmt::Unlock(outer)]
    }

    fn recursive(&mut self) -> Vec<Stmt> {
        let mutex = self.mutex(Guard::Recursive);
        let access = self.plain_access(Role::Shared);
        if self.slip(25) {
            // One unlock too few is no release; one too many is misuse.
            return vec![Stmt::Lock(mutex), Stmt::Lock(mutex), Stmt::Unlock(mutex), access, Stmt::Unlock(mutex)];
        }
        if self.slip(25) {
            return vec![Stmt::Lock(mutex), Stmt::Unlock(mutex), access];
        }
        if self.rng.chance(50) {
            return vec![Stmt::Lock(mutex), access, Stmt::Unlock(mutex)];
        }
        vec![Stmt::Lock(mutex), Stmt::Lock(mutex), access, Stmt::Unlock(mutex), Stmt::Unlock(mutex)]
    }

    fn heap(&mut self, thread: usize) -> Vec<Stmt> {
        let mutex = self.mutex(Guard::First);
        if thread > 1 && self.slip(60) {
            return if self.rng.chance(50) { vec![Stmt::Free] } else { self.inside(mutex, vec![Stmt::Free]) };
        }
        if self.rng.chance(45) {
            let dst = self.local();
            return vec![if self.rng.chance(50) {
                Stmt::Load { dst, from: Place::Heap, order: LoadOrder::Relaxed }
            } else {
                Stmt::FetchAdd { dst, place: Place::Heap, operand: 1, order: RmwOrder::Relaxed }
            }];
        }
        let access = self.plain_access_to(Place::Heap);
        if self.slip(45) { vec![access] } else { self.inside(mutex, vec![access]) }
    }

    fn once(&mut self) -> Vec<Stmt> {
        let place = self.var(Role::Initialised);
        if self.once.is_empty() {
            self.once.push(Stmt::Write { to: place, value: Value::Const(1) });
            if self.rng.chance(30) {
                self.once.push(Stmt::Increment { place });
            }
        }
        let dst = self.local();
        let read = Stmt::Read { dst, from: place };
        if self.slip(45) {
            return vec![read];
        }
        let mut body = vec![Stmt::Once, read];
        if self.rng.chance(25) {
            body.push(Stmt::Assert { local: dst, not: self.rng.between(1, 2) as i32 });
        }
        body
    }

    fn bad_unlock(&mut self) -> Vec<Stmt> {
        // An error-checking mutex only says so; for a recursive one it is misuse.
        let kind = if self.rng.chance(60) { Guard::Recursive } else { Guard::ErrorCheck };
        let mutex = self.mutex(kind);
        let mut body = vec![self.atomic_operation(Role::Counter)];
        if self.rng.chance(35) {
            body = vec![Stmt::Lock(mutex), self.plain_access(Role::Message), Stmt::Unlock(mutex)];
        } else if self.rng.chance(50) {
            let local = Local(self.next_local);
            let then = vec![Stmt::Unlock(mutex)];
            body.push(Stmt::If { local, equal: true, constant: self.constant(), then, otherwise: Vec::new() });
        } else {
            body.push(Stmt::Unlock(mutex));
        }
        body
    }

    fn mixed(&mut self) -> Vec<Stmt> {
        let place = self.var(Role::Mixed);
        let dst = self.local();
        let plain = if self.careless { 50 } else { 5 };
        if self.rng.chance(plain) {
            return vec![self.plain_access_to(place)];
        }
        vec![match self.rng.below(3) {
            0 => Stmt::Load { dst, from: place, order: LoadOrder::Relaxed },
            1 => Stmt::Store { to: place, value: Value::Const(1), order: StoreOrder::Relaxed },
            _ => Stmt::FetchAdd { dst, place, operand: 1, order: RmwOrder::Relaxed },
        }]
    }

    fn raw(&mut self) -> Vec<Stmt> {
        self.accesses(Role::Data)
    }

    fn repeat(&mut self) -> Vec<Stmt> {
        let mutex = self.mutex(Guard::First);
        let access = self.plain_access(Role::Data);
        let body = match self.rng.below(3) {
            0 => vec![self.atomic_operation(Role::Counter)],
            1 if self.slip(60) => vec![access],
            _ => vec![Stmt::Lock(mutex), access, Stmt::Unlock(mutex)],
        };
        vec![Stmt::Repeat { times: 2, body }]
    }
}

/// The kinds of action that a program takes, by name; the generator's test counts them.
pub fn actions(program: &Program) -> BTreeSet<&'static str> {
    let mut actions = BTreeSet::new();
    let mut joined = 0;
    let mut created = 0;
    for (index, body) in program.threads.iter().enumerate() {
        for stmt in body {
            match stmt {
                Stmt::Create(_) => created += 1,
                Stmt::Join(_) => joined += 1,
                _ if index == 0 => {
                    actions.insert("main acts between its calls");
                }
                _ => {}
            }
            if index > 0 && matches!(stmt, Stmt::Create(_)) {
                actions.insert("thread created by a thread");
            }
        }
    }
    if joined < created {
        actions.insert("thread not joined");
    }
    if program.threads.len() == 4 {
        actions.insert("three threads");
    }
    program.walk(|stmt| {
        actions.insert(statement_name(program, stmt));
        actions.extend(order_name(stmt));
        let plain = matches!(stmt, Stmt::Read { .. } | Stmt::Write { .. } | Stmt::Increment { .. });
        match stmt.place() {
            Some(Place::Heap) if *stmt != Stmt::Free => {
                actions.insert(if plain { "heap access" } else { "atomic heap access" });
            }
            Some(Place::Global(var)) if !plain && program.vars[usize::from(var.0)] == VarKind::Mixed => {
                actions.insert("atomic access to a plain object");
            }
            _ => {}
        }
    });
    actions
}

fn statement_name(program: &Program, stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::Read { .. } => "read",
        Stmt::Write { .. } => "write",
        Stmt::Increment { .. } => "increment",
        Stmt::Load { .. } => "atomic load",
        Stmt::Store { .. } => "atomic store",
        Stmt::FetchAdd { .. } => "fetch_add",
        Stmt::Exchange { .. } => "exchange",
        Stmt::CompareExchange { .. } => "compare_exchange",
        Stmt::Fence { .. } => "fence",
        Stmt::Lock(mutex) => match program.mutexes[usize::from(mutex.0)] {
            MutexKind::Normal => "lock normal",
            MutexKind::Recursive => "lock recursive",
            MutexKind::ErrorCheck => "lock errorcheck",
        },
        Stmt::Unlock(_) => "unlock",
        Stmt::TryLock { timed: false, .. } => "trylock",
        Stmt::TryLock { timed: true, .. } => "timedlock",
        Stmt::SpinLock => "spin lock",
        Stmt::SpinUnlock => "spin unlock",
        Stmt::TrySpin { .. } => "spin trylock",
        Stmt::SemWait => "sem wait",
        Stmt::SemPost => "sem post",
        Stmt::TrySem { timed: false, .. } => "sem trywait",
        Stmt::TrySem { timed: true, .. } => "sem timedwait",
        Stmt::Barrier { .. } => "barrier",
        Stmt::ReadLock(_) => "rdlock",
        Stmt::WriteLock(_) => "wrlock",
        Stmt::RwUnlock(_) => "rwlock unlock",
        Stmt::WaitWhile { .. } => "cond wait",
        Stmt::Signal => "signal",
        Stmt::Broadcast => "broadcast",
        Stmt::If { .. } => "if",
        Stmt::Repeat { .. } => "for",
        Stmt::Assert { .. } => "assert",
        Stmt::Once => "once",
        Stmt::Free => "free",
        Stmt::Create(_) => "create",
        Stmt::Join(_) => "join",
    }
}

fn order_name(stmt: &Stmt) -> Option<&'static str> {
    let (acquires, releases) = match stmt {
        Stmt::Load { order, .. } => (order.acquires(), false),
        Stmt::Store { order, .. } => (false, order.releases()),
        Stmt::FetchAdd { order, .. } | Stmt::Exchange { order, .. } | Stmt::CompareExchange { order, .. } => {
            (order.acquires(), order.releases())
        }
        _ => return None,
    };
    let seq_cst = match stmt {
        Stmt::Load { order, .. } => *order == LoadOrder::SeqCst,
        Stmt::Store { order, .. } => *order == StoreOrder::SeqCst,
        Stmt::FetchAdd { order, .. } | Stmt::Exchange { order, .. } | Stmt::CompareExchange { order, .. } => {
            *order == RmwOrder::SeqCst
        }
        _ => false,
    };
    Some(match (acquires, releases) {
        _ if seq_cst => "seq_cst access",
        (false, false) => "relaxed access",
        (true, false) => "acquire access",
        (false, true) => "release access",
        (true, true) => "acq_rel access",
    })
}
