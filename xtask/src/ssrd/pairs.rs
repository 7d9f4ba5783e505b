//! Races as pairs of (line, kind of access): what a test file annotates, what a report says, and how the two compare.
//!
//! Guarantee: only pairs with both lines in the structure's file count; an annotation that leaves an end or a kind open
//! is an error, for nothing could be counted by it.

use anyhow::bail;
use std::collections::BTreeSet;
use testkit::finding::{AccessKind, Race, Site};
use testkit::ui::{Access, Expectations, Finding, RaceEnd, RaceExpectation, Report};
use witness::emit::{ReportedAccess, parse_report};

/// Which annotated pairs were found, which were not, and what else was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) found: BTreeSet<Race>,
    pub(crate) missed: BTreeSet<Race>,
    pub(crate) others: BTreeSet<Race>,
}

/// Compares what was found with what is annotated.
pub(crate) fn compare(annotated: &BTreeSet<Race>, found: &BTreeSet<Race>) -> Comparison {
    Comparison { found: annotated & found, missed: annotated - found, others: found - annotated }
}

/// The pairs that a test file expects.
pub(crate) fn annotated(expectations: &Expectations) -> anyhow::Result<BTreeSet<Race>> {
    let site = |end: &RaceEnd| -> anyhow::Result<Site> {
        let Some(access) = end.kind else { bail!("{}:{}: the annotation says no access", end.file, end.line) };
        Ok(Site { line: end.line, access: kind(access) })
    };
    let pair = |race: &RaceExpectation| match race {
        RaceExpectation::Pair(one, other) => Ok(Race::new(site(one)?, site(other)?)),
        RaceExpectation::Line(end) => bail!("{}:{}: the annotation names no other line", end.file, end.line),
    };
    expectations.races.iter().map(pair).collect()
}

/// The pairs that raddle reports in a file.
pub(crate) fn reported(report: &Report, file: &str) -> BTreeSet<Race> {
    reported_where(report, file, |_| true)
}

/// Those of them on shapes that a client builds.
pub(crate) fn reached(report: &Report, file: &str) -> BTreeSet<Race> {
    reported_where(report, file, |finding| finding.shape.as_deref() == Some("reachable"))
}

fn reported_where(report: &Report, file: &str, is_wanted: impl Fn(&Finding) -> bool) -> BTreeSet<Race> {
    let is_race = |finding: &&Finding| finding.kind == "data_race" && is_wanted(finding);
    let races = report.findings.iter().filter(is_race);
    races
        .filter_map(|finding| {
            let [one, other] = finding.accesses.as_slice() else { return None };
            let here = is_file(&one.file, file) && is_file(&other.file, file);
            let site = |line, access| Site { line, access: kind(access) };
            here.then(|| Race::new(site(one.line, one.access), site(other.line, other.access)))
        })
        .collect()
}

/// The pairs that ThreadSanitizer reports in a file: data races, and uses of freed memory that name both accesses.
pub(crate) fn sanitized(stderr: &str, file: &str) -> BTreeSet<Race> {
    let site = |access: &ReportedAccess| {
        let frame = access.in_source().filter(|frame| frame.file.as_deref().is_some_and(|f| is_file(f, file)))?;
        let frees = access.frames.first().is_some_and(|top| top.function == "free");
        let writes = access.what.to_ascii_lowercase().contains("write of size");
        let access = match (frees, writes) {
            (true, _) => AccessKind::Free,
            (false, true) => AccessKind::Write,
            (false, false) => AccessKind::Read,
        };
        Some(Site { line: frame.line, access })
    };
    parse_report(stderr)
        .iter()
        .filter_map(|report| match report.accesses.as_slice() {
            [one, other] => Some(Race::new(site(one)?, site(other)?)),
            _ => None,
        })
        .collect()
}

fn is_file(path: &str, file: &str) -> bool {
    path.rsplit('/').next() == Some(file)
}

