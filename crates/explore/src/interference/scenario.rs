//! Interference scenarios (Con2colic, Definitions 5.2 and 5.3): how far each thread has come, and which reads another thread's writes
//! interfere with.

use super::forest::{Forest, Label, NodeId, Path};
use super::looks;
use crate::trace::canon::Who;
use smallvec::SmallVec;
use std::rc::Rc;

/// That a node takes what it needs from another thread's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Edge {
    /// An access that reads; or what waits: for a thread's end, for a signal.
    pub reader: NodeId,
    /// Which of its reads; 0 for what waits.
    pub cell: u32,
    /// Where that was written, or is done that is waited for.
    pub source: NodeId,
}

/// Of a thread that is in it, the last node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Scenario {
    /// By thread.
    pub leaves: SmallVec<[Option<NodeId>; 4]>,
    /// In ascending order.
    pub edges: SmallVec<[Edge; 4]>,
    /// What is to be reached: the last node of its thread.
    pub sink: NodeId,
}

impl Scenario {
    /// Whether a node is in it.
    pub(super) fn contains(&self, forest: &Forest, node: NodeId) -> bool {
        let leaf = self.leaves.get(forest.who(node)).copied().flatten();
        leaf.is_some_and(|leaf| forest.at_depth(leaf, forest.depth(node)) == Some(node))
    }

    /// Whether all of it is in another one.
    pub(super) fn is_within(&self, forest: &Forest, other: &Scenario) -> bool {
        self.leaves.iter().flatten().all(|&leaf| other.contains(forest, leaf))
            && self.edges.iter().all(|edge| other.edges.binary_search(edge).is_ok())
    }

    /// What a read takes its value from, if it is another thread's.
    pub(super) fn source(&self, reader: NodeId, cell: u32) -> Option<NodeId> {
        let at = self.edges.binary_search_by_key(&(reader, cell), |edge| (edge.reader, edge.cell)).ok()?;
        Some(self.edges[at].source)
    }

    /// Both together (Con2colic, Remark 5.5), `other` up to its sink; none where a thread does something else in it (Definition 5.4). Where both say
    /// what a read takes its value from, `self` does: what threads do is told over what they read, whatever that is, so the two need not agree
    /// as in the definition; and what `other` has for such a read alone is left out. `self` keeps its sink.
    pub(super) fn merged(&self, forest: &Forest, other: &Scenario) -> Option<Scenario> {
        let other = &other.without_reads_of(forest, self);
        let sink = forest.who(self.sink);
        let mut leaves = self.leaves.clone();
        if leaves.len() < other.leaves.len() {
            leaves.resize(other.leaves.len(), None);
        }
        for (who, (leaf, theirs)) in leaves.iter_mut().zip(&other.leaves).enumerate() {
            let Some(theirs) = *theirs else { continue };
            *leaf = match *leaf {
                None => Some(theirs),
                Some(mine) if forest.depth(theirs) <= forest.depth(mine) => {
                    (forest.at_depth(mine, forest.depth(theirs)) == Some(theirs)).then_some(mine)
                }
                // What comes behind the sink does not come before it.
                Some(_) if who == sink => None,
                Some(mine) => (forest.at_depth(theirs, forest.depth(mine)) == Some(mine)).then_some(theirs),
            };
            (*leaf)?;
        }
        let mut edges = self.edges.clone();
        edges.extend(other.edges.iter().copied());
        edges.sort_unstable();
        Some(Scenario { leaves, edges, sink: self.sink })
    }

    /// What comes before its sink, but for what reads that are in `known` take their values from.
    fn without_reads_of(&self, forest: &Forest, known: &Scenario) -> Scenario {
        let edges: SmallVec<[Edge; 4]> =
            self.edges.iter().copied().filter(|edge| !known.contains(forest, edge.reader)).collect();
        if edges.len() == self.edges.len() {
            return self.clone();
        }
        let mut cut = Scenario { leaves: self.leaves.clone(), edges, sink: self.sink };
        let (past, leaves) = {
            let expanded = Expanded::new(forest, &cut);
            let past = expanded.past(forest, cut.sink, true);
            let leaf = |(who, &count): (usize, &usize)| Some(expanded.paths[who].nodes[count.checked_sub(1)?]);
            let leaves = past.iter().enumerate().map(leaf).collect();
            (past, leaves)
        };
        cut.leaves = leaves;
        cut.edges.retain(|edge| forest.depth(edge.reader) < past[forest.who(edge.reader)]);
        cut
    }

