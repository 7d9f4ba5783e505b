//! Running the engine along a concrete heap, concrete inputs and a schedule.
//!
//! The same machine runs as in the search; only here every choice has its answer: a pointer of the initial heap leads
//! where the concrete heap says, a condition is evaluated. No solver is asked.

mod left;

use crate::arrivals::{Arrival, Known};
use crate::concrete::{Cell, Concrete, ConcreteObject, Setting, Threads};
use crate::earlier::EarlierRaces;
use concurrency::{Action, Held, Record, ThreadId};
use explore::{
    AloneEnd, Answers, Call, FindingKey, FindingKind, Policy, Position, Schedule, Turn, Way, all_deadlocked,
    base_state, blocked_alone, drive, hang_named, launch, launch_state, predicate_call, runnable, start,
};
use machine::{
    Backtrace, Choice, Decision, Engine, EngineError, FaultKind, LoggedAccess, Outcome, PathEnd, Program, Sighting,
    State, Status, Stop,
};
use memory::{InitialContent, InitialObject, LazyId, ObjId, Pointer, PointerPlace, Target, Value};
use smt::Model;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

pub(crate) use left::left;

/// Visible actions behind the end of a schedule.
const MOST_CONTINUED: usize = 2000;

/// A visible action that was carried out.
#[derive(Clone, Debug)]
pub struct Performed {
    pub thread: ThreadId,
    pub action: Action,
    pub outcome: Outcome,
    pub backtrace: Backtrace,
    /// The function of the C library that it happens in, and whether the thread's last action did so in the same call.
    pub library: Option<(String, bool)>,
    pub picks: Vec<u32>,
    /// The state's count of visible actions, this one included.
    pub time: u64,
}

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    pub state: State,
    pub performed: Vec<Performed>,
    pub first_picks: Vec<u32>,
    pub arrivals: Vec<Arrival>,
    /// The failure that was asked for, if it showed.
    pub failure: Option<FindingKind>,
    /// The thread that ran last.
    pub last: Option<ThreadId>,
    /// For a race: both stacks, earlier access first.
    pub stacks: Option<[Backtrace; 2]>,
    /// For a race: what each thread held at its access.
    pub held: [Vec<Held>; 2],
    /// Races before that by which threads may have come to it.
    pub earlier: Vec<[LoggedAccess; 2]>,
    /// Object of the concrete heap, by index, as far as reached.
    pub objects: Vec<Option<ObjId>>,
    /// What each thread was to call.
    pub calls: Vec<Vec<Call>>,
}

impl Ran {
    /// The turns that were taken.
    pub fn turns(&self) -> Vec<Turn> {
        let name = |thread: ThreadId| self.state.thread(thread).name.to_string();
        self.performed.iter().map(|p| Turn { thread: name(p.thread), picks: p.picks.clone() }).collect()
    }
}

/// Where a concrete run answers choices from, and what is noted of it.
pub(crate) struct Steer<'a> {
    concrete: &'a Concrete,
    objects: Vec<Option<ObjId>>,
    pub(crate) performed: Vec<Performed>,
    pub(crate) arrivals: Vec<Arrival>,
    pub(crate) known: Known,
    last: Option<ThreadId>,
    races: EarlierRaces,
    /// Of each thread whose last action was part of a call of the C library, that call.
    in_library: BTreeMap<ThreadId, (String, u64)>,
    first_picks: Vec<u32>,
    /// Picks that the current turn still has.
    picks: VecDeque<u32>,
}

/// Runs the setting's threads as the concrete run says, until `goal` shows or nothing is left to do.
///
/// # Errors
/// When the engine fails.
pub fn run(engine: &mut Engine, setting: &Setting, concrete: &Concrete, goal: &FindingKey) -> Result<Ran, EngineError> {
    run_with(engine, setting, concrete, (goal, Policy::Longest))
}

fn run_with(
    engine: &mut Engine,
    setting: &Setting,
    concrete: &Concrete,
    (goal, policy): (&FindingKey, Policy),
) -> Result<Ran, EngineError> {
    let (mut state, calls) = initial(engine, setting, None);
    let steer = Steer::new(engine, concrete);
    let mut run = Scheduled { steer, goal, turns: concrete.turns.iter(), last: None, policy: Some(policy), step: 0 };
    let failure = drive(engine, &mut state, &mut run)?;
    let failure = failure.filter(|_| run.steer.keeps_to_path(engine, &state));
    Ok(run.steer.into_ran(engine, state, failure, calls))
}

