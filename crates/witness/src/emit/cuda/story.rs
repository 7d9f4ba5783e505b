//! The comment at the top of a kernel's test: what goes wrong, where, in which threads, and what shows it.
//!
//! Nothing is claimed here that depends on a device: a tool is named for what its manual says that it looks at, and where nothing watches, that is said.

use super::super::plan::base;
use super::super::summary::{safe, verb};
use super::Plan;
use super::build::Commands;
use crate::format::{AccessInfo, ScheduleStep, SourcePosition, StepKind};
use machine::{GpuThread, RaceClass, Sched};
use std::fmt::Write;

/// Steps of the schedule that are told.
const STEPS: usize = 16;
/// Threads that wait, and frames of a stack, that are told.
const BLOCKED: usize = 8;
const FRAMES: usize = 4;

fn at(position: &SourcePosition) -> String {
    format!("{}:{}:{}", base(&position.file), position.line, position.column)
}

/// The comment.
pub(super) fn comment(plan: &Plan, commands: &Commands) -> String {
    let mut text = String::new();
    failure(plan, &mut text);
    order(plan, &mut text);
    launch(plan, &mut text);
    tools(plan, commands, &mut text);
    ends(plan, commands, &mut text);
    let lines = text.trim_end().lines().map(|line| format!(" * {}", safe(line)).trim_end().to_owned() + "\n");
    format!("/*\n{} */\n", lines.collect::<String>())
}

/// `block (1,0,0), thread (0,0,0)`, as reports have it.
fn thread(at: GpuThread) -> String {
    let size = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    format!("block {}, thread {} (warp {}, lane {})", size(at.block), size(at.thread), at.warp, at.lane)
}

fn failure(plan: &Plan, out: &mut String) {
    let failure = &plan.witness.failure;
    let kind = failure.kind.replace('_', " ");
    if failure.accesses.is_empty() {
        let _ = writeln!(out, "{kind}: {}", failure.detail);
        if failure.blocked.is_empty() {
            let who = failure.thread.map(|thread| plan.launch.position(concurrency::ThreadId::new(thread as usize)));
            let who = who.map_or_else(String::new, |at| format!("{} ", thread(at)));
            let _ = writeln!(out, "  {who}in {} at {}", failure.location.function, at(&failure.location));
            stack(&failure.location, out);
        }
        for blocked in failure.blocked.iter().take(BLOCKED) {
            let who = blocked.gpu.map_or_else(|| blocked.thread_name.clone(), thread);
            let _ = writeln!(out, "  {who} waits for {} at {}", blocked.waits_for, at(&blocked.position));
        }
        if let Some(more) = failure.blocked.len().checked_sub(BLOCKED).filter(|more| *more > 0) {
            let _ = writeln!(out, "  and {more} more");
        }
        return;
    }
    let class = failure.race.map_or("", |race| match race.class {
        RaceClass::IntraWarp => ", within a warp",
        RaceClass::IntraWarpDivergent => ", within a warp that diverges",
        RaceClass::InterWarp => ", between warps of a block",
        RaceClass::Global => ", between blocks",
    });
    let _ = writeln!(out, "{kind}{class}: {}", failure.detail);
    for access in &failure.accesses {
        let _ = writeln!(out, "  {}", described(access));
        stack(&access.position, out);
    }
    if failure.kind == "scope_error" {
        out.push_str("  Wider scopes would order these, or make them atomic for each other.\n");
    }
}

fn stack(position: &SourcePosition, out: &mut String) {
    for frame in position.stack.iter().skip(1).take(FRAMES) {
        let _ = writeln!(out, "    from {frame}");
    }
}

fn described(access: &AccessInfo) -> String {
    let verb = verb(access);
    let atomic = if access.atomic { "atomically " } else { "" };
    let space = access.gpu.as_ref().map_or("", |gpu| gpu.space.as_str());
    let who = access.gpu.as_ref().map_or_else(|| access.thread_name.clone(), |gpu| thread(gpu.thread));
    let (place, size, function) = (&access.place, access.size, &access.position.function);
    format!(
        "{who}\n    {atomic}{verb} {place} ({size} bytes, {space} memory) in {function} at {}",
        at(&access.position)
    )
}

/// In which order the witness has the threads.
fn order(plan: &Plan, out: &mut String) {
    let is_told = |step: &&ScheduleStep| !matches!(step.kind, StepKind::Leave | StepKind::Exit);
    let steps: Vec<&ScheduleStep> = plan.witness.schedule.iter().filter(is_told).collect();
    if steps.is_empty() {
        return;
    }
    out.push_str("\nThe order of the witness (the last steps of threads that others notice):\n");
    let left_out = steps.len().saturating_sub(STEPS);
    if left_out > 0 {
        let _ = writeln!(out, "  {left_out} steps before");
    }
    for step in &steps[left_out..] {
        let _ = writeln!(out, "  {}: {} at {}", step.thread_name, step.action, at(&step.position));
    }
}

