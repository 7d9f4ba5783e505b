//! Causes of small reports.

use super::*;
use crate::text::tests::{location, race};
use crate::{
    Access, AccessKind, Blocked, Claim, EarlierAccess, EarlierRace, Guard, GuardOwner, Guarded, Guards, Heap,
    HeapObject, Location, MatrixEntry, ScheduleStep, ShapeBasis, Suppression, render_json,
};
use serde_json::Value;

fn access(kind: AccessKind, line: u32, place: &str, field: &str, guards: &[Guard]) -> Access {
    let function = if line < 50 { "search_node" } else { "insert" };
    Access {
        thread: 1,
        operation: Some("insert".into()),
        access: kind,
        automatic: false,
        variable: false,
        atomic: false,
        size: 8,
        place: place.into(),
        locks: guards.iter().map(|guard| guard.member.clone()).collect(),
        location: Location { file: "a.c".into(), line, column: 9, function: function.into(), ..Location::default() },
        gpu: None,
        field: Some(field.into()),
        guards: guards.to_vec(),
    }
}

fn own(member: &str) -> Guard {
    Guard { owner: GuardOwner::Accessed, object: "struct node".into(), member: member.into(), shared: false }
}

fn on(field: &str, write: u32, other: (AccessKind, u32)) -> Finding {
    let place = field.replace("struct node", "N1");
    let write = access(AccessKind::Write, write, &place, field, &[own("mutex")]);
    Finding { confirmed: true, ..Finding::race([write, access(other.0, other.1, &place, field, &[])]) }
}

/// The race of a write and a read on these lines came first in a finding's schedule.
fn after(write: u32, read: u32, finding: Finding) -> Finding {
    let side = |access, line| EarlierAccess { thread: 1, access, file: "a.c".into(), line, column: 9 };
    let race = EarlierRace { sides: [side(AccessKind::Write, write), side(AccessKind::Read, read)] };
    Finding { earlier: vec![race], ..finding }
}

fn finished(findings: Vec<Finding>) -> Report {
    let mut report = Report { findings, ..Report::new("races", Claim::default()) };
    report.finish();
    report
}

/// A list whose links are read without a lock, so that what is new in it is seen half made; and a value that two write.
fn list() -> Vec<Finding> {
    vec![
        after(70, 40, on("struct node.key", 25, (AccessKind::Read, 41))),
        on("struct node.value", 63, (AccessKind::Write, 63)),
        on("struct node.next[0]", 70, (AccessKind::Read, 40)),
        on("struct node.next[1]", 73, (AccessKind::Write, 73)),
    ]
}

fn in_short(report: &Report) -> Vec<String> {
    report
        .causes
        .iter()
        .map(|c| format!("{} {} {}", c.id, c.field.as_deref().unwrap_or("-"), c.findings.join(" ")))
        .collect()
}

#[test]
fn what_a_race_leads_to_has_its_cause() {
    let report = finished(list());
    assert_eq!(in_short(&report), ["C1 struct node.next[] R1 R3 R4", "C2 struct node.value R2"]);
    let roots: Vec<Option<&str>> = report.findings.iter().map(|finding| finding.root.as_deref()).collect();
    assert_eq!(roots, [Some("R3"), None, None, None]);
    assert_eq!(report.causes[0].representative, "R3");
    assert_eq!(report.causes[0].title, "one thread writes `struct node.next[]` while another reads or writes it");
    assert_eq!(report.causes[1].title, "one thread writes `struct node.value` while another writes it");
}

