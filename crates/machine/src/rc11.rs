//! Whether atomics that are weaker than `seq_cst` allow what no interleaving shows, under RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer,
//! Repairing Sequential Consistency in C/C++11, PLDI 2017, figure 3).
//!
//! An execution is a graph: program order (sb), who reads whose write (rf), the order of writes to one place (mo), and from both the order of
//! reads before writes that they do not see (fr). Interleavings show the graphs in which these and the order of synchronisation have no cycle.
//! Of a program that has others, cut one where the first event closes a cycle: what comes before is shown by some interleaving, which runs that
//! event next. So it is enough to ask at each atomic event of each execution: is there an older write that it could read, or an earlier place
//! for its own, such that a cycle closes and RC11 allows the graph? Where the answer is always no, the program has under RC11 the executions
//! that interleaving shows, and no others (docs/soundness.md, 11c, for what has to be executed for that).
//!
//! Synchronisation objects are sequentially consistent, what comes of trying them included. Accesses that are not atomic do not race,
//! so that what they see is settled by happens-before.

use crate::State;
use concurrency::{Action, HappensBefore, Place, Site, ThreadId, VectorClock};
use memory::Value;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

mod circle;
mod psc;

/// How many events of each thread come before, in the order that interleavings have.
type Past = SmallVec<[u32; 4]>;

/// A write, by the number of its event; none is what was there before.
type Write = Option<usize>;

/// What an atomic event does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Atomic {
    pub place: Place,
    pub size: u64,
    pub reads: bool,
    /// What it writes.
    pub writes: Option<Value>,
    pub is_seq_cst: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    /// Of a synchronisation object; or of a place, before it is known what.
    Other,
    Fence {
        is_seq_cst: bool,
    },
    Atomic {
        atomic: Atomic,
        source: Write,
    },
}

#[derive(Clone, Debug)]
struct Event {
    thread: ThreadId,
    /// Of its thread, from 1.
    number: u32,
    /// The thread's own time.
    epoch: u32,
    /// What happens before it, as of when it began, and with what it acquires.
    before: VectorClock,
    after: VectorClock,
    /// What comes before by what its thread did before; and with itself and what its place adds.
    led: Past,
    past: Past,
    action: Option<Action>,
    what: What,
    site: Option<Site>,
    time: u64,
}

/// The events of an execution since there were threads, in the order in which they were carried out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    events: Rc<Vec<Rc<Event>>>,
    /// What places held before the first event there.
    initial: Rc<BTreeMap<Place, Value>>,
}

/// What no interleaving shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unordered {
    /// What it may see, or come behind, each of which closes a circle.
    pub seen: Vec<Option<Value>>,
    /// The write that is not seen, or that comes later, although it came before.
    pub missed: Option<Site>,
    /// Atomic operations and fences on a circle through both.
    pub circle: Vec<Site>,
}

/// How an event may come out other than it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Reads,
    Writes,
    Updates,
}

fn count(past: &Past, thread: ThreadId) -> u32 {
    past.get(thread.index()).copied().unwrap_or(0)
}

