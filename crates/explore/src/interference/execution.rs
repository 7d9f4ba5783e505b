//! Concolic execution (Con2colic, section 4): a program is run with given inputs and by a given schedule, and what its threads do becomes
//! labels over inputs and reads.
//!
//! Each read gets a variable of its own without the machine's knowing: before the action is granted, the variable is put in the place of
//! what stands there, which has the same value. Choices are answered by evaluating them.

mod barriers;
mod cells;
mod follow;
mod pairs;
mod perform;
mod semaphores;
mod waits;

use barriers::Barrier;
pub(super) use cells::{content_at, in_memory};
use semaphores::Semaphore;

use super::barriers::of_any_round;
use super::forest::{Content, Forest, Label, NodeId, Path};
use super::looks::{asked, may_be_vain, tries};
use super::once;
use super::rounds::Rounds;
use super::scenario::{Expanded, Scenario};
use super::timing::{Objects, acquired};
use super::tokens::{self, Tokens, taken};
use super::trace::{At, Clock, LastWrite, Step, Trace, join};
use super::{CoverTest, Pair};
use crate::trace::canon::{Canon, Who};
use crate::{Budget, Origin};
use concurrency::{AccessKind, Action, Place, Range, Relock, Site, SyncOp, ThreadId};
use ir::Op;
use machine::{
    Choice, Decision, Engine, EngineError, Fault, LossKind, LossSite, Observed, Outcome, PathEnd, State, Status, Stop,
};
use memory::{Memory, ObjId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Model, TermId};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Visible actions of one execution.
const MOST_ACTIONS: usize = 20_000;

/// What all executions have in common.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub forest: Forest,
    pub canon: Canon,
    /// By the first node by which the program creates a thread, what stood in memory then.
    pub snapshots: FxHashMap<NodeId, Memory>,
    /// What stood first in objects that came later.
    pub fresh: FxHashMap<Range, Content>,
    /// Where addresses stand.
    pub pointers: FxHashSet<Range>,
    /// Where numbers were read before an address was seen there: all that is known has to be found out again.
    pub numbers: FxHashSet<Range>,
    pub mistaken: bool,
    /// By what comes before and the term, which values were needed there.
    pub values: FxHashMap<(NodeId, TermId), Vec<u128>>,
    /// What semaphores count at first.
    pub tokens: FxHashMap<Place, u32>,
    /// For how many threads barriers are.
    pub barriers: FxHashMap<Place, u32>,
    /// What becomes of it if a thread asks for a lock that it has.
    pub relocks: FxHashMap<Place, Relock>,
    /// Of functions that are called once, whether they were before there were other threads.
    pub called: FxHashMap<Place, bool>,
    /// What stands somewhere at first was asked for and is not known.
    pub guessed: Cell<bool>,
    /// A read would have taken its bytes from several writes.
    pub mixed: Cell<bool>,
    /// It is asked which reads find which writes.
    pub pairs: bool,
}

impl Known {
    pub(super) fn objects(&self) -> Objects<'_> {
        let Known { tokens, barriers, called, relocks, .. } = self;
        Objects { tokens, barriers, called, relocks }
    }

    /// Where addresses stand, by the addresses of objects.
    pub(super) fn pointers(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.pointers.iter().map(|range| (self.canon.address(range.object), range.offset, range.size))
    }

    /// Knows from an earlier round where addresses stand.
    pub(super) fn take_pointers(&mut self, pointers: &FxHashSet<(u64, u64, u64)>) {
        for &(address, offset, size) in pointers {
            let object = self.canon.object_at(address);
            self.pointers.insert(Range { object, offset, size });
        }
    }
}

/// What an execution is to follow.
pub(super) struct Plan<'a> {
    /// Threads, each for one visible action.
    pub order: Vec<Who>,
    /// What they do, and what is to be reached; none for the first execution of all.
    pub scenario: Option<&'a Scenario>,
    pub inputs: Model,
    /// By whose turns it goes instead.
    pub follows: Option<&'a CoverTest>,
}

