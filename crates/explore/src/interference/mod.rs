//! Coverage of branches by inputs and interferences (Farzan, Holzer, Razavi and Veith, Con2colic Testing, ESEC/FSE 2013).
//!
//! | module | what | in the paper |
//! |---|---|---|
//! | [`branches`] | what there is to cover | |
//! | [`forest`] | what threads were seen to do | Definition 5.1 |
//! | [`scenario`] | how far each thread has come, and which reads others interfere with | Definitions 5.2 to 5.4 |
//! | [`execution`], [`trace`], [`rounds`] | a program is run with given inputs and by a given schedule | section 4 |
//! | [`data`], [`local`] | inputs for a scenario | section 6, DC |
//! | [`timing`], [`order`] | an order of events for it | section 6, TC |
//! | [`tokens`], [`barriers`], [`once`] | what waits of semaphores take, who meets whom at barriers, who calls what is called once | |
//! | [`looks`] | what semaphores are seen to count | |
//! | [`sections`] | atomic sections | |
//! | [`search`] | which scenarios are tried | section 7 |
//! | [`suite`] | executions that cover something become tests | |
//!
//! The degree of a branch's way is the least number of reads, in what comes causally before it, that take their values from another
//! thread's writes; what creation and waiting for an end order does not count.
//!
//! Guarantee: what is called covered was executed. Where nothing was cut, lost or left, a way that is not covered cannot be taken with at
//! most as many interferences as were tried.

mod barriers;
mod branches;
mod data;
mod execution;
mod forest;
mod local;
mod looks;
mod once;
mod order;
mod rounds;
mod scenario;
mod search;
mod sections;
mod suite;
mod timing;
mod tokens;
mod trace;

use crate::findings::Found;
use crate::{Budget, Exhausted, FindingKey, Origin, Progress, caught};
pub use branches::{branch_numbers, called_by, called_from, ways};
use concurrency::Site;
use forest::Label;
use machine::{Config, Engine, EngineError, Ledger, LossKind, LossSite, Remedy, Repeats, Summaries};
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Next, Search};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use suite::{Candidate, Confirmed};
pub use suite::{CoverInput, CoverTest};

/// How to cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoverOptions {
    /// The most interferences; none: as many as it takes.
    pub max_degree: Option<u32>,
    /// What cannot be as it is takes other values only for reads that have a part in that (Con2colic, section 7.5: unsat-core guidance).
    pub guidance: bool,
    /// No scenario is tried twice (duplication freedom).
    pub no_duplicates: bool,
    /// Ways that are not covered come first (prioritised exploration).
    pub priorities: bool,
    /// Scenarios for which others stand are left out (beyond the paper): of writes of the same in a row one will do; a read takes nothing that
    /// changes nothing; and a scenario within one that could be run says all that the larger one does.
    pub subsumption: bool,
    /// What is covered are pairs of a write and a read of another thread that finds it, not ways at branches.
    pub def_use: bool,
    /// Candidates of a degree in a random order of this seed: the result is the same.
    pub shuffle: Option<u64>,
}

impl Default for CoverOptions {
    fn default() -> Self {
        CoverOptions {
            max_degree: None,
            guidance: true,
            no_duplicates: true,
            priorities: true,
            subsumption: true,
            def_use: false,
            shuffle: None,
        }
    }
}

/// A way at a branch: the branch, and 1 or 0 for whether its condition holds, or the number of the case, none of them last.
pub type Way = (Site, u64);

/// A write, and a read of another thread that finds bytes of it: where they stand.
pub type Pair = (Site, Site);

/// What is covered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Goal {
    Way(Way),
    Pair(Pair),
}

/// What was tried at a degree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DegreeCounts {
    pub candidates: u64,
    /// Those that were run.
    pub realized: u64,
    /// Ways whose degree this is.
    pub covered: u64,
}

