//! The witness as C tables: those that people read, and those that the machinery alone does.

use super::machinery;
use super::plan::{Plan, base};
use super::standard_input;
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
    format!("{}, {}, {}", string(base(&position.file)), position.line, position.column)
}

/// What the machinery reads, and nobody else: it makes tables of the lists.
pub(super) fn tables(plan: &Plan) -> String {
    let mut out = String::new();
    options(plan, &mut out);
    names(plan, &mut out);
    sites(plan, &mut out);
    first_picks(plan, &mut out);
    shown(plan, &mut out);
    deadlock(plan, &mut out);
    if plan.witness.inputs.is_empty() {
        out.push_str("#define RADDLE_INPUTS(input)\n");
    }
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
    let _ = writeln!(out, "#define RADDLE_STEPS {}\n", plan.witness.schedule.len());
    let _ =
        writeln!(out, "__attribute__((unused)) static const int raddle_runs_main = {};\n", u8::from(plan.is_check()));
}

fn names(plan: &Plan, out: &mut String) {
    let last = plan.threads.keys().next_back().copied().unwrap_or(0);
    let name = |number: u32| plan.threads.get(&number).map_or("NULL".to_owned(), |name| string(name));
    let all: Vec<String> = (0..=last).map(name).collect();
    let _ = writeln!(out, "static const char *const raddle_names[] = {{{}}};", all.join(", "));
    let mut words: Vec<(String, i64)> =
        plan.threads.keys().map(|&number| (thread_word(plan, number), i64::from(number))).collect();
    words.push(("none".to_owned(), -1));
    words.dedup_by(|a, b| a.0 == b.0);
    let words: Vec<String> = words.iter().map(|(word, number)| format!("RADDLE_THREAD_{word} = {number}")).collect();
    let _ = writeln!(out, "enum {{ {} }};\n", words.join(", "));
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
    out.push_str("#define RADDLE_SITES(site)");
    for (file, line, column, kind) in sites {
        let _ = write!(out, " \\\n    site({kind}, {}, {line}, {column})", string(file));
    }
    out.push_str("\n\n");
}

fn first_picks(plan: &Plan, out: &mut String) {
    let mut picks: Vec<String> = plan.witness.first_picks.iter().map(u32::to_string).collect();
    picks.push("0".to_owned());
    let _ =
        writeln!(out, "__attribute__((unused)) static const int raddle_first_picks[] = {{{}}};\n", picks.join(", "));
}

/// The schedule, to be read; the machinery makes a table of it.
pub(super) fn schedule(plan: &Plan) -> String {
    let steps = &plan.witness.schedule;
    if steps.is_empty() {
        return "/* The schedule: each thread in turn, as far as it gets. */\n#define RADDLE_SCHEDULE(step)\n\n"
            .to_owned();
    }
    let mut out = String::from(
        "/* The schedule. Each thread runs up to its first step; then, one at a time (thread, what it does, bytes or 0, place; what the\n \
         * environment chooses or -1; in words): */\n#define RADDLE_SCHEDULE(step)",
    );
    let columns = |step: &ScheduleStep| {
        [
            format!("{},", thread_word(plan, step.thread)),
            format!("{}, {},", step_word(step), step.size),
            format!("{}, {}, {},", string(base(&step.position.file)), step.position.line, step.position.column),
        ]
    };
    let width = |index: usize| steps.iter().map(|step| columns(step)[index].len()).max().unwrap_or(0).min(60);
    let widths = [0, 1, 2].map(width);
    for step in steps {
        let pick = step.picks.first().map_or(-1, |pick| i64::from(*pick));
        let [thread, what, place] = columns(step);
        let [first, second, third] = widths;
        let text = string(&step.action);
        let _ = write!(out, " \\\n    step({thread:first$} {what:second$} {place:third$} {pick}, {text})");
    }
    out.push_str("\n\n");
    out
}

