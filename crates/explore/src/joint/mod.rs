//! All threads together, over all interleavings of visible actions.
//!
//! With sleep sets: after the executions that begin with one thread's action have been explored, that action sleeps in the
//! branches of the others until a dependent action wakes it, so that each Mazurkiewicz trace is completed once. Runs that
//! end with every enabled action asleep are `redundant`.
//!
//! Choices (branches on terms, targets of lazy pointers) happen between visible actions; they commute with other threads'
//! actions as everything invisible does, so the sleep sets are simply inherited.

pub(crate) mod bounded;
pub(crate) mod deadlock;
pub(crate) mod directed;
pub(crate) mod hang;
pub(crate) mod known;
mod predict;
pub(crate) mod reduction;
pub(crate) mod show;
pub(crate) mod sleep;
pub(crate) mod traces;
pub(crate) mod waiting;

use crate::Counts;
use crate::meter::Meter;
use crate::strategy::{Reduction, Strategy};
use crate::tree::agenda::{Agenda, Rest, Run};
use crate::tree::follow::{follow, quietly, settle_to_actions, settle_to_choice};
use crate::tree::next::runnable;
use crate::tree::prefix::{Prefix, Prefixes};
use crate::{FindingKey, FindingKind};
use concurrency::{Action, Site, ThreadId};
use deadlock::{a_signal_may_end, keepers, stuck};
use directed::{STEPS_WHERE_STUCK, Toward};
use hang::hang;
use known::{Known, Tally};
use machine::{Engine, EngineError, FaultKind, LossKind, PathEnd, State, Status, Stop};
use memory::{Fingerprint, Names};
use reduction::{Moments, Past};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sleep::{Event, Sleep, begins_section};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use waiting::all_wait;

/// How to explore.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointOptions {
    /// Switches away from a thread that could go on; unbounded if `None`.
    pub preemptions: Option<u32>,
    /// Keep what each execution printed.
    pub keep_outputs: bool,
    /// Report faults and deadlocks too, not only races.
    pub failures: bool,
    /// Report only what is found from initial states from which all threads can come to their ends, or wait for good.
    pub completing: bool,
    /// Stop at the first run in which they do.
    pub until_completed: bool,
    pub likely: Likely,
    /// Critical sections may be single steps ([`machine::State::fused`]).
    pub fuse: bool,
    /// How all orders are covered; none: as is best where the search begins.
    pub strategy: Option<Strategy>,
}

/// When likely races are looked for ([`crate::guided`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Likely {
    #[default]
    Never,
    /// Before all is explored.
    First,
    /// And nothing else.
    Only,
}

/// What each thread is about to do, and whether it can.
type Pending = SmallVec<[(ThreadId, Action, bool); 4]>;

#[derive(Clone)]
pub(crate) struct Item {
    pub state: State,
    pub sleep: Sleep,
    /// The thread that ran last, and the preemptions so far.
    pub last: Option<ThreadId>,
    pub preemptions: u32,
    /// Only to see what races when delayed threads run ahead; see [`Joint::run_ahead`].
    pub ahead: bool,
    /// Since the part of the search began.
    pub past: Past,
    /// How often a thread was let go first since then.
    pub granted: u32,
    /// The thread that was let go first, while it is not known whether that is a section that is a single step: `sleep` and
    /// `past` are those of before.
    pub entered: Option<Entered>,
    /// All threads stand before actions, and the last of the [`Moments`] says who goes on.
    pub scheduled: bool,
    /// All threads stand before actions, and these go on, each in its turn.
    pub turns: Option<Turns>,
}

/// Threads that are let go first, one after the other, from one state: what sleeps for each are those before it, which are many
/// where there are many threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Turns {
    threads: Vec<(ThreadId, Action)>,
    /// So many have had their turn; at least one has not.
    gone: usize,
}

/// What a thread has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    thread: ThreadId,
    action: Action,
    /// In this part of the search.
    here: bool,
}

