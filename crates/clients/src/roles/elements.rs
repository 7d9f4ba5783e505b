//! Which addresses lead to elements of arrays, in loops that go through all of them.

use super::effects::Value;
use super::follow::Follow;
use ir::{BinaryOp, BlockId, CastKind, Op, Operand, Predicate, Reg, ScaledIndex, Terminator};

/// The same member of each element of an array in the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Elements {
    /// Of the first, behind the object's beginning.
    pub(super) first: u64,
    pub(super) step: u64,
    pub(super) count: u64,
}

impl Elements {
    /// Where they are, those behind `end` left out.
    pub(super) fn offsets(self, end: u64) -> impl Iterator<Item = u64> {
        (0..self.count)
            .map(move |index| self.first.saturating_add(index.saturating_mul(self.step)))
            .take_while(move |&at| at < end)
    }
}

impl Follow<'_> {
    /// The elements of which one is at this address in each round of the loop around this block, if that goes through all before it is
    /// left.
    pub(super) fn each_element(&self, at: BlockId, address: Operand) -> Option<Elements> {
        let (mut constant, mut index, mut address) = (0i64, None::<ScaledIndex>, address);
        let start = loop {
            if let Value::Object(Some(offset)) = self.lead(address) {
                break offset;
            }
            let Op::Offset { base, constant: more, indices, .. } = self.definition(address)? else { return None };
            constant = constant.checked_add(*more)?;
            match (indices.as_slice(), index) {
                ([], _) => {}
                ([one], None) => index = Some(*one),
                _ => return None,
            }
            address = *base;
        };
        let index = index?;
        let count = self.rounds(at, index.index)?;
        let first = u64::try_from(start.checked_add(constant)?).ok()?;
        let step = u64::try_from(index.scale).ok().filter(|&step| step > 0)?;
        Some(Elements { first, step, count })
    }

    /// How often the innermost loop around a block goes round, if `index` counts its rounds from zero, and the block is passed in each.
    fn rounds(&self, at: BlockId, index: Operand) -> Option<u64> {
        let header = self.cfg.innermost_loop(at)?;
        let blocks = self.cfg.loop_blocks(header)?;
        let counter = self.without_extension(index)?;
        let place = self.function.block(header).params.iter().position(|&param| param == counter)?;
        let steps_by_one = |operand: Operand| {
            matches!(self.definition(operand),
                Some(Op::Binary { op: BinaryOp::Add, lhs: Operand::Reg(from), rhs: Operand::Int(1), .. }) if *from == counter)
        };
        for &from in self.cfg.predecessors(header) {
            let is_latch = blocks.contains(from);
            if is_latch && !self.cfg.dominates(at, from) {
                return None;
            }
            let mut edges = self.function.block(from).terminator.edges().filter(|edge| edge.target == header);
            let counts = |arg: Operand| if is_latch { steps_by_one(arg) } else { arg == Operand::Int(0) };
            if !edges.all(|edge| edge.args.get(place).copied().is_some_and(counts)) {
                return None;
            }
        }
        let stays = |block: BlockId| {
            block == header || self.function.block(block).terminator.edges().all(|edge| blocks.contains(edge.target))
        };
        if !blocks.iter().all(stays) {
            return None;
        }
        let Terminator::Branch { condition, if_true, if_false } = &self.function.block(header).terminator else {
            return None;
        };
        let Some(Op::Compare { predicate, lhs, rhs: Operand::Int(count), .. }) = self.definition(*condition) else {
            return None;
        };
        let goes_on = blocks.contains(if_true.target) && !blocks.contains(if_false.target);
        let is_bound = matches!(predicate, Predicate::Ult | Predicate::Slt | Predicate::Ne);
        (goes_on && is_bound && self.without_extension(*lhs) == Some(counter)).then_some(*count)
    }

    fn without_extension(&self, operand: Operand) -> Option<Reg> {
        match (operand, self.definition(operand)) {
            (_, Some(Op::Cast { kind: CastKind::ZeroExtend | CastKind::SignExtend, value: Operand::Reg(reg), .. })) => {
                Some(*reg)
            }
            (Operand::Reg(reg), _) => Some(reg),
            _ => None,
        }
    }

    /// The instruction that sets a register.
    fn definition(&self, operand: Operand) -> Option<&Op> {
        let Operand::Reg(reg) = operand else { return None };
        let insts = self.function.blocks.iter().flat_map(|block| &block.insts);
        insts.map(|inst| &inst.op).find(|op| op.dests().any(|dest| dest == reg))
    }
}
