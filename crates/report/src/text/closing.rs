//! What stands below the findings: losses, assumptions, bounds, figures, verdict.

use super::page::{Page, Role, counted};
use super::{finding_line, ledger};
use crate::summary::REPLAY;
use crate::{Assumption, Claim, FindingKind, Report, Stats, Verdict};

pub(super) fn render(page: &mut Page, report: &Report) {
    if report.verdict == Verdict::Error && report.findings.is_empty() {
        return;
    }
    if report.command == REPLAY {
        page.gap();
        page.line(match report.verdict {
            Verdict::Findings => format!("raddle: {}", page.paint(Role::Alarm, "reproduced")),
            _ => format!("raddle: {}", page.paint(Role::Doubt, "not reproduced")),
        });
        return;
    }
    suppressions(page, report);
    ledger::render(page, report);
    assumptions(page, report);
    page.gap();
    stats(page, &report.stats);
    verdict(page, report);
}

/// What was found and does not count, and which of the user's entries made it so.
fn suppressions(page: &mut Page, report: &Report) {
    if !report.suppressed_findings.is_empty() {
        page.gap();
        page.line("Suppressed:");
        for finding in &report.suppressed_findings {
            let why = finding.suppressed.as_ref().map_or_else(String::new, |s| format!(" ({}:{})", s.file, s.line));
            page.paragraph("  - ", &format!("{}{why}", finding_line(finding)));
        }
    }
    if report.suppressions.is_empty() {
        return;
    }
    page.gap();
    page.line("Suppressions:");
    for entry in &report.suppressions {
        let used = match entry.used {
            0 => page.paint(Role::Doubt, "unused"),
            count => format!("used {}", if count == 1 { "once".to_owned() } else { format!("{count} times") }),
        };
        let place = format!("{}:{}", entry.file, entry.line);
        page.paragraph("  - ", &format!("{place}: {}: {used}; {}", entry.entry, entry.reason));
    }
}

/// The largest causes of an inconclusive verdict, each with what would change it.
fn causes(page: &mut Page, report: &Report) {
    if report.causes.is_empty() {
        return;
    }
    page.line("  largest causes:");
    for cause in &report.causes {
        let words = ledger::in_words(&cause.kind).map_or_else(|| cause.kind.replace('_', " "), str::to_owned);
        let times = if cause.count == 1 { "once".to_owned() } else { format!("{} times", cause.count) };
        let more = match cause.places.saturating_sub(1) as u64 {
            0 => String::new(),
            more => format!(" and {}", counted(more, "other place", "other places")),
        };
        let places = if cause.r#where.is_empty() { String::new() } else { format!("{}{more}: ", cause.r#where) };
        let change = match (&cause.flag, cause.remedy.as_str()) {
            (Some(flag), _) => format!("; change it with {flag}"),
            (None, "") => String::new(),
            (None, remedy) => format!("; no flag changes it: {remedy}"),
        };
        page.paragraph("    - ", &format!("{places}{words} ({}, {times}){change}", cause.kind));
    }
}

fn assumptions(page: &mut Page, report: &Report) {
    if report.assumptions.is_empty() {
        return;
    }
    page.gap();
    page.line("Assumed:");
    for assumption in &report.assumptions {
        page.paragraph("  - ", &sentence(assumption));
    }
}

/// The assumption in words: its sentence, or its kind, then place, counts and example.
fn sentence(assumption: &Assumption) -> String {
    let mut text = match (assumption.kind.as_str(), assumption.detail.as_str()) {
        ("shape_dropped", "") => "shapes outside of the precondition dropped".to_owned(),
        (kind, "") => kind.replace('_', " "),
        (_, detail) => detail.to_owned(),
    };
    if let Some(place) = &assumption.r#where {
        text = format!("{place}: {text}");
    }
    let dropped = assumption.count.map(|count| format!("{count} times"));
    let counts = match (assumption.kind.as_str(), assumption.count, assumption.kept) {
        ("shape_dropped", Some(count), Some(kept)) => Some(format!("{count} of {}, {kept} kept", count + kept)),
        ("fails_serially", Some(count), _) => Some(counted(count, "heap", "heaps")),
        (_, _, Some(kept)) => dropped.map(|d| format!("{d}, {kept} kept")),
        (_, Some(1), None) => Some("once".to_owned()),
        (_, _, None) => dropped,
    };
    if let Some(counts) = counts {
        text.push_str(&format!(" ({counts})"));
    }
    if let Some(example) = &assumption.example {
        text.push_str(&format!("; such as {example}"));
    }
    text
}

/// The bounds in words.
fn bounds(claim: &Claim, races: bool) -> String {
    let mut parts = Vec::new();
    if races {
        parts.push(format!("pointer chains of {}", counted(claim.depth.into(), "object", "objects")));
        parts.push(format!("arrays of {}", counted(claim.array, "element", "elements")));
        parts.push(counted(claim.threads.into(), "thread", "threads"));
        parts.push(match claim.roots {
            "same" => "the same root objects in all threads".to_owned(),
            other => format!("root objects: {other}"),
        });
    }
    parts.push(format!("{} of a loop", counted(claim.unroll.into(), "iteration", "iterations")));
    parts.push(match claim.preemptions {
        None => "any number of preemptions".to_owned(),
        Some(count) => format!("at most {}", counted(count.into(), "preemption", "preemptions")),
    });
    parts.push(match claim.memory {
        "sc" => "sequential consistency".to_owned(),
        other => format!("memory model {other}"),
    });
    if let Some(globals) = claim.globals {
        parts.push(format!("{globals} globals"));
    }
    parts.push(format!("{} of a wait", counted(claim.spurious.into(), "spurious wake-up", "spurious wake-ups")));
    if claim.fail_alloc {
        parts.push("allocations that may fail".to_owned());
    }
    if claim.volatile != "plain" {
        parts.push(format!("{} volatile accesses", claim.volatile));
    }
    parts.join(", ")
}