impl Run for Item {
    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Item {
    pub(crate) fn new(state: State) -> Self {
        let (sleep, past) = (Sleep::default(), Past::default());
        Item {
            state,
            sleep,
            last: None,
            preemptions: 0,
            ahead: false,
            past,
            granted: 0,
            entered: None,
            scheduled: false,
            turns: None,
        }
    }

    /// The thread that was scheduled, until it stops.
    fn last_scheduled(&self) -> Option<ThreadId> {
        self.last.filter(|&last| self.state.thread(last).status == Status::Running)
    }
}

/// One pass from one initial state.
pub(crate) struct Joint<'a, 'm> {
    pub engine: &'a mut Engine,
    pub options: JointOptions,
    pub reduction: Reduction,
    meter: &'a mut Meter<'m>,
    pub counts: Counts,
    pub findings: FxHashMap<FindingKey, Sighted>,
    /// Sites of races seen in this pass.
    pub racy: BTreeSet<Site>,
    /// Whether any execution ended with all threads done, or waiting for what others might do.
    pub completed: bool,
    /// Whether any ended with all threads done, and nobody woken up spuriously for it.
    pub ended: bool,
    pub traces: FxHashSet<Fingerprint>,
    pub agenda: Agenda<Item>,
    pub known: Known,
    /// Where threads wait for locks that others keep for good, and who, where such failures are not looked for.
    pub kept_locks: BTreeMap<String, BTreeSet<ThreadId>>,
    /// Runs that were cut because they repeat themselves.
    repeated: u64,
    /// If it is for one race.
    toward: Option<Toward>,
    moments: Moments,
}

/// Something wrong, and the state that shows it.
#[derive(Debug)]
pub(crate) struct Sighted {
    pub kind: FindingKind,
    pub state: State,
}

/// Part of what is left to be explored.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct JointLeft {
    pub prefix: Prefix,
    sleep: Sleep,
    entered: Option<(ThreadId, Action)>,
    rest: Option<Rest>,
    turns: Option<Turns>,
}

impl JointLeft {
    /// Everything.
    pub(crate) fn all() -> Self {
        JointLeft { prefix: Prefix::default(), sleep: Sleep::default(), entered: None, rest: None, turns: None }
    }
}

impl<'a, 'm> Joint<'a, 'm> {
    pub(crate) fn new(engine: &'a mut Engine, options: JointOptions, start: &State, meter: &'a mut Meter<'m>) -> Self {
        let reduction = Reduction::choose(options, &engine.program, start);
        Joint {
            engine,
            options,
            reduction,
            meter,
            counts: Counts::default(),
            findings: FxHashMap::default(),
            racy: BTreeSet::new(),
            completed: false,
            ended: false,
            traces: FxHashSet::default(),
            agenda: Agenda::new(),
            known: Known::default(),
            kept_locks: BTreeMap::new(),
            repeated: 0,
            toward: None,
            moments: Moments::default(),
        }
    }

