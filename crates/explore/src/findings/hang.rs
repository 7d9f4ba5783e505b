//! Hangs: from here on nobody changes anything that another could see.
//!
//! A state is one if each thread that has not ended is blocked, or *goes in circles*: left alone it only comes to states of its
//! own in which it has been, whatever the environment picks on the way (a time-out, a spurious failure), and no blocked thread
//! could go on in between. Then every schedule goes on for ever, and no thread ends: a deadlock, with threads that wait by
//! looking. It is one already before they have come into their circles.
//!
//! That each does so alone is enough for all together, for none of them shows another anything. Memory is the same at every
//! moment, but for what a thread writes on its way and in its rounds, which no other's may access. A lock that one takes
//! for a while only delays the others. Only who tries a lock, or waits for it for a time, could tell: its rounds are followed with both
//! outcomes, and each has to lead back. Where one thread's rounds signal what another's wait on for a time, nothing is said.
//!
//! What clocks showed is not taken for something that a thread shows others: whatever they are to read next may be shown
//! without it as well. A thread that reads a clock in its rounds comes back to its own state where it forgets what it read;
//! if it goes on for what the clock shows, that is one of the ways out.
//!
//! A thread that goes round a loop without a way out, as a server does, waits for nothing, unless it does nothing at all there. Who waits
//! beside it for more than the end of a thread is stuck all the same, with it if it keeps a lock that he waits for.
//!
//! Fair livelock, in which threads do change what others see, is none. Nor is a loop that counts what decides how it goes on: no state comes
//! back there.

use super::deadlock::{Blocked, Waiting, blocked};
use super::partial::{Known, waiting_for_good};
use crate::findings::{FindingKey, FindingKind, Position};
use crate::run::driver::one_step;
use crate::run::follow::{hypothetically, quietly};
use concurrency::{AccessKind, Action, Initial, Place, Range, Site, SyncObject, SyncOp, SyncTable, ThreadId};
use machine::{Backtrace, Config, Engine, EngineError, Forget, Observed, PathEnd, Repeats, State, Status, Stop, Stuck};
use memory::ObjId;
use std::collections::BTreeSet;

/// Visible actions, over all that the environment may pick, after which a thread is taken to be going somewhere.
const LONGEST: u32 = 256;

/// Instructions between two of them.
pub(super) const LONGEST_STEP: u64 = 100_000;

/// A thread's rounds.
#[derive(Default)]
pub(super) struct Rounds {
    /// Where it is, and whether it does no more than access memory there.
    at: Option<(bool, Backtrace)>,
    looks_at: BTreeSet<Range>,
    /// What it does to synchronisation objects, which of them it tries to take, and of which else it can tell what others do to
    /// them.
    does_to: BTreeSet<Place>,
    tries: BTreeSet<Place>,
    notices: BTreeSet<Place>,
    accesses: BTreeSet<Range>,
    writes: BTreeSet<Range>,
    /// Where it accesses what others may.
    sites: BTreeSet<Site>,
    /// Memory is not the same all the time.
    changes: bool,
    /// It goes round a loop without a way out.
    on_purpose: bool,
    /// It takes something in.
    asks: bool,
    /// It has the whole program to itself for a while: an atomic section of SV-COMP.
    begins_sections: bool,
    /// Who waits has been told, and lacks this lock, which this thread has.
    tells_who_lacks: BTreeSet<(ThreadId, Place)>,
}

impl Rounds {
    /// Whether the thread is made to go round for ever, and does something there that anybody could notice.
    fn go_on(&self) -> bool {
        let touches = [&self.does_to, &self.tries, &self.notices].into_iter().any(|places| !places.is_empty());
        self.on_purpose && (touches || self.asks || self.begins_sections || !self.accesses.is_empty())
    }

    /// A thread that waits in these rounds for what others do.
    fn stuck(self, engine: &Engine, state: &State, thread: ThreadId) -> Blocked {
        let here = || Backtrace::of(&engine.program, state.thread(thread));
        let backtrace = self.at.map_or_else(here, |(_, at)| at);
        let waits_for = Waiting::Change(self.looks_at.into_iter().collect());
        Blocked { thread, holds: state.sync.held(thread), waits_for, backtrace }
    }

