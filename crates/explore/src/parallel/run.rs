//! One task of the search, on an engine of its own.
//!
//! The whole search is one tree: operations run alone and choose heaps, threads run together and choose schedules and
//! inputs. A task is a part of it, given by prefixes. It is explored depth first for a certain number of steps; what is
//! left then is given back, again as prefixes, in the order in which it would have been explored.
//!
//! Guarantee: what a task does depends on the task alone, not on the worker, nor on what ran before. So the tasks of a
//! search, and all that is counted, are the same with any number of workers.

use crate::Completing;
use crate::budget::meter::Meter;
use crate::budget::spent::Spent;
use crate::findings::Found;
use crate::findings::deadlock::keepers;
use crate::initial::states::{FailsAnyway, InitialState, InitialStates, Serially};
use crate::model::Origin;
use crate::model::options::Schedules;
use crate::parallel::task::{Task, TaskOutcome, TaskPart, TaskSeen};
use crate::run::follow::quietly;
use crate::run::prefix::{InitialPrefixes, prefix_of};
use crate::search::{self, Search, Sighted};
use crate::strategy::Reduction;
use crate::strategy::node::Left;
use crate::strategy::visited::Visited;
use crate::{FindingKey, FindingKind, JointOptions, Por, Until};
use concurrency::{AccessKind, Range, Record, ThreadId};
use machine::{Came, CodePlace, Engine, EngineError, LossKind, Remedy, State};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Runs from one start that are cut for coming back to a state in which they have been, or at a bound, after which each state is gone on from
/// once.
const MOST_CUT: u64 = 1 << 8;

/// Steps in which that shows.
const TRIAL: u64 = 1 << 16;

/// Explores a task on a fresh engine whose visible sites are set.
///
/// # Errors
/// When the engine fails.
pub(crate) fn run(
    engine: &mut Engine,
    origin: &Origin,
    options: JointOptions,
    task: &Task,
    meter: &mut Meter,
) -> Result<TaskOutcome, EngineError> {
    engine.config = Reduction::config(options, &engine.program, origin.together());
    engine.came = Came::nowhere(&engine.program);
    let mut search = TaskRun { engine, origin, options, outcome: TaskOutcome::default(), visited: Default::default() };
    let mut parts = task.parts.iter();
    for part in parts.by_ref() {
        search.part(part, meter)?;
        if meter.stopped().is_some() {
            break;
        }
    }
    let TaskRun { engine, mut outcome, .. } = search;
    outcome.left.extend(parts.cloned());
    outcome.stopped = meter.stopped();
    outcome.ledger = std::mem::take(&mut engine.ledger);
    let came = std::mem::take(&mut engine.came);
    outcome.spent =
        Spent { statistics: engine.statistics, solver: engine.solver.stats(), assumed: engine.assumed, came };
    Ok(outcome)
}

struct TaskRun<'a> {
    engine: &'a mut Engine,
    origin: &'a Origin,
    options: JointOptions,
    outcome: TaskOutcome,
    /// What this task has explored from the last initial state.
    visited: (InitialPrefixes, Visited),
}

