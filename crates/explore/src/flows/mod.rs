//! Whether threads of a launch may race, whatever their number: flows of one thread that stands for all ([`machine::Flow`]), two by two.
//!
//! Guarantee: if no pair is found and nothing is given up, no two threads of the launch race in an execution without failures, no barrier diverges,
//! and no atomic operation is one for its block alone beside those of another. Not the other way round: what a pair needs may never come about, for
//! what threads read of each other is anything here. Two threads suffice: a race is one of two, and all that others do to either is among
//! what it may read.
//!
//! That no barrier diverges comes first: up to where the first one does, all threads of a block have passed the same barriers, so that what two
//! of them do in intervals of different numbers is ordered. If there is no such place, that holds to the end.

mod conflict;

use crate::model::launch::{Kernel, launch_state};
use crate::run::driver::one_step;
use concurrency::{Site, ThreadId};
use machine::{
    Choice, Engine, EngineError, FlowAccess, FlowMeeting, Launch, Loops, LossKind, LossSite, PathEnd, Sched, State,
    Stop,
};
use memory::Limits;
use smt::TermId;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Two threads that may not be ordered as they have to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    pub kind: PairKind,
    pub sites: [Site; 2],
    /// `threadIdx` and `blockIdx` of each.
    pub threads: [[u32; 6]; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    /// Flows that were followed, and accesses that were compared.
    pub flows: u64,
    pub accesses: usize,
    pub queries: u64,
    /// Time ran out, or the user had enough.
    pub interrupted: bool,
}

/// All that flows come to.
#[derive(Default)]
struct Flows {
    accesses: Vec<FlowAccess>,
    /// Where each of them stands.
    known: HashMap<FlowAccess, usize>,
    /// Where those meet others that come to their end, with their path conditions.
    complete: BTreeSet<(Vec<FlowMeeting>, Vec<TermId>)>,
    count: u64,
    position: Option<[TermId; 6]>,
}

/// Ways through a kernel, and accesses on them, that are compared: each with each.
const MOST_FLOWS: u64 = 2000;
const MOST_ACCESSES: usize = 4000;

/// The one thread.
fn the_thread() -> ThreadId {
    ThreadId::new(0)
}

/// Looks for two threads of the launch that may race.
///
/// # Errors
/// When the engine fails.
pub fn pairs(engine: &mut Engine, limits: Limits, kernel: &Kernel) -> Result<Pairs, EngineError> {
    let mut loops = Loops::default();
    engine.loops = Loops::default();
    loop {
        let mut flows = Flows::default();
        let followed = flows.follow(engine, limits, kernel, &Rc::new(loops.clone()))?;
        match followed {
            Followed::Interrupted => return Ok(Pairs { interrupted: true, flows: flows.count, ..Pairs::default() }),
            Followed::All => return conflict::between(engine, &flows, kernel.launch),
            Followed::Again => {
                let meets = engine.loops.meets.clone();
                let any_round = engine.loops.any_round.difference(&meets).copied().collect();
                loops = Loops { any_round, meets, steps: engine.loops.steps.clone() };
            }
        }
    }
}

enum Followed {
    All,
    /// A loop has to be gone through in another way.
    Again,
    Interrupted,
}

