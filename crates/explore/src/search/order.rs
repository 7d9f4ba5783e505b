//! Which of the ways to go on comes first, where all of them are gone in the end.
//!
//! Guarantee: what is explored is the same in any order, each trace once; only what comes first differs, and so which of equal findings is
//! shown. A task sorts by what it has met itself, so what it does depends on nothing else.

use crate::strategy::Pending;
use concurrency::{Site, ThreadId};
use machine::{Decision, Engine, State, Step};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// In what order all executions are run (SPOE, Schemmel et al., CAV 2020, section 4: any will do).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SearchOrder {
    /// The first thread that can go on, and the first answer.
    #[default]
    Given,
    /// Any, by this seed.
    Random(u64),
    /// What was not come to yet: threads that stand where none has gone on, and ways of branches that none has taken.
    Coverage,
    /// Steps that were not taken yet behind the same step that they depend on: what would be a new event, as far as its last cause tells.
    NewEvents,
}

/// Steps back in which the last cause of one is looked for.
const MOST_BACK: usize = 64;

/// The state of an order.
#[derive(Debug)]
pub(crate) struct Sorter {
    order: SearchOrder,
    drawn: u64,
    met: FxHashSet<u64>,
}

impl Sorter {
    pub(crate) fn new(order: SearchOrder) -> Self {
        let drawn = if let SearchOrder::Random(seed) = order { seed } else { 0 };
        Sorter { order, drawn, met: FxHashSet::default() }
    }

    /// Threads at a scheduling point.
    pub(crate) fn threads(&mut self, engine: &Engine, state: &State, pending: &mut Pending) {
        let program = &engine.program;
        let site = |thread: ThreadId| program.site(program.own_frame(state.thread(thread)));
        match self.order {
            SearchOrder::Given => {}
            SearchOrder::Random(_) => self.shuffle(pending),
            SearchOrder::Coverage => self.new_first(pending, |(thread, _, _)| key(&site(*thread))),
            SearchOrder::NewEvents => self.new_first(pending, |(thread, action, _)| {
                let cause = action.and_then(|action| {
                    let mut recent = state.history.backwards().take(MOST_BACK);
                    recent.find_map(|step| match step {
                        Step::Grant(other, before, _) if other == thread || before.dependent(&action) => {
                            Some((*other, *before))
                        }
                        _ => None,
                    })
                });
                key(&(*thread, site(*thread), cause))
            }),
        }
    }

    /// The answers at a choice of a thread.
    pub(crate) fn answers(&mut self, engine: &Engine, state: &State, thread: ThreadId, decisions: &mut [Decision]) {
        let site: Site = engine.program.site(engine.program.own_frame(state.thread(thread)));
        match self.order {
            SearchOrder::Given => {}
            SearchOrder::Random(_) => self.shuffle(decisions),
            SearchOrder::Coverage | SearchOrder::NewEvents => self.new_first(decisions, |decision| {
                let answer = match decision {
                    Decision::Condition { holds, .. } => u128::from(*holds),
                    Decision::Value { value, .. } => *value,
                    Decision::Pick(number) => u128::from(*number),
                    Decision::Null(_) => 0,
                    Decision::NonNull(_) | Decision::Tag(..) | Decision::Target(..) => 1,
                };
                key(&(site, answer))
            }),
        }
    }

    /// Those that were not first before come first, else as they are.
    fn new_first<T>(&mut self, all: &mut [T], key: impl Fn(&T) -> u64) {
        all.sort_by_cached_key(|one| self.met.contains(&key(one)));
        if let Some(first) = all.first() {
            self.met.insert(key(first));
        }
    }

    /// Fisher and Yates.
    fn shuffle<T>(&mut self, all: &mut [T]) {
        for index in (1..all.len()).rev() {
            let with = (self.draw() % (index as u64 + 1)) as usize;
            all.swap(index, with);
        }
    }

    /// The next number (Steele, Lea and Flood, OOPSLA 2014: SplitMix64).
    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.drawn;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn key(of: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
