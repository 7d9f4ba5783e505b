//! One execution of a program, a step at a time: who may move, and what a move does.
//!
//! The rules are those of C11 and POSIX read literally, one instruction after the other; nothing is shared between
//! two kinds of lock. Relocking a normal mutex, and any relocking of a read-write lock that would conflict with the
//! thread's own hold, blocks for ever; an error-checking mutex refuses and goes on. A thread that spins on an atomic object waits: its
//! rounds change nothing, and what they order only takes races away that are there without them.

mod locks;

use super::ast::*;
use super::code::{Code, Instr, Op, Operand, Pc, REGS, Reg, Update};
use super::expectation::{Expectation, MemoryFault, Semantics};
use super::order::{Action, EventIx, Execution, Lock, MAX_EVENTS, Mode, Ordering};
use crate::finding::AccessKind;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Waits of one thread whose spurious wake-ups are counted apart.
const MAX_WAITS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    /// Where preemptions are counted: created, with nothing to do but to end, which is its only step. Who joins it waits
    /// for that.
    Created,
    Running,
    /// In `pthread_cond_wait`, the mutex released, nothing received.
    Asleep,
    /// In `pthread_cond_wait`, about to take the mutex again; without an event it woke spuriously.
    Woken(Option<EventIx>),
    /// The same where the time limit was over.
    TimedOut,
    /// At the barrier, which has not let it through.
    Arrived,
    /// The barrier has let it through; whether it is the serial thread, and the round.
    Through {
        serial: bool,
        round: u8,
    },
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    phase: Phase,
    pc: Pc,
    regs: [i32; REGS],
    spurious: [u32; MAX_WAITS],
}

#[derive(Clone, Copy, Debug)]
struct Mutex {
    owner: Option<ThreadId>,
    depth: u8,
}

#[derive(Clone, Copy, Debug)]
struct RwLock {
    writer: Option<ThreadId>,
    readers: [u8; MAX_THREADS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Once {
    Never,
    Running,
    Done,
}

/// Everything that decides how an execution goes on. Its past is in the [`Execution`].
#[derive(Clone, Debug)]
pub(super) struct State {
    threads: [Thread; MAX_THREADS],
    vars: [i32; MAX_VARS],
    cell: i32,
    cell_freed: bool,
    mutexes: [Mutex; MAX_MUTEXES],
    rwlocks: [RwLock; MAX_RWLOCKS],
    once: Once,
    spin: Option<ThreadId>,
    semaphore: u8,
    /// Rounds of the barrier that are over.
    round: u8,
}

impl State {
    fn value(&self, place: Place) -> i32 {
        match place {
            Place::Global(var) => self.vars[usize::from(var.0)],
            Place::Heap => self.cell,
        }
    }
}

/// A set of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Threads(u8);

impl Threads {
    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn contains(self, thread: ThreadId) -> bool {
        self.0 & 1 << thread.0 != 0
    }

    fn union(self, other: Threads) -> Threads {
        Threads(self.0 | other.0)
    }
}

impl From<Option<ThreadId>> for Threads {
    fn from(thread: Option<ThreadId>) -> Threads {
        Threads(thread.map_or(0, |thread| 1 << thread.0))
    }
}

/// One way in which the execution can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Run(ThreadId),
    /// A signal with the waiter that receives it.
    Signal {
        thread: ThreadId,
        wakes: ThreadId,
    },
    WakeSpuriously(ThreadId),
    TimeOut(ThreadId),
    /// The last arrival at the barrier, with the thread that is the serial one.
    Complete {
        thread: ThreadId,
        serial: ThreadId,
    },
}

impl Move {
    /// Whose step it is.
    pub(super) fn thread(self) -> ThreadId {
        match self {
            Move::Run(thread)
            | Move::Signal { thread, .. }
            | Move::WakeSpuriously(thread)
            | Move::TimeOut(thread)
            | Move::Complete { thread, .. } => thread,
        }
    }
}

/// What a move came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Continues,
    /// `main` returned, having printed this.
    Returned(String),
    /// It failed, and what failed is noted.
    Ended,
    /// The execution has more events than the order can hold.
    TooLong,
}

/// The fixed surroundings of an execution.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) threads: &'a [Code],
    pub(super) semantics: &'a Semantics,
    /// Lines that some thread came to.
    pub(super) reached: RefCell<BTreeSet<u32>>,
}

