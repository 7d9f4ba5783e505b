//! Searches that come to their ends, each cut at several points: whether the executions that were left then are within the interval that is
//! told there.
//!
//! The factors of the interval were chosen by what both halves of a first sample showed, seeds from 0 on and the files: what counts is how often it
//! holds on other seeds (`--seed`).

use crate::engine::{OPTIONS, check_within, engine, lower, lower_file};
use anyhow::Context;
use explore::{Budget, Exploration, Remaining};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::rng::Rng;

/// Steps of tasks, of the first, those that it leaves, and others: so few that programs which end soon are divided as large ones are. Two, for
/// what is told must not depend on which.
const SHARES: [[u64; 3]; 2] = [[4, 16, 64], [16, 64, 256]];

/// In tenths of the tasks.
const CUTS: [u64; 5] = [1, 3, 5, 7, 9];

/// A search that takes longer is none of these.
const PATIENCE: Duration = Duration::from_secs(1);

/// What one half of the programs showed.
#[derive(Default)]
struct Half {
    programs: u64,
    /// Cuts at which nothing was told.
    untold: u64,
    told: u64,
    within: u64,
    /// Programs of which all intervals hold.
    wholly: u64,
    /// By how much the ends of intervals differ, as a factor.
    widths: Vec<f64>,
}

/// False if fewer than 85 of 100 intervals hold on the other half.
pub fn run(count: u64, first: u64, ratios: bool) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let mut halves = [Half::default(), Half::default()];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = c_files(&root)?;
    let random = (first..first + count).map(|seed| (format!("seed {seed}"), None));
    let written = files.iter().map(|file| (file.display().to_string(), Some(file)));
    for (name, file) in random.chain(written) {
        let module = match (file, name.strip_prefix("seed ").and_then(|seed| seed.parse().ok())) {
            (None, Some(seed)) => lower(&generate(seed)?, scratch.path())?,
            // Not all are whole programs, or compile without flags.
            (Some(file), _) => match lower_file(file, &["-w"]) {
                Ok(module) => module,
                Err(_) => continue,
            },
            _ => continue,
        };
        let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let sum: usize = name.bytes().map(usize::from).sum();
        let half = &mut halves[sum % 2];
        let shares = SHARES[sum / 2 % SHARES.len()];
        for (seen, ratio) in half.look_at(&module, shares)?.into_iter().filter(|_| ratios) {
            println!("{name}: {seen:.3} seen, {ratio:.3} of what was estimated");
        }
    }
    let mut is_good = false;
    for (half, what) in halves.iter_mut().zip(["half by name", "other half"]) {
        let share = half.within as f64 / half.told.max(1) as f64;
        is_good = share >= 0.85;
        half.widths.sort_by(f64::total_cmp);
        let width = half.widths.get(half.widths.len() / 2).copied().unwrap_or(0.0);
        println!(
            "{what}: {} searches; of {} intervals {} hold ({:.1} %), all of one in {}; none told at {} cuts; ends differ by a factor of {width:.1} \
             (median)",
            half.programs,
            half.told,
            half.within,
            100.0 * share,
            half.wholly,
            half.untold,
        );
    }
    Ok(is_good)
}

impl Half {
    /// At each cut where there is an estimate: how much was seen, and the true number by the estimated one.
    fn look_at(&mut self, module: &ir::Module, shares: [u64; 3]) -> anyhow::Result<Vec<(f64, f64)>> {
        let explore = |tasks| explored(module.clone(), shares, tasks);
        // What cannot be explored at all is no matter here.
        let Ok(whole) = explore(None) else { return Ok(Vec::new()) };
        let Remaining { executions, tasks, .. } = whole.remaining;
        if whole.exhausted.is_some() || !whole.sites.is_empty() || tasks < 20 {
            return Ok(Vec::new());
        }
        self.programs += 1;
        let (mut all, mut ratios) = (true, Vec::new());
        for cut in CUTS {
            let part = explore(Some((tasks * cut / 10).max(1)))?.remaining;
            let left = executions.saturating_sub(part.executions);
            if let Some(estimate) = part.estimate() {
                ratios.push((1.0 - part.weight, left as f64 / estimate));
            }
            let Some(told) = part.executions() else {
                self.untold += 1;
                continue;
            };
            let holds = (told.least..=told.most).contains(&left);
            self.told += 1;
            self.within += u64::from(holds);
            self.widths.push(told.most as f64 / told.least.max(1) as f64);
            all &= holds;
        }
        self.wholly += u64::from(all);
        Ok(ratios)
    }
}

fn explored(module: ir::Module, shares: [u64; 3], tasks: Option<u64>) -> anyhow::Result<Exploration> {
    let mut engine = engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let budget = Budget { tasks, deadline: Some(Instant::now() + PATIENCE), ..Budget::default() };
    check_within(&mut engine, main, OPTIONS, (NonZeroUsize::MIN, shares), budget)
}

fn c_files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut folders = vec![root.join("tests/ui"), root.join("bench/engine")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Threads that add to atomic numbers and to what locks protect, and ask inputs in between: nothing races, so one round is all there is.
fn generate(seed: u64) -> Result<String, std::fmt::Error> {
    let mut rng = Rng::new(seed);
    let mut text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <raddle.h>\n".to_owned();
    text += "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n";
    text += "static atomic_int a0, a1, a2;\nstatic int p0[4], p1[4], input;\n";
    let threads = rng.between(2, 3);
    for thread in 0..threads {
        writeln!(text, "static void *work{thread}(void *unused)\n{{\n    (void)unused;")?;
        for _ in 0..rng.between(2, if threads == 2 { 8 } else { 4 }) {
            let (which, cell, place) = (rng.between(0, 1), rng.between(0, 3), rng.between(0, 2));
            if rng.chance(15) {
                writeln!(text, "    if (input > {cell})")?;
            }
            match rng.between(0, 4) {
                0 => writeln!(text, "    atomic_fetch_add(&a{place}, 1);")?,
                1 => writeln!(text, "    if (a{place} > {which}) atomic_fetch_add(&a{which}, 1);")?,
                2 => writeln!(text, "    a{place} = {cell};")?,
                _ => writeln!(
                    text,
                    "    {{ pthread_mutex_lock(&m{which}); p{which}[{cell}]++; pthread_mutex_unlock(&m{which}); }}"
                )?,
            }
        }
        text += "    return 0;\n}\n";
    }
    writeln!(text, "int main(void)\n{{\n    pthread_t threads[{threads}];")?;
    text += "    raddle_symbolic(&input, sizeof input, \"input\");\n";
    for thread in 0..threads {
        writeln!(text, "    pthread_create(&threads[{thread}], 0, work{thread}, 0);")?;
    }
    for thread in 0..threads {
        writeln!(text, "    pthread_join(threads[{thread}], 0);")?;
    }
    text += "    return 0;\n}\n";
    Ok(text)
}