/// How a way, or a pair, was covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoveredWay {
    pub degree: u32,
    /// The test that is for it.
    pub test: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Coverage {
    /// All ways of the program's own branches that were asked for.
    pub ways: Vec<Way>,
    pub covered: BTreeMap<Way, CoveredWay>,
    /// Of accesses that were seen to touch the same bytes in different threads, all pairs of a write and a read; none: it was not found.
    pub pairs: BTreeMap<Pair, Option<CoveredWay>>,
    pub degrees: BTreeMap<u32, DegreeCounts>,
    /// A few that take all of them.
    pub tests: Vec<CoverTest>,
    /// Of tests that were there before: how many ways, or pairs, each covers now, or why it cannot be followed any more.
    pub kept: Vec<Result<usize, String>>,
    /// What the tests meet.
    pub findings: FxHashMap<FindingKey, Found>,
    /// Sites whose accesses are visible actions.
    pub sites: Vec<Site>,
    /// All ways are covered.
    pub is_full: bool,
    /// All candidates were tried up to this degree; none: not even those without interferences.
    pub complete_to: Option<u32>,
    /// There is no candidate of any degree left.
    pub for_all: bool,
    pub diverged: u64,
    pub executions: u64,
    candidates: Vec<Candidate>,
    /// Ways that tests take which were there before.
    by_baseline: FxHashSet<Way>,
    /// The search ended before it was known with how few interferences these can be taken.
    pub is_cut_short: bool,
    /// The test of an execution in which a read found another thread's write came to an end before.
    pairs_lost: bool,
    /// Ways that an execution took and its test did not, and the degree at which.
    not_retaken: FxHashMap<Way, u32>,
    /// Failures that an execution met; of those that are not among the findings its test met none.
    not_replayed: FxHashSet<FindingKey>,
    pub exhausted: Option<Exhausted>,
    pub ledger: Ledger,
}

/// The machine's mode in which programs are run here.
fn config(together: Config) -> Config {
    Config {
        unfolding: true,
        never_alone: true,
        separate_passes: true,
        observe: true,
        atomic_blocks: false,
        merge: false,
        summaries: Summaries::Never,
        repeats: Repeats::Ignore,
        ..together
    }
}

/// What there is to cover, and tests of an earlier version of the program that may cover some of it.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub ways: Vec<Way>,
    pub baseline: Vec<CoverTest>,
}

