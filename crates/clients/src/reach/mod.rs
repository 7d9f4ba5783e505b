//! All states that clients can build with so many calls, from the program's own initial state, whatever numbers they pass.
//!
//! Breadth first; states that are the same come once ([`machine::canonical_key`]). A call that fails with nobody beside it ends there, and is
//! kept apart; one that waits for somebody else is no way to build anything.
//!
//! Guarantee: where nothing was left out, each state that calls of the [`Interface`] can build stands among those that were reached,
//! up to what its key does not compare.

mod company;
mod interface;
mod takes;
mod unpassed;

pub use interface::Interface;

use company::{Companies, Company};
use explore::{
    AloneFailure, Budget, CallEnd, Client, ClientArgument, ClientCall, ClientStart, FailedCall, Operation, Position,
    Reached, Recipe, Root, gives_back_for_caller, takes_for_caller, with_numbers,
};
use interface::{Callable, Life};
use ir::{FuncId, Module, TypeId};
use machine::{Config, EndlessLoop, Engine, EngineError, FaultKind, Program, canonical_key};
use memory::{Fingerprint, Limits, ObjId, Pointer, Value};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// States that are kept; more are too many to explore anything on.
const MOST: usize = 20_000;

/// Steps of one call on one state.
const STEPS: u64 = 20_000;

/// Elements of a client's own memory that are tried where a call reads or writes past fewer.
const WIDER: [u64; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// On so many states that is tried in vain for one function.
const WIDENED_IN_VAIN: u32 = 4;

/// A state, and what the client holds in it, by type, with the places of the owners that it keeps each with.
type NodeKey = (Fingerprint, Vec<(TypeId, Life)>, Vec<Vec<Option<usize>>>);

/// How far to build.
#[derive(Clone, Copy, Debug)]
pub struct ReachOptions {
    /// One after the other.
    pub calls: u32,
    /// How many states are enough after one call, two, and more: what one call more builds is built as long as there are no more than
    /// so many. Without it, all are built.
    pub enough: Option<[usize; 3]>,
    pub limits: Limits,
    /// For operations that run alone.
    pub alone: Config,
}

/// What goes wrong in a call with nobody beside it, by what and where.
pub type Failures = BTreeMap<(SequentialKind, Position), SequentialFailure>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SequentialKind {
    Fault(FaultKind),
    /// It waits for a lock that the client has.
    Relocks,
    /// It goes round for ever, by pointers that lead in a circle.
    NeverReturns,
}

impl SequentialKind {
    fn of(failure: &AloneFailure) -> Self {
        match failure {
            AloneFailure::Fault(fault) => SequentialKind::Fault(fault.kind),
            AloneFailure::Relocks => SequentialKind::Relocks,
            AloneFailure::NeverReturns => SequentialKind::NeverReturns,
        }
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            SequentialKind::Fault(kind) => kind.name(),
            SequentialKind::Relocks => "deadlock",
            SequentialKind::NeverReturns => "never_returns",
        }
    }
}

/// A client's calls of which the last one goes wrong.
#[derive(Clone, Debug)]
pub struct SequentialFailure {
    pub client: Client,
    /// One sentence that says what happens.
    pub detail: String,
    /// It is its caller's to avoid: a memory error, a circle, or about a lock that a function takes, or gives back, for its
    /// caller.
    pub is_callers: bool,
    /// It is about memory that the call itself has freed: whoever makes it fails.
    pub is_own_memory: bool,
}

/// What clients can build.
#[derive(Debug, Default)]
pub struct Reach {
    states: Vec<Built>,
    /// The calls of the longest ways, one after the other.
    pub calls: u32,
    /// The shortest way to each.
    pub failures: Failures,
    /// Some of what could be built was left out.
    pub left_out: bool,
    share_owners: bool,
    /// Loops without a way out in which calls go on for ever, each time in a new state.
    endless: Arc<[EndlessLoop]>,
    /// Calls start threads of the library's own, which stand still until several calls are made at once.
    pub has_threads: bool,
    /// Functions that have returned an address which is not known to be one object's.
    pub unheld: BTreeSet<FuncId>,
    /// Functions that read or write past one element of what they are passed, and what clients give them: so many.
    pub elements: BTreeMap<FuncId, u64>,
    /// How often more elements did not help.
    in_vain: BTreeMap<FuncId, u32>,
}

