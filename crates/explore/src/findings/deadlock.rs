//! Deadlocks: nobody can go on, or some hold locks in a circle.

use concurrency::{Action, Held, Place, Range, SyncOp, ThreadId};
use machine::{Backtrace, Program, State, Status};
use memory::ObjId;
use std::collections::BTreeSet;

/// What a blocked thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// A lock, and who holds it.
    Lock(Place, Vec<ThreadId>),
    /// A signal on a condition variable.
    Signal(Place),
    Thread(ThreadId),
    /// A post of a semaphore.
    Post(Place),
    /// Others at a barrier.
    Others(Place),
    /// Somebody's write to what it looks at, again and again ([`super::hang`]).
    Change(Vec<Range>),
}

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Blocked {
    pub thread: ThreadId,
    pub holds: Vec<Held>,
    pub waits_for: Waiting,
    pub backtrace: Backtrace,
}

/// The threads that are stuck for good in this state: a circle of lock owners, or, if nobody can go on, everyone.
pub fn deadlocked(program: &Program, state: &State) -> Vec<Blocked> {
    let all = blocked(program, state);
    let circle = cycle(&all);
    let alive = state.thread_ids().filter(|t| state.thread(*t).status != Status::Ended).count();
    if circle.is_empty() && all.len() == alive { all } else { circle }
}

/// Whether it is threads of a launch that wait for others to meet them.
pub fn is_divergence(state: &State, deadlocked: &[Blocked]) -> bool {
    let meets = |blocked: &Blocked| matches!(blocked.waits_for, Waiting::Others(_));
    state.launch().is_some() && !deadlocked.is_empty() && deadlocked.iter().all(meets)
}

/// What is stuck for good in this state, each by itself: each block of a launch whose threads wait for each other in vain, or else what
/// [`deadlocked`] says.
pub fn all_deadlocked(program: &Program, state: &State) -> Vec<Vec<Blocked>> {
    let diverged = diverged(state, &blocked(program, state));
    if diverged.is_empty() { vec![deadlocked(program, state)] } else { diverged }
}

/// By block, the threads that wait at its barriers, or for lanes, where each that has not ended does.
fn diverged(state: &State, blocked: &[Blocked]) -> Vec<Vec<Blocked>> {
    let running = |thread: ThreadId| state.is_of_running_launch(thread).then(|| state.gpu_thread(thread)).flatten();
    let block_of = |thread: ThreadId| running(thread).map(|at| at.block);
    let blocks: BTreeSet<[u32; 3]> = blocked.iter().filter_map(|blocked| block_of(blocked.thread)).collect();
    let waits = blocks.into_iter().map(Some).filter_map(|block| {
        let here: Vec<Blocked> = blocked.iter().filter(|blocked| block_of(blocked.thread) == block).cloned().collect();
        let goes_on = |&thread: &ThreadId| state.thread(thread).status != Status::Ended && block_of(thread) == block;
        let meets = |blocked: &Blocked| matches!(blocked.waits_for, Waiting::Others(_));
        let all = state.thread_ids().filter(goes_on).count() == here.len();
        // Who is only kept in step waits because of the others.
        let is_kept =
            |blocked: &Blocked| matches!(blocked.waits_for, Waiting::Others(at) if state.is_implicit_meeting(at));
        let own: Vec<Blocked> = here.iter().filter(|blocked| !is_kept(blocked)).cloned().collect();
        (all && here.iter().all(meets)).then_some(if own.is_empty() { here } else { own })
    });
    waits.collect()
}

/// Whether a handler that somebody outside asks for may end it: it may write what is looked at, post, and interrupt a call that waits
/// on a semaphore (those of pipes do). Who waits for a lock, for a signal on a condition or for the end of another goes on waiting
/// (POSIX, `pthread_cond_wait`: at most it wakes up spuriously), and no handler that may be called while
/// others run may give those (POSIX, 2.4.3).
pub(crate) fn a_signal_may_end(state: &State, deadlocked: &[Blocked]) -> bool {
    let interruptible = |waits_for: &Waiting| match waits_for {
        Waiting::Post(_) | Waiting::Change(_) => true,
        Waiting::Lock(..) | Waiting::Thread(_) | Waiting::Signal(_) | Waiting::Others(_) => false,
    };
    state.signalled && deadlocked.iter().any(|blocked| interruptible(&blocked.waits_for))
}

