//! What is kept from one run to the next: what is reused, what is not, and what happens where nothing can be kept.

use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A stack: `push` races with itself and with `top`, `clear` is under a lock.
const STACK: &str = "#include <pthread.h>
struct node { struct node *next; int value; };
struct stack { pthread_mutex_t lock; struct node *first; int cleared; };
static void link(struct stack *s, struct node *n) {
    n->next = s->first;
    s->first = n;
}
void push(struct stack *s, struct node *n) {
    link(s, n);
}
int top(struct stack *s) {
    struct node *first = s->first;
    return first ? first->value : 0;
}
void clear(struct stack *s) {
    pthread_mutex_lock(&s->lock);
    s->cleared++;
    pthread_mutex_unlock(&s->lock);
}
";

struct Place {
    directory: tempfile::TempDir,
}

/// One run.
struct Ran {
    code: Option<i32>,
    report: Value,
    stderr: String,
}

impl Ran {
    fn reused(&self) -> (u64, u64) {
        let store = &self.report["stats"]["store"];
        (store["reused"].as_u64().unwrap_or_default(), store["entries"].as_u64().unwrap_or_default())
    }

    /// Lines of each race.
    fn races(&self) -> Vec<[u64; 2]> {
        let lines = |finding: &Value| {
            let mut lines = [0, 1].map(|side| finding["accesses"][side]["line"].as_u64().unwrap_or_default());
            lines.sort_unstable();
            lines
        };
        let findings = self.report["findings"].as_array().expect("a list");
        let mut races: Vec<[u64; 2]> = findings.iter().map(lines).collect();
        races.sort_unstable();
        races
    }
}

impl Place {
    fn new(source: &str) -> Self {
        let place = Place { directory: tempfile::tempdir().expect("a directory") };
        place.write(source);
        place
    }

    fn write(&self, source: &str) {
        std::fs::write(self.path("stack.c"), source).expect("it is written");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, flags: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .current_dir(self.directory.path())
            .env_remove("RADDLE_STORE")
            .args(["races", "stack.c", "--op", "push", "--op", "top", "--op", "clear", "--client-calls", "0"])
            .args(["--format", "json"])
            .args(flags)
            .output()
            .expect("raddle runs");
        let report = serde_json::from_slice(&output.stdout).expect("the report is JSON");
        Ran { code: output.status.code(), report, stderr: String::from_utf8_lossy(&output.stderr).into_owned() }
    }

    fn stored(&self) -> Ran {
        self.run(&["--store", "store"])
    }

    fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(self.directory.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// The results that are kept.
    fn results(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("store")).expect("a directory");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "result")).collect()
    }
}

/// What a run says, but for what was reused.
fn said(ran: &Ran) -> Value {
    let mut report = ran.report.clone();
    report.as_object_mut().expect("an object").remove("stats");
    for entry in report["matrix"].as_array_mut().expect("a list") {
        entry.as_object_mut().expect("an object").remove("reused");
    }
    report
}

#[test]
fn a_second_run_says_what_the_first_said() {
    let place = Place::new(STACK);
    let first = place.stored();
    assert_eq!((first.code, first.reused()), (Some(10), (0, 6)), "{}", first.stderr);
    assert_eq!(first.races(), [[5, 5], [5, 6], [6, 6], [6, 12]], "both threads push one node");
    let second = place.stored();
    assert_eq!((second.code, second.reused()), (Some(10), (6, 6)));
    assert_eq!(said(&first), said(&second));
    assert_eq!(second.report["matrix"][0]["reused"], true);
    let witness = place.path("raddle-out/R1.witness.json");
    let replayed = Command::new(env!("CARGO_BIN_EXE_raddle")).arg("replay").arg(witness).output().expect("it runs");
    assert_eq!(replayed.status.code(), Some(10), "what was reused replays");
    let without = place.run(&["--no-store"]);
    assert_eq!(said(&first), said(&without));
    assert_eq!(without.report["stats"]["store"], Value::Null);
}

