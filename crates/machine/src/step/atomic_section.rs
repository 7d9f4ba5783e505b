//! Atomic sections of SV-COMP: between `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`, and in functions whose names
//! begin with `__VERIFIER_atomic_`, no other thread does anything. One that would have to wait there is never begun.

use super::StepCx;
use crate::Stop;
use crate::state::OnReturn;
use concurrency::Action;

pub(crate) fn begin_atomic_section(cx: &mut StepCx) -> Result<(), Stop> {
    if cx.state.concurrent && cx.state.sync.atomic_section() != Some(cx.thread.id) {
        cx.visible(Action::AtomicBegin)?;
    }
    if let Some(clock) = cx.state.sync.begin_atomic_section(cx.thread.id) {
        cx.state.order.acquire(cx.thread.id, &clock);
    }
    Ok(())
}

/// Ends a section. Where none was begun, nothing happens.
pub(crate) fn end_atomic_section(cx: &mut StepCx) {
    cx.give_up_block();
    let clock = cx.state.order.clock(cx.thread.id).clone();
    if cx.state.sync.is_outermost_atomic_section(cx.thread.id) {
        cx.state.order.release(cx.thread.id);
    }
    cx.state.sync.end_atomic_section(cx.thread.id, clock);
}

/// Whether what a function does is an atomic section, by its name.
pub(crate) fn is_atomic_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_")
}

/// How a function with a body is entered: an atomic one is a section.
pub(crate) fn enter_function(cx: &mut StepCx, name: &str) -> Result<OnReturn, Stop> {
    if !is_atomic_section(name) {
        return Ok(OnReturn::Normal);
    }
    begin_atomic_section(cx)?;
    Ok(OnReturn::AtomicSectionDone)
}
