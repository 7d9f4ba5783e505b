//! What `check` and `races` share: the engine's set-up, filling in a report.

use super::assumed;
use super::client_program::ClientPrograms;
use super::confirming::Identity;
use super::kept::{ConfirmedKept, Kept, PartsKept};
use super::label::Label;
use super::proof;
use super::reach::Reach;
use super::remedies::Ground;
use super::robust;
use super::{Parameters, Ticker, asked, emitted, native, present, stored};
use crate::errors::{InputError, internal_error};
use crate::losses;
use crate::notice::complain;
use crate::options::{NativeTests, SearchRequest};
use crate::out;
use crate::panics;
use crate::progress::Asked;
use crate::run::{CudaSides, Run};
use crate::runs::Folder;
use crate::synth::TestClients;
use crate::unfinished::{self, Keeper};
use explore::{
    Budget, Counts, Exhausted, Exploration, FindingKey, GuardedAccess, Guided, Por, Sampler, Spent, UnfoldingOptions,
};
use machine::{Asking, Engine, EngineError, Ledger, LedgerEntry, LossKind, LossSite, Program, ProgramPart, Remedy};
use report::{FileSources, Guards, LedgerLine, Report, Stats, Verdict};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::Store;
use witness::{ProgramRef, Witness};

/// How long findings are still replayed when time is up, or the user has had enough; and when something else ends the search.
const OVERTIME: Duration = Duration::from_millis(700);
const UNTIMED: Duration = Duration::from_secs(10);

/// The part of the time that is kept back for confirming what was found.
const FOR_CONFIRMING: u32 = 8;

/// When a long step or query is given up: when the budget is used up, unless a finding is being confirmed.
#[derive(Clone)]
pub(super) struct Patience {
    budget: Arc<Mutex<Budget>>,
    until: Arc<Mutex<Option<Instant>>>,
}

impl Patience {
    /// For `by` from now on, but not beyond a moment.
    pub(super) fn extend(&self, by: Duration, most: Option<Instant>) {
        let until = std::iter::once(Instant::now() + by).chain(most).min();
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    pub(super) fn over(self) -> impl Fn() -> bool + Send + Sync {
        move || {
            let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
            let budget = || self.budget.lock().unwrap_or_else(PoisonError::into_inner);
            until.is_none_or(|until| Instant::now() >= until) && budget().exhausted().is_some()
        }
    }
}

/// One run of raddle on one program.
pub(super) struct Session {
    pub engine: Engine,
    pub parameters: Parameters,
    pub time: Timing,
    pub files: Files,
    pub solving: Solving,
    pub found: ConfirmedFindings,
    pub seen: Figures,
    /// What earlier runs found out.
    pub store: Option<Store>,
    pub(super) client_programs: ClientPrograms,
    /// The library's tests, where they are clients.
    pub(super) tests: Option<Rc<TestClients>>,
    suppressions: Vec<report::Suppression>,
    baseline: Option<Rc<report::Baseline>>,
    /// What of raddle's own failed first: the search ends, and what was found until then is reported.
    fault: Option<anyhow::Error>,
    /// While findings of a part of the program are confirmed: the whole program, and the part.
    pub(super) whole: Option<(Arc<Program>, ProgramPart)>,
    /// What of the code was reached.
    pub(super) reach: Reach,
    /// It was shown that nothing races.
    pub(super) proved: bool,
}

/// How far a search goes, where that must not hang on a clock.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Tasks(u64),
    /// Of the interpreter.
    Steps(u64),
}

/// Steps that are taken for a second, where a search is given so many in place of a time.
pub(super) const STEPS_PER_SECOND: u64 = 200_000;

/// What a run may take, and when it has to end.
pub(super) struct Timing {
    pub budget: Budget,
    pub(super) patience: Patience,
    /// For compilers.
    pub limits: crate::budget::Budget,
    /// After how much a search is interrupted.
    measure: Option<Measure>,
    started: Instant,
    /// When it was noticed that the search has to end, though there was time.
    ended: Cell<Option<Instant>>,
    /// There was no time to replay some findings.
    pub hurried: bool,
}

