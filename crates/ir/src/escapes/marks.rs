//! Marks in the lowest bits of addresses: which bits a program sets and looks at, and where it stores addresses with marks.

use super::{Flow, Place};
use crate::{BinaryOp, FuncId, GlobalId, Module, Op, Operand, Reg, TypeId};
use std::collections::{BTreeSet, HashMap};

/// The bits that addresses have, beside which a mask may have others (System V ABI 3.3.2).
const OF_ADDRESSES: u64 = (1 << 47) - 1;

/// The bits that a pointer to the largest scalar leaves free.
const LOWEST: u64 = 15;

/// Where addresses with marks in them may be stored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    /// By the innermost record and the offset in it.
    pub members: BTreeSet<(TypeId, u64)>,
    pub globals: BTreeSet<GlobalId>,
    /// Somewhere else as well.
    pub anywhere: bool,
}

/// What an access is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    Local,
    Member(TypeId, u64),
    Global(GlobalId),
    Somewhere,
}

/// The registers that are the address of a member, or of a variable.
pub(super) fn addresses(module: &Module) -> HashMap<(FuncId, Reg), Stored> {
    let mut found = HashMap::new();
    for (id, function) in module.functions() {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let (reg, stored) = match &inst.op {
                Op::Alloca { dest, .. } => (*dest, Stored::Local),
                Op::Offset { dest, constant, within: Some(record), .. } => {
                    let member = u64::try_from(*constant).ok().and_then(|offset| module.member_at(*record, offset));
                    let Some((record, offset)) = member else { continue };
                    (*dest, Stored::Member(record, offset))
                }
                _ => continue,
            };
            found.insert((id, reg), stored);
        }
    }
    found
}

impl Flow<'_> {
    pub(super) fn marks_something(&self) -> bool {
        self.marked_locals || self.marked != Marked::default()
    }

    /// Whether what an address leads to may be an address with a mark.
    pub(super) fn holds_mark(&self, id: FuncId, address: Operand) -> bool {
        match self.stored_at(id, address) {
            Stored::Local => self.marked_locals || self.marked.anywhere,
            Stored::Member(record, offset) => self.marked.anywhere || self.marked.members.contains(&(record, offset)),
            Stored::Global(global) => self.marked.anywhere || self.marked.globals.contains(&global),
            Stored::Somewhere => self.marks_something(),
        }
    }

    pub(super) fn store_mark(&mut self, id: FuncId, address: Operand) {
        let before = (self.marked.clone(), self.marked_locals);
        match self.stored_at(id, address) {
            Stored::Local => self.marked_locals = true,
            Stored::Member(record, offset) => _ = self.marked.members.insert((record, offset)),
            Stored::Global(global) => _ = self.marked.globals.insert(global),
            Stored::Somewhere => self.marked.anywhere = true,
        }
        self.changed |= before != (self.marked.clone(), self.marked_locals);
    }

    /// What an access is to, as far as the address says it itself.
    fn stored_at(&self, id: FuncId, address: Operand) -> Stored {
        match address {
            Operand::Global(global, offset) => {
                let ty = self.module[global].ty.zip(u64::try_from(offset).ok());
                let member = ty.and_then(|(ty, offset)| self.module.member_at(ty, offset));
                member.map_or(Stored::Global(global), |(record, offset)| Stored::Member(record, offset))
            }
            Operand::Reg(reg) => match self.addresses.get(&(id, reg)) {
                Some(&stored) => stored,
                None => Stored::Somewhere,
            },
            _ => Stored::Somewhere,
        }
    }

    /// Which bits of addresses are set. Once that is known, addresses with marks are followed.
    pub(super) fn marks(&mut self) {
        for (id, function) in self.module.functions() {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                if let Op::Binary { op, lhs, rhs, .. } = inst.op {
                    self.set |= self.sets(id, op, lhs, rhs);
                }
            }
        }
    }

    /// What an operation does with the lowest bits of an address.
    pub(super) fn mark(&mut self, id: FuncId, op: BinaryOp, lhs: Operand, rhs: Operand) {
        let Some(constant) = self.beside_address(id, lhs, rhs).map(constant) else { return };
        match op {
            // Clearing them looks at none.
            BinaryOp::And => {
                let looks = constant.filter(|&bits| bits & OF_ADDRESSES & !LOWEST == 0);
                self.looked_at |= (looks.unwrap_or(0) & LOWEST) as u8;
            }
            BinaryOp::URem => {
                let divisor = constant.filter(|bits| bits.is_power_of_two() && *bits <= LOWEST + 1);
                self.looked_at |= divisor.map_or(0, |divisor| divisor as u8 - 1);
            }
            _ => {}
        }
    }

    /// The lowest bits of an address that an operation sets, if it does.
    pub(super) fn sets(&self, id: FuncId, op: BinaryOp, lhs: Operand, rhs: Operand) -> u8 {
        let Some(constant) = self.beside_address(id, lhs, rhs).map(constant) else { return 0 };
        let bits = match op {
            // What a variable sets may be any of them.
            BinaryOp::Or | BinaryOp::Xor => constant.unwrap_or(LOWEST),
            // An even address plus one, or one divisible by four plus two.
            BinaryOp::Add => constant.filter(|&bits| bits <= 2).unwrap_or(0),
            _ => 0,
        };
        (bits & LOWEST) as u8
    }

    /// What an address is combined with, if one of these is an address.
    fn beside_address(&self, id: FuncId, lhs: Operand, rhs: Operand) -> Option<Operand> {
        let is_address = |operand| self.places(id, operand).contains(&Place::Number);
        match (is_address(lhs), is_address(rhs)) {
            (true, _) => Some(rhs),
            (_, true) => Some(lhs),
            _ => None,
        }
    }
}

fn constant(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Int(bits) => Some(bits),
        _ => None,
    }
}
