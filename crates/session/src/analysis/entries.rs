//! The entries of the matrix, each with its share of the time.
//!
//! The likely races of all come first. Of a limited time, a part is kept back for clients of what was found. Where time is limited, each entry gets a share of what is left, those that are
//! [likely](super::interest) to be meant for several threads a larger one, and first: one with more heaps than can be explored does
//! not keep the others from being looked at. What the others leave over goes to those that were cut short, which go on;
//! those that cannot (see [`explore::Paused`]) begin anew, so only where they get longer than before.

use super::Ticker;
use super::confirming::{Confirmation, not_replayed_for_time};
use super::contracts::{Contract, Contracts};
use super::interest::Interest;
use super::kept::{PartKept, PartsKept};
use super::robust::Question;
use super::session::Session;
use super::stored::{self, Named, Reused};
use super::watch::{Parts, Watch, set_aside};
use crate::progress;
use explore::{
    ClientStart, Exhausted, Exploration, FindingKey, LibraryOptions, Narrowed, Origin, Paused, SHARES, Sequence,
    Workers, can_be_called, library_until_fault, likely_races, only_read,
};
use machine::{EngineError, Ledger, Program, ProgramError};
use report::ShapeBasis;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};
use witness::Setting;

/// Time that it takes to get anywhere.
const LEAST: Duration = Duration::from_millis(100);

/// The part of the time in which what earlier runs know is looked up, and that in which likely races of all are looked for.
const AHEAD: u32 = 3;

/// The part of the time that is kept back for looking for clients of what was found.
const FOR_CLIENTS: u32 = 4;

/// What all entries share.
pub(super) struct Table {
    program: Arc<Program>,
    sequences: Arc<[Sequence]>,
    /// By sequence: what it calls [only reads](only_read).
    only_read: Vec<bool>,
    /// By sequence: it takes what the predicate is about.
    concerned: Vec<bool>,
    interest: Interest,
    /// How they are explored that take it, and the others.
    options: [Arc<LibraryOptions>; 2],
}

impl Table {
    /// `concerned`: whether the predicate is about what a sequence takes; `options`: with and without it.
    pub(super) fn new(
        program: &Arc<Program>,
        sequences: Arc<[Sequence]>,
        concerned: impl Fn(&Sequence) -> bool,
        options: [LibraryOptions; 2],
    ) -> Arc<Self> {
        let module = &program.module;
        let only_read = sequences.iter().map(|sequence| only_read(module, std::slice::from_ref(sequence))).collect();
        let concerned = sequences.iter().map(concerned).collect();
        let operations = sequences.iter().flat_map(Sequence::calls).map(|operation| operation.function);
        let interest = Interest::new(program, operations);
        Arc::new(Table {
            program: Arc::clone(program),
            sequences,
            only_read,
            concerned,
            interest,
            options: options.map(Arc::new),
        })
    }
}

impl Table {
    /// How much more time than others a combination gets where time is short.
    pub(super) fn weight(&self, chosen: &[u32]) -> u32 {
        let sequences = chosen.iter().map(|&index| &self.sequences[index as usize]);
        self.interest.weight(sequences.flat_map(Sequence::calls).map(|operation| operation.function))
    }

    /// Whether an entry can be of these.
    pub(super) fn has(&self, chosen: &[u32]) -> bool {
        !chosen.is_empty() && chosen.iter().all(|&index| self.sequences.get(index as usize).is_some())
    }
}

