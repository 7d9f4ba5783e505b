//! All findings again, one line each, in the order of their ids.

use super::page::{Page, Role, pad, width};
use crate::{Access, AccessKind, Finding, FindingKind, Location, Report};

pub(super) fn render(page: &mut Page, report: &Report) {
    // A single finding is still in sight.
    if report.findings.len() < 2 {
        return;
    }
    let rows: Vec<[&str; 2]> = report.findings.iter().map(|f| [f.id.as_str(), f.kind.title()]).collect();
    let columns = |index: usize| rows.iter().map(|row| width(row[index])).max().unwrap_or(0);
    let (ids, kinds) = (columns(0), columns(1));
    page.gap();
    page.line(page.paint(Role::Strong, "Findings:"));
    for ([id, kind], finding) in rows.iter().zip(&report.findings) {
        let open = if finding.unconfirmed.is_some() { " (not confirmed)" } else { "" };
        page.line(format!("  {}  {}  {}{open}", pad(id, ids), pad(kind, kinds), positions(finding)));
    }
}

/// Where, as an editor takes it: both sides of a race with what they do to what, all threads of a deadlock.
pub(crate) fn positions(finding: &Finding) -> String {
    let short = |location: &Location| format!("{}:{}:{}", location.file, location.line, location.column);
    if let (FindingKind::DataRace | FindingKind::ScopeError, [one, other]) = (finding.kind, finding.accesses.as_slice())
    {
        let side = |access: &Access| format!("{} {}", access.in_words(), short(&access.location));
        let same = one.location.file == other.location.file;
        let there = match same {
            true => format!("{} :{}:{}", other.in_words(), other.location.line, other.location.column),
            false => side(other),
        };
        // What is freed is a whole object; the other side says which part of it was used.
        let place = if one.access == AccessKind::Free { &other.place } else { &one.place };
        return format!("{place}: {} against {there}", side(one));
    }
    match finding.blocked.as_slice() {
        [] => short(&finding.location),
        blocked => blocked.iter().map(|b| short(&b.location)).collect::<Vec<_>>().join(", "),
    }
}
