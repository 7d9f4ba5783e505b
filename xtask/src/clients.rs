//! Random libraries on the heaps that clients build (`--heaps reached`), against brute force over all sequences of calls.

use crate::engine::{TINY_SHARES, deadlocks, engine, lower_library, new_engine, take_over};
use crate::libraries::{acts, counts_for_ever, shown};
use ::clients::{Interface, Reach, ReachOptions, RoleKind, Roles, SequentialKind};
use anyhow::Context;
use explore::{
    Budget, Exploration, FindingKey, JointOptions, LibraryOptions, Operation, Origin, Paused, RootRule, SHARES,
    Sequence, Workers, explore_library,
};
use ir::FuncId;
use machine::{Config, Engine, FaultKind, LossKind, Repeats, Weak};
use memory::{HeapRules, Limits};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use testkit::library::{
    ClientEntry, ClientExpectation, ClientExtent, EntryResult, Expectation, Failure, Library, Standstill,
    generate_for_clients, judge_clients, render,
};

/// States that brute force takes on for one library.
const MAX_STATES: usize = 3_000_000;

/// Libraries without a certain action that are passed over before there is one.
const MOST_OTHERS: u64 = 20_000;

/// Compares libraries until `count` were compared, of those with an action whose name contains `only`. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path, (before, only): (usize, &str)) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let begun = Instant::now();
    let mut figures = Figures::default();
    let mut seed = first;
    while figures.compared < count {
        let library = generate_for_clients(seed);
        let this = seed;
        seed += 1;
        if !acts(&library, only) {
            anyhow::ensure!(
                seed - first < MOST_OTHERS || figures.compared > 0,
                "no library has an action with {only} in its name"
            );
            continue;
        }
        // As many calls as brute force takes on.
        let judged = (1..=before).rev().find_map(|before| {
            let extent = ClientExtent { before, threads: 2 };
            judge_clients(&library, extent, MAX_STATES).ok().map(|expected| (extent, expected))
        });
        let Some((extent, expected)) = judged else {
            figures.too_large += 1;
            continue;
        };
        let source = render(&library);
        // It stays there if the comparison does not come to its end.
        let file = keep.join(format!("client{this}.c"));
        std::fs::create_dir_all(keep)?;
        std::fs::write(&file, &source)?;
        let compared = Comparison::new(&library, &source, extent, &expected, scratch.path())?.whole()?;
        let Some(difference) = compared else {
            std::fs::remove_file(&file)?;
            figures.too_large += 1;
            continue;
        };
        figures.note(&expected, extent);
        if difference.is_empty() {
            std::fs::remove_file(&file)?;
        } else {
            figures.different += 1;
            std::fs::write(keep.join(format!("client{this}.txt")), format!("{extent:?}\n{difference}\n{expected:#?}"))?;
            eprintln!("seed {this}: {difference}");
        }
    }
    println!(
        "{} libraries compared ({} too large), seeds {first} to {}: {} differ",
        figures.compared,
        figures.too_large,
        seed - 1,
        figures.different
    );
    println!("{figures} {:.1} s", begun.elapsed().as_secs_f64());
    Ok(figures.different == 0)
}

#[derive(Default)]
struct Figures {
    compared: u64,
    too_large: u64,
    different: u64,
    /// By calls before those at once.
    calls: [u64; 4],
    cases: u64,
    racy: u64,
    failing: u64,
    stuck: u64,
    sequential: u64,
}

impl Figures {
    fn note(&mut self, expected: &ClientExpectation, extent: ClientExtent) {
        let any = |is: &dyn Fn(&ClientEntry) -> bool| u64::from(expected.entries.iter().any(is));
        self.compared += 1;
        self.calls[extent.before.min(3)] += 1;
        self.cases += expected.entries.iter().map(|entry| entry.cases).sum::<u64>();
        self.racy += any(&|entry| !entry.must.is_empty());
        self.failing += any(&|entry| !entry.failures.is_empty());
        self.stuck += any(&|entry| entry.comes_to_standstill);
        self.sequential += u64::from(!expected.sequential.is_empty());
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Figures { calls: [_, one, two, three], cases, racy, failing, stuck, sequential, .. } = self;
        write!(
            f,
            "{one}, {two} and {three} with 1, 2 and 3 calls before two at once, {cases} cases; {racy} race, {failing} fail, {stuck} \
             come to a standstill, {sequential} fail in sequence;"
        )
    }
}

/// One library, and what is different about it.
struct Comparison<'a> {
    library: &'a Library,
    expected: &'a ClientExpectation,
    extent: ClientExtent,
    options: LibraryOptions,
    engine: Engine,
    text: String,
}

