use super::{TextOptions, render_text};
use crate::*;
use expect_test::{Expect, expect};

/// Sources by file and line.
pub(crate) struct Lines(pub(crate) &'static [(&'static str, u32, &'static str)]);

impl Sources for Lines {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.0.iter().find(|(f, l, _)| *f == file && *l == line).map(|(_, _, text)| (*text).to_owned())
    }
}

pub(crate) const SKIPLIST: Lines = Lines(&[
    ("skiplist.c", 18, "\twhile (prev[1]->next[0] != NULL)"),
    ("skiplist.c", 24, "\tpthread_mutex_lock(&prev[0]->mutex);"),
    ("skiplist.c", 26, "\tprev[0]->next[0] = node;"),
]);

fn check(report: &Report, sources: &dyn Sources, expected: Expect) {
    check_extent(report, sources, false, expected);
}

/// `full`: all findings whole.
fn check_extent(report: &Report, sources: &dyn Sources, full: bool, expected: Expect) {
    let text = render_text(report, &TextOptions { color: false, width: 100, full, sources });
    let again = render_text(report, &TextOptions { color: false, width: 100, full, sources });
    assert_eq!(text, again);
    let colored = render_text(report, &TextOptions { color: true, width: 100, full, sources });
    assert_eq!(without_escapes(&colored), text, "colour changes more than colour");
    expected.assert_eq(&text);
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

pub(crate) fn location(file: &str, line: u32, column: u32, function: &str) -> Location {
    Location {
        file: file.into(),
        line,
        column,
        function: function.into(),
        stack: vec![format!("{function} {file}:{line}:{column}")],
    }
}

pub(crate) fn step(thread: u32, line: u32, text: &str) -> ScheduleStep {
    ScheduleStep { thread, text: text.into(), file: "skiplist.c".into(), line, ..ScheduleStep::default() }
}

pub(crate) fn field(name: &str, content: Content) -> HeapField {
    HeapField { name: name.into(), content }
}

/// Two names for one node, a cycle, a freed object, and a pointer into the middle of one.
pub(crate) fn heap() -> Heap {
    let root = |name: &str, content| HeapRoot { name: name.into(), content };
    let object = |name: &str, note: Option<&str>, fields| HeapObject {
        name: name.into(),
        r#type: "struct node".into(),
        note: note.map(str::to_owned),
        fields,
    };
    Heap {
        roots: vec![
            root("prev[0]", Content::link("N1")),
            root("prev[1]", Content::link("N1")),
            root("tail", Content::Null),
            root("k", Content::Value("7".into())),
        ],
        objects: vec![
            object(
                "N1",
                None,
                vec![
                    field("key", Content::Value("5".into())),
                    field("next[0]", Content::link("N2")),
                    field("next[1]", Content::link("N1")),
                ],
            ),
            object(
                "N2",
                Some("freed"),
                vec![
                    field("key", Content::Any),
                    field("next[0]", Content::Null),
                    field("hook", Content::Link { object: "N1".into(), inside: Some("next[1]".into()) }),
                ],
            ),
        ],
    }
}

pub(crate) fn race() -> Finding {
    let access = |thread, access, locks: &[&str], location| Access {
        automatic: false,
        variable: false,
        thread,
        operation: Some("insert".into()),
        access,
        atomic: false,
        size: 8,
        place: "N1.next[0]".into(),
        locks: locks.iter().map(|&l| l.to_owned()).collect(),
        location,
        gpu: None,
        field: None,
        guards: Vec::new(),
    };
    Finding {
        confirmed: true,
        shape: Some(ShapeBasis::Assumed),
        inputs: vec![
            Input { name: "k".into(), value: InputValue::Signed(7) },
            Input { name: "buf".into(), value: InputValue::Bytes(vec![0, 255]) },
        ],
        witness: Some("raddle-out/R1.witness.json".into()),
        heap: Some(heap()),
        schedule: vec![
            step(1, 24, "lock N1.mutex"),
            ScheduleStep { access: Some(1), ..step(1, 26, "write N1.next[0] = N3") },
            ScheduleStep { access: Some(2), note: Some("finds N3".into()), ..step(2, 18, "read N1.next[0]") },
        ],
        entries: vec![0],
        ..Finding::race([
            access(1, AccessKind::Write, &["N1.mutex"], location("skiplist.c", 26, 19, "insert")),
            access(2, AccessKind::Read, &[], location("skiplist.c", 18, 9, "insert")),
        ])
    }
}

pub(crate) fn races_report() -> Report {
    let mut report = Report::new("races", Claim { globals: Some("symbolic"), ..Claim::default() });
    report.matrix = vec![
        MatrixEntry::new(["insert", "insert"], None),
        MatrixEntry::new(["insert", "search"], None),
        MatrixEntry::new(["search", "search"], Some("vacuous: no shape survives search alone".into())),
    ];
    report.findings.push(race());
    report.ledger.push(LedgerLine {
        kind: "loop_bound".into(),
        r#where: "skiplist.c:5".into(),
        count: 12,
        remedy: "--unroll 128".into(),
    });
    report.assumptions = vec![
        Assumption {
            kind: "shape_dropped".into(),
            r#where: Some("insert".into()),
            count: Some(40),
            kept: Some(112),
            example: Some("N1.next[0] = N1: relocks N1.mutex".into()),
            detail: String::new(),
        },
        Assumption {
            kind: "environment".into(),
            detail: "allocation and thread creation succeed".into(),
            ..Assumption::default()
        },
    ];
    report.finish();
    report
}

/// Two findings of one cause, and one of another.
fn by_cause() -> Report {
    let mut report = races_report();
    let mut other = race();
    (other.accesses[1].access, other.accesses[1].location) =
        (AccessKind::Write, location("skiplist.c", 24, 2, "insert"));
    other.schedule.insert(0, step(2, 24, "lock N1.mutex"));
    let mut value = race();
    for access in &mut value.accesses {
        access.place = "N2.key".into();
    }
    value.shape = Some(ShapeBasis::Valid);
    let touched = |object, writes, step| ScheduleStep {
        touches: Some(Touches { object, offset: 0, size: 4, writes, synchronises: false }),
        ..step
    };
    value.schedule = vec![
        touched(1, false, step(1, 18, "read N1.next[0]")),
        ScheduleStep { access: Some(1), ..touched(2, true, step(1, 26, "write N2.key")) },
        ScheduleStep { access: Some(2), ..touched(2, false, step(2, 18, "read N2.key")) },
    ];
    report.findings.extend([other, value]);
    report.finish();
    report
}

#[test]
fn each_cause_is_shown_by_one_finding() {
    check(
        &by_cause(),
        &SKIPLIST,
        expect![[r#"
            raddle: 3 data races, from 2 causes (1 valid, 2 assumed)
              C1  one thread writes `struct node.key` while another reads it (R1)
              C2  one thread writes `struct node.next[]` while another reads or writes it (R2, R3)
              Of each cause one finding is shown whole; --full shows all.

            Legend: N1, N2, ... are objects that exist before the threads start; time runs downwards; ▶ marks
                    the two accesses that race: nothing makes one wait for the other; a shape is assumed if it
                    is not known whether callers can build that heap.

            C1: one thread writes `struct node.key` while another reads it
            WARNING: raddle: data race (R1, confirmed by replay, the shape is valid by the given predicate)
              [1] Write of size 8 at N2.key by thread 1 (insert), holding N1.mutex:
                #0 insert skiplist.c:26:19
                   26 |     prev[0]->next[0] = node;
                      |                      ^
              [2] Read of size 8 at N2.key by thread 2 (insert), holding no lock:
                #0 insert skiplist.c:18:9
                   18 |     while (prev[1]->next[0] != NULL)
                      |            ^

              Inputs: k = 7, buf = bytes 00 ff
              Initial heap:
                prev[0], prev[1] ──▶ N1
                tail = null
                k = 7
                ╭─ N1: struct node ─────────────────────────╮   ╭─ N2: struct node (freed) ╮
                │ key     5                                 │   │ key     any              │
                │ next[0] ──▶ N2                            │   │ next[0] null             │
                │ next[1] ──▶ N1 (itself)                   │   │ hook    ──▶ N1.next[1]   │
                │ ◀── prev[0], prev[1], N1.next[1], N2.hook │   │ ◀── N1.next[0]           │
                ╰───────────────────────────────────────────╯   ╰──────────────────────────╯

              Schedule (lines of skiplist.c; a thread runs ahead up to its next step):
                thread 1 (insert)            │ thread 2 (insert)
                26  prev[0]->next[0] = node; │
                ▶ [1] write N2.key           │
                                             │ 18  while (prev[1]->next[0] != NULL)
                                             │ ▶ [2] read N2.key
                (left out: 1 step independent of the other threads; `raddle explain R1` shows all)
              Witness: raddle-out/R1.witness.json
            SUMMARY: raddle: data race skiplist.c:26:19 in insert against skiplist.c:18:9 in insert

            C2: one thread writes `struct node.next[]` while another reads or writes it
            WARNING: raddle: data race (R2, confirmed by replay, the shape is assumed)
              [1] Write of size 8 at N1.next[0] by thread 1 (insert), holding N1.mutex:
                #0 insert skiplist.c:26:19
                   26 |     prev[0]->next[0] = node;
                      |                      ^
              [2] Read of size 8 at N1.next[0] by thread 2 (insert), holding no lock:
                #0 insert skiplist.c:18:9
                   18 |     while (prev[1]->next[0] != NULL)
                      |            ^

              Inputs: k = 7, buf = bytes 00 ff
              Initial heap:
                prev[0], prev[1] ──▶ N1
                tail = null
                k = 7
                ╭─ N1: struct node ─────────────────────────╮   ╭─ N2: struct node (freed) ╮
                │ key     5                                 │   │ key     any              │
                │ next[0] ──▶ N2                            │   │ next[0] null             │
                │ next[1] ──▶ N1 (itself)                   │   │ hook    ──▶ N1.next[1]   │
                │ ◀── prev[0], prev[1], N1.next[1], N2.hook │   │ ◀── N1.next[0]           │
                ╰───────────────────────────────────────────╯   ╰──────────────────────────╯

              Schedule (lines of skiplist.c; a thread runs ahead up to its next step):
                thread 1 (insert)                        │ thread 2 (insert)
                24  pthread_mutex_lock(&prev[0]->mutex); │
                  lock N1.mutex                          │
                26  prev[0]->next[0] = node;             │
                ▶ [1] write N1.next[0] = N3              │
                                                         │ 18  while (prev[1]->next[0] != NULL)
                                                         │ ▶ [2] read N1.next[0] (finds N3)
              Witness: raddle-out/R1.witness.json
            SUMMARY: raddle: data race skiplist.c:26:19 in insert against skiplist.c:18:9 in insert

              1 more finding of C2; `raddle explain R3` shows one whole:
                R3  N1.next[0]: write skiplist.c:26:19 against write :24:2

            Pairs of operations:
              ┌────────┬────────┬──────────────┐
              │        ┆ insert ┆ search       │
              ╞════════╪════════╪══════════════╡
              │ insert ┆ R1-R3  ┆ safe         │
              │ search ┆        ┆ inconclusive │
              └────────┴────────┴──────────────┘
              search with search is inconclusive: vacuous: no shape survives search alone

            Not explored:
              - skiplist.c:5: a loop or recursion was cut off at its bound (loop_bound, 12 times); try --unroll
                128

            Assumed:
              - insert: shapes outside of the precondition dropped (40 of 152, 112 kept)
              - allocation and thread creation succeed

            Took: 0.0 s; 0 MiB
            raddle: 3 data races, from 2 causes (1 valid, 2 assumed)
              there may be more: not all was explored
              searched within: pointer chains of 3 objects, arrays of 2 elements, 2 threads, the same root
                               objects in all threads, 64 iterations of a loop, any number of preemptions,
                               sequential consistency, symbolic globals, 1 spurious wake-up of a wait
              next: `raddle explain R1` shows all of R1, `raddle replay R1` runs it again, `raddle test R1 -o
                    r1.c` makes a C test of it
        "#]],
    );
}

#[test]
fn what_is_asked_for_in_full_has_all_findings() {
    let report = by_cause();
    let full = render_text(&report, &TextOptions { color: false, width: 100, full: true, sources: &SKIPLIST });
    assert_eq!(full.matches("WARNING").count(), 3, "{full}");
    assert!(!full.contains("left out") && !full.contains("Legend"), "{full}");
}

#[test]
fn a_race_with_its_heap_and_schedule() {
    check_extent(
        &races_report(),
        &SKIPLIST,
        true,
        expect![[r#"
            ==================
            WARNING: raddle: data race (R1, confirmed by replay, the shape is assumed)
              [1] Write of size 8 at N1.next[0] by thread 1 (insert), holding N1.mutex:
                #0 insert skiplist.c:26:19
                   26 |     prev[0]->next[0] = node;
                      |                      ^
              [2] Read of size 8 at N1.next[0] by thread 2 (insert), holding no lock:
                #0 insert skiplist.c:18:9
                   18 |     while (prev[1]->next[0] != NULL)
                      |            ^

              Inputs: k = 7, buf = bytes 00 ff

              Initial heap:
                prev[0], prev[1] ──▶ N1
                tail = null
                k = 7
                ╭─ N1: struct node ─────────────────────────╮   ╭─ N2: struct node (freed) ╮
                │ key     5                                 │   │ key     any              │
                │ next[0] ──▶ N2                            │   │ next[0] null             │
                │ next[1] ──▶ N1 (itself)                   │   │ hook    ──▶ N1.next[1]   │
                │ ◀── prev[0], prev[1], N1.next[1], N2.hook │   │ ◀── N1.next[0]           │
                ╰───────────────────────────────────────────╯   ╰──────────────────────────╯

              Schedule (lines of skiplist.c; a thread runs ahead up to its next step):
                thread 1 (insert)                        │ thread 2 (insert)
                24  pthread_mutex_lock(&prev[0]->mutex); │
                  lock N1.mutex                          │
                26  prev[0]->next[0] = node;             │
                ▶ [1] write N1.next[0] = N3              │
                                                         │ 18  while (prev[1]->next[0] != NULL)
                                                         │ ▶ [2] read N1.next[0] (finds N3)

              Witness: raddle-out/R1.witness.json

            SUMMARY: raddle: data race skiplist.c:26:19 in insert against skiplist.c:18:9 in insert
            ==================

            Pairs of operations:
              ┌────────┬────────┬──────────────┐
              │        ┆ insert ┆ search       │
              ╞════════╪════════╪══════════════╡
              │ insert ┆ R1     ┆ safe         │
              │ search ┆        ┆ inconclusive │
              └────────┴────────┴──────────────┘
              search with search is inconclusive: vacuous: no shape survives search alone

            Not explored:
              - skiplist.c:5: a loop or recursion was cut off at its bound (loop_bound, 12 times); try --unroll
                128

            Assumed:
              - insert: shapes outside of the precondition dropped (40 of 152, 112 kept); such as N1.next[0] =
                N1: relocks N1.mutex
              - allocation and thread creation succeed

            Took: 0.0 s; 0 MiB
            raddle: 1 data race (1 assumed)
              there may be more: not all was explored
              searched within: pointer chains of 3 objects, arrays of 2 elements, 2 threads, the same root
                               objects in all threads, 64 iterations of a loop, any number of preemptions,
                               sequential consistency, symbolic globals, 1 spurious wake-up of a wait
              next: `raddle explain R1` shows all of R1, `raddle replay R1` runs it again, `raddle test R1 -o
                    r1.c` makes a C test of it
        "#]],
    );
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let blocked = |thread, holds: &str, waits_for: &str, other, line| Blocked {
        thread,
        holds: vec![holds.into()],
        waits_for: Some(waits_for.into()),
        location: location("table.c", line, 5, "eat"),
        gpu: None,
        operation: None,
        waits_for_threads: vec![other],
    };
    let mut report = Report::new("check", Claim::default());
    report.findings.push(Finding {
        confirmed: true,
        blocked: vec![blocked(1, "fork[0]", "fork[1]", 2, 9), blocked(2, "fork[1]", "fork[0]", 1, 10)],
        detail: "Each thread waits for a lock that the other holds.".into(),
        threads: vec![ThreadName { thread: 1, name: "eat".into() }, ThreadName { thread: 2, name: "eat".into() }],
        schedule: vec![
            ScheduleStep { thread: 1, text: "lock fork[0]".into(), ..ScheduleStep::default() },
            ScheduleStep { thread: 2, text: "lock fork[1]".into(), ..ScheduleStep::default() },
        ],
        ..Finding::new(FindingKind::Deadlock, location("table.c", 9, 5, "eat"))
    });
    report.finish();
    check(
        &report,
        &NoSources,
        expect![[r#"
            raddle: 1 deadlock

            WARNING: raddle: deadlock (R1, confirmed by replay)
              Each thread waits for a lock that the other holds.
              Thread 1 holds fork[0] and waits for fork[1], held by thread 2:
                #0 eat table.c:9:5
              Thread 2 holds fork[1] and waits for fork[0], held by thread 1:
                #0 eat table.c:10:5

              Schedule (a thread runs ahead up to its next step):
                thread 1 (eat) │ thread 2 (eat)
                  lock fork[0] │
                               │   lock fork[1]
            SUMMARY: raddle: deadlock table.c:9:5 in eat, table.c:10:5 in eat

            Took: 0.0 s; 0 MiB
            raddle: 1 deadlock
              searched within: 64 iterations of a loop, any number of preemptions, sequential consistency, 1
                               spurious wake-up of a wait
        "#]],
    );
}

#[test]
fn stages_are_printed_where_they_are_asked_for() {
    let mut report = Report::new("check", Claim::default());
    let stages = SolverStages { constants: 1, cores: 2, model: 3, order: 4, intervals: 5, backend: 6, shown: true };
    report.stats = Stats { solver_stages: stages, ..Stats::default() };
    report.finish();
    let options = TextOptions { color: false, width: 200, full: false, sources: &NoSources };
    let text = render_text(&report, &options);
    let line =
        "Questions about path conditions answered: 1 as constants, 2 as known, 3 by a known assignment, 4 by the";
    assert!(text.contains(line), "{text}");
    report.stats.solver_stages.shown = false;
    assert!(!render_text(&report, &options).contains("Questions"));
}

#[test]
fn safe_is_printed_with_its_bounds_and_assumptions() {
    let mut report = Report::new("races", Claim { preemptions: Some(1), ..Claim::default() });
    report.matrix = vec![MatrixEntry::new(["push", "push"], None)];
    report.stats = Stats { paths: 1, executions: 2, peak_memory_bytes: 1 << 20, ..Stats::default() };
    report.assumptions.push(Assumption {
        kind: "environment".into(),
        detail: "a wait with a time-out may time out at any moment".into(),
        ..Assumption::default()
    });
    report.finish();
    check(
        &report,
        &NoSources,
        expect![[r#"
            Pairs of operations: push with push: safe

            Assumed:
              - a wait with a time-out may time out at any moment

            Explored: 1 path, 2 executions
            Took: 0.0 s; 1 MiB
            raddle: safe
              safe within: 64 iterations of a loop, at most 1 preemption, sequential consistency, 1 spurious
                           wake-up of a wait
        "#]],
    );
}

#[test]
fn a_replay_is_shown_step_by_step() {
    let mut report = Report::new("replay", Claim::default());
    report.findings.push(Finding { heap: None, inputs: Vec::new(), witness: None, ..race() });
    report.finish();
    check(
        &report,
        &SKIPLIST,
        expect![[r#"
            ==================
            WARNING: raddle: data race (R1, confirmed by replay, the shape is assumed)
              [1] Write of size 8 at N1.next[0] by thread 1 (insert), holding N1.mutex:
                #0 insert skiplist.c:26:19
                   26 |     prev[0]->next[0] = node;
                      |                      ^
              [2] Read of size 8 at N1.next[0] by thread 2 (insert), holding no lock:
                #0 insert skiplist.c:18:9
                   18 |     while (prev[1]->next[0] != NULL)
                      |            ^

              Step by step:
                1. thread 1 (insert)  lock N1.mutex
                                      skiplist.c:24  pthread_mutex_lock(&prev[0]->mutex);
                2. thread 1 (insert)  ▶ [1] write N1.next[0] = N3
                                      skiplist.c:26  prev[0]->next[0] = node;
                3. thread 2 (insert)  ▶ [2] read N1.next[0] (finds N3)
                                      skiplist.c:18  while (prev[1]->next[0] != NULL)

            SUMMARY: raddle: data race skiplist.c:26:19 in insert against skiplist.c:18:9 in insert
            ==================

            raddle: reproduced
        "#]],
    );
}

#[test]
fn faults_have_notes_and_a_stack() {
    let mut report = Report::new("check", Claim::default());
    let mut place = location("a.c", 3, 10, "use");
    place.stack.push("main a.c:9:3".into());
    report.findings.push(Finding {
        detail: "The object was freed before.".into(),
        notes: vec![
            Note { text: "Freed by thread 2".into(), location: Some(location("a.c", 7, 3, "drop")) },
            Note { text: "The allocation is 8 bytes long".into(), location: None },
        ],
        ..Finding::new(FindingKind::UseAfterFree, place)
    });
    report.finish();
    check(
        &report,
        &Lines(&[("a.c", 3, "\tint x = *p;")]),
        expect![[r#"
            raddle: 1 use after free

            WARNING: raddle: use after free (R1)
              The object was freed before.
                #0 use a.c:3:10
                   3 |     int x = *p;
                     |             ^
                #1 main a.c:9:3
              Freed by thread 2:
                #0 drop a.c:7:3
              The allocation is 8 bytes long.
            SUMMARY: raddle: use after free a.c:3:10 in use

            Took: 0.0 s; 0 MiB
            raddle: 1 use after free
              searched within: 64 iterations of a loop, any number of preemptions, sequential consistency, 1
                               spurious wake-up of a wait
        "#]],
    );
}

#[test]
fn races_on_one_member_stand_together() {
    let mut report = Report::new("races", Claim::default());
    for line in [1, 2, 3] {
        let mut finding = Finding { heap: None, inputs: Vec::new(), schedule: Vec::new(), ..race() };
        finding.location.line = line;
        for access in &mut finding.accesses {
            access.field = Some(if line == 2 { "struct list.head" } else { "struct node.next[1]" }.into());
        }
        report.findings.push(finding);
    }
    report.finish();
    let text = render_text(&report, &TextOptions { color: false, width: 100, full: true, sources: &NoSources });
    let headings: Vec<_> = text.lines().filter(|l| l.contains("struct node.next[]") || l.contains("WARNING")).collect();
    assert_eq!(headings.len(), 4, "{text}");
    let heading = "C1: one thread writes `struct node.next[]` while another reads it: 2 findings (R1, R3)";
    assert_eq!(headings[0], heading);
    assert!(headings[2].contains("(R3,") && headings[3].contains("(R2,"), "{headings:?}");
}

#[test]
fn several_findings_are_listed_once_more() {
    let mut report = Report::new("races", Claim::default());
    report.matrix = vec![MatrixEntry::new(["insert", "insert"], None)];
    for (kind, automatic) in [(AccessKind::Read, false), (AccessKind::Free, false), (AccessKind::Free, true)] {
        let mut finding = Finding { heap: None, inputs: Vec::new(), schedule: Vec::new(), witness: None, ..race() };
        (finding.accesses[1].access, finding.accesses[1].automatic) = (kind, automatic);
        report.findings.push(finding);
    }
    report
        .findings
        .push(Finding { entries: vec![0], ..Finding::new(FindingKind::UseAfterFree, location("a.c", 3, 9, "f")) });
    report.finish();
    let text = render_text(&report, &TextOptions { color: false, width: 100, full: true, sources: &NoSources });
    let list: Vec<_> = text.lines().skip_while(|l| *l != "Findings:").take_while(|l| !l.starts_with("  └")).collect();
    let expected = expect![[r#"
        Findings:
          R1  data race       N1.next[0]: write skiplist.c:26:19 against read :18:9
          R2  data race       N1.next[0]: write skiplist.c:26:19 against free :18:9
          R3  data race       N1.next[0]: write skiplist.c:26:19 against end :18:9
          R4  use after free  a.c:3:9

        Pairs of operations:
          ┌────────┬────────┐
          │        ┆ insert │
          ╞════════╪════════╡
          │ insert ┆ R1-R4  │"#]];
    expected.assert_eq(&list.join("\n"));
    assert!(text.contains("[2] Free of N1 by thread 2 (insert), holding no lock:\n"), "{text}");
    assert!(text.contains("[2] End of N1 by thread 2 (insert), holding no lock:\n"), "{text}");
}

#[test]
fn what_others_wrote_does_not_steer_the_terminal() {
    let error = |message: &str, file: Option<&str>, line| ErrorReport {
        message: message.into(),
        file: file.map(str::to_owned),
        line,
        ..ErrorReport::default()
    };
    let shown = |error| {
        render_text(
            &Report::failed("check", error),
            &TextOptions { color: false, width: 100, full: false, sources: &NoSources },
        )
    };
    assert_eq!(shown(error("\x1b[2Jx", None, None)), "raddle: error: \\x1b[2Jx\n");
    // A place that the message does not have is put before it.
    assert_eq!(shown(error("bad type", Some("a.ll"), Some(3))), "raddle: error: a.ll:3: bad type\n");
    assert_eq!(shown(error("bad type", Some("a.ll"), None)), "raddle: error: a.ll: bad type\n");
    assert_eq!(shown(error("a.ll:3:1: bad", Some("a.ll"), Some(3))), "raddle: error: a.ll:3:1: bad\n");

    let mut report = Report::new("check", Claim::default());
    report.findings.push(Finding::new(FindingKind::Assertion, location("a.c", 1, 7, "f")));
    report.finish();
    let sources = Lines(&[("a.c", 1, "/*\x1b*/ assert(0);")]);
    let text = render_text(&report, &TextOptions { color: false, width: 100, full: false, sources: &sources });
    assert!(text.contains("1 | /*\\x1b*/ assert(0);\n") && text.contains("|          ^\n"), "{text}");
}

#[test]
fn a_narrow_page_wraps_the_schedule() {
    let report = races_report();
    let text = render_text(&report, &TextOptions { color: false, width: 60, full: false, sources: &SKIPLIST });
    let schedule = text.lines().skip_while(|l| !l.contains("Schedule (")).take_while(|l| !l.contains("Witness"));
    let schedule: Vec<&str> = schedule.skip(1).collect();
    assert!(schedule.len() > 5, "{text}");
    for line in schedule {
        assert!(super::page::width(line) <= 64, "{line}");
    }
}

#[test]
fn an_error_is_one_message() {
    let error = ErrorReport { kind: "missing_file".into(), message: "a.c: no such file".into(), ..Default::default() };
    check(
        &Report::failed("check", error),
        &NoSources,
        expect![[r#"
        raddle: error: a.c: no such file
    "#]],
    );
}

#[test]
fn json_has_the_fields_of_the_contract_in_their_order() {
    let json = render_json(&races_report());
    let value: serde_json::Value = serde_json::from_str(&json).expect("valid JSON");
    for path in [
        "/tool/version",
        "/claim/preemptions",
        "/findings/0/tsan_confirmed",
        "/findings/0/location/stack/0",
        "/findings/0/accesses/1/column",
        "/findings/0/accesses/0/stack/0",
        "/matrix/0/cause",
        "/ledger/0/where",
        "/assumptions/0/kept",
        "/stats/solver_time_s",
        "/error",
    ] {
        assert!(value.pointer(path).is_some(), "{path} is missing");
    }
    let order = |keys: &[&str]| {
        let places: Vec<_> = keys.iter().map(|k| json.find(&format!("\"{k}\":"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{keys:?}: {places:?}");
    };
    order(&["schema", "tool", "command", "verdict", "claim", "findings", "matrix", "ledger", "assumptions", "stats"]);
    order(&["id", "kind", "confirmed", "tsan_confirmed", "shape", "location", "accesses", "inputs", "witness"]);
    order(&["thread", "operation", "access", "atomic", "size", "place", "locks"]);
    assert_eq!(value["findings"][0]["inputs"][1]["value"], serde_json::json!([0, 255]));
    assert_eq!(value["error"], serde_json::Value::Null);
    assert!(value["findings"][0].get("entries").is_none());
}

#[test]
fn a_wide_matrix_names_what_was_found_and_counts_the_rest() {
    let names: Vec<String> = (0..40).map(|n| format!("op_{n}")).collect();
    let mut report = Report::new("races", Claim::default());
    for (row, first) in names.iter().enumerate() {
        for (column, second) in names.iter().enumerate().skip(row) {
            let cause = (row >= 20).then(|| format!("time at {first} and {second}"));
            let cause = if (row, column) == (3, 3) { Some("op_3 is vacuous".to_owned()) } else { cause };
            report.matrix.push(MatrixEntry::new([first, second], cause));
        }
    }
    let race = Finding::new(FindingKind::DataRace, Location { file: "a.c".into(), line: 1, ..Location::default() });
    report.findings = vec![Finding { entries: vec![1], ..race }];
    report.finish();
    let text = render_text(&report, &TextOptions { color: false, width: 100, full: false, sources: &NoSources });
    let matrix: Vec<&str> = text.lines().filter(|line| line.contains("others") || line.contains("op_")).collect();
    // 820 pairs: one with a race, one that is vacuous, 210 for which time ran out.
    let expected = [
        "  │ op_0     ┆ op_1     ┆ R1 │",
        "  1 other: inconclusive",
        "  210 others: inconclusive, time ran out (time)",
        "  608 others: safe",
    ];
    let shown: Vec<&str> = text.lines().filter(|line| expected.contains(line)).collect();
    assert_eq!(shown, expected, "{text}");
    assert_eq!(matrix.len(), 3, "{text}");
    assert!(render_html(&report, "a.c", &NoSources).contains("608 others: safe"));
}
