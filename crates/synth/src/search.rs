//! Where the rules lead to nothing: any calls of the tests, one after the other, on any objects that they make, as far as what is known of
//! each call tells what it does to pointers.
//!
//! The heap is a graph: what pointers lead to what, as traces had it. A client has some objects of each type that a parameter leads to, each
//! as a test makes it, also with another one of them in it. A call moves pointers as it did in its test, whatever it is given. The heaps
//! that so many calls build are gone through, those of fewer calls first, and on each any two calls are looked at.
//!
//! Not promised: that a call does so on other objects. Whoever runs the client sees.

use crate::Test;
use crate::client::{Draft, Held, Instance, Role};
use crate::conflict::Side;
use crate::paths::{AccessPath, Root};
use crate::script::{Script, VariableId};
use crate::settings::{CallId, Fact};
use concurrency::LockMode;
use memory::{Memory, ObjId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Objects of one type.
const OBJECTS: usize = 3;

/// Calls before the two.
const CALLS: usize = 3;

/// Heaps that are gone through, and looks at two accesses.
const HEAPS: usize = 4_000;
const LOOKS: usize = 20_000_000;

/// Clients that are found for two accesses, taken in one way.
const FOUND: usize = 2;

/// A call that clients may make.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub id: CallId,
    /// By parameter, the type that it leads to, where that is an object that a client may choose.
    pub takes: Vec<Option<String>>,
    /// What it leaves behind; none of what it returns.
    pub facts: Vec<Fact>,
}

/// Two accesses that no client is known for yet, taken so: by what they are called, whose calls, by which paths they come to their object,
/// and to the locks that they hold.
pub(crate) struct Wanted<'w> {
    pub number: usize,
    pub moves: [usize; 2],
    pub paths: [&'w AccessPath; 2],
    pub locks: [Vec<HeldBy<'w>>; 2],
}

/// A lock, as it is come to: where it lies in its object, and how it is held.
pub(crate) type HeldBy<'w> = (&'w AccessPath, u64, LockMode);

/// Ways in which the locks of a side are taken, at the most.
const TAKEN: usize = 8;

/// All ways to take the locks of a side: one that is reached by several paths in a trace may be any of them on other objects.
pub(crate) fn taken(side: &Side) -> Vec<Vec<HeldBy<'_>>> {
    let mut all = vec![Vec::new()];
    for lock in side.locks.iter().filter(|lock| !lock.paths.is_empty()) {
        let mut more = Vec::new();
        for so_far in &all {
            for path in &lock.paths {
                let mut with: Vec<HeldBy<'_>> = so_far.clone();
                with.push((path, lock.offset, lock.mode));
                more.push(with);
            }
        }
        more.truncate(TAKEN);
        all = more;
    }
    all
}

/// An object of a client's: a variable of an instance, and the node that it leads to.
#[derive(Clone, Debug)]
struct Object {
    class: String,
    node: usize,
    /// The call whose parameter it is in its test.
    id: CallId,
    parameter: usize,
    /// Which variables of its instance are others of the client's objects.
    same: Vec<(VariableId, usize)>,
}

/// What leads to what.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Graph {
    /// By node: where pointers lie, and where they lead.
    edges: Vec<BTreeMap<u64, usize>>,
}

/// A heap that calls have built.
#[derive(Clone)]
struct Heap {
    graph: Graph,
    calls: Vec<(usize, Vec<usize>)>,
}

/// Where a call's path leads in a heap: by node, which of the ways to give it objects lead there.
type Places<'w> = FxHashMap<(usize, &'w AccessPath), Vec<(usize, Vec<usize>)>>;

/// The search.
pub(crate) struct Search<'t> {
    tests: &'t [&'t Test],
    scripts: &'t [&'t Script],
    moves: &'t [Move],
    /// Globals that paths begin at.
    globals: BTreeMap<String, usize>,
    looks: usize,
}

