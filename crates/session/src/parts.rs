//! The files of a search that several processes work on: `parts/` in the folder of its run.
//!
//! | file | what it is | who writes it |
//! |---|---|---|
//! | `G-NNN.part` | things to do; with none, it is done | `raddle split`, `raddle gather`; `raddle work` replaces it by what is left |
//! | `G-NNN-HASH.done` | what was done of it, and what came of that | `raddle work`, once for each slice |
//! | `G-NNN.enough` | that what was not begun of it is wanted for others | who dealt it |
//! | `G-NNN.errors` | what `raddle work` complained about, where an engine ran it | the engine |
//! | `HASH.program` | the lowered program, once for all parts | `raddle split`, `raddle gather` |
//! | `parts.json` | into how many parts the search is divided, and how often that was done (G) | `raddle split`, `raddle gather` |
//!
//! What is not done is known from the search itself, `unfinished.raddle`, and not from these: a part that is lost is made
//! again, and one that is done twice is done once.
//!
//! Guarantee: each file is there whole or not at all; what is read is this build's, undamaged, and of the search that is asked
//! about, or is refused in words. Nothing is removed but what was read, or replaced by the same.
//! Knows nothing of what is to be done.

use crate::analysis::{PartBatch, PartDone};
use crate::errors::InputError;
use crate::notice::complain;
use crate::options::SearchRequest;
use crate::sealed::{self, Format, Refused};
use crate::whole::replace;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use witness::ProgramRef;

/// The folder, in that of a run.
pub const NAME: &str = "parts";
/// How the names of files with complaints end, behind a dot.
pub const ERRORS: &str = "errors";
/// How the names of files end by which what is left of a part is called back.
const ENOUGH: &str = ".enough";
const LAYOUT: &str = "parts.json";
const LAYOUT_IS: &str = "raddle-parts/1";
const PART: &str = ".part";
const DONE: &str = ".done";
const PROGRAM: &str = ".program";
const PART_FORMAT: Format = Format { name: "raddle-part", version: 1 };
const DONE_FORMAT: Format = Format { name: "raddle-done", version: 1 };

/// Digits of a content's hash in a name.
const DIGITS: usize = 16;

/// A search, to tell parts of it from those of others: what is asked, about which program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct About<'a> {
    pub request: Cow<'a, SearchRequest>,
    #[serde(with = "crate::analysis::as_json")]
    pub program: Cow<'a, ProgramRef>,
}

impl About<'_> {
    /// Whether results of the other are this one's. Where the sources stood does not matter.
    fn is_same(&self, other: &About) -> bool {
        self.request == other.request && self.program.fingerprint == other.program.fingerprint
    }
}

/// Things to do.
#[derive(Serialize, Deserialize)]
pub struct Part<'a> {
    pub about: About<'a>,
    /// Of the lowered program's file: its hash.
    content: String,
    pub batches: Cow<'a, [PartBatch]>,
}

/// What was done.
#[derive(Serialize, Deserialize)]
struct Finished<'a> {
    about: About<'a>,
    done: Cow<'a, [PartDone]>,
}

#[derive(Serialize, Deserialize)]
struct Layout {
    format: String,
    many: usize,
    /// How often parts were made.
    made: u64,
}

/// A part that is worked on.
pub struct Taken {
    path: PathBuf,
    /// As it was read.
    bytes: Vec<u8>,
    /// What was typed to begin the search.
    pub command: Vec<String>,
    pub part: Part<'static>,
}

fn failed(path: &Path, kind: &str, why: &str) -> InputError {
    InputError::new(kind, format!("{}{why}", path.display())).in_file(path)
}

fn unreadable(path: &Path, what: &str, e: &io::Error) -> InputError {
    match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => failed(
            path,
            "missing_file",
            &format!(": no such {what}; `raddle gather` on the search says which there are"),
        ),
        ErrorKind::IsADirectory => failed(path, "directory", &format!(" is a directory, not a {what}")),
        _ => failed(path, "unreadable_file", &format!(" cannot be read: {e}")),
    }
}

fn unwritten(path: &Path, e: &io::Error) -> InputError {
    failed(path, "output", &format!(" cannot be written: {e}"))
}

