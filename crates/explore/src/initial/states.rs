//! The heaps on which threads are explored together, one at a time.
//!
//! For two threads that call f and g: f runs alone on the symbolic heap, which partitions the heaps within its precondition
//! into leaves; g runs alone on each leaf, refining it; on each leaf of both, the two threads are explored together, deciding
//! more of the heap as they need it. Whatever is decided later, both threads alone stay as they were on that leaf, so every
//! heap that is explored together is within both preconditions. That of a thread that makes several calls is that all of
//! them, one after the other, go well.
//!
//! Where failures other than races are reported, they should be due to concurrency: where one shows, the calls of all threads
//! are made one after another as well, in every order ([`InitialStates::fails_in_turn`]). If that may fail, it is told apart on which
//! heaps it does ([`InitialStates::apart`]), and those are explored for races only. Few starts come to that, and telling them apart
//! makes many starts of one. Of what clients build, only what fails there does not count: the same fault at the same place, if it is the
//! caller's affair ([`Serially::faults`]).
//!
//! Leaves come depth first, each as soon as it is complete: where an operation has too many for the time at hand, the
//! first are explored together all the same.

use crate::budget::meter::Meter;
use crate::findings::{FindingKey, FindingKind};
use crate::initial::alone::{AloneSummary, note_misuse, reason};
use crate::initial::predicate::{accepted, predicate_call, rewound};
use crate::initial::reached::Reached;
use crate::initial::{AloneEnd, AloneLeft, AloneRuns, Guide, Leaf};
use crate::model::launch::launch;
use crate::model::operation::{Call, Sequence, serial_orders, start};
use crate::model::roots::break_symmetry_of;
use crate::model::{ClientStart, Origin};
use crate::run::prefix::{InitialPrefixes, Prefix, prefix_of};
use concurrency::ThreadId;
use machine::{Config, Engine, EngineError, FaultKind, State, Status};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// An initial state to explore.
#[derive(Clone, Debug)]
pub(crate) struct InitialState {
    pub state: State,
    /// Whether failures other than races may be due to the heap, rather than to concurrency.
    pub fails_anyway: FailsAnyway,
    /// Failures that calls one after another show as well.
    pub faults: BTreeSet<FindingKey>,
    /// Threads that wait where nothing was called before them.
    pub waits_first: BTreeSet<ThreadId>,
}

/// Whether calls that are made one after another fail on a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailsAnyway {
    Yes,
    /// In some order a call waits for what nobody does, and nothing fails.
    Waits,
    No,
    /// Nobody has looked. It may be so on a part of the heaps that the start stands for.
    Unknown,
}

/// Part of the heaps that are left to be found: those behind these leaves, on which another thread runs alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct InitialStatesLeft {
    leaves: InitialPrefixes,
    left: AloneLeft,
}

/// The heaps within the preconditions of what threads call, or the one state that a program begins in.
pub(crate) struct InitialStates<'a> {
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
    leaves: InitialPrefixes,
    pub first_alone: AloneSummary,
    /// Heaps given out on which failures count for nothing.
    pub races_only: u64,
    /// Initial states from which in every order a call gives back a lock of its caller's that the caller has not.
    pub unlocked: u64,
    guide: Option<Rc<dyn Guide>>,
}

/// What calls come to that are made one after another.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Serially {
    /// At worst.
    pub end: SerialEnd,
    /// Faults of what clients build; they do not make it [`SerialEnd::Fail`].
    pub faults: BTreeSet<FindingKey>,
    /// Orders in which there is such a fault.
    pub faulty: usize,
    /// Threads that wait where they come first.
    pub waits_first: BTreeSet<ThreadId>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum SerialEnd {
    /// All return.
    #[default]
    Return,
    /// One waits for what nobody does.
    Wait,
    Fail,
}

impl Serially {
    fn of(end: SerialEnd) -> Self {
        Serially { end, ..Serially::default() }
    }

    /// What comes of both.
    fn with(mut self, other: Serially) -> Self {
        self.end = self.end.max(other.end);
        self.faults.extend(other.faults);
        self.faulty += other.faulty;
        self.waits_first.extend(other.waits_first);
        self
    }

