//! Partial deadlocks: threads that wait for good beside others that go on for ever, whatever these come to together.
//!
//! [`super::hang`] looks at each thread left alone, which is enough where none of those that go on shows another anything. Here all that
//! can follow from a state is gone through, by state keys ([`Engine::live_key`]): who is blocked in each state that can be reached, or in
//! each of them still goes round a loop that others could end, and changes nothing there, waits for good. The process must not come to
//! its end anywhere.
//!
//! Such a state is one of those that come up again whatever follows: on the way there, more may come to wait.
//!
//! Guarantee: nobody is said to wait for good who could go on in some state that can be reached; wake-ups for nothing aside, as in
//! [`super::deadlock`]. Where there are too many states, or states that cannot be compared, the ledger says that it is not known.

use super::deadlock::{Blocked, Waiting, blocked};
use super::hang::{LONGEST_STEP, rounds_by_itself};
use crate::run::driver::one_step;
use crate::run::follow::hypothetically;
use crate::run::next::runnable;
use concurrency::{Action, SyncOp, ThreadId};
use machine::{
    Backtrace, Config, Engine, EngineError, LossKind, PathEnd, Repeats, State, StateKey, Status, Stop, Stuck,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// States that are gone through from one.
const MOST_STATES: usize = 1 << 14;

/// Times that these are not enough, after which nobody tries any more.
const MOST_IN_VAIN: u32 = 4;

/// States of a thread from which it is looked at by itself.
const MOST_LOOKS: usize = 8;

/// What is known of states that were gone through.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// From there a thread can go on: one that is blocked, or one that goes round.
    go_on: FxHashSet<(StateKey, ThreadId, Waits)>,
    in_vain: u32,
}

/// How a thread may wait for good.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Waits {
    Blocked,
    /// For the end of another: no matter by itself.
    Joins,
    /// It looks again and again.
    Looks,
}

/// The threads that wait for good from this state on, if others go on for ever; none otherwise.
///
/// # Errors
/// When the engine fails.
pub(crate) fn waiting_for_good(
    engine: &mut Engine,
    state: &State,
    known: &mut Known,
) -> Result<Vec<Blocked>, EngineError> {
    let Some(candidates) = candidates(engine, state) else { return Ok(Vec::new()) };
    let in_steps = Config {
        repeats: Repeats::Ignore,
        atomic_blocks: false,
        unfolding: false,
        observe: false,
        quiet_steps: LONGEST_STEP,
        // Who goes on only by waking up for nothing waits.
        spurious: 0,
        ..engine.config
    };
    // It takes its time, and nothing is lost if nothing is said.
    let mut interrupted = engine.interrupted.take();
    let follow = |engine: &mut Engine| {
        engine.interrupted = interrupted.take();
        let result = Together::new(state, candidates, known).follow(engine);
        interrupted = engine.interrupted.take();
        result
    };
    let result = engine.with_config(in_steps, |engine| hypothetically(engine, follow));
    engine.interrupted = interrupted;
    match result? {
        Outcome::GoOn => Ok(Vec::new()),
        Outcome::NotKnown(thread) => {
            known.in_vain += 1;
            let place = Backtrace::of(&engine.program, state.thread(thread)).place(&engine.program.module);
            let remedy = "a smaller program: threads go on for ever beside one that waits here, in too many states to see whether they let \
                          it go on";
            engine.note(LossKind::StepBound, place, remedy);
            Ok(Vec::new())
        }
        Outcome::Wait(waiting, closure) => as_findings(engine, state, &waiting, &closure),
    }
}