impl Timing {
    /// When the run began.
    pub(super) fn started(&self) -> Instant {
        self.started
    }
}

/// What is written, and what stands in it of the program and the request.
pub(super) struct Files {
    pub keeper: Keeper,
    pub search: SearchRequest,
    pub program_ref: ProgramRef,
    pub folder: Rc<Folder>,
    /// Files that could not be written.
    lost: RefCell<Vec<LedgerLine>>,
    /// The report quotes the tests of findings.
    quotes_tests: bool,
}

/// How questions are answered.
pub(super) struct Solving {
    /// How solvers are started, one for each worker's task.
    pub setup: smt::Setup,
    /// What the progress line says of their questions.
    asked: Asked,
}

/// Findings that have been replayed.
#[derive(Default)]
pub(super) struct ConfirmedFindings {
    /// With their witnesses, in the order in which they came.
    pub confirmed: Vec<(report::Finding, Witness)>,
    /// Where each of them stands.
    pub(super) known: FxHashMap<Identity, usize>,
    /// Those that were shown in clients' programs, and where each of them stands.
    pub(super) on_clients: BTreeMap<FindingKey, usize>,
}

/// What the report says of the search.
#[derive(Default)]
pub(super) struct Figures {
    stages_shown: bool,
    /// Of all entries of the matrix.
    guided: Option<report::GuidedStats>,
    /// What operations hold at their accesses; there may be others than these.
    guarded: BTreeSet<GuardedAccess>,
    more_ways: bool,
    /// What was left out of searches because of something else.
    reductions: BTreeSet<String>,
    /// Of the one search of a program.
    pub(super) executions_left: Option<explore::ExecutionsLeft>,
    first_race: Option<Duration>,
    /// Different paths of each part of the search.
    pub paths: usize,
    pub reused: Option<report::StoreStats>,
    /// Something was open for weak atomics alone, which allow there what interleaving shows.
    pub robust: bool,
    /// The time in which stronger orders were tried.
    pub orders_tried: Duration,
}

impl Figures {
    /// Those so far; new ones take their place.
    pub(super) fn begin_anew(&mut self) -> Figures {
        let stages_shown = self.stages_shown;
        std::mem::replace(self, Figures { stages_shown, ..Figures::default() })
    }

    /// These go on after others: the first race may be one of those.
    pub(super) fn after(self, others: &Figures) -> Figures {
        let first_race = self.first_race.into_iter().chain(others.first_race).min();
        Figures { first_race, ..self }
    }
}

impl Session {
    pub(super) fn new(
        module: ir::Module,
        parameters: Parameters,
        search: &SearchRequest,
        run: &Run,
    ) -> anyhow::Result<Self> {
        let directory = run.start()?;
        let fingerprint = witness::program_fingerprint(&module)?;
        let mut program =
            Program::new(module, parameters.bounds.array).map_err(|e| InputError::new("lower", e.to_string()))?;
        if let Some(file) = &run.names_of {
            let own = super::client_program::objects_of(&program.module, file);
            program.facts.name_objects(own);
        }
        let budget = Budget {
            deadline: run.budget.deadline,
            max_memory: run.budget.max_memory_bytes,
            stop: run.budget.stop.clone(),
            apart: run.apart,
            ..Budget::default()
        };
        let patience = Patience { budget: Arc::new(Mutex::new(budget.clone())), until: Arc::default() };
        let stop: smt::Stop = Arc::new(patience.clone().over());
        let setup = smt::Setup { stop: Some(stop), ..run.solver.setup(run.folder.out())? };
        let solver = smt::Solving::set_up(setup.clone())?;
        let mut engine = Engine::new(Arc::new(program), solver, parameters.together());
        engine.interrupted = Some(Box::new(patience.clone().over()));
        Ok(Session {
            engine,
            parameters,
            time: Timing {
                budget,
                patience,
                limits: run.budget.clone(),
                measure: None,
                started: run.started,
                ended: Cell::new(None),
                hurried: false,
            },
            files: Files {
                keeper: Keeper::new(run.typed.clone()),
                search: search.clone(),
                program_ref: ProgramRef {
                    sources: run.sources.iter().map(|s| absolute(&directory.join(s))).collect(),
                    typed: run.sources.iter().map(|s| s.display().to_string()).collect(),
                    directory: directory.display().to_string(),
                    flags: run.clang_flags.clone(),
                    own: run.own_flags.clone(),
                    both_sides: run.cuda == Some(CudaSides::Both),
                    fingerprint,
                },
                folder: Rc::clone(&run.folder),
                lost: RefCell::default(),
                quotes_tests: run.quotes_tests,
            },
            solving: Solving { setup, asked: run.asked.clone() },
            found: ConfirmedFindings::default(),
            seen: Figures { stages_shown: run.solver.stages, ..Figures::default() },
            store: run.store.as_deref().and_then(stored::open),
            suppressions: run.suppressions.clone(),
            baseline: run.baseline.clone(),
            client_programs: ClientPrograms::default(),
            tests: None,
            fault: None,
            whole: None,
            reach: Reach::default(),
            proved: false,
        })
    }

