//! The oracle on cases whose answer is known, the generator's spread, and both against the real compiler.
//!
//! Counts of interleavings were computed apart from this code, by dynamic programming over the same small programs.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::order::{Action, Execution, Lock, Mode};
use super::*;
use crate::finding::AccessKind::{self, Free, Read, Write};
use crate::finding::{Race, Site};

const X: Place = Place::Global(Var(0));
const FLAG: Place = Place::Global(Var(1));
const M: [MutexId; 3] = [MutexId(0), MutexId(1), MutexId(2)];
const W: RwLockId = RwLockId(0);
const R: [Local; 3] = [Local(0), Local(1), Local(2)];

/// A program whose `main` creates all threads and joins them.
fn program(vars: &[VarKind], mutexes: &[MutexKind], workers: &[&[Stmt]]) -> Program {
    let ids: Vec<ThreadId> = (1..=workers.len()).map(|index| ThreadId(index as u8)).collect();
    let main = ids.iter().map(|&id| Stmt::Create(id)).chain(ids.iter().map(|&id| Stmt::Join(id))).collect();
    let threads = std::iter::once(main).chain(workers.iter().map(|body| body.to_vec())).collect();
    Program {
        vars: vars.to_vec(),
        mutexes: mutexes.to_vec(),
        rwlocks: 1,
        semaphore: 0,
        barrier: 2,
        cell: Cell::Allocated,
        once: Vec::new(),
        threads,
    }
}

fn run(program: &Program) -> Expectation {
    assert!(program.well_formed());
    explore(program, &Semantics::default()).expect("small enough")
}

fn write(to: Place, value: i32) -> Stmt {
    Stmt::Write { to, value: Value::Const(value) }
}

fn read(dst: Local, from: Place) -> Stmt {
    Stmt::Read { dst, from }
}

fn store(to: Place, value: i32, order: StoreOrder) -> Stmt {
    Stmt::Store { to, value: Value::Const(value), order }
}

fn load(dst: Local, from: Place, order: LoadOrder) -> Stmt {
    Stmt::Load { dst, from, order }
}

fn when(local: Local, constant: i32, then: &[Stmt]) -> Stmt {
    Stmt::If { local, equal: true, constant, then: then.to_vec(), otherwise: Vec::new() }
}

/// The numbers of the lines that contain `text`.
fn lines(program: &Program, text: &str) -> Vec<u32> {
    let source = render(program);
    (1..).zip(source.lines()).filter(|(_, line)| line.trim() == text).map(|(number, _)| number).collect()
}

/// A race by its two source lines, the pair sorted.
type Named = [(String, AccessKind); 2];

/// The races by the text of their lines, sorted, each once.
fn races(program: &Program, found: &Expectation) -> Vec<Named> {
    let source = render(program);
    let texts: Vec<&str> = source.lines().map(str::trim).collect();
    let name = |site: Site| (texts[site.line as usize - 1], site.access);
    let mut races: Vec<Named> = found.races.iter().map(|race| pair(name(race.first()), name(race.second()))).collect();
    races.sort();
    races.dedup();
    races
}

fn pair(one: (&str, AccessKind), other: (&str, AccessKind)) -> Named {
    let mut pair = [one, other].map(|(text, access)| (text.to_owned(), access));
    pair.sort();
    pair
}

const PLAIN: &[VarKind] = &[VarKind::Plain];
const PLAIN_AND_FLAG: &[VarKind] = &[VarKind::Plain, VarKind::Atomic];

#[test]
fn lost_update() {
    let increment: &[Stmt] = &[Stmt::Increment { place: X }];
    let racy = program(PLAIN, &[], &[increment, increment]);
    let found = run(&racy);
    assert_eq!(found.interleavings, 19);
    let [one, other] = lines(&racy, "x0++;")[..] else { panic!("two increments") };
    let site = |line, access| Site { line, access };
    let expected = [(Read, Write), (Write, Read), (Write, Write)]
        .map(|(first, second)| Race::new(site(one, first), site(other, second)));
    assert_eq!(found.races, expected.into());
    assert_eq!(found.outputs, ["1\n".to_owned(), "2\n".to_owned()].into());
    assert!(!found.deadlock());
}

#[test]
fn lock_protected() {
    let body: &[Stmt] = &[Stmt::Lock(M[0]), Stmt::Increment { place: X }, Stmt::Unlock(M[0])];
    let found = run(&program(PLAIN, &[MutexKind::Normal], &[body, body]));
    assert_eq!(found.interleavings, 26);
    assert!(found.is_safe(), "{found}");
    assert_eq!(found.outputs, ["2\n".to_owned()].into());
}

