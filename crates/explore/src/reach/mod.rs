//! Reachable shapes: a client that builds a heap by public calls on which a race shows.
//!
//! A client makes what the operations are about ([`library`]), calls operations one after the other, and then lets two
//! threads call the two that race. What calls can build is found by running them on their own, with symbolic arguments,
//! from the program's initial state on ([`routes`]). Heaps that differ in nothing but the values of symbols count as one, and
//! those come first that have as many objects and links as the heap that the race was found on. On each the search runs
//! both operations together, toward the race (SSRD, Algorithm 2).
//!
//! Guarantee: the calls of a client that is found lead to the race in this engine. Not promised: that there is none where
//! none is found.

mod library;
mod routes;
mod size;

pub use library::{Client, ClientArgument, ClientCall, Root};
pub use size::Size;

use crate::joint::{Joint, JointLeft, Toward};
use crate::meter::{Live, Meter};
use crate::origin::Origin;
use crate::{Budget, Finding, FindingKey, FindingKind, JointOptions, Operation};
use concurrency::Site;
use ir::FuncId;
use library::Library;
use machine::{Config, Engine, EngineError, State};
use memory::{Limits, Value};
use routes::{Built, Routes};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct ClientOptions {
    /// Of a client, those that race included.
    pub calls: u32,
    pub limits: Limits,
    /// For operations that run alone.
    pub alone: Config,
    /// For threads that run together.
    pub together: Config,
}

/// A race, and where it was found.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    pub operations: [&'a Operation; 2],
    pub key: FindingKey,
    pub sites: WantedSites,
    /// Of the heap that it shows on.
    pub size: Size,
}

/// Instructions whose accesses threads are interleaved at.
#[derive(Clone, Debug, Default)]
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

/// What came of looking for a client.
#[derive(Clone, PartialEq, Debug)]
pub enum Reached {
    By(Client),
    /// Not on this many heaps. `all`: these are all that can be built by so many calls.
    NotOn {
        heaps: usize,
        all: bool,
    },
    /// What the operations need no public call makes.
    Impossible(String),
}

/// Rounds of looking for one race: how many heaps are tried, the likeliest first, and steps of the threads together on each.
const ROUNDS: [(usize, u64); 3] = [(40, 600), (15, 12_000), (200, 3_000)];

/// Steps of a client's program.
const PROGRAM_STEPS: u64 = 20_000;

/// Looks for clients of one library.
#[derive(Debug)]
pub struct Clients {
    options: ClientOptions,
    /// Functions that a client can call.
    public: Vec<FuncId>,
    /// What calls build, by what the operations are about.
    routes: Vec<(Library, Routes)>,
}

impl Clients {
    /// `public`: the functions that a client can call.
    pub fn new(public: Vec<FuncId>, options: ClientOptions) -> Self {
        Clients { options, public, routes: Vec::new() }
    }

    /// Looks for a client on whose heap a race shows, as long as there is time.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn find(&mut self, engine: &mut Engine, wanted: &Wanted, budget: &Budget) -> Result<Reached, EngineError> {
        let library = match Library::new(&engine.program, &self.public, wanted.operations) {
            Ok(library) => library,
            Err(reason) => return Ok(Reached::Impossible(reason)),
        };
        let at = match self.routes.iter().position(|(known, _)| *known == library) {
            Some(at) => at,
            None => {
                self.routes.push((library.clone(), Routes::new(engine, &library, self.options)));
                self.routes.len() - 1
            }
        };
        engine.visible.clear();
        let options = self.options;
        let mut heaps = 0;
        for (most, steps) in ROUNDS {
            let mut search = Search { engine: &mut *engine, library: &library, wanted, options, budget };
            let round = search.round(&mut self.routes[at].1, most, steps)?;
            heaps = heaps.max(round.tried);
            if let Some(client) = round.client {
                return Ok(Reached::By(client));
            }
            if round.all && !self.routes[at].1.are_ready(&library) {
                return Ok(Reached::Impossible(library.unmade(&engine.program.module)));
            }
            if round.all {
                return Ok(Reached::NotOn { heaps, all: true });
            }
        }
        Ok(Reached::NotOn { heaps, all: false })
    }
}

/// Looking for a client of one race.
struct Search<'a> {
    engine: &'a mut Engine,
    library: &'a Library,
    wanted: &'a Wanted<'a>,
    options: ClientOptions,
    budget: &'a Budget,
}

