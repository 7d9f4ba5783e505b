//! The bugs to plant: what the text of a file is replaced with.
//!
//! A test keeps the list in step with the sources.

mod concurrency;
mod explore;
mod machine;
mod rest;

use anyhow::bail;

/// A bug.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Occurs once in the file.
    original: &'static str,
    changed: &'static str,
}

impl Mutant {
    /// The file's text with the bug in it.
    ///
    /// # Errors
    /// When the text to be changed does not occur exactly once.
    pub(super) fn plant(&self, source: &str) -> anyhow::Result<String> {
        match source.matches(self.original).count() {
            1 => Ok(source.replacen(self.original, self.changed, 1)),
            count => bail!("{}: its text occurs {count} times in {}", self.name, self.file),
        }
    }
}

/// All of them.
pub(super) fn mutants() -> impl Iterator<Item = &'static Mutant> {
    [machine::MUTANTS, explore::MUTANTS, concurrency::MUTANTS, rest::MUTANTS].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::mutants;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_bug_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for mutant in mutants() {
            let source = fs::read_to_string(root.join(mutant.file)).expect(mutant.file);
            let changed = mutant.plant(&source).expect("its text occurs once");
            assert_ne!(source, changed, "{}", mutant.name);
        }
    }
}