fn message_passing(store_order: StoreOrder, load_order: LoadOrder) -> Program {
    let sender: &[Stmt] = &[write(X, 1), store(FLAG, 1, store_order)];
    let receiver: &[Stmt] = &[load(R[0], FLAG, load_order), when(R[0], 1, &[read(R[1], X)])];
    program(PLAIN_AND_FLAG, &[], &[sender, receiver])
}

#[test]
fn message_passing_needs_release_and_acquire() {
    for (store_order, load_order, safe) in [
        (StoreOrder::SeqCst, LoadOrder::SeqCst, true),
        (StoreOrder::Release, LoadOrder::Acquire, true),
        (StoreOrder::Relaxed, LoadOrder::Acquire, false),
        (StoreOrder::Release, LoadOrder::Relaxed, false),
        (StoreOrder::Relaxed, LoadOrder::Relaxed, false),
    ] {
        let program = message_passing(store_order, load_order);
        let found = run(&program);
        assert_eq!(found.interleavings, 12);
        assert_eq!(found.races.is_empty(), safe, "{store_order:?} {load_order:?}: {found}");
        if !safe {
            assert_eq!(races(&program, &found), [pair(("x0 = 1;", Write), ("r1 = x0;", Read))]);
        }
    }
}

/// One thread heads a release sequence with 1; `middle` runs in a second thread; a third one acquires and reads.
fn release_sequence(own: Option<Stmt>, middle: Stmt) -> Program {
    let mut head = vec![write(X, 1), store(FLAG, 1, StoreOrder::Release)];
    head.extend(own);
    let reader: &[Stmt] = &[load(R[0], FLAG, LoadOrder::Acquire), when(R[0], 7, &[read(R[1], X)])];
    program(PLAIN_AND_FLAG, &[], &[&head, &[middle], reader])
}

#[test]
fn release_sequences() {
    let add = |order| Stmt::FetchAdd { dst: R[0], place: FLAG, operand: 6, order };
    let relaxed_store = store(FLAG, 7, StoreOrder::Relaxed);
    // C11 5.1.2.4p10: read-modify-writes continue the sequence whoever does them, stores only in the head's thread.
    // The third thread reads 7 only behind the sequence, except in the last case.
    assert!(run(&release_sequence(None, add(RmwOrder::Relaxed))).is_safe());
    assert!(run(&release_sequence(Some(relaxed_store.clone()), add(RmwOrder::Relaxed))).is_safe());
    assert!(!run(&release_sequence(None, relaxed_store)).races.is_empty());
}

#[test]
fn fences_synchronise_through_relaxed_accesses() {
    let fence = |order| Stmt::Fence { order };
    let case = |release, acquire| {
        let sender: &[Stmt] = &[write(X, 1), fence(release), store(FLAG, 1, StoreOrder::Relaxed)];
        let receive = when(R[0], 1, &[fence(acquire), read(R[1], X)]);
        let receiver: &[Stmt] = &[load(R[0], FLAG, LoadOrder::Relaxed), receive];
        run(&program(PLAIN_AND_FLAG, &[], &[sender, receiver])).races.is_empty()
    };
    assert!(case(RmwOrder::Release, RmwOrder::Acquire));
    assert!(case(RmwOrder::SeqCst, RmwOrder::AcqRel));
    assert!(!case(RmwOrder::Acquire, RmwOrder::Acquire));
    assert!(!case(RmwOrder::Release, RmwOrder::Release));
    // A fence before the write that it should publish publishes nothing.
    let early: &[Stmt] = &[fence(RmwOrder::SeqCst), write(X, 1), store(FLAG, 1, StoreOrder::Relaxed)];
    let receiver: &[Stmt] = &[load(R[0], FLAG, LoadOrder::SeqCst), when(R[0], 1, &[read(R[1], X)])];
    assert!(!run(&program(PLAIN_AND_FLAG, &[], &[early, receiver])).races.is_empty());
}

