//! Files that only the build that wrote them reads: one line of JSON, which every version can read; then what is to be kept,
//! as postcard; then a checksum of both.
//!
//! Guarantee: what is read back was written by this very build and is undamaged; a file is replaced whole or not at all.
//! Not promised: that nobody made it on purpose. A checksum is no signature.
//! Knows nothing of what is in it.

use crate::whole::replace;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

/// Bytes of the checksum.
pub const CHECKSUM: usize = blake3::OUT_LEN;

/// What kind of file it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub name: &'static str,
    /// Of the content's layout; part of what a build is known by.
    pub version: u32,
}

/// The first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// raddle's version.
    tool: String,
    /// Which build wrote it.
    build: String,
    /// What was typed.
    command: Vec<String>,
}

impl Header {
    fn of_this_build(format: Format, command: Vec<String>) -> Self {
        Header {
            format: format.name.to_owned(),
            version: format.version,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            build: build().to_owned(),
            command,
        }
    }
}

/// Why a file is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It is something else.
    Foreign,
    /// Another raddle wrote it: which one, in words, and what was typed then.
    Version { wrote: String, command: Vec<String> },
    /// What was typed when it was written.
    Damaged { command: Vec<String> },
}

/// What is said of a program that cannot read itself.
pub const UNKNOWN_BUILD: &str = "unknown";

/// What this program is known by: prefixes lead elsewhere in one that does anything differently.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let hash = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(own_program()?)?;
            Ok::<_, io::Error>(hasher.finalize().to_hex().to_string())
        };
        hash().unwrap_or_else(|_| UNKNOWN_BUILD.to_owned())
    })
}

/// The file that runs, also if another has its name by now: where programs are made and run at the same time.
fn own_program() -> io::Result<File> {
    File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))
}

/// Writes a file of this format. `command`: what was typed to begin the search that it is about.
///
/// # Errors
/// When it cannot be written whole.
pub fn write(path: &Path, format: Format, command: &[String], content: &impl Serialize) -> io::Result<()> {
    replace(path, |file| {
        let mut file = Hashed { file, hasher: blake3::Hasher::new() };
        serde_json::to_writer(&mut file, &Header::of_this_build(format, command.to_vec()))?;
        file.write_all(b"\n")?;
        postcard::to_io(content, &mut file).map_err(io::Error::other)?;
        let Hashed { file, hasher } = file;
        file.write_all(hasher.finalize().as_bytes())
    })
}

/// Reads what [`write()`] wrote, and the command that it belongs to.
///
/// # Errors
/// When it is something else, damaged, or another build's.
pub fn read<T: DeserializeOwned>(bytes: &[u8], format: Format) -> Result<(T, Vec<String>), Refused> {
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(Refused::Foreign)?;
    let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|_| Refused::Foreign)?;
    if header.format != format.name {
        return Err(Refused::Foreign);
    }
    let command = header.command.clone();
    // Of two that do not know what they are, nobody knows whether they are the same.
    if header.build == UNKNOWN_BUILD || header != Header::of_this_build(format, command.clone()) {
        let wrote = match header.tool == env!("CARGO_PKG_VERSION") && header.version == format.version {
            true => format!("another build of raddle {}", header.tool),
            false => format!("raddle {} (this is {})", header.tool, env!("CARGO_PKG_VERSION")),
        };
        return Err(Refused::Version { wrote, command });
    }
    let damaged = || Refused::Damaged { command: command.clone() };
    let content = bytes.len().checked_sub(CHECKSUM).filter(|&content| content > end).ok_or_else(damaged)?;
    if blake3::hash(&bytes[..content]).as_bytes() != &bytes[content..] {
        return Err(damaged());
    }
    let content = postcard::from_bytes(&bytes[end + 1..content]).map_err(|_| damaged())?;
    Ok((content, command))
}

/// Hashes what it writes.
struct Hashed<W> {
    file: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_anywhere_is_refused() -> io::Result<()> {
        const FORMAT: Format = Format { name: "test", version: 1 };
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("file");
        write(&path, FORMAT, &["raddle".to_owned()], &[7u64, 8])?;
        let whole = std::fs::read(&path)?;
        assert!(read::<[u64; 2]>(&whole, FORMAT).is_ok_and(|(content, _)| content == [7, 8]));
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            // Another number, or another letter.
            changed[at] ^= 1;
            assert!(read::<[u64; 2]>(&changed, FORMAT).is_err(), "byte {at}");
            assert!(read::<[u64; 2]>(&whole[..at], FORMAT).is_err(), "{at} bytes");
        }
        Ok(())
    }
}
