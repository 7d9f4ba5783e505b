//! The generated CUDA test of a kernel's finding, looked at: it compiles without a warning in what raddle wrote, raddle finds the same in it from
//! `main` on, and does not where the launch or the heap is altered.
//!
//! No device is asked for: what one shows is not looked at here.

use crate::ui::Case;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[derive(Debug, thiserror::Error)]
pub enum CudaError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{0}: {1}")]
    Report(String, String),
}

/// What became of a finding's test.
#[derive(Debug)]
pub enum Outcome {
    /// There is none, and why.
    Refused(String),
    /// raddle explores no such program, and why.
    NotExplored(String),
    /// raddle finds the same again; how it was altered so that it does not, if that was found.
    Again {
        twin: Option<&'static str>,
        zeros: Zeros,
        value: ValueCheck,
    },
    Wrong(String),
}

/// Whether a test shows it with zeros for all numbers that it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeros {
    NothingWritten,
    Shows,
    Silent,
}

/// Whether a test looks at what a race leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueCheck {
    None,
    /// In some order of the threads, by raddle, it finds another value than threads that run one after the other leave.
    Fails,
    NeverFails,
}

/// Where tests are made, and by what.
pub struct Workshop<'a> {
    pub raddle: &'a Path,
    /// The workspace: raddle's headers are below it.
    pub workspace: &'a Path,
    /// For each look.
    pub seconds: u64,
}

/// A finding's test, and where it belongs.
struct Look<'a> {
    workshop: &'a Workshop<'a>,
    case: &'a Case,
    file: &'a Path,
    /// See [`key`].
    wanted: &'a str,
}

/// What raddle sees in a test.
enum Seen {
    Same,
    Others(BTreeSet<String>),
    NotExplored(String),
}

/// Findings of these kinds are of several threads: one alone never shows them.
const OF_SEVERAL: [&str; 3] = ["data_race", "scope_error", "barrier_divergence"];

impl Workshop<'_> {
    /// Makes the test of a finding of `case`, at `file`, and looks at it.
    ///
    /// # Errors
    /// When raddle or clang cannot be run, or raddle prints no report.
    pub fn look_at(&self, case: &Case, finding: &Value, file: &Path) -> Result<Outcome, CudaError> {
        let witness = case.directory().join(text(&finding["witness"]));
        if let Err(why) = self.raddle(case, &["test", &witness.to_string_lossy(), "-o", &file.to_string_lossy()])? {
            return Ok(Outcome::Refused(why));
        }
        let source = std::fs::read_to_string(file)?;
        if let Some(why) = self.warnings(file, case)?.first() {
            return Ok(Outcome::Wrong(why.clone()));
        }
        let wanted = key(finding);
        let look = Look { workshop: self, case, file, wanted: &wanted };
        let outcome = look.at_it_and_its_twins(&source, OF_SEVERAL.contains(&text(&finding["kind"])));
        std::fs::write(file, source)?;
        outcome
    }

    /// Runs raddle where the case's source stands. What it says where it refuses.
    fn raddle(&self, case: &Case, arguments: &[&str]) -> Result<Result<String, String>, CudaError> {
        let output = Command::new(self.raddle).args(arguments).current_dir(case.directory()).output()?;
        Ok(match output.status.code() {
            Some(0 | 5 | 10) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => Err(String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ")),
        })
    }

    /// What clang says of a test with all warnings, for both sides, in what raddle wrote.
    fn warnings(&self, file: &Path, case: &Case) -> Result<Vec<String>, CudaError> {
        const HOW: &str = "-x cuda -fsyntax-only -Wall -Wextra -fno-caret-diagnostics -nocudainc -nocudalib -fgpu-rdc -std=c++17 \
                           -Xclang -target-sdk-version=12.0 -I crates/raddle/include -I crates/raddle/include/cuda -include raddle_cuda.h";
        let mut said = Vec::new();
        for side in ["--cuda-host-only", "--cuda-device-only --cuda-feature=+ptx70 --offload-arch=sm_70"] {
            let mut clang = Command::new("clang-22");
            clang.current_dir(self.workspace).args(HOW.split_whitespace()).args(side.split_whitespace());
            clang.args(case.revision.iter().map(|name| format!("-D{name}"))).args(&case.clang_flags).arg(file);
            let output = clang.output()?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let own = file.to_string_lossy().into_owned() + ":";
            let is_own =
                |line: &&str| line.starts_with(&own) && (line.contains(" warning: ") || line.contains(" error: "));
            said.extend(text.lines().filter(is_own).map(str::to_owned));
            if !output.status.success() && said.is_empty() {
                said.push(text);
            }
        }
        Ok(said)
    }
}

