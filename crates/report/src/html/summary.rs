//! What is said of the run as a whole: the verdict with its bounds, what was not covered, assumptions, figures.

use super::sign;
use crate::text::error_in_words;
use crate::words::ledger_words;
use crate::{LedgerLine, Report, Verdict, words};
use maud::{Markup, html};

/// The verdict, and what it holds for.
pub(super) fn verdict(report: &Report) -> Markup {
    html! {
        h1 class={ "verdict " (report.verdict.name()) } {
            span.sign aria-hidden="true" { (sign(report.verdict)) } " "
            span { (words::verdict(report)) }
        }
        @if let Some(error) = &report.error {
            p.message { (error_in_words(error)) }
        }
        @if words::is_partial(report) {
            p { "There may be more: " a href="#lost" { "not all was explored" } "." }
        }
        @if !report.shortfalls.is_empty() {
            div.shortfalls {
                p { "Largest shortfalls:" }
                ul { @for shortfall in &report.shortfalls { li { (words::shortfall(shortfall)) } } }
            }
        }
        @if report.verdict != Verdict::Error {
            div.claim {
                p { (words::within(report)) }
                ul.chips { @for bound in words::bounds(report) { li { (bound) } } }
            }
        }
    }
}

/// What stands below the findings.
pub(super) fn sections(report: &Report) -> Markup {
    html! {
        @if report.verdict != Verdict::Error {
            section #lost {
                h2 { "Not explored" }
                @if report.ledger.is_empty() {
                    p { "Nothing was left out within the bounds." }
                } @else {
                    (ledger(&report.ledger))
                }
            }
        }
        @if let Some(coverage) = &report.coverage {
            section #reached {
                h2 { "Reached" }
                p { (words::code_reached(coverage)) "." }
                @for (reason, places) in words::unreached(coverage) {
                    details {
                        summary { (places.len()) " not reached: " (reason) }
                        ul { @for place in places { li { code { (place) } } } }
                    }
                }
            }
        }
        @if !report.sequential.is_empty() {
            section #sequential {
                h2 { "Fails in one thread" }
                p { "That is for callers to avoid, and does not count." }
                ul { @for failure in &report.sequential { li { (words::sequential(failure)) } } }
            }
        }
        @if !report.assumptions.is_empty() {
            section #assumed {
                h2 { "Assumed" }
                ul { @for assumption in &report.assumptions { li { (words::assumption(assumption, true)) } } }
            }
        }
        @if report.verdict != Verdict::Error {
            section #figures {
                h2 { "Figures" }
                @for (title, figures) in [
                    ("Reused", words::reused(&report.stats)),
                    ("Explored", words::explored(&report.stats)),
                    ("Reduced by", report.stats.reductions.clone()),
                    ("Left", words::left(&report.stats).into_iter().collect()),
                    ("Unfolding", words::unfolding(&report.stats)),
                    ("Questions about path conditions answered", words::answered(&report.stats)),
                    ("Guided search", words::guided(&report.stats)),
                ] {
                    @if !figures.is_empty() {
                        p { (title) }
                        ul.chips { @for figure in figures { li { (figure) } } }
                    }
                }
            }
        }
    }
}

/// What was lost where, how often, and what to do about it.
fn ledger(lines: &[LedgerLine]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Not explored" {
            table.ledger {
                thead { tr { th scope="col" { "Where" } th scope="col" { "What" } th scope="col" { "Times" } th scope="col" { "Remedy" } } }
                tbody {
                    @for line in lines {
                        tr {
                            td { code { (line.r#where) } }
                            td {
                                @if let Some(words) = ledger_words(&line.kind) { (words) " " }
                                small { (line.kind) }
                            }
                            td.number { (line.count) }
                            td { @if line.remedy.starts_with("--") { "try " code { (line.remedy) } } @else { (line.remedy) } }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn has_suppressions(report: &Report) -> bool {
    !report.suppressed_findings.is_empty() || !report.suppressions.is_empty() || report.baseline.is_some()
}

/// The user's entries, and how often each was used.
pub(super) fn suppressions(report: &Report) -> Markup {
    html! {
        @if let Some(baseline) = &report.baseline {
            p { "Compared with " (baseline.in_words()) }
            @if !baseline.gone.is_empty() {
                ul { @for gone in &baseline.gone { li { (gone.in_words()) ": " (baseline.gone_in_words()) } } }
            }
        }
        @if !report.suppressions.is_empty() {
            ul {
                @for entry in &report.suppressions {
                    li {
                        (entry.file) ":" (entry.line) ": " code { (entry.entry) } ": " (words::used(entry.used)) "; " (entry.reason)
                    }
                }
            }
        }
    }
}
