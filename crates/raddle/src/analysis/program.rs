//! A whole program from `main`: all that `raddle check` does, and `raddle races` where the threads are the program's own.

use super::Ticker;
use super::kept::PartKept;
use super::select::MAIN;
use super::session::Session;
use super::watch::{Parts, Watch, set_aside};
use explore::{JointOptions, Likely, Origin, RootRule, SHARES, Workers, explore};
use ir::FuncId;
use report::{Assumption, MatrixEntry, Report};
use std::borrow::Cow;
use std::sync::Arc;
use witness::{Entry, Setting};

/// There is no other part.
impl Parts for () {
    fn kept(&self) -> Vec<PartKept<'_>> {
        Vec::new()
    }
}

/// Explores the program and completes the report on it. Where likely races are looked for, it has a matrix of one entry.
pub(super) fn run(
    mut session: Session,
    main: FuncId,
    mut report: Report,
    kept: Vec<PartKept<'static>>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let likely = session.parameters.likely;
    let in_matrix = likely != Likely::Never;
    if !session.parameters.spurious_given && session.engine.program.follows_sv_comp() {
        // SV-COMP's rules: no spurious wake-ups.
        session.parameters.spurious = 0;
        report.claim.spurious = 0;
        session.engine.config = session.parameters.together();
    }
    let limits = session.parameters.limits();
    let origin = Origin::Main {
        program: Arc::clone(&session.engine.program),
        main,
        limits,
        config: session.parameters.together(),
    };
    let preemptions = session.parameters.preemptions;
    let options = JointOptions { preemptions, failures: true, likely, ..JointOptions::default() };
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let PartKept { explored, paused, .. } = kept.into_iter().next().unwrap_or_default();
    let mut explored = match explored {
        Some(explored) => explored.into_owned(),
        None => {
            let paused = paused.map_or_else(Default::default, |paused| paused.into_owned());
            let mut watch = Watch { ticker, session: &session, others: [&(), &()] };
            explore(workers, &origin, options, &session.budget, &mut watch, "main", paused)?
        }
    };
    let paused = explored.paused.take();
    let is_over = paused.is_none();
    if let Some(paused) = paused {
        set_aside(&session, vec![PartKept { paused: Some(Cow::Owned(*paused)), ..PartKept::default() }]);
    }
    let setting =
        Setting { entry: Entry::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
    if explored.counts.executions == 0 && explored.exhausted.is_none() && explored.findings.is_empty() {
        report.assumptions.push(Assumption {
            kind: "no_execution".to_owned(),
            detail: "what the program assumes, or the bounds: they exclude every execution".to_owned(),
            ..Assumption::default()
        });
    }
    session.note_first_race(&explored);
    let entry = in_matrix.then_some(0);
    session.confirm(&setting, &origin, &explored, None, entry, None)?;
    if is_over && session.hurried {
        let part = PartKept { explored: Some(Cow::Borrowed(&explored)), ..PartKept::default() };
        set_aside(&session, vec![part]);
    }
    if in_matrix {
        let cause = explored.ledger.entries().next().map(|(entry, _)| format!("{} at {}", entry.kind, entry.place));
        report.matrix.push(MatrixEntry::new([MAIN], cause));
    }
    session.add_explored(&explored.ledger, explored.spent);
    if let Some(guided) = &explored.guided {
        session.add_guided(guided);
    }
    session.paths = explored.counts.paths.len();
    session.finish(report, &explored.counts, is_over)
}
