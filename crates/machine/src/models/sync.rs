//! Mutexes, read-write locks, condition variables and once flags, as POSIX and C11 share them.

use super::pthread::{EBUSY, EPERM};
use crate::step::{Call, Flow, LOCK_BYTES, StepCx, enter};
use crate::{Config, PathEnd, Stop};
use concurrency::{
    AccessKind, Acquire, Action, Initial, LockMode, Misuse, MutexKind, OnceState, Place, Range, SyncObject, SyncOp,
    SyncTable, VectorClock,
};
use ir::{Callee, Op, PointerSize};
use memory::{Byte, ObjectKind, Pointer, Value};

/// What kind of object a function expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expect {
    Mutex,
    RwLock,
    Condition,
    Once,
    Spin,
    Semaphore,
    Barrier,
}

/// Where the synchronisation object is that an argument points to. One that was never seen is initialised by its kind's
/// static initialiser, if that is what its bytes say.
pub(crate) fn place(cx: &mut StepCx, call: &Call, index: usize, expect: Expect) -> Result<Place, Stop> {
    let hint = call.hint(cx, index);
    let address = call.arg(cx, index)?;
    let at = cx.locate_exactly(address, 1, hint)?;
    let object = cx.state.memory.object(at.object);
    if object.is_live() && !object.contains(at.offset, 1) {
        cx.check_access(at, 1, AccessKind::Read, true)?;
    }
    let place = Place { object: at.object, offset: at.offset.max(0) as u64 };
    if cx.state.sync.get(place).is_none()
        && cx.state.memory.object(at.object).is_live()
        && let Some(mut object) = statically_initialised(cx, at, expect)
    {
        bound_semaphore(cx, place, &mut object);
        set(cx, place, expect, object)?;
    }
    Ok(place)
}

/// A semaphore of the initial heap counts what the program's calls can bring it to.
fn bound_semaphore(cx: &StepCx, place: Place, found: &mut SyncObject) {
    let SyncObject::Semaphore { initial: initial @ Initial::Any, .. } = found else { return };
    let object = cx.state.memory.object(place.object);
    let global = match object.kind {
        ObjectKind::Global(id) => Some(id),
        _ => None,
    };
    let initial_type = cx.state.memory.shape().object(place.object).map(|object| object.ty);
    let ty = initial_type.or(object.ty);
    if let Some(most) = cx.program.facts.semaphore_bound(cx.module(), ty, global, place.offset) {
        *initial = Initial::UpTo(most);
    }
}

/// The object that bytes of a static initialiser, or of an initial heap object, stand for.
fn statically_initialised(cx: &StepCx, at: Pointer, expect: Expect) -> Option<SyncObject> {
    let object = cx.state.memory.object(at.object);
    if object.kind == ObjectKind::Initial {
        return Some(fresh(expect, MutexKind::Normal));
    }
    let byte = |offset: i64| {
        object.contains(at.offset + offset, 1).then(|| object.contents.byte((at.offset + offset) as usize))
    };
    // These have no static initialiser (POSIX). A library's have been initialised before its operations are called.
    let has_initialiser = !matches!(expect, Expect::Spin | Expect::Semaphore | Expect::Barrier);
    match byte(0)? {
        Byte::Undefined => None,
        Byte::Concrete(_) if !has_initialiser => {
            let global = matches!(object.kind, ObjectKind::Global(_)) && cx.state.globals_set_up;
            global.then(|| fresh(expect, MutexKind::Normal))
        }
        // A global that `races` made symbolic: initialised and free, like what hangs on pointers.
        Byte::Initial => Some(fresh(expect, MutexKind::Normal)),
        _ => {
            let kind = match (expect, byte(kind_offset(cx.pointer()) as i64)) {
                (Expect::Mutex, Some(Byte::Concrete(1))) => MutexKind::Recursive,
                (Expect::Mutex, Some(Byte::Concrete(2))) => MutexKind::ErrorCheck,
                _ => MutexKind::Normal,
            };
            Some(fresh(expect, kind))
        }
    }
}

pub(crate) fn fresh(expect: Expect, kind: MutexKind) -> SyncObject {
    match expect {
        Expect::Mutex => SyncTable::mutex(kind),
        Expect::RwLock => SyncTable::rwlock(),
        Expect::Condition => SyncObject::Condition { waiters: Vec::new() },
        Expect::Once => SyncObject::Once { state: OnceState::Idle, done: VectorClock::default() },
        Expect::Spin => SyncTable::spin_lock(),
        // Of the initial heap; others are initialised with a number.
        Expect::Semaphore => SyncTable::semaphore(0, Initial::Any),
        Expect::Barrier => SyncTable::barrier(None),
    }
}

