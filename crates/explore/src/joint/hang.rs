//! Hangs: from here on nobody changes anything that another could see.
//!
//! A state is one if each thread that has not ended is blocked, or *goes in circles*: left alone it comes back to its own
//! state, whatever the environment picks on the way (a time-out, a spurious failure), no write of its rounds leaves other
//! bytes than before, and no blocked thread could go on in between. Then every schedule goes on for ever, and no thread
//! ends: a deadlock, with threads that wait by looking.
//!
//! That each does so alone is enough for all together, for none of them shows another anything: memory is the same at every
//! moment, and a lock that one takes for a while only delays the others. Only who tries a lock, or waits for it for a time,
//! could tell; where one thread's rounds take a lock that another's try, nothing is said.
//!
//! Where all others are blocked, there is nobody to see what a thread writes and takes back: its rounds need only come back.
//!
//! What clocks showed is not taken for something that a thread shows others: whatever they are to read next may be shown
//! without it as well. A thread that reads a clock in its rounds comes back to its own state where it forgets what it read;
//! if it goes on for what the clock shows, that is one of the ways out.
//!
//! Fair livelock, in which threads do change what others see, is none. Nor is a loop that counts: no state comes back there.

use super::deadlock::{Blocked, Waiting, blocked};
use crate::findings::{FindingKey, FindingKind, Position};
use crate::tree::follow::quietly;
use concurrency::{AccessKind, Action, Place, Range, SyncOp, ThreadId};
use machine::{Backtrace, Config, Engine, EngineError, Forget, Observed, PathEnd, State, Status, Stop, Stuck};
use std::collections::BTreeSet;

/// Visible actions, over all that the environment may pick, after which a thread is taken to be going somewhere.
const LONGEST: u32 = 256;

/// Instructions between two of them.
const LONGEST_STEP: u64 = 100_000;

/// A thread's rounds.
#[derive(Default)]
struct Rounds {
    at: Option<Backtrace>,
    looks_at: BTreeSet<Range>,
    locks: BTreeSet<Place>,
    tries: BTreeSet<Place>,
}

/// All threads that have not ended, if the state is a hang in which at least one goes in circles; none otherwise.
///
/// # Errors
/// When the engine fails.
pub(super) fn hang(engine: &mut Engine, state: &State) -> Result<Vec<Blocked>, EngineError> {
    let (mut circling, mut waiting) = (Vec::new(), Vec::new());
    for thread in state.thread_ids() {
        match state.thread(thread).status {
            Status::Ended => {}
            Status::At(action) if !state.enabled(thread, &action) => waiting.push((thread, action)),
            Status::At(_) | Status::Running | Status::Stuck(Stuck::Circles { .. }) => circling.push(thread),
            Status::Stuck(Stuck::Fails | Stuck::Endless) => return Ok(Vec::new()),
        }
    }
    let may_come_back = |&thread: &ThreadId| state.may_come_back(&engine.program, thread);
    if circling.is_empty() || !circling.iter().all(may_come_back) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let watched = circling.len() > 1;
    for &thread in &circling {
        let Some(rounds) = rounds_of(engine, state, thread, (&waiting, watched))? else { return Ok(Vec::new()) };
        found.push((thread, rounds));
    }
    let seen = |(thread, rounds): &(ThreadId, Rounds)| {
        found.iter().any(|(other, others)| other != thread && !others.tries.is_disjoint(&rounds.locks))
    };
    if found.iter().any(seen) {
        return Ok(Vec::new());
    }
    let mut all = blocked(&engine.program, state);
    for (thread, rounds) in found {
        let backtrace = rounds.at.unwrap_or_else(|| Backtrace::of(&engine.program, state.thread(thread)));
        let waits_for = Waiting::Change(rounds.looks_at.into_iter().collect());
        all.push(Blocked { thread, holds: state.sync.held(thread), waits_for, backtrace });
    }
    all.sort_by_key(|blocked| blocked.thread);
    Ok(all)
}

/// The hang of this name, if the state is it.
///
/// # Errors
/// When the engine fails.
pub fn hang_named(engine: &mut Engine, state: &State, name: &FindingKey) -> Result<Option<FindingKind>, EngineError> {
    let FindingKey::Deadlock(positions) = name else { return Ok(None) };
    // Whoever is blocked is part of it, wherever the others come to; and that takes no time to see.
    let is_part = |blocked: &Blocked| {
        matches!(blocked.waits_for, Waiting::Thread(_))
            || positions.contains(&Position::of(&engine.program, blocked.backtrace.position()))
    };
    if !blocked(&engine.program, state).iter().all(is_part) {
        return Ok(None);
    }
    let kind = FindingKind::Deadlock(hang(engine, state)?);
    Ok((kind.key(&engine.program) == *name).then_some(kind))
}

