//! The entries of the matrix, each with its share of the time.
//!
//! The likely races of all come first. Of a limited time, a part is kept back for clients of what was found. Where time is limited, each entry gets an equal share of what is left: one with more heaps than can be explored does
//! not keep the others from being looked at. What the others leave over goes to those that were cut short, which go on;
//! those that cannot (see [`explore::Paused`]) begin anew, so only where they get longer than before.

use super::Ticker;
use super::confirming::Confirmation;
use super::kept::PartKept;
use super::session::Session;
use super::stored::{self, Named, Reused};
use super::watch::{Parts, Watch, set_aside};
use crate::progress;
use explore::{
    Exhausted, Exploration, FindingKey, LibraryOptions, Narrowed, Origin, Paused, SHARES, Sequence, Workers,
    explore_library, likely_races, only_read,
};
use machine::{EngineError, Ledger, Program, ProgramError};
use report::ShapeBasis;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use witness::Setting;

/// Time that it takes to get anywhere.
const LEAST: Duration = Duration::from_millis(100);

/// The part of the time in which likely races of all are looked for.
const AHEAD: u32 = 3;

/// The part of the time that is kept back for looking for clients of what was found.
const FOR_CLIENTS: u32 = 4;

/// What threads call together, and what exploring it came to.
pub(super) struct Entry {
    pub threads: Vec<Sequence>,
    pub options: LibraryOptions,
    /// Where executions begin, in the whole program; none if that is not explored.
    origin: Option<Origin>,
    /// They all [only read](only_read): what they do together is what the entries show in which all do the same.
    pub only_read: bool,
    /// Of exploring and of confirming.
    pub ledger: Ledger,
    /// So far. Of its findings, all that were not confirmed yet.
    pub explored: Exploration,
    /// How to go on, unless it is over.
    paused: Option<Paused<'static>>,
    /// So far; none of an earlier process.
    confirmed: Vec<Confirmation>,
    /// What earlier runs may have found out about it; none if that is not asked.
    named: Option<Named>,
    /// No other process has worked on it.
    is_untouched: bool,
    /// All of it comes from an earlier run.
    pub reused: bool,
    /// The time that it had; none before its first turn.
    had: Option<Duration>,
}

impl Entry {
    pub(super) fn new(program: &Arc<Program>, threads: Vec<Sequence>, options: LibraryOptions) -> Self {
        let mut ledger = Ledger::default();
        let alike = threads.iter().all(|calls| Some(calls) == threads.first());
        let only_read = !alike && only_read(&program.module, &threads);
        let origin = Origin::library(program, &threads, &options).map_err(|gap| ledger.note(gap)).ok();
        let origin = origin.filter(|_| !only_read);
        Entry {
            threads,
            options,
            paused: origin.is_some().then(Paused::default),
            origin,
            only_read,
            ledger,
            explored: Exploration::default(),
            confirmed: Vec::new(),
            named: None,
            is_untouched: true,
            reused: false,
            had: None,
        }
    }

    /// Where it begins, in the part of the program that it can come to; none if that is not explored.
    ///
    /// # Errors
    /// When that is no program.
    pub(super) fn narrowed(&self) -> Result<Option<Narrowed>, ProgramError> {
        self.origin.as_ref().map(Origin::narrowed).transpose()
    }

    /// What the heap of a finding rests on.
    fn basis(&self) -> ShapeBasis {
        if self.options.valid.is_some() { ShapeBasis::Valid } else { ShapeBasis::Assumed }
    }

    /// Takes over what an earlier run found out, if all that it found shows again. Not where another process has begun.
    fn reuse(&mut self, session: &mut Session, index: usize) -> anyhow::Result<()> {
        let Some(origin) = self.origin.as_ref().filter(|_| self.is_untouched) else { return Ok(()) };
        let narrowed = origin.narrowed().map_err(EngineError::from)?;
        let Some(store) = &mut session.store else { return Ok(()) };
        self.named = Named::of(&narrowed);
        let (Some(named), Some(setting)) = (&self.named, setting(&narrowed)) else { return Ok(()) };
        let Some(Reused { explored, ledger, confirmed }) = stored::reuse(store, named) else { return Ok(()) };
        let about = (Some(self.basis()), Some(index));
        // What is lost by replaying was noted when that was done first.
        let noted = session.engine.ledger.clone();
        let again = session.in_part(&narrowed, |session| session.confirm_again(&setting, &confirmed, about))?;
        session.engine.ledger = noted;
        if again {
            (self.explored, self.ledger, self.paused, self.reused) = (explored, ledger, None, true);
        }
        Ok(())
    }

    /// Keeps what was found out for later runs.
    fn keep(&self, session: &mut Session) {
        if let (Some(store), Some(named), true) = (&mut session.store, &self.named, self.is_over()) {
            stored::keep(store, named, &self.explored, &self.ledger, &self.confirmed);
        }
    }

    /// Takes over what another process came to.
    pub(super) fn resume(&mut self, kept: PartKept<'static>) {
        self.is_untouched = false;
        if let Some(explored) = kept.explored {
            self.explored = explored.into_owned();
            self.ledger = kept.ledger.into_owned();
            self.paused = None;
        } else if let Some(paused) = kept.paused {
            self.paused = Some(paused.into_owned());
        }
    }