/// An access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Accessed {
    pub site: Site,
    pub range: Range,
    pub who: Who,
    pub reads: bool,
    pub writes: bool,
}

/// A way taken at a branch, and the degree at which.
pub(super) type Taken = (Site, u64, u32);

/// An execution and what it was worth.
#[derive(Default)]
pub(super) struct Executed {
    pub trace: Trace,
    pub taken: Vec<Taken>,
    pub faults: Vec<Fault>,
    /// Inputs, and a value for each read.
    pub model: Model,
    pub interrupted: bool,
    /// Visible actions, in order, as they were done.
    pub actions: Vec<(Who, Action)>,
    /// What the environment chose, by thread.
    pub picks: FxHashMap<Who, VecDeque<u32>>,
    /// By thread: each time that it looked whether another had ended, whether it found that.
    pub joins: FxHashMap<Who, VecDeque<bool>>,
    /// Plain accesses beside other threads.
    pub accesses: Vec<Accessed>,
    /// If pairs are asked for: visible accesses, by where the program has them; and reads that found what another thread has written, with
    /// the degree.
    pub touched: Vec<Accessed>,
    pub pairs: Vec<(Pair, u32)>,
    /// Why turns could not be taken that were given.
    pub lost: Option<String>,
}

/// Runs the program.
///
/// # Errors
/// When the engine fails.
pub(super) fn execute(
    engine: &mut Engine,
    known: &mut Known,
    origin: &Origin,
    plan: &Plan,
    budget: &Budget,
) -> Result<Executed, EngineError> {
    engine.taken = Some(Vec::new());
    engine.sightings.clear();
    let (state, _) = origin.base_state(engine);
    let mut execution = Execution {
        engine,
        known,
        state,
        plan,
        budget,
        threads: Vec::new(),
        done: Executed { model: plan.inputs.clone(), ..Executed::default() },
        writes: FxHashMap::default(),
        woken: FxHashMap::default(),
        holders: FxHashMap::default(),
        semaphores: FxHashMap::default(),
        called: FxHashMap::default(),
        began: FxHashSet::default(),
        barriers: FxHashMap::default(),
        met: FxHashMap::default(),
        expected: Vec::new(),
        tokens: Tokens::default(),
        joins: None,
        written_at: FxHashMap::default(),
        given: plan.follows.map(|test| test.first_picks.iter().copied().collect()).unwrap_or_default(),
        process_ended: false,
    };
    if let Some(scenario) = plan.scenario {
        let Known { forest, tokens, .. } = &*execution.known;
        let expanded = Expanded::new(forest, scenario);
        execution.tokens = tokens::assign(forest, &expanded, tokens).unwrap_or_default();
        execution.expected = expanded.paths.into_vec();
    }
    let result = execution.run();
    execution.note_accesses();
    let mut done = execution.done;
    done.trace.pending = pending(&mut execution.threads);
    engine.taken = None;
    engine.sightings.clear();
    result?;
    Ok(done)
}

fn pending(threads: &mut [Thread]) -> Vec<(Who, Action, Box<[Range]>)> {
    threads.iter_mut().filter_map(|thread| thread.pending.take().map(|(a, r)| (thread.who, a, r))).collect()
}

/// A thread in an execution.
struct Thread {
    who: Who,
    id: ThreadId,
    /// Who created it, and by which node.
    created: Option<(Who, usize)>,
    /// Of each read so far its variable, if it has one.
    reads: Vec<Option<TermId>>,
    /// What it has been granted and not written yet.
    writing: Option<Vec<Range>>,
    /// Variables that stand in memory for what the action reads, and what stood there.
    lent: Vec<(Range, TermId, TermId)>,
    pending: Option<(Action, Box<[Range]>)>,
    /// It is in an atomic section.
    in_section: bool,
    /// Where its last action stands in the program.
    site: Site,
    is_over: bool,
}

