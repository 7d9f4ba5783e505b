//! Traces: what a test makes a library do, call by call (Narada, section 3.1).
//!
//! A test runs once, with nothing left open: the first answer is taken where there are several, its threads go on until they
//! have to wait. What is kept are its calls of the library, with the heap before and after each, and what is accessed in them.
//! The label of an access, its execution index, is the number of the call and that of the access in it.

use concurrency::{AccessKind, Held, Range, Site, ThreadId};
use explore::{Answers, Schedule, drive, runnable};
use ir::FuncId;
use machine::{
    Boundary, Choice, Config, Decision, Engine, EngineError, Fault, LedgerEntry, Observed, PathEnd, Program, Repeats,
    State, Status, Stop,
};
use memory::{Limits, Memory, ObjId, TypeFacts, Value};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A test's run.
#[derive(Debug)]
pub struct Trace {
    /// In the order in which they began.
    pub calls: Vec<LibraryCall>,
    pub end: TraceEnd,
    /// There was more than is kept.
    pub is_cut: bool,
    /// Threads of the test's own, and of the library's.
    pub threads: usize,
    /// What there is at the end.
    pub memory: Memory,
}

/// How a test ends.
#[derive(Debug)]
pub enum TraceEnd {
    /// With this status, if it is known.
    Exited(Option<u64>),
    Failed(Fault),
    /// At what the engine has no answer to.
    Beyond(Box<LedgerEntry>),
    /// Everybody waits, or goes round for ever.
    Hangs,
    /// There was no time to go on.
    Unfinished,
}

/// A call of the library by the test.
#[derive(Debug)]
pub struct LibraryCall {
    pub function: FuncId,
    pub site: Site,
    pub thread: ThreadId,
    /// Scalars, as the ABI passes them.
    pub arguments: Rc<[Value]>,
    /// None if it does not return.
    pub results: Option<Rc<[Value]>>,
    pub before: Rc<Memory>,
    pub after: Option<Rc<Memory>>,
    /// In this order.
    pub accesses: Vec<Access>,
}

/// An access in a call of the library.
#[derive(Clone, Debug)]
pub struct Access {
    pub site: Site,
    pub kind: AccessKind,
    pub atomic: bool,
    pub range: Range,
    /// Locks that were taken in the call: those that the test holds do not count (INVOKE, Figure 7).
    pub held: Rc<[Held]>,
    /// Of one word: what it reads, or writes.
    pub read: Option<Value>,
    pub written: Option<Value>,
}

impl LibraryCall {
    /// The parameter whose object the call ends, as a destructor does: it frees the object, and counts nothing in it down by one before, as
    /// who gives back a reference does.
    pub fn ends(&self, program: &Program) -> Option<usize> {
        let is_ended = |object: ObjId| {
            let of_it = self.accesses.iter().filter(|access| access.range.object == object);
            let locks =
                self.before.object(object).ty.map_or_else(Vec::new, |ty| TypeFacts::sync_ranges(&program.module, ty));
            let is_of_lock = |range: &Range| locks.iter().any(|lock| lock.contains(&range.offset));
            // By place, what was read there last.
            let mut read: FxHashMap<(u64, u64), u64> = FxHashMap::default();
            for access in of_it {
                let place = (access.range.offset, access.range.size);
                if let Some(Value::Int(value)) = access.read {
                    read.insert(place, value);
                }
                match (access.kind, access.written) {
                    (AccessKind::Free, _) => return true,
                    (AccessKind::Read, _) => {}
                    (AccessKind::Write | AccessKind::ReadWrite, _) if is_of_lock(&access.range) => {}
                    // Atomic counts are changed in one step.
                    (AccessKind::ReadWrite, _) => return false,
                    (AccessKind::Write, Some(Value::Int(value))) => {
                        if read.get(&place).is_some_and(|&earlier| earlier.wrapping_sub(value) == 1) {
                            return false;
                        }
                    }
                    (AccessKind::Write, _) => {}
                }
            }
            false
        };
        self.arguments.iter().position(|value| match value {
            Value::Ptr(pointer) => is_ended(pointer.object),
            _ => false,
        })
    }
}

