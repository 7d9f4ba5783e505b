//! Inline assembly that has a meaning in the machine: barriers, hints, moves, simple arithmetic, and x86's locked instructions
//! in AT&T syntax.
//!
//! A locked instruction, and `xchg` with memory, is a sequentially consistent atomic operation (Intel SDM volume 3, 9.1.2.2
//! and 9.2.3.9). Fences order what is ordered already: stores are not reordered with stores, nor loads with loads, so only
//! `mfence` is a fence between threads.
//!
//! What is written in assembly is not subject to C11's rule on data races (5.1.2.4p25 is about evaluations): a move from or
//! to memory is what the processor makes of it, a load with acquire or a store with release semantics (Intel SDM volume 3,
//! 9.2.2), and an instruction without `lock` that changes memory is a load and a store.
//!
//! Guarantee: a template is lowered as a whole or not at all; what is not known becomes `Op::Unsupported`, which matters
//! where it is reached.

mod template;

use super::function::Body;
use super::inst::resize;
use super::intrinsic;
use super::scalars::single;
use crate::llvm::Value;
use ir::{BinaryOp, CastKind, LoadOrder, Op, Operand, Order, Predicate, RmwOp, StoreOrder, Ty};
use template::{Constraint, Kind, Place, Statement};

/// Lowers a call of inline assembly.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, inst: Value<'m>, assembly: Value<'m>) {
    let text = assembly.asm_text();
    let statements = if assembly.is_intel_syntax() { None } else { template::statements(&text) };
    let operands = template::constraints(&assembly.asm_constraints());
    body.enter_assembly();
    if let (Some(statements), Some(constraints)) = (statements, operands)
        && let Some(mut asm) = Asm::new(body, inst, &constraints)
        && asm.understands(&statements)
    {
        for statement in &statements {
            asm.statement(statement);
        }
        let results = asm.results();
        return body.bind(inst, results);
    }
    body.unsupported(inst, format!("inline assembly `{}`", text.trim().replace('\n', "; ")));
}

/// An operand of the template.
struct Slot {
    kind: Kind,
    /// What it holds, or for memory the address.
    value: Option<Operand>,
    ty: Ty,
}

struct Asm<'b, 'l, 'm> {
    body: &'b mut Body<'l, 'm>,
    inst: Value<'m>,
    slots: Vec<Slot>,
    flags: Option<Flags>,
}

/// What the zero and the sign flag come from. They are computed where they are read: a difference of pointers depends on
/// where the objects lie.
#[derive(Clone, Copy)]
enum Flags {
    /// `op` on these.
    Result { op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand },
    /// The difference of these, known to be zero or not.
    Compared { equal: Operand, ty: Ty, lhs: Operand, rhs: Operand },
}

/// What happens to the memory operand of a locked instruction, which has the register operand as its other one.
fn locked_operation(mnemonic: &str) -> Option<(RmwOp, Option<u64>)> {
    Some(match mnemonic {
        "add" => (RmwOp::Add, None),
        "sub" => (RmwOp::Sub, None),
        "and" => (RmwOp::And, None),
        "or" => (RmwOp::Or, None),
        "xor" => (RmwOp::Xor, None),
        "inc" => (RmwOp::Add, Some(1)),
        "dec" => (RmwOp::Sub, Some(1)),
        _ => return None,
    })
}

fn computed(op: RmwOp) -> Option<BinaryOp> {
    Some(match op {
        RmwOp::Add => BinaryOp::Add,
        RmwOp::Sub => BinaryOp::Sub,
        RmwOp::And => BinaryOp::And,
        RmwOp::Or => BinaryOp::Or,
        RmwOp::Xor => BinaryOp::Xor,
        _ => return None,
    })
}

const HINTS: [&str; 11] = [
    "pause",
    "nop",
    "lfence",
    "sfence",
    "prefetcht0",
    "prefetcht1",
    "prefetcht2",
    "prefetchnta",
    "prefetchw",
    "prefetch",
    "rep nop",
];

/// The bits of a register as another type of that width.
fn converted(body: &mut Body, value: Operand, from: Ty, to: Ty) -> Operand {
    let kind = match (from, to) {
        (from, to) if from == to => return value,
        (Ty::Ptr, Ty::Int(_)) => CastKind::PtrToInt,
        (Ty::Int(_), Ty::Ptr) => CastKind::IntToPtr,
        _ => CastKind::Copy,
    };
    let dest = body.define(to);
    body.emit(Op::Cast { dest, kind, from, to, value });
    Operand::Reg(dest)
}

