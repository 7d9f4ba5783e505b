//! The exploration of interference scenarios (Con2colic, Algorithms 1 to 3).
//!
//! A candidate is a scenario whose sink has not been seen: another way at a branch, an action that a thread stands before. If inputs and
//! an order are found for it, it is run; what is new in that run makes further candidates (`ExtractISCs`). If not, the reasons say what
//! has to be different: a read has to take its value from another thread's write, a lock to be given back. Candidates [wait](Wanted) for
//! such [sources](Source), those that are known and those that come to be known (`ExploreISCs`, and its lines 21 to 23 for what is new).
//!
//! Departures from Algorithm 1 as printed: re-exploration takes unrealizable candidates of all degrees, not only of those below the
//! current one; candidates are always taken at the least degree there is; a scenario's threads are followed to where they give locks back
//! (section 7.4) only where the order of events asks for that.

mod learning;

use super::data::{Conflict, Data, Initially, Read, changes, data, values, written};
use super::execution::{Executed, Known, Plan, content_at, execute, in_memory};
use super::forest::{Content, Forest, Label, NodeId, Seen};
use super::looks::{asked, counting, looked_at};
use super::scenario::{Edge, Expanded, Scenario};
use super::timing::{Reason, Timing, action_of, timing};
use super::tokens::taken;
use super::trace::Trace;
use super::{CoverOptions, CoverTest, DegreeCounts};
use crate::trace::canon::{Canon, Who};
use crate::{Budget, Origin};
use concurrency::{Action, Place, Range, SyncOp};
use machine::{Engine, EngineError, LossKind, LossSite, Remedy};
use memory::{Fingerprint, ObjId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Model, TermId, Terms};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// What a scenario waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// A write to an object.
    Write(ObjId),
    /// The end of a thread.
    End(Who),
    /// That a lock is taken.
    Taken(Place),
    /// That a thread gives a lock back.
    Released(Who, Place),
    /// A signal to who waits here.
    Signal(Place),
    /// A post of a semaphore.
    Posted(Place),
    /// Somebody begins to wait here.
    Waits(Place),
    /// An arrival at a barrier.
    Arrived(Place),
    /// The end of a function that is called once.
    Called(Place),
    /// A post of a semaphore, or a wait that has taken something.
    Changed(Place),
    /// The end of an atomic section.
    Over(Who),
}

/// How a scenario would use it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Use {
    /// For a read.
    Read(NodeId, u32),
    /// By a node that waits, or tries.
    Wait(NodeId),
    /// By a thread that waits for others at a barrier.
    Meet(NodeId),
    /// By one that looks at a semaphore.
    Look(NodeId),
    /// A thread is followed that far.
    Follow,
    /// A thread is followed from a write to where it writes the same once more.
    Again(NodeId),
    /// A thread comes that far as well.
    Beside,
}

/// A scenario that cannot be, and may be with more.
#[derive(Clone, Debug)]
struct Wanted {
    scenario: Rc<Scenario>,
    usage: Use,
    /// What the read finds that is to find something else.
    instead_of: Option<Content>,
    /// What does not hold because of that, and the read's variable in it.
    untrue: Option<(TermId, TermId)>,
}

/// What others may wait for, with what comes before it.
#[derive(Clone, Debug)]
struct Source {
    node: NodeId,
    scenario: Rc<Scenario>,
    /// What it writes, where that is told.
    values: Rc<[(Range, Option<Content>)]>,
}

/// A branch's way, not yet covered, comes first.
#[derive(Debug, Default)]
struct Worklist {
    first: VecDeque<Scenario>,
    rest: VecDeque<Scenario>,
}