/// Why a file is not read, in words.
fn refused(path: &Path, refused: Refused) -> InputError {
    let again = "`raddle gather` on its search makes what it had again";
    match refused {
        Refused::Foreign => failed(path, "part", " is no part of a search: `raddle split` makes those"),
        Refused::Version { wrote, .. } => {
            let why = format!(
                " was made by {wrote}, which counts steps differently: all that work on a search have to be of one build"
            );
            failed(path, "part_version", &why)
        }
        Refused::Damaged { .. } => failed(path, "part", &format!(" is damaged; {again}")),
    }
}

impl Taken {
    /// Reads a part.
    ///
    /// # Errors
    /// When there is none, or it is damaged or another build's.
    pub fn read(path: &Path) -> Result<Taken, InputError> {
        let bytes = std::fs::read(path).map_err(|e| unreadable(path, "part", &e))?;
        let (part, command) = sealed::read(&bytes, PART_FORMAT).map_err(|why| refused(path, why))?;
        Ok(Taken { path: path.to_owned(), bytes, command, part })
    }

    /// The program that it is about, which lies beside it.
    ///
    /// # Errors
    /// When that is missing, damaged, or another one.
    pub fn program(&self) -> Result<ir::Module, InputError> {
        let content = &self.part.content;
        let is_name = content.len() == blake3::OUT_LEN * 2 && content.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name {
            return Err(refused(&self.path, Refused::Damaged { command: Vec::new() }));
        }
        let path = beside(&self.path, &program_name(content));
        let missing =
            "; it goes with the part, wherever that is carried, and `raddle gather` on the search writes it again";
        let bytes =
            std::fs::read(&path).map_err(|e| unreadable(&path, "program", &e).and(missing.trim_start_matches("; ")))?;
        if blake3::hash(&bytes).to_hex().as_str() != content {
            return Err(failed(&path, "part_program", &format!(" is not the program that the part is about{missing}")));
        }
        let module = ir::binary::read(&bytes)
            .map_err(|e| failed(&path, "part_program", &format!(" is no program of this raddle: {e}{missing}")))?;
        if ir::verify::verify(&module).is_err() {
            return Err(failed(&path, "part_program", &format!(" does not hold together{missing}")));
        }
        Ok(module)
    }

    /// How many things there are to do.
    pub fn many(&self) -> usize {
        self.part.batches.iter().map(PartBatch::many).sum()
    }

    /// Writes down what was done, then what is left in the part's place, if nobody has replaced it meanwhile. In this order: who is
    /// killed in between has done something twice, and lost nothing. The file with what was done, if anything was.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn put_back(&mut self, done: &[PartDone], left: Vec<PartBatch>) -> Result<Option<PathBuf>, InputError> {
        let mut written = None;
        if !done.is_empty() {
            let about = About {
                request: Cow::Borrowed(&*self.part.about.request),
                program: Cow::Borrowed(&*self.part.about.program),
            };
            let finished = Finished { about, done: Cow::Borrowed(done) };
            let bytes = postcard::to_stdvec(&finished.done).map_err(|e| unwritten(&self.path, &io::Error::other(e)))?;
            let stem = self.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let hash = blake3::hash(&bytes).to_hex();
            let path = beside(&self.path, &format!("{stem}-{}{DONE}", &hash[..DIGITS]));
            sealed::write(&path, DONE_FORMAT, &self.command, &finished).map_err(|e| unwritten(&path, &e))?;
            written = Some(path);
        }
        self.part.batches = Cow::Owned(left);
        // Gone, or other than it was: others have what is left of it.
        if std::fs::read(&self.path).is_ok_and(|now| now == self.bytes) {
            sealed::write(&self.path, PART_FORMAT, &self.command, &self.part).map_err(|e| unwritten(&self.path, &e))?;
            self.bytes = std::fs::read(&self.path).map_err(|e| unreadable(&self.path, "part", &e))?;
        }
        Ok(written)
    }
}

/// Whether a file has what was done of a part.
pub fn is_of(done: &Path, part: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let of = stem(done).and_then(|stem| Some(stem.rsplit_once('-')?.0.to_owned()));
    of.is_some() && of == stem(part)
}

fn beside(path: &Path, name: &str) -> PathBuf {
    path.with_file_name(name)
}

fn program_name(content: &str) -> String {
    format!("{}{PROGRAM}", &content[..DIGITS])
}

