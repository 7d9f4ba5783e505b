//! Cutoffs: events behind which everything is as it was behind fewer events (SPOE, 3.8 and 4.2; McMillan, CAV 1992).
//!
//! What follows from an event's own history follows from the shorter one as well, so an execution need not go on behind it. The state
//! behind a history is found by running it, and nothing but it, and told apart from others by its key ([`Engine::live_key`]).

use super::Unfolding;
use super::event::{Cut, EventId, Events};
use super::extensions::{Choices, note_lost};
use crate::run::follow::quietly;
use crate::strategy::node::{Mark, Node};
use concurrency::ThreadId;
use machine::{Engine, EngineError, State};
use memory::Fingerprint;
use rustc_hash::FxHashMap;

/// States that were met, and events behind which nothing needs to follow.
#[derive(Debug, Default)]
pub(super) struct Cutoffs {
    /// By the key of a state, the least history that is known to lead to it.
    met: FxHashMap<Fingerprint, Order>,
    /// States in which something else has been printed are others.
    pub printed: bool,
    /// Those that are yet to be run, to see what is wrong on the way to the known state.
    pub probes: Vec<EventId>,
    /// In such a run: threads that stand before choices, of which nothing is to be seen.
    pub probing: Option<Vec<ThreadId>>,
    pub count: u64,
}

/// An order of histories: fewer events first; of as many, by which labels they have; of the same labels, by those of the first level at which
/// they differ, where an event's level is one more than the most of what comes before it (the Foata normal form).
///
/// It is adequate (Esparza, Römer and Vogler, An improvement of McMillan's unfolding algorithm, FMSD 2002, theorem 5.4, for labels on which
/// dependence rests): a history comes behind its parts, and if two lead to one state and the same event is added to both, they stay in
/// this order. For of equal labels, all that the event depends on are the same ones in both. If in one of the two they are all at
/// levels before the first at which the two differ, then so they are in the other, and the event gets the same level in both; else it
/// comes behind that level in both.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Order {
    size: u32,
    labels: Box<[u32]>,
    levels: Box<[(u32, u32)]>,
}

impl Order {
    /// Of an event's own history, with itself.
    fn of(events: &Events, event: EventId) -> Self {
        let all = events.chain(&events.closed(event), &Cut::default());
        let mut labels: Box<[u32]> = all.iter().map(|&id| events[id].label).collect();
        let mut levels: Box<[(u32, u32)]> = all.iter().map(|&id| (events[id].level, events[id].label)).collect();
        labels.sort_unstable();
        levels.sort_unstable();
        Order { size: all.len() as u32, labels, levels }
    }
}

impl Unfolding {
    /// Whether nothing needs to follow an event.
    pub(super) fn is_cutoff(&mut self, engine: &mut Engine, event: EventId) -> bool {
        if !self.options.cutoffs {
            return false;
        }
        if let Some(known) = self.events[event].is_cutoff {
            return known;
        }
        // Of a state that cannot be compared nothing is known.
        let key = quietly(engine, |engine| self.key_behind(engine, event)).ok().flatten();
        let is_cutoff = key.is_some_and(|key| {
            let this = Order::of(&self.events, event);
            match self.cutoffs.met.get(&key) {
                Some(least) if *least < this => true,
                _ => {
                    self.cutoffs.met.insert(key, this);
                    false
                }
            }
        });
        self.events[event].is_cutoff = Some(is_cutoff);
        self.cutoffs.count += u64::from(is_cutoff);
        self.cutoffs.probes.extend(is_cutoff.then_some(event));
        is_cutoff
    }

    /// A cutoff is run to the state that is known, and not beyond: what races or fails on the way may not on the other one.
    pub(super) fn probe(&mut self, engine: &mut Engine, cutoff: EventId) -> Option<Node> {
        match self.before(engine, cutoff) {
            Ok((state, stand)) => {
                self.cutoffs.probing = Some(stand.into_iter().map(|(thread, _)| thread).collect());
                Some(Node::on(state, Mark::default()))
            }
            Err(error) => {
                note_lost(engine, &error);
                None
            }
        }
    }

    /// The state in which an event is about to happen, behind nothing but its own history, and who stands before choices there.
    fn before(&self, engine: &mut Engine, event: EventId) -> Result<(State, Choices), EngineError> {
        let (mut state, mut choices) = quietly(engine, |engine| self.state_at(engine, &self.events[event].past))?;
        self.act(engine, &mut state, &mut choices, event)?;
        Ok((state, choices))
    }

    fn key_behind(&self, engine: &mut Engine, event: EventId) -> Result<Option<Fingerprint>, EngineError> {
        let (mut state, choices) = self.state_at(engine, &self.events.closed(event))?;
        // In the middle of an action a state says less than what is to be known.
        if choices.iter().any(|&(thread, _)| !state.is_at_branch(&engine.program, thread)) {
            return Ok(None);
        }
        Ok(self.key(engine, &mut state))
    }

    fn key(&self, engine: &mut Engine, state: &mut State) -> Option<Fingerprint> {
        let key = engine.live_key(state)?;
        Some(Fingerprint::of((key, self.cutoffs.printed.then_some(&*state.output))))
    }

    /// The state at which everything begins was met behind no events.
    pub(super) fn meet_first(&mut self, engine: &mut Engine, state: &State) {
        if self.options.cutoffs
            && let Some(key) = self.key(engine, &mut state.clone())
        {
            self.cutoffs.met.insert(key, Order::default());
        }
    }
}
