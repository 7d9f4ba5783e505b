//! Carrying out the action that a thread stands before, and what it comes to.

use super::Execution;
use super::cells::is_readable;
use crate::interference::barriers::arrives;
use crate::interference::forest::{Cell as ReadCell, Content, Label};
use crate::interference::looks::{asked, tries};
use crate::interference::once;
use crate::interference::timing::acquired;
use crate::interference::tokens::taken;
use crate::interference::trace::{Clock, Interference, join};
use crate::trace::canon::Who;
use concurrency::{Action, Range, Relock, SyncOp, ThreadId};
use machine::{EngineError, Outcome, Status};

impl Execution<'_> {
    /// A thread carries out the action that it stands before.
    pub(super) fn perform(&mut self, at: usize, action: Action) -> Result<(), EngineError> {
        let (who, id) = (self.threads[at].who, self.threads[at].id);
        let Status::At(real) = self.state.thread(id).status else { return Ok(()) };
        let real = self.state.at_this_moment(id, real);
        let action = match real {
            Action::GiveUp { .. } => self.known.canon.action(&self.state, &real),
            _ => action,
        };
        let outcome = match self.takes_nothing(id, &real) {
            true => Outcome::Misses,
            false => self.state.outcome(id, &real),
        };
        let outcome = match action {
            Action::TryJoin { .. } => self.finds_ended(at, outcome),
            _ => outcome,
        };
        let writes = self.writes_now(&real);
        let ranges = self.ranges_read(id, &real);
        let mut cells: Vec<ReadCell> = Vec::new();
        let mut found: Vec<(u32, (Who, usize))> = Vec::new();
        for range in ranges {
            let first = cells.len();
            self.read_cells(at, range, &mut cells);
            for (number, cell) in cells.iter().enumerate().skip(first) {
                let of = self.sources(who, cell.range);
                found.extend(of.into_iter().filter_map(|(_, by)| by).map(|by| (number as u32, by)));
            }
        }
        found.dedup();
        let waits_for = match (taken(&action), asked(&action)) {
            (None, None) => self.waits_for(who, &real, outcome),
            (Some(place), _) if outcome != Outcome::Misses => {
                let by = self.take_token(at, place);
                by.map(|by| (0, by, tries(&action) && !self.is_ordered(who, by))).into_iter().collect()
            }
            (Some(place), _) | (None, Some(place)) => self.looked_at(at, place),
        };
        let mut after = Clock::new();
        let sources = found.iter().map(|&(_, by)| by).chain(waits_for.iter().map(|&(_, by, _)| by));
        for (other, node) in sources {
            join(&mut after, &self.done.trace.threads[other][node].clock);
        }
        let counted: Vec<bool> = found.iter().map(|&(_, by)| !self.is_ordered(who, by)).collect();
        let node = self.push_after(who, Label::Act { action, outcome, reads: cells.into_boxed_slice() }, &after);
        let reader = (who, node);
        let reads = found.into_iter().zip(counted);
        self.done.trace.interferences.extend(reads.map(|((cell, source), counts)| Interference {
            reader,
            cell,
            source,
            counts,
        }));
        let waits = waits_for.into_iter();
        self.done.trace.interferences.extend(waits.map(|(cell, source, counts)| Interference {
            reader,
            cell,
            source,
            counts,
        }));
        if self.known.pairs {
            self.note_found(at, reader, &action);
        }
        if let Some((place, _)) = acquired(&action).filter(|_| outcome != Outcome::Misses) {
            self.holders.insert(place, reader);
        }
        if let Some(place) = arrives(&action) {
            self.note_arrival(place, reader);
        }
        if let Some(place) = once::called(&action) {
            let is_over = self.called.contains_key(&place) || self.known.called.get(&place) == Some(&true);
            let label = Label::First(!is_over);
            self.push(who, label);
        }
        if let Some(place) = once::done(&action) {
            self.called.insert(place, reader);
        }
        if matches!(action, Action::Pass(_))
            && let Some(through) = self.state.sync.through(id)
            && through.observes
        {
            let label = Label::Serial(through.serial);
            self.push(who, label);
        }
        self.note_semaphore_changed(&action, outcome, reader);
        if asked(&action).is_some() {
            let count = self.counted_now(&real);
            self.push(who, Label::Counted(count));
        }
        self.threads[at].writing = Some(writes);
        self.threads[at].pending = None;
        self.done.actions.push((who, action));
        if matches!(action, Action::TryJoin { .. }) {
            let joins = outcome == Outcome::Gets;
            // Nothing is asked where it has not.
            self.joins = (self.state.outcome(id, &real) == Outcome::Gets).then_some(joins);
            self.done.joins.entry(who).or_default().push_back(joins);
        }
        self.threads[at].in_section |= matches!(action, Action::AtomicBegin);
        let count = self.counted_now(&real);
        let told = matches!(real, Action::Sync { op: SyncOp::Signal | SyncOp::Broadcast, .. });
        self.engine.grant(&mut self.state, id);
        self.settle(id)?;
        if told {
            self.note_woken(reader);
        }
        if outcome == Outcome::Gets && self.is_refused(id, &real, count) {
            self.note_unfollowed("a time limit that is no time");
        }
        self.done.interrupted |= self.done.actions.len().is_multiple_of(64) && self.budget_is_spent();
        Ok(())
    }

    /// Whether what was to be had was not taken, for the call is in error ([`Outcome::Gets`] says only that it was to be had). `count`: of a
    /// semaphore, before.
    fn is_refused(&mut self, id: ThreadId, action: &Action, count: u32) -> bool {
        let Action::Sync { op, place } = *action else { return false };
        let is_over = self.state.thread(id).status == Status::Ended;
        match op {
            SyncOp::SemTimedWait => !is_over && self.counted_now(action) == count,
            SyncOp::TimedReadLock | SyncOp::TimedWriteLock => !is_over && !self.state.sync.holders(place).contains(&id),
            _ => false,
        }
    }

    /// Whether a thread that looks whether another has ended finds that: only where it is foreseen. It may always find that it has not.
    fn finds_ended(&self, at: usize, outcome: Outcome) -> Outcome {
        if self.plan.follows.is_some() {
            return if self.given.front() == Some(&0) { outcome } else { Outcome::Misses };
        }
        let who = self.threads[at].who;
        let node = self.expected.get(who).and_then(|path| path.nodes.get(self.done.trace.threads[who].len()));
        match node.map(|&node| self.known.forest.label(node)) {
            Some(Label::Act { outcome: Outcome::Gets, .. } | Label::Pending { vain: false, .. }) => outcome,
            _ => Outcome::Misses,
        }
    }

    /// A thread may have come to the end of an atomic section.
    pub(super) fn note_section(&mut self, at: usize) {
        let (who, id) = (self.threads[at].who, self.threads[at].id);
        let is_in = self.state.sync.atomic_section() == Some(id);
        if is_in && !self.threads[at].in_section && self.state.threads.len() > self.threads.len() {
            self.note_unfollowed("an atomic section that begins before there are other threads, and creates one");
        }
        if std::mem::replace(&mut self.threads[at].in_section, is_in) && !is_in {
            self.push(who, Label::SectionOver);
        }
    }

    /// Whether a thread is told that it has the lock already that it asks for, and has it as before.
    fn takes_nothing(&self, id: ThreadId, action: &Action) -> bool {
        acquired(action).is_some_and(|(place, _)| {
            self.state.sync.holders(place).contains(&id) && self.state.sync.relock(place) == Relock::Fails
        })
    }

    /// What an action writes, if it does: an exchange only where it finds what it expects.
    fn writes_now(&mut self, action: &Action) -> Vec<Range> {
        let Action::Access { range, write: true, expects, .. } = *action else { return Vec::new() };
        let is_compared = expects.is_some() && is_readable(&self.state.memory, range);
        let replaces = match (expects, is_compared.then(|| self.content(range).0)) {
            (Some(expected), Some(Content::Term(term))) => {
                self.engine.terms.eval(term, &self.done.model) == u128::from(expected)
            }
            (Some(expected), Some(Content::Fixed(number))) => number == expected,
            _ => true,
        };
        if replaces { vec![range] } else { Vec::new() }
    }
}
