//! Draws libraries.
//!
//! An operation is one of a dozen *templates* (search, push, pop, unlink, hand over hand, ...) with its details drawn,
//! under the library's lock discipline: one lock for the structure, a lock per node, or none. A *careless* library
//! leaves locks out here and there. That is what holds the share of libraries with races between the extremes.
//!
//! Guarantee: the same seed gives the same library; every library is well formed.

mod beyond;
mod members;

use super::ast::*;
use crate::rng::Rng;

/// The library of this seed.
pub fn generate(seed: u64) -> Library {
    let mut rng = Rng::new(seed);
    let roots = rng.weighted(&[
        (30, Roots::OwnerParam),
        (32, Roots::NodeParam),
        (14, Roots::OwnerGlobals(1)),
        (7, Roots::OwnerGlobals(2)),
        (14, Roots::NodeGlobals(1)),
        (7, Roots::NodeGlobals(2)),
    ]);
    // Two links behind two pointers to nodes are too many shapes.
    let links = if roots != Roots::NodeGlobals(2) && rng.chance(32) { 2 } else { 1 };
    let depth = depth(&mut rng, roots, links);
    let discipline = rng.weighted(&[(54, Discipline::Structure), (34, Discipline::Nodes), (12, Discipline::None)]);
    let careless = rng.chance(50);
    let memory = rng.weighted(&[(40, Memory::Static), (30, Memory::Allocates), (30, Memory::Frees)]);
    let count = rng.weighted(&[(25, 1), (50, 2), (25, 3)]);
    let means = rng.weighted(&[(60, Means::Locks), (22, Means::Atomics), (18, Means::Waits)]);
    let strength = rng.weighted(&[(50, Strength::Sequential), (30, Strength::AcquireRelease), (20, Strength::Relaxed)]);
    // A node with a lock, or with as many links as it likes, is no value.
    let flexible = seed % 4 == 3;
    let tries = seed % 6 == 5;
    let values = means != Means::Atomics && discipline != Discipline::Nodes && !flexible && rng.chance(30);
    let callbacks = rng.chance(if roots.has_owner() { 25 } else { 15 });
    let mut generator = Generator { rng, roots, links, discipline, careless, memory, means, values, callbacks, tries };
    let mut operations: Vec<Vec<Stmt>> = (0..count).map(|_| generator.operation()).collect();
    let node_locks = discipline == Discipline::Nodes;
    // Two more structures beside more than a few others are too many.
    let takes_own =
        links == 1 && !matches!(roots, Roots::OwnerGlobals(2) | Roots::NodeGlobals(2)) && generator.rng.chance(25);
    if takes_own {
        operations.truncate(2);
        operations.iter_mut().for_each(|operation| generator.with_own(operation));
    }
    let depth = match takes_own {
        true => depth.min(if roots.has_owner() { 2 } else { 1 }),
        false => depth,
    };
    let own = own(seed, takes_own);
    let makers = Makers::default();
    let tallies = rounds(seed, &mut operations);
    let mut library = Library { roots, links, node_locks, flexible, depth, own, tallies, strength, operations, makers };
    members::add(seed, &mut library, true);
    debug_assert!(library.well_formed(), "seed {seed}: {library:?}");
    library
}

