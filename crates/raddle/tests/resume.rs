//! Searches that are cut short, and what goes on with them.

mod support;

use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{Place, ran};

/// Four threads, each of which writes `lost` without a lock, a race, and increments an atomic counter twice: 60,480
/// executions.
const COUNTING: &str = include_str!("counting.rir");
/// `touch` writes `last`, `count` does so after ten increments of an atomic counter: three pairs, a race in each, the last
/// with 184,756 orders of the increments.
const PAIRS: &str = include_str!("pairs.rir");
const UNFINISHED: &str = "raddle-out/unfinished.raddle";

fn is_left(place: &Place) -> bool {
    place.path(UNFINISHED).exists()
}

/// What a report says that does not depend on how often its search was interrupted.
fn content(report: &Value) -> Value {
    let mut content = report.clone();
    let what_it_took = [
        "redundant",
        "instructions",
        "branches",
        "branches_solver",
        "memory_reads",
        "memory_writes",
        "merged",
        "summaries",
        "solver_queries",
        "solver_time_s",
        "solver_stages",
        "first_race_time_s",
        // What it had found when it was interrupted it does not look for again.
        "guided",
        "wall_time_s",
        "cpu_time_s",
        "peak_memory_bytes",
    ];
    for figure in what_it_took {
        content["stats"][figure].take();
    }
    content
}

/// A page up to the figures, some of which depend on how often its search was interrupted.
fn page(place: &Place, name: &str) -> String {
    let page = std::fs::read_to_string(place.path(name)).expect("a page");
    page.split_once("<section id=\"figures\">").expect("figures").0.to_owned()
}

/// Runs with a limit that ends the search before it is over, whatever the machine.
fn cut_short(place: &Place, arguments: &[&str]) -> Value {
    for milliseconds in [50, 100, 200, 400, 800, 1600, 3200] {
        let limit = format!("{}", f64::from(milliseconds) / 1000.0);
        let (_, report) = place.json(&[arguments, &["--max-time", &limit]].concat());
        if is_left(place) {
            return report;
        }
    }
    panic!("it is over at once, or does not begin");
}

#[test]
fn a_search_in_pieces_says_what_a_whole_one_says() {
    let place = Place::lowering(COUNTING);
    let (code, whole) = place.json(&["check", "a.c", "--html", "whole.html"]);
    assert_eq!((code, &whole["stats"]["executions"]), (10, &60_480.into()));
    assert!(!is_left(&place), "nothing is left to do");

    let part = cut_short(&place, &["check", "a.c", "--workers", "1"]);
    assert!(part["ledger"].to_string().contains("\"time\""), "{part}");
    // Once more with a limit, from another directory.
    let directory = place.path("raddle-out").display().to_string();
    let mut command = place.command(&["resume", &directory, "--max-time", "0.3", "--workers", "1"]);
    command.current_dir(place.path("cache")).output().expect("raddle runs");
    if is_left(&place) {
        let (code, rest) = place.json(&["resume", "--html", "rest.html"]);
        assert_eq!((code, content(&rest)), (10, content(&whole)));
        assert_eq!(page(&place, "rest.html"), page(&place, "whole.html"));
    }
    assert!(!is_left(&place) && place.path("raddle-out/R1.witness.json").exists());
    assert_eq!(place.run(&["replay", "raddle-out/R1.witness.json"]).code, 10);
}

#[test]
fn a_killed_search_leaves_what_it_found() {
    let place = Place::lowering(COUNTING);
    let (_, whole) = place.json(&["check", "a.c"]);
    let text = killed_when(&place, &["check", "a.c"], |found| !found.is_empty());
    assert!(text.contains("- data race: counting.c:6 and counting.c:6"), "{text}");
    assert!(text.contains("raddle resume raddle-out"), "{text}");
    let (code, rest) = place.json(&["resume", "raddle-out"]);
    assert_eq!((code, content(&rest)), (10, content(&whole)));
}

/// Waits until what the search leaves satisfies `is_enough`, and kills it.
fn killed_when(place: &Place, arguments: &[&str], is_enough: impl Fn(&str) -> bool) -> String {
    let mut command = place.command(arguments);
    command.env("RADDLE_CHECKPOINT", "0.01").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("raddle runs");
    let begun = Instant::now();
    let found = || std::fs::read_to_string(place.path("raddle-out/unfinished.txt")).unwrap_or_default();
    while !is_enough(&found()) && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    found()
}