fn join(past: &mut Past, other: &Past) {
    if past.len() < other.len() {
        past.resize(other.len(), 0);
    }
    past.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

/// Takes in what comes before the last such event of each other thread: what comes before those before it comes before that one, too.
fn join_last(past: &mut Past, events: &[Rc<Event>], thread: ThreadId, is_such: impl Fn(&Event) -> bool) {
    for event in events.iter().rev() {
        let is_new = event.thread != thread && count(past, event.thread) < event.number;
        if is_new && is_such(event) {
            join(past, &event.past);
        }
    }
}

impl Event {
    fn atomic(&self) -> Option<&Atomic> {
        match &self.what {
            What::Atomic { atomic, .. } => Some(atomic),
            _ => None,
        }
    }

    fn is_of(&self, place: Place) -> bool {
        self.atomic().is_some_and(|atomic| atomic.place == place)
    }

    fn writes(&self, place: Place) -> bool {
        self.atomic().is_some_and(|atomic| atomic.place == place && atomic.writes.is_some())
    }

    /// Whether it happens before what has this clock, of another thread.
    fn is_known_to(&self, clock: &VectorClock) -> bool {
        clock.get(self.thread) >= self.epoch
    }
}

/// Whether the order of two actions shows. The end of automatic objects comes behind all that is done with them, as nothing races.
fn are_dependent(a: &Action, b: &Action) -> bool {
    !matches!((a, b), (Action::Leave, _) | (_, Action::Leave)) && a.dependent(b)
}

/// What comes before an event, and itself: what its thread did before, and what its action depends on.
fn past_of(events: &[Rc<Event>], led: &Past, (thread, number): (ThreadId, u32), action: Option<&Action>) -> Past {
    let mut past = led.clone();
    if let Some(action) = action {
        let depends = |event: &Event| event.action.as_ref().is_some_and(|other| are_dependent(other, action));
        join_last(&mut past, events, thread, depends);
    }
    if past.len() <= thread.index() {
        past.resize(thread.index() + 1, 0);
    }
    past[thread.index()] = number;
    past
}

impl Graph {
    /// An event of a thread begins.
    fn begin(&mut self, order: &HappensBefore, thread: ThreadId, action: Option<Action>, time: u64) {
        let before = order.clock(thread).clone();
        let mine = self.events.iter().rev().find(|event| event.thread == thread);
        let number = mine.map_or(1, |event| event.number + 1);
        let mut led = mine.map_or_else(Past::new, |event| event.past.clone());
        join_last(&mut led, &self.events, thread, |event| event.is_known_to(&before));
        let past = past_of(&self.events, &led, (thread, number), action.as_ref());
        let (epoch, after) = (before.get(thread), before.clone());
        let event =
            Event { thread, number, epoch, before, after, led, past, action, what: What::Other, site: None, time };
        Rc::make_mut(&mut self.events).push(Rc::new(event));
    }

    /// The event that the thread has begun, if it is for this place and nothing is known of it yet.
    fn begun(&self, thread: ThreadId, place: Place) -> Option<usize> {
        let index = self.events.iter().rposition(|event| event.thread == thread)?;
        let event = &self.events[index];
        let is_meant = match event.action {
            Some(Action::Access { range, .. }) => range.object == place.object && range.offset == place.offset,
            _ => false,
        };
        (is_meant && event.what == What::Other).then_some(index)
    }

    fn event_mut(&mut self, index: usize) -> &mut Event {
        Rc::make_mut(&mut Rc::make_mut(&mut self.events)[index])
    }

    /// Writes to a place, the first first; what was there before is not among them.
    fn order_of_writes(&self, place: Place) -> impl Iterator<Item = usize> {
        (0..self.events.len()).filter(move |&index| self.events[index].writes(place))
    }

    fn last_write(&self, place: Place) -> Write {
        self.events.iter().rposition(|event| event.writes(place))
    }

    /// What a place holds, as far as that was written here; else what it held before.
    fn held(&self, place: Place) -> Option<Value> {
        match self.last_write(place) {
            Some(last) => self.events[last].atomic().and_then(|atomic| atomic.writes),
            None => self.initial.get(&place).copied(),
        }
    }

    /// Whether some atomic access is of a part of these bytes.
    fn is_mixed(&self, atomic: &Atomic) -> bool {
        let overlaps = |other: &Atomic| {
            other.place.object == atomic.place.object
                && other.place.offset < atomic.place.offset + atomic.size
                && atomic.place.offset < other.place.offset + other.size
        };
        let differs = |other: &Atomic| other.place != atomic.place || other.size != atomic.size;
        self.events.iter().filter_map(|event| event.atomic()).any(|other| overlaps(other) && differs(other))
    }

    /// How the last event, of which nothing is known yet, may come out otherwise than any interleaving shows.
    fn unordered(&self, asked: &Asked) -> Option<Unordered> {
        let atomic = &asked.atomic;
        let (event, others) = self.events.split_last()?;
        let place = atomic.place;
        let all: SmallVec<[Write; 16]> = std::iter::once(None).chain(self.order_of_writes(place).map(Some)).collect();
        let is_led_to =
            |write: &Write| write.is_some_and(|index| count(&event.led, others[index].thread) >= others[index].number);
        // The last write that comes before by what the thread did: to miss it closes a cycle.
        let cycle = all.iter().rposition(is_led_to)?;
        let known = |other: &Event| other.thread == event.thread || other.is_known_to(&event.before);
        // No older one is left where that one is the first.
        if cycle == 0 {
            return None;
        }
        // No earlier one than what happens before it has written or read.
        let mut least = 0;
        for (index, other) in others.iter().enumerate().filter(|(_, other)| other.is_of(place) && known(other)) {
            let seen = match &other.what {
                What::Atomic { atomic, .. } if atomic.writes.is_some() => Some(index),
                What::Atomic { source, .. } => *source,
                _ => None,
            };
            let at = all.iter().position(|write| *write == seen).unwrap_or(0);
            least = least.max(at);
        }
        let mut seen = Vec::new();
        for at in least..cycle {
            let value = match all[at] {
                Some(index) => others[index].atomic().and_then(|atomic| atomic.writes),
                None => self.initial.get(&place).copied(),
            };
            let next = all[at + 1].and_then(|index| others[index].atomic());
            // An update reads what it stands behind: nothing comes between.
            let is_update = next.is_some_and(|next| next.reads);
            for outcome in (asked.outcomes)(value) {
                if outcome != Outcome::Reads && is_update {
                    continue;
                }
                let is_seq_cst = if outcome == Outcome::Reads { asked.reads_seq_cst } else { atomic.is_seq_cst };
                let atomic = Atomic { is_seq_cst, ..*atomic };
                let candidate = psc::Candidate { events: &self.events, atomic, outcome, all: &all, at };
                if candidate.is_allowed() {
                    seen.push(value);
                }
            }
        }
        let missed = all[cycle].filter(|_| !seen.is_empty())?;
        Some(Unordered { seen, missed: others[missed].site, circle: self.circle(missed) })
    }
}

/// What an atomic operation does, asked before it is known what it reads.
pub(crate) struct Asked<'a> {
    pub atomic: Atomic,
    /// Whether it is `seq_cst` if all that it does is to read.
    pub reads_seq_cst: bool,
    /// What the place held.
    pub held: Option<Value>,
    /// What it does where it reads a value, or comes behind it.
    pub outcomes: &'a dyn Fn(Option<Value>) -> SmallVec<[Outcome; 2]>,
}

