//! What a finding is about, where two findings about the same are one mistake.

use super::lifecycle::Stage;
use crate::{Access, AccessKind, Blocked, Finding, FindingKind, object_of};

/// What findings with one cause have in common. The names are those of types and members: which object it was does not count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Subject {
    /// Accesses without order to this field: `struct node.next[]`, or a variable by its name.
    Field(String),
    /// Objects of this type that end while somebody uses them.
    Lifetime(String),
    /// Objects of this type that an operation makes or ends, where others take them.
    Lifecycle { object: String, stage: Stage },
    /// Objects of this type that only callers pass to several calls.
    Passed(String),
    /// Objects of this type, in a library that does not synchronise at all.
    Unprotected(String),
    /// Calls that fail after this operation, at once with it.
    OutOfTurn(String),
    /// Threads that wait for locks that others hold: what each holds and waits for.
    Locks(Vec<(Vec<String>, String)>),
    /// Threads that wait for what nobody does any more.
    Waits(Vec<String>),
    /// Something else that goes wrong in this function and line.
    Failure { kind: FindingKind, function: String, file: String, line: u32 },
}

impl Subject {
    /// Whether callers may well see to it that it does not happen.
    pub(super) fn is_of_callers(&self) -> bool {
        matches!(self, Subject::Lifecycle { .. } | Subject::Passed(_) | Subject::OutOfTurn(_))
    }

    pub(super) fn of(finding: &Finding) -> Self {
        if let [one, other] = finding.accesses.as_slice() {
            return match ending(one, other) {
                Some((end, used)) => Subject::Lifetime(ended(end, &field_of(finding, used))),
                None => Subject::Field(field(finding).unwrap_or_default()),
            };
        }
        if !finding.blocked.is_empty() {
            return waiting(finding);
        }
        let at = &finding.location;
        Subject::Failure { kind: finding.kind, function: at.function.clone(), file: at.file.clone(), line: at.line }
    }
}

/// The access that ends an object's life and the one that uses it, if it is such a race.
pub(super) fn ending<'a>(one: &'a Access, other: &'a Access) -> Option<(&'a Access, &'a Access)> {
    match (one.access, other.access) {
        (AccessKind::Free, _) => Some((one, other)),
        (_, AccessKind::Free) => Some((other, one)),
        _ => None,
    }
}

/// The object that ends: its type, or the variable.
fn ended(end: &Access, field: &str) -> String {
    // A variable is its own type here: its name says which it is.
    if end.automatic { object_of(&end.place).to_owned() } else { object_type(field).to_owned() }
}

/// The field that both accesses of a race touch: that of the smaller one, elements of arrays together.
pub(super) fn field(finding: &Finding) -> Option<String> {
    let one = finding.accesses.iter().min_by_key(|access| (access.access == AccessKind::Free, access.size))?;
    Some(field_of(finding, one))
}

/// The field of an access; where none is known, its place, with the type of its object as far as the drawing tells it.
pub(super) fn field_of(finding: &Finding, access: &Access) -> String {
    match &access.field {
        Some(field) => class_of(field),
        None => class_of(&typed(finding, &access.place)),
    }
}

/// `struct node.key` for `N1.key`.
fn typed(finding: &Finding, place: &str) -> String {
    let object = object_of(place);
    if let Some(made) = place.strip_prefix("new ") {
        return made.to_owned();
    }
    let drawn = finding.heap.as_ref().and_then(|heap| heap.objects.iter().find(|drawn| drawn.name == object));
    match drawn.filter(|drawn| !drawn.r#type.is_empty()) {
        Some(drawn) => format!("{}{}", drawn.r#type, &place[object.len()..]),
        None => place.to_owned(),
    }
}

/// A field without indices: `struct node[1].next[0]` as `struct node.next[]`. Objects that stand in an array are like others.
pub fn class_of(field: &str) -> String {
    let mut result = String::new();
    let mut inside = false;
    for character in field.chars() {
        inside = inside && character != ']';
        if !inside {
            result.push(character);
        }
        inside = inside || character == '[';
    }
    let object = object_of(&result).len();
    match result[object..].strip_prefix("[]") {
        Some(member) if member.starts_with('.') => format!("{}{member}", &result[..object]),
        _ => result,
    }
}

/// `struct node` for `struct node.next[]`.
pub(super) fn object_type(field: &str) -> &str {
    object_of(field)
}

fn waiting(finding: &Finding) -> Subject {
    let known = |name: &String| class_of(&typed(finding, name));
    let waits = |blocked: &Blocked| blocked.waits_for.as_ref().map(|what| waits_for(finding, what)).unwrap_or_default();
    let edge = |blocked: &Blocked| {
        let mut holds: Vec<String> = blocked.holds.iter().map(known).collect();
        holds.sort();
        holds.dedup();
        (holds, waits(blocked))
    };
    // Who only waits for another thread to end is stuck because of that one.
    let mut stuck: Vec<&Blocked> = finding.blocked.iter().filter(|blocked| !joins(blocked)).collect();
    if stuck.is_empty() {
        stuck = finding.blocked.iter().collect();
    }
    if stuck.iter().any(|blocked| signalled(blocked)) {
        let mut awaited: Vec<String> = stuck.iter().filter(|b| signalled(b)).map(|b| waits(b)).collect();
        awaited.sort();
        awaited.dedup();
        return Subject::Waits(awaited);
    }
    let mut edges: Vec<(Vec<String>, String)> = stuck.into_iter().map(edge).collect();
    edges.sort();
    edges.dedup();
    Subject::Locks(edges)
}

fn joins(blocked: &Blocked) -> bool {
    blocked.waits_for.as_ref().is_some_and(|what| what.starts_with("the end of "))
}

/// What is waited for in other words than by the name of a lock.
const AWAITED: [&str; 4] = ["a signal on ", "a post of ", "other threads at ", "a change of "];

/// Whether a thread waits for what another has to do, rather than for a lock that it has to give back.
pub(super) fn signalled(blocked: &Blocked) -> bool {
    blocked.waits_for.as_ref().is_some_and(|what| AWAITED.iter().any(|words| what.starts_with(words)))
}

/// What a thread waits for, with types in place of objects.
pub(super) fn waits_for(finding: &Finding, what: &str) -> String {
    let lead = AWAITED.iter().find(|words| what.starts_with(**words)).copied().unwrap_or_default();
    if lead.is_empty() && what.starts_with("the end of ") {
        return what.to_owned();
    }
    let places = what[lead.len()..].split(" or ").map(|place| class_of(&typed(finding, place)));
    format!("{lead}{}", places.collect::<Vec<_>>().join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_are_one_field() {
        for (field, class) in [
            ("struct node.next[1]", "struct node.next[]"),
            ("struct node[1].next[0].key", "struct node.next[].key"),
            ("struct node[0]", "struct node[]"),
            ("table[2].lock", "table.lock"),
            ("int[3]", "int[]"),
            ("counter", "counter"),
        ] {
            assert_eq!(class_of(field), class);
        }
    }
}