    /// Whether it makes a difference to what may have been found: of each, whether it is a deadlock in which somebody waits, and whether
    /// one of these, who wait first, for what nobody is meant to do.
    pub(crate) fn excuses<'f>(
        &self,
        orders: usize,
        mut found: impl Iterator<Item = (&'f FindingKey, [bool; 2])>,
    ) -> bool {
        match self.end {
            SerialEnd::Fail => true,
            SerialEnd::Wait | SerialEnd::Return if self.faulty >= orders => found.next().is_some(),
            SerialEnd::Wait | SerialEnd::Return => {
                let waits = |waits: [bool; 2]| waits[0] && self.end == SerialEnd::Wait || waits[1];
                found.any(|(key, how)| waits(how) || self.faults.contains(key))
            }
        }
    }
}

impl From<SerialEnd> for FailsAnyway {
    fn from(end: SerialEnd) -> Self {
        match end {
            SerialEnd::Return => FailsAnyway::No,
            SerialEnd::Wait => FailsAnyway::Waits,
            SerialEnd::Fail => FailsAnyway::Yes,
        }
    }
}

/// What runs in a stage.
enum Runs {
    Alone(AloneRuns),
    /// These clients are to come, by number.
    Clients(Range<usize>),
}

/// A stage on one heap.
struct Running {
    runs: Runs,
    /// Whether something fails on the heap already, or waits.
    fails: Serially,
    /// How the stages before it went.
    leaves: InitialPrefixes,
}

/// What runs alone.
#[derive(Clone, Copy)]
enum Stage {
    /// Clients build the heap.
    Clients,
    Valid,
    Thread(usize),
    /// All calls one after another, in the order with this number.
    Serial(usize),
}

impl<'a> InitialStates<'a> {
    pub(crate) fn new(engine: &mut Engine, origin: &'a Origin) -> Self {
        let (base, calls) = origin.base_state(engine);
        let orders = match origin.has_serial_orders() {
            true => serial_orders(origin.threads()).into_iter().map(Rc::from).collect(),
            false => Vec::new(),
        };
        InitialStates {
            origin,
            calls,
            orders,
            untouched: Some(base.clone()),
            base,
            stages: Vec::new(),
            leaves: InitialPrefixes::new(),
            first_alone: AloneSummary::default(),
            races_only: 0,
            unlocked: 0,
            guide: None,
        }
    }

    /// Only heaps to which a guide leads.
    pub(crate) fn guided(engine: &mut Engine, origin: &'a Origin, guide: Rc<dyn Guide>) -> Self {
        InitialStates { guide: Some(guide), ..InitialStates::new(engine, origin) }
    }

    /// What runs at a depth of the stack of stages; none below the last.
    fn stage(&self, depth: usize) -> Option<Stage> {
        let all = self.origin.threads().len();
        if matches!(self.origin, Origin::Clients { .. }) {
            return match depth {
                0 => Some(Stage::Clients),
                depth if depth <= self.orders.len() => Some(Stage::Serial(depth - 1)),
                _ => None,
            };
        }
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
        if matches!(self.origin, Origin::Launch { .. }) {
            launch(engine, &mut state, &self.calls);
            return state;
        }
        // A client's threads are there already.
        for (index, calls) in self.calls.iter().enumerate() {
            start(engine, &mut state, index + 1, calls);
        }
        state
    }

