//! RC11 by its definitions, on small programs of atomics: whether a program has executions that no interleaving shows.
//!
//! After Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing Sequential Consistency in C/C++11 (PLDI 2017), figure 3; an update is one event here.
//! Every consistent graph is built event by event, in all orders that program order and reads-from allow, with every choice of the write that is read
//! and of the place among the writes. Shares no code with the machine.

use std::collections::{BTreeSet, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "memory_order_relaxed",
            Order::Acquire => "memory_order_acquire",
            Order::Release => "memory_order_release",
            Order::AcqRel => "memory_order_acq_rel",
            Order::SeqCst => "memory_order_seq_cst",
        }
    }

    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Load {
        to: usize,
        place: usize,
        order: Order,
    },
    Store {
        place: usize,
        value: i32,
        order: Order,
    },
    Exchange {
        to: usize,
        place: usize,
        value: i32,
        order: Order,
    },
    Add {
        to: usize,
        place: usize,
        value: i32,
        order: Order,
    },
    /// The register says whether it succeeded.
    Compare {
        to: usize,
        place: usize,
        expected: i32,
        value: i32,
        success: Order,
        failure: Order,
    },
    Fence(Order),
    /// Looks until the place holds this.
    Await {
        place: usize,
        value: i32,
        order: Order,
    },
    /// Exchanges the place for 1 until it did not hold that: how spin locks are taken.
    Take {
        place: usize,
        order: Order,
    },
    /// The one mutex.
    Lock,
    Unlock,
    /// Of the one place that is not atomic.
    Peek {
        to: usize,
    },
    Poke {
        value: i32,
    },
    /// Makes a node of the heap, with a number in it that is not atomic.
    Make {
        node: usize,
        value: i32,
    },
    /// Stores where it is in the one place for pointers.
    Hand {
        node: usize,
        order: Order,
    },
    /// Loads from there.
    LookUp {
        order: Order,
    },
    /// Reads or writes the number in the node that was found, if one was.
    Follow {
        to: usize,
    },
    Change {
        value: i32,
    },
    /// So many of the operations that follow are left out unless the register has this value.
    Unless {
        register: usize,
        value: i32,
        skip: usize,
    },
}

/// What threads do, and how many places there are.
#[derive(Clone, Debug)]
pub struct Program {
    threads: Vec<Vec<Op>>,
    places: usize,
}

const REGISTERS: usize = 2;

/// What is to be said of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Some interleaving shows a data race.
    Racy,
    /// RC11 allows what no interleaving shows.
    Weak,
    /// It does not: the registers of all threads at the ends of all executions.
    Robust(BTreeSet<Vec<i32>>),
}

/// What is done behind an execution that was shown.
enum Then {
    Extend,
    Leave,
    Stop,
}

/// How often one that waits looks in vain, at the most: what it sees more often adds nothing (docs/soundness.md, 11c).
const ROUNDS: usize = 2;

impl Program {
    /// How many nodes threads make.
    fn nodes(&self) -> usize {
        let of = |op: &Op| if let Op::Make { node, .. } = op { node + 1 } else { 0 };
        self.threads.iter().flatten().map(of).max().unwrap_or(0)
    }

    /// The same with stronger orders of operations, and fences before operations, by thread and number.
    pub fn strengthened(&self, orders: &[((usize, usize), Order)], fences: &[((usize, usize), Order)]) -> Program {
        let mut stronger = self.clone();
        for &((thread, at), to) in orders {
            match &mut stronger.threads[thread][at] {
                Op::Load { order, .. }
                | Op::Store { order, .. }
                | Op::Exchange { order, .. }
                | Op::Add { order, .. }
                | Op::Await { order, .. }
                | Op::Take { order, .. }
                | Op::Hand { order, .. }
                | Op::LookUp { order }
                | Op::Fence(order) => *order = to,
                Op::Compare { success, failure, .. } => {
                    *success = to;
                    let read = match to {
                        Order::SeqCst => Order::SeqCst,
                        Order::Acquire | Order::AcqRel => Order::Acquire,
                        Order::Relaxed | Order::Release => Order::Relaxed,
                    };
                    // They are declared from the weakest to the strongest.
                    *failure = (*failure).max(read);
                }
                _ => {}
            }
        }
        for (number, ops) in stronger.threads.iter_mut().enumerate() {
            for at in (0..ops.len()).rev() {
                let Some(&(_, order)) = fences.iter().find(|(place, _)| *place == (number, at)) else { continue };
                // Before each look of one that waits as well, what comes to the same: after the first, nothing is between.
                ops.insert(at, Op::Fence(order));
                for (before, op) in ops[..at].iter_mut().enumerate() {
                    if let Op::Unless { skip, .. } = op
                        && before + *skip >= at
                    {
                        *skip += 1;
                    }
                }
            }
        }
        stronger
    }

