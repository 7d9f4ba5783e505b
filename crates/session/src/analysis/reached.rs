//! `raddle races --heaps reached`: the operations of a library on the heaps that clients build by public calls.
//!
//! What clients can build is found once ([`clients::Reach`]); each entry of the matrix is explored on all of it. What is found is
//! written as a client's program, which is compiled, and run by an engine of its own: only what shows there is reported.

use super::Ticker;
use super::client_program::Outcome;
use super::confirming::{in_words, not_replayed_for_time};
use super::contracts::Contracts;
use super::entries::{Entry, Table, explore_all, explore_as_time_allows};
use super::interest::OTHERS;
use super::matrix::{Combinations, combinations};
use super::present;
use super::private;
use super::select;
use super::session::Session;
use crate::options::Heaps;
use ::clients::{Client, Failures, Interface, Reach, ReachOptions, Roles, SequentialFailure, SequentialKind};
use explore::{
    ClientStart, Counts, Exploration, FindingKey, Found, JointOptions, LibraryOptions, Operation, Origin, Position,
    Reached, RootRule, Sequence, with_numbers,
};
use ir::{FuncId, Module};
use machine::{Config, EngineError, Ledger, LedgerEntry, LossKind, LossSite, Program};
use report::{Assumption, MatrixEntry, Report, ShapeBasis};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use witness::Witness;

/// The part of the time in which heaps are built.
const FOR_BUILDING: u32 = 3;

/// The part of the time that all of this has, where other heaps come after it.
const FOR_REACHED: u32 = 3;

/// Heaps after one call, two, and more, times the combinations of operations that are explored on each: beyond it, clients of fewer
/// calls do where other heaps come after theirs.
const ENOUGH: [usize; 3] = [20_000, 2_000, 200];

/// The part of the time in which it is looked at what other operations call, and the combinations at most.
const FOR_CALLED: u32 = 6;
const MOST_CALLED: usize = 400;

/// What was explored.
struct Explored {
    interface: Interface,
    reach: Reach,
    entries: Vec<Entry>,
}

/// That alone: a report of its own.
pub(super) fn run(
    mut session: Session,
    mut report: Report,
    about: (&[Operation], &Contracts),
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let Explored { interface, reach, mut entries } = explore(&mut session, about, (None, explore_all), ticker)?;
    let is_over = entries.iter().all(Entry::is_over);
    report.assumptions.push(built(&reach));
    report.assumptions.extend(super::races::kept_apart(&session, about.0, about.1, &entries));
    super::races::note_all_kept_apart(&mut session, &entries);
    report.assumptions.extend(uncalled(&session, &interface));
    report.assumptions.extend(passed(&session, &interface, &reach));
    super::races::note_unbegun(&mut session, &mut entries);
    let mut counts = Counts::default();
    for mut entry in entries {
        let mut explored = entry.take_explored();
        let cause = crate::losses::first(&entry.ledger);
        let named = MatrixEntry::new(entry.calls().map(Sequence::name), cause);
        report.matrix.push(MatrixEntry { exclusive: entry.kept_apart.is_some(), ..named });
        super::races::note_reach(&mut session, &entry, &explored);
        report.assumptions.extend(super::races::of_callers(&explored, &entry));
        session.add_explored(&entry.ledger, std::mem::take(&mut explored.spent));
        session.add_reduction(&explored);
        session.seen.paths += explored.counts.paths.len();
        counts.merge(explored.counts);
    }
    report.sequential = sequential(&session, &reach.failures);
    session.finish(report, &counts, is_over)
}