    /// With more interferences. None where one of these reads has another.
    pub(super) fn with(mut self, edges: impl IntoIterator<Item = Edge>) -> Option<Scenario> {
        for edge in edges {
            match self.source(edge.reader, edge.cell) {
                Some(source) if source == edge.source => {}
                Some(_) => return None,
                None => {
                    self.edges.push(edge);
                    self.edges.sort_unstable();
                }
            }
        }
        Some(self)
    }
}

/// A scenario with the nodes of all threads at hand.
#[derive(Debug)]
pub(super) struct Expanded<'s> {
    pub scenario: &'s Scenario,
    /// By thread, from its beginning on.
    pub paths: SmallVec<[Rc<Path>; 4]>,
    /// By thread: who created it, and by which of its nodes.
    pub created: SmallVec<[Option<(Who, usize)>; 4]>,
}

/// What is before something: by thread, so many nodes.
pub(super) type Past = SmallVec<[usize; 4]>;

impl<'s> Expanded<'s> {
    pub(super) fn new(forest: &Forest, scenario: &'s Scenario) -> Self {
        let path = |leaf: &Option<NodeId>| leaf.map_or_else(Rc::default, |leaf| forest.path(leaf));
        let paths: SmallVec<[Rc<Path>; 4]> = scenario.leaves.iter().map(path).collect();
        let mut created: SmallVec<[Option<(Who, usize)>; 4]> = SmallVec::from_elem(None, paths.len());
        for (who, path) in paths.iter().enumerate() {
            for &(child, at) in &path.creations {
                if let Some(slot) = created.get_mut(child) {
                    *slot = Some((who, at));
                }
            }
        }
        Expanded { scenario, paths, created }
    }

    pub(super) fn place(&self, forest: &Forest, node: NodeId) -> (Who, usize) {
        (forest.who(node), forest.depth(node))
    }

    /// What is causally before a node, itself included: by program order, creation and waiting for ends, and, if `interferes`, by what is
    /// read and waited for.
    pub(super) fn past(&self, forest: &Forest, node: NodeId, interferes: bool) -> Past {
        let mut past: Past = SmallVec::from_elem(0, self.paths.len());
        let mut open: SmallVec<[(Who, usize); 8]> = SmallVec::new();
        open.push(self.place(forest, node));
        while let Some((who, at)) = open.pop() {
            let from = past[who];
            if at < from {
                continue;
            }
            past[who] = at + 1;
            if from == 0
                && let Some(by) = self.created[who]
            {
                open.push(by);
            }
            for edge in &self.scenario.edges {
                let (reader, depth) = self.place(forest, edge.reader);
                if reader == who
                    && (from..=at).contains(&depth)
                    && (interferes || matches!(forest.label(edge.source), Label::Ended))
                {
                    open.push(self.place(forest, edge.source));
                }
            }
        }
        past
    }

    /// How many reads of other threads' writes come before the sink that nothing but the schedule orders (the degree; creation and
    /// waiting for an end order). One of several bytes counts once for each write.
    pub(super) fn degree(&self, forest: &Forest) -> usize {
        let past = self.past(forest, self.scenario.sink, true);
        let mut counted: SmallVec<[(NodeId, NodeId); 8]> = SmallVec::new();
        for edge in &self.scenario.edges {
            let (who, at) = self.place(forest, edge.reader);
            if at >= past[who] || !counts(forest, edge) || counted.contains(&(edge.reader, edge.source)) {
                continue;
            }
            let (writer, written) = self.place(forest, edge.source);
            // That a thread was found to have ended is no more in order than what it is found by.
            let is_ordered = || self.past(forest, edge.reader, false)[writer] > written;
            if looks_for_end(forest, edge.reader) || !is_ordered() {
                counted.push((edge.reader, edge.source));
            }
        }
        counted.len() + looks::interfered(forest, self, &past)
    }
}

/// Whether a node looks whether a thread has ended.
fn looks_for_end(forest: &Forest, node: NodeId) -> bool {
    use concurrency::Action;
    matches!(
        forest.label(node),
        Label::Act { action: Action::TryJoin { .. }, .. } | Label::Pending { action: Action::TryJoin { .. }, .. }
    )
}

/// Whether an edge is an interference: a read, or an outcome that depends on another thread. What only waits does not count.
pub(super) fn counts(forest: &Forest, edge: &Edge) -> bool {
    use concurrency::{Action, SyncOp};
    // What is only looked at is one read, whatever it is from.
    if looks::looked_at(forest.label(edge.reader)).is_some() {
        return false;
    }
    match forest.label(edge.reader) {
        Label::Act { action, .. } | Label::Pending { action, .. } => match action {
            Action::Access { .. } | Action::TryJoin { .. } => true,
            Action::Sync { op, .. } => op.waiting().is_some() || *op == SyncOp::Once,
            Action::Wake { timed, .. } => *timed,
            _ => false,
        },
        _ => false,
    }
}
