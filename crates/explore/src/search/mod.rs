//! Threads together, over all interleavings of visible actions: what is seen on the way.
//!
//! Which interleavings are run is a [`Strategy`]'s to say. Here threads run up to where somebody is to be scheduled, and what
//! shows there is noted: races, failures, deadlocks, hangs, and what was counted.

pub(crate) mod order;
pub(crate) mod refined;
pub(crate) mod toward;

use crate::budget::meter::Meter;
use crate::findings::deadlock::{Waiting, a_signal_may_end, all_deadlocked, is_divergence, keepers, looked_at};
use crate::findings::hang::hang_ahead;
use crate::findings::partial::{Known, waiting_for_good};
use crate::findings::waiting::{all_wait, wait_again};
use crate::initial::results::Ends;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::follow::{follow, quietly, settle_to_actions, settle_to_choice};
use crate::strategy::node::{Left, Mark, Node};
use crate::strategy::visited::{Part, Tally, Visited};
use crate::strategy::{Pending, Preference, Reduction, Scheduled, SchedulingPoint, Strategy};
use crate::{Completing, Counts, UnfoldingCounts};
use crate::{FindingKey, FindingKind, JointOptions, Until};
use concurrency::{Site, ThreadId};
use machine::{
    Choice, CodePlace, Decision, Engine, EngineError, FaultKind, LossKind, LossSite, PathEnd, Program, State, Status,
    Stop, Weak, end_key,
};
use memory::{Fingerprint, Names};
use order::Sorter;
use refined::{Refined, refinement};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use toward::{STEPS_WHERE_STUCK, Toward};

/// One pass from one initial state.
pub(crate) struct Search<'a, 'm> {
    pub options: JointOptions,
    pub reduction: Reduction,
    pub seen: Seen,
    strategy: Box<dyn Strategy>,
    meter: &'a mut Meter<'m>,
    /// Runs that were cut because they repeat themselves.
    repeated: u64,
    /// So many runs that were cut are enough, if that shows within so many steps.
    enough_cut: Option<(u64, u64)>,
    /// If it is for one race.
    toward: Option<Toward>,
    order: Sorter,
    initial: State,
    refined: Refined,
    waiting: Known,
}

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub counts: Counts,
    pub findings: FxHashMap<FindingKey, Sighted>,
    /// Sites of races.
    pub racy: BTreeSet<Site>,
    /// Whether any execution ended with all threads done, or waiting for what others might do.
    pub completed: bool,
    /// The first end of all threads, of a search for one.
    pub end: Option<State>,
    /// Whether any ended with all threads done, and nobody woken up spuriously for it.
    pub ended: bool,
    /// Ends that are told apart by what there is, if these are kept.
    pub ends: Ends,
    /// Where threads wait for locks that others keep for good, and who, where such failures are not looked for.
    pub kept_locks: BTreeMap<CodePlace, BTreeSet<ThreadId>>,
}

/// Something wrong, and the state that shows it.
#[derive(Debug)]
pub(crate) struct Sighted {
    pub kind: FindingKind,
    pub state: State,
    /// It is a deadlock in which all wait to be told something, and would wait again if they were.
    pub waits_again: bool,
}

impl Sighted {
    /// Whether it is a deadlock in which somebody waits for what another thread might do.
    pub(crate) fn waits_for_signal(&self) -> bool {
        waits_for_signal(&self.kind, &self.state)
    }

    /// Whether it is a deadlock in which only these threads wait, for something that none of the others is meant to do: whoever was told would
    /// wait again.
    pub(crate) fn is_for_others(&self, waits_first: &BTreeSet<ThreadId>) -> bool {
        match &self.kind {
            FindingKind::Deadlock(blocked) => {
                self.waits_again && blocked.iter().all(|blocked| waits_first.contains(&blocked.thread))
            }
            FindingKind::Race(_) | FindingKind::Fault(_) => false,
        }
    }
}

