//! Whether threads that have not ended wait for good.
//!
//! An operation may wait for something that only a third thread does: a worker for the next job, say. Such a run comes to
//! its end as far as it can, unlike one in which a thread fails, walks in circles, or waits for a lock.

use concurrency::{Action, SyncOp, ThreadId};
use machine::{Engine, PathEnd, State, Status, Stop};

/// Visible actions in one round of a loop that waits.
const LONGEST_ROUND: u32 = 64;

/// Whether each thread has ended, waits on a condition, a semaphore, or at a barrier, or polls: goes in circles until another thread changes what it
/// looks at. `state`: a thread that is running has just been seen to poll.
pub(crate) fn all_wait(engine: &mut Engine, state: &State) -> bool {
    let wakes = std::mem::replace(&mut engine.config.wakes, false);
    let wait = state.thread_ids().all(|thread| match state.thread(thread).status {
        Status::Ended | Status::Running => true,
        Status::Stuck(why) => why.polls(),
        Status::At(_) => waits(engine, state.clone(), thread),
    });
    engine.config.wakes = wakes;
    // These runs only answer the question. What races in them does so in others.
    engine.sightings.clear();
    wait
}

/// Whether one thread waits if the others do nothing.
fn waits(engine: &mut Engine, mut state: State, thread: ThreadId) -> bool {
    for _ in 0..LONGEST_ROUND {
        let Status::At(action) = state.thread(thread).status else { return false };
        if !state.enabled(thread, &action) {
            return matches!(
                action,
                Action::Wake { .. } | Action::Join(_) | Action::Pass(_) | Action::Sync { op: SyncOp::SemWait, .. }
            );
        }
        engine.grant(&mut state, thread);
        match engine.run(&mut state, thread) {
            Stop::Visible(_) => {}
            Stop::End(PathEnd::Repeats { traversal } | PathEnd::Spins { traversal }) => return !traversal,
            // One that can go on, or fail.
            _ => return false,
        }
    }
    false
}
