//! The guided search (SSRD 3.2): finds races of two operations, the likely ones first, without exploring all there is.
//!
//! Each operation's ways are found by themselves ([`unit`]). Accesses of two ways that can meet are a candidate: of one
//! type at one offset, one a write, not both atomic, no lock in common. For each candidate, the heaps of two ways are
//! made one ([`shapes::combine`]) in which the accesses do meet; both operations run alone on it ([`along`]), which shows that it
//! is within the bounds and their preconditions; and there they run together, each held back where it is about to race
//! ([`confirm`], Algorithm 2).
//!
//! A whole program begins as it does; there, candidates come from executions that are watched ([`program`]).
//!
//! Guarantee: what is found is found on heaps and by executions that the complete search explores as well.
//! Not promised: that anything is found.

mod along;
mod candidates;
mod confirm;
mod guarded;
mod likely;
mod paths;
mod program;
#[cfg(test)]
mod tests;

use crate::budget::meter::{Live, Meter};
use crate::budget::spent::Spent;
use crate::model::Origin;
use crate::model::operation::Call;
use crate::parallel::earlier::Earlier;
use crate::{Budget, Guided, JointOptions, Likely};
use candidates::{Attempt, Candidate, Meeting, candidates};
use confirm::Trial;
use guarded::Listing;
use machine::{Config, Engine, EngineError, State};
use paths::{OperationPath, operation_paths};
use shapes::{Infeasible, combine};
use smt::Answer;
use std::time::Instant;

pub use likely::likely_races;

/// Ways of one operation that are looked at, and steps to find them.
const MOST_PATHS: usize = 2_000;
const PATH_STEPS: u64 = 20_000;

/// Pairs of ways that are integrated for one candidate.
const MOST_INTEGRATED: usize = 512;

/// Steps of the threads together for a candidate, in each try that it has, where no prediction says how to come to the race.
/// Of 100,000 such tries on the seeded races of `bench/ssrd`, 93 came to one, so they are short where all is explored next.
const TRIES: [u64; 6] = [200, 300, 600, 1_200, 2_400, 2_400];
const BEFORE_ALL: u64 = 200;

/// What reports call it.
fn name_of(infeasible: Infeasible) -> &'static str {
    match infeasible {
        Infeasible::Null => "null",
        Infeasible::Distinct => "distinct",
        Infeasible::Layout => "layout",
    }
}

/// Steps of the solver for one question.
const QUESTION_STEPS: u32 = 2_000;

/// Searches for races of two operations, or of a whole program, others than were found `earlier`.
///
/// # Errors
/// When the engine fails.
pub(crate) fn guided(
    engine: &mut Engine,
    origin: &Origin,
    options: JointOptions,
    budget: &Budget,
    mut earlier: Earlier,
) -> Result<Earlier, EngineError> {
    let limits = engine.solver.limits();
    // Another candidate is likelier to come to something than a question that lasts.
    engine.solver.set_limits(smt::Limits { steps: Some(QUESTION_STEPS), ..limits });
    let counts = match origin.alone() {
        Some(alone) => {
            engine.config = Config { observe: true, ..alone };
            let base = origin.base_state(engine);
            let counts = Guided::default();
            let mut search = GuidedSearch { engine, origin, options, budget, base, counts, earlier: &mut earlier };
            search.run()?;
            search.counts
        }
        None => program::guided(engine, origin, options, budget, &mut earlier)?,
    };
    engine.solver.set_limits(limits);
    earlier.spent += Spent { statistics: engine.statistics, solver: engine.solver.stats(), ..Spent::default() };
    // One that was cut short begins anew.
    earlier.guided = budget.exhausted().is_none().then_some(counts);
    Ok(earlier)
}

struct GuidedSearch<'a> {
    engine: &'a mut Engine,
    origin: &'a Origin,
    options: JointOptions,
    budget: &'a Budget,
    base: (State, Vec<Vec<Call>>),
    counts: Guided,
    earlier: &'a mut Earlier,
}