/// The library of this seed, for clients that begin with nothing: more of them have nodes to pass, and both allocate and free.
pub fn generate_for_clients(seed: u64) -> Library {
    let mut rng = Rng::new(seed ^ 0x636c_6965_6e74_7300);
    let roots = rng.weighted(&[
        (20, Roots::OwnerParam),
        (20, Roots::NodeParam),
        (24, Roots::OwnerGlobals(1)),
        (6, Roots::OwnerGlobals(2)),
        (24, Roots::NodeGlobals(1)),
        (6, Roots::NodeGlobals(2)),
    ]);
    let links = if rng.chance(25) { 2 } else { 1 };
    let discipline = rng.weighted(&[(54, Discipline::Structure), (34, Discipline::Nodes), (12, Discipline::None)]);
    let careless = rng.chance(50);
    let means = rng.weighted(&[(60, Means::Locks), (22, Means::Atomics), (18, Means::Waits)]);
    let memory = match means {
        Means::Atomics => rng.weighted(&[(60, Memory::Allocates), (40, Memory::Frees)]),
        Means::Locks | Means::Waits => {
            rng.weighted(&[(30, Memory::Allocates), (20, Memory::Frees), (50, Memory::Both)])
        }
    };
    let count = rng.weighted(&[(15, 1), (50, 2), (35, 3)]);
    let strength = rng.weighted(&[(50, Strength::Sequential), (30, Strength::AcquireRelease), (20, Strength::Relaxed)]);
    let tries = seed % 6 == 5;
    let values = means != Means::Atomics && discipline != Discipline::Nodes && rng.chance(20);
    let callbacks = rng.chance(10);
    let mut generator = Generator { rng, roots, links, discipline, careless, memory, means, values, callbacks, tries };
    let mut operations: Vec<Vec<Stmt>> = (0..count).map(|_| generator.operation()).collect();
    // Where nothing is allocated, only clients bring nodes.
    let takes_own = roots != Roots::NodeParam && generator.rng.chance(if memory == Memory::Frees { 90 } else { 30 });
    if takes_own {
        operations.iter_mut().for_each(|operation| generator.with_own(operation));
    }
    let own = own(seed, takes_own);
    let node_locks = discipline == Discipline::Nodes;
    let makers = makers(&mut generator.rng, roots, operations.len(), memory == Memory::Frees);
    let makers = Makers { by_out: Rng::new(seed ^ 0x6f75_7400_0000_0000).chance(40), ..makers };
    let derived = makers.make && makers.returning == 0 && Rng::new(seed ^ 0x6261_7365_0000_0000).chance(40);
    let makers = Makers { derived, ..makers };
    let (flexible, depth) = (false, 3);
    let tallies = rounds(seed, &mut operations);
    let mut library = Library { roots, links, node_locks, flexible, depth, own, tallies, strength, operations, makers };
    members::add(seed, &mut library, true);
    // Where pointers are made numbers, or go where nobody sees them, nothing says what they lead to.
    let is_seen = !library.flags() && !library.visits() && !library.any(|stmt| matches!(stmt, Stmt::Each { .. }));
    library.makers.untyped = is_seen && !derived && Rng::new(seed ^ 0x766f_6964_0000_0000).chance(40);
    library.makers.key = Rng::new(seed ^ 0x6b65_7900_0000_0000).weighted(&[
        (64, Key::None),
        (12, Key::Numbers),
        (12, Key::Bytes),
        (12, Key::Text),
    ]);
    debug_assert!(library.well_formed(), "seed {seed}: {library:?}");
    library
}

/// How operations get the node that they take, if they do.
fn own(seed: u64, takes: bool) -> Own {
    let mut rng = Rng::new(seed ^ 0x6f77_6e00_0000_0000);
    match (takes, rng.chance(35)) {
        (false, _) => Own::None,
        (true, false) if rng.chance(40) => Own::Alone,
        (true, false) => Own::Private,
        (true, true) => Own::ByValue,
    }
}

/// Has some operations, or their walks, do twice what they do, as far as nothing is allocated there. Whether walks count their
/// steps.
fn rounds(seed: u64, operations: &mut [Vec<Stmt>]) -> bool {
    let mut rng = Rng::new(seed ^ 0x726f_756e_6473_0000);
    for operation in operations {
        let mut allocates = false;
        operation.iter().for_each(|stmt| stmt.walk(&mut |stmt| allocates |= matches!(stmt, Stmt::New { .. })));
        if rng.chance(12) && !allocates {
            let end = operation.len() - usize::from(matches!(operation.last(), Some(Stmt::Return(_))));
            let body = operation.drain(..end).collect();
            operation.insert(0, Stmt::Repeat { body });
        } else if rng.chance(30) {
            walk_twice(operation);
        }
    }
    rng.chance(30)
}

/// Has walks begin anew once they have come to their ends.
fn walk_twice(body: &mut Vec<Stmt>) {
    let waits = |stmt: &Stmt| matches!(stmt, Stmt::Wait(_) | Stmt::New { .. });
    let walks = |stmt: &Stmt| {
        let mut walks = matches!(stmt, Stmt::While { .. });
        stmt.walk(&mut |stmt| walks &= !waits(stmt));
        walks
    };
    if let Some(at) = body.iter().position(walks) {
        let finds = |stmt: &Stmt| matches!(stmt, Stmt::Follow { .. } | Stmt::AtomicFollow { .. } | Stmt::Copy { .. });
        let begins = at - usize::from(at > 0 && finds(&body[at - 1]));
        let body_of_both = body.drain(begins..=at).collect();
        body.insert(begins, Stmt::Repeat { body: body_of_both });
        return;
    }
    for stmt in body {
        if let Stmt::If { then, otherwise, .. } = stmt {
            walk_twice(then);
            walk_twice(otherwise);
        }
    }
}

