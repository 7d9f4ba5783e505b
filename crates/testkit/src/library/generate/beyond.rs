//! Templates beyond plain accesses under locks: without locks, with waits, with nodes as values, with calls by pointers.

use super::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// A new node becomes the first one by compare-and-exchange, tried until it succeeds.
    Push,
    /// The first node is taken out by compare-and-exchange.
    Pop,
    /// All nodes are taken by an exchange.
    TakeAll,
    /// The first node, found atomically, has its key exchanged or read.
    Key,
    /// A link is set atomically, to a new node where there is one.
    Publish,
    /// Looks until there is a node.
    Spin,
    /// Waits until there is a node, and takes it.
    Wait,
    /// Waits until the first node's key is another.
    WaitForKey,
    /// Changes something and wakes who waits for it.
    Wake,
    /// A node is read as a whole.
    ReadWhole,
    /// A node is copied over another.
    CopyWhole,
    /// A function is called by a pointer.
    Visit,
}

impl Template {
    /// Whether the body needs no lock of the structure, or takes it.
    pub(super) fn locks_itself(self) -> bool {
        !matches!(self, Template::ReadWhole | Template::CopyWhole | Template::Visit)
    }
}

impl Generator {
    /// What this library can have, with weights.
    pub(super) fn beyond(&self) -> Vec<(usize, Template)> {
        let mut templates = Vec::new();
        match self.means {
            Means::Locks => {}
            Means::Atomics => {
                templates.extend([(20, Template::Pop), (20, Template::TakeAll), (20, Template::Key)]);
                templates.extend([(10, Template::Publish), (8, Template::Spin)]);
                if self.memory == Memory::Allocates {
                    templates.extend([(25, Template::Push), (15, Template::Publish)]);
                }
            }
            Means::Waits => templates.extend([(20, Template::Wait), (12, Template::WaitForKey), (25, Template::Wake)]),
        }
        if self.values {
            templates.extend([(24, Template::ReadWhole), (12, Template::CopyWhole)]);
        }
        if self.callbacks {
            templates.push((24, Template::Visit));
        }
        templates
    }

    /// The pointer that leads to the first node, or, of a node as parameter, to the second.
    fn first(&self, root: RootId) -> Place {
        match self.roots {
            Roots::NodeParam => Place::Field(Node::Param, NEXT),
            _ => Place::Root(root),
        }
    }

    pub(super) fn template_beyond(&mut self, template: Template, root: RootId) -> Vec<Stmt> {
        match template {
            Template::Push => self.push_atomically(root),
            Template::Pop => self.pop_atomically(root),
            Template::TakeAll => self.take_all(root),
            Template::Key => self.key_atomically(root),
            Template::Publish => self.publish(root),
            Template::Spin => self.spin(root),
            Template::Wait => self.wait(root),
            Template::WaitForKey => self.wait_for_key(root),
            Template::Wake => self.wake(root),
            Template::ReadWhole => {
                let passing = if self.rng.chance(50) { Passing::Returned } else { Passing::Argument };
                let read = Stmt::ReadWhole { node: Node::Var(P), passing };
                let same = Cond::Value { int: Int::K, equal: true };
                let write = Stmt::WriteKey { node: Node::Var(P), int: Int::Const(7) };
                let then = if self.rng.chance(50) { vec![read, when(same, vec![write])] } else { vec![read] };
                vec![self.entry(P, root), when(not_null(Node::Var(P)), then)]
            }
            Template::CopyWhole => {
                let (p, q) = (Node::Var(P), Node::Var(Q));
                let (to, from) = if self.rng.chance(50) { (p, q) } else { (q, p) };
                let copy = vec![Stmt::CopyWhole { to, from }];
                let inner = vec![follow(Q, Place::Field(p, self.link())), when(not_null(q), copy)];
                vec![self.entry(P, root), when(not_null(p), inner)]
            }
            Template::Visit => {
                let node = Node::Var(P);
                let visitor = if self.rng.chance(50) { Visitor::Reads } else { Visitor::Writes };
                let call = match self.roots.has_owner() && self.rng.chance(70) {
                    true => Stmt::Visit { root, node },
                    false => Stmt::Each { node, visitor },
                };
                vec![self.entry(P, root), when(not_null(node), vec![call])]
            }
        }
    }

    /// `dst = place;` atomically, unless somebody forgot that.
    fn look(&mut self, dst: Pointer, from: Place) -> Stmt {
        if self.slip(25) { follow(dst, from) } else { Stmt::AtomicFollow { dst, from } }
    }

    fn set(&mut self, to: Place, node: Node) -> Stmt {
        if self.slip(25) { Stmt::Link { to, node } } else { Stmt::AtomicLink { to, node } }
    }