fn waits_for_signal(kind: &FindingKind, state: &State) -> bool {
    let FindingKind::Deadlock(blocked) = kind else { return false };
    if is_divergence(state, blocked) {
        return false;
    }
    let told = |waiting: &Waiting| {
        matches!(waiting, Waiting::Signal(_) | Waiting::Post(_) | Waiting::Others(_) | Waiting::Change(_))
    };
    blocked.iter().any(|thread| told(&thread.waits_for))
}

/// Of equal findings the least is kept.
type Merit = ([bool; 2], bool, (bool, u64));

/// How a run to a scheduling point ends.
enum RunEnd {
    /// There.
    Settled,
    /// A thread has to choose between these.
    Choice(ThreadId, Vec<Decision>),
    /// There is no time to go on.
    Later,
    /// With nothing that follows.
    Over,
}

/// Up to the next scheduling point.
struct ToPoint<'s, 'a, 'm> {
    search: &'s mut Search<'a, 'm>,
    mark: &'s mut Mark,
    runs: u32,
}

impl Answers for ToPoint<'_, '_, '_> {
    type End = RunEnd;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        thread: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<RunEnd, Decision>, EngineError> {
        let mut decisions = engine.alternatives(state, choice, thread)?;
        self.search.order.answers(engine, state, thread, &mut decisions);
        if let Some(toward) = &self.search.toward {
            toward.sort_answers(&mut decisions);
        }
        Ok(ControlFlow::Break(RunEnd::Choice(thread, decisions)))
    }
}

impl Schedule for ToPoint<'_, '_, '_> {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<RunEnd, ThreadId>, EngineError> {
        let Some(thread) = self.search.strategy.runs(engine, state, self.mark) else {
            return Ok(ControlFlow::Break(RunEnd::Settled));
        };
        self.runs += 1;
        if self.runs.is_multiple_of(64) && !self.search.meter.look() {
            return Ok(ControlFlow::Break(RunEnd::Later));
        }
        Ok(ControlFlow::Continue(thread))
    }

    fn ran(&mut self, engine: &mut Engine, state: &State, _: ThreadId) -> ControlFlow<RunEnd> {
        self.search.note_sightings(engine, state, self.mark);
        ControlFlow::Continue(())
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        thread: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<RunEnd>, EngineError> {
        let search = &mut *self.search;
        let is_step = matches!(stop, Stop::Visible(_) | Stop::ThreadEnded | Stop::End(_));
        if is_step && !search.strategy.stepped(engine, state, self.mark, thread) {
            search.seen.counts.redundant += 1;
            search.look_where_it_ends(engine, state)?;
            return Ok(ControlFlow::Break(RunEnd::Over));
        }
        if let Stop::End(PathEnd::Repeats { since: Some(since), .. }) = &stop {
            search.strategy.came_round(engine, self.mark, *since);
        }
        let goes_on = match stop {
            Stop::Wrong(fault) => {
                if search.options.failures && !search.strategy.is_for_races_only(self.mark) {
                    search.found(engine, FindingKind::Fault(fault), state);
                }
                true
            }
            Stop::End(PathEnd::Infeasible) if search.strategy.goes_on_without(state, thread) => true,
            Stop::End(end) if search.strategy.is_for_races_only(self.mark) => !ends_all(&end),
            Stop::End(end) => search.finish(engine, state, end)?,
            Stop::Interrupted if !search.meter.look() => return Ok(ControlFlow::Break(RunEnd::Later)),
            _ => true,
        };
        Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(RunEnd::Over) })
    }
}

/// Whether a path ends for all threads, not only for one, which others need not wait for.
fn ends_all(end: &PathEnd) -> bool {
    matches!(end, PathEnd::Exited { .. } | PathEnd::Infeasible | PathEnd::Repeats { .. })
}