/// The search.
pub(super) struct Search<'a> {
    engine: &'a mut Engine,
    pub known: Known,
    origin: &'a Origin,
    options: CoverOptions,
    budget: &'a Budget,
    /// By degree (`W`).
    worklists: BTreeMap<u32, Worklist>,
    /// Scenarios that were candidates.
    seen: FxHashSet<Fingerprint>,
    sources: FxHashMap<Key, Vec<Source>>,
    known_sources: FxHashSet<(NodeId, Fingerprint)>,
    /// `UN`, by what each waits for.
    waiting: FxHashMap<Key, Vec<Wanted>>,
    known_waiting: FxHashSet<(Key, Fingerprint, Use)>,
    pub degrees: BTreeMap<u32, DegreeCounts>,
    /// By sink, scenarios that were run.
    realized: FxHashMap<NodeId, Vec<Scenario>>,
    /// By condition, variable and two values of it: whether it can hold with the second where it does not with the first.
    changes: FxHashMap<(TermId, TermId, [TermId; 2]), bool>,
    /// Candidates of degrees beyond the bound.
    pub beyond: u64,
    /// Executions that did not go as was foreseen.
    pub diverged: u64,
    pub executions: u64,
    /// Which candidate of a degree comes next; none: the first.
    random: Option<fastrand::Rng>,
}

/// An execution of the search.
pub(super) enum Next {
    Executed(Box<Executed>),
    /// There is no other candidate.
    Over,
    /// There was no time.
    Exhausted,
}

impl<'a> Search<'a> {
    pub(super) fn new(engine: &'a mut Engine, origin: &'a Origin, options: CoverOptions, budget: &'a Budget) -> Self {
        let mut known = Known { pairs: options.def_use, ..Known::default() };
        known.forest.all_writes = options.def_use;
        Search {
            engine,
            known,
            origin,
            options,
            budget,
            worklists: BTreeMap::new(),
            seen: FxHashSet::default(),
            sources: FxHashMap::default(),
            known_sources: FxHashSet::default(),
            waiting: FxHashMap::default(),
            known_waiting: FxHashSet::default(),
            changes: FxHashMap::default(),
            realized: FxHashMap::default(),
            degrees: BTreeMap::new(),
            beyond: 0,
            diverged: 0,
            executions: 0,
            random: options.shuffle.map(fastrand::Rng::with_seed),
        }
    }

    pub(super) fn engine(&mut self) -> &mut Engine {
        self.engine
    }

    /// What runs programs, and how their threads and objects are called.
    pub(super) fn machine(&mut self) -> (&mut Engine, &mut Canon) {
        (self.engine, &mut self.known.canon)
    }

    /// The first execution: nothing is foreseen.
    ///
    /// # Errors
    /// When the engine fails.
    pub(super) fn first(&mut self) -> Result<Next, EngineError> {
        let plan = Plan { order: Vec::new(), scenario: None, inputs: Model::new(), follows: None };
        self.run(&plan)
    }

    /// An execution by a test that was there before, as far as it can be followed.
    ///
    /// # Errors
    /// When the engine fails.
    pub(super) fn follow(&mut self, test: &CoverTest) -> Result<Next, EngineError> {
        let mut inputs = Model::new();
        for (name, &(width, value)) in &test.symbols {
            // The name is unique; which of the two it is only the program knows.
            for variable in [self.engine.terms.var(name, width), self.engine.terms.uninit_var(name, width)] {
                inputs.set(variable, value);
            }
        }
        self.run(&Plan { order: Vec::new(), scenario: None, inputs, follows: Some(test) })
    }

    /// Tries candidates until one can be run.
    ///
    /// # Errors
    /// When the engine fails.
    pub(super) fn next(&mut self, is_covered: &dyn Fn(&Label) -> bool) -> Result<Next, EngineError> {
        let mut looked = 0_u32;
        while let Some((degree, scenario)) = self.pick(is_covered) {
            looked += 1;
            if looked.is_multiple_of(16) && self.budget.exhausted().is_some() {
                return Ok(Next::Exhausted);
            }
            if self.is_subsumed(&scenario) {
                continue;
            }
            self.degrees.entry(degree).or_default().candidates += 1;
            let Some((order, inputs)) = self.realize(&scenario)? else { continue };
            let plan = Plan { order, scenario: Some(&scenario), inputs, follows: None };
            let next = self.run(&plan)?;
            self.degrees.entry(degree).or_default().realized += 1;
            if matches!(&next, Next::Executed(executed) if self.went_one_way(&executed.trace, scenario.sink)) {
                self.realized.entry(scenario.sink).or_default().push(scenario);
            }
            return Ok(next);
        }
        Ok(Next::Over)
    }

