//! What functions do to one object, on all the ways on which they return.
//!
//! An abstract interpretation of the IR: ways are kept apart at joins, calls of functions with bodies are followed, recursion and
//! calls through pointers may do anything. Registers are told apart as far as they lead to the object, to what is read from it, or
//! to memory that was allocated on the way. What succeeds in every run of raddle's (allocation, `pthread_mutex_init`) succeeds here.
//!
//! Guarantee: what is said to happen on all ways does. Where that is not seen, nothing is said.

use super::externals::{External, external};
use ir::cfg::Cfg;
use ir::{
    BinaryOp, BlockId, Callee, CastKind, Edge, FuncId, Function, GlobalId, Init, LocId, Module, Op, Operand, Predicate,
    Reg, Terminator, Ty,
};
use memory::TypeFacts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Which object it is about, as the function names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// What this parameter leads to, by index.
    Parameter(usize),
    Global(GlobalId),
}

/// Something that is done to the object, and where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Deed {
    pub what: What,
    pub at: Option<LocId>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum What {
    Frees,
    DestroysLock,
    InitialisesLock,
    /// Writes all of it, with memory that is allocated for it.
    Fills,
    /// Writes all of it at once.
    Overwrites,
}

/// What is known of the object on the way to an instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Way {
    ended: Option<Deed>,
    /// A lock in it was initialised.
    started: Option<Deed>,
    /// It was written as a whole, before anything of it was read.
    overwritten: Option<Deed>,
    /// Where pointers to memory stand in it that was allocated on the way, by offset.
    new_at: BTreeSet<u64>,
    /// Bytes that were written, by offset.
    written: BTreeSet<u64>,
    /// It was locked, or waited on, before it ended.
    locked: bool,
    waited: bool,
    /// Something of it was read that had not been written.
    read: bool,
    touched: bool,
    /// Some variable was looked at: what it says may be that another call has been here before.
    looked: bool,
    /// What stands in registers by now that hold different numbers on different ways.
    numbers: BTreeMap<Reg, u64>,
    /// What it returns, where that is a number.
    returned: Option<u64>,
}

impl Way {
    fn note(&mut self, reg: Reg, number: Option<u64>) {
        match number {
            Some(number) => drop(self.numbers.insert(reg, number)),
            None => drop(self.numbers.remove(&reg)),
        }
    }

    fn number(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Reg(reg) => self.numbers.get(&reg).copied(),
            other => number(other),
        }
    }
}

/// What a function does to the object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Effects {
    /// By way on which it returns; none where not all were followed.
    ways: Option<Vec<Way>>,
}

impl Effects {
    fn unknown() -> Self {
        Effects { ways: None }
    }

    fn ways(&self) -> &[Way] {
        self.ways.as_deref().unwrap_or_default()
    }

    /// It is freed, or its lock destroyed, on each way, and neither locked nor waited on before.
    pub(super) fn ends(&self) -> Option<Deed> {
        let ways = self.ways();
        ways.iter().all(|way| way.ended.is_some() && !way.locked && !way.waited).then_some(())?;
        ways.first()?.ended
    }

    /// It is initialised on each way, and nothing of it is read before; those apart that return with an error and have not looked whether
    /// somebody was here before. `members`: the bytes of all its members.
    pub(super) fn starts(&self, members: &BTreeSet<u64>) -> Option<Deed> {
        let filled = |way: &Way| !way.new_at.is_empty() && !members.is_empty() && members.is_subset(&way.written);
        let deed = |way: &Way| match way.started {
            None if filled(way) => Some(Deed { what: What::Fills, at: None }),
            started => started,
        };
        let (touching, others): (Vec<&Way>, Vec<&Way>) = self.ways().iter().partition(|way| way.touched);
        let first = deed(touching.first()?);
        let starts = |way: &&Way| deed(way).is_some() && !way.read && !way.locked && !way.waited && way.ended.is_none();
        let refuses = others.is_empty() || others.iter().all(|way| !way.looked) && are_errors(&others, &touching);
        if touching.iter().all(starts) && refuses { first } else { None }
    }

