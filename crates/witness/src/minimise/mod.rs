//! Making a concrete run smaller: no object, link or context switch stays that the failure does not need.
//!
//! Greedy deletion (after Zeller's delta debugging, at granularity one): each candidate is run, and kept if the same
//! failure shows and every thread alone is still within the precondition. Repeated until nothing can be dropped.

mod smaller;

pub(crate) use smaller::reached;

use crate::concrete::{Concrete, Setting, Threads};
use crate::steer::{Alone, Ran, completes, run, run_alone};
use explore::{AloneEnd, FindingKey};
use machine::{Config, Engine, EngineError};
use memory::Value;
use smaller::{candidates, size};

/// How the engine is configured for threads together and alone.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    pub together: Config,
    pub alone: Config,
}

/// A run that shows the failure, and the concrete start that leads there.
#[derive(Debug)]
pub struct Confirmed {
    pub concrete: Concrete,
    pub ran: Ran,
}

/// Runs a candidate; `Some` if it is within all preconditions and shows the failure.
///
/// # Errors
/// When the engine fails.
pub fn confirm(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    mut concrete: Concrete,
    goal: &FindingKey,
) -> Result<Option<Confirmed>, EngineError> {
    if !within_preconditions(engine, setting, modes, &concrete)? {
        return Ok(None);
    }
    engine.config = modes.together;
    let ran = run(engine, setting, &concrete, goal)?;
    if ran.failure.is_none() {
        return Ok(None);
    }
    concrete.turns = ran.turns();
    concrete.first_picks.clone_from(&ran.first_picks);
    let depends_on = engine.depends_on(&ran.state).map(|function| function.to_string());
    // A concrete run decides what a search knows, so it may only seem to depend on more.
    concrete.depends_on = concrete.depends_on.and(depends_on);
    Ok(Some(Confirmed { concrete, ran }))
}

fn within_preconditions(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    concrete: &Concrete,
) -> Result<bool, EngineError> {
    let threads = match &setting.entry {
        Threads::Main(_) => return Ok(true),
        Threads::Launch(kernel) => {
            engine.config = modes.together;
            let completes = kernel.on_any_heap || completes(engine, setting, concrete)?;
            engine.config = modes.alone;
            return Ok(completes && (kernel.valid.is_none() || is_valid(engine, setting, concrete)?));
        }
        Threads::Library(threads) => threads,
    };
    engine.config = modes.alone;
    for index in 0..threads.len() {
        match run_alone(engine, setting, concrete, Alone::Thread(index))? {
            Some(AloneEnd::Returned(_) | AloneEnd::Waits) => {}
            // On a valid heap that is a failure by itself.
            Some(AloneEnd::Relocks { anyway: true }) if setting.valid.is_some() => {}
            _ => return Ok(false),
        }
    }
    Ok(setting.valid.is_none() || is_valid(engine, setting, concrete)?)
}

/// Whether the predicate says yes of the heap.
fn is_valid(engine: &mut Engine, setting: &Setting, concrete: &Concrete) -> Result<bool, EngineError> {
    let end = run_alone(engine, setting, concrete, Alone::Valid)?;
    Ok(matches!(end, Some(AloneEnd::Returned(Some(Value::Int(word)))) if word & 0xff != 0))
}

/// Makes a confirmed run as small as greedy deletion gets it, or as small as it has got when the engine is interrupted. Values
/// are tried at 0 once.
///
/// # Errors
/// When the engine fails.
pub fn minimise(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    confirmed: Confirmed,
    goal: &FindingKey,
) -> Result<Confirmed, EngineError> {
    let mut best = confirmed;
    loop {
        let before = size(&best.concrete);
        let mut next = 0;
        // Candidates are made anew after each success, and taken up where the last one was.
        loop {
            let candidate = candidates(&best.concrete).nth(next);
            let Some(candidate) = candidate else { break };
            if engine.is_interrupted() {
                return Ok(best);
            }
            match confirm(engine, setting, modes, candidate, goal)? {
                // A run in which a thread fails or spins may not be followed natively, and one that depends on an unknown
                // function proves less.
                Some(smaller)
                    if size(&smaller.concrete) < size(&best.concrete)
                        && (best.ran.state.is_stuck() || !smaller.ran.state.is_stuck())
                        && (best.concrete.depends_on.is_some() || engine.depends_on(&smaller.ran.state).is_none()) =>
                {
                    best = smaller;
                }
                _ => next += 1,
            }
        }
        if size(&best.concrete) >= before {
            break;
        }
    }
    Ok(best)
}
