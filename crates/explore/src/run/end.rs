//! Running on from a state until all threads have ended or wait for good.

use crate::run::driver::one_step;
use crate::run::next::runnable;
use concurrency::{Action, ThreadId};
use machine::{Engine, EngineError, PathEnd, State, Status, Stop};

/// Steps and ways that are tried.
const STEPS: usize = 20_000;
const WAYS: usize = 256;

/// How it may end: threads take turns, and of the ways that they may go the first that leads to an end is taken. None if none was found
/// that soon.
///
/// # Errors
/// When the engine fails.
pub(crate) fn end_of(engine: &mut Engine, from: State) -> Result<Option<State>, EngineError> {
    let mut open = vec![from];
    let (mut steps, mut ways, mut last) = (0, 0, None);
    while let Some(mut state) = open.pop() {
        ways += 1;
        loop {
            steps += 1;
            if steps > STEPS || ways > WAYS || engine.is_interrupted() {
                return Ok(None);
            }
            let Some(thread) = runnable(engine, &mut state).or_else(|| grant(engine, &mut state, &mut last)) else {
                if is_over(&state) {
                    return Ok(Some(state));
                }
                break;
            };
            match one_step(engine, &mut state, thread)? {
                Stop::Choice(choice) => {
                    let mut decisions = engine.alternatives(&state, &choice, thread)?.into_iter();
                    let Some(first) = decisions.next() else { break };
                    open.extend(decisions.rev().map(|decision| {
                        let mut other = state.clone();
                        engine.decide(&mut other, thread, decision);
                        other
                    }));
                    engine.decide(&mut state, thread, first);
                }
                Stop::Visible(_) | Stop::CallEnded | Stop::ThreadEnded => {}
                Stop::Failed(error) => return Err(error),
                Stop::Interrupted => return Ok(None),
                Stop::End(PathEnd::Exited { .. }) => return Ok(Some(state)),
                Stop::Wrong(_) | Stop::End(_) => break,
            }
        }
    }
    Ok(None)
}

/// Lets the next thread go on that can.
fn grant(engine: &mut Engine, state: &mut State, last: &mut Option<ThreadId>) -> Option<ThreadId> {
    let can = |&thread: &ThreadId| match state.thread(thread).status {
        Status::At(action) => state.enabled(thread, &action),
        _ => false,
    };
    let enabled: Vec<ThreadId> = state.thread_ids().filter(can).collect();
    let next = enabled.iter().find(|&&thread| last.is_none_or(|last| thread > last)).or(enabled.first()).copied()?;
    *last = Some(next);
    engine.grant(state, next);
    Some(next)
}

fn is_over(state: &State) -> bool {
    state.thread_ids().all(|thread| matches!(state.thread(thread).status, Status::Ended | Status::At(Action::Pass(_))))
}