    /// The same, unless it is made to go round there.
    pub(super) fn looking(self, engine: &Engine, state: &State, thread: ThreadId) -> Option<Blocked> {
        (!self.go_on()).then(|| self.stuck(engine, state, thread))
    }

    /// Whether another's rounds may come to something else because of these, whatever becomes of what it tries.
    fn are_seen_by(&self, other: &Rounds) -> bool {
        let sees = |written: &Range| other.accesses.iter().any(|range| range.overlaps(written));
        !other.notices.is_disjoint(&self.does_to) || self.changes && self.writes.iter().any(sees)
    }
}

/// The threads that wait, for good, if the state is a hang in which at least one goes in circles; none otherwise.
///
/// # Errors
/// When the engine fails.
pub(crate) fn hang(engine: &mut Engine, state: &State) -> Result<Vec<Blocked>, EngineError> {
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
    let others = Others { waiting, circling: circling.clone() };
    let mut contested = BTreeSet::new();
    let found = loop {
        let mut found = Vec::new();
        for &thread in &circling {
            let Some(rounds) = rounds_of(engine, state, thread, (&others, &contested))? else { return Ok(Vec::new()) };
            found.push((thread, rounds));
        }
        let seen = |(thread, rounds): &(ThreadId, Rounds)| {
            found.iter().any(|(other, others)| other != thread && rounds.are_seen_by(others))
        };
        let gives_back = |(owner, lock): &(ThreadId, Place)| {
            found.iter().any(|(thread, rounds)| thread == owner && rounds.does_to.contains(lock))
        };
        // What they come to together is another matter ([`super::partial`]).
        if found.iter().any(seen) {
            return Ok(Vec::new());
        }
        let is_told = found.iter().flat_map(|(_, rounds)| &rounds.tells_who_lacks).any(gives_back);
        if is_told || others.waiting.iter().any(|(_, action)| all_give_back(state, &found, action)) {
            return Ok(Vec::new());
        }
        // What one tries and another takes may be had or not.
        let of_others = |thread: ThreadId| found.iter().filter(move |(other, _)| *other != thread);
        let tried = |(thread, rounds): &(ThreadId, Rounds)| {
            let does = |place: &Place| of_others(*thread).any(|(_, others)| others.does_to.contains(place));
            rounds.tries.iter().copied().filter(does).collect::<Vec<_>>()
        };
        let more: BTreeSet<Place> = found.iter().flat_map(tried).filter(|place| !contested.contains(place)).collect();
        if more.is_empty() {
            break found;
        }
        contested.extend(more);
    };
    let mut all = blocked(&engine.program, state);
    // Who keeps a lock from others meanwhile is part of it.
    let keeps = |thread: ThreadId| {
        let from =
            |blocked: &Blocked| matches!(&blocked.waits_for, Waiting::Lock(_, holders) if holders.contains(&thread));
        all.iter().any(from)
    };
    let stuck: Vec<_> = found.into_iter().filter(|(thread, rounds)| !rounds.go_on() || keeps(*thread)).collect();
    if stuck.is_empty() && all.iter().all(|blocked| matches!(blocked.waits_for, Waiting::Thread(_))) {
        return Ok(Vec::new());
    }
    all.extend(stuck.into_iter().map(|(thread, rounds)| rounds.stuck(engine, state, thread)));
    all.sort_by_key(|blocked| blocked.thread);
    Ok(all)
}

/// A hang, or the first one of those that come of it if threads go on that keep others waiting for a moment, such as for a lock that is
/// given back: in the rounds of threads that wait in turn there are states in which nobody waits for another. None if there is none.
///
/// # Errors
/// When the engine fails.
pub(crate) fn hang_ahead(engine: &mut Engine, state: &State) -> Result<Option<(State, Vec<Blocked>)>, EngineError> {
    let mut state = state.clone();
    loop {
        let all = hang(engine, &state)?;
        if !all.is_empty() {
            return Ok(Some((state, all)));
        }
        let config = Config { quiet_steps: LONGEST_STEP, ..engine.config };
        let let_go = |engine: &mut Engine| quietly(engine, |engine| letting_somebody_go_on(engine, &state));
        let Some(ahead) = engine.with_config(config, let_go)? else { return Ok(None) };
        state = ahead;
    }
}

