//! The pairs of operations, each with its share of the time.
//!
//! Where time is limited, each pair gets an equal share of what is left: one with more heaps than can be explored does
//! not keep the others from being looked at. What the others leave over goes to the pairs that were cut short. They begin
//! anew, so only where they get longer than before.

use super::Ticker;
use super::session::Session;
use explore::{Exhausted, FindingKey, Operation, PairOutcome, PairsOptions, Progress, SHARES, Workers, pair};
use machine::Ledger;
use report::ShapeBasis;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use witness::{Entry, Setting};

/// Two operations, and what their last exploration came to.
pub(super) struct Pair<'a> {
    pub operations: [&'a Operation; 2],
    pub options: PairsOptions,
    pub ledger: Ledger,
    /// Without its findings: those are confirmed at once.
    pub outcome: PairOutcome,
    confirmed: FxHashSet<FindingKey>,
    /// The time that it had; none before its first turn.
    had: Option<Duration>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(operations: [&'a Operation; 2], options: PairsOptions) -> Self {
        Pair {
            operations,
            options,
            ledger: Ledger::default(),
            outcome: PairOutcome::default(),
            confirmed: FxHashSet::default(),
            had: None,
        }
    }

    /// Explores the two until they are done or the time is up, and confirms what is found. `index`: among all pairs.
    /// Whether more time would help.
    fn explore(
        &mut self,
        session: &mut Session,
        index: usize,
        time: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> anyhow::Result<bool> {
        let others = std::mem::take(&mut session.engine.ledger);
        let budget = session.limited(time);
        let new_engine = session.new_engine();
        let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
        self.outcome = pair(&mut session.engine, workers, self.operations, &self.options, &budget, progress)?;
        let mut findings = std::mem::take(&mut self.outcome.findings);
        findings.retain(|key, _| !self.confirmed.contains(key));
        let setting = Setting {
            entry: Entry::Operations(self.operations.into_iter().cloned().collect()),
            limits: self.options.limits,
            globals_symbolic: self.options.globals_symbolic,
            roots: self.options.roots,
            valid: self.options.valid.clone(),
        };
        let basis = if self.options.valid.is_some() { ShapeBasis::Valid } else { ShapeBasis::Assumed };
        if let Some(origin) = &self.outcome.origin {
            let confirmed = session.confirm(&setting, origin, findings, Some(basis), Some(index), time)?;
            self.confirmed.extend(confirmed);
        }
        self.ledger = std::mem::replace(&mut session.engine.ledger, others);
        self.had = Some(time.unwrap_or_default());
        Ok(self.outcome.exhausted == Some(Exhausted::Time))
    }
}

/// Explores all pairs.
///
/// # Errors
/// When the engine fails.
pub(super) fn explore_all(session: &mut Session, pairs: &mut [Pair], progress: &mut Ticker) -> anyhow::Result<()> {
    let mut pending: Vec<usize> = (0..pairs.len()).collect();
    let mut done = 0;
    while !pending.is_empty() {
        let mut cut_short = Vec::new();
        for (position, &index) in pending.iter().enumerate() {
            let left = session.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let time = left.map(|left| share(left, pending.len() - position, pairs[index].had));
            if time == Some(None) {
                continue;
            }
            progress.pairs_done(done, pairs.len());
            if pairs[index].explore(session, index, time.flatten(), progress)? {
                cut_short.push(index);
            } else {
                done += 1;
            }
        }
        pending = cut_short;
    }
    Ok(())
}

/// The time for one of `waiting` pairs that had some before, or none yet; none if it would not get farther.
fn share(left: Duration, waiting: usize, had: Option<Duration>) -> Option<Duration> {
    let equal = left / u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
    let Some(had) = had else { return Some(equal) };
    let more = equal.max(had * 2).min(left);
    (more > had * 3 / 2).then_some(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_equal_at_first_and_grow_later() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(30), 3, None), Some(seconds(10)));
        assert_eq!(share(Duration::ZERO, 3, None), Some(Duration::ZERO), "it says that time ran out");
        assert_eq!(share(seconds(60), 2, Some(seconds(10))), Some(seconds(30)));
        assert_eq!(share(seconds(60), 6, Some(seconds(20))), Some(seconds(40)), "less would be in vain");
        assert_eq!(share(seconds(25), 1, Some(seconds(20))), None);
        assert_eq!(share(Duration::ZERO, 1, Some(seconds(20))), None);
        assert_eq!(share(Duration::ZERO, 1, Some(Duration::ZERO)), None, "once is enough");
    }
}
