//! Running the engine on a source text, in this process.

use anyhow::{Context, bail};
use explore::{Budget, Exploration, FindingKey, FindingKind, JointOptions, explore};
use machine::{Config, Engine, Program};
use memory::Limits;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use testkit::finding::{AccessKind, Race, Site};

/// The lowering program, beside this one.
fn frontend() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("raddle-frontend");
    if path.exists() { Ok(path) } else { bail!("{} is missing: run `make build`", path.display()) }
}

/// Compiles and lowers C.
pub(crate) fn lower(source: &str, scratch: &Path) -> anyhow::Result<ir::Module> {
    let (c, rir) = (scratch.join("program.c"), scratch.join("program.rir"));
    std::fs::write(&c, source)?;
    let output =
        Command::new(frontend()?).arg("compile").arg("--output").arg(&rir).arg(&c).args(["--", "-w"]).output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    ir::binary::read(&std::fs::read(&rir)?).context("reading the lowered program")
}

/// An engine for a module, with default bounds.
pub(crate) fn engine(module: ir::Module) -> anyhow::Result<Engine> {
    Ok(Engine::new(Rc::new(Program::new(module)?), smt::Solving::z3()?, Config::default()))
}

/// Default limits of shapes.
pub(crate) const LIMITS: Limits = Limits { depth: 3, array: 2, share_owners: false };

/// Explores from `main`.
pub(crate) fn check(engine: &mut Engine) -> anyhow::Result<Exploration> {
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let state = engine.main_state(LIMITS, main);
    let options = JointOptions { preemptions: None, keep_outputs: true, failures: true, ..JointOptions::default() };
    Ok(explore(engine, &mut Some(state), options, &Budget::default(), &mut (), "main")?)
}

/// A race as the oracles name it.
pub(crate) fn race(key: &FindingKey) -> Option<Race> {
    let FindingKey::Race([a, b]) = key else { return None };
    let site = |side: &(explore::Position, concurrency::AccessKind, bool)| Site {
        line: side.0.line,
        access: match side.1 {
            concurrency::AccessKind::Read => AccessKind::Read,
            concurrency::AccessKind::Write => AccessKind::Write,
            concurrency::AccessKind::ReadWrite => AccessKind::ReadWrite,
            concurrency::AccessKind::Free => AccessKind::Free,
        },
    };
    Some(Race::new(site(a), site(b)))
}

/// The lines of a deadlock's threads, those that only wait for another thread's end left out if others do more.
pub(crate) fn deadlocks(exploration: &Exploration) -> BTreeSet<Vec<u32>> {
    exploration
        .findings
        .iter()
        .filter(|(_, finding)| matches!(finding.kind, FindingKind::Deadlock(_)))
        .filter_map(|(key, _)| match key {
            FindingKey::Deadlock(positions) => Some(positions.iter().map(|p| p.line).collect()),
            _ => None,
        })
        .collect()
}