impl TaskRun<'_> {
    fn part(&mut self, part: &TaskPart, meter: &mut Meter) -> Result<(), EngineError> {
        let origin = self.origin;
        let mut starts = match part {
            TaskPart::All => InitialStates::new(self.engine, origin),
            TaskPart::Starts(left) => quietly(self.engine, |engine| {
                let mut starts = InitialStates::new(engine, origin);
                starts.resume(engine, left, meter)?;
                Ok(starts)
            })?,
            TaskPart::Joint { leaves, left } => {
                let (mut starts, start) = quietly(self.engine, |engine| {
                    let mut starts = InitialStates::new(engine, origin);
                    let start = starts.start_at(engine, leaves, meter)?;
                    Ok((starts, start))
                })?;
                (starts.first_alone, starts.races_only, starts.unlocked) = Default::default();
                self.together(&mut starts, start, left, meter)?;
                starts
            }
        };
        // The way back here was counted before.
        (starts.first_alone, starts.races_only, starts.unlocked) = Default::default();
        while meter.stopped().is_none()
            && let Some(start) = starts.next(self.engine, meter)?
        {
            self.together(&mut starts, start, &Left::all(), meter)?;
        }
        self.outcome.left.extend(starts.left().into_iter().map(TaskPart::Starts));
        self.outcome.first_alone.merge(&starts.first_alone);
        self.outcome.races_only += starts.races_only;
        self.outcome.unlocked += starts.unlocked;
        Ok(())
    }

    /// Explores threads together from an initial state, the last that `starts` gave out. Where so many runs are cut
    /// that parts would never count as known, each state is gone on from once.
    fn together(
        &mut self,
        starts: &mut InitialStates,
        start: InitialState,
        left: &Left,
        meter: &mut Meter,
    ) -> Result<(), EngineError> {
        let Some(por) = self.by_states(left) else {
            return self.explore(starts, start, (left, false), meter).map(|_| ());
        };
        let (options, ledger) = (self.options, self.engine.ledger.clone());
        let lent = meter.lend(TRIAL);
        let explored = self.explore(starts, start.clone(), (left, true), meter)?;
        meter.take_back(lent);
        if explored.is_continue() {
            return Ok(());
        }
        self.engine.ledger = ledger;
        self.visited = Default::default();
        self.set_options(JointOptions { por: Some(por), ..options });
        // The next start is divided again.
        let lent = meter.lend(0);
        let explored = self.explore(starts, start, (left, false), meter);
        meter.take_back(lent);
        self.set_options(options);
        explored.map(|_| ())
    }

    fn set_options(&mut self, options: JointOptions) {
        self.options = options;
        self.engine.config = Reduction::config(options, &self.engine.program, self.origin.together());
    }

    /// That each state is gone on from once, where that may be tried: of the whole of what follows from a start of clients, which has no
    /// heap to be chosen.
    fn by_states(&self, left: &Left) -> Option<Por> {
        let may = self.options.por.is_none() && !self.origin.clients().is_empty() && *left == Left::all();
        self.options.schedules.by_states(&self.engine.program).filter(|_| may)
    }

    /// Where a failure may be due to the heap, nothing of it counts: the start's parts are next. `on_trial`: it breaks off, with nothing done,
    /// where runs are cut too often.
    fn explore(
        &mut self,
        starts: &mut InitialStates,
        start: InitialState,
        (left, on_trial): (&Left, bool),
        meter: &mut Meter,
    ) -> Result<ControlFlow<()>, EngineError> {
        let InitialState { state, fails_anyway, faults, waits_first } = start;
        let leaves = &starts.leaves().clone();
        let failures = self.options.failures && fails_anyway != FailsAnyway::Yes;
        let options = JointOptions { failures, ..self.options };
        if self.visited.0 != *leaves {
            self.visited = (leaves.clone(), Visited::default());
        }
        let visited = std::mem::take(&mut self.visited.1);
        let mut search = Search::new(&self.engine.program, options, &state, visited, meter).in_a_task();
        if on_trial {
            search = search.until_cut(self.engine, MOST_CUT, TRIAL);
        }
        search.push(self.engine, state.clone(), left)?;
        search.run(self.engine)?;
        if search.is_cut(self.engine) && !search.is_over() {
            return Ok(ControlFlow::Break(()));
        }
        let reduction = search.reduction;
        self.outcome.reduction.get_or_insert_with(|| reduction.to_string());
        // Of what is not over, others may complete what this task has not.
        let may_complete = search.seen.completed || !search.is_over() || *left != Left::all();
        if may_complete && !search.settle(self.engine)? {
            // The whole search ends, and this part begins anew when it goes on.
            self.outcome.left.push(TaskPart::Joint { leaves: leaves.clone(), left: Box::new(left.clone()) });
            meter.look();
            return Ok(ControlFlow::Continue(()));
        }
        let is_undivided = search.is_undivided();
        let (rest, seen, visited) = search.over(self.engine);
        self.visited.1 = visited;
        let search::Seen { counts, mut findings, mut completed, mut ended, racy, kept_locks, ends, end: _ } = seen;
        let is_own = |sighted: &Sighted| matches!(&sighted.kind, FindingKind::Fault(fault) if fault.is_own());
        // Where it waits anyway, nobody beside it is to blame.
        let unwoken = findings.values().any(|sighted| sighted.is_for_others(&waits_first));
        let is_excused = |sighted: &Sighted| {
            fails_anyway == FailsAnyway::Waits && sighted.waits_for_signal() || sighted.is_for_others(&waits_first)
        };
        findings.retain(|key, sighted| !is_excused(sighted) && (!faults.contains(key) || is_own(sighted)));
        self.note_kept_locks(kept_locks);
        let (all, whole) = (Left::all(), rest.is_empty() && *left == Left::all());
        // One that is not divided begins anew, and what it has found counts all the same.
        let untouched = rest == [all] && !is_undivided;
        // Where a part of what can follow was explored before, this was settled then.
        if options.failures && fails_anyway == FailsAnyway::Unknown && *left == Left::all() && !untouched {
            match (self.is_due_to_heap(starts, &state, &findings, rest.is_empty(), meter)?, rest.is_empty()) {
                (Some(false), _) => {}
                (Some(true), true) => {
                    starts.apart(state);
                    return Ok(ControlFlow::Continue(()));
                }
                (Some(true), false) => {
                    self.outcome.left.push(TaskPart::Starts(InitialStates::all_apart(leaves)));
                    return Ok(ControlFlow::Continue(()));
                }
                (None, _) => {
                    let left = Box::new(Left::all());
                    self.outcome.left.push(TaskPart::Joint { leaves: leaves.clone(), left });
                    return Ok(ControlFlow::Continue(()));
                }
            }
        }
        self.outcome.counts.merge(counts);
        if options.keep_results && failures {
            let results = starts.results(self.engine, (&state, ends), &mut meter.unshared())?;
            self.outcome.counts.results.merge(results);
        }
        self.outcome.racy.extend(racy);
        self.complete(&state, options, (&mut completed, &mut ended), meter)?;
        if !untouched {
            let seen =
                TaskSeen { leaves: leaves.clone(), whole, found: FxHashMap::default(), completed, ended, unwoken };
            self.saw(starts, (&state, seen), findings, (options, reduction), meter)?;
        }
        let part = |left| TaskPart::Joint { leaves: leaves.clone(), left: Box::new(left) };
        self.outcome.left.extend(rest.into_iter().map(part));
        Ok(ControlFlow::Continue(()))
    }

    /// Whether what threads together found from `start` may be due to the heap: calls in some order fail on it too. `is_over`:
    /// they have found all that they can; else what is not over may find what is excused. None: there was no time to tell.
    fn is_due_to_heap(
        &mut self,
        starts: &mut InitialStates,
        start: &State,
        findings: &FxHashMap<FindingKey, Sighted>,
        is_over: bool,
        meter: &mut Meter,
    ) -> Result<Option<bool>, EngineError> {
        // On what a client builds a race counts only if some order of the same calls goes well.
        let clients = !self.origin.clients().is_empty();
        let is_failure = |sighted: &Sighted| clients || !matches!(sighted.kind, FindingKind::Race(_));
        let in_doubt = !is_over || findings.values().any(is_failure);
        let serially = if in_doubt { self.fails_in_turn(starts, start, meter)? } else { Some(Serially::default()) };
        Ok(serially.map(|serially| {
            let how = |sighted: &Sighted| [sighted.waits_for_signal(), sighted.is_for_others(&serially.waits_first)];
            let found = findings.iter().map(|(key, sighted)| (key, how(sighted)));
            if is_over { serially.excuses(starts.orders(), found) } else { serially != Serially::default() }
        }))
    }

    /// The heap is within the preconditions if the threads can end at all: where the schedules that were explored have not
    /// `completed` or `ended`, others are tried until they do.
    fn complete(
        &mut self,
        start: &State,
        options: JointOptions,
        (completed, ended): (&mut bool, &mut bool),
        meter: &mut Meter,
    ) -> Result<(), EngineError> {
        let until = match options.completing {
            Completing::Everything if !*completed => Until::Completed,
            Completing::Waits if !*ended => Until::Ended,
            Completing::Nothing | Completing::Waits | Completing::Everything => return Ok(()),
        };
        if !options.schedules.are_all() {
            let options = JointOptions { schedules: Schedules::All, until, ..options };
            let mut search = Search::new(&self.engine.program, options, start, Visited::default(), meter);
            search.push(self.engine, start.clone(), &Left::all())?;
            search.run(self.engine)?;
            (*completed, *ended) = (search.seen.completed, search.seen.ended || *ended);
        }
        Ok(())
    }

    /// [`InitialStates::fails_in_turn`], whatever the task's share.
    fn fails_in_turn(
        &mut self,
        starts: &mut InitialStates,
        start: &State,
        meter: &mut Meter,
    ) -> Result<Option<Serially>, EngineError> {
        let fails = starts.fails_in_turn(self.engine, start, &mut meter.unshared())?;
        if fails.is_none() {
            // The whole search ends.
            meter.look();
        }
        Ok(fails)
    }

    /// On heaps that nobody has called valid, failures are not looked for: what was seen of that kind makes nothing safe.
    fn note_kept_locks(&mut self, kept: BTreeMap<CodePlace, BTreeSet<ThreadId>>) {
        for (place, keepers) in kept {
            // Of what clients build, such failures are looked for.
            if let Some(keeper) = keepers.into_iter().find(|keeper| self.origin.gives_locks_back(*keeper, 0, None))
                && let Some(calls) = self.origin.threads().get(keeper.index())
            {
                let remedy = Remedy::Predicate { keeper: calls.name() };
                self.engine.note(LossKind::LockMisuse, place, remedy);
            }
        }
    }

    /// Adds what was seen from an initial state, with these findings, to what was seen from it before.
    fn saw(
        &mut self,
        starts: &mut InitialStates,
        (start, seen): (&State, TaskSeen),
        findings: FxHashMap<FindingKey, Sighted>,
        (options, reduction): (JointOptions, Reduction),
        meter: &Meter,
    ) -> Result<(), EngineError> {
        let all = &mut self.outcome.seen;
        match all.last_mut() {
            Some(last) if !last.whole && last.leaves == seen.leaves => {
                last.completed |= seen.completed;
                last.ended |= seen.ended;
                last.unwoken |= seen.unwoken;
            }
            _ => all.push(seen),
        }
        let Some(seen) = all.last_mut() else { return Ok(()) };
        for (key, sighted) in findings {
            let (what, stuck) = ((key, sighted.waits_for_signal()), sighted.state.is_stuck());
            let Sighted { kind, state, waits_again: _ } = sighted;
            let keepers = match &kind {
                FindingKind::Deadlock(blocked) => keepers(&state, blocked),
                _ => None,
            };
            // A lock that a call takes for its caller is the caller's to give back.
            let client = seen.leaves.first().and_then(|prefix| prefix.to_client().ok());
            let client = client.and_then(|number| self.origin.clients().get(number));
            let first = start.threads.len().saturating_sub(self.origin.threads().len());
            let takes_for_caller = |thread: &ThreadId| !self.origin.gives_locks_back(*thread, first, client);
            let depends_on = self.engine.depends_on(&state).map(|function| function.to_string());
            let is_wanted = seen.wants(&what, (depends_on.is_some(), false, false, stuck));
            let is_callers = match &kind {
                FindingKind::Fault(fault) => self.origin.is_callers_misuse(fault, first),
                FindingKind::Race(_) | FindingKind::Deadlock(_) => false,
            };
            if !is_wanted || is_callers || keepers.iter().flatten().any(takes_for_caller) {
                continue;
            }
            let mut found = Found {
                key: what.0.clone(),
                waits_for_signal: what.1,
                keeps_locks: keepers.is_some() && self.origin.valid().is_some(),
                leaves: seen.leaves.clone(),
                prefix: prefix_of(&state),
                visible: self.engine.visible.len(),
                bounded: options.schedules.are_bounded(),
                stuck,
                unordered: None,
                with_end: is_with_end(&kind, &state),
                depends_on,
                out_of_turn: starts.out_of_turn(self.engine, start, &state, &mut meter.unshared())?,
            };
            if let FindingKind::Race(race) = &kind
                && reduction.leaves_orders_of_blocks_out()
                && !found.shows_in_order(self.engine, start)?
            {
                found.unordered = Some([race.earlier.site, race.later.site]);
            }
            if seen.wants(&what, found.difficulty()) {
                seen.found.insert(what, found);
            }
        }
        Ok(())
    }
}

/// Whether a race is one with the end of a variable.
fn is_with_end(kind: &FindingKind, state: &State) -> bool {
    let FindingKind::Race(race) = kind else { return false };
    let ends = |side: &Record, range: &Range| side.kind == AccessKind::Free && !state.memory.is_allocated(range.object);
    ends(&race.earlier, &race.earlier_range) || ends(&race.later, &race.later_range)
}
