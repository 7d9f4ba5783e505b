//! What a thread does: calls, one after the other.

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

    /// Who has the lock that the thread waits for.
    pub(super) fn waits_for(&self, thread: &Thread, memory: &Memory) -> Option<ThreadId> {
        self.0[usize::from(thread.call)].waits_for(thread, memory)
    }

    /// As [`Call::step`]; behind the last step of a call the next one begins.
    pub(super) fn step(&self, id: ThreadId, thread: &mut Thread, memory: &mut Memory) -> Effect {
        let number = usize::from(thread.call);
        let effect = self.0[number].step(id, thread, memory);
        if !effect.fault && thread.returned() && number + 1 < self.0.len() {
            *thread = self.begin_at(number + 1, memory);
        }
        effect
    }
}
