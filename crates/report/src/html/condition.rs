//! The launch condition that was inferred.

use crate::Report;
use maud::{Markup, html};

pub(super) fn section(report: &Report) -> Markup {
    let Some(condition) = &report.condition else { return html! {} };
    html! {
        section #condition {
            h2 { "Launch condition of " code { (condition.kernel) } }
            p { (condition.within()) }
            @if let Some(assertion) = &condition.assertion { pre { "assert(" (assertion) ");" } }
            @if let Some(answer) = condition.answer() { p { (answer) } }
            ul {
                @for comparison in &condition.comparisons { li { (comparison.in_words()) } }
                @if !condition.assumed.is_empty() { li { "assumed: " (condition.assumed) } }
            }
        }
    }
}
