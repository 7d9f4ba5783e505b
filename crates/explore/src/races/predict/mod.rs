//! Predicting an execution in which two threads race from what each does by itself (predictive analysis; the values that
//! are read stay as they are, as in sync-preserving predictions: Mathur, Pavlogiannis and Viswanathan, POPL 2021).
//!
//! Each thread is run alone from the common state, in the ways that there are, and the steps between its visible actions are
//! noted: what they access, and which locks the thread holds behind them. Then it is looked for an order of the steps of both
//! ([`grid`]) that changes nothing for either, up to where both are about to do their part of the race.
//!
//! Guarantee: none; an execution that is led along a prediction shows the race, or it does not. There may be others that
//! show it, in which a thread has to see what the other wrote.

mod grid;

use crate::FindingKey;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::frontier::{Frontier, Run};
use crate::search::toward::{Goal, Prediction};
use concurrency::{Range, Record, ThreadId};
use grid::{Grid, GridStep};
use machine::{
    Choice, Config, Decision, Engine, EngineError, Forget, Observations, Observed, PathEnd, Program, State, Status,
    Step, Stop,
};
use memory::ObjId;
use smt::TermId;
use std::ops::ControlFlow;

/// Steps of a thread that are looked at, on all its ways; and ways.
const MOST_STEPS: usize = 600;
const MOST_WAYS: usize = 16;

/// Ways of the two that are laid side by side.
const MOST_PAIRS: usize = 64;

/// Places in the ways of the two at which the race may be.
const MOST_TARGETS: usize = 64;

/// How two threads come to a race; none if nothing is predicted, or there are not two threads.
///
/// # Errors
/// When the engine fails.
pub(crate) fn predict(engine: &mut Engine, start: &State, goal: &Goal) -> Result<Option<Prediction>, EngineError> {
    let ended = |&thread: &ThreadId| start.thread(thread).status != Status::Ended;
    let live: Vec<ThreadId> = start.thread_ids().filter(ended).collect();
    let &[one, two] = &*live else { return Ok(None) };
    let watchful = Config { observe: true, forget: Forget::None, ..engine.config };
    let both = |engine: &mut Engine| -> Result<[Vec<ThreadPath>; 2], EngineError> {
        Ok([ThreadPaths::of(engine, start, one, goal)?, ThreadPaths::of(engine, start, two, goal)?])
    };
    let ways = engine.with_config(watchful, both);
    engine.sightings.clear();
    let [ones, twos] = ways?;
    for (x, y) in ones.iter().flat_map(|x| twos.iter().map(move |y| (x, y))).take(MOST_PAIRS) {
        let steps = [&*x.steps, &y.steps];
        let grid = Grid::new(steps);
        let mut paths = targets(&engine.program, goal, steps).into_iter().filter_map(|target| grid.path(target));
        let Some(mut path) = paths.next() else { continue };
        // And then both race.
        path.extend([0, 1]);
        // What only one of the two has chosen the other is not in the way of.
        let one_chose = [x, y].iter().any(|way| way.conditions.len() == start.path.terms().len());
        let conditions: Vec<TermId> = x.conditions.iter().chain(&y.conditions).copied().collect();
        if one_chose || engine.solver.model(&mut engine.terms, &conditions)?.is_sat() {
            let turns = path.into_iter().map(|side| live[side]).collect();
            return Ok(Some(Prediction { turns, decided: x.decided.iter().chain(&y.decided).copied().collect() }));
        }
    }
    Ok(None)
}

/// What a thread does if only it runs.
#[derive(Debug)]
struct ThreadPath {
    steps: Vec<GridStep>,
    /// Answers at choices, and all that holds then.
    decided: Vec<(TermId, bool)>,
    conditions: Vec<TermId>,
}

/// Ways of one thread by itself, depth first.
struct ThreadPaths<'a> {
    start: &'a State,
    goal: &'a Goal,
    thread: ThreadId,
    found: Vec<ThreadPath>,
    steps: usize,
    frontier: Frontier<Partial>,
}

#[derive(Clone)]
struct Partial {
    state: State,
    steps: Vec<GridStep>,
}

impl Run for Partial {
    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl ThreadPaths<'_> {
    /// Those that come to a part of the race, up to where the thread cannot go on.
    fn of(engine: &mut Engine, start: &State, thread: ThreadId, goal: &Goal) -> Result<Vec<ThreadPath>, EngineError> {
        let mut ways = ThreadPaths { start, goal, thread, found: Vec::new(), steps: 0, frontier: Frontier::new() };
        let mut state = start.clone();
        state.observed = Observations::default();
        ways.frontier.push(Partial { state, steps: Vec::new() });
        while ways.found.len() < MOST_WAYS
            && ways.steps < MOST_STEPS
            && let Some(partial) = ways.frontier.pop(engine)
        {
            // Coming from a choice is as much work as a step: there may be any number of choices within one.
            ways.steps += 1;
            ways.follow(engine, partial)?;
        }
        Ok(ways.found)
    }

