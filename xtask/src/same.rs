//! Two builds of raddle on all of `tests/ui` and `tests/known-gaps`, and on `bench/ssrd` if asked: what they print and write must be the
//! same, byte for byte, but for times and memory. For changes that are to change nothing.

use crate::ssrd;
use anyhow::Context;
use clap::Args;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::ui::{Case, Runner, discover, is_cut_short, normalise};

#[derive(Args)]
pub(crate) struct SameOptions {
    /// The other build: a `raddle` with its `raddle-frontend` beside it
    base: PathBuf,
    /// Only cases whose names contain this
    #[arg(long)]
    filter: Option<String>,
    /// Those of bench/ssrd too, which take minutes
    #[arg(long)]
    benchmark: bool,
}

/// What one build made of a case.
pub(crate) struct Made {
    /// By name: what was printed, and each file that was written.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) cut_short: bool,
    pub(crate) time: Duration,
}

/// Whether both builds say the same of each case. One that ran out of time in either is not compared.
pub(crate) fn run(options: &SameOptions) -> anyhow::Result<bool> {
    let base = Runner::new(&options.base, false, None)?;
    let here = Runner::from_environment(Path::new("."), None)?;
    let mut cases = discover(Path::new("tests/ui"))?;
    cases.extend(discover(Path::new("tests/known-gaps"))?);
    if options.benchmark {
        cases.extend(ssrd::cases()?);
    }
    cases.retain(|case| options.filter.as_ref().is_none_or(|filter| case.name.contains(filter)));
    let (mut differ, mut skipped) = (0, 0);
    let mut times = [Duration::ZERO; 2];
    for case in &cases {
        let [old, new] = [made(&base, case, &[], true)?, made(&here, case, &[], true)?];
        if old.cut_short || new.cut_short {
            println!("{}: out of time, not compared", case.name);
            skipped += 1;
            continue;
        }
        times[0] += old.time;
        times[1] += new.time;
        for name in old.texts.keys().chain(new.texts.keys().filter(|name| !old.texts.contains_key(*name))) {
            let [was, is] = [&old, &new].map(|made| made.texts.get(name).map_or("", String::as_str));
            if let Some((number, was, is)) = first_difference(was, is) {
                println!("{}: {name}, line {number}\n- {was}\n+ {is}", case.name);
                differ += 1;
            }
        }
    }
    let [old, new] = times.map(|time| time.as_secs_f64());
    println!(
        "{} cases, {skipped} not compared: {differ} texts differ; {old:.1} s and {new:.1} s, ratio {:.3}",
        cases.len(),
        new / old
    );
    Ok(differ == 0)
}

/// The first line in which two texts differ.
pub(crate) fn first_difference<'t>(was: &'t str, is: &'t str) -> Option<(usize, &'t str, &'t str)> {
    if was == is {
        return None;
    }
    let (mut old, mut new) = (was.lines(), is.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => return Some((number, "", "")),
            (one, other) if one != other => return Some((number, one.unwrap_or(""), other.unwrap_or(""))),
            _ => {}
        }
    }
    None
}

/// Runs a case once for its data and, if that is asked, once for its text, with these flags too. Results go to a folder of one name, which reports repeat.
pub(crate) fn made(runner: &Runner, case: &Case, flags: &[&str], with_text: bool) -> anyhow::Result<Made> {
    let scratch = Path::new("target/same");
    if scratch.exists() {
        fs::remove_dir_all(scratch).context("emptying target/same")?;
    }
    fs::create_dir_all(scratch)?;
    let out = scratch.canonicalize()?;
    let mut texts = BTreeMap::new();
    let begun = Instant::now();
    let (data, exit) = runner.output(case, &out, &[flags, &["--format", "json", "--stats"]].concat())?;
    let time = begun.elapsed();
    texts.insert("exit code".to_owned(), exit.to_string());
    // Two builds that do not start say the same, too.
    let read = serde_json::from_str(&data).with_context(|| format!("{}: exit code {exit}, no report", case.name));
    let mut report: serde_json::Value = read?;
    let cut_short = is_cut_short(&report);
    without_measures(&mut report);
    texts.insert("data".to_owned(), serde_json::to_string_pretty(&report)?);
    written(&out, &out, &mut texts)?;
    if with_text {
        let (text, _) = runner.output(case, &out, &[flags, &["--format", "text", "--stats"]].concat())?;
        texts.insert("text".to_owned(), without_spacing(&normalise(&text, &out.to_string_lossy())));
    }
    Ok(Made { texts, cut_short, time })
}

/// The files of a run, but for its lock and its log.
fn written(root: &Path, folder: &Path, texts: &mut BTreeMap<String, String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            written(root, &path, texts)?;
        } else if path.extension().is_some_and(|end| end == "c" || end == "json") {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            let text = match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(mut value) => {
                    without_measures(&mut value);
                    serde_json::to_string_pretty(&value)?
                }
                Err(_) => text,
            };
            texts.insert(name, text);
        }
    }
    Ok(())
}

/// Takes out what differs from run to run: times and memory.
fn without_measures(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_s") && !name.ends_with("_bytes"));
            fields.values_mut().for_each(without_measures);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(without_measures),
        _ => {}
    }
}

/// Where a time ends, how many blanks follow is a matter of its length; which times are worth telling is a matter of them.
fn without_spacing(text: &str) -> String {
    let line = |line: &str| match line.starts_with("Took:") {
        true => "Took".to_owned(),
        false => line.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