/// Runs a program as the concrete run says and no further, and looks which ways are taken at branches.
///
/// # Errors
/// When the engine fails.
pub fn retake(
    engine: &mut Engine,
    setting: &Setting,
    concrete: &Concrete,
) -> Result<(Ran, BTreeSet<Way>), EngineError> {
    let (mut state, calls) = initial(engine, setting, None);
    engine.taken = Some(Vec::new());
    let (steer, goal) = (Steer::new(engine, concrete), no_failure());
    let mut run = Scheduled { steer, goal: &goal, turns: concrete.turns.iter(), last: None, policy: None, step: 0 };
    let result = drive(engine, &mut state, &mut run);
    let taken = engine.taken.take().unwrap_or_default().into_iter().collect();
    Ok((run.steer.into_ran(engine, state, result?, calls), taken))
}

/// The key of what is nowhere, so that a run goes on to its end.
fn no_failure() -> FindingKey {
    FindingKey::Fault(FaultKind::Assertion, Position { file: String::new(), line: u32::MAX, column: 0 })
}

/// Runs one thread by itself on the concrete heap. `None` when the heap does not fit the run.
///
/// # Errors
/// When the engine fails.
pub fn run_alone(
    engine: &mut Engine,
    setting: &Setting,
    concrete: &Concrete,
    which: Alone,
) -> Result<Option<AloneEnd>, EngineError> {
    let (mut state, _) = initial(engine, setting, Some(which));
    let Some(thread) = state.thread_ids().next() else { return Ok(None) };
    let steer = Steer::new(engine, concrete);
    drive(engine, &mut state, &mut ByItself { steer, thread })
}