    /// What is to be said of it; none where it has more executions than so many, those that are not over among them.
    pub fn verdict(&self, most: usize) -> Option<Verdict> {
        let (mut is_racy, mut is_weak, mut left) = (false, false, most);
        let mut outcomes = BTreeSet::new();
        self.visit(self.start(), &mut HashSet::new(), &mut |graph| {
            left = left.saturating_sub(1);
            if !graph.is_shown() {
                // Who looks again for nothing could leave that out: what comes of it comes without it.
                is_weak |= !graph.looks_in_vain();
                return Then::Leave;
            }
            is_racy |= graph.has_race();
            if self.is_over(graph) {
                outcomes.insert(graph.threads.iter().flat_map(|thread| thread.registers).collect());
            }
            if is_racy || left == 0 { Then::Stop } else { Then::Extend }
        });
        match (is_racy, left, is_weak) {
            (true, ..) => Some(Verdict::Racy),
            (false, 0, _) => None,
            (false, _, true) => Some(Verdict::Weak),
            (false, _, false) => Some(Verdict::Robust(outcomes)),
        }
    }

    fn is_over(&self, graph: &Graph) -> bool {
        graph.threads.iter().zip(&self.threads).all(|(thread, ops)| thread.upcoming(ops) >= ops.len())
    }

    /// Whether every execution that RC11 allows is one that some interleaving shows.
    pub fn is_robust(&self) -> bool {
        let shown = |graph: &Graph| if graph.is_shown() { Then::Extend } else { Then::Stop };
        self.visit(self.start(), &mut HashSet::new(), &mut { shown })
    }

    /// All executions that RC11 allows in which every thread comes to its end.
    ///
    /// They differ in what an operation reads from, in the order of the writes to a place or in the order of sections,
    /// not always in values. GenMC counts the same where it keeps the order of writes and a program has no loops.
    pub fn executions(&self) -> Vec<Execution> {
        let mut all = Vec::new();
        self.visit(self.start(), &mut HashSet::new(), &mut |graph| {
            if self.is_over(graph) {
                all.push(graph.execution());
            }
            Then::Extend
        });
        all
    }

    fn start(&self) -> Graph {
        let threads = self.threads.iter().map(|_| Thread::default()).collect();
        let sections = Vec::new();
        let mut events = Vec::new();
        let mut writes = Vec::new();
        for place in 0..self.places + APART + self.nodes() {
            writes.push(vec![events.len()]);
            events.push(Event { thread: None, place: Some(place), written: Some(0), ..Event::default() });
        }
        Graph { events, writes, threads, sections, atomic: self.places }
    }

    /// Shows each consistent graph once, and those behind it where that is asked for, until `shown` says no. Whether it never did.
    fn visit(&self, graph: Graph, seen: &mut HashSet<Key>, shown: &mut dyn FnMut(&Graph) -> Then) -> bool {
        // Most graphs are reached in many orders; to look for them is less work than to judge them.
        if !seen.insert(graph.key()) || !graph.is_consistent() {
            return true;
        }
        match shown(&graph) {
            Then::Stop => false,
            Then::Leave => true,
            Then::Extend => (0..self.threads.len()).all(|thread| {
                let next = graph.extended(thread, &self.threads[thread]);
                next.into_iter().all(|next| self.visit(next, seen, shown))
            }),
        }
    }
}

/// What can be seen of one execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Of each thread the values that its loads and updates read, in program order.
    pub reads: Vec<Vec<i32>>,
    /// Of each place the last value, in the order of its writes.
    pub last: Vec<i32>,
    /// Whether some interleaving shows it.
    pub is_shown: bool,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    next: usize,
    /// Rounds of what waits.
    rounds: usize,
    registers: [i32; REGISTERS],
    /// The node that was found, from 1; or none.
    found: usize,
}