/// Stops before a synchronisation, then notes that the object is used: an atomic read of its first byte for operations,
/// a write for initialisation and destruction. Alone, a thread stops only where it would have to wait.
pub(crate) fn begin(cx: &mut StepCx, action: Action, place: Place, kind: AccessKind) -> Result<(), Stop> {
    let may_go = cx.state.enabled_for(cx.thread, &action);
    if cx.state.concurrent || !may_go {
        cx.visible(action)?;
    }
    if kind == AccessKind::Read {
        initialise_anyway(cx, &action, place)?;
    }
    let at = Pointer::new(place.object, place.offset as i64);
    cx.check_access(at, 1, kind, kind == AccessKind::Read)?;
    let range = Range { object: place.object, offset: place.offset, size: 1 };
    cx.record(range, kind, kind == AccessKind::Read);
    Ok(())
}

/// A lock that nobody has initialised mostly works as if somebody had: that is a failure of the program's, and what comes
/// behind it is looked at all the same.
fn initialise_anyway(cx: &mut StepCx, action: &Action, place: Place) -> Result<(), Stop> {
    if cx.state.sync.get(place).is_some() || !cx.state.memory.object(place.object).is_live() {
        return Ok(());
    }
    let object = match action {
        Action::Sync {
            op: SyncOp::ReadLock | SyncOp::WriteLock | SyncOp::TryReadLock | SyncOp::TryWriteLock, ..
        } => Expect::RwLock,
        Action::Sync { op: SyncOp::Signal | SyncOp::Broadcast, .. } | Action::Wait { .. } => Expect::Condition,
        // That of a spin lock is no zero.
        Action::Sync { op: SyncOp::Lock | SyncOp::TryLock | SyncOp::TimedLock, .. } if !calls_spin_lock(cx) => {
            Expect::Mutex
        }
        _ => return Ok(()),
    };
    set(cx, place, object, fresh(object, MutexKind::Normal))?;
    Err(noted(cx, Misuse::UseUninitialised))
}

/// A misuse behind which the thread goes on.
fn noted(cx: &StepCx, misuse: Misuse) -> Stop {
    match cx.misuse(misuse) {
        Stop::End(PathEnd::Fault(fault)) => Stop::Wrong(fault),
        other => other,
    }
}

/// What a call returns that was a misuse, and was noted when it was carried out.
fn after_misuse(cx: &mut StepCx) -> Option<u64> {
    if cx.thread.waiting { None } else { cx.thread.found.take() }
}

/// A lock is given back by somebody who does not hold it: that is noted, the call returns, and others see what it did.
fn given_back_by_another(cx: &mut StepCx, place: Place, misuse: Misuse) -> Stop {
    if !matches!(misuse, Misuse::UnlockNotHeld | Misuse::UnlockOfAnothers) {
        return cx.misuse(misuse);
    }
    let opened = cx.state.sync.force_open(place);
    cx.thread.found = Some(if opened { 0 } else { EPERM });
    noted(cx, misuse)
}

fn calls_spin_lock(cx: &StepCx) -> bool {
    match cx.program.instruction(cx.thread) {
        Some(Op::Call { callee: Callee::Direct(function), .. }) => {
            cx.module()[*function].name.starts_with("pthread_spin_")
        }
        _ => false,
    }
}

/// A synchronisation object begins to exist, and what its bytes hold is the library's business: who looks at them sees
/// anything.
fn set(cx: &mut StepCx, place: Place, expect: Expect, object: SyncObject) -> Result<(), Stop> {
    cx.state.sync.set(place, object);
    let known = cx.state.memory.object(place.object);
    let size = expect.size(cx.pointer()).min(known.size.saturating_sub(place.offset));
    if known.kind == ObjectKind::Initial || known.constant {
        return Ok(());
    }
    let (kind_at, address) = (kind_offset(cx.pointer()), known.address + place.offset);
    for offset in (0..size).step_by(4) {
        // A copy of the object is one of its kind, in today's programs.
        if expect == Expect::Mutex && offset == kind_at {
            continue;
        }
        let at = Pointer::new(place.object, (place.offset + offset) as i64);
        let width = (size - offset).min(4);
        if matches!(cx.state.memory.object(place.object).contents.byte(at.offset as usize), Byte::Initial) {
            return Ok(());
        }
        let symbol = cx.engine.terms.uninit_var(&format!("{LOCK_BYTES}{address:#x}+{offset}"), width as u32 * 8);
        cx.write(at, width, Value::Term(symbol))?;
    }
    Ok(())
}

