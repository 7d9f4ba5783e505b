//! What accesses of a device ask of their addresses.
//!
//! Processors access memory wherever it is; a GPU faults where an address is not a multiple of what the access needs (CUDA C++ Programming
//! Guide, 'Size and Alignment Requirement'; `cudaErrorMisalignedAddress`). LLVM says with each access how much that is.
//!
//! Guarantee: each access of a device's code that needs more than a byte's alignment comes behind an [`Op::Aligned`] of its address, unless the
//! address is a multiple whatever runs: that of a variable, plus multiples.

use super::function::Body;
use crate::llvm::Value;
use ir::Op;
use llvm_sys::{LLVMOpcode, LLVMValueKind};

impl<'m> Body<'_, 'm> {
    /// An access at an address needs this alignment.
    pub(super) fn need_alignment(&mut self, address: Value<'m>, align: u64) {
        if self.is_of_device && align > self.known_alignment(address) {
            let address = self.operand(address);
            self.emit(Op::Aligned { address, align });
        }
    }

    /// What an address is a multiple of in any case: a power of two.
    fn known_alignment(&self, address: Value<'m>) -> u64 {
        match (address.kind(), self.addresses.get(&address)) {
            (LLVMValueKind::LLVMGlobalVariableValueKind, _) => address.align().max(1),
            (LLVMValueKind::LLVMInstructionValueKind, Some(computed)) => {
                self.known_alignment(address.operand(0)).min(computed.step())
            }
            (LLVMValueKind::LLVMInstructionValueKind | LLVMValueKind::LLVMConstantExprValueKind, None) => {
                match address.opcode() {
                    LLVMOpcode::LLVMAlloca => address.align().max(1),
                    LLVMOpcode::LLVMAddrSpaceCast => self.known_alignment(address.operand(0)),
                    _ => 1,
                }
            }
            _ => 1,
        }
    }
}