    /// Begins what comes next on a heap; the heap itself if all have run.
    fn descend(
        &mut self,
        engine: &mut Engine,
        heap: State,
        fails: Serially,
        leaves: InitialPrefixes,
    ) -> Option<InitialState> {
        let mut state = heap;
        let runs = match self.stage(self.stages.len()) {
            Some(Stage::Clients) => {
                let runs = Runs::Clients(0..self.origin.clients().len());
                self.stages.push(Running { runs, fails, leaves });
                return None;
            }
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
                return Some(InitialState {
                    state: self.all_started(engine, state),
                    fails_anyway: FailsAnyway::Unknown,
                    faults: BTreeSet::new(),
                    waits_first: BTreeSet::new(),
                });
            }
            Some(Stage::Serial(order)) => {
                AloneRuns::serial(self.all_started(engine, state), Rc::clone(&self.orders[order]))
            }
            // Who calls in an order that goes well in none keeps to nothing: it is no client.
            None if !self.orders.is_empty() && fails.faulty == self.orders.len() => {
                let is_misuse = |key: &FindingKey| matches!(key, FindingKey::Fault(FaultKind::LockMisuse, _));
                self.unlocked += u64::from(fails.faults.iter().all(is_misuse));
                return None;
            }
            None => {
                self.races_only += u64::from(fails.end == SerialEnd::Fail);
                self.leaves = leaves;
                return Some(InitialState {
                    state: self.all_started(engine, state),
                    fails_anyway: fails.end.into(),
                    faults: fails.faults,
                    waits_first: fails.waits_first,
                });
            }
        };
        let runs = Runs::Alone(runs.along(self.guide.clone()));
        self.stages.push(Running { runs, fails, leaves });
        None
    }

    /// What comes next after a client has come to where threads begin.
    fn client(
        &mut self,
        engine: &mut Engine,
        number: usize,
        mut leaves: InitialPrefixes,
    ) -> Result<Option<InitialState>, EngineError> {
        let Some(start) = self.origin.clients().get(number) else { return Ok(None) };
        let ClientStart { recipe, threads, endless } = start;
        let limits = self.origin.limits();
        let alone = self.origin.alone().unwrap_or(engine.config);
        let reached = Reached::by(engine, recipe, limits, alone)?;
        let before = reached.state.threads.len();
        let (state, arguments) = reached.together(engine, threads);
        let mut state = state;
        break_symmetry_of(engine, &mut state, threads, &arguments);
        state.endless.extend(endless.iter().copied());
        let shifted = |order: Vec<ThreadId>| order.iter().map(|id| ThreadId::new(id.index() + before)).collect();
        self.orders = serial_orders(self.origin.threads()).into_iter().map(shifted).collect();
        self.base = state.clone();
        leaves.push(Prefix::client(number));
        Ok(self.descend(engine, state, Serially::default(), leaves))
    }

    /// Whether calls that are made one after another may fail on a start, or wait; what cannot be seen to its end may. None: the meter
    /// has stopped.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn fails_in_turn(
        &mut self,
        engine: &mut Engine,
        start: &State,
        meter: &mut Meter,
    ) -> Result<Option<Serially>, EngineError> {
        self.alone(engine, |starts, engine| {
            let lost = engine.ledger.left_out();
            let mut serially = Serially::default();
            for order in &starts.orders {
                let mut runs = AloneRuns::serial(start.clone(), Rc::clone(order));
                let before = serially.faulty;
                while let Some(leaf) = runs.next(engine, meter)? {
                    serially = serially.with(starts.serially(engine, order, &leaf));
                    serially.faulty = serially.faulty.min(before + 1);
                    if serially.end == SerialEnd::Fail {
                        return Ok(Some(serially));
                    }
                }
                if meter.stopped().is_some() {
                    return Ok(None);
                }
            }
            Ok(Some(if engine.ledger.left_out() > lost { Serially::of(SerialEnd::Fail) } else { serially }))
        })
    }

    /// What each thread calls.
    pub(super) fn threads(&self) -> &'a [Sequence] {
        self.origin.threads()
    }

    /// The orders in which calls can be made one after another, where failures count.
    pub(super) fn all_orders(&self) -> &[Rc<[ThreadId]>] {
        &self.orders
    }

    /// In how many orders calls are made one after another.
    pub(crate) fn orders(&self) -> usize {
        self.orders.len()
    }

    /// Tells apart on which heaps calls that are made one after another fail: what comes next are the parts of this start, the
    /// last one that was given out.
    pub(crate) fn apart(&mut self, start: State) {
        let Some(order) = self.orders.first() else { return };
        let runs = Runs::Alone(AloneRuns::serial(start, Rc::clone(order)).along(self.guide.clone()));
        self.stages.push(Running { runs, fails: Serially::default(), leaves: self.leaves.clone() });
    }

    /// What came of calls that were made one after another.
    fn serially(&self, engine: &Engine, order: &[ThreadId], leaf: &Leaf) -> Serially {
        // A predicate calls heaps valid on which a call waits; and of threads that the library has made, some always do. One that
        // waits although others are still to come says nothing: they may be what it waits for.
        let clients = matches!(self.origin, Origin::Clients { .. });
        let calls = |thread: ThreadId| self.orders.iter().flat_map(|order| order.iter()).any(|&other| other == thread);
        let is_open = |thread: ThreadId| calls(thread) && leaf.state.thread(thread).status != Status::Ended;
        // One that waits as the first does wait alone.
        let first = order.first().filter(|&&first| is_open(first)).copied();
        match &leaf.end {
            AloneEnd::Faulted(fault) if clients => {
                let key = FindingKind::Fault(fault.clone()).key(&engine.program);
                let first = self.orders.iter().flat_map(|order| order.iter()).map(|thread| thread.index()).min();
                let is_callers = first.is_some_and(|first| self.origin.is_callers_misuse(fault, first));
                let is_own = fault.is_own() && !is_callers;
                let faults = if is_own { BTreeSet::new() } else { BTreeSet::from([key]) };
                Serially { faulty: faults.len(), faults, ..Serially::default() }
            }
            AloneEnd::Faulted(_) => Serially::of(SerialEnd::Fail),
            AloneEnd::Returned(_) => Serially::default(),
            _ if clients && leaf.state.thread_ids().filter(|&thread| is_open(thread)).count() == 1 => {
                Serially::of(SerialEnd::Wait)
            }
            AloneEnd::Waits | AloneEnd::NeverReturns if clients => {
                Serially { waits_first: first.into_iter().collect(), ..Serially::default() }
            }
            AloneEnd::Waits | AloneEnd::Outlived(_) | AloneEnd::Relocks { .. } | AloneEnd::NeverReturns => {
                Serially::default()
            }
        }
    }

    /// What is left of a start whose parts are to be told apart.
    pub(crate) fn all_apart(leaves: &InitialPrefixes) -> InitialStatesLeft {
        InitialStatesLeft { leaves: leaves.clone(), left: AloneLeft { prefix: Prefix::default(), rest: None } }
    }

    /// Whether what these leaves lead to is a start whose parts are told apart, if anything runs on it.
    fn is_whole(&self, leaves: &InitialPrefixes) -> bool {
        matches!(self.stage(leaves.len()), Some(Stage::Serial(0)))
    }

    /// What a leaf leaves for the next stage: a heap on which nothing has run yet.
    fn accept(&mut self, engine: &mut Engine, leaf: Leaf, stage: Stage) -> Result<Option<State>, EngineError> {
        let after = match (stage, self.origin.valid()) {
            (Stage::Serial(_), _) => Some(leaf.state),
            (Stage::Clients, _) => None,
            (Stage::Valid, Some(valid)) => {
                if self.first_alone.predicate_fails.is_none() && !matches!(leaf.end, AloneEnd::Returned(_)) {
                    self.first_alone.predicate_fails = reason(engine, &leaf);
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
                note_misuse(engine, &self.origin.threads()[index], &leaf);
                leaf.is_valid().then_some(leaf.state)
            }
        };
        Ok(after.map(|after| rewound(&after, &self.base)))
    }

    /// Takes a leaf of the innermost stage. A start, if nothing else has to run alone on that heap.
    fn take(&mut self, engine: &mut Engine, leaf: Leaf) -> Result<Option<InitialState>, EngineError> {
        let Some(depth) = self.stages.len().checked_sub(1) else { return Ok(None) };
        let Some(stage) = self.stage(depth) else { return Ok(None) };
        let serially = match stage {
            Stage::Serial(order) => self.serially(engine, &self.orders[order], &leaf),
            Stage::Clients | Stage::Valid | Stage::Thread(_) => Serially::default(),
        };
        let fails = self.stages[depth].fails.clone().with(serially);
        let mut leaves = self.stages[depth].leaves.clone();
        leaves.push(prefix_of(&leaf.state));
        let heap = self.accept(engine, leaf, stage)?;
        Ok(heap.and_then(|heap| self.descend(engine, heap, fails, leaves)))
    }

    fn search(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<InitialState>, EngineError> {
        if let Some(state) = self.untouched.take()
            && let Some(start) = self.descend(engine, state, Serially::default(), InitialPrefixes::new())
        {
            return Ok(Some(start));
        }
        while let Some(running) = self.stages.last_mut() {
            let runs = match &mut running.runs {
                Runs::Alone(runs) => runs,
                Runs::Clients(clients) => {
                    let (next, leaves) = (clients.next(), running.leaves.clone());
                    match next {
                        Some(number) if meter.step() => {
                            if let Some(start) = self.client(engine, number, leaves)? {
                                return Ok(Some(start));
                            }
                        }
                        Some(number) => {
                            clients.start = number;
                            return Ok(None);
                        }
                        None => drop(self.stages.pop()),
                    }
                    continue;
                }
            };
            let leaf = runs.next(engine, meter)?;
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
    pub(crate) fn next(&mut self, engine: &mut Engine, meter: &mut Meter) -> Result<Option<InitialState>, EngineError> {
        self.alone(engine, |starts, engine| starts.search(engine, meter))
    }

    /// How the threads alone went on the start that was given out last.
    pub(crate) fn leaves(&self) -> &InitialPrefixes {
        &self.leaves
    }

    /// What is left, the next first.
    pub(crate) fn left(&mut self) -> Vec<InitialStatesLeft> {
        let mut all = Vec::new();
        for Running { runs, leaves, .. } in self.stages.iter_mut().rev() {
            match runs {
                Runs::Alone(runs) => {
                    all.extend(runs.left().map(|left| InitialStatesLeft { leaves: leaves.clone(), left }));
                }
                Runs::Clients(clients) if clients.start >= clients.end => {}
                // From this one on.
                Runs::Clients(clients) => {
                    let left = AloneLeft { prefix: Prefix::client(clients.start), rest: None };
                    all.push(InitialStatesLeft { leaves: leaves.clone(), left });
                }
            }
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
        leaves: &InitialPrefixes,
        meter: &mut Meter,
    ) -> Result<InitialState, EngineError> {
        self.alone(engine, |starts, engine| starts.go_to(engine, leaves, meter))?.ok_or(EngineError::Diverged)
    }

    /// Goes on with what another engine had left over, and with nothing else.
    ///
    /// # Errors
    /// As for [`InitialStates::start_at`].
    pub(crate) fn resume(
        &mut self,
        engine: &mut Engine,
        left: &InitialStatesLeft,
        meter: &mut Meter,
    ) -> Result<(), EngineError> {
        self.alone(engine, |starts, engine| {
            let start = starts.go_to(engine, &left.leaves, meter)?;
            if starts.is_whole(&left.leaves) {
                starts.apart(start.ok_or(EngineError::Diverged)?.state);
            }
            let running = starts.stages.last_mut().ok_or(EngineError::Diverged)?;
            match &mut running.runs {
                Runs::Alone(runs) => runs.resume(engine, &left.left),
                Runs::Clients(clients) => {
                    clients.start = left.left.prefix.to_client()?;
                    Ok(())
                }
            }
        })
    }

    /// Follows leaves from the outermost stage on.
    fn go_to(
        &mut self,
        engine: &mut Engine,
        leaves: &InitialPrefixes,
        meter: &mut Meter,
    ) -> Result<Option<InitialState>, EngineError> {
        let heap = self.untouched.take().ok_or(EngineError::Diverged)?;
        let mut start = self.descend(engine, heap, Serially::default(), InitialPrefixes::new());
        for prefix in leaves {
            if let Some(whole) = start.take() {
                self.apart(whole.state);
            }
            let running = self.stages.last_mut().ok_or(EngineError::Diverged)?;
            let runs = match &mut running.runs {
                Runs::Alone(runs) => runs,
                Runs::Clients(clients) => {
                    *clients = 0..0;
                    let leaves = running.leaves.clone();
                    start = self.client(engine, prefix.to_client()?, leaves)?;
                    continue;
                }
            };
            let leaf = runs.leaf(engine, prefix, meter)?;
            runs.forget();
            start = self.take(engine, leaf)?;
        }
        Ok(start)
    }

    /// Does something for which threads run alone.
    pub(super) fn alone<T>(&mut self, engine: &mut Engine, run: impl FnOnce(&mut Self, &mut Engine) -> T) -> T {
        let Some(alone) = self.origin.alone() else { return run(self, engine) };
        let config = Config { calls_apart: true, ..alone };
        engine.with_visible(FxHashSet::default(), |engine| engine.with_config(config, |engine| run(self, engine)))
    }
}
