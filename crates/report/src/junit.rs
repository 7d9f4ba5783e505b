//! The report as JUnit XML, in the form that Jenkins reads and other services took over.
//!
//! One test case for each pair of operations, or for the whole program where there are none. Findings are its failure;
//! a case that was not decided is an error with its cause, never a success: `inconclusive` is not `safe`.
//!
//! Guarantee: what the analysed program calls its things is text in the document; characters that XML cannot hold are
//! written out.

use crate::text::{ledger_cause, ledger_sentence};
use crate::{EntryVerdict, Finding, MatrixEntry, Report, Sources, TextOptions, Verdict, text};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Columns of quoted reports.
const WIDTH: usize = 100;

/// The document. `subject`: what was analysed, as the user typed it.
pub fn render_junit(report: &Report, subject: &str, sources: &dyn Sources) -> String {
    let mut suite = TestSuite::new(format!("raddle {}", report.command));
    // Only a whole that was searched took the time; the pairs share it.
    suite.set_time(Duration::try_from_secs_f64(report.stats.wall_time_s).unwrap_or_default());
    // What no pair is to blame for must not be lost behind pairs that are all safe.
    let undecided = matches!(report.verdict, Verdict::Inconclusive | Verdict::Error);
    if report.matrix.is_empty() || undecided && report.matrix.iter().all(is_fine) {
        suite.add_test_case(whole(report, subject, sources));
    }
    for entry in &report.matrix {
        suite.add_test_case(pair(report, entry, subject, sources));
    }
    let mut document = quick_junit::Report::new("raddle");
    document.add_test_suite(suite);
    // Text in memory can always be written.
    document.to_string().unwrap_or_default()
}

fn is_fine(entry: &MatrixEntry) -> bool {
    matches!(entry.verdict, EntryVerdict::Safe | EntryVerdict::Exclusive)
}

fn pair(report: &Report, entry: &MatrixEntry, subject: &str, sources: &dyn Sources) -> TestCase {
    let among = |ids: &[String], all: &'_ [Finding]| -> Vec<Finding> {
        all.iter().filter(|finding| ids.contains(&finding.id)).cloned().collect()
    };
    let found = among(&entry.findings, &report.findings);
    let (confirmed, open): (Vec<Finding>, Vec<Finding>) = found.into_iter().partition(|f| f.unconfirmed.is_none());
    let status = match entry.verdict {
        EntryVerdict::Findings => failure(&confirmed, sources),
        EntryVerdict::Safe => TestCaseStatus::success(),
        EntryVerdict::Exclusive => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("callers do not call these at once");
            status
        }
        EntryVerdict::Inconclusive => {
            let cause = entry.cause.as_deref().unwrap_or_default();
            // `KIND at PLACE`, or `OPERATION is vacuous`.
            let kind = if cause.ends_with(" is vacuous") {
                "vacuous"
            } else {
                cause.split([' ', ':']).next().unwrap_or_default()
            };
            error(kind, &ledger_cause(cause), "")
        }
    };
    let mut case = TestCase::new(entry.operations.join(" with "), status);
    case.set_classname(subject);
    uncounted(&mut case, &open, &among(&entry.suppressed_findings, &report.suppressed_findings));
    case
}

fn whole(report: &Report, subject: &str, sources: &dyn Sources) -> TestCase {
    let (confirmed, open) = text::apart(report);
    let status = match (report.verdict, &report.error) {
        (_, Some(failed)) => error(&failed.kind, &failed.message, ""),
        (Verdict::Findings, None) => failure(confirmed, sources),
        (Verdict::Safe, None) => TestCaseStatus::success(),
        (Verdict::Inconclusive | Verdict::Error, None) => {
            let kind = report.shortfalls.first().map_or("inconclusive", |shortfall| shortfall.kind.as_str());
            let lines: Vec<String> = report.ledger.iter().map(ledger_sentence).collect();
            error(kind, lines.first().map_or("not all was explored", String::as_str), &lines.join("\n"))
        }
    };
    let mut case = TestCase::new(subject, status);
    case.set_classname(format!("raddle {}", report.command));
    uncounted(&mut case, open, &report.suppressed_findings);
    case
}

fn failure(findings: &[Finding], sources: &dyn Sources) -> TestCaseStatus {
    let mut kinds: Vec<&str> = findings.iter().map(|finding| finding.kind.name()).collect();
    kinds.dedup();
    let lines: Vec<String> = findings.iter().map(text::finding_line).collect();
    let options = TextOptions { color: false, width: WIDTH, full: false, sources };
    let full: Vec<String> = findings.iter().map(|finding| text::render_finding(finding, &options)).collect();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kinds.join(" ")).set_message(lines.join("; ")).set_description(full.join("\n"));
    status
}

