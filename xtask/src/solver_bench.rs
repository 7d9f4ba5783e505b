//! Recorded queries against every backend.

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use smt::{Answer, Backend, Trace};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where recorded queries are stored.
const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/smt/benches/queries");

/// Whether the backends agree on every query.
pub(crate) fn run(files: Vec<PathBuf>, runs: u32) -> anyhow::Result<bool> {
    let files = if files.is_empty() { stored()? } else { files };
    let width = files.iter().map(|f| name(f).len()).max().unwrap_or(0).max("geometric mean".len());
    print!("{:width$} {:>8}", "seconds", "queries");
    Backend::ALL.iter().for_each(|backend| print!(" {:>9}", backend.name()));
    println!();
    let mut logarithms = [0.0; Backend::ALL.len()];
    let mut agree = true;
    for file in &files {
        let mut answers: Vec<Vec<char>> = Vec::new();
        let mut times = Vec::new();
        for backend in Backend::ALL {
            let (fastest, said) = replay(file, backend, runs.max(1))?;
            times.push(fastest.as_secs_f64());
            answers.push(said);
        }
        print!("{:width$} {:>8}", name(file), answers[0].len());
        times.iter().for_each(|time| print!(" {time:>9.4}"));
        println!();
        for (sum, time) in logarithms.iter_mut().zip(&times) {
            *sum += time.max(1e-6).ln();
        }
        for (query, pair) in answers[0].iter().zip(&answers[1]).enumerate() {
            if matches!(pair, ('s', 'u') | ('u', 's')) {
                println!("{}: query {query}: the backends disagree", file.display());
                agree = false;
            }
        }
    }
    print!("{:width$} {:>8}", "geometric mean", "");
    logarithms.iter().for_each(|sum| print!(" {:>9.4}", (sum / files.len() as f64).exp()));
    println!();
    Ok(agree)
}

fn name(file: &Path) -> String {
    file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stored() -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(STORED).with_context(|| format!("reading {STORED}"))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "gz"));
    files.sort();
    if files.is_empty() {
        bail!("no recorded queries in {STORED}");
    }
    Ok(files)
}

fn read(file: &Path) -> anyhow::Result<Trace> {
    let open = File::open(file).with_context(|| file.display().to_string())?;
    let lines: Box<dyn BufRead> = match file.extension() {
        Some(end) if end == "gz" => Box::new(BufReader::new(MultiGzDecoder::new(open))),
        _ => Box::new(BufReader::new(open)),
    };
    Trace::read(lines).with_context(|| file.display().to_string())
}

/// The fastest of some replays, and a letter for each answer.
fn replay(file: &Path, backend: Backend, runs: u32) -> anyhow::Result<(Duration, Vec<char>)> {
    let mut fastest = Duration::MAX;
    let mut answers = Vec::new();
    for _ in 0..runs {
        let mut trace = read(file)?;
        let mut solver = backend.start(None)?;
        let start = Instant::now();
        answers = trace.replay(&mut *solver)?.iter().map(letter).collect();
        fastest = fastest.min(start.elapsed());
    }
    Ok((fastest, answers))
}

fn letter(answer: &Answer) -> char {
    match answer {
        Answer::Sat(_) => 's',
        Answer::Unsat => 'u',
        Answer::Unknown(_) => '?',
    }
}
