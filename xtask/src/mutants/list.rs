//! The bugs to plant: what the text of a function is replaced with.
//!
//! A bug is keyed to a package and a function, so that it survives a function's moving; how its lines are broken does not
//! matter. A test keeps the list in step with the sources.

mod concurrency;
mod explore;
mod machine;
mod memory;
mod rest;
mod session;

use anyhow::{Context, bail};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A bug.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    /// A folder of `crates`.
    package: &'static str,
    /// `function` or `Type::function`; empty: anywhere, of what is no function.
    function: &'static str,
    /// Occurs once in it.
    original: &'static str,
    changed: &'static str,
}

impl Mutant {
    /// The file with the bug in it.
    ///
    /// # Errors
    /// When the text to be changed does not occur exactly once.
    pub(super) fn plant(&self, root: &Path) -> anyhow::Result<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut files = Vec::new();
        sources(&root.join("crates").join(self.package), &mut files)?;
        for file in files {
            let source = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            for at in occurrences(&source, self.original) {
                if self.function.is_empty() || functions(&source, self.function).any(|f| f.contains(&at.start)) {
                    found.push((file.clone(), [&source[..at.start], self.changed, &source[at.end..]].concat()));
                }
            }
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            count => bail!("{}: its text occurs {count} times in {} of {}", self.name, self.function, self.package),
        }
    }
}

/// All of them.
pub(super) fn mutants() -> impl Iterator<Item = &'static Mutant> {
    [machine::MUTANTS, explore::MUTANTS, concurrency::MUTANTS, memory::MUTANTS, session::MUTANTS, rest::MUTANTS]
        .into_iter()
        .flatten()
}

/// Source files below a folder.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|end| ["rs", "c", "cpp", "h"].iter().any(|known| end == *known)) {
            into.push(path);
        }
    }
    Ok(())
}

/// Where a text stands in a source, whatever white space is between its words.
fn occurrences(source: &str, text: &str) -> Vec<Range<usize>> {
    let visible: Vec<(usize, u8)> =
        source.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()).collect();
    let wanted: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let windows = visible.windows(wanted.len().max(1));
    let matching = windows.filter(|window| window.iter().map(|(_, byte)| byte).eq(&wanted));
    matching.map(|window| window[0].0..window[window.len() - 1].0 + 1).collect()
}

/// Where functions of this name are in a source that is formatted: from the line with its name to the brace that is as far to the
/// left.
fn functions<'s>(source: &'s str, name: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
    let (ty, name) = name.rsplit_once("::").map_or((None, name), |(ty, name)| (Some(ty), name));
    let mut block = "";
    let mut starts = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim_start();
        if line.len() == text.len() && !text.trim().is_empty() {
            block = text;
        }
        let begins = |rest: &str| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<']));
        // In C the name stands behind a type, at the beginning of a line.
        let is_function = match text.split_once("fn ") {
            Some((_, rest)) => begins(rest),
            None => line.len() == text.len() && !text.contains(';') && text.split(' ').any(begins),
        };
        let is_of_type =
            ty.is_none_or(|ty| block.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == ty));
        if is_function && is_of_type {
            starts.push((at, line.len() - text.len()));
        }
        at += line.len();
    }
    starts.into_iter().map(|(start, indent)| {
        let end = format!("\n{}}}", " ".repeat(indent));
        start..source[start..].find(&end).map_or(source.len(), |length| start + length)
    })
}

#[cfg(test)]
mod tests {
    use super::{functions, mutants, occurrences};
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_bug_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut wrong = Vec::new();
        for mutant in mutants() {
            match mutant.plant(&root) {
                Ok((file, changed)) => {
                    assert_ne!(fs::read_to_string(file).expect("it is there"), changed, "{}", mutant.name);
                }
                Err(error) => wrong.push(format!("{error:#}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_text_is_found_in_the_function_of_its_type_however_it_is_broken() {
        let source = "impl A {\n    fn f(&self) {\n        g(1,\n          2);\n    }\n}\n\nimpl B {\n    fn f(&self) {\n        g(1, 2);\n    }\n}\n";
        let all = occurrences(source, "g(1, 2)");
        assert_eq!(all.len(), 2);
        let of_b: Vec<_> = functions(source, "B::f").collect();
        assert_eq!(of_b.len(), 1);
        assert!(!of_b[0].contains(&all[0].start) && of_b[0].contains(&all[1].start));
        assert_eq!(functions(source, "f").count(), 2);
        assert_eq!(functions(source, "C::f").count(), 0);
    }
}
