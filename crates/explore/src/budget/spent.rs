//! What a search took.

use machine::{Assumed, Came, Statistics};
use serde::{Deserialize, Serialize};
use smt::SolverStats;
use std::ops::AddAssign;

/// What a search took, and what it assumed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    pub statistics: Statistics,
    pub solver: SolverStats,
    pub assumed: Assumed,
    /// What its threads came to, of the program that was explored.
    #[serde(default)]
    pub came: Came,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.statistics += other.statistics;
        self.solver += other.solver;
        self.assumed |= other.assumed;
        self.came |= &other.came;
    }
}
