//! `--cluster hq`: the report is that of one process, whatever becomes of workers and servers.
//!
//! With HyperQueue itself by its Python package, where `scripts/setup-hq` has installed it (else these tests say that they are skipped),
//! and with `hq.py` in place of its program `hq`.

mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::{Place, ran};

const COUNTING: &str = include_str!("counting.rir");
const QUIET: &str = include_str!("quiet.rir");
const ROUNDS: &str = include_str!("rounds.rir");
const PAIRS: &str = include_str!("pairs.rir");
/// Writes an element that a buffer of the first bounds does not have: all threads write it.
const KERNEL: &str = include_str!("kernel.rir");
const HQ: &str = include_str!("hq.py");

const UNFINISHED: &str = "raddle-out/unfinished.raddle";
const CHECK: [&str; 4] = ["check", "a.c", "--strategy", "dpor"];

/// Where the Python package is.
fn package() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/hq");
    let place = std::env::var_os("RADDLE_TEST_HQ").map_or(installed, PathBuf::from);
    if place.join("hyperqueue").is_dir() {
        return Some(place);
    }
    // Past what the test runner keeps to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED: HyperQueue is not installed: `scripts/setup-hq` does that");
    None
}

/// The interpreter itself: what is called so may be a script that looks for it.
fn python() -> PathBuf {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().expect("python3");
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim()).canonicalize().expect("an interpreter")
}

/// Where a copy of raddle finds its libraries: the program itself knows by where it stands.
fn libraries() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/z3/lib")
}

/// By which door the engine is reached.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Door {
    Package,
    Program,
}

struct Search {
    place: Place,
    door: Door,
    package: PathBuf,
}

impl Search {
    /// None: what it takes is not installed, which was said.
    fn new(text: &str, door: Door) -> Option<Search> {
        let package = if door == Door::Package { package()? } else { PathBuf::new() };
        let place = Place::lowering(text);
        place.write("a.cu", "");
        // All that may be called, and no other engine.
        std::fs::create_dir_all(place.path("bin")).expect("a folder");
        for name in ["cp", "cat", "sh"] {
            let programs = std::env::var_os("PATH").expect("a PATH");
            let found = std::env::split_paths(&programs).map(|folder| folder.join(name)).find(|path| path.is_file());
            symlink(found.expect(name), place.path("bin").join(name)).expect("a link");
        }
        symlink(python(), place.path("bin/python3")).expect("a link");
        if door == Door::Program {
            place.write("bin/hq", HQ);
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(place.path("bin/hq"), mode).expect("our own file");
        }
        Some(Search { place, door, package })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.args(["--format", "json"]).env("PATH", self.place.path("bin")).env_remove("HQ_SERVER_DIR");
        command.env("HOME", self.place.path("home")).env_remove("PYTHONPATH").env("LD_LIBRARY_PATH", libraries());
        if self.door == Door::Package {
            command.env("PYTHONPATH", &self.package);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, Value, String) {
        self.ran(self.command(arguments))
    }

    fn ran(&self, mut command: Command) -> (i32, Value, String) {
        let ran = ran(command.output().expect("raddle runs"));
        (ran.code, serde_json::from_str(&ran.stdout).expect("a document"), ran.stderr)
    }

    /// The report of one process.
    fn alone(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, report, said) = self.run(&[arguments, &["--workers", "1", "--out", "by-itself"]].concat());
        assert!(report["error"].is_null(), "{said}");
        (code, timeless(&report, "by-itself"))
    }

    fn together(&self, arguments: &[&str], workers: &str) -> (i32, Value) {
        let (code, report, said) = self.run(&[arguments, &["--cluster", "hq", "--workers", workers]].concat());
        assert!(report["error"].is_null(), "{report} {said}");
        assert!(!self.place.path(UNFINISHED).exists(), "it is over: {said}");
        (code, timeless(&report, "raddle-out"))
    }
}

