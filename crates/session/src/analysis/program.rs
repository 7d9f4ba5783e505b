//! A whole program from `main`: all that `raddle check` does, and `raddle races` where the threads are the program's own.

use super::Ticker;
use super::kept::{PartKept, PartsKept};
use super::select::MAIN;
use super::session::Session;
use super::stored::{self, Named};
use super::watch::{Parts, Watch, set_aside};
use crate::losses;
use crate::options::Merge;
use explore::{
    Exploration, FindingKey, JointOptions, Origin, Paused, Por, RootRule, SHARES, Workers, explore_until_fault,
};
use ir::FuncId;
use report::{Assumption, MatrixEntry, Report};
use std::borrow::Cow;
use std::sync::Arc;
use witness::{Setting, Threads};

/// There is no other part.
impl Parts for () {
    fn kept(&self) -> PartsKept<'_> {
        Vec::new()
    }
}

/// Explores the program and completes the report on it, with a matrix of one entry if that is asked for.
pub(super) fn run(
    mut session: Session,
    (main, in_matrix): (FuncId, bool),
    mut report: Report,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    session.parameters.bounds.merge.get_or_insert(Merge::Pays);
    session.engine.config = session.parameters.together();
    let best = session.parameters.schedules.of_whole_program(&session.engine.program);
    let por = session.parameters.por.or(best);
    let is_compared = match por {
        Some(Por::Unfolding(unfolding)) => best.is_some() && unfolding.cutoffs,
        por => por == Some(Por::ShortestFirst),
    };
    if session.parameters.bounds.spurious.is_none() {
        let program = &session.engine.program;
        if program.follows_sv_comp() {
            // SV-COMP's rules: no spurious wake-ups.
            (session.parameters.spurious, report.claim.spurious) = (0, Some(0));
        } else if is_compared {
            // Where states are compared, nobody need count them.
            (session.parameters.spurious, report.claim.spurious) = (machine::ANY_NUMBER, None);
        }
        session.engine.config = session.parameters.together();
    }
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    let origin = Origin::Main { program: Arc::clone(&session.engine.program), main, limits, config };
    let schedules = session.parameters.schedules;
    let options =
        JointOptions { schedules, failures: true, likely: session.parameters.likely, por, ..JointOptions::default() };
    let setting =
        Setting { entry: Threads::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
    let entry = in_matrix.then_some(0);
    // What another process has begun is not an earlier run's.
    let named = kept.is_empty().then(|| Named::of_program(&session.engine.program, &(&setting, options, config)));
    let PartKept { explored, paused, .. } = kept.into_iter().next().flatten().map(|part| *part).unwrap_or_default();
    let reused = match &named {
        Some(named) => reuse(&mut session, named, &setting, entry)?,
        None => None,
    };
    let is_reused = reused.is_some();
    let mut explored = match explored.map(Cow::into_owned).or(reused) {
        Some(explored) => explored,
        None => {
            let paused = paused.map_or_else(Default::default, |paused| paused.into_owned());
            explore(&mut session, &origin, options, paused, ticker)
        }
    };
    let paused = explored.paused.take();
    let is_over = paused.is_none();
    if let Some(paused) = paused {
        let part = PartKept { paused: Some(Cow::Owned(*paused)), ..PartKept::default() };
        set_aside(&session, vec![Some(Box::new(part))]);
    }
    report.assumptions.extend(no_execution(&session, &explored));
    session.note_first_race(&explored);
    if !is_reused {
        confirm_and_keep(&mut session, (&setting, &origin), &explored, entry, named.filter(|_| is_over))?;
    }
    if session.store.is_some() {
        session.close_store();
        session.note_reused(u64::from(is_reused), 1);
    }
    if is_over && session.time.hurried {
        let part = PartKept { explored: Some(Cow::Borrowed(&explored)), ..PartKept::default() };
        set_aside(&session, vec![Some(Box::new(part))]);
    }
    if in_matrix {
        let cause = losses::first(&explored.ledger);
        report.matrix.push(MatrixEntry { reused: is_reused, ..MatrixEntry::new([MAIN], cause) });
    }
    session.add_explored(&explored.ledger, explored.spent);
    session.add_reduction(&explored);
    if let Some(guided) = &explored.guided {
        session.add_guided(guided);
    }
    session.seen.paths = explored.counts.paths.len();
    session.finish(report, &explored.counts, is_over)
}

/// Goes on with the search as long as there is time.
fn explore(
    session: &mut Session,
    origin: &Origin,
    options: JointOptions,
    paused: Paused<'static>,
    ticker: &mut Ticker,
) -> Exploration {
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let budget = session.limited_search(None);
    let mut watch = Watch { ticker, session, others: [&(), &()] };
    let (explored, fault) = explore_until_fault(workers, origin, options, &budget, &mut watch, MAIN, paused);
    session.limited(None);
    session.failed(fault);
    explored
}

/// Where a program that was explored whole has no execution, something excludes them all.
fn no_execution(session: &Session, explored: &Exploration) -> Option<Assumption> {
    let found = !explored.findings.is_empty() || !session.found.confirmed.is_empty();
    // Those that are cut because a state came again have no end.
    let none = explored.counts.executions == 0 && explored.counts.redundant == 0;
    let none = none && explored.exhausted.is_none() && !found;
    none.then(|| Assumption {
        kind: "no_execution".to_owned(),
        detail: "what the program assumes, or the bounds: they exclude every execution".to_owned(),
        ..Assumption::default()
    })
}

/// Confirms what was found, and keeps it for later runs if it has a name for them.
fn confirm_and_keep(
    session: &mut Session,
    (setting, origin): (&Setting, &Origin),
    explored: &Exploration,
    entry: Option<usize>,
    named: Option<Named>,
) -> anyhow::Result<()> {
    let noted = std::mem::take(&mut session.engine.ledger);
    let confirmed = session.confirm(setting, origin, explored, None, entry, None)?;
    let mut ledger = std::mem::replace(&mut session.engine.ledger, noted);
    session.engine.ledger.merge(&ledger);
    ledger.merge(&explored.ledger);
    if let (Some(store), Some(named)) = (&mut session.store, &named) {
        let is_confirmed = |key: &FindingKey| confirmed.iter().any(|known| known.key == *key);
        let open = explored.findings.iter().filter(|(key, _)| !is_confirmed(key));
        let rest = Exploration {
            findings: open.map(|(key, found)| (key.clone(), found.clone())).collect(),
            ..explored.clone()
        };
        stored::keep(store, named, &rest, &ledger, &confirmed);
    }
    Ok(())
}

/// What an earlier run found out about the program, if all that it found shows again.
fn reuse(
    session: &mut Session,
    named: &Named,
    setting: &Setting,
    entry: Option<usize>,
) -> anyhow::Result<Option<Exploration>> {
    let Some(store) = &mut session.store else { return Ok(None) };
    let Some(reused) = stored::reuse(store, named) else { return Ok(None) };
    // What is lost by replaying was noted when that was done first.
    let noted = session.engine.ledger.clone();
    let again = session.confirm_again(setting, &reused.confirmed, (None, entry))?;
    session.engine.ledger = noted;
    Ok(again.then_some(Exploration { ledger: reused.ledger, ..reused.explored }))
}
