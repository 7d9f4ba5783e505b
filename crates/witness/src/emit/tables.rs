//! The witness as C tables.

use super::command;
use super::plan::{Plan, base};
use crate::format::{ScheduleStep, SourcePosition, StepKind};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A C string literal.
pub(super) fn string(text: &str) -> String {
    bytes(text.as_bytes())
}

/// A C string literal of any bytes. Octal escapes end after three digits, whatever follows.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(byte as char);
            }
            // A question mark could begin a trigraph.
            b' '..=b'~' if byte != b'?' => literal.push(byte as char),
            _ => literal.push_str(&format!("\\{byte:03o}")),
        }
    }
    literal.push('"');
    literal
}

fn place(position: &SourcePosition) -> String {
    format!("{{{}, {}, {}}}", string(base(&position.file)), position.line, position.column)
}

/// Everything that the machinery reads.
pub(super) fn tables(plan: &Plan) -> String {
    let mut out = String::new();
    options(plan, &mut out);
    names(plan, &mut out);
    sites(plan, &mut out);
    first_picks(plan, &mut out);
    schedule(plan, &mut out);
    shown(plan, &mut out);
    deadlock(plan, &mut out);
    inputs(plan, &mut out);
    out
}

fn options(plan: &Plan, out: &mut String) {
    let kind = plan.witness.failure.kind.as_str();
    let misuse = u8::from(kind == "lock_misuse");
    let about_a_race = u8::from(kind == "data_race");
    let about_branches = u8::from(plan.is_coverage());
    // The signals make assertions, null dereferences and divisions by zero reports too, where the test is about those.
    let signals: String = ["abort", "segv", "sigbus", "sigfpe", "sigill", "sigtrap"]
        .iter()
        .map(|name| format!(":handle_{name}={}", 1 - about_a_race.max(about_branches)))
        .collect();
    let options = format!(
        "exitcode=66:halt_on_error=1:atexit_sleep_ms=0:detect_deadlocks=0:report_thread_leaks=0:\
         report_signal_unsafe=0:report_destroy_locked={misuse}:report_mutex_bugs={misuse}{signals}"
    );
    let _ = writeln!(out, "#define RADDLE_TSAN_OPTIONS \\\n    {}", string(&options));
    let both_free = kind == "data_race" && plan.witness.failure.accesses.iter().all(|a| a.access == "free");
    let checks_free = u8::from(both_free || matches!(kind, "double_free" | "invalid_free"));
    let _ = writeln!(out, "#define RADDLE_CHECKS_FREE {checks_free}");
    let _ = writeln!(out, "#define RADDLE_ABOUT_A_RACE {about_a_race}");
    let _ = writeln!(out, "#define RADDLE_ABOUT_BRANCHES {about_branches}");
    let fails = u8::from(plan.witness.settings.fail_alloc);
    let _ = writeln!(out, "#define RADDLE_FAILS_ALLOCATIONS {fails}");
    let sections = u8::from(plan.witness.schedule.iter().any(|step| step.kind == StepKind::Enter));
    let _ = writeln!(out, "#define RADDLE_HAS_ATOMIC_FUNCTIONS {sections}");
    let _ = writeln!(out, "#define RADDLE_STEPS {}\n", plan.witness.schedule.len());
    let _ = writeln!(out, "static const int raddle_runs_main = {};\n", u8::from(plan.is_check()));
}

fn names(plan: &Plan, out: &mut String) {
    let last = plan.threads.keys().next_back().copied().unwrap_or(0);
    let name = |number: u32| plan.threads.get(&number).map_or("NULL".to_owned(), |name| string(name));
    let all: Vec<String> = (0..=last).map(name).collect();
    let _ = writeln!(out, "static const char *const raddle_names[] = {{{}}};\n", all.join(", "));
}

/// Where accesses are steps. A witness from before that was written down says so only of those that occur.
fn sites(plan: &Plan, out: &mut String) {
    let known = plan.witness.visible_sites.iter().map(|s| (base(&s.file), s.line, s.column, access_kind(&s.access)));
    let steps = plan
        .witness
        .schedule
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Load | StepKind::Store | StepKind::Update | StepKind::Free));
    let steps = steps.map(|s| (base(&s.position.file), s.position.line, s.position.column, step_kind(s)));
    let sites: BTreeSet<_> = known.chain(steps).filter(|site| site.1 != 0).collect();
    out.push_str("static const struct raddle_site raddle_sites[] = {\n");
    for (file, line, column, kind) in sites {
        let _ = writeln!(out, "    {{{kind}, {{{}, {line}, {column}}}}},", string(file));
    }
    out.push_str("    {0, {\"\", 0, 0}}, /* the end */\n};\n\n");
}

