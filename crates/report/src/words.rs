//! The report's sentences about the run as a whole, which all forms of it share.

use crate::shortfalls::Shortfall;
use crate::{
    Assumption, BranchOutcome, Claim, CodeCoverage, ExecutionsLeft, Finding, FindingKind, MatrixEntry, Reached, Report,
    SamplingBound, SamplingStats, Sequential, ShapeBasis, Stats, StoreStats, UnfoldingStats, Verdict,
};
use std::collections::BTreeMap;

/// The verdict: `safe`, `2 data races, 1 deadlock`, `inconclusive: nothing found, not all explored`. Of an error: `error`.
pub(crate) fn verdict(report: &Report) -> String {
    let known = report.baseline.as_ref().map_or(0, |baseline| baseline.known as u64);
    let others = report.suppressed_findings.len() as u64 - known;
    let apart = [(known, "known finding", "known findings"), (others, "suppressed finding", "suppressed findings")];
    let apart: Vec<String> =
        apart.iter().filter(|(count, ..)| *count > 0).map(|&(count, one, many)| counted(count, one, many)).collect();
    let suppressed = (!apart.is_empty()).then(|| apart.join(" and "));
    match report.verdict {
        Verdict::Safe if report.branches.is_some() && report.assumptions.iter().any(|a| a.kind == "callers") => {
            format!("nothing found, all {} covered that these clients come to", goals(report))
        }
        Verdict::Safe if report.branches.is_some() => {
            format!("nothing found, all {} covered that can be", goals(report))
        }
        Verdict::Inconclusive if report.branches.is_some() && report.uncounted == 0 => {
            format!("inconclusive: nothing found, not known of all {} whether they can be covered", goals(report))
        }
        Verdict::Safe if report.matrix.is_empty() && report.assumptions.iter().any(|a| a.kind == "unchanged") => {
            "nothing has changed that was to be explored, and nothing was".to_owned()
        }
        Verdict::Safe => suppressed.map_or_else(|| "safe".to_owned(), |except| format!("safe except for {except}")),
        Verdict::Findings => {
            let open = report.findings.iter().filter(|finding| finding.unconfirmed.is_some()).count();
            let more = if open > 0 { format!("; {open} more not confirmed") } else { String::new() };
            format!("{}{more}", kinds(report, |finding| finding.unconfirmed.is_none()))
        }
        Verdict::Inconclusive if report.uncounted > 0 => {
            let open = report.findings.iter().all(|finding| finding.unconfirmed.is_some());
            let counts = if open { "none of which is confirmed" } else { "none of which counts" };
            format!("inconclusive: {}, {counts}", kinds(report, |_| true))
        }
        Verdict::Inconclusive => {
            let except = suppressed.map_or_else(String::new, |except| format!(" except for {except}"));
            format!("inconclusive: nothing found{except}, not all explored")
        }
        Verdict::Error => "error".to_owned(),
    }
}

/// The same, and how many causes that comes from, if it is fewer.
pub(crate) fn verdict_by_cause(report: &Report) -> String {
    let mut words = verdict(report);
    if !report.causes.is_empty() && report.causes.len() != report.findings.len() {
        words += &format!(", from {}", counted(report.causes.len() as u64, "cause", "causes"));
    }
    let by_basis = by_basis(report);
    if by_basis.is_empty() { words } else { format!("{words} ({})", by_basis.join(", ")) }
}

/// How many findings rest on which heaps, the best first; empty if a client builds all of them.
fn by_basis(report: &Report) -> Vec<String> {
    let count = |basis| report.findings.iter().filter(|finding| finding.shape == Some(basis)).count();
    let counts = ShapeBasis::ALL.map(|basis| (basis, count(basis)));
    if counts.iter().all(|(basis, count)| *basis == ShapeBasis::Reachable || *count == 0) {
        return Vec::new();
    }
    counts.iter().filter(|(_, count)| *count > 0).map(|(basis, count)| format!("{count} {}", basis.name())).collect()
}

/// `2 data races, 1 deadlock`.
fn kinds(report: &Report, counts: impl Fn(&Finding) -> bool) -> String {
    let count = |kind: FindingKind| report.findings.iter().filter(|f| f.kind == kind && counts(f)).count();
    let named = FindingKind::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    named.map(|(kind, count)| counted(count as u64, kind.title(), kind.plural())).collect::<Vec<_>>().join(", ")
}

/// Whether there may be more findings than the report has.
pub(crate) fn is_partial(report: &Report) -> bool {
    report.verdict == Verdict::Findings && !report.ledger.is_empty()
}

