//! Random data-structure libraries: races by combination of operations, against every concrete heap.

use crate::engine::{
    NOTHING_MORE, STRATEGIES, TINY_SHARES, divided_differs, engine, in_pieces, lower_library, new_engine, race,
    strategy_differs, take_over,
};
use crate::hands::in_hands;
use crate::options::{self, Drawn};
use anyhow::{Context, bail};
use explore::{
    Budget, Exploration, FindingKey, JointOptions, LibraryOptions, Operation, Origin, Paused, RootRule, SHARES,
    Schedules, Sequence, Workers, explore_library, in_words, only_read,
};
use machine::{Config, Engine, EngineError, LedgerEntry, LossKind, Program, Repeats, Weak};
use memory::{HeapRules, Limits};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use testkit::finding::Race;
use testkit::library::{Bounds, EntryResult, Expectation, Extent, Library, Own, actions, generate, judge, render};

/// Compares libraries until `count` were compared, in threads and with calls as many as `extent` says; only those with an action whose
/// name contains `only`. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path, (extent, only): (Extent, &str)) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut compared, mut too_large, mut racy, mut entries, mut different, mut readers) = (0, 0, 0, 0, 0, 0);
    let mut seed = first;
    while compared < count {
        let library = generate(seed);
        let this = seed;
        seed += 1;
        if !acts(&library, only) {
            continue;
        }
        let Ok(expected) = judge(&library, extent, &bounds(extent)) else {
            too_large += 1;
            continue;
        };
        let source = render(&library);
        let Some((difference, reading)) = compare(&library, (&source, extent), &expected, scratch.path())? else {
            too_large += 1;
            continue;
        };
        compared += 1;
        entries += expected.entries.len();
        racy += u64::from(expected.entries.iter().any(|p| !p.must.is_empty()));
        readers += reading;
        if !difference.is_empty() {
            different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("library{this}.c")), &source)?;
            std::fs::write(
                keep.join(format!("library{this}.txt")),
                format!("--depth {}\n{difference}\nexpected:\n{expected}", library.depth),
            )?;
            eprintln!("seed {this}: {difference}");
        }
    }
    println!(
        "{compared} libraries, {entries} combinations compared, {readers} of operations that only read ({too_large} libraries too large for brute force), seeds {first} to {}: {different} differ; {racy} race; {:.1} s",
        seed - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

/// Whether a library takes an action whose name contains this.
pub(crate) fn acts(library: &Library, only: &str) -> bool {
    only.is_empty() || actions(library).iter().any(|action| action.contains(only))
}

/// Of more than pairs of calls there are many combinations: small ones have to do.
pub(crate) fn bounds(extent: Extent) -> Bounds {
    match extent == Extent::default() {
        true => Bounds::default(),
        false => Bounds { max_cases: 3_000, max_states: 1_500_000 },
    }
}

/// The races that show when they are gone to once more, as `raddle races` does: of those that show only because sections are not
/// ordered, some are due to another race alone.
pub(crate) fn shown(
    explored: &Exploration,
    origin: &Origin,
    new_engine: &impl Fn(&Arc<Program>) -> Result<Engine, EngineError>,
) -> anyhow::Result<BTreeSet<Race>> {
    let mut engine = new_engine(origin.program())?;
    let mut races = BTreeSet::new();
    for found in explored.findings.values() {
        if !found.rests_on_unordered_blocks() || found.show(&explored.sites, &mut engine, origin)?.is_some() {
            races.extend(race(&found.key));
        }
    }
    Ok(races)
}

/// How raddle and brute force differ, and how many combinations only read. `None`: it goes round too often.
fn compare(
    library: &Library,
    (source, extent): (&str, Extent),
    expected: &Expectation,
    scratch: &Path,
) -> anyhow::Result<Option<(String, usize)>> {
    // The oracle interleaves.
    let together = Config { weak: Weak::Accept, ..Config::default() };
    let schedules = Schedules::within(extent.preemptions);
    let joint = JointOptions { schedules, atomic_blocks: true, ..JointOptions::default() };
    let mut comparison = Comparison::new(library, (source, extent), expected, scratch, (together, joint))?;
    for entry in &expected.entries {
        comparison.entry(entry)?;
    }
    comparison.losses();
    let whole = !counts_for_ever(library, &comparison.engine);
    Ok(whole.then_some((comparison.text, comparison.readers)))
}

/// Whether a walk came to the bound of its rounds: one that waits for others, or goes round in a circle that others may open,
/// and counts its steps, is in a new state with each.
pub(crate) fn counts_for_ever(library: &Library, engine: &Engine) -> bool {
    library.tallies && engine.ledger.entries().any(|(loss, _)| loss.kind == LossKind::LoopBound)
}

/// One library, and what is different about it.
pub(crate) struct Comparison<'a> {
    library: &'a Library,
    expected: &'a Expectation,
    options: LibraryOptions,
    /// What all explorations together lost is in its ledger.
    pub(crate) engine: Engine,
    /// Combinations that only read.
    readers: usize,
    /// Where on no heap all threads can come to their ends.
    may_be_vacuous: BTreeSet<String>,
    pub(crate) text: String,
}

