//! The matrix of operations. Of each unordered pair there is one cell, in the upper half; where more threads run, or threads
//! make several calls, each entry is a line.

use super::sign;
use crate::text::{is_square, ledger_cause, matrix_entry, matrix_lines, matrix_operations};
use crate::words;
use crate::{EntryVerdict, MatrixEntry, Report, Verdict};
use maud::{Markup, html};

/// Findings of an entry that are named at once; the others unfold.
const NAMED: usize = 6;

pub(super) fn section(report: &Report) -> Markup {
    let matrix = words::combinations(report);
    html! {
        @if !matrix.is_empty() {
            section #pairs {
                h2 { (words::entries(matrix)) }
                div.scroll tabindex="0" role="region" aria-label=(words::entries(matrix)) {
                    @if is_square(matrix) { (square(matrix)) } @else { (list(matrix)) }
                }
            }
        }
    }
}

fn square(matrix: &[MatrixEntry]) -> Markup {
    let operations = matrix_operations(matrix);
    html! {
        table.matrix {
            caption.unseen { "The verdict on each two operations" }
            thead {
                tr { td {} @for operation in &operations { th scope="col" { code { (operation) } } } }
            }
            tbody {
                @for (row, first) in operations.iter().enumerate() {
                    tr {
                        th scope="row" { code { (first) } }
                        @for (column, second) in operations.iter().enumerate() {
                            (cell(matrix_entry(matrix, first, second).filter(|_| column >= row)))
                        }
                    }
                }
            }
        }
    }
}

fn list(matrix: &[MatrixEntry]) -> Markup {
    let threads = matrix.iter().map(|entry| entry.operations.len()).max().unwrap_or(0);
    let lines = matrix_lines(matrix);
    html! {
        table.matrix {
            caption.unseen { "The verdict on what threads call at once" }
            thead {
                tr { @for thread in 1..=threads { th scope="col" { "thread " (thread) } } td {} }
            }
            tbody {
                @for entry in &lines.shown {
                    tr { @for calls in &entry.operations { th scope="row" { code { (calls) } } } (cell(Some(entry))) }
                }
            }
        }
        @for others in &lines.others { p.hint { (others) } }
        @let listed = |entry: &&MatrixEntry| lines.shown.iter().any(|shown| std::ptr::eq(*shown, *entry));
        @let rest: Vec<&MatrixEntry> = matrix.iter().filter(|entry| !entry.findings.is_empty()).filter(|entry| !listed(entry)).collect();
        @if !rest.is_empty() {
            details.more {
                summary { (rest.len()) " more with findings" }
                ul { @for entry in rest { li { code { (entry.operations.join(" × ")) } ": " (ids(&entry.findings)) } } }
            }
        }
    }
}

fn cell(entry: Option<&MatrixEntry>) -> Markup {
    let Some(entry) = entry else { return html! { td.mirrored {} } };
    html! {
        td class=(entry.verdict.name()) {
            span.sign aria-hidden="true" { (entry_sign(entry.verdict)) } " "
            @match entry.verdict {
                EntryVerdict::Findings => { strong { (entry.findings.len()) } " " (ids(&entry.findings)) }
                EntryVerdict::Safe => {
                    "safe"
                    @if !entry.suppressed_findings.is_empty() {
                        " except " (ids(&entry.suppressed_findings)) " (" (if entry.are_known { "known" } else { "suppressed" }) ")"
                    }
                }
                EntryVerdict::Inconclusive => {
                    a href="#lost" { "inconclusive" }
                    @if let Some(cause) = &entry.cause { p { (ledger_cause(cause)) } }
                }
                EntryVerdict::Exclusive => "exclusive",
            }
        }
    }
}

/// The sign of an entry: those of verdicts on the whole, and one of its own.
fn entry_sign(verdict: EntryVerdict) -> &'static str {
    match verdict {
        EntryVerdict::Safe => sign(Verdict::Safe),
        EntryVerdict::Findings => sign(Verdict::Findings),
        EntryVerdict::Inconclusive => sign(Verdict::Inconclusive),
        EntryVerdict::Exclusive => "–",
    }
}

/// Links to findings.
pub(super) fn ids(findings: &[String]) -> Markup {
    // One more takes no more room than saying so.
    let named = if findings.len() <= NAMED + 1 { findings.len() } else { NAMED };
    let (first, rest) = findings.split_at(named);
    let links = |ids: &[String]| html! { @for id in ids { a href={ "#" (id) } { (id) } " " } };
    html! {
        (links(first))
        @if !rest.is_empty() {
            details { summary { (rest.len()) " more" } (links(rest)) }
        }
    }
}