    /// Whether an execution came to its sink as foreseen, and what it read there, if anything, can be anything as the thread goes on.
    fn went_one_way(&self, trace: &Trace, sink: NodeId) -> bool {
        let forest = &self.known.forest;
        let step = trace.threads.get(forest.who(sink)).and_then(|steps| steps.get(forest.depth(sink)));
        trace.as_foreseen
            && step.is_some_and(|step| match forest.label(step.node) {
                // With more before it a semaphore counts something else.
                Label::Act { action, .. } if asked(action).is_some() => false,
                Label::Act { reads, .. } => reads.iter().all(|read| matches!(read.seen, Seen::Variable(_))),
                _ => true,
            })
    }

    /// Whether one within it with the same sink was run. Whatever takes its past from the larger one can take it from that one, and come
    /// to the rest where it turns out to be needed.
    fn is_subsumed(&self, scenario: &Scenario) -> bool {
        let realized = self.realized.get(&scenario.sink).filter(|_| self.options.subsumption);
        let of_sink = |scenario: &Scenario| scenario.edges.iter().filter(|edge| edge.reader == scenario.sink).count();
        let stands_for =
            |run: &&Scenario| run.is_within(&self.known.forest, scenario) && of_sink(run) == of_sink(scenario);
        realized.is_some_and(|realized| realized.iter().any(|run| stands_for(&run)))
    }

    /// The candidate of the least degree.
    fn pick(&mut self, is_covered: &dyn Fn(&Label) -> bool) -> Option<(u32, Scenario)> {
        loop {
            let mut entry = self.worklists.first_entry()?;
            let degree = *entry.key();
            let list = entry.get_mut();
            let random = &mut self.random;
            let mut take = |list: &mut VecDeque<Scenario>| match random {
                Some(random) if !list.is_empty() => list.swap_remove_back(random.usize(..list.len())),
                _ => list.pop_front(),
            };
            if let Some(scenario) = take(&mut list.first) {
                if self.options.priorities && is_covered(self.known.forest.label(scenario.sink)) {
                    list.rest.push_back(scenario);
                    continue;
                }
                return Some((degree, scenario));
            }
            match take(&mut list.rest) {
                Some(scenario) => return Some((degree, scenario)),
                None => _ = entry.remove(),
            }
        }
    }

    /// Inputs and an order for a scenario (`RealizabilityCheck`); else it waits for what it takes.
    fn realize(&mut self, scenario: &Scenario) -> Result<Option<(Vec<Who>, Model)>, EngineError> {
        if self.waits_for_another(scenario)? {
            return Ok(None);
        }
        let Search { engine, known, .. } = self;
        let expanded = Expanded::new(&known.forest, scenario);
        let initially = Initial { known };
        let inputs = match data(engine, &known.forest, &expanded, &initially)? {
            Data::Satisfied(inputs) => inputs,
            Data::Unknown => {
                let what = LossSite::Search("an interference scenario".to_owned());
                engine.note(LossKind::SolverUnknown, what, Remedy::Solver { steps: false, slow: None });
                return Ok(None);
            }
            Data::Conflict(conflict) => {
                self.extend_reads(scenario, &conflict.reads, Some(&conflict))?;
                return Ok(None);
            }
        };
        match timing(&known.forest, &expanded, known.objects(), self.options.subsumption) {
            Timing::Feasible(order) => Ok(Some((order, inputs))),
            Timing::Conflict(reasons) => {
                let reads: Vec<Read> = reasons
                    .iter()
                    .filter_map(|reason| match *reason {
                        Reason::Local(node, cell) => Some((node, cell)),
                        Reason::Keeps(..)
                        | Reason::Token(_)
                        | Reason::Wakes(_)
                        | Reason::Once(_)
                        | Reason::Look(_)
                        | Reason::Within(_) => None,
                    })
                    .collect();
                for reason in &reasons {
                    match *reason {
                        Reason::Keeps(who, place) => {
                            self.wait(scenario, Key::Released(who, place), Use::Follow)?;
                        }
                        Reason::Token(node) => self.wait_for_post(scenario, node)?,
                        Reason::Look(node) => self.wait_for_change(scenario, node)?,
                        Reason::Within(who) => self.wait(scenario, Key::Over(who), Use::Follow)?,
                        Reason::Wakes(node) => {
                            if let Some(&Action::Sync { place, .. }) = action_of(&self.known.forest, node) {
                                self.wait(scenario, Key::Waits(place), Use::Beside)?;
                            }
                        }
                        Reason::Once(node) => {
                            if let Label::Wrote(writes) = self.known.forest.label(node)
                                && let Some(&(range, _)) = writes.first()
                            {
                                self.wait(scenario, Key::Write(range.object), Use::Again(node))?;
                            }
                        }
                        Reason::Local(..) => {}
                    }
                }
                self.extend_reads(scenario, &reads, None)?;
                Ok(None)
            }
        }
    }

