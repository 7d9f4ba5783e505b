//! Live registers, backwards to a fixpoint. What is only computed to compute itself anew, such as a count of rounds that nobody looks at, is not
//! live (faint variables; Nielson, Nielson and Hankin, Principles of Program Analysis, exercise 2.4).

use super::Flow;
use crate::{BinaryOp, BlockId, CastKind, Function, Op, Operand, Reg, RegSet, Terminator};

/// The registers on which nothing depends that a function does: no branch, no access, no call and no result.
pub(super) fn faint(function: &Function) -> RegSet {
    let mut makers: Vec<Option<&Op>> = vec![None; function.registers.len()];
    let mut passed: Vec<Vec<Operand>> = vec![Vec::new(); function.registers.len()];
    let mut needed = RegSet::default();
    let mut open: Vec<Reg> = Vec::new();
    let mut need = |operand: Operand, open: &mut Vec<Reg>| {
        if let Operand::Reg(reg) = operand
            && needed.insert(reg)
        {
            open.push(reg);
        }
    };
    for block in &function.blocks {
        for inst in &block.insts {
            if is_plain(&inst.op) {
                inst.op.dests().for_each(|dest| makers[dest.index()] = Some(&inst.op));
            } else {
                inst.op.for_each_operand(|operand| need(operand, &mut open));
            }
        }
        match &block.terminator {
            Terminator::Branch { condition, .. } => need(*condition, &mut open),
            Terminator::Switch { value, .. } => need(*value, &mut open),
            Terminator::Return { values } => values.iter().for_each(|&value| need(value, &mut open)),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
        for edge in block.terminator.edges() {
            for (param, &arg) in function.block(edge.target).params.iter().zip(&edge.args) {
                passed[param.index()].push(arg);
            }
        }
    }
    while let Some(reg) = open.pop() {
        if let Some(op) = makers[reg.index()] {
            op.for_each_operand(|operand| need(operand, &mut open));
        }
        passed[reg.index()].iter().for_each(|&arg| need(arg, &mut open));
    }
    (0..function.registers.len()).map(Reg::new).filter(|&reg| !needed.contains(reg)).collect()
}

/// Whether an instruction does nothing but compute a number, whatever it is given.
fn is_plain(op: &Op) -> bool {
    use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
    match op {
        Op::Binary { op, .. } => matches!(op, Add | Sub | Mul | And | Or | Xor),
        Op::Cast { kind, .. } => {
            matches!(kind, CastKind::ZeroExtend | CastKind::SignExtend | CastKind::Truncate | CastKind::Copy)
        }
        _ => false,
    }
}

/// By block: the registers read before they are set, on some way from its start, the `faint` ones apart; its parameters count as set already.
pub(super) fn live_in(function: &Function, flow: &Flow, faint: &RegSet) -> Vec<RegSet> {
    let (mut live, set): (Vec<RegSet>, Vec<RegSet>) = (0..function.blocks.len()).map(|i| local(function, i)).unzip();
    // Last blocks first, as facts flow backwards. Unreachable blocks come on top in whatever order.
    let mut pending: Vec<usize> = (0..live.len()).filter(|i| !flow.is_reachable(BlockId::new(*i))).collect();
    pending.extend(flow.reverse_postorder().iter().map(|b| b.index()));
    let mut waiting = vec![true; live.len()];
    while let Some(block) = pending.pop() {
        waiting[block] = false;
        let mut after = RegSet::default();
        for edge in function.blocks[block].terminator.edges() {
            let mut needed = live[edge.target.index()].clone();
            for param in &function.block(edge.target).params {
                needed.remove(*param);
            }
            after.union_with(&needed);
        }
        for reg in set[block].iter() {
            after.remove(reg);
        }
        if live[block].union_with(&after) {
            for before in flow.predecessors(BlockId::new(block)) {
                if !std::mem::replace(&mut waiting[before.index()], true) {
                    pending.push(before.index());
                }
            }
        }
    }
    live.iter_mut().for_each(|live| leave_out(live, faint));
    live
}

fn leave_out(live: &mut RegSet, faint: &RegSet) {
    for reg in faint.iter() {
        live.remove(reg);
    }
}

/// What one block reads before setting it, and what its instructions set.
fn local(function: &Function, block: usize) -> (RegSet, RegSet) {
    let (mut read, mut set) = (RegSet::default(), RegSet::default());
    let block = &function.blocks[block];
    let note = |operand, set: &RegSet, read: &mut RegSet| {
        if let Operand::Reg(reg) = operand
            && !set.contains(reg)
        {
            read.insert(reg);
        }
    };
    for inst in &block.insts {
        inst.op.for_each_operand(|operand| note(operand, &set, &mut read));
        for dest in inst.op.dests() {
            set.insert(dest);
        }
    }
    block.terminator.for_each_operand(|operand| note(operand, &set, &mut read));
    (read, set)
}

/// The registers that may still be read once control stands before instruction `inst` of `block`; the terminator counts as
/// one more. `live_in`: of all blocks.
pub(super) fn live_before(
    function: &Function,
    (live_in, faint): (&[RegSet], &RegSet),
    block: BlockId,
    inst: usize,
) -> RegSet {
    let block = function.block(block);
    let mut live = RegSet::default();
    for edge in block.terminator.edges() {
        let mut needed = live_in[edge.target.index()].clone();
        for param in &function.block(edge.target).params {
            needed.remove(*param);
        }
        live.union_with(&needed);
    }
    let read = |operand: Operand, live: &mut RegSet| {
        if let Operand::Reg(reg) = operand {
            live.insert(reg);
        }
    };
    block.terminator.for_each_operand(|operand| read(operand, &mut live));
    for inst in block.insts.get(inst..).unwrap_or_default().iter().rev() {
        for dest in inst.op.dests() {
            live.remove(dest);
        }
        inst.op.for_each_operand(|operand| read(operand, &mut live));
    }
    leave_out(&mut live, faint);
    live
}