    /// Goes on to the end, or to the next choice.
    fn follow(&mut self, engine: &mut Engine, partial: Partial) -> Result<(), EngineError> {
        let Partial { mut state, steps } = partial;
        let before = steps.len();
        let mut alone = OneThread { start: self.start, thread: self.thread, steps };
        let end = drive(engine, &mut state, &mut alone)?;
        let OneThread { steps, .. } = alone;
        self.steps += steps.len() - before;
        match end {
            OneThreadStop::Choice(decisions) => {
                self.frontier.push_choice(Partial { state, steps }, self.thread, decisions);
            }
            OneThreadStop::Infeasible => {}
            OneThreadStop::Over => {
                let races =
                    |step: &GridStep| step.accesses.iter().any(|(record, _)| self.goal.sites.contains(&record.site));
                if steps.iter().any(races) {
                    let decided = |step: &Step| match *step {
                        Step::Decide(_, Decision::Condition { term, holds, .. }) => Some((term, holds)),
                        _ => None,
                    };
                    let taken = state.history.steps();
                    let decided = taken.iter().skip(self.start.history.steps().len()).filter_map(decided).collect();
                    self.found.push(ThreadPath { steps, decided, conditions: state.path.terms().to_vec() });
                }
            }
        }
        Ok(())
    }
}

/// How a run of one thread by itself ends.
enum OneThreadStop {
    Choice(Vec<Decision>),
    Infeasible,
    Over,
}

/// One thread by itself, for as many steps as it can, which are noted.
struct OneThread<'a> {
    start: &'a State,
    thread: ThreadId,
    steps: Vec<GridStep>,
}

impl Answers for OneThread<'_> {
    type End = OneThreadStop;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<OneThreadStop, Decision>, EngineError> {
        Ok(ControlFlow::Break(OneThreadStop::Choice(engine.alternatives(state, choice, thread)?)))
    }
}

impl Schedule for OneThread<'_> {
    fn next(&mut self, _: &mut Engine, _: &mut State) -> Result<ControlFlow<OneThreadStop, ThreadId>, EngineError> {
        Ok(ControlFlow::Continue(self.thread))
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        thread: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<OneThreadStop>, EngineError> {
        if let Stop::End(PathEnd::Infeasible) = stop {
            return Ok(ControlFlow::Break(OneThreadStop::Infeasible));
        }
        self.steps.push(self.step(state));
        state.observed = Observations::default();
        Ok(match stop {
            Stop::Visible(action)
                if self.steps.len() < MOST_STEPS && state.enabled(thread, &state.at_this_moment(thread, action)) =>
            {
                engine.grant(state, thread);
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(OneThreadStop::Over),
        })
    }
}

impl OneThread<'_> {
    /// What was done since the last visible action.
    fn step(&self, state: &State) -> GridStep {
        let is_known = |object: ObjId| object.index() < self.start.memory.len();
        let access = |what: &Observed| match what {
            Observed::Access { record, range, .. } if is_known(range.object) => Some((*record, *range)),
            _ => None,
        };
        let mut accesses: Vec<(Record, Range)> = state.observed.iter().filter_map(access).collect();
        accesses.reverse();
        let held = state.sync.held(self.thread).into_iter().filter(|held| is_known(held.place.object));
        GridStep { accesses, held: held.map(|held| (held.place, held.mode)).collect() }
    }
}

/// Behind so many steps of each thread both are about to do their part of the race: the nearest first.
fn targets(program: &Program, goal: &Goal, steps: [&[GridStep]; 2]) -> Vec<[usize; 2]> {
    let parts = steps.map(|steps| {
        let numbered = steps.iter().enumerate().skip(1);
        let accesses = numbered.flat_map(|(index, step)| step.accesses.iter().map(move |access| (index - 1, access)));
        accesses.filter(|(_, (record, _))| goal.sites.contains(&record.site)).collect::<Vec<_>>()
    });
    let mut all = Vec::new();
    for &(i, (x, one)) in &parts[0] {
        for &(j, (y, two)) in &parts[1] {
            if one.overlaps(two) && FindingKey::race(program, x.side(), y.side()) == goal.key {
                all.push([i, j]);
            }
        }
    }
    all.sort_by_key(|[i, j]| i + j);
    all.dedup();
    all.truncate(MOST_TARGETS);
    all
}
