//! Accesses to memory: where they go, whether they may, and what the race check says.

use crate::access_log::LoggedRange;
use crate::step::atomic::place;
use crate::step::{StepCx, range_at};
use crate::{FaultKind, LoggedAccess, LossKind, Observed, PathEnd, Remedy, Repeats, Sighting, Stop};
use concurrency::{AccessKind, Action, Range, Record, Site, ThreadId};
use ir::{LoadOrder, Op, Operand, Space, Ty, TypeId};
use memory::{Byte, Life, ObjectKind, Part, Pointer, Stamp, Value};
use smt::TermId;
use std::rc::Rc;

/// Reads at a symbolic offset become array terms up to this many bytes; larger objects are read offset by offset.
const ARRAY_READ_LIMIT: u64 = 4096;

/// The result of locating an access.
pub(crate) enum Located {
    At(Pointer),
    /// Somewhere in the object; in bounds for the size asked about.
    Within(Pointer, TermId),
}

impl StepCx<'_> {
    /// What the operand's register points to, as far as declarations tell.
    pub(crate) fn hint(&self, operand: Operand) -> Option<TypeId> {
        let function = &self.module()[self.thread.frame().function];
        match operand {
            // The library takes memory by the byte, which tells nothing of what it holds.
            Operand::Reg(reg) if !function.library => function.register(reg).points_to,
            _ => None,
        }
    }

    /// The object and offset that an address names. Bounds of a symbolic offset are checked here, others in
    /// [`StepCx::check`].
    pub(crate) fn locate(&mut self, address: Value, size: u64, hint: Option<TypeId>) -> Result<Located, Stop> {
        match self.state.memory.settle(address) {
            Value::Ptr(pointer) => Ok(Located::At(pointer)),
            Value::Int(address) => self.locate_address(address).map(Located::At),
            Value::Lazy { pointer, .. } => Err(self.need_target(pointer, hint)),
            Value::Symbolic { object, offset, part } => self.locate_symbolic(object, offset, part, size),
            Value::Term(term) => {
                if let Some(known) = self.engine.terms.as_const(term).or_else(|| self.state.path.value(term)) {
                    return self.locate_address(known as u64).map(Located::At);
                }
                self.check_defined(term, "an uninitialised pointer is dereferenced")?;
                let shown = self.engine.terms.display(term);
                Err(self.abandon(LossKind::SymbolicAddress, format!("the address is the symbolic integer {shown}")))
            }
        }
    }

    fn locate_address(&self, address: u64) -> Result<Pointer, Stop> {
        if address < 4096 {
            return Err(self.fault(FaultKind::NullDereference, "a null pointer is dereferenced"));
        }
        self.state.memory.at_address(address).ok_or_else(|| {
            self.fault(FaultKind::OutOfBounds, format!("access to address {address:#x}, where no object is"))
        })
    }

    fn locate_symbolic(
        &mut self,
        object: memory::ObjId,
        offset: TermId,
        part: Part,
        size: u64,
    ) -> Result<Located, Stop> {
        if let Some(known) = self.state.path.value(offset) {
            return Ok(Located::At(Pointer::new(object, known as i64).within(part)));
        }
        let base = Pointer::new(object, 0).within(part);
        if let Some(bytes) = self.kept_to(base)
            && !self.leads_within(offset, bytes, size)?
        {
            return Err(self.out_of_part());
        }
        self.check_defined(offset, "an array index is uninitialised")?;
        let object_size = self.state.memory.object(object).size;
        let in_bounds = match object_size.checked_sub(size) {
            Some(last) => {
                let last = self.engine.terms.bv(64, u128::from(last));
                self.engine.terms.ule(offset, last)
            }
            None => self.engine.terms.fls(),
        };
        if !self.condition(in_bounds)? {
            let zero = self.engine.terms.bv(64, 0);
            let negative = self.engine.terms.slt(offset, zero);
            let before = self.initial(object).is_some() && self.condition(negative)?;
            // Which of its values are in bounds is a matter of the heap, in front of an array as behind it.
            if let Some(remedy) = self.larger(object, before) {
                return Err(self.abandon(LossKind::Unsupported, remedy));
            }
            self.pass_end(object, None)?;
            let shown = self.engine.terms.display(offset);
            return Err(self.fault(
                FaultKind::OutOfBounds,
                format!("access of {size} bytes at offset {shown} of an object of {object_size} bytes"),
            ));
        }
        Ok(Located::Within(base, offset))
    }

    /// The one place that an access goes to; an open offset is a choice among its values.
    pub(crate) fn locate_exactly(&mut self, address: Value, size: u64, hint: Option<TypeId>) -> Result<Pointer, Stop> {
        match self.locate(address, size, hint)? {
            Located::At(pointer) => Ok(pointer),
            Located::Within(base, offset) => {
                let offset = self.concrete(Value::Term(offset), Ty::Int(64))?;
                Ok(base.plus(offset as i64))
            }
        }
    }

    /// Reads a value at an address, with all checks.
    pub(crate) fn load_at(
        &mut self,
        address: Value,
        size: u64,
        hint: Option<TypeId>,
        atomic: bool,
    ) -> Result<Value, Stop> {
        let pointer = match self.locate(address, size, hint)? {
            Located::At(pointer) => pointer,
            Located::Within(base, offset) if !atomic && self.reads_as_array(base) => {
                return self.array_read(base, offset, size);
            }
            Located::Within(base, offset) => {
                let offset = self.concrete(Value::Term(offset), Ty::Int(64))?;
                base.plus(offset as i64)
            }
        };
        self.touch(pointer, size, AccessKind::Read, atomic)?;
        self.read(pointer, size)
    }

    /// Writes a value at an address, with all checks.
    pub(crate) fn store_at(
        &mut self,
        address: Value,
        size: u64,
        value: Value,
        hint: Option<TypeId>,
        atomic: bool,
    ) -> Result<(), Stop> {
        let pointer = self.locate_exactly(address, size, hint)?;
        self.touch(pointer, size, AccessKind::Write, atomic)?;
        self.write(pointer, size, value)
    }

    /// Reads without checks.
    pub(crate) fn read(&mut self, at: Pointer, size: u64) -> Result<Value, Stop> {
        let program = self.program;
        self.engine.statistics.reads += 1;
        let result = self.state.memory.read(&mut self.engine.terms, &program.module, &program.facts, at, size);
        let value = match self.decided(result)? {
            Value::Term(term) => self.simplest(term),
            other => self.state.memory.settle(other),
        };
        if self.engine.config.observe {
            self.state.observed.note_value(range_at(at, size), value, false);
        }
        Ok(value)
    }

    /// Writes without checks.
    pub(crate) fn write(&mut self, at: Pointer, size: u64, value: Value) -> Result<(), Stop> {
        let value = match value {
            // Cells hold whole bytes.
            Value::Term(term) if u64::from(self.engine.terms.width(term)) != size * 8 => {
                Value::Term(self.term_of(value, size as u32 * 8)?)
            }
            other => other,
        };
        self.engine.statistics.writes += 1;
        let result = self.state.memory.write(&mut self.engine.terms, at, size, value);
        self.decided(result)?;
        if self.engine.config.observe {
            self.state.observed.note_value(range_at(at, size), value, true);
        }
        Ok(())
    }

    /// Whether a read at a symbolic offset may become an array term: no other thread can tell the difference.
    fn reads_as_array(&self, base: Pointer) -> bool {
        let object = self.state.memory.object(base.object);
        object.size <= ARRAY_READ_LIMIT
            && object.is_live()
            && (object.constant && !self.may_be_set(object) || !self.state.concurrent)
            && (0..object.size as usize).all(|o| match object.contents.byte(o) {
                Byte::Concrete(_) => true,
                Byte::OfCell { value, .. } => matches!(value, Value::Term(_)),
                Byte::Undefined | Byte::Initial => false,
            })
    }

    fn array_read(&mut self, base: Pointer, offset: TermId, size: u64) -> Result<Value, Stop> {
        let length = self.state.memory.object(base.object).size;
        let range = Range { object: base.object, offset: 0, size: length };
        self.log_alone(range, AccessKind::Read);
        self.observe(range, AccessKind::Read, false);
        let zero = self.engine.terms.bv(8, 0);
        let mut array = self.engine.terms.const_array(zero);
        for index in 0..length {
            let value = self.read(base.plus(index as i64), 1)?;
            let byte = self.term_of(value, 8)?;
            if byte != zero {
                let at = self.engine.terms.bv(64, u128::from(index));
                array = self.engine.terms.store(array, at, byte);
            }
        }
        let mut whole = self.engine.terms.select(array, offset);
        for index in 1..size {
            let step = self.engine.terms.bv(64, u128::from(index));
            let at = self.engine.terms.add(offset, step);
            let byte = self.engine.terms.select(array, at);
            whole = self.engine.terms.concat(byte, whole);
        }
        Ok(self.simplest(whole))
    }

    /// Everything that comes before an access: stops if it is visible, tells the race check, checks lifetime and bounds.
    pub(crate) fn touch(&mut self, at: Pointer, size: u64, kind: AccessKind, atomic: bool) -> Result<(), Stop> {
        if self.state.concurrent && (atomic || self.engine.visible.contains(&self.site())) {
            self.visible(Action::Access {
                range: range_at(at, size),
                write: kind.writes(),
                also: None,
                expects: None,
            })?;
            self.state.hearsay |= !atomic;
        }
        self.perform(at, size, kind, atomic)
    }

    /// What an access comes to once it is the thread's turn.
    fn perform(&mut self, at: Pointer, size: u64, kind: AccessKind, atomic: bool) -> Result<(), Stop> {
        self.check_access(at, size, kind, atomic)?;
        if atomic {
            self.note_atomic_of_host(self.state.memory.object(at.object).home);
        }
        if atomic && self.state.concurrent && self.program.has_atomic_sections {
            // Atomic sections are ordered, but they do not race with atomic operations, which nothing orders with them.
            self.state.hearsay |= self.state.sync.atomic_section() != Some(self.thread.id);
        }
        let range = range_at(at, size);
        self.log_alone(range, kind);
        self.record(range, kind, atomic);
        Ok(())
    }

    /// [`StepCx::touch`] for an atomic access that reads. What was before the store that it reads from comes before it too, as far as the orders
    /// say so (C11 5.1.2.4p16), and so does not race with it.
    pub(crate) fn touch_reading(
        &mut self,
        at: Pointer,
        size: u64,
        kind: AccessKind,
        order: LoadOrder,
    ) -> Result<(), Stop> {
        if self.state.concurrent {
            let range = range_at(at, size);
            self.visible(Action::Access { range, write: kind.writes(), also: None, expects: None })?;
        }
        self.state.order.load(self.thread.id, place(at), order);
        self.perform(at, size, kind, true)
    }

    /// Tells the race check of an access that is part of another action.
    pub(crate) fn note_access(&mut self, range: Range, kind: AccessKind) {
        self.log_alone(range, kind);
        self.record(range, kind, false);
    }

    /// Notes an access of an operation that runs alone.
    fn log_alone(&mut self, range: Range, kind: AccessKind) {
        if self.engine.config.repeats != Repeats::Control {
            return;
        }
        let (frame, depth) = (self.thread.frame(), self.thread.frames.len());
        let block = self.module()[frame.function].block(frame.block);
        let steers = match block.insts.get(frame.inst).map(|inst| &inst.op) {
            Some(Op::Load { dest, .. }) => self.program.cfgs[frame.function.index()].steers(*dest),
            _ => true,
        };
        if kind != AccessKind::Write {
            self.state.accesses.push(LoggedRange { range, write: false, depth, steers });
        }
        if kind.writes() {
            self.state.accesses.push(LoggedRange { range, write: true, depth, steers });
        }
    }

    /// What comes before an instruction that accesses two places, or more of them than it can tell: stops if it is visible,
    /// for all of it at once.
    pub(crate) fn before_accesses(&mut self, range: Range, write: bool, also: Option<Range>) -> Result<(), Stop> {
        if self.is_visible() {
            self.visible(Action::Access { range, write, also, expects: None })?;
            self.state.hearsay = true;
        }
        Ok(())
    }

    /// Whether this is where another thread is known to race.
    pub(crate) fn is_visible(&self) -> bool {
        self.state.concurrent && self.engine.visible.contains(&self.site())
    }

    /// Lifetime, bounds, and whether the object may be written.
    pub(crate) fn check_access(&mut self, at: Pointer, size: u64, kind: AccessKind, atomic: bool) -> Result<(), Stop> {
        self.check_flow(at.object, kind)?;
        let object = self.state.memory.object(at.object);
        if !object.is_live() {
            return Err(self.dead(at, size, kind, atomic));
        }
        if let ObjectKind::Function(_) = object.kind {
            return Err(self.fault(FaultKind::OutOfBounds, "a function is accessed as if it were data"));
        }
        if let Some(detail) = self.out_of_reach(object.home) {
            return Err(self.fault(FaultKind::ForeignAccess, detail));
        }
        // Before the bounds of the object: that it may be part of a larger one makes no part of it larger.
        if let Some(bytes) = self.kept_to(at) {
            let (start, end) = (i128::from(at.offset), i128::from(at.offset) + i128::from(size));
            if start < i128::from(bytes.start) || end > i128::from(bytes.end) {
                return Err(self.out_of_part());
            }
        }
        if !object.contains(at.offset, size) {
            let bytes = object.size;
            if let Some(remedy) = self.elsewhere(at.object, at.offset < 0) {
                let is_shared =
                    matches!(object.kind, ObjectKind::Global(id) if self.module()[id].space == Space::Shared);
                if is_shared && at.offset >= 0 {
                    self.engine.assumed.shared = self.engine.assumed.shared.max(at.offset as u64 + size);
                }
                return Err(self.abandon(LossKind::Unsupported, remedy));
            }
            if at.offset >= 0 {
                self.pass_end(at.object, Some(at.offset as u64 + size))?;
                self.exceed(at.object, size, bytes)?;
            }
            let detail = format!("access of {size} bytes at offset {} of an object of {bytes} bytes", at.offset);
            return Err(self.fault(FaultKind::OutOfBounds, detail));
        }
        if kind.writes() && object.constant && !self.sets_constants(object) {
            return Err(self.fault(FaultKind::OutOfBounds, "a constant object is written"));
        }
        Ok(())
    }

    /// The bytes that accesses through a pointer are kept to: those of the array in a record, or of the member, that it leads to (C11
    /// 6.5.6p8). Elsewhere in the object would be another member's bytes, of which others may know something, and in a library's
    /// heap that is a failure of the run alone.
    fn kept_to(&self, at: Pointer) -> Option<std::ops::Range<u64>> {
        let bytes = at.part.bytes()?;
        let is_checked = self.engine.config.member_bounds || self.state.library && self.initial(at.object).is_some();
        is_checked.then_some(bytes)
    }

    /// Whether an access of `size` bytes lies within a range of its object.
    fn leads_within(&mut self, offset: TermId, bytes: std::ops::Range<u64>, size: u64) -> Result<bool, Stop> {
        let terms = &mut self.engine.terms;
        let Some(last) = (bytes.end - bytes.start).checked_sub(size) else { return Ok(false) };
        let (start, last) = (terms.bv(64, u128::from(bytes.start)), terms.bv(64, u128::from(last)));
        let from_start = terms.sub(offset, start);
        let inside = terms.ule(from_start, last);
        self.condition(inside)
    }

    fn out_of_part(&self) -> Stop {
        self.fault(FaultKind::OutOfBounds, "a pointer leads out of the array, or the member, that it was made for")
    }

    /// How many bytes there are from a pointer on, as far as it may be moved.
    pub(crate) fn rest_of(&self, at: Pointer) -> u64 {
        let end = self.kept_to(at).map_or(self.state.memory.object(at.object).size, |bytes| bytes.end);
        end.saturating_sub(at.offset.max(0) as u64)
    }

    /// Why what lies outside of an object may be something in a heap that is not explored, so that an access to it proves
    /// nothing. `before`: in front of it.
    fn elsewhere(&self, object: memory::ObjId, before: bool) -> Option<&'static str> {
        let in_front = || {
            self.initial(object).filter(|_| before)?;
            Some("an array may begin in front of where a pointer leads; only those that begin there are explored")
        };
        self.larger(object, before).or_else(in_front)
    }

    /// The same where an object may be larger, or part of a larger one.
    fn larger(&self, object: memory::ObjId, before: bool) -> Option<&'static str> {
        let (module, known) = (self.module(), self.state.memory.object(object));
        if let ObjectKind::Global(id) = known.kind
            && module[id].init == ir::Init::External
        {
            return Some(match module[id].space {
                // A host says how much there is.
                Space::Shared if self.state.host.is_some() => return None,
                Space::Shared => {
                    "dynamic shared memory has as many bytes as the launch gives: --shared with a larger number"
                }
                _ => "an object whose size only another file knows; add that file",
            });
        }
        let initial = self.initial(object)?;
        let record = module.is_record(initial.ty);
        // Behind an array at its end is what lies beyond `--array`.
        let tail = !before && self.program.facts.has_tail(module, initial.ty);
        if record && initial.count == 1 && !tail {
            return Some(
                "an object may be part of a larger one (container_of, a cast); \
                 only objects of the declared type are explored",
            );
        }
        None
    }

    /// The end of a kernel's buffer is passed, which has as many elements as the bound on arrays says: it would need so many bytes, if that
    /// is known.
    fn pass_end(&mut self, object: memory::ObjId, bytes: Option<u64>) -> Result<(), Stop> {
        let element = |initial: &memory::InitialObject| self.module().size_of(initial.ty);
        let Some(element) = self.state.launch().and_then(|_| self.initial(object).and_then(element)) else {
            return Ok(());
        };
        let elements = bytes.map_or(0, |bytes| bytes.div_ceil(element.max(1)));
        self.engine.assumed.elements = self.engine.assumed.elements.max(elements);
        if self.engine.config.open_ended {
            let most = self.state.memory.shape().limits.array;
            return Err(self.abandon(LossKind::ArrayBound, Remedy::Elements(elements.max(2 * most))));
        }
        Ok(())
    }

    /// More bytes are accessed at once than an array has that has as many elements as the bound says: on no heap within the bounds does the
    /// call come further.
    fn exceed(&mut self, object: memory::ObjId, size: u64, bytes: u64) -> Result<(), Stop> {
        let element = |initial: &memory::InitialObject| self.module().size_of(initial.ty);
        let Some(element) = self.initial(object).filter(|_| self.state.library && size > bytes).and_then(element)
        else {
            return Ok(());
        };
        Err(self.abandon(LossKind::ArrayBound, Remedy::Elements(size.div_ceil(element.max(1)))))
    }

    /// The object that a lazy pointer made, if it is one.
    pub(crate) fn initial(&self, object: memory::ObjId) -> Option<&memory::InitialObject> {
        self.state.memory.shape().object(object).filter(|initial| !initial.global)
    }

    /// An access to an object whose lifetime is over: a race if the end is unordered with it, else a fault.
    fn dead(&mut self, at: Pointer, size: u64, kind: AccessKind, atomic: bool) -> Stop {
        self.give_up_block();
        let before = self.engine.sightings.len();
        let range = range_at(at, size);
        // The access does not take place, so it leaves no trace for others to race with.
        self.sight(range, kind, atomic, false);
        let raced = self.engine.sightings[before..].iter().any(|s| s.earlier.kind == AccessKind::Free);
        let dead = self.state.memory.object(at.object);
        if raced && dead.life == Life::Freed {
            return Stop::End(PathEnd::Raced);
        }
        let detail = match (dead.life, dead.kind) {
            (Life::Ended, ObjectKind::Global(id)) if self.module()[id].space == Space::Shared => {
                "access to shared memory of a launch that is over"
            }
            (Life::Ended, ObjectKind::Global(_)) => "access to a thread-local variable of a thread that has ended",
            (Life::Ended, _) => "access to a local variable whose block has been left",
            _ => "access to freed memory",
        };
        self.fault_on(at.object, FaultKind::UseAfterFree, detail)
    }

    /// Tells the race check of an access.
    pub(crate) fn record(&mut self, range: Range, kind: AccessKind, atomic: bool) {
        self.sight(range, kind, atomic, true);
    }

    /// An object begins: to those who come to it without an order it may not be there yet, so that this is a write to all of it, as its end
    /// is. No access of the code's: whoever looks for another to race with it does not want it.
    pub(crate) fn record_beginning(&mut self, range: Range) {
        let object = self.state.memory.object(range.object);
        if self.state.concurrent && !object.guarded {
            let record = Record { begins: true, ..self.record_of(self.site(), AccessKind::Write, false) };
            self.sight_in_order(range, record, true);
        }
    }

    /// [`StepCx::record`] of an access that is not atomic and was made elsewhere on the way here.
    pub(crate) fn record_from(&mut self, site: Site, range: Range, kind: AccessKind) {
        self.sight_from(site, range, (kind, false), true);
    }

    /// Looks for races with an access, and notes it if it happens.
    fn sight(&mut self, range: Range, kind: AccessKind, atomic: bool, happens: bool) {
        self.sight_from(self.site(), range, (kind, atomic), happens);
    }

    fn sight_from(&mut self, site: Site, range: Range, (kind, atomic): (AccessKind, bool), happens: bool) {
        let object = self.state.memory.object(range.object);
        // What the runtime of a device writes is no constant.
        let is_set = object.constant && self.may_be_set(object);
        if object.constant && !is_set || object.guarded {
            return;
        }
        self.observe_from(site, range, kind, atomic);
        if self.state.concurrent {
            let record = self.record_of(site, kind, atomic);
            self.sight_in_order(range, record, happens);
        }
    }

    fn sight_in_order(&mut self, range: Range, later: Record, happens: bool) {
        let thread = later.thread;
        if self.hold_back(range, later) {
            return;
        }
        if self.engine.log.is_some() {
            let held = self.state.sync.held(thread);
            let logged = LoggedAccess { record: later, range, backtrace: self.backtrace(), held };
            self.engine.log.get_or_insert_default().push(logged);
        }
        if self.engine.config.open_accesses && happens {
            Rc::make_mut(&mut self.thread.open).insert((range, later.side(), later.epoch));
        }
        let mut races = Vec::new();
        if happens {
            self.state.shadow.access(&self.state.order, range, later, &mut races);
        } else {
            self.state.shadow.conflicts(&self.state.order, range, later, &mut races);
        }
        leave_out_beginnings(&mut races);
        for (earlier_range, earlier) in races {
            let gpu = self.gpu_race(&earlier, &later);
            self.engine.sightings.push(Sighting { earlier, earlier_range, later, later_range: range, gpu });
        }
    }

    fn record_of(&mut self, site: Site, kind: AccessKind, atomic: bool) -> Record {
        let thread = self.thread.id;
        // Accesses in two atomic sections do not race with each other.
        let atomic = atomic || self.state.sync.atomic_section() == Some(thread);
        let epoch = self.state.order.clock(thread).get(thread);
        let context = if self.is_on_device() { self.context() } else { 0 };
        // Volatile accesses are relaxed at the system's scope (PTX ISA, `ld.volatile`), and so is what no function gives a scope.
        let scope = self.thread.scope;
        Record { thread, site, kind, atomic, begins: false, scope, context, epoch, time: self.state.time }
    }

    /// Keeps an access for whoever looks for another to race with it, if one may.
    fn observe(&mut self, range: Range, kind: AccessKind, atomic: bool) {
        self.observe_from(self.site(), range, kind, atomic);
    }

    fn observe_from(&mut self, site: Site, range: Range, kind: AccessKind, atomic: bool) {
        let config = self.engine.config;
        let alone = config.repeats == Repeats::Control || self.engine.boundary.is_some();
        if !config.observe || !(alone || self.state.concurrent) || !self.is_observed() || self.state.observed.is_full()
        {
            return;
        }
        let record = self.record_of(site, kind, atomic);
        let held = self.state.sync.held(record.thread).into();
        let access = Observed::Access { record, range, held, read: None, written: None };
        self.state.observed.push(access);
    }

    /// An object was handed to `free`.
    pub(crate) fn free(&mut self, at: Pointer) -> Result<(), Stop> {
        let object = self.state.memory.object(at.object);
        let (kind, life, size, address) = (object.kind, object.life, object.size, object.address);
        if !matches!(kind, ObjectKind::Heap | ObjectKind::Initial) {
            return Err(self.fault(FaultKind::InvalidFree, "memory that malloc did not return is freed"));
        }
        if let Some(detail) = self.not_ours_to_free(object.home) {
            return Err(self.fault(FaultKind::InvalidFree, detail));
        }
        if at.offset < 0
            && let Some(remedy) = self.elsewhere(at.object, true)
        {
            return Err(self.abandon(LossKind::Unsupported, remedy));
        }
        if at.offset != 0 {
            return Err(self.fault(FaultKind::InvalidFree, "a pointer into the middle of a block is freed"));
        }
        let range = Range { object: at.object, offset: 0, size: size.max(1) };
        self.before_accesses(range, true, None)?;
        if life != Life::Live {
            let stop = self.dead(at, size.max(1), AccessKind::Free, false);
            return Err(match stop {
                Stop::End(PathEnd::Fault(_)) => {
                    self.fault_on(at.object, FaultKind::DoubleFree, "memory is freed twice")
                }
                raced => raced,
            });
        }
        self.log_alone(range, AccessKind::Free);
        self.record(range, AccessKind::Free, false);
        self.forget_sync(at.object);
        self.state.memory.end(at.object, Life::Freed);
        let (arena, id) = (self.thread.arena, self.thread.id);
        let allocator = self.state.memory.allocator_mut();
        match kind {
            ObjectKind::Heap if allocator.owns(arena, address) => allocator.release(arena, address, size),
            ObjectKind::Heap => {
                let when = self.state.order.clock(id).get(id);
                allocator.release_later(address, size, Stamp { who: id.index(), when });
            }
            _ => {}
        }
        Ok(())
    }

    /// A limit on what one allocation may ask for.
    pub(crate) fn check_size(&self, size: u64) -> Result<(), Stop> {
        const LARGEST: u64 = 1 << 28;
        if size <= LARGEST {
            return Ok(());
        }
        let remedy = format!("an object of more than {} MiB, which is more than raddle allocates", LARGEST >> 20);
        Err(self.abandon(LossKind::Unsupported, remedy))
    }
}

/// Leaves out races with the beginning of an object to which its maker has written since: that says it better that the object is given
/// away without an order.
pub(crate) fn leave_out_beginnings(races: &mut Vec<(Range, Record)>) {
    let writers: Vec<ThreadId> =
        races.iter().filter(|(_, record)| !record.begins).map(|(_, record)| record.thread).collect();
    races.retain(|(_, record)| !record.begins || !writers.contains(&record.thread));
}