    fn push_atomically(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, fresh, expected) = (self.first(root), Node::Var(FRESH), Node::Var(P));
        let new = Stmt::New { dst: FRESH, key: self.int(), next: expected };
        let cond = Cond::Exchanges { place: first, expected: P, new: fresh, exchanged: false };
        let again = vec![Stmt::Link { to: next_of(FRESH), node: expected }];
        let once = Stmt::If { cond, then: again.clone(), otherwise: Vec::new() };
        let retry = if self.slip(25) { once } else { Stmt::While { cond, body: again } };
        vec![self.look(P, first), new, retry]
    }

    fn pop_atomically(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, p) = (self.first(root), Node::Var(P));
        let next = self.look(Q, next_of(P));
        let mut taken = if self.rng.chance(50) { vec![Stmt::ReadKey { node: p }] } else { Vec::new() };
        taken.extend(self.release(P));
        taken.push(Stmt::Return(Int::V));
        let cond = Cond::Exchanges { place: first, expected: P, new: Node::Var(Q), exchanged: true };
        let body = vec![next, when(cond, taken)];
        let retry = match self.rng.chance(70) {
            true => Stmt::While { cond: not_null(p), body },
            false => when(not_null(p), body),
        };
        vec![self.look(P, first), retry]
    }

    fn take_all(&mut self, root: RootId) -> Vec<Stmt> {
        let (place, p) = (self.first(root), Node::Var(P));
        let act = match self.rng.below(3) {
            0 => vec![Stmt::ReadKey { node: p }],
            1 => vec![Stmt::WriteKey { node: p, int: self.int() }],
            _ => vec![self.look(Q, next_of(P)), self.set(next_of(P), Node::Null)],
        };
        let used = [act, self.release(P)].concat();
        vec![Stmt::Exchange { dst: P, place, node: Node::Null }, when(not_null(p), used)]
    }

    fn key_atomically(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, node) = (self.first(root), Node::Var(P));
        let act = match self.rng.below(3) {
            0 => vec![Stmt::ExchangeKey { node, int: self.int() }],
            1 => vec![Stmt::AtomicReadKey { node }],
            _ => {
                let same = Cond::Value { int: Int::K, equal: true };
                vec![Stmt::AtomicReadKey { node }, when(same, vec![Stmt::ExchangeKey { node, int: Int::Const(7) }])]
            }
        };
        vec![self.look(P, first), when(not_null(node), act)]
    }

    fn publish(&mut self, root: RootId) -> Vec<Stmt> {
        let first = self.first(root);
        if self.memory == Memory::Allocates {
            let new = Stmt::New { dst: FRESH, key: self.int(), next: Node::Null };
            return vec![new, self.set(first, Node::Var(FRESH))];
        }
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let further = vec![self.look(Q, next_of(P)), self.set(first, q)];
        vec![self.look(P, first), when(not_null(p), further)]
    }

    fn spin(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, p) = (self.first(root), Node::Var(P));
        let look = Stmt::AtomicFollow { dst: P, from: first };
        let none = Cond::Pointers { one: p, other: Node::Null, equal: true };
        let act =
            if self.rng.chance(50) { Stmt::ReadKey { node: p } } else { Stmt::WriteKey { node: p, int: self.int() } };
        vec![look.clone(), Stmt::While { cond: none, body: vec![look] }, act]
    }

    fn locked(&self, root: RootId, body: Vec<Stmt>) -> Vec<Stmt> {
        let lock = LockRef::Root(root);
        [vec![Stmt::Lock(lock)], body, vec![Stmt::Unlock(lock)]].concat()
    }

    /// Waits in a loop, unless somebody forgot that.
    fn wait_while(&mut self, root: RootId, cond: Cond, again: Vec<Stmt>) -> Stmt {
        let body = [vec![Stmt::Wait(root)], again].concat();
        if self.slip(30) { when(cond, body) } else { Stmt::While { cond, body } }
    }

    fn wait(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, p) = (self.first(root), Node::Var(P));
        let look = follow(P, first);
        let none = Cond::Pointers { one: p, other: Node::Null, equal: true };
        let wait = self.wait_while(root, none, vec![look.clone()]);
        let unlink = vec![Stmt::Relink { to: first, from: next_of(P) }];
        let mut body = vec![look, wait];
        body.extend(if self.rng.chance(50) { vec![when(not_null(p), unlink)] } else { unlink });
        let free = self.release(P);
        if self.slip(30) {
            return [self.locked(root, body), free].concat();
        }
        self.locked(root, [body, free].concat())
    }

    fn wait_for_key(&mut self, root: RootId) -> Vec<Stmt> {
        let p = Node::Var(P);
        let cond = Cond::Key { node: p, int: self.int(), equal: self.rng.chance(70) };
        let wait = self.wait_while(root, cond, Vec::new());
        let write = Stmt::WriteKey { node: p, int: Int::Const(7) };
        let used = if self.rng.chance(50) { vec![wait, write] } else { vec![wait] };
        let body = vec![self.entry(P, root), when(not_null(p), used)];
        self.locked(root, body)
    }

    fn wake(&mut self, root: RootId) -> Vec<Stmt> {
        let (first, p) = (self.first(root), Node::Var(P));
        let mut change = match self.memory == Memory::Allocates && self.rng.chance(70) {
            true => vec![
                follow(P, first),
                Stmt::New { dst: FRESH, key: self.int(), next: p },
                Stmt::Link { to: first, node: Node::Var(FRESH) },
            ],
            false => {
                let write = vec![Stmt::WriteKey { node: p, int: self.int() }];
                vec![self.entry(P, root), when(not_null(p), write)]
            }
        };
        let signal = Stmt::Signal { root, all: self.rng.chance(50) };
        if self.rng.chance(25) {
            return [self.locked(root, change), vec![signal]].concat();
        }
        change.push(signal);
        if self.slip(25) { change } else { self.locked(root, change) }
    }
}