/// The threads that may wait for good. None if it is no matter: if somebody who can go on is sure to come to an end, or nobody can. Where
/// there is an initial heap, operations come to their ends, or it is not one that they are for.
fn candidates(engine: &Engine, state: &State) -> Option<Vec<(ThreadId, Waits)>> {
    if state.has_initial_heap() {
        return None;
    }
    let (mut candidates, mut go_on) = (Vec::new(), 0);
    for thread in state.thread_ids() {
        let waits = match state.thread(thread).status {
            Status::Ended => continue,
            Status::Stuck(Stuck::Fails | Stuck::Endless) => return None,
            Status::At(action) if is_enabled(state, thread, action) => Waits::Looks,
            Status::At(Action::Join(_)) => Waits::Joins,
            Status::At(_) => Waits::Blocked,
            Status::Running | Status::Stuck(Stuck::Circles { .. }) => Waits::Looks,
        };
        if waits == Waits::Looks {
            go_on += 1;
            if !state.may_come_back(&engine.program, thread) {
                return None;
            }
        }
        candidates.push((thread, waits));
    }
    // One that goes on alone shows nobody anything.
    let is_blocked = candidates.iter().any(|(_, waits)| *waits == Waits::Blocked);
    (go_on > 1 || go_on == 1 && is_blocked).then_some(candidates)
}

fn is_enabled(state: &State, thread: ThreadId, action: Action) -> bool {
    state.enabled(thread, &state.at_this_moment(thread, action))
}

/// What becomes of those that may wait for good.
enum Outcome {
    GoOn,
    Wait(Vec<(ThreadId, Waits)>, Vec<(ThreadId, State)>),
    /// Of this one, among others.
    NotKnown(ThreadId),
}

/// Why there is nothing more to be followed.
enum Over {
    /// The process may end, or fails, or nobody can go on: that is told elsewhere.
    Ends,
    NotKnown,
    /// All candidates can go on.
    Settled,
}

struct Node {
    /// None: it is compared with no other.
    key: Option<StateKey>,
    /// The state that it was reached from.
    before: Option<usize>,
}

/// All that can follow from a state.
struct Together<'k> {
    first: State,
    candidates: Vec<(ThreadId, Waits)>,
    known: &'k mut Known,
    nodes: Vec<Node>,
    numbers: FxHashMap<StateKey, usize>,
    /// From which state to which.
    steps: Vec<(usize, usize)>,
    open: VecDeque<(usize, State)>,
    /// Where a candidate that looks is about to do so.
    looks: Vec<(ThreadId, State)>,
}

impl<'k> Together<'k> {
    fn new(state: &State, candidates: Vec<(ThreadId, Waits)>, known: &'k mut Known) -> Self {
        let mut first = state.clone();
        for thread in state.thread_ids() {
            if state.thread(thread).status != Status::Ended {
                first.begin_rounds(thread);
            }
        }
        Together {
            first,
            candidates,
            known,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            steps: Vec::new(),
            open: VecDeque::new(),
            looks: Vec::new(),
        }
    }

    fn follow(mut self, engine: &mut Engine) -> Result<Outcome, EngineError> {
        let is_blocked = |candidate: &&(ThreadId, Waits)| candidate.1 == Waits::Blocked;
        let of = self.candidates.iter().find(is_blocked).unwrap_or(&self.candidates[0]).0;
        let mut over = match self.known.in_vain < MOST_IN_VAIN {
            true => self.settle(engine, None, self.first.clone())?,
            false => Some(Over::NotKnown),
        };
        while over.is_none()
            && let Some((number, state)) = self.open.pop_front()
        {
            over = self.go_on(engine, number, &state)?;
        }
        Ok(match over {
            Some(Over::Ends | Over::Settled) => Outcome::GoOn,
            Some(Over::NotKnown) => Outcome::NotKnown(of),
            None if self.comes_back() => Outcome::Wait(self.candidates, self.looks),
            None => Outcome::GoOn,
        })
    }

    /// Whether the first state comes up again whatever follows.
    fn comes_back(&self) -> bool {
        let mut before = vec![Vec::new(); self.nodes.len()];
        self.steps.iter().for_each(|&(from, to)| before[to].push(from));
        let mut leads_back = vec![false; self.nodes.len()];
        let mut left: Vec<usize> = (0..self.nodes.len().min(1)).collect();
        while let Some(at) = left.pop() {
            left.extend(before[at].iter().filter(|&&from| !std::mem::replace(&mut leads_back[from], true)));
        }
        !leads_back.is_empty() && leads_back.iter().all(|&leads| leads)
    }

