//! A folder of SV-COMP's tasks: raddle on each, its verdicts against the expected ones.
//!
//! What a task came to is written down at once, so that a run that is stopped goes on where it was.

mod table;
mod task;

use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use task::{Share, Task};

/// `cargo xtask svcomp`
#[derive(Args)]
pub(crate) struct SvcompOptions {
    /// The folder with tasks (.yml) and programs
    folder: PathBuf,
    /// The property, by the name of its file without .prp: no-data-race, unreach-call, valid-memsafety
    #[arg(long, default_value = "no-data-race")]
    property: String,
    /// Seconds for each task
    #[arg(long, default_value_t = 60)]
    max_time: u64,
    /// Mebibytes for each task
    #[arg(long, default_value_t = 8000)]
    max_memory: u64,
    /// Tasks at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Which tasks: those to develop on, those that are kept back (a quarter, by the name's SHA-1), or all
    #[arg(long, value_enum, default_value = "development")]
    share: Share,
    /// Only tasks whose names contain one of these
    #[arg(long)]
    only: Vec<String>,
    /// One of so many tasks of the share, spread evenly
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// What tasks came to, a line each; those that are there are not run again
    #[arg(long, default_value = "target/svcomp.jsonl")]
    results: PathBuf,
    /// More arguments for raddle
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// What raddle says of a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    True,
    False,
    Unknown,
}

/// One line of the results.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outcome {
    task: String,
    property: String,
    expected: bool,
    answer: Answer,
    /// Of an unknown: the first thing that was lost, or the error.
    reason: Option<String>,
    seconds: f64,
}

impl Outcome {
    fn is_wrong(&self) -> bool {
        self.answer == if self.expected { Answer::False } else { Answer::True }
    }
}

/// Runs the tasks that have no outcome yet, and prints all outcomes. False when any is wrong.
pub(crate) fn run(options: &SvcompOptions) -> anyhow::Result<bool> {
    let (tasks, unreadable) = task::find(&options.folder, &options.property)?;
    for (file, why) in &unreadable {
        eprintln!("not a task: {}: {why}", file.display());
    }
    let wanted = |task: &&Task| {
        options.share.has(&task.name)
            && (options.only.is_empty() || options.only.iter().any(|part| task.name.contains(part.as_str())))
    };
    let tasks: Vec<&Task> = tasks.iter().filter(wanted).step_by(options.every.max(1)).collect();
    anyhow::ensure!(!tasks.is_empty(), "no task in {} has the property {}", options.folder.display(), options.property);
    let known = earlier(&options.results)?;
    let is_known = |task: &Task| known.contains_key(&(task.name.clone(), options.property.clone()));
    let left: Vec<&Task> = tasks.iter().copied().filter(|task| !is_known(task)).collect();
    println!("{} tasks, {} of them to run, {} files that are none", tasks.len(), left.len(), unreadable.len());
    carry_out(options, &left)?;
    let known = earlier(&options.results)?;
    let outcomes: Vec<&Outcome> =
        tasks.iter().filter_map(|task| known.get(&(task.name.clone(), options.property.clone()))).collect();
    println!("{}", table::render(&outcomes));
    Ok(!outcomes.iter().any(|outcome| outcome.is_wrong()))
}

/// What is written down, the last of each task.
fn earlier(results: &Path) -> anyhow::Result<BTreeMap<(String, String), Outcome>> {
    let Ok(file) = File::open(results) else { return Ok(BTreeMap::new()) };
    let mut known = BTreeMap::new();
    for line in BufReader::new(file).lines() {
        // A line may have been cut off.
        if let Ok(outcome) = serde_json::from_str::<Outcome>(&line?) {
            known.insert((outcome.task.clone(), outcome.property.clone()), outcome);
        }
    }
    Ok(known)
}

