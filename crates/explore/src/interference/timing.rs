//! Temporal constraints of a scenario (Con2colic, section 6 and Figure 5): the orders of its events in which each read takes its value
//! from where the scenario says, and locks, creations and ends of threads are respected.

use super::barriers::{Meeting, Meetings, meetings};
use super::forest::{Forest, Label, NodeId};
use super::local::local;
use super::looks;
use super::once;
use super::order::{Before, Clause, Event, Order, Together};
use super::scenario::Expanded;
use super::sections::{self, Section};
use super::tokens;
use crate::trace::canon::Who;
use concurrency::{Action, Place, Range, Relock, SyncOp};
use machine::Outcome;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Why a constraint is there, where a larger scenario may be without it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Reason {
    /// A read takes its value from its own thread or from the beginning (`WRC_local`).
    Local(NodeId, u32),
    /// A thread keeps a lock: it has not been followed to where it gives it back (`LC_2`).
    Keeps(Who, Place),
    /// A wait of a semaphore has nothing to take that is there in any case.
    Token(NodeId),
    /// A signal wakes nobody, though somebody waits that it does not wake.
    Wakes(NodeId),
    /// The thread has not been followed from this write to where it writes the same once more.
    Once(NodeId),
    /// What is seen of a semaphore is not what it comes to with what is before it, or something else comes before it.
    Look(NodeId),
    /// A thread has not been followed to where an atomic section is over.
    Within(Who),
}

/// What objects are before there are several threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objects<'a> {
    /// What semaphores count.
    pub tokens: &'a FxHashMap<Place, u32>,
    /// For how many threads barriers are.
    pub barriers: &'a FxHashMap<Place, u32>,
    pub relocks: &'a FxHashMap<Place, Relock>,
    /// Of functions that are called once, whether they were.
    pub called: &'a FxHashMap<Place, bool>,
}

/// What temporal constraints come to.
pub(super) enum Timing {
    /// In this order: the threads, each for one of its visible actions.
    Feasible(Vec<Who>),
    /// There is none, for these reasons among others that stay whatever is added.
    Conflict(Vec<Reason>),
}

/// A constraint, and the reasons without which it would not be there.
struct Constraint {
    clause: Clause,
    reasons: SmallVec<[Reason; 2]>,
}

/// A write or read of bytes.
struct Access {
    event: Event,
    range: Range,
}

/// A time for which a thread has a lock.
struct Held {
    who: Who,
    place: Place,
    shared: bool,
    begin: Event,
    end: Option<Event>,
}

/// A signal, or a broadcast.
struct Told {
    node: NodeId,
    condition: Place,
    event: Event,
    all: bool,
}

/// Who is woken by one; or gives up, which is its own doing.
struct Woken {
    condition: Place,
    waits: Event,
    event: Event,
    by: Event,
}

/// What there is of conditions in a scenario.
struct Signals {
    told: Vec<Told>,
    woken: Vec<Woken>,
    /// Who waits, and is not woken: for which condition, and since when.
    idle: Vec<(Place, Event)>,
}

impl Signals {
    fn new(events: &Events, forest: &Forest, expanded: &Expanded) -> Self {
        let mut all = Signals { told: Vec::new(), woken: Vec::new(), idle: Vec::new() };
        for (who, path) in expanded.paths.iter().enumerate() {
            let mut waits: Option<(Place, Event)> = None;
            for (at, &node) in path.nodes.iter().enumerate() {
                let (Some(action), Some(event)) = (action_of(forest, node), events.at((who, at))) else { continue };
                match *action {
                    Action::Wait { condition, .. } => waits = Some((condition, event)),
                    Action::Wake { condition, .. } => {
                        let by = expanded.scenario.source(node, 0).and_then(|by| events.at(expanded.place(forest, by)));
                        if let (Some(by), Some((_, waits))) = (by, waits) {
                            all.woken.push(Woken { condition, waits, event, by });
                        }
                        waits = None;
                    }
                    // Nobody has woken it until then.
                    Action::GiveUp { .. } => {
                        let gives_up = waits.take();
                        all.woken.extend(gives_up.map(|(condition, waits)| Woken {
                            condition,
                            waits,
                            event,
                            by: event,
                        }));
                    }
                    Action::Sync { op: op @ (SyncOp::Signal | SyncOp::Broadcast), place: condition } => {
                        all.told.push(Told { node, condition, event, all: op == SyncOp::Broadcast });
                    }
                    _ => {}
                }
            }
            all.idle.extend(waits);
        }
        all
    }
}

