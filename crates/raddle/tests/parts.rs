//! Searches that several processes work on: `raddle split`, `work` and `gather`.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{Place, ran};

/// Four threads, each of which writes `lost` without a lock, a race, and increments an atomic counter twice.
const COUNTING: &str = include_str!("counting.rir");
/// Three threads that increment an atomic counter four times each: 34,650 executions without a race.
const QUIET: &str = include_str!("quiet.rir");
/// `x` and `y` race, and where their accesses are interleaved, `z` does: three rounds.
const ROUNDS: &str = include_str!("rounds.rir");
/// `touch` writes `last`, `count` does so after increments of an atomic counter: three pairs, a race in each.
const PAIRS: &str = include_str!("pairs.rir");

/// `touch` writes `last` under the lock, `count` does so without after increments of an atomic counter.
const GUARDED: &str = include_str!("guarded.rir");

const UNFINISHED: &str = "raddle-out/unfinished.raddle";
/// More than any search here takes.
const MOST_GATHERED: usize = 400;

/// A small generator, seeded: which part is worked on next.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}

/// The report without times and memory.
fn timeless(report: &Value) -> Value {
    match report {
        Value::Object(fields) => {
            let is_time = |name: &str| name.ends_with("_time_s") || name == "peak_memory_bytes";
            let rest = fields.iter().filter(|(name, _)| !is_time(name));
            Value::Object(rest.map(|(name, value)| (name.clone(), timeless(value))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(timeless).collect()),
        other => other.clone(),
    }
}

/// A search that was cut short, and the report of going on with it.
struct Search {
    place: Place,
    code: i32,
    whole: Value,
}

impl Search {
    /// With the report of going on with it.
    fn cut_short(text: &str, arguments: &[&str]) -> Search {
        let mut search = Search::begin(text, arguments);
        (search.code, search.whole) = search.place.json(&["resume"]);
        search
    }

    /// The sooner it is cut short, the more is left.
    fn begin(text: &str, arguments: &[&str]) -> Search {
        let place = Place::lowering(text);
        for milliseconds in [30, 60, 100, 150, 200, 300, 400, 600, 800, 1600, 3200] {
            let limit = format!("{}", f64::from(milliseconds) / 1000.0);
            let _ = std::fs::remove_dir_all(place.path("raddle-out"));
            place.json(&[arguments, &["--workers", "1", "--max-time", &limit]].concat());
            if place.path(UNFINISHED).exists() {
                copy(&place.path("raddle-out"), &place.path("base"));
                return Search { place, code: 5, whole: Value::Null };
            }
        }
        panic!("it is over at once, or does not begin");
    }

    /// As it was when it was cut short.
    fn restore(&self) {
        let _ = std::fs::remove_dir_all(self.place.path("raddle-out"));
        copy(&self.place.path("base"), &self.place.path("raddle-out"));
    }

    fn parts(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.place.path("raddle-out/parts")).into_iter().flatten().flatten();
        let mut parts: Vec<PathBuf> = folder.map(|entry| entry.path()).filter(|path| is(path, "part")).collect();
        parts.sort();
        parts
    }

    fn split(&self, many: usize) -> Vec<PathBuf> {
        let ran = self.place.run(&["split", "raddle-out", "-n", &many.to_string()]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stdout.lines().count(), self.parts().len(), "{}", ran.stdout);
        self.parts()
    }

    /// Works on a part for a moment, from another directory.
    fn work(&self, part: &Path, seconds: &str) {
        let part = part.display().to_string();
        let mut command = self.place.command(&["work", &part, "--for", seconds, "--workers", "1"]);
        let ran = ran(command.current_dir(self.place.path("base")).output().expect("raddle runs"));
        assert_eq!(ran.code, 0, "{part}: {}", ran.stderr);
    }

    /// Puts together what there is; the report, if that is all.
    fn gather(&self) -> Option<(i32, Value)> {
        let (code, report) = self.place.json(&["gather", "raddle-out"]);
        if self.parts().is_empty() {
            assert!(!self.place.path(UNFINISHED).exists());
            // Results that are damaged stay.
            let left = std::fs::read_dir(self.place.path("raddle-out/parts")).into_iter().flatten().flatten();
            assert!(left.map(|entry| entry.path()).all(|path| is(&path, "done")));
            return Some((code, report));
        }
        assert!(code == 5 || code == 10, "{code}: {report}");
        assert!(report["verdict"] != "safe" && report["ledger"].to_string().contains("parts_missing"), "{report}");
        assert!(self.place.path(UNFINISHED).exists());
        None
    }

    /// Works on parts until nothing is left. `meddle` may do what it likes to them each time.
    fn until_over(&self, many: usize, seconds: &str, mut meddle: impl FnMut(&mut Dice, &[PathBuf])) -> usize {
        self.restore();
        self.split(many);
        let mut dice = Dice(many as u64);
        for times in 1..MOST_GATHERED {
            let mut parts = self.parts();
            dice.shuffle(&mut parts);
            meddle(&mut dice, &parts);
            parts.iter().filter(|part| part.exists()).for_each(|part| self.work(part, seconds));
            if let Some((code, report)) = self.gather() {
                assert_eq!((code, timeless(&report)), (self.code, timeless(&self.whole)), "in {many} parts");
                return times;
            }
        }
        panic!("it does not end");
    }
}

fn is(path: &Path, kind: &str) -> bool {
    path.extension().is_some_and(|extension| extension == kind)
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success());
}

