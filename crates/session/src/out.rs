//! Files that are named after findings, such as witnesses and pictures, and directories for them.
//!
//! Guarantee: nothing in these is removed but files named as raddle names them.

use crate::errors::InputError;
use std::io::ErrorKind;
use std::path::Path;

const SUFFIX: &str = ".witness.json";

/// Ids are one of these and a number.
const FINDING: char = 'R';
const TEST: char = 'T';

/// The name of a finding's witness.
pub fn witness_name(id: &str) -> String {
    format!("{id}{SUFFIX}")
}

/// The name of a finding's test, where it stands beside the witness; `suffix`: `c` or `cu`.
pub fn test_name(id: &str, suffix: &str) -> String {
    format!("{id}.{suffix}")
}

/// What the names of a finding's client and of its witness end in.
pub const CLIENT_SUFFIXES: [&str; 2] = [".client.c", ".client.witness.json"];

/// Whether a file is named as the witness of a finding or of a test of a suite, a finding's client, the witness in that, or a client that several findings share.
pub fn is_of_finding(name: &str) -> bool {
    let suffixes = CLIENT_SUFFIXES.into_iter().chain([SUFFIX]);
    let is_of_test = || numbered(Path::new(name), TEST, SUFFIX).is_some();
    let is_shared = || client_number(name).is_some();
    suffixes.into_iter().any(|suffix| id_before(Path::new(name), suffix).is_some()) || is_of_test() || is_shared()
}

/// The number of a client that several findings share, in the name of its file.
pub fn client_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix("client")?.strip_suffix(CLIENT_SUFFIXES[0])?;
    is_number(number).then(|| number.parse().ok())?
}

/// Of digits, the first of which is no 0.
fn is_number(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name of the client's C program that reaches a finding.
pub fn client_name(id: &str) -> String {
    format!("{id}{}", CLIENT_SUFFIXES[0])
}

/// The name of the witness of a finding in its client's program.
pub fn client_witness_name(id: &str) -> String {
    format!("{id}{}", CLIENT_SUFFIXES[1])
}

/// The id, of a finding or of a test of a suite, in a name that [`witness_name`] gave.
pub fn id_of(witness: &Path) -> Option<&str> {
    id_before(witness, SUFFIX).or_else(|| numbered(witness, TEST, SUFFIX))
}

/// The finding's id in a name that is an id and `suffix`.
fn id_before<'p>(path: &'p Path, suffix: &str) -> Option<&'p str> {
    numbered(path, FINDING, suffix)
}

/// A letter and a number in a name that ends in `suffix`.
fn numbered<'p>(path: &'p Path, letter: char, suffix: &str) -> Option<&'p str> {
    let id = path.file_name()?.to_str()?.strip_suffix(suffix)?;
    is_number(id.strip_prefix(letter)?).then_some(id)
}

/// Sees whether witnesses can be written, before a search that would be lost otherwise. Makes nothing: a search without
/// findings leaves no directory.
///
/// # Errors
/// When `directory` is none, or neither it nor the directory in which it would be made can be written.
pub fn check(directory: &Path) -> Result<(), InputError> {
    check_directory("--out", directory)
}

/// As [`check`], for the directory that another flag names.
///
/// # Errors
/// As there.
pub fn check_directory(flag: &str, directory: &Path) -> Result<(), InputError> {
    let failed = |why: String| {
        let message = format!("{flag} {}: {why}", directory.display());
        Err(InputError::new("output", message).in_file(directory))
    };
    let shown = |path: &Path| if path == directory { "it".to_owned() } else { path.display().to_string() };
    let mut nearest = directory;
    loop {
        // The empty path is what is above a relative one.
        let looked_at = if nearest.as_os_str().is_empty() { Path::new(".") } else { nearest };
        match std::fs::metadata(looked_at) {
            Ok(metadata) if !metadata.is_dir() => return failed(format!("{} is not a directory", shown(nearest))),
            Ok(_) => {
                return match tempfile::NamedTempFile::new_in(looked_at) {
                    Ok(_) => Ok(()),
                    Err(e) => {
                        let place = looked_at.display();
                        let why = match e.kind() {
                            // Such as in /proc: what was to be written is what is not found.
                            ErrorKind::NotFound => String::new(),
                            kind => format!(": {kind}"),
                        };
                        failed(format!("nothing can be written in {place}{why}"))
                    }
                };
            }
            // A link that leads nowhere is in the way.
            Err(e) if e.kind() == ErrorKind::NotFound && looked_at.symlink_metadata().is_err() => {
                match nearest.parent() {
                    Some(parent) => nearest = parent,
                    None => return failed(format!("it cannot be made: {e}")),
                }
            }
            Err(e) if e.kind() == ErrorKind::NotADirectory => match nearest.parent() {
                Some(parent) => nearest = parent,
                None => return failed(format!("it cannot be made: {e}")),
            },
            Err(e) => return failed(format!("{} is not a directory: {e}", shown(nearest))),
        }
    }
}

/// Removes the files whose names are a finding's id and `suffix`.
///
/// # Errors
/// When one is there and cannot be removed.
pub fn remove_named(directory: &Path, suffix: &str) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    for entry in entries {
        let entry = entry?;
        if id_before(&entry.path(), suffix).is_some() && !entry.file_type()?.is_dir() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_witnesses_have_ids() {
        assert_eq!(id_of(Path::new("out/R17.witness.json")), Some("R17"));
        assert_eq!(id_of(Path::new("out/T3.witness.json")), Some("T3"));
        for name in ["R.witness.json", "R0.witness.json", "Rx.witness.json", "R1.json", "xR1.witness.json", ""] {
            assert_eq!(id_of(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn a_directory_is_checked_and_not_made() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "")?;
        std::os::unix::fs::symlink("nowhere", at("link"))?;
        assert_eq!(check(directory.path()), Ok(()));
        assert_eq!(check(&at("a/b/c")), Ok(()));
        assert!(!at("a").exists());
        for (name, why) in [
            ("file", "it is not a directory"),
            ("file/below", "file is not a directory"),
            ("link", "it is not a directory"),
        ] {
            let refusal = check(&at(name)).map_or_else(|e| e.to_string(), |()| "accepted".to_owned());
            assert!(refusal.contains(why), "{name}: {refusal}");
        }
        assert!(check(Path::new("/proc/x")).is_err_and(|e| e.to_string().contains("nothing can be written in /proc")));
        Ok(())
    }

    #[test]
    fn nothing_else_is_removed() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        let kept = ["R1.witness.json.bak", "r1.c", "R01.witness.json", "my.witness.json"];
        for name in kept.iter().chain(&["R1.witness.json", "R12.witness.json"]) {
            std::fs::write(at(name), "")?;
        }
        std::fs::create_dir(at("R3.witness.json"))?;
        remove_named(directory.path(), SUFFIX)?;
        let mut left: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(directory.path())? {
            left.push(entry?.file_name().to_string_lossy().into_owned());
        }
        left.sort();
        assert_eq!(left, ["R01.witness.json", "R1.witness.json.bak", "R3.witness.json", "my.witness.json", "r1.c"]);
        assert!(remove_named(&at("missing"), SUFFIX).is_ok());
        Ok(())
    }
}
