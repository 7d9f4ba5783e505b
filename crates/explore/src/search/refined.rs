//! Whether threads can come to their ends on those heaps of an initial state on which something was found.
//!
//! An initial state stands for many heaps: what the threads have not asked for alone is open. Together they decide more of it, in one
//! execution so and in another otherwise. So that all can end on one of these heaps says nothing of the others, and what is
//! found on a heap on which they cannot does not count (docs/semantics.md, "A race counts only ...").
//!
//! A *refinement* of an initial state is what an execution decided of it: targets of its pointers, and what holds of its
//! numbers. Whether threads can end is looked for once for each, in a search that begins there.

use crate::budget::meter::{Live, Meter};
use crate::initial::predicate::rewound;
use crate::search::{Merit, Search, Seen, Sighted};
use crate::strategy::node::Left;
use crate::strategy::visited::Visited;
use crate::{Budget, FindingKey, JointOptions, Schedules, Until};
use machine::{Engine, EngineError, State};
use memory::{Binding, Fingerprint, InitialContent};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::TermId;
use std::collections::BTreeMap;

/// Steps for which it is looked whether threads can end, in a search for one race.
const STEPS: u64 = 3_000;

/// Findings on refinements that are put off until it is known whether they count. Of more, some are settled.
const MOST_PENDING: usize = 256;

/// What was found on refinements of an initial state of which it is not known yet whether they count.
#[derive(Debug, Default)]
pub(crate) struct Refined {
    pending: BTreeMap<FindingKey, Vec<Pending>>,
    count: usize,
    /// Whether threads can come to their ends there, and without waking up spuriously.
    known: FxHashMap<Fingerprint, Ends>,
    /// There was no time to settle some.
    cut_short: bool,
}

#[derive(Debug)]
struct Pending {
    rank: Merit,
    refinement: Fingerprint,
    sighted: Sighted,
}

/// How threads can end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ends {
    completes: bool,
    /// Looked for only where a finding waits for a signal.
    ends: Option<bool>,
}

/// What an execution decided of an initial state besides; none if nothing.
pub(crate) fn refinement(engine: &Engine, initial: &State, state: &State) -> Option<Fingerprint> {
    let shape = |of: &State| of.memory.shape().pointers().map(|(_, pointer)| pointer.decision).collect::<Vec<_>>();
    let conditions = conditions(engine, initial, state);
    let (before, now) = (shape(initial), shape(state));
    // Pointers that are met later come behind the others.
    let met = before.iter().copied().chain(std::iter::repeat(Binding::Open));
    let decided_more = now.iter().copied().zip(met).any(|(now, before)| now != before);
    (decided_more || !conditions.is_empty()).then(|| Fingerprint::of((now, conditions)))
}

/// What holds of numbers that were there from the beginning, besides what did then. What the environment answered on the way is
/// none of it: it may answer otherwise.
fn conditions(engine: &Engine, initial: &State, state: &State) -> Vec<TermId> {
    let before: FxHashSet<TermId> = initial.path.terms().iter().copied().collect();
    let mut known: FxHashSet<u32> = FxHashSet::default();
    let mut knows = |term: TermId| known.extend(engine.terms.vars(term));
    initial.path.terms().iter().for_each(|&term| knows(term));
    initial.inputs.iter().flat_map(|input| &input.symbols).for_each(|&symbol| knows(symbol));
    for (_, cell) in state.memory.shape().cells() {
        if let InitialContent::Symbol(symbol) = cell.content {
            knows(symbol);
        }
    }
    // A kernel's arguments have not been asked for before it runs.
    let is_launch = state.launch().is_some();
    let is_of_start =
        |term: &TermId| is_launch || engine.terms.vars(*term).iter().all(|variable| known.contains(variable));
    state.path.terms().iter().copied().filter(|term| !before.contains(term)).filter(is_of_start).collect()
}

/// The initial state with what an execution decided of it.
pub(crate) fn refined(engine: &Engine, initial: &State, state: &State) -> State {
    let mut start = rewound(state, initial);
    start.path = initial.path.clone();
    conditions(engine, initial, state).into_iter().for_each(|term| start.path.assume(term));
    start
}

