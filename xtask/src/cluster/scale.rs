//! What sharing costs: processor time of one process, of as many threads of one and of workers, bytes that are shipped.

use super::{Search, raddle, ran, timeless};
use clap::Args;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct ScaleOptions {
    /// Numbers of workers
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    workers: Vec<u32>,
    #[command(flatten)]
    search: Search,
}

/// Clock ticks of `/proc/PID/stat` in a second, on Linux wherever it runs.
const TICKS: f64 = 100.0;

/// Processor time of all children that ended, and of theirs.
fn children() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // What follows the name: cutime and cstime are fields 16 and 17 of all.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(13) + ticks(14)) / TICKS)
}

/// Whether the reports are the same.
pub(crate) fn run(options: &ScaleOptions) -> anyhow::Result<bool> {
    let (raddle, scratch) = (raddle()?, tempfile::tempdir()?);
    let timed = |flags: &[&str], name: &str| -> anyhow::Result<(Value, i32, Duration, f64)> {
        let out = scratch.path().join(name);
        let (begun, before) = (Instant::now(), children()?);
        let mut command = options.search.command(&raddle, flags, &out);
        let made = ran(command.env("RADDLE_SHIPPING_LOG", scratch.path().join(format!("{name}.log"))))?;
        Ok((timeless(&made.report, &out), made.code, begun.elapsed(), children()? - before))
    };
    let (alone, code, time, cpu) = timed(&["--workers", "1"], "alone")?;
    println!("alone: exit code {code}, {:.1} s, {cpu:.1} s of processor time", time.as_secs_f64());
    let mut all_same = true;
    for &workers in &options.workers {
        let number = workers.to_string();
        let mut told = |what: &str, (report, its, time, its_cpu): (Value, i32, Duration, f64)| {
            let is_same = (its, &report) == (code, &alone);
            all_same &= is_same;
            print!(
                "{workers} {what}: {}, {:.1} s, {its_cpu:.1} s of processor time ({:+.1} %)",
                if is_same { "the same report" } else { "ANOTHER report" },
                time.as_secs_f64(),
                (its_cpu / cpu - 1.0) * 100.0,
            );
        };
        // Cores that are busy at once have a share each of the caches and of the memory's bandwidth: none of that is shipping.
        if workers > 1 {
            told("threads of one process", timed(&["--workers", &number], &format!("threads-{workers}"))?);
            println!();
        }
        let name = format!("with-{workers}");
        told("workers", timed(&["--cluster", "hq", "--workers", &number], &name)?);
        println!("{}", shipped(&fs::read_to_string(scratch.path().join(format!("{name}.log")))?));
    }
    Ok(all_same)
}

/// What the log says of bytes and times.
fn shipped(log: &str) -> String {
    let (mut parts, mut out, mut back, mut tasks, mut took) = (0u64, 0, 0, 0u64, 0.0);
    let mut once = BTreeSet::new();
    for line in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(bytes) = line["part"].as_u64() {
            parts += 1;
            out += bytes;
        }
        back += line["came_back"].as_array().into_iter().flatten().filter_map(Value::as_u64).sum::<u64>();
        tasks += u64::from(line["task"].is_object());
        let task = &line["task"];
        once.extend(task.is_object().then(|| [&task["search"], &task["round"], &task["path"]].map(Value::to_string)));
        took += line["took_in_s"].as_f64().unwrap_or(0.0);
    }
    format!(
        "; {tasks} tasks, {} of them done twice, in {parts} parts: {} bytes of a part go out and {} come back, {} and {} for each task; taking in takes {took:.2} s",
        tasks - once.len() as u64,
        out / parts.max(1),
        back / parts.max(1),
        out / tasks.max(1),
        back / tasks.max(1)
    )
}
