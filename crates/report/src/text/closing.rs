//! What stands below the findings: losses, assumptions, bounds, figures, verdict.

use super::ledger;
use super::page::{Page, Role, counted};
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
    ledger::render(page, report);
    assumptions(page, report);
    page.gap();
    stats(page, &report.stats);
    verdict(page, report);
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
    let mebibytes = stats.peak_memory_bytes.div_ceil(1 << 20);
    page.line(format!("Took: {:.1} s, of it solver {:.1} s; {mebibytes} MiB", stats.wall_time_s, stats.solver_time_s));
}

fn verdict(page: &mut Page, report: &Report) {
    let races = report.command == "races";
    let within = bounds(&report.claim, races);
    match report.verdict {
        Verdict::Safe => {
            page.line(format!("raddle: {}", page.paint(Role::Fine, "safe")));
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
            page.line(format!("raddle: {}", page.paint(Role::Doubt, "inconclusive: nothing found, not all explored")));
            page.paragraph("  searched within: ", &within);
        }
        Verdict::Error => {}
    }
}

/// `2 data races, 1 deadlock`.
fn kinds(report: &Report) -> String {
    let count = |kind: FindingKind| report.findings.iter().filter(|f| f.kind == kind).count();
    let named = FindingKind::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    named.map(|(kind, count)| counted(count as u64, kind.title(), kind.plural())).collect::<Vec<_>>().join(", ")
}
