//! The file that a search leaves which was cut short, so that `raddle resume` can go on with it.
//!
//! [`sealed`] is how it is written. Beside it stands a text for people. Files are replaced whole: whenever the process is
//! killed, one that was complete is there.
//!
//! Guarantee: a search is never ended by a file that cannot be written.
//! Knows nothing of what is in it.

use crate::errors::InputError;
use crate::notice::complain;
use crate::runs::Folder;
use crate::sealed::{self, Format, Refused};
use crate::whole::replace;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const NAME: &str = "unfinished.raddle";
const TEXT: &str = "unfinished.txt";
/// What a search that is not over leaves: itself, and a text for people.
pub const NAMES: [&str; 2] = [NAME, TEXT];
const FORMAT: Format = Format { name: "raddle-unfinished", version: 3 };

/// How long a search goes on before it is put aside for the first time, and then at the least, unless the environment
/// gives a number of seconds.
const INTERVAL: Duration = Duration::from_secs(10);
const INTERVAL_VARIABLE: &str = "RADDLE_CHECKPOINT";

/// Of the time, at most one part in so many is spent on putting the search aside.
const THRIFT: u32 = 20;

/// Puts a search aside from time to time.
pub struct Keeper {
    command: Vec<String>,
    interval: Duration,
    next: Cell<Instant>,
    /// A file could not be written, which was said.
    failed: Cell<bool>,
}

impl Keeper {
    /// For the search that this command asks for.
    pub fn new(command: Vec<String>) -> Self {
        let interval = interval();
        let next = Cell::new(Instant::now() + interval);
        Keeper { command, interval, next, failed: Cell::new(false) }
    }

    /// Nobody typed a command for the search, so nobody goes on with it.
    pub fn is_for_nobody(&self) -> bool {
        self.command.is_empty()
    }

    pub fn is_due(&self) -> bool {
        !self.is_for_nobody() && Instant::now() >= self.next.get()
    }

    /// Writes what the search knows, and `found`, a line each, for people.
    ///
    /// # Errors
    /// When that cannot be written, which is said once: the search goes on.
    pub fn keep(
        &self,
        folder: &Folder,
        content: &impl Serialize,
        found: impl Iterator<Item = String>,
    ) -> io::Result<()> {
        let begun = Instant::now();
        let written = self.write(folder, content, found);
        let now = Instant::now();
        self.next.set(now + self.interval.max((now - begun) * THRIFT));
        if let Err(e) = &written
            && !self.failed.replace(true)
        {
            let place = folder.shown(NAME);
            complain(&format!("raddle: notice: {} cannot be written: {e}; the search goes on\n", place.display()));
        }
        written
    }

    fn write(&self, folder: &Folder, content: &impl Serialize, found: impl Iterator<Item = String>) -> io::Result<()> {
        let directory = folder.path()?;
        sealed::write(&directory.join(NAME), FORMAT, &self.command, content)?;
        replace(&directory.join(TEXT), |file| {
            writeln!(file, "Not finished: {}", self.command.join(" "))?;
            writeln!(file, "To go on:     {}", resume_command(folder.out()))?;
            writeln!(file, "\nFound so far; what is not replayed yet counts when it has been:")?;
            let mut none = true;
            for line in found {
                none = false;
                writeln!(file, "- {line}")?;
            }
            if none { writeln!(file, "- nothing") } else { Ok(()) }
        })?;
        // Without its name for scripts it is found all the same.
        let _ = folder.claim_unfinished();
        Ok(())
    }
}

/// Nothing is left to go on with in this folder of a run.
pub fn forget(directory: &Path) {
    for name in NAMES {
        let path = directory.join(name);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound && e.kind() != io::ErrorKind::NotADirectory => {
                let place = path.display();
                complain(&format!("raddle: notice: {place} cannot be removed: {e}\n"));
            }
            _ => {}
        }
    }
}

