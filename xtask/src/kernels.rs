//! Random CUDA kernels: findings of one launch against all interleavings of all accesses.

use crate::engine::{LIMITS, OPTIONS, engine, lower_cuda, new_engine, site};
use crate::flows;
use anyhow::Context;
use explore::{
    Budget, Completing, Exploration, FindingKey, JointOptions, Kernel as Launched, Operation, Origin, Paused, SHARES,
    Workers, explore,
};
use machine::{Config, Device, Engine, Launch, RaceClass, Sched, Weak};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use testkit::finding::Race;
use testkit::kernel::{
    Class, Expectation, Kernel, KernelRace, NotJudged, enumerate, generate, host, hosts, predicate as predicate_of,
    render,
};

/// Kernels that are compiled together.
const BATCH: u64 = 20;

/// What the campaign saw.
#[derive(Default)]
struct Figures {
    compared: u64,
    /// By a host as well.
    launched: u64,
    not_judged: u64,
    with_races: u64,
    with_scope_errors: u64,
    with_divergence: u64,
    in_lockstep: u64,
    races: u64,
    interleavings: u64,
    different: u64,
    /// Kernels in which flows see nothing wrong.
    by_flows: u64,
    actions: BTreeMap<&'static str, u64>,
}

/// Compares kernels until `count` were compared. False when any differed.
///
/// # Errors
/// When a kernel does not compile, or the engine fails.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let mut kernels: Vec<Kernel> = Vec::new();
        while kernels.len() < BATCH.min(count - figures.compared) as usize {
            let mut alone = [generate(seed, &format!("k{seed}"))];
            seed += 1;
            // Lines change with the others; what is too large does not.
            render(&mut alone);
            match enumerate(&alone[0]) {
                Ok(_) => kernels.extend(alone),
                Err(NotJudged::Interleavings | NotJudged::Undefined) => figures.not_judged += 1,
            }
        }
        let source = render(&mut kernels) + &hosts(&kernels);
        let mut engine = engine(lower_cuda(&source, scratch.path())?, LIMITS.array)?;
        for kernel in &kernels {
            let difference = compare(&mut engine, kernel, &mut figures)?;
            if !difference.is_empty() {
                figures.different += 1;
                std::fs::create_dir_all(keep)?;
                let mut alone = [kernel.clone()];
                let alone = render(&mut alone) + &hosts(&alone);
                std::fs::write(keep.join(format!("{}.cu", kernel.name)), format!("{alone}// {difference}\n"))?;
                eprintln!("{}: {difference}", kernel.name);
            }
        }
    }
    println!(
        "{} kernels compared ({} not judged, {} launched by a host as well), seeds {first} to {}: {} differ; {} with races ({} races), {} with scope errors, {} with \
         divergence, {} in lockstep; {} by flows alone; {} interleavings; {:.1} s; {:?}",
        figures.compared,
        figures.not_judged,
        figures.launched,
        seed - 1,
        figures.different,
        figures.with_races,
        figures.races,
        figures.with_scope_errors,
        figures.with_divergence,
        figures.in_lockstep,
        figures.by_flows,
        figures.interleavings,
        started.elapsed().as_secs_f64(),
        figures.actions
    );
    Ok(figures.different == 0)
}

fn compare(engine: &mut Engine, kernel: &Kernel, figures: &mut Figures) -> anyhow::Result<String> {
    let Ok(expected) = enumerate(kernel) else { return Ok(String::new()) };
    figures.compared += 1;
    figures.with_races += u64::from(!expected.races.is_empty());
    figures.races += expected.races.len() as u64;
    figures.with_scope_errors += u64::from(expected.races.iter().any(|race| race.scope_error));
    figures.with_divergence += u64::from(!expected.divergences.is_empty());
    figures.in_lockstep += u64::from(kernel.lockstep);
    figures.interleavings += expected.interleavings;
    for action in kernel.actions() {
        *figures.actions.entry(action).or_default() += 1;
    }
    let alone = difference(&expected, &check(engine, kernel)?) + &by_flows(engine, kernel, &expected, figures)?;
    let Some(host) = host(kernel) else { return Ok(alone) };
    figures.launched += 1;
    let launched = difference(&expected, &check_from_host(engine, kernel, &host)?);
    Ok(if launched.is_empty() { alone } else { format!("{alone}from a host: {launched}") })
}

/// Whether flows see nothing wrong where something is.
fn by_flows(
    engine: &mut Engine,
    kernel: &Kernel,
    expected: &Expectation,
    figures: &mut Figures,
) -> anyhow::Result<String> {
    // What is valid is not looked at.
    if predicate_of(kernel).is_some() {
        return Ok(String::new());
    }
    let (found, given_up) = flows::pairs(engine, &kernel.name, launch(kernel))?;
    if !found.pairs.is_empty() || !given_up.is_empty() {
        return Ok(String::new());
    }
    figures.by_flows += 1;
    let is_fine = expected.races.is_empty() && expected.divergences.is_empty();
    Ok(if is_fine { String::new() } else { "flows see nothing wrong; ".to_owned() })
}