impl Thread {
    /// The next operation that is an event, or where the operations end.
    fn upcoming(&self, ops: &[Op]) -> usize {
        let mut next = self.next;
        loop {
            next += match ops.get(next) {
                Some(Op::Unless { register, value, .. }) if self.registers[*register] == *value => 1,
                Some(Op::Unless { skip, .. }) => 1 + skip,
                Some(Op::Follow { .. } | Op::Change { .. }) if self.found == 0 => 1,
                _ => return next,
            };
        }
    }
}

#[derive(Clone, Default)]
struct Event {
    thread: Option<usize>,
    place: Option<usize>,
    source: Option<usize>,
    written: Option<i32>,
    order: Option<Order>,
    is_fence: bool,
    /// A look of one who waits, that is not the last.
    in_vain: bool,
}

#[derive(Clone)]
struct Graph {
    events: Vec<Event>,
    /// Of each place its writes, in their order.
    writes: Vec<Vec<usize>>,
    threads: Vec<Thread>,
    /// Who took the mutex and gave it back, in their order.
    sections: Vec<usize>,
    /// How many places are atomic numbers. Behind them come the one that is not, that for pointers, and the numbers of nodes.
    atomic: usize,
}

/// Places that are neither atomic numbers nor in nodes.
const APART: usize = 2;

/// Events by thread and number, with what they read; and the writes to each place.
type Key = (Vec<Vec<Option<Name>>>, Vec<Vec<Name>>, Vec<Name>);
type Name = (usize, usize);

impl Graph {
    fn name(&self, event: usize) -> Name {
        match self.events[event].thread {
            None => (usize::MAX, event),
            thread => (thread.unwrap_or(0), self.events[..event].iter().filter(|other| other.thread == thread).count()),
        }
    }

    fn key(&self) -> Key {
        let of = |thread: usize| {
            let mine = self.events.iter().filter(move |event| event.thread == Some(thread));
            mine.map(|event| event.source.map(|source| self.name(source))).collect()
        };
        let events = (0..self.threads.len()).map(of).collect();
        let names = |all: &Vec<usize>| all.iter().map(|&event| self.name(event)).collect();
        (events, self.writes.iter().map(names).collect(), names(&self.sections))
    }

