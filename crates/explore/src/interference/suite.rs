//! Tests: executions that cover something, run again as the program is, without a variable in memory that is not its own.

use super::barriers::of_any_round;
use super::execution::Executed;
use super::{Goal, Pair, Way};
use crate::findings::Found;
use crate::findings::deadlock::deadlocked;
use crate::run::next::runnable;
use crate::run::turns::{Turn, takes_turn, turns_of};
use crate::trace::canon::{Canon, Who};
use crate::{FindingKey, FindingKind, Origin};
use concurrency::{Action, Site, ThreadId};
use machine::{Choice, Decision, Engine, EngineError, Outcome, PathEnd, State, Status, Stop};
use rustc_hash::FxHashMap;
use smt::{Model, TermId};
use std::collections::{BTreeMap, VecDeque};

/// The most visible actions for which threads run on behind what a test is about.
const MOST_BEHIND: usize = 20_000;

/// What the program was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverInput {
    pub name: String,
    /// Least significant first.
    pub bytes: Vec<u8>,
    /// It is one floating-point number.
    pub floating: bool,
}

/// An input and a schedule.
#[derive(Clone, Debug, Default)]
pub struct CoverTest {
    pub inputs: Vec<CoverInput>,
    /// Values of symbols by name: width in bits, and value.
    pub symbols: BTreeMap<String, (u32, u128)>,
    /// What the environment picks before the first turn.
    pub first_picks: Vec<u32>,
    /// The schedule, as far as it takes for what the test is for.
    pub turns: Vec<Turn>,
    /// What it is for.
    pub ways: Vec<Way>,
    pub pairs: Vec<Pair>,
}

/// An execution that was run again.
pub(super) struct Confirmed {
    /// With its schedule to the end, and for nothing yet.
    pub test: CoverTest,
    /// The ways that it takes, and the turns that are behind it when it does.
    pub taken: FxHashMap<Way, usize>,
    pub findings: Vec<(FindingKey, Found)>,
    /// All that was done was done again.
    pub went_through: bool,
}

/// A test, and what it may be for.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub test: CoverTest,
    /// By what it covers: at which degree, and by how many turns.
    pub goals: BTreeMap<Goal, (u32, usize)>,
}

/// A few of the tests that cover all of this at its degrees (a greedy cover: the one that covers most of what is left comes next; of
/// several the one with the shortest schedule), and for each goal the one that is for it.
pub(super) fn smallest(
    candidates: &[Candidate],
    mut wanted: BTreeMap<Goal, u32>,
) -> (Vec<CoverTest>, BTreeMap<Goal, usize>) {
    let (mut tests, mut by_goal) = (Vec::new(), BTreeMap::new());
    while !wanted.is_empty() {
        let of = |candidate: &Candidate| -> (Vec<Goal>, usize) {
            let covers = |(goal, degree): (&Goal, &u32)| {
                candidate.goals.get(goal).filter(|(at, _)| at <= degree).map(|&(_, turns)| (*goal, turns))
            };
            let (goals, turns): (Vec<Goal>, Vec<usize>) = wanted.iter().filter_map(covers).unzip();
            (goals, turns.into_iter().max().unwrap_or(0))
        };
        let best = candidates.iter().map(|candidate| (candidate, of(candidate)));
        let best = best.min_by_key(|(_, (goals, turns))| (std::cmp::Reverse(goals.len()), *turns));
        let Some((candidate, (goals, turns))) = best.filter(|(_, (goals, _))| !goals.is_empty()) else { break };
        let mut test = CoverTest { ways: Vec::new(), pairs: Vec::new(), ..candidate.test.clone() };
        for goal in goals {
            wanted.remove(&goal);
            by_goal.insert(goal, tests.len());
            match goal {
                Goal::Way(way) => test.ways.push(way),
                Goal::Pair(pair) => test.pairs.push(pair),
            }
        }
        test.turns.truncate(turns);
        tests.push(test);
    }
    (tests, by_goal)
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
            joins: executed.joins.clone(),
            joining: None,
            findings: Vec::new(),
            taken: FxHashMap::default(),
            turns: 0,
            went_through: true,
            is_over: false,
        };
        let result = again.run(executed);
        let Again { engine, findings, taken, went_through, .. } = again;
        engine.taken = None;
        engine.sightings.clear();
        result.map(|test| Confirmed { test, taken, findings, went_through })
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
    /// By thread: what it finds each time that it looks whether another has ended; and what it does now, until the machine asks for that.
    joins: FxHashMap<Who, VecDeque<bool>>,
    joining: Option<bool>,
    findings: Vec<(FindingKey, Found)>,
    taken: FxHashMap<Way, usize>,
    /// That were taken so far.
    turns: usize,
    /// All that was done so far was done again.
    went_through: bool,
    /// The process has ended, or a thread's failure ends the execution.
    is_over: bool,
}