/// How far an entry is.
enum Progress {
    /// Nobody has begun.
    Untouched,
    Paused(Box<Paused<'static>>),
    Over,
}

/// What threads call together, and what exploring it came to. Of a large library there are hundreds of thousands: one that
/// nobody has begun is small.
pub(super) struct Entry {
    table: Arc<Table>,
    /// What each thread calls, by index.
    chosen: Box<[u32]>,
    /// They all [only read](only_read): what they do together is what the entries show in which all do the same.
    pub only_read: bool,
    /// Where its threads begin, if clients build that.
    clients: Option<Arc<[ClientStart]>>,
    /// Why callers do not make these calls at once, if they do not.
    pub kept_apart: Option<Contract>,
    /// What threads call then, each with objects of its own where it has to.
    on_own_objects: Option<Box<[Sequence]>>,
    /// Threads can make these calls, and it is not for others to show what comes of them.
    is_explored: bool,
    /// Of exploring and of confirming.
    pub ledger: Ledger,
    /// So far, if anything. Of its findings, all that were not confirmed yet.
    explored: Option<Box<Exploration>>,
    stage: Progress,
    /// What ended the search before it was begun.
    pub unbegun: Option<Exhausted>,
    /// So far; none of an earlier process.
    confirmed: Vec<Confirmation>,
    /// It was seen what earlier runs have found out about it.
    looked_up: bool,
    /// No other process has worked on it.
    is_untouched: bool,
    /// All of it comes from an earlier run.
    pub reused: bool,
    /// The time that it had; none before its first turn.
    had: Option<Duration>,
}

impl Entry {
    pub(super) fn new(table: &Arc<Table>, chosen: Box<[u32]>, contracts: &Contracts) -> Self {
        let mut ledger = Ledger::default();
        let alike = chosen.iter().all(|calls| Some(calls) == chosen.first());
        let only_read = !alike && chosen.iter().all(|&index| table.only_read[index as usize]);
        let gap = can_be_called(&table.program.module, chosen.iter().map(|&index| &table.sequences[index as usize]));
        let is_callable = gap.map_err(|gap| ledger.note(gap)).is_ok();
        let calls = chosen.iter().map(|&index| &table.sequences[index as usize]);
        let kept_apart = contracts.keeps_apart(calls.clone());
        // A predicate is about what threads share.
        let is_about_all = table.options.iter().all(|options| options.valid.is_none());
        let own = || contracts.on_own_objects(&calls.collect::<Vec<_>>());
        let on_own_objects = kept_apart.filter(|_| is_about_all).and_then(|_| own()).map(Vec::into_boxed_slice);
        let is_explored = is_callable && !only_read && (kept_apart.is_none() || on_own_objects.is_some());
        Entry {
            table: Arc::clone(table),
            chosen,
            only_read,
            clients: None,
            kept_apart,
            on_own_objects,
            is_explored,
            ledger,
            explored: None,
            stage: if is_explored { Progress::Untouched } else { Progress::Over },
            unbegun: None,
            confirmed: Vec::new(),
            looked_up: false,
            is_untouched: true,
            reused: false,
            had: None,
        }
    }

    /// Where clients have come to, and nowhere else.
    pub(super) fn on_clients(mut self, clients: Vec<ClientStart>) -> Self {
        if self.is_explored && clients.is_empty() {
            self.is_explored = false;
            self.stage = Progress::Over;
        }
        self.clients = Some(clients.into());
        self
    }

    /// What each thread calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Sequence> {
        self.chosen.iter().map(|&index| &self.table.sequences[index as usize])
    }

    pub(super) fn threads(&self) -> Vec<Sequence> {
        match &self.on_own_objects {
            Some(own) => own.to_vec(),
            None => self.calls().cloned().collect(),
        }
    }

    /// Such as `insert and search`.
    pub(super) fn in_words(&self) -> String {
        explore::in_words(self.calls())
    }

    /// What all threads call, if they do the same.
    pub(super) fn alike(&self) -> Option<&Sequence> {
        let first = self.chosen.first()?;
        self.chosen.iter().all(|calls| calls == first).then(|| self.calls().next()).flatten()
    }

    /// The predicate counts where a thread takes what it is about: only there are all failures the program's own.
    pub(super) fn options(&self) -> &LibraryOptions {
        let concerned = self.chosen.iter().any(|&index| self.table.concerned[index as usize]);
        &self.table.options[usize::from(!concerned)]
    }

    /// What each thread calls, by index; it tells the entry from others.
    pub(super) fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Where executions begin, in the whole program; none if that is not explored.
    pub(super) fn origin(&self) -> Option<Origin> {
        let origin = || match &self.clients {
            None => Origin::library(&self.table.program, &self.threads(), self.options()).ok(),
            Some(clients) => Some(Origin::Clients {
                program: Arc::clone(&self.table.program),
                threads: self.threads(),
                clients: Arc::clone(clients),
                options: self.options().clone(),
            }),
        };
        self.is_explored.then(origin).flatten()
    }

