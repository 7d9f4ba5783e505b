//! What a flow does to memory that threads share: it is listed, and not done. What is read is anything.

use super::{FlowAccess, Known};
use crate::Stop;
use crate::step::{Flow as Next, StepCx, narrowed};
use ::memory::{ObjId, ObjectKind, Pointer, Value};
use concurrency::AccessKind;
use ir::{Op, Operand, Reg, Ty};
use smt::TermId;
use std::rc::Rc;

/// Where an address leads, as far as a flow can tell.
enum Place {
    /// To what is the thread's own, or what nobody writes.
    Own,
    Shared(ObjId, TermId),
}

/// Bytes that are copied at once.
const MOST_COPIED: u64 = 256;

impl StepCx<'_> {
    /// Carries out an instruction that accesses memory of several threads; `None` if it does not.
    pub(crate) fn flow_step(&mut self, op: &Op) -> Result<Option<Next>, Stop> {
        if !self.is_flow() {
            return Ok(None);
        }
        match *op {
            Op::Load { dest, ty, address, volatile, order } => {
                let atomic = order.is_some() || volatile;
                self.flow_load(dest, ty, address, atomic)
            }
            Op::Store { ty, address, value, volatile, order } => {
                let atomic = order.is_some() || volatile;
                self.flow_store(ty, address, value, atomic)
            }
            Op::AtomicRmw { dest, ty, address, .. } => {
                let Some((object, offset)) = self.shared_place(address)? else { return Ok(None) };
                self.flow_access(object, offset, self.size(ty), AccessKind::ReadWrite, true)?;
                self.forget_known(object);
                let old = self.anything_of(ty);
                self.bind(dest, old);
                Ok(Some(Next::Next))
            }
            Op::CompareExchange { old, success, ty, address, .. } => {
                let Some((object, offset)) = self.shared_place(address)? else { return Ok(None) };
                self.flow_access(object, offset, self.size(ty), AccessKind::ReadWrite, true)?;
                self.forget_known(object);
                let (value, holds) = (self.anything_of(ty), self.anything_of(Ty::Int(1)));
                self.bind(old, value);
                self.bind(success, holds);
                Ok(Some(Next::Next))
            }
            Op::MemCopy { to, from, length, .. } => self.flow_copy(to, from, length),
            Op::MemSet { to, length, .. } => {
                let Some((object, offset)) = self.shared_place(to)? else { return Ok(None) };
                let length = self.copied(length)?;
                self.flow_access(object, offset, length, AccessKind::Write, false)?;
                self.forget_known(object);
                Ok(Some(Next::Next))
            }
            // What its addresses are a multiple of is not looked at.
            Op::Aligned { .. } => Ok(Some(Next::Next)),
            _ => Ok(None),
        }
    }

    fn flow_load(&mut self, dest: Reg, ty: Ty, address: Operand, atomic: bool) -> Result<Option<Next>, Stop> {
        let size = self.size(ty);
        let Some((object, offset)) = self.shared_place(address)? else { return Ok(None) };
        if ty == Ty::Ptr {
            return Err(self.leave_flow("a pointer is read from memory that threads share"));
        }
        self.flow_access(object, offset, size, AccessKind::Read, atomic)?;
        let known = self.flow().and_then(|flow| {
            let is_it = |known: &&Known| (known.object, known.offset, known.size) == (object, offset, size);
            flow.known.iter().find(is_it).map(|known| known.value)
        });
        let value = match known.filter(|_| !atomic) {
            Some(value) => value,
            None => {
                let whole = self.anything(size as u32 * 8);
                let value = Value::Term(whole);
                self.now_known(object, offset, size, value, false);
                value
            }
        };
        let value = narrowed(self, value, ty)?;
        self.bind(dest, value);
        Ok(Some(Next::Next))
    }

    fn flow_store(&mut self, ty: Ty, address: Operand, value: Operand, atomic: bool) -> Result<Option<Next>, Stop> {
        let size = self.size(ty);
        let Some((object, offset)) = self.shared_place(address)? else { return Ok(None) };
        self.flow_access(object, offset, size, AccessKind::Write, atomic)?;
        let value = self.operand(value, ty);
        let is_whole = u64::from(self.bits(ty)) == size * 8;
        match value {
            Value::Int(_) | Value::Term(_) if is_whole && !atomic => self.now_known(object, offset, size, value, true),
            _ => self.forget_known(object),
        }
        Ok(Some(Next::Next))
    }

    fn flow_copy(&mut self, to: Operand, from: Operand, length: Operand) -> Result<Option<Next>, Stop> {
        let (target, source) = (self.shared_place(to)?, self.shared_place(from)?);
        if target.is_none() && source.is_none() {
            return Ok(None);
        }
        let length = self.copied(length)?;
        if let Some((object, offset)) = source {
            self.flow_access(object, offset, length, AccessKind::Read, false)?;
        }
        if let Some((object, offset)) = target {
            self.flow_access(object, offset, length, AccessKind::Write, false)?;
            self.forget_known(object);
            return Ok(Some(Next::Next));
        }
        // Into a variable of the thread's own.
        let at = self.operand(to, Ty::Ptr);
        let at = self.locate_exactly(at, length, None)?;
        self.check_access(at, length, AccessKind::Write, false)?;
        for byte in 0..length {
            let value = Value::Term(self.anything(8));
            self.write(at.plus(byte as i64), 1, value)?;
        }
        Ok(Some(Next::Next))
    }

    /// Lists an access.
    fn flow_access(
        &mut self,
        object: ObjId,
        offset: TermId,
        size: u64,
        kind: AccessKind,
        atomic: bool,
    ) -> Result<(), Stop> {
        let (site, scope) = (self.site(), self.thread.scope);
        let guard = Rc::new(self.state.path.terms().to_vec());
        let Some((object, bytes)) = self.shared_object(object) else {
            return Err(self.leave_flow("memory that is none of the launch's"));
        };
        let Some(flow) = self.flow() else { return Ok(()) };
        let (interval, lanes_interval) = (flow.interval, flow.lanes_interval);
        let access =
            FlowAccess { interval, lanes_interval, object, bytes, offset, size, kind, atomic, scope, site, guard };
        Rc::make_mut(&mut flow.accesses).push(access);
        self.engine.statistics.reads += u64::from(kind != AccessKind::Write);
        self.engine.statistics.writes += u64::from(kind.writes());
        Ok(())
    }

    /// The shared object that an address leads into, and where; `None` if what is there is the thread's own.
    fn shared_place(&mut self, address: Operand) -> Result<Option<(ObjId, TermId)>, Stop> {
        let value = self.operand(address, Ty::Ptr);
        match self.place_of(value)? {
            Place::Own => Ok(None),
            Place::Shared(object, offset) => Ok(Some((object, offset))),
        }
    }

    fn place_of(&mut self, value: Value) -> Result<Place, Stop> {
        let value = match value {
            Value::Lazy { .. } => self.buffer_of(value),
            other => other,
        };
        let (object, offset) = match value {
            Value::Ptr(Pointer { object, offset, .. }) => (object, self.engine.terms.bv(64, u128::from(offset as u64))),
            Value::Symbolic { object, offset, .. } => (object, offset),
            // A null pointer, or a number: the access says what is wrong with it.
            Value::Int(_) => return Ok(Place::Own),
            Value::Term(_) | Value::Lazy { .. } => return Err(self.leave_flow("an address that is not known")),
        };
        if self.state.memory.object(object).kind == ObjectKind::Initial {
            return Err(self.leave_flow("a pointer of the heap is followed"));
        }
        Ok(if self.is_of_several(object) { Place::Shared(object, offset) } else { Place::Own })
    }

    /// A pointer that the kernel was given, in a structure or a constant.
    pub(super) fn buffer_of(&mut self, value: Value) -> Value {
        let Some(mut flow) = self.state.flow.take() else { return value };
        let found = Rc::make_mut(&mut flow).buffer_for(self.state, value);
        self.state.flow = Some(flow);
        found
    }

    fn copied(&mut self, length: Operand) -> Result<u64, Stop> {
        match self.operand(length, Ty::Int(64)) {
            Value::Int(length) if length <= MOST_COPIED => Ok(length),
            _ => Err(self.leave_flow("a block of an unknown size, or a large one, is copied or set")),
        }
    }

    /// From here until threads meet, reading there gives this.
    fn now_known(&mut self, object: ObjId, offset: TermId, size: u64, value: Value, is_new: bool) {
        if is_new {
            self.forget_known(object);
        }
        if let Some(flow) = self.flow() {
            flow.known.push(Known { object, offset, size, value });
        }
    }

    /// Something in the object was written: what else is known of it may be what was.
    fn forget_known(&mut self, object: ObjId) {
        if let Some(flow) = self.flow() {
            flow.known.retain(|known| known.object != object);
        }
    }

    /// Before an access that is carried out: not to memory that threads share, which would not be listed; nor does it write to a variable of the
    /// thread's own that a loop carries of which one round stands for all.
    pub(crate) fn check_flow(&self, object: ObjId, kind: AccessKind) -> Result<(), Stop> {
        if !self.is_flow() {
            return Ok(());
        }
        if self.is_of_several(object) {
            return Err(self.leave_flow("what this call does to memory that threads share"));
        }
        if kind.writes() && self.is_of_another_round(object) {
            return Err(self.leave_flow(
                "a loop whose rounds are not counted writes to an array or a structure of the thread's own",
            ));
        }
        Ok(())
    }

    /// A pointer that was read from what nobody writes is one that the kernel was given.
    pub(crate) fn flow_bound(&mut self, op: &Op) {
        if let (Op::Load { dest, ty: Ty::Ptr, .. }, true) = (op, self.is_flow()) {
            let value = self.thread.frame().registers[dest.index()];
            if matches!(value, Value::Lazy { .. }) {
                let buffer = self.buffer_of(value);
                self.bind(*dest, buffer);
            }
        }
    }
}