/// Where glibc keeps a mutex's kind, on i386 and on x86-64; the static initialisers set nothing else.
fn kind_offset(pointer: PointerSize) -> u64 {
    match pointer {
        PointerSize::Four => 12,
        PointerSize::Eight => 16,
    }
}

impl Expect {
    /// Bytes of such an object in glibc.
    fn size(self, pointer: PointerSize) -> u64 {
        let (four, eight) = match self {
            Expect::Mutex => (24, 40),
            Expect::RwLock => (32, 56),
            Expect::Condition => (48, 48),
            Expect::Once | Expect::Spin => (4, 4),
            Expect::Semaphore => (16, 32),
            Expect::Barrier => (20, 32),
        };
        match pointer {
            PointerSize::Four => four,
            PointerSize::Eight => eight,
        }
    }
}

pub(super) fn synchronise(cx: &mut StepCx, op: SyncOp, place: Place) -> Result<(), Stop> {
    begin(cx, Action::Sync { op, place }, place, AccessKind::Read)
}

/// Initialises an object.
pub(crate) fn init(cx: &mut StepCx, place: Place, expect: Expect, object: SyncObject) -> Result<(), Stop> {
    begin(cx, Action::Sync { op: SyncOp::Init, place }, place, AccessKind::Write)?;
    set(cx, place, expect, object)
}

/// Destroys an object.
///
/// What is held stays as it is, and the error number says so, as with the GNU C library: 0 if it was destroyed.
pub(crate) fn destroy(cx: &mut StepCx, place: Place) -> Result<u64, Stop> {
    if let Some(answer) = after_misuse(cx) {
        return Ok(answer);
    }
    begin(cx, Action::Sync { op: SyncOp::Destroy, place }, place, AccessKind::Write)?;
    match cx.state.sync.destroy(place) {
        Ok(()) => Ok(0),
        Err(Misuse::DestroyLocked) => {
            let is_mutex = matches!(cx.state.sync.get(place), Some(SyncObject::Mutex { .. }));
            cx.thread.found = Some(if is_mutex { EBUSY } else { 0 });
            Err(noted(cx, Misuse::DestroyLocked))
        }
        Err(misuse) => Err(cx.misuse(misuse)),
    }
}

/// Outcome of a lock call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locked {
    Yes,
    Busy,
    WouldDeadlock,
    /// Taken from an owner that has ended.
    OwnerDead,
    NotRecoverable,
}

/// What a lock call does when others hold the lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    Waits,
    /// Up to some time: it may give up at any moment at which the lock is not free.
    Timed,
    None,
}

/// A call that takes the lock at `place` has been answered. `waited`: it waited until it got it.
fn acquired(cx: &mut StepCx, place: Place, result: Result<Acquire, Misuse>, waited: bool) -> Result<Locked, Stop> {
    match result.map_err(|m| cx.misuse(m))? {
        Acquire::Taken(clock) => {
            match waited {
                true => cx.enter_block(place, clock),
                false => cx.take_up(place, &clock),
            }
            Ok(Locked::Yes)
        }
        Acquire::TakenFromDead(clock) => {
            cx.take_up(place, &clock);
            Ok(Locked::OwnerDead)
        }
        Acquire::Busy => Ok(Locked::Busy),
        Acquire::WouldDeadlock => Ok(Locked::WouldDeadlock),
        Acquire::NotRecoverable => Ok(Locked::NotRecoverable),
    }
}

fn lock_op(patience: Patience) -> SyncOp {
    match patience {
        Patience::Waits => SyncOp::Lock,
        Patience::Timed => SyncOp::TimedLock,
        Patience::None => SyncOp::TryLock,
    }
}

/// Takes a mutex.
pub(crate) fn lock(cx: &mut StepCx, place: Place, patience: Patience) -> Result<Locked, Stop> {
    synchronise(cx, lock_op(patience), place)?;
    let result = cx.state.sync.lock(place, cx.thread.id);
    acquired(cx, place, result, patience == Patience::Waits)
}

/// Takes a spin lock.
pub(crate) fn spin_lock(cx: &mut StepCx, place: Place, patience: Patience) -> Result<Locked, Stop> {
    synchronise(cx, lock_op(patience), place)?;
    let result = cx.state.sync.spin_take(place, cx.thread.id);
    acquired(cx, place, result, patience == Patience::Waits)
}