/// Runs tasks, so many at once, and writes down what each came to.
fn carry_out(options: &SvcompOptions, tasks: &[&Task]) -> anyhow::Result<()> {
    if let Some(folder) = options.results.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let results = OpenOptions::new().create(true).append(true).open(&options.results);
    let results = Mutex::new(results.with_context(|| format!("{} cannot be written", options.results.display()))?);
    let scratch = tempfile::tempdir()?;
    let property = scratch.path().join(format!("{}.prp", options.property));
    std::fs::write(&property, task::statement(&options.property)?)?;
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for worker in 0..options.jobs.max(1) {
            let (next, failed, results, property) = (&next, &failed, &results, &property);
            let out = scratch.path().join(format!("out{worker}"));
            scope.spawn(move || {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = judge(options, task, property, &out).and_then(|outcome| {
                        print(&outcome);
                        let line = serde_json::to_string(&outcome)? + "\n";
                        let mut file = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        Ok(file.write_all(line.as_bytes())?)
                    });
                    if let Err(error) = done {
                        failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                        return;
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
}

fn print(outcome: &Outcome) {
    let Outcome { task, answer, expected, reason, seconds, .. } = outcome;
    let mark = if outcome.is_wrong() { "WRONG" } else { "" };
    let reason = reason.as_deref().unwrap_or_default();
    println!("{mark:5} {answer:7?} (expected {expected:5}) {seconds:6.1} s  {task}  {reason}");
}

/// Beyond the limit, until raddle is killed.
const GRACE: Duration = Duration::from_secs(20);

/// What raddle says of a task.
fn judge(options: &SvcompOptions, task: &Task, property: &Path, out: &Path) -> anyhow::Result<Outcome> {
    let raddle = std::env::current_exe()?.with_file_name("raddle");
    let started = Instant::now();
    let printed = out.with_extension("json");
    std::fs::create_dir_all(out)?;
    let mut child = Command::new(&raddle)
        .arg("check")
        .args(&task.sources)
        .args(["--property".as_ref(), property.as_os_str(), "--out".as_ref(), out.as_os_str()])
        .args(["--data-model", task.data_model.name(), "--memory", "sc", "--stop-on-finding", "--no-store"])
        .args(["--format", "json", "--max-time", &options.max_time.to_string()])
        .args(["--max-memory", &options.max_memory.to_string(), "--workers", "1"])
        .args(&options.arguments)
        .args(["--", "-w"])
        .args(task.is_old.then_some("-fgnu89-inline"))
        .stdin(Stdio::null())
        .stdout(File::create(&printed)?)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} does not run: make build", raddle.display()))?;
    let most = Duration::from_secs(options.max_time) + GRACE;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if started.elapsed() > most => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let report: serde_json::Value =
        serde_json::from_reader(BufReader::new(File::open(&printed)?)).unwrap_or(serde_json::Value::Null);
    let answer = match status.and_then(|status| status.code()) {
        Some(0) => Answer::True,
        Some(10) => Answer::False,
        _ => Answer::Unknown,
    };
    let reason = match answer {
        Answer::False => finding(&report),
        Answer::Unknown => Some(loss(&report).unwrap_or_else(|| format!("{status:?}"))),
        Answer::True => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Outcome {
        task: task.name.clone(),
        property: options.property.clone(),
        expected: task.expected,
        answer,
        reason,
        seconds,
    })
}

/// Where the first finding is.
fn finding(report: &serde_json::Value) -> Option<String> {
    let first = report["findings"].as_array()?.first()?;
    let at = |place: &serde_json::Value| format!("{}:{}", place["function"].as_str().unwrap_or("?"), place["line"]);
    let sides: Vec<String> = first["accesses"].as_array().into_iter().flatten().map(at).collect();
    let sides = if sides.is_empty() { at(&first["location"]) } else { sides.join(" and ") };
    Some(format!("{} {sides}", first["kind"].as_str().unwrap_or("?")))
}

/// The first thing that was lost, or what went wrong. That time is over says least.
fn loss(report: &serde_json::Value) -> Option<String> {
    if let Some(message) = report["error"]["message"].as_str() {
        let kind = report["error"]["kind"].as_str().unwrap_or("?");
        return Some(format!("error {kind}: {}", message.lines().next().unwrap_or_default()));
    }
    let lines = report["ledger"].as_array()?;
    let is_time = |line: &&serde_json::Value| matches!(line["kind"].as_str(), Some("time" | "memory"));
    let line = lines.iter().find(|line| !is_time(line)).or_else(|| lines.first())?;
    let text = |key: &str| line[key].as_str().unwrap_or_default();
    Some(format!("{} {} ({})", text("kind"), text("where"), text("remedy")))
}
