//! What calls come to together in a changed program: one after the other what they came to before, and at once what they come to in some order.

use super::super::super::Ticker;
use super::super::super::session::Session;
use super::{How, Part, Taking, Trial};
use explore::{Exploration, InTurn, caught, in_turn};
use machine::Program;
use memory::Fingerprint;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The part of the steps that are left that looking at the program as it is may take.
const PART: u64 = 4;

/// What calls that a change concerns come to together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in super::super) enum Together {
    /// Nothing was compared.
    #[default]
    Nothing,
    /// What they come to in some order, and all of that.
    Ordered,
    /// Besides, what they come to without the change as well where nothing races.
    AsBefore,
    /// Whether it is one of these is not known of all.
    Open,
    /// This, which they come to in no order.
    Possible(String),
}

impl Together {
    /// What is said of both.
    pub(super) fn and(self, other: Together) -> Together {
        let rank = |together: &Together| match together {
            Together::Nothing => 0,
            Together::Ordered => 1,
            Together::AsBefore => 2,
            Together::Open => 3,
            Together::Possible(_) => 4,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }

    /// Whether something was found that should not be.
    pub(in super::super) fn is_possible(&self) -> bool {
        matches!(self, Together::Possible(_))
    }
}

impl Trial<'_> {
    /// What the calls of a part that was explored come to; none where they come to something else one after the other than in the program
    /// as it is.
    pub(super) fn together(
        &mut self,
        session: &mut Session,
        (name, part): (String, &Part),
        explored: &Exploration,
        program: &Arc<Program>,
        ticker: &mut Ticker,
    ) -> Option<Together> {
        let now = &explored.counts.results;
        let old = Arc::clone(&session.engine.program);
        let before = match self.in_turn.get(&name) {
            Some(known) => known.clone(),
            None => {
                let found = self.one_after_the_other(session, part, &old);
                self.in_turn.insert(name.clone(), found.clone());
                found
            }
        };
        let is_kept = before.and_then(|before| {
            let after = self.one_after_the_other(session, part, program)?;
            // Where heaps are told apart otherwise, what calls come to there cannot be compared.
            (before.heaps == after.heaps).then(|| before.ends == after.ends)
        });
        if is_kept == Some(false) {
            return None;
        }
        if !now.new.is_empty() {
            let keys: Option<BTreeSet<Fingerprint>> = now.new.iter().map(|(_, key)| *key).collect();
            let known = keys.is_some().then(|| self.of_no_order(session, (name, part), ticker)).flatten();
            let is_new = |key: &Option<Fingerprint>| match (key, &known) {
                (Some(key), Some(known)) => !known.contains(key),
                _ => true,
            };
            if let Some((text, _)) = now.new.iter().find(|(_, key)| is_new(key)) {
                return Some(Together::Possible(text.clone()));
            }
        }
        Some(match (now.open + now.raced, now.same, is_kept) {
            (0, 1.., Some(true)) if now.new.is_empty() => Together::Ordered,
            (0, _, Some(true)) if !now.new.is_empty() => Together::AsBefore,
            (0, 0, _) => Together::Nothing,
            _ => Together::Open,
        })
    }

    /// What a part's calls come to in each order.
    fn one_after_the_other(&mut self, session: &mut Session, part: &Part, program: &Arc<Program>) -> Option<InTurn> {
        let how = How { steps: Some((self.steps_next / PART).max(1)), ..How::default() };
        let taking = self.taking(session, part, program, how)?;
        let Taking { origin, budget, .. } = &taking;
        let new_engine = session.new_engine();
        let found = caught(|| in_turn(&mut new_engine(origin.program())?, origin, budget));
        self.taken(session, &taking);
        found.ok().flatten()
    }

    /// What a part's calls come to at once in the program as it is, where nothing races, that they come to in no order.
    fn of_no_order(
        &mut self,
        session: &mut Session,
        (name, part): (String, &Part),
        ticker: &mut Ticker,
    ) -> Option<BTreeSet<Fingerprint>> {
        if let Some(known) = self.of_no_order.get(&name) {
            return known.clone();
        }
        let program = Arc::clone(&session.engine.program);
        let how = How { compares: true, steps: Some((self.steps_next / PART).max(1)), enough: None };
        let explored = self.explore(session, part, &program, how, ticker)?;
        let new: BTreeSet<Fingerprint> = explored.counts.results.new.iter().filter_map(|(_, key)| *key).collect();
        self.of_no_order.insert(name, Some(new.clone()));
        Some(new)
    }
}