impl<'a> Comparison<'a> {
    /// `together`, `joint`: how threads are explored.
    pub(crate) fn new(
        library: &'a Library,
        (source, extent): (&str, Extent),
        expected: &'a Expectation,
        scratch: &Path,
        (together, joint): (Config, JointOptions),
    ) -> anyhow::Result<Self> {
        let array = if library.flexible { u64::from(library.links) } else { 2 };
        let options = LibraryOptions {
            limits: Limits { depth: library.depth as u32, array, rules: HeapRules::default() },
            globals_symbolic: !extent.globals_initial,
            roots: RootRule::Same,
            valid: None,
            joint,
            alone: Config { repeats: Repeats::Control, wakes: false, quiet_steps: 200_000, ..together },
            together,
        };
        let engine = engine(lower_library(source, scratch)?, array)?;
        let (may_be_vacuous, text) = (BTreeSet::new(), String::new());
        Ok(Comparison { library, expected, options, engine, readers: 0, may_be_vacuous, text })
    }

    /// Explores what these threads call as it is drawn. False: there was no time for all of it.
    pub(crate) fn drawn(&mut self, entry: &EntryResult, drawn: Drawn) -> anyhow::Result<bool> {
        let threads = self.sequences(entry)?;
        let origin = self.origin(&threads, self.options.joint)?;
        if entry.must_cases == 0 {
            self.may_be_vacuous.insert(in_words(&threads));
        }
        let explored = options::from(&mut self.engine, drawn, |workers, budget, paused| {
            explore_library(workers, &origin, budget, &mut (), paused)
        })?;
        if explored.exhausted.is_some() {
            return Ok(false);
        }
        let reported = shown(&explored, &origin, &new_engine(&self.engine))?;
        if let Err(mismatch) = self.expected.check(entry, &reported) {
            self.text.push_str(&format!("{}:\n{mismatch}", entry.name()));
        }
        Ok(true)
    }

    /// Explores what these threads call in one piece, divided, in pieces, and by every strategy.
    fn entry(&mut self, entry: &EntryResult) -> anyhow::Result<()> {
        let threads = self.sequences(entry)?;
        let origin = self.origin(&threads, self.options.joint)?;
        if entry.must_cases == 0 {
            self.may_be_vacuous.insert(in_words(&threads));
        }
        self.readers += usize::from(only_read(&self.engine.program.module, &threads));
        let new_engine = new_engine(&self.engine);
        let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
        let outcome = explore_library(workers, &origin, &Budget::default(), &mut (), Paused::default())?;
        take_over(&mut self.engine, &outcome);
        let reported = shown(&outcome, &origin, &new_engine)?;
        self.in_parts(workers, &origin, &outcome)?;
        let otherwise = |joint: JointOptions| -> anyhow::Result<Exploration> {
            let origin = self.origin(&threads, joint)?;
            Ok(explore_library(workers, &origin, &Budget::default(), &mut (), Paused::default())?)
        };
        let mut text = String::new();
        let apart_options = JointOptions { atomic_blocks: false, ..self.options.joint };
        let apart = otherwise(apart_options)?;
        // Within a bound on preemptions there is one.
        let all = self.options.joint.schedules == Schedules::All;
        for por in STRATEGIES.into_iter().filter(|_| all) {
            let other = otherwise(JointOptions { por: Some(por), ..self.options.joint })?;
            text.push_str(&strategy_differs(por, &outcome, &other));
            let other = otherwise(JointOptions { por: Some(por), ..apart_options })?;
            text.push_str(&strategy_differs(por, &apart, &other));
        }
        take_over(&mut self.engine, &apart);
        // In one step, a race may be thought of that no schedule shows, for replaying to tell; it has to be one that may be there.
        let more = keys(&apart).difference(&keys(&outcome)).count();
        let thought_of: BTreeSet<_> = apart.findings.keys().filter_map(race).collect();
        if more > 0 || outcome.completing != apart.completing || self.expected.check(entry, &thought_of).is_err() {
            text.push_str(&format!("sections in two steps: {:?}, in one: {:?}\n", keys(&apart), keys(&outcome)));
        }
        if let Err(mismatch) = self.expected.check(entry, &reported) {
            text.push_str(&format!("{}:\n{mismatch}", entry.name()));
        }
        let out_of_turn = outcome.findings.values().filter(|found| found.out_of_turn.is_some());
        for race in out_of_turn.filter_map(|found| race(&found.key)).filter(|race| entry.in_turn.contains(race)) {
            text.push_str(&format!("{}: {race} is for callers to order, though neither order fails\n", entry.name()));
        }
        self.text.push_str(&text);
        Ok(())
    }