impl Look<'_> {
    /// `of_several`: one thread may not show it.
    fn at_it_and_its_twins(&self, source: &str, of_several: bool) -> Result<Outcome, CudaError> {
        match self.at(source)? {
            Seen::Same => {}
            Seen::NotExplored(why) => return Ok(Outcome::NotExplored(why)),
            Seen::Others(others) => return Ok(Outcome::Wrong(format!("wanted {}, seen {others:?}", self.wanted))),
        }
        let shows = |altered: &str| Ok::<_, CudaError>(!matches!(self.at(altered)?, Seen::Others(_)));
        let zeroed = zeroed(source);
        let zeros = match &zeroed {
            None => Zeros::NothingWritten,
            Some(zeroed) if shows(zeroed)? => Zeros::Shows,
            Some(_) => Zeros::Silent,
        };
        let mut twin = None;
        if !shows(&one_thread(source))? {
            twin = Some("a launch of one thread");
        } else if of_several {
            return Ok(Outcome::Wrong(format!("one thread alone shows {}", self.wanted)));
        } else if zeros == Zeros::Silent {
            twin = Some("zeros for all numbers");
        } else if !shows(&longer(source))? {
            twin = Some("longer buffers");
        }
        let value = match fatal(source) {
            None => ValueCheck::None,
            Some(fatal) if self.ends_in_the_test(&fatal)? => ValueCheck::Fails,
            Some(_) => ValueCheck::NeverFails,
        };
        Ok(Outcome::Again { twin, zeros, value })
    }

    /// What raddle says of this text.
    fn at(&self, source: &str) -> Result<Seen, CudaError> {
        Ok(match self.findings(source)? {
            Err(why) => Seen::NotExplored(why),
            Ok(seen) if seen.contains(self.wanted) => Seen::Same,
            Ok(seen) => Seen::Others(seen),
        })
    }

    /// Whether something goes wrong in what raddle wrote.
    fn ends_in_the_test(&self, source: &str) -> Result<bool, CudaError> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        Ok(self.findings(source)?.is_ok_and(|seen| seen.iter().any(|key| key.contains(&format!("{name}:")))))
    }

    /// Has raddle look at this text by the command that the test names. Why it does not, where the test says so.
    fn findings(&self, source: &str) -> Result<Result<BTreeSet<String>, String>, CudaError> {
        const BEFORE: &str = " * raddle looks at this program by: raddle ";
        let failed = |why: String| CudaError::Report(self.file.display().to_string(), why);
        std::fs::write(self.file, source)?;
        let Some(command) = source.lines().find_map(|line| line.strip_prefix(BEFORE)) else {
            let why = source.lines().find_map(|line| line.strip_prefix(" * raddle does not look at this program: "));
            return Ok(Err(why.ok_or_else(|| failed("it names no command".to_owned()))?.to_owned()));
        };
        let out = tempfile::tempdir()?;
        let (out, seconds) = (out.path().to_string_lossy().into_owned(), self.workshop.seconds.to_string());
        let own = ["--format", "json", "--out", &out, "--max-time", &seconds];
        // No word of it is quoted: paths and macros of these cases are plain.
        let mut words: Vec<&str> = command.split_whitespace().collect();
        let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        words.splice(end..end, own);
        let printed = self.workshop.raddle(self.case, &words)?.map_err(&failed)?;
        let report: Value = serde_json::from_str(&printed).map_err(|e| failed(e.to_string()))?;
        Ok(Ok(report["findings"].as_array().into_iter().flatten().map(key).collect()))
    }
}

