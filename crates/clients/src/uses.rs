//! What untyped pointers lead to: `void *open(void)`, `int set(void *handle)`.
//!
//! The declaration does not say it, but the code does: members that are addressed through the pointer are members of some structure, and
//! a variable that holds it may be declared to point to one. A client that passes a pointer to something else has the library use one
//! structure as another (C11 6.5p7).
//!
//! What is read or written byte by byte (`hash(const void *key, size_t length)`) is characters, whatever lies there.
//!
//! Guarantee: where nothing says that a parameter is used [elsewhere](Uses::elsewhere), its function uses it as the structures that are named
//! and as nothing else, but for scalars at its beginning, and as [characters](Uses::characters) where that is said.

use crate::roles::is_about_it;
use ir::{Callee, CastKind, FuncId, Function, Module, Op, Operand, Piece, Reg, Terminator, Ty, TypeId};
use machine::Program;
use memory::TypeFacts;
use std::collections::BTreeSet;

/// What a pointer leads to as far as code tells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Uses {
    /// Structures, one type for all copies.
    pub records: BTreeSet<TypeId>,
    /// Its bytes are used one by one, or copied.
    pub characters: bool,
    /// It may lead to something else as well: it is stored, computed with, or passed to what nothing is known of.
    pub elsewhere: bool,
}

impl Uses {
    /// The structure, where it is one and nothing else.
    pub(crate) fn only(&self) -> Option<TypeId> {
        let mut records = self.records.iter();
        records.next().copied().filter(|_| !self.elsewhere && records.next().is_none())
    }

    /// Bytes, and never a structure.
    pub(crate) fn are_characters(&self) -> bool {
        self.characters && !self.elsewhere && self.records.is_empty()
    }
}

/// What a function uses a parameter of the source's as, or what stands in it so many bytes behind its beginning.
pub(crate) fn of_parameter(program: &Program, function: FuncId, (index, offset): (usize, u64)) -> Uses {
    let mut finder = Finder::new(program);
    match passed_as(&program.module[function], (index, offset)) {
        Some(index) => finder.parameter(function, index),
        None => finder.found.elsewhere = true,
    }
    // Which structure begins where is not followed.
    finder.found.elsewhere |= finder.steps && !finder.found.records.is_empty();
    // A member by its offset alone is none.
    finder.found.characters &= !finder.wide;
    finder.found
}

/// What a function's result leads to, where it is not null.
pub(crate) fn of_result(program: &Program, function: FuncId) -> Uses {
    let mut finder = Finder::new(program);
    finder.result(function);
    finder.found
}

/// What a pointer leads to that a function stores where a parameter leads to: `open(void **out)`.
pub(crate) fn of_set(program: &Program, function: FuncId, index: usize) -> Uses {
    let mut finder = Finder::new(program);
    match passed_as(&program.module[function], (index, 0)) {
        Some(index) => finder.set(function, index),
        None => finder.found.elsewhere = true,
    }
    finder.found
}

/// Which of the parameters that the ABI makes of the source's holds what stands there in one of these; none where it is a copy in memory.
fn passed_as(function: &Function, (index, offset): (usize, u64)) -> Option<usize> {
    let at = match function.pieces.is_empty() {
        true => (function.params.len() == function.source_params.len() && offset == 0).then_some(index)?,
        false => function.pieces.iter().position(|piece| *piece == Piece::Of(index as u32, offset))?,
    };
    let param = function.params.get(at)?;
    (param.by_value.is_none() && function.register(param.reg).ty == Ty::Ptr).then_some(at)
}

