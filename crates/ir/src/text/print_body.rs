//! Printing of function bodies.

use super::keyword::Keyword;
use super::print::{global_address, label, list, location_suffix, name, put, quoted, register};
use crate::{Argument, Callee, Edge, FuncId, Function, LocId, Module, Op, Operand, Reg, ScaledIndex, Terminator, Ty};
use std::fmt::Write;

pub(super) struct BodyPrinter<'m> {
    pub(super) module: &'m Module,
    pub(super) function: &'m Function,
}

impl BodyPrinter<'_> {
    pub(super) fn blocks(&self, out: &mut String) {
        if self.function.blocks.is_empty() {
            out.push('\n');
            return;
        }
        out.push_str(" {\n");
        for (i, block) in self.function.blocks.iter().enumerate() {
            put!(out, "b{i}");
            if !block.params.is_empty() {
                out.push('(');
                list(out, &block.params, |out, reg| register(out, self.function, *reg));
                out.push(')');
            }
            out.push_str(":\n");
            for inst in &block.insts {
                let mut line = String::from("  ");
                self.dests(&mut line, &inst.op);
                self.op(&mut line, &inst.op);
                self.end_line(out, line, inst.location);
            }
            let mut line = String::from("  ");
            self.terminator(&mut line, &block.terminator);
            self.end_line(out, line, block.terminator_location);
        }
        out.push_str("}\n");
    }

    fn end_line(&self, out: &mut String, mut line: String, location: Option<LocId>) {
        location_suffix(&mut line, self.module, location);
        line.push('\n');
        out.push_str(&line);
    }

    /// The results, with their type where the instruction does not tell it.
    fn dests(&self, out: &mut String, op: &Op) {
        let dests: Vec<(usize, Reg)> = op.dests().enumerate().collect();
        list(out, &dests, |out, (i, reg)| match self.function.registers.get(reg.index()) {
            Some(found) if found.points_to.is_none() && Some(found.ty) == op.dest_type(*i) => {
                put!(out, "{reg}");
                if let Some(text) = &found.name {
                    put!(out, " {}", name(text));
                }
            }
            _ => register(out, self.function, *reg),
        });
        if !dests.is_empty() {
            out.push_str(" = ");
        }
    }

    fn function_name(&self, out: &mut String, id: FuncId) {
        put!(out, "{id}");
        label(out, self.module.functions.get(id.index()).map(|f| &f.name));
    }

    /// An operand whose type is known to be `ty`, if it is.
    fn operand(&self, out: &mut String, operand: Operand, ty: Option<Ty>) {
        match operand {
            Operand::Reg(reg) => put!(out, "{reg}"),
            Operand::Int(value) => int(out, value, ty),
            Operand::Wide(id) => put!(out, "{id}"),
            Operand::Global(global, plus) => global_address(out, self.module, global, plus),
            Operand::Func(id) => self.function_name(out, id),
            Operand::Undef => out.push_str("undef"),
        }
    }

    fn address(&self, out: &mut String, operand: Operand) {
        out.push('[');
        self.operand(out, operand, Some(Ty::Ptr));
        out.push(']');
    }

    /// ` ty first, second ...`
    fn typed(&self, out: &mut String, ty: Ty, operands: &[Operand]) {
        put!(out, " {ty} ");
        list(out, operands, |out, operand| self.operand(out, *operand, Some(ty)));
    }

    fn op(&self, out: &mut String, op: &Op) {
        match op {
            Op::Binary { op, ty, lhs, rhs, .. } => {
                out.push_str(op.word());
                self.typed(out, *ty, &[*lhs, *rhs]);
            }
            Op::Compare { predicate, ty, lhs, rhs, .. } => {
                put!(out, "cmp {}", predicate.word());
                self.typed(out, *ty, &[*lhs, *rhs]);
            }
            Op::Cast { kind, from, to, value, .. } => {
                out.push_str(kind.word());
                self.typed(out, *from, &[*value]);
                put!(out, " to {to}");
            }
            Op::Select { ty, condition, if_true, if_false, .. } => {
                out.push_str("select ");
                self.operand(out, *condition, Some(Ty::Int(1)));
                out.push(',');
                self.typed(out, *ty, &[*if_true, *if_false]);
            }
            Op::Overflow { op, ty, lhs, rhs, .. } => {
                put!(out, "overflow {}", op.word());
                self.typed(out, *ty, &[*lhs, *rhs]);
            }
            Op::Bits { op, ty, lhs, rhs, .. } => {
                out.push_str(op.word());
                // What a one-operand operation ignores is mostly undef, and then left out.
                let count = if op.is_unary() && *rhs == Operand::Undef { 1 } else { 2 };
                self.typed(out, *ty, &[*lhs, *rhs][..count]);
            }
            Op::Float { op, ty, operands, .. } => {
                put!(out, "{} {ty} ", op.word());
                let operands: Vec<(usize, Operand)> = operands.iter().copied().enumerate().collect();
                list(out, &operands, |out, (i, operand)| self.operand(out, *operand, Some(op.operand_type(*i, *ty))));
            }
            Op::FloatCompare { predicate, ty, lhs, rhs, .. } => {
                put!(out, "fcmp {}", predicate.word());
                self.typed(out, *ty, &[*lhs, *rhs]);
            }
            Op::FloatCast { kind, from, to, value, .. } => {
                out.push_str(kind.word());
                self.typed(out, *from, &[*value]);
                put!(out, " to {to}");
            }
            Op::FloatClass { ty, value, classes, .. } => {
                put!(out, "float_class {classes}");
                self.typed(out, *ty, &[*value]);
            }
            Op::Offset { base, constant, indices, path, within, array, part, .. } => {
                out.push_str("offset ");
                self.operand(out, *base, Some(Ty::Ptr));
                self.offset(out, *constant, indices);
                if !path.is_empty() {
                    put!(out, " {}", quoted(path));
                }
                if let Some(ty) = within {
                    put!(out, " within {ty}");
                }
                out.push_str(if *array { " array" } else { "" });
                if let Some(part) = part {
                    put!(out, " part -{} {}", part.before, part.bytes);
                }
            }
            Op::Call { callee, args, .. } => self.call(out, callee, args),
            Op::Unsupported { what, .. } => put!(out, "unsupported {}", quoted(what)),
            Op::Uninit { ty, .. } => put!(out, "uninit {ty}"),
            _ => self.memory_op(out, op),
        }
    }

    fn offset(&self, out: &mut String, constant: i64, indices: &[ScaledIndex]) {
        if constant != 0 {
            put!(out, " {} {}", if constant < 0 { '-' } else { '+' }, constant.unsigned_abs());
        }
        for ScaledIndex { index, bits, scale } in indices {
            put!(out, " + i{bits} ");
            self.operand(out, *index, Some(Ty::Int(*bits)));
            put!(out, " * {scale}");
        }
    }

    fn call(&self, out: &mut String, callee: &Callee, args: &[Argument]) {
        out.push_str("call ");
        match callee {
            Callee::Direct(id) => self.function_name(out, *id),
            Callee::Indirect(target) => {
                out.push('*');
                self.operand(out, *target, Some(Ty::Ptr));
            }
        }
        out.push('(');
        list(out, args, |out, Argument { value, ty, by_value }| {
            put!(out, "{ty} ");
            self.operand(out, *value, Some(*ty));
            if let Some(size) = by_value {
                put!(out, " byval({size})");
            }
        });
        out.push(')');
    }

    fn memory_op(&self, out: &mut String, op: &Op) {
        match op {
            Op::Load { ty, address, volatile, order, .. } => {
                put!(out, "load {ty} ");
                self.address(out, *address);
                out.push_str(if *volatile { " volatile" } else { "" });
                order.iter().for_each(|o| put!(out, " {}", o.word()));
            }
            Op::Store { ty, address, value, volatile, order } => {
                out.push_str("store");
                self.typed(out, *ty, &[*value]);
                out.push_str(", ");
                self.address(out, *address);
                out.push_str(if *volatile { " volatile" } else { "" });
                order.iter().for_each(|o| put!(out, " {}", o.word()));
            }
            Op::AtomicRmw { op, ty, address, value, order, .. } => {
                put!(out, "rmw {} {ty} ", op.word());
                self.address(out, *address);
                out.push_str(", ");
                self.operand(out, *value, Some(*ty));
                put!(out, " {}", order.word());
            }
            Op::CompareExchange { ty, address, expected, new, weak, success_order, failure_order, .. } => {
                put!(out, "cmpxchg {}{ty} ", if *weak { "weak " } else { "" });
                self.address(out, *address);
                out.push_str(", ");
                self.operand(out, *expected, Some(*ty));
                out.push_str(" -> ");
                self.operand(out, *new, Some(*ty));
                put!(out, " {} {}", success_order.word(), failure_order.word());
            }
            Op::Alloca { size, count, align, ty, name: variable, .. } => {
                put!(out, "alloca {size}");
                if *count != Operand::Int(1) {
                    out.push_str(" * ");
                    self.operand(out, *count, None);
                }
                put!(out, " align {align}");
                if variable.is_some() || ty.is_some() {
                    out.push_str(" var");
                }
                variable.iter().for_each(|n| put!(out, " {}", name(n)));
                ty.iter().for_each(|t| put!(out, ": {t}"));
            }
            Op::MemCopy { to, from, length, may_overlap } => {
                out.push_str(if *may_overlap { "memmove " } else { "memcpy " });
                self.address(out, *to);
                out.push_str(", ");
                self.address(out, *from);
                out.push_str(", ");
                self.operand(out, *length, Some(Ty::Int(64)));
            }
            Op::MemSet { to, byte, length } => {
                out.push_str("memset ");
                self.address(out, *to);
                out.push_str(", ");
                self.operand(out, *byte, Some(Ty::Int(8)));
                out.push_str(", ");
                self.operand(out, *length, Some(Ty::Int(64)));
            }
            _ => self.other_op(out, op),
        }
    }

    /// Instructions with at most addresses as operands.
    fn other_op(&self, out: &mut String, op: &Op) {
        match op {
            Op::Fence { order, single_thread } => {
                put!(out, "fence {}{}", order.word(), if *single_thread { " single_thread" } else { "" });
            }
            Op::ThreadLocal { global, .. } => {
                out.push_str("thread_local ");
                global_address(out, self.module, *global, 0);
            }
            Op::VaStart { list } => {
                out.push_str("va_start ");
                self.address(out, *list);
            }
            Op::VaEnd { list } => {
                out.push_str("va_end ");
                self.address(out, *list);
            }
            Op::VaCopy { to, from } => {
                out.push_str("va_copy ");
                self.address(out, *to);
                out.push_str(", ");
                self.address(out, *from);
            }
            Op::Aligned { address, align } => {
                out.push_str("aligned ");
                self.address(out, *address);
                put!(out, ", {align}");
            }
            Op::LocalBegin { variable } => put!(out, "local_begin {variable}"),
            Op::LocalEnd { variable } => put!(out, "local_end {variable}"),
            Op::StackSave { .. } => out.push_str("stack_save"),
            Op::StackRestore { saved } => {
                out.push_str("stack_restore ");
                self.operand(out, *saved, Some(Ty::Ptr));
            }
            Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Overflow { .. }
            | Op::Bits { .. }
            | Op::Float { .. }
            | Op::FloatCompare { .. }
            | Op::FloatCast { .. }
            | Op::FloatClass { .. }
            | Op::Offset { .. }
            | Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::Call { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Uninit { .. }
            | Op::Unsupported { .. } => unreachable!("handled by the callers"),
        }
    }

    fn edge(&self, out: &mut String, edge: &Edge) {
        put!(out, "{}", edge.target);
        if edge.args.is_empty() {
            return;
        }
        out.push('(');
        let args: Vec<(usize, Operand)> = edge.args.iter().copied().enumerate().collect();
        list(out, &args, |out, (i, arg)| self.operand(out, *arg, edge_type(self.function, edge, *i)));
        out.push(')');
    }

    fn terminator(&self, out: &mut String, terminator: &Terminator) {
        match terminator {
            Terminator::Jump(edge) => {
                out.push_str("jump ");
                self.edge(out, edge);
            }
            Terminator::Branch { condition, if_true, if_false } => {
                out.push_str("branch ");
                self.operand(out, *condition, Some(Ty::Int(1)));
                for edge in [if_true, if_false] {
                    out.push_str(", ");
                    self.edge(out, edge);
                }
            }
            Terminator::Switch { value, ty, cases, default } => {
                out.push_str("switch");
                self.typed(out, *ty, &[*value]);
                out.push_str(" { ");
                for (case, edge) in cases {
                    int(out, *case, Some(*ty));
                    out.push_str(": ");
                    self.edge(out, edge);
                    out.push_str(", ");
                }
                out.push_str("default: ");
                self.edge(out, default);
                out.push_str(" }");
            }
            Terminator::Return { values } => {
                out.push_str(if values.is_empty() { "return" } else { "return " });
                let values: Vec<(usize, Operand)> = values.iter().copied().enumerate().collect();
                list(out, &values, |out, (i, value)| {
                    self.operand(out, *value, self.function.returns.get(*i).copied());
                });
            }
            Terminator::Unreachable => out.push_str("unreachable"),
            Terminator::Unsupported { what } => put!(out, "unsupported_end {}", quoted(what)),
        }
    }
}

/// The type of the parameter that an edge's `index`th argument becomes.
pub(super) fn edge_type(function: &Function, edge: &Edge, index: usize) -> Option<Ty> {
    let reg = function.blocks.get(edge.target.index())?.params.get(index)?;
    function.registers.get(reg.index()).map(|r| r.ty)
}

/// A constant, in the shape in which its type is mostly read.
fn int(out: &mut String, value: u64, ty: Option<Ty>) {
    match ty {
        Some(Ty::Ptr) if value == 0 => out.push_str("null"),
        Some(Ty::Int(bits @ 8..=64)) => {
            let all_ones = u64::MAX >> (64 - bits);
            // -1 is bitwise all ones, so the magnitude of a negative value is the complement plus one.
            match all_ones.checked_sub(value) {
                Some(below @ 0..0xffff) if value > all_ones / 2 => put!(out, "-{}", below + 1),
                _ => put!(out, "{value}"),
            }
        }
        Some(Ty::Int(_)) => put!(out, "{value}"),
        _ if value < 1 << 20 => put!(out, "{value}"),
        _ => put!(out, "{value:#x}"),
    }
}