/// What makes objects; where nodes are only freed (`frees`), clients have their own.
fn makers(rng: &mut Rng, roots: Roots, operations: usize, frees: bool) -> Makers {
    let mut makers = Makers::default();
    if roots == Roots::OwnerParam {
        (makers.init, makers.create) = rng.weighted(&[(40, (true, false)), (30, (false, true)), (30, (false, false))]);
        makers.destroy = rng.chance(40);
    }
    if !frees {
        makers.make = rng.chance(35);
        if rng.chance(30) {
            makers.returning = 1 << rng.below(operations);
        }
    }
    makers
}

/// Deep enough for aliasing, shallow enough for brute force.
fn depth(rng: &mut Rng, roots: Roots, links: u8) -> usize {
    let most = match (roots, links) {
        (Roots::OwnerParam | Roots::OwnerGlobals(1), _) | (Roots::NodeParam, 1) => 3,
        (Roots::NodeGlobals(1), 1) => 3,
        _ => 2,
    };
    if most > 2 && rng.chance(30) { 2 } else { most }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Discipline {
    Structure,
    Nodes,
    None,
}

/// How threads deal with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Locks,
    Atomics,
    Waits,
}

/// Freeing and allocating in one library would make comparisons of pointers undecidable; see [`Library::well_formed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Static,
    Allocates,
    Frees,
    /// Both, and no two pointers are compared.
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Template {
    Search,
    Push,
    Pop,
    Count,
    Tail,
    Compare,
    Other,
    Duplicate,
    HandOverHand,
    LockTwo,
    Touch,
    Clear,
    /// The ones of the module [`beyond`].
    Beyond(beyond::Template),
}

use Template as T;

const P: Pointer = Pointer(0);
const Q: Pointer = Pointer(1);
const FRESH: Pointer = Pointer(2);
const NEXT: LinkId = LinkId(0);
const OTHER: LinkId = LinkId(1);

struct Generator {
    rng: Rng,
    roots: Roots,
    links: u8,
    discipline: Discipline,
    careless: bool,
    memory: Memory,
    means: Means,
    /// Whether nodes are passed and copied as values, and functions called by pointers.
    values: bool,
    callbacks: bool,
    /// Whether locks are tried now and then, or waited for only for a time.
    tries: bool,
}

fn next_of(pointer: Pointer) -> Place {
    Place::Field(Node::Var(pointer), NEXT)
}

fn follow(dst: Pointer, from: Place) -> Stmt {
    Stmt::Follow { dst, from }
}

fn not_null(node: Node) -> Cond {
    Cond::Pointers { one: node, other: Node::Null, equal: false }
}

fn when(cond: Cond, then: Vec<Stmt>) -> Stmt {
    Stmt::If { cond, then, otherwise: Vec::new() }
}

impl Generator {
    /// Whether to break a rule here.
    fn slip(&mut self, percent: u32) -> bool {
        self.careless && self.rng.chance(percent)
    }

    fn operation(&mut self) -> Vec<Stmt> {
        let mut templates =
            vec![(14, T::Search), (7, T::Pop), (8, T::Tail), (8, T::Duplicate), (9, T::Touch), (6, T::Clear)];
        if self.memory != Memory::Both {
            templates.insert(3, (10, T::Compare));
        }
        if self.memory != Memory::Frees {
            templates.push((if self.memory == Memory::Static { 3 } else { 30 }, T::Push));
        }
        if self.roots.has_owner() {
            templates.push((14, T::Count));
        }
        if self.links == 2 {
            templates.push((20, T::Other));
        }
        if self.discipline == Discipline::Nodes {
            templates.extend([(20, T::HandOverHand), (20, T::LockTwo)]);
        }
        let beyond = self.beyond();
        if !beyond.is_empty() && self.rng.chance(if self.means == Means::Locks { 50 } else { 75 }) {
            templates = beyond.into_iter().map(|(weight, template)| (weight, T::Beyond(template))).collect();
        }
        let template = self.rng.weighted(&templates);
        let root = RootId(self.rng.below(self.roots.pointers().max(1)) as u8);
        let body = self.template(template, root);
        let mut operation = self.null_check();
        operation.extend(match template {
            T::Beyond(template) if template.locks_itself() => body,
            _ => self.under_root_lock(body, root),
        });
        if self.rng.chance(40) {
            operation.push(Stmt::Return(if self.rng.chance(60) { Int::V } else { Int::Const(1) }));
        }
        operation
    }

