//! Running `raddle-frontend`, the program that turns sources into IR.
//!
//! Its protocol: exit code 0 and a whole output file, or exit code 2 and one JSON object on the last line of standard
//! error. Whatever else happens to it is a crash, and reported as an error of the input that it was reading.
//!
//! It runs in a process group of its own, with the compilers that it starts: none of them outlives a run that is stopped.

use crate::budget::Budget;
use crate::errors::{InputError, Stopped, StoppedEarly};
use crate::run::CudaSides;
use serde::Deserialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use witness::format::SourceFlags;

const NAME: &str = "raddle-frontend";
/// Names another front end than the one beside this program.
const VARIABLE: &str = "RADDLE_FRONTEND";
const HEADER: &str = include_str!("../../raddle/include/raddle.h");
/// Comes before it.
const CUDA_FLAG: &str = "--cuda";
/// The directory of the headers for CUDA, in that of `raddle.h`.
const CUDA: &str = "cuda";

macro_rules! cuda_headers {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("cuda/", $name), include_str!(concat!("../../raddle/include/cuda/", $name)))),*]
    };
}

const CUDA_HEADERS: &[(&str, &str)] = cuda_headers![
    "cooperative_groups.h",
    "cuda/atomic",
    "cuda/std/atomic",
    "cuda.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "raddle_cuda.h",
    "raddle_cuda_host.h",
    "sm_20_atomic_functions.h",
    "vector_functions.h",
    "vector_types.h",
];

/// How the front end says that it failed.
#[derive(Debug, Deserialize)]
struct Failure {
    kind: String,
    message: String,
    file: Option<String>,
    line: Option<u32>,
}

/// Has the compiler warn of nothing.
const QUIET: &str = "-w";

/// What `raddle-frontend version` prints.
#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    pub raddle_frontend: String,
    pub ir: u32,
    pub llvm: String,
    pub clang: Option<String>,
    pub clang_path: Option<PathBuf>,
}

/// The front end: named by the environment, else beside this program.
///
/// # Errors
/// When there is none.
pub fn find() -> Result<PathBuf, InputError> {
    let path = match std::env::var_os(VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => {
            // Links are followed: the front end lies beside the program, not beside a link to it.
            let own = std::env::current_exe().and_then(|path| path.canonicalize());
            own.unwrap_or_default().with_file_name(NAME)
        }
    };
    if path.is_file() {
        return Ok(path);
    }
    let message = format!("{NAME} was not found at {}; `make build` puts it there", path.display());
    Err(InputError::new("frontend_missing", message))
}

/// Where results are kept between runs. `None` without a home.
pub fn cache_directory() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("raddle"))
}

/// A directory that holds `raddle.h`.
pub enum Include {
    Kept(PathBuf),
    /// Gone when dropped.
    Temporary(tempfile::TempDir),
}

impl Include {
    /// In the cache, so that it has one path in every run; in a temporary directory where that cannot be written.
    ///
    /// # Errors
    /// When neither can be written.
    pub fn create(cache: Option<&Path>) -> std::io::Result<Self> {
        if let Some(directory) = cache.map(|cache| cache.join("include")) {
            // Another raddle may write it at the same time; each writes a whole file.
            if std::fs::create_dir_all(&directory).and_then(|()| write_header(&directory)).is_ok() {
                return Ok(Include::Kept(directory));
            }
        }
        let directory = tempfile::Builder::new().prefix("raddle-").tempdir()?;
        write_header(directory.path())?;
        Ok(Include::Temporary(directory))
    }

    pub fn path(&self) -> &Path {
        match self {
            Include::Kept(path) => path,
            Include::Temporary(directory) => directory.path(),
        }
    }
}

fn write_header(directory: &Path) -> std::io::Result<()> {
    write(directory, "raddle.h", HEADER)?;
    CUDA_HEADERS.iter().try_for_each(|(name, text)| write(directory, name, text))
}

