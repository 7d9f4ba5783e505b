//! Folders of runs: nothing of another run is lost, whatever happens to this one.

mod support;

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{LIBRARY, Place, SAFE, ran};

/// Four threads that count; a race.
const COUNTING: &str = include_str!("counting.rir");
/// Three pairs, a race in each.
const PAIRS: &str = include_str!("pairs.rir");
const RACES: [&str; 4] = ["races", "a.c", "--op", "add"];
const WITNESS: &str = "raddle-out/R1.witness.json";

/// The numbers of runs that have folders.
fn runs(place: &Place) -> Vec<u64> {
    let entries = std::fs::read_dir(place.path("raddle-out/runs")).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn lower(place: &Place, text: &str) {
    let module = ir::text::parse(text).expect("valid IR");
    std::fs::write(place.path("module.rir"), ir::binary::write(&module).expect("encodable")).expect("written");
}

fn read(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A search that goes on when it has put itself aside.
fn searching(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.env("RADDLE_CHECKPOINT", "0.01").stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("raddle runs");
    wait_for(&place.path("raddle-out/unfinished.txt"));
    child
}

fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(path.exists(), "{}", path.display());
}

fn kill(mut child: Child) {
    child.kill().expect("it is there");
    child.wait().expect("it ends");
}

fn signal(name: &str, child: &Child) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill {name}");
}