    /// Something done with the caller's own node, before or after the rest.
    fn with_own(&mut self, operation: &mut Vec<Stmt>) {
        let own = Node::Own;
        let next = Place::Field(own, NEXT);
        let root = RootId(0);
        let shared = if self.roots == Roots::NodeParam { Place::Field(Node::Param, NEXT) } else { Place::Root(root) };
        let lock = LockRef::Root(root);
        let locked = |body: Vec<Stmt>| [vec![Stmt::Lock(lock)], body, vec![Stmt::Unlock(lock)]].concat();
        let write = Stmt::WriteKey { node: own, int: self.int() };
        let q = Node::Var(Q);
        let act = match self.rng.below(6) {
            0 => vec![write],
            1 => vec![Stmt::ReadKey { node: own }, write],
            2 => vec![follow(Q, next), when(not_null(q), vec![Stmt::WriteKey { node: q, int: self.int() }])],
            // What is published is shared from then on, which the write behind it may forget.
            3 => [locked(vec![Stmt::Link { to: shared, node: own }]), vec![write]].concat(),
            4 => [
                vec![write],
                locked(vec![Stmt::Relink { to: next, from: shared }, Stmt::Link { to: shared, node: own }]),
            ]
            .concat(),
            _ => [locked(vec![follow(Q, shared), Stmt::Link { to: next, node: q }]), vec![write]].concat(),
        };
        let act = if self.rng.chance(70) { vec![when(not_null(own), act)] } else { act };
        if self.rng.chance(50) {
            operation.splice(0..0, act);
        } else {
            let end = operation.len() - usize::from(matches!(operation.last(), Some(Stmt::Return(_))));
            operation.splice(end..end, act);
        }
    }

    fn null_check(&mut self) -> Vec<Stmt> {
        if !self.rng.chance(40) {
            return Vec::new();
        }
        let cond = match self.roots {
            Roots::OwnerParam => Cond::OwnerNull,
            Roots::NodeParam => Cond::Pointers { one: Node::Param, other: Node::Null, equal: true },
            Roots::OwnerGlobals(_) | Roots::NodeGlobals(_) => return Vec::new(),
        };
        vec![when(cond, vec![Stmt::Return(Int::Const(0))])]
    }

    fn under_root_lock(&mut self, mut body: Vec<Stmt>, root: RootId) -> Vec<Stmt> {
        let locks = self.discipline == Discipline::Structure && !self.slip(35);
        if !locks {
            return body;
        }
        let lock = LockRef::Root(root);
        // The first statement only finds the entry; the last one may be anything.
        let early = if self.slip(25) { vec![body.remove(0)] } else { Vec::new() };
        let late = if body.len() > 1 && self.slip(25) { body.pop() } else { None };
        [early, self.under(lock, body), late.into_iter().collect()].concat()
    }

    fn entry(&self, dst: Pointer, root: RootId) -> Stmt {
        match self.roots {
            Roots::NodeParam => Stmt::Copy { dst, node: Node::Param },
            _ => follow(dst, Place::Root(root)),
        }
    }

    fn int(&mut self) -> Int {
        if self.rng.chance(65) { Int::K } else { Int::Const(7) }
    }

    fn link(&mut self) -> LinkId {
        if self.links == 2 && self.rng.chance(50) { OTHER } else { NEXT }
    }

    /// `body` under the lock of the node that `pointer` holds, where nodes have locks.
    fn under_node_lock(&mut self, pointer: Pointer, body: Vec<Stmt>) -> Vec<Stmt> {
        if self.discipline != Discipline::Nodes || self.slip(30) {
            return body;
        }
        self.under(LockRef::Node(Node::Var(pointer)), body)
    }

    /// `body` under a lock, or only if the lock can be had.
    fn under(&mut self, lock: LockRef, body: Vec<Stmt>) -> Vec<Stmt> {
        let under = [body, vec![Stmt::Unlock(lock)]].concat();
        if self.tries && self.rng.chance(50) {
            return vec![when(Cond::Takes { lock, timed: self.rng.chance(40) }, under)];
        }
        [vec![Stmt::Lock(lock)], under].concat()
    }

