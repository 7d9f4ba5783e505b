//! Clients: which findings public calls lead to, and what counts.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What `raddle races` says of the library in tests/ui, with a macro defined: exit code and report.
fn races(which: &str, flags: &[&str], out: &Path) -> (Option<i32>, Value) {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui/races/calls/clients.c");
    races_of(&library, which, &[&["--op", "add"], flags].concat(), out)
}

fn races_of(library: &Path, which: &str, flags: &[&str], out: &Path) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .env("RADDLE_STORE", "off")
        .arg("races")
        .arg(library)
        .args(["--heaps", "any", "--format", "json", "--out"])
        .arg(out)
        .args(flags)
        .args(["--", &format!("-D{which}")])
        .output()
        .expect("raddle runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("the report is JSON"))
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

#[test]
fn a_client_is_a_program_of_public_calls() {
    let out = directory();
    let (code, report) = races("returned", &["--op", "first"], out.path());
    assert_eq!(code, Some(10));
    let client = &report["findings"][0]["client"];
    assert_eq!(client["calls"], 3, "new_list, and the two that race: {client}");
    let text = std::fs::read_to_string(out.path().join("R1.client.c")).expect("the client is written");
    assert!(text.contains("root0 = new_list();") && text.contains("static struct list *root0;"), "{text}");
    assert!(text.starts_with("// build: clang-22 "), "{text}");
    let witness = std::fs::read_to_string(client["witness"].as_str().expect("a path")).expect("its witness is written");
    assert!(witness.contains("R1.client.c") && witness.contains("\"reachable\""));
}

/// What solvers give for arguments depends on what they were asked before, and the heaps that are tried on who has built some.
#[test]
fn which_clients_are_found_does_not_depend_on_how_many_look() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ssrd/queue.c");
    let operations = ["insert", "remove_min", "search"].map(|name| ["--op", name]).concat();
    let place = directory();
    let clients = |workers: &str| {
        let out = place.path().join(workers);
        let others = ["--valid", "valid", "--no-remedies", "--workers", workers];
        let (_, report) = races_of(&library, "victim_unlocked", &[&operations[..], &others].concat(), &out);
        let findings = report["findings"].as_array().expect("a list");
        let called = |finding: &Value| std::fs::read_to_string(finding["client"]["file"].as_str()?).ok();
        findings.iter().map(called).collect::<Vec<_>>()
    };
    let [alone, together] = ["1", "3"].map(clients);
    assert!(alone.iter().flatten().count() > 5, "{alone:?}");
    for (one, other) in alone.iter().zip(&together) {
        let lines = |text: &Option<String>| {
            // What builds it names the folder.
            let lines = text.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with("//"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(one), lines(other));
    }
    assert_eq!(alone.len(), together.len());
}

#[test]
fn what_counts_decides_the_exit_code() {
    let out = directory();
    let required = ["--op", "secret", "--require", "reachable"];
    let (code, report) = races("unbuilt", &required, out.path());
    assert_eq!((code, report["verdict"].as_str()), (Some(5), Some("inconclusive")), "{report}");
    assert_eq!(report["ledger"][0]["kind"], "not_required");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(3), "they are shown all the same");
    assert!(report["findings"][0]["unreached"].as_str().is_some_and(|why| why.contains("heaps")));
    assert_eq!(races("unbuilt", &["--op", "secret"], out.path()).0, Some(10));
    assert_eq!(races("returned", &["--op", "first", "--require", "reachable"], out.path()).0, Some(10));
}

/// A box whose state only `put` changes, if anything.
const BOX: &str = r"
#include <pthread.h>
#include <stdlib.h>
struct box { pthread_mutex_t lock; int state; int value; };
void tell(int value);
struct box *make(void)
{
    struct box *b = malloc(sizeof *b);
    if (b == NULL)
        return NULL;
    pthread_mutex_init(&b->lock, NULL);
    b->state = 0;
    b->value = 0;
    return b;
}
void put(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock);
#ifdef unmodelled
    if (value == 77) {
        tell(value);
        b->state = 7;
    }
#endif
    pthread_mutex_unlock(&b->lock);
    if (b->state == 7)
        b->value++;
}
";

