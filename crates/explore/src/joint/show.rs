//! Going to a finding once more.

use crate::alone::starts::HeapStarts;
use crate::findings::Found;
use crate::joint::directed::{Goal, directed};
use crate::meter::{Live, Meter};
use crate::origin::Origin;
use crate::tree::follow::{follow, follow_scheduled, quietly};
use crate::{Budget, Finding, FindingKind, JointOptions, hang_named, runnable, stuck};
use concurrency::Site;
use machine::{Config, Engine, EngineError, PathEnd, State, Stop};
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
        let config = std::mem::replace(&mut engine.config, origin.together());
        let shown = quietly(engine, |engine| {
            let (live, budget) = (Live::default(), Budget::default());
            let mut meter = Meter::new(&budget, &live, None);
            let start = HeapStarts::new(engine, origin).start_at(engine, &self.leaves, &mut meter)?.state;
            match self.unordered {
                Some(sites) => self.find(engine, start, sites),
                None => self.show_from(engine, start),
            }
        });
        engine.config = config;
        Ok(shown?.map(|(kind, state)| Finding { kind, state, visible: Arc::new(visible) }))
    }

    /// Whether it shows where sections of one lock are ordered as they come.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn shows_in_order(&self, engine: &mut Engine, start: &State) -> Result<bool, EngineError> {
        let config = engine.config;
        engine.config = Config { fuse: false, ..config };
        let shown = quietly(engine, |engine| self.show_from(engine, start.clone()));
        engine.config = config;
        Ok(shown?.is_some())
    }

    /// Follows its way from the initial state, and looks whether it shows.
    fn show_from(&self, engine: &mut Engine, start: State) -> Result<Option<(FindingKind, State)>, EngineError> {
        let mut state = start;
        let mut scheduled = None;
        engine.sightings.clear();
        if self.bounded {
            scheduled = follow_scheduled(engine, &mut state, &self.prefix.turns()?)?;
        } else {
            follow(engine, &mut state, &self.prefix.turns()?)?;
        }
        // What is accessed in a section is told at its end, and its way may have gone on by then.
        let mut races = std::mem::take(&mut engine.sightings).into_iter().map(FindingKind::Race);
        if let Some(kind) = races.find(|kind| kind.key(&engine.program) == self.key) {
            return Ok(Some((kind, state)));
        }
        while let Some(thread) = scheduled.take().or_else(|| runnable(engine, &mut state)) {
            let stop = engine.run(&mut state, thread);
            let races = std::mem::take(&mut engine.sightings).into_iter().map(FindingKind::Race);
            let fault = match &stop {
                Stop::End(PathEnd::Fault(fault)) | Stop::Wrong(fault) => Some(FindingKind::Fault(fault.clone())),
                _ => None,
            };
            let wanted = races.chain(fault).find(|kind| kind.key(&engine.program) == self.key);
            if let Some(kind) = wanted {
                return Ok(Some((kind, state)));
            }
            match stop {
                Stop::Failed(error) => return Err(error),
                Stop::Choice(_) | Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible) => return Ok(None),
                // It would go on as it did.
                Stop::End(PathEnd::Repeats { .. }) => break,
                Stop::Visible(_)
                | Stop::Wrong(_)
                | Stop::ThreadEnded
                | Stop::CallEnded
                | Stop::End(_)
                | Stop::Interrupted => {}
            }
        }
        let program = Arc::clone(&engine.program);
        let wanted = |kind: &FindingKind| kind.key(&program) == self.key;
        let kind = Some(FindingKind::Deadlock(stuck(&program, &state))).filter(wanted);
        let kind = match kind {
            None => hang_named(engine, &state, &self.key)?,
            kind => kind,
        };
        Ok(kind.map(|kind| (kind, state)))
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
