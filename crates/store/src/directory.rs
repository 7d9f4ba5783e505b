//! Results in a directory, one file each, named by what they depend on.
//!
//! A file is written whole and put in its place: whoever reads sees all of it or nothing, however many write at the same time, and
//! whenever one of them dies. Nobody locks anything. A file begins with a hash of the rest; what is damaged is removed.
//! What another build wrote is removed as well: the directory says which build that is.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const HEADER: &str = "results.json";
const FORMAT: &str = "raddle-results";
/// Of the files' layout.
const VERSION: u32 = 2;
const SUFFIX: &str = "result";

/// What the directory holds at the most, in bytes. Of more, what was used last stays.
const MOST: u64 = 512 << 20;

/// What a result depends on.
#[derive(Clone, Debug)]
pub struct Key(blake3::Hasher);

impl Default for Key {
    fn default() -> Self {
        Key(blake3::Hasher::new())
    }
}

impl Key {
    /// With one thing more. Things are delimited, so that they do not run into each other.
    #[must_use]
    pub fn and(mut self, thing: impl AsRef<[u8]>) -> Self {
        let thing = thing.as_ref();
        self.0.update(&(thing.len() as u64).to_le_bytes());
        self.0.update(thing);
        self
    }

    /// With one thing more, by what it holds.
    ///
    /// # Panics
    /// Never for what derives its form: a vector grows, and collections know their lengths.
    #[must_use]
    pub fn and_data(self, thing: &impl Serialize) -> Self {
        self.and(postcard::to_stdvec(thing).expect("a vector grows, and collections know their lengths"))
    }

    /// Whether it is about the same things.
    pub fn is(&self, other: &Key) -> bool {
        self.0.finalize() == other.0.finalize()
    }

    fn name(&self) -> String {
        format!("{}.{SUFFIX}", self.0.finalize().to_hex())
    }
}

#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    build: String,
}

/// A directory of results.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    header: Header,
    /// For the user, each once.
    notices: Vec<String>,
    /// Nothing can be kept.
    failed: bool,
    /// Something was kept.
    grew: bool,
}

impl Store {
    /// Opens a directory, which is made when there is something to keep. `build`: what this program is known by.
    pub fn open(directory: &Path, build: &str) -> Self {
        let header = Header { format: FORMAT.to_owned(), version: VERSION, build: build.to_owned() };
        let directory = directory.to_owned();
        let mut store = Store { directory, header, notices: Vec::new(), failed: false, grew: false };
        store.look();
        store
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes sure that what is there is this build's.
    fn look(&mut self) {
        let path = self.directory.join(HEADER);
        let problem = match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice::<Header>(&bytes) {
                Ok(header) if header == self.header => return,
                Ok(header) if header.format == FORMAT => "holds results of another build of raddle",
                Ok(_) | Err(_) => "is damaged",
            },
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                // Results without a header are nobody's.
                if self.results().is_empty() { return } else { "is damaged" }
            }
            Err(e) => {
                self.say(format!("{} cannot be read: {e}; nothing is reused", self.directory.display()));
                return;
            }
        };
        self.say(format!("{} {problem}: nothing is reused, all is explored anew", self.directory.display()));
        let removed = self.results().into_iter().map(|result| result.path).chain([path]).try_for_each(|path| {
            fs::remove_file(path).or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
        });
        if let Err(e) = removed {
            self.fail(&e);
        }
    }

    /// What was kept under a key.
    pub fn get(&mut self, key: &Key) -> Option<Vec<u8>> {
        let path = self.directory.join(key.name());
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) => {
                if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    self.say(format!("{} cannot be read: {e}; explored anew", path.display()));
                }
                return None;
            }
        };
        if let Some((hash, content)) = bytes.split_first_chunk::<{ blake3::OUT_LEN }>()
            && blake3::hash(content).as_bytes() == hash
        {
            // The last use decides what stays; where it cannot be noted, the first does.
            let _ = fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Some(content.to_vec());
        }
        self.say(format!("{} holds a damaged result: explored anew", self.directory.display()));
        // Where it cannot be removed, it is damaged the next time as well.
        let _ = fs::remove_file(&path);
        None
    }

    /// Keeps something under a key. Where that cannot be, the run goes on without.
    pub fn put(&mut self, key: &Key, content: &[u8]) {
        if self.failed {
            return;
        }
        if let Err(e) = self.write(key, content) {
            self.fail(&e);
        }
        self.grew = true;
    }

    fn write(&self, key: &Key, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        let path = self.directory.join(HEADER);
        if !path.exists() {
            replace(&path, &[&serde_json::to_vec(&self.header)?])?;
        }
        replace(&self.directory.join(key.name()), &[blake3::hash(content).as_bytes(), content])
    }

    /// Removes what was not used for the longest time, if there is too much.
    pub fn trim(&mut self) {
        if std::mem::take(&mut self.grew) {
            self.trim_to(MOST);
        }
    }

    fn trim_to(&self, most: u64) {
        let mut results = self.results();
        results.sort_by_key(|result| std::cmp::Reverse(result.used));
        let mut size = 0;
        for result in results {
            size += result.size;
            if size > most {
                // Somebody else may have done so.
                let _ = fs::remove_file(result.path);
            }
        }
    }

    fn results(&self) -> Vec<Result> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let is_result = |path: &PathBuf| path.extension().is_some_and(|extension| extension == SUFFIX);
        let result = |entry: fs::DirEntry| {
            let (path, data) = (entry.path(), entry.metadata().ok()?);
            Some(Result { path, size: data.len(), used: data.modified().ok()? })
        };
        entries.filter(|entry| is_result(&entry.path())).filter_map(result).collect()
    }

    /// What the user should know, and has not been told yet.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn say(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.failed = true;
        self.say(format!(
            "{} cannot be written: {error}; what this run finds out is not kept",
            self.directory.display()
        ));
    }
}

