//! What a thread does: calls, one after the other.

use super::ast::RootId;
use super::exec::{Call, Effect, Memory, Thread, ThreadId};

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

    /// Whether the thread could go on by itself.
    pub(super) fn goes_on(&self, thread: &Thread, memory: &Memory) -> bool {
        self.0[usize::from(thread.call)].goes_on(thread, memory)
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

/// All that a step of this thread can lead to: which of several threads a signal wakes is open. The thread must be enabled.
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
    ways.into_iter().map(next).collect()
}
