//! Which ways at branches are covered, and by how many interferences: those that take more first, and before them those that are not covered.

use crate::{AccessPlace, BranchEntry, DefUseEntry, DegreeEntry, Report};
use maud::{Markup, html};

pub(super) fn section(report: &Report) -> Markup {
    if let Some(pairs) = report.pairs_def_use.as_deref().filter(|pairs| !pairs.is_empty()) {
        return of_pairs(pairs, report.degrees.as_deref().unwrap_or_default());
    }
    let Some(branches) = report.branches.as_deref().filter(|branches| !branches.is_empty()) else { return html! {} };
    let degrees = report.degrees.as_deref().unwrap_or_default();
    let mut sorted: Vec<&BranchEntry> = branches.iter().collect();
    // Stable: of equal ones the order is that of the source.
    sorted.sort_by_key(|branch| branch.degree.map_or((0, 0), |degree| (1, u32::MAX - degree)));
    let covered = branches.iter().filter(|branch| branch.degree.is_some()).count();
    html! {
        section #branches {
            h2 { "Branches" }
            (sum(covered, branches.len(), degrees))
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

/// How much is covered, and with how many interferences.
fn sum(covered: usize, all: usize, degrees: &[DegreeEntry]) -> Markup {
    html! {
        p { (covered) " of " (all) " covered; by interferences: "
            @for (index, degree) in degrees.iter().enumerate() {
                @if index > 0 { ", " }
                (degree.covered) " with " (degree.k)
            }
        }
    }
}

/// Pairs of a write and a read of another thread.
fn of_pairs(pairs: &[DefUseEntry], degrees: &[DegreeEntry]) -> Markup {
    let mut sorted: Vec<&DefUseEntry> = pairs.iter().collect();
    sorted.sort_by_key(|pair| pair.degree.map_or((0, 0), |degree| (1, u32::MAX - degree)));
    let covered = pairs.iter().filter(|pair| pair.degree.is_some()).count();
    let place = |place: &AccessPlace| html! { code { (place.file) ":" (place.line) ":" (place.column) } };
    html! {
        section #branches {
            h2 { "Writes and reads" }
            (sum(covered, pairs.len(), degrees))
            div.scroll tabindex="0" role="region" aria-label="Writes and reads" {
                table.matrix {
                    thead { tr {
                        th scope="col" { "read" } th scope="col" { "in" } th scope="col" { "write" } th scope="col" { "in" }
                        th scope="col" { "interferences" } th scope="col" { "execution" }
                    } }
                    tbody { @for pair in sorted {
                        tr {
                            th scope="row" { (place(&pair.read)) }
                            td { code { (pair.read.function) } }
                            td { (place(&pair.write)) }
                            td { code { (pair.write.function) } }
                            (degree(pair.degree, pair.reason.as_deref(), pair.for_all_k))
                            td { @if let Some(test) = &pair.test { (test) } }
                        }
                    } }
                }
            }
        }
    }
}

/// By how many interferences something is covered, or why it is not.
fn degree(degree: Option<u32>, reason: Option<&str>, for_all_k: bool) -> Markup {
    let class = match (degree, reason) {
        (Some(_), _) => "safe",
        (None, Some("impossible")) => "exclusive",
        (None, _) => "inconclusive",
    };
    html! {
        td class=(class) {
            @match (degree, reason) {
                (Some(degree), _) => (degree),
                (None, Some(reason)) => {
                    (reason.replace('_', " "))
                    @if for_all_k { ", whatever the interferences" }
                }
                (None, None) => "",
            }
        }
    }
}

fn line(branch: &BranchEntry) -> Markup {
    html! {
        tr {
            th scope="row" { code { (branch.file) ":" (branch.line) ":" (branch.column) } }
            td { code { (branch.function) } }
            td { (branch.outcome) }
            (degree(branch.degree, branch.reason.as_deref(), branch.for_all_k))
            td { @if let Some(test) = &branch.test { (test) } }
        }
    }
}
