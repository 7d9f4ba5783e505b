//! A search in several processes' hands: which searches it consists of, what can be done of them, and taking in what was.
//!
//! Of a program or a launch there is one search, of a library one for each entry of its matrix. Who works on a part makes of the
//! request, and of the program that comes with it, the same that its owner makes.
//!
//! Guarantee: when nothing is left, going on with the search as [`super::search`] does explores nothing more, and ends as it
//! would have if one process had done it all.
//! Knows nothing of files.

use super::Ticker;
use super::changed::Before;
use super::contracts::Contracts;
use super::entries::{Entry, Table};
use super::kept::{Kept, PartKept};
use super::program::{MOST_REPEATED, TRIAL};
use super::races::{self, Library};
use super::session::Session;
use super::{check, gpu, host, program};
use crate::errors::{InputError, UsageError};
use crate::options::{Heaps, SearchRequest};
use crate::run::Run;
use explore::{
    Batch, Budget, Done, DoneSet, Exhausted, JointOptions, Origin, Pace, Paused, Por, SHARES, Schedules, Standing,
    Worked, Workers, joint_options, work_apart,
};
use machine::EngineError;
use report::Claim;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long what was done waits to be written down, so that little is lost with a process that is killed.
const SLICE: Duration = Duration::from_secs(10);

/// Which search it is among those that make up one: what threads call, by index; of a program or a launch nothing.
type Chosen = Box<[u32]>;

impl PartDone {
    /// For a record of what was done: of which search it is, of which round, its place in the tree of tasks, and how many instructions it
    /// took. None: it was no task of a round.
    pub fn account(&self) -> Option<Account<'_>> {
        let (path, instructions) = self.done.place()?;
        Some(Account { search: &self.chosen, round: self.done.round(), path, instructions })
    }
}

/// What is recorded of a task.
#[derive(Clone, Debug, Serialize)]
pub struct Account<'a> {
    search: &'a [u32],
    round: String,
    path: &'a [u32],
    instructions: u64,
}

/// What can be done of one search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartBatch {
    chosen: Chosen,
    batch: Batch,
}

impl PartBatch {
    /// How many things there are to do.
    pub fn many(&self) -> usize {
        self.batch.many()
    }

    /// The things to do, each by itself.
    pub fn apart(self) -> Vec<PartBatch> {
        alone(self).map(|(_, chosen, batch)| PartBatch { chosen, batch }).collect()
    }

    /// Where each of them stands.
    pub fn standings(&self) -> Vec<Thing> {
        self.batch.standings().into_iter().map(|standing| Thing(self.chosen.clone(), standing)).collect()
    }
}

/// Where something to do stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thing(Chosen, Standing);

impl Thing {
    /// Itself, and all that it was left by.
    pub fn and_above(&self) -> impl Iterator<Item = Thing> {
        self.1.and_above().map(|standing| Thing(self.0.clone(), standing))
    }
}

/// Something that was done of one search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartDone {
    chosen: Chosen,
    done: Done,
}

/// The searches that make up one.
enum Searches {
    One(Box<(Origin, JointOptions)>),
    Entries(Box<Library>),
}

impl Searches {
    /// # Errors
    /// When the request does not fit the program, or the search is one that is not divided.
    fn of(session: &mut Session, request: &SearchRequest) -> anyhow::Result<Self> {
        let claim = &mut Claim::default();
        let one = match request {
            SearchRequest::Check(_) => {
                let main = check::main_of(session)?;
                program::begin(session, main, claim)
            }
            SearchRequest::Gpu(_) if session.parameters.device.is_some() => host::begin(session)?,
            SearchRequest::Gpu(options) if options.infer.is_some() => return Err(undivided(INFERRED).into()),
            SearchRequest::Gpu(options) => gpu::begin(session, options)?.ok_or_else(|| undivided(BY_FLOWS))?,
            SearchRequest::Races(_) => match races::whole_program(session)? {
                Some(main) => program::begin(session, main, claim),
                None => {
                    refuse_undivided(session, None)?;
                    return Ok(Searches::Entries(Box::new(Library::of(session)?)));
                }
            },
        };
        refuse_undivided(session, one.1.por)?;
        Ok(Searches::One(Box::new(one)))
    }
}

const INFERRED: &str = "a launch condition (--infer-launch) is inferred by one process";
const BY_FLOWS: &str =
    "all threads of such a launch are looked at at once, two by two (--flows), however many there are";