    fn template(&mut self, template: Template, root: RootId) -> Vec<Stmt> {
        match template {
            T::Search => self.search(root),
            T::Push => self.push(root),
            T::Pop => self.pop(root),
            T::Count => self.count(root),
            T::Tail => self.tail(root),
            T::Compare => self.compare(root),
            T::Other => self.other(root),
            T::Duplicate => self.duplicate(root),
            T::HandOverHand => self.hand_over_hand(root),
            T::LockTwo => self.lock_two(root),
            T::Touch => self.touch(root),
            T::Clear => self.clear(root),
            T::Beyond(template) => self.template_beyond(template, root),
        }
    }

    fn search(&mut self, root: RootId) -> Vec<Stmt> {
        let (node, int) = (Node::Var(P), self.int());
        let walk = Stmt::While {
            cond: Cond::NodeAndKey { node, int, equal: false },
            body: vec![follow(P, Place::Field(node, self.link()))],
        };
        let found = if self.rng.chance(50) { Stmt::ReadKey { node } } else { Stmt::WriteKey { node, int: self.int() } };
        let found = self.under_node_lock(P, vec![found]);
        vec![self.entry(P, root), walk, when(not_null(node), found)]
    }

    fn push(&mut self, root: RootId) -> Vec<Stmt> {
        let key = self.int();
        let new = |next| Stmt::New { dst: FRESH, key, next };
        if self.roots == Roots::NodeParam {
            let place = Place::Field(Node::Param, NEXT);
            let insert = vec![follow(Q, place), new(Node::Var(Q)), Stmt::Link { to: place, node: Node::Var(FRESH) }];
            let body = self.under_node_lock(P, insert);
            return [vec![self.entry(P, root)], body].concat();
        }
        let publish = Stmt::Link { to: Place::Root(root), node: Node::Var(FRESH) };
        if self.slip(25) {
            // Published first, completed later.
            let node = Node::Var(FRESH);
            return vec![new(Node::Null), publish, Stmt::WriteKey { node, int: key }];
        }
        vec![self.entry(P, root), new(Node::Var(P)), publish]
    }

    fn release(&mut self, pointer: Pointer) -> Vec<Stmt> {
        if matches!(self.memory, Memory::Frees | Memory::Both) {
            vec![Stmt::Free { node: Node::Var(pointer) }]
        } else {
            Vec::new()
        }
    }

    fn pop(&mut self, root: RootId) -> Vec<Stmt> {
        let free = self.release(P);
        if self.roots == Roots::NodeParam {
            let place = Place::Field(Node::Param, NEXT);
            let unlink = vec![Stmt::Relink { to: place, from: next_of(P) }];
            return vec![follow(P, place), when(not_null(Node::Var(P)), [unlink, free].concat())];
        }
        let unlink = if self.rng.chance(50) {
            vec![Stmt::Relink { to: Place::Root(root), from: next_of(P) }]
        } else {
            vec![follow(Q, next_of(P)), Stmt::Link { to: Place::Root(root), node: Node::Var(Q) }]
        };
        vec![self.entry(P, root), when(not_null(Node::Var(P)), [unlink, free].concat())]
    }

    fn count(&mut self, root: RootId) -> Vec<Stmt> {
        vec![self.entry(P, root), Stmt::Count { root, up: self.rng.chance(70) }]
    }

    fn tail(&mut self, root: RootId) -> Vec<Stmt> {
        let step = vec![Stmt::Copy { dst: P, node: Node::Var(Q) }, follow(Q, next_of(P))];
        let walk = Stmt::While { cond: not_null(Node::Var(Q)), body: step };
        let act = match self.rng.below(3) {
            0 => Stmt::WriteKey { node: Node::Var(P), int: self.int() },
            1 => Stmt::ReadKey { node: Node::Var(P) },
            _ => Stmt::Link { to: next_of(P), node: Node::Null },
        };
        let act = self.under_node_lock(P, vec![act]);
        let body = [vec![follow(Q, next_of(P)), walk], act].concat();
        vec![self.entry(P, root), when(not_null(Node::Var(P)), body)]
    }

