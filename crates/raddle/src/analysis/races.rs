//! `raddle races`: the operations of a library, every two of them.

use super::select::{Named, default_operations, find, touches_shared};
use super::session::Session;
use crate::errors::{UsageError, suggest};
use explore::{Counts, JointOptions, Operation, PairsOptions, Progress, Shapes, pair, summarise};
use ir::Module;
use machine::{LedgerEntry, LossKind};
use report::{Assumption, Claim, MatrixEntry, Report, ShapeBasis};
use std::collections::BTreeMap;
use witness::{Entry, Setting};

pub(super) fn run(mut session: Session, claim: Claim, progress: &mut dyn Progress) -> anyhow::Result<Report> {
    let operations = operations(&session)?;
    let valid = match &session.parameters.valid {
        Some(name) => Some(operation(&session.engine.program.module, name)?),
        None => None,
    };
    let shapes = if valid.is_some() { Shapes::Valid } else { Shapes::Assumed };
    let options = PairsOptions {
        limits: session.parameters.limits(),
        globals_symbolic: !session.parameters.globals_initial,
        roots: session.parameters.roots(),
        valid,
        joint: JointOptions {
            preemptions: session.parameters.preemptions,
            failures: shapes == Shapes::Valid,
            ..JointOptions::default()
        },
        alone: session.parameters.alone(),
        together: session.parameters.together(),
    };
    let mut report = Report::new("races", claim);
    let causes = preconditions(&mut session, &operations, &options, &mut report)?;
    let mut counts = Counts::default();
    for (i, first) in operations.iter().enumerate() {
        for second in &operations[i..] {
            let before = session.engine.ledger.clone();
            let outcome = pair(&mut session.engine, [first, second], &options, &session.budget, progress)?;
            counts.merge(outcome.counts);
            let setting = Setting {
                entry: Entry::Operations(vec![first.clone(), second.clone()]),
                limits: options.limits,
                globals_symbolic: options.globals_symbolic,
                roots: options.roots,
                valid: options.valid.clone(),
            };
            let basis = if shapes == Shapes::Valid { ShapeBasis::Valid } else { ShapeBasis::Assumed };
            session.confirm(&setting, outcome.findings, Some(basis), Some(report.matrix.len()))?;
            let cause = new_losses(&before, &session.engine.ledger)
                .or_else(|| causes.get(&first.name).cloned())
                .or_else(|| causes.get(&second.name).cloned());
            report.matrix.push(MatrixEntry::new(&first.name, &second.name, cause));
        }
    }
    session.finish(report, &counts)
}

/// Runs each operation by itself: what it drops becomes an assumption, and one that keeps nothing is vacuous.
fn preconditions(
    session: &mut Session,
    operations: &[Operation],
    options: &PairsOptions,
    report: &mut Report,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut causes = BTreeMap::new();
    for operation in operations {
        let before = session.engine.ledger.clone();
        let summary = summarise(&mut session.engine, operation, options, &session.budget)?;
        if summary.dropped > 0 {
            report.assumptions.push(Assumption {
                kind: "shape_dropped".to_owned(),
                r#where: Some(operation.name.clone()),
                count: Some(summary.dropped),
                kept: Some(summary.kept),
                example: summary.example.map(|e| e.example),
                detail: String::new(),
            });
        }
        if let Some(cause) = new_losses(&before, &session.engine.ledger) {
            causes.insert(operation.name.clone(), cause);
        }
        if summary.kept == 0 && summary.exhausted.is_none() {
            session.engine.ledger.note(LedgerEntry {
                kind: LossKind::Vacuous,
                place: operation.name.clone(),
                remedy: "no shape within the bounds survives the operation's own run; try --depth or --array"
                    .to_owned(),
            });
            causes.insert(operation.name.clone(), format!("{} is vacuous", operation.name));
        }
    }
    Ok(causes)
}

/// The first kind of loss that one step added.
fn new_losses(before: &machine::Ledger, after: &machine::Ledger) -> Option<String> {
    let known: BTreeMap<&LedgerEntry, u64> = before.entries().collect();
    after
        .entries()
        .find(|(entry, count)| known.get(entry).is_none_or(|old| old < count))
        .map(|(entry, _)| format!("{} at {}", entry.kind, entry.place))
}

fn operations(session: &Session) -> anyhow::Result<Vec<Operation>> {
    let module = &session.engine.program.module;
    if session.parameters.operations.is_empty() {
        let found = default_operations(module);
        if found.is_empty() {
            return Err(UsageError::new(
                "no_operations",
                "no externally visible function reaches shared memory; name the operations with --op",
            )
            .into());
        }
        return Ok(found
            .into_iter()
            .map(|function| Operation { function, name: module[function].name.clone() })
            .collect());
    }
    let mut operations: Vec<Operation> = Vec::new();
    for name in &session.parameters.operations {
        let operation = operation(module, name)?;
        if !touches_shared(module, operation.function) {
            return Err(UsageError::new(
                "nothing_shared",
                format!("operation `{name}` reaches no shared memory: it has no pointer parameter and uses no global"),
            )
            .into());
        }
        if operations.iter().all(|known| known.function != operation.function) {
            operations.push(operation);
        }
    }
    Ok(operations)
}

fn operation(module: &Module, name: &str) -> anyhow::Result<Operation> {
    match find(module, name) {
        Named::Found(function) => Ok(Operation { function, name: name.to_owned() }),
        Named::Ambiguous(files) => Err(UsageError::new(
            "ambiguous_operation",
            format!("several files define `{name}`: write {}", forms(&files, name).join(" or ")),
        )
        .into()),
        Named::Unknown => {
            let defined = module.functions.iter().filter(|f| !f.is_declaration()).map(|f| f.name.as_str());
            let near = suggest(name, defined);
            let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
            Err(UsageError::new("unknown_operation", format!("there is no function `{name}`{hint}")).into())
        }
    }
}

fn forms(files: &[String], name: &str) -> Vec<String> {
    files.iter().map(|file| format!("`{}:{name}`", file.rsplit('/').next().unwrap_or(file))).collect()
}
