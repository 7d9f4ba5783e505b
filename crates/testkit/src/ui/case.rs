//! A case: one file under one revision, with the command line that runs it and what it expects.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::directive::{DirectiveError, TestFile, parse};
use super::expect::Expectations;
use super::observed::base_name;

/// Time for one run of raddle; a case that needs more says so with `timeout:`.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug, thiserror::Error)]
pub enum TestFileError {
    #[error(transparent)]
    Directive(#[from] DirectiveError),
    #[error("{path}: {source}")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path}: {message}")]
    Content { path: PathBuf, message: String },
}

/// Beyond its own limit of time raddle ends by itself within this.
const GRACE: Duration = Duration::from_secs(60);

/// One run of raddle and its expectations.
#[derive(Debug, Clone)]
pub struct Case {
    /// `topic/file.c` or `topic/file.c#revision`: what a filter matches.
    pub name: String,
    pub path: PathBuf,
    pub revision: Option<String>,
    /// The command, the sources relative to [`Case::directory`] and the flags before `--`.
    pub arguments: Vec<String>,
    pub clang_flags: Vec<String>,
    pub expectations: Expectations,
    pub known_gap: Option<String>,
    /// Why ThreadSanitizer cannot show this case's races.
    pub tsan_silent: Option<String>,
    pub timeout: Duration,
}

impl Case {
    /// Where raddle runs, so that reports name files as the test does.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// A run of which nothing is expected.
    pub fn of(path: PathBuf, arguments: Vec<String>) -> Self {
        Case {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            path,
            revision: None,
            arguments,
            clang_flags: Vec::new(),
            expectations: Expectations::default(),
            known_gap: None,
            tsan_silent: None,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// Bounds raddle's time; what ends by that is reported, so the process gets a minute more.
    pub fn limit(&mut self, time: Duration) {
        // raddle wants a positive number.
        let seconds = time.as_secs_f64().max(0.1);
        self.arguments.extend(["--max-time".to_owned(), format!("{seconds:.3}")]);
        self.timeout = time + GRACE;
    }

    /// The blessed terminal report.
    pub fn snapshot(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if let Some(revision) = &self.revision {
            name.push(".");
            name.push(revision);
        }
        name.push(".stdout");
        name.into()
    }
}

/// Every case below `root`, ordered by name. Files in `auxiliary` directories belong to other files' cases.
pub fn discover(root: &Path) -> Result<Vec<Case>, TestFileError> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        cases.extend(load(root, &path)?);
    }
    Ok(cases)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), TestFileError> {
    let failed = |source| TestFileError::Read { path: directory.to_owned(), source };
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            if path.file_name() != Some(OsStr::new("auxiliary")) {
                collect(&path, files)?;
            }
        } else if matches!(path.extension().and_then(OsStr::to_str), Some("c" | "cu" | "ll")) {
            files.push(path);
        }
    }
    Ok(())
}

/// The cases of the file at `path`: one for each revision.
pub fn load(root: &Path, path: &Path) -> Result<Vec<Case>, TestFileError> {
    let fail = |message: &str| TestFileError::Content { path: path.to_owned(), message: message.to_owned() };
    let (file, main) = read(path)?;
    if main.run.is_empty() {
        return Err(fail("no `run:` directive; files that accompany another belong into `auxiliary/`"));
    }
    let mut others = Vec::new();
    for other in &main.also {
        others.push(read(&path.with_file_name(other))?);
    }
    let revisions: Vec<Option<String>> = match main.revisions.as_slice() {
        [] => vec![None],
        names => names.iter().cloned().map(Some).collect(),
    };
    let mut cases = Vec::new();
    for revision in revisions {
        let mut expectations = Expectations::default();
        main.expect_into(&file, revision.as_deref(), &mut expectations)?;
        for (name, other) in &others {
            other.expect_into(name, revision.as_deref(), &mut expectations)?;
        }
        if expectations.is_empty() {
            return Err(fail(&match &revision {
                Some(revision) => format!("revision `{revision}` expects nothing"),
                None => "expects nothing".to_owned(),
            }));
        }
        cases.push(case(root, path, &file, &main, revision, expectations));
    }
    Ok(cases)
}

fn read(path: &Path) -> Result<(String, TestFile), TestFileError> {
    let text = fs::read_to_string(path).map_err(|source| TestFileError::Read { path: path.to_owned(), source })?;
    let file = base_name(&path.to_string_lossy()).to_owned();
    let parsed = parse(&file, &text)?;
    Ok((file, parsed))
}

const NO_REMEDIES: &str = "--no-remedies";

fn case(
    root: &Path,
    path: &Path,
    file: &str,
    main: &TestFile,
    revision: Option<String>,
    expectations: Expectations,
) -> Case {
    let (command, flags) = main.run.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    let mut arguments = vec![command.to_owned(), file.to_owned()];
    // A header is named by `also` for its expectations only.
    arguments.extend(main.also.iter().filter(|name| !name.ends_with(".h")).cloned());
    arguments.extend_from_slice(flags);
    arguments.extend(main.flags(revision.as_deref()));
    // They take longer than all else, and are tried where something is expected of them.
    let searches = command == "races" || command == "check";
    if searches && !expectations.are_of_remedies() && !arguments.iter().any(|argument| argument == NO_REMEDIES) {
        arguments.push(NO_REMEDIES.to_owned());
    }
    let mut clang_flags: Vec<String> = revision.iter().map(|name| format!("-D{name}")).collect();
    clang_flags.extend(main.clang_flags(revision.as_deref()));

    let mut name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    if let Some(revision) = &revision {
        name.push('#');
        name.push_str(revision);
    }
    Case {
        name,
        path: path.to_owned(),
        tsan_silent: main.tsan_silent(revision.as_deref()).map(str::to_owned),
        revision,
        arguments,
        clang_flags,
        expectations,
        known_gap: main.known_gap.clone(),
        timeout: main.timeout_seconds.map_or(DEFAULT_TIMEOUT, Duration::from_secs),
    }
}
