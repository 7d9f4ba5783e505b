//! Random programs that read clocks: they print what brute force says, whether readings are forgotten or not.

use crate::engine::{check, engine, lower};
use machine::Forget;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use testkit::clocks::Program;

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut printed, mut executions) = (0, 0, [0; 3]);
    for seed in first..first + count {
        let program = Program::generate(seed);
        let source = program.render();
        let expected = program.outputs();
        printed += expected.len();
        let module = lower(&source, scratch.path())?;
        for (index, forget) in [Forget::Latest, Forget::All, Forget::None].into_iter().enumerate() {
            let mut engine = engine(module.clone(), 2)?;
            engine.config.forget = forget;
            engine.config.dates = program.has_dates();
            let explored = check(&mut engine)?;
            executions[index] += explored.counts.executions;
            let outputs = explored.counts.outputs.iter().map(|output| String::from_utf8_lossy(output).into_owned());
            let outputs: BTreeSet<String> = outputs.collect();
            if outputs != expected || !explored.findings.is_empty() || !engine.ledger.is_empty() {
                different += 1;
                std::fs::create_dir_all(keep)?;
                std::fs::write(keep.join(format!("clocks{seed}.c")), &source)?;
                let findings = explored.findings.keys();
                eprintln!(
                    "seed {seed}, forgetting {forget:?}: {outputs:?} instead of {expected:?}; {:?}",
                    findings.collect::<Vec<_>>()
                );
            }
        }
    }
    println!(
        "{count} programs that read clocks, seeds {first} to {}: {different} differ; {printed} outputs, executions forgetting \
         the latest {}, all {}, none {}; {:.1} s",
        first + count - 1,
        executions[0],
        executions[1],
        executions[2],
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}