    /// Where it begins, in the part of the program that it can come to; none if that is not explored.
    ///
    /// # Errors
    /// When that is no program.
    pub(super) fn narrowed(&self) -> Result<Option<Narrowed>, ProgramError> {
        self.origin().as_ref().map(Origin::narrowed).transpose()
    }

    /// Nobody has begun.
    fn is_unbegun(&self) -> bool {
        matches!(self.stage, Progress::Untouched)
    }

    /// What exploring it came to so far.
    pub(super) fn take_explored(&mut self) -> Exploration {
        self.explored.take().map_or_else(Exploration::default, |explored| *explored)
    }

    /// Whether something was found that is not confirmed yet.
    fn has_open(&self) -> bool {
        let found = self.explored.as_ref().is_some_and(|explored| !explored.findings.is_empty());
        found || matches!(&self.stage, Progress::Paused(paused) if paused.found().next().is_some())
    }

    /// What the heap of a finding rests on.
    fn basis(&self) -> ShapeBasis {
        if self.options().valid.is_some() { ShapeBasis::Valid } else { ShapeBasis::Assumed }
    }

    /// Takes over what an earlier run found out, if all that it found shows again. Not where another process has begun.
    fn reuse(&mut self, session: &mut Session, index: usize) -> anyhow::Result<()> {
        if session.store.is_none() || !self.is_untouched || self.looked_up {
            return Ok(());
        }
        let Some(narrowed) = self.narrowed().map_err(EngineError::from)? else { return Ok(()) };
        let Some(store) = &mut session.store else { return Ok(()) };
        self.looked_up = true;
        let (Some(named), Some(setting)) = (Named::of(&narrowed), setting(&narrowed)) else { return Ok(()) };
        let Some(Reused { explored, ledger, confirmed }) = stored::reuse(store, &named) else { return Ok(()) };
        let about = (Some(self.basis()), Some(index));
        // What is lost by replaying was noted when that was done first.
        let noted = session.engine.ledger.clone();
        let again = session.in_part(&narrowed, |session| session.confirm_again(&setting, &confirmed, about))?;
        session.engine.ledger = noted;
        if again {
            (self.explored, self.ledger, self.reused) = (Some(Box::new(explored)), ledger, true);
            self.stage = Progress::Over;
        }
        Ok(())
    }

    /// Keeps what was found out for later runs. Where it stood in its files is not kept meanwhile: of many entries that is
    /// more than all else.
    fn keep(&self, session: &mut Session, narrowed: &Narrowed) {
        if let (Some(store), Some(explored), true) =
            (&mut session.store, &self.explored, self.is_over() && self.is_untouched)
            && let Some(named) = Named::of(narrowed)
        {
            stored::keep(store, &named, explored, &self.ledger, &self.confirmed);
        }
    }

    /// Takes over what another process came to.
    pub(super) fn resume(&mut self, kept: Option<Box<PartKept<'static>>>) {
        self.is_untouched = false;
        let Some(kept) = kept else { return };
        if let Some(explored) = kept.explored {
            self.explored = Some(Box::new(explored.into_owned()));
            self.ledger = kept.ledger.into_owned();
            self.stage = Progress::Over;
        } else if let Some(paused) = kept.paused {
            self.stage = Progress::Paused(Box::new(paused.into_owned()));
        }
    }

