//! `getelementptr` to byte arithmetic.
//!
//! `p->next[0]` is two instructions of clang's; the second continues the first, so that one `Op::Offset` has the whole path.
//! The types passed on the way are kept as [`Step`]s, for `hints` to read the debug types along.

use super::function::Body;
use super::scalars::single;
use crate::llvm::{Type, Value};
use ir::{Op, Operand, Reg, ScaledIndex, Ty};
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};

/// An index into an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Index {
    Constant(i64),
    Register(Reg),
    Unknown,
}

/// One step of an address computation through types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The address is now taken as that of the first of several elements of this type, `index` elements further on.
    Enter {
        /// LLVM's struct name.
        record: Option<String>,
        /// Of one element, in bytes.
        size: u64,
        /// The type is `i8`: what clang uses for plain byte arithmetic.
        byte: bool,
        index: Index,
        /// There are no further indices.
        only: bool,
    },
    /// To the field at this byte offset.
    Field(u64),
    /// To an element of an array.
    Element(Index),
}

/// An address computation.
#[derive(Clone, Debug)]
pub(super) struct Address {
    base: Operand,
    constant: i64,
    indices: Vec<ScaledIndex>,
    steps: Vec<Step>,
}

impl Address {
    /// The greatest power of two that whatever is added to the base is a multiple of.
    pub(super) fn step(&self) -> u64 {
        let added = self.indices.iter().map(|index| index.scale).chain([self.constant]);
        added.fold(1 << 31, |step: u64, by| if by == 0 { step } else { step.min(1 << by.trailing_zeros().min(31)) })
    }
}

/// Whether `user` steps from what `gep` computes into its type, and can therefore be joined with it.
fn continues(user: Value<'_>, gep: Value<'_>) -> bool {
    user.opcode() == LLVMOpcode::LLVMGetElementPtr
        && user.operand(0) == gep
        && user.operand_count() > 2
        && is_zero(user.operand(1))
        && is_structured(gep)
        && is_structured(user)
}

fn is_structured(gep: Value<'_>) -> bool {
    matches!(gep.source_element_type().kind(), LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind)
}

fn is_zero(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMConstantIntValueKind && value.is_null()
}

impl<'m> Body<'_, 'm> {
    pub(super) fn get_element_pointer(&mut self, inst: Value<'m>) {
        if !inst.is_used() {
            // Nothing is lost: an address computation accesses no memory.
            return;
        }
        let Some(address) = self.address(inst) else {
            return self.unsupported(inst, "an address computation on vectors or unusual integers");
        };
        let joined = inst.users().all(|user| continues(user, inst));
        self.addresses.insert(inst, address.clone());
        if joined {
            return;
        }
        let Address { base, constant, indices, steps } = address;
        let dest = self.fresh_one(inst, Ty::Ptr);
        self.steps.insert(dest, steps);
        self.emit(Op::Offset {
            dest,
            base,
            constant,
            indices,
            path: String::new(),
            within: None,
            array: false,
            part: None,
        });
    }

    fn address(&mut self, inst: Value<'m>) -> Option<Address> {
        let pointer = inst.operand(0);
        if single(inst.ty()) != Some(Ty::Ptr) || inst.ty().address_space() != 0 && !self.cx.is_gpu {
            return None;
        }
        let continued = pointer.kind() == LLVMValueKind::LLVMInstructionValueKind
            && pointer.opcode() == LLVMOpcode::LLVMGetElementPtr
            && continues(inst, pointer);
        let mut address = match self.addresses.get(&pointer).filter(|_| continued) {
            Some(known) => known.clone(),
            None => Address { base: self.operand(pointer), constant: 0, indices: Vec::new(), steps: Vec::new() },
        };
        let mut ty: Type<'m> = inst.source_element_type();
        let count = inst.operand_count();
        for position in 1..count {
            let index = inst.operand(position);
            if position > 1 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = u32::try_from(index.zero_extended()).ok()?;
                let offset = self.cx.layout.field_offset(ty, field);
                ty = *ty.fields().get(field as usize)?;
                address.constant = address.constant.wrapping_add_unsigned(offset);
                address.steps.push(Step::Field(offset));
                continue;
            }
            if position > 1 {
                if ty.kind() != LLVMTypeKind::LLVMArrayTypeKind {
                    return None;
                }
                ty = ty.element();
            }
            let index = self.scaled(&mut address, index, self.cx.layout.size(ty))?;
            address.steps.push(match position {
                1 => Step::Enter {
                    record: (ty.kind() == LLVMTypeKind::LLVMStructTypeKind).then(|| ty.struct_name()).flatten(),
                    size: self.cx.layout.size(ty),
                    byte: ty.kind() == LLVMTypeKind::LLVMIntegerTypeKind && ty.integer_bits() == 8,
                    index,
                    only: count == 2,
                },
                _ => Step::Element(index),
            });
        }
        Some(address)
    }

    /// Adds `index * scale`.
    fn scaled(&mut self, address: &mut Address, index: Value<'m>, scale: u64) -> Option<Index> {
        let Some(Ty::Int(bits)) = single(index.ty()).filter(|t| self.cx.bits(*t) <= 64) else { return None };
        let scale = i64::try_from(scale).ok()?;
        if index.kind() == LLVMValueKind::LLVMConstantIntValueKind {
            let constant = index.sign_extended();
            address.constant = address.constant.wrapping_add(constant.wrapping_mul(scale));
            return Some(Index::Constant(constant));
        }
        let index = self.operand(index);
        address.indices.push(ScaledIndex { index, bits, scale });
        Some(match index {
            Operand::Reg(reg) => Index::Register(reg),
            _ => Index::Unknown,
        })
    }
}
