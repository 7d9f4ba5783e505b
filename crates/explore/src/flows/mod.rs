//! Whether threads of a launch may race, whatever their number: flows of one thread that stands for all ([`machine::Flow`]), two by two.
//!
//! Guarantee: if no pair is found and nothing is given up, no two threads of the launch race in an execution without failures, no barrier diverges,
//! and no atomic operation is one for its block alone beside those of another. Not the other way round: what a pair needs may never come about, for
//! what threads read of each other is anything here. Two threads suffice: a race is one of two, and all that others do to either is among
//! what it may read.
//!
//! That no barrier diverges comes first: up to where the first one does, all threads of a block have passed the same barriers, so that what two
//! of them do in intervals of different numbers is ordered. If there is no such place, that holds to the end.

pub(crate) mod condition;
mod conflict;
mod products;

use crate::model::launch::{Kernel, launch_state};
use crate::run::driver::one_step;
use concurrency::{Site, ThreadId};
use machine::{
    Backtrace, Choice, Engine, EngineError, Fault, FaultKind, FlowAccess, FlowMeeting, Launch, Loops, LossKind,
    LossSite, PathEnd, Remedy, Sched, Sizes, State, Stop,
};
use memory::{Limits, Value};
use rustc_hash::FxHashSet;
use smt::TermId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Two threads that may not be ordered as they have to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    pub kind: PairKind,
    pub sites: [Site; 2],
    /// `threadIdx` and `blockIdx` of each.
    pub threads: [[u32; 6]; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PairKind {
    Race,
    /// Both are atomic, one of them for its own block alone.
    Scope,
    /// One comes to where others are to meet it, the other to another such place, or to none.
    Divergence,
}

/// What was found of a launch.
#[derive(Debug, Default)]
pub struct Pairs {
    pub pairs: Vec<Pair>,
    /// Flows that were followed, and what the solver was asked of them.
    pub flows: u64,
    pub queries: u64,
    /// Time ran out, or the user had enough.
    pub interrupted: bool,
}

/// All that flows come to.
#[derive(Default)]
struct Flows {
    /// In the order in which they were met.
    accesses: Vec<FlowAccess>,
    known: FxHashSet<FlowAccess>,
    /// Where those meet others that come to their end, with their path conditions.
    complete: BTreeSet<(Vec<FlowMeeting>, Vec<TermId>)>,
    /// What holds of each thread, and what else on the ways on which one fails.
    given: Vec<TermId>,
    failing: Vec<Vec<TermId>>,
    count: u64,
    partings: u64,
    position: Option<[TermId; 6]>,
    sizes: Option<Sizes>,
    /// What all threads are given.
    arguments: Vec<Value>,
}

/// Ways through a kernel, and accesses on them, that are compared: each with each.
const MOST_FLOWS: u64 = 2000;
const MOST_ACCESSES: usize = 4000;
/// Places at which ways part, or may part: each asks the solver, and those of loops in loops come to no end.
const MOST_PARTINGS: u64 = 5_000;

/// The one thread.
fn the_thread() -> ThreadId {
    ThreadId::new(0)
}

/// Looks for two threads of the launch that may race.
///
/// # Errors
/// When the engine fails.
pub fn pairs(engine: &mut Engine, limits: Limits, kernel: &Kernel) -> Result<Pairs, EngineError> {
    let sizes = Sizes::of(&mut engine.terms, &kernel.launch);
    match follow_all(engine, limits, kernel, &sizes)? {
        Followed::Interrupted(flows) => Ok(Pairs { interrupted: true, flows, ..Pairs::default() }),
        Followed::Flows(flows) => conflict::between(engine, &flows, kernel.launch),
    }
}

/// What became of following all flows.
enum Followed {
    /// What was given up of them is noted.
    Flows(Box<Flows>),
    /// After so many of them.
    Interrupted(u64),
}

/// Follows all ways through the kernel, in launches of these sizes.
fn follow_all(engine: &mut Engine, limits: Limits, kernel: &Kernel, sizes: &Sizes) -> Result<Followed, EngineError> {
    let mut loops = Rc::new(Loops::default());
    engine.loops = Loops::default();
    loop {
        let mut flows = Flows::default();
        let Some(given_up) = flows.follow(engine, limits, (kernel, sizes), &loops)? else {
            return Ok(Followed::Interrupted(flows.count));
        };
        if let Some(others) = Loops::after(&engine.loops, &loops) {
            loops = Rc::new(others);
            continue;
        }
        for GivenUp(kind, site, remedy) in given_up {
            engine.note(kind, site, remedy);
        }
        return Ok(Followed::Flows(Box::new(flows)));
    }
}

/// Why a flow goes no further, though its thread does.
struct GivenUp(LossKind, LossSite, Remedy);

enum End {
    /// The thread has ended.
    Complete,
    /// It leaves its buffers, so that the launch is none of which anything is claimed; or goes round a loop of which one round stands for all.
    Partial,
    GivenUp(GivenUp),
    Interrupted,
}

impl Flows {
    /// Follows all ways through the kernel, or as many as it takes to see that a loop has to be gone through in another way. What was given up;
    /// none if interrupted.
    fn follow(
        &mut self,
        engine: &mut Engine,
        limits: Limits,
        (kernel, sizes): (&Kernel, &Sizes),
        loops: &Rc<Loops>,
    ) -> Result<Option<Vec<GivenUp>>, EngineError> {
        let one = Launch { grid: [1; 3], block: [1; 3], sched: Sched::Independent, ..kernel.launch };
        let (mut state, calls) = launch_state(engine, limits, &Kernel { launch: one, ..kernel.clone() });
        for call in calls.iter().flatten() {
            engine.begin_flow(&mut state, (kernel.launch, sizes, call.function), &call.arguments, loops);
            self.arguments.clone_from(&call.arguments);
        }
        self.position = state.flow().map(|flow| *flow.position());
        self.sizes = Some(sizes.clone());
        self.given = state.path.terms().to_vec();
        let given = state.inputs.len();
        let mut given_up = Vec::new();
        let mut open = vec![state];
        while let Some(mut state) = open.pop() {
            if self.count == MOST_FLOWS || self.accesses.len() > MOST_ACCESSES {
                let why = format!("more than {MOST_FLOWS} ways through the kernel, or {MOST_ACCESSES} accesses");
                given_up.push(unsupported(engine, &state, &why));
                break;
            }
            match self.follow_one(engine, (&mut state, sizes), &mut open)? {
                // What a thread takes in is its own, and is not told from what all are given.
                End::Complete | End::Partial if state.inputs.len() > given => {
                    given_up.push(unsupported(engine, &state, "a kernel that takes something in"));
                }
                End::Complete => self.add(&state, true),
                End::Partial => self.add(&state, false),
                End::GivenUp(why) => {
                    given_up.push(why);
                    if self.partings > MOST_PARTINGS || Loops::after(&engine.loops, loops).is_some() {
                        break;
                    }
                }
                End::Interrupted => return Ok(None),
            }
        }
        Ok(Some(given_up))
    }

    fn decided(&self, state: &State) -> Vec<TermId> {
        state.path.terms().iter().copied().filter(|term| !self.given.contains(term)).collect()
    }

    fn add(&mut self, state: &State, is_complete: bool) {
        let Some(flow) = state.flow() else { return };
        self.count += 1;
        for access in flow.accesses() {
            if self.known.insert(access.clone()) {
                self.accesses.push(access.clone());
            }
        }
        if is_complete {
            self.complete.insert((flow.meetings().to_vec(), state.path.terms().to_vec()));
        }
    }

    /// Follows one way to its end; where it parts, the others are left open.
    fn follow_one(
        &mut self,
        engine: &mut Engine,
        (state, sizes): (&mut State, &Sizes),
        open: &mut Vec<State>,
    ) -> Result<End, EngineError> {
        let thread = the_thread();
        loop {
            if engine.is_interrupted() {
                return Ok(End::Interrupted);
            }
            match one_step(engine, state, thread)? {
                Stop::Choice(choice @ (Choice::Condition(_) | Choice::Value(_) | Choice::Pick { .. })) => {
                    self.partings += 1;
                    if self.partings > MOST_PARTINGS {
                        let why = format!("ways through the kernel that part {MOST_PARTINGS} times");
                        return Ok(End::GivenUp(unsupported(engine, state, &why)));
                    }
                    let mut decisions = engine.alternatives(state, &choice, thread)?.into_iter();
                    // The path condition may have come to nothing.
                    let Some(first) = decisions.next() else { return Ok(End::Partial) };
                    for decision in decisions {
                        let mut other = state.clone();
                        engine.decide(&mut other, thread, decision);
                        open.push(other);
                    }
                    engine.decide(state, thread, first);
                }
                Stop::Choice(_) => {
                    return Ok(End::GivenUp(unsupported(engine, state, "a pointer of the heap is followed")));
                }
                Stop::Visible(_) => engine.grant(state, thread),
                Stop::CallEnded => {}
                Stop::Wrong(fault) if !sizes.are_symbols() => return Ok(End::GivenUp(fails(engine, state, &fault))),
                Stop::Wrong(_) => self.failing.push(self.decided(state)),
                Stop::ThreadEnded => return Ok(End::Complete),
                Stop::End(PathEnd::Fault(fault)) if !sizes.are_symbols() && !is_about_buffers(&fault) => {
                    return Ok(End::GivenUp(fails(engine, state, &fault)));
                }
                Stop::End(PathEnd::Fault(_)) => {
                    self.failing.push(self.decided(state));
                    return Ok(End::Partial);
                }
                Stop::End(PathEnd::Infeasible | PathEnd::Exited { .. } | PathEnd::Endless(_)) => {
                    return Ok(End::Partial);
                }
                Stop::End(PathEnd::Abandoned(entry)) => {
                    return Ok(End::GivenUp(GivenUp(entry.kind, entry.site, entry.remedy)));
                }
                Stop::End(PathEnd::Repeats { .. } | PathEnd::Spins { .. } | PathEnd::Raced) => {
                    return Ok(End::GivenUp(unsupported(engine, state, "a thread that goes round for ever")));
                }
                Stop::Interrupted => return Ok(End::Interrupted),
                Stop::Failed(error) => return Err(error),
            }
        }
    }
}

/// What is assumed not to happen, of all launches alike (docs/soundness.md, F4).
fn is_about_buffers(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::OutOfBounds | FaultKind::NullDereference)
}

/// A failure is no race, but nobody else looks for it where all threads are looked at at once.
fn fails(engine: &Engine, state: &State, fault: &Fault) -> GivenUp {
    unsupported(engine, state, &format!("a thread that may fail ({})", fault.detail))
}

fn unsupported(engine: &Engine, state: &State, why: &str) -> GivenUp {
    let at = Backtrace::of(&engine.program, state.thread(the_thread())).place(&engine.program.module);
    GivenUp(LossKind::Unsupported, at.into(), format!("all threads at once: {why}").into())
}
