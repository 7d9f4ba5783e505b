//! The engine: what all states of a worker share, and the entry points for explorers.

use crate::came::Came;
use crate::client_functions::is_client_function;
use crate::clocks::{Derived, Forget};
use crate::flow::Loops;
use crate::gpu::Contexts;
use crate::host::Device;
use crate::invoke::{Known, Summaries};
use crate::program::ProgramError;
use crate::state::{PathCondition, tells_by_hearsay};
use crate::step::{self, StepCx};
use crate::{
    Backtrace, Boundary, Choice, CodePlace, Decision, Fault, GpuRace, Ledger, LedgerEntry, LossKind, LossSite, PathEnd,
    Program, Remedy, State, Status, Step, Stop, Stuck,
};
use concurrency::{Held, Range, Record, Site, ThreadId};
use memory::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smt::{Answer, SolverError, SolverStats, Solving, TermId, Terms, Tri, UnknownReason};
use std::ops::AddAssign;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What to do with atomics that are weaker than `seq_cst`, which are executed as if they were `seq_cst`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Weak {
    /// Note in the ledger that weaker behaviour was not explored.
    Note,
    /// The user asked for sequential consistency.
    Accept,
    /// Look whether they allow what no interleaving shows ([`crate::rc11`]), and note that.
    Ask,
}

/// What a call does that nothing models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum External {
    /// The thread goes no further.
    Stop,
    /// It returns any value, and leaves any contents in what its arguments lead to, if it is known to do no more than that
    /// ([`crate::is_harmless`]); else the thread goes no further.
    Harmless,
    /// It returns any value, and leaves any contents in what its arguments lead to. What depends on that is told by
    /// [`Engine::depends_on`].
    Havoc,
}

/// How much of a state must be equal for a run to count as repeating itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Repeats {
    /// Only that a thread spins is seen.
    Ignore,
    /// All of it, the race check's knowledge included: everything that can follow has been seen.
    Exact,
    /// All that decides where control goes, for a thread that runs alone: it never ends.
    Control,
}

/// Far more than can be explored together: a program that creates as many creates them for ever.
pub const MOST_THREADS: u32 = 250;

/// Of spurious wake-ups: they are not counted.
pub const ANY_NUMBER: u32 = u32::MAX;