/// Stops a search however fast the machine is, but not while it holds the lock of all runs, for which others would wait.
fn stand_still(search: &Child, place: &Place) {
    let layout = std::fs::File::open(place.path("raddle-out/runs/layout")).expect("it is there");
    loop {
        signal("-STOP", search);
        if layout.try_lock().is_ok() {
            return layout.unlock().expect("it was locked");
        }
        signal("-CONT", search);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What a report says, whatever it took.
fn said(report: &Value) -> Value {
    let mut report = report.clone();
    report.as_object_mut().expect("an object").remove("stats");
    report
}

#[test]
fn a_quick_run_leaves_the_unfinished_search_of_another_alone() {
    let place = Place::lowering(COUNTING);
    let (_, whole) = place.json(&["check", "a.c"]);
    kill(searching(&place, &["check", "a.c"]));
    assert_eq!(runs(&place), [1, 2]);
    let unfinished = read(&place, "raddle-out/runs/2/unfinished.raddle");
    let first = read(&place, "raddle-out/runs/1/R1.witness.json");

    let searched = read(&place, "module.rir");
    lower(&place, LIBRARY);
    assert_eq!(place.run(&RACES).code, 10);
    lower(&place, SAFE);
    assert_eq!(place.run(&["check", "a.c"]).code, 0, "nor does one that writes nothing");
    assert_eq!(runs(&place), [1, 2, 3], "that leaves no folder");
    assert_eq!(read(&place, "raddle-out/runs/2/unfinished.raddle"), unfinished);
    assert_eq!(read(&place, "raddle-out/runs/1/R1.witness.json"), first);
    for name in ["unfinished.raddle", "unfinished.txt", "R1.witness.json", "latest"] {
        let left = place.path("raddle-out").join(name).symlink_metadata();
        assert!(left.is_err(), "{name} would be taken for the latest run's");
    }

    std::fs::write(place.path("module.rir"), searched).expect("written");
    let (code, rest) = place.json(&["resume", "raddle-out"]);
    assert_eq!((code, &rest["findings"]), (10, &whole["findings"]));
    assert_eq!(place.run(&["replay", WITNESS]).code, 10);
}

#[test]
fn names_that_scripts_know_show_the_latest_run_and_equal_runs_print_equal_bytes() {
    let place = Place::lowering(LIBRARY);
    let first = place.run(&RACES);
    let second = place.run(&RACES);
    let steady = |text: &str| -> Vec<String> {
        let changes = |line: &&str| !line.contains("time_s") && !line.contains("peak_memory") && !line.contains(" MiB");
        text.lines().filter(changes).map(str::to_owned).collect()
    };
    assert_eq!(steady(&first.stdout), steady(&second.stdout));
    assert!(first.stdout.contains(WITNESS) && !first.stdout.contains("runs/"), "{}", first.stdout);
    assert_eq!(runs(&place), [1, 2]);
    let link = std::fs::canonicalize(place.path(WITNESS)).expect("it leads somewhere");
    assert!(link.ends_with("raddle-out/runs/2/R1.witness.json"), "{}", link.display());
    for witness in [WITNESS, "raddle-out/runs/1/R1.witness.json", "raddle-out/latest/R2.witness.json"] {
        assert_eq!(place.run(&["replay", witness]).code, 10, "{witness}");
    }
}

#[test]
fn of_two_at_once_the_last_to_end_is_the_latest_and_both_are_whole() {
    let place = Place::lowering(COUNTING);
    let searched = read(&place, "module.rir");
    let (_, whole) = place.json(&["check", "a.c", "--out", "elsewhere"]);
    // It has its number first, and ends last.
    let mut command = place.command(&["check", "a.c", "--format", "json"]);
    command.env("RADDLE_CHECKPOINT", "0.01").stdout(Stdio::piped()).stderr(Stdio::null());
    let slow = command.spawn().expect("raddle runs");
    wait_for(&place.path("raddle-out/unfinished.txt"));
    stand_still(&slow, &place);
    let refused = place.run(&["resume", "raddle-out/runs/1"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("another raddle is at work on this search, process "), "{}", refused.stderr);
    let refused = place.run(&["resume", "raddle-out"]);
    assert!(refused.stderr.contains("raddle-out/runs/1: another raddle is at work"), "{}", refused.stderr);
    lower(&place, LIBRARY);
    assert_eq!(place.run(&RACES).code, 10);
    let quick = read(&place, WITNESS);
    std::fs::write(place.path("module.rir"), searched).expect("written");
    signal("-CONT", &slow);
    let slow = ran(slow.wait_with_output().expect("it ends"));
    let report: Value = serde_json::from_str(&slow.stdout).expect("a report");
    assert_eq!((slow.code, &report["findings"][0]["location"]), (10, &whole["findings"][0]["location"]));
    assert_eq!(runs(&place), [1, 2]);
    assert_eq!(read(&place, "raddle-out/runs/2/R1.witness.json"), quick, "the other's is as it was");
    assert_eq!(read(&place, WITNESS), read(&place, "raddle-out/runs/1/R1.witness.json"));
    assert!(read(&place, WITNESS) != quick);
    assert!(!place.path("raddle-out/R2.witness.json").exists(), "nothing of the other is mixed in");
}

#[test]
fn a_search_that_is_killed_at_any_moment_is_gone_on_with() {
    let place = Place::lowering(PAIRS);
    let pairs = ["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count"];
    let (code, whole) = place.json(&[&pairs[..], &["--out", "elsewhere"]].concat());
    // Random enough: when the machine comes to it. Each goes on with what the last left, whose lock is gone.
    for milliseconds in [0, 7, 31, 83, 140, 260] {
        let resume = ["resume", "raddle-out"];
        let goes_on = place.path("raddle-out/runs/1/unfinished.raddle").exists();
        let mut command = place.command(if goes_on { &resume } else { &pairs });
        command.env("RADDLE_CHECKPOINT", "0.005").stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("raddle runs");
        if !goes_on {
            wait_for(&place.path("raddle-out/unfinished.txt"));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        kill(child);
        if !place.path("raddle-out/runs/1/unfinished.raddle").exists() {
            break;
        }
    }
    if place.path("raddle-out/runs/1/unfinished.raddle").exists() {
        let (again, rest) = place.json(&["resume", "raddle-out"]);
        let paths = |report: &Value| said(report).to_string().replace("elsewhere/", "raddle-out/");
        assert_eq!((again, paths(&rest)), (code, paths(&whole)));
    }
    for witness in std::fs::read_dir(place.path("raddle-out")).expect("a directory").flatten() {
        let name = witness.file_name().into_string().expect("UTF-8");
        if name.ends_with(".witness.json") {
            assert_eq!(place.run(&["replay", &format!("raddle-out/{name}")]).code, 10, "{name}");
        }
        assert!(!name.starts_with(".raddle-"), "{name} is left");
    }
    let left = std::fs::read_dir(place.path("raddle-out/runs/1")).expect("a directory").flatten();
    assert!(left.into_iter().all(|file| !file.file_name().to_string_lossy().starts_with(".raddle-")));
}

#[test]
fn of_several_unfinished_searches_the_latest_goes_on_and_the_others_are_named() {
    let place = Place::lowering(COUNTING);
    for _ in 0..2 {
        kill(searching(&place, &["check", "a.c"]));
        std::fs::remove_file(place.path("raddle-out/unfinished.txt")).expect("its link");
    }
    let both = [1, 2].map(|run| read(&place, &format!("raddle-out/runs/{run}/unfinished.raddle")));
    let none = place.run(&["resume", "raddle-out", "--max-time", "0"]);
    assert!(
        none.stderr.contains("that is raddle-out/runs/2; other searches are unfinished as well: "),
        "{}",
        none.stderr
    );
    assert!(none.stderr.contains("raddle resume raddle-out/runs/1"), "{}", none.stderr);
    let (code, _) = place.json(&["resume", "raddle-out/runs/1"]);
    assert_eq!(code, 10);
    assert!(!place.path("raddle-out/runs/1/unfinished.raddle").exists());
    assert_eq!(read(&place, "raddle-out/runs/2/unfinished.raddle"), both[1]);

    // Another build's: said, not passed over.
    let foreign = String::from_utf8_lossy(&both[1]).replacen("\"tool\":\"", "\"tool\":\"9.", 1);
    std::fs::create_dir(place.path("raddle-out/runs/7")).expect("made");
    std::fs::write(place.path("raddle-out/runs/7/unfinished.raddle"), foreign.as_bytes()).expect("written");
    let refused = place.run(&["resume", "raddle-out"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("runs/7/unfinished.raddle was left by raddle 9."), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("others are unfinished as well: raddle resume raddle-out/runs/2"),
        "{}",
        refused.stderr
    );
    assert_eq!(place.json(&["resume", "raddle-out/runs/2"]).0, 10);
}

#[test]
fn the_oldest_runs_that_are_over_are_removed_and_nothing_else() {
    let place = Place::lowering(COUNTING);
    kill(searching(&place, &["check", "a.c"]));
    lower(&place, LIBRARY);
    assert_eq!(place.run(&RACES).code, 10);
    place.write("raddle-out/runs/2/mine.c", "int x;\n");
    std::fs::create_dir(place.path("raddle-out/runs/experiment")).expect("made");
    for _ in 0..11 {
        assert_eq!(place.run(&RACES).code, 10);
    }
    // Ten that are over; the unfinished one; and what somebody put into one that was removed.
    let kept: Vec<u64> = [1, 2].into_iter().chain(4..=13).collect();
    assert_eq!(runs(&place), kept);
    let left = std::fs::read_dir(place.path("raddle-out/runs/2")).expect("a directory").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["mine.c"]);
    assert!(place.path("raddle-out/runs/experiment").exists());
    assert!(place.path("raddle-out/runs/1/unfinished.raddle").exists());
}

#[test]
fn the_folder_of_another_version_is_refused_and_an_older_one_is_kept() {
    let place = Place::lowering(LIBRARY);
    std::fs::create_dir_all(place.path("raddle-out/runs")).expect("made");
    place.write("raddle-out/runs/layout", "raddle-runs/9\n");
    for arguments in [&RACES[..], &["resume", "raddle-out"]] {
        let refused = place.run(arguments);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        let words = "raddle-out was laid out by another version of raddle (it says `raddle-runs/9`";
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    assert!(runs(&place).is_empty());

    // Before runs had folders, files lay in the directory itself.
    std::fs::remove_dir_all(place.path("raddle-out")).expect("removed");
    std::fs::create_dir(place.path("raddle-out")).expect("made");
    for name in ["R1.witness.json", "R7.client.c", "unfinished.raddle", "notes.txt"] {
        place.write(&format!("raddle-out/{name}"), "old");
    }
    let notice = place.run(&RACES);
    assert_eq!(notice.code, 10);
    assert!(
        notice.stderr.contains("raddle-out had the 3 files of an earlier version's run, now in "),
        "{}",
        notice.stderr
    );
    assert_eq!(read(&place, "raddle-out/notes.txt"), b"old");
    let kept = if read(&place, "raddle-out/runs/1/R1.witness.json") == b"old" { 1 } else { 2 };
    for name in ["R1.witness.json", "R7.client.c", "unfinished.raddle"] {
        assert_eq!(read(&place, &format!("raddle-out/runs/{kept}/{name}")), b"old");
    }
    assert!(!place.path("raddle-out/R7.client.c").exists());
    assert_eq!(place.run(&["replay", WITNESS]).code, 10);
}

/// Runs raddle where no file can grow beyond so many kibibytes.
fn within(place: &Place, kibibytes: u32, arguments: &[&str]) -> support::Ran {
    limited(place, &format!("trap '' XFSZ; ulimit -f {kibibytes}"), arguments)
}

/// Runs raddle in a shell that has set limits.
fn limited(place: &Place, limits: &str, arguments: &[&str]) -> support::Ran {
    let raddle = place.command(arguments);
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).arg(raddle.get_program()).args(raddle.get_args());
    command.current_dir(place.path("")).stdin(Stdio::null());
    for (name, value) in raddle.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    ran(command.env("RADDLE_CHECKPOINT", "0.01").output().expect("bash runs"))
}

#[test]
fn where_there_is_no_room_each_loss_is_named_and_nothing_is_cut_short() {
    let place = Place::lowering(LIBRARY);
    assert_eq!(place.run(&RACES).code, 10);
    let before = read(&place, WITNESS);
    assert!(before.len() > 1024, "more than there is room for below");
    let full = within(&place, 1, &[&RACES[..], &["--format", "json"]].concat());
    // The marker of a run is small, its witnesses are not.
    let report: Value = serde_json::from_str(&full.stdout).expect("a report");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!((full.code, findings.len()), (10, 2), "{}", full.stderr);
    let lost: Vec<&Value> =
        report["ledger"].as_array().expect("a list").iter().filter(|line| line["kind"] == "not_written").collect();
    assert_eq!(lost.len(), 2, "{report:#}");
    for (finding, line) in findings.iter().zip(lost) {
        let path = format!("raddle-out/{}.witness.json", finding["id"].as_str().expect("a name"));
        assert!(finding["witness"].is_null(), "{finding:#}");
        assert_eq!(line["where"], path.as_str());
        assert!(full.stderr.contains(&format!("raddle: error: {path} cannot be written: ")), "{}", full.stderr);
    }
    assert_eq!(read(&place, "raddle-out/runs/1/R1.witness.json"), before, "an earlier run's is untouched");
    assert!(!place.path(WITNESS).exists(), "it would be taken for this run's");
    assert_eq!(runs(&place), [1], "a run that could write nothing leaves no folder");
    assert_eq!(place.run(&RACES).code, 10, "and the next has all of it");
    assert_eq!(place.run(&["replay", WITNESS]).code, 10);
}

#[test]
fn a_fault_of_raddles_own_keeps_and_prints_what_was_found() {
    let place = Place::lowering(COUNTING);
    let few = ["races", "a.c", "--heaps", "any", "--format", "json", "--max-time", "60"];
    // The guided search finds the race; then there is no room for the stacks of so many workers.
    let failed = limited(&place, "ulimit -v 6000000", &[&few[..], &["--workers", "300"]].concat());
    let report: Value = serde_json::from_str(&failed.stdout).expect("a report");
    assert_eq!((failed.code, &report["verdict"]), (6, &"error".into()), "{}", failed.stderr);
    assert_eq!(report["error"]["kind"], "internal");
    assert_eq!(report["ledger"][0]["kind"], "fault");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!((findings.len(), &findings[0]["witness"]), (1, &WITNESS.into()), "{report:#}");
    assert_eq!(place.run(&["replay", WITNESS]).code, 10);
    assert!(place.path("raddle-out/unfinished.raddle").exists(), "{}", failed.stderr);
    // Its twin.
    let whole = limited(&place, "ulimit -v 6000000", &[&few[..], &["--workers", "2"]].concat());
    let report: Value = serde_json::from_str(&whole.stdout).expect("a report");
    assert_eq!((whole.code, report["error"].is_null()), (10, true), "{}", whole.stderr);
}

#[test]
fn a_search_that_cannot_be_put_aside_says_so() {
    let place = Place::lowering(COUNTING);
    let full = within(&place, 1, &["check", "a.c", "--max-time", "0.3", "--workers", "1", "--format", "json"]);
    let report: Value = serde_json::from_str(&full.stdout).expect("a report");
    let is_time = report["ledger"].to_string().contains("\"time\"");
    if is_time && !report["ledger"].to_string().contains("compiling") {
        let lost = report["ledger"].to_string();
        assert!(lost.contains("raddle-out/unfinished.raddle") && lost.contains("not_written"), "{report:#}");
        assert!(
            full.stderr.contains("raddle: error: raddle-out/unfinished.raddle cannot be written"),
            "{}",
            full.stderr
        );
        assert!(!full.stderr.contains("to go on: raddle resume"), "{}", full.stderr);
    }
    assert!(!place.path("raddle-out/unfinished.raddle").exists());
}