fn interval() -> Duration {
    let given = std::env::var(INTERVAL_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map_or(INTERVAL, |given| given.min(LONGEST))
}

/// A day; what is longer is never.
const LONGEST: Duration = Duration::from_secs(86_400);

/// What to type to go on.
pub fn resume_command(directory: &Path) -> String {
    let quoted = shlex::try_quote(&directory.display().to_string()).map(|text| text.into_owned());
    format!("raddle resume {}", quoted.unwrap_or_default())
}

/// What was typed, for people.
pub fn typed() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|word: OsString| word.to_string_lossy().into_owned());
    std::iter::once("raddle".to_owned()).chain(words).collect()
}

/// Whether a folder of a run has a search to go on with.
pub fn is_in(directory: &Path) -> bool {
    directory.join(NAME).exists()
}

/// There is nothing to go on with.
pub fn nothing(directory: &Path) -> InputError {
    let place = directory.display();
    let why = "a search leaves a file there only when it is cut short";
    InputError::new("nothing_to_resume", format!("{place} has no search to go on with: {why}")).in_file(directory)
}

/// Reads what was put aside in a directory, and the command that it belongs to.
///
/// # Errors
/// When there is nothing, it is damaged, or another build wrote it.
pub fn read<T: DeserializeOwned>(directory: &Path) -> Result<(T, Vec<String>), InputError> {
    let path = directory.join(NAME);
    let failed = |kind: &str, why: String| InputError::new(kind, format!("{}{why}", path.display())).in_file(&path);
    let bytes = std::fs::read(&path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => nothing(directory),
        _ => failed("unreadable_file", format!(" cannot be read: {e}")),
    })?;
    sealed::read(&bytes, FORMAT).map_err(|refused| {
        let again = |command: Vec<String>| format!("run the search again: {}", command.join(" "));
        match refused {
            Refused::Foreign => failed("unfinished", " is not what a search leaves".to_owned()),
            Refused::Version { wrote, command } => {
                let why = format!(" was left by {wrote}, which counts steps differently; {}", again(command));
                failed("unfinished_version", why)
            }
            Refused::Damaged { command } => failed("unfinished", format!(" is damaged; {}", again(command))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_or_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let command = vec!["raddle".to_owned(), "check".to_owned(), "a.c".to_owned()];
        let folder = Folder::new(&directory.path().join("out"), command.clone());
        let keeper = Keeper::new(command.clone());
        let content = (7u32, "seven".to_owned());
        assert!(!keeper.is_due());
        keeper.keep(&folder, &content, ["a data race: a.c:1".to_owned()].into_iter()).expect("it is written");
        let out = folder.path().expect("it is there");
        assert_eq!(read::<(u32, String)>(&out), Ok((content, command)));
        let text = std::fs::read_to_string(out.join(TEXT)).expect("a text");
        assert!(text.contains("raddle resume") && text.contains("- a data race: a.c:1"), "{text}");

        let path = out.join(NAME);
        let whole = std::fs::read(&path).expect("a file");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            read::<(u32, String)>(&out).expect_err("it is refused").to_string()
        };
        for length in 0..whole.len() {
            assert!(!refused(&whole[..length]).is_empty());
        }
        let mut other = whole.clone();
        *other.last_mut().expect("a byte") ^= 1;
        assert!(refused(&other).contains("is damaged; run the search again: raddle check a.c"));
        let this = format!("\"version\":{}", FORMAT.version);
        let text = String::from_utf8_lossy(&whole[..whole.len() - sealed::CHECKSUM]).replace(&this, "\"version\":0");
        assert!(refused(text.as_bytes()).contains("was left by raddle"));
        let text = text.replace("\"version\":0", &this).replace("\"build\":\"", "\"build\":\"0");
        assert!(refused(text.as_bytes()).contains("was left by another build of raddle"));
        assert!(refused(b"{}\n").contains("is not what a search leaves"));
        forget(&out);
        assert!(read::<(u32, String)>(&out).is_err_and(|e| e.to_string().contains("no search to go on with")));
    }

    #[test]
    fn a_place_that_cannot_be_written_ends_nothing() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let folder = Folder::new(file.path(), Vec::new());
        assert!(Keeper::new(Vec::new()).keep(&folder, &1u8, std::iter::empty()).is_err());
        forget(file.path());
    }
}
