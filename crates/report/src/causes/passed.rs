//! Races on what only parameters lead to, beside the structure that threads share: each caller may have an object of its own there.

use super::code;
use super::subject::{field, object_type};
use super::title::functions;
use crate::{Finding, Report};
use std::collections::BTreeSet;

/// The type of what callers pass, if a finding is such a race wherever it shows.
pub(super) fn object(finding: &Finding, report: &Report) -> Option<String> {
    let passes = |operation: &String| finding.passed.iter().any(|parameter| function(parameter) == operation);
    let of_callers = |&entry: &usize| report.matrix.get(entry).is_some_and(|entry| entry.operations.iter().all(passes));
    let is_one = !finding.passed.is_empty() && finding.entries.iter().all(of_callers);
    field(finding).filter(|_| is_one).map(|field| object_type(&field).to_owned())
}

/// `get` of `get.out`.
fn function(parameter: &str) -> &str {
    parameter.rsplit_once('.').map_or(parameter, |(function, _)| function)
}

/// `` `get` and `pop` are passed one `struct item` by several threads``.
pub(super) fn title(object: &str, findings: &[&Finding]) -> String {
    let names: BTreeSet<&str> = parameters(findings).iter().map(|parameter| function(parameter)).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("{} {are} passed one {} by several threads", functions(&names), code(object))
}

/// What callers have to keep to.
pub(super) fn contract(findings: &[&Finding]) -> String {
    let flags: Vec<String> = parameters(findings).iter().map(|parameter| format!("--private {parameter}")).collect();
    format!("Only parameters lead to it. If each caller passes its own, say so: {}.", flags.join(" "))
}

fn parameters<'f>(findings: &[&'f Finding]) -> BTreeSet<&'f str> {
    findings.iter().flat_map(|finding| finding.passed.iter().map(String::as_str)).collect()
}