    /// It is freed, or its lock destroyed, on each way on which that succeeds, whatever is done before.
    pub(super) fn ends_at_last(&self) -> Option<Deed> {
        let ended = self.ways().iter().find_map(|way| way.ended)?;
        self.on_success(|way| way.ended.is_some()).then_some(ended)
    }

    /// So it is on each way.
    pub(super) fn always_ends(&self) -> bool {
        self.ways.as_ref().is_some_and(|ways| ways.iter().all(|way| way.ended.is_some()))
    }

    /// Its lock is initialised, or all of it is overwritten before any of it is read, on each way on which that succeeds.
    /// `members`: as in [`Effects::starts`].
    pub(super) fn starts_over(&self, members: &BTreeSet<u64>) -> Option<Deed> {
        let whole = |way: &Way| !members.is_empty() && members.is_subset(&way.written);
        let deed = |way: &Way| way.started.or(way.overwritten.filter(|_| whole(way)));
        let started = self.ways().iter().find_map(deed)?;
        self.on_success(|way| deed(way).is_some() && way.ended.is_none()).then_some(started)
    }

    /// Whether all ways are alike in this, those apart that return with an error.
    fn on_success(&self, does: impl Fn(&Way) -> bool) -> bool {
        let (done, others): (Vec<&Way>, Vec<&Way>) = self.ways().iter().partition(|way| does(way));
        !done.is_empty() && (others.is_empty() || are_errors(&others, &done))
    }

    /// It waits there, on some way.
    pub(super) fn waits(&self) -> bool {
        self.ways.as_ref().is_none_or(|ways| ways.iter().any(|way| way.waited))
    }
}

/// Whether ways return with an error where the others succeed: a number that is not zero, where those return zero; or zero, or null,
/// where those return something else.
fn are_errors(fail: &[&Way], succeed: &[&Way]) -> bool {
    let is_zero = |way: &&Way| way.returned == Some(0);
    let is_more = |way: &&Way| way.returned.is_some_and(|number| number != 0);
    succeed.iter().all(is_zero) && fail.iter().all(is_more) || !succeed.iter().any(is_zero) && fail.iter().all(is_zero)
}

/// Where a register leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// Into the object, so many bytes behind its beginning if that is known.
    Object(Option<i64>),
    /// To something that was read from it.
    Inner,
    /// To memory that was allocated on the way.
    New,
    /// Into a variable that is another's.
    Variable(GlobalId),
    Number(u64),
    /// What is written nowhere tells nothing.
    Other,
}

impl Value {
    fn join(self, other: Value) -> Value {
        match (self, other) {
            (one, other) if one == other => one,
            (variable @ Value::Variable(_), _) | (_, variable @ Value::Variable(_)) => variable,
            (Value::Object(_), Value::Object(_)) => Value::Object(None),
            // Null apart.
            (Value::Number(0), lead @ (Value::Object(_) | Value::New | Value::Inner))
            | (lead @ (Value::Object(_) | Value::New | Value::Inner), Value::Number(0)) => lead,
            _ => Value::Other,
        }
    }
}

/// Ways that are kept apart in one block; more are too many.
const MOST_WAYS: usize = 64;

/// Bytes of an object whose writing is followed.
const LONGEST: u64 = 4096;

/// What functions of a module do, each looked at once for each object.
pub(super) struct Analysis<'m> {
    module: &'m Module,
    known: FxHashMap<(FuncId, Subject), Effects>,
    /// Whether what a function returns was allocated in it, or is null.
    makers: FxHashMap<FuncId, bool>,
    open: FxHashSet<(FuncId, Subject)>,
}

