//! HyperQueue (<https://it4innovations.github.io/hyperqueue>): a server, workers on any machines, and a folder by which
//! those who have it may speak to the server.
//!
//! It is spoken to by its program, `hq`, or where that is missing by its Python package: the same engine, behind two doors.
//! Where a server runs, that is used; else one is started with workers on this machine, and ended with them.
//!
//! Guarantee: what was started here ends with this process, however that ends.

mod program;
mod wheel;

use crate::engine::{Engine, EngineError, Status, Task};
use program::Program;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wheel::Wheel;

/// The version of the Python package that raddle's tests run with.
pub const PINNED: &str = "0.27.0";

/// Names the folder of a server.
const FOLDER_VARIABLE: &str = "HQ_SERVER_DIR";
/// Where servers keep that, in the user's home, if nothing else is said.
const FOLDER: &str = ".hq-server";
/// In it, the server that runs.
const CURRENT: &str = "hq-current";

/// Which server is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Server {
    /// One that runs: its folder; none: the usual one.
    At(Option<PathBuf>),
    /// One of our own, with workers on this machine of one core each.
    Own { workers: NonZeroUsize },
}

impl Server {
    /// The one that runs, as far as its folder says.
    pub fn running() -> Option<Server> {
        if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
            return Some(Server::At(Some(PathBuf::from(folder))));
        }
        let usual = PathBuf::from(std::env::var_os("HOME")?).join(FOLDER);
        usual.join(CURRENT).exists().then_some(Server::At(None))
    }

    fn place(&self) -> String {
        match self {
            Server::At(Some(folder)) => folder.display().to_string(),
            Server::At(None) => format!("~/{FOLDER}"),
            Server::Own { .. } => "HyperQueue on this machine".to_owned(),
        }
    }

    fn unreachable(&self, why: String) -> EngineError {
        let why = match self {
            Server::At(_) => format!(
                "{why}; `hq server start` starts one, and where none is named (HQ_SERVER_DIR) or runs, raddle starts its own"
            ),
            Server::Own { .. } => why,
        };
        EngineError::Unreachable { place: self.place(), why }
    }
}

/// What there is of HyperQueue on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The version of its program.
    pub program: Option<String>,
    /// The version of its Python package.
    pub package: Option<String>,
    /// The folder of a server, if one runs as far as that says.
    pub server: Option<String>,
}

/// Sees what there is.
pub fn look() -> Found {
    let server = Server::running().map(|server| server.place());
    Found { program: program::version(), package: wheel::version(), server }
}

/// The engine.
pub struct HyperQueue(Box<dyn Engine>);

impl HyperQueue {
    /// Speaks to a server that runs, or starts one.
    ///
    /// # Errors
    /// When HyperQueue is not installed, or the server does not answer.
    pub fn start(server: Server) -> Result<Self, EngineError> {
        if program::version().is_some() {
            return Ok(HyperQueue(Box::new(Program::start(server)?)));
        }
        match Wheel::start(server) {
            Ok(wheel) => Ok(HyperQueue(Box::new(wheel))),
            Err(EngineError::Io(e)) if e.kind() == io::ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(error),
        }
    }
}

fn missing() -> EngineError {
    EngineError::Missing(format!(
        "HyperQueue is not installed: there is no program `hq` on PATH, and python3 has no package `hyperqueue`; \
         `pip install hyperqueue=={PINNED}` installs it"
    ))
}

impl Engine for HyperQueue {
    fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
        self.0.submit(tasks)
    }

    fn follow(&mut self) -> Result<Status, EngineError> {
        self.0.follow()
    }

    fn again(&mut self) -> Result<(), EngineError> {
        self.0.again()
    }

    fn cancel(&mut self) {
        self.0.cancel();
    }
}

/// What an error says before it comes to its causes.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.starts_with("Stack backtrace"));
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty() && *line != "Caused by:").collect();
    lines.join(": ")
}

/// A folder for a server of our own, which holds its keys: for this user alone.
fn own_folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("raddle-hq-").tempdir()
}

/// How long what was started may take to end by itself.
const ENDING: Duration = Duration::from_secs(3);

/// Waits for a process that was told to end; kills it if it does not.
fn end(child: &mut Child) {
    let until = Instant::now() + ENDING;
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// What the user typed a path for, as a worker elsewhere finds it.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