#[test]
fn only_what_depends_on_an_edit_is_explored_anew() {
    let place = Place::new(STACK);
    place.stored();
    // Lines that move change nothing, but the places that are named.
    place.write(&STACK.replace("static void link", "// a remark\nstatic void link"));
    let moved = place.stored();
    assert_eq!(moved.reused(), (6, 6));
    assert_eq!(moved.races(), [[6, 6], [6, 7], [7, 7], [7, 13]]);
    assert_eq!(said(&moved), said(&place.run(&["--no-store"])));
    // `push` calls it, `top` and `clear` do not.
    place.write(&STACK.replace("s->first = n;", "s->first = n; s->cleared = 0;"));
    let edited = place.stored();
    assert_eq!(edited.reused(), (3, 6), "top and top, top and clear, clear and clear");
    assert_eq!(said(&edited), said(&place.run(&["--no-store"])));
    // A type that all of them know.
    place.write(&STACK.replace("int cleared;", "int cleared; int more;"));
    assert_eq!(place.stored().reused(), (0, 6));
    // What was known is known.
    place.write(STACK);
    assert_eq!(place.stored().reused(), (6, 6));
    // Other bounds are another question.
    assert_eq!(place.run(&["--store", "store", "--depth", "2"]).reused(), (0, 6));
}

#[test]
fn what_is_damaged_or_foreign_is_explored_anew() {
    let place = Place::new(STACK);
    let first = place.stored();
    let results = place.results();
    assert_eq!(results.len(), 6);
    let whole = std::fs::read(&results[0]).expect("a result");
    std::fs::write(&results[0], &whole[..whole.len() / 2]).expect("it is written");
    let again = place.stored();
    assert!(again.stderr.contains("holds a damaged result: explored anew"), "{}", again.stderr);
    assert_eq!((again.reused(), said(&again)), ((5, 6), said(&first)));
    assert_eq!(place.stored().reused(), (6, 6), "and is kept anew");

    let header = place.path("store/results.json");
    let text = std::fs::read_to_string(&header).expect("a header");
    std::fs::write(&header, text.replace("\"build\":\"", "\"build\":\"0")).expect("it is written");
    let other = place.stored();
    assert!(other.stderr.contains("holds results of another build of raddle"), "{}", other.stderr);
    assert_eq!((other.reused(), said(&other)), ((0, 6), said(&first)));
    assert_eq!(place.stored().reused(), (6, 6));

    std::fs::write(&header, "something else").expect("it is written");
    let rebuilt = place.stored();
    assert!(rebuilt.stderr.contains("is damaged: nothing is reused"), "{}", rebuilt.stderr);
    assert_eq!((rebuilt.reused(), said(&rebuilt)), ((0, 6), said(&first)));
    assert_eq!(place.stored().reused(), (6, 6));
}

#[test]
fn where_nothing_can_be_kept_the_run_goes_on() {
    let place = Place::new(STACK);
    // A file where the directory should be.
    std::fs::write(place.path("taken"), "").expect("it is written");
    let ran = place.run(&["--store", "taken"]);
    assert_eq!(ran.code, Some(10));
    assert!(ran.stderr.contains("taken cannot be written"), "{}", ran.stderr);
    let missing = Path::new("/proc/none");
    let ran = place.run(&["--store", &missing.display().to_string()]);
    assert_eq!(ran.code, Some(10));
    assert!(ran.stderr.contains("cannot be written"), "{}", ran.stderr);
    // What can be read is reused where nothing can be written.
    place.stored();
    for path in place.results().into_iter().chain([place.path("store")]) {
        let mode = if path.is_dir() { 0o555 } else { 0o444 };
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).expect("our own");
    }
    let ran = place.stored();
    assert_eq!((ran.code, ran.reused()), (Some(10), (6, 6)), "{}", ran.stderr);
    std::fs::set_permissions(place.path("store"), Permissions::from_mode(0o755)).expect("our own");
}