impl<'a, 'm> Search<'a, 'm> {
    /// `visited`: by an earlier search from the same initial state.
    pub(crate) fn new(
        program: &Program,
        options: JointOptions,
        initial: &State,
        visited: Visited,
        meter: &'a mut Meter<'m>,
    ) -> Self {
        let reduction = Reduction::choose(options, program, initial);
        let strategy = reduction.strategy(visited);
        Search {
            options,
            reduction,
            seen: Seen::default(),
            strategy,
            meter,
            repeated: 0,
            enough_cut: None,
            toward: None,
            order: Sorter::new(options.order),
            initial: initial.clone(),
            refined: Refined::default(),
            waiting: Known::default(),
        }
    }

    /// As one task of a whole search, which may be divided.
    pub(crate) fn in_a_task(self) -> Self {
        if self.is_undivided() {
            self.meter.without_share();
        }
        self
    }

    /// Until so many runs were cut for what had been before, or at a bound, in the first `steps`.
    pub(crate) fn until_cut(self, engine: &Engine, most: u64, steps: u64) -> Self {
        Search { enough_cut: Some((most + engine.ledger.left_out(), steps)), ..self }
    }

    /// Whether so many were.
    pub(crate) fn is_cut(&self, engine: &Engine) -> bool {
        let cut = self.repeated + engine.ledger.left_out();
        self.enough_cut.is_some_and(|(most, steps)| steps > 0 && cut >= most)
    }

    /// For one race.
    pub(crate) fn toward(self, toward: Toward) -> Self {
        Search { toward: Some(toward), ..self }
    }

