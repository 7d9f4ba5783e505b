//! The libraries that the oracle can run: operations on linked nodes, with an optional owner.
//!
//! Every operation takes the root (where that is a parameter) and an `int k`, and returns an `int`. Integers are
//! only copied and compared for equality, never computed with (the owner's counter aside, which nothing reads but
//! its own increment): which integers a heap holds matters only up to renaming of those that are no constants.
//!
//! Some libraries do without locks (atomic loads, stores and exchanges of links and keys, all of one strength), wait for
//! each other on a condition variable beside each lock, pass nodes by value, or call functions by pointers.

use std::collections::BTreeSet;

/// Link fields of a node: `next`, `other`.
pub const MAX_LINKS: usize = 2;
/// Global roots of one library.
pub const MAX_ROOTS: usize = 2;
/// Pointer variables of one operation: `p`, `q`, `t`.
pub const POINTERS: usize = 3;

/// How operations reach the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Roots {
    /// Each operation takes the `struct list *l`. Root 0 is `l->head`, lock 0 `l->lock`.
    OwnerParam,
    /// Each operation takes the `struct node *n`. There is no root pointer; lock 0 is the global `lock0`.
    NodeParam,
    /// `static struct list g0, ...`, whose nodes are disjoint. Root i is `gi.head`, lock i `gi.lock`.
    OwnerGlobals(u8),
    /// `static struct node *head0, ...`, whose nodes may be shared. Root i is `headi`, lock i the global `locki`.
    NodeGlobals(u8),
}

impl Roots {
    /// Root pointers in memory.
    pub fn pointers(self) -> usize {
        match self {
            Roots::OwnerParam => 1,
            Roots::NodeParam => 0,
            Roots::OwnerGlobals(count) | Roots::NodeGlobals(count) => usize::from(count),
        }
    }

    /// Locks outside nodes.
    pub fn locks(self) -> usize {
        self.pointers().max(1)
    }

    /// Whether operations take what they share as their first parameter.
    pub fn is_param(self) -> bool {
        matches!(self, Roots::OwnerParam | Roots::NodeParam)
    }

    pub fn has_owner(self) -> bool {
        matches!(self, Roots::OwnerParam | Roots::OwnerGlobals(_))
    }
}

/// A root pointer or a lock outside nodes, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootId(pub u8);

/// A link field of a node, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u8);

/// A pointer variable of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(pub u8);

/// A pointer value that an operation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Null,
    Var(Pointer),
    /// The parameter `n` of [`Roots::NodeParam`].
    Param,
    /// The parameter `o`, where [`Library::private`] says that there is one.
    Own,
}

/// An integer that an operation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Int {
    /// The parameter `k`.
    K,
    /// The variable `v`, zero at first.
    V,
    Const(i32),
}

/// The memory order of all atomic operations of a library, and of a compare-and-exchange that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    Relaxed,
    /// Acquire for what reads, release for what writes.
    AcquireRelease,
    Sequential,
}

impl Strength {
    /// Whether what reads learns from what wrote.
    pub fn orders(self) -> bool {
        self != Strength::Relaxed
    }
}

/// How a value is passed that is a whole node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Passing {
    /// `c = value_of(node);`
    Returned,
    /// `v = key_of(*node);`
    Argument,
}

/// A function that is called by a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visitor {
    /// `visit0` returns the key.
    Reads,
    /// `visit1` sets the key to `k` and returns that.
    Writes,
}

