//! Creating, ending and joining threads.

use super::sync::Patience;
use crate::state::{Joinable, OnReturn};
use crate::step::{Call, StepCx, range_at};
use crate::{FaultKind, LossKind, Observed, Remedy, Status, Stop};
use concurrency::{Action, Misuse, RaceShadow, ThreadId};
use memory::{ObjectKind, Value};

/// Handles count from 1, so that no thread's is 0.
pub(crate) fn handle(thread: ThreadId) -> Value {
    Value::Int(thread.index() as u64 + 1)
}

/// Starts a thread that runs the function that `routine` points to. Its handle is stored before it starts, as glibc does.
/// False if that fails, as it may where failing allocations are explored.
pub(crate) fn create(
    cx: &mut StepCx,
    call: &Call,
    routine: Value,
    argument: Value,
    detached: bool,
) -> Result<bool, Stop> {
    let most = cx.engine.config.most_threads;
    if cx.state.threads.len() > most as usize {
        return Err(cx.abandon(LossKind::ThreadBound, Remedy::Threads(u64::from(most).saturating_mul(2))));
    }
    let target = cx.locate_exactly(routine, 0, None)?;
    let function = match cx.state.memory.object(target.object).kind {
        ObjectKind::Function(function) if !cx.module()[function].is_declaration() => function,
        _ => return Err(cx.fault(FaultKind::OutOfBounds, "a thread is started with something that is no function")),
    };
    let out = call.arg(cx, 0)?;
    // `pthread_t` is a long.
    let word = cx.pointer().bytes();
    let out = cx.locate_exactly(out, word, None)?;
    cx.before_accesses(range_at(out, word), true, None)?;
    if super::heap::fails(cx)? {
        return Ok(false);
    }
    let id = ThreadId::new(cx.state.threads.len());
    cx.store_at(Value::Ptr(out), word, handle(id), None, false)?;
    cx.thread.children += 1;
    let name = format!("{}.{}", cx.thread.name, cx.thread.children);
    if let Value::Ptr(passed) = argument {
        cx.state.memory.let_escape(passed.object);
    }
    cx.give_up_block();
    // What it has done while nobody else was there is no long silence beside them.
    cx.thread.quiet_steps = 0;
    cx.engine.add_thread(cx.state, &name, Some(cx.thread.id), function, &[argument], OnReturn::EndThread);
    let created = Some((cx.site(), cx.state.inputs.len()));
    let thread = cx.state.thread_mut(id);
    (thread.signal_mask, thread.created) = (cx.thread.signal_mask, created);
    if detached {
        cx.state.thread_mut(id).joinable = Joinable::Detached;
    }
    if cx.engine.config.observe || cx.engine.config.unfolding {
        cx.state.observed.push(Observed::Created { by: cx.thread.id, thread: id });
    }
    Ok(true)
}

/// The thread that a handle names.
fn thread_of(cx: &StepCx, handle: u64) -> Result<ThreadId, Stop> {
    match (handle as usize).checked_sub(1) {
        Some(index) if index < cx.state.threads.len() => Ok(ThreadId::new(index)),
        _ => Err(cx.misuse(Misuse::JoinNotJoinable)),
    }
}

/// Waits for a thread's end; its result. The caller stores that, which may be an action of its own: the call is then
/// carried out again, and finds the thread joined.
///
/// None where the call does not wait, or has waited long enough, and the thread has not ended.
pub(crate) fn join(cx: &mut StepCx, call: &Call, patience: Patience) -> Result<Option<Value>, Stop> {
    let handle = call.concrete(cx, 0)?;
    let other = thread_of(cx, handle)?;
    if cx.thread.joined == Some(other) {
        return Ok(Some(cx.state.thread(other).result));
    }
    if other == cx.thread.id {
        return Err(cx.misuse(Misuse::ThreadWaitsForItself));
    }
    if cx.state.thread(other).joinable != Joinable::Yes {
        return Err(cx.misuse(Misuse::JoinNotJoinable));
    }
    let ended = cx.state.thread(other).status == Status::Ended;
    if patience != Patience::Waits {
        cx.visible(Action::TryJoin { thread: other, timed: patience == Patience::Timed })?;
        // A thread ends with its last action here; in fact it takes a moment longer.
        if !ended || cx.pick(2)? == 1 {
            return Ok(None);
        }
    } else if !ended || cx.engine.config.never_alone {
        cx.visible(Action::Join(other))?;
    }
    cx.state.order.join_thread(cx.thread.id, other);
    cx.state.thread_mut(other).joinable = Joinable::Joined;
    if cx.engine.config.observe || cx.engine.config.unfolding {
        cx.state.observed.push(Observed::Joined { by: cx.thread.id, thread: other });
    }
    be_alone_again(cx);
    cx.thread.joined = Some(other);
    cx.thread.granted = false;
    Ok(Some(cx.state.thread(other).result))
}

/// Where all that other threads ever did happens before what is to come, nothing can race until there are others again.
pub(crate) fn be_alone_again(cx: &mut StepCx) {
    let me = cx.thread.id;
    let order = &cx.state.order;
    let is_past = |id: ThreadId| order.clock(me).get(id) >= order.clock(id).get(id);
    let others = || cx.state.threads.iter().filter(|thread| thread.id != me);
    if !cx.engine.config.never_alone && others().all(|thread| thread.status == Status::Ended && is_past(thread.id)) {
        cx.state.concurrent = false;
        cx.state.shadow = RaceShadow::default();
    }
}

/// Gives up the right to join.
pub(crate) fn detach(cx: &mut StepCx, call: &Call) -> Result<(), Stop> {
    let handle = call.concrete(cx, 0)?;
    let other = thread_of(cx, handle)?;
    let joinable = if other == cx.thread.id { cx.thread.joinable } else { cx.state.thread(other).joinable };
    if joinable != Joinable::Yes {
        return Err(cx.misuse(Misuse::JoinNotJoinable));
    }
    if other == cx.thread.id {
        cx.thread.joinable = Joinable::Detached;
    } else {
        cx.state.thread_mut(other).joinable = Joinable::Detached;
    }
    Ok(())
}