/// Runs a launch on the concrete heap: threads in turns, one as long as it can, the first that can, or as it has come to its end before.
/// Whether each thread ends, or waits for others: then the heap is within the kernel's precondition.
///
/// # Errors
/// When the engine fails.
pub fn completes(engine: &mut Engine, setting: &Setting, concrete: &Concrete) -> Result<bool, EngineError> {
    let goal = no_failure();
    let simple = Concrete { turns: Vec::new(), ..concrete.clone() };
    let known = Concrete { turns: concrete.ending.clone(), ..simple.clone() };
    let ways = Policy::ALL.into_iter().map(|policy| (&simple, policy));
    let known = (!known.turns.is_empty()).then_some((&known, Policy::Longest));
    for (concrete, policy) in ways.chain(known) {
        let ran = run_with(engine, setting, concrete, (&goal, policy))?;
        let is_over = |thread: ThreadId| match ran.state.thread(thread).status {
            Status::Ended => true,
            Status::At(action) => matches!(action, Action::Pass(_)),
            Status::Running | Status::Stuck(_) => false,
        };
        if ran.state.thread_ids().all(is_over) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What to run alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alone {
    /// The calls of this thread.
    Thread(usize),
    /// The predicate on the initial heap.
    Valid,
}

fn initial(engine: &mut Engine, setting: &Setting, alone: Option<Alone>) -> (State, Vec<Vec<Call>>) {
    match &setting.entry {
        Threads::Main(main) => (engine.main_state(setting.limits, *main), Vec::new()),
        Threads::Launch(kernel) => {
            let (mut state, calls) = launch_state(engine, setting.limits, kernel);
            match (alone, &kernel.valid) {
                (Some(Alone::Valid), Some(valid)) => {
                    let call = predicate_call(engine, &state, valid, &calls);
                    start(engine, &mut state, 0, &[call]);
                }
                _ => launch(engine, &mut state, &calls),
            }
            (state, calls)
        }
        Threads::Library(threads) => {
            let (mut state, all) = base_state(engine, setting.limits, setting.globals_symbolic, threads, setting.roots);
            if let (Some(Alone::Valid), Some(valid)) = (alone, &setting.valid) {
                let call = predicate_call(engine, &state, valid, &all);
                start(engine, &mut state, 0, &[call]);
                return (state, Vec::new());
            }
            for (index, calls) in all.iter().enumerate() {
                if alone.is_none_or(|which| which == Alone::Thread(index)) {
                    start(engine, &mut state, index + 1, calls);
                }
            }
            (state, all)
        }
    }
}

/// Threads as a schedule says, and behind its end for a while.
struct Scheduled<'a> {
    steer: Steer<'a>,
    goal: &'a FindingKey,
    turns: std::slice::Iter<'a, Turn>,
    /// Whose turn was last.
    last: Option<ThreadId>,
    /// Whose turn it is behind the schedule. Nobody's: the run ends with it.
    policy: Option<Policy>,
    step: usize,
}

impl Scheduled<'_> {
    /// All threads stand before actions: whether the wanted deadlock is there.
    fn deadlock(&self, engine: &mut Engine, state: &State) -> Result<Option<FindingKind>, EngineError> {
        let FindingKey::Deadlock(_) = self.goal else { return Ok(None) };
        let mut all = all_deadlocked(&engine.program, state).into_iter().map(FindingKind::Deadlock);
        if let Some(kind) = all.find(|kind| kind.key(&engine.program) == *self.goal) {
            return Ok(Some(kind));
        }
        // A hang stays one, so behind the schedule a look now and then will do.
        let scheduled = self.steer.concrete.turns.len();
        let looks = self.step <= scheduled || (self.step - scheduled).is_power_of_two();
        if looks { hangs(engine, state, self.goal) } else { Ok(None) }
    }

    /// Whose turn it is, if anyone can go on.
    fn turn(&mut self, state: &State) -> Option<ThreadId> {
        let can = |&thread: &ThreadId| match state.thread(thread).status {
            Status::At(action) => state.enabled(thread, &action),
            _ => false,
        };
        let enabled: Vec<ThreadId> = state.thread_ids().filter(can).collect();
        let first = *enabled.first()?;
        let named = |name: &str| enabled.iter().copied().find(|&t| *state.thread(t).name == *name);
        let turn = self.turns.by_ref().find_map(|turn| Some((named(&turn.thread)?, &turn.picks)));
        let thread = match turn {
            Some((thread, picks)) => {
                self.steer.picks = picks.iter().copied().collect();
                thread
            }
            None => {
                self.steer.picks.clear();
                self.policy?.next(&enabled, self.last).unwrap_or(first)
            }
        };
        self.last = Some(thread);
        Some(thread)
    }
}

impl Answers for Scheduled<'_> {
    type End = Option<FindingKind>;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        _: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<Self::End, Decision>, EngineError> {
        let decision = self.steer.answer(engine, state, choice);
        Ok(decision.map_or(ControlFlow::Break(None), ControlFlow::Continue))
    }

    fn answered(&mut self, state: &State, decision: &Decision) {
        self.steer.decided(state, decision);
    }
}

impl Schedule for Scheduled<'_> {
    fn next(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
    ) -> Result<ControlFlow<Self::End, ThreadId>, EngineError> {
        // A schedule that is too short is continued, for a while: who reads a clock in each round does not repeat itself here.
        while self.step < self.steer.concrete.turns.len() + MOST_CONTINUED {
            if let Some(thread) = runnable(engine, state) {
                return Ok(ControlFlow::Continue(thread));
            }
            if let Some(kind) = self.deadlock(engine, state)? {
                return Ok(ControlFlow::Break(Some(kind)));
            }
            let Some(thread) = self.turn(state).filter(|_| !engine.is_interrupted()) else { break };
            self.steer.grant(engine, state, thread);
            self.step += 1;
        }
        Ok(ControlFlow::Break(None))
    }

    fn ran(&mut self, engine: &mut Engine, state: &State, thread: ThreadId) -> ControlFlow<Self::End> {
        self.steer.note_arrivals(state);
        self.steer.last = Some(thread);
        let sightings: Vec<Sighting> = std::mem::take(&mut engine.sightings);
        for sighting in sightings {
            let race = FindingKind::Race(sighting);
            if race.key(&engine.program) == *self.goal {
                return ControlFlow::Break(Some(race));
            }
            self.steer.races.note(sighting);
        }
        ControlFlow::Continue(())
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        _: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<Self::End>, EngineError> {
        Ok(match stop {
            Stop::End(PathEnd::Fault(fault)) | Stop::Wrong(fault) => {
                let kind = FindingKind::Fault(fault);
                match kind.key(&engine.program) == *self.goal {
                    true => ControlFlow::Break(Some(kind)),
                    false => ControlFlow::Continue(()),
                }
            }
            Stop::End(PathEnd::Repeats { .. }) => ControlFlow::Break(hangs(engine, state, self.goal)?),
            Stop::Interrupted | Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible) => ControlFlow::Break(None),
            // This thread may go no further; others may.
            _ => ControlFlow::Continue(()),
        })
    }
}

