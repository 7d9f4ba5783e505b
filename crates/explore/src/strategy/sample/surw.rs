//! Selectively uniform random walks (Zhao, Wolff, Mathur & Roychoudhury, ASPLOS 2025).
//!
//! In each execution the actions on one place are of interest, chosen at random among those where several threads meet. Who comes next
//! there is decided before: a thread with a probability in proportion to how many of these actions it, and those that it creates, still have,
//! so that each order of them is as likely as the others, where the counts of earlier executions are right. The others stop before such an
//! action until that thread has been there; apart from that all go on at random. Without a place where threads meet, all actions are of
//! interest.

use crate::strategy::Threads;
use crate::strategy::sample::Picks;
use crate::trace::label;
use concurrency::{Action, ThreadId};
use fastrand::Rng;
use machine::State;
use memory::{Fingerprint, Names};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is acted on, by a word that all executions share.
type Spot = u64;

#[derive(Debug, Default)]
pub(super) struct Surw {
    /// How often threads, by their names, act on each spot: the most in an execution so far.
    known: BTreeMap<Spot, BTreeMap<Arc<str>, u32>>,
    /// The same of this execution.
    seen: BTreeMap<Spot, BTreeMap<Arc<str>, u32>>,
    /// Whose actions are of interest; none: all are.
    interest: Option<Spot>,
    /// Of those of interest, how many each thread has left.
    left: BTreeMap<Arc<str>, u32>,
    /// Who comes next there.
    intended: Option<ThreadId>,
    /// Names of threads, which are as long as there are ancestors.
    names: FxHashMap<ThreadId, Arc<str>>,
}

impl Surw {
    fn name(&mut self, state: &State, thread: ThreadId) -> Arc<str> {
        self.names.entry(thread).or_insert_with(|| Arc::from(label::name(state, thread))).clone()
    }

    fn is_of_interest(&self, spot: Option<Spot>) -> bool {
        spot.is_some() && (self.interest.is_none() || self.interest == spot)
    }

    /// How many actions of interest a thread has left, with those of the threads that it has not created yet.
    fn weight(&self, name: &str, alive: &BTreeSet<Arc<str>>) -> u32 {
        let descends = |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let own = self.left.get(name).copied().unwrap_or(0);
        let later = self.left.iter().filter(|(other, _)| descends(other) && !alive.contains(*other));
        own + later.map(|(_, left)| left).sum::<u32>()
    }

    /// Who comes next: one of these, in proportion to what is left to it; each as likely where nothing is known to be left.
    fn intend(
        &self,
        threads: &[(ThreadId, Arc<str>)],
        (alive, spots): (&BTreeSet<Arc<str>>, &[Option<Spot>]),
        random: &mut Rng,
    ) -> ThreadId {
        // Who stands before such an action has at least that one left, whatever was counted: executions may end early.
        let weight = |(at, (_, name)): (usize, &(ThreadId, Arc<str>))| {
            self.weight(name, alive).max(u32::from(self.is_of_interest(spots[at])))
        };
        let weights: Vec<u32> = threads.iter().enumerate().map(weight).collect();
        let total: u32 = weights.iter().sum();
        if total == 0 {
            return threads[random.usize(..threads.len())].0;
        }
        let mut ticket = random.u32(..total);
        for ((thread, _), weight) in threads.iter().zip(weights) {
            match ticket.checked_sub(weight) {
                Some(rest) => ticket = rest,
                None => return *thread,
            }
        }
        threads[0].0
    }
}

impl Picks for Surw {
    fn begin(&mut self, random: &mut Rng) {
        for (spot, counts) in std::mem::take(&mut self.seen) {
            let known = self.known.entry(spot).or_default();
            for (name, count) in counts {
                let most = known.entry(name).or_default();
                *most = count.max(*most);
            }
        }
        let met: Vec<Spot> = self.known.iter().filter(|(_, counts)| counts.len() > 1).map(|(spot, _)| *spot).collect();
        self.interest = random.choice(met);
        self.left.clear();
        for counts in self.known.iter().filter(|(spot, _)| self.interest.is_none_or(|it| it == **spot)).map(|it| it.1) {
            for (name, count) in counts {
                *self.left.entry(name.clone()).or_default() += count;
            }
        }
        self.intended = None;
        self.names.clear();
    }

    fn pick(&mut self, state: &State, awake: &Threads, pending: &Threads, random: &mut Rng) -> ThreadId {
        let names = Names::new(state.memory.shape());
        let named: Vec<(ThreadId, Arc<str>)> = awake.iter().map(|(id, _)| (*id, self.name(state, *id))).collect();
        let alive: BTreeSet<Arc<str>> = pending.iter().map(|(id, _)| self.name(state, *id)).collect();
        let spots: Vec<Option<Spot>> = awake.iter().map(|(_, action)| spot(state, &names, action)).collect();
        // Who was meant may have ended, or has to wait: somebody else comes before.
        let intended = match self.intended.filter(|intended| awake.iter().any(|(id, _)| id == intended)) {
            Some(intended) => intended,
            None => self.intend(&named, (&alive, &spots), random),
        };
        self.intended = Some(intended);
        let free: Vec<usize> =
            (0..awake.len()).filter(|at| awake[*at].0 == intended || !self.is_of_interest(spots[*at])).collect();
        let at = free[random.usize(..free.len())];
        let (thread, name) = &named[at];
        if let Some(spot) = spots[at] {
            *self.seen.entry(spot).or_default().entry(name.clone()).or_default() += 1;
        }
        if self.is_of_interest(spots[at]) {
            if let Some(left) = self.left.get_mut(name) {
                *left = left.saturating_sub(1);
            }
            self.intended = None;
        }
        *thread
    }
}

/// What an action is on, where others may act on it as well.
fn spot(state: &State, names: &Names, action: &Action) -> Option<Spot> {
    match action {
        Action::Join(_) | Action::Pass(_) | Action::Exit | Action::Leave => None,
        action => {
            let (kind, place, ..) = label::canonical(state, names, action);
            // Plain and other accesses to one object of synchronisation meet.
            let place_alone = matches!(action, Action::TryJoin { .. } | Action::AtomicBegin);
            Some(Fingerprint::of((if place_alone { kind } else { 0 }, place)).0 as u64)
        }
    }
}
