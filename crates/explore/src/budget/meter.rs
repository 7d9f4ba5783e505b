//! How much longer a part of the search may go on.

use crate::{Budget, Exhausted, FindingKey};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Between two looks at what is left, which asks the system: in that time, memory can grow by a few mebibytes.
const UNWATCHED: Duration = Duration::from_millis(1);

/// How long a task takes before it gives its memory back: less would be spent on coming back to where it was.
const LEAST: Duration = Duration::from_millis(5);

/// Why a part of the search stopped before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// It has taken its share of steps; others go on with the rest.
    Share,
    /// Memory is short: what is left goes on from prefixes.
    Memory,
    /// The whole search ends.
    Exhausted(Exhausted),
}

/// What all workers have done so far, for those who watch.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub executions: AtomicU64,
}

/// Steps that were lent.
#[derive(Debug)]
pub(crate) struct Lent {
    before: Option<u64>,
    lent: Option<u64>,
}

/// Measures out the steps of one task.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    budget: &'a Budget,
    live: &'a Live,
    /// Steps left; none: no bound, and memory is not given back either.
    share: Option<u64>,
    begun: Instant,
    /// When it looked last; none: not yet.
    looked: Option<Instant>,
    stopped: Option<Stopped>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(budget: &'a Budget, live: &'a Live, share: Option<u64>) -> Self {
        Meter { budget, live, share, begun: Instant::now(), looked: None, stopped: None }
    }

    /// For what has to be done whatever it takes: only the end of the whole search stops it.
    pub(crate) fn unshared(&self) -> Meter<'a> {
        Meter::new(self.budget, self.live, None)
    }

    /// For something besides, which takes so many steps at the most.
    pub(crate) fn apart<'b>(&self, live: &'b Live, steps: Option<u64>) -> Meter<'b>
    where
        'a: 'b,
    {
        Meter::new(self.budget, live, steps)
    }

    /// Something was found.
    pub(crate) fn found(&self, key: &FindingKey) {
        self.budget.note_enough(key);
    }

    pub(crate) fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// Whether there is time for another step.
    pub(crate) fn step(&mut self) -> bool {
        if self.stopped.is_none() && self.share == Some(0) {
            self.stopped = Some(Stopped::Share);
        }
        if self.stopped.is_some() {
            return false;
        }
        let now = Instant::now();
        if self.looked.is_none_or(|looked| now.duration_since(looked) >= UNWATCHED) {
            self.look();
            self.looked = Some(now);
        }
        if !self.budget.take_step() {
            self.stopped.get_or_insert(Stopped::Exhausted(Exhausted::Time));
        }
        self.share = self.share.map(|left| left - 1);
        self.stopped.is_none()
    }

    /// From here on, if steps are bounded.
    pub(crate) fn at_most(&mut self, steps: u64) {
        self.share = self.share.map(|left| left.min(steps));
    }

    /// Lets what begins now take so many steps at the least. What was left before, for [`Meter::take_back`].
    pub(crate) fn lend(&mut self, steps: u64) -> Lent {
        let before = self.share;
        self.share = before.map(|left| left.max(steps));
        Lent { before, lent: self.share }
    }

    /// What was lent and not taken is not there any more; whoever went on without a share took nothing of it.
    pub(crate) fn take_back(&mut self, Lent { before, lent }: Lent) {
        self.share = match (before, lent, self.share) {
            (Some(before), Some(lent), Some(left)) => Some(before.saturating_sub(lent - left)),
            _ => before,
        };
    }

    /// The task is done as a whole, however long it takes.
    pub(crate) fn without_share(&mut self) {
        self.share = None;
    }

    /// Looks at the clock and at memory. Whether the task may go on.
    pub(crate) fn look(&mut self) -> bool {
        if let Some(exhausted) = self.budget.exhausted() {
            self.stopped = Some(Stopped::Exhausted(exhausted));
        } else if self.share.is_some() && self.begun.elapsed() >= LEAST && self.budget.memory_is_short() {
            self.stopped = Some(Stopped::Memory);
        }
        self.stopped.is_none()
    }

    pub(crate) fn executed(&self) {
        self.live.executions.fetch_add(1, Ordering::Relaxed);
    }
}
