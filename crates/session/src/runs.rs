//! The files of runs: each run has a folder of its own, `runs/N` inside `--out`, and the names that scripts know
//! (`R1.witness.json`, `R1.client.c`, `unfinished.raddle`) are links there, by way of the link `latest`, to the files of the
//! run that ended last.
//!
//! Links, because switching one is atomic: at any moment the names show the files of one run, and nothing that an earlier run
//! left is touched. A run has its folder from its first file on, so one that writes nothing leaves none.
//!
//! Locks are the kernel's, on files that stay: those of a process that died are gone with it.
//!
//! Guarantee: nothing of another run is overwritten; of other runs, only the oldest that are over are removed, and of these
//! only files that are named as raddle names them. An unfinished search is never removed.
//! Knows nothing of what is in the files.

use crate::errors::InputError;
use crate::notice::complain;
use crate::out;
use crate::parts;
use crate::unfinished;
use crate::whole::{self, UNPLACED};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RUNS: &str = "runs";
/// Leads to the folder of the run that ended last; absent if that one wrote nothing.
const LATEST: &str = "latest";
/// In the folder of all runs: how they are laid out. Who numbers runs or switches links holds a lock on it.
const LAYOUT: &str = "layout";
const LAYOUT_IS: &str = "raddle-runs/1\n";
/// In the folder of a run: who it is. The run holds a lock on it.
const MARKER: &str = "run.raddle";

/// Runs that are over whose folders are kept, with the latest.
pub const KEPT: usize = 10;

/// Files that are written at once.
const WRITERS: usize = 16;

/// How long another run may take to switch its links, which are a few system calls: longer, and it was stopped there.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// What a run says of itself, for people and for other runs.
#[derive(Serialize, Deserialize)]
struct Marker {
    format: String,
    process: u32,
    command: Vec<String>,
}

/// Where the files of one run go.
pub struct Folder {
    out: PathBuf,
    command: Vec<String>,
    opened: RefCell<Option<Opened>>,
}

struct Opened {
    number: u64,
    path: PathBuf,
    /// Held as long as it is open; none where files cannot be locked.
    _marker: Option<File>,
}

impl Folder {
    /// Of a new run, inside `out`; it is made when there is something to write.
    pub fn new(out: &Path, command: Vec<String>) -> Self {
        Folder { out: out.to_owned(), command, opened: RefCell::new(None) }
    }

    /// The directory in which runs have their folders.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Where scripts look for a file of the latest run.
    pub fn shown(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// The run's own folder, made if it is not there yet.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn path(&self) -> io::Result<PathBuf> {
        if let Some(opened) = &*self.opened.borrow() {
            return Ok(opened.path.clone());
        }
        let opened = self.open()?;
        Ok(self.opened.borrow_mut().insert(opened).path.clone())
    }