/// A state that was reached.
#[derive(Debug)]
struct Built {
    recipe: Arc<Recipe>,
    lives: Vec<Life>,
    /// How many bytes there are behind each root.
    rooms: Vec<u64>,
    company: Companies,
}

struct Node {
    reached: Reached,
    lives: Vec<Life>,
    company: Companies,
}

impl Reach {
    /// Builds all there is.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn new(
        engine: &mut Engine,
        interface: &Interface,
        options: ReachOptions,
        budget: &Budget,
    ) -> Result<Self, EngineError> {
        let mut reach = Reach { share_owners: options.limits.rules.share_owners, ..Reach::default() };
        let mut seen: FxHashSet<NodeKey> = FxHashSet::default();
        let own: Vec<Root> = interface.own().iter().map(|(root, _)| *root).collect();
        let lives = interface.own().iter().map(|(_, life)| *life).collect();
        let company = Companies::default();
        let start = Node { reached: Reached::start(engine, options.limits, &own), lives, company };
        seen.insert(start.key(engine));
        let mut level = vec![start];
        for round in 0..=options.calls {
            reach.calls = round;
            let mut next = Vec::new();
            let known = reach.states.len() + level.len();
            let enough = options.enough.map(|enough| enough[enough.len().min(round as usize + 1) - 1]);
            let most = enough.map_or(usize::MAX, |enough| enough.saturating_sub(known));
            for node in level {
                if next.len() > most {
                    // Not built any more.
                } else if round < options.calls
                    && reach.states.len() + next.len() < MOST
                    && budget.exhausted().is_none()
                {
                    for callable in interface.callables() {
                        reach.extend(engine, &node, callable, (options, budget), &mut |engine, node| {
                            let key = node.key(engine);
                            if seen.insert(key) {
                                next.push(node);
                            }
                        })?;
                    }
                } else {
                    reach.left_out |= round < options.calls;
                }
                // What a call has freed nobody uses.
                let life = |root: usize| if node.has(root, node.lives[root]) { node.lives[root] } else { Life::Ended };
                let lives = (0..node.lives.len()).map(life).collect();
                let rooms = (0..node.lives.len()).map(|root| node.room(root)).collect();
                let recipe = Arc::new(node.reached.recipe);
                reach.states.push(Built { recipe, lives, rooms, company: node.company });
            }
            if next.is_empty() {
                // More calls build nothing more.
                reach.calls = options.calls;
                break;
            }
            if next.len() > most {
                break;
            }
            level = next;
        }
        Ok(reach)
    }

    /// All that one more call makes of a state.
    fn extend(
        &mut self,
        engine: &mut Engine,
        node: &Node,
        callable: &Callable,
        (options, budget): (ReachOptions, &Budget),
        found: &mut dyn FnMut(&mut Engine, Node),
    ) -> Result<(), EngineError> {
        let recipe = &node.reached.recipe;
        let used = used(recipe.calls.iter().map(|(call, _)| call));
        let program = Arc::clone(&engine.program);
        let share_owners = options.limits.rules.share_owners;
        let about = Company { program: &program, roots: &recipe.roots, share_owners };
        let there = |root, life, bytes| node.has(root, life) && node.room(root) >= bytes;
        for call in callable.calls(&program.module, &recipe.roots, there, &used) {
            let Some(company) = about.with(&node.company, &call) else { continue };
            let (call, ends, all) = self.ends(engine, node, (callable, &call), (options.alone, budget))?;
            self.left_out |= !all;
            for end in ends {
                match end {
                    CallEnd::Returns(reached) => {
                        let mut lives = node.lives.clone();
                        callable.after(&call, &mut lives);
                        let new = lives.len()..reached.values.len();
                        lives.resize(reached.values.len(), Life::Made);
                        if reached.unheld {
                            self.unheld.insert(call.function);
                        }
                        self.has_threads |= reached.state.threads.len() > 1;
                        let mut company = company.clone();
                        for index in new {
                            about.after(&mut company, &call, (index, reached.recipe.roots[index]));
                        }
                        found(engine, Node { reached: *reached, lives, company });
                    }
                    CallEnd::Fails(failed) => {
                        let memory = &node.reached.state.memory;
                        let was_there = |gone: ObjId| gone.index() >= memory.len() || memory.object(gone).is_live();
                        let is_own =
                            matches!(&failed.what, AloneFailure::Fault(fault) if fault.gone.is_some_and(was_there));
                        self.note_failure(engine, *failed, is_own)?;
                    }
                    CallEnd::GoesOn(endless) => {
                        let known = self.endless.iter().copied();
                        let new = endless.into_iter().filter(|one| !self.endless.contains(one));
                        self.endless = known.chain(new).collect();
                    }
                }
            }
        }
        Ok(())
    }

    /// How a call ends, with as much memory of the client's own as it takes to come to an end at all.
    fn ends(
        &mut self,
        engine: &mut Engine,
        node: &Node,
        (callable, call): (&Callable, &ClientCall),
        (alone, budget): (Config, &Budget),
    ) -> Result<(ClientCall, Vec<CallEnd>, bool), EngineError> {
        let function = callable.function;
        let mut run = |call: ClientCall| {
            let (ends, all) = node.reached.call(engine, (&call, &callable.makes), alone, (STEPS, budget))?;
            Ok::<_, EngineError>((call, ends, all))
        };
        let first = run(self.wide(callable, call))?;
        let has_own = |call: &ClientCall| call.with_elements(0, &callable.makes.sets) != *call;
        let in_vain = self.in_vain.get(&function).copied().unwrap_or_default();
        if !leaves_memory(&first.1) || !has_own(call) || in_vain >= WIDENED_IN_VAIN {
            return Ok(first);
        }
        let known = self.elements.get(&function).copied().unwrap_or(1);
        for many in WIDER.into_iter().filter(|&many| many > known) {
            let wider = run(call.with_elements(many, &callable.makes.sets))?;
            if !leaves_memory(&wider.1) {
                self.elements.insert(function, many);
                return Ok(wider);
            }
        }
        *self.in_vain.entry(function).or_default() += 1;
        Ok(first)
    }

    /// A call with as much memory of the client's own as was found to be needed.
    fn wide(&self, callable: &Callable, call: &ClientCall) -> ClientCall {
        match self.elements.get(&callable.function) {
            Some(&many) => call.with_elements(many, &callable.makes.sets),
            None => call.clone(),
        }
    }

    /// Keeps a failure that is new. What is the library's own comes before what is not.
    fn note_failure(&mut self, engine: &mut Engine, failed: FailedCall, is_own: bool) -> Result<(), EngineError> {
        let is_callers = is_callers(&engine.program.module, &failed);
        let key = (SequentialKind::of(&failed.what), failed.position.clone());
        let is_new = self.failures.get(&key).is_none_or(|known| known.is_callers && !is_callers);
        if is_new && let Some(calls) = with_numbers(engine, &failed.state, failed.calls())? {
            let client = Client { roots: failed.recipe.roots.clone(), calls, threads: Vec::new() };
            let detail = match failed.what {
                AloneFailure::Fault(fault) => fault.detail,
                AloneFailure::Relocks => "it waits for a lock that the client has".to_owned(),
                AloneFailure::NeverReturns => "it goes round for ever, by pointers that lead in a circle".to_owned(),
            };
            self.failures.insert(key, SequentialFailure { client, detail, is_callers, is_own_memory: is_own });
        }
        Ok(())
    }

    /// How many states were reached, by the number of calls.
    pub fn by_calls(&self) -> Vec<usize> {
        let mut counts = Vec::new();
        for Built { recipe, .. } in &self.states {
            let calls = recipe.calls.len();
            if counts.len() <= calls {
                counts.resize(calls + 1, 0);
            }
            counts[calls] += 1;
        }
        counts
    }

    /// Why clients hold nothing that they could call a function with, though others are to make it: these come back without one.
    pub fn never_made(&self, module: &Module, interface: &Interface, function: FuncId) -> Option<String> {
        let is_held = |class: TypeId| {
            let holds = |(root, life): (&Root, &Life)| root.ty == class && *life != Life::Ended;
            self.states.iter().any(|built| built.recipe.roots.iter().zip(&built.lives).any(holds))
        };
        let (class, named) =
            interface.callable(function)?.classes(module).into_iter().find(|(class, _)| !is_held(*class))?;
        let makers: Vec<String> = interface.makers(class).map(|maker| format!("`{}`", module[maker].name)).collect();
        let what = crate::roles::name(module, named);
        (!makers.is_empty()).then(|| {
            let verb = if makers.len() == 1 { "has returned" } else { "have returned" };
            format!("{} {verb} no `{what}` that is still there", makers.join(" and "))
        })
    }

    /// Where threads can begin that call these functions, one each, in the order of the calls before.
    pub fn starts(&self, program: &Program, interface: &Interface, operations: &[&Operation]) -> Vec<ClientStart> {
        let callables: Option<Vec<&Callable>> =
            operations.iter().map(|operation| interface.callable(operation.function)).collect();
        let Some(callables) = callables else { return Vec::new() };
        let module = &program.module;
        let mut all = Vec::new();
        for Built { recipe, lives, rooms, company } in &self.states {
            let about = Company { program, roots: &recipe.roots, share_owners: self.share_owners };
            let before = used(recipe.calls.iter().map(|(call, _)| call));
            let mut chosen: Vec<(Companies, Vec<ClientCall>)> = vec![(company.clone(), Vec::new())];
            for callable in &callables {
                let extended = |(company, earlier): &(Companies, Vec<ClientCall>)| {
                    let used = before.union(&used(earlier.iter())).copied().collect();
                    let there = |root: usize, life, bytes| lives[root] == life && rooms[root] >= bytes;
                    let calls = callable.calls(module, &recipe.roots, there, &used);
                    let with = |call| {
                        let company = about.with(company, &call)?;
                        let call = self.wide(callable, &call);
                        Some((company, earlier.iter().cloned().chain([call]).collect()))
                    };
                    calls.into_iter().filter_map(with).collect::<Vec<_>>()
                };
                chosen = chosen.iter().flat_map(extended).collect();
            }
            for (_, threads) in chosen {
                let is_sorted = threads.windows(2).all(|two| {
                    two[0].function != two[1].function || order(&two[0].arguments) <= order(&two[1].arguments)
                });
                if is_sorted && keeps_to_itself(module, operations, &threads, &before) {
                    all.push(ClientStart { recipe: Arc::clone(recipe), threads, endless: self.endless.clone() });
                }
            }
        }
        all
    }
}

