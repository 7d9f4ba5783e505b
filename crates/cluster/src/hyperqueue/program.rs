//! HyperQueue by its program, `hq`: each request is one run of it, answered in JSON (`--output-mode json`).

use super::{Server, absolute, first_paragraph};
use crate::engine::{End, Engine, EngineError, Status, Task, TaskNumber};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

const HQ: &str = "hq";

/// How long an own server may take to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

/// How often it is asked for its workers.
const WORKERS_EVERY: Duration = Duration::from_secs(5);

/// Runs a program until it ends, or standard input does: so it ends with the process that started it, however that ended.
const UNTIL_EOF: &str =
    r#"exec 3<&0; "$@" 3<&- </dev/null & child=$!; { cat <&3; kill "$child"; } >/dev/null 2>&1 & wait "$child""#;

/// The program's version, if it is there.
pub(super) fn version() -> Option<String> {
    let asked = Command::new(HQ).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&asked.stdout);
    // `hyperqueue 0.27.0`; other programs are called hq, too.
    let version = text.trim().strip_prefix("hyperqueue ")?.trim_start_matches('v').to_owned();
    asked.status.success().then_some(version)
}

/// A connection by the program.
pub(super) struct Program {
    server: Server,
    own: Option<Own>,
    /// The engine's jobs, with what their tasks are called there and here; only tasks that have not ended.
    jobs: BTreeMap<u64, BTreeMap<u32, TaskNumber>>,
    cores: Option<usize>,
    asked_for_cores: Option<Instant>,
}

/// What was started here.
struct Own {
    folder: TempDir,
    server: Child,
    workers: Vec<Child>,
}

/// A job for `hq job submit-file`.
#[derive(Serialize)]
struct JobFile<'a> {
    name: &'static str,
    task: Vec<JobTask<'a>>,
}

#[derive(Serialize)]
struct JobTask<'a> {
    id: u32,
    command: &'a [String],
    cwd: &'static str,
    stdout: &'static str,
    /// Just a path: what goes with one is called otherwise from version to version.
    stderr: String,
}

#[derive(Deserialize)]
struct Submitted {
    id: u64,
}

#[derive(Deserialize)]
struct Listed {
    id: u32,
    state: String,
    #[serde(default)]
    error: Option<String>,
}

impl Program {
    /// # Errors
    /// When the server does not answer, or cannot be started.
    pub(super) fn start(server: Server) -> Result<Self, EngineError> {
        let mut program = Program { server, own: None, jobs: BTreeMap::new(), cores: None, asked_for_cores: None };
        program.again()?;
        Ok(program)
    }

    /// A run of the program, about our server.
    fn command(&self) -> Command {
        let mut command = Command::new(HQ);
        match (&self.own, &self.server) {
            (Some(own), _) => command.arg("--server-dir").arg(own.folder.path()),
            (None, Server::At(Some(folder))) => command.arg("--server-dir").arg(folder),
            (None, _) => &mut command,
        };
        command.args(["--output-mode", "json"]).stdin(Stdio::null()).process_group(0);
        command
    }

    /// What it answers.
    fn ask(&self, arguments: &[&str]) -> Result<Value, EngineError> {
        let asked = self.command().args(arguments).output()?;
        let answer: Value = serde_json::from_slice(&asked.stdout).unwrap_or_default();
        match answer.get("error").and_then(Value::as_str) {
            Some(why) => Err(self.server.unreachable(first_paragraph(why))),
            None if !asked.status.success() => {
                let why = String::from_utf8_lossy(&asked.stderr).trim().to_owned();
                Err(self.server.unreachable(if why.is_empty() { asked.status.to_string() } else { why }))
            }
            None => Ok(answer),
        }
    }

    /// Starts a server and workers of our own.
    fn start_own(&mut self, workers: usize) -> Result<(), EngineError> {
        let folder = super::own_folder()?;
        let server = until_eof(folder.path(), &["server", "start"])?;
        self.own = Some(Own { folder, server, workers: Vec::new() });
        let until = Instant::now() + PATIENCE;
        while let Err(error) = self.ask(&["server", "info"]) {
            if Instant::now() >= until || self.has_ended() {
                return Err(error);
            }
            std::thread::sleep(PAUSE);
        }
        let Some(own) = &mut self.own else { return Ok(()) };
        for _ in 0..workers {
            own.workers.push(worker(&own.folder)?);
        }
        self.cores = Some(workers);
        Ok(())
    }

    fn has_ended(&mut self) -> bool {
        self.own.as_mut().is_some_and(|own| !matches!(own.server.try_wait(), Ok(None)))
    }

    /// Replaces workers of our own that have ended.
    fn keep_workers(&mut self) -> io::Result<()> {
        let Some(own) = &mut self.own else { return Ok(()) };
        for one in &mut own.workers {
            if !matches!(one.try_wait(), Ok(None)) {
                *one = worker(&own.folder)?;
            }
        }
        Ok(())
    }

    fn look_for_cores(&mut self) {
        let is_due = self.asked_for_cores.is_none_or(|last| last.elapsed() >= WORKERS_EVERY);
        if self.own.is_none() && is_due {
            let workers = self.ask(&["worker", "list"]).ok();
            self.cores = workers.as_ref().and_then(Value::as_array).map(|all| all.iter().map(cores).sum());
            self.asked_for_cores = Some(Instant::now());
        }
    }
}

