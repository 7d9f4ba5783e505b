//! The command line as scripts see it: exit codes, standard output, JSON.
//!
//! The front end is a shell script here, so that nothing depends on LLVM; what it would have lowered is written as IR text.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SAFE: &str = "fn f0 main() -> i32 external {\nb0:\n  return 0\n}\n";
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

/// A directory with a source, a front end, and a cache.
struct Place {
    directory: tempfile::TempDir,
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Place {
    /// `front_end` is the script's body; `$OUT` is where the result belongs.
    fn new(front_end: &str) -> Self {
        let place = Place { directory: tempfile::tempdir().expect("a temporary directory") };
        place.write("a.c", "int main(void) { return 0; }\n");
        place.front_end(front_end);
        place
    }

    /// A front end that gives the module of this IR text.
    fn lowering(text: &str) -> Self {
        let place = Place::new("cp module.rir \"$OUT\"");
        let module = ir::text::parse(text).expect("valid IR");
        let bytes = ir::binary::write(&module).expect("an encodable module");
        std::fs::write(place.path("module.rir"), bytes).expect("a writable directory");
        place
    }

    fn front_end(&self, body: &str) {
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\n\
             while [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then OUT=$2; fi; shift; done\n{body}\n"
        );
        self.write("front-end", &script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path("front-end"), mode).expect("our own file");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a writable directory");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null());
        command.env("RADDLE_FRONTEND", self.path("front-end")).env("XDG_CACHE_HOME", self.path("cache"));
        command.env_remove("RADDLE_LOG").env_remove("CLICOLOR_FORCE");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().expect("raddle runs"))
    }

    /// Runs with `--format json`; standard output must be one document.
    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.run(&[arguments, &["--format", "json"]].concat());
        let document = serde_json::from_str(&ran.stdout);
        (ran.code, document.unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{}\n{}", ran.stdout, ran.stderr)))
    }
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

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
        [&[][..], &["chekc", "a.c"], &["check", "a.c", "--depth", "0"], &["races", "a.c", "--threads", "5"]]
    {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty());
        let (code, document) = place.json(arguments);
        assert_eq!((code, &document["verdict"]), (1, &"error".into()), "{arguments:?}");
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
    let place = Place::new("touch started; exec sleep 60");
    let (code, document) = place.json(&["check", "a.c", "--max-time", "0.1"]);
    assert_eq!((code, &document["verdict"]), (5, &"inconclusive".into()));
    assert_eq!(document["ledger"][0]["kind"], "time");

    std::fs::remove_file(place.path("started")).expect("the front end ran");
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
fn the_configuration_is_read_from_beside_the_source() {
    let place = Place::lowering(SAFE);
    place.write("raddle.toml", "[bounds]\ndepth = 5\n");
    let (_, document) = place.json(&["check", "a.c"]);
    assert_eq!(document["claim"]["depth"], 5);
    let (_, document) = place.json(&["check", "a.c", "--depth", "4"]);
    assert_eq!(document["claim"]["depth"], 4);
    place.write("raddle.toml", "[bounds]\ndpeth = 5\n");
    let (code, document) = place.json(&["check", "a.c"]);
    let error = &document["error"];
    assert_eq!((code, &error["kind"], &error["line"]), (2, &"config".into(), &2.into()));
    assert!(error["file"].as_str().is_some_and(|f| f.ends_with("raddle.toml")));
}

#[test]
fn witnesses_that_cannot_be_read_end_with_2() {
    let place = Place::lowering(SAFE);
    place.write("w.json", "{\"schema\": 1}");
    std::fs::write(place.path("binary.json"), b"\xff\xfe").expect("a writable directory");
    for witness in ["missing.json", "w.json", "binary.json", "."] {
        for arguments in [&["replay", witness][..], &["test", witness, "-o", "t.c"]] {
            let (code, document) = place.json(arguments);
            assert_eq!((code, &document["verdict"]), (2, &"error".into()), "{arguments:?}");
        }
    }
    assert!(!place.path("t.c").exists());
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
