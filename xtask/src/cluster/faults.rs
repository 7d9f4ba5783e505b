//! One search on HyperQueue's workers while something breaks: the report has to be that of one process all the same.
//!
//! What workers run is a copy of raddle, which can be replaced while they run: by one whose disk is full, or another build.

use super::machines::Machines;
use super::{Ran, Search, raddle, ran, timeless};
use anyhow::bail;
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct FaultsOptions {
    /// Only faults with this in their names
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    search: Search,
}

/// What breaks, and what is done for that every now and then.
struct Fault {
    name: &'static str,
    every: Duration,
    /// By which door of HyperQueue's: its program has servers and workers in processes of their own, its package all in one.
    door: Option<Door>,
    /// Whether it was done.
    breaks: fn(&mut Scene) -> bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    Program,
    Package,
    /// The package, with a server and workers that raddle did not start, each in a process of its own.
    Machines,
}

impl Door {
    fn is_there(self) -> bool {
        let found = ::cluster::look();
        match self {
            Door::Program => found.program.is_some(),
            // Where there is a program, raddle takes that.
            Door::Package | Door::Machines => found.program.is_none() && found.package.is_some(),
        }
    }
}

/// Where it breaks.
struct Scene<'a> {
    /// The process that has the search.
    raddle: u32,
    out: &'a Path,
    copy: &'a RaddleCopy,
    machines: Option<Machines>,
}

const FAULTS: [Fault; 10] = [
    Fault { name: "a task is killed every 2 s", every: Duration::from_secs(2), door: None, breaks: kill_task },
    Fault {
        name: "a worker is killed every 5 s",
        every: Duration::from_secs(5),
        door: Some(Door::Program),
        breaks: kill_worker,
    },
    Fault {
        name: "the server is killed every 8 s",
        every: Duration::from_secs(8),
        door: Some(Door::Program),
        breaks: kill_server,
    },
    Fault {
        name: "the server is killed every 8 s, with all workers",
        every: Duration::from_secs(8),
        door: Some(Door::Package),
        breaks: kill_bridge,
    },
    Fault {
        name: "one of two workers is killed every 5 s, and another started",
        every: Duration::from_secs(5),
        door: Some(Door::Machines),
        breaks: replace_worker,
    },
    Fault {
        name: "the server alone is killed every 8 s and started again, with new workers",
        every: Duration::from_secs(8),
        door: Some(Door::Machines),
        breaks: restart_server,
    },
    Fault { name: "a part is cut off every second", every: Duration::from_secs(1), door: None, breaks: cut_part },
    Fault { name: "a result is cut off every second", every: Duration::from_secs(1), door: None, breaks: cut_done },
    Fault {
        name: "the disk is full for workers, every other second",
        every: Duration::from_secs(1),
        door: None,
        breaks: fill_disk,
    },
    Fault {
        name: "workers run another build, every other second",
        every: Duration::from_secs(1),
        door: None,
        breaks: exchange,
    },
];

/// A copy of raddle that workers run, and what takes its place.
struct RaddleCopy {
    raddle: PathBuf,
    whole: PathBuf,
    full: PathBuf,
    other: PathBuf,
}

impl RaddleCopy {
    fn new(original: &Path, folder: &Path) -> anyhow::Result<Self> {
        let [raddle, whole, full, other] = ["raddle", "whole", "full", "other"].map(|name| folder.join(name));
        let frontend = "raddle-frontend";
        fs::copy(original.with_file_name(frontend), folder.join(frontend))?;
        fs::copy(original, &whole)?;
        fs::write(&full, format!("#!/bin/sh\nulimit -f 0\nexec '{}' \"$@\"\n", whole.display()))?;
        fs::set_permissions(&full, fs::metadata(original)?.permissions())?;
        fs::copy(original, &other)?;
        // The same program but for a byte behind its end.
        fs::OpenOptions::new().append(true).open(&other)?.write_all(&[0])?;
        let copy = RaddleCopy { raddle, whole, full, other };
        copy.put(&copy.whole)?;
        Ok(copy)
    }

    fn put(&self, what: &Path) -> io::Result<()> {
        let link = self.raddle.with_extension("new");
        fs::hard_link(what, &link)?;
        // Of two names of one file the first would stay.
        match fs::metadata(&self.raddle).is_ok_and(|now| fs::metadata(what).is_ok_and(|its| its.ino() == now.ino())) {
            true => fs::remove_file(link),
            false => fs::rename(link, &self.raddle),
        }
    }

