//! Tests: executions that cover something, run again as the program is, without a variable in memory that is not its own.

use super::Way;
use super::execution::Executed;
use crate::findings::Found;
use crate::findings::deadlock::deadlocked;
use crate::run::next::runnable;
use crate::trace::canon::{Canon, Who};
use crate::{FindingKey, FindingKind, Origin};
use concurrency::{Action, Site, ThreadId};
use machine::{Choice, Decision, Engine, EngineError, PathEnd, State, Status, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Model, TermId};
use std::collections::VecDeque;

/// The most visible actions for which threads run on behind what a test is about.
const MOST_BEHIND: usize = 20_000;

/// What the program was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverInput {
    pub name: String,
    /// Least significant first.
    pub bytes: Vec<u8>,
}

/// An input and a schedule.
#[derive(Clone, Debug)]
pub struct CoverTest {
    pub inputs: Vec<CoverInput>,
    /// Its threads, by name, in the order of their visible actions.
    pub threads: Vec<String>,
}

/// An execution that was run again.
pub(super) struct Confirmed {
    pub test: CoverTest,
    pub taken: FxHashSet<Way>,
    pub findings: Vec<(FindingKey, Found)>,
}

/// Runs an execution again, and on to its end.
///
/// # Errors
/// When the engine fails.
pub(super) fn confirm(
    (engine, canon): (&mut Engine, &mut Canon),
    (origin, sites): (&Origin, &[Site]),
    executed: &Executed,
) -> Result<Confirmed, EngineError> {
    let ledger = engine.ledger.clone();
    let confirmed = engine.with_config(origin.together(), |engine| {
        engine.taken = Some(Vec::new());
        engine.sightings.clear();
        let (state, _) = origin.base_state(engine);
        let mut again = Again {
            engine,
            state,
            canon,
            model: executed.model.clone(),
            sites,
            picks: executed.picks.clone(),
            findings: Vec::new(),
            taken: FxHashSet::default(),
            is_over: false,
        };
        let result = again.run(executed);
        let Again { engine, findings, taken, .. } = again;
        engine.taken = None;
        engine.sightings.clear();
        result.map(|test| Confirmed { test, taken, findings })
    });
    // What is met behind a test is no part of what was searched.
    engine.ledger = ledger;
    confirmed
}

struct Again<'a> {
    engine: &'a mut Engine,
    state: State,
    canon: &'a mut Canon,
    model: Model,
    sites: &'a [Site],
    /// What the environment chose, by thread.
    picks: FxHashMap<Who, VecDeque<u32>>,
    findings: Vec<(FindingKey, Found)>,
    taken: FxHashSet<Way>,
    /// The process has ended, or a thread's failure ends the execution.
    is_over: bool,
}