impl<'m> Analysis<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let (known, makers, open) = Default::default();
        Analysis { module, known, makers, open }
    }

    /// Whether what a function returns was allocated in it, on all ways but those that return null.
    pub(super) fn makes(&mut self, id: FuncId) -> bool {
        if let Some(&makes) = self.makers.get(&id) {
            return makes;
        }
        // Recursion makes nothing.
        self.makers.insert(id, false);
        let function = &self.module[id];
        let values = self.values(id, None);
        let returned = function.blocks.iter().filter_map(|block| match &block.terminator {
            Terminator::Return { values } => Some(values.first().copied()),
            _ => None,
        });
        let returned: Vec<Value> =
            returned.map(|value| value.map_or(Value::Other, |value| lead(&values, None, value))).collect();
        let makes = returned.contains(&Value::New)
            && returned.iter().all(|value| matches!(value, Value::New | Value::Number(0)));
        self.makers.insert(id, makes);
        makes
    }

    /// What a function does to an object.
    pub(super) fn effects(&mut self, id: FuncId, subject: Subject) -> Effects {
        if let Some(known) = self.known.get(&(id, subject)) {
            return known.clone();
        }
        if !self.open.insert((id, subject)) {
            return Effects::unknown();
        }
        let effects = self.follow(id, subject, true).or_else(|| self.follow(id, subject, false)).unwrap_or_default();
        self.open.remove(&(id, subject));
        self.known.insert((id, subject), effects.clone());
        effects
    }

    /// Where registers lead, whatever the way.
    fn values(&mut self, id: FuncId, subject: Option<Subject>) -> FxHashMap<Reg, Value> {
        let function = &self.module[id];
        let mut values: FxHashMap<Reg, Value> = FxHashMap::default();
        if let Some(Subject::Parameter(index)) = subject
            && let Some(param) = function.params.get(index)
        {
            values.insert(param.reg, Value::Object(Some(0)));
        }
        for (index, param) in function.params.iter().enumerate() {
            if subject != Some(Subject::Parameter(index)) {
                values.insert(param.reg, Value::Other);
            }
        }
        loop {
            let before = values.clone();
            for block in &function.blocks {
                for inst in &block.insts {
                    self.value(&inst.op, function, subject, &mut values);
                }
                for Edge { target, args } in block.terminator.edges() {
                    for (&param, &arg) in function.block(*target).params.iter().zip(args) {
                        if let Some(value) = known(&values, subject, arg) {
                            values.entry(param).and_modify(|old| *old = old.join(value)).or_insert(value);
                        }
                    }
                }
            }
            if values == before {
                return values;
            }
        }
    }

    fn value(&mut self, op: &Op, function: &Function, subject: Option<Subject>, values: &mut FxHashMap<Reg, Value>) {
        let value = match op {
            Op::Offset { base, constant, indices, .. } => match known(values, subject, *base) {
                Some(Value::Object(Some(offset))) if indices.is_empty() => Value::Object(Some(offset + constant)),
                Some(Value::Object(_)) => Value::Object(None),
                Some(lead @ (Value::Inner | Value::New | Value::Variable(_))) => lead,
                None => return,
                Some(_) => Value::Other,
            },
            Op::Cast { kind: CastKind::Copy | CastKind::PtrToInt | CastKind::IntToPtr, value, .. } => {
                let Some(value) = known(values, subject, *value) else { return };
                value
            }
            Op::Select { if_true, if_false, .. } => {
                match (known(values, subject, *if_true), known(values, subject, *if_false)) {
                    (Some(one), Some(other)) => one.join(other),
                    (one, other) => match one.or(other) {
                        Some(value) => value,
                        None => return,
                    },
                }
            }
            // An object that lies before a header of the allocator's.
            Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs: Operand::Int(_), .. }
                if matches!(known(values, subject, *lhs), Some(Value::Object(_))) =>
            {
                Value::Object(None)
            }
            Op::Load { ty: Ty::Ptr, address, .. } => match known(values, subject, *address) {
                Some(Value::Object(_) | Value::Inner) => Value::Inner,
                None => return,
                Some(_) => Value::Other,
            },
            Op::Call { callee, args, dests } => {
                let Some(&dest) = dests.first() else { return };
                let value = match callee {
                    Callee::Direct(callee) => self.result(*callee),
                    Callee::Indirect(_) => Value::Other,
                };
                let leads_in = |value: Option<Value>| matches!(value, Some(Value::Object(_) | Value::Inner));
                let inner = args.iter().any(|arg| leads_in(known(values, subject, arg.value)));
                match value {
                    Value::Other if inner && function.register(dest).ty == Ty::Ptr => Value::Inner,
                    value => value,
                }
            }
            _ => Value::Other,
        };
        for dest in op.dests() {
            values.entry(dest).and_modify(|old| *old = old.join(value)).or_insert(value);
        }
    }

    /// What a call returns.
    fn result(&mut self, callee: FuncId) -> Value {
        let function = &self.module[callee];
        if function.is_declaration() {
            return match external(&function.name) {
                Some(External::Allocates) => Value::New,
                Some(External::Initialises | External::Destroys) => Value::Number(0),
                _ => Value::Other,
            };
        }
        if self.makes(callee) { Value::New } else { Value::Other }
    }

    /// None where not all ways are followed. `tells`: ways are told apart by the numbers in their registers.
    fn follow(&mut self, id: FuncId, subject: Subject, tells: bool) -> Option<Effects> {
        let module = self.module;
        let function = &module[id];
        if function.is_declaration() {
            return None;
        }
        let values = self.values(id, Some(subject));
        let cfg = Cfg::new(function);
        let cx = Follow { module, function, cfg: &cfg, subject, values: &values, tells };
        let mut seen: FxHashMap<BlockId, FxHashSet<Way>> = FxHashMap::default();
        let mut open = vec![(BlockId::new(0), Way::default())];
        let mut ends: Vec<Way> = Vec::new();
        while let Some((at, way)) = open.pop() {
            let known = seen.entry(at).or_default();
            if !known.insert(way.clone()) {
                continue;
            }
            if known.len() > MOST_WAYS {
                return None;
            }
            let block = function.block(at);
            let mut ways = vec![way];
            for inst in &block.insts {
                let mut next = Vec::new();
                for way in ways {
                    next.extend(cx.step(self, way, (at, inst))?);
                }
                next.dedup();
                ways = next;
            }
            if let Terminator::Return { values } = &block.terminator {
                for mut way in ways {
                    way.returned = values.first().and_then(|&value| cx.number(&way, value));
                    way.numbers.clear();
                    if !ends.contains(&way) {
                        ends.push(way);
                    }
                }
                continue;
            }
            for way in ways {
                let edges = cx.targets(&block.terminator, &block.insts, &way);
                open.extend(edges.into_iter().map(|edge| (edge.target, cx.along(&way, edge))));
            }
        }
        Some(Effects { ways: Some(ends) })
    }
}