/// The folder of a search's parts.
pub struct PartsFolder {
    path: PathBuf,
    layout: Layout,
    command: Vec<String>,
    /// Parts since they were made last, and the digits of their numbers.
    written: usize,
    digits: usize,
    /// Of the program's file: its hash.
    content: String,
    /// Results that were looked at, whatever came of that.
    looked_at: BTreeSet<PathBuf>,
}

/// What came back of a search.
#[derive(Default)]
pub struct CameBack {
    pub done: Vec<PartDone>,
    /// The files that it stood in.
    read: Vec<PathBuf>,
}

impl PartsFolder {
    /// Of the search in this folder of a run, to be divided into so many parts. It is made when there is something to write.
    pub fn new(run: &Path, command: Vec<String>, many: usize) -> Self {
        let path = run.join(NAME);
        // Damage counts as none: names that are taken are not taken again.
        let made = read_layout(&path).map_or_else(|_| last_made(&path), |layout| layout.made);
        let layout = Layout { format: LAYOUT_IS.to_owned(), many, made };
        PartsFolder::at(path, layout, command)
    }

    fn at(path: PathBuf, layout: Layout, command: Vec<String>) -> Self {
        let (written, digits) = (0, 0);
        PartsFolder { path, layout, command, written, digits, content: String::new(), looked_at: BTreeSet::new() }
    }

    /// As it was made.
    ///
    /// # Errors
    /// When the search was not divided.
    pub fn open(run: &Path, shown: &Path, command: Vec<String>) -> Result<Self, InputError> {
        let path = run.join(NAME);
        let layout = read_layout(&path).map_err(|why| {
            let message = format!("{}: {why}: `raddle split {0} -n N` divides the search", shown.display());
            InputError::new("no_parts", message).in_file(&path)
        })?;
        Ok(PartsFolder::at(path, layout, command))
    }

    pub fn many(&self) -> usize {
        self.layout.many
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what was done, each file once. What is damaged or of something else is said and left aside: then it is done again.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn came_back(&mut self, about: &About) -> Result<CameBack, InputError> {
        let mut all = CameBack::default();
        for path in self.files(DONE)? {
            if !self.looked_at.insert(path.clone()) {
                continue;
            }
            let read = std::fs::read(&path).map_err(|e| unreadable(&path, "result", &e));
            let read = read.and_then(|bytes| {
                sealed::read::<Finished<'static>>(&bytes, DONE_FORMAT).map_err(|why| refused(&path, why))
            });
            let finished = match read {
                Ok((finished, _)) if finished.about.is_same(about) => finished,
                Ok(_) => {
                    let place = path.display();
                    complain(&format!(
                        "raddle: notice: {place} is of another search and counts for nothing here; it stays\n"
                    ));
                    continue;
                }
                Err(why) => {
                    complain(&format!("raddle: notice: {why}; it counts for nothing here, and stays\n"));
                    continue;
                }
            };
            all.done.extend(finished.done.into_owned());
            all.read.push(path);
        }
        Ok(all)
    }

    /// Removes what was taken in.
    pub fn forget(&mut self, came_back: Vec<PathBuf>) {
        for path in came_back {
            // What stays is not waited for, and read once more by the next process.
            if std::fs::remove_file(&path).is_ok() {
                self.looked_at.remove(&path);
            }
        }
    }

    /// Replaces all parts by these. The names of the new ones.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn replace(
        &mut self,
        about: &About,
        module: &ir::Module,
        parts: &[Vec<PartBatch>],
    ) -> Result<Vec<PathBuf>, InputError> {
        std::fs::create_dir_all(&self.path).map_err(|e| unwritten(&self.path, &e))?;
        let before = self.files(PART)?;
        self.begin(module, parts.len())?;
        let written = parts.iter().map(|batches| self.add(about, batches)).collect::<Result<_, _>>()?;
        for path in before {
            // One that stays has what others have as well.
            let _ = std::fs::remove_file(path);
        }
        Ok(written)
    }