    /// Takes over what another process knew; what is left are the parts of the search.
    ///
    /// # Errors
    /// When it is about another program.
    pub(super) fn resume(&mut self, kept: Kept<'static>) -> anyhow::Result<PartsKept<'static>> {
        kept.check(&self.files.program_ref.fingerprint, self.files.folder.out())?;
        for finding in kept.confirmed {
            if let Some(mut shown) = present::finding(&finding.witness, finding.shape()) {
                shown.entries.extend(&finding.entries);
                if let Some(client) = finding.client {
                    self.on_client_again(client, &mut shown, &finding.witness);
                }
                self.add(shown, finding.witness.into_owned());
            }
        }
        self.engine.statistics = kept.spent.statistics;
        self.engine.solved_elsewhere = kept.spent.solver;
        self.engine.assumed = kept.spent.assumed;
        Ok(kept.parts)
    }

    /// What the engine that replays findings took.
    pub(super) fn spent(&self) -> Spent {
        let Engine { statistics, assumed, .. } = self.engine;
        Spent { statistics, solver: self.engine.solver_stats(), assumed, ..Spent::default() }
    }

    /// The confirmed findings of these parts of the search. Of a program there is one part.
    pub(super) fn confirmed_in(&self, wanted: impl Fn(usize) -> bool) -> Vec<ConfirmedKept<'_>> {
        let mut all = Vec::new();
        for (finding, witness) in &self.found.confirmed {
            let entries: Vec<usize> = finding.entries.iter().copied().filter(|&entry| wanted(entry)).collect();
            let is_kept = if finding.entries.is_empty() { wanted(0) } else { !entries.is_empty() };
            if is_kept {
                let shape = finding.shape.map(|shape| shape.name().to_owned());
                let client = finding.client.clone();
                all.push(ConfirmedKept { witness: Cow::Borrowed(witness), shape, entries, client });
            }
        }
        all
    }

    /// Makes engines for workers.
    pub(super) fn new_engine(&self) -> impl Fn(&Arc<Program>) -> Result<Engine, EngineError> + Sync + use<> {
        let (patience, config, setup) =
            (self.time.patience.clone(), self.parameters.together(), self.solving.setup.clone());
        let asked = self.solving.asked.clone();
        move |program| {
            let asking = Asking::default();
            let stop = asked.watch(asking.clone(), Arc::clone(program), patience.clone().over());
            let solver = smt::Solving::set_up(smt::Setup { stop: Some(stop), ..setup.clone() })?;
            let mut engine = Engine::new(Arc::clone(program), solver, config);
            engine.asking = asking;
            engine.interrupted = Some(Box::new(patience.clone().over()));
            Ok(engine)
        }
    }

