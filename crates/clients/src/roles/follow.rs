//! One function and one object: what each instruction does to it on a way.

use super::effects::{Analysis, LONGEST, MOST_WAYS, Value, lead};
use super::externals::{External, external};
use super::way::{Deed, Effects, Subject, Way, What};
use ir::Module;
use ir::cfg::Cfg;
use ir::{
    BinaryOp, BlockId, Callee, Edge, Function, GlobalId, Init, LocId, Op, Operand, Predicate, Reg, Terminator, Ty,
    TypeId,
};
use memory::TypeFacts;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

const EINVAL: u64 = 22;

/// One function and one object.
pub(super) struct Follow<'f> {
    pub(super) module: &'f Module,
    pub(super) function: &'f Function,
    pub(super) cfg: &'f Cfg,
    pub(super) subject: Subject,
    pub(super) values: &'f FxHashMap<Reg, Value>,
    /// Ways are told apart by the numbers in their registers.
    pub(super) tells: bool,
}

impl Follow<'_> {
    pub(super) fn lead(&self, operand: Operand) -> Value {
        lead(self.values, Some(self.subject), operand)
    }

    /// Where it may go on. A pointer to the object, and one to memory that was allocated, is not null.
    pub(super) fn targets<'t>(&self, terminator: &'t Terminator, insts: &[ir::Inst], way: &Way) -> Vec<&'t Edge> {
        if let Terminator::Branch { condition: Operand::Reg(reg), if_true, if_false } = terminator
            && let Some(holds) = insts.iter().rev().find_map(|inst| self.holds(*reg, &inst.op, (insts, way)))
        {
            return vec![if holds { if_true } else { if_false }];
        }
        terminator.edges().collect()
    }

    /// The way behind an edge, with what that passes on.
    pub(super) fn along(&self, way: &Way, edge: &Edge) -> Way {
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
    pub(super) fn number(&self, way: &Way, operand: Operand) -> Option<u64> {
        way.number(operand).or_else(|| match self.lead(operand) {
            Value::Number(number) => Some(number),
            _ => None,
        })
    }

    /// Whether the condition in this register holds, if this instruction says so.
    fn holds(&self, reg: Reg, op: &Op, (insts, way): (&[ir::Inst], &Way)) -> Option<bool> {
        let Op::Compare { dest, predicate, lhs, rhs, ty } = op else { return None };
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
            (Value::Object(_) | Value::Holder | Value::New, Value::Number(0))
            | (Value::Number(0), Value::Object(_) | Value::Holder | Value::New) => false,
            (Value::Number(one), Value::Number(other)) => {
                return Some(predicate.holds(ty.bits(self.module.pointer), one, other));
            }
            _ => return None,
        };
        match predicate {
            Predicate::Eq => Some(equal),
            Predicate::Ne => Some(!equal),
            _ => None,
        }
    }

    /// The ways behind an instruction; none where anything may have happened.
    pub(super) fn step(
        &self,
        analysis: &mut Analysis,
        mut way: Way,
        (at, inst): (BlockId, &ir::Inst),
    ) -> Option<Vec<Way>> {
        for dest in inst.op.dests() {
            way.note(dest, None);
        }
        self.note_success(&mut way, &inst.op);
        if !self.knows_holder(&mut way, &inst.op) {
            return None;
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
            Op::Store { address, ty, value, order, .. } => {
                self.stores(&mut way, (at, inst.location), *address, self.size(*ty), order.is_some());
                self.publishes(&mut way, *address, *value);
                if let (Value::Object(Some(offset)), Value::New) = (self.lead(*address), self.lead(*value)) {
                    way.new_at.extend(u64::try_from(offset));
                }
            }
            Op::AtomicRmw { address, ty, value, .. } | Op::CompareExchange { address, ty, new: value, .. } => {
                self.publishes(&mut way, *address, *value);
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

    /// Whether what leads to the variable that leads to the object is told apart wherever it goes in the function, and is not returned.
    pub(super) fn keeps_holder(&self) -> bool {
        let is_holder = |operand: Operand| self.lead(operand) == Value::Holder;
        let keeps = |edge: &Edge| {
            let params = &self.function.block(edge.target).params;
            params.iter().zip(&edge.args).all(|(&param, &arg)| !is_holder(arg) || is_holder(Operand::Reg(param)))
        };
        let returned = |terminator: &Terminator| match terminator {
            Terminator::Return { values } => values.iter().any(|&value| is_holder(value)),
            _ => false,
        };
        let mut terminators = self.function.blocks.iter().map(|block| &block.terminator);
        terminators.all(|terminator| terminator.edges().all(keeps) && !returned(terminator))
    }

    /// Whether the variable that leads to the object leads to it still where it is read: it is set to nothing but null, and what leads to
    /// it goes nowhere but to functions that are followed.
    fn knows_holder(&self, way: &mut Way, op: &Op) -> bool {
        let is_holder = |operand: Operand| self.lead(operand) == Value::Holder;
        match op {
            Op::Load { address, ty, .. } if is_holder(*address) => *ty == Ty::Ptr && !way.cleared,
            Op::Store { address, value, .. } if is_holder(*address) => {
                way.cleared = true;
                self.lead(*value) == Value::Number(0)
            }
            Op::Call { callee: Callee::Direct(callee), args, .. } if args.iter().any(|arg| is_holder(arg.value)) => {
                !self.module[*callee].is_declaration() && !way.cleared && way.ended.is_none()
            }
            Op::Compare { .. } | Op::Cast { .. } => true,
            Op::Select { dest, .. } if is_holder(Operand::Reg(*dest)) => true,
            op => {
                let mut is_used = false;
                op.for_each_operand(|operand| is_used |= is_holder(operand));
                !is_used
            }
        }
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

    /// What makes, ends or gives back a lock is taken to succeed.
    fn note_success(&self, way: &mut Way, op: &Op) {
        let Op::Call { callee: Callee::Direct(callee), dests, .. } = op else { return };
        let function = &self.module[*callee];
        let succeeds = || {
            matches!(external(&function.name), Some(External::Initialises | External::Destroys | External::Releases))
        };
        if self.tells && function.is_declaration() && succeeds() {
            dests.iter().for_each(|&dest| way.note(dest, Some(0)));
        }
    }

    fn is_used(&self, reg: Reg) -> bool {
        let mut is_used = false;
        let mut look = |operand: Operand| is_used |= operand == Operand::Reg(reg);
        for block in &self.function.blocks {
            block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut look));
            block.terminator.for_each_operand(&mut look);
        }
        is_used
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

    /// Notes that the object is made known to others: what leads to it is stored somewhere else, or in new memory that others know.
    fn publishes(&self, way: &mut Way, address: Operand, value: Operand) {
        let into_new = match self.lead(address) {
            Value::Object(_) => return,
            Value::New => true,
            Value::Holder | Value::Inner | Value::Variable(_) | Value::Number(_) | Value::Other => false,
        };
        match self.lead(value) {
            Value::Object(_) if into_new => way.new_leads_to_it = true,
            Value::Object(_) => way.published = true,
            Value::New if !into_new => way.new_known = true,
            _ => {}
        }
        way.published |= way.new_leads_to_it && way.new_known;
    }

    /// A store: of one place, or in a loop of one in each element.
    fn stores(
        &self,
        way: &mut Way,
        (at, location): (BlockId, Option<LocId>),
        address: Operand,
        size: u64,
        atomic: bool,
    ) {
        self.writes(way, address, Some(size));
        let first = match self.lead(address) {
            Value::Object(Some(offset)) => u64::try_from(offset).ok(),
            Value::Object(None) => self.each_element(at, address).map(|elements| {
                let bytes = elements.offsets(LONGEST).flat_map(|offset| offset..(offset + size).min(LONGEST));
                way.written.extend(bytes);
                elements.first
            }),
            _ => None,
        };
        // C11 7.17.2: such a member is set so before anybody else can come to it.
        if !atomic && first.is_some_and(|offset| self.is_atomic(offset, size)) {
            way.started.get_or_insert(Deed { what: What::InitialisesAtomic, at: location });
        }
    }

    /// Whether the bytes are those of a member that is declared atomic.
    fn is_atomic(&self, offset: u64, size: u64) -> bool {
        let named = self.named();
        named.is_some_and(|ty| super::atomic_at(self.module, ty, offset) == Some(size))
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
        let ranges = self.named().map(|ty| TypeFacts::sync_ranges(self.module, ty)).unwrap_or_default();
        ranges.iter().any(|range| i64::try_from(range.start) == Ok(offset) && range.end - range.start == length)
    }

    /// The object's type.
    fn named(&self) -> Option<TypeId> {
        match self.subject {
            Subject::Parameter(index) => {
                let source = self.function.source_params.get(index);
                source.and_then(|source| self.module.pointee(source.ty))
            }
            Subject::Pointed(index) => {
                let source = self.function.source_params.get(index);
                source.and_then(|source| self.module.pointee(self.module.pointee(source.ty)?))
            }
            Subject::Global(global) => self.module[global].ty,
        }
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
            let mut fails = way.clone();
            self.external(&mut way, &function.name, &leads, place.at);
            let is_lock = external(&function.name) == Some(External::Locks);
            let Some(returns) = place.returns.filter(|&reg| is_lock && self.is_used(reg)) else {
                return Some(vec![way]);
            };
            // Or it returns the number of an error, whichever.
            fails.touched = way.touched;
            fails.note(returns, Some(EINVAL));
            way.note(returns, Some(0));
            return Some(vec![way, fails]);
        }
        way.looked |= super::globals(self.module, *callee).iter().any(|&global| self.is_state(global));
        way.new_known |= leads.contains(&Value::New);
        let mut ways = vec![way];
        if let Subject::Global(global) = self.subject
            && analysis.may_name(*callee, global)
        {
            // What it is passed of a global, it is passed as a parameter too.
            ways = after(ways, &analysis.effects(*callee, Subject::Global(global)), 0, place)?;
        }
        for (index, lead) in leads.into_iter().enumerate() {
            match lead {
                Value::Object(Some(offset)) => {
                    ways = after(ways, &analysis.effects(*callee, Subject::Parameter(index)), offset, place)?;
                }
                Value::Object(None) => return None,
                Value::Holder => ways = after(ways, &analysis.effects(*callee, Subject::Pointed(index)), 0, place)?,
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
                way.new_leads_to_it |= next.new_leads_to_it;
                way.new_known |= next.new_known;
                way.published |= next.published || way.new_leads_to_it && way.new_known;
                way.waited |= next.waited;
                way.read |= next.read;
                way.touched |= next.touched;
                way.looked |= next.looked;
                way.cleared |= next.cleared;
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
