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
pub mod cuda;
mod heap;
mod machinery;
mod plan;
mod report;
mod standard_input;
mod summary;
mod tables;
#[cfg(test)]
mod tests;

pub use client::{
    ClientPlan, ClientStory, all_calls, client_build, client_plans, client_story, emit_callers, emit_client,
};
pub use command::program_of;
pub use machinery::Occurring;
pub use report::{Frame, Report, ReportedAccess, parse_report};

use crate::format::{StepKind, Witness};
use machinery::Machinery;
use plan::Plan;
use std::path::{Path, PathBuf};

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

/// Makes a C test of a witness, to be stored at `output_path`. The program it builds stands beside that file. `includes`: directories in which
/// headers are looked for, as that of `raddle.h`. `program`: what the program asks for; a test of which that is not known has hooks for all
/// there is.
pub fn emit_test(
    witness: &Witness,
    output_path: &Path,
    includes: &[PathBuf],
    program: Option<&Occurring>,
) -> EmittedTest {
    let plan = Plan::new(witness);
    let machinery = machinery_of(&plan, program);
    let build = command::build(&plan, &machinery.wrapped, output_path, includes);
    let fills = ["raddle_structure", "klee_make_data_structure"].iter().any(|name| machinery.has(name));
    let heap = heap::build(&plan, fills);
    let threads = heap::threads(&plan);
    let read = [
        format!("// build: {build}\n\n{}\n", summary::comment(&plan)),
        plan.included.iter().map(|source| format!("#include {}\n", tables::string(source))).collect(),
        command::undefined(&plan),
        HEADERS.to_owned(),
        heap::helpers(&(heap.clone() + &threads)),
        "\n".to_owned(),
        heap.clone(),
        threads,
        tables::inputs(&plan),
        tables::schedule(&plan),
    ];
    let callbacks: String = plan.functions().into_iter().filter_map(callbacks::in_test).collect();
    let own = [BEHIND, &tables::tables(&plan), &heap::operations(&plan, heap.contains("raddle_build(void)"))];
    let shared = [SHARED, &machinery.types, &machinery.hooks, &callbacks, heap::main(&plan)];
    EmittedTest { source: read.concat() + &own.join("\n") + &shared.join("\n"), build }
}

/// What the readable part needs.
const HEADERS: &str = "#include <stdint.h>\n#include <stdlib.h>\n\
    #define RADDLE_QUIET __attribute__((disable_sanitizer_instrumentation, noinline, unused))\n";

/// Where the readable part ends.
const BEHIND: &str = "/* ==== What follows holds the threads to the schedule: nothing to read here. ======================================== */\n";

/// The part of a test that is there to be read.
pub fn readable(source: &str) -> &str {
    source.split_once(BEHIND).map_or(source, |(read, _)| read)
}

/// A test in two: what is its own, and behind it what it shares with other tests of its program.
pub fn own_and_shared(source: &str) -> (&str, &str) {
    source.find(SHARED).map_or((source, ""), |at| source.split_at(at))
}

/// Where the part ends that is the test's own.
const SHARED: &str = "/* ==== The machinery: the same in all tests of one program. ========================================================= */\n";

fn machinery_of(plan: &Plan, program: Option<&Occurring>) -> Machinery {
    let mut more = Vec::new();
    if plan.witness.settings.fail_alloc {
        more.push("fails");
    }
    if plan.needs_symbols {
        more.push("symbols");
    }
    if !plan.functions().is_empty() {
        more.push("given");
    }
    let enters = plan.witness.schedule.iter().any(|step| step.kind == StepKind::Enter);
    if enters {
        more.push("__tsan_func_entry");
    }
    if standard_input::text(plan).is_some() {
        more.push("standard-input");
    }
    let mut left_out: Vec<&str> = Vec::new();
    if !command::asks_system(plan) {
        left_out.extend(command::OF_SYSTEM.split_whitespace());
    }
    if !enters {
        left_out.push("__tsan_func_entry");
    }
    Machinery::new(program, &plan.atomic_sizes, &more, &left_out)
}