fn error(kind: &str, message: &str, description: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(kind).set_message(message);
    if !description.is_empty() {
        status.set_description(description);
    }
    status
}

/// What was found and does not count is said beside the case.
fn uncounted(case: &mut TestCase, open: &[Finding], suppressed: &[Finding]) {
    let lines = open.iter().chain(suppressed).map(|finding| {
        let (how, why) = match (&finding.suppressed, &finding.unconfirmed) {
            (Some(suppressed), _) => (suppressed.in_words(), suppressed.reason.as_str()),
            (None, why) => ("not confirmed", why.as_deref().unwrap_or_default()),
        };
        format!("{how}: {} ({why})", text::finding_line(finding))
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        case.set_system_out(lines.join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{SKIPLIST, races_report};
    use crate::{Claim, ErrorReport, FindingKind, LedgerLine, NoSources, Suppression};
    use expect_test::expect;

    fn case(xml: &str) -> quick_junit::Report {
        quick_junit::Report::deserialize_from_str(xml).expect("JUnit XML")
    }

    #[test]
    fn pairs_are_cases() {
        let mut report = races_report();
        report.finish();
        let xml = render_junit(&report, "skiplist.c", &SKIPLIST);
        let shown: Vec<&str> = xml.lines().filter(|line| line.contains('<') && !line.contains("time=")).collect();
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="raddle" tests="3" skipped="0" failures="1" errors="1">
                    <testcase name="insert with insert" classname="skiplist.c">
                        <failure message="R1 data race: N1.next[0]: write skiplist.c:26:19 against read :18:9" type="data_race">==================
            </failure>
                    </testcase>
                    <testcase name="insert with search" classname="skiplist.c"/>
                    <testcase name="search with search" classname="skiplist.c">
                        <error message="vacuous: no shape survives search alone" type="vacuous"/>
                    </testcase>
                </testsuite>
            </testsuites>"#]].assert_eq(&shown.join("\n"));
        let suite = &case(&xml).test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors), (3, 1, 1));
        let TestCaseStatus::NonSuccess { description, .. } = &suite.test_cases[0].status else { panic!("{xml}") };
        let text = description.as_ref().map_or("", |d| d.as_str());
        assert!(text.contains("Write of size 8 at N1.next[0]") && text.contains("Schedule"), "{text}");
    }

    #[test]
    fn a_program_is_one_case() {
        let mut report = Report::new("check", Claim::default());
        report.finish();
        let suite = &case(&render_junit(&report, "a.c b.c", &NoSources)).test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors), (1, 0, 0));
        assert_eq!(suite.test_cases[0].name.as_str(), "a.c b.c");

        report.ledger.push(LedgerLine {
            kind: "loop_bound".into(),
            r#where: "a.c:3".into(),
            count: 2,
            remedy: "--unroll 128".into(),
        });
        report.finish();
        let xml = render_junit(&report, "a.c", &NoSources);
        assert!(xml.contains("<error message=\"a.c:3: a loop or recursion was cut off") && !xml.contains("<failure"));

        let failed =
            ErrorReport { kind: "compile".into(), message: "a.c:3: expected `;`".into(), ..ErrorReport::default() };
        let xml = render_junit(&Report::failed("races", failed), "a.c", &NoSources);
        assert!(xml.contains("type=\"compile\"") && xml.contains("errors=\"1\""), "{xml}");
    }

    #[test]
    fn suppressed_findings_are_said_and_do_not_fail() {
        let mut report = races_report();
        report.suppress(&[Suppression {
            kind: Some(FindingKind::DataRace),
            reason: "benign".into(),
            ..Suppression::default()
        }]);
        report.finish();
        let xml = render_junit(&report, "skiplist.c", &NoSources);
        let suite = &case(&xml).test_suites[0];
        assert_eq!((suite.failures, suite.errors), (0, 1));
        assert!(xml.contains("suppressed: R1 data race: N1.next[0]") && xml.contains("(benign)"), "{xml}");
    }

    #[test]
    fn text_is_inert() {
        let mut report = races_report();
        let place = "</failure><x y=\"1\">&\u{1b}\u{0}\u{fffe}]]>";
        for access in &mut report.findings[0].accesses {
            access.place = place.into();
        }
        report.finish();
        let xml = render_junit(&report, place, &NoSources);
        assert_eq!(case(&xml).test_suites[0].test_cases.len(), 3);
        assert!(!xml.contains("<x ") && !xml.contains('\u{1b}'), "{xml}");
    }
}
