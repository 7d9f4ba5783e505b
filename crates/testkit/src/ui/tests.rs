//! The directives, the comparison and the runner against reports that are right, wrong in one way, and no reports.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::run::is_sampled;
use super::{Expectations, RunError, Runner, TestFile, compare, discover, load, parse};

fn parsed(text: &str) -> TestFile {
    parse("t.c", text).expect("the test file parses")
}

fn expectations(text: &str, revision: Option<&str>) -> Expectations {
    let mut expected = Expectations::default();
    parsed(text).expect_into("t.c", revision, &mut expected).expect("the expectations are complete");
    expected
}

fn error(text: &str) -> String {
    let file = match parse("t.c", text) {
        Ok(file) => file,
        Err(error) => return error.to_string(),
    };
    file.expect_into("t.c", None, &mut Expectations::default()).expect_err("an error").to_string()
}

fn report(verdict: &str, findings: Value) -> Value {
    json!({
        "schema": "raddle-report/1", "tool": { "name": "raddle", "version": "0.1.0" }, "command": "check",
        "verdict": verdict, "claim": {}, "findings": findings, "matrix": [], "ledger": [], "assumptions": [],
        "stats": { "paths": 1, "executions": 2, "shapes": 1, "solver_time_s": 0.0, "wall_time_s": 0.1 }, "error": null
    })
}

fn race(id: &str, one: (&str, u32), other: (&str, u32)) -> Value {
    let access = |(kind, line): (&str, u32)| json!({ "access": kind, "file": "some/where/t.c", "line": line });
    json!({
        "id": id, "kind": "data_race", "confirmed": true, "shape": "assumed",
        "location": { "file": "t.c", "line": one.1 }, "accesses": [access(one), access(other)], "inputs": [],
        "witness": "out/R1.witness.json"
    })
}

fn located(id: &str, kind: &str, line: u32) -> Value {
    json!({
        "id": id, "kind": kind, "confirmed": true, "location": { "file": "t.c", "line": line }, "accesses": [],
        "inputs": [ { "name": "k", "value": 7 } ], "witness": "out/R1.witness.json"
    })
}

