//! The state of an execution. Cloning it is the fork: what is large is shared until written.

mod input;
mod specific;

pub(crate) use input::numbered_name;
pub use input::{Applied, Input};
pub(crate) use specific::{Cleanup, Key, Keys, Specific, Winding, has_handlers, mix_specific};

use crate::access_log::AccessLog;
use crate::atomic_block::AtomicBlock;
use crate::flow::Flow;
use crate::gpu::Gpu;
use crate::host::{Host, Side};
use crate::lockstep::Lane;
use crate::{ANY_NUMBER, Config, Decision, EndlessLoop, Observations};
use concurrency::{
    self, Action, HappensBefore, LockMode, Place, RaceShadow, Range, Scope, Site, SyncObject, SyncOp, SyncTable,
    ThreadId,
};
use imbl::shared_ptr::RcK;
use ir::{BlockId, FuncId, Operand, Reg};
use memory::{ArenaId, Epoch, Fingerprint, Memory, ObjId, Pointer, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use smt::TermId;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

type Map<K, V> = imbl::GenericHashMap<K, V, FxBuildHasher, RcK>;

/// What is known of the symbols on this path.
#[derive(Clone, Debug, Default)]
pub struct PathCondition {
    terms: Rc<Vec<TermId>>,
    /// Of the conjuncts as a set.
    fingerprint: Fingerprint,
    decided: Map<TermId, bool>,
    values: Map<TermId, u128>,
    /// Terms that are known to be other than these numbers.
    unequal: Map<TermId, u64>,
}

impl PathCondition {
    /// Notes what follows: a term is other than a number. Of several numbers the last is remembered.
    pub(crate) fn note_unequal(&mut self, term: TermId, number: u64) {
        self.unequal.insert(term, number);
    }

    pub(crate) fn is_unequal(&self, term: TermId, number: u64) -> bool {
        self.unequal.get(&term) == Some(&number)
    }

    /// The conjuncts, oldest first.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    pub fn decided(&self, term: TermId) -> Option<bool> {
        self.decided.get(&term).copied()
    }

    pub fn value(&self, term: TermId) -> Option<u128> {
        self.values.get(&term).copied()
    }

    /// Adds a conjunct that is known to be satisfiable together with the others.
    pub fn assume(&mut self, term: TermId) {
        self.add(term);
    }

    pub(crate) fn add(&mut self, term: TermId) {
        self.fingerprint.add(Fingerprint::of(term));
        Rc::make_mut(&mut self.terms).push(term);
    }

    /// Fingerprint of the conjuncts, whatever their order.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Other conjuncts. What follows from them that is about a term `gone` is no longer known.
    pub(crate) fn replace(&mut self, terms: Vec<TermId>, gone: impl Fn(TermId) -> bool) {
        self.fingerprint = Fingerprint::default();
        terms.iter().for_each(|&term| self.fingerprint.add(Fingerprint::of(term)));
        self.terms = Rc::new(terms);
        self.decided.retain(|&term, _| !gone(term));

        self.values.retain(|&term, _| !gone(term));
        self.unequal.retain(|&term, _| !gone(term));
    }

    pub(crate) fn decide(&mut self, term: TermId, holds: bool) {
        self.decided.insert(term, holds);
    }

    pub(crate) fn set_value(&mut self, term: TermId, value: u128) {
        self.values.insert(term, value);
    }
}

/// A step of an execution: enough to run it again from its start.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// The thread was granted this action, and what it comes to.
    Grant(ThreadId, Action, Outcome),
    Decide(ThreadId, Decision),
    /// Where threads run only when they are scheduled: the thread, which stands before no action, was.
    Schedule(ThreadId),
}

/// What an action comes to, where others decide that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It can come to one thing only.
    Plain,
    /// The call does not wait: it gets what it tries to get, or waits for only for a time, or an error at once.
    Gets,
    Misses,
}

