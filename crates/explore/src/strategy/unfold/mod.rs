//! Exploration of the unfolding (Schemmel, Büning, Rodríguez, Laprell and Wehrle, SPOE, CAV 2020; Nguyen, Rodríguez, Sousa, Coti and
//! Petrucci, Quasi-Optimal POR, CAV 2018).
//!
//! The unfolding is what all executions have in common: an [event](event) is an action or a choice behind a causal history, and each
//! event is there once. An execution is a configuration: a set of events with their histories of which no two are in conflict. Each
//! maximal one is explored once, by a binary tree (SPOE, Algorithm 2): at a configuration with an event that can follow, first all
//! that has it, then, where there is an [alternative](alternatives), all that does not. What could have happened instead of an event is
//! known by then, since the [extensions](extensions) of each configuration on the way are: what every request would have come to at
//! any earlier moment.
//!
//! Choices are events: two answers of one choice are in conflict, also where the path condition leaves only one
//! ([`machine::Config::unfolding`]). Besides conflicts between two events there are two reasons for which a set is no configuration: no
//! input leads to all that was decided, and a barrier does not let more threads through together than it is for. The first takes
//! nothing from the argument: an event that is no choice decides nothing, so if a maximal configuration lacks one that can
//! follow a part of it, another event excludes it; and of a choice it has another answer. The second excludes an arrival by
//! several others together, which alternatives take into account.
//!
//! Guarantee: each pair of a trace and choices is executed once (with alternatives to all events, and without cutoffs; [`UnfoldingOptions`]).

mod alternatives;
mod configuration;
mod cutoffs;
mod event;
mod extensions;
mod known;