/// `any_of_equal`: a read that takes its value from a write may as well take it from one of those
/// behind it in a row that write the same ([`Forest::written_before`]).
pub(super) fn timing(forest: &Forest, expanded: &Expanded, objects: Objects, any_of_equal: bool) -> Timing {
    let Objects { tokens: first, barriers: counts, called, relocks } = objects;
    let Some(meetings) = meetings(forest, expanded, counts) else { return Timing::Conflict(Vec::new()) };
    if !once::are_called_once(forest, expanded, called) {
        return Timing::Conflict(Vec::new());
    }
    if let Err(waits) = tokens::assign(forest, expanded, first) {
        return Timing::Conflict(waits.into_iter().map(Reason::Token).collect());
    }
    let looks = match looks::behind(forest, expanded, first) {
        Ok(looks) => looks,
        Err(look) => return Timing::Conflict(vec![Reason::Look(look)]),
    };
    let events = Events::new(forest, expanded);
    let mut order = Order::new(events.count);
    let edges = events.edges(forest, expanded);
    if !edges.into_iter().all(|edge| order.add(edge)) {
        return Timing::Conflict(Vec::new());
    }
    let mut constraints = Vec::new();
    events.reads(forest, expanded, any_of_equal, &mut constraints);
    let Some(sections) = events.sections(forest, expanded, relocks) else { return Timing::Conflict(Vec::new()) };
    events.locks(&sections, (forest, expanded), &mut constraints);
    events.barriers(&meetings, counts, (forest, expanded), &mut constraints);
    events.looks(&looks, (forest, expanded), &mut constraints);
    events.sections_alone(forest, expanded, &mut constraints);
    if !events.signals(forest, expanded, &mut constraints) {
        return Timing::Conflict(Vec::new());
    }
    let mut left: Vec<Reason> = constraints.iter().flat_map(|constraint| constraint.reasons.iter().copied()).collect();
    left.sort_unstable();
    left.dedup();
    let solve = |left: &[Reason]| {
        let of = |constraint: &&Constraint| constraint.reasons.iter().all(|reason| left.contains(reason));
        let clauses: Vec<Clause> = constraints.iter().filter(of).map(|constraint| constraint.clause.clone()).collect();
        order.clone().with(&clauses)
    };
    match solve(&left) {
        Some(order) => Timing::Feasible(events.row(&order)),
        None => {
            let mut at = 0;
            while at < left.len() {
                let reason = left.remove(at);
                if solve(&left).is_some() {
                    left.insert(at, reason);
                    at += 1;
                }
            }
            Timing::Conflict(left)
        }
    }
}

/// The visible actions of a scenario, numbered.
struct Events {
    count: usize,
    /// By thread and node: the last action up to there.
    last: Vec<Vec<Option<Event>>>,
    /// By event, its thread.
    whose: Vec<Who>,
}

impl Events {
    fn new(forest: &Forest, expanded: &Expanded) -> Self {
        let mut whose = Vec::new();
        let mut last = Vec::new();
        for (who, path) in expanded.paths.iter().enumerate() {
            let mut now = None;
            let events = path.nodes.iter().map(|&node| {
                if action_of(forest, node).is_some() {
                    now = Some(whose.len());
                    whose.push(who);
                }
                now
            });
            last.push(events.collect());
        }
        Events { count: whose.len(), last, whose }
    }