/// The differences that `text`, as a test file, has from `report`.
fn differences(text: &str, report: Value, exit: i32) -> Vec<String> {
    let report = serde_json::from_value(report).expect("the report parses");
    compare(&expectations(text, None), &report, exit).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn passes(text: &str, findings: Value) {
    assert_eq!(differences(text, report("findings", findings), 10), Vec::<String>::new());
}

/// Exactly one difference, which contains `part`.
#[track_caller]
fn fails(text: &str, findings: Value, part: &str) {
    let found = differences(text, report("findings", findings), 10);
    assert!(found.len() == 1 && found[0].contains(part), "{found:#?}");
}

#[test]
fn directives_depend_on_the_revision() {
    let text = "//@ run: races --op f\n//@ revisions: a b\n//@[b] flags: --memory=sc --depth 2\n//@ clang: -std=c11\n\
                //@ timeout: 9\nint x; //~[a] RACE write/write\n//~[b] SAFE executions=3\n";
    let file = parsed(text);
    assert_eq!(file.run, ["races", "--op", "f"]);
    assert_eq!(
        (file.revisions.as_slice(), file.timeout_seconds),
        (["a".to_owned(), "b".to_owned()].as_slice(), Some(9))
    );
    assert_eq!(file.flags(Some("a")), Vec::<String>::new());
    assert_eq!(file.flags(Some("b")), ["--memory=sc", "--depth", "2"]);
    assert_eq!(file.clang_flags(Some("a")), ["-std=c11"]);
    assert_eq!(expectations(text, Some("a")).verdict(), "findings");
    let safe = expectations(text, Some("b"));
    assert_eq!((safe.verdict(), safe.exit_code(), safe.executions), ("safe", 0, Some(3)));
}

#[test]
fn what_is_not_understood_is_an_error() {
    for (text, part) in [
        ("//@ ran: check", "1: unknown directive `ran`"),
        ("\n//@ run check", "2: expected `key: value`"),
        ("//@ run: check\n//@ run: check", "2: a second `run`"),
        ("//@ run: check\nx; //~ RASE", "2: unknown annotation `RASE`"),
        ("x; //~ assertion", "unknown annotation `assertion`"),
        ("x; //~ DATA_RACE", "unknown annotation `DATA_RACE`"),
        ("x; //~", "unknown annotation ``"),
        ("x; //~ RACE writes", "unknown access `writes`"),
        ("x; //~ RACE write with", "cannot read"),
        ("x; //~ RACE write by 3", "cannot read"),
        ("x; //~ RACE write/read/free", "cannot read"),
        ("x; //~ RACE@a write/read", "an end with a label"),
        ("x; //~ RACE@a write", "1: the pair `a` has 1 end(s)"),
        ("x; //~ RACE@a\ny; //~ RACE@a\nz; //~ RACE@a", "the pair `a` has 3 end(s)"),
        ("x; //~ ASSERTION@a", "takes no label"),
        ("x; //~ ASSERTION input=k", "`ASSERTION` has no `input=k`"),
        ("//~ SAFE ledger=x", "`SAFE` has no `ledger`"),
        ("//~ SAFE executions=many", "is no count"),
        ("//~^ SAFE", "points above the file"),
        ("//~ VACUOUS", "expected an operation"),
        ("//~ ERROR", "needs a part of the message"),
        ("//@ run: check\n//@ revisions: a\n//~[b] SAFE", "3: unknown revision `b`"),
        ("//@ run: check\n//@[a] flags: --x", "2: unknown revision `a`"),
        ("//@[a] run: check", "cannot depend on the revision"),
    ] {
        let message = error(text);
        assert!(message.contains(part), "`{text}` gives `{message}`");
    }
}

#[test]
fn a_pair_is_exact() {
    let text = "x = 1; //~ RACE@p write\ny = x; //~ RACE@p read\n";
    passes(text, json!([race("R1", ("write", 1), ("read", 2))]));
    passes(text, json!([race("R1", ("read", 2), ("write", 1))]));
    let wrong_kind = differences(text, report("findings", json!([race("R1", ("write", 1), ("write", 2))])), 10);
    assert_eq!(wrong_kind.len(), 2, "one unexpected, one missing: {wrong_kind:#?}");
    let extra = json!([race("R1", ("write", 1), ("write", 1)), race("R2", ("write", 1), ("read", 2))]);
    fails(text, extra, "unexpected: R1 data_race write at t.c:1 against write at t.c:1");
    let extra = json!([race("R1", ("write", 1), ("read", 2)), located("R2", "assertion", 2)]);
    fails(text, extra, "unexpected: R2 assertion at t.c:2");
}

#[test]
fn an_unmet_pair_fails() {
    let text = "x++; //~ RACE read/write //~ RACE write/write\n";
    passes(text, json!([race("R1", ("read", 1), ("write", 1)), race("R2", ("write", 1), ("write", 1))]));
    fails(text, json!([race("R1", ("read", 1), ("write", 1))]), "missing: data_race write at t.c:1 against write at");
    let by_line = "a;\nx = 1; //~ RACE write/read with 1\n";
    passes(by_line, json!([race("R1", ("read", 1), ("write", 2))]));
    let by_file = "x = 1; //~ RACE write/read with t.c:9\n";
    passes(by_file, json!([race("R1", ("read", 9), ("write", 1))]));
    let found = differences(by_file, report("findings", json!([race("R1", ("read", 8), ("write", 1))])), 10);
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
fn a_bare_line_needs_both_lines_covered() {
    let both = "x = 1; //~ RACE\ny = x; //~ RACE read\n";
    passes(both, json!([race("R1", ("write", 1), ("read", 2))]));
    fails("x = 1; //~ RACE\n", json!([race("R1", ("write", 1), ("read", 2))]), "unexpected");
    let third = "x = 1; //~ RACE\ny = x; //~ RACE\nz = x; //~ RACE\n";
    fails(third, json!([race("R1", ("write", 1), ("read", 2))]), "missing: data_race with access at t.c:3");
}

#[test]
fn other_findings_stand_at_their_line() {
    let text = "\nassert(x);\n//~^ ASSERTION inputs=k\n";
    passes(text, json!([located("R1", "assertion", 2)]));
    fails("\n\nx; //~^^ ASSERTION inputs=k,j\n", json!([located("R1", "assertion", 1)]), "no input `j`");
    let elsewhere = differences(text, report("findings", json!([located("R1", "assertion", 1)])), 10);
    assert_eq!(elsewhere.len(), 2, "{elsewhere:#?}");
    let other_kind = differences(text, report("findings", json!([located("R1", "double_free", 2)])), 10);
    assert_eq!(other_kind.len(), 2, "{other_kind:#?}");
}

#[test]
fn a_deadlock_stands_where_a_thread_waits() {
    let text = "lock(a); //~ DEADLOCK\n";
    let mut deadlock = located("R1", "deadlock", 7);
    deadlock["blocked"] =
        json!([{ "location": { "file": "t.c", "line": 7 } }, { "location": { "file": "t.c", "line": 1 } }]);
    passes(text, json!([deadlock.clone()]));
    deadlock["blocked"][1]["location"]["line"] = json!(2);
    assert_eq!(differences(text, report("findings", json!([deadlock])), 10).len(), 2);
}

#[test]
fn verdict_exit_code_and_counts_are_compared() {
    let safe = || report("safe", json!([]));
    assert!(differences("//~ SAFE executions=2 paths=1 shapes=1", safe(), 0).is_empty());
    assert_eq!(differences("//~ SAFE executions=3", safe(), 0), ["executions: 2, expected 3"]);
    assert_eq!(differences("//~ SAFE", safe(), 10), ["exit code 10, expected 0"]);
    assert_eq!(differences("//~ SAFE", report("inconclusive", json!([])), 5).len(), 3);
    let mut with_ledger = safe();
    with_ledger["ledger"] = json!([{ "kind": "loop_bound", "where": "t.c:5" }]);
    assert_eq!(differences("//~ SAFE", with_ledger.clone(), 0), ["`safe` with a ledger: loop_bound (t.c:5)"]);
    with_ledger["verdict"] = json!("inconclusive");
    with_ledger["ledger"][0]["remedy"] = json!("--unroll 8");
    let says = |remedy: &str| {
        differences(
            &format!("//~ INCONCLUSIVE\n\n\n//~^ REMEDY {remedy}\n\n//~^ REMEDY {remedy}"),
            with_ledger.clone(),
            5,
        )
    };
    assert_eq!(says("8").len(), 1);
    assert_eq!(says("9").len(), 2);
    assert!(differences("//~ INCONCLUSIVE ledger=loop_bound", with_ledger.clone(), 5).is_empty());
    assert_eq!(differences("//~ INCONCLUSIVE ledger=loop_bound,weak_memory", with_ledger, 5).len(), 1);
    let race = || report("findings", json!([race("R1", ("write", 1), ("write", 1))]));
    assert!(differences("x; //~ RACE\n//~ FINDINGS executions=2 shape=assumed", race(), 10).is_empty());
    assert_eq!(differences("x; //~ RACE\n//~ FINDINGS shape=valid", race(), 10).len(), 1);
}

#[test]
fn what_is_not_confirmed_is_counted_apart() {
    let open = |id: &str, line: u32| {
        let mut finding = race(id, ("write", line), ("write", line));
        finding["confirmed"] = json!(false);
        finding
    };
    let text = "x; //~ RACE write/write\n//~ INCONCLUSIVE unconfirmed=1";
    let alone = report("inconclusive", json!([open("R1", 1)]));
    assert_eq!(differences(text, alone, 5), Vec::<String>::new());
    let confirmed = differences(text, report("findings", json!([race("R1", ("write", 1), ("write", 1))])), 10);
    assert!(
        confirmed.iter().any(|said| said.contains("0 findings that are not confirmed, expected 1")),
        "{confirmed:#?}"
    );
    let both = "x; //~ RACE write/write\ny; //~ RACE write/write\n//~ FINDINGS unconfirmed=1";
    passes(both, json!([race("R1", ("write", 1), ("write", 1)), open("R2", 2)]));
}

#[test]
fn a_report_that_breaks_the_contract_fails() {
    let text = "x; //~ RACE write/write";
    let good = race("R1", ("write", 1), ("write", 1));
    let mut bad = good.clone();
    bad["id"] = json!("R2");
    fails(text, json!([bad]), "finding 1 has the id `R2`");
    let mut open = good.clone();
    open["confirmed"] = json!(false);
    let said = differences(text, report("findings", json!([open])), 10);
    assert!(said.iter().any(|said| said.contains("findings that are not confirmed, expected 0")), "{said:#?}");
    let mut assertion = located("R1", "assertion", 1);
    assertion["accesses"] = good["accesses"].clone();
    fails("x; //~ ASSERTION", json!([assertion]), "2 accesses");
    let mut no_ledger = report("safe", json!([]));
    no_ledger.as_object_mut().expect("an object").remove("ledger");
    assert!(serde_json::from_value::<super::Report>(no_ledger).is_err());
}

#[test]
fn matrix_and_dropped_shapes() {
    let mut report = report("inconclusive", json!([]));
    report["matrix"] = json!([
        { "operations": ["f", "f"], "verdict": "safe", "findings": [], "cause": null },
        { "operations": ["f", "g"], "verdict": "inconclusive", "findings": [], "cause": "vacuous: g" }
    ]);
    report["assumptions"] =
        json!([{ "kind": "shape_dropped", "where": "g" }, { "kind": "fails_serially", "where": "f and g" }]);
    let text =
        "//~ VACUOUS g\n//~ PAIR f f safe\n//~ PAIR g f inconclusive\n//~ DROPPED g\n//~ FAILS_SERIALLY f and g\n";
    assert_eq!(differences(text, report.clone(), 5), Vec::<String>::new());
    let text = "//~ VACUOUS f\n//~ PAIR f f findings\n//~ DROPPED f\n//~ FAILS_SERIALLY g and g";
    assert_eq!(differences(text, report.clone(), 5).len(), 3);
    let text = "//~ VACUOUS g\n//~ DROPPED g for want of depth";
    assert_eq!(differences(text, report.clone(), 5).len(), 1);
    report["assumptions"][0]["detail"] = json!("shapes dropped: try a larger --depth");
    assert_eq!(differences(text, report, 5), Vec::<String>::new());
}

#[test]
fn the_matrix_agrees_with_the_findings() {
    let mut report = report("findings", json!([race("R1", ("write", 1), ("write", 1))]));
    report["command"] = json!("races");
    let cell = |verdict: &str, findings: Value| json!([{ "operations": ["f", "f"], "verdict": verdict, "findings": findings, "cause": null }]);
    let text = "x; //~ RACE write/write\n//~ PAIR f f findings";
    report["matrix"] = cell("findings", json!(["R1"]));
    assert_eq!(differences(text, report.clone(), 10), Vec::<String>::new());
    report["matrix"] = cell("findings", json!([]));
    assert_eq!(differences(text, report.clone(), 10).len(), 2);
    report["matrix"] = cell("safe", json!(["R1"]));
    assert_eq!(differences(text, report, 10).len(), 2);
}

#[test]
fn errors_stand_at_their_line() {
    let text = "int x //~ ERROR expected ';'\n";
    let mut report = report("error", json!([]));
    report["error"] =
        json!({ "kind": "compile", "message": "t.c:1:6: error: expected ';' after", "file": "t.c", "line": 1 });
    assert!(differences(text, report.clone(), 2).is_empty());
    assert_eq!(differences(text, report.clone(), 6).len(), 1);
    report["error"]["line"] = json!(2);
    assert_eq!(differences(text, report, 2).len(), 1);
}

/// A directory with `t.c`, and a program that stands for raddle: the shell script `script`.
fn setting(text: &str, script: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(directory.path().join("topic")).expect("a directory");
    fs::write(directory.path().join("topic/t.c"), text).expect("a file");
    let program = directory.path().join("fake");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    (directory, program)
}

#[test]
fn the_runner_passes_flags_and_judges() {
    let text = "//@ run: check --unroll 3\n//@ revisions: one two\n//@[two] flags: --memory=sc\nx; //~[one] RACE write/write\n\
                //~[two] SAFE executions=2\n";
    let safe = report("safe", json!([]));
    let mut racy = report("findings", json!([race("R1", ("write", 4), ("write", 4))]));
    racy["findings"][0]["witness"] = json!("t.c");
    // The file stands in for the witness: only its presence is asked for.
    // How the run asks to come to its results stands before `--format`.
    let script = format!(
        "case \"$*\" in\n'check t.c --unroll 3 '*'--format json --out '*' -- -Done') echo '{racy}'; exit 10;;\n\
         'check t.c --unroll 3 --memory=sc '*'--format json --out '*' -- -Dtwo') echo '{safe}'; exit 0;;\n\
         *'--format text'*) echo \"done in 0.5 s\";;\n'replay '*/topic/t.c) exit 10;;\n*) echo \"$*\" >&2; exit 6;;\nesac"
    );
    let (directory, program) = setting(text, &script);
    let cases = discover(directory.path()).expect("two cases");
    let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["topic/t.c#one", "topic/t.c#two"]);
    let runner = Runner::new(&program, false, None).expect("the program is there");
    for case in &cases {
        assert_eq!(runner.judge(case).expect("a report"), Vec::<String>::new(), "{}", case.name);
    }
    // A witness that does not lead to the failure any more.
    let (other, fails) = setting(text, &script.replace("exit 10;;\n*)", "exit 5;;\n*)"));
    let cases_there = discover(other.path()).expect("two cases");
    let judged = Runner::new(&fails, false, None).expect("the program is there").judge(&cases_there[0]);
    assert_eq!(judged.expect("a report"), ["replaying t.c: exit code 5"]);
    let blessing = Runner::new(&program, true, None).expect("the program is there");
    assert!(blessing.judge(&cases[1]).expect("a report").is_empty());
    let snapshot = directory.path().join("topic/t.c.two.stdout");
    assert_eq!(fs::read_to_string(&snapshot).expect("blessed"), "done in _ s\n");
    assert!(runner.judge(&cases[1]).expect("a report").is_empty());
    fs::write(&snapshot, "done in two steps\n").expect("a file");
    assert_eq!(runner.judge(&cases[1]).expect("a report").len(), 1);
}

#[test]
fn with_summaries_of_all_calls_all_is_the_same() {
    let text = "//@ run: check\n//~ SAFE executions=2\n";
    let (safe, mut other) = (report("safe", json!([])), report("safe", json!([])));
    other["stats"]["executions"] = json!(3);
    let script = |summarised: &Value| {
        format!("case \"$*\" in\n*'--summaries always'*) echo '{summarised}';;\n*) echo '{safe}';;\nesac")
    };
    let judge = |script: &str| {
        let (directory, program) = setting(text, script);
        let mut cases = discover(directory.path()).expect("a case");
        let names = (0..).map(|number| format!("{number}"));
        cases[0].name = names.into_iter().find(|name| is_sampled(name)).expect("one in six");
        let runner = Runner::new(&program, false, None).expect("the program is there");
        runner.judge(&cases[0]).expect("a report")
    };
    assert!(judge(&script(&safe)).is_empty());
    let differences = judge(&script(&other));
    assert!(matches!(&differences[..], [only] if only.starts_with("with summaries of all calls")), "{differences:?}");
}

#[test]
fn a_run_without_a_report_is_an_error() {
    let text = "//@ run: check\n//@ timeout: 1\n//~ SAFE\n";
    let judge = |script: &str| {
        let (directory, program) = setting(text, script);
        let cases = discover(directory.path()).expect("a case");
        Runner::new(&program, false, None).expect("the program is there").judge(&cases[0])
    };
    assert!(matches!(judge("echo panicked >&2; exit 6"), Err(RunError::NoReport { exit: 6, .. })));
    assert!(matches!(judge("kill -9 $$"), Err(RunError::Signal { .. })));
    assert!(matches!(judge("exec sleep 20"), Err(RunError::TimedOut(_))));
    assert!(matches!(Runner::new(Path::new("/nonexistent/raddle"), false, None), Err(RunError::Missing(_))));
}

#[test]
fn a_file_must_expect_something_of_each_revision() {
    for (text, part) in [
        ("//@ run: check\n", "expects nothing"),
        ("//@ run: check\n//@ revisions: a b\n//~[a] SAFE\n", "revision `b` expects nothing"),
        ("//~ SAFE\n", "no `run:`"),
        ("//@ run: check\n//@ also: auxiliary/none.c\n//~ SAFE\n", "none.c"),
    ] {
        let (directory, _) = setting(text, "");
        let message = load(directory.path(), &directory.path().join("topic/t.c")).expect_err("an error").to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn expectations_of_accompanying_files_count() {
    let text = "//@ run: check\n//@ also: auxiliary/o.c auxiliary/o.h\nx; //~ RACE@p write\n";
    let (directory, _) = setting(text, "");
    let auxiliary = directory.path().join("topic/auxiliary");
    fs::create_dir(&auxiliary).expect("a directory");
    fs::write(auxiliary.join("o.c"), "\ny; //~ RACE@p read\n").expect("a file");
    fs::write(auxiliary.join("o.h"), "z; //~ ASSERTION\n").expect("a file");
    // The ends of one pair may not stand in two files: each file's labels are its own.
    assert!(discover(directory.path()).is_err());
    fs::write(auxiliary.join("o.c"), "\ny; //~ RACE read/write with t.c:3\n").expect("a file");
    fs::write(directory.path().join("topic/t.c"), text.replace("RACE@p write", "RACE")).expect("a file");
    let cases = discover(directory.path()).expect("one case");
    assert_eq!(cases[0].arguments, ["check", "t.c", "auxiliary/o.c", "--no-remedies"]);
    assert_eq!((cases[0].expectations.races.len(), cases[0].expectations.others.len()), (2, 1));
}