    /// Every graph with one more event of the thread, consistent or not.
    fn extended(&self, thread: usize, ops: &[Op]) -> Vec<Graph> {
        let mut now = self.clone();
        let state = &mut now.threads[thread];
        state.next = state.upcoming(ops);
        let Some(op) = ops.get(state.next) else { return Vec::new() };
        state.next += 1;
        let mut all = Vec::new();
        match *op {
            Op::Fence(order) => {
                now.events.push(Event { thread: Some(thread), order: Some(order), is_fence: true, ..Event::default() });
                all.push(now);
            }
            Op::Store { place, value, order } => {
                for at in 1..=self.writes[place].len() {
                    all.push(now.with_write(thread, place, (at, value), None, order));
                }
            }
            Op::Load { to, place, order } => {
                for &source in &self.writes[place] {
                    all.push(now.with_read(thread, place, source, order, (to, None)));
                }
            }
            Op::Exchange { to, place, value, order } => {
                now.updates(thread, place, order, &mut all, |old| (to, old, value))
            }
            Op::Add { to, place, value, order } => {
                now.updates(thread, place, order, &mut all, |old| (to, old, old + value))
            }
            Op::Compare { to, place, expected, value, success, failure } => {
                for (at, &source) in self.writes[place].iter().enumerate() {
                    if self.events[source].written == Some(expected) {
                        let mut next = now.with_write(thread, place, (at + 1, value), Some(source), success);
                        next.threads[thread].registers[to] = 1;
                        all.push(next);
                    } else {
                        all.push(now.with_read(thread, place, source, failure, (to, Some(0))));
                    }
                }
            }
            Op::Await { place, value, order } => {
                for &source in &self.writes[place] {
                    let mut next =
                        now.with_read(thread, place, source, order, (0, Some(now.threads[thread].registers[0])));
                    let is_done = self.events[source].written == Some(value);
                    if next.goes_on(thread, is_done) {
                        next.events.last_mut().expect("it has just looked").in_vain = !is_done;
                        all.push(next);
                    }
                }
            }
            Op::Take { place, order } => {
                for (at, &source) in self.writes[place].iter().enumerate() {
                    let mut next = now.with_write(thread, place, (at + 1, 1), Some(source), order);
                    if next.goes_on(thread, self.events[source].written != Some(1)) {
                        all.push(next);
                    }
                }
            }
            Op::Lock if !self.sections.len().is_multiple_of(2) => {}
            Op::Lock | Op::Unlock => {
                now.sections.push(now.events.len());
                now.events.push(Event { thread: Some(thread), ..Event::default() });
                all.push(now);
            }
            Op::Peek { to } => {
                for &source in &self.writes[self.atomic] {
                    all.push(now.with_read(thread, self.atomic, source, None, (to, None)));
                }
            }
            Op::Poke { value } => all.extend(now.written_plainly(thread, self.atomic, value)),
            Op::Make { node, value } => all.extend(now.written_plainly(thread, self.payload(node), value)),
            Op::Hand { node, order } => {
                let place = self.atomic + 1;
                for at in 1..=self.writes[place].len() {
                    all.push(now.with_write(thread, place, (at, node as i32 + 1), None, order));
                }
            }
            Op::LookUp { order } => {
                let kept = Some(now.threads[thread].registers[0]);
                for &source in &self.writes[self.atomic + 1] {
                    let mut next = now.with_read(thread, self.atomic + 1, source, order, (0, kept));
                    next.threads[thread].found = self.events[source].written.unwrap_or(0) as usize;
                    all.push(next);
                }
            }
            Op::Follow { to } => {
                let place = self.payload(now.threads[thread].found - 1);
                for &source in &self.writes[place] {
                    all.push(now.with_read(thread, place, source, None, (to, None)));
                }
            }
            Op::Change { value } => {
                let place = self.payload(now.threads[thread].found - 1);
                all.extend(now.written_plainly(thread, place, value));
            }
            Op::Unless { .. } => {}
        }
        all
    }

    fn payload(&self, node: usize) -> usize {
        self.atomic + APART + node
    }

    fn written_plainly(&self, thread: usize, place: usize, value: i32) -> Vec<Graph> {
        let at = 1..=self.writes[place].len();
        at.map(|at| self.with_write(thread, place, (at, value), None, None)).collect()
    }

    /// A thread that waits has looked: it is done, or looks once more. False if it has looked often enough.
    fn goes_on(&mut self, thread: usize, is_done: bool) -> bool {
        let state = &mut self.threads[thread];
        if is_done {
            state.rounds = 0;
            return true;
        }
        (state.next, state.rounds) = (state.next - 1, state.rounds + 1);
        state.rounds <= ROUNDS
    }

    fn updates(
        &self,
        thread: usize,
        place: usize,
        order: Order,
        all: &mut Vec<Graph>,
        of: impl Fn(i32) -> (usize, i32, i32),
    ) {
        for (at, &source) in self.writes[place].iter().enumerate() {
            let (to, old, new) = of(self.events[source].written.unwrap_or(0));
            let mut next = self.with_write(thread, place, (at + 1, new), Some(source), order);
            next.threads[thread].registers[to] = old;
            all.push(next);
        }
    }

    fn with_write(
        &self,
        thread: usize,
        place: usize,
        (at, value): (usize, i32),
        source: Option<usize>,
        order: impl Into<Option<Order>>,
    ) -> Graph {
        let mut next = self.clone();
        next.writes[place].insert(at, next.events.len());
        next.events.push(Event {
            thread: Some(thread),
            place: Some(place),
            source,
            written: Some(value),
            order: order.into(),
            is_fence: false,
            in_vain: false,
        });
        next
    }

    fn with_read(
        &self,
        thread: usize,
        place: usize,
        source: usize,
        order: impl Into<Option<Order>>,
        (to, value): (usize, Option<i32>),
    ) -> Graph {
        let mut next = self.clone();
        let read = self.events[source].written.unwrap_or(0);
        next.threads[thread].registers[to] = value.unwrap_or(read);
        let event = Event {
            thread: Some(thread),
            place: Some(place),
            source: Some(source),
            order: order.into(),
            ..Event::default()
        };
        next.events.push(event);
        next
    }

