//! A race that is known from elsewhere, looked for where threads begin otherwise.

use crate::model::Origin;
use crate::races::directed::{Directed, directed};
use crate::search::toward::Goal;
use crate::{Budget, Finding, FindingKey, FindingKind, JointOptions};
use concurrency::Site;
use machine::{Engine, EngineError, State};
use serde::Serialize;
use std::sync::Arc;

/// Steps of a client's program.
const PROGRAM_STEPS: u64 = 20_000;

/// Instructions whose accesses threads are interleaved at.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WantedSites {
    /// At the two positions of the race: threads are held back there.
    pub racing: Vec<Site>,
    /// Others, without which it may not come to the race.
    pub other: Vec<Site>,
}

impl WantedSites {
    fn visible(&self) -> impl Iterator<Item = Site> + '_ {
        self.racing.iter().chain(&self.other).copied()
    }
}

/// Looks for a finding of a whole program: for a race, in two threads that are held back at the sites.
///
/// # Errors
/// When the engine fails.
pub fn seek(
    engine: &mut Engine,
    origin: &Origin,
    key: &FindingKey,
    sites: &WantedSites,
    budget: &Budget,
) -> Result<Option<Finding>, EngineError> {
    let (shown, _) = engine.with_config(origin.together(), |engine| {
        let (state, _) = origin.base_state(engine);
        toward(engine, state, key, sites, (PROGRAM_STEPS, budget))
    })?;
    let visible = Arc::new(sites.visible().collect());
    Ok(shown.map(|(kind, state)| Finding { kind, state, whole: None, visible }))
}

/// Runs threads toward a finding: what is looked for, and the state in which it shows, if that is seen within so many steps; whether that was enough for
/// everything.
///
/// # Errors
/// When the engine fails.
pub fn toward(
    engine: &mut Engine,
    start: State,
    key: &FindingKey,
    sites: &WantedSites,
    (steps, budget): (u64, &Budget),
) -> Result<(Option<(FindingKind, State)>, bool), EngineError> {
    let goal = Goal { key: key.clone(), sites: sites.racing.clone() };
    let seen = engine.with_visible(sites.visible().collect(), |engine| {
        let failures = key.sides().is_none();
        directed(engine, &start, &goal, JointOptions { failures, ..JointOptions::default() }, (steps, budget))
    });
    engine.sightings.clear();
    let Directed { mut findings, all, .. } = seen?;
    Ok((findings.remove(key).map(|sighted| (sighted.kind, sighted.state)), all))
}
