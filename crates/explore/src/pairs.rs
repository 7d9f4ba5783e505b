//! The operations of a library, two at a time.

use crate::origin::Origin;
use crate::starts::OperationSummary;
use crate::{
    Budget, Counts, Exhausted, FindingKey, Found, JointOptions, Operation, PairsOptions, Progress, Workers, explore,
};
use ir::DebugType;
use machine::{Engine, EngineError, LossKind};
use rustc_hash::FxHashMap;

/// What a pair of operations does.
#[derive(Debug, Default)]
pub struct PairOutcome {
    pub findings: FxHashMap<FindingKey, Found>,
    /// What was explored; none if nothing was.
    pub origin: Option<Origin>,
    pub counts: Counts,
    /// What the first operation does by itself; none if it was not run.
    pub first_alone: Option<OperationSummary>,
    /// Heaps on which both can come to their ends together, and others: those are outside of the precondition.
    pub kept: u64,
    pub dropped: u64,
    /// Heaps on which the two fail one after the other as well: only races were looked for there.
    pub races_only: u64,
    pub exhausted: Option<Exhausted>,
}

/// Explores operations together.
///
/// # Errors
/// When an engine fails.
pub fn pair(
    engine: &mut Engine,
    workers: Workers,
    operations: [&Operation; 2],
    options: &PairsOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Result<PairOutcome, EngineError> {
    let what = format!("{} and {}", operations[0].name, operations[1].name);
    progress.begin(&what);
    engine.visible.clear();
    if operations.iter().any(|operation| passes_records(engine, operation)) {
        return Ok(PairOutcome::default());
    }
    // A heap on which the two cannot complete under any schedule is outside of the precondition as well.
    let joint = JointOptions { completing: true, ..options.joint };
    let operations = operations.into_iter().cloned().collect();
    let origin = Origin::Operations { operations, options: options.clone() };
    let explored = explore(engine, workers, &origin, joint, budget, progress, &what)?;
    if explored.completing == 0 && explored.others > 0 && explored.exhausted.is_none() {
        engine.note(LossKind::Vacuous, what, "on no heap within the bounds can both operations come to their ends");
    }
    Ok(PairOutcome {
        findings: explored.findings,
        origin: Some(origin),
        counts: explored.counts,
        first_alone: Some(explored.first_alone),
        kept: explored.completing,
        dropped: explored.others,
        races_only: explored.races_only,
        exhausted: explored.exhausted,
    })
}

/// Whether an operation takes or returns a structure by value, which the ledger then says.
fn passes_records(engine: &mut Engine, operation: &Operation) -> bool {
    let module = &engine.program.module;
    let function = &module[operation.function];
    let types = function.source_params.iter().map(|p| p.ty).chain(function.return_type);
    let by_value = types.into_iter().any(|ty| matches!(module[module.strip(ty)], DebugType::Record { .. }))
        || function.params.iter().any(|p| p.by_value.is_some() || p.returned_through);
    if by_value {
        let place = operation.name.clone();
        engine.note(LossKind::Unsupported, place, "an operation that takes or returns a structure by value");
    }
    by_value
}