fn first_picks(plan: &Plan, out: &mut String) {
    let mut picks: Vec<String> = plan.witness.first_picks.iter().map(u32::to_string).collect();
    picks.push("0".to_owned());
    let _ = writeln!(out, "static const int raddle_first_picks[] = {{{}}};\n", picks.join(", "));
}

fn schedule(plan: &Plan, out: &mut String) {
    out.push_str("static const struct raddle_step raddle_schedule[] = {\n");
    for step in &plan.witness.schedule {
        let pick = step.picks.first().map_or(-1, |pick| i64::from(*pick));
        let text = format!("{} {}", plan.thread(step.thread), step.action);
        let _ = writeln!(
            out,
            "    {{{}, {}, {}, {}, {pick}, {}}},",
            step.thread,
            step_kind(step),
            step.size,
            place(&step.position),
            string(&text)
        );
    }
    out.push_str("    {-1, 0, 0, {\"\", 0, 0}, -1, \"\"}, /* the end */\n};\n\n");
}

/// What a native run sees of a step. The routine of a once flag returns without a call.
fn step_kind(step: &ScheduleStep) -> &'static str {
    match step.kind {
        _ if step.position.assembly => "0",
        // The rest of a call that has begun, or one that comes by no hook: natively it leaves no trace.
        StepKind::Load | StepKind::Store
            if step.library.as_ref().is_some_and(|call| call.continues || !command::has_hook(&call.function)) =>
        {
            "0"
        }
        StepKind::Call if step.action.starts_with("completes once") => "RADDLE_ONCE_DONE",
        StepKind::Call | StepKind::Join => "RADDLE_CALL",
        StepKind::Enter => "RADDLE_ENTER",
        StepKind::Wake => "RADDLE_WAKE",
        StepKind::Load => "RADDLE_READ",
        StepKind::Store => "RADDLE_WRITE",
        StepKind::Update => "RADDLE_READ | RADDLE_WRITE",
        StepKind::Free => "RADDLE_FREE",
        StepKind::Exit => "RADDLE_EXIT",
        StepKind::Leave => "0",
    }
}

/// Accesses that ThreadSanitizer is to see.
fn shown(plan: &Plan, out: &mut String) {
    let failure = &plan.witness.failure;
    out.push_str("static const struct raddle_access raddle_shown[] = {\n");
    for access in &failure.accesses {
        let (kind, at) = (access_kind(&access.access), place(&access.position));
        let _ = writeln!(out, "    {{{}, {kind}, 0, {at}}},", access.thread);
    }
    if failure.kind == "use_after_free" {
        let at = place(&failure.location);
        let _ = writeln!(out, "    {{-1, RADDLE_FREE, 0, {{\"\", 0, 0}}}},");
        let _ = writeln!(out, "    {{-1, RADDLE_READ | RADDLE_WRITE | RADDLE_CALL, 0, {at}}},");
    }
    if failure.kind == "lock_misuse" {
        let _ = writeln!(out, "    {{-1, RADDLE_CALL, 0, {}}},", place(&failure.location));
    }
    out.push_str("    {-1, 0, 0, {\"\", 0, 0}}, /* the end */\n};\n\n");
}

fn access_kind(access: &str) -> &'static str {
    match access {
        "read" => "RADDLE_READ",
        "free" => "RADDLE_FREE",
        "read_write" => "RADDLE_READ | RADDLE_WRITE",
        _ => "RADDLE_WRITE",
    }
}

fn deadlock(plan: &Plan, out: &mut String) {
    out.push_str("static const struct raddle_blocked raddle_deadlock[] = {\n    {-1, {\"\", 0, 0}, \"\", \"\"},\n");
    for blocked in &plan.witness.failure.blocked {
        let holds = string(&blocked.holds.join(", "));
        let _ = writeln!(
            out,
            "    {{{}, {}, {holds}, {}}},",
            blocked.thread,
            place(&blocked.position),
            string(&blocked.waits_for)
        );
    }
    out.push_str("};\n\n");
}

fn inputs(plan: &Plan, out: &mut String) {
    out.push_str("static const struct raddle_input raddle_inputs[] = {\n");
    for input in &plan.witness.inputs {
        let _ = writeln!(out, "    {{{}, {}, {}}},", string(&input.name), input.bytes.len(), bytes(&input.bytes));
    }
    out.push_str("    {\"\", 0, \"\"}, /* the end */\n};\n");
}

/// Hooks for the sizes of atomic operations that occur.
pub(super) fn atomics(plan: &Plan) -> String {
    let hook = |size: &u64| match size {
        16 => "RADDLE_ATOMICS(128, unsigned __int128)\n".to_owned(),
        _ => format!("RADDLE_ATOMICS({0}, uint{0}_t)\n", size * 8),
    };
    plan.atomic_sizes.iter().map(hook).collect()
}
