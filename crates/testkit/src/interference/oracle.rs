//! All inputs and all interleavings, and the least degree of each way at each branch, or of each pair of a write and a read.

use super::ast::{CELLS, Condition, INPUTS, LOCALS, Operand, Program, Relation, Stmt, Value};
use std::collections::{BTreeMap, HashSet};

/// By branch, as [`super::Rendered::branches`] numbers them, and whether its condition holds: the least degree.
pub type Degrees = BTreeMap<(usize, bool), u32>;

/// By write and read, as [`super::Rendered::accesses`] numbers their statements: the least degree with which the read returns what the write of
/// another thread left. What `main` has written before there are threads is there from the beginning, and no write.
pub type Pairs = BTreeMap<(usize, usize), u32>;

/// There are more states than can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

const MOST_STATES: usize = 1_500_000;
/// Events of one thread; a degree is a set of them.
const MOST_EVENTS: usize = 25;
const MAX_THREADS: usize = 5;

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
enum Instr {
    Read {
        dst: usize,
        var: usize,
    },
    Write {
        var: usize,
        value: Value,
    },
    FetchAdd {
        dst: usize,
        var: usize,
        by: u8,
    },
    Exchange {
        dst: usize,
        var: usize,
        expected: u8,
        desired: u8,
    },
    /// Reads the pointer; the second reads or writes where it leads.
    ReadPointer,
    Point {
        cell: usize,
    },
    ReadCell {
        dst: usize,
    },
    WriteCell {
        value: Value,
    },
    Lock(usize),
    Unlock(usize),
    Post(usize),
    Down(usize),
    TryDown {
        branch: usize,
        semaphore: usize,
        otherwise: usize,
    },
    Count {
        dst: usize,
        semaphore: usize,
    },
    Begin,
    /// The end of an atomic section, which is no step of its own.
    Over,
    /// Whether a thread has ended.
    Ended {
        branch: usize,
        child: usize,
        otherwise: usize,
    },
    Arrive {
        barrier: usize,
        looks: bool,
    },
    /// Behind that.
    Pass {
        dst: Option<usize>,
    },
    Wait {
        condition: usize,
        mutex: usize,
    },
    /// Behind that.
    Wake {
        condition: usize,
        mutex: usize,
        limit: Option<usize>,
    },
    /// Behind the body, the function has been called.
    Once {
        once: usize,
        behind: usize,
    },
    Done(usize),
    Signal {
        condition: usize,
        all: bool,
    },
    TryLock {
        branch: usize,
        mutex: usize,
        otherwise: usize,
    },
    If {
        branch: usize,
        condition: Condition,
        otherwise: usize,
    },
    /// The statement whose accesses come next, which is no step.
    At(usize),
    Jump(usize),
    Create(usize),
    Join(usize),
    End,
}