/// The report without times, memory, and the folder that was named.
fn timeless(report: &Value, out: &str) -> Value {
    match report {
        Value::Object(fields) => {
            let is_time = |name: &str| name.ends_with("_time_s") || name == "peak_memory_bytes";
            let rest = fields.iter().filter(|(name, _)| !is_time(name));
            Value::Object(rest.map(|(name, value)| (name.clone(), timeless(value, out))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(|one| timeless(one, out)).collect()),
        Value::String(text) => Value::String(text.replace(out, "OUT")),
        other => other.clone(),
    }
}

/// One worker or two, by both doors.
fn is_one_search(text: &str, arguments: &[&str], code: i32) {
    for door in [Door::Program, Door::Package] {
        let Some(search) = Search::new(text, door) else { continue };
        let alone = search.alone(arguments);
        assert_eq!(alone.0, code, "{}", alone.1);
        for workers in ["1", "2"] {
            assert_eq!(search.together(arguments, workers), alone, "{door:?}, {workers} workers");
        }
    }
}

#[test]
fn a_program_with_findings_is_one_search() {
    is_one_search(COUNTING, &CHECK, 10);
}

#[test]
fn a_safe_program_is_one_search() {
    is_one_search(QUIET, &CHECK, 0);
}

#[test]
fn rounds_follow_each_other() {
    is_one_search(ROUNDS, &CHECK, 10);
}

#[test]
fn a_library_is_one_search() {
    let text = PAIRS.replace("cmp slt i32 %1, 10 ", "cmp slt i32 %1, 4 ");
    is_one_search(&text, &["races", "a.c", "--heaps", "any", "--op", "touch", "--op", "count", "--calls", "2"], 10);
}

/// Buffers are made longer where a kernel needs it, when all that was divided is there.
#[test]
fn a_launch_is_one_search() {
    is_one_search(KERNEL, &["gpu", "a.cu", "--grid", "1", "--block", "2"], 10);
    is_one_search(&KERNEL.replace("+ 400", "+ 4"), &["gpu", "a.cu", "--grid", "1", "--block", "2"], 10);
    is_one_search(&KERNEL.replace("i32 %1, 3", "i32 3, 4"), &["gpu", "a.cu", "--grid", "1", "--block", "2"], 0);
}

/// All threads are looked at at once: nothing is to be divided.
#[test]
fn a_launch_of_many_threads_is_refused_by_name() {
    let Some(search) = Search::new(KERNEL, Door::Program) else { return };
    let large = ["gpu", "a.cu", "--grid", "64", "--block", "256", "--max-time", "5", "--cluster", "hq"];
    let (code, report, _) = search.run(&large);
    assert_eq!((code, &report["error"]["kind"]), (1, &"undivided".into()), "{report}");
    assert!(report["error"]["message"].as_str().is_some_and(|words| words.contains("--flows")), "{report}");
    // As it is divided, no launch is as large.
    let (code, report, _) = search.run(&[&large[..], &["--flows", "never"]].concat());
    assert_eq!((code, &report["error"]["kind"]), (1, &"launch".into()), "{report}");
}

/// More executions than anybody waits for: five increments in each of three threads.
fn long() -> String {
    QUIET.replace("cmp slt i32 %1, 4 ", "cmp slt i32 %1, 5 ")
}

/// What one process says of that: it takes a while.
fn long_alone() -> (i32, Value) {
    static ALONE: OnceLock<(i32, Value)> = OnceLock::new();
    let alone = || Search::new(&long(), Door::Program).expect("it needs nothing").alone(&CHECK);
    ALONE.get_or_init(alone).clone()
}

/// Sends a signal to a process that this test started.
fn signal(name: &str, process: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).stderr(Stdio::null()).status();
    // It may have ended by itself.
    let _ = sent.expect("a shell");
}

/// Processes whose command line has a word that ends so, and which work below this folder.
fn processes(folder: &Path, what: &str) -> Vec<u32> {
    let folder = folder.display().to_string();
    let all = std::fs::read_dir("/proc").expect("a folder").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_meant = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words: Vec<String> =
            line.split(|&byte| byte == 0).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
        words.iter().any(|word| word == what) && words.iter().any(|word| word.contains(&folder))
    };
    ids.filter(is_meant).collect()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until it says this on its standard error; the thread reads all that it says.
fn heard(child: &mut Child, words: &'static str) -> JoinHandle<String> {
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        for line in lines.by_ref().map_while(Result::ok) {
            if line.contains(words) {
                // Who does not listen any more has heard it.
                let _ = sender.send(());
            }
            said += &(line + "\n");
        }
        said
    });
    assert!(receiver.recv().is_ok(), "it never says `{words}`");
    reader
}

