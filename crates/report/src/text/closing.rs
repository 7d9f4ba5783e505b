//! What stands below the findings: losses, assumptions, bounds, figures, verdict.

use super::page::{Page, Role};
use super::{finding, finding_line, ledger};
use crate::document::REPLAY;
use crate::words;
use crate::{Finding, Report, Stats, Verdict};

pub(super) fn render(page: &mut Page, report: &Report) {
    if report.verdict == Verdict::Error && report.findings.is_empty() {
        return;
    }
    if report.command == REPLAY {
        page.gap();
        page.line(match report.verdict {
            Verdict::Findings => format!("raddle: {}", page.paint(Role::Alarm, "reproduced")),
            Verdict::Safe => format!("raddle: {}", page.paint(Role::Fine, "reproduced")),
            _ => format!("raddle: {}", page.paint(Role::Doubt, "not reproduced")),
        });
        return;
    }
    suppressions(page, report);
    sequential(page, report);
    ledger::render(page, report);
    // Where there are findings, they are what counts.
    let at_length = page.options.full || report.findings.is_empty();
    assumptions(page, report, at_length);
    page.gap();
    stats(page, &report.stats, at_length);
    coverage(page, report);
    verdict(page, report);
}

/// What was found and does not count, and which of the user's entries made it so.
fn suppressions(page: &mut Page, report: &Report) {
    for (title, is_known) in [("Known:", true), ("Suppressed:", false)] {
        let of_this = |finding: &&Finding| finding.suppressed.as_ref().is_some_and(|s| s.known.is_some() == is_known);
        let mut findings = report.suppressed_findings.iter().filter(of_this).peekable();
        if findings.peek().is_some() {
            page.gap();
            page.line(title);
        }
        for finding in findings {
            let why = finding.suppressed.as_ref().map_or_else(String::new, |s| format!(" ({})", s.by()));
            page.paragraph("  - ", &format!("{}{why}", finding_line(finding)));
        }
    }
    if let Some(baseline) = &report.baseline {
        page.gap();
        page.line("Compared with an earlier report:");
        page.paragraph("  - ", &baseline.in_words());
        for gone in &baseline.gone {
            page.paragraph("  - ", &format!("{}: {}", gone.in_words(), baseline.gone_in_words()));
        }
    }
    if report.suppressions.is_empty() {
        return;
    }
    page.gap();
    page.line("Suppressions:");
    for entry in &report.suppressions {
        let used = words::used(entry.used);
        let used = if entry.used == 0 { page.paint(Role::Doubt, &used) } else { used };
        let place = format!("{}:{}", entry.file, entry.line);
        page.paragraph("  - ", &format!("{place}: {}: {used}; {}", entry.entry, entry.reason));
    }
}

/// What calls that are made one after another show already.
fn sequential(page: &mut Page, report: &Report) {
    if report.sequential.is_empty() {
        return;
    }
    page.gap();
    page.line("Fails in one thread, which is for its callers to avoid, and not counted:");
    for failure in &report.sequential {
        page.paragraph("  - ", &words::sequential(failure));
    }
}

/// What kept an inconclusive run from its claim, each with what would change it.
fn shortfalls(page: &mut Page, report: &Report) {
    if report.shortfalls.is_empty() {
        return;
    }
    page.line("  largest shortfalls:");
    for shortfall in &report.shortfalls {
        page.paragraph("    - ", &words::shortfall(shortfall));
    }
}

fn assumptions(page: &mut Page, report: &Report, with_examples: bool) {
    if report.assumptions.is_empty() {
        return;
    }
    page.gap();
    page.line("Assumed:");
    for assumption in &report.assumptions {
        page.paragraph("  - ", &words::assumption(assumption, with_examples));
    }
}

/// What of the code was reached; at full length, what was not, for each reason.
fn coverage(page: &mut Page, report: &Report) {
    let Some(coverage) = &report.coverage else { return };
    let all = coverage.unreached.is_empty();
    let more = if all || page.options.full { "" } else { "; --full lists the others" };
    page.paragraph("Reached: ", &format!("{}{more}", words::code_reached(coverage)));
    if page.options.full {
        for (reason, places) in words::unreached(coverage) {
            page.paragraph("  - ", &format!("{reason}: {}", places.join(", ")));
        }
    }
}