    fn relation(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let size = self.events.len();
        Relation((0..size).map(|a| (0..size).map(|b| holds(a, b)).collect()).collect())
    }

    fn sb(&self) -> Relation {
        self.relation(|a, b| match (self.events[a].thread, self.events[b].thread) {
            (None, Some(_)) => true,
            (one, two) => one.is_some() && one == two && a < b,
        })
    }

    fn rf(&self) -> Relation {
        self.relation(|a, b| self.events[b].source == Some(a))
    }

    fn rank(&self, write: usize) -> usize {
        let place = self.events[write].place.unwrap_or(0);
        self.writes[place].iter().position(|&other| other == write).unwrap_or(0)
    }

    fn is_write(&self, event: usize) -> bool {
        self.events[event].written.is_some()
    }

    fn same_place(&self, a: usize, b: usize) -> bool {
        self.events[a].place.is_some() && self.events[a].place == self.events[b].place
    }

    fn mo(&self) -> Relation {
        self.relation(|a, b| {
            self.is_write(a) && self.is_write(b) && self.same_place(a, b) && self.rank(a) < self.rank(b)
        })
    }

    fn fr(&self) -> Relation {
        self.relation(|a, b| match self.events[a].source {
            Some(source) => a != b && self.is_write(b) && self.same_place(a, b) && self.rank(source) < self.rank(b),
            None => false,
        })
    }

    /// The order of sections.
    fn taken(&self) -> Relation {
        let at = |event: usize| self.sections.iter().position(|&other| other == event);
        self.relation(|a, b| at(a).zip(at(b)).is_some_and(|(a, b)| a < b))
    }

    fn execution(&self) -> Execution {
        let value = |write: usize| self.events[write].written.unwrap_or(0);
        let of = |thread: usize| {
            let mine = self.events.iter().filter(move |event| event.thread == Some(thread));
            mine.filter_map(|event| event.source.map(value)).collect()
        };
        let last = self.writes.iter().filter_map(|writes| writes.last());
        Execution {
            reads: (0..self.threads.len()).map(of).collect(),
            last: last.map(|&write| value(write)).collect(),
            is_shown: self.is_shown(),
        }
    }

    /// Whether some interleaving shows it.
    fn is_shown(&self) -> bool {
        self.sb().or(&self.rf()).or(&self.mo()).or(&self.fr()).or(&self.taken()).is_acyclic()
    }

    /// Whether the last event is a look of one who waits and goes on waiting.
    fn looks_in_vain(&self) -> bool {
        self.events.last().is_some_and(|event| event.in_vain)
    }

    /// What happens before what.
    fn hb(&self, sb: &Relation, rf: &Relation) -> Relation {
        let only = |holds: &dyn Fn(usize) -> bool| self.relation(|a, b| a == b && holds(a));
        let all = only(&|_| true);
        let writes = only(&|a| self.is_write(a));
        let fences = only(&|a| self.events[a].is_fence);
        let reads = only(&|a| self.events[a].source.is_some());
        // What is not atomic synchronises with nothing.
        let atomic = only(&|a| self.events[a].order.is_some());
        let releasing = only(&|a| self.events[a].order.is_some_and(Order::releases));
        let acquiring = only(&|a| self.events[a].order.is_some_and(Order::acquires));
        let updates = only(&|a| self.events[a].source.is_some() && self.is_write(a));
        let here = self.relation(|a, b| sb.0[a][b] && self.continues(a, b));
        let through = rf.then(&updates).closure().or(&all);
        let sequence = writes.then(&here.or(&all)).then(&writes).then(&atomic).then(&through);
        let before = fences.then(sb).or(&all);
        let behind = sb.then(&fences).or(&all);
        let read = rf.then(&reads).then(&atomic);
        let sw = releasing.then(&before).then(&sequence).then(&read).then(&behind).then(&acquiring);
        sb.or(&sw).or(&self.taken()).closure()
    }

