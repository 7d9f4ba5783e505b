//! Contexts, modules, reading, linking and diagnostics.

use super::{Type, Value, take_message, text};
use llvm_sys::core as c;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use llvm_sys::target::{self, LLVMTargetDataRef};
use llvm_sys::{LLVMDiagnosticSeverity, analysis, error_handling, ir_reader, linker};
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::path::Path;

/// Owns everything that LLVM allocates; collects its diagnostics.
pub(crate) struct Context {
    pub(super) raw: LLVMContextRef,
    /// Boxed, because LLVM keeps the address.
    errors: Box<RefCell<Vec<String>>>,
}

extern "C" fn on_diagnostic(info: llvm_sys::prelude::LLVMDiagnosticInfoRef, errors: *mut libc::c_void) {
    let severity = ffi!(c::LLVMGetDiagInfoSeverity, info);
    let message = take_message(ffi!(c::LLVMGetDiagInfoDescription, info));
    if matches!(severity, LLVMDiagnosticSeverity::LLVMDSError) {
        // SAFETY: the pointer is the context's own `errors`, alive as long as LLVM can call back, on one thread.
        let errors = unsafe { &*errors.cast::<RefCell<Vec<String>>>() };
        errors.borrow_mut().push(message);
    }
}

impl Context {
    pub(crate) fn new() -> Self {
        let raw = ffi!(c::LLVMContextCreate);
        let errors = Box::new(RefCell::new(Vec::new()));
        let address = std::ptr::from_ref(errors.as_ref()).cast_mut().cast();
        ffi!(c::LLVMContextSetDiagnosticHandler, raw, Some(on_diagnostic), address);
        Self { raw, errors }
    }

    /// The errors reported since the last call, in order.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        self.errors.take()
    }

    /// Reads a file of LLVM assembly or bitcode.
    pub(crate) fn parse(&self, path: &Path) -> Result<Module<'_>, ParseError> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ParseError::Path)?;
        let (mut buffer, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        if ffi!(c::LLVMCreateMemoryBufferWithContentsOfFile, name.as_ptr(), &mut buffer, &mut message) != 0 {
            return Err(ParseError::Unreadable(take_message(message)));
        }
        let mut raw = std::ptr::null_mut();
        let failed = ffi!(ir_reader::LLVMParseIRInContext2, self.raw, buffer, &mut raw, &mut message) != 0;
        ffi!(c::LLVMDisposeMemoryBuffer, buffer);
        if failed {
            let mut errors = self.take_errors();
            errors.push(take_message(message));
            errors.retain(|e| !e.is_empty());
            return Err(ParseError::Rejected(errors.join("\n")));
        }
        let module = Module { raw, context: self };
        match module.verify() {
            Ok(()) => Ok(module),
            Err(message) => Err(ParseError::Rejected(message)),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        ffi!(c::LLVMContextDispose, self.raw);
    }
}

/// Why a file is no module.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ParseError {
    #[error("the path holds a zero byte")]
    Path,
    #[error("{0}")]
    Unreadable(String),
    #[error("{0}")]
    Rejected(String),
}

/// An LLVM module.
pub(crate) struct Module<'c> {
    pub(super) raw: LLVMModuleRef,
    pub(super) context: &'c Context,
}

