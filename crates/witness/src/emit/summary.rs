//! The comment at the top: what goes wrong.

use super::plan::{Plan, base};
use crate::format::{AccessInfo, HeapObject, SourcePosition, TakenWay};
use std::fmt::Write;

/// Text that cannot end a comment.
pub(super) fn safe(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    printable.replace("*/", "* /").replace("/*", "/ *")
}

/// `struct node`, `char[3]`, or the size.
pub(super) fn type_of(object: &HeapObject) -> String {
    match (object.c_type.as_str(), object.count) {
        ("", _) => format!("{} bytes", object.size),
        (ty, 1) => ty.to_owned(),
        (ty, count) => format!("{ty}[{count}]"),
    }
}

fn at(position: &SourcePosition) -> String {
    format!("{}:{}:{}", base(&position.file), position.line, position.column)
}

/// The story: what goes wrong, where, in which threads.
pub(super) fn comment(plan: &Plan) -> String {
    let mut text = String::new();
    match plan.is_coverage() {
        true => takes(plan, &mut text),
        false => failure(plan, &mut text),
    }
    text.push_str(match plan.is_coverage() {
        true => EXIT_CODES_OF_COVERAGE,
        false => EXIT_CODES,
    });
    let lines = text.trim_end().lines().map(|line| format!(" * {}", safe(line)).trim_end().to_owned() + "\n");
    format!("/*\n{} */\n", lines.collect::<String>())
}

const EXIT_CODES: &str = "\nExit codes: 66 ThreadSanitizer reported it (or the failure showed otherwise), 3 the schedule was not reached,\n\
     0 nothing happened. It ends within 10 seconds. In a debugger, a thread that is held stands in raddle_await_turn.\n";

const EXIT_CODES_OF_COVERAGE: &str = "\nExit codes: 0 the schedule was followed, so these ways were taken; 66 so they were, and then the program failed;\n\
     3 the schedule was not reached. It ends within 10 seconds. Built with -fprofile-instr-generate it writes its profile.\n";

/// What a test of a suite is for.
fn takes(plan: &Plan, out: &mut String) {
    out.push_str("Takes these ways at branches:\n");
    for way in &plan.witness.takes {
        let TakenWay { line, column, outcome, degree, function, .. } = way;
        let others = match degree {
            0 => "by its thread alone".to_owned(),
            1 => "with 1 interference".to_owned(),
            more => format!("with {more} interferences"),
        };
        let _ = writeln!(out, "  {}:{line}:{column} {outcome}, in {function}, {others}", base(&way.file));
    }
}

fn failure(plan: &Plan, out: &mut String) {
    let failure = &plan.witness.failure;
    if !plan.is_race() {
        let _ = writeln!(out, "{}: {}", failure.kind.replace('_', " "), failure.detail);
        if failure.blocked.is_empty() {
            let _ = writeln!(out, "  in {} at {}", failure.location.function, at(&failure.location));
        }
        for blocked in &failure.blocked {
            let holds =
                if blocked.holds.is_empty() { String::new() } else { format!(", holds {}", blocked.holds.join(", ")) };
            let thread = plan.thread(blocked.thread);
            let _ = writeln!(out, "  {thread} waits for {} at {}{holds}", blocked.waits_for, at(&blocked.position));
        }
        return;
    }
    let _ = writeln!(out, "{}", failure.detail);
    for access in &failure.accesses {
        let _ = writeln!(out, "  {}", described(plan, access));
        for frame in access.position.stack.iter().skip(1) {
            let _ = writeln!(out, "    from {frame}");
        }
    }
}

/// What an access does, in words.
pub(super) fn verb(access: &AccessInfo) -> &'static str {
    match access.access.as_str() {
        "read" => "reads",
        "write" => "writes",
        "free" => "frees",
        _ => "updates",
    }
}

fn described(plan: &Plan, access: &AccessInfo) -> String {
    let verb = verb(access);
    let atomic = if access.atomic { "atomically " } else { "" };
    let locks = if access.locks.is_empty() { "nothing".to_owned() } else { access.locks.join(", ") };
    format!(
        "{} {atomic}{verb} {} ({} bytes) in {} at {}, holding {locks}",
        plan.thread(access.thread),
        access.place,
        access.size,
        access.position.function,
        at(&access.position)
    )
}
