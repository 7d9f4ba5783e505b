//! The file that `raddle test` writes.
//!
//! Guarantee: no file is overwritten but one that is itself a generated test.

use session::errors::UsageError;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What the first line of every generated test begins with.
const FIRST: &[u8] = b"// build:";

/// # Errors
/// When `output` is neither a C nor a CUDA file by its name, or holds something else than a generated test.
pub(crate) fn check(output: &Path) -> Result<(), UsageError> {
    let refused = |why: &str| Err(UsageError::new("output", format!("-o {}: {why}", output.display())));
    if output.extension().is_none_or(|extension| extension != "c" && extension != "cu") {
        return refused("a C test is written; give a name that ends in .c (a kernel's is in CUDA: .cu)");
    }
    match std::fs::metadata(output) {
        Ok(metadata) if metadata.is_dir() => refused("it is a directory"),
        Ok(_) if !is_generated(output) => refused(
            "the file exists and is no generated test (its first line does not begin with `// build:`); it stays",
        ),
        // What is not there cannot be lost, and what cannot be looked at cannot be written either.
        _ => Ok(()),
    }
}

fn is_generated(path: &Path) -> bool {
    let mut start = [0; FIRST.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == FIRST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_generated_tests_are_overwritten() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("user.c"), "int main(void) { return 0; }\n")?;
        std::fs::write(at("empty.c"), "")?;
        std::fs::write(at("old.c"), "// build: clang-22 old.c\nint x;\n")?;
        std::fs::create_dir(at("d.c"))?;
        assert_eq!(check(&at("old.c")), Ok(()));
        assert_eq!(check(&at("new.c")), Ok(()));
        assert_eq!(check(&at("new.cu")), Ok(()));
        for (name, why) in [
            ("user.c", "no generated test"),
            ("empty.c", "no generated test"),
            ("d.c", "directory"),
            ("new.h", "ends in .c"),
            ("R1.witness.json", "ends in .c"),
            ("noext", "ends in .c"),
        ] {
            let refusal = check(&at(name)).map_or_else(|e| e.to_string(), |()| "accepted".to_owned());
            assert!(refusal.contains(why), "{name}: {refusal}");
        }
        Ok(())
    }
}
