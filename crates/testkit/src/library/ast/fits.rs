//! Which libraries can be rendered and run.

use super::*;

impl Library {
    /// Whether every id names something, nothing is freshly allocated in a loop, no operation may compare a
    /// freed pointer with one allocated since (their addresses may be equal, which no oracle can decide), no places of
    /// atomic values are written as parts of nodes, each call gets at most one number from a client's function, strings that are
    /// too long for their arrays are in nodes of the initial heap only, and links with flags are read and written by themselves.
    pub fn well_formed(&self) -> bool {
        let (mut sound, mut allocates, mut frees, mut compares) = (true, false, false, false);
        self.walk(|stmt| {
            sound &= self.statement_fits(stmt);
            allocates |= matches!(stmt, Stmt::New { .. });
            frees |= matches!(stmt, Stmt::Free { .. });
            compares |= compares_pointers(stmt);
            if let Stmt::While { body, .. } | Stmt::Repeat { body } = stmt {
                for inner in body {
                    inner.walk(&mut |stmt| sound &= !matches!(stmt, Stmt::New { .. }) && !is_pick(stmt));
                }
            }
        });
        let picks_once = self.operations.iter().all(|operation| {
            let mut picks = 0;
            operation.iter().for_each(|stmt| stmt.walk(&mut |stmt| picks += usize::from(is_pick(stmt))));
            picks <= 1
        });
        // Where a copied string would be too long for its array depends on what is behind that.
        let copies = self.any(|stmt| matches!(stmt, Stmt::CopyWhole { .. })) && (self.any(is_atomic) || self.texts());
        // Flags go with plain reads and writes of a member.
        let whole = |stmt: &Stmt| matches!(stmt, Stmt::CopyWhole { .. } | Stmt::ReadWhole { .. });
        let flags = self.flags() && (self.flexible || self.any(is_atomic) || self.any(whole));
        let owners = self.makers.init || self.makers.create || self.makers.destroy;
        allocates |= self.makers.make;
        sound
            && picks_once
            && !copies
            && !flags
            && (!owners || self.roots == Roots::OwnerParam)
            && !(allocates && frees && compares)
            && (1..=MAX_LINKS).contains(&usize::from(self.links))
    }

    fn statement_fits(&self, stmt: &Stmt) -> bool {
        let node = |node: Node| match node {
            Node::Param => self.roots == Roots::NodeParam,
            Node::Own => self.own != Own::None,
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
            Cond::Marked => self.roots.has_owner(),
            Cond::Flagged { node: base, .. } => base != Node::Null && node(base),
            Cond::Exchanges { place: at, new, .. } => place(at) && node(new),
            Cond::Takes { lock: which, .. } => lock(which),
        });
        let owner = |root: RootId| self.roots.has_owner() && usize::from(root.0) < self.roots.pointers();
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
            | Stmt::Flag { node: base, .. }
            | Stmt::Free { node: base } => object(base),
            Stmt::AtomicFollow { from, .. } => place(from),
            Stmt::AtomicLink { to, node: value } | Stmt::Exchange { place: to, node: value, .. } => {
                place(to) && node(value)
            }
            Stmt::ReadWhole { node: base, .. } => has_value && object(base),
            Stmt::CopyWhole { to, from } => has_value && object(to) && object(from),
            Stmt::Visit { root, node: base } => owner(root) && object(base),
            Stmt::SetMark { root, node: base } => owner(root) && node(base),
            Stmt::FollowMark { root } | Stmt::ClearCallback { root, .. } => owner(root),
            Stmt::CallBack { root, node: base, missing, .. } => {
                owner(root) && node(base) && (missing != Missing::Replaced || object(base))
            }
            Stmt::Scan { node: base, .. } => !self.flexible && object(base),
            Stmt::WriteByte { node: base, index, sets, .. } => {
                !self.flexible && object(base) && index < 2 && !(sets && index > 0)
            }
            Stmt::ReadMarked | Stmt::WriteMarked { .. } => self.roots.has_owner(),
            Stmt::Wait(root) | Stmt::Signal { root, .. } => usize::from(root.0) < self.roots.locks(),
            Stmt::Count { root, .. } => owner(root),
            Stmt::Lock(which) | Stmt::Unlock(which) => lock(which),
            Stmt::New { next, .. } => node(next),
            Stmt::If { .. } | Stmt::While { .. } | Stmt::Repeat { .. } | Stmt::Return(_) => true,
        }
    }
}

fn is_pick(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::CallBack { callback: Callback::Pick, .. })
}