    /// Notes how much of what was explored an earlier run had found out.
    pub(super) fn note_reused(&mut self, reused: u64, entries: u64) {
        let Some(store) = &self.store else { return };
        let directory = store.directory().display().to_string();
        self.seen.reused = Some(report::StoreStats { directory, reused, entries });
    }

    /// Keeps the store within its bounds, and says what there is to say of it.
    pub(super) fn close_store(&mut self) {
        let Some(store) = &mut self.store else { return };
        store.trim();
        store.notices().iter().for_each(|notice| complain(&format!("raddle: notice: {notice}\n")));
    }

    /// Notes a failure of raddle's own, if there was one.
    pub(super) fn failed(&mut self, fault: Option<impl Into<anyhow::Error>>) {
        if let Some(fault) = fault {
            self.fault.get_or_insert(fault.into());
        }
    }

    /// Leaves so much memory for later.
    pub(super) fn spare(&mut self, bytes: u64) {
        self.time.budget.max_memory = self.time.budget.max_memory.map(|most| most.saturating_sub(bytes));
    }

    /// What ends the whole search, if anything does.
    pub(super) fn exhausted(&self) -> Option<Exhausted> {
        if self.fault.is_some() { Some(Exhausted::Fault) } else { self.time.budget.exhausted() }
    }

    /// Until when findings may be replayed when the search has to end: limits and signals are obeyed within a second or two.
    pub(super) fn overtime(&self) -> Option<Instant> {
        let over = self.time_to_write().and_then(|deadline| deadline.checked_add(OVERTIME));
        let allowed = match self.exhausted() {
            Some(Exhausted::Interrupted) => OVERTIME,
            Some(Exhausted::Memory | Exhausted::Fault | Exhausted::Enough | Exhausted::Apart) => UNTIMED,
            Some(Exhausted::Time) | None => return over,
        };
        let ended = self.time.ended.get().unwrap_or_else(Instant::now);
        self.time.ended.set(Some(ended));
        ended.checked_add(allowed).into_iter().chain(over).min()
    }

    /// As [`Session::limited`], for a search: what it finds is confirmed within the same time.
    pub(super) fn limited_search(&mut self, time: Option<Duration>) -> Budget {
        let mut budget = self.limited(time);
        let mut steps = self.time.limits.steps;
        match self.time.measure {
            Some(Measure::Tasks(tasks)) => budget.tasks = Some(tasks),
            Some(Measure::Steps(most)) => steps = Some(steps.map_or(most, |steps| steps.min(most))),
            None => {}
        }
        budget.steps = steps.map(|steps| Arc::new(AtomicU64::new(steps)));
        let left = budget.deadline.map(|deadline| (deadline, deadline.saturating_duration_since(Instant::now())));
        budget.sooner = left.and_then(|(deadline, left)| deadline.checked_sub((left / FOR_CONFIRMING).min(UNTIMED)));
        *self.time.patience.budget.lock().unwrap_or_else(PoisonError::into_inner) = budget.clone();
        budget
    }

    /// Has each search within `searches` end after so much of it, at the same place on every machine, however many workers there are: one
    /// carries out its tasks, in their order.
    pub(super) fn measured<R>(&mut self, measure: Measure, searches: impl FnOnce(&mut Self) -> R) -> R {
        let workers = std::mem::replace(&mut self.parameters.workers, NonZeroUsize::MIN);
        let before = self.time.measure.replace(measure);
        let result = searches(self);
        (self.time.measure, self.parameters.workers) = (before, workers);
        result
    }

    /// The budget, with no more than `time` from now on; long steps and queries keep to it too. None: all that is left.
    pub(super) fn limited(&mut self, time: Option<Duration>) -> Budget {
        let mut budget = self.time.budget.clone();
        let sooner = time.and_then(|time| Instant::now().checked_add(time));
        budget.deadline = sooner.into_iter().chain(budget.deadline).min();
        *self.time.patience.budget.lock().unwrap_or_else(PoisonError::into_inner) = budget.clone();
        budget
    }

