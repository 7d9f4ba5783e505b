//! The heaps on which threads are explored together, one at a time.
//!
//! For two threads that call f and g: f runs alone on the symbolic heap, which partitions the heaps within its precondition
//! into leaves; g runs alone on each leaf, refining it; on each leaf of both, the two threads are explored together, deciding
//! more of the heap as they need it. Whatever is decided later, both threads alone stay as they were on that leaf, so every
//! heap that is explored together is within both preconditions. That of a thread that makes several calls is that all of
//! them, one after the other, go well.
//!
//! Where failures other than races are reported, they should be due to concurrency: where one shows, the calls of all threads
//! are made one after another as well, in every order ([`HeapStarts::fails_in_turn`]). If that may fail, it is told apart on which
//! heaps it does ([`HeapStarts::apart`]), and those are explored for races only. Few starts come to that, and telling them apart
//! makes many starts of one.
//!
//! Leaves come depth first, each as soon as it is complete: where an operation has too many for the time at hand, the
//! first are explored together all the same.

use crate::alone::{AloneEnd, AloneLeft, AloneRuns, Guide, Leaf};
use crate::meter::Meter;
use crate::origin::Origin;
use crate::origin::operation::{Call, Operation, arguments, serial_orders, start};
use crate::run::prefix::{Leaves, Prefix, prefix_of};
use concurrency::ThreadId;
use machine::{Backtrace, Config, Decision, Engine, EngineError, Fault, FaultKind, LossKind, State, Step};
use memory::{Names, Target, Territory, Value};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// An initial state to explore.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub state: State,
    /// Whether failures other than races may be due to the heap, rather than to concurrency.
    pub fails_anyway: FailsAnyway,
}

/// Whether calls that are made one after another fail on a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailsAnyway {
    Yes,
    No,
    /// Nobody has looked. It may be so on a part of the heaps that the start stands for.
    Unknown,
}

/// Part of the heaps that are left to be found: those behind these leaves, on which another thread runs alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct StartsLeft {
    leaves: Leaves,
    left: AloneLeft,
}

/// A heap that a thread's own run excluded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Dropped {
    /// In one line.
    pub shape: String,
    /// What goes wrong on it, and where.
    pub reason: String,
    /// A null pointer is all that is wrong.
    pub is_null: bool,
}

/// What a thread does by itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AloneSummary {
    pub kept: u64,
    pub dropped: u64,
    /// Of these, those for following a pointer that is null because the bound on pointer chains leaves nothing for it to
    /// lead to.
    pub at_bound: u64,
    /// Heaps of which the predicate says that they are valid, if there is one, before anything else runs on them.
    pub accepted: u64,
    /// What goes wrong in the predicate, the first time that something does.
    pub predicate_fails: Option<String>,
    /// The first for each reason.
    pub examples: Vec<Dropped>,
    /// Not all of its ways were explored.
    pub cut_short: bool,
}

/// The heaps within the preconditions of what threads call, or the one state that a program begins in.
pub(crate) struct HeapStarts<'a> {
    origin: &'a Origin,
    /// Each thread's.
    calls: Vec<Vec<Call>>,
    /// Where failures count: in which orders the calls can be made one after another.
    orders: Vec<Rc<[ThreadId]>>,
    base: State,
    /// Before anything has run.
    untouched: Option<State>,
    /// What runs on the leaves of what is before it: the predicate if there is one, then the threads, and where it is to be
    /// told apart whether they fail anyway, these one call after another.
    stages: Vec<Running>,
    /// Of the start that was given out last.
    leaves: Leaves,
    pub first_alone: AloneSummary,
    /// Heaps given out on which failures count for nothing.
    pub races_only: u64,
    guide: Option<Rc<dyn Guide>>,
}

/// A stage on one heap.
struct Running {
    runs: AloneRuns,
    /// Whether something fails on the heap already.
    fails: bool,
    /// How the stages before it went.
    leaves: Leaves,
}

/// What runs alone.
#[derive(Clone, Copy)]
enum Stage {
    Valid,
    Thread(usize),
    /// All calls one after another, in the order with this number.
    Serial(usize),
}

