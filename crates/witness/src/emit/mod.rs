//! Witnesses as C tests that show the failure natively.
//!
//! The test is linked with the program's own sources, compiled as they are; a source becomes part of the test itself only
//! where an operation or the type of its argument has no name outside of it. The linker's `--wrap` puts the test between
//! the program and ThreadSanitizer's runtime: each access and each synchronisation comes by, is matched with the schedule
//! by line and column, and waits for its turn.
//!
//! Guarantee: the interleaving is that of the witness, step by step, or the test says that it was not reached. No
//! happens-before edge is added: turns are handed over out of ThreadSanitizer's sight. Of the threads' accesses
//! ThreadSanitizer sees those at the two positions of the race alone, so it reports this pair or nothing.
//! Relies on x86-64 Linux with glibc (locks of zero bytes are free), on GNU ld or lld, and on `-O0`: optimised code has
//! merged accesses.
//! Not promised: failures that neither ThreadSanitizer nor the hardware notices (reads of uninitialised memory, dead
//! stack slots, accesses out of bounds that hit other memory), races that ThreadSanitizer's model does not know (to it a
//! relaxed store does not end a release sequence), weak exchanges that fail spuriously, and programs given as bitcode,
//! which are not instrumented.
//! Owes: steps are told from other actions by place and kind. A macro whose accesses share one place, some of them steps
//! and some not, is followed as if all were.

mod callbacks;
mod client;
mod command;
mod heap;
mod plan;
mod report;
mod summary;
mod tables;
#[cfg(test)]
mod tests;

pub use client::{ClientPlan, ClientStory, all_calls, client_plans, client_story, emit_callers, emit_client};
pub use command::program_of;
pub use report::{Frame, Report, ReportedAccess, parse_report};

use crate::format::Witness;
use plan::Plan;
use std::path::{Path, PathBuf};

const GUARDS: &str = include_str!("guards.c");
const PRELUDE: &str = include_str!("prelude.c");
const RUNTIME: &str = include_str!("runtime.c");
const HOOKS: &str = concat!(include_str!("hooks.c"), "\n", include_str!("primitives.c"));
const ATOMICS: &str = include_str!("atomics.c");
const SYMBOLS: &str = include_str!("symbols.c");
const INPUTS: &str = include_str!("inputs.c");
const ENVIRONMENT: &str = include_str!("environment.c");
const SYSTEM: &str = include_str!("system.c");

/// A C test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedTest {
    /// The file's text; its first line holds the command.
    pub source: String,
    /// The command that builds it.
    pub build: String,
}

/// Two sources that would have to become part of one test, though they are compiled with different flags.
pub fn conflict(witness: &Witness) -> Option<(&str, &str)> {
    let plan = Plan::new(witness);
    let program = &witness.program;
    let first = *plan.included.first()?;
    let differs = |source: &&str| program.flags_of(source) != program.flags_of(first);
    plan.included.iter().copied().find(differs).map(|other| (first, other))
}

/// Makes a C test of a witness, to be stored at `output_path`. The program it builds stands beside that file.
pub fn emit_test(witness: &Witness, output_path: &Path) -> EmittedTest {
    emit_test_with(witness, output_path, &[])
}

/// As [`emit_test`], with directories in which headers are looked for: the one that `raddle.h` lies in.
pub fn emit_test_with(witness: &Witness, output_path: &Path, includes: &[PathBuf]) -> EmittedTest {
    let plan = Plan::new(witness);
    let build = command::build(&plan, output_path, includes);
    let mut parts = vec![format!("// build: {build}\n"), summary::comment(&plan), GUARDS.to_owned()];
    parts.push(plan.included.iter().map(|source| format!("#include {}\n", tables::string(source))).collect());
    parts.push(command::undefined(&plan));
    parts.push(PRELUDE.to_owned());
    parts.push(tables::tables(&plan));
    parts.push(RUNTIME.to_owned());
    parts.push(HOOKS.to_owned());
    if !plan.atomic_sizes.is_empty() {
        parts.push(format!("{ATOMICS}{}", tables::atomics(&plan)));
    }
    if plan.needs_symbols {
        parts.push(SYMBOLS.to_owned());
    }
    parts.push(heap::build(&plan));
    parts.push(INPUTS.to_owned());
    parts.push(plan.functions().into_iter().filter_map(callbacks::in_test).collect());
    parts.push(ENVIRONMENT.to_owned());
    if command::asks_system(&plan) {
        parts.push(SYSTEM.to_owned());
    }
    parts.push(heap::main(&plan));
    parts.retain(|part| !part.is_empty());
    EmittedTest { source: parts.join("\n"), build }
}