    /// Puts `what` in its place, or the program itself if that was done before.
    fn take_turns(&self, what: &Path) -> bool {
        let inode = |path: &Path| fs::metadata(path).map(|data| data.ino()).ok();
        let is_whole = inode(&self.raddle) == inode(&self.whole);
        self.put(if is_whole { what } else { &self.whole }).is_ok()
    }
}

/// Prints a table; whether all reports are the same.
pub(crate) fn run(FaultsOptions { only, search }: &FaultsOptions) -> anyhow::Result<bool> {
    let (original, scratch) = (raddle()?, tempfile::tempdir()?);
    let copy = RaddleCopy::new(&original, scratch.path())?;
    let out = scratch.path().join("alone");
    let begun = Instant::now();
    let alone = ran(&mut search.command(&original, &["--workers", "2"], &out))?;
    let expected = timeless(&alone.report, &out);
    if !alone.report["error"].is_null() {
        bail!("it fails without a cluster: {}", alone.said);
    }
    println!("without a cluster: exit code {}, {:.1} s", alone.code, begun.elapsed().as_secs_f64());
    let mut all_same = true;
    for (index, fault) in FAULTS.iter().enumerate().filter(|(_, fault)| fault.name.contains(only.as_str())) {
        if let Some(door) = fault.door.filter(|door| !door.is_there()) {
            let why = match door {
                Door::Program => "there is no program `hq`",
                Door::Package | Door::Machines => "there is a program `hq`, which is used",
            };
            println!("{}: not tried, {why}", fault.name);
            continue;
        }
        let of_their_own = fault.door == Some(Door::Machines);
        let folder = scratch.path().join(format!("machines-{index}"));
        let machines = of_their_own.then(|| Machines::start(&folder, 2)).transpose()?;
        copy.put(&copy.whole)?;
        let out = scratch.path().join(index.to_string());
        let begun = Instant::now();
        let mut command = search.command(&copy.raddle, &["--cluster", "hq", "--workers", "2"], &out);
        // A copy does not find them by where it stands.
        command.env("LD_LIBRARY_PATH", original.with_file_name("../../.deps/z3/lib"));
        if let Some(machines) = &machines {
            command.env("HQ_SERVER_DIR", machines.server_folder());
        }
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (times, ran) = while_it_breaks(child, fault, &out, &copy, machines)?;
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

fn while_it_breaks(
    mut child: Child,
    fault: &Fault,
    out: &Path,
    copy: &RaddleCopy,
    machines: Option<Machines>,
) -> anyhow::Result<(u32, Ran)> {
    let mut scene = Scene { raddle: child.id(), out, copy, machines };
    let (mut times, mut last) = (0, Instant::now());
    while child.try_wait()?.is_none() {
        if last.elapsed() >= fault.every && (fault.breaks)(&mut scene) {
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
pub(super) fn descendants(of: u32) -> Vec<(u32, Vec<String>)> {
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

fn kill_task(scene: &mut Scene) -> bool {
    kill(scene, |words| words.get(1).is_some_and(|word| word == "work"))
}

fn is_of_hq(words: &[String], what: &str) -> bool {
    words.first().is_some_and(|word| word == "hq" || word.ends_with("/hq")) && words.iter().any(|word| word == what)
}

fn kill_worker(scene: &mut Scene) -> bool {
    kill(scene, |words| is_of_hq(words, "worker"))
}

fn kill_server(scene: &mut Scene) -> bool {
    kill(scene, |words| is_of_hq(words, "server") && words.iter().any(|word| word == "start"))
}

/// The Python process that holds server and workers.
fn kill_bridge(scene: &mut Scene) -> bool {
    kill(scene, |words| {
        words.first().is_some_and(|word| word.contains("python")) && words.iter().any(|word| word == "own")
    })
}

fn replace_worker(scene: &mut Scene) -> bool {
    scene.machines.as_mut().is_some_and(|machines| machines.replace_worker().is_ok())
}

fn restart_server(scene: &mut Scene) -> bool {
    scene.machines.as_mut().is_some_and(|machines| machines.restart_server().is_ok())
}

fn fill_disk(scene: &mut Scene) -> bool {
    scene.copy.take_turns(&scene.copy.full)
}

fn exchange(scene: &mut Scene) -> bool {
    scene.copy.take_turns(&scene.copy.other)
}

fn cut_part(scene: &mut Scene) -> bool {
    cut(scene, "part")
}

fn cut_done(scene: &mut Scene) -> bool {
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