    fn open(&self) -> io::Result<Opened> {
        let runs = self.out.join(RUNS);
        std::fs::create_dir_all(&runs)?;
        let _layout = lock_layout(&runs)?;
        let mut number = numbered(&runs)?.last().map_or(1, |last| last + 1);
        loop {
            let path = runs.join(number.to_string());
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    let marker = self.mark(&path).inspect_err(|_| remove(&path))?;
                    return Ok(Opened { number, path, _marker: marker });
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(e),
            }
        }
    }

    /// Writes down whose folder it is, and locks it. None where that cannot be locked.
    fn mark(&self, folder: &Path) -> io::Result<Option<File>> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(MARKER))?;
        let is_locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(e)) => {
                let place = folder.display();
                complain(&format!("raddle: notice: {place} cannot be locked: {e}; keep other runs out of it\n"));
                false
            }
        };
        let marker = Marker {
            format: LAYOUT_IS.trim_end().to_owned(),
            process: std::process::id(),
            command: self.command.clone(),
        };
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&serde_json::to_vec(&marker)?)?;
        file.write_all(b"\n")?;
        Ok(is_locked.then_some(file))
    }

    /// The run's own folder, if it has one yet.
    pub fn opened(&self) -> Option<PathBuf> {
        self.opened.borrow().as_ref().map(|opened| opened.path.clone())
    }

    /// Writes a file of the run. Its name for scripts.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        whole::replace(&self.path()?.join(name), |file| file.write_all(text.as_bytes()))?;
        Ok(self.shown(name))
    }

    /// As [`Folder::write`], for many files: several at once, for most of the time goes by in waiting for the disk.
    pub fn write_all(&self, files: &[(String, String)]) -> Vec<io::Result<PathBuf>> {
        if files.is_empty() {
            return Vec::new();
        }
        let folder = match self.path() {
            Ok(folder) => folder,
            Err(e) => return files.iter().map(|_| Err(io::Error::new(e.kind(), e.to_string()))).collect(),
        };
        let out = &self.out;
        let write = |(name, text): &(String, String)| {
            whole::replace(&folder.join(name), |file| file.write_all(text.as_bytes())).map(|()| out.join(name))
        };
        let share = files.len().div_ceil(WRITERS);
        std::thread::scope(|scope| {
            let writers: Vec<_> = files
                .chunks(share)
                .map(|files| {
                    (files, std::thread::Builder::new().spawn_scoped(scope, || files.iter().map(write).collect()))
                })
                .collect();
            let mut all = Vec::new();
            for (files, writer) in writers {
                let written: Option<Vec<_>> = writer.ok().and_then(|writer| writer.join().ok());
                // Without a thread for it, it is done here.
                all.extend(written.unwrap_or_else(|| files.iter().map(write).collect()));
            }
            all
        })
    }

    /// Removes what an earlier part of this run wrote and `stays` does not say of.
    pub fn only(&self, stays: impl Fn(&str) -> bool) {
        let Some(path) = self.opened() else { return };
        for name in names(&path).into_iter().filter(|name| out::is_of_finding(name) && !stays(name)) {
            // What cannot be removed is of this run and of no finding in its report.
            let _ = std::fs::remove_file(path.join(name));
        }
    }

    /// Makes the names that scripts know lead to the files of this run, which ends; removes the oldest runs that are over.
    ///
    /// # Errors
    /// When the links cannot be switched: then the files are in the run's own folder, which is returned with the reason.
    pub fn publish(&self) -> Result<(), (PathBuf, io::Error)> {
        let number = self.given_up_if_empty();
        let Some(number) = number else {
            return withdraw(&self.out).map_err(|e| (self.out.clone(), e));
        };
        let place = self.out.join(RUNS).join(number.to_string());
        publish(&self.out, number).map_err(|e| (place, e))
    }

    /// Makes the names of an unfinished search lead to this run, which may be killed.
    pub fn claim_unfinished(&self) -> io::Result<()> {
        let Some(number) = self.number() else { return Ok(()) };
        let names = unfinished::NAMES.iter();
        let links: Vec<_> = names.map(|name| (*name, target(&format!("{RUNS}/{number}"), name))).collect();
        if links.iter().all(|(name, to)| std::fs::read_link(self.out.join(name)).is_ok_and(|now| now == *to)) {
            return Ok(());
        }
        let _layout = lock_layout(&self.out.join(RUNS))?;
        adopt(&self.out)?;
        links.iter().try_for_each(|(name, to)| link(&self.out, name, to))
    }

    /// Makes the name of the folder of parts lead to this run's; where nothing is left of one, there is none.
    ///
    /// # Errors
    /// When it cannot.
    pub fn show_parts(&self) -> io::Result<()> {
        let shown = self.out.join(parts::NAME);
        let own = self.number().map(|number| target(&format!("{RUNS}/{number}"), parts::NAME));
        match own.filter(|own| self.out.join(own).is_dir()) {
            Some(own) => {
                let _layout = lock_layout(&self.out.join(RUNS))?;
                link(&self.out, parts::NAME, &own)
            }
            None if is_link(&shown) && !shown.exists() => std::fs::remove_file(shown),
            None => Ok(()),
        }
    }

    fn number(&self) -> Option<u64> {
        self.opened.borrow().as_ref().map(|opened| opened.number)
    }

    /// The run's number, if it left anything; otherwise its folder is removed.
    fn given_up_if_empty(&self) -> Option<u64> {
        let path = self.opened()?;
        if names(&path).iter().any(|name| is_published(name)) {
            return self.number();
        }
        remove(&path);
        self.opened.borrow_mut().take();
        None
    }
}

