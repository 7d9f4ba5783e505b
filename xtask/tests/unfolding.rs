//! `raddle check --strategy unfolding --dump-unfolding`: the unfoldings of SPOE's figures, event by event.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn raddle() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/raddle");
    std::path::absolute(std::env::var_os("RADDLE").map_or_else(built, PathBuf::from)).expect("a path")
}

fn run(source: &Path, more: &[&str], directory: &Path) -> (i32, String) {
    let output = Command::new(raddle()).current_dir(directory).arg("check").arg(source).args(more).output();
    let output = output.expect("raddle runs");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text.into_owned())
}

/// The events of a figure.
fn events(figure: &str) -> Vec<Value> {
    let place = tempfile::tempdir().expect("a directory");
    let source = std::path::absolute(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/unfolding").join(figure));
    let flags = ["--strategy", "unfolding", "--no-cutoffs", "--spurious", "0", "--dump-unfolding", "all.json"];
    let (code, said) = run(&source.expect("a path"), &flags, place.path());
    assert!([0, 10].contains(&code), "{said}");
    let text = std::fs::read_to_string(place.path().join("all.json")).expect("written");
    serde_json::from_str(&text).expect("JSON")
}

/// `thread what`, of pairs in immediate conflict.
fn conflicts(events: &[Value]) -> BTreeSet<(String, String)> {
    let name = |event: &Value| {
        format!("{} {}", event["thread"].as_str().expect("a name"), event["what"].as_str().expect("words"))
    };
    let mut pairs = BTreeSet::new();
    for event in events {
        for other in event["conflicts"].as_array().expect("a list") {
            let other = &events[other.as_u64().expect("a number") as usize - 1];
            let mut pair = [name(event), name(other)];
            pair.sort();
            assert!(
                pairs.insert(pair.into()) || event["what"].as_str().is_some_and(|what| what.contains("in[")),
                "{event}"
            );
        }
    }
    pairs
}

// With each read of the input's place joined to its two ways there are the 17 events of the paper, and its four pairs in immediate
// conflict: 1-14, 2-8, 4-6 and 10-12.
#[test]
fn figure_1() {
    let events = events("figure_1.c");
    let looks = |event: &&Value| event["what"].as_str().is_some_and(|what| what.contains("in["));
    let choices = events.iter().filter(looks).count();
    assert_eq!((events.len(), choices), (19, 4));
    assert_eq!(events.len() - choices / 2, 17);
    let count: usize = events.iter().map(|event| event["conflicts"].as_array().expect("a list").len()).sum();
    assert_eq!(count, 4);
    let of_choices = ("main.2 main.1:in[31]: no".to_owned(), "main.2 main.1:in[31]: yes".to_owned());
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    let expected = [pair("main.1 writes a", "main.2 reads a"), pair("main.1 writes c", "main.2 reads c"), of_choices];
    assert_eq!(conflicts(&events), expected.into_iter().collect());
}

// Who has the lock first, and what the input is each time that it is looked at.
#[test]
fn figure_2() {
    let events = events("figure_2.c");
    let count: usize = events.iter().map(|event| event["conflicts"].as_array().expect("a list").len()).sum();
    assert_eq!((events.len(), count), (24, 3));
    let ends = events.iter().filter(|event| event["what"] == "ends the process").count();
    assert_eq!(ends, 3, "and one configuration ends in a wake-up that is lost");
    for event in &events {
        let before = event["after"].as_array().expect("a list");
        assert!(before.iter().all(|other| other.as_u64() < event["event"].as_u64()), "{event}");
    }
}

#[test]
fn a_picture_and_what_is_no_file_for_it() {
    let place = tempfile::tempdir().expect("a directory");
    let source = place.path().join("p.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("written");
    let (code, said) = run(&source, &["--strategy", "unfolding", "--dump-unfolding", "u.svg"], place.path());
    let picture = std::fs::read_to_string(place.path().join("u.svg")).unwrap_or_default();
    assert!(code == 0 && picture.starts_with("<svg") && picture.contains("0 events"), "{said}");
    for (flags, why) in [
        (&["--dump-unfolding", "u.svg"][..], "is for --strategy unfolding"),
        (&["--strategy", "unfolding", "--dump-unfolding", "u.txt"], "ends in .svg or .json"),
        (&["--strategy", "unfolding", "--dump-unfolding", "none/u.svg"], "there is no directory"),
    ] {
        let (code, said) = run(&source, flags, place.path());
        assert!([1, 2].contains(&code) && said.contains(why), "{code}: {said}");
    }
}
