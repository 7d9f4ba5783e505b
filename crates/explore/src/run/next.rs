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
    state.thread_ids().find_map(|thread| match state.thread(thread).status {
        Status::Running => Some(Next::Runs(thread)),
        Status::At(action @ (Action::Join(_) | Action::Pass(_))) if state.enabled(thread, &action) => {
            Some(Next::Joins(thread))
        }
        Status::At(_) | Status::Stuck(_) | Status::Ended => None,
    })
}

/// A thread that has something to do before the next scheduling decision, granted what it needs for that.
pub fn runnable(engine: &mut Engine, state: &mut State) -> Option<ThreadId> {
    match next(state)? {
        Next::Runs(thread) => Some(thread),
        Next::Joins(thread) => {
            engine.grant(state, thread);
            Some(thread)
        }
    }
}
