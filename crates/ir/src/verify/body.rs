//! Rules for functions.

use super::{Found, Point, Rule, dominance};
use crate::Argument;
use crate::{
    BitOp, Block, BlockId, Callee, CastKind, Edge, Expected, FloatCast, Function, LocId, Module, Op, Operand, Piece,
    Reg, RmwOp, Terminator, Ty, TypeId,
};
use std::collections::HashSet;
use std::fmt::Display;

pub(super) fn check(module: &Module, function: &Function) -> Vec<Found> {
    let mut checker = Checker { module, function, point: Point::Header, found: Vec::new() };
    checker.header();
    checker.ids();
    if checker.found.iter().any(|(_, rule, _)| *rule == Rule::IdInRange) {
        return checker.found;
    }
    checker.param_types();
    for (i, block) in function.blocks.iter().enumerate() {
        checker.block(BlockId::new(i), block);
    }
    let mut found = checker.found;
    dominance::check(function, &mut found);
    found
}

struct Checker<'m> {
    module: &'m Module,
    function: &'m Function,
    /// Where the check stands.
    point: Point,
    found: Vec<Found>,
}

impl Checker<'_> {
    fn report(&mut self, rule: Rule, detail: impl Into<String>) {
        self.found.push((self.point, rule, detail.into()));
    }

    fn in_range(&mut self, what: impl Display, index: usize, count: usize) {
        if index >= count {
            self.report(Rule::IdInRange, format!("there is no {what}"));
        }
    }

    fn type_id(&mut self, ty: Option<TypeId>) {
        if let Some(ty) = ty {
            self.in_range(ty, ty.index(), self.module.types.len());
        }
    }

    fn location(&mut self, location: Option<LocId>) {
        if let Some(location) = location {
            self.in_range(location, location.index(), self.module.locations.len());
        }
    }

    fn reg(&mut self, reg: Reg) {
        self.in_range(reg, reg.index(), self.function.registers.len());
    }

    /// Whether a register holds the address of one variable of the function's own.
    fn is_variable(&self, register: Reg) -> bool {
        let insts = self.function.blocks.iter().flat_map(|block| &block.insts);
        insts
            .map(|inst| &inst.op)
            .any(|op| matches!(op, Op::Alloca { dest, count: Operand::Int(1), .. } if *dest == register))
    }

    fn width(&mut self, ty: Ty) {
        if let Ty::Int(0) | Ty::Int(129..) = ty {
            self.report(Rule::Width, format!("{ty} has no or too many bits"));
        }
    }

    /// What needs no block: ids and widths of the function's own tables.
    fn header(&mut self) {
        let function = self.function;
        if let Some(file) = function.file {
            self.in_range(file, file.index(), self.module.files.len());
        }
        self.location(function.location);
        self.type_id(function.return_type);
        function.source_params.iter().for_each(|p| self.type_id(Some(p.ty)));
        let is_there = |piece: &Piece| match *piece {
            Piece::Of(source, _) => (source as usize) < function.source_params.len(),
            Piece::Result => true,
        };
        let said = function.pieces.len();
        if said != 0 && said != function.params.len() || !function.pieces.iter().all(is_there) {
            self.report(Rule::Pieces, "what the parameters pass is no list of the source's parameters");
        }
        function.params.iter().for_each(|p| self.reg(p.reg));
        function.returns.iter().for_each(|ty| self.width(*ty));
        for register in &function.registers {
            self.type_id(register.points_to);
            self.width(register.ty);
        }
        if function.blocks.first().is_some_and(|entry| !entry.params.is_empty()) {
            self.point = Point::Block(BlockId::new(0));
            self.report(Rule::EntryBlock, "the entry has parameters");
        }
    }

    /// All ids in the blocks.
    fn ids(&mut self) {
        for (i, block) in self.function.blocks.iter().enumerate() {
            let id = BlockId::new(i);
            self.point = Point::Block(id);
            block.params.iter().for_each(|p| self.reg(*p));
            for (k, inst) in block.insts.iter().enumerate() {
                self.point = Point::Instruction(id, k);
                self.location(inst.location);
                inst.op.dests().for_each(|d| self.reg(d));
                inst.op.for_each_operand(|o| self.operand_id(o));
                match &inst.op {
                    Op::Offset { within: ty, .. } | Op::Alloca { ty, .. } => self.type_id(*ty),
                    Op::Call { callee: Callee::Direct(f), .. } => {
                        self.in_range(f, f.index(), self.module.functions.len());
                    }
                    Op::ThreadLocal { global, .. } => {
                        self.in_range(global, global.index(), self.module.globals.len());
                    }
                    _ => {}
                }
            }
            self.point = Point::Terminator(id);
            self.location(block.terminator_location);
            block.terminator.for_each_operand(|o| self.operand_id(o));
            for edge in block.terminator.edges() {
                self.in_range(edge.target, edge.target.index(), self.function.blocks.len());
            }
        }
    }

    fn operand_id(&mut self, operand: Operand) {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Wide(id) => self.in_range(id, id.index(), self.module.wide.len()),
            Operand::Global(id, _) => self.in_range(id, id.index(), self.module.globals.len()),
            Operand::Func(id) => self.in_range(id, id.index(), self.module.functions.len()),
            Operand::Int(_) | Operand::Undef => {}
        }
    }

    fn param_types(&mut self) {
        self.point = Point::Header;
        for param in &self.function.params {
            let special = param.by_value.is_some() || param.returned_through;
            if special && self.function.register(param.reg).ty != Ty::Ptr {
                self.report(Rule::PassedByPointer, format!("{} is no pointer", param.reg));
            }
        }
    }

    fn block(&mut self, id: BlockId, block: &Block) {
        for (i, inst) in block.insts.iter().enumerate() {
            self.point = Point::Instruction(id, i);
            self.types(&inst.op);
            inst.op.for_each_use(|found| match found.expected {
                Expected::Exactly(ty) => self.operand(found.operand, ty, Rule::OperandType),
                Expected::AnyInt => self.any_int(found.operand),
                Expected::Ignored => {}
            });
            for (k, dest) in inst.op.dests().enumerate() {
                let has = self.function.register(dest).ty;
                if let Some(ty) = inst.op.dest_type(k).filter(|ty| *ty != has) {
                    self.report(Rule::ResultType, format!("{dest} is {has}, the instruction gives {ty}"));
                }
            }
        }
        self.point = Point::Terminator(id);
        self.terminator(&block.terminator);
    }

    /// `rule` names what the operand is.
    fn operand(&mut self, operand: Operand, ty: Ty, rule: Rule) {
        match operand {
            Operand::Reg(reg) => {
                let has = self.function.register(reg).ty;
                if has != ty {
                    self.report(rule, format!("{reg} is {has}, expected {ty}"));
                }
            }
            Operand::Int(value) => {
                let bits = ty.bits(self.module.pointer);
                if bits < 64 && value >> bits != 0 {
                    self.report(Rule::ConstantRange, format!("{value} does not fit {ty}"));
                }
            }
            Operand::Wide(id) => {
                let (value, bits) = (self.module[id], ty.bits(self.module.pointer));
                if bits <= 64 {
                    self.report(rule, format!("{id} stands for a wide constant, expected {ty}"));
                } else if bits < 128 && value >> bits != 0 {
                    self.report(Rule::ConstantRange, format!("{value:#x} does not fit {ty}"));
                }
            }
            Operand::Global(id, _) => {
                if ty != Ty::Ptr {
                    self.report(rule, format!("{id} is an address, expected {ty}"));
                }
                if self.module[id].has_instances() {
                    self.report(Rule::ThreadLocal, format!("{id} has one address a thread, or a block"));
                }
            }
            Operand::Func(id) => {
                if ty != Ty::Ptr {
                    self.report(rule, format!("{id} is an address, expected {ty}"));
                }
            }
            Operand::Undef => {}
        }
    }

    fn any_int(&mut self, operand: Operand) {
        let detail = match operand {
            Operand::Reg(reg) => match self.function.register(reg).ty {
                Ty::Int(_) => return,
                has => format!("{reg} is {has}, expected an integer"),
            },
            Operand::Global(..) | Operand::Func(_) => "an address, expected an integer".to_owned(),
            Operand::Int(_) | Operand::Wide(_) | Operand::Undef => return,
        };
        self.report(Rule::OperandType, detail);
    }

    fn require(&mut self, holds: bool, detail: impl FnOnce() -> String) {
        if !holds {
            self.report(Rule::InstructionType, detail());
        }
    }

    fn is_integer(&mut self, ty: Ty) {
        self.require(matches!(ty, Ty::Int(_)), || format!("{ty} is no integer"));
    }

    fn is_float(&mut self, ty: Ty) {
        self.require(ty.is_float(), || format!("{ty} is no floating-point type"));
    }

    /// The types that an instruction names, and what only some instructions have.
    fn types(&mut self, op: &Op) {
        match op {
            Op::Binary { ty, .. } | Op::Overflow { ty, .. } => {
                self.width(*ty);
                self.is_integer(*ty);
            }
            Op::Bits { op, ty, .. } => {
                self.width(*ty);
                self.is_integer(*ty);
                let swappable = *op != BitOp::ByteSwap || ty.bits(self.module.pointer).is_multiple_of(16);
                self.require(swappable, || format!("{ty} is no even number of bytes"));
            }
            Op::Compare { ty, .. } => {
                self.width(*ty);
                self.require(matches!(ty, Ty::Int(_) | Ty::Ptr), || format!("{ty} has no such order"));
            }
            Op::Cast { kind, from, to, .. } => {
                self.width(*from);
                self.width(*to);
                self.require(converts(*kind, *from, *to), || format!("no such conversion from {from} to {to}"));
            }
            Op::Select { ty, .. } | Op::Load { ty, .. } | Op::Store { ty, .. } | Op::Uninit { ty, .. } => {
                self.width(*ty)
            }
            Op::Float { op, ty, operands, .. } => {
                self.is_float(*ty);
                self.require(operands.len() == op.arity(), || format!("{} operands", operands.len()));
            }
            Op::FloatCompare { ty, .. } | Op::FloatClass { ty, .. } => self.is_float(*ty),
            Op::FloatCast { kind, from, to, .. } => {
                self.width(*from);
                self.width(*to);
                self.require(converts_float(*kind, *from, *to), || format!("no such conversion from {from} to {to}"));
            }
            Op::AtomicRmw { op, ty, .. } => {
                self.width(*ty);
                if op.is_float() {
                    self.is_float(*ty);
                } else if *op != RmwOp::Exchange {
                    self.is_integer(*ty);
                }
            }
            // Any two orders: that of a failure may be the stronger one (C17 7.17.7.4p2, unlike C11).
            Op::CompareExchange { ty, .. } => {
                self.width(*ty);
                self.require(matches!(ty, Ty::Int(_) | Ty::Ptr), || format!("{ty} is no integer or pointer"));
            }
            Op::Offset { indices, .. } => indices.iter().for_each(|i| self.width(Ty::Int(i.bits))),
            Op::Alloca { align, .. } => {
                if !align.is_power_of_two() {
                    self.report(Rule::Alignment, format!("{align} is no power of two"));
                }
            }
            Op::ThreadLocal { global, .. } => {
                if !self.module[*global].has_instances() {
                    self.report(Rule::ThreadLocal, format!("{global} is not thread-local"));
                }
            }
            Op::Call { dests, callee, args } => self.call_types(dests, callee, args),
            Op::LocalBegin { variable } | Op::LocalEnd { variable } => {
                if !self.is_variable(*variable) {
                    self.report(Rule::Variable, format!("{variable} is no variable's"));
                }
            }
            Op::Aligned { align, .. } => {
                if !align.is_power_of_two() {
                    self.report(Rule::Alignment, format!("{align} is no power of two"));
                }
            }
            Op::Fence { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::VaStart { .. }
            | Op::VaEnd { .. }
            | Op::VaCopy { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn call_types(&mut self, dests: &[Reg], callee: &Callee, args: &[Argument]) {
        for arg in args {
            self.width(arg.ty);
            if arg.by_value.is_some() && arg.ty != Ty::Ptr {
                self.report(Rule::PassedByPointer, format!("a copy of {}", arg.ty));
            }
        }
        if let Callee::Direct(f) = callee {
            let has: Vec<Ty> = dests.iter().map(|d| self.function.register(*d).ty).collect();
            let gives = &self.module[*f].returns;
            if has != *gives {
                let detail = format!("{f} gives ({}), the call takes ({})", types(gives), types(&has));
                self.report(Rule::CallResults, detail);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        terminator.edges().for_each(|e| self.edge(e));
        match terminator {
            Terminator::Branch { condition, .. } => self.operand(*condition, Ty::Int(1), Rule::OperandType),
            Terminator::Switch { value, ty, cases, .. } => {
                self.width(*ty);
                self.is_integer(*ty);
                self.operand(*value, *ty, Rule::OperandType);
                let mut seen = HashSet::new();
                for (case, _) in cases {
                    let bits = ty.bits(self.module.pointer);
                    if bits < 64 && case >> bits != 0 {
                        self.report(Rule::SwitchCases, format!("{case} does not fit {ty}"));
                    }
                    if !seen.insert(case) {
                        self.report(Rule::SwitchCases, format!("{case} has two cases"));
                    }
                }
            }
            Terminator::Return { values } => {
                let returns = &self.function.returns;
                if values.len() != returns.len() {
                    let detail = format!("{} for ({})", values.len(), types(returns));
                    self.report(Rule::ReturnValues, detail);
                }
                for (value, ty) in values.iter().zip(returns) {
                    self.operand(*value, *ty, Rule::ReturnValues);
                }
            }
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
    }

    fn edge(&mut self, edge: &Edge) {
        let params = &self.function.block(edge.target).params;
        if edge.args.len() != params.len() {
            let detail = format!("{} for the {} parameters of {}", edge.args.len(), params.len(), edge.target);
            self.report(Rule::EdgeArguments, detail);
        }
        for (arg, param) in edge.args.iter().zip(params) {
            self.operand(*arg, self.function.register(*param).ty, Rule::EdgeArguments);
        }
    }
}

fn types(types: &[Ty]) -> String {
    types.iter().map(Ty::to_string).collect::<Vec<_>>().join(", ")
}

fn converts(kind: CastKind, from: Ty, to: Ty) -> bool {
    match (kind, from, to) {
        (CastKind::ZeroExtend | CastKind::SignExtend, Ty::Int(from), Ty::Int(to)) => from < to,
        (CastKind::Truncate, Ty::Int(from), Ty::Int(to)) => from > to,
        (CastKind::PtrToInt, Ty::Ptr, Ty::Int(_)) | (CastKind::IntToPtr, Ty::Int(_), Ty::Ptr) => true,
        // Between a pointer and an integer a copy would lose what the pointer may reach.
        (CastKind::Copy, from, to) => from.number_bits() == to.number_bits(),
        _ => false,
    }
}

fn converts_float(kind: FloatCast, from: Ty, to: Ty) -> bool {
    match kind {
        FloatCast::FromSigned | FloatCast::FromUnsigned => matches!(from, Ty::Int(_)) && to.is_float(),
        FloatCast::ToSigned
        | FloatCast::ToUnsigned
        | FloatCast::ToSignedSaturating
        | FloatCast::ToUnsignedSaturating
        | FloatCast::FrexpExponent => from.is_float() && matches!(to, Ty::Int(_)),
        FloatCast::Resize => from.is_float() && to.is_float() && from != to,
    }
}
