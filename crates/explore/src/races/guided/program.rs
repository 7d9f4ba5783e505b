//! Likely races of a whole program: accesses of two threads in one execution that nothing but chance has ordered.
//!
//! A few executions are watched, in which threads run as long as they can: the oldest first, and the youngest first, which
//! shows what each of them does before and after the others. Two accesses to the same bytes are a candidate if one writes,
//! they hold no lock in common, and neither the creation nor the end of a thread orders them. Locks that they took and gave
//! back one after the other may be taken the other way round: whether they race then is for the run that is to confirm it.

use super::confirm::Trial;
use crate::budget::meter::{Live, Meter};
use crate::model::Origin;
use crate::parallel::earlier::Earlier;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::frontier::Frontier;
use crate::run::next::runnable;
use crate::search::toward::Goal;
use crate::trace::causality::Causality;
use crate::{Budget, FindingKey, Guided, JointOptions};
use concurrency::{AccessKind, Held, LockMode, Place, Range, Record, Site, ThreadId, excluded};
use machine::{
    Choice, Config, Decision, Engine, EngineError, Observations, Observed, PathEnd, Program, State, Status, Stop,
};
use memory::ObjId;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Instant;

/// Executions that are watched in each of the two orders.
const MOST_WATCHED: usize = 16;

/// Accesses of one thread at one place to one object that are told apart, in one execution.
const MOST_OCCURRENCES: usize = 4;

/// Which of the threads that can go on goes on.
#[derive(Clone, Copy, Debug)]
enum First {
    Oldest,
    Youngest,
}

/// Steps of all executions that are watched; of the threads together for one candidate, at first and if that was not
/// enough; and for all candidates.
const WATCHED_STEPS: u64 = 20_000;
const STEPS: [u64; 2] = [300, 3_000];
const ALL_STEPS: u64 = 100_000;

/// Searches for races of a whole program, others than were found `earlier`.
///
/// # Errors
/// When the engine fails.
pub(super) fn guided(
    engine: &mut Engine,
    origin: &Origin,
    options: JointOptions,
    budget: &Budget,
    earlier: &mut Earlier,
) -> Result<Guided, EngineError> {
    engine.config = Config { observe: true, ..origin.together() };
    let (start, _) = origin.base_state(engine);
    let live = Live::default();
    let mut meter = Meter::new(budget, &live, Some(WATCHED_STEPS));
    let mut counts = Guided::default();
    let mut goals = goals_of(engine, &start, &mut meter, &mut counts)?;
    let mut left = ALL_STEPS;
    for steps in STEPS {
        let mut pending = Vec::new();
        for goal in goals {
            if budget.exhausted().is_some() {
                return Ok(counts);
            }
            if left < steps || earlier.found.contains_key(&goal.key) {
                continue;
            }
            counts.tried += 1;
            left -= steps;
            let confirmation = Trial { origin, options, budget, steps };
            if confirmation.in_program(engine, &start, &goal, earlier)? {
                counts.confirmed += 1;
                counts.first_at.get_or_insert_with(Instant::now);
            } else {
                pending.push(goal);
            }
        }
        goals = pending;
    }
    Ok(counts)
}

/// The candidates in what executions do that are watched, those first that hold the fewest locks.
///
/// # Errors
/// When the engine fails.
fn goals_of(
    engine: &mut Engine,
    start: &State,
    meter: &mut Meter,
    counts: &mut Guided,
) -> Result<Vec<Goal>, EngineError> {
    let mut found: BTreeMap<FindingKey, (usize, Goal)> = BTreeMap::new();
    for first in [First::Oldest, First::Youngest] {
        let mut executions = Executions { frontier: Frontier::new(), first };
        executions.frontier.push(start.clone());
        for _ in 0..MOST_WATCHED {
            let Some(observed) = executions.next(engine, meter)? else { break };
            counts.watched += 1;
            counts.overfull += u64::from(observed.is_full());
            Watched::new(&observed).goals(&engine.program, &mut found);
        }
    }
    let mut all: Vec<(usize, Goal)> = found.into_values().collect();
    all.sort_by(|a, b| (a.0, &a.1.key).cmp(&(b.0, &b.1.key)));
    counts.candidates = all.len() as u64;
    Ok(all.into_iter().map(|(_, goal)| goal).collect())
}

/// Executions for all inputs, depth first, each with one schedule.
struct Executions {
    frontier: Frontier<State>,
    first: First,
}

