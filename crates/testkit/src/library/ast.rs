//! The libraries that the oracle can run: operations on linked nodes, with an optional owner.
//!
//! Every operation takes the root (where that is a parameter) and an `int k`, and returns an `int`. Integers are
//! only copied and compared for equality, never computed with (the owner's counter aside, which nothing reads but
//! its own increment): which integers a heap holds matters only up to renaming of those that are no constants.
//!
//! Some libraries do without locks (atomic loads, stores and exchanges of links and keys, all of one strength), wait for
//! each other on a condition variable beside each lock, pass nodes by value, call functions by pointers, have owners lead to integers
//! that may be the keys of nodes and to functions that only clients have, have strings in nodes, or keep a flag in the lowest bit of
//! `next`.

mod fits;

use std::collections::BTreeSet;

/// Link fields of a node: `next`, `other`.
pub const MAX_LINKS: usize = 2;
/// Global roots of one library.
pub const MAX_ROOTS: usize = 2;
/// Pointer variables of one operation: `p`, `q`, `t`.
pub const POINTERS: usize = 3;

/// Functions of a client's that an owner may have: [`Callback`].
pub const CALLBACKS: usize = 2;
/// Bytes of a node's strings.
pub const BYTES: usize = 4;

/// How operations get the node `o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Own {
    None,
    /// A further parameter `struct node *o`, which leads to nodes that nothing else leads to: neither what both threads share nor the
    /// other thread's `o`.
    Private,
    /// A further parameter `struct node *o`, which leads to a node that nothing else leads to; its links lead to whatever there is that
    /// is no owner's.
    Alone,
    /// A member of a structure that is passed by value, the number `k` beside it. It leads to whatever there is.
    ByValue,
}

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
    /// The parameter `o`, where [`Library::own`] says that there is one.
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

/// A function that an owner names and only clients have: of structures it touches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Callback {
    /// `void (*notify)(struct node *)`
    Notify,
    /// `int (*pick)(const int *, long)`, which reads the key that it is given and returns anything.
    Pick,
}

/// What is done where an owner has no such function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// The null pointer is called.
    Fails,
    Skipped,
    /// `node->key = 7;`
    Replaced,
}

/// What is written to the key then.
pub const REPLACED: i32 = 7;

/// A string of two bytes in a node; the second one begins where the first one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text {
    Name,
    Tag,
}

impl Text {
    /// The first of its bytes among those of a node's strings.
    pub fn begin(self) -> u8 {
        match self {
            Text::Name => 0,
            Text::Tag => 2,
        }
    }
}

/// How a string is read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scan {
    /// `for (const char *s = node->name; *s; s++) {}`
    Walk,
    /// The same in a function that gets `node->name`.
    Call,
    /// `strlen(node->name)`, in one step.
    Length,
    /// The same of a pointer that is computed from that to the node.
    LengthAt,
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
    /// `m`, which is null at first, leads somewhere.
    Marked,
    /// `is_flagged(node->next)`, or not: a read.
    Flagged { node: Node, is: bool },
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
    /// `l->mark = &node->key;`, or null. Only where there is an owner, as all that is about marks.
    SetMark {
        root: RootId,
        node: Node,
    },
    /// `m = l->mark;`
    FollowMark {
        root: RootId,
    },
    /// `v = *m;`
    ReadMarked,
    /// `*m = int;`
    WriteMarked {
        int: Int,
    },
    /// `notify = l->notify; notify(node);`, or, of the other one, `pick = l->pick; v = pick(node, 3);`
    CallBack {
        root: RootId,
        node: Node,
        callback: Callback,
        missing: Missing,
    },
    /// `l->notify = NULL;`
    ClearCallback {
        root: RootId,
        callback: Callback,
    },
    /// Nothing depends on what is read.
    Scan {
        node: Node,
        text: Text,
        scan: Scan,
    },
    /// `node->name[index] = 0;`, or, where it `sets`, a letter.
    WriteByte {
        node: Node,
        text: Text,
        index: u8,
        sets: bool,
    },
    /// `node->next = flagged(node->next);`, or, where it does not set the flag, `plain(node->next)`: a read and a write on one line.
    Flag {
        node: Node,
        sets: bool,
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
    /// All of them give it by a parameter: `int make(int k, struct node **out)`.
    pub by_out: bool,
    /// Declarations say `void *` for owners and nodes.
    pub untyped: bool,
    /// [`Makers::make`] gives a structure of which the node is the first member: `struct item *make(int k)`.
    pub derived: bool,
    /// Operations are passed some zeros of the caller's own, which they read.
    pub key: Key,
}