fn worker(folder: &TempDir) -> io::Result<Child> {
    until_eof(folder.path(), &["worker", "start", "--cpus", "1"])
}

/// Starts the program in the background.
fn until_eof(folder: &std::path::Path, arguments: &[&str]) -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", UNTIL_EOF, HQ, HQ, "--server-dir"])
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is for raddle alone.
        .process_group(0)
        .spawn()
}

/// The cores that a worker has.
fn cores(worker: &Value) -> usize {
    let resources = worker.pointer("/configuration/resources/resources").and_then(Value::as_array);
    let cpus = resources.into_iter().flatten().find(|resource| resource["name"] == "cpus");
    let many = cpus.and_then(|cpus| match cpus["kind"].as_str()? {
        "range" => Some(cpus["end"].as_u64()?.saturating_sub(cpus["start"].as_u64()?) + 1),
        "list" => Some(cpus["values"].as_array()?.len() as u64),
        "groups" => Some(cpus["groups"].as_array()?.iter().filter_map(Value::as_array).map(|g| g.len() as u64).sum()),
        _ => None,
    });
    // One at the least, or it would not be there.
    many.and_then(|many| usize::try_from(many).ok()).unwrap_or(1).max(1)
}

impl Drop for Own {
    fn drop(&mut self) {
        // Workers end with their server, and tasks with their workers.
        let mut all: Vec<&mut Child> = std::iter::once(&mut self.server).chain(&mut self.workers).collect();
        all.iter_mut().for_each(|child| child.stdin = None);
        all.into_iter().for_each(super::end);
    }
}

impl Engine for Program {
    fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
        let numbered = |(id, task): (u32, &Task)| (id, task.number);
        let file = JobFile {
            name: "raddle",
            task: (0..)
                .zip(tasks)
                .map(|(id, task)| JobTask {
                    id,
                    command: &task.command,
                    cwd: "/",
                    stdout: "none",
                    stderr: absolute(&task.errors),
                })
                .collect(),
        };
        let text = toml::to_string(&file).map_err(|e| EngineError::Refused(e.to_string()))?;
        let file = NamedTempFile::with_suffix(".toml")?;
        std::fs::write(&file, text)?;
        let asked = self.ask(&["job", "submit-file", &file.path().display().to_string()]);
        let answer = asked.map_err(|error| match error {
            // It answers, but not to this.
            EngineError::Unreachable { why, .. } if self.ask(&["server", "info"]).is_ok() => EngineError::Refused(why),
            error => error,
        })?;
        let Submitted { id } = serde_json::from_value(answer).map_err(|e| EngineError::Refused(e.to_string()))?;
        self.jobs.insert(id, (0..).zip(tasks).map(numbered).collect());
        Ok(())
    }

    fn follow(&mut self) -> Result<Status, EngineError> {
        if self.has_ended() {
            return Err(self.server.unreachable("it has ended".to_owned()));
        }
        self.keep_workers()?;
        self.look_for_cores();
        if self.jobs.is_empty() {
            return Ok(Status { ended: Vec::new(), cores: self.cores });
        }
        let ids: Vec<String> = self.jobs.keys().map(u64::to_string).collect();
        let answer = self.ask(&["task", "list", &ids.join(",")])?;
        let listed: BTreeMap<u64, Vec<Listed>> =
            serde_json::from_value(answer).map_err(|e| EngineError::Refused(e.to_string()))?;
        let mut ended = Vec::new();
        let mut over = Vec::new();
        for (job, tasks) in &mut self.jobs {
            let known = listed.get(job);
            for task in known.into_iter().flatten() {
                let end = match task.state.as_str() {
                    "waiting" | "running" => continue,
                    "finished" => End::Done,
                    "failed" => End::Failed(task.error.clone().unwrap_or_default()),
                    _ => End::Lost,
                };
                ended.extend(tasks.remove(&task.id).map(|number| (number, end)));
            }
            if known.is_none() {
                ended.extend(std::mem::take(tasks).into_values().map(|number| (number, End::Lost)));
            }
            if tasks.is_empty() {
                over.push(*job);
            }
        }
        self.jobs.retain(|_, tasks| !tasks.is_empty());
        if !over.is_empty() {
            // What the server remembers of them is of no use to anybody.
            let over: Vec<String> = over.iter().map(u64::to_string).collect();
            let _ = self.ask(&["job", "forget", &over.join(",")]);
        }
        Ok(Status { ended, cores: self.cores })
    }

    fn again(&mut self) -> Result<(), EngineError> {
        self.jobs.clear();
        match self.server {
            Server::At(_) => {
                self.asked_for_cores = None;
                self.ask(&["server", "info"]).map(drop)
            }
            Server::Own { workers } => {
                self.own = None;
                self.start_own(workers.get())
            }
        }
    }

    fn cancel(&mut self) {
        if self.own.take().is_none() && !self.jobs.is_empty() {
            let ids: Vec<String> = self.jobs.keys().map(u64::to_string).collect();
            let _ = self.ask(&["job", "cancel", &ids.join(",")]);
        }
        self.jobs.clear();
    }
}
