//! Results kept by content.
//!
//! An entry is the BLAKE3 hash of its payload, then the payload: clang's warnings and the module. The key covers all that
//! decides the result. A damaged entry counts as absent; a cache that cannot be written is a notice.

use crate::error::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A directory of results.
pub(crate) struct Cache {
    directory: PathBuf,
}

/// What is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// What clang printed on standard error.
    pub(crate) warnings: String,
    /// A module in `ir`'s binary format.
    pub(crate) module: Vec<u8>,
}

/// Collects what a result depends on.
pub(crate) struct Key(blake3::Hasher);

impl Key {
    pub(crate) fn new() -> Self {
        Self(blake3::Hasher::new())
    }

    /// Adds a part. Parts are delimited, so that their concatenation is no key of its own.
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// What a file for it is called.
    pub(crate) fn name(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

impl Cache {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.directory.join(format!("{}.rir", key.name()))
    }

    /// The entry, if it is there and whole.
    pub(crate) fn read(&self, key: &Key) -> Option<Entry> {
        decode(&std::fs::read(self.path(key)).ok()?)
    }

    /// Keeps an entry.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn write(&self, key: &Key, entry: &Entry) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        write_atomically(&self.path(key), &encode(entry))
    }
}

fn encode(entry: &Entry) -> Vec<u8> {
    let mut payload = (entry.warnings.len() as u64).to_le_bytes().to_vec();
    payload.extend_from_slice(entry.warnings.as_bytes());
    payload.extend_from_slice(&entry.module);
    let mut bytes = blake3::hash(&payload).as_bytes().to_vec();
    bytes.extend_from_slice(&payload);
    bytes
}

fn decode(bytes: &[u8]) -> Option<Entry> {
    let (hash, payload) = bytes.split_first_chunk::<32>()?;
    if blake3::hash(payload).as_bytes() != hash {
        return None;
    }
    let (length, rest) = payload.split_first_chunk::<8>()?;
    let (warnings, module) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some(Entry { warnings: String::from_utf8(warnings.to_vec()).ok()?, module: module.to_vec() })
}

/// Writes a file so that nobody ever sees half of it.
///
/// # Errors
/// What the file system says.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Writes the result for the caller.
pub(crate) fn write_output(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_atomically(path, bytes).map_err(|e| {
        let message = format!("cannot write {}: {e}", path.display());
        Failure::new(crate::error::Kind::Output, message).in_file(path.to_string_lossy())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_seen() {
        let entry = Entry { warnings: "w".to_owned(), module: vec![1, 2, 3] };
        let bytes = encode(&entry);
        assert_eq!(decode(&bytes), Some(entry));
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1;
            assert_eq!(decode(&damaged), None, "byte {i}");
            assert_eq!(decode(&bytes[..i]), None, "cut at {i}");
        }
    }
}
