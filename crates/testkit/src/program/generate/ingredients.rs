//! What programs are mixed of: each ingredient draws the statements with which one thread takes part in it.

use super::super::ast::*;
use super::{FIRST_RWLOCK, Generator, Guard, Role};
use crate::rng::Rng;

/// Something that threads do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ingredient {
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
    Awaited,
    SpinFlag,
}

use Ingredient as I;

const WEIGHTS: [(usize, Ingredient); 23] = [
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
    (9, I::Awaited),
    (9, I::SpinFlag),
];

/// Those of one program.
pub(super) fn ingredients(rng: &mut Rng) -> Vec<Ingredient> {
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

impl Generator {
    /// The statements of one thread.
    pub(super) fn block(&mut self, ingredient: Ingredient, thread: usize) -> Vec<Stmt> {
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
            I::Awaited => self.awaited(thread),
            I::SpinFlag => self.spin_flag(),
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
        if thread == 1 || thread == 2 && self.slip(30) {
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
            let failure = self.failure_order();
            Stmt::CompareExchange { dst: Local(0), place: spin, expected: 0, desired: 1, order, failure }
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
            let mut body = vec![Stmt::Lock(mutex)];
            if self.rng.chance(40) {
                body.extend(self.timed_wait(mutex, ready));
            } else {
                body.push(Stmt::WaitWhile { mutex, place: ready, equals: 0 });
            }
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

    /// Waits for a time where it is not ready, and looks at how that went.
    fn timed_wait(&mut self, mutex: MutexId, ready: Place) -> Vec<Stmt> {
        let (seen, timed_out, after) = (Local(0), Local(1), Local(2));
        let looks = vec![
            Stmt::Read { dst: after, from: ready },
            Stmt::Assert { local: after, not: self.rng.between(0, 1) as i32 },
        ];
        let how = self.rng.between(0, 1) as i32;
        let checked = Stmt::If { local: timed_out, equal: true, constant: how, then: looks, otherwise: Vec::new() };
        let then = vec![Stmt::TimedWait { mutex, dst: timed_out }, checked];
        if self.rng.chance(30) {
            return then;
        }
        vec![
            Stmt::Read { dst: seen, from: ready },
            Stmt::If { local: seen, equal: true, constant: 0, then, otherwise: Vec::new() },
        ]
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

    /// The first thread, or the first two, spin until the others say that the message is there, which none may do.
    fn awaited(&mut self, thread: usize) -> Vec<Stmt> {
        let flag = self.var(Role::Flag);
        let access = self.plain_access(Role::Message);
        if thread == 1 || thread == 2 && self.slip(30) {
            let order =
                if self.slip(40) { RmwOrder::Relaxed } else { self.rng.pick(&[RmwOrder::SeqCst, RmwOrder::Acquire]) };
            let rounds = self.rng.weighted(&[
                (24, Rounds::Idle),
                (34, Rounds::Sleeps),
                (25, Rounds::Tries),
                (17, Rounds::Counts),
            ]);
            return vec![Stmt::SpinWhile { place: flag, equals: 0, takes: false, rounds, order }, access];
        }
        if self.slip(25) {
            return vec![access];
        }
        let order = self.release();
        vec![access, Stmt::Store { to: flag, value: Value::Const(1), order }]
    }

    /// A spin lock of an atomic flag, which may be kept.
    fn spin_flag(&mut self) -> Vec<Stmt> {
        let place = self.var(Role::Spin);
        let mut body = self.accesses(Role::Claimed);
        if self.slip(20) {
            return body;
        }
        let order = self.rng.pick(&[RmwOrder::SeqCst, RmwOrder::AcqRel, RmwOrder::Acquire]);
        body.insert(0, Stmt::SpinWhile { place, equals: 1, takes: true, rounds: Rounds::Idle, order });
        if !self.slip(20) {
            let order = self.release();
            body.push(Stmt::Store { to: place, value: Value::Const(0), order });
        }
        body
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
