//! Confirming findings: each is replayed from a concrete start, made small, and written down.

use super::session::Session;
use super::{present, private};
use concurrency::Site;
use explore::{Exploration, FindingKey, Found, Narrowed, Origin, OutOfTurn, Sequence, Spent, caught};
use machine::{Config, Forget, LedgerEntry, LossKind, LossSite, Remedy};
use report::ShapeBasis;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};
use witness::{Concrete, Confirmed, Modes, Setting, Threads, Witness, concretise, confirm, minimise};

/// Iterations of a loop where a schedule says how far it goes.
pub(super) const UNBOUNDED: u32 = u32::MAX / 4;

/// How long findings of an entry may be confirmed when its time is over: all of them, and each at the least. When the whole
/// time is, [`Session::overtime`] counts.
const CONFIRMATION: Duration = Duration::from_secs(10);
const LEAST_CONFIRMATION: Duration = Duration::from_millis(200);

/// What it takes to write a finding down and to print it: so much of the time is kept back for each.
const TO_WRITE: Duration = Duration::from_micros(400);

/// Of a finding that nobody has tried to replay.
pub(super) fn not_replayed_for_time(key: &FindingKey) -> LedgerEntry {
    let remedy = "it was seen, but no time was left to replay it; --max-time with a larger value".to_owned();
    LedgerEntry { kind: LossKind::NotReplayed, site: LossSite::Search(key.place()), remedy: remedy.into() }
}

/// A finding as it was confirmed: all that it takes to confirm it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Confirmation {
    pub key: FindingKey,
    concrete: Concrete,
    /// The sites that are steps of its schedule.
    visible: Vec<Site>,
    /// It is as small as it gets.
    minimal: bool,
    pub out_of_turn: Option<OutOfTurn>,
}

