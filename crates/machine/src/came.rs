//! Which code was carried out, over all executions of a search.
//!
//! One byte for each site: the highest bit says that a thread came there, the others, of a branch, which ways were taken from it. Where one
//! instruction of a block was come to, so were all before it; so what is noted is how a block is left, and where a thread stops or calls.
//!
//! Guarantee: each site and way that is noted was carried out by a thread among all others; what threads do by themselves, to find out which
//! heaps there are, is not noted. Calls for which a summary is invoked were carried out in the same way when that was written down, by the same
//! engine. Of a branch whose ways are gone at once both are noted, with what stands on them.
//! Owes nothing to what is cut off: that was carried out where the state, or the events, first came.

use crate::Program;
use concurrency::Site;
use ir::{BlockId, FuncId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::BitOrAssign;

const CAME: u8 = 0x80;
/// Ways from this one on are kept apart: of large switches.
const MANY: u64 = 7;

/// What was come to. Empty, and of no program, where nobody notes it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Came {
    seen: Vec<u8>,
    /// Sites of switches, with the number of the case.
    cases: BTreeSet<(u32, u32)>,
}

impl Came {
    /// Nothing yet, of this program.
    pub fn nowhere(program: &Program) -> Self {
        Came { seen: vec![0; program.site_count()], cases: BTreeSet::new() }
    }

    pub fn is_noted(&self) -> bool {
        !self.seen.is_empty()
    }

    /// A thread stands before the instruction at this site.
    #[inline(always)]
    pub(crate) fn at(&mut self, site: usize) {
        if let Some(seen) = self.seen.get_mut(site) {
            *seen |= CAME;
        }
    }

    /// A way is taken from the end of a block.
    #[inline(always)]
    pub(crate) fn by(&mut self, site: usize, way: usize) {
        let Some(seen) = self.seen.get_mut(site) else { return };
        *seen |= CAME;
        if (way as u64) < MANY {
            *seen |= 1 << way;
        } else {
            self.cases.insert((site as u32, way as u32));
        }
    }

    /// How many of a block's instructions were come to, its end counted as one.
    pub fn reach(&self, program: &Program, function: FuncId, block: BlockId) -> usize {
        let Some(first) = program.first_of(function, block) else { return 0 };
        let length = program.module[function].block(block).insts.len() + 1;
        let sites = self.seen.get(first..first + length).unwrap_or_default();
        sites.iter().rposition(|seen| *seen != 0).map_or(0, |last| last + 1)
    }

    /// Whether a way was taken from the end of a block, at this site: 0 or 1 for what the condition was, or the number of the case, with the
    /// default behind them.
    pub fn took(&self, end: Site, way: u64) -> bool {
        match way {
            0..MANY => self.seen.get(end.index()).is_some_and(|seen| seen >> way & 1 == 1),
            _ => self.cases.contains(&(end.index() as u32, way as u32)),
        }
    }
}

impl BitOrAssign<&Came> for Came {
    /// Both of one program, if of any.
    fn bitor_assign(&mut self, other: &Came) {
        if self.seen.is_empty() {
            self.seen.clone_from(&other.seen);
        } else {
            debug_assert!(other.seen.is_empty() || other.seen.len() == self.seen.len(), "two programs");
            self.seen.iter_mut().zip(&other.seen).for_each(|(seen, other)| *seen |= other);
        }
        self.cases.extend(&other.cases);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_adds_up() {
        let mut came = Came { seen: vec![0; 4], cases: BTreeSet::new() };
        came.at(1);
        came.by(3, 1);
        let mut other = Came { seen: vec![0; 4], cases: BTreeSet::new() };
        other.by(3, 9);
        other.at(17);
        came |= &other;
        assert_eq!((came.seen, came.cases), (vec![0, CAME, 0, CAME | 2], [(3, 9)].into()));
        let mut none = Came::default();
        none.at(0);
        assert!(!none.is_noted());
        none |= &other;
        assert_eq!(none, other);
    }
}