    /// No more than this from now on.
    pub(super) fn hurry(&mut self, time: Duration) {
        self.time.budget = self.limited(Some(time));
    }

    /// Says what there is to say of findings that do not count.
    pub(super) fn say_of(&mut self, others: asked::Others, report: &mut Report) {
        report.assumptions.extend(others.assumptions);
        others.losses.into_iter().for_each(|loss| self.engine.ledger.note(loss));
    }

    /// Whether something was replayed that counts.
    pub(super) fn has_what_counts(&self) -> bool {
        let property = self.parameters.property.as_ref();
        let counts = |finding: &report::Finding| {
            finding.unconfirmed.is_none() && property.is_none_or(|property| property.covers(finding))
        };
        self.found.confirmed.iter().any(|(finding, _)| counts(finding))
    }

    /// Adds what a part of the search lost and took.
    pub(super) fn add_explored(&mut self, ledger: &Ledger, spent: Spent) {
        self.engine.ledger.merge(ledger);
        self.engine.statistics += spent.statistics;
        self.engine.solved_elsewhere += spent.solver;
        self.engine.assumed |= spent.assumed;
    }

    /// What ended a search that is not over.
    pub(super) fn what_ran_out(&self) -> (LossKind, Remedy) {
        self.time.budget.exhausted().unwrap_or(Exhausted::Time).loss()
    }

    /// Completes the report: ledger, statistics, verdict, numbers, witness files. `is_over`: the search has come to its
    /// end.
    pub(super) fn finish(self, report: Report, counts: &Counts, is_over: bool) -> anyhow::Result<Report> {
        self.finish_with(report, counts, is_over, None)
    }

    /// The same, with remedies for what was found, if there is ground to try them on.
    pub(super) fn finish_with(
        mut self,
        mut report: Report,
        counts: &Counts,
        is_over: bool,
        remedies: Option<(&Ground, &mut Ticker)>,
    ) -> anyhow::Result<Report> {
        let others = asked::set_apart(&mut self.found.confirmed, self.parameters.property.as_ref());
        self.say_of(others, &mut report);
        let reached_open = report
            .reached
            .as_ref()
            .is_some_and(|r| r.ledger.iter().any(|line| line.kind == machine::LossKind::WeakMemory.name()));
        if self.seen.robust && !reached_open && !robust::is_open(&self.engine.ledger) {
            report.claim.memory = "rc11";
        }
        report.coverage = self.reach.told(&self.engine.ledger);
        let proved = self.proved && proof::stands(self.found.confirmed.is_empty(), &mut self.engine.ledger);
        if proved {
            report.claim_proof();
        }
        report.ledger.extend(losses::lines(&self.engine.ledger));
        // Where globals have no other values than their first, all begins there.
        let from_main = report.claim.globals.is_none();
        report.assumptions.extend(assumed::all(&self.engine, &self.parameters, from_main));
        report.findings = self.found.confirmed.iter().map(|(finding, _)| finding.clone()).collect();
        self.try_natively(&mut report.findings);
        let program = &self.files.program_ref;
        report.sources.clone_from(&program.typed);
        report.describe(&FileSources::new(&program.directory));
        report.suppress(&self.suppressions);
        report.stats = self.statistics(counts);
        let keeps_events = matches!(self.parameters.por, Some(Por::Unfolding(UnfoldingOptions { kept: true, .. })));
        report.unfolding = keeps_events.then(|| present::unfolding(&counts.events));
        report.guards = self.guards();
        if let Some(baseline) = &self.baseline {
            report.compare(baseline);
        }
        let order = report.finish();
        // Whatever ended it, a search that is not over shows nothing to be safe.
        if !is_over && report.verdict == Verdict::Safe && !proved {
            let (kind, remedy) = self.what_ran_out();
            let mut ledger = Ledger::default();
            ledger.note(LedgerEntry { kind, site: LossSite::Search("the search".to_owned()), remedy });
            report.note_lost(losses::lines(&ledger));
        }
        self.look_for_clients(&mut report.findings, &order)?;
        report.require(self.parameters.library.require);
        if let Some((ground, ticker)) = remedies {
            self.try_remedies(&mut report, &order, ground, ticker);
        }
        // The time that this took counts.
        report.stats.wall_time_s = self.time.started.elapsed().as_secs_f64();
        report.stats.cpu_time_s = cpu_time();
        self.write_witnesses(&mut report, &order);
        if is_over
            && !self.time.hurried
            && let Some(path) = self.files.folder.opened()
        {
            unfinished::forget(&path);
        }
        self.publish(&mut report);
        report.note_lost(self.files.lost.take());
        if let Some(fault) = &self.fault {
            report.fail(internal_error(&panics::take_or(|| format!("{fault:#}"))));
        }
        if self.files.quotes_tests {
            self.quote_tests(&mut report, &order);
        }
        Ok(report)
    }