/// A search that is gone on with, and its folder.
pub struct Resumed {
    pub out: PathBuf,
    pub folder: Folder,
    /// The folder's path, as it is named in messages.
    pub path: PathBuf,
    /// What goes on if this is refused.
    pub others: Vec<PathBuf>,
}

/// Finds the search to go on with in `directory`, the folder of a run or one that has runs: there it is that of the latest
/// run, or if that is over, of the last that is not.
///
/// # Errors
/// When there is none, another process works on it, or the directory is laid out in a way that this raddle does not know.
pub fn to_resume(directory: &Path) -> Result<Resumed, InputError> {
    if directory.join(MARKER).is_file()
        && let Some((out, number)) = run_of(directory)
    {
        check_layout(&out)?;
        let path = directory.to_owned();
        return match lock(&out, number) {
            Ok(folder) => Ok(Resumed { out, folder, path, others: Vec::new() }),
            Err(e) if e.kind() == ErrorKind::WouldBlock => Err(is_running(&path)),
            Err(e) => Err(unusable(&path, &e)),
        };
    }
    check_layout(directory)?;
    let unusable = |e: io::Error| unusable(directory, &e);
    if is_plain(&directory.join(unfinished::NAMES[0])) {
        // Left by a raddle that had no folders for runs, or put there by hand.
        let runs = directory.join(RUNS);
        std::fs::create_dir_all(&runs).map_err(unusable)?;
        let _layout = lock_layout(&runs).map_err(unusable)?;
        adopt(directory).map_err(unusable)?;
    }
    let runs = directory.join(RUNS);
    let mut waiting: Vec<u64> = numbered(&runs).unwrap_or_default();
    waiting.retain(|number| is_unfinished(&runs.join(number.to_string())));
    let latest = latest(directory);
    waiting.sort_by_key(|&number| (Some(number) == latest, number));
    let place = |number: u64| runs.join(number.to_string());
    let (mut found, mut running) = (None, None);
    while let Some(number) = waiting.pop() {
        match lock(directory, number) {
            Ok(folder) => {
                found = Some((number, folder));
                break;
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => running = running.or(Some(number)),
            Err(e) => return Err(unusable(e)),
        }
    }
    let Some((number, folder)) = found else {
        return Err(running.map_or_else(|| unfinished::nothing(directory), |number| is_running(&place(number))));
    };
    waiting.retain(|&number| !is_held(&place(number)));
    waiting.sort_unstable();
    let others = waiting.into_iter().map(place).collect();
    Ok(Resumed { out: directory.to_owned(), folder, path: place(number), others })
}

/// Sees whether `out` is laid out as this raddle knows it.
///
/// # Errors
/// When it is not: another version wrote there, and nothing is assumed of what that left.
pub fn check_layout(out: &Path) -> Result<(), InputError> {
    let path = out.join(RUNS).join(LAYOUT);
    match std::fs::read_to_string(&path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        // One that was being written.
        Ok(text) if text == LAYOUT_IS || text.is_empty() => Ok(()),
        found => {
            let found = found.map_or_else(|e| e.to_string(), |text| format!("it says `{}`", first_line(&text)));
            let message = format!(
                "{} was laid out by another version of raddle ({found}; this one knows `{}`): nothing in it is touched; \
                 name another folder with --out, or go on with that version",
                out.display(),
                LAYOUT_IS.trim_end()
            );
            Err(InputError::new("output_version", message).in_file(&path))
        }
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(60).collect()
}

fn is_running(path: &Path) -> InputError {
    let process = read_marker(path).map_or_else(String::new, |marker| format!(", process {}", marker.process));
    let message = format!("{}: another raddle is at work on this search{process}; wait for it to end", path.display());
    InputError::new("still_running", message).in_file(path)
}

fn unusable(path: &Path, error: &io::Error) -> InputError {
    InputError::new("unreadable_file", format!("{} cannot be used: {error}", path.display())).in_file(path)
}

fn read_marker(folder: &Path) -> Option<Marker> {
    serde_json::from_slice(&std::fs::read(folder.join(MARKER)).ok()?).ok()
}

/// The directory with all runs and the number of the run in this folder, by its path or by where that leads.
fn run_of(folder: &Path) -> Option<(PathBuf, u64)> {
    let parts = |folder: &Path| {
        let number = folder.file_name()?.to_str()?.parse().ok()?;
        let runs = folder.parent().filter(|runs| runs.file_name().is_some_and(|name| name == RUNS))?;
        let out = runs.parent()?;
        Some((if out.as_os_str().is_empty() { PathBuf::from(".") } else { out.to_owned() }, number))
    };
    parts(folder).or_else(|| parts(&folder.canonicalize().ok()?))
}

/// The folder of a run that goes on.
fn lock(out: &Path, number: u64) -> io::Result<Folder> {
    let path = out.join(RUNS).join(number.to_string());
    let command = read_marker(&path).map(|marker| marker.command).unwrap_or_default();
    let folder = Folder::new(out, command);
    let marker = folder.mark(&path)?;
    sweep(&path);
    *folder.opened.borrow_mut() = Some(Opened { number, path, _marker: marker });
    Ok(folder)
}

/// Whether a process that lives works in a folder.
fn is_held(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(MARKER)) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Locks the folder of all runs for a moment.
fn lock_layout(runs: &Path) -> io::Result<File> {
    let path = runs.join(LAYOUT);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "another raddle holds its lock"));
            }
            // Where nothing can be locked, nobody waits.
            Err(TryLockError::Error(_)) => break,
        }
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    match text.as_str() {
        LAYOUT_IS => {}
        "" => file.write_all(LAYOUT_IS.as_bytes())?,
        // It was checked before the search: somebody else came meanwhile.
        _ => return Err(io::Error::other("another version of raddle laid it out")),
    }
    Ok(file)
}

