//! Lines of source files, for quoting.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Gives source lines.
pub trait Sources {
    /// Line `line` (from 1) of `file`, as reports name it; `None` when it cannot be had.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

/// Has no source.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn line(&self, _file: &str, _line: u32) -> Option<String> {
        None
    }
}

/// Reads files as reports name them, each once.
#[derive(Debug, Default)]
pub struct FileSources {
    directory: PathBuf,
    files: RefCell<BTreeMap<String, Option<Vec<String>>>>,
}

impl FileSources {
    /// `directory`: where relative names start; empty: in the current directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        FileSources { directory: directory.into(), ..Self::default() }
    }
}

impl Sources for FileSources {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let mut files = self.files.borrow_mut();
        if !files.contains_key(file) {
            // Whatever the encoding, the report is readable.
            let read = std::fs::read(self.directory.join(file)).ok();
            let lines = read.map(|bytes| String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect());
            files.insert(file.to_owned(), lines);
        }
        files.get(file)?.as_ref()?.get(index).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one_and_missing_ones_are_none() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("a.c");
        std::fs::write(&path, b"int x;\r\nint \xff;")?;
        let (sources, file) = (FileSources::new(""), path.to_string_lossy());
        assert_eq!(sources.line(&file, 1).as_deref(), Some("int x;"));
        assert_eq!(sources.line(&file, 2).as_deref(), Some("int \u{fffd};"));
        assert_eq!(FileSources::new(directory.path()).line("a.c", 1).as_deref(), Some("int x;"));
        assert_eq!(sources.line(&file, 3), None);
        assert_eq!(sources.line(&file, 0), None);
        assert_eq!(sources.line("/no/such/file", 1), None);
        Ok(())
    }
}
