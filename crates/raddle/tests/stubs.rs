//! `raddle doctor --stubs`: what is written, that it compiles with the program, and what is said where it does not.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = r#"
#include <stdbool.h>
struct client;
enum mode { OFF, ON };
typedef struct { int x, y; double w; } point;
typedef unsigned long handle_t;
int ask(int question, const struct client *who, enum mode m);
point where(point from, const char *name);
handle_t open_it(void (*done)(int, char *), ...);
bool ready(void);
const char *text_of(char *const words[], int (*table)[4]);
double weight(float of);
void finish(void);
int old_style();
int main(void)
{
    point p = {1, 2, 3};
    if (ask(1, 0, ON) == 42 && ready())
        return 1;
    p = where(p, "x");
    finish();
    return open_it(0, 1) > 3 || text_of(0, 0) || weight(1) > 2 || old_style(1, 2) + p.x > 5;
}
"#;

fn raddle(at: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.current_dir(at).env("XDG_CACHE_HOME", at.join("cache")).args(words);
    command.output().expect("raddle runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn stubs_compile_with_the_program_as_it_stands() {
    let place = tempfile::tempdir().expect("a directory");
    let at = place.path();
    std::fs::write(at.join("app.c"), PROGRAM).expect("a file");
    let wrote = raddle(at, &["doctor", "--stubs", "stubs.c", "app.c"]);
    let said = String::from_utf8_lossy(&wrote.stdout).into_owned();
    assert!(said.contains("Stubs to fill in: stubs.c"), "{said}{}", String::from_utf8_lossy(&wrote.stderr));
    let stubs = std::fs::read_to_string(at.join("stubs.c")).expect("stubs");
    for head in [
        "int ask(int p1, const struct client *p2, unsigned p3)",
        "unsigned long open_it(void (*p1)(int, char *), ...)",
        "_Bool ready(void)",
        "double weight(float p1)",
        "void finish(void)",
        "int old_style()",
    ] {
        assert!(stubs.contains(head), "{head}: {stubs}");
    }
    // With them nothing is unknown any more.
    let doctor = json(&raddle(at, &["doctor", "--format", "json", "app.c", "stubs.c"]));
    assert_eq!(doctor["unmodelled"].as_array().map(Vec::len), Some(0), "{doctor}");
    let checked = json(&raddle(at, &["check", "--no-store", "--format", "json", "app.c", "stubs.c"]));
    let lost: Vec<&Value> = checked["ledger"].as_array().into_iter().flatten().map(|line| &line["kind"]).collect();
    assert!(!lost.contains(&&"external_call".into()), "{checked}");
}

#[test]
fn what_the_user_wrote_stays_and_what_does_not_compile_is_said() {
    let place = tempfile::tempdir().expect("a directory");
    let at = place.path();
    std::fs::write(at.join("app.c"), PROGRAM).expect("a file");
    std::fs::write(at.join("mine.c"), "int mine;\n").expect("a file");
    let refused = json(&raddle(at, &["doctor", "--stubs", "mine.c", "--format", "json", "app.c"]));
    assert!(refused["error"]["message"].as_str().is_some_and(|why| why.contains("it stays")), "{refused}");
    assert_eq!(std::fs::read_to_string(at.join("mine.c")).ok().as_deref(), Some("int mine;\n"));
    // As they were written they may be written again, filled in they stay.
    let again = || json(&raddle(at, &["doctor", "--stubs", "made.c", "--format", "json", "app.c"]));
    again();
    assert_eq!(again()["error"], Value::Null);
    let filled = std::fs::read_to_string(at.join("made.c")).expect("stubs").replace("/* nothing */", "/* mine */");
    std::fs::write(at.join("made.c"), &filled).expect("a file");
    assert!(again()["error"]["message"].as_str().is_some_and(|why| why.contains("it stays")));
    assert_eq!(std::fs::read_to_string(at.join("made.c")).ok(), Some(filled));
    std::fs::write(at.join("stubs.c"), "int ask(int q)\n{\n    return q +;\n}\n").expect("a file");
    let failed = raddle(at, &["check", "--format", "json", "app.c", "stubs.c"]);
    let document = json(&failed);
    assert_eq!(failed.status.code(), Some(2));
    let error = &document["error"];
    assert_eq!((&error["file"], &error["line"]), (&"stubs.c".into(), &3.into()), "{document}");
}
