//! Operations that only read.
//!
//! Threads that write nothing but variables of their own functions, and synchronise with nobody, cannot change what any of
//! them does: no two of their accesses conflict (C11 5.1.2.4p4), none waits for another, and what each does together with
//! the others it does alone. So where they call different things, nothing is left to be explored that is not where all call
//! the same.

use crate::model::operation::Sequence;
use ir::Module;

/// Whether what these threads call only reads.
pub fn only_read(module: &Module, threads: &[Sequence]) -> bool {
    ir::only_read(module, threads.iter().flat_map(Sequence::calls).map(|operation| operation.function))
}
