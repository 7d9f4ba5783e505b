//! Under which launches a kernel is free of races: the weakest conjunction of at most two comparisons of launch dimensions, integer parameters,
//! their products and constants of the code, for which flows ([`super::pairs`]) see no two threads that may race.
//!
//! Sizes are symbols up to a largest launch, and so are the kernel's numbers. Each pair of accesses that may race is a question; those that no
//! launch answers are left out, and a conjunction under which the others have no answer either *suffices*. What a question's answer says of sizes
//! and numbers refutes each conjunction that holds there, so that few are asked about ([`search`]).
//!
//! Guarantee: no launch within the bounds for which an inferred conjunction holds has a race, a divergent barrier, or an atomic operation for its
//! block alone beside another block's, as far as [`super::pairs`] guarantees it for one launch.
//! Weakest: no other candidate that it implies suffices; of those that do not compare, the one that holds in most of certain small launches.
//! Not promised: that something races where it does not hold. What flows see without it is for others to try.

mod quantity;
mod samples;
mod search;

use super::{Flows, Followed, PairKind, conflict, follow_all};
use crate::model::launch::Kernel;
use concurrency::Site;
use machine::{Engine, EngineError, Launch, Sizes};
use memory::Limits;
use quantity::Quantities;

/// Which launches are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// In each dimension.
    pub most: Launch,
    /// Threads in a block.
    pub in_block: u64,
}

/// The largest grid, by dimension: products with blocks of 1024 threads stay within 32 bits.
pub const MOST_GRID: u32 = 1 << 20;

/// Of the solver for one question: what is harder counts as not proved.
const STEPS: u32 = 8_000;

/// What was inferred of a kernel.
#[derive(Clone, Debug)]
pub struct Inferred {
    pub outcome: Outcome,
    pub flows: u64,
    pub queries: u64,
    /// Conjunctions that were thought of.
    pub candidates: u64,
    /// Of these, those not proved because a question was too hard.
    pub too_hard: u64,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// Not all of what threads do was followed: the ledger says why.
    GivenUp,
    /// Time ran out, or the user had enough.
    Interrupted,
    /// Of too many candidates the solver could not tell whether they suffice.
    TooHard,
    /// No launch races.
    NotNeeded,
    /// Under these, together.
    Sufficient(Vec<Needed>),
    /// Under no candidate.
    Nothing,
}

/// A comparison of an inferred condition.
#[derive(Clone, Debug)]
pub struct Needed {
    /// As in CUDA.
    pub text: String,
    /// Launches without it, in which two threads may race.
    pub without: Vec<MayRace>,
}

/// A launch in which two threads may race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MayRace {
    pub kind: PairKind,
    pub sites: [Site; 2],
    pub launch: Launch,
    pub numbers: Vec<Number>,
}

/// An integer that a kernel is given.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number {
    pub parameter: String,
    /// By its place among the kernel's arguments.
    pub index: usize,
    pub value: i128,
}

/// Looks for the weakest condition on launches.
///
/// # Errors
/// When the engine fails.
pub fn infer(engine: &mut Engine, limits: Limits, kernel: &Kernel, within: Within) -> Result<Inferred, EngineError> {
    let sizes = Sizes::up_to(&mut engine.terms, &within.most, within.in_block);
    let most = Kernel { launch: within.most, ..kernel.clone() };
    let none = |outcome, flows| Inferred { outcome, flows, queries: 0, candidates: 0, too_hard: 0 };
    let flows = match follow_all(engine, limits, &most, &sizes)? {
        Followed::Interrupted(flows) => return Ok(none(Outcome::Interrupted, flows)),
        Followed::Flows(flows) => flows,
    };
    if !engine.ledger.is_empty() {
        return Ok(none(Outcome::GivenUp, flows.count));
    }
    let before = engine.solver.limits();
    engine.solver.set_limits(smt::Limits { steps: Some(before.steps.unwrap_or(STEPS).min(STEPS)), ..before });
    let inferred = search(engine, kernel, (within, sizes), &flows);
    engine.solver.set_limits(before);
    inferred
}

fn search(
    engine: &mut Engine,
    kernel: &Kernel,
    (within, sizes): (Within, Sizes),
    flows: &Flows,
) -> Result<Inferred, EngineError> {
    let questions = conflict::questions(engine, flows, within.most)?;
    let quantities = Quantities::of(engine, &kernel.operation, &flows.arguments, &sizes, within.most.warp);
    search::Search::new(engine, within.most, sizes, quantities, flows).run(questions)
}