/// A pointer in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Root(RootId),
    Field(Node, LinkId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockRef {
    Root(RootId),
    Node(Node),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cond {
    /// `!l`, for [`Roots::OwnerParam`].
    OwnerNull,
    /// `a == b` where `equal`, else `a != b`. With null: `!a` or `a`.
    Pointers { one: Node, other: Node, equal: bool },
    /// `place == node`: a read.
    PlaceIs { place: Place, node: Node, equal: bool },
    /// `node->key == int`: a read.
    Key { node: Node, int: Int, equal: bool },
    /// `node && node->key == int`: a read where the node is not null.
    NodeAndKey { node: Node, int: Int, equal: bool },
    /// `v == int`.
    Value { int: Int, equal: bool },
    /// `place` is compared with `expected` and exchanged for `new`, atomically; `expected` becomes what was there if it differs.
    /// Holds if it was exchanged, or if not, as `exchanged` says.
    Exchanges { place: Place, expected: Pointer, new: Node, exchanged: bool },
    /// The lock is tried, or waited for until a time that may be over at any moment; holds if it was taken.
    Takes { lock: LockRef, timed: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stmt {
    /// `dst = place;`
    Follow {
        dst: Pointer,
        from: Place,
    },
    /// `dst = node;`
    Copy {
        dst: Pointer,
        node: Node,
    },
    /// `place = node;`
    Link {
        to: Place,
        node: Node,
    },
    /// `to = from;`: a read and a write on one line.
    Relink {
        to: Place,
        from: Place,
    },
    /// `v = node->key;`
    ReadKey {
        node: Node,
    },
    /// `node->key = int;`
    WriteKey {
        node: Node,
        int: Int,
    },
    /// `l->count++;` or `--`: a read and a write. Only where there is an owner.
    Count {
        root: RootId,
        up: bool,
    },
    /// `dst = place;` atomically.
    AtomicFollow {
        dst: Pointer,
        from: Place,
    },
    /// `place = node;` atomically.
    AtomicLink {
        to: Place,
        node: Node,
    },
    /// `dst = place; place = node;` atomically.
    Exchange {
        dst: Pointer,
        place: Place,
        node: Node,
    },
    /// `v = node->key;` atomically.
    AtomicReadKey {
        node: Node,
    },
    /// `v = node->key; node->key = int;` atomically.
    ExchangeKey {
        node: Node,
        int: Int,
    },
    /// A whole node is read: `v` is its key and `q` its `next`, which an argument's function does not look at.
    ReadWhole {
        node: Node,
        passing: Passing,
    },
    /// `*to = *from;`
    CopyWhole {
        to: Node,
        from: Node,
    },
    /// `v = l->visit(node, k);` where there is an owner.
    Visit {
        root: RootId,
        node: Node,
    },
    /// `v = each(node, visitor, k);`
    Each {
        node: Node,
        visitor: Visitor,
    },
    /// Waits on the condition variable beside a root's lock.
    Wait(RootId),
    /// Wakes one who waits there, or all.
    Signal {
        root: RootId,
        all: bool,
    },
    Lock(LockRef),
    Unlock(LockRef),
    /// A fresh node: allocated, its fields set (`key`, `next`, the other link null), its lock initialised; a line each.
    New {
        dst: Pointer,
        key: Int,
        next: Node,
    },
    /// `free(node);`
    Free {
        node: Node,
    },
    If {
        cond: Cond,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    While {
        cond: Cond,
        body: Vec<Stmt>,
    },
    /// Twice, one after the other.
    Repeat {
        body: Vec<Stmt>,
    },
    Return(Int),
}

impl Stmt {
    /// The bodies inside this statement.
    pub fn bodies(&self) -> [&[Stmt]; 2] {
        match self {
            Stmt::If { then, otherwise, .. } => [then, otherwise],
            Stmt::While { body, .. } | Stmt::Repeat { body } => [body, &[]],
            _ => [&[], &[]],
        }
    }

    /// Calls `visit` for this statement and all inside it, outer ones first.
    pub fn walk(&self, visit: &mut impl FnMut(&Stmt)) {
        visit(self);
        for inner in self.bodies().into_iter().flatten() {
            inner.walk(visit);
        }
    }

    pub fn cond(&self) -> Option<Cond> {
        match self {
            Stmt::If { cond, .. } | Stmt::While { cond, .. } => Some(*cond),
            _ => None,
        }
    }
}

/// What makes the objects that operations are about, where clients do not have them of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Makers {
    /// `void init(struct list *l)`.
    pub init: bool,
    /// `struct list *create(void)`.
    pub create: bool,
    /// `void destroy(struct list *l)`, behind which nobody uses it.
    pub destroy: bool,
    /// `struct node *make(int k)`.
    pub make: bool,
    /// The operations that return the node that `p` is, by bit.
    pub returning: u8,
}

impl Makers {
    /// Whether an operation returns a node.
    pub fn returns(self, operation: usize) -> bool {
        self.returning & (1 << operation) != 0
    }
}

/// A library. Operation i is the C function `op{i}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Library {
    pub roots: Roots,
    /// Link fields per node, 1 or 2.
    pub links: u8,
    /// Whether each node has a lock of its own.
    pub node_locks: bool,
    /// The links are elements of a flexible array member, `n->link[0]`, rather than members of their own. Nodes of the
    /// initial heap have as many as others.
    pub flexible: bool,
    /// Objects on a pointer chain, for which the library is to be judged.
    pub depth: usize,
    /// Each operation takes a further `struct node *o`, which leads to nodes that nothing else leads to: neither what both
    /// threads share nor the other thread's `o`.
    pub private: bool,
    /// Walks count their steps, in numbers that decide nothing.
    pub tallies: bool,
    pub strength: Strength,
    pub operations: Vec<Vec<Stmt>>,
    pub makers: Makers,
}

impl Library {
    pub fn walk(&self, mut visit: impl FnMut(&Stmt)) {
        for stmt in self.operations.iter().flatten() {
            stmt.walk(&mut visit);
        }
    }

    /// Whether any operation looks at an integer. If none does, one value for all of them is enough.
    pub fn compares_ints(&self) -> bool {
        self.any(|stmt| matches!(stmt.cond(), Some(Cond::Key { .. } | Cond::NodeAndKey { .. } | Cond::Value { .. })))
    }

    /// Whether any statement, conditions included, is of this kind.
    pub fn any(&self, is: impl Fn(&Stmt) -> bool) -> bool {
        let mut found = false;
        self.walk(|stmt| found |= is(stmt));
        found
    }

    /// Whether there are condition variables.
    pub fn waits(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Wait(_) | Stmt::Signal { .. }))
    }

    /// Whether owners have a function that is called by a pointer.
    pub fn visits(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Visit { .. }))
    }

    /// Whether a pointer that has been freed may be compared with others.
    pub fn compares_freed(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Free { .. })) && self.any(compares_pointers)
    }

    /// Every integer constant that can meet another integer, that of the variable `v` at its start included.
    pub fn constants(&self) -> Vec<i32> {
        let mut constants = BTreeSet::new();
        self.walk(|stmt| {
            let ints = match (stmt, stmt.cond()) {
                (_, Some(Cond::Key { int, .. } | Cond::NodeAndKey { int, .. })) => vec![int],
                (_, Some(Cond::Value { int, .. })) => vec![int, Int::V],
                (Stmt::WriteKey { int, .. } | Stmt::ExchangeKey { int, .. } | Stmt::New { key: int, .. }, None) => {
                    vec![*int]
                }
                _ => Vec::new(),
            };
            constants.extend(ints.into_iter().filter_map(|int| match int {
                Int::Const(constant) => Some(constant),
                Int::V => Some(0),
                Int::K => None,
            }));
        });
        constants.into_iter().collect()
    }

    /// Whether every id names something, nothing is freshly allocated in a loop, no operation may compare a
    /// freed pointer with one allocated since (their addresses may be equal, which no oracle can decide), and no places of
    /// atomic values are written as parts of nodes.
    pub fn well_formed(&self) -> bool {
        let (mut sound, mut allocates, mut frees, mut compares) = (true, false, false, false);
        self.walk(|stmt| {
            sound &= self.statement_fits(stmt);
            allocates |= matches!(stmt, Stmt::New { .. });
            frees |= matches!(stmt, Stmt::Free { .. });
            compares |= compares_pointers(stmt);
            if let Stmt::While { body, .. } | Stmt::Repeat { body } = stmt {
                for inner in body {
                    inner.walk(&mut |stmt| sound &= !matches!(stmt, Stmt::New { .. }));
                }
            }
        });
        let copies = self.any(|stmt| matches!(stmt, Stmt::CopyWhole { .. })) && self.any(is_atomic);
        let owners = self.makers.init || self.makers.create || self.makers.destroy;
        allocates |= self.makers.make;
        sound
            && !copies
            && (!owners || self.roots == Roots::OwnerParam)
            && !(allocates && frees && compares)
            && (1..=MAX_LINKS).contains(&usize::from(self.links))
    }

    fn statement_fits(&self, stmt: &Stmt) -> bool {
        let node = |node: Node| match node {
            Node::Param => self.roots == Roots::NodeParam,
            Node::Own => self.private,
            Node::Var(pointer) => usize::from(pointer.0) < POINTERS,
            Node::Null => true,
        };
        let place = |place: Place| match place {
            Place::Root(root) => usize::from(root.0) < self.roots.pointers(),
            Place::Field(base, link) => base != Node::Null && node(base) && link.0 < self.links,
        };
        let lock = |lock: LockRef| match lock {
            LockRef::Root(root) => usize::from(root.0) < self.roots.locks(),
            LockRef::Node(base) => self.node_locks && base != Node::Null && node(base),
        };
        let cond = stmt.cond().is_none_or(|cond| match cond {
            Cond::OwnerNull => self.roots == Roots::OwnerParam,
            Cond::Pointers { one, other, .. } => one != Node::Null && node(one) && node(other),
            Cond::PlaceIs { place: read, node: with, .. } => place(read) && node(with),
            Cond::Key { node: base, .. } | Cond::NodeAndKey { node: base, .. } => base != Node::Null && node(base),
            Cond::Value { .. } => true,
            Cond::Exchanges { place: at, new, .. } => place(at) && node(new),
            Cond::Takes { lock: which, .. } => lock(which),
        });
        let object = |base: Node| base != Node::Null && node(base);
        // Copies of locks are no locks, and the elements of a flexible member are no part of the value.
        let has_value = !self.node_locks && !self.flexible;
        cond && match *stmt {
            Stmt::Follow { from, .. } => place(from),
            Stmt::Copy { node: from, .. } => node(from),
            Stmt::Link { to, node: value } => place(to) && node(value),
            Stmt::Relink { to, from } => place(to) && place(from),
            Stmt::ReadKey { node: base }
            | Stmt::WriteKey { node: base, .. }
            | Stmt::AtomicReadKey { node: base }
            | Stmt::ExchangeKey { node: base, .. }
            | Stmt::Each { node: base, .. }
            | Stmt::Free { node: base } => object(base),
            Stmt::AtomicFollow { from, .. } => place(from),
            Stmt::AtomicLink { to, node: value } | Stmt::Exchange { place: to, node: value, .. } => {
                place(to) && node(value)
            }
            Stmt::ReadWhole { node: base, .. } => has_value && object(base),
            Stmt::CopyWhole { to, from } => has_value && object(to) && object(from),
            Stmt::Visit { root, node: base } => {
                self.roots.has_owner() && usize::from(root.0) < self.roots.pointers() && object(base)
            }
            Stmt::Wait(root) | Stmt::Signal { root, .. } => usize::from(root.0) < self.roots.locks(),
            Stmt::Count { root, .. } => self.roots.has_owner() && usize::from(root.0) < self.roots.pointers(),
            Stmt::Lock(which) | Stmt::Unlock(which) => lock(which),
            Stmt::New { next, .. } => node(next),
            Stmt::If { .. } | Stmt::While { .. } | Stmt::Repeat { .. } | Stmt::Return(_) => true,
        }
    }
}

/// Whether two pointers that may both be to nodes are compared.
fn compares_pointers(stmt: &Stmt) -> bool {
    match stmt.cond() {
        Some(Cond::Pointers { one, other, .. }) => one != Node::Null && other != Node::Null,
        Some(Cond::PlaceIs { node, .. }) => node != Node::Null,
        Some(Cond::Exchanges { .. }) => true,
        _ => false,
    }
}

pub(super) fn is_atomic(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::AtomicFollow { .. }
            | Stmt::AtomicLink { .. }
            | Stmt::Exchange { .. }
            | Stmt::AtomicReadKey { .. }
            | Stmt::ExchangeKey { .. }
    ) || matches!(stmt.cond(), Some(Cond::Exchanges { .. }))
}
