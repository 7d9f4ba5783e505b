//! Which reads of an execution find which writes of other threads, by where they stand in the program.

use super::{Accessed, Execution};
use crate::interference::forest::{Content, Label};
use crate::interference::trace::At;
use concurrency::{Action, Range};

impl Execution<'_> {
    /// A thread is about to do what it has just been told to have done: what it reads is still what others have left.
    pub(super) fn note_found(&mut self, at: usize, reader: At, action: &Action) {
        if !matches!(action, Action::Access { .. }) {
            return;
        }
        let thread = &self.threads[at];
        let (who, id) = (thread.who, thread.id);
        let site = self.engine.program.site(self.engine.program.own_frame(self.state.thread(id)));
        self.threads[at].site = site;
        let node = self.done.trace.threads[who][reader.1].node;
        let Label::Act { reads, .. } = self.known.forest.label(node) else { return };
        let ranges: Vec<Range> = reads.iter().map(|cell| cell.range).collect();
        let degree = self.done.trace.degree(who);
        for range in ranges {
            self.done.touched.push(Accessed { site, range, who, reads: true, writes: false });
            let others = self.writers(range).into_iter().filter(|by| by.0 != who);
            let found: Vec<_> = others.filter_map(|by| self.written_at.get(&by)).map(|write| (*write, site)).collect();
            self.done.pairs.extend(found.into_iter().map(|pair| (pair, degree)));
        }
    }

    /// A thread has written.
    pub(super) fn note_kept(&mut self, at: usize, by: usize, written: &[(Range, Content)]) {
        let (who, site) = (self.threads[at].who, self.threads[at].site);
        self.written_at.insert((who, by), site);
        let touched = written.iter().map(|&(range, _)| Accessed { site, range, who, reads: false, writes: true });
        self.done.touched.extend(touched);
    }

    /// Whose writes bytes stand from, whoever asks.
    fn writers(&self, range: Range) -> Vec<At> {
        let mut all = Vec::new();
        for offset in range.offset..range.offset + range.size {
            let byte = Range { offset, size: 1, ..range };
            let last = self.writes.get(&range.object).into_iter().flatten().rev();
            all.extend(last.clone().find(|write| write.range.overlaps(&byte)).map(|write| write.by));
        }
        all.dedup();
        all
    }
}