    /// Whether it was explored at all.
    pub(super) fn is_explored(&self) -> bool {
        self.origin.is_some()
    }

    pub(super) fn is_over(&self) -> bool {
        self.paused.is_none()
    }

    /// For another process to go on with.
    fn kept(&self) -> PartKept<'_> {
        match &self.paused {
            Some(paused) => PartKept { paused: Some(Cow::Borrowed(paused)), ..PartKept::default() },
            None => PartKept {
                explored: Some(Cow::Borrowed(&self.explored)),
                ledger: Cow::Borrowed(&self.ledger),
                paused: None,
            },
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
        let Some(origin) = &self.origin else { return Ok(false) };
        let narrowed = origin.narrowed().map_err(EngineError::from)?;
        if let Some(paused) = self.paused.take() {
            let budget = session.limited(time);
            let new_engine = session.new_engine();
            let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
            let others = others.map(|entries| Box::new(entries) as Box<dyn Parts>);
            let mut watch = Watch { ticker, session, others: [&*others[0], &*others[1]] };
            self.explored = explore_library(workers, &narrowed.origin, &budget, &mut watch, paused)?;
            session.note_first_race(&self.explored);
            self.paused = self.explored.paused.take().map(|paused| *paused);
        }
        let ledger = std::mem::take(&mut session.engine.ledger);
        self.confirm(session, &narrowed, index, time)?;
        let notes = std::mem::replace(&mut session.engine.ledger, ledger);
        self.ledger = self.explored.ledger.clone();
        self.ledger.merge(&notes);
        self.had = Some(time.unwrap_or_default());
        self.keep(session);
        Ok(self.explored.exhausted == Some(Exhausted::Time))
    }

    fn confirm(
        &mut self,
        session: &mut Session,
        narrowed: &Narrowed,
        index: usize,
        time: Option<Duration>,
    ) -> anyhow::Result<()> {
        self.explored.findings.retain(|key, _| !is_among(&self.confirmed, key));
        let Some(setting) = setting(narrowed) else { return Ok(()) };
        let basis = self.basis();
        let confirmed = session.in_part(narrowed, |session| {
            session.confirm(&setting, &narrowed.origin, &self.explored, Some(basis), Some(index), time)
        })?;
        self.explored.findings.retain(|key, _| !is_among(&confirmed, key));
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
        entry: witness::Entry::Library(threads.clone()),
        limits: options.limits,
        globals_symbolic: options.globals_symbolic,
        roots: options.roots,
        valid: options.valid.clone(),
    })
}

impl Parts for &[Entry] {
    fn kept(&self) -> Vec<PartKept<'_>> {
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
    for (index, entry) in entries.iter_mut().enumerate() {
        entry.reuse(session, index)?;
    }
    look_ahead(session, entries, ticker)?;
    let whole = session.budget.deadline;
    let clients = session.parameters.client_calls > 0;
    let kept_back = |left: Duration| if clients { left / FOR_CLIENTS } else { Duration::ZERO };
    session.budget.deadline = whole.map(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        deadline.checked_sub(kept_back(left)).unwrap_or(deadline)
    });
    let explored = explore_pending(session, entries, name, ticker);
    session.budget.deadline = whole;
    explored?;
    // Where nothing was found, nobody needs a client.
    if clients && whole.is_some() && session.confirmed.is_empty() {
        explore_pending(session, entries, name, ticker)?;
    }
    session.limited(None);
    session.close_store();
    if session.hurried || entries.iter().any(|entry| !entry.is_over()) {
        set_aside(session, (&*entries).kept());
    }
    Ok(())
}

/// Explores those that are not over until they are, or the time is.
fn explore_pending(
    session: &mut Session,
    entries: &mut [Entry],
    name: &'static str,
    ticker: &mut Ticker,
) -> anyhow::Result<()> {
    let is_pending = |entry: &Entry| !entry.is_over() || !entry.explored.findings.is_empty();
    let mut pending: Vec<usize> = (0..entries.len()).filter(|&index| is_pending(&entries[index])).collect();
    let mut done = entries.len() - pending.len();
    while !pending.is_empty() {
        let mut cut_short = Vec::new();
        for (position, &index) in pending.iter().enumerate() {
            let left = session.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let had = entries[index].had;
            let goes_on = entries[index].options.joint.preemptions.is_none();
            let time = left.map(|left| share(left, pending.len() - position, had, goes_on));
            if time == Some(None) {
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

/// Looks for the likely races of all entries, within the first part of the time.
fn look_ahead(session: &mut Session, entries: &mut [Entry], ticker: &mut Ticker) -> anyhow::Result<()> {
    let left = session.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let budget = session.limited(left.map(|left| left / AHEAD));
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let mut searches: Vec<(&Origin, &mut Paused)> =
        entries.iter_mut().filter_map(|entry| Some((entry.origin.as_ref()?, entry.paused.as_mut()?))).collect();
    likely_races(workers, &mut searches, &budget, ticker)?;
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
