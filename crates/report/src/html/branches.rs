//! Which ways at branches are covered, and by how many interferences: those that take more first, and before them those that are not covered.

use crate::{BranchEntry, Report};
use maud::{Markup, html};

pub(super) fn section(report: &Report) -> Markup {
    let Some(branches) = report.branches.as_deref().filter(|branches| !branches.is_empty()) else { return html! {} };
    let degrees = report.degrees.as_deref().unwrap_or_default();
    let mut sorted: Vec<&BranchEntry> = branches.iter().collect();
    // Stable: of equal ones the order is that of the source.
    sorted.sort_by_key(|branch| branch.degree.map_or((0, 0), |degree| (1, u32::MAX - degree)));
    let covered = branches.iter().filter(|branch| branch.degree.is_some()).count();
    html! {
        section #branches {
            h2 { "Branches" }
            p { (covered) " of " (branches.len()) " covered; by interferences: "
                @for (index, degree) in degrees.iter().enumerate() {
                    @if index > 0 { ", " }
                    (degree.covered) " with " (degree.k)
                }
            }
            div.scroll tabindex="0" role="region" aria-label="Branches" {
                table.matrix {
                    thead { tr {
                        th scope="col" { "branch" } th scope="col" { "function" } th scope="col" { "outcome" }
                        th scope="col" { "interferences" } th scope="col" { "execution" }
                    } }
                    tbody { @for branch in sorted { (line(branch)) } }
                }
            }
        }
    }
}

fn line(branch: &BranchEntry) -> Markup {
    let class = match (branch.degree, branch.reason.as_deref()) {
        (Some(_), _) => "safe",
        (None, Some("impossible")) => "exclusive",
        (None, _) => "inconclusive",
    };
    html! {
        tr {
            th scope="row" { code { (branch.file) ":" (branch.line) ":" (branch.column) } }
            td { code { (branch.function) } }
            td { (branch.outcome) }
            td class=(class) {
                @match (branch.degree, &branch.reason) {
                    (Some(degree), _) => (degree),
                    (None, Some(reason)) => {
                        (reason.replace('_', " "))
                        @if branch.for_all_k { ", whatever the interferences" }
                    }
                    (None, None) => "",
                }
            }
            td { @if let Some(test) = &branch.test { (test) } }
        }
    }
}