#[test]
fn double_checked_locking() {
    let body = |flag_read: Stmt, flag_write: Stmt| {
        let initialise = when(R[0], 0, &[write(X, 1), flag_write]);
        let checked = when(R[0], 0, &[Stmt::Lock(M[0]), flag_read.clone(), initialise, Stmt::Unlock(M[0])]);
        vec![flag_read, checked, read(R[1], X)]
    };
    let case = |vars: &[VarKind], body: Vec<Stmt>| {
        let program = program(vars, &[MutexKind::Normal], &[&body, &body]);
        let found = run(&program);
        assert_eq!(found.interleavings, 340);
        races(&program, &found)
    };
    let atomic = body(load(R[0], FLAG, LoadOrder::SeqCst), store(FLAG, 1, StoreOrder::SeqCst));
    assert!(case(PLAIN_AND_FLAG, atomic).is_empty());
    let acquire = body(load(R[0], FLAG, LoadOrder::Acquire), store(FLAG, 1, StoreOrder::Release));
    assert!(case(PLAIN_AND_FLAG, acquire).is_empty());
    let plain = body(read(R[0], FLAG), write(FLAG, 1));
    // The data race on the flag costs the order of the data, too.
    let expected = [pair(("r0 = x1;", Read), ("x1 = 1;", Write)), pair(("r1 = x0;", Read), ("x0 = 1;", Write))];
    assert_eq!(case(&[VarKind::Plain, VarKind::Plain], plain), expected);
}

fn philosophers(forks: &[(usize, usize)]) -> Program {
    let body = |&(first, second): &(usize, usize)| {
        vec![Stmt::Lock(M[first]), Stmt::Lock(M[second]), Stmt::Unlock(M[second]), Stmt::Unlock(M[first])]
    };
    let bodies: Vec<Vec<Stmt>> = forks.iter().map(body).collect();
    let bodies: Vec<&[Stmt]> = bodies.iter().map(Vec::as_slice).collect();
    program(PLAIN, &[MutexKind::Normal; 3], &bodies)
}

#[test]
fn dining_philosophers() {
    let two = run(&philosophers(&[(0, 1), (1, 0)]));
    assert_eq!(two.interleavings, 46);
    assert_eq!(two.deadlocks.iter().filter(|deadlock| !deadlock.total).count(), 1);
    let three = run(&philosophers(&[(0, 1), (1, 2), (2, 0)]));
    assert_eq!(three.interleavings, 15_876);
    assert!(three.deadlocks.iter().any(|deadlock| deadlock.total), "{three}");
    assert!(three.races.is_empty());
    let ordered = run(&philosophers(&[(0, 1), (1, 2), (0, 2)]));
    assert_eq!(ordered.interleavings, 23_367);
    assert!(ordered.is_safe(), "{ordered}");
}

#[test]
fn peterson() {
    let [mine, theirs, turn] = [1, 2, 3].map(|index| Place::Global(Var(index)));
    let body = |own, other, me: i32, stores, loads| {
        let (enter, leave) = (Stmt::Increment { place: X }, store(own, 0, stores));
        vec![
            store(own, 1, stores),
            store(turn, 1 - me, stores),
            load(R[0], other, loads),
            load(R[1], turn, loads),
            Stmt::If {
                local: R[0],
                equal: true,
                constant: 0,
                then: vec![enter.clone(), leave.clone()],
                otherwise: vec![when(R[1], me, &[enter, leave])],
            },
        ]
    };
    let vars = [VarKind::Plain, VarKind::Atomic, VarKind::Atomic, VarKind::Atomic];
    let case = |stores, loads| {
        let (one, other) = (body(mine, theirs, 0, stores, loads), body(theirs, mine, 1, stores, loads));
        run(&program(&vars, &[], &[&one, &other]))
    };
    let strong = case(StoreOrder::SeqCst, LoadOrder::SeqCst);
    assert_eq!(strong.interleavings, 1717);
    assert!(strong.is_safe(), "{strong}");
    let weak = case(StoreOrder::Relaxed, LoadOrder::Relaxed);
    assert_eq!(weak.interleavings, 1717);
    assert!(!weak.races.is_empty());
}

#[test]
fn a_read_unlock_orders_writers_only() {
    let rwlocked = |lock: Stmt, access: Stmt| vec![lock, access, Stmt::RwUnlock(W)];
    let writer = rwlocked(Stmt::WriteLock(W), write(X, 1));
    let reader = rwlocked(Stmt::ReadLock(W), read(R[0], X));
    assert!(run(&program(PLAIN, &[], &[&writer, &reader])).is_safe());
    // A write under the read lock races with a read under it.
    let careless = rwlocked(Stmt::ReadLock(W), write(X, 1));
    assert!(!run(&program(PLAIN, &[], &[&careless, &reader])).races.is_empty());
    // Two critical sections of readers, one after the other, leave accesses before and after them unordered.
    let before = [vec![write(X, 1)], vec![Stmt::ReadLock(W), Stmt::RwUnlock(W)]].concat();
    let after = [vec![Stmt::ReadLock(W), Stmt::RwUnlock(W)], vec![read(R[0], X)]].concat();
    assert!(!run(&program(PLAIN, &[], &[&before, &after])).races.is_empty());
}