impl Machine<'_> {
    /// The state before the first step: `main` stands at its first visible instruction.
    pub(super) fn start(&self) -> State {
        let thread = Thread { phase: Phase::NotStarted, pc: Pc(0), regs: [0; REGS], spurious: [0; MAX_WAITS] };
        let mut state = State {
            threads: [thread; MAX_THREADS],
            vars: [0; MAX_VARS],
            cell: 0,
            cell_freed: false,
            mutexes: [Mutex { owner: None, depth: 0 }; MAX_MUTEXES],
            rwlocks: [RwLock { writer: None, readers: [0; MAX_THREADS] }; MAX_RWLOCKS],
            once: Once::Never,
            spin: None,
            semaphore: self.program.semaphore,
            round: 0,
        };
        state.threads[0].phase = Phase::Running;
        self.run_local(&mut state, ThreadId::MAIN);
        state
    }

    fn ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(|index| ThreadId(index as u8))
    }

    fn instr(&self, state: &State, thread: ThreadId) -> Instr {
        self.threads[thread.index()][state.threads[thread.index()].pc.index()]
    }

    /// Every move that is possible, in a fixed order. None at all is a total deadlock, for `main` has not returned.
    pub(super) fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        for thread in self.ids() {
            let at = &state.threads[thread.index()];
            match at.phase {
                Phase::NotStarted | Phase::Arrived | Phase::Ended => {}
                Phase::Created | Phase::Through { .. } => moves.push(Move::Run(thread)),
                Phase::Asleep => {
                    let (site, mutex, timed) = self.wait(state, thread);
                    if timed {
                        moves.push(Move::TimeOut(thread));
                    }
                    let may = timed || self.semantics.preemptions.is_none() || state.mutexes[mutex].owner.is_none();
                    if may && at.spurious[site] < self.semantics.spurious {
                        moves.push(Move::WakeSpuriously(thread));
                    }
                }
                Phase::Running | Phase::Woken(_) | Phase::TimedOut if !self.enabled(state, thread) => {}
                Phase::Woken(_) | Phase::TimedOut => moves.push(Move::Run(thread)),
                Phase::Running => {
                    let before = moves.len();
                    if self.instr(state, thread).op == Op::Signal {
                        let asleep = self.ids().filter(|other| state.threads[other.index()].phase == Phase::Asleep);
                        moves.extend(asleep.map(|wakes| Move::Signal { thread, wakes }));
                    }
                    if let Op::Barrier { .. } = self.instr(state, thread).op {
                        let members = self.at_barrier(state, thread);
                        if members.len() == usize::from(self.program.barrier) {
                            let observes =
                                |id: &ThreadId| matches!(self.instr(state, *id).op, Op::Barrier { dst: Some(_) });
                            let choices = if members.iter().any(observes) { members.len() } else { 1 };
                            let serial = members.into_iter().take(choices);
                            moves.extend(serial.map(|serial| Move::Complete { thread, serial }));
                        }
                    }
                    if moves.len() == before {
                        moves.push(Move::Run(thread));
                    }
                }
            }
        }
    }

    /// Whether `thread` could take a step now, without the environment waking it.
    pub(super) fn could_go_on(&self, state: &State, thread: ThreadId) -> bool {
        match state.threads[thread.index()].phase {
            Phase::NotStarted | Phase::Asleep | Phase::Arrived | Phase::Ended => false,
            Phase::Created | Phase::Through { .. } => true,
            Phase::Running => match self.instr(state, thread).op {
                // It could only time out.
                Op::TryLock { mutex, timed: true, .. } => {
                    let Mutex { owner, .. } = state.mutexes[usize::from(mutex.0)];
                    let kind = self.program.mutexes[usize::from(mutex.0)];
                    owner.is_none() || owner == Some(thread) && kind != MutexKind::Normal
                }
                Op::TrySem { timed: true, .. } => state.semaphore > 0,
                _ => self.enabled(state, thread),
            },
            Phase::Woken(_) | Phase::TimedOut => self.enabled(state, thread),
        }
    }

    /// The threads at the barrier once this one has arrived, in order.
    fn at_barrier(&self, state: &State, thread: ThreadId) -> Vec<ThreadId> {
        self.ids().filter(|&id| id == thread || state.threads[id.index()].phase == Phase::Arrived).collect()
    }

    /// The numbers of the wait that a thread is asleep at, and of its mutex, and whether it has a time limit.
    fn wait(&self, state: &State, thread: ThreadId) -> (usize, usize, bool) {
        match self.instr(state, thread).op {
            Op::Wait { site, mutex, timed } => {
                (usize::from(site).min(MAX_WAITS - 1), usize::from(mutex.0), timed.is_some())
            }
            other => unreachable!("asleep at {other:?}"),
        }
    }

    fn enabled(&self, state: &State, thread: ThreadId) -> bool {
        if matches!(state.threads[thread.index()].phase, Phase::Woken(_) | Phase::TimedOut) {
            return self.blockers(state, thread).is_empty();
        }
        match self.instr(state, thread).op {
            Op::SemWait => state.semaphore > 0,
            Op::Lock(_) | Op::SpinLock | Op::ReadLock(_) | Op::WriteLock(_) => self.blockers(state, thread).is_empty(),
            Op::OnceEnter { .. } => state.once != Once::Running,
            Op::Join(child) => state.threads[child.index()].phase == Phase::Ended,
            Op::SpinWhile { place, equals, .. } => state.value(place) != equals,
            _ => true,
        }
    }

    /// The threads that own what this one waits for: itself, where it relocks.
    fn blockers(&self, state: &State, thread: ThreadId) -> Threads {
        let phase = state.threads[thread.index()].phase;
        if !matches!(phase, Phase::Running | Phase::Woken(_) | Phase::TimedOut) {
            return Threads::default();
        }
        match self.instr(state, thread).op {
            Op::Wait { mutex, .. } if phase != Phase::Running => state.mutexes[usize::from(mutex.0)].owner.into(),
            Op::Lock(id) => {
                let owner = state.mutexes[usize::from(id.0)].owner;
                let relock = owner == Some(thread) && self.program.mutexes[usize::from(id.0)] != MutexKind::Normal;
                if relock { Threads::default() } else { owner.into() }
            }
            Op::SpinLock => state.spin.into(),
            Op::ReadLock(id) => state.rwlocks[usize::from(id.0)].writer.into(),
            Op::WriteLock(id) => {
                let lock = &state.rwlocks[usize::from(id.0)];
                let readers = self.ids().filter(|reader| lock.readers[reader.index()] > 0);
                readers.map(|reader| Threads::from(Some(reader))).fold(lock.writer.into(), Threads::union)
            }
            _ => Threads::default(),
        }
    }

    /// The lines of all threads that have started and not ended.
    pub(super) fn standing(&self, state: &State) -> Vec<u32> {
        let alive =
            |thread: &ThreadId| !matches!(state.threads[thread.index()].phase, Phase::NotStarted | Phase::Ended);
        let mut lines: Vec<u32> = self.ids().filter(alive).map(|thread| self.instr(state, thread).line).collect();
        lines.sort_unstable();
        lines
    }

    /// The lines of each cycle of threads that wait for locks owned by the next.
    pub(super) fn owner_cycles(&self, state: &State) -> Vec<Vec<u32>> {
        let mut cycles = Vec::new();
        for start in self.ids().filter(|&thread| !self.blockers(state, thread).is_empty()) {
            self.close_cycles(state, &mut vec![start], &mut cycles);
        }
        cycles
    }

    fn close_cycles(&self, state: &State, path: &mut Vec<ThreadId>, cycles: &mut Vec<Vec<u32>>) {
        let blockers = self.blockers(state, path[path.len() - 1]);
        for next in self.ids().filter(|&thread| blockers.contains(thread)) {
            if next == path[0] {
                let mut lines: Vec<u32> = path.iter().map(|&thread| self.instr(state, thread).line).collect();
                lines.sort_unstable();
                cycles.push(lines);
            } else if !path.contains(&next) {
                path.push(next);
                self.close_cycles(state, path, cycles);
                path.pop();
            }
        }
    }

    /// Makes `chosen` happen, which must be among [`Machine::moves`], and notes what is wrong with it.
    pub(super) fn step(
        &self,
        state: &mut State,
        execution: &mut Execution,
        chosen: Move,
        found: &mut Expectation,
    ) -> Outcome {
        // Two events is the most that one move adds.
        if execution.len() + 2 > MAX_EVENTS {
            return Outcome::TooLong;
        }
        let thread = chosen.thread();
        if let Move::TimeOut(_) = chosen {
            state.threads[thread.index()].phase = Phase::TimedOut;
            return Outcome::Continues;
        }
        if let Move::WakeSpuriously(_) = chosen {
            let (site, _, timed) = self.wait(state, thread);
            state.threads[thread.index()].spurious[site] += 1;
            state.threads[thread.index()].phase = Phase::Woken(None);
            if timed || self.semantics.preemptions.is_none() {
                return Outcome::Continues;
            }
        }
        match chosen {
            Move::Signal { wakes, .. } => {
                let line = self.instr(state, thread).line;
                let signal = execution.add(thread, Action::Signal, line, |_| {});
                state.threads[wakes.index()].phase = Phase::Woken(Some(signal));
                self.proceed(state, thread)
            }
            Move::Complete { serial, .. } => {
                let line = self.instr(state, thread).line;
                execution.add(thread, Action::Arrive(state.round), line, |_| {});
                for member in self.at_barrier(state, thread) {
                    state.threads[member.index()].phase =
                        Phase::Through { serial: member == serial, round: state.round };
                }
                state.round += 1;
                Outcome::Continues
            }
            Move::Run(_) if state.threads[thread.index()].phase == Phase::Created => {
                state.threads[thread.index()].phase = Phase::Ended;
                Outcome::Continues
            }
            Move::Run(_) | Move::WakeSpuriously(_) | Move::TimeOut(_) => {
                let mut step = Step { machine: self, state, execution, thread };
                match step.run(found) {
                    Ok(()) => self.proceed(state, thread),
                    Err(outcome) => outcome,
                }
            }
        }
    }

    /// Whether threads beside `main` have something left to do.
    fn others_live(&self, state: &State) -> bool {
        let mut others = state.threads.iter().skip(1);
        others.any(|other| !matches!(other.phase, Phase::NotStarted | Phase::Ended))
    }

    /// Leaves the instruction just executed. A thread that fell asleep stays at its wait.
    fn proceed(&self, state: &mut State, thread: ThreadId) -> Outcome {
        let at = &mut state.threads[thread.index()];
        if at.phase == Phase::Running {
            at.pc = at.pc.next();
        }
        self.run_local(state, thread).map_or(Outcome::Continues, Outcome::Returned)
    }

    /// Runs local instructions up to the next visible one. Returns what `main` printed if it returned.
    fn run_local(&self, state: &mut State, thread: ThreadId) -> Option<String> {
        let mut printed = None;
        while state.threads[thread.index()].phase == Phase::Running {
            let instr = self.instr(state, thread);
            self.reached.borrow_mut().insert(instr.line);
            let others_live = self.others_live(state);
            let at = &mut state.threads[thread.index()];
            let reg = |reg: Reg| at.regs[usize::from(reg.0)];
            match instr.op {
                Op::Set { dst, value } => {
                    at.regs[usize::from(dst.0)] = evaluate(at, value);
                    at.pc = at.pc.next();
                }
                Op::Jump(target) => at.pc = target,
                Op::Branch { reg: tested, equal, constant, otherwise } => {
                    at.pc = if (reg(tested) == constant) == equal { at.pc.next() } else { otherwise };
                }
                Op::Assert { reg: tested, not } if reg(tested) != not => at.pc = at.pc.next(),
                // The process ends here, which ends the other threads: then it is a step.
                Op::Print { .. } if others_live => break,
                Op::Print { first, count } => {
                    printed = Some(printed_text(at, first, count));
                    at.pc = at.pc.next();
                }
                Op::End => at.phase = Phase::Ended,
                _ => break,
            }
        }
        printed
    }
}

