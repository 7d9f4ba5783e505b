//! Reachable shapes: a client that builds a heap by public calls on which a race shows.
//!
//! A client makes what the operations are about ([`library`]), calls operations one after the other, and then lets two
//! threads call the two that race. What calls can build is found by running them on their own, with symbolic arguments,
//! from the program's initial state on ([`routes`]). Of heaps that differ in nothing but the values of symbols two are kept, and
//! those come first that are most like the heap that the race was found on ([`example`]). On each the search runs both
//! operations together, toward the race (SSRD, Algorithm 2): with the values that it was found with, where the heap allows
//! them, and with any.
//!
//! Guarantee: the calls of a client that is found lead to the race in this engine. Not promised: that there is none where
//! none is found.

mod alike;
mod example;
mod library;
mod reach;
mod roles;
mod routes;
mod uses;

pub use example::{Example, ExampleObject, ExampleValue};
pub use explore::{Client, ClientArgument, ClientCall, Root};
pub use reach::{Failures, Interface, Reach, ReachOptions, SequentialFailure, SequentialKind};
pub use roles::{Role, RoleKind, Roles, Subject, only_sets};

use explore::{Budget, FindingKey, Operation, STACK, WantedSites, Workers, toward, with_numbers};
use ir::FuncId;
use library::Library;
use machine::{Config, Engine, EngineError, Program};
use memory::Limits;
use routes::{Built, Routes};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// How far to look.
#[derive(Clone, Copy, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
pub struct Wanted {
    pub operations: [Operation; 2],
    pub key: FindingKey,
    pub sites: WantedSites,
    /// What it shows on.
    pub example: Example,
}

/// What came of looking for a client.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
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

/// Calls that a difference from the example counts for, where heaps are chosen.
const DIFFERENCE: usize = 2;

/// For one query: what takes longer counts as possible until the client's values are asked for.
const QUERY: Duration = Duration::from_secs(2);

/// Looks for clients on whose heaps these races show, as long as there is time, each on one worker. `public`: the functions
/// of the program that a client can call. `done` hears what came of each, in an order that is the same for any number of workers.
///
/// # Errors
/// When an engine fails, or `done` does.
pub fn find_clients<E: From<EngineError>>(
    workers: Workers,
    (program, public): (&Arc<Program>, &[FuncId]),
    options: ClientOptions,
    wanted: &[Wanted],
    budget: &Budget,
    mut done: impl FnMut(usize, Reached) -> Result<(), E>,
) -> Result<(), E> {
    let clients = Clients { workers, program, public, options, budget };
    let mut open: Vec<Hunt> = wanted.iter().enumerate().map(Hunt::new).collect();
    // All have one round before any has two.
    while !open.is_empty() {
        open = clients.round_of_all(&open, &mut done)?;
    }
    Ok(())
}

/// How far the search for a client of one race is.
#[derive(Clone)]
struct Hunt<'a> {
    index: usize,
    wanted: &'a Wanted,
    rounds: usize,
    heaps: usize,
    /// Heaps of which it is known what one more call makes of them, in the order in which that was seen.
    extended: Vec<usize>,
}

impl<'a> Hunt<'a> {
    fn new((index, wanted): (usize, &'a Wanted)) -> Self {
        Hunt { index, wanted, rounds: 0, heaps: 0, extended: Vec::new() }
    }

    fn not_on(&self, all: bool) -> Went<'a> {
        Went::Over(Reached::NotOn { heaps: self.heaps, all })
    }
}

/// What a round of a hunt came to.
enum Went<'a> {
    Over(Reached),
    /// There are other rounds.
    On(Hunt<'a>),
}

/// Looks for clients.
struct Clients<'a> {
    workers: Workers<'a>,
    program: &'a Arc<Program>,
    public: &'a [FuncId],
    options: ClientOptions,
    budget: &'a Budget,
}

impl Clients<'_> {
    /// One round of each. Those that are left.
    fn round_of_all<'h, E: From<EngineError>>(
        &self,
        open: &[Hunt<'h>],
        done: &mut impl FnMut(usize, Reached) -> Result<(), E>,
    ) -> Result<Vec<Hunt<'h>>, E> {
        let (sender, results) = channel();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let results = results;
            for _ in 0..self.workers.count.get().min(open.len()) {
                let (sender, next) = (sender.clone(), &next);
                let work = move || {
                    while let Some((at, hunt)) = nth(open, next.fetch_add(1, Ordering::Relaxed)) {
                        let went = self.round_of(hunt);
                        // After an error nobody listens.
                        if went.is_err() | sender.send((at, went)).is_err() {
                            return;
                        }
                    }
                };
                let worker = std::thread::Builder::new().stack_size(STACK);
                worker.spawn_scoped(scope, work).map_err(EngineError::Worker)?;
            }
            drop(sender);
            let (mut early, mut left) = (BTreeMap::new(), Vec::new());
            let mut in_order = open.iter().enumerate().peekable();
            for (at, went) in results {
                early.insert(at, went);
                while let Some(&(at, hunt)) = in_order.peek()
                    && let Some(went) = early.remove(&at)
                {
                    in_order.next();
                    match went? {
                        Went::Over(reached) => done(hunt.index, reached)?,
                        Went::On(hunt) => left.push(hunt),
                    }
                }
            }
            Ok(left)
        })
    }

    /// One round. What it comes to depends on the hunt alone: the engine is new, and the heaps are built again, for solvers give other values
    /// after other questions, and whoever shares heaps with other hunts tries them in another order.
    fn round_of<'h>(&self, hunt: &Hunt<'h>) -> Result<Went<'h>, EngineError> {
        let Clients { options, budget, .. } = *self;
        let (wanted, mut hunt) = (hunt.wanted, hunt.clone());
        // In a large library even seeing what there is to call takes time.
        if budget.exhausted().is_some() {
            return Ok(hunt.not_on(false));
        }
        let library = &match Library::new(self.program, self.public, &wanted.operations) {
            Ok(library) => library,
            Err(reason) => return Ok(Went::Over(Reached::Impossible(reason))),
        };
        let Some(&(most, steps)) = ROUNDS.get(hunt.rounds) else { return Ok(hunt.not_on(false)) };
        let engine = &mut (self.workers.new_engine)(self.program)?;
        let limits = engine.solver.limits();
        engine.solver.set_limits(smt::Limits { timeout: Some(QUERY), ..limits });
        let routes = &mut Routes::new(engine, library, options);
        for &heap in &hunt.extended {
            routes.extend(engine, library, heap, options, budget)?;
        }
        let functions = [0, 1].map(|index| wanted.operations[index].function);
        let example_roots = &*wanted.example.roots(self.program, library, functions);
        let differences = Vec::new();
        let mut search = ClientSearch { engine, library, wanted, example_roots, differences, options, budget };
        let round = search.round(routes, most, steps)?;
        hunt.heaps = hunt.heaps.max(round.tried);
        hunt.rounds += 1;
        if let Some(client) = round.client {
            return Ok(Went::Over(Reached::By(client)));
        }
        if round.all && library.is_whole() && !routes.are_ready(library) {
            return Ok(Went::Over(Reached::Impossible(library.unmade(&self.program.module))));
        }
        let is_last = round.all || hunt.rounds == ROUNDS.len() || budget.exhausted().is_some();
        if is_last {
            return Ok(hunt.not_on(round.all));
        }
        hunt.extended = routes.extended().to_vec();
        Ok(Went::On(hunt))
    }
}

