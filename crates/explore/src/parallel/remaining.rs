//! How many executions are left: an interval, where a search was put aside.
//!
//! Each task has a weight, the share of the search that it is taken for: of what a task leaves, the part that is tried last is taken for half
//! of it, the one before for half of the rest, and so on (after Knuth, Estimating the efficiency of backtrack programs, 1975). So what was
//! explored is a sample, and the sum of its weights says how large it is. How far such an estimate is off depends on how much of the
//! search was seen; what it was off by on programs that came to their ends is what makes it an interval ([`Remaining::executions`],
//! `cargo xtask remaining`).

use serde::{Deserialize, Serialize};

/// How far a round of the search has come.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Remaining {
    /// Complete executions so far.
    pub executions: u64,
    /// Tasks that were carried out, or begun, so far.
    pub tasks: u64,
    /// What tasks are left are taken for, from 0 to 1.
    pub weight: f64,
    /// Sites of races were seen that were not visible: another round is to come, of which nothing is known.
    pub another_round: bool,
}

/// Between how many executions are left in nine of ten cases, if the search is like those that were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutionsLeft {
    pub least: u64,
    pub most: u64,
}

/// Of fewer executions or tasks there is no estimate.
const LEAST_EXECUTIONS: u64 = 20;
const LEAST_TASKS: u64 = 8;

/// Where at least so much of the search was seen: between which factors of the estimate the true number is taken to be. They are wider than
/// nine cases in ten need on the programs that were looked at, for others may be further off. The estimate is too high as a rule, and where
/// little is left, that may be nothing.
const FACTORS: [(f64, f64, f64); 3] = [(0.5, 0.0, 2.0), (0.1, 0.03, 3.5), (0.01, 0.004, 3.5)];

impl Remaining {
    /// How many executions are left if what is left is like what was seen. None where too little was.
    pub fn estimate(&self) -> Option<f64> {
        let done = 1.0 - self.weight;
        let is_enough = self.executions >= LEAST_EXECUTIONS && self.tasks >= LEAST_TASKS && done > 0.0;
        (is_enough && self.weight > 0.0 && !self.another_round).then(|| self.executions as f64 * self.weight / done)
    }

    /// An interval that holds the true number in nine of ten cases; none where too little was seen to say.
    pub fn executions(&self) -> Option<ExecutionsLeft> {
        let estimate = self.estimate()?;
        let (_, low, high) = FACTORS.into_iter().find(|(least, ..)| 1.0 - self.weight >= *least)?;
        Some(ExecutionsLeft { least: (estimate * low).floor() as u64, most: (estimate * high).ceil() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_little_nothing_is_told() {
        let seen = Remaining { executions: 100, tasks: 10, weight: 0.75, another_round: false };
        assert!(seen.estimate().is_some_and(|estimate| (estimate - 300.0).abs() < 1e-6));
        assert_eq!(seen.executions(), Some(ExecutionsLeft { least: 9, most: 1050 }));
        assert_eq!(Remaining { weight: 0.5, ..seen }.executions(), Some(ExecutionsLeft { least: 0, most: 200 }));
        for silent in [
            Remaining { executions: LEAST_EXECUTIONS - 1, ..seen },
            Remaining { tasks: LEAST_TASKS - 1, ..seen },
            Remaining { weight: 0.995, ..seen },
            Remaining { weight: 1.0, ..seen },
            Remaining { weight: 0.0, ..seen },
            Remaining { another_round: true, ..seen },
        ] {
            assert_eq!(silent.executions(), None, "{silent:?}");
        }
    }
}
