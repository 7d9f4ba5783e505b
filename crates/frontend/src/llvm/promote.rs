//! Local variables to registers, with indeterminate values kept visible.
//!
//! `mem2reg` replaces a read before the first write by `undef`, and then `int x; if (k) x = 1; if (x != 1) fail();` folds to
//! never failing. So a fresh value, a call to a declaration that nobody defines, is stored first: at the variable's
//! reservation and, in code that clang made from C for us, wherever its declaration is reached again (C11 6.2.4p6).
//!
//! Guarantee: no memory access that is not one of a promoted variable changes, moves or disappears.

use super::module::Module;
use super::value::{Type, Value, attribute_kind};
use super::{Metadata, VariableRecord, take_message};
use llvm_sys::core as c;
use llvm_sys::error::LLVMGetErrorMessage;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use llvm_sys::transforms::pass_builder as pb;
use llvm_sys::{LLVMOpcode, debuginfo as di};
use std::ffi::CString;

/// Functions of this name return an indeterminate value.
pub(crate) const UNINIT_PREFIX: &str = "raddle.uninit.";

impl Module<'_> {
    /// Stores an indeterminate value into each variable that `mem2reg` will promote. `from_c`: debug records of
    /// declarations stand where C's declarations stand, as in clang's output at `-O0`.
    pub(crate) fn mark_uninitialised(&mut self, from_c: bool) {
        let builder = ffi!(c::LLVMCreateBuilderInContext, self.context.raw);
        let functions: Vec<Value> = self.functions().filter(|f| !f.is_declaration()).collect();
        for function in functions {
            // `mem2reg` skips functions that ask not to be optimised.
            let optnone = attribute_kind("optnone");
            ffi!(c::LLVMRemoveEnumAttributeAtIndex, function.raw(), llvm_sys::LLVMAttributeFunctionIndex, optnone);
            mark_function(self, builder, function, from_c);
        }
        ffi!(c::LLVMDisposeBuilder, builder);
    }

    /// Runs `mem2reg`, the only pass that raddle runs.
    pub(crate) fn promote(&mut self) -> Result<(), String> {
        let options = ffi!(pb::LLVMCreatePassBuilderOptions);
        let error = ffi!(pb::LLVMRunPasses, self.raw, c"mem2reg".as_ptr(), std::ptr::null_mut(), options);
        ffi!(pb::LLVMDisposePassBuilderOptions, options);
        if error.is_null() { Ok(()) } else { Err(take_message(ffi!(LLVMGetErrorMessage, error))) }
    }
}

fn mark_function(module: &Module<'_>, builder: LLVMBuilderRef, function: Value<'_>, from_c: bool) {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else { return };
    let variables: Vec<Value> =
        entry.instructions().filter(|i| i.opcode() == LLVMOpcode::LLVMAlloca && is_promotable(*i)).collect();
    // Record positions are collected first: the stores themselves carry none.
    let mut declarations = Vec::new();
    for block in &blocks {
        for inst in block.instructions() {
            for record in VariableRecord::before(inst).into_iter().filter(|r| r.is_declare()) {
                if let Some(variable) = record.value().filter(|v| variables.contains(v)) {
                    declarations.push((variable, inst, record.location(), block == entry));
                }
            }
        }
    }
    for &variable in &variables {
        let location = declarations.iter().find(|d| d.0 == variable).and_then(|d| d.2);
        // Behind the alloca: an alloca is no terminator, so an instruction follows.
        let next = ffi!(c::LLVMGetNextInstruction, variable.raw());
        store_uninit(module, builder, variable, next, location);
    }
    // In the entry block, parameters are declared behind the store of their value; nothing comes back there anyway.
    for (variable, inst, location, in_entry) in declarations {
        if from_c && !in_entry {
            store_uninit(module, builder, variable, inst.raw(), location);
        }
    }
}

fn store_uninit(
    module: &Module<'_>,
    builder: LLVMBuilderRef,
    variable: Value<'_>,
    before: LLVMValueRef,
    location: Option<Metadata<'_>>,
) {
    let ty = variable.allocated_type();
    let (function, function_type) = declaration(module, ty);
    ffi!(c::LLVMPositionBuilderBeforeInstrAndDbgRecords, builder, before);
    let value = ffi!(c::LLVMBuildCall2, builder, function_type, function, std::ptr::null_mut(), 0, c"".as_ptr());
    ffi!(c::LLVMBuildStore, builder, value, variable.raw());
    if let Some(location) = location {
        ffi!(di::LLVMInstructionSetDebugLoc, value, location.raw());
    }
}

fn declaration(module: &Module<'_>, ty: Type<'_>) -> (LLVMValueRef, llvm_sys::prelude::LLVMTypeRef) {
    let function_type = ffi!(c::LLVMFunctionType, ty.raw(), std::ptr::null_mut(), 0, 0);
    let name = format!("{UNINIT_PREFIX}{}", ty.printed()).replace('\0', "");
    let name = CString::new(name).unwrap_or_default();
    let known = ffi!(c::LLVMGetNamedFunction, module.raw, name.as_ptr());
    if known.is_null() {
        return (ffi!(c::LLVMAddFunction, module.raw, name.as_ptr(), function_type), function_type);
    }
    (known, function_type)
}

/// LLVM's `isAllocaPromotable`, without the cases that clang does not make at `-O0`: those would become `undef`.
pub(super) fn is_promotable(alloca: Value<'_>) -> bool {
    let ty = alloca.allocated_type();
    let single = alloca.operand(0);
    if !(single.is_constant() && single.zero_extended() == 1) {
        return false;
    }
    alloca.users().all(|user| match user.opcode() {
        LLVMOpcode::LLVMLoad => !user.is_volatile() && user.ty() == ty,
        LLVMOpcode::LLVMStore => user.operand(0) != alloca && !user.is_volatile() && user.operand(0).ty() == ty,
        LLVMOpcode::LLVMCall => user.called().name().starts_with("llvm.lifetime."),
        _ => false,
    })
}