    /// Whether it was explored at all.
    pub(super) fn is_explored(&self) -> bool {
        self.is_explored
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Progress::Over)
    }

    /// For another process to go on with.
    fn kept(&self) -> Option<Box<PartKept<'_>>> {
        Some(Box::new(match &self.stage {
            Progress::Untouched => return None,
            Progress::Paused(paused) => PartKept { paused: Some(Cow::Borrowed(paused)), ..PartKept::default() },
            Progress::Over => PartKept {
                explored: Some(self.explored.as_deref().map_or_else(Cow::default, Cow::Borrowed)),
                ledger: Cow::Borrowed(&self.ledger),
                paused: None,
            },
        }))
    }

    /// Notes that the search ended before it came to this. Not where something was found already.
    fn leave(&mut self, exhausted: Exhausted) {
        self.unbegun = Some(exhausted);
        self.had = Some(Duration::ZERO);
    }

    /// No time is left to replay what was found.
    fn give_up_block(&mut self) {
        if let Progress::Paused(paused) = &self.stage {
            for key in paused.found() {
                self.ledger.note(not_replayed_for_time(key));
            }
        }
    }

    /// Goes on until it is done or the time is up, and confirms what is found. `index`: among all entries. Whether more
    /// time would help.
    fn explore(
        &mut self,
        session: &mut Session,
        index: usize,
        others: [&[Entry]; 2],
        time: Option<Duration>,
        ticker: &mut Ticker,
    ) -> anyhow::Result<bool> {
        let Some(narrowed) = self.narrowed().map_err(EngineError::from)? else { return Ok(false) };
        self.reuse(session, index)?;
        self.unbegun = None;
        if self.reused {
            return Ok(false);
        }
        let paused = match std::mem::replace(&mut self.stage, Progress::Over) {
            Progress::Untouched => Some(Paused::default()),
            Progress::Paused(paused) => Some(*paused),
            Progress::Over => None,
        };
        if let Some(paused) = paused {
            let budget = session.limited_search(time);
            let new_engine = session.new_engine();
            let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
            let others = others.map(|entries| Box::new(entries) as Box<dyn Parts>);
            let mut watch = Watch { ticker, session, others: [&*others[0], &*others[1]], is_stage: false };
            let (mut explored, fault) = library_until_fault(workers, &narrowed.origin, &budget, &mut watch, paused);
            session.failed(fault);
            session.note_first_race(&explored);
            if let Some(paused) = explored.paused.take() {
                self.stage = Progress::Paused(paused);
            }
            self.explored = Some(Box::new(explored));
        }
        let is_robust = self.ask_of_weak(session, &narrowed, others, time, ticker);
        let ledger = std::mem::take(&mut session.engine.ledger);
        let mut explored = self.explored.take().unwrap_or_default();
        let confirmed = self.confirm(session, &narrowed, &mut explored, index, time);
        let notes = std::mem::replace(&mut session.engine.ledger, ledger);
        self.ledger = explored.ledger.clone();
        self.ledger.merge(&notes);
        self.had = Some(time.unwrap_or_default());
        let more = explored.exhausted == Some(Exhausted::Time);
        self.explored = Some(explored);
        confirmed?;
        // That it is robust is not kept: a later run would not know what its claim is about.
        if !is_robust {
            self.keep(session, &narrowed);
        }
        Ok(more)
    }

    /// Where all that is left open is what weak atomics allow, that is asked; whether nothing is open any more.
    fn ask_of_weak(
        &mut self,
        session: &mut Session,
        narrowed: &Narrowed,
        others: [&[Entry]; 2],
        time: Option<Duration>,
        ticker: &mut Ticker,
    ) -> bool {
        if !self.confirmed.is_empty() || !self.is_over() {
            return false;
        }
        let Some(mut explored) = self.explored.take() else { return false };
        let others = others.map(|entries| Box::new(entries) as Box<dyn Parts>);
        let options = self.options().joint;
        let question = Question { origin: &narrowed.origin, options, others: [&*others[0], &*others[1]] };
        let is_robust = session.ask_of_weak(&question, &mut explored, time, ticker);
        self.explored = Some(explored);
        is_robust
    }

    fn confirm(
        &mut self,
        session: &mut Session,
        narrowed: &Narrowed,
        explored: &mut Exploration,
        index: usize,
        time: Option<Duration>,
    ) -> anyhow::Result<()> {
        explored.findings.retain(|key, _| !is_among(&self.confirmed, key));
        // Most entries find nothing: then nothing is made ready for it.
        if explored.findings.is_empty() {
            return Ok(());
        }
        if let Some(clients) = self.clients.clone() {
            return session.confirm_on_clients(&narrowed.origin, explored, &clients, index, time);
        }
        let Some(setting) = setting(narrowed) else { return Ok(()) };
        let basis = self.basis();
        let confirmed = session.in_part(narrowed, |session| {
            session.confirm(&setting, &narrowed.origin, explored, Some(basis), Some(index), time)
        })?;
        explored.findings.retain(|key, _| !is_among(&confirmed, key));
        self.confirmed.extend(confirmed);
        Ok(())
    }
}

