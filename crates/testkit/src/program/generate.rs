//! Draws programs.
//!
//! A program mixes two or three *ingredients* (a guarded counter, message passing, a condition variable, ...), the
//! same ones in each thread, so that threads meet. A *careful* program keeps to the rules of its ingredients and
//! mostly has no race; a *careless* one breaks them here and there (a lock left out, an order too weak, a free too
//! early). That is what holds the share of racy programs between the extremes.
//!
//! Guarantee: the same seed and configuration give the same program; every program is well formed.

mod ingredients;

use super::ast::*;
use crate::rng::Rng;
use ingredients::{Ingredient, ingredients};

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
    let of_block = generator.rng.chance(40);
    let Generator { rwlocks, once, .. } = generator;
    let mut program = Program { vars, mutexes, rwlocks, semaphore, barrier, cell: Cell::OfBlock, once, threads };
    if !of_block || !program.cell_is_sound() {
        program.cell = Cell::Allocated;
    }
    debug_assert!(program.well_formed(), "seed {seed}: {program:?}");
    program
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
        if config.max_workers > 2 && self.rng.chance(8) {
            return self.families();
        }
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

    /// Two threads, each of which creates another. Each does little: five run together.
    fn families(&mut self) -> Vec<Vec<Stmt>> {
        let mut threads = vec![Vec::new()];
        threads.extend((0..4).map(|_| if self.rng.chance(70) { self.short_block() } else { Vec::new() }));
        for (parent, child) in [(1, 3), (2, 4)] {
            self.creates(&mut threads[parent], ThreadId(child));
        }
        self.main(&mut threads, 2);
        threads
    }

    /// Lets a thread create another one.
    fn creates(&mut self, body: &mut Vec<Stmt>, child: ThreadId) {
        let at = self.rng.below(body.len() + 1);
        body.insert(at, Stmt::Create(child));
        // Inside a critical section a join would only add deadlocks, so it comes last.
        if self.rng.chance(60) {
            body.push(Stmt::Join(child));
        }
    }

    /// Writes the body of `main`, and lets one thread create another now and then.
    fn creations(&mut self, threads: &mut [Vec<Stmt>]) {
        let workers = threads.len() - 1;
        let nested = self.rng.chance(15);
        if nested {
            self.creates(&mut threads[1], ThreadId(workers as u8));
        }
        self.main(threads, if nested { workers - 1 } else { workers });
    }

    /// The body of `main`, which creates the first threads.
    fn main(&mut self, threads: &mut [Vec<Stmt>], by_main: usize) {
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
        if leave.is_none() && self.ingredients.contains(&Ingredient::Heap) && self.rng.chance(65) {
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

    fn failure_order(&mut self) -> LoadOrder {
        self.rng.weighted(&[(2, LoadOrder::SeqCst), (1, LoadOrder::Acquire), (1, LoadOrder::Relaxed)])
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
                let (order, failure) = (self.rmw_order(), self.failure_order());
                Stmt::CompareExchange { dst, place, expected, desired, order, failure }
            }
        }
    }
}