    /// The same divided among two workers as finely as can be, and in pieces that are gone on with.
    fn in_parts(&mut self, workers: Workers, origin: &Origin, whole: &Exploration) -> anyhow::Result<()> {
        let two = Workers { count: NonZeroUsize::MIN.saturating_add(1), shares: TINY_SHARES, ..workers };
        let divided = explore_library(two, origin, &Budget::default(), &mut (), Paused::default())?;
        let pieces =
            in_pieces(Budget::default(), |budget, paused| explore_library(two, origin, budget, &mut (), paused))?;
        let figures = |o: &Exploration| (o.completing, o.others, o.first_alone.kept, o.first_alone.dropped);
        let dealt = in_hands(two, origin, explore::joint_options(origin), whole.counts.executions)?;
        let hands = explore_library(two, origin, &NOTHING_MORE, &mut (), dealt)?;
        for (how, other) in [("divided", divided), ("in pieces", pieces), ("in several hands", hands)] {
            take_over(&mut self.engine, &other);
            self.text.push_str(&divided_differs(&whole.counts, &other.counts));
            if keys(whole) != keys(&other) || figures(whole) != figures(&other) {
                self.text.push_str(&format!("{how}: {:?}, whole: {:?}\n", figures(&other), figures(whole)));
            }
        }
        Ok(())
    }

    /// What each thread calls.
    fn sequences(&self, entry: &EntryResult) -> anyhow::Result<Vec<Sequence>> {
        let operation = |index: usize| {
            let name = format!("op{index}");
            let function = self.engine.program.module.functions_named(&name).next();
            // Behind the shared parameter, where there is one.
            let given = |own: Own| (self.library.own == own).then(|| usize::from(self.library.roots.is_param()));
            let those = |own: Own| given(own).into_iter().collect();
            let (private, alone) = (those(Own::Private), those(Own::Alone));
            function.map(|function| Operation { private, alone, ..Operation::new(function, name) })
        };
        let sequence = |calls: &Vec<usize>| {
            let mut calls = calls.iter().map(|&index| operation(index));
            Some(Sequence { first: calls.next()??, then: calls.collect::<Option<_>>()? })
        };
        entry.threads.iter().map(sequence).collect::<Option<_>>().context("the rendered library lacks an operation")
    }

    /// Where they begin, in their part of the program, as `raddle races` has it.
    fn origin(&self, threads: &[Sequence], joint: JointOptions) -> anyhow::Result<Origin> {
        let options = LibraryOptions { joint, ..self.options.clone() };
        let Ok(origin) = Origin::library(&self.engine.program, threads, &options) else {
            bail!("an operation passes a structure by value");
        };
        Ok(origin.narrowed()?.origin)
    }

    /// What stands in the ledger that is no loss, and what is missing there.
    pub(crate) fn losses(&mut self) {
        let is_right = |loss: &LedgerEntry| match loss.kind {
            LossKind::Vacuous => self.may_be_vacuous.contains(&loss.site.to_string()),
            LossKind::LockMisuse => self.expected.may_keep_locks,
            LossKind::DanglingComparison => self.library.compares_freed(),
            _ => false,
        };
        let keeps_locks = self.engine.ledger.entries().any(|(loss, _)| loss.kind == LossKind::LockMisuse);
        if self.expected.must_keep_locks && !keeps_locks {
            self.text.push_str("a lock that is kept for good is not in the ledger\n");
        }
        let losses = self.engine.ledger.entries().filter(|(loss, _)| !is_right(loss));
        let losses: Vec<String> = losses.map(|(e, n)| format!("{} at {} ({n})", e.kind, e.site)).collect();
        if !losses.is_empty() {
            self.text.push_str(&format!("ledger: {}\n", losses.join(", ")));
        }
    }
}

fn keys(explored: &Exploration) -> BTreeSet<FindingKey> {
    explored.findings.keys().cloned().collect()
}