    /// Runs the tests of races that may depend on what nothing models, as far as there is time. Findings are those that were
    /// confirmed, in their order.
    fn try_natively(&self, findings: &mut [report::Finding]) {
        if self.parameters.native_tests == NativeTests::Never {
            let races = findings.iter_mut().filter(|finding| finding.accesses.len() == 2);
            for why in races.filter_map(|finding| finding.unconfirmed.as_mut()) {
                why.push_str("; --native-tests unconfirmed runs its test with the real function");
            }
            return;
        }
        let mut told = false;
        for (finding, (_, witness)) in findings.iter_mut().zip(&self.found.confirmed) {
            let Some(why) = finding.unconfirmed.as_mut() else { continue };
            if witness.failure.kind == "data_race" && !std::mem::replace(&mut told, true) {
                complain(
                    "raddle: notice: tests of races that may depend on functions without a model are built and run\n",
                );
            }
            match native::shows(&self.engine.program.module, witness, self.files.folder.out(), &self.time.budget) {
                Some(true) => {
                    finding.unconfirmed = None;
                    (finding.confirmed, finding.tsan_confirmed) = (true, Some(true));
                }
                Some(false) => {
                    why.push_str("; its test does not show it natively");
                    finding.tsan_confirmed = Some(false);
                }
                None => {}
            }
        }
    }

    /// Writes the witnesses. `order`: which confirmed finding each of the report's is. Findings are worth more than their
    /// files: what cannot be written is said, and the report goes on without it.
    fn write_witnesses(&self, report: &mut Report, order: &[usize]) {
        let Report { findings, suppressed_findings, causes, .. } = report;
        let representatives = causes.iter().map(|cause| cause.representative.as_str()).collect();
        let all = findings.iter_mut().chain(suppressed_findings);
        let (mut findings, mut files) = (Vec::new(), Vec::new());
        for (finding, &from) in all.zip(order) {
            let name = out::witness_name(&finding.id);
            match Label::new(finding).among(&representatives).file(&self.found.confirmed[from].1) {
                Ok(text) => {
                    findings.push((finding, self.found.confirmed[from].1.operations.is_empty()));
                    files.push((name, text));
                }
                Err(e) => self.lose(&self.files.folder.shown(&name), &e.to_string()),
            }
        }
        let written = self.files.folder.write_all(&files);
        for (((finding, in_client), (name, _)), written) in findings.into_iter().zip(&files).zip(written) {
            match written {
                Ok(path) => {
                    let path = path.display().to_string();
                    // Of one that was found in a client's program there is no other.
                    if let Some(client) = finding.client.as_mut().filter(|_| in_client) {
                        client.witness.clone_from(&path);
                    }
                    finding.witness = Some(path);
                }
                Err(e) => self.lose(&self.files.folder.shown(name), &e.to_string()),
            }
        }
    }