/// Refuses searches of which no process can do a part without knowing of the others.
fn refuse_undivided(session: &Session, por: Option<Por>) -> Result<(), UsageError> {
    let parameters = &session.parameters;
    let why = match (parameters.schedules, por) {
        (Schedules::Bounded(_), _) => "within --preemptions, executions are told apart by what others there were",
        (Schedules::Random(_), _) => "executions at random (--search walk and its kin) are chosen one after the other",
        _ if parameters.stop_on_finding => "with --stop-on-finding, it ends with what is found first",
        (Schedules::All, Some(Por::ShortestFirst)) => {
            "where each state is gone on from once (--strategy states, --property, programs that never end), all have to know of each state"
        }
        (Schedules::All, Some(Por::Unfolding(_))) => "with --strategy unfolding, all have to know of each event",
        _ if parameters.library.heaps == Heaps::Reached => {
            "with --heaps reached, it begins anew when it is gone on with"
        }
        _ => return Ok(()),
    };
    Err(undivided(why))
}

fn undivided(why: &str) -> UsageError {
    let message = format!(
        "this search cannot be divided: {why}; on one machine it can be gone on with (`raddle resume`), or begun without --cluster, with --workers N"
    );
    UsageError::new("undivided", message)
}

/// Whose search it is: what is known of it, and what can be done now.
pub struct Owner {
    set_up: SetUp,
    kept: Kept<'static>,
    places: Vec<Place>,
    /// What can be done at each place.
    open: Vec<Option<PartBatch>>,
    index: FxHashMap<Chosen, usize>,
    /// By place, what is known to be done, and was not come to yet.
    sets: FxHashMap<usize, DoneSet>,
    /// Nobody had begun it.
    is_new: bool,
}

/// Where one search of those that make up one begins.
enum Place {
    Program(Box<(Origin, JointOptions)>),
    Entry(Box<Entry>),
}

impl Place {
    fn chosen(&self) -> Chosen {
        match self {
            Place::Program(_) => Box::default(),
            Place::Entry(entry) => entry.chosen().into(),
        }
    }

    /// None: it is not explored.
    fn begin(&self) -> Option<(Origin, JointOptions)> {
        match self {
            Place::Program(one) => Some((**one).clone()),
            Place::Entry(entry) => {
                let origin = entry.origin()?;
                let options = joint_options(&origin);
                Some((origin, options))
            }
        }
    }
}

impl Owner {
    /// Of a search that was put aside, or begins. `before`: only what has changed since.
    ///
    /// # Errors
    /// When the search is about another program, or is one that is not divided.
    pub fn new(
        module: ir::Module,
        request: &SearchRequest,
        run: &Run,
        kept: Option<Kept<'static>>,
        before: Option<Before>,
    ) -> anyhow::Result<Self> {
        let set_up = SetUp::new(module, request, run)?;
        let files = &set_up.session.files;
        let is_new = kept.is_none();
        let mut kept = kept.unwrap_or_else(|| Kept::begun(request.clone(), files.program_ref.clone()));
        kept.check(&files.program_ref.fingerprint, run.folder.out())?;
        let places = match &set_up.searches {
            Searches::One(search) => vec![Place::Program(search.clone())],
            Searches::Entries(library) => {
                let entries = library.entries(&set_up.session, before)?;
                entries.into_iter().map(|entry| Place::Entry(Box::new(entry))).collect()
            }
        };
        let is_program = matches!(&set_up.searches, Searches::One(_));
        if !is_program && !kept.parts.is_empty() && kept.parts.len() != places.len() {
            let message = "what has changed is not what it was when the search began; run `raddle` again";
            return Err(InputError::new("program_changed", message).into());
        }
        kept.parts.resize_with(places.len(), || None);
        if is_program {
            // A program's search begins as a whole with what stands here, and else in stages. What else nobody has begun takes no room.
            kept.parts[0]
                .get_or_insert_with(|| Box::new(PartKept { paused: Some(Cow::default()), ..PartKept::default() }));
        }
        let index = places.iter().enumerate().map(|(index, place)| (place.chosen(), index)).collect();
        let mut owner =
            Owner { set_up, kept, open: vec![None; places.len()], places, index, sets: FxHashMap::default(), is_new };
        (0..owner.places.len()).for_each(|index| owner.look(index));
        Ok(owner)
    }

