//! `raddle races --tests`: a library's tests as clients of it.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(arguments).env("RADDLE_STORE", "off").current_dir(folder).output().expect("raddle runs")
}

fn report(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = raddle(folder, &[&["races"], arguments, &["--no-remedies", "--format", "json"]].concat());
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))))
}

/// What is written at these lines, and what the heap of each finding rests on.
fn shapes(report: &Value) -> Vec<(u64, &str)> {
    let findings = report["findings"].as_array().expect("findings");
    findings
        .iter()
        .map(|finding| {
            let line = finding["location"]["line"].as_u64().expect("a line");
            (line, finding["shape"].as_str().expect("a shape"))
        })
        .collect()
}

const HEADER: &str = "struct box;
struct limits { const char *name; int most; };
struct box *box_make(const struct limits *limits);
void box_add(struct box *b, int n);
int box_peek(struct box *b, int key);
void box_note(struct box *b, int *out);
void box_free(struct box *b);
";

/// Nobody makes a box by guessing: the name has to be right, and the number large. `PEEK` is what is done with the key.
const LIBRARY: &str = "#include \"box.h\"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct box { pthread_mutex_t m; int count, hits, most; };
struct box *box_make(const struct limits *l)
{
    if (!l->name || strcmp(l->name, \"box\") || l->most < 10)
        return NULL;
    struct box *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    pthread_mutex_init(&b->m, NULL);
    b->most = l->most;
    return b;
}
void box_add(struct box *b, int n)
{
    pthread_mutex_lock(&b->m);
    b->count += n;
    pthread_mutex_unlock(&b->m);
}
void box_note(struct box *b, int *out)
{
    pthread_mutex_lock(&b->m);
    int most = b->most;
    pthread_mutex_unlock(&b->m);
    *out = most;
}
void box_free(struct box *b)
{
    pthread_mutex_destroy(&b->m);
    free(b);
}
int box_peek(struct box *b, int key)
{
    pthread_mutex_lock(&b->m);
    int is_right = CONDITION;
    UNLOCK
    if (is_right)
        b->hits++;
    LOCKED
    return is_right;
}
";
const RACING: u64 = 41;

const TEST: &str = "#include \"box.h\"
#include <assert.h>
int main(void)
{
    struct limits l = { \"box\", 12 };
    struct box *b = box_make(&l);
    assert(b);
    int most;
    box_note(b, &most);
    assert(most == 12);
    PEEK
    for (int i = 0; i < 9; i++)
        box_add(b, 1);
    box_free(b);
    return 0;
}
";

const UNLOCK: &str = "pthread_mutex_unlock(&b->m);";

fn write(folder: &Path, condition: &str, peek: &str, is_locked: bool) {
    let (unlock, locked) = if is_locked { ("", UNLOCK) } else { (UNLOCK, "") };
    let library = LIBRARY.replace("CONDITION", condition).replace("UNLOCK", unlock).replace("LOCKED", locked);
    for (name, text) in [("box.h", HEADER), ("box.c", &library), ("box_test.c", &TEST.replace("PEEK", peek))] {
        fs::write(folder.join(name), text).expect("written");
    }
}

/// On the heaps that the test comes to, whether it makes the call or not, in the middle of it or near its end, and with the number that the
/// race takes.
#[test]
fn what_a_test_builds_is_reachable() {
    for (condition, peek) in [
        ("b->count > 6", "box_peek(b, 1);"),
        ("b->count > 6", ""),
        ("b->count == 3", "box_peek(b, 1);"),
        ("b->count == 3 && key == 42", "box_peek(b, 1);"),
        ("b->count == 3 && key == 42", ""),
    ] {
        let folder = tempfile::tempdir().expect("a directory");
        write(folder.path(), condition, peek, false);
        let (_, without) = report(folder.path(), &["box.c", "--op", "box_peek", "--op", "box_add"]);
        assert_eq!(shapes(&without), [(RACING, "assumed"), (RACING, "assumed")], "{condition}");
        let (code, with) = report(
            folder.path(),
            &["box.c", "--op", "box_peek", "--op", "box_add", "--tests", "box_test.c", "--require", "reachable"],
        );
        assert_eq!((code, shapes(&with)), (Some(10), vec![(RACING, "reachable"); 2]), "{condition} {peek}");
        for finding in with["findings"].as_array().expect("findings") {
            let before = finding["client"]["before"].as_array().expect("calls").iter();
            let adds = before.filter(|call| call.as_str().is_some_and(|call| call.starts_with("box_add"))).count();
            // No more than it takes.
            assert_eq!(adds, if condition.contains("> 6") { 7 } else { 3 }, "{finding}");
            let replayed = raddle(folder.path(), &["replay", finding["id"].as_str().expect("an id")]);
            assert_eq!(replayed.status.code(), Some(10), "{}", String::from_utf8_lossy(&replayed.stderr));
        }
        write(folder.path(), condition, peek, true);
        let (code, mended) =
            report(folder.path(), &["box.c", "--op", "box_peek", "--op", "box_add", "--tests", "box_test.c"]);
        assert_eq!((code, shapes(&mended)), (Some(0), vec![]), "{condition} {peek}");
    }
}

#[test]
fn what_a_caller_has_for_itself_two_calls_do_not_share() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "0", "", true);
    // Two callers that pass the test's own object for what is to be written.
    let note = "struct entry { int value; }; void box_note(struct box *b, struct entry *out);";
    fs::write(folder.path().join("box.h"), HEADER.replace("void box_note(struct box *b, int *out);", note))
        .expect("written");
    let library = fs::read_to_string(folder.path().join("box.c")).expect("read");
    let library = library.replace("int *out", "struct entry *out").replace("*out = most", "out->value = most");
    fs::write(folder.path().join("box.c"), library).expect("written");
    let test = fs::read_to_string(folder.path().join("box_test.c")).expect("read");
    let test =
        test.replace("int most;", "struct entry e;").replace("&most", "&e").replace("most == 12", "e.value == 12");
    fs::write(folder.path().join("box_test.c"), test).expect("written");
    let arguments = ["box.c", "--op", "box_note", "--tests", "box_test.c"];
    let (_, shared) = report(folder.path(), &arguments);
    assert_eq!(shapes(&shared).iter().map(|shape| shape.1).collect::<Vec<_>>(), ["reachable"]);
    let (code, own) = report(folder.path(), &[&arguments[..], &["--private", "box_note.out"]].concat());
    assert_eq!((code, shapes(&own)), (Some(0), vec![]));
}

#[test]
fn tests_that_tell_nothing_are_said_and_the_others_count() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "b->count > 6", "", false);
    fs::write(folder.path().join("broken.c"), "int main(void) { return box_(; }\n").expect("written");
    let run = |arguments: &[&str]| {
        let output = raddle(folder.path(), &[&["races", "box.c", "--op", "box_peek"], arguments].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&["--tests", "broken.c", "box_test.c", "--require", "reachable"]);
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("notice: broken.c: it does not compile"), "{said}");
    let (code, said) = run(&["--tests", "broken.c"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, said) = run(&["--tests", "none.c"]);
    assert!(code == Some(2) && said.contains("none.c"), "{said}");
    let (code, said) = run(&["--tests", "box_test.c", "--threads", "3"]);
    assert!(code == Some(1) && said.contains("--tests: clients make two calls at once"), "{said}");
    let (code, said) = run(&["--tests", "box_test.c", "--changed-since", "HEAD"]);
    assert!(code == Some(1) && said.contains("--tests and --changed-since"), "{said}");
    fs::write(folder.path().join("main.c"), "int main(void) { return 0; }\n").expect("written");
    fs::write(folder.path().join("plain.c"), "void test_nothing(void) { }\n").expect("written");
    let output = raddle(folder.path(), &["races", "main.c", "--op", "main", "--tests", "plain.c"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("`main` is the whole program"), "{said}");
}

/// What a client has shown stays so where a search is gone on with.
#[test]
fn what_clients_have_shown_is_kept() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "b->count > 6", "", false);
    let arguments = ["box.c", "--tests", "box_test.c"];
    let whole = report(folder.path(), &arguments).1;
    // The search is put aside before it ends, or it is over; both have to come to the same.
    for time in ["1", "2"] {
        let part =
            raddle(folder.path(), &[&["races"], &arguments[..], &["--no-remedies", "--max-time", time]].concat());
        let resumed = match String::from_utf8_lossy(&part.stderr).contains("to go on") {
            true => raddle(folder.path(), &["resume", "--format", "json"]),
            false => continue,
        };
        let resumed: Value = serde_json::from_slice(&resumed.stdout).expect("a report");
        assert_eq!(shapes(&resumed), shapes(&whole));
        for finding in resumed["findings"].as_array().expect("findings") {
            let replayed = raddle(folder.path(), &["replay", finding["id"].as_str().expect("an id")]);
            assert_eq!(replayed.status.code(), Some(10), "{}", String::from_utf8_lossy(&replayed.stderr));
        }
    }
}
