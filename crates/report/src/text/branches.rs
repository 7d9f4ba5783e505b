//! Which ways at branches are covered, by how many interferences, and which are not.

use super::page::{Page, Role};
use crate::{BranchEntry, BranchOutcome, Report};
use std::collections::BTreeMap;

pub(super) fn render(page: &mut Page, report: &Report) {
    let (Some(branches), Some(degrees)) = (&report.branches, &report.degrees) else { return };
    page.gap();
    page.line("Branches, by the interferences that they take:");
    for degree in degrees {
        let candidates = match degree.candidates {
            0 => String::new(),
            1 => ", 1 scenario tried".to_owned(),
            many => format!(", {many} scenarios tried"),
        };
        page.line(format!("  {}: {} covered{candidates}", degree.k, degree.covered));
    }
    let covered = branches.iter().filter(|branch| branch.degree.is_some()).count();
    let sum = format!("  {covered} of {} covered", branches.len());
    page.line(if covered == branches.len() { page.paint(Role::Fine, &sum) } else { sum });
    let later = branches.iter().filter(|branch| branch.degree.is_some_and(|degree| degree > 0));
    for branch in later {
        let degree = branch.degree.unwrap_or_default();
        page.paragraph(
            "  ",
            &format!("{}: {} interference{}", in_words(branch), degree, if degree == 1 { "" } else { "s" }),
        );
    }
    // What is open for one reason is said once.
    let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for branch in branches {
        if let Some(reason) = &branch.reason {
            let reason = match (reason.as_str(), branch.for_all_k) {
                ("impossible", true) => "impossible, whatever the interferences".to_owned(),
                ("impossible", false) => "impossible with so many interferences".to_owned(),
                (other, _) => other.replace('_', " "),
            };
            open.entry(reason).or_default().push(in_words(branch));
        }
    }
    for (reason, branches) in open {
        page.paragraph("  ", &format!("not covered, {reason}: {}", branches.join("; ")));
    }
}

/// A way at a branch: `p.c:12:9 true`.
fn in_words(branch: &BranchEntry) -> String {
    let outcome = match branch.outcome {
        BranchOutcome::Holds(holds) => holds.to_string(),
        BranchOutcome::Case(case) => format!("case {case}"),
        BranchOutcome::Default => "default".to_owned(),
    };
    format!("{}:{}:{} {outcome}", branch.file, branch.line, branch.column)
}