impl Refined {
    /// Puts a finding on a refinement off, or gives it back if it is known to count.
    pub(super) fn put_off(
        &mut self,
        key: &FindingKey,
        refinement: Fingerprint,
        rank: Merit,
        sighted: Sighted,
    ) -> Option<Sighted> {
        if let Some(ends) = self.known.get(&refinement) {
            let waits = sighted.waits_for_signal();
            if !ends.completes || waits && ends.ends == Some(false) {
                return None;
            }
            if !waits || ends.ends == Some(true) {
                return Some(sighted);
            }
        }
        let all = self.pending.entry(key.clone()).or_default();
        match all.iter_mut().find(|pending| pending.refinement == refinement) {
            Some(same) if same.rank <= rank => {}
            Some(same) => *same = Pending { rank, refinement, sighted },
            None => {
                all.push(Pending { rank, refinement, sighted });
                self.count += 1;
            }
        }
        None
    }

    pub(super) fn are_many(&self) -> bool {
        self.count >= MOST_PENDING
    }

    pub(super) fn are_some(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether something of this kind was put off.
    pub(super) fn has(&self, key: &FindingKey) -> bool {
        self.pending.contains_key(key)
    }
}

impl Search<'_, '_> {
    /// Settles what was put off: of each kind, the finding that is easiest to replay of those that count. False if there was no
    /// time for that.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn settle(&mut self, engine: &mut Engine) -> Result<bool, EngineError> {
        self.refined.count = 0;
        if self.refined.cut_short {
            return Ok(false);
        }
        for (key, mut all) in std::mem::take(&mut self.refined.pending) {
            all.sort_by_key(|pending| pending.rank);
            for Pending { rank, refinement, sighted } in all {
                if self.has_as_good(engine, &key, rank) {
                    break;
                }
                match self.counts(engine, refinement, &sighted)? {
                    Some(true) => {
                        self.meter.found(&key);
                        self.seen.findings.insert(key.clone(), sighted);
                    }
                    Some(false) => {}
                    None => {
                        self.refined.cut_short = true;
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether a finding on a refinement counts; none if there was no time to look.
    fn counts(
        &mut self,
        engine: &mut Engine,
        refinement: Fingerprint,
        sighted: &Sighted,
    ) -> Result<Option<bool>, EngineError> {
        let mut ends = self.refined.known.get(&refinement).copied();
        if ends.is_none() {
            let Some(completes) = self.can(engine, Until::Completed, &sighted.state)? else { return Ok(None) };
            ends = Some(Ends { completes, ends: None });
        }
        let mut ends = ends.unwrap_or_default();
        if ends.completes && sighted.waits_for_signal() && ends.ends.is_none() {
            let Some(found) = self.can(engine, Until::Ended, &sighted.state)? else { return Ok(None) };
            ends.ends = Some(found);
        }
        self.refined.known.insert(refinement, ends);
        Ok(Some(ends.completes && (!sighted.waits_for_signal() || ends.ends == Some(true))))
    }

    /// Whether threads can come to their ends on the heaps on which they came to this state.
    fn can(&mut self, engine: &mut Engine, until: Until, state: &State) -> Result<Option<bool>, EngineError> {
        let start = refined(engine, &self.initial, state);
        let options = JointOptions { schedules: Schedules::All, until, failures: false, ..self.options };
        let live = Live::default();
        let mut meter = self.meter.apart(&live, self.toward.as_ref().map(|_| STEPS));
        // What is lost here is lost where all heaps are explored, too.
        let (ledger, statistics) = (std::mem::take(&mut engine.ledger), engine.statistics);
        let sightings = std::mem::take(&mut engine.sightings);
        let seen = reaches(engine, &start, options, &mut meter);
        (engine.ledger, engine.statistics, engine.sightings) = (ledger, statistics, sightings);
        let Seen { completed, ended, .. } = seen?;
        let reached = if until == Until::Ended { ended } else { completed };
        Ok((reached || meter.stopped().is_none()).then_some(reached))
    }
}

/// An end of all threads in some schedule, if there is one within so many steps.
///
/// # Errors
/// When the engine fails.
pub(crate) fn some_end(engine: &mut Engine, start: &State, steps: u64) -> Result<Option<State>, EngineError> {
    let until = Until::Completed;
    let options = JointOptions { schedules: Schedules::All, until, failures: false, ..JointOptions::default() };
    let (live, budget) = (Live::default(), Budget::default());
    let mut meter = Meter::new(&budget, &live, Some(steps));
    Ok(reaches(engine, start, options, &mut meter)?.end)
}

/// What is seen from a state on, until that is enough.
fn reaches(engine: &mut Engine, start: &State, options: JointOptions, meter: &mut Meter) -> Result<Seen, EngineError> {
    let mut search = Search::new(&engine.program, options, start, Visited::default(), meter);
    search.push(engine, start.clone(), &Left::all())?;
    search.run(engine)?;
    Ok(search.seen)
}
