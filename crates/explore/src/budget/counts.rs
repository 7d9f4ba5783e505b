//! What was covered.

use crate::Sampler;
use crate::findings::Position;
use crate::findings::guarded::GuardedAccess;
use crate::initial::results::Results;
use memory::Fingerprint;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// What was covered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Complete executions, one per class of equivalent schedules and input path.
    pub executions: u64,
    /// Executions that were cut because an equivalent one was explored, or because they repeat themselves.
    pub redundant: u64,
    /// Those among them that came back to a state in which they had been.
    #[serde(default)]
    pub repeated: u64,
    /// Sequences of branch decisions of complete executions.
    pub paths: Distinct,
    /// Decided parts of initial heaps of complete executions, in canonical form.
    pub shapes: Distinct,
    /// What executions printed that came to the program's end.
    pub outputs: BTreeSet<Vec<u8>>,
    /// What calls come to at once and one after the other, if that was compared: for who explores in this process.
    #[serde(skip)]
    pub results: Results,
    /// Of the unfolding, where that was explored.
    pub unfolding: Option<UnfoldingCounts>,
    /// Of the unfolding as far as it was explored where the search was cut: whoever goes on begins anew, and counts then.
    #[serde(skip)]
    pub begun: Option<UnfoldingCounts>,
    /// Of executions at random, where that is what they were.
    #[serde(default)]
    pub sampling: Option<SamplingCounts>,
    /// All events of the unfolding, where they are kept.
    #[serde(default)]
    pub events: Vec<KnownEvent>,
}

/// An event of the unfolding, in words. Others are named by their places in the list, and come before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownEvent {
    pub thread: String,
    pub what: String,
    /// What comes right before it.
    pub after: Vec<u32>,
    /// Those that exclude it, though nothing before them does.
    pub conflicts: Vec<u32>,
    /// Nothing was explored behind it, for everything is as it was behind others.
    pub is_cutoff: bool,
}

/// What is known of executions at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SamplingCounts {
    pub sampler: Sampler,
    pub runs: u64,
    /// The most of an execution.
    pub threads: u32,
    /// The most scheduling points of an execution.
    pub steps: u32,
    /// Of [`Sampler::Pct`]: executions for which its bound holds, since they were begun when the longest was known.
    pub informed: u64,
}

impl SamplingCounts {
    fn merge(&mut self, other: SamplingCounts) {
        let SamplingCounts { sampler, runs, threads, steps, informed } = other;
        self.sampler = sampler;
        self.runs += runs;
        self.threads = self.threads.max(threads);
        self.steps = self.steps.max(steps);
        self.informed += informed;
    }
}

/// What there is of the unfolding that is known (SPOE, table 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UnfoldingCounts {
    /// Of all kinds.
    pub events: u64,
    /// Of mutexes: what takes them or gives them back.
    pub mutexes: u64,
    /// Of condition variables: both halves of waits, signals, broadcasts.
    pub conditions: u64,
    pub choices: u64,
    /// Behind which everything is as it was behind fewer.
    pub cutoffs: u64,
    /// Complete executions in which a thread failed.
    pub failed: u64,
}

impl UnfoldingCounts {
    fn merge(&mut self, other: UnfoldingCounts) {
        let UnfoldingCounts { events, mutexes, conditions, choices, cutoffs, failed } = other;
        self.events += events;
        self.mutexes += mutexes;
        self.conditions += conditions;
        self.choices += choices;
        self.cutoffs += cutoffs;
        self.failed += failed;
    }
}

impl Counts {
    /// What is known of the unfolding, that which was cut included.
    pub fn known_unfolding(&self) -> Option<UnfoldingCounts> {
        let mut known = self.unfolding.or(self.begun)?;
        if let (Some(_), Some(begun)) = (self.unfolding, self.begun) {
            known.merge(begun);
        }
        Some(known)
    }

    pub fn merge(&mut self, other: Counts) {
        self.executions = self.executions.saturating_add(other.executions);
        self.redundant = self.redundant.saturating_add(other.redundant);
        self.repeated += other.repeated;
        self.paths.merge(other.paths);
        self.shapes.merge(other.shapes);
        self.outputs.extend(other.outputs);
        self.results.merge(other.results);
        if let Some(unfolding) = other.unfolding {
            self.unfolding.get_or_insert_default().merge(unfolding);
        }
        if let Some(begun) = other.begun {
            self.begun.get_or_insert_default().merge(begun);
        }
        if let Some(sampling) = other.sampling {
            self.sampling.get_or_insert_default().merge(sampling);
        }
        // Of one search, which is not divided.
        if self.events.is_empty() {
            self.events = other.events;
        }
    }
}

/// Things that are told apart by their fingerprints. There may be millions: copies share them until one changes, and they
/// are in a tree, which grows little by little, for `--max-memory` is to be obeyed (a table doubles).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Distinct(Arc<BTreeSet<Fingerprint>>);

impl Distinct {
    pub fn insert(&mut self, fingerprint: Fingerprint) {
        Arc::make_mut(&mut self.0).insert(fingerprint);
    }

    pub fn merge(&mut self, other: Distinct) {
        if self.0.is_empty() {
            *self = other;
        } else {
            Arc::make_mut(&mut self.0).extend(other.0.iter());
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What the guided search did: one count for each of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guided {
    /// Ways of the operations by themselves.
    pub paths: u64,
    /// Executions of a whole program that were watched.
    pub watched: u64,
    /// Pairs of accesses that may meet.
    pub candidates: u64,
    /// Heaps made of two without moving a relation, and others.
    pub unions: u64,
    pub adjusted: u64,
    /// Relations moved.
    pub adjustments: u64,
    /// Two ways that have no heap in common, by the reason.
    pub infeasible: BTreeMap<String, u64>,
    /// Heaps on which the operations were run together.
    pub tried: u64,
    pub confirmed: u64,
    /// Ways and executions with more accesses than are kept ([`machine::MOST_OBSERVED`]): what came behind was not looked at.
    #[serde(default)]
    pub overfull: u64,
    /// What is held at the accesses that operations make by themselves, of ways without more of them than are kept.
    #[serde(default)]
    pub guarded: BTreeSet<GuardedAccess>,
    /// There are further ways of an operation.
    #[serde(default)]
    pub more_ways: bool,
    /// When the first of these was found, if it was in this process.
    #[serde(skip)]
    pub first_at: Option<Instant>,
}

impl Guided {
    /// The same with its positions elsewhere; none where one is nowhere.
    pub fn moved(&self, mut to: impl FnMut(&Position) -> Option<Position>) -> Option<Guided> {
        let moved = |access: &GuardedAccess| Some(GuardedAccess { position: to(&access.position)?, ..access.clone() });
        Some(Guided { guarded: self.guarded.iter().map(moved).collect::<Option<_>>()?, ..self.clone() })
    }
}
