//! The race fixpoint.
//!
//! Exploring at synchronisation is enough until a race is found: up to its first race an execution is equivalent to one
//! that switches threads only there. A race makes the sites of both accesses visible, and everything is explored again,
//! until no race is seen at a site that was invisible. Then every access that is still invisible is ordered with all
//! that it conflicts with, in every explored execution, and hence (by induction over the first access that is not) in
//! every execution.

use crate::budget::fault::caught;
use crate::budget::spent::Spent;
use crate::findings::{Found, Position};
use crate::initial::alone::AloneSummary;
use crate::model::Origin;
use crate::parallel::checkpoint::{Paused, Unfinished};
use crate::parallel::earlier::Earlier;
use crate::parallel::gathered::Round;
use crate::parallel::pool::{Workers, round};
use crate::parallel::remaining::Remaining;
use crate::races::apart::Next;
use crate::races::guided::guided;
use crate::{Budget, Counts, Exhausted, FindingKey, Guided, JointOptions, Likely, Progress};
use concurrency::{AccessKind, Site};
use machine::{EngineError, FaultKind, Ledger, LedgerEntry, LossKind, LossSite, Remedy};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What an exploration found and covered: what the report says of it, and what is stored of it, field by field.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Exploration {
    pub findings: FxHashMap<FindingKey, Found>,
    /// The sites that were visible in the last round; in earlier ones, the first of them were.
    pub sites: Vec<Site>,
    /// Of the last round, in which all sites of races were visible.
    pub counts: Counts,
    /// Which executions were left out, because others stand for them.
    #[serde(default)]
    pub reduction: Option<String>,
    /// What ran out before the search was complete.
    pub exhausted: Option<Exhausted>,
    /// Initial states from which all threads can come to their ends, and the others.
    pub completing: u64,
    pub others: u64,
    /// What the first operation does by itself.
    pub first_alone: AloneSummary,
    /// Initial states on which the operations fail one after the other as well: only races were looked for there.
    pub races_only: u64,
    /// Initial states from which in every order a call gives back a lock of its caller's that the caller has not: no client calls them so.
    pub unlocked: u64,
    /// Initial states from which calls wait for a signal that none of them gives, as they do one after the other: that is no finding.
    pub unwoken: u64,
    /// Of the last round.
    pub ledger: Ledger,
    /// Of all rounds.
    pub spent: Spent,
    /// What the guided search before them did.
    pub guided: Option<Guided>,
    /// How to go on, where something ran out.
    #[serde(skip)]
    pub paused: Option<Box<Paused<'static>>>,
    /// How far the last round has come.
    #[serde(skip)]
    pub remaining: Remaining,
}

/// Explores all initial states, round and round, until one made no other site visible; what was `paused`, from there on.
///
/// # Errors
/// When an engine fails.
pub fn explore(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
    what: &str,
    paused: Paused<'static>,
) -> Result<Exploration, EngineError> {
    let (explored, fault) = explore_until_fault(workers, origin, options, budget, progress, what, paused);
    fault.map_or(Ok(explored), Err)
}