impl Session {
    /// Confirms what was found in a part of the program on an engine of that part.
    pub(super) fn in_part<T>(
        &mut self,
        narrowed: &Narrowed,
        confirm: impl FnOnce(&mut Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Some(part) = &narrowed.part else { return confirm(self) };
        let mut engine = (self.new_engine())(&part.program)?;
        engine.interrupted = self.engine.interrupted.take();
        let whole = std::mem::replace(&mut self.engine, engine);
        self.whole = Some((Arc::clone(&whole.program), part.clone()));
        let confirmed = confirm(self);
        self.whole = None;
        let mut part = std::mem::replace(&mut self.engine, whole);
        self.engine.interrupted = part.interrupted.take();
        let (statistics, solver, assumed) = (part.statistics, part.solver_stats(), part.assumed);
        self.add_explored(&part.ledger, Spent { statistics, solver, assumed, ..Spent::default() });
        confirmed
    }

    /// Replays findings from a concrete start and makes them small, within `time` from now, or all that is left. `entry`: of
    /// the matrix, that they belong to. What does not show again is not reported; the ledger says so. Which
    /// were confirmed.
    pub(super) fn confirm(
        &mut self,
        setting: &Setting,
        origin: &Origin,
        explored: &Exploration,
        shape: Option<ShapeBasis>,
        entry: Option<usize>,
        time: Option<Duration>,
    ) -> anyhow::Result<Vec<Confirmation>> {
        let budget = self.limited(time);
        let mut overtime = time.map_or(CONFIRMATION, |time| time.clamp(LEAST_CONFIRMATION, CONFIRMATION));
        let mut shown = Vec::new();
        let modes = self.modes();
        let mut sorted: Vec<&Found> = explored.findings.values().collect();
        sorted.sort_by(|a, b| a.key.cmp(&b.key));
        for found in sorted {
            let key = found.key.clone();
            let (begun, hurried) = (Instant::now(), budget.exhausted().is_some());
            let whole = self.exhausted().and(self.overtime());
            if hurried && overtime.is_zero() || whole.is_some_and(|until| begun >= until) {
                self.engine.ledger.note(not_replayed_for_time(&key));
                self.time.hurried = true;
                continue;
            }
            self.time.patience.extend(overtime.max(LEAST_CONFIRMATION), self.overtime());
            let engine = &mut self.engine;
            let confirmed = caught(|| {
                let Some(finding) = found.show(&explored.sites, engine, origin)? else { return Ok(None) };
                let Some(concrete) = concretise(engine, &finding)? else { return Ok(None) };
                confirm(engine, setting, &modes, concrete, &key)
            });
            let confirmed = match confirmed {
                Ok(confirmed) => confirmed,
                Err(fault) => {
                    let remedy = "it was seen, and raddle failed on replaying it; please report this program";
                    self.engine.note(LossKind::Fault, LossSite::Search(key.place()), remedy);
                    self.failed(Some(fault));
                    continue;
                }
            };
            if hurried {
                overtime = overtime.saturating_sub(begun.elapsed());
            }
            let Some(confirmed) = confirmed else {
                let unanswered = budget.exhausted().is_some()
                    || self.engine.ledger.entries().any(|(entry, _)| entry.kind == LossKind::SolverUnknown);
                let remedy = match (unanswered, found.rests_on_unordered_blocks()) {
                    (true, _) => Remedy::Time,
                    (false, true) => "it may be there only because of another race: mend that one first".into(),
                    (false, false) => Remedy::BugReport,
                };
                self.engine.note(LossKind::NotReplayed, LossSite::Search(key.place()), remedy);
                continue;
            };
            let what = (key, found.out_of_turn.clone());
            shown.extend(self.show(setting, what, confirmed, (shape, entry), budget.exhausted().is_some())?);
        }
        self.limited(None);
        Ok(shown)
    }

    /// Adds a finding that was confirmed, as small as it gets unless there is no time left. None if there is nothing to show.
    fn show(
        &mut self,
        setting: &Setting,
        (key, out_of_turn): (FindingKey, Option<OutOfTurn>),
        mut confirmed: Confirmed,
        (shape, entry): (Option<ShapeBasis>, Option<usize>),
        hurried: bool,
    ) -> anyhow::Result<Option<Confirmation>> {
        let mut found = self.present(setting, &confirmed, shape, out_of_turn.as_ref());
        // Of one that another entry has shown, its witness is kept.
        let is_new = found.as_ref().is_some_and(|(finding, _)| self.is_first(finding, entry));
        let minimal = is_new && !hurried;
        if minimal {
            let modes = self.modes();
            confirmed = minimise(&mut self.engine, setting, &modes, confirmed, &key)?;
            found = self.present(setting, &confirmed, shape, out_of_turn.as_ref());
        }
        let Some(found) = found else { return Ok(None) };
        self.add_found(found, entry);
        let visible = self.engine.visible.iter().copied().collect();
        let minimal = minimal && !self.engine.is_interrupted();
        Ok(Some(Confirmation { key, concrete: confirmed.concrete, visible, minimal, out_of_turn }))
    }

    fn add_found(&mut self, (mut finding, witness): (report::Finding, Witness), entry: Option<usize>) {
        finding.entries.extend(entry);
        let program = &self.engine.program;
        if let Some(passed) = private::passed(&program.module, &program.facts, &witness) {
            finding.notes.push(private::hint(&passed));
            finding.passed = passed.into_iter().map(|(parameter, _)| parameter).collect();
        }
        if witness.wakes_spuriously() {
            let text =
                "in this schedule a wait ends without a signal, as POSIX and C11 allow; --spurious 0 leaves that out";
            finding.notes.push(report::Note { text: text.to_owned(), location: None });
        }
        self.add(finding, witness);
    }

    /// Replays findings that were confirmed in an earlier run. Whether all show again.
    pub(super) fn confirm_again(
        &mut self,
        setting: &Setting,
        findings: &[Confirmation],
        (shape, entry): (Option<ShapeBasis>, Option<usize>),
    ) -> anyhow::Result<bool> {
        let (mut shown, modes) = (Vec::new(), self.modes());
        for Confirmation { key, concrete, visible, minimal, out_of_turn } in findings {
            self.engine.visible = visible.iter().copied().collect();
            let confirmed = confirm(&mut self.engine, setting, &modes, concrete.clone(), key)?;
            let Some(confirmed) = confirmed else { return Ok(false) };
            shown.push(((key.clone(), out_of_turn.clone()), confirmed, *minimal, self.engine.visible.clone()));
        }
        for (what, confirmed, minimal, visible) in shown {
            self.engine.visible = visible;
            if !minimal {
                self.show(setting, what, confirmed, (shape, entry), self.time.budget.exhausted().is_some())?;
            } else if let Some(found) = self.present(setting, &confirmed, shape, what.1.as_ref()) {
                self.add_found(found, entry);
            }
        }
        Ok(true)
    }

    /// How findings are replayed. A concrete run may come to choices that were implied in the search, and counts its loops
    /// otherwise; where it ends is in its schedule.
    pub(super) fn modes(&self) -> Modes {
        let shown = Config { forget: Forget::None, dates: false, unfolding: false, ..self.parameters.together() };
        let together = Config { unroll: UNBOUNDED, ..shown };
        Modes { together, alone: Config { dates: false, ..self.parameters.alone() } }
    }

    /// A run as it is written down and shown.
    fn present(
        &mut self,
        setting: &Setting,
        run: &Confirmed,
        shape: Option<ShapeBasis>,
        out_of_turn: Option<&OutOfTurn>,
    ) -> Option<(report::Finding, Witness)> {
        let spurious = self.parameters.spurious;
        let mut witness = witness::witness(&mut self.engine, setting, run, self.files.program_ref.clone(), spurious);
        if let Some((whole, part)) = &self.whole {
            let number = |&site: &u32| part.site_in(whole, Site::new(site as usize)).map(|site| site.index() as u32);
            witness.visible = witness.visible.iter().filter_map(number).collect();
        }
        let mut finding = present::finding(&witness, shape)?;
        finding.out_of_turn = match &setting.entry {
            Threads::Library(calls) => {
                let names: Vec<String> = calls.iter().map(Sequence::name).collect();
                out_of_turn.and_then(|order| in_words(order, &names))
            }
            Threads::Main(_) | Threads::Launch(_) => None,
        };
        Some((finding, witness))
    }

    /// When all that was found so far has to be written down, for that to be done within the limit.
    pub(super) fn time_to_write(&self) -> Option<Instant> {
        let writing = TO_WRITE.saturating_mul(u32::try_from(self.found.confirmed.len()).unwrap_or(u32::MAX));
        self.time.limits.deadline.map(|end| end.checked_sub(writing).unwrap_or(end))
    }

    /// Whatever else comes, it ends in time for that.
    pub(super) fn leave_time_to_write(&mut self) {
        self.time.budget.deadline = self.time.budget.deadline.into_iter().chain(self.time_to_write()).min();
    }

    /// Whether no entry of the matrix before this one has shown the finding; one that careful callers see comes before others.
    fn is_first(&self, finding: &report::Finding, entry: Option<usize>) -> bool {
        let Some(&known) = self.found.known.get(&Identity::of(finding)) else { return true };
        // What a client has shown is not shown on heaps that perhaps none builds.
        if self.found.confirmed[known].0.client.is_some() {
            return false;
        }
        let shown = &self.found.confirmed[known].0;
        if shown.out_of_turn.is_some() != finding.out_of_turn.is_some() {
            return shown.out_of_turn.is_some();
        }
        let shown_by = shown.entries.first().copied();
        shown_by.is_some_and(|shown_by| entry.is_some_and(|entry| entry < shown_by))
    }

    /// Adds a finding. Of one that several entries of the matrix show, it is that of the first, whichever was explored first.
    pub(super) fn add(&mut self, finding: report::Finding, witness: Witness) {
        let is_first = self.is_first(&finding, finding.entries.first().copied());
        match self.found.known.entry(Identity::of(&finding)) {
            Entry::Occupied(known) => {
                let known = &mut self.found.confirmed[*known.get()];
                let mut entries = std::mem::take(&mut known.0.entries);
                entries.extend(&finding.entries);
                entries.sort_unstable();
                entries.dedup();
                // One call on a heap that fails after the other says nothing of a heap on which it need not, if that is one that
                // somebody builds: a count of users may be anything on others.
                let is_built = known.0.client.is_none() || finding.client.is_some();
                let is_in_turn = known.0.out_of_turn.is_none() || finding.out_of_turn.is_none() && is_built;
                if is_first {
                    *known = (finding, witness);
                }
                if is_in_turn {
                    known.0.out_of_turn = None;
                }
                known.0.entries = entries;
            }
            Entry::Vacant(new) => {
                new.insert(self.found.confirmed.len());
                self.found.confirmed.push((finding, witness));
                self.leave_time_to_write();
            }
        }
    }
}

/// A finding's order with names.
pub(super) fn in_words(order: &OutOfTurn, calls: &[String]) -> Option<report::OutOfTurn> {
    let name = |thread: usize| calls.get(thread).cloned();
    Some(report::OutOfTurn {
        first: name(order.first)?,
        then: name(order.then)?,
        fails: order.fails.in_words(),
        ends: order.ends,
    })
}

/// File, line, column.
type Position = (String, u32, u32);

/// What tells a finding apart from others in a report.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Identity {
    kind: report::FindingKind,
    sides: Vec<(Position, report::AccessKind)>,
    /// Of a failure that is no race.
    place: Option<Position>,
    blocked: Vec<Position>,
    class: Option<&'static str>,
}

impl Identity {
    fn of(finding: &report::Finding) -> Self {
        let position = |location: &report::Location| (location.file.clone(), location.line, location.column);
        let mut sides: Vec<_> = finding.accesses.iter().map(|a| (position(&a.location), a.access)).collect();
        sides.sort();
        let mut blocked: Vec<_> = finding.blocked.iter().map(|b| position(&b.location)).collect();
        blocked.sort();
        let place = sides.is_empty().then(|| position(&finding.location));
        Identity { kind: finding.kind, sides, place, blocked, class: finding.class }
    }
}
