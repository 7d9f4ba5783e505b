//! One function body: blocks, registers, terminators.
//!
//! Blocks are visited in reverse postorder, so that a value is lowered before its uses, phi inputs aside; terminators and
//! their edges follow when all values are known.

use super::address::{Address, Step};
use super::constant::Constant;
use super::debug::Variables;
use super::{Lowering, hints, inst};
use crate::llvm::{Block, Value, is_gpu, is_of_device};
use ir::{BlockId, CastKind, Edge, Inst, LocId, Op, Operand, Predicate, Reg, Register, Terminator, Ty};
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use std::collections::HashMap;

/// A body in the making.
pub(super) struct Body<'l, 'm> {
    pub(super) cx: &'l mut Lowering<'m>,
    pub(super) function: Value<'m>,
    /// Of a GPU's code.
    pub(super) is_of_device: bool,
    pub(super) variables: Variables<'m>,
    values: HashMap<Value<'m>, Vec<Operand>>,
    pub(super) registers: Vec<Register>,
    blocks: Vec<ir::Block>,
    block_ids: HashMap<Block<'m>, BlockId>,
    current: usize,
    location: Option<LocId>,
    /// Address computations that further ones may continue.
    pub(super) addresses: HashMap<Value<'m>, Address>,
    /// How each [`Op::Offset`] walks through types.
    pub(super) steps: HashMap<Reg, Vec<Step>>,
    /// A broken invariant of LLVM's, which ends the lowering.
    fault: Option<String>,
}

/// Lowers the body of a declared function.
pub(super) fn lower<'m>(cx: &mut Lowering<'m>, function: Value<'m>) -> Result<(), String> {
    let Some(&id) = cx.functions.get(&function) else { return Ok(()) };
    let order = reverse_postorder(function);
    let mut body = Body {
        function,
        is_of_device: cx.is_gpu && (is_gpu(&cx.module.target()) || is_of_device(function)),
        variables: cx.variables.remove(&function).unwrap_or_default(),
        values: HashMap::new(),
        registers: std::mem::take(&mut cx.out.functions[id.index()].registers),
        blocks: Vec::new(),
        block_ids: order.iter().enumerate().map(|(i, b)| (*b, BlockId::new(i))).collect(),
        current: 0,
        location: None,
        addresses: HashMap::new(),
        steps: HashMap::new(),
        fault: None,
        cx,
    };
    body.bind_params(function);
    for (index, block) in order.iter().enumerate() {
        body.current = index;
        body.blocks.push(ir::Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            terminator_location: None,
        });
        let terminator = block.terminator();
        for instruction in block.instructions().filter(|i| Some(*i) != terminator) {
            body.enter(instruction);
            inst::lower(&mut body, instruction);
        }
    }
    for (index, block) in order.iter().enumerate() {
        body.current = index;
        let Some(terminator) = block.terminator() else { return Err("a block without terminator".to_owned()) };
        body.enter(terminator);
        let lowered = body.terminator(*block, terminator);
        body.blocks[index].terminator = lowered;
        body.blocks[index].terminator_location = body.location;
    }
    if let Some(fault) = body.fault {
        return Err(fault);
    }
    let named = body.named_values();
    let Body { registers, blocks, steps, cx, .. } = body;
    let function = &mut cx.out.functions[id.index()];
    function.registers = registers;
    function.blocks = blocks;
    hints::resolve(cx, id, &named, &steps);
    Ok(())
}