/// Whatever the division, the report is that of one process.
fn is_one_search(text: &str, arguments: &[&str], code: i32) -> Search {
    let search = Search::cut_short(text, arguments);
    assert_eq!(search.code, code, "{}", search.whole);
    search.restore();
    let (_, two) = search.place.json(&["resume", "--workers", "2"]);
    assert_eq!(timeless(&two), timeless(&search.whole), "two workers");
    for (many, seconds) in [(2, "1"), (4, "0.2"), (7, "0.5")] {
        search.until_over(many, seconds, |_, _| {});
        assert!(search.place.path("raddle-out/parts").symlink_metadata().is_err(), "nothing is left of the parts");
    }
    search
}

#[test]
fn a_program_with_findings_is_one_search() {
    is_one_search(COUNTING, &["check", "a.c", "--strategy", "dpor"], 10);
}

#[test]
fn a_safe_program_is_one_search() {
    is_one_search(QUIET, &["check", "a.c", "--strategy", "dpor"], 0);
}

#[test]
fn who_is_called_back_gives_back_what_it_has_not_begun() {
    // More than is done in the time.
    let text = QUIET.replace("cmp slt i32 %1, 4 ", "cmp slt i32 %1, 5 ");
    let search = Search::begin(&text, &["check", "a.c", "--strategy", "dpor"]);
    for is_called in [true, false] {
        search.restore();
        // Behind the search for likely races, if that is what it was cut short in.
        let first = search.split(1).remove(0);
        search.work(&first, "0");
        assert!(search.gather().is_none());
        let part = search.parts().remove(0).display().to_string();
        if is_called {
            std::fs::write(Path::new(&part).with_extension("enough"), []).expect("it is called back");
        }
        let (code, report) = search.place.json(&["work", &part, "--for", "4", "--workers", "1"]);
        let things = |which: &str| report[which].as_u64().expect("a number");
        assert!(code == 0 && things("left") > 0, "{report}");
        assert_eq!(things("done") == 1, is_called, "{report}");
    }
}

#[test]
fn rounds_follow_each_other() {
    is_one_search(ROUNDS, &["check", "a.c", "--strategy", "dpor"], 10);
}

#[test]
fn a_library_is_one_search() {
    let text = PAIRS.replace("cmp slt i32 %1, 10 ", "cmp slt i32 %1, 4 ");
    is_one_search(&text, &["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count", "--calls", "2"], 10);
}

/// What mends a cause is looked for when all parts are there, and is what one process finds.
#[test]
fn remedies_are_told_by_whoever_puts_the_parts_together() {
    let asked = ["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count", "--calls", "2"];
    let search = is_one_search(GUARDED, &asked, 10);
    let remedies = &search.whole["causes"][0]["remedies"];
    assert_eq!(remedies[0]["tried"], true, "{}", search.whole["causes"]);
    assert!(remedies[0]["text"].to_string().contains("hold `c->lock`"), "{remedies}");
}

#[test]
fn workers_at_once_get_in_nobodys_way() {
    let search = Search::cut_short(ROUNDS, &["check", "a.c", "--strategy", "dpor"]);
    search.restore();
    search.split(3);
    for _ in 0..MOST_GATHERED {
        let parts = search.parts();
        // Two on each part.
        let work = |part: &PathBuf| {
            let part = part.display().to_string();
            let mut command = search.place.command(&["work", &part, "--for", "0.2", "--workers", "1"]);
            command.stdout(Stdio::null()).spawn()
        };
        let working: Vec<_> = parts.iter().chain(&parts).map(work).collect();
        for child in working {
            assert_eq!(child.expect("raddle runs").wait().expect("it ends").code(), Some(0));
        }
        if let Some((code, report)) = search.gather() {
            assert_eq!((code, timeless(&report)), (search.code, timeless(&search.whole)));
            return;
        }
    }
    panic!("it does not end");
}

