//! One worker against several in one process, and against as many processes on HyperQueue: on the tests of `tests/ui`, on those of
//! `bench/ssrd`, or on all programs of a folder.

use crate::same::{Made, first_difference, made};
use crate::ssrd;
use anyhow::{Context, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testkit::ui::{Case, Runner, discover};

#[derive(Args)]
pub(crate) struct EqualOptions {
    /// Only cases whose names contain this
    #[arg(long)]
    filter: Option<String>,
    /// Numbers of workers
    #[arg(long, value_delimiter = ',', default_value = "2,4")]
    workers: Vec<u32>,
    /// One case in so many
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// How many cases to leave out at the beginning
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// Not the text of reports, which has a run of its own: half the time
    #[arg(long)]
    no_text: bool,
    /// Those of bench/ssrd in place of tests/ui
    #[arg(long)]
    benchmark: bool,
    /// `check` on the programs (.c, .i) of this folder, as of SV-COMP, in place of tests/ui
    #[arg(long, conflicts_with = "benchmark")]
    folder: Option<PathBuf>,
    /// Seconds for each program of a folder; one that takes longer is not compared
    #[arg(long, default_value_t = 10)]
    max_time: u64,
    /// More arguments for each case, such as `--no-remedies` where trials would take hours
    #[arg(last = true)]
    more: Vec<String>,
}

/// Commands that search, and can have it done by others.
const COMMANDS: [&str; 3] = ["check", "races", "gpu"];

/// A way to carry a search out.
struct Way {
    name: String,
    flags: Vec<String>,
    compared: u32,
    differ: u32,
    time: Duration,
}

impl Way {
    fn new(name: String, flags: &[&str]) -> Self {
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        Way { name, flags, compared: 0, differ: 0, time: Duration::ZERO }
    }

    /// So many workers of one process, and so many processes.
    fn pair(many: u32) -> [Self; 2] {
        let workers = many.to_string();
        let together = ["--cluster", "hq", "--workers", &workers];
        [
            Way::new(format!("{many} workers"), &["--workers", &workers]),
            Way::new(format!("{many} on HyperQueue"), &together),
        ]
    }

    fn made(&self, runner: &Runner, case: &Case, with_text: bool) -> anyhow::Result<Made> {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        made(runner, case, &flags, with_text)
    }

    fn count(&mut self, is: &Made) {
        self.compared += 1;
        self.time += is.time;
    }

    fn compare(&mut self, case: &Case, alone: &Made, is: &Made) {
        self.count(is);
        let new = is.texts.keys().filter(|name| !alone.texts.contains_key(*name));
        let mut is_same = true;
        for name in alone.texts.keys().chain(new) {
            let [was, is] = [alone, is].map(|made| made.texts.get(name).map_or("", String::as_str));
            if let Some((number, was, is)) = first_difference(was, is) {
                println!("{}, {}: {name}, line {number}\n- {was}\n+ {is}", case.name, self.name);
                is_same = false;
            }
        }
        if let Some(error) = error(is).filter(|_| !is_same) {
            println!("{}, {}: {error}", case.name, self.name);
        }
        self.differ += u32::from(!is_same);
    }
}

/// What a run says of its failure.
fn error(is: &Made) -> Option<String> {
    let report: serde_json::Value = serde_json::from_str(is.texts.get("data")?).ok()?;
    report["error"]["message"].as_str().map(str::to_owned)
}

/// Whether the reports are the same.
pub(crate) fn run(options: &EqualOptions) -> anyhow::Result<bool> {
    let runner = Runner::from_environment(Path::new("."), None)?;
    let cases = cases(options)?;
    let mut one = Way::new("one worker".to_owned(), &["--workers", "1"]);
    let mut ways: Vec<[Way; 2]> = options.workers.iter().map(|&many| Way::pair(many)).collect();
    let (mut undivided, mut late, with_text) = (0, 0, !options.no_text);
    for case in &cases {
        eprintln!("{}", case.name);
        let first = one.made(&runner, case, with_text)?;
        if first.cut_short {
            late += 1;
            continue;
        }
        one.count(&first);
        for [alone, together] in &mut ways {
            let expected = alone.made(&runner, case, with_text)?;
            let is = together.made(&runner, case, with_text)?;
            if expected.cut_short || is.cut_short {
                late += 1;
                break;
            }
            alone.compare(case, &first, &expected);
            if is.texts["data"].contains("\"kind\": \"undivided\"") {
                undivided += 1;
                break;
            }
            together.compare(case, &first, &is);
        }
    }
    println!("{} cases; {undivided} are not divided, {late} came to no end", cases.len());
    for way in std::iter::once(&one).chain(ways.iter().flatten()) {
        println!("{}: {} cases, {} differ; {:.1} s", way.name, way.compared, way.differ, way.time.as_secs_f64());
    }
    Ok(ways.iter().flatten().all(|way| way.differ == 0 && way.compared > 0))
}

fn cases(options: &EqualOptions) -> anyhow::Result<Vec<Case>> {
    let mut cases = match &options.folder {
        Some(folder) => in_folder(folder, options.max_time)?,
        None if options.benchmark => ssrd::cases()?,
        None => discover(Path::new("tests/ui"))?,
    };
    let is_search = |case: &Case| case.arguments.first().is_some_and(|word| COMMANDS.contains(&word.as_str()));
    cases.retain(is_search);
    cases.retain(|case| options.filter.as_ref().is_none_or(|filter| case.name.contains(filter)));
    let mut cases: Vec<Case> = cases.into_iter().skip(options.skip).step_by(options.every.max(1)).collect();
    // Others may use the machine.
    cases.iter_mut().for_each(|case| {
        case.timeout *= 10;
        case.arguments.splice(1..1, options.more.iter().cloned());
    });
    ensure!(!cases.is_empty(), "there is no such case");
    Ok(cases)
}

/// A case for each program of the folder.
fn in_folder(folder: &Path, max_time: u64) -> anyhow::Result<Vec<Case>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "i"));
    paths.sort();
    let case = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut case = Case::of(path, vec!["check".to_owned(), name]);
        case.limit(Duration::from_secs(max_time));
        case
    };
    Ok(paths.into_iter().map(case).collect())
}