/// What came of a round.
struct Round {
    client: Option<Client>,
    tried: usize,
    /// There are no other heaps, and on each everything was tried.
    all: bool,
}

impl Search<'_> {
    fn round(&mut self, routes: &mut Routes, most: usize, steps: u64) -> Result<Round, EngineError> {
        let mut tried = FxHashSet::default();
        let mut cut_short = false;
        while tried.len() < most && self.budget.exhausted().is_none() {
            let Some(next) = routes.nearest(self.wanted.size, &tried) else {
                return Ok(Round { client: None, tried: tried.len(), all: routes.is_complete() && !cut_short });
            };
            tried.insert(next);
            if routes.built(next).is_ready(self.library) {
                let (client, all) = self.on_heap(routes.built(next), steps)?;
                cut_short |= !all;
                if client.is_some() {
                    return Ok(Round { client, tried: tried.len(), all: false });
                }
            }
            routes.extend(self.engine, self.library, next, self.options, self.budget)?;
        }
        Ok(Round { client: None, tried: tried.len(), all: false })
    }

    /// Runs the two operations together on a heap that calls have built. The client, if the race shows; whether that was
    /// tried in all ways.
    fn on_heap(&mut self, built: &Built, steps: u64) -> Result<(Option<Client>, bool), EngineError> {
        let Search { engine, library, wanted, options, budget } = self;
        let mut state = built.state.clone();
        let before = state.thread_ids().last();
        let mut threads = Vec::new();
        for (index, operation) in wanted.operations.iter().enumerate() {
            let number = built.calls.len() + index;
            let (call, values) = library.call(engine, &mut state, &built.roots, operation.function, number);
            routes::begin(engine, &mut state, before, operation.function, &values);
            threads.push((call, values));
        }
        state.concurrent = true;
        let config = std::mem::replace(&mut engine.config, options.together);
        let shown = toward(engine, state, &wanted.key, &wanted.sites, (steps, budget));
        engine.config = config;
        let (shown, all) = shown?;
        let Some((_, state)) = shown else { return Ok((None, all)) };
        let solved = engine.solver.model(&mut engine.terms, state.path.terms())?;
        let Some(model) = solved.model() else { return Ok((None, false)) };
        let value = |value: &Value| match *value {
            Value::Int(word) => Some(u128::from(word)),
            Value::Term(term) => Some(engine.terms.eval(term, &model)),
            Value::Ptr(_) | Value::Lazy { .. } | Value::Symbolic { .. } => None,
        };
        let concrete = |(call, values): &(ClientCall, Vec<Value>)| call.with(values.iter().map(value), &built.roots);
        let calls = built.calls.iter().map(concrete).collect();
        let threads = threads.iter().map(concrete).collect();
        Ok((Some(Client { roots: library.roots().to_vec(), calls, threads }), false))
    }
}

/// Looks for a race of a whole program: in two threads that are held back at the sites.
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
    let config = std::mem::replace(&mut engine.config, origin.together());
    let (state, _) = origin.base_state(engine);
    let shown = toward(engine, state, key, sites, (PROGRAM_STEPS, budget));
    engine.config = config;
    let visible = Arc::new(sites.visible().collect());
    Ok(shown?.0.map(|(kind, state)| Finding { kind, state, visible }))
}

/// What is looked for, and the state in which it shows, if that is seen within so many steps; whether that was enough for
/// everything.
fn toward(
    engine: &mut Engine,
    start: State,
    key: &FindingKey,
    sites: &WantedSites,
    (steps, budget): (u64, &Budget),
) -> Result<(Option<(FindingKind, State)>, bool), EngineError> {
    engine.visible = sites.visible().collect();
    let live = Live::default();
    let (mut shown, mut all) = (None, false);
    for reversed in [false, true] {
        let mut meter = Meter::new(budget, &live, Some(steps / 2));
        let mut joint = Joint::new(engine, JointOptions::default(), &mut meter);
        joint.toward = Some(Toward { sites: sites.racing.clone(), key: key.clone(), reversed });
        joint.push(start.clone(), &JointLeft::all())?;
        joint.run()?;
        shown = joint.findings.remove(key).map(|sighted| (sighted.kind, sighted.state));
        all = meter.stopped().is_none();
        if shown.is_some() || all {
            break;
        }
    }
    engine.visible.clear();
    engine.sightings.clear();
    Ok((shown, all))
}