/// That first, in a part of the time, before any heap is looked at: what is found stays with the session, whose own account
/// begins anew.
pub(super) fn first(
    session: &mut Session,
    report: &mut Report,
    about: (&[Operation], &Contracts),
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    // Operations may be combined with themselves.
    let (operations, threads) = (about.0.len(), session.parameters.bounds.threads as usize);
    let pairs = (0..threads).fold(1_usize, |count, thread| count.saturating_mul(operations + thread) / (thread + 1));
    if pairs > ENOUGH[0] {
        report.assumptions.push(Assumption {
            kind: "reached".to_owned(),
            count: Some(pairs as u64),
            detail:
                "so many combinations of operations are not looked at on heaps that clients build; name fewer with --op"
                    .to_owned(),
            ..Assumption::default()
        });
        return Ok(());
    }
    let (mut reached, ledger) = session.apart(FOR_REACHED, Heaps::Reached, |session| {
        let first = (Some(ENOUGH), explore_as_time_allows as Exploring);
        let Explored { interface, reach, mut entries } = explore(session, about, first, ticker)?;
        super::races::note_unbegun(session, &mut entries);
        super::races::note_all_kept_apart(session, &entries);
        let mut counts = Counts::default();
        for mut entry in entries {
            session.engine.ledger.merge(&entry.ledger);
            let explored = entry.take_explored();
            report.assumptions.extend(super::races::of_callers(&explored, &entry));
            counts.merge(explored.counts);
        }
        report.sequential = sequential(session, &reach.failures);
        report.assumptions.extend(passed(session, &interface, &reach));
        Ok(report::Reached {
            calls: reach.calls + session.parameters.bounds.threads,
            threads: session.parameters.bounds.threads,
            heaps: reach.by_calls().into_iter().map(|count| count as u64).collect(),
            findings: session.found.confirmed.len() as u64,
            executions: counts.executions,
            uncalled: uncalled(session, &interface).into_iter().filter_map(|one| one.r#where).collect(),
            ..report::Reached::default()
        })
    })?;
    reached.ledger = crate::losses::lines(&ledger);
    report.reached = Some(reached);
    Ok(())
}

/// Public functions that operations call are none themselves; clients may call them all the same. What then races that a client shows is told as
/// what the claim lacks: the function may be one that only the library calls.
pub(super) fn look_at_called(
    session: &mut Session,
    (operations, contracts): (&[Operation], &Contracts),
    ticker: &mut Ticker,
) -> anyhow::Result<Ledger> {
    if !session.parameters.library.operations.is_empty() || session.exhausted().is_some() {
        return Ok(Ledger::default());
    }
    let program = Arc::clone(&session.engine.program);
    let (_, called) = select::candidates(&program.module);
    if called.is_empty() || called.len() * (called.len() + operations.len()) > MOST_CALLED {
        return Ok(Ledger::default());
    }
    let beside = called.iter().map(|&function| Operation::new(function, program.module[function].name.clone()));
    let all: Vec<Operation> = beside.chain(operations.iter().cloned()).collect();
    let known = std::mem::take(&mut session.found);
    let looked = session.apart(FOR_CALLED, Heaps::Reached, |session| {
        let is_called = |chosen: &[u32]| chosen.iter().any(|&index| (index as usize) < called.len());
        let how = (Some(ENOUGH), explore_as_time_allows as Exploring);
        explore_those(session, (&all, contracts), &is_called, how, ticker)?;
        let ends =
            |finding: &report::Finding| finding.accesses.iter().any(|access| access.access == report::AccessKind::Free);
        let of_library = |finding: &&report::Finding| finding.out_of_turn.is_none() && !ends(finding);
        let found = session.found.confirmed.iter().map(|(finding, _)| finding).filter(of_library);
        let operations = found.flat_map(|finding| &finding.accesses).filter_map(|access| access.operation.clone());
        Ok(operations.collect::<BTreeSet<String>>())
    });
    session.found = known;
    let (racing, _) = looked?;
    let mut ledger = Ledger::default();
    let names = called.iter().map(|&function| &program.module[function].name);
    for name in names.filter(|name| racing.contains(*name)) {
        let remedy = format!(
            "--op {name} shows it, with --op for what runs beside it; where only the library calls it, make it static"
        );
        let (kind, site) = (LossKind::CalledByOthers, LossSite::Search(name.clone()));
        ledger.note(LedgerEntry { kind, site, remedy: remedy.into() });
    }
    Ok(ledger)
}

/// How entries are explored.
type Exploring = fn(&mut Session, &mut [Entry], &'static str, &mut Ticker) -> anyhow::Result<()>;

/// Builds all that clients can, and explores each entry there.
fn explore(
    session: &mut Session,
    (operations, contracts): (&[Operation], &Contracts),
    (enough, explore_all): (Option<[usize; 3]>, Exploring),
    ticker: &mut Ticker,
) -> anyhow::Result<Explored> {
    explore_those(session, (operations, contracts), &|_| true, (enough, explore_all), ticker)
}

/// The same of those combinations that are `wanted`, by the numbers of what threads call.
fn explore_those(
    session: &mut Session,
    (operations, contracts): (&[Operation], &Contracts),
    wanted: &dyn Fn(&[u32]) -> bool,
    (enough, explore_all): (Option<[usize; 3]>, Exploring),
    ticker: &mut Ticker,
) -> anyhow::Result<Explored> {
    let options = options(session);
    let program = Arc::clone(&session.engine.program);
    let interface = interface(session, operations);
    let Combinations { sequences, mut chosen } = combinations(operations, session.parameters.bounds.threads, 1)?;
    chosen.retain(|chosen| wanted(chosen));
    let table = Table::new(&program, Arc::clone(&sequences), |_| false, [options.clone(), options.clone()]);
    let mut many = chosen.len();
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    if session.time.budget.deadline.is_some() && enough.is_some() {
        // Where time is short, what is likely to be meant for several threads comes first, on as many heaps as if it were all.
        order.sort_by_cached_key(|&index| Reverse(table.weight(&chosen[index])));
        let likely = order.partition_point(|&index| table.weight(&chosen[index]) > OTHERS);
        many = if likely > 0 { likely } else { many };
    }
    let enough = enough.map(|enough| enough.map(|enough| enough / many.max(1)));
    let reach = build(session, &interface, &options, enough)?;
    // Findings name entries by where they stand in the matrix, so they stay in its order.
    let mut entries: Vec<Entry> = chosen.into_iter().map(|chosen| Entry::new(&table, chosen, contracts)).collect();
    let mut starts: Vec<Vec<ClientStart>> = entries.iter().map(|_| Vec::new()).collect();
    for index in order {
        let entry = &mut entries[index];
        // All calls with all arguments on all heaps are many.
        let exhausted = session.exhausted();
        if exhausted.is_some() && entry.is_explored() {
            entry.unbegun = exhausted;
            continue;
        }
        let threads = entry.threads();
        let called: Vec<&Operation> = threads.iter().map(|sequence| &sequence.first).collect();
        starts[index] = reach.starts(&program, &interface, &called);
        if starts[index].is_empty() && entry.is_explored() && entry.kept_apart.is_none() {
            note_uncallable(&program.module, (&interface, &reach), entry);
        }
    }
    let mut entries: Vec<Entry> =
        entries.into_iter().zip(starts).map(|(entry, starts)| entry.on_clients(starts)).collect();
    note_other_clients(session, &interface, &reach);
    // Each finding is one of a client's already: no time is kept back for looking for it.
    let calls = std::mem::take(&mut session.parameters.library.client_calls);
    let explored = explore_all(session, &mut entries, "pairs", ticker);
    session.parameters.library.client_calls = calls;
    explored?;
    session.confirm_sequential(&reach.failures, &entries)?;
    Ok(Explored { interface, reach, entries })
}

/// How clients call the public functions, the operations among them.
pub(super) fn interface(session: &Session, operations: &[Operation]) -> Interface {
    let program = &session.engine.program;
    let mut public = select::public(&program.module);
    public.extend(operations.iter().map(|operation| operation.function));
    public.sort_unstable();
    public.dedup();
    let calls = session.parameters.library.reaching_calls.max(session.parameters.bounds.threads);
    Interface::new(program, &public, &Roles::of(program, &public), calls as usize)
}

/// How the operations run together.
pub(super) fn options(session: &Session) -> LibraryOptions {
    let parameters = &session.parameters;
    LibraryOptions {
        limits: parameters.limits(),
        globals_symbolic: false,
        roots: RootRule::Same,
        valid: None,
        joint: JointOptions {
            schedules: parameters.schedules,
            atomic_blocks: true,
            failures: true,
            ..JointOptions::default()
        },
        alone: Config { bounded_sizes: true, ..parameters.alone() },
        together: Config { bounded_sizes: true, ..parameters.together() },
    }
}

/// Builds all that clients can.
pub(super) fn build(
    session: &mut Session,
    interface: &Interface,
    options: &LibraryOptions,
    enough: Option<[usize; 3]>,
) -> anyhow::Result<Reach> {
    let program = Arc::clone(&session.engine.program);
    let left = session.time.budget.deadline.map(|end| end.saturating_duration_since(Instant::now()));
    let budget = session.limited(left.map(|left| left / FOR_BUILDING));
    let threads = session.parameters.bounds.threads;
    let calls = session.parameters.library.reaching_calls.saturating_sub(threads);
    let mut engine = (session.new_engine())(&program)?;
    let built = Reach::new(
        &mut engine,
        interface,
        ReachOptions { calls, enough, limits: options.limits, alone: options.alone },
        &budget,
    );
    session.limited(None);
    let ledger = std::mem::take(&mut engine.ledger);
    let (statistics, solver, assumed) = (engine.statistics, engine.solver_stats(), engine.assumed);
    session.add_explored(&ledger, explore::Spent { statistics, solver, assumed, ..Default::default() });
    let reach = built?;
    if reach.left_out {
        let remedy = match session.time.budget.exhausted().is_some() || budget.exhausted().is_some() {
            true => machine::Remedy::Time,
            false => "fewer --client-calls, or fewer public functions with bodies".into(),
        };
        let kind = if budget.exhausted().is_some() { LossKind::Time } else { LossKind::Operations };
        let site = LossSite::Search("the heaps that clients build".to_owned());
        session.engine.ledger.note(LedgerEntry { kind, site, remedy });
    }
    Ok(reach)
}

/// What keeps a search from being about every client.
pub(super) fn note_other_clients(session: &mut Session, interface: &Interface, reach: &Reach) {
    let program = Arc::clone(&session.engine.program);
    let module = &program.module;
    for (function, why) in interface.left_out.iter().chain(&interface.unmade) {
        let site = LossSite::Search(module[*function].name.clone());
        session.engine.note(LossKind::Unsupported, site, format!("clients that call it are left out: {why}"));
    }
    for (function, what) in &interface.not_passed {
        let site = LossSite::Search(module[*function].name.clone());
        session.engine.note(LossKind::Unsupported, site, format!("no client passes it {what}"));
    }
    for function in &reach.unheld {
        let site = LossSite::Search(module[*function].name.clone());
        let remedy = "the address that it gives is computed from what is not known: no client passes that on";
        session.engine.note(LossKind::Unsupported, site, remedy);
    }
    for ((kind, position), _) in reach.failures.iter().filter(|(_, failure)| failure.is_own_memory) {
        let remedy = format!(
            "{} with nobody beside it, of memory that the same call has freed: what would race behind that was not explored",
            kind.name()
        );
        let site = LossSite::Search(format!("{}:{}", position.file, position.line));
        session.engine.note(LossKind::CutByFailure, site, remedy);
    }
    if reach.has_threads {
        let remedy = "threads that the library starts run only when several calls are made at once, not before";
        session.engine.note(LossKind::Unsupported, LossSite::Search("the library's own threads".to_owned()), remedy);
    }
    if !module.constructors().is_empty() {
        let remedy = "clients begin without what `__attribute__((constructor))` does";
        session.engine.note(LossKind::Unsupported, LossSite::Search("constructors".to_owned()), remedy);
    }
}

/// That no client calls these at once.
fn note_uncallable(module: &Module, (interface, reach): (&Interface, &Reach), entry: &mut Entry) {
    let calls: Vec<FuncId> = entry.calls().map(|sequence| sequence.first.function).collect();
    let why = interface.left_out.iter().chain(&interface.unmade).find(|(function, _)| calls.contains(function));
    let never = || calls.iter().find_map(|&id| Some((id, reach.never_made(module, interface, id)?)));
    let remedy = match why.cloned().or_else(never) {
        Some((function, why)) => format!("no client can call `{}`: {why}", module[function].name),
        None => "no client of so many calls comes to where it could call them at once: --client-calls with a larger \
                 number"
            .to_owned(),
    };
    let site = LossSite::Search(entry.in_words());
    entry.ledger.note(LedgerEntry { kind: LossKind::Vacuous, site, remedy: remedy.into() });
}

/// What was built.
fn built(reach: &Reach) -> Assumption {
    let counts = reach.by_calls();
    let words: Vec<String> = counts.iter().enumerate().map(|(calls, count)| format!("{count} by {calls}")).collect();
    Assumption {
        kind: "reached".to_owned(),
        count: Some(counts.iter().sum::<usize>() as u64),
        detail: format!(
            "heaps are those that clients build from the program's own initial state, by number of calls: {}; \
             clients pass what they hold, numbers, and memory of one element or as many as it takes, all zero; never null",
            words.join(", ")
        ),
        ..Assumption::default()
    }
}

/// Public functions that no client calls.
fn uncalled(session: &Session, interface: &Interface) -> Vec<Assumption> {
    let module = &session.engine.program.module;
    let one = |(function, why): &(FuncId, String)| Assumption {
        kind: "uncalled".to_owned(),
        r#where: Some(module[*function].name.clone()),
        detail: format!("no client calls it: {why}"),
        ..Assumption::default()
    };
    interface.unmade.iter().map(one).collect()
}

/// What clients do not pass, though C would let them, and of what they pass more than one.
fn passed(session: &Session, interface: &Interface, reach: &Reach) -> Vec<Assumption> {
    let module = &session.engine.program.module;
    let word = |kind: &str, function: FuncId, count, detail| Assumption {
        kind: kind.to_owned(),
        r#where: Some(module[function].name.clone()),
        count,
        detail,
        ..Assumption::default()
    };
    let bytes = interface.as_bytes.iter().map(|(function, what)| {
        let detail = format!("it uses bytes of what it is passed: no client passes it a `{what} *` for them");
        word("as_bytes", *function, None, detail)
    });
    let elements = reach.elements.iter().map(|(&function, &many)| {
        let detail = "it reads or writes past fewer: memory of their own that clients pass it has so many elements";
        word("elements", function, Some(many), detail.to_owned())
    });
    bytes.chain(elements).collect()
}

/// What calls in sequence show already, as far as it is their callers' affair.
pub(super) fn sequential(session: &Session, failures: &Failures) -> Vec<report::Sequential> {
    let module = &session.engine.program.module;
    let one = |((kind, position), failure): (&(SequentialKind, Position), &SequentialFailure)| report::Sequential {
        kind: kind.name().to_owned(),
        file: position.file.clone(),
        line: position.line,
        column: position.column,
        detail: failure.detail.clone(),
        calls: failure.client.calls.iter().map(|call| module[call.function].name.clone()).collect(),
    };
    failures.iter().filter(|(_, failure)| failure.is_callers).map(one).collect()
}

/// Where the library's own failures stand in the matrix: with the operation beside itself.
fn entry_of(entries: &[Entry], failure: &SequentialFailure) -> Option<usize> {
    let function = failure.client.calls.last()?.function;
    entries.iter().position(|entry| entry.calls().all(|calls| calls.first.function == function))
}

impl Session {
    /// Replays what calls in sequence show of the library's own failures.
    fn confirm_sequential(&mut self, failures: &Failures, entries: &[Entry]) -> anyhow::Result<()> {
        for ((kind, position), failure) in failures.iter().filter(|(_, failure)| !failure.is_callers) {
            let key = match kind {
                SequentialKind::Fault(kind) => FindingKey::Fault(*kind, position.clone()),
                SequentialKind::Relocks | SequentialKind::NeverReturns => FindingKey::Deadlock(vec![position.clone()]),
            };
            if self.found.on_clients.contains_key(&key) {
                continue;
            }
            if self.exhausted().is_some() {
                self.engine.ledger.note(not_replayed_for_time(&key));
                self.time.hurried = true;
                continue;
            }
            match self.in_client_program(&failure.client, (&key, &[]))? {
                Outcome::Reached { client, witness } => {
                    let Some(mut finding) = present::finding(&witness, Some(ShapeBasis::Reachable)) else { continue };
                    finding.client = Some(client);
                    of_operations(&mut finding, &[]);
                    finding.entries.extend(entry_of(entries, failure));
                    self.found.on_clients.insert(key, self.found.confirmed.len());
                    self.add(finding, *witness);
                }
                Outcome::Not(why) => {
                    self.engine.note(LossKind::NotReplayed, LossSite::Search(key.place()), why);
                }
            }
        }
        Ok(())
    }

    /// Replays findings on heaps that clients build, each in a client's program.
    pub(super) fn confirm_on_clients(
        &mut self,
        origin: &Origin,
        explored: &mut Exploration,
        clients: &[ClientStart],
        entry: usize,
        time: Option<Duration>,
    ) -> anyhow::Result<()> {
        let budget = self.limited(time);
        let mut sorted: Vec<Found> = std::mem::take(&mut explored.findings).into_values().collect();
        sorted.sort_by(|a, b| a.key.cmp(&b.key));
        for found in sorted {
            let key = found.key.clone();
            if self.is_shown_on_clients(&found) {
                self.also_in(&key, entry);
                continue;
            }
            if budget.exhausted().is_some() && self.overtime().is_some_and(|until| Instant::now() >= until) {
                self.engine.ledger.note(not_replayed_for_time(&key));
                self.time.hurried = true;
                continue;
            }
            let Some(start) = found.client().and_then(|number| clients.get(number)) else { continue };
            let shown = self.concrete_client(&found, explored, origin, start)?;
            let outcome = match &shown {
                None => Outcome::Not("it did not show again".to_owned()),
                Some((client, visible)) => self.in_client_program(client, (&key, visible))?,
            };
            match outcome {
                Outcome::Reached { client, witness } => {
                    let Some(mut finding) = present::finding(&witness, Some(ShapeBasis::Reachable)) else { continue };
                    finding.client = Some(client);
                    of_operations(&mut finding, &origin_names(origin));
                    if let Some((shown, _)) = &shown {
                        let Program { module, facts, .. } = &*self.engine.program;
                        finding.passed = private::passed_by((module, facts), shown, &finding);
                    }
                    finding.out_of_turn =
                        found.out_of_turn.as_ref().and_then(|order| in_words(order, &origin_names(origin)));
                    finding.entries.push(entry);
                    self.add_on_client(key, finding, *witness);
                }
                Outcome::Not(why) => {
                    self.engine.note(LossKind::NotReplayed, LossSite::Search(key.place()), why);
                }
            }
        }
        self.limited(None);
        Ok(())
    }

    /// Whether a client shows the finding already, and not only one whose callers make calls that fail one after the other.
    fn is_shown_on_clients(&self, found: &Found) -> bool {
        let shown = self.found.on_clients.get(&found.key).and_then(|&at| self.found.confirmed.get(at));
        shown.is_some_and(|(shown, _)| shown.out_of_turn.is_none() || found.out_of_turn.is_some())
    }

    fn add_on_client(&mut self, key: FindingKey, mut finding: report::Finding, witness: Witness) {
        match self.found.on_clients.get(&key).and_then(|&at| self.found.confirmed.get_mut(at)) {
            Some(shown) => {
                finding.entries.extend(&shown.0.entries);
                finding.entries.sort_unstable();
                finding.entries.dedup();
                *shown = (finding, witness);
            }
            None => {
                self.found.on_clients.insert(key, self.found.confirmed.len());
                self.add(finding, witness);
            }
        }
    }

    /// The finding belongs to this entry of the matrix as well.
    fn also_in(&mut self, key: &FindingKey, entry: usize) {
        if let Some(at) = self.found.on_clients.get(key)
            && let Some((finding, _)) = self.found.confirmed.get_mut(*at)
            && !finding.entries.contains(&entry)
        {
            finding.entries.push(entry);
        }
    }

    /// The calls that a finding shows after, with numbers, and where threads were interleaved.
    fn concrete_client(
        &mut self,
        found: &Found,
        explored: &Exploration,
        origin: &Origin,
        start: &ClientStart,
    ) -> Result<Option<(Client, Vec<Position>)>, EngineError> {
        let alone = match origin {
            Origin::Clients { options, .. } => options.alone,
            _ => return Ok(None),
        };
        let mut engine = (self.new_engine())(origin.program())?;
        let Some(finding) = found.show(&explored.sites, &mut engine, origin)? else { return Ok(None) };
        let limits = self.parameters.limits();
        let reached = Reached::by(&mut engine, &start.recipe, limits, alone)?;
        let (_, threads) = reached.together(&mut engine, &start.threads);
        let before = start.recipe.calls.iter().map(|(call, _)| call).zip(&reached.arguments);
        let all = with_numbers(&mut engine, &finding.state, before.chain(start.threads.iter().zip(&threads)))?;
        let client = all.map(|mut calls| {
            let threads = calls.split_off(start.recipe.calls.len());
            Client { roots: start.recipe.roots.clone(), calls, threads }
        });
        let visible = finding.visible.iter().map(|&site| Position::of_site(&engine.program, site)).collect();
        Ok(client.map(|client| (client, visible)))
    }
}

/// Which of the threads that `main` created this is, from 1: 2 for `main.2`.
fn child(name: &str) -> Option<usize> {
    name.strip_prefix("main.")?.parse().ok()
}

/// Of a finding in a client's program, what the library's operations do: threads go by their names, and what the client itself does
/// is left out.
pub(super) fn of_operations(finding: &mut report::Finding, names: &[String]) {
    let file = finding.client.as_ref().and_then(|client| client.file.rsplit('/').next()).unwrap_or_default().to_owned();
    let is_client = |place: &str| place.rsplit('/').next().is_some_and(|last| last.starts_with(&file));
    // Threads that the library started while the heap was built come before the client's.
    let children: BTreeMap<u32, usize> =
        finding.threads.iter().filter_map(|t| Some((t.thread, child(&t.name)?))).collect();
    let stacks = finding.accesses.iter().map(|access| (access.thread, &access.location.stack));
    let stacks = stacks.chain(finding.blocked.iter().map(|blocked| (blocked.thread, &blocked.location.stack)));
    // What fails is where the schedule ends.
    let failing = finding.schedule.last().map(|step| (step.thread, &finding.location.stack));
    let stacks = stacks.chain(failing);
    let begins = |(thread, stack): (u32, &Vec<String>)| {
        let outermost = stack.last().filter(|frame| is_client(frame))?;
        let number: usize = outermost.split(' ').next()?.strip_prefix("thread")?.parse().ok()?;
        children.get(&thread)?.checked_sub(number + 1)
    };
    let of_library = stacks.filter_map(begins).next().unwrap_or(0);
    // One that has done nothing yet has no name; threads are numbered as they are created.
    let number = |thread: u32| children.get(&thread).copied().unwrap_or(thread as usize);
    let name = |thread: u32| names.get(number(thread).checked_sub(of_library + 1)?).cloned();
    let library = |location: &mut report::Location| location.stack.retain(|frame| !is_client(frame));
    library(&mut finding.location);
    for access in &mut finding.accesses {
        access.operation = name(access.thread);
        library(&mut access.location);
    }
    // The client's own thread only waits for the others, if there are any.
    if !names.is_empty() {
        finding.blocked.retain(|blocked| blocked.thread > 0);
        finding.threads.retain(|thread| thread.thread > 0);
    }
    for blocked in &mut finding.blocked {
        blocked.operation = name(blocked.thread);
        library(&mut blocked.location);
    }
    if is_client(&finding.location.file)
        && let Some(blocked) = finding.blocked.first()
    {
        finding.location = blocked.location.clone();
    }
    finding.schedule.retain(|step| !is_client(&step.file));
    for thread in &mut finding.threads {
        if let Some(name) = name(thread.thread) {
            thread.name = name;
        }
    }
}

/// What each thread calls.
fn origin_names(origin: &Origin) -> Vec<String> {
    match origin {
        Origin::Clients { threads, .. } => threads.iter().map(Sequence::name).collect(),
        _ => Vec::new(),
    }
}
