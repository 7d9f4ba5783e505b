//! A whole program from `main`: all that `raddle check` does, and `raddle races` where the threads are the program's own.

use super::kept::{PartKept, PartsKept};
use super::remedies::{Ground, Part, may_help};
use super::robust::Question;
use super::select::MAIN;
use super::session::{Measure, STEPS_PER_SECOND, Session};
use super::stored::{self, Named};
use super::until_found::{self, About};
use super::watch::{Parts, set_aside};
use super::{Ticker, asked};
use crate::losses;
use crate::options::Merge;
use explore::{
    Budget, Enough, Exhausted, Exploration, FindingKey, Found, JointOptions, Origin, Paused, Por, RootRule, SHARES,
    Workers,
};
use ir::FuncId;
use machine::{Ledger, LossKind, LossSite};
use report::{Assumption, Claim, MatrixEntry, Report};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};
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
    let (origin, options) = begin(&mut session, main, &mut report.claim);
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    let setting =
        Setting { entry: Threads::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
    let entry = in_matrix.then_some(0);
    // What another process has begun is not an earlier run's.
    // Nor is what was left out for what was asked kept with what was found.
    let is_whole = kept.is_empty() && session.parameters.property.is_none();
    let named = is_whole.then(|| Named::of_program(&session.engine.program, &(&setting, options, config)));
    let PartKept { explored, paused, .. } = kept.into_iter().next().flatten().map(|part| *part).unwrap_or_default();
    let reused = match &named {
        Some(named) => reuse(&mut session, named, &setting, entry)?,
        None => None,
    };
    let is_reused = reused.is_some();
    let mut explored = match explored.map(Cow::into_owned).or(reused) {
        Some(explored) => explored,
        None => {
            let about = (&setting, &origin, entry);
            match paused {
                Some(paused) => explore(&mut session, about, options, paused.into_owned(), (None, ticker))?,
                None => explore_in_stages(&mut session, about, options, ticker)?,
            }
        }
    };
    let is_robust = !is_reused && {
        let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let question = Question { origin: &origin, options, others: [&(), &()] };
        session.ask_of_weak(&question, &mut explored, left, ticker)
    };
    let paused = explored.paused.take();
    let is_over = explored.exhausted.is_none();
    // Who had enough does not go on.
    if let Some(paused) = paused.filter(|_| explored.exhausted != Some(Exhausted::Enough) && !session.proved) {
        let part = PartKept { paused: Some(Cow::Owned(*paused)), ..PartKept::default() };
        set_aside(&session, vec![Some(Box::new(part))]);
    }
    report.assumptions.extend(no_execution(&session, &explored));
    session.note_first_race(&explored);
    let property = session.parameters.property.clone();
    let others = asked::leave_out(&mut explored.findings, property.as_ref());
    session.say_of(others, &mut report);
    if let Some(unlooked) = property.and_then(|property| property.unlooked) {
        session.engine.note(LossKind::Unsupported, LossSite::Search(MAIN.to_owned()), unlooked);
    }
    if !is_reused {
        confirm_and_keep(&mut session, (&setting, &origin), &explored, entry, named.filter(|_| is_over && !is_robust))?;
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
    // A header's functions that nobody calls are none of the program's.
    let callable = explore::called_from(origin.program(), main);
    let program = Arc::clone(origin.program());
    let is_typed = |function: &ir::Function| {
        let file = function.file.map(|file| &program.module[file].path);
        file.is_some_and(|file| session.files.program_ref.typed.contains(file))
    };
    let counts = |id, function: &ir::Function| callable.contains(&id) || is_typed(function);
    let mut reach = std::mem::take(&mut session.reach);
    reach.add(&program, &explored.spent.came, counts);
    session.reach = reach;
    session.add_explored(&explored.ledger, std::mem::take(&mut explored.spent));
    session.add_reduction(&explored);
    if let Some(guided) = &explored.guided {
        session.add_guided(guided);
    }
    session.seen.paths = explored.counts.paths.len();
    session.seen.executions_left = explored.remaining.executions();
    let ground = ground(&session, (&origin, main, options), &explored);
    session.finish_with(report, &explored.counts, is_over, ground.as_ref().map(|ground| (ground, ticker)))
}

/// What remedies are tried on; none where not all was explored, or there is nothing to mend.
fn ground(
    session: &Session,
    (origin, main, options): (&Origin, FuncId, JointOptions),
    explored: &Exploration,
) -> Option<Ground> {
    let parameters = &session.parameters;
    let is_whole = parameters.property.is_none() && !parameters.stop_on_finding && explored.exhausted.is_none();
    let is_asked = parameters.remedies && session.found.confirmed.iter().any(|(found, _)| may_help(found));
    let parts = || vec![Part::program(origin, main, options)];
    (is_whole && is_asked && options.schedules.are_divisible()).then(|| Ground::new(parts(), &[&explored.ledger]))
}

/// Where executions begin, and how the program is explored. What that changes in the claim.
pub(super) fn begin(session: &mut Session, main: FuncId, claim: &mut Claim) -> (Origin, JointOptions) {
    let options = options(session, claim);
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    (Origin::Main { program: Arc::clone(&session.engine.program), main, limits, config }, options)
}

fn options(session: &mut Session, claim: &mut Claim) -> JointOptions {
    session.parameters.bounds.merge.get_or_insert(Merge::Pays);
    session.engine.config = session.parameters.together();
    let (schedules, program) = (session.parameters.schedules, &session.engine.program);
    let (best, by_states) = (schedules.of_whole_program(program), schedules.by_states(program));
    let por = match session.parameters.por {
        Some(Por::ShortestFirst) => by_states,
        Some(por) => Some(por),
        None if session.parameters.counts_executions() => best,
        None => by_states,
    };
    let is_compared = match por {
        Some(Por::Unfolding(unfolding)) => best.is_some() && unfolding.cutoffs,
        por => por == Some(Por::ShortestFirst),
    };
    if session.parameters.bounds.spurious.is_none() {
        let program = &session.engine.program;
        if program.follows_sv_comp() {
            // SV-COMP's rules: no spurious wake-ups.
            (session.parameters.spurious, claim.spurious) = (0, Some(0));
        } else if is_compared {
            // Where states are compared, nobody need count them.
            (session.parameters.spurious, claim.spurious) = (machine::ANY_NUMBER, None);
        }
        session.engine.config = session.parameters.together();
    }
    let order = session.parameters.bounds.order;
    JointOptions { schedules, failures: true, likely: session.parameters.likely, por, order, ..JointOptions::default() }
}

/// Explores the program as [`run`] does, and confirms nothing: what is found, until all that is `wanted` was, if anything is.
pub(super) fn look(
    mut session: Session,
    main: FuncId,
    wanted: Option<Enough>,
    ticker: &mut Ticker,
) -> anyhow::Result<Exploration> {
    let (origin, options) = begin(&mut session, main, &mut Claim::default());
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let mut earlier: FxHashMap<FindingKey, Found> = FxHashMap::default();
    // As in `explore_in_stages`.
    let is_chosen = session.parameters.por.is_none() && options.por == Some(Por::ShortestFirst);
    let depth_first = (is_chosen && !session.engine.program.has_endless_loop()).then_some(None);
    let stages: Vec<Option<Por>> = depth_first.into_iter().chain([options.por]).collect();
    for (number, &por) in stages.iter().enumerate() {
        let budget = Budget { enough: wanted.clone(), ..session.limited_search(None) };
        let options = JointOptions { por, ..options };
        let mut explored = explore::explore(workers, &origin, options, &budget, ticker, MAIN, Paused::default())?;
        let is_last = number + 1 == stages.len();
        let is_cut = explored.ledger.entries().any(|(entry, _)| BOUNDS.contains(&entry.kind));
        earlier.extend(std::mem::take(&mut explored.findings));
        let is_over = explored.exhausted.is_none() && !is_cut || explored.exhausted == Some(Exhausted::Enough);
        if is_over || is_last {
            return Ok(Exploration { findings: earlier, ..explored });
        }
    }
    Ok(Exploration { findings: earlier, ..Exploration::default() })
}

/// How many threads are enough to begin with where nothing in the code says how many there can be.
const FEW_THREADS: [u32; 5] = [2, 3, 4, 6, 10];

/// The part of the time in which few threads are explored first, and the time where there is no limit.
const FOR_FEW: u32 = 2;
const FOR_FEW_AT_MOST: Duration = Duration::from_secs(60);

/// How far a search by states goes depth first before it: five seconds, counted in steps. The part of a limited time that this takes at most,
/// and the time where solvers take longer than steps.
const DEPTH_FIRST: Measure = Measure::Steps(5 * STEPS_PER_SECOND);
const DEPTH_FIRST_PART: u32 = 8;
const DEPTH_FIRST_AT_MOST: Duration = Duration::from_secs(20);

/// Tasks after which it shows whether most executions come back to states in which they have been: some hundred thousand steps.
pub(super) const TRIAL: u64 = 12;

/// So many that do.
pub(super) const MOST_REPEATED: u64 = 1 << 8;

/// By states, loops are cut only where a state takes so many rounds.
const BOUNDS: [LossKind; 4] = [LossKind::LoopBound, LossKind::EndlessLoop, LossKind::StepBound, LossKind::ThreadBound];

/// Explores the program in the order in which findings come soon. Where it may create threads without number, first with few of them: what a
/// few do does not wait for what many can do.
fn explore_in_stages(
    session: &mut Session,
    (setting, origin, entry): (&Setting, &Origin, Option<usize>),
    options: JointOptions,
    ticker: &mut Ticker,
) -> anyhow::Result<Exploration> {
    let most = session.parameters.bounds.most_threads;
    // Who counts executions explores the whole at once.
    let is_counted = session.parameters.counts_executions();
    let are_countless = !is_counted && session.engine.program.creates_threads_without_number();
    let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let until = Instant::now() + left.map_or(FOR_FEW_AT_MOST, |left| left / FOR_FEW);
    for few in FEW_THREADS.into_iter().filter(|&few| are_countless && few < most) {
        let time = until.saturating_duration_since(Instant::now());
        if time.is_zero() {
            break;
        }
        session.parameters.bounds.most_threads = few;
        session.engine.config = session.parameters.together();
        let about = (setting, &origin.within_threads(few), entry);
        let explored = explore(session, about, options, Paused::default(), (Some(time), ticker));
        let ended = explored.and_then(|explored| end_stage(session, about, explored, &[LossKind::ThreadBound]));
        session.parameters.bounds.most_threads = most;
        session.engine.config = session.parameters.together();
        if let Some(explored) = ended? {
            return Ok(explored);
        }
    }
    // The way to the end of some execution is short depth first, and long where all states come in between.
    let is_chosen = session.parameters.por.is_none() && options.por == Some(Por::ShortestFirst);
    if !is_counted && is_chosen && !session.engine.program.has_endless_loop() {
        let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = left.map_or(DEPTH_FIRST_AT_MOST, |left| left / DEPTH_FIRST_PART).min(DEPTH_FIRST_AT_MOST);
        let depth_first = JointOptions { por: None, ..options };
        let about = (setting, origin, entry);
        let explored = session.measured(DEPTH_FIRST, |session| {
            explore(session, about, depth_first, Paused::default(), (Some(time), ticker))
        })?;
        if let Some(explored) = end_stage(session, about, explored, &BOUNDS)? {
            return Ok(explored);
        }
    }
    let about = (setting, origin, entry);
    match session.parameters.schedules.by_states(&session.engine.program) {
        Some(by_states) if is_counted && session.parameters.por.is_none() && options.por.is_none() => {
            explore_counting(session, about, (options, by_states), ticker)
        }
        _ => explore(session, about, options, Paused::default(), (None, ticker)),
    }
}

/// Counts executions, unless so many of them come back to a state in which they have been that they would take too long: as where threads
/// wait for each other by looking, for as long as they like. Then each state is gone on from once.
fn explore_counting(
    session: &mut Session,
    (setting, origin, entry): (&Setting, &Origin, Option<usize>),
    (options, by_states): (JointOptions, Por),
    ticker: &mut Ticker,
) -> anyhow::Result<Exploration> {
    let about = (setting, origin, entry);
    let mut trial = session.measured(Measure::Tasks(TRIAL), |session| {
        explore(session, about, options, Paused::default(), (None, ticker))
    })?;
    if trial.exhausted != Some(Exhausted::Interrupted) || session.exhausted().is_some() {
        return Ok(trial);
    }
    if trial.counts.repeated < MOST_REPEATED {
        let rest = trial.paused.take().map_or_else(Paused::default, |rest| *rest);
        return explore(session, about, options, rest, (None, ticker));
    }
    session.add_explored(&Ledger::default(), trial.spent);
    let options = JointOptions { por: Some(by_states), ..options };
    let mut explored = explore(session, about, options, Paused::default(), (None, ticker))?;
    if explored.exhausted.is_some() {
        // What was found before counts all the same.
        let known = std::mem::take(&mut trial.findings);
        for (key, found) in known {
            explored.findings.entry(key).or_insert(found);
        }
    }
    Ok(explored)
}

/// Takes over what a stage found; if that is all there is to do, what the search came to. Where nobody comes to these `bounds`, there are
/// none, and nothing else is left.
fn end_stage(
    session: &mut Session,
    (setting, origin, entry): (&Setting, &Origin, Option<usize>),
    mut explored: Exploration,
    bounds: &[LossKind],
) -> anyhow::Result<Option<Exploration>> {
    let is_cut = explored.ledger.entries().any(|(entry, _)| bounds.contains(&entry.kind));
    if explored.exhausted.is_none() && !is_cut {
        return Ok(Some(explored));
    }
    session.note_first_race(&explored);
    let (findings, sites) = (std::mem::take(&mut explored.findings), explored.sites.clone());
    let mut counted = Exploration { findings, sites, ..Exploration::default() };
    asked::leave_out(&mut counted.findings, session.parameters.property.as_ref());
    session.confirm(setting, origin, &counted, None, entry, None)?;
    if explored.exhausted == Some(Exhausted::Enough) || session.exhausted().is_some() {
        // Whoever goes on begins with the whole.
        explored.paused = Some(Box::default());
        return Ok(Some(explored));
    }
    session.add_explored(&Ledger::default(), explored.spent);
    Ok(None)
}

/// Goes on with the search.
fn explore(
    session: &mut Session,
    (setting, origin, entry): (&Setting, &Origin, Option<usize>),
    options: JointOptions,
    paused: Paused<'static>,
    time: (Option<Duration>, &mut Ticker),
) -> anyhow::Result<Exploration> {
    let about = About { setting, origin, name: MAIN, shape: None, entry };
    until_found::explore(session, about, options, paused, time)
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
