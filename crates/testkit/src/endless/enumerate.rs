//! All states of a program, each step of each thread by itself.
//!
//! What happens before what is kept as knowledge (C11 5.1.2.4, and POSIX 4.12): of each access that may still race, which threads come after
//! it, and which objects have been released by such a thread since. Of the accesses of one thread at one line the last one is
//! kept: whoever comes after that comes after those before it.

use super::ast::{LOCALS, Program, VALUES, Value};
use super::code::{Code, Op};
use super::render::translate;
use crate::finding::{AccessKind, Race, Site};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Beyond these, a program is too large.
const MOST_STATES: usize = 60_000;
const MOST_POSTS: u8 = 3;

/// More steps that nobody can tell, one after the other, than a thread has instructions: it takes no other ones any more.
const MOST_LOCAL_STEPS: usize = 200;

const MAX_THREADS: usize = 3;

/// Of each kind of object.
const OBJECTS: usize = 2;

/// What is true of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    pub races: BTreeSet<Race>,
    /// Lines.
    pub assertions: BTreeSet<u32>,
    /// Lines at which a block is read that was freed before.
    pub after_free: BTreeSet<u32>,
    /// Lines of all threads where none can go on, unless it wakes up for nothing.
    pub deadlocks: BTreeSet<Vec<u32>>,
    /// Lines of threads that wait for each other's locks in a circle.
    pub circles: BTreeSet<Vec<u32>>,
    /// Lines at which a thread may stand that never goes on again, whatever the others do, unless somebody wakes up for nothing.
    pub starving: BTreeSet<u32>,
    /// Lines at which threads stand that never go on again, whoever wakes up for nothing, in states from which no more come to that.
    pub for_good: BTreeSet<Vec<u32>>,
    pub states: usize,
    /// Of the steps that a state takes at least, the most.
    pub depth: usize,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} states, at most {} steps from the start", self.states, self.depth)?;
        for race in &self.races {
            writeln!(f, "race {race}")?;
        }
        writeln!(f, "assertions {:?}, reads after free {:?}", self.assertions, self.after_free)?;
        write!(f, "deadlocks {:?}, ", self.deadlocks)?;
        writeln!(f, "circles {:?}, starving {:?}, for good {:?}", self.circles, self.starving, self.for_good)
    }
}

/// The program has more states than are gone through, or a thread that does nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Expectation {
    /// Whether somebody waits for good while others go on.
    pub fn is_partial(&self) -> bool {
        self.for_good.iter().any(|lines| !self.deadlocks.contains(lines) && !self.circles.contains(lines))
    }

    /// Whether some of it, other than that all are stuck, needs a thread that goes round a second time.
    ///
    /// # Errors
    /// When there are too many states.
    pub fn needs_second_round(&self, program: &Program) -> Result<bool, TooLarge> {
        let first = go_through(program, true)?;
        let found = |all: &Expectation| {
            (all.races.clone(), all.assertions.clone(), all.after_free.clone(), all.circles.clone())
        };
        Ok(found(&first) != found(self))
    }
}

/// Goes through all states of a program.
///
/// # Errors
/// When there are too many.
pub fn enumerate(program: &Program) -> Result<Expectation, TooLarge> {
    go_through(program, false)
}

/// `once`: threads end behind their first round.
fn go_through(program: &Program, once: bool) -> Result<Expectation, TooLarge> {
    let (_, codes) = translate(program);
    let mut search =
        Search { codes: &codes, once, found: Expectation::default(), numbers: FxHashMap::default(), steps: Vec::new() };
    let mut start = State::new(codes.len(), program.semaphore);
    (0..codes.len()).try_for_each(|thread| search.settle(&mut start, thread))?;
    let mut states = vec![start.clone()];
    search.numbers.insert(start, 0);
    let mut depths = vec![0];
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        search.look(&state);
        for (next, woken) in search.successors(&state)? {
            let number = *search.numbers.entry(next.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(next);
                depths.push(depths[at] + 1);
            }
            search.steps.push(Step { from: at, to: number, woken });
        }
        if states.len() > MOST_STATES {
            return Err(TooLarge);
        }
        at += 1;
    }
    search.starve(&states);
    Ok(Expectation { states: states.len(), depth: depths.into_iter().max().unwrap_or(0), ..search.found })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Running,
    /// In a wait, the lock released.
    Asleep,
    /// About to take the lock again.
    Woken,
    /// Its assertion has failed, or it has read what is no more.
    Failed,
    /// It has gone round once.
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Thread {
    at: usize,
    phase: Phase,
    registers: [u8; LOCALS + 1],
    block: Option<usize>,
}