fn nth<'o, 'h>(open: &'o [Hunt<'h>], at: usize) -> Option<(usize, &'o Hunt<'h>)> {
    open.get(at).map(|hunt| (at, hunt))
}

/// Looking for a client of one race.
struct ClientSearch<'a> {
    engine: &'a mut Engine,
    library: &'a Library,
    wanted: &'a Wanted,
    /// By root, which object of the example it is.
    example_roots: &'a [Option<usize>],
    /// From the example, by heap.
    differences: Vec<usize>,
    options: ClientOptions,
    budget: &'a Budget,
}

/// What came of a round.
struct Attempt {
    client: Option<Client>,
    tried: usize,
    /// There are no other heaps, and on each everything was tried.
    all: bool,
}

impl ClientSearch<'_> {
    fn round(&mut self, routes: &mut Routes, most: usize, steps: u64) -> Result<Attempt, EngineError> {
        let mut tried = FxHashSet::default();
        let mut cut_short = false;
        while tried.len() < most && self.budget.exhausted().is_none() {
            let Some(next) = self.nearest(routes, &tried) else {
                // What the engine could not follow may have led there.
                let is_whole = self.library.is_whole() && routes.is_complete();
                let all = is_whole && !cut_short && self.engine.ledger.is_empty();
                return Ok(Attempt { client: None, tried: tried.len(), all });
            };
            tried.insert(next);
            if routes.built(next).is_ready(self.library) {
                let (client, all) = self.on_heap(routes.built(next), steps)?;
                cut_short |= !all;
                if client.is_some() {
                    return Ok(Attempt { client, tried: tried.len(), all: false });
                }
            }
            routes.extend(self.engine, self.library, next, self.options, self.budget)?;
        }
        Ok(Attempt { client: None, tried: tried.len(), all: false })
    }

    /// The heap to try next. One that is not ready yet is taken for one that may become the example.
    fn nearest(&mut self, routes: &Routes, tried: &FxHashSet<usize>) -> Option<usize> {
        let (program, library, roots, example) =
            (&self.engine.program, self.library, self.example_roots, &self.wanted.example);
        routes.nearest(tried, &mut self.differences, |built| match built.is_ready(library) {
            true => DIFFERENCE * built.likeness(example, program, roots).differences,
            false => 0,
        })
    }

    /// Runs the two operations together on a heap that calls have built. The client, if the race shows; whether that was
    /// tried in all ways.
    fn on_heap(&mut self, built: &Built, steps: u64) -> Result<(Option<Client>, bool), EngineError> {
        let ClientSearch { engine, library, wanted, options, budget, .. } = self;
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
        let mut alike = state.clone();
        let likeness = built.likeness(&wanted.example, &engine.program, self.example_roots);
        wanted.example.assume(engine, &mut alike, &likeness, [&threads[0].1, &threads[1].1])?;
        let (shown, all) = engine.with_config(options.together, |engine| {
            let toward = |engine: &mut _, state| toward(engine, state, &wanted.key, &wanted.sites, (steps, budget));
            match toward(engine, alike)? {
                (None, _) => toward(engine, state),
                shown => Ok(shown),
            }
        })?;
        let Some((_, state)) = shown else { return Ok((None, all)) };
        let all = built.calls.iter().chain(&threads).map(|(call, values)| (call, values));
        let Some(mut calls) = with_numbers(engine, &state, all)? else { return Ok((None, false)) };
        // Of equal roots the first.
        let first = |root: usize| built.roots.iter().position(|other| *other == built.roots[root]).unwrap_or(root);
        for argument in calls.iter_mut().flat_map(|call| &mut call.arguments) {
            if let ClientArgument::Root(root) = argument {
                *root = first(*root);
            }
        }
        let threads = calls.split_off(built.calls.len());
        Ok((Some(Client { roots: library.roots().to_vec(), calls, threads }), false))
    }
}