/// The numbers of all runs, ascending.
fn numbered(runs: &Path) -> io::Result<Vec<u64>> {
    let entries = match std::fs::read_dir(runs) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        // `01` is not a name that raddle gives.
        let number = name.to_str().and_then(|name| name.parse::<u64>().ok().filter(|n| n.to_string() == name));
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn is_unfinished(folder: &Path) -> bool {
    unfinished::is_in(folder)
}

/// The run that ended last, if it left anything.
fn latest(out: &Path) -> Option<u64> {
    let to = std::fs::read_link(out.join(LATEST)).ok()?;
    to.strip_prefix(RUNS).ok()?.to_str()?.parse().ok()
}

/// Names of plain files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether scripts know a file of this name.
fn is_published(name: &str) -> bool {
    out::is_of_finding(name) || unfinished::NAMES.contains(&name)
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

fn is_plain(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

fn target(folder: &str, name: &str) -> PathBuf {
    Path::new(folder).join(name)
}

/// Makes `name` in `out` a link, at once.
fn link(out: &Path, name: &str, to: &Path) -> io::Result<()> {
    let path = out.join(name);
    if std::fs::read_link(&path).is_ok_and(|now| now == to) {
        return Ok(());
    }
    let unplaced = out.join(format!("{UNPLACED}{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&unplaced);
    std::os::unix::fs::symlink(to, &unplaced)?;
    std::fs::rename(&unplaced, &path).inspect_err(|_| drop(std::fs::remove_file(&unplaced)))
}

fn publish(out: &Path, number: u64) -> io::Result<()> {
    let runs = out.join(RUNS);
    let _layout = lock_layout(&runs)?;
    adopt(out)?;
    let names: BTreeSet<String> =
        names(&runs.join(number.to_string())).into_iter().filter(|name| is_published(name)).collect();
    // Links of new names lead nowhere until the one that all go by is switched, and those of old ones from then on.
    for name in &names {
        link(out, name, &target(LATEST, name))?;
    }
    link(out, LATEST, &target(RUNS, &number.to_string()))?;
    remove_links(out, |name| names.contains(name))?;
    retire(&runs, number);
    Ok(())
}

/// Takes back the names of an earlier run's files: the latest wrote none.
fn withdraw(out: &Path) -> io::Result<()> {
    let runs = out.join(RUNS);
    // Without a folder of runs there may be files of a raddle that had none, which would be taken for this run's.
    let is_left = std::fs::read_dir(out).into_iter().flatten().flatten().any(|entry| {
        let name = entry.file_name();
        name == LATEST && is_link(&entry.path()) || name.to_str().is_some_and(is_published)
    });
    if !is_left {
        return Ok(());
    }
    std::fs::create_dir_all(&runs)?;
    let _layout = lock_layout(&runs)?;
    adopt(out)?;
    let latest = out.join(LATEST);
    if is_link(&latest) {
        std::fs::remove_file(latest)?;
    }
    remove_links(out, |_| false)
}

/// Removes links with names that scripts know.
fn remove_links(out: &Path, stays: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in std::fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_published(&name) && !stays(&name) && is_link(&entry.path()) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Gives plain files with the names of links a folder of their own: a raddle that had no folders for runs left them.
fn adopt(out: &Path) -> io::Result<()> {
    let plain: Vec<String> = names(out).into_iter().filter(|name| is_published(name)).collect();
    if plain.is_empty() {
        return Ok(());
    }
    let runs = out.join(RUNS);
    let number = numbered(&runs)?.last().map_or(1, |last| last + 1);
    let folder = runs.join(number.to_string());
    std::fs::create_dir(&folder)?;
    let marker = Marker { format: LAYOUT_IS.trim_end().to_owned(), process: 0, command: Vec::new() };
    whole::replace(&folder.join(MARKER), |file| Ok(serde_json::to_writer(file, &marker)?))?;
    for name in &plain {
        std::fs::rename(out.join(name), folder.join(name))?;
    }
    let (many, out, folder) = (plain.len(), out.display(), folder.display());
    let files = if many == 1 { "file".to_owned() } else { format!("{many} files") };
    complain(&format!("raddle: notice: {out} had the {files} of an earlier version's run, now in {folder}\n"));
    Ok(())
}

/// Removes the oldest runs that are over.
fn retire(runs: &Path, latest: u64) {
    let folder = |number: u64| runs.join(number.to_string());
    let mut over = numbered(runs).unwrap_or_default();
    over.retain(|&number| {
        let folder = folder(number);
        number != latest && folder.join(MARKER).is_file() && !is_unfinished(&folder) && !is_held(&folder)
    });
    let is_empty = |number: &u64| !names(&folder(*number)).iter().any(|name| is_published(name));
    // A process that was killed before it wrote anything left these.
    let empty: Vec<u64> = over.extract_if(.., |number| is_empty(number)).collect();
    let old = over.len().saturating_sub(KEPT - 1);
    for number in over.into_iter().take(old).chain(empty) {
        remove(&folder(number));
    }
}

/// Removes what raddle wrote in a run's folder, and the folder if nothing else is there.
fn remove(folder: &Path) {
    for name in names(folder) {
        if is_published(&name) || name == MARKER || name.starts_with(UNPLACED) {
            // What stays costs a little room.
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
    let _ = std::fs::remove_dir(folder);
}

/// Removes what a process that was killed had not put in its place.
fn sweep(folder: &Path) {
    for name in names(folder).iter().filter(|name| name.starts_with(UNPLACED)) {
        let _ = std::fs::remove_file(folder.join(name));
    }
}