    /// The last action up to a node.
    fn at(&self, (who, at): (Who, usize)) -> Option<Event> {
        self.last[who][at]
    }

    /// What is in order in any case: by program order, creation, and what takes what it needs from where.
    fn edges(&self, forest: &Forest, expanded: &Expanded) -> Vec<Before> {
        let mut edges: Vec<Before> =
            self.whose.windows(2).enumerate().filter(|(_, pair)| pair[0] == pair[1]).map(|(a, _)| (a, a + 1)).collect();
        for (who, created) in expanded.created.iter().enumerate() {
            let first = self.whose.iter().position(|&other| other == who);
            if let (Some(by), Some(first)) = (created.and_then(|by| self.at(by)), first) {
                edges.push((by, first));
            }
        }
        // What is about to be done comes last: what it writes is not told.
        let sink = expanded.scenario.sink;
        if let (Label::Pending { .. }, Some(last)) = (forest.label(sink), self.at(expanded.place(forest, sink))) {
            let ends = self.last.iter().filter_map(|nodes| nodes.last().copied().flatten());
            edges.extend(ends.filter(|&end| end != last).map(|end| (end, last)));
        }
        for edge in &expanded.scenario.edges {
            let (source, reader) = (expanded.place(forest, edge.source), expanded.place(forest, edge.reader));
            if let (Some(source), Some(reader)) = (self.at(source), self.at(reader)) {
                edges.push((source, reader));
                // Who is told to wake up waits by then.
                if matches!(action_of(forest, edge.reader), Some(Action::Wake { .. })) && reader > 0 {
                    edges.push((reader - 1, source));
                }
            }
        }
        edges
    }

    fn writes(&self, forest: &Forest, expanded: &Expanded) -> Vec<Access> {
        let mut all = Vec::new();
        for (who, path) in expanded.paths.iter().enumerate() {
            for (at, &node) in path.nodes.iter().enumerate() {
                if let (Label::Wrote(writes), Some(event)) = (forest.label(node), self.at((who, at))) {
                    all.extend(writes.iter().map(|&(range, _)| Access { event, range }));
                }
            }
        }
        all
    }

