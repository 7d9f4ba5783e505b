//! Causes in a line of words.

use super::subject::{Subject, ending, field_of, signalled, waits_for};
use super::{code, lifecycle, out_of_turn, passed, unprotected};
use crate::guard::short;
use crate::words::{capitalised, list};
use crate::{AccessKind, Blocked, Finding, Report};
use std::collections::BTreeSet;

/// Functions that a title names.
const NAMED: usize = 3;

/// `findings`: those of the cause that are about its subject themselves, at least one.
pub(super) fn title(subject: &Subject, findings: &[&Finding], report: &Report) -> String {
    match subject {
        Subject::Field(field) => unordered(field, findings),
        Subject::Passed(object) => passed::title(object, findings),
        Subject::Unprotected(object) => unprotected::title(object, findings),
        Subject::OutOfTurn(first) => out_of_turn::title(first, findings),
        Subject::Lifecycle { object, stage } => lifecycle::title(object, *stage, findings, report),
        Subject::Lifetime(object) => ends(object, findings),
        Subject::Locks(_) | Subject::Waits(_) => findings.first().map_or_else(String::new, |finding| waits(finding)),
        Subject::Failure { kind, function, file, line } => {
            let place = if file.is_empty() { String::new() } else { format!(" at {file}:{line}") };
            let function = if function.is_empty() { String::new() } else { format!(" in {}", code(function)) };
            format!("{}{function}{place}", capitalised(kind.title()))
        }
    }
}

/// `` `struct node.next[]` is written by one thread while another reads or writes it``.
fn unordered(field: &str, findings: &[&Finding]) -> String {
    let reads = |finding: &&&Finding| finding.accesses.iter().any(|access| access.access == AccessKind::Read);
    let reading = findings.iter().filter(reads).count();
    let does = match (reading, findings.len() - reading) {
        (0, _) => "writes",
        (_, 0) => "reads",
        _ => "reads or writes",
    };
    format!("one thread writes {} while another {does} it", code(field))
}

/// `` `evict` frees a `struct entry` while `get` uses it``.
fn ends(object: &str, findings: &[&Finding]) -> String {
    let (mut enders, mut users) = (BTreeSet::new(), BTreeSet::new());
    let mut automatic = false;
    for finding in findings {
        let [one, other] = finding.accesses.as_slice() else { continue };
        let Some((end, user)) = ending(one, other) else { continue };
        automatic |= end.automatic;
        enders.insert(end.location.function.as_str());
        users.insert(user.location.function.as_str());
    }
    let frees = if enders.len() == 1 { "frees" } else { "free" };
    let uses = if users.len() == 1 { "uses" } else { "use" };
    let (enders, users) = (functions(&enders), functions(&users));
    match (automatic, object) {
        (true, variable) => {
            format!("the variable {} ends with its block in {enders} while {users} {uses} it", code(variable))
        }
        (false, "") => format!("{enders} {frees} an object while {users} {uses} it"),
        (false, object) => format!("{enders} {frees} a {} while {users} {uses} it", code(object)),
    }
}

pub(super) fn functions(names: &BTreeSet<&str>) -> String {
    let mut words: Vec<String> = names.iter().take(NAMED).map(|name| code(name)).collect();
    if names.len() > NAMED {
        words.push(format!("{} more", names.len() - NAMED));
    }
    list(&words)
}

/// `` `eat` holds `fork[]` and waits for `fork[]`; ...``: each thread that waits, alike ones once.
fn waits(finding: &Finding) -> String {
    let mut threads: Vec<String> = Vec::new();
    for blocked in &finding.blocked {
        let words = waiting(finding, blocked);
        if !threads.contains(&words) {
            threads.push(words);
        }
    }
    threads.join("; ")
}

fn waiting(finding: &Finding, blocked: &Blocked) -> String {
    let name = |place: &str| code(&waits_for(finding, place));
    let holds: Vec<String> = blocked.holds.iter().map(|lock| name(lock)).collect();
    let holds = if holds.is_empty() { String::new() } else { format!("holds {} and ", list(&holds)) };
    let what = match &blocked.waits_for {
        Some(what) if signalled(blocked) => format!(" {}", waits_for(finding, what)),
        Some(what) if what.starts_with("the end of ") => format!(" {what}"),
        Some(lock) => format!(" {}", name(lock)),
        None => String::new(),
    };
    let what = if what.is_empty() { what } else { format!(" for{what}") };
    format!("{} {holds}waits{what}", code(&blocked.location.function))
}

/// The field without what says only that it is a structure: `node.next[]`.
pub(super) fn brief(field: &str) -> &str {
    short(field)
}

/// The type of the object of a finding's access.
pub(super) fn object_of_access(finding: &Finding, access: &crate::Access) -> String {
    super::subject::object_type(&field_of(finding, access)).to_owned()
}
