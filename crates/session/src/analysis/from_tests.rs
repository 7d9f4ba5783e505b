//! `raddle races --tests`: what the tests of a library do is what its clients do.
//!
//! First, in a part of the time, clients are made of the tests' calls for each two operations ([`crate::synth`]); what these show is reachable, and
//! is not looked for again. Then, of races that were found on heaps which nobody has built yet, it is looked at whether they show on the
//! heaps that tests build, before calls are searched for that build one.

use super::client_program::Outcome;
use super::contracts::Contracts;
use super::matrix::{Combinations, combinations};
use super::present;
use super::racing::{key_of, position};
use super::session::Session;
use super::{Ticker, select};
use crate::errors::UsageError;
use crate::frontend::{Include, cache_directory};
use crate::notice::complain;
use crate::options::{CheckOptions, RacesOptions};
use crate::out;
use crate::run::Run;
use crate::synth::{Callers, Question, Race, Shown, TestClients, of_operations};
use explore::{Operation, Progress};
use ir::Module;
use report::{Assumption, Finding, Report, ShapeBasis};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;
use witness::Witness;
use witness::format::{ArgumentValue, CellValue, OperationCall};

/// The part of the time that clients of tests have, where other heaps come after them.
const FOR_TESTS: u32 = 3;

/// Runs the tests that are named, if any are. What is left to others is not looked at: what clients show is not put aside.
pub(super) fn of(options: &RacesOptions, run: &Run) -> anyhow::Result<Option<Rc<TestClients>>> {
    if options.tests.is_empty() || run.apart {
        return Ok(None);
    }
    let named: Vec<String> = options.operations.iter().chain(&options.contracts.concurrent).cloned().collect();
    let check = CheckOptions {
        bounds: options.bounds.clone(),
        external: options.external.unwrap_or_default(),
        ..CheckOptions::default()
    };
    let tests = TestClients::of(run, &options.tests, &named, check)?;
    for lost in &tests.lost {
        complain(&format!("raddle: notice: {}: {}\n", lost.r#where, lost.remedy));
    }
    Ok(Some(Rc::new(tests)))
}

/// # Errors
/// Where tests are named for a program that has its own `main` to be explored.
pub(super) fn refuse_beside_main(session: &Session) -> Result<(), UsageError> {
    match session.tests {
        None => Ok(()),
        Some(_) => {
            let message = "--tests: `main` is the whole program, which needs no clients; leave it out, or name operations with --op";
            Err(UsageError::new("main_and_tests", message))
        }
    }
}

/// Has each two operations called at once behind what tests do. What shows stays with the session.
pub(super) fn first(
    session: &mut Session,
    report: &mut Report,
    (operations, contracts): (&[Operation], &Contracts),
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    let Some(tests) = session.tests.clone() else { return Ok(()) };
    let module = &session.engine.program.module;
    let Combinations { sequences, chosen } = combinations(operations, session.parameters.bounds.threads, 1)?;
    let (mut callers, mut entries) = (Vec::new(), Vec::new());
    for (entry, chosen) in chosen.iter().enumerate() {
        let threads = || chosen.iter().map(|&index| &sequences[index as usize]);
        let mut functions = threads().map(|sequence| module[sequence.first.function].name.clone());
        if contracts.keeps_apart(threads()).is_none()
            && let (Some(one), Some(other)) = (functions.next(), functions.next())
        {
            callers.push(Callers { functions: in_order([one, other]), wanted: None });
            entries.push(entry);
        }
    }
    ticker.begin("the tests' clients");
    let until = session.time.budget.deadline.map(|end| {
        let now = Instant::now();
        now + end.saturating_duration_since(now) / FOR_TESTS
    });
    let own = own_parameters(session, operations);
    let mut found = Vec::new();
    let known = Known { own, numbers: BTreeMap::new() };
    let explored = look(session, &tests, (&callers, &known, until), &mut found)?;
    let mut shown = 0;
    for client in found {
        let (functions, entry) = (&callers[client.callers].functions, entries[client.callers]);
        let reported = session.reported(&client)?;
        for (_, witness) in client.races {
            shown += session.take_from_tests(witness, (&reported, functions, entry));
        }
    }
    let (many, calls) = tests.counts();
    report.assumptions.push(Assumption {
        kind: "tests".to_owned(),
        count: Some(explored as u64),
        detail: format!(
            "{many} tests, which call the library {calls} times, were taken for clients: {explored} programs that let two of their calls \
             run at once were explored, and show {shown} races"
        ),
        ..Assumption::default()
    });
    Ok(())
}

/// What is known of functions, by their names, and their parameters.
#[derive(Default)]
struct Known {
    /// Those that lead to what is the caller's alone.
    own: BTreeMap<String, Vec<usize>>,
    /// What they got where they raced.
    numbers: BTreeMap<String, Vec<Option<u64>>>,
}

/// The parameters of each function that its caller has for itself.
fn own_parameters(session: &Session, operations: &[Operation]) -> BTreeMap<String, Vec<usize>> {
    let module = &session.engine.program.module;
    let own = operations.iter().filter(|operation| !operation.private.is_empty());
    own.map(|operation| (module[operation.function].name.clone(), operation.private.clone())).collect()
}

/// Looks for clients of tests, whose files are numbered behind those that there are.
fn look(
    session: &mut Session,
    tests: &TestClients,
    (callers, known, until): (&[Callers], &Known, Option<Instant>),
    found: &mut Vec<Shown>,
) -> anyhow::Result<usize> {
    let folder = Rc::clone(&session.files.folder);
    let written = Cell::new(session.client_programs.written);
    let mut place = || {
        written.set(written.get() + 1);
        let name = out::client_name(&format!("client{}", written.get()));
        std::path::absolute(folder.path()?.join(name))
    };
    let is_own = |function: &str, parameter: usize| known.own.get(function).is_some_and(|own| own.contains(&parameter));
    let number = |function: &str, parameter: usize| known.numbers.get(function)?.get(parameter).copied().flatten();
    let question = Question { callers, is_own: &is_own, number: &number, until, place: &mut place };
    let explored = tests.look(question, &mut |shown| {
        found.push(shown);
        Ok(())
    });
    session.client_programs.written = written.get();
    explored
}

impl Session {
    /// A client of the tests' as a report has it; its witness is not known yet.
    fn reported(&self, shown: &Shown) -> anyhow::Result<report::Client> {
        let includes = match Include::create(cache_directory().as_deref())? {
            Include::Kept(path) => vec![path],
            Include::Temporary(_) => Vec::new(),
        };
        let name = shown.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let place = self.files.folder.shown(&name);
        let command = |file: &std::path::Path| witness::emit::client_build(&self.files.program_ref, file, &includes);
        // The report names it where scripts look, as every equal run does.
        let build = command(&std::path::absolute(&place).unwrap_or_else(|_| place.clone()));
        let source = shown.complete(&command(&shown.file), &build)?;
        let client = &shown.client;
        let file = place.display().to_string();
        let held = |text: &str| text.trim_start_matches("static ").to_owned();
        Ok(report::Client {
            holds: client.variables.iter().map(|variable| held(&variable.text)).collect(),
            before: client.before.iter().flat_map(|statement| statement.lines.iter().cloned()).collect(),
            at_once: client.threads.clone(),
            witness: String::new(),
            calls: client.calls as u32,
            program: report::Program { source, file: file.clone(), build, shared_from: None },
            file,
        })
    }

    /// Takes over a race that a client of the tests' shows. How many that are: none if it is known, or not to be shown.
    fn take_from_tests(
        &mut self,
        witness: Witness,
        (client, functions, entry): (&report::Client, &[String; 2], usize),
    ) -> usize {
        let module = &self.engine.program.module;
        let Some(key) = key_of(&witness, |access| position(module, access)) else { return 0 };
        let Some(mut finding) = self.finding_of_tests(&witness, (client, functions)) else { return 0 };
        if self.found.on_clients.contains_key(&key) {
            return 0;
        }
        finding.entries.push(entry);
        self.found.on_clients.insert(key, self.found.confirmed.len());
        self.add(finding, witness);
        1
    }

    fn finding_of_tests(
        &self,
        witness: &Witness,
        (client, functions): (&report::Client, &[String; 2]),
    ) -> Option<Finding> {
        let mut finding = present::finding(witness, Some(ShapeBasis::Reachable))?;
        let name = client.file.rsplit('/').next().unwrap_or_default();
        of_operations(&mut finding, functions, name);
        finding.client = Some(client.clone());
        Some(finding)
    }

    /// Looks for races, each found on some heap, on the heaps that tests build. By number of the race: its client there.
    pub(super) fn on_heaps_of_tests(&mut self, races: &[(usize, Witness)]) -> anyhow::Result<BTreeMap<usize, Outcome>> {
        let mut outcomes = BTreeMap::new();
        let Some(tests) = self.tests.clone() else { return Ok(outcomes) };
        let module = &self.engine.program.module;
        let (mut wanted, mut known) = (BTreeMap::<[String; 2], BTreeSet<Race>>::new(), Known::default());
        let mut numbers: BTreeMap<Race, usize> = BTreeMap::new();
        for (number, witness) in races {
            let Some(finding) = present::finding(witness, None) else { continue };
            let calls = witness.operations.iter().filter(|called| called.then.is_empty());
            let functions: Vec<String> = calls.filter_map(|called| known.note(module, called)).collect();
            let Ok(functions) = <[String; 2]>::try_from(functions) else { continue };
            let race = Race::reported(&finding);
            numbers.insert(race.clone(), *number);
            wanted.entry(in_order(functions)).or_default().insert(race);
        }
        let callers: Vec<Callers> =
            wanted.into_iter().map(|(functions, wanted)| Callers { functions, wanted: Some(wanted) }).collect();
        let until = self.time.budget.deadline.map(|end| {
            let now = Instant::now();
            now + end.saturating_duration_since(now) / FOR_TESTS
        });
        let mut found = Vec::new();
        look(self, &tests, (&callers, &known, until), &mut found)?;
        for shown in found {
            let client = self.reported(&shown)?;
            for (race, witness) in shown.races {
                if let Some(&number) = numbers.get(&race) {
                    let client = client.clone();
                    outcomes.insert(number, Outcome::Reached { client, witness: Box::new(witness) });
                }
            }
        }
        Ok(outcomes)
    }
}

impl Known {
    /// Notes what a call got where it raced. The function's name in C.
    fn note(&mut self, module: &Module, called: &OperationCall) -> Option<String> {
        let function = select::named(module, &called.name, "operation").ok()?;
        let name = module[function].name.clone();
        let own = called.args.iter().enumerate().filter(|(_, argument)| argument.private || argument.alone);
        self.own.entry(name.clone()).or_default().extend(own.map(|(index, _)| index));
        let number = |argument: &ArgumentValue| match argument.value {
            CellValue::Integer(bits) => Some(bits),
            _ => None,
        };
        self.numbers.entry(name.clone()).or_insert_with(|| called.args.iter().map(number).collect());
        Some(name)
    }
}

/// As the planner of clients has them.
fn in_order(mut functions: [String; 2]) -> [String; 2] {
    functions.sort();
    functions
}