    /// `WRC_interfere` and `WRC_local`: no write comes between a read and where its value is from.
    fn reads(&self, forest: &Forest, expanded: &Expanded, any_of_equal: bool, constraints: &mut Vec<Constraint>) {
        let writes = self.writes(forest, expanded);
        for (who, path) in expanded.paths.iter().enumerate() {
            for (at, &node) in path.nodes.iter().enumerate() {
                let Some(event) = self.at((who, at)) else { continue };
                for (cell, range) in (0..).zip(forest.reads(node)) {
                    let others = writes.iter().filter(|write| write.event != event && write.range.overlaps(&range));
                    match expanded.scenario.source(node, cell) {
                        Some(source) => {
                            let (equal, last) = self.equal(forest, expanded, source, any_of_equal);
                            let reasons: SmallVec<[Reason; 2]> =
                                any_of_equal.then_some(Reason::Once(last)).into_iter().collect();
                            for write in others.filter(|write| !equal.contains(&write.event)) {
                                let clause = between(write.event, &equal, event);
                                constraints.push(Constraint { clause, reasons: reasons.clone() });
                            }
                        }
                        None => {
                            let reason = Reason::Local(node, cell);
                            let pieces = local(forest, expanded, (who, at), range);
                            let sources: Vec<(Range, Option<Event>)> = pieces
                                .iter()
                                .map(|piece| (piece.range, piece.from.and_then(|from| self.at((from.who, from.at)))))
                                .collect();
                            for write in others {
                                for (_, source) in sources.iter().filter(|(range, _)| range.overlaps(&write.range)) {
                                    if *source == Some(write.event) {
                                        continue;
                                    }
                                    let either = source.map(|source| (write.event, source));
                                    let clause = Clause::of([either, Some((event, write.event))]);
                                    constraints.push(Constraint { clause, reasons: [reason].into_iter().collect() });
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// A write, and those behind it in a row that write the same, if any of them will do; and the last of them.
    fn equal(
        &self,
        forest: &Forest,
        expanded: &Expanded,
        source: NodeId,
        any_of_equal: bool,
    ) -> (SmallVec<[Event; 4]>, NodeId) {
        let (who, at) = expanded.place(forest, source);
        let mut equal: SmallVec<[Event; 4]> = self.at((who, at)).into_iter().collect();
        let mut last = source;
        if any_of_equal {
            for (at, &node) in expanded.paths[who].nodes.iter().enumerate().skip(at + 1) {
                if forest.written_before(node) == Some(last) {
                    equal.extend(self.at((who, at)));
                    last = node;
                }
            }
        }
        (equal, last)
    }

    /// `LC_1` and `LC_2`: of two critical sections of a lock one is over before the other begins. (The second disjunct of `LC_1` as printed,
    /// which orders the end of a section before its own beginning, is read as: the other one's end before this one's beginning.)
    fn locks(&self, sections: &[Held], (forest, expanded): (&Forest, &Expanded), constraints: &mut Vec<Constraint>) {
        let sink = forest.who(expanded.scenario.sink);
        for (index, a) in sections.iter().enumerate() {
            for b in &sections[index + 1..] {
                if a.who == b.who || a.place != b.place || a.shared && b.shared {
                    continue;
                }
                let before = |one: &Held, other: &Held| one.end.map(|end| (end, other.begin));
                let clause = Clause::of([before(a, b), before(b, a)]);
                let keeps = |section: &Held| section.end.is_none() && section.who != sink;
                let reasons = [a, b].into_iter().filter(|section| keeps(section));
                let reasons = reasons.map(|section| Reason::Keeps(section.who, section.place)).collect();
                constraints.push(Constraint { clause, reasons });
            }
        }
        // A lock that is tried and not had is another thread's at that time.
        for edge in &expanded.scenario.edges {
            let holds = action_of(forest, edge.source).and_then(|action| acquired(action).map(|(place, _)| place));
            let (Some(place), Some(reader)) = (holds, self.at(expanded.place(forest, edge.reader))) else { continue };
            let Some(taken) = self.at(expanded.place(forest, edge.source)) else { continue };
            let holds = |section: &&Held| {
                section.who == forest.who(edge.source)
                    && section.place == place
                    && section.begin <= taken
                    && section.end.is_none_or(|end| taken < end)
            };
            let of = sections.iter().find(holds);
            if let Some(end) = of.and_then(|section| section.end) {
                let clause = Clause::of([Some((reader, end))]);
                constraints.push(Constraint { clause, reasons: SmallVec::new() });
            }
        }
        // And one that is had, or not even tried to be had in vain, is nobody's: sections say the first.
    }

    /// Whom signals wake: each one of those that wait then, if there are any, a broadcast all. False if one is to wake two.
    fn signals(&self, forest: &Forest, expanded: &Expanded, constraints: &mut Vec<Constraint>) -> bool {
        let all = Signals::new(self, forest, expanded);
        for woken in &all.woken {
            let twice = |other: &&Woken| other.by == woken.by && other.event != woken.event;
            let by = all.told.iter().find(|told| told.event == woken.by);
            if by.is_some_and(|by| !by.all) && all.woken.iter().any(|other| twice(&other)) {
                return false;
            }
            let others = all.told.iter().filter(|told| told.condition == woken.condition && told.event != woken.by);
            for told in others {
                // It wakes another one.
                if !told.all && all.woken.iter().any(|other| other.by == told.event) {
                    continue;
                }
                let idle = all.idle.iter().filter(|idle| !told.all && idle.0 == told.condition);
                let edges = [(told.event, woken.waits), (woken.by, told.event)];
                let clause = Clause::of(edges.into_iter().chain(idle.map(|&(_, waits)| (waits, told.event))).map(Some));
                let reasons = (!told.all).then_some(Reason::Wakes(told.node)).into_iter().collect();
                constraints.push(Constraint { clause, reasons });
            }
        }
        true
    }

    /// Who meets whom arrives in a row: all who meet others at that barrier before or behind them, and who meets nobody behind, as long as
    /// those are too few to let each other through.
    fn barriers(
        &self,
        meetings: &Meetings,
        counts: &FxHashMap<Place, u32>,
        (forest, expanded): (&Forest, &Expanded),
        constraints: &mut Vec<Constraint>,
    ) {
        let event = |&node: &NodeId| self.at(expanded.place(forest, node));
        let arrivals = |meeting: &Meeting| meeting.arrivals.iter().filter_map(event).collect::<Vec<Event>>();
        let before = |some: &[Event], others: &[Event]| -> Together {
            some.iter().flat_map(|&a| others.iter().map(move |&b| (a, b))).collect()
        };
        for (index, one) in meetings.all.iter().enumerate() {
            let (barrier, here) = (one.barrier, arrivals(one));
            for other in meetings.all[index + 1..].iter().filter(|other| other.barrier == barrier) {
                let others = arrivals(other);
                let clause = Clause([before(&here, &others), before(&others, &here)].into_iter().collect());
                constraints.push(Constraint { clause, reasons: SmallVec::new() });
            }
            let open: Vec<Event> = meetings
                .open
                .iter()
                .filter(|(place, _)| *place == barrier)
                .filter_map(|(_, node)| event(node))
                .collect();
            if counts.get(&barrier).is_some_and(|&count| open.len() < count as usize) {
                let clause = Clause(std::iter::once(before(&here, &open)).collect());
                constraints.push(Constraint { clause, reasons: SmallVec::new() });
            }
        }
    }

    /// What a look does not count comes behind it.
    fn looks(
        &self,
        looks: &[(NodeId, Vec<NodeId>)],
        (forest, expanded): (&Forest, &Expanded),
        constraints: &mut Vec<Constraint>,
    ) {
        let event = |node: NodeId| self.at(expanded.place(forest, node));
        for (look, behind) in looks {
            for &change in behind.iter().filter(|&&change| forest.who(change) != forest.who(*look)) {
                let clause = Clause::of([event(*look).zip(event(change))]);
                constraints.push(Constraint { clause, reasons: std::iter::once(Reason::Look(*look)).collect() });
            }
        }
    }

    /// What other threads do comes before an atomic section or behind it.
    fn sections_alone(&self, forest: &Forest, expanded: &Expanded, constraints: &mut Vec<Constraint>) {
        let sink = forest.who(expanded.scenario.sink);
        for Section { who, begin, end } in sections::sections(forest, expanded, |place| self.at(place)) {
            if end == Some(begin) {
                continue;
            }
            let reasons: SmallVec<[Reason; 2]> =
                (end.is_none() && who != sink).then_some(Reason::Within(who)).into_iter().collect();
            for other in (0..self.count).filter(|&event| self.whose[event] != who) {
                let clause = Clause::of([Some((other, begin)), end.map(|end| (end, other))]);
                constraints.push(Constraint { clause, reasons: reasons.clone() });
            }
        }
    }

    /// None where a thread would wait for itself.
    fn sections(&self, forest: &Forest, expanded: &Expanded, relocks: &FxHashMap<Place, Relock>) -> Option<Vec<Held>> {
        let mut all: Vec<Held> = Vec::new();
        for (who, path) in expanded.paths.iter().enumerate() {
            // Of sections that are not over, how often their lock was taken.
            let mut open: Vec<(usize, u32)> = Vec::new();
            for (at, &node) in path.nodes.iter().enumerate() {
                let (Some(action), Some(event)) = (taking(forest, expanded, node), self.at((who, at))) else {
                    continue;
                };
                if let Some(place) = released(action)
                    && let Some(known) = open.iter().position(|&(section, _)| all[section].place == place)
                {
                    let fully = matches!(action, Action::Wait { .. });
                    open[known].1 -= 1;
                    if open[known].1 == 0 || fully {
                        all[open.remove(known).0].end = Some(event);
                    }
                }
                if let Some((place, shared)) = acquired(action) {
                    match open.iter_mut().find(|(section, _)| all[*section].place == place) {
                        Some((section, count)) => match relocks.get(&place) {
                            _ if shared && all[*section].shared => *count += 1,
                            Some(Relock::Nests) | None => *count += 1,
                            Some(Relock::Fails) => {}
                            // Who only tries does not wait.
                            Some(Relock::Waits) if is_tried(action) => {}
                            Some(Relock::Waits) => return None,
                        },
                        None => {
                            open.push((all.len(), 1));
                            all.push(Held { who, place, shared, begin: event, end: None });
                        }
                    }
                }
            }
        }
        Some(all)
    }

    /// The threads in the order of their actions, each as long as possible before another goes on.
    fn row(&self, order: &Order) -> Vec<Who> {
        let whose = |event: Event| self.whose[event];
        let prefers = |last: Option<Event>, a: Event, b: Event| {
            let stays = |event: Event| last.is_some_and(|last| whose(last) == whose(event));
            (!stays(a), a) < (!stays(b), b)
        };
        order.row(self.count, prefers).into_iter().map(whose).collect()
    }
}

/// That a write does not come between a read and the last one before it of those that write the same: it is behind the read, or before one
/// of them that is before the read. The first of them is in any case.
fn between(write: Event, equal: &[Event], read: Event) -> Clause {
    let mut alternatives = Clause::of([Some((read, write))]);
    for (at, &source) in equal.iter().enumerate() {
        let edges = [Some((write, source)), (at > 0).then_some((source, read))];
        alternatives.0.push(edges.into_iter().flatten().collect());
    }
    alternatives
}

/// The action at a node, done or to be done.
pub(super) fn action_of(forest: &Forest, node: NodeId) -> Option<&Action> {
    match forest.label(node) {
        Label::Act { action, .. } | Label::Pending { action, .. } => Some(action),
        _ => None,
    }
}

/// The action at a node, if it gets what it asks for: what is to be done and may fail does so where it is to read that from who has it.
fn taking<'f>(forest: &'f Forest, expanded: &Expanded, node: NodeId) -> Option<&'f Action> {
    match forest.label(node) {
        Label::Act { outcome: Outcome::Misses, .. } => None,
        Label::Act { action, .. } => Some(action),
        Label::Pending { action: action @ Action::Sync { .. }, .. } => {
            expanded.scenario.source(node, 0).is_none().then_some(action)
        }
        Label::Pending { action, .. } => Some(action),
        _ => None,
    }
}

fn is_tried(action: &Action) -> bool {
    matches!(action, Action::Sync { op, .. } if op.waiting().is_some())
}

/// The lock that an action takes, and whether with others.
pub(super) fn acquired(action: &Action) -> Option<(Place, bool)> {
    match *action {
        Action::Sync { op, place } => match op {
            SyncOp::Lock | SyncOp::TryLock | SyncOp::TimedLock => Some((place, false)),
            SyncOp::WriteLock | SyncOp::TryWriteLock | SyncOp::TimedWriteLock => Some((place, false)),
            SyncOp::ReadLock | SyncOp::TryReadLock | SyncOp::TimedReadLock => Some((place, true)),
            _ => None,
        },
        Action::Wake { mutex, .. } => Some((mutex, false)),
        _ => None,
    }
}

/// The lock that an action gives back.
pub(super) fn released(action: &Action) -> Option<Place> {
    match *action {
        Action::Sync { op: SyncOp::Unlock | SyncOp::ReadUnlock | SyncOp::WriteUnlock, place } => Some(place),
        Action::Wait { mutex, .. } => Some(mutex),
        _ => None,
    }
}