fn printed_text(thread: &Thread, first: Reg, count: u8) -> String {
    let values = &thread.regs[usize::from(first.0)..][..usize::from(count)];
    let texts: Vec<String> = values.iter().map(i32::to_string).collect();
    texts.join(" ") + "\n"
}

fn evaluate(thread: &Thread, value: Operand) -> i32 {
    match value {
        Operand::Const(constant) => constant,
        Operand::Reg(reg) => thread.regs[usize::from(reg.0)],
        Operand::Sum(reg, constant) => thread.regs[usize::from(reg.0)] + constant,
    }
}

/// One visible instruction of one thread.
struct Step<'a, 'm> {
    machine: &'a Machine<'m>,
    state: &'a mut State,
    execution: &'a mut Execution,
    thread: ThreadId,
}

impl Step<'_, '_> {
    /// Executes the instruction; an error ends the execution. Leaves the program counter before the next one.
    fn run(&mut self, found: &mut Expectation) -> Result<(), Outcome> {
        let Instr { op, line } = self.machine.instr(self.state, self.thread);
        if self.goes_through(op, line) {
            return Ok(());
        }
        match op {
            Op::Read { .. }
            | Op::Write { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CompareExchange { .. }
            | Op::SpinWhile { .. }
            | Op::Free => self.access(op, line, found),
            Op::Fence { order } => {
                let ordering = Ordering { acquires: order.acquires(), releases: order.releases() };
                self.event(Action::Fence(ordering), line);
                Ok(())
            }
            Op::Lock(_) | Op::Unlock(_) | Op::TryLock { .. } | Op::Wait { .. } => self.mutex(op, line, found),
            Op::SpinLock | Op::SpinUnlock | Op::TrySpin { .. } => self.spin(op, line, found),
            Op::SemWait | Op::SemPost | Op::TrySem { .. } => {
                self.semaphore(op, line);
                Ok(())
            }
            // The last to arrive makes a move of its own.
            Op::Barrier { .. } => {
                self.event(Action::Arrive(self.state.round), line);
                self.me().phase = Phase::Arrived;
                Ok(())
            }
            Op::ReadLock(_) | Op::WriteLock(_) | Op::RwUnlock(_) => self.rwlock(op, line, found),
            // Nobody waits: a signal that has a receiver is a move of its own.
            Op::Signal => Ok(()),
            Op::Broadcast => {
                let signal = self.event(Action::Signal, line);
                for thread in &mut self.state.threads {
                    if thread.phase == Phase::Asleep {
                        thread.phase = Phase::Woken(Some(signal));
                    }
                }
                Ok(())
            }
            Op::OnceEnter { done } => {
                if self.state.once == Once::Never {
                    self.state.once = Once::Running;
                } else {
                    self.event(Action::OncePassed, line);
                    self.jump(done);
                }
                Ok(())
            }
            Op::OnceExit => {
                self.state.once = Once::Done;
                self.event(Action::OnceDone, line);
                Ok(())
            }
            Op::Create(child) => {
                self.create(child, line);
                Ok(())
            }
            Op::Join(child) => {
                self.event(Action::Join(child), line);
                Ok(())
            }
            Op::Print { first, count } => Err(Outcome::Returned(printed_text(self.me(), first, count))),
            // It fails.
            Op::Assert { .. } => {
                found.assertions.insert(line);
                Err(Outcome::Ended)
            }
            Op::Set { .. } | Op::Jump(_) | Op::Branch { .. } | Op::End => {
                unreachable!("{op:?} runs with the step before it")
            }
        }
    }

    /// What a thread does first that was woken from a wait, or let through a barrier; false if it is none.
    fn goes_through(&mut self, op: Op, line: u32) -> bool {
        if let phase @ (Phase::Woken(_) | Phase::TimedOut) = self.me().phase {
            let Op::Wait { mutex, timed, .. } = op else { unreachable!("woken at {op:?}") };
            self.me().phase = Phase::Running;
            if let Some(dst) = timed {
                self.set(dst, i32::from(phase == Phase::TimedOut));
            }
            let woken_by = if let Phase::Woken(woken_by) = phase { woken_by } else { None };
            self.take(mutex, line, woken_by);
            return true;
        }
        if let Phase::Through { serial, round } = self.me().phase {
            let Op::Barrier { dst } = op else { unreachable!("let through at {op:?}") };
            self.me().phase = Phase::Running;
            self.event(Action::Passed(round), line);
            if let Some(dst) = dst {
                self.set(dst, i32::from(serial));
            }
            return true;
        }
        false
    }

    fn create(&mut self, child: ThreadId, line: u32) {
        self.event(Action::Create(child), line);
        self.state.threads[child.index()].phase = Phase::Running;
        self.machine.run_local(self.state, child);
        let phase = &mut self.state.threads[child.index()].phase;
        if *phase == Phase::Ended && self.machine.semantics.preemptions.is_some() {
            *phase = Phase::Created;
        }
    }

    fn me(&mut self) -> &mut Thread {
        &mut self.state.threads[self.thread.index()]
    }

    /// Goes on at `target`; the caller steps over one instruction afterwards.
    fn jump(&mut self, target: Pc) {
        self.me().pc = Pc(target.0 - 1);
    }

    /// Adds an event that accesses no memory, and so cannot race.
    fn event(&mut self, action: Action, line: u32) -> EventIx {
        self.execution.add(self.thread, action, line, |_| {})
    }

    fn access(&mut self, op: Op, line: u32, found: &mut Expectation) -> Result<(), Outcome> {
        let no_order = Ordering { acquires: false, releases: false };
        let (place, kind, atomic) = match op {
            Op::Read { place, .. } => (place, AccessKind::Read, None),
            Op::Write { place, .. } => (place, AccessKind::Write, None),
            Op::Load { place, order, .. } => {
                (place, AccessKind::Read, Some(Ordering { acquires: order.acquires(), ..no_order }))
            }
            Op::Store { place, order, .. } => {
                (place, AccessKind::Write, Some(Ordering { releases: order.releases(), ..no_order }))
            }
            Op::Rmw { place, order, .. } => {
                let ordering = Ordering { acquires: order.acquires(), releases: order.releases() };
                (place, AccessKind::ReadWrite, Some(ordering))
            }
            // C11 7.17.7.4p2: a compare-exchange that fails is only a load, with the order for failure.
            Op::CompareExchange { place, expected, order, failure, .. } => {
                if self.value(place) == expected {
                    let ordering = Ordering { acquires: order.acquires(), releases: order.releases() };
                    (place, AccessKind::ReadWrite, Some(ordering))
                } else {
                    (place, AccessKind::Read, Some(Ordering { acquires: failure.acquires(), ..no_order }))
                }
            }
            Op::SpinWhile { place, takes: true, order, .. } => {
                let ordering = Ordering { acquires: order.acquires(), releases: order.releases() };
                (place, AccessKind::ReadWrite, Some(ordering))
            }
            Op::SpinWhile { place, takes: false, order, .. } => {
                (place, AccessKind::Read, Some(Ordering { acquires: order.acquires(), ..no_order }))
            }
            Op::Free => (Place::Heap, AccessKind::Free, None),
            _ => unreachable!("{op:?} accesses no memory"),
        };
        self.record(place, kind, atomic, line, found)?;
        self.transfer(op, place);
        Ok(())
    }

    /// Adds the access to the execution; one to freed memory ends it.
    fn record(
        &mut self,
        place: Place,
        kind: AccessKind,
        atomic: Option<Ordering>,
        line: u32,
        found: &mut Expectation,
    ) -> Result<(), Outcome> {
        let mut races_with_free = false;
        self.execution.add(self.thread, Action::Access { place, kind, atomic }, line, |race| {
            let frees = [race.first(), race.second()].iter().filter(|site| site.access == AccessKind::Free).count();
            races_with_free |= frees > usize::from(kind == AccessKind::Free);
            found.races.insert(race);
        });
        if place != Place::Heap || !self.state.cell_freed {
            return Ok(());
        }
        // An unordered use is the race, and nothing else.
        if !races_with_free || self.machine.program.cell == Cell::OfBlock {
            let double = kind == AccessKind::Free;
            let fault = if double { MemoryFault::DoubleFree } else { MemoryFault::UseAfterFree };
            found.memory.insert((line, fault));
        }
        Err(Outcome::Ended)
    }

    /// Moves the values of an access.
    fn transfer(&mut self, op: Op, place: Place) {
        let old = self.value(place);
        match op {
            Op::Read { dst, .. } | Op::Load { dst, .. } => self.set(dst, old),
            Op::Write { value, .. } | Op::Store { value, .. } => {
                let new = evaluate(self.me(), value);
                self.assign(place, new);
            }
            Op::Rmw { dst, update, .. } => {
                self.set(dst, old);
                self.assign(
                    place,
                    match update {
                        Update::Add(operand) => old + operand,
                        Update::Swap(value) => value,
                    },
                );
            }
            Op::CompareExchange { dst, expected, desired, .. } => {
                if old == expected {
                    self.assign(place, desired);
                }
                self.set(dst, i32::from(old == expected));
            }
            Op::SpinWhile { equals, takes, .. } => {
                if takes {
                    self.assign(place, equals);
                }
            }
            _ => self.state.cell_freed = true,
        }
    }

    fn value(&self, place: Place) -> i32 {
        self.state.value(place)
    }

    fn assign(&mut self, place: Place, value: i32) {
        match place {
            Place::Global(var) => self.state.vars[usize::from(var.0)] = value,
            Place::Heap => self.state.cell = value,
        }
    }

    fn set(&mut self, dst: Reg, value: i32) {
        self.me().regs[usize::from(dst.0)] = value;
    }
}