fn launch(kernel: &Kernel) -> Launch {
    Launch {
        grid: [kernel.blocks, 1, 1],
        block: [kernel.threads, 1, 1],
        warp: kernel.warp,
        shared: 0,
        sched: if kernel.lockstep { Sched::Lockstep } else { Sched::Independent },
    }
}

/// What the same launch shows that a host makes.
fn check_from_host(engine: &mut Engine, kernel: &Kernel, host: &str) -> anyhow::Result<Exploration> {
    let program = Arc::clone(&engine.program);
    let main = program.module.functions_named(host).next().context("the host is not in the module")?;
    let sched = if kernel.lockstep { Sched::Lockstep } else { Sched::Independent };
    let alone = engine.config.device.replace(Device { warp: kernel.warp, sched });
    let joint = JointOptions { keep_outputs: false, failures: true, completing: Completing::Nothing, ..OPTIONS };
    let origin = Origin::Main { program, main, limits: LIMITS, config: engine.config };
    let new_engine = new_engine(engine);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    let explored = explore(workers, &origin, joint, &Budget::default(), &mut (), "the host", Paused::default());
    engine.config.device = alone;
    Ok(explored?)
}

fn check(engine: &mut Engine, kernel: &Kernel) -> anyhow::Result<Exploration> {
    let program = Arc::clone(&engine.program);
    let function = program.module.functions_named(&kernel.name).next().context("the kernel is not in the module")?;
    engine.config.relaxed_volatile = true;
    engine.config.weak = Weak::Accept;
    engine.config.summaries = machine::Summaries::Never;
    let joint = JointOptions { keep_outputs: false, failures: false, completing: Completing::Everything, ..OPTIONS };
    let predicate = |name: String| {
        let function = program.module.functions_named(&name).next().context("the predicate is not in the module")?;
        anyhow::Ok(Operation::new(function, name))
    };
    let valid = predicate_of(kernel).map(predicate).transpose()?;
    let launch = launch(kernel);
    let kernel = Launched {
        operation: Operation::new(function, kernel.name.clone()),
        launch,
        on_any_heap: false,
        globals_symbolic: false,
        valid,
        given: Box::default(),
    };
    let (config, alone) = (engine.config, Config { wakes: false, ..engine.config });
    let origin = Origin::Launch { program, kernel, limits: LIMITS, config, alone, joint };
    let new_engine = new_engine(engine);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    Ok(explore(workers, &origin, joint, &Budget::default(), &mut (), "the launch", Paused::default())?)
}

/// What is different, in words; empty if nothing is.
fn difference(expected: &Expectation, explored: &Exploration) -> String {
    let mut text = String::new();
    let races = without_shadowed(explored.findings.keys().filter_map(race).collect());
    let expected_races = without_shadowed(expected.races.clone());
    if races != expected_races {
        let words = |from: &BTreeSet<KernelRace>, but: &BTreeSet<KernelRace>| {
            from.difference(but).map(ToString::to_string).collect::<Vec<_>>()
        };
        let (missed, invented) = (words(&expected_races, &races), words(&races, &expected_races));
        let _ = write!(text, "races: missed {missed:?}, invented {invented:?}; ");
    }
    let waits = |key: &FindingKey| match key {
        FindingKey::Deadlock(positions) => Some(positions.iter().map(|position| position.line).collect()),
        _ => None,
    };
    let divergences: BTreeSet<BTreeSet<u32>> = explored.findings.keys().filter_map(waits).collect();
    if divergences != expected.divergences {
        let _ = write!(text, "divergences: {:?}, raddle {divergences:?}; ", expected.divergences);
    }
    let faults = explored.findings.keys().filter(|key| matches!(key, FindingKey::Fault(..) | FindingKey::Race(_)));
    faults.for_each(|key| _ = write!(text, "raddle found {key:?}; "));
    if explored.ledger.total() > 0 {
        let lost: Vec<String> = explored.ledger.entries().map(|(entry, _)| format!("{entry:?}")).collect();
        let _ = write!(text, "lost: {lost:?}");
    }
    text
}

/// Without scope errors between accesses that race whatever the scopes are: raddle compares an access no more once its thread has done
/// the same again, and that may be before the scopes matter.
fn without_shadowed(races: BTreeSet<KernelRace>) -> BTreeSet<KernelRace> {
    let plain = |race: &KernelRace| KernelRace { scope_error: false, ..*race };
    races.iter().filter(|race| !race.scope_error || !races.contains(&plain(race))).copied().collect()
}

fn race(key: &FindingKey) -> Option<KernelRace> {
    let FindingKey::GpuRace(race, [a, b]) = key else { return None };
    let class = match race.class {
        RaceClass::IntraWarp => Class::IntraWarp,
        RaceClass::IntraWarpDivergent => Class::IntraWarpDivergent,
        RaceClass::InterWarp => Class::InterWarp,
        RaceClass::Global => Class::Global,
    };
    Some(KernelRace { class, scope_error: race.scope_error, race: Race::new(site(a), site(b)) })
}
