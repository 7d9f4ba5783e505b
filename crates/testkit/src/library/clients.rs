//! What clients of a library can build, and what calls at once do there, by brute force.
//!
//! A client begins with what globals are initialised with. It makes calls, one after the other, with numbers and with
//! structures, and then one call in each of several threads. Structures are what functions of the library have returned, or have
//! initialised; where it has none for that, they are of the client's own, all zero. Of those that it has not used yet, one is
//! like the other, so each call may take the next one, or any that is there and that has not been freed or destroyed. Two parameters
//! of one type get different ones.
//!
//! A call that fails with nobody beside it, or waits for a lock that the client has, ends there, and is kept apart. One that sleeps, or goes
//! round for ever, builds nothing.
//!
//! Guarantee: exact, for so many calls, up to isomorphism of heaps and renaming of numbers that are no constants.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::ast::{Cond, Int, Library, Own, Pointer, Roots, Stmt};
use super::caller::Caller;
use super::code::Code;
use super::exec::{Call, Effect, MAX_OWNERS, Memory, Thread, ThreadId};
use super::heaps;
use super::oracle::{How, Joint, TooLarge, about_locks, allocations};
use super::render::translate;
use super::standstill::Standstill;
use crate::finding::Race;

/// How many calls clients make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientExtent {
    /// One after the other, at most.
    pub before: usize,
    /// At the same time.
    pub threads: usize,
}

/// What goes wrong on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// A null or dangling pointer is used, or freed again.
    Memory(u32),
    /// A lock is given back, or waited with, that the thread does not have.
    Misuse(u32),
    /// A lock is waited for that the client has itself.
    Relocks(u32),
}

/// Operations at once, on all that clients build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientEntry {
    pub operations: Vec<usize>,
    pub must: BTreeSet<Race>,
    pub may: BTreeSet<Race>,
    /// Memory errors that the same calls do not show one after the other, and misuse of locks.
    pub failures: BTreeSet<Failure>,
    /// The same, with what may count as a failure.
    pub may_fail: BTreeSet<Failure>,
    /// Lines of threads that wait for each other's locks, in a circle.
    pub circles: BTreeSet<Vec<u32>>,
    /// Where nobody can go on, and one who waits for what another might do need not have.
    pub standstills: BTreeSet<Standstill>,
    /// Some of them are certain: nobody shows others a change.
    pub comes_to_standstill: bool,
    /// Situations that were looked at.
    pub cases: u64,
    /// In some of them all calls return.
    pub ends: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientExpectation {
    /// What single calls show.
    pub sequential: BTreeSet<Failure>,
    /// Those that are certain.
    pub must_sequential: BTreeSet<Failure>,
    /// Lines of loops in which single calls go round for ever.
    pub rounds: BTreeSet<u32>,
    /// Each multiset of operations once, in order.
    pub entries: Vec<ClientEntry>,
    /// Heaps, by the number of calls that it takes to build them.
    pub heaps: Vec<usize>,
    /// See [`super::Expectation::lock_lines`].
    pub lock_lines: BTreeSet<u32>,
}

/// Who makes calls one after the other.
const CLIENT: ThreadId = ThreadId(7);

/// A heap, and what the client has used of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held {
    memory: Memory,
    /// Nodes that are live, in the order in which they were used first, and the owner that each goes with.
    nodes: Vec<(u8, Option<u8>)>,
    /// So many owners have been used, and these of them, by bit, are destroyed.
    owners: u8,
    destroyed: u8,
}

/// The variables that hold what operations, and [`super::ast::Makers::make`], return.
const RETURNED: Pointer = Pointer(0);
const MADE: Pointer = Pointer(2);

impl Held {
    /// With this memory, and with a node that a call has returned that was about an owner.
    fn holding(&self, memory: Memory, returned: Option<u8>, owner: Option<u8>) -> Held {
        let mut nodes = self.nodes.clone();
        nodes.extend(returned.filter(|&node| memory.is_live(node) && !self.has(node)).map(|node| (node, owner)));
        Held { memory, nodes, ..self.clone() }
    }

    fn has(&self, node: u8) -> bool {
        self.nodes.iter().any(|(held, _)| *held == node)
    }

