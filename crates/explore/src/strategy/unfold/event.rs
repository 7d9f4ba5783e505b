//! Events of the unfolding: what a thread does behind a causal history.
//!
//! An event is its canonical name (SPOE, 3.5): an action and what comes before it. So events of different executions are one where they
//! do the same behind the same, and it is enough to hold each once.

use crate::UnfoldingCounts;
use crate::run::prefix::Answer;
use crate::trace::canon::Who;
use concurrency::{Action, Place, SyncOp};
use machine::Outcome;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::{TermId, Terms};

/// An event, by the number in which it became known: what comes before it has smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct EventId(u32);

impl EventId {
    pub(super) fn index(self) -> u32 {
        self.0
    }
}

/// A set of events that holds what comes before each of them, by the last event of each thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Cut(SmallVec<[Option<EventId>; 4]>);

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum What {
    /// Objects and threads are numbered as [`crate::trace::canon::Canon`] does.
    Action { action: Action, outcome: Outcome },
    /// An answer where there are several, or might be: of the same choice, each two are in conflict.
    Choice {
        answer: Answer,
        /// What the thread is about to do if it chooses in the course of that: the choice is part of it.
        course: Option<Action>,
    },
}

/// What is known of an event.
#[derive(Debug)]
pub(super) struct Event {
    pub who: Who,
    /// How many events of the thread there are up to this one.
    pub number: u32,
    pub what: What,
    /// What comes before it.
    pub past: Cut,
    /// Who does what, by the number in which that became known.
    pub label: u32,
    /// One more than the most of what comes before it.
    pub level: u32,
    /// What a choice comes to.
    pub fact: Option<Fact>,
    /// Of an arrival at a barrier, how many are let through together.
    pub capacity: Option<u32>,
    /// The choice is which thread of a round is the serial one: that of the first thread of it, whoever came last.
    pub serial: Option<Round>,
    /// Known events that are in conflict with it, and whose pasts are not.
    pub rivals: Vec<EventId>,
    /// Whether the state behind it was met behind fewer events, if that is known.
    pub is_cutoff: Option<bool>,
}

/// The events that are known: a part of the unfolding.
#[derive(Debug, Default)]
pub(super) struct Events {
    all: Vec<Event>,
    numbers: FxHashMap<(Who, What, Cut), EventId>,
    labels: FxHashMap<(Who, What), u32>,
    rivalries: FxHashSet<(EventId, EventId)>,
    /// Arrivals at barriers, by what is counted there.
    arrivals: FxHashMap<Round, Vec<EventId>>,
}

/// A round of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Round {
    place: Place,
    round: u32,
    capacity: u32,
}

fn is_of_mutex(op: SyncOp) -> bool {
    matches!(op, SyncOp::Lock | SyncOp::TryLock | SyncOp::TimedLock | SyncOp::Unlock)
}

impl What {
    /// What others may notice of it.
    pub(super) fn action(&self) -> Option<&Action> {
        match self {
            What::Action { action, .. } => Some(action),
            What::Choice { course, .. } => course.as_ref(),
        }
    }

    /// Whether the order of what two threads do matters.
    pub(super) fn dependent(&self, other: &What) -> bool {
        // What a thread decides on its way between two actions is its own business.
        self.action().zip(other.action()).is_some_and(|(one, other)| one.dependent(other))
    }
}

impl Cut {
    /// The thread's last event.
    pub(super) fn last(&self, who: Who) -> Option<EventId> {
        self.0.get(who).copied().flatten()
    }

    pub(super) fn lasts(&self) -> impl Iterator<Item = (Who, EventId)> {
        self.0.iter().enumerate().filter_map(|(who, last)| Some((who, (*last)?)))
    }

    pub(super) fn set(&mut self, who: Who, last: EventId) {
        if self.0.len() <= who {
            self.0.resize(who + 1, None);
        }
        self.0[who] = Some(last);
    }
}