#[test]
fn a_failed_trylock_orders_nothing() {
    let holder: &[Stmt] = &[write(X, 1), Stmt::Lock(M[0]), Stmt::Unlock(M[0])];
    let busy = |stmt: Stmt| {
        vec![Stmt::TryLock { mutex: M[0], timed: false, taken: vec![Stmt::Unlock(M[0])], busy: vec![stmt] }]
    };
    let program = program(PLAIN, &[MutexKind::Normal], &[holder, &busy(read(R[0], X))]);
    assert_eq!(races(&program, &run(&program)), [pair(("x0 = 1;", Write), ("r0 = x0;", Read))]);
}

#[test]
fn condition_variables() {
    let wait = Stmt::WaitWhile { mutex: M[0], place: X, equals: 0 };
    let waiter: &[Stmt] = &[Stmt::Lock(M[0]), wait, Stmt::Unlock(M[0])];
    let signaller: &[Stmt] = &[Stmt::Lock(M[0]), write(X, 1), Stmt::Signal, Stmt::Unlock(M[0])];
    let good = program(PLAIN, &[MutexKind::Normal], &[waiter, signaller]);
    let found = run(&good);
    assert!(found.is_safe(), "{found}");
    let none = Semantics { spurious: 0, ..Semantics::default() };
    let fewer = explore(&good, &none).expect("small enough");
    assert!(fewer.is_safe() && fewer.interleavings < found.interleavings);

    // Without the mutex the signal may fall between the test and the wait: lost, and nobody signals again.
    let careless: &[Stmt] = &[write(X, 1), Stmt::Signal];
    let lost = explore(&program(PLAIN, &[MutexKind::Normal], &[waiter, careless]), &none).expect("small enough");
    assert!(lost.deadlocks.iter().any(|deadlock| deadlock.total) && !lost.races.is_empty(), "{lost}");

    // One signal for two waiters is one too few; a broadcast wakes both.
    let two = program(PLAIN, &[MutexKind::Normal], &[waiter, waiter, signaller]);
    assert!(explore(&two, &none).expect("small enough").deadlock());
    let broadcast: &[Stmt] = &[Stmt::Lock(M[0]), write(X, 1), Stmt::Broadcast, Stmt::Unlock(M[0])];
    let all = program(PLAIN, &[MutexKind::Normal], &[waiter, waiter, broadcast]);
    assert!(!explore(&all, &none).expect("small enough").deadlock());
}

#[test]
fn a_signal_happens_before_the_wake_up_it_causes() {
    // On the graph itself: in a program the mutex hides the edge, or some execution lacks it.
    let (sender, waiter, lock) = (ThreadId(1), ThreadId(2), Lock::Mutex(M[0]));
    let access = |kind| Action::Access { place: X, kind, atomic: None };
    let races = |signalled: bool| {
        let mut execution = Execution::default();
        let mut found = 0;
        execution.add(sender, access(Write), 1, |_| found += 1);
        let signal = execution.add(sender, Action::Signal, 2, |_| found += 1);
        let woken_by = signalled.then_some(signal);
        execution.add(waiter, Action::Acquire { lock, mode: Mode::Exclusive, woken_by }, 3, |_| found += 1);
        execution.add(waiter, access(Read), 4, |_| found += 1);
        found
    };
    assert_eq!((races(true), races(false)), (0, 1));
}

#[test]
fn once_runs_once_and_orders_all_callers() {
    let caller: &[Stmt] = &[Stmt::Once, read(R[0], X), Stmt::Assert { local: R[0], not: 0 }];
    let mut case = program(PLAIN, &[], &[caller, caller]);
    case.once = vec![Stmt::Increment { place: X }];
    let found = run(&case);
    assert!(found.is_safe(), "{found}");
    assert_eq!(found.outputs, ["1\n".to_owned()].into());
    case.threads[2].remove(0);
    let found = run(&case);
    assert_eq!(races(&case, &found), [pair(("x0++;", Write), ("r0 = x0;", Read))]);
    assert_eq!(found.assertions.len(), 1);
}