/// Bounds and modes. A value, passed whole: a mode is written as another one with what is different.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Config {
    /// Iterations of a loop, or depth of recursion, in which a choice is made or a visible action happens.
    pub unroll: u32,
    /// Threads that a program may create.
    pub most_threads: u32,
    /// Spurious wake-ups per thread and wait, or [`ANY_NUMBER`].
    pub spurious: u32,
    /// Waits without a time limit may end by one of them. An operation that runs alone waits: what it would do then is for threads
    /// together.
    pub wakes: bool,
    /// Each call that allocates, or creates a thread, may fail.
    pub fail_alloc: bool,
    pub weak: Weak,
    pub external: External,
    /// Volatile accesses are relaxed atomic ones.
    pub relaxed_volatile: bool,
    /// That a buffer of a kernel's ends is no failure but a bound.
    pub open_ended: bool,
    /// Uninitialised storage holds some value, the same until it is set; else to depend on it is a failure.
    pub any_indeterminate: bool,
    /// To call SV-COMP's error functions is a failure, whatever the program's own do.
    pub error_location: bool,
    pub repeats: Repeats,
    /// Rounds for which a thread alone is run in a loop without a way out, once it has come to go on as it did and as long as
    /// no state comes back. 0: none, it is taken to wait for others there.
    pub endless_rounds: u32,
    /// Instructions between two choices or visible actions of an operation that runs alone, or of a thread beside others,
    /// before it is given up.
    pub quiet_steps: u64,
    /// Values of one term that are explored where only a concrete one will do.
    pub values: usize,
    /// What a thread that runs alone accesses and compares is kept with the state, or what threads access that run
    /// together.
    pub observe: bool,
    /// What a thread accesses between two visible actions is kept with the state.
    pub open_accesses: bool,
    /// What a thread decides does not hang on what others have decided before: it stops at each choice, also where only one answer is left,
    /// and who creates and waits for whom is observed. For those who compare what threads do in different executions.
    pub unfolding: bool,
    /// Threads that have ended and were waited for stay in mind: the accesses of who is left alone are visible too, and so is waiting
    /// for who has ended.
    pub never_alone: bool,
    /// Who arrives last at a barrier stops before it goes on, too, as the others do.
    pub separate_passes: bool,
    /// A thread that makes several calls stops between them.
    pub calls_apart: bool,
    /// Critical sections in which a thread comes to no other visible action are single steps: see [`State::closed_block`].
    pub atomic_blocks: bool,
    /// Both ways of a branch are gone at once where that pays ([`crate::step::merge`]).
    pub merge: bool,
    /// Whether a call is computed again that has been met before ([`crate::invoke`]).
    pub summaries: Summaries,
    /// What clocks showed is forgotten where nothing depends on it any more ([`crate::clocks`]).
    pub forget: Forget,
    /// Dates of a time that is not known are symbols of their own: not where a witness says which time it is.
    pub dates: bool,
    /// Calls of functions of the program's own are not followed ([`crate::opaque`]).
    pub opaque: bool,
    /// The claim says that objects of unknown size are within the bound of arrays; else the ledger names those that are not.
    pub bounded_sizes: bool,
    /// What kernels run on that the program launches; none: it launches none.
    pub device: Option<Device>,
    /// An index leads to an element of the array that it is for, wherever the array stands (C11 6.5.6p8); else only in heaps of a
    /// library that are assumed, and in whole objects.
    pub member_bounds: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            unroll: 64,
            most_threads: MOST_THREADS,
            spurious: 1,
            wakes: true,
            fail_alloc: false,
            weak: Weak::Note,
            external: External::Stop,
            relaxed_volatile: false,
            open_ended: false,
            any_indeterminate: false,
            error_location: false,
            repeats: Repeats::Exact,
            endless_rounds: 0,
            quiet_steps: 20_000_000,
            values: 256,
            observe: false,
            open_accesses: false,
            unfolding: false,
            never_alone: false,
            separate_passes: false,
            calls_apart: false,
            atomic_blocks: false,
            merge: false,
            forget: Forget::None,
            dates: false,
            summaries: Summaries::Pays,
            opaque: false,
            bounded_sizes: false,
            device: None,
            member_bounds: false,
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    pub instructions: u64,
    /// Executed branches whose condition is not constant.
    pub branches: u64,
    /// Those of them that it took a solver to decide.
    pub branches_solver: u64,
    /// Reads and writes of memory, of as many bytes as an instruction asks for at once.
    pub reads: u64,
    pub writes: u64,
    /// Branches of which both ways were gone at once.
    pub merged: u64,
    /// Summaries of calls that were built, calls for which one was invoked, and instructions that were not carried out
    /// for that; they are not among `instructions`.
    pub summaries: u64,
    /// What building them took, of the functions' own time too.
    pub building: Duration,
    pub invoked: u64,
    pub invoked_instructions: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.instructions += other.instructions;
        self.branches += other.branches;
        self.branches_solver += other.branches_solver;
        self.reads += other.reads;
        self.writes += other.writes;
        self.merged += other.merged;
        self.summaries += other.summaries;
        self.building += other.building;
        self.invoked += other.invoked;
        self.invoked_instructions += other.invoked_instructions;
    }
}