/// Reads that have been interfered with, by thread and event.
type Past = u128;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Written {
    by: Option<(u8, u8)>,
    past: Past,
    /// By which statement, if that is asked for.
    at: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    alive: bool,
    ended: bool,
    pc: usize,
    /// The statement whose accesses it does.
    at: usize,
    locals: [u16; LOCALS],
    pointer: u16,
    events: u8,
    past: Past,
    /// Events of each thread that creation and waiting for ends order before what comes.
    ordered: [u8; MAX_THREADS],
    /// A barrier lets it through: as the serial one or not, and what was before all who arrived.
    through: Option<(bool, Past)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    values: Vec<u16>,
    written: Vec<Written>,
    /// Who has it, by which event, and what was before that.
    mutexes: Vec<Option<(u8, u8, Past)>>,
    semaphores: Vec<Semaphore>,
    /// Who is in an atomic section.
    section: Option<usize>,
    /// Who waits, ascending, and, once they are told to wake up, what was before that.
    waiting: Vec<Vec<(usize, Option<Past>)>>,
    /// Who has arrived and is not let through, ascending, whether the thread will look who is the serial one, and what was before that.
    arrived: Vec<Vec<(usize, bool, Past)>>,
    /// Of what is called once: not yet, or by whom, and once that is over, by which event, and what was before.
    called: Vec<Option<(usize, Option<Written>)>>,
    inputs: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Semaphore {
    /// What there is to take, by where it is from, ascending.
    tokens: Vec<Written>,
    /// By thread, the last event by which it has posted or taken something.
    changed: [u8; MAX_THREADS],
    /// What was before all of these.
    past: Past,
}

/// The least degrees of a program's ways.
///
/// # Errors
/// When there is too much to look at.
pub fn degrees(program: &Program) -> Result<Degrees, TooMany> {
    Search::of(program, false).map(|search| search.degrees)
}

/// The pairs of a write and a read of another thread that finds it.
///
/// # Errors
/// When there is too much to look at.
pub fn pairs(program: &Program) -> Result<Pairs, TooMany> {
    Search::of(program, true).map(|search| search.pairs)
}

/// The instructions of each thread: `main` first, then those that it creates, then the nested one.
struct Code {
    threads: Vec<Vec<Instr>>,
    routines: Vec<Vec<Stmt>>,
    branches: usize,
    /// Statements that access something, so far.
    accesses: usize,
}

impl Code {
    fn of(program: &Program) -> Code {
        let routines = program.once.clone();
        // What is called once stands before everything else.
        let accesses = routines.iter().map(Vec::len).sum();
        let mut code = Code { threads: Vec::new(), routines, branches: 0, accesses };
        let nested = program.nested.as_ref().map(|body| code.thread(&[], body));
        let nested_number = program.threads.len() + 1;
        let mut threads = Vec::new();
        for (number, body) in program.threads.iter().enumerate() {
            let creates = number == 0 && program.nested.is_some();
            let before: &[Instr] = if creates { &[Instr::Create(nested_number)] } else { &[] };
            threads.push(code.thread(before, body));
        }
        let mut main = Vec::new();
        code.body(&program.first, &mut main);
        for number in 1..=program.threads.len() {
            main.push(Instr::Create(number));
            if number == 1 {
                code.body(&program.between, &mut main);
            }
        }
        let joined = program.joined.iter().enumerate().filter(|(_, joined)| **joined);
        main.extend(joined.map(|(number, _)| Instr::Join(number + 1)));
        for (number, looks) in program.looks.iter().enumerate() {
            if let Some(looks) = looks {
                let branch = code.next_branch();
                let instr = |otherwise| Instr::Ended { branch, child: number + 1, otherwise };
                code.either(&looks.ended, &looks.otherwise, &mut main, instr);
            }
        }
        code.body(&program.last, &mut main);
        main.push(Instr::End);
        code.threads = std::iter::once(main).chain(threads).chain(nested).collect();
        code
    }

    fn thread(&mut self, before: &[Instr], body: &[Stmt]) -> Vec<Instr> {
        let mut instrs = before.to_vec();
        self.body(body, &mut instrs);
        instrs.push(Instr::End);
        instrs
    }

    fn body(&mut self, body: &[Stmt], to: &mut Vec<Instr>) {
        for stmt in body {
            self.stmt(stmt, to);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, to: &mut Vec<Instr>) {
        if stmt.accesses() {
            to.push(Instr::At(self.accesses));
            self.accesses += 1;
        }
        match *stmt {
            Stmt::Read { dst, var } => to.push(Instr::Read { dst, var }),
            Stmt::Write { var, value } => to.push(Instr::Write { var, value }),
            Stmt::FetchAdd { dst, var, by } => to.push(Instr::FetchAdd { dst, var, by }),
            Stmt::Exchange { dst, var, expected, desired } => {
                to.push(Instr::Exchange { dst, var, expected, desired });
            }
            Stmt::Point { cell } => to.push(Instr::Point { cell }),
            Stmt::ReadThrough { dst } => to.extend([Instr::ReadPointer, Instr::ReadCell { dst }]),
            Stmt::WriteThrough { value } => to.extend([Instr::ReadPointer, Instr::WriteCell { value }]),
            Stmt::Post(semaphore) => to.push(Instr::Post(semaphore)),
            Stmt::Down(semaphore) => to.push(Instr::Down(semaphore)),
            Stmt::Barrier { barrier, dst } => {
                to.extend([Instr::Arrive { barrier, looks: dst.is_some() }, Instr::Pass { dst }]);
            }
            // Who gives up takes the mutex with a step of its own; who is woken passes by that.
            Stmt::Wait { condition, mutex, limit } => {
                to.extend([Instr::Wait { condition, mutex }, Instr::Wake { condition, mutex, limit }]);
                to.extend(limit.map(|_| Instr::Lock(mutex)));
            }
            Stmt::Once(once) => {
                let at = to.len();
                to.push(Instr::End);
                let routine = self.routines[once].clone();
                let here = self.routines[..once].iter().map(Vec::len).sum();
                let others = std::mem::replace(&mut self.accesses, here);
                self.body(&routine, to);
                self.accesses = others;
                to.push(Instr::Done(once));
                to[at] = Instr::Once { once, behind: to.len() };
            }
            Stmt::Signal { condition, all } => to.push(Instr::Signal { condition, all }),
            Stmt::Lock(mutex) => to.push(Instr::Lock(mutex)),
            Stmt::Unlock(mutex) => to.push(Instr::Unlock(mutex)),
            Stmt::TryLock { mutex, ref taken, ref busy } => {
                let branch = self.next_branch();
                let at = to.len();
                to.push(Instr::End);
                self.body(taken, to);
                to.push(Instr::Unlock(mutex));
                self.otherwise(busy, to, |otherwise| Instr::TryLock { branch, mutex, otherwise }, at);
            }
            Stmt::TryDown { semaphore, ref taken, ref busy, .. } => {
                let branch = self.next_branch();
                self.either(taken, busy, to, |otherwise| Instr::TryDown { branch, semaphore, otherwise });
            }
            Stmt::Count { dst, semaphore } => to.push(Instr::Count { dst, semaphore }),
            Stmt::Section(ref body) => {
                to.push(Instr::Begin);
                self.body(body, to);
                to.push(Instr::Over);
            }
            Stmt::If { condition, ref then, ref otherwise } => {
                let branch = self.next_branch();
                self.either(then, otherwise, to, |otherwise| Instr::If { branch, condition, otherwise });
            }
        }
    }

    fn either(&mut self, then: &[Stmt], otherwise: &[Stmt], to: &mut Vec<Instr>, instr: impl Fn(usize) -> Instr) {
        let at = to.len();
        to.push(Instr::End);
        self.body(then, to);
        self.otherwise(otherwise, to, instr, at);
    }

    fn next_branch(&mut self) -> usize {
        self.branches += 1;
        self.branches - 1
    }

    fn otherwise(&mut self, body: &[Stmt], to: &mut Vec<Instr>, instr: impl Fn(usize) -> Instr, at: usize) {
        let jump = to.len();
        to.push(Instr::End);
        to[at] = instr(to.len());
        self.body(body, to);
        to[jump] = Instr::Jump(to.len());
    }
}

struct Search {
    code: Code,
    /// For how many threads barriers are.
    barriers: Vec<u8>,
    degrees: Degrees,
    /// Whether pairs are asked for.
    asks: bool,
    pairs: Pairs,
    seen: HashSet<State>,
}

impl Search {
    /// All of it.
    fn of(program: &Program, asks: bool) -> Result<Search, TooMany> {
        let (code, barriers) = (Code::of(program), program.barriers.clone());
        let (degrees, pairs, seen) = (Degrees::new(), Pairs::new(), HashSet::new());
        let mut search = Search { code, barriers, degrees, asks, pairs, seen };
        let mut inputs = vec![0; program.inputs];
        loop {
            let state = search.start(program, inputs.clone());
            search.visit(state)?;
            let Some(at) = inputs.iter().position(|&input| input < INPUTS) else { return Ok(search) };
            inputs[at] += 1;
            inputs[..at].fill(0);
        }
    }

    fn start(&mut self, program: &Program, inputs: Vec<u8>) -> State {
        let thread = Thread {
            alive: false,
            ended: false,
            pc: 0,
            at: 0,
            locals: [0; LOCALS],
            pointer: 0,
            events: 0,
            past: 0,
            ordered: [0; MAX_THREADS],
            through: None,
        };
        // Variables, cells, and the pointer.
        let places = program.vars.len() + CELLS + 1;
        let mut state = State {
            threads: vec![thread; self.code.threads.len()],
            values: vec![0; places],
            written: vec![Written::default(); places],
            mutexes: vec![None; program.mutexes],
            semaphores: program.semaphores.iter().map(|count| Semaphore::of(*count)).collect(),
            section: None,
            waiting: vec![Vec::new(); program.conditions],
            arrived: vec![Vec::new(); program.barriers.len()],
            called: vec![None; program.once.len()],
            inputs,
        };
        state.threads[0].alive = true;
        self.run_quiet(&mut state, 0);
        state
    }

    fn visit(&mut self, start: State) -> Result<(), TooMany> {
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            for thread in 0..state.threads.len() {
                if !self.may_move(&state, thread) {
                    continue;
                }
                for way in 0..self.ways(&state, thread) {
                    let mut next = state.clone();
                    self.step(&mut next, thread, way)?;
                    if self.seen.len() > MOST_STATES {
                        return Err(TooMany);
                    }
                    if self.seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        Ok(())
    }

    fn may_move(&self, state: &State, thread: usize) -> bool {
        let at = &state.threads[thread];
        at.alive
            && !at.ended
            && state.section.is_none_or(|other| other == thread)
            && match self.code.threads[thread][at.pc] {
                Instr::Lock(mutex) => state.mutexes[mutex].is_none(),
                Instr::Wake { condition, mutex, limit } => match is_told(state, thread, condition) {
                    true => state.mutexes[mutex].is_none(),
                    false => limit.is_some(),
                },
                Instr::Once { once, .. } => state.called[once].is_none_or(|(_, over)| over.is_some()),
                Instr::Pass { .. } => at.through.is_some(),
                Instr::Down(semaphore) => !state.semaphores[semaphore].tokens.is_empty(),
                Instr::Join(child) => state.threads[child].ended,
                _ => true,
            }
    }

    /// In how many ways a thread can take its next step: whom it wakes; who of those that it lets through is the serial one, if any looks; and which token it takes of a semaphore, which is nowhere written.
    fn ways(&self, state: &State, thread: usize) -> usize {
        match self.code.threads[thread][state.threads[thread].pc] {
            Instr::Down(semaphore) => state.semaphores[semaphore].tokens.len(),
            Instr::TryDown { semaphore, .. } => state.semaphores[semaphore].tokens.len().max(1),
            // Who has ended may take a moment longer.
            Instr::Ended { child, .. } => 1 + usize::from(state.threads[child].ended),
            Instr::Arrive { barrier, looks } => {
                let (count, arrived) = (usize::from(self.barriers[barrier]), &state.arrived[barrier]);
                let any_looks = looks || arrived.iter().any(|(_, looks, _)| *looks);
                if arrived.len() + 1 == count && any_looks { count } else { 1 }
            }
            Instr::Signal { condition, all: false } => {
                state.waiting[condition].iter().filter(|(_, told)| told.is_none()).count().max(1)
            }
            _ => 1,
        }
    }

    /// Branches, creations and jumps are nobody else's business.
    fn run_quiet(&mut self, state: &mut State, thread: usize) {
        loop {
            let at = state.threads[thread].pc;
            match self.code.threads[thread][at] {
                Instr::If { branch, condition, otherwise } => {
                    let holds = holds(state, thread, condition);
                    self.note(branch, holds, state.threads[thread].past);
                    state.threads[thread].pc = if holds { at + 1 } else { otherwise };
                }
                Instr::Jump(to) => state.threads[thread].pc = to,
                Instr::At(stmt) => {
                    state.threads[thread].at = stmt;
                    state.threads[thread].pc += 1;
                }
                Instr::Over => {
                    state.section = None;
                    state.threads[thread].pc += 1;
                }
                Instr::Create(child) => {
                    state.threads[thread].pc += 1;
                    let parent = state.threads[thread].clone();
                    let created = &mut state.threads[child];
                    created.alive = true;
                    created.past = parent.past;
                    created.ordered = parent.ordered;
                    created.ordered[thread] = parent.events;
                    self.run_quiet(state, child);
                }
                Instr::End => {
                    state.threads[thread].ended = true;
                    return;
                }
                _ => return,
            }
        }
    }

    fn note(&mut self, branch: usize, holds: bool, past: Past) {
        let degree = past.count_ones();
        let known = self.degrees.entry((branch, holds)).or_insert(degree);
        *known = (*known).min(degree);
    }

    fn read(&mut self, state: &mut State, thread: usize, place: usize) -> Result<u16, TooMany> {
        let written = state.written[place];
        interfere(state, thread, written)?;
        if let Some((by, event)) = written.by.filter(|(by, _)| self.asks && usize::from(*by) != thread) {
            // The first thread that `main` creates knows what was done before.
            let is_first = by == 0 && event <= state.threads[1].ordered[0];
            if !is_first {
                let me = &state.threads[thread];
                let degree = me.past.count_ones();
                let known = self.pairs.entry((written.at, me.at)).or_insert(degree);
                *known = (*known).min(degree);
            }
        }
        Ok(state.values[place])
    }

    fn write(&self, state: &mut State, thread: usize, place: usize, value: u16) {
        let me = &mut state.threads[thread];
        me.events += 1;
        state.values[place] = value;
        let at = if self.asks { me.at } else { 0 };
        state.written[place] = Written { by: Some((thread as u8, me.events)), past: me.past, at };
    }

    fn step(&mut self, state: &mut State, thread: usize, way: usize) -> Result<(), TooMany> {
        let at = state.threads[thread].pc;
        let instr = self.code.threads[thread][at];
        state.threads[thread].pc += 1;
        let vars = state.values.len() - CELLS - 1;
        let pointer = vars + CELLS;
        match instr {
            Instr::Read { dst, var } => state.threads[thread].locals[dst] = self.read(state, thread, var)?,
            Instr::Write { var, value } => {
                let value = evaluate(state, thread, value);
                self.write(state, thread, var, value);
            }
            Instr::FetchAdd { dst, var, by } => {
                let old = self.read(state, thread, var)?;
                self.write(state, thread, var, old + u16::from(by));
                state.threads[thread].locals[dst] = old;
            }
            Instr::Exchange { dst, var, expected, desired } => {
                let old = self.read(state, thread, var)?;
                if old == u16::from(expected) {
                    self.write(state, thread, var, u16::from(desired));
                }
                state.threads[thread].locals[dst] = u16::from(old == u16::from(expected));
            }
            Instr::Point { cell } => self.write(state, thread, pointer, cell as u16),
            Instr::ReadPointer => state.threads[thread].pointer = self.read(state, thread, pointer)?,
            Instr::ReadCell { dst } => {
                let cell = vars + usize::from(state.threads[thread].pointer);
                state.threads[thread].locals[dst] = self.read(state, thread, cell)?;
            }
            Instr::WriteCell { value } => {
                let cell = vars + usize::from(state.threads[thread].pointer);
                let value = evaluate(state, thread, value);
                self.write(state, thread, cell, value);
            }
            Instr::Lock(mutex) => take(state, thread, mutex),
            Instr::Unlock(mutex) => state.mutexes[mutex] = None,
            Instr::Post(semaphore) => {
                let written = change(state, thread, semaphore)?;
                let tokens = &mut state.semaphores[semaphore].tokens;
                tokens.push(written);
                tokens.sort_unstable();
            }
            Instr::Down(semaphore) => {
                let token = state.semaphores[semaphore].tokens.remove(way);
                state.threads[thread].past |= token.past;
                change(state, thread, semaphore)?;
            }
            Instr::TryDown { branch, semaphore, otherwise } => {
                let taken = !state.semaphores[semaphore].tokens.is_empty();
                if taken {
                    // That there is something is an outcome.
                    let token = state.semaphores[semaphore].tokens.remove(way);
                    interfere(state, thread, token)?;
                    change(state, thread, semaphore)?;
                } else {
                    look(state, thread, semaphore)?;
                    state.threads[thread].pc = otherwise;
                }
                self.note(branch, taken, state.threads[thread].past);
            }
            Instr::Count { dst, semaphore } => {
                look(state, thread, semaphore)?;
                state.threads[thread].locals[dst] = state.semaphores[semaphore].tokens.len() as u16;
            }
            Instr::Begin => state.section = Some(thread),
            Instr::Ended { branch, child, otherwise } => {
                match way {
                    0 => state.threads[thread].pc = otherwise,
                    _ => {
                        join(state, thread, child);
                        count(state, thread)?;
                    }
                }
                self.note(branch, way > 0, state.threads[thread].past);
            }
            Instr::TryLock { branch, mutex, otherwise } => {
                match state.mutexes[mutex] {
                    None => take(state, thread, mutex),
                    Some((holder, event, past)) => {
                        state.threads[thread].pc = otherwise;
                        interfere(state, thread, Written { by: Some((holder, event)), past, at: 0 })?;
                    }
                }
                let taken = state.threads[thread].pc != otherwise;
                self.note(branch, taken, state.threads[thread].past);
            }
            Instr::Arrive { barrier, looks } => {
                let past = state.threads[thread].past;
                state.arrived[barrier].push((thread, looks, past));
                state.arrived[barrier].sort_unstable();
                if state.arrived[barrier].len() == usize::from(self.barriers[barrier]) {
                    let all = std::mem::take(&mut state.arrived[barrier]);
                    let past = all.iter().fold(0, |past, (_, _, of)| past | of);
                    for (number, (member, ..)) in all.into_iter().enumerate() {
                        state.threads[member].through = Some((number == way, past));
                    }
                }
            }
            Instr::Pass { dst } => {
                let me = &mut state.threads[thread];
                let (serial, past) = me.through.take().expect("it is let through");
                me.past |= past;
                if let Some(dst) = dst {
                    me.locals[dst] = u16::from(serial);
                }
            }
            Instr::Wait { condition, mutex } => {
                state.mutexes[mutex] = None;
                state.waiting[condition].push((thread, None));
                state.waiting[condition].sort_unstable();
            }
            Instr::Wake { condition, limit: Some(dst), .. } if !is_told(state, thread, condition) => {
                state.waiting[condition].retain(|(who, _)| *who != thread);
                state.threads[thread].locals[dst] = 1;
            }
            Instr::Once { once, behind } => match state.called[once] {
                None => state.called[once] = Some((thread, None)),
                Some((by, over)) => {
                    state.threads[thread].pc = behind;
                    // That another one has called it is an outcome.
                    if by != thread {
                        interfere(state, thread, over.expect("it is over"))?;
                    }
                }
            },
            Instr::Done(once) => {
                let me = &mut state.threads[thread];
                me.events += 1;
                let over = Written { by: Some((thread as u8, me.events)), past: me.past, at: 0 };
                state.called[once] = Some((thread, Some(over)));
            }
            Instr::Wake { condition, mutex, limit } => {
                let waiting = &mut state.waiting[condition];
                let at = waiting.iter().position(|(who, _)| *who == thread).expect("it waits");
                let (_, past) = waiting.remove(at);
                state.threads[thread].past |= past.expect("it was told");
                if let Some(dst) = limit {
                    // So is that it was woken in time.
                    count(state, thread)?;
                    let me = &mut state.threads[thread];
                    me.locals[dst] = 0;
                    me.pc += 1;
                }
                take(state, thread, mutex);
            }
            Instr::Signal { condition, all } => {
                let past = state.threads[thread].past;
                let idle = state.waiting[condition].iter_mut().filter(|(_, told)| told.is_none());
                let chosen = idle.skip(if all { 0 } else { way }).take(if all { usize::MAX } else { 1 });
                chosen.for_each(|(_, told)| *told = Some(past));
            }
            Instr::Join(child) => join(state, thread, child),
            Instr::If { .. } | Instr::Jump(_) | Instr::At(_) | Instr::Over | Instr::Create(_) | Instr::End => {
                state.threads[thread].pc = at;
            }
        }
        self.run_quiet(state, thread);
        Ok(())
    }
}

fn is_told(state: &State, thread: usize, condition: usize) -> bool {
    state.waiting[condition].iter().any(|(who, past)| *who == thread && past.is_some())
}

fn take(state: &mut State, thread: usize, mutex: usize) {
    let me = &mut state.threads[thread];
    me.events += 1;
    state.mutexes[mutex] = Some((thread as u8, me.events, me.past));
}

fn holds(state: &State, thread: usize, condition: Condition) -> bool {
    let value = |operand: Operand| match operand {
        Operand::Local(local) => state.threads[thread].locals[local],
        Operand::Input(input) => u16::from(state.inputs[input]),
    };
    let to = condition.to.map_or_else(value, u16::from);
    match condition.relation {
        Relation::Equal => value(condition.operand) == to,
        Relation::Less => value(condition.operand) < to,
    }
}

fn evaluate(state: &State, thread: usize, value: Value) -> u16 {
    match value {
        Value::Const(number) => u16::from(number),
        Value::Local(local) => state.threads[thread].locals[local],
        Value::Sum(local, number) => state.threads[thread].locals[local] + u16::from(number),
        Value::Input(input) => u16::from(state.inputs[input]),
    }
}

/// The thread takes over what came before a write of another's, which counts unless the two are ordered.
fn interfere(state: &mut State, thread: usize, written: Written) -> Result<(), TooMany> {
    let me = &mut state.threads[thread];
    let Some((by, event)) = written.by.filter(|(by, _)| usize::from(*by) != thread) else { return pass(state, thread) };
    me.past |= written.past;
    if event > me.ordered[usize::from(by)] { count(state, thread) } else { pass(state, thread) }
}

/// One more event of a thread.
fn pass(state: &mut State, thread: usize) -> Result<(), TooMany> {
    let me = &mut state.threads[thread];
    me.events += 1;
    if usize::from(me.events) > MOST_EVENTS { Err(TooMany) } else { Ok(()) }
}

/// One more event, which is a read of something of another thread's.
fn count(state: &mut State, thread: usize) -> Result<(), TooMany> {
    pass(state, thread)?;
    let me = &mut state.threads[thread];
    me.past |= 1 << (thread * MOST_EVENTS + usize::from(me.events) - 1);
    Ok(())
}

/// The thread posts, or takes something: by which event, and what was before that.
fn change(state: &mut State, thread: usize, semaphore: usize) -> Result<Written, TooMany> {
    pass(state, thread)?;
    let me = &state.threads[thread];
    let semaphore = &mut state.semaphores[semaphore];
    semaphore.changed[thread] = me.events;
    semaphore.past |= me.past;
    Ok(Written { by: Some((thread as u8, me.events)), past: me.past, at: 0 })
}

/// The thread looks at a semaphore: it takes over what was before all that has changed it, which counts once if any of that is another's, and
/// the two are not ordered.
fn look(state: &mut State, thread: usize, semaphore: usize) -> Result<(), TooMany> {
    let me = &mut state.threads[thread];
    let semaphore = &state.semaphores[semaphore];
    me.past |= semaphore.past;
    let mut others = semaphore.changed.iter().enumerate().filter(|(other, _)| *other != thread);
    if others.any(|(other, event)| *event > me.ordered[other]) { count(state, thread) } else { pass(state, thread) }
}

/// The thread knows of all that another one has done.
fn join(state: &mut State, thread: usize, child: usize) {
    let ended = state.threads[child].clone();
    let me = &mut state.threads[thread];
    me.past |= ended.past;
    me.ordered.iter_mut().zip(ended.ordered).for_each(|(mine, theirs)| *mine = (*mine).max(theirs));
    me.ordered[child] = ended.events;
}

impl Semaphore {
    fn of(count: u8) -> Semaphore {
        Semaphore { tokens: vec![Written::default(); usize::from(count)], ..Semaphore::default() }
    }
}
