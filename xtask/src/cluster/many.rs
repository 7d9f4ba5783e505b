//! A million parts at once: what HyperQueue's server takes that has so many tasks, and what raddle takes for a search of so many.
//!
//! `--cluster hq` gives the server two tasks for each core, so the first says what would be if it gave all of them. A search of a million parts is one
//! of a library: every two of its operations are at least one.

use super::faults::descendants;
use super::raddle;
use ::cluster::{Engine, HyperQueue, Server, Task, TaskNumber};
use anyhow::{Context, ensure};
use clap::Args;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct ManyOptions {
    /// Tasks that the server is given
    #[arg(long, default_value_t = 1_000_000)]
    tasks: u64,
    /// Operations of the library; every two of them, and each with itself, are a part
    #[arg(long, default_value_t = 1413)]
    operations: u64,
    /// Seconds that the library is searched for on HyperQueue
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// Tasks that are given at once.
const AT_ONCE: u64 = 10_000;

/// Prints what was measured.
pub(crate) fn run(options: &ManyOptions) -> anyhow::Result<bool> {
    if options.tasks > 0 {
        server(options.tasks)?;
    }
    if options.operations > 0 {
        library(options)?;
    }
    Ok(true)
}

/// Gives a server of our own so many tasks, of which its worker does one.
fn server(tasks: u64) -> anyhow::Result<()> {
    let mut engine = HyperQueue::start(Server::Own { workers: NonZeroUsize::MIN })?;
    let (begun, at_first) = (Instant::now(), resident());
    println!("HyperQueue: {} MiB without tasks", at_first >> 20);
    for first in (0..tasks).step_by(AT_ONCE as usize) {
        let task = |number| Task {
            number: TaskNumber(number),
            command: ["/bin/sleep", "100000"].map(str::to_owned).to_vec(),
            errors: "/dev/null".into(),
        };
        let some: Vec<Task> = (first..(first + AT_ONCE).min(tasks)).map(task).collect();
        engine.submit(&some)?;
        let given = first + some.len() as u64;
        if given == tasks || given.is_multiple_of(tasks.div_ceil(10).next_multiple_of(AT_ONCE)) {
            println!(
                "{given} tasks: {} MiB, {:.0} bytes for each, {:.1} s",
                resident() >> 20,
                resident().saturating_sub(at_first) as f64 / given as f64,
                begun.elapsed().as_secs_f64()
            );
        }
    }
    let asked = Instant::now();
    engine.follow()?;
    println!("a look at all of them takes {:.1} s", asked.elapsed().as_secs_f64());
    engine.cancel();
    Ok(())
}

/// Of all processes that this one started, in bytes.
fn resident() -> u64 {
    let of = |id: u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    descendants(std::process::id()).into_iter().filter_map(|(id, _)| of(id)).sum::<u64>() * 1024
}

/// A library of operations that write one of eight members each.
fn write_library(path: &Path, operations: u64) -> anyhow::Result<()> {
    let mut text = "struct many { int member[8]; };\n".to_owned();
    for number in 0..operations {
        writeln!(text, "void f{number}(struct many *m) {{ m->member[{}] += {}; }}", number % 8, number % 5)?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

fn library(options: &ManyOptions) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let (source, log) = (scratch.path().join("many.c"), scratch.path().join("log"));
    write_library(&source, options.operations)?;
    let pairs = options.operations * (options.operations + 1) / 2;
    let made = Command::new(raddle()?)
        .args(["races", "many.c", "--cluster", "hq", "--no-remedies", "--format", "json"])
        .args(["--max-time", &options.seconds.to_string()])
        .current_dir(scratch.path())
        .env("RADDLE_STORE", "off")
        .env("RADDLE_SHIPPING_LOG", &log)
        .output()?;
    let report: Value = serde_json::from_slice(&made.stdout).context("no report")?;
    ensure!(report["error"].is_null(), "{}", report["error"]);
    let lines = fs::read_to_string(log)?;
    let lines: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let sum = |name: &str| lines.iter().filter_map(|line| line[name].as_u64()).sum::<u64>();
    let parts = lines.iter().filter(|line| line["part"].is_u64()).count() as u64;
    let largest = lines.iter().filter_map(|line| line["part"].as_u64()).max().unwrap_or(0);
    println!(
        "a library of {pairs} pairs for {} s: raddle takes {} MiB; {parts} files of parts, the largest of {largest} bytes, {} bytes for each \
         of {} pairs in them; {} pairs came back",
        options.seconds,
        report["stats"]["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
        sum("part")
            / lines
                .iter()
                .filter(|line| line["part"].is_u64())
                .filter_map(|line| line["things"].as_u64())
                .sum::<u64>()
                .max(1),
        lines.iter().filter(|line| line["part"].is_u64()).filter_map(|line| line["things"].as_u64()).sum::<u64>(),
        lines
            .iter()
            .filter(|line| line["came_back"].is_array())
            .filter_map(|line| line["things"].as_u64())
            .sum::<u64>()
    );
    Ok(())
}
