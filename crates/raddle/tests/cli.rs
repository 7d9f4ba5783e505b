//! The command line as scripts see it: exit codes, standard output, JSON.
//!
//! The front end is a shell script here, so that nothing depends on LLVM; what it would have lowered is written as IR text.

mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use support::{LIBRARY, Place, SAFE, ran};

const CALLS: &str = r#"
    file0 = "a.c" in "/src"
    fn f0 main() -> i32 external {
    b0:
      call f1() !0
      call f2() !0
      return 0
    }
    fn f1 no_model_of_this() external
    fn f2 abort() external
    loc !0 = file0:4:9 in main
"#;

#[test]
fn a_safe_program_ends_with_0() {
    let place = Place::lowering(SAFE);
    let ran = place.run(&["check", "a.c"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("raddle: safe\n") && ran.stdout.contains("safe within: "), "{}", ran.stdout);
    let (code, document) = place.json(&["check", "a.c"]);
    assert_eq!((code, &document["verdict"], &document["error"]), (0, &"safe".into(), &Value::Null));
}

#[test]
fn help_ends_with_0_and_a_wrong_line_with_1() {
    let place = Place::lowering(SAFE);
    for arguments in [&["--help"][..], &["races", "--help"], &["--version"]] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(ran.stdout.contains("raddle"));
    }
    for arguments in
        [&[][..], &["chekc", "a.c"], &["check", "a.c", "--depth", "0"], &["races", "a.c", "--threads", "1"]]
    {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty());
        let (code, document) = place.json(arguments);
        assert_eq!((code, &document["verdict"]), (1, &"error".into()), "{arguments:?}");
        assert!(ran.stderr.starts_with("raddle: error: "), "{}", ran.stderr);
        assert!(document["error"]["message"].as_str().is_some_and(|m| !m.is_empty() && !m.contains("Usage:")));
    }
}

#[test]
fn sources_that_cannot_be_taken_end_with_2() {
    let place = Place::lowering(SAFE);
    for (source, kind) in [
        ("missing.c", "missing_file"),
        ("a.cpp", "unsupported_source"),
        ("a.cu", "unsupported_source"),
        ("a.rs", "unsupported_source"),
        (".", "directory"),
    ] {
        for command in ["check", "races", "ir", "doctor"] {
            let (code, document) = place.json(&[command, source]);
            assert_eq!((code, &document["error"]["kind"]), (2, &kind.into()), "{command} {source}");
            assert_eq!(document["error"]["file"], source);
            assert_eq!(document["command"], command);
        }
    }
    let ran = place.run(&["check", "a.cpp"]);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("C++ is not supported yet"), "{}", ran.stderr);
}