/// Where one thread has gone on, alone, until fewer wait.
fn letting_somebody_go_on(engine: &mut Engine, state: &State) -> Result<Option<State>, EngineError> {
    let waits = |state: &State, thread: &ThreadId| match state.thread(*thread).status {
        // Not for a moment.
        Status::At(Action::Join(_)) => false,
        Status::At(action) => !state.enabled(*thread, &action),
        _ => false,
    };
    let waiting = |state: &State| state.thread_ids().filter(|thread| waits(state, thread)).count();
    let before = waiting(state);
    for thread in state.thread_ids().filter(|_| before > 0) {
        let mut ahead = state.clone();
        for _ in 0..LONGEST {
            match ahead.thread(thread).status {
                Status::At(action) if ahead.enabled(thread, &action) => engine.grant(&mut ahead, thread),
                Status::Running => {}
                _ => break,
            }
            match one_step(engine, &mut ahead, thread)? {
                Stop::Visible(_) => {}
                Stop::Choice(choice) => match engine.alternatives(&ahead, &choice, thread)?.first() {
                    Some(&decision) => engine.decide(&mut ahead, thread, decision),
                    None => break,
                },
                _ => break,
            }
            if waiting(&ahead) < before {
                return Ok(Some(ahead));
            }
        }
    }
    Ok(None)
}

/// Whether a thread waits for a lock that several have at a time, each of which gives it back in its rounds: for each alone it is
/// never free.
fn all_give_back(state: &State, found: &[(ThreadId, Rounds)], action: &Action) -> bool {
    let Action::Sync { op: SyncOp::WriteLock | SyncOp::TimedWriteLock, place } = *action else { return false };
    let Some(SyncObject::RwLock { readers, .. }) = state.sync.get(place) else { return false };
    let gives_back =
        |reader: &ThreadId| found.iter().any(|(thread, rounds)| thread == reader && rounds.does_to.contains(&place));
    !readers.is_empty() && readers.iter().all(gives_back)
}