/// Whether each private parameter gets what no other call has had or gets, and each object that a caller has to itself goes to one call.
fn keeps_to_itself(
    module: &Module,
    operations: &[&Operation],
    threads: &[ClientCall],
    before: &BTreeSet<usize>,
) -> bool {
    let given_to = |call: &ClientCall, param: usize| {
        let leaves = module.leaves(call.function)?;
        call.arguments.get(leaves.iter().position(|leaf| leaf.param == param)?).copied()
    };
    threads.iter().enumerate().all(|(thread, call)| {
        let others = || threads.iter().enumerate().filter(|(other, _)| *other != thread).map(|(_, call)| call);
        let is_others = |root: usize| used(others()).contains(&root);
        let Operation { private, alone, .. } = operations[thread];
        let is_private = private.iter().all(|&param| match given_to(call, param) {
            Some(ClientArgument::Root(root)) => !before.contains(&root) && !is_others(root),
            _ => true,
        });
        let is_alone = alone.iter().all(|&param| match given_to(call, param) {
            Some(ClientArgument::Root(root)) => !is_others(root),
            _ => true,
        });
        is_private && is_alone
    })
}

/// Whether a call never comes to its end, and reads or writes outside of an object.
fn leaves_memory(ends: &[CallEnd]) -> bool {
    let mut leaves = false;
    for end in ends {
        match end {
            CallEnd::Returns(_) | CallEnd::GoesOn(_) => return false,
            CallEnd::Fails(failed) => {
                leaves |= matches!(&failed.what, AloneFailure::Fault(fault) if fault.kind == FaultKind::OutOfBounds);
            }
        }
    }
    leaves
}

