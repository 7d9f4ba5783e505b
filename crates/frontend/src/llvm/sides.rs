//! The device's side of a CUDA program in the same module as the host's.
//!
//! Clang makes a module of each side, in which kernels and variables of the device have counterparts: for a kernel the host has a stub,
//! which stores the arguments and calls the runtime with its own address; for a variable it has a shadow, which stands for it in calls of the
//! runtime. With `-fgpu-rdc` each of them has an entry in the section `llvm_offload_entries` that says which it is
//! (clang, 'Offloading Design & Internals').
//!
//! Guarantee: it is known of each of the host's counterparts what of the device's it stands for; nothing else of one side is taken for
//! what the other calls by that name, for names of the device end with [`SUFFIX`]. Managed variables are one for both sides.

use super::module::Module;
use super::promote::UNINIT_PREFIX;
use super::value::Value;
use crate::library;
use llvm_sys::LLVMValueKind;
use llvm_sys::core as c;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

/// Where raddle's headers put `__managed__` variables.
pub(crate) const MANAGED: &str = "raddle.managed";
/// Ends the names of what is the device's. No source has such a name.
const SUFFIX: &str = ".device";
/// Begins the names of the entries; the rest is the name on the device.
const ENTRY: &str = ".offloading.entry.";
/// Begins the names of entries and of what they name.
const ENTRIES: &str = ".offloading.";
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

    /// Puts managed variables in place of their counterparts, and marks what is the runtime's.
    fn join_sides(&mut self) {
        for (counterpart, own) in self.counterparts() {
            if is_function(counterpart) {
                counterpart.set_section(library::SECTION);
            } else if own.section() == MANAGED {
                counterpart.replace_by(own.as_plain_pointer());
                counterpart.delete_global();
            }
        }
    }

    /// What the host has in place of something of the device's, and that.
    pub(crate) fn counterparts(&self) -> Vec<(Value<'_>, Value<'_>)> {
        let entries = self.globals().filter(|global| global.name().starts_with(ENTRY));
        let pairs = entries.filter_map(|entry| {
            let name = format!("{}{SUFFIX}", &entry.name()[ENTRY.len()..]);
            // `{ i64 reserved, i16 version, i16 kind, i32 flags, ptr address, ptr name, i64 size, ... }`
            Some((entry.initializer()?.aggregate_element(4)?, self.symbol(&name)?))
        });
        pairs.filter(|(counterpart, own)| counterpart != own).collect()
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

/// Whether a global is one of those that say what stands for what, which no program reads.
pub(crate) fn is_of_entries(global: Value<'_>) -> bool {
    global.name().starts_with(ENTRIES)
}

/// Whether a function is of the device's side of a program with two.
pub(crate) fn is_of_device(function: Value<'_>) -> bool {
    function.name().ends_with(SUFFIX)
}

fn is_function(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMFunctionValueKind
}

impl Value<'_> {
    fn rename(self, name: &str) {
        ffi!(c::LLVMSetValueName2, self.raw(), name.as_ptr().cast(), name.len());
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