/// What was to be covered.
fn goals(report: &Report) -> &'static str {
    if report.pairs_def_use.is_some() { "pairs" } else { "branches" }
}

/// What stands before the bounds.
pub(crate) fn within(report: &Report) -> &'static str {
    match (report.verdict, &report.branches) {
        (_, Some(_)) => "within",
        (Verdict::Safe, None) => "safe within",
        _ => "searched within",
    }
}

/// What earlier runs had found out; empty if nothing.
pub(crate) fn reused(stats: &Stats) -> Vec<String> {
    let store = stats.store.as_ref();
    store.and_then(|store| reused_of(store, ["combination", "combinations"])).into_iter().collect()
}

/// The same of what there is one or many of.
pub(crate) fn reused_of(store: &StoreStats, [one, many]: [&str; 2]) -> Option<String> {
    let all = counted(store.entries, one, many);
    (store.reused > 0)
        .then(|| format!("{} of {all}, unchanged since an earlier run ({})", store.reused, store.directory))
}

/// The bounds, one by one.
pub(crate) fn bounds(report: &Report) -> Vec<String> {
    let claim = &report.claim;
    let mut parts = Vec::new();
    if let Some(version) = &claim.changed_since {
        parts.push(format!("what has changed since {version}"));
    }
    if let Some(property) = &claim.property {
        parts.push(format!("{property} alone"));
    }
    if claim.proof.is_some() {
        parts.push(
            "any inputs, any number of threads, of rounds of loops and of preemptions, any memory order".to_owned(),
        );
        return parts;
    }
    if let Some(most) = claim.max_k {
        parts.push(counted(most.into(), "interference", "interferences"));
    }
    if let Some(launch) = &claim.launch {
        let size = |[x, y, z]: [u32; 3]| if (y, z) == (1, 1) { x.to_string() } else { format!("{x},{y},{z}") };
        let kernel = claim.kernel.as_ref().map_or_else(String::new, |kernel| format!("{kernel}, "));
        let (grid, block) = (size(launch.grid), size(launch.block));
        parts.push(format!("one launch of {kernel}grid {grid}, block {block}, warps of {}", launch.warp));
        if launch.shared > 0 {
            parts.push(format!("{} of dynamic shared memory", counted(launch.shared, "byte", "bytes")));
        }
        parts.push(match launch.sched {
            "lockstep" => "warps in lockstep".to_owned(),
            _ => "threads of a warp each by itself".to_owned(),
        });
        parts.push(format!("pointer chains of {}", counted(claim.depth.into(), "object", "objects")));
        parts.push(format!("arrays of {}", counted(claim.array, "element", "elements")));
    }
    // A whole program has no heap but its own.
    if report.command == "races" && claim.globals.is_some() {
        if let Some(calls) = claim.client_calls {
            parts.push(format!("clients of up to {}", counted(calls.into(), "call", "calls")));
            parts.push(format!("{} of them at once", claim.threads));
        } else {
            parts.push(format!("pointer chains of {}", counted(claim.depth.into(), "object", "objects")));
            parts.push(format!("arrays of {}", counted(claim.array, "element", "elements")));
            parts.push(threads(claim));
            parts.push(match claim.roots {
                "same" => "the same root objects in all threads".to_owned(),
                other => format!("root objects: {other}"),
            });
        }
    }
    parts.push(format!("{} of a loop", counted(claim.unroll.into(), "iteration", "iterations")));
    parts.push(match claim.preemptions {
        None => "any number of preemptions".to_owned(),
        Some(count) => format!("at most {}", counted(count.into(), "preemption", "preemptions")),
    });
    parts.push(match claim.memory {
        "sc" => "sequential consistency".to_owned(),
        "rc11" if report.command == "races" && claim.globals.is_some() => {
            "RC11 (C11 without load buffering) where all that was called before happens before the calls at once"
                .to_owned()
        }
        "rc11" => "RC11 (C11 without load buffering)".to_owned(),
        other => format!("memory model {other}"),
    });
    if let Some(globals) = claim.globals {
        parts.push(format!("{globals} globals"));
    }
    if claim.launch.is_some() {
        return parts;
    }
    parts.push(match claim.spurious {
        None => "any number of spurious wake-ups".to_owned(),
        Some(count) => format!("{} of a wait", counted(count.into(), "spurious wake-up", "spurious wake-ups")),
    });
    if claim.fail_alloc {
        parts.push("allocations that may fail".to_owned());
    }
    if claim.volatile != "plain" {
        parts.push(format!("{} volatile accesses", claim.volatile));
    }
    parts
}

