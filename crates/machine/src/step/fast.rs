//! The fast path: runs of instructions on concrete values, as long as nothing has to be decided or told to anybody.
//!
//! [`run`] carries out what it knows to be simple, in a loop that keeps the frame at hand, and stops in front of the first
//! instruction that is not: one with a symbolic operand or a fault, a call, a synchronisation, an access that the race
//! check or a log wants to see. [`super::step`] does that one.
//!
//! Guarantee: the state afterwards, and the count of instructions, are those of as many calls of [`super::step`]; leaving
//! any arm of the `match`es out changes speed only.

use super::arithmetic::{concrete_binary, truncate};
use super::{STEPS_UNWATCHED, StepCx};
use crate::state::{Frame, LoopCount, changed};
use crate::{Came, Repeats, State};
use ::memory::{Home, Pointer, Value};
use ir::cfg::Cfg;
use ir::{
    BinaryOp, BlockId, CastKind, Edge, Function, Op, Operand, PointerSize, Predicate, Reg, ScaledIndex, Terminator, Ty,
};

/// Runs the thread as far as that is simple.
pub(super) fn run(cx: &mut StepCx) {
    // The action that was granted is not simple, nor is what threads do together.
    if cx.thread.granted || cx.is_in_lockstep() {
        return;
    }
    let until_watched = STEPS_UNWATCHED - 1 - cx.engine.statistics.instructions % STEPS_UNWATCHED;
    let fuel = until_watched.min(cx.engine.config.quiet_steps.saturating_sub(cx.thread.quiet_steps));
    let writing = cx.is_writing();
    let alone = cx.engine.config.repeats == Repeats::Control || cx.engine.boundary.is_some();
    let (rounds_unseen_from, checks_indices) = (cx.rounds_unseen_after(), cx.checks_indices());
    let notes = cx.engine.config.repeats != Repeats::Control;
    let Some(frame) = cx.thread.frames.last_mut() else { return };
    let mut nobody = Came::default();
    let mut run = Run {
        firsts: cx.program.firsts(frame.function),
        came: if notes { &mut cx.engine.came } else { &mut nobody },
        function: &cx.program.module[frame.function],
        cfg: &cx.program.cfgs[frame.function.index()],
        frame: changed(frame),
        accesses_unseen: !alone && !cx.state.concurrent && !writing && cx.state.flow.is_none(),
        writing,
        alone,
        branches_seen: cx.engine.taken.is_some(),
        state: cx.state,
        choices: cx.thread.choices,
        rounds_unseen_from,
        checks_indices,
        pointer: cx.program.module.pointer,
        reads: 0,
        writes: 0,
    };
    let done = run.run(fuel);
    let (reads, writes) = (run.reads, run.writes);
    cx.thread.quiet_steps += done;
    let statistics = &mut cx.engine.statistics;
    statistics.instructions += done;
    statistics.reads += reads;
    statistics.writes += writes;
}

/// The thread taken apart: what each instruction reads or writes, without a way through the thread.
struct Run<'a> {
    /// The site of each block's first instruction, and what is noted of those that were come to.
    firsts: &'a [u32],
    came: &'a mut Came,
    function: &'a Function,
    cfg: &'a Cfg,
    frame: &'a mut Frame,
    state: &'a mut State,
    /// The thread's choice counter.
    choices: u64,
    /// Neither the race check nor a log wants to know of accesses.
    accesses_unseen: bool,
    /// A summary is being written, which has to ask what depends on more than registers.
    writing: bool,
    /// Whatever is the same in a loop's rounds matters, not only the whole state.
    alone: bool,
    /// Somebody wants to know which ways are taken at branches.
    branches_seen: bool,
    /// Instructions after which nobody looks any more whether a loop's rounds repeat each other.
    rounds_unseen_from: u64,
    /// Whether an index leads to an element is asked elsewhere.
    checks_indices: bool,
    pointer: PointerSize,
    reads: u64,
    writes: u64,
}

