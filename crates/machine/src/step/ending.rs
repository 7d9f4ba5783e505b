//! What comes between a thread's last statement and its end: destructors of thread-specific data, and robust mutexes that stay
//! behind (POSIX.1-2017, `pthread_exit`, `pthread_key_create`, `pthread_mutexattr_setrobust`).

use super::{StepCx, end_locals_of, enter};
use crate::state::{OnReturn, Winding};
use crate::{FaultKind, LossKind, Stop};
use ::memory::{ObjectKind, Value};
use concurrency::{Action, Place, SyncOp};
use ir::Ty;
use std::rc::Rc;

/// `PTHREAD_DESTRUCTOR_ITERATIONS` of the GNU C library.
const DESTRUCTOR_ROUNDS: u32 = 4;

/// What comes between a thread's last statement and its end. False when a destructor has been entered: afterwards the
/// instruction is carried out again. `returned`: the thread's function has been left, and its variables with it.
pub(crate) fn wind_up(cx: &mut StepCx, returned: bool) -> Result<bool, Stop> {
    if cx.thread.specific.winding.is_none() {
        if cx.thread.specific.values.is_empty() && cx.state.sync.robust_held(cx.thread.id).next().is_none() {
            return Ok(true);
        }
        if returned {
            end_locals_of(cx);
        }
        cx.thread.specific.winding = Some(Rc::default());
    }
    if !destructors_done(cx)? {
        return Ok(false);
    }
    loop {
        let Some(place) = cx.state.sync.robust_held(cx.thread.id).next() else { return Ok(true) };
        if cx.state.concurrent {
            cx.visible(Action::Sync { op: SyncOp::OwnerDies, place })?;
        }
        cx.give_up_block();
        let clock = cx.state.order.release(cx.thread.id);
        cx.state.sync.owner_dies(place, clock);
        cx.thread.granted = false;
    }
}

/// Calls the next destructor; true when there is none left. Their order is the environment's choice.
fn destructors_done(cx: &mut StepCx) -> Result<bool, Stop> {
    loop {
        let mut winding = cx.thread.specific.winding.as_deref().cloned().unwrap_or_default();
        if winding.round >= DESTRUCTOR_ROUNDS {
            return Ok(true);
        }
        let unseen = cx.thread.specific.values.keys().copied().find(|key| !winding.seen.contains(key));
        if let Some((key, destructor)) = winding.next.take() {
            let entered = call_destructor(cx, key, destructor)?;
            keep(cx, winding);
            if entered {
                return Ok(false);
            }
            continue;
        }
        // All of a round are looked up before the first is called.
        if let Some(key) = unseen.filter(|_| !winding.calling) {
            let destructor = look_up(cx, key)?;
            winding.seen.push(key);
            winding.due.extend(destructor.map(|destructor| (key, destructor)));
        } else if !winding.due.is_empty() {
            let count = winding.due.len();
            let index = if count > 1 { cx.pick(count as u32)? as usize % count } else { 0 };
            winding.calling = true;
            winding.next = Some(winding.due.remove(index));
        } else if winding.calling && !cx.thread.specific.values.is_empty() {
            winding = Winding { round: winding.round + 1, ..Winding::default() };
        } else {
            return Ok(true);
        }
        keep(cx, winding);
    }
}

fn keep(cx: &mut StepCx, winding: Winding) {
    cx.thread.specific.winding = Some(Rc::new(winding));
}

/// Enters a destructor with the value, which is null from here on. False where there is nothing to run.
fn call_destructor(cx: &mut StepCx, key: u32, destructor: Value) -> Result<bool, Stop> {
    let target = cx.locate_exactly(destructor, 0, None)?;
    let Some(value) = cx.thread.specific.values.get(&key).copied() else { return Ok(false) };
    let forget = |cx: &mut StepCx| Rc::make_mut(&mut cx.thread.specific.values).remove(&key);
    match cx.state.memory.object(target.object).kind {
        ObjectKind::Function(function) if !cx.module()[function].is_declaration() => {
            enter(cx, function, &[(value, Ty::Ptr, None)], OnReturn::Destructor)?;
            forget(cx);
            Ok(true)
        }
        ObjectKind::Function(function) if cx.module()[function].name == "free" => {
            let block = cx.locate_exactly(value, 0, None)?;
            cx.free(block)?;
            cx.thread.granted = false;
            forget(cx);
            Ok(false)
        }
        ObjectKind::Function(function) => {
            let remedy =
                format!("the destructor `{}` has no body; give its source as well", cx.module()[function].name);
            Err(cx.abandon(LossKind::ExternalCall, remedy))
        }
        _ => Err(cx.fault(FaultKind::OutOfBounds, "a destructor is no function")),
    }
}

/// Looks up the destructor of a key on the thread's end. Which keys have been deleted by then is a matter of the schedule.
fn look_up(cx: &mut StepCx, number: u32) -> Result<Option<Value>, Stop> {
    let Some(&key) = cx.state.keys.0.get(&number) else { return Ok(None) };
    let deletes = |name: &str| matches!(name, "pthread_key_delete" | "tss_delete");
    if cx.state.concurrent && cx.module().functions.iter().any(|function| deletes(&function.name)) {
        let place = Place { object: key.object, offset: 0 };
        cx.visible(Action::Sync { op: SyncOp::KeyEnd, place })?;
        cx.thread.granted = false;
    }
    Ok((!key.deleted && key.destructor != Value::NULL).then_some(key.destructor))
}
