//! Writing down what a call asks and does, while it is carried out.

use super::question::{Question, Reply};
use super::{Account, Head, Summary, Touched};
use crate::state::{OnReturn, Thread};
use crate::step::{StepCx, Way, range_at};
use concurrency::{AccessKind, Site};
use ir::{BinaryOp, Callee, CastKind, Op, Operand, Predicate, Terminator, Ty};
use memory::{Binding, Life, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::time::Instant;

/// Questions and effects of one summary. One with more is not quick to invoke.
const LARGEST: usize = 1 << 14;

#[derive(Debug)]
pub(super) struct Recording {
    head: Head,
    /// Frames of the thread when the call is over.
    depth: usize,
    /// The thread's count of instructions when it began.
    begun: u64,
    /// What it may cost.
    left: i64,
    since: Instant,
    done: Summary,
    asked: FxHashSet<Question>,
    touched: FxHashSet<Touched>,
    /// What was read or written so far: sizes by object and offset. No two overlap.
    known: BTreeMap<(ObjId, i64), u64>,
    /// What was written, by object and offset: the index in `done.writes`.
    written: BTreeMap<(ObjId, i64), usize>,
}

impl Recording {
    /// A call by a thread that stands at it.
    pub(super) fn new(head: Head, thread: &Thread, left: i64) -> Self {
        Recording {
            head,
            depth: thread.frames.len(),
            begun: thread.quiet_steps,
            left,
            since: Instant::now(),
            done: Summary::default(),
            asked: FxHashSet::default(),
            touched: FxHashSet::default(),
            known: BTreeMap::new(),
            written: BTreeMap::new(),
        }
    }

    fn is_full(&self, thread: &Thread) -> bool {
        let size = self.done.size();
        size >= LARGEST || Account::writing(thread.quiet_steps - self.begun, size) > self.left
    }

    fn add(&mut self, noted: Noted) {
        for (question, answer) in noted.asked {
            if self.asked.insert(question) {
                self.done.asked.push((question, answer));
            }
        }
        if let Some(touched) = noted.touched {
            let range = touched.range;
            self.known.insert((range.object, range.offset as i64), range.size);
            if self.touched.insert(touched) {
                self.done.accesses.push(touched);
            }
        }
        let returned = noted.returns.map(|(site, results)| {
            // The last that is met is the call's own.
            self.done.results = results;
            site
        });
        for site in noted.touched.map(|touched| touched.site).into_iter().chain(returned) {
            if !self.done.sites.contains(&site) {
                self.done.sites.push(site);
            }
        }
        if let Some((at, size, value)) = noted.written {
            // The last write to a place is what remains.
            match self.written.get(&(at.object, at.offset)) {
                Some(&index) => self.done.writes[index].2 = value,
                None => {
                    self.written.insert((at.object, at.offset), self.done.writes.len());
                    self.done.writes.push((at, size, value));
                }
            }
        }
        self.done.ways.extend(noted.way);
    }

    /// Whether a range is one that was accessed before, or none of its bytes was.
    fn is_apart(&self, at: Pointer, size: u64) -> bool {
        let end = at.offset + size as i64;
        let before = self.known.range(..(at.object, end)).next_back();
        before.is_none_or(|(&(object, offset), &known)| {
            object != at.object || (offset, known) == (at.offset, size) || offset + known as i64 <= at.offset
        })
    }

    fn was_written(&self, at: Pointer) -> bool {
        self.written.contains_key(&(at.object, at.offset))
    }
}

/// What an instruction asks and does, beside what it does to registers.
#[derive(Default)]
struct Noted {
    asked: SmallVec<[(Question, Reply); 4]>,
    touched: Option<Touched>,
    written: Option<(Pointer, u64, Value)>,
    way: Option<Way>,
    returns: Option<(Site, SmallVec<[Value; 2]>)>,
}

impl StepCx<'_> {
    /// Whether what the thread does is being written down.
    #[inline]
    pub(crate) fn is_writing(&self) -> bool {
        self.engine.known.recording.is_some()
    }

    /// Writes down what the next instruction asks and does, or stops writing if that has no place in a summary.
    pub(crate) fn write_down(&mut self) {
        let noted = self.look_ahead();
        match (noted, &mut self.engine.known.recording) {
            (Some(noted), Some(recording)) if !recording.is_full(self.thread) => recording.add(noted),
            _ => self.stop_writing(),
        }
    }

    /// Keeps what was written down if the call is over.
    pub(crate) fn end_writing(&mut self) {
        let depth = self.thread.frames.len();
        if self.engine.known.recording.as_ref().is_some_and(|recording| recording.depth == depth) {
            self.close(true);
        }
    }

    /// What was written down is not worth keeping.
    pub(crate) fn stop_writing(&mut self) {
        self.close(false);
    }

    fn close(&mut self, keep: bool) {
        let Some(recording) = self.engine.known.recording.take() else { return };
        let Recording { head, mut done, since, begun, .. } = *recording;
        done.instructions = self.thread.quiet_steps - begun;
        self.engine.known.account(head.function).wrote(done.instructions, done.size());
        self.engine.statistics.building += since.elapsed();
        if keep {
            self.engine.statistics.summaries += 1;
            self.engine.known.keep(head, done);
        }
    }

    fn look_ahead(&self) -> Option<Noted> {
        let frame = self.thread.frame();
        let block = self.program.module[frame.function].block(frame.block);
        let mut noted = Noted::default();
        match block.insts.get(frame.inst) {
            Some(inst) => self.look_at(&inst.op, &mut noted)?,
            None => self.look_at_end(&block.terminator, &mut noted)?,
        }
        Some(noted)
    }

    fn look_at(&self, op: &Op, noted: &mut Noted) -> Option<()> {
        match op {
            Op::Binary { op, ty, lhs, rhs, .. } => {
                let (a, b) = (self.ask_operand(*lhs, noted)?, self.ask_operand(*rhs, noted)?);
                self.is_silent(*op, *ty, a, b).then_some(())
            }
            Op::Compare { predicate, lhs, rhs, .. } => {
                let (a, b) = (self.ask_operand(*lhs, noted)?, self.ask_operand(*rhs, noted)?);
                self.look_at_compare(*predicate, a, b, noted)
            }
            Op::Cast { kind, from, to, value, .. } => {
                let same =
                    matches!(kind, CastKind::PtrToInt | CastKind::IntToPtr) && self.bits(*from) == self.bits(*to);
                let value = self.ask_operand(*value, noted)?;
                (same || *kind == CastKind::Copy || is_number(value)).then_some(())
            }
            Op::Select { ty, condition, if_true, if_false, .. } => {
                let condition = self.ask_operand(*condition, noted)?;
                let (a, b) = (self.ask_operand(*if_true, noted)?, self.ask_operand(*if_false, noted)?);
                let merges = is_number(condition) && is_number(a) && is_number(b) && *ty != Ty::Ptr;
                (merges || matches!(condition, Value::Int(_))).then_some(())
            }
            Op::Overflow { lhs, rhs, .. } | Op::Bits { lhs, rhs, .. } => {
                let (a, b) = (self.ask_operand(*lhs, noted)?, self.ask_operand(*rhs, noted)?);
                (is_number(a) && is_number(b)).then_some(())
            }
            Op::Float { operands, .. } => operands.iter().try_for_each(|operand| self.is_concrete(*operand)),
            Op::FloatCompare { lhs, rhs, .. } => {
                [lhs, rhs].into_iter().try_for_each(|operand| self.is_concrete(*operand))
            }
            Op::FloatCast { value, .. } => self.is_concrete(*value),
            Op::Offset { base, indices, .. } => {
                indices.iter().try_for_each(|scaled| self.is_concrete(scaled.index))?;
                match self.ask_operand(*base, noted)? {
                    Value::Ptr(_) | Value::Int(_) => Some(()),
                    Value::Lazy { pointer, .. } => self
                        .ask(Question::Typed(pointer), noted)
                        .filter(|answer| *answer == Reply::Bit(true))
                        .map(|_| ()),
                    _ => None,
                }
            }
            Op::Load { ty, address, .. } => self.look_at_load(*ty, *address, noted),
            Op::Store { ty, address, value, .. } => self.look_at_store(*ty, *address, *value, noted),
            Op::Call { callee: Callee::Direct(function), args, .. } => {
                let declared = &self.program.module[*function];
                args.iter().try_for_each(|arg| self.ask_operand(arg.value, noted).map(|_| ()))?;
                (declared.params.len() == args.len()).then_some(())
            }
            _ => None,
        }
    }

    /// Whether an operation neither faults nor has to choose, and depends on nothing but its operands.
    fn is_silent(&self, op: BinaryOp, ty: Ty, a: Value, b: Value) -> bool {
        let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
        match (a, b) {
            (Value::Int(_), Value::Int(divisor)) if divides => {
                let ones = crate::step::truncate(u64::MAX, self.bits(ty));
                self.bits(ty) <= 64 && divisor != 0 && divisor != ones
            }
            (Value::Ptr(p), Value::Ptr(q)) => op == BinaryOp::Sub && p.object == q.object && self.is_address(ty),
            (Value::Ptr(_), Value::Int(_)) => matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.is_address(ty),
            _ => !divides && is_number(a) && is_number(b),
        }
    }

    fn is_address(&self, ty: Ty) -> bool {
        self.bits(ty) == self.pointer().bits()
    }

    fn look_at_load(&self, ty: Ty, address: Operand, noted: &mut Noted) -> Option<()> {
        let size = self.size(ty);
        let at = self.place(address, size, AccessKind::Read, noted)?;
        let value = self.state.memory.known(at, size)?;
        if !self.engine.known.recording.as_ref()?.was_written(at) {
            noted.asked.push((Question::Held(at, size), Reply::Value(value)));
        }
        let value = self.ask_value(value, noted)?;
        let whole = u64::from(self.bits(ty)) == size * 8;
        (whole || is_number(value)).then_some(())
    }

    fn look_at_store(&self, ty: Ty, address: Operand, value: Operand, noted: &mut Noted) -> Option<()> {
        let value = self.ask_operand(value, noted)?;
        let size = self.size(ty);
        let fits = match value {
            Value::Term(term) => u64::from(self.engine.terms.width(term)) == size * 8,
            Value::Symbolic { .. } => false,
            _ => size <= 8,
        };
        let at = self.place(address, size, AccessKind::Write, noted)?;
        let recording = self.engine.known.recording.as_ref()?;
        // A pointer makes its target known to others even if it is overwritten.
        let replaces = recording.was_written(at)
            && matches!(self.state.memory.known(at, size), None | Some(Value::Ptr(_) | Value::Lazy { .. }));
        if !recording.was_written(at) {
            let whole = self.ask(Question::Whole(at, size), noted)?;
            if whole != Reply::Bit(true) {
                return None;
            }
        }
        noted.written = Some((at, size, value));
        (fits && !replaces).then_some(())
    }

    fn look_at_end(&self, terminator: &Terminator, noted: &mut Noted) -> Option<()> {
        let edge = match terminator {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { condition, if_true, if_false } => {
                let taken = match self.ask_operand(*condition, noted)? {
                    Value::Int(bit) => bit & 1 != 0,
                    // Both ways may be gone at once.
                    Value::Term(_) if self.engine.config.merge => return None,
                    Value::Term(term) => {
                        let Reply::Bit(taken) = self.ask(Question::Condition(term), noted)? else { return None };
                        let timeless = !self.engine.is_of_clock(term);
                        noted.way = Some(Way { site: self.exact_site(), way: u64::from(taken), timeless });
                        taken
                    }
                    _ => return None,
                };
                if taken { if_true } else { if_false }
            }
            Terminator::Switch { value, cases, default, .. } => {
                let Value::Int(word) = self.ask_operand(*value, noted)? else { return None };
                cases.iter().find(|(case, _)| *case == word).map_or(default, |(_, edge)| edge)
            }
            Terminator::Return { values } => return self.look_at_return(values, noted),
            Terminator::Unreachable | Terminator::Unsupported { .. } => return None,
        };
        edge.args.iter().try_for_each(|arg| self.ask_operand(*arg, noted).map(|_| ()))
    }

    fn look_at_return(&self, values: &[Operand], noted: &mut Noted) -> Option<()> {
        let frame = self.thread.frame();
        let mark = self.state.memory.allocator().stack_mark(self.thread.arena);
        let plain = frame.on_return == OnReturn::Normal
            && frame.locals.is_empty()
            && frame.extra_arguments.is_none()
            && frame.stack_mark == mark
            && !self.is_visible();
        let results: Option<_> = values.iter().map(|value| self.ask_operand(*value, noted)).collect();
        noted.returns = Some((self.site(), results?));
        plain.then_some(())
    }

    fn look_at_compare(&self, predicate: Predicate, a: Value, b: Value, noted: &mut Noted) -> Option<()> {
        let equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        match (a, b) {
            (Value::Int(_) | Value::Term(_), Value::Int(_) | Value::Term(_)) => Some(()),
            (Value::Ptr(p), Value::Ptr(q)) if equality && p.object == q.object => Some(()),
            (Value::Ptr(p), Value::Ptr(q)) if equality => {
                (self.is_live(p.object, noted)? && self.is_live(q.object, noted)?).then_some(())
            }
            (Value::Ptr(p), Value::Int(_)) | (Value::Int(_), Value::Ptr(p)) if equality => {
                self.ask(Question::Object(p.object), noted).map(|_| ())
            }
            (Value::Lazy { pointer, offset, .. }, Value::Int(0))
            | (Value::Int(0), Value::Lazy { pointer, offset, .. })
                if equality =>
            {
                let decision = self.state.memory.shape().decision(pointer)?;
                let is_known = match decision {
                    Binding::Open => offset != 0,
                    Binding::Tagged { tag, non_null } => non_null || offset.wrapping_add(tag.into()) != 0,
                    _ => true,
                };
                is_known.then_some(())
            }
            _ => None,
        }
    }

    fn is_live(&self, object: ObjId, noted: &mut Noted) -> Option<bool> {
        match self.ask(Question::Object(object), noted)? {
            Reply::Header(header) => Some(header.life == Life::Live),
            _ => None,
        }
    }

    /// Where an access leads, if nothing stops it. What overlaps it so far is the same range.
    fn place(&self, address: Operand, size: u64, kind: AccessKind, noted: &mut Noted) -> Option<Pointer> {
        let Value::Ptr(at) = self.ask_operand(address, noted)? else { return None };
        let Reply::Header(header) = self.ask(Question::Object(at.object), noted)? else { return None };
        let inside = u64::try_from(at.offset).ok()?.checked_add(size)? <= header.size;
        let function = matches!(header.kind, ObjectKind::Function(_));
        if header.life != Life::Live || !inside || function || kind.writes() && header.constant || self.is_visible() {
            return None;
        }
        if !self.engine.known.recording.as_ref()?.is_apart(at, size) {
            return None;
        }
        noted.touched = Some(Touched { range: range_at(at, size), kind, site: self.site() });
        Some(at)
    }

    fn ask(&self, question: Question, noted: &mut Noted) -> Option<Reply> {
        let answer = self.answer(question)?;
        noted.asked.push((question, answer));
        Some(answer)
    }

    fn is_concrete(&self, operand: Operand) -> Option<()> {
        match operand {
            Operand::Reg(reg) => matches!(self.thread.frame().registers[reg.index()], Value::Int(_)).then_some(()),
            Operand::Int(_) => Some(()),
            _ => None,
        }
    }

    /// What an operand holds.
    fn ask_operand(&self, operand: Operand, noted: &mut Noted) -> Option<Value> {
        match operand {
            Operand::Reg(reg) => self.ask_value(self.thread.frame().registers[reg.index()], noted),
            Operand::Int(bits) => Some(Value::Int(bits)),
            Operand::Global(global, offset) => match self.ask(Question::Global(global), noted)? {
                Reply::Object(object) => Some(Value::Ptr(Pointer::new(object, offset))),
                _ => None,
            },
            Operand::Wide(_) | Operand::Func(_) | Operand::Undef => None,
        }
    }

    fn ask_value(&self, value: Value, noted: &mut Noted) -> Option<Value> {
        if let Value::Lazy { pointer, .. } = value {
            self.ask(Question::Target(pointer), noted)?;
        }
        Some(self.state.memory.settle(value))
    }
}

fn is_number(value: Value) -> bool {
    matches!(value, Value::Int(_) | Value::Term(_))
}
