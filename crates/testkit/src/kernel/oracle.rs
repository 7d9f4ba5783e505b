//! All interleavings of all accesses of a kernel's threads.
//!
//! In lockstep a thread does what stands at a place when each lane of its warp that has gone the same ways into the branches around it has
//! come that far; what they did before comes before.
//!
//! Each is a list of events; what happens before what is asked of a graph of them: program order, barriers and `__syncwarp` between
//! those that meet, and from a fence to a fence where an atomic operation behind the first is followed by one on the same cell before the
//! second, if the scope of each includes the other's thread (PTX ISA, 'Memory Consistency Model', 'Release and Acquire Patterns').

use super::ast::{Cell, Condition, Heap, Kernel, Scope, Space, Stmt, What, Which};
use crate::finding::{AccessKind, Race, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How near to each other two threads are that race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    IntraWarp,
    IntraWarpDivergent,
    InterWarp,
    Global,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KernelRace {
    pub class: Class,
    /// With the widest scopes there would be none.
    pub scope_error: bool,
    pub race: Race,
}

impl fmt::Display for KernelRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = if self.scope_error { " (scope)" } else { "" };
        write!(f, "{:?}{scope} {}", self.class, self.race)
    }
}

/// What a kernel shows in some interleaving.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectation {
    pub races: BTreeSet<KernelRace>,
    /// The lines at which threads of a block wait for good.
    pub divergences: BTreeSet<BTreeSet<u32>>,
    pub interleavings: u64,
}

/// Why a kernel is not judged.
#[derive(Clone, Copy, Debug)]
pub enum NotJudged {
    /// There are more interleavings than are run.
    Interleavings,
    /// What it does is undefined.
    Undefined,
}

/// Interleavings that are run.
const MOST: u64 = 60_000;

/// Runs all of them.
///
/// # Errors
/// When there are too many, or what the kernel does is undefined.
pub fn enumerate(kernel: &Kernel) -> Result<Expectation, NotJudged> {
    let mut code = Vec::new();
    compile(&kernel.body, &mut Vec::new(), &mut code);
    let mut oracle = Oracle { kernel, code, coincide: false, found: Expectation::default() };
    for &coincide in kernel.heap.map_or(&[false][..], Heap::coincide) {
        oracle.coincide = coincide;
        oracle.explore(Run::new(kernel))?;
    }
    Ok(oracle.found)
}

/// One instruction, with the arms of branches that it stands in: by number of the branch.
#[derive(Clone, Debug)]
struct Instruction {
    line: u32,
    arms: Vec<(usize, bool)>,
    op: Op,
}

#[derive(Clone, Debug)]
enum Op {
    Do(What),
    /// To this place unless it holds.
    Unless(Condition, usize),
    Jump(usize),
}

fn compile(body: &[Stmt], arms: &mut Vec<(usize, bool)>, code: &mut Vec<Instruction>) {
    for stmt in body {
        let What::If(condition, then, otherwise) = &stmt.what else {
            code.push(Instruction { line: stmt.line, arms: arms.clone(), op: Op::Do(stmt.what.clone()) });
            continue;
        };
        let branch = code.len();
        code.push(Instruction { line: stmt.line, arms: arms.clone(), op: Op::Jump(0) });
        arms.push((branch, true));
        compile(then, arms, code);
        arms.pop();
        let jump = code.len();
        code.push(Instruction { line: stmt.line, arms: arms.clone(), op: Op::Jump(0) });
        code[branch].op = Op::Unless(*condition, code.len());
        arms.push((branch, false));
        compile(otherwise, arms, code);
        arms.pop();
        code[jump].op = Op::Jump(code.len());
    }
}

/// A cell, with the block for one that is shared.
type Place = (Option<u32>, u32);

#[derive(Clone, Debug)]
enum Event {
    Access {
        thread: usize,
        at: usize,
        place: Place,
        kind: AccessKind,
        scope: Option<Scope>,
    },
    Fence {
        thread: usize,
        at: usize,
        scope: Scope,
    },
    /// All of these come before all that each of them does next.
    Meeting(Vec<usize>),
}

impl Event {
    fn concerns(&self, thread: usize) -> bool {
        match self {
            Event::Access { thread: own, .. } | Event::Fence { thread: own, .. } => *own == thread,
            Event::Meeting(threads) => threads.contains(&thread),
        }
    }
}

