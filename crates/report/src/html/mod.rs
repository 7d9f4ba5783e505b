//! The report as one HTML page that stands by itself: it loads nothing, runs nothing, and is readable on a phone, on
//! paper, in the dark, and without its style sheet.
//!
//! Guarantee: whatever the analysed program calls its things is text in the page and nothing else, and every character of
//! it can be seen; equal reports and sources give equal bytes, for the page has no times; each link leads to a place in the
//! page; no colour says what words or signs do not say as well.
//! Knows nothing of how findings were found, or where the page goes.

mod branches;
mod condition;
mod finding;
mod matrix;
mod pairs;
mod program;
mod schedule;
mod side;
mod summary;
#[cfg(test)]
mod tests;

use self::program::Shared;
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

/// So many of one cause have a line each at once; the others unfold.
const MOST_SHOWN: usize = 20;

/// The page. `subject`: what was analysed, as the user typed it; `sources` gives the lines that are quoted.
pub fn render_html(report: &Report, subject: &str, sources: &dyn Sources) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(report, subject))
            body {
                a.skip href="#main" { "To the report" }
                header {
                    p.subject { "raddle " (report.command) " " code { (subject) } }
                    (summary::verdict(report))
                    (contents(report))
                }
                main #main {
                    (matrix::section(report))
                    (pairs::section(report))
                    (branches::section(report))
                    (condition::section(report))
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
        ("reached", "Reached", report.coverage.is_some()),
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
    let shared = Shared::of(&report.findings, &tests);
    let few = report.findings.len() <= UNFOLDED;
    let (confirmed, open) = apart(report);
    let show = |found: &Finding| finding::render(found, sources, few, tests.contains(&found.id).then_some(&shared));
    html! {
        @if !confirmed.is_empty() {
            section #findings {
                h2 { "Findings" }
                @if !few {
                    p.hint { (words::verdict(report)) ". Each line unfolds." }
                }
                @let groups = groups(report, confirmed);
                @if groups.len() > 1 { (causes(&groups)) }
                @for (cause, group) in &groups {
                    section.cause aria-labelledby=(cause.id) {
                        h3 #(cause.id) { (cause.id) ": " (cause.title) " " small { (words::counted(group.len() as u64, "finding", "findings")) } }
                        @if let Some(protection) = &cause.protection { p.hint { (protection) } }
                        (remedies(cause))
                        // Many of one cause are a list to look something up in.
                        @let (first, rest) = group.split_at(group.len().min(if group.len() > MOST_SHOWN + 5 { MOST_SHOWN } else { group.len() }));
                        @for found in first { (show(found)) }
                        @if !rest.is_empty() {
                            details.more {
                                summary { (rest.len()) " more findings of " (cause.id) }
                                @for found in rest { (show(found)) }
                            }
                        }
                    }
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
                @for found in &report.suppressed_findings { (finding::render(found, sources, false, None)) }
                (summary::suppressions(report))
            }
        }
        (shared.section())
    }
}

/// Each cause in a line, with how many findings it has and whether something mends it.
fn causes(groups: &[(&Cause, Vec<&Finding>)]) -> Markup {
    let mended = |cause: &Cause| match cause.remedies.first() {
        Some(_) => "a remedy was tried",
        None => "no remedy",
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Causes" {
            table.causes {
                caption.unseen { "Causes" }
                thead { tr { th scope="col" { "Cause" } th scope="col" { "What" } th scope="col" { "Findings" } th scope="col" { "To mend it" } } }
                tbody {
                    @for (cause, group) in groups {
                        tr {
                            th scope="row" { a href={ "#" (cause.id) } { (cause.id) } }
                            td { (cause.title) }
                            td.number { (group.len()) }
                            td { (mended(cause)) }
                        }
                    }
                }
            }
        }
    }
}

/// What mends a cause, as a difference of the source; or that nothing was found that does.
fn remedies(cause: &Cause) -> Markup {
    html! {
        @for remedy in &cause.remedies {
            p { strong { "To mend " (cause.id) ": " } (remedy.text) "." }
            @if let Some(patch) = &remedy.patch { (difference(&cause.id, patch)) }
        }
        @if let Some(refused) = &cause.refused { p.hint { (cause.id) ": " (refused) } }
    }
}

/// A unified difference; what is added and taken away says so by its sign, and by a colour.
fn difference(of: &str, patch: &str) -> Markup {
    let class = |line: &str| match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "file",
        [b'+', ..] => "added",
        [b'-', ..] => "removed",
        [b'@', ..] => "place",
        _ => "",
    };
    html! {
        pre.diff.copy tabindex="0" role="region" aria-label={ "Patch for " (of) } {
            @for line in patch.split_inclusive('\n') { span class=(class(line)) { (line) } }
        }
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