#[test]
fn what_ran_out_of_time_is_not_kept() {
    let place = Place::new(STACK);
    let ran = place.run(&["--store", "store", "--max-time", "0.000001"]);
    assert_eq!(ran.code, Some(5), "{}", ran.report);
    assert!(!place.path("store").exists() || place.results().is_empty());
    assert_eq!(place.stored().reused(), (0, 6));
}

#[test]
fn many_runs_at_the_same_time_share_a_store() {
    let place = Place::new(STACK);
    let said: Vec<Value> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|index| {
                let place = &place;
                scope.spawn(move || place.run(&["--store", "store", "--out", &format!("out{index}")]))
            })
            .collect();
        let each = runs.into_iter().map(|run| run.join().expect("it ends"));
        each.map(|ran| {
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(10), ""));
            ran.report["matrix"].as_array().expect("a list").iter().map(|entry| entry["verdict"].clone()).collect()
        })
        .collect()
    });
    assert!(said.iter().all(|verdicts| *verdicts == said[0]));
    assert_eq!(place.stored().reused(), (6, 6));
}

#[test]
fn only_what_has_changed_since_a_revision() {
    let place = Place::new(STACK);
    place.git(&["init", "--quiet"]);
    place.git(&["add", "stack.c"]);
    place.git(&["commit", "--quiet", "--message", "first"]);
    let since = |revision: &str| place.run(&["--no-store", "--changed-since", revision]);
    let matrix = |ran: &Ran| -> Vec<String> {
        let entries = ran.report["matrix"].as_array().expect("a list").iter();
        entries.map(|entry| format!("{} {}", entry["operations"][0], entry["operations"][1]).replace('"', "")).collect()
    };
    let unchanged = since("HEAD");
    assert_eq!((unchanged.code, matrix(&unchanged)), (Some(0), vec![]), "{}", unchanged.stderr);
    assert_eq!(unchanged.report["claim"]["changed_since"], "HEAD");
    // Only a place.
    place.write(&format!("// a remark\n{STACK}"));
    assert_eq!(since("HEAD").code, Some(0));
    // `clear` is safe with itself and with `top`; with `push` it is safe too.
    place.write(&STACK.replace("s->cleared++;", "s->cleared += 2;"));
    let clear = since("HEAD");
    let with_itself = ["push push", "push clear", "top top", "top clear", "clear clear"];
    assert_eq!(matrix(&clear), with_itself, "and what shows whether the others can be called");
    // A race that is new.
    place.write(&STACK.replace("pthread_mutex_lock(&s->lock);", "").replace("pthread_mutex_unlock(&s->lock);", ""));
    let racy = since("HEAD");
    assert_eq!(racy.code, Some(10));
    assert!(racy.races().contains(&[17, 17]), "{:?}", racy.races());
    // An operation that was not there.
    place.write(STACK);
    place.git(&["rm", "--quiet", "--cached", "stack.c"]);
    place.git(&["commit", "--quiet", "--message", "second"]);
    let gone = since("HEAD");
    assert!(gone.stderr.contains("--changed-since HEAD: ") && gone.stderr.contains("all counts as changed"));
    assert_eq!((gone.code, matrix(&gone).len()), (Some(10), 6));
    let unknown = since("nowhere");
    assert!(unknown.stderr.contains("the repository has no revision `nowhere`"), "{}", unknown.stderr);
    assert_eq!((unknown.code, matrix(&unknown).len()), (Some(10), 6));
}

#[test]
fn without_a_repository_all_counts_as_changed() {
    let place = Place::new(STACK);
    let ran = place.run(&["--no-store", "--changed-since", "HEAD"]);
    assert_eq!(ran.code, Some(10));
    assert!(ran.stderr.contains("not a git repository") && ran.stderr.contains("all counts as changed"));
}