#[test]
fn the_front_end_gets_sources_flags_header_and_cache() {
    let place = Place::lowering(SAFE);
    place.write("-b.c", "");
    let ran = place.run(&["ir", "a.c", "--depth", "2", "./-b.c", "--", "-DX=1", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let arguments = std::fs::read_to_string(place.path("arguments")).expect("the front end ran");
    let words: Vec<&str> = arguments.lines().collect();
    assert_eq!(words[0], "compile");
    assert!(words.ends_with(&["a.c", "./-b.c", "--", "-DX=1", "--format", "json"]), "{words:?}");
    let after = |flag: &str| words.iter().position(|w| *w == flag).map(|i| Path::new(words[i + 1]));
    assert_eq!(after("--cache"), Some(place.path("cache/raddle").as_path()));
    let header = after("--include").expect("an include directory").join("raddle.h");
    assert!(std::fs::read_to_string(header).is_ok_and(|text| text.contains("void raddle_symbolic(")));
}

#[test]
fn the_ir_is_printed_and_parses_back() {
    let place = Place::lowering(SAFE);
    let ran = place.run(&["ir", "a.c"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ir::text::parse(&ran.stdout), ir::text::parse(SAFE));
    let (code, document) = place.json(&["ir", "a.c"]);
    assert_eq!((code, document["text"].as_str()), (0, Some(ran.stdout.as_str())));
    assert_eq!(document.get("verdict"), Some(&Value::Null));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let body: String = (0..20_000).map(|n| format!("fn f{} g{n}() external\n", n + 1)).collect();
    let place = Place::lowering(&(SAFE.to_owned() + &body));
    let mut child =
        place.command(&["ir", "a.c"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("raddle runs");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut first).expect("readable");
    let ran = ran(child.wait_with_output().expect("raddle ends"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn errors_of_the_front_end_are_passed_on() {
    let json = r#"{"kind":"compile","message":"a.c:3:1: error: no","file":"a.c","line":3}"#;
    let place = Place::new(&format!("echo 'a.c:1:1: warning: hm' >&2; echo '{json}' >&2; exit 2"));
    let (code, document) = place.json(&["check", "a.c"]);
    assert_eq!((code, &document["error"]["kind"], &document["error"]["line"]), (2, &"compile".into(), &3.into()));
    let ran = place.run(&["check", "a.c"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "a.c:1:1: warning: hm\nraddle: error: a.c:3:1: error: no\n");
}

#[test]
fn a_front_end_that_breaks_is_an_error_of_the_input() {
    for (body, message) in [
        ("kill -SEGV $$", "the front end crashed (signal 11) on a.c"),
        ("exit 3", "the front end failed (exit code 3) on a.c"),
        ("echo nonsense > \"$OUT\"", "not a raddle IR file"),
    ] {
        let (code, document) = Place::new(body).json(&["check", "a.c"]);
        let error = document["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 2 && error.contains(message), "{code}: {error}");
    }
    let place = Place::new("");
    std::fs::remove_file(place.path("front-end")).expect("our own file");
    let (code, document) = place.json(&["check", "a.c"]);
    assert_eq!((code, &document["error"]["kind"]), (2, &"frontend_missing".into()));
}

#[test]
fn time_and_interrupts_leave_a_report() {
    let (code, document) = Place::new("exec sleep 60").json(&["check", "a.c", "--max-time", "0.1"]);
    assert_eq!((code, &document["verdict"]), (5, &"inconclusive".into()));
    assert_eq!(document["ledger"][0]["kind"], "time");

    let place = Place::new("touch started; exec sleep 60");
    let child = place.command(&["races", "a.c", "--format=json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("raddle runs");
    while !place.path("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let ran = ran(child.wait_with_output().expect("raddle ends"));
    let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!((ran.code, &document["ledger"][0]["kind"]), (5, &"interrupted".into()));
}

#[test]
fn witnesses_that_cannot_be_read_end_with_2() {
    let place = Place::lowering(SAFE);
    place.write("w.json", "{\n\"schema\": 1}");
    std::fs::write(place.path("binary.json"), b"\xff\xfe").expect("a writable directory");
    for witness in ["missing.json", "w.json", "binary.json", "."] {
        for arguments in [&["replay", witness][..], &["test", witness, "-o", "t.c"]] {
            let (code, document) = place.json(arguments);
            assert_eq!((code, &document["verdict"]), (2, &"error".into()), "{arguments:?}");
        }
    }
    assert!(!place.path("t.c").exists());
    let (_, document) = place.json(&["replay", "w.json"]);
    assert_eq!((&document["error"]["file"], &document["error"]["line"]), (&"w.json".into(), &2.into()));
}

#[test]
fn the_doctor_names_what_is_missing() {
    let place = Place::new("");
    std::fs::remove_file(place.path("front-end")).expect("our own file");
    let (code, document) = place.json(&["doctor"]);
    assert_eq!((code, &document["complete"]), (2, &false.into()));
    let components = document["components"].as_array().expect("a list");
    let front_end = components.iter().find(|c| c["name"] == "raddle-frontend").expect("listed");
    assert_eq!((&front_end["found"], &front_end["remedy"]), (&false.into(), &"make build".into()));
    let ran = place.run(&["doctor"]);
    assert!(ran.code == 2 && ran.stdout.contains("MISSING  raddle-frontend"), "{}", ran.stdout);
}

#[test]
fn the_doctor_lists_calls_without_a_model() {
    let place = Place::lowering(CALLS);
    let version = format!(
        r#"{{"raddle_frontend":"{}","ir":{},"llvm":"22.1.0","clang":"clang version 22.1.0","clang_path":"/bin/true"}}"#,
        env!("CARGO_PKG_VERSION"),
        ir::binary::VERSION
    );
    place.front_end(&format!("if [ -z \"$OUT\" ]; then echo '{version}'; else cp module.rir \"$OUT\"; fi"));
    let (code, document) = place.json(&["doctor", "a.c"]);
    assert_eq!(code, 2);
    let unmodelled = document["unmodelled"].as_array().expect("a list");
    let [only] = unmodelled.as_slice() else { panic!("{unmodelled:?}") };
    assert_eq!((&only["name"], &only["places"][0]), (&"no_model_of_this".into(), &"a.c:4".into()));
}

#[test]
fn no_escapes_where_nobody_reads_them() {
    let ran = Place::lowering(SAFE).run(&["check", "a.c"]);
    assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'));
}

#[test]
fn a_place_for_witnesses_is_seen_to_before_the_search() {
    let place = Place::lowering(LIBRARY);
    place.write("file", "");
    for (out, why) in [
        ("file", "it is not a directory"),
        ("file/below", "file is not a directory"),
        ("/proc/x", "nothing can be written in /proc"),
        ("/dev/null", "it is not a directory"),
    ] {
        for command in ["check", "races"] {
            let (code, document) = place.json(&[command, "a.c", "--out", out]);
            let message = document["error"]["message"].as_str().unwrap_or_default();
            assert_eq!((code, &document["error"]["kind"]), (2, &"output".into()), "{out}");
            assert!(message.contains(why), "{message}");
        }
    }
    assert!(!place.path("arguments").exists(), "nothing was compiled");
}

#[test]
fn findings_are_printed_even_if_their_witnesses_cannot_be_written() {
    // The directory becomes a file while the front end runs.
    let place = Place::lowering(LIBRARY);
    place.front_end("echo > out; cp module.rir \"$OUT\"");
    let ran = place.run(&["races", "a.c", "--op", "add", "--out", "out", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!((ran.code, &document["verdict"]), (10, &"findings".into()));
    assert_eq!(document["findings"][0].get("witness"), Some(&Value::Null));
    for finding in ["R1", "R2"] {
        let lost = format!("raddle: error: out/{finding}.witness.json cannot be written: ");
        assert_eq!(ran.stderr.matches(&lost).count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn witnesses_of_earlier_runs_do_not_stay() {
    let place = Place::lowering(LIBRARY);
    let names = || {
        let entries = std::fs::read_dir(place.path("raddle-out")).expect("a directory");
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    std::fs::create_dir(place.path("raddle-out")).expect("a writable directory");
    for name in ["R1.witness.json", "R17.witness.json", "mine.c"] {
        place.write(&format!("raddle-out/{name}"), "old");
    }
    place.write("broken.c", "");
    assert_eq!(place.run(&["check", "missing.c"]).code, 2);
    assert_eq!(names(), ["R1.witness.json", "R17.witness.json", "mine.c"]);
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    assert_eq!(names(), ["R1.witness.json", "R2.witness.json", "latest", "mine.c", "runs"]);
    assert!(std::fs::read_to_string(place.path("raddle-out/R1.witness.json")).is_ok_and(|text| text != "old"));
}

#[test]
fn a_replay_names_the_finding_as_the_report_did() {
    let place = Place::lowering(LIBRARY);
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    let shown = |witness: &str| {
        let ran = place.run(&["replay", witness]);
        assert_eq!(ran.code, 10, "{}", ran.stderr);
        ran.stdout.lines().find(|line| line.starts_with("WARNING")).unwrap_or_default().to_owned()
    };
    let expected = "WARNING: raddle: data race (R2, confirmed by replay, the shape is assumed)";
    assert_eq!(shown("raddle-out/R2.witness.json"), expected);
    // Whatever the file is called.
    std::fs::copy(place.path("raddle-out/R2.witness.json"), place.path("w.json")).expect("a copy");
    assert_eq!(shown("w.json"), expected);
    let (_, document) = place.json(&["replay", "w.json"]);
    assert_eq!((&document["findings"][0]["id"], &document["findings"][0]["shape"]), (&"R2".into(), &"assumed".into()));
}

#[test]
fn a_test_overwrites_tests_only() {
    let place = Place::lowering(LIBRARY);
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    place.write("mine.c", "int x;\n");
    let witness = "raddle-out/R1.witness.json";
    for output in ["a.c", "mine.c", "t.txt", "t", witness] {
        let before = std::fs::read(place.path(output)).ok();
        let (code, document) = place.json(&["test", witness, "-o", output]);
        assert_eq!((code, &document["error"]["kind"]), (1, &"output".into()), "{output}");
        assert_eq!(std::fs::read(place.path(output)).ok(), before, "{output}");
    }
    for _ in 0..2 {
        let (code, document) = place.json(&["test", witness, "-o", "t.c"]);
        assert_eq!((code, document.get("verdict"), &document["file"]), (0, Some(&Value::Null), &"t.c".into()));
    }
    let written = std::fs::read_to_string(place.path("t.c")).expect("the test");
    assert!(written.starts_with("// build: "));
    // A generated test that is itself what was analysed is a source like any other.
    std::fs::copy(place.path("t.c"), place.path("a.c")).expect("a copy");
    assert_eq!(place.run(&["test", witness, "-o", "a.c"]).code, 1);
}

#[test]
fn a_test_of_another_program_is_refused() {
    let place = Place::lowering(LIBRARY);
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    let module = ir::text::parse(&LIBRARY.replace("add i32 %2, 1 ", "add i32 %2, 2 ")).expect("valid IR");
    std::fs::write(place.path("module.rir"), ir::binary::write(&module).expect("an encodable module"))
        .expect("writable");
    let witness = "raddle-out/R1.witness.json";
    let message = |arguments: &[&str]| {
        let (code, document) = place.json(arguments);
        assert_eq!((code, &document["error"]["kind"]), (2, &"program_changed".into()), "{arguments:?}");
        document["error"]["message"].clone()
    };
    assert_eq!(message(&["test", witness, "-o", "t.c"]), message(&["replay", witness]));
    std::fs::remove_file(place.path("a.c")).expect("our own file");
    let (code, document) = place.json(&["test", witness, "-o", "t.c"]);
    assert_eq!((code, &document["error"]["kind"]), (2, &"missing_file".into()));
    assert!(!place.path("t.c").exists());
}

#[test]
fn a_test_says_what_thread_sanitizer_cannot_see() {
    let place = Place::lowering(LIBRARY);
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    let witness = "raddle-out/R1.witness.json";
    let notice = || place.run(&["test", witness, "-o", "t.c"]).stderr.contains("ThreadSanitizer may report nothing");
    assert!(!notice(), "a race of two accesses");
    let text = std::fs::read_to_string(place.path(witness)).expect("a witness");
    let mut ends: Value = serde_json::from_str(&text).expect("JSON");
    ends["failure"]["accesses"][0]["access"] = "free".into();
    ends["failure"]["accesses"][0]["automatic"] = true.into();
    std::fs::write(place.path(witness), ends.to_string()).expect("writable");
    assert!(notice(), "a race with the end of a variable");
}

#[test]
fn nothing_that_compiles_outlives_raddle() {
    // The front end's child stands for clang.
    let place = Place::new("sleep 600 & echo $! > child; mv child started; wait");
    let gone = || {
        let child = std::fs::read_to_string(place.path("started")).expect("the front end ran");
        std::fs::remove_file(place.path("started")).expect("our own file");
        let state = format!("/proc/{}/stat", child.trim());
        // What is dead and not waited for yet is gone as well.
        let alive = || std::fs::read_to_string(&state).is_ok_and(|stat| !stat.contains(") Z "));
        (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            !alive()
        })
    };
    assert_eq!(place.json(&["check", "a.c", "--max-time", "2"]).0, 5);
    assert!(gone(), "after --max-time");
    // Who runs the tests under nohup has raddle ignore hang-ups as well.
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("the ignored signals");
    let hang_up = u64::from_str_radix(ignored.trim(), 16).expect("a mask") & 1 == 0;
    for signal in ["-INT", "-TERM"].into_iter().chain(hang_up.then_some("-HUP")) {
        let child = place.command(&["races", "a.c"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("raddle runs");
        while !place.path("started").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        assert_eq!(child.wait().expect("raddle ends").code(), Some(5), "{signal}");
        assert!(gone(), "after {signal}");
    }
}

#[test]
fn time_counts_from_the_start() {
    let place = Place::lowering(SAFE);
    place.front_end("sleep 0.3; cp module.rir \"$OUT\"");
    let (_, document) = place.json(&["check", "a.c"]);
    assert!(document["stats"]["wall_time_s"].as_f64().is_some_and(|time| time >= 0.3), "{document:#}");
    let (_, document) = place.json(&["check", "a.c", "--max-time", "0.1"]);
    assert!(document["stats"]["wall_time_s"].as_f64().is_some_and(|time| time >= 0.1), "{document:#}");
    // Without a report there is nothing that could be inconclusive.
    let (code, document) = place.json(&["ir", "a.c", "--max-time", "0.1"]);
    assert_eq!((code, &document["error"]["kind"]), (2, &"time".into()));
}

#[test]
fn flags_without_effect_are_named() {
    let place = Place::lowering(SAFE);
    let ran = place.run(&["check", "a.c", "--valid", "ok", "--threads", "3", "--roots", "any", "--depth", "2"]);
    let notices: Vec<&str> = ran.stderr.lines().collect();
    let notice = |flag: &str| format!("raddle: notice: {flag} has no effect under check");
    assert_eq!(notices, ["--threads", "--roots", "--valid"].map(notice));
    assert_eq!(ran.code, 0);
}

#[test]
fn clang_flags_that_compile_nothing_are_refused() {
    let place = Place::lowering(SAFE);
    for (flags, named) in [
        (&["-fsyntax-only"][..], "`-fsyntax-only`"),
        (&["--version"], "`--version`"),
        (&["-x", "c++"], "`-x c++`"),
        (&["other.c"], "`other.c`"),
    ] {
        for command in ["check", "races", "ir", "doctor"] {
            let (code, document) = place.json_before(&[command, "a.c"], flags);
            assert_eq!((code, &document["error"]["kind"]), (1, &"clang_flag".into()), "{command} {flags:?}");
            assert!(document["error"]["message"].as_str().is_some_and(|m| m.contains(named)), "{flags:?}");
        }
    }
    let arguments = std::fs::read_to_string(place.path("arguments")).unwrap_or_default();
    assert!(!arguments.contains("compile"), "the doctor asks for the version only: {arguments}");
}

#[test]
fn a_report_that_cannot_be_written_is_no_fault_of_raddles() {
    let place = Place::lowering(SAFE);
    for arguments in [&["check", "a.c"][..], &["ir", "a.c"], &["--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let ran = ran(place.command(arguments).stdout(full).output().expect("raddle runs"));
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.starts_with("raddle: error: the report could not be written: "), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn what_a_compiler_quotes_does_not_steer_the_terminal() {
    let json = r#"{"kind":"compile","message":"a.ll:1:1: error: \u001b[2J","file":"a.ll","line":1}"#;
    let place = Place::new(&format!("printf 'warning \\033[31m\\n' >&2; echo '{json}' >&2; exit 2"));
    let ran = place.run(&["check", "a.c"]);
    assert_eq!(ran.stderr, "warning \\x1b[31m\nraddle: error: a.ll:1:1: error: \\x1b[2J\n");
}

#[test]
fn the_solver_is_chosen_and_its_questions_are_written_down() {
    let place = Place::lowering(SAFE);
    for solver in ["bits", "z3"] {
        let ran = place.run(&["check", "a.c", "--solver", solver, "--solver-check", "--solver-log", "queries"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        let written = std::fs::read_to_string(place.path("queries")).expect("the log");
        assert!(written.starts_with("raddle-queries 1\n"), "{written}");
    }
    let ran = place.run(&["check", "a.c", "--stats"]);
    assert!(ran.stdout.contains("Questions about path conditions answered: none"), "{}", ran.stdout);
    assert!(!place.run(&["check", "a.c"]).stdout.contains("Questions"));
    let (_, document) = place.json(&["check", "a.c"]);
    let stages = document["stats"]["solver_stages"].as_object().expect("an object");
    let names: Vec<&str> = stages.keys().map(String::as_str).collect();
    for name in ["constants", "cores", "model", "order", "intervals", "backend"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(names.len(), 6, "{names:?}");
    let ran = place.run(&["check", "a.c", "--solver", "yices"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let ran = place.run(&["check", "a.c", "--solver-log", "no/such/folder"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--solver-log no/such/folder: it cannot be written"), "{}", ran.stderr);
}

#[test]
fn sources_get_their_flags_from_a_compilation_database() {
    let place = Place::lowering(SAFE);
    place.write("b.c", "int b;\n");
    let here = place.path("").display().to_string();
    let entry = |file: &str, flags: &str| {
        format!(
            r#"{{"directory": "{here}", "file": "{file}", "command": "cc -Iinc {flags} -MD -o {file}.o -c {file}"}}"#
        )
    };
    let database = |entries: &[String]| place.write("compile_commands.json", &format!("[{}]", entries.join(",")));
    database(&[entry("a.c", "-DN=1"), entry("b.c", "-DN=2"), entry("c.c", "-DN=1")]);
    let given = || std::fs::read_to_string(place.path("arguments")).expect("the front end ran");
    assert_eq!(place.run(&["check", "-p", ".", "a.c", "--", "-DLAST"]).code, 0);
    let arguments = given();
    let flags = arguments.split_once("--\n").expect("flags").1.lines().collect::<Vec<_>>();
    let [include, first, last] = flags.as_slice() else { panic!("{flags:?}") };
    assert!(include.starts_with("-I/") && include.ends_with("/inc"), "{include}");
    assert_eq!((*first, *last), ("-DN=1", "-DLAST"));
    database(&[entry("a.c", "-DN=1"), entry("b.c", "")]);
    assert_eq!(place.run(&["check", "-p", ".", "b.c", "a.c", "--", "-DLAST"]).code, 0);
    let arguments = given();
    let sources = arguments.split_once("--in\n").expect("directories").1.split("--in\n").map(str::lines);
    let own: Vec<Vec<&str>> = sources.map(Iterator::collect).collect();
    let [b, a] = own.as_slice() else { panic!("{arguments}") };
    assert_eq!(
        (b[0], &b[1..3], b[3].ends_with("/inc"), &b[4..]),
        (&*here, &["--own", "2"][..], true, &["-DLAST", "b.c"][..])
    );
    assert_eq!(
        (a[0], &a[1..3], &a[4..]),
        (&*here, &["--own", "3"][..], &["-DN=1", "-DLAST", "a.c", "--", "-DLAST"][..])
    );
    database(&[entry("a.c", ""), entry("b.c", "")]);
    assert_eq!(place.run(&["ir", "--compile-commands", "compile_commands.json"]).code, 0);
    assert!(given().lines().any(|word| word == "b.c"), "without sources all are taken");
}

#[test]
fn what_a_compilation_database_cannot_say_is_an_error() {
    let place = Place::lowering(SAFE);
    place.write("b.c", "int b;\n");
    let failed = |arguments: &[&str]| {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        ran.stderr
    };
    assert!(failed(&["check", "-p", "nowhere", "a.c"]).contains("no such file"));
    place.write("compile_commands.json", "[{");
    assert!(failed(&["check", "-p", "."]).contains("is no compilation database"));
    place.write("compile_commands.json", r#"[{"directory": ".", "file": "b.c", "arguments": ["cc", "-DX", "b.c"]}]"#);
    assert!(failed(&["check", "-p", ".", "a.c"]).contains("has no entry for a.c"));
    place.write("compile_commands.json", r#"[{"directory": ".", "file": "gone.c", "command": "cc gone.c"}]"#);
    assert!(failed(&["doctor", "-p", "."]).contains("gone.c: no such file"));
}

#[test]
fn no_test_is_written_of_a_program_for_32_bits() {
    let place = Place::lowering(&format!("pointers of 4 bytes\n{LIBRARY}"));
    assert_eq!(place.run(&["races", "a.c", "--op", "add"]).code, 10);
    let witness = "raddle-out/R1.witness.json";
    let (code, document) = place.json(&["test", witness, "-o", "t.c"]);
    assert_eq!((code, &document["error"]["kind"]), (2, &"no_thread_sanitizer".into()));
    assert!(!place.path("t.c").exists());
    assert_eq!(place.run(&["replay", witness]).code, 10);
}

/// `main` fails an assertion.
const FAILS: &str = r#"
    file0 = "a.c" in "/src"
    fn f0 main() -> i32 external {
    b0:
      call f1() !0
      return 0
    }
    fn f1 reach_error() external
    loc !0 = file0:4:9 in main
"#;

#[test]
fn a_property_says_what_counts() {
    let place = Place::lowering(FAILS);
    let property = |name: &str, formula: &str| {
        std::fs::write(place.path(name), format!("CHECK( init(main()), LTL({formula}) )\n")).expect("it is written");
    };
    property("unreach.prp", "G ! call(reach_error())");
    property("race.prp", "G ! data-race");
    property("end.prp", "F end");
    let verdict = |asked: &str| {
        let (code, document) = place.json(&["check", "a.c", "--property", asked]);
        let others =
            document["assumptions"].as_array().is_some_and(|all| all.iter().any(|one| one["kind"] == "not_asked_for"));
        (code, document["claim"]["property"].clone(), others)
    };
    assert_eq!(verdict("all"), (10, Value::Null, false));
    assert_eq!(verdict("assertion"), (10, "assertion".into(), false));
    assert_eq!(verdict("unreach.prp"), (10, "unreach.prp".into(), false));
    assert_eq!(verdict("race.prp"), (0, "race.prp".into(), true));
    assert_eq!(verdict("deadlock"), (0, "deadlock".into(), true));
    for (asked, why) in [("races", "data-race, assertion"), ("none.prp", "none.prp"), ("end.prp", "F end")] {
        let (code, document) = place.json(&["check", "a.c", "--property", asked]);
        let message = document["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 1 && message.contains(why), "{asked}: {message}");
    }
}

#[test]
fn the_first_finding_may_be_enough() {
    let place = Place::lowering(FAILS);
    let (code, document) = place.json(&["check", "a.c", "--stop-on-finding"]);
    assert_eq!((code, document["findings"].as_array().map(Vec::len)), (10, Some(1)), "{document:#}");
    let safe = Place::lowering(SAFE);
    assert_eq!(safe.json(&["check", "a.c", "--stop-on-finding"]).0, 0);
}