/// What was assumed on the way, beside what every claim rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Assumed {
    /// A pointer to a function leads to one of the program, if not nowhere.
    pub functions: bool,
    /// Or to one of a client's, where the program has none.
    #[serde(default)]
    pub client_functions: bool,
    /// How many a semaphore or a barrier of the initial heap is for.
    pub counts: bool,
    /// Volatile accesses are atomic, and there were other threads at one.
    pub volatile: bool,
    /// Objects of a size that nothing bounds are allocated within the bound of arrays.
    #[serde(default)]
    pub sizes: bool,
    /// What two owners own is kept apart, and there was a heap in which it would not have been.
    #[serde(default)]
    pub owners: bool,
    /// Pointers to scalars lead to no members of records but those whose address the program gives away, and there was another.
    #[serde(default)]
    pub members: bool,
    /// Static variables that no code writes hold what the source gives them, and there was one.
    #[serde(default)]
    pub statics: bool,
    /// Buffers that a kernel is given are as long as it needs, and there was a run in which one was not.
    #[serde(default)]
    pub buffers: bool,
    /// Elements that such a buffer would have needed at the most, as far as that was a known number.
    #[serde(default)]
    pub elements: u64,
    /// A call of CUDA's runtime that failed, the first in the source.
    #[serde(default)]
    pub failed: Option<FailedCall>,
    /// Kernels that were launched: by number among all, those beyond the last bit by that.
    #[serde(default)]
    pub launched: u64,
    /// Bytes of dynamic shared memory that would have been needed at the most, as far as that was a known number.
    #[serde(default)]
    pub shared: u64,
}

/// The instruction that the last question to the solver was about, for whoever watches from another thread.
#[derive(Clone, Debug, Default)]
pub struct Asking(Arc<AtomicU64>);

impl Asking {
    fn begin(&self, site: Site) {
        // Questions are numbered, so that a watcher tells a long one from many about one instruction.
        let number = (self.0.load(Ordering::Relaxed) >> 32).wrapping_add(1);
        self.0.store(number << 32 | site.index() as u64, Ordering::Relaxed);
    }

    /// The number of the question, and the instruction.
    pub fn question(&self) -> (u32, Site) {
        let both = self.0.load(Ordering::Relaxed);
        ((both >> 32) as u32, Site::new((both & u64::from(u32::MAX)) as usize))
    }
}

/// A call of CUDA's runtime that failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FailedCall {
    /// The number of its [`ir::LocId`].
    pub place: u32,
    /// A `cudaError_t`.
    pub error: u32,
}

impl std::ops::BitOrAssign for Assumed {
    fn bitor_assign(&mut self, other: Self) {
        self.functions |= other.functions;
        self.client_functions |= other.client_functions;
        self.counts |= other.counts;
        self.volatile |= other.volatile;
        self.sizes |= other.sizes;
        self.owners |= other.owners;
        self.members |= other.members;
        self.statics |= other.statics;
        self.buffers |= other.buffers;
        self.failed = [self.failed, other.failed].into_iter().flatten().min();
        self.launched |= other.launched;
        self.elements = self.elements.max(other.elements);
        self.shared = self.shared.max(other.shared);
    }
}

/// Two accesses that race, as the machine saw them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sighting {
    pub earlier: Record,
    pub earlier_range: Range,
    pub later: Record,
    pub later_range: Range,
    /// Between threads of a launch.
    pub gpu: Option<GpuRace>,
}

/// An access with its circumstances, where they are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedAccess {
    pub record: Record,
    pub range: Range,
    pub backtrace: Backtrace,
    pub held: Vec<Held>,
}