/// `2 threads`, `2 threads with up to 3 calls each`.
fn threads(claim: &Claim) -> String {
    let threads = counted(claim.threads.into(), "thread", "threads");
    match claim.calls {
        1 => threads,
        calls => format!("{threads} with up to {calls} calls each"),
    }
}

/// What threads call together; a whole program is no combination.
pub(crate) fn combinations(report: &Report) -> &[MatrixEntry] {
    match &*report.matrix {
        [only] if only.operations.len() == 1 => &[],
        matrix => matrix,
    }
}

/// What the entries of the matrix are called: every two operations, or what else threads call together.
pub(crate) fn entries(matrix: &[MatrixEntry]) -> &'static str {
    if is_grid(matrix) { "Pairs of operations" } else { "Combinations of operations" }
}

/// Whether every entry is a pair of operations, one call for each of two threads.
pub(crate) fn is_grid(matrix: &[MatrixEntry]) -> bool {
    matrix.iter().all(|entry| entry.operations.len() == 2 && !entry.operations.iter().any(|name| name.contains("; ")))
}

/// What kept an inconclusive run from its claim, with what would change it.
pub(crate) fn shortfall(shortfall: &Shortfall) -> String {
    let words = ledger_words(&shortfall.kind).map_or_else(|| shortfall.kind.replace('_', " "), str::to_owned);
    let times = if shortfall.count == 1 { "once".to_owned() } else { format!("{} times", shortfall.count) };
    let more = match shortfall.places.saturating_sub(1) as u64 {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other place", "other places")),
    };
    let places = if shortfall.r#where.is_empty() { String::new() } else { format!("{}{more}: ", shortfall.r#where) };
    let change = match (&shortfall.flag, shortfall.remedy.as_str()) {
        (Some(flag), _) => format!("; change it with {flag}"),
        (None, "") => String::new(),
        (None, remedy) => format!("; no flag changes it: {remedy}"),
    };
    format!("{places}{words} ({}, {times}){change}", shortfall.kind)
}

/// The assumption in words: its sentence, or its kind, then place, counts and example.
/// With its example if that is asked for.
pub(crate) fn assumption(assumption: &Assumption, with_example: bool) -> String {
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
        ("fails_serially" | "woken" | "given_back", Some(count), _) => Some(counted(count, "heap", "heaps")),
        ("exclusive", Some(count), _) => Some(counted(count, "pair exclusive", "pairs exclusive")),
        ("reached", Some(count), _) => Some(counted(count, "heap", "heaps")),
        ("elements", Some(count), _) => Some(counted(count, "element", "elements")),
        ("called_by_others" | "unused_statics", Some(count), _) => Some(counted(count, "function", "functions")),
        (_, _, Some(kept)) => dropped.map(|d| format!("{d}, {kept} kept")),
        (_, Some(1), None) => Some("once".to_owned()),
        (_, _, None) => dropped,
    };
    if let Some(counts) = counts {
        text.push_str(&format!(" ({counts})"));
    }
    if let Some(example) = assumption.example.as_ref().filter(|_| with_example) {
        text.push_str(&format!("; such as {example}"));
    }
    text
}

/// What calls in sequence show: the calls, what fails in the last one, and where.
pub(crate) fn sequential(failure: &Sequential) -> String {
    let Sequential { kind, file, line, column, detail, calls } = failure;
    format!("{}: {} at {file}:{line}:{column}: {detail}", calls.join("; "), kind.replace('_', " "))
}

/// How often a suppression was used.
pub(crate) fn used(times: usize) -> String {
    match times {
        0 => "unused".to_owned(),
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    }
}

/// How much was explored, in short.
pub(crate) fn covered(stats: &Stats) -> Vec<String> {
    let figures = [
        (stats.paths, counted(stats.paths, "path", "paths")),
        (stats.executions, counted(stats.executions, "execution", "executions")),
        (stats.shapes, counted(stats.shapes, "shape", "shapes")),
    ];
    figures.into_iter().filter(|(count, _)| *count > 0).map(|(_, figure)| figure).collect()
}

/// How much was explored.
pub(crate) fn explored(stats: &Stats) -> Vec<String> {
    let executions = counted(stats.executions, "execution", "executions");
    let branches = counted(stats.branches, "branch", "branches");
    let figures = [
        (stats.paths, counted(stats.paths, "path", "paths")),
        (stats.executions, with(executions, &[(stats.redundant, "redundant")])),
        (stats.shapes, counted(stats.shapes, "shape", "shapes")),
        (stats.instructions, counted(stats.instructions, "instruction", "instructions")),
        (stats.branches, with(branches, &[(stats.branches_solver, "by solver")])),
        (stats.solver_queries, counted(stats.solver_queries, "solver query", "solver queries")),
    ];
    figures.into_iter().filter(|(count, _)| *count > 0).map(|(_, figure)| figure).collect()
}

