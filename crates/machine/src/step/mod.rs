//! One function per instruction.
//!
//! [`step`] only dispatches. A function reads its operands, raises its faults, and commits its result last: until then it
//! may stop for a choice or a visible action and be executed again.

mod arithmetic;
pub(crate) mod atomic;
mod atomic_section;
mod call;
mod control;
mod ending;
mod external;
mod fast;
mod float;
mod memory;
mod merge;
mod opaque;
mod weak;

pub(crate) use arithmetic::{equal, truncate};
pub(crate) use atomic_section::{begin_atomic_section, end_atomic_section, enter_function, is_atomic_section};
pub(crate) use call::{Call, enter, fingerprint_of, next_extra, returns, succeeds};
pub(crate) use control::{
    Way, before_leaving, end_locals_of, end_thread, exit_process, finish_call, leave_process, others_live, pop_frame,
};
pub(crate) use ending::wind_up;
pub(crate) use float::{bits_of, indeterminate, value_of};
pub(crate) use memory::{block, copy_bytes, move_bytes, narrowed, range_at, set_bytes, thread_local_object};

use crate::{
    Applied, Backtrace, Choice, Engine, Fault, FaultKind, Input, LedgerEntry, LossKind, PathEnd, Program, Remedy,
    Repeats, State, Status, Stop, Thread,
};
use ::memory::{LazyId, Need, Stamp, Value};
use concurrency::{Action, Misuse, Site, ThreadId};
use ir::{Module, Op, Operand, Reg, Ty};
use smt::TermId;

/// Instructions between two looks at the clock: a few milliseconds.
const STEPS_UNWATCHED: u64 = 1 << 16;

/// What symbols are called that bytes of synchronisation objects hold.
pub(crate) const LOCK_BYTES: &str = "bytes of a lock at ";

const COMPUTES_WITH_ADDRESS: &str = "the program computes with an address; other addresses are possible";

/// What an instruction works on.
pub(crate) struct StepCx<'a> {
    pub engine: &'a mut Engine,
    pub state: &'a mut State,
    pub thread: &'a mut Thread,
    pub program: &'a Program,
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    /// The instruction has set the position itself.
    Elsewhere,
}

pub(crate) type Done = Result<Flow, Stop>;

/// Runs the thread until it stops.
pub(crate) fn run(cx: &mut StepCx) -> Stop {
    loop {
        fast::run(cx);
        if cx.is_writing() {
            cx.write_down();
        }
        if let Err(stop) = step(cx) {
            // What is decided or noticed by others is no part of a summary.
            cx.stop_writing();
            cx.came_here();
            return stop;
        }
        if cx.is_writing() {
            cx.end_writing();
        }
    }
}

fn step(cx: &mut StepCx) -> Result<(), Stop> {
    let program = cx.program;
    let frame = cx.thread.frame();
    let block = program.module[frame.function].block(frame.block);
    let at = frame.inst;
    if cx.thread.quiet_steps >= cx.engine.config.quiet_steps {
        step_bound(cx)?;
    }
    if cx.engine.statistics.instructions % STEPS_UNWATCHED == STEPS_UNWATCHED - 1 && cx.engine.is_interrupted() {
        return Err(Stop::Interrupted);
    }
    let in_lockstep = cx.is_in_lockstep();
    if in_lockstep {
        cx.keep_in_step(block.insts.get(at).map(|inst| &inst.op))?;
    }
    cx.thread.quiet_steps += 1;
    let flow = match block.insts.get(at) {
        Some(inst) => match cx.flow_step(&inst.op)? {
            Some(flow) => flow,
            None => {
                let flow = execute(cx, &inst.op)?;
                cx.flow_bound(&inst.op);
                flow
            }
        },
        None => control::terminate(cx, &block.terminator)?,
    };
    cx.engine.statistics.instructions += 1;
    cx.thread.granted = false;
    cx.thread.settled.clear();
    if in_lockstep {
        cx.end_step();
    }
    if flow == Flow::Next {
        cx.thread.frame_mut().inst = at + 1;
    }
    Ok(())
}

/// A thread has long done nothing that others may notice. That is its own business as long as nobody else is there.
fn step_bound(cx: &StepCx) -> Result<(), Stop> {
    if cx.engine.config.repeats == Repeats::Control {
        return Err(cx.abandon(LossKind::StepBound, "the operation may not end; a precondition would say so"));
    }
    let alive = |thread: &Thread| thread.id != cx.thread.id && thread.status != Status::Ended;
    if cx.state.threads.iter().any(|thread| alive(thread)) {
        return Err(
            cx.abandon(LossKind::StepBound, "this thread may go on for ever without the others; bound its loop")
        );
    }
    Ok(())
}

