//! `raddle synth` on the paper's own examples (Narada, PLDI 2015), on two of its libraries, and on input that is no good.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::synth::{self, SynthOptions};

#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
    ledger: Vec<Loss>,
    #[serde(default)]
    pairs: Vec<Pair>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Finding {
    tsan_confirmed: Option<bool>,
}

#[derive(Deserialize)]
struct Loss {
    kind: String,
    remedy: String,
}

#[derive(Deserialize)]
struct Failure {
    kind: String,
}

#[derive(Deserialize)]
struct Pair {
    operations: [String; 2],
    verdict: String,
    findings: Vec<String>,
    harmful: Option<bool>,
    test: Option<String>,
}

struct Place {
    directory: tempfile::TempDir,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Place {
    /// A directory with copies of these files, which lie below the workspace.
    fn of(folder: &str, names: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for name in names {
            fs::copy(root().join(folder).join(name), directory.path().join(name)).expect("copied");
        }
        Place { directory }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.directory.path().join(name), text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn synth(&self, arguments: &[&str]) -> (i32, Report) {
        let raddle = std::env::var_os("RADDLE").map_or_else(|| root().join("target/release/raddle"), PathBuf::from);
        let raddle = std::path::absolute(raddle).expect("a path");
        let output = Command::new(raddle)
            .current_dir(self.directory.path())
            .arg("synth")
            .args(arguments)
            .args(["-o", "racy", "--format", "json"])
            .output()
            .expect("raddle runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let report = serde_json::from_str(&text)
            .unwrap_or_else(|e| panic!("{e}: {text}\n{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().expect("it ends by itself"), report)
    }
}

/// The functions that are said to race with each other.
fn exposed(report: &Report) -> BTreeSet<String> {
    let is_exposed = |pair: &&Pair| pair.verdict == "exposed";
    report.pairs.iter().filter(is_exposed).map(|pair| pair.operations.join(" ")).collect()
}

fn names(pairs: &[&str]) -> BTreeSet<String> {
    pairs.iter().map(|pair| (*pair).to_owned()).collect()
}

/// The statements of a client's `main` before its threads.
fn calls_before(text: &str) -> Vec<String> {
    let (_, main) = text.split_once("int main(void)").expect("a main");
    let lines = main.lines().map(str::trim).skip_while(|line| !line.contains("pthread_t"));
    let calls = lines.skip(1).take_while(|line| !line.starts_with("pthread_create")).filter(|line| !line.is_empty());
    calls.map(str::to_owned).collect()
}

#[test]
fn figure_1_two_locks_and_one_counter() {
    let place = Place::of("xtask/tests/narada", &["figure1.c", "figure1.h", "figure1_test.c"]);
    let (code, report) = place.synth(&["figure1.c", "--tests", "figure1_test.c"]);
    assert_eq!((code, exposed(&report)), (10, names(&["lib_update lib_update"])));
    let others: Vec<&str> = report.pairs.iter().map(|pair| pair.verdict.as_str()).collect();
    assert_eq!(others, ["refuted", "refuted", "exposed"]);
    assert_eq!(report.pairs[2].harmful, Some(true), "an update is lost");
    let confirmed: Vec<Option<bool>> = report.findings.iter().map(|finding| finding.tsan_confirmed).collect();
    assert_eq!(confirmed, [Some(true), Some(true)]);
    let expected = [
        "lib = lib_new();",
        "counter = counter_new();",
        "lib_set(lib, counter);",
        "lib2 = lib_new();",
        "lib_set(lib2, counter);",
    ];
    let client = place.read("racy/race_01.c");
    assert_eq!(calls_before(&client), expected);
    assert!(client.contains("lib_update(lib);") && client.contains("lib_update(lib2);"), "{client}");
}

#[test]
fn figure_3_two_wrappers_of_one_queue() {
    let place = Place::of("xtask/tests/narada", &["figure2.c", "figure2.h", "figure2_test.c"]);
    let (code, report) = place.synth(&["figure2.c", "--tests", "figure2_test.c"]);
    assert_eq!((code, exposed(&report)), (10, names(&["remove_first remove_first"])));
    let expected = ["wbq = coalesced_new();", "wbq2 = safe_new(wbq);", "wbq3 = safe_new(wbq);"];
    assert_eq!(calls_before(&place.read("racy/race_01.c")), expected);
}

#[test]
fn figure_13_a_context_of_two_setters() {
    let place = Place::of("xtask/tests/narada", &["figure13.c", "figure13.h", "figure13_test.c"]);
    let (_, report) = place.synth(&["figure13.c", "--tests", "figure13_test.c", "--no-native"]);
    let expected = ["a_bar a_bar", "a_bar a_foo", "a_bar z_baz", "a_foo a_foo", "z_baz z_baz"];
    assert_eq!(exposed(&report), names(&expected));
    let foo = report.pairs.iter().find(|pair| pair.operations == ["a_foo", "a_foo"]).expect("the pair");
    assert_eq!(foo.findings.len(), 1, "only what lies behind the lock");
    let client = place.read(foo.test.as_deref().expect("a test"));
    // {baz, bar} for both sides (Table 2), of one x.
    let setters = calls_before(&client).into_iter().filter(|call| !call.contains('=')).collect::<Vec<_>>();
    assert_eq!(setters, ["z_baz(z2, x);", "a_bar(a, z2);", "z_baz(z, x);", "a_bar(a2, z);"]);
    assert!(client.contains("a_foo(a, y);") && client.contains("a_foo(a2, y2);"), "{client}");
}

#[test]
fn with_the_lock_of_what_is_shared_nothing_races() {
    let place = Place::of("xtask/tests/narada", &["figure2.c", "figure2.h", "figure2_test.c"]);
    let own = place.read("figure2.c");
    let theirs = own.replace("pthread_mutex_lock(&q->mutex)", "pthread_mutex_lock(&q->queue->mutex)");
    let theirs = theirs.replace("pthread_mutex_unlock(&q->mutex)", "pthread_mutex_unlock(&q->queue->mutex)");
    place.write("figure2.c", &theirs);
    let (code, report) = place.synth(&["figure2.c", "--tests", "figure2_test.c"]);
    let verdicts: Vec<&str> = report.pairs.iter().map(|pair| pair.verdict.as_str()).collect();
    assert_eq!((code, verdicts), (0, vec!["refuted"]));
}

/// Behind a failure nothing is known: that no race was seen there refutes none.
#[test]
fn a_client_that_fails_refutes_nothing() {
    let place = Place::of("xtask/tests/narada", &["figure2.c", "figure2.h", "figure2_test.c"]);
    let own = place.read("figure2.c");
    let once = "if (inner->last == 4)\n        *(volatile int *)0 = 0;\n    inner->last = 4;\n    q->queue = inner;";
    place.write("figure2.c", &own.replace("q->queue = inner;", once));
    let (_, report) = place.synth(&["figure2.c", "--tests", "figure2_test.c", "--no-native"]);
    let removes = report.pairs.iter().find(|pair| pair.operations == ["remove_first", "remove_first"]);
    assert_eq!(removes.expect("the pair").verdict, "unfinished");
}

/// A destructor may empty its object; who gives back a reference counts it down.
#[test]
fn who_counts_down_is_no_destructor() {
    let place = Place::of("xtask/tests/narada", &[]);
    let header = "struct box;\nstruct box *box_new(void);\nvoid box_put(struct box *b, int value);\nvoid box_release(struct box *b);\n";
    place.write("box.h", header);
    place.write(
        "box_test.c",
        "#include \"box.h\"\nint main(void) { struct box *b = box_new(); box_put(b, 3); box_release(b); return 0; }\n",
    );
    for (release, is_side) in [("b->value = 0; free(b);", false), ("if (--b->count == 0) free(b);", true)] {
        let library = format!(
            "#include \"box.h\"\n#include <stdlib.h>\nstruct box {{ int count, value; void (*end)(struct box *); }};\n\
             static void end(struct box *b) {{ {release} }}\n\
             struct box *box_new(void)\n{{\n    struct box *b = malloc(sizeof *b);\n    b->count = 1;\n    b->value = 1;\n    \
             b->end = end;\n    return b;\n}}\n\
             void box_put(struct box *b, int value) {{ b->value = value; }}\nvoid box_release(struct box *b) {{ b->end(b); }}\n"
        );
        place.write("box.c", &library);
        let (code, report) = place.synth(&["box.c", "--tests", "box_test.c", "--no-native"]);
        assert_eq!(code, 10, "`box_put` races with itself");
        let names_it = report.pairs.iter().any(|pair| pair.operations.iter().any(|name| name == "box_release"));
        assert_eq!(names_it, is_side, "{release}");
    }
}

/// A striped table: which lock is whose is a matter of the numbers, and the test's own show nothing.
#[test]
fn numbers_that_no_test_passes() {
    let place = Place::of("xtask/tests/narada", &[]);
    place.write(
        "slots.h",
        "struct slots;\nstruct slots *slots_new(void);\nvoid slots_put(struct slots *s, unsigned i);\n",
    );
    place.write(
        "slots_test.c",
        "#include \"slots.h\"\nint main(void) { struct slots *s = slots_new(); slots_put(s, 0); return 0; }\n",
    );
    for (lock, expected) in [("i / 2 % 2", (10, "exposed")), ("i % 2", (0, "refuted"))] {
        let library = format!(
            "#include \"slots.h\"\n#include <pthread.h>\n#include <stdlib.h>\n\
             struct slots {{ pthread_mutex_t m[2]; int value[2]; }};\n\
             struct slots *slots_new(void)\n{{\n    struct slots *s = calloc(1, sizeof *s);\n    \
             pthread_mutex_init(&s->m[0], NULL);\n    pthread_mutex_init(&s->m[1], NULL);\n    return s;\n}}\n\
             void slots_put(struct slots *s, unsigned i)\n{{\n    pthread_mutex_lock(&s->m[{lock}]);\n    \
             s->value[i % 2]++;\n    pthread_mutex_unlock(&s->m[{lock}]);\n}}\n"
        );
        place.write("slots.c", &library);
        let arguments = ["slots.c", "--tests", "slots_test.c", "--op", "slots.c:slots_put"];
        let (code, report) = place.synth(&arguments);
        let verdicts: Vec<&str> = report.pairs.iter().map(|pair| pair.verdict.as_str()).collect();
        assert_eq!((code, verdicts), (expected.0, vec![expected.1]), "{lock}");
        assert!(report.findings.iter().all(|finding| finding.tsan_confirmed == Some(true)), "{lock}");
    }
    let (code, report) = place.synth(&["slots.c", "--tests", "slots_test.c", "--op", "other.c:slots_put"]);
    assert_eq!((code, report.error.map(|error| error.kind)), (1, Some("operation".to_owned())));
}

/// Numbers of raddle's own count only where each call goes well behind the other: nobody passes what the library refuses.
#[test]
fn numbers_that_nobody_may_pass_show_nothing() {
    let place = Place::of("xtask/tests/narada", &[]);
    place.write(
        "cells.h",
        "struct cells;\nstruct cells *cells_new(void);\nvoid cells_put(struct cells *c, unsigned i);\n",
    );
    place.write(
        "cells_test.c",
        "#include \"cells.h\"\nint main(void) { struct cells *c = cells_new(); cells_put(c, 1); return 0; }\n",
    );
    for (check, expected) in [("assert(i < 4);", (0, "refuted")), ("", (10, "exposed"))] {
        let library = format!(
            "#include \"cells.h\"\n#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
             struct cells {{ pthread_mutex_t m; int value[4], lost; }};\n\
             struct cells *cells_new(void) {{ struct cells *c = calloc(1, sizeof *c); pthread_mutex_init(&c->m, NULL); return c; }}\n\
             void cells_put(struct cells *c, unsigned i)\n{{\n    if (i >= 4)\n        c->lost++;\n    {check}\n    \
             pthread_mutex_lock(&c->m);\n    c->value[i % 4]++;\n    pthread_mutex_unlock(&c->m);\n}}\n"
        );
        place.write("cells.c", &library);
        let (code, report) = place.synth(&["cells.c", "--tests", "cells_test.c", "--no-native"]);
        let verdicts: Vec<&str> = report.pairs.iter().map(|pair| pair.verdict.as_str()).collect();
        assert_eq!((code, verdicts), (expected.0, vec![expected.1]), "{check}");
    }
}

/// Looking something up sorts what two calls share: made again for the number that it writes, it would leave nothing to sort.
#[test]
fn what_only_writes_for_its_caller_is_not_made_again() {
    let place = Place::of("xtask/tests/narada", &[]);
    place.write(
        "list.h",
        "struct list;\nstruct list *list_new(void);\nvoid list_put(struct list *l);\nvoid list_sort(struct list *l);\n\
         void list_look(struct list *l, int *size);\nvoid list_trim(struct list *l);\n",
    );
    place.write(
        "list_test.c",
        "#include \"list.h\"\nint main(void)\n{\n    int size;\n    struct list *l = list_new();\n    list_look(l, &size);\n    \
         list_put(l);\n    list_sort(l);\n    list_look(l, &size);\n    list_trim(l);\n    return size;\n}\n",
    );
    for (lock, unlock, races) in [("", "", true), ("pthread_mutex_lock(&l->m);", "pthread_mutex_unlock(&l->m);", false)]
    {
        let library = format!(
            "#include \"list.h\"\n#include <pthread.h>\n#include <stdlib.h>\n\
             struct list {{ pthread_mutex_t m; int size, unsorted, turns; }};\n\
             struct list *list_new(void) {{ struct list *l = calloc(1, sizeof *l); pthread_mutex_init(&l->m, NULL); return l; }}\n\
             static void sort(struct list *l) {{ if (l->unsorted) l->turns += l->size; l->unsorted = 0; }}\n\
             void list_put(struct list *l) {{ pthread_mutex_lock(&l->m); l->unsorted = 1; pthread_mutex_unlock(&l->m); }}\n\
             void list_sort(struct list *l) {{ pthread_mutex_lock(&l->m); sort(l); pthread_mutex_unlock(&l->m); }}\n\
             void list_look(struct list *l, int *size) {{ pthread_mutex_lock(&l->m); sort(l); *size = l->unsorted; pthread_mutex_unlock(&l->m); }}\n\
             void list_trim(struct list *l) {{ {lock} l->size = 0; {unlock} }}\n"
        );
        place.write("list.c", &library);
        let (_, report) = place.synth(&["list.c", "--tests", "list_test.c", "--no-native"]);
        assert_eq!(exposed(&report).contains("list_sort list_trim"), races, "{lock}");
    }
}

/// Tests set up their own objects, locks in them included; several tests of one file may be needed at once.
#[test]
fn locks_that_the_test_initialises() {
    let place = Place::of("xtask/tests/narada", &[]);
    let declared = "#include <pthread.h>\nstruct box { int n; pthread_mutex_t m; };\nvoid box_inc(struct box *b);\nint box_get(struct box *b);\n";
    let tests = "void test_inc(void) { struct box b = { 3 }; pthread_mutex_init(&b.m, 0); box_inc(&b); }\n\
                 void test_get(void) { struct box b = { 4 }; pthread_mutex_init(&b.m, 0); box_get(&b); }\n";
    // No header has the structure: both files do.
    place.write("box_test.c", &format!("{declared}{tests}"));
    for (lock, unlock, expected) in [("", "", 10), ("pthread_mutex_lock(&b->m);", "pthread_mutex_unlock(&b->m);", 0)] {
        let library = format!(
            "{declared}void box_inc(struct box *b) {{ {lock} b->n++; {unlock} }}\n\
             int box_get(struct box *b) {{ {lock} int n = b->n; {unlock} return n; }}\n"
        );
        place.write("box.c", &library);
        let (code, report) = place.synth(&["box.c", "--tests", "box_test.c"]);
        assert_eq!(code, expected, "{lock}");
        let open = report.pairs.iter().filter(|pair| !["exposed", "refuted"].contains(&pair.verdict.as_str()));
        assert_eq!(open.count(), 0, "{lock}");
    }
}

#[test]
fn tests_of_frameworks_are_run_case_by_case() {
    for test in ["figure1_unity.c", "figure1_check.c", "figure1_cmocka.c", "figure1_minunit.c", "figure1_plain.c"] {
        let place = Place::of("xtask/tests/narada", &["figure1.c", "figure1.h", test]);
        let (code, report) = place.synth(&["figure1.c", "--tests", test, "--no-native"]);
        assert_eq!((code, exposed(&report)), (10, names(&["lib_update lib_update"])), "{test}");
    }
}

/// A few of those that `cargo xtask synth` compares by the thousand.
#[test]
fn random_libraries() {
    let raddle = std::env::var_os("RADDLE").map_or_else(|| root().join("target/release/raddle"), PathBuf::from);
    let keep = root().join("target/oracle");
    let options = SynthOptions { count: 5, seed: 1, calls: 3, keep, raddle };
    assert!(synth::run(&options).expect("they are compared"), "the differences are in target/oracle");
}

/// Against what a person found by reading, and by running each two functions under ThreadSanitizer.
#[test]
fn character_reader_and_writer() {
    let files = ["char_array_reader.c", "char_array_reader.h", "char_array_reader_test.c"];
    let place = Place::of("bench/narada", &files);
    let (_, report) = place.synth(&["char_array_reader.c", "--tests", "char_array_reader_test.c", "--no-native"]);
    let close = ["close", "mark", "read", "read_into", "ready", "reset", "skip"];
    let mut expected: BTreeSet<String> = close.iter().map(|other| format!("reader_close reader_{other}")).collect();
    expected.extend(names(&[
        "reader_read reader_ready",
        "reader_read_into reader_ready",
        "reader_ready reader_reset",
        "reader_ready reader_skip",
    ]));
    assert_eq!(exposed(&report), expected);
    let harmful: BTreeMap<String, Option<bool>> =
        report.pairs.iter().map(|pair| (pair.operations.join(" "), pair.harmful)).collect();
    assert_eq!(harmful["reader_close reader_read"], Some(true), "a null pointer is followed");
    assert_eq!(harmful["reader_close reader_close"], Some(false));
}

#[test]
fn what_tests_cannot_tell_is_said() {
    let place = Place::of("xtask/tests/narada", &["figure1.c", "figure1.h", "figure1_test.c"]);
    place.write("broken.c", "#include \"figure1.h\"\nint main(void) { return lib_new(; }\n");
    place.write("fails.c", "#include \"figure1.h\"\n#include <assert.h>\nint main(void) { lib_new(); assert(0); }\n");
    place.write("other.c", "int main(void) { return 0; }\n");
    place.write("none.c", "int helper(void) { return 0; }\n");
    let arguments =
        ["figure1.c", "--no-native", "--tests", "broken.c", "fails.c", "other.c", "none.c", "figure1_test.c"];
    let (code, report) = place.synth(&arguments);
    assert_eq!(code, 10, "the others go on");
    let kinds: BTreeSet<&str> = report.ledger.iter().map(|loss| loss.kind.as_str()).collect();
    let expected = BTreeSet::from(["test_calls_nothing", "test_fails", "test_not_compiled", "test_not_run"]);
    assert_eq!(kinds, expected);
    let fails = report.ledger.iter().find(|loss| loss.kind == "test_fails").expect("it fails");
    assert!(fails.remedy.contains("only its calls up to `lib_new` count"), "{}", fails.remedy);

    place.write("racy/mine.txt", "notes");
    let (code, report) = place.synth(&["figure1.c", "--tests", "figure1_test.c"]);
    assert_eq!((code, report.error.map(|error| error.kind)), (1, Some("output".to_owned())));
    fs::remove_file(place.directory.path().join("racy/mine.txt")).expect("removed");
    let (code, report) = place.synth(&["figure1.c", "--tests", "figure1_test.c", "--op", "lib_updat"]);
    assert_eq!((code, report.error.map(|error| error.kind)), (1, Some("operation".to_owned())));
    let (code, report) = place.synth(&["figure1.c", "--tests", "broken.c"]);
    assert_eq!((code, report.error.map(|error| error.kind)), (2, Some("compile".to_owned())));
    let (code, _) = place.synth(&["figure1.c", "--tests", "other.c"]);
    assert_eq!(code, 5, "nothing is known");
}