#[test]
fn misuse_and_recursion() {
    let unlock: &[Stmt] = &[Stmt::Unlock(M[0])];
    // An error-checking mutex answers with an error number, which POSIX defines.
    assert!(run(&program(PLAIN, &[MutexKind::ErrorCheck], &[unlock])).is_safe());
    let case = program(PLAIN, &[MutexKind::Recursive], &[unlock]);
    assert_eq!(Vec::from_iter(run(&case).misuse), lines(&case, "pthread_mutex_unlock(&m0);"));
    assert_eq!(run(&case).outputs.len(), 1);
    // Whoever gives back what another holds lets a third one in.
    let section: &[Stmt] = &[Stmt::Lock(M[0]), write(X, 1), Stmt::Unlock(M[0])];
    let broken = program(PLAIN, &[MutexKind::Normal], &[section, section, unlock]);
    assert_eq!(races(&broken, &run(&broken)), [pair(("x0 = 1;", Write), ("x0 = 1;", Write))]);

    let relock: &[Stmt] = &[Stmt::Lock(M[0]), Stmt::Lock(M[0]), Stmt::Unlock(M[0]), Stmt::Unlock(M[0])];
    assert!(run(&program(PLAIN, &[MutexKind::Recursive], &[relock, relock])).is_safe());
    let stuck = run(&program(PLAIN, &[MutexKind::Normal], &[relock]));
    assert!(stuck.outputs.is_empty() && stuck.deadlocks.iter().any(|deadlock| !deadlock.total));
}

#[test]
fn freed_memory() {
    let mutex = [MutexKind::Normal];
    let racy = program(PLAIN, &mutex, &[&[Stmt::Free], &[read(R[0], Place::Heap)]]);
    let found = run(&racy);
    assert_eq!(races(&racy, &found), [pair(("free(cell);", Free), ("r0 = *cell;", Read))]);
    assert!(found.memory.is_empty());
    let locked = |stmt: Stmt| vec![Stmt::Lock(M[0]), stmt, Stmt::Unlock(M[0])];
    let ordered = program(PLAIN, &mutex, &[&locked(Stmt::Free), &locked(write(Place::Heap, 1))]);
    let found = run(&ordered);
    assert_eq!(Vec::from_iter(found.memory), [(lines(&ordered, "*cell = 1;")[0], MemoryFault::UseAfterFree)]);
    assert!(found.races.is_empty());
    let twice = run(&program(PLAIN, &mutex, &[&locked(Stmt::Free), &locked(Stmt::Free)]));
    assert!(twice.races.is_empty() && twice.memory.iter().all(|&(_, fault)| fault == MemoryFault::DoubleFree));
    assert_eq!(twice.memory.len(), 2);
}

#[test]
fn a_failing_assertion_does_not_hurry() {
    // The second thread sees what the first did before it fails, so what it then does races with `main`.
    let add = Stmt::FetchAdd { dst: R[0], place: FLAG, operand: 1, order: RmwOrder::Relaxed };
    let fails: &[Stmt] = &[add, Stmt::Assert { local: R[0], not: 0 }];
    let sees: &[Stmt] = &[load(R[0], FLAG, LoadOrder::SeqCst), when(R[0], 1, &[write(X, 1)])];
    let mut case = program(PLAIN_AND_FLAG, &[], &[fails, sees]);
    case.threads[0] = vec![Stmt::Create(ThreadId(1)), Stmt::Create(ThreadId(2)), read(R[0], X)];
    let found = run(&case);
    assert_eq!(found.assertions.len(), 1);
    assert!(races(&case, &found).contains(&pair(("r0 = x0;", Read), ("x0 = 1;", Write))), "{found}");
}

#[test]
fn atomic_and_plain_accesses_of_one_object_race() {
    let plain: &[Stmt] = &[write(X, 1)];
    let atomic: &[Stmt] = &[load(R[0], X, LoadOrder::Relaxed)];
    let add: &[Stmt] = &[Stmt::FetchAdd { dst: R[0], place: X, operand: 1, order: RmwOrder::Relaxed }];
    assert_eq!(run(&program(&[VarKind::Mixed], &[], &[plain, atomic])).races.len(), 1);
    assert!(run(&program(&[VarKind::Mixed], &[], &[add, atomic])).is_safe());
}

/// What `program` can do with at most `bound` preemptions.
fn within(program: &Program, bound: u32) -> Expectation {
    assert!(program.well_formed());
    explore(program, &Semantics { preemptions: Some(bound), ..Semantics::default() }).expect("small enough")
}

/// The interleavings with at most 0, 1, ... preemptions, and how many there are.
fn interleavings(program: &Program, bounds: u32) -> (Vec<u64>, u64) {
    ((0..bounds).map(|bound| within(program, bound).interleavings).collect(), run(program).interleavings)
}

