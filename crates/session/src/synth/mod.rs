//! `raddle synth`: racy tests from the sequential ones that a library has (Narada).
//!
//! The tests are run ([`suite`]), it is planned which of their calls to put together ([`synth`]), each client is written and explored
//! with all schedules ([`attempt`]), and of each race that one shows a test is left ([`folder`]).
//!
//! Guarantee: what is exposed was replayed, in the very test that is written. A pair is refuted only where all clients that were
//! planned for it were explored whole and none of them shows a race; that is said of these clients, not of the functions.

mod attempt;
mod batch;
mod clients;
mod effect;
mod excluded;
mod frameworks;
mod numbers;
mod race;
mod source;
mod suite;
mod workshop;

pub(crate) use clients::{Callers, Question, Shown, TestClients};
pub(crate) use race::Race;

use crate::errors::first_line;
use crate::folder::TestFolder;
use crate::options::SynthOptions;
use crate::progress::{Counters, Parts};
use crate::run::Run;
use crate::sources;
use attempt::{Explorer, Reach, Seen, Untried, Wanted};
use batch::Batched;
use excluded::{excluded, named};
use report::{Assumption, Claim, FileSources, Finding, PairEntry, PairVerdict, RaceEffect, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use suite::{Ran, Suite};
use synth::plan::{Candidate, PairPlan, Planned, Planner};
use workshop::{Made, Workshop};

/// Writes racy tests. Reports on them.
///
/// # Errors
/// When the request does not fit the library or its tests, when the folder cannot be used, and when the engine fails.
pub fn synthesise(run: &Run, options: &SynthOptions) -> anyhow::Result<Report> {
    let directory = run.directory.as_deref();
    sources::check(directory, &run.sources, false)?;
    sources::check(directory, &options.tests, false)?;
    let folder = TestFolder::open(&options.output, &run.start()?, &workshop::CONTENTS)?;
    let Suite { ran, lost } = suite::run(run, &options.tests)?;
    let operations = named(&options.operations, &ran)?;
    let excluded = excluded(&ran, &operations);
    let explorer = Explorer::new(run, options.check.clone(), &ran.iter().map(|ran| &*ran.source).collect::<Vec<_>>())?;
    let probed = probe(run, &explorer, &ran)?;
    let tests: Vec<&synth::Test> = ran.iter().map(|ran| &ran.test).chain(&probed).collect();
    let planner = Planner::new(&tests, |test, function| !excluded.contains_key(&test.program.module[function].name));
    let wanted = |plan: &PairPlan| operations.is_empty() || plan.functions.iter().any(|name| operations.contains(name));
    let plans: Vec<PairPlan> = planner.plans().into_iter().filter(wanted).collect();
    let mut report = Report::new("synth", Claim { ..options.check.claim() });
    report.ledger = lost;
    for (function, why) in &excluded {
        report.assumptions.push(Assumption {
            kind: "exclusive".to_owned(),
            r#where: Some(function.clone()),
            detail: format!("{why}, so callers do not call it beside others; `--op {function}` looks at it"),
            ..Assumption::default()
        });
    }
    let workshop = Workshop::new(&explorer, folder);
    let pairs = plans.iter().map(|_| Pair::default()).collect();
    let mut synthesis =
        Synthesis { workshop, report, pairs, known: BTreeMap::new(), waiting: BTreeMap::new(), programs: Vec::new() };
    let by_rules: Vec<(usize, &Planned)> = in_turn(&plans);
    let mut cut = synthesis.explore_all((&planner, &plans), &by_rules, Reach::First, run)?;
    let more = planner.search(&plans, |index, candidate| !synthesis.is_shown(index, candidate));
    let more: Vec<(usize, &Planned)> = more.iter().map(|(pair, planned)| (*pair, planned)).collect();
    cut.extend(synthesis.explore_all((&planner, &plans), &more, Reach::First, run)?);
    // Where something races already, what else does is not worth as much; and the first clients are the smallest.
    let mut chosen: BTreeMap<usize, usize> = BTreeMap::new();
    cut.retain(|(index, _)| {
        let count = chosen.entry(*index).or_default();
        *count += 1;
        *count <= FURTHER && !synthesis.has_races(*index)
    });
    synthesis.explore_all((&planner, &plans), &cut, Reach::Far, run)?;
    let numbered = synthesis.with_own_numbers((&planner, &plans), run)?;
    let numbered: Vec<(usize, &Planned)> = numbered.iter().map(|(pair, planned)| (*pair, planned)).collect();
    synthesis.explore_all((&planner, &plans), &numbered, Reach::First, run)?;
    synthesis.finish(&plans, (run, options.runs_natively))
}

/// Tests of raddle's own, of calls that the others make with one object for several parameters.
fn probe(run: &Run, explorer: &Explorer, ran: &[Ran]) -> anyhow::Result<Vec<synth::Test>> {
    let tests: Vec<&synth::Test> = ran.iter().map(|ran| &ran.test).collect();
    let clients = Planner::new(&tests, |_, _| true).probes();
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("probe.c");
    let Some((module, mains)) = explorer.compile_several(&clients, &file)? else { return Ok(Vec::new()) };
    let program = suite::program_of(module)?;
    mains.into_iter().map(|main| suite::run_one(run, (&file, true), &program, (None, main))).collect()
}

/// What is known of two functions so far.
#[derive(Default)]
struct Pair {
    /// Clients that were explored.
    explored: usize,
    /// What they are for.
    tried: BTreeSet<Candidate>,
    /// What kept one of them from being explored whole, or from being tried.
    open: Option<String>,
    /// Those that have more schedules than were explored.
    cut: usize,
    /// The first test that was written for it.
    test: Option<String>,
    /// What its races do.
    effect: Option<RaceEffect>,
}

/// Why it is not known whether there are more races.
const CUT: &str = "a client has more schedules than were explored";

struct Synthesis<'e> {
    workshop: Workshop<'e>,
    report: Report,
    pairs: Vec<Pair>,
    /// By race, its position in the report.
    known: BTreeMap<Race, usize>,
    /// By race that has no test yet, the pairs whose clients show it.
    waiting: BTreeMap<Race, BTreeSet<usize>>,
    /// By position, the program that shows the finding.
    programs: Vec<String>,
}