/// Whether a finding was confirmed.
fn is_among(confirmed: &[Confirmation], key: &FindingKey) -> bool {
    confirmed.iter().any(|known| known.key == *key)
}

/// How findings are replayed.
fn setting(narrowed: &Narrowed) -> Option<Setting> {
    let Origin::Library { threads, options, .. } = &narrowed.origin else { return None };
    Some(Setting {
        entry: witness::Threads::Library(threads.clone()),
        limits: options.limits,
        globals_symbolic: options.globals_symbolic,
        roots: options.roots,
        valid: options.valid.clone(),
    })
}

impl Parts for &[Entry] {
    fn kept(&self) -> PartsKept<'_> {
        self.iter().map(Entry::kept).collect()
    }
}

/// Explores all entries; `name`: what they are called. What is not over then is put aside.
///
/// # Errors
/// When the engine fails.
pub(super) fn explore_all(
    session: &mut Session,
    entries: &mut [Entry],
    name: &'static str,
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    explore_as_time_allows(session, entries, name, ticker)?;
    if session.time.hurried || entries.iter().any(|entry| !entry.is_over()) {
        set_aside(session, (&*entries).kept());
    }
    Ok(())
}

/// As [`explore_all`]; nothing is put aside.
///
/// # Errors
/// When the engine fails.
pub(super) fn explore_as_time_allows(
    session: &mut Session,
    entries: &mut [Entry],
    name: &'static str,
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let until = left.and_then(|left| Instant::now().checked_add(left / AHEAD));
    for (index, entry) in entries.iter_mut().enumerate() {
        // What is not looked up now is when its turn comes, if there is time for that.
        if session.exhausted().is_some() || until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        entry.reuse(session, index)?;
    }
    if !session.time.budget.apart {
        look_ahead(session, entries, ticker)?;
    }
    let whole = session.time.budget.deadline;
    let clients = session.parameters.library.client_calls > 0;
    let kept_back = |left: Duration| if clients { left / FOR_CLIENTS } else { Duration::ZERO };
    session.time.budget.deadline = whole.map(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        deadline.checked_sub(kept_back(left)).unwrap_or(deadline)
    });
    let explored = explore_pending(session, entries, name, ticker);
    session.time.budget.deadline = whole;
    session.leave_time_to_write();
    explored?;
    // Where nothing was found, nobody needs a client.
    if clients && whole.is_some() && session.found.confirmed.is_empty() {
        explore_pending(session, entries, name, ticker)?;
    }
    session.limited(None);
    session.close_store();
    Ok(())
}

/// Explores those that are not over until they are, or the time is.
fn explore_pending(
    session: &mut Session,
    entries: &mut [Entry],
    name: &'static str,
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    let is_pending = |entry: &Entry| !entry.is_over() || entry.has_open();
    let mut pending: Vec<usize> = (0..entries.len()).filter(|&index| is_pending(&entries[index])).collect();
    let weights = weights(session, entries);
    pending.sort_by_key(|&index| Reverse(weights[index]));
    let mut done = entries.len() - pending.len();
    while !pending.is_empty() {
        let mut cut_short = Vec::new();
        let mut shares: usize = pending.iter().map(|&index| weights[index] as usize).sum();
        for &index in &pending {
            // As many like this one take as much time as all that wait.
            let waiting = shares.div_ceil(weights[index] as usize);
            shares -= weights[index] as usize;
            let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let had = entries[index].had;
            let goes_on = entries[index].options().joint.schedules.are_divisible();
            let time = left.map(|left| share(left, waiting, had, goes_on));
            if time == Some(None) {
                continue;
            }
            // Of many entries that nobody has begun, or whose findings cannot be replayed any more, each takes no time once there
            // is none.
            if let Some(exhausted) = session.exhausted() {
                if !entries[index].has_open() {
                    entries[index].leave(exhausted);
                    continue;
                }
                if session.overtime().is_some_and(|until| Instant::now() >= until) {
                    entries[index].give_up_block();
                    session.time.hurried = true;
                    continue;
                }
            }
            if session.time.budget.apart && entries[index].is_unbegun() {
                entries[index].leave(Exhausted::Apart);
                continue;
            }
            ticker.parts(progress::Parts { done, all: entries.len(), name });
            let (before, rest) = entries.split_at_mut(index);
            let Some((this, after)) = rest.split_first_mut() else { continue };
            if this.explore(session, index, [before, after], time.flatten(), ticker)? {
                cut_short.push(index);
            } else {
                done += 1;
            }
        }
        pending = cut_short;
    }
    Ok(())
}