/// Gives a spin lock back.
pub(crate) fn spin_unlock(cx: &mut StepCx, place: Place) -> Result<(), Stop> {
    if after_misuse(cx).is_some() {
        return Ok(());
    }
    synchronise(cx, SyncOp::Unlock, place)?;
    if cx.leave_block(place) {
        return Ok(());
    }
    let clock = cx.state.order.release(cx.thread.id);
    cx.state.sync.spin_give(place, cx.thread.id, clock).map_err(|m| given_back_by_another(cx, place, m))
}

/// Gives a mutex back. False when an error-checking or a robust mutex says that the thread does not hold it: that is what such a
/// mutex is for. For other kinds it is a misuse.
pub(crate) fn unlock(cx: &mut StepCx, place: Place) -> Result<bool, Stop> {
    if let Some(answer) = after_misuse(cx) {
        return Ok(answer == 0);
    }
    synchronise(cx, SyncOp::Unlock, place)?;
    if cx.state.sync.checks_owner(place) && !cx.state.sync.holders(place).contains(&cx.thread.id) {
        return Ok(false);
    }
    release_mutex(cx, place)?;
    Ok(true)
}

fn release_mutex(cx: &mut StepCx, place: Place) -> Result<(), Stop> {
    if cx.leave_block(place) {
        return Ok(());
    }
    let clock = cx.state.order.clock(cx.thread.id).clone();
    match cx.state.sync.unlock(place, cx.thread.id, clock) {
        Ok(true) => {
            cx.state.order.release(cx.thread.id);
            Ok(())
        }
        Ok(false) => Ok(()),
        Err(misuse) => Err(given_back_by_another(cx, place, misuse)),
    }
}

/// Takes a read-write lock.
pub(crate) fn rwlock_lock(cx: &mut StepCx, place: Place, mode: LockMode, patience: Patience) -> Result<Locked, Stop> {
    let op = match (mode, patience) {
        (LockMode::Shared, Patience::Waits) => SyncOp::ReadLock,
        (LockMode::Shared, Patience::Timed) => SyncOp::TimedReadLock,
        (LockMode::Shared, Patience::None) => SyncOp::TryReadLock,
        (LockMode::Exclusive, Patience::Waits) => SyncOp::WriteLock,
        (LockMode::Exclusive, Patience::Timed) => SyncOp::TimedWriteLock,
        (LockMode::Exclusive, Patience::None) => SyncOp::TryWriteLock,
    };
    synchronise(cx, op, place)?;
    let result = cx.state.sync.rwlock_lock(place, cx.thread.id, mode);
    acquired(cx, place, result, patience == Patience::Waits)
}

/// Gives a read-write lock back.
pub(crate) fn rwlock_unlock(cx: &mut StepCx, place: Place) -> Result<(), Stop> {
    if after_misuse(cx).is_some() {
        return Ok(());
    }
    let op = match cx.state.sync.rwlock_mode(place, cx.thread.id) {
        Some(LockMode::Shared) => SyncOp::ReadUnlock,
        Some(LockMode::Exclusive) | None => SyncOp::WriteUnlock,
    };
    synchronise(cx, op, place)?;
    if cx.leave_block(place) {
        return Ok(());
    }
    let clock = cx.state.order.release(cx.thread.id);
    cx.state.sync.rwlock_unlock(place, cx.thread.id, clock).map_err(|m| given_back_by_another(cx, place, m))
}

/// Whether a timed condition wait has a time to wait for; asked as part of its first half.
pub(super) fn waits_until(
    cx: &mut StepCx,
    call: &Call,
    condition: Place,
    mutex: Place,
    limit: usize,
) -> Result<bool, Stop> {
    if cx.thread.waiting {
        return Ok(true);
    }
    begin(cx, Action::Wait { condition, mutex }, condition, AccessKind::Read)?;
    super::errors::is_time(cx, call, limit)
}