/// A client that shows races of which there is no test yet.
struct Job<'p> {
    index: usize,
    planned: &'p Planned,
    batched: Batched,
    new: BTreeSet<Race>,
    number: usize,
}

/// Clients that are compiled before it is looked at which others are needed: in so many files of so many at most.
const FILES: usize = 4;
const IN_A_FILE: usize = 16;

/// A client of two functions, compiled or not.
type Compiled<'p> = ((usize, &'p Planned), Result<Batched, Untried>);

/// Clients of two functions that are explored further.
const FURTHER: usize = 3;

/// Clients that are explored before it is looked at which others are needed.
const AT_ONCE: usize = 16;

impl Synthesis<'_> {
    /// Explores clients, as long as there is time, and something that they may show. Those that have more schedules than that.
    fn explore_all<'p>(
        &mut self,
        (planner, plans): (&Planner, &[PairPlan]),
        all: &[(usize, &'p Planned)],
        reach: Reach,
        run: &Run,
    ) -> anyhow::Result<Vec<(usize, &'p Planned)>> {
        let scratch = tempfile::tempdir()?;
        let mut done = 0;
        let mut cut = Vec::new();
        while done < all.len() {
            if let Some(stopped) = run.budget.stopped() {
                for (index, _) in &all[done..] {
                    self.pairs[*index].open.get_or_insert_with(|| stopped.name().to_owned());
                }
                break;
            }
            let mut chosen = Vec::new();
            while chosen.len() < FILES * IN_A_FILE && done < all.len() {
                chosen.extend(Some(all[done]).filter(|(index, planned)| self.is_worth_it(*index, planned, reach)));
                done += 1;
            }
            let exploring =
                chosen.first().map_or_else(String::new, |(index, _)| plans[*index].functions.join(" with "));
            run.progress.update(&Counters {
                findings: self.report.findings.len(),
                exploring: &exploring,
                parts: Some(Parts { done, all: all.len(), name: "clients" }),
                ..Counters::default()
            });
            let planned: Vec<&Planned> = chosen.iter().map(|(_, planned)| *planned).collect();
            let explorer = self.workshop.explorer;
            let compiled = explorer.planned(planner, &planned, (scratch.path(), run.workers.get()))?;
            let mut compiled: Vec<_> = chosen.into_iter().zip(compiled).collect();
            while !compiled.is_empty() {
                let rest = compiled.split_off(compiled.len().min(AT_ONCE));
                // What came before may have shown all that it is for.
                compiled.retain(|((index, planned), _)| self.is_worth_it(*index, planned, reach));
                cut.extend(self.explore(plans, compiled, reach, run.workers.get())?);
                compiled = rest;
            }
        }
        Ok(cut)
    }

    /// Explores clients side by side, and writes tests of the races that they show.
    fn explore<'p>(
        &mut self,
        plans: &[PairPlan],
        compiled: Vec<Compiled<'p>>,
        reach: Reach,
        workers: usize,
    ) -> anyhow::Result<Vec<(usize, &'p Planned)>> {
        let explorer = self.workshop.explorer;
        let explored = in_parallel(workers, compiled.len(), |number| match &compiled[number].1 {
            Ok(batched) => Some(explorer.explore_in(batched, &BTreeSet::new(), (reach, Wanted::All))),
            Err(_) => None,
        });
        let (mut jobs, mut cut) = (Vec::new(), Vec::new());
        let mut claimed: BTreeSet<Race> = BTreeSet::new();
        for (((index, planned), compiled), explored) in compiled.into_iter().zip(explored) {
            let (batched, tried) = match (compiled, explored) {
                (Ok(batched), Some(seen)) => (Some(batched), Ok(seen?)),
                (Err(untried), _) => (None, Err(untried)),
                (Ok(_), None) => continue,
            };
            // What came before may have shown all that it is for.
            if self.is_worth_it(index, planned, reach)
                && let (Some(seen), Some(batched)) = (self.take_in(index, planned, tried, reach), batched)
            {
                cut.extend(seen.is_cut.then_some((index, planned)));
                let is_new = |race: &&Race| !self.known.contains_key(race) && claimed.insert((*race).clone());
                let new: BTreeSet<Race> = seen.races.iter().filter(is_new).cloned().collect();
                if !new.is_empty() {
                    let number = self.workshop.claim();
                    let title = title(&plans[index].functions, planned);
                    jobs.push((Job { index, planned, batched, new, number }, title));
                }
            }
        }
        let workshop = &self.workshop;
        let written = in_parallel(workers, jobs.len(), |number| {
            let (Job { planned, batched, new, number, .. }, title) = &jobs[number];
            workshop.make(*number, (&planned.client, batched, reach), (title, new))
        });
        for ((job, _), made) in jobs.iter().zip(written) {
            if let Some(made) = made? {
                self.keep(job.index, &plans[job.index], made)?;
            }
        }
        Ok(cut)
    }

    /// Whether a client may show something that these two functions are not known to race on yet; further on, whether it may be the first
    /// to do so.
    fn is_worth_it(&self, index: usize, planned: &Planned, reach: Reach) -> bool {
        self.may_show(index, planned) && !(reach == Reach::Far && self.has_races(index))
    }

    fn has_races(&self, index: usize) -> bool {
        self.report.findings.iter().any(|finding| finding.entries.contains(&index))
    }

    /// Whether a client is for something that these two functions are not known to race on yet.
    fn may_show(&self, index: usize, planned: &Planned) -> bool {
        !planned.candidates.iter().all(|candidate| self.is_shown(index, candidate))
    }

    fn is_shown(&self, index: usize, candidate: &Candidate) -> bool {
        let known = self.known.get(&Race::candidate(candidate));
        known.is_some_and(|&at| self.report.findings[at].entries.contains(&index))
    }

    /// Notes what came of a client of a pair's. What was seen of it, if it was explored.
    fn take_in(&mut self, index: usize, planned: &Planned, tried: Result<Seen, Untried>, reach: Reach) -> Option<Seen> {
        let pair = &mut self.pairs[index];
        let explored = match tried {
            Ok(seen) => seen,
            Err(Untried::Refused(why)) => {
                pair.open.get_or_insert_with(|| format!("a client does not compile: {why}"));
                return None;
            }
            Err(Untried::Stopped) => {
                pair.open.get_or_insert_with(|| "time".to_owned());
                return None;
            }
        };
        // Who is explored further counts once.
        pair.explored += usize::from(reach != Reach::Far);
        pair.tried.extend(planned.candidates.iter().cloned());
        match (reach, explored.is_cut) {
            (Reach::Far, false) => pair.cut = pair.cut.saturating_sub(1),
            (Reach::Far, true) | (_, false) => {}
            (_, true) => pair.cut += 1,
        }
        if let Some(failure) = &explored.failure {
            pair.open.get_or_insert_with(|| format!("a client fails, and behind that nothing is known: {failure}"));
        }
        if let Some(line) = explored.ledger.first().filter(|_| !explored.is_cut) {
            pair.open.get_or_insert_with(|| format!("{} at {}: {}", line.kind, line.r#where, line.remedy));
        }
        self.report.stats.executions += explored.executions;
        for race in &explored.races {
            if let Some(&at) = self.known.get(race) {
                let entries = &mut self.report.findings[at].entries;
                if !entries.contains(&index) {
                    entries.push(index);
                }
            } else {
                self.waiting.entry(race.clone()).or_default().insert(index);
            }
        }
        Some(explored)
    }

    /// Takes over the tests of a client's races.
    fn keep(&mut self, index: usize, plan: &PairPlan, made: Made) -> anyhow::Result<()> {
        let written = self.workshop.write(made)?;
        self.report.stats.executions += written.executions;
        let shown = self.workshop.folder.shown.clone();
        let place = |name: &str| shown.join(name).display().to_string();
        let pair = &mut self.pairs[index];
        pair.test.get_or_insert_with(|| place(&written.file));
        // Of several tests the worst counts.
        let rank = |effect: &RaceEffect| effect.is_harmful().map_or(1, |harmful| if harmful { 2 } else { 0 });
        if pair.effect.as_ref().is_none_or(|known| rank(known) < rank(&written.effect)) {
            pair.effect = Some(written.effect);
        }
        for (mut finding, program) in written.races {
            let race = Race::reported(&finding);
            of_operations(&mut finding, &plan.functions, &written.file);
            finding.witness = Some(place(&format!("{program}.witness.json")));
            finding.entries = self.waiting.remove(&race).unwrap_or_default().into_iter().collect();
            self.known.insert(race, self.report.findings.len());
            self.report.findings.push(finding);
            self.programs.push(program);
        }
        Ok(())
    }

    fn finish(mut self, plans: &[PairPlan], (run, natively): (&Run, bool)) -> anyhow::Result<Report> {
        self.workshop.folder.write_builds(&self.workshop.built, &workshop::SUITE)?;
        let budget = run.budget.clone();
        let native = match natively {
            true => self.workshop.run_natively(run.workers.get(), || budget.stopped().is_some()),
            false => BTreeMap::new(),
        };
        for (finding, program) in self.report.findings.iter_mut().zip(&self.programs) {
            finding.tsan_confirmed = native.get(program).copied();
        }
        // What was seen and does not show in a test is no finding, and refuted neither.
        for index in self.waiting.values().flatten() {
            let lost = || "a race was seen, but does not show in a test of it".to_owned();
            self.pairs[*index].open.get_or_insert_with(lost);
        }
        let mut pairs = Vec::new();
        for (index, (plan, pair)) in plans.iter().zip(&self.pairs).enumerate() {
            let has_findings = self.report.findings.iter().any(|finding| finding.entries.contains(&index));
            let (verdict, reason) = judge(plan, pair, has_findings);
            let test = pair.test.clone().or_else(|| self.test_of(index));
            pairs.push(PairEntry {
                operations: plan.functions.clone(),
                verdict,
                findings: Vec::new(),
                test,
                harmful: pair.effect.as_ref().and_then(RaceEffect::is_harmful),
                effect: pair.effect.clone(),
                reason,
                contexts: pair.explored as u64,
            });
        }
        self.report.pairs = Some(pairs);
        self.report.sources = run.sources.iter().map(|source| source.display().to_string()).collect();
        self.report.describe(&FileSources::new(run.directory.clone().unwrap_or_default()));
        self.report.suppress(&run.suppressions);
        if let Some(baseline) = &run.baseline {
            self.report.compare(baseline);
        }
        self.report.stats.wall_time_s = run.started.elapsed().as_secs_f64();
        self.report.stats.cpu_time_s = crate::analysis::cpu_time();
        self.report.finish();
        Ok(self.report)
    }

    /// The test of another pair's that shows the same race.
    fn test_of(&self, index: usize) -> Option<String> {
        let at = self.report.findings.iter().position(|finding| finding.entries.contains(&index))?;
        let program = self.programs[at].get(.."race_00".len())?;
        Some(self.workshop.folder.shown.join(format!("{program}.c")).display().to_string())
    }
}

/// The first client of each pair, then the second, and so on.
fn in_turn(plans: &[PairPlan]) -> Vec<(usize, &Planned)> {
    let longest = plans.iter().map(|plan| plan.clients.len()).max().unwrap_or(0);
    let of_round = |round: usize| {
        plans.iter().enumerate().filter_map(move |(index, plan)| Some((index, plan.clients.get(round)?)))
    };
    (0..longest).flat_map(of_round).collect()
}

/// Does something for each number below `count`. The results, in this order.
fn in_parallel<T: Send>(workers: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            let worker = std::thread::Builder::new().stack_size(explore::STACK);
            let spawned = worker.spawn_scoped(scope, || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = results.get(number) else { break };
                    let done = work(number);
                    *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                }
            });
            drop(spawned);
        }
    });
    let result = |result: Mutex<Option<T>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Where no thread can be had, it is done here.
    results.into_iter().enumerate().map(|(number, done)| result(done).unwrap_or_else(|| work(number))).collect()
}

