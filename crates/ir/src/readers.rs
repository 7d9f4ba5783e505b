//! What functions come to: those that only read, those that may call somebody.

use crate::{Callee, FuncId, Function, Module, Op, Operand, Reg, Terminator};
use std::collections::BTreeSet;

/// Whether these functions, and all that they call, write nothing but their own variables, and synchronise with nobody.
pub fn only_read(module: &Module, functions: impl IntoIterator<Item = FuncId>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<FuncId> = functions.into_iter().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let function = &module[id];
        if function.is_declaration() || !only_reads(function, &mut open) {
            return false;
        }
    }
    true
}

/// Whether these functions, or any that they call, may call one without a body that has such a name. Calls through pointers may
/// lead anywhere.
pub fn may_call(module: &Module, functions: impl IntoIterator<Item = FuncId>, has_name: impl Fn(&str) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<FuncId> = functions.into_iter().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let function = &module[id];
        if function.is_declaration() && has_name(&function.name) {
            return true;
        }
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } => open.push(*callee),
                Op::Call { .. } => return true,
                _ => {}
            }
        }
    }
    false
}

/// Whether a function itself only reads, whatever those do that it calls.
fn only_reads(function: &Function, calls: &mut Vec<FuncId>) -> bool {
    let own = own(function);
    let is_own = |address: &Operand| matches!(address, Operand::Reg(reg) if own.contains(reg));
    function.blocks.iter().all(|block| {
        let insts = block.insts.iter().all(|inst| match &inst.op {
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
            | Op::Aligned { .. }
            | Op::LocalBegin { .. }
            | Op::LocalEnd { .. }
            | Op::Load { .. }
            | Op::Uninit { .. } => true,
            Op::Store { address, .. } => is_own(address),
            Op::MemCopy { to, .. } | Op::MemSet { to, .. } => is_own(to),
            Op::Call { callee: Callee::Direct(callee), .. } => {
                calls.push(*callee);
                true
            }
            Op::Call { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::Fence { .. }
            | Op::ThreadLocal { .. }
            | Op::VaStart { .. }
            | Op::VaEnd { .. }
            | Op::VaCopy { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Unsupported { .. } => false,
        });
        insts && !matches!(block.terminator, Terminator::Unsupported { .. })
    })
}

/// Registers that lead into a function's own variables.
fn own(function: &Function) -> BTreeSet<Reg> {
    let mut own = BTreeSet::new();
    loop {
        let before = own.len();
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                Op::Alloca { dest, .. } => drop(own.insert(*dest)),
                Op::Offset { dest, base: Operand::Reg(base), .. } if own.contains(base) => drop(own.insert(*dest)),
                _ => {}
            }
        }
        if own.len() == before {
            return own;
        }
    }
}
