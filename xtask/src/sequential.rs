//! Random sequential programs: they print the same under raddle as built by clang.

use crate::engine::{check, engine, lower};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use testkit::program::sequential::generate;

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut instructions) = (0, 0);
    for seed in first..first + count {
        let source = generate(seed);
        let native = native(&source, scratch.path())?;
        let mut engine = engine(lower(&source, scratch.path())?, 2)?;
        let explored = check(&mut engine)?;
        instructions += engine.statistics.instructions;
        let outputs: Vec<&Vec<u8>> = explored.counts.outputs.iter().collect();
        let same = outputs == [&native] && explored.findings.is_empty() && engine.ledger.is_empty();
        if !same {
            different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("sequential{seed}.c")), &source)?;
            let losses: Vec<String> =
                engine.ledger.entries().map(|(e, _)| format!("{} at {}", e.kind, e.site)).collect();
            eprintln!(
                "seed {seed}: {} outputs, findings {:?}, ledger {losses:?}",
                outputs.len(),
                explored.findings.keys().collect::<Vec<_>>()
            );
        }
    }
    println!(
        "{count} sequential programs, seeds {first} to {}: {different} differ; {instructions} instructions; {:.1} s",
        first + count - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

/// What the natively built program prints.
fn native(source: &str, scratch: &Path) -> anyhow::Result<Vec<u8>> {
    let (c, program) = (scratch.join("native.c"), scratch.join("native"));
    std::fs::write(&c, source)?;
    let built = Command::new("clang-22").args(["-O0", "-w", "-o"]).arg(&program).arg(&c).arg("-lm").output()?;
    if !built.status.success() {
        anyhow::bail!("{}", String::from_utf8_lossy(&built.stderr));
    }
    Ok(Command::new(&program).output()?.stdout)
}