/// A test in which the look at what is left fails as a program does, not by an exit code. None if it does not look.
pub fn fatal(source: &str) -> Option<String> {
    let (before, look) = source.split_once("if (raddle_left != ")?;
    Some(format!("{before}if (raddle_left != {}", look.replacen("return 66;", "abort();", 1)))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What makes two findings the same: kind, class, and where.
fn key(finding: &Value) -> String {
    let place = |at: &Value| {
        let file = text(&at["file"]).rsplit('/').next().unwrap_or_default().to_owned();
        format!("{file}:{} {}", at["line"], text(&at["access"]))
    };
    let several = |list: &Value, place: &dyn Fn(&Value) -> String| -> Vec<String> {
        let mut places: Vec<String> = list.as_array().into_iter().flatten().map(place).collect();
        places.sort();
        places
    };
    let mut places = several(&finding["accesses"], &place);
    if places.is_empty() {
        places = several(&finding["blocked"], &|blocked| place(&blocked["location"]));
        places.dedup();
    }
    if places.is_empty() {
        places.push(place(&finding["location"]));
    }
    format!("{} {} {places:?}", text(&finding["kind"]), text(&finding["class"]))
}

fn one_thread(source: &str) -> String {
    let line = source.lines().find(|line| line.trim_start().starts_with("const dim3 raddle_grid("));
    let altered = |line| source.replace(line, "    const dim3 raddle_grid(1, 1, 1), raddle_block(1, 1, 1);");
    line.map_or_else(|| source.to_owned(), altered)
}

fn longer(source: &str) -> String {
    source.replace(" = raddle_object(", " = raddle_object(4096 + ")
}

/// Without the numbers that are written into the heap and into variables, and with 0 for those that the kernel is given; pointers stay.
fn zeroed(source: &str) -> Option<String> {
    let (before, main) = source.split_once("\nint main()\n")?;
    let is_launch = |line: &str| line.contains("<<<raddle_grid") || line.trim_start().starts_with("raddle_launch(");
    let lines = main.lines().map(|line| {
        if line.trim_start().starts_with("raddle_store(") && line.contains(", uint") {
            return String::new();
        }
        if is_launch(line) { numbers_zeroed(line) } else { line.to_owned() }
    });
    let altered = format!("{before}\nint main()\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    (altered != source).then_some(altered)
}

/// A launch with 0 for each number among its arguments.
fn numbers_zeroed(line: &str) -> String {
    let begin = line.find(">>>(").map(|at| at + 4).or_else(|| line.find("raddle_block, ").map(|at| at + 14));
    let Some((begin, end)) = begin.zip(line.rfind(");")) else { return line.to_owned() };
    let zeroed = line[begin..end].split(", ").map(|argument| {
        let is_number = argument.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if is_number { "0" } else { argument }
    });
    format!("{}{}{}", &line[..begin], zeroed.collect::<Vec<_>>().join(", "), &line[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_altered_where_it_matters() {
        let test = "x\nint main()\n{\n    unsigned char *const N1 = raddle_object(8);\n    raddle_store(N1 + 4, uint32_t(7u)); // n = 7\n    \
                    raddle_store(N1, static_cast<void *>(N1)); // .next = N1\n    const dim3 raddle_grid(2, 1, 1), raddle_block(4, 1, 1);\n    \
                    k<<<raddle_grid, raddle_block, 0>>>(raddle_pointer{N1}, 3, -1.5f); // list, n, f\n}\n";
        assert!(one_thread(test).contains("raddle_grid(1, 1, 1), raddle_block(1, 1, 1)"));
        assert!(longer(test).contains("raddle_object(4096 + 8)"));
        let zeroed = zeroed(test).expect("it has numbers");
        assert!(zeroed.contains("(raddle_pointer{N1}, 0, 0); // list") && !zeroed.contains("uint32_t"), "{zeroed}");
        assert!(zeroed.contains(".next = N1"));
    }
}