/// Where an operand leads, where that is known already.
fn known(values: &FxHashMap<Reg, Value>, subject: Option<Subject>, operand: Operand) -> Option<Value> {
    match operand {
        Operand::Reg(reg) => values.get(&reg).copied(),
        Operand::Int(number) => Some(Value::Number(number)),
        Operand::Global(global, offset) if subject == Some(Subject::Global(global)) => {
            Some(Value::Object(Some(offset)))
        }
        Operand::Global(global, _) => Some(Value::Variable(global)),
        Operand::Wide(_) | Operand::Func(_) | Operand::Undef => Some(Value::Other),
    }
}

fn lead(values: &FxHashMap<Reg, Value>, subject: Option<Subject>, operand: Operand) -> Value {
    known(values, subject, operand).unwrap_or(Value::Other)
}

/// One function and one object.
struct Follow<'f> {
    module: &'f Module,
    function: &'f Function,
    cfg: &'f Cfg,
    subject: Subject,
    values: &'f FxHashMap<Reg, Value>,
    /// Ways are told apart by the numbers in their registers.
    tells: bool,
}

impl Follow<'_> {
    fn lead(&self, operand: Operand) -> Value {
        lead(self.values, Some(self.subject), operand)
    }

    /// Where it may go on. A pointer to the object, and one to memory that was allocated, is not null.
    fn targets<'t>(&self, terminator: &'t Terminator, insts: &[ir::Inst], way: &Way) -> Vec<&'t Edge> {
        if let Terminator::Branch { condition: Operand::Reg(reg), if_true, if_false } = terminator
            && let Some(holds) = insts.iter().rev().find_map(|inst| self.holds(*reg, &inst.op, (insts, way)))
        {
            return vec![if holds { if_true } else { if_false }];
        }
        terminator.edges().collect()
    }

    /// The way behind an edge, with what that passes on.
    fn along(&self, way: &Way, edge: &Edge) -> Way {
        let mut next = way.clone();
        if !self.tells {
            return next;
        }
        for (&param, &arg) in self.function.block(edge.target).params.iter().zip(&edge.args) {
            next.note(param, self.number(way, arg));
        }
        next
    }

    /// What is known to stand in an operand on a way, or on all.
    fn number(&self, way: &Way, operand: Operand) -> Option<u64> {
        way.number(operand).or_else(|| match self.lead(operand) {
            Value::Number(number) => Some(number),
            _ => None,
        })
    }

    /// Whether the condition in this register holds, if this instruction says so.
    fn holds(&self, reg: Reg, op: &Op, (insts, way): (&[ir::Inst], &Way)) -> Option<bool> {
        let Op::Compare { dest, predicate, lhs, rhs, .. } = op else { return None };
        if *dest != reg {
            return None;
        }
        // A member that was just given new memory holds that.
        let lead = |operand: Operand| {
            let read = insts.iter().find_map(|inst| match (&inst.op, operand) {
                (Op::Load { dest, address, .. }, Operand::Reg(reg)) if *dest == reg => Some(self.lead(*address)),
                _ => None,
            });
            match read {
                Some(Value::Object(Some(offset)))
                    if u64::try_from(offset).is_ok_and(|offset| way.new_at.contains(&offset)) =>
                {
                    Value::New
                }
                _ => way.number(operand).map_or_else(|| self.lead(operand), Value::Number),
            }
        };
        let equal = match (lead(*lhs), lead(*rhs)) {
            (Value::Object(_) | Value::New, Value::Number(0)) | (Value::Number(0), Value::Object(_) | Value::New) => {
                false
            }
            (Value::Number(one), Value::Number(other)) => one == other,
            _ => return None,
        };
        match predicate {
            Predicate::Eq => Some(equal),
            Predicate::Ne => Some(!equal),
            // `init() < 0`
            Predicate::Slt | Predicate::Sgt | Predicate::Ult | Predicate::Ugt if equal => Some(false),
            Predicate::Sle | Predicate::Sge | Predicate::Ule | Predicate::Uge if equal => Some(true),
            _ => None,
        }
    }

    /// The ways behind an instruction; none where anything may have happened.
    fn step(&self, analysis: &mut Analysis, mut way: Way, (at, inst): (BlockId, &ir::Inst)) -> Option<Vec<Way>> {
        for dest in inst.op.dests() {
            way.note(dest, None);
        }
        if let Some(deed) = way.ended {
            // What comes after is another matter; but a call may not come back, and a lock may be made anew.
            if deed.what == What::DestroysLock && self.begins_again(analysis, &inst.op) {
                (way.ended, way.read) = (None, true);
            }
            return Some(if self.comes_back(&inst.op) { vec![way] } else { Vec::new() });
        }
        match &inst.op {
            Op::Load { dest, address, ty, volatile, order } => {
                self.looks(&mut way, *address);
                if self.is_of_it(*address) && self.is_repeated(at, *volatile || order.is_some()) {
                    way.waited = true;
                }
                if !self.is_for_bits(at, *dest, *address) {
                    self.reads(&mut way, *address, Some(self.size(*ty)));
                }
            }
            Op::Store { address, ty, value, .. } => {
                self.writes(&mut way, *address, Some(self.size(*ty)));
                if let (Value::Object(Some(offset)), Value::New) = (self.lead(*address), self.lead(*value)) {
                    way.new_at.extend(u64::try_from(offset));
                }
            }
            Op::AtomicRmw { address, ty, .. } | Op::CompareExchange { address, ty, .. } => {
                self.looks(&mut way, *address);
                // A lock that spins, perhaps.
                way.locked |= self.is_of_it(*address) && self.is_repeated(at, true);
                self.reads(&mut way, *address, Some(self.size(*ty)));
            }
            Op::MemSet { to, length, .. } => self.overwrites(&mut way, *to, *length, inst.location),
            Op::MemCopy { to, from, length, .. } => {
                self.reads(&mut way, *from, number(*length));
                self.overwrites(&mut way, *to, *length, inst.location);
                if let (Value::Object(Some(offset)), Some(length)) = (self.lead(*to), number(*length))
                    && self.is_lock(offset, length)
                {
                    way.started.get_or_insert(Deed { what: What::InitialisesLock, at: inst.location });
                }
            }
            Op::Call { callee, args, dests } => {
                let returns = dests.first().copied().filter(|_| self.tells);
                return self.call(analysis, way, (callee, args), Place { at: inst.location, returns });
            }
            _ => {}
        }
        Some(vec![way])
    }

    fn is_of_it(&self, address: Operand) -> bool {
        matches!(self.lead(address), Value::Object(_) | Value::Inner)
    }

    /// Notes that a variable is looked at.
    fn looks(&self, way: &mut Way, address: Operand) {
        if let Value::Variable(global) = self.lead(address) {
            way.looked |= self.is_state(global);
        }
    }

    /// Whether it may say what other calls have done: a variable of the program, that is not the object itself.
    fn is_state(&self, global: GlobalId) -> bool {
        let variable = &self.module[global];
        !variable.constant && variable.init != Init::External && self.subject != Subject::Global(global)
    }

    /// Whether a read in this block is one of a loop that waits for another thread's write. `shared`: it is one that others may
    /// write at any time; else the loop does nothing but look.
    fn is_repeated(&self, at: BlockId, shared: bool) -> bool {
        let Some(header) = self.cfg.innermost_loop(at) else { return false };
        let only_looks = |block: BlockId| {
            let block = self.function.block(block);
            let looks = |inst: &ir::Inst| match &inst.op {
                Op::Store { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => false,
                Op::AtomicRmw { .. } | Op::CompareExchange { .. } => false,
                // Of those without a body such as `sched_yield`.
                Op::Call { callee: Callee::Direct(callee), .. } => self.module[*callee].is_declaration(),
                Op::Call { .. } => false,
                _ => true,
            };
            block.params.is_empty() && block.insts.iter().all(looks)
        };
        shared || self.cfg.loop_blocks(header).is_some_and(|blocks| blocks.iter().all(only_looks))
    }

    /// Whether what is read is for a bit-field's neighbours: it is stored again, with bits of its own in place of some.
    fn is_for_bits(&self, at: BlockId, dest: Reg, address: Operand) -> bool {
        let block = self.function.block(at);
        let only_use = |reg: Reg| {
            let mut uses = 0;
            let mut count = |operand: Operand| uses += usize::from(operand == Operand::Reg(reg));
            for block in &self.function.blocks {
                block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut count));
                block.terminator.for_each_operand(&mut count);
            }
            if uses != 1 {
                return None;
            }
            let uses_it = |inst: &&ir::Inst| {
                let mut found = false;
                inst.op.for_each_operand(|operand| found |= operand == Operand::Reg(reg));
                found
            };
            block.insts.iter().find(uses_it).map(|inst| &inst.op)
        };
        let Some(Op::Binary { op: BinaryOp::And, dest: kept, rhs: Operand::Int(_), .. }) = only_use(dest) else {
            return false;
        };
        let stored = match only_use(*kept) {
            Some(Op::Binary { op: BinaryOp::Or, dest: joined, .. }) => only_use(*joined),
            stored => stored,
        };
        matches!(stored, Some(Op::Store { address: to, .. }) if *to == address)
    }

    /// Whether the object's lock is made anew there.
    fn begins_again(&self, analysis: &mut Analysis, op: &Op) -> bool {
        let Op::Call { callee: Callee::Direct(callee), args, .. } = op else { return false };
        let function = &self.module[*callee];
        let leads: Vec<Value> = args.iter().map(|arg| self.lead(arg.value)).collect();
        if function.is_declaration() {
            let is_object = matches!(leads.first(), Some(Value::Object(_)));
            return is_object && external(&function.name) == Some(External::Initialises);
        }
        leads.into_iter().enumerate().any(|(index, lead)| {
            matches!(lead, Value::Object(_))
                && analysis
                    .effects(*callee, Subject::Parameter(index))
                    .ways
                    .is_none_or(|ways| ways.iter().any(|way| way.started.is_some()))
        })
    }

    fn size(&self, ty: Ty) -> u64 {
        u64::from(ty.bits(self.module.pointer)).div_ceil(8)
    }

    fn comes_back(&self, op: &Op) -> bool {
        !matches!(op, Op::Call { callee: Callee::Direct(callee), .. } if self.module[*callee].no_return)
    }

    fn reads(&self, way: &mut Way, address: Operand, size: Option<u64>) {
        let Value::Object(offset) = self.lead(address) else { return };
        way.touched = true;
        let written = match (offset.and_then(|offset| u64::try_from(offset).ok()), size) {
            (Some(offset), Some(size)) => (offset..offset + size.min(LONGEST)).all(|byte| way.written.contains(&byte)),
            _ => false,
        };
        way.read |= !written;
    }

    fn writes(&self, way: &mut Way, address: Operand, size: Option<u64>) {
        let Value::Object(offset) = self.lead(address) else { return };
        way.touched = true;
        if let (Some(offset), Some(size)) = (offset.and_then(|offset| u64::try_from(offset).ok()), size) {
            for byte in offset..(offset + size).min(LONGEST) {
                way.new_at.remove(&byte);
                way.written.insert(byte);
            }
        } else {
            way.new_at.clear();
        }
    }

    /// Writes one byte after the other.
    fn overwrites(&self, way: &mut Way, to: Operand, length: Operand, at: Option<LocId>) {
        self.writes(way, to, number(length));
        if self.lead(to) == Value::Object(Some(0)) && !way.read && !way.locked && !way.waited {
            way.overwritten.get_or_insert(Deed { what: What::Overwrites, at });
        }
    }

    /// Whether the bytes are those of one of the object's locks, conditions or semaphores.
    fn is_lock(&self, offset: i64, length: u64) -> bool {
        let ty = match self.subject {
            Subject::Parameter(index) => {
                let source = self.function.source_params.get(index);
                source.and_then(|source| self.module.pointee(source.ty))
            }
            Subject::Global(global) => self.module[global].ty,
        };
        let ranges = ty.map(|ty| TypeFacts::sync_ranges(self.module, ty)).unwrap_or_default();
        ranges.iter().any(|range| i64::try_from(range.start) == Ok(offset) && range.end - range.start == length)
    }

    fn call(
        &self,
        analysis: &mut Analysis,
        mut way: Way,
        (callee, args): (&Callee, &[ir::Argument]),
        place: Place,
    ) -> Option<Vec<Way>> {
        let leads: Vec<Value> = args.iter().map(|arg| self.lead(arg.value)).collect();
        let passes = leads.iter().any(|value| matches!(value, Value::Object(_)));
        let Callee::Direct(callee) = callee else {
            // Whoever gets it may do anything with it.
            let knows = passes || matches!(self.subject, Subject::Global(_));
            return (!knows).then(|| vec![way]);
        };
        let function = &self.module[*callee];
        if function.no_return {
            return Some(Vec::new());
        }
        if function.is_declaration() {
            self.external(&mut way, &function.name, &leads, place.at);
            return Some(vec![way]);
        }
        way.looked |= super::globals(self.module, *callee).iter().any(|&global| self.is_state(global));
        let mut ways = vec![way];
        if let Subject::Global(global) = self.subject {
            // What it is passed of a global, it is passed as a parameter too.
            ways = after(ways, &analysis.effects(*callee, Subject::Global(global)), 0, place)?;
        }
        for (index, lead) in leads.into_iter().enumerate() {
            match lead {
                Value::Object(Some(offset)) => {
                    ways = after(ways, &analysis.effects(*callee, Subject::Parameter(index)), offset, place)?;
                }
                Value::Object(None) => return None,
                Value::Inner => {
                    let effects = analysis.effects(*callee, Subject::Parameter(index));
                    let (locks, waits) = match &effects.ways {
                        // A data structure's elements are worked through recursively.
                        None => (false, false),
                        Some(all) => (all.iter().any(|way| way.locked), all.iter().any(|way| way.waited)),
                    };
                    for way in &mut ways {
                        way.locked |= locks;
                        way.waited |= waits;
                    }
                }
                Value::New | Value::Variable(_) | Value::Number(_) | Value::Other => {}
            }
        }
        Some(ways)
    }

    /// What a function does that has no body.
    fn external(&self, way: &mut Way, name: &str, leads: &[Value], at: Option<LocId>) {
        let first = leads.first().copied();
        let is_object = matches!(first, Some(Value::Object(_)));
        let is_of_it = matches!(first, Some(Value::Object(_) | Value::Inner));
        way.touched |= leads.iter().any(|value| matches!(value, Value::Object(_)));
        match external(name) {
            Some(External::Frees) => {
                // With a header of the allocator's, if there is one.
                if matches!(first, Some(Value::Object(offset)) if offset.is_none_or(|offset| offset <= 0)) {
                    way.ended = Some(Deed { what: What::Frees, at });
                }
            }
            Some(External::Destroys) if is_object => way.ended = Some(Deed { what: What::DestroysLock, at }),
            Some(External::Initialises) if is_object => {
                way.started.get_or_insert(Deed { what: What::InitialisesLock, at });
            }
            Some(External::Locks) => way.locked |= is_of_it,
            Some(External::Waits) => way.waited |= leads.iter().any(|v| matches!(v, Value::Object(_) | Value::Inner)),
            Some(
                External::Releases
                | External::Allocates
                | External::Destroys
                | External::Initialises
                | External::StartsThread,
            ) => {}
            None => way.read |= leads.iter().any(|value| matches!(value, Value::Object(_))),
        }
    }
}

