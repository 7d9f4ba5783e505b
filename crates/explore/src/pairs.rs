//! The operations of a library, two at a time.
//!
//! For a pair (f, g): f runs alone on the symbolic heap, which partitions the heaps within its precondition into leaves;
//! g runs alone on each leaf, refining it; on each leaf of both, the two threads are explored together, deciding more of
//! the heap as they need it. Whatever is decided later, both operations alone stay as they were on that leaf, so every
//! heap that is explored together is within both preconditions.

use crate::alone::AloneEnd;
use crate::{
    Budget, Counts, Exhausted, Finding, FindingKey, JointOptions, Operation, Progress, RootRule, base_state, explore,
    run_alone, start,
};
use ir::DebugType;
use machine::{Backtrace, Config, Engine, EngineError, LossKind, State};
use memory::{Limits, Names, Value};
use rustc_hash::FxHashMap;

/// What counts as a heap that a client can build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shapes {
    /// The defaults only: races are reported, nothing else.
    Assumed,
    /// The user's predicate holds: all failures are reported.
    Valid,
}

#[derive(Clone, Debug)]
pub struct PairsOptions {
    pub limits: Limits,
    pub globals_symbolic: bool,
    pub roots: RootRule,
    /// `bool ok(const struct T *)`
    pub valid: Option<Operation>,
    pub joint: JointOptions,
    /// For operations that run alone.
    pub alone: Config,
    /// For threads that run together.
    pub together: Config,
}

/// A heap that an operation's own run excluded.
#[derive(Clone, PartialEq, Debug)]
pub struct Dropped {
    /// The shape in one line, and what goes wrong on it.
    pub example: String,
}

/// What an operation does by itself.
#[derive(Debug, Default)]
pub struct OperationSummary {
    pub kept: u64,
    pub dropped: u64,
    pub example: Option<Dropped>,
    pub exhausted: Option<Exhausted>,
}

/// What a pair of operations does.
#[derive(Debug, Default)]
pub struct PairOutcome {
    pub findings: FxHashMap<FindingKey, Finding>,
    pub counts: Counts,
    /// The initial states that were explored, indexed by [`Finding::start`].
    pub starts: Vec<State>,
    pub exhausted: Option<Exhausted>,
}

/// Runs an operation by itself on all heaps.
///
/// # Errors
/// When the engine fails.
pub fn summarise(
    engine: &mut Engine,
    operation: &Operation,
    options: &PairsOptions,
    budget: &Budget,
) -> Result<OperationSummary, EngineError> {
    engine.config = options.alone;
    let mut summary = OperationSummary::default();
    if passes_records(engine, operation) {
        return Ok(summary);
    }
    let (base, args) = base_state(engine, options.limits, options.globals_symbolic, &[operation], options.roots);
    for valid in valid_states(engine, &base, options, &args[0], budget)? {
        let mut state = valid;
        start(engine, &mut state, operation, 1, &args[0]);
        let alone = run_alone(engine, state, budget, &operation.name)?;
        summary.exhausted = summary.exhausted.or(alone.exhausted);
        for leaf in &alone.leaves {
            if leaf.is_valid() {
                summary.kept += 1;
                continue;
            }
            summary.dropped += 1;
            if summary.example.is_none() {
                summary.example = Some(Dropped { example: describe(engine, leaf) });
            }
        }
    }
    Ok(summary)
}

fn describe(engine: &Engine, leaf: &crate::Leaf) -> String {
    let module = &engine.program.module;
    let shape = leaf.state.memory.shape();
    let heap: Vec<String> = Names::new(shape).canonical(module, shape).lines().map(str::to_owned).collect();
    let wrong = match &leaf.end {
        AloneEnd::Faulted(fault) => format!("{} at {}", fault.detail, fault.backtrace.place(module)),
        AloneEnd::Relocks => {
            let place = leaf
                .state
                .thread_ids()
                .next()
                .map(|t| Backtrace::of(&engine.program, leaf.state.thread(t)).place(module))
                .unwrap_or_default();
            format!("takes a lock that it holds at {place}")
        }
        AloneEnd::NeverReturns => "never returns".to_owned(),
        AloneEnd::Returned(_) | AloneEnd::Waits => String::new(),
    };
    format!("{}: {wrong}", heap.join(", "))
}

