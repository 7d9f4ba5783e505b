//! The findings of a report by cause: what there is, then one finding of each cause whole, the others a line each.

use super::finding::{self, Detail};
use super::page::{Page, Role, pad, width};
use super::{legend, list, matrix, remedies};
use crate::{Cause, Finding, Report, words};

/// A cause with its findings.
struct Group<'r> {
    cause: &'r Cause,
    shown: &'r Finding,
    others: Vec<&'r Finding>,
}

pub(super) fn render(page: &mut Page, report: &Report) {
    let (of_callers, own): (Vec<Group>, Vec<Group>) =
        groups(report).into_iter().partition(|group| group.cause.of_callers);
    let (confirmed, open): (Vec<Group>, Vec<Group>) =
        own.into_iter().partition(|group| group.shown.unconfirmed.is_none());
    let all: Vec<&Group> = confirmed.iter().chain(&open).collect();
    if all.is_empty() && of_callers.is_empty() {
        return;
    }
    overview(page, report, &all, &of_callers);
    legend::render(page, &all.iter().map(|group| group.shown).collect::<Vec<_>>());
    page.gap();
    for (index, group) in all.iter().enumerate() {
        if index == confirmed.len() {
            page.line(page.paint(Role::Strong, "Not confirmed:"));
        }
        whole(page, report, group);
    }
    if !of_callers.is_empty() {
        page.line(page.paint(Role::Strong, OF_CALLERS));
    }
    for group in &of_callers {
        contract(page, group);
    }
}

/// Before what is wrong only where callers do not see to it.
const OF_CALLERS: &str = "What callers have to keep to:";

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
fn overview(page: &mut Page, report: &Report, groups: &[&Group], of_callers: &[Group]) {
    page.line(format!("raddle: {}", page.paint(Role::Alarm, &words::verdict_by_cause(report))));
    if report.findings.len() < 2 {
        return;
    }
    let ids = groups.iter().copied().chain(of_callers).map(|group| width(&group.cause.id)).max().unwrap_or(0);
    let line = |page: &mut Page, Group { cause, shown, .. }: &Group| {
        let open = if shown.unconfirmed.is_some() { "not confirmed: " } else { "" };
        let text = format!("{open}{} ({})", cause.title, matrix::ids(&cause.findings));
        page.paragraph(&format!("  {}  ", pad(&cause.id, ids)), &text);
    };
    groups.iter().for_each(|group| line(page, group));
    if !of_callers.is_empty() {
        page.line(format!("  {OF_CALLERS}"));
    }
    of_callers.iter().for_each(|group| line(page, group));
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
    remedies::render(page, cause);
    finding::render(page, shown, Detail::Short);
    if others.is_empty() {
        return;
    }
    page.line(format!("  {}:", introduction(group)));
    lines(page, others);
    page.gap();
}

/// What is wrong only where callers do not see to it: no finding is shown whole.
fn contract(page: &mut Page, group: &Group) {
    let Group { cause, shown, others } = group;
    page.paragraph(&format!("{}: ", page.paint(Role::Strong, &cause.id)), &cause.title);
    if let Some(contract) = &cause.protection {
        page.paragraph("  ", contract);
    }
    let count = words::counted(cause.findings.len() as u64, "finding", "findings");
    page.line(format!("  {count}; {} shows one whole:", finding::explain(&shown.id, shown)));
    let mut all: Vec<&Finding> = std::iter::once(*shown).chain(others.iter().copied()).collect();
    all.sort_by_key(|finding| cause.findings.iter().position(|id| *id == finding.id));
    let more = all.len().saturating_sub(LISTED);
    all.truncate(all.len() - if more > 1 { more } else { 0 });
    lines(page, &all);
    if more > 1 {
        page.line(format!("    and {more} more; --full shows all"));
    }
    page.gap();
}

/// Findings that callers are shown of what they have to keep to: they do not differ in what is to be done.
const LISTED: usize = 4;

/// A line for each finding.
fn lines(page: &mut Page, findings: &[&Finding]) {
    let ids = findings.iter().map(|finding| width(&finding.id)).max().unwrap_or(0);
    for finding in findings {
        let after = finding.root.as_ref().map_or_else(String::new, |root| format!("; follows from {root}"));
        let open = if finding.unconfirmed.is_some() { " (not confirmed)" } else { "" };
        page.line(format!("    {}  {}{after}{open}", pad(&finding.id, ids), list::positions(finding)));
    }
}

/// What stands before the other findings of a cause.
fn introduction(group: &Group) -> String {
    let others = words::counted(group.others.len() as u64, "more finding", "more findings");
    let id = group.others.first().map_or("", |finding| &finding.id);
    format!("{others} of {}; {} shows one whole", group.cause.id, finding::explain(id, group.shown))
}
