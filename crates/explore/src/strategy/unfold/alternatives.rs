//! Alternatives: what can happen instead of events whose continuations have been explored (Quasi-Optimal POR, Nguyen et al., CAV 2018,
//! definition 3).
//!
//! After a configuration `C`, events `D` that were explored need not be explored again. If some execution goes on from `C` without any of
//! them, then it has for each an event that excludes it, and those are known by then. Finding them all is a search in which each event of
//! `D` is excluded in one of the known ways; asking for `k` events of `D` only is quicker, and may begin an execution that turns out to
//! have been explored.

use super::configuration::Configuration;
use super::event::{EventId, Events};
use machine::{Engine, State};

/// Known events that can follow a configuration and after which none of the events `instead_of` can: what a configuration lacks for
/// them, in an order in which they can happen.
pub(super) struct Alternatives<'u> {
    pub events: &'u Events,
    pub configuration: &'u Configuration,
    /// Each can follow the configuration.
    pub instead_of: &'u [EventId],
    /// So many of them, the first, are excluded for certain.
    pub exactly: usize,
    /// Of the configuration.
    pub state: &'u State,
}

impl Alternatives<'_> {
    pub(super) fn find(&self, engine: &mut Engine) -> Option<Vec<EventId>> {
        self.without(engine, self.exactly.min(self.instead_of.len()), Vec::new())
    }

    /// With the first `left` still to be excluded by more than `found`.
    fn without(&self, engine: &mut Engine, left: usize, found: Vec<EventId>) -> Option<Vec<EventId>> {
        let Some(left) = (0..left).rev().find(|&at| !self.excludes(&found, self.instead_of[at])) else {
            return self.can_be(engine, &found).then_some(found);
        };
        let excluded = self.instead_of[left];
        let others = self.events[excluded].round().map_or(&[][..], |round| self.events.arrivals(round));
        let ways = self.events[excluded].rivals.iter().chain(others).filter(|&&other| other != excluded);
        for &way in ways {
            let Some(extra) = self.configuration.extra(self.events, way) else { continue };
            if extra.iter().any(|&id| self.events[id].is_cutoff == Some(true)) {
                continue;
            }
            let Some(more) = self.with(&found, &extra).filter(|more| more.len() > found.len()) else { continue };
            // A barrier takes more than one.
            let alternative = self.without(engine, left + 1, more);
            if alternative.is_some() {
                return alternative;
            }
        }
        None
    }

    /// Whether an event cannot follow any more once these have happened.
    fn excludes(&self, found: &[EventId], event: EventId) -> bool {
        let events = self.events;
        let is_full = events[event].round().is_some_and(|round| {
            let beside = found.iter().filter(|&&other| events[other].round() == Some(round)).count();
            beside + self.configuration.arrived(events, round).count() >= round.capacity()
        });
        is_full || found.iter().any(|&other| events.conflict(event, other))
    }

    /// Both together, if that can be, and if none of it is to be left out.
    fn with(&self, found: &[EventId], extra: &[EventId]) -> Option<Vec<EventId>> {
        let new: Vec<EventId> = extra.iter().copied().filter(|id| !found.contains(id)).collect();
        let alone = found.iter().filter(|id| !extra.contains(id));
        let conflict = |&&one: &&EventId| new.iter().any(|&other| self.events.conflict(one, other));
        if new.iter().any(|id| self.instead_of.contains(id)) || alone.into_iter().any(|one| conflict(&one)) {
            return None;
        }
        let mut all = [found, &new].concat();
        all.sort_unstable();
        self.configuration.fits(self.events, &all).then_some(all)
    }

    /// Whether some input leads to all that is decided there.
    fn can_be(&self, engine: &mut Engine, found: &[EventId]) -> bool {
        let facts = found.iter().filter_map(|&id| self.events[id].fact);
        let facts: Vec<_> = facts.map(|fact| fact.term(&mut engine.terms)).collect();
        let Some(all) = facts.into_iter().reduce(|one, other| engine.terms.and(one, other)) else { return true };
        let Some(thread) = self.state.thread_ids().next() else { return true };
        // What fails here fails again where the execution goes there.
        engine.may_be(self.state, all, thread).unwrap_or(true)
    }
}
