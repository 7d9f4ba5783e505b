//! Running the engine along a concrete heap, concrete inputs and a schedule.
//!
//! The same machine runs as in the search; only here every choice has its answer: a pointer of the initial heap leads
//! where the concrete heap says, a condition is evaluated. No solver is asked.

use crate::concrete::{Cell, Concrete, Entry, Setting, Turn};
use concurrency::{Action, Held, Record, ThreadId};
use explore::{
    AloneEnd, Call, FindingKey, FindingKind, base_state, blocked_alone, hang_named, predicate_call, runnable, start,
    stuck,
};
use machine::{Backtrace, Choice, Decision, Engine, EngineError, PathEnd, Sighting, State, Status, Stop};
use memory::{InitialContent, LazyId, ObjId, Place, Pointer, Target, Value};
use smt::Model;
use std::collections::BTreeMap;

/// Visible actions behind the end of a schedule.
const MOST_CONTINUED: usize = 2000;

/// A visible action that was carried out.
#[derive(Clone, Debug)]
pub struct Performed {
    pub thread: ThreadId,
    pub action: Action,
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
    /// The failure that was asked for, if it showed.
    pub failure: Option<FindingKind>,
    /// For a race: both stacks, earlier access first.
    pub stacks: Option<[Backtrace; 2]>,
    /// For a race: what each thread held at its access.
    pub held: [Vec<Held>; 2],
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

/// One run.
struct Steer<'a> {
    engine: &'a mut Engine,
    concrete: &'a Concrete,
    state: State,
    objects: Vec<Option<ObjId>>,
    performed: Vec<Performed>,
    /// Of each thread whose last action was part of a call of the C library, that call.
    in_library: BTreeMap<ThreadId, (String, u64)>,
    first_picks: Vec<u32>,
    /// Picks that the current turn still has.
    picks: std::collections::VecDeque<u32>,
}

