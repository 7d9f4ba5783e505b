//! The command that builds a test.

use super::plan::Plan;
use crate::format::ProgramRef;
use std::path::{Path, PathBuf};

/// What asks the system, where the witness has answers. A call of theirs is no step.
pub(super) const OF_SYSTEM: &str = "isatty sched_getcpu setpriority mlockall mlock sched_setaffinity pthread_setaffinity_np \
    sched_setscheduler pthread_setschedparam getrlimit fopen open access stat lstat";

/// Whether a witness has an answer of the system's.
pub(super) fn asks_system(plan: &Plan) -> bool {
    plan.witness.inputs.iter().any(|input| {
        // `main.1:isatty#2`, `file:/etc/passwd`
        let parts = input.name.split(['#', '.', ':']);
        parts.clone().any(|part| part == "file" || OF_SYSTEM.split_whitespace().any(|name| name == part))
    })
}

/// What every part of a test is compiled with. `x++` reads and writes: without the last option the read is not instrumented.
const COMMON: &str = "-g -O0 -w -pthread -fsanitize=thread -mllvm -tsan-instrument-read-before-write";

/// The program that a test is built into: it lies beside the test.
pub fn program_of(test: &Path) -> PathBuf {
    let test = std::path::absolute(test).unwrap_or_else(|_| test.to_owned());
    match test.extension() {
        Some(_) => test.with_extension(""),
        None => test.with_extension("out"),
    }
}

/// `clang-22 FLAGS TEST SOURCES -o PROGRAM`, for a shell; where sources have flags of their own, a command for each of them,
/// one for the test, and one that links.
pub(super) fn build(plan: &Plan, wrapped: &[String], output_path: &Path, includes: &[PathBuf]) -> String {
    let test = std::path::absolute(output_path).unwrap_or_else(|_| output_path.to_owned());
    let program = program_of(output_path);
    let program_ref = &plan.witness.program;
    let (test, program) = (test.to_string_lossy().into_owned(), program.to_string_lossy().into_owned());
    if !program_ref.own.is_empty() {
        return build_apart((plan, wrapped), &test, &program, includes);
    }
    let mut words = compiler(includes, &program_ref.flags, &program_ref.directory);
    words.push(hooks(wrapped));
    words.push(test);
    words.extend(plan.separate.iter().map(|s| (*s).to_owned()));
    words.push("-o".to_owned());
    words.push(program);
    for_shell(&words)
}

fn build_apart((plan, wrapped): (&Plan, &[String]), test: &str, program: &str, includes: &[PathBuf]) -> String {
    let program_ref = &plan.witness.program;
    let mut commands = Vec::new();
    let mut objects = Vec::new();
    // The test itself needs flags only for the source that is part of it.
    let of_test = plan.included.first().map(|source| program_ref.flags_of(source));
    let parts = plan.separate.iter().map(|source| (*source, Some(program_ref.flags_of(source))));
    for (number, (source, how)) in [(test, of_test)].into_iter().chain(parts).enumerate() {
        let object = format!("{program}.{number}.o");
        let (flags, directory) = how.unwrap_or((&[], ""));
        let mut words = compiler(includes, flags, directory);
        words.extend(["-c", source, "-o", &object].map(str::to_owned));
        let command = for_shell(&words);
        commands.push(match directory {
            "" => command,
            directory => format!("(cd {} && {command})", quoted(directory)),
        });
        objects.push(object);
    }
    let mut words = vec!["clang-22".to_owned()];
    words.extend(COMMON.split(' ').map(str::to_owned));
    words.push(hooks(wrapped));
    words.extend(objects);
    for (flags, directory) in program_ref.sources.iter().map(|source| program_ref.flags_of(source)) {
        let linking = |flag: &String| ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix));
        for flag in user_flags(flags, directory).into_iter().filter(linking) {
            if !words.contains(&flag) {
                words.push(flag);
            }
        }
    }
    words.extend(["-o".to_owned(), program.to_owned()]);
    commands.push(for_shell(&words));
    commands.join(" && ")
}

