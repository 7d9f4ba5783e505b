//! What the claim of a run rests on, as the report says it.

use super::parameters::Parameters;
use ir::text::c_name;
use ir::{Callee, Global, GlobalId, LocId, Module, Op, Operand};
use machine::Engine;
use report::Assumption;
use std::path::Path;

/// Names of one kind that are written out; of more, their number.
const MOST_NAMED: usize = 8;

/// What was assumed in this run. `from_main`: of a whole program.
pub(super) fn all(engine: &Engine, parameters: &Parameters, from_main: bool) -> Vec<Assumption> {
    let assumed = &engine.assumed;
    let optional = [
        (assumed.functions, "functions", functions()),
        (assumed.client_functions, "client_functions", client_functions()),
        (assumed.counts, "counts", counts()),
        (assumed.owners, "owners", owners()),
        (assumed.members, "members", members(engine)),
        (assumed.statics, "statics", statics(engine)),
        (assumed.sizes, "sizes", sizes(parameters)),
        (assumed.volatile, "volatile", volatile()),
        (assumed.buffers, "buffer_bound", buffers(parameters)),
        (assumed.failed.is_some(), "failed_call", failed(engine)),
        (engine.config.any_indeterminate, "indeterminate", indeterminate()),
        (names_consume(&engine.program.module), "consume", consume()),
        (from_main && has_arguments(&engine.program.module), "arguments", arguments()),
        (compares_threads(&engine.program.module), "thread_ids", thread_ids()),
    ];
    let always = [("allocation", allocation(parameters)), ("spurious", spurious(parameters))];
    let rest = optional.into_iter().filter(|(is_so, ..)| *is_so).map(|(_, kind, detail)| (kind, detail));
    let word = |(kind, detail): (&str, String)| Assumption { kind: kind.to_owned(), detail, ..Assumption::default() };
    always.into_iter().chain(rest).map(word).collect()
}

fn allocation(parameters: &Parameters) -> String {
    match parameters.bounds.fail_alloc {
        true => "each allocation, and each creation of a thread, may fail".to_owned(),
        false => "allocation and thread creation succeed".to_owned(),
    }
}

fn spurious(parameters: &Parameters) -> String {
    match parameters.spurious {
        0 => "condition waits wake only when signalled".to_owned(),
        1 => "at most one spurious wake-up, or failure of a weak exchange, per thread and place".to_owned(),
        machine::ANY_NUMBER => "waits may wake spuriously, and weak exchanges fail, any number of times".to_owned(),
        n => format!("up to {n} spurious wake-ups, or failures of weak exchanges, per thread and place"),
    }
}

fn buffers(parameters: &Parameters) -> String {
    format!(
        "where a thread passes the end of a buffer, which has {} elements, nothing more is looked for; --array with a larger number has longer ones",
        parameters.bounds.array
    )
}

/// What CUDA calls an error (CUDA Runtime API, 'Data types').
fn error_name(error: u32) -> String {
    let name = match error {
        1 => "cudaErrorInvalidValue",
        2 => "cudaErrorMemoryAllocation",
        9 => "cudaErrorInvalidConfiguration",
        13 => "cudaErrorInvalidSymbol",
        21 => "cudaErrorInvalidMemcpyDirection",
        98 => "cudaErrorInvalidDeviceFunction",
        101 => "cudaErrorInvalidDevice",
        400 => "cudaErrorInvalidResourceHandle",
        701 => "cudaErrorLaunchOutOfResources",
        _ => return format!("error {error}"),
    };
    name.to_owned()
}

fn failed(engine: &Engine) -> String {
    let Some(failed) = engine.assumed.failed else { return String::new() };
    let module = &engine.program.module;
    let location = &module[LocId::new(failed.place as usize)];
    format!(
        "a call of CUDA's runtime fails, and the program goes on without what it was to do: {}:{} ({})",
        module[location.file].path,
        location.line,
        error_name(failed.error)
    )
}

fn indeterminate() -> String {
    "uninitialised variables hold some value, the same until they are set: uses of them were not asked for".to_owned()
}

