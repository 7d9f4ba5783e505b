//! The sources on the command line, checked before anything runs.

use crate::errors::InputError;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Refuses what raddle does not take, by name, and what cannot be read. Relative sources start in `directory`. `cuda`: CUDA is what is
/// taken.
///
/// # Errors
/// For the first source that is wrong.
pub fn check(directory: Option<&Path>, sources: &[PathBuf], cuda: bool) -> Result<(), InputError> {
    sources.iter().try_for_each(|source| check_one(directory, source, cuda))
}

fn check_one(directory: Option<&Path>, path: &Path, cuda: bool) -> Result<(), InputError> {
    let found = directory.map_or_else(|| path.to_owned(), |directory| directory.join(path));
    let name = path.display();
    let failed = |kind: &str, message: String| Err(InputError::new(kind, message).in_file(path));
    // A language that is refused is refused whether or not the file is there.
    let taken = if cuda { "raddle gpu takes .cu, .ll and .bc" } else { "raddle takes .c, .i, .ll and .bc" };
    let refusal = match refused(path) {
        _ if cuda && matches!(extension(path), "c" | "i") => Some("C has no kernels".to_owned()),
        None if is_cuda(path) && !cuda => {
            Some("CUDA is not supported yet by this command, but by `raddle gpu`".to_owned())
        }
        refused => refused.map(|what| format!("{what} is not supported yet")),
    };
    if let Some(why) = refusal {
        return failed("unsupported_source", format!("{name}: {why}; {taken}"));
    }
    let metadata = match std::fs::metadata(&found) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == ErrorKind::NotFound => return failed("missing_file", format!("{name}: no such file")),
        Err(e) => return failed("unreadable_file", format!("{name} cannot be read: {e}")),
    };
    if metadata.is_dir() {
        return failed("directory", format!("{name} is a directory; name the source files in it"));
    }
    if !supported(path) && !is_cuda(path) {
        let message = format!("{name}: the type of the file is not known; {taken}");
        return failed("unsupported_source", message);
    }
    match File::open(&found) {
        Ok(_) => Ok(()),
        Err(e) => failed("unreadable_file", format!("{name} cannot be read: {e}")),
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Whether a file holds CUDA.
pub(crate) fn is_cuda(path: &Path) -> bool {
    extension(path) == "cu"
}

fn supported(path: &Path) -> bool {
    matches!(extension(path), "c" | "i" | "ll" | "bc")
}

/// What a file with this extension holds that raddle does not take.
fn refused(path: &Path) -> Option<&'static str> {
    match extension(path) {
        "cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "hh" | "hxx" => Some("C++"),
        "cuh" => Some("a header of CUDA's on its own"),
        "rs" => Some("Rust"),
        "m" | "mm" => Some("Objective-C"),
        "h" => Some("a header on its own"),
        "s" | "S" => Some("machine assembly"),
        "o" | "a" | "so" => Some("machine code"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        check(None, &[path.to_owned()], false).map_or_else(|e| e.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn what_cannot_be_read_is_named() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        for name in ["a.c", "a.i", "a.ll", "a.bc", "a.txt", "noext"] {
            std::fs::write(at(name), "")?;
        }
        std::fs::create_dir(at("d.c"))?;
        for name in ["a.c", "a.i", "a.ll", "a.bc"] {
            assert_eq!(refusal(&at(name)), "accepted");
        }
        assert_eq!(check(Some(directory.path()), &["a.c".into()], false), Ok(()));
        assert!(refusal(&at("missing.c")).ends_with("missing.c: no such file"));
        assert!(refusal(&at("d.c")).contains("is a directory"));
        assert!(refusal(directory.path()).contains("is a directory"));
        for name in ["a.txt", "noext"] {
            assert!(refusal(&at(name)).contains("not known"), "{name}");
        }
        assert!(refusal(&at("a.c").join("b.c")).contains("cannot be read"));
        Ok(())
    }

    #[test]
    fn languages_are_refused_by_name() {
        for (name, language) in [("a.cpp", "C++"), ("a.cc", "C++"), ("a.cu", "CUDA"), ("a.rs", "Rust")] {
            let refusal = refusal(Path::new(name));
            assert!(refusal.contains(&format!("{language} is not supported yet")), "{refusal}");
        }
    }
}