    /// With a node that goes with an owner from now on; none if it goes with another.
    fn keeping(&self, node: u8, owner: Option<u8>) -> Option<Held> {
        let mut kept = self.clone();
        let (_, known) = kept.nodes.iter_mut().find(|(held, _)| *held == node)?;
        match (*known, owner) {
            (Some(known), Some(owner)) if known != owner => return None,
            (known_before, _) => *known = known_before.or(owner),
        }
        Some(kept)
    }
}

/// Everything that clients of a library can come to. The library must be well formed.
pub fn judge_clients(
    library: &Library,
    extent: ClientExtent,
    max_states: usize,
) -> Result<ClientExpectation, TooLarge> {
    let translation = translate(library);
    let operations = library.operations.len();
    let mut entries: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..extent.threads {
        let with_another = |entry: &Vec<usize>| {
            let entry = entry.clone();
            (entry.last().copied().unwrap_or(0)..operations).map(move |next| [entry.as_slice(), &[next]].concat())
        };
        entries = entries.iter().flat_map(with_another).collect();
    }
    let mut constants = library.constants();
    if !constants.contains(&0) {
        constants.push(0);
    }
    let mut judge = Judge {
        library,
        codes: &translation.operations,
        make: &translation.make,
        destroy_line: translation.destroy_line,
        constants,
        states_left: max_states,
        result: ClientExpectation {
            entries: entries.into_iter().map(|operations| ClientEntry { operations, ..Default::default() }).collect(),
            lock_lines: translation.lock_lines,
            ..ClientExpectation::default()
        },
    };
    let start = Held { memory: Memory::empty(), nodes: Vec::new(), owners: 0, destroyed: 0 };
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut level = vec![start];
    for round in 0..=extent.before {
        judge.result.heaps.push(level.len());
        let mut next = Vec::new();
        for held in &level {
            judge.at_once(held)?;
            if round < extent.before {
                let mut found = |held: Held| {
                    if seen.insert(held.clone()) {
                        next.push(held);
                    }
                };
                for operation in 0..operations {
                    judge.extend(held, operation, &mut found)?;
                }
                judge.make(held, &mut found)?;
            }
        }
        level = next;
    }
    Ok(judge.result)
}

/// What a call gets, beside its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Arguments {
    owner: u8,
    param: Option<u8>,
    own: Option<u8>,
}

struct Judge<'a> {
    library: &'a Library,
    codes: &'a [Code],
    make: &'a Code,
    destroy_line: u32,
    constants: Vec<i32>,
    states_left: usize,
    result: ClientExpectation,
}

