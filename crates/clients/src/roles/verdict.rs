//! Functions whose result says who may do what comes next: whose turn something is, or who was the last.

use ir::{BinaryOp, BlockId, Callee, DebugType, FuncId, Function, Module, Op, Operand, Reg, RmwOp, Terminator};
use std::collections::BTreeSet;

/// Whether a function takes one thing, and returns a number that is made of nothing but comparisons and constants: it says
/// whose turn something is.
pub(super) fn is_verdict(module: &Module, id: FuncId) -> bool {
    let function = &module[id];
    function.source_params.len() == 1
        && returns_number(module, function)
        && returned(function).all(|value| is_made_up(function, value, &mut BTreeSet::new()))
}

fn returns_number(module: &Module, function: &Function) -> bool {
    let is_number = |ty| matches!(module[module.strip(ty)], DebugType::Int { .. } | DebugType::Enum { .. });
    function.return_type.is_some_and(is_number)
}

fn returned(function: &Function) -> impl Iterator<Item = Operand> + '_ {
    function.blocks.iter().filter_map(|block| match &block.terminator {
        Terminator::Return { values } => values.first().copied(),
        _ => None,
    })
}

/// Whether an operand comes from constants and comparisons alone.
fn is_made_up(function: &Function, operand: Operand, seen: &mut BTreeSet<Reg>) -> bool {
    let reg = match operand {
        Operand::Int(_) => return true,
        Operand::Reg(reg) => reg,
        _ => return false,
    };
    if !seen.insert(reg) {
        return true;
    }
    let blocks = function.blocks.iter().enumerate();
    for (number, block) in blocks {
        if let Some(at) = block.params.iter().position(|&param| param == reg) {
            let edges = function.blocks.iter().flat_map(|block| block.terminator.edges());
            let mut into = edges.filter(|edge| edge.target.index() == number);
            return into.all(|edge| edge.args.get(at).is_some_and(|&arg| is_made_up(function, arg, seen)));
        }
        for inst in &block.insts {
            if inst.op.dests().any(|dest| dest == reg) {
                return match &inst.op {
                    Op::Compare { .. } | Op::FloatCompare { .. } => true,
                    Op::Cast { value, .. } => is_made_up(function, *value, seen),
                    Op::Select { if_true, if_false, .. } => {
                        is_made_up(function, *if_true, seen) && is_made_up(function, *if_false, seen)
                    }
                    _ => false,
                };
            }
        }
    }
    false
}

/// Whether a function counts something in memory down and returns a number that depends on what is left: the one that comes to the end
/// is the last (`return --o->refs;`, `return atomic_fetch_sub(&o->refs, 1) == 1;`, `last ? 1 : 0`).
pub(super) fn says_who_is_last(module: &Module, id: FuncId) -> bool {
    says(module, id, &mut BTreeSet::new())
}

/// `open`: those that it is asked of already.
fn says(module: &Module, id: FuncId, open: &mut BTreeSet<FuncId>) -> bool {
    let function = &module[id];
    if !open.insert(id) {
        return false;
    }
    if !returns_number(module, function) {
        return false;
    }
    let left = left(module, function, open);
    if left.is_empty() {
        return false;
    }
    let tells = |operand: Operand| matches!(operand, Operand::Reg(reg) if left.contains(&reg));
    let first = returned(function).next();
    let differ = returned(function).any(|value| Some(value) != first);
    returned(function).any(tells) || differ && decided(function, &left).next().is_some()
}