/// The wanted deadlock, if from here on nobody changes anything.
fn hangs(engine: &mut Engine, state: &State, goal: &FindingKey) -> Result<Option<FindingKind>, EngineError> {
    let log = engine.log.take();
    let kind = hang_named(engine, state, goal);
    engine.log = log;
    kind
}

/// One thread by itself, to its end.
struct ByItself<'a> {
    steer: Steer<'a>,
    thread: ThreadId,
}

impl Answers for ByItself<'_> {
    type End = Option<AloneEnd>;

    fn answer(
        &mut self,
        engine: &mut Engine,
        state: &State,
        _: ThreadId,
        choice: &Choice,
    ) -> Result<ControlFlow<Self::End, Decision>, EngineError> {
        let decision = self.steer.answer(engine, state, choice);
        Ok(decision.map_or(ControlFlow::Break(None), ControlFlow::Continue))
    }

    fn answered(&mut self, state: &State, decision: &Decision) {
        self.steer.decided(state, decision);
    }
}

impl Schedule for ByItself<'_> {
    fn next(&mut self, _: &mut Engine, _: &mut State) -> Result<ControlFlow<Self::End, ThreadId>, EngineError> {
        Ok(ControlFlow::Continue(self.thread))
    }

    fn stopped(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        thread: ThreadId,
        stop: Stop,
    ) -> Result<ControlFlow<Self::End>, EngineError> {
        Ok(ControlFlow::Break(match stop {
            Stop::CallEnded => return Ok(ControlFlow::Continue(())),
            Stop::Wrong(fault) | Stop::End(PathEnd::Fault(fault)) => Some(AloneEnd::Faulted(fault)),
            Stop::ThreadEnded => Some(AloneEnd::Returned(self.steer.concrete_result(engine, state, thread))),
            Stop::Visible(action) => Some(blocked_alone(state, &action)),
            Stop::End(PathEnd::Exited { .. }) => Some(AloneEnd::Returned(None)),
            Stop::End(PathEnd::Repeats { traversal: true, .. }) => Some(AloneEnd::NeverReturns),
            Stop::End(PathEnd::Repeats { traversal: false, .. } | PathEnd::Endless(_)) => Some(AloneEnd::Waits),
            Stop::End(PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Abandoned(_))
            | Stop::Interrupted
            | Stop::Choice(_)
            | Stop::Failed(_) => None,
        }))
    }
}

impl<'a> Steer<'a> {
    fn new(engine: &mut Engine, concrete: &'a Concrete) -> Self {
        engine.sightings.clear();
        engine.log = Some(Vec::new());
        Steer {
            concrete,
            objects: vec![None; concrete.heap.objects.len()],
            performed: Vec::new(),
            arrivals: Vec::new(),
            known: Known::default(),
            last: None,
            races: EarlierRaces::default(),
            in_library: BTreeMap::new(),
            first_picks: Vec::new(),
            picks: concrete.first_picks.iter().copied().collect(),
        }
    }

    fn into_ran(self, engine: &mut Engine, state: State, failure: Option<FindingKind>, calls: Vec<Vec<Call>>) -> Ran {
        let log = engine.log.take().unwrap_or_default();
        let mut ran = Ran {
            stacks: None,
            held: Default::default(),
            earlier: self.races.leading(&engine.program, &log, failure.as_ref()),
            performed: self.performed,
            first_picks: self.first_picks,
            arrivals: self.arrivals,
            last: self.last,
            objects: self.objects,
            state,
            failure,
            calls,
        };
        if let Some(FindingKind::Race(sighting)) = &ran.failure {
            let find = |record: &Record| log.iter().rev().find(|logged| logged.record == *record);
            if let (Some(a), Some(b)) = (find(&sighting.earlier), find(&sighting.later)) {
                ran.stacks = Some([a.backtrace.clone(), b.backtrace.clone()]);
                ran.held = [a.held.clone(), b.held.clone()];
            }
        }
        ran
    }