/// What came of two functions, and why.
fn judge(plan: &PairPlan, pair: &Pair, has_findings: bool) -> (PairVerdict, Option<String>) {
    if has_findings {
        return (PairVerdict::Exposed, (pair.cut > 0).then(|| format!("{CUT}, so there may be further races")));
    }
    if pair.cut > 0 {
        return (PairVerdict::Unfinished, Some(CUT.to_owned()));
    }
    if let Some(open) = &pair.open {
        return (PairVerdict::Unfinished, Some(open.clone()));
    }
    let untried: Vec<&Candidate> = plan.candidates.difference(&pair.tried).collect();
    if let Some(needed) = untried.iter().find_map(|candidate| plan.unreached.get(candidate)) {
        return (PairVerdict::NotReached, Some(needed.clone()));
    }
    if !untried.is_empty() {
        let reason =
            format!("{} pairs of accesses were not tried: there are more clients than are made", untried.len());
        return (PairVerdict::Unfinished, Some(reason));
    }
    let reason = match pair.explored {
        1 => "no race in one context, with all schedules".to_owned(),
        count => format!("no race in {count} contexts, with all schedules"),
    };
    (PairVerdict::Refuted, Some(reason))
}

/// What is wrong with a program that does not compile; where that is in a file of raddle's own nobody needs to know.
fn compiler_says(error: &str) -> String {
    let line = first_line(error);
    line.split_once("error: ").map_or(line.as_str(), |(_, what)| what).to_owned()
}

