//! What was found before a round began.

use crate::FindingKey;
use crate::budget::counts::Guided;
use crate::budget::spent::Spent;
use crate::findings::Found;
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
}
