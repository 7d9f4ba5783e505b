//! The folder that tests are written to.

use crate::errors::{InputError, UsageError};
use crate::whole;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Flags of the linker that all tests share, which would make their first lines unreadable.
pub(super) const FLAGS: &str = "hold.flags";
const MAKEFILE: &str = "Makefile";
const CTEST: &str = "CMakeLists.txt";

/// Where tests go.
pub(super) struct TestFolder {
    /// As typed.
    pub shown: PathBuf,
    pub path: PathBuf,
}

/// A test that shows a race: how its program is called, and what builds it.
pub(super) struct Built {
    pub program: String,
    pub build: String,
}

impl TestFolder {
    /// Makes the folder, and removes what raddle left in it earlier.
    ///
    /// # Errors
    /// When it holds what raddle has not written, or cannot be written.
    pub(super) fn open(shown: &Path, start: &Path) -> anyhow::Result<Self> {
        let failed = |e: io::Error| {
            InputError::new("output", format!("-o {}: {e}; name a folder that can be written", shown.display()))
        };
        let path = start.join(shown);
        fs::create_dir_all(&path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let mut own = Vec::new();
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if !is_own(&name) {
                let message = format!(
                    "-o {}: that folder holds `{name}`, which is not raddle's; name an empty folder, or a new one",
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

    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        whole::replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))
    }

    pub(super) fn remove(&self, name: &str) {
        // What is not there need not be removed.
        let _ = fs::remove_file(self.path.join(name));
    }

    /// Writes what builds and runs all tests.
    pub(super) fn write_builds(&self, tests: &[Built]) -> io::Result<()> {
        let mut make = String::from("# Each test ends with 66 when ThreadSanitizer reports its race.\n\nTESTS =");
        for test in tests {
            let _ = write!(make, " {}", test.program);
        }
        make.push_str("\n\nall: $(TESTS)\n\n");
        for test in tests {
            let _ = write!(make, "{}:\n\t{}\n\n", test.program, test.build.replace('$', "$$"));
        }
        make.push_str(
            "check: all\n\t@for test in $(TESTS); do ./$$test >/dev/null 2>&1; \
             if [ $$? -eq 66 ]; then echo \"$$test: race\"; else echo \"$$test: nothing\"; fi; done\n\n\
             clean:\n\trm -f $(TESTS)\n\n.PHONY: all check clean\n",
        );
        self.write(MAKEFILE, &make)?;
        let mut cmake = String::from("cmake_minimum_required(VERSION 3.10)\nproject(races NONE)\nenable_testing()\n\n");
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

/// Whether raddle gives files this name.
fn is_own(name: &str) -> bool {
    [FLAGS, MAKEFILE, CTEST].contains(&name) || name.starts_with("race_")
}