/// Registers that depend on how much is left of something that was counted down in memory.
fn left(module: &Module, function: &Function, open: &mut BTreeSet<FuncId>) -> BTreeSet<Reg> {
    let mut left: BTreeSet<Reg> = BTreeSet::new();
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    for inst in insts() {
        match &inst.op {
            Op::AtomicRmw { dest, op: RmwOp::Sub, .. } => drop(left.insert(*dest)),
            Op::AtomicRmw { dest, op: RmwOp::Add, value: Operand::Int(by), ty, .. } => {
                let bits = u32::from(ty.bits(module.pointer));
                if bits > 0 && by >> (bits.min(64) - 1) & 1 == 1 {
                    left.insert(*dest);
                }
            }
            Op::Store { address, value: Operand::Reg(stored), .. } if is_less(function, *stored, *address) => {
                left.insert(*stored);
            }
            // What calls of others count down.
            Op::Call { callee: Callee::Direct(callee), dests, .. } if says(module, *callee, open) => left.extend(dests),
            _ => {}
        }
    }
    loop {
        let before = left.len();
        for inst in insts() {
            let mut depends = false;
            if !matches!(inst.op, Op::Call { .. } | Op::Load { .. }) {
                inst.op.for_each_operand(|operand| {
                    depends |= matches!(operand, Operand::Reg(reg) if left.contains(&reg));
                });
            }
            if depends {
                left.extend(inst.op.dests());
            }
        }
        let meetings: BTreeSet<BlockId> = decided(function, &left).collect();
        for (number, block) in function.blocks.iter().enumerate() {
            for (position, &param) in block.params.iter().enumerate() {
                let into = || function.blocks.iter().flat_map(|block| block.terminator.edges());
                let args: Vec<Operand> = into()
                    .filter(|edge| edge.target.index() == number)
                    .filter_map(|edge| edge.args.get(position).copied())
                    .collect();
                let carries = args.iter().any(|arg| matches!(arg, Operand::Reg(reg) if left.contains(reg)));
                let is_decided = meetings.contains(&BlockId::new(number)) && args.iter().any(|arg| *arg != args[0]);
                if carries || is_decided {
                    left.insert(param);
                }
            }
        }
        if left.len() == before {
            return left;
        }
    }
}

/// Where the ways of branches meet again that depend on what is left; of those that meet nowhere, where they part.
fn decided<'f>(function: &'f Function, left: &'f BTreeSet<Reg>) -> impl Iterator<Item = BlockId> + 'f {
    (0..function.blocks.len()).map(BlockId::new).filter_map(move |block| {
        let depends = match &function.block(block).terminator {
            Terminator::Branch { condition: Operand::Reg(reg), .. } => left.contains(reg),
            Terminator::Switch { value: Operand::Reg(reg), .. } => left.contains(reg),
            _ => false,
        };
        depends.then(|| ir::meeting_block(function, block).unwrap_or(block))
    })
}

/// What makes the value of an operand; none for what no instruction does.
fn made(function: &Function, operand: Operand) -> Option<&Op> {
    let Operand::Reg(reg) = operand else { return None };
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.find(|inst| inst.op.dests().any(|dest| dest == reg)).map(|inst| &inst.op)
}

/// Whether a register holds what stands at an address, less one.
fn is_less(function: &Function, stored: Reg, address: Operand) -> bool {
    let is_read = |operand: Operand| match made(function, operand) {
        Some(Op::Load { address: from, .. }) => is_same_place(function, *from, address),
        _ => false,
    };
    match made(function, Operand::Reg(stored)) {
        Some(Op::Binary { op: BinaryOp::Sub, lhs, rhs: Operand::Int(_), .. }) => is_read(*lhs),
        // One less is the largest number more.
        Some(Op::Binary { op: BinaryOp::Add, lhs, rhs: Operand::Int(by), .. }) => {
            *by > u64::from(u16::MAX) && is_read(*lhs)
        }
        _ => false,
    }
}

/// Whether two operands are the same address, as far as registers show.
fn is_same_place(function: &Function, one: Operand, other: Operand) -> bool {
    one == other
        || match (made(function, one), made(function, other)) {
            (
                Some(Op::Offset { base, constant, indices, .. }),
                Some(Op::Offset { base: base2, constant: constant2, indices: indices2, .. }),
            ) => base == base2 && constant == constant2 && indices.is_empty() && indices2.is_empty(),
            _ => false,
        }
}
