//! `raddle races`: the operations of a library, in every combination.

use super::Ticker;
use super::changed::{Before, only_changed};
use super::contracts::{Contract, Contracts};
use super::entries::{Entry, Table, explore_all};
use super::from_tests;
use super::given::leaves_threads;
use super::kept::PartsKept;
use super::matrix::{Combinations, combinations, most_operations, reported};
use super::private;
use super::program;
use super::reached;
use super::remedies::{Ground, Part, may_help};
use super::select::{
    self, MAIN, candidates, default_operations, listed, named as named_operation, starts_threads, touches_shared,
};
use super::session::Session;
use super::valid;
use crate::errors::{InputError, UsageError};
use crate::losses;
use crate::notice::complain;
use crate::options::{ExternMode, Heaps};
use explore::{
    AloneSummary, Counts, Dropped, Exhausted, Exploration, JointOptions, LibraryOptions, Likely, Operation, Sequence,
};
use ir::{DebugType, FuncId, Module, TypeId};
use machine::{Config, Ledger, LedgerEntry, LossKind, LossSite, Program, Remedy};
use report::{Assumption, Claim, MatrixEntry, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn run(
    mut session: Session,
    claim: Claim,
    kept: PartsKept<'static>,
    before: Option<Before>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    if let Some(main) = whole_program(&mut session)? {
        from_tests::refuse_beside_main(&session)?;
        if before.is_some() {
            complain("raddle: notice: --changed-since is about operations; the whole program is explored\n");
        }
        let report = Report::new("races", Claim { roots: Claim::default().roots, globals: None, ..claim });
        return program::run(session, (main, true), report, kept, ticker);
    }
    let Library { operations, contracts, mut left_out, unused } = Library::of(&session)?;
    for origin in unused {
        complain(&format!("raddle: notice: {origin}: none of the operations has this parameter\n"));
    }
    let lifecycles = contracts.lifecycles(&session.engine.program.module, &operations);
    let is_unsynchronised = !session.engine.program.synchronises();
    let unsynchronised = unsynchronised(&session, &operations);
    if session.parameters.library.heaps == Heaps::Reached {
        let mut report = Report { lifecycles, is_unsynchronised, unsynchronised, ..Report::new("races", claim) };
        from_tests::first(&mut session, &mut report, (&operations, &contracts), ticker)?;
        report.assumptions.extend(called_by_others(&session));
        report.assumptions.extend(unused_statics(&session));
        report.assumptions.extend(first_calls(&session));
        left_out.merge(&reached::look_at_called(&mut session, (&operations, &contracts), ticker)?);
        session.engine.ledger.merge(&left_out);
        return reached::run(session, report, (&operations, &contracts), ticker);
    }
    let options = library_options(&session, &operations)?;
    let mut report = Report { lifecycles, is_unsynchronised, unsynchronised, ..Report::new("races", claim) };
    from_tests::first(&mut session, &mut report, (&operations, &contracts), ticker)?;
    // What is gone on with begins so as well, for what clients show is not put aside.
    if session.parameters.library.heaps == Heaps::Both && !session.time.budget.apart {
        reached::first(&mut session, &mut report, (&operations, &contracts), ticker)?;
        let called = reached::look_at_called(&mut session, (&operations, &contracts), ticker)?;
        if let Some(reached) = &mut report.reached {
            reached.ledger.extend(losses::lines(&called));
        }
        left_out.merge(&called);
    }
    report.assumptions.extend(private::assumptions(&session.engine.program.module, &operations));
    let mut entries = entries_of(&session, options, (&operations, &contracts), before, &mut report)?;
    report.assumptions.extend(kept_apart(&session, &operations, &contracts, &entries));
    note_all_kept_apart(&mut session, &entries);
    report.assumptions.extend(called_by_others(&session));
    report.assumptions.extend(unused_statics(&session));
    report.assumptions.extend(first_calls(&session));
    if !kept.is_empty() && kept.len() != entries.len() {
        let message = "what has changed is not what it was when the search began; run `raddle` again";
        return Err(InputError::new("program_changed", message).into());
    }
    for (entry, kept) in entries.iter_mut().zip(kept) {
        entry.resume(kept);
    }
    // What the report takes is taken when the search is over.
    let spared = reported(entries.len());
    let parameters = &session.parameters;
    let name = if (parameters.bounds.threads, parameters.bounds.calls) == (2, 1) { "pairs" } else { "combinations" };
    session.spare(spared);
    explore_all(&mut session, &mut entries, name, ticker)?;
    let is_over = entries.iter().all(Entry::is_over);
    report.assumptions.extend(only_races(&entries));
    note_unbegun(&mut session, &mut entries);
    session.engine.ledger.merge(&left_out);
    let ground = ground(&session, &entries, report.claim.changed_since.is_some());
    let counts = take_over(&mut session, entries, &mut report);
    let reused = report.matrix.iter().filter(|entry| entry.reused).count();
    session.note_reused(reused as u64, report.matrix.len() as u64);
    session.finish_with(report, &counts, is_over, ground.as_ref().map(|ground| (ground, ticker)))
}

/// The names of those that do not synchronise.
fn unsynchronised(session: &Session, operations: &[Operation]) -> BTreeSet<String> {
    let program = &session.engine.program;
    let without = operations.iter().filter(|operation| !program.synchronises_in(operation.function));
    without.map(|operation| operation.name.clone()).collect()
}

/// Entries that are explored again for a remedy at the most.
const MOST_AGAIN: usize = 1000;

/// What remedies are tried on; none where not all was explored that they may change, or there is nothing to mend. `is_part`: only what has
/// changed was explored.
fn ground(session: &Session, entries: &[Entry], is_part: bool) -> Option<Ground> {
    let is_whole =
        !is_part && session.parameters.schedules.are_divisible() && session.parameters.likely != Likely::Only;
    let is_over = entries.iter().all(|entry| entry.is_over() && entry.unbegun.is_none());
    let is_asked = session.parameters.remedies && session.found.confirmed.iter().any(|(found, _)| may_help(found));
    if !is_asked || !is_whole || !is_over || entries.len() > MOST_AGAIN {
        return None;
    }
    // Where all only read, that is shown by others as long as none of them takes a lock.
    let runs = entries.iter().filter(|entry| entry.is_explored() || entry.only_read && entry.kept_apart.is_none());
    let program = &session.engine.program;
    let parts = runs.filter_map(|entry| Part::library(program, &entry.threads(), entry.options())).collect();
    let lost: Vec<&Ledger> = entries.iter().map(|entry| &entry.ledger).collect();
    Some(Ground::new(parts, &lost))
}

/// What is explored of a library.
pub(super) struct Library {
    pub operations: Vec<Operation>,
    pub contracts: Contracts,
    /// Of the operations that are not taken.
    left_out: Ledger,
    /// Where parameters are named that none of them has.
    unused: Vec<String>,
}

impl Library {
    /// # Errors
    /// When there are none, or the request does not fit them.
    pub(super) fn of(session: &Session) -> anyhow::Result<Self> {
        if session.parameters.external_given == Some(ExternMode::Havoc) {
            let message =
                "operations end where they call what nothing is known of; --extern havoc is for whole programs";
            return Err(UsageError::new("unsupported_extern", message).into());
        }
        let (mut operations, mut left_out) = operations(session)?;
        own_threads(session).into_iter().for_each(|entry| left_out.note(entry));
        let module = &session.engine.program.module;
        let unused = private::mark(module, &mut operations, &session.parameters.library.private)?;
        let unused = unused.into_iter().map(|entry| entry.origin()).collect();
        let contracts = Contracts::new(session, &operations)?;
        Ok(Library { operations, contracts, left_out, unused })
    }

    /// What its entries share, without those.
    ///
    /// # Errors
    /// When there are too many combinations, or the predicate is none.
    pub(super) fn table(&self, session: &Session) -> anyhow::Result<Arc<Table>> {
        let bounds = &session.parameters.bounds;
        let options = library_options(session, &self.operations)?;
        let Combinations { sequences, .. } = combinations(&self.operations, bounds.threads, bounds.calls)?;
        Ok(table(session, options, sequences))
    }

    /// The entries of its matrix; of the program `before`, only those that have changed since.
    ///
    /// # Errors
    /// As for the table, and when the program before is none.
    pub(super) fn entries(&self, session: &Session, before: Option<Before>) -> anyhow::Result<Vec<Entry>> {
        let options = library_options(session, &self.operations)?;
        let about = (&*self.operations, &self.contracts);
        entries_of(session, options, about, before, &mut Report::new("races", Claim::default()))
    }
}

/// How the operations run together, and on which heaps.
fn library_options(session: &Session, operations: &[Operation]) -> anyhow::Result<LibraryOptions> {
    let (module, parameters) = (&session.engine.program.module, &session.parameters);
    let predicate = |name: &String| valid::predicate(module, name, parameters.library.valid_configured, operations);
    Ok(LibraryOptions {
        limits: parameters.limits(),
        globals_symbolic: !parameters.library.globals_initial,
        roots: parameters.roots(),
        valid: parameters.library.valid.as_ref().map(predicate).transpose()?,
        joint: JointOptions {
            schedules: parameters.schedules,
            likely: parameters.likely,
            atomic_blocks: true,
            ..JointOptions::default()
        },
        alone: Config { bounded_sizes: true, ..parameters.alone() },
        together: Config { bounded_sizes: true, ..parameters.together() },
    })
}

/// The combinations that are to be explored; of the program `before`, only those that have changed since.
fn entries_of(
    session: &Session,
    options: LibraryOptions,
    (operations, contracts): (&[Operation], &Contracts),
    before: Option<Before>,
    report: &mut Report,
) -> anyhow::Result<Vec<Entry>> {
    let parameters = &session.parameters;
    let Combinations { sequences, chosen } =
        combinations(operations, parameters.bounds.threads, parameters.bounds.calls)?;
    let table = table(session, options, sequences);
    let mut entries: Vec<Entry> = chosen.into_iter().map(|chosen| Entry::new(&table, chosen, contracts)).collect();
    if let Some(Before { name, mut module }) = before {
        machine::add_client_functions(&mut module);
        let program = Program::new(module, parameters.bounds.array)?;
        report.assumptions.push(only_changed(&mut entries, &Arc::new(program), &name)?);
        report.claim.changed_since = Some(name);
    }
    Ok(entries)
}

/// Makes the matrix of what entries came to.
fn take_over(session: &mut Session, entries: Vec<Entry>, report: &mut Report) -> Counts {
    let mut counts = Counts::default();
    let (mut vacuous, mut readers) = (BTreeSet::new(), Vec::new());
    for mut entry in entries {
        let mut explored = entry.take_explored();
        let unbegun = |exhausted: Exhausted| format!("{} at {}", exhausted.loss().0, entry.in_words());
        let cause = losses::first(&entry.ledger).or_else(|| entry.unbegun.map(unbegun));
        if entry.only_read {
            readers.push(report.matrix.len());
        }
        let named = MatrixEntry::new(entry.calls().map(Sequence::name), cause);
        report.matrix.push(MatrixEntry { reused: entry.reused, exclusive: entry.kept_apart.is_some(), ..named });
        note_reach(session, &entry, &explored);
        session.add_explored(&entry.ledger, std::mem::take(&mut explored.spent));
        session.add_reduction(&explored);
        if let Some(guided) = &explored.guided {
            session.add_guided(guided);
        }
        heaps_left_out(&explored, &entry, report);
        session.seen.paths += explored.counts.paths.len();
        counts.merge(explored.counts);
        // What a thread does by itself is the same with all others.
        if let Some(alike) = entry.alike()
            && entry.is_explored()
            && entry.kept_apart.is_none()
            && entry.unbegun.is_none()
            && precondition(session, alike, (explored.first_alone, entry.options().valid.as_ref()), report)
        {
            vacuous.insert(alike.name());
        }
    }
    for entry in report.matrix.iter_mut().filter(|entry| entry.cause.is_none() && !entry.exclusive) {
        let empty = entry.operations.iter().find(|name| vacuous.contains(*name));
        entry.cause = empty.map(|name| format!("{name} is vacuous"));
    }
    as_with_themselves(&mut report.matrix, &readers);
    counts
}

/// What of the code the search of an entry came to.
pub(super) fn note_reach(session: &mut Session, entry: &Entry, explored: &Exploration) {
    let whole = Arc::clone(&session.engine.program);
    if entry.kept_apart.is_some() {
        for operation in entry.calls().flat_map(Sequence::calls) {
            session.reach.add_kept_apart(&whole, operation.function);
        }
    }
    if !explored.spent.came.is_noted() {
        return;
    }
    let valid = entry.options().valid.as_ref().map(|valid| whole.module[valid.function].name.clone());
    if let Ok(Some(narrowed)) = entry.narrowed() {
        let counts = |_, function: &ir::Function| Some(&function.name) != valid.as_ref();
        session.reach.add(narrowed.origin.program(), &explored.spent.came, counts);
    }
}

/// Operations that only read are explored with themselves: where that was cut short, so is this for others with them.
fn as_with_themselves(matrix: &mut [MatrixEntry], readers: &[usize]) {
    let alike = |entry: &&MatrixEntry| entry.operations.iter().all(|name| Some(name) == entry.operations.first());
    let with_cause = matrix.iter().filter(alike).filter_map(|entry| entry.operations.first().zip(entry.cause.as_ref()));
    let causes: BTreeMap<String, String> = with_cause.map(|(name, cause)| (name.clone(), cause.clone())).collect();
    for &index in readers {
        let cause = matrix[index].operations.iter().find_map(|name| causes.get(name).cloned());
        let entry = &mut matrix[index];
        entry.cause = std::mem::take(&mut entry.cause).or(cause);
    }
}

/// `main`, where that is what is to be explored: named as the only operation, or if none is named, one that starts threads.
/// A program is its own client: its functions are not called on other heaps, nor by other threads, than it does.
pub(super) fn whole_program(session: &mut Session) -> anyhow::Result<Option<FuncId>> {
    let main = named_program(session)?;
    if main.is_some() {
        session.parameters.external = session.parameters.external_given.unwrap_or_default().in_program();
        session.engine.config = session.parameters.together();
    }
    Ok(main)
}

fn named_program(session: &Session) -> anyhow::Result<Option<FuncId>> {
    let (module, parameters) = (&session.engine.program.module, &session.parameters);
    let named = parameters.library.operations.iter().any(|name| name == MAIN);
    if named && let Some(other) = parameters.library.operations.iter().find(|name| *name != MAIN) {
        let message =
            format!("`main` is the whole program: it cannot be called beside `{other}`; explore one or the other");
        return Err(UsageError::new("main_and_operations", message).into());
    }
    if let Some(predicate) = parameters.library.valid.as_ref().filter(|_| named && !parameters.library.valid_configured)
    {
        let message =
            format!("`main` begins on no heap of others, so `--valid {predicate}` says nothing; leave one out");
        return Err(UsageError::new("main_and_valid", message).into());
    }
    let of_threads = |main: &FuncId| starts_threads(module, *main);
    let main = module.functions_named(MAIN).find(|&id| !module[id].is_declaration());
    Ok(match (named, main) {
        (true, main) => Some(main.map_or_else(|| named_operation(module, MAIN, "function"), Ok)?),
        (false, main) if parameters.library.operations.is_empty() && parameters.library.valid.is_none() => {
            main.filter(of_threads)
        }
        (false, _) => None,
    })
}

/// What all entries share: the predicate counts where an operation takes what it is about.
fn table(session: &Session, options: LibraryOptions, sequences: Arc<[Sequence]>) -> Arc<Table> {
    let program = &session.engine.program;
    let valid = options.valid.clone();
    let takes = |operation: &Operation, valid: &Operation| valid::concerns(&program.module, valid, operation);
    let concerned = |sequence: &Sequence| {
        valid.as_ref().is_some_and(|valid| sequence.calls().any(|operation| takes(operation, valid)))
    };
    let with = |valid: Option<Operation>| {
        let joint = JointOptions { failures: valid.is_some(), ..options.joint };
        LibraryOptions { valid, joint, ..options.clone() }
    };
    Table::new(program, sequences, concerned, [with(valid.clone()), with(None)])
}

/// Unbegun entries that have a line each in the ledger.
const FEW: usize = 100;

/// Notes the entries that the search did not come to: each, or of many how many they are and which comes first.
pub(super) fn note_unbegun(session: &mut Session, entries: &mut [Entry]) {
    let all = entries.len();
    let mut unbegun: Vec<&mut Entry> = entries.iter_mut().filter(|entry| entry.unbegun.is_some()).collect();
    let many = unbegun.len();
    if many <= FEW {
        for entry in unbegun {
            let site = LossSite::Search(entry.in_words());
            let (kind, remedy) = entry.unbegun.map_or((LossKind::Time, Remedy::Time), Exhausted::loss);
            entry.ledger.note(LedgerEntry { kind, site, remedy });
        }
        return;
    }
    let Some(first) = unbegun.first_mut() else { return };
    let (kind, remedy) = first.unbegun.map_or((LossKind::Time, Remedy::Time), Exhausted::loss);
    let place = format!("{many} of {all} combinations, {} the first of them", first.in_words());
    let remedy = format!("{}, or fewer operations with --op", losses::remedy(&remedy));
    session.engine.note(kind, LossSite::Search(place), remedy);
}

/// What is not looked for where nothing is known of the heaps that clients build: any other failure may be due to one that
/// none does.
fn only_races(entries: &[Entry]) -> Option<Assumption> {
    let assumed = entries.iter().filter(|entry| entry.options().valid.is_none()).count();
    let detail = match (assumed, assumed == entries.len()) {
        (0, _) => return None,
        (_, true) => {
            "on assumed heaps data races are all that is looked for; --valid FUNCTION adds deadlocks, assertions, memory errors"
        }
        (_, false) => "data races are all that is looked for where the predicate is about none of the operations",
    };
    Some(Assumption { kind: "only_races".to_owned(), detail: detail.to_owned(), ..Assumption::default() })
}

/// What callers keep to, as far as it keeps entries apart.
pub(super) fn kept_apart(
    session: &Session,
    operations: &[Operation],
    contracts: &Contracts,
    entries: &[Entry],
) -> Vec<Assumption> {
    let mut decided = BTreeMap::new();
    for contract in entries.iter().filter_map(|entry| entry.kept_apart) {
        *decided.entry(contract).or_insert(0) += 1;
    }
    contracts.assumptions(&session.engine.program.module, operations, &decided)
}

/// Where the user says that nothing is called at once, nothing is explored, and nothing is known.
pub(super) fn note_all_kept_apart(session: &mut Session, entries: &[Entry]) {
    let by_user = |entry: &Entry| matches!(entry.kept_apart, Some(Contract::Exclusive(_) | Contract::Serial(_)));
    if !entries.is_empty() && entries.iter().all(by_user) {
        let remedy = "callers' contracts (exclusive, serial) leave no two calls that are made at once: leave one of them out, or name \
                      more operations";
        session.engine.note(LossKind::Vacuous, LossSite::Search("all combinations".to_owned()), remedy);
    }
}

/// On heaps that nobody has built nobody has started a thread.
fn own_threads(session: &Session) -> Option<LedgerEntry> {
    let is_assumed = session.parameters.library.heaps != Heaps::Reached;
    let remedy = "threads that the library starts and leaves run only beside the calls that start them: write a program that uses it, and \
                  `raddle check` that";
    (is_assumed && leaves_threads(&session.engine.program.module)).then(|| LedgerEntry {
        kind: LossKind::Unsupported,
        site: LossSite::Search("the library's own threads".to_owned()),
        remedy: remedy.into(),
    })
}

/// Public functions that are no operations, where none is named.
fn called_by_others(session: &Session) -> Option<Assumption> {
    if !session.parameters.library.operations.is_empty() {
        return None;
    }
    let module = &session.engine.program.module;
    let (_, others) = candidates(module);
    let names = listed(others.iter().map(|&id| module[id].name.as_str()));
    (!others.is_empty()).then(|| Assumption {
        kind: "called_by_others".to_owned(),
        count: Some(others.len() as u64),
        detail: format!("not explored by themselves, since other operations call them: {names}; --op explores them"),
        ..Assumption::default()
    })
}

/// Static functions of the sources that nobody calls: with a source that is included, they are operations as others are.
fn unused_statics(session: &Session) -> Option<Assumption> {
    if !session.parameters.library.operations.is_empty() {
        return None;
    }
    let module = &session.engine.program.module;
    let unused = select::unused_statics(module);
    let names = listed(unused.iter().map(|&id| module[id].name.as_str()));
    (!unused.is_empty()).then(|| Assumption {
        kind: "unused_statics".to_owned(),
        count: Some(unused.len() as u64),
        detail: format!(
            "not explored, since they are static and nothing in the sources calls them, though callers that include these \
             may: {names}; --op explores them"
        ),
        ..Assumption::default()
    })
}

/// What threads begin with beside heaps: nothing of earlier calls of theirs.
fn first_calls(session: &Session) -> Option<Assumption> {
    let module = &session.engine.program.module;
    let kept = |global: &&ir::Global| global.thread_local && !global.library && !global.constant;
    let names: Vec<&str> = module.globals.iter().filter(kept).map(|global| global.name.as_str()).collect();
    let calls = session.parameters.bounds.calls;
    (!names.is_empty()).then(|| Assumption {
        kind: "thread_locals".to_owned(),
        count: Some(names.len() as u64),
        detail: format!(
            "threads have made no calls before, so that thread-local variables ({}) hold what they begin with; --calls {} lets them make {}",
            listed(names.iter().copied()),
            calls + 1,
            calls + 1
        ),
        ..Assumption::default()
    })
}

/// Notes on how many heaps not all that could happen was explored.
fn heaps_left_out(explored: &Exploration, entry: &Entry, report: &mut Report) {
    if explored.others > 0 {
        report.assumptions.push(Assumption {
            kind: "shape_dropped".to_owned(),
            r#where: Some(entry.in_words()),
            count: Some(explored.others),
            kept: Some(explored.completing),
            ..Assumption::default()
        });
    }
    if explored.races_only > 0 {
        report.assumptions.push(Assumption {
            kind: "fails_serially".to_owned(),
            r#where: Some(entry.in_words()),
            count: Some(explored.races_only),
            detail: "where they fail one after the other as well, only races were looked for".to_owned(),
            ..Assumption::default()
        });
    }
    report.assumptions.extend(of_callers(explored, entry));
}

/// What is taken for granted of those who call these: that calls that wait are woken, where they wait at once with each other as they do one
/// after the other; that nobody gives back a lock that he has not.
pub(super) fn of_callers<'e>(explored: &'e Exploration, entry: &'e Entry) -> impl Iterator<Item = Assumption> + 'e {
    let waits = "a call waits for ever, as it does where they are called one after the other: that other calls wake it is \
                 taken for granted";
    let gives =
        "in every order one of the calls gives back a lock that its caller has not: no client makes them at once";
    let is_unlocked = explored.completing == 0 && explored.others == 0;
    let all = [("woken", explored.unwoken, waits), ("given_back", u64::from(is_unlocked) * explored.unlocked, gives)];
    all.into_iter().filter(|(_, count, _)| *count > 0).map(|(kind, count, detail)| Assumption {
        kind: kind.to_owned(),
        r#where: Some(entry.in_words()),
        count: Some(count),
        detail: detail.to_owned(),
        ..Assumption::default()
    })
}

/// Notes what a thread's own run drops as an assumption. Whether it keeps nothing: what it calls is vacuous then.
fn precondition(
    session: &mut Session,
    calls: &Sequence,
    (alone, valid): (AloneSummary, Option<&Operation>),
    report: &mut Report,
) -> bool {
    let vacuous = alone.kept == 0 && !alone.cut_short;
    if vacuous {
        let remedy = vacuous_remedy(&session.engine.program.module, calls, &alone, valid);
        session.engine.note(LossKind::Vacuous, LossSite::Search(calls.name()), remedy);
    }
    if alone.dropped > 0 {
        report.assumptions.push(Assumption {
            kind: "shape_dropped".to_owned(),
            r#where: Some(calls.name()),
            count: Some(alone.dropped),
            kept: Some(alone.kept),
            example: examples(&alone.examples),
            detail: at_bound(&alone),
        });
    }
    vacuous
}

/// What to say where more heaps were dropped for want of depth than were kept: little is known of what the calls do. Empty
/// elsewhere.
fn at_bound(alone: &AloneSummary) -> String {
    if alone.at_bound <= alone.kept {
        return String::new();
    }
    let count = alone.at_bound;
    format!(
        "shapes outside of the precondition dropped, {count} for a null pointer where --depth ends: try a larger one"
    )
}

/// One example for each reason, null pointers last: those are what everybody expects.
fn examples(dropped: &[Dropped]) -> Option<String> {
    let mut dropped: Vec<&Dropped> = dropped.iter().collect();
    dropped.sort_by_key(|example| example.is_null);
    let texts: Vec<String> = dropped.iter().take(3).map(|d| format!("{}: {}", d.shape, d.reason)).collect();
    (!texts.is_empty()).then(|| texts.join("; or "))
}

/// What may help where every shape was dropped: a larger bound only where null pointers were in the way and a call takes
/// something that the bound limits. Or where the predicate accepts none.
pub(super) fn vacuous_remedy(
    module: &Module,
    calls: &Sequence,
    summary: &AloneSummary,
    valid: Option<&Operation>,
) -> String {
    let helpful = helpful_bounds(module, calls).join(" or ");
    if let Some(valid) = valid.filter(|_| summary.accepted == 0) {
        let name = &valid.name;
        let fails = summary.predicate_fails.iter().map(|why| format!(" (on some it fails itself: {why})"));
        let or = if helpful.is_empty() { String::new() } else { format!(", or try larger ones: {helpful}") };
        return format!(
            "no shape within the bounds satisfies `{name}`{}; see what it asks for{or}",
            fails.collect::<String>()
        );
    }
    let which = valid.map_or_else(String::new, |valid| format!(" that satisfies `{}`", valid.name));
    let run = if calls.length() == 1 { "the operation's own run" } else { "these calls by one thread alone" };
    let none = format!("no shape within the bounds{which} survives {run}");
    let Some(dropped) = summary.examples.first() else {
        return format!("{none}: each was cut off, as the other entries say");
    };
    let null = dropped.is_null && dropped.shape.contains("NULL");
    match helpful.as_str() {
        flags if null && !flags.is_empty() => format!("{none}; larger ones may: {flags}"),
        _ => format!("{none}; an example is among the assumptions"),
    }
}

/// The bounds that limit something that a call takes.
fn helpful_bounds(module: &Module, calls: &Sequence) -> Vec<&'static str> {
    let pointees = || {
        let params = calls.calls().flat_map(|operation| &module[operation.function].source_params);
        params.filter_map(|param| module.pointee(param.ty))
    };
    let flags = [
        ("--depth", pointees().any(|ty| has_pointer(module, ty))),
        ("--array", pointees().any(|ty| !module.is_record(ty))),
    ];
    flags.into_iter().filter(|(_, helps)| *helps).map(|(flag, _)| flag).collect()
}

