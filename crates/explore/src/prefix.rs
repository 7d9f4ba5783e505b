//! Decision prefixes: what was decided on the way to a state, in a form that any worker can follow.
//!
//! A state is tied to the terms of its engine; a prefix is not. Following it from the same initial state runs the same
//! code with the same answers, so it leads to an equal state, without asking the solver: numbers of objects, pointers and
//! threads depend on nothing else.

use concurrency::ThreadId;
use machine::{Choice, Decision, Engine, EngineError, State, Status, Step, Stop};
use memory::Target;
use serde::{Deserialize, Serialize};

use crate::joint::{Next, next};

/// A [`Decision`] without the term or pointer that it is about: the choice that it answers says that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Condition { holds: bool, implied: bool },
    Null,
    NonNull,
    Target(Target),
    Value { value: u128, implied: bool },
    Pick(u32),
}

impl Answer {
    pub(crate) fn of(decision: &Decision) -> Self {
        match *decision {
            Decision::Condition { holds, implied, .. } => Answer::Condition { holds, implied },
            Decision::Null(_) => Answer::Null,
            Decision::NonNull(_) => Answer::NonNull,
            Decision::Target(_, target) => Answer::Target(target),
            Decision::Value { value, implied, .. } => Answer::Value { value, implied },
            Decision::Pick(index) => Answer::Pick(index),
        }
    }

    /// The decision that gives this answer to a choice.
    ///
    /// # Errors
    /// [`EngineError::Diverged`] when it is no answer to that kind of choice.
    pub(crate) fn to(self, choice: &Choice) -> Result<Decision, EngineError> {
        Ok(match (choice, self) {
            (&Choice::Condition(term), Answer::Condition { holds, implied }) => {
                // Whoever takes over a task asked nobody.
                Decision::Condition { term, holds, implied, solver: false }
            }
            (&(Choice::Nullness(pointer) | Choice::Target(pointer)), Answer::Null) => Decision::Null(pointer),
            (&Choice::Nullness(pointer), Answer::NonNull) => Decision::NonNull(pointer),
            (&Choice::Target(pointer), Answer::Target(target)) => Decision::Target(pointer, target),
            (&Choice::Value(term), Answer::Value { value, implied }) => Decision::Value { term, value, implied },
            (Choice::Pick { count }, Answer::Pick(index)) if index < *count => Decision::Pick(index),
            _ => return Err(EngineError::Diverged),
        })
    }
}

/// One step on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Turn {
    Grant(ThreadId),
    Decide(ThreadId, Answer),
    Schedule(ThreadId),
}

/// All steps on the way to a state.
pub(crate) type Prefix = Vec<Turn>;

/// The way to a state.
pub(crate) fn prefix_of(state: &State) -> Prefix {
    let turn = |step: &Step| match step {
        Step::Grant(thread, _) => Turn::Grant(*thread),
        Step::Decide(thread, decision) => Turn::Decide(*thread, Answer::of(decision)),
        Step::Schedule(thread) => Turn::Schedule(*thread),
    };
    state.trace.steps().iter().map(turn).collect()
}

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

/// The choice that a thread stops at, if that is why it stops. The engine must not be interrupted.
pub(crate) fn run_to_choice(
    engine: &mut Engine,
    state: &mut State,
    thread: ThreadId,
) -> Result<Option<Choice>, EngineError> {
    match engine.run(state, thread) {
        Stop::Choice(choice) => Ok(Some(choice)),
        Stop::Failed(error) => Err(error),
        Stop::Visible(_) | Stop::ThreadEnded | Stop::End(_) | Stop::Interrupted => Ok(None),
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