#[test]
fn that_no_client_leads_to_it_is_said_only_where_all_were_tried() {
    let out = directory();
    let library = out.path().join("box.c");
    std::fs::write(&library, BOX).expect("a temporary file");
    let unreached = |which| {
        let (_, report) = races_of(&library, which, &["--op", "put"], &out.path().join("out"));
        let findings = report["findings"].as_array().expect("a list");
        findings.iter().map(|finding| finding["unreached"].to_string()).collect::<Vec<_>>()
    };
    let said = unreached("constant");
    assert!(!said.is_empty() && said.iter().all(|why| why.contains("on none of")), "{said:?}");
    // There is one, behind a call that cannot be followed.
    let said = unreached("unmodelled");
    assert!(!said.is_empty() && said.iter().all(|why| !why.contains("on none of")), "{said:?}");
}

#[test]
fn why_no_client_can_be_tried_is_said() {
    let out = directory();
    let (_, report) = races("unmade", &["--op", "first"], out.path());
    let why = "no public function makes a `struct list`";
    assert_eq!((&report["verdict"], &report["findings"][0]["unreached"]), (&"findings".into(), &why.into()));
    let (code, report) = races("unmade", &["--op", "first", "--require", "reachable"], out.path());
    assert_eq!((code, &report["verdict"]), (Some(5), &"inconclusive".into()));
    assert_eq!(report["findings"][0]["unreached"], why, "it is shown all the same");
    let [entry] = report["ledger"].as_array().map_or(&[][..], Vec::as_slice) else { panic!("{}", report["ledger"]) };
    assert_eq!((&entry["kind"], &entry["where"]), (&"not_required".into(), &"R1".into()));
    assert!(entry["remedy"].as_str().is_some_and(|remedy| remedy.ends_with(why)), "{entry}");
    let (_, report) = races("returned", &["--op", "first", "--client-calls", "0"], out.path());
    assert_eq!(report["findings"][0]["shape"], "assumed");
    assert!(!out.path().join("R1.client.c").exists(), "that of the run before is gone");
}

/// A library in two sources that have a static function of one name, so that no program can include both, and a header, or
/// none that declares what the other source has.
#[test]
fn a_client_of_several_sources_includes_as_few_as_it_can() {
    let maker = "#include <stdlib.h>\n#include \"box.h\"\nstatic int first(void) { return 1; }\n\
                 struct box *make(void) { struct box *b = malloc(sizeof *b); b->value = first(); return b; }\n";
    let adder = "#include \"box.h\"\nstatic int first(void) { return 2; }\n\
                 int add(struct box *b) { return b->value += first(); }\n";
    for header in ["struct box { int value; };\nint add(struct box *);\n", "struct box { int value; };\n"] {
        let place = directory();
        for (name, text) in [("make.c", maker), ("add.c", adder), ("box.h", header)] {
            std::fs::write(place.path().join(name), text).expect("it is written");
        }
        let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(["races", "make.c", "add.c", "--op", "add", "--format", "json"])
            .current_dir(place.path())
            .output()
            .expect("raddle runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
        let client = report["findings"][0]["client"]["file"].as_str().unwrap_or_else(|| panic!("{report}"));
        let text = std::fs::read_to_string(place.path().join(client)).expect("the client is written");
        assert_eq!(text.matches("#include \"/").count(), 1, "{text}");
    }
}

#[test]
fn a_search_that_is_killed_while_clients_come_first_begins_with_them_again() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skiplist.c");
    let out = directory();
    let raddle = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).env("RADDLE_STORE", "off").stderr(Stdio::null());
        command
    };
    let said = |mut command: Command| -> Value {
        let output = command.arg("--format").arg("json").output().expect("raddle runs");
        serde_json::from_slice(&output.stdout).expect("the report is JSON")
    };
    let (source, place) = (library.display().to_string(), out.path().join("out").display().to_string());
    let search = ["races", &source, "--op", "search", "--op", "insert", "--depth", "2", "--out", &place];
    let whole = said(raddle(&search));
    std::fs::remove_dir_all(out.path().join("out")).expect("there are witnesses");

    let mut child = raddle(&search).env("RADDLE_CHECKPOINT", "0").stdout(Stdio::null()).spawn().expect("raddle runs");
    let begun = Instant::now();
    while !out.path().join("out/unfinished.raddle").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    let rest = said(raddle(&["resume", &place]));
    for field in ["verdict", "findings", "matrix", "ledger", "assumptions", "reached"] {
        assert_eq!(rest[field], whole[field], "{field}");
    }
}
