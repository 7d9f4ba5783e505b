//! A library's tests as clients, for whoever looks for races in the library (`raddle races --tests`).
//!
//! What tests do and how far they come is what a caller does: behind that two calls are made at once, by the rules of Narada, or on what a
//! test holds at some point of it ([`synth::plan::Planner::on_heaps`]).
//!
//! Guarantee: each race that is handed out was replayed in the very program that is written. Nothing is said of races that are not.

use super::attempt::{Explorer, Reach, Untried, Wanted};
use super::batch::Batched;
use super::excluded::excluded;
use super::race::Race;
use super::source::NO_BUILD;
use super::suite::{self, Ran, Suite};
use super::{in_parallel, in_turn, probe, title};
use crate::options::{CheckOptions, WitnessFile};
use crate::run::Run;
use crate::{analysis, sources};
use ir::FuncId;
use report::{AccessKind, LedgerLine};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use synth::client::Client;
use synth::plan::{PairPlan, Planned, Planner};
use synth::script::Script;
use witness::Witness;

/// Clients that are explored before it is looked at which others are needed.
const AT_ONCE: usize = 32;

/// Clients on heaps of tests, of two functions on which nothing is known, and of two that are known to race on some heap.
const ON_HEAPS: usize = 4;
const ON_HEAPS_FOR: usize = 32;

/// Tests that were run.
pub(crate) struct TestClients {
    ran: Vec<Ran>,
    probed: Vec<synth::Test>,
    explorer: Explorer,
    excluded: BTreeMap<String, String>,
    workers: usize,
    /// Tests that tell nothing, or not all that they might.
    pub(crate) lost: Vec<LedgerLine>,
}

/// Two functions that may be called at once.
pub(crate) struct Callers {
    /// By their names in C, in alphabetical order.
    pub functions: [String; 2],
    /// Races on which they are known to end on some heap: nothing else is looked for then.
    pub wanted: Option<BTreeSet<Race>>,
}

/// What is asked for.
pub(crate) struct Question<'q> {
    pub callers: &'q [Callers],
    /// Of a function, by its parameter: what it gets there is its caller's alone.
    pub is_own: &'q dyn Fn(&str, usize) -> bool,
    /// What a function got by a parameter where it raced; none: nobody knows.
    pub number: &'q dyn Fn(&str, usize) -> Option<u64>,
    pub until: Option<Instant>,
    /// Where the next client is written to.
    pub place: &'q mut dyn FnMut() -> std::io::Result<PathBuf>,
}

/// A client that shows races.
pub(crate) struct Shown {
    /// Which two functions of the question it calls at once.
    pub callers: usize,
    pub file: PathBuf,
    pub client: Client,
    /// By race, its witness in that program.
    pub races: Vec<(Race, Witness)>,
}

/// A client to be explored, and which two functions it is of.
type Tried<'p> = (usize, &'p Planned);

impl TestClients {
    /// Runs tests. `named`: functions that are looked at though their callers call them beside no other.
    ///
    /// # Errors
    /// When there is none that can be run, and when the engine fails.
    pub(crate) fn of(run: &Run, tests: &[PathBuf], named: &[String], check: CheckOptions) -> anyhow::Result<Self> {
        sources::check(run.directory.as_deref(), tests, false)?;
        let Suite { ran, lost } = suite::run(run, tests)?;
        let files: Vec<&Path> = ran.iter().map(|ran| &*ran.source).collect();
        let explorer = Explorer::new(run, check, &files)?;
        let probed = probe(run, &explorer, &ran)?;
        let is_named = |id: FuncId, module: &ir::Module| named.iter().any(|name| analysis::may_mean(module, name, id));
        let names = ran.iter().flat_map(|ran| {
            let module = &ran.test.program.module;
            let calls = ran.test.trace.calls.iter().map(|call| call.function);
            calls.filter(|&id| is_named(id, module)).map(|id| module[id].name.clone())
        });
        let names: Vec<String> = names.collect();
        let excluded = excluded(&ran, &names);
        Ok(TestClients { ran, probed, explorer, excluded, workers: run.workers.get(), lost })
    }

