//! A place to run raddle in. The front end is a shell script, so that nothing depends on LLVM.

#![allow(dead_code, reason = "each test program uses its part")]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A program that ends at once.
pub(crate) const SAFE: &str = "fn f0 main() -> i32 external {\nb0:\n  return 0\n}\n";

/// `struct list { int n; }`, functions that are predicates on it or not, and `add`, which races with itself: the
/// read and the write of `list.n` at lib.c:10, each with the write.
pub(crate) const LIBRARY: &str = include_str!("../library.rir");

/// A directory with a source, a front end, and a cache.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    /// `front_end` is the script's body; `$OUT` is where the result belongs.
    pub(crate) fn new(front_end: &str) -> Self {
        let place = Place { directory: tempfile::tempdir().expect("a temporary directory") };
        place.write("a.c", "int main(void) { return 0; }\n");
        place.front_end(front_end);
        place
    }

    /// A front end that gives the module of this IR text.
    pub(crate) fn lowering(text: &str) -> Self {
        let place = Place::new("cp module.rir \"$OUT\"");
        let module = ir::text::parse(text).expect("valid IR");
        let bytes = ir::binary::write(&module).expect("an encodable module");
        std::fs::write(place.path("module.rir"), bytes).expect("a writable directory");
        place
    }

    pub(crate) fn front_end(&self, body: &str) {
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\n\
             while [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then OUT=$2; fi; shift; done\n{body}\n"
        );
        self.write("front-end", &script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path("front-end"), mode).expect("our own file");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a writable directory");
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null());
        command.env("RADDLE_FRONTEND", self.path("front-end")).env("XDG_CACHE_HOME", self.path("cache"));
        command.env("RADDLE_STORE", "off").env_remove("RADDLE_LOG").env_remove("CLICOLOR_FORCE");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().expect("raddle runs"))
    }

    /// Runs with `--format json`; standard output must be one document.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        self.json_before(arguments, &[])
    }

    /// As [`Place::json`], with flags for clang.
    pub(crate) fn json_before(&self, arguments: &[&str], flags: &[&str]) -> (i32, Value) {
        let ran = self.run(&[arguments, &["--format", "json", "--"], flags].concat());
        let document = serde_json::from_str(&ran.stdout);
        (ran.code, document.unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{}\n{}", ran.stdout, ran.stderr)))
    }
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
