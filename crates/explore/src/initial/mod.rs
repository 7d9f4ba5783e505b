//! One thread by itself, on every initial heap: which heaps are within the precondition of what it calls.
//!
//! docs/soundness.md, 13: a shape with its values on which an operation run alone faults, relocks a lock that it
//! owns, or never returns, is outside of the precondition. Waiting alone is no violation.

pub(crate) mod alone;
pub(crate) mod predicate;
pub(crate) mod reached;
pub(crate) mod results;
pub(crate) mod states;
mod turns;

use crate::Budget;
use crate::budget::meter::{Live, Meter};
use crate::findings::deadlock::has_one_way;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::follow::{alone_to_choice, follow_alone};
use crate::run::frontier::{Frontier, Rest};
use crate::run::prefix::{Prefix, Prefixes};
use concurrency::{Action, SyncOp, ThreadId};
use machine::{
    Backtrace, Choice, Decision, Engine, EngineError, Fault, FaultKind, LossKind, PathEnd, State, Status, Stop,
};
use memory::Value;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;

/// How a thread that ran alone ended.
#[derive(Clone, PartialEq, Debug)]
pub enum AloneEnd {
    Returned(Option<Value>),
    /// It waits for something that only another thread can do.
    Waits,
    Faulted(Fault),
    /// Where calls are made one after the other, it uses what one before has freed, and is not ordered behind that: together that is a race.
    Outlived(Fault),
    /// It waits for a lock that it holds itself.
    Relocks {
        /// Only one pointer of the heap leads to the lock's object: so that is no matter of which objects are one.
        anyway: bool,
    },
    NeverReturns,
}

/// One way that a thread can go, with the part of the heap and the values that it needs for that.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub state: State,
    pub end: AloneEnd,
}

impl Leaf {
    /// Whether the heap is within the precondition.
    pub(crate) fn is_valid(&self) -> bool {
        matches!(self.end, AloneEnd::Returned(_) | AloneEnd::Waits | AloneEnd::Outlived(_))
    }
}

/// Part of the ways that are left.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct AloneLeft {
    pub prefix: Prefix,
    pub rest: Option<Rest>,
}

/// Says which ways are of interest.
pub(crate) trait Guide: fmt::Debug {
    /// Keeps those decisions that lead there.
    fn retain(&self, engine: &mut Engine, state: &State, choice: &Choice, decisions: &mut Vec<Decision>);
}

/// All ways that a thread can go, one at a time, depth first.
#[derive(Debug)]
pub(crate) struct AloneRuns {
    frontier: Frontier<State>,
    turns: AloneTurns,
    guide: Option<Rc<dyn Guide>>,
}

/// Whose turn it is where one thread runs at a time.
#[derive(Clone, Debug)]
enum AloneTurns {
    /// There is one thread.
    One,
    /// This one runs; others, which it has created, do not.
    Only(ThreadId),
    /// All run, one call after another: whose turn it is for each.
    InOrder(Rc<[ThreadId]>),
}

impl AloneTurns {
    /// Threads that synchronise stop before that, since there are others.
    fn grants(&self) -> bool {
        !matches!(self, AloneTurns::One)
    }

    fn are_in_order(&self) -> bool {
        matches!(self, AloneTurns::InOrder(_))
    }

    /// The thread to run.
    fn current(&self, state: &State) -> Option<ThreadId> {
        match self {
            AloneTurns::One => current(&[], state),
            AloneTurns::Only(thread) => Some(*thread),
            AloneTurns::InOrder(order) => current(order, state),
        }
    }
}

impl AloneRuns {
    /// Runs of the only thread of `state` on all initial heaps within the limits.
    pub(crate) fn new(state: State) -> Self {
        let mut runs = AloneRuns { frontier: Frontier::new(), turns: AloneTurns::One, guide: None };
        runs.frontier.push(state);
        runs
    }

    /// Only where a guide leads, if there is one.
    pub(crate) fn along(self, guide: Option<Rc<dyn Guide>>) -> Self {
        AloneRuns { guide, ..self }
    }

    /// Runs of all threads in this order, one call after another, or up to where one waits. Each leads to a leaf, whatever
    /// ends it. Each call is ordered before the next, as in one thread: what is used after it was freed is no race.
    pub(crate) fn serial(mut state: State, order: Rc<[ThreadId]>) -> Self {
        state.concurrent = false;
        AloneRuns { turns: AloneTurns::InOrder(order), ..AloneRuns::new(state) }
    }

    /// Runs of this thread, while all others stand still.
    pub(crate) fn of(state: State, thread: ThreadId) -> Self {
        AloneRuns { turns: AloneTurns::Only(thread), ..AloneRuns::new(state) }
    }