/// A thread as the schedule calls it.
fn thread_word(plan: &Plan, number: u32) -> String {
    let name = plan.threads.get(&number).map_or("none", String::as_str);
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// What a native run sees of a step, as the schedule has it. The routine of a once flag returns without a call.
fn step_word(step: &ScheduleStep) -> &'static str {
    match step.kind {
        _ if step.position.assembly => "unseen",
        // The rest of a call that has begun, or one that comes by no hook: natively it leaves no trace.
        StepKind::Load | StepKind::Store
            if step.library.as_ref().is_some_and(|call| call.continues || !machinery::has_hook(&call.function)) =>
        {
            "unseen"
        }
        StepKind::Call if step.action.starts_with("completes once") => "once_done",
        StepKind::Call | StepKind::Join => "call",
        StepKind::Enter => "enter",
        StepKind::Wake => "wake",
        StepKind::Load => "read",
        StepKind::Store => "write",
        StepKind::Update => "update",
        StepKind::Free => "free",
        StepKind::Exit => "exit",
        StepKind::Leave => "unseen",
    }
}

/// The same as the machinery has it, of an access.
fn step_kind(step: &ScheduleStep) -> &'static str {
    match step_word(step) {
        "read" => "RADDLE_READ",
        "write" => "RADDLE_WRITE",
        "update" => "RADDLE_READ | RADDLE_WRITE",
        "free" => "RADDLE_FREE",
        _ => "0",
    }
}

/// Accesses that ThreadSanitizer is to see.
fn shown(plan: &Plan, out: &mut String) {
    let failure = &plan.witness.failure;
    out.push_str("#define RADDLE_SHOWN(access)");
    let mut show = |thread: i64, kind: &str, at: &SourcePosition| {
        let _ = write!(out, " \\\n    access({thread}, {kind}, {})", place(at));
    };
    for access in &failure.accesses {
        show(i64::from(access.thread), access_kind(&access.access), &access.position);
    }
    if failure.kind == "use_after_free" {
        show(-1, "RADDLE_FREE", &SourcePosition::default());
        show(-1, "RADDLE_READ | RADDLE_WRITE | RADDLE_CALL", &failure.location);
    }
    if failure.kind == "lock_misuse" {
        show(-1, "RADDLE_CALL", &failure.location);
    }
    out.push_str("\n\n");
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
    out.push_str("#define RADDLE_DEADLOCK(blocked)");
    for blocked in &plan.witness.failure.blocked {
        let (thread, at) = (blocked.thread, place(&blocked.position));
        let (holds, waits) = (string(&blocked.holds.join(", ")), string(&blocked.waits_for));
        let _ = write!(out, " \\\n    blocked({thread}, {at}, {holds}, {waits})");
    }
    out.push_str("\n\n");
}

/// What the program gets, to be read; the machinery makes a table of it.
pub(super) fn inputs(plan: &Plan) -> String {
    let inputs = &plan.witness.inputs;
    if inputs.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "/* What the program asks for, and what it gets (name, bytes, their number): */\n#define RADDLE_INPUTS(input)",
    );
    for input in inputs {
        let value = match <[u8; 8]>::try_from([input.bytes.as_slice(), &[0; 8]].concat().get(..8).unwrap_or(&[])) {
            _ if input.floating => input.number().map_or_else(String::new, |number| number.to_string()),
            Ok(word) if input.bytes.len() <= 8 => u64::from_le_bytes(word).to_string(),
            _ => "as it stands".to_owned(),
        };
        let (name, bytes, count) = (string(&input.name), bytes(&input.bytes), input.bytes.len());
        let _ = write!(out, " \\\n    input({name}, {bytes}, {count}) /* {value} */");
    }
    out.push_str("\n\n");
    if let Some(text) = standard_input::text(plan) {
        let text = bytes(&text);
        let _ = write!(out, "/* All that is on standard input: */\n#define RADDLE_STANDARD_INPUT {text}\n\n");
    }
    out
}