    /// A scenario waits for other values of these reads, of those that it does not say to be another thread's; without guidance, of all.
    /// `conflict`: what does not hold as long as they find what they find.
    ///
    /// # Errors
    /// When the engine fails.
    fn extend_reads(
        &mut self,
        scenario: &Scenario,
        reads: &[Read],
        conflict: Option<&Conflict>,
    ) -> Result<(), EngineError> {
        let forest = &self.known.forest;
        let asked: Vec<Read> = match self.options.guidance {
            true => reads.to_vec(),
            false => {
                let nodes = scenario.leaves.iter().flatten().flat_map(|leaf| forest.path(*leaf).nodes.clone());
                nodes.flat_map(|node| (0..forest.reads(node).len() as u32).map(move |cell| (node, cell))).collect()
            }
        };
        let asked = asked.into_iter().filter(|&(node, cell)| scenario.source(node, cell).is_none());
        let asked: Vec<(Read, Range)> =
            asked.filter_map(|(node, cell)| Some(((node, cell), *forest.reads(node).get(cell as usize)?))).collect();
        let conflict = conflict.filter(|_| self.options.guidance);
        let values = match conflict.is_some() {
            true => {
                let Search { engine, known, .. } = self;
                let expanded = Expanded::new(&known.forest, scenario);
                values(engine, &known.forest, &expanded, &Initial { known }, &asked)
            }
            false => vec![None; asked.len()],
        };
        for (((node, cell), range), value) in asked.into_iter().zip(values) {
            let untrue = conflict.filter(|_| self.options.subsumption);
            let untrue = untrue.and_then(|why| Some((why.condition?, *why.variables.get(&(node, cell))?)));
            self.wait_for(
                Key::Write(range.object),
                Wanted { scenario: Rc::new(scenario.clone()), usage: Use::Read(node, cell), instead_of: value, untrue },
            )?;
        }
        Ok(())
    }

    /// Whether the sink is an action for which another thread has to do something first; then it waits for that.
    fn waits_for_another(&mut self, scenario: &Scenario) -> Result<bool, EngineError> {
        let Label::Pending { action, vain, .. } = self.known.forest.label(scenario.sink) else { return Ok(false) };
        if *vain {
            return Ok(false);
        }
        let key = match *action {
            Action::Join(thread) | Action::TryJoin { thread, .. } => Key::End(thread.index()),
            Action::Wake { condition, .. } => Key::Signal(condition),
            Action::Pass(barrier) => return self.waits_for_company(scenario, barrier),
            _ if taken(action).is_some() => {
                self.wait_for_post(scenario, scenario.sink)?;
                return Ok(false);
            }
            // Whatever it counts, something else is another way to go.
            _ if asked(action).is_some() => {
                self.wait_for_change(scenario, scenario.sink)?;
                return Ok(false);
            }
            Action::Sync { op, place } if op.waiting().is_some() => {
                self.wait(scenario, Key::Taken(place), Use::Wait(scenario.sink))?;
                return Ok(false);
            }
            Action::Sync { op: SyncOp::Once, place } => {
                if scenario.source(scenario.sink, 0).is_none() {
                    self.wait(scenario, Key::Called(place), Use::Wait(scenario.sink))?;
                }
                return Ok(false);
            }
            _ => return Ok(false),
        };
        let is_met = scenario.edges.iter().any(|edge| edge.reader == scenario.sink);
        if !is_met {
            self.wait(scenario, key, Use::Wait(scenario.sink))?;
        }
        Ok(!is_met)
    }

