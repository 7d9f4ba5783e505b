//! `raddle gpu` of all threads of a launch at once: flows, two by two ([`explore::flow_pairs`]). Its cost does not grow with the launch.

use super::session::Session;
use crate::options::{Flows, GpuOptions};
use concurrency::Site;
use explore::{Counts, FlowPair, FlowPairKind, Kernel};
use ir::Module;
use machine::{CodePlace, Launch, LedgerEntry, LossKind, LossSite, Program, SourceLine};
use memory::Limits;
use report::Assumption;

/// Threads of which all interleavings are explored, at the most. Clocks and places where threads wait are of that size.
pub(super) const MOST_THREADS: u64 = machine::MOST_THREADS as u64;

/// Whether a launch is looked at all at once.
pub(super) fn are_for(options: &GpuOptions, launch: &Launch) -> bool {
    match options.flows {
        Flows::Always => true,
        Flows::Auto => launch.threads() > MOST_THREADS,
        Flows::Never => false,
    }
}

/// What flows tell of a launch.
pub(super) struct Told {
    pub counts: Counts,
    /// Nothing may race, and nothing was given up.
    pub is_safe: bool,
    pub is_over: bool,
    pub assumptions: Vec<Assumption>,
    /// What was given up, and what may race.
    pub ledger: machine::Ledger,
}

/// Looks at all threads of a launch.
///
/// # Errors
/// When the engine fails.
pub(super) fn tell(session: &mut Session, limits: Limits, kernel: &Kernel) -> anyhow::Result<Told> {
    let engine = &mut session.engine;
    let config = machine::Config {
        merge: true,
        summaries: machine::Summaries::Never,
        repeats: machine::Repeats::Exact,
        ..engine.config
    };
    let before = std::mem::take(&mut engine.ledger);
    let found = engine.with_config(config, |engine| explore::flow_pairs(engine, limits, kernel))?;
    let mut ledger = std::mem::replace(&mut engine.ledger, before);
    let program = std::sync::Arc::clone(&engine.program);
    for pair in &found.pairs {
        let place = pair.sites.iter().find_map(|&site| code_place(&program, site));
        let site = place.map_or_else(|| LossSite::Search("the launch".to_owned()), LossSite::Code);
        let remedy = told(&program, pair, kernel.launch);
        ledger.note(LedgerEntry { kind: LossKind::MayRace, site, remedy: remedy.into() });
    }
    let mut counts = Counts::default();
    counts.executions = found.flows;
    Ok(Told {
        counts,
        is_safe: found.pairs.is_empty() && ledger.is_empty() && !found.interrupted,
        is_over: !found.interrupted,
        assumptions: vec![assumed(kernel.launch)],
        ledger,
    })
}

fn code_place(program: &Program, site: Site) -> Option<CodePlace> {
    let location = &program.module[program.site_location(site)?];
    let file = program.module[location.file].path.clone();
    Some(CodePlace::Line(SourceLine { file, line: location.line }))
}

fn at(module: &Module, program: &Program, site: Site) -> String {
    match program.site_location(site) {
        Some(at) => format!("{}:{}", module[module[at].file].path, module[at].line),
        None => "a place without a line".to_owned(),
    }
}

/// A pair in words, and what shows whether it comes about.
fn told(program: &Program, pair: &FlowPair, launch: Launch) -> String {
    let module = &program.module;
    let [first, second] = pair.sites.map(|site| at(module, program, site));
    let name = |[x, y, z, i, j, k]: [u32; 6]| {
        let sizes = |[x, y, z]: [u32; 3], all: [u32; 3]| match all {
            [_, 1, 1] => format!("{x}"),
            [_, _, 1] => format!("({x},{y})"),
            _ => format!("({x},{y},{z})"),
        };
        format!("thread {} of block {}", sizes([x, y, z], launch.block), sizes([i, j, k], launch.grid))
    };
    let [one, other] = pair.threads.map(name);
    let what = match pair.kind {
        FlowPairKind::Race => format!("{one} at {first} and {other} at {second} may race"),
        FlowPairKind::Scope => {
            format!("{one} at {first} and {other} at {second} may race, as one of them is atomic for its block alone")
        }
        FlowPairKind::Divergence => format!("{one} may come to the barrier at {first} while {other} is at {second}"),
    };
    format!(
        "{what}; a launch of {MOST_THREADS} threads at the most is explored thread by thread, and shows it if it is so: --grid and --block with smaller numbers"
    )
}

fn assumed(launch: Launch) -> Assumption {
    Assumption {
        kind: "flows".to_owned(),
        detail: format!(
            "any two of the {} threads were looked at, with anything for what others write that they read; that counters of loops do not wrap \
             around, that accesses stay within their buffers, and that the kernel is given no null pointer",
            launch.threads()
        ),
        ..Assumption::default()
    }
}
