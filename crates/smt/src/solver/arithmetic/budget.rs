//! What one question may take.

use std::time::Instant;

use super::{INTEGER_STEPS, SHARE};
use crate::pool::Terms;
use crate::solver::bits::Bits;
use crate::solver::{Answer, Limits, Solver, Stop, UnknownReason};
use crate::term::TermId;

/// What is left for one question.
pub(super) struct Budget {
    stop: Option<Stop>,
    deadline: Option<Instant>,
    /// Conflicts that the last circuits may take.
    pub(super) steps: Option<u32>,
    /// A circuit was too large.
    too_large: bool,
}

impl Budget {
    pub(super) fn new(limits: Limits, stop: Option<Stop>) -> Budget {
        let deadline = limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Budget { stop, deadline, steps: limits.steps.map(|steps| (steps / SHARE).max(1)), too_large: false }
    }

    pub(super) fn solver(&self) -> Bits {
        let mut bits = Bits::new();
        if let Some(stop) = &self.stop {
            bits.stop_when(stop.clone());
        }
        bits
    }

    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// Limits of a question about integers.
    pub(super) fn of_integers(&self) -> Limits {
        let timeout = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let steps = self.steps.map_or(INTEGER_STEPS, |all| all.min(INTEGER_STEPS));
        Limits { timeout, steps: Some(steps) }
    }

    pub(super) fn reason(&self) -> UnknownReason {
        match () {
            () if self.is_over() => UnknownReason::Timeout,
            () if self.too_large => UnknownReason::Incomplete,
            () => UnknownReason::Steps,
        }
    }

    /// At most `steps` conflicts, and no more than are left for the question.
    pub(super) fn ask(&mut self, bits: &mut Bits, terms: &Terms, assertions: &[TermId], steps: u32) -> Answer {
        if self.is_over() {
            return Answer::Unknown(UnknownReason::Timeout);
        }
        let timeout = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        bits.set_limits(Limits { timeout, steps: Some(self.steps.map_or(steps, |all| all.min(steps))) });
        let answer = bits.decide(terms, assertions);
        self.too_large |= answer == Answer::Unknown(UnknownReason::Incomplete);
        answer
    }
}
