//! What an execution is new in (Con2colic, `ExtractISCs`): candidates for other ways to go, and events that others may be enabled by.

use super::{Key, Search, Use, Wanted};
use crate::interference::barriers::arrives;
use crate::interference::forest::{Cell, Content, Label, Seen};
use crate::interference::looks::{asked, changed, may_be_vain};
use crate::interference::once;
use crate::interference::scenario::Scenario;
use crate::interference::timing::{acquired, action_of, released};
use crate::interference::tokens::{posted, taken};
use crate::interference::trace::Trace;
use crate::trace::canon::Who;
use concurrency::{Action, Range, SyncOp};
use machine::{EngineError, Outcome};
use memory::{Fingerprint, ObjId};
use std::rc::Rc;

impl Search<'_> {
    /// Takes what is new in an execution (`ExtractISCs`).
    pub(in crate::interference) fn learn(&mut self, trace: &Trace) -> Result<(), EngineError> {
        for who in 0..trace.threads.len() {
            for at in 0..trace.threads[who].len() {
                self.learn_step(trace, who, at)?;
            }
        }
        for (who, action, reads) in &trace.pending {
            let end = trace.threads[*who].len();
            for action in std::iter::once(*action).chain(self.instead_of(trace, (*who, end), action)) {
                for vain in ways_to_come_out(&action) {
                    let label = Label::Pending { action, reads: reads.clone(), vain: *vain };
                    let candidate = self.candidate(trace, (*who, end), label);
                    self.add(candidate);
                }
            }
        }
        Ok(())
    }

    /// What a thread that waits with a time limit may do instead: who is not woken in time gives up.
    fn instead_of(&self, trace: &Trace, (who, at): (Who, usize), action: &Action) -> Option<Action> {
        match *action {
            Action::Wake { condition, timed: true, .. } => Some(Action::GiveUp { condition }),
            Action::GiveUp { condition } => {
                let before = trace.threads[who][..at].iter().rev();
                before.filter_map(|step| action_of(&self.known.forest, step.node)).find_map(|action| match *action {
                    Action::Wait { mutex, .. } => Some(Action::Wake { condition, mutex, timed: true }),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    fn candidate(&mut self, trace: &Trace, (who, at): (Who, usize), label: Label) -> Scenario {
        let before = at.checked_sub(1).map(|last| trace.threads[who][last].node);
        let sink = self.known.forest.node(who, before, label);
        trace.scenario(&self.known.forest, (who, at), sink)
    }

    fn learn_step(&mut self, trace: &Trace, who: Who, at: usize) -> Result<(), EngineError> {
        let node = trace.threads[who][at].node;
        let label = self.known.forest.label(node).clone();
        match label {
            Label::Branch { site, term, holds } => {
                let other = self.candidate(trace, (who, at), Label::Branch { site, term, holds: !holds });
                self.add(other);
            }
            Label::Value { term, value } => {
                let mut values: Vec<u128> = self.known.values_at(trace.threads[who][at - 1].node, term, value);
                values.sort_unstable();
                let values = values.into_boxed_slice();
                let other = self.candidate(trace, (who, at), Label::Otherwise { term, values });
                self.add(other);
            }
            Label::Pick { count, index } => {
                for other in (0..count).filter(|&other| other != index) {
                    let other = self.candidate(trace, (who, at), Label::Pick { count, index: other });
                    self.add(other);
                }
            }
            Label::Act { action, outcome, reads } => self.learn_act(trace, (who, at), (&action, outcome), &reads)?,
            Label::Wrote(writes) => {
                let mut objects: Vec<ObjId> = writes.iter().map(|(range, _)| range.object).collect();
                objects.dedup();
                for object in objects {
                    self.offer_step(trace, (who, at), Key::Write(object))?;
                }
            }
            Label::Serial(is) => {
                let other = self.candidate(trace, (who, at), Label::Serial(!is));
                self.add(other);
            }
            Label::Ended => self.offer_step(trace, (who, at), Key::End(who))?,
            Label::SectionOver => self.offer_step(trace, (who, at), Key::Over(who))?,
            Label::Begin
            | Label::Created(_)
            | Label::First(_)
            | Label::Counted(_)
            | Label::Otherwise { .. }
            | Label::Pending { .. } => {}
        }
        Ok(())
    }

    fn learn_act(
        &mut self,
        trace: &Trace,
        (who, at): (Who, usize),
        (action, outcome): (&Action, Outcome),
        reads: &[Cell],
    ) -> Result<(), EngineError> {
        let ranges = || reads.iter().map(|read| read.range).collect::<Box<[Range]>>();
        // Another address is another way to go, and so is another outcome.
        // Where it matters whose write is found, so is each other write.
        let is_asked = |read: &Cell| self.options.def_use || matches!(read.seen, Seen::Fixed(_));
        let fixed: Vec<u32> = (0..).zip(reads).filter(|(_, read)| is_asked(read)).map(|(cell, _)| cell).collect();
        let tries = matches!(action, Action::Sync { op, .. } if op.waiting().is_some());
        let waits = matches!(action, Action::Join(_) | Action::TryJoin { .. } | Action::Wake { .. } | Action::Pass(_))
            || taken(action).or(asked(action)).is_some()
            || once::called(action).is_some();
        if let Some(other) = self.instead_of(trace, (who, at), action) {
            let pending = Label::Pending { action: other, reads: Box::default(), vain: false };
            let other = self.candidate(trace, (who, at), pending);
            self.add(other);
        }
        if !fixed.is_empty() || tries || waits {
            for vain in ways_to_come_out(action) {
                let pending = Label::Pending { action: *action, reads: ranges(), vain: *vain };
                let scenario = self.candidate(trace, (who, at), pending);
                self.add(scenario);
            }
            let pending = Label::Pending { action: *action, reads: ranges(), vain: false };
            let scenario = self.candidate(trace, (who, at), pending);
            for &cell in &fixed {
                let Cell { range, seen } = reads[cell as usize];
                let seen = match seen {
                    Seen::Fixed(number) if !self.options.def_use => Some(Content::Fixed(number)),
                    _ => None,
                };
                let usage = Use::Read(scenario.sink, cell);
                let scenario = Rc::new(scenario.clone());
                self.wait_for(Key::Write(range.object), Wanted { scenario, usage, instead_of: seen, untrue: None })?;
            }
        }
        if outcome == Outcome::Misses {
            return Ok(());
        }
        if let Some((place, _)) = acquired(action) {
            self.offer_step(trace, (who, at), Key::Taken(place))?;
        }
        if let Some(place) = released(action) {
            self.offer_step(trace, (who, at), Key::Released(who, place))?;
        }
        if let Action::Wait { condition, .. } = *action {
            self.offer_step(trace, (who, at), Key::Waits(condition))?;
        }
        if let Some(place) = once::done(action) {
            self.offer_step(trace, (who, at), Key::Called(place))?;
        }
        if let Some(place) = arrives(action) {
            self.offer_step(trace, (who, at), Key::Arrived(place))?;
        }
        if let Some(place) = posted(action) {
            self.offer_step(trace, (who, at), Key::Posted(place))?;
        }
        if let Some((place, _)) = changed(action, outcome) {
            self.offer_step(trace, (who, at), Key::Changed(place))?;
        }
        if let Action::Sync { op: SyncOp::Signal | SyncOp::Broadcast, place } = *action {
            self.offer_step(trace, (who, at), Key::Signal(place))?;
        }
        Ok(())
    }

    fn offer_step(&mut self, trace: &Trace, (who, at): (Who, usize), key: Key) -> Result<(), EngineError> {
        let node = trace.threads[who][at].node;
        // What it takes from others itself is part of it.
        let scenario = trace.scenario(&self.known.forest, (who, at + 1), node);
        let same = self.sources.get(&key).into_iter().flatten().filter(|source| source.node == node);
        if self.options.subsumption && same.into_iter().any(|it| it.scenario.is_within(&self.known.forest, &scenario)) {
            return Ok(());
        }
        if self.known_sources.insert((node, Fingerprint::of((&scenario, key)))) {
            self.offer(key, node, &Rc::new(scenario))?;
        }
        Ok(())
    }
}

/// How an action may come out that is to be reached: whether in vain.
fn ways_to_come_out(action: &Action) -> &'static [bool] {
    if may_be_vain(action) { &[false, true] } else { &[false] }
}
