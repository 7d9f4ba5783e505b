//! Following prefixes.
//!
//! From the same initial state a prefix runs the same code with the same answers, so it leads to an equal state, without
//! asking the solver: numbers of objects, pointers and threads depend on nothing else.

use crate::run::driver::{Answers, Schedule, drive};
use crate::run::next::{Next, next, runnable};
use crate::run::prefix::PrefixStep;
use concurrency::ThreadId;
use machine::{Choice, Decision, Engine, EngineError, State, Status, Step};
use std::ops::ControlFlow;

/// Whose turn it is, apart from what a prefix says.
enum Due {
    Runs(ThreadId),
    /// It stands before an action that nobody else is before.
    Grant(ThreadId),
    /// Whoever the prefix says.
    Anyone,
}

fn due_together(state: &State) -> Result<Due, EngineError> {
    Ok(match next(state) {
        Some(Next::Runs(thread)) => Due::Runs(thread),
        Some(Next::Joins(thread)) => Due::Grant(thread),
        None => Due::Anyone,
    })
}

fn due_alone(state: &State, thread: Option<ThreadId>) -> Result<Due, EngineError> {
    let thread = thread.ok_or(EngineError::Diverged)?;
    match state.thread(thread).status {
        Status::Running => Ok(Due::Runs(thread)),
        Status::At(_) => Ok(Due::Grant(thread)),
        Status::Stuck(_) | Status::Ended => Err(EngineError::Diverged),
    }
}

/// The turns of a prefix that are left.
struct PrefixSteps<'t>(std::slice::Iter<'t, PrefixStep>);

impl<'t> PrefixSteps<'t> {
    fn new(turns: &'t [PrefixStep]) -> Self {
        PrefixSteps(turns.iter())
    }

    fn first(&self) -> Option<PrefixStep> {
        self.0.as_slice().first().copied()
    }

    /// The answer of the next turn, which must be one.
    fn answer(&mut self, thread: ThreadId, choice: &Choice) -> Result<Decision, EngineError> {
        match self.0.next() {
            Some(&PrefixStep::Decide(who, answer)) if who == thread => answer.to(choice),
            _ => Err(EngineError::Diverged),
        }
    }
}

/// Along a prefix, to where it ends.
struct Along<'t, D> {
    turns: PrefixSteps<'t>,
    due: D,
}

impl<D> Answers for Along<'_, D> {
    type End = ();

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<(), Decision>, EngineError> {
        self.turns.answer(thread, choice).map(ControlFlow::Continue)
    }
}

impl<D: Fn(&State) -> Result<Due, EngineError>> Schedule for Along<'_, D> {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<(), ThreadId>, EngineError> {
        while let Some(turn) = self.turns.first() {
            match ((self.due)(state)?, turn) {
                (Due::Runs(thread), _) => return Ok(ControlFlow::Continue(thread)),
                (Due::Grant(thread), PrefixStep::Grant(granted)) if thread != granted => {
                    return Err(EngineError::Diverged);
                }
                (Due::Grant(_) | Due::Anyone, PrefixStep::Grant(thread)) => {
                    if thread.index() >= state.threads.len() {
                        return Err(EngineError::Diverged);
                    }
                    engine.grant(state, thread);
                    self.turns.0.next();
                }
                _ => return Err(EngineError::Diverged),
            }
        }
        Ok(ControlFlow::Break(()))
    }
}

/// Follows a prefix of threads that run together. The state comes out as it went on the frontier: right after the last step,
/// before anybody runs on.
///
/// # Errors
/// When the engine fails, or the prefix does not fit.
pub(crate) fn follow(engine: &mut Engine, state: &mut State, prefix: &[PrefixStep]) -> Result<(), EngineError> {
    drive(engine, state, &mut Along { turns: PrefixSteps::new(prefix), due: due_together })
}

/// Follows a prefix of what runs alone: `current` is the thread whose turn it is.
///
/// # Errors
/// As for [`follow`].
pub(crate) fn follow_alone(
    engine: &mut Engine,
    state: &mut State,
    prefix: &[PrefixStep],
    current: impl Fn(&State) -> Option<ThreadId>,
) -> Result<(), EngineError> {
    let due = |state: &State| due_alone(state, current(state));
    drive(engine, state, &mut Along { turns: PrefixSteps::new(prefix), due })
}