struct Finder<'p> {
    program: &'p Program,
    /// What is looked at, or was: functions with a parameter, or for their result.
    open: BTreeSet<(FuncId, Option<usize>)>,
    /// Some bytes on from the beginning something is used as well.
    steps: bool,
    /// Something wider than a character is read or written there.
    wide: bool,
    found: Uses,
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program) -> Self {
        Finder { program, open: BTreeSet::new(), steps: false, wide: false, found: Uses::default() }
    }

    fn parameter(&mut self, id: FuncId, index: usize) {
        let program = self.program;
        let module = &program.module;
        if !self.open.insert((id, Some(index))) {
            return;
        }
        let Some(function) = followed(module, id) else {
            self.found.elsewhere = true;
            return;
        };
        let Some(param) = function.params.get(index).filter(|param| param.by_value.is_none()) else {
            self.found.elsewhere = true;
            return;
        };
        for reg in copies(function, param.reg, |op| is_step(module, op)) {
            self.record(function.register(reg).points_to);
            for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
                self.use_in(function, op, reg);
            }
        }
    }

    /// It is stored in a pointer there, which may be declared to lead to a structure.
    fn stored(&mut self, function: &Function, address: Operand) {
        let module = &self.program.module;
        let place = match address {
            Operand::Reg(reg) => function.register(reg).points_to.zip(Some(0)),
            Operand::Global(global, offset) => module[global].ty.zip(u64::try_from(offset).ok()),
            _ => None,
        };
        let pointer =
            place.and_then(|(ty, offset)| module.scalar_at(ty, offset).filter(|scalar| scalar.offset == offset));
        let to = pointer.and_then(|pointer| module.pointee(pointer.ty)).filter(|&ty| module.is_record(ty));
        self.record(to);
        self.found.elsewhere |= to.is_none();
    }

    fn use_in(&mut self, function: &Function, op: &Op, reg: Reg) {
        let is_it = |operand: Operand| operand == Operand::Reg(reg);
        match op {
            Op::Offset { base, within, .. } if is_it(*base) => {
                let is_record = within.is_some_and(|ty| self.program.module.is_record(ty));
                self.record(*within);
                let is_step = is_step(&self.program.module, op);
                self.steps |= is_step;
                self.found.elsewhere |= !is_record && !is_step;
            }
            Op::Load { address, ty: Ty::Int(8), .. } | Op::Store { address, ty: Ty::Int(8), .. } if is_it(*address) => {
                self.found.characters = true;
            }
            Op::Load { address, .. } if is_it(*address) => self.wide = true,
            Op::Store { address, value, .. } if is_it(*address) && !is_it(*value) => self.wide = true,
            Op::MemCopy { to, from, .. } if is_it(*to) || is_it(*from) => self.found.characters = true,
            Op::MemSet { to, .. } if is_it(*to) => self.found.characters = true,
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } if is_it(*value) => {
                self.stored(function, *address);
            }
            Op::CompareExchange { address, expected, new, .. } if is_it(*expected) || is_it(*new) => {
                self.stored(function, *address);
            }
            Op::Cast { kind: CastKind::PtrToInt, value, .. } => self.found.elsewhere |= is_it(*value),
            Op::Call { callee, args, .. } => {
                for at in (0..args.len()).filter(|&at| is_it(args[at].value)) {
                    self.passed(callee, at);
                }
            }
            _ => {}
        }
    }

    fn passed(&mut self, callee: &Callee, at: usize) {
        let module = &self.program.module;
        match callee {
            Callee::Direct(callee) if module[*callee].is_declaration() && handles_bytes(&module[*callee].name) => {
                self.found.characters = true;
            }
            Callee::Direct(callee) if module[*callee].is_declaration() || module[*callee].library => {
                self.found.elsewhere |= !is_about_it(&module[*callee].name);
            }
            Callee::Direct(callee) => self.parameter(*callee, at),
            Callee::Indirect(_) => self.found.elsewhere = true,
        }
    }

    fn record(&mut self, ty: Option<TypeId>) {
        let Program { module, facts, .. } = self.program;
        self.found.records.extend(ty.filter(|&ty| module.is_record(ty)).map(|ty| facts.canonical(module, ty)));
    }

    fn result(&mut self, id: FuncId) {
        let module = &self.program.module;
        if !self.open.insert((id, None)) {
            return;
        }
        let function = &module[id];
        if function.is_declaration() || function.library {
            self.found.elsewhere = true;
            return;
        }
        for block in &function.blocks {
            if let Terminator::Return { values } = &block.terminator
                && let Some(&value) = values.first()
            {
                self.leads(function, value, &mut BTreeSet::new());
            }
        }
    }

    fn set(&mut self, id: FuncId, index: usize) {
        let module = &self.program.module;
        if !self.open.insert((id, Some(index))) {
            return;
        }
        let Some(function) = followed(module, id) else {
            self.found.elsewhere = true;
            return;
        };
        let Some(param) = function.params.get(index) else { return };
        let copies = copies(function, param.reg, |_| false);
        let is_it = |operand: Operand| matches!(operand, Operand::Reg(reg) if copies.contains(&reg));
        for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
            match op {
                Op::Store { address, value, .. } if is_it(*address) => {
                    self.leads(function, *value, &mut BTreeSet::new());
                }
                Op::Store { .. } | Op::Load { .. } | Op::Compare { .. } => {}
                Op::Call { callee: Callee::Direct(callee), args, .. } => {
                    for at in (0..args.len()).filter(|&at| is_it(args[at].value)) {
                        self.set(*callee, at);
                    }
                }
                op => op.for_each_operand(|operand| self.found.elsewhere |= is_it(operand)),
            }
        }
    }

    /// Notes where a pointer leads that a function has.
    fn leads(&mut self, function: &Function, operand: Operand, seen: &mut BTreeSet<Reg>) {
        let Operand::Reg(reg) = operand else {
            self.found.elsewhere |= !matches!(operand, Operand::Int(0));
            return;
        };
        if !seen.insert(reg) {
            return;
        }
        let known = function.register(reg).points_to;
        if known.is_some_and(|ty| self.program.module.is_record(ty)) {
            self.record(known);
            return;
        }
        let mut inputs = Vec::new();
        for edge in function.blocks.iter().flat_map(|block| block.terminator.edges()) {
            let params = &function.block(edge.target).params;
            inputs.extend(params.iter().zip(&edge.args).filter(|(param, _)| **param == reg).map(|(_, arg)| *arg));
        }
        let made =
            function.blocks.iter().flat_map(|block| &block.insts).find(|inst| inst.op.dests().any(|dest| dest == reg));
        match made.map(|inst| &inst.op) {
            Some(Op::Cast { kind: CastKind::Copy, value, .. }) => inputs.push(*value),
            Some(Op::Select { if_true, if_false, .. }) => inputs.extend([*if_true, *if_false]),
            Some(Op::Call { callee: Callee::Direct(callee), .. }) => {
                self.result(*callee);
                return;
            }
            _ => {}
        }
        self.found.elsewhere |= inputs.is_empty();
        for input in inputs {
            self.leads(function, input, seen);
        }
    }
}

