//! Running the engine on a source text, in this process.

use crate::hands::in_hands;
use anyhow::{Context, bail};
use explore::{
    Budget, Completing, Counts, Exhausted, Exploration, FindingKey, JointOptions, Likely, Origin, Paused, Por, SHARES,
    Schedules, SearchOrder, Until, Workers, explore,
};
use machine::{Config, Engine, EngineError, Program};
use memory::{HeapRules, Limits};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use testkit::finding::{AccessKind, Race, Site};

/// The lowering program, beside this one or, for benchmarks and tests, one folder up.
fn frontend() -> anyhow::Result<PathBuf> {
    let this = std::env::current_exe()?;
    let found =
        this.ancestors().skip(1).take(2).map(|folder| folder.join("raddle-frontend")).find(|path| path.exists());
    found.context("raddle-frontend is missing: run `make build`")
}

/// Compiles and lowers C.
///
/// # Errors
/// When the source does not compile, or the scratch folder cannot be written.
pub fn lower(source: &str, scratch: &Path) -> anyhow::Result<ir::Module> {
    let c = scratch.join("program.c");
    std::fs::write(&c, source)?;
    lower_into(&c, &["-w"], &scratch.join("program.rir"))
}

/// [`lower`] of a library, with the functions that only its clients have.
///
/// # Errors
/// As for [`lower`].
pub(crate) fn lower_library(source: &str, scratch: &Path) -> anyhow::Result<ir::Module> {
    let mut module = lower(source, scratch)?;
    machine::add_client_functions(&mut module);
    Ok(module)
}

/// Compiles and lowers a C file with these flags for clang.
///
/// # Errors
/// When the file does not compile.
pub fn lower_file(source: &Path, flags: &[&str]) -> anyhow::Result<ir::Module> {
    let scratch = tempfile::tempdir()?;
    lower_into(source, flags, &scratch.path().join("program.rir"))
}

/// The header of programs with inputs.
const HEADER: &str = include_str!("../../crates/raddle/include/raddle.h");

/// Compiles and lowers the device's side of CUDA, with raddle's headers from this workspace.
///
/// # Errors
/// As for [`lower`].
pub(crate) fn lower_cuda(source: &str, scratch: &Path) -> anyhow::Result<ir::Module> {
    let (cu, lowered) = (scratch.join("kernels.cu"), scratch.join("kernels.rir"));
    std::fs::write(&cu, source)?;
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/raddle/include/cuda");
    let mut command = Command::new(frontend()?);
    command
        .arg("compile")
        .arg("--host")
        .arg("--cuda")
        .arg(headers)
        .arg("--output")
        .arg(&lowered)
        .arg(&cu)
        .args(["--", "-w"]);
    lowered_by(command, &lowered)
}

fn lower_into(source: &Path, flags: &[&str], lowered: &Path) -> anyhow::Result<ir::Module> {
    let headers = lowered.parent().unwrap_or(Path::new("."));
    std::fs::write(headers.join("raddle.h"), HEADER)?;
    let mut command = Command::new(frontend()?);
    command.arg("compile").arg("--output").arg(lowered).arg(source).arg("--").arg("-I").arg(headers).args(flags);
    lowered_by(command, lowered)
}

fn lowered_by(mut command: Command, lowered: &Path) -> anyhow::Result<ir::Module> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    ir::binary::read(&std::fs::read(lowered)?).context("reading the lowered program")
}

/// An engine for a module, with default bounds but `array` elements of an array of unknown length.
///
/// # Errors
/// When the module is invalid or the solver does not start.
pub fn engine(module: ir::Module, array: u64) -> anyhow::Result<Engine> {
    engine_of(&Arc::new(Program::new(module, array)?))
}

/// An engine for a program that is ready to run.
///
/// # Errors
/// When the solver does not start.
pub fn engine_of(program: &Arc<Program>) -> anyhow::Result<Engine> {
    Ok(Engine::new(Arc::clone(program), smt::Solving::set_up(smt::Setup::default())?, Config::default()))
}

/// Default limits of shapes.
pub const LIMITS: Limits = Limits { depth: 3, array: 2, rules: HeapRules::NARROW };