    /// Begins new parts, of which there will be about so many.
    ///
    /// # Errors
    /// When what goes with them cannot be written.
    pub fn begin(&mut self, module: &ir::Module, expected: usize) -> Result<(), InputError> {
        std::fs::create_dir_all(&self.path).map_err(|e| unwritten(&self.path, &e))?;
        self.layout.made += 1;
        self.written = 0;
        self.digits = expected.to_string().len().max(3);
        let write =
            |path: &Path, bytes: &[u8]| replace(path, |file| file.write_all(bytes)).map_err(|e| unwritten(path, &e));
        let layout = serde_json::to_vec(&self.layout).map_err(|e| unwritten(&self.path, &e.into()))?;
        write(&self.path.join(LAYOUT), &layout)?;
        let bytes = ir::binary::write(module).map_err(|e| unwritten(&self.path, &io::Error::other(e)))?;
        self.content = blake3::hash(&bytes).to_hex().to_string();
        let program = self.path.join(program_name(&self.content));
        if expected > 0 && std::fs::read(&program).map_or(true, |known| known != bytes) {
            write(&program, &bytes)?;
        }
        Ok(())
    }

    /// Adds a part. Its name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, about: &About, batches: &[PartBatch]) -> Result<PathBuf, InputError> {
        self.written += 1;
        let (made, number, digits) = (self.layout.made, self.written, self.digits);
        let path = self.path.join(format!("{made}-{number:0digits$}{PART}"));
        let about = About { request: Cow::Borrowed(&*about.request), program: Cow::Borrowed(&*about.program) };
        let part = Part { about, content: self.content.clone(), batches: Cow::Borrowed(batches) };
        sealed::write(&path, PART_FORMAT, &self.command, &part).map_err(|e| unwritten(&path, &e))?;
        Ok(path)
    }

    /// Removes all parts that are there, and complaints: what is left is known from the search itself.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn remove_parts(&self) -> Result<(), InputError> {
        for path in [self.files(PART)?, self.files(ERRORS)?, self.files(ENOUGH)?].concat() {
            // One that stays has what others have as well.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Removes it, the search being over; what is not raddle's, or of another search, stays.
    pub fn remove(self) {
        let files = [PART, PROGRAM, ERRORS, ENOUGH].map(|kind| self.files(kind).unwrap_or_default());
        for path in files.into_iter().flatten().chain([self.path.join(LAYOUT)]) {
            let _ = std::fs::remove_file(path);
        }
        // The run's folder as well, if the run has left nothing else.
        if std::fs::remove_dir(&self.path).is_ok()
            && let Some(run) = self.path.parent()
        {
            let _ = std::fs::remove_dir(run);
        }
    }

    /// Those whose names end so, in their order.
    fn files(&self, kind: &str) -> Result<Vec<PathBuf>, InputError> {
        let unreadable = |e: io::Error| unreadable(&self.path, "folder", &e);
        let mut found = Vec::new();
        let entries = match std::fs::read_dir(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unreadable)?,
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let is_wanted =
                entry.file_name().to_str().is_some_and(|name| name.ends_with(kind) && !name.starts_with('.'));
            if is_wanted {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

impl CameBack {
    /// What was done, and the files that it stood in.
    pub fn into_parts(self) -> (Vec<PartDone>, Vec<PathBuf>) {
        (self.done, self.read)
    }
}

/// Asks whoever works on a part to give back what it has not begun.
///
/// # Errors
/// When that cannot be written.
pub fn call_back(part: &Path) -> io::Result<()> {
    std::fs::write(calling(part), [])
}

/// Whether what is left of a part is wanted for others.
pub fn is_called_back(part: &Path) -> bool {
    calling(part).exists()
}

/// The part is nobody's any more.
pub fn forget_call(part: &Path) {
    let _ = std::fs::remove_file(calling(part));
}

fn calling(part: &Path) -> PathBuf {
    part.with_extension(&ENOUGH[1..])
}

fn read_layout(path: &Path) -> Result<Layout, &'static str> {
    let Ok(bytes) = std::fs::read(path.join(LAYOUT)) else { return Err("it has no parts") };
    let layout: Layout = serde_json::from_slice(&bytes).map_err(|_| "what it says of its parts is damaged")?;
    let is_known = layout.format == LAYOUT_IS && layout.many > 0 && layout.made < u64::MAX;
    if is_known { Ok(layout) } else { Err("its parts were laid out by another version of raddle") }
}

/// The highest number that a name of a part begins with.
fn last_made(path: &Path) -> u64 {
    let names = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let number = |name: std::ffi::OsString| name.to_str()?.split_once('-')?.0.parse::<u64>().ok();
    names.filter_map(number).filter(|&number| number < u64::MAX).max().unwrap_or(0)
}
