//! One step of one thread.

use super::memory::{Life, NodeCell, Ptr};
use super::{Access, Call, Channel, Effect, Field, Memory, Object, Phase, Telling, Thread, ThreadId};
use crate::finding::AccessKind;
use crate::library::ast::{LinkId, RootId, Strength};
use crate::library::code::{Instr, LockSlot, Op, Pc, PtrOperand, Slot};

pub(super) struct Step<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) id: ThreadId,
    pub(super) thread: &'a mut Thread,
    pub(super) memory: &'a mut Memory,
    /// Of the instruction's access, which counts even where it fails.
    pub(super) atomic: bool,
    /// Where the thread goes on, if not behind the instruction.
    pub(super) jump: Option<Pc>,
    pub(super) effect: Effect,
}

impl Step<'_> {
    /// None is a fault.
    pub(super) fn execute(&mut self) -> Option<()> {
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
            Op::StoreMark { .. } | Op::LoadMark(_) | Op::LoadMarked(_) | Op::StoreMarked(_) => {
                return self.on_mark(op, line);
            }
            Op::LoadCallback { .. } | Op::ClearCallback { .. } => return self.on_callback(op, line),
            Op::LoadByte { .. } | Op::StoreByte { .. } | Op::Length { .. } => return self.on_text(op, line),
            Op::LoadFlag { .. } | Op::StoreFlagged { .. } => return self.on_flag(op, line),
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
            // A local instruction is executed as a step only where it decides on something uninitialised, calls a null pointer, or
            // leads out of an array.
            Op::Allocate(_)
            | Op::Move { .. }
            | Op::MoveInt { .. }
            | Op::BranchVisitor { .. }
            | Op::BranchMark { .. }
            | Op::BranchCallback { .. }
            | Op::CallBack(_)
            | Op::Stray
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
                if let Slot::Field(node, LinkId(0)) = slot
                    && let Ptr::Node(index) = self.call.pointer(self.thread, node)
                {
                    self.memory.nodes[usize::from(index)].flagged = false;
                }
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

    pub(super) fn record(&mut self, object: Object, field: Field, kind: AccessKind, line: u32) {
        self.effect.accesses[0] = Some(Access { object, field, kind, atomic: self.atomic, initialises: false, line });
    }

    /// What the access that was just noted tells and hears; nobody hears by a place what was before a plain store.
    pub(super) fn order(&mut self, order: Option<Strength>) {
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
    pub(super) fn go_on(&mut self, root: RootId) {
        self.memory.root_owners[usize::from(root.0)] = Some(self.id);
        self.effect.acquired = Some(Channel::root_lock(root));
        self.thread.phase = Phase::Running;
    }

    /// Accesses a node; the access counts even where the node is freed.
    pub(super) fn node(
        &mut self,
        operand: PtrOperand,
        field: Field,
        kind: AccessKind,
        line: u32,
    ) -> Option<&mut NodeCell> {
        let Ptr::Node(index) = self.call.pointer(self.thread, operand) else { return None };
        self.cell(index, field, kind, line)
    }

    pub(super) fn cell(&mut self, index: u8, field: Field, kind: AccessKind, line: u32) -> Option<&mut NodeCell> {
        self.record(Object::Node(index), field, kind, line);
        let cell = &mut self.memory.nodes[usize::from(index)];
        (cell.life == Life::Live).then_some(cell)
    }

    pub(super) fn root(&mut self, root: RootId, field: Field, kind: AccessKind, line: u32) -> Option<()> {
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
