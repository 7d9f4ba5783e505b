//! Whether threads that have not ended wait for good.
//!
//! An operation may wait for something that only a third thread does: a worker for the next job, say. Such a run comes to
//! its end as far as it can, unlike one in which a thread fails, walks in circles, or waits for a lock.

use crate::findings::deadlock::{Blocked, Waiting};
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::follow::quietly;
use concurrency::{Action, Place, SyncOp, ThreadId, VectorClock};
use machine::{Backtrace, Choice, Config, Decision, Engine, EngineError, PathEnd, State, Status, Stop};
use std::ops::ControlFlow;

/// Visible actions in one round of a loop that waits.
const LONGEST_ROUND: u32 = 64;

/// Whether each thread has ended, waits on a condition, a semaphore, at a barrier or for a thread that does so, or polls: goes in
/// circles until another thread changes what it looks at. Not for a lock. `state`: a thread that is running has just been seen
/// to poll.
pub(crate) fn all_wait(engine: &mut Engine, state: &State) -> bool {
    let waiting = Config { wakes: false, ..engine.config };
    let wait = engine.with_config(waiting, |engine| {
        state.thread_ids().all(|thread| match state.thread(thread).status {
            Status::Ended | Status::Running => true,
            Status::Stuck(why) => why.polls(),
            Status::At(_) => waits(engine, state.clone(), thread),
        })
    });
    // These runs only answer the question. What races in them does so in others.
    engine.sightings.clear();
    wait
}

/// Whether all of these wait for a signal or a change, and would do so again at the same place if they were woken: nothing that was done
/// meanwhile is what they wait for. Not for a semaphore: who is given a post goes on.
pub(crate) fn wait_again(engine: &mut Engine, state: &State, blocked: &[Blocked]) -> bool {
    let waiting = Config { wakes: false, ..engine.config };
    engine.with_config(waiting, |engine| {
        blocked.iter().all(|blocked| match blocked.waits_for {
            Waiting::Signal(condition) => waits_again(engine, state.clone(), (blocked.thread, condition)),
            // It looks again all the time.
            Waiting::Change(_) => true,
            Waiting::Lock(..) | Waiting::Thread(_) | Waiting::Post(_) | Waiting::Others(_) => false,
        })
    })
}

/// Whether one thread comes back to its wait if it is woken and the others do nothing.
fn waits_again(engine: &mut Engine, mut state: State, (thread, condition): (ThreadId, Place)) -> bool {
    let before = Backtrace::of(&engine.program, state.thread(thread));
    // What the wake-up is ordered behind makes no difference to what is read.
    state.sync.signal(condition, thread, &VectorClock::default());
    let ends = quietly(engine, |engine| drive(engine, &mut state, &mut OneRound { thread, left: LONGEST_ROUND }));
    ends.unwrap_or(false)
        && state.sync.awaits_signal(condition, thread)
        && Backtrace::of(&engine.program, state.thread(thread)) == before
}

/// Whether one thread waits if the others do nothing.
fn waits(engine: &mut Engine, mut state: State, thread: ThreadId) -> bool {
    let ends = drive(engine, &mut state, &mut OneRound { thread, left: LONGEST_ROUND });
    // What fails here fails where it matters.
    ends.unwrap_or(false)
}

/// A thread by itself, until it shows whether it waits.
struct OneRound {
    thread: ThreadId,
    /// Visible actions.
    left: u32,
}

impl Answers for OneRound {
    type End = bool;

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        _: ThreadId,
        _: &Choice,
    ) -> Result<ControlFlow<bool, Decision>, EngineError> {
        Ok(ControlFlow::Break(false))
    }
}

impl Schedule for OneRound {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<bool, ThreadId>, EngineError> {
        let Status::At(action) = state.thread(self.thread).status else { return Ok(ControlFlow::Break(false)) };
        if self.left == 0 {
            return Ok(ControlFlow::Break(false));
        }
        if !state.enabled(self.thread, &action) {
            let waits = match action {
                // Whoever was woken waits for a lock.
                Action::Wake { condition, .. } => !state.sync.is_signalled(condition, self.thread),
                Action::Join(_) | Action::Pass(_) | Action::Sync { op: SyncOp::SemWait, .. } => true,
                _ => false,
            };
            return Ok(ControlFlow::Break(waits));
        }
        self.left -= 1;
        engine.grant(state, self.thread);
        Ok(ControlFlow::Continue(self.thread))
    }

    fn stopped(
        &mut self,
        _: &mut Engine,
        _: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<bool>, EngineError> {
        Ok(match stop {
            Stop::Visible(_) => ControlFlow::Continue(()),
            Stop::End(PathEnd::Repeats { traversal, .. } | PathEnd::Spins { traversal }) => {
                ControlFlow::Break(!traversal)
            }
            // One that can go on, or fail.
            _ => ControlFlow::Break(false),
        })
    }
}
