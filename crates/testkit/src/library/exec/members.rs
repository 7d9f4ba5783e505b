//! Steps on what owners and nodes have beside links, keys and locks.

use super::memory::{Mark, Ptr, Value};
use super::step::Step;
use super::{Field, Object};
use crate::finding::AccessKind;
use crate::library::code::{Op, PtrOperand};

impl Step<'_> {
    /// None is a fault.
    pub(super) fn on_mark(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::StoreMark { root, node } => {
                let mark = match self.call.pointer(self.thread, node) {
                    Ptr::Undef => Mark::Undef,
                    Ptr::Null => Mark::Null,
                    Ptr::Node(node) => Mark::Key(node),
                };
                self.root(root, Field::Mark, AccessKind::Write, line)?;
                self.memory.owners[usize::from(self.call.root(root).0)].mark = mark;
            }
            Op::LoadMark(root) => {
                self.root(root, Field::Mark, AccessKind::Read, line)?;
                self.thread.mark = self.memory.owners[usize::from(self.call.root(root).0)].mark;
            }
            Op::LoadMarked(dst) => {
                let value = *self.marked(AccessKind::Read, line)?;
                self.thread.ints[usize::from(dst.0)] = value;
            }
            Op::StoreMarked(value) => {
                let value = self.call.int(self.thread, value);
                *self.marked(AccessKind::Write, line)? = value;
                // Integers of their own nobody accesses atomically.
                if matches!(self.thread.mark, Mark::Key(_)) {
                    self.order(None);
                }
            }
            _ => unreachable!("{op:?} is about no mark"),
        }
        Some(())
    }

    /// None is a fault.
    pub(super) fn on_callback(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::LoadCallback { root, callback } => {
                self.root(root, Field::Callback(callback), AccessKind::Read, line)?;
                let owner = self.memory.owners[usize::from(self.call.root(root).0)];
                self.thread.callback = owner.callbacks[callback as usize];
            }
            Op::ClearCallback { root, callback } => {
                self.root(root, Field::Callback(callback), AccessKind::Write, line)?;
                self.memory.owners[usize::from(self.call.root(root).0)].callbacks[callback as usize] = false;
            }
            _ => unreachable!("{op:?} is about no callback"),
        }
        Some(())
    }

    /// None is a fault: a null or dangling pointer, or a string that does not end in its array.
    pub(super) fn on_text(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::LoadByte { node, byte, otherwise } => {
                let is_end = !self.byte(node, byte, line)?;
                self.jump = is_end.then_some(otherwise);
            }
            Op::StoreByte { node, byte, sets } => {
                let cell = self.node(node, Field::Byte(byte), AccessKind::Write, line)?;
                cell.bytes[usize::from(byte)] = sets;
            }
            Op::Length { node, byte } => {
                if self.byte(node, byte, line)? {
                    self.effect.accesses[1] = self.effect.accesses[0];
                    return (!self.byte(node, byte + 1, line)?).then_some(());
                }
            }
            _ => unreachable!("{op:?} is about no string"),
        }
        Some(())
    }

    /// None is a fault.
    pub(super) fn on_flag(&mut self, op: Op, line: u32) -> Option<()> {
        match op {
            Op::LoadFlag { node, is, otherwise } => {
                let cell = self.node(node, Field::Link(0), AccessKind::Read, line)?;
                if cell.links[0] == Ptr::Undef {
                    return None;
                }
                self.jump = (cell.flagged != is).then_some(otherwise);
            }
            Op::StoreFlagged { node, value, flagged } => {
                let value = self.call.pointer(self.thread, value);
                let cell = self.node(node, Field::Link(0), AccessKind::Write, line)?;
                (cell.links[0], cell.flagged) = (value, flagged);
                self.order(None);
            }
            _ => unreachable!("{op:?} is about no flag"),
        }
        Some(())
    }

    /// Whether a byte of a string is not zero.
    fn byte(&mut self, node: PtrOperand, byte: u8, line: u32) -> Option<bool> {
        let cell = self.node(node, Field::Byte(byte), AccessKind::Read, line)?;
        Some(cell.bytes[usize::from(byte)])
    }

    /// Accesses what the mark in the register leads to.
    fn marked(&mut self, kind: AccessKind, line: u32) -> Option<&mut Value> {
        match self.thread.mark {
            Mark::Undef | Mark::Null => None,
            Mark::Key(node) => self.cell(node, Field::Key, kind, line).map(|cell| &mut cell.key),
            Mark::Own(owner) => {
                self.record(Object::Marked(owner), Field::Key, kind, line);
                Some(&mut self.memory.owners[usize::from(owner)].marked)
            }
        }
    }
}