/// What differs between two equal runs has a line of its own, which never wraps.
fn stats(page: &mut Page, stats: &Stats, at_length: bool) {
    let reused = words::reused(stats);
    if !reused.is_empty() {
        page.paragraph("Reused: ", &reused.join(", "));
    }
    let explored = if at_length { words::explored(stats) } else { words::covered(stats) };
    if !explored.is_empty() {
        page.paragraph("Explored: ", &explored.join(", "));
    }
    if let Some(left) = words::left(stats) {
        page.paragraph("Left: ", &left);
    }
    if !stats.reductions.is_empty() && at_length {
        page.paragraph("Reduced by: ", &stats.reductions.join("; "));
    }
    let sampling = words::sampling(stats);
    if !sampling.is_empty() {
        page.paragraph("At random: ", &sampling.join("; "));
    }
    let unfolding = words::unfolding(stats);
    if !unfolding.is_empty() {
        page.paragraph("Unfolding: ", &unfolding.join(", "));
    }
    let answered = words::answered(stats);
    if !answered.is_empty() {
        page.paragraph("Questions about path conditions answered: ", &answered.join(", "));
    }
    let guided = words::guided(stats);
    if !guided.is_empty() && at_length {
        page.paragraph("Guided: ", &guided.join(", "));
    }
    let mebibytes = stats.peak_memory_bytes.div_ceil(1 << 20);
    let solver = match stats.solver_time_s {
        ..0.05 => String::new(),
        seconds => format!(", of it solver {seconds:.1} s"),
    };
    // Of several workers the sum is more than what passed, and the solver's time is part of the sum.
    let sum = match stats.cpu_time_s {
        seconds if seconds > 1.1 * stats.wall_time_s + 0.1 => format!(", processors {seconds:.1} s"),
        _ => String::new(),
    };
    page.line(format!("Took: {:.1} s{sum}{solver}; {mebibytes} MiB", stats.wall_time_s));
}

fn verdict(page: &mut Page, report: &Report) {
    let role = match report.verdict {
        Verdict::Safe if report.suppressed_findings.is_empty() => Role::Fine,
        Verdict::Safe | Verdict::Inconclusive => Role::Doubt,
        Verdict::Findings => Role::Alarm,
        Verdict::Error => return,
    };
    page.line(format!("raddle: {}", page.paint(role, &words::verdict_by_cause(report))));
    if words::is_partial(report) {
        page.line("  there may be more: not all was explored");
    }
    shortfalls(page, report);
    page.paragraph(&format!("  {}: ", words::within(report)), &words::bounds(report).join(", "));
    if let Some(reached) = &report.reached {
        let is_shown = report.findings.iter().any(|finding| finding.client.is_some());
        page.paragraph("  ", &words::reached(reached, reached.findings == 0 && is_shown));
    }
    next_steps(page, report);
}

/// What to do with a finding, by the first that is shown.
fn next_steps(page: &mut Page, report: &Report) {
    // Ids lead to witnesses that are named after them.
    let has_id = |finding: &&Finding| {
        finding.witness.as_ref().is_some_and(|path| path.ends_with(&format!("{}.witness.json", finding.id)))
    };
    let shown = report
        .causes
        .iter()
        .find_map(|cause| report.findings.iter().filter(has_id).find(|finding| finding.id == cause.representative));
    let Some(finding) = shown else { return };
    let (id, folder) = (&finding.id, finding::folder_flag(finding));
    let mut text =
        format!("`raddle explain {id}{folder}` shows all of {id}, `raddle replay {id}{folder}` runs it again");
    let test = id.to_lowercase();
    match (report.command.as_str(), &report.claim.kernel) {
        ("gpu", Some(_)) => text += &format!(", `raddle test {id}{folder} -o {test}.cu` makes a CUDA test of it"),
        // A program that launches kernels is its own test.
        ("gpu", None) => {}
        _ => text += &format!(", `raddle test {id}{folder} -o {test}.c` makes a C test of it"),
    }
    page.paragraph("  next: ", &text);
}

#[cfg(test)]
mod tests {
    use crate::text::tests::races_report;
    use crate::text::{TextOptions, render_text};
    use crate::{Claim, Report, Verdict};
    use crate::{FindingKind, LedgerLine, NoSources, Sequential, Suppression, exit_code};
    use expect_test::expect;

