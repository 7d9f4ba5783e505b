//! One search on HyperQueue's workers while something breaks: the report has to be that of one process all the same.

use super::{Ran, Search, raddle, ran, timeless};
use anyhow::bail;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What breaks, and what is done for that every now and then. The number of times that it happened.
struct Fault {
    name: &'static str,
    every: Duration,
    /// Needs HyperQueue's program: servers and workers are processes of their own there.
    by_program: bool,
    breaks: fn(&Scene) -> bool,
}

/// Where it breaks.
struct Scene<'a> {
    /// The process that has the search.
    raddle: u32,
    out: &'a Path,
}

const FAULTS: [Fault; 5] = [
    Fault { name: "a task is killed every 2 s", every: Duration::from_secs(2), by_program: false, breaks: kill_task },
    Fault {
        name: "a worker is killed every 5 s",
        every: Duration::from_secs(5),
        by_program: true,
        breaks: kill_worker,
    },
    Fault {
        name: "the server is killed every 8 s",
        every: Duration::from_secs(8),
        by_program: true,
        breaks: kill_server,
    },
    Fault {
        name: "a part is cut off every second",
        every: Duration::from_secs(1),
        by_program: false,
        breaks: cut_part,
    },
    Fault {
        name: "a result is cut off every second",
        every: Duration::from_secs(1),
        by_program: false,
        breaks: cut_done,
    },
];

/// Prints a table; whether all reports are the same.
pub(crate) fn run(search: &Search) -> anyhow::Result<bool> {
    let (raddle, scratch) = (raddle()?, tempfile::tempdir()?);
    let out = scratch.path().join("alone");
    let begun = Instant::now();
    let alone = ran(&mut search.command(&raddle, &["--workers", "2"], &out))?;
    let expected = timeless(&alone.report, &out);
    if !alone.report["error"].is_null() {
        bail!("it fails without a cluster: {}", alone.said);
    }
    println!("without a cluster: exit code {}, {:.1} s", alone.code, begun.elapsed().as_secs_f64());
    let has_program = Command::new("hq").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    let mut all_same = true;
    for (index, fault) in FAULTS.iter().enumerate() {
        if fault.by_program && !has_program {
            println!("{}: not tried, there is no program `hq`", fault.name);
            continue;
        }
        let out = scratch.path().join(index.to_string());
        let begun = Instant::now();
        let mut command = search.command(&raddle, &["--cluster", "hq", "--workers", "2"], &out);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (times, ran) = while_it_breaks(child, fault, &out)?;
        let is_same = ran.code == alone.code && timeless(&ran.report, &out) == expected;
        all_same &= is_same && times > 0;
        println!(
            "{}: {times} times; {}, {:.1} s",
            fault.name,
            if is_same { "the same report" } else { "ANOTHER report" },
            begun.elapsed().as_secs_f64()
        );
        if !is_same {
            println!("exit code {}: {} {}", ran.code, ran.report["error"], ran.said);
        }
    }
    Ok(all_same)
}

fn while_it_breaks(mut child: Child, fault: &Fault, out: &Path) -> anyhow::Result<(u32, Ran)> {
    let scene = Scene { raddle: child.id(), out };
    let (mut times, mut last) = (0, Instant::now());
    while child.try_wait()?.is_none() {
        if last.elapsed() >= fault.every && (fault.breaks)(&scene) {
            times += 1;
            last = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output()?;
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((times, Ran { code: output.status.code().unwrap_or(-1), report, said }))
}

/// Processes that this one started, however far down, with words of their command lines.
fn descendants(of: u32) -> Vec<(u32, Vec<String>)> {
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let id: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((id, parent))
        })
        .collect();
    let mut found = vec![of];
    let mut index = 0;
    while index < found.len() {
        let parent = found[index];
        found.extend(all.iter().filter(|(_, its)| *its == parent).map(|(id, _)| *id));
        index += 1;
    }
    let words = |id: u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    };
    found.into_iter().skip(1).map(|id| (id, words(id))).collect()
}

/// Kills the first process below raddle whose command line is meant.
fn kill(scene: &Scene, is_meant: impl Fn(&[String]) -> bool) -> bool {
    let found = descendants(scene.raddle).into_iter().find(|(_, words)| is_meant(words));
    found.is_some_and(|(id, _)| {
        let killed = Command::new("kill").args(["-KILL", &id.to_string()]).stderr(Stdio::null()).status();
        killed.is_ok_and(|status| status.success())
    })
}

fn kill_task(scene: &Scene) -> bool {
    kill(scene, |words| words.get(1).is_some_and(|word| word == "work"))
}

fn is_of_hq(words: &[String], what: &str) -> bool {
    words.first().is_some_and(|word| word == "hq" || word.ends_with("/hq")) && words.iter().any(|word| word == what)
}

fn kill_worker(scene: &Scene) -> bool {
    kill(scene, |words| is_of_hq(words, "worker"))
}

fn kill_server(scene: &Scene) -> bool {
    kill(scene, |words| is_of_hq(words, "server") && words.iter().any(|word| word == "start"))
}

fn cut_part(scene: &Scene) -> bool {
    cut(scene, "part")
}

fn cut_done(scene: &Scene) -> bool {
    cut(scene, "done")
}

/// Cuts the last file of this kind off in the middle.
fn cut(scene: &Scene, kind: &str) -> bool {
    let folder = scene.out.join("runs/1/parts");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == kind));
    files.sort();
    files.pop().is_some_and(|path| {
        let Ok(bytes) = fs::read(&path) else { return false };
        // In its place at once, as a damaged copy would be.
        let cut = path.with_extension("cut");
        fs::write(&cut, &bytes[..bytes.len() / 2]).and_then(|()| fs::rename(&cut, &path)).is_ok()
    })
}