/// Whether a failure is its caller's to avoid.
fn is_callers(module: &Module, failed: &FailedCall) -> bool {
    match &failed.what {
        AloneFailure::Relocks => {
            failed.recipe.calls.iter().any(|(before, _)| takes_for_caller(module, before.function))
        }
        AloneFailure::Fault(fault) => {
            let gives_back = || gives_back_for_caller(module, failed.call.function);
            !fault.is_own() || fault.kind == FaultKind::LockMisuse && gives_back()
        }
        // Which objects are linked to which is decided by who calls.
        AloneFailure::NeverReturns => true,
    }
}

/// The roots that calls are about.
fn used<'c>(calls: impl Iterator<Item = &'c ClientCall>) -> BTreeSet<usize> {
    let root = |argument: &ClientArgument| match *argument {
        ClientArgument::Root(root) => Some(root),
        _ => None,
    };
    calls.flat_map(|call| &call.arguments).filter_map(root).collect()
}

/// Of equal calls one order is enough.
fn order(arguments: &[ClientArgument]) -> Vec<usize> {
    let root = |argument: &ClientArgument| match argument {
        ClientArgument::Root(root) => root + 1,
        _ => 0,
    };
    arguments.iter().map(root).collect()
}

impl Node {
    /// Whether a root can be used so.
    fn has(&self, root: usize, life: Life) -> bool {
        let is_live = match self.reached.values[root] {
            Value::Ptr(Pointer { object, .. }) | Value::Symbolic { object, .. } => {
                self.reached.state.memory.object(object).is_live()
            }
            // A number that it was told as an address.
            Value::Int(number) => number != 0,
            Value::Term(_) | Value::Lazy { .. } => false,
        };
        is_live && self.lives[root] == life
    }