/// What differs between two equal runs has a line of its own, which never wraps.
fn stats(page: &mut Page, stats: &Stats) {
    let figures = [
        counted(stats.paths, "path", "paths"),
        format!("{} ({} redundant)", counted(stats.executions, "execution", "executions"), stats.redundant),
        counted(stats.shapes, "shape", "shapes"),
        counted(stats.instructions, "instruction", "instructions"),
        format!("{} ({} by solver)", counted(stats.branches, "branch", "branches"), stats.branches_solver),
        counted(stats.solver_queries, "solver query", "solver queries"),
    ];
    page.paragraph("Explored: ", &figures.join(", "));
    let stages = &stats.solver_stages;
    if stages.shown {
        let figures = [
            (stages.constants, "as constants"),
            (stages.cores, "as known"),
            (stages.model, "by a known assignment"),
            (stages.order, "by the order of variables"),
            (stages.intervals, "by their bounds"),
            (stages.backend, "by the solver"),
        ];
        let figures = figures.map(|(count, how)| format!("{count} {how}"));
        page.paragraph("Questions about path conditions answered: ", &figures.join(", "));
    }
    if let Some(guided) = &stats.guided {
        let infeasible: u64 = guided.infeasible.values().sum();
        let figures = [
            counted(guided.paths, "path alone", "paths alone"),
            counted(guided.candidates, "candidate", "candidates"),
            format!(
                "{} integrated ({} adjusted, {infeasible} infeasible)",
                guided.unions + guided.adjusted,
                guided.adjusted
            ),
            format!("{} confirmed", guided.confirmed),
        ];
        page.paragraph("Guided: ", &figures.join(", "));
    }
    let mebibytes = stats.peak_memory_bytes.div_ceil(1 << 20);
    page.line(format!("Took: {:.1} s, of it solver {:.1} s; {mebibytes} MiB", stats.wall_time_s, stats.solver_time_s));
}

fn verdict(page: &mut Page, report: &Report) {
    let races = report.command == "races";
    let within = bounds(&report.claim, races);
    match report.verdict {
        Verdict::Safe => {
            match report.suppressed_findings.len() as u64 {
                0 => page.line(format!("raddle: {}", page.paint(Role::Fine, "safe"))),
                count => {
                    let except = counted(count, "suppressed finding", "suppressed findings");
                    page.line(format!("raddle: {}", page.paint(Role::Doubt, &format!("safe except for {except}"))));
                }
            }
            page.paragraph("  safe within: ", &within);
        }
        Verdict::Findings => {
            page.line(format!("raddle: {}", page.paint(Role::Alarm, &kinds(report))));
            if !report.ledger.is_empty() {
                page.line("  there may be more: not all was explored");
            }
            page.paragraph("  searched within: ", &within);
        }
        Verdict::Inconclusive => {
            page.line(format!("raddle: {}", page.paint(Role::Doubt, &inconclusive(report))));
            causes(page, report);
            page.paragraph("  searched within: ", &within);
        }
        Verdict::Error => {}
    }
}

fn inconclusive(report: &Report) -> String {
    let found = match report.suppressed_findings.len() as u64 {
        0 => "nothing found".to_owned(),
        count => format!("nothing found except for {}", counted(count, "suppressed finding", "suppressed findings")),
    };
    format!("inconclusive: {found}, not all explored")
}

/// `2 data races, 1 deadlock`.
fn kinds(report: &Report) -> String {
    let count = |kind: FindingKind| report.findings.iter().filter(|f| f.kind == kind).count();
    let named = FindingKind::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    named.map(|(kind, count)| counted(count as u64, kind.title(), kind.plural())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::text::tests::races_report;
    use crate::text::{TextOptions, render_text};
    use crate::{Claim, Report, Verdict};
    use crate::{FindingKind, LedgerLine, NoSources, Suppression, exit_code};
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
        let text = render_text(&report, &TextOptions { color: false, width: 100, sources: &NoSources });
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
              - R1 data race: N1.next[0]: write skiplist.c:26:19 against read skiplist.c:18:9 (raddle.toml:3)

            Suppressions:
              - raddle.toml:3: kind = "data_race": used once; a hint only
              - raddle.toml:9: kind = "deadlock": unused; a hint only

            Assumed:
              - insert: shapes outside of the precondition dropped (40 of 152, 112 kept); such as N1.next[0] =
                N1: relocks N1.mutex
              - allocation and thread creation succeed

            Explored: 0 paths, 0 executions (0 redundant), 0 shapes, 0 instructions, 0 branches (0 by solver), 0
                      solver queries
            raddle: safe except for 1 suppressed finding
              safe within: pointer chains of 3 objects, arrays of 2 elements, 2 threads, the same root objects
                           in all threads, 64 iterations of a loop, any number of preemptions, sequential
                           consistency, symbolic globals, 1 spurious wake-up of a wait"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn an_inconclusive_run_names_its_causes() {
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
        let text = render_text(&report, &TextOptions { color: false, width: 100, sources: &NoSources });
        let from = text.find("raddle: inconclusive").unwrap_or_default();
        expect![[r#"
            raddle: inconclusive: nothing found, not all explored
              largest causes:
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
