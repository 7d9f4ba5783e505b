//! Names of registers, and what pointers point to, as far as declarations tell.
//!
//! LLVM's pointers are opaque. Their types are known where debug records name a variable, and spread from there: through
//! loads, stores and address computations of typed places, calls of functions of known signature, and block parameters
//! whose inputs agree. A better hint (a record over a character, anything over `void`) replaces a worse one, so the spread
//! ends. Hints decide which heaps there are, and which indices are out of bounds; never what an instruction computes.

use super::Lowering;
use super::address::Step;
use super::paths::{Reader, Walk};
use ir::{Block, Callee, CastKind, DebugType, FuncId, IntKind, Module, Op, Operand, Reg, RmwOp, Ty, TypeId};
use std::collections::{HashMap, HashSet};

/// A source variable and the register that holds its value or its address.
pub(super) struct Named {
    pub(super) reg: Reg,
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) is_address: bool,
}

/// Rounds of spreading; each carries a hint around all loops once.
const ROUNDS: usize = 32;

/// Fills in the hints and paths of a lowered function.
pub(super) fn resolve(cx: &mut Lowering<'_>, id: FuncId, named: &[Named], steps: &HashMap<Reg, Vec<Step>>) {
    let reader = Reader { module: &cx.out, types: &cx.types };
    let function = &cx.out[id];
    let mut spread = Spread {
        reader,
        steps,
        hints: vec![None; function.registers.len()],
        fixed: HashSet::new(),
        changed: false,
        inputs: block_inputs(&function.blocks),
    };
    let mut names: Vec<Option<String>> = vec![None; function.registers.len()];
    for variable in named {
        if variable.is_address {
            spread.hints[variable.reg.index()] = Some(variable.ty);
            spread.fixed.insert(variable.reg);
        } else {
            names[variable.reg.index()].get_or_insert_with(|| variable.name.clone());
            let to = reader.module.pointee(variable.ty);
            spread.learn(Operand::Reg(variable.reg), to);
        }
    }
    for _ in 0..ROUNDS {
        spread.changed = false;
        for block in &function.blocks {
            block.insts.iter().for_each(|inst| spread.instruction(&inst.op));
        }
        spread.parameters();
        if !spread.changed {
            break;
        }
    }
    let walks = spread.walks(&function.blocks, &names);
    let hints = spread.hints;
    let is_void: Vec<bool> = hints.iter().map(|h| h.is_some_and(|t| quality(&cx.out, t) == 0)).collect();
    apply(&mut cx.out.functions[id.index()], names, hints, &is_void, walks);
}

fn apply(
    function: &mut ir::Function,
    names: Vec<Option<String>>,
    hints: Vec<Option<TypeId>>,
    is_void: &[bool],
    mut walks: HashMap<Reg, Walk>,
) {
    for (((register, name), hint), void) in function.registers.iter_mut().zip(names).zip(hints).zip(is_void) {
        register.name = name;
        register.points_to = hint.filter(|_| register.ty == Ty::Ptr && !void);
    }
    for inst in function.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if let Op::Offset { dest, path, within, array, part, .. } = &mut inst.op
            && let Some(walk) = walks.remove(dest)
        {
            (*path, *within, *array, *part) = (walk.path, walk.within, walk.array, walk.part);
        }
    }
}

/// How much a pointee type tells.
fn quality(module: &Module, ty: TypeId) -> u8 {
    match &module[module.strip(ty)] {
        DebugType::Void => 0,
        DebugType::Int { kind: IntKind::Char, .. } | DebugType::Opaque { .. } => 1,
        DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } => 2,
        _ => 3,
    }
}

/// What flows into each block parameter.
fn block_inputs(blocks: &[Block]) -> Vec<(Reg, Vec<Operand>)> {
    let mut inputs: Vec<Vec<Vec<Operand>>> = blocks.iter().map(|b| vec![Vec::new(); b.params.len()]).collect();
    for edge in blocks.iter().flat_map(|b| b.terminator.edges()) {
        for (slot, argument) in inputs[edge.target.index()].iter_mut().zip(&edge.args) {
            slot.push(*argument);
        }
    }
    blocks.iter().flat_map(|b| b.params.iter().copied()).zip(inputs.into_iter().flatten()).collect()
}

struct Spread<'a, 'm> {
    reader: Reader<'a, 'm>,
    steps: &'a HashMap<Reg, Vec<Step>>,
    hints: Vec<Option<TypeId>>,
    /// Addresses of variables: their type is declared, not inferred.
    fixed: HashSet<Reg>,
    changed: bool,
    inputs: Vec<(Reg, Vec<Operand>)>,
}

impl Spread<'_, '_> {
    fn learn(&mut self, pointer: Operand, to: Option<TypeId>) {
        let (Operand::Reg(reg), Some(to)) = (pointer, to) else { return };
        if self.fixed.contains(&reg) {
            return;
        }
        let module = self.reader.module;
        let known = &mut self.hints[reg.index()];
        if known.is_none_or(|k| quality(module, to) > quality(module, k)) {
            *known = Some(to);
            self.changed = true;
        }
    }

    /// What a pointer is known to point to.
    fn pointee(&self, pointer: Operand) -> Option<TypeId> {
        match pointer {
            Operand::Reg(reg) => self.hints[reg.index()],
            Operand::Global(global, 0) => self.reader.module[global].ty,
            _ => None,
        }
    }

    /// What the pointer stored at an address points to.
    fn pointee_of_stored(&self, address: Operand) -> Option<TypeId> {
        match address {
            Operand::Reg(reg) => self.reader.pointee_at(self.hints[reg.index()]?, 0),
            Operand::Global(global, offset) => {
                self.reader.pointee_at(self.reader.module[global].ty?, u64::try_from(offset).ok()?)
            }
            _ => None,
        }
    }

