//! Races on objects of a library that does not synchronise at all: one cause for each type, not for each field.

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
    for finding in report.findings.iter().filter(|finding| report.is_unsynchronised && is_on_object(finding)) {
        if let Some(field) = field(finding) {
            types.entry(object_type(&field).to_owned()).or_default().insert(field);
        }
    }
    Unprotected(types)
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
pub(super) fn advice(object: &str) -> String {
    format!(
        "No function of the library takes a lock, waits or makes an atomic access: unless callers give a {} to one thread at a time, \
         the library has to.",
        code(object)
    )
}