/// What an operation reads of its caller's own, where it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    #[default]
    None,
    /// `const int *key`, of which it reads the fourth.
    Numbers,
    /// `const void *key`, of which it reads the first and the sixth byte.
    Bytes,
    /// `const char *key`, with which it does nothing where that is empty.
    Text,
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
    /// Whether each operation gets a node `o` beside the rest.
    pub own: Own,
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

    /// Whether an operation that gives a node does so by a parameter. What that way gives of others' nodes makes none, so it stays
    /// with results where that would count.
    pub fn gives_by_out(&self) -> bool {
        let Makers { by_out, make, .. } = self.makers;
        by_out && (make || self.roots == Roots::NodeParam || self.own != Own::None)
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

    /// Whether owners have a pointer to an integer.
    pub fn marks(&self) -> bool {
        self.any(names_mark)
    }

    /// Whether owners have this function of a client's.
    pub fn calls_back(&self, wanted: Callback) -> bool {
        self.any(|stmt| {
            matches!(stmt, Stmt::CallBack { callback, .. } | Stmt::ClearCallback { callback, .. } if *callback == wanted)
        })
    }

    /// Whether what an operation does depends on what a client's function returns.
    pub fn picks(&self, operation: usize) -> bool {
        let mut picks = false;
        let is_pick = |stmt: &Stmt| matches!(stmt, Stmt::CallBack { callback: Callback::Pick, .. });
        self.operations[operation].iter().for_each(|stmt| stmt.walk(&mut |stmt| picks |= is_pick(stmt)));
        picks
    }

    /// Whether nodes have strings.
    pub fn texts(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Scan { .. } | Stmt::WriteByte { .. }))
    }

    /// Whether `next` may have a flag in it, so that it is plain nowhere by itself.
    pub fn flags(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Flag { .. }) || matches!(stmt.cond(), Some(Cond::Flagged { .. })))
    }

    /// Whether flags decide anything.
    pub fn looks_at_flags(&self) -> bool {
        self.any(|stmt| matches!(stmt.cond(), Some(Cond::Flagged { .. })))
    }

    /// Whether flags are set, without which none is there.
    pub fn sets_flags(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Flag { sets: true, .. }))
    }

    /// Whether strings are read so.
    pub fn scans(&self, wanted: Scan) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::Scan { scan, .. } if *scan == wanted))
    }

    /// Whether the address of a node's key is stored, so that marks of the initial heap may lead to one.
    pub fn gives_keys_away(&self) -> bool {
        self.any(|stmt| matches!(stmt, Stmt::SetMark { node, .. } if *node != Node::Null))
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
                (
                    Stmt::WriteKey { int, .. }
                    | Stmt::WriteMarked { int }
                    | Stmt::ExchangeKey { int, .. }
                    | Stmt::New { key: int, .. },
                    None,
                ) => vec![*int],
                (Stmt::CallBack { missing: Missing::Replaced, .. }, None) => vec![Int::Const(REPLACED)],
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
}

/// Whether a statement is about an owner's `mark` or about where it leads.
pub(super) fn names_mark(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::SetMark { .. } | Stmt::FollowMark { .. } | Stmt::ReadMarked | Stmt::WriteMarked { .. })
        || stmt.cond() == Some(Cond::Marked)
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