#[test]
fn a_race_that_is_no_finding_leads_nowhere() {
    let mut findings = list();
    // Another read of the same line would be another race.
    findings[0] = after(70, 41, on("struct node.key", 25, (AccessKind::Read, 41)));
    let report = finished(findings.clone());
    assert_eq!(report.causes.len(), 3, "{:?}", in_short(&report));
    // Nor does one that is not confirmed, or that the user has suppressed.
    findings = list();
    findings[2].unconfirmed = Some("it may depend on `f`".into());
    assert_eq!(finished(findings).findings.iter().filter(|finding| finding.root.is_some()).count(), 0);
    let mut report = Report { findings: list(), ..Report::new("races", Claim::default()) };
    report.suppress(&[Suppression { field: Some("node.next[0]".into()), ..Suppression::default() }]);
    report.finish();
    assert_eq!(in_short(&report), ["C1 struct node.key R1", "C2 struct node.value R2", "C3 struct node.next[] R3"]);
    assert_eq!(report.suppressed_findings[0].cause, None);
}

#[test]
fn causes_leave_findings_as_they_are() {
    let findings = list();
    let report = finished(findings.clone());
    let document: Value = serde_json::from_str(&render_json(&report)).expect("JSON");
    let mut shown = document["findings"].as_array().expect("a list").clone();
    let mut belongs = Vec::new();
    for (number, (shown, mut before)) in (1..).zip(shown.iter_mut().zip(findings)) {
        belongs.push(shown["cause"].take());
        before.id = format!("R{number}");
        assert_eq!(*shown, serde_json::to_value(&before).expect("JSON"), "R{number}");
    }
    let causes = document["causes"].as_array().expect("a list");
    for (finding, cause) in report.findings.iter().zip(&belongs) {
        let has =
            |cause: &&Value| cause["findings"].as_array().is_some_and(|all| all.contains(&finding.id.clone().into()));
        let ids: Vec<&Value> = causes.iter().filter(has).map(|cause| &cause["id"]).collect();
        assert_eq!(ids, [cause], "each finding has one cause");
    }
    let keys: Vec<&str> = causes[0].as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["field", "findings", "id", "kind", "protection", "remedies", "representative", "title"]);
    assert_eq!(causes[0]["kind"], "data_race");
}

#[test]
fn the_best_finding_shows_a_cause() {
    let shown = |change: fn(&mut [Finding; 2])| {
        let mut pair = [
            on("struct node.next[0]", 70, (AccessKind::Read, 40)),
            on("struct node.next[1]", 73, (AccessKind::Read, 40)),
        ];
        change(&mut pair);
        finished(pair.into()).causes[0].representative.clone()
    };
    assert_eq!(shown(|_| ()), "R1");
    assert_eq!(shown(|pair| pair[0].schedule = race().schedule), "R2", "the shorter schedule");
    assert_eq!(
        shown(|pair| (pair[0].shape, pair[1].shape) = (Some(ShapeBasis::Valid), Some(ShapeBasis::Reachable))),
        "R2"
    );
    let led = |pair: &mut [Finding; 2]| pair[0] = after(73, 40, pair[0].clone());
    assert_eq!(shown(led), "R2", "the one that comes first");
}

#[test]
fn clients_that_are_found_later_decide_what_is_shown() {
    let mut report = finished(vec![
        on("struct node.next[0]", 70, (AccessKind::Read, 40)),
        on("struct node.next[1]", 73, (AccessKind::Read, 40)),
    ]);
    for finding in &mut report.findings {
        finding.shape = Some(ShapeBasis::Assumed);
    }
    report.findings[1].shape = Some(ShapeBasis::Reachable);
    report.require(None);
    assert_eq!(report.causes[0].representative, "R2");
}

#[test]
fn a_free_and_its_uses_are_a_matter_of_lifetime() {
    let end = |line| Finding {
        ..Finding::race([
            Access { size: 64, ..access(AccessKind::Free, 60, "N1.key", "struct node.key", &[]) },
            access(AccessKind::Read, line, "N1.next[0]", "struct node.next[0]", &[]),
        ])
    };
    let report = finished(vec![end(40), end(41)]);
    assert_eq!(in_short(&report), ["C1 struct node R1 R2"]);
    let cause = &report.causes[0];
    assert_eq!(cause.kind, CauseKind::Lifetime);
    assert_eq!(cause.title, "`insert` frees a `struct node` while `search_node` uses it");
}