    /// How many bytes there are behind a root.
    fn room(&self, root: usize) -> u64 {
        match self.reached.values[root] {
            Value::Ptr(pointer) => {
                let bytes = self.reached.state.memory.object(pointer.object).size;
                bytes.saturating_sub(u64::try_from(pointer.offset).unwrap_or(u64::MAX))
            }
            _ => 0,
        }
    }

    /// What is held goes by its type and by what it is: a client may take the one for the other.
    fn key(&self, engine: &mut Engine) -> NodeKey {
        let used = |&root: &usize| self.lives[root] != Life::Ended && self.has(root, self.lives[root]);
        let mut roots: Vec<usize> = (0..self.lives.len()).filter(used).collect();
        let kind = |root: usize| (self.reached.recipe.roots[root].ty, self.lives[root]);
        let mut key_from = |roots: &[usize]| {
            let values: Vec<Value> = roots.iter().map(|&root| self.reached.values[root]).collect();
            canonical_key(&mut engine.terms, &self.reached.state, &values)
        };
        if roots.len() > 1 {
            roots.sort_by_cached_key(|&root| (kind(root), key_from(&[root])));
        }
        let kinds = roots.iter().map(|&root| kind(root)).collect();
        (key_from(&roots), kinds, roots.iter().map(|&root| self.company.of(root, &roots)).collect())
    }
}
