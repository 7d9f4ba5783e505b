//! What raddle's C library asks of the machine for signals. Programs do not know these names.

use super::{Model, returns, succeeds};
use crate::Stop;
use crate::state::Joinable;
use crate::step::{Call, Flow, StepCx};
use memory::Value;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__raddle_signal_mask" => mask,
        "__raddle_set_signal_mask" => set_mask,
        "__raddle_is_thread" => is_thread,
        "__raddle_may_be_signalled" => may_be_signalled,
        _ => return None,
    })
}

/// `uint64_t __raddle_signal_mask(void)`: the signals that the thread blocks, the first in the lowest bit.
fn mask(cx: &mut StepCx, call: &Call) -> Done {
    let mask = cx.thread.signal_mask;
    returns(cx, call, mask)
}

/// `void __raddle_set_signal_mask(uint64_t mask)`
fn set_mask(cx: &mut StepCx, call: &Call) -> Done {
    cx.thread.signal_mask = call.arg(cx, 0)?;
    succeeds(cx, call)
}

/// `void __raddle_may_be_signalled(void)`: from now on a handler may run that somebody outside asks for.
fn may_be_signalled(cx: &mut StepCx, call: &Call) -> Done {
    cx.state.signalled = true;
    succeeds(cx, call)
}

/// `int __raddle_is_thread(pthread_t thread)`: whether the handle names a thread, running or ended, that nobody has joined.
fn is_thread(cx: &mut StepCx, call: &Call) -> Done {
    let handle = call.concrete(cx, 0)? as usize;
    let mut known = cx.state.threads.iter().filter(|thread| thread.id.index() + 1 == handle);
    // The calling thread's own is not among them while it runs.
    let joinable =
        known.next().map(|thread| if thread.id == cx.thread.id { cx.thread.joinable } else { thread.joinable });
    returns(cx, call, Value::Int(u64::from(joinable.is_some_and(|joinable| joinable != Joinable::Joined))))
}