/// What there is to say of an atomic operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    Nothing,
    /// Other accesses are of other parts of the same bytes.
    Mixed,
    /// The place holds what no atomic operation of these threads has written.
    Unseen,
    Unordered(Unordered),
}

impl State {
    /// A thread is about to carry out a visible action.
    pub(crate) fn begin_event(&mut self, thread: ThreadId, action: Action) {
        let time = self.time;
        self.graph.begin(&self.order, thread, Some(action), time);
    }

    /// A thread comes to a fence.
    pub(crate) fn begin_fence(&mut self, thread: ThreadId, site: Site, is_seq_cst: bool) {
        let time = self.time;
        self.graph.begin(&self.order, thread, None, time);
        if let Some(event) = Rc::make_mut(&mut self.graph.events).last_mut() {
            let event = Rc::make_mut(event);
            (event.what, event.site) = (What::Fence { is_seq_cst }, Some(site));
        }
    }

    /// It has passed it.
    pub(crate) fn end_fence(&mut self, thread: ThreadId) {
        let after = self.order.clock(thread).clone();
        if let Some(event) = Rc::make_mut(&mut self.graph.events).last_mut() {
            Rc::make_mut(event).after = after;
        }
    }

    /// A thread is about to carry out an atomic operation: what may come of it that no interleaving shows.
    pub(crate) fn ask_of_atomic(&mut self, thread: ThreadId, site: Site, asked: &Asked) -> Said {
        let (place, time) = (asked.atomic.place, self.time);
        if self.graph.begun(thread, place).is_none() {
            let range = concurrency::Range { object: place.object, offset: place.offset, size: asked.atomic.size };
            let action = Action::Access { range, write: asked.atomic.writes.is_some(), also: None, expects: None };
            self.graph.begin(&self.order, thread, Some(action), time);
        }
        if let Some(begun) = self.graph.begun(thread, place) {
            self.graph.event_mut(begun).site = Some(site);
        }
        if let Some(held) = asked.held
            && !self.graph.events.iter().any(|event| event.is_of(place))
        {
            Rc::make_mut(&mut self.graph.initial).insert(place, held);
        }
        if self.graph.is_mixed(&asked.atomic) {
            return Said::Mixed;
        }
        let known = self.graph.held(place);
        let is_as_known = match (known, asked.held) {
            (Some(known), Some(held)) => {
                let numbers = self.memory.number(known).zip(self.memory.number(held));
                known == held || numbers.is_some_and(|(known, held)| known == held)
            }
            _ => false,
        };
        if !is_as_known {
            return Said::Unseen;
        }
        self.graph.unordered(asked).map_or(Said::Nothing, Said::Unordered)
    }

