//! Running on from a state until all threads have ended or wait for good.

use crate::run::driver::one_step;
use crate::run::next::runnable;
use concurrency::{Action, ThreadId};
use machine::{Engine, EngineError, PathEnd, State, Status, Stop};

/// Steps and ways that are tried.
const STEPS: usize = 20_000;
const WAYS: usize = 256;

/// How it may end: of the ways that threads may go the first that leads to an end is taken. None if none was found that soon.
///
/// # Errors
/// When the engine fails.
pub(crate) fn end_of(engine: &mut Engine, from: &State) -> Result<Option<State>, EngineError> {
    for policy in Policy::ALL {
        if let Some(end) = end_under(engine, from.clone(), policy)? {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// Which thread goes on where several can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Each after the other, an action at a time: who waits for another by looking again and again does not do so for good.
    Turns,
    /// One as long as it can.
    Longest,
    /// The first one that can: thread 0 of a block is who prepares what the others come for.
    First,
}

impl Policy {
    /// In the order in which they are tried.
    pub const ALL: [Policy; 3] = [Policy::Turns, Policy::Longest, Policy::First];

    /// The one of those that can which is next; none if there is none.
    pub fn next(self, enabled: &[ThreadId], last: Option<ThreadId>) -> Option<ThreadId> {
        let wanted = |&thread: &ThreadId| match self {
            Policy::Turns => last.is_none_or(|last| thread > last),
            Policy::Longest => last == Some(thread),
            Policy::First => true,
        };
        enabled.iter().copied().find(wanted).or(enabled.first().copied())
    }
}

fn end_under(engine: &mut Engine, from: State, policy: Policy) -> Result<Option<State>, EngineError> {
    let mut open = vec![(from, None)];
    let (mut steps, mut ways) = (0, 0);
    while let Some((mut state, mut last)) = open.pop() {
        ways += 1;
        loop {
            steps += 1;
            if steps > STEPS || ways > WAYS || engine.is_interrupted() {
                return Ok(None);
            }
            let next = runnable(engine, &mut state).or_else(|| grant(engine, &mut state, policy, &mut last));
            let Some(thread) = next else {
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
                        (other, last)
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
fn grant(engine: &mut Engine, state: &mut State, policy: Policy, last: &mut Option<ThreadId>) -> Option<ThreadId> {
    let can = |&thread: &ThreadId| match state.thread(thread).status {
        Status::At(action) => state.enabled(thread, &action),
        _ => false,
    };
    let enabled: Vec<ThreadId> = state.thread_ids().filter(can).collect();
    let next = policy.next(&enabled, *last)?;
    *last = Some(next);
    engine.grant(state, next);
    Some(next)
}

fn is_over(state: &State) -> bool {
    state.thread_ids().all(|thread| matches!(state.thread(thread).status, Status::Ended | Status::At(Action::Pass(_))))
}