#[derive(Clone, Debug)]
struct Run {
    at: Vec<usize>,
    /// None: undefined.
    register: Vec<Option<u32>>,
    /// Where a thread waits for others.
    waits: Vec<bool>,
    cells: BTreeMap<Place, u32>,
    events: Vec<Event>,
    /// A thread has decided by a value that is undefined.
    undefined: bool,
    /// The ways that threads have gone at branches.
    taken: Vec<BTreeMap<usize, bool>>,
}

impl Run {
    fn new(kernel: &Kernel) -> Self {
        let count = (kernel.blocks * kernel.threads) as usize;
        Run {
            at: vec![0; count],
            register: vec![Some(0); count],
            waits: vec![false; count],
            cells: BTreeMap::new(),
            events: Vec::new(),
            undefined: false,
            taken: vec![BTreeMap::new(); count],
        }
    }
}

struct Oracle<'k> {
    kernel: &'k Kernel,
    code: Vec<Instruction>,
    /// Both ways lead to one node.
    coincide: bool,
    found: Expectation,
}

impl Oracle<'_> {
    fn block(&self, thread: usize) -> u32 {
        thread as u32 / self.kernel.threads
    }

    fn rank(&self, thread: usize) -> u32 {
        thread as u32 % self.kernel.threads
    }

    fn warp(&self, thread: usize) -> (u32, u32) {
        (self.block(thread), self.rank(thread) / self.kernel.warp)
    }

    fn is_at_end(&self, run: &Run, thread: usize) -> bool {
        run.at[thread] >= self.code.len()
    }

    /// Lanes in lockstep end together.
    fn has_ended(&self, run: &Run, thread: usize) -> bool {
        let ends_with = |other: usize| other == thread || self.kernel.lockstep && self.warp(other) == self.warp(thread);
        (0..run.at.len()).filter(|&other| ends_with(other)).all(|other| self.is_at_end(run, other))
    }

    fn place(&self, cell: Cell, thread: usize) -> Place {
        let number = match cell.which {
            Which::Constant(number) => number,
            Which::Own => self.rank(thread),
            Which::Next => (self.rank(thread) + 1) % self.kernel.threads,
        };
        let array = match cell.space {
            Space::Shared => return (Some(self.block(thread)), number),
            Space::Global => 0,
            Space::First => 1,
            Space::Last if self.coincide => 1,
            Space::Last => 2,
        };
        (None, array * Kernel::CELLS + number)
    }

    /// Goes on by itself as far as no order matters: branches, fences, meetings.
    fn settle(&self, run: &mut Run) {
        loop {
            let before = (run.at.clone(), run.waits.clone());
            for thread in 0..run.at.len() {
                self.settle_thread(run, thread);
            }
            for thread in 0..run.at.len() {
                self.meet(run, thread);
            }
            if before == (run.at.clone(), run.waits.clone()) {
                return;
            }
        }
    }

    /// Whether a thread in lockstep has to wait for lanes that are not as far.
    fn is_ahead(&self, run: &Run, thread: usize) -> bool {
        let (at, lockstep) = (run.at[thread], self.kernel.lockstep);
        let Some(Instruction { arms, .. }) = self.code.get(at).filter(|_| lockstep) else { return false };
        (0..run.at.len()).filter(|&other| other != thread && self.warp(other) == self.warp(thread)).any(|other| {
            // Where it has not come to a branch around this, it may go the same way.
            let goes_along = arms.iter().all(|(branch, arm)| run.taken[other].get(branch).is_none_or(|way| way == arm));
            goes_along && run.at[other] < at
        })
    }

    fn settle_thread(&self, run: &mut Run, thread: usize) {
        while let Some(instruction) = self.code.get(run.at[thread]) {
            if self.is_ahead(run, thread) {
                return;
            }
            match &instruction.op {
                Op::Jump(to) => run.at[thread] = *to,
                Op::Unless(condition, to) => {
                    let holds = match condition {
                        Condition::Thread(number) => self.rank(thread) == *number,
                        Condition::Block(number) => self.block(thread) == *number,
                        Condition::Read => match run.register[thread] {
                            Some(value) => value != 0,
                            None => {
                                run.undefined = true;
                                return;
                            }
                        },
                    };
                    run.taken[thread].insert(run.at[thread], holds);
                    run.at[thread] = if holds { run.at[thread] + 1 } else { *to };
                }
                Op::Do(What::Fence(scope)) => {
                    run.events.push(Event::Fence { thread, at: run.at[thread], scope: *scope });
                    run.at[thread] += 1;
                }
                Op::Do(What::Barrier | What::SyncWarp | What::Shuffle) => {
                    run.waits[thread] = true;
                    return;
                }
                Op::Do(_) => return,
            }
        }
    }

    /// Lets all go on that have to meet at where a thread waits, if they are all there.
    fn meet(&self, run: &mut Run, thread: usize) {
        if !run.waits[thread] {
            return;
        }
        let at = run.at[thread];
        let Op::Do(what) = &self.code[at].op else { return };
        let all = 0..run.at.len();
        let members: Vec<usize> = match what {
            // Who has ended does not come any more.
            What::Barrier => all.filter(|&other| self.block(other) == self.block(thread)).collect(),
            _ => all.filter(|&other| self.warp(other) == self.warp(thread) && !self.has_ended(run, other)).collect(),
        };
        // Lanes meet wherever they do the same.
        let is_there = |&other: &usize| {
            run.waits[other]
                && match what {
                    What::Barrier => run.at[other] == at,
                    _ => matches!(&self.code[run.at[other]].op, Op::Do(same) if same == what),
                }
        };
        if !members.iter().all(is_there) {
            return;
        }
        if *what == What::Shuffle {
            let given: Vec<(u32, Option<u32>)> =
                members.iter().map(|&other| (self.rank(other) % self.kernel.warp, run.register[other])).collect();
            for &member in &members {
                let from = (self.rank(member) % self.kernel.warp) ^ 1;
                // What a lane has that is not there is undefined.
                run.register[member] = given.iter().find(|(lane, _)| *lane == from).and_then(|(_, value)| *value);
            }
        } else {
            run.events.push(Event::Meeting(members.clone()));
        }
        for member in members {
            run.waits[member] = false;
            run.at[member] += 1;
        }
    }

    fn explore(&mut self, mut run: Run) -> Result<(), NotJudged> {
        self.settle(&mut run);
        if run.undefined {
            return Err(NotJudged::Undefined);
        }
        let goes_on =
            |&thread: &usize| !self.is_at_end(&run, thread) && !run.waits[thread] && !self.is_ahead(&run, thread);
        let ready: Vec<usize> = (0..run.at.len()).filter(goes_on).collect();
        if ready.is_empty() {
            self.found.interleavings += 1;
            self.stuck(&run);
            self.races(&run);
            return if self.found.interleavings > MOST { Err(NotJudged::Interleavings) } else { Ok(()) };
        }
        for thread in ready {
            let mut next = run.clone();
            self.access(&mut next, thread);
            self.explore(next)?;
        }
        Ok(())
    }

    fn access(&self, run: &mut Run, thread: usize) {
        let at = run.at[thread];
        let Op::Do(what) = &self.code[at].op else { return };
        let note = |run: &mut Run, cell: Cell, kind, scope| {
            let place = self.place(cell, thread);
            run.events.push(Event::Access { thread, at, place, kind, scope });
            place
        };
        match what {
            What::Read(cell) => {
                let place = note(run, *cell, AccessKind::Read, None);
                run.register[thread] = Some(run.cells.get(&place).copied().unwrap_or(0));
            }
            What::Write(cell, value) => {
                let place = note(run, *cell, AccessKind::Write, None);
                run.cells.insert(place, *value);
            }
            What::Add(cell, by, scope) => {
                let place = note(run, *cell, AccessKind::ReadWrite, Some(*scope));
                let value = run.cells.entry(place).or_insert(0);
                run.register[thread] = Some(*value);
                *value += by;
            }
            What::Fence(_) | What::Barrier | What::SyncWarp | What::Shuffle | What::If(..) => {}
        }
        run.at[thread] += 1;
    }

    /// Blocks whose threads wait for good.
    fn stuck(&mut self, run: &Run) {
        for block in 0..self.kernel.blocks {
            let here = (0..run.at.len()).filter(|&thread| self.block(thread) == block && run.waits[thread]);
            let lines: BTreeSet<u32> = here.map(|thread| self.code[run.at[thread]].line).collect();
            if !lines.is_empty() {
                self.found.divergences.insert(lines);
            }
        }
    }

    fn races(&mut self, run: &Run) {
        let narrow = self.before(run, false);
        let wide = self.before(run, true);
        for (second, other) in run.events.iter().enumerate() {
            for (first, one) in run.events[..second].iter().enumerate() {
                if let Some(race) = self.race((first, one), (second, other), (&narrow, &wide)) {
                    self.found.races.insert(race);
                }
            }
        }
    }

    fn race(
        &self,
        (first, one): (usize, &Event),
        (second, other): (usize, &Event),
        (narrow, wide): (&[u128], &[u128]),
    ) -> Option<KernelRace> {
        let (
            Event::Access { thread: x, at: at_x, place: place_x, kind: kind_x, scope: scope_x },
            Event::Access { thread: y, at: at_y, place: place_y, kind: kind_y, scope: scope_y },
        ) = (one, other)
        else {
            return None;
        };
        let conflict = x != y && place_x == place_y && (kind_x.writes() || kind_y.writes());
        let are_atomic = scope_x.is_some() && scope_y.is_some();
        let is_excluded = match (scope_x, scope_y) {
            (Some(scope_x), Some(scope_y)) => self.include((*x, *scope_x), (*y, *scope_y)),
            _ => false,
        };
        if !conflict || is_excluded || narrow[second] >> first & 1 == 1 {
            return None;
        }
        let class = match (self.block(*x) == self.block(*y), self.warp(*x) == self.warp(*y)) {
            (false, _) => Class::Global,
            (true, false) => Class::InterWarp,
            (true, true) if self.are_divergent(*at_x, *at_y) => Class::IntraWarpDivergent,
            (true, true) => Class::IntraWarp,
        };
        let site = |at: usize, access: AccessKind| Site { line: self.code[at].line, access };
        Some(KernelRace {
            class,
            scope_error: are_atomic || wide[second] >> first & 1 == 1,
            race: Race::new(site(*at_x, *kind_x), site(*at_y, *kind_y)),
        })
    }

    fn are_divergent(&self, x: usize, y: usize) -> bool {
        let (x, y) = (&self.code[x].arms, &self.code[y].arms);
        x.iter().any(|(branch, arm)| y.contains(&(*branch, !arm)))
    }

    fn include(&self, (x, of_x): (usize, Scope), (y, of_y): (usize, Scope)) -> bool {
        self.block(x) == self.block(y) || of_x == Scope::Device && of_y == Scope::Device
    }

    /// For each event, those that happen before it. `wide`: scopes include everybody.
    fn before(&self, run: &Run, wide: bool) -> Vec<u128> {
        let events = &run.events;
        let mut before = vec![0u128; events.len()];
        for (index, event) in events.iter().enumerate() {
            let mut direct = 0u128;
            for (earlier, other) in events[..index].iter().enumerate() {
                let same = (0..run.at.len()).any(|thread| event.concerns(thread) && other.concerns(thread));
                if same || self.is_a_step_behind(run, other, event) || self.synchronises(events, (earlier, index), wide)
                {
                    direct |= 1 << earlier;
                }
            }
            let reached = (0..index).filter(|earlier| direct >> earlier & 1 == 1);
            before[index] = reached.fold(direct, |all, earlier| all | before[earlier]);
        }
        before
    }

    /// Whether one event comes before another since their threads are in lockstep.
    fn is_a_step_behind(&self, run: &Run, one: &Event, other: &Event) -> bool {
        let place = |event: &Event| match event {
            Event::Access { thread, at, .. } | Event::Fence { thread, at, .. } => Some((*thread, *at)),
            Event::Meeting(_) => None,
        };
        let (Some((x, at_x)), Some((y, at_y))) = (place(one), place(other)) else { return false };
        let goes_along =
            |arms: &[(usize, bool)]| arms.iter().all(|(branch, arm)| run.taken[x].get(branch) == Some(arm));
        // Lanes that part have met where they do.
        let arms = &self.code[at_y].arms;
        let met = |depth: usize| arms.get(depth).is_none_or(|(branch, _)| at_x < *branch) && goes_along(&arms[..depth]);
        let are_in_step = self.kernel.lockstep && self.warp(x) == self.warp(y);
        are_in_step && at_x < at_y && (0..=arms.len()).any(met)
    }

    /// Whether a fence synchronises with another.
    fn synchronises(&self, events: &[Event], (first, second): (usize, usize), wide: bool) -> bool {
        let (Event::Fence { thread: x, scope: of_x, .. }, Event::Fence { thread: y, scope: of_y, .. }) =
            (&events[first], &events[second])
        else {
            return false;
        };
        if x == y || !wide && !self.include((*x, *of_x), (*y, *of_y)) {
            return false;
        }
        let atomics = |thread: usize, between: std::ops::Range<usize>| {
            between.filter_map(move |index| match &events[index] {
                Event::Access { thread: own, place, scope: Some(_), .. } if *own == thread => Some((index, *place)),
                _ => None,
            })
        };
        atomics(*x, first + 1..second)
            .any(|(write, place)| atomics(*y, write + 1..second).any(|(_, other)| other == place))
    }
}