    /// The next way to go; none after the last, or when the meter stops. Gaps of raddle's enter the ledger.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn next(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<Leaf>, EngineError> {
        while !self.frontier.is_empty() && meter.step() {
            let Some(state) = self.frontier.pop(engine) else { break };
            let leaf = self.run(engine, state, meter)?;
            if leaf.is_some() || meter.stopped().is_some() {
                return Ok(leaf);
            }
        }
        Ok(None)
    }

    /// The leaf that a prefix leads to, the only one that is looked for.
    ///
    /// # Errors
    /// As for [`AloneRuns::next`], and when there is none.
    pub(crate) fn leaf(
        &mut self,
        engine: &mut Engine,
        prefix: &Prefix,
        meter: &mut Meter,
    ) -> Result<Leaf, EngineError> {
        let mut state = self.frontier.pop(engine).ok_or(EngineError::Diverged)?;
        follow_alone(engine, &mut state, &prefix.turns()?, |state| self.turns.current(state))?;
        self.run(engine, state, meter)?.ok_or(EngineError::Diverged)
    }

    /// Goes on with what another engine had left over.
    ///
    /// # Errors
    /// As for [`AloneRuns::leaf`].
    pub(crate) fn resume(&mut self, engine: &mut Engine, left: &AloneLeft) -> Result<(), EngineError> {
        let mut state = self.frontier.pop(engine).ok_or(EngineError::Diverged)?;
        follow_alone(engine, &mut state, &left.prefix.turns()?, |state| self.turns.current(state))?;
        let turns = self.turns.clone();
        let to_choice =
            |state: &mut State, thread| alone_to_choice(engine, state, thread, |state| turns.current(state));
        self.frontier.push_rest(state, left.rest.as_ref(), to_choice)
    }

    /// Nothing is left to do.
    pub(crate) fn forget(&mut self) {
        self.frontier = Frontier::new();
    }

    /// What is left, the next first.
    pub(crate) fn left(&mut self) -> impl Iterator<Item = AloneLeft> + '_ {
        let mut prefixes = Prefixes::default();
        self.frontier.drain().map(move |(state, rest)| AloneLeft { prefix: prefixes.of(&state), rest })
    }

    /// Runs one state to its end, or to where it has to choose: none then.
    fn run(&mut self, engine: &mut Engine, mut state: State, meter: &mut Meter) -> Result<Option<Leaf>, EngineError> {
        let mut turn = InTurn { turns: &self.turns, guide: self.guide.as_deref(), meter };
        let end = drive(engine, &mut state, &mut turn)?;
        // One after another, threads race as well; that is found when they run together.
        debug_assert!(self.turns.grants() || engine.sightings.is_empty(), "a single thread has nobody to race with");
        engine.sightings.clear();
        match end {
            RunEnd::Leaf(end) => return Ok(Some(Leaf { state, end })),
            RunEnd::Choice(thread, decisions) => self.frontier.push_choice(state, thread, decisions),
            RunEnd::Later => self.frontier.push(state),
            RunEnd::Nowhere => {}
        }
        Ok(None)
    }
}

/// Runs the thread that has not ended, alone, in all ways in which it returns, with so many steps. Whether these are all there are.
///
/// # Errors
/// When the engine fails.
pub fn returns_alone(
    engine: &mut Engine,
    state: State,
    (steps, budget): (u64, &Budget),
) -> Result<(Vec<State>, bool), EngineError> {
    let live = Live::default();
    let mut meter = Meter::new(budget, &live, Some(steps));
    let mut runs = AloneRuns::new(state);
    let mut ends = Vec::new();
    while let Some(leaf) = runs.next(engine, &mut meter)? {
        let ended = leaf.state.threads.iter().all(|thread| thread.status == Status::Ended);
        if matches!(leaf.end, AloneEnd::Returned(_)) && ended {
            ends.push(leaf.state);
        }
    }
    Ok((ends, meter.stopped().is_none()))
}

/// How a run of what is alone ends.
enum RunEnd {
    Leaf(AloneEnd),
    /// A thread can go on in these ways.
    Choice(ThreadId, Vec<Decision>),
    /// There is no time left.
    Later,
    /// With nothing that tells of the heap.
    Nowhere,
}

/// One thread after the other.
struct InTurn<'r, 'm> {
    turns: &'r AloneTurns,
    guide: Option<&'r dyn Guide>,
    meter: &'r mut Meter<'m>,
}

impl Answers for InTurn<'_, '_> {
    type End = RunEnd;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<RunEnd, Decision>, EngineError> {
        let mut decisions = engine.alternatives(state, choice, thread)?;
        if let Some(guide) = self.guide {
            guide.retain(engine, state, choice, &mut decisions);
        }
        Ok(ControlFlow::Break(RunEnd::Choice(thread, decisions)))
    }
}