impl<'a> HeapStarts<'a> {
    pub(crate) fn new(engine: &mut Engine, origin: &'a Origin) -> Self {
        let (base, calls) = origin.base_state(engine);
        let orders = match origin.valid() {
            Some(_) => serial_orders(origin.threads()).into_iter().map(Rc::from).collect(),
            None => Vec::new(),
        };
        HeapStarts {
            origin,
            calls,
            orders,
            untouched: Some(base.clone()),
            base,
            stages: Vec::new(),
            leaves: Leaves::new(),
            first_alone: AloneSummary::default(),
            races_only: 0,
            guide: None,
        }
    }

    /// Only heaps to which a guide leads.
    pub(crate) fn guided(engine: &mut Engine, origin: &'a Origin, guide: Rc<dyn Guide>) -> Self {
        HeapStarts { guide: Some(guide), ..HeapStarts::new(engine, origin) }
    }

    /// What runs at a depth of the stack of stages; none below the last.
    fn stage(&self, depth: usize) -> Option<Stage> {
        let all = self.origin.threads().len();
        match (self.origin.valid(), depth) {
            (Some(_), 0) => Some(Stage::Valid),
            (Some(_), depth) if depth <= all => Some(Stage::Thread(depth - 1)),
            (Some(_), depth) if depth <= all + self.orders.len() => Some(Stage::Serial(depth - all - 1)),
            (None, depth) if depth < all => Some(Stage::Thread(depth)),
            _ => None,
        }
    }

    /// All threads, about to run.
    fn all_started(&self, engine: &mut Engine, heap: State) -> State {
        let mut state = heap;
        for (index, calls) in self.calls.iter().enumerate() {
            start(engine, &mut state, index + 1, calls);
        }
        state
    }

    /// Begins what comes next on a heap; the heap itself if all have run.
    fn descend(&mut self, engine: &mut Engine, heap: State, fails: bool, leaves: Leaves) -> Option<Start> {
        let mut state = heap;
        let runs = match self.stage(self.stages.len()) {
            Some(Stage::Valid) => {
                let valid = self.origin.valid()?;
                let call = predicate_call(engine, &self.base, valid, &self.calls);
                start(engine, &mut state, 0, &[call]);
                AloneRuns::new(state)
            }
            Some(Stage::Thread(index)) => {
                start(engine, &mut state, index + 1, &self.calls[index]);
                AloneRuns::new(state)
            }
            // Whether it is told apart is up to the caller.
            Some(Stage::Serial(0)) => {
                self.leaves = leaves;
                return Some(Start { state: self.all_started(engine, state), fails_anyway: FailsAnyway::Unknown });
            }
            Some(Stage::Serial(order)) => {
                AloneRuns::serial(self.all_started(engine, state), Rc::clone(&self.orders[order]))
            }
            None => {
                self.races_only += u64::from(fails);
                self.leaves = leaves;
                let fails_anyway = if fails { FailsAnyway::Yes } else { FailsAnyway::No };
                return Some(Start { state: self.all_started(engine, state), fails_anyway });
            }
        };
        let runs = runs.along(self.guide.clone());
        self.stages.push(Running { runs, fails, leaves });
        None
    }

