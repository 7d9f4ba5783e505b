//! Which ways at branches are covered, or which pairs of a write and a read, by how many interferences, and which are not.

use super::page::{Page, Role};
use crate::words;
use crate::{AccessPlace, BranchEntry, DefUseEntry, Report};
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
    let goals: Vec<Goal> = match &report.pairs_def_use {
        Some(pairs) => pairs.iter().map(of_pair).collect(),
        None => branches.iter().map(of_branch).collect(),
    };
    page.line(match &report.pairs_def_use {
        Some(_) => "Reads that return what another thread wrote, by the interferences that they take:",
        None => "Branches, by the interferences that they take:",
    });
    for degree in degrees {
        let candidates = match degree.candidates {
            0 => String::new(),
            1 => ", 1 scenario tried".to_owned(),
            many => format!(", {many} scenarios tried"),
        };
        page.line(format!("  {}: {} covered{candidates}", degree.k, degree.covered));
    }
    let covered = goals.iter().filter(|goal| goal.degree.is_some()).count();
    let sum = format!("  {covered} of {} covered", goals.len());
    page.line(if covered == goals.len() { page.paint(Role::Fine, &sum) } else { sum });
    for goal in &goals {
        if let Some(degree) = goal.degree.filter(|&degree| degree > 0) {
            page.paragraph("  ", &format!("{}: {}", goal.what, interferences(degree)));
        }
    }
    // What is open for one reason is said once.
    let mut open: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for goal in &goals {
        if let Some(reason) = goal.reason {
            let reason = match (reason, goal.for_all_k) {
                ("impossible", true) => "impossible, whatever the interferences".to_owned(),
                ("impossible", false) => "impossible with so many interferences".to_owned(),
                (other, _) => other.replace('_', " "),
            };
            open.entry(reason).or_default().push(&goal.what);
        }
    }
    for (reason, goals) in open {
        page.paragraph("  ", &format!("not covered, {reason}: {}", goals.join("; ")));
    }
    earlier(page, report);
    suite(page, report);
}

/// What became of an earlier suite.
fn earlier(page: &mut Page, report: &Report) {
    let Some(tests) = &report.baseline_tests else { return };
    let held = tests.iter().filter(|test| test.holds).count();
    page.paragraph("  ", &format!("of {} tests of the baseline {held} can be followed", tests.len()));
    for test in tests.iter().filter(|test| !test.holds) {
        page.paragraph("  ", &format!("{} cannot: {}", test.file, test.why.as_deref().unwrap_or_default()));
    }
}

/// What was to be covered.
struct Goal<'r> {
    what: String,
    degree: Option<u32>,
    reason: Option<&'r str>,
    for_all_k: bool,
}

fn of_branch(branch: &BranchEntry) -> Goal<'_> {
    let BranchEntry { degree, for_all_k, .. } = *branch;
    Goal { what: in_words(branch), degree, reason: branch.reason.as_deref(), for_all_k }
}

fn of_pair(pair: &DefUseEntry) -> Goal<'_> {
    let at = |place: &AccessPlace| format!("{}:{}:{}", place.file, place.line, place.column);
    let what = format!("{} reads {}", at(&pair.read), at(&pair.write));
    Goal { what, degree: pair.degree, reason: pair.reason.as_deref(), for_all_k: pair.for_all_k }
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
    format!("{}: {}", in_words(branch), interferences(branch.degree.unwrap_or_default()))
}

fn interferences(degree: u32) -> String {
    format!("{degree} interference{}", if degree == 1 { "" } else { "s" })
}

fn in_words(branch: &BranchEntry) -> String {
    words::way((&branch.file, branch.line, branch.column), branch.number, branch.outcome)
}
