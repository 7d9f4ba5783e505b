//! `raddle test --run`: tests as users build and run them.

use std::path::Path;
use std::process::{Command, Output};

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(arguments).current_dir(folder).output().expect("raddle runs")
}

fn document(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("a document")
}

const RACY: &str = "#include <pthread.h>
static bool flag;
static void *work(void *v) { flag = true; return v; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int seen = flag;
    pthread_join(t, 0);
    return seen > 1;
}
";

#[test]
fn a_test_is_built_and_run_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.c"), RACY).expect("writable");
    // The header is none of this directory's.
    let checked = raddle(folder.path(), &["check", "a.c", "--", "-include", "stdbool.h"]);
    assert_eq!(checked.status.code(), Some(10), "{}", String::from_utf8_lossy(&checked.stderr));
    let test = ["test", "raddle-out/R1.witness.json", "-o", "t.c", "--format", "json"];
    let plain = raddle(folder.path(), &test);
    assert!(plain.status.success() && document(&plain).get("runs").is_none());
    let ran = raddle(folder.path(), &[&test[..], &["--run"]].concat());
    let runs = &document(&ran)["runs"];
    let counts = ["reported", "not_reached", "nothing", "other"].map(|name| runs[name].as_u64());
    assert_eq!(counts, [Some(20), Some(0), Some(0), Some(0)]);
    assert_eq!(ran.status.code(), Some(0));
    assert!(runs["said"].as_str().is_some_and(|said| said.starts_with("ThreadSanitizer: data race")), "{runs}");
}

/// ThreadSanitizer says nothing where a block is given back by `realloc` that was given back by another.
#[test]
fn a_block_that_two_threads_enlarge_is_a_race_natively() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "#include <pthread.h>\n#include <stdlib.h>\nstatic char *block;\n\
                   static void *enlarge(void *old) { return realloc(old, 4000); }\n\
                   int main(void)\n{\n    pthread_t one, other;\n    block = malloc(8);\n    if (!block)\n        return 0;\n    \
                   pthread_create(&one, 0, enlarge, block);\n    pthread_create(&other, 0, enlarge, block);\n    \
                   pthread_join(one, 0);\n    pthread_join(other, 0);\n    return 0;\n}\n";
    std::fs::write(folder.path().join("a.c"), program).expect("writable");
    let checked = raddle(folder.path(), &["check", "a.c", "--format", "json"]);
    assert_eq!(checked.status.code(), Some(10));
    for finding in document(&checked)["findings"].as_array().expect("a list") {
        let witness = finding["witness"].as_str().expect("a witness");
        let ran = raddle(folder.path(), &["test", witness, "-o", "t.c", "--run"]);
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(said.contains("all 20 runs: the failure showed (exit code 66)"), "{finding}: {said}");
    }
}

/// ThreadSanitizer does not see what the C library reads of a number.
#[test]
fn numbers_that_are_read_are_accesses_natively() {
    for call in ["atoi(s)", "strtol(s, 0, 10)", "strtoull(s, 0, 10)", "strtod(s, 0)", "strtof(s, 0)"] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let program = format!(
            "#include <pthread.h>\n#include <stdlib.h>\nstatic char s[8] = \"12\";\n\
             static void *change(void *unused) {{ s[1] = '3'; return unused; }}\n\
             int main(void)\n{{\n    pthread_t thread;\n    pthread_create(&thread, 0, change, 0);\n    \
             int number = (int){call};\n    pthread_join(thread, 0);\n    return number == 0;\n}}\n"
        );
        std::fs::write(folder.path().join("a.c"), program).expect("writable");
        assert_eq!(raddle(folder.path(), &["check", "a.c"]).status.code(), Some(10), "{call}");
        let ran = raddle(folder.path(), &["test", "raddle-out/R1.witness.json", "-o", "t.c", "--run"]);
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(said.contains("all 20 runs: the failure showed (exit code 66)"), "{call}: {said}");
    }
}

#[test]
fn what_there_is_to_read_comes_first_and_hooks_are_those_that_the_program_needs() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.c"), format!("#include <stdbool.h>\n{RACY}")).expect("writable");
    assert_eq!(raddle(folder.path(), &["check", "a.c"]).status.code(), Some(10));
    let ran = raddle(folder.path(), &["test", "raddle-out/R1.witness.json", "-o", "t.c", "--run"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains("all 20 runs: the failure showed (exit code 66)"), "{said}");
    let text = std::fs::read_to_string(folder.path().join("t.c")).expect("it is written");
    let read = witness::emit::readable(&text);
    assert!(
        read.lines().count() <= 40 && read.contains("data race on flag") && read.contains("RADDLE_SCHEDULE"),
        "{read}"
    );
    let first = text.lines().next().expect("a line");
    let wraps = |name: &str| first.contains(&format!("--wrap={name},")) || first.contains(&format!("--wrap={name} "));
    assert!(wraps("pthread_create") && wraps("pthread_join") && wraps("__tsan_write1"), "{first}");
    assert!(!wraps("pthread_mutex_lock") && !wraps("strcmp") && !wraps("rand"), "{first}");
    // Its twin asks for more, through a pointer too.
    let more = RACY.replace("flag = true", "lock(&m); flag = true").replace("static bool flag", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int (*lock)(pthread_mutex_t *) = pthread_mutex_lock; static bool flag");
    std::fs::write(folder.path().join("a.c"), format!("#include <stdbool.h>\n{more}")).expect("writable");
    assert_eq!(raddle(folder.path(), &["check", "a.c"]).status.code(), Some(10));
    let ran = raddle(folder.path(), &["test", "raddle-out/R1.witness.json", "-o", "t.c", "--run"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains("--wrap=pthread_mutex_lock") && said.contains("all 20 runs"), "{said}");
}

/// A stream is what the C library makes of it: a client cannot have one of its own, all zero.
#[test]
fn clients_have_their_streams_from_the_library() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let library = "#include <stdio.h>\nstatic int lines;\n\
                   void tell(FILE *to)\n{\n    fputs(\"a line\\n\", to);\n    lines++;\n}\n";
    std::fs::write(folder.path().join("a.c"), library).expect("writable");
    let found = raddle(folder.path(), &["races", "a.c", "--format", "json"]);
    assert_eq!(found.status.code(), Some(10), "{}", String::from_utf8_lossy(&found.stderr));
    let document = document(&found);
    let findings = document["findings"].as_array().expect("a list");
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding["shape"], "reachable", "{finding}");
        let client = &finding["client"];
        assert!(client["before"].to_string().contains("root0 = tmpfile();"), "{client}");
        let witness = client["witness"].as_str().expect("a witness");
        let ran = raddle(folder.path(), &["test", witness, "-o", "t.c", "--run"]);
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(said.contains("all 20 runs: the failure showed (exit code 66)"), "{finding}: {said}");
    }
}