impl Run<'_> {
    /// Returns how many instructions were carried out.
    fn run(&mut self, fuel: u64) -> u64 {
        let mut block = self.function.block(self.frame.block);
        let mut at = self.frame.inst;
        let mut done = 0;
        while done < fuel {
            match block.insts.get(at) {
                Some(inst) => {
                    if self.instruction(&inst.op).is_none() {
                        break;
                    }
                    at += 1;
                }
                None => {
                    let Some((way, target)) = self.terminator(&block.terminator, done) else { break };
                    self.came.by(self.firsts[self.frame.block.index()] as usize + at, way);
                    block = self.function.block(target);
                    self.frame.block = target;
                    at = 0;
                }
            }
            done += 1;
        }
        self.frame.inst = at;
        done
    }

    /// `None`, and nothing has happened, where the instruction is not simple.
    #[inline(always)]
    fn instruction(&mut self, op: &Op) -> Option<()> {
        match *op {
            Op::Binary { dest, op, ty, lhs, rhs } => {
                let value = self.binary(op, ty, lhs, rhs)?;
                self.bind(dest, value);
            }
            Op::Compare { dest, predicate, ty, lhs, rhs } => {
                let bit = self.compare(predicate, ty, lhs, rhs)?;
                self.bind(dest, Value::Int(u64::from(bit)));
            }
            Op::Cast { dest, kind, from, to, value } => {
                let value = self.cast(kind, from, to, value)?;
                self.bind(dest, value);
            }
            Op::Select { dest, condition, if_true, if_false, .. } => {
                let chosen = if self.int(condition)? & 1 != 0 { if_true } else { if_false };
                let value = self.value(chosen)?;
                self.bind(dest, value);
            }
            Op::Offset { dest, base, constant, ref indices, within, part, .. } => {
                let is_checked = self.checks_indices && within.is_some();
                if is_checked && (!indices.is_empty() || part.is_some()) {
                    return None;
                }
                let value = self.offset(base, constant, indices)?;
                if is_checked && matches!(value, Value::Ptr(at) if !at.part.is_whole()) {
                    return None;
                }
                self.bind(dest, value);
            }
            Op::Load { dest, ty, address, order: None, .. } if self.accesses_unseen => {
                let value = self.load(ty, address)?;
                self.reads += 1;
                self.bind(dest, value);
            }
            Op::Store { ty, address, value, order: None, .. } if self.accesses_unseen => {
                self.store(ty, address, value)?;
                self.writes += 1;
            }
            _ => return None,
        }
        Some(())
    }

    /// Which way is taken, and the block to go on in; `None`, and nothing has happened, where that is not simple.
    #[inline(always)]
    fn terminator(&mut self, terminator: &Terminator, done: u64) -> Option<(usize, BlockId)> {
        match terminator {
            Terminator::Jump(edge) => Some((0, self.jump(edge, done)?)),
            Terminator::Branch { .. } | Terminator::Switch { .. } if self.branches_seen => None,
            Terminator::Branch { condition, if_true, if_false } => {
                let way = (self.int(*condition)? & 1) as usize;
                Some((way, self.jump(if way == 1 { if_true } else { if_false }, done)?))
            }
            Terminator::Switch { value, cases, default, .. } => {
                let word = self.int(*value)?;
                let way = cases.iter().position(|(case, _)| *case == word).unwrap_or(cases.len());
                Some((way, self.jump(cases.get(way).map_or(default, |(_, edge)| edge), done)?))
            }
            Terminator::Return { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
        }
    }

    #[inline(always)]
    fn jump(&mut self, edge: &Edge, done: u64) -> Option<BlockId> {
        let params = &self.function.block(edge.target).params;
        let (first, second) = match *edge.args.as_slice() {
            [] => (None, None),
            [first] => (Some(self.value(first)?), None),
            [first, second] => (Some(self.value(first)?), Some(self.value(second)?)),
            _ => return self.jump_with_many(edge, done),
        };
        if self.cfg.is_header(edge.target) {
            self.begin_iteration(edge.target, done)?;
        }
        for (param, value) in params.iter().zip([first, second].into_iter().flatten()) {
            self.frame.registers[param.index()] = value;
        }
        Some(edge.target)
    }

    /// All parameters are set at once: an argument may be a parameter of the same block.
    fn jump_with_many(&mut self, edge: &Edge, done: u64) -> Option<BlockId> {
        let values: Option<smallvec::SmallVec<[Value; 8]>> = edge.args.iter().map(|arg| self.value(*arg)).collect();
        let values = values?;
        if self.cfg.is_header(edge.target) {
            self.begin_iteration(edge.target, done)?;
        }
        for (param, value) in self.function.block(edge.target).params.iter().zip(values) {
            self.frame.registers[param.index()] = value;
        }
        Some(edge.target)
    }

    /// A round in which nothing was chosen counts for nothing.
    #[inline(always)]
    fn begin_iteration(&mut self, header: BlockId, done: u64) -> Option<()> {
        if done < self.rounds_unseen_from && (self.alone || !self.cfg.counts_rounds(header)) {
            return None;
        }
        let retreats = self.cfg.is_retreating_edge(self.frame.block, header);
        let unchanged = |count: &LoopCount| {
            count.header == header && count.choices == self.choices && (retreats || count.iterations == 0)
        };
        self.frame.loops.iter().any(unchanged).then_some(())
    }

    #[inline(always)]
    fn bits(&self, ty: Ty) -> u16 {
        ty.bits(self.pointer)
    }

    #[inline(always)]
    fn size(&self, ty: Ty) -> u64 {
        ty.store_size(self.pointer)
    }

    #[inline(always)]
    fn bind(&mut self, reg: Reg, value: Value) {
        self.frame.registers[reg.index()] = value;
    }

    #[inline(always)]
    fn int(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Reg(reg) => match self.frame.registers[reg.index()] {
                Value::Int(bits) => Some(bits),
                _ => None,
            },
            Operand::Int(bits) => Some(bits),
            _ => None,
        }
    }

    #[inline(always)]
    fn value(&self, operand: Operand) -> Option<Value> {
        match operand {
            Operand::Reg(reg) => match self.frame.registers[reg.index()] {
                Value::Lazy { .. } => None,
                value => Some(value),
            },
            Operand::Int(bits) => Some(Value::Int(bits)),
            Operand::Global(global, offset) if !self.writing => {
                self.state.memory.global(global).map(|object| Value::Ptr(Pointer::new(object, offset)))
            }
            Operand::Global(..) | Operand::Wide(_) | Operand::Func(_) | Operand::Undef => None,
        }
    }

    #[inline(always)]
    fn binary(&self, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Option<Value> {
        let (a, b, bits) = (self.int(lhs)?, self.int(rhs)?, self.bits(ty));
        let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
        // A divisor of 0 or -1 may trap.
        if bits > 64 || divides && b.wrapping_add(1) << (64 - bits) <= 1 << (64 - bits) {
            return None;
        }
        Some(Value::Int(truncate(concrete_binary(op, bits, a, b), bits)))
    }

    #[inline(always)]
    fn compare(&self, predicate: Predicate, ty: Ty, lhs: Operand, rhs: Operand) -> Option<bool> {
        match (self.value(lhs)?, self.value(rhs)?) {
            (Value::Int(a), Value::Int(b)) => Some(predicate.holds(self.bits(ty), a, b)),
            (Value::Ptr(_), Value::Int(0)) if predicate == Predicate::Eq => self.never_null(lhs),
            (Value::Ptr(_), Value::Int(0)) if predicate == Predicate::Ne => self.never_null(lhs).map(|_| true),
            (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => match predicate {
                Predicate::Eq => Some(p.offset == q.offset),
                Predicate::Ne => Some(p.offset != q.offset),
                _ => None,
            },
            _ => None,
        }
    }

    /// False: the operand, a pointer to an object, is not null. Unknown where arithmetic may have led it to address 0.
    #[inline(always)]
    fn never_null(&self, operand: Operand) -> Option<bool> {
        match self.value(operand)? {
            Value::Ptr(pointer) if !self.writing && self.state.memory.address(pointer) != 0 => Some(false),
            _ => None,
        }
    }

    #[inline(always)]
    fn cast(&self, kind: CastKind, from: Ty, to: Ty, value: Operand) -> Option<Value> {
        let value = self.value(value)?;
        let word = match (kind, value) {
            (CastKind::Copy, value) => return Some(value),
            (CastKind::PtrToInt | CastKind::IntToPtr, value) if self.bits(from) == self.bits(to) => return Some(value),
            (_, Value::Int(word)) if self.bits(from) <= 64 && self.bits(to) <= 64 => word,
            _ => return None,
        };
        Some(Value::Int(match kind {
            CastKind::SignExtend => truncate(ir::sign_extend(word, self.bits(from)) as u64, self.bits(to)),
            CastKind::ZeroExtend | CastKind::Truncate | CastKind::PtrToInt | CastKind::IntToPtr | CastKind::Copy => {
                truncate(word, self.bits(to))
            }
        }))
    }

    #[inline(always)]
    fn offset(&self, base: Operand, constant: i64, indices: &[ScaledIndex]) -> Option<Value> {
        let mut by = constant;
        for scaled in indices {
            let index = ir::sign_extend(self.int(scaled.index)?, scaled.bits);
            by = by.wrapping_add(index.wrapping_mul(scaled.scale));
        }
        match self.value(base)? {
            Value::Ptr(pointer) => Some(Value::Ptr(self.state.memory.moved(pointer, by))),
            Value::Int(address) => Some(Value::Int(address.wrapping_add(by as u64) & self.pointer.mask())),
            _ => None,
        }
    }

    #[inline(always)]
    fn load(&self, ty: Ty, address: Operand) -> Option<Value> {
        let at = self.accessible(address, self.size(ty), false)?;
        match self.state.memory.peek(at, self.size(ty))? {
            Value::Int(word) => Some(Value::Int(truncate(word, self.bits(ty)))),
            value @ Value::Ptr(_) => Some(value),
            Value::Term(_) | Value::Symbolic { .. } | Value::Lazy { .. } => None,
        }
    }

    #[inline(always)]
    fn store(&mut self, ty: Ty, address: Operand, value: Operand) -> Option<()> {
        let Value::Int(word) = self.value(value)? else { return None };
        let at = self.accessible(address, self.size(ty), true)?;
        self.state.memory.poke(at, self.size(ty), word)
    }

    /// Where an access goes, if nothing is wrong with it.
    #[inline(always)]
    fn accessible(&self, address: Operand, size: u64, write: bool) -> Option<Pointer> {
        let Value::Ptr(at) = self.value(address)? else { return None };
        let object = self.state.memory.object(at.object);
        // Who reaches the device's memory is asked elsewhere.
        let is_right = object.is_live()
            && !matches!(object.home, Home::Device | Home::DeviceHeap | Home::Shadow)
            && object.contains(at.offset, size)
            && !(write && object.constant);
        (is_right && at.part.is_whole()).then_some(at)
    }
}