impl Again<'_> {
    fn run(&mut self, executed: &Executed) -> Result<CoverTest, EngineError> {
        self.settle()?;
        let mut threads = Vec::new();
        for (who, action) in &executed.actions {
            let Some((thread, real)) = self.stands_before(*who, action) else { continue };
            if self.is_over || !self.state.enabled(thread, &real) {
                break;
            }
            threads.push(self.state.thread(thread).name.to_string());
            self.engine.grant(&mut self.state, thread);
            self.settle()?;
        }
        let test = CoverTest { inputs: self.inputs(), threads };
        self.run_on()?;
        Ok(test)
    }

    /// The thread that stands before this action. Nobody does where it is not visible here: what only one thread is left to access.
    fn stands_before(&mut self, who: Who, action: &Action) -> Option<(ThreadId, Action)> {
        let thread = self.executed_thread(who)?;
        let Status::At(real) = self.state.thread(thread).status else { return None };
        (self.canon.action(&self.state, &real) == *action).then_some((thread, real))
    }

    fn executed_thread(&mut self, who: Who) -> Option<ThreadId> {
        self.state.thread_ids().find(|&thread| self.canon.who(&self.state, thread) == who)
    }

    /// Runs all threads up to their next visible actions; who waits for one that has ended goes on.
    fn settle(&mut self) -> Result<(), EngineError> {
        while let Some(thread) = runnable(self.engine, &mut self.state) {
            let stop = self.engine.run(&mut self.state, thread);
            self.note();
            match stop {
                Stop::Failed(error) => return Err(error),
                Stop::Choice(choice) => {
                    let decision = self.answer(thread, &choice);
                    self.engine.decide(&mut self.state, thread, decision);
                }
                Stop::Wrong(fault) => self.found(FindingKind::Fault(fault)),
                Stop::End(PathEnd::Fault(fault)) => self.found(FindingKind::Fault(fault)),
                Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible | PathEnd::Repeats { .. }) => {
                    self.is_over = true;
                }
                Stop::Interrupted => self.is_over = true,
                Stop::End(_) | Stop::Visible(_) | Stop::ThreadEnded | Stop::CallEnded => {}
            }
            if self.is_over {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, thread: ThreadId, choice: &Choice) -> Decision {
        match *choice {
            Choice::Condition(term) => {
                let holds = self.value(term) != 0;
                Decision::Condition { term, holds, implied: false, solver: false }
            }
            Choice::Value(term) => Decision::Value { term, value: self.value(term), implied: false },
            Choice::Pick { count } => {
                let who = self.canon.who(&self.state, thread);
                let pick = self.picks.get_mut(&who).and_then(VecDeque::pop_front);
                Decision::Pick(pick.filter(|&pick| pick < count).unwrap_or(0))
            }
            Choice::Nullness(pointer) | Choice::Target(pointer) => Decision::Null(pointer),
            Choice::Tag(pointer, _) => Decision::Tag(pointer, 0),
        }
    }

    fn value(&self, term: TermId) -> u128 {
        self.engine.terms.eval(term, &self.model)
    }

    fn note(&mut self) {
        if let Some(taken) = &mut self.engine.taken {
            self.taken.extend(taken.drain(..));
        }
        for sighting in std::mem::take(&mut self.engine.sightings) {
            self.found(FindingKind::Race(sighting));
        }
    }

    fn found(&mut self, kind: FindingKind) {
        let key = kind.key(&self.engine.program);
        if self.findings.iter().any(|(known, _)| *known == key) {
            return;
        }
        let found = Found::of_program(key.clone(), &self.state, self.sites.len());
        self.findings.push((key, found));
    }

    /// Lets all threads run to their ends, and sees what that comes to.
    fn run_on(&mut self) -> Result<(), EngineError> {
        for _ in 0..MOST_BEHIND {
            if self.is_over {
                return Ok(());
            }
            let mut threads = self.state.thread_ids();
            let next = threads.find(|&thread| match self.state.thread(thread).status {
                Status::At(action) => self.state.enabled_by_itself(thread, &action),
                _ => false,
            });
            let Some(next) = next else { break };
            self.engine.grant(&mut self.state, next);
            self.settle()?;
        }
        if !self.is_over && !self.state.is_stuck() {
            let waits = |thread| matches!(self.state.thread(thread).status, Status::At(_));
            let stands = self.state.thread_ids().any(waits);
            let blocked = deadlocked(&self.engine.program, &self.state);
            if stands && !blocked.is_empty() {
                self.found(FindingKind::Deadlock(blocked));
            }
        }
        Ok(())
    }

    fn inputs(&self) -> Vec<CoverInput> {
        let input = |input: &machine::Input| {
            let mut bytes = Vec::new();
            for &symbol in &input.symbols {
                let (value, width) = (self.value(symbol), self.engine.terms.width(symbol));
                bytes.extend((0..width.div_ceil(8)).map(|byte| (value >> (8 * byte)) as u8));
            }
            CoverInput { name: input.name.clone(), bytes }
        };
        self.state.inputs.iter().map(input).collect()
    }
}