/// The command that builds a client of a program; some of its sources are included.
pub(super) fn build_client(program: &ProgramRef, included: &[String], output: &Path, includes: &[PathBuf]) -> String {
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let (flags, directory) = match included.first() {
        Some(first) => program.flags_of(first),
        None => (program.flags.as_slice(), program.directory.as_str()),
    };
    let mut words = compiler(includes, flags, directory);
    words.push(output.to_string_lossy().into_owned());
    words.extend(program.sources.iter().filter(|source| !included.contains(source)).cloned());
    words.push("-o".to_owned());
    words.push(output.with_extension("").to_string_lossy().into_owned());
    for_shell(&words)
}

/// The compiler with a user's flags and what a test needs.
fn compiler(includes: &[PathBuf], flags: &[String], directory: &str) -> Vec<String> {
    let mut words: Vec<String> = vec!["clang-22".to_owned()];
    words.extend(includes.iter().flat_map(|dir| ["-I".to_owned(), dir.to_string_lossy().into_owned()]));
    words.extend(user_flags(flags, directory));
    words.extend(COMMON.split(' ').map(str::to_owned));
    words
}

fn hooks(wrapped: &[String]) -> String {
    format!("-Wl,{}", wrapped.iter().map(|name| format!("--wrap={name}")).collect::<Vec<_>>().join(","))
}

fn for_shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The user's flags without those that ask for another output or other code. Paths that were typed relative to a
/// directory are made absolute: the test is built wherever it lies.
pub(super) fn user_flags(flags: &[String], directory: &str) -> Vec<String> {
    let absolute = |path: &str| Path::new(directory).join(path).to_string_lossy().into_owned();
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "-o" => {
                flags.next();
            }
            "-c" | "-S" | "-E" | "-emit-llvm" | "--coverage" | "-coverage" | "-s" | "-Wl,-s" => {}
            f if ["-O", "-fsanitize", "-fprofile", "-flto", "-g0"].iter().any(|prefix| f.starts_with(prefix)) => {}
            // One that is not there is looked for where headers are.
            "-include" | "-imacros" => {
                kept.push(flag.clone());
                let found = |path: &String| Path::new(directory).join(path).exists();
                kept.extend(flags.next().map(|path| if found(path) { absolute(path) } else { path.clone() }));
            }
            "-I" | "-L" | "-isystem" | "-iquote" | "-idirafter" => {
                kept.push(flag.clone());
                kept.extend(flags.next().map(|path| absolute(path)));
            }
            f => match ["-I", "-L"].iter().find_map(|prefix| Some((prefix, f.strip_prefix(prefix)?))) {
                Some((prefix, path)) => kept.push(format!("{prefix}{}", absolute(path))),
                None => kept.push(f.to_owned()),
            },
        }
    }
    kept
}

/// Ends the macros that the user's flags define: they are meant for the program, and might hit the test's own names.
pub(super) fn undefined(plan: &Plan) -> String {
    let program = &plan.witness.program;
    let flags = match plan.included.first() {
        Some(source) => program.flags_of(source).0,
        None => &program.flags,
    };
    let following =
        flags.iter().zip(flags.iter().skip(1)).filter(|(flag, _)| *flag == "-D").map(|(_, next)| next.as_str());
    let joined = flags.iter().filter_map(|flag| flag.strip_prefix("-D"));
    let name = |definition: &str| definition.split(['=', '(']).next().unwrap_or_default().to_owned();
    // Names that begin with an underscore are for the C library's headers.
    let mut names: Vec<String> =
        joined.chain(following).map(name).filter(|n| !n.is_empty() && !n.starts_with('_')).collect();
    names.sort();
    names.dedup();
    names.iter().map(|name| format!("#undef {name}\n")).collect()
}

/// A word for a POSIX shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell() {
        assert_eq!(quoted("-DX=1"), "-DX=1");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn flags_against_the_test_are_left_out() {
        let flags =
            ["-O2", "-DX=1", "-o", "x.o", "-c", "-lm", "-fsanitize=address", "-std=c11", "-Iinclude", "-I", "/a"];
        assert_eq!(
            user_flags(&flags.map(str::to_owned), "/src"),
            ["-DX=1", "-lm", "-std=c11", "-I/src/include", "-I", "/a"]
        );
    }
}