    fn grant(&mut self, engine: &mut Engine, state: &mut State, thread: ThreadId) {
        if let Status::At(action) = state.thread(thread).status {
            let backtrace = Backtrace::of(&engine.program, state.thread(thread));
            let time = state.time + 1;
            let call = engine.program.library_call(state.thread(thread));
            let call = call.map(|(name, number)| (name.to_owned(), number));
            let library = call.as_ref().map(|call| (call.0.clone(), self.in_library.get(&thread) == Some(call)));
            match call {
                Some(call) => self.in_library.insert(thread, call),
                None => self.in_library.remove(&thread),
            };
            // Whoever has it already gets it again or an error, as its kind is.
            let has = matches!(action, Action::Sync { place, .. } if state.sync.holders(place).contains(&thread));
            let outcome = if has { Outcome::Plain } else { state.outcome(thread, &action) };
            self.performed.push(Performed { thread, action, outcome, backtrace, library, picks: Vec::new(), time });
        }
        engine.grant(state, thread);
    }

    fn decided(&mut self, state: &State, decision: &Decision) {
        if let Decision::Pick(pick) = *decision {
            self.performed.last_mut().map_or(&mut self.first_picks, |p| &mut p.picks).push(pick);
        }
        if let Decision::Target(pointer, Target::New | Target::Inside(..)) = *decision
            && let memory::Binding::Target(target) = state.memory.shape().pointer(pointer).decision
            && let Cell::Pointer(index, _) = self.cell_of(state, pointer)
        {
            self.objects[index] = Some(target.object);
        }
    }

    /// What the concrete run answers; `None` when it does not fit.
    fn answer(&mut self, engine: &mut Engine, state: &State, choice: &Choice) -> Option<Decision> {
        match *choice {
            Choice::Condition(term) => {
                let model = self.model(engine, state);
                let holds = engine.terms.eval(term, &model) != 0;
                Some(Decision::Condition { term, holds, implied: false, solver: false })
            }
            Choice::Value(term) => {
                let model = self.model(engine, state);
                let value = engine.terms.eval(term, &model);
                Some(Decision::Value { term, value, implied: false })
            }
            Choice::Nullness(pointer) => Some(match self.cell_of(state, pointer) {
                Cell::Null => Decision::Null(pointer),
                Cell::Integer(_, bits) => {
                    let tag = state.memory.shape().pointer(pointer).decision.tag();
                    if bits == u64::from(tag) { Decision::Null(pointer) } else { Decision::NonNull(pointer) }
                }
                Cell::Pointer(..) | Cell::Function(_) => Decision::NonNull(pointer),
            }),
            Choice::Tag(pointer, mask) => {
                let bits = match self.cell_of(state, pointer) {
                    Cell::Null | Cell::Function(_) => 0,
                    Cell::Integer(_, bits) | Cell::Pointer(_, bits) => bits,
                };
                Some(Decision::Tag(pointer, bits as u8 & mask))
            }
            Choice::Target(pointer) => self.target_of(engine, state, pointer).map(|t| Decision::Target(pointer, t)),
            Choice::Pick { count } => Some(Decision::Pick(self.picks.pop_front().unwrap_or(0).min(count - 1))),
        }
    }

    fn target_of(&self, engine: &Engine, state: &State, pointer: LazyId) -> Option<Target> {
        let tag = state.memory.shape().pointer(pointer).decision.tag();
        let untagged = |offset: u64| offset.wrapping_sub(tag.into());
        match self.cell_of(state, pointer) {
            Cell::Null | Cell::Integer(..) => Some(Target::Null),
            Cell::Function(function) => Some(Target::Function(function)),
            Cell::Pointer(index, whole) => match self.object(state, index) {
                // What is private stays so, whatever a smaller heap would like.
                Some(object) if state.memory.shape().keeps_apart(pointer, object) => None,
                Some(object) => Some(Target::Existing(Pointer::new(object, untagged(whole) as i64))),
                None => self.new_target(engine, state, pointer, (index, untagged(whole))),
            },
        }
    }

