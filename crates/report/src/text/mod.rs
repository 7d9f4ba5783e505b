//! The report for a terminal: ThreadSanitizer's layout, with the heap and the schedule drawn.
//!
//! Guarantee: without colour, the text depends on the report, the width and the quoted sources only.

mod closing;
mod finding;
mod heap;
mod ledger;
mod list;
mod matrix;
mod page;
mod schedule;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use finding::{expanded, input_in_words};
pub(crate) use ledger::{cause as ledger_cause, in_words as ledger_words, sentence as ledger_sentence};
pub(crate) use schedule::{Row as ScheduleRow, rows as schedule_rows, threads as schedule_threads};

use crate::summary::REPLAY;
use crate::{ErrorReport, Finding, Report, Sources, printable};
use page::{Page, Role};
use std::collections::BTreeMap;

/// How to render.
#[derive(Clone, Copy)]
pub struct TextOptions<'a> {
    /// ANSI escapes for colour.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Where quoted lines come from.
    pub sources: &'a dyn Sources,
}

/// The whole report, ending in a line end.
pub fn render_text(report: &Report, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    findings(&mut page, report);
    list::render(&mut page, report);
    matrix::render(&mut page, &report.matrix);
    closing::render(&mut page, report);
    if let Some(error) = &report.error {
        render_error(&mut page, error);
    }
    page.finish()
}

/// One finding as it stands in the report.
pub(crate) fn render_finding(finding: &Finding, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    finding::render(&mut page, finding, false);
    page.finish()
}

/// One finding in one line: `R1 data race: ...`.
pub(crate) fn finding_line(finding: &Finding) -> String {
    format!("{} {}: {}", finding.id, finding.kind.title(), list::positions(finding))
}

/// Findings by the member that they concern, groups in the order of their first finding.
fn findings(page: &mut Page, report: &Report) {
    let mut order: Vec<String> = Vec::new();
    let mut groups: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for finding in &report.findings {
        let key = finding::subject(finding);
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(finding);
    }
    for key in order {
        let group = groups.remove(&key).unwrap_or_default();
        // One finding is its own heading.
        if !key.is_empty() && group.len() > 1 {
            let ids: Vec<&str> = group.iter().map(|f| f.id.as_str()).collect();
            page.line(page.paint(Role::Strong, &format!("{key}: {} findings ({})", group.len(), ids.join(", "))));
        }
        for finding in group {
            finding::render(page, finding, report.command == REPLAY);
        }
    }
}

fn render_error(page: &mut Page, error: &ErrorReport) {
    let label = page.paint(Role::Alarm, "error:");
    // Some messages name their place themselves; the others get it.
    let place = match (&error.file, error.line) {
        (Some(file), _) if error.message.contains(file.as_str()) => String::new(),
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    page.line(format!("raddle: {label} {}", printable(&format!("{place}{}", error.message))));
}