/// A file of a result.
struct Result {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// Writes a file and puts it in the place of one that is there.
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    // As for any file: less what the user's umask says.
    let mut file = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::default().and(name)
    }

    #[test]
    fn what_is_kept_comes_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().join("new");
        let mut store = Store::open(&place, "1");
        assert_eq!(store.get(&key("a")), None);
        store.put(&key("a"), b"of a");
        store.put(&key("b"), b"");
        let mut again = Store::open(&place, "1");
        assert_eq!(again.get(&key("a")).as_deref(), Some(&b"of a"[..]));
        assert_eq!(again.get(&key("b")).as_deref(), Some(&b""[..]));
        assert_eq!(again.get(&Key::default().and("").and("a")), None);
        assert!(store.notices().is_empty() && again.notices().is_empty());
    }

    #[test]
    fn what_is_damaged_is_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(key("a").name());
        Store::open(directory.path(), "1").put(&key("a"), b"of a");
        let whole = fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("written");
            let mut store = Store::open(directory.path(), "1");
            assert_eq!(store.get(&key("a")), None);
            assert!(store.notices().concat().contains("damaged") && !path.exists());
        }
        fs::write(directory.path().join(HEADER), "{").expect("written");
        fs::write(&path, &whole).expect("written");
        let mut store = Store::open(directory.path(), "1");
        assert!(store.notices().concat().contains("is damaged: nothing is reused"));
        assert_eq!(store.get(&key("a")), None);
        store.put(&key("a"), b"of a");
        assert_eq!(Store::open(directory.path(), "1").get(&key("a")).as_deref(), Some(&b"of a"[..]));
    }

    #[test]
    fn another_builds_results_are_not_reused() {
        let directory = tempfile::tempdir().expect("a directory");
        Store::open(directory.path(), "1").put(&key("a"), b"of a");
        let mut other = Store::open(directory.path(), "2");
        assert!(other.notices().concat().contains("another build"));
        assert_eq!(other.get(&key("a")), None);
        other.put(&key("a"), b"of 2");
        assert_eq!(Store::open(directory.path(), "2").get(&key("a")).as_deref(), Some(&b"of 2"[..]));
    }

    #[test]
    fn where_nothing_can_be_kept_that_is_said_once() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut store = Store::open(file.path(), "1");
        store.put(&key("a"), b"of a");
        store.put(&key("b"), b"of b");
        assert_eq!(store.get(&key("a")), None);
        let notices = store.notices();
        assert!(notices.len() == 1 && notices[0].contains("cannot be written"), "{notices:?}");
    }

    #[test]
    fn what_was_used_last_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut store = Store::open(directory.path(), "1");
        for (index, name) in ["a", "b", "c"].into_iter().enumerate() {
            store.put(&key(name), &[0; 100]);
            let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index as u64);
            let file = fs::File::options().write(true).open(directory.path().join(key(name).name())).expect("a file");
            file.set_modified(used).expect("its time");
        }
        assert!(store.get(&key("a")).is_some());
        store.trim_to(300);
        assert_eq!(["a", "b", "c"].map(|name| store.get(&key(name)).is_some()), [true, false, true]);
        store.trim();
        assert_eq!(store.results().len(), 2, "that is not too much");
    }
}