    /// Lets each thread take its next step.
    fn go_on(&mut self, engine: &mut Engine, number: usize, state: &State) -> Result<Option<Over>, EngineError> {
        if self.nodes.len() > MOST_STATES || engine.is_interrupted() {
            return Ok(Some(Over::NotKnown));
        }
        let steps = self.steps.len();
        for thread in state.thread_ids() {
            let Status::At(action) = state.thread(thread).status else { continue };
            let action = state.at_this_moment(thread, action);
            if !state.enabled(thread, &action) {
                continue;
            }
            if does_more_than_wait(&action) {
                self.goes_on(Some(number), thread, Waits::Looks);
            }
            let mut next = state.clone();
            engine.grant(&mut next, thread);
            let over = self.settle(engine, Some(number), next)?;
            if over.is_some() {
                return Ok(over);
            }
        }
        // Nobody can go on.
        Ok((self.steps.len() == steps).then_some(Over::Ends))
    }

    /// Runs threads up to where each stands before an action, and looks at the states in which they do.
    fn settle(
        &mut self,
        engine: &mut Engine,
        before: Option<usize>,
        state: State,
    ) -> Result<Option<Over>, EngineError> {
        let mut running = vec![state];
        let mut runs = 0;
        while let Some(mut state) = running.pop() {
            runs += 1;
            if runs > MOST_STATES || engine.is_interrupted() {
                return Ok(Some(Over::NotKnown));
            }
            let Some(thread) = runnable(engine, &mut state) else {
                let over = self.reach(engine, before, state)?;
                if over.is_some() {
                    return Ok(over);
                }
                continue;
            };
            let shown = self.shown_by(&mut state, thread);
            let sightings = engine.sightings.len();
            let stop = one_step(engine, &mut state, thread)?;
            let is_new = |sighting: &machine::Sighting| {
                [sighting.earlier.site, sighting.later.site].iter().any(|site| !engine.visible.contains(site))
            };
            // Where it is not known yet who meets whom, more can follow.
            if engine.sightings[sightings..].iter().any(is_new) {
                return Ok(Some(Over::Ends));
            }
            if shown.is_some() && shown != self.shown_by(&mut state, thread) {
                self.goes_on(before, thread, Waits::Looks);
            }
            match stop {
                Stop::Visible(_) | Stop::Wrong(_) | Stop::End(PathEnd::Spins { .. }) => running.push(state),
                Stop::ThreadEnded => {
                    self.goes_on(before, thread, Waits::Looks);
                    running.push(state);
                }
                Stop::Choice(choice) => {
                    for decision in engine.alternatives(&state, &choice, thread)? {
                        let mut decided = state.clone();
                        engine.decide(&mut decided, thread, decision);
                        running.push(decided);
                    }
                }
                Stop::End(PathEnd::Infeasible) => {}
                Stop::End(PathEnd::Exited { .. } | PathEnd::Fault(_) | PathEnd::Raced) => return Ok(Some(Over::Ends)),
                _ => return Ok(Some(Over::NotKnown)),
            }
        }
        Ok(self.candidates.iter().all(|(_, waits)| *waits == Waits::Joins).then_some(Over::Settled))
    }

    /// What others can see of what a candidate that looks does to memory, and how much it has asked.
    fn shown_by(&self, state: &mut State, thread: ThreadId) -> Option<(memory::Fingerprint, usize)> {
        self.candidates.contains(&(thread, Waits::Looks)).then(|| {
            let clocks = state.clocks().collect();
            (state.shown_to_others(thread, &clocks), state.inputs.len())
        })
    }

