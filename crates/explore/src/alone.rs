//! One operation by itself, on every initial heap: which heaps are within its precondition.
//!
//! DESIGN 'What a shape may be': a shape with its values on which an operation run alone faults, relocks a lock that it
//! owns, or never returns, is outside of the precondition. Waiting alone is no violation.

use crate::joint::note_exhausted;
use crate::{Budget, Exhausted};
use concurrency::{Action, SyncOp};
use machine::{Engine, EngineError, Fault, PathEnd, State, Stop};
use memory::Value;

/// How an operation that ran alone ended.
#[derive(Clone, PartialEq, Debug)]
pub enum AloneEnd {
    Returned(Option<Value>),
    /// It waits for something that only another thread can do.
    Waits,
    Faulted(Fault),
    /// It waits for a lock that it holds itself.
    Relocks,
    NeverReturns,
}

/// One way that an operation can go, with the part of the heap and the values that it needs for that.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub state: State,
    pub end: AloneEnd,
}

impl Leaf {
    /// Whether the heap is within the operation's precondition.
    pub fn is_valid(&self) -> bool {
        matches!(self.end, AloneEnd::Returned(_) | AloneEnd::Waits)
    }
}

/// All ways that an operation can go.
#[derive(Debug, Default)]
pub struct Alone {
    pub leaves: Vec<Leaf>,
    pub exhausted: Option<Exhausted>,
}

/// Runs the only thread of `state` on all initial heaps within the limits. Gaps of raddle's enter the ledger.
///
/// # Errors
/// When the engine fails.
pub fn run_alone(engine: &mut Engine, state: State, budget: &Budget, what: &str) -> Result<Alone, EngineError> {
    let mut alone = Alone::default();
    let mut stack = vec![state];
    let Some(thread) = stack[0].thread_ids().next() else { return Ok(alone) };
    let mut steps = 0u64;
    while let Some(mut state) = stack.pop() {
        steps += 1;
        if steps % 64 == 1
            && let Some(exhausted) = budget.exhausted()
        {
            note_exhausted(engine, exhausted, what);
            alone.exhausted = Some(exhausted);
            return Ok(alone);
        }
        let end = loop {
            match engine.run(&mut state, thread) {
                Stop::Choice(choice) => {
                    let alternatives = engine.alternatives(&state, &choice, thread)?;
                    let Some((first, rest)) = alternatives.split_first() else { break None };
                    for decision in rest.iter().rev() {
                        let mut other = state.clone();
                        engine.decide(&mut other, thread, *decision);
                        stack.push(other);
                    }
                    engine.decide(&mut state, thread, *first);
                }
                Stop::ThreadEnded => break Some(AloneEnd::Returned(state.thread(thread).result())),
                // Alone, a thread stops before an action only when it cannot carry it out.
                Stop::Visible(action) => break Some(blocked(&state, &action)),
                Stop::End(PathEnd::Exited { .. }) => break Some(AloneEnd::Returned(None)),
                // Alone, a thread does not look for spinning, and its state is not run on once the budget is used up.
                Stop::End(PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins) => break None,
                Stop::Interrupted => {
                    if let Some(exhausted) = budget.exhausted() {
                        note_exhausted(engine, exhausted, what);
                        alone.exhausted = Some(exhausted);
                        return Ok(alone);
                    }
                }
                Stop::End(PathEnd::Repeats { traversal: true }) => break Some(AloneEnd::NeverReturns),
                Stop::End(PathEnd::Repeats { traversal: false }) => break Some(AloneEnd::Waits),
                Stop::End(PathEnd::Fault(fault)) => break Some(AloneEnd::Faulted(fault)),
                Stop::End(PathEnd::Abandoned(abandoned)) => {
                    engine.note_abandoned(&abandoned);
                    break None;
                }
                Stop::Failed(error) => return Err(error),
            }
        };
        debug_assert!(engine.sightings.is_empty(), "a single thread has nobody to race with");
        if let Some(end) = end {
            alone.leaves.push(Leaf { state, end });
        }
    }
    Ok(alone)
}

fn blocked(state: &State, action: &Action) -> AloneEnd {
    let thread = state.thread_ids().next();
    match action {
        Action::Sync { op: SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock | SyncOp::Once, place }
            if thread.is_some_and(|t| state.sync.holders(*place).contains(&t)) =>
        {
            AloneEnd::Relocks
        }
        _ => AloneEnd::Waits,
    }
}
