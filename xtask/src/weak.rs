//! Random programs of atomics of all orders: those are called robust that have no execution under RC11 that no interleaving shows, by brute force
//! over all of RC11's executions.

use crate::engine::{check_with, engine, lower};
use anyhow::Context;
use explore::{FindingKey, JointOptions, Likely, Por, SHARES};
use machine::{LossKind, Weak};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use testkit::rc11::Program;
use testkit::rng::Rng;

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut robust, mut executions, mut hanging) = (0, 0, 0, 0);
    for seed in first..first + count {
        let program = Program::random(&mut Rng::new(seed));
        let source = program.source();
        let expected = program.is_robust();
        robust += u64::from(expected);
        let mut engine = engine(lower(&source, scratch.path())?, 2)?;
        engine.config.weak = Weak::Ask;
        let main = engine.program.module.functions_named("main").next().context("no main")?;
        let options = JointOptions {
            por: Some(Por::SourceSets),
            likely: Likely::Never,
            atomic_blocks: false,
            ..JointOptions::default()
        };
        let explored = check_with(&mut engine, main, options, NonZeroUsize::MIN, SHARES)?;
        executions += explored.counts.executions;
        let losses: Vec<LossKind> = engine.ledger.entries().map(|(entry, _)| entry.kind).collect();
        // Who waits for what may never come hangs: nothing is asked then.
        if explored.findings.keys().any(|key| matches!(key, FindingKey::Deadlock(_))) {
            hanging += 1;
            continue;
        }
        let others = losses.iter().filter(|&&kind| kind != LossKind::WeakMemory).count() + explored.findings.len();
        if losses.is_empty() != expected || others > 0 {
            different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("weak{seed}.c")), &source)?;
            eprintln!(
                "seed {seed}: robust by brute force: {expected}; losses {losses:?}, {} findings",
                explored.findings.len()
            );
        }
    }
    println!(
        "{count} programs, seeds {first} to {}: {different} differ; {robust} robust, {hanging} hang, {executions} executions; {:.1} s",
        first + count - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}