/// Runs the setting's threads as the concrete run says, until `goal` shows or nothing is left to do.
///
/// # Errors
/// When the engine fails.
pub fn run(engine: &mut Engine, setting: &Setting, concrete: &Concrete, goal: &FindingKey) -> Result<Ran, EngineError> {
    let (state, calls) = initial(engine, setting, None);
    let mut steer = Steer::new(engine, concrete, state);
    let failure = steer.drive(goal)?;
    Ok(steer.into_ran(failure, calls))
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
    let (state, _) = initial(engine, setting, Some(which));
    let Some(thread) = state.thread_ids().next() else { return Ok(None) };
    let mut steer = Steer::new(engine, concrete, state);
    loop {
        match steer.engine.run(&mut steer.state, thread) {
            Stop::Choice(choice) => {
                let Some(decision) = steer.answer(&choice)? else { return Ok(None) };
                steer.decide(thread, decision);
            }
            Stop::CallEnded => {}
            Stop::Wrong(fault) => return Ok(Some(AloneEnd::Faulted(fault))),
            Stop::ThreadEnded => return Ok(Some(AloneEnd::Returned(steer.concrete_result(thread)))),
            Stop::Visible(action) => return Ok(Some(blocked_alone(&steer.state, &action))),
            Stop::End(PathEnd::Exited { .. }) => return Ok(Some(AloneEnd::Returned(None))),
            Stop::End(PathEnd::Repeats { traversal: true }) => return Ok(Some(AloneEnd::NeverReturns)),
            Stop::End(PathEnd::Repeats { traversal: false } | PathEnd::Endless(_)) => return Ok(Some(AloneEnd::Waits)),
            Stop::End(PathEnd::Fault(fault)) => return Ok(Some(AloneEnd::Faulted(fault))),
            Stop::End(PathEnd::Infeasible | PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Abandoned(_)) => {
                return Ok(None);
            }
            Stop::Interrupted => return Ok(None),
            Stop::Failed(error) => return Err(error),
        }
    }
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
        Entry::Main(main) => (engine.main_state(setting.limits, *main), Vec::new()),
        Entry::Library(threads) => {
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

impl<'a> Steer<'a> {
    fn new(engine: &'a mut Engine, concrete: &'a Concrete, state: State) -> Self {
        engine.sightings.clear();
        engine.log = Some(Vec::new());
        Steer {
            engine,
            concrete,
            state,
            objects: vec![None; concrete.heap.objects.len()],
            performed: Vec::new(),
            in_library: BTreeMap::new(),
            first_picks: Vec::new(),
            picks: concrete.first_picks.iter().copied().collect(),
        }
    }

    fn into_ran(self, failure: Option<FindingKind>, calls: Vec<Vec<Call>>) -> Ran {
        let log = self.engine.log.take().unwrap_or_default();
        let mut ran = Ran {
            stacks: None,
            held: Default::default(),
            performed: self.performed,
            first_picks: self.first_picks,
            objects: self.objects,
            state: self.state,
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

    fn drive(&mut self, goal: &FindingKey) -> Result<Option<FindingKind>, EngineError> {
        let mut turns = self.concrete.turns.iter();
        let mut last = None;
        let scheduled = self.concrete.turns.len();
        // A schedule that is too short is continued, for a while: who reads a clock in each round does not repeat itself here.
        for step in 0..scheduled + MOST_CONTINUED {
            if let Some(found) = self.settle(goal)? {
                return Ok(found);
            }
            if let FindingKey::Deadlock(_) = goal {
                let kind = FindingKind::Deadlock(stuck(&self.engine.program, &self.state));
                if kind.key(&self.engine.program) == *goal {
                    return Ok(Some(kind));
                }
                // A hang stays one, so behind the schedule a look now and then will do.
                let looks = step <= scheduled || (step - scheduled).is_power_of_two();
                if looks && let Some(kind) = self.hangs(goal)? {
                    return Ok(Some(kind));
                }
            }
            let enabled: Vec<ThreadId> = self
                .state
                .thread_ids()
                .filter(|&t| match self.state.thread(t).status {
                    Status::At(action) => self.state.enabled(t, &action),
                    _ => false,
                })
                .collect();
            if enabled.is_empty() || self.engine.is_interrupted() {
                return Ok(None);
            }
            let named = |name: &str| enabled.iter().copied().find(|&t| *self.state.thread(t).name == *name);
            let turn = turns.by_ref().find_map(|turn| Some((named(&turn.thread)?, &turn.picks)));
            let thread = match turn {
                Some((thread, picks)) => {
                    self.picks = picks.iter().copied().collect();
                    thread
                }
                None => {
                    self.picks.clear();
                    last.filter(|l| enabled.contains(l)).unwrap_or(enabled[0])
                }
            };
            last = Some(thread);
            self.grant(thread);
        }
        Ok(None)
    }

    fn grant(&mut self, thread: ThreadId) {
        if let Status::At(action) = self.state.thread(thread).status {
            let backtrace = Backtrace::of(&self.engine.program, self.state.thread(thread));
            let time = self.state.time + 1;
            let call = self.engine.program.library_call(self.state.thread(thread));
            let call = call.map(|(name, number)| (name.to_owned(), number));
            let library = call.as_ref().map(|call| (call.0.clone(), self.in_library.get(&thread) == Some(call)));
            match call {
                Some(call) => self.in_library.insert(thread, call),
                None => self.in_library.remove(&thread),
            };
            self.performed.push(Performed { thread, action, backtrace, library, picks: Vec::new(), time });
        }
        self.engine.grant(&mut self.state, thread);
    }

    /// Runs all threads to their next visible action. `Some(Some(_))` when the goal showed, `Some(None)` when the run ended.
    fn settle(&mut self, goal: &FindingKey) -> Result<Option<Option<FindingKind>>, EngineError> {
        while let Some(thread) = runnable(self.engine, &mut self.state) {
            let stop = self.engine.run(&mut self.state, thread);
            if let Some(found) = self.race_found(goal) {
                return Ok(Some(Some(found)));
            }
            match stop {
                Stop::Visible(_) | Stop::ThreadEnded | Stop::CallEnded => {}
                Stop::Choice(choice) => {
                    let Some(decision) = self.answer(&choice)? else { return Ok(Some(None)) };
                    self.decide(thread, decision);
                }
                Stop::End(PathEnd::Fault(fault)) | Stop::Wrong(fault) => {
                    let kind = FindingKind::Fault(fault);
                    if kind.key(&self.engine.program) == *goal {
                        return Ok(Some(Some(kind)));
                    }
                }
                // This thread goes no further; others may.
                Stop::End(PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Endless(_) | PathEnd::Abandoned(_)) => {}
                Stop::Interrupted => return Ok(Some(None)),
                Stop::End(PathEnd::Repeats { .. }) => return Ok(Some(self.hangs(goal)?)),
                Stop::End(PathEnd::Exited { .. } | PathEnd::Infeasible) => return Ok(Some(None)),
                Stop::Failed(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The wanted deadlock, if from here on nobody changes anything.
    fn hangs(&mut self, goal: &FindingKey) -> Result<Option<FindingKind>, EngineError> {
        let log = self.engine.log.take();
        let kind = hang_named(self.engine, &self.state, goal);
        self.engine.log = log;
        kind
    }

    fn race_found(&mut self, goal: &FindingKey) -> Option<FindingKind> {
        let sightings: Vec<Sighting> = std::mem::take(&mut self.engine.sightings);
        sightings.into_iter().map(FindingKind::Race).find(|kind| kind.key(&self.engine.program) == *goal)
    }

    fn decide(&mut self, thread: ThreadId, decision: Decision) {
        if let Decision::Pick(pick) = decision {
            self.performed.last_mut().map_or(&mut self.first_picks, |p| &mut p.picks).push(pick);
        }
        self.engine.decide(&mut self.state, thread, decision);
        if let Decision::Target(pointer, Target::New) = decision
            && let memory::Decision::Target(target) = self.state.memory.shape().pointer(pointer).decision
            && let Cell::Pointer(index, _) = self.cell_of(pointer)
        {
            self.objects[index] = Some(target.object);
        }
    }

    /// What the concrete run answers; `None` when it does not fit.
    fn answer(&mut self, choice: &Choice) -> Result<Option<Decision>, EngineError> {
        Ok(match *choice {
            Choice::Condition(term) => {
                let model = self.model();
                let holds = self.engine.terms.eval(term, &model) != 0;
                Some(Decision::Condition { term, holds, implied: false, solver: false })
            }
            Choice::Value(term) => {
                let model = self.model();
                let value = self.engine.terms.eval(term, &model);
                Some(Decision::Value { term, value, implied: false })
            }
            Choice::Nullness(pointer) => Some(match self.cell_of(pointer) {
                Cell::Null | Cell::Integer(..) => Decision::Null(pointer),
                Cell::Pointer(..) | Cell::Function(_) => Decision::NonNull(pointer),
            }),
            Choice::Target(pointer) => self.target_of(pointer).map(|t| Decision::Target(pointer, t)),
            Choice::Pick { count } => Some(Decision::Pick(self.picks.pop_front().unwrap_or(0).min(count - 1))),
        })
    }

    fn target_of(&self, pointer: LazyId) -> Option<Target> {
        match self.cell_of(pointer) {
            Cell::Null | Cell::Integer(..) => Some(Target::Null),
            Cell::Function(function) => Some(Target::Function(function)),
            Cell::Pointer(index, offset) => match self.object(index) {
                // What is private stays so, whatever a smaller heap would like.
                Some(object) if self.state.memory.shape().keeps_apart(pointer, object) => None,
                Some(object) => Some(Target::Existing(Pointer { object, offset: offset as i64 })),
                // A pointer into the middle of an object that nothing has reached yet has the wrong type to make it.
                None => (offset == 0).then_some(Target::New),
            },
        }
    }

    /// The object of this execution that an object of the concrete heap is.
    fn object(&self, index: usize) -> Option<ObjId> {
        self.objects[index].or_else(|| {
            let global = self.concrete.heap.objects[index].global.as_ref()?;
            let shape = self.state.memory.shape();
            shape.objects().iter().find(|o| o.global && o.path == *global).map(|o| o.object)
        })
    }

    fn index(&self, object: ObjId) -> Option<usize> {
        (0..self.objects.len()).find(|&index| self.object(index) == Some(object))
    }

    fn cell_of(&self, pointer: LazyId) -> Cell {
        let known = self.state.memory.shape().pointer(pointer);
        let cell = match &known.place {
            Place::Root => self.concrete.heap.roots.get(&known.path),
            Place::Cell { object, offset } => {
                self.index(*object).and_then(|i| self.concrete.heap.objects[i].cells.get(offset))
            }
        };
        cell.copied().unwrap_or(Cell::Null)
    }

    fn model(&mut self) -> Model {
        let mut model = Model::new();
        for (name, &(width, value)) in &self.concrete.symbols {
            let variable = self.engine.terms.var(name, width);
            model.set(variable, value);
        }
        for ((object, offset), cell) in self.state.memory.shape().cells() {
            if let InitialContent::Symbol(term) = cell.content
                && let Some(index) = self.index(object)
            {
                let value = self.integer_at(index, offset, cell.size);
                model.set(term, value);
            }
        }
        model
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
    fn concrete_result(&mut self, thread: ThreadId) -> Option<Value> {
        match self.state.thread(thread).result()? {
            Value::Term(term) => {
                let model = self.model();
                Some(Value::Int(self.engine.terms.eval(term, &model) as u64))
            }
            other => Some(other),
        }
    }
}
