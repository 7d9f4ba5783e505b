//! Following prefixes.
//!
//! From the same initial state a prefix runs the same code with the same answers, so it leads to an equal state, without
//! asking the solver: numbers of objects, pointers and threads depend on nothing else.

use crate::tree::next::{Next, next, runnable};
use crate::tree::prefix::Turn;
use concurrency::ThreadId;
use machine::{Choice, Engine, EngineError, State, Status, Step, Stop};

/// Follows a prefix of threads that run together. The state comes out as it went on the agenda: right after the last step,
/// before anybody runs on.
///
/// # Errors
/// When the engine fails, or the prefix does not fit.
pub(crate) fn follow(engine: &mut Engine, state: &mut State, prefix: &[Turn]) -> Result<(), EngineError> {
    let mut turns = prefix.iter();
    let mut turn = turns.next();
    while let Some(now) = turn {
        match (next(state), now) {
            (Some(Next::Runs(thread)), _) => {
                if let Some(choice) = run_to_choice(engine, state, thread)? {
                    turn = decide(engine, state, thread, &choice, now, &mut turns)?;
                }
            }
            (Some(Next::Joins(thread)), Turn::Grant(granted)) if thread == *granted => {
                engine.grant(state, thread);
                turn = turns.next();
            }
            (None, Turn::Grant(thread)) => {
                engine.grant(state, *thread);
                turn = turns.next();
            }
            _ => return Err(EngineError::Diverged),
        }
    }
    Ok(())
}

/// Follows a prefix of threads of which each ran only when it was scheduled. The thread that it scheduled last, if any, is
/// yet to run.
///
/// # Errors
/// As for [`follow`].
pub(crate) fn follow_scheduled(
    engine: &mut Engine,
    state: &mut State,
    prefix: &[Turn],
) -> Result<Option<ThreadId>, EngineError> {
    let mut scheduled: Option<ThreadId> = None;
    for turn in prefix {
        let choice = match scheduled {
            Some(thread) => run_to_choice(engine, state, thread)?,
            None => None,
        };
        match (*turn, choice) {
            (Turn::Grant(thread), None) => engine.grant(state, thread),
            (Turn::Schedule(thread), None) => state.trace = state.trace.then(Step::Schedule(thread)),
            (Turn::Decide(thread, answer), Some(choice)) if scheduled == Some(thread) => {
                engine.decide(state, thread, answer.to(&choice)?);
            }
            (Turn::Decide(..), _) | (Turn::Grant(_) | Turn::Schedule(_), Some(_)) => {
                return Err(EngineError::Diverged);
            }
        }
        let (Turn::Grant(thread) | Turn::Schedule(thread) | Turn::Decide(thread, _)) = *turn;
        scheduled = Some(thread);
    }
    Ok(scheduled)
}

/// Follows a prefix of what runs alone: `current` is the thread whose turn it is.
///
/// # Errors
/// As for [`follow`].
pub(crate) fn follow_alone(
    engine: &mut Engine,
    state: &mut State,
    prefix: &[Turn],
    current: impl Fn(&State) -> Option<ThreadId>,
) -> Result<(), EngineError> {
    let mut turns = prefix.iter();
    let mut turn = turns.next();
    while let Some(now) = turn {
        let thread = current(state).ok_or(EngineError::Diverged)?;
        match (state.thread(thread).status.clone(), now) {
            (Status::At(_), Turn::Grant(granted)) if *granted == thread => {
                engine.grant(state, thread);
                turn = turns.next();
            }
            (Status::Running, _) => {
                if let Some(choice) = run_to_choice(engine, state, thread)? {
                    turn = decide(engine, state, thread, &choice, now, &mut turns)?;
                }
            }
            _ => return Err(EngineError::Diverged),
        }
    }
    Ok(())
}

/// The choice that a thread which runs alone stops at, when what comes before has run as well: `current` is the thread whose
/// turn it is. The engine must not be interrupted.
///
/// # Errors
/// [`EngineError::Diverged`] if it stops at none.
pub(crate) fn alone_to_choice(
    engine: &mut Engine,
    state: &mut State,
    thread: ThreadId,
    current: impl Fn(&State) -> Option<ThreadId>,
) -> Result<Choice, EngineError> {
    while let Some(runs) = current(state).filter(|&runs| state.thread(runs).status == Status::Running) {
        match run_to_choice(engine, state, runs)? {
            Some(choice) if runs == thread => return Ok(choice),
            Some(_) => break,
            None => {}
        }
    }
    Err(EngineError::Diverged)
}

/// The choice that a thread stops at when those before it have run as well. The engine must not be interrupted.
///
/// # Errors
/// [`EngineError::Diverged`] if it stops at none.
pub(crate) fn settle_to_choice(
    engine: &mut Engine,
    state: &mut State,
    thread: ThreadId,
) -> Result<Choice, EngineError> {
    while let Some(Next::Runs(runs)) = next(state) {
        match run_to_choice(engine, state, runs)? {
            Some(choice) if runs == thread => return Ok(choice),
            Some(_) => break,
            None => {}
        }
    }
    Err(EngineError::Diverged)
}

/// Runs threads until each stands before a visible action or goes no further. The engine must not be interrupted.
///
/// # Errors
/// [`EngineError::Diverged`] if one stops at a choice.
pub(crate) fn settle_to_actions(engine: &mut Engine, state: &mut State) -> Result<(), EngineError> {
    while let Some(thread) = runnable(engine, state) {
        if run_to_choice(engine, state, thread)?.is_some() {
            return Err(EngineError::Diverged);
        }
    }
    Ok(())
}

/// The choice that a thread stops at, if that is why it stops. The engine must not be interrupted.
fn run_to_choice(engine: &mut Engine, state: &mut State, thread: ThreadId) -> Result<Option<Choice>, EngineError> {
    match engine.run(state, thread) {
        Stop::Choice(choice) => Ok(Some(choice)),
        Stop::Failed(error) => Err(error),
        Stop::Visible(_) | Stop::Wrong(_) | Stop::ThreadEnded | Stop::CallEnded | Stop::End(_) | Stop::Interrupted => {
            Ok(None)
        }
    }
}

fn decide<'t>(
    engine: &mut Engine,
    state: &mut State,
    thread: ThreadId,
    choice: &Choice,
    now: &Turn,
    turns: &mut impl Iterator<Item = &'t Turn>,
) -> Result<Option<&'t Turn>, EngineError> {
    match *now {
        Turn::Decide(who, answer) if who == thread => {
            engine.decide(state, thread, answer.to(choice)?);
            Ok(turns.next())
        }
        Turn::Decide(..) | Turn::Grant(_) | Turn::Schedule(_) => Err(EngineError::Diverged),
    }
}

/// Does what has been done, counted and noted before.
pub(crate) fn quietly<T>(
    engine: &mut Engine,
    run: impl FnOnce(&mut Engine) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let (ledger, statistics) = (std::mem::take(&mut engine.ledger), engine.statistics);
    let interrupted = engine.interrupted.take();
    let result = run(engine);
    engine.interrupted = interrupted;
    (engine.ledger, engine.statistics) = (ledger, statistics);
    engine.sightings.clear();
    result
}