/// What the predicate is called with: the operations' own root of its parameter's type.
pub fn predicate_arguments(engine: &Engine, base: &State, valid: &Operation, args: &[Value]) -> Vec<Value> {
    let module = &engine.program.module;
    let function = &module[valid.function];
    let wanted = function.source_params.first().and_then(|p| module.pointee(p.ty));
    let root = args.iter().copied().find(|value| match value {
        Value::Lazy { pointer, .. } => {
            let have = base.memory.shape().pointer(*pointer).pointee;
            matches!((have, wanted), (Some(have), Some(want)) if module.same_type(have, want))
        }
        _ => false,
    });
    root.into_iter().take(function.params.len()).collect()
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

/// The base state, restricted by the user's predicate if there is one: one state per way that it says yes.
fn valid_states(
    engine: &mut Engine,
    base: &State,
    options: &PairsOptions,
    args: &[Value],
    budget: &Budget,
) -> Result<Vec<State>, EngineError> {
    let Some(valid) = &options.valid else { return Ok(vec![base.clone()]) };
    let args = predicate_arguments(engine, base, valid, args);
    let mut state = base.clone();
    start(engine, &mut state, valid, 0, &args);
    let alone = run_alone(engine, state, budget, &valid.name)?;
    let mut states = Vec::new();
    for leaf in alone.leaves {
        let AloneEnd::Returned(Some(result)) = leaf.end else { continue };
        let thread = leaf.state.thread_ids().next();
        let mut state = leaf.state;
        let bits = engine.program.module[valid.function].returns.first().map_or(1, |ty| u32::from(ty.bits()));
        let holds = match result {
            Value::Int(word) => word != 0,
            Value::Ptr(_) | Value::Symbolic { .. } => true,
            Value::Term(term) => {
                let low = engine.terms.width(term).min(bits);
                let term = engine.terms.trunc(term, low);
                let nonzero = engine.terms.is_nonzero(term);
                match thread {
                    Some(thread) if engine.may_be(&state, nonzero, thread)? => {
                        state.path.assume(nonzero);
                        true
                    }
                    _ => false,
                }
            }
            Value::Lazy { .. } => {
                engine.note(LossKind::Unsupported, valid.name.clone(), "a predicate that returns a number");
                false
            }
        };
        if holds {
            states.push(rewound(&state, base));
        }
    }
    Ok(states)
}

/// A state in which nothing has run yet, with the heap decided and the values constrained as in `after`.
fn rewound(after: &State, base: &State) -> State {
    let mut state = base.clone();
    state.memory = after.memory.rewound(&base.memory);
    state.path = after.path.clone();
    state
}

/// Explores two operations together.
///
/// # Errors
/// When the engine fails.
pub fn pair(
    engine: &mut Engine,
    operations: [&Operation; 2],
    options: &PairsOptions,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Result<PairOutcome, EngineError> {
    let what = format!("{} and {}", operations[0].name, operations[1].name);
    progress.begin(&what);
    engine.config = options.alone;
    engine.visible.clear();
    let mut outcome = PairOutcome::default();
    if operations.iter().any(|operation| passes_records(engine, operation)) {
        return Ok(outcome);
    }
    let (base, args) = base_state(engine, options.limits, options.globals_symbolic, &operations, options.roots);
    let mut leaves = Vec::new();
    let both: Vec<Value> = args.iter().flatten().copied().collect();
    for valid in valid_states(engine, &base, options, &both, budget)? {
        leaves.push(valid);
    }
    for (index, operation) in operations.iter().enumerate() {
        let mut next = Vec::new();
        for leaf in leaves {
            let mut state = leaf;
            start(engine, &mut state, operation, index + 1, &args[index]);
            let alone = run_alone(engine, state, budget, &what)?;
            outcome.exhausted = outcome.exhausted.or(alone.exhausted);
            next.extend(alone.leaves.iter().filter(|l| l.is_valid()).map(|l| rewound(&l.state, &base)));
        }
        leaves = next;
    }
    engine.config = options.together;
    let starts: Vec<State> = leaves
        .into_iter()
        .map(|mut state| {
            for (index, operation) in operations.iter().enumerate() {
                start(engine, &mut state, operation, index + 1, &args[index]);
            }
            state
        })
        .collect();
    // A heap on which the two cannot complete under any schedule is outside of the precondition as well.
    let joint = JointOptions { completing: true, ..options.joint };
    let explored = explore(engine, &starts, joint, budget, progress, &what)?;
    outcome.exhausted = outcome.exhausted.or(explored.exhausted);
    outcome.counts = explored.counts;
    outcome.findings = explored.findings;
    outcome.starts = starts;
    Ok(outcome)
}