#[derive(Debug)]
struct HistoryNode {
    step: Step,
    /// Steps up to this one.
    length: usize,
    before: History,
}

/// The steps so far, shared between states that have a common past.
#[derive(Clone, Debug, Default)]
pub struct History(Option<Rc<HistoryNode>>);

impl History {
    #[must_use]
    pub fn then(&self, step: Step) -> History {
        History(Some(Rc::new(HistoryNode { step, length: self.length() + 1, before: self.clone() })))
    }

    /// How many steps there are.
    pub fn length(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// The last `count` steps, oldest first, and what was before them.
    pub fn split_last(&self, count: usize) -> (Vec<Step>, History) {
        let mut steps = Vec::new();
        let mut at = self;
        while steps.len() < count
            && let Some(node) = &at.0
        {
            steps.push(node.step.clone());
            at = &node.before;
        }
        steps.reverse();
        (steps, at.clone())
    }

    /// A number that no other history has, as long as this one or a copy of it lives.
    pub fn identity(&self) -> usize {
        self.0.as_ref().map_or(0, |node| Rc::as_ptr(node).addr())
    }

    pub fn last(&self) -> Option<&Step> {
        self.backwards().next()
    }

    /// All steps, the last first.
    pub fn backwards(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.0.as_deref(), |node| node.before.0.as_deref()).map(|node| &node.step)
    }

    /// All steps, oldest first.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = &self.0;
        while let Some(node) = at {
            steps.push(node.step.clone());
            at = &node.before.0;
        }
        steps.reverse();
        steps
    }
}

impl Drop for History {
    /// Unlinks a long list step by step: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

/// What happens when a frame returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnReturn {
    /// The caller's registers get the values.
    Normal,
    /// The thread ends.
    EndThread,
    /// A constructor is done: the frame below begins.
    Constructor,
    /// A call of a thread that makes several is done: the next one, the frame below, begins.
    NextCall,
    /// A call that a client makes is done: its thread stands still until it makes another ([`crate::Engine::call_next`]).
    ClientCall,
    /// `main` returns: destructors run, and the process ends.
    EndProcess,
    /// The last destructor is done: the process ends with this status; `None`: 0.
    Exit(Option<Value>),
    /// The routine of the once flag here is complete.
    OnceDone(Place),
    /// A destructor of thread-specific data is done: the thread's end goes on.
    Destructor,
    /// One of SV-COMP's atomic functions is done.
    AtomicSectionDone,
}

impl OnReturn {
    /// Whether the frame below has not begun.
    fn begins_below(self) -> bool {
        matches!(self, OnReturn::Constructor | OnReturn::NextCall)
    }
}

/// A loop without a way out that a thread alone goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Followed {
    /// Where its rounds are counted: itself, or a loop in it.
    pub header: BlockId,
    /// Frames on the stack.
    pub depth: usize,
    pub within: EndlessLoop,
    pub rounds: u32,
}

/// How often a loop's header was reached in one activation of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LoopCount {
    pub header: BlockId,
    pub iterations: u32,
    /// How often the loop was entered from outside before.
    pub visit: u32,
    /// The thread's choice counter at the last arrival.
    pub choices: u64,
}

/// The activation of a function. Flat, for the same reason as [`Thread`].
#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    /// Index of the next instruction; one past the last is the terminator.
    pub inst: usize,
    pub(crate) registers: Vec<Value>,
    /// Automatic objects, in the order of their creation.
    pub(crate) locals: Vec<ObjId>,
    pub(crate) stack_mark: u64,
    pub(crate) loops: SmallVec<[LoopCount; 2]>,
    /// What a variadic function was passed beyond its parameters.
    pub(crate) extra_arguments: Option<ObjId>,
    pub(crate) on_return: OnReturn,
    /// What the function was entered with, where repetition is looked for.
    pub(crate) entry: Option<EntryFingerprint>,
    /// How many activations of this function lie below, counting those only between which a choice was made.
    pub(crate) recursion: u32,
    /// The thread's choice counter at entry.
    pub(crate) choices: u64,
    pub(crate) mixed: Mixed,
}

