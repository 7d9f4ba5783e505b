//! Which thread runs before the next scheduling decision.

use concurrency::{Action, ThreadId};
use machine::{Engine, State, Status};

/// Whose turn it is before the next scheduling decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Runs(ThreadId),
    /// It stands before a join, and the thread that it waits for has ended, or a barrier has let it through: that commutes
    /// with everything.
    Joins(ThreadId),
}

pub(crate) fn next(state: &State) -> Option<Next> {
    next_of(state, |_| true)
}

/// The same where of the threads that run only some are to.
fn next_of(state: &State, is_to: impl Fn(ThreadId) -> bool) -> Option<Next> {
    state.thread_ids().find_map(|thread| match state.thread(thread).status {
        Status::Running if is_to(thread) => Some(Next::Runs(thread)),
        Status::At(action @ (Action::Join(_) | Action::Pass(_))) if state.enabled(thread, &action) => {
            Some(Next::Joins(thread))
        }
        Status::Running | Status::At(_) | Status::Stuck(_) | Status::Ended => None,
    })
}

/// A thread that has something to do before the next scheduling decision, granted what it needs for that.
pub fn runnable(engine: &mut Engine, state: &mut State) -> Option<ThreadId> {
    runnable_of(engine, state, |_| true)
}

/// The same where of the threads that run only some are to.
pub(crate) fn runnable_of(
    engine: &mut Engine,
    state: &mut State,
    is_to: impl Fn(ThreadId) -> bool,
) -> Option<ThreadId> {
    match next_of(state, is_to)? {
        Next::Runs(thread) => Some(thread),
        Next::Joins(thread) => {
            engine.grant(state, thread);
            Some(thread)
        }
    }
}