    /// Takes in what was done.
    pub fn take_in(&mut self, done: Vec<PartDone>) {
        for PartDone { chosen, done } in done {
            if let Some(&index) = self.index.get(&chosen) {
                self.sets.entry(index).or_default().add(done);
            }
        }
        let touched: Vec<usize> = self.sets.keys().copied().collect();
        for index in touched {
            let (part, place) = (&mut self.kept.parts[index], &self.places[index]);
            let is_over = part.as_ref().is_some_and(|part| part.explored.is_some());
            if let Some((done, (origin, options))) = self.sets.get_mut(&index).zip(place.begin()).filter(|_| !is_over) {
                let known = part.take().and_then(|part| part.paused).map(Cow::into_owned);
                let mut paused: Paused<'static> = known.unwrap_or_default();
                paused.take_in(&origin, options, done);
                *part = Some(Box::new(PartKept { paused: Some(Cow::Owned(paused)), ..PartKept::default() }));
            }
            self.look(index);
        }
        self.sets.retain(|_, set| !set.is_empty());
    }

    /// Sees what can be done of one search.
    fn look(&mut self, index: usize) {
        let (part, place) = (self.kept.parts[index].as_deref(), &self.places[index]);
        let is_over = part.is_some_and(|part| part.explored.is_some());
        let batch = place.begin().filter(|_| !is_over).and_then(|(origin, options)| {
            match part.and_then(|part| part.paused.as_deref()) {
                Some(paused) => paused.open(&origin, options),
                None => Paused::default().open(&origin, options),
            }
        });
        self.open[index] = batch.map(|batch| PartBatch { chosen: place.chosen(), batch });
    }

    /// Forgets what was done and not come to: it would have been by now.
    pub fn forget_unreached(&mut self) {
        self.sets.clear();
    }

    /// What can be done now, search by search. Nothing: nothing is left.
    pub fn open(&self) -> impl Iterator<Item = &PartBatch> {
        self.open.iter().flatten()
    }

    /// Carries out the first tasks of the search, until there are things to do for so `many`. Whether any was carried out. `done` is told
    /// of each.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn begin(&mut self, run: &Run, many: usize, done: &mut dyn FnMut(&PartDone)) -> anyhow::Result<bool> {
        let mut has_begun = false;
        loop {
            let things: usize = self.open().map(PartBatch::many).sum();
            if things == 0 || things >= many {
                return Ok(has_begun);
            }
            let open = self.open().cloned().collect();
            let begun = begin(&mut self.set_up, run, open, many)?;
            if begun.is_empty() {
                return Ok(has_begun);
            }
            has_begun = true;
            begun.iter().for_each(&mut *done);
            self.take_in(begun);
        }
    }

    pub fn kept(&self) -> &Kept<'static> {
        &self.kept
    }

    pub fn into_kept(self) -> Kept<'static> {
        self.kept
    }

    /// How far it is, all rounds that are not over taken together.
    pub fn pace(&self) -> Pace {
        let mut pace = Pace::default();
        for part in self.kept.parts.iter().flatten() {
            let of = part.paused.as_ref().map_or_else(Pace::default, |paused| paused.pace());
            pace.executions += of.executions;
            pace.findings += of.findings;
            pace.done += of.done;
        }
        pace.done /= self.places.len().max(1) as f64;
        pace
    }

    /// Of a search that begins, and could compare states instead of counting executions: carries out its first tasks, one after the other, as one
    /// process does. Whether executions come back to states in which they have been so often that comparing them is better. `done` is told of
    /// each task.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn is_hopeless(&mut self, run: &Run, done: &mut dyn FnMut(&PartDone)) -> anyhow::Result<bool> {
        if !self.is_new || !self.may_compare_states() {
            return Ok(false);
        }
        let mut tasks = 0;
        while tasks < TRIAL {
            let Some(first) = self.open().next().cloned() else { break };
            let some = first_tasks(&mut self.set_up, run, first, TRIAL - tasks)?;
            if some.is_empty() {
                break;
            }
            some.iter().for_each(&mut *done);
            tasks += some.iter().filter(|done| done.account().is_some()).count() as u64;
            self.take_in(some);
        }
        let parts = self.kept.parts.iter().flatten().filter_map(|part| part.paused.as_ref());
        Ok(self.open().next().is_some() && parts.map(|paused| paused.repeated()).sum::<u64>() >= MOST_REPEATED)
    }

    fn may_compare_states(&self) -> bool {
        let Searches::One(one) = &self.set_up.searches else { return false };
        let parameters = &self.set_up.session.parameters;
        let is_chosen = parameters.counts_executions() && parameters.por.is_none() && one.1.por.is_none();
        is_chosen && parameters.schedules.by_states(&self.set_up.session.engine.program).is_some()
    }
}