fn execute(cx: &mut StepCx, op: &Op) -> Done {
    match op {
        Op::Binary { dest, op, ty, lhs, rhs } => arithmetic::binary(cx, *dest, *op, *ty, *lhs, *rhs),
        Op::Compare { dest, predicate, ty, lhs, rhs } => arithmetic::compare(cx, *dest, *predicate, *ty, *lhs, *rhs),
        Op::Cast { dest, kind, from, to, value } => arithmetic::cast(cx, *dest, *kind, *from, *to, *value),
        Op::Select { dest, ty, condition, if_true, if_false } => {
            arithmetic::select(cx, *dest, *ty, *condition, *if_true, *if_false)
        }
        Op::Overflow { dest, overflow, op, ty, lhs, rhs } => {
            arithmetic::overflow(cx, *dest, *overflow, *op, *ty, *lhs, *rhs)
        }
        Op::Bits { dest, op, ty, lhs, rhs } => arithmetic::bits(cx, *dest, *op, *ty, *lhs, *rhs),
        Op::Float { dest, op, ty, operands } => float::compute(cx, *dest, *op, *ty, operands),
        Op::FloatCompare { dest, predicate, ty, lhs, rhs } => float::compare(cx, *dest, *predicate, *ty, *lhs, *rhs),
        Op::FloatCast { dest, kind, from, to, value } => float::convert(cx, *dest, *kind, *from, *to, *value),
        Op::FloatClass { dest, ty, value, classes } => float::class(cx, *dest, *ty, *value, *classes),
        Op::Offset { dest, base, constant, indices, within, part, .. } => {
            memory::offset(cx, *dest, *base, *constant, indices, (*within, *part))
        }
        Op::Alloca { dest, size, count, align, ty, name } => {
            memory::alloca(cx, *dest, *size, *count, *align, *ty, name.as_deref())
        }
        Op::Load { dest, ty, address, volatile: true, order: None } if cx.engine.config.relaxed_volatile => {
            atomic::volatile_load(cx, *dest, *ty, *address)
        }
        Op::Store { ty, address, value, volatile: true, order: None } if cx.engine.config.relaxed_volatile => {
            atomic::volatile_store(cx, *ty, *address, *value)
        }
        Op::Load { dest, ty, address, order: None, .. } => memory::load(cx, *dest, *ty, *address),
        Op::Load { dest, ty, address, order: Some(order), .. } => atomic::load(cx, *dest, *ty, *address, *order),
        Op::Store { ty, address, value, order: None, .. } => memory::store(cx, *ty, *address, *value),
        Op::Store { ty, address, value, order: Some(order), .. } => atomic::store(cx, *ty, *address, *value, *order),
        Op::AtomicRmw { dest, op, ty, address, value, order } => {
            atomic::rmw(cx, *dest, *op, *ty, *address, *value, *order)
        }
        Op::CompareExchange { old, success, ty, address, expected, new, weak, success_order, failure_order } => {
            let exchange = atomic::Exchange { ty: *ty, address: *address, expected: *expected, new: *new, weak: *weak };
            atomic::compare_exchange(cx, *old, *success, exchange, *success_order, *failure_order)
        }
        Op::Fence { order, single_thread } => atomic::fence(cx, *order, *single_thread),
        Op::Call { dests, callee, args } => call::call(cx, dests, callee, args),
        Op::MemCopy { to, from, length, may_overlap } => memory::copy(cx, *to, *from, *length, *may_overlap),
        Op::MemSet { to, byte, length } => memory::set(cx, *to, *byte, *length),
        Op::Uninit { dest, ty } => memory::uninit(cx, *dest, *ty),
        Op::ThreadLocal { dest, global } => memory::thread_local(cx, *dest, *global),
        Op::VaStart { list } => call::va_start(cx, *list),
        Op::VaEnd { .. } => Ok(Flow::Next),
        Op::VaCopy { to, from } => call::va_copy(cx, *to, *from),
        Op::Aligned { address, align } => memory::aligned(cx, *address, *align),
        Op::LocalBegin { variable } => memory::local_begin(cx, *variable),
        Op::LocalEnd { variable } => memory::local_end(cx, *variable),
        Op::StackSave { dest } => memory::stack_save(cx, *dest),
        Op::StackRestore { saved } => memory::stack_restore(cx, *saved),
        Op::Unsupported { what, .. } => Err(cx.abandon(LossKind::Unsupported, format!("{what} is not supported yet"))),
    }
}

