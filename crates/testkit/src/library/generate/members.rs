//! What owners and nodes have beside links, keys and locks in some libraries: statements on it, among those of the templates.

use super::*;

/// Gives some operations of some libraries something more to do. Draws apart from all other draws. `functions`: whether owners may have
/// functions that only clients have.
pub(super) fn add(seed: u64, library: &mut Library, functions: bool) {
    let mut rng = Rng::new(seed ^ 0x6d65_6d62_6572_7300);
    let [marks, callbacks, texts] = [25, 25, 20].map(|percent| rng.chance(percent));
    let copies = library.any(|stmt| matches!(stmt, Stmt::CopyWhole { .. }));
    let mut members = Members { rng, library };
    // More pointers, and contents of nodes, make for more heaps.
    let has_owner = members.library.roots.has_owner();
    if marks && has_owner {
        if members.library.links == 2 || members.rng.chance(50) {
            members.library.depth = members.library.depth.min(2);
        }
        members.add(Members::marking);
    }
    if callbacks && functions && has_owner {
        members.library.depth = members.library.depth.min(2);
        members.add(Members::calling_back);
    }
    if texts && !copies && !members.library.flexible {
        members.library.depth = members.library.depth.min(2);
        members.add(Members::text);
    }
    let mut rng = Rng::new(seed ^ 0x666c_6167_7300_0000);
    let whole = |stmt: &Stmt| matches!(stmt, Stmt::CopyWhole { .. } | Stmt::ReadWhole { .. });
    if rng.chance(20) && !library.flexible && !library.any(is_atomic) && !library.any(whole) {
        library.depth = library.depth.min(2);
        Members { rng, library }.add(Members::flagging);
    }
}

struct Members<'a> {
    rng: Rng,
    library: &'a mut Library,
}

