//! One step of one operation on a concrete heap.
//!
//! Anything undefined ends the execution: a null, uninitialised or dangling pointer used, an uninitialised value
//! decided upon, a lock given back, or waited with, that the thread does not hold. A lock that is taken, by itself too,
//! blocks. Who waits on a condition variable may go on once at each place without having been woken; that is decided as the wait
//! begins, and no signal reaches it then.

mod canonical;

use super::ast::{LinkId, MAX_LINKS, MAX_ROOTS, Pointer, RootId, Strength, Visitor};
use super::code::{Code, INT_REGS, Instr, IntOperand, LockSlot, Op, PTR_REGS, Pc, PtrOperand, PtrReg, Slot};
use super::heaps::{self, Heap, Target};
use crate::finding::AccessKind;

/// Nodes of one execution, those allocated in it included.
pub(super) const MAX_NODES: usize = 10;

/// Owners of one execution: clients may have one for each of their calls.
pub(super) const MAX_OWNERS: usize = 5;
const _: () = assert!(MAX_ROOTS <= MAX_OWNERS);

/// Local instructions in a row after which a thread counts as spinning for ever: no operation is that long.
const LOCAL_LIMIT: usize = 500;

/// One of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ThreadId(pub(super) u8);

impl ThreadId {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The thread in a set of them.
    pub(super) fn bit(self) -> u8 {
        1 << self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Ptr {
    Undef,
    Null,
    Node(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Value {
    Undef,
    Known(heaps::Code),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Life {
    Absent,
    Live,
    Freed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct NodeCell {
    life: Life,
    key: Value,
    links: [Ptr; MAX_LINKS],
    owner: Option<ThreadId>,
}

/// The heap at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    heads: [Ptr; MAX_OWNERS],
    root_owners: [Option<ThreadId>; MAX_OWNERS],
    nodes: [NodeCell; MAX_NODES],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Running,
    /// In a loop that touches nothing shared.
    Spinning,
    /// Waits on the condition variable beside a root's lock.
    Asleep(RootId),
    /// Has been woken there, and takes the lock next.
    Woken(RootId),
    /// The same for nothing: no signal wakes it any more.
    Unasked(RootId),
    Returned,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    phase: Phase,
    /// Which of its calls it is in.
    pub(super) call: u8,
    pc: Pc,
    pointers: [Ptr; PTR_REGS],
    ints: [Value; INT_REGS],
    visitor: Option<Visitor>,
    /// The lines of waits at which it has woken up without having been woken.
    spurious: Vec<u32>,
}

impl Thread {
    pub(super) fn returned(&self) -> bool {
        self.phase == Phase::Returned
    }

    pub(super) fn sleeps(&self) -> bool {
        matches!(self.phase, Phase::Asleep(_))
    }

    pub(super) fn woke_up_spuriously(&self) -> bool {
        !self.spurious.is_empty()
    }

    /// Of a thread that has just begun to wait on this line: the same, but for nothing it wakes up; none where it has before.
    pub(super) fn unasked(&self, line: u32) -> Option<Thread> {
        let Phase::Asleep(root) = self.phase else { return None };
        let spurious = [self.spurious.as_slice(), &[line]].concat();
        let is_first = !self.spurious.contains(&line);
        is_first.then(|| Thread { phase: Phase::Unasked(root), spurious, ..self.clone() })
    }

    /// In a loop that touches nothing shared.
    pub(super) fn spins(&self) -> bool {
        self.phase == Phase::Spinning
    }

    pub(super) fn sleeps_on(&self, root: RootId) -> bool {
        self.phase == Phase::Asleep(root)
    }

    /// The node that a pointer variable leads to.
    pub(super) fn node(&self, variable: Pointer) -> Option<u8> {
        match self.pointers[usize::from(variable.0)] {
            Ptr::Node(node) => Some(node),
            Ptr::Undef | Ptr::Null => None,
        }
    }

    /// The thread must sleep.
    pub(super) fn wake(&mut self) {
        if let Phase::Asleep(root) = self.phase {
            self.phase = Phase::Woken(root);
        }
    }

    /// Goes on with the call that the other thread is at the start of.
    pub(super) fn begin(&mut self, next: Thread) {
        let spurious = std::mem::take(&mut self.spurious);
        *self = Thread { spurious, ..next };
    }
}

/// What an operation runs on, beside the heap.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) code: &'a Code,
    /// The library's constants; integer code i stands for the i-th.
    pub(super) constants: &'a [i32],
    pub(super) owner_null: bool,
    /// Which one the owner that is a parameter is.
    pub(super) owner: u8,
    pub(super) param: Target,
    pub(super) own: Target,
    pub(super) visitors: [Option<Visitor>; MAX_OWNERS],
    pub(super) k: heaps::Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Object {
    Root(u8),
    Node(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
    Key,
    Link(u8),
    Head,
    Count,
    Visitor,
    Lock,
    /// The whole object.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Access {
    pub(super) object: Object,
    pub(super) field: Field,
    pub(super) kind: AccessKind,
    pub(super) atomic: bool,
    /// Initialises a lock, rather than using it.
    pub(super) initialises: bool,
    pub(super) line: u32,
}

/// What hands on what a thread knows to another: a lock, or a place that is accessed atomically. By a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel(u8);

impl Channel {
    pub(super) fn bit(self) -> u64 {
        1 << self.0
    }

    fn root_lock(RootId(root): RootId) -> Channel {
        Channel(root)
    }

    fn node_lock(node: u8) -> Channel {
        Channel(MAX_OWNERS as u8 + node)
    }

    /// The place with a pointer or a key.
    fn place(object: Object, field: Field) -> Channel {
        const FIRST: u8 = (MAX_OWNERS + MAX_NODES) as u8;
        const OF_NODE: u8 = 1 + MAX_LINKS as u8;
        Channel(match (object, field) {
            (Object::Root(root), _) => FIRST + root,
            (Object::Node(node), Field::Link(link)) => FIRST + MAX_OWNERS as u8 + node * OF_NODE + 1 + link,
            (Object::Node(node), _) => FIRST + MAX_OWNERS as u8 + node * OF_NODE,
        })
    }
}

/// What a channel tells from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// What the thread knows beside what the channel told (a lock; the release sequence that an exchange is part of).
    Adds,
    /// What the thread knows (a store that releases).
    Replaces,
    /// Nothing (a plain store, which nobody synchronises with).
    Forgets,
}

/// What one step did, apart from the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// Two where one node is copied to another.
    pub(super) accesses: [Option<Access>; 2],
    pub(super) acquired: Option<Channel>,
    pub(super) released: Option<(Channel, Telling)>,
    /// One who waits beside this root's lock is woken, or all are.
    pub(super) signals: Option<(RootId, bool)>,
    /// The execution ends here. The access, if there is one, was still tried.
    pub(super) fault: bool,
    /// The fault is that a lock is given back, or waited with, that the thread does not have.
    pub(super) misuse: bool,
    /// It did something that may count as a fault: it freed a node that it holds the lock of.
    pub(super) doubtful: bool,
}

const ABSENT: NodeCell =
    NodeCell { life: Life::Absent, key: Value::Undef, links: [Ptr::Undef; MAX_LINKS], owner: None };

pub(super) fn initial_memory(heap: &Heap, keys: &[heaps::Code]) -> Memory {
    let pointer = |target: Target| target.map_or(Ptr::Null, Ptr::Node);
    let mut nodes = [ABSENT; MAX_NODES];
    for ((cell, links), &key) in nodes.iter_mut().zip(&heap.nodes).zip(keys) {
        *cell = NodeCell { life: Life::Live, key: Value::Known(key), links: links.map(pointer), owner: None };
    }
    let mut heads = [Ptr::Null; MAX_OWNERS];
    heads[..MAX_ROOTS].copy_from_slice(&heap.heads.map(pointer));
    Memory { heads, root_owners: [None; MAX_OWNERS], nodes }
}

impl Call<'_> {
    /// A thread at the call's first visible instruction.
    pub(super) fn start(&self, memory: &mut Memory) -> Thread {
        let zero = Value::Known(self.constant(0));
        let mut thread = Thread {
            phase: Phase::Running,
            call: 0,
            pc: Pc(0),
            pointers: [Ptr::Null; PTR_REGS],
            ints: [zero; INT_REGS],
            visitor: None,
            spurious: Vec::new(),
        };
        self.run_local(&mut thread, memory);
        thread
    }

    /// Which root it is that this call means.
    fn root(&self, RootId(root): RootId) -> RootId {
        RootId(root + self.owner)
    }

    pub(super) fn line(&self, thread: &Thread) -> u32 {
        self.instr(thread).line
    }

    /// The lines of the innermost loop that the thread is in.
    pub(super) fn loop_around(&self, thread: &Thread) -> impl Iterator<Item = u32> + use<'_> {
        let at = thread.pc;
        let around = self.code.iter().enumerate().find_map(|(index, instr)| match instr.op {
            Op::Jump(target) if target <= at && usize::from(at.0) <= index && usize::from(target.0) < index => {
                Some(usize::from(target.0)..index + 1)
            }
            _ => None,
        });
        self.code[around.unwrap_or(0..0)].iter().map(|instr| instr.line)
    }

    fn instr(&self, thread: &Thread) -> Instr {
        self.code[usize::from(thread.pc.0)]
    }

    /// The code of a constant. One that is never compared may have any.
    fn constant(&self, constant: i32) -> heaps::Code {
        heaps::Code(self.constants.iter().position(|&other| other == constant).unwrap_or(0) as u8)
    }

    fn pointer(&self, thread: &Thread, operand: PtrOperand) -> Ptr {
        match operand {
            PtrOperand::Null => Ptr::Null,
            PtrOperand::Reg(reg) => thread.pointers[usize::from(reg.0)],
            PtrOperand::Param => self.param.map_or(Ptr::Null, Ptr::Node),
            PtrOperand::Own => self.own.map_or(Ptr::Null, Ptr::Node),
        }
    }

    fn int(&self, thread: &Thread, operand: IntOperand) -> Value {
        match operand {
            IntOperand::K => Value::Known(self.k),
            IntOperand::Reg(reg) => thread.ints[usize::from(reg.0)],
            IntOperand::Const(constant) => Value::Known(self.constant(constant)),
        }
    }

    /// Whether the thread can take a step, a faulty one included.
    pub(super) fn enabled(&self, thread: &Thread, memory: &Memory) -> bool {
        match thread.phase {
            Phase::Running => {}
            Phase::Woken(RootId(root)) | Phase::Unasked(RootId(root)) => {
                return memory.root_owners[usize::from(root)].is_none();
            }
            Phase::Asleep(_) | Phase::Spinning | Phase::Returned => return false,
        }
        match self.instr(thread).op {
            Op::Lock(lock) => self.is_free(lock, thread, memory),
            _ => true,
        }
    }

    /// Whether the thread could go on by itself: without a time-out, and without waking up for nothing. One that goes round
    /// without end could.
    pub(super) fn goes_on(&self, thread: &Thread, memory: &Memory) -> bool {
        match (thread.phase, self.instr(thread).op) {
            (Phase::Spinning, _) => true,
            (Phase::Asleep(_) | Phase::Unasked(_), _) => false,
            (Phase::Running, Op::TryLock { lock, timed: true, .. }) => self.is_free(lock, thread, memory),
            _ => self.enabled(thread, memory),
        }
    }

    /// Whether nobody has a lock; to follow a pointer that leads nowhere to one takes no waiting.
    fn is_free(&self, lock: LockSlot, thread: &Thread, memory: &Memory) -> bool {
        match lock {
            LockSlot::Root(_) if self.owner_null => true,
            LockSlot::Root(root) => memory.root_owners[usize::from(self.root(root).0)].is_none(),
            LockSlot::Node(operand) => match self.pointer(thread, operand) {
                Ptr::Node(node) => {
                    let cell = &memory.nodes[usize::from(node)];
                    cell.life != Life::Live || cell.owner.is_none()
                }
                Ptr::Undef | Ptr::Null => true,
            },
        }
    }

    /// Who has the lock that the thread waits for.
    pub(super) fn waits_for(&self, thread: &Thread, memory: &Memory) -> Option<ThreadId> {
        if let Phase::Woken(RootId(root)) | Phase::Unasked(RootId(root)) = thread.phase {
            return memory.root_owners[usize::from(root)];
        }
        if thread.phase != Phase::Running || self.enabled(thread, memory) {
            return None;
        }
        match self.instr(thread).op {
            Op::Lock(LockSlot::Root(root)) => memory.root_owners[usize::from(self.root(root).0)],
            Op::Lock(LockSlot::Node(operand)) => match self.pointer(thread, operand) {
                Ptr::Node(node) => memory.nodes[usize::from(node)].owner,
                Ptr::Undef | Ptr::Null => None,
            },
            _ => None,
        }
    }

    /// Executes one visible instruction, or the local one that faults. The thread must be enabled.
    pub(super) fn step(&self, id: ThreadId, thread: &mut Thread, memory: &mut Memory) -> Effect {
        let mut step = Step { call: self, id, thread, memory, atomic: false, jump: None, effect: Effect::default() };
        let done = match step.thread.phase {
            Phase::Woken(root) | Phase::Unasked(root) => {
                step.go_on(root);
                Some(())
            }
            _ => step.execute(),
        };
        if done.is_none() {
            step.effect.fault = true;
            return step.effect;
        }
        let (effect, jump) = (step.effect, step.jump);
        if !thread.sleeps() {
            thread.pc = jump.unwrap_or(Pc(thread.pc.0 + 1));
            self.run_local(thread, memory);
        }
        effect
    }

    /// Runs local instructions up to the next visible or faulty one.
    fn run_local(&self, thread: &mut Thread, memory: &mut Memory) {
        for _ in 0..LOCAL_LIMIT {
            let taken = match self.instr(thread).op {
                Op::Allocate(dst) => {
                    memory.allocate(thread, dst);
                    None
                }
                Op::Move { dst, value } => {
                    thread.pointers[usize::from(dst.0)] = self.pointer(thread, value);
                    None
                }
                Op::MoveInt { dst, value } => {
                    thread.ints[usize::from(dst.0)] = self.int(thread, value);
                    None
                }
                Op::BranchVisitor { otherwise } => match thread.visitor {
                    Some(visitor) => (visitor == Visitor::Writes).then_some(otherwise),
                    None => return,
                },
                Op::BranchPtr { one, other, equal, otherwise } => {
                    let (one, other) = (self.pointer(thread, one), self.pointer(thread, other));
                    if one == Ptr::Undef || other == Ptr::Undef {
                        return;
                    }
                    ((one == other) != equal).then_some(otherwise)
                }
                Op::BranchInt { one, other, equal, otherwise } => {
                    let (one, other) = (self.int(thread, one), self.int(thread, other));
                    if one == Value::Undef || other == Value::Undef {
                        return;
                    }
                    ((one == other) != equal).then_some(otherwise)
                }
                Op::BranchOwnerNull { otherwise } => (!self.owner_null).then_some(otherwise),
                Op::Jump(target) => Some(target),
                Op::Return => {
                    thread.phase = Phase::Returned;
                    return;
                }
                _ => return,
            };
            thread.pc = taken.unwrap_or(Pc(thread.pc.0 + 1));
        }
        thread.phase = Phase::Spinning;
    }
}

impl Memory {
    /// What globals are initialised with, and no node.
    pub(super) fn empty() -> Memory {
        Memory { heads: [Ptr::Null; MAX_OWNERS], root_owners: [None; MAX_OWNERS], nodes: [ABSENT; MAX_NODES] }
    }

    /// A node that is all zero; none if there are too many.
    pub(super) fn zeroed(&mut self, zero: heaps::Code) -> Option<u8> {
        let index = self.nodes.iter().position(|cell| cell.life == Life::Absent)?;
        let cell = NodeCell { life: Life::Live, key: Value::Known(zero), links: [Ptr::Null; MAX_LINKS], owner: None };
        self.nodes[index] = cell;
        Some(index as u8)
    }

    /// Whether a thread has an owner's lock.
    pub(super) fn is_locked(&self, owner: u8) -> bool {
        self.root_owners[usize::from(owner)].is_some()
    }

    pub(super) fn is_live(&self, node: u8) -> bool {
        self.nodes[usize::from(node)].life == Life::Live
    }

    /// So many nodes can still be allocated.
    pub(super) fn room(&self) -> usize {
        self.nodes.iter().filter(|cell| cell.life == Life::Absent).count()
    }

    /// The first code behind those of all keys.
    pub(super) fn first_unused(&self) -> u8 {
        let code = |cell: &NodeCell| match (cell.life, cell.key) {
            (Life::Live, Value::Known(code)) => code.0 + 1,
            _ => 0,
        };
        self.nodes.iter().map(code).max().unwrap_or(0)
    }

    /// Puts a pointer to a fresh node into `dst`. The caller sees to it that there are enough.
    fn allocate(&mut self, thread: &mut Thread, dst: PtrReg) {
        if let Some(index) = self.nodes.iter().position(|cell| cell.life == Life::Absent) {
            self.nodes[index].life = Life::Live;
            thread.pointers[usize::from(dst.0)] = Ptr::Node(index as u8);
        }
    }
}

struct Step<'a> {
    call: &'a Call<'a>,
    id: ThreadId,
    thread: &'a mut Thread,
    memory: &'a mut Memory,
    /// Of the instruction's access, which counts even where it fails.
    atomic: bool,
    /// Where the thread goes on, if not behind the instruction.
    jump: Option<Pc>,
    effect: Effect,
}

impl Step<'_> {
    /// None is a fault.
    fn execute(&mut self) -> Option<()> {
        let Instr { op, line } = self.call.instr(self.thread);
        self.atomic = op.is_atomic();
        match op {
            Op::LoadPtr { .. } | Op::StorePtr { .. } | Op::SwapPtr { .. } | Op::CompareSwapPtr { .. } => {
                return self.on_pointer(op, line);
            }
            Op::LoadKey { .. }
            | Op::StoreKey { .. }
            | Op::SwapKey { .. }
            | Op::LoadWhole { .. }
            | Op::CopyWhole { .. } => return self.on_node(op, line),
            Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) | Op::Wait(_) | Op::Signal { .. } | Op::InitLock(_) => {
                return self.synchronise(op, line);
            }
            Op::LoadVisitor(root) => {
                self.root(root, Field::Visitor, AccessKind::Read, line)?;
                self.thread.visitor = self.call.visitors[usize::from(self.call.root(root).0)];
            }
            // Nothing depends on the counter, so it has no value.
            Op::LoadCount(root) => self.root(root, Field::Count, AccessKind::Read, line)?,
            Op::StoreCount(root) => self.root(root, Field::Count, AccessKind::Write, line)?,
            Op::Free(node) => {
                // Freeing null does nothing.
                if self.call.pointer(self.thread, node) != Ptr::Null {
                    let id = self.id;
                    let cell = self.node(node, Field::All, AccessKind::Free, line)?;
                    cell.life = Life::Freed;
                    let locked = cell.owner == Some(id);
                    self.effect.doubtful = locked;
                }
            }
            // A local instruction is executed as a step only where it decides on something uninitialised.
            Op::Allocate(_)
            | Op::Move { .. }
            | Op::MoveInt { .. }
            | Op::BranchVisitor { .. }
            | Op::BranchPtr { .. }
            | Op::BranchInt { .. }
            | Op::BranchOwnerNull { .. }
            | Op::Jump(_)
            | Op::Return => return None,
        }
        Some(())
    }

    fn on_pointer(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::LoadPtr { slot, dst, order } => {
                let value = *self.slot(slot, AccessKind::Read, line)?;
                self.order(order);
                self.thread.pointers[usize::from(dst.0)] = value;
            }
            Op::StorePtr { slot, value, order } => {
                let value = self.call.pointer(self.thread, value);
                *self.slot(slot, AccessKind::Write, line)? = value;
                self.order(order);
            }
            Op::SwapPtr { slot, value, dst, order } => {
                let value = self.call.pointer(self.thread, value);
                let there = std::mem::replace(self.slot(slot, AccessKind::ReadWrite, line)?, value);
                self.order(Some(order));
                self.thread.pointers[usize::from(dst.0)] = there;
            }
            Op::CompareSwapPtr { slot, expected, value, order, exchanged, otherwise } => {
                let wanted = self.thread.pointers[usize::from(expected.0)];
                let value = self.call.pointer(self.thread, value);
                // What a freed object holds is not known: it may be exchanged.
                let place = self.slot(slot, AccessKind::ReadWrite, line)?;
                let there = *place;
                if there == Ptr::Undef || wanted == Ptr::Undef {
                    return None;
                }
                let equal = there == wanted;
                if equal {
                    *place = value;
                } else {
                    if let Some(access) = &mut self.effect.accesses[0] {
                        access.kind = AccessKind::Read;
                    }
                    self.thread.pointers[usize::from(expected.0)] = there;
                }
                self.order(Some(order));
                self.jump = (equal != exchanged).then_some(otherwise);
            }
            _ => unreachable!("{op:?} is about no slot"),
        }
        Some(())
    }

    fn on_node(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::LoadKey { node, dst, order } => {
                let key = self.node(node, Field::Key, AccessKind::Read, line)?.key;
                self.order(order);
                self.thread.ints[usize::from(dst.0)] = key;
            }
            Op::StoreKey { node, value } => {
                let value = self.call.int(self.thread, value);
                self.node(node, Field::Key, AccessKind::Write, line)?.key = value;
                self.order(None);
            }
            Op::SwapKey { node, value, dst, order } => {
                let value = self.call.int(self.thread, value);
                let cell = self.node(node, Field::Key, AccessKind::ReadWrite, line)?;
                let there = std::mem::replace(&mut cell.key, value);
                self.order(Some(order));
                self.thread.ints[usize::from(dst.0)] = there;
            }
            Op::LoadWhole { node, key, next } => {
                let NodeCell { key: value, links, .. } = *self.node(node, Field::All, AccessKind::Read, line)?;
                self.thread.ints[usize::from(key.0)] = value;
                self.thread.pointers[usize::from(next.0)] = links[0];
            }
            Op::CopyWhole { to, from } => {
                let NodeCell { key, links, .. } = *self.node(from, Field::All, AccessKind::Read, line)?;
                self.effect.accesses[1] = self.effect.accesses[0];
                let cell = self.node(to, Field::All, AccessKind::Write, line)?;
                (cell.key, cell.links) = (key, links);
            }
            _ => unreachable!("{op:?} is about no key"),
        }
        Some(())
    }

    fn synchronise(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::Lock(lock) => {
                let id = self.id;
                let (owner, channel) = self.lock(lock, line)?;
                *owner = Some(id);
                self.effect.acquired = Some(channel);
            }
            // Who does not get it learns nothing. That a time is over before the lock is free may be at any moment.
            Op::TryLock { lock, otherwise, .. } => {
                let id = self.id;
                let (owner, channel) = self.lock(lock, line)?;
                if owner.is_some() {
                    self.jump = Some(otherwise);
                } else {
                    *owner = Some(id);
                    self.effect.acquired = Some(channel);
                }
            }
            Op::Unlock(lock) => {
                let id = self.id;
                let (owner, channel) = self.lock(lock, line)?;
                if *owner != Some(id) {
                    self.effect.misuse = true;
                    return None;
                }
                *owner = None;
                self.effect.released = Some((channel, Telling::Adds));
            }
            Op::Wait(root) => {
                let id = self.id;
                let (owner, channel) = self.lock(LockSlot::Root(root), line)?;
                if *owner != Some(id) {
                    self.effect.misuse = true;
                    return None;
                }
                *owner = None;
                self.effect.released = Some((channel, Telling::Adds));
                self.thread.phase = Phase::Asleep(self.call.root(root));
            }
            Op::Signal { .. } if self.call.owner_null => return None,
            Op::Signal { root, all } => self.effect.signals = Some((self.call.root(root), all)),
            Op::InitLock(node) => {
                self.node(node, Field::Lock, AccessKind::Sync, line)?;
                if let Some(access) = &mut self.effect.accesses[0] {
                    access.initialises = true;
                }
            }
            _ => unreachable!("{op:?} synchronises nothing"),
        }
        Some(())
    }

    fn record(&mut self, object: Object, field: Field, kind: AccessKind, line: u32) {
        self.effect.accesses[0] = Some(Access { object, field, kind, atomic: self.atomic, initialises: false, line });
    }

    /// What the access that was just noted tells and hears; nobody hears by a place what was before a plain store.
    fn order(&mut self, order: Option<Strength>) {
        let Some(access) = &self.effect.accesses[0] else { return };
        let channel = Channel::place(access.object, access.field);
        let orders = order.is_some_and(Strength::orders);
        if orders && access.kind != AccessKind::Write {
            self.effect.acquired = Some(channel);
        }
        self.effect.released = match access.kind {
            AccessKind::Write if orders => Some((channel, Telling::Replaces)),
            AccessKind::ReadWrite if orders => Some((channel, Telling::Adds)),
            AccessKind::Write => Some((channel, Telling::Forgets)),
            _ => None,
        };
    }

    /// A thread that has slept takes its lock again.
    fn go_on(&mut self, root: RootId) {
        self.memory.root_owners[usize::from(root.0)] = Some(self.id);
        self.effect.acquired = Some(Channel::root_lock(root));
        self.thread.phase = Phase::Running;
    }

    /// Accesses a node; the access counts even where the node is freed.
    fn node(&mut self, operand: PtrOperand, field: Field, kind: AccessKind, line: u32) -> Option<&mut NodeCell> {
        let Ptr::Node(index) = self.call.pointer(self.thread, operand) else { return None };
        self.record(Object::Node(index), field, kind, line);
        let cell = &mut self.memory.nodes[usize::from(index)];
        (cell.life == Life::Live).then_some(cell)
    }

    fn root(&mut self, root: RootId, field: Field, kind: AccessKind, line: u32) -> Option<()> {
        if self.call.owner_null {
            return None;
        }
        self.record(Object::Root(self.call.root(root).0), field, kind, line);
        Some(())
    }

    fn slot(&mut self, slot: Slot, kind: AccessKind, line: u32) -> Option<&mut Ptr> {
        match slot {
            Slot::Root(root) => {
                self.root(root, Field::Head, kind, line)?;
                Some(&mut self.memory.heads[usize::from(self.call.root(root).0)])
            }
            Slot::Field(node, LinkId(link)) => {
                let cell = self.node(node, Field::Link(link), kind, line)?;
                Some(&mut cell.links[usize::from(link)])
            }
        }
    }

    fn lock(&mut self, lock: LockSlot, line: u32) -> Option<(&mut Option<ThreadId>, Channel)> {
        match lock {
            LockSlot::Root(_) if self.call.owner_null => None,
            // Nothing conflicts with a lock outside nodes, so there is no access to note.
            LockSlot::Root(root) => {
                let root = self.call.root(root);
                Some((&mut self.memory.root_owners[usize::from(root.0)], Channel::root_lock(root)))
            }
            LockSlot::Node(operand) => {
                let Ptr::Node(index) = self.call.pointer(self.thread, operand) else { return None };
                let cell = self.node(operand, Field::Lock, AccessKind::Sync, line)?;
                Some((&mut cell.owner, Channel::node_lock(index)))
            }
        }
    }
}