fn output(child: Child) -> (i32, Value, String) {
    let ran = ran(child.wait_with_output().expect("it ends"));
    (ran.code, serde_json::from_str(&ran.stdout).expect("a document"), ran.stderr)
}

#[test]
fn an_interrupted_search_is_gone_on_with() {
    for door in [Door::Program, Door::Package] {
        let Some(search) = Search::new(&long(), door) else { continue };
        let alone = long_alone();
        let arguments = [&CHECK[..], &["--cluster", "hq", "--workers", "2"]].concat();
        let piped = || Stdio::piped();
        let child = search.command(&arguments).stdout(piped()).stderr(piped()).spawn().expect("raddle runs");
        let folder = search.place.path("raddle-out");
        until("nobody works", || !processes(&folder, "work").is_empty());
        signal("INT", child.id());
        let (code, report, said) = output(child);
        assert_eq!(code, 5, "{report} {said}");
        assert!(said.contains("raddle resume raddle-out") && search.place.path(UNFINISHED).exists(), "{said}");
        until("somebody works on", || processes(&folder, "work").is_empty());
        let (code, report, said) = search.run(&["resume", "--cluster", "hq", "--workers", "2"]);
        assert_eq!((code, timeless(&report, "raddle-out")), alone, "{said}");
        assert!(!search.place.path(UNFINISHED).exists());
    }
}

#[test]
fn a_limited_search_is_gone_on_with_alone() {
    let Some(search) = Search::new(&long(), Door::Program) else { return };
    let alone = long_alone();
    let limit = ["--cluster", "hq", "--workers", "1", "--max-time", "1.5"];
    let (code, report, _) = search.run(&[&CHECK[..], &limit].concat());
    assert!(code == 5 && report["ledger"].to_string().contains("time"), "{report}");
    let (code, report, _) = search.run(&["resume"]);
    assert_eq!((code, timeless(&report, "raddle-out")), alone);
}

#[test]
fn tasks_that_are_killed_are_given_again() {
    let Some(search) = Search::new(&long(), Door::Package) else { return };
    let alone = long_alone();
    let arguments = [&CHECK[..], &["--cluster", "hq", "--workers", "2"]].concat();
    let piped = || Stdio::piped();
    let mut child = search.command(&arguments).stdout(piped()).stderr(piped()).spawn().expect("raddle runs");
    let folder = search.place.path("raddle-out");
    let mut killed = 0;
    while killed < 3 && matches!(child.try_wait(), Ok(None)) {
        if let Some(&process) = processes(&folder, "work").first() {
            signal("KILL", process);
            killed += 1;
            std::thread::sleep(Duration::from_millis(700));
        }
    }
    let (code, report, said) = output(child);
    assert_eq!((code, timeless(&report, "raddle-out")), alone, "{said}");
    assert!(killed > 0 && said.contains("is given again"), "{killed} {said}");
}

