//! Files that a report is written to beside standard output: SARIF, JUnit XML, LCOV, a page, pictures.
//!
//! Guarantee: the report on standard output is never lost to a file that cannot be written; a file that was asked for and
//! is not there is an error; each is replaced whole; nothing is overwritten that is a source, and in the directory of pictures nothing is removed
//! but files named as raddle names pictures.

use crate::cli::{Files, is_picture};
use crate::outcome::Outcome;
use crate::violation::{self, Violation};
use report::{
    Baseline, ErrorClass, FileSources, FunctionTree, Report, Verdict, render_html, render_junit, render_lcov,
    render_sarif, render_svg, render_tree_svg, render_unfolding_svg,
};
use session::errors::{InputError, UsageError};
use session::notice::complain;
use session::out;
use std::collections::BTreeMap;
use std::fs::{OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What ends the name of a picture.
const PICTURE: &str = ".svg";

/// Sees whether everything can be written, before a search that would be lost otherwise. Leaves nothing.
///
/// # Errors
/// When a file is a source or named twice, or cannot be written.
pub(crate) fn check(files: &Files, sources: &[PathBuf]) -> anyhow::Result<()> {
    let named = named(files);
    for (position, (flag, path)) in named.iter().enumerate() {
        let same = |other: &Path| other == *path || is_same(other, path);
        if sources.iter().any(|source| same(source)) {
            let message = format!("{flag} {}: that is a source of the program; it stays", path.display());
            return Err(UsageError::new("output", message).into());
        }
        if let Some((other, _)) = named[..position].iter().find(|(_, path)| same(path)) {
            let message = format!("{flag} {}: {other} writes the same file", path.display());
            return Err(UsageError::new("output", message).into());
        }
        check_file(path).map_err(|why| refused(flag, path, &why))?;
    }
    if let Some(directory) = &files.svg {
        out::check_directory("--svg", directory)?;
    }
    Ok(())
}

/// The earlier report that `command` on these sources is to be compared with, if there is one.
///
/// # Errors
/// When it cannot be read, or is of something else.
pub(crate) fn baseline(files: &Files, command: &str, sources: &[PathBuf]) -> Result<Option<Rc<Baseline>>, InputError> {
    let Some(path) = &files.baseline else { return Ok(None) };
    let refused =
        |why: String| InputError::new("baseline", format!("--baseline {}: {why}", path.display())).in_file(path);
    let text = std::fs::read_to_string(path).map_err(|e| refused(format!("it cannot be read: {e}")))?;
    let baseline = Baseline::parse(&path.display().to_string(), &text).map_err(refused)?;
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    baseline.is_of(command, &sources).map_err(refused)?;
    Ok(Some(Rc::new(baseline)))
}

fn named(files: &Files) -> Vec<(&'static str, &Path)> {
    let Files { sarif, junit, html, lcov, unfolding, violation, .. } = files;
    let violation = violation.as_ref().map(|violation| violation.path.as_path());
    let all =
        [("--sarif", sarif), ("--junit", junit), ("--html", html), ("--lcov", lcov), ("--dump-unfolding", unfolding)];
    let all = all.into_iter().map(|(flag, path)| (flag, path.as_deref()));
    all.chain([("--violation-witness", violation)]).filter_map(|(flag, path)| Some((flag, path?))).collect()
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

fn refused(flag: &str, path: &Path, why: &str) -> InputError {
    InputError::new("output", format!("{flag} {}: {why}", path.display())).in_file(path)
}

fn check_file(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err("it is a directory; name a file".to_owned()),
        // Opening a pipe would wait for its reader.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        _ => {}
    }
    let is_new = path.symlink_metadata().is_err();
    match OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) if is_new => std::fs::remove_file(path).map_err(|e| in_words(path, &e)),
        Ok(_) => Ok(()),
        Err(e) => Err(in_words(path, &e)),
    }
}

fn in_words(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.map_or_else(|| ".".to_owned(), |parent| parent.display().to_string());
            format!("there is no directory {parent}; make it first")
        }
        _ => format!("it cannot be written: {error}"),
    }
}