/// The reachable blocks, each before its successors where loops allow it.
fn reverse_postorder(function: Value<'_>) -> Vec<Block<'_>> {
    let mut order = Vec::new();
    let Some(&entry) = function.blocks().first() else { return order };
    let mut seen = std::collections::HashSet::from([entry]);
    let mut stack = vec![(entry, successors(entry), 0)];
    while let Some((block, next, position)) = stack.last_mut() {
        // The last successor first, which puts the first one next to its block in the end.
        if let Some(&successor) = next.iter().rev().nth(*position) {
            *position += 1;
            if seen.insert(successor) {
                stack.push((successor, successors(successor), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// The blocks that a block jumps to, as far as the lowering follows.
fn successors(block: Block<'_>) -> Vec<Block<'_>> {
    match block.terminator() {
        Some(t) if matches!(t.opcode(), LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr) => {
            t.successors()
        }
        _ => Vec::new(),
    }
}

impl<'m> Body<'_, 'm> {
    fn bind_params(&mut self, function: Value<'m>) {
        let mut next = 0;
        for param in function.params() {
            let count = self.cx.scalars(param.ty()).parts.len();
            let regs = (next..next + count).map(|i| Operand::Reg(Reg::new(i))).collect();
            next += count;
            self.values.insert(param, regs);
        }
    }

    /// Makes an instruction's position the current one.
    fn enter(&mut self, instruction: Value<'m>) {
        let location = instruction.debug_location();
        self.location = self.cx.debug.location(&mut self.cx.out, location);
    }

    /// What is emitted next stands for inline assembly.
    pub(super) fn enter_assembly(&mut self) {
        self.location = self.location.map(|at| self.cx.debug.assembly(&mut self.cx.out, at));
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.blocks[self.current].insts.push(Inst { op, location: self.location });
    }

    /// A new register.
    pub(super) fn define(&mut self, ty: Ty) -> Reg {
        self.registers.push(Register { ty, name: None, points_to: None });
        Reg::new(self.registers.len() - 1)
    }

    /// Lets an LLVM value stand for operands.
    pub(super) fn bind(&mut self, value: Value<'m>, operands: Vec<Operand>) {
        self.values.insert(value, operands);
    }

    /// New registers for all scalars of an LLVM value.
    pub(super) fn fresh(&mut self, value: Value<'m>) -> Vec<Reg> {
        let types: Vec<Ty> = self.cx.scalars(value.ty()).types().collect();
        let regs: Vec<Reg> = types.into_iter().map(|ty| self.define(ty)).collect();
        self.bind(value, regs.iter().map(|r| Operand::Reg(*r)).collect());
        regs
    }

    /// A new register for an LLVM value that is one scalar of type `ty`.
    pub(super) fn fresh_one(&mut self, value: Value<'m>, ty: Ty) -> Reg {
        let reg = self.define(ty);
        self.bind(value, vec![Operand::Reg(reg)]);
        reg
    }

    /// Gives up on an instruction, by name.
    pub(super) fn unsupported(&mut self, value: Value<'m>, what: impl Into<String>) {
        let dests = self.fresh(value);
        self.emit(Op::Unsupported { what: what.into(), dests });
    }

    /// Block parameters for a phi.
    pub(super) fn phi(&mut self, phi: Value<'m>) {
        let regs = self.fresh(phi);
        self.blocks[self.current].params.extend(regs);
    }

    /// The scalars of a value.
    pub(super) fn operands(&mut self, value: Value<'m>) -> Vec<Operand> {
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        if !value.is_constant() {
            self.fault.get_or_insert_with(|| format!("`{}` is used before it is defined", value.printed()));
            return vec![Operand::Undef; self.cx.scalars(value.ty()).parts.len()];
        }
        let scalars = self.cx.scalars(value.ty());
        let ty = value.ty();
        match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind
                if scalars.exotic.is_none() =>
            {
                if value.is_undef() {
                    return vec![Operand::Undef; scalars.parts.len()];
                }
                let count = match ty.kind() {
                    LLVMTypeKind::LLVMStructTypeKind => ty.fields().len() as u64,
                    LLVMTypeKind::LLVMVectorTypeKind => ty.vector_length(),
                    _ => ty.array_length(),
                };
                let elements = (0..count).filter_map(|i| value.aggregate_element(u32::try_from(i).ok()?));
                let elements: Vec<Value<'m>> = elements.collect();
                let all: Vec<Operand> = elements.into_iter().flat_map(|e| self.operands(e)).collect();
                if all.len() == scalars.parts.len() {
                    return all;
                }
                self.unknown_parts(&value.printed(), &scalars.parts)
            }
            _ if scalars.exotic.is_some() || scalars.parts.len() != 1 => vec![Operand::Undef; scalars.parts.len()],
            _ => vec![self.constant_operand(value, scalars.parts[0].1)],
        }
    }

    fn unknown_parts(&mut self, what: &str, parts: &[(u64, Ty)]) -> Vec<Operand> {
        let dests: Vec<Reg> = parts.iter().map(|(_, ty)| self.define(*ty)).collect();
        self.emit(Op::Unsupported { what: format!("constant `{what}`"), dests: dests.clone() });
        dests.into_iter().map(Operand::Reg).collect()
    }

    /// The scalar that a value is; types that are several or no scalars are refused by the caller.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Operand {
        let operands = self.operands(value);
        operands.first().copied().unwrap_or(Operand::Undef)
    }

    fn constant_operand(&mut self, value: Value<'m>, ty: Ty) -> Operand {
        let address = match self.cx.constant(value) {
            Constant::Int(v) => return self.cx.integer(v),
            Constant::Undef => return Operand::Undef,
            Constant::Global(id, offset) => Operand::Global(id, offset),
            Constant::Func(id) => {
                self.cx.out.functions[id.index()].address_taken = true;
                Operand::Func(id)
            }
            Constant::ThreadLocal(global, offset) => {
                let dest = self.define(Ty::Ptr);
                self.emit(Op::ThreadLocal { dest, global });
                self.displaced(Operand::Reg(dest), offset)
            }
            Constant::Unknown(what) => {
                let dest = self.define(ty);
                self.emit(Op::Unsupported { what, dests: vec![dest] });
                return Operand::Reg(dest);
            }
        };
        if ty == Ty::Ptr {
            return address;
        }
        let dest = self.define(ty);
        self.emit(Op::Cast { dest, kind: CastKind::PtrToInt, from: Ty::Ptr, to: ty, value: address });
        Operand::Reg(dest)
    }

    /// An address some bytes further on.
    pub(super) fn displaced(&mut self, base: Operand, offset: i64) -> Operand {
        match base {
            _ if offset == 0 => base,
            Operand::Global(global, start) => {
                Operand::Global(global, self.cx.out.pointer.wrap(start.wrapping_add(offset)))
            }
            _ => {
                let dest = self.define(Ty::Ptr);
                self.emit(Op::Offset {
                    dest,
                    base,
                    constant: offset,
                    indices: Vec::new(),
                    path: String::new(),
                    within: None,
                    array: false,
                    part: None,
                });
                Operand::Reg(dest)
            }
        }
    }

    fn terminator(&mut self, block: Block<'m>, terminator: Value<'m>) -> Terminator {
        match terminator.opcode() {
            LLVMOpcode::LLVMRet => self.ret(terminator),
            LLVMOpcode::LLVMBr => {
                let targets = terminator.successors();
                match (terminator.is_conditional(), targets.as_slice()) {
                    (true, &[if_true, if_false]) => {
                        let condition = self.operand(terminator.condition());
                        let (if_true, if_false) = (self.edge(block, if_true), self.edge(block, if_false));
                        Terminator::Branch { condition, if_true, if_false }
                    }
                    (_, &[target, ..]) => Terminator::Jump(self.edge(block, target)),
                    _ => Terminator::Unsupported { what: "a branch without target".to_owned() },
                }
            }
            LLVMOpcode::LLVMSwitch => self.switch(block, terminator),
            LLVMOpcode::LLVMIndirectBr => self.indirect_branch(block, terminator),
            LLVMOpcode::LLVMUnreachable => Terminator::Unreachable,
            other => Terminator::Unsupported { what: terminator_name(other).to_owned() },
        }
    }

    fn ret(&mut self, terminator: Value<'m>) -> Terminator {
        if terminator.operand_count() == 0 {
            return Terminator::Return { values: Vec::new() };
        }
        let value = terminator.operand(0);
        match self.cx.scalars(value.ty()).exotic {
            Some(what) => Terminator::Unsupported { what: format!("return of a {what}") },
            None => Terminator::Return { values: self.operands(value) },
        }
    }

    fn switch(&mut self, block: Block<'m>, terminator: Value<'m>) -> Terminator {
        let condition = terminator.operand(0);
        let bits = condition.ty().integer_bits();
        let Some(ty @ Ty::Int(_)) = super::scalars::single(condition.ty()) else {
            return Terminator::Unsupported { what: format!("switch on a {bits}-bit integer") };
        };
        let mut value = self.operand(condition);
        let mut targets = terminator.successors().into_iter().enumerate();
        let Some((_, default)) = targets.next() else {
            return Terminator::Unsupported { what: "a switch without target".to_owned() };
        };
        let default = self.edge(block, default);
        let mut cases = Vec::new();
        let mut wide = Vec::new();
        for (index, target) in targets {
            let case = terminator.case_value(u32::try_from(index).unwrap_or(u32::MAX));
            let edge = self.edge(block, target);
            wide.push(self.operand(case));
            cases.push((if bits <= 64 { case.zero_extended() } else { index as u64 }, edge));
        }
        if bits <= 64 {
            return Terminator::Switch { value, ty, cases, default };
        }
        // Cases have 64 bits: the number of the case that matches is switched on, 0 if there is none.
        let mut number = Operand::Int(0);
        for ((index, _), case) in cases.iter().zip(wide) {
            let condition = self.define(Ty::Int(1));
            let (predicate, lhs, rhs) = (Predicate::Eq, value, case);
            self.emit(Op::Compare { dest: condition, predicate, ty, lhs, rhs });
            let dest = self.define(Ty::Int(32));
            let (condition, if_true) = (Operand::Reg(condition), Operand::Int(*index));
            self.emit(Op::Select { dest, ty: Ty::Int(32), condition, if_true, if_false: number });
            number = Operand::Reg(dest);
        }
        value = number;
        Terminator::Switch { value, ty: Ty::Int(32), cases, default }
    }

    /// `indirectbr`: a switch on the numbers that stand for the labels' addresses. LangRef: another target is undefined.
    fn indirect_branch(&mut self, block: Block<'m>, terminator: Value<'m>) -> Terminator {
        let address = self.operand(terminator.operand(0));
        let word = self.cx.word();
        let dest = self.define(word);
        self.emit(Op::Cast { dest, kind: CastKind::PtrToInt, from: Ty::Ptr, to: word, value: address });
        let mut cases: Vec<(u64, Edge)> = Vec::new();
        for target in terminator.successors() {
            let number = self.cx.label_address(target);
            // A label may be listed several times.
            if cases.iter().all(|(known, _)| *known != number) {
                let edge = self.edge(block, target);
                cases.push((number, edge));
            }
        }
        let nowhere = BlockId::new(self.blocks.len());
        self.blocks.push(ir::Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            terminator_location: self.location,
        });
        let default = Edge { target: nowhere, args: Vec::new() };
        Terminator::Switch { value: Operand::Reg(dest), ty: word, cases, default }
    }

    fn edge(&mut self, from: Block<'m>, to: Block<'m>) -> Edge {
        let Some(&target) = self.block_ids.get(&to) else {
            self.fault.get_or_insert_with(|| "a jump into a block that was not visited".to_owned());
            return Edge { target: BlockId::new(0), args: Vec::new() };
        };
        let mut args = Vec::new();
        for phi in to.instructions().take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI) {
            match phi.incoming().into_iter().find(|(_, block)| *block == from) {
                Some((value, _)) => args.extend(self.operands(value)),
                None => {
                    self.fault.get_or_insert_with(|| format!("`{}` lacks an input", phi.printed()));
                }
            }
        }
        Edge { target, args }
    }

    /// Registers with the source variables that they hold, and storage with its variable.
    fn named_values(&mut self) -> Vec<hints::Named> {
        let mut named = Vec::new();
        for (value, variable) in std::mem::take(&mut self.variables.values) {
            if value.kind() == LLVMValueKind::LLVMMetadataAsValueValueKind {
                continue;
            }
            let Some([Operand::Reg(reg)]) = self.values.get(&value).map(Vec::as_slice) else { continue };
            let ty = self.cx.types.id(&mut self.cx.out, variable.variable_type());
            named.push(hints::Named { reg: *reg, name: variable.variable_name(), ty, is_address: false });
        }
        for (value, variable) in std::mem::take(&mut self.variables.storage) {
            let Some([Operand::Reg(reg)]) = self.values.get(&value).map(Vec::as_slice) else { continue };
            let ty = self.cx.types.id(&mut self.cx.out, variable.variable_type());
            named.push(hints::Named { reg: *reg, name: variable.variable_name(), ty, is_address: true });
        }
        // The map of storage has no order of its own.
        named.sort_by_key(|n| (n.is_address, n.reg));
        named
    }
}

fn terminator_name(opcode: LLVMOpcode) -> &'static str {
    match opcode {
        LLVMOpcode::LLVMCallBr => "inline assembly that jumps (`asm goto`)",
        LLVMOpcode::LLVMInvoke => "a call that may throw (invoke)",
        LLVMOpcode::LLVMResume => "exception handling (resume)",
        _ => "exception handling",
    }
}