    /// Writes a witness of a finding. Its path, if that can be.
    pub(super) fn write_witness(&self, name: &str, finding: &report::Finding, witness: &Witness) -> Option<String> {
        let text = Label::new(finding).file(witness).map_err(std::io::Error::other);
        match text.and_then(|text| self.files.folder.write(name, &text)) {
            Ok(path) => Some(path.display().to_string()),
            Err(e) => {
                self.lose(&self.files.folder.shown(name), &e.to_string());
                None
            }
        }
    }

    /// Notes a file that could not be written.
    pub(super) fn lose(&self, file: &Path, why: &str) {
        complain(&format!("raddle: error: {} cannot be written: {why}\n", file.display()));
        self.files.lost.borrow_mut().push(LedgerLine {
            kind: "not_written".to_owned(),
            r#where: file.display().to_string(),
            count: 1,
            remedy: format!("{why}; make room, or name another place with --out, and run it again"),
        });
    }

    /// Makes the run the latest, with no files but those that the report names. Where that cannot be, the report names
    /// them where they are.
    fn publish(&self, report: &mut Report) {
        let of_report = |name: &str| {
            let shown = self.files.folder.shown(name).display().to_string();
            let all = report.findings.iter().chain(&report.suppressed_findings);
            let clients = |finding: &report::Finding| {
                finding.client.as_ref().is_some_and(|client| client.file == shown || client.witness == shown)
            };
            let of_test = |test: &report::CoverEntry| test.witness.as_ref() == Some(&shown);
            let mut all = all;
            report.tests.iter().flatten().any(of_test)
                || all.any(|finding| finding.witness.as_ref() == Some(&shown) || clients(finding))
        };
        self.files.folder.only(of_report);
        let Err((place, e)) = self.files.folder.publish() else { return };
        let (out, here) = (self.files.folder.out().display(), place.display());
        complain(&format!(
            "raddle: notice: {out} shows the files of another run: {e}; those of this one are in {here}\n"
        ));
        let moved = |path: &mut String| {
            if let Some(name) = Path::new(&*path).file_name() {
                *path = place.join(name).display().to_string();
            }
        };
        for finding in report.findings.iter_mut().chain(&mut report.suppressed_findings) {
            finding.witness.iter_mut().for_each(moved);
            if let Some(client) = &mut finding.client {
                moved(&mut client.file);
                moved(&mut client.witness);
            }
        }
        report.tests.iter_mut().flatten().filter_map(|test| test.witness.as_mut()).for_each(moved);
    }

    /// Gives each finding the test that `raddle test` makes of its witness, to stand beside that.
    fn quote_tests(&self, report: &mut Report, order: &[usize]) {
        let module = &self.engine.program.module;
        let all = report.findings.iter_mut().chain(&mut report.suppressed_findings);
        for (finding, &from) in all.zip(order) {
            let Some(witness) = &finding.witness else { continue };
            let concrete = &self.found.confirmed[from].1;
            let output = self.files.folder.shown(&out::test_name(&finding.id, emitted::suffix(concrete)));
            finding.test = Some(emitted::quoted(module, concrete, Path::new(witness), &output));
        }
    }

    /// Adds what the guided search of a pair did.
    pub(super) fn add_guided(&mut self, guided: &Guided) {
        let all = self.seen.guided.get_or_insert_default();
        all.paths += guided.paths;
        all.watched += guided.watched;
        all.candidates += guided.candidates;
        all.unions += guided.unions;
        all.adjusted += guided.adjusted;
        all.adjustments += guided.adjustments;
        for (reason, count) in &guided.infeasible {
            *all.infeasible.entry(reason.clone()).or_default() += count;
        }
        all.tried += guided.tried;
        all.confirmed += guided.confirmed;
        all.overfull += guided.overfull;
        self.seen.guarded.extend(guided.guarded.iter().cloned());
        self.seen.more_ways |= guided.more_ways || guided.overfull > 0;
    }

    /// What is held at the accesses that operations make by themselves.
    fn guards(&self) -> Guards {
        let accesses = self.seen.guarded.iter().cloned().map(present::guarded).collect();
        Guards { accesses, more: self.seen.more_ways }
    }

