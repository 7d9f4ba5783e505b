//! The comment at the top: what goes wrong, from which heap, by which steps.

use super::heap::{as_string, shown};
use super::plan::{Plan, base};
use crate::format::{AccessInfo, ArgumentValue, CellValue, HeapObject, OperationCall, SourcePosition, TakenWay};
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

pub(super) fn comment(plan: &Plan) -> String {
    let mut text = String::new();
    match plan.is_coverage() {
        true => takes(plan, &mut text),
        false => failure(plan, &mut text),
    }
    calls(plan, &mut text);
    heap(plan, &mut text);
    inputs(plan, &mut text);
    schedule(plan, &mut text);
    text.push_str(match plan.is_coverage() {
        true => EXIT_CODES_OF_COVERAGE,
        false => EXIT_CODES,
    });
    let lines = text.trim_end().lines().map(|line| format!(" * {}", safe(line)).trim_end().to_owned() + "\n");
    format!("/*\n{} */\n", lines.collect::<String>())
}

const EXIT_CODES: &str = "\nExit codes: 66 ThreadSanitizer reported it (or the failure showed otherwise), 3 the schedule was not reached,\n\
     0 nothing happened. It ends within 10 seconds.\n";

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

fn described(plan: &Plan, access: &AccessInfo) -> String {
    let verb = match access.access.as_str() {
        "read" => "reads",
        "write" => "writes",
        "free" => "frees",
        _ => "updates",
    };
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

fn calls(plan: &Plan, out: &mut String) {
    if plan.witness.operations.is_empty() {
        return;
    }
    out.push_str("\nThreads:\n");
    for (number, operation) in plan.witness.operations.iter().enumerate() {
        let calls: Vec<String> = operation.calls().map(|call| shown_call(plan, call)).collect();
        let name = plan.threads.get(&(number as u32)).map_or("?", String::as_str);
        let _ = writeln!(out, "  {name}: {}", calls.join("; "));
    }
}

fn shown_call(plan: &Plan, call: &OperationCall) -> String {
    let arg = |a: &ArgumentValue| {
        let star = if a.by_value { "*" } else { "" };
        format!("{} = {star}{}", a.name, shown(plan, &a.value, a.number()))
    };
    format!("{}({})", call.name, call.args.iter().map(arg).collect::<Vec<_>>().join(", "))
}

fn heap(plan: &Plan, out: &mut String) {
    let objects: Vec<&HeapObject> =
        plan.witness.heap.objects.iter().filter(|o| !o.global || !o.cells.is_empty()).collect();
    if objects.is_empty() {
        return;
    }
    out.push_str("\nHeap (all else is 0):\n");
    for object in objects {
        let scope = if object.global && !plan.is_check() { " (global)" } else { "" };
        let _ = writeln!(out, "  {}: {}{scope}", object.name, type_of(object));
        if let Some(text) = as_string(object) {
            let _ = writeln!(out, "    {}", super::tables::bytes(&text));
            continue;
        }
        let width = object.cells.iter().map(|c| c.path.len()).max().unwrap_or(0);
        for cell in &object.cells {
            let arrow = if matches!(cell.value, CellValue::Pointer { .. }) { "-->" } else { "=" };
            let _ = writeln!(out, "    {:width$} {arrow} {}", cell.path, shown(plan, &cell.value, cell.number()));
        }
        for (path, ty) in &object.locks {
            let _ = writeln!(out, "    {path:width$} is a free {ty}");
        }
    }
}

fn inputs(plan: &Plan, out: &mut String) {
    if plan.witness.inputs.is_empty() {
        return;
    }
    out.push_str("\nInputs:\n");
    for input in &plan.witness.inputs {
        let value = match <[u8; 8]>::try_from([input.bytes.as_slice(), &[0; 8]].concat().get(..8).unwrap_or(&[])) {
            _ if input.floating => input.number().map_or_else(String::new, |number| number.to_string()),
            Ok(word) if input.bytes.len() <= 8 => u64::from_le_bytes(word).to_string(),
            _ => input.bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "),
        };
        let _ = writeln!(out, "  {} = {value}", input.name);
    }
}

fn schedule(plan: &Plan, out: &mut String) {
    if plan.witness.schedule.is_empty() {
        out.push_str("\nSchedule: each thread in turn, as far as it gets.\n");
        return;
    }
    out.push_str("\nSchedule (each thread runs up to its first step, then):\n");
    let mut last = None;
    for (number, step) in plan.witness.schedule.iter().enumerate() {
        if last.replace(step.thread) != Some(step.thread) {
            let _ = writeln!(out, "  {}", plan.thread(step.thread));
        }
        let _ = writeln!(out, "  {:>4}. {:<40} {}", number + 1, step.action, at(&step.position));
    }
}