impl<'t> Search<'t> {
    pub(crate) fn new(tests: &'t [&'t Test], scripts: &'t [&'t Script], moves: &'t [Move]) -> Self {
        Search { tests, scripts, moves, globals: BTreeMap::new(), looks: 0 }
    }

    /// Clients in which these accesses are of one object and hold no lock in common, by the number of what is wanted.
    pub(crate) fn find(&mut self, wanted: &[Wanted]) -> Vec<(usize, Draft)> {
        let mut found = Vec::new();
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        let starts = self.starts();
        let mut seen: FxHashSet<(Graph, usize)> = FxHashSet::default();
        let mut level: Vec<(Vec<Object>, Heap)> = Vec::new();
        for (number, (variant, graph)) in starts.into_iter().enumerate() {
            if seen.insert((graph.clone(), number)) {
                level.push((variant, Heap { graph, calls: Vec::new() }));
            }
        }
        // All clients have as many objects of each type.
        let ways: Vec<Vec<Vec<usize>>> = match level.first() {
            Some((objects, _)) => self.moves.iter().map(|made| choices(&made.takes, objects)).collect(),
            None => return found,
        };
        for depth in 0..=CALLS {
            for (objects, heap) in &level {
                let mut known = Places::default();
                for want in wanted {
                    let count = counts.entry(want.number).or_default();
                    if *count < FOUND && self.looks < LOOKS {
                        let shown = self.shows(want, (objects, heap), (&ways, &mut known));
                        for given in shown.into_iter().take(FOUND - *count) {
                            *count += 1;
                            found.push((want.number, self.draft(want, objects, heap, &given)));
                        }
                    }
                }
            }
            let is_done = wanted.iter().all(|want| counts.get(&want.number).is_some_and(|&count| count >= FOUND));
            if depth == CALLS || is_done || self.looks >= LOOKS {
                break;
            }
            let mut next = Vec::new();
            for (variant, (objects, heap)) in level.iter().enumerate() {
                for (number, made) in self.moves.iter().enumerate().filter(|(_, made)| !made.facts.is_empty()) {
                    for given in &ways[number] {
                        if seen.len() >= HEAPS {
                            break;
                        }
                        let mut graph = heap.graph.clone();
                        self.carry_out(made, given, objects, &mut graph);
                        // Of objects that are made alike the graph tells which is which.
                        let key = (graph.clone(), if depth == 0 { variant } else { 0 });
                        if graph != heap.graph && seen.insert(key) {
                            let calls = heap.calls.iter().cloned().chain([(number, given.clone())]).collect();
                            next.push((objects.clone(), Heap { graph, calls }));
                        }
                    }
                }
            }
            level = next;
        }
        found
    }

    /// The client's objects, and all ways in which they are made of each other.
    fn starts(&mut self) -> Vec<(Vec<Object>, Graph)> {
        let mut suppliers: BTreeMap<String, (usize, CallId, usize)> = BTreeMap::new();
        for made in self.moves {
            for (parameter, class) in made.takes.iter().enumerate() {
                let Some(class) = class else { continue };
                let script = self.scripts[made.id.test];
                let Some(holder) = script.steps[made.id.call].holders[parameter] else { continue };
                let steps = script.slice(made.id.call, [holder].into());
                let is_possible = steps.iter().all(|&step| script.steps[step].unknown.is_none());
                let better = suppliers.get(class).is_none_or(|(length, ..)| steps.len() < *length);
                if is_possible && better {
                    suppliers.insert(class.clone(), (steps.len(), made.id, parameter));
                }
            }
        }
        let mut graph = Graph::default();
        let mut objects: Vec<Object> = Vec::new();
        // Which variables of an object's instance might be other objects.
        let mut open: Vec<(usize, VariableId, Vec<usize>)> = Vec::new();
        // Those that others are made of come first.
        let mut sorted: Vec<(String, (usize, CallId, usize))> = suppliers.into_iter().collect();
        sorted.sort_by_key(|(class, (length, ..))| (*length, class.clone()));
        for (class, (_, id, parameter)) in &sorted {
            for _ in 0..OBJECTS {
                let memory = &self.tests[id.test].trace.calls[id.call].before;
                let step = &self.scripts[id.test].steps[id.call];
                let Some(holder) = step.holders[*parameter] else { continue };
                let Some(root) = pointer_of(self.tests[id.test], *id, *parameter) else { continue };
                let mut nodes = FxHashMap::default();
                let node = copy(memory, root, &mut graph, &mut nodes, &mut self.globals, self.tests[id.test]);
                let number = objects.len();
                for step in self.scripts[id.test].slice(id.call, [holder].into()) {
                    for &variable in &self.scripts[id.test].steps[step].mentions {
                        let is_known = open.iter().any(|(object, known, _)| (*object, *known) == (number, variable));
                        if variable == holder || step == id.call || is_known {
                            continue;
                        }
                        let declared = &self.scripts[id.test].variables[variable.index()].declared;
                        let fits = |object: &Object| {
                            let script = self.scripts[object.id.test];
                            let own = script.steps[object.id.call].holders[object.parameter];
                            object.same.is_empty()
                                && own.is_some_and(|own| script.variables[own.index()].declared == *declared)
                        };
                        let others: Vec<usize> = (0..objects.len())
                            .filter(|&other| objects[other].class != *class && fits(&objects[other]))
                            .collect();
                        if !others.is_empty() {
                            open.push((number, variable, others));
                        }
                    }
                }
                objects.push(Object { class: class.clone(), node, id: *id, parameter: *parameter, same: Vec::new() });
            }
        }
        let mut starts = vec![(objects, graph)];
        for (object, variable, others) in open {
            let mut more = Vec::new();
            for (objects, graph) in &starts {
                for &other in &others {
                    if starts.len() + more.len() >= HEAPS / 16 {
                        break;
                    }
                    let mut objects = objects.clone();
                    objects[object].same.push((variable, other));
                    let id = objects[object].id;
                    let Some(known) = self.known_by(id, variable) else { continue };
                    let mut graph = graph.clone();
                    self.merge(&mut graph, &objects, object, known, other);
                    more.push((objects, graph));
                }
            }
            starts.extend(more);
        }
        starts
    }

    /// The object that a variable leads to before a call.
    fn known_by(&self, id: CallId, variable: VariableId) -> Option<ObjId> {
        let step = &self.scripts[id.test].steps[id.call];
        let mut all: Vec<ObjId> =
            step.known.iter().filter(|(_, by)| **by == variable).map(|(object, _)| *object).collect();
        all.sort_unstable();
        all.first().copied()
    }

    /// Lets all that led to an object of an instance's lead to another of the client's.
    fn merge(&self, graph: &mut Graph, objects: &[Object], object: usize, known: ObjId, other: usize) {
        let Object { id, parameter, node, .. } = objects[object];
        let memory = &self.tests[id.test].trace.calls[id.call].before;
        let Some(root) = pointer_of(self.tests[id.test], id, parameter) else { return };
        // Walks both side by side.
        let mut open = vec![(root, node)];
        let mut seen: FxHashSet<ObjId> = FxHashSet::default();
        while let Some((at, node)) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            for (from, pointer) in memory.object(at).contents.pointers() {
                let Some(&next) = graph.edges[node].get(&from) else { continue };
                if pointer.object == known {
                    graph.edges[node].insert(from, objects[other].node);
                } else {
                    open.push((pointer.object, next));
                }
            }
        }
    }

    /// What a call does to a heap, as far as is known: all that it moves it reads first.
    fn carry_out(&self, made: &Move, given: &[usize], objects: &[Object], graph: &mut Graph) {
        let before = graph.clone();
        let node = |parameter: usize| given_node(&made.takes, given, objects, parameter);
        for fact in &made.facts {
            let Some(source) = node(fact.source).and_then(|from| walk(&before, from, &fact.source_path)) else {
                continue;
            };
            let Some((last, path)) = fact.path.split_last() else { continue };
            let owner = match (&fact.owner, fact.target) {
                (_, Some(parameter)) => node(parameter),
                (crate::settings::Owner::Global(name), None) => self.globals.get(name).copied(),
                _ => None,
            };
            if let Some(owner) = owner.and_then(|owner| walk(graph, owner, path)) {
                graph.edges[owner].insert(*last, source);
            }
        }
    }

    /// How two calls are given objects so that two accesses are of one object, without a lock in common.
    fn shows<'w>(
        &mut self,
        want: &Wanted<'w>,
        (objects, heap): (&[Object], &Heap),
        (choices, known): (&[Vec<Vec<usize>>], &mut Places<'w>),
    ) -> Vec<[Vec<usize>; 2]> {
        let [one, other] = want.moves;
        for (made, path) in want.moves.into_iter().zip(want.paths) {
            known.entry((made, path)).or_insert_with(|| {
                self.looks += choices[made].len();
                let mut places: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
                for (number, given) in choices[made].iter().enumerate() {
                    if let Some(node) = self.resolve(path, &self.moves[made], given, objects, &heap.graph) {
                        places.entry(node).or_default().push(number);
                    }
                }
                let mut places: Vec<(usize, Vec<usize>)> = places.into_iter().collect();
                places.sort_unstable();
                places
            });
        }
        let held = |side: usize, given: &[usize]| -> Vec<((usize, u64), LockMode)> {
            let lock = |(path, offset, mode): &HeldBy| {
                let made = &self.moves[want.moves[side]];
                Some(((self.resolve(path, made, given, objects, &heap.graph)?, *offset), *mode))
            };
            want.locks[side].iter().filter_map(lock).collect()
        };
        let (Some(mine), Some(theirs)) = (known.get(&(one, want.paths[0])), known.get(&(other, want.paths[1]))) else {
            return Vec::new();
        };
        // By what the first call is given, in this order.
        let mut both: Vec<(usize, &[usize])> = Vec::new();
        for (node, numbers) in mine {
            if let Ok(at) = theirs.binary_search_by_key(node, |(node, _)| *node) {
                both.extend(numbers.iter().map(|&number| (number, theirs[at].1.as_slice())));
            }
        }
        both.sort_unstable();
        let (mut found, mut looks) = (Vec::new(), 0);
        'all: for (number, others) in both {
            let mine = &choices[one][number];
            let locks = held(0, mine);
            for &number in others {
                let theirs = &choices[other][number];
                looks += 1;
                if !concurrency::excluded(&locks, &held(1, theirs)) {
                    found.push([mine.clone(), theirs.clone()]);
                    if found.len() >= FOUND {
                        break 'all;
                    }
                }
            }
        }
        self.looks += looks;
        found
    }

    fn resolve(
        &self,
        path: &AccessPath,
        made: &Move,
        given: &[usize],
        objects: &[Object],
        graph: &Graph,
    ) -> Option<usize> {
        let root = match path.root {
            Root::Parameter(parameter) => given_node(&made.takes, given, objects, parameter)?,
            Root::Global(id) => {
                let name = &self.tests[made.id.test].program.module[id].name;
                *self.globals.get(name)?
            }
            Root::Result => return None,
        };
        let offsets: Vec<u64> = path.follows.iter().map(|follow| follow.from).collect();
        walk(graph, root, &offsets)
    }

    /// The client that makes the calls of a heap, and then two at once.
    fn draft(&self, want: &Wanted, objects: &[Object], heap: &Heap, given: &[Vec<usize>; 2]) -> Draft {
        let mut draft = Draft::default();
        for number in want.moves {
            draft.instances.push(Instance { call: self.moves[number].id, role: Role::Races });
        }
        let mut held: BTreeMap<usize, usize> = BTreeMap::new();
        for (thread, given) in given.iter().enumerate() {
            self.give(&mut draft, (thread, want.moves[thread]), given, objects, &mut held);
        }
        for (number, given) in &heap.calls {
            draft.instances.push(Instance { call: self.moves[*number].id, role: Role::Sets });
            let instance = draft.instances.len() - 1;
            self.give(&mut draft, (instance, *number), given, objects, &mut held);
        }
        draft
    }

    /// Gives a call its objects.
    fn give(
        &self,
        draft: &mut Draft,
        (instance, number): (usize, usize),
        given: &[usize],
        objects: &[Object],
        held: &mut BTreeMap<usize, usize>,
    ) {
        let mut chosen = given.iter();
        for (parameter, class) in self.moves[number].takes.iter().enumerate() {
            if class.is_some()
                && let Some(&object) = chosen.next()
                && let Some(by) = self.supply(draft, object, objects, held)
            {
                draft.given.insert((instance, parameter), (by.0, objects[object].parameter));
            }
        }
    }

    /// The variable of an object; it is made when it is asked for first.
    fn supply(
        &self,
        draft: &mut Draft,
        object: usize,
        objects: &[Object],
        held: &mut BTreeMap<usize, usize>,
    ) -> Option<Held> {
        let Object { id, parameter, same, .. } = &objects[object];
        let holder = self.scripts[id.test].steps[id.call].holders[*parameter]?;
        if let Some(&known) = held.get(&object) {
            return Some((known, holder));
        }
        draft.instances.push(Instance { call: *id, role: Role::Supplies(*parameter) });
        let instance = draft.instances.len() - 1;
        held.insert(object, instance);
        for &(variable, other) in same {
            let by = self.supply(draft, other, objects, held)?;
            draft.share((instance, variable), by);
        }
        Some((instance, holder))
    }
}

