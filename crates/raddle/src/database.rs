//! Compilation databases: sources and their flags from `compile_commands.json` (Clang's 'JSON Compilation Database Format
//! Specification').
//!
//! Guarantee: paths are as from the entry's own directory; what concerns only the compiler's outputs is left out. Each
//! source of a run gets its own flags. Where those of two sources differ, each is compiled in its entry's directory.

use crate::cli::Input;
use serde::Deserialize;
use session::errors::InputError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use witness::format::SourceFlags;

const NAME: &str = "compile_commands.json";

/// One object of the database.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Flags that say where outputs go or what else to print, and whether their value is the next word.
const OUTPUTS: [(&str, bool); 15] = [
    ("-c", false),
    ("-S", false),
    ("-E", false),
    ("-o", true),
    ("-M", false),
    ("-MM", false),
    ("-MD", false),
    ("-MMD", false),
    ("-MP", false),
    ("-MG", false),
    ("-MF", true),
    ("-MT", true),
    ("-MQ", true),
    ("-MJ", true),
    // Clang may warn of more than the build's own compiler.
    ("-Werror", false),
];

/// Flags with a path, which may be joined to them.
const PATHS: [&str; 8] = ["-isystem", "-iquote", "-idirafter", "-isysroot", "-include", "-imacros", "--sysroot=", "-I"];

/// Sources and how they are compiled.
pub(crate) struct Resolved {
    pub(crate) sources: Vec<PathBuf>,
    /// Of all sources; of the command line alone where `own` has those of each.
    pub(crate) flags: Vec<String>,
    /// Of each source, where they differ.
    pub(crate) own: Vec<SourceFlags>,
}

/// Sources and flags of a command line, those of its database included. Flags of the command line come last and win.
///
/// # Errors
/// For a database that cannot be read, or that does not say how the sources are compiled.
pub(crate) fn resolve(database: Option<&Path>, sources: &[PathBuf], flags: &[String]) -> Result<Resolved, InputError> {
    let Some(path) = database else {
        return Ok(Resolved { sources: sources.to_vec(), flags: flags.to_vec(), own: Vec::new() });
    };
    let path = if path.is_dir() { path.join(NAME) } else { path.to_owned() };
    let entries = read(&path)?;
    let sources = if sources.is_empty() { all_files(&entries) } else { sources.to_vec() };
    let failed = |message: String| InputError::new("compilation_database", message).in_file(&path);
    let mut own = Vec::new();
    for source in &sources {
        let wanted = identity(source);
        let Some(entry) = entries.iter().find(|entry| identity(&entry.path()) == wanted) else {
            let message = format!("{} has no entry for {}", path.display(), source.display());
            return Err(failed(message));
        };
        let mut all = entry.flags().map_err(failed)?;
        all.extend_from_slice(flags);
        own.push(SourceFlags { directory: entry.directory.to_string_lossy().into_owned(), flags: all });
    }
    let Some(first) = own.first() else { return Err(failed(format!("{} has no entry", path.display()))) };
    if own.iter().all(|other| other.flags == first.flags) {
        return Ok(Resolved { sources, flags: first.flags.clone(), own: Vec::new() });
    }
    Ok(Resolved { sources, flags: flags.to_vec(), own })
}

/// [`resolve`] for the sources of a command that analyses them.
///
/// # Errors
/// As there.
pub(crate) fn input(input: &Input) -> Result<Input, InputError> {
    // The last of several counts, and what is said by name counts more than a project's flags.
    let model = input.data_model.map(|model| model.flag().to_owned());
    let given: Vec<String> = input.clang_flags.iter().cloned().chain(model).collect();
    let Resolved { sources, flags, own } = resolve(input.database.as_deref(), &input.sources, &given)?;
    Ok(Input { sources, clang_flags: flags, own_flags: own, database: None, data_model: None })
}