impl Judge<'_> {
    fn spend(&mut self, states: usize) -> Result<(), TooLarge> {
        self.states_left = self.states_left.checked_sub(states).ok_or(TooLarge)?;
        Ok(())
    }

    fn call(&self, operation: usize, arguments: Arguments, k: heaps::Code) -> Call<'_> {
        self.call_of(&self.codes[operation], arguments, k)
    }

    fn call_of<'c>(&'c self, code: &'c Code, arguments: Arguments, k: heaps::Code) -> Call<'c> {
        Call {
            code,
            constants: &self.constants,
            owner_null: false,
            owner: arguments.owner,
            param: arguments.param,
            own: arguments.own,
            visitors: [None; MAX_OWNERS],
            k,
            // Owners that clients build have no function.
            picked: self.zero(),
        }
    }

    /// The owners that a call can get, with the heap on which the client has them.
    fn owners(&self, held: &Held) -> Result<Vec<(Held, Arguments)>, TooLarge> {
        let has_own = !self.library.makers.init && !self.library.makers.create;
        if held.owners + u8::from(has_own) > MAX_OWNERS as u8 {
            return Err(TooLarge);
        }
        let live = (0..held.owners + u8::from(has_own)).filter(|owner| held.destroyed & (1 << owner) == 0);
        let with = |owner: u8| {
            let owners = held.owners.max(owner + 1);
            (Held { owners, ..held.clone() }, Arguments { owner, ..Arguments::default() })
        };
        Ok(live.map(with).collect())
    }

    /// All that a call can get, with the heap on which the client has it.
    fn arguments(&self, held: &Held) -> Result<Vec<(Held, Arguments)>, TooLarge> {
        let mut all = match self.library.roots {
            Roots::OwnerParam => self.owners(held)?,
            _ => vec![(held.clone(), Arguments::default())],
        };
        let takes = [self.library.roots == Roots::NodeParam, self.library.own != Own::None];
        for which in (0..2).filter(|&which| takes[which]) {
            let mut next = Vec::new();
            for (held, arguments) in all {
                let mut with_another = held.clone();
                // What takes nodes itself makes none.
                let made = self.library.makers.make && !self.library.makers.derived;
                let makes = made || self.library.makers.returning != 0 && !takes.contains(&true);
                if !makes {
                    with_another.nodes.push((with_another.memory.zeroed(self.zero()).ok_or(TooLarge)?, None));
                }
                let owner = (self.library.roots == Roots::OwnerParam).then_some(arguments.owner);
                for &(node, _) in &with_another.nodes {
                    let held = if held.has(node) { &held } else { &with_another };
                    let Some(held) = held.keeping(node, owner) else { continue };
                    let arguments = match which {
                        0 => Arguments { param: Some(node), ..arguments },
                        _ if arguments.param == Some(node) => continue,
                        _ => Arguments { own: Some(node), ..arguments },
                    };
                    next.push((held, arguments));
                }
            }
            all = next;
        }
        Ok(all)
    }

    /// The code of zero.
    fn zero(&self) -> heaps::Code {
        if !self.library.compares_ints() {
            return heaps::Code(0);
        }
        heaps::Code(self.constants.iter().position(|&constant| constant == 0).unwrap_or(0) as u8)
    }

    /// Every number that it can make a difference to pass.
    fn numbers(&self, operation: usize, used: u8) -> std::ops::RangeInclusive<u8> {
        let mut looks = false;
        for stmt in &self.library.operations[operation] {
            stmt.walk(&mut |stmt| looks |= names_number(stmt));
        }
        if self.library.compares_ints() && looks { 0..=used } else { 0..=0 }
    }

    /// The first code that stands for no number that is there.
    fn unused(&self, memory: &Memory) -> u8 {
        memory.first_unused().max(self.constants.len() as u8)
    }

    /// All that one more call makes of a heap.
    fn extend(&mut self, held: &Held, operation: usize, found: &mut dyn FnMut(Held)) -> Result<(), TooLarge> {
        let unused = self.unused(&held.memory);
        for (before, arguments) in self.arguments(held)? {
            if before.memory.room() < allocations(self.library) {
                return Err(TooLarge);
            }
            for k in self.numbers(operation, unused) {
                let caller = Caller(vec![self.call(operation, arguments, heaps::Code(k))]);
                let run = alone(&caller, CLIENT, before.memory.clone());
                self.spend(run.steps)?;
                if let Some(failure) = run.end.failure() {
                    self.result.sequential.insert(failure);
                    if !run.doubtful {
                        self.result.must_sequential.insert(failure);
                    }
                }
                self.result.rounds.extend(&run.round);
                if run.end == End::Returned {
                    let returned = self.library.makers.returns(operation).then(|| run.thread.node(RETURNED)).flatten();
                    let owner = (self.library.roots == Roots::OwnerParam).then_some(arguments.owner);
                    found(self.canonical(before.holding(run.memory, returned, owner)));
                }
            }
        }
        Ok(())
    }

    /// All that functions which make objects, or end them, make of a heap.
    fn make(&mut self, held: &Held, found: &mut dyn FnMut(Held)) -> Result<(), TooLarge> {
        let makers = self.library.makers;
        if makers.init || makers.create {
            if usize::from(held.owners) == MAX_OWNERS {
                return Err(TooLarge);
            }
            found(Held { owners: held.owners + 1, ..held.clone() });
        }
        if makers.destroy {
            for (held, Arguments { owner, .. }) in self.owners(held)? {
                if held.memory.is_locked(owner) {
                    let failure = Failure::Misuse(self.destroy_line);
                    self.result.sequential.insert(failure);
                    self.result.must_sequential.insert(failure);
                } else {
                    let destroyed = held.destroyed | (1 << owner);
                    found(self.canonical(Held { destroyed, ..held }));
                }
            }
        }
        if makers.make {
            for k in 0..=if self.library.compares_ints() { self.unused(&held.memory) } else { 0 } {
                if held.memory.room() == 0 {
                    return Err(TooLarge);
                }
                let caller = Caller(vec![self.call_of(self.make, Arguments::default(), heaps::Code(k))]);
                let run = alone(&caller, CLIENT, held.memory.clone());
                found(self.canonical(held.holding(run.memory, run.thread.node(MADE), None)));
            }
        }
        Ok(())
    }

    fn canonical(&self, held: Held) -> Held {
        let live: Vec<(u8, Option<u8>)> =
            held.nodes.iter().copied().filter(|(node, _)| held.memory.is_live(*node)).collect();
        let nodes: Vec<u8> = live.iter().map(|(node, _)| *node).collect();
        let (memory, nodes) = held.memory.canonical(&nodes, self.constants.len() as u8);
        let nodes = nodes.into_iter().zip(live).map(|(node, (_, owner))| (node, owner)).collect();
        Held { memory, nodes, ..held }
    }

    /// All operations at once, with all that they can get.
    fn at_once(&mut self, held: &Held) -> Result<(), TooLarge> {
        for entry in 0..self.result.entries.len() {
            let operations = self.result.entries[entry].operations.clone();
            let mut cases: Vec<(Held, Vec<(Arguments, heaps::Code)>)> = vec![(held.clone(), Vec::new())];
            let unused = self.unused(&held.memory);
            for &operation in &operations {
                let mut next = Vec::new();
                for (held, calls) in &cases {
                    let used = calls.iter().map(|(_, k)| k.0 + 1).max().unwrap_or(0).max(unused);
                    for (held, arguments) in self.arguments(held)? {
                        for k in self.numbers(operation, used) {
                            next.push((held.clone(), [calls.as_slice(), &[(arguments, heaps::Code(k))]].concat()));
                        }
                    }
                }
                self.spend(next.len())?;
                cases = next;
            }
            for (held, calls) in cases {
                self.case(&held.memory, entry, &calls)?;
            }
        }
        Ok(())
    }

    /// Some calls at once.
    fn case(&mut self, memory: &Memory, entry: usize, calls: &[(Arguments, heaps::Code)]) -> Result<(), TooLarge> {
        if memory.room() < calls.len() * allocations(self.library) {
            return Err(TooLarge);
        }
        let operations = self.result.entries[entry].operations.clone();
        let callers: Vec<Caller<'_>> = operations
            .iter()
            .zip(calls)
            .map(|(&operation, &(arguments, k))| Caller(vec![self.call(operation, arguments, k)]))
            .collect();
        let serial = serial(&callers, memory);
        let how = How { standstills: true, ..How::ALL };
        let joint = Joint::run(&callers, memory.clone(), self.states_left, how);
        let mut spent = joint.states() + serial.steps;
        let mut certain = None;
        if joint.seen.forgot {
            let how = How { forgets: false, ..How::ALL };
            let other = Joint::run(&callers, memory.clone(), self.states_left, how);
            spent += other.states();
            certain = Some(other.seen.certain);
        }
        let seen = joint.seen;
        self.spend(spent)?;
        let entry = &mut self.result.entries[entry];
        entry.cases += 1;
        // Who calls in an order that goes well in none is no client, even where both together come to their ends.
        entry.ends |= seen.ends && serial.goes_well;
        if !serial.goes_well {
            return Ok(());
        }
        let races = certain.as_ref().unwrap_or(&seen.certain).iter().filter(|_| serial.goes_well_certainly);
        entry.must.extend(races.filter(|race| !about_locks(race)));
        entry.may.extend(&seen.races);
        let counts = |failure: &Failure| matches!(failure, Failure::Misuse(_)) || !serial.failures.contains(failure);
        let certain = seen.failures.iter().filter(|failure| serial.goes_well_certainly && counts(failure));
        entry.failures.extend(certain);
        entry.may_fail.extend(seen.failures.iter().chain(&seen.doubtful).filter(|failure| counts(failure)));
        entry.circles.extend(seen.circles);
        // Who waits in a serial order as well, or in every order, is not kept from going on by the others.
        let excuses = serial.waits || !seen.ends;
        // And nobody is meant to do what one waits for who comes first, and would wait again.
        let for_others = |standstill: &Standstill| standstill.again != 0 && standstill.again & !serial.waits_first == 0;
        let counts = |standstill: &Standstill| !(standstill.waits && excuses || for_others(standstill));
        for standstill in seen.standstills.into_iter().filter(counts) {
            let standstill = Standstill { again: 0, ..standstill };
            entry.comes_to_standstill |= standstill.certain && serial.goes_well_certainly;
            entry.standstills.insert(standstill);
        }
        Ok(())
    }
}