/// What a thread does round and round if it is left alone; none if it may come to something else. `waiting`: threads that are
/// blocked, with their actions. `watched`: there are others.
fn rounds_of(
    engine: &mut Engine,
    state: &State,
    thread: ThreadId,
    (waiting, watched): (&[(ThreadId, Action)], bool),
) -> Result<Option<Rounds>, EngineError> {
    let config = engine.config;
    engine.config = Config { observe: true, quiet_steps: LONGEST_STEP, forget: Forget::All, ..config };
    let result = quietly(engine, |engine| Follower::new(state, thread, (waiting, watched)).follow(engine));
    engine.config = config;
    result
}

struct Follower<'a> {
    thread: ThreadId,
    first: State,
    waiting: &'a [(ThreadId, Action)],
    /// Others are not blocked.
    watched: bool,
    /// States from which the thread has yet to come back.
    open: Vec<State>,
    rounds: Rounds,
}

impl<'a> Follower<'a> {
    fn new(state: &State, thread: ThreadId, (waiting, watched): (&'a [(ThreadId, Action)], bool)) -> Self {
        let mut first = state.clone();
        first.begin_rounds(thread);
        Follower { thread, waiting, watched, open: vec![first.clone()], first, rounds: Rounds::default() }
    }

    /// Whether a state shows others what the first one does, if there is anybody to see it.
    fn shows_the_same(&mut self, state: &mut State) -> bool {
        if !self.watched {
            return true;
        }
        let clocks = state.clocks().collect();
        self.first.shown_to_others(self.thread, &clocks) == state.shown_to_others(self.thread, &clocks)
    }

    fn follow(mut self, engine: &mut Engine) -> Result<Option<Rounds>, EngineError> {
        let thread = self.thread;
        let mut steps = 0;
        while let Some(mut state) = self.open.pop() {
            steps += 1;
            if steps > LONGEST || !self.shows_the_same(&mut state) || !self.keeps_waiting(&state) {
                return Ok(None);
            }
            if let Status::At(action) = state.thread(thread).status {
                let action = state.at_this_moment(thread, action);
                if !state.enabled(thread, &action) {
                    return Ok(None);
                }
                self.note(engine, &state, &action);
                engine.grant(&mut state, thread);
            }
            match engine.run(&mut state, thread) {
                Stop::Visible(_) | Stop::Wrong(_) => self.open.push(state),
                // Each of the answers has to lead back.
                Stop::Choice(choice) => {
                    for decision in engine.alternatives(&state, &choice, thread)? {
                        let mut decided = state.clone();
                        engine.decide(&mut decided, thread, decision);
                        self.open.push(decided);
                    }
                }
                Stop::End(PathEnd::Repeats { .. } | PathEnd::Spins { .. }) if self.shows_the_same(&mut state) => {
                    self.note_reads(&state);
                }
                Stop::Failed(error) => return Err(error),
                Stop::End(_) | Stop::ThreadEnded | Stop::CallEnded | Stop::Interrupted => return Ok(None),
            }
        }
        Ok(Some(self.rounds))
    }

    /// Whether nobody who was blocked could go on.
    fn keeps_waiting(&self, state: &State) -> bool {
        self.waiting.iter().all(|(thread, action)| !state.enabled(*thread, action))
    }

    fn note(&mut self, engine: &Engine, state: &State, action: &Action) {
        // The same place, wherever in its round the thread was met.
        let at = Backtrace::of(&engine.program, state.thread(self.thread));
        let place = |at: &Backtrace| Position::of(&engine.program, at.position());
        if self.rounds.at.as_ref().is_none_or(|known| place(&at) < place(known)) {
            self.rounds.at = Some(at);
        }
        match *action {
            Action::Sync { op: SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock, place } => {
                self.rounds.locks.insert(place);
            }
            Action::Sync { place, .. } => {
                self.rounds.locks.insert(place);
                self.rounds.tries.insert(place);
            }
            _ => {}
        }
    }

    fn note_reads(&mut self, state: &State) {
        for seen in state.observed.iter() {
            // What is made in a round is no more.
            if let Observed::Access { record, range, .. } = seen
                && record.thread == self.thread
                && range.object.index() < self.first.memory.len()
                && record.kind != AccessKind::Write
                && !state.is_private(self.thread, range.object)
            {
                self.rounds.looks_at.insert(*range);
            }
        }
    }
}