    /// Explores everything that can follow, or as much as the meter allows.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn run(&mut self, engine: &mut Engine) -> Result<(), EngineError> {
        while !self.is_done(engine) && self.meter.step() {
            let Search { strategy, seen, repeated, enough_cut, .. } = self;
            if let Some((_, steps)) = enough_cut {
                *steps = steps.saturating_sub(1);
            }
            strategy.close_parts(&|| seen.tally(*repeated, engine));
            if let Some(node) = strategy.next(engine) {
                self.go_on(engine, node)?;
            }
            let sought = self.toward.as_ref().is_some_and(|toward| self.refined.has(&toward.goal.key));
            // Where threads can end at all, it shows soon whether they can here; what is settled is not looked at again.
            if sought || self.seen.completed && self.refined.are_some() || self.refined.are_many() {
                self.settle(engine)?;
            }
        }
        Ok(())
    }

    /// Nothing is left.
    pub(crate) fn is_over(&self) -> bool {
        self.strategy.is_over()
    }

    fn is_done(&self, engine: &Engine) -> bool {
        let shown = self.toward.as_ref().is_some_and(|toward| toward.goal.shows_in(&self.seen.findings));
        let settled = match self.options.until {
            Until::Never => false,
            Until::Completed => self.seen.completed,
            Until::Ended => self.seen.ended,
        };
        self.is_over() || settled || shown || self.is_cut(engine)
    }

    /// Runs threads up to the next scheduling point, and lets somebody go on there.
    fn go_on(&mut self, engine: &mut Engine, node: Node) -> Result<(), EngineError> {
        let Node { mut state, mut mark, .. } = node;
        let end = drive(engine, &mut state, &mut ToPoint { search: self, mark: &mut mark, runs: 0 })?;
        let mut node = Node::on(state, mark);
        match end {
            RunEnd::Settled if self.strategy.is_for_races_only(&node.mark) => Ok(()),
            RunEnd::Settled => self.schedule(engine, node),
            RunEnd::Choice(thread, decisions) => {
                let printed = self.options.keep_outputs;
                let is_at_branch = node.state.is_at_branch(&engine.program, thread);
                match is_at_branch.then(|| self.strategy.known_at_branch(engine, &mut node, printed)).flatten() {
                    Some(part) => self.known(engine, &node.state, part),
                    None => {
                        self.strategy.choice(engine, node, thread, decisions);
                        Ok(())
                    }
                }
            }
            RunEnd::Later => {
                self.strategy.push(node);
                Ok(())
            }
            RunEnd::Over => Ok(()),
        }
    }

    /// To be explored: this part of what can follow from an initial state.
    ///
    /// # Errors
    /// When the engine fails, or the part does not fit the state.
    pub(crate) fn push(&mut self, engine: &mut Engine, initial: State, part: &Left) -> Result<(), EngineError> {
        let mut state = initial;
        let strategy = &mut self.strategy;
        quietly(engine, |engine| {
            follow(engine, &mut state, &part.prefix.turns()?)?;
            if !part.holds_together() {
                return Err(EngineError::Diverged);
            }
            if part.turns.is_some() {
                settle_to_actions(engine, &mut state)?;
            }
            let mut node = part.node(state);
            let Some(rest) = &part.rest else {
                strategy.push(node);
                return Ok(());
            };
            let choice = settle_to_choice(engine, &mut node.state, rest.thread)?;
            strategy.choice(engine, node, rest.thread, rest.decisions(&choice)?);
            Ok(())
        })
    }

    /// What is left, the next first; what was seen; and what was visited. What was found has to be settled.
    pub(crate) fn over(mut self, engine: &mut Engine) -> (Vec<Left>, Seen, Visited) {
        let left = self.strategy.left(engine);
        if self.is_undivided() && !left.is_empty() {
            // It begins anew, and counts then.
            let begun = self.strategy.unfolding().map(|begun| UnfoldingCounts { failed: 0, ..begun });
            self.seen.counts = Counts { begun, ..Counts::default() };
        } else {
            self.seen.counts.unfolding = self.strategy.unfolding();
            self.seen.counts.sampling = self.strategy.sampling();
            self.seen.counts.events = self.strategy.known_events(engine, &self.initial);
        }
        (left, self.seen, self.strategy.into_visited())
    }

    /// Whether one task does all of it.
    pub(crate) fn is_undivided(&self) -> bool {
        self.strategy.is_undivided()
    }

    fn note_sightings(&mut self, engine: &mut Engine, state: &State, mark: &Mark) {
        let sightings = std::mem::take(&mut engine.sightings);
        if self.strategy.is_void() {
            return;
        }
        for sighting in sightings {
            self.seen.racy.extend([sighting.earlier.site, sighting.later.site]);
            if !self.strategy.is_for_races_only(mark) {
                self.found(engine, FindingKind::Race(sighting), state);
            }
        }
    }

    /// A deadlock in which somebody waits to be told something may count where one in which nobody does counts, and only there. One that
    /// rests on what an unknown function does proves less, and a run in which a thread fails or spins may not be followed natively.
    fn rank(&self, engine: &Engine, (kind, waits_again): (&FindingKind, bool), state: &State) -> Merit {
        let waits = [waits_for_signal(kind, state), waits_again];
        (waits, engine.depends_on(state).is_some(), self.strategy.difficulty(state))
    }

    /// Whether what was found of this kind is no worse.
    fn has_as_good(&self, engine: &Engine, key: &FindingKey, rank: Merit) -> bool {
        let rank_of = |known: &Sighted| self.rank(engine, (&known.kind, known.waits_again), &known.state);
        self.seen.findings.get(key).is_some_and(|known| rank_of(known) <= rank)
    }

    fn found(&mut self, engine: &mut Engine, kind: FindingKind, state: &State) {
        if self.options.until != Until::Never || self.strategy.is_void() {
            return;
        }
        let waits_again = match &kind {
            FindingKind::Deadlock(blocked) if self.options.completing != Completing::Nothing => {
                wait_again(engine, state, blocked)
            }
            _ => false,
        };
        let (key, rank) = (kind.key(&engine.program), self.rank(engine, (&kind, waits_again), state));
        if self.has_as_good(engine, &key, rank) {
            return;
        }
        self.strategy.found(state);
        if state.is_stuck() && self.toward.as_ref().is_some_and(|toward| toward.goal.key == key) {
            self.meter.at_most(STEPS_WHERE_STUCK);
        }
        let sighted = Sighted { kind, state: state.clone(), waits_again };
        // That locks are kept is a failure whatever else there is.
        let keeps = matches!(&sighted.kind, FindingKind::Deadlock(blocked) if keepers(state, blocked).is_some());
        let depends = match self.options.completing {
            // No heap excuses that: it is how threads of a launch are told to meet.
            _ if matches!(&sighted.kind, FindingKind::Fault(fault) if fault.kind == FaultKind::BarrierDivergence) => {
                false
            }
            Completing::Nothing => false,
            Completing::Waits => sighted.waits_for_signal(),
            Completing::Everything => !keeps,
        };
        let refinement = depends.then(|| refinement(engine, &self.initial, state));
        let sighted = match refinement.flatten() {
            Some(refinement) => self.refined.put_off(&key, refinement, rank, sighted),
            None => Some(sighted),
        };
        if let Some(sighted) = sighted {
            self.meter.found(&key);
            self.seen.findings.insert(key, sighted);
        }
    }

    /// Notes how a path, or one thread of it, ended. True when the other threads may go on: a thread can be delayed for
    /// ever before the instruction that fails, so all that the others do without it is possible.
    fn finish(&mut self, engine: &mut Engine, state: &State, end: PathEnd) -> Result<bool, EngineError> {
        // Whoever ends the process after it has waited for the ends of all others keeps nobody from anything.
        let keeps_somebody = !matches!(end, PathEnd::Exited { .. }) || !state.has_waited_for_all();
        if ends_all(&end) && keeps_somebody {
            self.strategy.cut();
        }
        match end {
            PathEnd::Exited { .. } => self.end_well(engine, state),
            PathEnd::Infeasible => {}
            PathEnd::Repeats { traversal, since } => {
                if engine.config.weak == Weak::Ask && since.is_none_or(|since| !state.rounds_are_silent(since)) {
                    let remedy = "what weak orders allow was not looked for in more rounds of loops that write or lock";
                    engine.note(LossKind::WeakMemory, LossSite::Search(String::from("rounds")), remedy);
                }
                self.seen.counts.redundant += 1;
                self.seen.counts.repeated += 1;
                self.repeated += 1;
                if !traversal {
                    self.note_waiting(engine, state);
                }
                self.look_for_hang(engine, state)?;
            }
            // Only what runs alone ends for having no end.
            PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Endless(_) => return Ok(true),
            PathEnd::Fault(fault) => {
                if self.are_looked_for(state, fault.kind) {
                    self.found(engine, FindingKind::Fault(fault), state);
                } else if fault.kind == FaultKind::OutOfBounds && self.options.failures {
                    engine.assumed.buffers = true;
                } else if fault.kind == FaultKind::UninitializedRead {
                    // Natively the thread goes on, who knows where.
                    let place = fault.backtrace.place(&engine.program.module);
                    let remedy = format!("{}; what the thread does then was not explored", fault.detail);
                    engine.note(LossKind::Uninitialized, place, remedy);
                }
                return Ok(true);
            }
            PathEnd::Abandoned(abandoned) => {
                engine.ledger.note(*abandoned);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether faults of this kind are findings. What a kernel is given is to have what it accesses, in whatever order: its buffers are as long
    /// as it needs, and unless a predicate says which heaps are valid, pointers lead where they have to.
    fn are_looked_for(&self, state: &State, kind: FaultKind) -> bool {
        let is_due_to_heap = match kind {
            FaultKind::OutOfBounds => true,
            FaultKind::NullDereference | FaultKind::InvalidFree => !self.options.valid_heaps,
            _ => false,
        };
        let is_excused =
            is_due_to_heap && state.launch().is_some() && self.options.completing == Completing::Everything;
        kind == FaultKind::BarrierDivergence || self.options.failures && !is_excused
    }

    fn complete(&mut self, engine: &mut Engine, state: &State) {
        let counts = &mut self.seen.counts;
        if self.strategy.is_uncounted() {
            return;
        }
        if !self.strategy.is_new(engine, state) {
            counts.redundant += 1;
            return;
        }
        counts.executions += 1;
        self.strategy.completed(state);
        self.meter.executed();
        counts.paths.insert(state.branches());
        let shape = state.memory.shape();
        if !shape.objects().is_empty() || !shape.roots().is_empty() {
            let text = Names::new(shape).canonical(&engine.program.module, shape);
            counts.shapes.insert(Fingerprint::of(text));
        }
    }

    /// The program came to its end.
    fn end_well(&mut self, engine: &mut Engine, state: &State) {
        if self.strategy.is_void() {
            return;
        }
        self.seen.completed = true;
        if self.options.until == Until::Completed && self.seen.end.is_none() {
            self.seen.end = Some(state.clone());
        }
        self.seen.ended |= !state.thread_ids().any(|thread| state.thread(thread).went_on_spuriously());
        if self.options.keep_ends {
            // Raced or not, or 2: not known what there is.
            let (raced, key) = match end_key(&mut engine.terms, state) {
                Some(key) => (u8::from(state.raced), key),
                None => (2, Fingerprint::default()),
            };
            let (key, printed) = (key.0.to_le_bytes(), state.output.iter().copied());
            let end = std::iter::once(raced).chain(key).chain(printed).collect();
            self.seen.counts.outputs.insert(end);
        } else if self.options.keep_results {
            self.seen.ends.note(state);
        } else if self.options.keep_outputs {
            self.seen.counts.outputs.insert(state.output.to_vec());
        }
        self.complete(engine, state);
    }

    /// At a scheduling point: what shows there, and who goes on.
    fn schedule(&mut self, engine: &mut Engine, mut node: Node) -> Result<(), EngineError> {
        let mut pending = pending(&node.state);
        if pending.is_empty() {
            return self.all_done(engine, &node.state);
        }
        let Search { strategy, seen, repeated, options, .. } = self;
        let counted = seen.tally(*repeated, engine);
        if let Some(part) = strategy.known(engine, &mut node, options.keep_outputs, counted) {
            return self.known(engine, &node.state, part);
        }
        if node.state.sync.atomic_section().is_some() {
            if pending.iter().all(|p| !p.2) {
                self.held_up(engine, &node.state);
                return Ok(());
            }
        } else {
            self.look_for_deadlock(engine, &node.state, &pending)?;
        }
        self.order.threads(engine, &node.state, &mut pending);
        let preference = self.toward.as_ref().map(|toward| toward as &dyn Preference);
        let point = SchedulingPoint { pending: &pending, preference };
        match self.strategy.schedule(engine, node, &point) {
            Scheduled::Somebody => {}
            Scheduled::AllAsleep(state) => {
                self.seen.counts.redundant += 1;
                // What is asleep may have been cut elsewhere for repeating itself.
                self.look_where_it_ends(engine, &state)?;
            }
            Scheduled::BoundReached(state) => {
                self.look_for_hang(engine, &state)?;
                self.complete(engine, &state);
            }
        }
        Ok(())
    }

    /// What follows from a state was explored before.
    fn known(&mut self, engine: &mut Engine, state: &State, part: Part) -> Result<(), EngineError> {
        let counts = &mut self.seen.counts;
        match part {
            Part::Counted(executions, redundant) => {
                counts.executions = counts.executions.saturating_add(executions);
                counts.redundant = counts.redundant.saturating_add(redundant);
                Ok(())
            }
            Part::Met | Part::MayBeLast => {
                counts.redundant += 1;
                self.repeated += 1;
                if part == Part::MayBeLast { self.look_where_it_ends(engine, state) } else { Ok(()) }
            }
        }
    }

    /// A run that comes to its end as far as it can is as good as a complete one.
    fn note_waiting(&mut self, engine: &mut Engine, state: &State) {
        if self.options.completing != Completing::Nothing && !self.seen.completed && !self.strategy.is_void() {
            self.seen.completed = all_wait(engine, state);
        }
    }

    /// Where a run ends without the threads having ended.
    fn look_where_it_ends(&mut self, engine: &mut Engine, state: &State) -> Result<(), EngineError> {
        self.note_waiting(engine, state);
        self.look_for_hang(engine, state)
    }

    /// Nobody can go on, for a thread stands in an atomic section. SV-COMP takes such an execution for one that does not
    /// exist, unless the thread fails.
    fn held_up(&mut self, engine: &mut Engine, state: &State) {
        let fails = |thread: ThreadId| matches!(state.thread(thread).status, Status::Stuck(_));
        if state.sync.atomic_section().is_some_and(fails) {
            self.complete(engine, state);
        }
    }

    /// No thread has anything left to do.
    fn all_done(&mut self, engine: &mut Engine, state: &State) -> Result<(), EngineError> {
        if state.is_stuck() {
            self.look_where_it_ends(engine, state)?;
            self.complete(engine, state);
        } else {
            self.end_well(engine, state);
        }
        Ok(())
    }

    fn look_for_deadlock(&mut self, engine: &mut Engine, state: &State, pending: &Pending) -> Result<(), EngineError> {
        let nobody = pending.iter().all(|pending| !pending.2);
        if !nobody && pending.iter().all(|pending| pending.2) {
            return Ok(());
        }
        for deadlocked in all_deadlocked(&engine.program, state) {
            if let Some(keepers) = keepers(state, &deadlocked).filter(|_| !self.options.failures) {
                let place = deadlocked[0].backtrace.place(&engine.program.module);
                self.seen.kept_locks.entry(place).or_default().extend(keepers);
            }
            // That threads diverge at a barrier is no matter of what they are given.
            let counts = self.options.failures || is_divergence(state, &deadlocked);
            if !deadlocked.is_empty() && counts && !a_signal_may_end(state, &deadlocked) {
                self.found(engine, FindingKind::Deadlock(deadlocked), state);
            }
        }
        if nobody {
            self.look_where_it_ends(engine, state)?;
            self.complete(engine, state);
        }
        Ok(())
    }

    /// Where a run ends or is cut: whether nobody will ever change anything again ([`hang_ahead`]).
    fn look_for_hang(&mut self, engine: &mut Engine, state: &State) -> Result<(), EngineError> {
        if !self.options.failures {
            return Ok(());
        }
        let hang = hang_ahead(engine, state)?;
        let (state, all) = match &hang {
            Some((ahead, all)) => (ahead, all.clone()),
            None => (state, waiting_for_good(engine, state, &mut self.waiting)?),
        };
        if all.is_empty() || a_signal_may_end(state, &all) {
            return Ok(());
        }
        if state.may_be_given(looked_at(&all)) {
            let remedy = "threads of a launch that wait for what the host does after it has asked for another operation: one is carried out at a time";
            let place = all[0].backtrace.place(&engine.program.module);
            engine.note(LossKind::Unsupported, LossSite::Code(place), remedy);
            return Ok(());
        }
        self.found(engine, FindingKind::Deadlock(all), state);
        Ok(())
    }
}

impl Seen {
    fn tally(&self, repeated: u64, engine: &Engine) -> Tally {
        let Counts { executions, redundant, .. } = self.counts;
        Tally { executions, redundant, cut: repeated + engine.ledger.left_out() }
    }
}

/// What each thread that has not ended or failed is about to do, and whether it can.
fn pending(state: &State) -> Pending {
    let of = |thread: ThreadId| match state.thread(thread).status {
        Status::Running => Some((thread, None, !state.is_held_back(thread))),
        Status::At(action) => {
            let action = state.at_this_moment(thread, action);
            Some((thread, Some(action), state.enabled(thread, &action)))
        }
        Status::Stuck(_) | Status::Ended => None,
    };
    state.thread_ids().filter_map(of).collect()
}
