//! Folders that tests are written to.

use crate::errors::{InputError, UsageError};
use crate::whole;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAKEFILE: &str = "Makefile";
const CTEST: &str = "CMakeLists.txt";

/// Where tests go.
pub(crate) struct TestFolder {
    /// As typed.
    pub shown: PathBuf,
    pub path: PathBuf,
    /// Where raddle was started.
    start: PathBuf,
}

/// A test: how its program is called, and what builds it.
pub(crate) struct Built {
    pub program: String,
    pub build: String,
}

/// What is in a folder.
pub(crate) struct Contents {
    /// That names it on the command line.
    pub flag: &'static str,
    /// Whether a file of this name, beside those that build, is one that raddle writes there.
    pub is_own: fn(&str) -> bool,
}

/// What the tests of a folder have in common.
pub(crate) struct Suite {
    /// Of the project, in CMake's words.
    pub project: &'static str,
    /// How tests end, in a sentence.
    pub ends: &'static str,
    /// What a shell does with the exit status of `$$test`.
    pub judges: &'static str,
    /// Further targets, and files that they make.
    pub more: &'static str,
    pub made: &'static str,
}

impl TestFolder {
    /// Makes the folder, and removes what raddle left in it earlier.
    ///
    /// # Errors
    /// When it holds what raddle has not written, or cannot be written.
    pub(crate) fn open(shown: &Path, start: &Path, contents: &Contents) -> anyhow::Result<Self> {
        let flag = contents.flag;
        let is_own = |name: &str| [MAKEFILE, CTEST].contains(&name) || (contents.is_own)(name);
        let failed = |e: io::Error| {
            InputError::new("output", format!("{flag} {}: {e}; name a folder that can be written", shown.display()))
        };
        let path = start.join(shown);
        fs::create_dir_all(&path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let mut own = Vec::new();
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if !is_own(&name) {
                let message = format!(
                    "{flag} {}: that folder holds `{name}`, which is not raddle's; name an empty folder, or a new one",
                    shown.display()
                );
                return Err(UsageError::new("output", message).into());
            }
            own.push(name);
        }
        for name in own {
            fs::remove_file(path.join(name)).map_err(failed)?;
        }
        let start = start.canonicalize().map_err(failed)?;
        Ok(TestFolder { shown: shown.to_owned(), path, start })
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        whole::replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))
    }

    /// The words of a command as `make` has them, which runs it in this folder: what lies there, or where raddle was started if that is around the
    /// folder, is named from here, so that all of it can be moved.
    fn command(&self, build: &str) -> Vec<String> {
        let words = build.replace('$', "$$");
        words.split(' ').map(|word| self.seen_from_here(word)).collect()
    }

    /// `/all/of/it/suite/t01.c` as `t01.c`, `-I/all/of/it/include` as `-I../include`.
    fn seen_from_here(&self, word: &str) -> String {
        let Some(begin) = word.find('/') else { return word.to_owned() };
        let (before, path) = word.split_at(begin);
        let is_path = matches!(before, "" | "-I" | "-L" | "-Wl,@" | "@");
        if let Some(inside) = Path::new(path).strip_prefix(&self.path).ok().filter(|_| is_path) {
            return format!("{before}{}", inside.display());
        }
        let (Ok(up), Ok(down)) = (self.path.strip_prefix(&self.start), Path::new(path).strip_prefix(&self.start))
        else {
            return word.to_owned();
        };
        let up = "../".repeat(up.components().count());
        if is_path { format!("{before}{up}{}", down.display()) } else { word.to_owned() }
    }

    pub(crate) fn remove(&self, name: &str) {
        // What is not there need not be removed.
        let _ = fs::remove_file(self.path.join(name));
    }

    /// Writes what builds and runs all tests.
    pub(crate) fn write_builds(&self, tests: &[Built], suite: &Suite) -> io::Result<()> {
        let Suite { project, ends, judges, more, made } = suite;
        let mut make = format!("# {ends}\n\nTESTS =");
        for test in tests {
            let _ = write!(make, " {}", test.program);
        }
        let commands: Vec<Vec<String>> = tests.iter().map(|test| self.command(&test.build)).collect();
        let common = common(&commands);
        let flags = commands.first().map_or(&[][..], |command| &command[..common]).join(" ");
        let _ = write!(make, "\nBUILD = {flags}\n\nall: $(TESTS)\n\n");
        for (test, command) in tests.iter().zip(&commands) {
            let _ = write!(make, "{}:\n\t$(BUILD) {}\n\n", test.program, command[common..].join(" "));
        }
        let _ = write!(
            make,
            "check: all\n\t@for test in $(TESTS); do ./$$test >/dev/null 2>&1; {judges}; done\n\n{more}\
             clean:\n\trm -f $(TESTS){made}\n\n.PHONY: all check clean\n"
        );
        self.write(MAKEFILE, &make)?;
        let mut cmake = format!("cmake_minimum_required(VERSION 3.10)\nproject({project} NONE)\nenable_testing()\n\n");
        for test in tests {
            let program = &test.program;
            let _ = write!(
                cmake,
                "add_custom_target(build_{program} ALL COMMAND make {program} WORKING_DIRECTORY ${{CMAKE_CURRENT_SOURCE_DIR}})\n\
                 add_test(NAME {program} COMMAND ${{CMAKE_CURRENT_SOURCE_DIR}}/{program})\n"
            );
        }
        self.write(CTEST, &cmake)
    }
}

/// How many words at the beginning all commands have in common, up to the first file.
fn common(commands: &[Vec<String>]) -> usize {
    let Some(first) = commands.first() else { return 0 };
    let is_flag = |word: &String| !word.ends_with(".c") && word != "&&" && !word.starts_with('(');
    let are_flags = first.iter().take_while(|word| is_flag(word)).count();
    let same = |other: &Vec<String>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    commands.iter().map(same).fold(are_flags, usize::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_a_makefile_are_named_from_its_folder() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let start = place.path().canonicalize().expect("it is there");
        let contents = Contents { flag: "-o", is_own: |_| false };
        let folder = TestFolder::open(Path::new("out/suite"), &start, &contents).expect("it can be made");
        let at = |path: &str| start.join(path).display().to_string();
        let build = |program: &str| {
            let (test, source, out) =
                (at(&format!("out/suite/{program}.c")), at("a.c"), at(&format!("out/suite/{program}")));
            format!("clang-22 -I{} -I /usr/x -g {test} {source} -o {out}", at("include"))
        };
        let tests = ["t1", "t2"].map(|program| Built { program: program.to_owned(), build: build(program) });
        let suite = Suite { project: "p", ends: "", judges: "true", more: "", made: "" };
        folder.write_builds(&tests, &suite).expect("it can be written");
        let text = fs::read_to_string(start.join("out/suite/Makefile")).expect("it is written");
        assert!(text.contains("BUILD = clang-22 -I../../include -I /usr/x -g\n"), "{text}");
        assert!(text.contains("t1:\n\t$(BUILD) t1.c ../../a.c -o t1\n"), "{text}");
        assert!(!text.contains(&*start.to_string_lossy()), "{text}");
    }
}
