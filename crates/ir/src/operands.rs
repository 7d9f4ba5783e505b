//! What each instruction expects of its operands and gives its results: the one place that the verifier, the text
//! format and the data-flow analyses learn it from.

use crate::{BinaryOp, BitOp, Callee, Op, Operand, Ty};

/// The type that an operand must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Exactly(Ty),
    /// An integer of any width.
    AnyInt,
    /// The instruction does not read it.
    Ignored,
}

/// What an operand is read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It decides the results and nothing else.
    Data,
    /// Memory there is read or written.
    Address,
    /// It decides something beyond the results: what is stored or passed on, how much is copied, whether the
    /// instruction faults.
    Effect,
}

/// One operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub operand: Operand,
    pub expected: Expected,
    pub role: Role,
}

impl BitOp {
    /// Whether the operation ignores its second operand.
    pub fn is_unary(self) -> bool {
        match self {
            BitOp::PopCount
            | BitOp::LeadingZeros
            | BitOp::TrailingZeros
            | BitOp::ByteSwap
            | BitOp::BitReverse
            | BitOp::Abs => true,
            BitOp::SMax | BitOp::SMin | BitOp::UMax | BitOp::UMin => false,
        }
    }
}

impl Op {
    /// The type of the `index`th result, as the instruction itself determines it: `None` for the results of a call and
    /// of an unknown instruction.
    pub fn dest_type(&self, index: usize) -> Option<Ty> {
        let types = match self {
            Op::Binary { ty, .. }
            | Op::Select { ty, .. }
            | Op::Bits { ty, .. }
            | Op::Float { ty, .. }
            | Op::Load { ty, .. }
            | Op::AtomicRmw { ty, .. }
            | Op::Uninit { ty, .. } => [Some(*ty), None],
            Op::Compare { .. } | Op::FloatCompare { .. } | Op::FloatClass { .. } => [Some(Ty::Int(1)), None],
            Op::Cast { to, .. } | Op::FloatCast { to, .. } => [Some(*to), None],
            Op::Overflow { ty, .. } | Op::CompareExchange { ty, .. } => [Some(*ty), Some(Ty::Int(1))],
            Op::Offset { .. } | Op::Alloca { .. } | Op::ThreadLocal { .. } | Op::StackSave { .. } => {
                [Some(Ty::Ptr), None]
            }
            Op::Store { .. }
            | Op::Aligned { .. }
            | Op::LocalBegin { .. }
            | Op::LocalEnd { .. }
            | Op::Fence { .. }
            | Op::Call { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::VaStart { .. }
            | Op::VaEnd { .. }
            | Op::VaCopy { .. }
            | Op::StackRestore { .. }
            | Op::Unsupported { .. } => [None, None],
        };
        types.get(index).copied().flatten()
    }

    /// Whether the results come from memory.
    pub fn reads_memory_into_dest(&self) -> bool {
        matches!(self, Op::Load { .. } | Op::AtomicRmw { .. } | Op::CompareExchange { .. })
    }

    /// Calls `visit` on each operand with what is expected of it, in the order of [`Op::for_each_operand`].
    pub fn for_each_use(&self, mut visit: impl FnMut(Use)) {
        let mut see = |operand, ty, role| visit(Use { operand, expected: Expected::Exactly(ty), role });
        match self {
            Op::Binary { op, ty, lhs, rhs, .. } => {
                let (left, right) = division_roles(*op, *ty, *rhs);
                see(*lhs, *ty, left);
                see(*rhs, *ty, right);
            }
            Op::Compare { ty, lhs, rhs, .. }
            | Op::Overflow { ty, lhs, rhs, .. }
            | Op::FloatCompare { ty, lhs, rhs, .. } => {
                see(*lhs, *ty, Role::Data);
                see(*rhs, *ty, Role::Data);
            }
            Op::Bits { op, ty, lhs, rhs, .. } => {
                see(*lhs, *ty, Role::Data);
                let expected = if op.is_unary() { Expected::Ignored } else { Expected::Exactly(*ty) };
                visit(Use { operand: *rhs, expected, role: Role::Data });
            }
            Op::Cast { from, value, .. } | Op::FloatCast { from, value, .. } => see(*value, *from, Role::Data),
            Op::FloatClass { ty, value, .. } => see(*value, *ty, Role::Data),
            Op::Float { op, ty, operands, .. } => {
                operands.iter().enumerate().for_each(|(i, o)| see(*o, op.operand_type(i, *ty), Role::Data));
            }
            Op::Select { ty, condition, if_true, if_false, .. } => {
                see(*condition, Ty::Int(1), Role::Data);
                see(*if_true, *ty, Role::Data);
                see(*if_false, *ty, Role::Data);
            }
            Op::Offset { base, indices, .. } => {
                see(*base, Ty::Ptr, Role::Data);
                indices.iter().for_each(|i| see(i.index, Ty::Int(i.bits), Role::Data));
            }
            Op::Alloca { count, .. } => {
                visit(Use { operand: *count, expected: Expected::AnyInt, role: Role::Effect });
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    see(*target, Ty::Ptr, Role::Effect);
                }
                args.iter().for_each(|a| see(a.value, a.ty, Role::Effect));
            }
            _ => self.for_each_memory_use(see),
        }
    }