fn title([one, other]: &[String; 2], planned: &Planned) -> String {
    let what = match one == other {
        true => format!("Two threads call `{one}` at once"),
        false => format!("One thread calls `{one}` while another calls `{other}`"),
    };
    format!("{what}.\nThey share {}, and nothing else.", planned.shares)
}

/// Threads go by what they call, and what the client itself does is left out.
pub(crate) fn of_operations(finding: &mut Finding, functions: &[String; 2], client: &str) {
    let is_client = |place: &str| {
        Path::new(place.rsplit(' ').next().unwrap_or(place))
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(client))
    };
    let operation = |stack: &[String]| {
        let outermost = stack.last().filter(|frame| is_client(frame))?;
        let number: usize = outermost.split(' ').next()?.strip_prefix("thread")?.parse().ok()?;
        functions.get(number.checked_sub(1)?).cloned()
    };
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for access in &mut finding.accesses {
        access.operation = operation(&access.location.stack);
        if let Some(name) = &access.operation {
            names.insert(access.thread, name.clone());
        }
        access.location.stack.retain(|frame| !is_client(frame));
    }
    finding.location.stack.retain(|frame| !is_client(frame));
    finding.threads.retain(|thread| thread.thread > 0);
    for thread in &mut finding.threads {
        if let Some(name) = names.get(&thread.thread) {
            thread.name.clone_from(name);
        }
    }
    finding.schedule.retain(|step| !is_client(&step.file));
}