/// The hang of this name, if the state is it.
///
/// # Errors
/// When the engine fails.
pub fn hang_named(engine: &mut Engine, state: &State, name: &FindingKey) -> Result<Option<FindingKind>, EngineError> {
    let FindingKey::Deadlock(positions) = name else { return Ok(None) };
    // Whoever is blocked is part of it, wherever the others come to, unless several go on together; and that takes no time to see.
    let is_part = |blocked: &Blocked| {
        matches!(blocked.waits_for, Waiting::Thread(_))
            || positions.contains(&Position::of(&engine.program, blocked.backtrace.position()))
    };
    let all = blocked(&engine.program, state);
    let is_alive = |thread: &ThreadId| state.thread(*thread).status != Status::Ended;
    let go_on = state.thread_ids().filter(is_alive).count() - all.len();
    if !all.iter().all(is_part) && (go_on == 0 || !all.iter().any(is_part)) {
        return Ok(None);
    }
    for together in [false, true] {
        let stuck = match together {
            false => hang(engine, state)?,
            true => waiting_for_good(engine, state, &mut Known::default())?,
        };
        let kind = FindingKind::Deadlock(stuck);
        if kind.key(&engine.program) == *name {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// The threads beside one that goes in circles.
struct Others {
    /// Those that are blocked, with their actions.
    waiting: Vec<(ThreadId, Action)>,
    /// Those that are not, and that one among them.
    circling: Vec<ThreadId>,
}

/// What a thread does round and round if it is left alone; none if it may come to something else. `contested`: what others take for a
/// while and give back.
fn rounds_of(
    engine: &mut Engine,
    state: &State,
    thread: ThreadId,
    (others, contested): (&Others, &BTreeSet<Place>),
) -> Result<Option<Rounds>, EngineError> {
    // Whoever asks may look for no repetition of its own.
    let watchful = Config {
        observe: true,
        quiet_steps: LONGEST_STEP,
        forget: Forget::All,
        repeats: Repeats::Exact,
        unfolding: false,
        ..engine.config
    };
    // Questions about clocks take their time, and nothing is lost if nothing is said.
    let mut interrupted = engine.interrupted.take();
    let rounds = |engine: &mut Engine| {
        engine.interrupted = interrupted.take();
        let follow = |engine: &mut _, state: &_| Follower::new(state, thread, (others, contested)).follow(engine);
        let rounds = follow(engine, state).and_then(|first| {
            let Some((mut rounds, round)) = first else { return Ok(None) };
            // A thread may come into its circle only after some steps: where it is seen is where it stays; the first place where it
            // looks, whichever of them are scheduling points so far.
            let visible = engine.visible.iter().chain(&rounds.sites).copied().collect();
            let again = match engine.with_visible(visible, |engine| follow(engine, &round))? {
                None => follow(engine, &round)?,
                again => again,
            };
            if let Some((Rounds { at, looks_at, on_purpose, asks, .. }, _)) = again {
                (rounds.at, rounds.looks_at) = (at, looks_at);
                (rounds.on_purpose, rounds.asks) = (on_purpose, asks);
                // What it has made on the way is nobody else's to change.
                rounds.looks_at.retain(|range| range.object.index() < state.memory.len());
            }
            Ok(Some(rounds))
        });
        interrupted = engine.interrupted.take();
        rounds
    };
    let result = engine.with_config(watchful, |engine| hypothetically(engine, rounds));
    engine.interrupted = interrupted;
    result
}

/// What a thread does round and round if it is left alone and nobody waits for it.
pub(super) fn rounds_by_itself(
    engine: &mut Engine,
    state: &State,
    thread: ThreadId,
) -> Result<Option<Rounds>, EngineError> {
    rounds_of(engine, state, thread, (&Others { waiting: Vec::new(), circling: vec![thread] }, &BTreeSet::new()))
}

struct Follower<'a> {
    thread: ThreadId,
    first: State,
    others: &'a Others,
    contested: &'a BTreeSet<Place>,
    /// States from which the thread has yet to come back.
    open: Vec<State>,
    /// One to which it has come back.
    round: Option<State>,
    rounds: Rounds,
}

impl<'a> Follower<'a> {
    fn new(state: &State, thread: ThreadId, (others, contested): (&'a Others, &'a BTreeSet<Place>)) -> Self {
        let mut first = state.clone();
        first.begin_rounds(thread);
        let (open, rounds) = (vec![first.clone()], Rounds::default());
        Follower { thread, others, contested, open, first, round: None, rounds }
    }

    /// Whether all is as in the first state but for what accesses are known of; notes whether that is as well. Where there is nobody to
    /// see it, it does not matter.
    fn shows_no_more(&mut self, state: &mut State) -> bool {
        if self.others.circling.len() < 2 {
            return true;
        }
        let mut hidden: BTreeSet<ObjId> = state.clocks().collect();
        let same = |first: &mut State, state: &mut State, hidden: &BTreeSet<ObjId>, thread| {
            first.shown_to_others(thread, hidden) == state.shown_to_others(thread, hidden)
        };
        if same(&mut self.first, state, &hidden, self.thread) {
            return true;
        }
        self.rounds.changes = true;
        let known = self.first.memory.len();
        let written =
            accesses(state, self.thread).filter(|(kind, range, _)| kind.writes() && range.object.index() < known);
        hidden.extend(written.map(|(_, range, _)| range.object));
        same(&mut self.first, state, &hidden, self.thread)
    }

    /// Its rounds, and a state within them.
    fn follow(mut self, engine: &mut Engine) -> Result<Option<(Rounds, State)>, EngineError> {
        let thread = self.thread;
        let mut steps = 0;
        while let Some(mut state) = self.open.pop() {
            steps += 1;
            if steps > LONGEST
                || engine.is_interrupted()
                || !self.shows_no_more(&mut state)
                || !self.keeps_waiting(&state)
            {
                return Ok(None);
            }
            let mut turns = Vec::new();
            if let Status::At(action) = state.thread(thread).status {
                let action = state.at_this_moment(thread, action);
                if !state.enabled(thread, &action) {
                    return Ok(None);
                }
                self.note(engine, &state, &action);
                if let Some(place) = self.tries_contested(&action) {
                    let Some(other) = with_other_outcome(&state, thread, &action, place) else { return Ok(None) };
                    turns.push(other);
                }
                turns.push((state, None));
                turns.iter_mut().for_each(|(state, _)| engine.grant(state, thread));
            } else {
                turns.push((state, None));
            }
            for (state, held) in turns {
                if !self.go_on(engine, state, held)? {
                    return Ok(None);
                }
            }
        }
        Ok(self.round.map(|round| (self.rounds, round)))
    }

    /// Runs a thread on; `held`: a lock that was taken from it for this step. False where it may come to something else.
    fn go_on(
        &mut self,
        engine: &mut Engine,
        mut state: State,
        held: Option<(Place, SyncObject)>,
    ) -> Result<bool, EngineError> {
        let thread = self.thread;
        let stop = one_step(engine, &mut state, thread)?;
        if let Some((place, object)) = held {
            state.sync.set(place, object);
        }
        match stop {
            Stop::Visible(_) | Stop::Wrong(_) => self.open.push(state),
            // Each of the answers has to lead back.
            Stop::Choice(choice) => {
                for decision in engine.alternatives(&state, &choice, thread)? {
                    let mut decided = state.clone();
                    engine.decide(&mut decided, thread, decision);
                    self.open.push(decided);
                }
            }
            Stop::End(PathEnd::Repeats { .. } | PathEnd::Spins { .. })
                if self.shows_no_more(&mut state) && self.keeps_waiting(&state) =>
            {
                // Beyond that, not all is known.
                if state.observed.is_full() {
                    return Ok(false);
                }
                self.note_accesses(&state);
                self.rounds.asks |= state.inputs.len() > self.first.inputs.len();
                self.rounds.on_purpose |= state.is_made_to_go_round(&engine.program, &self.first, thread);
                self.round = Some(state);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What an action tries to take that others take for a while as well.
    fn tries_contested(&self, action: &Action) -> Option<Place> {
        match *action {
            Action::Sync { op, place } if op.waiting().is_some() && self.contested.contains(&place) => Some(place),
            _ => None,
        }
    }

    /// Whether nobody who was blocked could go on. Whoever only lacks a lock then that one who goes round has is noted.
    fn keeps_waiting(&mut self, state: &State) -> bool {
        for (thread, action) in &self.others.waiting {
            if state.enabled(*thread, action) {
                return false;
            }
            if let Some((lacks, without)) = self.without_lock(state, action)
                && without.enabled(*thread, action)
            {
                self.rounds.tells_who_lacks.insert(lacks);
            }
        }
        true
    }

    /// The lock that somebody needs who waits for a signal as well, with its owner, if he goes round; and the same state with it free.
    fn without_lock(&self, state: &State, action: &Action) -> Option<((ThreadId, Place), State)> {
        let Action::Wake { mutex, .. } = *action else { return None };
        let Some(SyncObject::Mutex { kind, owner: Some(owner), .. }) = state.sync.get(mutex) else { return None };
        let (owner, free) = self.others.circling.contains(owner).then(|| (*owner, SyncTable::mutex(*kind)))?;
        let mut without = state.clone();
        without.sync.set(mutex, free);
        Some(((owner, mutex), without))
    }

    fn note(&mut self, engine: &Engine, state: &State, action: &Action) {
        // The same place, wherever in its round the thread was met; where it waits rather than where it looks.
        let at = (matches!(action, Action::Access { .. }), Backtrace::of(&engine.program, state.thread(self.thread)));
        let place = |at: &(bool, Backtrace)| (at.0, Position::of(&engine.program, at.1.position()));
        if self.rounds.at.as_ref().is_none_or(|known| place(&at) < place(known)) {
            self.rounds.at = Some(at);
        }
        match *action {
            Action::Sync { op, place } => {
                if let Some(waiting) = op.waiting() {
                    // Who does not get it does nothing.
                    let takes = state.enabled(self.thread, &Action::Sync { op: waiting, place });
                    self.rounds.does_to.extend((takes || self.contested.contains(&place)).then_some(place));
                    self.rounds.tries.insert(place);
                } else {
                    let (does, notices) = effect(op);
                    self.rounds.does_to.extend(does.then_some(place));
                    self.rounds.notices.extend(notices.then_some(place));
                }
            }
            Action::Wait { condition, mutex } | Action::Wake { condition, mutex, .. } => {
                self.rounds.notices.insert(condition);
                self.rounds.does_to.insert(mutex);
            }
            Action::GiveUp { condition } => {
                self.rounds.notices.insert(condition);
            }
            Action::AtomicBegin => self.rounds.begins_sections = true,
            _ => {}
        }
    }

    fn note_accesses(&mut self, state: &State) {
        for (kind, range, site) in accesses(state, self.thread) {
            // What is made in a round is no more.
            if range.object.index() >= self.first.memory.len() || state.is_private(self.thread, range.object) {
                continue;
            }
            self.rounds.accesses.insert(range);
            self.rounds.sites.insert(site);
            if kind.writes() {
                self.rounds.writes.insert(range);
            }
            if kind != AccessKind::Write {
                self.rounds.looks_at.insert(range);
            }
        }
    }
}

/// Whether an operation does something to a synchronisation object, and whether it can tell what others do to it. Who waits for a
/// lock is only delayed, and who gives one back that is its own learns nothing.
fn effect(op: SyncOp) -> (bool, bool) {
    match op {
        SyncOp::Lock
        | SyncOp::Unlock
        | SyncOp::ReadLock
        | SyncOp::ReadUnlock
        | SyncOp::WriteLock
        | SyncOp::WriteUnlock
        | SyncOp::SemWait
        | SyncOp::SemPost
        | SyncOp::Signal
        | SyncOp::Broadcast => (true, false),
        SyncOp::SemValue => (false, true),
        SyncOp::TryLock
        | SyncOp::TimedLock
        | SyncOp::TryReadLock
        | SyncOp::TimedReadLock
        | SyncOp::TryWriteLock
        | SyncOp::TimedWriteLock
        | SyncOp::SemTryWait
        | SyncOp::SemTimedWait
        | SyncOp::Init
        | SyncOp::Destroy
        | SyncOp::Once
        | SyncOp::OnceDone
        | SyncOp::OwnerDies
        | SyncOp::KeyEnd => (true, true),
    }
}

/// The state in which a thread that tries a lock gets it where it would not, and the other way round: others take it for a while. In
/// the latter case the lock as it is, for behind that step it is free again. None for what is no lock.
fn with_other_outcome(
    state: &State,
    thread: ThreadId,
    action: &Action,
    place: Place,
) -> Option<(State, Option<(Place, SyncObject)>)> {
    let Action::Sync { op, .. } = *action else { return None };
    let takes = state.enabled(thread, &Action::Sync { op: op.waiting()?, place });
    let holder = if takes { Some(state.thread_ids().find(|&other| other != thread)?) } else { None };
    let known = state.sync.get(place)?.clone();
    let mut changed = known.clone();
    match &mut changed {
        SyncObject::Mutex { owner, depth, .. } => (*owner, *depth) = (holder, u32::from(takes)),
        SyncObject::Spin { owner, .. } => *owner = holder,
        SyncObject::RwLock { writer, readers, .. } => {
            *writer = holder;
            readers.clear();
        }
        SyncObject::Semaphore { value, initial, .. } => (*value, *initial) = (u32::from(!takes), Initial::Known),
        SyncObject::Condition { .. } | SyncObject::Once { .. } | SyncObject::Barrier { .. } | SyncObject::Destroyed => {
            return None;
        }
    }
    let mut other = state.clone();
    other.sync.set(place, changed);
    Some((other, takes.then_some((place, known))))
}

/// What a thread has accessed in its rounds so far.
fn accesses(state: &State, thread: ThreadId) -> impl Iterator<Item = (AccessKind, Range, Site)> {
    state.observed.iter().filter_map(move |seen| match seen {
        Observed::Access { record, range, .. } if record.thread == thread => Some((record.kind, *range, record.site)),
        _ => None,
    })
}