/// raddle itself could not proceed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("the solver failed")]
    Solver(#[from] SolverError),
    #[error("a replayed decision does not fit the state that it was made for")]
    Diverged,
    #[error("a part of the program is not one")]
    Part(#[from] ProgramError),
    #[error("a worker could not be started")]
    Worker(#[source] std::io::Error),
    #[error("panicked: {0}")]
    Panicked(String),
}

/// The machine of one worker. Steps take the engine and one state: what they read of it side by side stands in it side by side.
pub struct Engine {
    pub program: Arc<Program>,
    pub terms: Terms,
    pub solver: Solving,
    /// How loops of flows are gone through, as far as that was found out.
    pub loops: Loops,
    pub config: Config,
    pub ledger: Ledger,
    pub assumed: Assumed,
    pub statistics: Statistics,
    /// What threads came to, if somebody notes it.
    pub came: Came,
    /// What the solvers of other engines did on behalf of this one.
    pub solved_elsewhere: SolverStats,
    /// Sites whose accesses are visible actions.
    pub visible: FxHashSet<Site>,
    /// Races seen since the explorer last took them.
    pub sightings: Vec<Sighting>,
    /// Every access that the race check is told of, while replaying.
    pub log: Option<Vec<LoggedAccess>>,
    /// What is observed are calls of a library, and what is accessed in them.
    pub boundary: Option<Boundary>,
    /// Ways taken at branches of the program, on numbers too, since the explorer last took them: the branch, and 1 or 0 for whether its
    /// condition held, or the number of the case, if that is asked for.
    pub taken: Option<Vec<(Site, u64)>>,
    /// Asked now and then while a thread runs; see [`Stop::Interrupted`].
    pub interrupted: Option<Box<dyn Fn() -> bool>>,
    /// Set where a weak order allows what no interleaving shows, for who wants to know no more than that.
    pub disordered: Option<Arc<AtomicBool>>,
    /// Where the program is that the last question to the solver was about.
    pub asking: Asking,
    pub(crate) known: Known,
    /// Variables that stand for what functions without a model have returned or written, with the functions' names.
    pub(crate) foreign: FxHashMap<u32, Rc<str>>,
    /// Variables that stand for what a clock showed.
    pub(crate) shown_by_clocks: FxHashSet<u32>,
    /// By term, symbols for functions of it, and by variable that is one, the term.
    pub(crate) derived: FxHashMap<TermId, Vec<Derived>>,
    pub(crate) derived_from: FxHashMap<u32, TermId>,
    /// The call stacks of accesses of a launch.
    pub(crate) contexts: Contexts,
}

impl Engine {
    pub fn new(program: Arc<Program>, solver: Solving, config: Config) -> Self {
        Engine {
            program,
            terms: Terms::new(),
            solver,
            loops: Loops::default(),
            config,
            ledger: Ledger::default(),
            assumed: Assumed::default(),
            statistics: Statistics::default(),
            came: Came::default(),
            solved_elsewhere: SolverStats::default(),
            visible: FxHashSet::default(),
            sightings: Vec::new(),
            log: None,
            boundary: None,
            taken: None,
            interrupted: None,
            disordered: None,
            asking: Asking::default(),
            known: Known::default(),
            foreign: FxHashMap::default(),
            shown_by_clocks: FxHashSet::default(),
            derived: FxHashMap::default(),
            derived_from: FxHashMap::default(),
            contexts: Contexts::default(),
        }
    }

    /// Time or memory has run out, or the user wants to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(|interrupted| interrupted())
    }

    /// What solvers did, here and on behalf of this engine.
    pub fn solver_stats(&self) -> SolverStats {
        let mut all = self.solver.stats();
        all += self.solved_elsewhere;
        all
    }

    /// Runs a thread until it stops. The thread must have status `Running`.
    pub fn run(&mut self, state: &mut State, id: ThreadId) -> Stop {
        let program = Arc::clone(&self.program);
        let sighted = self.sightings.len();
        let mut thread = Rc::clone(&state.threads[id.index()]);
        // The state's own reference would force a copy of the thread at every write.
        state.threads[id.index()] = Rc::new(crate::Thread::new(id, Rc::clone(&thread.name), thread.arena));
        let stop = {
            let thread = Rc::make_mut(&mut thread);
            state.memory.settle_in(thread.side.home());
            let stop = step::run(&mut StepCx { engine: self, state, thread, program: &program });
            match &stop {
                Stop::Visible(action) => {
                    thread.status = Status::At(*action);
                    thread.granted = false;
                }
                Stop::ThreadEnded => thread.status = Status::Ended,
                Stop::End(PathEnd::Fault(_) | PathEnd::Abandoned(_) | PathEnd::Raced | PathEnd::Spins { .. }) => {
                    // Like a server's, its rounds are what it is for.
                    let endless = |abandoned: &LedgerEntry| abandoned.kind == LossKind::EndlessLoop;
                    thread.status = Status::Stuck(match &stop {
                        Stop::End(PathEnd::Spins { traversal }) => Stuck::Circles { traversal: *traversal },
                        Stop::End(PathEnd::Abandoned(abandoned)) if endless(abandoned) => Stuck::Endless,
                        _ => Stuck::Fails,
                    });
                }
                Stop::Choice(_)
                | Stop::Wrong(_)
                | Stop::End(_)
                | Stop::CallEnded
                | Stop::Interrupted
                | Stop::Failed(_) => {}
            }
            stop
        };
        state.threads[id.index()] = thread;
        self.settle_block(state, id, &stop);
        state.raced |= self.sightings.len() > sighted;
        for condition in state.memory.take_conditions() {
            state.path.add(condition);
        }
        stop
    }

    /// Lets a thread that stopped before an action carry it out: the next [`Engine::run`] does.
    pub fn grant(&mut self, state: &mut State, id: ThreadId) {
        if let Status::At(action) = state.thread(id).status {
            let action = state.at_this_moment(id, action);
            let outcome = state.outcome(id, &action);
            if self.config.weak == Weak::Ask && state.concurrent {
                state.begin_event(id, action);
            }
            state.hearsay |= tells_by_hearsay(&action, outcome);
            state.history = state.history.then(Step::Grant(id, action, outcome));
        }
        state.time += 1;
        let thread = state.thread_mut(id);
        thread.status = Status::Running;
        thread.granted = true;
        thread.passed.clear();
        if !thread.open.is_empty() {
            thread.open = Rc::default();
        }
        thread.choices += 1;
        thread.quiet_steps = 0;
    }

    /// The answers to a choice that the path condition allows, in a fixed order: disjoint, and together exhaustive. Leaving
    /// a loop comes before going round it again, so that where a search is cut short, few iterations have been explored.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn alternatives(&mut self, state: &State, choice: &Choice, id: ThreadId) -> Result<Vec<Decision>, EngineError> {
        match *choice {
            Choice::Condition(term) => self.condition_alternatives(state, term, id),
            Choice::Nullness(pointer) => Ok(vec![Decision::Null(pointer), Decision::NonNull(pointer)]),
            // All parts of the mask, the least first.
            Choice::Tag(pointer, mask) => {
                Ok((0..=mask).filter(|tag| tag & !mask == 0).map(|tag| Decision::Tag(pointer, tag)).collect())
            }
            Choice::Target(pointer) => {
                let Program { module, facts, .. } = &*self.program;
                let mut kept_out = false;
                let targets = state.memory.shape().targets_noting(module, facts, pointer, &mut kept_out);
                self.assumed.members |= kept_out;
                // Asked until it is so once.
                self.assumed.owners |=
                    !self.assumed.owners && state.memory.shape().is_kept_to_its_owner(module, facts, pointer);
                if state.memory.shape().leads_to_function(module, pointer) {
                    let is_client =
                        |target: &Target| matches!(target, Target::Function(id) if is_client_function(&module[*id]));
                    if targets.iter().any(is_client) {
                        self.assumed.client_functions = true;
                    } else {
                        self.assumed.functions = true;
                    }
                    if !targets.iter().any(|target| matches!(target, Target::Function(_))) {
                        let place = Backtrace::of(&self.program, state.thread(id)).place(module);
                        let remedy = "no function of the program fits a pointer to one here; a client's that takes or returns structures, or returns `long double`, is not known";
                        self.note(LossKind::ExternalCall, place, remedy);
                    }
                }
                let Program { module, facts, .. } = &*self.program;
                if state.memory.shape().is_kept_out_of_bytes(module, facts, pointer) {
                    let place = Backtrace::of(&self.program, state.thread(id)).place(module);
                    let remedy = "the program hands members that are no bytes out as pointers to bytes; that this one leads to such a member was not explored";
                    self.note(LossKind::Unsupported, place, remedy);
                }
                Ok(targets.into_iter().map(|t| Decision::Target(pointer, t)).collect())
            }
            Choice::Value(term) => self.value_alternatives(state, term, id),
            Choice::Pick { count } => Ok((0..count).map(Decision::Pick).collect()),
        }
    }

    fn condition_alternatives(
        &mut self,
        state: &State,
        term: TermId,
        id: ThreadId,
    ) -> Result<Vec<Decision>, EngineError> {
        if let Some(holds) = state.path.decided(term) {
            return Ok(vec![Decision::Condition { term, holds, implied: true, solver: false }]);
        }
        let negated = self.terms.not(term);
        let queries = self.solver.stats().queries;
        let may_hold = self.may_be(state, term, id)?;
        let may_fail = !may_hold || self.may_be(state, negated, id)?;
        let solver = self.solver.stats().queries > queries;
        let implied = !(may_hold && may_fail);
        let mut decisions = Vec::new();
        if may_hold {
            decisions.push(Decision::Condition { term, holds: true, implied, solver });
        }
        if may_fail {
            decisions.push(Decision::Condition { term, holds: false, implied, solver });
        }
        if self.program.goes_round(state.thread(id)) {
            decisions.reverse();
        }
        Ok(decisions)
    }

    /// Whether a one-bit term can be true here. When the solver gives up, the answer is yes, and the ledger says so.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn may_be(&mut self, state: &State, term: TermId, id: ThreadId) -> Result<bool, EngineError> {
        if let Some(known) = self.terms.as_const(term) {
            return Ok(known != 0);
        }
        // One that has ended is asked about as well: what a predicate has returned.
        if let Some(frame) = state.thread(id).frames.last() {
            self.asking.begin(self.program.site(frame));
        }
        match self.solver.may_be_true(&mut self.terms, state.path.terms(), term)? {
            Tri::Yes => Ok(true),
            Tri::No => Ok(false),
            Tri::Unknown(reason) => {
                let place = Backtrace::of(&self.program, state.thread(id)).place(&self.program.module);
                self.note_unknown(place, term, state.path.terms(), reason);
                Ok(true)
            }
        }
    }

    /// Notes that the solver gave up a question about `term`: what it is slow at, and what helps.
    fn note_unknown(&mut self, place: CodePlace, term: TermId, path: &[TermId], reason: UnknownReason) {
        self.note(LossKind::SolverUnknown, place, unknown_remedy(&self.terms, term, path, reason));
    }

    fn value_alternatives(&mut self, state: &State, term: TermId, id: ThreadId) -> Result<Vec<Decision>, EngineError> {
        if let Some(value) = state.path.value(term) {
            return Ok(vec![Decision::Value { term, value, implied: true }]);
        }
        let mut path: Vec<TermId> = state.path.terms().to_vec();
        let mut values = Vec::new();
        self.asking.begin(self.program.site(state.thread(id).frame()));
        loop {
            let model = match self.solver.model(&mut self.terms, &path)? {
                Answer::Sat(model) => model,
                Answer::Unsat => break,
                Answer::Unknown(reason) => {
                    let place = Backtrace::of(&self.program, state.thread(id)).place(&self.program.module);
                    self.note_unknown(place, term, &path, reason);
                    break;
                }
            };
            if values.len() == self.config.values {
                let place = Backtrace::of(&self.program, state.thread(id)).place(&self.program.module);
                let remedy = Remedy::Values { most: self.config.values, merges: self.config.merge };
                self.note(LossKind::Concretized, place, remedy);
                break;
            }
            let value = self.terms.eval(term, &model);
            values.push(value);
            let constant = self.terms.bv(self.terms.width(term), value);
            let other = self.terms.ne(term, constant);
            path.push(other);
        }
        values.sort_unstable();
        let implied = values.len() == 1;
        Ok(values.into_iter().map(|value| Decision::Value { term, value, implied }).collect())
    }

    /// Applies a decision that `id` asked for.
    pub fn decide(&mut self, state: &mut State, id: ThreadId, decision: Decision) {
        state.history = state.history.then(Step::Decide(id, decision));
        let real = match decision {
            Decision::Condition { term, holds, implied, solver } => {
                if solver {
                    state.thread_mut(id).solved = Some(term);
                }
                self.decide_condition(&mut state.path, term, holds, implied);
                !implied
            }
            Decision::Null(pointer) => {
                self.decide_target(state, pointer, Target::Null);
                true
            }
            Decision::NonNull(pointer) => {
                state.memory.decide_non_null(pointer);
                true
            }
            Decision::Tag(pointer, tag) => {
                state.memory.decide_tag(pointer, tag);
                true
            }
            Decision::Target(pointer, target) => {
                self.decide_target(state, pointer, target);
                true
            }
            Decision::Value { term, value, implied } => {
                state.path.set_value(term, value);
                if !implied {
                    let constant = self.terms.bv(self.terms.width(term), value);
                    let equal = self.terms.eq(term, constant);
                    state.path.add(equal);
                }
                !implied
            }
            Decision::Pick(index) => {
                state.pick = Some(index);
                true
            }
        };
        if let Decision::Condition { term, .. } | Decision::Value { term, .. } = decision {
            state.thread_mut(id).settled.push(term);
        }
        if real {
            let thread = state.thread_mut(id);
            thread.choices += 1;
            thread.quiet_steps = 0;
        }
    }

    fn decide_condition(&mut self, path: &mut PathCondition, term: TermId, holds: bool, implied: bool) {
        let negated = self.terms.not(term);
        path.decide(term, holds);
        path.decide(negated, !holds);
        if !implied {
            path.add(if holds { term } else { negated });
        }
    }

    fn decide_target(&mut self, state: &mut State, pointer: memory::LazyId, target: Target) {
        let Program { module, facts, .. } = &*self.program;
        state.memory.decide(module, facts, pointer, target);
    }

    /// Does something in another mode; behind it the mode is what it was.
    pub fn with_config<T>(&mut self, config: Config, run: impl FnOnce(&mut Engine) -> T) -> T {
        let before = std::mem::replace(&mut self.config, config);
        let result = run(self);
        self.config = before;
        result
    }

    /// Does something where threads stop before their accesses at these sites; behind it the visible sites are what they were.
    pub fn with_visible<T>(&mut self, sites: FxHashSet<Site>, run: impl FnOnce(&mut Engine) -> T) -> T {
        let before = std::mem::replace(&mut self.visible, sites);
        let result = run(self);
        self.visible = before;
        result
    }

    /// Notes a loss that does not end the path.
    pub fn note(&mut self, kind: LossKind, site: impl Into<LossSite>, remedy: impl Into<Remedy>) {
        self.ledger.note(LedgerEntry { kind, site: site.into(), remedy: remedy.into() });
    }
}

/// What may decide a question that was given up.
pub(crate) fn unknown_remedy(terms: &Terms, term: TermId, path: &[TermId], reason: UnknownReason) -> Remedy {
    let slow = terms.slow_operator(term).or_else(|| path.iter().rev().find_map(|&t| terms.slow_operator(t)));
    Remedy::Solver { steps: reason != UnknownReason::Timeout, slow: slow.map(str::to_owned) }
}

impl PathEnd {
    /// The fault, if the path ended with one.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            PathEnd::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}
