//! All concrete heaps up to a depth, and all integers in them, each once up to isomorphism.
//!
//! Nodes are numbered in the order in which a breadth-first walk from the roots meets them, which names each
//! reachable structure in exactly one way. Integers are only compared for equality, so a valuation matters only by
//! which of them are equal and which are a constant: fresh values are numbered in order of appearance (a restricted
//! growth string), which again names each class once.

use super::ast::{BYTES, CALLBACKS, Callback, Library, MAX_LINKS, MAX_ROOTS, Own, Roots, Stmt, Text, Visitor};
use super::exec::MAX_OWNERS;
use super::expectation::Extent;

/// A node of the initial heap, or null.
pub(super) type Target = Option<u8>;

/// Where an owner's pointer to an integer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Null,
    /// To an integer that nothing else is. The key of a node that nothing else leads to is the same.
    Own,
    /// To the key of a node.
    Key(u8),
}

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
    pub(super) marks: [Mark; MAX_ROOTS],
    /// Which functions of a client's owners have.
    pub(super) callbacks: [[bool; CALLBACKS]; MAX_ROOTS],
    /// Which nodes have a flag in their first link.
    pub(super) flags: Vec<bool>,
    /// Of each node which bytes of its strings are not zero.
    pub(super) bytes: Vec<[bool; BYTES]>,
    /// The functions that owners name.
    pub(super) visitors: [Option<Visitor>; MAX_OWNERS],
    /// Whether it is within the depth in every reading: the longest simple path of objects from a root, global
    /// pointers being objects. In the widest one each node's distance counts, and global pointers do not.
    pub(super) must: bool,
}

impl Heap {
    /// How many integers it holds: the keys of the nodes, and then those of their own that marks lead to, owner by owner.
    pub(super) fn values(&self) -> usize {
        self.nodes.len() + self.marks.iter().filter(|&&mark| mark == Mark::Own).count()
    }
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

/// The group of what no owner leads to, where there are owners.
const COMMON: usize = usize::MAX;

/// What a slot holds. Only marks lead to integers of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    Null,
    Node(u8),
    Int,
}

impl Filled {
    fn target(self) -> Target {
        match self {
            Filled::Node(node) => Some(node),
            Filled::Null | Filled::Int => None,
        }
    }
}

struct Search<'a> {
    library: &'a Library,
    extent: Extent,
    limit: usize,
    owner_null: bool,
    /// What the slots filled so far hold: the roots, then the owners' marks, what is private to threads, and each node's links.
    targets: Vec<Filled>,
    nodes: Vec<NodeInfo>,
    found: Vec<Heap>,
}

