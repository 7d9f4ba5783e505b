//! What was found before a round began.

use crate::FindingKey;
use crate::budget::counts::Guided;
use crate::budget::spent::Spent;
use crate::findings::Found;
use crate::parallel::gathered::Round;
use concurrency::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// What the rounds before this one came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Earlier {
    /// The sites that are visible in this round, in the order in which they became so.
    pub sites: Vec<Site>,
    pub found: FxHashMap<FindingKey, Found>,
    pub spent: Spent,
    /// What the guided search did, if it came before the first round.
    pub guided: Option<Guided>,
}

impl Earlier {
    pub(crate) fn visible(&self) -> FxHashSet<Site> {
        self.sites.iter().copied().collect()
    }

    /// Whether all sites are visible at which a round has seen races: no other follows it.
    pub(crate) fn sees_all(&self, round: &Round) -> bool {
        let visible = self.visible();
        round.racy.iter().all(|site| visible.contains(site))
    }

    /// Takes in a round that another follows. With more sites visible more is interleaved, and what was found before is found
    /// again, with a finer schedule.
    pub(crate) fn before_next(&mut self, round: Round) {
        for (key, mut found) in round.findings {
            self.found.get(&key).into_iter().for_each(|known| found.rest_on_less(known));
            self.found.insert(key, found);
        }
        let visible = self.visible();
        self.sites.extend(round.racy.iter().filter(|site| !visible.contains(site)));
        self.spent += round.spent;
    }
}
