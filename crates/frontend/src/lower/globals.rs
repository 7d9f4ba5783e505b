//! Global variables: names, types and flattened initialisers.

use super::Lowering;
use super::constant::Constant;
use crate::library;
use crate::llvm::{DEVICE_SECTION, MANAGED, Metadata, MetadataKind, Value, is_of_entries};
use ir::{Address, Global, GlobalId, Init, Space};
use llvm_sys::{LLVMLinkage, LLVMTypeKind, LLVMValueKind};

/// The debug variables attached to a global: several where a union of variables was merged.
pub(super) fn debug_variable<'m>(global: Value<'m>) -> impl Iterator<Item = Metadata<'m>> {
    global
        .global_metadata()
        .into_iter()
        .filter(|m| matches!(m.kind(), MetadataKind::LLVMDIGlobalVariableExpressionMetadataKind))
        .filter_map(Metadata::global_variable)
}

/// Bookkeeping for the compiler and linker, which no program reads. Constructors stay: something must say that they exist.
fn is_bookkeeping(global: Value<'_>) -> bool {
    let name = global.name();
    matches!(name.as_str(), "llvm.used" | "llvm.compiler.used" | "llvm.global.annotations")
        || (global.section() == "llvm.metadata" && !name.contains("ctors"))
        || is_of_entries(global)
}

/// The kind of memory of a GPU that a variable stands in (NVVM IR, 'Address Spaces'). Variables of the device that are `const` stand where
/// `__constant__` ones do, but no host writes them.
fn space(global: Value<'_>) -> Space {
    match global.ty().address_space() {
        1 if global.section() == MANAGED => Space::Managed,
        1 => Space::Device,
        3 => Space::Shared,
        4 if global.is_externally_initialized() => Space::Constant,
        4 => Space::Device,
        _ if global.section().as_bytes() == DEVICE_SECTION.to_bytes() => Space::Device,
        _ => Space::Ordinary,
    }
}

impl<'m> Lowering<'m> {
    /// Enters all globals without their contents.
    pub(super) fn declare_globals(&mut self) {
        let module = self.module;
        for global in module.globals().filter(|g| !is_bookkeeping(*g)) {
            self.globals.insert(global, GlobalId::new(self.out.globals.len()));
            let declared = self.declare_global(global);
            self.out.globals.push(declared);
        }
    }

    fn declare_global(&mut self, global: Value<'m>) -> Global {
        let variable = debug_variable(global).next();
        let value_type = global.value_type();
        let function =
            variable.and_then(Metadata::variable_scope).map(|s| self.debug.function_of(s)).unwrap_or_default();
        let name = match variable.map(Metadata::variable_name).filter(|n| !n.is_empty()) {
            Some(name) if function.is_empty() => name,
            Some(name) => format!("{function}.{name}"),
            None => global.name(),
        };
        let location =
            variable.and_then(|v| self.debug.position(&mut self.out, v.variable_file(), v.variable_line(), function));
        Global {
            name,
            size: self.layout.size(value_type),
            align: global.align().max(self.layout.align(value_type)),
            constant: global.is_global_constant(),
            thread_local: global.is_thread_local(),
            space: space(global),
            external: global.is_external(),
            library: library::is_library(global),
            guarded: library::is_guarded(global),
            stands_for: None,
            ty: variable.map(|v| self.types.id(&mut self.out, v.variable_type())),
            init: Init::External,
            location,
        }
    }

    /// Enters what the host's names of kernels and of variables of the device stand for.
    pub(super) fn join_counterparts(&mut self) {
        for (counterpart, own) in self.module.counterparts() {
            if let (Some(id), Some(own)) = (self.globals.get(&counterpart), self.globals.get(&own)) {
                self.out.globals[id.index()].stands_for = Some(*own);
            }
            if let (Some(id), Some(own)) = (self.functions.get(&counterpart), self.functions.get(&own)) {
                self.out.functions[id.index()].stands_for = Some(*own);
            }
        }
    }

