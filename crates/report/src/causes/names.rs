//! One name for one type: `struct node` and its typedef `node` are the same object to whoever reads what went wrong.
//!
//! A pointer's declaration decides what a report calls what it leads to, and libraries use both. Where both names occur, the one with its
//! keyword is taken.

use super::subject::object_type;
use crate::{GuardOwner, Report};
use std::collections::BTreeSet;

const KEYWORDS: [&str; 2] = ["struct ", "union "];

/// Has all accesses of the report call one type by one name.
pub(super) fn unify(report: &mut Report) {
    let fields =
        report.findings.iter().flat_map(|finding| &finding.accesses).filter_map(|access| access.field.as_ref());
    let fields = fields.chain(report.guards.accesses.iter().map(|guarded| &guarded.field));
    let is_tagged = |name: &&str| KEYWORDS.iter().any(|keyword| name.starts_with(keyword));
    let tagged: BTreeSet<String> =
        fields.map(|field| object_type(field)).filter(is_tagged).map(str::to_owned).collect();
    if tagged.is_empty() {
        return;
    }
    // `struct queue queue;`: the name is the variable's.
    let accesses = report.findings.iter().flat_map(|finding| &finding.accesses).filter(|access| access.variable);
    let variables: BTreeSet<String> =
        accesses.filter_map(|access| access.field.as_deref()).map(|field| object_type(field).to_owned()).collect();
    let accesses = report.findings.iter_mut().flat_map(|finding| &mut finding.accesses);
    let fields = accesses.filter_map(|access| access.field.as_mut());
    let fields = fields.chain(report.guards.accesses.iter_mut().map(|guarded| &mut guarded.field));
    for field in fields.filter(|field| !variables.contains(object_type(field))) {
        let keyword = KEYWORDS.iter().find(|keyword| tagged.contains(&format!("{keyword}{}", object_type(field))));
        if let Some(keyword) = keyword {
            field.insert_str(0, keyword);
        }
    }
    let accesses = report.findings.iter_mut().flat_map(|finding| &mut finding.accesses);
    let guards = accesses.flat_map(|access| &mut access.guards);
    let guards = guards.chain(report.guards.accesses.iter_mut().flat_map(|guarded| &mut guarded.held));
    for object in guards.filter(|guard| guard.owner != GuardOwner::Variable).map(|guard| &mut guard.object) {
        let keyword = KEYWORDS.iter().find(|keyword| tagged.contains(&format!("{keyword}{object}")));
        if let Some(keyword) = keyword {
            object.insert_str(0, keyword);
        }
    }
}