impl<'b, 'l, 'm> Asm<'b, 'l, 'm> {
    /// `None` if an operand has an unusual type.
    fn new(body: &'b mut Body<'l, 'm>, inst: Value<'m>, constraints: &[Constraint]) -> Option<Self> {
        let results: Vec<Ty> = body.cx.scalars(inst.ty()).types().collect();
        let mut results = results.into_iter();
        let mut arguments = inst.arguments().into_iter().enumerate();
        let mut slots: Vec<Slot> = Vec::new();
        for constraint in constraints {
            let slot = if constraint.kind == Kind::Memory {
                let (index, argument) = arguments.next()?;
                let ty = single(inst.argument_attribute(index, "elementtype")?)?;
                Slot { kind: Kind::Memory, value: Some(body.operand(argument)), ty }
            } else if constraint.output {
                Slot { kind: constraint.kind, value: None, ty: results.next()? }
            } else {
                let (_, argument) = arguments.next()?;
                let ty = single(argument.ty())?;
                let value = body.operand(argument);
                if let Kind::Tied(output) = constraint.kind {
                    let target = slots.get(output)?;
                    if body.cx.bits(target.ty) != body.cx.bits(ty) {
                        return None;
                    }
                    // A pointer and an integer may share a register.
                    let to = target.ty;
                    slots[output].value = Some(converted(body, value, ty, to));
                }
                Slot { kind: constraint.kind, value: Some(value), ty }
            };
            slots.push(slot);
        }
        Some(Asm { body, inst, slots, flags: None })
    }

    /// Whether everything can be lowered. Nothing has been emitted before.
    fn understands(&self, statements: &[Statement]) -> bool {
        let mut defined: Vec<bool> = self.slots.iter().map(|s| s.value.is_some()).collect();
        let mut flags = false;
        for statement in statements {
            if !self.understood(statement, &mut defined, &mut flags) {
                return false;
            }
        }
        self.slots.iter().zip(defined).all(|(slot, defined)| match slot.kind {
            Kind::Flag(_) => flags,
            _ => defined,
        })
    }

    fn understood(&self, statement: &Statement, defined: &mut [bool], flags: &mut bool) -> bool {
        let Statement { locked, mnemonic, places, .. } = statement;
        let memory = |place: &Place| self.address(place).is_some();
        let register = |place: &Place, defined: &[bool]| match *place {
            Place::Operand(n) => self.slots.get(n).is_some_and(|s| s.kind != Kind::Memory) && defined[n],
            Place::Immediate(_) => true,
            _ => false,
        };
        if HINTS.contains(&mnemonic.as_str()) {
            return true;
        }
        match (mnemonic.as_str(), places.as_slice()) {
            ("mfence", []) => true,
            ("mov", [from, to]) => {
                let holds = memory(from) || register(from, defined);
                let target = self.is_register(to);
                if let (true, Place::Operand(n)) = (target, to) {
                    defined[*n] = true;
                }
                let one = !(memory(from) && memory(to));
                !*locked && holds && one && (target || memory(to)) && self.width(statement).is_some()
            }
            ("rdtsc" | "rdtscp", []) => {
                let wanted = if mnemonic == "rdtsc" { "ad" } else { "adc" };
                self.slots.iter().zip(defined).for_each(|(s, d)| match s.kind {
                    Kind::Register(name) if wanted.contains(name) => *d = true,
                    _ => {}
                });
                true
            }
            // A locked operation on the top of the stack that changes nothing is a barrier.
            ("add" | "or", [Place::Immediate(0), Place::StackTop]) => *locked,
            (operation, [place @ (Place::Operand(_) | Place::Pointer(_))]) if locked_operation(operation).is_some() => {
                *flags = true;
                (memory(place) || !*locked && self.is_exchangeable(place, defined)) && self.width(statement).is_some()
            }
            (operation, [value, place]) if locked_operation(operation).is_some_and(|(_, fixed)| fixed.is_none()) => {
                *flags = true;
                let changed = memory(place) || !*locked && self.is_exchangeable(place, defined);
                changed && register(value, defined) && self.width(statement).is_some()
            }
            ("xadd", [value @ Place::Operand(_), place]) => {
                *flags = true;
                *locked && memory(place) && self.is_exchangeable(value, defined) && self.width(statement).is_some()
            }
            ("xchg", [a, b]) => {
                let (value, place) = if memory(a) { (b, a) } else { (a, b) };
                memory(place) && self.is_exchangeable(value, defined) && self.width(statement).is_some()
            }
            ("cmpxchg", [value, place]) => {
                *flags = true;
                let Some(accumulator) = self.accumulator() else { return false };
                let known = self.slots[accumulator].value.is_some() || defined[accumulator];
                *locked && memory(place) && register(value, defined) && known && self.width(statement).is_some()
            }
            ("sete" | "setz" | "setne" | "setnz" | "sets" | "setns", [Place::Operand(n)]) => {
                let known = *flags && self.slots.get(*n).is_some();
                if known {
                    defined[*n] = true;
                }
                known
            }
            _ => false,
        }
    }