impl Frame {
    /// What a register holds.
    pub fn register(&self, register: Reg) -> Value {
        self.registers[register.index()]
    }
}

/// The fingerprint of a frame's registers, in an epoch; none since the frame was last changed.
pub(crate) type Mixed = Cell<Option<(Epoch, Fingerprint)>>;

/// Arguments and memory at a function's entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryFingerprint {
    pub arguments: Fingerprint,
    pub memory: Fingerprint,
}

/// What a thread will do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// To be run.
    Running,
    /// Stopped before this action.
    At(Action),
    /// It goes no further. Others may go on: nothing makes a thread take its next instruction.
    Stuck(Stuck),
    Ended,
}

/// Why a thread goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stuck {
    /// Its next instruction would fail, or is beyond us.
    Fails,
    /// It goes in circles until another thread changes what it looks at.
    Circles {
        /// It walks a structure, rather than waiting for that.
        traversal: bool,
    },
    /// It goes round a loop that has no way out, in ever new states.
    Endless,
}

impl Stuck {
    /// Whether it waits, by looking again and again.
    pub fn polls(self) -> bool {
        matches!(self, Stuck::Circles { traversal: false } | Stuck::Endless)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Joinable {
    Yes,
    Detached,
    Joined,
}

/// A thread of the program: shared by the states in which it has not run since. Flat, since a step takes the whole of it out of
/// its state and reads most of it.
#[derive(Clone, Debug)]
pub struct Thread {
    pub id: ThreadId,
    /// Hierarchical: `main`, `main.1`, `main.1.2`. Does not depend on the schedule.
    pub name: Rc<str>,
    /// Where it was created, if the program did that, and how many inputs there were by then.
    pub created: Option<(Site, usize)>,
    pub status: Status,
    pub frames: Vec<Rc<Frame>>,
    pub(crate) arena: ArenaId,
    pub(crate) children: u32,
    pub(crate) joinable: Joinable,
    pub(crate) result: Value,
    /// The pending action may be carried out.
    pub(crate) granted: bool,
    /// Loop headers that it has come to since its last visible action or choice, where only that is looked for.
    pub(crate) passed: SmallVec<[(FuncId, BlockId); 1]>,
    /// What it has accessed since its last visible action, and when by its own clock, if that is kept
    /// ([`crate::Config::open_accesses`]).
    pub(crate) open: Rc<BTreeSet<(Range, concurrency::Side, u32)>>,
    /// Between the two halves of a wait on a condition, or at a barrier.
    pub(crate) waiting: bool,
    /// What the first half of a call has found out, until the second half stores it.
    pub(crate) found: Option<u64>,
    /// Whose end a join has waited for, until the result is stored.
    pub(crate) joined: Option<ThreadId>,
    /// Spurious wake-ups so far, by the place of the wait in the code.
    pub(crate) spurious: Map<(FuncId, BlockId, usize), u32>,
    /// Counts choices and visible actions: a loop that makes none needs no bound.
    pub(crate) choices: u64,
    /// Calls of functions that nothing models.
    pub(crate) unmodelled: u32,
    /// Local variables so far that began without a value, where each has one of its own ([`crate::Config::any_indeterminate`]).
    pub(crate) indeterminate: u32,
    /// Instructions since the last choice or visible action.
    pub(crate) quiet_steps: u64,
    /// What was decided for the instruction that it stands before.
    pub(crate) settled: SmallVec<[TermId; 2]>,
    /// The condition that took a solver to decide last.
    pub(crate) solved: Option<TermId>,
    /// The branch decisions so far.
    pub(crate) branches: Fingerprint,
    /// Those of them that do not rest on what a clock showed.
    pub(crate) timeless: Fingerprint,
    /// This thread's instances of thread-local variables.
    pub(crate) thread_locals: Map<ir::GlobalId, ObjId>,
    /// Of a launch: which threads its atomic operations are for.
    pub(crate) scope: Scope,
    pub(crate) side: Side,
    /// Of a warp in lockstep.
    pub(crate) lane: Lane,
    /// Thread-specific data by key, and how its end has gone so far.
    pub(crate) specific: Specific,
    /// The signals that it blocks: 64 bits.
    pub(crate) signal_mask: Value,
    /// Handlers of `pthread_cleanup_push`, the last one last.
    pub(crate) cleanups: Rc<Vec<Cleanup>>,
}

impl Thread {
    pub(crate) fn new(id: ThreadId, name: Rc<str>, arena: ArenaId) -> Self {
        Thread {
            id,
            name,
            created: None,
            status: Status::Running,
            frames: Vec::new(),
            arena,
            children: 0,
            joinable: Joinable::Yes,
            result: Value::NULL,
            granted: false,
            passed: SmallVec::new(),
            open: Rc::default(),
            waiting: false,
            joined: None,
            spurious: Map::default(),
            choices: 0,
            unmodelled: 0,
            indeterminate: 0,
            quiet_steps: 0,
            settled: SmallVec::new(),
            solved: None,
            branches: Fingerprint::default(),
            timeless: Fingerprint::default(),
            thread_locals: Map::default(),
            scope: Scope::default(),
            side: Side::Host,
            lane: Lane::default(),
            found: None,
            specific: Specific::default(),
            signal_mask: Value::Int(0),
            cleanups: Rc::default(),
        }
    }

    /// What the thread's function returned, once it has.
    pub fn result(&self) -> Option<Value> {
        (self.status == Status::Ended).then_some(self.result)
    }

    /// Whether it has begun an action that it was granted, and has to choose before it is done.
    pub fn is_in_course(&self) -> bool {
        self.granted
    }

    /// Calls that the thread makes when the one is done that it is in.
    pub fn calls_to_come(&self) -> usize {
        self.frames.iter().filter(|frame| frame.on_return == OnReturn::NextCall).count()
    }

    /// The stack, innermost frame first, without what has not begun.
    pub(crate) fn begun(&self) -> impl Iterator<Item = &Frame> {
        let waits_for = |above: Option<&Rc<Frame>>| above.is_some_and(|above| above.on_return.begins_below());
        let frames = self.frames.iter().enumerate().rev();
        frames.filter(move |(index, _)| !waits_for(self.frames.get(index + 1))).map(|(_, frame)| &**frame)
    }

    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a running thread has a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        changed(self.frames.last_mut().expect("a running thread has a frame"))
    }
}

/// A frame that is about to change.
pub(crate) fn changed(frame: &mut Rc<Frame>) -> &mut Frame {
    let frame = Rc::make_mut(frame);
    frame.mixed.set(None);
    frame
}

impl State {
    /// How it came here is nobody's concern any more: what follows is a run of its own.
    pub fn forget_way(&mut self) {
        self.history = History::default();
        self.accesses = AccessLog::default();
        self.observed = Observations::default();
        self.seen = Default::default();
        self.followed = None;
    }
}

/// An execution so far. Each field is shared between states by itself, so that a fork copies pointers: one struct of several
/// would be copied with the first that changes.
#[derive(Clone, Debug)]
pub struct State {
    pub memory: Memory,
    pub threads: Vec<Rc<Thread>>,
    pub sync: SyncTable,
    pub order: HappensBefore,
    pub shadow: RaceShadow,
    pub(crate) keys: Keys,
    /// Of a kernel that was launched.
    pub(crate) gpu: Option<Rc<Gpu>>,
    /// Of a program that launches kernels.
    pub(crate) host: Option<Rc<Host>>,
    /// One thread of a kernel that stands for all ([`crate::flow`]).
    pub(crate) flow: Option<Rc<Flow>>,
    pub path: PathCondition,
    pub inputs: Rc<Vec<Input>>,
    /// How many of them, readings of clocks apart, have this name, or this one with a number behind it.
    pub(crate) asked: Rc<FxHashMap<Rc<str>, u32>>,
    /// Readings of clocks on which nothing depends any more, with values that they may have had ([`crate::clocks`]).
    pub forgotten: Rc<Vec<Input>>,
    /// What the program printed.
    pub output: Rc<Vec<u8>>,
    pub history: History,
    /// Visible actions carried out.
    pub time: u64,
    /// Something that another thread did or does is unordered with what is to come: accesses are recorded for the race
    /// check.
    pub concurrent: bool,
    /// Some thread knows of another's step that does not happen before what it does now: a lock was not to be had, a
    /// relaxed load showed a value. Without that, whatever was not ordered before such a step could have come later.
    pub hearsay: bool,
    /// Two accesses of this execution race.
    pub raced: bool,
    /// The call of a function has been passed of which nothing is known, by this name: all that follows depends on what it
    /// may have done. See [`Engine::depends_on`](crate::Engine::depends_on).
    pub havocked: Option<Rc<str>>,
    /// A handler is there for a signal that somebody outside may send at any time, which is not explored.
    pub signalled: bool,
    /// Operations of a library are run, on a heap of a caller's.
    pub(crate) library: bool,
    /// Whatever initialises the library's globals has been called before.
    pub(crate) globals_set_up: bool,
    /// The environment's next pick, consumed by the instruction that asked for it.
    pub(crate) pick: Option<u32>,
    /// Where an operation runs alone.
    pub(crate) accesses: AccessLog,
    pub observed: Observations,
    /// The graph of the execution, if it is asked what weak orders allow ([`Weak::Ask`](crate::Weak)).
    pub(crate) graph: crate::rc11::Graph,
    /// The critical section that may become a single step, or is one and about to end.
    pub(crate) block: Option<Rc<AtomicBlock>>,
    /// Loops that a thread goes round for ever on this heap, each round leading to a new state: few rounds are explored
    /// together.
    pub endless: SmallVec<[EndlessLoop; 1]>,
    /// Where an operation runs alone: the loop without a way out that it has come to repeat, if the state does not.
    pub(crate) followed: Option<Followed>,
    /// Fingerprints at loop headers, with the time of the last visible action before; where an operation runs alone, with
    /// the length of the log of accesses.
    pub(crate) seen: Map<Fingerprint, u64>,
}

impl State {
    /// Whether all threads but one have ended, and somebody has waited for each: what is left is behind all that they did.
    pub fn has_waited_for_all(&self) -> bool {
        self.threads.iter().filter(|thread| thread.joinable != Joinable::Joined).count() == 1
    }