/// Writes what was asked for, after the report was printed. `code`: the verdict's exit code. Returns the process's: with a
/// file missing it is that of an error, unless there are findings, which count more.
pub(crate) fn write(files: &Files, sources: &[PathBuf], outcome: &Outcome, code: u8) -> u8 {
    let Outcome::Report { report, directory, sources: analysed } = outcome else { return code };
    // Then the command line was refused, these files perhaps.
    let refused = report.error.as_ref().is_some_and(|e| e.class == ErrorClass::Usage || e.kind == "output");
    if refused {
        return code;
    }
    let quoted = FileSources::new(directory);
    // What is resumed, and what a database names, is not on the command line.
    let analysed = if analysed.is_empty() { sources } else { analysed };
    let subject: Vec<String> = analysed.iter().map(|source| source.display().to_string()).collect();
    let subject = subject.join(" ");
    let mut failed = Vec::new();
    let mut keep = |flag: &str, path: &Path, text: &str| {
        if let Err(e) = write_file(path, text) {
            failed.push(format!("{flag} {}: {}", path.display(), in_words(path, &e)));
        }
    };
    if let Some(path) = &files.sarif {
        keep("--sarif", path, &render_sarif(report, &quoted));
    }
    if let Some(path) = &files.junit {
        keep("--junit", path, &render_junit(report, &subject, &quoted));
    }
    if let Some(path) = &files.html {
        keep("--html", path, &render_html(report, &subject, &quoted));
    }
    if let Some(path) = &files.lcov {
        keep("--lcov", path, &render_lcov(report, directory));
    }
    if let (Some(path), Some(events)) = (&files.unfolding, &report.unfolding) {
        let text = match is_picture(path) {
            true => render_unfolding_svg(events),
            false => serde_json::to_string_pretty(events).unwrap_or_default() + "\n",
        };
        keep("--dump-unfolding", path, &text);
    }
    if let Some(directory) = files.svg.as_ref().filter(|_| report.verdict != Verdict::Error) {
        failed.extend(write_pictures(directory, report, &quoted).err());
    }
    if let Some(Violation { path, property }) = &files.violation {
        match violation::text(report, property.as_ref()) {
            Ok(Some(text)) => failed.extend(
                write_file(path, &text)
                    .err()
                    .map(|e| format!("--violation-witness {}: {}", path.display(), in_words(path, &e))),
            ),
            Ok(None) => remove(path),
            Err(why) => {
                remove(path);
                failed.push(format!("--violation-witness {}: {why:#}", path.display()));
            }
        }
    }
    for why in &failed {
        complain(&format!("raddle: error: {why}\n"));
    }
    if failed.is_empty() || report.verdict == Verdict::Findings { code } else { code.max(2) }
}

/// Replaces the file at once, so that nobody reads half of it. What is left of one that could not be written whole is
/// removed: half of it, or an earlier run's, would be taken for this one's.
fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    replace(path, text).or_else(|_| std::fs::write(path, text)).inspect_err(|_| remove(path))
}

/// Leaves nothing there that would be taken for what this run writes. The error that is reported is another one.
fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        let _ = std::fs::remove_file(path);
    }
}

/// Writes a file beside it and renames that. A link stays one, and a file keeps its permissions.
///
/// # Errors
/// Also where the directory may not be written, though the file may, and for what is no file.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let real = if path.symlink_metadata().is_ok() { path.canonicalize()? } else { path.to_owned() };
    let permissions = match std::fs::metadata(&real) {
        Ok(metadata) if !metadata.is_file() => return Err(ErrorKind::InvalidInput.into()),
        Ok(metadata) => metadata.permissions(),
        // As for any new file: what the user's mask leaves of it.
        Err(_) => Permissions::from_mode(0o666),
    };
    let is_new = !real.exists();
    let parent = real.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions(permissions.clone()).tempfile_in(parent)?;
    file.write_all(text.as_bytes())?;
    if !is_new {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(real).map_err(|e| e.error)?;
    Ok(())
}

fn write_pictures(directory: &Path, report: &Report, sources: &FileSources) -> Result<(), String> {
    let failed = |path: &Path, e: &std::io::Error| format!("--svg {}: it cannot be written: {e}", path.display());
    out::remove_named(directory, PICTURE).map_err(|e| failed(directory, &e))?;
    for finding in report.findings.iter().chain(&report.suppressed_findings) {
        std::fs::create_dir_all(directory).map_err(|e| failed(directory, &e))?;
        let path = directory.join(format!("{}{PICTURE}", finding.id));
        write_file(&path, &render_svg(finding, sources)).map_err(|e| failed(&path, &e))?;
    }
    Ok(())
}