impl Again<'_> {
    fn run(&mut self, executed: &Executed) -> Result<CoverTest, EngineError> {
        self.settle()?;
        for (who, action) in &executed.actions {
            let Some((thread, real)) = self.stands_before(*who, action) else { continue };
            if self.is_over || !self.state.enabled(thread, &real) {
                self.went_through = false;
                break;
            }
            self.grant(thread, &real)?;
        }
        self.run_on()?;
        let (first_picks, turns) = turns_of(&self.state);
        Ok(CoverTest {
            inputs: self.inputs(),
            symbols: self.symbols(),
            first_picks,
            turns,
            ways: Vec::new(),
            pairs: Vec::new(),
        })
    }

    fn grant(&mut self, thread: ThreadId, action: &Action) -> Result<(), EngineError> {
        self.turns += usize::from(takes_turn(action));
        if matches!(action, Action::TryJoin { .. }) {
            let who = self.canon.who(&self.state, thread);
            let joins = self.joins.get_mut(&who).and_then(VecDeque::pop_front);
            let has_ended = self.state.outcome(thread, action) == Outcome::Gets;
            self.joining = has_ended.then_some(joins.unwrap_or(true));
        }
        self.engine.grant(&mut self.state, thread);
        self.settle()
    }

    /// The thread that stands before this action. Nobody does where it is not visible here: what only one thread is left to access.
    fn stands_before(&mut self, who: Who, action: &Action) -> Option<(ThreadId, Action)> {
        let thread = self.executed_thread(who)?;
        let Status::At(real) = self.state.thread(thread).status else { return None };
        let real = match self.state.at_this_moment(thread, real) {
            gives_up @ Action::GiveUp { .. } => gives_up,
            _ => real,
        };
        (of_any_round(self.canon.action(&self.state, &real)) == *action).then_some((thread, real))
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
            // Another thread may have ended here that has not in the execution.
            Choice::Pick { .. } if let Some(joins) = self.joining.take() => Decision::Pick(u32::from(!joins)),
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
            for way in taken.drain(..) {
                self.taken.entry(way).or_insert(self.turns);
            }
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
            let next = threads.find_map(|thread| match self.state.thread(thread).status {
                Status::At(action) if self.state.enabled_by_itself(thread, &action) => Some((thread, action)),
                _ => None,
            });
            let Some((next, action)) = next else { break };
            self.grant(next, &action)?;
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

    fn symbols(&self) -> BTreeMap<String, (u32, u128)> {
        let terms = &self.engine.terms;
        let named = |term: TermId, value: u128| {
            terms.as_variable(term).map(|known| (known.name.to_string(), (terms.width(term), value)))
        };
        let chosen = self.model.values().filter_map(|(term, value)| named(term, value));
        let inputs = self.state.inputs.iter().flat_map(|input| &input.symbols);
        chosen.chain(inputs.filter_map(|&symbol| named(symbol, self.value(symbol)))).collect()
    }

    fn inputs(&self) -> Vec<CoverInput> {
        let input = |input: &machine::Input| {
            let mut bytes = Vec::new();
            for &symbol in &input.symbols {
                let (value, width) = (self.value(symbol), self.engine.terms.width(symbol));
                bytes.extend((0..width.div_ceil(8)).map(|byte| (value >> (8 * byte)) as u8));
            }
            CoverInput { name: input.name.clone(), bytes, floating: input.floating }
        };
        self.state.inputs.iter().map(input).collect()
    }
}