/// How much more time than others entries get where time is short.
fn weights(session: &Session, entries: &[Entry]) -> Vec<u32> {
    match session.time.budget.deadline {
        Some(_) => entries.iter().map(|entry| entry.table.weight(&entry.chosen)).collect(),
        None => vec![1; entries.len()],
    }
}

/// Looks for the likely races of all entries, within the first part of the time.
fn look_ahead(session: &mut Session, entries: &mut [Entry], ticker: &mut Ticker) -> anyhow::Result<()> {
    let left = session.time.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let budget = session.limited(left.map(|left| left / AHEAD));
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let searching = &*entries;
    let weights = weights(session, searching);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| Reverse(weights[index]));
    let search = |turn: usize| {
        let entry: &Entry = &searching[order[turn]];
        if entry.clients.is_some() {
            return None;
        }
        let paused = match &entry.stage {
            Progress::Untouched => Paused::default(),
            Progress::Paused(paused) => (**paused).clone(),
            Progress::Over => return None,
        };
        Some((entry.origin()?, paused))
    };
    let mut done = Vec::new();
    let mut found = |turn: usize, paused| done.push((order[turn], paused));
    let searched = likely_races(workers, searching.len(), &search, &budget, ticker, &mut found);
    for (index, paused) in done {
        entries[index].stage = Progress::Paused(Box::new(paused));
    }
    session.failed(searched.err());
    session.limited(None);
    Ok(())
}

/// The time for one of `waiting` entries that had some before, or none yet; none if it would not get farther. `goes_on`: it
/// need not begin anew.
fn share(left: Duration, waiting: usize, had: Option<Duration>, goes_on: bool) -> Option<Duration> {
    let equal = left / u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
    let Some(had) = had else { return Some(equal) };
    if goes_on {
        return (left >= LEAST).then_some(equal.max(LEAST));
    }
    let more = equal.max(had * 2).min(left);
    (more > had * 3 / 2).then_some(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_equal_at_first_and_grow_later_for_those_that_begin_anew() {
        let seconds = Duration::from_secs;
        let anew = |left, waiting, had| share(left, waiting, had, false);
        assert_eq!(anew(seconds(30), 3, None), Some(seconds(10)));
        assert_eq!(anew(Duration::ZERO, 3, None), Some(Duration::ZERO), "it says that time ran out");
        assert_eq!(anew(seconds(60), 2, Some(seconds(10))), Some(seconds(30)));
        assert_eq!(anew(seconds(60), 6, Some(seconds(20))), Some(seconds(40)), "less would be in vain");
        assert_eq!(anew(seconds(25), 1, Some(seconds(20))), None);
        assert_eq!(anew(Duration::ZERO, 1, Some(seconds(20))), None);
        assert_eq!(anew(Duration::ZERO, 1, Some(Duration::ZERO)), None, "once is enough");
    }

    #[test]
    fn those_that_go_on_take_equal_shares_while_there_is_time() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(30), 3, Some(seconds(20)), true), Some(seconds(10)));
        assert_eq!(share(LEAST, 9, Some(seconds(20)), true), Some(LEAST));
        assert_eq!(share(LEAST / 2, 1, Some(seconds(20)), true), None);
        assert_eq!(share(Duration::ZERO, 3, None, true), Some(Duration::ZERO), "it says that time ran out");
    }
}