#[test]
fn a_server_that_ends_is_started_again() {
    let Some(search) = Search::new(&long(), Door::Program) else { return };
    let alone = long_alone();
    let arguments = [&CHECK[..], &["--cluster", "hq", "--workers", "2"]].concat();
    let mut command = search.command(&arguments);
    search.place.write("once", "");
    command.env("HQ_TEST_LOST", search.place.path("once"));
    let (code, report, said) = search.ran(command);
    assert!(!search.place.path("once").exists(), "it has not happened");
    assert_eq!((code, timeless(&report, "raddle-out")), alone, "{said}");
    assert!(said.contains("the server does not answer") && said.contains("answers again"), "{said}");
}

#[test]
fn workers_of_another_build_are_refused() {
    let Some(search) = Search::new(&long(), Door::Program) else { return };
    // The same program but for a byte behind its end.
    let other = search.place.path("other");
    let mut bytes = std::fs::read(env!("CARGO_BIN_EXE_raddle")).expect("a program");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("written");
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    let arguments = [&CHECK[..], &["--cluster", "hq", "--workers", "2"]].concat();
    let mut command = search.command(&arguments);
    command.env("HQ_TEST_PROGRAM", &other);
    let (code, report, said) = search.ran(command);
    assert_eq!((code, &report["error"]["kind"]), (2, &"cluster_tasks".into()), "{report} {said}");
    let message = report["error"]["message"].as_str().expect("words");
    assert!(message.contains("another build of raddle") && message.contains("raddle resume raddle-out"), "{message}");
    // Nothing is lost.
    assert!(search.place.path(UNFINISHED).exists());
    let (code, report, _) = search.run(&["resume"]);
    assert_eq!((code, timeless(&report, "raddle-out")), long_alone());
}

#[test]
fn what_is_missing_is_named_with_what_mends_it() {
    let Some(search) = Search::new(QUIET, Door::Program) else { return };
    let cluster = ["--cluster", "hq"];
    // No engine.
    std::fs::remove_file(search.place.path("bin/hq")).expect("it is there");
    let (code, report, _) = search.run(&[&CHECK[..], &cluster].concat());
    assert_eq!((code, &report["error"]["kind"]), (2, &"no_engine".into()), "{report}");
    assert!(report["error"]["message"].as_str().is_some_and(|words| words.contains("pip install hyperqueue==")));
    assert!(!search.place.path("raddle-out/runs/1").exists(), "nothing was begun");
    let (_, document, _) = search.run(&["doctor"]);
    let component =
        document["components"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "hyperqueue"));
    assert!(component.is_some_and(|one| one["found"] == false && one["optional"] == true), "{document}");
    // No server where one is named.
    let Some(search) = Search::new(QUIET, Door::Program) else { return };
    let mut command = search.command(&[&CHECK[..], &cluster].concat());
    command.env("HQ_SERVER_DIR", search.place.path("nowhere"));
    let (code, report, _) = search.ran(command);
    assert_eq!((code, &report["error"]["kind"]), (2, &"no_server".into()), "{report}");
    assert!(report["error"]["message"].as_str().is_some_and(|words| words.contains("nowhere")), "{report}");
    // A search that one process has to know all of.
    let (code, report, _) = search.run(&["check", "a.c", "--strategy", "states", "--cluster", "hq"]);
    assert_eq!((code, &report["error"]["kind"]), (1, &"undivided".into()), "{report}");
    assert!(report["error"]["message"].as_str().is_some_and(|words| words.contains("without --cluster")), "{report}");
}

#[test]
fn a_package_that_cannot_be_spoken_to_is_refused() {
    let Some(search) = Search::new(QUIET, Door::Program) else { return };
    std::fs::remove_file(search.place.path("bin/hq")).expect("it is there");
    std::fs::create_dir_all(search.place.path("lib/hyperqueue")).expect("a folder");
    for (text, why) in [
        ("def get_version(): return '0.9.9'\n", "is of version 0.9.9, which raddle cannot speak to"),
        ("raise ImportError('libother.so: no such file')\n", "cannot be loaded: libother.so"),
    ] {
        search.place.write("lib/hyperqueue/__init__.py", text);
        let mut command = search.command(&[&CHECK[..], &["--cluster", "hq"]].concat());
        // What was compiled of the other text a moment ago is not to be taken for it.
        command.env("PYTHONPATH", search.place.path("lib")).env("PYTHONDONTWRITEBYTECODE", "1");
        let (code, report, _) = search.ran(command);
        assert_eq!((code, &report["error"]["kind"]), (2, &"no_engine".into()), "{report}");
        let words = report["error"]["message"].as_str().unwrap_or_default();
        assert!(words.contains(why) && words.contains("pip install hyperqueue=="), "{words}");
        assert!(!search.place.path("raddle-out/runs/1").exists(), "nothing was begun");
    }
}