    /// Some thread was left where it failed or goes in circles.
    pub fn is_stuck(&self) -> bool {
        self.threads.iter().any(|thread| matches!(thread.status, Status::Stuck(_)))
    }

    pub fn thread(&self, id: ThreadId) -> &Thread {
        &self.threads[id.index()]
    }

    /// The waiters of a condition variable that no signal has chosen yet: one of these is chosen, by its place in an order that does not depend on
    /// who was created first.
    pub fn waiting(&self, condition: Place) -> Vec<ThreadId> {
        let mut waiting = self.sync.waiting(condition);
        waiting.sort_by(|a, b| self.thread(*a).name.cmp(&self.thread(*b).name));
        waiting
    }

    /// The threads that the last one to arrive at a barrier lets through, itself among them: one of these is the serial one, by its place in an
    /// order that does not depend on who was created first.
    pub fn let_through(&self, barrier: Place, last: ThreadId) -> Vec<ThreadId> {
        self.let_through_with((Rc::clone(&self.thread(last).name), last), barrier)
    }

    pub(crate) fn let_through_with(&self, last: (Rc<str>, ThreadId), barrier: Place) -> Vec<ThreadId> {
        let others = self.sync.arrived(barrier).map(|other| (Rc::clone(&self.thread(other).name), other));
        let mut members: Vec<(Rc<str>, ThreadId)> = others.chain([last]).collect();
        members.sort();
        members.into_iter().map(|(_, id)| id).collect()
    }

