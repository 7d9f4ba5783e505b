//! HyperQueue by its Python package, `pip install hyperqueue`, which has the engine whole and no program `hq`: a Python process
//! holds a connection, or server and workers as well, and is spoken to by lines of JSON (`bridge.py`).

use super::{PINNED, Server, first_paragraph};
use crate::engine::{End, Engine, EngineError, Status, Task, TaskNumber};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

const BRIDGE: &str = include_str!("bridge.py");
const PYTHON: &str = "python3";

/// How long an answer may take, and how long Python, a server and workers may take to be there where the machine has much else to do.
const PATIENCE: Duration = Duration::from_secs(30);
const START: Duration = Duration::from_secs(120);

/// A connection by the package.
pub(super) struct Wheel {
    server: Server,
    bridge: Option<Bridge>,
}

struct Bridge {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    /// Of an own server.
    _folder: Option<TempDir>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer {
    ended: Vec<(u64, Option<String>)>,
    cores: Option<usize>,
    missing: Option<String>,
    unfit: Option<String>,
    error: Option<String>,
}

/// The package's version, if Python has it.
pub(super) fn version() -> Option<String> {
    let asked =
        Command::new(PYTHON).args(["-c", "import hyperqueue; print(hyperqueue.get_version())"]).output().ok()?;
    let version = String::from_utf8_lossy(&asked.stdout).trim().trim_start_matches('v').to_owned();
    (asked.status.success() && !version.is_empty()).then_some(version)
}

impl Wheel {
    /// # Errors
    /// When Python or the package is missing, or the server does not answer.
    pub(super) fn start(server: Server) -> Result<Self, EngineError> {
        let bridge = Bridge::start(&server)?;
        Ok(Wheel { server, bridge: Some(bridge) })
    }

    fn ask(&mut self, request: &Value) -> Result<Answer, EngineError> {
        let Some(bridge) = &mut self.bridge else { return Err(self.server.unreachable("it has ended".to_owned())) };
        bridge.ask(request).map_err(|why| self.server.unreachable(why))
    }
}

impl Bridge {
    fn start(server: &Server) -> Result<Self, EngineError> {
        let own = matches!(server, Server::Own { .. }).then(super::own_folder).transpose()?;
        let (mode, folder, workers) = match (server, &own) {
            (Server::Own { workers }, Some(folder)) => ("own", folder.path().display().to_string(), workers.get()),
            (Server::At(Some(folder)), _) => ("at", folder.display().to_string(), 0),
            _ => ("at", String::new(), 0),
        };
        let mut child = Command::new(PYTHON)
            .args(["-c", BRIDGE, mode, &folder, &workers.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for raddle alone.
            .process_group(0)
            .spawn()?;
        let (requests, answered) = (child.stdin.take(), child.stdout.take());
        let (sender, answers) = channel();
        let read = move || {
            let lines = BufReader::new(answered.ok_or(io::ErrorKind::BrokenPipe)?).lines();
            for line in lines {
                if sender.send(line?).is_err() {
                    break;
                }
            }
            Ok::<(), io::Error>(())
        };
        std::thread::Builder::new().name("hyperqueue".to_owned()).spawn(read)?;
        let bridge = Bridge { child, requests, answers, _folder: own };
        match bridge.answer(START) {
            Ok(Answer { missing: Some(_), .. }) => Err(super::missing()),
            Ok(Answer { unfit: Some(why), .. }) => Err(EngineError::Missing(format!(
                "HyperQueue's Python package {why}; `pip install hyperqueue=={PINNED}` installs the one that raddle is tested with"
            ))),
            Ok(Answer { error: Some(why), .. }) | Err(why) => Err(server.unreachable(first_paragraph(&why))),
            Ok(_) => Ok(bridge),
        }
    }

    fn ask(&mut self, request: &Value) -> Result<Answer, String> {
        let requests = self.requests.as_mut().ok_or("it has ended")?;
        writeln!(requests, "{request}").and_then(|()| requests.flush()).map_err(|e| e.to_string())?;
        match self.answer(PATIENCE)? {
            Answer { error: Some(why), .. } => Err(first_paragraph(&why)),
            answer => Ok(answer),
        }
    }

    fn answer(&self, patience: Duration) -> Result<Answer, String> {
        let line = self.answers.recv_timeout(patience).map_err(|why| match why {
            RecvTimeoutError::Timeout => format!("no answer within {} s", patience.as_secs()),
            RecvTimeoutError::Disconnected => "its Python process has ended".to_owned(),
        })?;
        serde_json::from_str(&line).map_err(|_| format!("not an answer: {line}"))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // It ends with its standard input.
        self.requests = None;
        super::end(&mut self.child);
    }
}

impl Engine for Wheel {
    fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|task| json!({ "number": task.number.0, "command": task.command, "errors": task.errors }))
            .collect();
        self.ask(&json!({ "submit": tasks })).map(drop)
    }

    fn follow(&mut self) -> Result<Status, EngineError> {
        let Answer { ended, cores, .. } = self.ask(&json!({ "follow": null }))?;
        let end = |(number, why): (u64, Option<String>)| (TaskNumber(number), why.map_or(End::Done, End::Failed));
        Ok(Status { ended: ended.into_iter().map(end).collect(), cores })
    }

    fn again(&mut self) -> Result<(), EngineError> {
        self.bridge = None;
        self.bridge = Some(Bridge::start(&self.server)?);
        Ok(())
    }

    fn cancel(&mut self) {
        // The package cannot take tasks back: those for others' workers end when they find no part.
        if matches!(self.server, Server::Own { .. }) {
            self.bridge = None;
        }
    }
}
