//! Races on objects that nothing synchronises which uses them, as in a library that does not synchronise at all: one cause for each type, not for each field.

use super::code;
use super::subject::{Subject, field, object_type};
use super::title::functions;
use crate::{Finding, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Types with the fields that are raced on, where nothing keeps threads apart.
pub(super) struct Unprotected(BTreeMap<String, BTreeSet<String>>);

/// Those of a report.
pub(super) fn types(report: &Report) -> Unprotected {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut used_otherwise: BTreeSet<String> = BTreeSet::new();
    for finding in report.findings.iter().filter(|finding| is_on_object(finding)) {
        let Some(field) = field(finding) else { continue };
        let object = object_type(&field).to_owned();
        if !report.is_unsynchronised && !is_of_unsynchronised(report, finding) {
            used_otherwise.insert(object.clone());
        }
        types.entry(object).or_default().insert(field);
    }
    types.retain(|object, _| !used_otherwise.contains(object));
    Unprotected(types)
}

/// Whether both accesses are of operations that do not synchronise.
fn is_of_unsynchronised(report: &Report, finding: &Finding) -> bool {
    let is_one = |operation: &String| report.unsynchronised.contains(operation);
    finding.accesses.iter().all(|access| access.operation.as_ref().is_some_and(is_one))
}

/// A variable is the library's own.
fn is_on_object(finding: &Finding) -> bool {
    finding.accesses.len() == 2 && !finding.accesses.iter().any(|access| access.variable || access.automatic)
}

impl Unprotected {
    /// What a race on this field is about.
    pub(super) fn of(&self, finding: &Finding, field: &str) -> Subject {
        let object = object_type(field);
        let has_several = self.0.get(object).is_some_and(|fields| fields.len() > 1);
        if has_several && is_on_object(finding) && !object.is_empty() {
            return Subject::Unprotected(object.to_owned());
        }
        Subject::Field(field.to_owned())
    }
}

/// `` `insert` and `remove` use a `struct list` at once``.
pub(super) fn title(object: &str, findings: &[&Finding]) -> String {
    let accesses = findings.iter().flat_map(|finding| &finding.accesses);
    let names: BTreeSet<&str> = accesses.filter_map(|access| access.operation.as_deref()).collect();
    match names.len() {
        1 => format!("two calls of {} use a {} at once", functions(&names), code(object)),
        _ => format!("{} use a {} at once", functions(&names), code(object)),
    }
}

/// What is said beside it.
pub(super) fn advice(report: &Report, object: &str) -> String {
    let none = if report.is_unsynchronised { "No function of the library" } else { "None of these functions" };
    format!(
        "{none} takes a lock, waits or makes an atomic access: unless callers give a {} to one thread at a time, the library has to.",
        code(object)
    )
}