/// What whole programs are explored for.
pub const OPTIONS: JointOptions = JointOptions {
    schedules: Schedules::All,
    keep_outputs: true,
    keep_ends: false,
    keep_results: false,
    failures: true,
    valid_heaps: false,
    completing: Completing::Nothing,
    until: Until::Never,
    likely: Likely::Never,
    atomic_blocks: false,
    por: None,
    order: SearchOrder::Given,
};

/// All ways of covering all orders.
pub const STRATEGIES: [Por; 3] = [Por::SleepSets, Por::SourceSets, Por::VisitedStates];

/// Explores from `main`.
///
/// # Errors
/// When there is no `main`, or the engine fails.
pub fn check(engine: &mut Engine) -> anyhow::Result<Exploration> {
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    check_with(engine, main, OPTIONS, NonZeroUsize::MIN, SHARES)
}

/// For one search within a bound on preemptions.
const PATIENCE: Duration = Duration::from_secs(20);

/// The budget of a search.
pub fn patience(is_bounded: bool) -> Budget {
    Budget { deadline: is_bounded.then(|| Instant::now() + PATIENCE), ..Budget::default() }
}

/// Explores from `main` in some way. What is not over then was too large.
///
/// # Errors
/// When the engine fails.
pub fn check_with(
    engine: &mut Engine,
    main: ir::FuncId,
    options: JointOptions,
    workers: NonZeroUsize,
    shares: [u64; 3],
) -> anyhow::Result<Exploration> {
    // Within a bound on preemptions nothing is left out, and few threads that look at something for a time may have too many schedules.
    let budget = patience(matches!(options.schedules, Schedules::Bounded(_)));
    check_within(engine, main, options, (workers, shares), budget)
}

/// Explores from `main` within a budget.
///
/// # Errors
/// When the engine fails.
pub fn check_within(
    engine: &mut Engine,
    main: ir::FuncId,
    options: JointOptions,
    (workers, shares): (NonZeroUsize, [u64; 3]),
    budget: Budget,
) -> anyhow::Result<Exploration> {
    let origin = Origin::Main { program: Arc::clone(&engine.program), main, limits: LIMITS, config: engine.config };
    let new_engine = new_engine(engine);
    let workers = Workers { count: workers, new_engine: &new_engine, shares };
    let explored = explore(workers, &origin, options, &budget, &mut (), "main", Paused::default())?;
    take_over(engine, &explored);
    Ok(explored)
}

/// Adds what an exploration lost and took to what the engine says of itself.
pub fn take_over(engine: &mut Engine, explored: &Exploration) {
    engine.ledger.merge(&explored.ledger);
    engine.statistics += explored.spent.statistics;
    engine.solved_elsewhere += explored.spent.solver;
}

/// Explores from `main` in pieces of a few tasks: what is left after each is stored, read back and gone on with.
///
/// # Errors
/// When the engine fails.
pub fn check_in_pieces(engine: &mut Engine, main: ir::FuncId, options: JointOptions) -> anyhow::Result<Exploration> {
    let origin = Origin::Main { program: Arc::clone(&engine.program), main, limits: LIMITS, config: engine.config };
    let new_engine = new_engine(engine);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: TINY_SHARES };
    in_pieces(Budget::default(), |budget, paused| explore(workers, &origin, options, budget, &mut (), "main", paused))
}

/// Explores from `main` in several hands ([`in_hands`]).
///
/// # Errors
/// When the engine fails.
pub fn check_in_hands(
    engine: &mut Engine,
    main: ir::FuncId,
    options: JointOptions,
    seed: u64,
) -> anyhow::Result<Exploration> {
    let origin = Origin::Main { program: Arc::clone(&engine.program), main, limits: LIMITS, config: engine.config };
    let new_engine = new_engine(engine);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: TINY_SHARES };
    let paused = in_hands(workers, &origin, options, seed)?;
    Ok(explore(workers, &origin, options, &NOTHING_MORE, &mut (), "main", paused)?)
}

