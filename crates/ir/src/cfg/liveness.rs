//! Live registers, backwards to a fixpoint.

use super::Flow;
use crate::{BlockId, Function, Operand, RegSet};

/// By block: the registers read before they are set, on some way from its start; its parameters count as set already.
pub(super) fn live_in(function: &Function, flow: &Flow) -> Vec<RegSet> {
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
    live
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
pub(super) fn live_before(function: &Function, live_in: &[RegSet], block: BlockId, inst: usize) -> RegSet {
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
    live
}