fn launch(plan: &Plan, out: &mut String) {
    let launch = &plan.launch;
    if launch.warp != 32 {
        let _ = writeln!(
            out,
            "\nThe finding is one of warps of {} threads; a device's have 32, so that threads of different warps here may be of one there.",
            launch.warp
        );
    }
    if launch.sched == Sched::Lockstep {
        out.push_str("\nThe finding is one of warps in lockstep (before Volta); later devices order the threads of a warp less.\n");
    }
    if !plan.witness.inputs.is_empty() {
        let names: Vec<&str> = plan.witness.inputs.iter().map(|input| input.name.as_str()).take(4).collect();
        let _ = writeln!(
            out,
            "\nIt rests on what the device answers itself ({}): the test cannot choose that.",
            names.join(", ")
        );
    }
}

/// What of CUDA's tools sees it.
fn tools(plan: &Plan, commands: &Commands, out: &mut String) {
    let failure = &plan.witness.failure;
    let run = |tool: &str| format!("compute-sanitizer --tool {tool} {}", commands.program);
    out.push_str("\nRun it:\n");
    let in_shared = failure.accesses.iter().any(|access| access.gpu.as_ref().is_some_and(|gpu| gpu.space == "shared"));
    let is_atomic = failure.accesses.iter().any(|access| access.atomic);
    match failure.kind.as_str() {
        "data_race" | "scope_error" if in_shared => {
            let _ = writeln!(
                out,
                "  {}\nracecheck looks for accesses to shared memory that nothing orders.",
                run("racecheck")
            );
            if is_atomic {
                out.push_str("One of these is atomic, which it may take for no race.\n");
            }
        }
        "data_race" | "scope_error" => {
            let _ = writeln!(out, "  {}", commands.program);
            out.push_str(
                "No tool of CUDA's shows this in one run: racecheck watches shared memory alone, and the order of these accesses leaves no trace\n\
                 but what is in memory behind it.\n",
            );
            let _ = match plan.looks_at() {
                Some(left) => {
                    let shown = |bits| plan.left_as_number(left.size, bits);
                    writeln!(
                        out,
                        "So the test looks there: in raddle's machine threads that run one after the other leave {0}, from the first on and \
                         from the\nlast; interleaved ones can leave {1}. Anything but {0} ends it with 66.",
                        shown(left.one_by_one),
                        shown(left.interleaved)
                    )
                }
                None => writeln!(
                    out,
                    "Of what is left there raddle knows no value that tells: this test shows the launch and no more."
                ),
            };
        }
        "barrier_divergence" => {
            let _ = writeln!(out, "  {}\nsynccheck looks for barriers that not all threads come to.", run("synccheck"));
        }
        "null_dereference" | "out_of_bounds" | "use_after_free" | "double_free" | "invalid_free"
        | "misaligned_access" => {
            let _ = writeln!(
                out,
                "  {}\nmemcheck looks for accesses to what is not there, or not aligned.",
                run("memcheck")
            );
            out.push_str(
                "It watches global memory; of shared and local memory it sees what lies outside of all of it.\n",
            );
        }
        "assertion" | "unreachable_reached" | "trap" => {
            let _ = writeln!(
                out,
                "  {}\nThe device stops the kernel where it fails, and the test ends with 66.",
                commands.program
            );
        }
        _ => {
            let _ = writeln!(out, "  {}\nNo tool of CUDA's is known to show this.", commands.program);
        }
    }
    out.push_str(
        "Nothing holds the threads of a device to an order: where the failure needs one, it may show in one run and not in another.\n\
         raddle has seen it in its own machine, and nothing of this on a device.\n",
    );
}

/// How it ends, and who else can look at it.
fn ends(plan: &Plan, commands: &Commands, out: &mut String) {
    let never_ends = ["barrier_divergence", "deadlock"].contains(&plan.witness.failure.kind.as_str());
    let late = match (never_ends, plan.looks_at()) {
        (true, _) => "66 the kernel failed, or did not end",
        (false, Some(_)) => "66 the kernel failed, or left another value",
        (false, None) => "66 the kernel failed",
    };
    let other = if never_ends { "it was not launched" } else { "it was not launched, or did not end" };
    let _ = writeln!(
        out,
        "\nExit codes: {late}; 3 {other}; 0 the device noticed nothing, which proves nothing. It ends within 10 seconds."
    );
    let (threads, most) = (plan.launch.threads(), u64::from(machine::MOST_THREADS));
    let _ = match threads > most {
        true => writeln!(
            out,
            "raddle does not look at this program: of a launch from `main` it explores {most} threads, this one has {threads}."
        ),
        false => writeln!(out, "raddle looks at this program by: {}", commands.raddle),
    };
    if !commands.not_for_nvcc.is_empty() {
        let _ = writeln!(out, "nvcc is not given the flags for clang: {}", commands.not_for_nvcc.join(" "));
    }
}
