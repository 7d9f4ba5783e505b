//! The report for a terminal: ThreadSanitizer's layout, with the heap and the schedule drawn.
//!
//! Guarantee: without colour, the text depends on the report, the width and the quoted sources only.

mod branches;
mod by_cause;
mod closing;
mod condition;
mod finding;
mod heap;
mod ledger;
mod legend;
mod list;
mod matrix;
mod page;
mod pairs;
mod remedies;
mod schedule;
mod story;
#[cfg(test)]
pub(crate) mod tests;
mod tree;

pub(crate) use finding::{
    access_in_words, accessed, expanded, holders, holding, input_in_words, position, remarks, thread_name, value,
};
pub(crate) use heap::as_text as heap_text;
pub(crate) use ledger::{cause as ledger_cause, sentence as ledger_sentence};
pub(crate) use list::positions;
pub(crate) use matrix::{find as matrix_entry, is_square, listed as matrix_lines, operations as matrix_operations};
pub(crate) use schedule::{Row as ScheduleRow, rows as schedule_rows, threads as schedule_threads};
pub(crate) use tree::position as tree_position;
pub use tree::render_tree_text;

use crate::document::REPLAY;
use crate::words;
use crate::{Cause, ErrorReport, Finding, Report, Sources, printable};
use finding::Detail;
use page::{Page, Role};
use std::collections::BTreeMap;

/// How to render.
#[derive(Clone, Copy)]
pub struct TextOptions<'a> {
    /// ANSI escapes for colour.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// All findings whole, not one for each cause.
    pub full: bool,
    /// Where quoted lines come from.
    pub sources: &'a dyn Sources,
}

/// The whole report, ending in a line end.
pub fn render_text(report: &Report, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    if options.full || report.command == REPLAY {
        findings(&mut page, report);
        list::render(&mut page, report);
    } else {
        by_cause::render(&mut page, report);
    }
    matrix::render(&mut page, words::combinations(report));
    pairs::render(&mut page, report.pairs.as_deref().unwrap_or_default());
    branches::render(&mut page, report);
    condition::render(&mut page, report);
    closing::render(&mut page, report);
    if let Some(error) = &report.error {
        render_error(&mut page, error);
    }
    page.finish()
}

/// One finding, all of it.
pub fn render_finding(finding: &Finding, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    finding::render(&mut page, finding, Detail::Full);
    page.finish()
}

/// What the notation of a finding means.
pub fn render_legend(finding: &Finding, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    legend::render(&mut page, &[finding]);
    page.finish()
}

/// One finding in one line: `R1 data race: ...`.
pub(crate) fn finding_line(finding: &Finding) -> String {
    format!("{} {}: {}", finding.id, finding.kind.title(), positions(finding))
}

fn findings(page: &mut Page, report: &Report) {
    let (confirmed, open) = apart(report);
    for part in [confirmed, open] {
        if part.first().is_some_and(|finding| finding.unconfirmed.is_some()) {
            page.line(page.paint(Role::Strong, "Not confirmed:"));
        }
        grouped(page, report, part);
    }
}

/// The findings of a report that count, and those that are not confirmed.
pub(crate) fn apart(report: &Report) -> (&[Finding], &[Finding]) {
    report.findings.split_at(report.findings.partition_point(|finding| finding.unconfirmed.is_none()))
}

fn grouped(page: &mut Page, report: &Report, findings: &[Finding]) {
    let detail = if report.command == REPLAY { Detail::Steps } else { Detail::Full };
    for (cause, group) in groups(report, findings) {
        // One finding is its own heading.
        if group.len() > 1 {
            let ids: Vec<&str> = group.iter().map(|f| f.id.as_str()).collect();
            let title = format!("{}: {}: {} findings ({})", cause.id, cause.title, group.len(), ids.join(", "));
            page.line(page.paint(Role::Strong, &title));
        }
        remedies::render(page, cause);
        for finding in group {
            finding::render(page, finding, detail);
        }
    }
}

/// Some of a report's findings by their causes.
pub(crate) fn groups<'r>(report: &'r Report, findings: &'r [Finding]) -> Vec<(&'r Cause, Vec<&'r Finding>)> {
    let mut of: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        of.entry(finding.cause.as_deref().unwrap_or_default()).or_default().push(finding);
    }
    report.causes.iter().filter_map(|cause| Some((cause, of.remove(cause.id.as_str())?))).collect()
}

fn render_error(page: &mut Page, error: &ErrorReport) {
    let label = page.paint(Role::Alarm, "error:");
    page.line(format!("raddle: {label} {}", printable(&error_in_words(error))));
}

/// Some messages name their place themselves; the others get it.
pub(crate) fn error_in_words(error: &ErrorReport) -> String {
    let place = match (&error.file, error.line) {
        (Some(file), _) if error.message.contains(file.as_str()) => String::new(),
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    format!("{place}{}", error.message)
}