impl GuidedSearch<'_> {
    fn run(&mut self) -> Result<(), EngineError> {
        let live = Live::default();
        let (mut ways, mut listing) = (Vec::new(), Listing::default());
        for index in 0..2 {
            let mut meter = Meter::new(self.budget, &live, Some(PATH_STEPS));
            let base = (&self.base.0, &*self.base.1);
            let noted = (&mut meter, &mut listing);
            let mut found = operation_paths(self.engine, self.origin, base, index, MOST_PATHS, noted)?;
            self.counts.more_ways |= found.len() == MOST_PATHS || meter.stopped().is_some();
            found.sort_by_key(OperationPath::weight);
            self.counts.paths += found.len() as u64;
            self.counts.overfull += found.iter().filter(|path| path.is_cut).count() as u64;
            ways.push(found);
        }
        self.counts.guarded = listing.accesses;
        let mut pending = candidates(&self.engine.program, [&ways[0], &ways[1]]);
        self.counts.candidates = pending.len() as u64;
        // All have one try before any has two.
        let most = if self.options.likely == Likely::Only { u64::MAX } else { BEFORE_ALL };
        for steps in TRIES.map(|steps| steps.min(most)) {
            let mut left = Vec::new();
            for mut candidate in pending {
                if self.budget.exhausted().is_some() {
                    return Ok(());
                }
                if !self.earlier.found.contains_key(&candidate.goal.key)
                    && self.try_next(&mut candidate, [&ways[0], &ways[1]], steps)?
                {
                    left.push(candidate);
                }
            }
            pending = left;
        }
        Ok(())
    }

    /// Runs the operations together on the next heap for a candidate. Whether there may be further ones.
    fn try_next(
        &mut self,
        candidate: &mut Candidate,
        ways: [&[OperationPath]; 2],
        steps: u64,
    ) -> Result<bool, EngineError> {
        for attempt in candidate.attempts.by_ref() {
            let Some(along) = self.integrated(&attempt, ways)? else { continue };
            self.counts.tried += 1;
            let confirmation = Trial { origin: self.origin, options: self.options, budget: self.budget, steps };
            if confirmation.run(self.engine, along, &candidate.goal, self.earlier)? {
                self.counts.confirmed += 1;
                self.counts.first_at.get_or_insert_with(Instant::now);
                return Ok(false);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// A heap on which the two ways can be taken and the accesses meet, and what has to hold of its values.
    fn integrated(
        &mut self,
        attempt: &Attempt,
        ways: [&[OperationPath]; 2],
    ) -> Result<Option<along::HeapGuide>, EngineError> {
        let two = [&ways[0][attempt.paths[0]], &ways[1][attempt.paths[1]]];
        let replaced;
        let mut demands = [&two[0].demand, &two[1].demand];
        let meet = match &attempt.meeting {
            Meeting::One(parts) => &**parts,
            &Meeting::Made { by, instead_of, .. } => {
                replaced = demands[1 - by].without(&self.engine.terms, instead_of);
                demands[1 - by] = &replaced;
                &[]
            }
        };
        let program = std::sync::Arc::clone(&self.engine.program);
        let given = self.base.0.memory.shape();
        let heap = match combine((&program.module, &program.facts), given, &demands, meet) {
            Ok(heap) => heap,
            Err(reason) => {
                *self.counts.infeasible.entry(name_of(reason).to_owned()).or_default() += 1;
                return Ok(None);
            }
        };
        if attempt.is_excluded(&heap) {
            *self.counts.infeasible.entry("lock".to_owned()).or_default() += 1;
            return Ok(None);
        }
        let mut conditions = demands[0].conditions.clone();
        conditions.extend(demands[1].conditions.iter().filter(|term| !demands[0].conditions.contains(term)));
        conditions.extend(heap.equal.iter().map(|&(x, y)| self.engine.terms.eq(x, y)));
        let reason = match self.engine.solver.model(&mut self.engine.terms, &conditions)? {
            Answer::Sat(_) => None,
            Answer::Unsat => Some("values"),
            Answer::Unknown(_) => Some("unknown"),
        };
        if let Some(reason) = reason {
            *self.counts.infeasible.entry(reason.to_owned()).or_default() += 1;
            return Ok(None);
        }
        if heap.is_union() {
            self.counts.unions += 1;
        } else {
            self.counts.adjusted += 1;
            self.counts.adjustments += heap.adjustments;
        }
        Ok(Some(along::HeapGuide { heap, conditions }))
    }
}
