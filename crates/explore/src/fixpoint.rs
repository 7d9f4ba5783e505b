//! The race fixpoint.
//!
//! Exploring at synchronisation is enough until a race is found: up to its first race an execution is equivalent to one
//! that switches threads only there. A race makes the sites of both accesses visible, and everything is explored again,
//! until no race is seen at a site that was invisible. Then every access that is still invisible is ordered with all
//! that it conflicts with, in every explored execution, and hence (by induction over the first access that is not) in
//! every execution.

use crate::joint::{Joint, note_exhausted};
use crate::{
    Budget, Counts, Exhausted, Finding, FindingKey, FindingKind, JointOptions, Progress, Start, Starts, Waiting,
};
use machine::{Engine, EngineError};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an exploration found and covered.
#[derive(Debug, Default)]
pub struct Exploration {
    pub findings: FxHashMap<FindingKey, Finding>,
    /// Of the explorations with all visible sites, one from each initial state.
    pub counts: Counts,
    pub exhausted: Option<Exhausted>,
    /// Initial states from which all threads can come to their ends, and the others.
    pub completing: u64,
    pub others: u64,
}

/// Explores all initial states, round and round, until each was explored with the same set of visible sites and made no
/// other visible. The engine's set of visible sites grows.
///
/// # Errors
/// When the engine fails.
pub fn explore(
    engine: &mut Engine,
    starts: &mut dyn Starts,
    options: JointOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
    what: &str,
) -> Result<Exploration, EngineError> {
    let mut result = Exploration::default();
    let mut initial: Vec<Start> = Vec::new();
    let mut all_known = false;
    let mut start = 0;
    // How many were explored in a row without making a site visible.
    let mut unchanged = 0;
    let mut visible = Rc::new(engine.visible.clone());
    loop {
        if start == initial.len() && !all_known {
            match starts.next(engine)? {
                Some(start) => initial.push(start),
                None => all_known = true,
            }
        }
        result.exhausted = starts.exhausted();
        if result.exhausted.is_some() || all_known && unchanged == initial.len() {
            return Ok(result);
        }
        if start == initial.len() {
            start = 0;
        }
        let Start { state, fails_anyway } = &initial[start];
        let options = JointOptions { failures: options.failures && !fails_anyway, ..options };
        let mut joint = Joint::new(engine, options, budget, progress, &result.findings, start, Rc::clone(&visible));
        let exhausted = joint.run(state.clone())?;
        let Joint { counts, mut findings, mut completed, ended, racy, .. } = joint;
        if options.completing && !ended {
            // An operation that waits for a signal does so alone as well: that is no failure, unless it need not wait.
            findings.retain(|_, finding| !waits_for_signal(finding));
        }
        result.counts.merge(counts);
        if !completed && options.completing && options.preemptions.is_some() {
            // The heap is within the preconditions if the threads can end at all, within the bound or beyond.
            let options = JointOptions { preemptions: None, until_completed: true, ..options };
            let mut joint = Joint::new(engine, options, budget, progress, &result.findings, start, Rc::clone(&visible));
            joint.run(state.clone())?;
            completed = joint.completed;
        }
        // With more sites visible more is interleaved, and what was found from a state that completes only then is found
        // again.
        if completed || !options.completing {
            result.findings.extend(findings);
        }
        if let Some(exhausted) = exhausted {
            note_exhausted(engine, exhausted, what);
            result.exhausted = Some(exhausted);
            return Ok(result);
        }
        *(if completed { &mut result.completing } else { &mut result.others }) += 1;
        let before = engine.visible.len();
        engine.visible.extend(racy);
        if engine.visible.len() == before {
            unchanged += 1;
            start += 1;
        } else {
            // The same state again: it may well show more.
            unchanged = 0;
            visible = Rc::new(engine.visible.clone());
            result.counts = Counts::default();
            (result.completing, result.others) = (0, 0);
        }
    }
}

fn waits_for_signal(finding: &Finding) -> bool {
    let FindingKind::Deadlock(blocked) = &finding.kind else { return false };
    blocked.iter().any(|thread| matches!(thread.waits_for, Waiting::Signal(_)))
}