    #[test]
    fn suppressed_findings_are_no_safe() {
        let mut report = races_report();
        report.matrix.truncate(2);
        report.ledger.clear();
        let entry = |line, text: &str, kind| Suppression {
            kind: Some(kind),
            reason: "a hint only".into(),
            file: "raddle.toml".into(),
            line,
            text: text.into(),
            ..Suppression::default()
        };
        report.suppress(&[
            entry(3, "kind = \"data_race\"", FindingKind::DataRace),
            entry(9, "kind = \"deadlock\"", FindingKind::Deadlock),
        ]);
        report.finish();
        assert_eq!((report.verdict, exit_code(&report)), (Verdict::Safe, 0));
        let text = render_text(&report, &TextOptions { color: false, width: 100, full: false, sources: &NoSources });
        let from = text.find("Pairs of operations").unwrap_or_default();
        let shown: Vec<&str> = text[from..].lines().filter(|line| !line.starts_with("Took")).collect();
        expect![[r#"
            Pairs of operations:
              ┌────────┬─────────────────────────────┬────────┐
              │        ┆ insert                      ┆ search │
              ╞════════╪═════════════════════════════╪════════╡
              │ insert ┆ safe except R1 (suppressed) ┆ safe   │
              │ search ┆                             ┆        │
              └────────┴─────────────────────────────┴────────┘

            Suppressed:
              - R1 data race: N1.next[0]: write skiplist.c:26:19 against read :18:9 (raddle.toml:3)

            Suppressions:
              - raddle.toml:3: kind = "data_race": used once; a hint only
              - raddle.toml:9: kind = "deadlock": unused; a hint only

            Assumed:
              - insert: shapes outside of the precondition dropped (40 of 152, 112 kept); such as N1.next[0] =
                N1: relocks N1.mutex
              - allocation and thread creation succeed

            raddle: safe except for 1 suppressed finding
              safe within: pointer chains of 3 objects, arrays of 2 elements, 2 threads, the same root objects
                           in all threads, 64 iterations of a loop, any number of preemptions, sequential
                           consistency, symbolic globals, 1 spurious wake-up of a wait"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn what_calls_in_sequence_show_is_listed_apart() {
        let mut report = Report::new("races", Claim::default());
        report.sequential = vec![Sequential {
            kind: "out_of_bounds".into(),
            file: "slots.c".into(),
            line: 27,
            column: 5,
            detail: "an index leads out of its array".into(),
            calls: vec!["slots_init".into(), "set".into()],
        }];
        report.finish();
        assert_eq!((report.verdict, exit_code(&report)), (Verdict::Safe, 0));
        let text = render_text(&report, &TextOptions { color: false, width: 100, full: false, sources: &NoSources });
        let shown: Vec<&str> = text.lines().take(2).collect();
        expect![[r#"
            Fails in one thread, which is for its callers to avoid, and not counted:
              - slots_init; set: out of bounds at slots.c:27:5: an index leads out of its array"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn an_inconclusive_run_names_its_shortfalls() {
        let mut report = Report::new("check", Claim::default());
        let line = |kind: &str, place: &str, count, remedy: &str| LedgerLine {
            kind: kind.into(),
            r#where: place.into(),
            count,
            remedy: remedy.into(),
        };
        report.ledger = vec![
            line("external_call", "fork at a.c:4", 1, "`fork` has no body and no model"),
            line("loop_bound", "a.c:3", 12, "--unroll 128"),
            line("loop_bound", "a.c:9", 2, "--unroll 256"),
            line("time", "main", 1, "--max-time with a larger value"),
        ];
        report.finish();
        let text = render_text(&report, &TextOptions { color: false, width: 100, full: false, sources: &NoSources });
        let from = text.find("raddle: inconclusive").unwrap_or_default();
        expect![[r#"
            raddle: inconclusive: nothing found, not all explored
              largest shortfalls:
                - a.c:3 and 1 other place: a loop or recursion was cut off at its bound (loop_bound, 14 times);
                  change it with --unroll 256
                - fork at a.c:4: its effect is not known (external_call, once); no flag changes it: `fork` has
                  no body and no model
                - main: time ran out (time, once); change it with --max-time
              searched within: 64 iterations of a loop, any number of preemptions, sequential consistency, 1
                               spurious wake-up of a wait
        "#]]
        .assert_eq(&text[from..]);
    }
}