    /// Whether an operand of `xchg` or `xadd` gets a value and had one.
    fn is_exchangeable(&self, place: &Place, defined: &[bool]) -> bool {
        matches!(place, Place::Operand(n) if self.slots.get(*n).is_some_and(|s| s.kind != Kind::Memory) && defined[*n])
    }

    fn is_register(&self, place: &Place) -> bool {
        matches!(place, Place::Operand(n) if self.slots.get(*n).is_some_and(|s| !matches!(s.kind, Kind::Memory | Kind::Flag(_))))
    }

    /// The address that a memory operand names.
    fn address(&self, place: &Place) -> Option<Operand> {
        match *place {
            Place::Operand(n) => self.slots.get(n).filter(|s| s.kind == Kind::Memory)?.value,
            Place::Pointer(n) => self.slots.get(n).filter(|s| s.kind != Kind::Memory && s.ty == Ty::Ptr)?.value,
            _ => None,
        }
    }

    /// The slot that stands for `rax`: an output, which a tied input sets, or an input.
    fn accumulator(&self) -> Option<usize> {
        self.slots.iter().position(|slot| slot.kind == Kind::Register('a'))
    }

    /// Bits of the access: from the mnemonic's suffix, or from the operands.
    fn width(&self, statement: &Statement) -> Option<u16> {
        let bits = |n: usize| self.slots.get(n).map(|slot| self.body.cx.bits(slot.ty));
        let register = statement.places.iter().find_map(|place| match *place {
            Place::Operand(n) if self.slots.get(n).is_some_and(|s| s.kind != Kind::Memory) => bits(n),
            _ => None,
        });
        let memory = statement.places.iter().find_map(|place| match *place {
            Place::Operand(n) if self.slots.get(n).is_some_and(|s| s.kind == Kind::Memory) => bits(n),
            _ => None,
        });
        statement.suffix.or(register).or(memory).filter(|bits| matches!(bits, 8 | 16 | 32 | 64))
    }

    fn statement(&mut self, statement: &Statement) {
        let Statement { mnemonic, places, .. } = statement;
        match (mnemonic.as_str(), places.as_slice()) {
            ("mfence", _) | ("add" | "or", [Place::Immediate(0), Place::StackTop]) => {
                self.body.emit(Op::Fence { order: Order::SeqCst, single_thread: false });
            }
            ("rdtsc" | "rdtscp", _) => self.clock(),
            ("mov", [from, to]) => self.assign(statement, from, to),
            ("xadd", [value, place]) => self.exchange(statement, RmwOp::Add, value, place),
            ("xchg", [a, b]) => {
                let (value, place) = if self.address(a).is_some() { (b, a) } else { (a, b) };
                self.exchange(statement, RmwOp::Exchange, value, place);
            }
            ("cmpxchg", [value, place]) => self.compare_exchange(statement, value, place),
            (set, [Place::Operand(n)]) if set.starts_with("set") => {
                let flag = self.flag(&set[3..]);
                self.set_flag(*n, flag);
            }
            (operation, [.., place]) => {
                // What changes nothing is meant as the barrier that each locked instruction is (Intel SDM volume 3, 9.2.2).
                if statement.locked
                    && matches!((operation, places.as_slice()), ("add" | "or", [Place::Immediate(0), _]))
                {
                    self.body.emit(Op::Fence { order: Order::SeqCst, single_thread: false });
                }
                if let Some((op, fixed)) = locked_operation(operation) {
                    let value = match (fixed, places.first()) {
                        (None, Some(value)) => self.read(value, statement),
                        (fixed, _) => self.constant(fixed.unwrap_or_default(), statement),
                    };
                    match statement.locked {
                        true => drop(self.update(statement, op, value, place)),
                        false => self.change(statement, op, value, place),
                    }
                }
            }
            _ => {}
        }
    }