impl Executions {
    /// What threads do in the next execution, as far as it goes; none after the last, or when the meter stops.
    fn next(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<Observations>, EngineError> {
        while let Some(mut state) = self.frontier.pop(engine) {
            let end = drive(engine, &mut state, &mut OneAfterAnother { first: self.first, meter })?;
            engine.sightings.clear();
            match end {
                WatchEnd::Choice(thread, decisions) => self.frontier.push_choice(state, thread, decisions),
                WatchEnd::Over => return Ok(Some(std::mem::take(&mut state.observed))),
                WatchEnd::Infeasible => {}
            }
            if meter.stopped().is_some() {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// How an execution that is watched ends.
enum WatchEnd {
    Choice(ThreadId, Vec<Decision>),
    Over,
    Infeasible,
}

/// Each thread runs as long as it can.
struct OneAfterAnother<'r, 'm> {
    first: First,
    meter: &'r mut Meter<'m>,
}

impl OneAfterAnother<'_, '_> {
    /// Lets a thread go on that stands before an action.
    fn grant(&self, engine: &mut Engine, state: &mut State) -> Option<ThreadId> {
        let can = |&thread: &ThreadId| match state.thread(thread).status {
            Status::At(action) => state.enabled(thread, &state.at_this_moment(thread, action)),
            Status::Running | Status::Stuck(_) | Status::Ended => false,
        };
        let mut able = state.thread_ids().filter(can);
        let thread = match self.first {
            First::Oldest => able.next(),
            First::Youngest => able.last(),
        }?;
        engine.grant(state, thread);
        Some(thread)
    }
}

impl Answers for OneAfterAnother<'_, '_> {
    type End = WatchEnd;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<WatchEnd, Decision>, EngineError> {
        Ok(ControlFlow::Break(WatchEnd::Choice(thread, engine.alternatives(state, choice, thread)?)))
    }
}

impl Schedule for OneAfterAnother<'_, '_> {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<WatchEnd, ThreadId>, EngineError> {
        let next = match self.meter.step() {
            true => runnable(engine, state).or_else(|| self.grant(engine, state)),
            false => None,
        };
        Ok(next.map_or(ControlFlow::Break(WatchEnd::Over), ControlFlow::Continue))
    }

    fn stopped(
        &mut self,
        _: &mut Engine,
        _: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<WatchEnd>, EngineError> {
        Ok(match stop {
            Stop::End(PathEnd::Infeasible) => ControlFlow::Break(WatchEnd::Infeasible),
            Stop::End(PathEnd::Exited { .. } | PathEnd::Repeats { .. }) => ControlFlow::Break(WatchEnd::Over),
            Stop::Interrupted => {
                self.meter.look();
                ControlFlow::Continue(())
            }
            // The others go on.
            _ => ControlFlow::Continue(()),
        })
    }
}

/// An access, and when: counted over all that was observed.
#[derive(Clone, Copy, Debug)]
struct Occurrence<'o> {
    record: &'o Record,
    range: Range,
    held: &'o Rc<[Held]>,
    at: usize,
}

/// What was observed in one execution.
struct Watched<'o> {
    by_object: BTreeMap<ObjId, Vec<Occurrence<'o>>>,
    causality: Causality,
}

/// Accesses that are equal but for when they come.
type Sort<'o> = (ThreadId, Site, AccessKind, bool, u64, u64, &'o [Held]);

impl<'o> Watched<'o> {
    fn new(observed: &'o Observations) -> Self {
        let mut watched = Watched { by_object: BTreeMap::new(), causality: Causality::of(observed) };
        let mut known: BTreeMap<(ObjId, Sort), usize> = BTreeMap::new();
        let length = observed.len();
        for (before_last, what) in observed.iter().enumerate() {
            let at = length - before_last;
            match what {
                Observed::Access { record, range, held, .. } => {
                    let Record { thread, site, kind, atomic, .. } = *record;
                    let sort = (range.object, (thread, site, kind, atomic, range.offset, range.size, &**held));
                    let count = known.entry(sort).or_default();
                    *count += 1;
                    if *count <= MOST_OCCURRENCES {
                        let of_object = watched.by_object.entry(range.object).or_default();
                        of_object.push(Occurrence { record, range: *range, held, at });
                    }
                }
                Observed::Created { .. }
                | Observed::Joined { .. }
                | Observed::Compared(_)
                | Observed::Distinct(..)
                | Observed::Called { .. }
                | Observed::Fenced { .. }
                | Observed::Entered { .. }
                | Observed::Left { .. } => {}
            }
        }
        watched
    }

    fn goals(&self, program: &Program, found: &mut BTreeMap<FindingKey, (usize, Goal)>) {
        for accesses in self.by_object.values() {
            for (index, x) in accesses.iter().enumerate() {
                for y in &accesses[index + 1..] {
                    if !self.may_race(x, y) {
                        continue;
                    }
                    let key = FindingKey::race(program, x.record.side(), y.record.side());
                    let locks = x.held.len() + y.held.len();
                    if found.get(&key).is_none_or(|known| locks < known.0) {
                        let sites = vec![x.record.site, y.record.site];
                        found.insert(key.clone(), (locks, Goal { key, sites }));
                    }
                }
            }
        }
    }

    fn may_race(&self, x: &Occurrence, y: &Occurrence) -> bool {
        let ends = |o: &Occurrence| o.range.offset + o.range.size;
        let overlap = x.range.offset < ends(y) && y.range.offset < ends(x);
        let conflict = x.record.kind.writes() || y.record.kind.writes();
        let places = |held: &[Held]| -> Vec<(Place, LockMode)> { held.iter().map(|h| (h.place, h.mode)).collect() };
        x.record.thread != y.record.thread
            && overlap
            && conflict
            && !(x.record.atomic && y.record.atomic)
            && !excluded(&places(x.held), &places(y.held))
            && !self.causality.orders((x.record.thread, x.at), (y.record.thread, y.at))
            && !self.causality.orders((y.record.thread, y.at), (x.record.thread, x.at))
    }
}
