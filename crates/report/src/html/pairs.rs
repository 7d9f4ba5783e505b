//! What came of the functions that tests call, two at a time: those that race first.

use super::matrix::ids;
use crate::{PairEntry, PairVerdict, Report};
use maud::{Markup, html};

pub(super) fn section(report: &Report) -> Markup {
    let Some(pairs) = report.pairs.as_deref().filter(|pairs| !pairs.is_empty()) else { return html! {} };
    let mut sorted: Vec<&PairEntry> = pairs.iter().collect();
    let rank = |pair: &&PairEntry| match pair.verdict {
        PairVerdict::Exposed => 0,
        PairVerdict::Unfinished => 1,
        PairVerdict::NotReached => 2,
        PairVerdict::Refuted => 3,
    };
    sorted.sort_by_key(rank);
    html! {
        section #pairs {
            h2 { "Functions, two at a time" }
            div.scroll tabindex="0" role="region" aria-label="Functions, two at a time" {
                table.matrix {
                    thead { tr { th scope="col" colspan="2" { "called at once" } td {} th scope="col" { "test" } td {} } }
                    tbody { @for pair in sorted { (line(pair)) } }
                }
            }
        }
    }
}

fn line(pair: &PairEntry) -> Markup {
    let class = match pair.verdict {
        PairVerdict::Exposed => "findings",
        PairVerdict::Refuted => "safe",
        PairVerdict::NotReached | PairVerdict::Unfinished => "inconclusive",
    };
    html! {
        tr {
            @for name in &pair.operations { th scope="row" { code { (name) } } }
            td class=(class) { (pair.verdict.name()) " " (ids(&pair.findings)) }
            td { @if let Some(test) = &pair.test { code { (test) } } }
            td {
                @if let Some(effect) = &pair.effect { (effect.in_words()) }
                @if let Some(reason) = &pair.reason { (reason) }
            }
        }
    }
}
