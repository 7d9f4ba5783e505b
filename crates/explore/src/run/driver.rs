//! The one loop over [`Engine::run`].
//!
//! What differs between a search, a replay and a look at one thread alone is who goes on ([`Schedule`]) and what is answered
//! where a thread has to choose ([`Answers`]): both ways of a branch may be followed, or what a prefix, a witness or a model
//! says. Everything that runs threads is a [`Schedule`] here.

use concurrency::ThreadId;
use machine::{Choice, Decision, Engine, EngineError, State, Stop};
use std::ops::ControlFlow;

/// Where answers come from.
pub trait Answers {
    /// How a run ends.
    type End;

    /// What is answered where a thread has to choose; or how the run ends there: who follows several answers ends one run and begins
    /// others.
    ///
    /// # Errors
    /// When the engine fails, or what is followed has no answer to that.
    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<Self::End, Decision>, EngineError>;

    /// The answer has been taken.
    fn answered(&mut self, _: &State, _: &Decision) {}
}

/// Who goes on.
pub trait Schedule: Answers {
    /// The thread that goes on, granted what it needs for that; or how the run ends where none does.
    ///
    /// # Errors
    /// When the engine fails, or what is followed does not fit the state.
    fn next(&mut self, engine: &mut Engine, state: &mut State)
    -> Result<ControlFlow<Self::End, ThreadId>, EngineError>;

    /// A thread has run, and come to what the next call tells.
    fn ran(&mut self, _: &mut Engine, _: &State, _: ThreadId) -> ControlFlow<Self::End> {
        ControlFlow::Continue(())
    }

    /// Where a thread has come to, which is no choice, and no failure of the engine's.
    ///
    /// # Errors
    /// When the engine fails.
    fn stopped(
        &mut self,
        _: &mut Engine,
        _: &mut State,
        _: ThreadId,
        _: Stop,
    ) -> Result<ControlFlow<Self::End>, EngineError> {
        Ok(ControlFlow::Continue(()))
    }
}

/// Runs threads until the schedule says that it is over.
///
/// # Errors
/// When the engine fails, or the schedule does.
pub fn drive<S: Schedule>(engine: &mut Engine, state: &mut State, schedule: &mut S) -> Result<S::End, EngineError> {
    loop {
        let thread = match schedule.next(engine, state)? {
            ControlFlow::Continue(thread) => thread,
            ControlFlow::Break(end) => return Ok(end),
        };
        let stop = engine.run(state, thread);
        if let ControlFlow::Break(end) = schedule.ran(engine, state, thread) {
            return Ok(end);
        }
        match stop {
            Stop::Failed(error) => return Err(error),
            Stop::Choice(choice) => match schedule.answer(engine, state, thread, &choice)? {
                ControlFlow::Continue(decision) => {
                    engine.decide(state, thread, decision);
                    schedule.answered(state, &decision);
                }
                ControlFlow::Break(end) => return Ok(end),
            },
            stop => {
                if let ControlFlow::Break(end) = schedule.stopped(engine, state, thread, stop)? {
                    return Ok(end);
                }
            }
        }
    }
}

/// Runs one thread up to where it stops first; a choice is left to the caller.
///
/// # Errors
/// When the engine fails.
pub fn one_step(engine: &mut Engine, state: &mut State, thread: ThreadId) -> Result<Stop, EngineError> {
    drive(engine, state, &mut OneStep(thread))
}

struct OneStep(ThreadId);

impl Answers for OneStep {
    type End = Stop;

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        _: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<Stop, Decision>, EngineError> {
        Ok(ControlFlow::Break(Stop::Choice(choice.clone())))
    }
}

impl Schedule for OneStep {
    fn next(&mut self, _: &mut Engine, _: &mut State) -> Result<ControlFlow<Stop, ThreadId>, EngineError> {
        Ok(ControlFlow::Continue(self.0))
    }

    fn stopped(
        &mut self,
        _: &mut Engine,
        _: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<Stop>, EngineError> {
        Ok(ControlFlow::Break(stop))
    }
}