    /// What an operand holds, at the width of the access.
    fn read(&mut self, place: &Place, statement: &Statement) -> Operand {
        let bits = self.width(statement).unwrap_or(64);
        match *place {
            Place::Operand(n) => {
                let value = self.slots[n].value.unwrap_or(Operand::Undef);
                let (value, ty) = self.as_integer(value, self.slots[n].ty);
                let width = self.body.cx.bits(ty);
                resize(self.body, value, width, bits)
            }
            Place::Immediate(value) => self.constant(value, statement),
            _ => Operand::Undef,
        }
    }

    fn constant(&self, value: u64, statement: &Statement) -> Operand {
        Operand::Int(value & (u64::MAX >> (64 - self.width(statement).unwrap_or(64))))
    }

    fn as_integer(&mut self, value: Operand, ty: Ty) -> (Operand, Ty) {
        let to = Ty::Int(self.body.cx.bits(ty));
        if ty == to {
            return (value, to);
        }
        (converted(self.body, value, ty, to), to)
    }

    /// Sets a register operand as an instruction of `bits` does: 32 bits clear the rest of a register, fewer leave it.
    fn write(&mut self, n: usize, value: Operand, bits: u16) {
        let ty = self.slots[n].ty;
        let width = self.body.cx.bits(ty);
        let whole = Ty::Int(width);
        let mut value = resize(self.body, value, bits, width);
        if width > bits && bits < 32 {
            let before = self.slots[n].value.unwrap_or(Operand::Int(0));
            let (before, _) = self.as_integer(before, ty);
            let kept = self.body.cx.integer(u128::MAX >> (128 - width) & !((1 << bits) - 1));
            let upper = self.binary(BinaryOp::And, whole, before, kept);
            value = self.binary(BinaryOp::Or, whole, upper, value);
        }
        self.slots[n].value = Some(converted(self.body, value, whole, ty));
    }

    fn binary(&mut self, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        let dest = self.body.define(ty);
        self.body.emit(Op::Binary { dest, op, ty, lhs, rhs });
        Operand::Reg(dest)
    }

    fn compare(&mut self, predicate: Predicate, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        let dest = self.body.define(Ty::Int(1));
        self.body.emit(Op::Compare { dest, predicate, ty, lhs, rhs });
        Operand::Reg(dest)
    }

    /// A locked update of memory. Returns what was there.
    fn update(&mut self, statement: &Statement, op: RmwOp, value: Operand, place: &Place) -> Operand {
        let ty = Ty::Int(self.width(statement).unwrap_or(64));
        let address = self.address(place).unwrap_or(Operand::Undef);
        let dest = self.body.define(ty);
        self.body.emit(Op::AtomicRmw { dest, op, ty, address, value, order: Order::SeqCst });
        let old = Operand::Reg(dest);
        // `xchg` sets no flags.
        if let Some(op) = computed(op) {
            self.flags = Some(Flags::Result { op, ty, lhs: old, rhs: value });
        }
        old
    }

    /// What an operand holds, or memory there.
    fn load(&mut self, place: &Place, statement: &Statement) -> Operand {
        let Some(address) = self.address(place) else { return self.read(place, statement) };
        let ty = Ty::Int(self.width(statement).unwrap_or(64));
        let dest = self.body.define(ty);
        self.body.emit(Op::Load { dest, ty, address, volatile: false, order: Some(LoadOrder::Acquire) });
        Operand::Reg(dest)
    }

    fn store(&mut self, place: &Place, statement: &Statement, value: Operand) {
        let bits = self.width(statement).unwrap_or(64);
        if let Some(address) = self.address(place) {
            let (ty, order) = (Ty::Int(bits), Some(StoreOrder::Release));
            self.body.emit(Op::Store { ty, address, value, volatile: false, order });
        } else if let Place::Operand(n) = *place {
            self.write(n, value, bits);
        }
    }

    /// `mov`
    fn assign(&mut self, statement: &Statement, from: &Place, to: &Place) {
        let value = self.load(from, statement);
        self.store(to, statement, value);
    }