    /// How many tests there are, and calls of the library in them.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.ran.len(), self.ran.iter().map(|ran| ran.test.trace.calls.len()).sum())
    }

    /// Looks for races that clients show, and hands out each with the first that does. How many clients were explored.
    ///
    /// # Errors
    /// When the engine fails, or `found` does.
    pub(crate) fn look(
        &self,
        mut question: Question,
        found: &mut dyn FnMut(Shown) -> anyhow::Result<()>,
    ) -> anyhow::Result<usize> {
        let tests: Vec<&synth::Test> = self.ran.iter().map(|ran| &ran.test).chain(&self.probed).collect();
        let planner = Planner::new(&tests, |test, id| !self.excluded.contains_key(&test.program.module[id].name));
        let unseen = self.unseen(&question);
        let planner = planner.with_unseen(&unseen);
        let plans = self.plans(&planner, &question);
        let mut hunt = Hunt { tests: self, planner: &planner, known: BTreeSet::new(), explored: 0 };
        hunt.explore(&in_turn(&plans), &mut question, found)?;
        Ok(hunt.explored)
    }

    /// Calls that no test makes: of functions that none calls, and such as have raced.
    fn unseen(&self, question: &Question) -> Script {
        let Some(first) = self.ran.first() else { return Script::default() };
        let module = &first.test.program.module;
        let called: BTreeSet<&String> = self.ran.iter().flat_map(Ran::calls).collect();
        let names: BTreeSet<&String> = question
            .callers
            .iter()
            .flat_map(|callers| callers.functions.iter().map(move |name| (name, callers.wanted.is_some())))
            .filter(|(name, has_raced)| (*has_raced || !called.contains(name)) && !self.excluded.contains_key(*name))
            .map(|(name, _)| name)
            .collect();
        let defined = |name: &String| module.functions_named(name).find(|&id| !module[id].is_declaration());
        let functions: Vec<FuncId> = names.into_iter().filter_map(defined).collect();
        let number = |id: FuncId, index: usize| (question.number)(&module[id].name, index).unwrap_or(1);
        Script::of_unseen(module, &functions, &number)
    }

    /// Clients of each two functions: those that the rules lead to, and then those on heaps of tests.
    fn plans(&self, planner: &Planner, question: &Question) -> Vec<PairPlan> {
        let all_rules = planner.plans();
        let of = |Callers { functions, wanted }: &Callers| {
            let plan = all_rules.iter().find(|plan| plan.functions == *functions).cloned();
            let mut plan = plan.unwrap_or_else(|| PairPlan::of(functions.clone()));
            let most = if wanted.is_some() { ON_HEAPS_FOR } else { ON_HEAPS };
            let names = [&*functions[0], &*functions[1]];
            plan.clients.retain(|planned| planner.keeps_own(&planned.draft, names, question.is_own));
            plan.clients.extend(planner.on_heaps(names, question.is_own, most));
            plan
        };
        question.callers.iter().map(of).collect()
    }
}

/// A search for races that clients show.
struct Hunt<'h, 't> {
    tests: &'h TestClients,
    planner: &'h Planner<'t>,
    /// Races that some client has shown.
    known: BTreeSet<Race>,
    explored: usize,
}

/// A client that shows something new.
struct Job<'p> {
    callers: usize,
    planned: &'p Planned,
    batched: Batched,
    new: BTreeSet<Race>,
    file: PathBuf,
}