impl Schedule for InTurn<'_, '_> {
    fn next(&mut self, _: &mut Engine, state: &mut State) -> Result<ControlFlow<RunEnd, ThreadId>, EngineError> {
        Ok(self.turns.current(state).map_or(ControlFlow::Break(RunEnd::Nowhere), ControlFlow::Continue))
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        thread: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<RunEnd>, EngineError> {
        let (grants, serial) = (self.turns.grants(), self.turns.are_in_order());
        let end = match stop {
            Stop::ThreadEnded => {
                let next = self.turns.current(state).filter(|&next| state.thread(next).status != Status::Ended);
                if next.is_some() {
                    return Ok(ControlFlow::Continue(()));
                }
                RunEnd::Leaf(AloneEnd::Returned(state.thread(thread).result()))
            }
            Stop::Visible(action) if grants && state.enabled(thread, &action) => {
                engine.grant(state, thread);
                return Ok(ControlFlow::Continue(()));
            }
            Stop::Visible(_) if serial => RunEnd::Leaf(AloneEnd::Waits),
            // Alone, a thread stops before an action only when it cannot carry it out.
            Stop::Visible(action) => blocked(engine, state, thread, &action),
            Stop::Wrong(fault) => RunEnd::Leaf(AloneEnd::Faulted(fault)),
            Stop::End(PathEnd::Raced) if serial => RunEnd::Leaf(AloneEnd::Outlived(outlived(engine, state, thread))),
            Stop::End(end) => path_end(engine, state, end, serial),
            Stop::Interrupted if !self.meter.look() => RunEnd::Later,
            Stop::Interrupted | Stop::CallEnded | Stop::Choice(_) | Stop::Failed(_) => {
                return Ok(ControlFlow::Continue(()));
            }
        };
        Ok(ControlFlow::Break(end))
    }
}

/// What it means that a thread cannot carry out its action alone.
fn blocked(engine: &mut Engine, state: &State, thread: ThreadId, action: &Action) -> RunEnd {
    let end = blocked_alone(state, action);
    if matches!(end, AloneEnd::Relocks { .. }) && engine.program.may_make_recursive_mutexes() {
        let place = Backtrace::of(&engine.program, state.thread(thread)).place(&engine.program.module);
        let remedy =
            "the mutex may be recursive (pthread_mutexattr_settype); those of the heap are taken for normal ones";
        engine.note(LossKind::Unsupported, place, remedy);
        return RunEnd::Nowhere;
    }
    RunEnd::Leaf(end)
}

/// The use of freed memory that a thread stands at.
fn outlived(engine: &Engine, state: &State, thread: ThreadId) -> Fault {
    Fault {
        kind: FaultKind::UseAfterFree,
        detail: "access to freed memory".to_owned(),
        thread,
        backtrace: Backtrace::of(&engine.program, state.thread(thread)),
        misuse: None,
        gone: None,
    }
}

/// What the end of a path means; `serial`: of all threads, one after the other.
fn path_end(engine: &mut Engine, state: &mut State, end: PathEnd, serial: bool) -> RunEnd {
    RunEnd::Leaf(match end {
        PathEnd::Exited { .. } => AloneEnd::Returned(None),
        // Alone, a thread does not look for spinning, and its state is not run on once the budget is used up.
        PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Abandoned(_) if serial => {
            AloneEnd::Waits
        }
        PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. } => return RunEnd::Nowhere,
        PathEnd::Repeats { traversal: true, .. } => AloneEnd::NeverReturns,
        PathEnd::Repeats { traversal: false, .. } => AloneEnd::Waits,
        PathEnd::Endless(endless) => {
            if !state.endless.contains(&endless) {
                state.endless.push(endless);
            }
            AloneEnd::Waits
        }
        PathEnd::Fault(fault) => AloneEnd::Faulted(fault),
        PathEnd::Abandoned(abandoned) => {
            engine.ledger.note(*abandoned);
            return RunEnd::Nowhere;
        }
    })
}

/// The thread to run; `order`: whose turn it is for each call.
fn current(order: &[ThreadId], state: &State) -> Option<ThreadId> {
    let goes_on = |thread: ThreadId| state.thread(thread).status != Status::Ended;
    let turns = (0..order.len()).map(|turn| (order[turn], &order[turn + 1..]));
    // A turn is over when those that the thread has later are all that is left of its calls.
    let is_due = |later: &[ThreadId], thread: ThreadId| {
        state.thread(thread).calls_to_come() >= later.iter().filter(|&&other| other == thread).count()
    };
    let due = turns.into_iter().find(|&(thread, later)| goes_on(thread) && is_due(later, thread));
    let first = state.thread_ids().next();
    due.map(|(thread, _)| thread).or_else(|| state.thread_ids().find(|&thread| goes_on(thread))).or(first)
}

/// How a thread ends that is alone and cannot carry out its action.
pub fn blocked_alone(state: &State, action: &Action) -> AloneEnd {
    let thread = state.thread_ids().next();
    match action {
        Action::Sync { op: SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock | SyncOp::Once, place }
            if thread.is_some_and(|t| state.sync.holders(*place).contains(&t)) =>
        {
            AloneEnd::Relocks { anyway: has_one_way(state, *place) }
        }
        _ => AloneEnd::Waits,
    }
}