impl<'c> Module<'c> {
    /// LLVM's own verifier.
    fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = ffi!(analysis::LLVMVerifyModule, self.raw, action, &mut message) != 0;
        let message = take_message(message);
        if broken { Err(message) } else { Ok(()) }
    }

    /// Moves the contents of `other` into this module; the error is LLVM's message.
    pub(crate) fn link(&mut self, other: Module<'c>) -> Result<(), String> {
        let raw = other.raw;
        // The linker frees the source module in any case.
        std::mem::forget(other);
        if ffi!(linker::LLVMLinkModules2, self.raw, raw) == 0 {
            return Ok(());
        }
        Err(self.context.take_errors().join("\n"))
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { raw: ffi!(target::LLVMGetModuleDataLayout, self.raw), module: PhantomData }
    }

    pub(crate) fn target(&self) -> String {
        let triple = ffi!(c::LLVMGetTarget, self.raw);
        // SAFETY: the triple is a terminated string owned by the module.
        if triple.is_null() { String::new() } else { unsafe { CStr::from_ptr(triple) }.to_string_lossy().into_owned() }
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        let mut next = Value::new(ffi!(c::LLVMGetFirstFunction, self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::new(ffi!(c::LLVMGetNextFunction, current.raw()));
            Some(current)
        })
    }

    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        let mut next = Value::new(ffi!(c::LLVMGetFirstGlobal, self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::new(ffi!(c::LLVMGetNextGlobal, current.raw()));
            Some(current)
        })
    }

    /// Operands of a named metadata node such as `llvm.dbg.cu`.
    pub(crate) fn named_metadata(&self, name: &CStr) -> Vec<super::Metadata<'_>> {
        let count = ffi!(c::LLVMGetNamedMetadataNumOperands, self.raw, name.as_ptr());
        let mut nodes = vec![std::ptr::null_mut(); count as usize];
        if count > 0 {
            ffi!(c::LLVMGetNamedMetadataOperands, self.raw, name.as_ptr(), nodes.as_mut_ptr());
        }
        nodes.into_iter().filter_map(|n| super::Metadata::of_value(n, self.context.raw)).collect()
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        ffi!(c::LLVMDisposeModule, self.raw);
    }
}

/// Sizes and offsets of the target.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    /// Distance of two neighbours in an array, in bytes; 0 for unsized types.
    pub(crate) fn size(self, ty: Type<'m>) -> u64 {
        if ty.is_sized() { ffi!(target::LLVMABISizeOfType, self.raw, ty.raw()) } else { 0 }
    }

    /// Bytes that a store writes.
    pub(crate) fn store_size(self, ty: Type<'m>) -> u64 {
        if ty.is_sized() { ffi!(target::LLVMStoreSizeOfType, self.raw, ty.raw()) } else { 0 }
    }

    pub(crate) fn align(self, ty: Type<'m>) -> u64 {
        if ty.is_sized() { u64::from(ffi!(target::LLVMABIAlignmentOfType, self.raw, ty.raw())) } else { 1 }
    }

    /// Byte offset of a field; `index` is below the struct's field count.
    pub(crate) fn field_offset(self, ty: Type<'m>, index: u32) -> u64 {
        ffi!(target::LLVMOffsetOfElement, self.raw, ty.raw(), index)
    }

    pub(crate) fn pointer_size(self) -> u32 {
        ffi!(target::LLVMPointerSize, self.raw)
    }

    pub(crate) fn is_little_endian(self) -> bool {
        matches!(ffi!(target::LLVMByteOrder, self.raw), target::LLVMByteOrdering::LLVMLittleEndian)
    }
}

/// Whether a target triple is that of a GPU of Nvidia's.
pub(crate) fn is_gpu(triple: &str) -> bool {
    triple.starts_with("nvptx")
}

/// Version of the linked library.
pub(crate) fn library_version() -> (u32, u32, u32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    ffi!(c::LLVMGetVersion, &mut major, &mut minor, &mut patch);
    (major, minor, patch)
}

/// Has `handler` called, with the reason, before LLVM gives up.
pub(crate) fn install_fatal_handler(handler: extern "C" fn(*const libc::c_char)) {
    ffi!(error_handling::LLVMInstallFatalErrorHandler, Some(handler));
}

/// The reason given to a fatal error handler.
pub(crate) fn fatal_reason(reason: *const libc::c_char) -> String {
    if reason.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: LLVM passes a terminated string.
    let length = unsafe { CStr::from_ptr(reason) }.to_bytes().len();
    text(reason, length)
}