struct Execution<'a> {
    engine: &'a mut Engine,
    known: &'a mut Known,
    state: State,
    plan: &'a Plan<'a>,
    budget: &'a Budget,
    threads: Vec<Thread>,
    done: Executed,
    /// By object, the last writes, the last one last.
    writes: FxHashMap<ObjId, Vec<LastWrite>>,
    /// Who was told to wake up, and by which node.
    woken: FxHashMap<Who, (Who, usize)>,
    /// By lock, who took it last, and by which node.
    holders: FxHashMap<Place, (Who, usize)>,
    /// By flag of a function that is called once, the end of that call; and those before which a thread has stood.
    called: FxHashMap<Place, At>,
    began: FxHashSet<Place>,
    /// By semaphore, what is there to take.
    semaphores: FxHashMap<Place, Semaphore>,
    barriers: FxHashMap<Place, Barrier>,
    /// By thread that a barrier lets through, the arrivals of the others.
    met: FxHashMap<Who, Vec<At>>,
    /// By thread, the nodes that are foreseen; and what its waits of semaphores take.
    expected: Vec<Rc<Path>>,
    tokens: Tokens,
    /// What a thread finds that looks whether another one has ended, until the machine asks for that.
    joins: Option<bool>,
    /// Where writes stand in the program.
    written_at: FxHashMap<At, Site>,
    /// What the environment is to choose next, in a turn that is followed.
    given: VecDeque<u32>,
    process_ended: bool,
}

