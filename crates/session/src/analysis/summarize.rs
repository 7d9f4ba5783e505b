//! `raddle summarize`: what functions do by themselves.

use super::select;
use super::stored::{self, Named};
use crate::errors::InputError;
use crate::losses;
use crate::notice::complain;
use crate::options::SummarizeOptions;
use crate::run::Run;
use anyhow::Context;
use ir::{FileId, FuncId, Module};
use machine::{Config, Engine, External, LedgerEntry, LossKind, Program, Remedy, Weak};
use memory::{HeapRules, Limits};
use report::{FunctionTree, StoreStats};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use summary::{LeftOut, UnitOptions, UnitSummary, summarize};

/// Nodes of one function's tree.
const MOST_NODES: usize = 2_000;

/// What a function may take where the user sets no limit for all.
const PATIENCE: Duration = Duration::from_secs(10);

/// Instructions between two things that others may notice, or that are chosen.
const QUIET_STEPS: u64 = 200_000;

/// What functions do.
pub struct Trees {
    pub trees: Vec<FunctionTree>,
    /// Which of them an earlier run has made, where they are kept.
    pub store: Option<StoreStats>,
}

/// The trees of the functions that are asked for, or of all that the program has written. Each is made of the part of the
/// program that the function can come to, and kept as long as that stays what it is.
///
/// # Errors
/// [`crate::errors::UsageError`] for a function that there is not; for the rest, raddle's own.
pub fn trees(module: Module, options: &SummarizeOptions, run: &Run) -> anyhow::Result<Trees> {
    let functions = functions(&module, &options.functions)?;
    let bounds = &options.bounds;
    let program = Program::new(module, bounds.array).map_err(|e| InputError::new("lower", e.to_string()))?;
    let budget = run.budget.clone();
    let begun = Arc::new(Mutex::new(Instant::now()));
    let of_this = Arc::clone(&begun);
    let over = move || {
        let taken = of_this.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        budget.stopped().is_some() || budget.deadline.is_none() && taken >= PATIENCE
    };
    let config = Config {
        unroll: bounds.unroll,
        fail_alloc: bounds.fail_alloc,
        relaxed_volatile: bounds.volatile == crate::options::Volatile::Relaxed,
        weak: Weak::Accept,
        external: External::Havoc,
        quiet_steps: QUIET_STEPS,
        ..Config::default()
    };
    let limits = Limits { depth: bounds.depth, array: bounds.array, rules: HeapRules::WIDE };
    let unit = UnitOptions { limits, config, most_nodes: MOST_NODES };
    let mut store = run.store.as_deref().and_then(stored::open);
    let (mut trees, mut reused) = (Vec::with_capacity(functions.len()), 0);
    for function in functions {
        let part = program.part([function].into_iter(), true)?;
        let function = part.function(function).context("a function is not in its own part of the program")?;
        let named = store.is_some().then(|| Named::of_tree(&part.program, &(function, unit)));
        if let Some(unit) = store.as_mut().zip(named.as_ref()).and_then(|(store, named)| stored::tree(store, named)) {
            trees.push(in_words(unit));
            reused += 1;
            continue;
        }
        *begun.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let setup = smt::Setup { stop: Some(Arc::new(over.clone())), ..run.solver.setup(run.folder.out())? };
        let mut engine = Engine::new(part.program, smt::Solving::set_up(setup)?, config);
        engine.interrupted = Some(Box::new(over.clone()));
        let summary = summarize(&mut engine, function, &unit)?;
        if let (Some(store), Some(named), false) = (&mut store, &named, summary.cut_short) {
            stored::keep_tree(store, named, &summary);
        }
        trees.push(in_words(summary));
    }
    let store = store.map(|mut store| {
        store.trim();
        store.notices().iter().for_each(|notice| complain(&format!("raddle: notice: {notice}\n")));
        StoreStats { directory: store.directory().display().to_string(), reused, entries: trees.len() as u64 }
    });
    Ok(Trees { trees, store })
}

/// A function's tree with what was left out of it in the report's words.
fn in_words(unit: UnitSummary) -> FunctionTree {
    let UnitSummary { mut tree, left_out, ends, .. } = unit;
    let why = |lost: &LedgerEntry| match lost.kind {
        LossKind::LoopBound => format!("further rounds: {}", losses::remedy(&lost.remedy)),
        _ => losses::remedy(&lost.remedy),
    };
    for (node, lost) in &ends {
        tree.nodes[*node].text = format!("not explored any further: {}", why(lost));
    }
    let reason = |(left_out, count): &(LeftOut, u64)| {
        let reason = match left_out {
            LeftOut::Loss(lost) => format!("{}: {}", lost.site, why(lost)),
            LeftOut::Nodes(most) => format!("ways beyond {most} nodes"),
            LeftOut::Time => format!("ways that take longer: {}", losses::remedy(&Remedy::Time)),
        };
        if *count == 1 { reason } else { format!("{reason} ({count} ways)") }
    };
    tree.left_out = left_out.iter().map(reason).collect();
    tree.left_out.sort();
    tree
}

/// In the order in which they were asked for, or are defined.
fn functions(module: &Module, asked: &[String]) -> anyhow::Result<Vec<FuncId>> {
    if asked.is_empty() {
        let own = module.functions().filter(|(_, f)| !f.is_declaration() && !f.library);
        // Inline functions of the system's headers are nobody's business.
        let of_system = |file: FileId| module[file].path.starts_with("/usr/");
        let given = own.filter(|(_, f)| f.file.is_none_or(|file| !of_system(file)));
        return Ok(given.map(|(id, _)| id).collect());
    }
    Ok(asked.iter().map(|name| select::named(module, name, "function")).collect::<Result<_, _>>()?)
}