/// An access to a plain number, or to a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Access {
    thread: usize,
    place: Place,
    kind: AccessKind,
    line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Place {
    Number(u8),
    Block(usize),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Block {
    value: u8,
    is_freed: bool,
}

/// Threads and objects, a bit each.
type Knowers = u16;

const fn of_thread(thread: usize) -> Knowers {
    1 << thread
}

const fn of_mutex(mutex: u8) -> Knowers {
    1 << (MAX_THREADS as u8 + mutex)
}

const fn of_atomic(place: u8) -> Knowers {
    1 << (MAX_THREADS as u8 + OBJECTS as u8 + place)
}

const SEMAPHORE: Knowers = 1 << (MAX_THREADS + 2 * OBJECTS);

/// The pointer to a block that threads share.
const BOX: Knowers = SEMAPHORE << 1;

/// Atomic sections are ordered as by one lock around each.
const SECTIONS: Knowers = BOX << 1;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    plain: [u8; OBJECTS],
    atomics: [u8; OBJECTS],
    owners: [Option<usize>; OBJECTS],
    /// Who is in an atomic section.
    section: Option<usize>,
    semaphore: u8,
    /// Those that somebody knows, in the order in which they are come to from the box and from threads.
    blocks: Vec<Block>,
    boxed: Option<usize>,
    /// What may still race, and who knows of it.
    accesses: BTreeMap<Access, Knowers>,
}

impl State {
    fn new(threads: usize, semaphore: u8) -> State {
        let thread = Thread { at: 0, phase: Phase::Running, registers: [0; LOCALS + 1], block: None };
        State {
            threads: vec![thread; threads],
            plain: [0; OBJECTS],
            atomics: [0; OBJECTS],
            owners: [None; OBJECTS],
            section: None,
            semaphore,
            blocks: Vec::new(),
            boxed: None,
            accesses: BTreeMap::new(),
        }
    }

    /// Whoever has `from` learns what is known there.
    fn tell(&mut self, from: Knowers, to: Knowers) {
        for knowers in self.accesses.values_mut().filter(|knowers| **knowers & from != 0) {
            *knowers |= to;
        }
        let all = (0..self.threads.len()).map(of_thread).fold(0, |all, one| all | one);
        self.accesses.retain(|_, knowers| *knowers & all != all);
    }

    /// An object holds what this thread knows, and nothing else.
    fn replace(&mut self, object: Knowers, thread: usize) {
        for knowers in self.accesses.values_mut() {
            let known = *knowers & of_thread(thread) != 0;
            *knowers = if known { *knowers | object } else { *knowers & !object };
        }
    }

    /// Forgets blocks that nobody knows any more, and numbers the others.
    fn number_blocks(&mut self) {
        let mut order: Vec<usize> = Vec::new();
        let threads = self.threads.iter_mut().map(|thread| &mut thread.block);
        for block in std::iter::once(&mut self.boxed).chain(threads).flatten() {
            let number = order.iter().position(|known| known == block).unwrap_or(order.len());
            if number == order.len() {
                order.push(*block);
            }
            *block = number;
        }
        self.blocks = order.iter().map(|&block| self.blocks[block].clone()).collect();
        let accesses = std::mem::take(&mut self.accesses).into_iter().filter_map(|(access, knowers)| {
            let place = match access.place {
                Place::Number(_) => access.place,
                Place::Block(block) => Place::Block(order.iter().position(|&known| known == block)?),
            };
            Some((Access { place, ..access }, knowers))
        });
        self.accesses = accesses.collect();
    }

