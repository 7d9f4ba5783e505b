//! The findings of a report by cause: what there is, then one finding of each cause whole, the others a line each.

use super::finding::{self, Detail};
use super::page::{Page, Role, pad, width};
use super::{legend, list, matrix};
use crate::{Cause, Finding, Report, words};

/// A cause with its findings.
struct Group<'r> {
    cause: &'r Cause,
    shown: &'r Finding,
    others: Vec<&'r Finding>,
}

pub(super) fn render(page: &mut Page, report: &Report) {
    let (confirmed, open): (Vec<Group>, Vec<Group>) =
        groups(report).into_iter().partition(|group| group.shown.unconfirmed.is_none());
    let all: Vec<&Group> = confirmed.iter().chain(&open).collect();
    if all.is_empty() {
        return;
    }
    overview(page, report, &all);
    legend::render(page, &all.iter().map(|group| group.shown).collect::<Vec<_>>());
    page.gap();
    for (index, group) in all.iter().enumerate() {
        if index == confirmed.len() {
            page.line(page.paint(Role::Strong, "Not confirmed:"));
        }
        whole(page, report, group);
    }
}

fn groups(report: &Report) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    for (cause, mut others) in super::groups(report, &report.findings) {
        if let Some(shown) = others.iter().position(|finding| finding.id == cause.representative) {
            groups.push(Group { cause, shown: others.remove(shown), others });
        }
    }
    groups
}

/// The verdict, and each cause in a line.
fn overview(page: &mut Page, report: &Report, groups: &[&Group]) {
    page.line(format!("raddle: {}", page.paint(Role::Alarm, &words::verdict_by_cause(report))));
    if report.findings.len() < 2 {
        return;
    }
    let ids = groups.iter().map(|group| width(&group.cause.id)).max().unwrap_or(0);
    for Group { cause, shown, .. } in groups {
        let open = if shown.unconfirmed.is_some() { "not confirmed: " } else { "" };
        let text = format!("{open}{} ({})", cause.title, matrix::ids(&cause.findings));
        page.paragraph(&format!("  {}  ", pad(&cause.id, ids)), &text);
    }
    if groups.iter().any(|group| !group.others.is_empty()) {
        let flag = page.paint(Role::Strong, "--full");
        page.paragraph("  ", &format!("Of each cause one finding is shown whole; {flag} shows all."));
    }
}

/// One cause.
fn whole(page: &mut Page, report: &Report, group: &Group) {
    let Group { cause, shown, others } = group;
    if report.findings.len() > 1 || cause.protection.is_some() {
        page.paragraph(&format!("{}: ", page.paint(Role::Strong, &cause.id)), &cause.title);
        if let Some(protection) = &cause.protection {
            page.paragraph("  ", protection);
        }
    }
    finding::render(page, shown, Detail::Short);
    if others.is_empty() {
        return;
    }
    page.line(format!("  {}:", introduction(group)));
    let ids = others.iter().map(|finding| width(&finding.id)).max().unwrap_or(0);
    for finding in others {
        let after = finding.root.as_ref().map_or_else(String::new, |root| format!("; {root} comes first"));
        let open = if finding.unconfirmed.is_some() { " (not confirmed)" } else { "" };
        page.line(format!("    {}  {}{after}{open}", pad(&finding.id, ids), list::positions(finding)));
    }
    page.gap();
}

/// What stands before the other findings of a cause.
fn introduction(group: &Group) -> String {
    let others = words::counted(group.others.len() as u64, "more finding", "more findings");
    let id = group.others.first().map_or("", |finding| &finding.id);
    format!("{others} of {}; {} shows one whole", group.cause.id, finding::explain(id, group.shown))
}
