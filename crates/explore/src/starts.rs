//! The heaps on which a pair of operations is explored, one at a time.
//!
//! For a pair (f, g): f runs alone on the symbolic heap, which partitions the heaps within its precondition into leaves;
//! g runs alone on each leaf, refining it; on each leaf of both, the two threads are explored together, deciding more of
//! the heap as they need it. Whatever is decided later, both operations alone stay as they were on that leaf, so every
//! heap that is explored together is within both preconditions.
//!
//! Where failures other than races are reported, they should be due to concurrency: both operations run one after
//! another as well, in both orders, and a heap on which that fails is explored for races only.
//!
//! Leaves come depth first, each as soon as it is complete: where an operation has too many for the time at hand, the
//! first are explored together all the same.

use crate::alone::{AloneEnd, AloneRuns, Leaf};
use crate::{Budget, Exhausted, Operation, PairsOptions, base_state, start};
use machine::{Backtrace, Config, Engine, EngineError, FaultKind, LossKind, State};
use memory::{Names, Value};

/// An initial state to explore.
#[derive(Clone, Debug)]
pub struct Start {
    pub state: State,
    /// Failures other than races may be due to it, rather than to concurrency.
    pub fails_anyway: bool,
}

/// Initial states to explore.
pub trait Starts {
    /// The next one; none after the last, or when something is exhausted.
    ///
    /// # Errors
    /// When the engine fails.
    fn next(&mut self, engine: &mut Engine) -> Result<Option<Start>, EngineError>;

    /// Why there are no more, other than that there are none.
    fn exhausted(&self) -> Option<Exhausted> {
        None
    }
}

/// A single one.
impl Starts for Option<State> {
    fn next(&mut self, _engine: &mut Engine) -> Result<Option<Start>, EngineError> {
        Ok(self.take().map(|state| Start { state, fails_anyway: false }))
    }
}

/// A heap that an operation's own run excluded.
#[derive(Clone, PartialEq, Debug)]
pub struct Dropped {
    /// In one line.
    pub shape: String,
    /// What goes wrong on it, and where.
    pub reason: String,
    /// A null pointer is all that is wrong.
    pub is_null: bool,
}

/// What an operation does by itself.
#[derive(Debug, Default)]
pub struct OperationSummary {
    pub kept: u64,
    pub dropped: u64,
    /// The first for each reason.
    pub examples: Vec<Dropped>,
    pub exhausted: Option<Exhausted>,
}

/// The heaps within the preconditions of some operations.
pub(crate) struct HeapStarts<'a> {
    operations: Vec<&'a Operation>,
    valid: Option<&'a Operation>,
    budget: &'a Budget,
    alone: Config,
    together: Config,
    /// Each operation's.
    args: Vec<Vec<Value>>,
    base: State,
    /// Before anything has run.
    untouched: Option<State>,
    /// What runs on the leaves of what is before it: the predicate if there is one, then the operations, and where
    /// failures count, these one after another. Whether that fails on the heap already.
    stages: Vec<(AloneRuns, bool)>,
    pub first_alone: OperationSummary,
    /// Heaps given out on which failures count for nothing.
    pub races_only: u64,
    exhausted: Option<Exhausted>,
}

/// What runs alone.
#[derive(Clone, Copy)]
enum Stage {
    Valid,
    Operation(usize),
    /// One after another, from the first or from the last.
    Serial {
        backwards: bool,
    },
}

impl<'a> HeapStarts<'a> {
    pub(crate) fn new(
        engine: &mut Engine,
        operations: Vec<&'a Operation>,
        options: &'a PairsOptions,
        budget: &'a Budget,
    ) -> Self {
        let (base, args) = base_state(engine, options.limits, options.globals_symbolic, &operations, options.roots);
        HeapStarts {
            operations,
            valid: options.valid.as_ref(),
            budget,
            alone: options.alone,
            together: options.together,
            args,
            untouched: Some(base.clone()),
            base,
            stages: Vec::new(),
            first_alone: OperationSummary::default(),
            races_only: 0,
            exhausted: None,
        }
    }

    /// What runs at a depth of the stack of stages; none below the last.
    fn stage(&self, depth: usize) -> Option<Stage> {
        let all = self.operations.len();
        match (self.valid, depth) {
            (Some(_), 0) => Some(Stage::Valid),
            (Some(_), depth) if depth <= all => Some(Stage::Operation(depth - 1)),
            (Some(_), depth) if depth <= all + 2 => Some(Stage::Serial { backwards: depth == all + 2 }),
            (None, depth) if depth < all => Some(Stage::Operation(depth)),
            _ => None,
        }
    }

    /// All operations, about to run.
    fn all_started(&self, engine: &mut Engine, heap: State) -> State {
        let mut state = heap;
        for (index, operation) in self.operations.iter().enumerate() {
            start(engine, &mut state, operation, index + 1, &self.args[index]);
        }
        state
    }

    /// Begins what comes next on a heap; the heap itself if all have run.
    fn descend(&mut self, engine: &mut Engine, heap: State, fails: bool) -> Option<Start> {
        let mut state = heap;
        match self.stage(self.stages.len()) {
            Some(Stage::Valid) => {
                let valid = self.valid?;
                let all: Vec<Value> = self.args.iter().flatten().copied().collect();
                let args = predicate_arguments(engine, &self.base, valid, &all);
                start(engine, &mut state, valid, 0, &args);
                self.stages.push((AloneRuns::new(state, &valid.name), fails));
                None
            }
            Some(Stage::Operation(index)) => {
                let operation = self.operations[index];
                start(engine, &mut state, operation, index + 1, &self.args[index]);
                self.stages.push((AloneRuns::new(state, &operation.name), fails));
                None
            }
            Some(Stage::Serial { backwards }) => {
                let names: Vec<&str> = self.operations.iter().map(|operation| operation.name.as_str()).collect();
                let state = self.all_started(engine, state);
                self.stages.push((AloneRuns::serial(state, backwards, &names.join(" and ")), fails));
                None
            }
            None => {
                self.races_only += u64::from(fails);
                Some(Start { state: self.all_started(engine, state), fails_anyway: fails })
            }
        }
    }

