//! Single assignment, and definitions before uses.

use super::{Found, Point, Rule};
use crate::cfg::Flow;
use crate::{BlockId, Function, Operand, Reg};

/// Where a register gets its value: a block and the index of the instruction before which it is there.
type Definition = (BlockId, usize);

/// Expects ids in range.
pub(super) fn check(function: &Function, found: &mut Vec<Found>) {
    let definitions = definitions(function, found);
    let flow = Flow::new(function);
    for &id in flow.reverse_postorder() {
        let block = function.block(id);
        for (i, inst) in block.insts.iter().enumerate() {
            inst.op.for_each_operand(|operand| {
                reads(&flow, &definitions, operand, (id, i), Point::Instruction(id, i), found);
            });
        }
        let end = (id, block.insts.len());
        block.terminator.for_each_operand(|operand| {
            reads(&flow, &definitions, operand, end, Point::Terminator(id), found);
        });
    }
}

fn reads(
    flow: &Flow,
    definitions: &[Option<Definition>],
    operand: Operand,
    (block, before): (BlockId, usize),
    point: Point,
    found: &mut Vec<Found>,
) {
    let Operand::Reg(reg) = operand else { return };
    let comes_first = definitions[reg.index()]
        .is_some_and(|(home, from)| if home == block { from <= before } else { flow.dominates(home, block) });
    if !comes_first {
        found.push((point, Rule::Dominance, format!("{reg} is read where it may not be set")));
    }
}

fn definitions(function: &Function, found: &mut Vec<Found>) -> Vec<Option<Definition>> {
    let mut definitions = vec![None; function.registers.len()];
    let mut define = |reg: Reg, at: Definition, point: Point| {
        if definitions[reg.index()].replace(at).is_some() {
            found.push((point, Rule::SingleAssignment, format!("{reg} is set elsewhere as well")));
        }
    };
    for param in &function.params {
        define(param.reg, (BlockId::new(0), 0), Point::Header);
    }
    for (i, block) in function.blocks.iter().enumerate() {
        let id = BlockId::new(i);
        for param in &block.params {
            define(*param, (id, 0), Point::Block(id));
        }
        for (k, inst) in block.insts.iter().enumerate() {
            for dest in inst.op.dests() {
                define(dest, (id, k + 1), Point::Instruction(id, k));
            }
        }
    }
    definitions
}
