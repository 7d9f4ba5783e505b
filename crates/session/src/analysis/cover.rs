//! `raddle cover`: every branch of a program by inputs and interferences.

use super::Ticker;
use super::baseline::{self, Baseline};
use super::callers::{Callers, callers};
use super::parameters::Parameters;
use super::present::input_value;
use super::select::MAIN;
use super::session::Session;
use super::suite;
use crate::errors::InputError;
use crate::losses;
use crate::options::{CoverOptions, SearchRequest};
use crate::run::Run;
use concurrency::Site;
use explore::{
    Counts, Coverage, CoveredWay, Exploration, Origin, Pair, RootRule, Spent, Wanted, Way, branch_numbers, called_by,
    called_from, cover, ways,
};
use ir::{FuncId, Terminator};
use machine::{Ledger, LossSite, Program};
use report::{
    AccessPlace, Assumption, BranchEntry, BranchOutcome, CoverEntry, DefUseEntry, DegreeEntry, Input, Report,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use witness::{ProgramRef, Setting, Threads};

/// Covers the branches of a program.
///
/// # Errors
/// When the program has no `main` or no branch, or the engine fails.
pub fn covered(module: ir::Module, options: &CoverOptions, run: &Run) -> anyhow::Result<Report> {
    let mut parameters = Parameters::of_check(&options.check, run);
    // Who waits is told to wake up, and never wakes up by itself, unless that is asked for.
    parameters.spurious = options.check.bounds.spurious.unwrap_or(0);
    parameters.bounds.merge = None;
    parameters.summaries = crate::options::Summaries::Never;
    // Before the folder is emptied that it may be.
    let baseline = baseline::read(&module, options.baseline.as_deref(), run)?;
    let folder = suite::open(options.tests.as_deref(), &run.start()?)?;
    let (module, mut callers) = match options.operations.is_empty() {
        true => (module, None),
        false => {
            let mut callers = callers(module, options, (run, folder.as_ref()))?;
            (std::mem::take(&mut callers.module), Some(callers))
        }
    };
    let mut session = Session::new(module, parameters, &SearchRequest::Check(options.check.clone()), run)?;
    if let Some(callers) = &callers {
        let fingerprint = session.files.program_ref.fingerprint.clone();
        session.files.program_ref = ProgramRef { fingerprint, ..callers.program_ref.clone() };
    }
    let program = Arc::clone(&session.engine.program);
    let main =
        program.module.functions_named(MAIN).find(|&id| !program.module[id].is_declaration()).ok_or_else(|| {
            let message =
                "the program has no `main`: name the operations of a library that are to be called at once with --op";
            InputError::new("no_main", message)
        })?;
    let called = callers.as_ref().map(|callers| called_from_clients(&program, callers));
    let wanted = match options.def_use {
        true => Vec::new(),
        false => wanted(&program, called.as_ref())?,
    };
    let ticker = &mut Ticker::new(run);
    explore::Progress::begin(ticker, "branches");
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    let ledger = callers.as_mut().map(|callers| std::mem::take(&mut callers.ledger));
    let origin = Origin::Main { program: Arc::clone(&program), main, limits, config };
    let budget = session.limited_search(None);
    // There are always tests to replay, for which time is kept back.
    budget.found.store(true, Ordering::Relaxed);
    let how = explore::CoverOptions {
        max_degree: options.max_degree,
        guidance: !options.no_guidance,
        no_duplicates: !options.duplicates,
        subsumption: !options.no_subsumption,
        priorities: !options.no_priorities,
        def_use: options.def_use,
        shuffle: None,
    };
    // On an engine of its own: it may fail, and what was covered is to be told all the same.
    let mut engine = (session.new_engine())(&program)?;
    let wanted = Wanted { ways: wanted, baseline: baseline.iter().flat_map(Baseline::tests).cloned().collect() };
    let (mut coverage, fault) = cover(&mut engine, &origin, wanted, how, &budget, ticker);
    session.limited(None);
    if let Some(callers) = &callers {
        callers.take_failures_alone(&mut coverage);
    }
    if let Some(ledger) = ledger {
        coverage.ledger.merge(&ledger);
        coverage.for_all &= ledger.is_empty();
    }
    session.failed(fault);
    let spent = Spent {
        statistics: engine.statistics,
        solver: engine.solver_stats(),
        assumed: engine.assumed,
        ..Spent::default()
    };
    session.add_explored(&Ledger::default(), spent);
    let mut claim = options.check.claim();
    (claim.spurious, claim.max_k) = (Some(session.parameters.spurious), options.max_degree);
    let mut report = Report::new("cover", claim);
    fill(&program, (main, callers.is_some()), &coverage, &mut report);
    if options.def_use {
        report.pairs_def_use = Some(pairs(&program, called.as_ref(), &coverage));
    }
    report.baseline_tests = baseline.as_ref().map(|baseline| baseline.entries(&coverage));
    if let Some(callers) = callers {
        session.add_explored(&Ledger::default(), callers.spent);
        report.sequential = callers.sequential;
        report.assumptions.push(callers.assumption);
    }
    let limits = session.parameters.limits();
    let setting =
        Setting { entry: Threads::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
    confirm(&mut session, (&setting, &origin), &coverage)?;
    suite::write(&mut session, &setting, &coverage, folder.as_ref(), &mut report)?;
    note_losses(&mut session, &coverage, &mut report);
    let counts = Counts { executions: coverage.executions, redundant: coverage.diverged, ..Counts::default() };
    session.finish(report, &counts, coverage.exhausted.is_none())
}

/// What the operations of a library call, themselves among it.
fn called_from_clients(program: &Program, callers: &Callers) -> BTreeSet<FuncId> {
    let operations = callers.names.iter().flat_map(|name| program.module.functions_named(name));
    operations.flat_map(|function| called_by(program, function)).collect()
}

/// What is to be covered: the program's branches, or those that the operations of a library come to.
///
/// # Errors
/// When there is nothing.
fn wanted(program: &Program, called: Option<&BTreeSet<FuncId>>) -> Result<Vec<Way>, InputError> {
    let mut wanted = ways(program);
    if let Some(called) = called {
        wanted.retain(|&(site, _)| program.site_function(site).is_some_and(|function| called.contains(&function)));
    }
    if wanted.is_empty() {
        let (whose, instead) = match called {
            Some(_) => ("the operations have", "raddle races"),
            None => ("the program has", "raddle check"),
        };
        let message = format!("{whose} no branch: there is nothing to cover; {instead} looks for what is wrong in it");
        return Err(InputError::new("no_branch", message));
    }
    Ok(wanted)
}

fn confirm(session: &mut Session, (setting, origin): (&Setting, &Origin), coverage: &Coverage) -> anyhow::Result<()> {
    let explored =
        Exploration { findings: coverage.findings.clone(), sites: coverage.sites.clone(), ..Exploration::default() };
    session.confirm(setting, origin, &explored, None, None, None).map(|_| ())
}

/// What keeps ways that are not covered from being called impossible; where all are covered, degrees from being called least.
fn note_losses(session: &mut Session, coverage: &Coverage, report: &mut Report) {
    if coverage.is_full {
        if coverage.is_cut_short {
            report.assumptions.push(Assumption {
                kind: "degrees_not_least".to_owned(),
                detail: "ways that tests of the baseline take may take fewer interferences than the report says: that was not looked for"
                    .to_owned(),
                ..Assumption::default()
            });
        }
        if let Some(first) = losses::first(&coverage.ledger) {
            report.assumptions.push(Assumption {
                kind: "degrees_not_least".to_owned(),
                detail: format!("a way may take fewer interferences than the report says: {first}"),
                ..Assumption::default()
            });
        }
        return;
    }
    session.engine.ledger.merge(&coverage.ledger);
    if let Some(exhausted) = coverage.exhausted {
        let (kind, remedy) = exhausted.loss();
        session.engine.note(kind, LossSite::Search("interferences".to_owned()), remedy);
    }
}

/// The branches and degrees of the report.
fn fill(program: &Program, (main, is_library): (FuncId, bool), coverage: &Coverage, report: &mut Report) {
    let reachable = called_from(program, main);
    // What no client of so many calls comes to, others may.
    let why = match reason(coverage) {
        why if is_library && why == IMPOSSIBLE => "bound".to_owned(),
        why => why,
    };
    let numbers = branch_numbers(program);
    let entry = |&(site, way): &Way| {
        let at = place(program, site)?;
        let known = coverage.covered.get(&(site, way));
        let is_called = is_library || program.site_function(site).is_some_and(|function| reachable.contains(&function));
        let reason = known.is_none().then(|| if is_called { why.clone() } else { "impossible".to_owned() });
        Some(BranchEntry {
            file: at.file,
            line: at.line,
            column: at.column,
            number: numbers.get(&site).copied(),
            outcome: outcome(program, site, way)?,
            degree: known.map(|known| known.degree),
            test: known.map(|known| suite::id(known.test)),
            for_all_k: known.is_none() && (!is_called || why == IMPOSSIBLE && coverage.for_all),
            reason,
            function: at.function,
        })
    };
    let mut branches: Vec<BranchEntry> = coverage.ways.iter().filter_map(entry).collect();
    let in_source = |entry: &BranchEntry| (entry.file.clone(), entry.line, entry.column, entry.number, entry.outcome);
    branches.sort_by_key(in_source);
    report.branches = Some(branches);
    let degree = |(&k, counts): (&u32, &explore::DegreeCounts)| DegreeEntry {
        k,
        covered: counts.covered,
        candidates: counts.candidates,
        realized: counts.realized,
    };
    report.tests = Some(coverage.tests.iter().enumerate().map(|(index, test)| execution(index, test)).collect());
    report.degrees = Some(coverage.degrees.iter().map(degree).collect());
}

/// Pairs of a write and a read of the report: of a library, those of its operations.
fn pairs(program: &Program, called: Option<&BTreeSet<FuncId>>, coverage: &Coverage) -> Vec<DefUseEntry> {
    let why = match reason(coverage) {
        why if called.is_some() && why == IMPOSSIBLE => "bound".to_owned(),
        why => why,
    };
    let is_own = |site: Site| {
        program.site_function(site).is_some_and(|function| called.is_none_or(|called| called.contains(&function)))
    };
    let at = |site| {
        let Place { file, line, column, function } = place(program, site)?;
        Some(AccessPlace { file, line, column, function })
    };
    let entry = |(&(write, read), known): (&Pair, &Option<CoveredWay>)| {
        Some(DefUseEntry {
            write: at(write)?,
            read: at(read)?,
            degree: known.map(|known| known.degree),
            test: known.map(|known| suite::id(known.test)),
            reason: known.is_none().then(|| why.clone()),
            for_all_k: known.is_none() && why == IMPOSSIBLE && coverage.for_all,
        })
    };
    let asked = coverage.pairs.iter().filter(|((write, read), _)| is_own(*write) && is_own(*read));
    let mut all: Vec<DefUseEntry> = asked.filter_map(entry).collect();
    all.sort_by(|a, b| (&a.read, &a.write).cmp(&(&b.read, &b.write)));
    all
}

/// An execution, by its index.
fn execution(index: usize, test: &explore::CoverTest) -> CoverEntry {
    let mut schedule: Vec<(String, u32)> = Vec::new();
    for turn in &test.turns {
        match schedule.last_mut() {
            Some((last, count)) if *last == turn.thread => *count += 1,
            _ => schedule.push((turn.thread.clone(), 1)),
        }
    }
    let input = |input: &explore::CoverInput| Input {
        name: input.name.clone(),
        value: input_value(&input.bytes, input.floating),
    };
    let inputs = test.inputs.iter().map(input).collect();
    CoverEntry { id: suite::id(index), inputs, schedule, witness: None, file: None }
}

/// Where a branch stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

/// The place of an instruction; all but its function is empty where the source is not known.
pub(super) fn place(program: &Program, site: Site) -> Option<Place> {
    let function = program.module[program.site_function(site)?].name.clone();
    let Some(location) = program.site_location(site).map(|location| &program.module[location]) else {
        return Some(Place { function, ..Place::default() });
    };
    let file = program.module[location.file].path.clone();
    Some(Place { file, line: location.line, column: location.column, function })
}

/// A way: `true`, `case 3`.
pub(super) fn outcome_in_words(program: &Program, site: Site, way: u64) -> Option<String> {
    outcome(program, site, way).map(|outcome| outcome.to_string())
}

const IMPOSSIBLE: &str = "impossible";

/// Why ways are not covered that are not.
fn reason(coverage: &Coverage) -> String {
    match (coverage.exhausted, losses::first_kind(&coverage.ledger)) {
        (Some(exhausted), _) => exhausted.loss().0.name().to_owned(),
        (None, Some(kind)) if kind == "loop_bound" || kind == "step_bound" => "bound".to_owned(),
        (None, Some(kind)) => kind,
        (None, None) => IMPOSSIBLE.to_owned(),
    }
}

pub(super) fn outcome(program: &Program, site: Site, way: u64) -> Option<BranchOutcome> {
    match program.terminator(site)? {
        Terminator::Branch { .. } => Some(BranchOutcome::Holds(way != 0)),
        Terminator::Switch { cases, ty, .. } => Some(match cases.get(way as usize) {
            Some((case, _)) => BranchOutcome::Case(signed(*case, ty.bits(program.module.pointer))),
            None => BranchOutcome::Default,
        }),
        _ => None,
    }
}

/// A number of so many bits, which C writes with a sign.
fn signed(number: u64, bits: u16) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((number << shift) as i64) >> shift
}
