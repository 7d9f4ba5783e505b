//! Atomic sections of SV-COMP: `__VERIFIER_atomic_begin` to `__VERIFIER_atomic_end`.
//!
//! Up to the end of a section no other thread does anything, and sections are ordered as by one lock around each.

use super::SyncTable;
use crate::{ThreadId, VectorClock};

impl SyncTable {
    /// The thread that is in an atomic section.
    pub fn atomic_section(&self) -> Option<ThreadId> {
        self.atomic_section.map(|(thread, _)| thread)
    }

    /// Begins a section; what happens before it. None where it is within another of the same thread.
    pub fn begin_atomic_section(&mut self, thread: ThreadId) -> Option<VectorClock> {
        let depth = self.atomic_section.map_or(0, |(_, depth)| depth);
        self.atomic_section = Some((thread, depth + 1));
        (depth == 0).then(|| self.atomic_sections.clone())
    }

    /// Whether ending a section now ends the outermost one of this thread.
    pub fn is_outermost_atomic_section(&self, thread: ThreadId) -> bool {
        self.atomic_section == Some((thread, 1))
    }

    /// Ends a section; `clock` is what the thread has done so far. Nothing where there is none.
    pub fn end_atomic_section(&mut self, thread: ThreadId, clock: VectorClock) {
        match &mut self.atomic_section {
            Some((owner, depth)) if *owner == thread && *depth > 1 => *depth -= 1,
            Some((owner, _)) if *owner == thread => {
                self.atomic_section = None;
                self.atomic_sections = clock;
            }
            _ => {}
        }
    }
}