    /// Flattens the initialisers. Comes after all globals and functions are known, for they refer to each other.
    pub(super) fn initialise_globals(&mut self) {
        let module = self.module;
        for global in module.globals() {
            let (Some(&id), Some(value)) = (self.globals.get(&global), global.initializer()) else { continue };
            if matches!(global.linkage(), LLVMLinkage::LLVMAvailableExternallyLinkage) {
                continue;
            }
            let size = self.out[id].size;
            let init = self.flatten(value, size);
            if let Init::Data { addresses, .. } = &init {
                for (_, address) in addresses {
                    if let Address::Func(function) = address {
                        self.out.functions[function.index()].address_taken = true;
                    }
                }
            }
            self.out.globals[id.index()].init = init;
        }
    }

    fn flatten(&self, value: Value<'m>, size: u64) -> Init {
        if value.is_null() || value.is_undef() {
            return Init::Zero;
        }
        let Ok(length) = usize::try_from(size) else { return Init::External };
        let mut image = Image { bytes: vec![0; length], addresses: Vec::new() };
        // A part that cannot be evaluated leaves the contents unknown rather than wrong.
        if self.write(&mut image, 0, value).is_none() {
            return Init::External;
        }
        image.addresses.sort_by_key(|(offset, _)| *offset);
        Init::Data { bytes: image.bytes, addresses: image.addresses }
    }

    /// Writes a constant at a byte offset; `None` if it cannot be evaluated.
    fn write(&self, image: &mut Image, offset: u64, value: Value<'m>) -> Option<()> {
        let ty = value.ty();
        // Indeterminate bytes of static storage are zero in every implementation; nothing in C reads them.
        if value.is_null() || value.is_undef() {
            return Some(());
        }
        if let Some(bytes) = value.raw_data(self.layout.size(ty)) {
            return image.put(offset, &bytes);
        }
        let element = |index: u64| value.aggregate_element(u32::try_from(index).ok()?);
        match (ty.kind(), value.kind()) {
            (LLVMTypeKind::LLVMStructTypeKind, _) => {
                for index in 0..ty.fields().len() {
                    let index = u32::try_from(index).ok()?;
                    self.write(image, offset + self.layout.field_offset(ty, index), element(u64::from(index))?)?;
                }
                Some(())
            }
            (LLVMTypeKind::LLVMArrayTypeKind, _) => {
                let stride = self.layout.size(ty.element());
                for index in 0..ty.array_length() {
                    self.write(image, offset + index * stride, element(index)?)?;
                }
                Some(())
            }
            (LLVMTypeKind::LLVMVectorTypeKind, LLVMValueKind::LLVMConstantExprValueKind) => None,
            (LLVMTypeKind::LLVMVectorTypeKind, _) => {
                let stride = self.layout.store_size(ty.element());
                // Elements of other than whole bytes are packed.
                if stride * 8 != u64::from(self.bits(super::scalars::single(ty.element())?)) {
                    return None;
                }
                let count = self.layout.store_size(ty) / stride;
                for index in 0..count {
                    self.write(image, offset + index * stride, element(index)?)?;
                }
                Some(())
            }
            _ => {
                let size = usize::try_from(self.layout.store_size(ty)).ok()?;
                let pointer = usize::from(self.out.pointer.bits() / 8);
                match self.constant(value) {
                    Constant::Int(v) => image.put(offset, v.to_le_bytes().get(..size)?),
                    Constant::Global(id, n) if size == pointer => {
                        image.address(offset, pointer, Address::Global(id, n))
                    }
                    Constant::Func(id) if size == pointer => image.address(offset, pointer, Address::Func(id)),
                    Constant::Undef => Some(()),
                    _ => None,
                }
            }
        }
    }
}

struct Image {
    bytes: Vec<u8>,
    addresses: Vec<(u64, Address)>,
}

impl Image {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> Option<()> {
        let start = usize::try_from(offset).ok()?;
        self.bytes.get_mut(start..start + bytes.len())?.copy_from_slice(bytes);
        Some(())
    }

    /// An address of `size` bytes.
    fn address(&mut self, offset: u64, size: usize, address: Address) -> Option<()> {
        self.put(offset, &[0; 8][..size])?;
        self.addresses.push((offset, address));
        Some(())
    }
}