impl<'a> Comparison<'a> {
    fn new(
        library: &'a Library,
        source: &str,
        extent: ClientExtent,
        expected: &'a ClientExpectation,
        scratch: &Path,
    ) -> anyhow::Result<Self> {
        let together = Config { weak: Weak::Accept, bounded_sizes: true, ..Config::default() };
        let array = if library.flexible { u64::from(library.links) } else { 2 };
        let options = LibraryOptions {
            limits: Limits { depth: library.depth as u32, array, rules: HeapRules::default() },
            globals_symbolic: false,
            roots: RootRule::Same,
            valid: None,
            joint: JointOptions { atomic_blocks: true, failures: true, ..JointOptions::default() },
            alone: Config { repeats: Repeats::Control, wakes: false, quiet_steps: 200_000, ..together },
            together,
        };
        let engine = engine(lower_library(source, scratch)?, array)?;
        Ok(Comparison { library, expected, extent, options, engine, text: String::new() })
    }

    /// `None`: it goes round too often.
    fn whole(mut self) -> anyhow::Result<Option<String>> {
        let functions = self.functions()?;
        let program = Arc::clone(&self.engine.program);
        let roles = Roles::of(&program, &functions);
        for &function in &functions {
            let name = program.module[function].name.as_str();
            let kinds: Vec<RoleKind> = roles.roles(function).iter().map(|role| role.kind).collect();
            let expected: &[RoleKind] = match name {
                "init" => &[RoleKind::Constructor],
                "destroy" => &[RoleKind::Destructor],
                _ => &[],
            };
            if kinds != expected {
                let _ = writeln!(self.text, "{name}: {kinds:?}, not {expected:?}");
            }
        }
        let interface = Interface::new(&program, &functions, &roles, self.extent.before + self.extent.threads);
        let (limits, alone) = (self.options.limits, self.options.alone);
        let reach_options = ReachOptions { calls: self.extent.before as u32, enough: None, limits, alone };
        let reach = Reach::new(&mut self.engine, &interface, reach_options, &Budget::default())?;
        if reach.left_out || !interface.left_out.is_empty() || !interface.unmade.is_empty() {
            let _ = writeln!(self.text, "clients are left out");
        }
        let failed = |(kind, position): &(SequentialKind, explore::Position)| match kind {
            SequentialKind::Fault(kind) => Some(failure(*kind, position.line)),
            SequentialKind::Relocks => Some(Failure::Relocks(position.line)),
            SequentialKind::NeverReturns => None,
        };
        let sequential: BTreeSet<Failure> = reach.failures.keys().filter_map(failed).collect();
        let goes_round = |(kind, _): &&(SequentialKind, explore::Position)| *kind == SequentialKind::NeverReturns;
        for (_, position) in reach.failures.keys().filter(goes_round) {
            if !self.expected.rounds.contains(&position.line) {
                let rounds = &self.expected.rounds;
                let _ = writeln!(self.text, "never returns from line {}, brute force {rounds:?}", position.line);
            }
        }
        let (must, may) = (&self.expected.must_sequential, &self.expected.sequential);
        if !must.is_subset(&sequential) || !sequential.is_subset(may) {
            let _ = writeln!(self.text, "in sequence: {sequential:?}, brute force {may:?}, certain {must:?}");
        }
        for entry in &self.expected.entries {
            let called: Vec<FuncId> = entry.operations.iter().map(|&index| functions[index]).collect();
            let threads: Vec<Sequence> = called.iter().map(|&function| self.sequence(function)).collect();
            let operations: Vec<&Operation> = threads.iter().map(|sequence| &sequence.first).collect();
            let starts = reach.starts(&program, &interface, &operations);
            let origin = Origin::Clients {
                program: Arc::clone(&program),
                threads,
                clients: starts.into(),
                options: self.options.clone(),
            };
            self.entry(entry, &origin)?;
        }
        self.losses();
        Ok((!counts_for_ever(self.library, &self.engine)).then_some(self.text))
    }

