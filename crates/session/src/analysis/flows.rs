//! `raddle gpu` of all threads of a launch at once: flows, two by two ([`explore::flow_pairs`]). Its cost does not grow with the launch.

use super::session::{STEPS_PER_SECOND, Session};
use crate::options::{Flows, GpuOptions};
use concurrency::Site;
use explore::{Counts, FlowPair, FlowPairKind, FlowPairs, Kernel};
use ir::Module;
use machine::{
    CodePlace, Config, Launch, Ledger, LedgerEntry, LossKind, LossSite, Program, Repeats, SourceLine, Summaries,
};
use memory::Limits;
use report::Assumption;
use std::sync::Arc;

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

/// Threads of a launch in which it is shown what flows see, at the most, and how long that may take: twenty seconds, counted in steps.
const MOST_SHOWN: u64 = 1024;
pub(super) const SHOWING: u64 = 20 * STEPS_PER_SECOND;

/// What flows tell of a launch.
pub(super) struct Told {
    pub found: FlowPairs,
    given_up: Ledger,
}

impl Told {
    /// Nothing may race, and nothing was given up.
    pub(super) fn is_safe(&self) -> bool {
        self.found.pairs.is_empty() && self.given_up.is_empty() && !self.found.interrupted
    }

    pub(super) fn counts(&self) -> Counts {
        Counts { executions: self.found.flows, ..Counts::default() }
    }

    /// Enters what was given up, or ended before its time, and what may race and was not shown.
    pub(super) fn note(&self, session: &mut Session, launch: Launch) {
        session.engine.ledger.merge(&self.given_up);
        if self.found.interrupted {
            let (kind, remedy) = session.what_ran_out();
            session.engine.ledger.note(LedgerEntry { kind, site: LossSite::Search("the launch".to_owned()), remedy });
        }
        let program = Arc::clone(&session.engine.program);
        let findings = session.found.confirmed.iter().map(|(finding, _)| finding);
        let shown: Vec<Vec<u32>> =
            findings.map(|finding| finding.accesses.iter().map(|access| access.location.line).collect()).collect();
        let line = |site: &Site| program.site_location(*site).map_or(0, |at| program.module[at].line);
        for pair in &self.found.pairs {
            let lines = pair.sites.each_ref().map(line);
            if shown.iter().any(|shown| lines.iter().all(|line| shown.contains(line))) {
                continue;
            }
            let place = pair.sites.iter().find_map(|&site| code_place(&program, site));
            let site = place.map_or_else(|| LossSite::Search("the launch".to_owned()), LossSite::Code);
            let remedy = told(&program, pair, launch).into();
            session.engine.ledger.note(LedgerEntry { kind: LossKind::MayRace, site, remedy });
        }
    }
}

/// Looks at all threads of a launch.
///
/// # Errors
/// When the engine fails.
pub(super) fn tell(session: &mut Session, limits: Limits, kernel: &Kernel) -> anyhow::Result<Told> {
    let engine = &mut session.engine;
    let config = Config { merge: true, summaries: Summaries::Never, repeats: Repeats::Exact, ..engine.config };
    let before = std::mem::take(&mut engine.ledger);
    let found = engine.with_config(config, |engine| explore::flow_pairs(engine, limits, kernel))?;
    let given_up = std::mem::replace(&mut engine.ledger, before);
    Ok(Told { found, given_up })
}

/// A launch in which pairs may be shown: with as many threads in a block, and no more blocks than they take.
pub(super) fn smaller(launch: Launch, pairs: &[FlowPair]) -> Option<Launch> {
    let differ =
        |dimension: usize| pairs.iter().any(|pair| pair.threads[0][3 + dimension] != pair.threads[1][3 + dimension]);
    let grid = [0, 1, 2].map(|dimension| if differ(dimension) { launch.grid[dimension].min(2) } else { 1 });
    let shown = Launch { grid, ..launch };
    (!pairs.is_empty() && shown.threads() <= MOST_SHOWN).then_some(shown)
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
        FlowPairKind::Divergence if first == second => {
            format!("one of {one} and {other} may come to where threads meet at {first}, and the other not")
        }
        FlowPairKind::Divergence => {
            format!("{one} may come to where threads meet at {first}, and {other} to {second}")
        }
    };
    format!(
        "{what}; a launch of {MOST_THREADS} threads at the most is explored thread by thread, and shows it if it is so: --grid and --block with smaller numbers"
    )
}

/// What is said of all threads rests on that.
pub(super) fn assumed(launch: Launch) -> Assumption {
    Assumption {
        kind: "flows".to_owned(),
        detail: format!(
            "any two of the {} threads were looked at, with anything for what others write that they read; that variables which loops move on by small or \
             unknown steps do not wrap around, that accesses stay within their buffers, which begin at multiples of 16 bytes, and that the kernel is given no null pointer",
            launch.threads()
        ),
        ..Assumption::default()
    }
}
