//! What is known of the unfolding, in words: its events, what comes before each, and which exclude each other.

use super::Unfolding;
use super::event::{Cut, EventId, Fact, What};
use crate::KnownEvent;
use crate::run::prefix::Answer;
use crate::trace::canon::Canon;
use concurrency::{Action, Place, SyncOp};
use machine::{Engine, Outcome, State};
use memory::ObjectKind;

/// Events of which each two are looked at for conflicts; of more, those that exploration came upon.
const EACH_TWO: usize = 1_000;

impl Unfolding {
    /// All events in an order in which they can become known. `initial`: where objects have their names from.
    pub(super) fn known_events(&self, engine: &mut Engine, initial: &State) -> Vec<KnownEvent> {
        let names = Names { canon: &self.canon, initial };
        let ids: Vec<EventId> = self.events.ids().collect();
        let words = |&id: &EventId| {
            let event = &self.events[id];
            let what = match (&event.what, event.fact) {
                (What::Action { action, outcome }, _) => names.action(engine, action, *outcome),
                (_, Some(Fact::Holds(term, holds))) => {
                    format!("{}: {}", engine.terms.display(term), if holds { "yes" } else { "no" })
                }
                (_, Some(Fact::Equals(term, value))) => format!("{} is {value}", engine.terms.display(term)),
                (What::Choice { answer: Answer::Pick(index), .. }, None) => format!("chooses {index}"),
                (What::Choice { answer, .. }, None) => format!("chooses {answer:?}"),
            };
            KnownEvent {
                thread: self.canon.name(event.who).to_owned(),
                what,
                after: self.causes(id).into_iter().map(EventId::index).collect(),
                conflicts: self.excluded(id, ids.len()).into_iter().map(EventId::index).collect(),
                is_cutoff: event.is_cutoff == Some(true),
            }
        };
        ids.iter().map(words).collect()
    }

    /// What comes right before an event, with nothing in between.
    fn causes(&self, id: EventId) -> Vec<EventId> {
        let lasts: Vec<EventId> = self.events[id].past.lasts().map(|(_, last)| last).collect();
        let is_behind = |&last: &EventId| {
            // All of them are of one configuration.
            lasts.iter().any(|&other| other != last && self.events.holds(&self.events.closed(other), last))
        };
        lasts.iter().copied().filter(|last| !is_behind(last)).collect()
    }

    /// Earlier events in immediate conflict with one: each could happen behind what comes before both.
    fn excluded(&self, id: EventId, all: usize) -> Vec<EventId> {
        let earlier: Vec<EventId> = match all <= EACH_TWO {
            true => self.events.ids().take_while(|&other| other < id).collect(),
            false => self.events[id].rivals.iter().copied().filter(|&other| other < id).collect(),
        };
        let mut found: Vec<EventId> = earlier.into_iter().filter(|&other| self.exclude(other, id)).collect();
        found.sort_unstable();
        found
    }

    /// Whether two events are in conflict, and nothing before the one is with the other, or with what is before that.
    fn exclude(&self, one: EventId, other: EventId) -> bool {
        let events = &self.events;
        // By each event itself: what is asked may be of two configurations.
        let set = |id: EventId| events.chain(&events.closed(id), &Cut::default());
        let (mine, theirs) = (set(one), set(other));
        if mine.contains(&other) || theirs.contains(&one) || !events.conflict(one, other) {
            return false;
        }
        let apart = |of: &[EventId], from: &[EventId]| -> Vec<EventId> {
            of.iter().copied().filter(|event| from.binary_search(event).is_err()).collect()
        };
        let (mine_alone, theirs_alone) = (apart(&mine, &theirs), apart(&theirs, &mine));
        let is_ordered = |a: EventId, b: EventId| set(a).contains(&b) || set(b).contains(&a);
        let conflict = |a: EventId, b: EventId| (a, b) != (one, other) && events.conflict(a, b) && !is_ordered(a, b);
        !mine_alone.iter().any(|&a| theirs_alone.iter().any(|&b| conflict(a, b)))
    }
}

struct Names<'a> {
    canon: &'a Canon,
    initial: &'a State,
}

impl Names<'_> {
    fn place(&self, engine: &Engine, Place { object, offset }: Place) -> String {
        let address = self.canon.address(object);
        let there =
            self.initial.memory.at_address(address).map(|pointer| self.initial.memory.object(pointer.object).kind);
        let name = match there {
            Some(ObjectKind::Global(global)) => engine.program.module[global].name.clone(),
            _ => format!("object {address:#x}"),
        };
        if offset == 0 { name } else { format!("{name}+{offset}") }
    }

    fn action(&self, engine: &Engine, action: &Action, outcome: Outcome) -> String {
        let at = |place: Place| self.place(engine, place);
        let what = match *action {
            Action::Sync { op, place } => format!("{} {}", verb(op), at(place)),
            Action::Wait { condition, mutex } => format!("waits for {}, gives {} back", at(condition), at(mutex)),
            Action::Wake { condition, mutex, .. } => format!("wakes up from {}, takes {}", at(condition), at(mutex)),
            Action::GiveUp { condition } => format!("waits for {} no longer", at(condition)),
            Action::Access { range, write, .. } => {
                let place = at(Place { object: range.object, offset: range.offset });
                format!("{} {place}", if write { "writes" } else { "reads" })
            }
            Action::Join(thread) => format!("joins {}", self.canon.name(thread.index())),
            Action::TryJoin { thread, .. } => format!("looks whether {} has ended", self.canon.name(thread.index())),
            Action::Arrive { barrier, round, .. } => format!("arrives at {}, round {round}", at(barrier)),
            Action::Pass(barrier) => format!("passes {}", at(barrier)),
            Action::AtomicBegin => "begins an atomic section".to_owned(),
            Action::Leave => "ends".to_owned(),
            Action::Exit => "ends the process".to_owned(),
        };
        if outcome == Outcome::Misses { format!("{what}: in vain") } else { what }
    }
}

/// `SemWait`: `sem wait`.
fn verb(op: SyncOp) -> String {
    let mut words = String::new();
    for character in format!("{op:?}").chars() {
        if character.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}