/// How a wait can end but by a signal, and what is wrong then.
const WAITS: [(&str, &str); 3] = [
    ("pthread_cond_wait(&c, &m)", "e == 0 && !ready"),
    ("pthread_cond_timedwait(&c, &m, &soon)", "e == 0 && !ready"),
    ("pthread_cond_timedwait(&c, &m, &soon)", "e == ETIMEDOUT && ready"),
];

#[test]
fn waits_end_natively_as_they_did() {
    for (wait, wrong) in WAITS {
        let source = format!(
            "#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *waits(void *v)
{{
    struct timespec soon = {{10, 0}};
    int e = 1;
    (void)soon;
    pthread_mutex_lock(&m);
    if (!ready)
        e = {wait};
    assert(!({wrong}));
    pthread_mutex_unlock(&m);
    return v;
}}
int main(void)
{{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}}
"
        );
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("a.c"), source).expect("writable");
        assert_eq!(raddle(folder.path(), &["check", "a.c"]).status.code(), Some(10), "{wait}, {wrong}");
        let test = ["test", "raddle-out/R1.witness.json", "-o", "t.c", "--run", "--format", "json"];
        let runs = &document(&raddle(folder.path(), &test))["runs"];
        assert_eq!(runs["reported"].as_u64(), Some(20), "{wait}, {wrong}: {runs}");
    }
}

/// Threads that come one after the other, each with a lock that is made for it; and one that asks the system beside a semaphore, whose
/// parts of a test meet in one file.
#[test]
fn tests_follow_threads_in_turn_and_are_made_of_all_parts() {
    let in_turn = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *work(void *v) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return v; }
int main(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_mutex_init(&m, 0);
        pthread_create(&t, 0, work, 0);
        pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
        pthread_join(t, 0);
        pthread_mutex_destroy(&m);
    }
    assert(x != 4);
    return 0;
}
";
    let asks = "#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
static sem_t s;
static int x;
static void *work(void *v) { sem_post(&s); x++; return v; }
int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    mlock(&x, sizeof x);
    pthread_create(&t, 0, work, 0);
    sem_wait(&s);
    x++;
    pthread_join(t, 0);
    return 0;
}
";
    for source in [in_turn, asks] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("a.c"), source).expect("writable");
        assert_eq!(raddle(folder.path(), &["check", "a.c"]).status.code(), Some(10), "{source}");
        let test = ["test", "raddle-out/R1.witness.json", "-o", "t.c", "--run", "--format", "json"];
        let said = document(&raddle(folder.path(), &test));
        assert_eq!(said["runs"]["reported"].as_u64(), Some(20), "{said}");
    }
}

#[test]
fn a_test_that_does_not_build_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = folder.path().join("a.c");
    std::fs::write(
        &source,
        format!("extern void *elsewhere(void);\n{}", RACY.replace("return v;", "return elsewhere();")),
    )
    .expect("writable");
    let flags = ["--", "-include", "stdbool.h"];
    let checked = raddle(folder.path(), &[&["check", "a.c", "--native-tests", "never"][..], &flags].concat());
    assert_ne!(checked.status.code(), Some(0));
    let witness = "raddle-out/R1.witness.json";
    let ran = raddle(folder.path(), &["test", witness, "-o", "t.c", "--run", "--format", "json"]);
    let document = document(&ran);
    assert_eq!((ran.status.code(), &document["error"]["kind"]), (Some(2), &"test_build".into()), "{document}");
}

#[test]
fn what_needs_a_spurious_wake_up_says_so() {
    const PROGRAM: &str = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *work(void *v)
{
    pthread_mutex_lock(&m);
    if (!ready)
        pthread_cond_wait(&c, &m);
    assert(WRONG);
    pthread_mutex_unlock(&m);
    return v;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
";
    // The second fails whatever ends the wait.
    for (asserted, needs) in [("ready", true), ("!ready", false)] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("a.c"), PROGRAM.replace("WRONG", asserted)).expect("writable");
        let checked = raddle(folder.path(), &["check", "a.c"]);
        let text = String::from_utf8_lossy(&checked.stdout);
        assert_eq!(checked.status.code(), Some(10), "{text}");
        assert_eq!(text.contains("a wait ends without a signal"), needs, "{text}");
        assert_eq!(text.contains("waits on c (wakes spuriously)"), needs, "{text}");
    }
}
