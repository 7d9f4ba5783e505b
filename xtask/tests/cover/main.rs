//! `raddle cover`: what a branch takes, what is impossible, what is met on the way, and input that is no good.

mod programs;

use programs::{
    ANEW, BARRIER, COUNTED, DEPENDS, INPUT_AND_INTERFERENCE, LIBRARY, LIMIT, LIST, PASSED, PASSED_ON, RELOCKED,
    SECTION, SEMAPHORE, SIGNAL, TRIED, TRYJOIN, USED, WHOLE, WOKEN,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn raddle() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/raddle");
    std::path::absolute(std::env::var_os("RADDLE").map_or_else(built, PathBuf::from)).expect("a path")
}

struct Place(tempfile::TempDir);

impl Place {
    fn with(source: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("p.c"), source).expect("written");
        Place(directory)
    }

    fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let output = Command::new(raddle())
            .current_dir(self.0.path())
            .args(arguments)
            .args(["--format", "json"])
            .output()
            .expect("raddle runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let report = serde_json::from_str(&text)
            .unwrap_or_else(|e| panic!("{e}: {text} {}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().unwrap_or(-1), report)
    }

    fn cover(&self, more: &[&str]) -> (i32, Value) {
        self.run(&[&["cover", "p.c"], more].concat())
    }
}

/// The degree and the reason of a way: of the branch on this line, and of several the first.
fn way(report: &Value, line: u64, outcome: bool) -> (Option<u64>, Option<&str>) {
    let all = report["branches"].as_array().expect("branches");
    let found = all.iter().find(|branch| branch["line"] == line && branch["outcome"] == outcome);
    let found = found.unwrap_or_else(|| panic!("line {line} {outcome}: {report:#}"));
    (found["degree"].as_u64(), found["reason"].as_str())
}

/// The line that has these words.
fn line(source: &str, words: &str) -> u64 {
    source.lines().position(|line| line.contains(words)).expect("it is there") as u64 + 1
}

#[test]
fn a_branch_takes_an_input_and_an_interference() {
    let place = Place::with(INPUT_AND_INTERFERENCE);
    let (code, report) = place.cover(&[]);
    assert_eq!(code, 0, "{report:#}");
    let branch = line(INPUT_AND_INTERFERENCE, "v == 5");
    assert_eq!(way(&report, branch, true), (Some(1), None));
    assert_eq!(way(&report, branch, false), (Some(0), None));
    assert_eq!(way(&report, line(INPUT_AND_INTERFERENCE, "in == 7"), true), (Some(0), None));
    let impossible: Vec<&Value> =
        report["branches"].as_array().expect("branches").iter().filter(|branch| branch["degree"].is_null()).collect();
    assert_eq!(impossible.len(), 1, "{report:#}");
    assert_eq!((&impossible[0]["reason"], &impossible[0]["for_all_k"]), (&"impossible".into(), &true.into()));

    // Within a bound less is covered, and nothing is said of what is beyond.
    let (code, report) = place.cover(&["--max-k", "0"]);
    assert_eq!((code, way(&report, branch, true)), (0, (None, Some("impossible"))));
    let all = report["branches"].as_array().expect("branches");
    let of_reader = all.iter().find(|entry| entry["line"] == branch && entry["outcome"] == true).expect("there");
    assert_eq!(of_reader["for_all_k"], false, "{report:#}");
}

#[test]
fn optimisations_change_no_degree() {
    let place = Place::with(INPUT_AND_INTERFERENCE);
    let degrees = |report: &Value| -> Vec<(Value, Value, Value)> {
        let all = report["branches"].as_array().expect("branches");
        all.iter().map(|branch| (branch["line"].clone(), branch["outcome"].clone(), branch["degree"].clone())).collect()
    };
    let (_, whole) = place.cover(&[]);
    for without in ["guidance", "priorities", "duplicates", "subsumption", "guidance,priorities"] {
        let (_, report) = place.cover(&["--without", without]);
        assert_eq!(degrees(&report), degrees(&whole), "without {without}");
    }
}

#[test]
fn heaps_are_followed_and_failures_on_the_way_are_findings() {
    let place = Place::with(LIST);
    let (code, report) = place.cover(&[]);
    assert_eq!(code, 10, "{report:#}");
    assert_eq!(report["findings"][0]["kind"], "assertion");
    let branch = line(LIST, "n->v == 42");
    // The head, and the node's value.
    assert_eq!(way(&report, branch, true), (Some(2), None));
    // Both nodes, each with its value and its link, and the head that the second one was pushed on.
    assert_eq!(way(&report, line(LIST, "sum != 2"), false), (Some(6), None));
    let witness = report["findings"][0]["witness"].as_str().expect("a witness");
    assert_eq!(place.run(&["replay", witness]).0, 10);
    // Its twin: three cannot be met.
    let (code, report) = Place::with(&LIST.replace("sum != 2", "sum != 3")).cover(&[]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(way(&report, line(LIST, "sum != 2"), false), (None, Some("impossible")));
}

#[test]
fn waiting_for_a_signal_is_no_interference() {
    let (code, report) = Place::with(SIGNAL).cover(&[]);
    assert_eq!(code, 0, "{report:#}");
    let looks = line(SIGNAL, "while (!ready)");
    assert_eq!(way(&report, looks, true).0, Some(0));
    assert_eq!(way(&report, looks, false).0, Some(1));
    assert_eq!(way(&report, line(SIGNAL, "waited > 1"), true), (None, Some("impossible")));
}

#[test]
fn what_a_wait_takes_of_a_semaphore_is_somebodys_post() {
    // Some wait for ever, which is a finding.
    let (code, report) = Place::with(SEMAPHORE).cover(&[]);
    assert_eq!((code, &report["ledger"]), (10, &Value::Array(Vec::new())), "{report:#}");
    let second = line(SEMAPHORE, "if (x == 2)");
    // Both posts are before it, and it reads what stands before the second one.
    assert_eq!([way(&report, second, true).0, way(&report, second, false).0], [Some(1), None]);
    let third = line(SEMAPHORE, "// never") - 1;
    assert_eq!([way(&report, third, true).1, way(&report, third, false).1], [Some("impossible"), Some("impossible")]);
    // With one token more at first it need not wait for the second, and comes to the third.
    let (code, report) = Place::with(&SEMAPHORE.replace("sem_init(&s, 0, 0)", "sem_init(&s, 0, 1)")).cover(&[]);
    assert_eq!((code, &report["ledger"]), (10, &Value::Array(Vec::new())), "{report:#}");
    assert_eq!([way(&report, second, true).0, way(&report, second, false).0], [Some(1), Some(1)]);
    assert_eq!((way(&report, third, true).0, way(&report, third, false).1), (Some(2), Some("impossible")));
}

#[test]
fn a_signal_wakes_one_of_those_that_wait() {
    let one = WOKEN.replace("SECOND", "");
    let (code, report) = Place::with(&one).cover(&[]);
    assert_eq!((code, &report["ledger"]), (10, &Value::Array(Vec::new())), "{report:#}");
    let both = line(&one, "if (woken == 1)");
    assert_eq!((way(&report, both, true).1, way(&report, both, false).0), (Some("impossible"), Some(1)));
    for second in ["pthread_cond_signal(&c);", "pthread_cond_broadcast(&c);"] {
        let (code, report) = Place::with(&WOKEN.replace("SECOND", second)).cover(&[]);
        assert_eq!((code, &report["ledger"]), (10, &Value::Array(Vec::new())), "{report:#}");
        // Behind a signal to one that waits, `main` has read that it waits.
        assert_eq!(way(&report, both, false).0, Some(1), "{second}");
        assert!(way(&report, both, true).0.is_some_and(|degree| degree > 1), "{second}: {report:#}");
    }
}

#[test]
fn what_another_thread_writes_may_hang_on_what_it_reads() {
    let (code, report) = Place::with(DEPENDS).cover(&[]);
    assert_eq!((code, way(&report, line(DEPENDS, "r == 3"), true).0), (0, Some(2)), "{report:#}");
}

#[test]
fn what_is_passed_on_under_locks() {
    let (code, report) = Place::with(PASSED_ON).cover(&[]);
    assert_eq!((code, way(&report, line(PASSED_ON, "v == 1"), true).0), (0, Some(2)), "{report:#}");
    let (code, report) = Place::with(WHOLE).cover(&[]);
    assert_eq!((code, way(&report, line(WHOLE, "k == 4"), true).0), (0, Some(1)), "{report:#}");
}

#[test]
fn the_bounded_buffer_is_covered() {
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bounded_buffer.c"));
    let (code, report) = Place::with(&source.expect("it is there")).cover(&[]);
    assert_eq!(code, 0, "{report:#}");
    let open = report["branches"].as_array().expect("branches").iter().filter(|branch| branch["degree"].is_null());
    assert_eq!(open.map(|branch| branch["reason"].as_str()).collect::<Vec<_>>(), [Some("impossible")]);
}

#[test]
fn operations_of_a_library_are_covered_by_its_clients() {
    let operations = ["--op", "counter_add", "--op", "counter_grows", "--client-calls", "4"];
    let place = Place::with(LIBRARY);
    let (code, report) = place.cover(&[&operations[..], &["--tests", "suite"]].concat());
    assert_eq!(code, 0, "{report:#}");
    // Closed is what a client has closed before, for nobody closes it meanwhile.
    let add = line(LIBRARY, "!c->closed");
    assert_eq!([way(&report, add, true).0, way(&report, add, false).0], [Some(0), Some(0)]);
    let grows = line(LIBRARY, "after == 42");
    assert_eq!([way(&report, grows, true).0, way(&report, grows, false).0], [Some(1), Some(0)]);
    let of_line = |words: &str, report: &Value| -> Vec<(bool, Option<u64>)> {
        let all = report["branches"].as_array().expect("branches").iter();
        let here = all.filter(|branch| branch["line"] == line(LIBRARY, words));
        here.map(|branch| (branch["outcome"] == true, branch["degree"].as_u64())).collect()
    };
    assert_eq!(of_line("after < before", &report), [(false, Some(0)), (true, None)]);
    // What else clients call is none of the operations.
    let functions = report["branches"].as_array().expect("branches").iter().map(|branch| branch["function"].as_str());
    assert!(functions.flatten().all(|name| ["counter_add", "counter_grows"].contains(&name)), "{report:#}");
    let tests = report["tests"].as_array().expect("tests").len();
    assert_eq!(checked(&place).iter().filter(|line| line.ends_with(": taken")).count(), tests);
    assert!(place.0.path().join("suite/callers.c").is_file());
    assert_eq!(place.run(&["replay", "T1"]).0, 0);

    // In one section nothing comes in between.
    let locked = LIBRARY.lines().filter(|line| !line.contains("gives it back") && !line.contains("takes it again"));
    let (code, report) = Place::with(&locked.collect::<Vec<_>>().join("\n")).cover(&operations);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(way(&report, grows - 2, true), (None, Some("bound")));
    assert_eq!(way(&report, grows - 2, false).0, Some(0));
}

#[test]
fn what_fails_for_what_clients_pass_is_no_finding_and_in_the_ledger() {
    let of = |at: &str, lock: bool| {
        let calls = if lock { ["pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"] } else { ["", ""] };
        let source = PASSED.replace("AT", at).replace("UNLOCK", calls[1]).replace("LOCK", calls[0]);
        Place::with(&source).cover(&["--op", "adds"])
    };
    // Clients pass memory of as many elements as a call takes, up to 256, and it may be more.
    let (code, report) = of("300", true);
    assert_eq!((code, report["findings"].as_array().map(Vec::len)), (5, Some(0)), "{report:#}");
    assert_eq!(report["sequential"][0]["kind"], "out_of_bounds", "{report:#}");
    let ledger = report["ledger"].as_array().expect("a list");
    assert!(ledger.iter().any(|line| line["kind"] == "cut_by_failure"), "{report:#}");
    for at in ["0", "2"] {
        let (code, report) = of(at, true);
        assert_eq!((code, &report["ledger"]), (0, &Value::Array(Vec::new())), "{at}: {report:#}");
    }
    // What goes wrong only with others beside it stays a finding.
    let (code, report) = of("0", false);
    assert_eq!(code, 10, "{report:#}");
}

#[test]
fn operations_that_nobody_can_call() {
    let place = Place::with(LIBRARY);
    let error = |arguments: &[&str]| {
        let (code, report) = place.cover(arguments);
        (code, report["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    let (code, message) = error(&["--op", "counter_put"]);
    assert!(code == 1 && message.contains("no operation `counter_put`"), "{message}");
    let (code, message) = error(&["--op", "counter_grows", "--client-calls", "2"]);
    assert!(code == 2 && message.contains("no client can call `counter_grows`"), "{message}");
    let (code, message) = error(&["--client-calls", "2"]);
    assert!(code == 1 && message.contains("--op"), "{message}");
    let plain = Place::with("int twice(int n, ...) { return n ? 2 : 0; }\n");
    let (code, report) = plain.cover(&["--op", "twice"]);
    assert!(code == 2 && report["error"]["message"].as_str().is_some_and(|text| text.contains("any number")));
}

#[test]
fn who_meets_at_a_barrier_comes_behind_what_all_did_before() {
    let two = BARRIER.replace("COUNT", "2").replace("MORE", "");
    let (code, report) = Place::with(&two).cover(&[]);
    assert_eq!((code, &report["ledger"]), (0, &Value::Array(Vec::new())), "{report:#}");
    for words in ["x = 9;", "x = 5;", "x = 7;"] {
        assert_eq!(way(&report, line(&two, words) - 1, true), (None, Some("impossible")), "{words}");
    }
    assert_eq!(way(&report, line(&two, "== PTHREAD_BARRIER"), true).0, Some(0));
    assert_eq!(way(&report, line(&two, "x == 1"), true).0, Some(1));
    // For three, `main` among them: it need not be one of the others that is the serial thread, and the barrier is for nobody who stays away.
    let three = BARRIER.replace("COUNT", "3").replace("MORE", "pthread_barrier_wait(&b);");
    let (code, report) = Place::with(&three).cover(&[]);
    assert_eq!((code, &report["ledger"]), (0, &Value::Array(Vec::new())), "{report:#}");
    assert_eq!(way(&report, line(&three, "x = 9;") - 1, true), (None, Some("impossible")));
    assert!(way(&report, line(&three, "x = 7;") - 1, true).0.is_some(), "{report:#}");
}

#[test]
fn who_asks_for_a_lock_that_it_has_has_it_once_more_or_is_told_so() {
    let kinds = [("ERRORCHECK", "lock"), ("ERRORCHECK", "trylock"), ("NORMAL", "trylock"), ("RECURSIVE", "lock")];
    for (kind, again) in kinds {
        let kind = format!("PTHREAD_MUTEX_{kind}");
        let source = RELOCKED.replace("KIND", &kind).replace("AGAIN", &format!("pthread_mutex_{again}(&m)"));
        let (code, report) = Place::with(&source).cover(&[]);
        assert_eq!(report["ledger"], Value::Array(Vec::new()), "{kind} {again}: {report:#}");
        // `x` is written and read without an order, which is a finding.
        assert_eq!(code, 10, "{kind} {again}");
        let degree = way(&report, line(&source, "// between") - 1, true).0;
        assert!(degree.is_some(), "{kind} {again}: {report:#}");
        assert_eq!(way(&report, line(&source, "x == 77"), true), (None, Some("impossible")), "{kind} {again}");
        let second = way(&report, line(&source, &format!("pthread_mutex_{again}(&m) == 0")), true);
        assert_eq!(second.0.is_some(), kind.ends_with("RECURSIVE"), "{kind} {again}: {second:?}");
    }
    // Who waits for itself goes no further.
    let stuck = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;\nint main(void) {\n\
                 pthread_mutex_lock(&m);\nif (x == 0) {\npthread_mutex_lock(&m);\n}\nreturn 0; }\n";
    let (code, report) = Place::with(stuck).cover(&[]);
    assert_eq!((code, &report["ledger"]), (10, &Value::Array(Vec::new())), "{report:#}");
    assert_eq!(way(&report, line(stuck, "x == 0"), false), (None, Some("impossible")));
    // A barrier for one is passed at once, as its serial thread.
    let alone = "#include <pthread.h>\nint x; pthread_barrier_t b;\nint main(void) { pthread_barrier_init(&b, 0, 1);\n\
                 if (pthread_barrier_wait(&b) == 0)\nx = 9;\nreturn 0; }\n";
    let (code, report) = Place::with(alone).cover(&[]);
    assert_eq!((code, &report["ledger"]), (0, &Value::Array(Vec::new())), "{report:#}");
    assert_eq!(way(&report, line(alone, "pthread_barrier_wait"), true), (None, Some("impossible")));
}

#[test]
fn waits_end_in_time_or_late_and_what_is_called_once_is() {
    let (code, report) = Place::with(LIMIT).cover(&[]);
    assert_eq!((code, &report["ledger"]), (0, &Value::Array(Vec::new())), "{report:#}");
    let late = line(LIMIT, "if (late)");
    assert_eq!(way(&report, late, true).0, Some(0));
    // That somebody is ready is read, or told in time; and one of the two has found that the other has called it.
    assert_eq!(way(&report, late, false).0, Some(2));
    assert_eq!(way(&report, line(LIMIT, "ready = 9;") - 1, true), (None, Some("impossible")));
    assert_eq!(way(&report, line(LIMIT, "return 1;") - 1, true), (None, Some("impossible")));
}

/// The report on a program of which nothing is lost.
fn nothing_lost(source: &str) -> Value {
    let (_, report) = Place::with(source).cover(&[]);
    assert_eq!(report["ledger"], Value::Array(Vec::new()), "{source}: {report:#}");
    report
}

/// The degree of a way; none where it is impossible.
fn degree(report: &Value, line: u64, outcome: bool) -> Result<u64, ()> {
    match way(report, line, outcome) {
        (Some(degree), _) => Ok(degree),
        (None, Some("impossible")) => Err(()),
        (None, reason) => panic!("line {line} {outcome}: {reason:?}"),
    }
}

#[test]
fn whether_a_thread_has_ended_is_an_outcome() {
    let report = nothing_lost(TRYJOIN);
    let ended = line(TRYJOIN, "pthread_tryjoin_np");
    assert_eq!([way(&report, ended, true).0, way(&report, ended, false).0], [Some(1), Some(0)]);
    // What the thread wrote is in order then.
    let written = line(TRYJOIN, "x == 1");
    assert_eq!(way(&report, written, true).0, Some(1));
    assert_eq!(way(&report, written, false), (None, Some("impossible")));
    // Who has ended in any case may be found to have not, as long as nobody waits for that.
    let timed = TRYJOIN.replace("pthread_tryjoin_np(t, 0)", "pthread_timedjoin_np(t, 0, &(struct timespec){1, 0})");
    let report = nothing_lost(&timed.replace("#include <pthread.h>", "#include <pthread.h>\n#include <time.h>"));
    assert_eq!([way(&report, ended + 1, true).0, way(&report, ended + 1, false).0], [Some(1), Some(0)]);
}

#[test]
fn what_is_tried_to_be_taken_from_a_semaphore() {
    for call in ["sem_trywait(&s)", "sem_timedwait(&s, &limit)"] {
        let tried = TRIED.replace("TRY", call).replace("LIMIT", "1, 0");
        let of = |count: &str, other: &str| {
            let source = tried.replace("COUNT", count).replace("OTHER", other);
            let report = nothing_lost(&source);
            let at = line(&source, &format!("{call} == 0"));
            let ways = [(at, true), (at, false), (at + 1, true), (at + 1, false)];
            ways.map(|(line, outcome)| degree(&report, line, outcome))
        };
        // There is something once it was posted, and then it is known what was written before that.
        assert_eq!(of("0", "sem_post(&s)"), [Ok(1), Ok(0), Ok(2), Err(())], "{call}");
        // There is nothing once another thread has taken it.
        assert_eq!(of("1", "sem_wait(&s)")[..2], [Ok(0), Ok(1)], "{call}");
        // Nobody takes it away.
        assert_eq!(of("1", "sem_post(&s)")[1], Err(()), "{call}");
        assert_eq!(of("0", "x = 1")[0], Err(()), "{call}");
    }
}

#[test]
fn what_semaphores_count() {
    let counts = |posts: &str| {
        let source = COUNTED.replace("POSTS", posts);
        let report = nothing_lost(&source);
        [0, 1, 2, 3].map(|count| degree(&report, line(&source, &format!("count == {count}")), true))
    };
    assert_eq!(counts(""), [Ok(1), Ok(0), Err(()), Err(())]);
    assert_eq!(counts("sem_post(&s);"), [Err(()), Ok(0), Ok(1), Err(())]);
    assert_eq!(counts("sem_post(&s); sem_post(&s);"), [Err(()), Ok(0), Ok(1), Ok(1)]);
}

#[test]
fn nothing_comes_between_what_an_atomic_section_does() {
    let whole = SECTION.replace("BEGIN", "__VERIFIER_atomic_begin();").replace("END", "__VERIFIER_atomic_end();");
    let report = nothing_lost(&whole);
    assert_eq!(way(&report, line(&whole, "now == 1"), true), (None, Some("impossible")));
    assert_eq!(way(&report, line(&whole, "now == 2"), true).0, Some(1));
    let apart = SECTION.replace("BEGIN", "").replace("END", "");
    let report = nothing_lost(&apart);
    assert_eq!(way(&report, line(&apart, "now == 1"), true).0, Some(1));
}

/// By lines of the write and the read: the degree, or why there is none.
fn pairs(report: &Value) -> Vec<((u64, u64), Result<u64, String>)> {
    let all = report["pairs_def_use"].as_array().expect("pairs").iter();
    let number = |value: &Value| value["line"].as_u64().expect("a line");
    let degree = |pair: &Value| match pair["degree"].as_u64() {
        Some(degree) => Ok(degree),
        None => Err(format!("{} {}", pair["reason"].as_str().unwrap_or_default(), pair["for_all_k"])),
    };
    all.map(|pair| ((number(&pair["write"]), number(&pair["read"])), degree(pair))).collect()
}

#[test]
fn reads_and_the_writes_of_other_threads_that_they_find() {
    let place = Place::with(USED);
    let (code, report) = place.cover(&["--goal", "def-use", "--tests", "suite"]);
    assert_eq!(code, 0, "{report:#}");
    let at = |words: &str| line(USED, words);
    let impossible = || Err("impossible true".to_owned());
    let expected = [
        ((at("x = 1;"), at("int seen = x")), impossible()),
        ((at("x = 2;"), at("int seen = x")), Ok(1)),
        ((at("x = seen + 5"), at("x > 5")), Ok(1)),
        ((at("x = 1;"), at("x > 5")), impossible()),
        ((at("x = 2;"), at("x > 5")), Ok(0)),
    ];
    let mut found = pairs(&report);
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{report:#}");
    // Without the lock the first of the two writes is found as well, which is a race.
    let bare: Vec<&str> = USED.lines().filter(|line| !line.contains("mutex_")).collect();
    let bare = bare.join("\n");
    let (code, report) = Place::with(&bare).cover(&["--goal", "def-use"]);
    assert_eq!(code, 10, "{report:#}");
    let first = (line(&bare, "x = 1;"), line(&bare, "int seen = x"));
    assert!(pairs(&report).contains(&(first, Ok(1))), "{report:#}");
    // Each pair has a test, which takes its schedule natively.
    let tests = report["tests"].as_array().expect("tests").len();
    assert!(tests > 0);
    let ends = checked(&place);
    assert!(!ends.is_empty() && ends.iter().all(|line| line.ends_with(": taken")), "{ends:?}");
    assert_eq!(place.run(&["replay", "T1"]).0, 0);
    let (code, report) = place.cover(&["--goal", "def-use", "--max-k", "0"]);
    assert_eq!(code, 0, "{report:#}");
    let bounded = ((at("x = 2;"), at("int seen = x")), Err("impossible false".to_owned()));
    assert!(pairs(&report).contains(&bounded), "{report:#}");
    let (code, _) = place.cover(&["--goal", "def-use", "--lcov", "p.info"]);
    assert_eq!(code, 1);
}

#[test]
fn what_is_not_followed_is_in_the_ledger() {
    let bad = TRIED.replace("TRY", "sem_timedwait(&s, &limit)").replace("COUNT", "0").replace("OTHER", "sem_post(&s)");
    let sources = [(ANEW.to_owned(), "count == 6"), (bad.replace("LIMIT", "1, -1"), "sem_timedwait(&s, &limit) == 0")];
    for (source, words) in sources {
        let (code, report) = Place::with(&source).cover(&[]);
        assert!([5, 10].contains(&code), "{report:#}");
        let is_told = |line: &Value| line["remedy"].as_str().is_some_and(|remedy| remedy.contains("is not followed"));
        assert!(report["ledger"].as_array().expect("a list").iter().any(is_told), "{report:#}");
        let (_, reason) = way(&report, line(&source, words), true);
        assert!(reason.is_none_or(|reason| reason != "impossible"), "{report:#}");
    }
}

/// What `make check` says of each test of a suite.
fn checked(place: &Place) -> Vec<String> {
    let output = Command::new("make").args(["-s", "-j2", "-C", "suite", "check"]).current_dir(place.0.path()).output();
    let output = output.expect("make runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_suite_takes_its_ways_without_raddle() {
    let place = Place::with(INPUT_AND_INTERFERENCE);
    let (code, report) = place.cover(&["--tests", "suite", "--lcov", "p.info"]);
    assert_eq!(code, 0, "{report:#}");
    let tests = report["tests"].as_array().expect("tests");
    let covered = report["branches"].as_array().expect("branches").iter().filter(|branch| !branch["degree"].is_null());
    let files: Vec<&str> = covered.map(|branch| branch["test"].as_str().expect("a file")).collect();
    for file in &files {
        assert!(place.0.path().join(file).is_file(), "{file}");
        assert!(tests.iter().any(|test| test["file"] == *file), "{file}: {report:#}");
    }
    assert_eq!(checked(&place), (1..=tests.len()).map(|number| format!("t{number:02}: taken")).collect::<Vec<_>>());
    let lines = std::fs::read_to_string(place.0.path().join("p.info")).expect("written");
    assert!(lines.contains(&format!("BRH:{}\n", files.len())), "{lines}");

    let (code, again) = place.run(&["replay", "T1"]);
    assert_eq!((code, again["verdict"].as_str()), (0, Some("safe")), "{again:#}");
    assert!(!again["branches"].as_array().expect("branches").is_empty());
    // Of another program it is refused.
    std::fs::write(place.0.path().join("p.c"), INPUT_AND_INTERFERENCE.replace("v == 5", "v == 6")).expect("written");
    assert_eq!(place.run(&["replay", "T1"]).0, 2);
}

#[test]
fn a_test_that_ends_by_a_failure_takes_its_ways_before() {
    let place = Place::with(LIST);
    assert_eq!(place.cover(&["--tests", "suite"]).0, 10);
    let ends = checked(&place);
    assert!(ends.iter().all(|line| line.contains(": taken")), "{ends:?}");
    assert_eq!(ends.iter().filter(|line| line.ends_with("and then the program failed")).count(), 1, "{ends:?}");
}

#[test]
fn a_suite_goes_on_with_a_program_that_was_edited() {
    let place = Place::with(INPUT_AND_INTERFERENCE);
    let (code, first) = place.cover(&["--tests", "suite"]);
    assert_eq!(code, 0, "{first:#}");
    let holds = |report: &Value| -> Vec<bool> {
        let all = report["baseline_tests"].as_array().expect("tests").iter();
        all.map(|test| test["holds"].as_bool().expect("a truth")).collect()
    };
    let degrees = |report: &Value| -> Vec<Option<u64>> {
        report["branches"].as_array().expect("branches").iter().map(|branch| branch["degree"].as_u64()).collect()
    };
    // Nothing has changed.
    let before = first["tests"].as_array().expect("tests").len();
    let (code, again) = place.cover(&["--baseline", "suite", "--tests", "suite"]);
    assert_eq!((code, degrees(&again)), (0, degrees(&first)), "{again:#}");
    assert_eq!(holds(&again), vec![true; before]);
    assert_eq!(checked(&place).iter().filter(|line| line.ends_with(": taken")).count(), before);

    // There is more to cover, and other lines.
    let more = INPUT_AND_INTERFERENCE
        .replace("    if (v == 5)", "\n    if (v == 5 && in == 7)")
        .replace("        x = 5;", "        x = 5;\n    if (in == 9)\n        seen = 2;");
    std::fs::write(place.0.path().join("p.c"), &more).expect("written");
    let (code, report) = place.cover(&["--baseline", "suite", "--tests", "suite"]);
    assert_eq!((code, holds(&report)), (0, vec![true; before]), "{report:#}");
    assert_eq!(way(&report, line(&more, "in == 9"), true).0, Some(0));
    assert_eq!(way(&report, line(&more, "v == 5"), true).0, Some(1));
    let (_, cold) = place.cover(&[]);
    assert_eq!(degrees(&report), degrees(&cold));

    // Without the second thread its steps cannot be taken.
    let alone: Vec<&str> =
        INPUT_AND_INTERFERENCE.lines().filter(|line| !line.contains("(&b,") && !line.contains("(b,")).collect();
    std::fs::write(place.0.path().join("p.c"), alone.join("\n")).expect("written");
    let (_, report) = place.cover(&["--baseline", "suite"]);
    let lost = report["baseline_tests"].as_array().expect("tests").iter().filter(|test| test["holds"] == false);
    let why: Vec<&str> = lost.filter_map(|test| test["why"].as_str()).collect();
    assert!(!why.is_empty() && why.iter().all(|why| why.contains(" at step ")), "{report:#}");

    // Another program's suite is none.
    std::fs::write(place.0.path().join("q.c"), INPUT_AND_INTERFERENCE).expect("written");
    let (code, report) = place.run(&["cover", "q.c", "--baseline", "suite"]);
    let message = report["error"]["message"].as_str().unwrap_or_default();
    assert!(code == 2 && message.contains("a suite of p.c, and this is q.c"), "{report:#}");
    std::fs::create_dir(place.0.path().join("empty")).expect("made");
    let (code, report) = place.cover(&["--baseline", "empty"]);
    let message = report["error"]["message"].as_str().unwrap_or_default();
    assert!(code == 2 && message.contains("it has no test"), "{report:#}");
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let place = Place::with(INPUT_AND_INTERFERENCE);
    std::fs::create_dir(place.0.path().join("suite")).expect("made");
    std::fs::write(place.0.path().join("suite/notes"), "").expect("written");
    let (code, report) = place.cover(&["--tests", "suite"]);
    let message = report["error"]["message"].as_str().unwrap_or_default();
    assert!(code == 1 && message.contains("`notes`"), "{report:#}");
    assert!(place.0.path().join("suite/notes").exists());
}

#[test]
fn input_that_is_no_good() {
    let library = Place::with("int f(int x) { return x ? 1 : 2; }\n");
    let (code, report) = library.cover(&[]);
    assert_eq!((code, &report["error"]["kind"]), (2, &"no_main".into()));
    let straight = Place::with("int main(void) { return 0; }\n");
    let (code, report) = straight.cover(&[]);
    assert_eq!((code, &report["error"]["kind"]), (2, &"no_branch".into()));
    let (code, _) = straight.cover(&["--max-k", "-1"]);
    assert_eq!(code, 1);
}