    /// The operations, and then what makes objects.
    fn functions(&self) -> anyhow::Result<Vec<FuncId>> {
        let makers = self.library.makers;
        let makers =
            [("init", makers.init), ("create", makers.create), ("destroy", makers.destroy), ("make", makers.make)];
        let operations = (0..self.library.operations.len()).map(|index| format!("op{index}"));
        let named = makers.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| (*name).to_owned());
        let function = |name: String| self.engine.program.module.functions_named(&name).next();
        operations.chain(named).map(function).collect::<Option<_>>().context("the rendered library lacks a function")
    }

    fn sequence(&self, function: FuncId) -> Sequence {
        let name = self.engine.program.module[function].name.clone();
        Sequence::from(Operation::new(function, name))
    }

    /// Whole, and divided as finely as can be.
    fn entry(&mut self, entry: &ClientEntry, origin: &Origin) -> anyhow::Result<()> {
        let new_engine = new_engine(&self.engine);
        let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
        let whole = explore_library(workers, origin, &Budget::default(), &mut (), Paused::default())?;
        take_over(&mut self.engine, &whole);
        let reported = shown(&whole, origin, &new_engine)?;
        let as_threads = entry.operations.iter().map(|&operation| vec![operation]).collect();
        let result = EntryResult {
            threads: as_threads,
            must: entry.must.clone(),
            may: entry.may.clone(),
            ..EntryResult::default()
        };
        let tolerant = Expectation { lock_lines: self.expected.lock_lines.clone(), ..Expectation::default() };
        if let Err(mismatch) = tolerant.check(&result, &reported) {
            let _ = writeln!(self.text, "{}:\n{mismatch}", result.name());
        }
        self.text.push_str(&failures_differ(entry, &whole));
        let two = Workers { count: NonZeroUsize::MIN.saturating_add(1), shares: TINY_SHARES, ..workers };
        let divided = explore_library(two, origin, &Budget::default(), &mut (), Paused::default())?;
        take_over(&mut self.engine, &divided);
        let keys = |explored: &Exploration| explored.findings.keys().cloned().collect::<BTreeSet<FindingKey>>();
        if keys(&whole) != keys(&divided) {
            let _ = writeln!(self.text, "divided: {:?}, whole: {:?}", keys(&divided), keys(&whole));
        }
        Ok(())
    }

    /// What stands in the ledger that is no loss.
    fn losses(&mut self) {
        let compares_freed = self.library.compares_freed();
        let end_nowhere = self.expected.entries.iter().filter(|entry| !entry.ends).count();
        let vacuous = self.engine.ledger.entries().filter(|(loss, _)| loss.kind == LossKind::Vacuous).count();
        let is_right = |kind: LossKind| {
            kind == LossKind::DanglingComparison && compares_freed
                || kind == LossKind::Vacuous && vacuous <= end_nowhere
        };
        let losses = self.engine.ledger.entries().filter(|(loss, _)| !is_right(loss.kind));
        let losses: Vec<String> =
            losses.map(|(e, n)| format!("{} at {} ({n}): {:?}", e.kind, e.site, e.remedy)).collect();
        if !losses.is_empty() {
            let _ = writeln!(self.text, "ledger: {}", losses.join(", "));
        }
    }
}

fn failure(kind: FaultKind, line: u32) -> Failure {
    if kind == FaultKind::LockMisuse { Failure::Misuse(line) } else { Failure::Memory(line) }
}

/// What is different about failures and deadlocks; empty if nothing is.
fn failures_differ(entry: &ClientEntry, explored: &Exploration) -> String {
    let mut text = String::new();
    let of = |key: &FindingKey| match key {
        FindingKey::Fault(kind, position) => Some(failure(*kind, position.line)),
        FindingKey::Race(_) | FindingKey::GpuRace(..) | FindingKey::Deadlock(_) => None,
    };
    let name = format!("{:?}", entry.operations);
    let failures: BTreeSet<Failure> = explored.findings.keys().filter_map(of).collect();
    if !entry.failures.is_subset(&failures) || !failures.is_subset(&entry.may_fail) {
        let _ = writeln!(
            text,
            "{name} fails: {failures:?}, brute force {:?}, at most {:?}",
            entry.failures, entry.may_fail
        );
    }
    let have = deadlocks(explored);
    let unexpected: Vec<&Vec<u32>> = have.iter().filter(|lines| !may_stand_still(entry, lines)).collect();
    let is_missing = have.is_empty() && entry.comes_to_standstill;
    let lines =
        |circle: &Vec<u32>| -> Vec<u32> { circle.iter().copied().collect::<BTreeSet<u32>>().into_iter().collect() };
    let circles_found = entry.circles.iter().all(|circle| have.contains(&lines(circle)));
    if is_missing || !unexpected.is_empty() || !circles_found {
        let (circles, all) = (&entry.circles, &entry.standstills);
        let _ = writeln!(
            text,
            "{name} deadlocks: {have:?}, unexpected {unexpected:?}, circles {circles:?}, standstills {all:?}"
        );
    }
    text
}

/// Whether brute force knows a standstill of threads on these lines.
fn may_stand_still(entry: &ClientEntry, lines: &[u32]) -> bool {
    // Some lines stand for several threads.
    let fits = |standstill: &Standstill| {
        lines.iter().all(|line| standstill.lines.iter().any(|of| of.contains(line)))
            && standstill.lines.iter().all(|of| of.iter().any(|line| lines.contains(line)))
    };
    entry.circles.contains(lines) || entry.standstills.iter().any(fits)
}
