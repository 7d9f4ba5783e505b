//! What was done on the way to a state, and what of it comes before what.

use crate::trace::event::Event;
use concurrency::ThreadId;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many actions of each thread come before, in the order of dependence.
pub(crate) type Clock = SmallVec<[u32; 4]>;

/// An action that was done.
#[derive(Debug)]
pub(crate) struct PastStep {
    pub thread: ThreadId,
    pub event: Event,
    pub clock: Clock,
    before: Option<Rc<PastStep>>,
}

impl Drop for PastStep {
    /// Unlinks a long list step by step: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut step) = next.and_then(Rc::into_inner) {
            next = step.before.take();
        }
    }
}

/// The actions on the way to a state, shared between states with a common past.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    last: Option<Rc<PastStep>>,
    /// How many there are.
    length: usize,
    /// What comes before each thread's next action.
    clocks: SmallVec<[Clock; 2]>,
}

/// On a way backwards, how many steps of each thread are left that a clock may not include; none of a thread, once all that are left are
/// included. So a search for steps that are not ordered ends where it can find no more, however long the way is.
#[derive(Debug)]
pub(crate) struct Unknown {
    left: Clock,
}

impl Unknown {
    /// Nothing that is left on the way is unknown.
    pub(crate) fn is_none(&self) -> bool {
        self.left.iter().all(|&left| left == 0)
    }

    /// The next step on the way backwards: whether the clock does not include it.
    pub(crate) fn passes(&mut self, known: &Clock, step: &PastStep) -> bool {
        let Some(left) = self.left.get_mut(step.thread.index()).filter(|left| **left > 0) else { return false };
        *left = entry(&step.clock, step.thread) - 1;
        let is_unknown = !follows(known, step);
        self.learn(known);
        is_unknown
    }

    /// The clock has come to include more.
    pub(crate) fn learn(&mut self, known: &Clock) {
        for (left, known) in self.left.iter_mut().zip(known) {
            if known >= left {
                *left = 0;
            }
        }
    }
}

fn entry(clock: &Clock, thread: ThreadId) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

/// Whether what comes before some action, by its clock, includes another one.
pub(crate) fn follows(clock: &Clock, step: &PastStep) -> bool {
    entry(clock, step.thread) >= entry(&step.clock, step.thread)
}

/// Adds what comes before another action.
pub(crate) fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(mine, its)| *mine = (*mine).max(*its));
}

impl Past {
    /// The last first.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &PastStep> {
        std::iter::successors(self.last.as_deref(), |step| step.before.as_deref())
    }

    /// How many there are.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// What comes before a thread's next action.
    pub(crate) fn before(&self, thread: ThreadId) -> Clock {
        self.clocks.get(thread.index()).cloned().unwrap_or_default()
    }

    /// Threads beside this one of which there are steps that do not come before its next action, by its clock.
    pub(crate) fn unknown(&self, thread: ThreadId, known: &Clock) -> Unknown {
        let lengths = self.clocks.iter().enumerate().map(|(index, clock)| {
            let all = clock.get(index).copied().unwrap_or(0);
            if index == thread.index() { 0 } else { all }
        });
        let mut unknown = Unknown { left: lengths.collect() };
        unknown.learn(known);
        unknown
    }

    /// With a step that is taken next.
    pub(crate) fn then(&self, thread: ThreadId, event: Event) -> Past {
        let mut clock = self.before(thread);
        let mut unknown = self.unknown(thread, &clock);
        for step in self.steps() {
            if unknown.is_none() || event.action.commutes_with_all() {
                break;
            }
            if unknown.passes(&clock, step) && step.event.dependent(&event) {
                join(&mut clock, &step.clock);
                unknown.learn(&clock);
            }
        }
        if clock.len() <= thread.index() {
            clock.resize(thread.index() + 1, 0);
        }
        clock[thread.index()] += 1;
        let mut clocks = self.clocks.clone();
        if clocks.len() <= thread.index() {
            clocks.resize(thread.index() + 1, Clock::new());
        }
        clocks[thread.index()].clone_from(&clock);
        let before = self.last.clone();
        Past { last: Some(Rc::new(PastStep { thread, event, clock, before })), length: self.length + 1, clocks }
    }
}
