//! One finding, folded to a line.

use super::program::Shared;
use super::{DRAWING, program, schedule, side};
use crate::svg::{heap_drawing, waits_drawing};
use crate::text::{heap_text, positions, remarks, value};
use crate::words::capitalised;
use crate::{Finding, Heap, Input, Sources};
use maud::{Markup, PreEscaped, html};

/// Columns of a heap in characters.
const COLUMNS: usize = 100;

/// `is_open`: unfolded. `shared`: what its test shares with others, if it stands in the page.
pub(super) fn render(finding: &Finding, sources: &dyn Sources, is_open: bool, shared: Option<&Shared>) -> Markup {
    html! {
        details.finding open[is_open] {
            summary {
                strong { (finding.id) } " "
                span.kind { (finding.kind.title()) } " "
                span.where { (positions(finding)) } " "
                (label(finding))
            }
            // The place that links lead to is inside, so that browsers unfold what is around it.
            div.body id=(finding.id) {
                h3.unseen { (finding.id) " " (finding.kind.title()) }
                (lead(finding))
                (side::sides(finding, sources))
                (inputs(&finding.inputs))
                (drawing("Who waits for whom", waits_drawing(finding), None))
                (drawing("Initial heap", heap_drawing(finding), finding.heap.as_ref()))
                (schedule::section(finding, sources))
                (program::section(finding, shared))
            }
        }
    }
}

/// What the heap rests on, in a word.
fn label(finding: &Finding) -> Markup {
    html! {
        @if let Some(shape) = finding.shape { span class={ "label " (shape.name()) } { (shape.name()) } }
        @if let Some(suppressed) = &finding.suppressed { " " span.label { (suppressed.in_words()) } }
        @if finding.unconfirmed.is_some() { " " span.label { "not confirmed" } }
    }
}

fn lead(finding: &Finding) -> Markup {
    let remarks = remarks(finding);
    html! {
        // A race is said by its two accesses.
        @if finding.accesses.is_empty() && !finding.detail.is_empty() { p.detail { (finding.detail) } }
        @if !remarks.is_empty() { p.hint { (capitalised(&remarks.join("; "))) "." } }
        @if let Some(suppressed) = &finding.suppressed {
            @if suppressed.known.is_some() {
                p { "Known: it is " (suppressed.by()) }
            } @else {
                p { "Suppressed by " (suppressed.by()) ": " (suppressed.reason) }
            }
        }
    }
}

fn inputs(inputs: &[Input]) -> Markup {
    html! {
        @if !inputs.is_empty() {
            section {
                h4 { "Inputs" }
                dl.inputs {
                    @for input in inputs { div { dt { (input.name) } dd { code { (value(&input.value)) } } } }
                }
            }
        }
    }
}

/// A drawing, and what it shows in characters.
fn drawing(title: &str, drawn: Option<String>, heap: Option<&Heap>) -> Markup {
    html! {
        @if let Some(drawn) = drawn {
            section {
                h4 { (title) }
                div.scroll tabindex="0" role="region" aria-label=(title) { div class=(DRAWING.trim_start_matches('.')) { (PreEscaped(drawn)) } }
                @if let Some(heap) = heap {
                    details.astext { summary { "as text" } pre { (heap_text(heap, COLUMNS)) } }
                }
            }
        }
    }
}