/// A call: where it stands, and what it returns in.
#[derive(Clone, Copy)]
struct Place {
    at: Option<LocId>,
    returns: Option<Reg>,
}

/// The ways behind a call that does this to what it is passed, `offset` bytes behind the object's beginning; none where that may be
/// anything.
fn after(ways: Vec<Way>, effects: &Effects, offset: i64, place: Place) -> Option<Vec<Way>> {
    let done = effects.ways.as_ref()?;
    let mut all = Vec::new();
    for before in ways {
        for next in done {
            let here = |deed: Deed| Deed { at: place.at.or(deed.at), ..deed };
            let mut way = before.clone();
            if let Some(returns) = place.returns {
                way.note(returns, next.returned);
            }
            if way.ended.is_none() {
                way.locked |= next.locked;
                way.waited |= next.waited;
                way.read |= next.read;
                way.touched |= next.touched;
                way.looked |= next.looked;
                let shifted = |bytes: &BTreeSet<u64>| -> Vec<u64> {
                    bytes.iter().filter_map(|&byte| byte.checked_add_signed(offset)).collect()
                };
                for byte in shifted(&next.written) {
                    way.new_at.remove(&byte);
                    way.written.insert(byte);
                }
                way.new_at.extend(shifted(&next.new_at));
                let overwritten =
                    next.overwritten.filter(|_| offset == 0 && !(before.read || before.locked || before.waited));
                way.overwritten = way.overwritten.or(overwritten.map(here));
                way.started = way.started.or(next.started.map(here));
                way.ended = next.ended.filter(|deed| deed.what != What::Frees || offset <= 0).map(here);
            }
            if !all.contains(&way) {
                all.push(way);
            }
        }
    }
    (all.len() <= MOST_WAYS).then_some(all)
}

fn number(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Int(number) => Some(number),
        _ => None,
    }
}
