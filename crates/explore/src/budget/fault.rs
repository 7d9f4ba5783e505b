//! Failures of raddle's own, as errors: what was found before one is kept.

use machine::EngineError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does something; a panic in it becomes an error. What it was changing is not to be used after that.
///
/// # Errors
/// Its own, and [`EngineError::Panicked`].
pub fn caught<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(EngineError::Panicked(message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
