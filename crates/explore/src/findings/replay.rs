//! Going to a finding once more, from the initial state that it was found from.

use crate::findings::deadlock::all_deadlocked;
use crate::findings::hang::hang_named;
use crate::run::driver::{Answers, Schedule, drive};
use crate::run::follow::{follow, follow_scheduled, quietly};
use crate::run::next::runnable;
use crate::{FindingKey, FindingKind, Found};
use concurrency::ThreadId;
use machine::{Choice, Config, Decision, Engine, EngineError, PathEnd, State, Stop};
use std::ops::ControlFlow;
use std::sync::Arc;

impl Found {
    /// Whether it shows where sections of one lock are ordered as they come.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn shows_in_order(&self, engine: &mut Engine, start: &State) -> Result<bool, EngineError> {
        let in_order = Config { atomic_blocks: false, ..engine.config };
        let show = |engine: &mut Engine| quietly(engine, |engine| self.show_from(engine, start.clone()));
        Ok(engine.with_config(in_order, show)?.is_some())
    }

    /// Follows its way from the initial state, and looks whether it shows.
    pub(crate) fn show_from(
        &self,
        engine: &mut Engine,
        start: State,
    ) -> Result<Option<(FindingKind, State)>, EngineError> {
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
        let kind = all_deadlocked(&program, &state).into_iter().map(FindingKind::Deadlock).find(wanted);
        let kind = match kind {
            None => hang_named(engine, &state, &self.key)?,
            kind => kind,
        };
        Ok(kind.map(|kind| (kind, state)))
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