/// A figure with those of its parts that are not zero: `22 integrated (512 infeasible)`.
fn with(figure: String, parts: &[(u64, &str)]) -> String {
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    if parts.is_empty() { figure } else { format!("{figure} ({})", parts.join(", ")) }
}

/// By what questions about path conditions were answered; empty where that is not to be shown.
pub(crate) fn answered(stats: &Stats) -> Vec<String> {
    let stages = &stats.solver_stages;
    if !stages.shown {
        return Vec::new();
    }
    let figures = [
        (stages.constants, "as constants"),
        (stages.cores, "as known"),
        (stages.model, "by a known assignment"),
        (stages.order, "by the order of variables"),
        (stages.intervals, "by their bounds"),
        (stages.backend, "by the solver"),
    ];
    let asked = figures.into_iter().filter(|(count, _)| *count > 0);
    let mut answered: Vec<String> = asked.map(|(count, how)| format!("{count} {how}")).collect();
    if answered.is_empty() {
        answered.push("none".to_owned());
    }
    answered
}

/// What there is of the unfolding; empty where it was not explored.
pub(crate) fn unfolding(stats: &Stats) -> Vec<String> {
    let Some(UnfoldingStats { events, mutexes, conditions, choices, cutoffs, ended, failed, cut }) = stats.unfolding
    else {
        return Vec::new();
    };
    let kinds = [(mutexes, "of mutexes"), (conditions, "of condition variables"), (choices, "choices")];
    let mut figures = vec![with(counted(events, "event", "events"), &kinds), counted(cutoffs, "cutoff", "cutoffs")];
    let ends = [(failed, "with a failure"), (cut, "cut off")];
    figures.push(with(counted(ended + failed + cut, "configuration", "configurations"), &ends));
    figures
}

/// How much is left, if something can be said of that.
pub(crate) fn left(stats: &Stats) -> Option<String> {
    let ExecutionsLeft { least, most } = stats.executions_left?;
    Some(format!("{least} to {} (estimated; holds in 9 of 10 cases)", counted(most, "execution", "executions")))
}

/// What is known of executions at random; empty where there were none.
pub(crate) fn sampling(stats: &Stats) -> Vec<String> {
    let Some(sampling) = &stats.sampling else { return Vec::new() };
    let SamplingStats { sampler, runs, threads, steps, bound } = sampling;
    let (most, points) =
        (counted(u64::from(*threads), "thread", "threads"), counted(u64::from(*steps), "step", "steps"));
    let mut figures = vec![format!("{} by {sampler}, of at most {most} and {points}", counted(*runs, "run", "runs"))];
    if let Some(SamplingBound { depth, probability, runs }) = bound {
        let pairs = counted(u64::from(*depth), "ordered pair", "ordered pairs");
        figures.push(format!(
            "on the input path that it takes, a bug of {pairs} of steps shows in each of {runs} with a probability of at least \
             {probability:.1e}"
        ));
    }
    figures
}

/// What the guided search did; empty where there was none.
pub(crate) fn guided(stats: &Stats) -> Vec<String> {
    let Some(guided) = &stats.guided else { return Vec::new() };
    let cut = (guided.overfull > 0).then(|| format!("{} cut where there were too many accesses", guided.overfull));
    if guided.watched > 0 && guided.candidates == 0 {
        return Vec::new();
    }
    if guided.watched > 0 {
        let figures = [
            counted(guided.watched, "execution watched", "executions watched"),
            counted(guided.candidates, "candidate", "candidates"),
            format!("{} confirmed", guided.confirmed),
        ];
        return figures.into_iter().chain(cut).collect();
    }
    let infeasible: u64 = guided.infeasible.values().sum();
    let integrated = guided.unions + guided.adjusted;
    let parts = [(guided.adjusted, "adjusted"), (infeasible, "infeasible")];
    let figures = [
        (guided.paths, counted(guided.paths, "path alone", "paths alone")),
        (guided.candidates, counted(guided.candidates, "candidate", "candidates")),
        (integrated + infeasible, with(format!("{integrated} integrated"), &parts)),
        (guided.confirmed, format!("{} confirmed", guided.confirmed)),
    ];
    let figures = figures.into_iter().filter(|(count, _)| *count > 0).map(|(_, figure)| figure);
    figures.chain(cut).collect()
}