    /// Whether not all are there with whom a thread is to pass a barrier; then it waits for one more.
    fn waits_for_company(&mut self, scenario: &Scenario, barrier: Place) -> Result<bool, EngineError> {
        let met = scenario.edges.iter().filter(|edge| edge.reader == scenario.sink).count();
        let count = self.known.barriers.get(&barrier).copied().unwrap_or(0);
        let is_met = met as u32 + 1 == count;
        if !is_met {
            self.wait(scenario, Key::Arrived(barrier), Use::Meet(scenario.sink))?;
        }
        Ok(!is_met)
    }

    /// A wait of a semaphore takes what another thread posts, unless it is said already what it takes.
    fn wait_for_post(&mut self, scenario: &Scenario, node: NodeId) -> Result<(), EngineError> {
        let place = action_of(&self.known.forest, node).and_then(taken);
        match place.filter(|_| scenario.source(node, 0).is_none()) {
            Some(place) => self.wait(scenario, Key::Posted(place), Use::Wait(node)),
            None => Ok(()),
        }
    }

    /// A look at a semaphore counts something more.
    fn wait_for_change(&mut self, scenario: &Scenario, look: NodeId) -> Result<(), EngineError> {
        match looked_at(self.known.forest.label(look)) {
            Some(place) => self.wait(scenario, Key::Changed(place), Use::Look(look)),
            None => Ok(()),
        }
    }

    fn wait(&mut self, scenario: &Scenario, key: Key, usage: Use) -> Result<(), EngineError> {
        self.wait_for(key, Wanted { scenario: Rc::new(scenario.clone()), usage, instead_of: None, untrue: None })
    }

    /// Combines a scenario with all sources of what it waits for, and with those to come.
    fn wait_for(&mut self, key: Key, wanted: Wanted) -> Result<(), EngineError> {
        let what = Fingerprint::of((&*wanted.scenario, wanted.instead_of, wanted.untrue));
        if !self.known_waiting.insert((key, what, wanted.usage)) {
            return Ok(());
        }
        for index in 0..self.sources.get(&key).map_or(0, Vec::len) {
            let source = self.sources[&key][index].clone();
            self.combine(&wanted, &source)?;
        }
        self.waiting.entry(key).or_default().push(wanted);
        Ok(())
    }

    /// Something that others may wait for becomes known.
    fn offer(&mut self, key: Key, node: NodeId, scenario: &Rc<Scenario>) -> Result<(), EngineError> {
        let Search { engine, known, .. } = self;
        let values = match key {
            Key::Write(_) => {
                let expanded = Expanded::new(&known.forest, scenario);
                written(engine, &known.forest, &expanded, &Initial { known }, node)
            }
            _ => Vec::new(),
        };
        let source = Source { node, scenario: Rc::clone(scenario), values: values.into() };
        for index in 0..self.waiting.get(&key).map_or(0, Vec::len) {
            let wanted = self.waiting[&key][index].clone();
            self.combine(&wanted, &source)?;
        }
        self.sources.entry(key).or_default().push(source);
        Ok(())
    }

