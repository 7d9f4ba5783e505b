//! Access paths: how an object is reached from what a call is given, and from globals (`src`, Narada, section 3.2).

use crate::trace::LibraryCall;
use ir::{GlobalId, Module};
use memory::{Memory, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Steps of the longest path that is followed.
const LONGEST: usize = 8;

/// Paths that are kept of one object.
const MOST: usize = 4;

/// The same with those that a call goes.
const MOST_READ: usize = 6;

/// Objects that are looked at.
const OBJECTS: usize = 4_096;

/// Where a path begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// The scalar of this number among those that the ABI passes (`I_i` in the paper).
    Parameter(usize),
    Global(GlobalId),
    /// What the call returns (`I_r`).
    Result,
}

/// One pointer that is followed: where it lies, in bytes from the object's first, and where in the next object it leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Follow {
    pub from: u64,
    pub to: i64,
}

/// An object as it is reached from a root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessPath {
    pub root: Root,
    /// Where in its object the root leads.
    pub at: i64,
    pub follows: Vec<Follow>,
}

impl AccessPath {
    /// The path that goes on by one pointer.
    fn then(&self, follow: Follow) -> Self {
        let follows = self.follows.iter().copied().chain([follow]).collect();
        AccessPath { follows, ..*self }
    }

    /// The number of pointers that are followed.
    pub fn length(&self) -> usize {
        self.follows.len()
    }
}

/// By object, the paths that lead to it, shortest first.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    paths: FxHashMap<ObjId, Vec<AccessPath>>,
}

impl Sources {
    /// What a call's parameters and the globals lead to before it.
    pub fn before(module: &Module, call: &LibraryCall) -> Self {
        Sources::from(module, &call.before, roots(&call.arguments))
    }

    /// With the ways that the call itself goes, which come first: what it reads tells by which of several paths it comes to an object.
    #[must_use]
    pub fn as_read(mut self, call: &LibraryCall) -> Self {
        for access in &call.accesses {
            let Some(Value::Ptr(pointer)) = access.read else { continue };
            if pointer.object.index() >= call.before.len() {
                continue;
            }
            let ways: Vec<AccessPath> = self.of(access.range.object).iter().take(2).cloned().collect();
            for way in ways.into_iter().filter(|way| way.length() < LONGEST) {
                let path = way.then(Follow { from: access.range.offset, to: pointer.offset });
                let known = self.paths.entry(pointer.object).or_default();
                if !known.contains(&path) {
                    known.insert(0, path);
                    known.truncate(MOST_READ);
                }
            }
        }
        self
    }

    /// What they lead to after it, and what it returns.
    pub fn after(module: &Module, call: &LibraryCall) -> Self {
        let Some(after) = &call.after else { return Sources::default() };
        let result = call.results.iter().flat_map(|results| results.iter()).take(1);
        let result = result.filter_map(|value| Some((Root::Result, pointer(*value)?)));
        Sources::from(module, after, roots(&call.arguments).chain(result))
    }

    fn from(module: &Module, memory: &Memory, roots: impl Iterator<Item = (Root, Pointer)>) -> Self {
        let globals = module.globals().filter_map(|(id, _)| Some((Root::Global(id), Pointer::to(memory.global(id)?))));
        let mut sources = Sources::default();
        let mut open = VecDeque::new();
        for (root, pointer) in roots.chain(globals) {
            let path = AccessPath { root, at: pointer.offset, follows: Vec::new() };
            sources.add(pointer.object, path, &mut open);
        }
        while let Some((object, path)) = open.pop_front() {
            if path.length() >= LONGEST || sources.paths.len() >= OBJECTS {
                continue;
            }
            for (from, pointer) in memory.object(object).contents.pointers() {
                let next = path.then(Follow { from, to: pointer.offset });
                if is_data(memory, pointer.object) {
                    sources.add(pointer.object, next, &mut open);
                }
            }
        }
        sources
    }

    /// Keeps a path, if it is among the first from its root, and goes on from there if it is the first of all.
    fn add(&mut self, object: ObjId, path: AccessPath, open: &mut VecDeque<(ObjId, AccessPath)>) {
        let known = self.paths.entry(object).or_default();
        let is_known = known.iter().any(|other| other.root == path.root);
        if is_known || known.len() >= MOST {
            return;
        }
        known.push(path.clone());
        open.push_back((object, path));
    }

    /// The paths that lead to an object; none to one that did not exist, or that nothing leads to (`⊥`).
    pub fn of(&self, object: ObjId) -> &[AccessPath] {
        self.paths.get(&object).map_or(&[], Vec::as_slice)
    }

    /// All objects that are reached.
    pub fn objects(&self) -> impl Iterator<Item = (ObjId, &[AccessPath])> {
        self.paths.iter().map(|(object, paths)| (*object, paths.as_slice()))
    }
}

/// The objects on a path, the root's first; none where it leads nowhere.
pub fn along(memory: &Memory, root: Pointer, path: &AccessPath) -> Option<Vec<ObjId>> {
    let mut objects = vec![root.object];
    for follow in &path.follows {
        let object = memory.object(*objects.last()?);
        let (_, next) = object.contents.pointers().find(|(from, _)| *from == follow.from)?;
        objects.push(next.object);
    }
    Some(objects)
}

/// Where a root leads before a call.
pub fn root_of(call: &LibraryCall, memory: &Memory, root: Root) -> Option<Pointer> {
    match root {
        Root::Parameter(index) => pointer(*call.arguments.get(index)?),
        Root::Global(id) => memory.global(id).map(Pointer::to),
        Root::Result => pointer(*call.results.as_ref()?.first()?),
    }
}

fn roots(arguments: &[Value]) -> impl Iterator<Item = (Root, Pointer)> {
    arguments.iter().enumerate().filter_map(|(index, value)| Some((Root::Parameter(index), pointer(*value)?)))
}

fn pointer(value: Value) -> Option<Pointer> {
    match value {
        Value::Ptr(pointer) => Some(pointer),
        _ => None,
    }
}

fn is_data(memory: &Memory, object: ObjId) -> bool {
    !matches!(memory.object(object).kind, ObjectKind::Function(_))
}
