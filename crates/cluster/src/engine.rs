//! What an engine does for raddle: it runs commands on its workers.

use std::io;
use std::path::PathBuf;

/// What tells tasks apart. Never used twice by one who gives tasks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskNumber(pub u64);

/// A command for one core of some worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    pub number: TaskNumber,
    /// The program first, with its whole path.
    pub command: Vec<String>,
    /// The file that its standard error goes to.
    pub errors: PathBuf,
}

/// How a task ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With exit code 0.
    Done,
    /// In another way: in the engine's words.
    Failed(String),
    /// The engine knows nothing of it any more.
    Lost,
}

/// What is new.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// Tasks that ended, each told once.
    pub ended: Vec<(TaskNumber, End)>,
    /// Cores of all workers; none where the engine does not say.
    pub cores: Option<usize>,
}

/// Runs commands. A task that it is given is run, on some worker, as often as it takes, or is told as [`End::Failed`] or [`End::Lost`].
pub trait Engine {
    /// Gives it tasks.
    ///
    /// # Errors
    /// When it does not take them: then it has none of them, or all count as lost.
    fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError>;

    /// What is new since it was asked last. Does not wait.
    ///
    /// # Errors
    /// When it does not answer.
    fn follow(&mut self) -> Result<Status, EngineError>;

    /// After an error: makes it work again, if that can be. Whatever it had is lost to us.
    ///
    /// # Errors
    /// When it does not answer yet.
    fn again(&mut self) -> Result<(), EngineError>;

    /// Nothing that it was given need be done any more.
    fn cancel(&mut self);
}

/// An engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{0}")]
    Missing(String),
    #[error("{place}: the server does not answer: {why}")]
    Unreachable { place: String, why: String },
    #[error("HyperQueue: {0}")]
    Refused(String),
    #[error("HyperQueue cannot be started: {0}")]
    Io(#[from] io::Error),
}
