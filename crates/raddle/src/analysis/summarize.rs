//! `raddle summarize`: what functions do by themselves.

use super::select;
use crate::errors::InputError;
use crate::options::SummarizeOptions;
use crate::run::Run;
use ir::{FileId, FuncId, Module};
use machine::{Config, Engine, External, Program, Weak};
use memory::Limits;
use report::FunctionTree;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use summary::{UnitOptions, summarize};

/// Nodes of one function's tree.
const MOST_NODES: usize = 2_000;

/// What a function may take where the user sets no limit for all.
const PATIENCE: Duration = Duration::from_secs(10);

/// Instructions between two things that others may notice, or that are chosen.
const QUIET_STEPS: u64 = 200_000;

/// The trees of the functions that are asked for, or of all that the program has written.
///
/// # Errors
/// [`crate::errors::UsageError`] for a function that there is not; for the rest, raddle's own.
pub(crate) fn trees(module: Module, options: &SummarizeOptions, run: &Run) -> anyhow::Result<Vec<FunctionTree>> {
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
    let setup = smt::Setup { stop: Some(Arc::new(over.clone())), ..run.solver.setup(&run.out)? };
    let config = Config {
        unroll: bounds.unroll,
        fail_alloc: bounds.fail_alloc,
        relaxed_volatile: bounds.volatile == crate::options::Volatile::Relaxed,
        weak: Weak::Accept,
        external: External::Havoc,
        quiet_steps: QUIET_STEPS,
        ..Config::default()
    };
    let limits = Limits { depth: bounds.depth, array: bounds.array, share_owners: true };
    let unit = UnitOptions { limits, config, most_nodes: MOST_NODES };
    let mut engine = Engine::new(Arc::new(program), smt::Solving::set_up(setup)?, config);
    engine.interrupted = Some(Box::new(over));
    let mut trees = Vec::with_capacity(functions.len());
    for function in functions {
        *begun.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        trees.push(summarize(&mut engine, function, &unit)?);
    }
    Ok(trees)
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