/// How a call goes with nobody beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Returned,
    Sleeps,
    GoesRound,
    Fails(Failure),
}

impl End {
    fn failure(self) -> Option<Failure> {
        match self {
            End::Fails(failure) => Some(failure),
            End::Returned | End::Sleeps | End::GoesRound => None,
        }
    }
}

/// A call with nobody beside it.
struct Run {
    end: End,
    thread: Thread,
    memory: Memory,
    /// It did something that may count as a fault.
    doubtful: bool,
    /// The lines of the loop in which it goes round.
    round: Vec<u32>,
    steps: usize,
}

/// Runs one caller to its end.
fn alone(caller: &Caller<'_>, id: ThreadId, mut memory: Memory) -> Run {
    let mut thread: Thread = caller.start(&mut memory);
    let (mut seen, mut doubtful) = (FxHashSet::default(), false);
    let end = loop {
        if thread.returned() {
            break End::Returned;
        }
        if thread.sleeps() {
            break End::Sleeps;
        }
        if thread.spins() || !seen.insert((thread.clone(), memory.clone())) {
            break End::GoesRound;
        }
        if !caller.enabled(&thread, &memory) {
            break End::Fails(Failure::Relocks(caller.line(&thread)));
        }
        let line = caller.line(&thread);
        let effect = caller.step(id, &mut thread, &mut memory);
        doubtful |= effect.doubtful;
        if effect.fault {
            break End::Fails(Failure::of(line, &effect));
        }
    };
    let round = if end == End::GoesRound { caller.loop_around(&thread).collect() } else { Vec::new() };
    Run { end, thread, memory, doubtful, round, steps: seen.len() }
}

