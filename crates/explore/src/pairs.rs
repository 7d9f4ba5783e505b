//! The operations of a library, two at a time.

use crate::origin::Origin;
use crate::{Budget, Exploration, JointOptions, Operation, PairsOptions, Paused, Progress, Workers, explore};
use ir::{DebugType, Module};
use machine::{EngineError, LedgerEntry, LossKind};

/// Where executions of a pair of operations begin; none if the pair cannot be explored.
///
/// # Errors
/// The gap to be noted.
pub fn origin_of_pair(
    module: &Module,
    operations: [&Operation; 2],
    options: &PairsOptions,
) -> Result<Origin, LedgerEntry> {
    if let Some(operation) = operations.iter().find(|operation| passes_records(module, operation)) {
        return Err(LedgerEntry {
            kind: LossKind::Unsupported,
            place: operation.name.clone(),
            remedy: "an operation that takes or returns a structure by value".to_owned(),
        });
    }
    let operations = operations.into_iter().cloned().collect();
    Ok(Origin::Operations { operations, options: options.clone() })
}

/// Explores operations together; what was `paused`, from there on.
///
/// # Errors
/// When an engine fails.
pub fn pair(
    workers: Workers,
    origin: &Origin,
    budget: &Budget,
    progress: &mut dyn Progress,
    paused: Paused<'static>,
) -> Result<Exploration, EngineError> {
    let names: Vec<&str> = origin.operations().iter().map(|operation| operation.name.as_str()).collect();
    let what = names.join(" and ");
    progress.begin(&what);
    // A heap on which the two cannot complete under any schedule is outside of the precondition as well.
    let joint = JointOptions { completing: true, ..origin.joint() };
    let mut explored = explore(workers, origin, joint, budget, progress, &what, paused)?;
    if explored.completing == 0 && explored.others > 0 && explored.exhausted.is_none() {
        let remedy = "on no heap within the bounds can both operations come to their ends".to_owned();
        explored.ledger.note(LedgerEntry { kind: LossKind::Vacuous, place: what, remedy });
    }
    Ok(explored)
}

/// Whether an operation takes or returns a structure by value.
fn passes_records(module: &Module, operation: &Operation) -> bool {
    let function = &module[operation.function];
    let types = function.source_params.iter().map(|p| p.ty).chain(function.return_type);
    types.into_iter().any(|ty| matches!(module[module.strip(ty)], DebugType::Record { .. }))
        || function.params.iter().any(|p| p.by_value.is_some() || p.returned_through)
}