fn read(path: &Path) -> Result<Vec<Entry>, InputError> {
    let shown = path.display();
    let failed = |kind: &str, message: String| InputError::new(kind, message).in_file(path);
    let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let hint = "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, other builds with bear";
            failed("missing_file", format!("{shown}: no such file; {hint}"))
        }
        _ => failed("unreadable_file", format!("{shown} cannot be read: {e}")),
    })?;
    let mut entries: Vec<Entry> = serde_json::from_str(&text).map_err(|e| {
        let line = u32::try_from(e.line()).ok();
        failed("compilation_database", format!("{shown} is no compilation database: {e}"))
            .at(Some(shown.to_string()), line)
    })?;
    // The directory may itself be relative, to the database.
    let base = path.parent().unwrap_or(Path::new("."));
    for entry in &mut entries {
        entry.directory = absolute(&base.join(&entry.directory));
    }
    Ok(entries)
}

/// Every file once, in the database's order, named as from the current directory where it lies there.
fn all_files(entries: &[Entry]) -> Vec<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut seen = HashSet::new();
    let files = entries.iter().map(Entry::path).filter(|file| seen.insert(identity(file)));
    files.map(|file| file.strip_prefix(&here).map(Path::to_owned).unwrap_or(file)).collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// One path for one file, however it is spelt.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| absolute(path))
}

impl Entry {
    fn path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }

    /// What changes the outcome of the compilation. The error is a message.
    fn flags(&self) -> Result<Vec<String>, String> {
        let words = match (&self.arguments, &self.command) {
            (Some(arguments), _) => arguments.clone(),
            (None, Some(command)) => shlex::split(command)
                .ok_or_else(|| format!("the command for {} has an open quotation", self.file.display()))?,
            (None, None) => {
                return Err(format!("the entry for {} has neither `arguments` nor `command`", self.file.display()));
            }
        };
        // The compiler, and what it may be wrapped in.
        let mut words = words.into_iter().skip_while(|word| !word.starts_with(['-', '@']));
        let mut kept = Vec::new();
        while let Some(word) = words.next() {
            if let Some((_, has_value)) = OUTPUTS.iter().find(|(flag, _)| *flag == word) {
                if *has_value {
                    words.next();
                }
            } else if self.is_left_out(&word) {
                continue;
            } else if let Some(flag) = PATHS.iter().find(|flag| word.starts_with(**flag)) {
                match &word[flag.len()..] {
                    "" => {
                        kept.push(word);
                        kept.extend(words.next().map(|path| self.resolved(&path)));
                    }
                    path => kept.push(format!("{flag}{}", self.resolved(path))),
                }
            } else {
                kept.push(word);
            }
        }
        Ok(kept)
    }

    /// Outputs joined to their flags, errors from warnings, and the source itself.
    fn is_left_out(&self, word: &str) -> bool {
        let joined = ["-MF", "-MT", "-MQ", "-Werror="].iter().any(|flag| word.starts_with(flag));
        let output = word.starts_with("-o") && !word.starts_with("-objc");
        let file = || !word.starts_with('-') && identity(&self.directory.join(word)) == identity(&self.path());
        joined || output || word == "--" || file()
    }

    fn resolved(&self, path: &str) -> String {
        self.directory.join(path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(command: &str) -> Vec<String> {
        let (directory, file) = ("/src/build".into(), "../a.c".into());
        Entry { directory, file, arguments: None, command: Some(command.to_owned()) }.flags().expect("a command")
    }

    #[test]
    fn what_concerns_outputs_is_left_out() {
        let command =
            "ccache gcc -I../include -isystem /usr/x -D'A=1 2' -O2 -Wall -Werror -MD -MF a.d -o a.o -c ../a.c";
        assert_eq!(flags(command), ["-I/src/build/../include", "-isystem", "/usr/x", "-DA=1 2", "-O2", "-Wall"]);
        assert_eq!(flags("cc -oa.o -include cfg.h -c -- ../a.c"), ["-include", "/src/build/cfg.h"]);
    }

    #[test]
    fn what_is_no_command_is_said() {
        let (directory, file) = (PathBuf::from("/src"), PathBuf::from("a.c"));
        let none = Entry { directory: directory.clone(), file: file.clone(), arguments: None, command: None };
        assert!(none.flags().unwrap_err().contains("neither"));
        let open = Entry { directory, file, arguments: None, command: Some("cc 'a".to_owned()) };
        assert!(open.flags().unwrap_err().contains("quotation"));
    }
}
