//! Limits hold from the first second, and signals are obeyed, however large the library is.
//!
//! `RADDLE_TEST_OPERATIONS=40000 cargo test --release -p raddle --test limits -- --nocapture` prints what a larger one takes.
//! Bounds are looser than what is promised (time within 5 % or two seconds), for tests share the machine with others; what they
//! are to notice took minutes.

#![expect(clippy::print_stdout, reason = "what larger libraries take is printed")]

mod support;

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{Place, Ran, ran};

/// Pairs of so many operations have half a million entries in the matrix.
const MANY: usize = 1_000;
const SLACK: Duration = Duration::from_secs(12);

/// A library of so many operations that count with an atomic; one in `racing` also writes, a race with all others that do.
fn library(operations: usize, racing: usize) -> String {
    let mut text = String::from(
        "file0 = \"large.c\" in \"/large\"\nT0 = void\nT1 = struct counter 8 { 0 hits: T6, 4 last: T4 }\nT2 = ptr T1\n\
         T3 = fn(T2) -> T0\nT4 = signed int 4\nT5 = atomic T4\nT6 = typedef atomic_int T5\n\n",
    );
    let mut places = String::new();
    for id in 0..operations {
        let place = id * 3;
        let races = id % racing == 0;
        let write = if races {
            format!("  %3: ptr(T4) = offset %0 + 4 \"->last\" within T1 !{place}\n  store i32 1, [%3] !{}\n", place + 1)
        } else {
            String::new()
        };
        write!(
            text,
            "fn f{id} op_{id}(%0 c: ptr(T1)) external file0 !{place}\n  returns T0 source(c: T2) {{\nb0:\n  \
             %1: ptr(T6) = offset %0 \"->hits\" within T1 !{place}\n  %2 = rmw add i32 [%1], 1 seq_cst !{}\n{write}  \
             return !{}\n}}\n\n",
            place + 1,
            place + 2,
        )
        .expect("memory");
        for line in 0..3 {
            writeln!(places, "loc !{} = file0:{}:1 in op_{id}", place + line, place + line + 1).expect("memory");
        }
    }
    text + &places
}

fn operations() -> usize {
    std::env::var("RADDLE_TEST_OPERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(MANY)
}

/// A run, how long it took, and the most memory it had, in mebibytes.
fn timed(place: &Place, arguments: &[&str]) -> (Ran, Duration, u64) {
    let begun = Instant::now();
    let ran = place.run(arguments);
    let took = begun.elapsed();
    let peak = ran.stdout.split("\"peak_memory_bytes\": ").nth(1).and_then(|rest| rest.split(['\n', ',']).next());
    let mebibytes = peak.and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or(0) >> 20;
    println!("{arguments:?}: {took:.1?}, {mebibytes} MiB, exit code {}", ran.code);
    (ran, took, mebibytes)
}

#[test]
fn a_limit_on_time_holds_with_half_a_million_pairs() {
    let place = Place::lowering(&library(operations(), 100));
    for arguments in [&["races", "a.c"][..], &["races", "a.c", "--html", "page.html"]] {
        let (ran, took, _) = timed(&place, &[arguments, &["--max-time", "3"]].concat());
        assert!(took < Duration::from_secs(3) + SLACK, "{took:?}");
        assert!([5, 10].contains(&ran.code), "{}", ran.stderr);
        let time = ran.stdout.contains("of 500500 combinations") || ran.stdout.contains("compiling");
        assert!(time && ran.stdout.contains("time ran out (time)"), "{}", ran.stdout);
        assert!(ran.stdout.lines().count() < 1_000, "what is alike is counted, not listed");
    }
}

/// Each is replayed and written within the limit.
#[test]
fn a_limit_on_time_holds_with_thousands_of_findings() {
    let place = Place::lowering(&library(operations(), 1));
    let (ran, took, _) = timed(&place, &["races", "a.c", "--max-time", "20"]);
    println!("{}", ran.stdout.lines().find(|line| line.starts_with("raddle: ")).unwrap_or("no verdict"));
    assert!(took < Duration::from_secs(20) + SLACK / 2, "{took:?}");
    assert_eq!(ran.code, 10, "{}", ran.stderr);
}

#[test]
fn a_limit_on_memory_holds() {
    let place = Place::lowering(&library(operations(), 100));
    let (ran, _, peak) =
        timed(&place, &["races", "a.c", "--max-memory", "400", "--max-time", "20", "--format", "json"]);
    assert!([5, 10].contains(&ran.code), "{}", ran.stderr);
    assert!(peak > 0 && peak < 800, "{peak} MiB");
}

#[test]
fn a_signal_ends_the_run_with_a_report() {
    let place = Place::lowering(&library(operations(), 100));
    let mut command = place.command(&["races", "a.c"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("raddle runs");
    std::thread::sleep(Duration::from_secs(3));
    let told = Instant::now();
    let kill = std::process::Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.expect("kill runs").success());
    let ran = ran(child.wait_with_output().expect("it ends"));
    let took = told.elapsed();
    println!("ended {took:.1?} after the signal");
    assert!(took < SLACK && [5, 10].contains(&ran.code), "{took:?}, {}: {}", ran.code, ran.stderr);
    assert!(ran.stdout.contains("the run was stopped (interrupted)"), "{}", ran.stdout);
}

#[test]
fn of_a_larger_library_the_first_operations_are_taken_and_the_ledger_says_so() {
    let place = Place::lowering(&library(MANY + 200, 100));
    let (ran, ..) = timed(&place, &["races", "a.c", "--max-time", "1"]);
    let left = "200 of 1200 operations, in the order of the sources from op_1000 to op_1199";
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(left) || text.contains("compiling"), "{}", ran.stdout);
    assert_ne!(ran.code, 0, "never safe");

    // One fewer than is too many is explored whole, and says nothing.
    let place = Place::lowering(&library(12, 100));
    let (ran, ..) = timed(&place, &["races", "a.c"]);
    assert_eq!(ran.code, 10);
    assert!(!ran.stdout.contains("were left out"), "{}", ran.stdout);
}
