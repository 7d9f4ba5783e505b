//! What a thread does: calls, one after the other.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::ast::RootId;
use super::exec::{Call, Effect, Memory, Thread, ThreadId};

/// What a thread does round and round.
pub(super) struct Round {
    pub(super) lines: BTreeSet<u32>,
    /// It writes there, or takes locks.
    pub(super) writes: bool,
    /// It is in it already.
    pub(super) is_in: bool,
}

/// At least one call.
#[derive(Clone)]
pub(super) struct Caller<'a>(pub(super) Vec<Call<'a>>);

impl Caller<'_> {
    /// The thread at its first visible instruction.
    pub(super) fn start(&self, memory: &mut Memory) -> Thread {
        self.begin_at(0, memory)
    }

    /// As far as the next visible instruction of the call with this number, or of one behind it.
    fn begin_at(&self, mut number: usize, memory: &mut Memory) -> Thread {
        loop {
            let mut thread = self.0[number].start(memory);
            thread.call = number as u8;
            if !thread.returned() || number + 1 == self.0.len() {
                return thread;
            }
            number += 1;
        }
    }

    /// Whether the thread can take a step, a faulty one included.
    pub(super) fn enabled(&self, thread: &Thread, memory: &Memory) -> bool {
        self.0[usize::from(thread.call)].enabled(thread, memory)
    }

    /// Where the thread stands.
    pub(super) fn line(&self, thread: &Thread) -> u32 {
        self.0[usize::from(thread.call)].line(thread)
    }

    /// The lines of the innermost loop that the thread is in.
    pub(super) fn loop_around(&self, thread: &Thread) -> impl Iterator<Item = u32> + use<'_> {
        self.0[usize::from(thread.call)].loop_around(thread)
    }

    /// Of a thread that, left alone, only comes back to where it was: its round. None: it returns, fails, or waits.
    pub(super) fn goes_round(&self, id: ThreadId, thread: &Thread, memory: &Memory) -> Option<Round> {
        let (mut thread, mut memory) = (thread.clone(), memory.clone());
        let mut way: Vec<(Thread, Memory, u32, bool)> = Vec::new();
        loop {
            if thread.returned() || thread.sleeps() {
                return None;
            }
            let line = self.line(&thread);
            let around = |thread: &Thread| self.loop_around(thread);
            if thread.spins() {
                return Some(Round { lines: around(&thread).chain([line]).collect(), writes: false, is_in: true });
            }
            if !self.enabled(&thread, &memory) {
                return None;
            }
            if let Some(first) = way.iter().position(|(then, there, ..)| *then == thread && *there == memory) {
                let round = &way[first..];
                return Some(Round {
                    lines: round.iter().flat_map(|(then, _, line, _)| around(then).chain([*line])).collect(),
                    writes: round.iter().any(|(.., writes)| *writes),
                    is_in: first == 0,
                });
            }
            let before = (thread.clone(), memory.clone());
            let effect = self.step(id, &mut thread, &mut memory);
            if effect.fault {
                return None;
            }
            let writes = effect.accesses.iter().flatten().any(|access| access.kind.writes());
            way.push((before.0, before.1, line, writes || effect.acquired.is_some() || effect.signals.is_some()));
        }
    }

    /// Whether a thread that sleeps would come back to the same wait by itself, if it were woken.
    pub(super) fn sleeps_again(&self, id: ThreadId, thread: &Thread, memory: &Memory) -> bool {
        let (mut woken, mut memory) = (thread.clone(), memory.clone());
        let (line, call) = (self.line(thread), thread.call);
        let mut seen = FxHashSet::default();
        woken.wake();
        while !woken.returned() && !woken.sleeps() && !woken.spins() && self.enabled(&woken, &memory) {
            if !seen.insert((woken.clone(), memory.clone())) || self.step(id, &mut woken, &mut memory).fault {
                return false;
            }
        }
        woken.sleeps() && (self.line(&woken), woken.call) == (line, call)
    }

    /// Whether the thread could go on by itself, to where it has not been.
    pub(super) fn goes_on(&self, id: ThreadId, thread: &Thread, memory: &Memory) -> bool {
        let could = self.0[usize::from(thread.call)].goes_on(thread, memory);
        could && !self.goes_round(id, thread, memory).is_some_and(|round| round.is_in)
    }

    /// Who has the lock that the thread waits for.
    pub(super) fn waits_for(&self, thread: &Thread, memory: &Memory) -> Option<ThreadId> {
        self.0[usize::from(thread.call)].waits_for(thread, memory)
    }

    /// As [`Call::step`]; behind the last step of a call the next one begins.
    pub(super) fn step(&self, id: ThreadId, thread: &mut Thread, memory: &mut Memory) -> Effect {
        let number = usize::from(thread.call);
        let effect = self.0[number].step(id, thread, memory);
        if !effect.fault && thread.returned() && number + 1 < self.0.len() {
            thread.begin(self.begin_at(number + 1, memory));
        }
        effect
    }
}

/// What a step of one thread leads to.
pub(super) struct Next {
    pub(super) memory: Memory,
    pub(super) threads: Vec<Thread>,
    pub(super) effect: Effect,
    /// The threads that it wakes, a bit for each.
    pub(super) woken: u8,
}

/// All that a step of this thread can lead to: which of several threads a signal wakes is open, and whether one that begins to wait wakes up for
/// nothing. The thread must be enabled.
pub(super) fn steps(callers: &[Caller<'_>], id: ThreadId, memory: &Memory, threads: &[Thread]) -> Vec<Next> {
    let (mut memory, mut threads) = (memory.clone(), threads.to_vec());
    let effect = callers[id.index()].step(id, &mut threads[id.index()], &mut memory);
    let sleepers = |root: RootId| {
        let all = threads.iter().enumerate().filter(move |(_, thread)| thread.sleeps_on(root));
        all.map(|(index, _)| ThreadId(index as u8).bit())
    };
    let mut ways = match effect.signals {
        Some((root, true)) => vec![sleepers(root).fold(0, |all, bit| all | bit)],
        Some((root, false)) => sleepers(root).collect(),
        None => Vec::new(),
    };
    if ways.is_empty() {
        ways.push(0);
    }
    let next = |woken: u8| {
        let mut threads = threads.clone();
        for (index, thread) in threads.iter_mut().enumerate() {
            if ThreadId(index as u8).bit() & woken != 0 {
                thread.wake();
            }
        }
        Next { memory: memory.clone(), threads, effect, woken }
    };
    let mut all: Vec<Next> = ways.into_iter().map(next).collect();
    let thread = &threads[id.index()];
    if let Some(unasked) = thread.unasked(callers[id.index()].line(thread)) {
        let mut threads = threads.clone();
        threads[id.index()] = unasked;
        all.push(Next { memory, threads, effect, woken: 0 });
    }
    all
}
