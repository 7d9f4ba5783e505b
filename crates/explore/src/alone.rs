//! One operation by itself, on every initial heap: which heaps are within its precondition.
//!
//! DESIGN 'What a shape may be': a shape with its values on which an operation run alone faults, relocks a lock that it
//! owns, or never returns, is outside of the precondition. Waiting alone is no violation.

use crate::agenda::Agenda;
use crate::joint::note_exhausted;
use crate::{Budget, Exhausted};
use concurrency::{Action, SyncOp, ThreadId};
use machine::{Backtrace, Enabled, Engine, EngineError, Fault, LossKind, PathEnd, State, Status, Stop};
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

/// All ways that an operation can go, one at a time, depth first.
#[derive(Debug)]
pub struct AloneRuns {
    /// What is run.
    what: String,
    agenda: Agenda<State>,
    /// All threads run, one after another: the last first.
    backwards: Option<bool>,
    steps: u64,
    pub exhausted: Option<Exhausted>,
}

impl AloneRuns {
    /// Runs of the only thread of `state` on all initial heaps within the limits.
    pub fn new(state: State, what: &str) -> Self {
        let mut agenda = Agenda::new();
        agenda.push(state);
        AloneRuns { what: what.to_owned(), agenda, backwards: None, steps: 0, exhausted: None }
    }

    /// Runs of all threads one after another, or up to where one waits. Each leads to a leaf, whatever ends it.
    pub(crate) fn serial(state: State, backwards: bool, what: &str) -> Self {
        AloneRuns { backwards: Some(backwards), ..AloneRuns::new(state, what) }
    }

    /// The thread to run.
    fn current(&self, state: &State) -> Option<ThreadId> {
        let mut threads: Vec<ThreadId> = state.thread_ids().collect();
        if self.backwards == Some(true) {
            threads.reverse();
        }
        let first = threads.first().copied();
        threads.into_iter().find(|&thread| state.thread(thread).status != Status::Ended).or(first)
    }

    /// The next way to go; none after the last, or when something is exhausted. Gaps of raddle's enter the ledger.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn next(&mut self, engine: &mut Engine, budget: &Budget) -> Result<Option<Leaf>, EngineError> {
        while let Some(state) = self.agenda.pop(engine) {
            self.steps += 1;
            if self.steps % 64 == 1 && self.is_over(engine, budget) {
                return Ok(None);
            }
            let leaf = self.run(engine, state, budget)?;
            if leaf.is_some() || self.exhausted.is_some() {
                return Ok(leaf);
            }
        }
        Ok(None)
    }

    fn is_over(&mut self, engine: &mut Engine, budget: &Budget) -> bool {
        if let Some(exhausted) = budget.exhausted() {
            note_exhausted(engine, exhausted, &self.what);
            self.exhausted = Some(exhausted);
            self.agenda.clear();
        }
        self.exhausted.is_some()
    }

    /// Runs one state to its end, or to where it has to choose: none then.
    fn run(&mut self, engine: &mut Engine, mut state: State, budget: &Budget) -> Result<Option<Leaf>, EngineError> {
        let serial = self.backwards.is_some();
        let end = loop {
            let Some(thread) = self.current(&state) else { return Ok(None) };
            match engine.run(&mut state, thread) {
                Stop::Choice(choice) => {
                    let decisions = engine.alternatives(&state, &choice, thread)?;
                    self.agenda.push_choice(state, thread, decisions);
                    return Ok(None);
                }
                Stop::ThreadEnded => {
                    let next = self.current(&state).filter(|&next| state.thread(next).status != Status::Ended);
                    if next.is_none() {
                        break AloneEnd::Returned(state.thread(thread).result());
                    }
                }
                Stop::Visible(action) if serial && state.enabled(thread, &action, 0) == Enabled::Yes => {
                    engine.grant(&mut state, thread);
                }
                Stop::Visible(_) if serial => break AloneEnd::Waits,
                // Alone, a thread stops before an action only when it cannot carry it out.
                Stop::Visible(action) => match blocked(&state, &action) {
                    AloneEnd::Relocks if engine.program.may_make_recursive_mutexes() => {
                        let place = Backtrace::of(&engine.program, state.thread(thread)).place(&engine.program.module);
                        let remedy = "the mutex may be recursive (pthread_mutexattr_settype); those of the heap are taken \
                                      for normal ones";
                        engine.note(LossKind::Unsupported, place, remedy);
                        return Ok(None);
                    }
                    end => break end,
                },
                Stop::End(PathEnd::Exited { .. }) => break AloneEnd::Returned(None),
                // Alone, a thread does not look for spinning, and its state is not run on once the budget is used up.
                Stop::End(PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Abandoned(_))
                    if serial =>
                {
                    break AloneEnd::Waits;
                }
                Stop::End(PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. }) => return Ok(None),
                Stop::Interrupted => {
                    if self.is_over(engine, budget) {
                        return Ok(None);
                    }
                }
                Stop::End(PathEnd::Repeats { traversal: true }) => break AloneEnd::NeverReturns,
                Stop::End(PathEnd::Repeats { traversal: false }) => break AloneEnd::Waits,
                Stop::End(PathEnd::Fault(fault)) => break AloneEnd::Faulted(fault),
                Stop::End(PathEnd::Abandoned(abandoned)) => {
                    engine.note_abandoned(&abandoned);
                    return Ok(None);
                }
                Stop::Failed(error) => return Err(error),
            }
        };
        // One after another, threads race as well; that is found when they run together.
        debug_assert!(serial || engine.sightings.is_empty(), "a single thread has nobody to race with");
        engine.sightings.clear();
        Ok(Some(Leaf { state, end }))
    }
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
