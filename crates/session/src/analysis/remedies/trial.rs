//! Whether a changed program is mended: all that comes to what was changed is explored again.
//!
//! Guarantee: a change holds only if of the findings that it is to mend none is left, nothing is found that was not before, nothing is lost that
//! was not before, and each call by itself goes well on as many heaps as before. On assumed heaps, where a search looks for races only,
//! deadlocks and all other failures are looked for here too, in both programs. One after the other, calls come to what they came to; what they
//! come to at once that is as after no order of them is told, if it was not so before ([`results`]).

mod results;

use super::super::Ticker;
use super::super::select::MAIN;
use super::super::session::Session;
use crate::losses;
use explore::{
    Budget, Enough, Exhausted, Exploration, FindingKey, InTurn, JointOptions, LibraryOptions, Origin, Paused, Position,
    RootRule, SHARES, Sequence, Workers, explore_until_fault, library_until_fault,
};
use ir::{Callee, FuncId, Module, Op};
use machine::{Ledger, LossKind, Program};
use memory::Fingerprint;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub(super) use results::Together;

/// Steps of one search: what takes more is not found to work, however fast the machine is.
const STEPS: u64 = 2_000_000;

/// How many shares there are of what is left, of which one change may take one; others come behind it.
const SHARES_OF_ALL: u64 = 2;

/// What trials may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) until: Instant,
    /// Of all searches.
    pub(super) steps: u64,
}

/// What a report is about, to be explored again.
pub(in super::super) struct Ground {
    parts: Vec<Part>,
    /// What was lost, by kind and place.
    lost: BTreeSet<(String, String)>,
}

/// What threads do together.
pub(in super::super) struct Part {
    origin: Origin,
    /// How a whole program is explored.
    options: JointOptions,
    begin: Vec<FuncId>,
    /// Of these, what threads call.
    operations: Vec<FuncId>,
}

impl Part {
    /// From `main`.
    pub(in super::super) fn program(origin: &Origin, main: FuncId, options: JointOptions) -> Self {
        Part { origin: origin.clone(), options, begin: vec![main], operations: Vec::new() }
    }

    /// Calls of a library; failures count, wherever the heap comes from.
    pub(in super::super) fn library(
        program: &Arc<Program>,
        threads: &[Sequence],
        options: &LibraryOptions,
    ) -> Option<Self> {
        let joint = JointOptions { failures: true, ..options.joint };
        let options = LibraryOptions { joint, ..options.clone() };
        let begin = threads.iter().flat_map(Sequence::calls).chain(&options.valid).map(|call| call.function).collect();
        let operations = threads.iter().flat_map(Sequence::calls).map(|call| call.function).collect();
        let origin = Origin::library(program, threads, &options).ok()?;
        Some(Part { origin, options: joint, begin, operations })
    }

    /// The same where each thread has objects of its own for what it passes, which may be those of others in any order; none where calls are
    /// passed one object of a kind at the most.
    fn crossed(&self) -> Option<Part> {
        let Origin::Library { program, threads, options } = &self.origin else { return None };
        let passes_two = |&id: &FuncId| {
            let function = &program.module[id];
            let pointed = function.params.iter().filter_map(|param| function.register(param.reg).points_to);
            let mut types: Vec<String> = pointed.map(|ty| ir::c_type(&program.module, ty)).collect();
            types.sort();
            types.windows(2).any(|pair| pair[0] == pair[1])
        };
        if options.roots == RootRule::Any || !self.operations.iter().any(passes_two) {
            return None;
        }
        Part::library(program, threads, &LibraryOptions { roots: RootRule::Any, ..options.clone() })
    }

    /// What each of its threads does by itself.
    fn alone(&self) -> Vec<Part> {
        let Origin::Library { program, threads, options } = &self.origin else { return Vec::new() };
        threads.iter().filter_map(|calls| Part::library(program, std::slice::from_ref(calls), options)).collect()
    }

    /// What tells it apart from others.
    fn key(&self) -> String {
        format!("{:?}", self.origin.threads())
    }
}

impl Ground {
    /// What threads call.
    pub(super) fn operations(&self) -> BTreeSet<FuncId> {
        self.parts.iter().flat_map(|part| part.operations.iter().copied()).collect()
    }

