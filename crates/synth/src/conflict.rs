//! Accesses of two calls that may race if what they access is one object (Narada, section 3.3).

use crate::paths::{AccessPath, Root, Sources, along, root_of};
use crate::trace::{Access, LibraryCall};
use concurrency::{AccessKind, LockMode};
use explore::Position;
use ir::c_type;
use machine::Program;
use memory::{ObjId, ObjectKind};
use std::rc::Rc;

/// Accesses at one place in the code with the same locks that are kept: each may be of another object.
const ALIKE: usize = 3;

/// A side of a race to be: an access as a call's caller sees it.
#[derive(Clone, Debug)]
pub struct Side {
    pub position: Position,
    pub kind: AccessKind,
    pub atomic: bool,
    pub object: ObjId,
    /// Its type, or its name if it is a global.
    pub class: Option<Rc<str>>,
    pub is_global: bool,
    pub size: u64,
    pub offset: u64,
    pub width: u64,
    /// Where the call has made the object itself, and let others come to it, those that lead there behind the call.
    pub paths: Vec<AccessPath>,
    /// Steps of them behind which objects lie that were there before the call.
    pub old: usize,
    pub locks: Vec<HeldAt>,
}

/// A lock that is held, as the call's caller sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldAt {
    /// The name of the global that it lies in.
    pub global: Option<Rc<str>>,
    pub object: ObjId,
    pub offset: u64,
    pub mode: LockMode,
    pub paths: Vec<AccessPath>,
}

/// The accesses of a call that others may race with.
pub fn sides(program: &Program, call: &LibraryCall, before: &Sources, after: &Sources) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::new();
    let memory = call.after.as_ref().unwrap_or(&call.before);
    for access in &call.accesses {
        let known = memory.len() > access.range.object.index();
        if !known {
            continue;
        }
        let object = memory.object(access.range.object);
        let is_local = object.kind == ObjectKind::Stack && access.range.object.index() >= call.before.len();
        if object.constant || object.guarded || is_local {
            continue;
        }
        let side = side(program, call, (before, after), access);
        if side.paths.is_empty() {
            // Nobody else comes there (`⊥`).
            continue;
        }
        let alike = |other: &&Side| {
            (&other.position, other.kind, other.atomic) == (&side.position, side.kind, side.atomic)
                && other.locks.len() == side.locks.len()
        };
        let is_known =
            |other: &Side| other.object == side.object && (other.offset, other.width) == (side.offset, side.width);
        let others: Vec<&Side> = sides.iter().filter(alike).collect();
        if others.len() < ALIKE && !others.iter().any(|other| is_known(other)) {
            sides.push(side);
        }
    }
    sides
}

fn side(program: &Program, call: &LibraryCall, (before, after): (&Sources, &Sources), access: &Access) -> Side {
    let module = &program.module;
    let memory = call.after.as_ref().unwrap_or(&call.before);
    let object = memory.object(access.range.object);
    let global = |object: &memory::Object| match object.kind {
        ObjectKind::Global(id) => Some(Rc::from(module[id].name.as_str())),
        _ => None,
    };
    let class = global(object).or_else(|| {
        let named = c_type(module, object.ty?);
        (!named.is_empty()).then(|| Rc::from(named))
    });
    let held = access.held.iter().map(|held| HeldAt {
        global: global(memory.object(held.place.object)),
        object: held.place.object,
        offset: held.place.offset,
        mode: held.mode,
        paths: before.of(held.place.object).to_vec(),
    });
    let known = before.of(access.range.object);
    let (paths, old) = match known.is_empty() {
        false => (known.to_vec(), usize::MAX),
        true => published(call, after, access.range.object),
    };
    Side {
        position: Position::of_site(program, access.site),
        kind: access.kind,
        atomic: access.atomic,
        object: access.range.object,
        class,
        is_global: matches!(object.kind, ObjectKind::Global(_)),
        size: object.size,
        offset: access.range.offset,
        width: access.range.size,
        paths,
        old,
        locks: held.collect(),
    }
}

/// Where a call has let others come to an object of its own: by a path from what it was given, of which so many steps lead to objects that
/// were there before.
fn published(call: &LibraryCall, after: &Sources, object: ObjId) -> (Vec<AccessPath>, usize) {
    let path = after.of(object).iter().find(|path| path.root != Root::Result);
    let (Some(path), Some(memory)) = (path, &call.after) else { return (Vec::new(), 0) };
    let objects = root_of(call, memory, path.root).and_then(|root| along(memory, root, path)).unwrap_or_default();
    let old = objects.iter().take_while(|object| object.index() < call.before.len()).count();
    (vec![path.clone()], old.saturating_sub(1))
}

/// Whether two accesses race if what they access is one object and no lock is.
pub fn conflict(one: &Side, other: &Side) -> bool {
    let writes = |side: &Side| side.kind != AccessKind::Read;
    if !(writes(one) || writes(other)) || one.atomic && other.atomic || one.is_global != other.is_global {
        return false;
    }
    let may_be_one = match (&one.class, &other.class) {
        (Some(a), Some(b)) => a == b,
        _ => one.size == other.size,
    };
    if !may_be_one {
        return false;
    }
    // Of arrays one element is as good as another.
    let apart = |a: &Side, b: &Side| a.offset + a.width <= b.offset;
    one.size != other.size || !(apart(one, other) || apart(other, one)) || one.position == other.position
}

/// Whether two accesses hold a lock in common, one of them alone, where the objects at these places on their paths are one, and all else
/// is each its own (locksets of Savage et al., TOCS 1997). `shared`: by how many steps each path comes there; none where only globals
/// are shared.
pub fn is_protected(
    (one, one_path): (&Side, &AccessPath),
    (other, other_path): (&Side, &AccessPath),
    shared: Option<(usize, usize)>,
) -> bool {
    let behind = |lock: &HeldAt, path: &AccessPath, steps: usize| -> Vec<Vec<u64>> {
        let leads = |held: &&AccessPath| held.root == path.root && held.follows.starts_with(&path.follows[..steps]);
        let rest = |held: &AccessPath| held.follows[steps..].iter().map(|follow| follow.from).collect();
        lock.paths.iter().filter(leads).map(rest).collect()
    };
    // Where a lock may be reached by several paths, which one it is on other objects is not known.
    let is_certain = |lock: &HeldAt| lock.paths.len() <= 1;
    one.locks.iter().any(|a| {
        other.locks.iter().any(|b| {
            let is_same = match (&a.global, &b.global) {
                (Some(a), Some(b)) => a == b,
                (None, None) => {
                    is_certain(a)
                        && is_certain(b)
                        && shared.is_some_and(|(i, j)| {
                            let theirs = behind(b, other_path, j);
                            behind(a, one_path, i).iter().any(|rest| theirs.contains(rest))
                        })
                }
                _ => false,
            };
            is_same && a.offset == b.offset && [a.mode, b.mode].contains(&LockMode::Exclusive)
        })
    })
}

/// Where a path's root is a global, what it leads to is one object whoever comes there.
pub fn is_of_global(path: &AccessPath) -> bool {
    matches!(path.root, Root::Global(_))
}