    /// Whether calls that are made one after another may fail on a start; what cannot be seen to its end may. None: the meter
    /// has stopped.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn fails_in_turn(
        &mut self,
        engine: &mut Engine,
        start: &State,
        meter: &mut Meter,
    ) -> Result<Option<bool>, EngineError> {
        self.alone(engine, |starts, engine| {
            let lost = engine.ledger.total();
            for order in &starts.orders {
                let mut runs = AloneRuns::serial(start.clone(), Rc::clone(order));
                while let Some(leaf) = runs.next(engine, meter)? {
                    if matches!(leaf.end, AloneEnd::Faulted(_)) {
                        return Ok(Some(true));
                    }
                }
                if meter.stopped().is_some() {
                    return Ok(None);
                }
            }
            Ok(Some(engine.ledger.total() > lost))
        })
    }

    /// Tells apart on which heaps calls that are made one after another fail: what comes next are the parts of this start, the
    /// last one that was given out.
    pub(crate) fn apart(&mut self, start: State) {
        let Some(order) = self.orders.first() else { return };
        let runs = AloneRuns::serial(start, Rc::clone(order)).along(self.guide.clone());
        self.stages.push(Running { runs, fails: false, leaves: self.leaves.clone() });
    }

    /// What is left of a start whose parts are to be told apart.
    pub(crate) fn all_apart(leaves: &Leaves) -> StartsLeft {
        StartsLeft { leaves: leaves.clone(), left: AloneLeft { prefix: Prefix::default(), rest: None } }
    }

    /// Whether what these leaves lead to is a start whose parts are told apart, if anything runs on it.
    fn is_whole(&self, leaves: &Leaves) -> bool {
        matches!(self.stage(leaves.len()), Some(Stage::Serial(0)))
    }

    /// What a leaf leaves for the next stage: a heap on which nothing has run yet.
    fn accept(&mut self, engine: &mut Engine, leaf: Leaf, stage: Stage) -> Result<Option<State>, EngineError> {
        let after = match (stage, self.origin.valid()) {
            (Stage::Serial(_), _) => Some(leaf.state),
            (Stage::Valid, Some(valid)) => {
                if self.first_alone.predicate_fails.is_none() && !matches!(leaf.end, AloneEnd::Returned(_)) {
                    self.first_alone.predicate_fails = Some(reason(engine, &leaf)).filter(|why| !why.is_empty());
                }
                let accepted = accepted(engine, valid, leaf)?;
                self.first_alone.accepted += u64::from(accepted.is_some());
                accepted
            }
            (Stage::Valid, None) => None,
            (Stage::Thread(index), _) => {
                if index == 0 {
                    self.first_alone.note(engine, &leaf);
                }
                let waits_for_itself = matches!(leaf.end, AloneEnd::Relocks { anyway: true });
                if waits_for_itself && self.origin.valid().is_some() {
                    // That is a failure, whoever runs beside it.
                    return Ok(Some(rewound(&leaf.state, &self.base)));
                }
                note_misuse(engine, &self.origin.threads()[index].name(), &leaf);
                leaf.is_valid().then_some(leaf.state)
            }
        };
        Ok(after.map(|after| rewound(&after, &self.base)))
    }

    /// Takes a leaf of the innermost stage. A start, if nothing else has to run alone on that heap.
    fn take(&mut self, engine: &mut Engine, leaf: Leaf) -> Result<Option<Start>, EngineError> {
        let Some(depth) = self.stages.len().checked_sub(1) else { return Ok(None) };
        let Some(stage) = self.stage(depth) else { return Ok(None) };
        let serial_fails = matches!((stage, &leaf.end), (Stage::Serial(_), AloneEnd::Faulted(_)));
        let fails = self.stages[depth].fails || serial_fails;
        let mut leaves = self.stages[depth].leaves.clone();
        leaves.push(prefix_of(&leaf.state));
        let heap = self.accept(engine, leaf, stage)?;
        Ok(heap.and_then(|heap| self.descend(engine, heap, fails, leaves)))
    }

    fn search(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<Start>, EngineError> {
        if let Some(state) = self.untouched.take()
            && let Some(start) = self.descend(engine, state, false, Leaves::new())
        {
            return Ok(Some(start));
        }
        while let Some(running) = self.stages.last_mut() {
            let leaf = running.runs.next(engine, meter)?;
            match leaf {
                Some(leaf) => {
                    if let Some(start) = self.take(engine, leaf)? {
                        return Ok(Some(start));
                    }
                }
                None if meter.stopped().is_some() => return Ok(None),
                None => {
                    self.stages.pop();
                }
            }
        }
        Ok(None)
    }

    /// The next one; none after the last, or when the meter stops.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn next(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<Start>, EngineError> {
        self.alone(engine, |starts, engine| starts.search(engine, meter))
    }

    /// How the threads alone went on the start that was given out last.
    pub(crate) fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// What is left, the next first.
    pub(crate) fn left(&mut self) -> Vec<StartsLeft> {
        let mut all = Vec::new();
        for Running { runs, leaves, .. } in self.stages.iter_mut().rev() {
            all.extend(runs.left().map(|left| StartsLeft { leaves: leaves.clone(), left }));
        }
        all
    }

    /// The start behind these leaves, and no other after it.
    ///
    /// # Errors
    /// When the engine fails, or there is none.
    pub(crate) fn start_at(
        &mut self,
        engine: &mut Engine,
        leaves: &Leaves,
        meter: &mut Meter,
    ) -> Result<Start, EngineError> {
        self.alone(engine, |starts, engine| starts.go_to(engine, leaves, meter))?.ok_or(EngineError::Diverged)
    }

    /// Goes on with what another engine had left over, and with nothing else.
    ///
    /// # Errors
    /// As for [`HeapStarts::start_at`].
    pub(crate) fn resume(
        &mut self,
        engine: &mut Engine,
        left: &StartsLeft,
        meter: &mut Meter,
    ) -> Result<(), EngineError> {
        self.alone(engine, |starts, engine| {
            let start = starts.go_to(engine, &left.leaves, meter)?;
            if starts.is_whole(&left.leaves) {
                starts.apart(start.ok_or(EngineError::Diverged)?.state);
            }
            let running = starts.stages.last_mut().ok_or(EngineError::Diverged)?;
            running.runs.resume(engine, &left.left)
        })
    }

    /// Follows leaves from the outermost stage on.
    fn go_to(&mut self, engine: &mut Engine, leaves: &Leaves, meter: &mut Meter) -> Result<Option<Start>, EngineError> {
        let heap = self.untouched.take().ok_or(EngineError::Diverged)?;
        let mut start = self.descend(engine, heap, false, Leaves::new());
        for prefix in leaves {
            if let Some(whole) = start.take() {
                self.apart(whole.state);
            }
            let running = self.stages.last_mut().ok_or(EngineError::Diverged)?;
            let leaf = running.runs.leaf(engine, prefix, meter)?;
            running.runs.forget();
            start = self.take(engine, leaf)?;
        }
        Ok(start)
    }

    /// Does something for which threads run alone.
    fn alone<T>(&mut self, engine: &mut Engine, run: impl FnOnce(&mut Self, &mut Engine) -> T) -> T {
        let Some(alone) = self.origin.alone() else { return run(self, engine) };
        let together = std::mem::replace(&mut engine.config, Config { calls_apart: true, ..alone });
        let visible = std::mem::take(&mut engine.visible);
        let result = run(self, engine);
        engine.visible = visible;
        engine.config = together;
        result
    }
}