fn kind(access: Access) -> AccessKind {
    match access {
        Access::Read => AccessKind::Read,
        Access::Write => AccessKind::Write,
        Access::ReadWrite => AccessKind::ReadWrite,
        Access::Free => AccessKind::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(one: (u32, AccessKind), other: (u32, AccessKind)) -> Race {
        let site = |(line, access)| Site { line, access };
        Race::new(site(one), site(other))
    }

    fn races<const N: usize>(races: [((u32, AccessKind), (u32, AccessKind)); N]) -> BTreeSet<Race> {
        races.into_iter().map(|(one, other)| race(one, other)).collect()
    }

    use AccessKind::{Free, Read, Write};

    #[test]
    fn a_comparison_tells_lines_and_kinds_apart_but_not_sides() {
        let annotated = races([((3, Read), (7, Write)), ((3, Write), (7, Write)), ((5, Free), (5, Read))]);
        let found = races([((7, Write), (3, Read)), ((3, Write), (7, Read)), ((5, Free), (5, Read))]);
        let compared = compare(&annotated, &found);
        assert_eq!(compared.found, races([((3, Read), (7, Write)), ((5, Read), (5, Free))]));
        assert_eq!(compared.missed, races([((3, Write), (7, Write))]));
        assert_eq!(compared.others, races([((7, Read), (3, Write))]));
    }

    fn expectations(text: &str) -> Expectations {
        let file = testkit::ui::parse("list.c", text).expect("a test file");
        let mut expectations = Expectations::default();
        file.expect_into("list.c", Some("late"), &mut expectations).expect("annotations");
        expectations
    }

    #[test]
    fn annotations_of_one_revision() {
        let text = "//@ run: races\n//@ revisions: late early\n\
            x++; //~[late] RACE read/write\n\
            free(n); //~[late] RACE@a free\n//~^[early] RACE@b free\n\
            y = n->x; //~[late] RACE@a read\n//~^[early] RACE@b read\n";
        let found = annotated(&expectations(text)).expect("complete annotations");
        assert_eq!(found, races([((3, Read), (3, Write)), ((4, Free), (6, Read))]));
    }

    #[test]
    fn an_annotation_that_leaves_something_open_is_refused() {
        for text in ["x = 1; //~ RACE write\n", "x = 1; //~ RACE@a\ny = x; //~ RACE@a read\n"] {
            let text = format!("//@ run: races\n//@ revisions: late\n{text}");
            assert!(annotated(&expectations(&text)).is_err(), "{text}");
        }
    }

    #[test]
    fn reports_of_the_sanitizer_with_both_ends_in_the_file() {
        let report = |what: [&str; 2], frames: [&str; 2]| {
            format!(
                "WARNING: ThreadSanitizer: data race (pid=1)\n  {} at 0x7b04 by thread T2:\n{}\n\n  \
                 Previous {} at 0x7b04 by thread T1:\n{}\n\n",
                what[0], frames[0], what[1], frames[1]
            )
        };
        let text = report(
            ["Write of size 4", "atomic read of size 1"],
            [
                "    #0 put /a/list.c:7:2 (t+0x1)",
                "    #0 pthread_mutex_lock <null> (t+0x2)\n    #1 get /a/list.c:9 (t+0x3)",
            ],
        ) + &report(
            ["Write of size 8", "write of size 4"],
            ["    #0 free <null> (t+0x1)\n    #1 drop /a/list.c:11:3 (t+0x4)", "    #0 put /a/list.c:7:2 (t+0x1)"],
        ) + &report(
            ["Read of size 4", "write of size 4"],
            ["    #0 main /a/list_client.c:3:1 (t+0x1)", "    #0 put /a/list.c:7:2 (t+0x1)"],
        );
        assert_eq!(sanitized(&text, "list.c"), races([((7, Write), (9, Read)), ((11, Free), (7, Write))]));
        assert!(sanitized("nothing to report", "list.c").is_empty());
    }
}