    /// A state in which each thread stands before an action.
    fn reach(
        &mut self,
        engine: &mut Engine,
        before: Option<usize>,
        mut state: State,
    ) -> Result<Option<Over>, EngineError> {
        let key = engine.live_key(&mut state);
        for (thread, waits) in self.candidates.clone() {
            let moves = match (waits, &state.thread(thread).status) {
                (Waits::Blocked | Waits::Joins, Status::At(action)) => {
                    state.has_moved(&self.first, thread) || is_enabled(&state, thread, *action)
                }
                (Waits::Blocked | Waits::Joins, _) => true,
                (Waits::Looks, _) => {
                    state.has_moved(&self.first, thread)
                        && state.is_made_to_go_round(&engine.program, &self.first, thread)
                }
            };
            if moves || key.is_some_and(|key| self.known.go_on.contains(&(key, thread, waits))) {
                self.goes_on(before, thread, waits);
            }
        }
        let next = self.nodes.len();
        let number = key.map_or(next, |key| *self.numbers.entry(key).or_insert(next));
        self.steps.extend(before.map(|before| (before, number)));
        if number == next {
            for &(thread, waits) in &self.candidates {
                let is_few = self.looks.iter().filter(|(other, _)| *other == thread).count() < MOST_LOOKS;
                let looks = match &state.thread(thread).status {
                    Status::At(action) => is_enabled(&state, thread, *action),
                    status => matches!(status, Status::Stuck(Stuck::Circles { .. })),
                };
                if waits == Waits::Looks && is_few && looks {
                    self.looks.push((thread, state.clone()));
                }
            }
            self.open.push_back((number, state));
            self.nodes.push(Node { key, before });
        }
        Ok(None)
    }

    /// A candidate does not wait for good: neither from a state nor from those before it.
    fn goes_on(&mut self, from: Option<usize>, thread: ThreadId, waits: Waits) {
        let before = self.candidates.len();
        self.candidates.retain(|candidate| *candidate != (thread, waits));
        if self.candidates.len() == before {
            return;
        }
        let mut at = from;
        while let Some(Node { key, before }) = at.map(|number| &self.nodes[number]) {
            self.known.go_on.extend(key.map(|key| (key, thread, waits)));
            at = *before;
        }
    }
}

/// Whether an action is more than a look, or the taking and giving back of a lock.
fn does_more_than_wait(action: &Action) -> bool {
    match action {
        Action::Sync { op, .. } => matches!(
            op,
            SyncOp::SemWait
                | SyncOp::SemTryWait
                | SyncOp::SemTimedWait
                | SyncOp::SemPost
                | SyncOp::Signal
                | SyncOp::Broadcast
                | SyncOp::Init
                | SyncOp::Destroy
                | SyncOp::OwnerDies
                | SyncOp::KeyEnd
        ),
        Action::Arrive { .. } | Action::Exit => true,
        _ => false,
    }
}

/// The threads that wait for good; none if it is only for the end of others. `looks`: where those that look are about to.
fn as_findings(
    engine: &mut Engine,
    state: &State,
    waiting: &[(ThreadId, Waits)],
    looks: &[(ThreadId, State)],
) -> Result<Vec<Blocked>, EngineError> {
    let waits =
        |blocked: &Blocked| waiting.iter().any(|(thread, waits)| *thread == blocked.thread && *waits != Waits::Looks);
    let mut all: Vec<Blocked> = blocked(&engine.program, state).into_iter().filter(waits).collect();
    for &(thread, _) in waiting.iter().filter(|(_, waits)| *waits == Waits::Looks) {
        for (_, from) in looks.iter().filter(|(of, _)| *of == thread) {
            let Some(rounds) = rounds_by_itself(engine, from, thread)? else { continue };
            if let Some(looking) = rounds.looking(engine, state, thread) {
                all.push(looking);
            }
            break;
        }
    }
    if all.iter().all(|blocked| matches!(blocked.waits_for, Waiting::Thread(_))) {
        return Ok(Vec::new());
    }
    all.sort_by_key(|blocked| blocked.thread);
    Ok(all)
}
