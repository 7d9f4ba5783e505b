//! The configuration that the search has come to: events in the order in which they were run, and what might come next.

use super::event::{Cut, EventId, Events, Round, What};
use crate::trace::canon::Who;
use concurrency::Action;
use smallvec::SmallVec;

/// An event of the configuration.
#[derive(Debug)]
pub(super) struct Member {
    pub event: EventId,
    /// What came before the thread's request for it.
    pub base: Cut,
    /// What it depends on at some moment; none of a choice.
    pub request: Option<Action>,
}

/// A set of events that can have happened together, with what comes before each.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// In the order in which they were run.
    members: Vec<Member>,
    /// By thread, where its events stand in `members`.
    threads: Vec<Vec<u32>>,
}

impl Configuration {
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The events that were run first, so many.
    pub(super) fn cut(&self, events: &Events, first: usize) -> Cut {
        let mut cut = Cut::default();
        self.members[..first].iter().for_each(|member| cut.set(events[member.event].who, member.event));
        cut
    }

    pub(super) fn add(&mut self, events: &Events, member: Member) {
        let who = events[member.event].who;
        if self.threads.len() <= who {
            self.threads.resize_with(who + 1, Vec::new);
        }
        debug_assert_eq!(self.threads[who].len() as u32 + 1, events[member.event].number);
        self.threads[who].push(self.members.len() as u32);
        self.members.push(member);
    }

    /// Takes the last event away.
    pub(super) fn pop(&mut self, events: &Events) {
        if let Some(member) = self.members.pop() {
            self.threads[events[member.event].who].pop();
        }
    }

    /// Events of each thread that are not in a part of the configuration.
    pub(super) fn outside<'c>(&'c self, events: &'c Events, cut: &'c Cut) -> impl Iterator<Item = &'c Member> {
        self.threads.iter().enumerate().flat_map(move |(who, all)| {
            let inside = cut.last(who).map_or(0, |last| events[last].number as usize);
            all.get(inside..).unwrap_or_default().iter().map(|&at| &self.members[at as usize])
        })
    }

    /// How many of the events that were run first are all in a set, which need be no part of the configuration: what was a part of it when
    /// it became known may be in conflict with it now.
    pub(super) fn first_within(&self, events: &Events, cut: &Cut) -> usize {
        let shared = |who: Who| {
            let of_thread = std::iter::successors(cut.last(who), |&id| events[id].past.last(who));
            of_thread.into_iter().find(|&id| self.contains(events, id)).map_or(0, |id| events[id].number)
        };
        let shared: SmallVec<[u32; 8]> = (0..self.threads.len()).map(shared).collect();
        let is_within = |member: &&Member| events[member.event].number <= shared[events[member.event].who];
        self.members.iter().take_while(is_within).count()
    }

    pub(super) fn contains(&self, events: &Events, event: EventId) -> bool {
        self.nth(events[event].who, events[event].number) == Some(event)
    }

    /// The thread's event with this number.
    fn nth(&self, who: Who, number: u32) -> Option<EventId> {
        let at = *self.threads.get(who)?.get(number as usize - 1)?;
        Some(self.members[at as usize].event)
    }

    /// What comes before the next event of a thread, if that does this: `base`, and all that it depends on, of the configuration or a
    /// part of it.
    pub(super) fn past(&self, events: &Events, base: &Cut, (who, what): (Who, &What), within: Option<&Cut>) -> Cut {
        let mut past = base.clone();
        for member in self.outside(events, base) {
            let event = &events[member.event];
            let is_within = within.is_none_or(|within| events.holds(within, member.event));
            if is_within && event.who != who && !events.holds(&past, member.event) && event.what.dependent(what) {
                events.join(&mut past, &events.closed(member.event));
            }
        }
        past
    }

    /// What an event needs besides the configuration, in an order in which it can happen, itself included; none if they cannot happen
    /// together.
    pub(super) fn extra(&self, events: &Events, event: EventId) -> Option<Vec<EventId>> {
        let closed = events.closed(event);
        let mut extra = Vec::new();
        for (who, last) in closed.lasts() {
            let mut at = Some(last);
            while let Some(id) = at.filter(|&id| !self.contains(events, id)) {
                if self.nth(who, events[id].number).is_some() {
                    return None;
                }
                extra.push(id);
                at = events[id].past.last(who);
            }
        }
        let conflicts = |member: &Member| extra.iter().any(|&id| events.conflict(member.event, id));
        if self.outside(events, &closed).any(conflicts) {
            return None;
        }
        extra.sort_unstable();
        self.fits(events, &extra).then_some(extra)
    }

    /// Whether no barrier lets more threads through together than it is for.
    pub(super) fn fits(&self, events: &Events, extra: &[EventId]) -> bool {
        extra.iter().filter_map(|&id| events[id].round()).all(|round| {
            let beside = extra.iter().filter(|&&other| events[other].round() == Some(round)).count();
            beside + self.arrived(events, round).count() <= round.capacity()
        })
    }

    /// Arrivals that are counted together.
    pub(super) fn arrived<'c>(&'c self, events: &'c Events, round: Round) -> impl Iterator<Item = EventId> + 'c {
        events.arrivals(round).iter().copied().filter(|&id| self.contains(events, id))
    }
}

/// Sets of these events that hold what comes before each of them, by their joins with `base`, which is part of each: all sets in which
/// some happened and the others not yet. `base` alone is one.
pub(super) fn ideals(events: &Events, base: &Cut, concurrent: &[EventId]) -> Vec<Cut> {
    // In an order in which they can happen: each is in a set or it is not, and then none that it comes before.
    let mut all: Vec<(Cut, SmallVec<[EventId; 4]>)> = vec![(base.clone(), SmallVec::new())];
    for &event in concurrent {
        for at in 0..all.len() {
            let (cut, without) = &all[at];
            if events.holds(cut, event) {
                continue;
            }
            let needs = without.iter().any(|&other| events.holds(&events[event].past, other));
            if needs {
                continue;
            }
            let mut with = cut.clone();
            events.join(&mut with, &events.closed(event));
            let without_now = without.clone();
            all[at].1.push(event);
            all.push((with, without_now));
        }
    }
    all.into_iter().map(|(cut, _)| cut).collect()
}

#[cfg(test)]
mod tests {
    use super::super::event::Extra;
    use super::*;
    use crate::run::prefix::Answer;

    fn choice(events: &mut Events, who: Who, index: u32, past: &Cut) -> EventId {
        let what = What::Choice { answer: Answer::Pick(index), course: None };
        events.event(who, what, past.clone(), Extra::default())
    }

    // Thread 0 has chosen one thing twice, as an event that is looked at later had it; by then the configuration has it choose another.
    #[test]
    fn what_is_in_conflict_now_is_not_shared() {
        let mut events = Events::default();
        let first = choice(&mut events, 1, 0, &Cut::default());
        let one = choice(&mut events, 0, 0, &Cut::default());
        let behind = events.closed(one);
        let again = choice(&mut events, 0, 0, &behind);
        let other = choice(&mut events, 0, 1, &Cut::default());
        let mut earlier = events.closed(again);
        earlier.set(1, first);
        let within = |event: EventId| {
            let mut configuration = Configuration::default();
            for event in [first, event] {
                configuration.add(&events, Member { event, base: Cut::default(), request: None });
            }
            configuration.first_within(&events, &earlier)
        };
        assert_eq!((within(one), within(other)), (2, 1));
    }
}