    pub(crate) fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        Rc::make_mut(&mut self.threads[id.index()])
    }

    /// A thread is not to go further.
    pub fn give_up(&mut self, id: ThreadId) {
        self.thread_mut(id).status = Status::Stuck(Stuck::Fails);
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::new)
    }

    /// What an operand of a thread's innermost function holds; none for what takes an engine to tell.
    pub fn held(&self, id: ThreadId, operand: Operand) -> Option<Value> {
        match operand {
            Operand::Reg(reg) => Some(self.memory.settle(self.thread(id).frame().registers[reg.index()])),
            Operand::Int(bits) => Some(Value::Int(bits)),
            Operand::Global(global, offset) => Some(Value::Ptr(Pointer::new(self.memory.global(global)?, offset))),
            Operand::Func(function) => Some(Value::Ptr(Pointer::to(self.memory.function_object(function)?))),
            Operand::Wide(_) | Operand::Undef => None,
        }
    }

    /// Whether a thread that stopped before an action can carry it out now.
    pub fn enabled(&self, thread: ThreadId, action: &Action) -> bool {
        self.enabled_for(self.thread(thread), action)
    }

    /// [`State::enabled`] for a thread that is being run, whose own record the state does not hold at that time.
    pub(crate) fn enabled_for(&self, asking: &Thread, action: &Action) -> bool {
        let thread = asking.id;
        if self.is_held_back(thread) && !matches!(action, Action::Join(_) | Action::Pass(_)) {
            return false;
        }
        match *action {
            Action::Sync { op, place } => match op {
                SyncOp::Lock => self.sync.mutex_available(place, thread),
                SyncOp::ReadLock => self.sync.rwlock_available(place, LockMode::Shared),
                SyncOp::WriteLock => self.sync.rwlock_available(place, LockMode::Exclusive),
                SyncOp::Once => !matches!(
                    self.sync.get(place),
                    Some(SyncObject::Once { state: concurrency::OnceState::Running(_), .. })
                ),
                SyncOp::SemWait => self.sync.semaphore_available(place),
                SyncOp::Init
                | SyncOp::Destroy
                | SyncOp::TimedLock
                | SyncOp::TimedReadLock
                | SyncOp::TimedWriteLock
                | SyncOp::SemTryWait
                | SyncOp::SemTimedWait
                | SyncOp::SemPost
                | SyncOp::SemValue
                | SyncOp::OwnerDies
                | SyncOp::KeyEnd
                | SyncOp::TryLock
                | SyncOp::Unlock
                | SyncOp::TryReadLock
                | SyncOp::TryWriteLock
                | SyncOp::ReadUnlock
                | SyncOp::WriteUnlock
                | SyncOp::Signal
                | SyncOp::Broadcast
                | SyncOp::OnceDone => true,
            },
            Action::Wake { condition, mutex, timed } => {
                if self.sync.awaits_signal(condition, thread) {
                    timed
                } else {
                    self.sync.mutex_available(mutex, thread)
                }
            }
            Action::Join(other) => self.thread(other).status == Status::Ended,
            Action::TryJoin { .. } => true,
            Action::Pass(_) => match &self.gpu {
                Some(gpu) if gpu.has(thread) => gpu.may_pass(thread),
                _ => self.sync.may_pass(thread),
            },
            Action::Wait { .. }
            | Action::GiveUp { .. }
            | Action::Arrive { .. }
            | Action::AtomicBegin
            | Action::Access { .. }
            | Action::Leave
            | Action::Exit => true,
        }
    }

    /// What an action comes to if it is carried out now.
    pub fn outcome(&self, thread: ThreadId, action: &Action) -> Outcome {
        let gets = match *action {
            Action::Sync { op, place } => op.waiting().map(|op| self.enabled(thread, &Action::Sync { op, place })),
            Action::TryJoin { thread: other, .. } => Some(self.thread(other).status == Status::Ended),
            _ => None,
        };
        match gets {
            None => Outcome::Plain,
            Some(true) => Outcome::Gets,
            Some(false) => Outcome::Misses,
        }
    }

    /// Whether a thread could carry out its action without a time limit that is over or a spurious wake-up.
    pub fn enabled_by_itself(&self, thread: ThreadId, action: &Action) -> bool {
        let action = match *action {
            Action::Wake { condition, .. } if !self.sync.is_signalled(condition, thread) => return false,
            Action::Sync { op, place } => Action::Sync { op: op.untimed(), place },
            Action::TryJoin { thread, timed: true } => Action::Join(thread),
            other => other,
        };
        self.enabled(thread, &action)
    }

    /// Whether another thread is in an atomic section.
    pub fn is_held_back(&self, thread: ThreadId) -> bool {
        self.sync.atomic_section().is_some_and(|owner| owner != thread)
    }

    /// A thread's action as it would be carried out now: which round of a barrier an arrival belongs to is a matter of the moment,
    /// whether a compare-and-exchange replaces anything, and whether a wait ends by a signal or without.
    pub fn at_this_moment(&self, thread: ThreadId, action: Action) -> Action {
        match action {
            Action::Wake { condition, timed: true, .. } if !self.sync.is_signalled(condition, thread) => {
                Action::GiveUp { condition }
            }
            // Who has woken up spuriously has nothing to do with the condition any more.
            Action::Wake { condition, mutex, timed: false }
                if !self.sync.awaits_signal(condition, thread) && !self.sync.is_signalled(condition, thread) =>
            {
                Action::Wake { condition: mutex, mutex, timed: false }
            }
            Action::Arrive { barrier, .. } => self.sync.arrival(barrier),
            Action::Access { range, also, expects: Some(expected), .. } => {
                let at = Pointer::new(range.object, range.offset as i64);
                let is_there =
                    self.memory.is_allocated(range.object).then(|| self.memory.known(at, range.size)).flatten();
                let replaced = |held: Value| match held {
                    Value::Term(term) => !self.path.is_unequal(term, expected),
                    held => self.memory.number(held).is_none_or(|held| held == expected),
                };
                let write = is_there.is_none_or(replaced);
                Action::Access { range, write, also, expects: Some(expected) }
            }
            other => other,
        }
    }

    /// The branch decisions of all threads: equal for executions that took the same ways.
    pub fn branches(&self) -> Fingerprint {
        let mut all = Fingerprint::default();
        for thread in &self.threads {
            all.add(Fingerprint::of((&*thread.name, thread.branches)));
        }
        all
    }
}

/// Whether an action tells a thread of what another did, without that having happened before.
pub(crate) fn tells_by_hearsay(action: &Action, outcome: Outcome) -> bool {
    match action {
        _ if outcome == Outcome::Misses => true,
        Action::Sync { op, .. } => {
            matches!(op, SyncOp::SemValue | SyncOp::Destroy | SyncOp::OwnerDies | SyncOp::KeyEnd)
        }
        _ => false,
    }
}

impl Thread {
    /// Spurious wake-ups used up at the wait that the thread is at.
    pub(crate) fn spurious_used(&self) -> u32 {
        let frame = self.frame();
        self.spurious.get(&(frame.function, frame.block, frame.inst)).copied().unwrap_or(0)
    }

    /// Whether a wait of its has ended, or an exchange failed, spuriously.
    pub fn went_on_spuriously(&self) -> bool {
        !self.spurious.is_empty()
    }

    pub(crate) fn note_spurious(&mut self, config: &Config) {
        if config.spurious == ANY_NUMBER {
            return;
        }
        let used = self.spurious_used();
        let frame = self.frame();
        let key = (frame.function, frame.block, frame.inst);
        self.spurious.insert(key, used + 1);
    }
}
