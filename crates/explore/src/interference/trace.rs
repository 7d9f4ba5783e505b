//! What an execution was, in terms of the forest (Con2colic, Definition 4.1: symbolic traces).

use super::forest::{Forest, NodeId};
use super::scenario::{Edge, Scenario};
use crate::trace::canon::Who;
use concurrency::{Action, Range};
use smallvec::SmallVec;

/// A node of a thread in an execution, by its number.
pub(super) type At = (Who, usize);

/// By thread, so many nodes of it.
pub(super) type Clock = SmallVec<[u32; 4]>;

/// One node of a thread in an execution.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub node: NodeId,
    /// What comes causally before the next one: this one and all before it.
    pub clock: Clock,
}

/// An interference of an execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interference {
    pub reader: At,
    pub cell: u32,
    pub source: At,
    /// Nothing but the schedule orders the two.
    pub counts: bool,
}

/// An execution.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// By thread.
    pub threads: Vec<Vec<Step>>,
    pub interferences: Vec<Interference>,
    /// What threads stand before in the end.
    pub pending: Vec<(Who, Action, Box<[Range]>)>,
    /// The sink's thread did what was foreseen.
    pub as_foreseen: bool,
    /// Of equal writes in a row the first stands for all.
    pub subsumption: bool,
}

/// Raises each of a clock's numbers to the other's.
pub(super) fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

impl Trace {
    pub(super) fn clock(&self, who: Who) -> Clock {
        self.threads.get(who).and_then(|steps| steps.last()).map(|step| step.clock.clone()).unwrap_or_default()
    }

    /// The causal interference scenario (Definition 5.3) of a label behind the first `at` nodes of a thread.
    pub(super) fn scenario(&self, forest: &Forest, (who, at): At, sink: NodeId) -> Scenario {
        let clock = at.checked_sub(1).map(|before| self.threads[who][before].clock.clone()).unwrap_or_default();
        let mut leaves: SmallVec<[Option<NodeId>; 4]> = SmallVec::new();
        leaves.resize(self.threads.len().max(who + 1), None);
        for (other, &count) in clock.iter().enumerate() {
            leaves[other] = (count as usize).checked_sub(1).map(|last| self.threads[other][last].node);
        }
        leaves[who] = Some(sink);
        let is_before = |(who, at): At| clock.get(who).is_some_and(|&count| at < count as usize);
        let inside = self.interferences.iter().filter(|interference| is_before(interference.reader));
        let mut edges: SmallVec<[Edge; 4]> = inside.map(|interference| self.edge(forest, interference)).collect();
        edges.sort_unstable();
        debug_assert_eq!(forest.who(sink), who);
        Scenario { leaves, edges, sink }
    }

    fn edge(&self, forest: &Forest, interference: &Interference) -> Edge {
        let node = |(who, at): At| self.threads[who][at].node;
        let source = node(interference.source);
        let source = if self.subsumption { forest.first_written(source) } else { source };
        Edge { reader: node(interference.reader), cell: interference.cell, source }
    }

    /// Reads of other threads' writes in a thread's past that nothing but the schedule orders.
    pub(super) fn degree(&self, who: Who) -> u32 {
        let clock = self.clock(who);
        let is_before = |(who, at): At| clock.get(who).is_some_and(|&count| at < count as usize);
        let mut counted: SmallVec<[(At, At); 8]> = SmallVec::new();
        for interference in self.interferences.iter().filter(|i| i.counts && is_before(i.reader)) {
            let pair = (interference.reader, interference.source);
            if !counted.contains(&pair) {
                counted.push(pair);
            }
        }
        counted.len() as u32
    }
}

/// Where bytes stand that an execution wrote, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastWrite {
    pub range: Range,
    pub by: At,
}
