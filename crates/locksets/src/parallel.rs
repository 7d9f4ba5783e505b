//! Which threads may be there at the same time.
//!
//! `main` is beside those that it may have created and not joined, at each moment by itself. Two others are beside each other if one may
//! be there when the other is created; those that create threads themselves, and these, are beside all of theirs.

use crate::flow::States;
use crate::points_to::Program;
use crate::threads::{MAIN, RootId};
use std::collections::BTreeSet;

pub(crate) struct Parallel {
    pairs: BTreeSet<(RootId, RootId)>,
}

impl Parallel {
    pub(crate) fn of(program: &Program, states: &States) -> Parallel {
        let mut pairs = BTreeSet::new();
        states.visit(program, |place, _, _, state| {
            if program.instances[place.instance.index()].root != MAIN {
                return;
            }
            for root in program.created_at(place) {
                let new: BTreeSet<RootId> = states.descendants[root.index()].iter().copied().chain([root]).collect();
                for &one in &new {
                    for &other in state.live.iter().chain(&new) {
                        if one != other || states.repeated.root(one) {
                            pairs.extend([(one, other), (other, one)]);
                        }
                    }
                }
            }
        });
        for index in 1..program.roots.len() {
            let root = RootId(index as u32);
            if states.repeated.root(root) {
                pairs.insert((root, root));
            }
        }
        Parallel { pairs }
    }

    /// Of threads other than `main`'s.
    pub(crate) fn may_be(&self, one: RootId, other: RootId) -> bool {
        self.pairs.contains(&(one, other))
    }
}