/// [`StepCx::misuse`] where the state is borrowed.
pub(crate) fn misuse_at(program: &Program, thread: &Thread, misuse: Misuse) -> Stop {
    Stop::End(PathEnd::Fault(Fault {
        kind: FaultKind::LockMisuse,
        detail: misuse.to_string(),
        thread: thread.id,
        backtrace: Backtrace::of(program, thread),
        misuse: Some(misuse),
        gone: None,
    }))
}

impl<'a> StepCx<'a> {
    pub(crate) fn module(&self) -> &'a Module {
        &self.program.module
    }

    /// The instruction of the program's own that is being carried out: in raddle's C library, the call.
    pub(crate) fn site(&self) -> Site {
        self.program.site(self.program.own_frame(self.thread))
    }

    /// The very instruction that is being carried out.
    pub(crate) fn exact_site(&self) -> Site {
        self.program.site(self.thread.frame())
    }

    pub(crate) fn backtrace(&self) -> Backtrace {
        Backtrace::of(self.program, self.thread)
    }

    /// The program is wrong here.
    pub(crate) fn fault(&self, kind: FaultKind, detail: impl Into<String>) -> Stop {
        let mut detail = detail.into();
        if let Some((name, _)) = self.program.library_call(self.thread) {
            detail.push_str(&format!(" (in `{name}`)"));
        }
        let fault =
            Fault { kind, detail, thread: self.thread.id, backtrace: self.backtrace(), misuse: None, gone: None };
        Stop::End(PathEnd::Fault(fault))
    }

    /// [`StepCx::fault`] about memory that is no more.
    pub(crate) fn fault_on(&self, gone: ::memory::ObjId, kind: FaultKind, detail: &str) -> Stop {
        match self.fault(kind, detail) {
            Stop::End(PathEnd::Fault(fault)) => Stop::End(PathEnd::Fault(Fault { gone: Some(gone), ..fault })),
            other => other,
        }
    }

    pub(crate) fn misuse(&self, misuse: Misuse) -> Stop {
        match self.fault(FaultKind::LockMisuse, misuse.to_string()) {
            Stop::End(PathEnd::Fault(fault)) => Stop::End(PathEnd::Fault(Fault { misuse: Some(misuse), ..fault })),
            other => other,
        }
    }

    /// We give up here.
    pub(crate) fn abandon(&self, kind: LossKind, remedy: impl Into<Remedy>) -> Stop {
        let site = self.backtrace().place(self.module()).into();
        Stop::End(PathEnd::Abandoned(Box::new(LedgerEntry { kind, site, remedy: remedy.into() })))
    }

    pub(crate) fn note(&mut self, kind: LossKind, remedy: impl Into<Remedy>) {
        let place = self.backtrace().place(self.module());
        self.engine.note(kind, place, remedy);
    }

    /// Stops before `action` unless it was granted.
    pub(crate) fn visible(&mut self, action: Action) -> Result<(), Stop> {
        if self.thread.granted { Ok(()) } else { Err(Stop::Visible(action)) }
    }

    /// Size of the target's pointers.
    pub(crate) fn pointer(&self) -> ir::PointerSize {
        self.program.module.pointer
    }

    /// Width of a scalar in bits.
    pub(crate) fn bits(&self, ty: Ty) -> u16 {
        ty.bits(self.pointer())
    }

    /// Bytes that a load or store of a scalar touches.
    pub(crate) fn size(&self, ty: Ty) -> u64 {
        ty.store_size(self.pointer())
    }

    /// An address for a block of the heap.
    pub(crate) fn heap_address(&mut self, size: u64, align: u64) -> Result<u64, Stop> {
        let clock = self.state.order.clock(self.thread.id);
        let is_past = |freed: Stamp| freed.when <= clock.get(ThreadId::new(freed.who));
        let found = self.state.memory.allocator_mut().heap(self.thread.arena, size, align, is_past);
        found.ok_or_else(|| self.no_room())
    }

    /// An address for an automatic object.
    pub(crate) fn stack_address(&mut self, size: u64, align: u64) -> Result<u64, Stop> {
        let found = self.state.memory.allocator_mut().stack(self.thread.arena, size, align);
        found.ok_or_else(|| self.no_room())
    }

    fn no_room(&self) -> Stop {
        self.abandon(LossKind::Unsupported, "more memory than raddle gives a thread of a 32-bit program")
    }

    /// What an operand holds.
    pub(crate) fn operand(&mut self, operand: Operand, ty: Ty) -> Value {
        match operand {
            Operand::Reg(reg) => self.state.memory.settle(self.thread.frame().registers[reg.index()]),
            Operand::Int(bits) => Value::Int(bits),
            Operand::Wide(id) => Value::Term(self.engine.terms.bv(u32::from(self.bits(ty)), self.module()[id])),
            Operand::Global(global, offset) => match self.state.memory.global(global) {
                Some(object) => Value::Ptr(::memory::Pointer::new(object, offset)),
                None => Value::NULL,
            },
            Operand::Func(function) => match self.state.memory.function_object(function) {
                Some(object) => Value::Ptr(::memory::Pointer::to(object)),
                None => Value::NULL,
            },
            Operand::Undef => {
                let name = format!("undef@{}", self.exact_site());
                Value::Term(self.engine.terms.uninit_var(&name, u32::from(self.bits(ty))))
            }
        }
    }

    /// An operand as a term of its type's width.
    pub(crate) fn term(&mut self, operand: Operand, ty: Ty) -> Result<TermId, Stop> {
        let value = self.operand(operand, ty);
        self.term_of(value, u32::from(self.bits(ty)))
    }

    pub(crate) fn term_of(&mut self, value: Value, width: u32) -> Result<TermId, Stop> {
        let result = self.state.memory.term_of(&mut self.engine.terms, value, width);
        self.decided(result)
    }

    /// Turns memory's wish for a decision into a stop.
    pub(crate) fn decided<T>(&mut self, result: Result<T, Need>) -> Result<T, Stop> {
        result.map_err(|Need::Target(pointer)| self.need_target(pointer, None))
    }

    /// Stops for the target of a lazy pointer; `hint` types a `void *`.
    pub(crate) fn need_target(&mut self, pointer: LazyId, hint: Option<ir::TypeId>) -> Stop {
        let shape = self.state.memory.shape();
        if shape.pointee(self.module(), pointer).is_none() {
            match hint.filter(|&ty| self.module().size_of(ty).is_some_and(|size| size > 0)) {
                Some(ty) => self.state.memory.shape_mut().set_pointee(pointer, ty),
                None => {
                    let path = shape.pointer(pointer).path.clone();
                    return self.abandon(
                        LossKind::UntypedPointer,
                        format!("what `{path}` points to cannot be told; give it a type other than void *"),
                    );
                }
            }
        }
        // An incomplete type has no size, so no object of it can be made: only null is explored, and that is said.
        let sized = |ty| match self.module()[self.module().strip(ty)] {
            ir::DebugType::Function { .. } => true,
            _ => self.module().size_of(ty).is_some_and(|size| size > 0),
        };
        let shape = self.state.memory.shape();
        if !shape.pointee(self.module(), pointer).is_some_and(sized) {
            let remedy = format!("`{}` points to an incomplete type; give its definition", shape.pointer(pointer).path);
            self.note(LossKind::UntypedPointer, remedy);
        }
        Stop::Choice(Choice::Target(pointer))
    }

    /// A value as an integer: concrete, or a term. Pointers become addresses, and what is computed with these holds for
    /// one way only in which memory may be laid out.
    pub(crate) fn integer(&mut self, value: Value, ty: Ty) -> Result<Value, Stop> {
        match self.state.memory.settle(value) {
            done @ (Value::Int(_) | Value::Term(_)) => Ok(done),
            Value::Ptr(pointer) => {
                self.note(LossKind::Concretized, COMPUTES_WITH_ADDRESS);
                Ok(Value::Int(self.state.memory.address(pointer)))
            }
            other => {
                // Of a flow all is claimed that follows, wherever its buffers are.
                if self.is_flow() && matches!(other, Value::Symbolic { .. }) {
                    self.note(LossKind::Concretized, COMPUTES_WITH_ADDRESS);
                }
                Ok(Value::Term(self.term_of(other, u32::from(self.bits(ty)))?))
            }
        }
    }

    /// Sets a register.
    pub(crate) fn bind(&mut self, reg: Reg, value: Value) {
        self.thread.frame_mut().registers[reg.index()] = value;
    }

    /// Sets a register to a term, or to the integer that it is.
    pub(crate) fn bind_term(&mut self, reg: Reg, term: TermId) {
        let value = self.simplest(term);
        self.bind(reg, value);
    }

    pub(crate) fn simplest(&self, term: TermId) -> Value {
        match self.engine.terms.as_const(term) {
            Some(bits) if self.engine.terms.width(term) <= 64 => Value::Int(bits as u64),
            _ => Value::Term(term),
        }
    }

    /// Whether a one-bit value holds; stops when that is open. A value that depends on uninitialised data faults.
    pub(crate) fn holds(&mut self, value: Value) -> Result<bool, Stop> {
        let term = match value {
            Value::Int(bits) => return Ok(bits & 1 != 0),
            other => self.term_of(other, 1)?,
        };
        self.condition(term)
    }

    /// Whether a one-bit term holds; stops when that is open.
    pub(crate) fn condition(&mut self, term: TermId) -> Result<bool, Stop> {
        if let Some(known) = self.engine.terms.as_const(term) {
            return Ok(known != 0);
        }
        if let Some(known) = self.state.path.decided(term).filter(|_| self.is_settled(term)) {
            return Ok(known);
        }
        self.check_defined(term, "a branch depends on an uninitialised value")?;
        Err(Stop::Choice(Choice::Condition(term)))
    }

    /// Whether what is known of a term need not be decided by this thread as well.
    fn is_settled(&self, term: TermId) -> bool {
        !self.engine.config.unfolding || self.thread.settled.contains(&term)
    }

    /// The value of a term, where that is known.
    pub(crate) fn known_value(&self, term: TermId) -> Option<u128> {
        let decided = || self.state.path.value(term).filter(|_| self.is_settled(term));
        self.engine.terms.as_const(term).or_else(decided)
    }

    /// Faults when the value of `term` depends on uninitialised data.
    pub(crate) fn check_defined(&mut self, term: TermId, detail: &str) -> Result<(), Stop> {
        if self.depends_on_uninitialised(term)? {
            let terms = &self.engine.terms;
            let mut names = terms.vars(term).iter().map(|&index| &terms.variable(index).name);
            let locks = names.any(|name| name.starts_with(LOCK_BYTES));
            let whose = if locks { " (the bytes of a lock are its library's)" } else { "" };
            return Err(self.fault(FaultKind::UninitializedRead, format!("{detail}{whose}")));
        }
        Ok(())
    }

    /// Whether the value of `term` depends on uninitialised data.
    pub(crate) fn depends_on_uninitialised(&mut self, term: TermId) -> Result<bool, Stop> {
        if self.engine.config.any_indeterminate || !self.engine.terms.has_uninit(term) {
            return Ok(false);
        }
        // Self-composition: is there one input for which two fillings of the indeterminate bytes differ?
        let other = self.engine.terms.rename_uninit(term);
        let differ = self.engine.terms.ne(term, other);
        let path = self.state.path.terms();
        let answer = self.engine.solver.may_be_true(&mut self.engine.terms, path, differ);
        match answer.map_err(crate::EngineError::from)? {
            smt::Tri::No => Ok(false),
            smt::Tri::Yes => Ok(true),
            smt::Tri::Unknown(reason) => {
                let path = self.state.path.terms();
                let remedy = crate::engine::unknown_remedy(&self.engine.terms, differ, path, reason);
                Err(self.abandon(LossKind::SolverUnknown, remedy))
            }
        }
    }

    /// The concrete value of a term; stops when it is open.
    pub(crate) fn concrete(&mut self, value: Value, ty: Ty) -> Result<u64, Stop> {
        match self.integer(value, ty)? {
            Value::Int(bits) => Ok(bits),
            Value::Term(term) => {
                if let Some(known) = self.known_value(term) {
                    return Ok(known as u64);
                }
                self.check_defined(term, "a size or an address depends on an uninitialised value")?;
                Err(Stop::Choice(Choice::Value(term)))
            }
            Value::Ptr(_) | Value::Symbolic { .. } | Value::Lazy { .. } => Ok(0),
        }
    }

    /// Notes what the program takes in.
    pub(crate) fn add_input(&mut self, name: String, size: u64, symbols: Vec<TermId>) {
        let (thread, site) = (self.thread.id, Some(self.site()));
        self.state.take_in(Input { name, size, symbols, floating: false, thread, site, reading: None, applied: None });
    }

    /// A floating-point number as input.
    pub(crate) fn add_number(&mut self, name: String, size: u64, symbol: TermId, applied: Option<Applied>) {
        let (thread, site, symbols) = (self.thread.id, Some(self.site()), vec![symbol]);
        self.state.take_in(Input { name, size, symbols, floating: true, thread, site, reading: None, applied });
    }

    /// The environment's pick among `count`; stops when it was not made.
    pub(crate) fn pick(&mut self, count: u32) -> Result<u32, Stop> {
        match self.state.pick.take() {
            Some(index) => Ok(index),
            None => Err(Stop::Choice(Choice::Pick { count })),
        }
    }
}
