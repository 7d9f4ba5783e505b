//! A thin wrapper around `llvm-sys`: all of the crate's calls into LLVM are here.
//!
//! Guarantee: a [`Value`], [`Type`], [`Block`] or [`Metadata`] is a live handle for as long as the borrow of its
//! [`Module`]; what deletes instructions takes `&mut Module`. Nothing here judges what it reads.

/// Calls a function of LLVM's C interface.
macro_rules! ffi {
    ($function:path $(, $arg:expr)* $(,)?) => {{
        // SAFETY: handles come from a live context or module (see the module's guarantee), strings are terminated or
        // passed with their length, and each wrapper passes the kind of value that LLVM's function asks for.
        #[allow(clippy::macro_metavars_in_unsafe, reason = "the arguments are the wrappers' own expressions")]
        unsafe { $function($($arg),*) }
    }};
}

mod lifetimes;
mod metadata;
mod module;
mod promote;
mod sides;
mod value;

pub(crate) use lifetimes::{LOCAL_BEGIN, LOCAL_END};
pub(crate) use metadata::{Kind as MetadataKind, Metadata, VariableRecord};
pub(crate) use module::{
    Context, Layout, Module, ParseError, fatal_reason, install_fatal_handler, is_gpu, library_version,
};
pub(crate) use promote::UNINIT_PREFIX;
pub(crate) use sides::{DEVICE_SECTION, MANAGED, is_of_device, is_of_entries};
pub(crate) use value::{Block, Type, Value};

/// Copies a string that LLVM owns.
fn text(start: *const libc::c_char, length: usize) -> String {
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM's accessors return a pointer to `length` readable bytes that outlive this call.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes over a string that LLVM allocated for us.
fn take_message(message: *mut libc::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a terminated string that we own and free right here.
    unsafe {
        let copy = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(message);
        copy
    }
}
