//! Models of library functions: what a call does when the program has no body for it.
//!
//! A model is an instruction like any other: it may stop for a choice or a visible action before it has done anything,
//! and is then executed again.

mod atomic;
mod atomic_section;
mod attributes;
mod c11;
mod counting;
mod cuda;
mod ending;
mod errors;
mod format;
mod gpu;
mod heap;
mod keys;
mod library;
mod math;
mod output;
mod process;
mod pthread;
mod signals;
mod strings;
mod symbolic;
mod sync;
mod threads;

pub(crate) use process::{ERROR_LOCATIONS, reach_error};

use crate::Stop;
use crate::step::{Call, Flow, StepCx, returns, succeeds};

/// What a modelled function does.
pub(crate) type Model = fn(&mut StepCx, &Call) -> Result<Flow, Stop>;

/// The model of a function that has no body.
pub(crate) fn find(name: &str) -> Option<Model> {
    None.or_else(|| pthread::find(name))
        .or_else(|| attributes::find(name))
        .or_else(|| counting::find(name))
        .or_else(|| ending::find(name))
        .or_else(|| keys::find(name))
        .or_else(|| atomic_section::find(name))
        .or_else(|| c11::find(name))
        .or_else(|| atomic::find(name))
        .or_else(|| heap::find(name))
        .or_else(|| strings::find(name))
        .or_else(|| output::find(name))
        .or_else(|| process::find(name))
        .or_else(|| symbolic::find(name))
        .or_else(|| signals::find(name))
        .or_else(|| library::find(name))
        .or_else(|| math::find(name))
        .or_else(|| gpu::find(name))
        .or_else(|| cuda::find(name))
}

/// Whether a function without a body can be called.
pub fn is_modelled(name: &str) -> bool {
    find(name).is_some()
}

/// Whether a function may come back without the lock that it is called for.
pub(crate) fn tries_lock(name: &str) -> bool {
    let lock = name.starts_with("pthread_") || name.starts_with("mtx_");
    lock && ["try", "timed", "clock"].iter().any(|how| {
        ["lock", "rdlock", "wrlock"].iter().any(|what| name.strip_suffix(what).is_some_and(|rest| rest.ends_with(how)))
    })
}