/// Reasons for which an example is kept.
const MOST_EXAMPLES: usize = 8;

impl AloneSummary {
    /// With other words for what goes wrong; none where there are none for something.
    pub fn reworded(&self, mut other: impl FnMut(&str) -> Option<String>) -> Option<AloneSummary> {
        let example = |dropped: &Dropped| Some(Dropped { reason: other(&dropped.reason)?, ..dropped.clone() });
        let examples = self.examples.iter().map(example).collect::<Option<_>>()?;
        let predicate_fails = match &self.predicate_fails {
            Some(why) => Some(other(why)?),
            None => None,
        };
        Some(AloneSummary { examples, predicate_fails, ..self.clone() })
    }

    /// Adds what comes after this.
    pub(crate) fn merge(&mut self, other: &AloneSummary) {
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.at_bound += other.at_bound;
        self.accepted += other.accepted;
        if self.predicate_fails.is_none() {
            self.predicate_fails.clone_from(&other.predicate_fails);
        }
        self.cut_short |= other.cut_short;
        for example in &other.examples {
            self.keep(example.clone());
        }
    }

    fn keep(&mut self, example: Dropped) {
        if self.examples.len() < MOST_EXAMPLES && self.examples.iter().all(|known| known.reason != example.reason) {
            self.examples.push(example);
        }
    }

    fn note(&mut self, engine: &Engine, leaf: &Leaf) {
        if leaf.is_valid() {
            self.kept += 1;
            return;
        }
        self.dropped += 1;
        self.at_bound += u64::from(is_at_bound(engine, leaf));
        let reason = reason(engine, leaf);
        if self.examples.len() < MOST_EXAMPLES && self.examples.iter().all(|known| known.reason != reason) {
            let (module, shape) = (&engine.program.module, leaf.state.memory.shape());
            let heap: Vec<String> = Names::new(shape).canonical(module, shape).lines().map(str::to_owned).collect();
            let is_null = matches!(&leaf.end, AloneEnd::Faulted(fault) if fault.kind == FaultKind::NullDereference);
            self.examples.push(Dropped { shape: heap.join(", "), reason, is_null });
        }
    }
}