fn consume() -> String {
    "memory_order_consume is taken for memory_order_acquire, as compilers do".to_owned()
}

fn arguments() -> String {
    "main gets no arguments beside the program's name".to_owned()
}

/// Whether `main` looks at its arguments.
fn has_arguments(module: &Module) -> bool {
    let mains = module.functions_named("main").map(|id| &module[id]);
    mains.into_iter().any(|main| {
        let is_param = |operand: Operand| main.params.iter().any(|param| operand == Operand::Reg(param.reg));
        main.blocks.iter().any(|block| {
            let mut found = false;
            block.insts.iter().for_each(|inst| inst.op.for_each_operand(|operand| found |= is_param(operand)));
            block.terminator.for_each_operand(|operand| found |= is_param(operand));
            found
        })
    })
}

fn thread_ids() -> String {
    "a thread does not get the id of one that has ended".to_owned()
}

/// Whether threads look at their ids (POSIX pthread_self: one that has ended may be given to another thread).
fn compares_threads(module: &Module) -> bool {
    let is_self = |callee: &Callee| match callee {
        Callee::Direct(id) => matches!(&*module[*id].name, "pthread_self" | "thrd_current"),
        Callee::Indirect(_) => false,
    };
    let own = module.functions.iter().filter(|function| !function.library);
    own.flat_map(|function| &function.blocks)
        .flat_map(|block| &block.insts)
        .any(|inst| matches!(&inst.op, Op::Call { callee, .. } if is_self(callee)))
}

/// Whether a source of the program's own names an order that compilers replace by a stronger one.
fn names_consume(module: &Module) -> bool {
    let is_order = |word: &str| matches!(word, "memory_order_consume" | "__ATOMIC_CONSUME");
    module.files.iter().filter(|file| !Path::new(&file.path).starts_with("/usr")).any(|file| {
        let text = std::fs::read_to_string(Path::new(&file.directory).join(&file.path)).unwrap_or_default();
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_order)
    })
}

fn functions() -> String {
    "pointers to functions in the heap lead to functions of the program, not of a client".to_owned()
}

fn client_functions() -> String {
    "where no function of the program fits a pointer to one, a client has one that fits (one for each type): it reads the numbers, bytes and \
     pointers that its arguments lead to, nothing of structures, and returns anything"
        .to_owned()
}

fn counts() -> String {
    "semaphores of the heap count any number, and no more than they were initialised with where each call posts only what it has \
     waited for (1 if nothing initialises them); barriers of the heap are for two threads or more"
        .to_owned()
}

fn owners() -> String {
    "what two owners own is kept apart; share_owners = true, under [shapes] in raddle.toml, lets them share it"
        .to_owned()
}

fn members(engine: &Engine) -> String {
    let module = &engine.program.module;
    let member = |(record, offset)| format!("{}{}", c_name(module, record, 2), module.path_to(record, offset));
    let given = listed(engine.program.facts.given_away().map(member));
    let but = match given.is_empty() {
        true => String::new(),
        false => format!(", but for those of which the program gives the address away ({given})"),
    };
    format!(
        "pointers to numbers and untyped pointers, and those of the heap to arrays of pointers, lead to objects and arrays of their own, and to no members \
         of structures{but}; --any-member lets them lead to all"
    )
}

fn statics(engine: &Engine) -> String {
    let program = &engine.program;
    let is_kept = |(id, _): &(GlobalId, &Global)| machine::keeps_initial(program, *id);
    let kept = listed(program.module.globals().filter(is_kept).map(|(_, global)| global.name.clone()));
    format!(
        "static variables that no code writes hold what the source gives them ({kept}); --any-static lets them hold anything"
    )
}

fn sizes(parameters: &Parameters) -> String {
    format!(
        "objects of a size that nothing bounds are allocated for {} elements or fewer (twice --array)",
        parameters.bounds.array.saturating_mul(2).max(1)
    )
}

fn volatile() -> String {
    "volatile accesses are relaxed atomic ones; C11 says that they can race".to_owned()
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