    /// `ExploreISCs`, for one read and one write.
    fn combine(&mut self, wanted: &Wanted, source: &Source) -> Result<(), EngineError> {
        if let Use::Read(node, cell) = wanted.usage {
            // What is read may be from any of equal writes in a row.
            let repeats = self.options.subsumption && self.known.forest.written_before(source.node).is_some();
            if repeats || self.changes_nothing(wanted, (node, cell), source)? {
                return Ok(());
            }
        }
        let forest = &self.known.forest;
        let candidate = match wanted.usage {
            Use::Follow => followed(forest, &wanted.scenario, source),
            Use::Again(node) if forest.written_before(source.node) == Some(node) => {
                followed(forest, &wanted.scenario, source)
            }
            Use::Again(_) => None,
            Use::Beside => {
                let is_new = !wanted.scenario.contains(forest, source.node);
                is_new.then(|| wanted.scenario.merged(forest, &source.scenario)).flatten()
            }
            Use::Meet(node) => {
                // Companions in the order of threads.
                let met = wanted.scenario.edges.iter().filter(|edge| edge.reader == node);
                let is_next = met.clone().all(|edge| forest.who(edge.source) < forest.who(source.node));
                let cell = met.count() as u32;
                is_next.then(|| self.interfered(&wanted.scenario, &[(node, cell)], source)).flatten()
            }
            Use::Look(node) => self.counted(&wanted.scenario, node, source),
            Use::Wait(node) => self.interfered(&wanted.scenario, &[(node, 0)], source),
            Use::Read(node, cell) => {
                let cells = self.cells_written(&wanted.scenario, (node, cell), source.node);
                self.interfered(&wanted.scenario, &cells, source)
            }
        };
        if let Some(candidate) = candidate {
            self.add_combined(candidate);
        }
        Ok(())
    }

    /// Whether a read that is to find something else would find what it finds already, or what does not make true what is not.
    fn changes_nothing(&mut self, wanted: &Wanted, (node, cell): Read, source: &Source) -> Result<bool, EngineError> {
        let range = self.known.forest.reads(node).get(cell as usize).copied();
        let of_range = |(written, _): &&(Range, Option<Content>)| Some(*written) == range;
        let value = source.values.iter().find(of_range).and_then(|(_, value)| *value);
        let (Some(new), Some(old)) = (value, wanted.instead_of) else { return Ok(false) };
        if new == old {
            return Ok(true);
        }
        let (Content::Term(new), Content::Term(old), Some((condition, variable))) = (new, old, wanted.untrue) else {
            return Ok(false);
        };
        let terms = &self.engine.terms;
        if [new, old].iter().any(|value| terms.width(*value) != terms.width(variable)) {
            return Ok(false);
        }
        if let Some(&known) = self.changes.get(&(condition, variable, [old, new])) {
            return Ok(!known);
        }
        let changes = changes(self.engine, condition, variable, [old, new])?;
        self.changes.insert((condition, variable, [old, new]), changes);
        Ok(!changes)
    }

    /// A scenario in which these take what they need from a source.
    fn interfered(&self, scenario: &Scenario, readers: &[Read], source: &Source) -> Option<Scenario> {
        let forest = &self.known.forest;
        let &(first, _) = readers.first()?;
        if forest.who(first) == forest.who(source.node) || source.scenario.contains(forest, first) {
            return None;
        }
        let edges = readers.iter().map(|&(reader, cell)| Edge { reader, cell, source: source.node });
        scenario.merged(forest, &source.scenario)?.with(edges)
    }

    /// A scenario in which a look counts a change of another thread.
    fn counted(&self, scenario: &Scenario, look: NodeId, source: &Source) -> Option<Scenario> {
        let forest = &self.known.forest;
        if forest.who(look) == forest.who(source.node) || source.scenario.contains(forest, look) {
            return None;
        }
        let (scenario, edge) = counting(forest, scenario, look, source.node)?;
        scenario.merged(forest, &source.scenario)?.with([edge])
    }

    /// The cells of a read that a node writes, if one of them is among these.
    fn cells_written(&self, scenario: &Scenario, (node, cell): Read, source: NodeId) -> Vec<Read> {
        let forest = &self.known.forest;
        let Label::Wrote(writes) = forest.label(source) else { return Vec::new() };
        let ranges = forest.reads(node);
        let is_written = |range: &Range| writes.iter().any(|(written, _)| written.overlaps(range));
        if !ranges.get(cell as usize).is_some_and(is_written) {
            return Vec::new();
        }
        let cells = (0..).zip(&ranges).filter(|(_, range)| is_written(range)).map(|(cell, _)| (node, cell));
        cells.filter(|&(node, cell)| scenario.source(node, cell).is_none()).collect()
    }