    fn instruction(&mut self, op: &Op) {
        match op {
            Op::Offset { dest, base, .. } => self.offset(*dest, *base),
            Op::Load { dest, ty: Ty::Ptr, address, .. } => {
                self.learn(Operand::Reg(*dest), self.pointee_of_stored(*address));
            }
            Op::Store { ty: Ty::Ptr, address, value, .. } => self.learn(*value, self.pointee_of_stored(*address)),
            Op::AtomicRmw { dest, op: RmwOp::Exchange, ty: Ty::Ptr, address, value, .. } => {
                let to = self.pointee_of_stored(*address);
                self.learn(Operand::Reg(*dest), to);
                self.learn(*value, to);
            }
            Op::CompareExchange { old, ty: Ty::Ptr, address, expected, new, .. } => {
                let to = self.pointee_of_stored(*address);
                [Operand::Reg(*old), *expected, *new].into_iter().for_each(|p| self.learn(p, to));
            }
            Op::Cast { dest, kind: CastKind::Copy, from: Ty::Ptr, to: Ty::Ptr, value } => {
                self.learn(Operand::Reg(*dest), self.pointee(*value));
            }
            Op::Select { dest, ty: Ty::Ptr, if_true, if_false, .. } => {
                let to = self.agreed(*dest, &[*if_true, *if_false]);
                self.learn(Operand::Reg(*dest), to);
            }
            Op::ThreadLocal { dest, global } => self.learn(Operand::Reg(*dest), self.reader.module[*global].ty),
            Op::Call { dests, callee: Callee::Direct(callee), args } => self.call(dests, *callee, args),
            _ => {}
        }
    }

    fn offset(&mut self, dest: Reg, base: Operand) {
        let Some(steps) = self.steps.get(&dest) else { return };
        let (start, _) = self.start(base, steps);
        let walk = self.reader.walk(start, steps, |_| None);
        self.learn(Operand::Reg(dest), walk.result);
        if let Some(Step::Enter { record: Some(name), size, .. }) = steps.first() {
            self.learn(base, self.reader.record(name, *size));
        }
    }

    /// The type that an address computation starts in, and the path to it from the global that it is a part of.
    fn start(&self, base: Operand, steps: &[Step]) -> (Option<TypeId>, String) {
        let nothing = String::new();
        match base {
            Operand::Reg(reg) => (self.hints[reg.index()], nothing),
            Operand::Global(global, offset) => {
                let Some(ty) = self.reader.module[global].ty else { return (None, nothing) };
                match self.reader.part(ty, offset, steps) {
                    Some((part, path)) => (Some(part), path),
                    None => ((offset == 0).then_some(ty), nothing),
                }
            }
            _ => (None, nothing),
        }
    }

    fn call(&mut self, dests: &[Reg], callee: FuncId, args: &[ir::Argument]) {
        let module = self.reader.module;
        let callee = &module[callee];
        if let (&[dest], Some(returned)) = (dests, callee.return_type) {
            self.learn(Operand::Reg(dest), module.pointee(returned));
        }
        // Parameters that the ABI splits or adds have no source parameter of their own.
        if callee.source_params.len() == callee.params.len() {
            for (arg, param) in args.iter().zip(&callee.source_params) {
                self.learn(arg.value, module.pointee(param.ty));
            }
        }
    }

    /// The pointee that all inputs of known type share.
    fn agreed(&self, dest: Reg, inputs: &[Operand]) -> Option<TypeId> {
        let mut known = inputs.iter().filter(|i| **i != Operand::Reg(dest)).filter_map(|i| self.pointee(*i));
        let first = known.next()?;
        known.all(|other| self.reader.module.same_type(first, other)).then_some(first)
    }

    fn parameters(&mut self) {
        let inputs = std::mem::take(&mut self.inputs);
        for (param, operands) in &inputs {
            let to = self.agreed(*param, operands);
            self.learn(Operand::Reg(*param), to);
        }
        self.inputs = inputs;
    }

    /// The final paths, with the names of index variables.
    fn walks(&self, blocks: &[Block], names: &[Option<String>]) -> HashMap<Reg, Walk> {
        let mut widened = HashMap::new();
        let mut objects: HashSet<Reg> = self.fixed.clone();
        let mut walks = HashMap::new();
        for op in blocks.iter().flat_map(|b| &b.insts).map(|i| &i.op) {
            match op {
                Op::Cast {
                    dest, kind: CastKind::ZeroExtend | CastKind::SignExtend, value: Operand::Reg(from), ..
                } => {
                    widened.insert(*dest, *from);
                }
                Op::Alloca { dest, .. } | Op::ThreadLocal { dest, .. } => {
                    objects.insert(*dest);
                }
                _ => {}
            }
        }
        let name = |reg: Reg| names[widened.get(&reg).unwrap_or(&reg).index()].clone();
        for op in blocks.iter().flat_map(|b| &b.insts).map(|i| &i.op) {
            let Op::Offset { dest, base, .. } = op else { continue };
            let Some(steps) = self.steps.get(dest) else { continue };
            let (start, prefix) = self.start(*base, steps);
            let mut walk = self.reader.walk(start, steps, name);
            if !walk.path.is_empty() {
                walk.path.insert_str(0, &prefix);
            }
            let is_object = match base {
                Operand::Reg(reg) => objects.contains(reg),
                _ => true,
            };
            if let Some(rest) = walk.path.strip_prefix('.').filter(|_| !is_object) {
                walk.path = format!("->{rest}");
            }
            walks.insert(*dest, walk);
        }
        walks
    }
}