/// A condition wait, in its two halves; one that ends of itself, in three. `Busy` when a timed one timed out, which may happen at
/// any moment, whoever holds the mutex then; else how the mutex was taken again.
pub(crate) fn wait(cx: &mut StepCx, condition: Place, mutex: Place, timed: bool) -> Result<Locked, Stop> {
    if !cx.thread.waiting {
        begin(cx, Action::Wait { condition, mutex }, condition, AccessKind::Read)?;
        if !cx.state.sync.holders(mutex).contains(&cx.thread.id) {
            return Err(cx.misuse(Misuse::WaitWithoutMutex));
        }
        let leaves = wakes_at_once(cx, timed)?;
        cx.state.sync.wait(condition, cx.thread.id).map_err(|m| cx.misuse(m))?;
        if leaves {
            cx.thread.note_spurious(&cx.engine.config);
            cx.state.sync.stop_waiting(condition, cx.thread.id);
        }
        release_mutex(cx, mutex)?;
        cx.thread.waiting = true;
        cx.thread.granted = false;
    }
    let locked = match cx.thread.found {
        Some(how) => relock(cx, mutex, how)?,
        None => {
            cx.visible(Action::Wake { condition, mutex, timed })?;
            if cx.state.sync.awaits_signal(condition, cx.thread.id) {
                let how = give_up(cx, condition)?;
                relock(cx, mutex, how)?
            } else {
                if let Some(clock) = cx.state.sync.stop_waiting(condition, cx.thread.id) {
                    cx.state.order.acquire(cx.thread.id, &clock);
                }
                let result = cx.state.sync.lock(mutex, cx.thread.id);
                acquired(cx, mutex, result, false)?
            }
        }
    };
    (cx.thread.waiting, cx.thread.found) = (false, None);
    Ok(locked)
}

/// How a wait with a time limit ended without a signal.
const TIMED_OUT: u64 = 0;
const WOKE_SPURIOUSLY: u64 = 1;

/// Whether a wait without a time limit is to end by a spurious wake-up. That is decided as it begins, and then no signal chooses
/// the thread any more; when it goes on is open. So that it may also sleep for ever is an execution of its own, whatever
/// else is independent of its waking up.
fn wakes_at_once(cx: &mut StepCx, timed: bool) -> Result<bool, Stop> {
    let Config { spurious, wakes, .. } = cx.engine.config;
    Ok(wakes && !timed && cx.thread.spurious_used() < spurious && cx.pick(2)? == 1)
}

/// A wait with a time limit ends without a signal.
fn give_up(cx: &mut StepCx, condition: Place) -> Result<u64, Stop> {
    let may_wake = cx.thread.spurious_used() < cx.engine.config.spurious;
    let how = if may_wake && cx.pick(2)? == 1 { WOKE_SPURIOUSLY } else { TIMED_OUT };
    if how == WOKE_SPURIOUSLY {
        cx.thread.note_spurious(&cx.engine.config);
    }
    cx.state.sync.stop_waiting(condition, cx.thread.id);
    cx.thread.found = Some(how);
    cx.thread.granted = false;
    Ok(how)
}

/// Takes the mutex again behind that.
fn relock(cx: &mut StepCx, mutex: Place, how: u64) -> Result<Locked, Stop> {
    let locked = lock(cx, mutex, Patience::Waits)?;
    Ok(if locked == Locked::Yes && how == TIMED_OUT { Locked::Busy } else { locked })
}

/// Wakes one waiter, any of them, or all.
pub(crate) fn signal(cx: &mut StepCx, condition: Place, all: bool) -> Result<(), Stop> {
    synchronise(cx, if all { SyncOp::Broadcast } else { SyncOp::Signal }, condition)?;
    let waiting = cx.state.waiting(condition);
    let chosen = match waiting.len() {
        0 => return Ok(()),
        _ if all => waiting,
        1 => waiting,
        count => vec![waiting[cx.pick(count as u32)? as usize % count]],
    };
    let clock = cx.state.order.release(cx.thread.id);
    for thread in chosen {
        cx.state.sync.signal(condition, thread, &clock);
    }
    Ok(())
}

/// `pthread_once`, `call_once`: the first caller runs the routine, later ones wait for it.
pub(crate) fn once(cx: &mut StepCx, call: &Call, place: Place, routine: Value) -> Result<Flow, Stop> {
    let target = cx.locate_exactly(routine, 0, None)?;
    synchronise(cx, SyncOp::Once, place)?;
    let (state, done) = cx.state.sync.once(place).map_err(|m| crate::step::misuse_at(cx.program, cx.thread, m))?;
    if *state == OnceState::Done {
        let clock = done.clone();
        cx.state.order.acquire(cx.thread.id, &clock);
        return super::succeeds(cx, call);
    }
    *state = OnceState::Running(cx.thread.id);
    match cx.state.memory.object(target.object).kind {
        ObjectKind::Function(function) if !cx.module()[function].is_declaration() => {
            enter(cx, function, &[], crate::OnReturn::OnceDone(place))?;
            Ok(Flow::Elsewhere)
        }
        _ => Err(cx.fault(crate::FaultKind::OutOfBounds, "something that is no function is called")),
    }
}
