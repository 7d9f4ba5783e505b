//! What functions do to one object, on all the ways on which they return.
//!
//! An abstract interpretation of the IR: ways are kept apart at joins, calls of functions with bodies are followed, recursion and
//! calls through pointers may do anything. Registers are told apart as far as they lead to the object, to what is read from it, or
//! to memory that was allocated on the way. What succeeds in every run of raddle's (allocation, `pthread_mutex_init`) succeeds here.
//!
//! Guarantee: what is said to happen on all ways does. Where that is not seen, nothing is said.

use super::externals::{External, external};
use super::follow::Follow;
use super::results::only_sets;
use super::way::{Effects, Subject, Way};
use ir::cfg::Cfg;
use ir::{
    BinaryOp, BlockId, Callee, CastKind, Edge, FuncId, Function, GlobalId, Module, Op, Operand, Reg, Terminator, Ty,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Where a register leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Into the object, so many bytes behind its beginning if that is known.
    Object(Option<i64>),
    /// To a variable that leads to the object.
    Holder,
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
    pub(super) fn join(self, other: Value) -> Value {
        match (self, other) {
            (one, other) if one == other => one,
            (variable @ Value::Variable(_), _) | (_, variable @ Value::Variable(_)) => variable,
            (Value::Object(_), Value::Object(_)) => Value::Object(None),
            // Null apart.
            (Value::Number(0), lead @ (Value::Object(_) | Value::Holder | Value::New | Value::Inner))
            | (lead @ (Value::Object(_) | Value::Holder | Value::New | Value::Inner), Value::Number(0)) => lead,
            _ => Value::Other,
        }
    }
}

/// Ways that are kept apart in one block; more are too many.
pub(super) const MOST_WAYS: usize = 64;

/// Bytes of an object whose writing is followed.
pub(super) const LONGEST: u64 = 4096;

/// What functions of a module do, each looked at once for each object.
pub(super) struct Analysis<'m> {
    module: &'m Module,
    known: FxHashMap<(FuncId, Subject), Effects>,
    /// Whether what a function returns was allocated in it, or is null.
    makers: FxHashMap<FuncId, bool>,
    /// The parameters by which a function gives back what was allocated in it.
    setters: FxHashMap<FuncId, BTreeSet<usize>>,
    open: FxHashSet<(FuncId, Subject)>,
    /// The globals that a function names or comes to; none where it may come to any.
    named: FxHashMap<FuncId, Option<BTreeSet<GlobalId>>>,
}

impl<'m> Analysis<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let (known, makers, setters, open, named) = Default::default();
        Analysis { module, known, makers, setters, open, named }
    }

    /// Whether a function may do something to a global that it is not passed: it names it, or calls what may. What does not (a stream is written
    /// to, a date put into words) need not be followed.
    pub(super) fn may_name(&mut self, id: FuncId, global: GlobalId) -> bool {
        let module = self.module;
        let named = || (!super::calls_pointers(module, id)).then(|| super::globals(module, id));
        self.named.entry(id).or_insert_with(named).as_ref().is_none_or(|named| named.contains(&global))
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

    /// The parameters that a function only sets, and to nothing but what was allocated in it, or null: `*out = new`.
    pub(super) fn sets_new(&mut self, id: FuncId) -> BTreeSet<usize> {
        if let Some(known) = self.setters.get(&id) {
            return known.clone();
        }
        // Recursion makes nothing.
        self.setters.insert(id, BTreeSet::new());
        let module = self.module;
        let function = &module[id];
        let results: Vec<usize> = (0..function.params.len()).filter(|&at| only_sets(module, id, at)).collect();
        let values = self.values(id, None);
        let mut found = BTreeSet::new();
        for index in results {
            let is_it = |operand: Operand| operand == Operand::Reg(function.params[index].reg);
            let mut set = Vec::new();
            for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
                match op {
                    Op::Store { address, value, .. } if is_it(*address) => set.push(lead(&values, None, *value)),
                    Op::Call { callee: Callee::Direct(callee), args, .. } => {
                        for at in (0..args.len()).filter(|&at| is_it(args[at].value)) {
                            let is_new = self.sets_new(*callee).contains(&at);
                            set.push(if is_new { Value::New } else { Value::Other });
                        }
                    }
                    _ => {}
                }
            }
            if set.contains(&Value::New) && set.iter().all(|value| matches!(value, Value::New | Value::Number(0))) {
                found.insert(index);
            }
        }
        self.setters.insert(id, found.clone());
        found
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
        for (index, param) in function.params.iter().enumerate() {
            let value = match subject {
                Some(Subject::Parameter(it)) if it == index => Value::Object(Some(0)),
                Some(Subject::Pointed(it)) if it == index => Value::Holder,
                _ => Value::Other,
            };
            values.insert(param.reg, value);
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
                Some(Value::Holder) => Value::Object(Some(0)),
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
        if !cx.keeps_holder() {
            return None;
        }
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

pub(super) fn lead(values: &FxHashMap<Reg, Value>, subject: Option<Subject>, operand: Operand) -> Value {
    known(values, subject, operand).unwrap_or(Value::Other)
}