/// The node of what a call gets by a parameter.
fn given_node(takes: &[Option<String>], given: &[usize], objects: &[Object], parameter: usize) -> Option<usize> {
    takes.get(parameter)?.as_ref()?;
    let at = takes[..parameter].iter().flatten().count();
    Some(objects[*given.get(at)?].node)
}

/// All ways to give a call objects.
fn choices(takes: &[Option<String>], objects: &[Object]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for class in takes.iter().flatten() {
        let of_class: Vec<usize> = (0..objects.len()).filter(|&object| objects[object].class == *class).collect();
        all = all
            .into_iter()
            .flat_map(|so_far: Vec<usize>| {
                of_class.iter().map(move |&object| so_far.iter().copied().chain([object]).collect()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

fn walk(graph: &Graph, from: usize, path: &[u64]) -> Option<usize> {
    path.iter().try_fold(from, |node, offset| graph.edges[node].get(offset).copied())
}

/// Where a parameter of a call leads in its test.
fn pointer_of(test: &Test, id: CallId, parameter: usize) -> Option<ObjId> {
    match test.trace.calls[id.call].arguments.get(parameter)? {
        memory::Value::Ptr(pointer) => Some(pointer.object),
        _ => None,
    }
}

/// Objects of one client's object.
const COPIED: usize = 200;

/// A copy of all that an object leads to; globals are there once. The object's node.
fn copy(
    memory: &Memory,
    object: ObjId,
    graph: &mut Graph,
    nodes: &mut FxHashMap<ObjId, usize>,
    globals: &mut BTreeMap<String, usize>,
    test: &Test,
) -> usize {
    let mut open = vec![object];
    let mut new_node = |object: ObjId, graph: &mut Graph, nodes: &mut FxHashMap<ObjId, usize>| {
        let known = memory.object(object);
        if let memory::ObjectKind::Global(id) = known.kind {
            let name = test.program.module[id].name.clone();
            return *globals.entry(name).or_insert_with(|| {
                graph.edges.push(BTreeMap::new());
                graph.edges.len() - 1
            });
        }
        *nodes.entry(object).or_insert_with(|| {
            graph.edges.push(BTreeMap::new());
            graph.edges.len() - 1
        })
    };
    let root = new_node(object, graph, nodes);
    let mut seen: FxHashSet<ObjId> = FxHashSet::default();
    while let Some(at) = open.pop() {
        if !seen.insert(at) || seen.len() > COPIED {
            continue;
        }
        let node = new_node(at, graph, nodes);
        for (from, pointer) in memory.object(at).contents.pointers() {
            if matches!(memory.object(pointer.object).kind, memory::ObjectKind::Function(_)) {
                continue;
            }
            let next = new_node(pointer.object, graph, nodes);
            graph.edges[node].insert(from, next);
            open.push(pointer.object);
        }
    }
    root
}
