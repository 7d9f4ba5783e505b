//! The report as one HTML page that stands by itself: it loads nothing, runs nothing, and is readable on a phone, on
//! paper, in the dark, and without its style sheet.
//!
//! Guarantee: whatever the analysed program calls its things is text in the page and nothing else, and every character of
//! it can be seen; equal reports and sources give equal bytes, for the page has no times; each link leads to a place in the
//! page; no colour says what words or signs do not say as well.
//! Knows nothing of how findings were found, or where the page goes.

mod branches;
mod finding;
mod matrix;
mod pairs;
mod program;
mod schedule;
mod side;
mod summary;
#[cfg(test)]
mod tests;

use crate::text::{apart, groups};
use crate::{Cause, Finding, Report, Sources, Verdict, svg, visible, words};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Nothing may be loaded, run or sent; what styles the page stands in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// Where drawings stand, for their style.
const DRAWING: &str = ".drawing";

/// So many findings are shown unfolded; of more none is.
const UNFOLDED: usize = 3;

/// The page. `subject`: what was analysed, as the user typed it; `sources` gives the lines that are quoted.
pub fn render_html(report: &Report, subject: &str, sources: &dyn Sources) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(report, subject))
            body {
                header {
                    p.subject { "raddle " (report.command) " " code { (subject) } }
                    (summary::verdict(report))
                    (contents(report))
                }
                main {
                    (matrix::section(report))
                    (pairs::section(report))
                    (branches::section(report))
                    (findings(report, sources))
                    (summary::sections(report))
                }
                footer { p { (report.tool.name) " " (report.tool.version) } }
            }
        }
    };
    // At once for the whole page, so that nothing is forgotten. Of its own it has none of these characters.
    visible(&page.into_string())
}

fn head(report: &Report, subject: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (words::verdict(report)) " - raddle " (report.command) " " (subject) }
            // The only text that is not escaped, beside drawings: both are ours, and drawings escape for themselves.
            style { (PreEscaped(STYLE)) (PreEscaped(svg::style(DRAWING))) }
        }
    }
}

/// Links to the sections that there are.
fn contents(report: &Report) -> Markup {
    let sections = [
        ("pairs", words::entries(&report.matrix), !words::combinations(report).is_empty()),
        ("pairs", "Functions, two at a time", report.pairs.as_ref().is_some_and(|pairs| !pairs.is_empty())),
        ("branches", "Branches", report.branches.as_ref().is_some_and(|branches| !branches.is_empty())),
        ("branches", "Writes and reads", report.pairs_def_use.as_ref().is_some_and(|pairs| !pairs.is_empty())),
        ("findings", "Findings", !apart(report).0.is_empty()),
        ("unconfirmed", "Not confirmed", !apart(report).1.is_empty()),
        ("suppressed", "Suppressed", summary::has_suppressions(report)),
        ("lost", "Not explored", report.verdict != Verdict::Error),
        ("sequential", "Fails in one thread", !report.sequential.is_empty()),
        ("assumed", "Assumed", !report.assumptions.is_empty()),
        ("figures", "Figures", report.verdict != Verdict::Error),
    ];
    let there: Vec<_> = sections.into_iter().filter(|(_, _, is_there)| *is_there).collect();
    html! {
        @if !there.is_empty() {
            nav aria-label="Contents" {
                ul { @for (id, title, _) in there { li { a href={ "#" (id) } { (title) } } } }
            }
        }
    }
}

/// All findings, those of one cause together.
fn findings(report: &Report, sources: &dyn Sources) -> Markup {
    let tests = program::fitting(&report.findings);
    let few = report.findings.len() <= UNFOLDED;
    let (confirmed, open) = apart(report);
    let show = |found: &Finding| finding::render(found, sources, few, tests.contains(&found.id));
    html! {
        @if !confirmed.is_empty() {
            section #findings {
                h2 { "Findings" }
                @if !few {
                    p.hint { (words::verdict(report)) ". Each line unfolds." }
                }
                @for (cause, group) in groups(report, confirmed) {
                    @if !few {
                        h3 #(cause.id) { (cause.id) ": " (cause.title) " " small { (group.len()) } }
                        @if let Some(protection) = &cause.protection { p.hint { (protection) } }
                    }
                    (remedies(cause))
                    @for found in group { (show(found)) }
                }
            }
        }
        @if !open.is_empty() {
            section #unconfirmed {
                h2 { "Not confirmed" }
                @for found in open { (show(found)) }
            }
        }
        @if summary::has_suppressions(report) {
            section #suppressed {
                h2 { "Suppressed" }
                @for found in &report.suppressed_findings { (finding::render(found, sources, false, false)) }
                (summary::suppressions(report))
            }
        }
    }
}

/// What mends a cause, as a difference of the source; or that nothing was found that does.
fn remedies(cause: &Cause) -> Markup {
    html! {
        @for remedy in &cause.remedies {
            p { strong { "To mend " (cause.id) ": " } (remedy.text) "." }
            @if let Some(patch) = &remedy.patch { pre tabindex="0" role="region" aria-label={ "Patch for " (cause.id) } { (patch) } }
        }
        @if let Some(refused) = &cause.refused { p.hint { (cause.id) ": " (refused) } }
    }
}

/// A verdict by a sign, so that none needs a colour.
fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "✓",
        Verdict::Findings => "✗",
        Verdict::Inconclusive => "?",
        Verdict::Error => "!",
    }
}