/// Whether the thread followed a pointer that is null only for the bound's sake.
fn is_at_bound(engine: &Engine, leaf: &Leaf) -> bool {
    let AloneEnd::Faulted(Fault { kind: FaultKind::NullDereference, .. }) = &leaf.end else { return false };
    match leaf.state.trace.last() {
        Some(&Step::Decide(_, Decision::Null(pointer) | Decision::Target(pointer, Target::Null))) => {
            leaf.state.memory.shape().is_null_at_bound(&engine.program.module, pointer)
        }
        _ => false,
    }
}

/// A heap that is dropped for a thread's misuse of a lock, or because it waits for itself, or for its use of a value that was
/// never set, enters the ledger. What
/// heaps look like is the caller's affair, but a lock that a path forgets to take, a variable that it forgets to set, or a
/// thread that the initial heap has no place for, is not.
fn note_misuse(engine: &mut Engine, calls: &str, leaf: &Leaf) {
    let (kind, backtrace, what) = match &leaf.end {
        AloneEnd::Faulted(fault) => match fault.kind {
            FaultKind::LockMisuse => (LossKind::LockMisuse, fault.backtrace.clone(), fault.detail.as_str()),
            FaultKind::UninitializedRead => (LossKind::Uninitialized, fault.backtrace.clone(), fault.detail.as_str()),
            _ => return,
        },
        AloneEnd::Relocks { anyway: true } => {
            let Some(thread) = leaf.state.thread_ids().next() else { return };
            let backtrace = Backtrace::of(&engine.program, leaf.state.thread(thread));
            (LossKind::LockMisuse, backtrace, "it waits for a lock that it holds, for ever")
        }
        _ => return,
    };
    let place = backtrace.place(&engine.program.module);
    let remedy = format!("{calls} by itself: {what}; heaps on which it does that were not explored");
    engine.note(kind, place, &remedy);
}

/// Why a leaf is outside of the precondition.
fn reason(engine: &Engine, leaf: &Leaf) -> String {
    let module = &engine.program.module;
    match &leaf.end {
        AloneEnd::Faulted(fault) => format!("{} at {}", fault.detail, fault.backtrace.place(module)),
        AloneEnd::Relocks { .. } => {
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

/// The call of the predicate: with the shared root of its parameter's type that `threads` are given.
pub fn predicate_call(engine: &Engine, base: &State, valid: &Operation, threads: &[Vec<Call>]) -> Call {
    let module = &engine.program.module;
    let function = &module[valid.function];
    let wanted = function.source_params.first().and_then(|p| module.pointee(p.ty));
    let root = arguments(threads).into_iter().find(|value| match value {
        Value::Lazy { pointer, .. } => {
            let pointer = base.memory.shape().pointer(*pointer);
            let have = pointer.pointee.filter(|_| !matches!(pointer.territory, Territory::Private(_)));
            matches!((have, wanted), (Some(have), Some(want)) if module.same_type(have, want))
        }
        _ => false,
    });
    Call { function: valid.function, arguments: root.into_iter().take(function.params.len()).collect() }
}

/// The state after a predicate said yes, if it can on that leaf.
pub(crate) fn accepted(engine: &mut Engine, valid: &Operation, leaf: Leaf) -> Result<Option<State>, EngineError> {
    let AloneEnd::Returned(Some(result)) = leaf.end else { return Ok(None) };
    let mut state = leaf.state;
    let module = &engine.program.module;
    let returned = module[valid.function].returns.first();
    let bits = returned.map_or(1, |ty| u32::from(ty.bits(module.pointer)));
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
pub(crate) fn rewound(after: &State, base: &State) -> State {
    let mut state = base.clone();
    state.memory = after.memory.rewound(&base.memory);
    state.path = after.path.clone();
    state.endless.clone_from(&after.endless);
    state
}