/// Whether a value of the type holds a pointer, itself or in a member.
fn has_pointer(module: &Module, ty: TypeId) -> bool {
    match &module[module.strip(ty)] {
        DebugType::Pointer { .. } => true,
        DebugType::Record { fields, .. } => fields.iter().any(|field| has_pointer(module, field.ty)),
        DebugType::Array { of, .. } => has_pointer(module, *of),
        _ => false,
    }
}

/// Why nothing is an operation, and what can be done.
fn nothing_shared(module: &Module) -> String {
    let own = |(id, function): (FuncId, &ir::Function)| {
        (!function.is_declaration() && !function.library && function.name != MAIN).then_some(id)
    };
    let own: Vec<FuncId> = module.functions().filter_map(own).collect();
    let hidden = own.iter().filter(|&&id| !module[id].external && select::reaches_shared(module, id));
    let hidden = listed(hidden.map(|&id| module[id].name.as_str()));
    let has_main = module.functions_named(MAIN).any(|id| !module[id].is_declaration());
    match (own.is_empty(), hidden.is_empty()) {
        (_, false) => format!(
            "no externally visible function reaches shared memory; static ones do: {hidden}; name those with --op"
        ),
        (true, true) if has_main => {
            "there is no function but `main`; `raddle check` runs a program from there".to_owned()
        }
        (true, true) => "the sources define no function".to_owned(),
        (false, true) => {
            "no function takes a pointer to data, or uses a variable, so that there is nothing to race on".to_owned()
        }
    }
}

