//! All concrete heaps up to a depth, and all integers in them, each once up to isomorphism.
//!
//! Nodes are numbered in the order in which a breadth-first walk from the roots meets them, which names each
//! reachable structure in exactly one way. Integers are only compared for equality, so a valuation matters only by
//! which of them are equal and which are a constant: fresh values are numbered in order of appearance (a restricted
//! growth string), which again names each class once.

use super::ast::{Library, MAX_LINKS, MAX_ROOTS, Roots, Visitor};
use super::exec::MAX_OWNERS;
use super::expectation::Extent;

/// A node of the initial heap, or null.
pub(super) type Target = Option<u8>;

/// One structure of pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heap {
    /// The parameter of [`Roots::OwnerParam`] is null.
    pub(super) owner_null: bool,
    /// The parameter of [`Roots::NodeParam`].
    pub(super) param: Target,
    /// What `o` is, call by call, those of the first thread first.
    pub(super) own: Vec<Target>,
    pub(super) heads: [Target; MAX_ROOTS],
    pub(super) nodes: Vec<[Target; MAX_LINKS]>,
    /// The functions that owners name.
    pub(super) visitors: [Option<Visitor>; MAX_OWNERS],
    /// Whether it is within the depth in every reading: the longest simple path of objects from a root, global
    /// pointers being objects. In the widest one each node's distance counts, and global pointers do not.
    pub(super) must: bool,
}

/// How many structures there are, for comparison with other ways to enumerate them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapCounts {
    pub must: u64,
    pub may: u64,
}

pub fn count_heaps(library: &Library) -> HeapCounts {
    let mut counts = HeapCounts::default();
    for heap in heaps(library, Extent::default(), usize::MAX) {
        counts.must += u64::from(heap.must);
        counts.may += 1;
    }
    counts
}

/// Every structure that is within the library's depth in some reading, or `limit` and one of them if there are more.
pub(super) fn heaps(library: &Library, extent: Extent, limit: usize) -> Vec<Heap> {
    let mut found = Vec::new();
    for owner_null in [true, false] {
        if owner_null && library.roots != Roots::OwnerParam {
            continue;
        }
        let mut search = Search {
            library,
            extent,
            limit,
            owner_null,
            targets: Vec::new(),
            nodes: Vec::new(),
            found: std::mem::take(&mut found),
        };
        search.fill();
        found = search.found;
    }
    found
}

#[derive(Clone, Copy)]
struct NodeInfo {
    /// Objects on the shortest way to the node, itself included.
    distance: usize,
    /// Owners have disjoint nodes: which one this belongs to.
    group: usize,
}

struct Search<'a> {
    library: &'a Library,
    extent: Extent,
    limit: usize,
    owner_null: bool,
    /// What the slots filled so far hold: the roots, then each node's links.
    targets: Vec<Target>,
    nodes: Vec<NodeInfo>,
    found: Vec<Heap>,
}