    /// A candidate that an execution makes (`ExtractISCs`): each is new once.
    fn add(&mut self, scenario: Scenario) {
        if self.seen.insert(Fingerprint::of(&scenario)) {
            self.put(scenario);
        }
    }

    /// A candidate that is made of others (`ExploreISCs`), in different ways.
    fn add_combined(&mut self, scenario: Scenario) {
        if self.seen.insert(Fingerprint::of(&scenario)) || !self.options.no_duplicates {
            self.put(scenario);
        }
    }

    fn put(&mut self, scenario: Scenario) {
        let degree = Expanded::new(&self.known.forest, &scenario).degree(&self.known.forest) as u32;
        if self.options.max_degree.is_some_and(|max| degree > max) {
            self.beyond += 1;
            return;
        }
        let list = self.worklists.entry(degree).or_default();
        let is_first =
            self.options.priorities && matches!(self.known.forest.label(scenario.sink), Label::Branch { .. });
        if is_first { list.first.push_back(scenario) } else { list.rest.push_back(scenario) }
    }

    fn run(&mut self, plan: &Plan) -> Result<Next, EngineError> {
        let mut executed = execute(self.engine, &mut self.known, self.origin, plan, self.budget)?;
        executed.trace.subsumption = self.options.subsumption;
        if executed.interrupted {
            return Ok(Next::Exhausted);
        }
        self.executions += 1;
        if !executed.trace.as_foreseen {
            self.diverged += 1;
        }
        Ok(Next::Executed(Box::new(executed)))
    }

    /// The least degree at which there are candidates left.
    pub(super) fn least_degree(&self) -> Option<u32> {
        let is_open = |list: &Worklist| !list.first.is_empty() || !list.rest.is_empty();
        self.worklists.iter().find(|(_, list)| is_open(list)).map(|(&degree, _)| degree)
    }

    /// The highest degree at which there were candidates, or that is allowed.
    pub(super) fn most_degree(&self) -> u32 {
        let most = self.degrees.keys().next_back().copied().unwrap_or(0);
        self.options.max_degree.unwrap_or(most)
    }
}

/// A scenario in which a thread is followed to a source.
fn followed(forest: &Forest, scenario: &Scenario, source: &Source) -> Option<Scenario> {
    let leaf = scenario.leaves.get(forest.who(source.node)).copied().flatten()?;
    let is_behind = forest.depth(source.node) > forest.depth(leaf)
        && forest.at_depth(source.node, forest.depth(leaf)) == Some(leaf);
    is_behind.then(|| scenario.merged(forest, &source.scenario)).flatten()
}

impl Known {
    /// The values of a term that were seen behind a node, this one among them.
    fn values_at(&mut self, before: NodeId, term: smt::TermId, value: u128) -> Vec<u128> {
        let values = self.values.entry((before, term)).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
        values.clone()
    }
}

/// What stands in memory when the first thread is created, and later in what is new.
struct Initial<'a> {
    known: &'a Known,
}

impl Initially for Initial<'_> {
    fn content(&self, terms: &mut Terms, expanded: &Expanded, range: Range) -> Content {
        let forest = &self.known.forest;
        let first = expanded.paths.first().into_iter().flat_map(|path| &path.nodes);
        let mut created = first.filter(|&&node| matches!(forest.label(node), Label::Created(_)));
        let snapshot = created.next().and_then(|node| self.known.snapshots.get(node));
        let there = snapshot.and_then(|memory| Some((memory, in_memory(&self.known.canon, memory, range)?)));
        match there {
            Some((memory, range)) => content_at(terms, memory, range, |_, _, _| None).0,
            None => match self.known.fresh.get(&range) {
                Some(content) => *content,
                None => {
                    self.known.guessed.set(true);
                    Content::Undefined
                }
            },
        }
    }

    fn note_mixed(&self) {
        self.known.mixed.set(true);
    }
}