impl Hunt<'_, '_> {
    fn explore(
        &mut self,
        all: &[Tried],
        question: &mut Question,
        found: &mut dyn FnMut(Shown) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let scratch = tempfile::tempdir()?;
        let (explorer, workers) = (&self.tests.explorer, self.tests.workers);
        let (callers, until) = (question.callers, question.until);
        let mut left = all.iter().copied().peekable();
        while left.peek().is_some() && !is_over(until) {
            let chosen: Vec<Tried> =
                left.by_ref().filter(|tried| self.is_worth_it(*tried, question)).take(AT_ONCE).collect();
            let planned: Vec<&Planned> = chosen.iter().map(|(_, planned)| *planned).collect();
            let compiled = explorer.planned(self.planner, &planned, (scratch.path(), workers))?;
            let seen = in_parallel(workers, compiled.len(), |number| match &compiled[number] {
                Ok(batched) if !is_over(until) => {
                    Some(explorer.explore_in(batched, &BTreeSet::new(), (Reach::First, Wanted::All)))
                }
                Ok(_) | Err(Untried::Refused(_) | Untried::Stopped) => None,
            });
            let mut jobs = Vec::new();
            for (((number, planned), compiled), seen) in chosen.into_iter().zip(compiled).zip(seen) {
                let (Ok(batched), Some(seen)) = (compiled, seen) else { continue };
                self.explored += 1;
                let is_asked_for = |race: &Race| {
                    let wanted = &callers[number].wanted;
                    wanted.as_ref().is_none_or(|wanted| wanted.contains(race)) && !self.known.contains(race)
                };
                let mut new: BTreeSet<Race> = seen?.races.into_iter().filter(is_asked_for).collect();
                // What a caller sees of calls one after the other is no race's.
                if new.iter().any(Race::frees) && explorer.fails_in_turn(&batched)? {
                    new.retain(|race| !race.frees());
                }
                if !new.is_empty() {
                    self.known.extend(new.iter().cloned());
                    jobs.push(Job { callers: number, planned, batched, new, file: (question.place)()? });
                }
            }
            let shown = in_parallel(workers, jobs.len(), |number| explorer.show(&jobs[number], callers));
            for shown in shown {
                if let Some(shown) = shown? {
                    found(shown)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a client may show what is not known yet.
    fn is_worth_it(&self, (callers, planned): Tried, question: &Question) -> bool {
        let is_new = |race: &Race| !self.known.contains(race);
        let is_wanted = question.callers[callers].wanted.as_ref().is_none_or(|wanted| wanted.iter().any(is_new));
        let candidates = &planned.candidates;
        is_wanted && (candidates.is_empty() || candidates.iter().map(Race::candidate).any(|race| is_new(&race)))
    }
}

impl Explorer {
    /// Makes a client small, and has its races shown in its own program. None where none of them does.
    fn show(&self, job: &Job, callers: &[Callers]) -> anyhow::Result<Option<Shown>> {
        let Job { planned, batched, new, file, .. } = job;
        let title = title(&callers[job.callers].functions, planned);
        let (least, _) = self.smallest((&planned.client, batched, Reach::First), new)?;
        // What is left out may be left out of another program; so it is tried with all, too.
        for client in [&least, &planned.client] {
            let Ok(explored) = self.explore(client, &title, (file, Reach::First.again()))? else { continue };
            let mut races = Vec::new();
            for (finding, text) in explored.races {
                let race = Race::reported(&finding);
                if new.contains(&race) {
                    races.push((race, analysis::witness_of(&WitnessFile { path: file.clone(), text })?));
                }
            }
            if !races.is_empty() {
                let (file, client) = (file.clone(), client.clone());
                return Ok(Some(Shown { callers: job.callers, file, client, races }));
            }
        }
        // There may be none.
        let _ = std::fs::remove_file(file);
        Ok(None)
    }
}

impl Shown {
    /// Writes the command that builds the client into its file. Its text, where the command is the one that builds it where it is shown.
    ///
    /// # Errors
    /// When the file is not to be read or written.
    pub(crate) fn complete(&self, build: &str, shown: &str) -> std::io::Result<String> {
        let text = std::fs::read_to_string(&self.file)?;
        let with = |build: &str| text.replacen(NO_BUILD, &format!("// build: {build}"), 1);
        std::fs::write(&self.file, with(build))?;
        Ok(with(shown))
    }
}

impl Race {
    /// Whether memory that one side uses is freed by the other.
    fn frees(&self) -> bool {
        self.kinds().any(|kind| kind == AccessKind::Free)
    }
}

fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}