fn write(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let path = directory.join(name);
    if std::fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let directory = path.parent().unwrap_or(directory);
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Compiles and lowers, as if run in `directory`: all sources with `flags`, or each with its `own` where there are any.
/// Compiler warnings go to standard error.
///
/// # Errors
/// [`InputError`], or [`StoppedEarly`] when time ran out or the user had enough.
pub fn compile(
    directory: Option<&Path>,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    compile_with(&[], directory, sources, flags, own, budget)
}

/// As [`compile`], of CUDA.
///
/// # Errors
/// As [`compile`].
pub fn compile_cuda(
    sides: CudaSides,
    directory: Option<&Path>,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    let how: &[&OsStr] = match sides {
        CudaSides::Device => &[CUDA_FLAG.as_ref()],
        CudaSides::Both => &["--host".as_ref(), CUDA_FLAG.as_ref()],
    };
    compile_with(how, directory, sources, flags, own, budget)
}

/// As [`compile`], here, with the types of functions that are only declared.
///
/// # Errors
/// As [`compile`].
pub fn compile_with_declarations(
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    compile_with(&["--declarations".as_ref()], None, sources, flags, own, budget)
}

/// Compiles a program of raddle's own with sources that were compiled before: what the compiler warns of there was said then.
///
/// # Errors
/// As [`compile`].
pub fn compile_again(
    directory: Option<&Path>,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    let quiet: Vec<String> = flags.iter().cloned().chain([QUIET.to_owned()]).collect();
    let own: Vec<SourceFlags> = own
        .iter()
        .map(|one| SourceFlags { flags: one.flags.iter().cloned().chain([QUIET.to_owned()]).collect(), ..one.clone() })
        .collect();
    compile(directory, sources, &quiet, &own, budget)
}

/// As [`compile`], of programs that differ in their first source only: what is made of the others is kept in a folder.
///
/// # Errors
/// As [`compile`].
pub fn compile_beside(
    kept: &Path,
    directory: Option<&Path>,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    compile_with(&["--beside".as_ref(), kept.as_os_str()], directory, sources, flags, own, budget)
}

/// `how`: further flags for the front end.
fn compile_with(
    how: &[&OsStr],
    directory: Option<&Path>,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<ir::Module> {
    let program = absolute(find()?);
    let cache = cache_directory().map(absolute);
    let failed = |e: std::io::Error| InputError::new("temporary", format!("no temporary file can be written: {e}"));
    let include = Include::create(cache.as_deref()).map_err(failed)?;
    let output = tempfile::Builder::new().prefix("raddle-").suffix(".rir").tempfile().map_err(failed)?;
    let mut command = Command::new(&program);
    command.arg("compile").args(how);
    if how.last().is_some_and(|flag| *flag == CUDA_FLAG) {
        command.arg(include.path().join(CUDA));
    }
    command.arg("--output").arg(output.path()).arg("--include").arg(include.path());
    if let Some(cache) = &cache {
        command.arg("--cache").arg(cache);
    }
    for (index, source) in sources.iter().enumerate() {
        if let Some(own) = own.get(index) {
            command.arg("--in").arg(&own.directory).arg("--own").arg(own.flags.len().to_string()).args(&own.flags);
        }
        command.arg(unlike_a_flag(source));
    }
    command.arg("--").args(flags);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let (status, stderr) = run(&mut command, budget)?;
    // Somebody ended the front end; our own stop was noticed before.
    if matches!(status.signal(), Some(SIGINT | SIGTERM)) {
        return Err(StoppedEarly(Stopped::Interrupted).into());
    }
    judge(status, &stderr, sources)?;
    // The front end replaces the file, so the open handle would show the old one.
    let bytes = std::fs::read(output.path())
        .map_err(|e| InputError::new("lower", format!("{NAME} ended without a result that can be read: {e}")))?;
    let module = ir::binary::read(&bytes).map_err(|e| {
        let hint = "is it of the same build as raddle?";
        InputError::new("lower", format!("{NAME} at {} wrote something else: {e}; {hint}", program.display()))
    })?;
    Ok(module)
}

/// The front end may run in another directory.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// A path that begins with a dash would be taken for a flag.
fn unlike_a_flag(path: &PathBuf) -> OsString {
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(path).into_os_string(),
        _ => path.clone().into_os_string(),
    }
}

/// Runs to the end, or to the end of the budget. Returns what it wrote to standard error.
fn run(command: &mut Command, budget: &Budget) -> anyhow::Result<(ExitStatus, String)> {
    let cannot = |e: std::io::Error| InputError::new("frontend_missing", format!("{NAME} cannot be run: {e}"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(cannot)?;
    // The group has the number of its first process, which is never above what the kernel's signed type holds.
    RUNNING.store(i32::try_from(child.id()).unwrap_or(0), Ordering::SeqCst);
    let stderr = child.stderr.take();
    // A full pipe would stop the child, so it is read while the child is watched.
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth showing.
        let _ = stderr.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    });
    let status = wait(&mut child, budget);
    if status.is_err() {
        kill_running();
        // It may have ended by itself meanwhile.
        let _ = child.wait();
    }
    RUNNING.store(0, Ordering::SeqCst);
    let status = status?;
    let bytes = reader.join().unwrap_or_default();
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}

/// The process group of the front end that runs; 0: none does.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Ends the front end that runs, and the compilers that it started.
pub fn kill_running() {
    let group = RUNNING.swap(0, Ordering::SeqCst);
    if group > 0 {
        // SAFETY: `kill` takes two numbers and touches no memory of ours. The group is ours: its first process was not
        // waited for yet, so that its number is not used again.
        unsafe {
            libc::kill(-group, libc::SIGKILL);
        }
    }
}

fn wait(child: &mut Child, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        let ended = child.try_wait();
        if let Some(stopped) = budget.stopped() {
            return Err(StoppedEarly(stopped).into());
        }
        match ended {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(InputError::new("lower", format!("{NAME} cannot be waited for: {e}")).into()),
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Turns the end of the front end into a result; passes its notices and warnings on.
fn judge(status: ExitStatus, stderr: &str, sources: &[PathBuf]) -> Result<(), InputError> {
    if status.success() {
        pass_on(stderr);
        return Ok(());
    }
    let trimmed = stderr.trim_end();
    let (before, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let failure = serde_json::from_str::<Failure>(last).ok().filter(|_| status.code() == Some(2));
    if let Some(Failure { kind, message, file, line }) = failure {
        pass_on(before);
        return Err(InputError::new(kind, message).at(file, line));
    }
    pass_on(stderr);
    let names: Vec<String> = sources.iter().map(|s| s.display().to_string()).collect();
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("crashed (signal {signal})"),
        (None, Some(code)) => format!("failed (exit code {code})"),
        (None, None) => "failed".to_owned(),
    };
    let message = format!("the front end {how} on {}", names.join(", "));
    let error = InputError::new("frontend_crashed", message);
    Err(match sources {
        [only] => error.in_file(only),
        _ => error,
    })
}

fn pass_on(text: &str) {
    let text = text.trim_end();
    if !text.is_empty() {
        // Without a standard error there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "{}", report::printable(text));
    }
}

/// Asks the front end for its version and what it finds.
///
/// # Errors
/// When it does not answer; the message says what it printed instead.
pub fn version(program: &Path) -> Result<Version, InputError> {
    let failed =
        |why: String| InputError::new("frontend_missing", format!("{} does not run: {why}", program.display()));
    let output =
        Command::new(program).arg("version").stdin(Stdio::null()).output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(failed(text.lines().next().unwrap_or("no message").to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| failed(format!("unexpected answer: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(raw: i32, stderr: &str) -> String {
        let result = judge(ExitStatus::from_raw(raw), stderr, &["a.c".into()]);
        result.map_or_else(|e| format!("{e:?}"), |()| "fine".to_owned())
    }

    #[test]
    fn the_protocol_is_understood() {
        // The raw status is the exit code in the second byte, the signal in the first.
        assert_eq!(judged(0, "warning: x\n"), "fine");
        let failure = judged(2 << 8, "note\n{\"kind\":\"compile\",\"message\":\"m\",\"file\":\"b.c\",\"line\":7}\n");
        let expected = InputError::new("compile", "m").at(Some("b.c".into()), Some(7));
        assert_eq!(failure, format!("{expected:?}"));
        assert!(judged(11, "").contains("the front end crashed (signal 11) on a.c"));
        assert!(judged(2 << 8, "no json").contains("failed (exit code 2) on a.c"));
        // Exit code 127: the dynamic loader did not find LLVM.
        assert!(judged(127 << 8, "{\"kind\":\"x\",\"message\":\"m\"}").contains("failed (exit code 127)"));
    }

    #[test]
    fn the_header_is_written_once_and_repaired() -> std::io::Result<()> {
        let cache = tempfile::tempdir()?;
        let include = Include::create(Some(cache.path()))?;
        let header = include.path().join("raddle.h");
        assert!(header.starts_with(cache.path()));
        assert_eq!(std::fs::read_to_string(&header)?, HEADER);
        std::fs::write(&header, "damaged")?;
        Include::create(Some(cache.path()))?;
        assert_eq!(std::fs::read_to_string(&header)?, HEADER);
        Ok(())
    }

    #[test]
    fn without_a_cache_the_header_is_temporary() -> std::io::Result<()> {
        let file = tempfile::NamedTempFile::new()?;
        // No directory can be made below a file.
        let include = Include::create(Some(file.path()))?;
        let path = include.path().to_owned();
        assert!(matches!(include, Include::Temporary(_)) && path.join("raddle.h").is_file());
        drop(include);
        assert!(!path.exists());
        Ok(())
    }

    #[test]
    fn paths_are_no_flags() {
        assert_eq!(unlike_a_flag(&"-x.c".into()), "./-x.c");
        assert_eq!(unlike_a_flag(&"a/-x.c".into()), "a/-x.c");
    }
}