impl Events {
    /// The events of a set that are not in a part of it, in an order in which they can happen.
    pub(super) fn chain(&self, cut: &Cut, without: &Cut) -> Vec<EventId> {
        let mut all = Vec::new();
        for (who, last) in cut.lasts() {
            let inside = without.last(who).map_or(0, |last| self[last].number);
            let of_thread = std::iter::successors(Some(last), |&id| self[id].past.last(who));
            all.extend(of_thread.take_while(|&id| self[id].number > inside));
        }
        all.sort_unstable();
        all
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.all.len() as u32).map(EventId)
    }

    /// How many events there are, by kind.
    pub(super) fn counts(&self) -> UnfoldingCounts {
        let mut counts = UnfoldingCounts { events: self.all.len() as u64, ..UnfoldingCounts::default() };
        for event in &self.all {
            match event.what {
                What::Choice { .. } => counts.choices += 1,
                What::Action { action: Action::Wait { .. } | Action::Wake { .. } | Action::GiveUp { .. }, .. }
                | What::Action { action: Action::Sync { op: SyncOp::Signal | SyncOp::Broadcast, .. }, .. } => {
                    counts.conditions += 1;
                }
                What::Action { action: Action::Sync { op, .. }, .. } if is_of_mutex(op) => counts.mutexes += 1,
                What::Action { .. } => {}
            }
        }
        counts
    }

    /// The event with this name; known from now on.
    pub(super) fn event(&mut self, who: Who, what: What, past: Cut, extra: Extra) -> EventId {
        let key = (who, what, past);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let id = EventId(self.all.len() as u32);
        let number = 1 + key.2.last(who).map_or(0, |last| self[last].number);
        let next = self.labels.len() as u32;
        let label = *self.labels.entry((who, what)).or_insert(next);
        let level = 1 + key.2.lasts().map(|(_, last)| self[last].level).max().unwrap_or(0);
        let event = Event {
            who,
            number,
            what,
            past: key.2.clone(),
            label,
            level,
            fact: extra.fact,
            capacity: extra.capacity,
            serial: extra.serial,
            rivals: Vec::new(),
            is_cutoff: None,
        };
        if let Some(round) = event.round() {
            self.arrivals.entry(round).or_default().push(id);
        }
        self.all.push(event);
        self.numbers.insert(key, id);
        id
    }

    /// What comes before it, and itself.
    pub(super) fn closed(&self, id: EventId) -> Cut {
        let mut cut = self[id].past.clone();
        cut.set(self[id].who, id);
        cut
    }

    /// Of two sets that are part of one configuration, both.
    pub(super) fn join(&self, cut: &mut Cut, other: &Cut) {
        for (who, last) in other.lasts() {
            if cut.last(who).is_none_or(|mine| self[mine].number < self[last].number) {
                cut.set(who, last);
            }
        }
    }

    /// Whether an event of the same configuration is in the set.
    pub(super) fn holds(&self, cut: &Cut, id: EventId) -> bool {
        cut.last(self[id].who).is_some_and(|last| self[last].number >= self[id].number)
    }

    /// Whether two different events, of which none comes before the other, cannot both happen.
    pub(super) fn conflict(&self, one: EventId, other: EventId) -> bool {
        self[one].who == self[other].who || self[one].what.dependent(&self[other].what)
    }

    /// Notes that two events are in conflict.
    pub(super) fn note_rivals(&mut self, one: EventId, other: EventId) {
        if self.rivalries.insert((one.min(other), one.max(other))) {
            self.all[one.0 as usize].rivals.push(other);
            self.all[other.0 as usize].rivals.push(one);
        }
    }

    /// Arrivals that are counted together.
    pub(super) fn arrivals(&self, round: Round) -> &[EventId] {
        self.arrivals.get(&round).map_or(&[], Vec::as_slice)
    }
}

/// What belongs to an event's name without being part of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra {
    pub fact: Option<Fact>,
    pub capacity: Option<u32>,
    pub serial: Option<Round>,
}

/// What holds of the input behind a choice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fact {
    /// A one-bit term is this.
    Holds(TermId, bool),
    Equals(TermId, u128),
}

impl Fact {
    /// As a one-bit term.
    pub(super) fn term(self, terms: &mut Terms) -> TermId {
        match self {
            Fact::Holds(term, true) => term,
            Fact::Holds(term, false) => terms.not(term),
            Fact::Equals(term, value) => {
                let value = terms.bv(terms.width(term), value);
                terms.eq(term, value)
            }
        }
    }
}

impl Event {
    /// Of an arrival at a barrier, where it is counted.
    pub(super) fn round(&self) -> Option<Round> {
        match self.what {
            What::Action { action: Action::Arrive { barrier: place, round, .. }, .. } => {
                Some(Round { place, round, capacity: self.capacity? })
            }
            _ => None,
        }
    }
}

impl Round {
    pub(super) fn at(self) -> (Place, u32) {
        (self.place, self.round)
    }

    pub(super) fn capacity(self) -> usize {
        self.capacity as usize
    }
}

impl std::ops::IndexMut<EventId> for Events {
    fn index_mut(&mut self, id: EventId) -> &mut Event {
        &mut self.all[id.0 as usize]
    }
}

impl std::ops::Index<EventId> for Events {
    type Output = Event;

    fn index(&self, id: EventId) -> &Event {
        &self.all[id.0 as usize]
    }
}
