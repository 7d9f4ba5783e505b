//! Causal order: what threads do comes after their creation, and before who has waited for their ends.

use concurrency::ThreadId;
use machine::{Observations, Observed};
use std::collections::BTreeMap;

/// When something was observed: counted over all that was.
pub(crate) type At = usize;

/// Who created whom in an execution, and who waited for whose end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causality {
    created: BTreeMap<ThreadId, (ThreadId, At)>,
    joined: BTreeMap<ThreadId, (ThreadId, At)>,
}

impl Causality {
    pub(crate) fn of(observed: &Observations) -> Self {
        let mut causality = Causality::default();
        let length = observed.len();
        for (before_last, what) in observed.iter().enumerate() {
            let at = length - before_last;
            match what {
                Observed::Created { by, thread } => drop(causality.created.insert(*thread, (*by, at))),
                Observed::Joined { by, thread } => drop(causality.joined.insert(*thread, (*by, at))),
                _ => {}
            }
        }
        causality
    }

    /// Whether what one thread did at some time comes before what another did.
    pub(crate) fn orders(&self, earlier: (ThreadId, At), later: (ThreadId, At)) -> bool {
        let ends = std::iter::successors(Some(earlier), |(thread, _)| self.joined.get(thread).copied());
        ends.into_iter().take(self.joined.len() + 1).any(|(thread, at)| {
            let begins = std::iter::successors(Some(later), |(thread, _)| self.created.get(thread).copied());
            begins.into_iter().any(|(other, by_then)| thread == other && at <= by_then)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Main creates A at 2 and waits for its end at 5; then it creates B at 6.
    #[test]
    fn creation_and_end_order_what_threads_do() {
        let [main, a, b] = [0, 1, 2].map(ThreadId::new);
        let causality = Causality {
            created: BTreeMap::from([(a, (main, 2)), (b, (main, 6))]),
            joined: BTreeMap::from([(a, (main, 5))]),
        };
        assert!(causality.orders((main, 1), (a, 3)), "before the creation");
        assert!(!causality.orders((main, 3), (a, 3)) && !causality.orders((a, 3), (main, 3)), "beside it");
        assert!(causality.orders((a, 4), (main, 7)), "behind the end");
        assert!(causality.orders((a, 4), (b, 7)) && !causality.orders((b, 7), (a, 4)), "ended before the other began");
    }
}