    /// Notes which executions a search left out.
    pub(super) fn add_reduction(&mut self, explored: &Exploration) {
        self.seen.reductions.extend(explored.reduction.clone());
    }

    /// Notes when a race was found, if it was the first: in the guided search, or else by now.
    pub(super) fn note_first_race(&mut self, explored: &Exploration) {
        let guided = explored.guided.as_ref().and_then(|guided| guided.first_at);
        let in_full = (!explored.findings.is_empty()).then(Instant::now);
        if let Some(at) = guided.or(in_full) {
            let after = at.saturating_duration_since(self.time.started);
            self.seen.first_race = self.seen.first_race.into_iter().chain([after]).min();
        }
    }

    fn statistics(&self, counts: &Counts) -> Stats {
        let machine = self.engine.statistics;
        let solver = self.engine.solver_stats();
        Stats {
            paths: self.seen.paths as u64,
            executions: counts.executions,
            redundant: counts.redundant,
            shapes: counts.shapes.len() as u64,
            instructions: machine.instructions,
            branches: machine.branches,
            branches_solver: machine.branches_solver,
            memory_reads: machine.reads,
            memory_writes: machine.writes,
            merged: machine.merged,
            summaries: report::SummaryStats {
                built: machine.summaries,
                building_time_s: machine.building.as_secs_f64(),
                invoked: machine.invoked,
                instructions: machine.invoked_instructions,
            },
            solver_queries: solver.queries,
            solver_time_s: solver.time.as_secs_f64(),
            solver_stages: report::SolverStages {
                constants: solver.trivial,
                cores: solver.query_hits + solver.subset_hits,
                model: solver.model_hits + solver.searched,
                order: solver.ordered,
                intervals: solver.intervals,
                backend: solver.queries,
                shown: self.seen.stages_shown,
            },
            store: self.seen.reused.clone(),
            guided: self.seen.guided.clone(),
            unfolding: counts.known_unfolding().map(|known| report::UnfoldingStats {
                events: known.events,
                mutexes: known.mutexes,
                conditions: known.conditions,
                choices: known.choices,
                cutoffs: known.cutoffs,
                ended: counts.executions - known.failed,
                failed: known.failed,
                cut: counts.redundant,
            }),
            sampling: counts.sampling.map(sampled),
            reductions: self.seen.reductions.iter().cloned().collect(),
            executions_left: self.seen.executions_left.map(|left| {
                let explore::ExecutionsLeft { least, most } = left;
                report::ExecutionsLeft { least, most }
            }),
            first_race_time_s: self.seen.first_race.map(|time| time.as_secs_f64()),
            wall_time_s: self.time.started.elapsed().as_secs_f64(),
            cpu_time_s: cpu_time(),
            peak_memory_bytes: peak_memory(),
        }
    }
}

/// As the report has it.
fn sampled(counts: explore::SamplingCounts) -> report::SamplingStats {
    let explore::SamplingCounts { sampler, runs, threads, steps, informed } = counts;
    let bound = match sampler {
        Sampler::Pct { depth } if informed > 0 => {
            let probability = 1.0 / (f64::from(threads) * f64::from(steps).powf(f64::from(depth - 1)));
            Some(report::SamplingBound { depth, probability, runs: informed })
        }
        _ => None,
    };
    report::SamplingStats { sampler: sampler.name().to_owned(), runs, threads, steps, bound }
}

/// The file's absolute path, for commands that are run elsewhere.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Seconds of processor time of this process with all its threads, and of its children that have ended: proc(5), `/proc/pid/stat`.
pub(crate) fn cpu_time() -> f64 {
    /// `USER_HZ`, on every architecture that raddle runs on.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name may hold anything.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    // The state is the third field; user and system time, and those of children, are the fourteenth to the seventeenth.
    let ticks: u64 = fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS
}

/// Peak resident memory in bytes, from `/proc`.
fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse().ok());
    kib.unwrap_or(0) * 1024
}