/// A function whose body is looked at.
fn followed(module: &Module, id: FuncId) -> Option<&Function> {
    let function = &module[id];
    (!function.is_declaration() && !function.library).then_some(function)
}

/// The function of this name reads or writes bytes where it is passed a pointer, and keeps it nowhere.
fn handles_bytes(name: &str) -> bool {
    matches!(
        name,
        "memcpy" | "memmove" | "memcmp" | "memset" | "memchr" | "bcmp" | "write" | "read" | "fwrite" | "fread"
    )
}

/// Whether an address is so many characters further, in no structure.
fn is_step(module: &Module, op: &Op) -> bool {
    let is_character = |within: Option<TypeId>| within.is_none_or(|ty| TypeFacts::is_char(module, ty));
    matches!(op, Op::Offset { within, indices, .. }
        if is_character(*within) && indices.iter().all(|index| index.scale == 1))
}

/// The registers of a function that hold what this one holds, or are made of it by such operations.
fn copies(function: &Function, from: Reg, derives: impl Fn(&Op) -> bool) -> BTreeSet<Reg> {
    let mut found = BTreeSet::from([from]);
    loop {
        let before = found.len();
        for block in &function.blocks {
            for op in block.insts.iter().map(|inst| &inst.op) {
                let holds = |operand: Operand| matches!(operand, Operand::Reg(reg) if found.contains(&reg));
                let dest = match op {
                    Op::Cast { dest, kind: CastKind::Copy, value, .. } => holds(*value).then_some(*dest),
                    Op::Select { dest, if_true, if_false, .. } => {
                        (holds(*if_true) || holds(*if_false)).then_some(*dest)
                    }
                    Op::Offset { dest, base, .. } => (holds(*base) && derives(op)).then_some(*dest),
                    _ => None,
                };
                found.extend(dest);
            }
            for edge in block.terminator.edges() {
                for (&param, arg) in function.block(edge.target).params.iter().zip(&edge.args) {
                    if matches!(arg, Operand::Reg(reg) if found.contains(reg)) {
                        found.insert(param);
                    }
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
