//! Going to a finding once more.

use crate::alone::starts::HeapStarts;
use crate::findings::Found;
use crate::meter::{Live, Meter};
use crate::origin::Origin;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::follow::{follow, follow_scheduled, quietly};
use crate::search::directed::{Goal, directed};
use crate::{Budget, Finding, FindingKey, FindingKind, JointOptions, hang_named, runnable, stuck};
use concurrency::{Site, ThreadId};
use machine::{Choice, Config, Decision, Engine, EngineError, PathEnd, State, Stop};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
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
        engine.sightings.clear();
        let mut scheduled = None;
        if self.bounded {
            scheduled = follow_scheduled(engine, &mut state, &self.prefix.turns()?)?;
        } else {
            follow(engine, &mut state, &self.prefix.turns()?)?;
        }
        // What is accessed in a section is told at its end, and its way may have gone on by then.
        if let Some(kind) = race_of(engine, &self.key) {
            return Ok(Some((kind, state)));
        }
        match drive(engine, &mut state, &mut ToFinding { key: &self.key, scheduled })? {
            ShowEnd::Shown(kind) => return Ok(Some((kind, state))),
            ShowEnd::Elsewhere => return Ok(None),
            ShowEnd::Settled => {}
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

/// How the run to a finding ends.
enum ShowEnd {
    Shown(FindingKind),
    /// All threads have come to their next actions.
    Settled,
    /// Where there is nothing to be shown.
    Elsewhere,
}

/// Threads run up to their next actions, unless the finding shows before.
struct ToFinding<'k> {
    key: &'k FindingKey,
    /// Who runs first.
    scheduled: Option<ThreadId>,
}

impl Answers for ToFinding<'_> {
    type End = ShowEnd;

    fn answer(
        &mut self,
        _: &mut Engine,
        _: &State,
        _: ThreadId,
        _: &Choice,
    ) -> Result<ControlFlow<ShowEnd, Decision>, EngineError> {
        Ok(ControlFlow::Break(ShowEnd::Elsewhere))
    }
}

impl Schedule for ToFinding<'_> {
    fn next(&mut self, engine: &mut Engine, state: &mut State) -> Result<ControlFlow<ShowEnd, ThreadId>, EngineError> {
        let next = self.scheduled.take().or_else(|| runnable(engine, state));
        Ok(next.map_or(ControlFlow::Break(ShowEnd::Settled), ControlFlow::Continue))
    }

    fn ran(&mut self, engine: &mut Engine, _: &State, _: ThreadId) -> ControlFlow<ShowEnd> {
        race_of(engine, self.key).map_or(ControlFlow::Continue(()), |race| ControlFlow::Break(ShowEnd::Shown(race)))
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        _: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<ShowEnd>, EngineError> {
        Ok(match stop {
            Stop::End(PathEnd::Fault(fault)) | Stop::Wrong(fault) => {
                let kind = FindingKind::Fault(fault);
                match kind.key(&engine.program) == *self.key {
                    true => ControlFlow::Break(ShowEnd::Shown(kind)),
                    false => ControlFlow::Continue(()),
                }
            }
            Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible) => ControlFlow::Break(ShowEnd::Elsewhere),
            // It would go on as it did.
            Stop::End(PathEnd::Repeats { .. }) => ControlFlow::Break(ShowEnd::Settled),
            _ => ControlFlow::Continue(()),
        })
    }
}

/// The race of this name among those that were seen since the last look.
fn race_of(engine: &mut Engine, key: &FindingKey) -> Option<FindingKind> {
    let mut races = std::mem::take(&mut engine.sightings).into_iter().map(FindingKind::Race);
    races.find(|race| race.key(&engine.program) == *key)
}
