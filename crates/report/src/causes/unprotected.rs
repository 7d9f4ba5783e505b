//! Races on objects of a library that does not synchronise at all: what it is given, its callers keep to one thread at a time.

use super::code;
use super::subject::{field, object_type};
use super::title::functions;
use crate::{Finding, Report};
use std::collections::BTreeSet;

/// The type of the object, if a finding is such a race. A variable is the library's own, which no caller can keep apart.
pub(super) fn object(finding: &Finding, report: &Report) -> Option<String> {
    let [one, other] = finding.accesses.as_slice() else { return None };
    let is_callers = report.is_unsynchronised && ![one, other].into_iter().any(|a| a.variable || a.automatic);
    let object = field(finding).map(|field| object_type(&field).to_owned());
    object.filter(|object| is_callers && !object.is_empty())
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

/// What callers have to keep to.
pub(super) fn contract(object: &str) -> String {
    format!(
        "No function of the library takes a lock, waits or makes an atomic access: unless callers give a {} to one thread at a time, \
         the library has to.",
        code(object)
    )
}