/// `1 shape`, `2 shapes`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What is known of all clients, where that was looked at first. `others_show`: what another client shows is among the findings.
pub(crate) fn reached(reached: &Reached, others_show: bool) -> String {
    let heaps = counted(reached.heaps.iter().sum(), "heap", "heaps");
    let clients = format!(
        "every client of up to {} calls, {} of them at once, that passes what it holds, numbers, and memory of one element or as many as it takes",
        reached.calls, reached.threads
    );
    let Some(first) = reached.ledger.first() else {
        return match reached.findings {
            0 if others_show => format!("nothing found for {clients} ({heaps}); one that passes more is above"),
            0 => format!("safe for {clients} ({heaps})"),
            1 => format!("1 finding shows for {clients} ({heaps}), and no other does"),
            count => format!("{count} findings show for {clients} ({heaps}), and no others do"),
        };
    };
    let others = match reached.ledger.len() - 1 {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    format!("not all known of {clients} ({heaps}): {} at {}{others}", first.kind, first.r#where)
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// `None` for a kind that is not known here.
pub(crate) fn ledger_words(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "thread_bound" => "more threads were created than are explored",
        "loop_bound" => "a loop or recursion was cut off at its bound",
        "array_bound" => "a thread passes the end of an array, whose length is a bound",
        "endless_loop" => "no way leads out of this loop, of which only the first rounds were explored",
        "step_bound" => "it was given up after too many steps",
        "external_call" => "its effect is not known",
        "unsupported" => "something here is not supported yet",
        "weak_memory" => "an atomic weaker than seq_cst was taken for sequentially consistent",
        "concretized" => "only some of the possible values were tried",
        "symbolic_address" => "a number that is not known was used as an address",
        "untyped_pointer" => "a pointer to something of unknown type was used",
        "dangling_comparison" => "a dangling pointer was compared",
        "solver_unknown" => "the solver gave up",
        "time" => "time ran out",
        "memory" => "memory ran out",
        "interrupted" => "the run was stopped",
        "parts_missing" => "parts of the search are not done yet",
        "may_race" => "threads may race here, which nothing shows",
        "not_replayed" => "something was seen that no replay shows, and is not reported",
        "vacuous" => "nothing was explored",
        "guided_only" => "only likely races were looked for",
        "cut_by_failure" => "executions end at a failure that was not asked for, and may go on in a native run",
        "stopped_on_finding" => "the search ended with the first finding, as was asked for",
        "sampled" => "only some executions were run, at random",
        "operations" => "these were left out: the library has more than are explored at once",
        "called_by_others" => {
            "this public function was left out, since operations call it, and it races if clients call it as well"
        }
        "fault" => "raddle itself failed here",
        "not_written" => "this file could not be written",
        "not_required" => "found, but on a heap that meets less than --require asks for",
        "lock_misuse" => "an operation misuses a lock by itself",
        "uninitialized_read" => "what an operation does depends on a value that was never set",
        _ => return None,
    })
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// `41 of 43 lines, 11 of 12 ways at branches`.
pub(crate) fn code_reached(coverage: &CodeCoverage) -> String {
    let CodeCoverage { lines, branches, .. } = coverage;
    format!("{} of {} lines, {} of {} ways at branches", lines.reached, lines.all, branches.reached, branches.all)
}

/// A way at a branch: `p.c:12:9 true`, or of several branches at one place `p.c:12:9 true (the 2nd branch there)`.
pub(crate) fn way((file, line, column): (&str, u32, u32), number: Option<u32>, outcome: BranchOutcome) -> String {
    let which = match number {
        None => String::new(),
        Some(1) => " (the 1st branch there)".to_owned(),
        Some(2) => " (the 2nd branch there)".to_owned(),
        Some(3) => " (the 3rd branch there)".to_owned(),
        Some(n) => format!(" (the {n}th branch there)"),
    };
    format!("{file}:{line}:{column} {outcome}{which}")
}

/// What was not reached, by the reason in words.
pub(crate) fn unreached(coverage: &CodeCoverage) -> Vec<(String, Vec<String>)> {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for place in &coverage.unreached {
        let reason = match place.reason.as_str() {
            "exclusive" => "what a contract keeps apart from all other calls, and is not explored".to_owned(),
            "within_bounds" => "no execution within the bounds gets there".to_owned(),
            kind => ledger_words(kind).map_or_else(|| kind.replace('_', " "), str::to_owned),
        };
        let at = match (place.column, place.outcome) {
            (Some(column), Some(outcome)) => way((&place.file, place.line, column), place.number, outcome),
            _ => format!("{}:{}", place.file, place.line),
        };
        by_reason.entry(reason).or_default().push(format!("{at} in {}", place.function));
    }
    by_reason.into_iter().collect()
}