    /// `lost`: of the whole run.
    pub(in super::super) fn new(parts: Vec<Part>, lost: &[&Ledger]) -> Self {
        Ground { parts, lost: lost.iter().flat_map(|ledger| lost_in(ledger)).collect() }
    }
}

fn lost_in(ledger: &Ledger) -> impl Iterator<Item = (String, String)> {
    losses::lines(ledger).into_iter().map(|line| (line.kind, line.r#where))
}

/// Whether weak orders allow what no interleaving shows, or that is not known.
fn is_weak(ledger: &Ledger) -> bool {
    ledger.entries().any(|(entry, _)| entry.kind == LossKind::WeakMemory)
}

/// What a part came to.
struct Came {
    keys: BTreeSet<FindingKey>,
    lost: BTreeSet<(String, String)>,
    /// Starts on which calls fail in any order.
    races_only: u64,
    /// What the first thread does by itself: heaps that are kept, and dropped.
    alone: [u64; 3],
}

impl Came {
    fn of(explored: &Exploration) -> Self {
        let alone = &explored.first_alone;
        Came {
            keys: explored.findings.keys().cloned().collect(),
            lost: lost_in(&explored.ledger).collect(),
            races_only: explored.races_only,
            alone: [alone.kept, alone.dropped, alone.at_bound],
        }
    }
}

/// Tries changes of one program.
pub(super) struct Trial<'g> {
    ground: &'g Ground,
    /// All findings of the report.
    known: BTreeSet<FindingKey>,
    until: Instant,
    /// Steps that are left, and those of them that the change at hand may take.
    steps: u64,
    steps_next: u64,
    /// How many shares there are of them, of which each change may take one.
    shares: u64,
    standing: Standing,
    /// Whether what weak orders allow is looked for as well, and taken for a failure.
    asks_weak: bool,
    /// What parts of the program as it is come to; none where that is not known.
    before: BTreeMap<String, Option<Came>>,
    /// What their calls come to one after the other, and what at once that no order comes to; none where that is not known.
    in_turn: BTreeMap<String, Option<InTurn>>,
    of_no_order: BTreeMap<String, Option<BTreeSet<Fingerprint>>>,
}

/// How a search goes.
#[derive(Default)]
struct How {
    enough: Option<Enough>,
    /// Results of calls at once are compared with those of calls one after the other.
    compares: bool,
    /// Steps, if these are to be fewer than a search may take.
    steps: Option<u64>,
}

/// What a search may take.
struct Taking {
    origin: Origin,
    options: JointOptions,
    budget: Budget,
    steps: u64,
    left: Arc<AtomicU64>,
}

impl<'g> Trial<'g> {
    pub(super) fn new(
        program: &Program,
        ground: &'g Ground,
        known: &[Option<FindingKey>],
        Allowance { until, steps }: Allowance,
    ) -> Self {
        let known = known.iter().flatten().cloned().collect();
        Trial {
            ground,
            known,
            until,
            steps,
            steps_next: steps,
            shares: SHARES_OF_ALL,
            standing: Standing::of(program),
            asks_weak: false,
            before: BTreeMap::new(),
            in_turn: BTreeMap::new(),
            of_no_order: BTreeMap::new(),
        }
    }

    /// From now on changes may take this as well, and each of them all that is left.
    pub(super) fn last(&mut self, Allowance { until, steps }: Allowance) {
        (self.until, self.steps, self.shares) = (until, self.steps + steps, 1);
        self.steps_next = self.steps;
    }

    /// From now on, whether what weak orders allow is looked for.
    pub(super) fn ask_weak(&mut self, asks: bool) {
        self.asks_weak = asks;
    }

    /// Whether nothing is left of what the change at hand may take.
    fn is_over(&self) -> bool {
        self.steps_next == 0 || Instant::now() >= self.until
    }

    /// Whether a change of these functions mends what has these keys, and breaks nothing, with what is left where it does; none where that
    /// cannot be told.
    pub(super) fn tried(
        &mut self,
        session: &mut Session,
        (program, changed): (&Arc<Program>, &BTreeSet<FuncId>),
        mended: &BTreeSet<FindingKey>,
        ticker: &mut Ticker,
    ) -> Option<Option<Tried>> {
        // Others come behind it.
        self.steps_next = self.steps / self.shares;
        let tried = self.tried_within(session, (program, changed), mended, ticker);
        self.steps_next = self.steps;
        tried
    }

    fn tried_within(
        &mut self,
        session: &mut Session,
        (program, changed): (&Arc<Program>, &BTreeSet<FuncId>),
        mended: &BTreeSet<FindingKey>,
        ticker: &mut Ticker,
    ) -> Option<Option<Tried>> {
        let old = Arc::clone(&session.engine.program);
        let there = |ids: &mut dyn Iterator<Item = FuncId>| -> BTreeSet<FuncId> {
            ids.map(|id| same_function(&old.module, &program.module, id)).collect()
        };
        let changed_there = there(&mut changed.iter().copied());
        let comes_to_it = |part: &&Part| {
            let begin: Vec<FuncId> = there(&mut part.begin.iter().copied()).into_iter().collect();
            reaches(&old.module, &part.begin, changed) || reaches(&program.module, &begin, &changed_there)
        };
        // Where it cannot be changed it would be as it was.
        let sides = self.standing.sides(mended);
        let shows = |part: &Part| may_show(&old.module, &sides, part);
        let mut parts: Vec<&Part> = self.ground.parts.iter().filter(|part| comes_to_it(part) || shows(part)).collect();
        // What is to be gone is soonest seen where it was.
        parts.sort_by_cached_key(|part| !shows(part));
        let mut alone: BTreeMap<String, Part> = BTreeMap::new();
        for part in parts.iter().filter(|part| comes_to_it(part)).flat_map(|part| part.alone()) {
            alone.entry(part.key()).or_insert(part);
        }
        for (name, part) in &alone {
            let explored = self.explore(session, part, program, How::default(), ticker)?;
            if explored.exhausted.is_some() {
                return (!self.is_over()).then_some(None);
            }
            let now = Came::of(&explored);
            let before = self.before(session, (name.clone(), part), ticker)?;
            if now.alone != before.alone || !now.lost.is_subset(&before.lost) || !now.keys.is_subset(&before.keys) {
                return Some(None);
            }
        }
        let mut tried = Tried::default();
        for part in parts {
            let enough = Some(Enough::new(is_bad(mended.clone(), self.known.clone())));
            let how = How { enough, compares: true, steps: None };
            let explored = self.explore(session, part, program, how, ticker)?;
            let is_bad = is_bad(mended.clone(), self.known.clone());
            match explored.exhausted {
                _ if explored.findings.keys().any(is_bad) => return Some(None),
                // It may be one that would not have counted in the end.
                Some(Exhausted::Enough) => return Some(None),
                // More steps than it may take.
                Some(Exhausted::Time) if !self.is_over() => return Some(None),
                Some(_) => return None,
                None => {}
            }
            if self.asks_weak && is_weak(&explored.ledger) {
                return Some(None);
            }
            let came = Came::of(&explored);
            if !self.is_as_before(session, part, &came, ticker)? {
                return Some(None);
            }
            if !tried.take(self.together(session, (part.key(), part), &explored, program, ticker)) {
                return Some(None);
            }
            if let Some(crossed) = part.crossed() {
                let how = How { compares: true, ..How::default() };
                let explored = self.explore(session, &crossed, program, how, ticker)?;
                if explored.exhausted.is_some() {
                    return (!self.is_over()).then_some(None);
                }
                if self.asks_weak && is_weak(&explored.ledger) {
                    return Some(None);
                }
                let now = Came::of(&explored);
                let name = format!("{}, crossed", part.key());
                let before = self.before(session, (name.clone(), &crossed), ticker)?;
                let is_mended = now.keys.is_disjoint(mended);
                if !is_mended || !now.keys.is_subset(&before.keys) || !now.lost.is_subset(&before.lost) {
                    return Some(None);
                }
                if !tried.take(self.together(session, (name, &crossed), &explored, program, ticker)) {
                    return Some(None);
                }
            }
            tried.keys.extend(came.keys);
            tried.explored.insert(part.key());
        }
        Some(Some(tried))
    }

    /// Whether a change that was tried mends something else as well.
    pub(super) fn mends(
        &mut self,
        session: &mut Session,
        tried: &Tried,
        keys: &BTreeSet<FindingKey>,
        ticker: &mut Ticker,
    ) -> bool {
        let program = Arc::clone(&session.engine.program);
        let sides = self.standing.sides(keys);
        let shows = |part: &&Part| may_show(&program.module, &sides, part);
        let is_explored = |part: &Part| tried.explored.contains(&part.key());
        // Elsewhere all is as it was.
        let mut others = self.ground.parts.iter().filter(shows).filter(|part| !is_explored(part));
        keys.is_disjoint(&tried.keys)
            && others.all(|part| {
                let before = self.before(session, (part.key(), part), ticker);
                before.is_some_and(|before| before.keys.is_disjoint(keys))
            })
    }

    /// Whether nothing is found or lost that was not before: what the report does not tell is looked for in the program as it is.
    fn is_as_before(&mut self, session: &mut Session, part: &Part, now: &Came, ticker: &mut Ticker) -> Option<bool> {
        if now.keys.is_subset(&self.known) && now.lost.is_subset(&self.ground.lost) && now.races_only == 0 {
            return Some(true);
        }
        let before = self.before(session, (part.key(), part), ticker)?;
        let (keys, lost, races_only) = (before.keys.clone(), before.lost.clone(), before.races_only);
        let is_known = |key: &FindingKey| keys.contains(key) || self.known.contains(key);
        let was_lost = |loss: &(String, String)| lost.contains(loss) || self.ground.lost.contains(loss);
        Some(now.keys.iter().all(is_known) && now.lost.iter().all(was_lost) && now.races_only <= races_only)
    }

    /// What a part of the program as it is comes to.
    fn before(&mut self, session: &mut Session, (name, part): (String, &Part), ticker: &mut Ticker) -> Option<&Came> {
        // The searches are others, and so may be what they come to.
        let name = if self.asks_weak { format!("{name}, weak") } else { name };
        if !self.before.contains_key(&name) {
            let program = Arc::clone(&session.engine.program);
            let explored = self.explore(session, part, &program, How::default(), ticker);
            let came = explored.filter(|explored| explored.exhausted.is_none()).map(|explored| Came::of(&explored));
            if came.is_none() && self.is_over() {
                return None;
            }
            self.before.insert(name.clone(), came);
        }
        self.before.get(&name)?.as_ref()
    }

    /// Explores a part of a program, as one worker: how far several come before they find something is chance. None where raddle fails on it, or
    /// nothing is left of what it may take.
    fn explore(
        &mut self,
        session: &mut Session,
        part: &Part,
        program: &Arc<Program>,
        how: How,
        ticker: &mut Ticker,
    ) -> Option<Exploration> {
        let taking = self.taking(session, part, program, how)?;
        let Taking { origin, options, budget, .. } = &taking;
        let new_engine = session.new_engine();
        let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
        let (explored, fault) = match origin {
            Origin::Main { .. } => {
                explore_until_fault(workers, origin, *options, budget, ticker, MAIN, Paused::default())
            }
            _ => library_until_fault(workers, origin, budget, ticker, Paused::default()),
        };
        self.taken(session, &taking);
        fault.is_none().then_some(explored)
    }

    /// What a search of a part may take; none where nothing is left.
    fn taking(&mut self, session: &mut Session, part: &Part, program: &Arc<Program>, how: How) -> Option<Taking> {
        let left = self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let most = how.steps.unwrap_or(STEPS);
        let steps = Some(self.steps_next.min(STEPS).min(most)).filter(|&steps| steps > 0)?;
        let origin = in_program(&part.origin, &session.engine.program.module, program).narrowed().ok()?.origin;
        let joint = JointOptions { keep_results: how.compares, ..part.options };
        let (origin, options) = match self.asks_weak {
            true => (origin.asking_weak().with_joint(joint.by_class()), joint.by_class()),
            false => (origin.with_joint(joint), joint),
        };
        let mut budget = session.limited_search(Some(left));
        (budget.enough, budget.sooner) = (how.enough, None);
        let left = Arc::new(AtomicU64::new(steps));
        budget.steps = Some(Arc::clone(&left));
        Some(Taking { origin, options, budget, steps, left })
    }

    /// A search has taken what it took.
    fn taken(&mut self, session: &mut Session, taking: &Taking) {
        session.limited(None);
        let taken = taking.steps - taking.left.load(Ordering::Relaxed);
        (self.steps, self.steps_next) = (self.steps - taken, self.steps_next - taken);
    }
}

/// What a change that holds leaves.
#[derive(Default)]
pub(super) struct Tried {
    keys: BTreeSet<FindingKey>,
    explored: BTreeSet<String>,
    /// What calls come to together.
    pub(super) together: Together,
}

impl Tried {
    /// Takes in what the calls of a part come to together. Whether that is no less than before.
    fn take(&mut self, together: Option<Together>) -> bool {
        let Some(together) = together else { return false };
        self.together = std::mem::take(&mut self.together).and(together);
        true
    }
}

/// The functions in which instructions stand, by their places.
struct Standing(BTreeMap<Position, BTreeSet<FuncId>>);

impl Standing {
    fn of(program: &Program) -> Self {
        let mut functions: BTreeMap<Position, BTreeSet<FuncId>> = BTreeMap::new();
        for site in program.sites() {
            functions.entry(Position::of_site(program, site)).or_default().extend(program.site_function(site));
        }
        Standing(functions)
    }

    /// For each finding the functions of each of its sides: it shows only where some of each are come to.
    fn sides(&self, keys: &BTreeSet<FindingKey>) -> Vec<Vec<BTreeSet<FuncId>>> {
        let at = |position: &Position| self.0.get(position).cloned().unwrap_or_default();
        let sides = |key: &FindingKey| match key {
            FindingKey::Race(sides) | FindingKey::GpuRace(_, sides) => {
                sides.iter().map(|(place, ..)| at(place)).collect()
            }
            FindingKey::Fault(_, place) => vec![at(place)],
            FindingKey::Deadlock(places) => places.iter().map(at).collect(),
        };
        keys.iter().map(sides).collect()
    }
}

/// Whether some of these findings may show in a part.
fn may_show(module: &Module, sides: &[Vec<BTreeSet<FuncId>>], part: &Part) -> bool {
    // Where it stands is not known of all.
    let comes_to = |side: &BTreeSet<FuncId>| side.is_empty() || reaches(module, &part.begin, side);
    sides.iter().any(|sides| sides.iter().all(comes_to))
}

/// Whether a finding says at once that a change does not hold: it is to be mended, or a race that was not there. Of other failures, more are
/// known than a report tells.
fn is_bad(mended: BTreeSet<FindingKey>, known: BTreeSet<FindingKey>) -> impl Fn(&FindingKey) -> bool + Send + Sync {
    move |key| {
        let is_race = matches!(key, FindingKey::Race(_) | FindingKey::GpuRace(..));
        mended.contains(key) || is_race && !known.contains(key)
    }
}

/// What explores the same of another program, whose functions may be numbered otherwise.
fn in_program(origin: &Origin, old: &Module, program: &Arc<Program>) -> Origin {
    let there = |id: &mut FuncId| *id = same_function(old, &program.module, *id);
    let mut origin = origin.clone().with_program(program);
    match &mut origin {
        Origin::Main { main, .. } => there(main),
        Origin::Library { threads, options, .. } => {
            for sequence in threads {
                there(&mut sequence.first.function);
                sequence.then.iter_mut().for_each(|call| there(&mut call.function));
            }
            options.valid.iter_mut().for_each(|valid| there(&mut valid.function));
        }
        _ => {}
    }
    origin
}

/// The function of a changed program that has the name of one: their numbers differ where the order in which functions are first named does.
fn same_function(old: &Module, new: &Module, id: FuncId) -> FuncId {
    let name = &old[id].name;
    match new.functions.get(id.index()) {
        Some(function) if function.name == *name => id,
        _ => new.functions_named(name).next().unwrap_or(id),
    }
}

/// Whether some of these functions may come to be called.
fn reaches(module: &Module, from: &[FuncId], wanted: &BTreeSet<FuncId>) -> bool {
    let mut seen: BTreeSet<FuncId> = from.iter().copied().collect();
    let mut left: Vec<FuncId> = from.to_vec();
    while let Some(function) = left.pop() {
        if wanted.contains(&function) {
            return true;
        }
        for inst in module[function].blocks.iter().flat_map(|block| &block.insts) {
            // What is passed on may be called by whoever gets it.
            inst.op.for_each_operand(|operand| {
                if let ir::Operand::Func(callee) = operand
                    && seen.insert(callee)
                {
                    left.push(callee);
                }
            });
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } if seen.insert(*callee) => left.push(*callee),
                Op::Call { callee: Callee::Indirect(_), .. } if wanted.iter().any(|&id| module[id].address_taken) => {
                    return true;
                }
                _ => {}
            }
        }
    }
    false
}
