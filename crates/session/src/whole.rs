//! Files that are there whole or not at all: written beside their place, synchronised, and put there.
//!
//! Guarantee: whenever the process or the machine stops, and however full the disk is, what stands in a file's place is what
//! was there before or all that was to be written.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the names of files begin with that are not in their places yet. One that stays was being written when its
/// process was killed.
pub const UNPLACED: &str = ".raddle-";

/// As for any file: less what the user's umask says.
const MODE: u32 = 0o666;

/// Writes a file and puts it in the place of the one that is there.
///
/// # Errors
/// When it cannot be written whole; then its place is as it was.
pub fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let permissions = Permissions::from_mode(MODE);
    let file = tempfile::Builder::new().prefix(UNPLACED).permissions(permissions).tempfile_in(directory)?;
    let mut writer = BufWriter::new(file.as_file());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    // Some file systems say only now that there is no room.
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_whole_leaves_what_was_there() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("file");
        replace(&path, |file| file.write_all(b"before"))?;
        let failed = replace(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path)?, b"before");
        assert_eq!(std::fs::read_dir(directory.path())?.count(), 1, "nothing else is left");
        Ok(())
    }
}
