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
        Ok(TestFolder { shown: shown.to_owned(), path })
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        whole::replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))
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
        make.push_str("\n\nall: $(TESTS)\n\n");
        for test in tests {
            let _ = write!(make, "{}:\n\t{}\n\n", test.program, test.build.replace('$', "$$"));
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