    /// Explores everything that can follow, or as much as the meter allows.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn run(&mut self) -> Result<(), EngineError> {
        let shown = |joint: &Self| joint.toward.as_ref().is_some_and(|toward| toward.goal.shows_in(&joint.findings));
        let completed = |joint: &Self| joint.options.until_completed && joint.completed;
        let is_done = |joint: &Self| joint.agenda.is_empty() || completed(joint) || shown(joint);
        while !is_done(self) && self.meter.step() {
            let entries = self.agenda.len();
            if self.known.is_done(entries) {
                let tally = self.tally();
                self.known.close(entries, tally);
            }
            let Some(mut item) = self.agenda.pop(self.engine) else { break };
            if let Some(turns) = item.turns.take() {
                item = self.take_turn(item, turns);
            }
            if item.scheduled {
                let Some((next, before)) = self.moments.next(item.past.length()) else { continue };
                let child = self.after(&item, next, &before);
                self.agenda.push(std::mem::replace(&mut item, child));
            }
            if let Some(item) = self.settle(item)?.filter(|item| !item.ahead) {
                self.schedule(item)?;
            }
        }
        Ok(())
    }

    /// The next thread goes first; the others have their turns later.
    fn take_turn(&mut self, mut item: Item, Turns { threads, gone }: Turns) -> Item {
        let (next, before) = (threads[gone], &threads[..gone]);
        let child = if gone + 1 < threads.len() {
            let child = self.after(&item, next, before);
            item.turns = Some(Turns { threads, gone: gone + 1 });
            self.agenda.push(item);
            child
        } else {
            self.grant(item, next, before)
        };
        Item { past: Past::default(), ..child }
    }

    /// To be explored: this part of what can follow from an initial state.
    ///
    /// # Errors
    /// When the engine fails, or the part does not fit the state.
    pub(crate) fn push(&mut self, initial: State, part: &JointLeft) -> Result<(), EngineError> {
        let mut state = initial;
        let agenda = &mut self.agenda;
        quietly(self.engine, |engine| {
            follow(engine, &mut state, &part.prefix.turns()?)?;
            let entered = part.entered.map(|(thread, action)| Entered { thread, action, here: false });
            if part.turns.is_some() {
                settle_to_actions(engine, &mut state)?;
            }
            let item = Item { sleep: part.sleep.clone(), entered, turns: part.turns.clone(), ..Item::new(state) };
            agenda.push_rest(item, part.rest.as_ref(), |state, thread| settle_to_choice(engine, state, thread))
        })
    }

    /// What is left, the next first.
    pub(crate) fn left(&mut self) -> Vec<JointLeft> {
        let (mut all, mut prefixes) = (Vec::new(), Prefixes::default());
        let mut left = |item: Item, rest| {
            let Item { state, sleep, entered, turns, .. } = item;
            let entered = entered.map(|entered| (entered.thread, entered.action));
            JointLeft { prefix: prefixes.of(&state), sleep, entered, rest, turns }
        };
        for (item, rest) in self.agenda.drain().collect::<Vec<_>>() {
            if item.scheduled {
                for (next, before) in self.moments.rest(item.past.length()) {
                    all.push(left(self.after(&item, next, &before), None));
                }
            } else {
                all.push(left(item, rest));
            }
        }
        all
    }

    /// Lets a thread go first that stands before an action; those `before` have gone first already.
    fn after(&mut self, item: &Item, next: (ThreadId, Action), before: &[(ThreadId, Action)]) -> Item {
        self.grant(item.clone(), next, before)
    }

    /// [`Joint::after`] where nobody else is to go first.
    fn grant(&mut self, item: Item, (thread, action): (ThreadId, Action), before: &[(ThreadId, Action)]) -> Item {
        let Item { mut state, sleep, past, granted, .. } = item;
        let sleep = sleep.and(before);
        self.engine.grant(&mut state, thread);
        let item = Item { sleep, past, granted: granted + 1, ..Item::new(state) };
        if self.reduction.has_atomic_blocks() && begins_section(&action) {
            return Item { entered: Some(Entered { thread, action, here: true }), ..item };
        }
        let event = Event::new(action);
        let sleep = item.sleep.after(thread, &event).unwrap_or_default();
        Item { sleep, past: item.past.then(thread, event), ..item }
    }

    /// A thread that was let go first has come to the end of its step. None if that was explored before. Where the step is
    /// a whole section, the thread gives its lock back next.
    ///
    /// # Errors
    /// When the engine fails.
    fn enter(&mut self, item: Item, Entered { thread, action, here }: Entered) -> Result<Option<Item>, EngineError> {
        let event = Event::with(action, item.state.fused());
        self.moments.note(&item.past, thread, &event);
        let Item { mut state, sleep, past, granted, .. } = item;
        let Some(sleep) = sleep.after(thread, &event) else {
            if here {
                self.moments.want_others(&past);
            }
            self.counts.redundant += 1;
            self.note_waiting(&state);
            self.look_for_hang(&state)?;
            return Ok(None);
        };
        if event.section.is_some() {
            self.engine.grant(&mut state, thread);
        }
        let past = if here { past.then(thread, event) } else { past };
        Ok(Some(Item { sleep, past, granted, ..Item::new(state) }))
    }

    /// Runs threads until each stands before a visible action or has ended; within a bound on preemptions, only the one
    /// that was scheduled. None when the path ended, or its alternatives went on the agenda.
    fn settle(&mut self, mut item: Item) -> Result<Option<Item>, EngineError> {
        let mut runs = 0u32;
        let only_last = self.reduction.bound().is_some() && !item.ahead;
        while let Some(thread) = if only_last { item.last_scheduled() } else { runnable(self.engine, &mut item.state) }
        {
            runs += 1;
            if runs.is_multiple_of(64) && !self.meter.look() {
                self.agenda.push(item);
                return Ok(None);
            }
            let stop = self.engine.run(&mut item.state, thread);
            self.note_sightings(&item);
            let goes_on = matches!(
                stop,
                Stop::Choice(_) | Stop::Wrong(_) | Stop::CallEnded | Stop::Interrupted | Stop::Failed(_)
            );
            if let Some(entered) = item.entered.filter(|entered| entered.thread == thread && !goes_on) {
                let Some(stepped) = self.enter(item, entered)? else { return Ok(None) };
                item = stepped;
            }
            match stop {
                Stop::Visible(_) | Stop::ThreadEnded | Stop::CallEnded => {}
                Stop::Wrong(fault) => {
                    if !item.ahead && self.options.failures {
                        self.found(FindingKind::Fault(fault), &item.state);
                    }
                }
                Stop::Choice(choice) => {
                    let mut decisions = self.engine.alternatives(&item.state, &choice, thread)?;
                    if let Some(toward) = &self.toward {
                        toward.sort_answers(&mut decisions);
                    }
                    if decisions.is_empty() {
                        self.moments.want_all();
                    }
                    self.agenda.push_choice(item, thread, decisions);
                    return Ok(None);
                }
                Stop::End(end) => {
                    if !self.finish(&item, end)? {
                        return Ok(None);
                    }
                }
                Stop::Interrupted => {
                    if !self.meter.look() {
                        self.agenda.push(item);
                        return Ok(None);
                    }
                }
                Stop::Failed(error) => return Err(error),
            }
        }
        Ok(Some(item))
    }

    fn note_sightings(&mut self, item: &Item) {
        for sighting in std::mem::take(&mut self.engine.sightings) {
            self.racy.extend([sighting.earlier.site, sighting.later.site]);
            if !item.ahead {
                self.found(FindingKind::Race(sighting), &item.state);
            }
        }
    }

    fn found(&mut self, kind: FindingKind, state: &State) {
        let key = kind.key(&self.engine.program);
        let earlier = self.findings.get(&key);
        // One that rests on what an unknown function does proves less, and a run in which a thread fails or spins may not
        // be followed natively: others are preferred.
        let rank = |state: &State| (self.engine.depends_on(state).is_some(), state.is_stuck());
        let keep = match self.reduction.bound() {
            None => earlier.is_none_or(|earlier| rank(state) < rank(&earlier.state)),
            Some(_) => {
                earlier.is_none_or(|earlier| (rank(state).0, state.time) < (rank(&earlier.state).0, earlier.state.time))
            }
        };
        if !keep {
            return;
        }
        if self.reduction.bound().is_some() {
            self.run_ahead(state);
        }
        if state.is_stuck() && self.toward.as_ref().is_some_and(|toward| toward.goal.key == key) {
            self.meter.at_most(STEPS_WHERE_STUCK);
        }
        self.findings.insert(key, Sighted { kind, state: state.clone() });
    }

    /// Notes how a path, or one thread of it, ended. True when the other threads may go on: a thread can be delayed for
    /// ever before the instruction that fails, so all that the others do without it is possible.
    fn finish(&mut self, item: &Item, end: PathEnd) -> Result<bool, EngineError> {
        let Item { state, ahead, .. } = item;
        if *ahead {
            return Ok(!matches!(end, PathEnd::Exited { .. } | PathEnd::Infeasible | PathEnd::Repeats { .. }));
        }
        if matches!(end, PathEnd::Exited { .. } | PathEnd::Infeasible | PathEnd::Repeats { .. }) {
            self.moments.want_all();
        }
        match end {
            PathEnd::Exited { .. } => self.end_well(state),
            PathEnd::Infeasible => {}
            PathEnd::Repeats { traversal } => {
                self.counts.redundant += 1;
                self.repeated += 1;
                if !traversal {
                    self.note_waiting(state);
                }
                self.look_for_hang(state)?;
            }
            // Only what runs alone ends for having no end.
            PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Endless(_) => return Ok(true),
            PathEnd::Fault(fault) => {
                if self.options.failures {
                    self.found(FindingKind::Fault(fault), state);
                } else if fault.kind == FaultKind::UninitializedRead {
                    // Natively the thread goes on, who knows where.
                    let place = fault.backtrace.place(&self.engine.program.module);
                    let remedy = format!("{}; what the thread does then was not explored", fault.detail);
                    self.engine.note(LossKind::Uninitialized, place, &remedy);
                }
                return Ok(true);
            }
            PathEnd::Abandoned(abandoned) => {
                self.engine.note_abandoned(&abandoned);
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn complete(&mut self, state: &State) {
        if self.reduction.bound().is_some() && !self.traces.insert(traces::fingerprint(self.engine, state)) {
            self.counts.redundant += 1;
            return;
        }
        self.counts.executions += 1;
        self.meter.executed();
        self.counts.paths.insert(state.branches());
        let shape = state.memory.shape();
        if !shape.objects().is_empty() || !shape.roots().is_empty() {
            let text = Names::new(shape).canonical(&self.engine.program.module, shape);
            self.counts.shapes.insert(Fingerprint::of(text));
        }
    }

    /// The program came to its end.
    fn end_well(&mut self, state: &State) {
        self.completed = true;
        self.ended |= !state.thread_ids().any(|thread| state.thread(thread).went_on_spuriously());
        if self.options.keep_outputs {
            self.counts.outputs.insert(state.output.to_vec());
        }
        self.complete(state);
    }

    /// Lets each enabled thread go first, one after the other.
    fn schedule(&mut self, item: Item) -> Result<(), EngineError> {
        if let Some(bound) = self.reduction.bound() {
            return self.schedule_bounded(&item, bound);
        }
        let Item { mut state, sleep, past, granted, .. } = item;
        // What an action comes to may have changed since it was put to sleep, or since its thread stopped before it.
        let mut sleep = sleep;
        sleep.iter_mut().for_each(|sleeper| sleeper.action = state.at_this_moment(sleeper.thread, sleeper.action));
        let pending: Pending = state
            .thread_ids()
            .filter_map(|thread| match state.thread(thread).status {
                Status::At(action) => {
                    let action = state.at_this_moment(thread, action);
                    Some((thread, action, state.enabled(thread, &action)))
                }
                Status::Running | Status::Stuck(_) | Status::Ended => None,
            })
            .collect();
        if pending.is_empty() {
            return self.all_done(&state);
        }
        if self.is_known(&mut state, &sleep) {
            return Ok(());
        }
        if state.sync.section().is_some() {
            if pending.iter().all(|p| !p.2) {
                self.held_up(&state);
                return Ok(());
            }
        } else {
            self.look_for_deadlock(&state, pending.iter().map(|p| p.2))?;
        }
        let enabled: SmallVec<[(ThreadId, Action); 4]> = pending.iter().filter(|p| p.2).map(|p| (p.0, p.1)).collect();
        let mut awake: SmallVec<[(ThreadId, Action); 4]> =
            enabled.iter().copied().filter(|&(thread, _)| !sleep.holds(thread)).collect();
        awake.sort_by_key(|&(thread, _)| sleep.dozes(thread));
        if awake.is_empty() && !enabled.is_empty() {
            self.counts.redundant += 1;
            // What is asleep may have been cut elsewhere for repeating itself.
            self.note_waiting(&state);
            self.look_for_hang(&state)?;
        }
        if let Some(toward) = &self.toward {
            let program = &self.engine.program;
            let site = |thread: ThreadId| program.site(program.own_frame(state.thread(thread)));
            toward.sort(&mut awake, granted, site);
        }
        self.go_on(Item { sleep, past, granted, ..Item::new(state) }, &pending, &awake);
        Ok(())
    }

    /// Lets threads go first that stand before actions and do not sleep: all, or where that is enough, one.
    fn go_on(&mut self, item: Item, pending: &Pending, awake: &[(ThreadId, Action)]) {
        if self.reduction.has_source_sets() {
            for (thread, action, enabled) in pending {
                // What a section is will be seen, if it comes to that.
                let will_be_seen = *enabled || !awake.is_empty();
                if !(self.reduction.has_atomic_blocks() && begins_section(action) && will_be_seen) {
                    self.moments.note(&item.past, *thread, &Event::new(*action));
                }
            }
            if !awake.is_empty() {
                self.moments.begin(item.past.length(), pending.iter().map(|p| (p.0, p.1, p.2)), awake);
            }
            match awake {
                // Nobody else can be tried here, whatever follows.
                &[only] => {
                    let child = self.grant(item, only, &[]);
                    self.agenda.push(child);
                }
                [] => {}
                _ => self.agenda.push(Item { scheduled: true, ..item }),
            }
            return;
        }
        if !awake.is_empty() {
            let turns = Turns { threads: awake.to_vec(), gone: 0 };
            self.agenda.push(Item { turns: Some(turns), past: Past::default(), ..item });
        }
    }

    /// Whether what follows was explored before; then it is counted, else it is noted that it begins here.
    fn is_known(&mut self, state: &mut State, sleep: &Sleep) -> bool {
        if !self.reduction.visits_once() || !self.known.is_worth_it() {
            return false;
        }
        let Some(identity) = state.identity(&self.engine.program) else { return false };
        let mut asleep = Fingerprint::default();
        sleep.iter().for_each(|sleeper| asleep.add(sleeper.identity(state)));
        let printed = self.options.keep_outputs.then_some(&*state.output);
        let key = Fingerprint::of((identity, asleep, printed));
        let Some((executions, redundant)) = self.known.get(key) else {
            let (entries, tally) = (self.agenda.len(), self.tally());
            self.known.begin(key, entries, tally);
            return false;
        };
        self.counts.executions = self.counts.executions.saturating_add(executions);
        self.counts.redundant = self.counts.redundant.saturating_add(redundant);
        true
    }

    fn tally(&self) -> Tally {
        let Counts { executions, redundant, .. } = self.counts;
        Tally { executions, redundant, cut: self.repeated + self.engine.ledger.total() }
    }

    /// A run that comes to its end as far as it can is as good as a complete one.
    fn note_waiting(&mut self, state: &State) {
        if self.options.completing && !self.completed {
            self.completed = all_wait(self.engine, state);
        }
    }

    /// Nobody can go on, for a thread stands in an atomic section. SV-COMP takes such an execution for one that does not
    /// exist, unless the thread fails.
    pub(crate) fn held_up(&mut self, state: &State) {
        let fails = |thread: ThreadId| matches!(state.thread(thread).status, Status::Stuck(_));
        if state.sync.section().is_some_and(fails) {
            self.complete(state);
        }
    }

    /// No thread has anything left to do.
    pub(crate) fn all_done(&mut self, state: &State) -> Result<(), EngineError> {
        if state.is_stuck() {
            self.note_waiting(state);
            self.look_for_hang(state)?;
            self.complete(state);
        } else {
            self.end_well(state);
        }
        Ok(())
    }

    /// `pending`: of each thread that has not ended or failed.
    pub(crate) fn look_for_deadlock(
        &mut self,
        state: &State,
        mut pending: impl Iterator<Item = bool> + Clone,
    ) -> Result<(), EngineError> {
        let total = pending.clone().all(|enabled| !enabled);
        if !total && pending.all(|enabled| enabled) {
            return Ok(());
        }
        let stuck = stuck(&self.engine.program, state);
        if let Some(keepers) = keepers(state, &stuck).filter(|_| !self.options.failures) {
            let place = stuck[0].backtrace.place(&self.engine.program.module);
            self.kept_locks.entry(place).or_default().extend(keepers);
        }
        if !stuck.is_empty() && self.options.failures && !a_signal_may_end(state, &stuck) {
            self.found(FindingKind::Deadlock(stuck), state);
        }
        if total {
            self.note_waiting(state);
            self.look_for_hang(state)?;
            self.complete(state);
        }
        Ok(())
    }

    /// Where a run ends or is cut: whether nobody will ever change anything again ([`hang`]).
    pub(crate) fn look_for_hang(&mut self, state: &State) -> Result<(), EngineError> {
        if !self.options.failures {
            return Ok(());
        }
        let all = hang(self.engine, state)?;
        if !all.is_empty() && !a_signal_may_end(state, &all) {
            self.found(FindingKind::Deadlock(all), state);
        }
        Ok(())
    }
}