#[test]
fn what_is_lost_damaged_or_done_twice_changes_nothing() {
    let search = Search::cut_short(COUNTING, &["check", "a.c", "--strategy", "dpor"]);
    let (mut lost, mut damaged, mut twice, mut results) = (0, 0, 0, 0);
    let mut turn = 0;
    search.until_over(4, "0.02", |_, parts| {
        let part = &parts[0];
        turn += 1;
        match turn % 4 {
            1 => {
                std::fs::remove_file(part).expect("it is there");
                lost += 1;
            }
            2 => {
                // Half a part, and half of what came of one.
                let whole = std::fs::read(part).expect("it is there");
                search.work(part, "0.1");
                std::fs::write(part, &whole[..whole.len() / 2]).expect("written");
                let refused = search.place.run(&["work", &part.display().to_string()]);
                assert_eq!(refused.code, 2, "{}", refused.stdout);
                assert!(refused.stderr.contains("is damaged"), "{}", refused.stderr);
                std::fs::remove_file(part).expect("it is there");
                for entry in std::fs::read_dir(search.place.path("raddle-out/parts")).expect("a folder").flatten() {
                    if is(&entry.path(), "done") {
                        let whole = std::fs::read(entry.path()).expect("it is there");
                        std::fs::write(entry.path(), &whole[..whole.len() - 1]).expect("written");
                        results += 1;
                    }
                }
                damaged += 1;
            }
            3 => {
                let before = std::fs::read(part).expect("it is there");
                search.work(part, "0.1");
                std::fs::write(part, before).expect("written");
                twice += 1;
            }
            _ => {}
        }
    });
    // What has not happened is no test.
    assert!(lost > 0 && damaged > 0 && twice > 0 && results > 0, "{lost} {damaged} {twice} {results}");
}

#[test]
fn a_resumed_search_takes_over_what_was_gathered() {
    let search = Search::cut_short(QUIET, &["check", "a.c", "--strategy", "dpor"]);
    search.restore();
    for part in search.split(3) {
        search.work(&part, "0.05");
    }
    assert!(search.gather().is_none(), "a moment is not enough");
    let (code, report) = search.place.json(&["resume"]);
    assert_eq!((code, timeless(&report)), (search.code, timeless(&search.whole)));
}

#[test]
fn parts_of_others_are_refused() {
    let search = Search::cut_short(QUIET, &["check", "a.c", "--strategy", "dpor"]);
    let place = &search.place;
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let ran = place.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    };
    refused(&["split", "raddle-out", "-n", "2"], 2, "has no search to go on with");
    search.restore();
    refused(&["gather", "raddle-out"], 2, "`raddle split raddle-out -n N` divides the search");
    refused(&["split", "raddle-out"], 1, "--parts");
    refused(&["split", "raddle-out", "-n", "0"], 1, "at least 1");
    refused(&["work", "raddle-out/parts/none.part"], 2, "no such part");
    refused(&["work", "raddle-out"], 2, "is a directory");
    refused(&["work", "a.c"], 2, "is no part of a search");

    let part = search.split(2)[0].clone();
    let name = part.display().to_string();
    let whole = std::fs::read(&part).expect("a file");
    let text = String::from_utf8_lossy(&whole).replacen("\"tool\":\"", "\"tool\":\"9.", 1);
    std::fs::write(&part, text.as_bytes()).expect("written");
    refused(&["work", &name], 2, "was made by raddle 9.");
    std::fs::write(&part, &whole).expect("written");
    let folder = std::fs::read_dir(place.path("raddle-out/parts")).expect("a folder").flatten();
    let program = folder.map(|entry| entry.path()).find(|path| is(path, "program")).expect("the program");
    let module = std::fs::read(&program).expect("a file");
    std::fs::write(&program, &module[..module.len() - 1]).expect("written");
    refused(&["work", &name], 2, "is not the program that the part is about");
    std::fs::remove_file(&program).expect("it is there");
    refused(&["work", &name], 2, "goes with the part");
    std::fs::write(&program, &module).expect("written");

    // What came of another search stays, and counts for nothing.
    let other = Search::cut_short(COUNTING, &["check", "a.c", "--strategy", "dpor"]);
    other.restore();
    other.work(&other.split(1)[0], "0.05");
    let folder = std::fs::read_dir(other.place.path("raddle-out/parts")).expect("a folder").flatten();
    let result = folder.map(|entry| entry.path()).find(|path| is(path, "done")).expect("something is done");
    let foreign = place.path("raddle-out/parts/foreign.done");
    std::fs::copy(&result, &foreign).expect("copied");
    let ran = place.run(&["gather", "raddle-out"]);
    assert!(ran.code == 5 && ran.stderr.contains("is of another search and counts for nothing here"), "{}", ran.stderr);
    assert!(foreign.exists(), "it is somebody's");
}

#[test]
fn searches_that_are_not_divided_are_refused_by_name() {
    for (arguments, words) in [
        (&["--preemptions", "3"][..], "within --preemptions"),
        (&["--strategy", "states"], "--strategy states"),
        (&["--strategy", "unfolding"], "--strategy unfolding"),
        (&["--strategy", "dpor", "--stop-on-finding", "--property", "deadlock"], "with --stop-on-finding"),
    ] {
        // So many increments that no strategy is through at once.
        let text = QUIET.replace("cmp slt i32 %1, 4 ", "cmp slt i32 %1, 60 ");
        let search = Search::begin(&text, &[&["check", "a.c"], arguments].concat());
        search.restore();
        let ran = search.place.run(&["split", "raddle-out", "-n", "2"]);
        assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot be divided") && ran.stderr.contains(words), "{}", ran.stderr);
        assert!(!search.place.path("raddle-out/parts").exists(), "nothing is left of it");
    }
}