    /// The part of [`Op::for_each_use`] for instructions that touch memory themselves, or read nothing.
    fn for_each_memory_use(&self, mut see: impl FnMut(Operand, Ty, Role)) {
        match self {
            Op::Load { address, .. } => see(*address, Ty::Ptr, Role::Address),
            Op::Store { ty, address, value, .. } | Op::AtomicRmw { ty, address, value, .. } => {
                see(*address, Ty::Ptr, Role::Address);
                see(*value, *ty, Role::Effect);
            }
            Op::CompareExchange { ty, address, expected, new, .. } => {
                see(*address, Ty::Ptr, Role::Address);
                see(*expected, *ty, Role::Effect);
                see(*new, *ty, Role::Effect);
            }
            Op::MemCopy { to, from, length, .. } => {
                see(*to, Ty::Ptr, Role::Address);
                see(*from, Ty::Ptr, Role::Address);
                see(*length, Ty::Int(64), Role::Effect);
            }
            Op::MemSet { to, byte, length } => {
                see(*to, Ty::Ptr, Role::Address);
                see(*byte, Ty::Int(8), Role::Effect);
                see(*length, Ty::Int(64), Role::Effect);
            }
            Op::VaStart { list } | Op::VaEnd { list } => see(*list, Ty::Ptr, Role::Address),
            Op::VaCopy { to, from } => {
                see(*to, Ty::Ptr, Role::Address);
                see(*from, Ty::Ptr, Role::Address);
            }
            Op::StackRestore { saved } => see(*saved, Ty::Ptr, Role::Effect),
            Op::Aligned { address, .. } => see(*address, Ty::Ptr, Role::Address),
            Op::LocalBegin { variable } | Op::LocalEnd { variable } => {
                see(Operand::Reg(*variable), Ty::Ptr, Role::Effect)
            }
            Op::Fence { .. }
            | Op::Uninit { .. }
            | Op::ThreadLocal { .. }
            | Op::StackSave { .. }
            | Op::Unsupported { .. } => {}
            Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Overflow { .. }
            | Op::Bits { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Float { .. }
            | Op::FloatCompare { .. }
            | Op::FloatCast { .. }
            | Op::FloatClass { .. }
            | Op::Offset { .. }
            | Op::Alloca { .. }
            | Op::Call { .. } => unreachable!("handled by for_each_use"),
        }
    }
}

/// A divisor of 0 faults, and so does the smallest dividend divided by -1.
fn division_roles(op: BinaryOp, ty: Ty, divisor: Operand) -> (Role, Role) {
    match op {
        BinaryOp::UDiv | BinaryOp::URem => (Role::Data, Role::Effect),
        BinaryOp::SDiv | BinaryOp::SRem => match divisor {
            Operand::Int(value) if value != all_ones(ty) => (Role::Data, Role::Effect),
            _ => (Role::Effect, Role::Effect),
        },
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => (Role::Data, Role::Data),
    }
}

/// The 64-bit pattern of -1 in `ty`.
fn all_ones(ty: Ty) -> u64 {
    match ty.number_bits().unwrap_or(64) {
        bits @ 1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reg, text};

    #[test]
    fn uses_agree_with_operands() {
        let module = text::parse(include_str!("../tests/data/every_op.ir")).unwrap();
        let ops: Vec<&Op> =
            module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts).map(|i| &i.op).collect();
        assert!(ops.len() > 30, "the sample holds every instruction");
        for op in ops {
            let (mut plain, mut typed) = (Vec::new(), Vec::new());
            op.for_each_operand(|o| plain.push(o));
            op.for_each_use(|u| typed.push(u.operand));
            assert_eq!(plain, typed, "{op:?}");
        }
    }

    #[test]
    fn signed_division_by_a_constant_reads_only_the_divisor_for_its_fault() {
        let roles = |divisor| division_roles(BinaryOp::SDiv, Ty::Int(32), divisor);
        assert_eq!(roles(Operand::Int(2)), (Role::Data, Role::Effect));
        assert_eq!(roles(Operand::Int(0xffff_ffff)), (Role::Effect, Role::Effect));
        assert_eq!(roles(Operand::Reg(Reg::new(0))), (Role::Effect, Role::Effect));
    }
}
