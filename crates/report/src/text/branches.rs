//! Which ways at branches are covered, by how many interferences, and which are not.

use super::page::{Page, Role};
use crate::{BranchEntry, Report};
use std::collections::BTreeMap;
use std::path::Path;

pub(super) fn render(page: &mut Page, report: &Report) {
    let Some(branches) = &report.branches else { return };
    page.gap();
    let Some(degrees) = &report.degrees else {
        // Of one test.
        page.line("Takes these ways at branches:");
        branches.iter().for_each(|branch| page.line(format!("  {}", degree_in_words(branch))));
        return;
    };
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
        page.paragraph("  ", &degree_in_words(branch));
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
    suite(page, report);
}

/// Where the tests are.
fn suite(page: &mut Page, report: &Report) {
    let tests = report.tests.as_deref().unwrap_or_default();
    let count = |count: usize| if count == 1 { "1 test".to_owned() } else { format!("{count} tests") };
    let files: Vec<&String> = tests.iter().filter_map(|test| test.file.as_ref()).collect();
    if let Some(folder) = files.first().and_then(|file| Path::new(file).parent()) {
        let folder = folder.display();
        page.paragraph("  ", &format!("{} in {folder}: make -C {folder} check runs them", count(files.len())));
    } else if let Some(witness) = tests.iter().find_map(|test| test.witness.as_ref()) {
        let id = &tests[0].id;
        let what = format!("{} take them all, such as {witness}", count(tests.len()));
        page.paragraph("  ", &format!("{what}: raddle replay {id} shows one; --tests DIR writes them as C programs"));
    }
}

/// A way, and how many interferences it takes.
fn degree_in_words(branch: &BranchEntry) -> String {
    let degree = branch.degree.unwrap_or_default();
    format!("{}: {degree} interference{}", in_words(branch), if degree == 1 { "" } else { "s" })
}

/// A way at a branch: `p.c:12:9 true`.
fn in_words(branch: &BranchEntry) -> String {
    format!("{}:{}:{} {}", branch.file, branch.line, branch.column, branch.outcome)
}