impl Execution<'_> {
    fn run(&mut self) -> Result<(), EngineError> {
        let main = ThreadId::new(0);
        self.appear(main, None);
        self.settle(main)?;
        for &who in &self.plan.order {
            let Some(at) = self.threads.iter().position(|thread| thread.who == who) else { return Ok(()) };
            let Some((action, _)) = self.threads[at].pending.clone() else { return Ok(()) };
            if !self.is_enabled(at) {
                return Ok(());
            }
            self.perform(at, action)?;
            // The end of the process may be what was to be reached.
            if self.is_over() {
                break;
            }
        }
        if let Some(test) = self.plan.follows {
            self.done.trace.as_foreseen = true;
            return self.follow(test);
        }
        let sink = self.plan.scenario.map_or(0, |scenario| self.known.forest.who(scenario.sink));
        self.done.trace.as_foreseen = self.plan.scenario.is_none_or(|scenario| self.has_reached(scenario));
        if !self.done.trace.as_foreseen {
            return Ok(());
        }
        // The sink's thread goes on by itself (Con2colic, section 7.1), up to what it would need others for.
        let mut rounds = Rounds::default();
        while let Some(at) = self.threads.iter().position(|thread| thread.who == sink) {
            let Some((action, _)) = self.threads[at].pending.clone() else { break };
            if self.is_over() || !self.is_enabled(at) || self.would_be_interfered(at) {
                break;
            }
            if self.goes_round(at, action, &mut rounds) {
                // What it stands before is what it stood before.
                self.threads[at].pending = None;
                break;
            }
            if self.done.actions.len() >= MOST_ACTIONS {
                self.engine.note(LossKind::StepBound, LossSite::Search("main".to_owned()), "a shorter execution");
                break;
            }
            self.perform(at, action)?;
        }
        Ok(())
    }

    /// Whether a thread that goes on by itself only looks again for what it saw.
    fn goes_round(&mut self, at: usize, action: Action, rounds: &mut Rounds) -> bool {
        let Thread { who, id, ref reads, .. } = self.threads[at];
        let does = |label: &Label| match label {
            Label::Wrote(_) | Label::Created(_) | Label::Pick { .. } => true,
            // What came to nothing leaves all as it was.
            Label::Act { action, outcome: Outcome::Misses, .. } if may_be_vain(action) => false,
            Label::Act { action, .. } => !matches!(
                action,
                // So does who waited and has given up.
                Action::Access { .. }
                    | Action::Wait { .. }
                    | Action::GiveUp { .. }
                    | Action::AtomicBegin
                    | Action::Sync { op: SyncOp::Lock | SyncOp::Unlock | SyncOp::TryLock | SyncOp::SemValue, .. }
            ),
            _ => false,
        };
        let steps = &self.done.trace.threads[who];
        let effects = steps.iter().filter(|step| does(self.known.forest.label(step.node))).count();
        rounds.come_round(self.engine, &mut self.state, (id, action), effects, reads)
    }

    /// What was accessed beside other threads.
    fn note_accesses(&mut self) {
        let mut accesses = FxHashSet::default();
        let observed = self.state.observed.clone();
        if observed.is_full() {
            let what = LossSite::Search("interferences".to_owned());
            self.engine.note(LossKind::StepBound, what, "a shorter execution: not all that it accesses is kept");
        }
        for what in observed.iter() {
            let Observed::Access { record, range, .. } = what else { continue };
            // In an atomic section accesses are plain, and none of them is one with which others race.
            if record.atomic && !self.engine.program.has_atomic_sections {
                continue;
            }
            let who = self.known.canon.who(&self.state, record.thread);
            let range = self.canonical(*range);
            let (reads, writes) = (!matches!(record.kind, AccessKind::Write | AccessKind::Free), record.kind.writes());
            accesses.insert(Accessed { site: record.site, range, who, reads, writes });
        }
        self.done.accesses = accesses.into_iter().collect();
        self.done.accesses.sort_by_key(|access| (access.site, access.who, access.range));
    }

    fn is_over(&self) -> bool {
        self.done.interrupted || self.process_ended
    }

    /// Whether what was to be reached is among what was done: a pending action, once that is done.
    fn has_reached(&self, scenario: &Scenario) -> bool {
        let forest = &self.known.forest;
        let (who, depth) = (forest.who(scenario.sink), forest.depth(scenario.sink));
        let Some(step) = self.done.trace.threads.get(who).and_then(|steps| steps.get(depth)) else { return false };
        if forest.before(step.node) != forest.before(scenario.sink) {
            return false;
        }
        match (forest.label(scenario.sink), forest.label(step.node)) {
            (Label::Pending { action, vain, .. }, Label::Act { action: done, outcome, .. }) => {
                action == done && (!may_be_vain(action) || *vain == (*outcome == Outcome::Misses))
            }
            (Label::Otherwise { term, values }, Label::Value { term: of, value }) => {
                term == of && !values.contains(value)
            }
            _ => step.node == scenario.sink,
        }
    }

    /// A thread is there.
    fn appear(&mut self, id: ThreadId, created: Option<(Who, usize)>) {
        let who = self.known.canon.who(&self.state, id);
        let clock = created.map(|(by, at)| self.done.trace.threads[by][at].clock.clone()).unwrap_or_default();
        if self.done.trace.threads.len() <= who {
            self.done.trace.threads.resize_with(who + 1, Vec::new);
        }
        self.threads.push(Thread {
            who,
            id,
            created,
            reads: Vec::new(),
            writing: None,
            lent: Vec::new(),
            pending: None,
            in_section: false,
            site: Site::new(0),
            is_over: false,
        });
        self.push_after(who, Label::Begin, &clock);
    }

    /// A thread has done something. The node's place in it.
    fn push(&mut self, who: Who, label: Label) -> usize {
        self.push_after(who, label, &Clock::new())
    }

    /// The same, and what comes before it besides.
    fn push_after(&mut self, who: Who, label: Label, after: &Clock) -> usize {
        let steps = &mut self.done.trace.threads[who];
        let (before, mut clock) = match steps.last() {
            Some(last) => (Some(last.node), last.clock.clone()),
            None => (None, Clock::new()),
        };
        join(&mut clock, after);
        if clock.len() <= who {
            clock.resize(who + 1, 0);
        }
        clock[who] = steps.len() as u32 + 1;
        let node = self.known.forest.node(who, before, label);
        steps.push(Step { node, clock });
        steps.len() - 1
    }

    /// Runs a thread, and those that it creates, up to their next visible actions.
    fn settle(&mut self, id: ThreadId) -> Result<(), EngineError> {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            self.settle_one(id, &mut open)?;
            if self.done.interrupted {
                break;
            }
        }
        Ok(())
    }

    fn settle_one(&mut self, id: ThreadId, open: &mut Vec<ThreadId>) -> Result<(), EngineError> {
        let at = self.threads.iter().position(|thread| thread.id == id).expect("it has appeared");
        let who = self.threads[at].who;
        while self.state.thread(id).status == Status::Running {
            let threads = self.state.threads.len();
            let stop = self.engine.run(&mut self.state, id);
            self.note_written(at);
            self.note_section(at);
            for child in threads..self.state.threads.len() {
                let child = ThreadId::new(child);
                let number = self.known.canon.who(&self.state, child);
                let created = self.push(who, Label::Created(number));
                if threads == 1 && child.index() == 1 {
                    let node = self.done.trace.threads[who][created].node;
                    self.known.snapshots.entry(node).or_insert_with(|| self.state.memory.clone());
                }
                self.appear(child, Some((who, created)));
                open.push(child);
            }
            self.note_taken(who);
            match stop {
                Stop::Failed(error) => return Err(error),
                Stop::Choice(choice) => self.choose(at, &choice),
                Stop::Visible(action) => self.stand_before(at, action),
                Stop::Wrong(fault) => self.done.faults.push(fault),
                Stop::ThreadEnded => {
                    self.push(who, Label::Ended);
                    self.threads[at].is_over = true;
                }
                Stop::End(end) => {
                    self.end(at, end);
                    break;
                }
                Stop::CallEnded => {}
                Stop::Interrupted => {
                    self.done.interrupted |= self.budget_is_spent();
                    if self.done.interrupted {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn budget_is_spent(&self) -> bool {
        self.budget.exhausted().is_some()
    }

    fn end(&mut self, at: usize, end: PathEnd) {
        self.threads[at].is_over = true;
        match end {
            PathEnd::Fault(fault) => self.done.faults.push(fault),
            PathEnd::Abandoned(entry) => self.engine.ledger.note(*entry),
            PathEnd::Exited { .. } | PathEnd::Infeasible => self.process_ended = true,
            PathEnd::Raced | PathEnd::Spins { .. } | PathEnd::Repeats { .. } | PathEnd::Endless(_) => {}
        }
    }

    fn note_taken(&mut self, who: Who) {
        let Some(taken) = &mut self.engine.taken else { return };
        if taken.is_empty() {
            return;
        }
        let taken = std::mem::take(taken);
        let degree = self.done.trace.degree(who);
        self.done.taken.extend(taken.into_iter().map(|(site, way)| (site, way, degree)));
    }

    /// Answers as the inputs and the reads say.
    fn choose(&mut self, at: usize, choice: &Choice) {
        let (who, id) = (self.threads[at].who, self.threads[at].id);
        let given = match *choice {
            Choice::Pick { count } => self.given.pop_front().filter(|&given| given < count),
            _ => None,
        };
        let decision = match *choice {
            Choice::Condition(term) => {
                let holds = self.engine.terms.eval(term, &self.done.model) != 0;
                let site = self.engine.program.site(self.state.thread(id).frame());
                self.push(who, Label::Branch { site, term, holds });
                Decision::Condition { term, holds, implied: false, solver: false }
            }
            Choice::Value(term) => {
                let value = self.engine.terms.eval(term, &self.done.model);
                self.push(who, Label::Value { term, value });
                Decision::Value { term, value, implied: false }
            }
            Choice::Pick { .. } if let Some(condition) = self.signalled(at) => {
                let index = given.unwrap_or_else(|| self.chosen_to_wake(at, condition));
                self.done.picks.entry(who).or_default().push_back(index);
                Decision::Pick(index)
            }
            // A thread that has ended may be found to have not.
            Choice::Pick { .. } if let Some(joins) = self.joins.take() => {
                let index = u32::from(!joins);
                self.done.picks.entry(who).or_default().push_back(index);
                Decision::Pick(index)
            }
            Choice::Pick { .. } if let Some(barrier) = self.arrived_last(at) => {
                let index = given.unwrap_or_else(|| self.chosen_to_be_serial(at, barrier));
                self.done.picks.entry(who).or_default().push_back(index);
                Decision::Pick(index)
            }
            Choice::Pick { count } => {
                let foreseen =
                    self.expected.get(who).and_then(|path| path.nodes.get(self.done.trace.threads[who].len()));
                let index = match foreseen.map(|&node| self.known.forest.label(node)) {
                    Some(Label::Pick { count: of, index }) if *of == count => *index,
                    _ => given.unwrap_or(0),
                };
                self.push(who, Label::Pick { count, index });
                self.done.picks.entry(who).or_default().push_back(index);
                Decision::Pick(index)
            }
            // Programs have no heap that is decided lazily.
            Choice::Nullness(pointer) | Choice::Target(pointer) => Decision::Null(pointer),
            Choice::Tag(pointer, _) => Decision::Tag(pointer, 0),
        };
        self.engine.decide(&mut self.state, id, decision);
    }

    fn stand_before(&mut self, at: usize, action: Action) {
        let id = self.threads[at].id;
        let reads = self.ranges_read(id, &action);
        let reads = reads.into_iter().map(|range| self.canonical(range)).collect();
        let real = action;
        let action = of_any_round(self.known.canon.action(&self.state, &real));
        self.note_semaphore(&real, &action);
        self.note_barrier(&real, &action);
        self.note_called(&real, &action);
        if let (Some((there, _)), Some((place, _))) = (acquired(&real), acquired(&action)) {
            let relock = self.state.sync.relock(there);
            if *self.known.relocks.entry(place).or_insert(relock) != relock {
                self.note_unfollowed("a lock that is made anew as one of another kind");
            }
        }
        // Who waits for itself stands there for ever.
        let is_stuck = self.waits_for_itself(id, &real);
        self.threads[at].pending = (!is_stuck).then_some((action, reads));
    }

    /// The last action that a thread was granted, as the machine has it.
    fn last_granted(&self, at: usize) -> Option<Action> {
        let id = self.threads[at].id;
        self.state.history.backwards().find_map(|step| match step {
            machine::Step::Grant(thread, action, _) if *thread == id => Some(*action),
            _ => None,
        })
    }

    /// An object is used in a way of which interferences are not derived.
    fn note_unfollowed(&mut self, what: &str) {
        let remedy = format!("{what} is not followed; raddle check explores it");
        self.engine.note(LossKind::Unsupported, LossSite::Search("interferences".to_owned()), remedy);
    }

    /// Whether a thread asks for a lock that it has, and only it could give back.
    fn waits_for_itself(&self, id: ThreadId, action: &Action) -> bool {
        let Action::Sync { op, .. } = action else { return false };
        acquired(action).is_some_and(|(place, _)| {
            op.waiting().is_none()
                && self.state.sync.holders(place).contains(&id)
                && self.state.sync.relock(place) == Relock::Waits
                && !self.state.enabled(id, action)
        })
    }

    fn canonical(&mut self, range: Range) -> Range {
        Range { object: self.known.canon.object(&self.state, range.object), ..range }
    }

    /// What an action reads that a thread stands before.
    fn ranges_read(&self, id: ThreadId, action: &Action) -> Vec<Range> {
        let Action::Access { range, write, also, .. } = *action else { return Vec::new() };
        let op = self.engine.program.instruction(self.state.thread(id));
        let updates = matches!(op, Some(Op::AtomicRmw { .. } | Op::CompareExchange { .. }));
        (!write || updates).then_some(range).into_iter().chain(also).collect()
    }

    fn is_enabled(&self, at: usize) -> bool {
        let id = self.threads[at].id;
        match self.state.thread(id).status {
            Status::At(action) => self.state.enabled(id, &action),
            _ => false,
        }
    }

    /// Whether the next action of a thread would read what another one wrote, or get something else for what another one does.
    fn would_be_interfered(&self, at: usize) -> bool {
        let Some((action, reads)) = &self.threads[at].pending else { return false };
        let foreign = |range: &Range| self.sources(self.threads[at].who, *range).iter().any(|(_, by)| by.is_some());
        let misses = || match self.state.thread(self.threads[at].id).status {
            Status::At(action) => self.state.outcome(self.threads[at].id, &action) == Outcome::Misses,
            _ => false,
        };
        if let Some(place) = asked(action).or_else(|| taken(action).filter(|_| tries(action) && misses())) {
            return !self.changed_by_others(at, place).is_empty();
        }
        let has_token = || match taken(action) {
            Some(place) => self.semaphores.get(&place).is_none_or(|it| it.first > 0 || self.own_post(at, it).is_some()),
            None => true,
        };
        let meets =
            matches!(action, Action::Pass(_)) && self.met.get(&self.threads[at].who).is_some_and(|it| !it.is_empty());
        let who = self.threads[at].who;
        let is_called = once::called(action).and_then(|place| self.called.get(&place)).is_some_and(|by| by.0 != who);
        reads.iter().any(foreign)
            || is_called
            || meets
            || !has_token()
            || matches!(action, Action::Sync { op, .. } if op.waiting().is_some()) && misses()
    }

    /// The bytes that a thread would read, by the write that they are from; none for its own, or those of who created it, before it did.
    fn sources(&self, who: Who, range: Range) -> Vec<(Range, Option<(Who, usize)>)> {
        let mut all = Vec::new();
        let mut open = vec![range];
        for write in self.writes.get(&range.object).into_iter().flatten().rev() {
            if open.is_empty() {
                break;
            }
            let mut left = Vec::new();
            for rest in open {
                let Range { offset, size, .. } = rest;
                if !rest.overlaps(&write.range) {
                    left.push(rest);
                    continue;
                }
                let begin = offset.max(write.range.offset);
                let end = (offset + size).min(write.range.offset + write.range.size);
                let by = (!self.is_local(who, write.by)).then_some(write.by);
                all.push((Range { offset: begin, size: end - begin, ..rest }, by));
                left.push(Range { size: begin - offset, ..rest });
                left.push(Range { offset: end, size: offset + size - end, ..rest });
            }
            open = left.into_iter().filter(|range| range.size > 0).collect();
        }
        all
    }

    fn is_local(&self, who: Who, (writer, at): (Who, usize)) -> bool {
        let mut next = Some((who, usize::MAX));
        while let Some((reader, until)) = next {
            if reader == writer && at < until {
                return true;
            }
            next = self.threads.iter().find(|thread| thread.who == reader).and_then(|thread| thread.created);
        }
        false
    }

    /// Whether creation and waiting for ends order a node before the next one of a thread.
    fn is_ordered(&self, who: Who, (writer, at): (Who, usize)) -> bool {
        let mut past: Vec<usize> = vec![0; self.done.trace.threads.len()];
        let mut open = vec![(who, self.done.trace.threads[who].len())];
        while let Some((who, until)) = open.pop() {
            if until <= past[who] {
                continue;
            }
            let from = std::mem::replace(&mut past[who], until);
            let created = self.threads.iter().find(|thread| thread.who == who).and_then(|thread| thread.created);
            if let Some((by, at)) = created {
                open.push((by, at + 1));
            }
            let joins = self.done.trace.interferences.iter().filter(|i| {
                let (reader, at) = i.reader;
                let (writer, written) = i.source;
                let ends = || {
                    let node = self.done.trace.threads[writer][written].node;
                    matches!(self.known.forest.label(node), Label::Ended)
                };
                reader == who && (from..until).contains(&at) && ends()
            });
            open.extend(joins.map(|i| (i.source.0, i.source.1 + 1)));
        }
        at < past[writer]
    }
}
