//! The device's side of a CUDA program in the same module as the host's.
//!
//! Clang makes a module of each side, in which kernels and variables of the device have counterparts: for a kernel the host has a stub,
//! which stores the arguments and calls the runtime with its own address; for a variable it has a shadow, which stands for it in calls of the
//! runtime. With `-fgpu-rdc` each of them has an entry in the section `llvm_offload_entries` that says which it is
//! (clang, 'Offloading Design & Internals').
//!
//! Guarantee: the host's counterparts stand for nothing but the device's own any more. Names of the device end with [`SUFFIX`], so that nothing
//! of one side is taken for what the other calls by that name.

use super::module::Module;
use super::promote::UNINIT_PREFIX;
use super::value::Value;
use crate::library;
use llvm_sys::LLVMValueKind;
use llvm_sys::core as c;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

/// Ends the names of what is the device's. No source has such a name.
const SUFFIX: &str = ".device";
/// Begins the names of the entries; the rest is the name on the device.
const ENTRY: &str = ".offloading.entry.";
/// What clang makes of `printf` in kernels, and what the library has for it.
const PRINT: &str = "vprintf";
const DEVICE_PRINT: &str = "__raddle_gpu_vprintf";
/// Marks the device's constants.
pub(crate) const DEVICE_SECTION: &CStr = c"raddle.device";

impl<'c> Module<'c> {
    /// Takes over the device's side of the same program. The error is LLVM's message.
    pub(crate) fn adopt(&mut self, device: Module<'c>) -> Result<(), String> {
        let host: BTreeSet<String> =
            self.functions().chain(self.globals()).filter(|v| !v.is_declaration()).map(Value::name).collect();
        let is_own = |value: &Value<'_>| {
            let name = value.name();
            let is_marker = name.starts_with("llvm.") || name.starts_with(UNINIT_PREFIX);
            // What the device has of the C library is known by its name, unless that is one of the host's library in C.
            let is_known = !host.contains(&name) && !library::has(&name);
            let is_model = value.is_declaration() && is_known && is_function(*value);
            !is_marker && !is_model && !name.starts_with("raddle.")
        };
        for value in device.functions().chain(device.globals()).filter(is_own) {
            match value.name().as_str() {
                PRINT if value.is_declaration() => value.rename(DEVICE_PRINT),
                name => value.rename(&format!("{name}{SUFFIX}")),
            }
        }
        // `__device__` variables and the like have kinds of memory of their own.
        let is_plain = |global: &Value<'_>| global.ty().address_space() == 0 && global.section().is_empty();
        device.globals().filter(is_plain).for_each(|global| global.set_section(DEVICE_SECTION));
        device.give_target_of(self);
        self.link(device)?;
        self.join_sides();
        Ok(())
    }

    /// Puts what is the device's in place of its counterparts.
    fn join_sides(&mut self) {
        let entries: Vec<Value<'_>> = self.globals().filter(|global| global.name().starts_with(ENTRY)).collect();
        for entry in entries {
            let name = format!("{}{SUFFIX}", &entry.name()[ENTRY.len()..]);
            // `{ i64 reserved, i16 version, i16 kind, i32 flags, ptr address, ptr name, i64 size, ... }`
            let counterpart = entry.initializer().and_then(|entry| entry.aggregate_element(4));
            let (Some(counterpart), Some(own)) = (counterpart, self.symbol(&name)) else { continue };
            if !entry.is_used() {
                entry.delete_global();
            }
            if is_function(counterpart) {
                // Calls of the stub stay: it is what launches the kernel.
                let calls: Vec<Value<'_>> = counterpart.users().filter(|user| user.is_call_of(counterpart)).collect();
                counterpart.set_section(library::SECTION);
                counterpart.replace_by(own);
                calls.into_iter().for_each(|call| call.call_instead(counterpart));
            } else {
                counterpart.replace_by(own.as_plain_pointer());
                if !counterpart.is_used() {
                    counterpart.delete_global();
                }
            }
        }
    }

    fn symbol(&self, name: &str) -> Option<Value<'_>> {
        let name = CString::new(name).ok()?;
        let function = ffi!(c::LLVMGetNamedFunction, self.raw, name.as_ptr());
        Value::new(function).or_else(|| Value::new(ffi!(c::LLVMGetNamedGlobal, self.raw, name.as_ptr())))
    }

    /// Both sides lay out memory in the same way.
    fn give_target_of(&self, other: &Module<'_>) {
        let (target, layout) = (ffi!(c::LLVMGetTarget, other.raw), ffi!(c::LLVMGetDataLayoutStr, other.raw));
        ffi!(c::LLVMSetTarget, self.raw, target);
        ffi!(c::LLVMSetDataLayout, self.raw, layout);
    }
}

fn is_function(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMFunctionValueKind
}

impl Value<'_> {
    fn rename(self, name: &str) {
        ffi!(c::LLVMSetValueName2, self.raw(), name.as_ptr().cast(), name.len());
    }

    /// Whether it calls this function, and not only passes it on.
    fn is_call_of(self, function: Value<'_>) -> bool {
        !ffi!(c::LLVMIsACallInst, self.raw()).is_null() && self.called() == function
    }

    /// Puts a function where the call has what it calls: the last operand.
    fn call_instead(self, function: Value<'_>) {
        ffi!(c::LLVMSetOperand, self.raw(), self.operand_count() - 1, function.raw());
    }

    fn replace_by(self, other: Value<'_>) {
        ffi!(c::LLVMReplaceAllUsesWith, self.raw(), other.raw());
    }

    /// The address of a global whatever kind of memory it stands in.
    fn as_plain_pointer(self) -> Self {
        let context = ffi!(c::LLVMGetValueContext, self.raw());
        let pointer = ffi!(c::LLVMPointerTypeInContext, context, 0);
        let cast = ffi!(c::LLVMConstAddrSpaceCast, self.raw(), pointer);
        Value::new(cast).unwrap_or(self)
    }

    fn delete_global(self) {
        ffi!(c::LLVMDeleteGlobal, self.raw());
    }
}