/// For a search of which nothing is left: were there anything, it would be cut short.
pub static NOTHING_MORE: LazyLock<Budget> = LazyLock::new(|| Budget { tasks: Some(0), ..Budget::default() });

/// Explores in pieces, each larger than the one before.
///
/// # Errors
/// When the engine fails, or what is left cannot be stored.
pub fn in_pieces(
    whole: Budget,
    mut explore: impl FnMut(&Budget, Paused<'static>) -> Result<Exploration, EngineError>,
) -> anyhow::Result<Exploration> {
    let mut budget = Budget { tasks: Some(FIRST_PIECE), ..whole };
    let mut explored = explore(&budget, Paused::default())?;
    while explored.exhausted != Some(Exhausted::Time)
        && let Some(paused) = explored.paused
    {
        let stored = postcard::to_stdvec(&paused)?;
        // What is stored grows with what is done.
        budget.tasks = budget.tasks.map(|tasks| tasks * 2);
        explored = explore(&budget, postcard::from_bytes(&stored)?)?;
    }
    Ok(explored)
}

/// Tasks of the first piece; each has twice as many as the one before.
const FIRST_PIECE: u64 = 1;

/// Shares so small that every search is divided over and over.
pub const TINY_SHARES: [u64; 3] = [2, 1, 3];

/// What is different about a search that was divided among workers; empty if nothing is. Runs that come to nothing do not
/// count: with an initial heap, dividing takes more of them.
pub fn divided_differs(whole: &Counts, divided: &Counts) -> String {
    let figures = |c: &Counts| (c.executions, c.paths.len(), c.shapes.len(), c.outputs.clone());
    if figures(whole) == figures(divided) && whole.paths == divided.paths && whole.shapes == divided.shapes {
        return String::new();
    }
    format!("divided: {:?}, whole: {:?}\n", figures(divided), figures(whole))
}

/// What is different about a search by another strategy; empty if nothing is. Runs that come to nothing do not count.
pub fn strategy_differs(por: Por, one: &Exploration, other: &Exploration) -> String {
    let keys = |explored: &Exploration| explored.findings.keys().cloned().collect::<BTreeSet<_>>();
    let mut text = divided_differs(&one.counts, &other.counts).replace("divided", &format!("{por:?}"));
    if keys(one) != keys(other) {
        let _ = writeln!(text, "findings by {por:?}: {:?}, else {:?}", keys(other), keys(one));
    }
    let heaps = |explored: &Exploration| (explored.completing, explored.others);
    if heaps(one) != heaps(other) {
        let _ = writeln!(text, "heaps by {por:?}: {:?}, else {:?}", heaps(other), heaps(one));
    }
    text
}

/// Makes engines that are configured as this one.
pub fn new_engine(engine: &Engine) -> impl Fn(&Arc<Program>) -> Result<Engine, EngineError> + Sync + use<> {
    let config = engine.config;
    move |program| Ok(Engine::new(Arc::clone(program), smt::Solving::set_up(smt::Setup::default())?, config))
}

/// A race as the oracles name it.
pub fn race(key: &FindingKey) -> Option<Race> {
    let FindingKey::Race([a, b]) = key else { return None };
    Some(Race::new(site(a), site(b)))
}

/// One side of a race, likewise.
pub(crate) fn site(side: &(explore::Position, concurrency::AccessKind, bool)) -> Site {
    Site {
        line: side.0.line,
        access: match side.1 {
            concurrency::AccessKind::Read => AccessKind::Read,
            concurrency::AccessKind::Write => AccessKind::Write,
            concurrency::AccessKind::ReadWrite => AccessKind::ReadWrite,
            concurrency::AccessKind::Free => AccessKind::Free,
        },
    }
}

/// The lines of a deadlock's threads, those that only wait for another thread's end left out if others do more.
pub fn deadlocks(exploration: &Exploration) -> BTreeSet<Vec<u32>> {
    exploration
        .findings
        .keys()
        .filter_map(|key| match key {
            FindingKey::Deadlock(positions) => Some(positions.iter().map(|p| p.line).collect()),
            _ => None,
        })
        .collect()
}