impl Members<'_> {
    /// Has some operations do what `draw` draws, for a root. It is told of the first of them.
    fn add(&mut self, draw: fn(&mut Self, RootId, bool) -> Vec<Stmt>) {
        // What comes first decides first where pointers lead.
        let first = if self.rng.chance(50) { 0 } else { self.rng.below(self.library.operations.len()) };
        for index in 0..self.library.operations.len() {
            if index == first || self.rng.chance(55) {
                let root = RootId(self.rng.below(self.library.roots.pointers().max(1)) as u8);
                let block = draw(self, root, index == first);
                self.place(index, block, root);
            }
        }
    }

    /// Puts a block into an operation: in place of all else, before it, behind it, or into its first section of the root's lock.
    fn place(&mut self, index: usize, block: Vec<Stmt>, root: RootId) {
        let mut operation = std::mem::take(&mut self.library.operations[index]);
        let lock = Stmt::Lock(LockRef::Root(root));
        let returns = |stmt: Option<&Stmt>| matches!(stmt, Some(Stmt::Return(_)));
        let checks = |stmt: &Stmt| matches!(stmt, Stmt::If { then, .. } if returns(then.first()));
        let begin = usize::from(operation.first().is_some_and(checks));
        let end = operation.len() - usize::from(returns(operation.last()));
        let section = operation.iter().position(|stmt| *stmt == lock);
        let way = self.rng.below(8);
        match section {
            Some(at) if way < 3 => drop(operation.splice(at + 1..at + 1, block)),
            _ => {
                let block = if self.rng.chance(60) {
                    [vec![lock], block, vec![Stmt::Unlock(LockRef::Root(root))]].concat()
                } else {
                    block
                };
                let range = match way {
                    3 => begin..begin,
                    4 => end..end,
                    _ => begin..end,
                };
                drop(operation.splice(range, block));
            }
        }
        self.library.operations[index] = operation;
    }

    fn int(&mut self) -> Int {
        if self.rng.chance(65) { Int::K } else { Int::Const(7) }
    }

    /// Uses an owner's mark, in the first operation at any rate, or sets it, or accesses a key that may be marked. What is used before it is set has been there from the
    /// beginning.
    fn marking(&mut self, root: RootId, is_first: bool) -> Vec<Stmt> {
        if !is_first && self.rng.chance(35) {
            let (node, int) = (Node::Var(P), self.int());
            let touched = if self.rng.chance(50) { Stmt::ReadKey { node } } else { Stmt::WriteKey { node, int } };
            return vec![follow(P, Place::Root(root)), when(not_null(node), vec![touched])];
        }
        let (before, used, behind) = match is_first {
            true => (self.rng.chance(15), true, self.rng.chance(50)),
            false => (self.rng.chance(50), self.rng.chance(50), self.rng.chance(20)),
        };
        let mut block = if before { self.set_mark(root) } else { Vec::new() };
        if used || !before && !behind {
            block.extend(self.use_mark(root));
        }
        if behind {
            block.extend(self.set_mark(root));
        }
        block
    }

    fn set_mark(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let set = |node| Stmt::SetMark { root, node };
        let first = follow(P, Place::Root(root));
        match self.rng.below(10) {
            0..3 => vec![set(Node::Null)],
            3 if self.library.own != Own::None => vec![when(not_null(Node::Own), vec![set(Node::Own)])],
            3..5 => vec![first, when(not_null(p), vec![follow(Q, next_of(P)), when(not_null(q), vec![set(q)])])],
            _ => vec![first, when(not_null(p), vec![set(p)])],
        }
    }

    fn use_mark(&mut self, root: RootId) -> Vec<Stmt> {
        let write = Stmt::WriteMarked { int: self.int() };
        let used = match self.rng.below(4) {
            0 => vec![Stmt::ReadMarked],
            1 => vec![write],
            2 => vec![Stmt::ReadMarked, write],
            _ => {
                let same = Cond::Value { int: Int::K, equal: self.rng.chance(50) };
                vec![Stmt::ReadMarked, when(same, vec![write])]
            }
        };
        let used = if self.rng.chance(80) { vec![when(Cond::Marked, used)] } else { used };
        [vec![Stmt::FollowMark { root }], used].concat()
    }

    /// Calls a client's function, in the first operation at any rate, or takes it away.
    fn calling_back(&mut self, root: RootId, is_first: bool) -> Vec<Stmt> {
        let callback = if self.rng.chance(50) { Callback::Notify } else { Callback::Pick };
        if !is_first && self.rng.chance(52) {
            return vec![Stmt::ClearCallback { root, callback }];
        }
        let p = Node::Var(P);
        let missing = self.rng.weighted(&[(25, Missing::Fails), (40, Missing::Skipped), (35, Missing::Replaced)]);
        let mut calls = vec![Stmt::CallBack { root, node: p, callback, missing }];
        if callback == Callback::Pick && self.rng.chance(70) {
            // What is no number of the structure's comes from the function alone.
            let int = if self.rng.chance(25) { Int::K } else { Int::Const(REPLACED) };
            let same = Cond::Value { int, equal: self.rng.chance(70) };
            calls.push(when(same, vec![Stmt::WriteKey { node: p, int: Int::V }]));
        }
        vec![follow(P, Place::Root(root)), when(not_null(p), calls)]
    }

    /// Looks at the flag in a link, in the first operation at any rate, or changes it.
    fn flagging(&mut self, root: RootId, is_first: bool) -> Vec<Stmt> {
        let (node, q) = (Node::Var(P), Node::Var(Q));
        let change = Stmt::Flag { node, sets: self.rng.chance(65) };
        let look = Cond::Flagged { node, is: self.rng.chance(65) };
        let touch = match self.rng.below(4) {
            0 => vec![Stmt::ReadKey { node }],
            1 => vec![change.clone()],
            2 => vec![follow(Q, next_of(P)), when(not_null(q), vec![Stmt::WriteKey { node: q, int: self.int() }])],
            _ => vec![Stmt::WriteKey { node, int: self.int() }],
        };
        let body = match is_first || self.rng.chance(30) {
            true => vec![when(look, touch)],
            false => vec![change],
        };
        let entry = match self.library.roots {
            Roots::NodeParam => Stmt::Copy { dst: P, node: Node::Param },
            _ => follow(P, Place::Root(root)),
        };
        vec![entry, when(not_null(node), body)]
    }

    /// Reads a node's string, in the first operation at any rate, or writes to one.
    fn text(&mut self, root: RootId, is_first: bool) -> Vec<Stmt> {
        let node = Node::Var(P);
        let scan = |rng: &mut Rng| {
            let text = if rng.chance(75) { Text::Name } else { Text::Tag };
            let scan = rng.weighted(&[(30, Scan::Walk), (25, Scan::Call), (25, Scan::Length), (20, Scan::LengthAt)]);
            Stmt::Scan { node, text, scan }
        };
        let write = |rng: &mut Rng| {
            let (text, index, sets) = rng.pick(&[
                (Text::Name, 0, true),
                (Text::Name, 0, false),
                (Text::Name, 1, false),
                (Text::Tag, 0, true),
                (Text::Tag, 1, false),
            ]);
            Stmt::WriteByte { node, text, index, sets }
        };
        let rng = &mut self.rng;
        let mut body = match is_first || rng.chance(35) {
            true => vec![scan(rng)],
            false => vec![write(rng)],
        };
        if rng.chance(30) {
            body.push(write(rng));
        }
        if self.library.node_locks && rng.chance(60) {
            let lock = LockRef::Node(node);
            body = [vec![Stmt::Lock(lock)], body, vec![Stmt::Unlock(lock)]].concat();
        }
        let entry = match self.library.roots {
            Roots::NodeParam => Stmt::Copy { dst: P, node: Node::Param },
            _ => follow(P, Place::Root(root)),
        };
        vec![entry, when(not_null(node), body)]
    }
}