#[test]
fn a_whole_object_is_no_field() {
    let copy = Access { size: 64, ..access(AccessKind::Write, 60, "N1.key", "struct node.key", &[]) };
    let report =
        finished(vec![Finding::race([copy, access(AccessKind::Read, 40, "N1.next[0]", "struct node.next[0]", &[])])]);
    assert_eq!(report.causes[0].field.as_deref(), Some("struct node.next[]"));
}

#[test]
fn circles_of_the_same_locks_are_one_cause() {
    let blocked = |thread, holds: &str, waits: &str, line| Blocked {
        thread,
        holds: vec![holds.into()],
        waits_for: Some(waits.into()),
        location: location("a.c", line, 3, "move"),
        gpu: None,
        operation: None,
        waits_for_threads: Vec::new(),
    };
    let object =
        |name: &str| HeapObject { name: name.into(), r#type: "struct account".into(), note: None, fields: Vec::new() };
    let deadlock = |names: [&str; 2], line| {
        let [one, other] = names.map(|name| format!("{name}.lock"));
        Finding {
            blocked: vec![blocked(1, &one, &other, line), blocked(2, &other, &one, line)],
            heap: Some(Heap { roots: Vec::new(), objects: names.map(object).into() }),
            ..Finding::new(FindingKind::Deadlock, location("a.c", line, 3, "move"))
        }
    };
    let signal = Finding {
        blocked: vec![Blocked { holds: Vec::new(), ..blocked(1, "", "a signal on q.nonempty", 9) }],
        ..Finding::new(FindingKind::Deadlock, location("a.c", 9, 3, "take"))
    };
    let report = finished(vec![deadlock(["N1", "N2"], 5), deadlock(["N2", "N3"], 7), signal]);
    assert_eq!(in_short(&report), ["C1 - R1 R2", "C2 - R3"]);
    let kinds: Vec<&str> = report.causes.iter().map(|cause| cause.kind.name()).collect();
    assert_eq!(kinds, ["deadlock", "lost_wakeup"]);
    assert_eq!(report.causes[0].title, "`move` holds `struct account.lock` and waits for `struct account.lock`");
    assert_eq!(report.causes[1].title, "`move` waits for a signal on q.nonempty");
}

#[test]
fn other_failures_are_told_apart_by_their_place() {
    let at = |line| Finding::new(FindingKind::Assertion, location("a.c", line, line + 1, "f"));
    let report = finished(vec![at(3), at(3), at(4)]);
    assert_eq!(in_short(&report), ["C1 - R1 R2", "C2 - R3"]);
    assert_eq!(report.causes[1].title, "Assertion failure in `f` at a.c:4");
}

#[test]
fn protection_says_what_findings_know() {
    let report = finished(list());
    assert_eq!(
        report.causes[0].protection.as_deref(),
        Some(
            "In these findings, a.c:40 (search_node) holds nothing; a.c:73 (insert) holds nothing or that node's `mutex`; \
             a.c:70 (insert) holds that node's `mutex`."
        )
    );
    let bare = Finding::race([
        access(AccessKind::Write, 60, "count", "count", &[]),
        access(AccessKind::Read, 40, "count", "count", &[]),
    ]);
    assert_eq!(
        finished(vec![bare]).causes[0].protection.as_deref(),
        Some("In these findings no access to `count` holds a lock.")
    );
}

#[test]
fn protection_says_what_the_search_has_listed() {
    let guarded = |line, access, held: &[Guard]| Guarded {
        field: "struct node.next[0]".into(),
        location: location("a.c", line, 9, if line < 50 { "search_node" } else { "insert" }),
        access,
        atomic: false,
        held: held.to_vec(),
    };
    let mut report = Report { findings: list(), ..Report::new("races", Claim::default()) };
    report.matrix = vec![MatrixEntry::new(["insert", "insert"], None)];
    report.guards.accesses = vec![
        guarded(70, AccessKind::Write, &[own("mutex")]),
        guarded(69, AccessKind::Read, &[own("mutex")]),
        guarded(40, AccessKind::Read, &[]),
        // At one of two visits of the place nothing is held.
        guarded(73, AccessKind::Write, &[own("mutex")]),
        guarded(73, AccessKind::Write, &[]),
    ];
    let protection = |report: &mut Report| {
        report.finish();
        report.causes[0].protection.clone().expect("a sentence")
    };
    let all = "2 of 4 accesses to `node.next[]` hold that node's `mutex`; 1 holds nothing: a.c:40 (search_node); 1 holds \
               nothing or that node's `mutex`: a.c:73 (insert).";
    assert_eq!(protection(&mut report), all);
    // What only findings have belongs to it.
    report.guards.accesses.truncate(2);
    assert_eq!(protection(&mut report), all);
    report.guards.more = true;
    assert!(protection(&mut report).starts_with("2 of 4 accesses to `node.next[]` that were looked at hold"));
    // Of another field nothing is said.
    report.guards = Guards::default();
    report.guards.accesses = vec![Guarded { field: "struct node.key".into(), ..guarded(69, AccessKind::Read, &[]) }];
    assert!(protection(&mut report).starts_with("In these findings,"));
}

/// A report on one race of a field of which the search has listed these accesses: line, whether atomic, what is held.
fn of_one_field(finding: Finding, listed: &[(u32, bool, &[Guard])]) -> String {
    let mut report = Report { findings: vec![finding], ..Report::new("races", Claim::default()) };
    report.guards.accesses = listed
        .iter()
        .map(|&(line, atomic, held)| Guarded {
            field: "struct node.count".into(),
            location: location("a.c", line, 9, if line < 50 { "search_node" } else { "insert" }),
            access: AccessKind::Write,
            atomic,
            held: held.to_vec(),
        })
        .collect();
    report.finish();
    report.causes[0].protection.clone().expect("a sentence")
}

#[test]
fn protection_by_what_all_or_none_hold() {
    let write = |line, held: &[Guard]| access(AccessKind::Write, line, "N1.count", "struct node.count", held);
    let both = Finding { confirmed: true, ..Finding::race([write(60, &[own("mutex")]), write(61, &[own("mutex")])]) };
    assert_eq!(
        of_one_field(both, &[(60, false, &[own("mutex")])]),
        "All 2 accesses to `node.count` hold that node's `mutex`, and yet two of them are not ordered."
    );
    let one = Finding { confirmed: true, ..Finding::race([write(60, &[]), write(60, &[])]) };
    assert_eq!(of_one_field(one.clone(), &[(60, false, &[])]), "a.c:60 (insert) accesses `node.count` without a lock.");
    assert_eq!(
        of_one_field(one, &[(61, false, &[])]),
        "None of the 2 accesses to `node.count` holds a lock every time."
    );
}

#[test]
fn protection_by_atomic_accesses() {
    let write = |line, atomic, held: &[Guard]| Access {
        atomic,
        ..access(AccessKind::Write, line, "N1.count", "struct node.count", held)
    };
    let finding = Finding { confirmed: true, ..Finding::race([write(40, true, &[]), write(60, false, &[])]) };
    assert_eq!(
        of_one_field(finding.clone(), &[(40, true, &[]), (61, true, &[])]),
        "2 of 3 accesses to `node.count` are atomic; 1 is not: a.c:60 (insert)."
    );
    assert_eq!(
        of_one_field(finding.clone(), &[(61, false, &[own("mutex")]), (41, true, &[])]),
        "2 of 4 accesses to `node.count` are atomic; 1 is not: a.c:60 (insert); 1 is not and holds that node's `mutex`: \
         a.c:61 (insert)."
    );
    // Where more accesses hold a lock than are atomic, the lock is what is kept to.
    let locked = [own("mutex")];
    assert_eq!(
        of_one_field(finding, &[(61, false, &locked), (62, false, &locked)]),
        "2 of 4 accesses to `node.count` hold that node's `mutex`; 2 hold nothing: a.c:40 (search_node) and :60 (insert)."
    );
}

/// `end` frees what `insert` takes.
fn with_lifecycle(findings: Vec<Finding>, entries: &[[&str; 2]]) -> Report {
    let matrix = entries.iter().map(|entry| MatrixEntry::new(*entry, None)).collect();
    let lifecycle = Lifecycle {
        operation: "end".into(),
        object: "struct node".into(),
        stage: Stage::Ends,
        evidence: "frees it",
        at: "a.c:90".into(),
        others: ["end", "insert"].map(String::from).into(),
        apart: ["struct other".to_owned()].into(),
    };
    let mut report = Report { findings, matrix, lifecycles: vec![lifecycle], ..Report::new("races", Claim::default()) };
    report.finish();
    report
}

/// A race of `end` with `insert`, which shows in these entries of the matrix.
fn of_end(field: &str, lines: (u32, u32), entries: &[usize]) -> Finding {
    let mut finding = Finding { entries: entries.to_vec(), ..on(field, lines.0, (AccessKind::Read, lines.1)) };
    finding.accesses[0].operation = Some("end".into());
    finding.accesses[1].thread = 2;
    finding
}

#[test]
fn what_ends_an_object_is_one_cause_of_callers() {
    let entries = [["end", "insert"], ["insert", "insert"]];
    let variable = |mut finding: Finding| {
        finding.accesses.iter_mut().for_each(|access| access.variable = true);
        finding
    };
    let findings = vec![
        of_end("struct node.key", (91, 60), &[0]),
        of_end("struct node.next[0]", (92, 61), &[0]),
        // The same lines race where nobody ends anything.
        of_end("struct node.value", (93, 62), &[0, 1]),
        variable(of_end("ended", (94, 63), &[0])),
        // Another object that the operation takes.
        of_end("struct other.key", (95, 64), &[0]),
    ];
    let report = with_lifecycle(findings, &entries);
    let expected =
        ["C1 struct node.value R3", "C2 ended R4", "C3 struct other.key R5", "C4 struct node R1 R2"].map(String::from);
    assert_eq!(in_short(&report), expected);
    assert_eq!(report.causes[3].title, "`end` ends a `struct node` while `insert` uses it");
    let contract =
        "`end` frees it at a.c:90, so nobody may use it after. If callers see to that, say so: --exclusive end.";
    assert_eq!(report.causes[3].protection.as_deref(), Some(contract));
    assert!(report.causes.iter().map(|cause| cause.of_callers).eq([false, false, false, true]));
}

#[test]
fn of_one_cause_what_careful_callers_bring_about_is_shown() {
    let entries = [["end", "insert"], ["insert", "insert"]];
    let step = ScheduleStep::default();
    let careful =
        Finding { entries: vec![1], schedule: vec![step; 9], ..on("struct node.value", 63, (AccessKind::Read, 65)) };
    let report = with_lifecycle(vec![of_end("struct node.value", (62, 64), &[0, 1]), careful], &entries);
    assert_eq!(in_short(&report), ["C1 struct node.value R1 R2"]);
    assert_eq!(report.causes[0].representative, "R2");
}

#[test]
fn a_type_has_one_name_whatever_its_pointers_are_declared_to_lead_to() {
    let typedef = on("node.value", 63, (AccessKind::Write, 64));
    let report = finished(vec![on("struct node.value", 63, (AccessKind::Write, 63)), typedef.clone()]);
    let fields: Vec<Option<&str>> = report.causes.iter().map(|cause| cause.field.as_deref()).collect();
    assert_eq!(fields, [Some("struct node.value")]);
    // `struct node node;` is another object.
    let mut variable = typedef.clone();
    variable.accesses.iter_mut().for_each(|access| access.variable = true);
    let report = finished(vec![on("struct node.value", 63, (AccessKind::Write, 63)), variable]);
    assert_eq!(report.causes.len(), 2);
    // Where nobody says `struct`, nobody is told so.
    assert_eq!(finished(vec![typedef]).causes[0].field.as_deref(), Some("node.value"));
}