use crate::run::next::runnable_of;
use crate::run::prefix::Answer;
use crate::strategy::node::{Left, Mark, Node};
use crate::strategy::visited::{Part, Tally};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use crate::trace::canon::{Canon, Who};
use crate::{KnownEvent, UnfoldingCounts, UnfoldingOptions};
use alternatives::Alternatives;
use concurrency::{Action, ThreadId};
use configuration::{Configuration, Member};
use cutoffs::Cutoffs;
use event::{Cut, EventId, Events, Extra, Fact, Round, What};
use extensions::Request;
use machine::{Decision, Engine, Observed, State, Status, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is known of the unfolding, and where in it the search is: one field for each thing.
#[derive(Debug, Default)]
pub(crate) struct Unfolding {
    events: Events,
    canon: Canon,
    configuration: Configuration,
    /// On the way to the configuration: where an event was chosen, or is to be.
    levels: Vec<Level>,
    here: Situation,
    /// Events that are not in the configuration, but what comes before them is.
    extensions: Vec<EventId>,
    are_extensions: FxHashSet<EventId>,
    /// What requests come to at moments.
    answers: FxHashMap<(Who, Cut), Option<EventId>>,
    /// What is to happen next, in this order.
    guide: Vec<EventId>,
    options: UnfoldingOptions,
    cutoffs: Cutoffs,
    /// Complete executions in which a thread failed.
    failed: u64,
    /// What was begun.
    paused: Option<Node>,
    begun: bool,
}

/// Where threads stand behind a configuration.
#[derive(Clone, Debug, Default)]
struct Situation {
    /// What comes before the next event of each thread.
    bases: Vec<Cut>,
    /// Steps and observations that `bases` knows of.
    seen: (usize, usize),
    /// What threads wait to be allowed to do.
    requests: Vec<Request>,
    /// Threads that stand before choices, which come behind the guide.
    postponed: SmallVec<[ThreadId; 2]>,
    /// Threads that stand before choices of which nothing is to follow.
    parked: SmallVec<[ThreadId; 2]>,
    /// A thread has done what was assumed not to happen: nobody counts this execution.
    void: bool,
}

/// A configuration on the way, and what was chosen to follow it.
#[derive(Debug)]
struct Level {
    state: State,
    /// Events before it.
    at: usize,
    ways: Vec<Way>,
    chosen: Option<EventId>,
    /// What was chosen before, here.
    tried: SmallVec<[EventId; 4]>,
    /// What was chosen before, earlier, and could follow.
    asleep: SmallVec<[EventId; 4]>,
    situation: Situation,
    /// How many extensions were known.
    extensions: usize,
}

/// An event that can follow.
#[derive(Debug)]
struct Way {
    event: EventId,
    thread: ThreadId,
    /// Of a choice.
    decision: Option<Decision>,
}

impl Unfolding {
    pub(crate) fn new(options: UnfoldingOptions) -> Self {
        Unfolding { options, ..Unfolding::default() }
    }

    /// What threads have done since it was looked at last: created others, waited for their ends, passed barriers.
    fn catch_up(&mut self, state: &State) {
        let (steps, observed) = (state.history.length(), state.observed.len());
        for step in state.history.split_last(steps - self.here.seen.0).0 {
            if let Step::Grant(thread, Action::Pass(_) | Action::Arrive { last: true, .. }, _) = step {
                let who = self.canon.who(state, thread);
                self.pass_barrier(who);
            }
        }
        let new: Vec<Observed> = state.observed.iter().take(observed - self.here.seen.1).cloned().collect();
        for what in new.into_iter().rev() {
            match what {
                Observed::Created { by, thread } => {
                    let (by, who) = (self.canon.who(state, by), self.canon.who(state, thread));
                    let base = self.base(by).clone();
                    *self.base(who) = base;
                }
                Observed::Joined { by, thread } => {
                    let (by, ended) = (self.canon.who(state, by), self.canon.who(state, thread));
                    let ended = self.base(ended).clone();
                    self.come_behind(by, &ended);
                }
                _ => {}
            }
        }
        self.here.seen = (steps, observed);
    }

    /// The round of a barrier of which a thread that was the last to arrive is to choose who is the serial one.
    fn serial(&self, state: &State, thread: ThreadId, who: Who) -> Option<Round> {
        self.canon.round_completed(state, thread)?;
        let round = self.events[self.here.bases.get(who)?.last(who)?].round()?;
        (self.configuration.arrived(&self.events, round).count() == round.capacity()).then_some(round)
    }

    fn base(&mut self, who: Who) -> &mut Cut {
        if self.here.bases.len() <= who {
            self.here.bases.resize_with(who + 1, Cut::default);
        }
        &mut self.here.bases[who]
    }

    fn come_behind(&mut self, who: Who, other: &Cut) {
        let mut base = std::mem::take(self.base(who));
        self.events.join(&mut base, other);
        *self.base(who) = base;
    }

    /// The thread comes behind all that arrived in its round.
    fn pass_barrier(&mut self, who: Who) {
        let round = self.base(who).last(who).and_then(|arrival| self.events[arrival].round());
        let Some(round) = round else { return };
        let arrived: Vec<EventId> = self.configuration.arrived(&self.events, round).collect();
        for arrival in arrived {
            let closed = self.events.closed(arrival);
            self.come_behind(who, &closed);
        }
    }

    /// An extension of the configuration becomes known.
    fn extend(&mut self, extension: EventId) {
        if self.configuration.contains(&self.events, extension) || !self.are_extensions.insert(extension) {
            return;
        }
        self.extensions.push(extension);
        let past = self.events[extension].past.clone();
        let members = self.configuration.outside(&self.events, &past).map(|member| member.event);
        let rivals: Vec<EventId> = members.filter(|&member| self.events.conflict(member, extension)).collect();
        rivals.into_iter().for_each(|rival| self.events.note_rivals(rival, extension));
    }

    /// What was tried before and still could follow.
    fn asleep(&self) -> SmallVec<[EventId; 4]> {
        let Some(level) = self.levels.last() else { return SmallVec::new() };
        let all = level.asleep.iter().chain(&level.tried).copied();
        let Some(chosen) = level.chosen else { return all.collect() };
        let is_full = |event: EventId| {
            self.events[event]
                .round()
                .is_some_and(|round| self.configuration.arrived(&self.events, round).count() >= round.capacity())
        };
        all.filter(|&event| !self.events.conflict(event, chosen) && !is_full(event)).collect()
    }

    /// A configuration has been come to that one of these can follow.
    fn open(&mut self, state: State, ways: Vec<Way>, chosen: EventId, asleep: SmallVec<[EventId; 4]>) {
        self.guide.retain(|&event| event != chosen);
        self.levels.push(Level {
            state,
            at: self.configuration.len(),
            ways,
            chosen: Some(chosen),
            tried: SmallVec::new(),
            asleep,
            situation: self.here.clone(),
            extensions: self.extensions.len(),
        });
        self.begun = false;
    }

    /// The chosen event happens.
    fn happen(&mut self, engine: &mut Engine) -> Option<Node> {
        let level = self.levels.last()?;
        let chosen = level.chosen?;
        let way = level.ways.iter().find(|way| way.event == chosen)?;
        let (thread, decision, mut state) = (way.thread, way.decision, level.state.clone());
        let who = self.events[chosen].who;
        let own = self.here.requests.iter().position(|request| request.who == who && decision.is_none());
        let (base, request) = match own {
            Some(own) => {
                let Request { base, action, .. } = self.here.requests.swap_remove(own);
                (base, Some(action))
            }
            None => (self.here.bases[who].clone(), None),
        };
        for index in 0..self.extensions.len() {
            let extension = self.extensions[index];
            let is_open = extension != chosen && !self.configuration.contains(&self.events, extension);
            if is_open && self.events.conflict(extension, chosen) {
                self.events.note_rivals(extension, chosen);
            }
        }
        self.configuration.add(&self.events, Member { event: chosen, base, request });
        *self.base(who) = self.events.closed(chosen);
        if let Some(round) = self.events[chosen].serial {
            let closed = self.events.closed(chosen);
            let arrived: Vec<EventId> = self.configuration.arrived(&self.events, round).collect();
            arrived.into_iter().for_each(|arrival| self.come_behind(self.events[arrival].who, &closed));
        }
        self.ask_after(engine, chosen);
        match decision {
            Some(decision) => engine.decide(&mut state, thread, decision),
            None => engine.grant(&mut state, thread),
        }
        self.begun = true;
        Some(Node::on(state, Mark::default()))
    }

    /// All that follows the event that was chosen last has been explored: what happens instead.
    fn go_back(&mut self, engine: &mut Engine) -> Option<Node> {
        let level = self.levels.last_mut()?;
        let Some(chosen) = level.chosen.take() else {
            // What follows without it was explored at a level of its own.
            self.levels.pop();
            return None;
        };
        level.tried.push(chosen);
        self.configuration.pop(&self.events);
        self.here.clone_from(&level.situation);
        for extension in self.extensions.drain(level.extensions..) {
            self.are_extensions.remove(&extension);
        }
        let instead_of: Vec<EventId> = level.tried.iter().rev().chain(&level.asleep).copied().collect();
        let Some(guide) = self.alternative(engine, &instead_of) else {
            self.levels.pop();
            return None;
        };
        let level = self.levels.last()?;
        let next = guide.iter().copied().find(|event| level.ways.iter().any(|way| way.event == *event));
        self.guide = guide;
        match next {
            Some(next) => {
                self.guide.retain(|&event| event != next);
                self.levels.last_mut()?.chosen = Some(next);
                self.happen(engine)
            }
            // By a thread that stands before a choice here.
            None => Some(Node::on(level.state.clone(), Mark::default())),
        }
    }

    /// The first of these that was not tried, and that something is to follow.
    fn awake(&mut self, engine: &mut Engine, ways: &[Way], asleep: &[EventId]) -> Option<EventId> {
        let mut events = ways.iter().map(|way| way.event).filter(|event| !asleep.contains(event));
        events.find(|&event| !self.is_cutoff(engine, event))
    }

    /// What can happen here, and then none of these can.
    fn alternative(&mut self, engine: &mut Engine, instead_of: &[EventId]) -> Option<Vec<EventId>> {
        let exactly = match self.options.alternatives {
            0 => usize::MAX,
            some => some as usize,
        };
        loop {
            let (events, configuration, state) = (&self.events, &self.configuration, &self.levels.last()?.state);
            let found = Alternatives { events, configuration, instead_of, exactly, state }.find(engine)?;
            let cut = found.iter().filter(|&&event| self.is_cutoff(engine, event)).count();
            if cut == 0 {
                return Some(found);
            }
        }
    }

    /// Whether what is left to happen is the end of the process, behind what others decide.
    fn only_exits(&self) -> bool {
        let exits = |event: &EventId| matches!(self.events[*event].what, What::Action { action: Action::Exit, .. });
        self.guide.iter().all(exits)
    }
}

/// The answer that a decision gives, whether or not another one was possible, and what it says of the input.
fn settled(decision: &Decision) -> (Answer, Option<Fact>) {
    match (Answer::of(decision), decision) {
        (Answer::Condition { holds, .. }, &Decision::Condition { term, .. }) => {
            (Answer::Condition { holds, implied: false }, Some(Fact::Holds(term, holds)))
        }
        (Answer::Value { value, .. }, &Decision::Value { term, .. }) => {
            (Answer::Value { value, implied: false }, Some(Fact::Equals(term, value)))
        }
        (answer, _) => (answer, None),
    }
}

impl Strategy for Unfolding {
    fn is_over(&self) -> bool {
        self.levels.is_empty() && self.paused.is_none() && self.cutoffs.probes.is_empty()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        if let Some(node) = self.paused.take() {
            return Some(node);
        }
        self.cutoffs.probing = None;
        if let Some(cutoff) = self.cutoffs.probes.pop() {
            return self.probe(engine, cutoff);
        }
        if self.begun { self.go_back(engine) } else { self.happen(engine) }
    }

    fn push(&mut self, node: Node) {
        self.paused = Some(node);
    }

    fn runs(&self, engine: &mut Engine, state: &mut State, _: &Mark) -> Option<ThreadId> {
        let Situation { postponed, parked, .. } = &self.here;
        runnable_of(engine, state, |thread| match &self.cutoffs.probing {
            Some(stand) => !stand.contains(&thread),
            None => !postponed.contains(&thread) && !parked.contains(&thread),
        })
    }

    fn goes_on_without(&mut self, state: &mut State, thread: ThreadId) -> bool {
        if self.cutoffs.probing.is_some() {
            return false;
        }
        state.give_up(thread);
        self.here.void = true;
        true
    }

    fn is_void(&self) -> bool {
        self.here.void && self.cutoffs.probing.is_none()
    }

    fn is_uncounted(&self) -> bool {
        self.here.void || self.cutoffs.probing.is_some()
    }

    fn known(&mut self, _: &mut Engine, _: &mut Node, printed: bool, _: Tally) -> Option<Part> {
        self.cutoffs.printed = printed;
        None
    }

    fn choice(&mut self, engine: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        if self.cutoffs.probing.is_some() {
            return;
        }
        let mut state = node.state;
        self.catch_up(&state);
        if self.levels.is_empty() {
            self.meet_first(engine, &state);
        }
        let own = self.canon.who(&state, thread);
        let serial = self.serial(&state, thread, own);
        // Whoever came last chooses for all of them.
        let who = match serial {
            Some(round) => {
                let arrived = self.configuration.arrived(&self.events, round);
                arrived.map(|arrival| self.events[arrival].who).min().unwrap_or(own)
            }
            None => own,
        };
        let mut base = self.base(own).clone();
        let theirs = self.base(who).clone();
        self.events.join(&mut base, &theirs);
        let number = 1 + base.last(who).map_or(0, |last| self.events[last].number);
        let of_guide = self
            .guide
            .iter()
            .copied()
            .find(|&event| self.events[event].who == who && self.events[event].number == number);
        let in_course = state.thread(thread).is_in_course();
        if !self.guide.is_empty() && of_guide.is_none() && !self.only_exits() && !in_course {
            self.here.postponed.push(thread);
            self.paused = Some(Node::on(state, node.mark));
            return;
        }
        let last = self.base(own).last(own).filter(|_| in_course);
        let course = last.and_then(|last| self.events[last].what.action().copied());
        let ways: Vec<Way> = decisions
            .into_iter()
            .map(|decision| {
                let (answer, fact) = settled(&decision);
                let event = self.events.event(
                    who,
                    What::Choice { answer, course },
                    base.clone(),
                    Extra { fact, serial, capacity: None },
                );
                Way { event, thread, decision: Some(decision) }
            })
            .collect();
        ways.iter().for_each(|way| self.extend(way.event));
        let asleep = self.asleep();
        let of_guide = of_guide.filter(|event| ways.iter().any(|way| way.event == *event));
        match of_guide.or_else(|| self.awake(engine, &ways, &asleep)) {
            Some(chosen) => self.open(state, ways, chosen, asleep),
            // Nothing can be decided: what others do is looked at all the same.
            None if ways.is_empty() => {
                self.goes_on_without(&mut state, thread);
                self.paused = Some(Node::on(state, node.mark));
            }
            None => {
                self.here.parked.push(thread);
                self.paused = Some(Node::on(state, node.mark));
            }
        }
    }

    fn schedule(&mut self, engine: &mut Engine, node: Node, point: &SchedulingPoint) -> Scheduled {
        if self.cutoffs.probing.is_some() {
            return Scheduled::Somebody;
        }
        let state = node.state;
        self.catch_up(&state);
        let mut ways = Vec::new();
        let mut new = Vec::new();
        for &(thread, action, enabled) in point.pending {
            let (Some(action), &Status::At(request)) = (action, &state.thread(thread).status) else { continue };
            if matches!(action, Action::Join(_) | Action::Pass(_)) {
                continue;
            }
            let who = self.canon.who(&state, thread);
            let base = self.base(who).clone();
            let request = Request { who, base: base.clone(), action: self.canon.action(&state, &request) };
            let widest = request.widest();
            if self.here.requests.iter().all(|request| request.who != who) {
                self.here.requests.push(request.clone());
                new.push(request);
            }
            let event = enabled.then(|| self.event_of(&state, thread, &action, &base, None));
            let now = self.configuration.past(&self.events, &base, (who, &widest), None);
            self.answers.insert((who, now), event);
            if let Some(event) = event {
                ways.push(Way { event, thread, decision: None });
                self.extend(event);
            }
        }
        for request in new {
            self.ask_earlier(engine, &request);
        }
        if self.levels.is_empty() {
            self.meet_first(engine, &state);
        }
        let asleep = self.asleep();
        let guided = self.guide.iter().copied().find(|event| ways.iter().any(|way| way.event == *event));
        if guided.is_none() && !self.here.postponed.is_empty() {
            // The guide leads no further; what was postponed is next.
            self.here.postponed.clear();
            self.paused = Some(Node::on(state, node.mark));
            return Scheduled::Somebody;
        }
        let Some(chosen) = guided.or_else(|| self.awake(engine, &ways, &asleep)) else {
            return if ways.is_empty() && self.here.parked.is_empty() {
                Scheduled::Somebody
            } else {
                Scheduled::AllAsleep(Box::new(state))
            };
        };
        self.open(state, ways, chosen, asleep);
        Scheduled::Somebody
    }

    fn completed(&mut self, state: &State) {
        self.failed += u64::from(state.is_stuck());
    }

    fn known_events(&self, engine: &mut Engine, initial: &State) -> Vec<KnownEvent> {
        if self.options.kept { Unfolding::known_events(self, engine, initial) } else { Vec::new() }
    }

    fn unfolding(&self) -> Option<UnfoldingCounts> {
        Some(UnfoldingCounts { cutoffs: self.cutoffs.count, failed: self.failed, ..self.events.counts() })
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        if self.is_over() { Vec::new() } else { vec![Left::all()] }
    }

    fn is_undivided(&self) -> bool {
        true
    }
}
