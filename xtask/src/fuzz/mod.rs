//! Readers against damaged input: each must accept or refuse, and never panic, hang or end in any other way.
//!
//! A target is one entry of [`targets::TARGETS`]. Inputs are made from its seeds by a seeded mutator, so a failure is named
//! by target, seed and number; its input is kept as well.

mod mutate;
mod subprocess;
mod targets;

use anyhow::{Context, bail};
use mutate::Mutator;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use targets::TARGETS;

/// What a reader made of an input.
pub(super) enum Seen {
    Accepted,
    Refused,
    /// Neither, in words.
    Wrong(String),
}

/// Something that reads what others wrote.
pub(super) trait Reader {
    /// Valid inputs, from which others are made.
    fn seeds(&self) -> &[Vec<u8>];

    /// # Errors
    /// When the reader could not be run at all.
    fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen>;
}

/// One entry of the table.
pub(super) struct Target {
    pub(super) name: &'static str,
    /// `scratch` is an empty directory for its files.
    pub(super) prepare: fn(scratch: &Path) -> anyhow::Result<Box<dyn Reader>>,
}

/// Runs one target, or all of them one after another, each for `time`. False when one failed.
pub(crate) fn run(name: &str, time: Duration, seed: u64, keep: &Path) -> anyhow::Result<bool> {
    let chosen: Vec<&Target> = TARGETS.iter().filter(|target| name == "all" || target.name == name).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("no target `{name}`; there are {}, and all", known.join(", "));
    }
    fs::create_dir_all(keep)?;
    let mut fine = true;
    for target in chosen {
        fine &= campaign(target, time, seed, keep).with_context(|| format!("target {}", target.name))?;
    }
    Ok(fine)
}

/// Failures kept of one campaign: more would be the same few again.
const MOST_KEPT: u64 = 20;

fn campaign(target: &Target, time: Duration, seed: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let mut reader = (target.prepare)(scratch.path())?;
    let seeds = reader.seeds().to_vec();
    for input in &seeds {
        match guarded(reader.as_mut(), input)? {
            Seen::Accepted => {}
            Seen::Refused => bail!("a seed is refused"),
            Seen::Wrong(why) => bail!("a seed fails: {why}"),
        }
    }
    let mut mutator = Mutator::new(seed, seeds);
    let started = Instant::now();
    let (mut inputs, mut accepted, mut wrong) = (0u64, 0u64, 0u64);
    // What ends this process with it, such as a stack overflow, leaves its input here.
    let last = keep.join(format!("{}-last", target.name));
    while started.elapsed() < time && wrong < MOST_KEPT {
        let input = mutator.next();
        fs::write(&last, &input)?;
        inputs += 1;
        match guarded(reader.as_mut(), &input)? {
            Seen::Accepted => accepted += 1,
            Seen::Refused => {}
            Seen::Wrong(why) => {
                wrong += 1;
                let path = keep.join(format!("{}-{seed}-{inputs}", target.name));
                fs::write(&path, &input)?;
                println!("{}: input {inputs} of seed {seed}: {why}\n  kept as {}", target.name, path.display());
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    fs::remove_file(&last).ok();
    println!(
        "{}: {inputs} inputs, {accepted} accepted, {} refused, {wrong} wrong; {seconds:.0} s, {:.0} inputs/s",
        target.name,
        inputs - accepted - wrong,
        inputs as f64 / seconds.max(0.001)
    );
    Ok(wrong == 0)
}

/// A panic in this process is the reader's failure.
fn guarded(reader: &mut dyn Reader, input: &[u8]) -> anyhow::Result<Seen> {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let seen = catch_unwind(AssertUnwindSafe(|| reader.read(input)));
    std::panic::set_hook(quiet);
    seen.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Ok(Seen::Wrong(format!("panicked: {}", text.unwrap_or("(no message)"))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a campaign begins, and its inputs are near to what is accepted.
    #[test]
    fn every_reader_has_seeds_and_a_campaign_begins() -> anyhow::Result<()> {
        let keep = tempfile::tempdir()?;
        for target in TARGETS {
            let scratch = tempfile::tempdir()?;
            let seeds = (target.prepare)(scratch.path())?.seeds().len();
            assert!(seeds > 0, "{}", target.name);
            assert!(campaign(target, Duration::from_millis(50), 1, keep.path())?, "{}", target.name);
        }
        Ok(())
    }
}