    fn compare(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        // Freed and fresh nodes must not be compared; see `Memory`. Here nothing is both freed and allocated.
        let (link, equal) = (self.link(), self.rng.chance(50));
        let place = Place::Field(p, link);
        let act = match self.rng.below(3) {
            0 => Stmt::WriteKey { node: p, int: self.int() },
            1 => Stmt::Link { to: place, node: Node::Null },
            _ => Stmt::Link { to: next_of(P), node: p },
        };
        let body = if self.rng.chance(50) {
            vec![follow(Q, place), when(Cond::Pointers { one: p, other: q, equal }, vec![act])]
        } else {
            let node = if self.rng.chance(60) { p } else { Node::Null };
            vec![when(Cond::PlaceIs { place, node, equal }, vec![act])]
        };
        let body = self.under_node_lock(P, body);
        vec![self.entry(P, root), when(not_null(p), body)]
    }

    fn other(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let to = Place::Field(p, self.link());
        let act = match self.rng.below(3) {
            0 => Stmt::Relink { to, from: next_of(Q) },
            1 => Stmt::Link { to, node: q },
            _ => Stmt::WriteKey { node: q, int: self.int() },
        };
        let act = self.under_node_lock(Q, vec![act]);
        let body = vec![follow(Q, Place::Field(p, OTHER)), when(not_null(q), act)];
        vec![self.entry(P, root), when(not_null(p), body)]
    }

    fn duplicate(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let int = if self.rng.chance(60) { Int::V } else { Int::K };
        let cond = Cond::NodeAndKey { node: q, int, equal: true };
        let change = vec![Stmt::WriteKey { node: q, int: Int::Const(7) }];
        let body = self.under_node_lock(P, vec![Stmt::ReadKey { node: p }, follow(Q, next_of(P)), when(cond, change)]);
        vec![self.entry(P, root), when(not_null(p), body)]
    }

    fn hand_over_hand(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let lock = |node| Stmt::Lock(LockRef::Node(node));
        let unlock = |node| Stmt::Unlock(LockRef::Node(node));
        let ordered = vec![lock(q), unlock(p), Stmt::Copy { dst: P, node: q }, follow(Q, next_of(P))];
        // Letting go before taking the next one leaves a gap.
        let gap = vec![unlock(p), lock(q), Stmt::Copy { dst: P, node: q }, follow(Q, next_of(P))];
        let step = if self.slip(40) { gap } else { ordered };
        let act = if self.rng.chance(60) {
            Stmt::WriteKey { node: p, int: self.int() }
        } else {
            Stmt::Link { to: next_of(P), node: Node::Null }
        };
        let walk = Stmt::While { cond: not_null(q), body: step };
        let body = vec![lock(p), follow(Q, next_of(P)), walk, act, unlock(p)];
        vec![self.entry(P, root), when(not_null(p), body)]
    }

    fn lock_two(&mut self, root: RootId) -> Vec<Stmt> {
        let (p, q) = (Node::Var(P), Node::Var(Q));
        let unlink = vec![Stmt::Relink { to: next_of(P), from: next_of(Q) }];
        let free = self.release(Q);
        let inner = if self.rng.chance(80) {
            let unlink = self.under_node_lock(Q, unlink);
            vec![when(not_null(q), [unlink, free].concat())]
        } else {
            vec![when(Cond::NodeAndKey { node: q, int: Int::K, equal: true }, [unlink, free].concat())]
        };
        let body = self.under_node_lock(P, [vec![follow(Q, next_of(P))], inner].concat());
        vec![self.entry(P, root), when(not_null(p), body)]
    }

    /// Reads or writes the first node.
    fn touch(&mut self, root: RootId) -> Vec<Stmt> {
        let node = Node::Var(P);
        let act = if self.rng.chance(50) { Stmt::ReadKey { node } } else { Stmt::WriteKey { node, int: self.int() } };
        let cond = Cond::Value { int: Int::K, equal: self.rng.chance(50) };
        let mut body = vec![act];
        if self.rng.chance(50) {
            body.push(when(cond, vec![Stmt::WriteKey { node, int: Int::Const(7) }]));
        }
        let body = self.under_node_lock(P, body);
        vec![self.entry(P, root), when(not_null(node), body)]
    }

    fn clear(&mut self, root: RootId) -> Vec<Stmt> {
        if self.roots == Roots::NodeParam {
            let to = Place::Field(Node::Param, self.link());
            return vec![self.entry(P, root), Stmt::Link { to, node: Node::Null }];
        }
        let free = self.release(P);
        [vec![self.entry(P, root), Stmt::Link { to: Place::Root(root), node: Node::Null }], free].concat()
    }
}
