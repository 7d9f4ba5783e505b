//! A server of HyperQueue's and its workers, each in a process of its own as on machines of their own, so that each can be killed alone.

use anyhow::{Context, ensure};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const MACHINE: &str = include_str!("machine.py");

pub(super) struct Machines {
    folder: PathBuf,
    server: Child,
    workers: Vec<Child>,
    /// Folders of workers that there have been.
    made: u32,
}

impl Machines {
    /// # Errors
    /// When they do not start: the Python package is needed.
    pub(super) fn start(folder: &Path, workers: usize) -> anyhow::Result<Self> {
        let folder = folder.to_owned();
        let server = start(&["server", &folder.join("server").display().to_string()])?;
        let mut machines = Machines { folder, server, workers: Vec::new(), made: 0 };
        machines.add_workers(workers)?;
        Ok(machines)
    }

    /// Names the server, as `HQ_SERVER_DIR` does.
    pub(super) fn server_folder(&self) -> PathBuf {
        self.folder.join("server")
    }

    fn add_workers(&mut self, many: usize) -> anyhow::Result<()> {
        for _ in 0..many {
            self.made += 1;
            let [server, own] = [self.server_folder(), self.folder.join(format!("worker-{}", self.made))];
            let words = ["worker", &server.display().to_string(), &own.display().to_string()];
            self.workers.push(start(&words)?);
        }
        Ok(())
    }

    /// Kills the worker that has been there longest, and starts another.
    pub(super) fn replace_worker(&mut self) -> anyhow::Result<()> {
        ensure!(!self.workers.is_empty(), "there is no worker");
        end(&mut self.workers.remove(0));
        self.add_workers(1)
    }

    /// Kills the server alone, and starts it again: it has forgotten all. Its workers, which have lost it, are replaced.
    pub(super) fn restart_server(&mut self) -> anyhow::Result<()> {
        end(&mut self.server);
        self.server = start(&["server", &self.server_folder().display().to_string()])?;
        let many = self.workers.len();
        self.workers.iter_mut().for_each(end);
        self.workers.clear();
        self.add_workers(many)
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        self.workers.iter_mut().for_each(end);
        end(&mut self.server);
    }
}

fn start(words: &[&str]) -> anyhow::Result<Child> {
    let mut command = Command::new("python3");
    command.args(["-c", MACHINE]).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("python3")?;
    let mut said = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut said)?;
    }
    if said.trim() != "there" {
        end(&mut child);
    }
    ensure!(said.trim() == "there", "HyperQueue's Python package starts no {}", words[0]);
    Ok(child)
}

/// By SIGKILL.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