/// Draws the trees of functions, each in a file that is named after it.
///
/// # Errors
/// When the directory or a file cannot be written.
pub(crate) fn write_trees(directory: &Path, trees: &[FunctionTree]) -> Result<(), InputError> {
    let failed = |path: &Path, e: &std::io::Error| {
        InputError::new("write", format!("--svg {}: it cannot be written: {e}", path.display()))
    };
    std::fs::create_dir_all(directory).map_err(|e| failed(directory, &e))?;
    let mut names = BTreeMap::new();
    for tree in trees {
        let times = names.entry(&tree.function).or_insert(0);
        *times += 1;
        // Static functions of several files may share a name.
        let number = if *times > 1 { format!("-{times}") } else { String::new() };
        let path = directory.join(format!("{}{number}{PICTURE}", tree.function));
        write_file(&path, &render_tree_svg(tree)).map_err(|e| failed(&path, &e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(files: &Files, sources: &[PathBuf]) -> String {
        check(files, sources).map_or_else(|e| e.to_string(), |()| "accepted".to_owned())
    }

    fn sarif(path: &Path) -> Files {
        Files { sarif: Some(path.to_owned()), ..Files::default() }
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("a.c"), "int x;")?;
        std::fs::write(at("old.sarif"), "old")?;
        std::os::unix::fs::symlink("a.c", at("link"))?;
        assert_eq!(refusal(&sarif(&at("new.sarif")), &[at("a.c")]), "accepted");
        assert!(!at("new.sarif").exists());
        assert_eq!(refusal(&sarif(&at("old.sarif")), &[at("a.c")]), "accepted");
        assert_eq!(std::fs::read_to_string(at("old.sarif"))?, "old");
        assert_eq!(refusal(&sarif(Path::new("/dev/null")), &[]), "accepted");
        for (name, why) in [
            ("a.c", "that is a source of the program; it stays"),
            ("link", "that is a source of the program; it stays"),
            ("", "it is a directory; name a file"),
            ("no/such.sarif", "make it first"),
        ] {
            let refusal = refusal(&sarif(&at(name)), &[at("a.c")]);
            assert!(refusal.starts_with("--sarif ") && refusal.contains(why), "{name}: {refusal}");
        }
        let both = Files { sarif: Some(at("x")), junit: Some(at("x")), ..Files::default() };
        assert!(refusal(&both, &[]).ends_with("--sarif writes the same file"));
        let pictures = Files { svg: Some(at("a.c")), ..Files::default() };
        assert!(refusal(&pictures, &[]).contains("it is not a directory"), "{}", refusal(&pictures, &[]));
        assert_eq!(std::fs::read_to_string(at("a.c"))?, "int x;");
        Ok(())
    }

    #[test]
    fn files_are_replaced_whole() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("old"), "old, and longer")?;
        std::fs::set_permissions(at("old"), Permissions::from_mode(0o604))?;
        std::os::unix::fs::symlink("old", at("link"))?;
        let mut reader = std::fs::File::open(at("old"))?;
        write_file(&at("link"), "new")?;
        assert!(at("link").symlink_metadata()?.is_symlink() && std::fs::read_to_string(at("old"))? == "new");
        assert_eq!(at("old").metadata()?.permissions().mode() & 0o777, 0o604);
        assert_eq!(std::io::read_to_string(&mut reader)?, "old, and longer", "who reads the old one reads it all");

        std::fs::write(at("plain"), "")?;
        write_file(&at("new"), "new")?;
        let mode = |name: &str| Ok::<_, std::io::Error>(at(name).metadata()?.permissions().mode());
        assert_eq!(mode("new")?, mode("plain")?, "as any other new file");
        std::os::unix::fs::symlink("ahead", at("dangling"))?;
        write_file(&at("dangling"), "new")?;
        assert_eq!(std::fs::read_to_string(at("ahead"))?, "new");
        assert!(write_file(&at("no/such"), "new").is_err() && write_file(Path::new("/dev/full"), "new").is_err());
        assert_eq!(std::fs::read_dir(directory.path())?.count(), 6, "nothing else is left");
        Ok(())
    }
}