impl Flows {
    fn follow(
        &mut self,
        engine: &mut Engine,
        limits: Limits,
        kernel: &Kernel,
        loops: &Rc<Loops>,
    ) -> Result<Followed, EngineError> {
        let one = Launch { grid: [1; 3], block: [1; 3], sched: Sched::Independent, ..kernel.launch };
        let (mut state, calls) = launch_state(engine, limits, &Kernel { launch: one, ..kernel.clone() });
        for call in calls.iter().flatten() {
            engine.begin_flow(&mut state, (kernel.launch, call.function), &call.arguments, loops);
        }
        self.position = state.flow().map(|flow| *flow.position());
        let given = state.inputs.len();
        let mut given_up = Vec::new();
        let mut open = vec![state];
        while let Some(mut state) = open.pop() {
            if self.count == MOST_FLOWS || self.accesses.len() > MOST_ACCESSES {
                let why = format!(
                    "all threads at once: more than {MOST_FLOWS} ways through the kernel, or {MOST_ACCESSES} accesses"
                );
                given_up.push((LossKind::Unsupported, here(engine, &state), why.into()));
                break;
            }
            let end = loop {
                if engine.is_interrupted() {
                    return Ok(Followed::Interrupted);
                }
                match one_step(engine, &mut state, the_thread())? {
                    Stop::Choice(choice @ (Choice::Condition(_) | Choice::Value(_) | Choice::Pick { .. })) => {
                        let mut decisions = engine.alternatives(&state, &choice, the_thread())?.into_iter();
                        let Some(first) = decisions.next() else { break End::Nowhere };
                        for decision in decisions {
                            let mut other = state.clone();
                            engine.decide(&mut other, the_thread(), decision);
                            open.push(other);
                        }
                        engine.decide(&mut state, the_thread(), first);
                    }
                    Stop::Choice(_) => {
                        break End::GivenUp(
                            LossKind::Unsupported,
                            here(engine, &state),
                            "all threads at once: a pointer of the heap is followed".into(),
                        );
                    }
                    Stop::Visible(_) => engine.grant(&mut state, the_thread()),
                    Stop::Wrong(_) | Stop::CallEnded => {}
                    Stop::ThreadEnded => break End::Complete,
                    // What fails is outside of what is claimed, and so is what comes behind; the round of a loop stands for all.
                    Stop::End(
                        PathEnd::Fault(_) | PathEnd::Infeasible | PathEnd::Exited { .. } | PathEnd::Endless(_),
                    ) => {
                        break End::Partial;
                    }
                    Stop::End(PathEnd::Abandoned(entry)) => break End::GivenUp(entry.kind, entry.site, entry.remedy),
                    Stop::End(PathEnd::Repeats { .. } | PathEnd::Spins { .. } | PathEnd::Raced) => {
                        let why = "all threads at once: a thread that goes round for ever";
                        break End::GivenUp(LossKind::Unsupported, here(engine, &state), why.into());
                    }
                    Stop::Interrupted => return Ok(Followed::Interrupted),
                    Stop::Failed(error) => return Err(error),
                }
            };
            // What a thread takes in is its own, and is not told from what all are given.
            let end = match end {
                End::Complete | End::Partial if state.inputs.len() > given => {
                    let why = "all threads at once: a kernel that takes something in";
                    End::GivenUp(LossKind::Unsupported, LossSite::Search("the launch".to_owned()), why.into())
                }
                end => end,
            };
            if matches!(end, End::GivenUp(..)) && must_go_again(engine, loops) {
                return Ok(Followed::Again);
            }
            match end {
                End::Complete => self.add(&state, true),
                End::Partial | End::Nowhere => self.add(&state, false),
                End::GivenUp(kind, site, remedy) => given_up.push((kind, site, remedy)),
            }
        }
        if must_go_again(engine, loops) {
            return Ok(Followed::Again);
        }
        for (kind, site, remedy) in given_up {
            engine.note(kind, site, remedy);
        }
        Ok(Followed::All)
    }

    fn add(&mut self, state: &State, is_complete: bool) {
        let Some(flow) = state.flow() else { return };
        self.count += 1;
        for access in flow.accesses() {
            let next = self.accesses.len();
            if *self.known.entry(access.clone()).or_insert(next) == next {
                self.accesses.push(access.clone());
            }
        }
        if is_complete {
            self.complete.insert((flow.meetings().to_vec(), state.path.terms().to_vec()));
        }
    }
}

/// Whether a loop was found that has to be gone through in another way.
fn must_go_again(engine: &Engine, loops: &Loops) -> bool {
    let found = &engine.loops;
    let is_new = |of: &(ir::FuncId, ir::BlockId)| !loops.any_round.contains(of) && !found.meets.contains(of);
    let differs = |(key, step): (&((ir::FuncId, ir::BlockId), usize), &machine::LoopStep)| {
        loops.any_round.contains(&key.0) && loops.steps.get(key) != Some(step)
    };
    found.any_round.iter().any(is_new) || !loops.any_round.is_disjoint(&found.meets) || found.steps.iter().any(differs)
}

enum End {
    Complete,
    Partial,
    /// The path condition has come to nothing.
    Nowhere,
    GivenUp(LossKind, LossSite, machine::Remedy),
}

fn here(engine: &Engine, state: &State) -> LossSite {
    machine::Backtrace::of(&engine.program, state.thread(the_thread())).place(&engine.program.module).into()
}