#[test]
fn preemptions_are_counted() {
    // `main` writes twice and joins a thread that writes twice, m and t. With none `main` runs until it has to wait: mmtt.
    // With one also ttmm and mttm, with two tmmt and mtmt, with three tmtm.
    let t: &[Stmt] = &[write(FLAG, 1), write(FLAG, 2)];
    let mut one = program(&[VarKind::Plain, VarKind::Plain], &[], &[t]);
    one.threads[0].splice(1..1, [write(X, 1), write(X, 2)]);
    // The two reads at the end are `main`'s only, which adds nothing.
    assert_eq!(interleavings(&one, 5), (vec![1, 3, 5, 6, 6], 6));

    // Two workers, created and joined in turn. With none, `main` creates both and waits; then the first one runs, and
    // the second one before or after `main` joins the first; or the second one, then the first.
    let increment: &[Stmt] = &[Stmt::Increment { place: X }];
    assert_eq!(interleavings(&program(PLAIN, &[], &[increment, increment]), 5), (vec![3, 8, 15, 19, 19], 19));
    let locked: &[Stmt] = &[Stmt::Lock(M[0]), Stmt::Increment { place: X }, Stmt::Unlock(M[0])];
    let two = program(PLAIN, &[MutexKind::Normal], &[locked, locked]);
    assert_eq!(interleavings(&two, 5), (vec![3, 7, 14, 26, 26], 26));
}

#[test]
fn a_lost_update_takes_one_preemption() {
    let increment: &[Stmt] = &[Stmt::Increment { place: X }];
    let racy = program(PLAIN, &[], &[increment, increment]);
    let (none, one) = (within(&racy, 0), within(&racy, 1));
    assert_eq!(none.outputs, ["2\n".to_owned()].into());
    assert_eq!(one.outputs, ["1\n".to_owned(), "2\n".to_owned()].into());
    // The accesses are unordered in whatever order they come.
    assert_eq!(none.races, one.races);
    assert_eq!(one.races.len(), 3);
}

#[test]
fn waiting_is_no_preemption() {
    let wait = Stmt::WaitWhile { mutex: M[0], place: X, equals: 0 };
    let waiter: &[Stmt] = &[Stmt::Lock(M[0]), wait, read(R[0], X), Stmt::Unlock(M[0])];
    let signaller: &[Stmt] = &[Stmt::Lock(M[0]), write(X, 1), Stmt::Signal, Stmt::Unlock(M[0])];
    let case = program(PLAIN, &[MutexKind::Normal], &[waiter, signaller]);
    // The signaller runs first, or the waiter waits for it; or the waiter wakes up once before that, and waits again.
    for (spurious, interleavings) in [(0, 2), (1, 3)] {
        let semantics = Semantics { spurious, preemptions: Some(0), ..Semantics::default() };
        let found = explore(&case, &semantics).expect("small enough");
        assert_eq!(found.interleavings, interleavings, "{found}");
        assert!(found.is_safe(), "{found}");
    }
}

#[test]
fn joining_waits_for_a_thread_that_does_nothing() {
    // `main` may wait for the idle thread, so that the writer runs, and then read what it wrote; or not.
    let mut case = program(PLAIN, &[], &[&[], &[write(X, 1)]]);
    case.threads[0].insert(3, read(R[0], X));
    case.threads[0].insert(4, Stmt::Assert { local: R[0], not: 1 });
    assert_eq!(within(&case, 0).assertions.len(), 1);
    case.threads[0].remove(2);
    assert!(within(&case, 0).assertions.is_empty());
    assert_eq!(within(&case, 1).assertions.len(), 1);
}

#[test]
fn a_failing_thread_could_go_on() {
    let add = Stmt::FetchAdd { dst: R[0], place: FLAG, operand: 1, order: RmwOrder::SeqCst };
    let fails: &[Stmt] = &[add, Stmt::Assert { local: R[0], not: 0 }];
    let sees: &[Stmt] = &[load(R[0], FLAG, LoadOrder::SeqCst), Stmt::Assert { local: R[0], not: 1 }];
    let case = program(PLAIN_AND_FLAG, &[], &[fails, sees]);
    assert_eq!((within(&case, 0).assertions.len(), within(&case, 1).assertions.len()), (1, 2));
}