    /// Whether a write belongs to the release sequence of an earlier one of its thread: what comes between in the order of writes is the same
    /// thread's, or an update (C11 5.1.2.4p10; RC11 lets any write come between).
    fn continues(&self, head: usize, later: usize) -> bool {
        let thread = self.events[head].thread;
        let belongs = |&write: &usize| {
            self.events[write].thread == thread || self.events[write].source.is_some() && self.is_write(write)
        };
        let (from, to) = (self.rank(head), self.rank(later));
        let are_writes = self.is_write(head) && self.is_write(later) && self.same_place(head, later);
        let between = |place: usize| self.writes[place].get(from + 1..to);
        thread.is_some()
            && are_writes
            && self.events[head].place.and_then(between).is_some_and(|between| between.iter().all(belongs))
    }

    /// Whether two threads access one place, one of them without an atomic operation and one writing, and neither access happens before the
    /// other.
    fn has_race(&self) -> bool {
        let is_plain = |a: usize| self.events[a].place.is_some() && self.events[a].order.is_none();
        if !(0..self.events.len()).any(|a| self.events[a].thread.is_some() && is_plain(a)) {
            return false;
        }
        let hb = self.hb(&self.sb(), &self.rf());
        let races = |a: usize, b: usize| {
            let (one, two) = (self.events[a].thread, self.events[b].thread);
            one.is_some()
                && two.is_some()
                && one != two
                && self.same_place(a, b)
                && (is_plain(a) || is_plain(b))
                && (self.is_write(a) || self.is_write(b))
                && !hb.0[a][b]
                && !hb.0[b][a]
        };
        (0..self.events.len()).any(|a| (0..a).any(|b| races(a, b)))
    }

    fn is_consistent(&self) -> bool {
        // An update stands right behind what it reads.
        let is_broken = |event: &usize| match (self.events[*event].source, self.is_write(*event)) {
            (Some(source), true) => self.rank(*event) != self.rank(source) + 1,
            _ => false,
        };
        if (0..self.events.len()).any(|event| is_broken(&event)) {
            return false;
        }
        let (sb, rf, mo, fr) = (self.sb(), self.rf(), self.mo(), self.fr());
        let only = |holds: &dyn Fn(usize) -> bool| self.relation(|a, b| a == b && holds(a));
        let all = only(&|_| true);
        let hb = self.hb(&sb, &rf);
        let eco = rf.or(&mo).or(&fr).closure();
        if !hb.is_irreflexive() || !hb.then(&eco).is_irreflexive() {
            return false;
        }
        let strong = |a: usize| self.events[a].order == Some(Order::SeqCst);
        let (strong_accesses, strong_fences) =
            (only(&|a| strong(a) && !self.events[a].is_fence), only(&|a| strong(a) && self.events[a].is_fence));
        let elsewhere = self.relation(|a, b| sb.0[a][b] && !self.same_place(a, b));
        let known_here = self.relation(|a, b| hb.0[a][b] && self.same_place(a, b));
        let scb = sb.or(&elsewhere.then(&hb).then(&elsewhere)).or(&known_here).or(&mo).or(&fr);
        let perhaps = hb.or(&all);
        let from = strong_accesses.or(&strong_fences.then(&perhaps));
        let to = strong_accesses.or(&perhaps.then(&strong_fences));
        let base = from.then(&scb).then(&to);
        let between = strong_fences.then(&hb.or(&hb.then(&eco).then(&hb))).then(&strong_fences);
        base.or(&between).is_acyclic() && sb.or(&rf).is_acyclic()
    }
}

#[derive(Clone)]
struct Relation(Vec<Vec<bool>>);

impl Relation {
    fn or(&self, other: &Relation) -> Relation {
        let rows = self.0.iter().zip(&other.0);
        Relation(rows.map(|(a, b)| a.iter().zip(b).map(|(&x, &y)| x || y).collect()).collect())
    }

    fn then(&self, other: &Relation) -> Relation {
        let size = self.0.len();
        let holds = |a: usize, b: usize| (0..size).any(|c| self.0[a][c] && other.0[c][b]);
        Relation((0..size).map(|a| (0..size).map(|b| holds(a, b)).collect()).collect())
    }

    fn closure(&self) -> Relation {
        let mut all = self.clone();
        let size = self.0.len();
        for c in 0..size {
            for a in 0..size {
                if all.0[a][c] {
                    for b in 0..size {
                        all.0[a][b] |= all.0[c][b];
                    }
                }
            }
        }
        all
    }

    fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(a, row)| !row[a])
    }

    fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }
}

mod random;
mod source;

#[cfg(test)]
mod litmus;
#[cfg(test)]
mod tests;