/// Objects whose change is waited for.
pub(crate) fn looked_at(blocked: &[Blocked]) -> impl Iterator<Item = ObjId> {
    let ranges = |blocked: &Blocked| match &blocked.waits_for {
        Waiting::Change(ranges) => ranges.clone(),
        _ => Vec::new(),
    };
    blocked.iter().flat_map(ranges).map(|range| range.object)
}

/// Whether no more than one pointer of the initial heap leads to an object: then it is no matter of which objects are one whether a
/// thread takes a lock in it twice.
pub(crate) fn has_one_way(state: &State, to: Place) -> bool {
    let leads_there = |decision| matches!(decision, memory::Binding::Target(at) if at.object == to.object);
    state.memory.shape().pointers().filter(|(_, pointer)| leads_there(pointer.decision)).count() <= 1
}

/// The threads with whose locks others are left for good: they have ended, or wait for themselves, whichever objects of the heap are
/// one. None where somebody waits for something else, which may still come.
pub(crate) fn keepers(state: &State, deadlocked: &[Blocked]) -> Option<BTreeSet<ThreadId>> {
    let mut all = BTreeSet::new();
    for Blocked { thread, waits_for, .. } in deadlocked {
        let Waiting::Lock(place, holders) = waits_for else { return None };
        let keeps = |holder: &ThreadId| match holder == thread {
            true => has_one_way(state, *place),
            false => state.thread(*holder).status == Status::Ended,
        };
        if holders.is_empty() || !holders.iter().all(keeps) {
            return None;
        }
        all.extend(holders);
    }
    (!all.is_empty()).then_some(all)
}

/// All threads that cannot go on.
pub(super) fn blocked(program: &Program, state: &State) -> Vec<Blocked> {
    state
        .thread_ids()
        .filter_map(|thread| {
            let Status::At(action) = &state.thread(thread).status else { return None };
            if state.enabled(thread, action) {
                return None;
            }
            let lock = |place: Place| Waiting::Lock(place, state.sync.holders(place));
            let waits_for = match *action {
                Action::Join(other) => Waiting::Thread(other),
                Action::Wake { condition, .. } if state.sync.awaits_signal(condition, thread) => {
                    Waiting::Signal(condition)
                }
                Action::Wake { mutex, .. } => lock(mutex),
                Action::Sync { place, op: SyncOp::SemWait } => Waiting::Post(place),
                Action::Sync { place, op } => {
                    debug_assert!(matches!(op, SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock | SyncOp::Once));
                    lock(place)
                }
                Action::Pass(barrier) => Waiting::Others(barrier),
                Action::Wait { mutex, .. } => lock(mutex),
                Action::GiveUp { .. }
                | Action::Arrive { .. }
                | Action::AtomicBegin
                | Action::Access { .. }
                | Action::Leave
                | Action::TryJoin { .. }
                | Action::Exit => return None,
            };
            let backtrace = Backtrace::of(program, state.thread(thread));
            Some(Blocked { thread, holds: state.sync.held(thread), waits_for, backtrace })
        })
        .collect()
}

/// The blocked threads that wait for each other's locks in a circle, if there are any: they will never go on, whatever
/// the others do.
fn cycle(blocked: &[Blocked]) -> Vec<Blocked> {
    // Peel off threads that wait for something outside of the set until nothing changes.
    let mut inside: Vec<&Blocked> =
        blocked.iter().filter(|b| matches!(&b.waits_for, Waiting::Lock(_, holders) if !holders.is_empty())).collect();
    loop {
        let threads: Vec<ThreadId> = inside.iter().map(|b| b.thread).collect();
        let before = inside.len();
        inside.retain(|b| match &b.waits_for {
            Waiting::Lock(_, holders) => holders.iter().any(|h| threads.contains(h)),
            _ => false,
        });
        if inside.len() == before {
            break;
        }
    }
    // What remains waits into the set; keep those that are themselves waited for.
    loop {
        let waited: Vec<ThreadId> = inside
            .iter()
            .flat_map(|b| match &b.waits_for {
                Waiting::Lock(_, holders) => holders.clone(),
                _ => Vec::new(),
            })
            .collect();
        let before = inside.len();
        inside.retain(|b| waited.contains(&b.thread));
        if inside.len() == before {
            return inside.into_iter().cloned().collect();
        }
    }
}