impl Failure {
    /// What a step that faults fails with.
    pub(super) fn of(line: u32, effect: &Effect) -> Failure {
        if effect.misuse { Failure::Misuse(line) } else { Failure::Memory(line) }
    }
}

/// What the same calls come to one after the other, in every order.
#[derive(Default)]
struct Serial {
    failures: FxHashSet<Failure>,
    /// The last call of some order sleeps, waits for a lock, or goes round.
    waits: bool,
    /// Those that sleep or go round where they come first, a bit for each.
    waits_first: u8,
    /// Some order uses memory well, as far as can be said; and for certain.
    goes_well: bool,
    goes_well_certainly: bool,
    steps: usize,
}

fn serial(callers: &[Caller<'_>], memory: &Memory) -> Serial {
    let mut serial = Serial::default();
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in callers {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            let rest: Vec<usize> = (0..callers.len()).filter(|index| !order.contains(index)).collect();
            rest.into_iter().map(move |next| [order.as_slice(), &[next]].concat())
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    for order in orders {
        let mut memory = memory.clone();
        let (mut is_well, mut is_certain) = (true, true);
        for (place, &index) in order.iter().enumerate() {
            let run = alone(&callers[index], ThreadId(index as u8), memory);
            let end = run.end;
            serial.steps += run.steps;
            memory = run.memory;
            serial.failures.extend(end.failure());
            let waits = matches!(end, End::Sleeps | End::GoesRound | End::Fails(Failure::Relocks(_)));
            serial.waits |= waits && place + 1 == order.len();
            if place == 0 && matches!(end, End::Sleeps | End::GoesRound) {
                serial.waits_first |= ThreadId(index as u8).bit();
            }
            is_well &= !matches!(end, End::Fails(Failure::Memory(_)));
            is_certain &= is_well && !run.doubtful;
            if end != End::Returned {
                break;
            }
        }
        serial.goes_well |= is_well;
        serial.goes_well_certainly |= is_certain;
    }
    serial
}

/// Whether a statement looks at the number that a call gets.
fn names_number(stmt: &Stmt) -> bool {
    let int = match (stmt, stmt.cond()) {
        (_, Some(Cond::Key { int, .. } | Cond::NodeAndKey { int, .. } | Cond::Value { int, .. })) => Some(int),
        (
            Stmt::WriteKey { int, .. }
            | Stmt::WriteMarked { int }
            | Stmt::ExchangeKey { int, .. }
            | Stmt::New { key: int, .. },
            None,
        ) => Some(*int),
        // A function that is called may be the one that writes.
        (Stmt::Visit { .. } | Stmt::Each { .. }, None) => Some(Int::K),
        _ => None,
    };
    int == Some(Int::K)
}