/// Each thing to do by itself, with what it weighs.
fn alone(PartBatch { chosen, batch }: PartBatch) -> impl Iterator<Item = (f64, Chosen, Batch)> {
    batch.apart().into_iter().map(move |(weight, batch)| (weight, chosen.clone(), batch))
}

/// Divides what is to be done into so many parts, of much the same size as far as that can be told; fewer where there is less.
pub fn deal(open: Vec<PartBatch>, many: usize) -> Vec<Vec<PartBatch>> {
    let mut cards: Vec<(f64, Chosen, Batch)> = open.into_iter().flat_map(alone).collect();
    // The order of those that weigh the same is that of the search.
    cards.sort_by(|one, other| other.0.total_cmp(&one.0));
    let many = many.min(cards.len());
    let mut parts: Vec<BTreeMap<Chosen, Vec<Batch>>> = vec![BTreeMap::new(); many];
    for (index, (_, chosen, batch)) in cards.into_iter().enumerate() {
        let batches = parts[index % many].entry(chosen).or_default();
        let other = match batches.last_mut() {
            Some(last) => last.join(batch).err(),
            None => Some(batch),
        };
        batches.extend(other);
    }
    let together = |(chosen, batches): (Chosen, Vec<Batch>)| {
        batches.into_iter().map(move |batch| PartBatch { chosen: chosen.clone(), batch })
    };
    parts.into_iter().map(|part| part.into_iter().flat_map(together).collect()).collect()
}

/// What a process needs to work on parts of a search.
pub struct SetUp {
    session: Session,
    searches: Searches,
    table: Option<Arc<Table>>,
}

/// Takes what was done, and all that is left.
type PutBack<'a> = dyn FnMut(&[PartDone], Vec<PartBatch>) -> Result<(), InputError> + 'a;

impl SetUp {
    /// # Errors
    /// When the request does not fit the program.
    pub fn new(module: ir::Module, request: &SearchRequest, run: &Run) -> anyhow::Result<Self> {
        let mut session = super::begin(module, request, run)?;
        let searches = Searches::of(&mut session, request)?;
        let table = match &searches {
            Searches::One(_) => None,
            Searches::Entries(library) => Some(library.table(&session)?),
        };
        Ok(SetUp { session, searches, table })
    }

    /// What the program is known by, as searches on it know it.
    pub fn fingerprint(&self) -> &str {
        &self.session.files.program_ref.fingerprint
    }

    fn work(
        &mut self,
        (origin, options): (&Origin, JointOptions),
        batch: Batch,
        limit: impl FnOnce(&mut Budget),
        ticker: &mut Ticker,
    ) -> Worked {
        let mut budget = self.session.limited_search(None);
        limit(&mut budget);
        let new_engine = self.session.new_engine();
        let workers = Workers { count: self.session.parameters.workers, new_engine: &new_engine, shares: SHARES };
        work_apart(workers, origin, options, batch, &budget, ticker)
    }

    /// Where one of the searches begins, and how it goes; none: there is no such search.
    fn search(&self, chosen: &[u32]) -> anyhow::Result<Option<(Origin, JointOptions)>> {
        let (library, table): (&Library, &Arc<Table>) = match (&self.searches, &self.table) {
            (Searches::One(one), _) => return Ok(chosen.is_empty().then(|| (**one).clone())),
            (Searches::Entries(library), Some(table)) => (library, table),
            (Searches::Entries(_), None) => return Ok(None),
        };
        let threads = self.session.parameters.bounds.threads as usize;
        if chosen.len() != threads || !table.has(chosen) {
            return Ok(None);
        }
        let contracts: &Contracts = &library.contracts;
        let narrowed = Entry::new(table, chosen.into(), contracts).narrowed().map_err(EngineError::from)?;
        Ok(narrowed.map(|narrowed| {
            let options = joint_options(&narrowed.origin);
            (narrowed.origin, options)
        }))
    }
}

/// Carries out the first tasks of a search, which are short, where there are fewer things to do than `many`: what they leave
/// can be divided. What was done.
///
/// # Errors
/// When the engine fails.
fn begin(set_up: &mut SetUp, run: &Run, open: Vec<PartBatch>, many: usize) -> anyhow::Result<Vec<PartDone>> {
    let ticker = &mut Ticker::new(run);
    let mut waiting: VecDeque<(Chosen, Batch)> =
        open.into_iter().flat_map(alone).map(|(_, c, batch)| (c, batch)).collect();
    let (mut done, mut others) = (Vec::new(), 0);
    while waiting.len() + others < many
        && let Some((chosen, batch)) = waiting.pop_front()
    {
        if !batch.is_first() {
            others += 1;
            continue;
        }
        let Some((origin, options)) = set_up.search(&chosen)? else { return Err(nothing_such()) };
        let worked = set_up.work((&origin, options), batch, |budget| budget.tasks = Some(1), ticker);
        if let Some(fault) = worked.fault {
            return Err(fault.into());
        }
        if worked.done.is_empty() {
            break;
        }
        done.extend(worked.done.into_iter().map(|done| PartDone { chosen: chosen.clone(), done }));
        let left = worked.rest.into_iter().flat_map(Batch::apart);
        waiting.extend(left.map(|(_, batch)| (chosen.clone(), batch)));
    }
    Ok(done)
}