    /// The operation has been carried out, in this way.
    pub(crate) fn note_atomic(&mut self, thread: ThreadId, atomic: Atomic) {
        let Some(begun) = self.graph.begun(thread, atomic.place) else {
            return;
        };
        let source = self.graph.last_write(atomic.place);
        let after = self.order.clock(thread).clone();
        let event = self.graph.event_mut(begun);
        (event.what, event.after) = (What::Atomic { atomic, source }, after);
        let was_write = match &mut event.action {
            // An exchange that fails is a load.
            Some(Action::Access { write, .. }) => std::mem::replace(write, atomic.writes.is_some()),
            _ => return,
        };
        if was_write != atomic.writes.is_some() {
            let event = &self.graph.events[begun];
            let past = past_of(&self.graph.events, &event.led, (thread, event.number), event.action.as_ref());
            self.graph.event_mut(begun).past = past;
        }
    }

    /// Whether rounds that come back to what was at a time may be left out: nothing was written in them at all; or nothing that was not there
    /// before, with nothing to be acquired from it, and no fences.
    pub fn rounds_are_silent(&self, since: u64) -> bool {
        let events = &self.graph.events;
        let only_looks = |event: &Rc<Event>| match &event.what {
            What::Atomic { atomic, .. } => atomic.writes.is_none(),
            What::Fence { .. } => true,
            What::Other => false,
        };
        if events.iter().filter(|event| event.time >= since).all(only_looks) {
            return true;
        }
        events.iter().enumerate().filter(|(_, event)| event.time >= since).all(|(index, event)| match &event.what {
            What::Atomic { atomic, .. } => atomic.writes.is_none_or(|value| {
                let before = events[..index].iter().rev().find(|other| other.writes(atomic.place));
                let held = match before {
                    Some(other) => other.atomic().and_then(|other| other.writes),
                    None => self.graph.initial.get(&atomic.place).copied(),
                };
                !atomic.is_seq_cst && atomic.reads && !event.releases() && held == Some(value)
            }),
            What::Other | What::Fence { .. } => false,
        })
    }
}

impl Event {
    /// Whether others may acquire what its thread did: its time goes on then.
    fn releases(&self) -> bool {
        self.after.get(self.thread) != self.epoch
    }
}

impl State {
    /// All that was written to a place, and what it holds.
    pub(crate) fn values_written(&self, place: Place, held: Option<Value>) -> Vec<Value> {
        let events = self.graph.events.iter().filter_map(|event| event.atomic());
        let written = events.filter(|atomic| atomic.place == place).filter_map(|atomic| atomic.writes);
        written.chain(self.graph.initial.get(&place).copied()).chain(held).collect()
    }
}
