//! `check --violation-witness`: the first finding in the form of SV-COMP's witnesses, version 2.2.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// The schema as the format is described in the publications that `witness::sequence` names.
const SCHEMA: &str = include_str!("violation.json");

const PROGRAM: &str = r#"extern int __VERIFIER_nondet_int(void);
# 1 "/usr/include/pthread.h" 1 3 4
typedef unsigned long pthread_t; typedef union { char bytes[40]; long align; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
# 40 "dir/b.c" 2
pthread_mutex_t m;
int x, y;
void *f(void *p)
{
    int n = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m); x = n;
    pthread_mutex_unlock(&m);
    if (n == -42)
        y = 1;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&m);
    int z = x;
    pthread_mutex_unlock(&m);
    y = z;
    pthread_join(t, 0);
    return 0;
}
"#;

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .env("RADDLE_STORE", "off")
        .current_dir(folder)
        .args(arguments)
        .args(["--violation-witness", "w.yml"])
        .output()
        .expect("raddle runs")
}

/// The content: of each segment the waypoints as kind, line, column, thread, constraint.
fn content(folder: &Path) -> (Value, Vec<Value>) {
    let text = std::fs::read_to_string(folder.join("w.yml")).expect("it was written");
    let document: Value = serde_saphyr::from_str(&text).expect("YAML");
    let schema = serde_json::from_str(SCHEMA).expect("our own schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    let point = |step: &Value| {
        let (point, at) = (&step["waypoint"], &step["waypoint"]["location"]);
        json!([point["type"], at["line"], at["column"], point["thread_id"], point["constraint"]["value"]])
    };
    let segments = document[0]["content"].as_array().expect("a list").iter();
    let segments = segments.map(|segment| segment["segment"].as_array().expect("a list").iter().map(point).collect());
    (document[0]["metadata"]["task"].clone(), segments.collect())
}

#[test]
fn a_race_is_two_targets_behind_what_leads_there() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("b.i"), PROGRAM).expect("writable");
    std::fs::write(folder.path().join("p.prp"), "CHECK( init(main()), LTL(G ! data-race) )\n\n").expect("writable");
    let output = raddle(folder.path(), &["check", "b.i", "--property", "p.prp"]);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let (task, segments) = content(folder.path());
    assert_eq!(task["specification"], "CHECK( init(main()), LTL(G ! data-race) )");
    assert_eq!((&task["data_model"], &task["input_files"]), (&json!("LP64"), &json!(["b.i"])));
    // Lines are those of the file, whatever its markers call them.
    let targets = segments.last().expect("a segment").as_array().expect("a list");
    let mut ends: Vec<Value> = targets.iter().map(|target| json!([target[1], target[2], target[3]])).collect();
    ends.sort_by_key(|end| end[0].as_u64());
    assert_eq!(ends, [json!([15, 9, 1]), json!([25, 5, 0])]);
    let has = |point: Value| segments.iter().any(|segment| segment[0] == point);
    assert!(has(json!(["function_enter", 21, 31, 0, null])), "the thread: {segments:#?}");
    assert!(has(json!(["function_return", 11, 35, 1, "\\result == -42"])), "the input: {segments:#?}");
    assert!(has(json!(["function_return", 12, 26, 1, "\\result == 0"])), "the lock: {segments:#?}");
    let first = |kind: &str| segments.iter().position(|segment| segment[0][0] == kind);
    assert!(first("function_enter") < first("function_return"), "first the thread is created: {segments:#?}");
}

#[test]
fn nothing_is_said_of_what_hangs_on_one_of_the_accesses() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let passing = PROGRAM.replace("    if (n == -42)\n", "    if (__atomic_load_n(&x, 0) == 7)\n");
    let passing = passing.replace("x = n;", "(void)n;").replace("    y = z;", "    y = 2; __atomic_store_n(&x, 7, 0);");
    let passing = passing.replace("    int z = x;\n", "\n");
    std::fs::write(folder.path().join("b.i"), passing).expect("writable");
    let output = raddle(folder.path(), &["check", "b.i", "--property", "data-race"]);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stdout));
    let (_, segments) = content(folder.path());
    // The thread writes once it has seen what `main` stores behind its own write, for which there is no segment.
    let ends: Vec<&Value> =
        segments.last().and_then(Value::as_array).expect("a list").iter().map(|end| &end[1]).collect();
    assert_eq!((ends.len(), ends.contains(&&json!(15)), ends.contains(&&json!(25))), (2, true, true), "{segments:#?}");
    let lines: Vec<&Value> = segments.iter().map(|segment| &segment[0][1]).collect();
    assert!(!lines[..lines.len() - 1].contains(&&json!(14)), "the load comes behind the first access: {segments:#?}");
}

#[test]
fn a_failure_is_one_target_of_its_thread() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let failing =
        PROGRAM.replace("y = 1;", "reach_error();").replace("void *f(", "void reach_error(void) {}\nvoid *f(");
    let failing = failing.replace("    y = z;", "    (void)z;");
    std::fs::write(folder.path().join("b.i"), failing).expect("writable");
    let property = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    std::fs::write(folder.path().join("p.prp"), property).expect("writable");
    let output = raddle(folder.path(), &["check", "b.i", "--property", "p.prp"]);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stdout));
    let (task, segments) = content(folder.path());
    assert_eq!(task["specification"], "CHECK( init(main()), LTL(G ! call(reach_error())) )");
    assert_eq!(segments.last(), Some(&json!([["target", 16, 9, 1, null]])));
}

#[test]
fn where_there_is_nothing_to_write_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let left = || folder.path().join("w.yml").exists();
    std::fs::write(folder.path().join("w.yml"), "old").expect("writable");
    std::fs::write(folder.path().join("b.i"), PROGRAM.replace("y = 1;", "")).expect("writable");
    let output = raddle(folder.path(), &["check", "b.i"]);
    assert_eq!((output.status.code(), left()), (Some(0), false));

    std::fs::write(folder.path().join("w.yml"), "old").expect("writable");
    let stuck = PROGRAM.replace("pthread_mutex_unlock(&m);\n    if", "if").replace("y = 1;", "");
    std::fs::write(folder.path().join("b.i"), stuck).expect("writable");
    let output = raddle(folder.path(), &["check", "b.i", "--property", "deadlock"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), left()), (Some(10), false), "{said}");
    assert!(said.contains("--violation-witness w.yml: R1: a violation sequence says nothing of a deadlock"), "{said}");
}