    /// An update that is not locked.
    fn change(&mut self, statement: &Statement, op: RmwOp, value: Operand, place: &Place) {
        let Some(op) = computed(op) else { return };
        let ty = Ty::Int(self.width(statement).unwrap_or(64));
        let lhs = self.load(place, statement);
        let result = self.binary(op, ty, lhs, value);
        self.store(place, statement, result);
        self.flags = Some(Flags::Result { op, ty, lhs, rhs: value });
    }

    fn exchange(&mut self, statement: &Statement, op: RmwOp, value: &Place, place: &Place) {
        let bits = self.width(statement).unwrap_or(64);
        let new = self.read(value, statement);
        let old = self.update(statement, op, new, place);
        if let Place::Operand(n) = *value {
            self.write(n, old, bits);
        }
    }

    fn compare_exchange(&mut self, statement: &Statement, value: &Place, place: &Place) {
        let Some(accumulator) = self.accumulator() else { return };
        let bits = self.width(statement).unwrap_or(64);
        let ty = Ty::Int(bits);
        let expected = self.read(&Place::Operand(accumulator), statement);
        let new = self.read(value, statement);
        let address = self.address(place).unwrap_or(Operand::Undef);
        let (old, success) = (self.body.define(ty), self.body.define(Ty::Int(1)));
        self.body.emit(Op::CompareExchange {
            old,
            success,
            ty,
            address,
            expected,
            new,
            weak: false,
            success_order: Order::SeqCst,
            failure_order: LoadOrder::SeqCst,
        });
        self.write(accumulator, Operand::Reg(old), bits);
        let equal = Operand::Reg(success);
        self.flags = Some(Flags::Compared { equal, ty, lhs: expected, rhs: Operand::Reg(old) });
    }

    /// The time stamp in `edx:eax`.
    fn clock(&mut self) {
        let word = Ty::Int(64);
        let time = intrinsic::clock_value(self.body);
        for n in 0..self.slots.len() {
            let Kind::Register(name) = self.slots[n].kind else { continue };
            if self.slots[n].value.is_some() {
                continue;
            }
            let part = match name {
                'd' => self.binary(BinaryOp::LShr, word, time, Operand::Int(32)),
                // The processor's number.
                'c' => intrinsic::clock_value(self.body),
                'a' => time,
                _ => continue,
            };
            let part = resize(self.body, part, 64, 32);
            self.write(n, part, 32);
        }
    }

    fn flag(&mut self, condition: &str) -> Operand {
        let Some(flags) = self.flags else { return Operand::Undef };
        let (of_sign, negated) = match condition {
            "e" | "z" => (false, false),
            "s" => (true, false),
            "ns" => (true, true),
            _ => (false, true),
        };
        let flag = match flags {
            Flags::Compared { equal, .. } if !of_sign => equal,
            Flags::Compared { ty, lhs, rhs, .. } => {
                let difference = self.binary(BinaryOp::Sub, ty, lhs, rhs);
                self.compare(Predicate::Slt, ty, difference, Operand::Int(0))
            }
            Flags::Result { op, ty, lhs, rhs } => {
                let result = self.binary(op, ty, lhs, rhs);
                let predicate = if of_sign { Predicate::Slt } else { Predicate::Eq };
                self.compare(predicate, ty, result, Operand::Int(0))
            }
        };
        match negated {
            true => self.binary(BinaryOp::Xor, Ty::Int(1), flag, Operand::Int(1)),
            false => flag,
        }
    }

    /// `sete` and its like.
    fn set_flag(&mut self, n: usize, flag: Operand) {
        let byte = resize(self.body, flag, 1, 8);
        if self.slots[n].kind != Kind::Memory {
            return self.write(n, byte, 8);
        }
        if let Some(address) = self.slots[n].value {
            self.body.emit(Op::Store { ty: Ty::Int(8), address, value: byte, volatile: false, order: None });
        }
    }

    /// What the call gives: the outputs that are no memory.
    fn results(mut self) -> Vec<Operand> {
        let count = self.body.cx.scalars(self.inst.ty()).parts.len();
        let mut results = Vec::new();
        for n in 0..self.slots.len() {
            if results.len() == count {
                break;
            }
            match self.slots[n].kind {
                Kind::Memory => continue,
                Kind::Flag(condition) => {
                    let flag = self.flag(condition);
                    let bits = self.body.cx.bits(self.slots[n].ty);
                    results.push(resize(self.body, flag, 1, bits));
                }
                _ => results.push(self.slots[n].value.unwrap_or(Operand::Undef)),
            }
        }
        results
    }
}