    /// A new object, or a part of one, for a pointer that leads to one that nothing has reached yet.
    fn new_target(
        &self,
        engine: &Engine,
        state: &State,
        pointer: LazyId,
        (index, offset): (usize, u64),
    ) -> Option<Target> {
        let Program { module, facts, .. } = &*engine.program;
        let record = self.concrete.heap.objects[index].ty;
        match state.memory.shape().pointee(module, pointer) {
            Some(pointee) if !module.same_type(pointee, record) => {
                Some(Target::Inside(facts.canonical(module, record), offset))
            }
            // A pointer into the middle of an object that nothing has reached yet has the wrong type to make it.
            _ => (offset == 0).then_some(Target::New),
        }
    }

    /// The object of this execution that an object of the concrete heap is.
    fn object(&self, state: &State, index: usize) -> Option<ObjId> {
        self.objects[index].or_else(|| {
            let (shape, heap) = (state.memory.shape(), &self.concrete.heap);
            let is_it = |object: &InitialObject| match &heap.objects[index] {
                ConcreteObject { passed: true, .. } => {
                    object.is_passed() && heap.roots.get(&object.path) == Some(&Cell::Pointer(index, 0))
                }
                other => object.global && other.global.as_ref() == Some(&object.path),
            };
            shape.objects().iter().find(|object| is_it(object)).map(|object| object.object)
        })
    }

    fn index(&self, state: &State, object: ObjId) -> Option<usize> {
        (0..self.objects.len()).find(|&index| self.object(state, index) == Some(object))
    }

    fn cell_of(&self, state: &State, pointer: LazyId) -> Cell {
        let known = state.memory.shape().pointer(pointer);
        let cell = match &known.place {
            PointerPlace::Root => self.concrete.heap.roots.get(&known.path),
            PointerPlace::Cell { object, offset } => {
                self.index(state, *object).and_then(|i| self.concrete.heap.objects[i].cells.get(offset))
            }
        };
        cell.copied().unwrap_or(Cell::Null)
    }

    fn model(&self, engine: &mut Engine, state: &State) -> Model {
        let mut model = Model::new();
        for (name, &(width, value)) in &self.concrete.symbols {
            // The name is unique; which of the two it is only the program knows.
            for variable in [engine.terms.var(name, width), engine.terms.uninit_var(name, width)] {
                model.set(variable, value);
            }
        }
        for ((object, offset), cell) in state.memory.shape().cells() {
            if let InitialContent::Symbol(term) = cell.content
                && let Some(index) = self.index(state, object)
            {
                let value = self.integer_at(index, offset, cell.size);
                model.set(term, value);
            }
        }
        model
    }

    /// Whether all that the run takes for granted is so. Nobody is asked about what a model of a function states of its results.
    fn keeps_to_path(&self, engine: &mut Engine, state: &State) -> bool {
        let model = self.model(engine, state);
        state.path.terms().iter().all(|&term| engine.terms.eval(term, &model) != 0)
    }

    /// The bytes of an object as an integer, whatever cells they were written down as.
    fn integer_at(&self, index: usize, offset: u64, size: u8) -> u128 {
        let cells = &self.concrete.heap.objects[index].cells;
        let mut value = 0;
        for byte in 0..u64::from(size) {
            let at = offset + byte;
            if let Some((&start, &Cell::Integer(length, bits))) = cells.range(..=at).next_back()
                && at < start + u64::from(length).min(8)
            {
                value |= u128::from(bits >> ((at - start) * 8) & 0xff) << (byte * 8);
            }
        }
        value
    }

    /// What the thread returned, symbols replaced by their values.
    fn concrete_result(&self, engine: &mut Engine, state: &State, thread: ThreadId) -> Option<Value> {
        match state.thread(thread).result()? {
            Value::Term(term) => {
                let model = self.model(engine, state);
                Some(Value::Int(engine.terms.eval(term, &model) as u64))
            }
            other => Some(other),
        }
    }
}
