//! Running two operations together on one heap until they race as they are meant to (SSRD, Algorithm 2).

use super::along::HeapGuide;
use crate::Completing;
use crate::budget::meter::{Live, Meter};
use crate::findings::{Found, OutOfTurn};
use crate::initial::states::InitialStates;
use crate::model::Origin;
use crate::parallel::earlier::Earlier;
use crate::races::directed::{Directed, directed};
use crate::run::prefix::{InitialPrefixes, prefix_of};
use crate::search::toward::Goal;
use crate::search::{Search, Sighted};
use crate::strategy::node::Left;
use crate::strategy::visited::Visited;
use crate::{Budget, FindingKey, FindingKind, JointOptions, Until};
use concurrency::Site;
use machine::{Engine, EngineError, State};
use std::rc::Rc;

/// Heaps that are tried where one leaves something open, and steps on the way to them.
const MOST_STARTS: usize = 2;
const START_STEPS: u64 = 2_000;

pub(crate) struct Trial<'a> {
    pub origin: &'a Origin,
    pub options: JointOptions,
    pub budget: &'a Budget,
    /// Of the threads together.
    pub steps: u64,
}

impl Trial<'_> {
    /// Whether the race shows; it is among the earlier findings then.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn run(
        &self,
        engine: &mut Engine,
        along: HeapGuide,
        goal: &Goal,
        earlier: &mut Earlier,
    ) -> Result<bool, EngineError> {
        self.visibly(engine, goal, earlier, |engine, earlier, sites| self.on_heaps(engine, along, goal, earlier, sites))
    }

    /// The same for a whole program.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn in_program(
        &self,
        engine: &mut Engine,
        start: &State,
        goal: &Goal,
        earlier: &mut Earlier,
    ) -> Result<bool, EngineError> {
        self.visibly(engine, goal, earlier, |engine, earlier, sites| {
            let options = JointOptions { keep_outputs: false, ..self.options };
            let Directed { findings, .. } = directed(engine, start, goal, options, (self.steps, self.budget))?;
            if !findings.contains_key(&goal.key) {
                return Ok(false);
            }
            let visible = findings.into_iter().filter(|(_, sighted)| is_visible(engine, sighted));
            let races = visible.map(|(key, sighted)| (key, sighted, None)).collect();
            found(engine, races, &InitialPrefixes::default(), earlier, sites);
            Ok(true)
        })
    }

    /// Where the goal's sites are visible, and those that became so before.
    fn visibly(
        &self,
        engine: &mut Engine,
        goal: &Goal,
        earlier: &mut Earlier,
        run: impl FnOnce(&mut Engine, &mut Earlier, Vec<Site>) -> Result<bool, EngineError>,
    ) -> Result<bool, EngineError> {
        let mut sites = earlier.sites.clone();
        for &site in &goal.sites {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        let visible = sites.iter().copied().collect();
        let confirmed = engine.with_config(self.origin.together(), |engine| {
            engine.with_visible(visible, |engine| run(engine, earlier, sites))
        });
        engine.sightings.clear();
        confirmed
    }

    fn on_heaps(
        &self,
        engine: &mut Engine,
        along: HeapGuide,
        goal: &Goal,
        earlier: &mut Earlier,
        sites: Vec<Site>,
    ) -> Result<bool, EngineError> {
        let live = Live::default();
        let mut meter = Meter::new(self.budget, &live, Some(START_STEPS));
        let mut starts = InitialStates::guided(engine, self.origin, Rc::new(along));
        for _ in 0..MOST_STARTS {
            let Some(start) = starts.next(engine, &mut meter)? else { break };
            let Some(sighted) = self.together(engine, &start.state, goal)? else { continue };
            let mut all = Vec::new();
            for (key, sighted) in sighted {
                let out_of_turn = starts.out_of_turn(engine, &start.state, &sighted.state, &mut meter)?;
                all.push((key, sighted, out_of_turn));
            }
            found(engine, all, starts.leaves(), earlier, sites);
            return Ok(true);
        }
        Ok(false)
    }

    /// Races at the visible sites, if the one that is looked for is among them and the threads can come to their ends.
    fn together(
        &self,
        engine: &mut Engine,
        start: &State,
        goal: &Goal,
    ) -> Result<Option<Vec<(FindingKey, Sighted)>>, EngineError> {
        let options = JointOptions {
            failures: false,
            completing: Completing::Everything,
            keep_outputs: false,
            atomic_blocks: false,
            ..self.options
        };
        let seen = directed(engine, start, goal, options, (self.steps, self.budget))?;
        let Directed { findings, mut completed, .. } = seen;
        if !findings.contains_key(&goal.key) {
            return Ok(None);
        }
        if !completed {
            let live = Live::default();
            let mut meter = Meter::new(self.budget, &live, Some(self.steps));
            let options = JointOptions { until: Until::Completed, ..options };
            let mut search = Search::new(&engine.program, options, start, Visited::default(), &mut meter);
            search.push(engine, start.clone(), &Left::all())?;
            search.run(engine)?;
            completed = search.seen.completed;
        }
        Ok(completed.then(|| findings.into_iter().filter(|(_, sighted)| is_visible(engine, sighted)).collect()))
    }
}

/// Whether it is a race at visible sites.
fn is_visible(engine: &Engine, sighted: &Sighted) -> bool {
    match &sighted.kind {
        FindingKind::Race(race) => {
            engine.visible.contains(&race.earlier.site) && engine.visible.contains(&race.later.site)
        }
        FindingKind::Fault(_) | FindingKind::Deadlock(_) => false,
    }
}

/// Keeps races that were seen where these sites are visible.
fn found(
    engine: &Engine,
    races: Vec<(FindingKey, Sighted, Option<OutOfTurn>)>,
    leaves: &InitialPrefixes,
    earlier: &mut Earlier,
    sites: Vec<Site>,
) {
    for (key, Sighted { state, .. }, out_of_turn) in races {
        let found = Found {
            key: key.clone(),
            waits_for_signal: false,
            keeps_locks: false,
            leaves: leaves.clone(),
            prefix: prefix_of(&state),
            visible: sites.len(),
            bounded: false,
            stuck: state.is_stuck(),
            unordered: None,
            with_end: false,
            depends_on: engine.depends_on(&state).map(|function| function.to_string()),
            out_of_turn,
        };
        earlier.found.entry(key).and_modify(|known| known.rest_on_less(&found)).or_insert(found);
    }
    earlier.sites = sites;
}