/// As [`explore`], but where an engine fails, with what was found until then, and what failed.
pub fn explore_until_fault(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
    what: &str,
    paused: Paused<'static>,
) -> (Exploration, Option<EngineError>) {
    let is_apart = budget.apart && paused.next(origin, options) != Next::Nothing;
    let (mut earlier, mut unfinished) = (paused.earlier.into_owned(), paused.unfinished);
    if is_apart {
        let so_far = unfinished.gathered.clone().into_owned().into_round(options);
        return (cut_short(earlier, so_far, Exhausted::Apart, unfinished, what), None);
    }
    if origin.is_guided(options) && earlier.guided.is_none() && unfinished.is_whole() {
        let before = earlier.clone();
        let search = || guided(&mut (workers.new_engine)(origin.program())?, origin, options, budget, before);
        match caught(search) {
            Ok(guided) => earlier = guided,
            Err(fault) => {
                return (cut_short(earlier, Round::default(), Exhausted::Fault, unfinished, what), Some(fault));
            }
        }
        budget.note_found(earlier.found.keys());
        let is_enough = |exhausted: &Exhausted| earlier.guided.is_none() || *exhausted == Exhausted::Enough;
        if let Some(exhausted) = budget.exhausted().filter(is_enough) {
            // It begins anew, so nothing after it has begun.
            return (cut_short(earlier, Round::default(), exhausted, unfinished, what), None);
        }
    }
    if options.likely == Likely::Only && earlier.guided.is_some() {
        let mut explored = over(&earlier, Round::default());
        explored.first_alone.cut_short = true;
        let site = LossSite::Search(what.to_owned());
        explored.ledger.note(LedgerEntry { kind: LossKind::GuidedOnly, site, remedy: Remedy::CompleteSearch });
        return (explored, None);
    }
    loop {
        let (round, left, fault) = round(workers, origin, options, &earlier, unfinished, budget, progress);
        if let Some((exhausted, left)) = left {
            return (cut_short(earlier, round, exhausted, left, what), fault);
        }
        if earlier.sees_all(&round) {
            let mut explored = over(&earlier, round);
            if let Some((kind, remedy)) = options.schedules.loss() {
                explored.ledger.note(LedgerEntry { kind, site: LossSite::Search(what.to_owned()), remedy });
            }
            return (explored, None);
        }
        earlier.before_next(round);
        unfinished = Unfinished::default();
    }
}

/// What came of it up to now, and what is left.
fn cut_short(
    earlier: Earlier,
    mut last: Round,
    exhausted: Exhausted,
    left: Unfinished<'static>,
    what: &str,
) -> Exploration {
    last.first_alone.cut_short = true;
    let (weight, another_round) = (left.weight(), !earlier.sees_all(&last));
    let mut explored = over(&earlier, last);
    let (kind, remedy) = exhausted.loss();
    explored.ledger.note(LedgerEntry { kind, site: LossSite::Search(what.to_owned()), remedy });
    explored.exhausted = Some(exhausted);
    explored.remaining = Remaining { weight, another_round, ..explored.remaining };
    explored.paused = Some(Box::new(Paused { earlier: Cow::Owned(earlier), unfinished: left }));
    explored
}

/// Leaves out races with the end of a variable where the same line is found to access it after the end.
fn leave_out_ends(findings: &mut FxHashMap<FindingKey, Found>) {
    let line = |position: &Position| (position.file.clone(), position.line);
    let after_end = |key: &FindingKey| match key {
        FindingKey::Fault(FaultKind::UseAfterFree, at) => Some(line(at)),
        _ => None,
    };
    let shown: BTreeSet<(String, u32)> = findings.keys().filter_map(after_end).collect();
    findings.retain(|key, found| match key {
        FindingKey::Race(sides) | FindingKey::GpuRace(_, sides) if found.with_end => {
            let mut others = sides.iter().filter(|(_, kind, _)| *kind != AccessKind::Free);
            !others.any(|(at, ..)| shown.contains(&line(at)))
        }
        _ => true,
    });
}

/// What came of it if this round is the last.
fn over(earlier: &Earlier, last: Round) -> Exploration {
    let Round {
        tasks,
        counts,
        reduction,
        mut findings,
        completing,
        others,
        first_alone,
        races_only,
        unlocked,
        unwoken,
        ledger,
        mut spent,
        ..
    } = last;
    for (key, found) in &earlier.found {
        findings.entry(key.clone()).and_modify(|known| known.rest_on_less(found)).or_insert_with(|| found.clone());
    }
    leave_out_ends(&mut findings);
    spent += earlier.spent.clone();
    let (sites, exhausted, paused, guided) = (earlier.sites.clone(), None, None, earlier.guided.clone());
    let remaining = Remaining { executions: counts.executions, tasks, ..Remaining::default() };
    Exploration {
        findings,
        sites,
        counts,
        reduction,
        exhausted,
        completing,
        others,
        first_alone,
        races_only,
        unlocked,
        unwoken,
        ledger,
        spent,
        guided,
        paused,
        remaining,
    }
}
