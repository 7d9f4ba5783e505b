//! What the running of a loop depends on, by following data backwards within the loop.
//!
//! Control dependence needs no rules of its own: every branch condition of the loop is a starting point.

use super::Flow;
use crate::{BinaryOp, BlockId, BlockSet, Function, Op, Operand, Reg, RegSet, Role, Terminator, Ty};

#[derive(Clone, Copy)]
enum Definition {
    Inst(BlockId, usize),
    Param(BlockId, usize),
    /// A parameter of the function.
    Outside,
}

pub(super) struct Slicer<'f> {
    function: &'f Function,
    flow: &'f Flow,
    definitions: Vec<Definition>,
}

impl<'f> Slicer<'f> {
    pub(super) fn new(function: &'f Function, flow: &'f Flow) -> Self {
        let mut definitions = vec![Definition::Outside; function.registers.len()];
        for (i, block) in function.blocks.iter().enumerate() {
            let id = BlockId::new(i);
            for (k, param) in block.params.iter().enumerate() {
                definitions[param.index()] = Definition::Param(id, k);
            }
            for (k, inst) in block.insts.iter().enumerate() {
                for dest in inst.op.dests() {
                    definitions[dest.index()] = Definition::Inst(id, k);
                }
            }
        }
        Slicer { function, flow, definitions }
    }

    pub(super) fn control_relevant(&self, blocks: &BlockSet, live: &RegSet) -> RegSet {
        let mut seeds = RegSet::default();
        for block in blocks.iter() {
            let block = self.function.block(block);
            for inst in &block.insts {
                inst.op.for_each_use(|found| {
                    if let (Role::Address | Role::Effect, Operand::Reg(reg)) = (found.role, found.operand) {
                        seeds.insert(reg);
                    }
                });
            }
            seeds.extend(condition(&block.terminator));
        }
        self.dependencies(seeds, blocks).iter().filter(|reg| live.contains(*reg)).collect()
    }

    /// What decides where the loop goes, whatever it stores: as above, without the values of stores; and of other loads
    /// than those that this depends on.
    pub(super) fn steering(&self, blocks: &BlockSet) -> RegSet {
        let mut seeds = RegSet::default();
        for block in blocks.iter() {
            let block = self.function.block(block);
            for inst in &block.insts {
                let stores = matches!(inst.op, Op::Store { .. });
                inst.op.for_each_use(|found| {
                    let counts = found.role == Role::Address || found.role == Role::Effect && !stores;
                    if let (true, Operand::Reg(reg)) = (counts, found.operand) {
                        seeds.insert(reg);
                    }
                });
            }
            seeds.extend(condition(&block.terminator));
        }
        self.dependencies(seeds, blocks)
    }

    pub(super) fn carried_pointer_exit(&self, header: BlockId, blocks: &BlockSet) -> bool {
        let mut conditions = RegSet::default();
        for block in blocks.iter() {
            let terminator = &self.function.block(block).terminator;
            if terminator.edges().any(|edge| !blocks.contains(edge.target)) {
                conditions.extend(condition(terminator));
            }
        }
        let decisive = self.dependencies(conditions, blocks);
        let params = &self.function.block(header).params;
        params.iter().enumerate().any(|(i, param)| {
            decisive.contains(*param)
                && self.function.register(*param).ty == Ty::Ptr
                && self.comes_from_load(self.arguments(header, i, blocks), blocks)
        })
    }

    /// Whether a natural loop counts: it carries round a number or a pointer, one of these, to which each round adds the same constant.
    pub(super) fn counts(&self, header: BlockId, blocks: &BlockSet, among: impl Fn(Reg) -> bool) -> bool {
        let params = &self.function.block(header).params;
        params.iter().enumerate().filter(|(_, param)| among(**param)).any(|(i, param)| {
            let mut steps = self.arguments(header, i, blocks).into_iter().map(|value| self.step(*param, value));
            let Some(Some(first)) = steps.next() else { return false };
            steps.all(|step| step == Some(first))
        })
    }