#[test]
fn pairs_that_are_done_stay_done() {
    let place = Place::lowering(PAIRS);
    let pairs = ["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count"];
    let (code, whole) = place.json(&pairs);
    // Of the third pair both orders of the last writes with each order of the increments; of the others the one more.
    assert_eq!((code, &whole["stats"]["executions"]), (10, &369_516.into()));
    std::fs::remove_dir_all(place.path("raddle-out")).expect("there are witnesses");

    // What is found in the last pair first shows when the others are over.
    killed_when(&place, &pairs, |found| found.contains("pairs.c:12 and pairs.c:12"));
    let kept = |report: &Value| report["matrix"][0]["findings"] == whole["matrix"][0]["findings"];
    let is_compiling = |report: &Value| report["ledger"].to_string().contains("compiling");
    let mut part = cut_short(&place, &["resume", "--workers", "1"]);
    for limit in ["0.1", "0.2", "0.4"] {
        if is_compiling(&part) && is_left(&place) {
            part = place.json(&["resume", "--workers", "1", "--max-time", limit]).1;
        }
    }
    assert!(!is_compiling(&part) && kept(&part), "{part}");
    let (code, rest) = place.json(&["resume"]);
    assert_eq!((code, content(&rest)), (10, content(&whole)));
    assert!(!is_left(&place));
    for witness in ["R1", "R2", "R3"] {
        let path = format!("raddle-out/{witness}.witness.json");
        assert_eq!(place.run(&["replay", &path]).code, 10, "{witness}");
    }
}

/// A search of several calls, or in several threads, that is cut short and gone on with, once or several times.
fn goes_on(increments: u32, bounds: &[&str], executions: u64) {
    let text = PAIRS.replace("cmp slt i32 %1, 10 ", &format!("cmp slt i32 %1, {increments} "));
    let place = Place::lowering(&text);
    let arguments = [&["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count"], bounds].concat();
    let (code, whole) = place.json(&arguments);
    assert_eq!((code, &whole["stats"]["executions"]), (10, &executions.into()), "{:#}", whole["stats"]);
    assert!(!is_left(&place), "nothing is left to do");
    std::fs::remove_dir_all(place.path("raddle-out")).expect("there are witnesses");

    cut_short(&place, &[&arguments[..], &["--workers", "1"]].concat());
    for _ in 0..3 {
        if is_left(&place) {
            place.json(&["resume", "--workers", "1", "--max-time", "0.2"]);
        }
    }
    if is_left(&place) {
        let (code, rest) = place.json(&["resume"]);
        assert_eq!((code, content(&rest)), (10, content(&whole)));
    }
    assert!(!is_left(&place));
    for finding in whole["findings"].as_array().expect("a list") {
        let witness = finding["witness"].as_str().expect("a path");
        assert_eq!(place.run(&["replay", witness]).code, 10, "{witness}");
    }
}

#[test]
fn sequences_of_calls_are_gone_on_with() {
    goes_on(4, &["--calls", "2"], 41_935);
}

#[test]
fn three_threads_are_gone_on_with() {
    goes_on(4, &["--threads", "3"], 208_332);
}

#[test]
fn what_cannot_be_gone_on_with_is_refused() {
    let place = Place::lowering(COUNTING);
    let refused = |words: &str| {
        let ran = place.run(&["resume", "raddle-out"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    };
    refused("raddle-out has no search to go on with");
    cut_short(&place, &["check", "a.c", "--workers", "1"]);
    let notice = place.run(&["resume", "--depth", "9", "--max-time", "0"]);
    assert!(notice.stderr.contains("--depth has no effect under resume"), "{}", notice.stderr);
    assert!(is_left(&place), "no time, nothing lost");

    let whole = std::fs::read(place.path(UNFINISHED)).expect("a file");
    let with = |bytes: &[u8]| std::fs::write(place.path(UNFINISHED), bytes).expect("written");
    with(&whole[..whole.len() - 1]);
    refused("is damaged; run the search again: raddle check a.c");
    let text = String::from_utf8_lossy(&whole).replacen("\"tool\":\"", "\"tool\":\"9.", 1);
    with(text.as_bytes());
    refused("was left by raddle 9.");
    with(b"{\"schema\": \"raddle-witness/1\"}\n");
    refused("is not what a search leaves");

    with(&whole);
    let other = ir::text::parse(&COUNTING.replace("cmp slt i32 %1, 2", "cmp slt i32 %1, 1")).expect("valid IR");
    std::fs::write(place.path("module.rir"), ir::binary::write(&other).expect("encodable")).expect("written");
    place.write("a.c", "int main(void) { return 1; }\n");
    refused("the program is not the one that this search was about");
    assert!(is_left(&place), "nothing is lost by asking");
}

#[test]
fn a_full_disk_ends_no_search() {
    let place = Place::lowering(COUNTING);
    let mut command = place.command(&["check", "a.c", "--out", "/dev/full/out"]);
    let refused = ran(command.output().expect("raddle runs"));
    assert_eq!(refused.code, 2, "it is said before anything is searched");
    // A place that takes no folder once the search has begun.
    place.write("front-end.sh", "");
    place.front_end("cp module.rir \"$OUT\"; mkdir -p raddle-out; : > raddle-out/runs");
    let mut command = place.command(&["check", "a.c"]);
    let notice = ran(command.env("RADDLE_CHECKPOINT", "0.01").output().expect("raddle runs"));
    assert_eq!(notice.code, 10, "{}", notice.stderr);
    assert_eq!(notice.stderr.matches("the search goes on").count(), 1, "{}", notice.stderr);
}