impl Trace {
    /// Runs a test, which is a function of a program, from the program's initial state. `first`: what is called before it.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn of(
        engine: &mut Engine,
        (first, main): (Option<FuncId>, FuncId),
        boundary: Boundary,
        limits: Limits,
    ) -> Result<Self, EngineError> {
        let mut state = engine.main_state(limits, main);
        if let (Some(first), Some(thread)) = (first, state.thread_ids().next()) {
            engine.call_first(&mut state, thread, first, &[]);
        }
        let config = Config { observe: true, repeats: Repeats::Exact, spurious: 0, ..engine.config };
        let outer = engine.boundary.replace(boundary);
        let end = engine.with_config(config, |engine| drive(engine, &mut state, &mut AsItComes));
        engine.boundary = outer;
        // One run shows nothing of races.
        engine.sightings.clear();
        let mut observed: Vec<&Observed> = state.observed.iter().collect();
        observed.reverse();
        let (calls, threads, is_cut) = (calls(&observed), state.threads.len(), state.observed.is_full());
        Ok(Trace { calls, end: end?, is_cut, threads, memory: state.memory })
    }
}

fn calls(observed: &[&Observed]) -> Vec<LibraryCall> {
    let mut calls: Vec<LibraryCall> = Vec::new();
    // By thread, the call that it is in, and what it held before.
    let mut open: Vec<(ThreadId, usize, Rc<[Held]>)> = Vec::new();
    for what in observed {
        match what {
            Observed::Entered { thread, function, site, arguments, held, before } => {
                open.retain(|(other, ..)| other != thread);
                open.push((*thread, calls.len(), Rc::clone(held)));
                calls.push(LibraryCall {
                    function: *function,
                    site: *site,
                    thread: *thread,
                    arguments: Rc::clone(arguments),
                    results: None,
                    before: Rc::clone(before),
                    after: None,
                    accesses: Vec::new(),
                });
            }
            Observed::Left { thread, results, after } => {
                if let Some(at) = open.iter().position(|(other, ..)| other == thread) {
                    let (_, call, _) = open.remove(at);
                    calls[call].results = Some(Rc::clone(results));
                    calls[call].after = Some(Rc::clone(after));
                }
            }
            Observed::Access { record, range, held, read, written } => {
                let Some((_, call, before)) = open.iter().find(|(thread, ..)| *thread == record.thread) else {
                    continue;
                };
                let own = held.iter().filter(|lock| !before.contains(lock)).copied().collect();
                calls[*call].accesses.push(Access {
                    site: record.site,
                    kind: record.kind,
                    atomic: record.atomic,
                    range: *range,
                    held: own,
                    read: *read,
                    written: *written,
                });
            }
            Observed::Compared(_)
            | Observed::Distinct(..)
            | Observed::Called { .. }
            | Observed::Fenced { .. }
            | Observed::Created { .. }
            | Observed::Joined { .. } => {}
        }
    }
    calls
}

/// The first thread that can goes on, and takes the first answer.
struct AsItComes;

impl Answers for AsItComes {
    type End = TraceEnd;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<TraceEnd, Decision>, EngineError> {
        let first = engine.alternatives(state, choice, thread)?.into_iter().next();
        Ok(first.map_or(ControlFlow::Break(TraceEnd::Hangs), ControlFlow::Continue))
    }
}

impl Schedule for AsItComes {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<TraceEnd, ThreadId>, EngineError> {
        if let Some(thread) = runnable(engine, state) {
            return Ok(ControlFlow::Continue(thread));
        }
        let is_ready = |thread: &ThreadId| match &state.thread(*thread).status {
            Status::At(action) => state.enabled(*thread, action),
            _ => false,
        };
        let Some(thread) = state.thread_ids().find(is_ready) else { return Ok(ControlFlow::Break(TraceEnd::Hangs)) };
        engine.grant(state, thread);
        Ok(ControlFlow::Continue(thread))
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        _: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<TraceEnd>, EngineError> {
        Ok(match stop {
            Stop::End(PathEnd::Exited { code }) => ControlFlow::Break(TraceEnd::Exited(code)),
            Stop::End(PathEnd::Fault(fault)) => ControlFlow::Break(TraceEnd::Failed(fault)),
            Stop::End(PathEnd::Abandoned(entry)) => ControlFlow::Break(TraceEnd::Beyond(entry)),
            Stop::Interrupted => ControlFlow::Break(TraceEnd::Unfinished),
            _ if engine.is_interrupted() => ControlFlow::Break(TraceEnd::Unfinished),
            // Whoever spins may be helped by others.
            _ => ControlFlow::Continue(()),
        })
    }
}