impl Search<'_> {
    /// Roots that both threads begin with; what is behind a null owner is none.
    fn shared_roots(&self) -> usize {
        let pointers = if self.owner_null { 0 } else { self.library.roots.pointers() };
        pointers + usize::from(self.library.roots == Roots::NodeParam)
    }

    /// Pointers that both threads begin with.
    fn shared_slots(&self) -> usize {
        self.shared_roots() + if self.library.marks() { self.shared_roots() } else { 0 }
    }

    fn root_slots(&self) -> usize {
        self.shared_slots() + if self.library.own != Own::None { self.extent.threads * self.extent.calls } else { 0 }
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
            if let Some(heap) = self.heap() {
                self.with_contents(heap);
            }
            return;
        }
        let (distance, group) = self.beyond(slot);
        self.with(Filled::Null);
        if slot < self.shared_slots() && self.has_initial_globals() {
            return;
        }
        let is_mark = (self.shared_roots()..self.shared_slots()).contains(&slot);
        if is_mark && distance <= self.library.depth {
            self.with(Filled::Int);
        }
        if is_mark && !self.library.gives_keys_away() {
            return;
        }
        for index in 0..self.nodes.len() {
            if self.nodes[index].group == group {
                self.with(Filled::Node(index as u8));
            }
        }
        if distance <= self.library.depth {
            self.nodes.push(NodeInfo { distance, group });
            self.with(Filled::Node(self.nodes.len() as u8 - 1));
            self.nodes.pop();
        }
    }

    /// What belongs to nobody.
    fn common(&self) -> usize {
        if self.library.roots.has_owner() { COMMON } else { 0 }
    }

    /// The heap with all that its owners can have beside pointers to nodes, and with all that strings can be.
    fn with_contents(&mut self, heap: Heap) {
        let owners = match heap.owner_null || !self.library.roots.has_owner() || self.has_initial_globals() {
            true => 0,
            false => self.library.roots.pointers(),
        };
        let library = self.library;
        let mut all = vec![heap];
        for owner in 0..owners {
            if library.visits() {
                self.vary(&mut all, &[None, Some(Visitor::Reads), Some(Visitor::Writes)], |heap, visitor| {
                    heap.visitors[owner] = visitor;
                });
            }
            for callback in [Callback::Notify, Callback::Pick].into_iter().filter(|&one| library.calls_back(one)) {
                self.vary(&mut all, &[false, true], |heap, is_there| {
                    heap.callbacks[owner][callback as usize] = is_there;
                });
            }
        }
        if library.looks_at_flags() && library.sets_flags() {
            for node in 0..self.nodes.len() {
                self.vary(&mut all, &[false, true], |heap, flagged| heap.flags[node] = flagged);
            }
        }
        for text in [Text::Name, Text::Tag] {
            let strings = strings(library, text);
            let first = usize::from(text.begin());
            for node in 0..self.nodes.len() {
                self.vary(&mut all, strings, |heap, string| {
                    heap.bytes[node][first..first + 2].copy_from_slice(&string)
                });
            }
        }
        self.found.extend(all);
    }

    /// Each heap with each of these, or one more than the limit.
    fn vary<T: Copy>(&self, all: &mut Vec<Heap>, with: &[T], set: impl Fn(&mut Heap, T)) {
        let varied = all.iter().flat_map(|heap| with.iter().map(move |&one| (heap, one)));
        let varied = varied.map(|(heap, one)| {
            let mut heap = heap.clone();
            set(&mut heap, one);
            heap
        });
        *all = varied.take(self.limit.saturating_add(1)).collect();
    }

    fn with(&mut self, filled: Filled) {
        self.targets.push(filled);
        self.fill();
        self.targets.pop();
    }

    /// The distance and the group that a new node behind this slot has.
    fn beyond(&self, slot: usize) -> (usize, usize) {
        match (slot.checked_sub(self.root_slots()), self.library.roots) {
            (Some(link), _) => {
                let from = self.nodes[link / self.links()];
                let is_alone = self.library.own == Own::Alone && from.group >= MAX_ROOTS && from.group != COMMON;
                (from.distance + 1, if is_alone { self.common() } else { from.group })
            }
            (None, _) if slot >= self.shared_slots() && self.library.own == Own::ByValue => (1, 0),
            // A group for each thread, behind those of owners.
            (None, _) if slot >= self.shared_slots() => {
                (1, MAX_ROOTS + (slot - self.shared_slots()) / self.extent.calls)
            }
            (None, Roots::OwnerParam) => (2, 0),
            (None, Roots::OwnerGlobals(count)) => (2, slot % usize::from(count)),
            (None, Roots::NodeParam | Roots::NodeGlobals(_)) => (1, 0),
        }
    }

    /// None where a mark leads to a node that nothing else leads to.
    fn heap(&self) -> Option<Heap> {
        let (roots, links) = self.targets.split_at(self.root_slots());
        let (roots, own) = roots.split_at(self.shared_slots());
        let (roots, marks) = roots.split_at(self.shared_roots());
        let targets = |filled: &[Filled]| filled.iter().map(|filled| filled.target()).collect::<Vec<Target>>();
        let (roots, links) = (targets(roots), targets(links));
        let mut heap = Heap {
            owner_null: self.owner_null,
            param: None,
            own: targets(own),
            heads: [None; MAX_ROOTS],
            nodes: links
                .chunks(self.links())
                .map(|links| std::array::from_fn(|index| links.get(index).copied().flatten()))
                .collect(),
            marks: std::array::from_fn(|index| match marks.get(index) {
                Some(Filled::Node(node)) => Mark::Key(*node),
                Some(Filled::Int) => Mark::Own,
                Some(Filled::Null) | None => Mark::Null,
            }),
            callbacks: [[false; CALLBACKS]; MAX_ROOTS],
            flags: vec![false; links.len() / self.links()],
            bytes: vec![[false; BYTES]; links.len() / self.links()],
            visitors: [None; MAX_OWNERS],
            must: true,
        };
        if self.library.roots == Roots::NodeParam {
            heap.param = roots[0];
        } else {
            heap.heads[..roots.len()].copy_from_slice(&roots);
        }
        let reached = reachable(&heap, roots.iter().flatten());
        let marked = || marks.iter().filter_map(|mark| mark.target());
        if !marked().all(|node| reached.contains(&node)) {
            return None;
        }
        let before = usize::from(self.library.roots != Roots::NodeParam);
        // A mark is a link: what it leads to is no further away than the first node.
        let shared = roots.iter().flatten().copied().chain(marked());
        let shared = shared.map(|node| before + longest_path(&heap, node, &mut Vec::new()));
        let owned = heap.own.iter().flatten().map(|&node| longest_path(&heap, node, &mut Vec::new()));
        let longest = shared.chain(owned).max();
        heap.must = longest.unwrap_or(0) <= self.library.depth;
        Some(heap)
    }
}

/// All that a string in a node can be, as far as an operation can tell.
fn strings(library: &Library, wanted: Text) -> &'static [[bool; 2]] {
    const ALL: [[bool; 2]; 4] = [[false, false], [true, false], [true, true], [false, true]];
    if !library.any(|stmt| matches!(stmt, Stmt::Scan { text, .. } if *text == wanted)) {
        return &ALL[..1];
    }
    // What is behind the end of a string is read only if the end can be overwritten.
    let sets = |stmt: &Stmt| matches!(stmt, Stmt::WriteByte { text, sets: true, .. } if *text == wanted);
    if library.any(sets) { &ALL } else { &ALL[..3] }
}

/// The nodes that these lead to.
fn reachable<'a>(heap: &Heap, from: impl Iterator<Item = &'a u8>) -> Vec<u8> {
    let mut reached: Vec<u8> = Vec::new();
    let mut open: Vec<u8> = from.copied().collect();
    while let Some(node) = open.pop() {
        if !reached.contains(&node) {
            reached.push(node);
            open.extend(heap.nodes[usize::from(node)].iter().flatten());
        }
    }
    reached
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