/// The operations, and what the ledger says of those that are left out: of a large library, the first are explored.
fn operations(session: &Session) -> anyhow::Result<(Vec<Operation>, Ledger)> {
    let module = &session.engine.program.module;
    let mut left_out = Ledger::default();
    if session.parameters.library.operations.is_empty() {
        // The predicate reads what it likes, before anything runs.
        let is_predicate = |function: FuncId| session.parameters.library.valid.as_ref() == Some(&module[function].name);
        let mut found = default_operations(module);
        found.retain(|&function| !is_predicate(function));
        if found.is_empty() {
            return Err(UsageError::new("no_operations", nothing_shared(module)).into());
        }
        let operation = |function: FuncId| Operation::new(function, module[function].name.clone());
        let (all, most) = (found.len(), most_operations(session.time.budget.max_memory));
        if all > most {
            let (first, last) = (operation(found[most]).name, operation(found[all - 1]).name);
            found.truncate(most);
            let others = all - most;
            left_out.note(LedgerEntry {
                kind: LossKind::Operations,
                site: LossSite::Search(format!(
                    "{others} of {all} operations, in the order of the sources from {first} to {last}"
                )),
                remedy: format!("the first {most} were taken; name others with --op, some hundred at a time").into(),
            });
        }
        return Ok((found.into_iter().map(operation).collect(), left_out));
    }
    let configured = session.parameters.library.operations_configured;
    let place = |error: UsageError| if configured { error.within("`operations` in raddle.toml") } else { error };
    let mut operations: Vec<Operation> = Vec::new();
    for name in &session.parameters.library.operations {
        let function = named_operation(module, name, "operation").map_err(&place)?;
        let operation = Operation::new(function, name.clone());
        if !touches_shared(module, operation.function) {
            let message =
                format!("operation `{name}` reaches no shared memory: it has no pointer parameter and uses no global");
            return Err(place(UsageError::new("nothing_shared", message)).into());
        }
        if operations.iter().all(|known| known.function != operation.function) {
            operations.push(operation);
        }
    }
    Ok((operations, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Reason;

    fn remedy(pointee: &str, example: Option<&str>) -> String {
        let text = format!(
            "T0 = void\nT1 = signed int 4\nT2 = struct n 16 {{ 0 next: T3, 8 v: T1 }}\nT3 = ptr T2\n\
             T4 = struct box 4 {{ 0 v: T1 }}\nT5 = ptr {pointee}\n\
             fn f0 f(%0 a: ptr) external\n  returns T0 source(a: T5) {{\nb0:\n  return\n}}\n"
        );
        let module = ir::text::parse(&text).expect("valid IR");
        let function = module.functions_named("f").next().expect("it is there");
        let dropped = |example: &str| {
            let (shape, reason) = example.rsplit_once(": ").expect("a shape and a reason");
            let is_null = reason.contains("null pointer");
            let reason = Reason { what: reason.to_owned(), at: None };
            Dropped { shape: shape.to_owned(), reason, is_null }
        };
        let examples = example.map(dropped).into_iter().collect();
        let summary = AloneSummary { dropped: 1, examples, ..AloneSummary::default() };
        let operation = Operation::new(function, "f");
        vacuous_remedy(&module, &operation.into(), &summary, None)
    }

    #[test]
    fn bounds_are_suggested_where_they_may_help() {
        let null = Some("a = NULL: a null pointer is dereferenced at a.c:3");
        assert!(remedy("T2", null).ends_with("larger ones may: --depth"));
        assert!(remedy("T1", null).ends_with("larger ones may: --array"));
        assert!(remedy("T3", null).ends_with("larger ones may: --depth or --array"));
        let why = "an example is among the assumptions";
        assert!(remedy("T4", null).ends_with(why));
        assert!(remedy("T2", Some("a = ?: a null pointer is dereferenced at a.c:3")).ends_with(why));
        assert!(remedy("T2", Some("a = NULL: takes a lock that it holds at a.c:3")).ends_with(why));
        assert!(remedy("T2", None).ends_with("each was cut off, as the other entries say"));
    }
}