impl Search<'_> {
    /// Pointers that both threads begin with; what is behind a null owner is none.
    fn shared_slots(&self) -> usize {
        let pointers = if self.owner_null { 0 } else { self.library.roots.pointers() };
        pointers + usize::from(self.library.roots == Roots::NodeParam)
    }

    fn root_slots(&self) -> usize {
        self.shared_slots() + if self.library.private { self.extent.threads * self.extent.calls } else { 0 }
    }

    /// Whether what threads share is what globals are initialised with.
    fn has_initial_globals(&self) -> bool {
        self.extent.globals_initial && !self.library.roots.is_param()
    }

    fn links(&self) -> usize {
        usize::from(self.library.links)
    }

    /// Fills the next slot in every way, and the rest behind it.
    fn fill(&mut self) {
        if self.found.len() > self.limit {
            return;
        }
        let slot = self.targets.len();
        if slot == self.root_slots() + self.nodes.len() * self.links() {
            let heap = self.heap();
            self.with_visitors(heap, 0);
            return;
        }
        let (distance, group) = self.beyond(slot);
        self.with(None);
        if slot < self.shared_slots() && self.has_initial_globals() {
            return;
        }
        for index in 0..self.nodes.len() {
            if self.nodes[index].group == group {
                self.with(Some(index as u8));
            }
        }
        if distance <= self.library.depth {
            self.nodes.push(NodeInfo { distance, group });
            self.with(Some(self.nodes.len() as u8 - 1));
            self.nodes.pop();
        }
    }

    /// The heap with every function, and none, for each owner from `owner` on, where owners have one.
    fn with_visitors(&mut self, heap: Heap, owner: usize) {
        let owners = if heap.owner_null || !self.library.visits() || self.has_initial_globals() {
            0
        } else {
            self.library.roots.pointers()
        };
        if owner == owners {
            self.found.push(heap);
            return;
        }
        for visitor in [None, Some(Visitor::Reads), Some(Visitor::Writes)] {
            let mut heap = heap.clone();
            heap.visitors[owner] = visitor;
            self.with_visitors(heap, owner + 1);
        }
    }

    fn with(&mut self, target: Target) {
        self.targets.push(target);
        self.fill();
        self.targets.pop();
    }

    /// The distance and the group that a new node behind this slot has.
    fn beyond(&self, slot: usize) -> (usize, usize) {
        match (slot.checked_sub(self.root_slots()), self.library.roots) {
            (Some(link), _) => {
                let from = self.nodes[link / self.links()];
                (from.distance + 1, from.group)
            }
            // A group for each thread, behind those of owners.
            (None, _) if slot >= self.shared_slots() => {
                (1, MAX_ROOTS + (slot - self.shared_slots()) / self.extent.calls)
            }
            (None, Roots::OwnerParam) => (2, 0),
            (None, Roots::OwnerGlobals(_)) => (2, slot),
            (None, Roots::NodeParam | Roots::NodeGlobals(_)) => (1, 0),
        }
    }

    fn heap(&self) -> Heap {
        let (roots, links) = self.targets.split_at(self.root_slots());
        let (roots, own) = roots.split_at(self.shared_slots());
        let mut heap = Heap {
            owner_null: self.owner_null,
            param: None,
            own: own.to_vec(),
            heads: [None; MAX_ROOTS],
            nodes: links
                .chunks(self.links())
                .map(|links| std::array::from_fn(|index| links.get(index).copied().flatten()))
                .collect(),
            visitors: [None; MAX_OWNERS],
            must: true,
        };
        if self.library.roots == Roots::NodeParam {
            heap.param = roots[0];
        } else {
            heap.heads[..roots.len()].copy_from_slice(roots);
        }
        let before = usize::from(self.library.roots != Roots::NodeParam);
        let shared = roots.iter().flatten().map(|&node| before + longest_path(&heap, node, &mut Vec::new()));
        let owned = heap.own.iter().flatten().map(|&node| longest_path(&heap, node, &mut Vec::new()));
        let longest = shared.chain(owned).max();
        heap.must = longest.unwrap_or(0) <= self.library.depth;
        heap
    }
}

/// Nodes on the longest simple path from `node` that avoids `path`.
fn longest_path(heap: &Heap, node: u8, path: &mut Vec<u8>) -> usize {
    if path.contains(&node) {
        return 0;
    }
    path.push(node);
    let nexts = heap.nodes[usize::from(node)].iter().flatten();
    let longest = nexts.map(|&next| longest_path(heap, next, path)).max().unwrap_or(0);
    path.pop();
    longest + 1
}

/// An integer up to renaming: constants first, in their order, then fresh values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Code(pub(super) u8);

/// Every valuation of `variables` integers. One, if they are never compared.
pub(super) fn valuations(library: &Library, variables: usize) -> Vec<Vec<Code>> {
    if !library.compares_ints() {
        return vec![vec![Code(0); variables]];
    }
    let constants = library.constants().len();
    let mut all = vec![Vec::new()];
    for _ in 0..variables {
        all = all.iter().flat_map(|valuation| extensions(constants, valuation)).collect();
    }
    all
}

/// `valuation` with one more integer: a constant, a fresh value that occurs, or the next one.
fn extensions(constants: usize, valuation: &[Code]) -> Vec<Vec<Code>> {
    let highest = valuation.iter().map(|code| usize::from(code.0) + 1).max().unwrap_or(0).max(constants);
    (0..=highest).map(|code| [valuation, &[Code(code as u8)]].concat()).collect()
}
