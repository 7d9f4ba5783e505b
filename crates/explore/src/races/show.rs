//! Going to a finding once more.

use crate::budget::meter::{Live, Meter};
use crate::findings::Found;
use crate::initial::states::InitialStates;
use crate::model::Origin;
use crate::races::directed::directed;
use crate::run::end::end_of;
use crate::run::follow::quietly;
use crate::search::refined::{refined, some_end};
use crate::search::toward::Goal;
use crate::{Budget, Finding, FindingKind, JointOptions};
use concurrency::Site;
use machine::{Engine, EngineError, State};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Steps of the search for an execution in which a race shows that showed where sections were not ordered.
const STEPS: u64 = 1_000_000;

impl Found {
    /// The finding with the state that shows it, in this engine; none if it does not show again. `sites` are those of the
    /// exploration that it comes from.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn show(&self, sites: &[Site], engine: &mut Engine, origin: &Origin) -> Result<Option<Finding>, EngineError> {
        let mut visible: FxHashSet<Site> = sites.iter().take(self.visible).copied().collect();
        visible.extend(self.unordered.into_iter().flatten());
        engine.visible.clone_from(&visible);
        let show = |engine: &mut Engine| {
            let (live, budget) = (Live::default(), Budget::default());
            let mut meter = Meter::new(&budget, &live, None);
            let start = InitialStates::new(engine, origin).start_at(engine, &self.leaves, &mut meter)?.state;
            let shown = match self.unordered {
                Some(sites) => self.find(engine, start.clone(), sites),
                None => self.show_from(engine, start.clone()),
            }?;
            let Some((kind, state)) = shown else { return Ok(None) };
            let whole = match origin {
                Origin::Launch { kernel, .. } if !kernel.on_any_heap => {
                    let start = refined(engine, &start, &state);
                    // Where no simple order of the threads leads to an end, a search does, as it has before.
                    match end_of(engine, &start)? {
                        Some(end) => Some(end),
                        None => some_end(engine, &start, STEPS)?,
                    }
                }
                _ => None,
            };
            Ok(Some((kind, state, whole)))
        };
        let shown = engine.with_config(origin.together(), |engine| quietly(engine, show))?;
        Ok(shown.map(|(kind, state, whole)| Finding { kind, state, whole, visible: Arc::new(visible) }))
    }

    /// Looks for an execution from the initial state in which a race at these sites shows.
    fn find(
        &self,
        engine: &mut Engine,
        start: State,
        sites: [Site; 2],
    ) -> Result<Option<(FindingKind, State)>, EngineError> {
        let goal = Goal { key: self.key.clone(), sites: sites.to_vec() };
        let mut seen = directed(engine, &start, &goal, JointOptions::default(), (STEPS, &Budget::default()))?;
        Ok(seen.findings.remove(&self.key).map(|sighted| (sighted.kind, sighted.state)))
    }
}
