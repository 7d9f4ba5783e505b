//! Numbers that no test passes, for calls that show no race with those of the tests: any numbers first, as inputs, and then those of a race as
//! they stand in its witness.
//!
//! With numbers of raddle's own a call may be one that nobody makes: a length beyond its buffer. Such a client counts only if its two calls
//! go well one after the other, in both orders.

use super::Synthesis;
use super::attempt::{Explorer, Reach, Wanted};
use super::in_parallel;
use crate::run::Run;
use std::collections::BTreeSet;
use std::path::Path;
use synth::numbers::{Numbers, number_named};
use synth::plan::{PairPlan, Planned, Planner};
use witness::Witness;

/// Clients of two functions whose numbers are left open, until one shows a race.
const OPEN: usize = 8;

/// A client whose numbers are open, and what it is made of.
struct Opened<'p> {
    index: usize,
    closed: &'p Planned,
    open: Planned,
}

impl Synthesis<'_> {
    /// Clients with numbers of raddle's own, for functions that no client has shown a race of: by pair.
    pub(super) fn with_own_numbers(
        &self,
        (planner, plans): (&Planner, &[PairPlan]),
        run: &Run,
    ) -> anyhow::Result<Vec<(usize, Planned)>> {
        let explorer = self.workshop.explorer;
        let scratch = tempfile::tempdir()?;
        let is_open = |index: &usize| !self.has_races(*index) && !plans[*index].candidates.is_empty();
        let pairs: Vec<usize> = (0..plans.len()).filter(is_open).collect();
        let mut found: Vec<(usize, Planned)> = Vec::new();
        let workers = run.workers.get();
        for round in 0..OPEN {
            let is_left = |index: &usize| !found.iter().any(|(other, _)| other == index);
            let of_round = |&index: &usize| {
                let closed = plans[index].clients.get(round)?;
                Some(Opened { index, closed, open: planner.with_any_numbers(closed)? })
            };
            let chosen: Vec<Opened> = pairs.iter().filter(|index| is_left(index)).filter_map(of_round).collect();
            if chosen.is_empty() || run.budget.stopped().is_some() {
                break;
            }
            let planned: Vec<&Planned> = chosen.iter().map(|opened| &opened.open).collect();
            let folder = scratch.path().join(round.to_string());
            std::fs::create_dir(&folder)?;
            let compiled = explorer.planned(planner, &planned, (&folder, workers))?;
            let numbers = in_parallel(workers, compiled.len(), |number| match &compiled[number] {
                Ok(batched) => {
                    let seen = explorer.explore_in(batched, &BTreeSet::new(), (Reach::Numbers, Wanted::One))?;
                    match seen.races.is_empty() {
                        true => Ok(None),
                        false => explorer.numbers(planned[number], &folder.join(format!("open{number}.c"))),
                    }
                }
                Err(_) => Ok(None),
            });
            let mut closed = Vec::new();
            for (opened, numbers) in chosen.iter().zip(numbers) {
                let one = numbers?.and_then(|numbers| planner.with_numbers(opened.closed, &numbers));
                closed.extend(one.map(|one| (opened.index, one)));
            }
            found.extend(self.that_go_well(planner, closed, (&folder, workers))?);
        }
        Ok(found)
    }

    /// Those of which each call goes well behind the other.
    fn that_go_well(
        &self,
        planner: &Planner,
        found: Vec<(usize, Planned)>,
        place: (&Path, usize),
    ) -> anyhow::Result<Vec<(usize, Planned)>> {
        let explorer = self.workshop.explorer;
        let planned: Vec<&Planned> = found.iter().map(|(_, planned)| planned).collect();
        let compiled = explorer.planned(planner, &planned, place)?;
        let go_well = in_parallel(place.1, compiled.len(), |number| match &compiled[number] {
            Ok(batched) => Ok(!explorer.fails_in_turn(batched)?),
            Err(_) => Ok(false),
        });
        let mut all = Vec::new();
        for (one, goes_well) in found.into_iter().zip(go_well) {
            let goes_well: anyhow::Result<bool> = goes_well;
            all.extend(goes_well?.then_some(one));
        }
        Ok(all)
    }
}

impl Explorer {
    /// The numbers with which a client shows its first race. None if it does not where it stands alone.
    fn numbers(&self, planned: &Planned, file: &Path) -> anyhow::Result<Option<Numbers>> {
        let Ok(explored) = self.explore(&planned.client, "", (file, Reach::Again))? else { return Ok(None) };
        let Some((_, text)) = explored.races.first() else { return Ok(None) };
        let Ok(witness) = Witness::parse(text) else { return Ok(None) };
        let number =
            |bytes: &[u8]| bytes.iter().take(8).rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        let named = witness.inputs.iter().filter_map(|input| Some((number_named(&input.name)?, number(&input.bytes))));
        Ok(Some(named.collect()))
    }
}