/// Covers these ways of a program, as far as the options and the budget allow. What tests of the baseline take counts as covered with as many
/// interferences as they have; with how few it can be is not looked for once all is covered. Where the engine fails: what was covered until then, and
/// what failed; the engine is not to be used after that.
pub fn cover(
    engine: &mut Engine,
    origin: &Origin,
    Wanted { ways, baseline }: Wanted,
    options: CoverOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> (Coverage, Option<EngineError>) {
    let mut coverage = Coverage { ways, ..Coverage::default() };
    let mut pointers = FxHashSet::default();
    let mode = config(origin.together());
    let fault = loop {
        // What was found stays found; how many interferences ways take is known only where all reads are seen.
        let Coverage { ways, findings, sites, .. } = std::mem::take(&mut coverage);
        coverage = Coverage { ways, findings, sites, ..Coverage::default() };
        engine.ledger = Ledger::default();
        let visible: FxHashSet<Site> = coverage.sites.iter().copied().collect();
        let more = caught(|| {
            engine.with_visible(visible, |engine| {
                engine.with_config(mode, |engine| {
                    round(engine, (origin, &mut pointers), (&baseline, options, budget), progress, &mut coverage)
                })
            })
        });
        match more {
            Ok(Round::Over) => break None,
            Ok(Round::Again(more)) => coverage.sites.extend(more),
            Err(fault) => {
                coverage.exhausted = Some(Exhausted::Fault);
                break Some(fault);
            }
        }
    };
    coverage.ledger = std::mem::take(&mut engine.ledger);
    coverage.choose_tests();
    (coverage, fault)
}

/// How a round of the search ends.
enum Round {
    Over,
    /// These sites have to be visible as well; or none: what was taken for a number is an address.
    Again(Vec<Site>),
}

/// Bytes of an object, which is named by its address.
type Named = (u64, u64, u64);

/// By object: accesses to it.
type Accesses = FxHashMap<memory::ObjId, FxHashSet<execution::Accessed>>;

fn round(
    engine: &mut Engine,
    (origin, pointers): (&Origin, &mut FxHashSet<Named>),
    (baseline, options, budget): (&[CoverTest], CoverOptions, &Budget),
    progress: &mut dyn Progress,
    coverage: &mut Coverage,
) -> Result<Round, EngineError> {
    let mut search = Search::new(engine, origin, options, budget);
    search.known.take_pointers(pointers);
    let mut accesses = Accesses::default();
    let mut touched = Accesses::default();
    let mut next = search.first()?;
    let (mut earlier, mut is_earlier) = (baseline.iter(), false);
    let mut visible: FxHashSet<Site> = coverage.sites.iter().copied().collect();
    let wanted: FxHashSet<Way> = coverage.ways.iter().copied().collect();
    loop {
        let executed = match next {
            Next::Executed(executed) => executed,
            Next::Over => break,
            Next::Exhausted => {
                coverage.exhausted = budget.exhausted();
                break;
            }
        };
        let new = shared_sites(&mut accesses, &executed.accesses, &mut visible);
        if !new.is_empty() || search.known.mistaken {
            pointers.extend(search.known.pointers());
            return Ok(Round::Again(new));
        }
        if executed.trace.as_foreseen {
            search.learn(&executed.trace)?;
        }
        take(&mut search, (origin, &wanted), &executed, coverage)?;
        if is_earlier {
            coverage.note_kept(&executed);
        }
        let pace = crate::Pace {
            executions: search.executions,
            findings: coverage.findings.len(),
            done: coverage.covered.len() as f64 / coverage.ways.len().max(1) as f64,
        };
        progress.tick(&pace);
        note_pairs(&mut touched, &executed.touched, &mut coverage.pairs);
        // Whether there are other pairs is known in the end.
        let is_next = earlier.len() == 0;
        if is_next && !options.def_use && coverage.covered.len() == coverage.ways.len() && coverage.is_settled(&search)
        {
            coverage.is_full = true;
            let most = coverage.covered.values().map(|covered| covered.degree).max().unwrap_or(0);
            coverage.is_cut_short = search.least_degree().is_some_and(|least| least < most);
            break;
        }
        is_earlier = !is_next;
        if let Some(test) = earlier.next() {
            next = search.follow(test)?;
            continue;
        }
        let covered = &coverage.covered;
        let is_covered = |label: &Label| match *label {
            Label::Branch { site, holds, .. } => covered.contains_key(&(site, u64::from(holds))),
            _ => true,
        };
        next = search.next(&is_covered)?;
    }
    finish(&mut search, coverage);
    Ok(Round::Over)
}

/// Notes of accesses that were not seen before with which others they make pairs.
fn note_pairs(known: &mut Accesses, new: &[execution::Accessed], pairs: &mut BTreeMap<Pair, Option<CoveredWay>>) {
    for access in new {
        let of_object = known.entry(access.range.object).or_default();
        if !of_object.insert(*access) {
            continue;
        }
        for other in of_object.iter().filter(|other| other.who != access.who && other.range.overlaps(&access.range)) {
            for (write, read) in [(access, other), (other, access)] {
                if write.writes && read.reads {
                    pairs.entry((write.site, read.site)).or_default();
                }
            }
        }
    }
}

impl Coverage {
    /// Keeps the tests that it takes.
    fn choose_tests(&mut self) {
        let ways = self.covered.iter().map(|(way, known)| (Goal::Way(*way), known.degree));
        let pairs = self.pairs.iter().filter_map(|(pair, known)| Some((Goal::Pair(*pair), known.as_ref()?.degree)));
        let (tests, by_goal) = suite::smallest(&std::mem::take(&mut self.candidates), ways.chain(pairs).collect());
        self.tests = tests;
        let test = |goal: Goal| by_goal.get(&goal).copied().unwrap_or(0);
        self.covered.iter_mut().for_each(|(way, known)| known.test = test(Goal::Way(*way)));
        let pairs = self.pairs.iter_mut().filter_map(|(pair, known)| Some((pair, known.as_mut()?)));
        pairs.for_each(|(pair, known)| known.test = test(Goal::Pair(*pair)));
    }

    /// What a test covers that was there before.
    fn note_kept(&mut self, executed: &execution::Executed) {
        if let Some(why) = &executed.lost {
            self.kept.push(Err(why.clone()));
            return;
        }
        let taken: FxHashSet<Way> = executed.taken.iter().map(|&(site, way, _)| (site, way)).collect();
        let ways: Vec<Way> = taken.into_iter().filter(|way| self.covered.contains_key(way)).collect();
        let pairs: FxHashSet<Pair> = executed.pairs.iter().map(|(pair, _)| *pair).collect();
        self.kept.push(Ok(ways.len() + pairs.len()));
        self.by_baseline.extend(ways);
    }

    /// Whether no way can turn out to take fewer interferences than it was covered with, but for those that tests take which were there before.
    fn is_settled(&self, search: &Search) -> bool {
        let searched = self.covered.iter().filter(|(way, _)| !self.by_baseline.contains(way));
        let most = searched.map(|(_, covered)| covered.degree).max().unwrap_or(0);
        search.least_degree().is_none_or(|least| least >= most)
    }
}

fn finish(search: &mut Search, coverage: &mut Coverage) {
    coverage.degrees = search.degrees.clone();
    for covered in coverage.covered.values().chain(coverage.pairs.values().flatten()) {
        coverage.degrees.entry(covered.degree).or_default().covered += 1;
    }
    coverage.diverged = search.diverged;
    coverage.executions = search.executions;
    let least = search.least_degree();
    coverage.for_all = least.is_none() && search.beyond == 0 && coverage.exhausted.is_none();
    coverage.complete_to = match least {
        None if coverage.exhausted.is_none() => Some(search.most_degree()),
        None => None,
        Some(least) => least.checked_sub(1),
    };
    note_doubts(search, coverage);
}

/// Notes what keeps the search from having seen all there is.
fn note_doubts(search: &mut Search, coverage: &Coverage) {
    const OTHERWISE: &str = "raddle check explores the program otherwise";
    let retaken = |(way, degree): (&Way, &u32)| coverage.covered.get(way).is_some_and(|known| known.degree <= *degree);
    let doubts = [
        (search.diverged > 0, LossKind::NotReplayed, "executions that did not go as their scenarios foresaw"),
        (
            coverage.pairs_lost || !coverage.not_retaken.iter().all(retaken),
            LossKind::NotReplayed,
            "ways that executions took, and their tests did not",
        ),
        (search.known.mixed.get(), LossKind::Unsupported, "reads that take their bytes from writes of different sizes"),
        (
            search.known.guessed.get(),
            LossKind::Unsupported,
            "what stands first in an object that threads create is not known in each scenario",
        ),
    ];
    let engine = search.engine();
    for (_, kind, what) in doubts.into_iter().filter(|&(is_there, ..)| is_there) {
        engine.note(kind, LossSite::Search("interferences".to_owned()), format!("{what}; {OTHERWISE}"));
    }
    for key in coverage.not_replayed.iter().filter(|key| !coverage.findings.contains_key(key)) {
        let remedy = if coverage.exhausted.is_some() { Remedy::Time } else { Remedy::BugReport };
        engine.note(LossKind::NotReplayed, LossSite::Search(key.place()), remedy);
    }
}

/// Sites that are to be visible and are not yet: those that access what another thread accesses as well, one of them writing; and those
/// that write what is read at a visible site, if only by the same thread, so that it is known what stands there.
fn shared_sites(accesses: &mut Accesses, new: &[execution::Accessed], visible: &mut FxHashSet<Site>) -> Vec<Site> {
    let mut found: Vec<Site> = Vec::new();
    for access in new {
        let of_object = accesses.entry(access.range.object).or_default();
        if !of_object.insert(*access) {
            continue;
        }
        for other in of_object.iter().filter(|other| other.range.overlaps(&access.range)) {
            if other.who != access.who && (other.writes || access.writes) {
                found.extend([other.site, access.site].into_iter().filter(|&site| visible.insert(site)));
            }
        }
    }
    let objects: FxHashSet<memory::ObjId> = new.iter().map(|access| access.range.object).collect();
    loop {
        let before = found.len();
        for of_object in objects.iter().filter_map(|object| accesses.get(object)) {
            for read in of_object.iter().filter(|access| access.reads && visible.contains(&access.site)) {
                let writes = of_object.iter().filter(|write| write.writes && write.range.overlaps(&read.range));
                let sites: SmallVec<[Site; 4]> = writes.map(|write| write.site).collect();
                found.extend(sites.into_iter().filter(|site| !visible.contains(site)));
            }
        }
        found.iter().for_each(|&site| _ = visible.insert(site));
        if found.len() == before {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Takes what an execution covers and meets.
fn take(
    search: &mut Search,
    (origin, wanted): (&Origin, &FxHashSet<Way>),
    executed: &execution::Executed,
    coverage: &mut Coverage,
) -> Result<(), EngineError> {
    let is_new = |&&(site, way, degree): &&execution::Taken| {
        let known = coverage.covered.get(&(site, way));
        wanted.contains(&(site, way)) && known.is_none_or(|known| known.degree > degree)
    };
    let new: Vec<execution::Taken> = executed.taken.iter().filter(is_new).copied().collect();
    let found = |&&(pair, degree): &&(Pair, u32)| {
        coverage.pairs.get(&pair).copied().flatten().is_none_or(|known| known.degree > degree)
    };
    let new_pairs: Vec<(Pair, u32)> = executed.pairs.iter().filter(found).copied().collect();
    let faults = executed.faults.iter().map(|fault| FindingKey::fault(&search.engine().program, fault));
    let faults: Vec<FindingKey> = faults.filter(|key| !coverage.findings.contains_key(key)).collect();
    if new.is_empty() && new_pairs.is_empty() && faults.is_empty() {
        return Ok(());
    }
    let confirmed = suite::confirm(search.machine(), (origin, &coverage.sites), executed)?;
    let Confirmed { test, taken, findings, went_through } = confirmed;
    for (key, found) in findings {
        coverage.findings.entry(key).or_insert(found);
    }
    coverage.not_replayed.extend(faults);
    for (site, way, degree) in &new {
        // Only what the test takes without anything foreign in memory counts.
        if !taken.contains_key(&(*site, *way)) {
            let least = coverage.not_retaken.entry((*site, *way)).or_insert(*degree);
            *least = (*degree).min(*least);
        }
    }
    coverage.pairs_lost |= !new_pairs.is_empty() && !went_through;
    let mut ways: BTreeMap<Way, (u32, usize)> = BTreeMap::new();
    for &(site, way, degree) in executed.taken.iter().filter(|(site, way, _)| wanted.contains(&(*site, *way))) {
        let Some(&turns) = taken.get(&(site, way)) else { continue };
        let known = ways.entry((site, way)).or_insert((degree, turns));
        known.0 = known.0.min(degree);
    }
    let mut covers = false;
    for (way, (degree, _)) in &ways {
        let known = coverage.covered.entry(*way).or_insert(CoveredWay { degree: u32::MAX, test: 0 });
        covers |= known.degree > *degree;
        known.degree = known.degree.min(*degree);
    }
    let mut goals: BTreeMap<Goal, (u32, usize)> = ways.into_iter().map(|(way, it)| (Goal::Way(way), it)).collect();
    for (pair, degree) in new_pairs.into_iter().filter(|_| went_through) {
        let known = coverage.pairs.entry(pair).or_default().get_or_insert(CoveredWay { degree: u32::MAX, test: 0 });
        known.degree = known.degree.min(degree);
        covers = true;
        // What it reads is read by the end of its schedule.
        let least = goals.entry(Goal::Pair(pair)).or_insert((degree, test.turns.len()));
        least.0 = least.0.min(degree);
    }
    if covers {
        coverage.candidates.push(Candidate { test, goals });
    }
    Ok(())
}
