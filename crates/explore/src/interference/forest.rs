//! The interference forest (Con2colic, Definition 5.1): what threads were seen to do, a tree for each thread.
//!
//! A node is a label behind a label: threads that did the same up to there share it, whatever they read. What a read takes its value from
//! is no part of a node but of a [scenario](super::scenario): labels are over a variable for each read, named by the thread and the
//! read's place in it, so that they hold for whatever value is read, as long as the thread goes that way.

use super::looks::looked_at;
use crate::trace::canon::Who;
use concurrency::{Action, Range, Site};
use machine::Outcome;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smt::TermId;
use std::cell::RefCell;
use std::rc::Rc;

/// What stands in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Content {
    /// A number over inputs and reads.
    Term(TermId),
    /// An address, or a number where addresses stand.
    Fixed(u64),
    Undefined,
}

/// What a read is in the labels behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Seen {
    /// A variable (Con2colic, `SymbRV`).
    Variable(TermId),
    /// An address cannot be one: another address is another way to go.
    Fixed(u64),
    Undefined,
}

/// Bytes that are read as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub range: Range,
    pub seen: Seen,
}

/// What a thread did (Con2colic, section 4: the alphabet of actions).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Label {
    /// The thread is there.
    Begin,
    /// It created another one.
    Created(Who),
    /// A condition held or did not, in the program or in what an instruction asks for.
    Branch {
        site: Site,
        term: TermId,
        holds: bool,
    },
    /// A number was needed where only a concrete one will do.
    Value {
        term: TermId,
        value: u128,
    },
    /// It was another than these. Only as what is to be reached.
    Otherwise {
        term: TermId,
        values: Box<[u128]>,
    },
    /// The environment chose.
    Pick {
        count: u32,
        index: u32,
    },
    /// It was the serial thread of those that a barrier has let through, or not (`PTHREAD_BARRIER_SERIAL_THREAD`).
    Serial(bool),
    /// It was the first to call what is called once, and runs it, or not (`pthread_once`).
    First(bool),
    /// It stands before an action, which reads these bytes. Only as what is to be reached.
    Pending {
        action: Action,
        reads: Box<[Range]>,
        /// Which comes to nothing ([`may_be_vain`](super::looks::may_be_vain)).
        vain: bool,
    },
    /// A visible action, up to what it reads.
    Act {
        action: Action,
        outcome: Outcome,
        reads: Box<[Cell]>,
    },
    /// What the semaphore counted that it asked for (`sem_getvalue`).
    Counted(u32),
    /// An atomic section is over.
    SectionOver,
    /// What the action before it has written.
    Wrote(Box<[(Range, Content)]>),
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LabelId(u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub who: u32,
    pub before: Option<NodeId>,
    pub label: LabelId,
    /// Nodes before it.
    pub depth: u32,
}

/// All of it. Nodes and labels are each held once.
#[derive(Debug, Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    children: FxHashMap<(u32, Option<NodeId>, LabelId), NodeId>,
    labels: Vec<Label>,
    numbers: FxHashMap<Label, LabelId>,
    /// By node, once it was asked for.
    paths: RefCell<FxHashMap<NodeId, Rc<Path>>>,
    /// By write that repeats another one, that one and the first in a row.
    repeated: FxHashMap<NodeId, (NodeId, NodeId)>,
    /// Some thread looks at a semaphore.
    has_looks: bool,
    /// No write stands for another one: what matters is which of them is read.
    pub all_writes: bool,
}

/// The way of a thread to a node.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// From the thread's beginning to the node.
    pub nodes: Vec<NodeId>,
    /// Threads that it creates, and by which node.
    pub creations: Vec<(Who, usize)>,
}

impl Forest {
    /// The node of a label behind a node.
    pub(super) fn node(&mut self, who: Who, before: Option<NodeId>, label: Label) -> NodeId {
        let next = LabelId(self.numbers.len() as u32);
        let label = match self.numbers.get(&label) {
            Some(&known) => known,
            None => {
                self.has_looks |= looked_at(&label).is_some();
                self.labels.push(label.clone());
                self.numbers.insert(label, next);
                next
            }
        };
        let next = NodeId(self.nodes.len() as u32);
        let node = *self.children.entry((who as u32, before, label)).or_insert(next);
        if node == next {
            let depth = before.map_or(0, |before| self.nodes[before.index()].depth + 1);
            self.nodes.push(Node { who: who as u32, before, label, depth });
            self.note_repeated(node);
        }
        node
    }

    /// Whether some thread looks at a semaphore.
    pub(super) fn has_looks(&self) -> bool {
        self.has_looks
    }

    pub(super) fn who(&self, node: NodeId) -> Who {
        self.nodes[node.index()].who as usize
    }

    pub(super) fn depth(&self, node: NodeId) -> usize {
        self.nodes[node.index()].depth as usize
    }

    pub(super) fn before(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].before
    }

    pub(super) fn label(&self, node: NodeId) -> &Label {
        &self.labels[self.nodes[node.index()].label.0 as usize]
    }

    /// What the action at a node reads.
    pub(super) fn reads(&self, node: NodeId) -> SmallVec<[Range; 2]> {
        match self.label(node) {
            Label::Act { reads, .. } => reads.iter().map(|cell| cell.range).collect(),
            Label::Pending { reads, .. } => reads.iter().copied().collect(),
            _ => SmallVec::new(),
        }
    }

    /// The last write before one, if it wrote the same to the same bytes, where the thread has written nothing else there since, nor created
    /// another thread, for which what is before that stands there from the beginning.
    pub(super) fn written_before(&self, node: NodeId) -> Option<NodeId> {
        self.repeated.get(&node).map(|&(before, _)| before)
    }

    /// The first of such writes in a row.
    pub(super) fn first_written(&self, node: NodeId) -> NodeId {
        self.repeated.get(&node).map_or(node, |&(_, first)| first)
    }

    /// Notes what a new node repeats.
    fn note_repeated(&mut self, node: NodeId) {
        let Label::Wrote(writes) = self.label(node) else { return };
        if self.all_writes {
            return;
        }
        let is_last = |&before: &NodeId| match self.label(before) {
            Label::Wrote(others) => {
                writes.iter().any(|(range, _)| others.iter().any(|(other, _)| other.overlaps(range)))
            }
            Label::Created(_) => true,
            _ => false,
        };
        let last = std::iter::successors(self.before(node), |&node| self.before(node)).find(is_last);
        if let Some(last) = last
            && self.nodes[last.index()].label == self.nodes[node.index()].label
        {
            self.repeated.insert(node, (last, self.first_written(last)));
        }
    }

    /// The way to a node.
    pub(super) fn path(&self, node: NodeId) -> Rc<Path> {
        if let Some(known) = self.paths.borrow().get(&node) {
            return Rc::clone(known);
        }
        let mut nodes: Vec<NodeId> = std::iter::successors(Some(node), |&node| self.before(node)).collect();
        nodes.reverse();
        let creations = nodes.iter().enumerate().filter_map(|(at, &node)| match *self.label(node) {
            Label::Created(child) => Some((child, at)),
            _ => None,
        });
        let path = Rc::new(Path { creations: creations.collect(), nodes });
        self.paths.borrow_mut().insert(node, Rc::clone(&path));
        path
    }

    /// The node so far down on the way to another one.
    pub(super) fn at_depth(&self, node: NodeId, depth: usize) -> Option<NodeId> {
        match self.depth(node).checked_sub(depth)? {
            0 => Some(node),
            1 => self.before(node),
            _ => self.path(node).nodes.get(depth).copied(),
        }
    }
}