    /// What a leaf leaves for the next stage: a heap on which nothing has run yet.
    fn accept(&mut self, engine: &mut Engine, leaf: Leaf, stage: Stage) -> Result<Option<State>, EngineError> {
        let after = match (stage, self.valid) {
            (Stage::Serial { .. }, _) => Some(leaf.state),
            (Stage::Valid, Some(valid)) => accepted(engine, valid, leaf)?,
            (Stage::Valid, None) => None,
            (Stage::Operation(index), _) => {
                if index == 0 {
                    self.first_alone.note(engine, &leaf);
                }
                note_misuse(engine, &self.operations[index].name, &leaf);
                leaf.is_valid().then_some(leaf.state)
            }
        };
        Ok(after.map(|after| rewound(&after, &self.base)))
    }

    fn search(&mut self, engine: &mut Engine) -> Result<Option<Start>, EngineError> {
        if let Some(state) = self.untouched.take() {
            self.descend(engine, state, false);
        }
        while let Some(depth) = self.stages.len().checked_sub(1) {
            let Some(stage) = self.stage(depth) else { break };
            let (runs, fails) = &mut self.stages[depth];
            let fails = *fails;
            let Some(leaf) = runs.next(engine, self.budget)? else {
                self.exhausted = self.exhausted.or(runs.exhausted);
                if self.exhausted.is_some() {
                    self.stages.clear();
                }
                self.stages.pop();
                continue;
            };
            let fails = fails || matches!((stage, &leaf.end), (Stage::Serial { .. }, AloneEnd::Faulted(_)));
            if let Some(heap) = self.accept(engine, leaf, stage)?
                && let Some(start) = self.descend(engine, heap, fails)
            {
                return Ok(Some(start));
            }
        }
        self.first_alone.exhausted = self.exhausted;
        Ok(None)
    }
}

impl Starts for HeapStarts<'_> {
    fn next(&mut self, engine: &mut Engine) -> Result<Option<Start>, EngineError> {
        engine.config = self.alone;
        let visible = std::mem::take(&mut engine.visible);
        let found = self.search(engine);
        engine.visible = visible;
        engine.config = self.together;
        found
    }

    fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted
    }
}

/// Reasons for which an example is kept.
const MOST_EXAMPLES: usize = 8;

impl OperationSummary {
    fn note(&mut self, engine: &Engine, leaf: &Leaf) {
        if leaf.is_valid() {
            self.kept += 1;
            return;
        }
        self.dropped += 1;
        let reason = reason(engine, leaf);
        if self.examples.len() < MOST_EXAMPLES && self.examples.iter().all(|known| known.reason != reason) {
            let (module, shape) = (&engine.program.module, leaf.state.memory.shape());
            let heap: Vec<String> = Names::new(shape).canonical(module, shape).lines().map(str::to_owned).collect();
            let is_null = matches!(&leaf.end, AloneEnd::Faulted(fault) if fault.kind == FaultKind::NullDereference);
            self.examples.push(Dropped { shape: heap.join(", "), reason, is_null });
        }
    }
}

/// A heap that is dropped for an operation's misuse of a lock enters the ledger. What heaps look like is the caller's
/// affair, but a lock that a path forgets to take, or a thread that the initial heap has no place for, is not.
fn note_misuse(engine: &mut Engine, operation: &str, leaf: &Leaf) {
    if let AloneEnd::Faulted(fault) = &leaf.end
        && fault.kind == FaultKind::LockMisuse
    {
        let place = fault.backtrace.place(&engine.program.module);
        let remedy = format!("{operation} by itself: {}; heaps on which it does that were not explored", fault.detail);
        engine.note(LossKind::LockMisuse, place, &remedy);
    }
}

/// Why a leaf is outside of the precondition.
fn reason(engine: &Engine, leaf: &Leaf) -> String {
    let module = &engine.program.module;
    match &leaf.end {
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
    }
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

/// The state after a predicate said yes, if it can on that leaf.
fn accepted(engine: &mut Engine, valid: &Operation, leaf: Leaf) -> Result<Option<State>, EngineError> {
    let AloneEnd::Returned(Some(result)) = leaf.end else { return Ok(None) };
    let mut state = leaf.state;
    let bits = engine.program.module[valid.function].returns.first().map_or(1, |ty| u32::from(ty.bits()));
    let holds = match result {
        Value::Int(word) => word != 0,
        Value::Ptr(_) | Value::Symbolic { .. } => true,
        Value::Term(term) => {
            let low = engine.terms.width(term).min(bits);
            let term = engine.terms.trunc(term, low);
            let nonzero = engine.terms.is_nonzero(term);
            match state.thread_ids().next() {
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
    Ok(holds.then_some(state))
}

/// A state in which nothing has run yet, with the heap decided and the values constrained as in `after`.
fn rewound(after: &State, base: &State) -> State {
    let mut state = base.clone();
    state.memory = after.memory.rewound(&base.memory);
    state.path = after.path.clone();
    state
}