/// Carries out at most so many tasks, as one worker.
fn first_tasks(set_up: &mut SetUp, run: &Run, first: PartBatch, many: u64) -> anyhow::Result<Vec<PartDone>> {
    let PartBatch { chosen, batch } = first;
    let Some((origin, options)) = set_up.search(&chosen)? else { return Err(nothing_such()) };
    let workers = std::mem::replace(&mut set_up.session.parameters.workers, NonZeroUsize::MIN);
    let ticker = &mut Ticker::new(run);
    let worked = set_up.work((&origin, options), batch, |budget| budget.tasks = Some(many), ticker);
    set_up.session.parameters.workers = workers;
    match worked.fault {
        Some(fault) => Err(fault.into()),
        None => Ok(worked.done.into_iter().map(|done| PartDone { chosen: chosen.clone(), done }).collect()),
    }
}

/// When somebody who works on a part ends, with what was begun at its end.
#[derive(Clone, Debug, Default)]
pub struct Until {
    pub time: Option<Instant>,
    /// As soon as this is set.
    pub called_back: Arc<AtomicBool>,
}

impl Until {
    fn is_over(&self) -> bool {
        self.time.is_some_and(|until| Instant::now() >= until) || self.called_back.load(Ordering::Relaxed)
    }
}

/// Works on what is to be done until all is, or `until` is over: then what was begun comes to its end, and something is done in any
/// case. `put_back` is called from time to time and at the end. What ended the work early, if something did, as reports call it.
///
/// # Errors
/// When what is to be done is nothing that the search consists of, the engine fails, or nothing can be put back.
pub fn work(
    set_up: &mut SetUp,
    run: &Run,
    batches: Vec<PartBatch>,
    until: &Until,
    put_back: &mut PutBack,
) -> anyhow::Result<Option<&'static str>> {
    let ticker = &mut Ticker::new(run);
    let mut waiting: VecDeque<PartBatch> = batches.into();
    let (mut done, mut begun, mut ended): (Vec<PartDone>, bool, Option<Exhausted>) = (Vec::new(), false, None);
    let mut fault: Option<anyhow::Error> = None;
    let mut next = Instant::now() + SLICE;
    while let Some(PartBatch { chosen, batch }) = waiting.pop_front() {
        if begun && until.is_over() {
            waiting.push_front(PartBatch { chosen, batch });
            break;
        }
        let Some((origin, options)) = set_up.search(&chosen)? else { return Err(nothing_such()) };
        let limit = |budget: &mut Budget| {
            budget.begin_until = until.time.into_iter().chain([next]).min();
            budget.called_back = Arc::clone(&until.called_back);
        };
        let worked = set_up.work((&origin, options), batch, limit, ticker);
        begun |= !worked.done.is_empty();
        done.extend(worked.done.into_iter().map(|done| PartDone { chosen: chosen.clone(), done }));
        if let Some(batch) = worked.rest {
            waiting.push_front(PartBatch { chosen, batch });
        }
        fault = worked.fault.map(|fault| match fault {
            EngineError::Diverged => nothing_such(),
            fault => fault.into(),
        });
        ended = set_up.session.exhausted().or(worked.ended.filter(|&ended| ended != Exhausted::Time));
        if ended.is_some() || fault.is_some() {
            break;
        }
        if Instant::now() >= next {
            put_back(&done, waiting.iter().cloned().collect())?;
            done.clear();
            next = Instant::now() + SLICE;
        }
    }
    put_back(&done, waiting.into())?;
    fault.map_or(Ok(ended.map(|ended| ended.loss().0.name())), Err)
}

/// Its checksum is right, and what it asks for is not there.
fn nothing_such() -> anyhow::Error {
    let message = "the part asks for what its search does not have, and is not worked on; `raddle gather` on the search makes what \
                   is left again. If `raddle split` or `raddle gather` made it, that is a fault of raddle's own: please report it";
    InputError::new("part", message).into()
}
