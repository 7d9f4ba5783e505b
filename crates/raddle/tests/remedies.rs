//! Patches that `raddle races` tells, applied: to raddle the patched library is safe, and ThreadSanitizer has nothing to say of it.

use std::path::Path;
use std::process::{Command, Output};

const QUEUE: &str = include_str!("../../../tests/ui/remedies/queue.c");
const REFUSED: &str = include_str!("../../../tests/ui/remedies/refused.c");

/// The source, the revision, and what two threads do.
const CASES: [(&str, &str, [&str; 2]); 8] = [
    (QUEUE, "part", ["put(&q)", "size(&q)"]),
    (QUEUE, "test", ["put(&q)", "get(&q)"]),
    (QUEUE, "late", ["put(&q)", "get(&q)"]),
    (QUEUE, "twice", ["put(&q)", "get(&q)"]),
    (QUEUE, "whole", ["put(&q)", "get(&q)"]),
    (QUEUE, "variable", ["use()", "users()"]),
    (REFUSED, "wide", ["put(&q)", "both(&q)"]),
    (REFUSED, "fine", ["put(&q)", "both(&q)"]),
];

/// How often a run without the patch may happen to show no race.
const MOST_RUNS: usize = 20;

const DRIVER: &str = "#include \"lib.c\"
#include <stddef.h>
static struct queue q = { .lock = PTHREAD_MUTEX_INITIALIZER };
static void *one(void *v)
{
    for (int i = 0; i < 20000; i++)
        ONE;
    return v;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, one, NULL);
    for (int i = 0; i < 20000; i++)
        OTHER;
    pthread_join(t, NULL);
    return 0;
}
";

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).current_dir(folder).output().expect("it runs")
}

fn races(folder: &Path, revision: &str) -> (Option<i32>, serde_json::Value) {
    let define = format!("-D{revision}");
    let arguments = ["races", "lib.c", "--format", "json", "--", &define];
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    let output = command.args(arguments).env("RADDLE_STORE", "off").current_dir(folder).output().expect("it runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("a document"))
}

/// Whether ThreadSanitizer reports something in one of so many runs.
fn is_reported(folder: &Path, revision: &str, calls: [&str; 2], runs: usize) -> bool {
    let (define, one, other) =
        (format!("-D{revision}"), format!("-DONE={}", calls[0]), format!("-DOTHER={}", calls[1]));
    let flags = ["-fsanitize=thread", "-g", "-O0", "-pthread", &define, &one, &other, "driver.c", "-o", "driver"];
    let built = run(folder, "clang-22", &flags);
    assert!(built.status.success(), "{revision}: {}", String::from_utf8_lossy(&built.stderr));
    let path = folder.join("driver").display().to_string();
    (0..runs).any(|_| run(folder, &path, &[]).status.code() == Some(66))
}

#[test]
fn patches_apply_and_mend_what_they_are_told_for() {
    for (source, revision, calls) in CASES {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let folder = folder.path();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("writable");
        write("lib.c", source);
        write("driver.c", DRIVER);
        let (code, report) = races(folder, revision);
        assert_eq!(code, Some(10), "{revision}");
        assert!(is_reported(folder, revision, calls, MOST_RUNS), "{revision} races natively");
        for cause in report["causes"].as_array().expect("causes") {
            let remedy = &cause["remedies"][0];
            assert_eq!(remedy["tried"], true, "{revision}: {cause}");
            write("change.patch", remedy["patch"].as_str().unwrap_or_else(|| panic!("{revision}: no patch: {cause}")));
            let patched = run(folder, "patch", &["-p0", "-i", "change.patch"]);
            assert!(patched.status.success(), "{revision}: {}", String::from_utf8_lossy(&patched.stdout));
        }
        let (code, report) = races(folder, revision);
        assert_eq!((code, report["verdict"].as_str()), (Some(0), Some("safe")), "{revision}: {report}");
        assert!(!is_reported(folder, revision, calls, 2), "{revision} is silent with the patch");
    }
}

#[test]
fn nothing_is_tried_where_nobody_asks_and_the_verdict_is_the_same() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("lib.c"), QUEUE).expect("writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["races", "lib.c", "--no-remedies", "--format", "json", "--", "-Dpart"]);
    let output = command.env("RADDLE_STORE", "off").current_dir(folder.path()).output().expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(output.status.code(), Some(10));
    let (_, tried) = races(folder.path(), "part");
    let without = |report: &serde_json::Value| {
        let mut report = report.clone();
        report["stats"] = serde_json::Value::Null;
        report["causes"][0]["remedies"].take();
        report
    };
    assert_eq!(report["causes"][0]["remedies"], serde_json::json!([]));
    assert_eq!(without(&report), without(&tried));
}

#[test]
fn remedies_are_the_same_whatever_the_number_of_workers() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("lib.c"), REFUSED).expect("writable");
    let causes = |workers: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(["races", "lib.c", "--workers", workers, "--format", "json", "--", "-Dwide"]);
        let output = command.env("RADDLE_STORE", "off").current_dir(folder.path()).output().expect("it runs");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
        report["causes"].clone()
    };
    assert_eq!(causes("1"), causes("4"));
}