    fn value(&self, thread: usize, value: Value) -> u8 {
        match value {
            Value::Constant(number) => number,
            Value::Local(local) => self.threads[thread].registers[usize::from(local)],
        }
    }

    fn set(&mut self, thread: usize, register: u8, value: u8) {
        self.threads[thread].registers[usize::from(register)] = value;
    }
}

/// A state and one after it; whether a thread woke up for nothing, and that is all.
struct Step {
    from: usize,
    to: usize,
    woken: bool,
}

struct Search<'a> {
    codes: &'a [Code],
    once: bool,
    found: Expectation,
    numbers: FxHashMap<State, usize>,
    steps: Vec<Step>,
}

impl Search<'_> {
    fn op(&self, state: &State, thread: usize) -> (u32, Op) {
        self.codes[thread][state.threads[thread].at]
    }

    /// Carries out what nobody else can tell. A thread that does nothing else, but for assertions that hold, is no matter of states: such
    /// programs are left out.
    fn settle(&self, state: &mut State, thread: usize) -> Result<(), TooLarge> {
        let mut own = state.threads[thread];
        for asserts in [false, true] {
            self.go_quietly(&mut own, thread, asserts)?;
            if !asserts {
                state.threads[thread] = own;
            }
        }
        Ok(())
    }

    /// Takes a thread as far as it does only what nobody else can tell.
    fn go_quietly(&self, own: &mut Thread, thread: usize, asserts: bool) -> Result<(), TooLarge> {
        for _ in 0..MOST_LOCAL_STEPS {
            let (_, op) = self.codes[thread][own.at];
            let number = |register: u8| own.registers[usize::from(register)];
            own.at = match op {
                _ if own.phase != Phase::Running => return Ok(()),
                Op::Assert(register, differs) if asserts && number(register) != differs => own.at + 1,
                _ if !op.is_local() => return Ok(()),
                Op::Next(register) => {
                    own.registers[usize::from(register)] = (number(register) + 1) % VALUES;
                    own.at + 1
                }
                Op::Branch { register, equals, otherwise } if number(register) != equals => otherwise,
                Op::Jump(0) if self.once => {
                    own.phase = Phase::Ended;
                    0
                }
                Op::Jump(to) => to,
                _ => own.at + 1,
            };
        }
        Err(TooLarge)
    }

    /// Whose lock a thread waits for.
    fn blocker(&self, state: &State, thread: usize) -> Option<usize> {
        match (state.threads[thread].phase, self.op(state, thread).1) {
            (Phase::Running, Op::Lock(mutex)) | (Phase::Woken, Op::Wait(_, mutex)) => state.owners[usize::from(mutex)],
            _ => None,
        }
    }

    /// Whether a thread can go on now, unless by waking up for nothing.
    fn can_go_on(&self, state: &State, thread: usize) -> bool {
        match (state.threads[thread].phase, self.op(state, thread).1) {
            (Phase::Asleep | Phase::Failed | Phase::Ended, _) => false,
            _ if state.section.is_some_and(|inside| inside != thread) => false,
            (Phase::Running, Op::Down) => state.semaphore > 0,
            (Phase::Running, Op::Await(place, until)) => state.atomics[usize::from(place)] == until,
            _ => self.blocker(state, thread).is_none(),
        }
    }

    /// Notes where threads wait for each other, or all for ever.
    fn look(&mut self, state: &State) {
        let all = 0..state.threads.len();
        let codes = self.codes;
        let lines_of = |threads: &[usize]| {
            let mut lines: Vec<u32> = threads.iter().map(|&thread| codes[thread][state.threads[thread].at].0).collect();
            lines.sort_unstable();
            lines
        };
        let mut circles = Vec::new();
        // Where one has failed the process is over.
        let has_failed = state.threads.iter().any(|thread| thread.phase == Phase::Failed);
        if !has_failed && !all.clone().any(|thread| self.can_go_on(state, thread)) {
            let lines = lines_of(&all.clone().collect::<Vec<_>>());
            self.found.deadlocks.insert(lines);
        }
        for first in all {
            let mut circle = vec![first];
            let mut last = first;
            while let Some(next) = self.blocker(state, last).filter(|next| *next == first || !circle.contains(next)) {
                if next == first {
                    circles.push(lines_of(&circle));
                    break;
                }
                circle.push(next);
                last = next;
            }
        }
        self.found.circles.extend(circles);
    }

    /// The states after one, and whether a thread woke up for nothing.
    fn successors(&mut self, state: &State) -> Result<Vec<(State, bool)>, TooLarge> {
        let mut all = Vec::new();
        // The process is over.
        if state.threads.iter().any(|thread| thread.phase == Phase::Failed) {
            return Ok(all);
        }
        for thread in 0..state.threads.len() {
            if state.threads[thread].phase == Phase::Asleep {
                let mut next = state.clone();
                next.threads[thread].phase = Phase::Woken;
                all.push((next, true));
            } else if self.can_go_on(state, thread) {
                for mut next in self.steps_of(state, thread) {
                    next.number_blocks();
                    if next.semaphore > MOST_POSTS {
                        return Err(TooLarge);
                    }
                    self.settle(&mut next, thread)?;
                    all.push((next, false));
                }
            } else if let Some(next) = self.look_in_vain(state, thread) {
                all.push((next, false));
            }
        }
        Ok(all)
    }

    /// What a thread learns that looks for a number that is not there yet.
    fn look_in_vain(&self, state: &State, thread: usize) -> Option<State> {
        let Op::Await(place, _) = self.op(state, thread).1 else { return None };
        let is_free = state.section.is_none_or(|inside| inside == thread);
        (is_free && state.threads[thread].phase == Phase::Running).then(|| {
            let mut next = state.clone();
            next.tell(of_atomic(place), of_thread(thread));
            next
        })
    }

    /// The states after a thread's step.
    fn steps_of(&mut self, state: &State, thread: usize) -> Vec<State> {
        let (line, op) = self.op(state, thread);
        let mut next = state.clone();
        let me = of_thread(thread);
        let at = next.threads[thread].at + 1;
        next.threads[thread].at = at;
        match op {
            Op::Read(to, from) => {
                self.access(&mut next, Access { thread, place: Place::Number(from), kind: AccessKind::Read, line });
                let value = next.plain[usize::from(from)];
                next.set(thread, to, value);
            }
            Op::Write(to, value) => {
                self.access(&mut next, Access { thread, place: Place::Number(to), kind: AccessKind::Write, line });
                next.plain[usize::from(to)] = next.value(thread, value);
            }
            Op::Load(to, from, acquires) => {
                if acquires {
                    next.tell(of_atomic(from), me);
                }
                let value = next.atomics[usize::from(from)] % VALUES;
                next.set(thread, to, value);
            }
            Op::Store(to, value) => {
                next.atomics[usize::from(to)] = next.value(thread, value);
                next.replace(of_atomic(to), thread);
            }
            Op::Flip(to, place) => {
                let old = next.atomics[usize::from(place)];
                next.atomics[usize::from(place)] = old ^ 1;
                next.set(thread, to, old % VALUES);
                next.tell(of_atomic(place), me);
                next.tell(me, of_atomic(place));
            }
            Op::Exchange { to, place, expected, new } => {
                let succeeds = next.atomics[usize::from(place)] == expected;
                next.set(thread, to, u8::from(succeeds));
                next.tell(of_atomic(place), me);
                if succeeds {
                    next.atomics[usize::from(place)] = new;
                    next.tell(me, of_atomic(place));
                }
            }
            Op::Await(place, _) => next.tell(of_atomic(place), me),
            Op::Ask(to) => {
                let mut other = next.clone();
                next.set(thread, to, 0);
                other.set(thread, to, 1);
                return vec![next, other];
            }
            Op::Assert(register, differs) => {
                if next.threads[thread].registers[usize::from(register)] == differs {
                    self.found.assertions.insert(line);
                    next.threads[thread].phase = Phase::Failed;
                    next.threads[thread].at = at - 1;
                }
            }
            Op::Make | Op::Fill(_) | Op::Swap | Op::Point | Op::Look(..) | Op::Free => {
                self.on_block(&mut next, (thread, line), op);
            }
            _ => return self.synchronises(next, (thread, at), op),
        }
        vec![next]
    }

    fn on_block(&mut self, next: &mut State, (thread, line): (usize, u32), op: Op) {
        let me = of_thread(thread);
        let Thread { at, block: own, .. } = next.threads[thread];
        match (op, own) {
            (Op::Make, _) => {
                next.threads[thread].block = Some(next.blocks.len());
                next.blocks.push(Block { value: 0, is_freed: false });
            }
            (Op::Swap, _) => {
                next.threads[thread].block = std::mem::replace(&mut next.boxed, own);
                next.tell(BOX, me);
                next.tell(me, BOX);
            }
            (Op::Point, _) => {
                next.threads[thread].block = next.boxed;
                next.tell(BOX, me);
            }
            (Op::Fill(value), Some(block)) => {
                self.access(next, Access { thread, place: Place::Block(block), kind: AccessKind::Write, line });
                next.blocks[block].value = next.value(thread, value);
            }
            (Op::Look(to, is_last), Some(block)) => {
                let place = Place::Block(block);
                if next.blocks[block].is_freed {
                    let frees = |(access, knowers): (&Access, &Knowers)| {
                        access.place == place && access.kind == AccessKind::Free && knowers & me == 0
                    };
                    // If it is not after the end of the block, the two race.
                    if !next.accesses.iter().any(frees) {
                        self.found.after_free.insert(line);
                    }
                    self.access(next, Access { thread, place, kind: AccessKind::Read, line });
                    next.threads[thread] = Thread { at: at - 1, phase: Phase::Failed, ..next.threads[thread] };
                    return;
                }
                self.access(next, Access { thread, place, kind: AccessKind::Read, line });
                let value = next.blocks[block].value;
                next.set(thread, to, value);
                if is_last {
                    next.threads[thread].block = None;
                }
            }
            (Op::Free, Some(block)) => {
                self.access(next, Access { thread, place: Place::Block(block), kind: AccessKind::Free, line });
                next.blocks[block].is_freed = true;
                next.threads[thread].block = None;
            }
            _ => {}
        }
    }

    /// The states after a step of a lock, a condition or a semaphore. `at`: the next instruction.
    fn synchronises(&self, mut next: State, (thread, at): (usize, usize), op: Op) -> Vec<State> {
        let me = of_thread(thread);
        match op {
            Op::Lock(mutex) => next.lock(mutex, thread),
            Op::Enter => {
                next.section = Some(thread);
                next.tell(SECTIONS, me);
            }
            Op::Leave => {
                next.section = None;
                next.tell(me, SECTIONS);
            }
            Op::TryLock(mutex, otherwise) => match next.owners[usize::from(mutex)] {
                None => next.lock(mutex, thread),
                Some(_) => next.threads[thread].at = otherwise,
            },
            Op::Unlock(mutex) => next.unlock(mutex, thread),
            Op::Wait(_, mutex) if next.threads[thread].phase == Phase::Woken => {
                next.threads[thread].phase = Phase::Running;
                next.lock(mutex, thread);
            }
            Op::Wait(_, mutex) => {
                next.unlock(mutex, thread);
                next.threads[thread] = Thread { at: at - 1, phase: Phase::Asleep, ..next.threads[thread] };
            }
            Op::Wake(condition, all) => return self.wake(next, thread, (condition, all)),
            Op::Down => {
                next.semaphore -= 1;
                next.tell(SEMAPHORE, me);
            }
            Op::TryDown(otherwise) => match next.semaphore {
                0 => next.threads[thread].at = otherwise,
                _ => {
                    next.semaphore -= 1;
                    next.tell(SEMAPHORE, me);
                }
            },
            Op::Up => {
                next.semaphore += 1;
                next.tell(me, SEMAPHORE);
            }
            other => unreachable!("{other:?} is carried out elsewhere"),
        }
        vec![next]
    }

    fn wake(&self, next: State, thread: usize, (condition, all): (u8, bool)) -> Vec<State> {
        let sleeps = |other: &usize| {
            next.threads[*other].phase == Phase::Asleep
                && matches!(self.op(&next, *other).1, Op::Wait(on, _) if on == condition)
        };
        let asleep: Vec<usize> = (0..next.threads.len()).filter(sleeps).collect();
        let woken = |who: &[usize]| {
            let mut state = next.clone();
            for &other in who {
                state.threads[other].phase = Phase::Woken;
                state.tell(of_thread(thread), of_thread(other));
            }
            state
        };
        if all || asleep.is_empty() { vec![woken(&asleep)] } else { asleep.iter().map(|&one| woken(&[one])).collect() }
    }

    /// Notes what races with an access, and keeps it.
    fn access(&mut self, state: &mut State, access: Access) {
        let site = |access: Access| Site { line: access.line, access: access.kind };
        for (&other, &knowers) in &state.accesses {
            let conflicts = other.place == access.place && (other.kind.writes() || access.kind.writes());
            if conflicts && other.thread != access.thread && knowers & of_thread(access.thread) == 0 {
                self.found.races.insert(Race::new(site(other), site(access)));
            }
        }
        state.accesses.insert(access, of_thread(access.thread));
    }

    /// Notes where threads stand that never go on again.
    fn starve(&mut self, states: &[State]) {
        let mut starving = vec![0u8; states.len()];
        for thread in 0..self.codes.len() {
            let can_go_on: Vec<bool> = states.iter().map(|state| self.can_go_on(state, thread)).collect();
            let has_failed = |state: &State| state.threads.iter().any(|thread| thread.phase == Phase::Failed);
            let sometimes = self.leads_to(can_go_on.clone(), |step| !step.woken);
            let starved = states.iter().zip(&sometimes).filter(|(state, goes_on)| !**goes_on && !has_failed(state));
            let lines: BTreeSet<u32> = starved.map(|(state, _)| self.op(state, thread).0).collect();
            self.found.starving.extend(lines);
            // The process may be over.
            let over = can_go_on.into_iter().zip(states).map(|(can, state)| can || has_failed(state)).collect();
            let ever = self.leads_to(over, |step| !step.wakes(states, thread));
            starving.iter_mut().zip(ever).for_each(|(all, ever)| *all |= u8::from(!ever) << thread);
        }
        let mut more = vec![false; states.len()];
        self.steps.iter().for_each(|step| more[step.from] |= starving[step.from] != starving[step.to]);
        let more = self.leads_to(more, |_| true);
        for (state, (&all, _)) in
            states.iter().zip(starving.iter().zip(more)).filter(|(_, (all, more))| **all != 0 && !more)
        {
            let stands = (0..self.codes.len()).filter(|thread| all >> thread & 1 != 0);
            let mut lines: Vec<u32> = stands.map(|thread| self.op(state, thread).0).collect();
            lines.sort_unstable();
            self.found.for_good.insert(lines);
        }
    }

    /// Of each state, whether steps of this kind lead from it to one of these.
    fn leads_to(&self, mut these: Vec<bool>, is_one: impl Fn(&Step) -> bool) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); these.len()];
        self.steps.iter().filter(|step| is_one(step)).for_each(|step| before[step.to].push(step.from));
        let mut left: Vec<usize> = (0..these.len()).filter(|&at| these[at]).collect();
        while let Some(at) = left.pop() {
            for &from in &before[at] {
                if !std::mem::replace(&mut these[from], true) {
                    left.push(from);
                }
            }
        }
        these
    }
}

impl Step {
    /// Whether this thread wakes up for nothing.
    fn wakes(&self, states: &[State], thread: usize) -> bool {
        self.woken && states[self.from].threads[thread].phase != states[self.to].threads[thread].phase
    }
}

impl State {
    fn lock(&mut self, mutex: u8, thread: usize) {
        self.owners[usize::from(mutex)] = Some(thread);
        self.tell(of_mutex(mutex), of_thread(thread));
    }

    fn unlock(&mut self, mutex: u8, thread: usize) {
        self.owners[usize::from(mutex)] = None;
        self.tell(of_thread(thread), of_mutex(mutex));
    }
}