/// Along a prefix of threads of which each runs only when it is scheduled.
struct AlongScheduled<'t> {
    turns: PrefixSteps<'t>,
    /// Who was scheduled last, and whether it has run since then.
    last: Option<(ThreadId, bool)>,
}

impl Answers for AlongScheduled<'_> {
    type End = ();

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<(), Decision>, EngineError> {
        self.last = Some((thread, false));
        self.turns.answer(thread, choice).map(ControlFlow::Continue)
    }
}

impl Schedule for AlongScheduled<'_> {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<(), ThreadId>, EngineError> {
        while let Some(turn) = self.turns.first() {
            if let Some((thread, ran @ false)) = &mut self.last {
                *ran = true;
                return Ok(ControlFlow::Continue(*thread));
            }
            match turn {
                PrefixStep::Grant(thread) => engine.grant(state, thread),
                PrefixStep::Schedule(thread) => state.history = state.history.then(Step::Schedule(thread)),
                PrefixStep::Decide(..) | PrefixStep::Client(_) => return Err(EngineError::Diverged),
            }
            if let PrefixStep::Grant(thread) | PrefixStep::Schedule(thread) = turn {
                self.last = Some((thread, false));
            }
            self.turns.0.next();
        }
        Ok(ControlFlow::Break(()))
    }
}

/// Follows a prefix of threads of which each ran only when it was scheduled. The thread that it scheduled last, if any, is
/// yet to run.
///
/// # Errors
/// As for [`follow`].
pub(crate) fn follow_scheduled(
    engine: &mut Engine,
    state: &mut State,
    prefix: &[PrefixStep],
) -> Result<Option<ThreadId>, EngineError> {
    let mut along = AlongScheduled { turns: PrefixSteps::new(prefix), last: None };
    drive(engine, state, &mut along)?;
    Ok(along.last.map(|(thread, _)| thread))
}

/// On to where a thread has to choose; or, if none is named, to where all stand before actions.
struct ToChoice<D> {
    of: Option<ThreadId>,
    due: D,
}

impl<D> Answers for ToChoice<D> {
    type End = Option<Choice>;

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<Self::End, Decision>, EngineError> {
        match self.of {
            Some(of) if of == thread => Ok(ControlFlow::Break(Some(choice.clone()))),
            _ => Err(EngineError::Diverged),
        }
    }
}

impl<D: Fn(&mut Engine, &mut State) -> Option<ThreadId>> Schedule for ToChoice<D> {
    fn next(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
    ) -> Result<ControlFlow<Self::End, ThreadId>, EngineError> {
        Ok((self.due)(engine, state).map_or(ControlFlow::Break(None), ControlFlow::Continue))
    }
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
    let due =
        |_: &mut Engine, state: &mut State| current(state).filter(|&runs| state.thread(runs).status == Status::Running);
    drive(engine, state, &mut ToChoice { of: Some(thread), due })?.ok_or(EngineError::Diverged)
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
    let due = |_: &mut Engine, state: &mut State| match next(state) {
        Some(Next::Runs(runs)) => Some(runs),
        Some(Next::Joins(_)) | None => None,
    };
    drive(engine, state, &mut ToChoice { of: Some(thread), due })?.ok_or(EngineError::Diverged)
}

/// Runs threads until each stands before a visible action or goes no further. The engine must not be interrupted.
///
/// # Errors
/// [`EngineError::Diverged`] if one stops at a choice.
pub(crate) fn settle_to_actions(engine: &mut Engine, state: &mut State) -> Result<(), EngineError> {
    drive(engine, state, &mut ToChoice { of: None, due: runnable }).map(drop)
}

/// Does what may never be done: what code that comes to is not noted either.
pub(crate) fn hypothetically<T>(
    engine: &mut Engine,
    run: impl FnOnce(&mut Engine) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let came = std::mem::take(&mut engine.came);
    let result = quietly(engine, run);
    engine.came = came;
    result
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
