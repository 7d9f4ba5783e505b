//! One step of one operation on a concrete heap.
//!
//! Anything undefined ends the execution: a null, uninitialised or dangling pointer used, an uninitialised value
//! decided upon, a lock given back, or waited with, that the thread does not hold. A lock that is taken, by itself too,
//! blocks. Who waits on a condition variable may go on once at each place without having been woken; that is decided as the wait
//! begins, and no signal reaches it then.

mod canonical;
mod members;
mod memory;
mod step;

use self::memory::{Life, Mark, Ptr, Value};
pub(super) use self::memory::{Memory, initial_memory};
use self::step::Step;
use super::ast::{Callback, MAX_LINKS, MAX_ROOTS, Pointer, RootId, Visitor};
use super::code::{Code, INT_REGS, Instr, IntOperand, LockSlot, Op, PTR_REGS, Pc, PtrOperand};
use super::heaps::{self, Target};
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
    /// The variable `m`.
    mark: Mark,
    /// Whether the client's function that was read last is there.
    callback: bool,
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
    /// What a client's function returns.
    pub(super) picked: heaps::Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Object {
    Root(u8),
    Node(u8),
    /// The integer of its own that an owner's mark leads to.
    Marked(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
    Key,
    Link(u8),
    Head,
    Count,
    Visitor,
    Mark,
    Callback(Callback),
    Byte(u8),
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
            (Object::Root(root) | Object::Marked(root), _) => FIRST + root,
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
    /// Two where one node is copied to another, or two bytes are read.
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
            mark: Mark::Null,
            callback: false,
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
                Op::BranchMark { otherwise } => match thread.mark {
                    Mark::Undef => return,
                    Mark::Null => Some(otherwise),
                    Mark::Key(_) | Mark::Own(_) => None,
                },
                Op::BranchCallback { otherwise } => (!thread.callback).then_some(otherwise),
                Op::CallBack(dst) if thread.callback => {
                    if let Some(dst) = dst {
                        thread.ints[usize::from(dst.0)] = Value::Known(self.picked);
                    }
                    None
                }
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
