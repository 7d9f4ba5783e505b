//! The race fixpoint.
//!
//! Exploring at synchronisation is enough until a race is found: up to its first race an execution is equivalent to one
//! that switches threads only there. A race makes the sites of both accesses visible, and everything is explored again,
//! until a pass sees no race at a site that was invisible. Then every access that is still invisible is ordered with all
//! that it conflicts with, in every explored execution, and hence (by induction over the first access that is not) in
//! every execution.

use crate::joint::{Joint, note_exhausted};
use crate::{Budget, Counts, Exhausted, Finding, FindingKey, JointOptions, Progress};
use machine::{Engine, EngineError, State};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What an exploration found and covered.
#[derive(Debug, Default)]
pub struct Exploration {
    pub findings: FxHashMap<FindingKey, Finding>,
    /// Of the last pass.
    pub counts: Counts,
    pub exhausted: Option<Exhausted>,
    pub passes: u32,
}

/// Explores the initial states until no pass makes another site visible. The engine's set of visible sites grows.
///
/// # Errors
/// When the engine fails.
pub fn explore(
    engine: &mut Engine,
    initial: &[State],
    options: JointOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
    what: &str,
) -> Result<Exploration, EngineError> {
    let mut result = Exploration::default();
    loop {
        result.passes += 1;
        result.counts = Counts::default();
        let mut racy = BTreeSet::new();
        let visible = Rc::new(engine.visible.clone());
        for (start, state) in initial.iter().enumerate() {
            let visible = Rc::clone(&visible);
            let mut joint = Joint::new(engine, options, budget, progress, &result.findings, start, visible);
            let exhausted = joint.run(state.clone())?;
            let Joint { counts, findings, completed, racy: mut raced, .. } = joint;
            racy.append(&mut raced);
            result.counts.merge(counts);
            // A later pass interleaves more, so it finds again what was found from a state that completes only there.
            if completed || !options.completing {
                result.findings.extend(findings);
            }
            if let Some(exhausted) = exhausted {
                note_exhausted(engine, exhausted, what);
                result.exhausted = Some(exhausted);
                return Ok(result);
            }
        }
        let before = engine.visible.len();
        engine.visible.extend(racy);
        if engine.visible.len() == before {
            return Ok(result);
        }
    }
}