#[test]
fn a_bound_that_excludes_nothing_changes_nothing() {
    let semantics = Semantics { max_interleavings: 2000, ..Semantics::default() };
    let mut compared = 0;
    for seed in 0..400 {
        let program = generate(seed, &Config::default());
        let Ok(all) = explore(&program, &semantics) else { continue };
        let bounded = within(&program, 200);
        // Waking up spuriously is one step with taking the mutex there, two without a bound.
        assert_eq!(Expectation { interleavings: all.interleavings, ..bounded }, all, "seed {seed}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn main_may_return_before_a_thread_has_begun() {
    // Without a global, `main` reads nothing before it returns: that it does so is a step all the same.
    let body: &[Stmt] = &[Stmt::Free];
    let mut case = program(&[], &[], &[body, body]);
    case.threads[0].retain(|stmt| matches!(stmt, Stmt::Create(_)));
    let found = run(&case);
    assert_eq!((found.races.len(), found.outputs.len()), (1, 1), "{found}");
    // One thread begins only if `main` is preempted, and the second one as well.
    assert_eq!([0, 1].map(|bound| within(&case, bound).races.len()), [0, 1]);
}

#[test]
fn too_many_interleavings_are_refused() {
    let body: &[Stmt] = &[Stmt::Repeat { times: 40, body: vec![Stmt::Increment { place: X }] }];
    let long = program(PLAIN, &[], &[body, body]);
    assert_eq!(explore(&long, &Semantics { max_interleavings: 100, ..Semantics::default() }), Err(TooLarge));
}

#[test]
fn shrinking_keeps_only_what_the_failure_needs() {
    let racy = |program: &Program| {
        explore(program, &Semantics { max_interleavings: 3000, ..Semantics::default() })
            .is_ok_and(|found| !found.races.is_empty())
    };
    let original = (0..).map(|seed| generate(seed, &Config::default())).find(racy).expect("some program races");
    let small = shrink(&original, racy);
    assert!(racy(&small) && small.well_formed());
    let mut statements = 0;
    small.walk(|stmt| statements += usize::from(!matches!(stmt, Stmt::Create(_) | Stmt::Join(_))));
    assert!(statements <= 2, "{}", render(&small));
}

#[test]
fn generation_is_deterministic_and_well_formed() {
    let config = Config::default();
    for seed in 0..2000 {
        let program = generate(seed, &config);
        assert!(program.well_formed(), "seed {seed}");
        assert_eq!(program, generate(seed, &config));
    }
}

/// Shares of cases in percent, by name.
fn shares(counts: &BTreeMap<&'static str, usize>, total: usize) -> String {
    counts.iter().map(|(name, count)| format!("{name}: {:.1}\n", 100.0 * *count as f64 / total as f64)).collect()
}

#[test]
fn every_action_and_outcome_is_common() {
    let semantics = Semantics { max_interleavings: 2500, ..Semantics::default() };
    let (mut actions_seen, mut outcomes) = (BTreeMap::new(), BTreeMap::new());
    let (mut drawn, mut judged) = (0, 0);
    for seed in 0..2000 {
        let program = generate(seed, &Config::default());
        drawn += 1;
        for action in actions(&program) {
            *actions_seen.entry(action).or_insert(0) += 1;
        }
        let Ok(found) = explore(&program, &semantics) else { continue };
        judged += 1;
        for (name, happens) in [
            ("race", !found.races.is_empty()),
            ("deadlock", found.deadlock()),
            ("assertion", !found.assertions.is_empty()),
            ("misuse", !found.misuse.is_empty()),
            ("memory fault", !found.memory.is_empty()),
            ("safe", found.is_safe()),
            ("several outputs", found.outputs.len() > 1),
        ] {
            *outcomes.entry(name).or_insert(0) += usize::from(happens);
        }
    }
    let report =
        format!("{judged} of {drawn} small enough\n{}\n{}", shares(&actions_seen, drawn), shares(&outcomes, judged));
    assert_eq!(actions_seen.len(), 54, "{report}");
    assert!(actions_seen.values().all(|&count| count * 100 >= drawn), "{report}");
    assert!(judged * 10 >= drawn * 7, "{report}");
    let percent = |name| 100 * outcomes[name] / judged;
    assert!((30..=70).contains(&percent("race")), "{report}");
    for name in ["deadlock", "assertion", "misuse", "memory fault", "safe"] {
        assert!(percent(name) >= 4, "{report}");
    }
}

/// Compiles C from standard input.
fn clang(source: &str, args: &[&str]) {
    let mut child = Command::new("clang-22")
        .args(["-std=c11", "-x", "c", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .spawn()
        .expect("clang-22 runs");
    child.stdin.take().expect("a pipe").write_all(source.as_bytes()).expect("clang reads");
    assert!(child.wait().expect("clang ends").success(), "{source}");
}

#[test]
fn the_compiler_accepts_what_is_rendered() {
    // All in one translation unit for speed: only the names at file level need to differ.
    let mut all = String::new();
    for seed in 0..60 {
        let source = render(&generate(seed, &Config::default()));
        let (includes, rest) = source.split_once("\n\n").expect("headers, then code");
        if seed == 0 {
            all = format!("{includes}\n");
        }
        for name in ["x", "a", "m", "w", "c", "o"] {
            for index in 0..MAX_VARS {
                all += &format!("#define {name}{index} {name}{index}_{seed}\n");
            }
        }
        all += &format!("#define main main_{seed}\n#define init init_{seed}\n#define kept kept_{seed}\n");
        for thread in 1..MAX_THREADS {
            all += &format!("#define thread{thread} thread{thread}_{seed}\n");
        }
        all += rest;
        for name in ["x", "a", "m", "w", "c", "o"] {
            for index in 0..MAX_VARS {
                all += &format!("#undef {name}{index}\n");
            }
        }
        all += "#undef main\n#undef init\n#undef kept\n";
        for thread in 1..MAX_THREADS {
            all += &format!("#undef thread{thread}\n");
        }
    }
    clang(&all, &["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]);
}

#[test]
fn native_runs_print_what_the_oracle_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("program");
    let path = binary.to_str().expect("a readable path");
    let small = Semantics { max_interleavings: 20_000, ..Semantics::default() };
    let mut runs = 0;
    for seed in 0..40 {
        let program = generate(seed, &Config::default());
        // Only programs without undefined behaviour, which also end.
        let Ok(found) = explore(&program, &small) else { continue };
        if !found.is_safe() {
            continue;
        }
        clang(&render(&program), &["-O0", "-pthread", "-o", path]);
        for _ in 0..5 {
            let run = Command::new(&binary).output().expect("the program runs");
            let output = String::from_utf8(run.stdout).expect("text");
            assert!(found.outputs.contains(&output), "seed {seed} prints {output:?}\n{found}");
            runs += 1;
        }
    }
    assert!(runs >= 25, "{runs}");
}

/// A program with a semaphore of `value` and a barrier for `count`.
fn counted(vars: &[VarKind], value: u8, count: u8, bodies: &[&[Stmt]]) -> Program {
    Program { semaphore: value, barrier: count, ..program(vars, &[], bodies) }
}

#[test]
fn a_semaphore_of_one_is_a_lock_and_of_two_is_none() {
    let body: &[Stmt] = &[Stmt::SemWait, Stmt::Increment { place: X }, Stmt::SemPost];
    assert!(run(&counted(&[VarKind::Plain], 1, 2, &[body, body])).is_safe());
    assert!(!run(&counted(&[VarKind::Plain], 2, 2, &[body, body])).races.is_empty());
    assert!(run(&counted(&[VarKind::Plain], 0, 2, &[body, body])).deadlock());
}

#[test]
fn a_barrier_separates_what_is_before_it_from_what_is_behind() {
    let before: &[Stmt] = &[Stmt::Increment { place: X }, Stmt::Barrier { dst: None }];
    let behind: &[Stmt] = &[Stmt::Barrier { dst: None }, Stmt::Increment { place: X }];
    assert!(run(&counted(&[VarKind::Plain], 0, 2, &[before, behind])).is_safe());
    assert!(!run(&counted(&[VarKind::Plain], 0, 2, &[before, before])).races.is_empty());
    assert!(run(&counted(&[VarKind::Plain], 0, 3, &[before, behind])).deadlock());
}

#[test]
fn any_thread_at_a_barrier_is_the_serial_one() {
    let body: &[Stmt] = &[
        Stmt::Barrier { dst: Some(R[0]) },
        Stmt::If {
            local: R[0],
            equal: true,
            constant: 1,
            then: vec![Stmt::Increment { place: X }],
            otherwise: Vec::new(),
        },
        Stmt::Assert { local: R[0], not: 0 },
    ];
    let all = run(&counted(&[VarKind::Plain], 0, 2, &[body, body]));
    assert!(all.races.is_empty());
    assert_eq!(all.assertions.len(), 2);
}

#[test]
fn a_spin_lock_is_a_lock() {
    let body: &[Stmt] = &[Stmt::SpinLock, Stmt::Increment { place: X }, Stmt::SpinUnlock];
    assert!(run(&counted(&[VarKind::Plain], 0, 2, &[body, body])).is_safe());
    let twice: &[Stmt] = &[Stmt::SpinLock, Stmt::SpinLock];
    assert!(run(&counted(&[], 0, 2, &[twice])).deadlock());
    let unlock: &[Stmt] = &[Stmt::SpinUnlock];
    assert_eq!(run(&counted(&[], 0, 2, &[unlock])).misuse.len(), 1);
}