    /// The constant by which a value exceeds a register, if it takes that register long to come back to what it was.
    fn step(&self, from: Reg, value: Operand) -> Option<u64> {
        /// A counter of 32 bits and such a step has more values than rounds are ever looked at.
        const LARGEST: u64 = 1 << 12;
        let Operand::Reg(reg) = value else { return None };
        let Definition::Inst(block, i) = self.definitions[reg.index()] else { return None };
        let step = match self.function.block(block).insts[i].op {
            Op::Binary { op, ty: Ty::Int(32..=64), lhs, rhs: Operand::Int(by), .. } if lhs == Operand::Reg(from) => {
                match op {
                    BinaryOp::Add => by,
                    BinaryOp::Sub => by.wrapping_neg(),
                    _ => return None,
                }
            }
            Op::Offset { base, constant, ref indices, .. } if base == Operand::Reg(from) && indices.is_empty() => {
                constant as u64
            }
            _ => return None,
        };
        (step != 0 && 1 << step.trailing_zeros() <= LARGEST).then_some(step)
    }

    /// `seeds` and all that their values depend on within `blocks`, through memory addresses too.
    fn dependencies(&self, seeds: RegSet, blocks: &BlockSet) -> RegSet {
        let mut pending: Vec<Reg> = seeds.iter().collect();
        let mut found = seeds;
        while let Some(reg) = pending.pop() {
            let mut depend = |operand| {
                if let Operand::Reg(reg) = operand
                    && found.insert(reg)
                {
                    pending.push(reg);
                }
            };
            match self.definitions[reg.index()] {
                Definition::Inst(block, i) if blocks.contains(block) => {
                    self.function.block(block).insts[i].op.for_each_operand(depend);
                }
                Definition::Param(block, i) if blocks.contains(block) => {
                    self.arguments(block, i, blocks).into_iter().for_each(&mut depend);
                }
                Definition::Inst(..) | Definition::Param(..) | Definition::Outside => {}
            }
        }
        found
    }

    /// Whether one of the values is, perhaps offset, converted, selected, carried round or put through a function, what the loop loaded.
    fn comes_from_load(&self, values: Vec<Operand>, blocks: &BlockSet) -> bool {
        let mut pending = values;
        let mut seen = RegSet::default();
        while let Some(operand) = pending.pop() {
            let Operand::Reg(reg) = operand else { continue };
            if !seen.insert(reg) {
                continue;
            }
            match self.definitions[reg.index()] {
                Definition::Inst(block, i) if blocks.contains(block) => match &self.function.block(block).insts[i].op {
                    op if op.reads_memory_into_dest() => return true,
                    // As a function that takes a mark out of a pointer does.
                    Op::Call { args, .. } => pending.extend(args.iter().map(|arg| arg.value)),
                    Op::Select { if_true, if_false, .. } => pending.extend([*if_true, *if_false]),
                    op => op.for_each_operand(|operand| pending.push(operand)),
                },
                Definition::Param(block, i) if blocks.contains(block) => {
                    pending.extend(self.arguments(block, i, blocks));
                }
                Definition::Inst(..) | Definition::Param(..) | Definition::Outside => {}
            }
        }
        false
    }

    /// What the blocks in `from` pass for the `index`th parameter of `block`.
    fn arguments(&self, block: BlockId, index: usize, from: &BlockSet) -> Vec<Operand> {
        let sources = self.flow.predecessors(block).iter().filter(|p| from.contains(**p));
        let edges = sources.flat_map(|p| self.function.block(*p).terminator.edges());
        edges.filter(|edge| edge.target == block).map(|edge| edge.args[index]).collect()
    }
}

/// The register that decides which edge is taken.
fn condition(terminator: &Terminator) -> Option<Reg> {
    match terminator {
        Terminator::Branch { condition: Operand::Reg(reg), .. }
        | Terminator::Switch { value: Operand::Reg(reg), .. } => Some(*reg),
        _ => None,
    }
}