/// A server that is not raddle's, with workers of its own.
struct Served<'a> {
    search: &'a Search,
    folder: PathBuf,
    server: Child,
    workers: Vec<Child>,
}

impl<'a> Served<'a> {
    fn new(search: &'a Search) -> Self {
        let folder = search.place.path("server");
        std::fs::create_dir(&folder).expect("a folder");
        let server = Served::start(search, &folder, &["server", "start"], None);
        until("no server", || folder.join("server").exists());
        Served { search, folder, server, workers: Vec::new() }
    }

    fn start(search: &Search, folder: &Path, words: &[&str], program: Option<&Path>) -> Child {
        let mut command = Command::new(search.place.path("bin/hq"));
        command.arg("--server-dir").arg(folder).args(words).env("PATH", search.place.path("bin"));
        command
            .env("LD_LIBRARY_PATH", libraries())
            .envs(program.map(|program| ("HQ_TEST_PROGRAM", program)))
            .spawn()
            .expect("it runs")
    }

    /// `program`: what it runs in place of raddle.
    fn worker(&mut self, program: Option<&Path>) {
        self.workers.push(Served::start(self.search, &self.folder, &["worker", "start", "--cpus", "1"], program));
    }

    fn begin(&self, arguments: &[&str]) -> Child {
        let mut command = self.search.command(&[arguments, &["--cluster", "hq"]].concat());
        command.env("HQ_SERVER_DIR", &self.folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("raddle runs")
    }

    fn end(mut self) {
        assert!(matches!(self.server.try_wait(), Ok(None)), "it is not raddle's to end");
        signal("TERM", self.server.id());
        self.server.wait().expect("it ends");
        for mut worker in self.workers {
            worker.wait().expect("it ends with its server");
        }
    }
}

#[test]
fn a_server_that_runs_is_used() {
    let Some(search) = Search::new(QUIET, Door::Program) else { return };
    let alone = search.alone(&CHECK);
    let mut served = Served::new(&search);
    let mut child = served.begin(&CHECK);
    // Its worker comes when it is missed.
    let rest = heard(&mut child, "has no workers yet");
    served.worker(None);
    let (code, report, _) = output(child);
    let said = rest.join().expect("it is read to its end");
    served.end();
    assert_eq!((code, timeless(&report, "raddle-out")), alone, "{said}");
}

#[test]
fn what_one_worker_cannot_do_another_does() {
    let Some(search) = Search::new(QUIET, Door::Program) else { return };
    let alone = search.alone(&CHECK);
    let raddle = env!("CARGO_BIN_EXE_raddle");
    // Its disk is full; there is another raddle; there is none.
    let full = search.place.path("full");
    std::fs::write(&full, format!("#!/bin/sh\nulimit -f 0\nexec {raddle} \"$@\"\n")).expect("written");
    let other = search.place.path("other");
    let mut bytes = std::fs::read(raddle).expect("a program");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("written");
    let mut served = Served::new(&search);
    // It is there before the others take its tasks and fail.
    served.worker(None);
    for program in [&full, &other] {
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("our own file");
        served.worker(Some(program));
    }
    let (code, report, said) = output(served.begin(&CHECK));
    served.end();
    assert_eq!((code, timeless(&report, "raddle-out")), alone, "{said}");
    assert!(said.contains("is given again"), "{said}");
}
